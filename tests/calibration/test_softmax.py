"""Temperature scaling and affine calibration, checked against general optimizers, scikit-learn and identities."""

import inspect
import tracemalloc
import warnings

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, binary_task, three_class_task, weights
from _support.predictions import draw_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from skconf.calibration import AffineCalibrator, PlattCalibrator, TemperatureCalibrator

BOTH = pytest.mark.parametrize("calibrator", [TemperatureCalibrator, AffineCalibrator])


def sharpened(n_samples, n_classes, power=1.7, seed=0, shift=0.0):
    """Return probabilities that are sharper than they should be, perhaps with shifted log-odds, and labels."""
    y, truth = draw_classes(n_samples, n_classes, seed)
    return softmax(power * np.log(truth) + shift * np.arange(n_classes), axis=1), y


def log_losses(proba, y, slope, offset=0.0):
    return -log_softmax(slope * np.log(proba) + offset, axis=1)[np.arange(len(y)), y]


# --- largest likelihood -------------------------------------------------------------------------------------------


@WEIGHTS
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_temperature_has_the_largest_likelihood(n_classes, weight):
    proba, y = sharpened(300, n_classes)
    given_weight = weights(weight, len(y))
    w = np.ones(len(y)) if given_weight is None else given_weight
    found = TemperatureCalibrator().fit(proba, y, given_weight)
    best = minimize_scalar(
        lambda log_slope: np.average(log_losses(proba, y, np.exp(log_slope)), weights=w),
        bounds=(-5, 5),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert found.temperature_ == pytest.approx(np.exp(-best.x), rel=1e-6)
    expected = softmax(np.log(proba) / found.temperature_, axis=1)
    np.testing.assert_allclose(found.predict_proba(proba), expected, rtol=1e-12)
    # The derivative is zero: the calibrated mean of log p is the one that was seen.
    seen = np.average(np.log(proba)[np.arange(len(y)), y], weights=w)
    assert np.average((expected * np.log(proba)).sum(axis=1), weights=w) == pytest.approx(seen, rel=1e-12)


@WEIGHTS
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_affine_has_the_largest_likelihood(n_classes, weight):
    proba, y = sharpened(300, n_classes, shift=0.5)
    given_weight = weights(weight, len(y))
    w = np.ones(len(y)) if given_weight is None else given_weight
    found = AffineCalibrator().fit(proba, y, given_weight)
    best = minimize(
        lambda point: np.average(log_losses(proba, y, point[0], point[1:]), weights=w),
        np.append(1.0, np.zeros(n_classes)),
        method="BFGS",
        options={"gtol": 1e-8},
    )
    assert found.slope_ == pytest.approx(best.x[0], abs=1e-4)
    np.testing.assert_allclose(found.offset_, best.x[1:] - best.x[1:].mean(), atol=1e-4)
    expected = softmax(found.slope_ * np.log(proba) + found.offset_, axis=1)
    np.testing.assert_allclose(found.predict_proba(proba), expected, rtol=1e-9)
    # The derivatives are zero: calibrated frequencies, and the mean of log p, are those that were seen.
    np.testing.assert_allclose(
        np.average(expected, axis=0, weights=w), np.bincount(y, w, n_classes) / w.sum(), atol=1e-12
    )
    seen = np.average(np.log(proba)[np.arange(len(y)), y], weights=w)
    assert np.average((expected * np.log(proba)).sum(axis=1), weights=w) == pytest.approx(seen, rel=1e-10)


@pytest.mark.parametrize(("n_classes", "power", "shift"), [(10, 20, 0), (10, 0.02, 0), (30, 3, 0.4), (100, 0.5, -0.1)])
def test_far_from_the_start_the_frequencies_are_met_too(n_classes, power, shift):
    proba, y = sharpened(1000, n_classes, power, shift=shift)
    present = np.unique(y)
    y = np.searchsorted(present, y)
    proba = np.maximum(proba[:, present], 1e-15)
    got = AffineCalibrator().fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got.mean(axis=0), np.bincount(y) / len(y), atol=1e-9)


def test_known_temperature_and_shifts_are_found_again():
    proba, y = sharpened(200_000, 3, power=2.5)
    assert TemperatureCalibrator().fit(proba, y).temperature_ == pytest.approx(2.5, rel=0.02)
    proba, y = sharpened(200_000, 3, power=2.5, shift=1.0)
    found = AffineCalibrator().fit(proba, y)
    assert found.slope_ == pytest.approx(1 / 2.5, rel=0.02)
    np.testing.assert_allclose(found.offset_, np.array([1, 0, -1]) / 2.5, atol=0.02)


# --- scikit-learn -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weight", ["none", "real"])
def test_temperature_is_scikit_learns(n_classes, weight):
    calibration = pytest.importorskip("sklearn.calibration")
    if not hasattr(calibration, "_TemperatureScaling"):
        pytest.skip("scikit-learn has temperature scaling from 1.8 on")
    proba, y = sharpened(2000, n_classes)
    w = weights(weight, len(y))
    theirs = calibration._TemperatureScaling().fit(np.log(proba), y, w)
    assert TemperatureCalibrator().fit(proba, y, w).temperature_ == pytest.approx(1 / theirs.beta_, rel=1e-6)


def test_temperature_is_that_of_scikit_learns_calibrated_classifier():
    if "temperature" not in (inspect.getdoc(CalibratedClassifierCV) or ""):
        pytest.skip("scikit-learn has temperature scaling from 1.8 on")
    proba, y = sharpened(2000, 3)
    model = LogisticRegression().fit(proba[:200], y[:200])
    theirs = CalibratedClassifierCV(FrozenEstimator(model), method="temperature", ensemble=False, cv=2)
    expected = theirs.fit(proba, y).predict_proba(proba)
    raw = model.predict_proba(proba)
    np.testing.assert_allclose(TemperatureCalibrator().fit(raw, y).predict_proba(raw), expected, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_affine_is_a_logistic_regression_on_log_odds(n_classes):
    # A binary one has no constraint; with more classes its slope for the own class is α, for the others zero.
    proba, y = sharpened(2000, n_classes, shift=0.3)
    found = AffineCalibrator().fit(proba, y)
    if n_classes > 2:
        rivals = minimize(
            lambda point: log_losses(proba, y, point[0], np.append(0, point[1:])).mean(), [1] + [0] * (n_classes - 1)
        )
        np.testing.assert_allclose(found.offset_[1:] - found.offset_[0], rivals.x[1:], atol=1e-3)
        return
    log_odds = np.log(proba[:, 1] / proba[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions want C=inf, older ones penalty=None
        theirs = LogisticRegression(C=1e12, tol=1e-10).fit(log_odds[:, np.newaxis], y)
    assert found.slope_ == pytest.approx(theirs.coef_[0, 0], abs=1e-4)
    assert found.offset_[1] - found.offset_[0] == pytest.approx(theirs.intercept_[0], abs=1e-4)


# --- identities ---------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
@pytest.mark.filterwarnings("ignore:TemperatureCalibrator makes probabilities nearly uniform")
def test_temperature_keeps_the_order_of_classes(seed):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(5), 40).round(rng.integers(1, 9))
    y = np.concatenate([[0, 1], rng.integers(0, 5, 38)])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*have no sample of these classes")
        got = TemperatureCalibrator().fit(proba, y, labels=range(5)).predict_proba(proba)
    np.testing.assert_array_equal(got.argmax(axis=1), proba.argmax(axis=1))
    before, after = (np.sign(np.diff(each, axis=1)) for each in (proba, got))
    assert (before * after >= 0).all()
    np.testing.assert_array_equal(after[before == 0], 0)


def test_temperature_divides_the_log_odds_of_two_classes():
    p, y = binary_task()
    found = TemperatureCalibrator().fit(p, y)
    np.testing.assert_allclose(found.predict_proba(p)[:, 1], expit(logit(p) / found.temperature_), rtol=1e-12)


def test_affine_without_shifts_is_temperature_scaling():
    proba, y = three_class_task()
    temperature, affine = TemperatureCalibrator().fit(proba, y), AffineCalibrator().fit(proba, y)
    assert np.abs(affine.offset_).max() > 0.01
    affine.slope_, affine.offset_ = 1 / temperature.temperature_, np.zeros(3)
    np.testing.assert_allclose(affine.predict_proba(proba), temperature.predict_proba(proba), rtol=1e-12)
    # Already calibrated by the one, the other has nothing left to do.
    again = TemperatureCalibrator().fit(temperature.predict_proba(proba), y)
    assert again.temperature_ == pytest.approx(1, abs=1e-9)


def test_affine_calibration_of_two_classes_is_platt_scaling_with_bare_outcomes():
    p, y = binary_task()
    # At a large scale of the weights, Platt's targets are 0 and 1.
    expected = PlattCalibrator().fit(p, y, np.full(len(p), 1e12)).predict_proba(p)
    np.testing.assert_allclose(AffineCalibrator().fit(p, y).predict_proba(p), expected, atol=1e-8)


def test_affine_calibration_undoes_scale_and_shifts():
    proba, y = three_class_task()
    found = AffineCalibrator().fit(proba, y)
    changed = softmax(3 * np.log(proba) + [2, -1, 0.3], axis=1)
    other = AffineCalibrator().fit(changed, y)
    np.testing.assert_allclose(other.predict_proba(changed), found.predict_proba(proba), rtol=1e-9)
    assert other.slope_ == pytest.approx(found.slope_ / 3, rel=1e-9)
    assert other.offset_.sum() == pytest.approx(0, abs=1e-12)


@BOTH
def test_the_scale_of_weights_plays_no_part(calibrator):
    proba, y = three_class_task()
    w = weights("real", len(y))
    one, other = (calibrator().fit(proba, y, scale * w).predict_proba(proba) for scale in (1, 1e-6))
    np.testing.assert_allclose(one, other, rtol=1e-9)


# --- where the likelihood has no maximum, or a useless one --------------------------------------------------------


@pytest.mark.parametrize("n", [4, 40, 4000])
@BOTH
def test_all_right_means_platts_targets(calibrator, n):
    # Two kinds of rows that mirror each other: the true class gets its target exactly.
    proba, y = np.tile([[0.6, 0.4], [0.4, 0.6]], (n // 2, 1)), np.tile([0, 1], n // 2)
    got = calibrator().fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got[np.arange(n), y], (n + 1) / (n + 2), rtol=1e-9)


@BOTH
def test_all_right_with_weights_below_one_is_told(calibrator):
    """The targets count the weights as samples, which weights with a sum of 1 are not."""
    proba, y = np.tile([[0.6, 0.4], [0.4, 0.6]], (20, 1)), np.tile([0, 1], 20)
    with pytest.warns(UserWarning, match=r"all weights are below 1 \(their sum is 1\)"):
        calibrator().fit(proba, y, np.full(40, 1 / 40))
    with warnings.catch_warnings(action="error"):
        calibrator().fit(proba, y, np.ones(40))
        calibrator().fit(np.vstack([proba, proba[:1]]), np.append(y, 1), np.full(41, 1 / 41))  # one is wrong


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_all_right_means_surer_but_not_certain(calibrator, n_classes):
    proba, _ = sharpened(500, n_classes, power=0.3)
    y = proba.argmax(axis=1)
    got = calibrator().fit(proba, y).predict_proba(proba)[np.arange(500), y]
    assert got.mean() > proba.max(axis=1).mean()
    # By the targets one error is expected, and the calibrated probabilities leave room for about as much.
    assert 1 / 3 < (1 - got).sum() < 30


def test_separable_only_after_a_shift_is_separable_for_the_affine_one():
    proba = np.array([[0.6, 0.4], [0.7, 0.3], [0.9, 0.1], [0.8, 0.2]])
    got = AffineCalibrator().fit(proba, [1, 1, 0, 0]).predict_proba(proba)
    assert (got.argmax(axis=1) == [1, 1, 0, 0]).all()
    assert 0.5 < got.max() < 0.99


def test_ties_keep_parameters_finite():
    # Right wherever anything is said, and undecided in the rest: there is no maximum, and nobody is wrong.
    proba, y = [[0.5, 0.5], [0.5, 0.5], [0.9, 0.1], [0.2, 0.8]], [0, 1, 0, 1]
    for model in (TemperatureCalibrator().fit(proba, y), AffineCalibrator().fit(proba, y)):
        np.testing.assert_allclose(model.predict_proba([[0.5, 0.5]]), 0.5, atol=1e-6)
        assert np.isfinite(model.predict_proba(proba)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_misleading_probabilities_become_all_but_uniform_with_a_warning(n_classes):
    proba, y = sharpened(300, n_classes)
    turned = proba.max(axis=1, keepdims=True) + proba.min(axis=1, keepdims=True) - proba
    turned /= turned.sum(axis=1, keepdims=True)
    with pytest.warns(UserWarning, match=r"nearly uniform \(T = 10000\)") as caught:
        model = TemperatureCalibrator().fit(turned, y)
    assert caught[0].filename == __file__
    assert model.temperature_ == 1e4
    got = model.predict_proba(turned)
    np.testing.assert_allclose(got, 1 / n_classes, atol=1e-3)
    np.testing.assert_array_equal(got.argmax(axis=1), turned.argmax(axis=1))
    # The affine calibrator turns them around.
    affine = AffineCalibrator().fit(turned, y)
    assert affine.slope_ < 0
    assert (affine.predict_proba(turned).argmax(axis=1) == y).mean() > (turned.argmax(axis=1) == y).mean()


def test_uniform_probabilities_have_nothing_to_scale():
    proba, y = np.full((30, 3), 1 / 3), np.repeat([0, 1, 2], [5, 10, 15])
    assert TemperatureCalibrator().fit(proba, y).temperature_ == 1


@pytest.mark.parametrize("row", [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.2, 0.3], [1.0, 0.0, 0.0]])
def test_constant_probabilities_are_shifted_and_not_scaled(row):
    proba, y = np.full((30, 3), row), np.repeat([0, 1, 2], [5, 10, 15])
    found = AffineCalibrator().fit(proba, y)
    assert found.slope_ == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(found.predict_proba(proba)[0], [1 / 6, 1 / 3, 1 / 2])


# --- classes ------------------------------------------------------------------------------------------------------


def test_an_absent_class_shares_the_temperature():
    proba, y = sharpened(400, 4)
    seen = y != 2
    with pytest.warns(UserWarning, match=r"scales the probabilities of \['c'\] like the probabilities of") as caught:
        found = TemperatureCalibrator().fit(proba[seen], np.array(list("abcd"))[y[seen]], labels=list("abcd"))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    # Its probability counts in the likelihood of the others.
    best = minimize_scalar(lambda slope: log_losses(proba[seen], y[seen], slope).sum(), bracket=(0.3, 1))
    assert found.temperature_ == pytest.approx(1 / best.x, rel=1e-6)
    np.testing.assert_allclose(found.predict_proba(proba), softmax(np.log(proba) / found.temperature_, axis=1))


def test_the_affine_calibrator_leaves_an_absent_class_exactly_as_it_is():
    proba, y = sharpened(400, 4, shift=0.3)
    seen, known = y != 2, [0, 1, 3]
    with pytest.warns(UserWarning, match=r"leaves the probabilities of \['c'\] unchanged") as caught:
        found = AffineCalibrator().fit(proba[seen], np.array(list("abcd"))[y[seen]], labels=list("abcd"))
    assert len(caught) == 1
    got = found.predict_proba(proba)
    np.testing.assert_allclose(got[:, 2], proba[:, 2], rtol=1e-12)
    among = proba[:, known] / proba[:, known].sum(axis=1, keepdims=True)
    alone = AffineCalibrator().fit(among[seen], y[seen])
    np.testing.assert_allclose(got[:, known] / got[:, known].sum(axis=1, keepdims=True), alone.predict_proba(among))
    assert found.offset_[2] == 0
    np.testing.assert_allclose(found.offset_[known], alone.offset_, atol=1e-9)


@BOTH
def test_rows_of_zeros_become_uniform(calibrator):
    proba, y = three_class_task()
    np.testing.assert_allclose(calibrator().fit(proba, y).predict_proba(np.zeros((2, 3))), 1 / 3)


# --- probabilities of zero ----------------------------------------------------------------------------------------


@BOTH
def test_a_zero_counts_as_half_the_smallest_positive_probability(calibrator):
    proba = np.array([[0.5, 0.5, 0.0], [0.1, 0.0, 0.9], [0.7, 0.2, 0.1], [0.0, 0.6, 0.4]] * 5)
    y = np.array([0, 2, 0, 1, 1, 2, 1, 1] * 2 + [0, 0, 1, 2])
    found, other = calibrator().fit(proba, y), calibrator().fit(np.where(proba == 0, 0.05, proba), y)
    assert found.smallest_ == 0.05
    np.testing.assert_allclose(found.predict_proba(proba), other.predict_proba(np.where(proba == 0, 0.05, proba)))


@BOTH
def test_without_zeros_small_probabilities_are_what_they_are(calibrator):
    proba, y = sharpened(200, 3, power=8)
    proba = np.maximum(proba, 1e-14)
    found = calibrator().fit(proba, y)
    assert found.smallest_ <= proba.min()
    slope = 1 / found.temperature_ if calibrator is TemperatureCalibrator else found.slope_
    offset = 0 if calibrator is TemperatureCalibrator else found.offset_
    np.testing.assert_allclose(found.predict_proba(proba), softmax(slope * np.log(proba) + offset, axis=1), rtol=1e-9)


@pytest.mark.parametrize("calibrator", [TemperatureCalibrator, AffineCalibrator, PlattCalibrator])
def test_votes_of_zero_are_not_read_as_next_to_impossible(calibrator):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 2)), rng.integers(0, 3, 3000)
    X += 1.5 * np.eye(3)[y][:, :2]
    model = KNeighborsClassifier(10).fit(X[:1000], y[:1000])
    proba, truth = model.predict_proba(X[1000:]), y[1000:]
    assert (proba == 0).mean() > 0.2

    def loss(proba):
        found = calibrator().fit(proba[:1000], truth[:1000])
        return -np.log(found.predict_proba(proba[1000:])[np.arange(1000), truth[1000:]]).mean()

    assert loss(proba) < loss(np.maximum(proba, 1e-8)) - 0.01


@BOTH
def test_a_fit_copies_no_probabilities(calibrator):
    proba, y = sharpened(20_000, 50)
    proba = proba.astype(np.float32)
    tracemalloc.start()
    calibrator().fit(proba, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < proba.nbytes


# --- Laplace's mixture --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [1.7, 1e-12])
def test_smoothing_mixes_in_further_samples_of_every_class(power):
    proba, y = sharpened(50, 3, power)
    w = weights("counts", 50)
    plain, smoothed = (TemperatureCalibrator(smoothing=s).fit(proba, y, w) for s in (0, 2))
    assert plain.temperature_ == smoothed.temperature_
    expected = (w.sum() * plain.predict_proba(proba) + 2 / 3) / (w.sum() + 2)
    np.testing.assert_allclose(smoothed.predict_proba(proba), expected, rtol=1e-12)


def test_a_negative_smoothing_is_refused():
    with pytest.raises(ValueError, match="smoothing must lie in"):
        TemperatureCalibrator(smoothing=-1).fit([0.1, 0.9], [0, 1])
