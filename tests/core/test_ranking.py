"""The shared sort, and sums over tied positions."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf._core.ranking import Ranking, harmonic_difference


@pytest.mark.parametrize("start", [0, 1, 28, 29, 30, 31, 100, 12_345])
@pytest.mark.parametrize("steps", [1, 2, 17, 1000])
def test_harmonic_difference_is_a_sum_of_reciprocals(start, steps):
    expected = sum(1 / j for j in range(start + steps, start, -1))
    actual = harmonic_difference(np.array([float(start)]), np.array([float(steps)]))
    np.testing.assert_allclose(actual, expected, rtol=3e-14)


def test_harmonic_difference_adds_up_across_fractions():
    parts = harmonic_difference(np.array([10.0, 10.25, 40.5]), np.array([0.25, 30.25, 0.5]))
    whole = harmonic_difference(np.array([10.0]), np.array([31.0]))
    assert parts.sum() == pytest.approx(whole[0], rel=1e-13)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_mean_prefix_risk_is_the_mean_over_all_orders_of_ties(n, seed):
    rng = np.random.default_rng(seed)
    score, wrong = rng.integers(0, 3, n) / 3, rng.random(n) < 0.5
    found = []
    for order in permutations(range(n)):
        shuffled = np.array(order)[np.argsort(-score[list(order)], kind="stable")]
        found.append(np.mean(np.cumsum(wrong[shuffled]) / np.arange(1, n + 1)))
    assert Ranking.of(score, wrong).mean_prefix_risk() == pytest.approx(np.mean(found), abs=1e-14)


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 40),
    levels=st.sampled_from([1, 3, 10**9]),
    rate=st.sampled_from([0, 0.3, 1]),
    seed=st.integers(0, 2**32 - 1),
)
def test_unit_weights_change_nothing(n, levels, rate, seed):
    """What is right and what is wrong are sorted apart without weights, and together with them."""
    rng = np.random.default_rng(seed)
    score, wrong = rng.integers(0, levels, n) / levels, rng.random(n) < rate
    plain, weighted = Ranking.of(score, wrong), Ranking.of(score, wrong, np.ones(n))
    for name in ("total_weight", "total_errors", "total_right", "score", "weight", "errors"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(weighted, name))
    for one, other in zip(plain.at_errors, weighted.at_errors, strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 30),
    levels=st.sampled_from([1, 3, 10**9]),
    rate=st.sampled_from([0, 0.3, 1]),
    seed=st.integers(0, 2**32 - 1),
)
def test_draws_are_evaluated_together_as_one_by_one(n, levels, rate, seed):
    rng = np.random.default_rng(seed)
    score, wrong = rng.integers(0, levels, n) / levels, rng.random(n) < rate
    weight = rng.exponential(size=(5, n)) * rng.integers(0, 2, (5, n)) + np.eye(n)[0]
    together = np.zeros((2, 5, len(distinct := np.unique(-score))))
    for row, each in enumerate(weight):
        for level, w, lost in zip(np.searchsorted(distinct, -score), each, wrong, strict=True):
            together[:, row, level] += w, w * lost
    drawn = Ranking(-distinct, *together)
    for name in ("mean_prefix_risk", "discordant_weight"):
        expected = [getattr(Ranking.of(score, wrong, each), name)() for each in weight]
        np.testing.assert_allclose(getattr(drawn, name)(), expected, rtol=1e-12, atol=1e-14)


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 12),
    levels=st.sampled_from([1, 3, 10**9]),
    rate=st.sampled_from([0, 0.5, 1]),
    single=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_discordant_weight_is_counted_pair_by_pair(n, levels, rate, single, seed):
    rng = np.random.default_rng(seed)
    score, wrong = rng.integers(0, levels, n) / levels, rng.random(n) < rate
    if single:
        score = score.astype(np.float32).astype(np.float64)
    weight = rng.integers(0, 3, n).astype(np.float64) + np.eye(n)[0]
    pairs = [(i, j) for i in np.flatnonzero(wrong) for j in np.flatnonzero(~wrong)]
    lost = [(score[i] > score[j]) + (score[i] == score[j]) / 2 for i, j in pairs]
    assert Ranking.of(score, wrong).discordant_weight() == sum(lost)
    weighted = sum(weight[i] * weight[j] * each for (i, j), each in zip(pairs, lost, strict=True))
    assert Ranking.of(score, wrong, weight).discordant_weight() == weighted


def test_without_discordant_pairs_the_weight_is_exactly_zero():
    """A rounding error in its place would be taken for the variation of draws."""
    weight = np.random.default_rng(0).exponential(size=(20, 50))
    wrong = np.arange(50) < 20
    weight[:10, 25:] = 0
    weight[0, :20] = 0
    drawn = Ranking(np.arange(50.0)[::-1], weight[:, ::-1], (weight * wrong)[:, ::-1])
    assert (drawn.discordant_weight() == 0).all()


def test_groups_run_from_the_highest_score_down():
    ranking = Ranking.of(np.array([0.5, 0.9, 0.5, 0.1]), np.array([True, False, False, True]))
    assert ranking.score.tolist() == [0.9, 0.5, 0.1]
    assert ranking.weight.tolist() == [1, 2, 1]
    assert ranking.errors.tolist() == [0, 1, 1]


def test_weight_zero_is_no_sample():
    ranking = Ranking.of(np.array([0.5, 0.9]), np.array([True, True]), np.array([1.0, 0.0]))
    assert ranking.score.tolist() == [0.5]
