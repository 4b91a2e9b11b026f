"""Show that the mean reward of the accepted (CWSA) is above a floor, by bets at planned thresholds.

At the threshold τ, a right answer of confidence c earns (c − τ)/(1 − τ); a wrong one loses the same amount. The terms
change with the threshold, so counts cannot be carried from test to test as for errors and costs. Each threshold has its
own test, and all tests share the level equally. Suppose that no scores tie, and that τ is the k-th largest score. Then
the k − 1 samples above it are independent draws from all samples that τ accepts, and sample k itself earns nothing.

The test bets that the mean is above the floor. Let X be terms in [0, 1] with a mean of at most m. Every product of 1 +
λ (X − m) with 0 <= λ <= 1/m then has a mean of at most 1. The average of several such products has such a mean, too. It
reaches 1/a with a probability of at most a (Markov). The test depends neither on a seed nor on the order of rows.
"""

import math

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats

#: The bets, as parts of the largest possible bet. The more samples there are, the better are small bets.
_BETS = 0.7 ** np.arange(14)
#: Each test accepts this many times the samples of the test before.
_STEP = 1.1
#: Entries that are worked on at once.
_AT_ONCE = 2_000_000


def rewards(score: Floats, correct: NDArray[np.bool_], threshold: float, *, plus: bool) -> Floats:
    """Return the reward of each accepted sample at a threshold: the terms of CWSA, or of CWSA+."""
    worth = np.ones(len(score)) if threshold >= 1 else (score - threshold) / (1 - threshold)
    return np.where(correct, worth, 0.0 if plus else -worth)


def fewest_terms(floor: float, share: float) -> int:
    """Return how many terms in [0, 1] are needed to show that their mean is above a floor, if all of them are 1."""
    if floor >= 1:
        return 2**62
    return math.ceil(math.log(len(_BETS) / share) / -math.log(floor) * (1 - 1e-12))


def planned_bets(accepted: NDArray[np.intp], floor: float, share: float) -> NDArray[np.intp]:
    """Return the positions of the thresholds to test, given the number of terms at each threshold."""
    count, counts = float(fewest_terms(floor, share)), []
    while count < accepted[-1]:
        counts.append(math.ceil(count))
        count *= _STEP
    if counts or count == accepted[-1]:
        counts.append(int(accepted[-1]))
    return np.unique(np.searchsorted(accepted, counts))


def log_evidence(term: Floats, floor: float) -> float:
    """Return the logarithm of the evidence that the mean of terms in [0, 1] is above a floor."""
    rate = _BETS / floor
    total = np.zeros(len(rate))
    rows = max(_AT_ONCE // len(rate), 1)
    with np.errstate(divide="ignore"):  # all is lost: the logarithm of 0
        for start in range(0, len(term), rows):
            total += np.log1p(np.outer(term[start : start + rows] - floor, rate)).sum(axis=0)
    return float(np.logaddexp.reduce(total) - math.log(len(rate)))
