"""Read all forms in which a metric can be given."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.messages import see_all_metrics, suggest
from skconf._core.probabilities import Floats
from skconf._core.sklearn_names import is_scorer, scorer_parts
from skconf._core.warn import Notice
from skconf.metrics._base.kinds import Additive
from skconf.metrics._base.registry import SCORERS, get_metric, meant_by, metric_classes
from skconf.metrics._base.weighting import ConfidenceWeighted
from skconf.metrics._calibration.mean_calibration import MeanConfidence
from skconf.profile import ConfidenceProfile
from skconf.scoring._functions import Called, called, response_of
from skconf.scoring._literals import as_call, literals_of
from skconf.scoring._registered import metric_of_scorer, scorer_names
from skconf.scoring._scorers import ConfidenceScorer, MultiScorer, SklearnScorer, parameters_of
from skconf.scoring._sklearn_metrics import BY_FUNCTION_NAME, as_kind

_WHAT = (
    "a function of skconf.metrics or scikit-learn, a scorer of either, the name of a function or scorer, a "
    "functools.partial, or a pair (name, parameters)"
)


@dataclass(frozen=True)
class Statistic:
    """A number that is computed from predictions: a metric, or the score that a scorer makes of it.

    Attributes
    ----------
    name : str
        The name by which it was requested, with the given parameters.
    metric : Metric
        The metric.
    to_score : callable, default=None
        A function that turns the value of the metric into a score; a higher score is better. None if the number is the
        value itself.
    pos_label : label, default=None
        The positive class. None uses the positive class of the predictions.
    usual_label : label, default=None
        The positive class that scikit-learn's metric uses by default, the label 1. None if the metric has no positive
        class.
    in_costs : bool, default=False
        Whether values are costs, which may be above 1, and not shares of errors, which are at most 1.
    """

    name: str
    metric: Any
    to_score: Callable[[Any], Any] | None = None
    pos_label: Any = None
    usual_label: Any = None
    in_costs: bool = False

    def value(self, profile: ConfidenceProfile) -> float:
        """Return the number; NaN if it is undefined."""
        return self.evaluate(profile)[0]

    def evaluate(self, profile: ConfidenceProfile) -> tuple[float, list[Notice]]:
        """Return the number (NaN if it is undefined) and warnings."""
        found, notices = self.metric.evaluate(self.on(profile))
        if isinstance(found, tuple) or np.ndim(found):
            _refuse_many(self.name, self.metric)
        return float(self.score(found)), notices

    def on(self, profile: ConfidenceProfile) -> ConfidenceProfile:
        """Return the rows that the statistic uses.

        If the statistic has a positive class of its own, the rows get this class as positive.
        """
        profile = self.metric.rows_of(profile)
        if self.pos_label is not None:
            return profile.with_positive(self.pos_label)
        self.check_positive(profile.classes, profile.positive_class)
        return profile

    def in_units_of(self, profile: ConfidenceProfile) -> "Statistic":
        """Return the statistic with the bounds that its value has for these predictions: costs may be above 1."""
        return replace(self, in_costs=True) if profile.kind == "costs" and self.metric.of_losses else self

    def check_positive(self, classes: NDArray[Any] | None, positive_class: int | None) -> None:
        """Raise if scikit-learn's metric takes the first label as positive class, but the predictions the second."""
        if self.usual_label is None or positive_class != 1 or classes is None or len(classes) > 2:
            return
        first, second = classes.tolist()
        if first == self.usual_label:
            raise ValueError(
                f"scikit-learn's {self.name} takes {first!r} as the positive class, but the positive class of these "
                f"predictions is {second!r}. Choose one of them: functools.partial(…, pos_label={first!r}) or "
                f"functools.partial(…, pos_label={second!r})."
            )

    def by_group(self, profile: ConfidenceProfile, groups: Codes, n_groups: int) -> Floats:
        """Return the number in every group; NaN if it is undefined."""
        rows = self.on(profile)
        if rows.abstained is not None:
            groups = groups[~rows.abstained.rows]
        return np.asarray(self.score(self.metric.by_group(rows, groups, n_groups)))

    @property
    def identity(self) -> str:
        """A text that identifies the computation, with all digits of all numbers. It is the same in every process."""
        own = {field.name: getattr(self.metric, field.name) for field in fields(self.metric)}
        written = in_words(self.name.partition("(")[0], {**own, "pos_label": self.pos_label}, sys.maxsize)
        return re.sub(r" at 0x[0-9a-f]+", "", written)  # where a function lies in memory

    def score(self, values: Any) -> Any:
        """Return values of the metric as scores."""
        return values if self.to_score is None else self.to_score(values) + 0.0  # this turns −0 into 0

    @property
    def sign(self) -> float:
        """The factor by which the score is a multiple of the metric; NaN if it is not a multiple."""
        if self.to_score is None:
            return 1.0
        return -1.0 if self.metric.info.greater_is_better is False else np.nan

    @property
    def why_resampled(self) -> str:
        """Why influence values cannot give the standard error. Empty if they can."""
        if np.isnan(self.sign):
            return "the score is the distance from the best value, and a distance has a kink at 0"
        return str(self.metric.why_resampled)

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample."""
        return self._signed(self.metric.influence(self.on(profile)))

    def contributions(self, profile: ConfidenceProfile) -> Floats:
        """Return what each sample adds to the value; the first-order effects if the value is not a sum over samples."""
        if np.isnan(self.sign):
            why = self.why_resampled
            raise TypeError(f"{self.name} has no per-sample contributions: {why}. Use the metric itself.")
        metric, profile = self.metric, self.on(profile)
        return self._signed(
            metric.contributions(profile) if isinstance(metric, Additive) else metric.influence(profile)
        )

    def _signed(self, effects: Floats) -> Floats:
        return np.asarray(effects if self.to_score is None else self.sign * effects)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        best = self.metric.info.best
        bounds = (0.0, np.inf) if self.in_costs else self.metric.bounds
        ends = [float(self.score(end)) for end in (*bounds, *([] if best is None else [best]))]
        return min(ends), max(ends)

    @property
    def best(self) -> float:
        """The best possible value. NaN if no value is better than others."""
        best = self.metric.info.best
        return np.nan if best is None else float(self.score(best))

    @property
    def better(self) -> str:
        """Which values are better: "higher", "lower", "closer" to the best one, or "" for none."""
        info = self.metric.info
        if info.greater_is_better or self.to_score is not None:
            return "higher"
        if info.greater_is_better is None:
            return "" if info.best is None else "closer"
        return "lower"


def read_statistics(
    metric: Any, params: Mapping[str, Any], argument: str = "metric"
) -> tuple[dict[Any, Statistic], bool]:
    """Return the statistics by name, and whether a single metric was given instead of a list.

    `metric` is one metric in any form, or an iterable or a mapping of metrics. Parameters are allowed only with a
    single metric. `argument` is the name of the parameter in messages.
    """
    if isinstance(metric, MultiScorer):
        metric = metric.scorers
    if _is_single(metric):
        found = read_statistic(metric, params)
        return {found.name: found}, True
    if params:
        raise TypeError(
            f"{', '.join(params)} cannot be used with several metrics. Give each metric its own parameters: "
            "functools.partial(metric, ...), (name, parameters) or skconf.get_scorer(name, ...)."
        )
    if not isinstance(metric, Iterable):
        raise TypeError(f"{argument} must be {_WHAT}, or several of them, but is {metric!r}.")
    if isinstance(metric, Mapping):
        named = {label: read_statistic(item) for label, item in metric.items()}
    else:
        several = [read_statistic(item) for item in metric]
        named = {statistic.name: statistic for statistic in several}
        if len(named) < len(several):
            raise ValueError("Two metrics have the same name. Pass a mapping with a different name for each.")
    if not named:
        raise ValueError(f"{argument} is empty. Pass at least one metric.")
    return named, False


def read_statistic(item: Any, params: Mapping[str, Any] | None = None) -> Statistic:
    """Return a statistic from a metric in any form, with parameters.

    ValueError: there is no metric with this name, or a parameter is out of range or contradicts the name. TypeError: it
    is not a metric, a parameter is unknown, or the value is not a single number.
    """
    given = {} if params is None else dict(params)
    if isinstance(item, Statistic):
        return item
    if isinstance(item, str):
        return _of_name(item, given)
    if is_pair(item):
        return read_statistic(item[0], {**item[1], **given})
    if isinstance(item, partial):
        if item.args:
            raise TypeError(f"{item!r} holds positional arguments. Pass parameters by name.")
        return read_statistic(item.func, {**item.keywords, **given})
    if isinstance(item, ConfidenceScorer):
        return _of_scorer(item.name, {**item.params, **given})
    if isinstance(item, SklearnScorer):
        return _of_sklearn_scorer(item.scorer, item.name if item.by_name else None, given)
    if is_scorer(item):
        return _of_sklearn_scorer(item, None, given)
    if callable(item):
        return _of_function(item, given)
    raise TypeError(f"A metric must be {_WHAT}, but is {item!r}.")


def in_words(name: str, params: Mapping[str, Any], longest: int = 40) -> str:
    """Return a name and its parameters, written as a call. Long values are shortened."""
    if not params:
        return name
    texts = {key: _value_in_words(value) for key, value in params.items()}
    shown = (f"{key}={text if len(text) <= longest else text[: longest - 1] + '…'}" for key, text in texts.items())
    return f"{name}({', '.join(shown)})"


def _value_in_words(value: Any) -> str:
    if hasattr(value, "__array__") or isinstance(value, tuple | list):
        return repr(np.asarray(value).tolist())
    return getattr(value, "__name__", None) or repr(value)


def _is_single(metric: Any) -> bool:
    return isinstance(metric, str | Statistic) or callable(metric) or is_pair(metric)


def is_pair(item: Any) -> bool:
    """Return whether something is a pair of a metric and its parameters."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Mapping)


def _of_name(name: str, params: Mapping[str, Any]) -> Statistic:
    """Return the statistic for the name of a function or scorer.

    Its text may be a call with parameters, as in reports.
    """
    if name in metric_classes():
        return _of_metric(name, params)
    if name in SCORERS:
        return _of_scorer(name, params)
    if name in sklearn.metrics.get_scorer_names():
        return _of_sklearn_scorer(sklearn.metrics.get_scorer(name), name, params)
    if name == MeanConfidence.info.name and not params:
        return Statistic(name, MeanConfidence())
    if name in BY_FUNCTION_NAME:
        return _of_function(BY_FUNCTION_NAME[name].stands_for, params)
    spelled = as_call(name)
    if spelled is not None:
        own, call = spelled
        return _of_name(own, {**literals_of(call, name), **params} if own in _known_names() else params)
    ordinary = [next(iter(cls.info.scorers)) for cls in BY_FUNCTION_NAME.values() if name.lower() in cls.info.aliases]
    meant = [*(cls.info.name for cls in meant_by(name)), *ordinary]
    raise ValueError(
        f"There is no metric or scorer {name!r}.{suggest(name, _known_names(), meant)} {see_all_metrics()}"
    )


def _known_names() -> list[str]:
    return [*metric_classes(), *scorer_names(), *sklearn.metrics.get_scorer_names(), *BY_FUNCTION_NAME]


def _of_metric(function: Any, params: Mapping[str, Any]) -> Statistic:
    own = dict(params)
    pos_label = own.pop("pos_label", None)
    metric = get_metric(function, **own)
    return _single(Statistic(in_words(metric.info.name, params), metric, pos_label=pos_label))


def _of_scorer(name: str, params: Mapping[str, Any]) -> Statistic:
    metric, preset = metric_of_scorer(name, params)
    return _single(Statistic(in_words(name, params), metric, preset.transform, params.get("pos_label")))


def _of_sklearn_scorer(scorer: Any, name: str | None, params: Mapping[str, Any]) -> Statistic:
    """Return the statistic for a scikit-learn scorer: by our own metric if there is one, else by calling the scorer."""
    function, sign, response, preset = scorer_parts(scorer)
    for key in preset.keys() & params.keys():
        if preset[key] is not None and preset[key] != params[key]:
            contradicted = f"{key}={preset[key]!r}, which {key}={params[key]!r} contradicts"
            raise ValueError(f"{name or scorer!r} means {contradicted}.")
    name, own = name or _name_of(scorer), {**preset, **params}
    if name is None:
        plain = f"{'' if sign > 0 else 'neg_'}{getattr(function, '__name__', repr(function))}"
        label = in_words(plain, own)
    else:
        label = in_words(name, params)
    pos_label = own.pop("pos_label", None)
    kind = as_kind(function, own) if {"predict", "predict_proba"} & set(response) else None
    if kind is not None:
        to_score = np.negative if sign < 0 else None
        return Statistic(label, kind, to_score, pos_label, None if pos_label is not None else kind.usual_label)
    if params:
        made = sklearn.metrics.make_scorer(
            function, response_method=response, greater_is_better=sign > 0, **{**preset, **params}
        )
        return Statistic(label, called(SklearnScorer(made), label, sign=1))
    return Statistic(label, called(SklearnScorer(scorer), label, sign=1))


def _name_of(scorer: Any) -> str | None:
    """Return scikit-learn's name of a scorer; None if it has none."""
    parts = scorer_parts(scorer)
    names = sklearn.metrics.get_scorer_names()
    return next((name for name in names if scorer_parts(sklearn.metrics.get_scorer(name)) == parts), None)


def _of_function(function: Any, params: Mapping[str, Any]) -> Statistic:
    """Return the statistic for a function of skconf, of scikit-learn or of the user."""
    name = getattr(function, "__name__", repr(function))
    if name in metric_classes() and function is metric_classes()[name].function:
        return _of_metric(function, params)
    label, own = in_words(name, params), dict(params)
    if isinstance(function, ConfidenceWeighted):
        call = partial(function, **own)
        return Statistic(label, Called(call=call, name=label, greater_is_better=None))
    pos_label = own.pop("pos_label", None)
    kind = as_kind(function, own)
    if kind is not None:
        return Statistic(label, kind, None, pos_label, None if pos_label is not None else kind.usual_label)
    response = response_of(function)
    if response not in ("predict", "predict_proba"):
        raise TypeError(
            f"cannot infer the input of {name}, because its second parameter is not y_pred, y_proba, y_prob or y_score "
            f"(its parameters are {', '.join(parameters_of(function)) or 'unknown'}). Pass "
            f"sklearn.metrics.make_scorer({name}, response_method='predict' or 'predict_proba')."
        )
    scorer = SklearnScorer(sklearn.metrics.make_scorer(function, response_method=response, **params))
    return Statistic(label, called(scorer, label))


def _single(statistic: Statistic) -> Statistic:
    """Return a statistic; raise if it is not a single number."""
    metric = statistic.metric
    by_class = getattr(metric, "average", "") is None and metric.result_by_class is Floats
    if by_class or metric.result is not float:
        _refuse_many(statistic.name, metric)
    return statistic


def _refuse_many(name: str, metric: Any) -> None:
    if hasattr(metric, "average"):
        advice = "Choose an average."
    elif isinstance(metric, Called):
        advice = "Choose a function that returns a number."
    else:
        advice = f"Call skconf.metrics.{metric.info.name} for its result."
    raise TypeError(f"{name} is not a single number here. {advice}")
