"""Reports on files: the rows of a report on predictions in memory, wherever they are read."""

import gzip
import lzma
import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_table

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report
from skconf.report._sections.slices import slice_finding


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = draw_table(200).assign(day=np.arange(200) % 2)
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
    report = ConfidenceReport.from_files(files, threshold=0.5, **options)
    expected = in_memory(table, threshold=0.5).frame
    expected = expected.loc[expected.index.isin(report.frame.index)]
    assert isinstance(report, ConfidenceReport)
    pd.testing.assert_frame_equal(report.frame, expected, rtol=1e-12, atol=1e-14)
    assert set(in_memory(table, threshold=0.5).frame.index) - set(report.frame.index) <= {"threshold"}


def test_models_stand_side_by_side(table):
    other = table.assign(proba_0=table["proba_1"], proba_1=table["proba_0"])
    other.to_csv("other.csv", index=False)
    files = {"mine": "whole.csv", "other": "other.csv"}
    profiles = {"mine": table, "other": other}
    proba = {name: part[["proba_0", "proba_1", "proba_2"]].to_numpy() for name, part in profiles.items()}
    expected = confidence_report(table["y_true"].to_numpy(), proba, labels=[0, 1, 2])
    for in_batches in (None, True):
        report = ConfidenceReport.from_files(files, in_batches=in_batches)
        if in_batches:  # which keep no rows to pair
            assert set(report.frame["best_model"]) == {"", "not compared"}
            assert "No stars: mine and other were read in batches, which keep no rows." in repr(report)
            report.frame["best_model"] = expected.frame["best_model"]
        pd.testing.assert_frame_equal(report.frame, expected.frame, rtol=1e-12, atol=1e-14)


def test_graded_answers_stand_beside_right_and_wrong_ones_in_batches(tmp_path):
    rng = np.random.default_rng(0)
    confidence, right = rng.uniform(0.5, 1, 300), rng.random(300) < 0.6
    pd.DataFrame({"correct": right.astype(int), "confidence": confidence}).to_csv(tmp_path / "counted.csv")
    pd.DataFrame({"correct": 0.9 * right, "confidence": confidence}).to_csv(tmp_path / "graded.csv")
    files = {"one": tmp_path / "counted.csv", "two": tmp_path / "graded.csv"}
    report = ConfidenceReport.from_files(files, metrics=["accuracy_score"], in_batches=True)
    accepted = [line for line in report.model_card().splitlines() if "**Accept" in line]
    assert [line.split("**")[1] for line in accepted] == ["Accept one"]  # graded rows show no thresholds in batches
    assert "When should they abstain?" in report.page()


def test_groups_have_a_row_each(table):
    report = ConfidenceReport.from_files("parts", groups="day", metrics=["cw_accuracy_score", "aurc_loss"])
    for day, part in table.groupby("day"):
        expected = in_memory(part, metrics=["cw_accuracy_score", "aurc_loss"]).frame["value"]
        shown = report.frame.loc[str(day), expected.index].to_numpy(float)
        assert shown == pytest.approx(expected.to_numpy(), rel=1e-12)
    assert report.frame["count"].tolist() == [100, 100]


def test_options_that_contradict_each_other(table):
    for files, options in (("parts", {}), ("whole.csv", {"groups": "day"})):
        with pytest.raises(ValueError, match=r"are read in batches\. Leave in_batches out"):
            ConfidenceReport.from_files(files, in_batches=False, **options)
    with pytest.raises(ValueError, match="A model is named 'best'"):
        ConfidenceReport.from_files({"best": "whole.csv", "other": "parts"})


def test_slices_are_columns_of_the_file(table):
    (of_file,) = ConfidenceReport.from_files("whole.csv", slices=["day", "proba_0"]).evidence.by_slice.values()
    (in_frame,) = in_memory(table, slices=table[["day", "proba_0"]]).evidence.by_slice.values()
    assert {"day = 0", "day = 1"} < set(of_file.names)
    assert len(of_file.names) == 6
    assert of_file.names == in_frame.names
    assert slice_finding(of_file) == slice_finding(in_frame)


def test_slices_follow_rows_that_are_matched_by_ids(table):
    rng = np.random.default_rng(1)
    table = table.assign(id=range(200), region=rng.choice(["a", "b", ""], 200), age=rng.integers(0, 99, 200))
    table.to_csv("whole.csv", index=False)
    table.iloc[rng.permutation(200)].to_csv("other.csv", index=False)
    files = {"mine": "whole.csv", "other": "other.csv"}
    evidence = ConfidenceReport.from_files(files, ids="id", slices=["region", "age"]).evidence
    mine, other = evidence.slices["mine"], evidence.slices["other"]
    assert list(mine) == ["region", "age"]
    for column in mine:
        assert mine[column].names == other[column].names
        assert mine[column].codes.tolist() == other[column].codes.tolist()
    assert slice_finding(evidence.by_slice["mine"]) == slice_finding(evidence.by_slice["other"])
    unmatched = ConfidenceReport.from_files(files, slices=["region"]).evidence
    assert unmatched.slices["mine"]["region"].codes.tolist() != unmatched.slices["other"]["region"].codes.tolist()
    shown = [each.shares.right.tolist() for each in unmatched.by_slice.values()]
    assert shown[0] == shown[1]


def test_slices_are_not_for_batches(table):
    for files, options in (("parts", {}), ("whole.csv", {"in_batches": True}), ("whole.csv", {"groups": "day"})):
        with pytest.raises(ValueError, match=r"divided into slices\. Leave slices out; groups=\[\.\.\.\]"):
            ConfidenceReport.from_files(files, slices="day", **options)
    with pytest.raises(ValueError, match=r"whole\.csv: there is no column 'dey'\. Did you mean 'day'"):
        ConfidenceReport.from_files("whole.csv", slices="dey")


class TestGraded:
    """Correctness between 0 and 1."""

    @pytest.fixture
    def answers(self, tmp_path, monkeypatch):
        """Answers of which the first 1,200 are right or wrong, more than are tried at first."""
        monkeypatch.chdir(tmp_path)
        for module in ("accumulation._read", "report._evidence.batches"):
            monkeypatch.setattr(f"skconf.{module}.BATCH_ROWS", 150)
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
        report = ConfidenceReport.from_files(f"a.{form}", threshold=0.5, in_batches=in_batches)
        right, sure, weight = (answers[name].to_numpy() for name in ("correct", "confidence", "sample_weight"))
        profile = ConfidenceProfile.from_correctness(right, sure, sample_weight=weight)
        expected = confidence_report(profile, threshold=0.5).frame
        expected = expected.loc[expected.index.isin(report.frame.index)]
        pd.testing.assert_frame_equal(report.frame, expected, rtol=1e-12, atol=1e-14)
        assert "are graded: only the overall gap is tested." in " ".join(str(report).split())
        assert "average correctness" in report.text()
        assert "is right in" not in report.text()
        assert "aurc_loss" in report.frame.index

    @pytest.mark.parametrize("in_batches", [False, True])
    def test_errors_name_a_row_by_its_id(self, in_batches, answers):
        answers.loc[1700, "correct"] = 1.5
        answers.to_csv("a.csv", index=False)
        with pytest.raises(
            ValueError, match=r"^a.csv: correct is 1.5 in row 1700 \(line 1702, id q1700\); it must lie in"
        ):
            ConfidenceReport.from_files("a.csv", in_batches=in_batches)
        answers.rename(columns={"id": "case"}).to_csv("b.csv", index=False)
        with pytest.raises(ValueError, match=r"in row 1700 \(line 1702\); it"):
            ConfidenceReport.from_files("b.csv", in_batches=in_batches)
        with pytest.raises(ValueError, match=r"in row 1700 \(line 1702, case q1700\); it"):
            ConfidenceReport.from_files({"one": "b.csv", "two": "b.csv"}, ids="case")

    def test_what_counts_errors_is_refused_by_name_however_late_it_shows(self, answers):
        answers.to_csv("a.csv", index=False)
        with pytest.raises(ValueError, match="calibrated_size_ratio needs answers that are right or wrong"):
            ConfidenceReport.from_files("a.csv", metrics=["calibrated_size_ratio"], in_batches=True)


class TestLabelsAndIds:
    """Files of true and predicted labels and the confidence, with ids."""

    @pytest.fixture
    def answers(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rng = np.random.default_rng(0)
        sure, truth = rng.uniform(0.4, 1, 300), rng.choice(list("abc"), 300)
        predicted = np.where(rng.random(300) < sure, truth, np.roll(truth, 1))
        ids = [f"q{row}" for row in range(300)]
        table = pd.DataFrame({"id": ids, "y_true": truth, "y_pred": predicted, "confidence": sure})
        table.to_csv("a.csv", index=False)
        return table

    def test_a_report_tells_classes_confusions_and_ids(self, answers):
        text = ConfidenceReport.from_files("a.csv").text()
        wrong = answers[answers["y_true"] != answers["y_pred"]]
        surest = wrong.loc[wrong["confidence"].idxmax()]
        assert (
            f"Most confident error: id {surest['id']}, true class {surest['y_true']}, answer {surest['y_pred']}" in text
        )
        threshold = re.search(r"Confusion table: confidence ([\d.]+) or more ", text)
        accepted = answers[answers["confidence"] >= float(threshold[1])]
        counted = pd.crosstab(accepted["y_true"], accepted["y_pred"])
        rows = text.split("Confusion table")[1].split("\n")[3 : 3 + len(counted)]
        for row, (truth, counts) in zip(rows, counted.iterrows(), strict=True):
            assert row.split()[: 1 + len(counts)] == [truth, *map(str, counts)]
        assert "where it answers" in text
        # Values are those of correctness alone, as in batches.
        in_batches = ConfidenceReport.from_files("a.csv", in_batches=True)
        report = ConfidenceReport.from_files("a.csv")
        pd.testing.assert_series_equal(report.frame["value"], in_batches.frame["value"], rtol=1e-12)

    def test_labels_are_left_out_of_an_anonymous_page(self, answers):
        answers.replace({"a": "ada", "b": "bob"}).to_csv("a.csv", index=False)
        report = ConfidenceReport.from_files("a.csv")
        assert "ada" in report.page()
        page = report.page(anonymous=True)
        assert "class 2" in page
        for name in ("ada", "bob", "q1"):
            assert not re.search(rf"\b{name}\b", page)

    def test_ids_in_another_order_are_not_paired_by_place(self, answers):
        same = answers["y_true"] == "a"  # true labels agree row by row all the same
        moved = answers.copy()
        moved.loc[same] = answers[same].to_numpy()[::-1]
        moved.to_csv("b.csv", index=False)
        files = {"one": "a.csv", "two": "b.csv"}
        text = " ".join(ConfidenceReport.from_files(files).text().split())
        first, last = answers["id"][same].iloc[[0, -1]]
        where = f"have different ids in column 'id', first in row {int(np.argmax(same))}: {first} and {last}"
        assert f"Not compared: one and two {where} (ids='id' matches rows by this column)." in text
        matched = ConfidenceReport.from_files(files, ids="id")
        assert matched.frame.at["aurc_loss", "best_model"] == "no difference shown"

    def test_ids_pair_rows_without_true_labels(self, answers):
        right = (answers["y_true"] == answers["y_pred"]).astype(int)
        for name, sure in (("a", answers["confidence"]), ("b", 1 - answers["confidence"])):
            pd.DataFrame({"key": answers["id"], "correct": right, "confidence": sure}).to_csv(
                f"{name}.csv", index=False
            )
        report = ConfidenceReport.from_files({"a": "a.csv", "b": "b.csv"})
        assert report.frame.at["aurc_loss", "best_model"] == ("a",)
        for name in "ab":
            pd.read_csv(f"{name}.csv").drop(columns="key").to_csv(f"{name}.csv", index=False)
        report = ConfidenceReport.from_files({"a": "a.csv", "b": "b.csv"})
        assert "have no true labels to match rows by, and no ids" in " ".join(report.text().split())

    def test_labels_pair_rows_of_a_model_that_abstains(self, answers):
        answers = answers.drop(columns="id")
        answers.to_csv("a.csv", index=False)
        gone = np.arange(len(answers)) % 20 == 0
        answers.assign(abstained=gone.astype(int)).to_csv("b.csv", index=False)
        text = " ".join(ConfidenceReport.from_files({"a": "a.csv", "b": "b.csv"}).text().split())
        lost = (gone & (answers["y_true"] == answers["y_pred"])).sum()
        assert f"{lost} answers are right with only one of the two models, {lost} with a" in text
        assert "The models abstain in different rows. A metric that leaves out abstentions favours a model" in text
        answers.assign(abstained=gone.astype(int), y_true=answers["y_true"].where(~gone)).to_csv("b.csv", index=False)
        text = " ".join(ConfidenceReport.from_files({"a": "a.csv", "b": "b.csv"}).text().split())
        assert "have no true labels to match rows by, and no ids" in text

    def test_tables_fit_the_width(self, answers):
        for name in ("a very long name of a model", "another long name"):
            answers.to_csv(f"{name}.csv", index=False)
        files = {name: f"{name}.csv" for name in ("a very long name of a model", "another long name")}
        names = ["accuracy_score", "aurc_loss", "ecuas_loss"]
        report = ConfidenceReport.from_files(files, metrics=names, confidence_level=0.9)
        assert max(map(len, report.text(width=80).splitlines())) <= 80
        assert max(map(len, report.text().splitlines())) > 120
        for text in (report.text(width=80), report.text()):
            assert text.count(f"{report.frame.at['aurc_loss', 'another long name']:.4f}") >= 1


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip", ".csv.zst", ".parquet"])
def test_what_a_file_holds_decides_whether_it_is_held_in_memory(ending, tmp_path, monkeypatch):
    """It was the size of the compressed file: 350 KB of rows that repeat took gigabytes."""
    if ending in (".csv.zst", ".parquet"):
        arrow = pytest.importorskip("pyarrow")
    table, path = pd.DataFrame({"correct": [1, 0] * 5000, "confidence": [0.5, 0.25] * 5000}), tmp_path / f"a{ending}"
    if ending == ".parquet":
        table.to_parquet(path)
    elif ending == ".csv.zst":
        with arrow.output_stream(str(path)) as file:
            file.write(table.to_csv(index=False).encode())
    else:
        table.to_csv(path, index=False)
    if ending != ".csv":
        assert path.stat().st_size < 20_000
    for most, in_batches in ((20_000, True), (1_000_000, False)):
        monkeypatch.setattr("skconf.report._evidence.files._MOST_BYTES", most)
        assert (not ConfidenceReport.from_files(path).evidence.profiles) == in_batches


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.xz"])
def test_a_line_without_end_is_refused_before_it_is_held(ending, tmp_path):
    opener = {".csv": open, ".csv.gz": gzip.open, ".csv.xz": lzma.open}[ending]
    with opener(tmp_path / f"a{ending}", "wb") as file:
        file.write(b"a" * (1 << 23))
    tracemalloc.start()
    with pytest.raises(ValueError, match="longer than 4 MB") as refused:
        ConfidenceReport.from_files(tmp_path / f"a{ending}")
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()
    assert refused.value.kind == "long row"
    assert refused.value.place == str(tmp_path / f"a{ending}")


ANIMALS, DIGITS = ["ant", "bee", "cat", "dog", "eel"], ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(("prefix", "scale"), [("", 1), ("p_", 1), ("proba_", 1), ("", 100), ("p_", 100)])
@pytest.mark.parametrize("occurring", [[0, 1, 2], [2, 3, 4], [1, 2, 3], [0, 4], [3], [0]])
@pytest.mark.parametrize("names", [ANIMALS, DIGITS])
def test_classes_without_a_row_are_kept_and_named(names, occurring, prefix, scale, tmp_path):
    """Two of ten were left out of a small file, and then the labels did not fit the columns."""
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(5), 40).round(4)
    table = pd.DataFrame(proba * scale, columns=[f"{prefix}{name}" for name in names])
    table.insert(0, "y_true", np.array(names)[rng.choice(occurring, 40)])
    table.insert(1, "age", rng.integers(20, 80, 40))
    table["latitude"] = rng.normal(size=40)
    table.to_csv(tmp_path / "a.csv", index=False)
    if scale == 100:
        with pytest.raises(ValueError, match="percentages") as refused:
            ConfidenceReport.from_files(tmp_path / "a.csv")
        assert set(refused.value.columns["proba"]) == {f"{prefix}{name}" for name in names}
        return
    evidence = ConfidenceReport.from_files(tmp_path / "a.csv", metrics=["accuracy_score"]).evidence
    assert list(map(str, evidence.profiles["value"].classes)) == names
    said = [line for line in evidence.origin.read_as if "among the true labels" in line]
    named = [name for name in names if re.search(rf"labels: .*\b{name}\b", said[0])]
    assert named == [name for name in names if name not in set(table["y_true"])]


@pytest.mark.parametrize("truth", [0, 1, False, "0"])
def test_one_column_of_two_classes_of_which_one_occurs(truth, tmp_path):
    table = pd.DataFrame({"y_true": [truth] * 4, "proba_1": [0.25, 0.75, 0.5, 0.125]})
    for write, ending in ((table.to_csv, "csv"), (table.to_parquet, "parquet")):
        write(tmp_path / f"a.{ending}", index=False)
        found = ConfidenceReport.from_files(tmp_path / f"a.{ending}", metrics=["mean_confidence", "accuracy_score"])
        assert list(found.evidence.profiles["value"].classes.astype(int)) == [0, 1]
        predicted = (table["proba_1"] > 0.5).astype(int)
        assert found.frame["value"].tolist() == [0.71875, (predicted == int(truth)).mean()]


def test_a_table_is_no_file(table):
    for files in (table, {"a": table}):
        with pytest.raises(TypeError, match=r"a table was passed .* Pass its columns to confidence_report"):
            ConfidenceReport.from_files(files)
