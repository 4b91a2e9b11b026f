"""Brier and log loss of the confidence, and the parts of the Brier loss."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import accuracy_of, bins_of, isotonic, pairs
from hypothesis import given, settings
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from skconf import metrics

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def confidence_brier_loss(y, proba, predicted, w, normalize=False):
    points = pairs(y, proba, predicted, w)
    loss = sum(w * (c - z) ** 2 for c, z, w in points) / sum(w for _, _, w in points)
    naive = accuracy_of(points) * (1 - accuracy_of(points)) if normalize else 1.0
    return loss / naive if naive > 1e-12 else math.nan


def confidence_log_loss(y, proba, predicted, w, eps=1e-8, normalize=False):
    points = pairs(y, proba, predicted, w)
    loss = -sum(w * math.log(max(c if z else 1 - c, eps)) for c, z, w in points) / sum(w for _, _, w in points)
    if not normalize:
        return loss
    a = accuracy_of(points)
    return loss / -(a * math.log(a) + (1 - a) * math.log(1 - a)) if 1e-12 < a < 1 - 1e-12 else math.nan


def brier_decomposition(y, proba, predicted, w, n_bins=15, strategy="uniform"):
    points = pairs(y, proba, predicted, w)
    total, overall = sum(w for _, _, w in points), accuracy_of(points)
    if strategy == "isotonic":
        fit = isotonic(points)
        best = sum(w * (fit[c] - z) ** 2 for c, z, w in points) / total
        loss = confidence_brier_loss(y, proba, predicted, w)
        return loss - best, overall * (1 - overall) - best, overall * (1 - overall), 0.0
    reliability = resolution = residue = 0.0
    for members in bins_of(points, n_bins, strategy):
        mass = sum(w for _, _, w in members)
        mean = sum(w * c for c, _, w in members) / mass
        right = accuracy_of(members)
        reliability += mass / total * (mean - right) ** 2
        resolution += mass / total * (right - overall) ** 2
        residue += sum(w * ((c - mean) ** 2 - 2 * (c - mean) * (z - right)) for c, z, w in members) / total
    return reliability, resolution, overall * (1 - overall), residue


CASES = [
    Case("confidence_brier_loss", {}, confidence_brier_loss),
    # A loss over that of the naive system has no upper bound.
    Case("confidence_brier_loss", {"normalize": True}, confidence_brier_loss, bounded=False),
    Case("confidence_log_loss", {}, confidence_log_loss),
    Case("confidence_log_loss", {"eps": 0.01, "normalize": True}, confidence_log_loss, bounded=False),
    Case("brier_decomposition", {}, brier_decomposition),
    Case(
        "brier_decomposition", {"strategy": "quantile", "n_bins": 4}, brier_decomposition, drawn={"whole_weights": True}
    ),
    Case("brier_decomposition", {"strategy": "isotonic"}, brier_decomposition),
]
TestProperties = properties_of(CASES)


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "isotonic"])
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_parts_of_the_brier_loss_add_up(strategy, outcome):
    parts = outcome.call(metrics.brier_decomposition, strategy=strategy)
    loss = outcome.call(metrics.confidence_brier_loss)
    assert parts.reliability - parts.resolution + parts.uncertainty + parts.residue == pytest.approx(loss, abs=1e-12)
    assert min(parts[:3]) >= -1e-12
    root = outcome.call(metrics.expected_calibration_error, norm="l2")
    if strategy == "uniform":
        assert parts.reliability == pytest.approx(root**2, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_losses_of_confidence_are_those_of_scikit_learn(outcome):
    sure, right = outcome.proba[np.arange(len(outcome.y)), outcome.predicted], outcome.y == outcome.predicted
    common = {"sample_weight": outcome.weight}
    np.testing.assert_allclose(
        outcome.call(metrics.confidence_brier_loss), brier_score_loss(right, sure, pos_label=True, **common), atol=1e-12
    )
    eps = np.finfo(np.float64).eps  # what scikit-learn clips to
    expected = log_loss(right, np.column_stack([1 - sure, sure]), labels=[False, True], **common)
    assert outcome.call(metrics.confidence_log_loss, eps=eps) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    counted = outcome.weight > 0
    if len(np.unique(right[counted])) == 2:
        expected = roc_auc_score(right, sure, **common)
        assert outcome.call(metrics.confidence_roc_auc_score) == pytest.approx(expected, abs=1e-12)
