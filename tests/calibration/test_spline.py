"""Quadratic and spline scaling, checked against a general optimizer with constraints."""

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, binary_task, three_class_task, weights
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import LinearConstraint, minimize
from scipy.special import expit, log_expit, logit

from skconf.calibration import QuadraticCalibrator, SplineCalibrator
from skconf.calibration._logistic import Logistic, Prior, in_groups
from skconf.calibration._spline import _areas, _knots, _Rise

#: Weights of any size are fitted here; that small ones are told is tested in test_base.py.
pytestmark = pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")


def best_parabola(feature, y, weight):
    """Return c₀, c₁, c₂ of least penalised loss among parabolas that rise at both ends, by a general optimizer."""
    powers = np.stack([np.ones(len(feature)), feature, feature**2])
    scale = weight.sum() + 1

    def loss(c):
        margin = c @ powers
        value = -weight @ (y * log_expit(margin) + ~y * log_expit(-margin)) + (c[1] - 1) ** 2 + c[2] ** 2
        gradient = powers @ (weight * (expit(margin) - y)) + [0, 2 * (c[1] - 1), 2 * c[2]]
        return value / scale, gradient / scale

    ends = [[0, 1, 2 * end] for end in (feature.min(), feature.max())]
    found = minimize(
        loss,
        [0.0, 1.0, 0.0],
        jac=True,
        method="SLSQP",
        constraints=LinearConstraint(ends, 0, np.inf),
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return found.x


@WEIGHTS
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_parabola_is_the_best_one_that_rises(weight, seed):
    p, y = binary_task(120, seed)
    given_weight = weights(weight, len(p), seed)
    w = np.ones(len(p)) if given_weight is None else given_weight
    held = w > 0
    c = best_parabola(logit(p[held]), y[held], w[held])
    got = QuadraticCalibrator().fit(p, y, given_weight).predict_proba(p[held])[:, 1]
    np.testing.assert_allclose(got, expit(c @ [np.ones(held.sum()), logit(p[held]), logit(p[held]) ** 2]), atol=2e-5)


def test_the_parabola_of_many_samples_is_that_of_each_one():
    # The search begins with groups of close values, and ends with the samples.
    p, y = binary_task(5000)
    w = np.random.default_rng(0).uniform(1, 3, 5000)
    values, outcomes, sizes = in_groups(logit(p), y, w)
    assert len(values) < 1100
    for outcome in (True, False):
        own, held = outcomes == outcome, y == outcome
        assert sizes[own].sum() == pytest.approx(w[held].sum())
        assert sizes[own] @ values[own] == pytest.approx(w[held] @ logit(p)[held])
    c = best_parabola(logit(p), y, w)
    got = QuadraticCalibrator().fit(p, y, w).predict_proba(p)[:, 1]
    np.testing.assert_allclose(got, expit(c @ [np.ones(5000), logit(p), logit(p) ** 2]), atol=2e-5)


def test_groups_change_next_to_nothing_of_a_spline(monkeypatch):
    p, y = binary_task(5000)
    grouped = SplineCalibrator().fit(p, y).predict_proba(p)
    monkeypatch.setattr("skconf.calibration._logistic._MANY", 10_000)
    np.testing.assert_allclose(grouped, SplineCalibrator().fit(p, y).predict_proba(p), atol=1e-6)


@pytest.mark.parametrize("misled", ["low end", "high end", "both"])
def test_a_slope_that_would_fall_is_level(misled):
    rng = np.random.default_rng(0)
    p = rng.random(500)
    truth = {"low end": np.abs(p - 0.4), "high end": 1 - np.abs(p - 0.6), "both": 1 - p}[misled]
    y = rng.random(500) < truth
    c = best_parabola(logit(p), y, np.ones(500))
    slopes = c[1] + 2 * c[2] * logit([p.min(), p.max()])
    assert (np.abs(slopes) < 1e-6).tolist() == {"low end": [True, False], "high end": [False, True]}.get(
        misled, [True, True]
    )
    got = QuadraticCalibrator().fit(p, y).predict_proba(p)[:, 1]
    np.testing.assert_allclose(got, expit(c @ [np.ones(500), logit(p), logit(p) ** 2]), atol=1e-5)


def test_beyond_the_data_the_curve_goes_on_straight():
    p, y = binary_task(200)
    model = QuadraticCalibrator().fit(p, y)
    for outside in (logit(p.max()) + np.arange(1, 4), logit(p.min()) - np.arange(1, 4)):
        # Farther than the value that stands for 1 and 0, it is level.
        inside = np.clip(outside, *logit([1e-8, 1 - 1e-8]))
        got = logit(model.predict_proba(expit(inside))[:, 1])
        assert got[2] - got[1] == pytest.approx(got[1] - got[0], rel=1e-6)
        assert abs(got[1] - got[0]) > 0.1


def test_three_classes_are_one_against_the_rest():
    proba, y = three_class_task()
    for make in (QuadraticCalibrator, SplineCalibrator):
        each = np.transpose([make().fit(proba[:, k], y == k).predict_proba(proba[:, k])[:, 1] for k in range(3)])
        expected = each / each.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(make().fit(proba, y).predict_proba(proba), expected, rtol=1e-12)


# --- spline -------------------------------------------------------------------------------------------------------


def hat(knots, j, at):
    return np.interp(at, knots, np.eye(len(knots))[j])


def test_features_are_integrals_of_hats():
    knots = np.array([-3.0, -1.0, 0.5, 2.0])
    values = np.array([-5.0, -3.0, -2.2, 0.1, 1.9, 2.0, 4.0])
    got = _areas(knots, values)
    assert (got[0] == 1).all()
    for j in range(4):
        expected = [quad(lambda at, j=j: hat(knots, j, at), knots[0], value, points=knots)[0] for value in values]
        np.testing.assert_allclose(got[j + 1], expected, atol=1e-9)


@pytest.mark.parametrize("stiffness", [0.1, 10.0, 1e3])
def test_the_spline_of_one_stiffness_is_the_best_one_that_rises(monkeypatch, stiffness):
    rng = np.random.default_rng(3)
    p = rng.random(400)
    y = rng.random(400) < np.where(p < 0.5, 0.3 - 0.2 * p, p)  # falls at first
    monkeypatch.setattr("skconf.calibration._spline._STIFFNESS", (stiffness,))
    got = SplineCalibrator(n_knots=5).fit(p, y).predict_proba(p)[:, 1]

    feature = logit(p)
    knots = np.quantile(feature, np.linspace(0, 1, 5))
    # Integrals of the slopes: a hat is linear between knots, which are among the points.
    grid = np.sort(np.append(feature, knots))
    slopes = np.stack([hat(knots, j, grid) for j in range(5)])
    areas = np.hstack([np.zeros((5, 1)), np.cumsum((slopes[:, 1:] + slopes[:, :-1]) / 2 * np.diff(grid), axis=1)])
    features = np.vstack([np.ones(400), areas[:, np.searchsorted(grid, feature)]])

    def loss(point):
        margin, s = point @ features, point[1:]
        bends = np.diff(s) / np.diff(knots)
        value = -(y * log_expit(margin) + ~y * log_expit(-margin)).sum()
        value += stiffness * (bends**2 * np.diff(knots)).sum() + ((s - 1) ** 2).mean()
        gradient = features @ (expit(margin) - y)
        gradient[1:] += 2 * (s - 1) / 5
        gradient[1:-1] -= 2 * stiffness * bends
        gradient[2:] += 2 * stiffness * bends
        return value / 400, gradient / 400

    bounds = [(None, None), *[(0, None)] * 5]
    options = {"ftol": 1e-16, "gtol": 1e-10, "maxiter": 5000, "maxfun": 50000}
    found = minimize(loss, [0, 1, 1, 1, 1, 1.0], jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    np.testing.assert_allclose(got, expit(found @ features), atol=2e-5)
    if stiffness < 1:
        assert (found[1:] == 0).any()


def test_the_loss_without_each_sample_is_that_of_refits():
    p, y = binary_task(40)
    w = np.random.default_rng(0).integers(1, 4, 40).astype(float)
    curve = _Rise(None, np.array([-4.0, 4.0]))
    features = curve.features(logit(p))
    prior = Prior(np.array([0.0, 1, 1]), np.eye(3), np.array([False, True, True]))
    loss = Logistic(features, y, w)
    refits = []
    for i in range(40):
        point = Logistic(features, y, w - (np.arange(40) == i)).fit(prior)
        refits.append(np.logaddexp(0, np.where(y[i], -1, 1) * (point @ features[:, i])))
    expected = w @ refits / w.sum()
    point = loss.fit(prior)
    in_sample = w @ np.logaddexp(0, np.where(y, -1, 1) * (point @ features)) / w.sum()
    assert loss.left_out_loss(point, prior) == pytest.approx(expected, abs=0.05 * (expected - in_sample))
    assert expected > in_sample + 0.01


def test_the_spline_finds_what_no_parabola_can():
    rng = np.random.default_rng(0)
    p = rng.random(5000)
    truth = expit(4 * np.tanh(logit(p)))
    y = rng.random(5000) < truth
    spline, parabola = (make().fit(p, y).predict_proba(p)[:, 1] for make in (SplineCalibrator, QuadraticCalibrator))
    assert np.abs(spline - truth).mean() < np.abs(parabola - truth).mean() / 2


@given(seed=st.integers(0, 2**32 - 1), n_knots=st.integers(2, 9))
@settings(max_examples=50, deadline=None)
def test_knots_go_from_end_to_end_and_are_apart(seed, n_knots):
    rng = np.random.default_rng(seed)
    values = rng.normal(0, rng.choice([1e-9, 0.1, 10]), 30).round(rng.choice([1, 12]))
    knots = _knots(values, n_knots)
    assert 2 <= len(knots) <= n_knots
    assert np.diff(knots).min() >= 0.0099
    if np.ptp(values) >= 0.01:
        assert knots[[0, -1]].tolist() == [values.min(), values.max()]
    np.testing.assert_allclose(_knots(-values, n_knots), -knots[::-1], atol=1e-9)


def test_with_two_knots_only_penalties_tell_it_from_quadratic_scaling(monkeypatch):
    monkeypatch.setattr("skconf.calibration._spline._STIFFNESS", (1e-9,))
    p, y = binary_task(50_000)
    found = [model.fit(p, y).predict_proba(p) for model in (QuadraticCalibrator(), SplineCalibrator(n_knots=2))]
    np.testing.assert_allclose(*found, atol=1e-3)


@pytest.mark.parametrize("n_knots", [1, 2.5])
def test_a_number_of_knots_that_is_none_is_refused(n_knots):
    with pytest.raises((ValueError, TypeError), match="n_knots must be"):
        SplineCalibrator(n_knots=n_knots).fit([0.1, 0.9], [0, 1])


@pytest.mark.parametrize("calibrator", [QuadraticCalibrator(), SplineCalibrator()])
def test_tiny_probabilities_do_not_spoil_the_start(calibrator):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(10, 0.1), size=500)
    truth = (rng.random((500, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(0, 9)
    calibrated = calibrator.fit(proba, truth).predict_proba(proba)
    assert -np.log(calibrated[np.arange(500), truth]).mean() < 1.0  # the truth's own loss is about 0.86
