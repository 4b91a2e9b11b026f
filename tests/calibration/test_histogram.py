"""Histogram binning, checked bin by bin."""

import numpy as np
import pytest
from _support.calibration_tasks import WEIGHTS, binary_task, three_class_task, weights
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf.calibration import HistogramBinningCalibrator
from skconf.metrics import expected_calibration_error

STRATEGIES = pytest.mark.parametrize("strategy", ["uniform", "quantile"])


@WEIGHTS
@pytest.mark.parametrize("n_bins", [1, 7, 15])
def test_a_bin_of_equal_width_says_the_share_of_its_samples(weight, n_bins):
    p, y = binary_task()
    p[:4] = [0, 1 / 7, 1 / 3, 1]  # the edges, too
    given_weight = weights(weight, len(p))
    w = np.ones(len(p)) if given_weight is None else given_weight
    got = HistogramBinningCalibrator(n_bins=n_bins).fit(p, y, given_weight).predict_proba(p)[:, 1]
    for k in range(n_bins):
        inside = (p > k / n_bins) & (p <= (k + 1) / n_bins) | ((p == 0) & (k == 0))
        expected = np.average(y[inside], weights=w[inside]) if w[inside].sum() > 0 else p[inside]
        np.testing.assert_allclose(got[inside], expected)


@pytest.mark.parametrize("n_bins", [1, 5, 15])
def test_bins_of_equal_mass_hold_equally_many_distinct_values(n_bins):
    p, y = binary_task(150)
    got = HistogramBinningCalibrator(n_bins=n_bins, strategy="quantile").fit(p, y).predict_proba(p)[:, 1]
    for rows in np.array_split(np.argsort(p), n_bins):
        np.testing.assert_allclose(got[rows], y[rows].mean())


@given(seed=st.integers(0, 2**32 - 1), n_bins=st.integers(1, 12), digits=st.integers(1, 3))
@settings(max_examples=50, deadline=None)
def test_bins_of_equal_mass_never_split_ties(seed, n_bins, digits):
    rng = np.random.default_rng(seed)
    p, y, count = rng.random(40).round(digits), rng.random(40) < 0.5, rng.integers(1, 4, 40)
    y[:2] = [True, False]
    got = HistogramBinningCalibrator(n_bins=n_bins, strategy="quantile").fit(p, y, count).predict_proba(p)[:, 1]
    # The share of weight at or below a value tells its bin.
    below = np.array([count[p <= value].sum() for value in p])
    bins = -(-below * n_bins // count.sum())
    for value, own in zip(got, bins, strict=True):
        assert value == pytest.approx(np.average(y[bins == own], weights=count[bins == own]))


@STRATEGIES
def test_other_probabilities_fall_into_the_bins_of_the_calibration_data(strategy):
    p, y = [0.1, 0.2, 0.6, 0.7], [0, 1, 1, 1]
    model = HistogramBinningCalibrator(n_bins=2, strategy=strategy).fit(p, y)
    np.testing.assert_allclose(model.predict_proba([0, 0.15, 0.2, 0.65, 1.0])[:, 1], [0.5, 0.5, 0.5, 1, 1])


def test_an_empty_bin_keeps_its_probabilities():
    model = HistogramBinningCalibrator(n_bins=10).fit([0.05, 0.05, 0.95], [0, 1, 1])
    np.testing.assert_array_equal(model.predict_proba([0.01, 0.42, 0.5, 0.99])[:, 1], [0.5, 0.42, 0.5, 1])


@STRATEGIES
def test_calibration_data_have_no_calibration_error_left(strategy):
    p, y = binary_task(500)
    before, after = p, HistogramBinningCalibrator(strategy=strategy).fit(p, y).predict_proba(p)[:, 1]
    assert expected_calibration_error(y, before) > 0.05
    # A share is either alone in its bin, or shares it with others of which the same holds.
    assert expected_calibration_error(y, after) == pytest.approx(0, abs=1e-12)


@STRATEGIES
def test_three_classes_are_one_against_the_rest_scaled_to_sum_to_one(strategy):
    proba, y = three_class_task()
    each = [HistogramBinningCalibrator(strategy=strategy).fit(proba[:, k], y == k) for k in range(3)]
    expected = np.column_stack([model.predict_proba(proba[:, k])[:, 1] for k, model in enumerate(each)])
    expected /= expected.sum(axis=1, keepdims=True)
    got = HistogramBinningCalibrator(strategy=strategy).fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_bins": 0}, ValueError, "n_bins must be at least 1"),
        ({"n_bins": 2.5}, TypeError, "n_bins must be a whole number"),
        ({"strategy": "mass"}, ValueError, "strategy must be one of 'uniform', 'quantile'"),
    ],
)
def test_bad_parameters_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        HistogramBinningCalibrator(**params).fit([0.1, 0.9], [0, 1])
