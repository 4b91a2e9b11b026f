"""CWSA and CWSA+: the axioms of their paper, graded correctness, other rewards."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import cwsa_score
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, metrics


def cwsa_plus_score(y, proba, predicted, w, threshold=0.5, normalize="accepted"):
    return cwsa_score(y, proba, predicted, w, threshold, normalize, punish=False)


CASES = [
    Case("cwsa_score", {}, cwsa_score),
    Case("cwsa_score", {"threshold": 0.0, "normalize": "all"}, cwsa_score),
    Case("cwsa_plus_score", {"threshold": 0.3}, cwsa_plus_score),
    Case("cwsa_plus_score", {"normalize": "all"}, cwsa_plus_score),
    Case("cwsa_plus_score", {"threshold": 0.9, "normalize": "all"}, cwsa_plus_score),
]
TestProperties = properties_of(CASES)


correctness = ConfidenceProfile.from_correctness


# The five axioms of appendix A.2 --------------------------------------------------------------------------------------


@given(low=st.floats(0.5, 0.98), step=st.floats(1e-3, 0.5))
def test_more_confidence_in_a_right_answer_earns_more(low, step):
    high = min(low + step, 1.0)
    for metric in (metrics.cwsa_score, metrics.cwsa_plus_score):
        assert metric(correctness([1, 1], [high, 0.7])) > metric(correctness([1, 1], [low, 0.7]))


@given(low=st.floats(0.5, 0.98), step=st.floats(1e-3, 0.5))
def test_more_confidence_in_a_wrong_answer_costs_more(low, step):
    high = min(low + step, 1.0)
    assert metrics.cwsa_score(correctness([0, 1], [high, 0.7])) < metrics.cwsa_score(correctness([0, 1], [low, 0.7]))


@pytest.mark.parametrize("metric", ["cwsa_score", "cwsa_plus_score"])
@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(), threshold=st.floats(0.1, 0.9))
def test_what_is_rejected_does_not_matter(metric, outcome, threshold):
    sure = outcome.proba[np.arange(len(outcome.y)), outcome.predicted]
    right = outcome.y == outcome.predicted
    flipped = np.where(sure < threshold, ~right, right)
    values = [getattr(metrics, metric)(correctness(z, sure), threshold=threshold) for z in (right, flipped)]
    assert values[0] == values[1]


@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(), threshold=st.floats(0, 0.9))
def test_plus_lies_in_the_unit_interval_and_is_one_for_certain_successes_only(outcome, threshold):
    value = outcome.call(metrics.cwsa_plus_score, threshold=threshold)
    assert 0 <= value <= 1
    sure = outcome.proba[np.arange(len(outcome.y)), outcome.predicted]
    accepted = (sure >= threshold) & (outcome.weight > 0)
    perfect = accepted.any() and ((outcome.y == outcome.predicted) & (sure == 1))[accepted].all()
    assert (value > 1 - 1e-12) == perfect


def test_better_calibrated_confidence_scores_higher_in_the_mean():
    rng = np.random.default_rng(0)
    right = rng.random(20_000) < 0.7
    informed = np.where(right, rng.uniform(0.7, 1, 20_000), rng.uniform(0.5, 0.8, 20_000))
    for metric in (metrics.cwsa_score, metrics.cwsa_plus_score):
        assert metric(correctness(right, informed)) > metric(correctness(right, rng.permutation(informed))) + 0.02


def test_graded_correctness_takes_the_place_of_right_and_wrong():
    y, proba = ["cat", "dog", "fox"], [[0.1, 0.8, 0.1], [0.1, 0.9, 0.0], [0.6, 0.2, 0.2]]
    similarity = [[1, 0.25, 0], [0.5, 1, 0], [0, 0, 1]]  # predicted by rows, true by columns
    # dog for cat: κ = .5 at c = .8; dog: 1 at .9; cat for fox: 0 at .6.
    phi = (np.array([0.8, 0.9, 0.6]) - 0.5) / 0.5
    value = metrics.cwsa_score(y, proba, similarity=similarity)
    assert value == pytest.approx(np.mean(phi * (2 * np.array([0.5, 1, 0]) - 1)))
    assert metrics.cwsa_plus_score(y, proba, similarity=similarity) == pytest.approx(np.mean(phi * [0.5, 1, 0]))


@settings(max_examples=30, deadline=None)
@given(outcome=outcomes())
def test_the_identity_is_plain_correctness(outcome):
    same = np.eye(outcome.proba.shape[1])
    assert outcome.call(metrics.cwsa_score, similarity=same) == outcome.call(metrics.cwsa_score)


def test_another_reward_of_confidence():
    profile = correctness([1, 0, 1], [0.9, 0.8, 0.4])
    value = metrics.cwsa_score(profile, threshold=0.5, phi=lambda c: c**2)
    assert value == pytest.approx((0.9**2 - 0.8**2) / 2)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"phi": 2}, "phi must be a function"),
        (
            {"phi": lambda c: c[:1]},
            r"one finite number for every confidence, but returned shape \(1,\) for 3 confidences",
        ),
        ({"phi": lambda c: c / 0}, r"one finite number for every confidence, but returned inf for 0\.8"),
        (
            {"phi": lambda c: np.where(c == c.max(), np.nan, c)},
            "phi must return one finite number for every confidence",
        ),
        ({"similarity": [[1, 0]]}, r"similarity must have shape \(n_classes, n_classes\)"),
        ({"similarity": [[1, 2], [0, 1]]}, r"similarity must hold values in \[0, 1\], but holds 2\."),
        ({"similarity": np.eye(3)}, "similarity is for 3 classes, but there are 2"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_bad_variants_are_refused(params, message):
    with pytest.raises((TypeError, ValueError), match=message):
        metrics.cwsa_score([0, 1, 1], [0.2, 0.7, 0.8], **params)


def test_nothing_accepted_earns_nothing():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    for threshold in (0.9, math.inf):
        assert metrics.cwsa_score(profile, threshold=threshold) == 0
        assert metrics.cwsa_plus_score(profile, threshold=threshold) == 0
        assert metrics.coverage_score(profile, threshold=threshold) == 0


def test_cwsa_refuses_another_score():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6], score=[0.9, 0.1])
    assert metrics.coverage_score(profile, threshold=0.8) == 0.5
    with pytest.raises(ValueError, match="selected by another score"):
        metrics.cwsa_score(profile)
