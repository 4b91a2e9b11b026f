"""Slices of the rows: columns are divided into a few slices with readable names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.arrays import refuse_hidden
from skconf._core.columns import columns_by_name
from skconf._core.labels import Codes
from skconf._core.messages import visible
from skconf._core.numbers import fewest_digits
from skconf._core.probabilities import Floats
from skconf.tables._entries import as_numbers, as_series
from skconf.tables._files import OpenedFile
from skconf.tables._rows import read_columns

#: Most distinct numbers, and most distinct days, of which each one is a slice. If there are more, they are cut into
#: quarters.
_MOST_NUMBERS, _MOST_DAYS = 12, 31
#: Most distinct texts of which each one is a slice. If there are more, only the most frequent ones are.
_MOST_TEXTS = 50
_QUARTERS = (0.25, 0.5, 0.75)
#: Kinds of columns of numbers, by the names that pandas infers.
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
#: Texts that stand for no number among numbers.
_NO_NUMBER = ["", "nan", "na", "n/a", "null", "none"]
#: Characters of a value that are shown.
_WIDEST = 60


@dataclass(frozen=True, eq=False)
class Slices:
    """The slices by one column.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        Position of each row's slice among the names.
    names : sequence of str
        What each slice is called: "region = north", "age 37 to 52", "age is missing".
    n_rows : ndarray of shape (n_slices,) or None
        Number of rows of each slice, including rows that abstain, which `codes` leaves out; None if no row abstains.
    """

    codes: Codes
    names: Sequence[str]
    n_rows: NDArray[np.intp] | None = None

    def __getitem__(self, rows: Any) -> "Slices":
        return replace(self, codes=self.codes[rows])

    def of_answers(self, rows: NDArray[np.intp]) -> "Slices":
        """Return the slices of the rows that have an answer; `n_rows` still counts all rows of each slice."""
        return replace(self[rows], n_rows=np.bincount(self.codes, minlength=len(self.names)))


def read_slices(columns: Any, n_samples: int) -> dict[Any, Slices]:
    """Return the slices by each column of a table, or by a single column.

    Raise a ValueError if there is no column, or if one has another length than `n_samples`, holds lists or other
    containers, or has a different text in nearly every row.
    """
    found = columns_by_name(columns, "slices", "slice")
    if not found:
        raise ValueError("slices has no columns. Pass at least one column, or leave slices out.")
    return {name: read_column(name, values, n_samples, place) for name, (place, values) in found.items()}


def slices_of_files(
    files: Mapping[str, OpenedFile], names: Any, kept: Mapping[str, NDArray[np.intp] | None]
) -> dict[str, dict[Any, Slices]]:
    """Return the slices of the rows of each model's file, by the columns `names`, which are cut alike in all files.

    `kept` has the numbers of the rows that were kept, if not all rows of a file were. Raise if a column is missing, or
    has a different text in nearly every row.
    """
    listed = list(dict.fromkeys(names if isinstance(names, list | tuple) else [names]))
    tables = []
    for model, file in files.items():
        table, rows = read_columns(file, listed, "slices"), kept.get(model)
        columns = {name: as_series(table[name]) for name in listed}
        tables.append(columns if rows is None else {name: column.iloc[rows] for name, column in columns.items()})
    ends = np.cumsum([len(table[listed[0]]) for table in tables])
    slices_of: dict[str, dict[Any, Slices]] = {model: {} for model in files}
    for name in listed:
        column = pd.concat([table[name] for table in tables], ignore_index=True)
        slices = read_column(name, column, len(column), f"slices[{name!r}]", texts_may_be_numbers=True)
        for model, rows in zip(files, np.split(np.arange(len(column)), ends[:-1]), strict=True):
            slices_of[model][name] = slices[rows]
    return slices_of


def read_column(name: Any, values: Any, n_samples: int, place: str, *, texts_may_be_numbers: bool = False) -> Slices:
    """Return the slices by one column, which messages call `place`.

    With `texts_may_be_numbers`, as in files of text, "12" is a number.
    """
    column = _as_column(values, place)
    if len(column) != n_samples:
        raise ValueError(f"{place} has {len(column):,} rows, but there are {n_samples:,} predictions.")
    try:
        codes, distinct = pd.factorize(column)
    except TypeError:
        raise ValueError(f"{place} holds lists or sets. Pass a single value for each row.") from None
    count = np.bincount(codes[codes >= 0], minlength=len(distinct))
    slice_of, names = _cut(name, pd.Index(distinct), count, texts_may_be_numbers)
    slice_of = np.append(slice_of, -1)  # this is found for a code of -1, a missing entry
    slice_of_row = slice_of[codes]
    if (slice_of_row < 0).any():
        slice_of_row, names = np.where(slice_of_row < 0, len(names), slice_of_row), [*names, "is missing"]
    return Slices(slice_of_row, [visible(f"{name} {text}") for text in names])


def _as_column(values: Any, place: str) -> "pd.Series[Any]":
    """Return values as a Series; in a list, numbers stay numbers and texts stay texts."""
    refuse_hidden(values, place)
    if isinstance(values, list | tuple | pd.Index | pd.api.extensions.ExtensionArray):
        values = pd.Series(values)
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] == 1:
        values = np.asarray(values)[:, 0]
    elif len(shape) != 1:
        raise ValueError(f"{place} must hold a single value for each row, but has shape {shape}.")
    return as_series(values)


def _cut(
    name: Any, distinct: "pd.Index[Any]", count: NDArray[np.intp], texts_may_be_numbers: bool
) -> tuple[Codes, list[str]]:
    """Return the slice of each distinct value, -1 for a missing value, and the names of the slices."""
    if pd.api.types.infer_dtype(distinct) in _NUMBERS and not isinstance(distinct, pd.CategoricalIndex):
        return _in_quarters(distinct.to_numpy(dtype=np.float64), count, fewest_digits, _MOST_NUMBERS)
    texts = pd.Series([str(value).strip() for value in distinct], dtype=object)
    missing = (texts == "").to_numpy()
    ordered = None if missing.all() else _in_order(distinct, texts, texts_may_be_numbers)
    if ordered is not None:
        keys, written, at_most = ordered
        missing = missing | np.isnan(keys)
    there = np.flatnonzero(~missing)
    slice_of = np.full(len(distinct), -1, dtype=np.intp)
    if ordered is None:
        slice_of[there], names = _by_text(name, texts[there], count[there])
    else:
        slice_of[there], names = _in_quarters(keys[there], count[there], written, at_most)
    return slice_of, names


def _in_order(
    distinct: "pd.Index[Any]", texts: "pd.Series[str]", texts_may_be_numbers: bool
) -> tuple[Floats, Callable[[Floats], list[str]], int] | None:
    """Return a number for each value, a function that writes such numbers, and how many values may have a slice each.

    The numbers are in the order of the values. Return None if the values are names: texts, categories, truth values, or
    codes such as 007.
    """
    if isinstance(distinct, pd.CategoricalIndex):
        return None
    dated = texts.str.match(r"\d{4}-\d\d-\d\d").all()
    if dated or isinstance(distinct, pd.PeriodIndex | pd.TimedeltaIndex):
        keys, days = pd.factorize(texts if dated else distinct, sort=True)
        return keys.astype(np.float64), lambda ends: _written_days([str(days[int(end)]) for end in ends]), _MOST_DAYS
    known = ~texts.str.lower().isin(_NO_NUMBER)
    if not (texts_may_be_numbers and known.any()) or texts[known].str.match(r"[-+]?0\d").any():
        return None
    numbers = np.full(len(texts), np.nan)
    numbers[known] = as_numbers(texts[known].reset_index(drop=True))
    return None if np.isnan(numbers[known]).any() else (numbers, fewest_digits, _MOST_NUMBERS)


def _in_quarters(
    keys: Floats, count: NDArray[np.intp], written: Callable[[Floats], list[str]], at_most: int
) -> tuple[Codes, list[str]]:
    """Return a slice for each value if there are few; else four intervals with about a quarter of the rows each."""
    values, places = np.unique(keys, return_inverse=True)
    if len(values) <= at_most:
        return places, [f"= {text}" for text in written(values)]
    rows = np.bincount(places, count).cumsum()
    cuts = np.unique(np.searchsorted(rows, rows[-1] * np.array(_QUARTERS)))  # the last value of each quarter
    quarter = np.searchsorted(cuts, np.arange(len(values)))
    first = np.flatnonzero(np.diff(quarter, prepend=-1))
    last = np.append(first[1:], len(values)) - 1
    texts = written(values[np.column_stack([first, last]).ravel()])
    names = [
        f"= {low}" if low == high else f"{low} to {high}" for low, high in zip(texts[::2], texts[1::2], strict=True)
    ]
    return quarter[places], names


def _by_text(name: Any, texts: "pd.Series[str]", count: NDArray[np.intp]) -> tuple[Codes, list[str]]:
    """Return a slice for each text; if there are very many, for the most frequent texts, and one for all others."""
    places, distinct = pd.factorize(texts, sort=True)
    rows = np.bincount(places, count, len(distinct))
    if len(distinct) <= _MOST_TEXTS:
        return places, [f"= {_short(text)}" for text in distinct]
    if len(distinct) > rows.sum() / 2:
        raise ValueError(
            f"slices[{name!r}] has {len(distinct):,} different strings in {int(rows.sum()):,} rows, nearly one for "
            "each row. Leave the column out, or group its values first, such as streets by city."
        )
    order = np.lexsort((np.arange(len(rows)), -rows))
    slice_of = np.full(len(rows), _MOST_TEXTS)
    slice_of[order[:_MOST_TEXTS]] = np.arange(_MOST_TEXTS)
    names = [f"= {_short(distinct[at])}" for at in order[:_MOST_TEXTS]]
    return slice_of[places], [*names, f"= one of {len(rows) - _MOST_TEXTS:,} others"]


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _written_days(texts: Sequence[str]) -> list[str]:
    """Return dates without the time of day where the days suffice."""
    days = [text[:10] for text in texts]
    return days if len(set(days)) == len(set(texts)) else list(texts)
