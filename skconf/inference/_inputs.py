"""What users hand in: metrics in any of their forms, how to resample, and columns of groups."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._labels import Codes, LabelColumn
from skconf._messages import suggest
from skconf._probabilities import Floats
from skconf._scorers import ConfidenceScorer, MultiScorer
from skconf.metrics._checks import check_whole
from skconf.metrics._registry import get_metric, metric_classes
from skconf.profile import ConfidenceProfile


@dataclass(frozen=True)
class Statistic:
    """A number that is read off predictions: a metric, or the score that a scorer makes of it."""

    name: str
    metric: Any
    to_score: Callable[[Any], Any] | None = None

    def value(self, profile: ConfidenceProfile) -> float:
        """Return the number, NaN with a warning where it is undefined."""
        found = self.metric(profile)
        if isinstance(found, tuple) or np.ndim(found):
            average = " Choose an average." if hasattr(self.metric, "average") else ""
            raise TypeError(f"{self.name} is not a single number here.{average}")
        return float(self.score(found))

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
    def rough(self) -> str:
        """Why influence values do not tell the error, empty where they do."""
        if np.isnan(self.sign):
            return "the scorer folds the metric's values, which leaves a kink at the best one"
        return str(self.metric.rough)

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


def read_resampling(n_resamples: Any, random_state: Any, n_jobs: Any, progress: bool = False) -> dict[str, Any]:
    """Return how to resample, checked."""
    check_whole(n_resamples, "n_resamples", 2)
    if not (random_state is None or isinstance(random_state, Integral | np.random.Generator)):
        raise TypeError(
            "random_state must be None, a whole number or a numpy.random.Generator, but is "
            f"{type(random_state).__name__}."
        )
    return {"n_resamples": n_resamples, "random_state": random_state, "n_jobs": n_jobs, "progress": progress}


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every sample, by number, and the labels of the groups in order."""

    codes: Codes
    labels: pd.Index

    def __len__(self) -> int:
        return len(self.labels)

    def members(self) -> list[NDArray[np.intp]]:
        """Return the rows of every group."""
        return np.split(np.argsort(self.codes, kind="stable"), np.bincount(self.codes).cumsum()[:-1])


def read_groups(groups: Any, n_samples: int, name: str) -> Groups:
    """Return the groups in one column of labels; or those in several columns, a group for each combination there is."""
    if hasattr(groups, "columns"):
        columns = {label: groups[label] for label in groups.columns}
    elif isinstance(groups, Mapping):
        columns = dict(groups)
    else:
        return _one_column(groups, n_samples, name, getattr(groups, "name", None) or "group")
    if not columns:
        raise ValueError(f"{name} has no columns.")
    parts = [_one_column(values, n_samples, f"{name}[{label!r}]", label) for label, values in columns.items()]
    if len(parts) == 1:
        return parts[0]
    shape = tuple(len(part) for part in parts)
    cells, codes = np.unique(np.ravel_multi_index([part.codes for part in parts], shape), return_inverse=True)
    levels = [part.labels[position] for part, position in zip(parts, np.unravel_index(cells, shape), strict=True)]
    return Groups(codes, pd.MultiIndex.from_arrays(levels))


def _one_column(values: Any, n_samples: int, name: str, label: Any) -> Groups:
    shape = np.shape(values)
    if len(shape) != 1 and shape[1:] != (1,):
        raise ValueError(
            f"{name} must hold one label for each sample, or several columns of them as a DataFrame or mapping, but "
            f"has shape {shape}."
        )
    column = LabelColumn(values, name)
    if len(column) != n_samples:
        raise ValueError(f"{name} has {len(column)} rows, but there are {n_samples} predictions.")
    distinct = column.sorted_distinct()
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):  # which has an order of its own
        there = set(column.distinct)
        distinct = np.array([category for category in values.dtype.categories if category in there])
    return Groups(column.positions_in(distinct), pd.Index(distinct, name=label))
