"""Terms of metrics, and their sums over the samples of a block: each distinct one is found once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats

Sums = tuple[NDArray[Any], ...]

#: Most columns of a matrix, and most cells, that are added one by one.
_FEW = 4
#: Fewest samples for which a sparse matrix of the cells is worth its overhead.
_MANY_ROWS = 1 << 15


@dataclass(frozen=True)
class Term:
    """A weighted sum over samples, Σ wᵖ v, kept apart by cell where there are cells.

    Parameters
    ----------
    values : scalar or array-like of shape (n,) or (n, m)
        What each sample adds, before its weight.
    cell : ndarray of shape (n,), default=None
        The cell each sample adds to: a bin, a class, a pair of classes.
    n_cells : int, default=1
        Number of cells.
    power : int, default=1
        Power of the sample weight; a variance needs the second.
    """

    values: ArrayLike
    cell: Codes | None = None
    n_cells: int = 1
    power: int = 1

    def weighted(self, sample_weight: Floats | None) -> NDArray[Any]:
        """Return the values times their weight, one row for each sample where there is anything by sample."""
        values = np.asarray(self.values)
        if sample_weight is None:
            return values
        weight = sample_weight**self.power
        return values * (weight if values.ndim < 2 else weight[:, np.newaxis])

    def pull_back(self, gradient: NDArray[Any], sample_weight: Floats | None, n_samples: int) -> Floats:
        """Return, for every sample, its weighted values times the gradient of the sum they enter."""
        each = self.weighted(sample_weight)
        if self.cell is not None:
            gradient = gradient[self.cell]
        product = each * gradient
        return np.broadcast_to(product if product.ndim < 2 else product.sum(axis=1), n_samples)


class BlockSums:
    """Sums of terms, and of products of two, over the samples of a block.

    Arrays are told apart by identity: terms that hold the same array, such as one that `ConfidenceProfile.once`
    keeps, share what is found of it. Terms that do not share are only slower. Columns are multiplied by `numpy.dot`,
    which lets other threads run, unlike ``@``.

    Parameters
    ----------
    sample_weight : ndarray of shape (n_samples,) or None
        Weights; None stands for ones.
    n_samples : int
        Number of samples.
    groups : ndarray of shape (n_samples,), default=None
        Number of each sample's group, from 0. All sums then have a leading axis over the groups.
    n_groups : int, default=1
        Number of groups.
    """

    def __init__(
        self, sample_weight: Floats | None, n_samples: int, groups: Codes | None = None, n_groups: int = 1
    ) -> None:
        self.weight, self.n, self.groups, self.n_groups = sample_weight, n_samples, groups, n_groups
        self._found: dict[Any, Any] = {}
        self._held: dict[int, Any] = {}  # so that no other array gets the identity of one that is a key

    def of(self, term: Term) -> NDArray[Any]:
        """Return the sum of a term: a number, or an array over those of (groups, cells, columns) that exist."""
        values = np.asarray(term.values)
        shape = (() if self.groups is None else (self.n_groups,)) + (() if term.cell is None else (term.n_cells,))
        if values.ndim < 2:
            return self._sum((term.values,), term.power, term.cell, term.n_cells).reshape(shape)
        if self._is_wide(term):
            return self._sum_of_matrix(values, term.power).reshape(*shape, values.shape[1])
        n_cells = term.n_cells * self.n_groups
        index = self._index(term.cell, n_cells)
        if index is not None and values.shape[1] > _FEW:
            found = self._member(index, n_cells, self._column([], term.power)) @ values
            return np.asarray(found).reshape(*shape, values.shape[1])
        columns = [self._sum((column,), term.power, term.cell, term.n_cells) for column in self._columns(term)]
        return np.stack([column.reshape(shape) for column in columns], axis=-1)

    def products(self, terms: Sequence[Term]) -> Sums:
        """Return, for any two sums of a metric, the sum over samples of the products of their terms.

        Returns
        -------
        tuple of ndarray
            For every pair of terms, the first no later than the second, a matrix over the sums of one and of the other;
            of two terms with the same cells, where other cells have no products, only its diagonal.
        """
        return tuple(self._pair(one, other) for position, one in enumerate(terms) for other in terms[position:])

    def total(self, *columns: NDArray[Any], power: int = 1) -> NDArray[Any]:
        """Return Σ wᵖ times the product of no more than two columns: a number, or one for each group."""
        return self._sum(columns, power, None, 1).reshape(() if self.groups is None else (self.n_groups,))

    def _pair(self, one: Term, other: Term) -> NDArray[Any]:
        power, lead = one.power + other.power, () if self.groups is None else (self.n_groups,)
        if self._is_wide(one) or self._is_wide(other):
            return self._pair_with_matrix(one, other)
        left, right = self._columns(one), self._columns(other)
        single = len(left) == len(right) == 1
        if single and one.cell is not None and one.cell is other.cell:
            return self._sum((*left, *right), power, one.cell, one.n_cells).reshape(*lead, one.n_cells)
        cell, n_cells = self._joint(one, other)
        size = (*lead, one.n_cells, other.n_cells)
        if single:
            return self._sum((*left, *right), power, cell, n_cells).reshape(size)
        blocks = [[self._sum((a, b), power, cell, n_cells).reshape(size) for b in right] for a in left]
        found = np.stack([np.stack(row, axis=-1) for row in blocks], axis=-3)  # of cells, columns, cells, columns
        return found.reshape(*lead, one.n_cells * len(left), other.n_cells * len(right))

    def _sum(self, columns: tuple[Any, ...], power: int, cell: Codes | None, n_cells: int) -> NDArray[Any]:
        """Return Σ wᵖ times the product of columns, which may be numbers, by group and cell, in one axis."""
        factor = 1.0
        arrays: list[NDArray[Any]] = []
        for given in columns:
            if isinstance(given, float):
                factor *= given
                continue
            column = np.asarray(given)
            if column.ndim == 0:
                factor *= float(column)
            elif not (arrays and column is arrays[0] and column.dtype == np.bool_):  # whose square is itself
                arrays.append(column)
        n_cells, power = n_cells * self.n_groups, 1 if self.weight is None else power
        if factor == 0:
            return np.zeros(n_cells)
        if len(arrays) == 2:
            arrays.sort(key=id)
        key = ("sum", *[self._name(array) for array in arrays], power, self._name(cell))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._find_sum(arrays, power, cell, n_cells)
        return np.asarray(found if factor == 1 else factor * found)

    def _find_sum(self, arrays: list[Any], power: int, cell: Codes | None, n_cells: int) -> NDArray[Any]:
        index = self._index(cell, n_cells)
        if index is not None:
            return self._by_cell(arrays, power, index, n_cells)
        if len(arrays) == 2:
            one, other = arrays
            return np.asarray(np.dot(self._weighted(one, 1), self._weighted(other, power - 1)))
        if self.weight is not None:
            column = self._weighted(arrays[0], 1) if arrays else self._power(power)
            return np.asarray(np.dot(self._power(power - 1), column) if arrays and power > 1 else column.sum())
        if not arrays or arrays[0].dtype == np.bool_:
            return np.asarray(float(np.count_nonzero(arrays[0]) if arrays else self.n))
        return np.asarray(arrays[0].sum(dtype=np.float64))

    def _by_cell(self, arrays: list[Any], power: int, index: Codes, n_cells: int) -> NDArray[Any]:
        column = self._column(arrays, power)
        if column is None:
            return np.bincount(index, minlength=n_cells).astype(np.float64)
        if len(arrays) == 2 and not column.any():  # such as what is right times what is wrong
            return np.zeros(n_cells)
        if self.n < _MANY_ROWS:
            return np.bincount(index, weights=column, minlength=n_cells)
        if n_cells <= _FEW:
            masks = self._once(("masks", self._name(index)), lambda: self._masks(index, n_cells))
            return np.array([np.dot(mask, column) for mask in masks])
        return np.asarray(self._member(index, n_cells) @ column)

    def _masks(self, index: Codes, n_cells: int) -> list[Floats]:
        return [(index == cell).astype(np.float64) for cell in range(n_cells)]

    def _column(self, arrays: list[Any], power: int) -> Floats | None:
        """Return a power of the weights times no more than two columns; None if all are ones.

        Each column is weighted at most once, as other sums need it.
        """
        power = 0 if self.weight is None else power
        factors = [self._weighted(array, int(place < power)) for place, array in enumerate(arrays)]
        if power > len(arrays):
            factors.append(self._power(power - len(arrays)))
        return reduce(np.multiply, factors) if factors else None

    def _member(self, index: Codes, n_cells: int, column: Floats | None = None) -> Any:
        """Return the matrix of cells and samples with a one, or a value of the sample, in its cell."""

        def find() -> Any:
            value = np.ones(self.n) if column is None else column
            return sparse.csc_array((value, index, np.arange(self.n + 1)), shape=(n_cells, self.n))

        return find() if column is not None else self._once(("member", self._name(index)), find)

    def _index(self, cell: Codes | None, n_cells: int) -> Codes | None:
        """Return the position of each sample among groups and cells, None where there are neither."""
        if self.groups is None or cell is None:
            return self.groups if cell is None else cell
        groups = self.groups
        return self._once(("index", self._name(cell)), lambda: groups * (n_cells // self.n_groups) + cell)

    def _joint(self, one: Term, other: Term) -> tuple[Codes | None, int]:
        """Return the pair of cells of each sample as one cell."""
        n_cells = one.n_cells * other.n_cells
        if one.cell is None or other.cell is None:
            return (other.cell if one.cell is None else one.cell), n_cells
        first, second = one.cell, other.cell
        key = ("joint", self._name(first), self._name(second))
        return self._once(key, lambda: first * other.n_cells + second), n_cells

    def _is_wide(self, term: Term) -> bool:
        """Return whether the values are a matrix that is best left whole."""
        if term.cell is not None or self.groups is not None:
            return False
        shape = np.shape(term.values)
        return len(shape) == 2 and shape[1] > _FEW

    def _columns(self, term: Term) -> list[Any]:
        """Return the values as columns, each in one piece of memory; or as the number they are."""
        n_axes = np.ndim(term.values)
        if n_axes < 2:
            return [np.asarray(term.values) if n_axes else term.values]
        given = np.asarray(term.values)
        return self._once(
            ("columns", self._name(given)), lambda: list(np.asarray(given, dtype=np.float64, order="F").T)
        )

    def _sum_of_matrix(self, values: NDArray[Any], power: int) -> NDArray[Any]:
        def find() -> NDArray[Any]:
            if self.weight is None:
                return np.asarray(values.sum(axis=0, dtype=np.float64))
            return np.asarray(self._power(power) @ values)

        return self._once(("sum", self._name(values), power), find)

    def _pair_with_matrix(self, one: Term, other: Term) -> NDArray[Any]:
        a, b = np.asarray(one.values), np.asarray(other.values)
        power = one.power + other.power
        if a.ndim == 2 and b.ndim == 2:
            return np.asarray(self._weighted(a, one.power).T @ self._weighted(b, other.power))
        if a.ndim == 2:
            return self._pair_with_matrix(other, one).T
        if one.cell is None:
            found = self._sum_of_matrix(b, power) * a if a.ndim == 0 else self._weighted(a, power) @ b
            return np.asarray(found).reshape(1, -1)
        column = np.broadcast_to(self._weighted(a, power), self.n)
        return np.asarray(self._member(one.cell, one.n_cells, column) @ b)

    def _weighted(self, values: NDArray[Any], power: int) -> Floats:
        if self.weight is None or power == 0:
            return self._floats(values)
        weight = self._power(power) if values.ndim < 2 else self._power(power)[:, np.newaxis]
        return self._once(("weighted", self._name(values), power), lambda: weight * values)

    def _power(self, power: int) -> Floats:
        """Return a power of the weights, which are given."""
        weight: Any = self.weight
        return weight if power == 1 else self._once(("power", power), lambda: weight**power)

    def _floats(self, values: NDArray[Any]) -> Floats:
        if values.dtype == np.float64 and (values.ndim != 1 or values.flags.c_contiguous):
            return values
        return self._once(("floats", self._name(values)), lambda: np.ascontiguousarray(values, dtype=np.float64))

    def _name(self, array: Any) -> int:
        name = id(array)
        self._held[name] = array
        return name

    def _once(self, key: Any, find: Callable[[], Any]) -> Any:
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]


def full_matrix(blocks: Sequence[NDArray[Any]], n_terms: int) -> Floats:
    """Combine what :meth:`BlockSums.products` returns into one symmetric matrix."""
    of = (np.diag(block) if block.ndim == 1 else block for block in blocks)
    upper = {(i, j): next(of) for i in range(n_terms) for j in range(i, n_terms)}
    return np.block([[upper[i, j] if i <= j else upper[j, i].T for j in range(n_terms)] for i in range(n_terms)])
