"""P-values of the errors in groups, against the distribution worked out by a loop, and drawn."""

from dataclasses import replace

import numpy as np
import pytest
from _support.predictions import draw_answers
from scipy.stats import norm, ttest_1samp

from skconf import ConfidenceProfile
from skconf.inference import assess_confidence
from skconf.report._evidence.by_slice import BySlice
from skconf.report._evidence.slice_tests import overconfidence_p_values


def predictions(n, seed=0, weight=None, temper=1.0):
    right, sure = draw_answers(n, seed, kept=temper)
    return ConfidenceProfile.from_correctness(right, sure, sample_weight=weight)


def at_least(chances, errors):
    """Return the probability of so many errors, answer by answer."""
    probability = [1.0]
    for chance in chances:
        longer = [0.0] * (len(probability) + 1)
        for k, p in enumerate(probability):
            longer[k] += p * (1 - chance)
            longer[k + 1] += p * chance
        probability = longer
    return sum(probability[errors:])


@pytest.mark.parametrize("weight", [None, 2.5])
def test_are_those_of_a_loop(weight):
    rng = np.random.default_rng(1)
    given = None if weight is None else np.where(np.arange(200) % 7 == 0, 0.0, weight)
    profile = predictions(200, weight=given, temper=0.9)
    columns = [rng.integers(0, 3, 200), np.where(np.arange(200) == 150, 0, 2)]
    there = np.ones(200, dtype=bool) if given is None else given > 0
    for codes, found in zip(columns, overconfidence_p_values(profile, columns), strict=True):
        for group, p_value in enumerate(found):
            rows = np.flatnonzero((codes == group) & there)
            if len(rows):
                expected = at_least(1 - profile.confidence[rows], int((~profile.correct[rows]).sum()))
                # Answers of about the same confidence are counted together.
                assert p_value == pytest.approx(expected, rel=5e-3)
            else:
                assert np.isnan(p_value)


def test_many_rows_are_read_in_blocks():
    profile = predictions(200_000)
    codes = np.arange(200_000) % 2
    (found,) = overconfidence_p_values(profile, [codes])
    for group in range(2):
        rows = codes == group
        chance, wrong = 1 - profile.confidence[rows], (~profile.correct[rows]).sum()
        z = (wrong - 0.5 - chance.sum()) / np.sqrt((chance * (1 - chance)).sum())
        assert found[group] == pytest.approx(norm.sf(z), abs=1e-3)


def test_unequal_weights_are_tested_as_the_verdict_does():
    rng = np.random.default_rng(2)
    weight = rng.uniform(0, 2, 500)
    profile = predictions(500, weight=weight, temper=0.9)
    codes = np.where(np.arange(500) < 20, 0, 1)
    (found,) = overconfidence_p_values(profile, [codes])
    assert np.isnan(found[0])  # too few errors
    rest = assess_confidence(profile[codes == 1])
    assert rest.gap > 0
    assert found[1] == pytest.approx(rest.p_value / 2)
    modest = ConfidenceProfile.from_correctness(profile.correct, np.full(500, 0.55), sample_weight=weight)
    assert overconfidence_p_values(modest, [np.zeros(500, dtype=int)])[0][0] > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 5, 60])
def test_calibrated_groups_are_called_too_sure_no_more_often_than_announced(size):
    profile = predictions(3000 * size, seed=size)
    (found,) = overconfidence_p_values(profile, [np.repeat(np.arange(3000), size)])
    for level in (0.01, 0.05, 0.2):
        assert np.mean(found <= level) <= level + 3 * np.sqrt(level * (1 - level) / 3000)
    if size == 60:
        assert np.mean(found <= 0.2) > 0.1  # nor is everything let through


def test_errors_that_are_seen_do_not_decide_which_groups_are_tested():
    weight = np.random.default_rng(0).uniform(0.5, 1.5, 200)
    for right in (True, False):
        profile = ConfidenceProfile.from_correctness(np.full(200, right), np.full(200, 0.9), sample_weight=weight)
        assert np.isnan(overconfidence_p_values(profile, [np.zeros(200, dtype=int)])[0][0])


def graded(n, seed=0, temper=1.0, groups=None):
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.5, 1, n)
    mean = temper * sure
    return ConfidenceProfile.from_correctness(rng.beta(2 * mean, 2 * (1 - mean)), sure, groups=groups)


@pytest.mark.parametrize("size", [1, 8, 200])
def test_calibrated_graded_answers_are_called_too_sure_no_more_often_than_announced(size):
    n_groups = 600
    profile = graded(n_groups * size, seed=size)
    (found,) = overconfidence_p_values(profile, [np.repeat(np.arange(n_groups), size)])
    assert not np.isnan(found).any()
    for level in (0.01, 0.05, 0.2):
        assert np.mean(found <= level) <= level + 3 * np.sqrt(level * (1 - level) / n_groups)


def test_few_graded_answers_that_are_far_off_are_found():
    profile = graded(100, temper=0.6)
    (found,) = overconfidence_p_values(profile, [np.repeat([0, 1], [90, 10])])
    assert found[0] < 1e-3  # too few announced for a t test: they are drawn, and counted
    assert found[0] == overconfidence_p_values(profile[:90], [np.zeros(90, dtype=int)])[0][0]


def test_answers_of_one_group_count_together_but_where_each_is_alone():
    groups = np.repeat(np.arange(300), 4)
    profile = predictions(1200, temper=0.9)
    part = np.tile(np.arange(4), 300)  # one answer of each group
    (alone,) = overconfidence_p_values(replace(profile, groups=groups), [part])
    assert alone.tolist() == overconfidence_p_values(profile, [part])[0].tolist()
    (whole,) = overconfidence_p_values(replace(profile, groups=groups), [np.zeros(1200, dtype=int)])
    gap = (profile.confidence - profile.correct).reshape(300, 4).mean(axis=1)
    assert whole[0] == pytest.approx(ttest_1samp(gap, 0, alternative="greater").pvalue)


def test_costs_are_not_tested():
    profile = ConfidenceProfile.from_costs([1, 2, 3], [0.1, 0.2, 0.3], largest=4)
    assert np.isnan(overconfidence_p_values(profile, [np.array([0, 0, 1])])[0]).tolist() == [True, True]


def test_p_values_of_counts_are_never_too_small():
    """Whatever confidences have the mean: those of a few answers, too, while all others are sure."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        doubts = rng.random(rng.integers(1, 7)) ** rng.integers(1, 6)
        n = len(doubts) + rng.integers(0, 20)
        for count in range(len(doubts) + 1):
            found = BySlice.of_counts(["a"], [n], np.array([1 - count / n]), np.array([1 - doubts.sum() / n]), 0.95)
            assert found.p_values[0] >= at_least(doubts, count) * (1 - 1e-9)
