"""The one reader of whatever may name a metric."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.registry import get_metric, metric_classes
from skconf.profile import ConfidenceProfile
from skconf.scoring._scorers import ConfidenceScorer, MultiScorer


@dataclass(frozen=True)
class Statistic:
    """A number that is read off predictions: a metric, or the score that a scorer makes of it."""

    name: str
    metric: Any
    to_score: Callable[[Any], Any] | None = None

    def value(self, profile: ConfidenceProfile) -> float:
        """Return the number, NaN where it is undefined."""
        return self.evaluate(profile)[0]

    def evaluate(self, profile: ConfidenceProfile) -> tuple[float, list[Notice]]:
        """Return the number, NaN where it is undefined, and what to warn of."""
        found, notices = self.metric.evaluate(profile)
        if isinstance(found, tuple) or np.ndim(found):
            average = " Choose an average." if hasattr(self.metric, "average") else ""
            raise TypeError(f"{self.name} is not a single number here.{average}")
        return float(self.score(found)), notices

    def score(self, values: Any) -> Any:
        """Return what values of the metric are as scores."""
        return values if self.to_score is None else self.to_score(values) + 0.0  # which makes −0 a 0

    @property
    def sign(self) -> float:
        """Factor between score and metric; NaN where the score is no multiple."""
        if self.to_score is None:
            return 1.0
        return -1.0 if self.metric.info.greater_is_better is False else np.nan

    @property
    def why_resampled(self) -> str:
        """Why influence values do not tell the error, empty where they do."""
        if np.isnan(self.sign):
            return "the scorer folds the metric's values, which leaves a kink at the best one"
        return str(self.metric.why_resampled)

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample."""
        effects = self.metric.influence(profile)
        return np.asarray(effects if self.to_score is None else self.sign * effects)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        info = self.metric.info
        ends = [float(self.score(end)) for end in (*info.bounds, *([] if info.best is None else [info.best]))]
        return min(ends), max(ends)


def read_statistics(metric: Any, params: Mapping[str, Any]) -> tuple[dict[Any, Statistic], bool]:
    """Return the statistics by name, and whether there is a single one, given as such."""
    if isinstance(metric, MultiScorer):
        metric = metric.scorers
    if isinstance(metric, str) or callable(metric):
        found = _statistic(metric, params)
        return {found.name: found}, True
    if params:
        raise TypeError(
            f"{', '.join(params)}: parameters of several metrics go with each: functools.partial(metric, ...) or "
            "skconf.get_scorer(name, ...)."
        )
    if not isinstance(metric, Iterable):
        raise TypeError(
            f"metric must be a function of skconf.metrics, a scorer, the name of either, or several of them, but is "
            f"{metric!r}."
        )
    if isinstance(metric, Mapping):
        named = {label: _statistic(item, {}) for label, item in metric.items()}
    else:
        several = [_statistic(item, {}) for item in metric]
        named = {statistic.name: statistic for statistic in several}
        if len(named) < len(several):
            raise ValueError("Two metrics have the same name; give a mapping with a label for each.")
    if not named:
        raise ValueError("metric is empty; give at least one.")
    return named, False


def _statistic(item: Any, params: Mapping[str, Any]) -> Statistic:
    if isinstance(item, Statistic):
        return item
    if isinstance(item, partial):
        return _statistic(item.func, {**item.keywords, **params})
    if isinstance(item, ConfidenceScorer):
        item, params = item.name, {**item.params, **params}
    if not isinstance(item, str) or item in metric_classes():
        metric = get_metric(item, **params)
        return Statistic(metric.info.name, metric)
    presets = {name: (cls, preset) for cls in metric_classes().values() for name, preset in cls.info.scorers.items()}
    if item not in presets:
        known = [*metric_classes(), *presets]
        raise ValueError(
            f"There is no metric or scorer {item!r}.{suggest(item, known)} See skconf.metrics.__all__ and "
            "skconf.get_scorer_names()."
        )
    if "pos_label" in params:
        raise TypeError(f"The scorer {item!r} has a pos_label of its own. Pass pos_label beside the metric.")
    ConfidenceScorer(item, params)  # raises where parameters contradict the name
    metric_class, preset = presets[item]
    return Statistic(item, metric_class.with_params({**preset.params, **params}), preset.transform)
