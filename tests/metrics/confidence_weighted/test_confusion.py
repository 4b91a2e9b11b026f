"""Confidence-weighted confusion matrices."""

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import counts, normalized
from hypothesis import given, settings

from skconf import metrics
from skconf.metrics._base.averages import others

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def cw_confusion_matrix(y, proba, predicted, w, normalize=None):
    n, k = proba.shape
    matrix = np.zeros((k, k))
    for i in range(n):
        matrix[y[i], predicted[i]] += w[i] * float(proba[i, predicted[i]])
    return normalized(matrix, normalize)


def cw_multilabel_confusion_matrix(y, proba, predicted, w):
    return np.array([[[tn, fp], [fn, tp]] for tp, fp, fn, tn in counts(y, proba, predicted, w)])


CASES = [
    *(
        Case("cw_confusion_matrix", {"normalize": normalize}, cw_confusion_matrix)
        for normalize in (None, "true", "pred", "all")
    ),
    Case("cw_multilabel_confusion_matrix", {}, cw_multilabel_confusion_matrix),
]
TestProperties = properties_of(CASES)


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_counts_obey_the_relations_of_ordinary_ones(outcome):
    """Propositions 11, 13 and 14."""
    table = outcome.call(metrics.cw_multilabel_confusion_matrix)
    (tn, fp), (fn, tp) = np.moveaxis(table, 0, -1)
    sure = outcome.weight * confidence_of(outcome)
    positives = np.bincount(outcome.y, sure, minlength=len(tp))
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(tp + fn, positives, **close)
    np.testing.assert_allclose(fp + tn, sure.sum() - positives, **close)
    np.testing.assert_allclose(tp + fn + fp + tn, sure.sum(), **close)
    np.testing.assert_allclose(tp + fp, np.bincount(outcome.predicted, sure, minlength=len(tp)), **close)
    if sure.any():
        accuracy = outcome.call(metrics.cw_accuracy_score)
        assert tp.sum() / (tp + fn).sum() == pytest.approx(accuracy, abs=1e-12)
        assert ((tp + tn) / sure.sum()).sum() == pytest.approx(len(tp) - 2 + 2 * accuracy, abs=1e-10)


def test_sum_of_the_others_loses_no_digits():
    masses = np.array([[1e20, 1.0, 2.0], [0.0, 0.0, 3.0]])
    np.testing.assert_array_equal(others(masses), [[3.0, 1e20, 1e20], [3.0, 3.0, 0.0]])
