"""Terms of metrics, and their sums over the samples of a block."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile

Sums = tuple[NDArray[Any], ...]

#: Up to this many columns of a matrix, or cells, are added one by one.
_FEW = 4
#: Fewest samples for which a sparse matrix of the cells is worth its overhead.
_MANY_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of each sample: a bin, a class or a pair of classes.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The cell of each sample.
    n : int
        Number of cells.
    """

    codes: Codes
    n: int


@dataclass(frozen=True, eq=False)
class Term:
    """A weighted sum over samples, Σ wᵖ v; with cells, one sum for each cell.

    Parameters
    ----------
    values : scalar or array-like of shape (n,) or (n, m)
        The value v of each sample, not yet multiplied by its weight.
    cells : Cells, default=None
        The cells of the samples. If None, there is one sum.
    power : int, default=1
        Power p of the sample weight. For a variance, it is 2.
    """

    values: ArrayLike
    cells: Cells | None = None
    power: int = 1

    def weighted(self, sample_weight: Floats | None) -> NDArray[Any]:
        """Return the values times the weights; a single value for all samples stays single if there are no weights."""
        values = np.asarray(self.values)
        if sample_weight is None:
            return values
        weight = sample_weight**self.power
        return values * (weight if values.ndim < 2 else weight[:, np.newaxis])

    def pull_back(self, gradient: NDArray[Any], sample_weight: Floats | None, n_samples: int) -> Floats:
        """Return the effect of each sample: its weighted values times the gradient of the sums they are added to."""
        each = self.weighted(sample_weight)
        if self.cells is not None:
            gradient = gradient[self.cells.codes]
        product = each * gradient
        return np.broadcast_to(product if product.ndim < 2 else product.sum(axis=1), n_samples)


class _Values:
    """Values of a term (a number, a column or a matrix), and their products with powers of weights, computed once."""

    __slots__ = ("given", "weighted")

    def __init__(self, given: NDArray[Any]) -> None:
        self.given, self.weighted = given, dict[int, Floats]()


class _Read(NamedTuple):
    """A term that is ready for summing. Terms with the same values or cells hold the same objects."""

    values: _Values
    cells: Cells | None
    power: int
    n_cells: int
    #: Whether the values are a matrix that is best left whole.
    is_wide: bool
    #: The values, unless they are a matrix.
    single: list[_Values]


class BlockSums:
    """Sums of terms, and of products of two terms, over the samples of a block.

    What several sums need is computed once. Columns and cells of two terms are the same if they have the same name in
    the block, such as a key of `computed_once`. Those without a name belong to their term alone. Columns are multiplied
    by `numpy.dot`, because it lets other threads run, unlike ``@``. Groups are numbered from 0. With groups, all sums
    have a leading axis over the groups.
    """

    def __init__(self, block: ConfidenceProfile, groups: Codes | None = None, n_groups: int = 1) -> None:
        self.block, self.weight, self.n = block, block.sample_weight, len(block)
        self.groups = None if groups is None else Cells(groups, n_groups)
        self._lead = () if groups is None else (n_groups,)
        #: Results so far, by their kind and the terms, columns, cells or powers that they belong to.
        self._kept: dict[Any, Any] = {}

    def of(self, term: Term) -> NDArray[Any]:
        """Return the sum of a term: a number, or an array over groups, cells and columns, as far as they exist."""
        values, cells, power, *_ = self._read(term)
        shape = self._lead + (() if cells is None else (cells.n,))
        if values.given.ndim < 2:
            return self._sum([values], power, cells).reshape(shape)
        if values.given.shape[1] <= _FEW:
            columns = self._columns(values)
            return np.stack([self._sum([column], power, cells).reshape(shape) for column in columns], axis=-1)
        place = self._joint(self.groups, cells)
        if place is None:
            return self._sum_of_matrix(values, power)
        return np.asarray(self._members(place, self._product([], power)) @ values.given).reshape(*shape, -1)

    def products(self, terms: Sequence[Term]) -> Sums:
        """Return the sums over samples of the products of any two terms, for the covariances of the sums.

        There is a matrix for every pair of terms, in order. It has a row for each sum of the first term and a column
        for each sum of the second. If both terms have the same cells, products of different cells are zero, so only the
        diagonal is returned.
        """
        read = [self._read(term) for term in terms]
        return tuple([self._pair(one, other) for position, one in enumerate(read) for other in read[position:]])

    def total(self, *columns: NDArray[Any], power: int = 1) -> NDArray[Any]:
        """Return Σ wᵖ times the product of at most two columns: a number, or one for each group."""
        return self._sum([self._read(Term(column)).values for column in columns], power, None).reshape(self._lead)

    def _pair(self, one: _Read, other: _Read) -> NDArray[Any]:
        if one.is_wide or other.is_wide:
            return self._pair_with_matrix(one, other)
        power, sizes = one.power + other.power, (one.n_cells, other.n_cells)
        left, right = one.single or self._columns(one.values), other.single or self._columns(other.values)
        single = len(left) == len(right) == 1
        if single and one.cells is not None and one.cells is other.cells:
            return self._sum([*left, *right], power, one.cells).reshape(*self._lead, one.n_cells)
        cells = self._joint(one.cells, other.cells)
        if single:
            return self._sum([*left, *right], power, cells).reshape(*self._lead, *sizes)
        blocks = [[self._sum([a, b], power, cells).reshape(*self._lead, *sizes) for b in right] for a in left]
        found = np.stack([np.stack(row, axis=-1) for row in blocks], axis=-3)  # axes: cells, columns, cells, columns
        return found.reshape(*self._lead, sizes[0] * len(left), sizes[1] * len(right))

    def _sum(self, columns: Sequence[_Values], power: int, cells: Cells | None) -> NDArray[Any]:
        """Return Σ wᵖ times the product of columns or numbers: a vector with a sum for each cell in each group."""
        factor, arrays = 1.0, list[_Values]()
        for column in columns:
            if column.given.ndim == 0:
                factor *= float(column.given)
            elif not (column in arrays and column.given.dtype == np.bool_):  # it is its own square
                arrays.append(column)
        place = cells if self.groups is None else self._joint(self.groups, cells)
        power = 1 if self.weight is None else power
        if factor == 0:
            return np.zeros(1 if place is None else place.n)
        key = ("sum", *arrays, power, place)
        found = self._kept.get(key)
        if found is None:
            found = self._sum_of_all(arrays, power) if place is None else self._sum_by_place(arrays, power, place)
            self._kept[key] = found
        return np.asarray(found if factor == 1 else factor * found)

    def _sum_of_all(self, arrays: Sequence[_Values], power: int) -> NDArray[Any]:
        if len(arrays) == 2:
            one, other = arrays
            return np.asarray(np.dot(self._weighted(one, 1), self._weighted(other, power - 1)))
        if self.weight is not None:
            column = self._weighted(arrays[0], 1) if arrays else self._power(power)
            return np.asarray(np.dot(self._power(power - 1), column) if arrays and power > 1 else column.sum())
        if not arrays or arrays[0].given.dtype == np.bool_:
            return np.asarray(float(np.count_nonzero(arrays[0].given) if arrays else self.n))
        return np.asarray(arrays[0].given.sum(dtype=np.float64))

    def _sum_by_place(self, arrays: Sequence[_Values], power: int, place: Cells) -> NDArray[Any]:
        column = self._product(arrays, power)
        if column is None:
            return np.bincount(place.codes, minlength=place.n).astype(np.float64)
        if len(arrays) == 2 and not column.any():  # such as right times wrong
            return np.zeros(place.n)
        if self.n < _MANY_ROWS:
            return np.bincount(place.codes, weights=column, minlength=place.n)
        if place.n <= _FEW:
            masks = self._once("masks", place, find=lambda: [(place.codes == i).astype(float) for i in range(place.n)])
            return np.array([np.dot(mask, column) for mask in masks])
        return np.asarray(self._members(place) @ column)

    def _product(self, arrays: Sequence[_Values], power: int) -> Floats | None:
        """Return a power of the weights times at most two columns; None if all are ones.

        A column is multiplied by w and not by a higher power, because other sums need the product w v, too.
        """
        power = 0 if self.weight is None else power
        factors = [self._weighted(values, int(place < power)) for place, values in enumerate(arrays)]
        if power > len(arrays):
            factors.append(self._power(power - len(arrays)))
        return reduce(np.multiply, factors) if factors else None

    def _members(self, place: Cells, column: Floats | None = None) -> Any:
        """Return a sparse matrix with a row for each place and a column for each sample.

        The only entry of a sample is at its place. It is the number of the sample in `column`, or 1.
        """
        if column is None:
            return self._once("members", place, find=lambda: self._members(place, np.ones(self.n)))
        return sparse.csc_array((column, place.codes, np.arange(self.n + 1)), shape=(place.n, self.n))

    def _joint(self, one: Cells | None, other: Cells | None) -> Cells | None:
        """Combine the two cells of each sample into one cell, which stands for this pair."""
        if one is None or other is None:
            return other if one is None else one
        first, second = one, other
        return self._once(
            "joint", one, other, find=lambda: Cells(first.codes * second.n + second.codes, first.n * second.n)
        )

    def _read(self, term: Term) -> _Read:
        """Return a term with its values and cells. Those with the same name in the block are the same objects."""
        read: _Read | None = self._kept.get(term)
        if read is None:
            values = self._shared(term.values, _Values, np.asarray(term.values))
            own = term.cells
            cells = None if own is None else self._shared(own.codes, Cells, own.codes, own.n)
            is_matrix, n_cells = values.given.ndim == 2, 1 if cells is None else cells.n
            is_wide = is_matrix and values.given.shape[1] > _FEW and cells is None and self.groups is None
            read = self._kept[term] = _Read(values, cells, term.power, n_cells, is_wide, [] if is_matrix else [values])
        return read

    def _shared(self, array: Any, make: Callable[..., Any], given: NDArray[Any], *more: Any) -> Any:
        """Return what `make` makes of an array. It is made once for each name that an array has in the block."""
        name = self.block.name_of(array) if isinstance(array, np.ndarray) else None
        if name is None:
            return make(given, *more)
        key = (make, name, *more)
        shared = self._kept.get(key)
        if shared is None:
            shared = self._kept[key] = make(given, *more)
        return shared

    def _columns(self, values: _Values) -> list[_Values]:
        """Return a matrix as columns, each contiguous in memory."""
        return self._once(
            "columns", values, find=lambda: [*map(_Values, np.asarray(values.given, np.float64, order="F").T)]
        )

    def _sum_of_matrix(self, values: _Values, power: int) -> NDArray[Any]:
        def find() -> NDArray[Any]:
            if self.weight is None:
                return np.asarray(values.given.sum(axis=0, dtype=np.float64))
            return np.asarray(self._power(power) @ values.given)

        return self._once("sum", values, power, find=find)

    def _pair_with_matrix(self, one: _Read, other: _Read) -> NDArray[Any]:
        a, b, power = one.values, other.values, one.power + other.power
        if a.given.ndim == b.given.ndim == 2:
            return np.asarray(self._weighted(a, one.power).T @ self._weighted(b, other.power))
        if a.given.ndim == 2:
            return self._pair_with_matrix(other, one).T
        if one.cells is not None:
            column = np.broadcast_to(self._weighted(a, power), self.n)
            return np.asarray(self._members(one.cells, column) @ b.given)
        found = self._sum_of_matrix(b, power) * a.given if a.given.ndim == 0 else self._weighted(a, power) @ b.given
        return np.asarray(found).reshape(1, -1)

    def _weighted(self, values: _Values, power: int) -> Floats:
        """Return values times a power of the weights, as contiguous floats."""
        power = 0 if self.weight is None else power
        if power not in values.weighted:
            given = values.given
            if power:
                weight = self._power(power)
                found = (weight if given.ndim < 2 else weight[:, np.newaxis]) * given
            elif given.dtype == np.float64 and (given.ndim != 1 or given.flags.c_contiguous):
                found = given
            else:
                found = np.ascontiguousarray(given, dtype=np.float64)
            values.weighted[power] = found
        return values.weighted[power]

    def _power(self, power: int) -> Floats:
        """Return a power of the weights."""
        weight: Any = self.weight
        return weight if power == 1 else self._once("power", power, find=lambda: weight**power)

    def _once(self, *key: Any, find: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = find()
        return self._kept[key]


def full_matrix(blocks: Sequence[NDArray[Any]], n_terms: int) -> Floats:
    """Combine what :meth:`BlockSums.products` returns into one symmetric matrix."""
    each = (np.diag(block) if block.ndim == 1 else block for block in blocks)
    upper = {(i, j): next(each) for i in range(n_terms) for j in range(i, n_terms)}
    return np.block([[upper[i, j] if i <= j else upper[j, i].T for j in range(n_terms)] for i in range(n_terms)])
