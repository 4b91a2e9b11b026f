"""Errors about data: row, column, place and kind are fields, and what the user wrote is never taken for one of them."""

import pickle

import numpy as np
import pytest

from skconf import ConfidenceProfile
from skconf._core.problems import DataError, located, refuse_where


def test_words_are_made_of_fields():
    error = DataError("column 'p' has nan, in ", 3, ", column 1.", kind="missing", column="p", advice="Drop the row.")
    assert str(error) == "column 'p' has nan, in row 3, column 1. Drop the row."
    assert error.at("a.csv", 100) is error
    error.row_id, error.columns = "id a17", {"target": "y", "prediction": None, "proba": ["p", "q"]}
    assert (error.row, error.column, error.place, error.kind) == (103, "p", "a.csv", "missing")
    assert str(error) == (
        "a.csv: column 'p' has nan, in row 103 (id a17), column 1. Drop the row. (target='y', proba=['p', 'q'])"
    )


def test_the_innermost_place_stays():
    """What reads a file names it, and so may what asked for it."""
    with pytest.raises(DataError) as caught, located("a.csv", 10), located("a.csv", 5):
        raise DataError("wrong in ", 1)
    assert (caught.value.row, str(caught.value)) == (16, "a.csv: wrong in row 16")


def test_other_errors_get_a_place_and_keep_their_words():
    with pytest.raises(DataError, match=r"^a\.csv: the label 'row 1' is odd$") as caught, located("a.csv", 100):
        raise ValueError("the label 'row 1' is odd")
    assert caught.value.row is None


def test_comes_back_from_another_process():
    error = DataError("wrong in ", np.int64(1), ".", kind="missing", column="p").at("a.csv", 2)
    again = pickle.loads(pickle.dumps(error))
    assert vars(again) == vars(error)
    assert str(again) == "a.csv: wrong in row 3."


def test_the_first_wrong_row_is_named():
    values = np.array([1.0, np.nan, np.inf])
    refuse_where(np.zeros(3, dtype=bool), values, "p", "it must be finite", kind="not finite")
    with pytest.raises(DataError) as caught:
        refuse_where(~np.isfinite(values), values, "p", "it must be finite", kind="not finite")
    assert (caught.value.row, caught.value.column, caught.value.kind) == (1, "p", "not finite")
    assert str(caught.value) == "p is nan in row 1; it must be finite."


@pytest.mark.parametrize(
    ("given", "row", "column", "kind"),
    [
        (([0, 1], [[0.5, 0.5], [0.5, np.nan]]), 1, "y_proba", "missing"),
        (([0, 1], [[0.5, 0.5], [0.5, 2.0]]), 1, "y_proba", "out of range"),
        (([0, None], [[0.5, 0.5], [0.5, 0.5]]), 1, "y_true", "missing"),
        (([0, 7], [0.5, 0.5], {"labels": [0, 1]}), 1, "y_true", "unknown label"),
        (([0, 1], [0.5, 0.5], {"sample_weight": [1, -1]}), 1, "sample_weight", "negative"),
        (([0, 1], [0.5, 0.5], {"sample_weight": [1, np.inf]}), 1, "sample_weight", "not finite"),
    ],
)
def test_invalid_predictions_say_where(given, row, column, kind):
    y_true, y_proba, *options = given
    with pytest.raises(DataError) as caught:
        ConfidenceProfile.from_predictions(y_true, y_proba, **dict(*options))
    assert (caught.value.row, caught.value.column, caught.value.kind) == (row, column, kind)
