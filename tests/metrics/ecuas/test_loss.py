"""ECUAS and the fixed reject cost: any cost, any weight, propriety."""

import itertools
import math
import warnings

import numpy as np
import pytest
from _support.metrics.properties import (
    Case,
    assert_blocks_do_not_show,
    assert_influence_is_the_derivative,
    drawn_profile,
    properties_of,
)
from _support.metrics.strategies import outcomes
from _support.metrics.twins import confidences
from _support.predictions import draw_proba
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._ecuas.costs import least_favourable_probabilities

pytestmark = pytest.mark.filterwarnings("ignore:Some answers have a higher expected cost")


def ecuas_cost(u, error, largest, n, eps=1e-7):
    if u > largest:
        return 1.0
    if n == 0:
        return u / largest - math.log(max(u, eps) / largest) * error / largest
    r = u / largest
    return r ** (n + 1) + (n + 1) / n * (1 - r**n) * error / largest


def ecuas_loss(y, proba, predicted, w, n=0, normalize=False, eps=1e-7):
    k = proba.shape[1]
    largest = 1 - 1 / k
    c = confidences(proba, predicted)
    total = sum(w[i] * ecuas_cost(1 - c[i], y[i] != predicted[i], largest, n, eps) for i in range(len(y)))
    if not normalize:
        return total / sum(w)
    priors = [sum(w[i] for i in range(len(y)) if y[i] == j) / sum(w) for j in range(k)]
    naive = priors.index(max(priors))
    cost = sum(
        w[i] * ecuas_cost(1 - max(priors), y[i] != naive, max(largest, 1 - max(priors)), n, eps) for i in range(len(y))
    )
    return total / cost


def reject_cost_loss(y, proba, predicted, w, reject_cost=0.1):
    total = 0.0
    for i, c in enumerate(confidences(proba, predicted)):
        total += w[i] * (reject_cost if 1 - c > reject_cost else float(y[i] != predicted[i]))
    return total / sum(w)


CASES = [
    Case("ecuas_loss", {}, ecuas_loss),
    Case("ecuas_loss", {"n": 1}, ecuas_loss),
    Case("ecuas_loss", {"n": 2}, ecuas_loss),
    Case("ecuas_loss", {"n": 0.25}, ecuas_loss),
    Case("ecuas_loss", {"n": 128}, ecuas_loss),
    Case("ecuas_loss", {"n": 0, "eps": 1e-3}, ecuas_loss),
    Case("reject_cost_loss", {}, reject_cost_loss),
    Case("reject_cost_loss", {"reject_cost": 0.4}, reject_cost_loss),
]
TestProperties = properties_of(CASES)


@pytest.mark.parametrize("n", [0, 1, 7.5])
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(given_prediction=False))
def test_normalised_ecuas_agrees_with_its_definition(n, outcome):
    outcome.weight = np.maximum(outcome.weight, 0.1)
    if len(np.unique(outcome.y)) == 1:
        with pytest.raises(ValueError, match="single class"):
            outcome.call(metrics.ecuas_loss, n=n, normalize=True)
        return
    expected = ecuas_loss(outcome.y, outcome.proba, outcome.predicted, outcome.weight, n, normalize=True)
    np.testing.assert_allclose(outcome.call(metrics.ecuas_loss, n=n, normalize=True), expected, rtol=1e-12)


COSTS = [[0, 1, 4, 2], [2, 0, 1, 5], [5, 3, 0, 1], [1, 1, 6, 0]]


OF_FOUR_CLASSES = [
    {"n": 1, "normalize": True, "cost_matrix": COSTS},
    {"n": 0, "cost_matrix": "log", "normalize": True},
    {"weight": lambda gamma: 1 + gamma, "normalize": True},
]


@pytest.mark.parametrize("params", OF_FOUR_CLASSES)
def test_influence_of_general_costs_is_the_derivative(params):
    assert_influence_is_the_derivative(get_metric("ecuas_loss", **params), drawn_profile(40))


@pytest.mark.parametrize("params", OF_FOUR_CLASSES)
def test_blocks_of_general_costs_do_not_show(params, monkeypatch):
    assert_blocks_do_not_show(get_metric("ecuas_loss", **params), drawn_profile(1000), monkeypatch)


@pytest.mark.parametrize("n", [0, 0.5, 1, 3, 128, 10_000])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_uniform_probabilities_cost_one_for_every_n(n, n_classes):
    y, proba = np.arange(n_classes), np.full((n_classes, n_classes), 1 / n_classes)
    assert metrics.ecuas_loss(y, proba, n=n) == pytest.approx(1, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(max_classes=2, given_prediction=False))
def test_normalised_ecuas_1_of_two_classes_is_the_normalised_brier_score(outcome):
    if len(np.unique(outcome.y[outcome.weight > 0])) < 2:
        return
    prior = np.average(outcome.y, weights=outcome.weight)
    brier = np.average((outcome.proba[:, 1] - outcome.y) ** 2, weights=outcome.weight)
    expected = brier / (prior * (1 - prior))
    assert outcome.call(metrics.ecuas_loss, n=1, normalize=True) == pytest.approx(expected, rel=1e-9)


def test_ecuas_reads_a_profile_without_classes_as_one_of_infinitely_many():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.75, 0.5])
    # r = u: right at u = 1/4 costs u², wrong at u = 1/2 costs u² + 2(1 − u), halved by the mean.
    assert metrics.ecuas_loss(profile, n=1) == pytest.approx((0.25**2 + 0.5**2 + 2 * 0.5) / 2)


def test_ecuas_warns_once_of_answers_below_the_best_guess():
    with pytest.warns(UserWarning, match="a higher expected cost than u_M") as caught:
        value = metrics.ecuas_loss([0, 1], [0.1, 0.9], y_pred=[1, 1], n=1)
    assert len(caught) == 1
    assert value == pytest.approx((1 + (0.1 / 0.5) ** 2) / 2)


# Any cost and any weight ----------------------------------------------------------------------------------------------


FRAUD = [[0.0, 1.0, 0.3], [10.0, 0.0, 2.0]]  # two classes, three decisions


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
    found = (draw_proba(200_000, len(costs), concentration=0.7) @ costs).min(axis=1).max()
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
    proba = draw_proba(200, 4)
    y = np.random.default_rng(1).integers(0, 4, 200)
    for n in (0, 1, 2.5):
        for normalize in (False, True):
            given = {"n": n, "normalize": normalize}
            matrix = metrics.ecuas_loss(y, proba, cost_matrix=1 - np.eye(4), **given)
            assert matrix == pytest.approx(metrics.ecuas_loss(y, proba, **given), rel=1e-12)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2.5])
def test_general_costs_follow_the_definition(n, normalize):
    costs, proba = np.array(FRAUD), draw_proba(50, 2, seed=3)
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
    with pytest.warns(UserWarning, match="a higher expected cost than u_M"):
        assert metrics.ecuas_loss(y, proba, n=1, cost_matrix=costs, y_pred=[0, 1]) != pytest.approx(best)
    # Decisions of least cost warn at other costs. The advice of the warning ends it.
    with pytest.warns(UserWarning, match=r"answers were chosen by other costs, .* pass these costs as the cost_matrix"):
        metrics.ecuas_loss(y, proba, n=1, y_pred=[1, 1])
    with pytest.raises(ValueError, match=r"a predicted class is not a decision\. Leave y_pred out"):
        metrics.ecuas_loss(y, proba, cost_matrix=FRAUD, y_pred=[0, 1])


@pytest.mark.parametrize("n", [0, 0.5, 1, 4])
@pytest.mark.parametrize("costs", [None, FRAUD, "log"])
def test_the_weight_of_the_family_gives_the_family(n, costs):
    proba = draw_proba(300, 2).clip(1e-3, 1 - 1e-3)
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


@pytest.mark.parametrize("weight", [lambda gamma: 5.0 + 0 * gamma, lambda gamma: np.exp(-3 * gamma)])
def test_above_the_largest_uncertainty_the_loss_of_any_weight_does_not_jump(weight):
    """Such an answer is rejected at every cost of a rejection up to u_M, so it costs the integral of γ w(γ)."""
    expected = quad(lambda g: g * weight(g), 0, 0.5)[0]
    at, above = ([[p, 1 - p]] for p in (0.5, 0.4))
    for y in (0, 1):
        for proba in (at, above):  # confidence .4 in a given answer: its uncertainty is .6, and u_M is 1/2
            value = metrics.ecuas_loss([y], proba, y_pred=[0], labels=[0, 1], weight=weight)
            assert value == pytest.approx(expected, rel=1e-9)


def test_mean_over_reject_costs_is_the_weighted_cost():
    """Equation (8): ECUAS is the reject-cost loss averaged over its weight."""
    proba, y = draw_proba(40), np.random.default_rng(1).integers(0, 3, 40)
    gammas = (np.arange(20_000) + 0.5) / 20_000 * (2 / 3)
    per_cost = [metrics.reject_cost_loss(y, proba, reject_cost=g) for g in gammas[::20]]
    density = 2 / (2 / 3) ** 2  # of n = 1
    assert np.mean(per_cost) * density * (2 / 3) == pytest.approx(metrics.ecuas_loss(y, proba, n=1), rel=5e-3)


@pytest.mark.parametrize("n", [0.5, 1, 2])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (4, 4), (4, 3)])
def test_with_any_costs_it_is_the_mean_over_reject_costs(shape, n):
    """Equation (8) with the largest uncertainty of a linear programme, by quadrature between the uncertainties."""
    rng = np.random.default_rng([int(2 * n), *shape])
    costs = rng.uniform(0, 5, shape)
    costs[np.arange(shape[0]), np.arange(shape[0]) % shape[1]] = 0
    proba, y = rng.dirichlet(np.ones(shape[0]), 12), rng.permutation(np.arange(12) % shape[0])
    bounds = [(0, 1)] * shape[0] + [(None, None)]
    limits = np.column_stack([-costs.T, np.ones(shape[1])]), np.zeros(shape[1])
    sums = np.append(np.ones(shape[0]), 0)[np.newaxis], [1]
    largest = -linprog(np.append(np.zeros(shape[0]), -1), *limits, *sums, bounds=bounds).fun

    def integrand(gamma):
        paid = metrics.reject_cost_loss(y, proba, reject_cost=gamma, cost_matrix=costs)
        return paid * (n + 1) * gamma ** (n - 1) / largest ** (n + 1)

    # The reject cost has a step at each uncertainty.
    steps = np.sort([0, largest, *(proba @ costs).min(axis=1)])
    total = sum(quad(integrand, low, high)[0] for low, high in itertools.pairwise(steps))
    assert metrics.ecuas_loss(y, proba, n=n, cost_matrix=costs) == pytest.approx(total, rel=1e-6)


def test_costs_of_each_sample_are_refused_by_name():
    profile = ConfidenceProfile.from_predictions([0, 1], [[0.8, 0.2], [0.4, 0.6]], y_pred=[0, 1]).with_costs(
        [[0, 1], [3, 0]]
    )
    with pytest.raises(
        ValueError,
        match=r"ecuas_loss divides.*Use reject_cost_loss\. Or give one largest .* ConfidenceProfile.from_costs",
    ):
        metrics.ecuas_loss(profile)


def test_reject_cost_splits_into_risk_and_coverage():
    """Equation (2): E[C_γ] = R φ + γ (1 − φ), with R the selective risk and φ the coverage."""
    profile = ConfidenceProfile.from_predictions(np.random.default_rng(1).integers(0, 3, 300), draw_proba(300))
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
        ({"cost_matrix": [[0, 1], [0, 1]]}, "costs nothing, whatever the true class is"),
        ({"weight": 3}, "weight must be a function"),
        ({"cost_matrix": np.ones((3, 3)) - np.eye(3)}, "cost_matrix has 3 rows, but there are 2 classes"),
        ({"weight": lambda gamma: -gamma}, "non-negative number for every cost of a rejection"),
        ({"weight": lambda gamma: 0.2 - gamma}, "non-negative number for every cost of a rejection"),
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


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("n", [0, 1, 2.5])
def test_a_guess_among_equal_probabilities_costs_one_and_is_no_worse_than_a_guess(n, n_classes):
    """Its uncertainty is the largest there is, to the last digit: nothing is warned of."""
    proba = np.full((n_classes, n_classes), 1 / n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.ecuas_loss(range(n_classes), proba, n=n) == pytest.approx(1)
