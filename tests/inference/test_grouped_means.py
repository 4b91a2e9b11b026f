"""Means over parts and their intervals, against loops over units and against simulated truth."""

import numpy as np
import pytest
from scipy import stats

from skconf import ConfidenceProfile
from skconf.inference._grouped_means import Means, are_counts

RNG = np.random.default_rng(0)
N = 300
VALUE, SCORE = RNG.random(N), RNG.choice(np.linspace(0, 1, 40), N)
UNIT, PART = RNG.integers(0, 60, N), RNG.integers(0, 5, N)
WEIGHT = RNG.integers(0, 4, N).astype(float)


def by_hand(rows, weight, unit):
    """Return weight, mean, squares, sizes and number of units of some rows, by a loop over units."""
    rows = [row for row in rows if weight[row] > 0]
    total = sum(weight[row] for row in rows)
    mean = sum(weight[row] * VALUE[row] for row in rows) / total
    units = {}
    for row in rows:
        units.setdefault(unit[row], []).append(row)
    squares = sum(sum(weight[row] * (VALUE[row] - mean) for row in each) ** 2 for each in units.values())
    sizes = total**2 / sum(sum(weight[row] for row in each) ** 2 for each in units.values())
    return total, mean, squares, sizes, len(units)


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("unit", [None, UNIT])
def test_sums_are_those_of_a_loop(weight, unit):
    each = np.ones(N) if weight is None else weight
    of = np.arange(N) if unit is None else unit
    found = Means.of_parts(VALUE, weight, unit, PART, 6)
    for part in range(5):
        expected = by_hand(np.flatnonzero(part == PART), each, of)
        assert [float(values[part]) for values in vars(found).values()] == pytest.approx(expected)
    assert np.isnan(found.mean[5])
    assert found.n_units[5] == 0
    down = Means.from_the_top(VALUE, weight, unit, SCORE)
    scores = sorted(set(SCORE[each > 0]), reverse=True)
    assert len(down.mean) == len(scores)
    for at, score in enumerate(scores):
        expected = by_hand(np.flatnonzero(score <= SCORE), each, of)
        assert [float(values[at]) for values in vars(down).values()] == pytest.approx(expected, rel=1e-9)


def test_right_and_wrong_answers_have_the_interval_of_their_number():
    right = (RNG.random(400) < 0.8).astype(float)
    found = Means.of_parts(right, None, None, np.zeros(400, dtype=int), 1)
    assert found.equal_samples(0.95)[0] == 400
    low, high = found.ends(0.95, bounded=True)
    exact = stats.binomtest(int(right.sum()), 400).proportion_ci(0.95, "exact")
    assert (low[0], high[0]) == pytest.approx(tuple(exact))


def test_few_units_count_as_fewer_answers():
    """By the formula of Korn and Graubard, with one more unit, as far away as possible."""
    right, unit = (RNG.random(600) < 0.7).astype(float), np.repeat(np.arange(30), 20)
    mean, error = right.mean(), right.reshape(30, 20).mean(axis=1).std(ddof=1) / np.sqrt(30)
    larger = stats.t.ppf(0.975, 29) / stats.norm.ppf(0.975)
    found = Means.of_parts(right, None, unit, np.zeros(600, dtype=int), 1).equal_samples(0.95)[0]
    assert found == pytest.approx(mean * (1 - mean) / ((larger * error) ** 2 + (mean / 30) ** 2))
    assert 30 < found < 600


def test_costs_have_that_of_a_t_test():
    cost = RNG.exponential(3, 25)
    found = Means.of_parts(cost, None, None, np.zeros(25, dtype=int), 1)
    low, high = found.ends(0.95, bounded=False)
    expected = stats.ttest_1samp(cost, 0).confidence_interval(0.95)
    assert (low[0], high[0]) == pytest.approx((max(expected.low, 0), expected.high))
    above = stats.ttest_1samp(cost, 0, alternative="greater").pvalue
    assert found.p_values_above()[0] == pytest.approx(above)
    two = Means.of_parts(np.array([1.0, 1.2]), None, None, np.zeros(2, dtype=int), 1)
    assert two.p_values_above()[0] == pytest.approx(stats.ttest_1samp([1.0, 1.2], 0, alternative="greater").pvalue)


def test_of_one_unit_nothing_is_told():
    found = Means.of_parts(np.array([1.0, 0.5]), None, np.array([3, 3]), np.array([0, 0]), 1)
    low, high = found.ends(0.95, bounded=True)
    assert (low[0], high[0]) == pytest.approx((stats.beta.ppf(0.025, 0.75, 1.25), stats.beta.ppf(0.975, 1.75, 0.25)))
    assert np.isnan(found.ends(0.95, bounded=False)).all()
    assert np.isnan(found.p_values_above()).all()
    same = Means.of_parts(np.ones(30), None, None, np.zeros(30, dtype=int), 1)
    assert same.ends(0.95, bounded=True)[0][0] == pytest.approx(stats.beta.ppf(0.025, 30, 1))


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [60, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("n_units", "of_each"), [(10, 10), (40, 5), (200, 1)])
@pytest.mark.parametrize("mean", [0.6, 0.93])
def test_intervals_hold_the_truth(n_units, of_each, mean, n_sets):
    """Right answers of a group are right together in half of the groups, graded ones have a spread of their own."""
    rng = np.random.default_rng(1)
    unit = np.repeat(np.arange(n_units), of_each)
    held = {"right or wrong": 0, "graded": 0}
    for _ in range(n_sets):
        chance = np.where(rng.random(n_units) < 0.5, rng.random(n_units) < mean, mean)[unit]
        right = (rng.random(len(unit)) < chance).astype(float)
        graded = rng.beta(3 * chance + 1e-9, 3 * (1 - chance) + 1e-9)
        for kind, values in zip(held, (right, graded), strict=True):
            low, high = Means.of_parts(values, None, unit, np.zeros(len(unit), dtype=int), 1).ends(0.95, bounded=True)
            held[kind] += bool(low[0] <= mean <= high[0])
    assert min(held.values()) >= (0.91 if n_sets == 400 else 0.88) * n_sets


def test_what_is_counted():
    assert are_counts(ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6]))
    assert not are_counts(ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6], groups=[1, 1]))
    assert not are_counts(ConfidenceProfile.from_correctness([1, 0.5], [0.5, 0.6]))
