"""The slices that have thresholds of their own: predicted classes, or samples with the same values in some columns."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.arrays import refuse_hidden
from skconf._core.checks import check_option
from skconf._core.columns import columns_by_name, is_table, keys_of
from skconf._core.labels import Codes
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile

BY_CLASS = "predicted_class"
#: A column of numbers with more distinct values than this holds measurements, not groups.
_MOST_NUMBERS = 31


class Slices(NamedTuple):
    """The slices in which promises must hold, and the slice of each sample.

    Attributes
    ----------
    names : Index or None
        Predicted classes, values of a column, or tuples of values of several columns. None if there is one slice, of
        all samples.
    codes : ndarray of shape (n_samples,)
        The number of each sample's slice; -1 for a sample without a slice.
    answered : ndarray of shape (n_slices + 1,)
        For each slice, the share of its rows that have an answer; the other rows abstain. The last entry is the share
        of all rows that have an answer.
    """

    names: pd.Index | None
    codes: Codes
    answered: Floats

    @classmethod
    def of(cls, given: Any, profile: ConfidenceProfile) -> Self:
        """Read the slices that a user gave; None makes one slice of all samples."""
        in_total = profile.share_answered
        if given is None:
            return cls(None, np.zeros(len(profile), dtype=np.intp), np.full(2, in_total))
        if isinstance(given, str):
            check_option(given, "slices", (BY_CLASS,))
            names = pd.Index(profile.require("classes").tolist(), name=BY_CLASS)
            # Rows that abstain have no predicted class, so they are in no slice.
            return cls(names, profile.require("predicted_class"), np.append(np.ones(len(names)), in_total))
        table = _table_of(given, profile.n_rows)
        names = _cells(table.iloc[profile.answer_rows])
        of_all = codes_in(names, table)
        codes = of_all[profile.answer_rows]
        counts = [np.bincount(each[each >= 0], minlength=len(names)) for each in (codes, of_all)]
        return cls(names, codes, np.append(counts[0] / counts[1], in_total))


def _cells(table: pd.DataFrame) -> pd.Index:
    """Return the distinct rows of a table, without those that have a missing value."""
    table = _in_index(table)
    for name in table:
        column = table[name]
        if pd.api.types.is_numeric_dtype(column) and column.nunique() > _MOST_NUMBERS:
            raise ValueError(
                f"slices has the column {name!r} with {column.nunique():,} distinct numbers, and each of them "
                "would get its own threshold. Divide the numbers into a few ranges first, for example with "
                "pandas.cut."
            )
    found = table.dropna().drop_duplicates()
    if not len(found):
        raise ValueError(
            "slices has a missing value in every row, so no row belongs to a slice. Pass other columns, or fill "
            "in the missing values."
        )
    columns = list(table.columns)
    found = found.sort_values(columns, key=lambda column: column.astype(str), kind="stable")
    return pd.Index(found.iloc[:, 0], name=columns[0]) if len(columns) == 1 else pd.MultiIndex.from_frame(found)


def codes_in(cells: pd.Index, table: pd.DataFrame) -> Codes:
    """Return the number of the slice of each row; -1 if its values are unknown, or one of them is missing."""
    table = _in_index(table)
    rows = table.iloc[:, 0] if table.shape[1] == 1 else pd.MultiIndex.from_frame(table)
    codes = np.asarray(cells.get_indexer(pd.Index(rows)), dtype=np.intp)
    codes[table.isna().any(axis=1).to_numpy()] = -1
    return codes


def _in_index(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with float64 in place of float16 and long double, which an index of pandas cannot hold."""
    odd = [name for name, dtype in table.dtypes.items() if dtype in (np.float16, np.longdouble)]
    return table.astype(dict.fromkeys(odd, np.float64)) if odd else table


def columns_of(X: Any, names: Sequence[Any]) -> pd.DataFrame:
    """Return some columns of samples as a table."""
    if not is_table(X):
        values: Any = X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
        n_columns = values.shape[1] if values.ndim == 2 else 0
        for name in names:
            if isinstance(name, bool) or not isinstance(name, int | np.integer) or not 0 <= name < n_columns:
                raise ValueError(
                    f"slices needs the column {name!r}, but the {n_columns} columns of X have no names. Pass the "
                    "position of the column, or pass X as a DataFrame. If a transformer drops the names, put it "
                    "inside the classifier, in a pipeline."
                )
        chosen = values[:, list(names)]
        dense = chosen.toarray() if hasattr(X, "tocsc") else chosen
        return pd.DataFrame(dense, columns=list(names))
    named = keys_of(X)
    for name in names:
        if name not in named:
            close = suggest(str(name), [str(each) for each in named])
            raise ValueError(f"slices needs the column {name!r}, but X has the columns {named[:20]}.{close}")
    if isinstance(X, pd.DataFrame):
        return X[list(names)].reset_index(drop=True)
    return pd.DataFrame({name: np.asarray(X[name]) for name in names})


def _table_of(slices: Any, n_rows: int) -> pd.DataFrame:
    """Return the given values of slices as a table; raise if their length is not `n_rows`."""
    columns = {}
    for name, (place, given) in columns_by_name(slices, "slices", "slice").items():
        refuse_hidden(given, place)
        column = pd.Series(given if isinstance(given, pd.Series) else _one_dimensional(given, place))
        column = column.reset_index(drop=True)
        if column.dtype == object and any(isinstance(each, list | set | dict | np.ndarray) for each in column):
            raise ValueError(f"{place} has lists, sets, dicts or arrays. Pass one label for each sample.")
        if len(column) != n_rows:
            raise ValueError(f"{place} has {len(column)} rows, but there are {n_rows} samples.")
        columns[name] = column
    if not columns:
        raise ValueError("slices is a table without columns. Pass at least one column.")
    return pd.DataFrame(columns)


def _one_dimensional(given: Any, place: str) -> NDArray[Any]:
    values = np.asarray(given)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"{place} has shape {values.shape}. Pass one column of values, or a DataFrame with several columns."
        )
    return values
