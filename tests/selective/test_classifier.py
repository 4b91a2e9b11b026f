"""SelectiveClassifier: what it promises, checked against scikit-learn, hand computation and recorded calls.

Expected values never come from skconf itself: base models are fitted again here, out-of-fold probabilities are
computed again with scikit-learn, and what reaches the classifier and the calibrator is recorded.
"""

import contextlib
import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from skconf import ConfidenceProfile, SelectiveClassifier, confidence_scoring
from skconf.calibration import make_calibrator

xgboost = pytest.importorskip("xgboost")

CALIBRATIONS = [None, "platt", "isotonic"]


def xgb(**params):
    return xgboost.XGBClassifier(**{"n_estimators": 3, "max_depth": 2, "n_jobs": 1} | params)


def logistic(**params):
    return LogisticRegression(**params)


def name_of(estimator):
    return type(estimator).__name__


@pytest.fixture(scope="module")
def binary():
    """A noisy binary task: no model is right about everything."""
    return make_classification(200, 5, flip_y=0.3, class_sep=0.5, random_state=0)


@pytest.fixture(scope="module")
def three():
    """A noisy task of three classes."""
    return make_classification(240, 6, n_informative=4, n_classes=3, flip_y=0.3, class_sep=0.7, random_state=1)


def routing():
    return sklearn.config_context(enable_metadata_routing=True)


# --- recorders ---------------------------------------------------------------------------------------------------


class Spy(ClassifierMixin, BaseEstimator):
    """A classifier that tells which rows it saw: X[:, 0] is the number of the row."""

    calls: ClassVar = []  # shared by all clones

    def __init__(self, inner=None):
        self.inner = inner

    def fit(self, X, y, sample_weight=None):
        self.model_ = clone(self.inner or DecisionTreeClassifier(random_state=0))
        self.model_.fit(X[:, 1:], y, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        self.n_features_in_ = X.shape[1]
        Spy.calls.append(("fit", rows_of(X), None if sample_weight is None else np.asarray(sample_weight)))
        return self

    def predict_proba(self, X):
        Spy.calls.append(("predict_proba", rows_of(X), None))
        return self.model_.predict_proba(X[:, 1:])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class RecordingCalibrator(BaseEstimator):
    """A calibrator that changes nothing and tells what it was fitted on."""

    fits: ClassVar = []

    def fit(self, proba, y, sample_weight=None, *, labels=None):
        weight = None if sample_weight is None else np.array(sample_weight)
        RecordingCalibrator.fits.append((np.array(proba), np.array(y), weight, np.array(labels)))
        self.fitted_ = True
        return self

    def predict_proba(self, proba):
        return np.array(proba)


class Fixed(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are the features."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)


def rows_of(X):
    return np.asarray(X)[:, 0].astype(int)


def numbered(X):
    return np.column_stack([np.arange(len(X)), X])


def calls(kind):
    return [call for call in Spy.calls if call[0] == kind]


@pytest.fixture(autouse=True)
def _forget():
    Spy.calls.clear()
    RecordingCalibrator.fits.clear()


def selective_on(proba, **params):
    """Return a selective classifier that says just these probabilities of rows 0, 1, ... and these rows."""
    proba = np.asarray(proba)
    y = np.arange(len(proba)) % proba.shape[1]
    return SelectiveClassifier(Fixed(), **params).fit(proba, y), proba


# --- tags and labels -------------------------------------------------------------------------------------------


def test_a_classifier_that_validates_nothing_says_so_through_the_wrapper():
    assert get_tags(SelectiveClassifier(xgb())).no_validation
    assert not get_tags(SelectiveClassifier(LogisticRegression())).no_validation


@pytest.mark.parametrize("label", ["none", -7, 2.5])
def test_labels_keep_their_type_where_nothing_can_be_rejected(binary, label):
    X, y = binary
    model = SelectiveClassifier(logistic(), reject_label=label).fit(X, y)
    assert model.predict(X).dtype == y.dtype
    assert set(model.set_params(threshold=0.6).predict(X).tolist()) == {0, 1, label}


# --- errors that say what to do -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (SelectiveClassifier(LinearSVC()), r"'estimator' .*\. Confidence needs .*CalibratedClassifierCV"),
        (SelectiveClassifier(FrozenEstimator(LinearSVC())), r"'estimator' .*CalibratedClassifierCV"),
        (
            SelectiveClassifier(LogisticRegression(), calibration="sigmoid"),
            r"'calibration' .*Use 'platt', the name of 'sigmoid'",
        ),
        (SelectiveClassifier(LogisticRegression(), calibration="isotonik"), r"Did you mean 'isotonic'"),
        (
            SelectiveClassifier(LogisticRegression(), confidence="best"),
            r"'confidence' .* Got 'best' instead\.$",
        ),
        (
            SelectiveClassifier(LogisticRegression(), confidence="maxproba"),
            r"Got 'maxproba' instead\. Did you mean 'max_proba'\?$",
        ),
        (
            SelectiveClassifier(LogisticRegression(), calibration="platt", cv="prefit"),
            r"'cv' .*FrozenEstimator\(model\) .*leave cv out",
        ),
    ],
    ids=["no probabilities", "frozen", "sigmoid", "misspelt", "no remedy", "misspelt confidence", "prefit"],
)
def test_a_parameter_that_cannot_be_is_refused_with_its_remedy(binary, model, remedy):
    with pytest.raises(ValueError, match=remedy):
        model.fit(*binary)


def test_a_prevalence_without_a_label_shows_how_to_name_it(binary):
    with pytest.raises(TypeError, match=r"prevalence must map labels to shares, such as \{1: 0\.02\}, but is 0\.02"):
        SelectiveClassifier(LogisticRegression(), calibration="platt", prevalence=0.02).fit(*binary)


@pytest.mark.parametrize("make", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_early_stopping_without_rows_to_stop_by_says_how_to_pass_them(binary, make):
    model = make(xgb(early_stopping_rounds=5))
    with pytest.raises(ValueError, match=r"dataset for early stopping.* Set validation_fraction=0\.1") as got:
        SelectiveClassifier(model, calibration="platt").fit(*binary)
    assert got.value.__cause__ is not None
    SelectiveClassifier(model, calibration="platt", validation_fraction=0.1).fit(*binary)


def test_a_calibrator_by_another_name():
    with pytest.raises(
        ValueError, match=r"Use 'platt', the name of 'sigmoid' in skconf.*PlattCalibrator\(on='proba'\)"
    ):
        make_calibrator("sigmoid")


@pytest.mark.parametrize("dates", ["M8[D]", "M8[ns]", "m8[s]", object], ids=str)
def test_dates_are_refused_as_labels_with_their_remedy(binary, dates):
    X, y = binary
    labels = np.array(["2020-01-01", "2021-01-01"], "M8[D]")[y]
    labels = (labels - labels.min()).astype(dates) if dates == "m8[s]" else labels.astype(dates)
    with pytest.raises(ValueError, match=r"y holds dates or durations, such as .* to text: y\.astype\(str\)"):
        SelectiveClassifier(logistic()).fit(X, labels)
    model = SelectiveClassifier(logistic(), calibration="platt").fit(X, labels.astype(str))
    assert set(model.predict(X)) <= set(labels.astype(str))


@pytest.mark.parametrize(
    "shape", [(200,), (200, 1), (200, 3), (199, 2), (200, 2, 1), (2, 200)], ids=lambda shape: "x".join(map(str, shape))
)
@pytest.mark.parametrize(
    "ask",
    [
        lambda model, X, y: SelectiveClassifier(model).fit(X, y).predict(X),
        lambda model, X, y: ConfidenceProfile.from_estimator(model.fit(X, y), X, y),
    ],
    ids=["selective", "profile"],
)
def test_probabilities_of_any_other_shape_are_refused(binary, ask, shape):
    X, y = binary

    class Odd(LogisticRegression):
        def predict_proba(self, X):  # noqa: ARG002
            return np.full(shape, 0.5)

    message = (
        r"^predict_proba of Odd (returned shape .* for 200 samples and 2 classes\. It must return shape \(200, 2\)|"
        r"must have)"
    )
    with pytest.raises(ValueError, match=message):
        ask(Odd(), X, y)


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ([1.2, 0.3], ValueError, r"predict_proba of Odd has 1\.2, outside \[0, 1\], in row 7, column 0"),
        ([0.9, -0.1], ValueError, r"predict_proba of Odd has -0\.1, outside \[0, 1\], in row 7, column 1"),
        ([0.0, 0.0], UserWarning, "row 7 of predict_proba of Odd sums to 0"),
        ([0.9, 0.8], UserWarning, r"row 7 of predict_proba of Odd sums to 1\.7"),
    ],
)
def test_what_are_no_probabilities_is_no_confidence(binary, row, error, message):
    """Without a calibrator, negative numbers and sums of 1.7 were accepted as confidences."""
    X, y = binary

    class Odd(LogisticRegression):
        def predict_proba(self, X):
            proba = super().predict_proba(X)
            proba[7] = row
            return proba

    model = SelectiveClassifier(Odd()).fit(X, y)
    with pytest.warns(error, match=message) if error is UserWarning else pytest.raises(error, match=message):
        model.predict(X)


def test_probabilities_in_a_list_are_no_several_outputs(binary):
    X, y = binary

    class Listing(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X).tolist()

    listed, plain = (SelectiveClassifier(each, threshold=0.8).fit(X, y) for each in (Listing(), LogisticRegression()))
    np.testing.assert_array_equal(listed.predict(X), plain.predict(X))


# --- threshold ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_everything_is_accepted_at_the_default_threshold(three, calibration):
    X, y = three
    model = SelectiveClassifier(logistic(), calibration=calibration).fit(X, y)
    assert model.accept(X).all()
    assert np.isin(model.predict(X), model.classes_).all()
    if calibration is None:
        base = logistic().fit(X, y)
        np.testing.assert_array_equal(model.predict(X), base.predict(X))
        np.testing.assert_array_equal(model.predict_proba(X), base.predict_proba(X))


@pytest.mark.parametrize("threshold", [0, 0.5, 0.7, 0.9, 1])
def test_threshold_changes_without_refit(binary, threshold):
    X, y = numbered(binary[0]), binary[1]
    model = SelectiveClassifier(Spy(logistic()), threshold=0.2).fit(X, y)
    sure = logistic().fit(X[:, 1:], y).predict_proba(X[:, 1:]).max(axis=1)
    model.threshold = threshold
    np.testing.assert_array_equal(model.accept(X), sure >= threshold)
    np.testing.assert_array_equal(model.predict(X) == -1, sure < threshold)
    assert model.threshold_ == threshold
    assert len(calls("fit")) == 1


def test_a_score_equal_to_the_threshold_is_accepted():
    model, X = selective_on([[0.25, 0.75], [0.5, 0.5], [0.0, 1.0]], threshold=0.75)
    np.testing.assert_array_equal(model.accept(X), [True, False, True])
    assert list(model.set_params(threshold=1.0).accept(X)) == [False, False, True]


@pytest.mark.parametrize("threshold", [1.5, -0.1, np.nan, None, "0.9"])
def test_a_bad_threshold_is_refused_by_fit(binary, threshold):
    with pytest.raises(ValueError, match="threshold"):
        SelectiveClassifier(logistic(), threshold=threshold).fit(*binary)


@pytest.mark.parametrize("params", [{"threshold": 1.5}, {"threshold": np.nan}, {"confidence": "nonsense"}])
def test_a_parameter_read_at_prediction_is_checked_there(binary, params):
    X, y = binary
    model = SelectiveClassifier(logistic()).fit(X, y).set_params(**params)
    with pytest.raises(ValueError, match=next(iter(params))):
        model.predict(X)


# --- reject label ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "dtype", "expected"),
    [
        ([0, 1], int, -1),
        ([3, 7, 9], int, -1),
        ([-1, 1], int, -2),
        ([-5, -1, 4], int, -6),
        ([-5, 4], int, -1),
        ([-128, -1], np.int8, -129),
        ([0, 255], np.uint8, -1),
        ([1, 2], np.uint64, -1),
        ([False, True], bool, -1),
        ([0.0, 1.0], float, -1),
        ([-1.0, 2.0], np.float32, -2),
        (["a", "b"], None, "reject"),
        (["a", "b"], object, "reject"),
        (["ham", "reject"], None, "rejected"),
    ],
)
def test_default_reject_label_is_kept_whole_beside_the_classes(binary, classes, dtype, expected):
    X, code = binary
    y = np.array(classes, dtype=dtype)[code % 2 + (np.arange(len(X)) % 2 if len(classes) == 3 else 0)]
    model = SelectiveClassifier(logistic(), threshold=1.0).fit(X, y)
    assert model.reject_label_ == expected
    assert set(model.predict(X).tolist()) == {expected}
    assert not np.isin(expected, model.classes_)
    np.testing.assert_array_equal(model.classes_, sorted(classes))
    # Accepted predictions come out as they were, in the same array type.
    base = logistic().fit(X, y)
    model.threshold = np.median(base.predict_proba(X).max(axis=1))
    got, accepted = model.predict(X), model.accept(X)
    assert 0 < accepted.sum() < len(X)
    np.testing.assert_array_equal(got[accepted], base.predict(X)[accepted])
    assert got.dtype.kind in ("OU" if isinstance(expected, str) else "if")


def test_classes_beyond_the_signed_range_stay_apart(binary):
    X, code = binary
    y = np.array([2**63 + 1, 2**63 + 2], dtype=np.uint64)[code]
    model = SelectiveClassifier(logistic(), threshold=0.6).fit(X, y)
    accepted = model.accept(X)
    assert set(model.predict(X)[accepted].tolist()) == {2**63 + 1, 2**63 + 2}


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0], ["a", "b"], ["reject", "x"]])
def test_scikit_learn_metrics_take_predictions_with_rejections(binary, labels):
    X, code = binary
    y = np.array(labels)[code]
    sure = logistic().fit(X, y).predict_proba(X).max(axis=1)
    predicted = SelectiveClassifier(logistic(), threshold=np.median(sure)).fit(X, y).predict(X)
    right = (logistic().fit(X, y).predict(X) == y) & (sure >= np.median(sure))
    assert accuracy_score(y, predicted) == pytest.approx(right.mean())
    assert confusion_matrix(y, predicted).shape == (3, 3)
    assert 0 < f1_score(y, predicted, average="macro") < 1


@pytest.mark.parametrize(
    ("label", "kind"), [(-9, "i"), (99, "i"), (np.int8(-3), "i"), (0.5, "f"), ("unsure", "O"), ("", "O")]
)
def test_a_chosen_reject_label_is_given_as_it_is(binary, label, kind):
    X, y = binary
    model = SelectiveClassifier(logistic(), threshold=0.7, reject_label=label).fit(X, y)
    got = model.predict(X)
    assert got.dtype.kind == kind
    assert set(got.tolist()) == {0, 1, label}
    np.testing.assert_array_equal(got == label, ~model.accept(X))


@pytest.mark.parametrize("label", ["z", "a much longer word", 7])
def test_a_chosen_reject_label_stands_beside_short_strings(binary, label):
    X, code = binary
    y = np.array(["aa", "bb"])[code]
    model = SelectiveClassifier(logistic(), threshold=0.7, reject_label=label).fit(X, y)
    assert set(model.predict(X).tolist()) == {"aa", "bb", label}


@pytest.mark.parametrize(
    ("labels", "label"),
    [([0, 1], 1), ([0, 1], True), ([0, 1], 1.0), ([False, True], 0), (["a", "b"], "b"), ([-1, 1], np.int64(-1))],
)
def test_a_reject_label_that_is_a_class_is_refused(binary, labels, label):
    X, code = binary
    with pytest.raises(ValueError, match=r"reject_label.*one of the classes"):
        SelectiveClassifier(logistic(), reject_label=label).fit(X, np.array(labels)[code])


@pytest.mark.parametrize("label", [np.nan, float("nan"), np.float32("nan"), pd.NaT, pd.NA])
@pytest.mark.parametrize("labels", [[0, 1], ["a", "b"]])
def test_a_missing_value_as_reject_label_is_refused(binary, labels, label):
    X, code = binary
    with pytest.raises(ValueError, match="reject_label"):
        SelectiveClassifier(logistic(), reject_label=label).fit(X, np.array(labels)[code])


@pytest.mark.parametrize("label", [[1, 2], (9,)])
def test_a_reject_label_that_is_no_scalar_is_refused(binary, label):
    X, y = binary
    with pytest.raises(ValueError, match="reject_label"):
        SelectiveClassifier(logistic(), threshold=0.7, reject_label=label).fit(X, y).predict(X)


# --- labels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator", [logistic(), xgb(), make_pipeline(StandardScaler(), xgb())], ids=["logistic", "xgb", "pipeline"]
)
@pytest.mark.parametrize("names", [["no", "yes", "maybe"], ["c", "b", "a"], ["a", "b", "c"]])
def test_columns_follow_sorted_classes_whatever_the_order_of_string_labels(three, estimator, names):
    X, code = three
    y = np.array(names)[code]
    model = SelectiveClassifier(clone(estimator), calibration="platt", cv=3).fit(X, y)
    assert model.classes_.tolist() == sorted(names)
    column = [sorted(names).index(name) for name in names]
    by_code = SelectiveClassifier(clone(estimator), calibration="platt", cv=3).fit(X, code)
    # Only the columns move. XGBoost sums over classes in their order, in float32, hence the tolerance.
    np.testing.assert_allclose(model.predict_proba(X)[:, column], by_code.predict_proba(X), atol=1e-3)


XGB_LABELS = {
    "strings": np.array(["spam", "ham", "eggs"]),
    "object strings": np.array(["spam", "ham", "eggs"], dtype=object),
    "379": np.array([3, 7, 9]),
    "negative": np.array([-4, -1, 2]),
    "floats": np.array([10.0, 20.0, 30.0]),
}


@pytest.mark.parametrize("names", list(XGB_LABELS.values()), ids=list(XGB_LABELS))
@pytest.mark.parametrize("calibration", [None, "isotonic"])
def test_xgboost_takes_any_labels(three, names, calibration):
    X, code = three
    y = names[code]
    model = SelectiveClassifier(xgb(), calibration=calibration, cv=3).fit(X, y)
    assert model.classes_.tolist() == sorted(names.tolist())
    assert set(model.predict(X).tolist()) <= set(names.tolist())
    if calibration is None:
        numbers = np.searchsorted(np.sort(names), y)
        base = xgb().fit(X, numbers)
        np.testing.assert_array_equal(model.predict_proba(X), base.predict_proba(X))
        np.testing.assert_array_equal(model.predict(X), np.sort(names)[base.predict(X)])
    assert model.score(X, y) > 0.45  # mixed up columns would be right a third of the time


def test_xgboost_takes_booleans(binary):
    X, code = binary
    model = SelectiveClassifier(xgb(), threshold=0.6).fit(X, code.astype(bool))
    proba = xgb().fit(X, code).predict_proba(X)
    assert model.classes_.tolist() == [False, True]
    expected = np.where(proba.max(axis=1) >= 0.6, proba.argmax(axis=1), -1)
    np.testing.assert_array_equal(model.predict(X), expected)


def sorted_by_class(X, y):
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("estimator", [xgb(), DecisionTreeClassifier(max_depth=2), logistic()], ids=name_of)
def test_a_class_absent_from_a_training_fold_has_probability_zero_there(three, estimator, ensemble):
    X, y = sorted_by_class(three[0], np.array(["b", "c", "d"])[three[1]])
    cv = PredefinedSplit(np.searchsorted(["b", "c", "d"], y))  # each fold trains on the two other classes
    model = SelectiveClassifier(estimator, calibration=RecordingCalibrator(), cv=cv, ensemble=ensemble).fit(X, y)
    proba = np.vstack([fit[0] for fit in RecordingCalibrator.fits])
    truth = np.concatenate([fit[1] for fit in RecordingCalibrator.fits])
    assert [fit[3].tolist() for fit in RecordingCalibrator.fits] == [["b", "c", "d"]] * (3 if ensemble else 1)
    own = proba[np.arange(len(y)), np.searchsorted(["b", "c", "d"], truth)]
    np.testing.assert_array_equal(own, 0)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-6)
    assert model.predict_proba(X).shape == (len(y), 3)


@pytest.mark.parametrize("estimator", [xgb(), DecisionTreeClassifier(max_depth=2)], ids=name_of)
def test_a_training_fold_with_a_single_class_breaks_nothing(binary, estimator):
    X, y = sorted_by_class(*binary)
    cv = PredefinedSplit(y)
    model = SelectiveClassifier(estimator, calibration="platt", cv=cv).fit(X, y)
    assert model.predict_proba(X).shape == (len(y), 2)


@pytest.mark.parametrize("estimator", [xgb(), DecisionTreeClassifier()], ids=name_of)
def test_a_task_with_a_single_class_has_one_column(binary, estimator):
    X, _ = binary
    model = SelectiveClassifier(estimator).fit(X, np.full(len(X), 7))
    assert model.classes_.tolist() == [7]
    np.testing.assert_allclose(model.predict_proba(X), np.ones((len(X), 1)), atol=1e-6)


def test_a_class_too_rare_for_the_folds_is_still_a_class(binary):
    X, y = binary[0][:40], binary[1][:40].copy()
    y[7] = 2
    with pytest.warns(UserWarning, match="least populated class"):
        model = SelectiveClassifier(xgb(), calibration="isotonic").fit(X, y)
    assert model.predict_proba(X).shape == (40, 3)


def xgb_with_eval_set():
    inner = xgb(n_estimators=20, early_stopping_rounds=3, learning_rate=1.0)
    return inner.set_fit_request(eval_set=True, verbose=True)


@pytest.mark.parametrize("names", [[0, 1], [1, 2], ["n", "p"]])
def test_labels_of_an_eval_set_are_those_of_the_task_or_refused(binary, names):
    X, code = binary
    y = np.array(names)[code]
    with routing():
        model = SelectiveClassifier(xgb_with_eval_set())
        try:
            model.fit(X[:100], y[:100], eval_set=[(X[100:], y[100:])], verbose=False)
        except ValueError as error:
            refused = "eval_set" in str(error) and names != [0, 1]  # these labels are XGBoost's own
        else:
            refused = False
        base = xgb_with_eval_set().fit(X[:100], code[:100], eval_set=[(X[100:], code[100:])], verbose=False)
    assert refused or model.estimator_.evals_result() == base.evals_result()


def test_xgboost_in_a_pipeline_in_a_search_over_threshold_and_calibration(three):
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    pipeline = make_pipeline(StandardScaler(), SelectiveClassifier(xgb(), cv=2))
    grid = {
        "selectiveclassifier__threshold": [0.0, 0.99],
        "selectiveclassifier__calibration": [None, "platt"],
        "selectiveclassifier__estimator__max_depth": [1, 2],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    # An abstention is never free, so that accepting everything wins.
    assert search.best_params_["selectiveclassifier__threshold"] == 0.0
    strict = search.cv_results_["param_selectiveclassifier__threshold"] == 0.99
    assert search.cv_results_["mean_test_score"][strict].max() < 0.1
    assert set(search.predict(X)) <= {"x", "y", "z"}


def test_a_pipeline_that_ends_in_xgboost_goes_inside(three):
    X, code = three
    y = np.array(["x", "y", "z"])[code]
    model = SelectiveClassifier(make_pipeline(StandardScaler(), xgb())).fit(X, y)
    base = make_pipeline(StandardScaler(), xgb()).fit(X, code)
    np.testing.assert_array_equal(model.predict_proba(X), base.predict_proba(X))
    assert model.n_features_in_ == X.shape[1]


@pytest.mark.parametrize(
    ("inner", "key"),
    [(LogisticRegression(), "C"), (make_pipeline(StandardScaler(), xgb()), "xgbclassifier__max_depth")],
    ids=["logistic", "pipeline"],
)
def test_searches_nest(three, inner, key):
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    search = GridSearchCV(inner, {key: [1, 2]}, cv=2, scoring="neg_log_loss")
    model = SelectiveClassifier(search, calibration="platt", cv=2)
    outer = GridSearchCV(model, {"threshold": [0.0, 0.5]}, cv=2, error_score="raise").fit(X, y)
    assert outer.best_estimator_.estimator_.best_params_[key] in (1, 2)
    assert outer.score(X, y) > 0.4
    assert set(outer.predict(X)) <= {"x", "y", "z", "reject"}


# --- frozen ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [logistic, xgb, lambda: make_pipeline(StandardScaler(), logistic())])
def test_a_frozen_classifier_is_not_fitted_and_all_samples_calibrate_it(three, make):
    X, y = three
    fitted = make().fit(X[:120], y[:120])
    model = SelectiveClassifier(FrozenEstimator(fitted), calibration=RecordingCalibrator(), cv=3, ensemble=True)
    model.fit(X[120:], y[120:])
    (proba, labels, weight, classes), *others = RecordingCalibrator.fits
    assert not others
    assert weight is None
    np.testing.assert_array_equal(proba, fitted.predict_proba(X[120:]))
    np.testing.assert_array_equal(labels, y[120:])
    np.testing.assert_array_equal(classes, fitted.classes_)
    np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))
    assert model.estimator_.estimator is fitted


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_a_calibration_set_may_lack_a_class_of_a_frozen_classifier(three, calibration):
    X, y = three
    names = np.array(["x", "y", "z"])[y]
    fitted = logistic().fit(X[:120], names[:120])
    some = np.flatnonzero(names[120:] != "y") + 120
    model = SelectiveClassifier(FrozenEstimator(fitted), calibration=calibration)
    with pytest.warns(UserWarning, match=r"\['y'\] unchanged"):
        model.fit(X[some], names[some])
    assert model.classes_.tolist() == ["x", "y", "z"]
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba[:, 1] > 0).all()


def test_a_calibration_set_with_a_label_that_a_frozen_classifier_does_not_know_is_refused(binary):
    X, y = binary
    fitted = FrozenEstimator(logistic().fit(X, y))
    with pytest.raises(ValueError, match=r"^y holds \[2\] .* the frozen classifier was trained.* Map y to them\.$"):
        SelectiveClassifier(fitted, calibration="platt").fit(X, y + (np.arange(len(y)) == 9) * (2 - y[9]))


def test_a_classifier_that_knows_more_classes_than_the_task_is_refused(three):
    X, y = three
    knows_three = make_pipeline(StandardScaler(), FrozenEstimator(logistic().fit(X, y)))
    with pytest.raises(ValueError, match=r"classes \[0, 1, 2\], but \[2\] are not classes of .*\[0, 1\]"):
        SelectiveClassifier(knows_three).fit(X[y < 2], y[y < 2])


def test_a_frozen_classifier_that_is_not_fitted_is_refused(binary):
    with pytest.raises(NotFittedError):
        SelectiveClassifier(FrozenEstimator(LogisticRegression())).fit(*binary)


# --- where the calibrator's probabilities come from --------------------------------------------------------------


def test_an_overfitting_tree_is_calibrated_on_what_it_had_not_seen(binary):
    X, y = binary
    tree = DecisionTreeClassifier(random_state=0)
    SelectiveClassifier(tree, calibration=RecordingCalibrator()).fit(X, y)
    (proba, labels, *_), *others = RecordingCalibrator.fits
    assert not others
    assert clone(tree).fit(X, y).score(X, y) == 1.0  # in sample it is always right, and certain
    assert len(labels) == len(y)
    assert (proba.argmax(axis=1) == labels).mean() < 0.85


SPLITTERS = {
    "default": (None, StratifiedKFold(5)),
    "int": (3, StratifiedKFold(3)),
    "kfold": (KFold(4, shuffle=True, random_state=0),) * 2,
    "shuffle split": (ShuffleSplit(2, test_size=0.3, random_state=0),) * 2,
}


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize(("cv", "splitter"), list(SPLITTERS.values()), ids=list(SPLITTERS))
def test_out_of_fold_probabilities_reach_the_calibrator(binary, cv, splitter, ensemble):
    X, y = numbered(binary[0]), binary[1]
    SelectiveClassifier(Spy(), calibration=RecordingCalibrator(), cv=cv, ensemble=ensemble).fit(X, y)
    folds = list(splitter.split(X, y))
    models = [DecisionTreeClassifier(random_state=0).fit(X[train, 1:], y[train]) for train, _ in folds]
    expected = [model.predict_proba(X[test, 1:]) for model, (_, test) in zip(models, folds, strict=True)]
    labels = [y[test] for _, test in folds]
    if not ensemble:
        expected, labels = [np.vstack(expected)], [np.concatenate(labels)]
    assert len(RecordingCalibrator.fits) == len(expected)
    for fit, proba, truth in zip(RecordingCalibrator.fits, expected, labels, strict=True):
        np.testing.assert_array_equal(fit[0], proba)
        np.testing.assert_array_equal(fit[1], truth)
    fitted_on = [rows.tolist() for _, rows, _ in calls("fit")]
    assert fitted_on == [train.tolist() for train, _ in folds] + ([] if ensemble else [list(range(len(y)))])


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize(("cv", "n_folds"), [(None, 5), (3, 3)])
def test_folds_keep_groups_whole(binary, cv, n_folds, ensemble, routed):
    X, y = numbered(binary[0]), binary[1]
    groups = np.arange(len(y)) % 12
    model = SelectiveClassifier(Spy(), calibration=RecordingCalibrator(), cv=cv, ensemble=ensemble)
    with sklearn.config_context(enable_metadata_routing=routed):
        model.fit(X, y, groups=[f"patient {group}" for group in groups])
    asked, fitted = ([rows for _, rows, _ in calls(method)] for method in ("predict_proba", "fit"))
    expected = StratifiedGroupKFold(n_folds).split(X, y, groups)
    for train, test, (trained, held_out) in zip(fitted, asked, expected, strict=False):
        assert (train.tolist(), test.tolist()) == (trained.tolist(), held_out.tolist())
        assert not set(groups[train]) & set(groups[test])
    assert sorted(np.concatenate(asked)) == list(range(len(y)))


def test_fewer_groups_than_folds_are_refused(binary):
    X, y = binary
    with pytest.raises(ValueError, match=r"cv makes 5 folds, but there are 3 groups.*cv=3"):
        SelectiveClassifier(logistic(), calibration="platt").fit(X, y, groups=np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match=r"groups has a single group.*leave groups out"):
        SelectiveClassifier(logistic(), calibration="platt").fit(X, y, groups=np.zeros(len(y)))


@pytest.mark.parametrize("fraction", [0.2, 0.5, np.float64(0.25), np.float32(0.25)])
def test_a_held_out_fraction_calibrates_and_the_rest_trains(binary, fraction):
    X, y = numbered(binary[0]), binary[1]
    SelectiveClassifier(Spy(), calibration=RecordingCalibrator(), cv=fraction, random_state=3).fit(X, y)
    (train,), (held_out,) = ([rows for _, rows, _ in calls(method)] for method in ("fit", "predict_proba"))
    assert sorted([*train, *held_out]) == list(range(len(y)))
    (_, labels, *_), *others = RecordingCalibrator.fits
    assert not others
    np.testing.assert_array_equal(labels, y[held_out])
    assert len(labels) == round(float(fraction) * len(y))
    # The share of each class is kept, to within a sample.
    assert abs(labels.mean() - y.mean()) < 1 / len(labels)


def test_a_held_out_fraction_is_drawn_by_the_seed(binary):
    X, y = numbered(binary[0]), binary[1]
    drawn = []
    for seed in (0, 0, 1):
        SelectiveClassifier(Spy(), calibration="platt", cv=0.5, random_state=seed).fit(X, y)
        drawn += [tuple(rows) for _, rows, _ in calls("predict_proba")]
    assert drawn[-3] == drawn[-2] != drawn[-1]


def test_a_class_of_one_sample_does_not_stop_a_held_out_fraction(binary):
    X, y = binary[0], binary[1].copy()
    y[0] = 7
    for seed in range(10):
        model = SelectiveClassifier(logistic(), calibration=RecordingCalibrator(), cv=0.5, random_state=seed).fit(X, y)
        np.testing.assert_array_equal(model.classes_, [0, 1, 7])


def test_a_splitter_with_a_single_split_holds_out(binary):
    X, y = numbered(binary[0]), binary[1]
    split = ShuffleSplit(1, test_size=0.3, random_state=0)
    model = SelectiveClassifier(Spy(), calibration=RecordingCalibrator(), cv=split).fit(X, y)
    train, test = next(split.split(X))
    assert [list(rows) for _, rows, _ in calls("fit")] == [list(train)]
    assert [list(rows) for _, rows, _ in calls("predict_proba")] == [list(test)]
    assert len(model.members_) == 1


@pytest.mark.parametrize("cv", [0.0, 1.0, 1.5, 1, 0, "prefit"])
def test_a_bad_cv_is_refused(binary, cv):
    with pytest.raises(ValueError, match=r"cv|n_splits"):
        SelectiveClassifier(logistic(), calibration="platt", cv=cv).fit(*binary)


def test_an_ensemble_averages_the_calibrated_folds(three):
    X, y = three
    model = SelectiveClassifier(logistic(), calibration=RecordingCalibrator(), cv=3, ensemble=True).fit(X, y)
    folds = list(StratifiedKFold(3).split(X, y))
    each = [logistic().fit(X[train], y[train]).predict_proba(X) for train, _ in folds]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(each, axis=0), rtol=1e-12)
    assert len(model.members_) == 3


def test_one_model_on_all_samples_predicts_without_ensemble(three):
    X, y = three
    model = SelectiveClassifier(logistic(), calibration=RecordingCalibrator(), cv=3).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), logistic().fit(X, y).predict_proba(X))
    assert isinstance(model.calibrator_, RecordingCalibrator)


def test_the_calibrator_given_is_cloned(binary):
    mine = RecordingCalibrator()
    model = SelectiveClassifier(logistic(), calibration=mine).fit(*binary)
    assert not hasattr(mine, "fitted_")
    assert model.calibrator_ is not mine


class PlainCalibrator(BaseEstimator):
    """A calibrator with the signature that the design gives, and no more."""

    def fit(self, proba, y, sample_weight=None):  # noqa: ARG002
        self.prior_ = np.bincount(y, sample_weight) / len(y)
        return self

    def predict_proba(self, proba):
        return np.tile(self.prior_, (len(proba), 1))


def test_a_calibrator_needs_no_labels_argument(binary):
    X, y = binary
    model = SelectiveClassifier(logistic(), calibration=PlainCalibrator()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), [[1 - y.mean(), y.mean()]] * len(y))


def test_a_classifier_serves_as_calibrator(three):
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    fitted = logistic().fit(X[:120], y[:120])
    model = SelectiveClassifier(FrozenEstimator(fitted), calibration=logistic()).fit(X[120:], y[120:])
    second = logistic().fit(fitted.predict_proba(X[120:]), y[120:])
    np.testing.assert_allclose(model.predict_proba(X), second.predict_proba(fitted.predict_proba(X)), rtol=1e-6)


def test_a_calibrator_that_returns_too_few_columns_never_shifts_the_labels(three):
    # A classifier as calibrator, and a calibration set without "y": its second column stands for "z".
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    some = y != "y"
    model = SelectiveClassifier(FrozenEstimator(logistic().fit(X, y)), calibration=logistic())
    try:
        predicted = model.fit(X[some], y[some]).predict(X[some])
    except ValueError as error:
        assert "calibrat" in str(error).lower()  # noqa: PT017
    else:
        assert set(predicted) == {"x", "z"}


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_n_jobs_changes_nothing(three, calibration, ensemble):
    X, y = three
    models = [
        SelectiveClassifier(
            DecisionTreeClassifier(max_depth=3, random_state=0), calibration=calibration, ensemble=ensemble, n_jobs=n
        ).fit(X, y)
        for n in (None, 2)
    ]
    np.testing.assert_array_equal(models[0].predict_proba(X), models[1].predict_proba(X))


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
@pytest.mark.parametrize("cv", [3, 0.3])
@pytest.mark.parametrize("ensemble", [False, True])
def test_calibrated_rows_sum_to_one(three, calibration, cv, ensemble):
    X, y = three
    model = SelectiveClassifier(GaussianNB(), calibration=calibration, cv=cv, ensemble=ensemble, random_state=0)
    proba = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    assert proba.min() >= 0
    assert np.abs(proba - GaussianNB().fit(X, y).predict_proba(X)).max() > 0.05  # it did calibrate


# --- prediction and score ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_keep_prediction_leaves_the_base_models_prediction_and_its_accuracy(three, calibration):
    X, y = three
    base = GaussianNB().fit(X, y)
    model = SelectiveClassifier(GaussianNB(), calibration=calibration, keep_prediction=True).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), base.predict(X))
    assert model.score(X, y) == pytest.approx(base.score(X, y))
    # The confidence is the calibrated probability of that class, not the largest.
    answer = model.predict_selective(X)
    np.testing.assert_array_equal(answer.score, answer.proba[np.arange(len(X)), base.predict(X)])
    assert (answer.score < answer.proba.max(axis=1)).any()
    moved = model.set_params(keep_prediction=False).predict(X)
    assert (moved != base.predict(X)).any()  # else this test says nothing


def test_keep_prediction_of_an_ensemble_is_that_of_the_averaged_raw_probabilities(three):
    X, y = three
    model = SelectiveClassifier(GaussianNB(), calibration="isotonic", cv=3, ensemble=True, keep_prediction=True)
    raw = [GaussianNB().fit(X[train], y[train]).predict_proba(X) for train, _ in StratifiedKFold(3).split(X, y)]
    np.testing.assert_array_equal(model.fit(X, y).predict(X), np.mean(raw, axis=0).argmax(axis=1))


PROBA = [[0.5, 0.3, 0.2], [1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.1, 0.45, 0.45], [0.05, 0.15, 0.8]]
LOG3 = np.log(3)
SCORES = {
    "max_proba": [0.5, 1, 1 / 3, 0.45, 0.8],
    "margin": [0.2, 1, 0, 0, 0.65],
    "entropy": [
        1 + (0.5 * np.log(0.5) + 0.3 * np.log(0.3) + 0.2 * np.log(0.2)) / LOG3,
        1,
        0,
        1 + (0.1 * np.log(0.1) + 0.9 * np.log(0.45)) / LOG3,
        1 + (0.05 * np.log(0.05) + 0.15 * np.log(0.15) + 0.8 * np.log(0.8)) / LOG3,
    ],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("confidence", "expected"), list(SCORES.items()))
def test_scores_by_hand(confidence, expected, dtype):
    model, X = selective_on(np.array(PROBA, dtype=dtype), confidence=confidence, threshold=0.45)
    score = model.predict_confidence(X)
    assert score.dtype == np.float64
    np.testing.assert_allclose(score, expected, atol=1e-12 if dtype == np.float64 else 1e-6)
    assert score.min() >= 0
    assert score.max() <= 1
    if dtype == np.float64:
        np.testing.assert_array_equal(model.accept(X), np.array(expected) >= 0.45)


@pytest.mark.parametrize("confidence", ["max_proba", "margin", "entropy"])
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_scores_lie_in_the_unit_interval(confidence, seed, n_classes):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, rng.choice([0.01, 1, 100])), 30)
    proba[:2] = np.full(n_classes, 1 / n_classes), np.eye(n_classes)[0]
    model, X = selective_on(np.tile(proba, (2, 1)).astype(rng.choice(["f4", "f8"])), confidence=confidence)
    score = model.predict_confidence(X)
    assert ((score >= 0) & (score <= 1)).all()
    assert score[1] == 1
    assert score[0] == pytest.approx(1 / n_classes if confidence == "max_proba" else 0, abs=1e-6)


def test_a_callable_confidence_ranks():
    model, X = selective_on(PROBA, confidence=lambda proba: 1 - proba[:, 0], threshold=0.6)
    np.testing.assert_allclose(model.predict_confidence(X), [0.5, 0, 2 / 3, 0.9, 0.95])
    np.testing.assert_array_equal(model.accept(X), [False, False, True, True, True])


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        (lambda proba: proba, "one score for each"),
        (lambda proba: proba.max(axis=1, keepdims=True), "one score for each"),
        (lambda proba: proba[1:, 0], "one score for each"),
        (lambda proba: proba.max(), "one score for each"),
        (lambda proba: -proba[:, 0], r"in \[0, 1\]"),
        (lambda proba: 2 * proba[:, 0], r"in \[0, 1\]"),
        (lambda proba: np.where(proba[:, 0] < 0.2, np.nan, 0.5), r"in \[0, 1\]"),
        (lambda proba: np.log(proba[:, 2] + 1e-3), r"in \[0, 1\]"),
    ],
)
def test_a_bad_callable_confidence_raises(confidence, message):
    model, X = selective_on(PROBA, confidence=confidence)
    with pytest.raises(ValueError, match=message):
        model.predict(X)


def test_a_callable_confidence_may_round():
    # As 1 − H/ln K does for a uniform row, and a sum of probabilities for a certain one.
    noise = np.array([0.5, 1 + 2.3e-16, -2.3e-16])
    model, X = selective_on(PROBA[:3], confidence=lambda proba: proba[:, 0] * 0 + noise, threshold=1.0)
    np.testing.assert_array_equal(model.predict_confidence(X), [0.5, 1, 0])
    np.testing.assert_array_equal(model.accept(X), [False, True, False])


def test_a_callable_confidence_cannot_change_the_probabilities():
    def sort_in_place(proba):
        with contextlib.suppress(ValueError):  # a read-only array would be one answer
            proba.sort(axis=1)
        return proba[:, -1]

    model, X = selective_on(PROBA, confidence=sort_in_place)
    given_proba = X.copy()
    np.testing.assert_array_equal(model.predict_proba(X.copy()), given_proba)


@pytest.mark.parametrize("confidence", ["nonsense", 3, None])
def test_a_bad_confidence_is_refused(binary, confidence):
    with pytest.raises(ValueError, match="'confidence' parameter"):
        SelectiveClassifier(logistic(), confidence=confidence).fit(*binary)


def test_score_counts_an_abstention_as_wrong(binary):
    X, y = binary
    base = logistic().fit(X, y)
    proba, weight = base.predict_proba(X), np.random.default_rng(0).random(len(y))
    right = (proba.max(axis=1) >= 0.6) & (base.predict(X) == y)
    model = SelectiveClassifier(logistic(), threshold=0.6).fit(X, y)
    assert model.score(X, y) == pytest.approx(right.mean())
    assert model.score(X, y, sample_weight=weight) == pytest.approx((weight * right).sum() / weight.sum())
    assert model.score(X, pd.Series(y, index=np.arange(len(y))[::-1])) == pytest.approx(right.mean())
    assert right.mean() < base.score(X, y)


def test_score_takes_a_column_of_labels_as_a_column_or_not_at_all(binary):
    X, y = binary
    model = SelectiveClassifier(logistic()).fit(X, y)
    with contextlib.suppress(ValueError):
        assert model.score(X, y[:, np.newaxis]) == model.score(X, y)


@pytest.mark.parametrize(
    "bad",
    [lambda y: y[:1], lambda y: y[:-1], lambda y: np.where(np.arange(len(y)) < 9, np.nan, y), lambda y: y.astype(str)],
    ids=["one label", "one label short", "missing labels", "labels of another type"],
)
def test_score_refuses_labels_that_cannot_be_compared(binary, bad):
    X, y = binary
    model = SelectiveClassifier(logistic()).fit(X, y)
    with pytest.raises(ValueError, match=r"y|label|shape|length|sample"):
        model.score(X, bad(y))


def test_score_takes_a_label_that_was_not_in_training_as_one_missed(binary):
    X, y = binary
    model = SelectiveClassifier(logistic()).fit(X, y)
    other = np.where(np.arange(len(y)) < 50, 9, y)
    with pytest.warns(UserWarning, match="labels on which the classifier was not trained"):
        score = model.score(X, other)
    assert score == pytest.approx((logistic().fit(X, y).predict(X) == other).mean())


# --- one call of the inner predict_proba -------------------------------------------------------------------------

ASKING = {
    "predict_selective": lambda model, X, _: model.predict_selective(X),
    "predict": lambda model, X, _: model.predict(X),
    "predict_proba": lambda model, X, _: model.predict_proba(X),
    "predict_confidence": lambda model, X, _: model.predict_confidence(X),
    "accept": lambda model, X, _: model.accept(X),
    "score": lambda model, X, y: model.score(X, y),
    "from_estimator": ConfidenceProfile.from_estimator,
    "many scorers": confidence_scoring(["cw_accuracy", "coverage", "selective_accuracy", "neg_aurc", "neg_ece"]),
}


@pytest.mark.parametrize(("calibration", "keep_prediction"), [(None, False), ("isotonic", True)])
@pytest.mark.parametrize("ask", list(ASKING.values()), ids=list(ASKING))
def test_one_inner_call(binary, ask, calibration, keep_prediction):
    X, y = numbered(binary[0]), binary[1]
    model = SelectiveClassifier(
        Spy(logistic()), threshold=0.7, calibration=calibration, cv=2, keep_prediction=keep_prediction
    ).fit(X, y)
    Spy.calls.clear()
    ask(model, X, y)
    assert len(Spy.calls) == 1


@pytest.mark.parametrize("ask", [ASKING["from_estimator"], ASKING["many scorers"]])
@pytest.mark.parametrize("depth", ["pipeline", "search", "search of a pipeline", "pipeline of a search"])
def test_one_inner_call_through_pipelines_and_searches(binary, ask, depth):
    X, y = numbered(binary[0]), binary[1]
    model = SelectiveClassifier(Spy(logistic()), threshold=0.7)
    if depth.startswith("search"):
        inner = make_pipeline("passthrough", model) if "pipeline" in depth else model
        key = "selectiveclassifier__threshold" if "pipeline" in depth else "threshold"
        outer = GridSearchCV(inner, {key: [0.7]}, cv=2)
    else:
        inner = GridSearchCV(model, {"threshold": [0.7]}, cv=2) if "search" in depth else model
        outer = make_pipeline("passthrough", inner)
    outer.fit(X, y)
    Spy.calls.clear()
    ask(outer, X, y)
    assert len(Spy.calls) == 1


def wrapped(kind, model):
    if kind == "pipeline":
        return make_pipeline(StandardScaler(), model)
    if kind == "search":
        return GridSearchCV(model, {"threshold": [0.7]}, cv=2)
    return model


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("kind", ["bare", "pipeline", "search"])
def test_a_profile_brings_score_prediction_and_threshold_along(three, kind, frozen):
    X, y = three
    outer = wrapped(kind, SelectiveClassifier(GaussianNB(), threshold=0.7, confidence="margin")).fit(X, y)
    base = (make_pipeline(StandardScaler(), GaussianNB()) if kind == "pipeline" else GaussianNB()).fit(X, y)
    profile = ConfidenceProfile.from_estimator(FrozenEstimator(outer) if frozen else outer, X, y)
    two = np.sort(base.predict_proba(X), axis=1)[:, -2:]
    np.testing.assert_allclose(profile.score, two[:, 1] - two[:, 0], atol=1e-12)
    np.testing.assert_allclose(profile.confidence, two[:, 1])
    np.testing.assert_array_equal(profile.correct, base.predict(X) == y)
    assert profile.threshold == 0.7


class Averaging(GaussianNB):
    """A classifier that predicts without a refit, as LogisticRegressionCV(refit=False) does."""

    def __init__(self, refit=False):
        super().__init__()
        self.refit = refit


def test_a_profile_of_a_classifier_with_a_refit_parameter_of_its_own(binary):
    X, y = binary
    model = Averaging().fit(X, y)
    profile = ConfidenceProfile.from_estimator(model, X, y)
    np.testing.assert_array_equal(profile.confidence, model.predict_proba(X).max(axis=1))


def test_a_profile_of_kept_predictions_reads_their_probability(three):
    X, y = three
    model = SelectiveClassifier(GaussianNB(), calibration="platt", keep_prediction=True).fit(X, y)
    profile = ConfidenceProfile.from_estimator(model, X, y)
    base = GaussianNB().fit(X, y).predict(X)
    np.testing.assert_array_equal(profile.correct, base == y)
    np.testing.assert_array_equal(profile.confidence, model.predict_proba(X)[np.arange(len(X)), base])


# --- sample weights ----------------------------------------------------------------------------------------------


@pytest.fixture
def weighted(binary):
    X, y = numbered(binary[0]), binary[1]
    return X, y, np.random.default_rng(5).integers(1, 9, len(y)).astype(float)


def requesting(inner):
    return inner.set_fit_request(sample_weight=True)


def assert_weights_arrived(y, weight):
    assert len(calls("fit")) == 3  # two folds and all
    for _, rows, got in calls("fit"):
        np.testing.assert_array_equal(got, weight[rows])
    (_, _, got, _), *others = RecordingCalibrator.fits
    assert not others
    order = np.concatenate([test for _, test in StratifiedKFold(2).split(weight, y)])
    np.testing.assert_array_equal(got, weight[order])


@pytest.mark.parametrize("container", [np.asarray, list, pd.Series])
def test_routed_sample_weight_reaches_the_classifier_and_the_calibrator(weighted, container):
    X, y, weight = weighted
    with routing():
        model = SelectiveClassifier(requesting(Spy()), calibration=RecordingCalibrator(), cv=2)
        model.fit(X, y, sample_weight=container(weight))
    assert_weights_arrived(y, weight)


@pytest.mark.parametrize("container", [np.asarray, list, pd.Series])
def test_sample_weight_reaches_the_classifier_and_the_calibrator_without_routing(weighted, container):
    X, y, weight = weighted
    model = SelectiveClassifier(Spy(), calibration=RecordingCalibrator(), cv=2)
    model.fit(X, y, sample_weight=container(weight))
    assert_weights_arrived(y, weight)


def test_sample_weight_of_a_search_reaches_the_classifier_without_routing(weighted):
    X, y, weight = weighted
    GridSearchCV(SelectiveClassifier(Spy()), {"threshold": [0.0]}, cv=2).fit(X, y, sample_weight=weight)
    assert len(calls("fit")) == 3
    for _, rows, got in calls("fit"):
        np.testing.assert_array_equal(got, weight[rows])


def test_sample_weight_none_is_no_weight(weighted):
    X, y, _ = weighted
    SelectiveClassifier(Spy()).fit(X, y, sample_weight=None)
    assert calls("fit")[0][2] is None


def test_routed_sample_weight_under_an_alias(weighted):
    X, y, weight = weighted
    with routing():
        model = SelectiveClassifier(Spy().set_fit_request(sample_weight="trust"), calibration=RecordingCalibrator())
        model.fit(X, y, trust=weight)
    (_, _, got, _), *_ = RecordingCalibrator.fits
    np.testing.assert_array_equal(np.sort(got), np.sort(weight))


class NeverCopied(LogisticRegression):
    """A classifier that is large once fitted, say."""

    def __deepcopy__(self, memo):
        raise AssertionError("copied")


def test_routing_copies_no_model(weighted):
    X, y, weight = weighted
    with routing():
        model = SelectiveClassifier(requesting(NeverCopied()))
        model.fit(X, y, sample_weight=weight).fit(X, y, sample_weight=weight)


def test_routed_sample_weight_that_nobody_decided_on_raises(weighted):
    X, y, weight = weighted
    with routing(), pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        SelectiveClassifier(Spy(), calibration="platt").fit(X, y, sample_weight=weight)


def test_routed_sample_weight_goes_through_cross_validate(weighted):
    X, y, weight = weighted
    with routing():
        model = SelectiveClassifier(requesting(Spy())).set_score_request(sample_weight=False)
        cross_validate(model, X, y, cv=2, params={"sample_weight": weight}, error_score="raise")
    assert len(calls("fit")) == 2
    for _, rows, got in calls("fit"):
        np.testing.assert_array_equal(got, weight[rows])


def test_a_routed_sample_weight_requested_for_score_weighs_it(binary):
    X, y = binary
    weight = np.random.default_rng(0).exponential(1, len(y)) ** 2
    expected = []
    for train, test in StratifiedKFold(3).split(X, y):
        base = logistic().fit(X[train], y[train], sample_weight=weight[train])
        expected.append(accuracy_score(y[test], base.predict(X[test]), sample_weight=weight[test]))
    with routing():
        model = SelectiveClassifier(requesting(logistic())).set_score_request(sample_weight=True)
        got = cross_validate(model, X, y, cv=3, params={"sample_weight": weight}, error_score="raise")
    np.testing.assert_allclose(got["test_score"], expected)


@pytest.mark.parametrize("routed", [False, True])
def test_sample_weight_calibrates_a_frozen_classifier(binary, routed):
    X, y = binary
    weight = np.random.default_rng(0).random(len(y))
    with sklearn.config_context(enable_metadata_routing=routed):
        model = SelectiveClassifier(FrozenEstimator(logistic().fit(X, y)), calibration=RecordingCalibrator())
        if routed and hasattr(model, "set_fit_request"):
            model.set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(RecordingCalibrator.fits[0][2], weight)


def test_routed_sample_weight_of_cross_validate_calibrates_a_frozen_classifier(binary):
    X, y = binary
    weight = np.arange(1.0, len(y) + 1)
    model = SelectiveClassifier(FrozenEstimator(logistic().fit(X, y)), calibration=RecordingCalibrator())
    with routing():
        if hasattr(model, "set_fit_request"):
            model.set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        cross_validate(model, X, y, cv=2, params={"sample_weight": weight}, error_score="raise")
    got = np.concatenate([fit[2] for fit in RecordingCalibrator.fits])
    np.testing.assert_array_equal(np.sort(got), weight)


@pytest.mark.parametrize("params", [{"sample_wieght": 1.0}, {"sample_weight": [1.0, 2.0]}], ids=["typo", "too short"])
@pytest.mark.parametrize("calibration", [None, "platt"])
def test_a_frozen_classifier_does_not_swallow_bad_arguments(binary, params, calibration):
    X, y = binary
    model = SelectiveClassifier(FrozenEstimator(logistic().fit(X, y)), calibration=calibration)
    with pytest.raises((TypeError, ValueError), match=next(iter(params))):
        model.fit(X, y, **params)


def test_no_sample_weight_is_nothing_to_pass_on(binary):
    SelectiveClassifier(KNeighborsClassifier(), calibration="platt").fit(*binary, sample_weight=None)


def test_sample_weight_of_the_last_step_is_not_lost_on_the_calibrator(weighted):
    X, y, weight = weighted
    model = SelectiveClassifier(make_pipeline("passthrough", Spy()), calibration=RecordingCalibrator(), cv=2)
    with contextlib.suppress(ValueError, TypeError):  # an error that says so would be one answer
        model.fit(X, y, spy__sample_weight=weight)
        assert_weights_arrived(y, weight)


def test_weights_that_reach_only_half_of_the_model_are_never_silent(weighted):
    # A classifier without sample_weight: weigh the calibrator alone, or refuse; but say so.
    X, y, weight = weighted
    with pytest.raises((TypeError, ValueError), match="sample_weight"):
        SelectiveClassifier(KNeighborsClassifier(), calibration="platt").fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_whole_sample_weights_are_repetitions(binary, calibration):
    X, y = binary
    count = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), count)
    # The same rows train, and the same rows calibrate, in both.
    half = np.arange(len(y)) < 100
    splits = [(np.flatnonzero(half), np.flatnonzero(~half))]
    repeated = [(np.flatnonzero(half[rows]), np.flatnonzero(~half[rows]))]
    with routing():
        by_weight = SelectiveClassifier(requesting(GaussianNB()), calibration=calibration, cv=splits)
        by_weight.fit(X, y, sample_weight=count)
    by_rows = SelectiveClassifier(GaussianNB(), calibration=calibration, cv=repeated).fit(X[rows], y[rows])
    np.testing.assert_allclose(by_weight.predict_proba(X), by_rows.predict_proba(X), atol=1e-9)


# --- inputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
@pytest.mark.parametrize("cv", [3, 0.3])
def test_sparse_features(binary, make, cv):
    X, y = binary[0] * (np.abs(binary[0]) > 0.5), binary[1]
    params = {"calibration": "platt", "cv": cv, "threshold": 0.6, "random_state": 0}
    inner = logistic(solver="liblinear", tol=1e-10)
    dense = SelectiveClassifier(inner, **params).fit(X, y)
    thin = SelectiveClassifier(inner, **params).fit(make(X), y)
    np.testing.assert_allclose(thin.predict_proba(make(X)), dense.predict_proba(X), atol=1e-6)


def test_sparse_support_is_the_inner_classifiers(binary):
    assert SelectiveClassifier(logistic()).__sklearn_tags__().input_tags.sparse
    assert not SelectiveClassifier(GaussianNB()).__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        SelectiveClassifier(GaussianNB()).fit(sparse.csr_matrix(binary[0]), binary[1])


@pytest.mark.parametrize("cv", [3, 0.3])
@pytest.mark.parametrize("estimator", [logistic(), xgb()], ids=name_of)
def test_pandas_input_is_matched_by_position_and_named(binary, estimator, cv):
    X, code = binary
    y = np.array(["no", "yes"])[code]
    order = np.random.default_rng(0).permutation(len(y))
    frame = pd.DataFrame(X, columns=list("abcde"), index=order)
    params = {"calibration": "isotonic", "cv": cv, "random_state": 0}
    plain = SelectiveClassifier(clone(estimator), **params).fit(X, y)
    with pytest.raises(ValueError, match="X and y have the same index in different orders"):
        SelectiveClassifier(clone(estimator), **params).fit(frame, pd.Series(y, index=order[::-1]))
    for column in (
        pd.Series(y, index=order + len(y)),
        pd.Series(y, index=order).astype("category"),
        pd.Series(y, index=order, dtype="string"),
        pd.array(y, dtype="string"),
    ):
        model = SelectiveClassifier(clone(estimator), **params).fit(frame, column)
        assert list(model.feature_names_in_) == list("abcde")
        assert model.n_features_in_ == 5
        assert model.classes_.tolist() == ["no", "yes"]
        np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), atol=1e-12)
        assert model.score(frame, column) == plain.score(X, y)
    if isinstance(estimator, LogisticRegression):
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame[list("edcba")])


def test_polars_input(binary):
    polars = pytest.importorskip("polars")
    X, code = binary
    y = np.array(["no", "yes"])[code]
    frame = polars.DataFrame(X, schema=list("abcde"))
    plain = SelectiveClassifier(logistic(), calibration="platt", threshold=0.6).fit(X, y)
    model = clone(plain).fit(frame, polars.Series(y))
    assert list(model.feature_names_in_) == list("abcde")
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(X))
    assert model.score(frame, polars.Series(y)) == plain.score(X, y)


def test_lists_are_taken(binary):
    X, y = binary
    model = SelectiveClassifier(logistic(), calibration="platt", threshold=0.6).fit(X.tolist(), y.tolist())
    expected = SelectiveClassifier(logistic(), calibration="platt", threshold=0.6).fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X.tolist()), expected)


def test_feature_names_of_an_earlier_fit_are_forgotten(binary):
    X, y = binary
    model = SelectiveClassifier(logistic()).fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert list(model.feature_names_in_) == list("abcde")
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_float32_probabilities_stay_what_they_are_without_calibration(binary):
    X, code = binary
    model = SelectiveClassifier(xgb(), threshold=0.6).fit(X, code)
    answer = model.predict_selective(X)
    np.testing.assert_array_equal(answer.proba, xgb().fit(X, code).predict_proba(X))
    assert answer.score.dtype == np.float64


# --- errors ------------------------------------------------------------------------------------------------------


def test_several_outputs_are_refused_with_a_way_out(binary):
    X, y = binary
    with pytest.raises(ValueError, match=r"shape \(200, 2\).*MultiOutputClassifier"):
        SelectiveClassifier(logistic()).fit(X, np.column_stack([y, 1 - y]))
    # ... and the way out works.
    model = MultiOutputClassifier(SelectiveClassifier(logistic(), threshold=0.6)).fit(X, np.column_stack([y, 1 - y]))
    assert set(np.unique(model.predict(X))) == {-1, 0, 1}


def test_a_single_column_of_labels_is_taken_with_a_warning(binary):
    X, y = binary
    with pytest.warns(sklearn.exceptions.DataConversionWarning):
        model = SelectiveClassifier(logistic()).fit(X, y[:, np.newaxis])
    np.testing.assert_array_equal(model.predict(X), logistic().fit(X, y).predict(X))


MISSING = {
    "nan": lambda y: np.where(np.arange(len(y)) == 4, np.nan, y),
    "None": lambda y: np.where(np.arange(len(y)) == 4, None, np.array(["a", "b"], dtype=object)[y]),
    "NaN among strings": lambda y: np.where(np.arange(len(y)) == 4, np.nan, np.array(["a", "b"], dtype=object)[y]),
    "pandas NA": lambda y: pd.Series(np.where(np.arange(len(y)) == 4, None, y), dtype="Int64"),
    "pandas string": lambda y: pd.Series(np.where(np.arange(len(y)) == 4, None, y.astype(str)), dtype="string"),
    "pandas category": lambda y: pd.Series(np.where(np.arange(len(y)) == 4, None, y.astype(str)), dtype="category"),
}


@pytest.mark.parametrize("make", list(MISSING.values()), ids=list(MISSING))
def test_a_missing_label_is_refused_by_its_row(binary, make):
    X, y = binary
    with pytest.raises(ValueError, match="missing label in row 4"):
        SelectiveClassifier(logistic()).fit(X, make(y))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda y: y + 0.5 * np.random.default_rng(0).random(len(y)), "continuous"),
        (lambda y: np.array(["a", 1], dtype=object)[y], "mix"),
        (lambda y: y[:-1], "inconsistent numbers of samples"),
    ],
    ids=["continuous", "mixed types", "too short"],
)
def test_bad_labels_are_refused(binary, make, message):
    X, y = binary
    with pytest.raises(ValueError, match=message):
        SelectiveClassifier(logistic()).fit(X, make(y))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_confidence", "accept", "predict_selective"])
def test_an_unfitted_classifier_says_so(binary, method):
    with pytest.raises(NotFittedError, match="SelectiveClassifier"):
        getattr(SelectiveClassifier(logistic()), method)(binary[0])


def test_after_a_failed_fit_it_is_not_fitted(binary):
    X, y = binary
    model = SelectiveClassifier(logistic(C=-1))
    with pytest.raises(ValueError, match="'C' parameter"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("estimator", [LinearSVC(), "logistic", None])
def test_a_classifier_without_probabilities_is_refused(binary, estimator):
    with pytest.raises(ValueError, match="predict_proba"):
        SelectiveClassifier(estimator).fit(*binary)


class Broken(DummyClassifier):
    """A classifier whose probabilities are none."""

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


@pytest.mark.parametrize("calibration", [None, "platt"])
def test_probabilities_that_are_nan_are_never_a_silent_rejection(binary, calibration):
    X, y = binary
    with pytest.raises(ValueError, match="NaN"):
        SelectiveClassifier(Broken(), calibration=calibration).fit(X, y).predict(X)


@pytest.mark.parametrize("calibration", ["nonsense", 5, DummyClassifier])
def test_a_bad_calibration_is_refused(binary, calibration):
    with pytest.raises((ValueError, TypeError), match=r"calibration|instance"):
        SelectiveClassifier(logistic(), calibration=calibration).fit(*binary)


# --- a good estimator --------------------------------------------------------------------------------------------


def test_parameters_are_set_and_cloned(binary):
    model = SelectiveClassifier(make_pipeline(StandardScaler(), xgb()), confidence="margin", cv=3)
    model.set_params(threshold=0.8, estimator__xgbclassifier__max_depth=5, calibration="isotonic")
    params = model.get_params()
    assert params["threshold"] == 0.8
    assert params["estimator__xgbclassifier__max_depth"] == 5
    assert params["estimator__standardscaler"].get_params() == StandardScaler().get_params()
    copy = clone(model.fit(*binary))
    assert copy.get_params()["confidence"] == "margin"
    assert not hasattr(copy, "members_")
    assert {k for k, v in copy.get_params(deep=False).items() if v != params[k]} == {"estimator"}  # a clone, too
    with pytest.raises(ValueError, match="nonsense"):
        model.set_params(nonsense=1)


def test_parameters_are_left_as_they_were_by_fit(binary):
    inner = logistic()
    model = SelectiveClassifier(inner, calibration="platt", threshold=0.3)
    before = model.get_params()
    model.fit(*binary)
    assert model.get_params() == before
    assert not hasattr(inner, "coef_")


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("estimator", [logistic(), xgb()], ids=name_of)
def test_pickle_keeps_everything(three, estimator, calibration, ensemble):
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    model = SelectiveClassifier(clone(estimator), threshold=0.6, calibration=calibration, ensemble=ensemble, cv=2)
    twin = pickle.loads(pickle.dumps(model.fit(X, y)))
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


@pytest.mark.parametrize("fitted", [False, True])
def test_html_repr_shows_both_classifiers(binary, fitted):
    model = SelectiveClassifier(logistic(C=0.123), calibration="platt")
    html = (model.fit(*binary) if fitted else model)._repr_html_()
    assert "SelectiveClassifier" in html
    assert "LogisticRegression" in html
    assert "0.123" in html


def test_a_second_fit_forgets_the_first(three, binary):
    model = SelectiveClassifier(logistic(), calibration="platt", threshold=0.4).fit(*three)
    model.fit(binary[0], np.array(["a", "b"])[binary[1]])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.reject_label_ == "reject"
    assert model.n_features_in_ == 5
    assert model.predict_proba(binary[0]).shape == (200, 2)


def test_an_int_seed_makes_a_held_out_fraction_repeatable(binary):
    X, y = binary
    fits = [
        SelectiveClassifier(logistic(), calibration="platt", cv=0.3, random_state=seed).fit(X, y).predict_proba(X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert (fits[0] != fits[2]).any()


def test_it_nests_in_itself(binary):
    X, y = binary
    inner = SelectiveClassifier(logistic(), threshold=0.99)
    outer = SelectiveClassifier(inner, threshold=0.6).fit(X, y)
    sure = logistic().fit(X, y).predict_proba(X).max(axis=1)
    np.testing.assert_array_equal(outer.accept(X), sure >= 0.6)
