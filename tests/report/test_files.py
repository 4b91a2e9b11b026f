"""Reports on files: the rows of a report on predictions in memory, wherever they are read."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report, confidence_report_from_files
from skconf.accumulation import _files
from skconf.report import _batches


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 1, 1], 200)
    y = (proba.cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1)
    table = pd.DataFrame(proba, columns=["proba_0", "proba_1", "proba_2"]).assign(y_true=y, day=np.arange(200) % 2)
    table.to_csv("whole.csv", index=False)
    (tmp_path / "parts").mkdir()
    for part in range(4):
        table[50 * part : 50 * (part + 1)].to_csv(tmp_path / "parts" / f"{part}.csv", index=False)
    return table


def in_memory(table, **options):
    proba = table[["proba_0", "proba_1", "proba_2"]].to_numpy()
    return confidence_report(table["y_true"].to_numpy(), proba, labels=[0, 1, 2], **options)


@pytest.mark.parametrize(
    ("files", "options"),
    [("whole.csv", {}), ("whole.csv", {"in_batches": True}), ("parts", {}), (["parts/*.csv"], {"labels": [0, 1, 2]})],
)
def test_says_what_is_said_in_memory(files, options, table):
    report = confidence_report_from_files(files, threshold=0.5, **options)
    expected = in_memory(table, threshold=0.5)
    expected = expected.loc[expected.index.isin(report.index)]
    assert isinstance(report, ConfidenceReport)
    pd.testing.assert_frame_equal(pd.DataFrame(report), expected, rtol=1e-12, atol=1e-14)
    assert set(in_memory(table, threshold=0.5).index) - set(report.index) <= {"threshold"}


def test_models_stand_side_by_side(table):
    other = table.assign(proba_0=table["proba_1"], proba_1=table["proba_0"])
    other.to_csv("other.csv", index=False)
    files = {"mine": "whole.csv", "other": "other.csv"}
    profiles = {"mine": table, "other": other}
    proba = {name: part[["proba_0", "proba_1", "proba_2"]].to_numpy() for name, part in profiles.items()}
    expected = confidence_report(table["y_true"].to_numpy(), proba, labels=[0, 1, 2])
    for in_batches in (None, True):
        report = confidence_report_from_files(files, in_batches=in_batches)
        if in_batches:  # which keep no rows to pair
            assert set(report["best_model"]) == {"", "not compared"}
            assert "No stars: mine and other were read in batches, which keep no rows." in repr(report)
            report["best_model"] = expected["best_model"]
        pd.testing.assert_frame_equal(report, expected, rtol=1e-12, atol=1e-14)


def test_groups_have_a_row_each(table):
    report = confidence_report_from_files("parts", groups="day", metrics=["cw_accuracy_score", "aurc_loss"])
    for day, part in table.groupby("day"):
        expected = in_memory(part, metrics=["cw_accuracy_score", "aurc_loss"])["value"]
        assert report.loc[str(day), expected.index].to_numpy(float) == pytest.approx(expected.to_numpy(), rel=1e-12)
    assert report["count"].tolist() == [100, 100]


def test_options_that_contradict_each_other(table):
    for files, options in (("parts", {}), ("whole.csv", {"groups": "day"})):
        with pytest.raises(ValueError, match=r"are read in batches\. Leave in_batches out"):
            confidence_report_from_files(files, in_batches=False, **options)
    with pytest.raises(ValueError, match="A model is named 'best'"):
        confidence_report_from_files({"best": "whole.csv", "other": "parts"})


def test_slices_are_columns_of_the_file(table):
    (of_file,) = confidence_report_from_files("whole.csv", slices=["day", "proba_0"]).evidence.by_slice.values()
    (in_frame,) = in_memory(table, slices=table[["day", "proba_0"]]).evidence.by_slice.values()
    assert {"day = 0", "day = 1"} < set(of_file.names)
    assert len(of_file.names) == 6
    assert of_file.names == in_frame.names
    assert of_file.finding() == in_frame.finding()


def test_slices_follow_rows_that_are_matched_by_ids(table):
    rng = np.random.default_rng(1)
    table = table.assign(id=range(200), region=rng.choice(["a", "b", ""], 200), age=rng.integers(0, 99, 200))
    table.to_csv("whole.csv", index=False)
    table.iloc[rng.permutation(200)].to_csv("other.csv", index=False)
    files = {"mine": "whole.csv", "other": "other.csv"}
    evidence = confidence_report_from_files(files, ids="id", slices=["region", "age"]).evidence
    mine, other = evidence.slices["mine"], evidence.slices["other"]
    assert list(mine) == ["region", "age"]
    for column in mine:
        assert mine[column].names == other[column].names
        assert mine[column].codes.tolist() == other[column].codes.tolist()
    assert evidence.by_slice["mine"].finding() == evidence.by_slice["other"].finding()
    unmatched = confidence_report_from_files(files, slices=["region"]).evidence
    assert unmatched.slices["mine"]["region"].codes.tolist() != unmatched.slices["other"]["region"].codes.tolist()
    shown = [each.shares.right.tolist() for each in unmatched.by_slice.values()]
    assert shown[0] == shown[1]


def test_slices_are_not_for_batches(table):
    for files, options in (("parts", {}), ("whole.csv", {"in_batches": True}), ("whole.csv", {"groups": "day"})):
        with pytest.raises(
            ValueError, match=r"keep no rows to look where they fail\. Leave slices out; groups=\[\.\.\.\]"
        ):
            confidence_report_from_files(files, slices="day", **options)
    with pytest.raises(ValueError, match=r"whole\.csv: there is no column 'dey'\. Did you mean 'day'"):
        confidence_report_from_files("whole.csv", slices="dey")


class TestGraded:
    """Correctness between 0 and 1."""

    @pytest.fixture
    def answers(self, tmp_path, monkeypatch):
        """Answers of which the first 1,200 are right or wrong, more than are tried at first."""
        monkeypatch.chdir(tmp_path)
        for module in (_files, _batches):
            monkeypatch.setattr(module, "BATCH_ROWS", 150)
        rng = np.random.default_rng(0)
        sure = rng.random(2000)
        right = np.clip(sure + rng.normal(0, 0.2, 2000), 0, 1)
        right[:1200] = right[:1200] > 0.5
        table = pd.DataFrame({"correct": right, "confidence": sure, "sample_weight": rng.integers(1, 4, 2000)})
        table.insert(0, "id", [f"q{row}" for row in range(2000)])
        return table

    @pytest.mark.parametrize("in_batches", [False, True])
    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_a_column_of_it_is_a_profile_of_it(self, in_batches, form, answers):
        if form == "csv":
            answers.to_csv("a.csv", index=False)
        else:
            pytest.importorskip("pyarrow")
            answers.to_parquet("a.parquet")
        report = confidence_report_from_files(f"a.{form}", threshold=0.5, in_batches=in_batches)
        right, sure, weight = (answers[name].to_numpy() for name in ("correct", "confidence", "sample_weight"))
        profile = ConfidenceProfile.from_correctness(right, sure, sample_weight=weight)
        expected = confidence_report(profile, threshold=0.5)
        expected = expected.loc[expected.index.isin(report.index)]
        pd.testing.assert_frame_equal(pd.DataFrame(report), pd.DataFrame(expected), rtol=1e-12, atol=1e-14)
        assert "Graded: only the gap is tested." in str(report)
        assert "aurc_loss" in report.index

    @pytest.mark.parametrize("in_batches", [False, True])
    def test_errors_name_a_row_by_its_id(self, in_batches, answers):
        answers.loc[1700, "correct"] = 1.5
        answers.to_csv("a.csv", index=False)
        with pytest.raises(ValueError, match=r"^a.csv: correct is 1.5 in row 1700 \(id q1700\); it must lie in"):
            confidence_report_from_files("a.csv", in_batches=in_batches)
        answers.rename(columns={"id": "case"}).to_csv("b.csv", index=False)
        with pytest.raises(ValueError, match=r"in row 1700; it"):
            confidence_report_from_files("b.csv", in_batches=in_batches)
        with pytest.raises(ValueError, match=r"in row 1700 \(case q1700\); it"):
            confidence_report_from_files({"one": "b.csv", "two": "b.csv"}, ids="case")

    def test_what_counts_errors_is_refused_by_name_however_late_it_shows(self, answers):
        answers.to_csv("a.csv", index=False)
        with pytest.raises(ValueError, match="calibrated_size_ratio needs answers that are right or wrong"):
            confidence_report_from_files("a.csv", metrics=["calibrated_size_ratio"], in_batches=True)
