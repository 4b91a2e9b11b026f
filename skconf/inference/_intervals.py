"""Intervals of several statistics: choose a method for each, draw resamples once, and compute the ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.inference._bayesian_bootstrap import phantom_replicates
from skconf.inference._evidence import ENOUGH_TO_RESAMPLE, Choice, Share, choose, errors_among
from skconf.inference._interval_methods import (
    bca_ends,
    bootstrap_ends,
    gamma_ends,
    influence_ends,
    quantile_ends,
    share_ends,
)
from skconf.inference._p_values import ROUNDING
from skconf.inference._resampling import replicate
from skconf.inference._sampling import Sampling, both_outcomes, both_sides, draw_mirrored, draw_outcomes
from skconf.inference._strata import draws_within_strata, mover_ends
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

METHODS = ("auto", "delta", "bootstrap", "bca")


@dataclass(frozen=True)
class Interval:
    """A value and its confidence interval.

    Attributes
    ----------
    value : float
        Value of the metric or scorer.
    low, high : float
        Ends of the interval; NaN if there is no interval.
    standard_error : float
        Standard error of the value.
    confidence_level : float
        Confidence level.
    method : str
        How the interval was computed: "exact", "binomial", "mover", "gamma", "delta", "bayesian", "bootstrap" or "bca".
        It is "none" if no interval is valid.
    """

    value: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str

    __repr__ = short_repr


def choose_method(statistic: Statistic, method: str) -> str:
    """Return the method for a statistic. Raise if "delta" is requested for a statistic that must be resampled."""
    if method == "auto":
        return "bootstrap" if statistic.why_resampled else "delta"
    if method == "delta" and statistic.why_resampled:
        raise TypeError(
            f"{statistic.name} has no interval with method='delta': {statistic.why_resampled}. Use method='bootstrap'."
        )
    return method


def intervals_by_rows(
    statistics: Sequence[Statistic],
    values: Sequence[float],
    profile: ConfidenceProfile,
    *,
    groups: Any = None,
    stratify: Any = None,
    **options: Any,
) -> tuple[list[Interval], list[Notice]]:
    """Return the interval of every statistic, and warnings. Statistics may use all rows, or only rows with an answer.

    `options` are the last three fields of :class:`_SameRows`: `confidence_level`, `method` and `resampling`.
    """
    found: dict[int, Interval] = {}
    notices: list[Notice] = []
    for positions, rows, sampling in Sampling.by_rows(statistics, profile, groups, stratify):
        of_rows = [statistics[i].in_units_of(rows) for i in positions]
        estimated, said = _SameRows(of_rows, [values[i] for i in positions], rows, sampling, **options).intervals()
        found |= dict(zip(positions, estimated, strict=True))
        notices += said
    return [found[i] for i in range(len(statistics))], notices


@dataclass(frozen=True, eq=False)
class _SameRows:
    """Statistics of the same rows, their values, and how their intervals are computed.

    Attributes
    ----------
    statistics, values : sequence
        The statistics and their values.
    profile : ConfidenceProfile
        The rows.
    sampling : Sampling
        How the rows were drawn.
    confidence_level : float
        Confidence level.
    method : str
        One of `METHODS`.
    resampling : mapping
        Parameters of :func:`replicate`. All resampled statistics share the resamples.
    """

    statistics: Sequence[Statistic]
    values: Sequence[float]
    profile: ConfidenceProfile
    sampling: Sampling
    confidence_level: float
    method: str
    resampling: Mapping[str, Any]

    def intervals(self) -> tuple[list[Interval], list[Notice]]:
        """Return the interval of every statistic, and warnings."""
        choices, notices = self._choices()
        drawn, said = self._draws(choices)
        notices += said
        results = []
        for i, (statistic, value, choice) in enumerate(zip(self.statistics, self.values, choices, strict=True)):
            low, high, error = self._ends(statistic, value, choice, drawn.get(i))
            results.append(Interval(value, low, high, error, self.confidence_level, choice.method))
            if np.isnan(low) and not np.isnan(value) and choice.method != "none":
                one_sided = choice.method == "bca" and error > ROUNDING * abs(value)
                reason = (
                    "all resamples are on one side of the value, and 'bca' cannot correct such a bias. Use "
                    "method='bootstrap'."
                    if one_sided
                    else "all samples or resamples give the same value, so the standard error cannot be estimated."
                )
                notices.append(Notice(f"{statistic.name} has no interval: {reason}", UndefinedMetricWarning))
        return self._with_calibration(results), notices

    def _choices(self) -> tuple[list[Choice], list[Notice]]:
        """Return the method of every statistic, and warnings."""
        choices: list[Choice] = []
        notices: list[Notice] = []
        for statistic, value in zip(self.statistics, self.values, strict=True):
            if self.method != "auto" or np.isnan(value):
                choices.append(Choice(choose_method(statistic, self.method)))
                continue
            choices.append(choose(statistic, self.profile, self.sampling))
            if choices[-1].reason:
                text = f"{statistic.name} cannot be estimated: {choices[-1].reason}."
                notices.append(Notice(text, UndefinedMetricWarning))
            elif choices[-1].method == "bootstrap":
                notices += few_to_resample(statistic, self.profile)
        return choices, notices

    def _draws(self, choices: Sequence[Choice]) -> tuple[dict[int, Floats], list[Notice]]:
        """Return the draws of every statistic whose method needs draws, by position of the statistic, and warnings."""
        drawn: dict[int, Floats] = {}
        notices: list[Notice] = []
        statistics, profile, sampling, resampling = self.statistics, self.profile, self.sampling, self.resampling
        resampled = [
            i for i, how in enumerate(choices) if how.method in ("bootstrap", "bca") and not np.isnan(self.values[i])
        ]
        if resampled:
            columns = replicate(sampling.draw, [profile], [statistics[i] for i in resampled], **resampling)[:, 0].T
            for i, column in zip(resampled, columns, strict=True):
                notices += undefined_resamples(column, statistics[i].name)
                drawn[i] = column[~np.isnan(column)]
        bayesian = [i for i, how in enumerate(choices) if how.method == "bayesian"]
        if bayesian and sampling.weighs_strata:
            columns = draws_within_strata([statistics[i] for i in bayesian], [profile], sampling, resampling)[:, 0].T
            drawn |= {i: column.reshape(-1, 2).T for i, column in zip(bayesian, columns, strict=True)}  # of two kinds
        elif bayesian:
            few, values = [statistics[i] for i in bayesian], [self.values[i] for i in bayesian]
            drawn |= dict(zip(bayesian, phantom_replicates(few, values, profile, sampling, resampling), strict=True))
        return drawn, notices

    def _ends(self, statistic: Statistic, value: float, choice: Choice, drawn: Any) -> tuple[float, float, float]:
        """Return the ends of an interval and the standard error, given its draws; NaN if there is no interval."""
        profile, sampling, level = self.profile, self.sampling, self.confidence_level
        if np.isnan(value) or choice.method == "none":
            return np.nan, np.nan, np.nan
        if choice.method in ("exact", "binomial"):
            return share_ends(statistic, cast(Share, choice.share), level)
        if choice.method == "mover":
            return mover_ends(statistic, statistic.on(profile), sampling, level)
        if choice.method == "gamma":
            return gamma_ends(statistic, profile, sampling, level)
        if choice.method == "delta":
            return influence_ends(statistic, value, profile, sampling, level)
        if choice.method == "bayesian":
            return quantile_ends(statistic, value, drawn, level)
        if choice.method == "bootstrap":
            return bootstrap_ends(statistic, value, drawn, sampling.degrees_of_freedom, level, sampling.stretch)
        return bca_ends(statistic, value, drawn, profile, sampling, level)

    def _with_calibration(self, results: list[Interval]) -> list[Interval]:
        """Extend the intervals of calibration errors to 0 if calibrated draws often have as large an error.

        Resamples do not show whether a calibration error is 0: the true error of a calibrated classifier is 0, but its
        error in a sample of any size is above 0.
        """
        apart = {
            i: statistic
            for i, (statistic, interval) in enumerate(zip(self.statistics, results, strict=True))
            if statistic.metric.zero_if_calibrated and (interval.low > 0 or interval.high < 0)
        }
        if not apart:
            return results
        if self.sampling.grouped or self.profile.kind != "right or wrong":
            draw, drawn_from = partial(draw_mirrored, self.sampling), both_sides(self.profile)
        else:
            draw, drawn_from = partial(draw_outcomes, self.profile.confidence), both_outcomes(self.profile)
        drawn = replicate(draw, [drawn_from], list(apart.values()), **self.resampling)[:, 0]
        for i, column in zip(apart, drawn.T, strict=True):
            interval = results[i]
            as_far = np.count_nonzero(np.abs(column) >= abs(interval.value) * (1 - ROUNDING))
            if (as_far + 1) / (len(column) + 1) > 1 - interval.confidence_level:
                results[i] = replace(interval, low=min(interval.low, 0.0), high=max(interval.high, 0.0))
        return results


def undefined_resamples(replicates: Floats, name: str) -> list[Notice]:
    """Return a warning if some resampled values are undefined."""
    missing = int(np.isnan(replicates).sum())
    if not missing:
        return []
    text = (
        f"{name} is undefined in {missing} of {len(replicates)} resamples, because there are too few data. These "
        "resamples are left out."
    )
    return [Notice(text, UndefinedMetricWarning)]


def few_to_resample(statistic: Statistic, profile: ConfidenceProfile) -> list[Notice]:
    """Return a warning if the resamples of a calibration error have few errors."""
    if not statistic.metric.zero_if_calibrated:
        return []
    found = errors_among(statistic.metric, profile)
    if found.rarer >= ENOUGH_TO_RESAMPLE:
        return []
    rest = "so its interval may miss the true value."
    return [Notice(f"{statistic.name} has {found.told()}, {rest}", kind=f"{statistic.name} has few errors, {rest}")]
