"""Confidences and correctness in words, with a number for each."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, accumulate
from skconf.cli import main

GRADES = {"high": 0.9, "medium": 0.6, "low": 0.3}


@pytest.fixture
def answers():
    """Forty graded answers, spelled as people do."""
    words = ["High", "medium ", "low", " HIGH"] * 10
    return pd.DataFrame({"correct": [1, 1, 0, 0] * 10, "confidence": words})


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical])
def test_words_are_the_numbers_that_they_stand_for(kind, answers):
    profile = ConfidenceProfile.from_correctness(answers["correct"], kind(answers["confidence"]), grades=GRADES)
    assert profile.confidence.tolist() == [0.9, 0.6, 0.3, 0.9] * 10


def test_grades_may_be_numbers_themselves():
    profile = ConfidenceProfile.from_correctness([1, 0, 1], [5, 1.0, "5"], grades={5: 0.95, 1: 0.2})
    assert profile.confidence.tolist() == [0.95, 0.2, 0.95]


@pytest.mark.parametrize(
    ("confidence", "grades", "message"),
    [
        (["high", "hgh"], GRADES, "confidence is 'hgh' in row 1, which is not a grade. Did you mean 'high'"),
        (["high", None], GRADES, "confidence is missing in row 1. Leave the row out"),
        (["high", 195], GRADES, "confidence is 195 in row 1, which is not a grade"),
        (["95%", "sure"], None, "confidence is 'sure' in row 1, which is not a grade"),
        (["95%", "0.9", "1.2"], None, "confidence is '1.2' in row 2, which is not a grade"),
        ([5, 0.5], {5: 0.9, 1: 0.1}, "confidence is 0.5 in row 1, which is not a grade"),
        (["high", "low"], {"high": 90, "low": 30}, r"grades gives 'high' the number 90, which must lie in \[0, 1\]"),
        (["high", "low"], {"high": "0.9", "low": 0.3}, "grades gives 'high' the number '0.9'"),
        (["high", "low"], {"high": np.nan, "low": 0.3}, "grades gives 'high' the number nan"),
        (["high", "low"], {"high": 0.9, "HIGH": 0.8}, "grades gives 'HIGH' two numbers"),
        (["high", "low"], {}, "grades is empty"),
    ],
)
def test_what_is_no_grade_is_told(confidence, grades, message):
    with pytest.raises(ValueError, match=message):
        ConfidenceProfile.from_correctness([1, 0], confidence, grades=grades)


def test_correctness_may_be_in_words_too():
    grades = {"Right": 1, "partly": 0.5, "wrong": 0, **GRADES}
    given = ["right ", "PARTLY", "wrong"], ["high", 0.7, "low"]
    profile = ConfidenceProfile.from_correctness(*given, grades=grades)
    assert profile.correctness.tolist() == [1, 0.5, 0]
    assert profile.confidence.tolist() == [0.9, 0.7, 0.3]
    skipped = ConfidenceProfile.from_correctness(*given, grades=grades, abstained=[0, 1, 0])
    assert skipped.correctness.tolist() == [True, False]
    with pytest.raises(ValueError, match="correct is 'partly' in row 1, which is not a grade"):
        ConfidenceProfile.from_correctness(["right", "partly"], [0.9, 0.8], grades={"right": 1, "wrong": 0})
    with pytest.raises(ValueError, match=r"correct could not.*'right'.*use grades to give each word a number"):
        ConfidenceProfile.from_correctness(["right", "wrong"], [0.9, 0.8])


SCALE = {"1": 0.1, "2": 0.3, "4": 0.8, "5": 0.95}


@pytest.mark.parametrize(
    ("correct", "confidence", "grades", "right", "sure"),
    [
        ([1, 0, 1, 1], [5, 1, 4, 2], SCALE, [1, 0, 1, 1], [0.95, 0.1, 0.8, 0.3]),
        ([1, 1, 1, 1], [5, 1, 4, 2], SCALE, [1, 1, 1, 1], [0.95, 0.1, 0.8, 0.3]),
        ([1, 2, 5, 4], [5, 1, 4, 2], SCALE, [0.1, 0.3, 0.95, 0.8], [0.95, 0.1, 0.8, 0.3]),
        ([1, 0, 1, 1], [1, 1, 0, 0], {"1": 0.9, "0": 0.2}, [0.9, 0.2, 0.9, 0.9], [0.9, 0.9, 0.2, 0.2]),
        ([1, 1, 1, 1], ["a", "b", "b", "a"], {"a": 0.9, "b": 0.5, "1": 0.2}, [0.2] * 4, [0.9, 0.5, 0.5, 0.9]),
    ],
)
def test_one_is_right_beside_confidences_on_a_scale_that_has_no_zero(
    correct, confidence, grades, right, sure, tmp_path
):
    profile = ConfidenceProfile.from_correctness(correct, confidence, grades=grades)
    pd.DataFrame({"correct": correct, "confidence": confidence}).to_csv(tmp_path / "a.csv", index=False)
    report = ConfidenceReport.from_files(tmp_path / "a.csv", correct="correct", confidence="confidence", grades=grades)
    for each in (profile, report.evidence.profiles["value"]):
        assert each.correctness.tolist() == right
        assert each.confidence.tolist() == sure


def test_files_may_grade_correctness_too(tmp_path, capsys):
    path = tmp_path / "judged.csv"
    path.write_text("judge,confidence\nright,0.9\npartly,0.7\nwrong,0.4\nRight ,1\n")
    assert main(["evaluate", str(path), "--correct", "judge", "--confidence", "confidence"]) == 2
    assert "use --grades to give each a number: right=1 partly=NUMBER wrong=0." in capsys.readouterr().err
    total = accumulate(path, "cw_accuracy", correct="judge", grades={"right": 1, "partly": 0.5, "wrong": 0})
    assert total.result()["cw_accuracy"] == pytest.approx((0.9 + 0.5 * 0.7 + 1) / 3)


SAID = {
    "words and numbers": (["high", "95%", "0.95", 95, 0.5], GRADES, [0.9, 0.95, 0.95, 0.95, 0.5]),
    "percentages": (["95%", "7 %", "93,5%", "0.5", "100"], None, [0.95, 0.07, 0.935, 0.5, 1.0]),
    "texts of numbers": (["0.95", "1", "0", "0.5", "1e-1"], None, [0.95, 1.0, 0.0, 0.5, 0.1]),
    "words": (["High", "low", "medium", " high ", "low"], GRADES, [0.9, 0.3, 0.6, 0.9, 0.3]),
}


@pytest.mark.parametrize("said", list(SAID))
def test_what_is_said_is_read_alike_in_python_and_in_files(said, tmp_path):
    confidence, grades, numbers = SAID[said]
    correct = [1, 0, 1, 1, 0]
    profile = ConfidenceProfile.from_correctness(correct, confidence, grades=grades)
    assert profile.confidence.tolist() == numbers
    table = pd.DataFrame({"correct": correct, "confidence": list(map(str, confidence))})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    for name in ("a.csv", "a.jsonl"):
        report = ConfidenceReport.from_files(tmp_path / name, grades=grades)
        assert report.evidence.profiles["value"].confidence.tolist() == numbers


def test_numbers_from_1_to_50_alone_may_be_of_any_scale(tmp_path):
    """45 beside words or percentages is 45%; a column of such numbers alone may be a score."""
    pd.DataFrame({"correct": [1, 0], "confidence": [45, 30]}).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match="45") as in_python:
        ConfidenceProfile.from_correctness([1, 0], [45, 30])
    with pytest.raises(ValueError, match="45") as in_file:
        ConfidenceReport.from_files(tmp_path / "a.csv")
    assert in_python.value.kind == in_file.value.kind == "percentages"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("in_batches", [True, False])
def test_files_of_words_have_the_report_of_numbers(ending, in_batches, answers, tmp_path):
    numbers = answers.assign(confidence=[0.9, 0.6, 0.3, 0.9] * 10)
    for name, table in (("words", answers), ("numbers", numbers)):
        path = tmp_path / f"{name}.{ending}"
        table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    report = {
        name: ConfidenceReport.from_files(
            tmp_path / f"{name}.{ending}", grades=grades, metrics=["confidence_gap", "aurc_loss"], in_batches=in_batches
        )
        for name, grades in (("words", GRADES), ("numbers", None))
    }
    pd.testing.assert_frame_equal(report["words"].frame, report["numbers"].frame)
    mean = accumulate(tmp_path / f"words.{ending}", "confidence_gap", grades=GRADES).result()
    assert list(mean.values()) == [pytest.approx((0.9 + 0.6 + 0.3 + 0.9) / 4 - 0.5)]


def test_grades_on_the_command_line(answers, tmp_path, capsys):
    answers.to_csv(tmp_path / "answers.csv", index=False)
    grades = ["--grades", "high=0.9", "medium=0.6", "low=0.3"]
    report = tmp_path / "report.csv"
    assert main(["evaluate", str(tmp_path / "answers.csv"), *grades, "--csv", str(report)]) == 0
    assert pd.read_csv(report).set_index("metric")["value"]["cw_accuracy_score"] == pytest.approx((0.9 + 0.6) / 2.7)
    capsys.readouterr()


def test_columns_of_words_are_found(tmp_path, capsys):
    """Below .5 in a task of two classes, too: a grade is no probability of a class."""
    path = tmp_path / "other.csv"
    path.write_text("label;pred;conf\n" + "cat;cat;High\ncat;dog;Low\ndog;dog;High\ncat;cat;Low\n" * 5)
    assert main(["evaluate", str(path), "--grades", "high=.9", "low=.4"]) == 0
    assert "'conf' as the confidence in the prediction" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (
            [],
            "If ['high', 'medium', 'low'] are grades, use --grades to give each a number: high=0.9",
        ),
        (["--grades", "high=.9", "low=.3"], "column 'confidence' is 'medium' in row 1 (line 3), which is not a grade"),
        (["--grades", "high=.9", "low=.3", "high=.8"], "--grades gives 'high' two numbers"),
        (["--grades", "high=9", "low=.3"], "--grades gives 'high' the number 9.0, which must lie in [0, 1]"),
    ],
)
def test_mistakes_are_told(grades, message, answers, tmp_path, capsys):
    answers.to_csv(tmp_path / "answers.csv", index=False)
    assert main(["evaluate", str(tmp_path / "answers.csv"), *grades]) == 2
    assert message in capsys.readouterr().err


def test_an_option_that_is_no_grade(capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", "a.csv", "--grades", "high"])
    assert "must be WORD=NUMBER, as high=0.9, but is 'high'" in capsys.readouterr().err
