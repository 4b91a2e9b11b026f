"""Labels of any kind turned into column indices, with errors that name the row."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf._messages import shorten

Codes = NDArray[np.intp]


class LabelColumn:
    """A column of labels, factorised once: integer codes into its distinct values.

    Distinct values are compared as Python objects, so that ``1``, ``np.int64(1)``, ``1.0`` and ``True`` are
    one label, whatever container they came in.
    """

    def __init__(self, labels: ArrayLike, name: str) -> None:
        column: Any = labels
        if not isinstance(labels, pd.Series | pd.Index | pd.Categorical):
            column = np.asarray(labels)
            if column.ndim == 2 and column.shape[1] == 1:
                column = column[:, 0]
            if column.ndim != 1:
                raise ValueError(
                    f"{name} must be a single column of labels, but has shape {column.shape}. "
                    "Multi-output and multilabel targets are not supported: pass one column at a time."
                )
        if len(column) == 0:
            raise ValueError(f"{name} is empty; at least one sample is needed (0 samples given).")
        codes, distinct = pd.factorize(column)
        if (codes < 0).any():
            raise ValueError(
                f"{name} has a missing label in row {int(np.argmax(codes < 0))}. Drop or fill missing labels first."
            )
        self.name = name
        self.codes: Codes = np.asarray(codes, dtype=np.intp)
        self.distinct: list[Any] = distinct.tolist()

    def __len__(self) -> int:
        return len(self.codes)

    def sorted_distinct(self) -> NDArray[Any]:
        """Return the distinct labels in sorted order."""
        try:
            return np.array(sorted(self.distinct))
        except TypeError:
            kinds = sorted({type(label).__name__ for label in self.distinct})
            raise ValueError(
                f"{self.name} mixes labels that cannot be sorted together ({', '.join(kinds)}). "
                "Convert them to one type."
            ) from None

    def positions_in(self, labels: NDArray[Any], hint: str = "") -> Codes:
        """Return the position of every row's label in ``labels``; a label that is not there raises."""
        where = {label: position for position, label in enumerate(labels.tolist())}
        table = np.array([where.get(label, -1) for label in self.distinct], dtype=np.intp)
        positions = table[self.codes]
        if (table < 0).any():
            row = int(np.argmax(positions < 0))
            unknown = [label for label, position in zip(self.distinct, table, strict=True) if position < 0]
            raise ValueError(
                f"{self.name} holds {shorten(unknown)} (first in row {row}), not among the labels "
                f"{shorten(labels.tolist())}. {hint}".rstrip()
            )
        return positions


def check_labels(labels: ArrayLike) -> NDArray[Any]:
    """Return the labels of the probability columns as an array of distinct values."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must be one-dimensional, but has shape {array.shape}.")
    if len(set(array.tolist())) != len(array):
        raise ValueError(f"labels must be distinct, but is {shorten(array.tolist())}.")
    return array
