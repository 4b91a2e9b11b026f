"""The calibration error in bins that follow the data."""

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import halved_error, pairs

from skconf import ConfidenceProfile, metrics


def adaptive_calibration_error(y, proba, predicted, w, min_samples=10):
    return halved_error(pairs(y, proba, predicted, w), min_samples)


CASES = [
    Case("adaptive_calibration_error", {}, adaptive_calibration_error),
    Case("adaptive_calibration_error", {"min_samples": 1}, adaptive_calibration_error),
    Case("adaptive_calibration_error", {"min_samples": 3}, adaptive_calibration_error),
]
TestProperties = properties_of(CASES)


@pytest.mark.parametrize("n_samples", [100, 1000])
def test_without_ties_bins_hold_ten_to_twenty_samples_as_halving_leaves_them(n_samples):
    """Then it is the error in bins of equal mass, if their number is a power of two."""
    rng = np.random.default_rng(0)
    sure = rng.permutation(np.arange(1, n_samples * 16 // 25 + 1) / (n_samples + 1))  # 64 and 640 samples
    profile = ConfidenceProfile.from_correctness(rng.random(len(sure)) < sure, sure)
    n_bins = 4 if n_samples == 100 else 64
    expected = metrics.expected_calibration_error(profile, n_bins=n_bins, strategy="quantile")
    assert metrics.adaptive_calibration_error(profile) == pytest.approx(expected, rel=1e-12)
