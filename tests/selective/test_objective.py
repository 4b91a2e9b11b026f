"""Every objective beside its definition, by a loop over thresholds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, metrics
from skconf.selective._objective import Objective


def choose(sample, name="risk", **params):
    """Return what an objective chooses of scores, true and predicted classes, and weights."""
    score, truth, predicted, weight = sample
    profile = ConfidenceProfile(
        correctness=truth == predicted,
        confidence=score,
        score=score,
        sample_weight=weight,
        true_class=truth,
        predicted_class=predicted,
    )
    return Objective(name, **params).choose(profile)


COSTS = [[0, 1, 4], [2, 0, 1], [1, 8, 0.5]]


@st.composite
def scored(draw, weights=(None, "whole", "any")):
    """Draw scores with ties and certainty, true and predicted classes, and weights."""
    n = draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = draw(st.sampled_from([2, 10, 1000]))
    score = rng.integers(0, steps + 1, n) / steps
    predicted = rng.integers(0, 3, n)
    truth = np.where(rng.random(n) < draw(st.sampled_from([0.2, 0.7, 1.0])), predicted, rng.integers(0, 3, n))
    kind = draw(st.sampled_from(weights))
    weight = {None: None, "whole": rng.integers(0, 4, n).astype(float), "any": rng.exponential(1, n).round(3)}[kind]
    if weight is not None:
        weight[rng.integers(0, n)] += 1
    return score, truth, predicted, weight


def exactly(value):
    """Return a number as the fraction that its decimal digits say."""
    return Fraction(repr(float(value)))


def tally(sample, threshold, costs=None):
    """Return the weights of accepted, wrong and all samples, added up as fractions; wrong ones cost what they cost."""
    score, truth, predicted, weight = sample
    accepted = wrong = total = Fraction(0)
    for i in range(len(score)):
        w = Fraction(1) if weight is None else exactly(weight[i])
        total += w
        if score[i] >= threshold:
            accepted += w
            wrong += w * (int(truth[i] != predicted[i]) if costs is None else exactly(costs[truth[i]][predicted[i]]))
    return accepted, wrong, total


def value_of(sample, threshold, params):
    """Return what a threshold is worth by definition; None where it does not qualify."""
    accepted, wrong, total = tally(sample, threshold)
    target = exactly(params.get("target", 0.05))
    if params["name"] == "risk":
        return accepted / total if wrong <= target * accepted else None
    if params["name"] == "coverage":
        return -accepted / total if accepted >= target * total else None
    if params["name"] == "cost":
        _, lost, _ = tally(sample, threshold, params.get("cost_matrix"))
        return -(lost + exactly(params["reject_cost"]) * (total - accepted)) / total
    return None if accepted == 0 else accepted / total - 2 * wrong / accepted  # a function, below


def answered_less_twice_the_errors(curve):
    return curve.coverage - 2 * curve.risk


OBJECTIVES = {
    "risk": {"name": "risk", "target": 0.2},
    "no risk": {"name": "risk", "target": 0.0},
    "coverage": {"name": "coverage", "target": 0.7},
    "all": {"name": "coverage", "target": 1.0},
    "cost": {"name": "cost", "reject_cost": 0.1},
    "cost matrix": {"name": "cost", "reject_cost": 0.3, "cost_matrix": COSTS},
    "function": {"name": answered_less_twice_the_errors},
}


@pytest.mark.parametrize("params", list(OBJECTIVES.values()), ids=list(OBJECTIVES))
@settings(max_examples=60, deadline=None)
@given(sample=scored(), thresholds=st.none() | st.lists(st.sampled_from([0, 0.25, 0.5, 0.8, 1.0]), min_size=1))
def test_the_best_threshold_is_that_of_a_loop_over_all(params, sample, thresholds):
    score, *_, weight = sample
    counted = score if weight is None else score[weight > 0]
    candidates = sorted(set(counted if thresholds is None else thresholds), reverse=True)
    worth = {threshold: value_of(sample, threshold, params) for threshold in candidates}
    rejected = value_of(sample, math.inf, params)
    best = max((value for value in [rejected, *worth.values()] if value is not None), default=None)
    winners = [threshold for threshold in candidates if worth[threshold] is not None and worth[threshold] == best]
    choice = choose(sample, **params, thresholds=thresholds)
    accepted, wrong, total = tally(sample, winners[-1] if winners else math.inf)
    assert choice.feasible == (accepted > 0)
    assert choice.coverage == pytest.approx(float(accepted / total))
    if accepted == 0:
        assert choice.threshold == math.inf
        assert math.isnan(choice.risk)
    else:
        assert choice.threshold == (0 if accepted == total else winners[-1])
        assert choice.risk == pytest.approx(float(wrong / accepted), abs=1e-12)
    assert math.isnan(choice.risk_upper_bound)


@pytest.mark.parametrize("name", ["cwsa", "cwsa_plus"])
@settings(max_examples=100, deadline=None)
@given(sample=scored(), thresholds=st.none() | st.lists(st.sampled_from([0, 0.25, 0.5, 0.8, 1.0]), min_size=1))
def test_the_best_threshold_for_a_metric_is_where_its_function_is_largest(name, sample, thresholds):
    score, truth, predicted, weight = sample
    profile = ConfidenceProfile.from_correctness(truth == predicted, score, sample_weight=weight)
    choice = choose(sample, name, thresholds=thresholds)
    listed = choice.results["threshold"]
    values = [getattr(metrics, f"{name}_score")(profile, threshold=threshold) for threshold in listed]
    np.testing.assert_allclose(choice.results["objective"], values, atol=1e-12)
    assert getattr(metrics, f"{name}_score")(profile, threshold=choice.threshold) == pytest.approx(
        max(values), abs=1e-9
    )
    assert metrics.coverage_score(profile, threshold=choice.threshold) == pytest.approx(choice.coverage)
    counted = score if weight is None else score[weight > 0]
    assert len(listed) == 1 + len(set(counted if thresholds is None else thresholds))


def test_thresholds_that_cost_the_same_up_to_rounding_are_alike():
    score = np.repeat([0.9, 0.1], [10, 33])
    wrong = np.repeat([1, 0, 1], [1, 9, 33])  # to accept the first ten costs 1 + 33 · 0.1, to accept none 43 · 0.1
    choice = choose((score, wrong, np.zeros(43, dtype=int), None), "cost", reject_cost=0.1)
    assert (choice.threshold, choice.feasible) == (0.9, True)


EVERY = [*OBJECTIVES.values(), {"name": "cwsa"}, {"name": "cwsa_plus"}]


def assert_same_choice(one, other):
    assert one.threshold == other.threshold
    found = [[choice.coverage, choice.risk, choice.feasible] for choice in (one, other)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    sample=scored(), params=st.sampled_from([*EVERY, {"target": 0.3, "confidence_level": 0.6}]), seed=st.integers(0, 99)
)
def test_the_order_of_rows_changes_nothing(sample, params, seed):
    order = np.random.default_rng(seed).permutation(len(sample[0]))
    shuffled = [None if column is None else column[order] for column in sample]
    assert_same_choice(choose(sample, **params), choose(shuffled, **params))


@settings(max_examples=100, deadline=None)
@given(sample=scored(weights=("whole",)), params=st.sampled_from(EVERY))
def test_a_sample_of_weight_two_is_two_samples(sample, params):
    *columns, weight = sample
    repeated = [np.repeat(column, weight.astype(int)) for column in columns]
    assert_same_choice(choose(sample, **params), choose([*repeated, None], **params))
