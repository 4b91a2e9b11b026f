"""Structured matrix scaling, checked against a general optimizer and identities."""

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, three_class_task, weights
from _support.predictions import draw_classes
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from skconf.calibration import AffineCalibrator, IsotonicCalibrator, MatrixCalibrator, TemperatureCalibrator
from skconf.calibration import _matrix as matrix_module

pytestmark = pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")


def best_matrix(logs, y, weight, ridge):
    """Return 1 + Δ and b of least penalised loss, by a general optimizer in the parameters themselves."""
    k = logs.shape[1]
    hit, total = np.eye(k)[y], weight.sum()
    cost = np.full((k, k), float(k * (k - 1)))
    np.fill_diagonal(cost, k)

    def loss(point):
        change, shift = point[: k * k].reshape(k, k), point[k * k :]
        logp = log_softmax(logs + logs @ change.T + shift, axis=1)
        value = -weight @ (hit * logp).sum(axis=1) + ridge * ((cost * change**2).sum() + k * shift @ shift)
        residual = weight[:, np.newaxis] * (np.exp(logp) - hit)
        by_change, by_shift = (
            residual.T @ logs + 2 * ridge * cost * change,
            residual.sum(axis=0) + 2 * ridge * k * shift,
        )
        return value / total, np.append(by_change, by_shift) / total

    found = minimize(loss, np.zeros(k * k + k), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}).x
    return np.eye(k) + found[: k * k].reshape(k, k), found[k * k :]


@WEIGHTS
@pytest.mark.parametrize("ridge", [1.0, 1 / 16])
def test_it_has_the_least_penalised_loss(weight, ridge):
    proba, y = three_class_task(200)
    given_weight = weights(weight, len(y))
    w = np.ones(len(y)) if given_weight is None else given_weight
    before = TemperatureCalibrator(smoothing=1).fit(proba, y, given_weight).predict_proba(proba)
    matrix, shift = best_matrix(np.log(before), y, w, ridge)
    model = MatrixCalibrator(ridge=ridge).fit(proba, y, given_weight)
    expected = softmax(np.log(before) @ matrix.T + shift, axis=1)
    np.testing.assert_allclose(model.predict_proba(proba), expected, atol=5e-5)


@pytest.mark.parametrize("n_classes", [2, 7])
def test_more_and_fewer_classes(n_classes):
    y, truth = draw_classes(300, n_classes)
    before = TemperatureCalibrator(smoothing=1).fit(truth**2, y).predict_proba(truth**2)
    matrix, shift = best_matrix(np.log(before), y, np.ones(300), 1.0)
    model = MatrixCalibrator().fit(truth**2, y)
    np.testing.assert_allclose(
        model.predict_proba(truth**2), softmax(np.log(before) @ matrix.T + shift, axis=1), atol=5e-5
    )


def test_the_fit_is_the_same_without_a_matrix_of_curvature_for_each_class(monkeypatch):
    proba, y = three_class_task()
    expected = MatrixCalibrator().fit(proba, y).predict_proba(proba)
    monkeypatch.setattr(matrix_module, "_MOST_MATRICES", 2)
    np.testing.assert_allclose(MatrixCalibrator().fit(proba, y).predict_proba(proba), expected, atol=1e-4)


def test_a_matrix_mends_a_confusion_that_no_shift_can():
    y, truth = draw_classes(5000, concentration=0.5)
    seen = softmax(np.log(truth + 1e-6) @ np.array([[1, 0.6, 0], [0, 1, 0], [0, 0.3, 0.8]]), axis=1)
    matrix, affine = (
        -np.log(model.fit(seen, y).predict_proba(seen)[np.arange(5000), y]).mean()
        for model in (MatrixCalibrator(), AffineCalibrator())
    )
    assert matrix < affine - 0.02


def test_a_large_ridge_leaves_what_came_before():
    proba, y = three_class_task()
    base = IsotonicCalibrator(smoothing=2)
    model = MatrixCalibrator(ridge=1e9, base=base).fit(proba, y)
    np.testing.assert_allclose(model.predict_proba(proba), base.fit(proba, y).predict_proba(proba), atol=1e-6)
    assert model.base is not model.base_


def test_an_absent_class_keeps_its_probability_and_the_others_share_the_rest():
    proba, y = three_class_task()
    seen = y != 1
    with pytest.warns(UserWarning, match=r"MatrixCalibrator leaves the probabilities of \['ok'\] unchanged") as told:
        model = MatrixCalibrator().fit(
            proba[seen], np.array(["bad", "ok", "top"])[y[seen]], labels=["bad", "ok", "top"]
        )
    assert len(told) == 1
    got = model.predict_proba(proba)
    np.testing.assert_allclose(got[:, 1], proba[:, 1], rtol=1e-12)
    pair = proba[:, [0, 2]] / proba[:, [0, 2]].sum(axis=1, keepdims=True)
    alone = MatrixCalibrator().fit(pair[seen], y[seen]).predict_proba(pair)
    np.testing.assert_allclose(got[:, [0, 2]], alone * (1 - proba[:, 1:2]), rtol=1e-6)


@pytest.mark.parametrize("ridge", [0.0, -1.0, np.inf])
def test_a_ridge_that_is_none_is_refused(ridge):
    with pytest.raises(ValueError, match="ridge must lie in"):
        MatrixCalibrator(ridge=ridge).fit([0.1, 0.9], [0, 1])
