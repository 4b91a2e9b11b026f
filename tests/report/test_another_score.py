"""Thresholds by the confidence and by another score, guaranteed together."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, tune_threshold
from skconf.cli import main

RNG = np.random.default_rng(8)
N = 800
RIGHT = RNG.random(N) < 0.75
CONFIDENCE = np.clip(0.5 + 0.3 * RIGHT * RNG.random(N) + 0.2 * RNG.random(N), 0, 1).round(4)
SCORE = (2.0 * RIGHT + RNG.normal(size=N)).round(4)
TABLE = pd.DataFrame({"id": range(N), "correct": RIGHT.astype(int), "confidence": CONFIDENCE, "judge": SCORE})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("a.csv", index=False)


def test_both_are_guaranteed_together():
    evidence = ConfidenceReport.from_files("a.csv", score="judge").evidence
    for of, score in ((evidence, None), (evidence.by_score, SCORE)):
        profile = ConfidenceProfile.from_correctness(RIGHT, CONFIDENCE, score=score)
        for target in (0.05, 0.1):
            tuned = tune_threshold(profile, target=target, confidence_level=0.95, n_candidates=2)
            found = of.guarantee("value", target)
            assert (found.status == "guaranteed") == tuned.feasible
            if tuned.feasible:
                assert of.stops["value"].answered[found.stop] == pytest.approx(tuned.coverage)


def test_verdict_and_metrics_stay_with_the_confidence():
    with_score, alone = ConfidenceReport.from_files("a.csv", score="judge"), ConfidenceReport.from_files("a.csv")
    assert with_score.verdict == alone.verdict
    pd.testing.assert_frame_equal(with_score.frame, alone.frame)


def test_one_candidate_is_guaranteed_at_the_whole_level():
    evidence = ConfidenceReport.from_files("a.csv").evidence
    tuned = tune_threshold(ConfidenceProfile.from_correctness(RIGHT, CONFIDENCE), target=0.1, confidence_level=0.95)
    assert evidence.by_score is None
    assert evidence.stops["value"].answered[evidence.guarantee("value", 0.1).stop] == pytest.approx(tuned.coverage)


def test_rows_that_abstain_and_another_order_have_their_scores():
    gone = RNG.random(N) < 0.2
    TABLE.assign(judge=pd.Series(SCORE).where(~gone), gone=gone.astype(int)).to_csv("b.csv", index=False)
    order = RNG.permutation(N)
    TABLE.assign(gone=0).iloc[order].to_csv("c.csv", index=False)
    evidence = ConfidenceReport.from_files(
        {"b": "b.csv", "c": "c.csv"}, score="judge", abstained="gone", ids="id"
    ).evidence
    assert evidence.scores["b"].tolist() == SCORE[~gone].tolist()
    assert evidence.scores["c"].tolist() == SCORE.tolist()


def test_the_page_and_the_text_show_both(capsys):
    assert main(["evaluate", "a.csv", "--score", "judge", "--html", "a.html"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "that you allow, by confidence" in text
    assert "that you allow, by judge" in text
    assert "guarantees of both scores hold at the same time" in text
    assert main(["evaluate", "a.csv", "--score", "judge", "--anonymous"]) == 0
    assert "judge" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "told"), [({"score": "jude"}, "judge"), ({"score": "judge", "in_batches": True}, "score")]
)
def test_what_cannot_be_is_told(options, told):
    with pytest.raises(ValueError, match=told):
        ConfidenceReport.from_files("a.csv", **options)


def test_a_score_that_is_missing_is_told_with_its_row():
    gone = (np.arange(N) < 3).astype(int)
    TABLE.assign(judge=pd.Series(SCORE).where(np.arange(N) != 7), gone=gone).to_csv("b.csv", index=False)
    with pytest.raises(ValueError, match="judge") as caught:
        ConfidenceReport.from_files("b.csv", score="judge", abstained="gone")
    assert caught.value.row == 7
