"""The p-value of a size ratio at any resolution: Chernoff's bound, then draws until enough are as large.

How many draws are made must not be decided by how close a p-value comes to a level: the rule here is fixed beforehand.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from skconf._core.probabilities import Floats
from skconf.metrics._size_ratio import as_large_as, draw_error_sizes

#: Draws as large as the data at which drawing stops; and in how many times the fewest draws that could reject it ends,
#: but not before a number of draws.
_ENOUGH, _TIMES, _AT_LEAST = 100, 20, 9999
_FIRST, _AT_ONCE = 256, 1 << 14


def most_draws(n_tests: int, level: float) -> int:
    """Return after how many draws to stop, so that the smallest p-value of many tests is far below the level."""
    return max(int(np.ceil(_TIMES * n_tests / level)), _AT_LEAST)


def size_ratio_p_value(size: Floats, observed: float, most: int, rng: np.random.Generator) -> float:
    """Return the one-sided p-value of a sum of error sizes under errors drawn from the confidences.

    Chernoff's bound is the p-value where it is below what draws can show. Else draws are made by the rule of Besag and
    Clifford: until 100 are as large, p = 100 / draws; or up to `most`, p = (as large + 1) / (most + 1).

    Parameters
    ----------
    size : ndarray of shape (n,)
        1/(1 − c) of every sample.
    observed : float
        Sum of the sizes of the errors.
    most : int
        Largest number of draws.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    float

    References
    ----------
    J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991.
    """
    bound = chernoff_bound(size, observed)
    if bound * (most + 1) <= 1:
        return bound
    drawn, as_large, batch = 0, 0, _FIRST
    while drawn < most:
        batch = min(batch, most - drawn)
        reached = as_large + np.cumsum(as_large_as(observed, draw_error_sizes(size, batch, rng)))
        if reached[-1] >= _ENOUGH:
            return _ENOUGH / (drawn + 1 + int(np.searchsorted(reached, _ENOUGH)))
        drawn, as_large, batch = drawn + batch, int(reached[-1]), min(2 * batch, _AT_ONCE)
    return (as_large + 1) / (most + 1)


def chernoff_bound(size: Floats, observed: float) -> float:
    """Return min_t exp(Σ log E exp(t s e) − t · observed), which no p-value of the sum of error sizes exceeds."""
    if observed <= len(size):  # their mean
        return 1.0
    chance = 1 / size
    with np.errstate(divide="ignore"):
        log_odds, log_chance, log_rest = np.log(chance) - np.log1p(-chance), np.log(chance), np.log1p(-chance)
    if observed >= size.sum() * (1 - 1e-12):
        return float(np.exp(log_chance.sum()))  # all are wrong

    def excess(t: float) -> float:
        return float(size @ expit(log_odds + t * size)) - observed

    high = 1 / observed
    while excess(high) < 0:
        high *= 2
    t = brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-6)
    return float(np.exp(min(np.logaddexp(log_rest, log_chance + t * size).sum() - t * observed, 0.0)))
