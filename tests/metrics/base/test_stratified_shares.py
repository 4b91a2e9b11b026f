"""Shares of errors where classes count with other shares than they were drawn in: against limits and populations."""

import numpy as np
import pytest
from scipy.stats import beta, norm

from skconf.metrics._base.stratified_shares import StratifiedShares


def test_of_a_single_class_are_jeffreys_limits():
    shares = StratifiedShares(
        np.array([[3.0]]), np.array([[97.0]]), np.array([100.0]), np.ones(1), *2 * [np.ones((1, 1), bool)]
    )
    low, high = shares.ends(0.95)
    limits = beta.ppf([0.025, 0.975], 3.5, 97.5)
    assert (low[0], high[0]) == pytest.approx(limits, rel=0.1)


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
