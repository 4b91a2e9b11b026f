"""Columns of probabilities are found by the labels in their names, at every door where predictions come in."""

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_classes
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score

from skconf import (
    ConfidenceProfile,
    MetricAccumulator,
    SelectiveClassifier,
    confidence_report,
    get_scorer,
    inference,
)
from skconf._core.columns import in_order_of, plain
from skconf.calibration import PlattCalibrator, TemperatureCalibrator
from skconf.metrics import brier_decomposition, confidence_weighted, cw_accuracy_score, expected_calibration_error

try:
    import polars as pl
except ImportError:
    pl = None
try:
    import pyarrow as pa
except ImportError:
    pa = None

LABELS = np.array(["a", "b", "c"])
RNG = np.random.default_rng(0)
CODES, P = draw_classes(60, concentration=0.5)
Y = LABELS[CODES]
TURNED = [2, 0, 1]

#: Tables whose columns are in another order than the labels, and say so.
TABLES = {
    "pandas": lambda names: pd.DataFrame(P[:, TURNED], columns=[names[k] for k in TURNED]),
}
if pl is not None:
    TABLES["polars"] = lambda names: pl.DataFrame(P[:, TURNED], schema=[names[k] for k in TURNED])
if pa is not None:
    TABLES["pyarrow"] = lambda names: pa.table({names[k]: P[:, k] for k in TURNED})
#: Tables whose columns have no names of their own.
PLAIN = {"pandas": pd.DataFrame(P), "another index": pd.DataFrame(P, index=RNG.permutation(60))}
if pl is not None:
    PLAIN |= {"polars": pl.DataFrame(P), "polars by pandas": pl.DataFrame(P).to_pandas()}
SERIES = {"pandas": pd.Series, "polars": lambda values, name: pl.Series(name, values)}
if pl is None:
    del SERIES["polars"]
NAMES = {"LABEL": ["a", "b", "c"], "proba_LABEL": ["proba_a", "proba_b", "proba_c"]}


class Answers(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose predict_proba returns a given table."""

    def __init__(self, table=None):
        self.table = table
        self.classes_ = LABELS

    def fit(self, X, y):  # noqa: ARG002
        return self

    def predict_proba(self, X):  # noqa: ARG002
        return self.table


def display(y, proba):
    plt = pytest.importorskip("matplotlib.pyplot")
    from skconf.inspection import ReliabilityDisplay

    drawn = ReliabilityDisplay.from_predictions(y, proba)
    plt.close(drawn.figure_)
    return drawn.accuracy


#: Doors: functions of true labels and probabilities that return something to compare.
DOORS = {
    "metric": cw_accuracy_score,
    "another metric": expected_calibration_error,
    "a decomposition": brier_decomposition,
    "weighted by confidence": confidence_weighted(accuracy_score),
    "profile": lambda y, proba: ConfidenceProfile.from_predictions(y, proba).proba,
    "report": lambda y, proba: confidence_report(y, proba).frame["value"],
    "report on several": lambda y, proba: confidence_report(y, {"one": proba}).frame["one"],
    "accumulator": lambda y, proba: MetricAccumulator("neg_ece", labels=LABELS).update(y, proba).result()["neg_ece"],
    "interval": lambda y, proba: inference.confidence_interval("cw_accuracy", y, proba, random_state=0).low,
    "groups": lambda y, proba: inference.by_group("cw_accuracy", y, proba, groups=np.arange(60) % 2)["value"],
    "display": display,
    "fit of a calibrator": lambda y, proba: TemperatureCalibrator().fit(proba, y).temperature_,
    "calibrator": lambda y, proba: PlattCalibrator().fit(P, y).predict_proba(proba),
    "from_estimator": lambda y, proba: ConfidenceProfile.from_estimator(Answers(proba), P, y).proba,
    "scorer": lambda y, proba: get_scorer("cw_accuracy")(Answers(proba), P, y),
    "selective classifier": lambda y, proba: SelectiveClassifier(Answers(proba)).fit(P, y).predict_proba(P),
}


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("library", TABLES)
@pytest.mark.parametrize("door", DOORS)
def test_columns_are_found_by_name_at_every_door(door, library, form):
    given = TABLES[library](NAMES[form])
    np.testing.assert_array_equal(DOORS[door](Y, given), DOORS[door](Y, P))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("names", [["a", "b", "x"], ["x", "y", "z"], ["a", "b", "proba_c"], ["a", "b", 2]], ids=str)
def test_other_names_are_refused_at_every_door(door, names):
    message = r"has the columns \[.*\], but the labels are \['a', 'b', 'c'\]\. Name every column .*to_numpy\(\)"
    with pytest.raises(ValueError, match=message):
        DOORS[door](Y, pd.DataFrame(P, columns=names))


@pytest.mark.parametrize("table", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("door", DOORS)
def test_a_default_index_names_nothing(door, table):
    np.testing.assert_array_equal(DOORS[door](Y, table), DOORS[door](Y, P))


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([0, 1], ["proba_1", "proba_0"]),
        ([0, 1], ["1", "0"]),
        ([0, 1], [1, 0]),
        ([0, 1], [1.0, 0.0]),
        ([0, 1], pd.RangeIndex(1, -1, -1)),
        ([0.0, 1.0], ["proba_1", "proba_0"]),
        ([0.0, 1.0], ["proba_1.0", "proba_0.0"]),
        ([False, True], ["proba_1", "proba_0"]),
        ([False, True], ["True", "False"]),
        ([False, True], ["proba_true", "proba_false"]),
        (["0", "1"], ["proba_1", "proba_0"]),
        (["0", "1"], [1, 0]),
        (["proba_a", "proba_b"], ["proba_b", "proba_a"]),
        (["no", "yes"], pd.CategoricalIndex(["yes", "no"])),
        ([-1, 1], ["proba_1", "proba_-1"]),
        ([0.25, 0.5], ["0.5", "0.25"]),
    ],
    ids=str,
)
def test_a_label_is_found_however_it_is_written(labels, names):
    y, proba = np.array(labels)[[0, 1, 0]], np.array([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
    found = ConfidenceProfile.from_predictions(y, pd.DataFrame(proba[:, ::-1], columns=names))
    np.testing.assert_array_equal(found.proba, proba)
    assert found.correct.tolist() == [True, False, False]  # a tie goes to the first label


def test_given_labels_have_their_order():
    frame = pd.DataFrame(P, columns=LABELS)
    found = ConfidenceProfile.from_predictions(Y, frame, labels=["c", "a", "b"])
    assert found.classes.tolist() == ["c", "a", "b"]
    np.testing.assert_array_equal(found.proba, P[:, TURNED])


@pytest.mark.parametrize("names", [["a", "a", "b"], pd.MultiIndex.from_product([["p"], ["a", "b", "c"]])], ids=str)
def test_names_that_are_no_labels(names):
    with pytest.raises(ValueError, match="has the columns"):
        cw_accuracy_score(Y, pd.DataFrame(P, columns=names))


def test_columns_in_order_are_not_copied():
    array = np.ascontiguousarray(P)
    assert in_order_of(LABELS, array, pd.DataFrame(array, columns=LABELS), "y_proba") is array


@pytest.mark.parametrize("series", SERIES.values(), ids=SERIES)
@pytest.mark.parametrize("name", ["proba_no", "no"])
def test_a_single_column_says_whose_probability_it_is(series, name):
    y, no = ["no", "yes", "no"], [0.75, 0.5, 0.25]
    with pytest.raises(ValueError, match=f"y_proba is named '{name}'.* Pass pos_label='no', or the other column"):
        cw_accuracy_score(y, series(no, name=name))
    assert cw_accuracy_score(y, series(no, name=name), pos_label="no") == cw_accuracy_score(y, no, pos_label="no")
    for fine in (name.replace("no", "yes"), "score", ""):
        assert cw_accuracy_score(y, series(no, name=fine)) == cw_accuracy_score(y, no)
    with pytest.raises(ValueError, match="proba is named"):
        PlattCalibrator().fit(series(no, name=name), y)


def test_a_column_that_is_numbered_says_nothing():
    assert cw_accuracy_score([0, 1], pd.DataFrame({0: [0.25, 0.5]})[0]) == cw_accuracy_score([0, 1], [0.25, 0.5])


def test_numbers_have_one_spelling():
    for label, text in {"1.000e+00": "1", "-1.0e+00": "-1", "1.20e+01": "12", 2.0: "2", "01": "01"}.items():
        assert plain(label) == text
    for label in ("1.5e+00", "1e+00", "a1.0e+00", "1.0e-01"):
        assert plain(label) == label
