"""Confidence-weighted accuracy, and the gain over accuracy."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import confidences
from hypothesis import given, settings

from skconf import ConfidenceProfile, metrics


def cw_accuracy_score(y, proba, predicted, w):
    c = confidences(proba, predicted)
    right = sum(w[i] * c[i] for i in range(len(y)) if y[i] == predicted[i])
    total = sum(w[i] * c[i] for i in range(len(y)))
    return right / total if total else math.nan


def accuracy(y, predicted, w):
    return sum(w[i] for i in range(len(y)) if y[i] == predicted[i]) / sum(w)


def confidence_gain(y, proba, predicted, w):
    weighted, plain = cw_accuracy_score(y, proba, predicted, w), accuracy(y, predicted, w)
    return 0.0 if min(weighted, plain) == 1 else (weighted - plain) / (1 - min(weighted, plain))


CASES = [
    Case("cw_accuracy_score", {}, cw_accuracy_score),
    # Of other predictions than the most probable ones the accuracies may be 0, and differ by rounding.
    Case("confidence_gain", {}, confidence_gain, drawn={"given_prediction": False}),
]
TestProperties = properties_of(CASES)


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(given_prediction=False))
def test_accuracy_is_raised_by_the_covariance_of_confidence_and_correctness(outcome):
    """Proposition 9."""
    c, z, w = confidence_of(outcome), outcome.y == outcome.predicted, outcome.weight
    plainly, mean = np.average(z, weights=w), np.average(c, weights=w)
    covariance = np.average((c - mean) * (z - plainly), weights=w)
    assert outcome.call(metrics.cw_accuracy_score) == pytest.approx(plainly + covariance / mean, abs=1e-12)


def test_gain_lies_between_its_bounds_and_reaches_them():
    confidence = [1.0, *[0.0] * 999]
    assert metrics.confidence_gain(ConfidenceProfile.from_correctness([1, *[0] * 999], confidence)) == 1
    assert metrics.confidence_gain(ConfidenceProfile.from_correctness([0, *[1] * 999], confidence)) == pytest.approx(
        -0.999
    )


def test_gain_is_zero_where_both_accuracies_are_one():
    assert metrics.confidence_gain([0, 1], [0.2, 0.7]) == 0
    rng = np.random.default_rng(0)
    for _ in range(50):  # accuracies of weighted samples are 1 but for rounding
        right = ConfidenceProfile.from_correctness(np.ones(7), rng.random(7), sample_weight=rng.random(7))
        assert metrics.confidence_gain(right) == 0
