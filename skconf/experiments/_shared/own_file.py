"""The user's own file of features and labels: CSV in any layout, or Parquet."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from skconf._core.messages import capitalized, option, shorten, suggest
from skconf._core.problems import located
from skconf._core.usual_names import INDICES, spelled
from skconf._core.warn import warn
from skconf.tables._csv import first_line_is_data, layout_of
from skconf.tables._entries import as_numbers, as_series
from skconf.tables._files import open_table
from skconf.tables._paths import PARQUET, list_files, shown, stem

#: The entries of columns of numbers that mean a missing number.
_MISSING = frozenset({"", "?", "-", ".", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "unknown"})
#: The entries that mean a missing label.
_NO_LABEL = frozenset({"", "?", "nan", "#n/a"})
#: A column has numbers if at most this share of its entries is not a number.
_MOST_OTHERS = 0.05
#: A column of text names the rows if it has more distinct values than this share of the rows.
_MOST_DISTINCT = 0.5
#: With fewer rows, all values may differ by chance.
_FEW_ROWS = 30


def read_own_file(path: str | Path, target: str | None) -> Bunch:
    """Read features and labels from a file.

    Columns of numbers are read as numbers, with a decimal point or a decimal comma. Other columns are categories.
    Columns that only name the rows are left out, with a warning.
    """
    (file, *more) = list_files(path)
    if more:
        raise ValueError(f"{path} has {1 + len(more)} files. Name one of them.")
    table = open_table(file)
    with located(shown(file)):
        _check_columns(table.names, target)
        tables = list(table.batches(table.names, None))
        if not tables or not len(tables[0]):
            raise ValueError("there are no rows")
        separator = "," if file.suffix in PARQUET else layout_of(file).separator
        columns = {name: as_series(tables[0][name]).reset_index(drop=True) for name in table.names}
    labels = _labels(columns.pop(target))
    features = {name: _feature(name, column, separator) for name, column in columns.items()}
    return Bunch(data=pd.DataFrame(_without_names_of_rows(features)), target=labels, name=stem(file.name))


def _check_columns(names: list[Any], target: str | None) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"there are several columns {shorten(twice)}. Rename all but one.")
    if target is None or target not in names:
        columns = f"the columns are {shorten(names, 20)}{first_line_is_data(names)}."
        lacks = f"{columns} Name the column of labels with {option('target')}."
        known = "" if target is None else f"there is no column {target!r}.{suggest(target, map(str, names))} "
        raise ValueError(f"{known}{capitalized(lacks) if known else lacks}")
    if len(names) == 1:
        raise ValueError(
            f"the only column is {target!r}. Features are needed, too. Check that cells are separated by commas, "
            "semicolons, tabs or vertical bars."
        )


def _labels(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return labels, as numbers if all are numbers, so that 10 follows 9. A missing label is None or NaN."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return column
    texts = column.astype(object).where(~column.astype(str).str.lower().isin(_NO_LABEL), None)
    known = texts.dropna()
    numbers = as_numbers(known)
    if np.isnan(numbers).any() or known.str.match(r"0\d").any():
        return texts
    whole = bool((numbers == np.round(numbers)).all())
    filled = pd.Series(np.nan, index=texts.index)
    filled[known.index] = numbers
    return filled.astype(np.int64) if whole and len(known) == len(texts) else filled


def _feature(name: str, column: "pd.Series[Any]", separator: str) -> Any:
    """Return a column as numbers if it holds numbers, else as text. An empty cell becomes NaN or None."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column.dtype):
        return column
    texts = column.astype(object)
    lacks = texts.isna() | texts.astype(str).str.lower().isin(_MISSING)
    known = texts[~lacks].astype(str)
    numbers = _as_numbers(known, separator)
    others = known[np.isnan(numbers)]
    if len(known) and len(others) > _MOST_OTHERS * len(known):
        return texts.where(texts != "", None)
    if len(others):
        warn(
            f"The column {name!r} holds numbers, except for {len(others):,} of {len(known):,} entries, such as "
            f"{others.iloc[0]!r}. These entries count as missing."
        )
    filled = np.full(len(texts), np.nan)
    filled[~lacks.to_numpy()] = numbers
    return filled


def _as_numbers(texts: "pd.Series[Any]", separator: str) -> Any:
    """Return texts as numbers. If commas separate the cells of the file, it may have 1,234.5, else 1.234,5."""
    numbers = as_numbers(texts)
    if not np.isnan(numbers).any():
        return numbers
    point, thousands = (".", ",") if separator == "," else (",", ".")
    p, t = re.escape(point), re.escape(thousands)
    fits = texts.str.fullmatch(rf"[-+]?(\d{{1,3}}({t}\d{{3}})+|\d+)?({p}\d+)?%?")
    plain = texts.str.rstrip("%").str.replace(thousands, "").str.replace(point, ".")
    parsed = pd.to_numeric(plain.where(fits), errors="coerce").to_numpy(dtype=np.float64)
    return parsed if np.isnan(parsed).mean() < np.isnan(numbers).mean() else numbers


def _without_names_of_rows(features: dict[str, Any]) -> dict[str, Any]:
    """Return the columns, except those that only name or count the rows; if all do, return all."""
    out = [name for name, column in features.items() if _names_rows(str(name), pd.Series(column))]
    if len(out) == len(features):
        return features
    if out:
        warn(f"Left out {shorten(out)}: nearly every row has a different value, so the column only names rows.")
    return {name: column for name, column in features.items() if name not in out}


def _names_rows(name: str, column: "pd.Series[Any]") -> bool:
    """Return whether a column only identifies rows: a row number, an id, or text that differs in most rows."""
    n_distinct, n_rows = column.nunique(), len(column)
    if n_rows < _FEW_ROWS:
        return spelled(name) in INDICES
    if not pd.api.types.is_numeric_dtype(column):
        return n_distinct > _MOST_DISTINCT * n_rows
    whole = n_distinct == n_rows and bool((column == np.round(column)).all())
    counts = whole and column.max() - column.min() == n_rows - 1
    return counts or (
        whole and (spelled(name) in INDICES or re.search(r"(^|_)(id|uuid|key|nr|no)$", spelled(name)) is not None)
    )
