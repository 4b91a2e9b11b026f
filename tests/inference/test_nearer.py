"""Which model is nearer to a best value inside the range: by formulas and resampling."""

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile
from skconf.inference import compare

ECD = ("neg_ecd_deviation", {"on": "confidence"})


def deviations(metric, wrong, sure):
    """Return the deviation from the best value that each answer adds."""
    if metric == "neg_csr_deviation":
        return wrong / (1 - sure) - 1
    return (sure - (1 - wrong)) * logit(sure)


def draw(rng, n, first, second, shared=0.5):
    """Draw errors of two models that occur `first` and `second` times as often as announced."""
    sure = [rng.uniform(0.6, 0.8, n) for _ in range(2)]
    common, own = rng.random(n), rng.random((2, n))
    use = rng.random(n) < shared
    chance = [np.where(use, common, mine) for mine in own]
    return [(u < times * (1 - c), c) for u, times, c in zip(chance, (first, second), sure, strict=True)]


def profiles_of(models, **more):
    return {
        name: ConfidenceProfile.from_correctness(~wrong, sure, **more)
        for name, (wrong, sure) in zip("ab", models, strict=True)
    }


def by_hand(a, b, level=0.95):
    """Return |b| − |a| with its interval and p-value: of means of paired rows, over a fine grid of the box."""
    tests = [stats.ttest_1samp(b - a, 0), stats.ttest_1samp(b + a, 0)]
    u, v = np.meshgrid(*(np.linspace(*test.confidence_interval(level), 201) for test in tests))
    range_of = np.abs((v + u) / 2) - np.abs((v - u) / 2)
    return abs(b.mean()) - abs(a.mean()), range_of.min(), range_of.max(), max(test.pvalue for test in tests)


@pytest.mark.parametrize("metric", [ECD, "neg_csr_deviation"], ids=["ecd", "csr"])
@pytest.mark.parametrize("times", [(1, 1.3), (1.3, 0.9), (0.8, 1.2), (1.4, 1.7), (0.6, 0.9), (1, 1)])
@pytest.mark.parametrize("groups", [None, 4])
def test_difference_interval_and_p_value_by_their_formulas(metric, times, groups):
    models = draw(np.random.default_rng(1), 800, *times)
    name = metric if isinstance(metric, str) else metric[0]
    rows = [deviations(name, *model) for model in models]
    group = None if groups is None else np.arange(800) // groups
    units = rows if groups is None else [each.reshape(-1, groups).mean(axis=1) for each in rows]
    found = compare(metric, profiles_of(models), groups=group)
    expected = by_hand(*units)
    assert (found.difference, found.low, found.high) == pytest.approx(expected[:3], rel=1e-6, abs=1e-9)
    assert found.p_value == pytest.approx(expected[3], rel=1e-6)
    assert found.first_value == pytest.approx(-abs(rows[0].mean()))
    assert np.isnan(found.standard_error)
    assert found.method == "delta"


def test_the_other_order_is_the_mirror_image():
    models = profiles_of(draw(np.random.default_rng(2), 500, 1.3, 0.9))
    one = compare(ECD, models)
    other = compare(ECD, {"b": models["b"], "a": models["a"]})
    assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))
    assert one.p_value == pytest.approx(other.p_value)


@pytest.mark.parametrize("method", ["auto", "bootstrap"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_excludes_zero_exactly_where_the_p_value_is_small(method, level):
    rng = np.random.default_rng(3)
    excluded = 0
    for _ in range(40):
        models = profiles_of(draw(rng, 300, *rng.uniform(0.5, 1.8, 2)))
        found = compare(ECD, models, method=method, confidence_level=level, n_resamples=100, random_state=0)
        assert found.low <= found.difference <= found.high
        assert (found.low > 0 or found.high < 0) == (found.p_value <= 1 - level)
        excluded += found.p_value <= 1 - level
    assert 5 < excluded < 35


def test_resamples_agree_with_those_of_signed_deviations():
    models = draw(np.random.default_rng(4), 400, 1.3, 1.6)
    found = compare(ECD, profiles_of(models), method="bootstrap", n_resamples=2000, random_state=0)
    a, b = (deviations("neg_ecd_deviation", *model) for model in models)
    rng = np.random.default_rng(5)
    drawn = np.array([(b[at].mean(), a[at].mean()) for at in rng.integers(0, 400, (2000, 400))])
    errors = (drawn @ [[1, 1], [-1, 1]]).std(axis=0, ddof=1)
    estimates = np.array([b.mean() - a.mean(), b.mean() + a.mean()])
    expected = np.abs(estimates / errors).min()
    assert stats.t.isf(found.p_value / 2, 399) == pytest.approx(expected, rel=0.1)
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, 399) * errors[0], rel=0.1)
    assert np.isnan(found.standard_error)
    assert found.method == "bootstrap"


def test_few_answers_that_differ_are_counted():
    """Of six answers that one model alone has wrong, a t test finds p = .014."""
    sure = np.full(400, 0.7)
    first, second = np.arange(400) < 240, np.arange(400) < 246
    found = compare("neg_csr_deviation", profiles_of([(first, sure), (second, sure)]))
    assert found.p_value == pytest.approx(2 / 64)
    assert found.method == "exact"
    five = compare("neg_csr_deviation", profiles_of([(first, sure), (np.arange(400) < 245, sure)]))
    assert five.p_value == pytest.approx(2 / 32)
    assert (five.low, five.high > 0) == (0, True)


@pytest.mark.parametrize("method", ["auto", "delta", "bootstrap", "permutation"])
@pytest.mark.parametrize("times", [1, 1.5])
def test_a_model_is_as_near_as_itself(method, times):
    ((wrong, sure), _) = draw(np.random.default_rng(6), 200, times, 1)
    found = compare(ECD, profiles_of([(wrong, sure)] * 2), method=method, n_resamples=50, random_state=0)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


@pytest.mark.parametrize("method", ["auto", "bootstrap", "permutation"])
def test_two_models_at_the_best_value_are_as_near(method):
    wrong = np.arange(400) % 4 == 0
    models = [(wrong, np.full(400, 0.75)), (np.roll(wrong, 2), np.full(400, 0.75))]
    found = compare("neg_csr_deviation", profiles_of(models), method=method, n_resamples=50, random_state=0)
    assert (found.difference, found.p_value) == (0, pytest.approx(1))
    if method != "permutation":
        assert found.low < 0 < found.high


def test_a_value_that_never_varies_is_not_told_apart():
    """All are right, at one confidence each: nothing says how much either value might vary."""
    right = np.zeros(100, dtype=bool)
    with pytest.warns(UndefinedMetricWarning, match="the answers have only 0 errors, but 30 are needed"):
        found = compare(ECD, profiles_of([(right, np.full(100, 0.7)), (right, np.full(100, 0.8))]))
    assert found.difference != 0
    assert np.isnan([found.low, found.high, found.p_value]).all()


def test_what_rests_on_errors_that_are_not_seen_has_no_test():
    sure = np.linspace(0.9, 0.9999, 1000)
    models = profiles_of([(np.arange(1000) % 10 == 0, np.full(1000, 0.9)), (np.arange(1000) % 20 == 1, sure)])
    with pytest.warns(UndefinedMetricWarning, match="neg_csr_deviation of b is not compared") as said:
        found = compare("neg_csr_deviation", models)
    assert len(said) == 1
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert (found.first_value, found.method) == (pytest.approx(0), "none")


@pytest.mark.parametrize(
    "metric", ["calibrated_size_ratio", "neg_csr_excess", "calibrated_size_ratio_zscore", "neg_csr_deviation"]
)
@pytest.mark.parametrize("method", ["auto", "permutation"])
def test_no_size_ratio_has_one_and_the_capped_one_is_named(metric, method):
    """A sample lacks the errors of the most confident answers, so its own spread says nothing of them."""
    sure = np.linspace(0.9, 0.9999, 1000)
    models = profiles_of([(np.arange(1000) % 10 == 0, np.full(1000, 0.9)), (np.arange(1000) % 20 == 1, sure)])
    with pytest.warns(UndefinedMetricWarning, match=rf"{metric} of b .* hardly ever .*Compare capped_size_ratio"):
        found = compare(metric, models, method=method, n_resamples=50, random_state=0)
    assert np.isnan([found.low, found.high]).all()
    assert np.isnan(found.p_value) == (method == "auto")  # swapped models need no errors that are seen
    capped = compare("capped_size_ratio", models, method="auto")
    assert capped.low < capped.difference < capped.high


def test_a_size_ratio_whose_errors_are_seen_is_compared():
    sure = np.linspace(0.6, 0.9, 1000)
    models = profiles_of([(np.arange(1000) % 4 == 0, sure), (np.arange(1000) % 5 == 1, sure[::-1])])
    found = compare("calibrated_size_ratio", models)
    assert (found.low < found.difference < found.high, found.method) == (True, "delta")


def test_a_method_that_was_chosen_is_used_for_a_size_ratio():
    sure = np.linspace(0.9, 0.9999, 1000)
    models = profiles_of([(np.arange(1000) % 10 == 0, np.full(1000, 0.9)), (np.arange(1000) % 20 == 1, sure)])
    assert compare("calibrated_size_ratio", models, method="delta").method == "delta"


def mirrored(rng, n, shift, pop):
    """Draw two models of the same errors, equally far below and above the confidence that is calibrated."""
    doubt = pop(rng, n)
    share = shift / doubt.mean()
    wrong = rng.random(n) < doubt
    return [(wrong, 1 - doubt * (1 - share)), (wrong, 1 - doubt * (1 + share))]


def ordinary(rng, n):
    return 1 - expit(np.abs(rng.normal(1.5, 1.6, n)))


def narrow(rng, n):
    return rng.uniform(0.2, 0.4, n)


def share_starred(metric, n_sets, make):
    rng = np.random.default_rng(8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return np.mean([compare(metric, profiles_of(make(rng))).p_value <= 0.05 for _ in range(n_sets)])


@pytest.mark.simulation
@pytest.mark.parametrize("n", [200, 1000])
def test_models_equally_far_on_either_side_are_rarely_told_apart(n):
    """They were in 7 to 9 of 10 sets. Of 200 sets, 21 or more have a probability of .001 at a level of .05."""
    assert share_starred(ECD, 200, lambda rng: mirrored(rng, n, 0.005, narrow)) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("metric", [ECD, "neg_csr_deviation"], ids=["ecd", "csr"])
@pytest.mark.parametrize(
    "make",
    [
        lambda rng, n: mirrored(rng, n, 0.005, narrow),
        lambda rng, n: draw(rng, n, 1.02, 0.98, 0.9),
        lambda rng, n: draw(rng, n, 1.3, 1.3),
        lambda rng, n: draw(rng, n, 1, 1, 0),
    ],
    ids=["mirrored", "correlated", "one side", "calibrated"],
)
def test_level_where_there_is_no_difference(metric, make, n):
    assert share_starred(metric, 1500, lambda rng: make(rng, n)) <= 0.065


@pytest.mark.slow
def test_a_difference_is_found():
    def make(rng, n=1000):
        doubt = ordinary(rng, n)
        wrong = rng.random(n) < doubt
        return [(wrong, 1 - doubt), (wrong, 1 - doubt * 0.6)]

    assert share_starred(ECD, 300, make) > 0.9
