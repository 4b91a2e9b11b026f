"""Sums of error sizes that calibrated confidences would give, drawn fast at any sample size."""

import numpy as np
from numpy.typing import NDArray

from skconf._probabilities import Floats

#: Largest standardised third and fourth cumulant of the part of a draw that is a gamma variable of its mean, variance
#: and skewness. What then differs is below what a quantile estimated from the draws could show.
_SKEWNESS, _KURTOSIS = 0.2, 0.004
_DRAWS_AT_ONCE = 1 << 22


def draw_error_sizes(size: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw Σ s_i e_i with independent errors e_i of probability 1/s_i.

    The smallest sizes are so many that their sum is all but normal, and is drawn as one number of its mean, variance
    and skewness; the heaviest, which make the tail, are drawn one by one.

    Parameters
    ----------
    size : ndarray of shape (n,)
        Sizes s_i >= 1: one over the probability of an error.
    n_draws : int
        Number of sums.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_draws,)
    """
    size = np.sort(size)
    # Of s·e, e ~ Bernoulli(1/s): mean 1, and the second, third and fourth cumulant.
    variance = np.cumsum(size - 1)
    third = np.cumsum((size - 1) * (size - 2))
    fourth = np.cumsum((size - 1) * (size * size - 6 * size + 6))
    even = (np.abs(third) <= _SKEWNESS * variance**1.5) & (np.abs(fourth) <= _KURTOSIS * variance**2)
    bulk = int(np.flatnonzero(even)[-1]) + 1 if even.any() else 0
    total = np.full(n_draws, float(bulk))
    if bulk and variance[bulk - 1] > 0:
        spread = np.sqrt(variance[bulk - 1])
        total += spread * _standard_gamma(third[bulk - 1] / spread**3, n_draws, rng)
    heavy = size[bulk:]
    # Within a group probabilities differ by less than a factor of two, so that at most half of the candidates are
    # thinned out.
    for group in np.split(heavy, np.flatnonzero(np.diff(np.floor(np.log2(heavy)))) + 1) if len(heavy) else []:
        _add_errors(total, group, rng)
    return total


def _standard_gamma(skewness: float, n_draws: int, rng: np.random.Generator) -> Floats:
    """Draw from the gamma distribution of mean 0, variance 1 and this skewness."""
    if abs(skewness) < 1e-3:
        return rng.standard_normal(n_draws)
    shape = 4 / skewness**2
    return np.sign(skewness) * (rng.standard_gamma(shape, n_draws) - shape) / np.sqrt(shape)


def _add_errors(total: Floats, size: Floats, rng: np.random.Generator) -> None:
    """Add the sizes of errors, drawn for every sample of a group and every sum."""
    most = 1 / size[0]
    rows = max(1, int(_DRAWS_AT_ONCE * size[0] / len(total)))
    for start in range(0, len(size), rows):
        part = size[start : start + rows]
        cells = _bernoulli_cells(len(part) * len(total), most, rng)
        drawn = part[cells // len(total)]
        kept = rng.random(len(cells)) * most < 1 / drawn
        total += np.bincount(cells[kept] % len(total), weights=drawn[kept], minlength=len(total))


def _bernoulli_cells(n_cells: int, chance: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the cells that are hit when each is with the same chance, by the gaps between hits."""
    if chance > 0.25:
        return np.flatnonzero(rng.random(n_cells) < chance)
    found, last = [], -1
    while last < n_cells:
        expected = (n_cells - last) * chance
        gaps = rng.geometric(chance, int(expected + 4 * np.sqrt(expected) + 16))
        # A gap of the generator is at most 2^63 − 1; one is enough to leave the cells.
        cells = last + np.cumsum(np.minimum(gaps, n_cells + 1))
        found.append(cells)
        last = int(cells[-1])
    cells = np.concatenate(found)
    return cells[cells < n_cells]
