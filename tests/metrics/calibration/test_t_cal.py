"""T-Cal: its statistics, thresholds, level and power."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import pairs

from skconf import ConfidenceProfile, metrics


def debiased_error(points, n_bins):
    """DPE of T-Cal, with bins floor(m c)."""
    members = {}
    for c, z in points:
        members.setdefault(math.floor(n_bins * c), []).append(c - z)
    return sum((sum(d) ** 2 - sum(x**2 for x in d)) / len(d) for d in members.values()) / len(points)


def t_cal_statistics(y, proba, predicted, w, n_bins=None, **_):
    n = len(y)
    points = [(c, z) for c, z, _ in pairs(y, proba, predicted, w)]
    finest = int(2 * math.log2(n / math.sqrt(math.log(n)))) if n > 1 else 1
    levels = [2**b for b in range(1, finest + 1)] if n_bins is None else [n_bins]
    return np.array(levels), np.array([debiased_error(points, m) for m in levels])


CASES = [
    Case("t_cal_test", {"n_bins": n_bins, "n_resamples": 3}, t_cal_statistics, lambda result: (result[2], result[3]))
    for n_bins in (None, 1, 15)
]
TestProperties = properties_of(CASES)


def calibrated(n, seed=0, low=0.5):
    rng = np.random.default_rng(seed)
    sure = low + (1 - low) * rng.random(n)
    return ConfidenceProfile.from_correctness(rng.random(n) < sure, sure)


def test_a_single_sample_never_refutes_calibration():
    result = metrics.t_cal_test(ConfidenceProfile.from_correctness([0], [0.9]))
    assert (result.rejected, result.p_value, result.statistics.tolist()) == (False, 1.0, [0.0])


def test_t_cal_says_what_so_few_draws_cannot_show():
    """17 numbers of bins: of 199 draws the smallest adjusted p-value is 17/200, and even 1,000 are too few at 1%."""
    profile = calibrated(1000)
    with pytest.warns(
        UserWarning, match=r"t_cal_test cannot return a p-value of 0\.01 or less: .* 17 tests is 0\.085\."
    ):
        metrics.t_cal_test(profile, n_resamples=199, alpha=0.01)
    with pytest.warns(UserWarning, match="Use at least n_resamples=1699"):
        metrics.t_cal_test(profile, alpha=0.01)
    metrics.t_cal_test(profile, n_resamples=1699, alpha=0.01)


@pytest.mark.slow
def test_t_cal_holds_its_level_and_finds_miscalibration():
    rejected = [metrics.t_cal_test(calibrated(150, seed), n_resamples=400).rejected for seed in range(100)]
    assert np.mean(rejected) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 100)
    profile = calibrated(2000)
    bold = ConfidenceProfile.from_correctness(profile.correct, np.minimum(profile.confidence + 0.1, 1))
    result = metrics.t_cal_test(bold)
    assert result.rejected
    assert result.p_value <= 0.05
    assert result.thresholds.shape == result.p_values.shape == result.statistics.shape == result.n_bins.shape


def test_the_data_count_as_one_of_the_draws():
    """Every answer wrong at .999: no draw comes near, so that each level has a p-value of 1/(B + 1)."""
    certain = ConfidenceProfile.from_correctness(np.zeros(40), np.full(40, 0.999))
    result = metrics.t_cal_test(certain, n_bins=2, n_resamples=99, alpha=0.05)
    assert result.p_values.tolist() == [1 / 100]


def test_a_p_value_of_alpha_rejects_without_rounding_errors():
    """Three tests and 20 draws: the p-value is 3/20, and was 0.15000000000000002."""
    sure = np.random.default_rng(1).uniform(0.5, 1, 3)
    result = metrics.t_cal_test(ConfidenceProfile.from_correctness([0, 0, 0], sure), alpha=0.15, n_resamples=19)
    assert (result.rejected, result.p_value) == (True, 0.15)


@pytest.mark.parametrize("name", ["t_cal_test", "ecd_test"])
@pytest.mark.parametrize("alpha", [0, 1])
def test_levels_of_0_and_1_are_refused(name, alpha):
    profile = ConfidenceProfile.from_predictions([0, 1, 1], [0.2, 0.7, 0.9])
    with pytest.raises(ValueError, match="alpha must"):
        getattr(metrics, name)(profile, alpha=alpha)


@pytest.mark.filterwarnings("ignore:t_cal_test cannot return a p-value")
@pytest.mark.parametrize("n_resamples", [1, 50, 99, 100, 777])
@pytest.mark.parametrize("alpha", [0.05, 0.3, 1 - 0.9, 1 - 1e-12])
def test_rejection_p_value_and_thresholds_agree(alpha, n_resamples):
    """With few draws, too: the largest of 50 draws is no quantile of 0.05 / 9, and rejects too often."""
    decisions = []
    for seed in range(40):
        profile = calibrated(60, seed)
        shifted = np.clip(profile.confidence + 0.01 * seed, 0, 1)
        result = metrics.t_cal_test(
            ConfidenceProfile.from_correctness(profile.correct, shifted), alpha=alpha, n_resamples=n_resamples
        )
        assert result.rejected == (result.p_value <= alpha)
        assert result.rejected == (result.statistics > result.thresholds + 1e-12).any()
        decisions.append(result.rejected)
    assert any(decisions) == (len(result.n_bins) / (n_resamples + 1) <= alpha)


@pytest.mark.simulation
@pytest.mark.parametrize("ties", [pytest.param(False, marks=pytest.mark.slow), True])
def test_thresholds_of_t_cal_are_those_of_plain_resampling(ties):
    profile = calibrated(60, seed=2)
    sure = np.round(profile.confidence, 1) if ties else profile.confidence
    rng = np.random.default_rng(0)
    result = metrics.t_cal_test(ConfidenceProfile.from_correctness(profile.correct, sure), n_resamples=4000, alpha=0.5)
    drawn = []
    for _ in range(1000):
        again = rng.choice(sure, 60)
        right = rng.random(60) < again
        points = list(zip(again.tolist(), right.astype(float).tolist(), strict=True))
        drawn.append([debiased_error(points, m) for m in result.n_bins])
    drawn = np.array(drawn)
    expected = np.quantile(drawn, 1 - 0.5 / len(result.n_bins), axis=0)
    np.testing.assert_allclose(result.thresholds, expected, atol=0.3 * drawn.std(axis=0).max())
    p_values = (drawn >= result.statistics - 1e-12).mean(axis=0)
    np.testing.assert_allclose(result.p_values, p_values, atol=0.06)


def test_the_smallest_p_value_counts_as_often_as_there_are_levels():
    """Bonferroni's correction: every answer is wrong at .999, so that each of 8 levels has 1/(B + 1)."""
    certain = ConfidenceProfile.from_correctness(np.zeros(40), np.full(40, 0.999))
    result = metrics.t_cal_test(certain, n_resamples=999)
    assert result.n_bins.tolist() == [2**level for level in range(1, 9)]
    assert result.p_value == pytest.approx(8 / 1000)


@pytest.mark.parametrize("name", ["t_cal_test", "ecd_test", "tce_error"])
@pytest.mark.parametrize("alpha", [-0.01, 1.5])
def test_a_level_is_a_probability(name, alpha):
    with pytest.raises(ValueError, match="alpha"):
        getattr(metrics, name)([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.4], alpha=alpha)
