"""The tail probability of a sum of the sizes of random events, without random draws."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._core.probabilities import Floats

#: The normal part of a sum ends at the largest size that is at most this share of the spread of all sizes up to it.
_REGULAR = 1 / 10
#: Rounding to the grid moves a sum by this share of the spread, unless that takes too many cells.
_PRECISION = 0.003
_FEWEST_CELLS, _MOST_CELLS = 1 << 13, 1 << 16
#: A normal sum is within this many standard deviations of its mean.
_REACH = 8


def chance_of_sum(size: Floats, occurred: NDArray[np.bool_]) -> float:
    """Return P(Σ s e >= observed sum), with independent events e of probability 1/s, and sizes s >= 1.

    Sizes that are small compared with the spread of their sum are summed first. Their sum is approximated by a normal
    one with a correction for the skewness. The other sizes are rounded to a grid, and the distribution of their sum is
    built up one size after the other. For the rounded sizes, this distribution is exact, even if events are very rare
    and sizes very large.
    """
    if not occurred.any():
        return 1.0
    order = np.argsort(size)
    size, occurred = size[order], occurred[order]
    spread = np.sqrt(np.cumsum(size - 1))
    regular = np.flatnonzero(size <= _REGULAR * spread)
    n_regular = int(regular[-1]) + 1 if len(regular) else 0
    total = float(size[occurred].sum())
    rest, rest_occurred = size[n_regular:], occurred[n_regular:]
    step = total / _cells(total, rest, spread)
    cell = np.rint(rest / step)
    # After rounding, equal sums of other sizes may differ by about this much. They count as equal.
    seen = max(float(cell[rest_occurred].sum()) - np.ceil(np.sqrt(_variance(rest))), 0.0)
    small = _NormalSum(size[:n_regular], occurred[:n_regular]) if n_regular else None
    # From this many cells on, the sum is not below the observed one, whatever the normal part is.
    end = int(max(seen + (0 if small is None else np.ceil(small.reach / step)), 1))
    chance = _distribution(cell, 1 / rest, end)
    below: Floats = seen - np.arange(end, dtype=np.float64)
    tail = (below <= 0).astype(np.float64) if small is None else small.tail(below * step)
    return float(np.clip(1 - chance @ (1 - tail), 0.0, 1.0))


def _cells(total: float, rest: Floats, spread: Floats) -> int:
    """Return the number of grid cells in the observed sum: enough to make rounding negligible, up to a limit."""
    usual = spread[-len(rest) :][rest < total] if len(rest) else rest
    if not len(usual):
        return _FEWEST_CELLS
    needed = total * np.sqrt(_variance(rest) / 12) / (_PRECISION * max(usual[-1], 1.0))
    return int(np.clip(needed, _FEWEST_CELLS, _MOST_CELLS))


def _variance(size: Floats) -> float:
    """Return the variance of the number of events."""
    return float(((1 - 1 / size) / size).sum())


def _distribution(cell: Floats, chance: Floats, end: int) -> Floats:
    """Return the probabilities that the sum is 0, 1, ..., end - 1, if each size in `cell` is added with its chance."""
    found = np.zeros(end)
    beyond = cell >= end
    with np.errstate(divide="ignore"):
        found[0] = np.exp(np.log1p(-chance[beyond]).sum())
    moving = ~beyond & (cell > 0)
    for step, p in zip(cell[moving].astype(np.intp).tolist(), chance[moving].tolist(), strict=True):
        moved = p * found[:-step]
        found *= 1 - p
        found[step:] += moved
    return found


class _NormalSum:
    """The sum Σ s e of many sizes, normal except for its skewness, and the observed sum."""

    def __init__(self, size: Floats, occurred: NDArray[np.bool_]) -> None:
        self.mean, self.spread = float(len(size)), float(np.sqrt((size - 1).sum()))
        self.skewness = float(((size - 1) * (size - 2)).sum()) / self.spread**3
        # If all sizes are equal, neighbouring sums differ by one size.
        gap = float(size[0]) if size[0] == size[-1] else 0.0
        self.observed = float(size[occurred].sum()) - gap / 2
        self.reach = self.observed - self.mean + _REACH * self.spread

    def tail(self, more: Floats) -> Floats:
        """Return the probability that the sum is at least the observed sum plus `more`, with Edgeworth's first term."""
        z = (self.observed + more - self.mean) / self.spread
        density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
        return np.asarray(np.clip(ndtr(-z) + self.skewness / 6 * (z * z - 1) * density, 0.0, 1.0))
