"""Sums with twice the digits, and the second moments of the terms of metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf.metrics._base.kinds import Additive, Sums, Term
from skconf.profile import ConfidenceProfile


def add_pairs(one: Floats, other: Floats) -> Floats:
    """Add numbers, each held as a pair: the value, and its rounding error.

    Parameters
    ----------
    one, other : ndarray of shape (2, ...)
        Values, and the rounding errors to add for twice the digits.

    Returns
    -------
    ndarray of shape (2, ...)
        The sum, with a relative error of about 1e-32, so that the order of many additions does not matter.
    """
    with np.errstate(invalid="ignore"):  # where a sum is infinite
        rounded = one[0] + other[0]
        of_other = rounded - one[0]
        rest = (one[0] - (rounded - of_other)) + (other[0] - of_other) + (one[1] + other[1])
        total = rounded + rest
        return np.stack([np.where(np.isfinite(rest), total, rounded), np.nan_to_num(rest - (total - rounded))])


@dataclass(frozen=True, eq=False)
class SumVector:
    """Many sums of several shapes, in one vector.

    Attributes
    ----------
    shapes : dict of str to list of shapes
        Shapes of the sums by name, in the order of the names.
    pairs : ndarray of shape (2, n_sums)
        All sums, and their rounding errors.
    """

    shapes: Mapping[str, Sequence[Sequence[int]]]
    pairs: Floats

    @classmethod
    def of(cls, sums: Mapping[str, Sums]) -> Self:
        """Concatenate sums."""
        ordered = dict(sorted(sums.items()))
        parts = [np.ravel(array) for arrays in ordered.values() for array in arrays]
        vector = np.concatenate([np.empty(0), *parts])
        shapes = {name: [list(np.shape(array)) for array in arrays] for name, arrays in ordered.items()}
        return cls(shapes, np.stack([vector, np.zeros_like(vector)]))

    def __add__(self, other: Self) -> "SumVector":
        return SumVector(self.shapes, add_pairs(self.pairs, other.pairs))

    def arrays(self) -> dict[str, Sums]:
        """Return the sums by name."""
        sizes = [int(np.prod(shape)) for shapes in self.shapes.values() for shape in shapes]
        parts = iter(np.split(self.pairs[0], np.cumsum(sizes)[:-1]))
        return {name: tuple(next(parts).reshape(shape) for shape in shapes) for name, shapes in self.shapes.items()}


def second_moments(terms: Sequence[Term], sample_weight: Floats | None, n_samples: int) -> Sums:
    """Return, for any two sums of a metric, the sum over samples of the products of their terms.

    Returns
    -------
    tuple of ndarray
        For every pair of terms, the first no later than the second, a matrix over the sums of one and of the other.
    """
    return tuple(
        _products(one, other, sample_weight, n_samples)
        for position, one in enumerate(terms)
        for other in terms[position:]
    )


def calibrated_terms(metric: Additive, profile: ConfidenceProfile) -> tuple[list[Term], list[Term]]:
    """Return the terms that are expected if the confidences are calibrated, and their standard deviations.

    Correctness is then drawn with the confidence c: a term is x₁ or x₀, in the mean c x₁ + (1 − c) x₀, with a deviation
    of sqrt(c (1 − c)) (x₁ − x₀). Of a graded correctness z the root is z − c: all that is
    known of its deviation.
    """
    sure = profile.confidence
    apart = np.sqrt(sure * (1 - sure))
    if profile.kind != "right or wrong":
        apart = profile.correctness - sure
    both = (metric.terms(replace(profile, correctness=np.full(len(sure), right))) for right in (True, False))
    expected, deviations = [], []
    for right, wrong in zip(*both, strict=True):
        gain = np.asarray(right.values) - np.asarray(wrong.values)
        expected.append(replace(right, values=wrong.values + sure * gain))
        deviations.append(replace(right, values=apart * gain))
    return expected, deviations


def _products(one: Term, other: Term, sample_weight: Floats | None, n_samples: int) -> Floats:
    a, b = (np.asarray(term.weighted(sample_weight), dtype=np.float64) for term in (one, other))
    if a.ndim == 2 and b.ndim == 2:
        return a.T @ b
    if a.ndim == 2:
        return _products(other, one, sample_weight, n_samples).T
    product = (a[:, np.newaxis] if a.ndim == 1 and b.ndim == 2 else a) * b
    cell, n_cells = other.cell, other.n_cells
    if one.cell is not None:
        cell = one.cell * n_cells + (0 if cell is None else cell)
        n_cells *= one.n_cells
    total = Term(product, cell, n_cells).sum(None, n_samples, None, 1)
    return total.reshape(one.n_cells, -1)


def full_matrix(blocks: Sequence[Floats], n_terms: int) -> Floats:
    """Combine the blocks of :func:`second_moments` into one symmetric matrix."""
    of = iter(blocks)
    upper = {(i, j): next(of) for i in range(n_terms) for j in range(i, n_terms)}
    return np.block([[upper[i, j] if i <= j else upper[j, i].T for j in range(n_terms)] for i in range(n_terms)])


def sums_of_errors(counted: NDArray[np.bool_] | None, profile: ConfidenceProfile) -> Sums:
    """Return Σ w of the errors, or of what else is lost, of all that a metric counts, and Σ w² of it."""
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    if counted is not None:
        weight = weight * counted
    return np.asarray(weight @ profile.loss), np.asarray(weight.sum()), np.asarray(weight @ weight)
