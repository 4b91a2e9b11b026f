"""Files of graded answers: what is read, what it is worth, and how systems and methods differ."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from skconf.cli import main
from skconf.experiments import answers_experiment
from skconf.experiments._answers.scores import cross_fitted
from skconf.experiments._shared.printed import printed_table

LOGS = Path(__file__).parents[2] / "tables" / "logs"
ALL = ["error_rate", "ece", "auc_confidence", "cross_entropy_confidence", "brier_confidence", "aurc"]
ALL += ["ecuas_0", "ecuas_1", "ecuas_128"]


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """Nothing here depends on how narrow an interval is."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("skconf.inference._bayesian_bootstrap.N_DRAWS", 100)
        yield


@pytest.fixture(scope="module")
def table():
    """Answers to 200 questions, a confidence that is a probability, and one that is not."""
    rng = np.random.default_rng(0)
    logit = rng.normal(1, 2, 200)
    right = rng.random(200) < 1 / (1 + np.exp(-logit / 2))
    return pd.DataFrame(
        {"question": [f"q{i}" for i in range(200)], "right": right, "p": 1 / (1 + np.exp(-logit)), "logit": logit}
    )


def write(folder, name, rows, **columns):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"question": rows["question"], "confidence": rows["p"]} | columns).to_csv(path, index=False)


def by_hand(c, z):
    """Return the columns of the paper's tables, answer by answer."""
    wrong, u = ~z, 1 - c
    ranked = np.argsort(-c)
    bins = [(c > b / 10) & (c <= (b + 1) / 10) for b in range(10)]
    return {
        "error_rate": wrong.mean(),
        "ece": sum(abs((c - z)[rows].sum()) for rows in bins) / len(c),
        "auc_confidence": roc_auc_score(z, c),
        "cross_entropy_confidence": log_loss(z, c),
        "brier_confidence": np.mean((c - z) ** 2),
        "aurc": np.mean([wrong[ranked[: i + 1]].mean() for i in range(len(c))]),
        "ecuas_0": np.mean(u - np.log(u) * wrong),
        "ecuas_1": np.mean(u**2 + 2 * (1 - u) * wrong),
        "ecuas_128": np.mean(u**129 + 129 / 128 * (1 - u**128) * wrong),
    }


def ours(result, scores="raw", **where):
    rows = result.figures[result.figures["scores"] == scores]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows.set_index("quantity")["ours"].to_dict()


def test_figures_are_what_the_columns_say(table, tmp_path):
    write(tmp_path, "quiz/mine.v.csv", table, correct=table["right"])
    result = answers_experiment(tmp_path)
    expected = by_hand(table["p"].to_numpy(), table["right"].to_numpy())
    assert list(expected) == ALL
    assert ours(result) == pytest.approx(expected)
    calibrated = cross_fitted(table["p"].to_numpy(), table["right"].to_numpy(), 0, is_probability=True)
    assert ours(result, "calibrated") == pytest.approx(by_hand(calibrated, table["right"].to_numpy()))
    assert (result.figures["low"] <= result.figures["ours"]).all()
    assert (result.figures["ours"] <= result.figures["high"]).all()


def test_calibration_is_that_of_the_other_folds(table):
    """Platt scaling is a logistic regression with hardly a penalty, but for its smoothed targets."""
    right = table["right"].to_numpy()
    found = {
        name: cross_fitted(table[name].to_numpy(), right, 3, is_probability=name == "p") for name in ("p", "logit")
    }
    np.testing.assert_allclose(found["p"], found["logit"], atol=1e-6)
    expected = np.empty(200)
    feature = table[["logit"]].to_numpy()
    for train, test in StratifiedKFold(5, shuffle=True, random_state=3).split(feature, right):
        expected[test] = LogisticRegression(C=1e6).fit(feature[train], right[train]).predict_proba(feature[test])[:, 1]
    np.testing.assert_allclose(found["logit"], expected, atol=0.02)
    assert np.isnan(cross_fitted(np.arange(5.0), np.array([True] * 4 + [False]), 0, is_probability=False)).all()


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 0.0), (0.1, -50.0), (30.0, 100.0)])
def test_confidences_that_are_no_probabilities_are_ranked_and_calibrated(factor, shift, table, tmp_path):
    write(tmp_path, "quiz/mine.logit.csv", table, confidence=factor * table["logit"] + shift, correct=table["right"])
    result = answers_experiment(tmp_path)
    expected = by_hand(table["p"].to_numpy(), table["right"].to_numpy())
    assert ours(result) == pytest.approx({name: expected[name] for name in ("error_rate", "auc_confidence", "aurc")})
    calibrated = cross_fitted(table["logit"].to_numpy(), table["right"].to_numpy(), 0, is_probability=False)
    expected = by_hand(calibrated, table["right"].to_numpy())
    assert ours(result, "calibrated") == pytest.approx(expected, abs=1e-6)
    assert not result.files["probability"].any()


def test_percent_signs_are_read(table, tmp_path):
    write(
        tmp_path, "quiz/mine.v.csv", table, confidence=[f"{100 * p:.9f}%" for p in table["p"]], correct=table["right"]
    )
    assert ours(answers_experiment(tmp_path))["ecuas_0"] == pytest.approx(
        by_hand(table["p"].to_numpy(), table["right"].to_numpy())["ecuas_0"]
    )


def test_words_and_gaps_are_counted(table, tmp_path):
    grade = np.where(table["right"], "Yes.", "No.").astype(object)
    grade[:3], grade[3] = "unparseable", ""
    confidence = table["p"].where(table.index >= 10)
    write(tmp_path, "quiz/mine.v.csv", table, confidence=confidence, grade=grade)
    result = answers_experiment(tmp_path)
    (facts,) = result.files.to_dict("records")
    right = table["right"].to_numpy() & ~np.isin(grade, ["unparseable", ""])
    assert facts["right"] == right.sum()
    assert facts["wrong_grades"] == {"No.": (grade == "No.").sum(), "unparseable": 3}
    assert facts["without_grade"] == 1
    assert facts["without_confidence"] == 10
    assert facts["of_these_right"] == right[:10].sum()
    assert ours(result) == pytest.approx(by_hand(table["p"].to_numpy()[10:], right[10:]))
    assert ours(answers_experiment(tmp_path, right="no"))["error_rate"] == pytest.approx(np.mean(grade[10:] != "No."))
    with pytest.raises(ValueError, match=r"right='Ye' is not a grade.* Did you mean 'Yes\.'.*Grades are \['No\.'"):
        answers_experiment(tmp_path, right="Ye")
    write(tmp_path, "quiz/mine.v.csv", table, grade=np.where(table["right"], "A", "B"))
    with pytest.raises(ValueError, match=r"no grade is a usual word for a right answer.*--right.*\['A', 'B'\]"):
        answers_experiment(tmp_path)


def paired(result, **where):
    rows = result.comparisons
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows.set_index("quantity")


def test_methods_are_compared_by_question_in_any_order(table, tmp_path):
    right, sharp = table["right"], np.clip(table["p"] * 0.5 + 0.25, 0, 1)
    write(tmp_path, "quiz/mine.a.csv", table, correct=right)
    shuffled = table.assign(p=sharp).sample(frac=1, random_state=0).iloc[:150]
    write(tmp_path, "quiz/mine.b.csv", shuffled, correct=shuffled["right"])
    write(tmp_path, "quiz/other.c.csv", table, correct=right)
    result = answers_experiment(tmp_path)
    both = table.index.isin(shuffled.index)
    terms = [(c - right)[both] ** 2 for c in (table["p"], sharp)]
    test = stats.ttest_rel(*terms)
    found = paired(result)  # other.c shares neither system nor method
    assert set(found["first"]) == {"mine, a"}
    assert sorted(found.index) == sorted(set(ALL) - {"error_rate"})
    row = found.loc["brier_confidence"]
    assert row["difference"] == pytest.approx(np.mean(terms[0] - terms[1]))
    assert row["p_value"] == pytest.approx(test.pvalue)
    assert row[["low", "high"]].tolist() == pytest.approx(list(test.confidence_interval()))
    assert (row["n"], row["differ"]) == (150, 0)
    raw = found["p_value"].sort_values()
    assert found.loc[raw.index[0], "p_adjusted"] == pytest.approx(min(len(raw) * raw.iloc[0], 1))


def test_systems_are_compared_by_what_judges_their_answers(table, tmp_path):
    for system, flipped in (("one", 0), ("two", 20)):
        right = table["right"] ^ (table.index < flipped)
        write(tmp_path, f"quiz/{system}.p.csv", table, correct=right)
        write(tmp_path, f"quiz/{system}.logit.csv", table, confidence=table["logit"], correct=right)
    result = answers_experiment(tmp_path)
    found = paired(result, first="one, p", second="two, p")
    assert sorted(found.index) == ["aurc", "ecuas_0", "ecuas_1", "ecuas_128", "error_rate"]
    assert set(found["differ"]) == {20}
    assert set(found["scores"]) == {"raw"}
    found = paired(result, first="one, logit", second="one, p")
    scores = found["scores"].to_dict()
    assert {name for name in scores if scores[name] == "raw"} == {"auc_confidence", "aurc"}
    assert scores.keys() == set(ALL) - {"error_rate"}


def test_what_cannot_be_matched_is_said(table, tmp_path):
    write(tmp_path, "quiz/mine.a.csv", table, correct=table["right"])
    bare = pd.DataFrame({"confidence": table["p"], "correct": table["right"]})
    bare.to_csv(tmp_path / "quiz/mine.b.csv", index=False)
    bare[:90].to_csv(tmp_path / "quiz/mine.c.csv", index=False)
    write(tmp_path, "quiz/mine.d.csv", table.assign(question="same"), correct=table["right"])
    write(tmp_path, "quiz/mine.e.csv", table.assign(question=table.index), correct=table["right"])
    result = answers_experiment(tmp_path)
    assert result.comparisons.empty
    said = result.unmatched
    assert said["quiz: mine, a and mine, b"] == "only one of them has a column of questions"
    assert said["quiz: mine, b and mine, c"] == "they have 200 and 90 rows, and no column of questions"
    assert said["quiz: mine, a and mine, d"] == "mine, d has several rows for question 'same'"
    assert said["quiz: mine, a and mine, e"] == "they share fewer than two answered questions"


def test_graders_of_the_same_answers_are_paired(table, tmp_path):
    human = table["right"]
    llm = human ^ (table.index % 10 == 0)
    words = {"grade_human": np.where(human, "Correct", "Wrong"), "grade_llm": np.where(llm, "Correct", "Wrong")}
    write(tmp_path, "TriviaQA/Qwen3.5 9B.Seq Post.csv", table, **words, grade_note="long text", correct_answer="Paris")
    result = answers_experiment(tmp_path)
    assert result.files["grader"].tolist() == ["human", "llm"]
    row = result.graders.set_index("quantity").loc["ecuas_1"]
    c = table["p"]
    terms = [(1 - c) ** 2 + 2 * c * ~right for right in (human, llm)]
    assert row["difference"] == pytest.approx(np.mean(terms[0] - terms[1]))
    assert row["p_value"] == pytest.approx(stats.ttest_rel(*terms).pvalue)
    assert row["differ"] == 20
    printed = result.figures.set_index(["grader", "quantity"])["paper"].dropna()
    assert printed["llm", "ecuas_0"] == 0.512
    assert printed["human", "ecuas_0"] == 0.484
    assert printed["human", "ecuas_128"] == 0.252


def test_a_bad_file_is_reported_and_the_rest_run(table, tmp_path):
    write(tmp_path, "quiz/mine.v.csv", table, correct=table["right"])
    bad = {
        "words": "confidence,correct\nhigh,1\nlow,0\n",
        "columns": "a,b\n1,2\n",
        "half": "confidence,correct\n.5,1\n.5,.5\n",
        "infinite": "confidence,correct\n.5,1\n-inf,0\n",
        "empty": "",
        "one": "confidence,correct\n.5,1\n",
        "gaps": "confidence,correct\n.5,\n,1\n",
    }
    for name, text in bad.items():
        (tmp_path / f"quiz/{name}.v.csv").write_text(text)
    (tmp_path / "quiz/array.v.csv").write_bytes(b"\x93NUMPY\x01\x00")
    (tmp_path / "quiz/mine.v.tsv").write_text("confidence\tcorrect\n.5\t1\n.6\t0\n")
    (tmp_path / "quiz/README.md").write_text("no table")
    result = answers_experiment(tmp_path)
    assert result.files["system"].tolist() == ["mine"]
    for name, message in {
        "words": "none of the confidences is a number. The first one is 'high'",
        "columns": "there is no column confidence",
        "half": "column 'correct' has '.5' in row 1",
        "infinite": "the confidence in row 1 is -inf",
        "empty": "it is empty",
        "one": "fewer than two answers with both",
        "gaps": "fewer than two answers with both",
        "array": "an array of numpy",
    }.items():
        assert message in result.left_out[f"quiz/{name}.v.csv"]
    assert result.left_out["quiz/mine.v.tsv"] == "there is another file of this system and method."
    (tmp_path / "quiz/mine.v.csv").unlink()
    (tmp_path / "quiz/mine.v.tsv").unlink()
    with pytest.raises(ValueError, match=r"None of 8 files .* can be evaluated"):
        answers_experiment(tmp_path)


def test_a_folder_of_one_task(table, tmp_path):
    write(tmp_path / "quiz", "Qwen3.5-9B.is_true.csv", table, correct=table["right"])
    write(tmp_path / "quiz", "plain.csv", table, correct=table["right"])
    found = answers_experiment(tmp_path / "quiz").files[["task", "system", "method"]].to_numpy().tolist()
    assert found == [["quiz", "Qwen3.5-9B", "is_true"], ["quiz", "plain", ""]]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"has no file TASK/SYSTEM\.METHOD\.csv"):
        answers_experiment(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        answers_experiment(tmp_path / "none")


@pytest.fixture(scope="module")
def real(model_outputs):
    return answers_experiment(model_outputs / "answers")


@pytest.mark.slow
def test_the_authors_auroc_of_five_language_models_is_met(real):
    printed = real.figures[real.figures["paper"].notna()]
    assert len(printed) == 16
    assert set(printed["quantity"]) == {"auc_confidence"}
    np.testing.assert_allclose(printed["ours"], printed["paper"], rtol=1e-12)
    assert (printed["deviation"] == 0).all()


@pytest.mark.slow
def test_real_answers_are_read_whole(real):
    assert len(real.files) == 18
    assert real.left_out == real.unmatched == {}
    assert (real.files["right"] + real.files["wrong"] == real.files["answers"]).all()
    assert sum(words.get("Unparseable", 0) for words in real.files["wrong_grades"]) == 63
    assert real.files.loc[real.files["method"] == "max_logit", "probability"].eq(False).all()


@pytest.fixture(scope="module")
def tables():
    return {n: printed_table(f"ecuas_table{n}").set_index(["system", "method"]) for n in (2, 4, 5, 6)}


class TestPrintedTables:
    """The printed tables agree with each other, so that they were copied right."""

    def test_shapes(self, tables):
        assert {n: len(table) for n, table in tables.items()} == {2: 12, 4: 21, 5: 21, 6: 42}
        assert all(list(tables[n]) == ALL for n in (2, 4, 5))

    def test_table_2_is_part_of_table_5(self, tables):
        pd.testing.assert_frame_equal(tables[2], tables[5].loc[tables[2].index])

    def test_human_grades_of_table_6_are_those_of_table_5(self, tables):
        human = tables[6][tables[6]["grader"] == "human"].drop(columns="grader")
        pd.testing.assert_frame_equal(human, tables[5][list(human)])

    def test_a_brier_score_and_an_error_rate_make_ecuas_1(self, tables):
        for n in (4, 5):
            apart = tables[n]["error_rate"] + tables[n]["brier_confidence"] - tables[n]["ecuas_1"]
            assert apart.abs().max() < 0.0015 + 1e-9  # three roundings

    def test_one_aurc_is_impossible(self, tables):
        """AURC is largest, e (1 − ln e), where all errors are surest: the page of errata says so."""
        for n in (4, 5, 6):
            error = tables[n]["error_rate"] + 0.0005
            beyond = tables[n]["aurc"] - 0.0005 > error * (1 - np.log(error))
            expected = [] if n == 4 else [("Ministral-3-8B-Instruct-2512", "Verbalized")]
            assert tables[n].index[beyond].tolist() == expected

    def test_another_is_impossible_beside_its_auc(self, tables):
        """Of 1,000 answers, AURC is a sum over the ranks of errors, and the AUC fixes the mean of these ranks."""
        row = tables[4].loc[("GLM-4.6V-Flash", "Is True")]
        assert (row["aurc"], row["error_rate"], row["auc_confidence"]) == (0.544, 0.264, 0.502)
        n, rank = 1000, np.arange(1, 1001)
        errors, auc = (row["error_rate"] + 0.0005) * n, row["auc_confidence"] - 0.0005
        least = auc * errors * (n - errors) + errors * (errors + 1) / 2  # sum of the ranks of errors
        cost = (1 / rank)[::-1].cumsum()[::-1] / n  # what an error at this rank adds
        best = optimize.linprog(-cost, [-rank], [-least], [np.ones(n)], [errors], bounds=(0, 1))
        assert 0.40 < -best.fun < 0.41


def test_command(table, tmp_path, capsys):
    write(tmp_path, "in/quiz/mine.a.csv", table, grade=np.where(table["right"], "ok", "no"))
    write(tmp_path, "in/quiz/mine.b.csv", table, confidence=table["logit"], grade=np.where(table["right"], "ok", "bad"))
    hundredths = [round(100 * p) if i > 2 else "" for i, p in enumerate(table["p"])]
    write(tmp_path, "in/quiz/mine.c.csv", table, confidence=hundredths, grade=np.where(table["right"], "ok", "no"))
    (tmp_path / "in/quiz/bad.b.csv").write_text("a\n1\n")
    files = [str(tmp_path / f"answers.{kind}") for kind in ("csv", "md", "html")]
    options = [word for pair in zip(["--csv", "--markdown", "--html"], files, strict=True) for word in pair]
    assert main(["experiment", "answers", str(tmp_path / "in"), "--right", "ok", "--jobs", "1", *options]) == 1
    shown, said = capsys.readouterr()
    assert "skconf: quiz/bad.b.csv is left out: there is no column confidence" in said
    for words in (
        "Grades that count as wrong: no ",
        "Confidences of 2 of 3 files are not probabilities",
        "quiz: mine, c ranges from 2 to 99. If these are percentages, write them with %.",
        "3 answers have no confidence and are left out. ",
        "quiz: differences",
    ):
        assert words in " ".join(shown.split())
    figures = pd.read_csv(files[0])
    assert len(figures) == 9 + 2 * 3 + 3 * 9
    assert main(["experiment", "answers", str(tmp_path / "in")]) == 2
    assert "Pass the grade of a right answer as right=... (--right)" in capsys.readouterr().err


def test_logs_are_answers_too(tmp_path):
    lines = (LOGS / "samples_mc.jsonl").read_text().splitlines()
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "model.likelihood.jsonl").write_text("\n".join(lines))
    log = json.loads((LOGS / "inspect.json").read_text())
    log["samples"] = [row for row in log["samples"] if row["epoch"] == 1]
    (tmp_path / "samples" / "other.json").write_text(json.dumps(log))
    (tmp_path / "samples" / "repeated.eval").write_bytes((LOGS / "inspect.eval").read_bytes())
    result = answers_experiment(tmp_path, correct="acc")
    rows = [json.loads(line) for line in lines]
    error = result.figures.query("scores == 'raw' and quantity == 'error_rate' and method == 'likelihood'")
    assert error["ours"].tolist() == pytest.approx([1 - np.mean([row["acc"] for row in rows])], abs=1e-12)
    assert set(result.left_out) == {"samples/other.json", "samples/repeated.eval"}  # they have no acc
    result = answers_experiment(tmp_path, correct="choice")
    scored = [row for row in log["samples"] if row.get("scores")]
    answers = [row for row in scored if row["scores"]["choice"]["answer"]]
    (facts,) = result.files.to_dict("records")
    assert facts["system"] == "other"
    assert facts["answers"] - facts["without_confidence"] == len(
        answers
    )  # those that abstain, with a blank answer, have no confidence
    assert facts["right"] == sum(row["scores"]["choice"]["value"] == "C" for row in scored)
    assert "repeat" in result.left_out["samples/repeated.eval"]
    for name in ("other.json", "model.likelihood.jsonl"):
        (tmp_path / "samples" / name).unlink()
    with pytest.raises(ValueError, match=r"None of 1 files .* can be read. The first is samples/repeated.eval: its"):
        answers_experiment(tmp_path, correct="choice")
