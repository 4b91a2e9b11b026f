"""Displays of answers that are graded, have costs or are in groups: what they show, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from skconf import ConfidenceProfile
from skconf.inspection import (
    ConfidenceHistogramDisplay,
    ECUASDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    ThresholdDisplay,
)
from skconf.metrics import aurc_loss

RNG = np.random.default_rng(0)
SURE = RNG.random(200)
GRADED = ConfidenceProfile.from_correctness(np.clip(SURE + RNG.normal(0, 0.2, 200), 0, 1), SURE)
COSTS = ConfidenceProfile.from_costs(3 * RNG.random(200), 3 * RNG.random(200), largest=3)


def test_reliability_of_graded_answers_is_their_mean_correctness():
    display = ReliabilityDisplay.from_profile(GRADED, n_bins=4)
    cell = np.ceil(4 * SURE) - 1
    expected = [GRADED.correctness[cell == k].mean() for k in range(4)]
    np.testing.assert_allclose(display.accuracy, expected)


def test_a_group_counts_once_in_the_interval_of_a_bin():
    sure, right = np.repeat(0.7, 300), np.repeat(np.arange(60) % 3 > 0, 5)
    profile = ConfidenceProfile.from_correctness(right, sure, groups=np.repeat(np.arange(60), 5))
    display = ReliabilityDisplay.from_profile(profile, n_bins=1)
    # 40 of 60 groups are right.
    assert display.low[0] == pytest.approx(beta.ppf(0.025, 40, 21))
    alone = ReliabilityDisplay.from_profile(replace(profile, groups=None), n_bins=1)
    assert alone.low[0] == pytest.approx(beta.ppf(0.025, 200, 101))


def test_risk_and_coverage_of_any_loss():
    for profile in GRADED, COSTS:
        display = RiskCoverageDisplay.from_profile(profile)
        assert display.risk[-1] == pytest.approx(profile.loss.mean())
        assert display.aurc == aurc_loss(profile)
        with pytest.raises(ValueError, match="confidence_level needs independent answers that are right"):
            RiskCoverageDisplay.from_profile(profile, confidence_level=0.9)


def test_what_they_cannot_show_they_refuse():
    with pytest.raises(ValueError, match="right or wrong"):
        ConfidenceHistogramDisplay.from_profile(GRADED)
    with pytest.raises(ValueError, match="cwsa_curve needs answers that are right or wrong, or graded"):
        ThresholdDisplay.from_profile(COSTS)
    with pytest.raises(ValueError, match="ECUASDisplay needs right and wrong answers"):
        ECUASDisplay.from_profile(COSTS)
    assert ECUASDisplay.from_profile(GRADED).error_rate == pytest.approx(GRADED.loss.mean())
