"""Labels of any kind are converted to column indices. Errors name the row."""

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf._core.arrays import as_array, refuse_hidden
from skconf._core.messages import shorten
from skconf._core.problems import DataError

Codes = NDArray[np.intp]

#: Widest range of whole numbers that are looked up in a table.
_WIDEST = 1 << 12


class LabelColumn:
    """A column of labels, as distinct values and integer codes. They are computed once when they are needed.

    Distinct values are compared as Python objects. So ``1``, ``np.int64(1)``, ``1.0`` and ``True`` are the same label
    in any container.
    """

    def __init__(self, labels: ArrayLike, name: str) -> None:
        column: Any = labels
        if not isinstance(labels, pd.Series | pd.Index | pd.Categorical):
            if isinstance(labels, list | tuple):
                # In a list of numbers and words, numpy would turn the numbers into words. None would stay None.
                refuse_hidden(labels, name)
                column = np.array(labels, dtype=object)
            else:
                column = as_array(labels, name)
            if column.ndim == 2 and column.shape[1] == 1:
                column = column[:, 0]
            if column.ndim != 1:
                raise ValueError(
                    f"{name} must be a single column of labels, but has shape {column.shape}. "
                    "Multi-output and multilabel targets are not supported: pass one column at a time."
                )
        kind = getattr(column.dtype, "kind", "")
        if kind == "c":
            raise ValueError(f"Complex data not supported: {name} holds complex numbers, which cannot be labels.")
        if len(column) == 0:
            raise ValueError(f"{name} is empty; at least one sample is needed (0 samples given).")
        if isinstance(column.dtype, np.dtype) and not column.dtype.isnative:  # in a Series
            column = np.asarray(column).astype(column.dtype.newbyteorder("="))
        if kind in "mM":  # dates become pandas' own, whatever their unit in numpy
            column = pd.Index(column)
        self.name, self._column = name, column
        self._whole = np.asarray(column) if isinstance(column.dtype, np.dtype) and kind in "iub" else None
        if self._whole is None:  # whole numbers have no missing values
            _ = self.codes

    @cached_property
    def codes(self) -> Codes:
        """Position of each label in `distinct`."""
        return self._factorized[0]

    @cached_property
    def distinct(self) -> list[Any]:
        """Distinct labels in the order in which they occur."""
        return self._factorized[1]

    @cached_property
    def _factorized(self) -> tuple[Codes, list[Any]]:
        try:
            codes, distinct = pd.factorize(self._column)
        except TypeError:
            raise ValueError(f"{self.name} holds lists or sets, not labels: pass one label for each sample.") from None
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            rest = ". Drop or fill missing labels first."
            raise DataError(f"{self.name} has a missing label in ", row, rest, kind="missing", column=self.name)
        return np.asarray(codes, dtype=np.intp), distinct.tolist()

    def __len__(self) -> int:
        return len(self._column)

    def sorted_distinct(self) -> NDArray[Any]:
        """Return the distinct labels in sorted order."""
        try:
            return np.array(sorted(self.distinct))
        except TypeError:
            raise ValueError(
                f"{self.name} mixes labels that cannot be sorted together ({', '.join(self.kinds())}). "
                "Convert them to one type."
            ) from None

    def kinds(self) -> list[str]:
        """Return the names of the types of the labels."""
        return sorted({type(label).__name__ for label in self.distinct})

    def unseen_in(self, labels: NDArray[Any]) -> list[Any]:
        """Return the sorted distinct labels that are not among ``labels``; raise if they are of another kind."""
        seen = set(labels.tolist())
        unseen = [label for label in self.distinct if label not in seen]
        known = sorted({type(label).__name__ for label in labels.tolist()})
        if len({isinstance(label, str) for label in [*unseen, *labels.tolist()]}) > 1:
            raise ValueError(
                f"{self.name} holds labels of type {', '.join(self.kinds())}, such as {unseen[0]!r}, but the "
                f"classes are of type {', '.join(known)}: {shorten(labels.tolist())}. Convert them to one type."
            )
        return sorted(unseen)

    def positions_in(self, labels: NDArray[Any], hint: str = "") -> Codes:
        """Return the position of every row's label in ``labels``; raise if a label is not there."""
        where = {label: position for position, label in enumerate(labels.tolist())}
        looked_up = None if self._whole is None else _positions_of_whole(self._whole, where)
        if looked_up is not None:
            return looked_up
        table = np.array([where.get(label, -1) for label in self.distinct], dtype=np.intp)
        positions = table[self.codes]
        if (table < 0).any():
            row = int(np.argmax(positions < 0))
            unknown = [label for label, position in zip(self.distinct, table, strict=True) if position < 0]
            raise DataError(
                f"{self.name} holds {shorten(unknown)} (first in ",
                row,
                f"), not among the labels {shorten(labels.tolist())}. {hint}".rstrip(),
                kind="unknown label",
                column=self.name,
            )
        return positions


def _positions_of_whole(numbers: NDArray[Any], where: dict[Any, int]) -> Codes | None:
    """Look up positions in a table of a range of numbers; None if the range is too large or a number is unknown."""
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= _WIDEST:
        return None
    table = np.array([where.get(number, -1) for number in range(low, high + 1)], dtype=np.intp)
    if (table < 0).any():
        return None
    positions = numbers.astype(np.intp)
    if (table == np.arange(low, high + 1)).all():
        return positions
    return table[positions - numbers.min().astype(np.intp)]  # beyond the signed range both wrap around


def check_labels(labels: ArrayLike) -> NDArray[Any]:
    """Return the labels of the columns of probabilities as an array; raise if they are not distinct."""
    if np.ndim(labels) != 1:
        raise ValueError(f"labels must be one-dimensional, but has shape {np.shape(labels)}.")
    column = LabelColumn(labels, "labels")
    if len(column.distinct) != len(column):
        raise ValueError(f"labels must be distinct, but got {shorten(np.asarray(labels).tolist())}.")
    column.sorted_distinct()  # raises for a mixture of types
    return np.array(column.distinct)
