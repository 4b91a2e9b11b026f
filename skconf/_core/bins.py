"""Values put into bins of equal width or of equal mass."""

import numpy as np

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats

STRATEGIES = ("uniform", "quantile")
#: Shares of weight that differ from an edge by rounding count as on it.
_ROUNDING = 1e-9


def equal_width_bin(values: Floats, n_bins: int) -> Codes:
    """Return the bin (k/n, (k + 1)/n] of every value in [0, 1]; 0 belongs to the first."""
    guess = np.clip(np.ceil(values * n_bins).astype(np.intp) - 1, 0, n_bins - 1)
    # The product may round across an edge; the edges themselves decide.
    edges = np.arange(n_bins + 1) / n_bins
    guess -= (values <= edges[guess]) & (guess > 0)
    guess += values > edges[guess + 1]
    return guess


def equal_mass_bin(weight: Floats, n_bins: int) -> Codes:
    """Return the bin of every level, given the weights of all levels in ascending order.

    A level is in the bin that holds the share F of weight at or below it, k/n < F <= (k + 1)/n. Tied samples are
    one level, so that a bin never splits them; a bin may then be empty.
    """
    below = np.cumsum(weight)
    return np.clip(np.ceil(below / below[-1] * n_bins - _ROUNDING).astype(np.intp) - 1, 0, n_bins - 1)
