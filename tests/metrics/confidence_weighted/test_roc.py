"""The confidence-weighted ROC curve and the area under it."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import averaged, counts
from _support.predictions import draw_classes
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as plain
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, metrics
from skconf.metrics._base.areas import area, ascending

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def pairs_won(y, proba, predicted, w, k):
    """Every pair of a sample of class k and one of another class."""
    n = len(y)
    won = total = 0.0
    for i in range(n):
        for j in range(n):
            if y[i] == k and y[j] != k:
                pair = w[i] * w[j] * float(proba[i, predicted[i]]) * float(proba[j, predicted[j]])
                won += pair * (1.0 if proba[i, k] > proba[j, k] else 0.5 if proba[i, k] == proba[j, k] else 0.0)
                total += pair
    return won / total if total else math.nan


def cw_roc_auc_score(y, proba, predicted, w, average="macro"):
    k = proba.shape[1]
    if k == 2:
        return pairs_won(y, proba, predicted, w, 1)
    areas = [pairs_won(y, proba, predicted, w, j) for j in range(k)]
    if average is None:
        return np.array(areas)
    supports = [tp + fn for tp, _, fn, _ in counts(y, proba, predicted, w)]
    return averaged([(a, 1.0) for a in areas], supports, average, 0.0)


def cw_roc_curve(y, proba, predicted, w, positive=1, drop_intermediate=False):
    """Every point of the curve."""
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(len(y))]
    thresholds = [math.inf, *sorted({float(proba[i, positive]) for i in range(len(y)) if c[i] > 0}, reverse=True)]
    rates = []
    for members in ([i for i in range(len(y)) if y[i] != positive], [i for i in range(len(y)) if y[i] == positive]):
        total = sum(c[i] for i in members)
        rates.append(
            [sum(c[i] for i in members if proba[i, positive] >= t) / total if total else math.nan for t in thresholds]
        )
    return np.array(rates[0]), np.array(rates[1]), np.array(thresholds)


CASES = [
    Case("cw_roc_auc_score", {}, cw_roc_auc_score),
    Case("cw_roc_auc_score", {"average": "weighted"}, cw_roc_auc_score),
    Case("cw_roc_auc_score", {"average": None}, cw_roc_auc_score),
    Case("cw_roc_curve", {"drop_intermediate": False}, cw_roc_curve, drawn={"max_classes": 2}),
]
TestProperties = properties_of(CASES)


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_area_is_raised_by_the_covariance_of_confidence_and_ranking(outcome):
    """Proposition 16: cwAUC − AUC = Cov(w_ij, z_ij) / E[w_ij]."""
    sure, n_classes = confidence_of(outcome), outcome.proba.shape[1]
    outcome.weight = None
    areas = np.atleast_1d(outcome.call(metrics.cw_roc_auc_score, average=None))
    for position, code in enumerate(range(n_classes) if n_classes > 2 else [1]):
        positive, score = outcome.y == code, outcome.proba[:, code]
        pairs = np.outer(sure[positive], sure[~positive])
        if not pairs.any():
            assert np.isnan(areas[position])
            continue
        won = (
            np.greater.outer(score[positive], score[~positive]) + np.equal.outer(score[positive], score[~positive]) / 2
        )
        covariance = np.mean(pairs * won) - np.mean(pairs) * np.mean(won)
        assert areas[position] == pytest.approx(np.mean(won) + covariance / np.mean(pairs), abs=1e-10)


def test_rescaling_of_scores_changes_the_weighted_area_alone():
    """Proposition 17."""
    y, both = draw_classes(400, 2)
    proba = both[:, 1]
    sharper = proba**3 / (proba**3 + (1 - proba) ** 3)
    assert plain.roc_auc_score(y, sharper) == plain.roc_auc_score(y, proba)
    assert metrics.cw_roc_auc_score(y, sharper) != pytest.approx(metrics.cw_roc_auc_score(y, proba), abs=1e-3)


@settings(max_examples=80, deadline=None)
@given(outcome=outcomes(), data=st.data())
def test_curve_agrees_with_its_definition_and_sklearn(outcome, data):
    sure = outcome.weight * confidence_of(outcome)
    label = data.draw(st.integers(0, outcome.proba.shape[1] - 1))
    positive = outcome.y == label
    if not sure[positive].any() or not sure[~positive].any():
        return
    every = outcome.call(metrics.cw_roc_curve, pos_label=label, drop_intermediate=False)
    twin = cw_roc_curve(outcome.y, outcome.proba, outcome.predicted, outcome.weight, label)
    ordinary = plain.roc_curve(positive, outcome.proba[:, label], sample_weight=sure, drop_intermediate=False)
    for axis in range(3):
        np.testing.assert_allclose(every[axis], twin[axis], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(every[axis], ordinary[axis], rtol=1e-12, atol=1e-12)
    few = outcome.call(metrics.cw_roc_curve, pos_label=label)
    assert set(few.thresholds) <= set(every.thresholds)
    np.testing.assert_allclose(np.interp(every.fpr + every.tpr, few.fpr + few.tpr, few.tpr), every.tpr, atol=1e-12)
    assert plain.auc(few.fpr, few.tpr) == pytest.approx(plain.auc(every.fpr, every.tpr), abs=1e-12)
    if outcome.proba.shape[1] == 2 and label == 1:
        assert plain.auc(few.fpr, few.tpr) == pytest.approx(outcome.call(metrics.cw_roc_auc_score), abs=1e-12)


def test_curve_keeps_corners_only():
    curve = metrics.cw_roc_curve([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
    assert curve.fpr.tolist() == [0, 0, 1]
    assert curve.tpr.tolist() == [0, 1, 1]
    assert curve.thresholds.tolist() == [math.inf, 0.6, 0.1]


def test_curve_of_many_classes_asks_whose():
    with pytest.raises(ValueError, match=r"There are 4 classes, .* Pass one class as pos_label"):
        metrics.cw_roc_curve(*draw_classes(50, 4))
    with pytest.raises(ValueError, match="correctness"):
        metrics.cw_roc_curve(ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6]))


def test_curve_without_negatives_is_undefined_on_one_axis():
    with pytest.warns(UndefinedMetricWarning, match="no negative sample has a confidence above 0") as caught:
        curve = metrics.cw_roc_curve([1, 1], [0.2, 0.7], labels=[0, 1])
    assert len(caught) == 1
    assert np.isnan(curve.fpr).all()
    assert curve.tpr[-1] == 1


def test_class_that_is_absent_is_reported_and_left_out():
    y, proba = [0, 1, 1, 0], [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1]]
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"an average without the classes \[2\], because a class has a value only if a sample of the",
    ) as caught:
        value = metrics.cw_roc_auc_score(y, proba, labels=[0, 1, 2])
    assert len(caught) == 1
    with pytest.warns(UndefinedMetricWarning, match=r"NaN for the classes \[2\]"):
        areas = metrics.cw_roc_auc_score(y, proba, labels=[0, 1, 2], average=None)
    assert np.isnan(areas).tolist() == [False, False, True]
    assert value == pytest.approx(areas[:2].mean())


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 2]])
def test_area_of_a_single_class_is_undefined(labels):
    proba = np.full((2, len(labels)), 1 / len(labels))
    with pytest.warns(
        UndefinedMetricWarning, match="cw_roc_auc_score is undefined, because fewer than two classes have a sample"
    ) as caught:
        assert math.isnan(metrics.cw_roc_auc_score([0, 0], proba, labels=labels))
    assert len(caught) == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 1000, 70_000])
def test_packed_sort_is_a_sort(n, dtype):
    rng = np.random.default_rng(n)
    nearly_one = 1 - rng.integers(0, 50, n) * 1e-16
    for score in (rng.random(n), rng.random(n).round(2), nearly_one, 1e-300 * rng.random(n), np.full(n, -0.0)):
        score = score.astype(dtype)
        score[rng.integers(0, n)] = 0.0
        order, ordered = ascending(score)
        np.testing.assert_array_equal(np.sort(order), np.arange(n))
        np.testing.assert_array_equal(ordered, np.sort(score))
        np.testing.assert_array_equal(score[order], ordered)


def test_scores_a_rounding_error_outside_the_unit_interval_are_sorted():
    score = np.array([0.5, -1e-16, 1 + 2e-16, 0.0])
    assert ascending(score)[0].tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5, 0.97])
@pytest.mark.parametrize("decimals", [2, 16])
def test_area_of_rare_and_frequent_classes_is_that_of_sklearn(share, decimals):
    rng = np.random.default_rng(3)
    n = 20_000
    score, present, weight = rng.random(n).round(decimals), rng.random(n) < share, rng.exponential(1, n)
    expected = plain.roc_auc_score(present, score, sample_weight=weight)
    for dtype in (np.float64, np.float32):
        assert area(score.astype(dtype), present, weight)[0] == pytest.approx(expected, abs=1e-6)
    assert area(score, present, weight)[0] == pytest.approx(expected, rel=1e-11)
