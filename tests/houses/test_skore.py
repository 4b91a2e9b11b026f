"""Checks of confidences in skore's reports, by its public protocol; copy those that you need."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV
from skconf.inference import assess_confidence

skore = pytest.importorskip("skore", minversion="0.28")


class OverconfidentWhenMostCertain(skore.Check):
    code = "SKC001"
    title = "Overconfident when most certain"
    report_types = ["estimator"]  # noqa: RUF012 – skore asks for a list
    severity = "issue"

    def check_function(self, report):
        if not hasattr(report.estimator_, "predict_proba"):
            raise skore.CheckNotApplicable("The classifier has no predict_proba.")
        found = assess_confidence(report.y_test, report.estimator_.predict_proba(report.X_test))
        worst = found.overconfident
        if worst is None or worst.low < 0.5:
            return None
        return (
            f"Of {worst.count:,.0f} answers with a confidence of {worst.low:.3g} or more, {worst.observed:,.0f} are "
            f"wrong, where the confidences imply {worst.expected:,.1f} errors. "
            "Set SelectiveClassifier(calibration='pooled')."
        )


class ThresholdWithoutGuarantee(skore.Check):
    code = "SKC002"
    title = "Threshold without a guarantee"
    report_types = ["estimator"]  # noqa: RUF012
    severity = "tip"

    def check_function(self, report):
        model = report.estimator_
        if not hasattr(model, "threshold_"):
            raise skore.CheckNotApplicable("The classifier has no threshold.")
        if model.threshold_ <= 0 or getattr(model, "confidence_level", None) is not None:
            return None
        return (
            f"Nothing says how often answers from {model.threshold_:.3f} up are wrong for new samples. Choose the "
            "threshold by TunedSelectiveClassifierCV(target=..., confidence_level=0.95)."
        )


class CalibratedOnTrainingRows(skore.Check):
    code = "SKC003"
    title = "Calibrated on its training rows"
    report_types = ["estimator"]  # noqa: RUF012
    severity = "issue"

    def check_function(self, report):
        model = report.estimator_
        inner = getattr(model, "estimator", None)
        if not isinstance(inner, FrozenEstimator) or getattr(model, "calibration", None) is None:
            raise skore.CheckNotApplicable("The classifier calibrates no frozen one: its calibrator sees other rows.")
        if report.X_train is None:
            raise skore.CheckNotApplicable("The rows that calibrated are unknown: pass X_train and y_train.")
        seen, new = inner.score(report.X_train, report.y_train), inner.score(report.X_test, report.y_test)
        error = np.sqrt(max(new * (1 - new), 0.01) * (1 / len(report.y_train) + 1 / len(report.y_test)))
        if seen - new < 4 * error:
            return None
        return (
            f"The frozen classifier is right on {seen:.0%} of the rows that calibrated it, and on {new:.0%} of others: "
            "they have trained it. Calibrate on rows that it has not seen, or pass it without FrozenEstimator."
        )


X, Y = make_classification(3000, 20, n_informative=5, n_redundant=10, flip_y=0.15, random_state=0)
TRAIN, OTHER, TEST = slice(0, 1000), slice(1000, 2000), slice(2000, 3000)


def sections_of(model, rows=TRAIN):
    """Return where skore lists each of the three checks."""
    given = {"X_train": X[rows], "y_train": Y[rows], "X_test": X[TEST], "y_test": Y[TEST]}
    report = skore.EstimatorReport(model, **given)  # which fits it
    report.checks.add([OverconfidentWhenMostCertain(), ThresholdWithoutGuarantee(), CalibratedOnTrainingRows()])
    frame = report.checks.summarize(fast_mode=True).frame().set_index("code")
    return frame.loc[["SKC001", "SKC002", "SKC003"]]


def test_naive_bayes_is_overconfident_and_a_calibrated_one_is_not():
    raw = sections_of(GaussianNB())
    assert raw["section"].tolist() == ["issue", "not_applicable", "not_applicable"]
    assert "are wrong, where the confidences imply" in raw.loc["SKC001", "explanation"]
    assert sections_of(SelectiveClassifier(GaussianNB(), calibration="pooled"))["section"].tolist()[0] == "passed"


def test_threshold_has_a_guarantee_or_not():
    by_hand = sections_of(SelectiveClassifier(LogisticRegression(), threshold=0.9))
    assert by_hand["section"].tolist()[1] == "tip"
    assert "from 0.900 up" in by_hand.loc["SKC002", "explanation"]
    observed = TunedSelectiveClassifierCV(LogisticRegression(), target=0.1, random_state=0)
    assert sections_of(observed)["section"].tolist()[1] == "tip"
    guaranteed = TunedSelectiveClassifierCV(LogisticRegression(), target=0.25, confidence_level=0.8, random_state=0)
    assert sections_of(guaranteed)["section"].tolist()[1] == "passed"


def test_rows_of_training_calibrate_badly():
    forest = RandomForestClassifier(50, random_state=0).fit(X[TRAIN], Y[TRAIN])
    frozen = SelectiveClassifier(FrozenEstimator(forest), calibration="platt")
    wrong = sections_of(frozen, TRAIN)
    assert wrong.loc["SKC003", "section"] == "issue"
    assert "right on 100% of the rows that calibrated it" in wrong.loc["SKC003", "explanation"]
    assert sections_of(frozen, OTHER).loc["SKC003", "section"] == "passed"
