"""How right a model is in parts of the rows, or what it costs, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._grouped_means import Means, are_counts, said_and_found
from skconf.metrics._base.kinds import divide
from skconf.profile import ConfidenceProfile
from skconf.report._sections.words import Words, words_for

#: Parts that are shown, and those that are listed at all.
SHOWN, LISTED = 10, 100


@dataclass(frozen=True, eq=False)
class Shares:
    """How right it is in each part that has some weight, or what it costs there.

    Attributes
    ----------
    code : ndarray of shape (n_found,)
        Number of each part, worst first: by the upper end of the interval; of costs by the lower one.
    count : ndarray of shape (n_found,)
        Number of rows.
    right, low, high : ndarray of shape (n_found,)
        Share of right answers, mean correctness or mean cost, weighted, with its interval.
    says : ndarray of shape (n_found,)
        Mean confidence, or mean uncertainty beside costs, weighted.
    words : Words
        What these are called.
    """

    code: NDArray[np.intp]
    count: NDArray[np.intp]
    right: Floats
    low: Floats
    high: Floats
    says: Floats
    words: Words

    @classmethod
    def of(cls, profile: ConfidenceProfile, columns: Sequence[Codes], level: float) -> Self:
        """Return the shares of parts that are numbered in each column, and on from one column to the next."""
        numbers = [(_counted if are_counts(profile) else _in_units)(profile, codes, level) for codes in columns]
        count, right, low, high, says = (np.concatenate(each) for each in zip(*numbers, strict=True))
        found = np.flatnonzero(~np.isnan(right))
        count, right, low, high, says = (each[found] for each in (count, right, low, high, says))
        # The worst is that which is bad whatever chance has done: a part of few rows has a high upper end.
        order = np.lexsort((found, -right, -low) if profile.kind == "costs" else (found, right, high))
        right, low, high, says = (each[order] for each in (right, low, high, says))
        return cls(found[order], count[order], right, low, high, says, words_for(profile.kind))

    def __len__(self) -> int:
        return len(self.code)

    def says_in_words(self, at: int) -> str:
        """Return a mean confidence, or uncertainty."""
        return self.words.amount(float(self.says[at]))

    def right_in_words(self, at: int) -> str:
        """Return a share of right answers, or what takes its place, with its interval."""
        return self.words.amount(float(self.right[at]), float(self.low[at]), float(self.high[at]))

    def in_words(self, at: int) -> str:
        """Return what the model says of a part, and how right it is there."""
        says, right = f"{self.words.says} {self.says_in_words(at)}", f"{self.words.is_right} {self.right_in_words(at)}"
        return f"{says}, {right} of {self.count[at]:,}" + ("" if self.words.kind == "right or wrong" else " answers")


def left_out(n_parts: int, what: str) -> tuple[str, ...]:
    """Return a note on the parts that are not listed, if there are any."""
    return (f"{n_parts - LISTED:,} more {what} are left out.",) if n_parts > LISTED else ()


def _counted(profile: ConfidenceProfile, codes: Codes, level: float) -> tuple[NDArray[Any], ...]:
    """Return rows, share of right answers with its ends, and confidence of the parts by one column: by counts."""
    weight = profile.sample_weight
    each = np.ones(len(profile)) if weight is None else weight
    total, squares, right, says = (
        np.bincount(codes, terms) for terms in (each, each**2, each * profile.correct, each * profile.confidence)
    )
    size = divide(total**2, squares, 0.0)
    share = np.clip(divide(right, total, np.nan), 0.0, 1.0)
    return np.bincount(codes), share, *clopper_pearson(share, size, level), divide(says, total, np.nan)


def _in_units(profile: ConfidenceProfile, codes: Codes, level: float) -> tuple[NDArray[Any], ...]:
    """Return the same of graded answers, of costs, and of answers in groups: by means over units."""
    n_parts = int(codes.max()) + 1
    says, right = (
        Means.of_parts(values, profile.sample_weight, profile.groups, codes, n_parts)
        for values in said_and_found(profile)
    )
    with np.errstate(invalid="ignore"):  # of empty parts
        ends = right.ends(level, bounded=profile.kind != "costs")
    return np.bincount(codes, minlength=n_parts), right.mean, *ends, says.mean
