"""Thresholds whose risk is below a target with high probability: exact binomial tests from strict to loose."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, binom, nbinom

from skconf._core.probabilities import Floats

#: The sequence of tests starts at the fewest accepted samples among which so many errors still pass,
ERRORS_AT_START = 1

#: ... or at this share of all samples, if that is more.
COVERAGE_AT_START = 1 / 15

#: The first start has this share of the probability to err. Later ones, for classifiers whose most confident answers
#: are no better than many others, have equal shares of the rest.
SHARE_OF_FIRST = 1 / 2

#: Each start accepts this many times as many samples as the one before, up to all of them,
STEP_OF_STARTS = 1.5

#: ... and each test this many times as many as the test before. All were chosen on simulated populations; a test shows
#: them.
STEP = 1.02


def risk_upper_bound(errors: Floats, accepted: Floats, confidence_level: float) -> Floats:
    """Return the exact (Clopper-Pearson) upper confidence limit of error rates.

    Parameters
    ----------
    errors, accepted : ndarray of shape (n,)
        Whole numbers of errors and of samples.
    confidence_level : float
        Probability with which the limit is not below the true error rate.

    Returns
    -------
    ndarray of shape (n,)
        1 where nothing is accepted, or nothing is right.
    """
    some = errors < accepted
    bound = np.ones(len(errors))
    bound[some] = beta.ppf(confidence_level, errors[some] + 1, accepted[some] - errors[some])
    return bound


def smallest_sample(target: float, confidence_level: float, errors: int = 0) -> int:
    """Return the fewest accepted samples among which so many errors still show a risk of at most the target."""
    # Binomial(k, r) <= e where the error number e + 1 comes after trial k: a negative binomial waiting time.
    return errors + 1 + int(nbinom.ppf(confidence_level, errors + 1, target))


def start_counts(n_samples: int, target: float, confidence_level: float) -> dict[int, float]:
    """Return the numbers of accepted samples at which the tests start, with their shares; no label plays a part."""
    enough = smallest_sample(target, 1 - SHARE_OF_FIRST * (1 - confidence_level), ERRORS_AT_START)
    first, *later = _growing(max(enough, math.ceil(COVERAGE_AT_START * n_samples)), n_samples, STEP_OF_STARTS)
    if not later:
        return {first: 1.0}
    return {first: SHARE_OF_FIRST} | dict.fromkeys(later, (1 - SHARE_OF_FIRST) / len(later))


def declared_counts(n_samples: int, target: float, confidence_level: float) -> NDArray[np.intp]:
    """Return how many samples each tested threshold accepts, from strict to loose; no label plays a part."""
    starts = start_counts(n_samples, target, confidence_level)
    return np.unique([*starts, *_growing(min(starts), n_samples, STEP)])


def _growing(first: int, last: int, factor: float) -> list[int]:
    """Return whole numbers that grow by a factor, up to the last."""
    counts = [min(first, last)]
    while counts[-1] < last:
        counts.append(min(math.ceil(factor * counts[-1]), last))
    return counts


def in_control(
    errors: Floats, accepted: Floats, n_samples: int, target: float, confidence_level: float
) -> NDArray[np.bool_]:
    """Return which thresholds are shown to have a risk of at most the target: all of them at once, at the level.

    The fallback procedure: a test that passes hands its probability to err on to the next one.

    Parameters
    ----------
    errors, accepted : ndarray of shape (n_thresholds,)
        Whole numbers of errors and accepted samples, from the strictest threshold to the loosest.
    n_samples : int
        Number of all samples.
    target : float
        Largest tolerable risk.
    confidence_level : float
        Probability that no threshold is wrongly among them.

    Returns
    -------
    ndarray of shape (n_thresholds,), bool
    """
    p_values = binom.cdf(errors, accepted, target)
    own = np.zeros(len(accepted))
    for count, share in start_counts(n_samples, target, confidence_level).items():
        first = min(int(np.searchsorted(accepted, count)), len(own) - 1)
        own[first] += share * (1 - confidence_level)
    shown = np.zeros(len(accepted), dtype=bool)
    level = 0.0
    for i in np.flatnonzero(np.cumsum(own) > 0):
        level += own[i]
        shown[i] = level > 0 and p_values[i] <= level
        level *= shown[i]
    return shown
