"""Compute a score, its error bound and its interval from accumulated sums or tables."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.accumulation._intervals import Moments, area_interval, check_enough
from skconf.accumulation._levels import LevelTable
from skconf.accumulation._state import CONFIDENCE, SCORE, State, Task, table_of_class
from skconf.inference._intervals import Interval
from skconf.metrics._base.kinds import Additive, Ranked, Sums, as_users_get_it
from skconf.metrics._base.one_vs_rest import RankedByClass
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: If a metric has at most this many sums, the products that give their covariances are kept for its interval.
MOST_SUMS = 256
#: A probe: does a metric need more than correctness, confidence and weights?
_TRIAL = ConfidenceProfile.from_correctness([1, 0, 1], [0.9, 0.8, 0.3], sample_weight=[1.0, 2.0, 1.0])


@dataclass(frozen=True)
class Score(ABC):
    """A score that is computed from accumulated sums or tables."""

    statistic: Statistic

    @property
    def takes_rounded(self) -> bool:
        """Whether the score may be computed from rounded confidences, because it then has a known largest error."""
        return True

    @abstractmethod
    def evaluate(self, state: State) -> tuple[float, list[Notice]]:
        """Return the score (NaN if it is undefined) and warnings."""

    @abstractmethod
    def interval(
        self, state: State, value: float, confidence_level: float, n_draws: int, rng: np.random.Generator
    ) -> Interval:
        """Return the interval of a defined score; raise if there is none."""

    def is_exact(self, state: State) -> bool:  # noqa: ARG002
        """Return whether the score equals that of all samples in memory, up to rounding errors."""
        return True

    def error_bound(self, state: State) -> float:  # noqa: ARG002
        """Return a bound on the difference from the score of all samples in memory, beyond rounding errors."""
        return 0.0


@dataclass(frozen=True)
class ScoreOfSums(Score):
    """A score of an additive metric."""

    @cached_property
    def terms(self) -> str:
        """The name of the terms. Scores with the same terms have the same name."""
        shared = self.statistic.metric.terms_name
        return repr((shared, "" if shared else self.statistic.name, self.statistic.pos_label))

    def sums(self, state: State, kind: str = "values") -> Sums:
        """Return the sums of a kind: "values", "products", "errors", and "expected" and "variances" if calibrated."""
        return state.sums.get(f"{kind}/{self.terms}")

    def evaluate(self, state: State) -> tuple[float, list[Notice]]:
        """Return the score (NaN if it is undefined) and warnings."""
        metric = self.statistic.metric
        value, notices = metric.evaluate_sums(*self.sums(state))
        return float(self.statistic.score(value)), [*notices, *metric.notices_of_threshold(state.task.threshold)]

    def interval(
        self, state: State, value: float, confidence_level: float, n_draws: int, rng: np.random.Generator
    ) -> Interval:
        """Return the interval by influence values; for a metric with kinks, by draws."""
        values, products, expected, variances = (
            self.sums(state, kind) for kind in ("values", "products", "expected", "variances")
        )
        if not products:
            raise ValueError(
                "its interval needs the covariances of its sums, and the accumulator does not keep them for more than "
                f"{MOST_SUMS} sums. Use skconf.inference.confidence_interval on predictions in memory"
            )
        metric = self.statistic.metric
        statistic = (
            replace(self.statistic, in_costs=True) if state.task.of_costs and metric.of_losses else self.statistic
        )
        moments = Moments(statistic, values, products, state.n_units)
        if metric.rests_on == "tail":
            raise ValueError(
                "it depends on the most confident answers, and sums do not show how many errors are expected among "
                "these answers. Use capped_size_ratio, or compute the size ratio from predictions in memory"
            )
        if self.statistic.why_resampled:
            return moments.normal(value, confidence_level, n_draws, rng, (expected, variances))
        if metric.rests_on != "samples" and not moments.is_share and not state.task.of_costs:
            check_enough(*(float(part) for part in self.sums(state, "errors")))
        return moments.delta(value, confidence_level)


class ScoreOfTables(Score):
    """A score of tables of distinct confidences. If these are rounded, only the error of an area has a bound."""

    @abstractmethod
    def tables(self, state: State) -> list[LevelTable]:
        """Return the tables from which the score is computed."""

    @abstractmethod
    def in_order(self, state: State, first_on_top: bool | None) -> tuple[float, list[Notice]]:
        """Return the score and warnings. In a level, the first kind is on top (True), below (False) or tied (None)."""

    def evaluate(self, state: State) -> tuple[float, list[Notice]]:
        """Return the score (NaN if it is undefined) and warnings."""
        return self.in_order(state, None)

    def is_exact(self, state: State) -> bool:
        """Return whether no table is rounded."""
        return all(table.exact for table in self.tables(state))

    def error_bound(self, state: State) -> float:
        """Return the larger difference from the scores of the best and the worst order within levels."""
        if self.is_exact(state):
            return 0.0
        value, *ends = (self.in_order(state, first_on_top)[0] for first_on_top in (None, True, False))
        return max(abs(end - value) for end in ends)

    def interval(
        self,
        state: State,
        value: float,
        confidence_level: float,
        n_draws: int,  # noqa: ARG002
        rng: np.random.Generator,  # noqa: ARG002
    ) -> Interval:
        """Return the interval by influence values, wider by the error bound."""
        effects, kind = self.influence(state), self.kinds(state)
        for table in self.tables(state):
            _, first, weight, squares = table.samples()
            check_enough(float(weight[~first].sum()), float(weight.sum()), float(squares.sum()))
        interval = area_interval(self.statistic, value, *effects, state.n_units, confidence_level, kind)
        bound, (least, most) = self.error_bound(state), self.statistic.bounds
        return replace(interval, low=max(interval.low - bound, least), high=min(interval.high + bound, most))

    def kinds(self, state: State) -> NDArray[np.bool_] | None:  # noqa: ARG002
        """Return which samples are of the first kind, if the number of each kind is treated as fixed; else None."""
        return None

    @abstractmethod
    def influence(self, state: State) -> tuple[Floats, Floats, Floats]:
        """Return the influence, Σ w and Σ w² of the samples at each level; raise if the influence is unknown."""


class ScoreOfConfidences(ScoreOfTables):
    """A score of correctness and confidences, or of correctness and another score that ranks the answers."""

    @property
    def takes_rounded(self) -> bool:
        """Whether the score is an area: it depends only on the order, and is best if right predictions are on top."""
        return isinstance(self.statistic.metric, Ranked) and not self.statistic.why_resampled  # areas have slopes

    def tables(self, state: State) -> list[LevelTable]:
        """Return the table from which the score is computed."""
        return [state.table(SCORE if self.statistic.metric.reads_score else CONFIDENCE)]

    def in_order(self, state: State, first_on_top: bool | None) -> tuple[float, list[Notice]]:
        """Return the score and warnings. In a level, the first kind is on top (True), below (False) or tied (None)."""
        return self.statistic.evaluate(self._profile(state, first_on_top)[0])

    def influence(self, state: State) -> tuple[Floats, Floats, Floats]:
        """Return the influence, Σ w and Σ w² of the samples at each level."""
        if not self.takes_rounded:
            raise ValueError("its interval needs resampling, but accumulators keep no samples")
        profile, weight, squares = self._profile(state, None)
        return self.statistic.influence(profile), weight, squares

    def _profile(self, state: State, first_on_top: bool | None) -> tuple[ConfidenceProfile, Floats, Floats]:
        """Return the table as predictions, with Σ w and Σ w² for each."""
        score, correct, weight, squares = self.tables(state)[0].samples(first_on_top)
        # Confidences beside other scores are in a separate table.
        sure = np.full(len(score), np.nan) if SCORE in state.tables and self.statistic.metric.reads_score else score
        return (
            ConfidenceProfile(correctness=correct, confidence=sure, score=score, sample_weight=weight),
            weight,
            squares,
        )


@dataclass(frozen=True)
class ScoreOfClasses(ScoreOfTables):
    """A score of the probabilities of classes, each against the rest."""

    @property
    def weighted_by(self) -> str:
        """The name of the weights. Scores with the same tables have the same name."""
        return str(self.statistic.metric.weighted_by)

    def codes(self, task: Task) -> Sequence[int]:
        """Return the positions of the classes that the score uses."""
        codes: Sequence[int] = self.statistic.metric.codes(
            len(task.labels or []), task.position(self.statistic.pos_label)
        )
        return codes

    def tables(self, state: State) -> list[LevelTable]:
        """Return the tables of the classes."""
        return [state.table(table_of_class(self.weighted_by, code)) for code in self.codes(state.task)]

    def in_order(self, state: State, first_on_top: bool | None) -> tuple[float, list[Notice]]:
        """Return the score and warnings. In a level, the first kind is on top (True), below (False) or tied (None)."""
        metric, by_class = self.statistic.metric, []
        for table in self.tables(state):
            score, first, weight, _ = table.samples(first_on_top)
            value, support = metric.of_class(score, first, weight)
            by_class.append((metric.least_of_class(score, first, weight) if first_on_top is False else value, support))
        values, support = (np.array(part) for part in zip(*by_class, strict=True))
        value = as_users_get_it(metric.of_classes(values, support))
        return float(self.statistic.score(value)), metric.notices_of_classes(values, state.task.classes, value)

    def influence(self, state: State) -> tuple[Floats, Floats, Floats]:
        """Return the influence, Σ w and Σ w² of the samples at each level."""
        if len(self.tables(state)) > 1:
            raise ValueError("the classes are accumulated separately, so the covariance of their values is unknown")
        score, first, weight, squares = self.tables(state)[0].samples()
        influence = self.statistic.metric.influence_on_class(score, first, weight)
        return self.statistic.sign * influence, weight, squares

    def kinds(self, state: State) -> NDArray[np.bool_] | None:
        """Return the positives of a binary task, if their number is treated as fixed."""
        return self.tables(state)[0].samples()[1] if self.statistic.metric.given_numbers else None


def as_score(name: str, statistic: Statistic) -> Score:
    """Return how to compute a score from the accumulated state; raise if that is impossible."""
    metric = statistic.metric
    if isinstance(metric, Additive):
        return ScoreOfSums(statistic)
    if isinstance(metric, RankedByClass):
        return ScoreOfClasses(statistic)
    reason = metric.why_not_merged
    if not reason:
        try:
            metric.value(_TRIAL)
        except ValueError as error:
            reason = f"it cannot be computed from sums, nor from confidences, correctness and weights alone ({error})"
    if reason:
        raise ValueError(
            f"{name} cannot be accumulated: {reason}. Leave it out, or compute it from predictions in memory."
        )
    return ScoreOfConfidences(statistic)
