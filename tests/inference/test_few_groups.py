"""Intervals of answers in few groups, or in groups of unequal size, hold the truth as often as they say."""

import numpy as np
import pytest

from skconf import ConfidenceProfile
from skconf.inference import confidence_interval

#: Sizes of the groups: equal ones, and a few that have half of the answers or more.
SIZES = {
    "5 equal": [40] * 5,
    "10 equal": [40] * 10,
    "10 unequal": [5, 8, 12, 20, 30, 40, 50, 80, 120, 200],
    "one has half of 10": [20] * 9 + [180],
    "one has half of 5": [20] * 4 + [80],
    "two large among 20": [100] * 2 + [5] * 18,
    "one of 20% beside single answers": [1] * 400 + [100],
}
#: Standard deviation over the groups of the shift of their log odds, and the accuracy that belongs to it.
SHIFTS = [0.0, 0.5, 1.0]


def drawn(sizes, shift, rng):
    """Draw answers of groups whose log odds are off by a shift of their own."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    said = rng.normal(1.5, 1, len(group))
    right = rng.random(len(group)) < 1 / (1 + np.exp(-said - rng.normal(0, shift, len(sizes))[group]))
    return right, 1 / (1 + np.exp(-said)), group


def true_accuracy(shift):
    """Integrate the probability of being right over confidences and shifts of groups."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights / weights.sum() @ (1 / (1 + np.exp(-1.5 - np.hypot(1, shift) * nodes))))


def coverage(sizes, shift, n_sets):
    rng, truth, held = np.random.default_rng(3), true_accuracy(shift), 0
    for _ in range(n_sets):
        right, confidence, group = drawn(sizes, shift, rng)
        interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
        held += interval.low <= truth <= interval.high
    return held / n_sets


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES.keys())
def test_intervals_of_few_groups_hold_the_truth(sizes):
    """Three standard errors of 250 sets are 0.041."""
    assert coverage(sizes, 0.5, 250) >= 0.95 - 0.041


@pytest.mark.slow
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES.keys())
def test_intervals_of_few_groups_hold_the_truth_in_many_sets(sizes, shift):
    assert coverage(sizes, shift, 3000) >= 0.92


def test_groups_of_one_size_have_the_t_interval_of_their_means():
    rng = np.random.default_rng(0)
    right, confidence, group = drawn([40] * 8, 1.0, rng)
    interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    means = right.reshape(8, 40).mean(axis=1)
    assert interval.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(8), rel=1e-12)


def test_one_group_with_nearly_all_answers_has_no_interval():
    right, confidence, group = drawn([1000, 1, 1, 1], 0.5, np.random.default_rng(0))
    with pytest.warns(UserWarning, match="one group has nearly all"):
        interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    assert interval.method == "none"
    assert np.isnan(interval.low)
