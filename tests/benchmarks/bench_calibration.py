"""Time and memory of calibration metrics, as multiples of the procedures that their authors' codes follow.

Those take minutes, so that a stated share of their work is timed. Run with
``python -m pytest tests/benchmarks/bench_calibration.py``.
"""

import numpy as np
import pytest
from scipy.stats import binomtest, rankdata
from sklearn.isotonic import IsotonicRegression

from skconf import ConfidenceProfile, metrics


def calibrated(n_samples):
    rng = np.random.default_rng(0)
    sure = 0.5 + rng.random(n_samples) / 2
    return sure, (rng.random(n_samples) < sure).astype(float)


def profile_of(sure, correct):
    """Return a fresh profile, so that its sort is timed, too."""
    return ConfidenceProfile.from_correctness(correct, sure)


# What the authors' codes do -----------------------------------------------------------------------------------------


def on_grid(sure, values, points):
    place = sure * (points - 1)
    lower = np.clip(place.astype(int), 0, points - 2)
    mass = np.zeros(points)
    np.add.at(mass, lower, (1 - place + lower) * values)
    np.add.at(mass, lower + 1, (place - lower) * values)
    return mass


def smoothed(sure, values, sigma):
    points = max(2000, round(20 / sigma)) // 2 + 1
    mass = on_grid(sure, values, points)
    mirrored = np.concatenate([mass[::-1][:-1], mass, mass[::-1][1:]])
    kernel = np.exp(-0.5 * ((np.linspace(0, 1, points) - 0.5) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)
    kept = np.convolve(mirrored, kernel, "valid")[points // 2 : points // 2 + points]
    return np.interp(np.linspace(0, 1, max(round(10 / sigma), 200)), np.linspace(0, 1, points), kept)


def smooth_error(sure, correct):
    """Bisect for the bandwidth, with every bandwidth smoothed anew from the samples."""
    low, high = 0.0, 1.0
    for _ in range(10):
        sigma = (low + high) / 2
        gap, density = smoothed(sure, sure - correct, sigma), smoothed(sure, np.ones_like(sure), sigma)
        if sigma < 0.001 or sigma < np.abs(gap).sum() / density.sum():
            low = sigma
        else:
            high = sigma
    return high


def one_test_each(sure, right, total, share):
    """Test a share of all confidences of one bin, one call each."""
    return sum(binomtest(right, total, chance).pvalue <= 0.05 for chance in sure[: int(len(sure) * share)])


def one_trial_of_each_level(sure, n_levels, rng):
    """Draw for every level anew, and find its bins by ranks."""
    found = []
    for level in range(1, n_levels + 1):
        drawn = rng.choice(sure, len(sure))
        gap = drawn - rng.binomial(1, drawn)
        bins = rankdata(np.floor(2**level * drawn).astype(int), method="dense") - 1
        squared = np.bincount(bins, weights=gap) ** 2 - np.bincount(bins, weights=gap**2)
        found.append((squared / np.bincount(bins)).sum() / len(sure))
    return found


# Ratios -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [10_000, 1_000_000])
def test_smooth_error(n_samples, ratio):
    sure, correct = calibrated(n_samples)
    profile = profile_of(sure, correct)
    found = ratio(
        f"smooth_calibration_error {n_samples}",
        "bisection on a grid",
        lambda: smooth_error(sure, correct),
        lambda: metrics.smooth_calibration_error(profile),
        sure.nbytes,
    )
    assert found < 1


@pytest.mark.parametrize("name", ["calibration_distance_error", "cumulative_calibration_error"])
def test_errors_without_bins(name, ratio):
    sure, correct = calibrated(1_000_000)

    def isotonic():
        return np.abs(IsotonicRegression(out_of_bounds="clip").fit(sure, correct).predict(sure) - sure).mean()

    ratio(
        f"{name} 1e6", "isotonic fit", isotonic, lambda: getattr(metrics, name)(profile_of(sure, correct)), sure.nbytes
    )


def test_test_based_error(ratio):
    sure, correct = calibrated(100_000)
    share = 1 / 500
    found = ratio(
        "tce_error 1e5",
        "1/500 of its tests, one call each",
        lambda: one_test_each(sure, 600, 800, share),
        lambda: metrics.tce_error(profile_of(sure, correct)),
        sure.nbytes,
    )
    assert found * share < 1 / 100


def test_t_cal(ratio):
    sure, correct = calibrated(10_000)
    rng, profile = np.random.default_rng(0), profile_of(sure, correct)
    n_levels = len(metrics.t_cal_test(profile, n_resamples=1).n_bins)
    found = ratio(
        "t_cal_test 1e4",
        "one of its 1,000 trials",
        lambda: one_trial_of_each_level(sure, n_levels, rng),
        lambda: metrics.t_cal_test(profile),
        sure.nbytes,
    )
    assert found / 1000 < 1 / 30


@pytest.mark.parametrize("n_samples", [10_000, 1_000_000])
def test_entropic_test(n_samples, ratio):
    sure, correct = calibrated(n_samples)
    rng, odds = np.random.default_rng(0), np.log(sure / (1 - sure))
    found = ratio(
        f"ecd_test {n_samples}",
        "one of its 5,000 simulations",
        lambda: ((sure - (rng.random(n_samples) < sure)) * odds).mean(),
        lambda: metrics.ecd_test(profile_of(sure, correct), on="confidence"),
        sure.nbytes,
    )
    assert found / 5000 < 1 / 10
