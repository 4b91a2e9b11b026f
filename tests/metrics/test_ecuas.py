"""ECUAS and the fixed reject cost: any cost, any weight, propriety."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._ecuas.costs import least_favourable_probabilities

FRAUD = [[0.0, 1.0, 0.3], [10.0, 0.0, 2.0]]  # two classes, three decisions


def simplex(n_classes, n, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.7), n)


def expected_loss(metric, truth, stated):
    """Expected cost of stating probabilities where others are true: the mean over labels drawn from the truth."""
    n_classes = len(truth)
    return sum(
        truth[k] * metric(ConfidenceProfile.from_predictions([k], [stated], labels=np.arange(n_classes)))
        for k in range(n_classes)
    )


METRICS = {
    "n=0": get_metric("ecuas_loss", n=0),
    "n=1": get_metric("ecuas_loss", n=1),
    "n=3.5": get_metric("ecuas_loss", n=3.5),
    "costs": get_metric("ecuas_loss", n=1, cost_matrix=[[0, 1, 4], [2, 0, 1], [5, 3, 0]]),
    "decisions": get_metric("ecuas_loss", n=0, cost_matrix=[[0, 1], [2, 0], [1, 1]]),
    "log": get_metric("ecuas_loss", n=1, cost_matrix="log"),
    "log n=0": get_metric("ecuas_loss", n=0, cost_matrix="log"),
    "weight": get_metric("ecuas_loss", weight=lambda gamma: 1 + np.sin(9 * gamma) ** 2),
    "reject": get_metric("reject_cost_loss", reject_cost=0.3),
    "reject costs": get_metric("reject_cost_loss", reject_cost=1.1, cost_matrix=[[0, 1, 4], [2, 0, 1], [5, 3, 0]]),
}


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sharp=st.sampled_from([0.2, 1.0, 5.0]))
def test_no_statement_costs_less_than_the_truth(name, seed, sharp):
    """A proper scoring rule, which is what the paper derives the family from."""
    truth, stated = np.random.default_rng(seed).dirichlet(np.full(3, sharp), 2)
    metric = METRICS[name]
    assert expected_loss(metric, truth, truth) <= expected_loss(metric, truth, stated) + 1e-9


@pytest.mark.parametrize("costs", [FRAUD, [[0, 1], [1, 0]], [[0, 1, 4], [2, 0, 1], [5, 3, 0]], [[3], [1]]])
def test_largest_uncertainty_is_that_of_the_finest_search(costs):
    costs = np.array(costs, dtype=float)
    largest = get_metric("ecuas_loss", cost_matrix=costs).largest_uncertainty(len(costs))
    found = (simplex(len(costs), 200_000) @ costs).min(axis=1).max()
    assert found <= largest + 1e-12
    assert found == pytest.approx(largest, rel=5e-3)
    assert (least_favourable_probabilities(costs) @ costs).min() == pytest.approx(largest)


@pytest.mark.parametrize("n", [0, 0.3, 1, 128])
@pytest.mark.parametrize("costs", [FRAUD, [[0, 1, 4], [2, 0, 1], [5, 3, 0]]])
def test_least_favourable_probabilities_cost_one(n, costs):
    worst = least_favourable_probabilities(costs)
    labels = np.arange(len(costs))
    # The mean over labels drawn from the stated probabilities; each single label may cost more or less.
    value = sum(
        p * metrics.ecuas_loss([k], [worst], labels=labels, n=n, cost_matrix=costs) for k, p in enumerate(worst)
    )
    assert value == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_uniform_probabilities_cost_one_under_the_logarithmic_cost(n):
    for n_classes in (2, 5):
        proba, y = np.full((n_classes, n_classes), 1 / n_classes), np.arange(n_classes)
        assert metrics.ecuas_loss(y, proba, n=n, cost_matrix="log") == pytest.approx(1)


def test_zero_one_costs_may_be_written_as_a_matrix():
    proba = simplex(4, 200)
    y = np.random.default_rng(1).integers(0, 4, 200)
    for n in (0, 1, 2.5):
        for normalize in (False, True):
            given = {"n": n, "normalize": normalize}
            matrix = metrics.ecuas_loss(y, proba, cost_matrix=1 - np.eye(4), **given)
            assert matrix == pytest.approx(metrics.ecuas_loss(y, proba, **given), rel=1e-12)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2.5])
def test_general_costs_follow_the_definition(n, normalize):
    costs, proba = np.array(FRAUD), simplex(2, 50, seed=3)
    y = np.random.default_rng(2).integers(0, 2, 50)
    largest = get_metric("ecuas_loss", cost_matrix=costs).largest_uncertainty(2)

    def cost(p, label):
        decision = min(range(3), key=lambda d: sum(p[k] * costs[k, d] for k in range(2)))
        u, c = sum(p[k] * costs[k, decision] for k in range(2)), costs[label, decision]
        r = u / largest
        if n == 0:
            return r - math.log(r) * c / largest
        return r ** (n + 1) + (n + 1) / n * (1 - r**n) * c / largest

    expected = np.mean([cost(p, label) for p, label in zip(proba, y, strict=True)])
    if normalize:
        priors = np.bincount(y) / len(y)
        expected /= np.mean([cost(priors, label) for label in y])
    assert metrics.ecuas_loss(y, proba, n=n, cost_matrix=costs, normalize=normalize) == pytest.approx(expected)


def test_a_given_prediction_is_the_decision():
    costs, y, proba = [[0, 1], [10, 0]], [0, 1], [[0.8, 0.2], [0.4, 0.6]]
    # Expected costs are 2 and .8, 6 and .4: the best decision is 1 for both.
    best = metrics.ecuas_loss(y, proba, n=1, cost_matrix=costs)
    assert best == pytest.approx(metrics.ecuas_loss(y, proba, n=1, cost_matrix=costs, y_pred=[1, 1]))
    with pytest.warns(UserWarning, match="less certain than any best guess"):
        assert metrics.ecuas_loss(y, proba, n=1, cost_matrix=costs, y_pred=[0, 1]) != pytest.approx(best)
    with pytest.raises(ValueError, match=r"a predicted class is no decision\. Leave y_pred out"):
        metrics.ecuas_loss(y, proba, cost_matrix=FRAUD, y_pred=[0, 1])


@pytest.mark.parametrize("n", [0, 0.5, 1, 4])
@pytest.mark.parametrize("costs", [None, FRAUD, "log"])
def test_the_weight_of_the_family_gives_the_family(n, costs):
    proba = simplex(2, 300).clip(1e-3, 1 - 1e-3)
    if n in (0, 1, 4):  # no quadrature is exact near 0 for a weight that is infinite there; for n = 0, eps is the end
        proba = np.vstack([proba, [[0.5, 0.5], [1.0, 0.0], [1 - 1e-9, 1e-9]]])
    y = np.random.default_rng(1).integers(0, 2, len(proba))
    largest = get_metric("ecuas_loss", cost_matrix=costs).largest_uncertainty(2)

    def weight(gamma):
        return (n + 1) / largest ** (n + 1) * gamma ** (n - 1)

    expected = metrics.ecuas_loss(y, proba, n=n, cost_matrix=costs)
    assert metrics.ecuas_loss(y, proba, weight=weight, cost_matrix=costs) == pytest.approx(expected, rel=1e-7)


def test_any_weight_is_integrated():
    def weight(gamma):
        return np.exp(-3 * gamma) + np.sin(20 * gamma) ** 2

    y, sure = [1, 0], [0.7, 0.9]
    expected = []
    for c, wrong in ((0.7, 0), (0.9, 1)):
        u = 1 - c
        rejected = quad(lambda g: g * weight(g), 0, u)[0]
        expected.append(rejected + wrong * quad(weight, u, 0.5)[0])
    value = metrics.ecuas_loss(y, sure, weight=weight)
    assert value == pytest.approx(np.mean(expected), rel=1e-9)


def test_mean_over_reject_costs_is_the_weighted_cost():
    """Equation (8): ECUAS is the reject-cost loss averaged over its weight."""
    proba, y = simplex(3, 40), np.random.default_rng(1).integers(0, 3, 40)
    gammas = (np.arange(20_000) + 0.5) / 20_000 * (2 / 3)
    per_cost = [metrics.reject_cost_loss(y, proba, reject_cost=g) for g in gammas[::20]]
    density = 2 / (2 / 3) ** 2  # of n = 1
    assert np.mean(per_cost) * density * (2 / 3) == pytest.approx(metrics.ecuas_loss(y, proba, n=1), rel=5e-3)


def test_reject_cost_splits_into_risk_and_coverage():
    """Equation (2): E[C_γ] = R φ + γ (1 − φ), with R the selective risk and φ the coverage."""
    profile = ConfidenceProfile.from_predictions(np.random.default_rng(1).integers(0, 3, 300), simplex(3, 300))
    for gamma in (0.05, 0.2, 0.5):
        coverage = metrics.coverage_score(profile, threshold=1 - gamma)
        risk = metrics.selective_risk_loss(profile, threshold=1 - gamma)
        expected = risk * coverage + gamma * (1 - coverage)
        assert metrics.reject_cost_loss(profile, reject_cost=gamma) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"cost_matrix": "quadratic"}, "cost_matrix must be a matrix, 'log' or None"),
        ({"cost_matrix": [1, 2]}, r"must have shape \(n_classes, n_decisions\)"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "finite costs, 0 or greater"),
        ({"cost_matrix": [[0, 1], [0, 1]]}, "costs nothing under any class"),
        ({"weight": 3}, "weight must be a function"),
        ({"cost_matrix": np.ones((3, 3)) - np.eye(3)}, "cost_matrix has 3 rows, but there are 2 classes"),
        ({"weight": lambda gamma: -gamma}, "non-negative number for every cost of a rejection"),
    ],
)
def test_bad_cost_is_refused(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        metrics.ecuas_loss([0, 1], [0.2, 0.7], **params)


def test_costs_of_classes_refuse_a_profile_without_them():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    with pytest.raises(ValueError, match=r"needs the probabilities of all classes.*from_predictions"):
        metrics.ecuas_loss(profile, cost_matrix="log")


def test_one_class_has_no_uncertainty():
    with pytest.raises(ValueError, match="needs at least two classes"):
        metrics.ecuas_loss(["a", "a"], [[1.0], [1.0]])
