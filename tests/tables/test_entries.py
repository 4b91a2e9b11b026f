"""Entries of columns of pyarrow: texts are read as they are, however short."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceReport
from skconf.tables._entries import labels_in, numbers_in, spelled_alike

pa = pytest.importorskip("pyarrow")

TEXTS = {
    "digits": ["0", "1", "1", "0"],
    "of one byte": ["~", " ", "\x00", "A", "\x7f", "A"],
    "of one letter": ["ä", "é", "a", "ä"],
    "of two bytes in the mean": ["a", "abc", "bb", "b"],
    "all different": [chr(code) for code in range(128)],
}


@pytest.mark.parametrize("kind", ["string", "large_string"])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_texts_are_read_as_they_are(texts, kind):
    array = pa.array(texts, getattr(pa, kind)())
    pieces = {
        "whole": array,
        "slice": pa.concat_arrays([pa.array(["zz", "", "0"], array.type), array, pa.array(["x"], array.type)])[3:-1],
        "chunks": pa.chunked_array([array[:2], array[2:2], array[2:]]),
    }
    for name, column in pieces.items():
        assert list(labels_in({"label": column}, "label")) == texts, name


@pytest.mark.parametrize("missing", [None, ""])
@pytest.mark.parametrize("place", [0, 2])
def test_missing_texts_are_refused(missing, place):
    texts = ["0", "1", "0"]
    texts[place] = missing
    with pytest.raises(ValueError, match=rf"column 'label' has .* in row {place}, where a label is needed"):
        labels_in({"label": pa.array(texts, pa.string())}, "label")


def test_nulls_behind_values_are_refused():
    """A null may stand where the bytes of a value are."""
    whole = pa.array(["0", "1", "0"])
    hidden = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(bytes([0b101])), *whole.buffers()[1:]])
    with pytest.raises(ValueError, match="in row 1, where a label is needed"):
        labels_in({"label": hidden}, "label")
    assert np.asarray(labels_in({"label": whole}, "label")).tolist() == ["0", "1", "0"]


HALVES = [0.5, 0.25, 0.75]
#: Columns whose entries are no single numbers, with the first row that is wrong; None where the type itself is.
NESTED = {
    "list": (pa.array([[each, 1 - each] for each in HALVES]), None),
    "empty list": (pa.array([[]] * 3, pa.list_(pa.float64())), None),
    "list of lists": (pa.array([[[each]] for each in HALVES]), None),
    "map": (pa.array([[("a", each)] for each in HALVES], pa.map_(pa.string(), pa.float64())), None),
    "struct": (pa.array([{"a": {"b": each}} for each in HALVES]), None),
}
#: Columns of lists that are no probabilities of the same classes.
WRONG_LISTS = {
    "empty": (pa.array([[]] * 3, pa.list_(pa.float64())), None),
    "of other lengths": (pa.array([[0.5, 0.5], [1.0], [0.5, 0.5]]), 1),
    "missing": (pa.array([[0.5, 0.5], None, [0.5, 0.5]]), 1),
    "with a null": (pa.array([[0.5, 0.5], [0.5, 0.5], [None, 0.5]]), 2),
    "of texts": (pa.array([["0.5", "0.5"], ["a", "b"], ["a", "b"]]), 1),
    "of lists": NESTED["list of lists"],
    "map": NESTED["map"],
    "struct": NESTED["struct"],
}


@pytest.mark.parametrize("read", [numbers_in, labels_in])
@pytest.mark.parametrize(("column", "row"), NESTED.values(), ids=NESTED)
def test_nested_entries_are_refused_where_one_is_needed(column, row, read):
    with pytest.raises(ValueError, match="column 'a'") as refused:
        read({"a": pa.chunked_array([column])}, "a")
    assert (refused.value.column, refused.value.row) == ("a", row)
    assert refused.value.kind == ("not a number" if read is numbers_in else "not a label")


@pytest.mark.parametrize("of_python", [False, True])
@pytest.mark.parametrize(("column", "row"), WRONG_LISTS.values(), ids=WRONG_LISTS)
def test_lists_that_are_no_probabilities_are_refused(column, row, of_python):
    table = {"a": pd.Series(column.to_pylist(), dtype=object) if of_python else column}
    with pytest.raises(ValueError, match="column 'a'") as refused:
        numbers_in(table, "a", lists=True)
    assert refused.value.column == "a"
    assert refused.value.row in ({row} if not of_python or row is not None else {None, 0})


@pytest.mark.parametrize("of_python", [False, True])
def test_decimals_are_numbers(of_python):
    decimals = [Decimal(str(each)) for each in HALVES]
    pairs = [[each, 1 - each] for each in decimals]
    table = {"a": decimals, "pairs": pairs}
    as_column = (lambda entries: pd.Series(entries, dtype=object)) if of_python else pa.array
    table = {name: as_column(entries) for name, entries in table.items()}
    np.testing.assert_array_equal(numbers_in(table, "a"), HALVES)
    np.testing.assert_array_equal(numbers_in(table, "pairs", lists=True), [[each, 1 - each] for each in HALVES])


def test_decimals_and_bytes_are_labels():
    columns = {
        "whole": [Decimal(3), Decimal(12)],
        "parts": [Decimal("0.50"), Decimal("1.25")],
        "bytes": [b"cat", b"dog"],
    }
    read = {name: list(labels_in({name: pa.array(entries)}, name)) for name, entries in columns.items()}
    assert read == {"whole": [3, 12], "parts": [0.5, 1.25], "bytes": ["cat", "dog"]}
    with pytest.raises(ValueError, match="column 'a' holds bytes") as refused:
        labels_in({"a": pa.array([b"\xff"])}, "a")
    assert refused.value.column == "a"


@pytest.mark.parametrize("entry", ["93%", "93 %", "93,5 %", "7.25%"])
def test_percentages_are_refused_with_what_to_do(entry):
    with pytest.raises(ValueError, match=r"Divide percentages by 100") as refused:
        numbers_in({"a": pd.Series(["0.5", entry])}, "a")
    assert (refused.value.column, refused.value.row) == ("a", 1)


def test_columns_of_one_name_may_stand_beside_those_that_are_read(tmp_path):
    from pyarrow.parquet import write_table

    columns = {"correct": [1, 0], "confidence": [0.75, 0.5], "x": [1, 2], "y": [3, 4]}
    write_table(pa.table(columns).rename_columns(["correct", "confidence", "x", "x"]), tmp_path / "a.parquet")
    for in_batches in (False, True):
        report = ConfidenceReport.from_files(tmp_path / "a.parquet", in_batches=in_batches, metrics=["accuracy_score"])
        assert report.frame["value"].tolist() == [0.5]


@pytest.mark.parametrize(
    "values",
    [
        np.array(["1", "2", "1"], dtype=object),
        np.array([1, "1"], dtype=object),
        np.array([1.0, 2.0]),
        pd.Series(["a", "b", "a"], dtype="category"),
    ],
    ids=["one spelling", "of two types", "numbers", "categories"],
)
def test_labels_in_one_spelling_are_not_touched(values):
    assert spelled_alike(values) is values
    again = spelled_alike(np.array(["1", "1.0", "2"], dtype=object))
    assert again.tolist() == ["1", "1", "2"]


def test_a_missing_decimal_is_named():
    pa = pytest.importorskip("pyarrow")
    column = pa.table({"confidence": pa.array([Decimal("0.5"), None, Decimal("0.75")])})
    with pytest.raises(ValueError, match="column 'confidence' has nan in row 1, where a number is needed"):
        numbers_in(column, "confidence")
