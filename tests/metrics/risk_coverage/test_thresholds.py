"""Coverage and selective risk at a threshold. One that nobody chose is told, once for each call, wherever it is."""

import warnings

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import coverage_score, selective_accuracy_score
from scipy.special import expit
from sklearn.exceptions import UndefinedMetricWarning
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


def risk_at_coverage(y, proba, predicted, w, threshold=None, coverage=1.0):
    """Accept answers one by one, from the highest confidence down, and of a tie an equal part of each answer."""
    confidence = [row[label] for row, label in zip(proba, predicted, strict=True)]
    left = goal = coverage * sum(w)
    lost = 0.0
    for level in sorted(set(confidence), reverse=True):
        tied = [i for i in range(len(y)) if confidence[i] == level]
        weight = sum(w[i] for i in tied)
        if weight == 0:
            continue
        part = min(1.0, left / weight)
        lost += part * sum(w[i] for i in tied if predicted[i] != y[i])
        left -= part * weight
    return lost / goal


def accuracy_at_coverage(y, proba, predicted, w, threshold=None, coverage=1.0):
    return 1 - risk_at_coverage(y, proba, predicted, w, threshold, coverage)


CASES = [
    Case("coverage_score", {}, coverage_score),
    Case("coverage_score", {"threshold": 1.0}, coverage_score),
    Case("selective_accuracy_score", {}, selective_accuracy_score),
    Case("selective_accuracy_score", {"threshold": 0.0}, selective_accuracy_score),
    Case("selective_accuracy_score", {"threshold": 2 / 3}, selective_accuracy_score),
    Case("selective_risk_loss", {"threshold": 0.4}, selective_risk_loss),
    Case("selective_risk_loss", {"coverage": 0.8}, risk_at_coverage),
    Case("selective_risk_loss", {"coverage": 1.0}, risk_at_coverage),
    Case("selective_accuracy_score", {"coverage": 0.3}, accuracy_at_coverage),
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


class TestAtCoverage:
    """A share of the answers is accepted, so each resample has a threshold of its own."""

    RNG = np.random.default_rng(4)
    CONFIDENCE = RNG.random(600).round(2)
    RIGHT = RNG.random(600) < CONFIDENCE
    PROFILE = ConfidenceProfile.from_correctness(RIGHT, CONFIDENCE)
    OTHER = ConfidenceProfile.from_correctness(RIGHT, np.where(RNG.random(600) < 0.3, RNG.random(600), CONFIDENCE))

    def test_it_is_the_risk_of_the_curve_at_this_coverage(self):
        curve = metrics.risk_coverage_curve(self.PROFILE)
        found = [metrics.selective_risk_loss(self.PROFILE, coverage=coverage) for coverage in curve.coverage]
        np.testing.assert_allclose(found, curve.risk, rtol=1e-9)

    def test_the_threshold_of_the_predictions_is_not_used(self):
        with_threshold = ConfidenceProfile.from_predictions(Y, P, threshold=0.99)
        expected = metrics.selective_risk_loss(Y, P, coverage=0.5)
        assert get_scorer("neg_selective_risk", coverage=0.5).of_profile(with_threshold) == -expected
        assert get_scorer("selective_accuracy", coverage=0.5).of_profile(with_threshold) == 1 - expected

    def test_rows_that_abstain_are_accepted_last_and_never(self):
        rows = ConfidenceProfile.from_correctness([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], abstained=[0, 0, 0, 1])
        assert metrics.selective_risk_loss(rows, coverage=0.5) == 0.5
        assert metrics.selective_risk_loss(rows, coverage=0.75) == pytest.approx(1 / 3)
        with pytest.warns(UndefinedMetricWarning, match="the model abstains in too many rows to accept this share"):
            assert np.isnan(metrics.selective_risk_loss(rows, coverage=0.8))

    @pytest.mark.parametrize("coverage", [0.2, 0.8])
    @pytest.mark.parametrize("metric", ["selective_risk_loss", "neg_selective_risk", "selective_accuracy_score"])
    def test_errors_are_those_of_resamples_that_choose_the_threshold_again(self, metric, coverage):
        models = {"a": self.PROFILE, "b": self.OTHER}
        given = {"coverage": coverage, "random_state": 0}
        found, drawn = (inference.compare(metric, models, method=m, **given) for m in ("auto", "bootstrap"))
        assert (found.method, drawn.method) == ("delta", "bootstrap")
        assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.15)
        found, drawn = (
            inference.confidence_interval(metric, self.PROFILE, method=m, **given) for m in ("delta", "bootstrap")
        )
        assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.15)

    @pytest.mark.parametrize(
        ("params", "error", "message"),
        [
            ({"coverage": 0.8, "threshold": 0.5}, ValueError, "threshold=0.5 and coverage=0.8 exclude each other"),
            ({"coverage": 0}, ValueError, "coverage must be above 0"),
            ({"coverage": 80}, ValueError, r"coverage must lie in \[0, 1\]"),
            ({"coverage": "80%"}, TypeError, "coverage must be a number"),
        ],
    )
    def test_what_is_no_share_is_refused(self, params, error, message):
        with pytest.raises(error, match=message):
            metrics.selective_risk_loss(Y, P, **params)

    @pytest.mark.simulation
    @pytest.mark.parametrize("coverage", [0.3, 0.8])
    def test_intervals_of_differences_hold_what_they_promise(self, coverage):
        def draw(n):
            score = self.RNG.normal(size=n)
            noisy = score + 0.7 * self.RNG.normal(size=n)
            right = self.RNG.random(n) < expit(2 * np.abs(score))
            alike = np.sign(score) == np.sign(noisy)
            pairs = {"a": (right, score), "b": (right == alike, noisy)}
            return {
                model: ConfidenceProfile.from_correctness(correct, expit(2 * np.abs(raw)))
                for model, (correct, raw) in pairs.items()
            }

        a, b = (metrics.selective_risk_loss(each, coverage=coverage) for each in draw(1_000_000).values())
        found = [inference.compare("selective_risk_loss", draw(500), coverage=coverage) for _ in range(400)]
        assert 0.915 <= np.mean([each.low <= a - b <= each.high for each in found]) <= 0.985
