"""Ends of intervals, with one function for each method: exact, influence values, quantiles of draws, bootstrap, BCa."""

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri

from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson, wilson
from skconf.inference._evidence import Share, is_share, largest_error
from skconf.inference._p_values import ROUNDING, student
from skconf.inference._sampling import Sampling
from skconf.metrics._base.kinds import Ratio
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic


def share_ends(statistic: Statistic, share: Share, confidence_level: float) -> tuple[float, float, float]:
    """Return Clopper and Pearson's interval of a share, and its error, both for the effective number of samples."""
    ends = clopper_pearson(share.value, share.size, confidence_level)
    low, high = sorted(float(statistic.score(end)) for end in ends)
    return low, high, float(np.sqrt(share.value * (1 - share.value) / share.size))


def gamma_ends(
    statistic: Statistic, profile: ConfidenceProfile, sampling: Sampling, confidence_level: float
) -> tuple[float, float, float]:
    """Return the gamma interval of a mean of error sizes, with half an error of the largest size added.

    Fay and Feuer add a whole error instead of half an error. That is more than any population needs, so their interval
    covers too often.
    """
    metric = cast(Ratio, statistic.metric)
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    sizes = np.asarray(metric.ratio(profile)[0], dtype=np.float64)
    value = float(weight @ sizes / weight.sum())
    error = sampling.standard_error(weight * (sizes - value) / weight.sum())
    _, most = largest_error(metric, profile)
    tail = (1 - confidence_level) / 2
    low = _gamma_quantile(value, error**2, tail) if value > 0 else 0.0
    high = _gamma_quantile(value + most / 2, error**2 + most**2 / 2, 1 - tail)
    # A score is monotone in the ratio on either side of 1, its best value.
    scores = [float(statistic.score(ratio)) for ratio in (low, 1.0, high) if low <= ratio <= high]
    return min(scores), max(scores), error


def _gamma_quantile(mean: float, variance: float, probability: float) -> float:
    if variance == 0:  # all errors are of one size, and there is no other answer
        return mean
    return float(gammaincinv(mean**2 / variance, probability) * variance / mean)


def quantile_ends(
    statistic: Statistic, value: float, replicates: Floats, confidence_level: float
) -> tuple[float, float, float]:
    """Return the quantiles of draws, and the standard deviation of the draws.

    If the value lies outside the quantiles, they are extended to it. If `replicates` has several rows, each row is a
    kind of draws, and the interval covers the quantiles of every kind.
    """
    kinds = [row[~np.isnan(row)] for row in np.atleast_2d(replicates)]
    if min(map(len, kinds)) < 2:
        return np.nan, np.nan, np.nan
    ends = [np.quantile(row, [(1 - confidence_level) / 2, (1 + confidence_level) / 2]) for row in kinds]
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    least, most = statistic.bounds
    return max(min(low, value), least), min(max(high, value), most), float(np.concatenate(kinds).std(ddof=1))


def influence_ends(
    statistic: Statistic, value: float, profile: ConfidenceProfile, sampling: Sampling, confidence_level: float
) -> tuple[float, float, float]:
    metric = statistic.metric
    sampling = sampling.given_kinds(metric.kinds_of_samples(profile))
    if sampling.grouped and isinstance(metric, Ratio):  # a group is as large as what it adds to the denominator
        sampling = sampling.given_sizes(_denominators(metric, profile))
    found = sampling.error_of(statistic.influence(profile))
    if (
        isinstance(metric, Ratio)
        and metric.share_interval == "wilson"
        and sampling.simple
        and is_share(metric, profile)
    ):
        return *wilson_ends(statistic, value, sampling.n_units, student(confidence_level, np.inf)), found.error
    size = partial(_effective_size, metric, profile, sampling)
    return *delta_ends(statistic, value, *found.widest(confidence_level), size, confidence_level), found.error


def delta_ends(
    statistic: Statistic,
    value: float,
    error: float,
    degrees_of_freedom: float,
    effective_size: Callable[[], float],
    confidence_level: float,
) -> tuple[float, float]:
    """Return the ends of an interval by a standard error: Wilson's if the value has bounds, else by Student's t.

    `error` is the standard error of the value, with `degrees_of_freedom`. `effective_size` returns the effective number
    of units in the denominator of a quotient. It is called only if all units have the same influence. The ends are NaN
    if there is no interval.
    """
    times, (least, most) = student(confidence_level, degrees_of_freedom), statistic.bounds
    width = most - least
    if not np.isfinite(width):
        if not error > ROUNDING * abs(value):
            return np.nan, np.nan
        return max(value - times * error, least), min(value + times * error, most)
    share = min(max((value - least) / width, 0.0), 1.0)
    spread, variance = share * (1 - share), (error / width) ** 2
    if variance > ROUNDING**2 and spread > 0:
        size = spread / variance
    elif isinstance(statistic.metric, Ratio):
        size = effective_size()
    else:
        return np.nan, np.nan
    return wilson_ends(statistic, value, size, times)


def wilson_ends(statistic: Statistic, value: float, size: float, times: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval, for a value with bounds that is as uncertain as a proportion.

    `size` is the number of samples of the proportion, and `times` the multiple of the standard error on each side.
    Without samples, the ends are the bounds of the value.
    """
    least, most = statistic.bounds
    width = most - least
    low, high = wilson(min(max((value - least) / width, 0.0), 1.0), size, times)
    return least + width * low, least + width * high


def _effective_size(metric: Ratio, profile: ConfidenceProfile, sampling: Sampling) -> float:
    """Return the effective number of units in the denominator of a quotient."""
    totals = sampling.totals(_denominators(metric, profile))
    squares = float(totals @ totals)
    return float(totals.sum() ** 2 / squares) if squares > 0 else 0.0


def _denominators(metric: Ratio, profile: ConfidenceProfile) -> Floats:
    """Return the contribution of each sample to the denominator of a quotient."""
    below = np.empty(len(profile))
    for rows, block in profile.blocks():
        below[rows] = metric.terms(block)[1].weighted(block.sample_weight)
    return below


def bootstrap_ends(
    statistic: Statistic,
    value: float,
    replicates: Floats,
    degrees_of_freedom: float,
    confidence_level: float,
    stretch: float = 1.0,
) -> tuple[float, float, float]:
    """Return the ends of an interval by replicates of a value, and the standard error, multiplied by `stretch`."""
    corrected, error = less_bias(value, replicates)
    error *= stretch
    if not error > ROUNDING * abs(value):
        return np.nan, np.nan, error
    reach, (least, most) = student(confidence_level, degrees_of_freedom) * error, statistic.bounds
    # The bias is an estimate, too, and often too large: reach as far from the value as from the corrected one.
    low, high = min(value, corrected) - reach, max(value, corrected) + reach
    return float(np.clip(low, least, most)), float(np.clip(high, least, most)), error


def less_bias(value: float, replicates: Floats) -> tuple[float, float]:
    """Return a value minus the bias that resamples show, and its standard error; NaN for fewer than two resamples."""
    if len(replicates) < 2:
        return np.nan, np.nan
    return float(2 * value - replicates.mean()), float(replicates.std(ddof=1))


def bca_ends(
    statistic: Statistic,
    value: float,
    replicates: Floats,
    profile: ConfidenceProfile,
    sampling: Sampling,
    confidence_level: float,
) -> tuple[float, float, float]:
    _, error = less_bias(value, replicates)
    if not error > ROUNDING * abs(value):
        return np.nan, np.nan, error
    equal = np.isclose(replicates, value, rtol=ROUNDING, atol=0)
    below = np.count_nonzero((replicates < value) & ~equal) + np.count_nonzero(equal) / 2
    bias = ndtri(below / len(replicates))
    acceleration = 0.0
    if not statistic.why_resampled:
        totals = sampling.totals(statistic.influence(profile))
        totals = totals - totals.mean()
        acceleration = float((totals**3).sum() / (6 * (totals**2).sum() ** 1.5))
    shifted = bias + ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    with np.errstate(invalid="ignore"):  # where all resamples are on one side of the value
        at = ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = np.quantile(replicates, at) if np.isfinite(at).all() else (np.nan, np.nan)
    return float(low), float(high), error
