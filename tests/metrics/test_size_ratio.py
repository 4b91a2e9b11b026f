"""The calibrated size ratio, and the risk by simulation: a valid p-value at any sample size and any tail."""

import math

import numpy as np
import pytest
from _support.metrics.distributions import DISTRIBUTIONS, draw_confidences
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import confidences
from hypothesis import given, settings
from scipy.special import ndtr
from scipy.stats import binom

from skconf import ConfidenceProfile, metrics
from skconf.metrics._base.draws import _rare_cells
from skconf.metrics._base.tails import _NormalSum
from skconf.metrics._size_ratio import draw_error_sizes


def calibrated_size_ratio(y, proba, predicted, w, eps=1e-8):
    c = confidences(proba, predicted)
    total = sum(w[i] / (1 - min(max(c[i], eps), 1 - eps)) for i in range(len(y)) if y[i] != predicted[i])
    return total / sum(w)


def capped_size_ratio(y, proba, predicted, w, cap=20.0):
    seen, announced = 0.0, 0.0
    for i, c in enumerate(confidences(proba, predicted)):
        counted = cap if (1 - c) * cap < 1 else 1 / (1 - c)
        seen += w[i] * counted * (y[i] != predicted[i])
        announced += w[i] * counted * (1 - c)
    return seen / announced if announced else math.nan


def calibrated_size_ratio_std(y, proba, predicted, w, eps=1e-8):
    clipped = [min(max(c, eps), 1 - eps) for c in confidences(proba, predicted)]
    return math.sqrt(sum(w[i] ** 2 * c / (1 - c) for i, c in enumerate(clipped))) / sum(w)


def calibrated_size_ratio_zscore(y, proba, predicted, w, eps=1e-8):
    ratio = calibrated_size_ratio(y, proba, predicted, w, eps)
    return (ratio - 1) / calibrated_size_ratio_std(y, proba, predicted, w, eps)


def overconfidence_risk(y, proba, predicted, w, eps=1e-8):
    ratio = calibrated_size_ratio(y, proba, predicted, w, eps)
    if ratio <= 1 + 1e-12:  # 1, up to rounding
        return 0.0
    z = (ratio - 1) / calibrated_size_ratio_std(y, proba, predicted, w, eps)
    return 0.5 * math.erfc(-z / math.sqrt(2))


CASES = [
    Case("calibrated_size_ratio", {}, calibrated_size_ratio),
    Case("calibrated_size_ratio", {"eps": 1e-3}, calibrated_size_ratio),
    Case("capped_size_ratio", {}, capped_size_ratio),
    Case("capped_size_ratio", {"cap": 3}, capped_size_ratio),
    Case("calibrated_size_ratio_std", {}, calibrated_size_ratio_std),
    Case("calibrated_size_ratio_std", {"eps": 1e-3}, calibrated_size_ratio_std),
    # It cancels at full confidence: its eps keeps that away.
    Case("calibrated_size_ratio_zscore", {"eps": 1e-3}, calibrated_size_ratio_zscore),
    Case("overconfidence_risk", {}, overconfidence_risk),
    Case("overconfidence_risk", {"eps": 0.05}, overconfidence_risk),
]
TestProperties = properties_of(CASES)


correctness = ConfidenceProfile.from_correctness


# The ratio ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_size_ratio_is_bounded_below_by_accuracy_and_confidence_of_errors(outcome):
    """Proposition 7 of the CSR paper."""
    wrong = outcome.y != outcome.predicted
    if not (outcome.weight * wrong).any():
        return
    sure = outcome.proba[np.arange(len(wrong)), outcome.predicted]
    on_errors = min(np.average(sure, weights=outcome.weight * wrong), 1 - 1e-8)
    bound = np.average(wrong, weights=outcome.weight) / (1 - on_errors)
    assert outcome.call(metrics.calibrated_size_ratio) >= bound * (1 - 1e-6)


def test_small_calibration_error_hides_a_huge_size_ratio():
    """Proposition 5 of the CSR paper: ECE < 1/n with CSR above any bound."""
    n = 1000
    correct, sure = np.ones(n), np.ones(n)
    correct[0] = 0
    sure[0] = 1 - 1e-7
    profile = ConfidenceProfile.from_correctness(correct, sure)
    assert metrics.expected_calibration_error(profile) < 1 / n
    assert metrics.calibrated_size_ratio(profile) == pytest.approx(1e7 / n)


def test_a_row_given_twice_shrinks_the_standard_deviation_where_a_weight_of_two_does_not():
    y, proba = [0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]
    once = metrics.calibrated_size_ratio_std(y, proba)
    assert metrics.calibrated_size_ratio_std(y, proba, sample_weight=[2, 2, 2, 2]) == pytest.approx(once)
    assert metrics.calibrated_size_ratio_std(y * 2, proba * 2) == pytest.approx(once / math.sqrt(2))


def test_full_confidence_in_float32_stays_finite():
    sure = np.array([1 - 1e-8, 0.5], dtype=np.float32)  # the first rounds to 1
    assert sure[0] == 1
    profile = ConfidenceProfile.from_correctness([0, 1], sure)
    assert metrics.calibrated_size_ratio(profile) == pytest.approx(1e8 / 2, rel=1e-6)


# The risk by simulation -----------------------------------------------------------------------------------------------


def simulated(profile, **params):
    return metrics.overconfidence_risk(profile, method="monte_carlo", **params)


def test_exact_tail_of_a_few_samples():
    """Of three samples all 2³ outcomes are enumerated."""
    sure = np.array([0.5, 0.8, 0.95])
    size, chance = 1 / (1 - sure), 1 - sure
    outcomes = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)])
    probability = np.prod(np.where(outcomes, chance, 1 - chance), axis=1)
    for wrong in outcomes:
        tail = probability[outcomes @ size >= wrong @ size - 1e-9].sum()
        risk = simulated(correctness(1 - wrong, sure), n_resamples=100_000)
        assert 1 - risk == pytest.approx(tail, abs=5 * np.sqrt(tail / 100_000))


@pytest.mark.parametrize(
    "sure",
    [
        [0.5, 0.8, 0.95],
        [0.9] * 8,
        [0.5, 0.5, 0.75, 0.75, 0.9, 0.9, 0.98, 0.98],
        [0.0, 0.3, 0.55, 0.6, 0.71, 0.83, 0.99999, 1.0, 1.0],
        [1.0] * 4,
        [0.2],
    ],
)
def test_convolution_is_the_tail_over_all_outcomes(sure):
    n, clipped = len(sure), np.clip(sure, 1e-8, 1 - 1e-8)
    outcomes = np.array([[(k >> i) & 1 for i in range(n)] for k in range(1 << n)])
    size, probability = 1 / (1 - clipped), np.prod(np.where(outcomes, 1 - clipped, clipped), axis=1)
    sums = outcomes @ size
    for wrong, total in zip(outcomes[:: max(1, len(outcomes) // 32)], sums[:: max(1, len(sums) // 32)], strict=True):
        tail = probability[sums >= total * (1 - 1e-9)].sum()
        risk = metrics.overconfidence_risk(correctness(1 - wrong, sure), method="convolution")
        assert 1 - risk == pytest.approx(tail, abs=2e-5, rel=2e-3)


@pytest.mark.parametrize("n_samples", [100, 2000, 30_000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_convolution_is_the_mean_of_draws(distribution, n_samples):
    """With all sizes on the grid, with some of them normal together, and with most."""
    rng = np.random.default_rng(0)
    sure = np.clip(draw_confidences(distribution, n_samples, 1), 1e-8, 1 - 1e-8)
    drawn = draw_error_sizes(1 / (1 - sure), 20_000, rng)
    for excess in (1, 1, 1.2):
        wrong = rng.random(n_samples) < np.minimum(excess * (1 - sure), 1)
        expected = (drawn < (1 / (1 - sure))[wrong].sum() * (1 - 1e-9)).mean()
        risk = metrics.overconfidence_risk(correctness(~wrong, sure), method="convolution")
        assert risk == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20_000))


def test_convolution_takes_no_weights():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.9, 0.8], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="weight"):
        metrics.overconfidence_risk(profile, method="convolution")


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.slow
def test_draws_have_the_moments_of_calibrated_errors(distribution):
    """Of Σ s e with e ~ Bernoulli(1/s): mean n, variance Σ (s − 1), and the tail of a plain simulation."""
    rng = np.random.default_rng(0)
    sure = np.clip(draw_confidences(distribution, 2000, 1), 1e-8, 0.999)
    size = 1 / (1 - sure)
    drawn = draw_error_sizes(size, 40_000, rng)
    spread = np.sqrt((size - 1).sum())
    assert drawn.mean() == pytest.approx(2000, abs=5 * spread / np.sqrt(40_000))
    assert drawn.std() == pytest.approx(spread, rel=0.05)
    plain = np.concatenate([(rng.random((500, 2000)) < 1 / size) @ size for _ in range(20)])
    for level in (0.5, 0.8413, 0.99):
        share = (drawn <= np.quantile(plain, level)).mean()
        assert share == pytest.approx(level, abs=5 * np.sqrt(level * (1 - level) / 10_000))


@pytest.mark.parametrize("chance", [0.9, 0.3, 0.01, 1e-6])
def test_cells_are_hit_independently_with_their_chance(chance):
    rng = np.random.default_rng(0)
    n_cells = min(int(2000 / chance), 10**9)
    hits = _rare_cells(n_cells, chance, rng)
    assert (np.diff(hits) > 0).all()
    assert hits[-1] < n_cells
    assert len(hits) == pytest.approx(n_cells * chance, abs=5 * np.sqrt(n_cells * chance * (1 - chance) + 1))


def false_positives(distribution, n_samples, n_sets, n_each, seed=0):
    """Return the shares of calibrated data sets above the nominal levels: simulated, then normal."""
    rng, draw = np.random.default_rng(seed), np.random.RandomState(seed)
    counts = np.zeros(4)
    for _ in range(n_sets):
        sure = np.clip(draw_confidences(distribution, n_samples, draw), 1e-8, 1 - 1e-8)
        size = 1 / (1 - sure)
        null = np.sort(draw_error_sizes(size, 19_999, rng))
        observed = np.concatenate([(rng.random((n_each // 10, n_samples)) < 1 / size) @ size for _ in range(10)])
        as_large = len(null) - np.searchsorted(null, observed * (1 - 1e-9))
        p_value = (as_large + 1) / 20_000
        z = (observed - n_samples) / np.sqrt((size - 1).sum())
        counts += [(p_value <= 0.1587).sum(), (p_value <= 0.00135).sum(), (z > 1).sum(), (z > 3).sum()]
    return counts / (n_sets * n_each)


@pytest.mark.slow
@pytest.mark.parametrize("n_samples", [100, 1000, 10_000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_false_positives_stay_at_the_nominal_level(distribution, n_samples):
    """Never above nominal beyond simulation error: that of the data, and that of each set's simulated quantile."""
    n_sets, n_each = 40, 1000
    for share, level in zip(
        false_positives(distribution, n_samples, n_sets, n_each)[:2], (0.1587, 0.00135), strict=True
    ):
        error = np.sqrt(level * (1 - level) / (n_sets * n_each) + level * (1 - level) / (20_000 * n_sets))
        assert share <= level + 4 * error


@pytest.mark.simulation
def test_false_positives_of_the_normal_approximation_are_several_times_nominal():
    simulated_share, normal_share = false_positives("Tight Hi", 300, n_sets=20, n_each=1000)[[1, 3]]
    assert simulated_share < 0.00135 + 4 * np.sqrt(0.00135 / 20_000 + 0.00135 / 400_000)
    assert normal_share > 4 * 0.00135


def test_both_methods_agree_where_the_normal_holds():
    rng = np.random.default_rng(3)
    sure = rng.uniform(0.3, 0.6, 5000)
    profile = correctness(rng.random(5000) < sure - 0.012, sure)
    z = metrics.calibrated_size_ratio_zscore(profile)
    assert 0.5 < z < 3
    assert metrics.overconfidence_risk(profile) == pytest.approx(ndtr(z))
    assert simulated(profile, n_resamples=50_000) == pytest.approx(ndtr(z), abs=0.01)


def test_certain_right_answers_do_not_hide_the_errors_of_the_others():
    """They lower the ratio, and not the risk by simulation: 299 errors, where 200 are announced."""
    sure, right = np.repeat([0.9, 1.0], 2000), np.arange(4000) >= 299
    half, whole = correctness(right[:2000], sure[:2000]), correctness(right, sure)
    assert metrics.calibrated_size_ratio(half) == pytest.approx(1.495)
    assert metrics.calibrated_size_ratio(whole) == pytest.approx(0.7475)
    assert simulated(half) == simulated(whole) == 0.9999
    assert metrics.overconfidence_risk(whole) == 0  # as the paper's tables have it


def test_simulated_risk_below_a_ratio_of_one_is_one_minus_p():
    """One error at .3 of {.6, .7, .8, .3}: the probability of errors as large, enumerated."""
    sure = np.array([0.6, 0.7, 0.8, 0.3])
    outcomes = np.array([[(k >> i) & 1 for i in range(4)] for k in range(16)])
    probability = np.prod(np.where(outcomes, 1 - sure, sure), axis=1)
    tail = probability[outcomes @ (1 / (1 - sure)) >= 1 / 0.7 - 1e-9].sum()
    found = simulated(correctness([1, 1, 1, 0], sure), n_resamples=100_000)
    assert 1 - found == pytest.approx(tail, abs=0.005)
    assert simulated(correctness([1, 1], [0.9, 1.0])) == 0  # no error: every draw is as large


@pytest.mark.parametrize("n_resamples", [1, 9, 99])
def test_the_data_count_as_one_of_the_draws(n_resamples):
    """Twenty errors of twenty at .999 have a probability of 1e-60: no draw is as large, and p is 1/(B + 1)."""
    impossible = correctness([0] * 20, [0.999] * 20)
    assert simulated(impossible, n_resamples=n_resamples) == 1 - 1 / (n_resamples + 1)


def test_simulated_risk_is_seeded_and_unweighted():
    risky = correctness([0, 1, 0, 1, 1], [0.9, 0.6, 0.8, 0.9, 0.7])
    assert simulated(risky) == simulated(risky) != simulated(risky, random_state=1)
    with pytest.raises(ValueError, match=r"with method='monte_carlo'.* use method='normal'"):
        simulated(correctness([0, 1], [0.9, 0.6], sample_weight=[1, 2]))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method": "exact"}, "method must be one of 'normal', 'convolution', 'monte_carlo'"),
        ({"n_resamples": 0}, "n_resamples must be at least 1"),
        ({"eps": 0.7}, r"eps must lie in \[0, 0.5\]"),
        ({"eps": 0.7, "method": "monte_carlo"}, r"eps must lie in \[0, 0.5\]"),
    ],
)
def test_bad_parameter_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        metrics.overconfidence_risk([0, 1], [0.2, 0.7], **params)


@pytest.mark.parametrize(
    ("n", "confidence", "errors"), [(400, 0.8, 66), (400, 0.8, 95), (2000, 0.9, 230), (3000, 0.6, 1250)]
)
def test_the_risk_of_equal_confidences_is_that_of_a_binomial(n, confidence, errors):
    """Where many small sizes are taken together, too."""
    profile = ConfidenceProfile.from_correctness(np.arange(n) >= errors, np.full(n, confidence))
    found = metrics.overconfidence_risk(profile, method="convolution")
    assert found == pytest.approx(binom.cdf(errors - 1, n, 1 - confidence), abs=2e-4)


def test_half_a_step_is_taken_off_only_where_all_sizes_are_equal():
    """Sums of equal sizes are that far apart; a normal distribution knows no steps."""
    occurred = np.array([True, False, True])
    assert _NormalSum(np.array([5.0, 5.0, 5.0]), occurred).observed == 7.5
    assert _NormalSum(np.array([5.0, 5.0, 2.0]), occurred).observed == 7.0
