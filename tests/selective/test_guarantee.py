"""The promise of a risk, measured on populations whose true risk is known, and what is accepted beside other rules.

`pytest -m slow -n 0 -s` shows the tables; tests/benchmarks/measure_risk_rules.py measures all of it in one run.
"""

import warnings

import numpy as np
import pytest
from _support.selective.risk_populations import HARDEST, HOLES, ORDINARY, Population, populations
from _support.selective.risk_rules import fallback, holm, ours, ours_untied, sgr
from scipy.stats import binom

from skconf import ConfidenceProfile, tune_threshold

LEVEL = 0.95


def simulate(rule, population, n_samples, n_sets, target, seed=0):
    """Return the mean true coverage of a rule over drawn samples, and the share of them with too high a risk."""
    rng, coverage, failed = np.random.default_rng(seed), 0.0, 0
    for _ in range(n_sets):
        draw = population.draw(n_samples, rng)
        at = rule(draw.accepted, draw.errors, target, LEVEL)
        if at >= 0:
            coverage += draw.coverage[at]
            failed += draw.risk[at] > target * (1 + 1e-9)
    return coverage / n_sets, failed / n_sets


def rule_for(population):
    return ours_untied if population.ties is None else ours


def within_simulation_error(share, n_sets, delta=1 - LEVEL):
    """Whether a rule that fails with probability δ would fail as often once in a thousand simulations."""
    return share * n_sets <= binom.ppf(0.999, n_sets, delta)


@pytest.mark.simulation
@pytest.mark.parametrize(("n_samples", "target"), [(60, 0.1), (200, 0.05), (1000, 0.05)])
@pytest.mark.parametrize("name", [*HARDEST, "5 tied levels", "40% tied at 1", "best in the middle"])
def test_the_promise_is_kept(name, n_samples, target):
    population = populations(target)[name]
    n_sets = 300 if population.ties is None else 100
    coverage, failed = simulate(rule_for(population), population, n_samples, n_sets, target)
    assert within_simulation_error(failed, n_sets)
    assert coverage <= population.best_coverage(target) + failed


@pytest.mark.simulation
@pytest.mark.parametrize("n_samples", [100, 200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["calibrated, .71", "best in the middle", "good top 20%"])
def test_more_is_accepted_than_before_and_by_others(name, n_samples):
    population = populations(0.1)[name]
    new, *others = (
        simulate(rule, population, n_samples, 100, 0.1)[0] for rule in (rule_for(population), fallback, sgr, holm)
    )
    assert new >= max(others) - 0.01


@pytest.mark.simulation
def test_a_good_top_of_a_million_samples_is_found():
    """No smaller coverage than 1/15 was ever tested."""
    population = populations(0.01)["good top 4%"]
    coverage, failed = simulate(ours_untied, population, 1_000_000, 1, 0.01)
    assert failed == 0
    assert 0.9 < coverage / population.best_coverage(0.01) <= 1
    assert simulate(fallback, population, 1_000_000, 1, 0.01)[0] == 0


@pytest.mark.simulation
def test_a_hundred_samples_are_not_only_tested_as_a_whole():
    population = Population(lambda u: np.where(u < 0.9, 0.0, 0.5))
    coverage, failed = simulate(ours_untied, population, 100, 200, 0.05)
    assert 0.88 < coverage < 0.92
    assert failed <= 0.05
    assert simulate(fallback, population, 100, 200, 0.05)[0] < 0.1


# --- thresholds that are given, clusters, searches -------------------------------------------------------------------


def profile_of(wrong, score):
    return ConfidenceProfile.from_correctness(~wrong, score)


def failures_of(draw, n_sets, target, **params):
    """Return the share of drawn profiles of which anything is accepted, where every threshold's risk is too high."""
    rng, failed = np.random.default_rng(0), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(n_sets):
            profile, more = draw(rng)
            found = tune_threshold(profile, target=target, confidence_level=LEVEL, random_state=seed, **params, **more)
            failed += found.feasible
    return failed / n_sets


@pytest.mark.simulation
@pytest.mark.parametrize("thresholds", [[0.5], [0.9, 0.8, 0.7, 0.5, 0.3, 0.1], np.linspace(0, 1, 13)])
def test_declared_thresholds_keep_the_promise(thresholds):
    def draw(rng):
        return profile_of(rng.random(300) < 0.05, rng.random(300)), {}

    share = failures_of(draw, 40, 0.05, thresholds=thresholds)
    assert within_simulation_error(share, 40)


def clustered(n_clusters, size, dependence):
    """Return a function that draws samples whose score and error are their cluster's with a probability."""

    def draw(rng):
        def column():
            shared = np.repeat(rng.random(n_clusters), size)
            return np.where(joint, shared, rng.random(n_clusters * size))

        joint = rng.random(n_clusters * size) < dependence
        return profile_of(column() < 0.05, column()), {"groups": np.repeat(np.arange(n_clusters), size)}

    return draw


@pytest.mark.simulation
@pytest.mark.parametrize(("n_clusters", "size", "dependence"), [(100, 20, 0.3), (100, 20, 1), (400, 2, 1)])
def test_one_sample_of_each_cluster_keeps_the_promise(n_clusters, size, dependence):
    share = failures_of(clustered(n_clusters, size, dependence), 40, 0.05)
    assert within_simulation_error(share, 40)


@pytest.mark.simulation
def test_clusters_that_are_taken_for_samples_break_the_promise():
    def without_groups(rng):
        return clustered(100, 20, 1)(rng)[0], {}

    assert failures_of(without_groups, 60, 0.05) > 0.5


def searched(n_candidates):
    """Draw candidates whose risk is .155 at every threshold, and return the coverage of each at a level."""

    def coverages(rng, **params):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [
                tune_threshold(
                    profile_of(rng.random(800) < 0.155, rng.random(800)), target=0.15, confidence_level=0.9, **params
                ).coverage
                for _ in range(n_candidates)
            ]

    return coverages


@pytest.mark.slow
def test_the_candidate_that_accepts_most_keeps_the_promise_where_candidates_share_the_level():
    rng = np.random.default_rng(0)
    alone = np.mean([max(searched(20)(rng)) > 0 for _ in range(40)])
    shared = np.mean([max(searched(20)(rng, n_candidates=20)) > 0 for _ in range(100)])
    print(f"\nbest of 20 candidates: {alone:.3f} fail, {shared:.3f} where they share the level")
    assert alone > 0.2
    assert within_simulation_error(shared, 100, 0.1)


# --- at length ----------------------------------------------------------------------------------------------------


def show(*cells):
    """Print a row of a table, for `pytest -m slow -s`."""
    print("\n|", " | ".join(cell if isinstance(cell, str) else f"{cell:.4g}" for cell in cells), "|")


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [30, 60, 100, 200, 500, 1000, 5000])
@pytest.mark.parametrize("target", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("name", [*ORDINARY, *HOLES, *HARDEST])
def test_the_promise_over_two_thousand_sets(name, target, n_samples):
    population = populations(target)[name]
    coverage, failed = simulate(rule_for(population), population, n_samples, 2000, target)
    show(name, target, n_samples, population.best_coverage(target), coverage, failed)
    assert within_simulation_error(failed, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters_and_size", [(100, 20), (1000, 2)])
@pytest.mark.parametrize("dependence", [0, 0.3, 1])
def test_the_promise_over_two_thousand_sets_of_clusters(n_clusters_and_size, dependence):
    failed = failures_of(clustered(*n_clusters_and_size, dependence), 2000, 0.05)
    show("clusters", str(n_clusters_and_size), dependence, failed)
    assert within_simulation_error(failed, 2000)


def mapie(accepted, errors, target, level):
    """MAPIE's controller with its defaults: right answers are the positives, and their precision is controlled."""
    risk_control = pytest.importorskip("mapie.risk_control")
    n_samples = int(accepted[-1])
    score, wrong = 1 - np.arange(n_samples) / n_samples, np.diff(errors, prepend=0) > 0
    controller = risk_control.BinaryClassificationController(
        lambda score: np.column_stack([1 - score, score]), "precision", 1 - target, confidence_level=level
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # says so where no threshold passes
        controller.calibrate(score, ~wrong)
    threshold = controller.best_predict_param
    return -1 if threshold is None else int((score >= threshold).sum()) - 1


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [200, 1000, 5000])
@pytest.mark.parametrize("name", ["calibrated, .71", "best in the middle", "good top 20%", "top 90% perfect"])
def test_more_is_accepted_than_by_mapie(name, n_samples):
    population = populations(0.1)[name]
    (coverage, failed), (theirs, theirs_failed) = (
        simulate(rule, population, n_samples, 100, 0.1) for rule in (ours_untied, mapie)
    )
    show("beside mapie", name, n_samples, coverage, failed, theirs, theirs_failed)
    assert coverage > theirs - 0.02
