"""The entropic calibration difference, and its test."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import confidences
from hypothesis import given, settings

from skconf import ConfidenceProfile, metrics


def entropic_calibration_difference(y, proba, predicted, w, on="classes", eps=1e-8):
    if on == "confidence":
        c = np.array(confidences(proba, predicted))
        y, proba = (y == predicted).astype(int), np.column_stack([1 - c, c])
    total = 0.0
    for i in range(len(y)):
        logarithms = [math.log(max(float(p), eps)) for p in proba[i]]
        total += w[i] * (sum(float(p) * ln for p, ln in zip(proba[i], logarithms, strict=True)) - logarithms[y[i]])
    return total / sum(w)


def ecd_statistic(y, proba, predicted, w, on="classes", **_):
    return entropic_calibration_difference(y, proba, predicted, w, on)


CASES = [
    Case("entropic_calibration_difference", {}, entropic_calibration_difference),
    Case("entropic_calibration_difference", {"on": "confidence", "eps": 1e-3}, entropic_calibration_difference),
    Case("ecd_test", {"method": "normal"}, ecd_statistic, read=lambda result: result.statistic),
    Case("ecd_test", {"on": "confidence", "n_resamples": 3}, ecd_statistic, read=lambda result: result.statistic),
]
TestProperties = properties_of(CASES)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_both_entropic_differences_are_one_for_two_classes(outcome):
    values = [outcome.call(metrics.entropic_calibration_difference, on=on) for on in ("classes", "confidence")]
    assert values[0] == pytest.approx(values[1], rel=1e-7, abs=1e-9)


def test_certain_and_wrong_is_overconfident_by_either_method():
    profile = ConfidenceProfile.from_correctness([1, 0, 1], [1.0, 1.0, 1.0])
    assert metrics.ecd_test(profile, on="confidence", method="normal")[1:] == (0.0, 0.0, 0.0, 1)
    result = metrics.ecd_test(profile, on="confidence", n_resamples=99)
    assert (result.p_value, result.outcome) == (pytest.approx(2 / 100), 1)


def calibrated(n, seed=0, low=0.5):
    rng = np.random.default_rng(seed)
    sure = low + (1 - low) * rng.random(n)
    return ConfidenceProfile.from_correctness(rng.random(n) < sure, sure)


@pytest.mark.slow
def test_p_value_of_calibrated_confidences_is_uniform():
    found = np.array([metrics.ecd_test(calibrated(100, seed), on="confidence").p_value for seed in range(300)])
    for level in (0.05, 0.2, 0.5):
        assert np.mean(found <= level) == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 300))


@pytest.mark.filterwarnings("ignore:ecd_test cannot return a p-value")
@pytest.mark.parametrize(
    ("alpha", "n_resamples"), [(0.05, 1), (0.05, 20), (0.05, 39), (0.05, 500), (1 - 0.9, 19), (1 - 1e-12, 1)]
)
def test_outcome_p_value_and_bounds_agree(alpha, n_resamples):
    """With few draws, too: the most extreme of 20 draws are no quantiles of 2.5%, and reject too often."""
    outcomes = set()
    profile = calibrated(200, low=0.4)
    for shift in np.linspace(-0.3, 0.3, 41):
        shifted = ConfidenceProfile.from_correctness(profile.correct, np.clip(profile.confidence + shift, 0.01, 0.99))
        result = metrics.ecd_test(shifted, on="confidence", alpha=alpha, n_resamples=n_resamples)
        assert (result.outcome != 0) == (result.p_value <= alpha)
        assert result.outcome == int(result.statistic > result.high) - int(result.statistic < result.low)
        outcomes.add(result.outcome)
    assert outcomes == ({-1, 0, 1} if 2 / (n_resamples + 1) <= alpha else {0})


def test_few_draws_are_said():
    with pytest.warns(UserWarning, match="ecd_test cannot return a p-value of 0.05 or less.* at least n_resamples=39"):
        metrics.ecd_test(calibrated(50), on="confidence", n_resamples=38)


def test_normal_and_simulated_entropic_tests_agree():
    profile = calibrated(5000)
    simulated, normal = (
        metrics.ecd_test(profile, on="confidence", method=method) for method in ("simulation", "normal")
    )
    assert simulated.statistic == normal.statistic
    assert simulated.low == pytest.approx(normal.low, rel=0.06)
    assert simulated.high == pytest.approx(normal.high, rel=0.06)
    assert simulated.p_value == pytest.approx(normal.p_value, abs=0.05)


@pytest.mark.parametrize("least", [5e-324, 1e-310, 1e-300])
def test_the_test_bears_the_least_numbers_there_are(least):
    result = metrics.ecd_test([0, 1, 1], [least, 0.5, 0.9])
    assert 0 <= result.p_value <= 1


def test_a_table_stored_by_columns_draws_as_one_stored_by_rows():
    # Sixteenths: many rows are alike but for their order, so rounding would decide which of them is drawn first.
    rng = np.random.default_rng(0)
    proba = rng.multinomial(16, [1 / 3] * 3, 60) / 16
    y = np.array(["ash", "beech", "cedar"])[[rng.choice(3, p=row) for row in proba]]
    statistic, *drawn = metrics.ecd_test(y, np.asfortranarray(proba))
    expected, *by_rows = metrics.ecd_test(y, proba)
    assert drawn == by_rows
    assert statistic == pytest.approx(expected)
