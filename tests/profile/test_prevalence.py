"""Profiles at another prevalence, against sums by class and sets that have the shares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile
from skconf.metrics import confidence_brier_loss, cw_recall_score, selective_risk_loss


def task(seed, n_classes=3, n=60, weight=False):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), rng.integers(n_classes, size=n - n_classes))
    proba = rng.dirichlet(np.ones(n_classes), size=n)
    return y, proba, rng.random(n) + 0.1 if weight else None


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 999), st.booleans(), st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
def test_classes_have_the_shares_and_weights_count_within_them(seed, weighted, parts):
    y, proba, weight = task(seed, weight=weighted)
    shares = np.array(parts) / sum(parts)
    profile = ConfidenceProfile.from_predictions(y, proba, sample_weight=weight)
    there = profile.at_prevalence(dict(enumerate(shares.tolist())))
    given_weight = np.ones(len(y)) if weight is None else weight
    wrong, loss = proba.argmax(axis=1) != y, 0.0
    for k in range(3):
        mine = y == k
        assert there.sample_weight[mine].sum() / there.sample_weight.sum() == pytest.approx(shares[k])
        ratio = there.sample_weight[mine] / given_weight[mine]
        np.testing.assert_allclose(ratio, ratio[0])
        loss += shares[k] * np.average(wrong[mine], weights=given_weight[mine])
    assert selective_risk_loss(there, threshold=0.0) == pytest.approx(loss)
    again = there.at_prevalence(dict(enumerate(shares[::-1].tolist())))
    np.testing.assert_allclose(
        again.sample_weight, profile.at_prevalence(dict(enumerate(shares[::-1].tolist()))).sample_weight
    )


def test_values_are_those_of_rows_with_these_shares():
    y, proba, _ = task(0, n_classes=2)
    rows = np.concatenate([np.repeat(np.flatnonzero(y == k), times) for k, times in ((0, 9), (1, 1))])
    share = (y[rows] == 1).mean()
    there = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: share})
    repeated = ConfidenceProfile.from_predictions(y[rows], proba[rows])
    assert confidence_brier_loss(there) == pytest.approx(confidence_brier_loss(repeated))
    assert cw_recall_score(there) == pytest.approx(cw_recall_score(ConfidenceProfile.from_predictions(y, proba)))


def test_rows_keep_their_stratum_and_other_weights_end_it():
    y, proba, _ = task(0, n_classes=2)
    there = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.01})
    assert there.prevalence == pytest.approx((0.99, 0.01))
    assert there[10:20].strata.tolist() == y[10:20].tolist()
    assert there.with_weight(None).strata is None
    assert there.with_weight(None).prevalence is None


def test_what_has_no_classes_or_no_rows_of_one_is_refused():
    with pytest.raises(ValueError, match="from_predictions"):
        ConfidenceProfile.from_correctness([1, 0], [0.9, 0.8]).at_prevalence({1: 0.1})
    one = ConfidenceProfile.from_predictions([0, 0], [0.1, 0.6], labels=[0, 1])
    with pytest.raises(ValueError, match=r"\[1\]"):
        one.at_prevalence({1: 0.1})
    with pytest.raises(ValueError, match="Did you mean"):
        ConfidenceProfile.from_predictions(["ham", "spam"], [0.1, 0.6]).at_prevalence({"spma": 0.1})
