"""The smooth calibration error."""

import itertools
import math

import numpy as np
import pytest
from _support.metrics.properties import (
    Case,
    properties_of,
)
from _support.metrics.strategies import outcomes
from _support.metrics.twins import logit_smoothed, pairs
from hypothesis import given, settings

from skconf import ConfidenceProfile, metrics
from skconf.metrics._calibration.smoothing import _put_on_grid


def smooth_error(points, sigma):
    """Midpoint quadrature of the smoothed gap, with the images of every sample in both mirrors."""
    cells = max(2000, math.ceil(2 / sigma))  # two to a bandwidth, and so many that kinks cost less than a millionth
    t = (np.arange(cells) + 0.5) / cells
    smoothed = np.zeros(cells)
    reach = 2 * math.ceil(5 * sigma) + 2
    for c, z, w in points:
        for shift in range(-reach, reach + 1, 2):
            for image in (c, -c):
                smoothed += w * (c - z) * np.exp(-0.5 * ((t - shift - image) / sigma) ** 2)
    return np.abs(smoothed).mean() / (sigma * math.sqrt(2 * math.pi)) / sum(w for _, _, w in points)


def smooth_calibration_error(y, proba, predicted, w, bandwidth=None):
    points = pairs(y, proba, predicted, w)
    if bandwidth is not None:
        return smooth_error(points, bandwidth)
    low, high = 1e-4, 1.0
    if smooth_error(points, low) < low:
        return low / 2  # somewhere between 0 and there
    for _ in range(16):
        middle = (low + high) / 2
        if smooth_error(points, middle) > middle:
            low = middle
        else:
            high = middle
    return high


def logit_smoothed_calibration_error(y, proba, predicted, w, **params):
    return logit_smoothed(pairs(y, proba, predicted, w), **params)


# Quadrature is slow, and its error is that of its grid.
CASES = [
    Case("smooth_calibration_error", {}, smooth_calibration_error, atol=1e-4, examples=10),
    Case("smooth_calibration_error", {"bandwidth": 0.02}, smooth_calibration_error, atol=1e-4, examples=15),
    Case("smooth_calibration_error", {"bandwidth": 0.1}, smooth_calibration_error, atol=1e-4, examples=15),
    Case("smooth_calibration_error", {"bandwidth": 1.5}, smooth_calibration_error, atol=1e-4, examples=15),
    Case("logit_smoothed_calibration_error", {}, logit_smoothed_calibration_error, atol=1e-4, examples=15),
    Case(
        "logit_smoothed_calibration_error",
        {"bandwidth": 1.0, "eps": 1e-3},
        logit_smoothed_calibration_error,
        atol=1e-4,
        examples=15,
    ),
]
TestProperties = properties_of(CASES)


@settings(max_examples=40, deadline=None)
@given(outcome=outcomes())
def test_smoothing_lessens_the_error(outcome):
    errors = [outcome.call(metrics.smooth_calibration_error, bandwidth=width) for width in (0.01, 0.03, 0.1, 0.3, 1)]
    assert all(first >= second - 1e-9 for first, second in itertools.pairwise(errors))
    at_itself = outcome.call(metrics.smooth_calibration_error)
    if at_itself >= 1e-4:
        again = outcome.call(metrics.smooth_calibration_error, bandwidth=at_itself)
        assert again == pytest.approx(at_itself, abs=1e-5)


@pytest.mark.parametrize("sure", [0.0, 1.0])
def test_mass_at_the_ends_counts_in_full(sure):
    profile = ConfidenceProfile.from_correctness([sure == 0] * 4, [sure] * 4)
    for params in ({}, {"bandwidth": 0.05}, {"bandwidth": 3.0}):
        assert metrics.smooth_calibration_error(profile, **params) == pytest.approx(1.0, abs=1e-9)


def test_small_smooth_error_is_found_on_a_finer_grid():
    sure = np.array([0.3, 0.7001])
    correct, weight = np.array([0, 1, 0, 1]), np.array([7000, 3000, 3000, 7000.0])
    profile = ConfidenceProfile.from_correctness(correct, np.repeat(sure, 2), sample_weight=weight)
    # Two points far apart, the gap of each on its own: none at .3, 1e-4 at .7001, of half the weight.
    assert metrics.smooth_calibration_error(profile) == pytest.approx(5e-5, rel=2e-3)


@pytest.mark.parametrize("name", ["cifar10_resnet-20", "pathmnist_resnet50"])
def test_smooth_errors_of_saturated_systems_are_those_of_quadrature(system, name):
    y, proba = system(name)
    rows = slice(0, 1500)
    profile = ConfidenceProfile.from_predictions(y[rows], proba[rows], labels=np.arange(proba.shape[1]))
    points = [(c, z, 1.0) for c, z in zip(profile.confidence, profile.correct, strict=True)]
    value = metrics.smooth_calibration_error(profile, bandwidth=0.05)
    assert value == pytest.approx(smooth_error(points, 0.05), abs=1e-6)


def test_logit_smoothing_is_the_mean_over_noise():
    """As it is defined: noise in the log-odds, and the expected correctness given the noisy confidence."""
    rng = np.random.default_rng(0)
    odds = rng.normal(1, 1, 200)
    correct = rng.random(200) < 1 / (1 + np.exp(-0.6 * odds))
    profile = ConfidenceProfile.from_correctness(correct, 1 / (1 + np.exp(-odds)))
    noisy = rng.choice(odds, 20_000) + rng.normal(0, 0.3, 20_000)
    kernel = np.exp(-0.5 * ((noisy[:, np.newaxis] - odds) / 0.3) ** 2)
    gap = np.abs(kernel @ correct / kernel.sum(axis=1) - 1 / (1 + np.exp(-noisy)))
    value = metrics.logit_smoothed_calibration_error(profile, bandwidth=0.3)
    assert value == pytest.approx(gap.mean(), abs=5 * gap.std() / math.sqrt(20_000))


def test_logit_smoothing_of_a_calibrated_model_is_a_fifth_of_the_bandwidth_at_most():
    profile = ConfidenceProfile.from_correctness([0, 1] * 50, [0.5] * 100)
    assert metrics.logit_smoothed_calibration_error(profile, bandwidth=0.1) == pytest.approx(0.02, rel=0.01)


def test_gaps_are_shared_by_the_cells_around_them_and_mirrored_at_the_ends():
    found = _put_on_grid(np.array([0.0, 0.5, 1.0, 0.375]), np.array([1.0, 2.0, 3.0, 5.0]), 4)
    np.testing.assert_allclose(found, [1.0, 1.0 + 5.0, 1.0, 3.0])
