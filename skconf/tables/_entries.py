"""Entries of tables of any kind: labels and numbers, and labels that are equal although spelled differently."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.arrays import refuse_hidden
from skconf._core.columns import Spellings, plain
from skconf._core.messages import brief, option, shorten
from skconf._core.problems import DataError
from skconf.tables._arrow_columns import ONE_LABEL, ONE_NUMBER, labels_of_arrow, numbers_of_arrow

#: A number with a decimal comma that is not a separator of thousands.
_DECIMAL_COMMA = r"\s*-?(?:0?,\d+|[1-9]\d*,(?:\d{1,2}|\d{4,}))(?:[eE][-+]?\d+)?\s*"
#: A whole number whose points separate thousands, or a number with three decimals.
_THOUSANDS = r"\s*-?[1-9]\d{0,2}(?:\.\d{3})+\s*"
_PER_CENT = r"\s*-?\d*[.,]?\d+\s*[%٪％]\s*"
#: What to do with percentages.
PERCENTAGES = "Divide percentages by 100, and write them without the sign: 0.93 for 93%."
#: Types of entries that hold several numbers; and how many entries show whether a column has such entries.
_LISTS, _HEAD = (list, tuple, np.ndarray), 1000
#: Truth values, as strings.
_TRUTH = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}

#: Texts that stand for an entry that is missing.
_NO_ENTRY = {"", "nan", "na", "n/a", "null", "none"}


def labels_in(table: Any, name: Any) -> Any:
    """Return a column of labels, an array or a Series of categories; raise if a label is missing or an empty text."""
    values = table[name]
    library = library_of(values)
    if library == "pyarrow":
        values = labels_of_arrow(values, name)
        if isinstance(values, np.ndarray):  # integers and truth values, of which none is missing
            return values
    elif library == "numpy":
        refuse_hidden(values, f"column {name!r}")
    values = values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))
    if holds_lists(values):
        text = f"column {brief(name)} holds lists or similar values, where a label is needed. {ONE_LABEL}"
        raise DataError(text, kind="not a label", column=name)
    missing = values.isna()
    if not pd.api.types.is_numeric_dtype(values.dtype):
        missing |= values == ""
    _refuse(name, values, missing, "a label")
    return values if isinstance(values.dtype, pd.CategoricalDtype) else values.to_numpy()


def numbers_in(table: Any, name: Any, *, or_truth: bool = False, lists: bool = False) -> NDArray[Any]:
    """Return a column of numbers as an array; the type is kept.

    With `or_truth`, the texts "true" and "false" mean 1 and 0. With `lists`, an entry may be a list of numbers, and the
    array has two dimensions.
    """
    values = table[name]
    library = library_of(values)
    if library == "pyarrow":
        values = numbers_of_arrow(values, name, lists=lists)
    elif library == "numpy":
        refuse_hidden(values, f"column {name!r}")
    entries = np.asarray(values)
    if entries.dtype == object and any(isinstance(entry, _LISTS) for entry in entries[:_HEAD]):
        entries = _in_rows(name, entries)
    if entries.dtype == object and entries.ndim == 1 and holds_lists(entries):
        text = f"column {brief(name)} holds objects, where numbers are needed. {ONE_NUMBER}"
        raise DataError(text, kind="not a number", column=name)
    if entries.ndim > 1 + lists or not np.prod(entries.shape[1:]):
        text = f"column {name!r} holds entries of shape {entries.shape[1:]}, where numbers are needed. {ONE_NUMBER}"
        raise DataError(text, kind="not a number", column=name)
    if entries.dtype.kind not in "fiub":
        entries = by_name(entries, ["0", "1"]) if or_truth else entries
        numbers = as_numbers(pd.Series(entries))
        _refuse(name, entries, np.isnan(numbers), "a number")
        return numbers
    if entries.dtype.kind == "f" and (missing := np.isnan(entries)).any():
        _refuse(name, entries, missing if missing.ndim == 1 else missing.any(axis=1), "a number")
    return entries


def rows_where(table: Any, names: Sequence[Any], kept: NDArray[np.bool_]) -> Any:
    """Return some rows of some columns of a table of any kind."""
    if library_of(table) == "pyarrow":
        import pyarrow as pa

        return table.filter(pa.array(kept))
    if library_of(table) == "polars":
        return table.filter(kept)
    if isinstance(table, pd.DataFrame):
        return table[kept]
    return {name: as_series(table[name])[kept] for name in names}


def says_yes(values: "pd.Series[Any]", name: str, *, of_answers: bool = False) -> NDArray[np.bool_]:
    """Return which entries of a column are true; if it holds no truth values, which entries are blank.

    With `of_answers`, the column holds answers and no truth values: "yes" and "no" are answers, and "" is none.
    """
    texts = ["" if value is None or value != value else str(value).strip().casefold() for value in values]
    blank = np.array([text == "" for text in texts])
    if of_answers:
        return blank
    if {*texts} <= {"", *_TRUTH}:
        says = np.array([_TRUTH.get(text, False) for text in texts])
        if blank.any() and not (says | blank).all():
            raise DataError(
                f"column {brief(name)} has no entry in ",
                int(np.argmax(blank)),
                f", and {shorten(list(dict.fromkeys(filter(None, texts))), 3)} elsewhere. So the entries may be truth "
                "values, or answers that are blank where the model abstains.",
                kind="several readings",
                column=name,
                advice="Write a column with 1 for each abstention and 0 for each answer.",
            )
        return says
    if not blank.any():
        raise DataError(
            f"column {brief(name)} holds neither truth values nor blank entries, but {shorten(texts, 3)}.",
            kind="no truth value",
            column=name,
            advice="Write 1 for each abstention and 0 for each answer.",
        )
    return blank


def have_no_entry(values: "pd.Series[Any]", but: Iterable[Any] = ()) -> NDArray[np.bool_]:
    """Return which entries of a column are missing: null values, and words such as "n/a" that are not in `but`."""
    missing = values.isna().to_numpy()
    if pd.api.types.is_numeric_dtype(values.dtype) or missing.all() or holds_lists(values):
        return missing
    words = _NO_ENTRY - {str(word).strip().casefold() for word in but}
    codes, distinct = pd.factorize(values)
    of_distinct = np.array([isinstance(each, str) and each.strip().casefold() in words for each in distinct])
    return np.asarray(missing | np.append(of_distinct, False)[codes])


def holds_lists(values: Any) -> bool:
    """Return whether entries of a column are lists, arrays, sets or objects, by its type or its first entries."""
    if library_of(values) == "pyarrow":
        import pyarrow as pa

        return bool(pa.types.is_nested(values.type))
    is_of_objects = getattr(values, "dtype", None) == np.dtype(object) and np.ndim(values) == 1
    return is_of_objects and any(isinstance(entry, list | set | dict | np.ndarray) for entry in values[:_HEAD])


def as_series(values: Any) -> "pd.Series[Any]":
    """Return a column of any kind as a Series."""
    if library_of(values) == "pyarrow":
        values = values.to_pandas()
    return values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))


def as_numbers(values: "pd.Series[Any]") -> NDArray[Any]:
    """Return entries as numbers. An entry that is not a number, such as a day or a duration, is NaN.

    A comma is a decimal comma if no entry has a point, and if it cannot separate thousands: "0,25", never "1,250".
    """
    if pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_timedelta64_dtype(values):
        return np.full(len(values), np.nan)
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(copy=True)
    other = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(len(numbers), dtype=bool)
    if other.any():
        texts = values[other].astype(str)
        if texts.str.fullmatch(_DECIMAL_COMMA).any() and not values.astype(str).str.contains(".", regex=False).any():
            numbers[other] = pd.to_numeric(texts.where(texts.str.fullmatch(_DECIMAL_COMMA)).str.replace(",", "."))
    return numbers


def refuse_thousands(table: Any, name: Any, others: Sequence[Any]) -> None:
    """Raise if other columns have decimal commas, so that points in this column may separate thousands."""
    texts = _texts_in(table[name])
    if texts is None or not (grouped := texts.str.fullmatch(_THOUSANDS)).any():
        return
    columns = (_texts_in(table[other]) for other in others)
    if any(column is not None and column.str.fullmatch(_DECIMAL_COMMA).any() for column in columns):
        row = int(np.argmax(grouped))
        raise DataError(
            f"column {name!r} has {texts.iloc[row]!r} in ",
            row,
            ". The point may separate thousands, because other columns have decimal commas. Write numbers without "
            "separators of thousands.",
            kind="thousands",
            column=name,
        )


def _texts_in(values: Any) -> "pd.Series[Any] | None":
    """Return a column of texts; None if it holds something else."""
    if np.ndim(values) > 1:
        return None
    column = as_series(values)
    return column.astype(str) if pd.api.types.infer_dtype(column, skipna=True) == "string" else None


def _in_rows(name: Any, entries: NDArray[Any]) -> NDArray[Any]:
    """Return lists of numbers as the rows of an array."""
    _refuse(name, entries, np.array([not isinstance(entry, _LISTS) for entry in entries]), "a list of numbers")
    lengths = np.array(list(map(len, entries)))
    _refuse(name, entries, lengths != lengths[0], f"a list of {lengths[0]} numbers, as in row 0,")
    rows = np.stack([np.asarray(entry) for entry in entries])
    if rows.dtype.kind in "fiub":
        return rows
    numbers = pd.to_numeric(pd.Series(rows.ravel().tolist(), dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    missing = np.isnan(numbers).reshape(len(rows), -1).any(axis=1)
    _refuse(name, entries, missing, "a list of numbers")
    return numbers.reshape(rows.shape)


def library_of(values: Any) -> str:
    """Return the name of the package that defines an object's class."""
    return type(values).__module__.partition(".")[0]


def _refuse(name: Any, values: Any, wrong: Any, needed: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        entry = np.asarray(values[row : row + 1], dtype=object)[0]
        entry = entry.tolist() if isinstance(entry, np.ndarray) else entry
        if np.asarray(values).dtype.kind in "mM":  # days and durations could pass as whole numbers of nanoseconds
            entry = str(pd.Series(values[row : row + 1]).iloc[0])
        remedy = " Write decimals with a point." if re.fullmatch(r"-?\d*,\d+", str(entry)) else ""
        if is_percentage(entry):
            remedy = f" {PERCENTAGES}"
        text, rest = f"column {brief(name)} has {brief(entry)} in ", f", where {needed} is needed.{remedy}"
        raise DataError(text, row, rest, kind=f"not {needed}", column=name)


def labels_of_truth(target: Any, n_classes: int, positive: Any) -> list[Any] | None:
    """Infer the labels of `n_classes` classes from the true labels.

    None if the sorted true labels can be used as they are, or if the labels cannot be inferred. If only one of two
    labels occurs, the other label is known in two cases: the labels are 0 and 1, or the other label is the positive
    class.
    """
    distinct = pd.unique(target)
    if n_classes == 2 and len(distinct) == 1:
        only = plain(distinct[0])
        named = {only, *([] if positive is None else [plain(positive)])}
        both = {"0", "1"} if named <= {"0", "1"} else named
        return in_type_of(target, sorted(both)) if len(both) == 2 else None
    return in_order_of_numbers(target) if len(distinct) == n_classes else None


def is_percentage(entry: Any) -> bool:
    """Return whether an entry is a number with a percent sign."""
    return re.fullmatch(_PER_CENT, str(entry)) is not None


def in_order_of_numbers(target: Any) -> list[Any] | None:
    """Return the distinct labels, sorted as numbers, if they are texts of numbers: "10" is after "9". Else None."""
    distinct = pd.Series(pd.unique(target))
    if pd.api.types.is_numeric_dtype(distinct.dtype):
        return None
    numbers = pd.to_numeric(distinct, errors="coerce")
    return None if numbers.isna().any() else distinct.iloc[numbers.argsort()].tolist()


def in_type_of(target: Any, labels: Sequence[Any]) -> list[Any]:
    """Convert texts to the type of the labels in a column, unless this type is text."""
    labels = list(labels)
    kind = _kind(target)
    if kind == "string" or [label for label in labels if not isinstance(label, str)]:
        return labels
    try:
        if kind == "boolean":
            return [{"1": True, "0": False}[plain(label)] for label in labels]
        if kind == "integer":
            return [int(plain(label)) for label in labels]
        if kind == "floating":
            return [float(plain(label)) for label in labels]
    except (KeyError, ValueError):
        first = (target.cat.categories if isinstance(target, pd.Series) else target)[0]
        raise ValueError(
            f"the true labels are of type {kind}, such as {first!r}, but the labels of the probabilities are "
            f"{shorten(labels)}. Pass {option('labels')}, in the order of the columns of probabilities."
        ) from None
    return labels


def spelled_alike(values: Any) -> Any:
    """Return a column of labels in which equal texts, such as "1" and "1.0", have the same spelling."""
    if _kind(values) != "string":
        return values
    codes, distinct = pd.factorize(values)
    texts = list(map(plain, distinct))
    return values if len(set(texts)) == len(texts) else np.array(texts, dtype=object)[codes]


def by_name(values: Any, labels: Sequence[Any]) -> Any:
    """Return a column of labels. A text that equals one of `labels`, but is spelled differently, is replaced by it."""
    if _kind(values) != "string":
        return values
    written = set(labels)
    if isinstance(values, pd.Series) and set(values.cat.categories) <= written:
        return values
    codes, distinct = pd.factorize(values)
    if set(distinct) <= written:
        return values
    known = Spellings(labels)
    if not all(text in known or isinstance(labels[0], str) for text in distinct):
        return values  # texts cannot be compared with numbers; a later check names the unknown label
    return np.array([known.label(text) for text in distinct])[codes]


def like(values: Any, target: Any) -> Any:
    """Return a column of texts in the type of another column, if all texts can be converted."""
    if _kind(values) != "string":
        return values
    codes, distinct = pd.factorize(values)
    try:
        return np.array(in_type_of(target, distinct.tolist()))[codes]
    except ValueError:
        return values


def _kind(values: Any) -> str:
    """Return the kind of the labels in a column: "string", "boolean", "integer", "floating" or another one."""
    if isinstance(values, pd.Series):
        values = values.cat.categories
    return str(pd.api.types.infer_dtype(values, skipna=False))
