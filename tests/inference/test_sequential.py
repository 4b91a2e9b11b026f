"""P-values of size ratios: bounded without draws, and by draws whose number a rule decides beforehand."""

import numpy as np
import pytest
from scipy.stats import binom

from skconf.inference._sequential import chernoff_bound, most_draws, size_ratio_p_value


def test_chernoffs_bound_is_above_the_exact_tail_and_near_it():
    for n, k in [(20, 20), (20, 12), (200, 45), (1000, 180)]:
        exact = binom.sf(k - 1, n, 0.1)
        bound = chernoff_bound(np.full(n, 10.0), 10.0 * k)
        assert exact <= bound <= 30 * exact, (n, k)
    assert chernoff_bound(np.full(20, 10.0), 200.0) == pytest.approx(1e-20)
    assert chernoff_bound(np.full(20, 10.0), 20.0) == 1


def test_chernoffs_bound_of_unequal_sizes_is_the_smallest_of_all_exponents():
    rng = np.random.default_rng(0)
    size = 1 / (1 - np.clip(rng.beta(8, 1, 300), 0, 1 - 1e-8))
    observed = float(size @ (rng.random(300) < 3 / size)) + 500
    t = np.logspace(-9, 1, 4001)[:, np.newaxis]
    with np.errstate(over="ignore"):
        exponents = np.log(1 - 1 / size + np.exp(np.minimum(t * size, 700)) / size).sum(axis=1) - t[:, 0] * observed
    assert np.log(chernoff_bound(size, observed)) == pytest.approx(exponents.min(), abs=1e-3)
    assert chernoff_bound(np.array([1e8, 2.0]), 1e8) == pytest.approx(1e-8, rel=2)


def test_the_rule_depends_on_the_number_of_tests_alone():
    assert most_draws(600, 0.05) == 240_000
    assert most_draws(1, 0.05) == 9999


def test_sequential_p_values_keep_their_level():
    """P(p <= a) <= a, of sets of 60 calibrated answers."""
    rng, draws = np.random.default_rng(0), np.random.default_rng(1)
    found = []
    for _ in range(2000):
        size = 1 / (1 - rng.uniform(0.5, 0.98, 60))
        observed = size @ (rng.random(60) < 1 / size)
        found.append(size_ratio_p_value(size, observed, 2000, draws))
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(found) <= level) <= level + 4 * np.sqrt(level / 2000)
    assert np.mean(np.array(found) <= 0.2) > 0.15


def test_sequential_p_values_agree_with_the_exact_tail():
    """Of 100 at .9: the number of errors is binomial."""
    size = np.full(100, 10.0)
    for k in (10, 14, 18):
        found = size_ratio_p_value(size, 10.0 * k, 100_000, np.random.default_rng(k))
        assert found == pytest.approx(binom.sf(k - 1, 100, 0.1), rel=0.8)
    assert size_ratio_p_value(size, 0.0, 1000, np.random.default_rng(0)) == 1
