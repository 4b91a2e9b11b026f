"""The choice of a threshold: exact tests, every objective beside its definition, and the guarantee measured.

Of a simulated population the chance of being wrong is known for every sample, and with it the true risk of a threshold:
whether a chosen one keeps the promise can be counted. `pytest -m slow -n 0 -s` shows the tables.
"""

import math
import warnings
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from skconf import ConfidenceProfile, metrics
from skconf.selective._objective import Objective
from skconf.selective._risk_control import (
    declared_counts,
    in_control,
    risk_upper_bound,
    smallest_sample,
    start_counts,
)

LEVEL = 0.95


def chance_of_at_most(errors, samples, rate):
    """Return the binomial distribution function, summed term by term."""
    return sum(math.comb(samples, j) * rate**j * (1 - rate) ** (samples - j) for j in range(int(errors) + 1))


# --- the tests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_upper_limit_is_the_rate_at_which_so_few_errors_are_just_too_unlikely(level):
    pairs = [(errors, samples) for samples in (1, 2, 7, 40) for errors in range(samples)]
    bound = risk_upper_bound(*np.array(pairs, dtype=float).T, level)
    for (errors, samples), rate in zip(pairs, bound, strict=True):
        assert chance_of_at_most(errors, samples, rate) == pytest.approx(1 - level, rel=1e-8)


def test_the_upper_limit_is_one_where_nothing_is_accepted_or_nothing_right():
    np.testing.assert_array_equal(risk_upper_bound(np.array([0.0, 3.0]), np.array([0.0, 3.0]), 0.9), [1, 1])


@settings(max_examples=100, deadline=None)
@given(samples=st.integers(1, 300), share=st.floats(0, 1), target=st.floats(0.001, 0.999), level=st.floats(0.5, 0.999))
def test_a_limit_is_within_the_target_where_the_test_rejects_and_only_there(samples, share, target, level):
    errors = np.floor(share * samples)
    chance = binom.cdf(errors, samples, target)
    if abs(chance - (1 - level)) > 1e-9:
        bound = risk_upper_bound(np.array([errors]), np.array([float(samples)]), level)
        assert (bound[0] <= target) == (chance <= 1 - level)


@pytest.mark.parametrize("target", [0.01, 0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("errors", [0, 1, 3])
def test_the_smallest_sample_is_the_first_of_all_that_passes(target, level, errors):
    samples = errors + 1
    while chance_of_at_most(errors, samples, target) > 1 - level:
        samples += 1
    assert smallest_sample(target, level, errors) == samples


CASES = [(n, target, level) for n in (1, 30, 150, 1000, 40_000) for target in (0.01, 0.1, 1.0) for level in (0.8, 0.99)]


@pytest.mark.parametrize(("n_samples", "target", "level"), CASES)
def test_tests_start_where_an_error_is_survived_and_again_until_all_samples_are_accepted(n_samples, target, level):
    starts = start_counts(n_samples, target, level)
    counts = list(starts)
    assert counts == sorted(counts)
    assert counts[-1] == n_samples
    assert sum(starts.values()) == pytest.approx(1)
    if len(counts) == 1:  # a single test of everything has it all
        return
    assert starts[counts[0]] == 1 / 2
    assert len(set(list(starts.values())[1:])) == 1
    at_half = (1 - level) / 2
    assert chance_of_at_most(1, counts[0], target) <= at_half
    one_less = counts[0] - 1
    assert counts[0] == math.ceil(n_samples / 15) or chance_of_at_most(1, one_less, target) > at_half
    for before, after in pairwise(counts):
        assert after == min(math.ceil(1.5 * before), n_samples)


@pytest.mark.parametrize(("n_samples", "target", "level"), CASES)
def test_declared_counts_rise_by_two_percent_from_the_first_start_to_all_samples(n_samples, target, level):
    counts = declared_counts(n_samples, target, level).tolist()
    starts = start_counts(n_samples, target, level)
    assert counts[0] == min(starts)
    assert counts[-1] == n_samples
    assert set(starts) <= set(counts)
    for before, after in pairwise(counts):
        assert before < after <= math.ceil(1.02 * before)


@st.composite
def accepted_and_wrong(draw, max_thresholds=12):
    """Draw how many samples ever looser thresholds accept, and how many of them are wrong."""
    steps = draw(st.lists(st.integers(0, 60), min_size=1, max_size=max_thresholds))
    rate = draw(st.sampled_from([0.0, 0.02, 0.1, 0.4]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples = sum(steps) + draw(st.integers(0, 100))
    return np.cumsum(rng.binomial(steps, rate)).astype(float), np.cumsum(steps).astype(float), max(n_samples, 1)


def own_levels(accepted, n_samples, target, level):
    """Return the probability to err that each threshold has of its own: the first that accepts as many as a start."""
    own = [0.0] * len(accepted)
    for count, share in start_counts(n_samples, target, level).items():
        reached = [i for i, samples in enumerate(accepted) if samples >= count]
        own[reached[0] if reached else -1] += share * (1 - level)
    return own


@settings(max_examples=200, deadline=None)
@given(sweep=accepted_and_wrong(), target=st.sampled_from([0.05, 0.15, 0.5]), level=st.sampled_from([0.6, 0.9]))
def test_a_threshold_is_in_control_where_its_test_passes_at_its_own_level_and_the_one_handed_on(sweep, target, level):
    errors, accepted, n_samples = sweep
    expected, handed_on = [], 0.0
    for i, own in enumerate(own_levels(accepted, n_samples, target, level)):
        at = handed_on + own
        passes = at > 0 and chance_of_at_most(errors[i], int(accepted[i]), target) <= at * (1 + 1e-12)
        handed_on = at if passes else 0.0
        expected.append(passes)
    assert in_control(errors, accepted, n_samples, target, level).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(
    sweep=accepted_and_wrong(max_thresholds=6), target=st.sampled_from([0.05, 0.15]), level=st.sampled_from([0.6, 0.9])
)
def test_the_sequence_is_a_closed_test(sweep, target, level):
    """A closed test is valid by construction: it rejects a hypothesis where it rejects every set that contains it.

    A set is rejected where one of its members is, at the sum of the levels from its predecessor in the set on.
    """
    errors, accepted, n_samples = sweep
    own = own_levels(accepted, n_samples, target, level)
    p_values = [chance_of_at_most(e, int(k), target) for e, k in zip(errors, accepted, strict=True)]

    def rejected(members):
        before = [-1, *members[:-1]]
        levels = [sum(own[b + 1 : i + 1]) for b, i in zip(before, members, strict=True)]
        return any(at > 0 and p_values[i] <= at * (1 + 1e-12) for at, i in zip(levels, members, strict=True))

    everything = range(len(own))
    sets = [members for size in range(1, len(own) + 1) for members in combinations(everything, size)]
    verdict = {members: rejected(members) for members in sets}
    expected = [all(verdict[members] for members in sets if i in members) for i in everything]
    assert in_control(errors, accepted, n_samples, target, level).tolist() == expected


# --- every objective beside its definition -----------------------------------------------------------------------

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
    choice = Objective(**params, thresholds=thresholds).choose(*sample)
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
    choice = Objective(name, thresholds=thresholds).choose(*sample)
    listed = choice.results["threshold"]
    values = [getattr(metrics, f"{name}_score")(profile, threshold=threshold) for threshold in listed]
    np.testing.assert_allclose(choice.results["objective"], values, atol=1e-12)
    assert getattr(metrics, f"{name}_score")(profile, threshold=choice.threshold) == pytest.approx(
        max(values), abs=1e-9
    )
    assert metrics.coverage_score(profile, threshold=choice.threshold) == pytest.approx(choice.coverage)
    counted = score if weight is None else score[weight > 0]
    assert len(listed) == 1 + len(set(counted if thresholds is None else thresholds))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(1, 400),
    steps=st.sampled_from([3, 30, 10**6]),
    params=st.sampled_from([(0.1, 0.8), (0.3, 0.9), (0.05, 0.5), (1.0, 0.9)]),
    thresholds=st.none() | st.lists(st.sampled_from([0, 0.25, 0.5, 0.8, 1.0]), min_size=1),
)
def test_with_a_level_the_loosest_threshold_in_control_is_chosen(seed, n_samples, steps, params, thresholds):
    target, level = params
    rng = np.random.default_rng(seed)
    score = rng.integers(0, steps + 1, n_samples) / steps
    wrong = rng.random(n_samples) < rng.choice([0.3, 0.6]) * (1 - score) ** 2
    candidates = set(thresholds or [])
    if thresholds is None:
        ordered = sorted(score, reverse=True)
        candidates = {ordered[count - 1] for count in declared_counts(n_samples, target, level)}
    candidates = sorted(candidates, reverse=True)
    accepted = [int((score >= threshold).sum()) for threshold in candidates]
    chosen, handed_on = None, 0.0
    for i, own in enumerate(own_levels(accepted, n_samples, target, level)):
        errors, at = wrong[score >= candidates[i]].sum(), handed_on + own
        passes = at > 0 and accepted[i] > 0 and chance_of_at_most(errors, accepted[i], target) <= at * (1 + 1e-12)
        handed_on = at if passes else 0.0
        chosen = i if passes else chosen
    weight = rng.exponential(1, n_samples)  # plays no part
    objective = Objective("risk", target, confidence_level=level, thresholds=thresholds)
    choice = objective.choose(score, wrong.astype(int), np.zeros(n_samples, dtype=int), weight)
    assert choice.feasible == (chosen is not None)
    if chosen is None:
        assert choice.threshold == np.inf
        assert np.isnan(choice.risk_upper_bound)
    else:
        assert choice.threshold == (0 if accepted[chosen] == n_samples else candidates[chosen])
        assert choice.coverage == accepted[chosen] / n_samples
        assert choice.risk <= choice.risk_upper_bound <= target


def test_thresholds_that_cost_the_same_up_to_rounding_are_alike():
    score = np.repeat([0.9, 0.1], [10, 33])
    wrong = np.repeat([1, 0, 1], [1, 9, 33])  # to accept the first ten costs 1 + 33 · 0.1, to accept none 43 · 0.1
    choice = Objective("cost", reject_cost=0.1).choose(score, wrong, np.zeros(43, dtype=int))
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
    assert_same_choice(Objective(**params).choose(*sample), Objective(**params).choose(*shuffled))


@settings(max_examples=100, deadline=None)
@given(sample=scored(weights=("whole",)), params=st.sampled_from(EVERY))
def test_a_sample_of_weight_two_is_two_samples(sample, params):
    *columns, weight = sample
    repeated = [np.repeat(column, weight.astype(int)) for column in columns]
    assert_same_choice(Objective(**params).choose(*sample), Objective(**params).choose(*repeated))


# --- the guarantee, measured -------------------------------------------------------------------------------------


class Population:
    """Many samples with their scores and their chances of being wrong; a calibration set is a random draw from them."""

    def __init__(self, score, rate, target):
        order = np.argsort(-score)
        self.score, self.rate, self.target = score[order], rate[order], target
        self.coverage = np.arange(1, len(score) + 1) / len(score)
        self.risk = np.cumsum(self.rate) / np.arange(1, len(score) + 1)
        self.best_coverage = self.coverage[self.risk <= target].max(initial=0)

    def draw(self, n_samples, rng):
        rows = rng.integers(0, len(self.score), n_samples)
        return self.score[rows], rng.random(n_samples) < self.rate[rows]

    def at(self, threshold):
        """Return the true coverage and risk at a threshold."""
        accepted = np.searchsorted(-self.score, -threshold, side="right")
        return (self.coverage[accepted - 1], self.risk[accepted - 1]) if accepted else (0.0, 0.0)


def of_coverage(error_rate, target):
    """Return a population by the error rate of the samples at each coverage, from the highest score down."""
    coverage = (np.arange(100_000) + 0.5) / 100_000
    return Population(1 - coverage, error_rate(coverage), target)


def multiclass(n_classes, concentration, sharpness, target):
    """Return a population of Dirichlet probabilities; labels follow a sharper or flatter version of them."""
    proba = np.random.default_rng(0).dirichlet(np.full(n_classes, concentration), 100_000)
    true = proba**sharpness
    true /= true.sum(axis=1, keepdims=True)
    return Population(proba.max(axis=1), 1 - true[np.arange(len(proba)), proba.argmax(axis=1)], target)


#: Of these the risk rises with the coverage. At some, the best coverage is small; at others, nearly all.
RISING = {
    ".5 u": of_coverage(lambda u: 0.5 * u, 0.1),
    ".005 + .6 u^4": of_coverage(lambda u: 0.005 + 0.6 * u**4, 0.05),
    ".001 + .25 u^3": of_coverage(lambda u: 0.001 + 0.25 * u**3, 0.02),
    ".01 + .3 u": of_coverage(lambda u: 0.01 + 0.3 * u, 0.05),
    ".1 + .5 u": of_coverage(lambda u: 0.1 + 0.5 * u, 0.25),
    ".02 + .5 u^8": of_coverage(lambda u: 0.02 + 0.5 * u**8, 0.05),
    ".01 + .9 u^20": of_coverage(lambda u: 0.01 + 0.9 * u**20, 0.05),
    ".01, from .9 on .4": of_coverage(lambda u: np.where(u < 0.9, 0.01, 0.4), 0.05),
    ".03": of_coverage(lambda u: 0.03 + 0 * u, 0.05),
    "3 classes, overconfident": multiclass(3, 0.2, 0.7, 0.1),
    "10 classes, underconfident": multiclass(10, 0.2, 1.5, 0.1),
}

#: Of these it does not: the most confident answers are the worst.
NOT_RISING = {
    ".08, from .1 on .02": of_coverage(lambda u: np.where(u < 0.1, 0.08, 0.02), 0.05),
    ".2, from .05 on .01 + .2 u^3": of_coverage(lambda u: np.where(u < 0.05, 0.2, 0.01 + 0.2 * u**3), 0.05),
    ".08 - .06 u": of_coverage(lambda u: 0.08 - 0.06 * u, 0.05),
    ".06 - .01 u": of_coverage(lambda u: 0.06 - 0.01 * u, 0.05),
}


def ours(score, wrong, target, thresholds=None):
    objective = Objective("risk", target, confidence_level=LEVEL, thresholds=thresholds)
    return objective.choose(score, wrong.astype(int), np.zeros(len(score), dtype=int)).threshold


def sgr(score, wrong, target):
    """Geifman and El-Yaniv (2017), Algorithm 2: a binary search, each of its steps at an equal share of the level.

    Theirs returns the last threshold it tried; this one the last that passed, or none.
    """
    order = np.argsort(score)
    below = np.append(0, np.cumsum(wrong[order]))
    low, high, found = 1, len(score), np.inf
    n_steps = math.ceil(math.log2(len(score)))
    for _ in range(n_steps):
        middle = math.ceil((low + high) / 2)
        accepted, errors = len(score) - middle + 1, below[-1] - below[middle - 1]
        if errors < accepted and beta.ppf(1 - (1 - LEVEL) / n_steps, errors + 1, accepted - errors) < target:
            high, found = middle, score[order[middle - 1]]
        else:
            low = middle
    return found


def mapie(score, wrong, target):
    """MAPIE's controller with its defaults: right answers are the positives, and their precision is controlled."""
    risk_control = pytest.importorskip("mapie.risk_control")
    controller = risk_control.BinaryClassificationController(
        lambda score: np.column_stack([1 - score, score]), "precision", 1 - target, confidence_level=LEVEL
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # says so where no threshold passes
        controller.calibrate(score, ~wrong)
    return np.inf if controller.best_predict_param is None else controller.best_predict_param


def simulate(rule, population, n_samples, n_sets, **params):
    """Return the mean true coverage of a rule over calibration sets, and the share of them with too high a risk."""
    rng = np.random.default_rng(0)
    drawn = [population.at(rule(*population.draw(n_samples, rng), population.target, **params)) for _ in range(n_sets)]
    coverage, risk = np.array(drawn).T
    return coverage.mean(), (risk > population.target).mean()


def within_simulation_error(share, n_sets):
    """Whether a rule that fails with a probability of 1 − LEVEL would fail as often once in a thousand simulations."""
    return share * n_sets <= binom.ppf(0.999, n_sets, 1 - LEVEL)


@pytest.mark.parametrize("n_samples", [200, 1000])
@pytest.mark.parametrize("name", [".5 u", ".01 + .9 u^20", "3 classes, overconfident"])
def test_the_guarantee_holds_and_coverage_is_not_behind_the_published_rule(name, n_samples):
    coverage, failed = simulate(ours, RISING[name], n_samples, 300)
    assert within_simulation_error(failed, 300)
    assert coverage > simulate(sgr, RISING[name], n_samples, 300)[0] - 0.02


def show(*cells):
    """Print a row of a table, for `pytest -m slow -s`."""
    print("\n|", " | ".join(cell if isinstance(cell, str) else f"{cell:.4g}" for cell in cells), "|")


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [200, 1000, 5000])
@pytest.mark.parametrize("name", list(RISING))
def test_the_guarantee_over_two_thousand_sets(name, n_samples):
    population = RISING[name]
    coverage, failed = simulate(ours, population, n_samples, 2000)
    share = coverage / population.best_coverage
    show("ours", name, population.target, n_samples, population.best_coverage, coverage, share, failed)
    assert within_simulation_error(failed, 2000)
    attainable = population.risk[len(population.risk) // 15]  # by the most confident, with which the tests begin
    if n_samples == 5000 and population.target > 3 * attainable:
        assert share > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [200, 1000, 5000])
@pytest.mark.parametrize("name", list(RISING))
@pytest.mark.parametrize("peer", [sgr, mapie])
def test_coverage_is_not_behind_that_of_the_peers(peer, name, n_samples):
    (coverage, failed), (theirs, failed_too) = (simulate(rule, RISING[name], n_samples, 200) for rule in (ours, peer))
    show(f"beside {peer.__name__}", name, n_samples, coverage, failed, theirs, failed_too)
    assert coverage > theirs - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [200, 1000, 5000])
@pytest.mark.parametrize("thresholds", [None, [0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1, 0.0]], ids=["scores", "given"])
@pytest.mark.parametrize("name", list(NOT_RISING))
def test_the_guarantee_where_the_risk_does_not_rise_with_the_coverage(name, thresholds, n_samples):
    population = NOT_RISING[name]
    coverage, failed = simulate(ours, population, n_samples, 2000, thresholds=thresholds)
    show("not rising", name, str(thresholds), n_samples, population.best_coverage, coverage, failed)
    assert within_simulation_error(failed, 2000)
