"""Coverage and selective risk at a threshold. One that nobody chose is told, once for each call, wherever it is."""

import warnings

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import coverage_score, selective_accuracy_score
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

from skconf import (
    ConfidenceProfile,
    MetricAccumulator,
    SelectiveClassifier,
    confidence_report,
    confidence_scoring,
    get_scorer,
    inference,
    metrics,
)


def selective_risk_loss(y, proba, predicted, w, threshold=0.5):
    return 1 - selective_accuracy_score(y, proba, predicted, w, threshold)


CASES = [
    Case("coverage_score", {}, coverage_score),
    Case("coverage_score", {"threshold": 1.0}, coverage_score),
    Case("selective_accuracy_score", {}, selective_accuracy_score),
    Case("selective_accuracy_score", {"threshold": 0.0}, selective_accuracy_score),
    Case("selective_accuracy_score", {"threshold": 2 / 3}, selective_accuracy_score),
    Case("selective_risk_loss", {"threshold": 0.4}, selective_risk_loss),
]
TestProperties = properties_of(CASES)

# A threshold that nobody chose ---------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)
PLAIN = LogisticRegression().fit(X, Y)
REJECTS = SelectiveClassifier(LogisticRegression(), threshold=0.8).fit(X, Y)
P = PLAIN.predict_proba(X)
NAMES = ["coverage", "selective_accuracy", "neg_selective_risk"]
BY_PROBABILITY = make_scorer(metrics.coverage_score, response_method="predict_proba")

#: What is asked, and whether somebody has chosen the threshold.
ASKED = {
    "a function": (lambda: metrics.coverage_score(Y, P), False),
    "accuracy": (lambda: metrics.selective_accuracy_score(Y, P), False),
    "risk": (lambda: metrics.selective_risk_loss(Y, P), False),
    "a function with a threshold": (lambda: metrics.coverage_score(Y, P, threshold=0.5), True),
    "a profile with a threshold": (
        lambda: metrics.coverage_score(ConfidenceProfile.from_predictions(Y, P, threshold=0.5)),
        True,
    ),
    "a scorer": (lambda: get_scorer("coverage")(PLAIN, X, Y), False),
    "a scorer with a threshold": (lambda: get_scorer("coverage", threshold=0.5)(PLAIN, X, Y), True),
    "a scorer of a model that rejects": (lambda: get_scorer("coverage")(REJECTS, X, Y), True),
    "several scorers": (lambda: confidence_scoring(NAMES)(PLAIN, X, Y), False),
    "make_scorer": (lambda: BY_PROBABILITY(PLAIN, X, Y), False),
    "make_scorer of a model that rejects": (lambda: BY_PROBABILITY(REJECTS, X, Y), False),
    "groups": (lambda: inference.by_group("coverage", Y, P, groups=Y), False),
    "groups of a model that rejects": (
        lambda: inference.by_group("coverage", ConfidenceProfile.from_estimator(REJECTS, X, Y), groups=Y),
        True,
    ),
    "an interval": (lambda: inference.confidence_interval(metrics.coverage_score, Y, P), False),
    "a comparison": (lambda: inference.compare("coverage", Y, {"a": P, "b": P**2 / (P**2).sum(1)[:, None]}), False),
    "parts": (lambda: MetricAccumulator(NAMES).update(Y[:40], P[:40]).update(Y[40:], P[40:]).result(), False),
    "a report": (lambda: confidence_report(Y, P), True),
    "a report on coverage": (lambda: confidence_report(Y, P, metrics=["coverage_score", "selective_risk_loss"]), False),
    "CWSA, whose own it is": (lambda: metrics.cwsa_score(Y, P), True),
}


@pytest.mark.parametrize(("ask", "chosen"), ASKED.values(), ids=ASKED)
def test_a_threshold_that_nobody_chose_is_told_once(ask, chosen):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")  # what users have: one of several that are the same
        ask()
    told = [str(warning.message) for warning in caught if "No threshold was given" in str(warning.message)]
    assert len(told) == (0 if chosen else 1)
    assert all("0.5 is used" in text and "Pass threshold=" in text for text in told)
