"""Platt scaling, checked against scikit-learn and a general optimizer."""

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, binary_task, calibrated_by_scikit_learn, three_class_task, weights
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from skconf.calibration import IsotonicCalibrator, PlattCalibrator, PooledCalibrator

#: Weights of any size are fitted here; that small ones are told is tested in test_base.py.
pytestmark = pytest.mark.filterwarnings("ignore:.* uses sample_weight as repetition counts")


def platt_targets(y, weight):
    """Return Platt's smoothed targets for weighted counts."""
    positive, negative = weight[y].sum(), weight[~y].sum()
    return np.where(y, (positive + 1) / (positive + 2), 1 / (negative + 2))


def likeliest_sigmoid(feature, target, weight):
    """Return slope and intercept by a general optimizer."""

    def loss(ab):
        margin = ab[0] * feature + ab[1]
        value = -weight @ (target * log_expit(margin) + (1 - target) * log_expit(-margin)) / weight.sum()
        residual = weight * (expit(margin) - target) / weight.sum()
        return value, np.array([residual @ feature, residual.sum()])

    start = [0.0, logit(weight @ target / weight.sum())]
    return minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-10}).x


@WEIGHTS
@pytest.mark.parametrize("on", ["logit", "proba"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_platt_is_the_likeliest_sigmoid_of_smoothed_targets(on, weight, seed):
    p, y = binary_task(120, seed)
    given_weight = weights(weight, len(p), seed)
    w = np.ones(len(p)) if given_weight is None else given_weight
    feature = p if on == "proba" else np.log(p) - np.log1p(-p)
    slope, intercept = likeliest_sigmoid(feature, platt_targets(y, w), w)
    got = PlattCalibrator(on=on).fit(p, y, given_weight).predict_proba(p)
    np.testing.assert_allclose(got[:, 1], expit(slope * feature + intercept), atol=2e-7)
    np.testing.assert_allclose(got[:, 0], 1 - got[:, 1], atol=1e-15)


@pytest.mark.parametrize("weight", ["none", "counts", "real"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_platt_on_probabilities_is_scikit_learns_sigmoid_for_two_classes(weight, seed):
    p, y = binary_task(300, seed)
    w = weights(weight, len(p), seed)
    # scikit-learn stops at a gradient of 1e-6; its L-BFGS is good for four digits.
    expected = calibrated_by_scikit_learn(np.column_stack([1 - p, p]), y, "sigmoid", w)
    got = PlattCalibrator(on="proba").fit(p, y, w).predict_proba(p)
    np.testing.assert_allclose(got, expected, atol=2e-4)
    assert np.abs(got[:, 1] - p).max() > 0.05


@pytest.mark.parametrize("seed", [0, 1])
def test_platt_on_probabilities_is_scikit_learns_sigmoid_for_three_classes(seed):
    proba, y = three_class_task(400, seed)
    expected = calibrated_by_scikit_learn(proba, y, "sigmoid")
    got = PlattCalibrator(on="proba").fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got, expected, atol=5e-4)


@pytest.mark.parametrize("on", ["logit", "proba"])
def test_platt_of_three_classes_is_one_against_the_rest_scaled_to_sum_to_one(on):
    proba, y = three_class_task()
    each = []
    for k in range(3):
        feature = proba[:, k] if on == "proba" else logit(proba[:, k])
        slope, intercept = likeliest_sigmoid(feature, platt_targets(y == k, np.ones(len(y))), np.ones(len(y)))
        each.append(expit(slope * feature + intercept))
    expected = np.transpose(each) / np.sum(each, axis=0)[:, np.newaxis]
    got = PlattCalibrator(on=on).fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got, expected, atol=2e-7)


@pytest.mark.parametrize("on", ["logit", "proba"])
def test_calibrated_probabilities_meet_the_moments_of_their_targets(on):
    # Both derivatives of the likelihood are zero: sums of the fit and of the targets agree, plain and times f.
    p, y = binary_task(1000)
    w = weights("real", 1000)
    target, feature = platt_targets(y, w), p if on == "proba" else logit(p)
    fitted = PlattCalibrator(on=on).fit(p, y, w).predict_proba(p)[:, 1]
    assert w @ fitted == pytest.approx(w @ target, rel=1e-8)
    assert w @ (fitted * feature) == pytest.approx(w @ (target * feature), rel=1e-8)


def test_the_scale_of_weights_counts_for_platt_through_its_targets_and_not_for_isotonic():
    p, y = binary_task(60)
    w = weights("real", 60)
    once, tenfold = (PlattCalibrator().fit(p, y, scale * w).predict_proba(p) for scale in (1, 10))
    assert np.abs(once - tenfold).max() > 1e-3
    # At a large scale smoothing is gone: the likeliest sigmoid of the bare outcomes.
    slope, intercept = likeliest_sigmoid(logit(p), y.astype(float), w)
    at_scale = PlattCalibrator().fit(p, y, 1e9 * w).predict_proba(p)[:, 1]
    np.testing.assert_allclose(at_scale, expit(slope * logit(p) + intercept), atol=1e-6)
    # At a small one there is only smoothing: every target is one half.
    np.testing.assert_allclose(PlattCalibrator().fit(p, y, 1e-9 * w).predict_proba(p), 0.5, atol=1e-6)
    once, tenfold = (IsotonicCalibrator().fit(p, y, scale * w).predict_proba(p) for scale in (1, 10))
    np.testing.assert_allclose(once, tenfold, atol=1e-12)


@given(positives=st.integers(1, 10**4), negatives=st.integers(1, 10**4))
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("on", ["logit", "proba"])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.5, 0.5000001), (0.2, 0.3), (1e-12, 1e-11)])
def test_two_separable_values_get_their_targets_exactly(positives, negatives, on, low, high):
    # Two parameters for two distinct values: the fit is the targets, however far or near the values lie.
    p, y = [low, high], [0, 1]
    got = PlattCalibrator(on=on).fit(p, y, [negatives, positives]).predict_proba(p)[:, 1]
    np.testing.assert_allclose(got, [1 / (negatives + 2), (positives + 1) / (positives + 2)], rtol=1e-5)


@pytest.mark.parametrize("on", ["logit", "proba"])
@pytest.mark.parametrize("n", [2, 3, 10, 1000, 100_000])
def test_separable_data_converge(on, n):
    p = np.linspace(0, 1, n)
    y = np.arange(n) >= n // 2
    got = PlattCalibrator(on=on).fit(p, y).predict_proba(p)[:, 1]
    assert np.isfinite(got).all()
    target = platt_targets(y, np.ones(n))
    assert got.sum() == pytest.approx(target.sum(), rel=1e-7)
    assert (np.diff(got) >= 0).all()
    assert ((got > 0.5) == y).mean() >= 1 - 2 / n  # the sigmoid crosses between the classes
    assert 0 <= got[0] < 0.5 < got[-1] <= 1  # far out the sigmoid rounds to 0 and 1


@pytest.mark.parametrize("on", ["logit", "proba"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3, 0.5, 1.0])
@pytest.mark.parametrize("n", [3, 10, 31])
def test_a_constant_probability_becomes_the_mean_target_everywhere(on, value, n):
    y = np.arange(n) % 3 == 0
    model = PlattCalibrator(on=on).fit(np.full(n, value), y)
    mean = platt_targets(y, np.ones(n)).mean()
    np.testing.assert_allclose(model.predict_proba([0.0, value, 0.9])[:, 1], mean, rtol=1e-9)


@pytest.mark.parametrize("on", ["logit", "proba"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_platt_keeps_or_turns_the_order(on, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(40).round(rng.integers(1, 5))
    y = rng.random(40) < np.where(rng.random() < 0.7, p, 1 - p)
    y[:2] = [True, False]
    model = PlattCalibrator(on=on).fit(p, y)
    asked = np.sort(rng.random(50))
    steps = np.diff(model.predict_proba(asked)[:, 1])
    assert (steps >= 0).all() or (steps <= 0).all()
    covariance = np.cov(p, y)[0, 1]
    if on == "proba" and abs(covariance) > 1e-6:  # its sign is that of the slope
        assert np.sign(steps.sum()) == np.sign(covariance)


def test_platt_does_not_change_the_ranking_of_a_useful_model():
    p, y = binary_task(500)
    got = PlattCalibrator().fit(p, y).predict_proba(p)[:, 1]
    np.testing.assert_array_equal(np.argsort(got, kind="stable"), np.argsort(p, kind="stable"))


@pytest.mark.parametrize("on", ["logit", "proba"])
def test_platt_never_reaches_certainty_and_meets_zeros_and_ones(on):
    p = np.array([0, 0, 0, 1, 1, 1, 0.5, 0, 1])
    y = np.array([0, 0, 0, 1, 1, 1, 0, 1, 0])
    model = PlattCalibrator(on=on).fit(p, y)
    got = model.predict_proba([0.0, 1e-300, 1e-9, 0.5, 1 - 1e-16, 1.0])
    assert np.isfinite(got).all()
    assert ((got > 0) & (got < 1)).all()
    assert (np.diff(got[:, 1]) >= 0).all()


@pytest.mark.parametrize("on", ["logits", None, 1])
def test_a_bad_on_is_refused(on):
    with pytest.raises(ValueError, match="on must be 'logit' or 'proba'"):
        PlattCalibrator(on=on).fit([0.1, 0.9], [0, 1])


def test_parameters():
    assert PlattCalibrator().get_params() == {"on": "logit"}
    p, y = binary_task()
    changed = PlattCalibrator().set_params(on="proba").fit(p, y).predict_proba(p)
    np.testing.assert_array_equal(changed, PlattCalibrator(on="proba").fit(p, y).predict_proba(p))
    assert np.abs(changed - PlattCalibrator().fit(p, y).predict_proba(p)).max() > 1e-3


@pytest.mark.parametrize("on", ["logit", "proba"])
@pytest.mark.parametrize("weight", ["none", "real"])
@pytest.mark.parametrize("rate", [0.5, 0.001])
def test_many_samples_have_their_own_optimum_and_not_that_of_groups(on, weight, rate):
    rng = np.random.default_rng(0)
    n = 100_000
    truth = rng.beta(0.3, 0.3 / rate - 0.3, n)
    p, y = np.clip(truth**1.5, 1e-9, 1 - 1e-9), rng.random(n) < truth
    given_weight = weights(weight, n)
    w = np.ones(n) if given_weight is None else given_weight
    target, feature = platt_targets(y, w), p if on == "proba" else logit(p)
    fitted = PlattCalibrator(on=on).fit(p, y, given_weight).predict_proba(p)[:, 1]
    assert w @ fitted == pytest.approx(w @ target, rel=1e-9)
    assert w @ (fitted * feature) == pytest.approx(w @ (target * feature), rel=1e-9)


@pytest.mark.parametrize("on", ["logit", "proba"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_steep_curves_and_uneven_weights_converge(on, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 200))
    p = expit(np.clip(rng.choice([1, 5, 18]) * rng.normal(size=n), -18, 18))
    y = rng.random(n) < expit(rng.choice([0, 5, 1e4, -1e3]) * (p - np.median(p)) + rng.normal())
    y[:2] = [True, False]
    w = rng.choice([1, 1e3]) * rng.exponential(1, n) ** rng.choice([0, 1, 4])
    target, feature = platt_targets(y, w), p if on == "proba" else logit(p)
    fitted = PlattCalibrator(on=on).fit(p, y, w).predict_proba(p)[:, 1]
    loss = -w @ (target * np.log(fitted) + (1 - target) * np.log1p(-fitted))
    # The height, and the slope at a fixed centre: what a step of Newton's would still gain, as a part of the loss.
    curvature = w * fitted * (1 - fitted)
    for along in (np.ones(n), feature - curvature @ feature / curvature.sum()):
        assert ((w * (fitted - target)) @ along) ** 2 <= 1e-8 * loss * (curvature @ along**2)


@pytest.mark.parametrize("on", ["logit", "proba"])
def test_no_curve_is_so_steep_that_it_says_zero_or_one(on):
    p = np.linspace(0.01, 0.99, 10_000)
    got = PlattCalibrator(on=on).fit(p, p > 0.5).predict_proba(p)
    assert got.min() == pytest.approx(2.0**-52)
    assert got.max() == 1 - 2.0**-52
    assert np.isfinite(np.log(1 - got)).all()


def test_zeros_and_ones_count_as_half_the_smallest_distance_to_them():
    p = np.array([0, 0.1, 0.2, 0.5, 0.7, 0.8, 1.0] * 3)
    y = np.array([0, 0, 1, 0, 1, 1, 1] * 2 + [0, 1, 0, 1, 1, 0, 1])
    inner = np.where(p == 0, 0.05, np.where(p == 1, 0.9, p))
    expected = PlattCalibrator().fit(inner, y).predict_proba(inner)
    np.testing.assert_allclose(PlattCalibrator().fit(p, y).predict_proba(p), expected, rtol=1e-9)
    # Where the calibration data have neither, they are far out.
    model = PlattCalibrator().fit(inner, y)
    outer = model.predict_proba([0.0, 1e-8, 1 - 1e-8, 1.0])[:, 1]
    np.testing.assert_allclose(outer[[0, 3]], outer[[1, 2]], rtol=1e-6)


def test_beyond_separated_samples_it_is_far_more_extreme_than_the_pool():
    p = np.linspace(0.05, 0.95, 100)
    platt, pool = (
        model.fit(p, p > 0.5).predict_proba([0.999])[0, 0] for model in (PlattCalibrator(), PooledCalibrator())
    )
    assert platt == pytest.approx(6e-14, rel=0.02)
    assert pool == pytest.approx(0.004, rel=0.1)
