"""Proportions: every interval against scipy's own, one at a time, and against what defines it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm

from skconf._core.proportions import clopper_pearson, exact_interval, looks_swapped, lower_limit, upper_limit, wilson

PAIRS = [(hits, samples) for samples in (1, 2, 7, 40) for hits in range(samples + 1)]
HITS, SAMPLES = np.array(PAIRS, dtype=float).T


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_upper_limit_is_the_rate_at_which_so_few_hits_are_just_too_unlikely(level):
    some = HITS < SAMPLES
    limit = upper_limit(HITS[some], SAMPLES[some] - HITS[some], level)
    np.testing.assert_allclose(binom.cdf(HITS[some], SAMPLES[some], limit), 1 - level, rtol=1e-8)


@settings(max_examples=100, deadline=None)
@given(samples=st.integers(1, 300), share=st.floats(0, 1), target=st.floats(0.001, 0.999), level=st.floats(0.5, 0.999))
def test_a_limit_is_within_the_target_where_the_test_rejects_and_only_there(samples, share, target, level):
    errors = np.floor(share * samples)
    chance = binom.cdf(errors, samples, target)
    if abs(chance - (1 - level)) > 1e-9:
        assert (upper_limit(errors, samples - errors, level) <= target) == (chance <= 1 - level)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_lower_limit_mirrors_the_upper_one(level):
    mirrored = 1 - upper_limit(SAMPLES - HITS, HITS, level)
    np.testing.assert_allclose(lower_limit(HITS, SAMPLES - HITS, 1 - level), mirrored, rtol=1e-8, atol=1e-15)


def test_limits_are_those_of_a_share_where_nothing_is_counted():
    none = np.zeros(1)
    assert (lower_limit(none, none, 0.1), upper_limit(none, none, 0.9)) == (0, 1)
    np.testing.assert_array_equal(upper_limit(np.array([0.0, 3.0]), np.zeros(2), 0.9), [1, 1])
    np.testing.assert_array_equal(lower_limit(np.zeros(2), np.array([0.0, 3.0]), 0.1), [0, 0])


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize(("hits", "samples"), PAIRS)
def test_intervals_are_those_of_scipy(hits, samples, level):
    test = binomtest(hits, samples)
    exact = test.proportion_ci(level, method="exact")
    np.testing.assert_allclose(exact_interval(hits, samples - hits, level), exact, atol=1e-12)
    np.testing.assert_allclose(clopper_pearson(hits / samples, samples, level), exact, atol=1e-12)
    wilsons = test.proportion_ci(level, method="wilson")
    np.testing.assert_allclose(wilson(hits / samples, samples, norm.ppf((1 + level) / 2)), wilsons, atol=1e-12)


def test_no_samples_tell_nothing():
    assert exact_interval(0, 0, 0.95) == clopper_pearson(0.5, 0, 0.95) == wilson(0.5, 0, 1.96) == (0, 1)


@pytest.mark.parametrize("size", [1, 20, 333, 10_000])
def test_all_or_none_end_at_a_bound_without_rounding(size):
    assert wilson(0.0, size, 1.96)[0] == 0
    assert wilson(1.0, size, 1.96)[1] == 1


def test_labels_look_swapped_if_far_fewer_answers_are_right_than_for_one_answer_for_all():
    """Of classes of nine and of one in ten, the rarer one for all is right in a tenth, and no model in much less."""
    cases = [(0.05, 0.9), (0.05, 0.1), (0.07, 0.9), (0.25, 0.5), (0.35, 0.5), (0.05, np.nan)]
    assert [looks_swapped(*case) for case in cases] == [True, True, False, True, False, False]
