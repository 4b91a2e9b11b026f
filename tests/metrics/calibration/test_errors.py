"""Calibration errors over bins."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, drawn_profile, properties_of
from _support.metrics.twins import bins_of, calibration_index, pairs

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Additive, Whole


def binned(points, n_bins, strategy, norm):
    total = sum(w for _, _, w in points)
    gaps = []
    for members in bins_of(points, n_bins, strategy):
        mass = sum(w for _, _, w in members)
        gaps.append((abs(sum(w * (z - c) for c, z, w in members)) / mass, mass / total))
    if norm == "max":
        return max(gap for gap, _ in gaps)
    if norm == "l2":
        return math.sqrt(sum(share * gap**2 for gap, share in gaps))
    return sum(share * gap for gap, share in gaps)


def expected_calibration_error(y, proba, predicted, w, n_bins=15, strategy="uniform", norm="l1", on="confidence"):
    if on == "confidence":
        return binned(pairs(y, proba, predicted, w), n_bins, strategy, norm)
    k = proba.shape[1]
    columns = [
        [(float(proba[i, j]), float(y[i] == j), float(w[i])) for i in range(len(y)) if w[i] > 0] for j in range(k)
    ]
    return sum(binned(points, n_bins, strategy, norm) for points in columns) / k


def maximum_calibration_error(y, proba, predicted, w, n_bins=15, strategy="uniform"):
    return binned(pairs(y, proba, predicted, w), n_bins, strategy, "max")


def estimated_calibration_index(y, proba, predicted, w, n_bins=15, strategy="uniform"):
    return calibration_index(pairs(y, proba, predicted, w), n_bins, strategy)


ERRORS = [
    {},
    {"n_bins": 1},
    {"n_bins": 10},
    {"norm": "l2"},
    {"norm": "max", "n_bins": 4},
    {"on": "classes"},
    {"on": "classes", "norm": "l2", "n_bins": 5},
    {"on": "classes", "norm": "max", "n_bins": 3},
]
EQUAL_MASS = [
    {"strategy": "quantile", "n_bins": 4},
    {"strategy": "quantile", "norm": "l2"},
    {"strategy": "quantile", "on": "classes", "n_bins": 3},
]
# Whole weights: a share of weight that is an edge but for rounding may be in either bin.
WHOLE = {"whole_weights": True}
CASES = [
    *(Case("expected_calibration_error", params, expected_calibration_error) for params in ERRORS),
    *(Case("expected_calibration_error", params, expected_calibration_error, drawn=WHOLE) for params in EQUAL_MASS),
    Case("maximum_calibration_error", {}, maximum_calibration_error),
    Case("maximum_calibration_error", {"n_bins": 3, "strategy": "quantile"}, maximum_calibration_error, drawn=WHOLE),
    Case("estimated_calibration_index", {}, estimated_calibration_index),
    Case("estimated_calibration_index", {"n_bins": 4}, estimated_calibration_index),
    Case(
        "estimated_calibration_index", {"n_bins": 3, "strategy": "quantile"}, estimated_calibration_index, drawn=WHOLE
    ),
]
TestProperties = properties_of(CASES)


@pytest.mark.parametrize("n_bins", [3, 7, 10, 15, 49])
def test_bins_hold_their_upper_edge_and_not_their_lower(n_bins):
    for edge in np.arange(1, n_bins) / n_bins:
        # One right and one wrong: |1 − c| + |0 − c| = 1 apart from each other, |1 − 2c| together in a bin.
        for nearby, apart in ((edge - 1e-9, False), (edge + 1e-9, True)):
            profile = ConfidenceProfile.from_correctness([1, 0], [edge, nearby])
            expected = (1 if apart else abs(1 - 2 * edge)) / 2
            assert metrics.expected_calibration_error(profile, n_bins=n_bins) == pytest.approx(expected, abs=1e-8)


def test_zero_and_one_belong_to_the_outer_bins():
    for outer, inner in ((0.0, 0.01), (1.0, 0.99)):
        profile = ConfidenceProfile.from_correctness([1, 0], [outer, inner])
        expected = abs(1 - outer - inner) / 2
        assert metrics.expected_calibration_error(profile, n_bins=10) == pytest.approx(expected)


def test_bins_of_equal_mass_never_split_ties():
    profile = ConfidenceProfile.from_correctness([1, 0, 1, 0, 1, 1], [0.6] * 4 + [0.8, 0.9])
    # Shares of weight at or below: 4/6, 5/6, 1: of three bins the second holds .6, the third .8 and .9.
    expected = (abs(2 - 2.4) + abs(2 - 1.7)) / 6
    assert metrics.expected_calibration_error(profile, strategy="quantile", n_bins=3) == pytest.approx(expected)


def test_kind_follows_the_parameters():
    assert isinstance(get_metric("expected_calibration_error", norm="l2", on="classes"), Additive)
    assert isinstance(get_metric("expected_calibration_error", strategy="quantile"), Whole)
    assert isinstance(get_metric("maximum_calibration_error"), Additive)
    assert isinstance(get_metric("maximum_calibration_error", strategy="quantile"), Whole)
    with pytest.raises(TypeError, match="expected_calibration_error has no per-sample contributions"):
        get_metric("expected_calibration_error", strategy="quantile").contributions(drawn_profile(5))
