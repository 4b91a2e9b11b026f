"""Bins of equal width and bins of equal mass."""

import numpy as np

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats

STRATEGIES = ("uniform", "quantile")
#: A share of weight that differs from an edge only by rounding counts as lying on the edge.
_ROUNDING = 1e-9
#: A value times the number of bins n may round across an edge if its distance to the edge is below n times this.
_NEAR = 1e-12


def equal_width_bin(values: Floats, n_bins: int) -> Codes:
    """Return the bin (k/n, (k + 1)/n] of every value in [0, 1]. The value 0 belongs to the first bin."""
    scaled = values * n_bins
    bins = np.clip(np.ceil(scaled), 1, n_bins).astype(np.intp)
    bins -= 1
    scaled -= np.rint(scaled)
    # The product may round across an edge, so near an edge the values are compared with the edge itself.
    near = np.flatnonzero(np.abs(scaled, out=scaled) < _NEAR * n_bins)
    if len(near):
        edges = np.arange(n_bins + 1) / n_bins
        guess, at = bins[near], values[near]
        guess -= (at <= edges[guess]) & (guess > 0)
        guess += at > edges[guess + 1]
        bins[near] = guess
    return bins


def equal_mass_bin(weight: Floats, n_bins: int) -> Codes:
    """Return the bin of each distinct value, given the weights of the distinct values in ascending order.

    Let F be the share of the weight at or below a value. The value is in bin k if k/n < F <= (k + 1)/n. Tied samples
    share a value, so they are always in the same bin. A bin may be empty.
    """
    below = np.cumsum(weight)
    return np.clip(np.ceil(below / below[-1] * n_bins - _ROUNDING).astype(np.intp) - 1, 0, n_bins - 1)
