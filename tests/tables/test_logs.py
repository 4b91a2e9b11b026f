"""Logs of language models: grades, confidences and abstentions as the tools themselves count them.

The files in `logs` were written by lm-evaluation-harness 0.4.13 and Inspect 0.3.285, with models that answer at random.
"""

import gc
import gzip
import json
import math
import re
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import read_log

LOGS = Path(__file__).parent / "logs"
INSPECT = json.loads((LOGS / "inspect.json").read_text())


def of(name):
    """Return the lines of a log as objects."""
    return [json.loads(line) for line in (LOGS / name).read_text().splitlines()]


def written(rows, path):
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def changed(path, **changes):
    """Write Inspect's log with changes of its first samples, which are its answers to q0, q1, …"""
    log = json.loads(json.dumps(INSPECT))
    for row in log["samples"]:
        for change in changes.values():
            change(row)
    path.write_text(json.dumps(log))
    return path


@pytest.mark.parametrize(
    ("name", "metric", "called"),
    [
        ("samples_mc.jsonl", "acc", "none"),
        ("samples_mc.jsonl", "acc_norm", "none"),
        ("samples_mi.jsonl", "acc", "none"),
        ("samples_mi.jsonl", "acc_mutual_info", "none"),
        ("samples_gen.jsonl", "exact_match", "strict-match"),
        ("samples_gen.jsonl", "exact_match", "flexible-extract"),
        ("samples_genrep.jsonl", "exact_match", "strict-match"),
    ],
)
def test_grades_are_those_of_one_metric_and_filter(name, metric, called):
    log = read_log(LOGS / name, correct=f"{metric},{called}")
    rows = [row for row in of(name) if row["filter"] == called]
    assert log["correct"].tolist() == [row[metric] for row in rows]
    assert log["id"].tolist() == [row["doc_id"] for row in rows]
    assert log["doc.passage"].tolist() == [row["doc"]["passage"] for row in rows]
    assert not [column for column in log if column == "doc.choices"]  # a list is no cell


def by_hand(row, metric):
    """Return the graded choice, and the probabilities: as the harness computes them, from what it has logged."""
    logs = [float(text) for text, _ in row["filtered_resps"]]
    texts = row["doc"]["choices"]
    own, other = logs[: len(texts)], logs[len(texts) :]
    weighed = {
        "acc": lambda i: own[i],
        "acc_norm": lambda i: own[i] / len(texts[i]),
        "acc_bytes": lambda i: own[i] / len(texts[i].encode()),
        "acc_mutual_info": lambda i: own[i] - other[i],
    }[metric]
    choice = max(range(len(texts)), key=weighed)
    total = sum(math.exp(each) for each in own)
    return choice, [math.exp(each) / total for each in own]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("samples_mc.jsonl", "acc"),
        ("samples_mc.jsonl", "acc_norm"),
        ("samples_mi.jsonl", "acc"),
        ("samples_mi.jsonl", "acc_mutual_info"),
    ],
)
def test_confidence_is_that_of_the_graded_choice(name, metric):
    log = read_log(LOGS / name, correct=metric)
    for at, row in enumerate(of(name)):
        choice, proba = by_hand(row, metric)
        assert log.at[at, "y_pred"] == choice
        assert log.at[at, "correct"] == (choice == row["doc"]["answer"])
        assert log.at[at, "confidence"] == pytest.approx(proba[choice], rel=1e-12)
        np.testing.assert_allclose(log.loc[at, [f"proba_{k}" for k in range(4)]].astype(float), proba, rtol=1e-12)
    assert not log["abstained"].any()


@pytest.mark.parametrize("between", [" ", "", "\n"])
@pytest.mark.parametrize("target", ["number", "text", "list"])
@pytest.mark.parametrize("metric", ["acc", "acc_norm", "acc_bytes"])
def test_targets_and_what_stands_before_choices(target, between, metric, tmp_path):
    rng, rows = np.random.default_rng(0), []
    for i in range(60):
        texts = [f"{'ä' * rng.integers(9)}{'xyz'[k]}" for k in range(2 + i % 2)]
        answer = int(rng.integers(len(texts)))
        row = {"doc_id": i, "doc": {"choices": texts, "answer": answer}, "filter": "none", "metrics": [metric]}
        row["arguments"] = {f"gen_args_{k}": {"arg_0": "?", "arg_1": between + text} for k, text in enumerate(texts)}
        row["filtered_resps"] = [[str(-9 * rng.random()), "False"] for _ in texts]
        row["target"] = {"number": str(answer), "text": texts[answer], "list": str([answer])}[target]
        row[metric] = float(by_hand(row, metric)[0] == answer)
        rows.append(row)
    log = read_log(written(rows, tmp_path / "samples_x.jsonl"))
    assert log["y_pred"].tolist() == [by_hand(row, metric)[0] for row in rows]
    assert log["proba_2"].isna().tolist() == [True, False] * 30
    assert log.attrs["read_as"][0] == f"read {metric},none as the correctness of the answers"


def test_a_choice_that_does_not_give_the_metric_has_no_confidence(tmp_path):
    rows = of("samples_mc.jsonl")
    rows[-1]["acc"] = 1.0 - rows[-1]["acc"]
    path = written(rows, tmp_path / "samples_x.jsonl")
    with pytest.warns(UserWarning, match="there are no confidences"):
        log = read_log(path, correct="acc")
    assert log["confidence"].isna().all()
    assert "proba_0" not in log
    assert log["correct"].tolist() == [row["acc"] for row in rows]
    assert read_log(path, correct="acc_norm")["confidence"].notna().all()


@pytest.mark.parametrize(
    ("name", "correct", "kind", "told"),
    [
        ("samples_mc.jsonl", None, "several readings", ["acc,none", "acc_norm,none"]),
        ("samples_gen.jsonl", None, "several readings", ["exact_match,strict-match", "exact_match,flexible-extract"]),
        ("samples_gen.jsonl", "exact_match", "several readings", ["exact_match,strict-match"]),
        ("samples_mc.jsonl", "brier_score,none", "no grade", []),
        ("samples_mc.jsonl", "accuracy", "no grade", ["acc,none"]),
        ("samples_ll.jsonl", None, "output type", ["loglikelihood"]),
        ("samples_ll.jsonl", "perplexity,none", "no grade", []),
        ("inspect.json", None, "several readings", ["choice", "conf", "dct,x", "dct,y"]),
        ("inspect.json", "dct", "several readings", ["dct,x", "dct,y"]),
        ("inspect.json", "match", "no grade", ["choice"]),
    ],
)
def test_what_may_be_meant_is_named(name, correct, kind, told):
    with pytest.raises(ValueError, match=r".") as caught:
        read_log(LOGS / name, correct=correct)
    assert caught.value.kind == kind
    assert all(each in str(caught.value) for each in told)


@pytest.mark.parametrize("name", ["inspect.json", "inspect.eval"])
@pytest.mark.parametrize(("correct", "scorer"), [("choice", "choice"), ("conf", "conf"), ("dct,y", "y")])
def test_means_are_those_of_inspect(name, correct, scorer):
    # It averages the epochs of a question, and leaves out what is not scored.
    log = read_log(LOGS / name, correct=correct)
    (logged,) = (each for each in INSPECT["results"]["scores"] if each["name"] == scorer)
    value = logged["metrics"]["accuracy" if "accuracy" in logged["metrics"] else "mean"]["value"]
    assert log.groupby("id")["correct"].mean().mean() == pytest.approx(value, abs=1e-12)
    assert len(log) == INSPECT["results"]["total_samples"]


def test_both_forms_of_inspect_give_the_same_rows():
    for correct in ("choice", "conf"):
        both = [read_log(LOGS / name, correct=correct) for name in ("inspect.json", "inspect.eval")]
        pd.testing.assert_frame_equal(*both)


def test_states_of_inspect():
    log = read_log(LOGS / "inspect.json", correct="choice").set_index(["id", "epoch"])
    assert log["state"].value_counts().to_dict() == {"answered": 12, "graded N": 5, "failed": 2, "said so": 1}
    assert log.at[("q4", 1), "correct"] == 0  # choice() grades "I don't know" as I, with a blank answer
    assert log.at[("q4", 1), "abstained"]
    assert not log.at[("q7", 1), "abstained"]
    assert np.isnan(log.at[("q7", 1), "correct"])
    other = read_log(LOGS / "inspect.json", correct="conf").set_index(["id", "epoch"])
    assert other.at[("q4", 1), "state"] == "unscored"  # graded NaN: neither wrong nor abstained
    assert not other.at[("q4", 1), "abstained"]
    assert set(other["correct"].dropna()) == {0.0, 0.5, 1.0}


def test_a_blank_answer_without_a_letter_abstains(tmp_path):
    def ramble(row):
        if row["id"] == "q4":
            row["output"]["completion"] = "It may be one of these, I don't know."

    log = read_log(changed(tmp_path / "x.json", ramble=ramble), correct="choice")
    assert log.query("id == 'q4' and epoch == 1")["state"].tolist() == ["blank"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("I don't know.", "said so"),
        ("i don’t   know!", "said so"),
        ("Not sure", "said so"),
        ("**IDK**", "said so"),
        ("", "blank"),
        ("  ", "blank"),
        ("[invalid]", "[invalid]"),
        ("I don't know, perhaps 4", "answered"),
        ("Unsure about it", "answered"),
        ("none", "answered"),
        ("4", "answered"),
    ],
)
@pytest.mark.parametrize("right", [0.0, 1.0])
def test_only_whole_texts_abstain_and_only_where_they_are_wrong(text, state, right, tmp_path):
    rows = [row for row in of("samples_gen.jsonl") if row["filter"] == "strict-match"]
    rows[3] |= {"filtered_resps": [text], "exact_match": right}
    log = read_log(written(rows, tmp_path / "samples_x.jsonl"))
    assert log.at[3, "state"] == ("answered" if right else state)
    assert log["abstained"].tolist() == (log["state"] != "answered").tolist()


def test_a_content_filter_abstains(tmp_path):
    def stop(row):
        if row["id"] == "q2":
            row["output"]["choices"][0]["stop_reason"] = "content_filter"

    log = read_log(changed(tmp_path / "x.json", stop=stop), correct="choice")
    assert log.query("id == 'q2'")["state"].tolist() == ["content filter"] * 2


def test_columns_may_be_named():
    log = read_log(LOGS / "inspect.json", correct="choice")
    assert log.attrs["read_as"] == ["read column 'metadata.confidence' as the confidence"]
    scored = read_log(LOGS / "inspect.json", correct="conf")
    assert scored.attrs["read_as"] == ["read column 'score.confidence' as the confidence"]
    rows = {(row["id"], row["epoch"]): row["scores"] for row in INSPECT["samples"]}
    for row in scored.itertuples():
        more = (rows[row.id, row.epoch].get("conf") or {}).get("metadata") or {}
        assert row.confidence == more.get("confidence") or np.isnan(row.confidence)
    named = read_log(LOGS / "inspect.json", correct="choice", confidence="metadata.doc", abstained="y_pred")
    assert named["confidence"].tolist() == named["metadata.doc"].tolist()  # words, which are read later
    assert named["abstained"].sum() == 6
    with pytest.raises(ValueError, match=r".") as caught:
        read_log(LOGS / "inspect.json", correct="choice", confidence="metadata.sure")
    assert caught.value.kind == "no column"


def test_yes_and_no_are_answers(tmp_path):
    log = json.loads((LOGS / "inspect.json").read_text())
    for at, sample in enumerate(log["samples"]):
        sample["scores"].setdefault("choice", {"value": "C"})["answer"] = ("yes", "no", "")[at % 3]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    read = read_log(path, correct="choice", abstained="y_pred")
    graded = read[~read["state"].isin(["unscored", "failed"])]
    assert len(graded) > 5
    assert graded["abstained"].tolist() == (graded["y_pred"] == "").tolist()


def test_broken_lines_are_counted_and_named(tmp_path):
    lines = (LOGS / "samples_mc.jsonl").read_text().splitlines()
    path = tmp_path / "samples_x.jsonl"
    path.write_text("\n".join([*lines[:4], lines[4][:200], "", "[]", *lines[5:]]))
    with pytest.warns(UserWarning, match=r"2 samples are broken and left out \(line 5 and line 7\)"):
        log = read_log(path, correct="acc")
    assert log["id"].tolist() == [0, 1, 2, 3, *range(5, 14)]
    for text, kind in {'{"y_true": 1}\n': "no grade", "7\n": "no log"}.items():
        path.write_text(text)
        with pytest.raises(ValueError, match=r".") as caught:
            read_log(path)
        assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("tool", "damage"),
    [
        ("inspect", {"id": None}),
        ("inspect", {"id": [1]}),
        ("inspect", {"epoch": "2"}),
        ("inspect", {"scores": "C"}),
        ("inspect", {"scores": {"choice": "C"}}),
        ("inspect", {"scores": {"choice": {"value": "C", "metadata": [1]}}}),
        ("inspect", {"output": "B"}),
        ("inspect", {"output": {"choices": "B"}}),
        ("inspect", {"output": {"completion": 7}}),
        ("inspect", {"metadata": [1]}),
        ("mc", {"doc_id": None}),
        ("mc", {"doc_id": [1]}),
        ("mc", {"filtered_resps": None}),
        ("mc", {"filtered_resps": "B"}),
        ("mc", {"metrics": [{"acc": 1}]}),
    ],
)
@pytest.mark.parametrize("at", [0, 2])
def test_a_damaged_sample_is_left_out_and_named(tool, damage, at, tmp_path):
    if tool == "mc":
        rows, path, correct = of("samples_mc.jsonl"), tmp_path / "samples_x.jsonl", "acc"
        whole, what = read_log(LOGS / "samples_mc.jsonl", correct=correct), f"line {at + 1}"
        rows[at] |= damage
        written(rows, path)
    else:
        log, path, correct = json.loads(json.dumps(INSPECT)), tmp_path / "log.json", "choice"
        whole, what = read_log(LOGS / "inspect.json", correct=correct), f"sample {at + 1}"
        gone = (log["samples"][at]["id"], log["samples"][at]["epoch"])
        at = whole.index[[(row.id, row.epoch) == gone for row in whole.itertuples()]][0]
        log["samples"][int(what.split()[1]) - 1] |= damage
        path.write_text(json.dumps(log))
    with pytest.warns(UserWarning, match=rf"1 sample is broken and left out \({what}\)"):
        read = read_log(path, correct=correct)
    pd.testing.assert_frame_equal(read, whole.drop(index=at).reset_index(drop=True), check_dtype=False)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_a_damaged_part_of_an_archive_is_left_out_and_named(method, tmp_path):
    path = tmp_path / "log.eval"
    shutil.copy(LOGS / "inspect.eval", path)
    if method == zipfile.ZIP_DEFLATED:
        with zipfile.ZipFile(path, "w", method) as archive:
            for row in INSPECT["samples"]:
                archive.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(row))
    with zipfile.ZipFile(path) as archive:
        part = archive.getinfo("samples/q3_epoch_1.json")
    content = bytearray(path.read_bytes())
    start = part.header_offset + 30 + len(part.filename) + 40
    content[start : start + 20] = bytes(each ^ 0xFF for each in content[start : start + 20])
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"1 sample is broken and left out \(samples/q3_epoch_1.json\)"):
        read = read_log(path, correct="choice")
    assert len(read) == len(INSPECT["samples"]) - 1
    assert ("q3", 1) not in set(zip(read["id"], read["epoch"], strict=True))


@pytest.mark.parametrize("head", [None, [], {"dataset": None}, {"dataset": {"sample_ids": [[1], "q1"]}}])
def test_samples_are_read_whatever_is_said_of_the_data_set(head, tmp_path):
    (tmp_path / "log.json").write_text(json.dumps({**INSPECT, "eval": head}))
    assert len(read_log(tmp_path / "log.json", correct="choice")) == len(INSPECT["samples"])


@pytest.mark.parametrize("value", [None, float("nan")])
def test_a_document_without_a_grade_is_unscored_and_leaves_the_others_their_confidence(value, tmp_path):
    rows = of("samples_mc.jsonl")
    rows[3]["acc"] = value
    read = read_log(written(rows, tmp_path / "samples_x.jsonl"), correct="acc")
    assert read["state"].tolist() == ["unscored" if at == 3 else "answered" for at in range(len(rows))]
    whole = read_log(LOGS / "samples_mc.jsonl", correct="acc")
    assert read["confidence"].tolist() == whole["confidence"].tolist()


@pytest.mark.parametrize("responses", [[], [["x", "False"], ["-1.0", "True"]]])
def test_a_document_without_likelihoods_is_no_reason_to_guess_which_choice_was_graded(responses, tmp_path):
    rows = of("samples_mc.jsonl")
    rows[3]["filtered_resps"] = responses
    path = written(rows, tmp_path / "samples_x.jsonl")
    with pytest.warns(UserWarning, match="there are no confidences"):
        read = read_log(path, correct="acc")
    assert read["confidence"].isna().all()
    assert read["correct"].tolist() == [row["acc"] for row in rows]


def test_a_document_that_is_there_twice_is_a_repetition(tmp_path):
    rows = of("samples_mc.jsonl")
    for at, row in enumerate(rows):
        row["doc_id"] = at // 2
    assert read_log(written(rows, tmp_path / "samples_x.jsonl"), correct="acc")["epoch"].tolist() == [1, 2] * 7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"scores": {}, "error": {"message": "x"}},
            "no sample with a score; 20 of 20 failed. Run the samples again",
        ),
        ({"scores": {"choice": {"value": float("nan")}}}, "samples has a grade: 18 unscored and 2 failed"),
        ({"scores": {"choice": {"value": "good"}}}, "choice has 'good', which is neither a number nor a grade"),
        ({"id": None}, r"it has no sample that can be read \(20 broken\)\. Write the file again"),
    ],
)
def test_without_any_grade_it_is_said_why(change, told, tmp_path):
    path = changed(tmp_path / "log.json", change=lambda row: row.update(change))
    with pytest.raises(ValueError, match=told) as caught:
        read_log(path, correct="choice")
    assert caught.value.kind in ("no grade", "no log")


def test_a_metric_that_was_named_without_its_filter_is_said_to_be_no_grade(tmp_path):
    rows = of("samples_mc.jsonl")
    rows[3]["acc"] = "1.0"
    with pytest.raises(ValueError, match=r"acc,none has '1.0', which is not a number"):
        read_log(written(rows, tmp_path / "samples_x.jsonl"), correct="acc")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            {"id": 0, "correct": "wrong", "confidence": 0.9},
            "correct has 'wrong', which is not a number. Write 1 or true",
        ),
        ({"confidence": 0.9, "judge": 0.5}, r"Numbers from 0 to 1 are in \['judge'\]. .* such as correct='judge'"),
        (
            {"text": "a", "prob": 0.9},
            "nothing in this log grades answers with numbers from 0 to 1: text has 'a'.* Or .* grades=.WORD: NUMBER",
        ),
    ],
)
def test_a_confidence_is_not_proposed_as_a_grade(row, told, tmp_path):
    """The error for {"correct": "wrong", "confidence": 0.9} proposed correct="confidence"."""
    with pytest.raises(ValueError, match=told):
        read_log(written([row] * 3, tmp_path / "own.jsonl"))


@pytest.mark.parametrize(("text", "kind"), [("{", "damaged"), ("[]", "no log"), ('{"eval": {}}', "no log")])
def test_other_json_is_no_log(text, kind, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r".") as caught:
        read_log(path)
    assert caught.value.kind == kind
    assert str(path) in str(caught.value)


def test_a_list_of_rows_in_one_json_value_is_told_how_to_become_lines(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps([{"correct": 1, "confidence": 0.9}, {"correct": 0, "confidence": 0.6}]))
    with pytest.raises(
        ValueError, match=r"JSON lines \(written by pd\.read_json\(\.\.\.\)\.to_json\('FILE\.jsonl'"
    ) as found:
        read_log(file)
    call = re.search(r"\.to_json\(.*?\)", str(found.value))[0].replace("FILE.jsonl", (tmp_path / "a.jsonl").as_posix())
    eval(f"table{call}", {"table": pd.read_json(file)})
    assert read_log(tmp_path / "a.jsonl")["confidence"].tolist() == [0.9, 0.6]


def test_logs_may_be_compressed(tmp_path):
    (tmp_path / "samples_mc.jsonl.gz").write_bytes(gzip.compress((LOGS / "samples_mc.jsonl").read_bytes(), mtime=0))
    pd.testing.assert_frame_equal(
        read_log(tmp_path / "samples_mc.jsonl.gz", correct="acc"), read_log(LOGS / "samples_mc.jsonl", correct="acc")
    )


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python reads it by itself")
def test_without_zstandard_the_error_says_how_to_convert(monkeypatch):
    monkeypatch.setattr("skconf.tables._inspect.find_spec", lambda _: None)
    with pytest.raises(ImportError, match="inspect log convert --to json"):
        read_log(LOGS / "inspect.eval", correct="choice")


ROWS = [
    {"question_id": "a", "is_right": True, "sure": {"p": 0.9}, "response": "4"},
    {"question_id": "b", "is_right": False, "sure": {"p": 0.7}, "response": "I don't know"},
    {"question_id": "b", "is_right": False, "sure": {"p": None}, "response": ""},
    {"question_id": "c", "is_right": None, "sure": {"p": 0.2}, "response": "7"},
]


def test_json_lines_of_any_tool_are_read_by_columns(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join([*map(json.dumps, ROWS[:1]), '{"question_id": "z", ', *map(json.dumps, ROWS[1:])]))
    with pytest.warns(UserWarning, match=r"1 sample is broken and left out \(line 2\)"):
        log = read_log(path, confidence="sure.p")
    assert log["id"].tolist() == ["a", "b", "b", "c"]
    assert log["epoch"].tolist() == [1, 1, 2, 1]
    assert log["correct"].tolist()[:3] == [1, 0, 0]
    assert log["state"].tolist() == ["answered", "said so", "blank", "unscored"]
    assert log["confidence"].tolist()[:2] == [0.9, 0.7]
    assert log.attrs["read_as"] == ["read is_right as the correctness of the answers"]
    with pytest.warns(UserWarning, match="line 2"), pytest.raises(ValueError, match="response"):
        read_log(path, correct="response")
    written([{**row, "confidence": 0.5, "abstained": row["response"] == "4"} for row in ROWS], path)
    assert read_log(path)["abstained"].tolist() == [True, False, False, False]
    assert read_log(path)["confidence"].tolist() == [0.5] * 4


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_as_before_whether_a_log_can_be_read_or_not(was_on, tmp_path):
    (tmp_path / "a.jsonl").write_text("{")
    (gc.enable if was_on else gc.disable)()
    try:
        read_log(LOGS / "samples_mc.jsonl", correct="acc")
        assert gc.isenabled() == was_on
        with pytest.raises(ValueError, match="no line"):
            read_log(tmp_path / "a.jsonl")
        assert gc.isenabled() == was_on
    finally:
        gc.enable()


def test_a_broken_first_line_does_not_hide_what_wrote_a_log(tmp_path):
    path = tmp_path / "samples_x.jsonl"
    path.write_text("{\n" + (LOGS / "samples_mc.jsonl").read_text())
    with pytest.warns(UserWarning, match=r"\(line 1\)"):
        assert len(read_log(path, correct="acc")) == 14
