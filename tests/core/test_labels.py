"""Labels of any kind and container become the same column indices; what cannot be a label is refused by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from skconf._core.labels import LabelColumn, check_labels

try:
    import polars as pl
except ImportError:
    pl = None

# Positions in KINDS[kind], which are sorted: every container below holds labels in this order.
CODES = [1, 0, 2, 1, 1, 0]

KINDS = {
    "string": ["no", "perhaps so", "yes"],
    "int": [-1, 0, 7],
    "float": [-0.5, 0.25, 3.0],
    "bytes": [b"a", b"b", b"cc"],
    "bool": [False, True],
}

EVERY_KIND = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "object array": lambda labels: np.array(labels, dtype=object),
    "column vector": lambda labels: np.array(labels)[:, np.newaxis],
    "every second row": lambda labels: np.repeat(np.array(labels), 2)[::2],
    "reversed view": lambda labels: np.array(labels[::-1])[::-1],
    "Series": pd.Series,
    "Series with another index": lambda labels: pd.Series(labels, index=range(10, 10 - len(labels), -1)),
    "Index": pd.Index,
    "DataFrame of one column": lambda labels: pd.DataFrame({"y": labels}),
    "category": lambda labels: pd.Series(labels, dtype="category"),
    "Categorical": pd.Categorical,
    "unsorted ordered categories": lambda labels: pd.Series(
        pd.Categorical(labels, categories=sorted(set(labels), reverse=True), ordered=True)
    ),
}
ONE_KIND = {
    ("int", "Int64"): lambda labels: pd.Series(labels, dtype="Int64"),
    ("int", "int8"): lambda labels: np.array(labels, dtype=np.int8),
    ("int", "extension array"): lambda labels: pd.array(labels, dtype="Int64"),
    ("int", "integers as floats"): lambda labels: np.array(labels, dtype=np.float32),
    ("float", "Float64"): lambda labels: pd.Series(labels, dtype="Float64"),
    ("bool", "boolean"): lambda labels: pd.Series(labels, dtype="boolean"),
    ("bool", "booleans as 0 and 1"): lambda labels: np.array(labels, dtype=np.uint8),
    ("string", "string"): lambda labels: pd.Series(labels, dtype="string"),
    ("string", "object Series"): lambda labels: pd.Series(labels, dtype=object),
    ("string", "string categories"): lambda labels: pd.Series(labels, dtype="string").astype("category"),
}
if pl is not None:
    EVERY_KIND["polars Series"] = pl.Series
    ONE_KIND["string", "polars Categorical"] = lambda labels: pl.Series(labels, dtype=pl.Categorical)
    ONE_KIND["string", "polars Enum"] = lambda labels: pl.Series(labels, dtype=pl.Enum(KINDS["string"][::-1]))

CONTAINERS = [pytest.param(kind, make, id=f"{kind}-{name}") for kind in KINDS for name, make in EVERY_KIND.items()] + [
    pytest.param(kind, make, id=f"{kind}-{name}") for (kind, name), make in ONE_KIND.items()
]


def column(labels, name="y_true"):
    return LabelColumn(labels, name)


@pytest.mark.parametrize(("kind", "make"), CONTAINERS)
def test_a_container_changes_nothing(kind, make):
    labels = KINDS[kind]
    codes = [code % len(labels) for code in CODES]
    found = column(make([labels[code] for code in codes]))
    assert len(found) == len(CODES)
    assert found.sorted_distinct().tolist() == labels
    assert found.positions_in(np.array(labels)).tolist() == codes
    backwards = np.array(labels[::-1])  # positions follow the order given, not the sorted one
    assert found.positions_in(backwards).tolist() == [len(labels) - 1 - code for code in codes]


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy 2 brings StringDType")
def test_numpy_variable_width_strings_are_strings():
    found = column(np.array(["b", "a", "b"], dtype=np.dtypes.StringDType()))
    assert found.positions_in(np.array(["a", "b"])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], np.array([0, 1], dtype=object)])
def test_one_and_true_and_one_point_zero_are_the_same_label(labels):
    found = column(np.array([1, True, np.int8(1), 1.0, np.float32(1), 0, False], dtype=object))
    assert found.positions_in(np.asarray(labels)).tolist() == [1, 1, 1, 1, 1, 0, 0]
    assert len(found.sorted_distinct()) == 2


def test_integers_beyond_the_floats_stay_apart():
    found = column([2**53, 2**53 + 1, 2**53])
    assert found.sorted_distinct().tolist() == [2**53, 2**53 + 1]
    assert found.positions_in(np.array([2**53, 2**53 + 1])).tolist() == [0, 1, 0]


def test_text_is_never_cut_or_turned_into_a_number():
    found = column(["1", "10", "1"])
    assert found.positions_in(np.array(["10", "1"])).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"'1', '10'\] \(first in row 0\), not among the labels \[1, 10\]"):
        found.positions_in(np.array([1, 10]))


def test_a_category_without_samples_is_no_label():
    found = column(pd.Categorical(["b", "a"], categories=["c", "b", "a"]))
    assert found.sorted_distinct().tolist() == ["a", "b"]


def test_labels_that_a_column_does_not_hold_are_no_matter():
    assert column([5, 5]).positions_in(np.array([3, 4, 5, 6])).tolist() == [2, 2]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_positions_point_at_the_labels_themselves(data):
    kind = data.draw(st.sampled_from([st.integers(-(2**40), 2**40), st.text("abé 1", max_size=4), st.booleans()]))
    known = data.draw(st.lists(kind, min_size=1, max_size=8, unique=True))
    rows = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=30))
    container = data.draw(st.sampled_from([lambda x: np.array(x, dtype=object), pd.Series, pd.Categorical]))
    labels = np.empty(len(known), dtype=object)
    labels[:] = known
    found = column(container(rows))
    assert [known[position] for position in found.positions_in(labels)] == rows
    assert found.sorted_distinct().tolist() == sorted(set(rows))


MISSING = {
    "NaN": np.array([1.0, np.nan, 0.0]),
    "None": np.array(["a", None, "b"], dtype=object),
    "None in a list": ["a", None, "b"],
    "NaN in a list of numbers": [1, float("nan"), 0],
    "NaN in a list of strings": ["a", float("nan"), "b"],
    "pd.NA in a list": ["a", pd.NA, "b"],
    "NaN among objects": np.array(["a", np.nan, "b"], dtype=object),
    "Int64": pd.Series([1, None, 0], dtype="Int64"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "string": pd.Series(["a", None, "b"], dtype="string"),
    "category": pd.Series(["a", None, "b"], dtype="category"),
    "default strings": pd.Series(["a", None, "b"]),
    "extension array": pd.array([1, None, 0], dtype="Int64"),
    "NaT": np.array(["2020-01-01", "NaT", "2021-01-01"], dtype="datetime64[ns]"),
}
if pl is not None:
    MISSING |= {
        "polars integers": pl.Series([1, None, 0]),
        "polars booleans": pl.Series([True, None, False]),
        "polars strings": pl.Series(["a", None, "b"]),
    }


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_a_missing_label_is_named_by_its_row(labels):
    with pytest.raises(ValueError, match=r"y_pred has a missing label in row 1\. Drop or fill missing labels first"):
        column(labels, "y_pred")


NOT_A_COLUMN = {
    "a scalar": (1, r"\(\)"),
    "a string": ("abc", r"\(\)"),
    "None": (None, r"\(\)"),
    "a matrix": ([[0, 1], [1, 0], [1, 1]], r"\(3, 2\)"),
    "a row vector": ([[0, 1, 1]], r"\(1, 3\)"),
    "three axes": (np.zeros((3, 1, 1)), r"\(3, 1, 1\)"),
    "two columns": (pd.DataFrame({"a": [0, 1], "b": [1, 0]}), r"\(2, 2\)"),
    "a sparse indicator": (sparse.csr_array([[0, 1], [1, 0]]), r"\(\)"),
}


@pytest.mark.parametrize(("labels", "shape"), NOT_A_COLUMN.values(), ids=NOT_A_COLUMN)
def test_anything_but_one_column_is_refused_with_its_shape(labels, shape):
    with pytest.raises(ValueError, match=f"y must be a single column of labels, but has shape {shape}") as error:
        column(labels, "y")
    assert "Multi-output and multilabel targets are not supported: pass one column at a time" in str(error.value)


@pytest.mark.parametrize("labels", [[[0, 1], [1], []], [{"a"}, {"b"}]], ids=["lists", "sets"])
def test_several_labels_per_sample_are_refused_by_name(labels):
    with pytest.raises(ValueError, match="y_true"):
        column(labels)


@pytest.mark.parametrize("labels", [[], np.array([]), pd.Series([], dtype="string"), pd.Categorical([])])
def test_no_labels_at_all_are_refused(labels):
    with pytest.raises(ValueError, match=r"y_true is empty; at least one sample is needed \(0 samples"):
        column(labels)


@pytest.mark.parametrize(
    "labels", [np.array([1, "a"], dtype=object), [1, "a"], [True, "a"], ["1", 1]], ids=["array", "list", "bool", "same"]
)
def test_labels_of_mixed_types_cannot_be_sorted_and_say_which_types_there_are(labels):
    with pytest.raises(ValueError, match=r"y_true mixes labels .*(int|bool), str.* Convert them to one type"):
        column(labels).sorted_distinct()


def test_unknown_labels_are_listed_with_the_first_row_the_known_ones_and_the_hint():
    with pytest.raises(
        ValueError, match=r"^y_pred holds \[9, 8\] \(first in row 2\), not among the labels \[0, 1\]\.$"
    ):
        column([0, 1, 9, 8, 9], "y_pred").positions_in(np.array([0, 1]))
    with pytest.raises(ValueError, match=r"\[0, 1\]\. Reject it\.$"):
        column([0, 1, 9]).positions_in(np.array([0, 1]), "Reject it.")


@pytest.mark.parametrize(
    ("n_unknown", "shown"),
    [(10, r"\[1, 2, 3, 4, 5, 6, 7, 8, 9, 10\]"), (11, r"\[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, \.\.\. 1 more\]")],
)
def test_more_than_ten_labels_are_cut_in_messages(n_unknown, shown):
    with pytest.raises(ValueError, match=f"y_true holds {shown} \\(first in row 1\\), not among the labels \\[0\\]"):
        column(list(range(n_unknown + 1))).positions_in(np.array([0]))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a"], ["b", "a"]),
        (("b", "a"), ["b", "a"]),
        (pd.Index(["b", "a"]), ["b", "a"]),
        (pd.Series([2, 1], dtype="Int64"), [2, 1]),
        (pd.Categorical(["b", "a"]), ["b", "a"]),
        (np.array([True, False]), [True, False]),
        (range(3), [0, 1, 2]),
    ],
)
def test_given_labels_keep_their_order(labels, expected):
    assert check_labels(labels).tolist() == expected


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 0], r"labels must be distinct, but got \[0, 1, 0\]"),
        (["a", "a"], r"labels must be distinct, but got \['a', 'a'\]"),
        (np.array([1, True], dtype=object), r"labels must be distinct, but got \[1, True\]"),
        ([[0, 1]], r"labels must be one-dimensional, but has shape \(1, 2\)"),
        (3, r"labels must be one-dimensional, but has shape \(\)"),
        ({0, 1}, r"labels must be one-dimensional, but has shape \(\)"),
        ([0, np.nan], "labels .*missing"),
        (["a", None], "labels .*missing"),
        ([1, "a"], "labels .*(int, str|mixes)"),
    ],
)
def test_given_labels_that_cannot_name_columns_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        check_labels(labels)
