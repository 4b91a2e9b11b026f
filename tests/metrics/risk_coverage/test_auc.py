"""The area under the ROC curve of the confidence."""

import math

import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import pairs

from skconf import ConfidenceProfile, metrics


def confidence_roc_auc_score(y, proba, predicted, w):
    points = pairs(y, proba, predicted, w)
    won = all_pairs = 0.0
    for c, z, weight in points:
        for other, wrong, its_weight in points:
            if z and not wrong:
                won += weight * its_weight * (1.0 if c > other else 0.5 if c == other else 0.0)
                all_pairs += weight * its_weight
    return won / all_pairs if all_pairs else math.nan


CASES = [
    Case("confidence_roc_auc_score", {}, confidence_roc_auc_score),
]
TestProperties = properties_of(CASES)


def test_roc_auc_reads_the_confidence_where_selection_ranks_by_another_score():
    correct, sure = [1, 0, 1, 1], [0.9, 0.8, 0.7, 0.95]
    plain = metrics.confidence_roc_auc_score(ConfidenceProfile.from_correctness(correct, sure))
    scored = ConfidenceProfile.from_correctness(correct, sure, score=[0.1, 0.9, 0.2, 0.3])
    assert metrics.confidence_roc_auc_score(scored) == plain == pytest.approx(2 / 3)
    assert metrics.calibration_distance_error(scored) == metrics.calibration_distance_error(
        ConfidenceProfile.from_correctness(correct, sure)
    )
