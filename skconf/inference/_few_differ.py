"""Means of two models that differ in few samples: the exact p-value, where a t test is too sure."""

import numpy as np
from scipy.special import bdtr

from skconf._core.probabilities import Floats
from skconf.inference._p_values import ROUNDING
from skconf.inference._sampling import Sampling
from skconf.metrics._base.kinds import Ratio
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: Most differences of which all signs are gone through; and most of one size, which the binomial distribution counts.
_MOST, _MOST_EQUAL = 16, 100


def sign_flip_p_value(apart: Floats) -> float:
    """Return the share of all signs of paired differences whose sum is as far from 0; NaN of too many differences.

    If models are exchangeable, each difference might as well have the other sign. Of differences of one size it is the
    two-sided sign test, which is McNemar's exact test of two accuracies.
    """
    size = np.abs(apart[apart != 0])
    if not len(size):
        return 1.0
    if np.ptp(size) <= ROUNDING * size.max() and len(size) <= _MOST_EQUAL:
        fewer = min(np.count_nonzero(apart > 0), np.count_nonzero(apart < 0))
        return float(min(2 * bdtr(fewer, len(size), 0.5), 1.0))
    if len(size) > _MOST:
        return float("nan")
    sums = size[:1]  # those with the other sign are as far from 0
    for each in size[1:]:
        sums = np.concatenate([sums + each, sums - each])
    return float(np.mean(np.abs(sums) >= abs(apart.sum()) * (1 - ROUNDING)))


def exact_p_value(
    statistic: Statistic, first: ConfidenceProfile, second: ConfidenceProfile, sampling: Sampling, difference: float
) -> float:
    """Return the p-value of a difference of means of which few units differ; NaN of any other difference."""
    metric = statistic.metric
    if not isinstance(metric, Ratio) or not _count_alike(metric, first, second):
        return float("nan")
    apart = sampling.totals(metric.contributions(first) - metric.contributions(second))
    if abs(abs(apart.sum()) - abs(difference)) > ROUNDING * np.abs(apart).sum():  # a score that is no such mean
        return float("nan")
    return sign_flip_p_value(apart)


def _count_alike(metric: Ratio, first: ConfidenceProfile, second: ConfidenceProfile) -> bool:
    """Return whether each sample counts as much for one model as for the other."""
    return np.array_equal(metric.ratio(first)[1], metric.ratio(second)[1])
