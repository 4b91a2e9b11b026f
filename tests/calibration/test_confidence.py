"""Calibration of the confidence alone."""

import numpy as np
import pytest
from _support.calibration_tasks import Says, three_class_task, weights
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, SelectiveClassifier
from skconf.calibration import CALIBRATORS, ConfidenceCalibrator, PlattCalibrator, make_calibrator
from skconf.metrics import expected_calibration_error

INNER = pytest.mark.parametrize("inner", [*CALIBRATORS, PlattCalibrator(on="proba")], ids=str)


@INNER
@pytest.mark.parametrize("weight", ["none", "real"])
def test_the_confidence_is_calibrated_and_the_others_share_the_rest(inner, weight):
    proba, code = three_class_task()
    w = weights(weight, len(code))
    top, rows = proba.argmax(axis=1), np.arange(len(code))
    got = ConfidenceCalibrator(inner).fit(proba, code, w).predict_proba(proba)
    pairs = clone(make_calibrator(inner)).fit(proba[rows, top], top == code, w)
    expected = pairs.predict_proba(proba[rows, top])[:, 1]
    np.testing.assert_allclose(got[rows, top], expected, rtol=1e-12)
    others = np.arange(3) != top[:, np.newaxis]
    before, after = proba[others].reshape(-1, 2), got[others].reshape(-1, 2)
    share = before / before.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(after, share * (1 - expected)[:, np.newaxis], atol=1e-12)


@INNER
def test_inside_a_selective_classifier_predictions_stay_and_confidences_are_calibrated(inner):
    X, y = load_digits(return_X_y=True)
    bayes = GaussianNB().fit(X[:600], y[:600])
    raw = ConfidenceProfile.from_estimator(bayes, X[1200:], y[1200:])
    frozen = FrozenEstimator(bayes)
    model = SelectiveClassifier(frozen, calibration=ConfidenceCalibrator(inner), keep_prediction=True)
    model.fit(X[600:1200], y[600:1200])
    profile = ConfidenceProfile.from_estimator(model, X[1200:], y[1200:])
    np.testing.assert_array_equal(profile.correct, raw.correct)
    pairs = ConfidenceProfile.from_estimator(bayes, X[600:1200], y[600:1200])
    expected = make_calibrator(inner) if isinstance(inner, str) else clone(inner)
    expected.fit(pairs.confidence, pairs.correct)
    np.testing.assert_allclose(profile.confidence, expected.predict_proba(raw.confidence)[:, 1], rtol=1e-12)
    assert expected_calibration_error(profile) < expected_calibration_error(raw) / 2


def test_what_a_certain_prediction_loses_goes_in_equal_parts():
    proba = np.array([[1.0, 0, 0], [1, 0, 0], [0.6, 0.2, 0.2], [0.6, 0.2, 0.2]])
    got = ConfidenceCalibrator("histogram").fit(proba, [0, 1, 0, 2], labels=[0, 1, 2]).predict_proba(proba)
    np.testing.assert_allclose(got, [[0.5, 0.25, 0.25]] * 4)


def test_the_first_of_equal_probabilities_is_the_prediction():
    proba = np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.4, 0.2, 0.4]] * 2)
    y = [0, 1, 2, 0, 2, 0]
    got = ConfidenceCalibrator("histogram").fit(proba, y).predict_proba([[0.4, 0.4, 0.2]])
    np.testing.assert_allclose(got, [[2 / 3, 2 / 9, 1 / 9]])


def test_rows_of_zeros_become_uniform():
    proba, code = three_class_task()
    np.testing.assert_allclose(ConfidenceCalibrator().fit(proba, code).predict_proba(np.zeros((2, 3))), 1 / 3)


@pytest.mark.parametrize("inner", CALIBRATORS)
@pytest.mark.parametrize("right", [True, False])
def test_all_right_or_all_wrong_leaves_everything_as_it_is(inner, right):
    proba, _ = three_class_task(50)
    y = proba.argmax(axis=1) if right else proba.argmin(axis=1)
    with pytest.warns(UserWarning, match=r"leaves the probabilities of \[False, True\] unchanged") as caught:
        model = ConfidenceCalibrator(inner).fit(proba, y, labels=[0, 1, 2])
    assert len(caught) == 1
    expected = proba
    if inner == "pooled":  # it mixes in ¾ of a sample that is half right
        top, surest = proba.max(axis=1, keepdims=True), proba == proba.max(axis=1, keepdims=True)
        lower = (50 * top + 0.375) / 50.75
        expected = np.where(surest, lower, proba * (1 - lower) / (1 - top))
    np.testing.assert_allclose(model.predict_proba(proba), expected, rtol=1e-12)


def test_a_class_that_is_absent_makes_no_difference():
    proba, code = three_class_task()
    seen = code != 1
    model = ConfidenceCalibrator().fit(proba[seen], code[seen], labels=[0, 1, 2])
    pairs = PlattCalibrator().fit(proba[seen].max(axis=1), proba[seen].argmax(axis=1) == code[seen])
    got = model.predict_proba(proba)[np.arange(len(code)), proba.argmax(axis=1)]
    np.testing.assert_allclose(got, pairs.predict_proba(proba.max(axis=1))[:, 1], rtol=1e-12)


def test_two_classes_are_calibrated_by_their_confidence():
    proba, code = three_class_task()
    p, y = proba[:, 2] / proba[:, 1:].sum(axis=1), code == 2
    got = ConfidenceCalibrator().fit(p, y).predict_proba(p)
    sure = np.maximum(p, 1 - p)
    expected = PlattCalibrator().fit(sure, (p > 0.5) == y).predict_proba(sure)[:, 1]
    np.testing.assert_allclose(got[:, 1], np.where(p > 0.5, expected, 1 - expected), rtol=1e-12)


def test_the_calibrator_given_is_cloned_and_its_parameters_are_found():
    inner = PlattCalibrator(on="proba")
    proba, code = three_class_task()
    model = ConfidenceCalibrator(inner).fit(proba, code)
    assert not hasattr(inner, "classes_")
    assert model.calibrator_.classes_.tolist() == [False, True]
    assert model.get_params()["calibrator__on"] == "proba"
    assert clone(model).set_params(calibrator__on="logit").calibrator.on == "logit"


def test_an_unknown_name_is_refused():
    proba, code = three_class_task()
    with pytest.raises(ValueError, match=r"no calibrator 'isotone'.*Did you mean 'isotonic'"):
        ConfidenceCalibrator("isotone").fit(proba, code)


def test_a_selective_classifier_clones_it():
    proba, code = three_class_task()
    calibration = ConfidenceCalibrator("isotonic")
    model = SelectiveClassifier(FrozenEstimator(Says().fit(proba, code)), calibration=calibration).fit(proba, code)
    assert not hasattr(calibration, "calibrator_")
    assert model.calibrator_.calibrator_.classes_.tolist() == [False, True]
