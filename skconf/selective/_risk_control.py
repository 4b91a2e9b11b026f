"""Thresholds whose risk is below a target with high probability: the exact binomial test in a fixed sequence."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, nbinom

from skconf._probabilities import Floats

#: The sequence starts at the smallest number of accepted samples whose test passes in spite of this many errors: a
#: single early error then ends nothing.
ERRORS_AT_START = 3

#: ... or at this share of all samples, if that is more.
SHARE_AT_START = 1 / 15

#: Each step accepts this many times as many samples as the one before.
STEP = 1.05


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
        1 where nothing is accepted, or nothing is right. A limit is at most r where, and only where, the binomial
        distribution function of the errors at r is at most one minus the confidence level.
    """
    some = errors < accepted
    bound = np.ones(len(errors))
    bound[some] = beta.ppf(confidence_level, errors[some] + 1, accepted[some] - errors[some])
    return bound


def smallest_sample(target: float, confidence_level: float, errors: int = 0) -> int:
    """Return the fewest accepted samples among which so many errors still show a risk of at most the target."""
    # Binomial(k, r) <= e where the error number e + 1 comes after trial k: a negative binomial waiting time.
    return errors + 1 + int(nbinom.ppf(confidence_level, errors + 1, target))


def declared_counts(n_samples: int, target: float, confidence_level: float) -> NDArray[np.intp]:
    """Return how many samples each tested threshold accepts, from strict to loose; known without any label."""
    start = start_count(n_samples, target, confidence_level)
    steps = int(np.log(n_samples / start) / np.log(STEP))
    counts = np.round(start * STEP ** np.arange(steps + 1)).astype(np.intp)
    return np.unique(np.append(np.minimum(counts, n_samples), n_samples))


def start_count(n_samples: int, target: float, confidence_level: float) -> int:
    """Return how many samples the strictest tested threshold accepts."""
    enough = smallest_sample(target, confidence_level, ERRORS_AT_START)
    return min(n_samples, max(enough, int(np.ceil(SHARE_AT_START * n_samples))))


def in_control(accepted: Floats, bound: Floats, target: float, start: int) -> NDArray[np.bool_]:
    """Return which thresholds pass the fixed sequence: each of them, and all tested before it, is within the target.

    Parameters
    ----------
    accepted, bound : ndarray of shape (n_thresholds,)
        Accepted samples and upper limit of the risk, from the strictest threshold to the loosest.
    target : float
        Largest tolerable risk.
    start : int
        Number of accepted samples from which on thresholds are tested.

    Returns
    -------
    ndarray of shape (n_thresholds,), bool
    """
    tested = accepted >= start
    return tested & np.logical_and.accumulate((bound <= target) | ~tested)
