"""What a classifier rejects is what abstains: one sentence, one verdict, and an accuracy beside it that fits both."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from skconf import ConfidenceProfile, ConfidenceReport, SelectiveClassifier, confidence_report
from skconf.inference import assess_confidence, confidence_interval

RNG = np.random.default_rng(4)
N = 900
P = RNG.beta(1.2, 1.2, N)
TRUTH = (RNG.random(N) < 0.2 + 0.6 * P).astype(int)  # overconfident


class Said(ClassifierMixin, BaseEstimator):
    """Says the probability that it is given."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        return self

    def predict_proba(self, X):
        return np.c_[1 - X[:, 0], X[:, 0]]


@pytest.fixture
def rejecting():
    said = FrozenEstimator(Said().fit(P[:, None], TRUTH))
    return SelectiveClassifier(said, threshold=0.8).fit(P[:, None], TRUTH)


def abstaining(model, weight=None):
    predicted = model.predict(P[:, None])
    return ConfidenceProfile.from_correctness(
        predicted == TRUTH, np.maximum(P, 1 - P), abstained=predicted == model.reject_label_, sample_weight=weight
    )


def test_the_verdict_is_that_of_rows_that_abstain(rejecting):
    rejected, gone = ConfidenceProfile.from_estimator(rejecting, P[:, None], TRUTH), abstaining(rejecting)
    of_rejected, of_gone = (confidence_report(each) for each in (rejected, gone))
    assert 0 < len(gone) < N
    said, other = (assess_confidence(each) for each in (rejected, gone))
    assert (said.accuracy, said.confidence, said.p_value) == pytest.approx(
        (other.accuracy, other.confidence, other.p_value)
    )
    assert said.n_samples == len(gone)
    gone_in_words = of_gone.summary(width=2000).splitlines()[0].replace("Abstained", "Rejected")
    all_rows = f" Thresholds and worst cases are computed from all {N} rows, as if it answered them all."
    assert of_rejected.summary(width=2000).splitlines()[0] == gone_in_words + all_rows
    (by_answer,) = of_rejected.evidence.by_answer.values()
    assert by_answer.shares.count.sum() == N
    assert f"Answers {len(gone)} of {N} " in of_rejected.summary(width=2000)


def test_the_accuracy_beside_it_is_of_all_and_the_sentence_says_both(rejecting):
    profile = ConfidenceProfile.from_estimator(rejecting, P[:, None], TRUTH)
    text = confidence_report(profile).summary(width=2000)
    of_all = confidence_interval("accuracy", profile).value
    assert of_all == (rejecting.predict(P[:, None]) == TRUTH).mean() == rejecting.score(P[:, None], TRUTH)
    assert f"; of all, in {100 * of_all:.1f}%. Rejected " in text
    right = confidence_interval("selective_accuracy", profile).value
    assert f"When it answers, it is right in {100 * right:.1f}% " in text
    assert assess_confidence(profile).accuracy == pytest.approx(right)


def test_the_share_of_weighted_answers_is_that_of_their_weight(rejecting):
    weight = RNG.gamma(2, 1, N)
    profile = ConfidenceProfile.from_estimator(rejecting, P[:, None], TRUTH, sample_weight=weight)
    share = weight[rejecting.accept(P[:, None])].sum() / weight.sum()
    assert f"({100 * share:.1f}%)" in confidence_report(profile).summary(width=2000)


def test_a_row_that_decides_is_counted_among_all():
    rejected = np.arange(60) % 3 > 0
    p = np.where(rejected, 0.6, 0.9999)
    truth = np.where(rejected, RNG.integers(0, 2, 60), 1)
    truth[57] = 0  # among those that are accepted
    model = SelectiveClassifier(FrozenEstimator(Said().fit(p[:, None], truth)), threshold=0.9).fit(p[:, None], truth)
    found = assess_confidence(ConfidenceProfile.from_estimator(model, p[:, None], truth))
    assert found.decisive_row == 57
    assert "58 of 60 is wrong" in str(found)


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_a_classifier_that_accepts_or_rejects_all_is_judged_by_all(rejecting, threshold):
    rejecting.threshold = threshold
    profile = ConfidenceProfile.from_estimator(rejecting, P[:, None], TRUTH)
    assert assess_confidence(profile).n_samples == N
    assert str(assess_confidence(profile)) == str(assess_confidence(replace(profile, threshold=None)))


def test_rows_that_abstain_are_no_predictions_of_a_file_and_graded_answers_are_not_right_in_a_share(tmp_path):
    """A file of 40 rows had "rows 30", and "its average correctness is 80.0%; of all, in 60.0%"."""
    table = pd.DataFrame({"correct": 0.8, "confidence": 0.9, "abstained": [0, 0, 0, 1] * 10})
    table.to_csv(tmp_path / "a.csv", index=False)
    text = " ".join(ConfidenceReport.from_files(tmp_path / "a.csv").text().split())
    assert "file predictions SHA-256 " in text
    assert "a.csv 30 " in text
    assert "its average correctness is 80.0% (95% interval" in text
    assert "; of all, 60.0%. Abstained 10." in text
