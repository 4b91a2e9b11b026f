"""Tests of a risk by counts alone: beside their definition, exactly, and every set of null hypotheses of small samples.

How often the promise is kept by samples from populations, and how much is accepted, is measured in test_guarantee.py.
"""

import math
from fractions import Fraction
from itertools import chain, combinations, count, pairwise

import numpy as np
import pytest
from _support.selective import brute_risk_control as brute
from _support.selective.brute_risk_control import probability_of_at_most
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from skconf import required_samples, tune_threshold
from skconf.selective._risk_control import (
    SPEND,
    _Plan,
    in_control,
    planned_counts,
    smallest_sample,
)

# --- one test ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [0.01, 0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_smallest_sample_is_the_first_of_all_that_passes(target, level):
    for errors in (0, 1, 3):
        samples = errors + 1
        while probability_of_at_most(errors, samples, target) > 1 - level:
            samples += 1
        assert smallest_sample(target, level, errors) == samples


# --- the plan ----------------------------------------------------------------------------------------------------

CASES = [(n, target, level) for n in (1, 30, 150, 1000, 40_000) for target in (0.01, 0.1, 1.0) for level in (0.8, 0.99)]


@pytest.mark.parametrize(("n_samples", "target", "level"), CASES)
def test_planned_counts_grow_by_small_steps_from_the_fewest_that_can_pass_to_all_samples(n_samples, target, level):
    counts = planned_counts(n_samples, target, level).tolist()
    first = smallest_sample(target, level)
    if n_samples < first:
        assert counts == []
        return
    assert counts[0] == first
    assert counts[-1] == n_samples
    for before, after in pairwise(counts):
        assert before < after
        assert after == n_samples or after == before + max(math.ceil(before * step(before, target)), 1)


def step(count, target):
    return min(0.02, max(0.002, 1 / math.sqrt(target * count)))


@st.composite
def counted(draw, largest=36):
    """Draw where ties end, and how many of the samples up to each are wrong."""
    n_samples = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rate = draw(st.sampled_from([0.0, 0.1, 0.2, 0.4]))
    wrong = rng.random(n_samples) < rate * np.linspace(0.2, 1.5, n_samples)
    ends = np.flatnonzero(rng.random(n_samples) < draw(st.sampled_from([0.2, 0.6, 1.0]))) + 1
    accepted = np.unique(np.append(ends, n_samples))
    return accepted, np.cumsum(wrong)[accepted - 1]


@settings(max_examples=120, deadline=None)
@given(
    sample=counted(),
    target=st.sampled_from([Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]),
    delta=st.sampled_from([Fraction(1, 20), Fraction(1, 7), Fraction(2, 5)]),
    spend=st.sampled_from(SPEND),
)
def test_thresholds_are_shown_where_a_second_implementation_shows_them(sample, target, delta, spend):
    accepted, errors = sample
    by_count = dict(zip(accepted.tolist(), errors.tolist(), strict=True))
    expected = brute.in_control(by_count, by_count, target, delta, spend)
    shown = in_control(errors.astype(float), accepted.astype(float), float(target), float(1 - delta), spend)
    assert set(accepted[shown].tolist()) == expected


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(50, 3000),
    target=st.sampled_from([0.02, 0.1, 0.3]),
    level=st.sampled_from([0.6, 0.9, 0.99]),
)
def test_what_is_shown_passes_a_test_of_its_own_and_fewer_errors_show_no_less(seed, n_samples, target, level):
    rng = np.random.default_rng(seed)
    wrong = rng.random(n_samples) < rng.choice([0.3, 1, 2]) * target * np.linspace(0.2, 1.5, n_samples)
    accepted, errors = np.arange(1.0, n_samples + 1), np.cumsum(wrong).astype(float)
    shown = in_control(errors, accepted, target, level)
    assert (binom.cdf(errors, accepted, target)[shown] <= (1 - level) * (1 + 1e-9)).all()
    limit = beta.ppf(level, errors[shown] + 1, accepted[shown] - errors[shown])
    assert (limit <= target * (1 + 1e-9)).all()
    fewer = np.cumsum(wrong & (rng.random(n_samples) < 0.7)).astype(float)
    assert (in_control(fewer, accepted, target, level) >= shown).all()


def test_thresholds_that_accept_the_same_samples_are_shown_together():
    accepted, errors = np.array([0.0, 90, 90, 90, 100, 100]), np.array([0.0, 0, 0, 0, 10, 10])
    assert in_control(errors, accepted, 0.05, 0.95).tolist() == [False, True, True, True, False, False]


def test_a_single_threshold_has_the_whole_level():
    assert in_control(np.array([0.0]), np.array([59.0]), 0.05, 0.95).tolist() == [True]
    assert in_control(np.array([2.0]), np.array([124.0]), 0.05, 0.95).tolist() == [True]
    assert in_control(np.array([2.0]), np.array([123.0]), 0.05, 0.95).tolist() == [False]


@pytest.mark.parametrize("accepted", [[0.0], [58.0], [0.0, 58.0]])
def test_too_few_samples_show_nothing(accepted):
    assert not in_control(np.zeros(len(accepted)), np.array(accepted), 0.05, 0.95).any()


# --- the level, exactly ------------------------------------------------------------------------------------------


def boundaries_after(plan, failed, at):
    """Return the most errors with which a test succeeds, when these before it have failed and the others have not."""
    errors = np.full(len(plan.budget), -1.0)
    errors[list(failed)] = np.inf
    for most in range(len(plan.budget) + 20, -1, -1):
        errors[at] = most
        if plan.successes(errors)[at]:
            return most
    return -1


def worst_probability(counts, nulls, boundary, rate):
    """Return the probability that a walk is ever within the boundary of a null hypothesis, the others at their worst.

    What is not null may succeed or fail as it does most harm, also by what the walk does.
    """
    alive, crossed, done = {0: 1.0}, 0.0, 0
    for i in nulls:
        for _ in range(counts[i] - done):
            alive = {
                w: alive.get(w, 0.0) * (1 - rate) + alive.get(w - 1, 0.0) * rate
                for w in range(max(alive, default=0) + 2)
            }
        done = counts[i]
        earlier = [j for j in nulls if j < i]
        free = [j for j in range(i) if j not in nulls]
        choices = chain.from_iterable(combinations(free, size) for size in range(len(free) + 1))
        most = max(boundary[i, frozenset((*earlier, *also))] for also in choices)
        crossed += sum(mass for value, mass in alive.items() if value <= most)
        alive = {value: mass for value, mass in alive.items() if value > most}
    return crossed


@pytest.mark.parametrize("spend", SPEND)
@pytest.mark.parametrize(
    ("n_samples", "target", "delta"),
    [
        (9, 0.3, 0.2),
        (10, 0.5, 0.1),
        (11, 0.25, 0.2),
        pytest.param(12, 0.5, 0.05, marks=pytest.mark.slow),
        pytest.param(12, 0.3, 0.2, marks=pytest.mark.slow),
        pytest.param(12, 0.4, 0.1, marks=pytest.mark.slow),
    ],
)
def test_every_set_of_null_hypotheses_keeps_the_level_wherever_they_lie(n_samples, target, delta, spend):
    planned = planned_counts(n_samples, target, 1 - delta)
    plan = _Plan.of(planned, planned, target, 1 - delta, spend=spend)
    tests = range(len(planned))
    assert len(planned) >= 5
    boundary = {
        (i, frozenset(failed)): boundaries_after(plan, failed, i)
        for i in tests
        for size in range(i + 1)
        for failed in combinations(range(i), size)
    }
    worst = max(
        worst_probability(planned.tolist(), nulls, boundary, target)
        for size in range(1, len(planned) + 1)
        for nulls in combinations(tests, size)
    )
    assert delta / 3 < worst <= delta * (1 + 1e-9)


@pytest.mark.parametrize("share", [0.3, 0.6])
@pytest.mark.parametrize("first_rate", [1.05, 1.5])
@pytest.mark.parametrize(("n_samples", "target", "delta"), [(40, 0.2, 0.1), (80, 0.1, 0.05)])
def test_two_tied_scores_keep_the_level_though_their_counts_are_chance(n_samples, target, delta, share, first_rate):
    """Both thresholds are just above the target: the second tie makes up for the first."""
    rates = first_rate * target, target * (1 - share * first_rate) / (1 - share)
    planned = planned_counts(n_samples, target, 1 - delta)
    total = 0.0
    for first in range(n_samples + 1):
        accepted = np.unique([first, n_samples])
        counts = accepted[np.unique(np.searchsorted(accepted, planned))]
        boundary = _Plan.of(counts, planned, target, 1 - delta).boundary
        wrong, more = (
            binom.pmf(np.arange(n_samples + 1), n, rate)
            for n, rate in zip((first, n_samples - first), rates, strict=True)
        )
        crossed = 0.0
        if len(counts) == 2:  # else the first accepts too few, or all
            crossed = wrong[: boundary[0] + 1].sum()
            wrong[: boundary[0] + 1] = 0
        crossed += np.convolve(wrong, more)[: boundary[-1] + 1].sum()
        total += binom.pmf(first, n_samples, share) * crossed
    assert delta / 4 < total <= delta


# --- how many samples it takes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "level", "figures"),
    [
        (0.01, 0.95, {(0, 1): 299, (2, 1): 699, (0, 0.5): 756, (2, 0.5): 1558, (0, 0.1): 4470}),
        (0.05, 0.95, {(0, 1): 59, (2, 1): 138, (0, 0.5): 150, (2, 0.5): 304, (0, 0.1): 870, (2, 0.1): 1720}),
        (0.1, 0.9, {(0, 1): 22, (2, 1): 58, (0, 0.5): 60, (2, 0.5): 130, (0, 0.1): 350, (2, 0.1): 730}),
    ],
)
def test_required_samples_of_common_targets(target, level, figures):
    for (errors, coverage), expected in figures.items():
        assert required_samples(target, level, coverage=coverage, errors=errors) == expected


@settings(max_examples=25, deadline=None)
@given(
    target=st.floats(0.1, 0.6),
    level=st.floats(0.5, 0.99),
    coverage=st.sampled_from([1.0, 0.8, 0.5, 0.3]),
    errors=st.integers(0, 3),
)
@example(target=0.1, level=0.671875, coverage=0.8, errors=3)  # 70 show it, 71 do not, 72 do: the plan is another
def test_required_samples_show_it_and_one_less_does_not(target, level, coverage, errors):
    def shows(n_samples):
        """Whether the errors, at a planned count within the coverage and after no success, pass."""
        counts = planned_counts(n_samples, target, level)
        within = counts <= coverage * n_samples * (1 + 1e-12)
        return (within & (_Plan.of(counts, counts, target, level).boundary >= errors)).any()

    needed = required_samples(target, level, coverage=coverage, errors=errors)
    any_rule = math.ceil(smallest_sample(target, level, errors) / coverage * (1 - 1e-12))
    assert shows(needed)
    assert needed == any_rule or not shows(needed - 1)
    # Fewer are enough for a lucky plan alone, close by.
    assert not any(shows(n_samples) for n_samples in range(any_rule, math.floor(0.95 * needed)))


#: Targets at which the search for the threshold costs most, and usual ones: documented for targets up to 0.3.
PRICED = (0.01, 0.05, 0.1, 0.26, 0.276, 0.3)


def least_trials(target, level, errors):
    """Return the number of binomial trials that any rule needs, from scipy alone."""
    return next(n for n in count(errors + 1) if binom.cdf(errors, n, target) <= 1 - level)


@pytest.mark.parametrize(
    ("level", "coverages", "most"),
    [(0.95, (0.5, 0.1, 0.015, 0.01), 1.75), (0.8, (0.1, 0.015), 2.25), (0.5, (1.0,), 1.25)],
)
@pytest.mark.slow
def test_the_search_for_a_threshold_costs_as_much_as_is_documented(level, coverages, most):
    times = [
        required_samples(target, level, coverage=coverage, errors=errors) * coverage / least
        for target in PRICED
        for errors in (0, 1, 5)
        for least in [least_trials(target, level, errors)]
        for coverage in coverages
    ]
    assert min(times) >= 1 - 1e-12
    assert most - 0.06 < max(times) <= most


def test_a_low_level_and_coverage_cost_four_times_as_much():
    assert least_trials(0.5, 0.5, 0) == 1
    assert required_samples(0.5, 0.5, coverage=0.01) == 400


@pytest.mark.parametrize("coverage", [1.0, 0.4])
@pytest.mark.parametrize("errors", [0, 3])
def test_so_many_samples_are_shown_and_one_less_is_not(coverage, errors):
    def shown(n_samples):
        accepted = np.arange(1.0, n_samples + 1)
        late = np.where(accepted > math.floor(coverage * n_samples + 1e-9), accepted, 0)  # all others are wrong
        wrong = np.minimum(errors, accepted)  # the first ones: nothing is shown before
        return in_control(np.where(late > 0, accepted, wrong), accepted, 0.05, 0.95).any()

    needed = required_samples(0.05, 0.95, coverage=coverage, errors=errors)
    assert shown(needed)
    assert not shown(needed - 1)


@pytest.mark.parametrize("arguments", [(1.0, 0.9), (0.999, 0.5), (1e-6, 0.5), (0.3, 1 - 1e-12)])
@pytest.mark.parametrize("coverage", [1.0, 1e-5])
def test_required_samples_at_extremes(arguments, coverage):
    for errors in (0, 7):
        needed = required_samples(*arguments, coverage=coverage, errors=errors)
        assert needed >= smallest_sample(*arguments, errors) / coverage * (1 - 1e-9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"target": 0}, ValueError, "target must be above 0"),
        ({"target": 1.1}, ValueError, r"target must lie in \[0, 1\]"),
        ({"target": "low"}, TypeError, "target must be a number"),
        ({"confidence_level": 1}, ValueError, "confidence_level must lie in"),
        ({"confidence_level": 0}, ValueError, "confidence_level must lie in"),
        ({"coverage": 0}, ValueError, "coverage must be above 0"),
        ({"coverage": 2}, ValueError, "coverage must lie in"),
        ({"errors": -1}, ValueError, "errors must be at least 0"),
        ({"errors": 0.5}, TypeError, "errors must be a whole number"),
    ],
)
def test_required_samples_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        required_samples(**{"target": 0.05, "confidence_level": 0.95, **arguments})


# --- large data --------------------------------------------------------------------------------------------------


def test_with_a_million_samples_the_threshold_is_close_to_the_best():
    n_samples, target = 1_000_000, 0.05
    wrong = np.random.default_rng(0).random(n_samples) < 4 * target * np.linspace(0, 1, n_samples) ** 2
    accepted, errors = np.arange(1.0, n_samples + 1), np.cumsum(wrong).astype(float)
    shown = in_control(errors, accepted, target, 0.95)
    assert 0.85 < np.flatnonzero(shown)[-1] / n_samples < 0.8661  # where the true risk is the target


def test_no_test_allows_more_errors_than_the_plan_expects_unless_told():
    counts = np.array([30, 60, 120, 240])
    plan = _Plan.of(counts, counts, 0.1, 0.95)
    assert plan.boundary.tolist() == _Plan.of(counts, counts, 0.1, 0.95, most_errors=240).boundary.tolist()


def test_everything_is_accepted_over_a_range_of_shares_from_a_score_of_0_on():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    p = np.clip(np.where(y == 1, 0.8, 0.2) + rng.normal(0, 0.1, 1000), 0.01, 0.99)
    assert tune_threshold(y, p, target=0.3, confidence_level=0.95, prevalence={1: (0.2, 0.4)}).threshold == 0
