"""Intervals of answers in few groups, or in groups of unequal size, hold the truth as often as they say."""

import numpy as np
import pytest
from _support.inference.group_coverage import SHIFTS, SIZES, coverage, drawn

from skconf import ConfidenceProfile
from skconf.inference import confidence_interval


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


def test_groups_of_unequal_size_have_the_error_of_the_jackknife():
    """Leaving out one group at a time, and computing the accuracy again."""
    sizes = [3, 10, 1, 40, 7, 12]
    right, confidence, group = drawn(sizes, 1.0, np.random.default_rng(0))
    interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    without = np.array([right[group != each].mean() for each in range(6)])
    assert interval.standard_error == pytest.approx(np.sqrt(5 / 6 * ((without - right.mean()) ** 2).sum()), rel=1e-12)


def test_one_group_with_nearly_all_answers_has_no_interval():
    right, confidence, group = drawn([1000, 1, 1, 1], 0.5, np.random.default_rng(0))
    with pytest.warns(UserWarning, match="one group has nearly all"):
        interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    assert interval.method == "none"
    assert np.isnan(interval.low)


def test_a_share_of_some_answers_counts_a_group_by_these():
    """The jackknife of a quotient: where the answers accepted are of few groups, these decide."""
    right, confidence, group = drawn([3, 10, 4, 40, 7, 12], 1.0, np.random.default_rng(1))
    profile = ConfidenceProfile.from_correctness(right, confidence, groups=group)
    interval = confidence_interval("selective_accuracy", profile, threshold=0.9)
    accepted = confidence >= 0.9
    value = right[accepted].mean()
    without = np.array([right[accepted & (group != each)].mean() for each in range(6)])
    assert interval.value == value
    assert interval.standard_error == pytest.approx(np.sqrt(5 / 6 * ((without - value) ** 2).sum()), rel=1e-12)
    assert interval.high - interval.low > 2 * interval.standard_error
