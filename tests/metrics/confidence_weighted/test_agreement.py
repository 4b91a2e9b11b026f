"""Confidence-weighted balanced accuracy, Matthews correlation and kappa."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import counts
from hypothesis import given, settings
from sklearn import metrics as plain

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def cw_balanced_accuracy_score(y, proba, predicted, w, adjusted=False):
    recalls = [tp / (tp + fn) for tp, _, fn, _ in counts(y, proba, predicted, w) if tp + fn]
    if not recalls:
        return math.nan
    score = sum(recalls) / len(recalls)
    if not adjusted:
        return score
    return (score - 1 / len(recalls)) / (1 - 1 / len(recalls)) if len(recalls) > 1 else math.nan


def cw_matthews_corrcoef(y, proba, predicted, w):
    """The correlation of the indicators of all classes, from its covariances."""
    n, k = proba.shape
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(n)]
    if sum(c) == 0:
        return math.nan

    def covariance(a, b):
        total = 0.0
        for j in range(k):
            mean_a = sum(c[i] for i in range(n) if a[i] == j) / sum(c)
            mean_b = sum(c[i] for i in range(n) if b[i] == j) / sum(c)
            total += sum(c[i] * ((a[i] == j) - mean_a) * ((b[i] == j) - mean_b) for i in range(n))
        return total

    def constant(a):
        return len({a[i] for i in range(n) if c[i] > 0}) < 2

    if constant(y) or constant(predicted):
        return 0.0
    return covariance(y, predicted) / math.sqrt(covariance(y, y) * covariance(predicted, predicted))


def cw_cohen_kappa_score(y, proba, predicted, w, weights=None):
    n = len(y)
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(n)]

    def cost(a, b):
        return {None: float(a != b), "linear": abs(float(a) - b), "quadratic": (float(a) - b) ** 2}[weights]

    observed = sum(c[i] * cost(y[i], predicted[i]) for i in range(n))
    by_chance = sum(c[i] * c[j] * cost(y[i], predicted[j]) for i in range(n) for j in range(n))
    return 1 - observed * sum(c) / by_chance if by_chance else math.nan


CASES = [
    Case("cw_balanced_accuracy_score", {}, cw_balanced_accuracy_score),
    Case("cw_balanced_accuracy_score", {"adjusted": True}, cw_balanced_accuracy_score),
    Case("cw_matthews_corrcoef", {}, cw_matthews_corrcoef),
    Case("cw_cohen_kappa_score", {}, cw_cohen_kappa_score),
    Case("cw_cohen_kappa_score", {"weights": "linear"}, cw_cohen_kappa_score),
    Case("cw_cohen_kappa_score", {"weights": "quadratic"}, cw_cohen_kappa_score),
]
TestProperties = properties_of(CASES)


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


def weighted_arguments(outcome):
    return {
        "y_true": outcome.y,
        "y_pred": outcome.predicted,
        "labels": np.arange(outcome.proba.shape[1]),
        "sample_weight": outcome.weight * confidence_of(outcome),
    }


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_single_numbers_and_matrices_are_those_of_sklearn(outcome):
    arguments = weighted_arguments(outcome)
    if not arguments["sample_weight"].any():
        return
    for normalize in (None, "true", "pred", "all"):
        expected = plain.confusion_matrix(**arguments, normalize=normalize)
        np.testing.assert_allclose(outcome.call(metrics.cw_confusion_matrix, normalize=normalize), expected, atol=1e-12)
    found = outcome.call(metrics.cw_multilabel_confusion_matrix)
    np.testing.assert_allclose(found, plain.multilabel_confusion_matrix(**arguments), rtol=1e-9, atol=1e-12)
    for weights in (None, "linear", "quadratic"):
        renamed = {**arguments, "y1": arguments["y_true"], "y2": arguments["y_pred"], "weights": weights}
        del renamed["y_true"], renamed["y_pred"]
        expected = plain.cohen_kappa_score(**renamed)
        actual = outcome.call(metrics.cw_cohen_kappa_score, weights=weights)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)
    del arguments["labels"]
    expected = plain.matthews_corrcoef(**arguments)
    if abs(expected) <= 1 + 1e-9:  # scikit-learn loses all digits where one class has nearly all the weight
        np.testing.assert_allclose(outcome.call(metrics.cw_matthews_corrcoef), expected, rtol=1e-6, atol=1e-6)
    for adjusted in (False, True) if len(np.unique(outcome.y[arguments["sample_weight"] > 0])) > 1 else (False,):
        expected = plain.balanced_accuracy_score(**arguments, adjusted=adjusted)
        actual = outcome.call(metrics.cw_balanced_accuracy_score, adjusted=adjusted)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


def test_classes_that_are_constant_have_no_correlation():
    assert metrics.cw_matthews_corrcoef([0, 1], [0.2, 0.3]) == 0


@pytest.mark.parametrize("name", ["cw_matthews_corrcoef", "cw_cohen_kappa_score"])
@pytest.mark.parametrize(("counts", "shares"), [((2, 8), (0.16, 0.16)), ((1, 2, 7), (0.09, 0.16, 0.21))])
def test_classes_count_by_their_variance(name, counts, shares):
    """Of two classes the rare one counts as much as the other."""
    y, n_classes = np.repeat(np.arange(len(counts)), counts), len(counts)
    profile = ConfidenceProfile.from_predictions(y, np.full((10, n_classes), 1 / n_classes))
    np.testing.assert_allclose(get_metric(name).class_shares(profile), shares)
