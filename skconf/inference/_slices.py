"""Metrics by slice of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_confidence_level, check_option, takes_no_estimator
from skconf._core.docstrings import documented
from skconf._core.groups import Groups, read_groups
from skconf._core.messages import shorten
from skconf._core.warn import warn, warn_each
from skconf.inference._intervals import METHODS, intervals_by_rows
from skconf.inference._resampling import DRAWS, read_resampling
from skconf.profile import ConfidenceProfile, as_profile
from skconf.scoring._names import Statistic, read_statistics


@takes_no_estimator(position=1)
@documented(draws=DRAWS)
def by_group(
    metric: Any,
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    groups: Any,
    confidence_level: float | None = None,
    method: str = "auto",
    n_resamples: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> pd.DataFrame:
    """Return a metric for each group of samples (slice), with one row for each group.

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        As in :func:`confidence_interval`.
    {predictions}
    groups : array-like of shape (n_samples,), DataFrame or mapping of columns
        Group of each sample. If there are several columns, each combination of values is a group, and the result has a
        MultiIndex.
    confidence_level : float, default=None
        Confidence level of the interval of each group, in [0.5, 1). None computes no intervals.
    method : {"auto", "delta", "bootstrap", "bca"}, default="auto"
        Method of the intervals, as in :func:`confidence_interval`: for each group, "auto" chooses a valid method. If
        the group has few errors, this is often a Bayesian bootstrap, which draws at random: set `random_state` to get
        the same interval again.
    n_resamples : int, default=1000
        Number of resamples for "bootstrap" and "bca". The Bayesian bootstrap always uses 2,000.
    {draws}
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights, as in :func:`confidence_interval`.
    **params
        Parameters of the metric; allowed only with a single metric.

    Returns
    -------
    DataFrame
        A row for each group, in sorted order, with columns

        - `value`: the metric on the group; if it is undefined, NaN with a warning;
        - `count`: number of samples, including samples in which the model abstains;
        - `gap`: the value on the group minus the value on all samples;
        - `low`, `high`: confidence interval of the value, if `confidence_level` is given. At 95%, one interval in
          twenty misses the true value, so with many groups some intervals miss.

        With several metrics, rows are indexed by (metric, group). The attribute ``attrs`` has three entries for each
        metric: `overall`, the value on all samples; `worst`, the group with the worst value (None if the metric has no
        best value, or if all values are NaN); and `spread`, the largest value minus the smallest.

    Raises
    ------
    ValueError
        If `groups` has a missing label or a wrong length. The cases that :func:`confidence_interval` lists are refused,
        too.
    TypeError
        If the value of a metric is not a single number.

    See Also
    --------
    overconfidence_by_group : Which groups are overconfident, with p-values adjusted for their number.

    Examples
    --------
    >>> from skconf.inference import by_group
    >>> y_true, y_proba = [0, 1, 1, 0, 1, 0], [0.2, 0.9, 0.6, 0.7, 0.8, 0.1]
    >>> frame = by_group("cw_accuracy", y_true, y_proba, groups=["b", "a", "b", "b", "a", "a"])
    >>> frame.round(3)
           value  count    gap
    group
    a      1.000      3  0.149
    b      0.667      3 -0.184
    >>> frame.attrs["worst"]
    'b'
    """
    statistics, single = read_statistics(metric, params)
    check_option(method, "method", METHODS)
    resampling = read_resampling(n_resamples, random_state, n_jobs, progress)
    if confidence_level is not None:
        check_confidence_level(confidence_level)
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("by_group()", y_true, y_proba, beside={"groups": groups}, **given)
    slices = read_groups(groups, profile.n_rows, "groups")
    frames = {}
    for name, statistic in statistics.items():
        overall, notices = statistic.evaluate(profile)
        warn_each(notices)
        values = statistic.by_group(profile, slices.codes, len(slices))
        _warn_of(slices, np.isnan(values), f"{name} is undefined (NaN)")
        columns = {"value": values, "count": np.bincount(slices.codes), "gap": values - overall}
        frames[name] = pd.DataFrame(columns, index=slices.labels)
        frames[name].attrs = {"overall": overall, **_extremes(statistic, frames[name]["value"])}
    if confidence_level is not None:
        seeds = np.random.default_rng(random_state).integers(1 << 62, size=len(slices)).tolist()
        ends = [
            _intervals(
                list(statistics.values()),
                profile.of_rows(rows),
                confidence_level,
                method,
                {**resampling, "random_state": seed},
            )
            for rows, seed in zip(slices.members(), seeds, strict=True)
        ]
        for (name, frame), (low, high) in zip(frames.items(), np.transpose(ends, (1, 2, 0)), strict=True):
            frame["low"], frame["high"] = low, high
            _warn_of(slices, np.isnan(low) & frame["value"].notna(), f"{name} has no interval")
    if single:
        return next(iter(frames.values()))
    joint = pd.concat(frames, names=["metric"])
    joint.attrs = {fact: {name: frame.attrs[fact] for name, frame in frames.items()} for fact in _FACTS}
    return joint


_FACTS = ("overall", "worst", "spread")


def _extremes(statistic: Statistic, values: pd.Series[float]) -> dict[str, Any]:
    """Return the worst group, and the spread of the values. The group is None if no value counts as better or worse."""
    info = statistic.metric.info
    if values.isna().all():
        return {"worst": None, "spread": np.nan}
    spread = float(values.max() - values.min())
    if statistic.to_score is not None or info.greater_is_better:
        return {"worst": values.idxmin(), "spread": spread}
    if info.greater_is_better is False:
        return {"worst": values.idxmax(), "spread": spread}
    return {"worst": None if info.best is None else (values - info.best).abs().idxmax(), "spread": spread}


def _intervals(
    statistics: Sequence[Statistic],
    profile: ConfidenceProfile,
    confidence_level: float,
    method: str,
    resampling: Mapping[str, Any],
) -> list[tuple[float, float]]:
    """Return the ends of the interval of each statistic in one group; NaN if there is none."""
    if len(profile) < 2 or (profile.sample_weight is not None and np.count_nonzero(profile.sample_weight) < 2):
        return [(np.nan, np.nan)] * len(statistics)
    values = [statistic.value(profile) for statistic in statistics]
    # One warning for all groups follows, in place of one for each.
    results, _ = intervals_by_rows(
        statistics, values, profile, confidence_level=confidence_level, method=method, resampling=resampling
    )
    return [(interval.low, interval.high) for interval in results]


def _warn_of(slices: Groups, affected: NDArray[np.bool_], what: str) -> None:
    if np.any(affected):
        labels = shorten(slices.labels[np.asarray(affected)].tolist())
        warn(f"{what} for the groups {labels}.", UndefinedMetricWarning)
