"""P-values of t tests, sign flips and permutations, and their correction for many tests."""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from skconf._core.probabilities import Floats

#: A standard error below this share of its value is zero, apart from rounding.
ROUNDING = 1e-10
#: Most differences for which all combinations of signs are tried; and most differences of the same size, for which the
#: binomial distribution is used.
_MOST, _MOST_EQUAL = 16, 100


def student(confidence_level: float, degrees_of_freedom: float) -> float:
    """Return how many standard errors an interval extends to each side of a value, by the t distribution."""
    return float(stdtrit(degrees_of_freedom, (1 + confidence_level) / 2))


def t_test(
    estimates: Sequence[float], error: float, scale: float, confidence_level: float, degrees_of_freedom: float
) -> tuple[float, float, float]:
    """Return interval and p-value of a difference; NaN if the difference is the same in all units, but is not 0.

    There may be several estimates of the difference, with one standard error. The interval covers the intervals of all
    of them, and the estimate closest to 0 is tested. `scale` is the size of the two values: a difference that is tiny
    compared with it counts as 0, because it comes from rounding. With infinite degrees of freedom, the t distribution
    is the normal distribution.
    """
    least, most = min(estimates), max(estimates)
    if error > ROUNDING * scale:
        reach = student(confidence_level, degrees_of_freedom) * error
        apart = max(least, -most, 0.0)
        return least - reach, most + reach, float(2 * stdtr(degrees_of_freedom, -apart / error))
    if error >= 0 and max(-least, most) <= ROUNDING * scale:
        return least, most, 1.0
    return np.nan, np.nan, np.nan


def sign_flip_p_value(apart: Floats) -> float:
    """Return the exact p-value of paired differences under random signs; NaN if there are too many differences.

    If models are exchangeable, each difference is positive or negative with the same probability. If all differences
    have the same size, this is the two-sided sign test. For two accuracies it is McNemar's exact test.
    """
    size = np.abs(apart[apart != 0])
    if not len(size):
        return 1.0
    if np.ptp(size) <= ROUNDING * size.max() and len(size) <= _MOST_EQUAL:
        fewer = min(np.count_nonzero(apart > 0), np.count_nonzero(apart < 0))
        return float(min(2 * bdtr(fewer, len(size), 0.5), 1.0))
    if len(size) > _MOST:
        return float("nan")
    sums = size[:1]  # with its other sign, all sums are as far from 0
    for one in size[1:]:
        sums = np.concatenate([sums + one, sums - one])
    return float(np.mean(np.abs(sums) >= abs(apart.sum()) * (1 - ROUNDING)))


def permutation_p_value(difference: float, permuted: Floats, largest: float) -> float:
    """Return the p-value of a permutation test: the share of permutations with at least as large a difference.

    `largest` is the larger of the two values. Its rounding error is allowed for, because sums in another order differ
    by it.
    """
    if np.isnan(difference):
        return np.nan
    drawn = np.abs(permuted[~np.isnan(permuted)])
    as_large = np.count_nonzero(drawn >= abs(difference) - (ROUNDING * largest if np.isfinite(largest) else 0.0))
    return float((as_large + 1) / (len(drawn) + 1))


def holm(p_values: Iterable[float]) -> Floats:
    """Return p-values adjusted for their number by Holm's method. NaN stays NaN, and is not counted."""
    given = np.asarray(list(p_values), dtype=np.float64)
    order = np.argsort(given)  # NaN last
    n_tests = np.count_nonzero(~np.isnan(given))
    stepped = given[order] * np.maximum(n_tests - np.arange(len(given)), 1)
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted
