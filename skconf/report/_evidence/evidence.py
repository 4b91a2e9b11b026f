"""The data behind a report: predictions, rows and values, and their origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf.inference._assessment import Assessment
from skconf.inference._verdict import assess
from skconf.inspection._risk_difference import RiskDifference
from skconf.profile import ConfidenceProfile, Kind
from skconf.profile._answers import computed_once
from skconf.report._evidence.by_slice import BySlice
from skconf.report._evidence.comparison import Comparison, compare_models
from skconf.report._evidence.costs import assess_costs
from skconf.report._evidence.draws import Compared, Draws
from skconf.report._evidence.labels import Labels, Topics, numbered
from skconf.report._evidence.origin import Origin
from skconf.report._evidence.own_costs import own_cost
from skconf.report._evidence.prevalence import AtPrevalence
from skconf.report._evidence.rows import Row
from skconf.report._evidence.slice_guarantees import guaranteed_in_slices
from skconf.report._evidence.slices import Slices
from skconf.report._evidence.stops import Stops
from skconf.report._evidence.thresholds import Guarantee, allowed_losses, guarantee, guarantee_of_cells

#: The largest share of errors that the summary uses by default.
_FIRST_TOLD = 0.05
#: Grades in the order in which models are sorted: unknown harm is between no harm and some harm.
_HARM = ("close to calibrated", "negligible", "none shown", "too few to say", "mild", "serious", "unusable")
#: Default level of the intervals on a page.
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The data behind a report.

    Attributes
    ----------
    rows : sequence of Row
        The metrics, in the order of the report.
    values : mapping of model to sequence of float
        The values of the metrics.
    profiles : mapping of model to ConfidenceProfile
        Predictions; empty if these were read in batches.
    chosen : bool
        Whether the user chose the metrics by name. If so, a terminal shows nothing but these metrics.
    several : bool
        Whether there are columns for models, rather than a single one named "value".
    baseline : model
        The model that others are compared with.
    unpaired : mapping of model to str
        The models whose rows cannot be paired with rows of the baseline, with the reason. The reason completes the
        sentence "BASELINE and MODEL ...".
    known : mapping of model to Assessment
        Verdicts that were computed elsewhere, as in batches. If empty, verdicts are computed from `profiles`.
    level : float
        Level of the intervals.
    name : str
        Name of a single model.
    row_numbers : mapping of model to ndarray
        Number of each answer's row in its file, from 0, if rows were matched by ids, or rows were left out.
    row_names : mapping of model to pair of column and ndarray
        Column of ids of a file, and the id of each row.
    slices : mapping of model to mapping of column to Slices
        The columns that divide the rows into slices.
    labels : mapping of model to Labels
        True and predicted labels, if they are not in the predictions.
    origin : Origin
        The origin of the predictions.
    known_stops : mapping of model to Stops
        The thresholds of models that were read in batches. Batches count answers in intervals of confidence, called
        cells. The lower end of each cell is a threshold.
    known_kind : str
        The kind of answers that were read in batches.
    ends : mapping of model to ndarray of shape (n_rows, 2)
        Ends of the requested intervals.
    errors : sequence of float
        The requested allowed errors, in addition to the usual ones.
    prices : pair of float or None
        The cost of an error and of a case that is sent to a person, if they were given.
    names_rows : bool
        Whether single rows may be named.
    scores : mapping of model to ndarray
        Another score that ranks the answers.
    score_name : label
        The name of the other score.
    """

    rows: Sequence[Row]
    values: Mapping[Any, Sequence[float]]
    profiles: Mapping[Any, ConfidenceProfile] = field(default_factory=dict)
    chosen: bool = False
    several: bool = False
    baseline: Any = None
    unpaired: Mapping[Any, str] = field(default_factory=dict)
    known: Mapping[Any, Assessment] = field(default_factory=dict)
    level: float = LEVEL
    name: str = "the model"
    row_numbers: Mapping[Any, NDArray[Any]] = field(default_factory=dict)
    row_names: Mapping[Any, tuple[Any, NDArray[Any]]] = field(default_factory=dict)
    slices: Mapping[Any, Mapping[Any, Slices]] = field(default_factory=dict)
    labels: Mapping[Any, Labels] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)
    known_stops: Mapping[Any, Stops] = field(default_factory=dict)
    known_kind: Kind = "right or wrong"
    ends: Mapping[Any, Floats] = field(default_factory=dict)
    errors: Sequence[float] = ()
    prices: tuple[float, float] | None = None
    names_rows: bool = True
    scores: Mapping[Any, NDArray[Any]] = field(default_factory=dict)
    score_name: Any = None

    @cached_property
    def n_candidates(self) -> int:
        """Number of rankings that share the level of a guarantee: people take the best score of the best model."""
        return len(self.values) * (1 if self.score_name is None else 2)

    @cached_property
    def is_mixed(self) -> bool:
        """Whether some models have costs and others a correctness. Then no question fits all models."""
        return len({profile.kind == "costs" for profile in self.profiles.values()}) > 1

    @cached_property
    def kind(self) -> Kind:
        """The kind of answers."""
        kinds = {profile.kind for profile in self.profiles.values()}
        if not kinds or self.is_mixed:
            return self.known_kind
        return "costs" if "costs" in kinds else "graded" if "graded" in kinds else "right or wrong"

    @cached_property
    def assessments(self) -> Mapping[Any, Assessment]:
        """The verdict on each model."""
        return self.known or {
            model: assess_costs(profile) if profile.kind == "costs" else assess(profile)
            for model, profile in self.profiles.items()
        }

    @cached_property
    def at_prevalence(self) -> Mapping[Any, AtPrevalence]:
        """The errors of each model at its stated prevalence; nothing if none is stated."""
        found = {model: AtPrevalence.of(profile, self.level) for model, profile in self.profiles.items()}
        return {model: each for model, each in found.items() if each is not None}

    @cached_property
    def by_slice(self) -> Mapping[Any, BySlice]:
        """The accuracy of each model in each slice, if there are slices, or several topics of answers."""
        by_slice = {}
        for model, profile in self.profiles.items():
            slices = {**_by_topic(profile), **self.slices.get(model, {})}
            if slices:
                by_slice[model] = BySlice.of(profile, slices, self.level)
        return by_slice

    @cached_property
    def guaranteed_in_slices(self) -> Mapping[Any, pd.DataFrame]:
        """The guaranteed thresholds of each model for all requested slices, if a guarantee is possible."""
        return {
            model: guaranteed_in_slices(profile, self.slices[model], self.target, self.level, self.n_candidates)
            for model, profile in self.profiles.items()
            if self.slices.get(model)
            and not (profile.kind == "costs" or profile.sample_weight is not None or model in self.at_prevalence)
        }

    @cached_property
    def by_answer(self) -> Mapping[Any, BySlice]:
        """The accuracy of each model by the class that it answers, if there are classes."""
        found = {model: (profile, self.labels_of(model)) for model, profile in self.profiles.items()}
        return {
            model: BySlice.of(profile, {"answer": labels.as_slices()}, self.level)
            for model, (profile, labels) in found.items()
            if labels is not None
        }

    @cached_property
    def comparison(self) -> Comparison:
        """The differences between all models and the baseline."""
        return compare_models(self.rows, self.profiles, self.baseline, self.unpaired)

    @cached_property
    def stops(self) -> Mapping[Any, Stops]:
        """All possible thresholds of each model; the model with the least harm comes first."""
        stops = self.known_stops or {model: Stops.of(each, self.level) for model, each in self.profiles.items()}
        return {model: stops[model] for model in [*self.by_harm, *stops] if model in stops}

    @cached_property
    def targets(self) -> Sequence[float]:
        """The allowed errors: shares of errors, mean losses or mean costs."""
        cost = next(iter(self.assessments.values())).accuracy if self.kind == "costs" else 0.0
        return sorted({*allowed_losses(self.kind, cost), *self.errors})

    @cached_property
    def target(self) -> float:
        """The limit in the summary: the first requested one, or the largest (errors: up to 5%) that a model exceeds."""
        if self.errors:
            return self.errors[0]
        targets = [target for target in self.targets if target <= _FIRST_TOLD or self.kind != "right or wrong"]
        most = max(float(stops.wrong[-1]) for stops in self.stops.values())
        return max((target for target in targets if target < most), default=targets[0])

    @cached_property
    def by_score(self) -> "Evidence | None":
        """The same answers ranked by the other score; None if there is none."""
        if not self.scores:
            return None
        profiles = {model: replace(self.profiles[model], score=score) for model, score in self.scores.items()}
        return replace(self, profiles=profiles, known=self.assessments, scores={})

    @cached_property
    def answered(self) -> Sequence[Compared]:
        """The cases that each model answers at the allowed errors, if rows are paired; else nothing."""
        return () if self._draws is None else [self._draws.answered_at(target) for target in self.targets]

    @property
    def at_target(self) -> Compared | None:
        """The cases that each model answers at the limit in the summary, if rows are paired."""
        return next((each for each in self.answered if each.target == self.target), None)

    @property
    def best(self) -> Any:
        """The model that answers most at the limit in the summary; if rows are not paired, that with the least harm."""
        return self.by_harm[0] if self.at_target is None else self.at_target.ranked[0]

    @cached_property
    def costs(self) -> Compared | None:
        """The least cost of a case of each model at the given prices, if rows are paired."""
        return None if self._draws is None or self.prices is None else self._draws.cost_at(*self.prices)

    @cached_property
    def own_costs(self) -> Mapping[Any, float]:
        """The mean cost of a case for each model that decides by known costs, computed with these costs."""
        found = {model: own_cost(profile) for model, profile in self.profiles.items()}
        return {model: cost for model, cost in found.items() if cost is not None}

    @cached_property
    def risk_differences(self) -> Mapping[Any, RiskDifference]:
        """The differences between the errors of other models and of the best model, if all answer the same share.

        Models that answer nothing at the limit in the summary are left out.
        """
        if self.at_target is None:
            return {}
        best, *others = [model for model in self.at_target.ranked if self.at_target.reached[model]] or [None]
        return {other: RiskDifference.of(self.profiles[other], self.profiles[best], self.level) for other in others}

    @cached_property
    def _draws(self) -> Draws | None:
        """Draws of the rows of all models, if rows are paired."""
        if self.at_prevalence:  # in draws of all rows, a class with few rows and a large weight would vary too much
            return None
        paired = {model: profile for model, profile in self.profiles.items() if model not in self.unpaired}
        if len(paired) < 2 or len({profile.n_rows for profile in paired.values()}) > 1:
            return None
        return Draws(paired, self.stops, self.level)

    @cached_property
    def by_harm(self) -> Sequence[Any]:
        """The models; the model with the least harm comes first."""
        found = self.assessments
        return sorted(found, key=lambda model: (_HARM.index(found[model].grade), abs(found[model].gap)))

    @cached_property
    def profiles_by_harm(self) -> Mapping[Any, ConfidenceProfile]:
        """The predictions of the models; the model with the least harm comes first."""
        return {model: self.profiles[model] for model in self.by_harm if model in self.profiles}

    @cached_property
    def _computed(self) -> dict[Any, Any]:
        """The results of functions that compute only once; it is not pickled."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_computed"}

    @computed_once
    def guarantee(self, model: Any, target: float) -> Guarantee:
        """Return the threshold of a model that is guaranteed to keep a limit, or why there is none."""
        of_each = 1 - (1 - self.level) / self.n_candidates
        if model in self.known_stops:
            return guarantee_of_cells(self.stops[model], target, of_each)
        return guarantee(self.profiles[model], self.stops[model], target, of_each)

    def units(self, model: Any) -> str:
        """Return the name of the units that a guarantee counts."""
        units = "rows" if model in self.known_stops or self.profiles[model].groups is None else "clusters"
        return f"{units} of this mix" if model in self.at_prevalence else units

    def labels_of(self, model: Any) -> Labels | None:
        """Return the true and predicted labels of a model, if they are known."""
        return self.labels.get(model) or Labels.of(self.profiles[model])

    def title_of(self, model: Any) -> str:
        """Return the name of a model as the subject of a sentence."""
        return str(model) if self.several else self.name

    def anonymous(self) -> "Evidence":
        """Return the data without rows, slices, labels, and names of models and files, which may identify persons."""
        names = {model: f"model {number}" for number, model in enumerate(self.values, 1)} if self.several else {}
        name_of = {model: names.get(model, model) for model in self.values}
        return replace(
            self,
            values={name_of[model]: found for model, found in self.values.items()},
            profiles={name_of[model]: _without_labels(profile) for model, profile in self.profiles.items()},
            baseline=name_of.get(self.baseline, self.baseline),
            unpaired={name_of[model]: "cannot be paired" for model in self.unpaired},
            ends={name_of[model]: found for model, found in self.ends.items()},
            known={name_of[model]: found for model, found in self.assessments.items()},
            known_stops={name_of[model]: found for model, found in self.known_stops.items()},
            name="the model",
            row_numbers={},
            row_names={},
            slices={},
            labels={name_of[model]: labels.anonymous() for model, labels in self.labels.items()},
            origin=Origin(),
            names_rows=False,
            scores={name_of[model]: score for model, score in self.scores.items()},
            score_name=None if self.score_name is None else "another score",
        )


def _by_topic(profile: ConfidenceProfile) -> dict[Any, Slices]:
    """Return the topics of the answers as slices (the labels of a multilabel task); nothing if there are none."""
    topics = Topics.of(profile)
    return {} if topics is None else {"label": Slices(topics.code, [f"label = {name}" for name in topics.names])}


def _without_labels(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return predictions with numbers instead of labels."""
    if profile.topics is not None:
        profile = replace(profile, topics=tuple(range(1, len(profile.topics) + 1)))
    return profile if profile.classes is None else replace(profile, classes=numbered(len(profile.classes)))
