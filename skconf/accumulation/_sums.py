"""Sums with twice the digits, and the terms that intervals need besides those of metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats, row_blocks
from skconf.metrics._base.columns import lost
from skconf.metrics._base.kinds import Additive, Sums, Term
from skconf.metrics._base.sums import BlockSums
from skconf.profile import ConfidenceProfile

#: Sums that are added at once.
_AT_ONCE = 1 << 14


def add_pairs(one: Floats, other: Floats) -> Floats:
    """Add numbers, each held as a pair: the value, and its rounding error.

    Parameters
    ----------
    one, other : ndarray of shape (2, ...)
        Values, and the rounding errors to add for twice the digits; `other` may have none, and shape (1, ...).

    Returns
    -------
    ndarray of shape (2, ...)
        The sum, with a relative error of about 1e-32, so that the order of many additions does not matter.
    """
    with np.errstate(invalid="ignore"):  # where a sum is infinite
        rounded = one[0] + other[0]
        of_other = rounded - one[0]
        rest = (one[0] - (rounded - of_other)) + (other[0] - of_other) + sum(other[1:], start=one[1])
        total = rounded + rest
        if np.isfinite(rest).all():
            return np.stack([total, rest - (total - rounded)])
        return np.stack([np.where(np.isfinite(rest), total, rounded), np.nan_to_num(rest - (total - rounded))])


def add_onto(total: Floats, other: Floats, at: Any = slice(None)) -> None:
    """Add pairs of numbers, of shape (2, n_sums, n), in place: a few at a time, which stay in the cache.

    If `at` is given, as many places along the last axis as `other` has.
    """
    n_sums, n = other.shape[1:]
    for rows in row_blocks(n_sums, step=max(_AT_ONCE // n, 1)):
        some = total[:, rows]
        some[:, :, at] = add_pairs(some[:, :, at], other[:, rows])


@dataclass(frozen=True, eq=False)
class SumVector:
    """Many sums of several shapes, in one vector.

    Attributes
    ----------
    shapes : dict of str to list of shapes
        Shapes of the sums by name, in the order of the names.
    pairs : ndarray of shape (2, n_sums) or (2, n_sums, n_groups)
        All sums, and their rounding errors; those of groups may lack them, in shape (1, n_sums, n_groups).
    """

    shapes: Mapping[str, Sequence[Sequence[int]]]
    pairs: Floats

    @classmethod
    def of(cls, sums: Mapping[str, Sums], n_groups: int | None = None) -> Self:
        """Put sums one after the other; those of groups, the first axis of each, become the last."""
        ordered, lead = dict(sorted(sums.items())), 0 if n_groups is None else 1
        parts = [array.reshape(n_groups or 1, -1).T for arrays in ordered.values() for array in arrays]
        found = np.concatenate([np.empty((0, n_groups or 1)), *parts])
        shapes = {name: [list(array.shape[lead:]) for array in arrays] for name, arrays in ordered.items()}
        return cls(shapes, found[np.newaxis] if lead else np.stack([found[:, 0], np.zeros(len(found))]))

    def __add__(self, other: Self) -> "SumVector":
        return SumVector(self.shapes, add_pairs(self.pairs, other.pairs))

    def get(self, name: str) -> Sums:
        """Return the sums of that name; none if there are none."""
        start = 0
        for each, shapes in self.shapes.items():
            sizes = [prod(shape) for shape in shapes]
            if each == name:
                ends = [start, *(start + size for size in accumulate(sizes))]
                parts = (self.pairs[0, first:end] for first, end in pairwise(ends))
                return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
            start += sum(sizes)
        return ()


def calibrated_terms(metric: Additive, profile: ConfidenceProfile) -> tuple[list[Term], list[Term]]:
    """Return the terms that are expected if the confidences are calibrated, and their standard deviations.

    Correctness is then drawn with the confidence c: a term is x₁ or x₀, in the mean c x₁ + (1 − c) x₀, with a deviation
    of sqrt(c (1 − c)) (x₁ − x₀). Of a graded correctness z the root is z − c: all that is
    known of its deviation.
    """
    sure = profile.confidence
    apart = np.sqrt(sure * (1 - sure)) if profile.kind == "right or wrong" else profile.correctness - sure
    both = (metric.terms(profile.with_correctness(np.full(len(sure), right))) for right in (True, False))
    expected, deviations = [], []
    for right, wrong in zip(*both, strict=True):
        if np.ndim(right.values) == 0 and right.values == wrong.values:  # it does not read correctness
            expected.append(wrong)
            deviations.append(replace(wrong, values=0.0))
            continue
        gain = np.asarray(right.values, dtype=np.float64) - np.asarray(wrong.values)
        expected.append(replace(right, values=wrong.values + sure * gain))
        deviations.append(replace(right, values=apart * gain))
    return expected, deviations


def sums_of_errors(counted: NDArray[np.bool_] | None, profile: ConfidenceProfile, sums: BlockSums) -> Sums:
    """Return Σ w of the errors, or of what else is lost, of all that a metric counts, and Σ w² of it."""
    of = () if counted is None else (counted,)
    return sums.total(lost(profile), *of), sums.total(*of), sums.total(*of, power=2)
