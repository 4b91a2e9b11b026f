"""The number of errors among answers of known chances: its exact distribution."""

import numpy as np
import pytest
from scipy.stats import binom

from skconf.inference._poisson_binomial import ErrorCount


def convolved(chance):
    """Return the probabilities of 0, 1, … errors, one answer after the other."""
    found = np.ones(1)
    for p in chance:
        found = np.append(found, 0) * (1 - p) + np.append(0, found) * p
    return found


@pytest.mark.parametrize("low", [0.0, 0.4])
@pytest.mark.parametrize("n", [1, 4, 60, 700])
def test_is_that_of_answers_one_after_the_other(n, low):
    chance = np.random.default_rng(n).uniform(low, low + 0.6, n)
    probability, null = convolved(chance), ErrorCount(chance, np.ones(n))
    errors = np.arange(n + 1)
    np.testing.assert_allclose(null.at_most(errors), probability.cumsum(), atol=1e-12)
    np.testing.assert_allclose(null.at_least(errors), probability[::-1].cumsum()[::-1], atol=1e-12)
    expected = 2 * np.minimum(null.at_most(errors), null.at_least(errors))
    np.testing.assert_allclose(null.two_sided(errors), np.minimum(expected, 1))


def test_of_equal_chances_is_binomial_however_many():
    null = ErrorCount(np.array([0.1]), np.array([1e6]))
    errors = np.arange(98_000, 102_000, 50)
    np.testing.assert_allclose(null.at_least(errors), binom.sf(errors - 1, 10**6, 0.1), atol=1e-9)
    rare = ErrorCount(np.array([1e-6, 0.5]), np.array([1e6, 3.0]))
    assert rare.at_least(0) == 1
    assert rare.at_most(0) == pytest.approx(binom.pmf(0, 10**6, 1e-6) / 8)


def test_beyond_all_that_is_probable():
    null = ErrorCount(np.full(10_000, 0.2), np.ones(10_000))
    assert (null.at_least([0, 10_000]) == [1, 0]).all()
    assert (null.at_most([0, 10_000]) == [0, 1]).all()
    assert null.at_least(2120) == pytest.approx(binom.sf(2119, 10_000, 0.2))


def test_certain_answers():
    null = ErrorCount(np.array([0.0, 1.0, 0.5]), np.array([5.0, 2.0, 1.0]))
    np.testing.assert_allclose(null.at_least([2, 3, 4]), [1, 0.5, 0], atol=1e-15)
