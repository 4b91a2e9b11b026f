"""Read groups: the group of every sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.arrays import refuse_hidden
from skconf._core.columns import columns_by_name
from skconf._core.labels import Codes, LabelColumn


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every sample, as the position of its label, and the labels of the groups in order."""

    codes: Codes
    labels: pd.Index

    def __len__(self) -> int:
        return len(self.labels)

    def members(self) -> list[NDArray[np.intp]]:
        """Return the rows of every group."""
        return np.split(np.argsort(self.codes, kind="stable"), np.bincount(self.codes).cumsum()[:-1])


def read_groups(groups: Any, n_samples: int, name: str) -> Groups:
    """Read groups from a column of labels, or from several columns, with a group for each combination that occurs."""
    columns = columns_by_name(groups, name, "group")
    if not columns:
        raise ValueError(f"{name} has no columns.")
    parts = [_one_column(values, n_samples, place, label) for label, (place, values) in columns.items()]
    if len(parts) == 1:
        return parts[0]
    shape = tuple(len(part) for part in parts)
    cells, codes = np.unique(np.ravel_multi_index([part.codes for part in parts], shape), return_inverse=True)
    levels = [part.labels[position] for part, position in zip(parts, np.unravel_index(cells, shape), strict=True)]
    return Groups(codes, pd.MultiIndex.from_arrays(levels))


def _one_column(values: Any, n_samples: int, name: str, label: Any) -> Groups:
    refuse_hidden(values, name)
    shape = np.shape(values)
    if len(shape) != 1 and shape[1:] != (1,):
        raise ValueError(
            f"{name} must be a column with one label for each sample, or several such columns in a DataFrame or "
            f"mapping, but has shape {shape}."
        )
    column = LabelColumn(values, name)
    if len(column) != n_samples:
        raise ValueError(f"{name} has {len(column)} rows, but there are {n_samples} predictions.")
    distinct = column.sorted_distinct()
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):  # which has an order of its own
        there = set(column.distinct)
        distinct = np.array([category for category in values.dtype.categories if category in there])
    return Groups(column.positions_in(distinct), pd.Index(distinct, name=label))
