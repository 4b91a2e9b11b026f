"""The calibration error in bins that follow the data."""

import numpy as np
import pytest
from _support.properties import Case, properties_of
from _support.twins import pairs

from skconf import ConfidenceProfile, metrics


def halves(points, fewest):
    """Bins of points: cut, where that leaves enough on both sides, at the cut that halves the weight best."""
    cuts = []
    for cut in sorted({c for c, _, _ in points})[1:]:
        below, above = ([p for p in points if (p[0] < cut) == side] for side in (True, False))
        if min(len(below), len(above)) >= fewest:
            apart = abs(sum(p[2] for p in below) - sum(p[2] for p in above)) / sum(p[2] for p in points)
            cuts.append((round(apart, 12), cut, below, above))
    if not cuts:
        return [points]
    _, _, below, above = min(cuts, key=lambda found: found[:2])
    return halves(below, fewest) + halves(above, fewest)


def adaptive_calibration_error(y, proba, predicted, w, min_samples=10):
    points = pairs(y, proba, predicted, w)
    gaps = [abs(sum(w * (z - c) for c, z, w in members)) for members in halves(points, min_samples)]
    return sum(gaps) / sum(w for _, _, w in points)


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
