"""The slices that have thresholds of their own: predicted classes, or cells of columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from skconf._core.arrays import refuse_hidden
from skconf._core.labels import Codes
from skconf._core.messages import suggest

BY_CLASS = "predicted_class"
#: Numbers with more distinct values than this are measurements, not groups.
_MOST_NUMBERS = 31


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct rows of some columns.

    Attributes
    ----------
    columns : sequence of label or int, or None
        Names or positions of the columns of X; None for predicted classes.
    index : Index
        The cells: values of the column, or tuples of several.
    """

    columns: Sequence[Any] | None
    index: pd.Index

    @classmethod
    def of_classes(cls, classes: Sequence[Any]) -> Self:
        """Return the cells of predicted classes."""
        return cls(None, pd.Index(list(classes), name=BY_CLASS))

    @classmethod
    def of(cls, table: pd.DataFrame) -> Self:
        """Return the cells of a table, but those in which something is missing."""
        for name in table:
            column = table[name]
            if pd.api.types.is_numeric_dtype(column) and column.nunique() > _MOST_NUMBERS:
                raise ValueError(
                    f"slices has the column {name!r} with {column.nunique():,} distinct numbers, and each would get a "
                    "threshold of its own. Cut it into a few ranges first, as pandas.cut does."
                )
        found = table.dropna().drop_duplicates()
        if not len(found):
            raise ValueError("slices has no row without a missing value.")
        columns = list(table.columns)
        found = found.sort_values(columns, key=lambda column: column.astype(str), kind="stable")
        index = pd.Index(found.iloc[:, 0], name=columns[0]) if len(columns) == 1 else pd.MultiIndex.from_frame(found)
        return cls(columns, index)

    def codes(self, table: pd.DataFrame) -> Codes:
        """Return the number of each row's cell; -1 where it is unknown, or something is missing."""
        rows = table.iloc[:, 0] if table.shape[1] == 1 else pd.MultiIndex.from_frame(table)
        codes = np.asarray(self.index.get_indexer(pd.Index(rows)), dtype=np.intp)
        codes[table.isna().any(axis=1).to_numpy()] = -1
        return codes

    def codes_in(self, X: Any) -> Codes:
        """Return the number of each sample's cell."""
        return self.codes(columns_of(X, self.columns or ()))

    def name(self, code: int) -> Any:
        """Return a cell, as it stands in the index of results."""
        return self.index[code]


def columns_of(X: Any, names: Sequence[Any]) -> pd.DataFrame:
    """Return some columns of samples as a table.

    Raises
    ------
    ValueError
        If X has no such column.
    """
    named = getattr(X, "columns", None)
    if named is None:
        values: Any = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
        n_columns = values.shape[1] if values.ndim == 2 else 0
        for name in names:
            if isinstance(name, bool) or not isinstance(name, int | np.integer) or not 0 <= name < n_columns:
                raise ValueError(
                    f"slices names the column {name!r}, but X has {n_columns} columns without names. Pass a position, "
                    "or X as a DataFrame. A transformer that drops the names belongs inside: "
                    "TunedSelectiveClassifierCV(make_pipeline(...), slices=...)."
                )
        chosen = values[:, list(names)]
        dense = chosen.toarray() if hasattr(X, "tocsc") else chosen
        return pd.DataFrame(dense, columns=list(names))
    for name in names:
        if name not in named:
            close = suggest(str(name), [str(each) for each in named])
            raise ValueError(f"slices names the column {name!r}, but X has the columns {list(named)[:20]}.{close}")
    chosen = X[list(names)]
    table = chosen if isinstance(chosen, pd.DataFrame) else pd.DataFrame({n: np.asarray(chosen[n]) for n in names})
    return table.reset_index(drop=True)


def table_of(slices: Any, n_rows: int) -> pd.DataFrame:
    """Return slices that are given as values as a table.

    Raises
    ------
    ValueError
        If they are of another length, or a masked array hides some.
    """
    if isinstance(slices, pd.DataFrame):
        table = slices.reset_index(drop=True)
    elif isinstance(slices, dict):
        for name, values in slices.items():
            refuse_hidden(values, f"slices[{name!r}]")
        table = pd.DataFrame({name: np.asarray(values) for name, values in slices.items()})
    elif isinstance(slices, pd.Series):
        table = slices.reset_index(drop=True).to_frame("slice" if slices.name is None else slices.name)
    else:
        refuse_hidden(slices, "slices")
        values = np.asarray(slices)
        if values.ndim != 1:
            raise ValueError(f"slices has shape {values.shape}. Pass a column of values, or a DataFrame of several.")
        table = pd.DataFrame({"slice": values})
    if not table.shape[1]:
        raise ValueError("slices has no column.")
    for name, column in table.items():
        if column.dtype == object and any(isinstance(each, list | set | dict | np.ndarray) for each in column):
            raise ValueError(f"slices has lists or the like in {name!r}: pass one label for each sample.")
    if len(table) != n_rows:
        raise ValueError(f"slices has {len(table)} rows, but there are {n_rows} samples.")
    return table
