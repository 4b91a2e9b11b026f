"""Weight at every distinct score, or on a grid of scores if there are too many."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.probabilities import Floats

#: Ranges between powers of two in a grid: from its smallest number to 1/2, and the same mirrored from 1/2 to 1. Each
#: range has 2^bits cells.
_OCTAVES = 128
_SMALLEST = 2.0**-64
#: Scores to which no other score is rounded.
_ALONE = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class LevelTable:
    """Weights at every distinct score for two kinds of samples: right and wrong, or in a class and in other classes.

    The table is exact up to `limit` distinct scores. If there are more, scores are rounded to a grid that is the same
    for all data. So tables can be merged in any order, with the same result.

    Attributes
    ----------
    limit : int
        Largest number of distinct scores without rounding, and number of steps of the grid in [0, 1].
    exact : bool
        Whether the scores are not rounded.
    level : ndarray of shape (n_levels,)
        Distinct scores, ascending.
    weight : ndarray of shape (4, n_levels)
        Four rows: Σ w of the first kind, Σ w of the second kind, Σ w² of the first kind, and Σ w² of the second kind.
    """

    limit: int
    exact: bool
    level: Floats
    weight: Floats

    @classmethod
    def empty(cls, limit: int, *, exact: bool = True) -> Self:
        """Return an empty table."""
        return cls(limit, exact, np.empty(0), np.empty((4, 0)))

    def extended(self, score: NDArray[Any], first: NDArray[Any], weight: Floats | None) -> "LevelTable":
        """Return the table with more samples.

        `first` says whether each sample is of the first kind, or the share of it that is. With shares, squared weights
        are divided between both kinds, too; an error computed from them is not too small.
        """
        level = score.astype(np.float64)
        if weight is not None:  # drop samples of weight zero
            kept = weight > 0
            level, first, weight = level[kept], first[kept], weight[kept]
        if not self.exact:
            level = round_to_grid(level, self._bits)
        code, distinct = pd.factorize(level + 0.0)  # turns −0 into 0
        if self.exact and len(distinct) > self.limit:
            return self.rounded().extended(level, first, weight)
        order = np.argsort(distinct)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        powers: list[Any] = [None] if weight is None else [weight, weight * weight]
        cell = place[code] + len(order) * (first == 0)
        if first.dtype != np.bool_:
            cell = np.concatenate([place[code], place[code] + len(order)])
            shares = np.concatenate([first, 1 - first])
            powers = [shares if power is None else np.tile(power, 2) * shares for power in powers]
        sums = [np.bincount(cell, weights=power, minlength=2 * len(order)).reshape(2, -1) for power in powers]
        table: Floats = np.concatenate([sums[0], sums[-1]]).astype(np.float64)
        return self.merged(LevelTable(self.limit, self.exact, np.asarray(distinct)[order], table))

    def merged(self, other: "LevelTable") -> "LevelTable":
        """Return the table of both parts."""
        one, other = (self, other) if self.exact == other.exact else (self.rounded(), other.rounded())
        if len(one.level) < len(other.level):
            one, other = other, one
        at = np.searchsorted(one.level, other.level)
        new = np.append(one.level, np.nan)[at] != other.level
        if new.any():  # rarely needed, once there are many levels
            level = np.insert(one.level, at[new], other.level[new])
            weight = np.insert(one.weight, at[new], 0.0, axis=1)
            at = np.searchsorted(level, other.level)
        else:
            level, weight = one.level, one.weight.copy()
        weight[:, at] += other.weight
        both = LevelTable(self.limit, one.exact, level, weight)
        return both.rounded() if both.exact and len(level) > self.limit else both

    def rounded(self) -> "LevelTable":
        """Return the table with its scores rounded to the grid."""
        if not self.exact:
            return self
        level, at = np.unique(round_to_grid(self.level, self._bits), return_inverse=True)
        weight: Floats = np.empty((4, len(level)))
        for merged, column in zip(weight, self.weight, strict=True):
            merged[:] = np.bincount(at, weights=column, minlength=len(level))
        return LevelTable(self.limit, False, level, weight)

    @property
    def _bits(self) -> int:
        return int(np.log2(self.limit / _OCTAVES))

    def samples(self, first_on_top: bool | None = None) -> tuple[Floats, NDArray[np.bool_], Floats, Floats]:
        """Return the table as samples: score, kind, Σ w and Σ w².

        Unless `first_on_top` is None, scores are replaced by positions in (0, 1). At each level that may combine
        several scores, all samples of the first kind are then above those of the second kind (True) or below them
        (False).
        """
        n_levels = len(self.level)
        score = np.repeat(self.level[np.newaxis], 2, axis=0)
        if first_on_top is not None:
            top = np.array([[first_on_top], [not first_on_top]])
            tied = self.exact | np.isin(self.level, _ALONE)
            score = (2 * np.arange(n_levels) + np.where(tied, 0.5, top) + 0.5) / (2 * n_levels)
        weight = self.weight.reshape(2, 2, n_levels)
        has_weight = weight[0] > 0
        first = np.repeat([[True], [False]], n_levels, axis=1)
        return score[has_weight], first[has_weight], weight[0][has_weight], weight[1][has_weight]


def round_to_grid(score: Floats, bits: int) -> Floats:
    """Round scores to `bits` binary digits after the first one. From 1/2 to 1, their distance to 1 is rounded instead.

    The order is kept, and rounding twice is the same as rounding once. The scores 0, 1/2 and 1, which are often
    frequent, stay separate from all others. Numbers below 2^-64, except 0, become 2^-64.
    """
    mirrored = (score > 0.5) & (score <= 1)
    number = np.where(mirrored, 1 - score, score)
    mask = np.uint64(2**64 - 2 ** (52 - bits))
    rounded = (number.view(np.uint64) & mask).view(np.float64)
    tiny = (np.abs(number) < _SMALLEST) & (number != 0)
    rounded[tiny] = np.copysign(_SMALLEST, number[tiny])
    rounded[rounded == 1] = np.nextafter(1.0, 2.0)  # a score above 1 must not become 1
    return np.where(mirrored, 1 - rounded, rounded)
