"""Logs of language models, and rows that abstain, in reports and on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, accumulate, confidence_report, read_log, tune_threshold
from skconf.cli.main import main
from skconf.inference import confidence_interval
from skconf.report._sections.answered import answered
from skconf.report._sections.summary import rows_and_classes

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests" / "tables" / "logs"
RNG = np.random.default_rng(3)
N = 120
CONFIDENCE = RNG.random(N).round(3)
CORRECT = (RNG.random(N) < CONFIDENCE).astype(int)
ABSTAINED = RNG.random(N) < 0.2
KEPT = np.flatnonzero(~ABSTAINED)
QUESTION = np.arange(N) // 3
TABLE = pd.DataFrame(
    {
        "id": [f"a{i}" for i in range(N)],
        "correct": CORRECT,
        "confidence": pd.Series(CONFIDENCE).where(~ABSTAINED),
        "answer": pd.Series(["x"] * N).where(~ABSTAINED),
        "gone": ABSTAINED.astype(int),
        "question": QUESTION,
        "place": np.where(np.arange(N) < 60, "north", "south"),
    }
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("answers.csv", index=False)
    TABLE.to_json("answers.jsonl", orient="records", lines=True)


@pytest.mark.parametrize("file", ["answers.csv", "answers.jsonl"])
@pytest.mark.parametrize("column", ["gone", "answer", "confidence"])
def test_a_column_says_which_rows_abstain(file, column):
    report = ConfidenceReport.from_files(file, abstained=column, ids="id", slices="place")
    profile = ConfidenceProfile.from_correctness(CORRECT, TABLE["confidence"], abstained=ABSTAINED)
    in_memory = confidence_report(profile, slices={"place": TABLE["place"]})
    pd.testing.assert_frame_equal(report.frame, in_memory.frame)
    pd.testing.assert_frame_equal(report.slices, in_memory.slices)
    alone = confidence_report(ConfidenceProfile.from_correctness(CORRECT[KEPT], CONFIDENCE[KEPT]))
    assert report.verdict == alone.verdict
    (sentence,) = answered(report.evidence)
    assert sentence.startswith(f"Answers {len(KEPT)} of {N} (")
    right = CORRECT[KEPT].mean()
    assert f"right in {100 * right:.1f}%" in sentence
    assert f"of all, in {100 * CORRECT[KEPT].sum() / N:.1f}%" in sentence
    assert report.text().index(sentence[:30]) < report.text().index(report.verdict["value"][:30])


def test_a_row_is_named_by_its_id_and_no_row_that_abstains_is_shown():
    report = ConfidenceReport.from_files("answers.csv", abstained="gone")
    names = report.evidence.row_names["value"][1]
    assert names.tolist() == TABLE["id"][~ABSTAINED].tolist()
    assert report.evidence.row_numbers["value"].tolist() == KEPT.tolist()


def test_the_curve_ends_at_the_share_that_is_answered():
    report = ConfidenceReport.from_files("answers.csv", abstained="gone")
    assert report.evidence.stops["value"].answered[-1] == pytest.approx(len(KEPT) / N)
    assert report.thresholds["coverage"].max() <= len(KEPT) / N


@pytest.mark.parametrize("words", [("yes", "no"), ("1", "0"), ("True", "False"), ("no", "no")])
def test_answers_that_read_like_truth_values_abstain_where_they_are_blank(words):
    predicted = np.where(np.arange(N) % 2, words[0], words[1])
    truth = np.where(CORRECT == 1, predicted, "other")
    table = pd.DataFrame({"y_true": truth, "y_pred": predicted, "confidence": CONFIDENCE, "said": predicted})
    table.loc[ABSTAINED, ["y_pred", "said"]] = ""
    table.to_csv("x.csv", index=False)
    names = ["accuracy", "coverage"]
    values = ConfidenceReport.from_files("x.csv", metrics=names, abstained="y_pred", threshold=0).frame["value"]
    assert values["coverage"] == pytest.approx(len(KEPT) / N)
    assert values["accuracy"] == pytest.approx(CORRECT[KEPT].sum() / N)
    table.assign(y_pred=predicted).to_csv("x.csv", index=False)
    with pytest.raises(ValueError, match="'said'") as caught:  # which of the two it is, nothing says
        ConfidenceReport.from_files("x.csv", abstained="said")
    assert caught.value.kind == "several readings"
    assert caught.value.row == int(np.argmax(ABSTAINED))


def test_accuracy_counts_rows_that_abstain_as_wrong_also_beside_a_threshold():
    report = ConfidenceReport.from_files("answers.csv", abstained="gone", metrics=["accuracy"], threshold=0.8)
    assert report.frame.at["accuracy", "value"] == pytest.approx(CORRECT[KEPT].sum() / N)
    assert "accuracy counts abstentions as wrong" in str(report)


def test_marks_of_some_rows_abstain_there():
    TABLE.assign(gone=np.where(ABSTAINED, "yes", "")).to_csv("x.csv", index=False)
    marked = ConfidenceReport.from_files("x.csv", abstained="gone").frame
    pd.testing.assert_frame_equal(marked, ConfidenceReport.from_files("answers.csv", abstained="gone").frame)


def test_blank_confidences_are_refused_where_nothing_says_that_they_abstain():
    with pytest.raises(ValueError, match="where there is no confidence, say so with abstained='confidence'") as caught:
        ConfidenceReport.from_files("answers.csv")
    assert caught.value.row == int(np.argmax(ABSTAINED))


def test_an_error_counts_all_rows():
    TABLE.assign(correct=[2 if i == KEPT[50] else each for i, each in enumerate(CORRECT)]).to_csv("x.csv", index=False)
    with pytest.raises(ValueError, match="correct") as caught:
        ConfidenceReport.from_files("x.csv", abstained="gone")
    assert caught.value.row == KEPT[50]


def test_intervals_are_by_cluster():
    report = ConfidenceReport.from_files(
        "answers.csv", abstained="gone", cluster="question", confidence_level=0.9, metrics=["confidence_brier_loss"]
    )
    profile = ConfidenceProfile.from_correctness(CORRECT, CONFIDENCE, abstained=ABSTAINED)
    found = confidence_interval("confidence_brier_loss", profile, groups=QUESTION, confidence_level=0.9)
    row = report.frame.loc["confidence_brier_loss"]
    assert (row["low"], row["high"]) == pytest.approx((found.low, found.high), rel=1e-12)


@pytest.mark.parametrize("option", [{"abstained": "gone"}, {"cluster": "question"}])
def test_batches_refuse_both(option):
    with pytest.raises(ValueError, match=next(iter(option))):
        ConfidenceReport.from_files("answers.csv", in_batches=True, **option)


def test_two_models_that_abstain_differently_are_compared():
    other = TABLE.assign(confidence=CONFIDENCE, gone=0, correct=1 - CORRECT)
    other.to_csv("other.csv", index=False)
    report = ConfidenceReport.from_files({"a": "answers.csv", "b": "other.csv"}, abstained="gone", ids="id")
    assert not report.evidence.unpaired
    shares = next(each for each in report.evidence.answered if each.target == 0.1).reached
    assert set(shares) == {"a", "b"}
    assert len(answered(report.evidence)) == 1  # of the other nothing abstains


@pytest.mark.parametrize("name", ["inspect.json", "inspect.eval"])
def test_a_log_is_read_as_it_is(name, capsys):
    assert main(["evaluate", str(LOGS / name), "--correct", "choice", "--short"]) == 0
    out = capsys.readouterr()
    log = read_log(LOGS / name, correct="choice")
    counts = log["state"].value_counts()
    answers, gone = counts["answered"], log["abstained"].sum()
    assert f"Answers {answers} of {answers + gone} (" in out.out
    assert f"Abstained {gone}: 5 graded N and 1 said so. Left out: 0 unscored and 2 failed." in " ".join(
        out.out.split()
    )
    assert answers + gone + counts["failed"] == len(log)
    assert "rows that share an id" in out.err  # two epochs: intervals are by the question
    evidence = ConfidenceReport.from_files(LOGS / name, correct="choice").evidence
    assert len(np.unique(evidence.profiles["value"].everything.groups)) == 9


def test_another_cluster_may_be_named():
    evidence = ConfidenceReport.from_files(LOGS / "inspect.json", correct="choice", cluster="metadata.doc").evidence
    assert len(np.unique(evidence.profiles["value"].everything.groups)) == 5


def test_a_log_without_confidences_has_its_counts_alone():
    report = ConfidenceReport.from_files(LOGS / "samples_gen.jsonl", correct="exact_match,flexible-extract")
    log = read_log(LOGS / "samples_gen.jsonl", correct="exact_match,flexible-extract")
    row = report.frame.iloc[0]
    assert row["answered"] + row["abstained"] + row["unscored"] + row["failed"] == row["samples"] == len(log)
    answers = log[~log["abstained"]]
    assert row["accuracy"] == answers["correct"].mean()
    assert row["low"] < row["accuracy"] < row["high"]
    assert row["right of all"] == log["correct"].mean()


@pytest.mark.parametrize("name", ["quiz.json", "samples_arithmetic_small.jsonl.gz"])
def test_the_threshold_of_a_log_is_that_of_python(name, capsys):
    file = ROOT / "examples" / "logs" / name
    assert main(["threshold", str(file), "--target", "risk=0.45", "--format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["thresholds"]
    log = read_log(file)
    groups = log["id"] if log["id"].duplicated().any() else None
    profile = ConfidenceProfile.from_correctness(
        log["correct"], log["confidence"], abstained=log["abstained"], groups=groups
    )
    tuned = tune_threshold(profile, target=0.45, confidence_level=0.95, random_state=0)
    assert entry["coverage"] == tuned.coverage
    assert entry.get("threshold", 0) == max(tuned.threshold, 0)
    if groups is None:  # else one row of each group is drawn
        assert entry["coverage"] == (log["confidence"] >= entry.get("threshold", 0)).mean()


def test_a_log_without_confidences_has_no_threshold(capsys):
    assert main(["threshold", str(LOGS / "samples_gen.jsonl"), "--correct", "exact_match,flexible-extract"]) == 2
    assert "this log has no confidences. Name a column of confidences with --confidence" in capsys.readouterr().err


def test_counts_alone_begin_with_the_sentence_of_other_reports(tmp_path, capsys):
    file, metric = LOGS / "samples_gen.jsonl", "exact_match,flexible-extract"
    log = read_log(file, correct=metric)
    (said,) = (
        " ".join(text.split()) for text in [ConfidenceReport.from_files(file, correct=metric).summary(width=2000)]
    )
    answers, gone = log[~log["abstained"]], int(log["abstained"].sum())
    assert said.startswith(f"Answers {len(answers)} of {len(log)} ({100 * len(answers) / len(log):.1f}%). When it ")
    assert f"it is right in {100 * answers['correct'].mean():.1f}% (95% interval " in said
    assert f"; of all, in {100 * log['correct'].mean():.1f}%. Abstained {gone}: " in said
    for options in ([], ["--short"]):
        assert main(["evaluate", str(file), "--correct", metric, "--html", "log.html", *options]) == 0
        assert said in " ".join(capsys.readouterr().out.split())
    assert said[:40] in Path("log.html").read_text()


def test_counts_alone_have_the_level_that_was_asked_for():
    file, metric = LOGS / "samples_gen.jsonl", "exact_match,flexible-extract"
    report = ConfidenceReport.from_files(file, correct=metric, confidence_level=0.9)
    low, high = 100 * report.frame.loc["value", ["low", "high"]]
    assert f"(90% interval {low:.1f}–{high:.1f})" in report.summary(width=2000)


def test_counts_alone_of_several_logs_name_them_unless_they_are_to_be_anonymous():
    file, metric = LOGS / "samples_gen.jsonl", "exact_match,flexible-extract"
    report = ConfidenceReport.from_files({"old": file, "new": file}, correct=metric)
    assert [line.partition(":")[0] for line in report.summary(width=2000).splitlines()] == ["old", "new"]
    page = report.page(anonymous=True)
    assert "model 2: Answers" in page
    assert "new" not in page.partition("<main")[2]


def test_two_logs_are_compared_by_id(tmp_path):
    rows = [json.loads(line) for line in (LOGS / "samples_mc.jsonl").read_text().splitlines()]
    for row in rows:
        row["filtered_resps"] = [[str(float(text) / 3), greedy] for text, greedy in row["filtered_resps"]]
    Path("other.jsonl").write_text("\n".join(map(json.dumps, rows[::-1])))
    report = ConfidenceReport.from_files({"a": LOGS / "samples_mc.jsonl", "b": "other.jsonl"}, correct="acc", ids="id")
    a, b = report.evidence.profiles.values()
    assert (a.correct == b.correct).all()
    assert not report.evidence.unpaired


def test_the_guide_compares_these_numbers_with_other_tools():
    page = (ROOT / "docs" / "guide" / "answers_trials.md").read_text()

    def cell(found, times=1, digits=3, unit=""):
        value, low, high = (f"{times * each:.{digits}f}" for each in (found.value, found.low, found.high))
        return f"{value}{unit} [{low}, {high}]"

    quiz = read_log(ROOT / "examples" / "logs" / "quiz.json")
    sure = quiz["confidence"].str.rstrip("%").astype(float) / 100
    profile = ConfidenceProfile.from_correctness(quiz["correct"], sure, abstained=quiz["abstained"], groups=quiz["id"])
    small, large = (
        read_log(ROOT / "examples" / "logs" / f"samples_arithmetic_{name}.jsonl.gz") for name in ("small", "large")
    )
    small, large = (ConfidenceProfile.from_correctness(log["correct"], log["confidence"]) for log in (small, large))
    at_25, at_5 = (
        tune_threshold(each, target=target, confidence_level=0.95) for each, target in ((small, 0.25), (large, 0.05))
    )
    gen = ConfidenceReport.from_files(LOGS / "samples_gen.jsonl", correct="exact_match,strict-match").frame.iloc[0]
    right, low, high = (f"{100 * gen[name]:.1f}" for name in ("accuracy", "low", "high"))
    for text in (
        cell(confidence_interval("accuracy", profile), 100, 1, "%"),
        cell(confidence_interval("aurc_loss", profile)),
        cell(confidence_interval("aurc_loss", small)),
        f"of all {gen['samples']:.0f} documents {100 * gen['right of all']:.1f}%",
        f"of the {gen['answered']:.0f} with an answer {right}% [{low}, {high}]",
        f"answers {100 * at_25.coverage:.1f}%, with at most 25% errors guaranteed",
        f"answers {100 * at_5.coverage:.1f}%, with at most 5% errors guaranteed",
    ):
        assert text in page
    (sentence,) = answered(ConfidenceReport.from_files(ROOT / "examples" / "logs" / "quiz.json").evidence)
    assert "right in 65.6% (95% interval 53.2–76.2)" in sentence
    assert "65.6% [53.2, 76.2]" in page


def test_a_log_is_alone():
    with pytest.raises(ValueError, match="log") as caught:
        ConfidenceReport.from_files([LOGS / "samples_mc.jsonl", LOGS / "samples_mi.jsonl"], correct="acc")
    assert caught.value.kind == "log"


def test_without_any_of_this_nothing_is_said():
    report = confidence_report(ConfidenceProfile.from_correctness(CORRECT, CONFIDENCE))
    assert answered(report.evidence) == []
    assert rows_and_classes(report.evidence) == f"{N} labelled rows."


# --- ids that repeat, and grades that are missing, in tables of any tool ---------------------------------------------

REPEATED = TABLE.assign(
    id=[f"q{i:02}" for i in QUESTION], confidence=CONFIDENCE, correct=CORRECT, gone=0, answer="x", uid=QUESTION
)
FORMS = {"csv": "to_csv", "parquet": "to_parquet", "jsonl": "to_json"}


def written(table, name="x", form="csv"):
    options = {"orient": "records", "lines": True} if form == "jsonl" else {"index": False}
    getattr(table, FORMS[form])(f"{name}.{form}", **options)
    return f"{name}.{form}"


def units_of(report):
    groups = report.evidence.profiles["value"].groups
    return None if groups is None else len(np.unique(groups))


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_an_id_that_repeats_are_a_cluster(form, capsys):
    file = written(REPEATED, form=form)
    found, named, alone = (
        ConfidenceReport.from_files(file, confidence_level=0.95, metrics=["confidence_brier_loss"], **given)
        for given in ({}, {"cluster": "id"}, {"cluster": False})
    )
    pd.testing.assert_frame_equal(found.frame, named.frame)
    assert (units_of(found), units_of(alone)) == (N // 3, None)
    words = "took rows with the same 'id' as a cluster of dependent rows; cluster=False treats all rows as independent"
    assert found.evidence.origin.read_as == [words]
    assert alone.evidence.origin.read_as == named.evidence.origin.read_as == []
    low, high = found.frame.loc["confidence_brier_loss", ["low", "high"]]
    profile = ConfidenceProfile.from_correctness(CORRECT, CONFIDENCE)
    interval = confidence_interval("confidence_brier_loss", profile, groups=QUESTION)
    assert (low, high) == pytest.approx((interval.low, interval.high), rel=1e-12)
    for command in (["evaluate"], ["evaluate", "--short"], ["threshold"]):
        main([command[0], file, *command[1:]])
        words = " ".join("".join(capsys.readouterr()).split())
        told = "took rows with the same 'id' as a cluster of dependent rows; --cluster none treats all rows as indep"
        assert words.count(told) == 1
        main([command[0], file, *command[1:], "--cluster", "none"])
        assert "dependent rows" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", ["patient_id", "User ID", "subjectId", "customer"])
def test_rows_of_a_patient_or_a_user_are_a_cluster_even_if_each_row_has_an_id(name):
    named = REPEATED.drop(columns="uid").rename(columns={"id": name})
    for table in (named, named.assign(id=np.arange(N))):
        report = ConfidenceReport.from_files(written(table))
        assert units_of(report) == N // 3
        own = "cluster=False treats all rows as independent"
        words = [f"took rows with the same {name!r} as a cluster of dependent rows; {own}"]
        assert report.evidence.origin.read_as == words
        assert units_of(ConfidenceReport.from_files(written(table), cluster=False)) is None
    assert units_of(ConfidenceReport.from_files(written(named.assign(id=np.arange(N) // 2)))) == N // 2


@pytest.mark.parametrize("name", ["id", "patient_id"])
def test_batches_warn_that_they_know_no_clusters(name, recwarn):
    file = written(REPEATED.drop(columns="uid").rename(columns={"id": name}))
    for given in ({"cluster": False}, {"groups": "answer"}):
        ConfidenceReport.from_files(file, in_batches=True, **given)
    assert [str(each.message) for each in recwarn if "depend" in str(each.message)] == []
    with pytest.warns(UserWarning, match=f"rows with the same '{name}' may depend on each other, but batches"):
        ConfidenceReport.from_files(file, in_batches=True)


def test_a_class_that_is_called_as_patients_are_is_no_cluster():
    p = CONFIDENCE.round(1)
    table = pd.DataFrame({"label": np.where(CORRECT, "user", "bot"), "user": p, "bot": (1 - p).round(1)})
    assert units_of(ConfidenceReport.from_files(written(table))) is None


def test_a_column_of_few_kinds_that_is_called_as_ids_are_is_none():
    """Of 120 rows in one kind, or two; and of 101 rows of an id: by another column that is called so."""
    report = ConfidenceReport.from_files(written(REPEATED.assign(id="kind")))
    assert units_of(report) is None
    assert report.evidence.origin.read_as == [
        "column 'id' has 1 value in 120 rows, so it was not used as the id of clusters; pass cluster='id' to use it"
    ]
    long = pd.concat([REPEATED] * 2).assign(id=np.where(np.arange(2 * N) % 2, "a", "b"))
    for kept, groups in ((200, 2), (202, None)):
        assert units_of(ConfidenceReport.from_files(written(long[:kept]))) == groups
    assert units_of(ConfidenceReport.from_files(written(long), cluster="id")) == 2


def test_ids_of_which_some_are_missing_or_that_are_labels_are_none():
    blank = REPEATED.assign(id=REPEATED["id"].where(np.arange(N) != 7))
    assert units_of(ConfidenceReport.from_files(written(blank))) is None
    labels = pd.DataFrame({"key": np.where(CORRECT, "a", "b"), "y_pred": "a", "confidence": CONFIDENCE})
    assert units_of(ConfidenceReport.from_files(written(labels), target="key")) is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shuffled", [False, True])
def test_two_files_whose_ids_repeat_are_compared_by_question(form, shuffled):
    """The difference of accuracies is that of the sums of questions, whichever row of a question comes first."""
    other = REPEATED.assign(correct=np.where(np.arange(N) % 5 == 0, 1 - CORRECT, CORRECT))
    order = RNG.permutation(N) if shuffled else np.arange(N)
    files = {"a": written(REPEATED, "a", form), "b": written(other.iloc[order], "b", form)}
    if shuffled:
        assert "have different ids" in ConfidenceReport.from_files(files).evidence.unpaired["b"]
    report = ConfidenceReport.from_files(files, metrics=["accuracy"], ids="id" if shuffled else None)
    assert not report.evidence.unpaired
    second = report.evidence.profiles["b"]
    sums = np.bincount(QUESTION, other["correct"])
    np.testing.assert_array_equal(np.bincount(second.groups, second.correctness), sums)


def test_ids_that_repeat_in_one_of_two_files_are_refused():
    once = REPEATED.assign(id=np.arange(N))
    with pytest.raises(ValueError, match=r"^b\.csv: 40 of the ids in column 'id' occur more than once"):
        ConfidenceReport.from_files({"a": written(once, "a"), "b": written(REPEATED, "b")}, ids="id")
    less = REPEATED.drop(index=4)
    with pytest.raises(ValueError, match=r"1 ids are only in the first \(such as 'q01'\)"):
        ConfidenceReport.from_files({"a": written(REPEATED, "a"), "b": written(less, "b")}, ids="id")


def inspect_log(table, path):
    """Write a log of Inspect; a sample without a grade failed."""
    log, samples = json.loads((LOGS / "inspect.json").read_text()), []
    for row in table.itertuples():
        failed = np.isnan(row.correct)
        score = {"value": "C" if row.correct else "I", "answer": "A"}
        sample = {
            "id": row.id,
            "epoch": getattr(row, "epoch", 1),
            "metadata": {name: getattr(row, name) for name in ("confidence", "age") if hasattr(row, name)},
            "error": {} if failed else None,
        }
        samples.append(sample | {"scores": {} if failed else {"choice": score}})
    path.write_text(json.dumps(log | {"samples": samples}))
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "inspect"])
def test_logs_that_lack_other_grades_are_compared_where_both_have_one(form, tmp_path):
    """Two answers of the first have no grade, and three of the second, of which one is of the same question."""
    lacking = {"a": [3, 10], "b": [10, 20, 21]}
    tables = {}
    for model, rows in lacking.items():
        right = (RNG.random(40) < 0.7).astype(float)
        right[rows] = np.nan
        sure = RNG.uniform(0.5, 1, 40)
        ids = [f"q{i}" for i in range(40)]
        tables[model] = pd.DataFrame({"id": ids, "correct": right, "confidence": sure}).sample(frac=1, random_state=1)
    if form == "inspect":
        files = {model: inspect_log(table, tmp_path / f"{model}.json") for model, table in tables.items()}
    else:
        files = {model: written(table, model, form) for model, table in tables.items()}
    without = ConfidenceReport.from_files(files).evidence.unpaired["b"]
    assert without == "have 38 and 37 rows with a grade (ids='id' compares the rows with a grade in both)"
    report = ConfidenceReport.from_files(files, metrics=["accuracy"], ids="id")
    assert not report.evidence.unpaired
    graded = [table.set_index("id").dropna() for table in tables.values()]
    both = graded[0].index.intersection(graded[1].index)
    ids = report.evidence.row_names["a"][1]
    assert sorted(ids) == sorted(both)
    assert len(both) == 36
    for model, table, left_out in zip("ab", graded, (2, 1), strict=True):
        profile = report.evidence.profiles[model]
        np.testing.assert_array_equal(profile.correctness, table.loc[ids, "correct"])
        np.testing.assert_allclose(profile.confidence, table.loc[ids, "confidence"])
        in_file = (read_log(files[model], correct="choice") if form == "inspect" else tables[model])["id"].to_numpy()
        assert in_file[report.evidence.row_numbers[model]].tolist() == list(ids)
        assert f"{left_out} without a grade in another file" in report.summary().replace("\n  ", " ")


@pytest.mark.parametrize("form", ["jsonl", "inspect"])
def test_an_epoch_without_a_grade_is_left_out_of_both_logs_and_shifts_no_other(form, tmp_path):
    """The first epoch of a question has no grade in one log: its second is compared with the second of the other."""
    right = np.array([[np.nan, 1, 0], [0, 1, 0], [1, 1, 1]])
    other = np.array([[0, 1, 0], [0, 1, np.nan], [1, 1, 1]])
    tables = {
        model: pd.DataFrame(
            {"id": np.repeat(["a", "b", "c"], 3), "epoch": [1, 2, 3] * 3, "correct": grades.ravel(), "confidence": 0.8}
        )
        for model, grades in {"one": right, "two": other}.items()
    }
    files = {}
    for model, table in tables.items():
        if form == "inspect":
            files[model] = inspect_log(table, tmp_path / f"{model}.json")
        else:
            files[model] = written(table, model, form)
    evidence = ConfidenceReport.from_files(files, metrics=["accuracy"], ids="id").evidence
    both = ~np.isnan(right) & ~np.isnan(other)
    for profile in evidence.profiles.values():  # the logs agree wherever both have a grade
        assert sorted(profile.correctness) == sorted(right[both])
    one, two = (profile.correctness for profile in evidence.profiles.values())
    np.testing.assert_array_equal(one, two)
    assert [file.n_rows for file in evidence.origin.files] == [7, 7]
    assert "one: left out 1 row without a grade in another file" in evidence.origin.read_as


@pytest.mark.parametrize("name", ["inspect.json", "inspect.eval"])
def test_logs_of_several_epochs_are_compared_by_question(name):
    files = {"a": LOGS / name, "b": LOGS / "inspect.json"}
    for ids in (None, "id"):
        evidence = ConfidenceReport.from_files(files, correct="choice", ids=ids).evidence
        assert not evidence.unpaired
        assert len(np.unique(evidence.profiles["b"].everything.groups)) == 9


UNSCORED = np.arange(N) % 7 == 3
SCORED = np.flatnonzero(~UNSCORED)


@pytest.mark.parametrize(
    ("form", "grades"),
    [
        ("csv", [1, 0, ""]),
        ("csv", [True, False, "nan"]),
        ("csv", ["True", "False", "NA"]),
        ("csv", [1.0, 0.5, None]),
        ("parquet", [1.0, 0.0, np.nan]),
        ("parquet", [True, False, None]),
        ("parquet", ["true", "false", ""]),
        ("jsonl", [True, False, None]),
        ("jsonl", [True, False, "bare"]),
        ("jsonl", ["true", "false", "bare"]),
        ("jsonl", [1, 0, "bare"]),
    ],
)
@pytest.mark.parametrize("abstained", [None, "gone"])
def test_answers_without_a_grade_are_unscored(form, grades, abstained, capsys):
    right, wrong, none = grades
    column = [none if gone else right if each else wrong for each, gone in zip(CORRECT, UNSCORED, strict=True)]
    table = TABLE.assign(correct=pd.Series(column, dtype=object), confidence=CONFIDENCE)
    if form == "parquet":
        table["correct"] = table["correct"].infer_objects()
    file = written(table, form=form)
    if none == "bare":  # as Python writes NaN
        text = Path(file).read_text()
        assert text.count('"bare"') == UNSCORED.sum()
        Path(file).write_text(text.replace('"bare"', "NaN"))
    report = ConfidenceReport.from_files(file, abstained=abstained, slices="place", threshold=0.5)
    gone = ABSTAINED if abstained else np.zeros(N, bool)
    left_out = UNSCORED & ~gone
    answers = ~left_out & ~gone
    numbers = {right: 1.0, wrong: 0.5 if wrong == 0.5 else 0.0}
    profile = ConfidenceProfile.from_correctness(
        [numbers[right if each else wrong] for each in CORRECT[~left_out]],
        CONFIDENCE[~left_out],
        abstained=gone[~left_out] if abstained else None,
    )
    expected = confidence_report(profile, slices={"place": TABLE["place"][~left_out].to_numpy()}, threshold=0.5)
    pd.testing.assert_frame_equal(report.frame, expected.frame)
    pd.testing.assert_frame_equal(report.slices, expected.slices)
    (sentence,) = answered(report.evidence)
    assert sentence.startswith(f"Answers {answers.sum()} of {answers.sum() + gone.sum()} (")
    assert sentence.endswith(f"Left out: {left_out.sum()} unscored and 0 failed.")
    assert answers.sum() + gone.sum() + left_out.sum() == N
    options = [] if abstained is None else ["--abstained", abstained]
    commands = [["evaluate", "--short"], ["threshold", "--target", "risk=0.9", "--slices", "place"]]
    for command in commands[: 1 if wrong == 0.5 else 2]:  # graded answers have no guarantee
        assert main([command[0], file, *command[1:], *options]) == 0
        assert f"left out {left_out.sum()} rows without a grade in column 'correct'" in capsys.readouterr().err


def test_rows_are_named_as_in_the_file_also_where_some_are_unscored():
    table = REPEATED.assign(id=np.arange(N), correct=pd.Series(CORRECT).where(~UNSCORED))
    table.loc[60, "confidence"] = 3
    with pytest.raises(ValueError, match=r"in row 60 \(line 62, id 60\)"):
        ConfidenceReport.from_files(written(table))
    named = ConfidenceReport.from_files(written(table.assign(confidence=CONFIDENCE))).evidence
    assert named.row_names["value"][1].tolist() == list(map(str, SCORED))
    assert named.row_numbers["value"].tolist() == SCORED.tolist()
    both = {
        name: written(table.assign(confidence=CONFIDENCE).iloc[::step], name) for name, step in (("a", 1), ("b", -1))
    }
    matched = ConfidenceReport.from_files(both, ids="id").evidence
    assert not matched.unpaired
    assert matched.row_numbers["b"].tolist() == (N - 1 - SCORED).tolist()


@pytest.mark.parametrize("form", ["csv", "inspect"])
def test_slices_are_cut_at_the_quarters_of_the_rows_that_count(form, tmp_path):
    table = REPEATED.assign(id=np.arange(N), correct=pd.Series(CORRECT).where(~UNSCORED), confidence=CONFIDENCE)
    table["age"] = np.where(UNSCORED, 1000, np.arange(N))
    file = written(table) if form == "csv" else inspect_log(table, tmp_path / "a.json")
    name = "age" if form == "csv" else "metadata.age"
    slices = ConfidenceReport.from_files(file, slices=name, metrics=["accuracy"]).evidence.slices["value"][name]
    rows = table[~UNSCORED]
    expected = confidence_report(
        ConfidenceProfile.from_correctness(rows["correct"], rows["confidence"]), slices={name: rows["age"].to_numpy()}
    ).evidence.slices["value"][name]
    assert slices.names == expected.names
    np.testing.assert_array_equal(slices.codes, expected.codes)


def test_without_any_grade_there_is_nothing_to_report():
    with pytest.raises(ValueError, match="column 'correct' has"):
        ConfidenceReport.from_files(written(REPEATED.assign(correct="")))


def test_words_that_are_graded_are_no_missing_grades():
    table = REPEATED.assign(correct=np.where(CORRECT, "full", "none"))
    report = ConfidenceReport.from_files(written(table), grades={"full": 1, "none": 0}, metrics=["accuracy"])
    assert report.frame.at["accuracy", "value"] == pytest.approx(CORRECT.mean())
    assert not report.evidence.origin.states


def graded_texts(n=90):
    """Return rows as other tools write them, and which of them abstain."""
    texts = ["A", "I don't know", "", "  ", "[invalid]", "Not sure.", "I don't know, A"]
    rows = [
        {
            "question_id": i,
            "is_right": [1, 0, 0.5][RNG.integers(3)],
            "sure": {"p": round(float(RNG.random()), 2)},
            "response": texts[i % 7],
        }
        for i in range(n)
    ]
    gone = np.array([row["is_right"] == 0 and row["response"] in texts[1:6] for row in rows])
    for row in np.flatnonzero(gone)[::3]:
        rows[row]["sure"]["p"] = None
    return rows, gone


@pytest.mark.parametrize("of", ["python", "command"])
def test_graded_json_lines_abstain_as_read_log_says(of, capsys):
    rows, gone = graded_texts()
    Path("x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    log = read_log("x.jsonl", correct="is_right", confidence="sure.p")
    assert log["abstained"].tolist() == gone.tolist()
    counts = log["state"].value_counts()
    told = f"Abstained {gone.sum()}: "
    if of == "command":
        assert main(["evaluate", "x.jsonl", "--correct", "is_right", "--confidence", "sure.p", "--short"]) == 0
        out, said = map(" ".join, (text.split() for text in capsys.readouterr()))
        assert f"took {gone.sum()} strings in column 'response' as abstentions; --abstained none takes them as" in said
    else:
        report = ConfidenceReport.from_files("x.jsonl", correct="is_right", confidence="sure.p")
        (out,) = answered(report.evidence)
        profile = ConfidenceProfile.from_correctness(log["correct"], log["confidence"], abstained=log["abstained"])
        pd.testing.assert_frame_equal(report.frame, confidence_report(profile).frame)
    assert out.index(told) > out.index(f"Answers {(~gone).sum()} of {len(rows)} (")
    for state in ("said so", "blank", "[invalid]"):
        assert f"{counts[state]} {state}" in out.split(told)[1]


@pytest.mark.parametrize("of", [False, "none", "gone"])
def test_a_column_or_none_says_who_abstains_instead(of, capsys):
    rows, _ = graded_texts()
    rows = [{**row, "gone": i % 5 == 0, "sure": {"p": row["sure"]["p"] or 0.5}} for i, row in enumerate(rows)]
    Path("x.jsonl").write_text("\n".join(map(json.dumps, rows)))
    if of == "none":
        assert (
            main(
                [
                    "evaluate",
                    "x.jsonl",
                    "--correct",
                    "is_right",
                    "--confidence",
                    "sure.p",
                    "--abstained",
                    "none",
                    "--short",
                ]
            )
            == 0
        )
        assert "bstain" not in "".join(capsys.readouterr())
        return
    profile = ConfidenceReport.from_files(
        "x.jsonl", correct="is_right", confidence="sure.p", abstained=of
    ).evidence.profiles["value"]
    assert len(profile) == (72 if of else 90)
    assert len(
        read_log("x.jsonl", correct="is_right", confidence="sure.p", abstained=of).query("state == 'answered'")
    ) == len(profile)


@pytest.mark.parametrize("form", FORMS)
def test_percentages_are_read_and_said_and_numbers_above_one_are_not(form, capsys):
    table = REPEATED.drop(columns=["id", "uid"]).assign(confidence=[f"{100 * c:.1f}%" for c in CONFIDENCE])
    assert main(["evaluate", written(table, form=form), "--short"]) == 0
    assert "read percentages in column 'confidence' as numbers from 0 to 1" in capsys.readouterr().err
    report = ConfidenceReport.from_files(f"x.{form}", metrics=["mean_confidence"])
    assert report.frame["value"].tolist() == [pytest.approx(CONFIDENCE.mean())]
    whole = np.where(CONFIDENCE < 0.5, 60, 90)
    for number in (whole, whole - 0.5):
        assert main(["evaluate", written(table.assign(confidence=number), form=form), "--short"]) == 0
        assert "read percentages in column 'confidence' as numbers from 0 to 1" in capsys.readouterr().err
        report = ConfidenceReport.from_files(f"x.{form}", metrics=["mean_confidence"])
        assert report.frame["value"].tolist() == [pytest.approx(number.mean() / 100)]
        assert "percentages in column" in str(report.evidence.origin.read_as)
        with pytest.raises(ValueError, match="divide percentages by 100"):  # it may be a part of the data
            ConfidenceProfile.from_correctness(CORRECT, number)
    ranked = ConfidenceReport.from_files(
        written(table.assign(confidence=whole), form=form), grades={60: 0.7, 90: 0.8}, metrics=["mean_confidence"]
    )
    assert ranked.frame["value"].tolist() == [pytest.approx(np.where(CONFIDENCE < 0.5, 0.7, 0.8).mean())]
    assert "percentages" not in str(ranked.evidence.origin.read_as)


@pytest.mark.parametrize(
    ("other", "read"),
    [
        (1.0, r"1% or 100%\. Write 0.01 for 1%, or 1 for 100%,"),
        (0.9, r"0.9% or 90%\. Write 0.009 for 0.9%, or 0.9 for 90%,"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_number_that_may_be_a_share_among_percentages_is_named(form, other, read):
    numbers = np.full(len(CONFIDENCE), 90.0)
    numbers[[17, 20]] = other
    table = REPEATED.drop(columns=["id", "uid"]).assign(confidence=numbers)
    row = rf"column 'confidence' has {other:g} in row 17.*, and percentages such as 90 .*\. {other:g} may mean {read}"
    with pytest.raises(ValueError, match=f"{row} and divide the other numbers by 100"):
        ConfidenceReport.from_files(written(table, form=form))
    shares = np.where(numbers == 90, other, 0.5)
    shares[5] = 90
    with pytest.raises(ValueError, match=r"column 'confidence' has 90.*, outside \[0, 1\], in row 5"):
        ConfidenceReport.from_files(written(table.assign(confidence=shares), form=form))


@pytest.mark.parametrize("other", [-1, 101])
@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_may_be_no_percentages_are_refused(form, other):
    numbers = np.where(CONFIDENCE < 0.5, other, 90)
    table = REPEATED.drop(columns=["id", "uid"])
    with pytest.raises(ValueError, match=r"column 'confidence' has .*, outside \[0, 1\]"):
        ConfidenceReport.from_files(written(table.assign(confidence=numbers), form=form))
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        ConfidenceProfile.from_correctness(CORRECT, numbers)
    of_five = written(table.assign(confidence=np.where(CONFIDENCE < 0.5, 3, 5)), form=form)
    with pytest.raises(
        ValueError, match=r"divide them by 100\. If they are grades, such as 1 to 5, use grades to give each a number"
    ):
        ConfidenceReport.from_files(of_five)
    percentages = written(table.assign(confidence=np.where(CONFIDENCE < 0.5, 60, 90)), form=form)
    with pytest.raises(ValueError, match="divide them by 100"):  # a batch does not tell whether others are percentages
        accumulate(percentages, ["mean_confidence"])


def test_a_number_a_little_above_one_is_no_percentage():
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]\.$"):
        ConfidenceProfile.from_correctness([1, 0], [0.5, 1.5])


def test_ids_of_a_log_may_be_numbers_and_texts(tmp_path):
    log = json.loads((LOGS / "inspect.json").read_text())
    first = log["samples"][0]["id"]
    for sample in log["samples"]:
        sample["id"] = 7 if sample["id"] == first else sample["id"]
    (tmp_path / "mixed.json").write_text(json.dumps(log))
    found, same = (
        ConfidenceReport.from_files(file, correct="choice", confidence_level=0.9, metrics=["accuracy"]).frame
        for file in ("mixed.json", LOGS / "inspect.json")
    )
    pd.testing.assert_frame_equal(found, same)
