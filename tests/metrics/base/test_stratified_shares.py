"""Shares of errors where classes count with other shares than they were drawn in: against limits and populations."""

import numpy as np
import pytest
from scipy.stats import beta, norm

from skconf.metrics._base.stratified_shares import StratifiedShares, _sum_of_shares, jeffreys


def test_of_a_single_class_are_jeffreys_limits():
    shares = StratifiedShares(
        np.array([[3.0]]), np.array([[97.0]]), np.array([100.0]), np.ones(1), *2 * [np.ones((1, 1), bool)]
    )
    low, high = shares.ends(0.95)
    limits = beta.ppf([0.025, 0.975], 3.5, 97.5)
    assert (low[0], high[0]) == pytest.approx(limits, rel=0.1)


def test_limits_of_shares_are_those_of_jeffreys():
    hits, sizes = np.array([0.0, 1.0, 17.0, 29.0, 100.0]), np.array([30.0, 40.0, 90.0, 30.0, 100.0])
    low, high = jeffreys(hits, sizes, 0.9)
    given = [beta.ppf([0.05, 0.95], k + 0.5, n - k + 0.5) for k, n in zip(hits, sizes, strict=True)]
    np.testing.assert_allclose(low, [0, *(limits[0] for limits in given[1:])])
    np.testing.assert_allclose(high, [*(limits[1] for limits in given[:-1]), 1])


def test_limits_of_a_sum_of_shares_are_squares_of_distances_apart():
    """By MOVER; what may not be does not count."""
    hits, sizes, mass = (
        np.array([[5.0], [17.0], [3.0]]),
        np.array([[30.0], [90.0], [10.0]]),
        np.array([[0.2], [0.5], [0.3]]),
    )
    low, high = jeffreys(hits, sizes, 0.9)
    value, below, above = _sum_of_shares(mass, hits, sizes, np.array([[True], [True], [False]]), 0.9)
    share = hits / sizes
    assert value[0] == pytest.approx(float((mass * share).sum()))
    for found, end in ((value - below, low), (above - value, high)):
        expected = sum((mass[k, 0] * (share[k, 0] - end[k, 0])) ** 2 for k in range(2)) ** 0.5
        assert found[0] == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.003, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("sizes", [(100, 100), (500, 500), (100, 5000), (5000, 100)])
def test_cover_errors_among_accepted_answers_and_among_those_of_a_class(sizes, share):
    rng, mass = np.random.default_rng(3), np.array([1 - share, share])
    cut = 1.0 - np.log(share / (1 - share)) / 2.6  # of a model for this share
    far = [1.0 + (np.log(t / (1 - t)) - np.log(share / (1 - share))) / 2.6 for t in (0.2, 0.8)]
    says = norm.sf([[cut], [cut]], [[0.0], [2.0]])[:, 0]
    surely = [norm.cdf(far[0], [0.0, 2.0]), norm.sf(far[1], [0.0, 2.0])]
    n = np.array(sizes)

    def covered(p_wrong, p_right, **masks):
        counts = np.array(
            [rng.multinomial(k, [w, r, 1 - w - r], 400).T for k, w, r in zip(n, p_wrong, p_right, strict=True)]
        )
        every = np.ones((2, 400), bool)
        found = StratifiedShares(
            counts[:, 0].astype(float),
            counts[:, 1].astype(float),
            n.astype(float),
            mass,
            masks.get("wrong", every),
            masks.get("right", every),
        )
        truth = mass @ p_wrong / (mass @ p_wrong + mass @ p_right)
        low, high = found.ends(0.95)
        return np.mean((low <= truth) & (truth <= high))

    accepted = covered(np.array([surely[1][0], surely[0][1]]), np.array([surely[0][0], surely[1][1]]))
    own = np.tile([[False], [True]], (1, 400))
    of_rare = covered(np.array([says[0], 0.0]), np.array([0.0, says[1]]), wrong=~own, right=own)
    assert min(accepted, of_rare) > 0.9
