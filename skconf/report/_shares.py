"""How often a model is right in parts of the rows, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inference._p_values import clopper_pearson
from skconf.metrics._base.kinds import divide
from skconf.profile import ConfidenceProfile
from skconf.report._numbers import percent

#: Parts that are shown, and those that are listed at all.
SHOWN, LISTED = 10, 100


@dataclass(frozen=True, eq=False)
class Shares:
    """How often it is right in each part that has some weight.

    Attributes
    ----------
    code : ndarray of shape (n_found,)
        Number of each part, worst first: by the upper end of the interval.
    count : ndarray of shape (n_found,)
        Number of rows.
    right, low, high : ndarray of shape (n_found,)
        Share of right answers, weighted, with its interval.
    says : ndarray of shape (n_found,)
        Mean confidence, weighted.
    """

    code: NDArray[np.intp]
    count: NDArray[np.intp]
    right: Floats
    low: Floats
    high: Floats
    says: Floats

    @classmethod
    def of(cls, profile: ConfidenceProfile, columns: Sequence[Codes], level: float) -> Self:
        """Return the shares of parts that are numbered in each column, and on from one column to the next."""
        numbers = [_sums(profile, codes) for codes in columns]
        count, total, size, right, says = (np.concatenate(each) for each in zip(*numbers, strict=True))
        found = np.flatnonzero(total > 0)
        share, mean = np.clip(right[found] / total[found], 0.0, 1.0), says[found] / total[found]
        low, high = clopper_pearson(share, size[found], level)
        # The worst is that which is bad whatever chance has done: a part of few rows has a high upper end.
        order = np.lexsort((found, share, high))
        return cls(found[order], count[found][order], share[order], low[order], high[order], mean[order])

    def __len__(self) -> int:
        return len(self.code)

    def says_in_words(self, at: int) -> str:
        """Return a mean confidence."""
        return percent(float(self.says[at]))

    def right_in_words(self, at: int) -> str:
        """Return a share of right answers with its interval."""
        return percent(float(self.right[at]), float(self.low[at]), float(self.high[at]))

    def in_words(self, at: int) -> str:
        """Return what the model says of a part, and how often it is right there."""
        return f"says {self.says_in_words(at)}, is right in {self.right_in_words(at)} of {self.count[at]:,}"


def left_out(n_parts: int, what: str) -> tuple[str, ...]:
    """Return a note on the parts that are not listed, if there are any."""
    return (f"{n_parts - LISTED:,} more {what} are left out.",) if n_parts > LISTED else ()


def _sums(profile: ConfidenceProfile, codes: Codes) -> tuple[NDArray[Any], ...]:
    """Return rows, weight, size, right answers and confidence of the parts by one column."""
    weight, count = profile.sample_weight, np.bincount(codes)
    if weight is None:
        return count, count, count, np.bincount(codes, profile.correct), np.bincount(codes, profile.confidence)
    total, squares, right, says = (
        np.bincount(codes, each) for each in (weight, weight**2, weight * profile.correct, weight * profile.confidence)
    )
    return count, total, divide(total**2, squares, 0.0), right, says
