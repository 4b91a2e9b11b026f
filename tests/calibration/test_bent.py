"""Members of the pool: temperature with a bend and a tail, and a line of the log-odds, against scipy's search."""

import numpy as np
import pytest
from _support.predictions import draw_proba
from scipy.optimize import minimize
from scipy.special import expit, logit, logsumexp

from skconf.calibration._bent import BentTemperatureCalibrator, LineCalibrator, order_of_rows


def task(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.5), n).clip(1e-6)
    proba /= proba.sum(axis=1, keepdims=True)
    sharp = proba**0.6
    y = ((sharp / sharp.sum(axis=1, keepdims=True)).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return proba, y.clip(0, n_classes - 1), rng.uniform(0.5, 3, n)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize(("n", "n_classes"), [(8, 3), (300, 4)])
def test_no_other_point_has_a_lower_loss(n, n_classes, shifted):
    proba, y, weight = task(n, n_classes)
    z, tail = np.log(proba), np.log1p(-proba)

    def loss(point):
        a, c, d, *b = point
        scores = a * z + c * z**2 / 10 - d * tail + (np.array(b) if shifted else 0)
        missed = weight @ (logsumexp(scores, axis=1) - scores[np.arange(n), y])
        return missed + 0.05 * (a - 1) ** 2 + c**2 + d**2 + 0.5 * np.sum(np.square(b))

    model = BentTemperatureCalibrator(shifted=shifted).fit(proba, y, weight, labels=range(n_classes))
    searched = minimize(loss, np.append([1.0, 0, 0], np.zeros(n_classes * shifted)), tol=1e-12)
    assert loss(model.point_) <= searched.fun + 1e-7
    np.testing.assert_allclose(model.point_, searched.x, atol=2e-3)
    got = model.predict_proba(proba)
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-12)
    assert got.min() >= 1 / (weight.sum() + 1) / n_classes


def test_many_rows_are_fitted_from_a_part_as_well_as_from_all(monkeypatch):
    proba, y, weight = task(4000, 5)
    exact = BentTemperatureCalibrator(shifted=True).fit(proba, y, weight)
    monkeypatch.setattr("skconf.calibration._bent._MANY", 4000)
    quick = BentTemperatureCalibrator(shifted=True).fit(proba, y, weight)
    np.testing.assert_allclose(quick.point_, exact.point_, atol=5e-3)  # standard errors are above 0.03
    own = np.arange(4000), y
    losses = [-(weight @ np.log(model.predict_proba(proba)[own])) for model in (quick, exact)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_the_start_changes_next_to_nothing():
    proba, y, weight = task(500, 5)
    alone = BentTemperatureCalibrator(shifted=True).fit(proba, y, weight)
    based = BentTemperatureCalibrator(shifted=True, base=BentTemperatureCalibrator()).fit(proba, y, weight)
    np.testing.assert_allclose(based.point_, alone.point_, atol=1e-6)


def test_a_part_without_many_classes_does_not_mislead(monkeypatch):
    # Half of 80 classes have no sample in the part, whose curvature then says that their shifts hardly matter.
    proba, y, weight = task(800, 80)
    exact = BentTemperatureCalibrator(shifted=True).fit(proba, y, weight, labels=range(80))
    monkeypatch.setattr("skconf.calibration._bent._MANY", 4000)
    quick = BentTemperatureCalibrator(shifted=True).fit(proba, y, weight, labels=range(80))
    np.testing.assert_allclose(quick.point_, exact.point_, atol=1e-3)


def test_a_class_without_a_sample_is_scaled():
    proba, y, weight = task(400, 4)
    seen = y != 2
    got = BentTemperatureCalibrator().fit(proba[seen], y[seen], weight[seen], labels=range(4)).predict_proba(proba)
    assert (got[:, 2] > 0).all()
    assert np.corrcoef(np.log(got[:, 2]), np.log(proba[:, 2]))[0, 1] > 0.9


@pytest.mark.parametrize("shift", [-7.0, 0.0, 3.0])
def test_a_line_has_the_least_loss(shift):
    rng = np.random.default_rng(1)
    p = rng.uniform(0.01, 0.99, 500)
    y = rng.random(500) < expit(0.7 * logit(p) + shift)
    y[:2] = [False, True]
    weight = rng.uniform(0.5, 3, 500)

    def loss(point):
        margin = point[0] + point[1] * logit(p)
        return weight @ np.logaddexp(0, np.where(y, -margin, margin)) + (point[1] - 1) ** 2 + 0.02 * point[0] ** 2

    searched = minimize(loss, [0.0, 1.0], tol=1e-12).x
    got = LineCalibrator().fit(p, y, weight).predict_proba(p)[:, 1]
    np.testing.assert_allclose(logit(got), searched[0] + searched[1] * logit(p), atol=1e-4)


def test_a_line_never_falls():
    p = np.linspace(0.1, 0.9, 50)
    got = LineCalibrator().fit(p, p < 0.5).predict_proba(p)[:, 1]
    assert np.ptp(got) < 1e-9


@pytest.mark.parametrize("n_classes", [2, 5])
def test_rows_have_one_order(n_classes):
    """It is the same for any order of rows and of classes."""
    rng = np.random.default_rng(0)
    proba, weight = draw_proba(300, n_classes), rng.uniform(1, 2, 300)
    codes = rng.integers(n_classes, size=300)
    rows, classes = rng.permutation(300), rng.permutation(n_classes)
    order = order_of_rows(proba, codes, weight)
    where = np.argsort(classes)  # the new number of each class
    again = order_of_rows(proba[rows][:, classes], where[codes[rows]], weight[rows])
    np.testing.assert_allclose(proba[order], proba[rows][again])
    if n_classes > 2:
        assert (np.diff(proba[order].max(axis=1)) >= 0).all()
