"""Columns of pyarrow, as arrays without a copy if possible."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.problems import DataError

#: What to write instead of lists and similar values, and how many characters of their type are shown.
ONE_NUMBER = "Write one number in each row. Write a column proba_LABEL for the probability of each class."
ONE_LABEL = "Write one string or number in each row."
_WIDEST = 60


def labels_of_arrow(values: Any, name: Any) -> "NDArray[Any] | pd.Series[Any]":
    """Return a column of labels: an array if all are integers or truth values and none is missing, else a Series."""
    import pyarrow as pa

    values = _label_of_arrow(values, name)
    if not values.null_count and (pa.types.is_integer(values.type) or pa.types.is_boolean(values.type)):
        return np.asarray(_in_one_piece(values).to_numpy(zero_copy_only=False))
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = _encoded(values)  # checking text by text takes many times longer
    return pd.Series(values.to_pandas())


def numbers_of_arrow(values: Any, name: Any, *, lists: bool) -> Any:
    """Return a column of pyarrow as an array, without a copy if possible."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _in_one_piece(values)
    kind = values.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if pa.types.is_nested(kind.value_type if is_list and lists else kind):
        raise _nested(name, kind, f"numbers are needed. {ONE_NUMBER}", "not a number")
    if pa.types.is_decimal(kind):
        return pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            values = pc.cast(values, pa.float64())
        except pa.ArrowInvalid:  # pandas names the row
            return values.to_pandas()
    if is_list and not values.null_count:
        flat = values.flatten()
        lengths = pc.min_max(pc.list_value_length(values)).as_py()
        numeric = pa.types.is_floating(flat.type) or pa.types.is_integer(flat.type)
        if lengths["min"] == lengths["max"] and not flat.null_count and numeric:
            return flat.to_numpy(zero_copy_only=False).reshape(len(values), lengths["max"])
    return values.to_numpy(zero_copy_only=False)


def _label_of_arrow(values: Any, name: Any) -> Any:
    """Return a column of pyarrow in which decimals are numbers and bytes are texts.

    Raises
    ------
    DataError
        If its entries are lists or similar values.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_nested(kind):
        raise _nested(name, kind, f"a label is needed. {ONE_LABEL}", "not a label")
    try:
        if pa.types.is_decimal(kind):
            return pc.cast(values, pa.float64() if kind.scale > 0 else pa.int64())
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return pc.cast(values, pa.string())
    except pa.ArrowInvalid:
        if pa.types.is_decimal(kind):  # it may have more digits than a float
            return pc.cast(values, pa.string())
        text = f"column {name!r} holds bytes that are not UTF-8, where a label is needed. Write it in UTF-8."
        raise DataError(text, kind="not a label", column=name) from None
    return values


def _nested(name: Any, kind: Any, needed: str, what: str) -> DataError:
    """Return the error about a column of lists, maps or structs of pyarrow."""
    text = f"column {name!r} is of type {str(kind)[:_WIDEST]}, where {needed}"
    return DataError(text, kind=what, column=name)


def _encoded(values: Any) -> Any:
    """Return a pyarrow column of texts as categories. Texts of one byte each, such as digits, need no search."""
    import pyarrow as pa

    texts = _in_one_piece(values)
    if pa.types.is_string(texts.type) and len(texts) and not texts.null_count:
        _, ends, letters = (np.frombuffer(part or b"", kind) for part, kind in zip(texts.buffers(), "BiB", strict=True))
        ends = ends[texts.offset :][: len(texts) + 1]
        if (np.diff(ends) == 1).all():
            letters = letters[ends[0] : ends[-1]]
            there = np.zeros(256, dtype=np.bool_)
            there[letters] = True
            codes = (np.cumsum(there) - 1).astype(np.int8)
            return pa.DictionaryArray.from_arrays(codes[letters], list(map(chr, np.flatnonzero(there))))
    return texts.dictionary_encode()


def _in_one_piece(values: Any) -> Any:
    """Return a column of pyarrow as one array, without a copy if it has one chunk."""
    if not hasattr(values, "num_chunks"):
        return values
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
