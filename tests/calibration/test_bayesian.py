"""Bayesian calibration, checked against sums over a fine grid of all curves of one segment."""

from itertools import product

import numpy as np
import pytest
from _support.calibration_tasks import binary_task
from _support.predictions import draw_proba
from scipy.special import expit, log_expit, logit, logsumexp
from scipy.stats import norm

from skconf.calibration import BayesianCalibrator
from skconf.calibration._bayesian import _grouped, _student_points


def mean_of_all_lines(p, y, asked):
    """Return the mean of σ(h + e^s l), with h and the two parts of s normal: all of them, on a grid."""
    total, mean = [log_expit(np.where(y, 1, -1) * logit(p)).sum()], [asked]
    shifted = [(2.0, 0.3, 0.3), (2.0, 1.0, 0.3), (4.0, 1.0, 0.3), (4.0, 1.0, 1.0)]
    for height_scale, slope_scale, more in [*product((0.1, 0.5), (0.3, 1.0), (0.3, 1.0)), *shifted]:
        spread = np.hypot(slope_scale, more)  # with one segment, its own logarithm adds to the common one
        h, s = np.linspace(-5, 5, 61) * height_scale, np.linspace(-5, 5, 81) * spread
        prior = np.add.outer(norm.logpdf(h, scale=height_scale), norm.logpdf(s, scale=spread))
        prior += np.log((h[1] - h[0]) * (s[1] - s[0]))
        curves = h[:, None, None] + np.exp(s)[None, :, None] * logit(p)
        posterior = prior + log_expit(np.where(y, 1, -1) * curves).sum(axis=2)
        total.append(logsumexp(posterior))
        weights = np.exp(posterior - logsumexp(posterior))
        mean.append(np.einsum("hs,hsa->a", weights, expit(h[:, None, None] + np.exp(s)[None, :, None] * logit(asked))))
    return np.exp(np.array(total) - logsumexp(total)) @ mean


@pytest.mark.parametrize(("n", "power"), [(12, 1), (60, 3), (200, 0.3)])
def test_it_is_the_mean_of_all_lines(n, power):
    rng = np.random.default_rng(n)
    p = rng.uniform(0.02, 0.98, n)
    y = rng.random(n) < p**power
    asked = np.linspace(0.03, 0.97, 9)
    got = BayesianCalibrator(n_segments=1).fit(p, y).predict_proba(asked)[:, 1]
    np.testing.assert_allclose(got, mean_of_all_lines(p, y, asked), atol=0.01)


def test_points_are_spread_as_a_student_distribution_is():
    for n_dimensions in (3, 10):
        points = _student_points(n_dimensions)
        np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)
        spread = points.T @ points / len(points)
        np.testing.assert_allclose(spread, np.eye(n_dimensions) * 30 / 28, atol=0.3)
        swapped = np.hstack([-points[:, :1], points[:, 1:2], points[:, :1:-1]])
        assert {tuple(p) for p in points.round(9)} == {tuple(p) for p in swapped.round(9)}


def test_few_samples_change_little_and_many_find_the_curve():
    rng = np.random.default_rng(0)
    asked = np.linspace(0.1, 0.9, 17)

    def truth(p):
        return expit(2 * np.maximum(logit(p), 0) + 0.4 * np.minimum(logit(p), 0) - 0.5)

    error = []
    for n in (10, 100, 1000, 20_000):
        p = rng.uniform(0.02, 0.98, n)
        y = rng.random(n) < truth(p)
        got = BayesianCalibrator().fit(p, y).predict_proba(asked)[:, 1]
        error.append(np.abs(got - truth(asked)).mean())
        if n == 10:
            assert np.abs(got - asked).mean() < 0.1
    assert error[0] > 2 * error[2]
    assert error[3] < 0.01


def test_it_doubts_where_no_sample_tells():
    # 40 samples that are all right: a line of largest likelihood would be a step.
    p = np.repeat([0.05, 0.95], 20)
    got = BayesianCalibrator().fit(p, p > 0.5).predict_proba([0.05, 0.5, 0.95])[:, 1]
    assert 0.95 < got[2] < 0.999
    assert got[1] == pytest.approx(0.5, abs=0.05)
    assert got[0] == pytest.approx(1 - got[2], abs=0.01)


def test_groups_keep_all_weight_and_all_hits():
    p, y = binary_task(5000)
    weight = np.random.default_rng(0).exponential(1, 5000)
    values, hits, misses = _grouped(logit(p), y, weight)
    assert len(values) <= 257
    assert (np.diff(values) > 0).all()
    assert hits.sum() == pytest.approx(weight @ y)
    assert (hits + misses) @ values == pytest.approx(weight @ logit(p))
    assert (hits + misses).max() < 1.5 * weight.sum() / 257 + weight.max()


def test_groups_change_next_to_nothing(monkeypatch):
    p, y = binary_task(3000)
    grouped = BayesianCalibrator().fit(p, y).predict_proba(p)
    monkeypatch.setattr("skconf.calibration._bayesian._GROUPS", 10_000)
    np.testing.assert_allclose(grouped, BayesianCalibrator().fit(p, y).predict_proba(p), atol=0.005)


@pytest.mark.parametrize("n_segments", [0, 31])
def test_other_numbers_of_segments_are_refused(n_segments):
    with pytest.raises(ValueError, match="n_segments must be at"):
        BayesianCalibrator(n_segments=n_segments).fit([0.1, 0.9], [0, 1])


def test_steep_curves_of_huge_weights_do_not_overflow():
    proba = draw_proba(1000, 5, concentration=0.3)
    found = BayesianCalibrator().fit(proba, proba.argmax(axis=1), np.full(1000, 1e5)).predict_proba(proba)
    assert np.isfinite(found).all()
