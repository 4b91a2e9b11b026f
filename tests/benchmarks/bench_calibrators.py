"""Time and memory of fitting calibrators, as multiples of scikit-learn's and scipy's way to the same parameters.

Run with ``python -m pytest -n 0 tests/benchmarks/bench_calibrators.py``.
"""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax
from sklearn.calibration import _SigmoidCalibration
from sklearn.linear_model import LogisticRegression

from skconf.calibration import (
    AffineCalibrator,
    BetaCalibrator,
    MatrixCalibrator,
    PlattCalibrator,
    PooledCalibrator,
    QuadraticCalibrator,
    SplineCalibrator,
    TemperatureCalibrator,
)


def sharpened(n_samples, n_classes):
    """Return true classes, and probabilities that are surer than they should be."""
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.full(n_classes, 0.1), n_samples)
    y = (rng.random((n_samples, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    proba = (truth + 1e-7) ** 1.5
    return y, proba / proba.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("on", ["logit", "proba"])
def test_platt(on, ratio):
    """Beside scikit-learn's own fit of a sigmoid to each class, without the checks of its public classes around it."""
    y, proba = sharpened(200_000, 100)

    def one_class_at_a_time():
        feature = np.log(proba / (1 - proba)) if on == "logit" else proba
        return [_SigmoidCalibration().fit(feature[:, k], (y == k).astype(np.float64)) for k in range(100)]

    ours, theirs = PlattCalibrator(on=on).fit(proba, y), one_class_at_a_time()
    for k in range(0, 100, 10):
        curve = ours.columns_[k]
        assert (curve.slope, curve.intercept) == pytest.approx((-theirs[k].a_, -theirs[k].b_), rel=1e-4)
    found = ratio(
        f"PlattCalibrator(on={on!r}) 200,000x100",
        "scikit-learn's sigmoids",
        one_class_at_a_time,
        lambda: PlattCalibrator(on=on).fit(proba, y),
        proba.nbytes,
    )
    assert found <= 0.1


SHAPES = pytest.mark.parametrize("shape", [(100_000, 10), (10_000, 100)], ids=lambda shape: f"{shape[0]}x{shape[1]}")


@SHAPES
def test_temperature(shape, ratio):
    """Beside a bounded search for the logarithm of the temperature, as scikit-learn's, from ready log-probabilities."""
    y, proba = sharpened(*shape)
    logs, rows = np.log(proba), np.arange(len(y))

    def search():
        return minimize_scalar(
            lambda log_slope: -log_softmax(np.exp(log_slope) * logs, axis=1)[rows, y].mean(),
            bounds=(-10, 10),
            options={"xatol": 1e-10},
        ).x

    assert TemperatureCalibrator().fit(proba, y).temperature_ == pytest.approx(np.exp(-search()), rel=1e-6)
    name = f"TemperatureCalibrator {shape[0]:,}x{shape[1]}"
    ratio(name, "scipy's bounded search", search, lambda: TemperatureCalibrator().fit(proba, y), proba.nbytes)


@SHAPES
def test_affine(shape, ratio):
    """Beside L-BFGS with the gradient, from ready log-probabilities."""
    y, proba = sharpened(*shape)
    logs, rows = np.log(proba), np.arange(len(y))

    def loss(point):
        predicted = log_softmax(point[0] * logs + point[1:], axis=1)
        value = -predicted[rows, y].mean()
        residual = np.exp(predicted, out=predicted)
        residual[rows, y] -= 1
        return value, np.append((residual * logs).sum(), residual.sum(axis=0)) / len(y)

    def search():
        start = np.append(1.0, np.zeros(shape[1]))
        return minimize(loss, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-6, "ftol": 0}).x

    assert AffineCalibrator().fit(proba, y).slope_ == pytest.approx(search()[0], rel=1e-3)
    name = f"AffineCalibrator {shape[0]:,}x{shape[1]}"
    ratio(name, "scipy's L-BFGS", search, lambda: AffineCalibrator().fit(proba, y), proba.nbytes)


@pytest.mark.parametrize("calibrator", [QuadraticCalibrator, BetaCalibrator, SplineCalibrator])
@pytest.mark.parametrize("n_samples", [10_000, 100_000])
def test_curves(calibrator, n_samples, ratio):
    """Beside scikit-learn's logistic regression of as many features, to its usual tolerance; the spline fits six."""
    y, proba = sharpened(n_samples, 2)
    logit = np.log(proba[:, 1]) - np.log(proba[:, 0])
    features = np.stack([logit, logit**2 / 4], axis=1)
    name = f"{calibrator.__name__} {n_samples:,}x2"
    ratio(
        name,
        "scikit-learn's LogisticRegression",
        lambda: LogisticRegression().fit(features, y),
        lambda: calibrator().fit(proba, y),
        proba.nbytes,
    )


@pytest.mark.parametrize("shape", [(10_000, 2), (10_000, 10), (100_000, 2)], ids=str)
def test_pool(shape, ratio):
    """Beside its members on all samples: it fits each of them twice, or on a part the second time."""
    y, proba = sharpened(*shape)
    members = PooledCalibrator().fit(proba, y).members_[1:]
    found = ratio(
        f"PooledCalibrator {shape[0]:,}x{shape[1]}",
        "its members",
        lambda: [member.fit(proba, y) for member in members],
        lambda: PooledCalibrator().fit(proba, y),
        proba.nbytes,
        rounds=3,
    )
    assert found <= 3


def test_matrix(ratio):
    """Beside L-BFGS without a matrix of curvature, to the same gradient."""
    y, proba = sharpened(10_000, 10)
    found = MatrixCalibrator().fit(proba, y)
    logs = np.log(found.base_.predict_proba(proba))
    hit, cost = np.eye(10)[y], np.where(np.eye(10, 11), 10.0, 90.0)
    cost[:, -1] = 10.0
    known = np.column_stack([logs, np.ones(len(y))])

    def loss(point):
        change = point.reshape(10, 11)
        predicted = log_softmax(logs + known @ change.T, axis=1)
        value = (cost * change**2).sum() - (hit * predicted).sum()
        return value / len(y), ((np.exp(predicted) - hit).T @ known + 2 * cost * change).ravel() / len(y)

    def search():
        return minimize(loss, np.zeros(110), jac=True, method="L-BFGS-B", options={"gtol": 3e-6, "ftol": 0}).x

    assert found.offset_ == pytest.approx(search().reshape(10, 11)[:, -1], abs=1e-2)
    assert (
        ratio(
            "MatrixCalibrator 10,000x10",
            "scipy's L-BFGS",
            search,
            lambda: MatrixCalibrator().fit(proba, y),
            proba.nbytes,
        )
        < 1
    )
