"""Beta calibration, checked against a general optimizer with bounds, and against densities."""

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, binary_task, weights
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from skconf.calibration import BetaCalibrator

pytestmark = pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")


def best_curve(p, y, weight):
    """Return c, a, b of least penalised loss with a, b ≥ 0, by a general optimizer."""
    features = np.stack([np.ones(len(p)), np.log(p), -np.log(1 - p)])
    scale = weight.sum() + 1

    def loss(point):
        margin = point @ features
        apart = point - [0, 1, 1]
        value = -weight @ (y * log_expit(margin) + ~y * log_expit(-margin)) + apart @ apart
        return value / scale, (features @ (weight * (expit(margin) - y)) + 2 * apart) / scale

    options = {"ftol": 1e-16, "gtol": 1e-11, "maxiter": 5000, "maxfun": 50000}
    bounds = [(None, None), (0, None), (0, None)]
    found = minimize(loss, [0, 1.0, 1.0], jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return found, expit(found @ features)


@WEIGHTS
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_has_the_least_penalised_loss(weight, seed):
    p, y = binary_task(120, seed)
    given_weight = weights(weight, len(p), seed)
    w = np.ones(len(p)) if given_weight is None else given_weight
    _, expected = best_curve(p, y, w)
    got = BetaCalibrator().fit(p, y, given_weight).predict_proba(p)[:, 1]
    np.testing.assert_allclose(got, expected, atol=2e-5)


@pytest.mark.parametrize(
    ("truth", "level"),
    [
        (lambda p: 1 - p, [True, True]),
        (lambda p: 0.8 * np.sqrt(np.minimum(p / 0.3, 1)) - 0.4 * np.maximum(p - 0.3, 0), [False, True]),
    ],
    ids=["reversed", "b alone"],
)
def test_both_signs_are_looked_at_together(truth, level):
    rng = np.random.default_rng(1)
    p = rng.random(2000)
    y = rng.random(2000) < truth(p)
    (_, a, b), expected = best_curve(p, y, np.ones(2000))
    assert [a == 0, b == 0] == level
    np.testing.assert_allclose(BetaCalibrator().fit(p, y).predict_proba(p)[:, 1], expected, atol=2e-5)


def test_it_is_right_for_scores_with_beta_distributions():
    rng = np.random.default_rng(0)
    y = rng.random(200_000) < 0.3
    here, there = stats.beta(4, 1.5), stats.beta(2, 3)
    p = np.where(y, here.rvs(len(y), random_state=1), there.rvs(len(y), random_state=2))
    grid = np.linspace(0.05, 0.95, 19)
    expected = 0.3 * here.pdf(grid) / (0.3 * here.pdf(grid) + 0.7 * there.pdf(grid))
    np.testing.assert_allclose(BetaCalibrator().fit(p, y).predict_proba(grid)[:, 1], expected, atol=0.01)


def test_classes_that_can_be_told_apart_leave_doubt():
    got = BetaCalibrator().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]).predict_proba([0.0, 1.0])
    assert 0 < got.min() < got.max() < 1
