"""Columns cut into slices with names: of any kind, with gaps, and hostile ones."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from skconf.report._evidence.files import open_table
from skconf.report._evidence.slices import read_column, read_slices, slices_of_files


def rows_of(name, values):
    """Return the rows of each slice of a column."""
    slices = read_slices({name: values}, len(values))[name]
    found = {text: np.flatnonzero(slices.codes == code).tolist() for code, text in enumerate(slices.names)}
    assert sorted(row for rows in found.values() for row in rows) == list(range(len(values)))
    return found


KINDS = {
    "list": list,
    "array": np.array,
    "series": pd.Series,
    "index": pd.Index,
    "categorical": lambda values: pd.Categorical(values, categories=["none has it", "b", "a"]),
    "column vector": lambda values: np.array(values)[:, np.newaxis],
}


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_slices_by_themselves(kind):
    found = rows_of("region", KINDS[kind](["b", "a", "b", "b"]))
    assert found == {"region = a": [1], "region = b": [0, 2, 3]}


def test_tables_of_other_libraries():
    values = {"region": ["b", None, "a"], "age": [1, 2, 1]}
    pa = pytest.importorskip("pyarrow")
    for table in (values, pd.DataFrame(values, index=[7, 7, 7]), pa.table(values)):
        found = read_slices(table, 3)
        assert list(found) == ["region", "age"]
        names, codes = found["region"].names, found["region"].codes
        assert [names[code] for code in codes] == ["region = b", "region is missing", "region = a"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", " "])
def test_missing_texts_are_a_slice(missing):
    assert rows_of("region", ["a", missing, "missing", missing]) == {
        "region = a": [0],
        "region = missing": [2],
        "region is missing": [1, 3],
    }


@pytest.mark.parametrize(
    "values",
    [
        [2.0, np.nan, 1.0],
        np.array([2, np.nan, 1], dtype=np.float32),
        pd.array([2, None, 1], dtype="Int64"),
        [2, None, 1],
        pd.Series([2, None, 1.0], dtype=object),
        [Decimal(2), None, Decimal(1)],
    ],
)
def test_missing_numbers_are_a_slice(values):
    assert rows_of("x", values) == {"x = 1": [2], "x = 2": [0], "x is missing": [1]}


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["2", "NaN", "1.0"], ["x = 2", "x is missing", "x = 1"]),
        (["2", "", "1"], ["x = 2", "x is missing", "x = 1"]),
        (["2,5", "n/a", "1"], ["x = 2.5", "x is missing", "x = 1"]),
        (["02", "", "1"], ["x = 02", "x is missing", "x = 1"]),
        (["2", "NA", "UK"], ["x = 2", "x = NA", "x = UK"]),
        (["nan", "NA", "null"], ["x = nan", "x = NA", "x = null"]),
    ],
)
def test_numbers_in_files_are_texts(texts, names):
    found = read_column("x", texts, 3, "slices", texts_may_be_numbers=True)
    assert [found.names[code] for code in found.codes] == names
    typed = read_column("x", texts, 3, "slices")
    assert [typed.names[code] for code in typed.codes] == [f"x = {text}" if text else "x is missing" for text in texts]


def test_nothing_but_missing_values():
    for values in (["", ""], [np.nan, np.nan], pd.Series([None, None], dtype=object), pd.to_datetime([None, None])):
        assert rows_of("x", values) == {"x is missing": [0, 1]}


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_many_numbers_are_cut_into_quarters(kind):
    ages = np.random.default_rng(0).permutation(np.repeat(np.arange(20, 60), 5))
    found = rows_of("age", kind(ages.tolist()))
    assert list(found) == ["age 20 to 29", "age 30 to 39", "age 40 to 49", "age 50 to 59"]
    for text, rows in found.items():
        low, high = map(int, text.removeprefix("age ").split(" to "))
        assert rows == np.flatnonzero((ages >= low) & (ages <= high)).tolist()


def test_few_numbers_are_not_cut():
    months = np.tile(np.arange(12, 0, -1), 30)
    assert list(rows_of("month", months)) == [f"month = {month}" for month in range(1, 13)]


def test_quarters_hold_equal_values_together():
    """Where most values are the same there are fewer than four."""
    values = np.concatenate([np.zeros(600), np.arange(1, 401)])
    found = {text: len(rows) for text, rows in rows_of("amount", values).items()}
    assert found == {"amount = 0": 600, "amount 1 to 150": 150, "amount 151 to 400": 250}
    values = np.concatenate([np.arange(-13.0, 0.0), np.full(900, 5.5)])
    found = {text: len(rows) for text, rows in rows_of("amount", values).items()}
    assert found == {"amount −13 to 5.5": 913}


def test_ends_have_the_digits_that_tell_them_apart():
    near = 1 + 1e-6 * np.arange(40)
    assert next(iter(rows_of("x", near))) == "x 1 to 1.000009"
    assert next(iter(rows_of("x", 1e-12 * np.arange(1.5, 41.5)))) == "x 1.5e−12 to 1.05e−11"
    assert next(iter(rows_of("x", [-np.inf, *range(20), np.inf]))).startswith("x −∞ to ")
    assert next(iter(rows_of("x", 123.456789 + np.arange(40)))) == "x 123 to 132"


@pytest.mark.parametrize(
    "written", [lambda days: days, lambda days: days.strftime("%Y-%m-%d"), lambda days: list(days)]
)
def test_days(written):
    week = pd.date_range("2026-01-30", periods=7).repeat(3)
    assert list(rows_of("day", written(week)))[:2] == ["day = 2026-01-30", "day = 2026-01-31"]
    year = written(pd.date_range("2025-01-01", periods=364))
    found = rows_of("day", year)
    assert list(found)[:2] == ["day 2025-01-01 to 2025-04-01", "day 2025-04-02 to 2025-07-01"]
    assert [len(rows) for rows in found.values()] == [91] * 4


def test_times_of_day_are_named_where_days_do_not_suffice():
    hours = pd.date_range("2026-01-30", periods=40, freq="30min")
    assert next(iter(rows_of("at", hours))) == "at 2026-01-30 00:00:00 to 2026-01-30 04:30:00"
    assert list(rows_of("q", pd.period_range("2025Q1", periods=2, freq="Q"))) == ["q = 2025Q1", "q = 2025Q2"]


def test_codes_that_look_like_numbers_are_names():
    codes = [f"{number:03d}" for number in range(30)] * 3
    assert len(rows_of("zip", codes)) == 30
    assert len(rows_of("zip", pd.Categorical(list(range(30)) * 3))) == 30
    assert list(rows_of("flag", [True, False, True])) == ["flag = False", "flag = True"]
    assert list(rows_of("mixed", [1, "a", 1.5])) == ["mixed = 1", "mixed = 1.5", "mixed = a"]


def test_of_many_texts_the_most_frequent_are_slices():
    texts = [f"c{number:02d}" for number in range(60) for _ in range(2 + (number % 3 == 0))]
    found = rows_of("city", np.random.default_rng(0).permutation(texts))
    assert len(found) == 51
    counts = pd.Series(texts).value_counts()
    expected = sorted(counts.index, key=lambda text: (-counts[text], text))[:50]
    assert list(found) == [*(f"city = {text}" for text in expected), "city = one of 10 others"]


def test_names_are_harmless_and_short():
    found = list(rows_of("a\x1b[31m", ["x" * 100, "new\nline"]))
    assert found == ["a\\x1b[31m = new\\nline", f"a\\x1b[31m = {'x' * 59}…"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["age"], r"^slices has 1 rows, but there are 3 predictions"),
        (np.zeros((3, 2)), r"^slices must hold a single value for each row, but has shape \(3, 2\)"),
        ({}, r"slices has no columns\. Pass"),
        ({"age": np.ma.array([1, 2, 3], mask=[0, 1, 0])}, r"slices\['age'\] is a masked array with hidden"),
        ({"age": [1, 2]}, r"slices\['age'\] has 2 rows, but there are 3 predictions"),
        ({"age": np.zeros((3, 2))}, r"slices\['age'\] must hold a single value .* shape \(3, 2\)"),
        ({"age": "abc"}, r"slices\['age'\] must hold a single value"),
        ({"age": [[1], [2], [3]]}, r"slices\['age'\] holds lists or sets"),
    ],
)
def test_what_is_no_slice_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_slices(given, 3)


@pytest.mark.parametrize(
    "given", [[1, 2, 3], np.array([1, 2, 3]), pd.Series([1, 2, 3]), pd.Series([1, 2, 3], name="age")]
)
def test_a_single_column_needs_no_table(given):
    (name,), (slices,) = zip(*read_slices(given, 3).items(), strict=True)
    assert name == (getattr(given, "name", None) or "slice")
    assert slices.names == [f"{name} = {number}" for number in (1, 2, 3)]


def test_a_text_for_each_row_is_refused():
    with pytest.raises(ValueError, match=r"slices\['name'\] has 60 different strings in 60 rows.*Leave the column out"):
        read_slices({"name": [f"s{number}" for number in range(60)]}, 60)


def test_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    values = np.array([f"c{number}" for number in rng.integers(0, 80, 400)])
    order = rng.permutation(400)
    (one,), (other,) = (read_slices({"c": given}, 400).values() for given in (values, values[order]))
    assert one.names == other.names
    assert one.codes[order].tolist() == other.codes.tolist()


def test_files_have_the_same_cuts(tmp_path):
    ages = np.arange(80)
    files = {"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}
    pd.DataFrame({"age": ages[:60], "x": "u"}).to_csv(files["a"], index=False)
    pd.DataFrame({"x": "v", "age": ages[60:]}).to_csv(files["b"], index=False)
    opened = {model: open_table(file) for model, file in files.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = slices_of_files(opened, ["age", "x", "age"], {})
    assert list(found["a"]) == ["age", "x"]
    assert found["a"]["age"].names == found["b"]["age"].names == [f"age {20 * k} to {20 * k + 19}" for k in range(4)]
    assert (found["a"]["age"].codes.tolist(), set(found["b"]["age"].codes)) == (np.repeat([0, 1, 2], 20).tolist(), {3})
    with pytest.raises(ValueError, match=r"a\.csv: there is no column 'ages'\. Did you mean 'age'.* with slices\."):
        slices_of_files(opened, "ages", {})
