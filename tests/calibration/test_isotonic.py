"""Smoothed isotonic calibration, against its definition spelt out sample by sample, and against its promise."""

import pickle
import warnings

import numpy as np
import pytest
from _support.predictions import draw_labels, draw_proba
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from skconf import ConfidenceProfile
from skconf.calibration import IsotonicCalibrator
from skconf.calibration._isotonic import SMOOTHING, plateaus, with_further
from skconf.metrics import calibrated_size_ratio, calibrated_size_ratio_std, confidence_brier_loss, cw_accuracy_score

#: Weights of any size are fitted here; that small ones are told is tested in test_base.py.
pytestmark = pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")

# --- the definition -----------------------------------------------------------------------------------------------


def pooled(blocks):
    """Pool neighbours, [negatives, positives, members], until the share of positives rises."""
    stack = []
    for negatives, positives, members in blocks:
        stack.append([negatives, positives, members])
        while len(stack) > 1 and stack[-2][1] / sum(stack[-2][:2]) > stack[-1][1] / sum(stack[-1][:2]) - 1e-14:
            last = stack.pop()
            stack[-1] = [a + b for a, b in zip(stack[-1], last, strict=True)]
    return stack


def isotonic(sums):
    """Return the share of positives of every value's plateau; sums maps values to [negatives, positives]."""
    fit = {}
    for negatives, positives, members in pooled([[*sums[value], [value]] for value in sorted(sums)]):
        fit |= dict.fromkeys(members, positives / (negatives + positives))
    return fit


def by_definition(p, y, weight, smoothing, n_classes=2):
    """Return what a smoothed calibration makes of each value of p, three steps for one value at a time."""
    sums = {}
    for value, outcome, w in zip(p.tolist(), y.tolist(), weight.tolist(), strict=True):
        if w:
            sums.setdefault(value, [0.0, 0.0])[int(outcome)] += w
    values = sorted(sums)
    plateaus = pooled([[*sums[value], [value]] for value in values])
    share = 1 / n_classes
    smoothed = [[n + smoothing * (1 - share), k + smoothing * share, [members]] for n, k, members in plateaus]
    centres, odds = [], []
    for negatives, positives, groups in pooled(smoothed):
        inside = [value for members in groups for value in members]
        mass = np.array([sum(sums[value]) for value in inside])
        centres.append(mass @ np.log(np.divide(inside, 1 - np.array(inside))) / mass.sum())
        odds.append(np.log(positives / negatives))
    out = {}
    for value in values:
        line = 1 / (1 + np.exp(-np.interp(np.log(value / (1 - value)), centres, odds)))
        ends = []
        for outcome in (0, 1):
            joined = {other: list(counts) for other, counts in sums.items()}
            joined[value][outcome] += smoothing
            ends.append(isotonic(joined)[value])
        out[value] = min(max(line, ends[0]), ends[1])
    return values, np.array([out[value] for value in values])


def draw_task(seed, n, steps):
    """Return probabilities inside (0, 1) with ties, outcomes of both kinds, and repetition counts."""
    rng = np.random.default_rng(seed)
    p = (rng.integers(0, steps, n) + 0.5) / steps
    y = rng.random(n) < rng.choice([p, p**3, np.full(n, 0.5), p > 0.5, 1 - p])
    y[:2] = [True, False]
    count = rng.integers(0, 4, n)
    count[:2] += 1
    return p, y, count


TASKS = given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), steps=st.sampled_from([1, 2, 7, 40, 10**6]))
SMOOTHINGS = [0.01, 1.0, SMOOTHING, 30.0]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("weighted", ["ones", "counts", "real"])
@TASKS
@settings(max_examples=15, deadline=None)
def test_smoothed_isotonic_is_what_its_documentation_says(smoothing, weighted, seed, n, steps):
    p, y, count = draw_task(seed, n, steps)
    weight = {"ones": np.ones(n), "counts": count, "real": count * np.random.default_rng(seed).exponential(1, n)}[
        weighted
    ]
    values, expected = by_definition(p, y, weight.astype(float), smoothing)
    got = IsotonicCalibrator(smoothing=smoothing).fit(p, y, weight).predict_proba(values)[:, 1]
    np.testing.assert_allclose(got, expected, rtol=1e-9)


@TASKS
@settings(max_examples=12, deadline=None)
@pytest.mark.parametrize("further", [0.0, 0.1, 3.0, 1000.0])
def test_regressions_with_further_samples_are_those_refitted_for_every_value(further, seed, n, steps):
    p, y, _ = draw_task(seed, n, steps)
    values, where = np.unique(p, return_inverse=True)
    counts = np.bincount(where, y).astype(float), np.bincount(where, ~y).astype(float)
    got = with_further(plateaus(*counts), *counts, further)
    weight = np.append(np.ones(n), further)
    for outcome, fitted in zip((False, True), got, strict=True):
        for value, at in zip(values, fitted, strict=True):
            refitted = IsotonicRegression().fit(np.append(p, value), np.append(y, outcome), weight)
            assert at == pytest.approx(refitted.predict([value])[0], abs=1e-12)


@pytest.mark.parametrize("n_classes", [3, 10])
def test_further_samples_are_spread_over_all_classes(n_classes):
    proba = 0.98 * draw_proba(80, n_classes, seed=n_classes) + 0.02 / n_classes
    y = np.append(np.arange(n_classes), draw_labels(proba, np.random.default_rng(0))[n_classes:])
    model = IsotonicCalibrator(smoothing=3.0).fit(proba, y)
    columns = np.empty_like(proba)
    for k in range(n_classes):
        values, fitted = by_definition(proba[:, k], y == k, np.ones(80), 3.0, n_classes)
        columns[:, k] = fitted[np.searchsorted(values, proba[:, k])]
    expected = columns / columns.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(proba), expected, rtol=1e-9)


def test_between_values_it_is_linear_and_beyond_them_level():
    p, y, _ = draw_task(0, 40, 30)
    values = np.unique(p)
    model = IsotonicCalibrator(smoothing=2.0).fit(p, y)
    at = model.predict_proba(values)[:, 1]
    between = model.predict_proba(0.75 * values[:-1] + 0.25 * values[1:])[:, 1]
    np.testing.assert_allclose(between, 0.75 * at[:-1] + 0.25 * at[1:], rtol=1e-12)
    np.testing.assert_array_equal(model.predict_proba([0.0, 1.0])[:, 1], at[[0, -1]])


@pytest.mark.parametrize("smoothing", [0.0, 2.0])
def test_lines_between_the_least_numbers_there_are_stay_finite(smoothing):
    least = np.nextafter(0, 1)
    proba = np.repeat([0.0, 2000 * least, 0.5], [20, 20, 10])
    fitted = IsotonicCalibrator(smoothing=smoothing).fit(proba, proba > 0)
    low, middle, high = fitted.predict_proba([0.0, 1000 * least, 2000 * least])[:, 1]
    assert middle == pytest.approx((low + high) / 2, rel=1e-12)
    assert 0 <= low < high <= 1


# --- from plain to nothing ----------------------------------------------------------------------------------------


@TASKS
@settings(max_examples=50, deadline=None)
def test_without_smoothing_it_is_scikit_learns_isotonic_regression(seed, n, steps):
    p, y, count = draw_task(seed, n, steps)
    asked = np.append(p, np.linspace(0, 1, 101))
    expected = IsotonicRegression(out_of_bounds="clip").fit(p, y, count).predict(asked)
    got = IsotonicCalibrator().fit(p, y, count).predict_proba(asked)[:, 1]
    np.testing.assert_allclose(got, expected, atol=1e-12)


@TASKS
@settings(max_examples=50, deadline=None)
def test_a_little_smoothing_changes_little_and_a_lot_leaves_nothing(seed, n, steps):
    p, y, _ = draw_task(seed, n, steps)
    plain = IsotonicCalibrator().fit(p, y).predict_proba(p)
    np.testing.assert_allclose(IsotonicCalibrator(smoothing=1e-9).fit(p, y).predict_proba(p), plain, atol=1e-8)
    np.testing.assert_allclose(IsotonicCalibrator(smoothing=1e9).fit(p, y).predict_proba(p), 0.5, atol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
@pytest.mark.parametrize("smoothing", [0.5, 2.0, 7.0])
def test_a_pure_plateau_claims_what_the_rule_of_succession_allows(n, smoothing):
    p, y = np.repeat([0.2, 0.7], n), np.repeat([0, 1], n)
    got = IsotonicCalibrator(smoothing=smoothing).fit(p, y).predict_proba([0.2, 0.7])[:, 1]
    np.testing.assert_allclose(got, [smoothing / 2 / (n + smoothing), (n + smoothing / 2) / (n + smoothing)])


# --- properties ---------------------------------------------------------------------------------------------------


def random_rows(seed, n):
    """Return probabilities of any kind, 0 and 1 among them, and outcomes of both kinds."""
    rng = np.random.default_rng(seed)
    p = rng.beta(*rng.choice([0.05, 1, 20], 2), n).round(rng.integers(1, 18))
    y = rng.random(n) < rng.choice([p, 1 - p, np.full(n, 0.5)])
    y[:2] = [True, False]
    return p, y


ROWS = given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 200), smoothing=st.sampled_from([1e-6, 0.5, 2.0, 1e3]))


@ROWS
@example(seed=0, n=2, smoothing=2.0)
@settings(max_examples=100, deadline=None)
def test_output_rises_and_is_never_certain(seed, n, smoothing):
    p, y = random_rows(seed, n)
    weight = np.random.default_rng(seed).exponential(1, n)
    asked = np.unique(np.concatenate([p, np.linspace(0, 1, 500)]))
    got = IsotonicCalibrator(smoothing=smoothing).fit(p, y, weight).predict_proba(asked)[:, 1]
    assert got.min() > 0
    assert got.max() < 1
    assert np.diff(got).min() >= -1e-15  # the rounding of a straight line


@ROWS
@settings(max_examples=50, deadline=None)
def test_a_whole_weight_is_a_repetition_and_order_does_not_matter(seed, n, smoothing):
    p, y = random_rows(seed, n)
    rng = np.random.default_rng(seed)
    count = rng.integers(0, 4, n)
    count[:2] += 1
    rows = rng.permutation(np.repeat(np.arange(n), count))
    by_weight = IsotonicCalibrator(smoothing=smoothing).fit(p, y, count).predict_proba(p)
    by_rows = IsotonicCalibrator(smoothing=smoothing).fit(p[rows], y[rows]).predict_proba(p)
    np.testing.assert_allclose(by_weight, by_rows, rtol=1e-9)


@ROWS
@settings(max_examples=50, deadline=None)
def test_both_classes_are_treated_alike(seed, n, smoothing):
    p, y = random_rows(seed, n)
    p = (p * 64).round() / 64  # 1 - p is exact
    got = IsotonicCalibrator(smoothing=smoothing).fit(p, y).predict_proba(p)
    turned = IsotonicCalibrator(smoothing=smoothing).fit(1 - p, ~y).predict_proba(1 - p)
    np.testing.assert_allclose(turned[:, ::-1], got, atol=1e-9)


@ROWS
@settings(max_examples=50, deadline=None)
def test_weights_may_be_given_in_units_of_the_smoothing(seed, n, smoothing):
    p, y = random_rows(seed, n)
    once = IsotonicCalibrator(smoothing=smoothing).fit(p, y).predict_proba(p)
    tenfold = IsotonicCalibrator(smoothing=10 * smoothing).fit(p, y, np.full(n, 10.0)).predict_proba(p)
    np.testing.assert_allclose(tenfold, once, rtol=1e-9)


def test_short_floats_are_read_as_the_numbers_they_are():
    p, y = random_rows(3, 200)
    short = p.astype(np.float32)
    got = IsotonicCalibrator(smoothing=2.0).fit(short, y).predict_proba(short)
    expected = IsotonicCalibrator(smoothing=2.0).fit(short.astype(float), y).predict_proba(short.astype(float))
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got, expected)


# --- the promise --------------------------------------------------------------------------------------------------


def simulated_profiles(calibrator, n_calibration, repetitions=60):
    """Return profiles of many test samples, each after a calibration on few, of confidences that are too high."""
    rng = np.random.default_rng(0)
    profiles = []
    for _ in range(repetitions):
        truth = rng.beta(3, 0.3, n_calibration + 2000)
        correct, confidence = rng.random(len(truth)) < truth, 1 - (1 - truth) ** 2
        fit, test = slice(n_calibration), slice(n_calibration, None)
        calibrator.fit(confidence[fit], correct[fit], labels=[False, True])
        profiles.append(
            ConfidenceProfile.from_correctness(correct[test], calibrator.predict_proba(confidence[test])[:, 1])
        )
    return profiles


@pytest.mark.simulation
@pytest.mark.parametrize("n_calibration", [100, 1000])
def test_smoothing_is_safe_where_plain_isotonic_is_not(n_calibration):
    plain = simulated_profiles(IsotonicCalibrator(), n_calibration)
    smoothed = simulated_profiles(IsotonicCalibrator(smoothing=SMOOTHING), n_calibration)

    def risky(profiles, deviations):
        excess = [(calibrated_size_ratio(p) - 1) / calibrated_size_ratio_std(p) for p in profiles]
        return np.mean(np.array(excess) > deviations)

    def mean(metric, profiles):
        return np.mean([metric(profile) for profile in profiles])

    assert risky(plain, 3) > 0.5
    # Of confidences that are exactly calibrated, up to one in six exceeds one deviation, and one in a hundred three.
    assert risky(smoothed, 1) < 1 / 4
    assert risky(smoothed, 3) < 1 / 20
    assert mean(cw_accuracy_score, smoothed) > mean(cw_accuracy_score, plain) - 0.001
    assert mean(confidence_brier_loss, smoothed) < mean(confidence_brier_loss, plain)


# --- edges --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_a_constant_probability_becomes_the_smoothed_rate_everywhere(value):
    model = IsotonicCalibrator(smoothing=2.0).fit(np.full(10, value), np.arange(10) < 3)
    np.testing.assert_allclose(model.predict_proba([0.0, value, 0.9])[:, 1], 4 / 12)


@pytest.mark.parametrize("labels", [[False, True], ["a", "b", "c"]])
def test_a_single_class_leaves_probabilities_as_they_are(labels):
    proba = np.full((1, len(labels)), 1 / len(labels))
    with pytest.warns(UserWarning, match="unchanged"):
        model = IsotonicCalibrator(smoothing=2.0).fit(proba, labels[:1], labels=labels)
    np.testing.assert_allclose(model.predict_proba(proba), proba)


def test_certain_probabilities_and_hopeless_ones():
    p = np.array([0, 0, 1, 1, 1, 1e-300, 1 - 1e-16])
    y = [0, 1, 1, 1, 0, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = IsotonicCalibrator(smoothing=2.0).fit(p, y).predict_proba(np.append(p, 0.5))
        against = IsotonicCalibrator(smoothing=2.0).fit(p, 1 - np.array(y)).predict_proba(p)
    assert ((got > 0) & (got < 1)).all()
    np.testing.assert_allclose(against[:, 1], np.full(7, 4 / 9))  # a classifier worse than chance: one plateau


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_scale_of_weights_is_the_size_of_the_sample(scale):
    p, y = random_rows(1, 50)
    got = IsotonicCalibrator(smoothing=2.0).fit(p, y, np.full(50, scale)).predict_proba(p)[:, 1]
    expected = IsotonicCalibrator().fit(p, y).predict_proba(p)[:, 1] if scale > 1 else 0.5
    np.testing.assert_allclose(got, expected, atol=1e-9)


@pytest.mark.parametrize("smoothing", [-1.0, np.inf, np.nan, -np.inf])
def test_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="smoothing must lie in"):
        IsotonicCalibrator(smoothing=smoothing).fit([0.1, 0.9], [0, 1])


@pytest.mark.parametrize("smoothing", ["2", None, True])
def test_smoothing_that_is_no_number_is_refused(smoothing):
    with pytest.raises(TypeError, match="smoothing must be a number"):
        IsotonicCalibrator(smoothing=smoothing).fit([0.1, 0.9], [0, 1])


def test_it_is_cloned_and_pickled():
    p, y = random_rows(0, 50)
    model = clone(IsotonicCalibrator(smoothing=SMOOTHING)).fit(p, y)
    assert model.get_params() == {"smoothing": SMOOTHING}
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(p), model.predict_proba(p))
