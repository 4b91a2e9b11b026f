"""Files in the layouts of other tools: the one reading that fits is taken and said, and no other."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_proba

from skconf.tables import _files
from skconf.tables._columns import Columns
from skconf.tables._files import open_table
from skconf.tables._fitting import Readings
from skconf.tables._guesses import guess
from skconf.tables._rows import guess_columns, read_rows

RNG = np.random.default_rng(0)
P = RNG.random(60).round(4)
P[:4] = 0.1, 0.2, 0.8, 0.9
Y = (RNG.random(60) < P).astype(int)
PRED, SURE = (P > 0.5).astype(int), np.maximum(P, 1 - P)
NAMES = np.array(["cat", "dog", "fox"])
P3 = RNG.dirichlet([1, 1, 1], 60)
Y3, PRED3, SURE3 = NAMES[RNG.integers(0, 3, 60)], NAMES[P3.argmax(axis=1)], P3.max(axis=1)
YES = np.array(["no", "yes"])


def named(form, labels=NAMES, proba=P3):
    return {form.format(label): proba[:, position] for position, label in enumerate(labels)}


def both(form="{}", labels=(0, 1)):
    return named(form, labels, np.column_stack([1 - P, P]))


def weka(labels):
    return [f"{['cat', 'dog', 'fox'].index(label) + 1}:{label}" for label in labels]


#: Columns, whether their answers are right, how sure they are, and a part of what is said.
TWO = (PRED == Y, SURE)
THREE = (PRED3 == Y3, SURE3)
LAYOUTS = {
    "labels": ({"label": Y, **both()}, *TWO, "'label' as the true label, the columns '0' and '1' as"),
    "an index": (
        {"": range(60), "label": Y, **both()},
        *TWO,
        "; ignored the column without a name, which holds row numbers",
    ),
    "in another order": (
        {"y": YES[Y], "p_yes": P, "p_no": 1 - P},
        *TWO,
        "'p_yes' and 'p_no' as the probabilities of yes and no",
    ),
    "floats and their labels": ({"Target": Y.astype(float), **both("prob_{}")}, *TWO, "'Target' as the true label"),
    "booleans": ({"truth": Y.astype(bool), "score": P}, *TWO, "'score' as the probability of 1"),
    "leading zeros": ({"class": np.array(["01", "02"])[Y], **both("{}", ["01", "02"])}, *TWO, "of 01 and 02"),
    "words": (
        {"Class": np.array(["größer als", "小"])[Y], **both("P({})", ["größer als", "小"])},
        *TWO,
        "größer als and 小",
    ),
    "XGBoost": ({"y_test": Y, "y_prob": P}, *TWO, "'y_test' as the true label, 'y_prob' as the probability of 1"),
    "Kaggle": ({"id": range(60), "target": Y, "prediction": P}, *TWO, "'prediction' as the probability of 1"),
    "caret": (
        {"pred": PRED3, "obs": Y3, **named("{}")},
        *THREE,
        "'obs' as the true label, 'pred' as the predicted label",
    ),
    "yardstick": (
        {".pred_class": YES[PRED], **both(".pred_{}", YES), "truth": YES[Y]},
        *TWO,
        "'.pred_class' as the predicted label, the columns '.pred_no' and '.pred_yes'",
    ),
    "H2O, its own threshold": (
        {"predict": (P > 0.3).astype(int), **both("p{}"), "actual": Y},
        (P > 0.3) == Y,
        np.where(P > 0.3, P, 1 - P),
        "'predict' as the predicted label, the columns 'p0' and 'p1' as the probabilities of 0 and 1",
    ),
    "AutoGluon": (
        {"class": Y3, **named("{}")},
        *THREE,
        "'cat', 'dog' and 'fox' as the probabilities of cat, dog and fox",
    ),
    "PyCaret": (
        {"x1": P, "target": Y, "prediction_label": PRED, "prediction_score": SURE},
        *TWO,
        "'prediction_score' as the confidence in the prediction",
    ),
    "Weka": (
        {"inst#": range(60), "actual": weka(Y3), "predicted": weka(PRED3), "error": "+", "prediction": SURE3},
        *THREE,
        "'predicted' as the predicted label, 'prediction' as the confidence in the prediction; ignored 'inst#'",
    ),
    "Hugging Face": (
        {"label": PRED3, "score": SURE3, "truth": Y3},
        *THREE,
        "'truth' as the true label, 'label' as the predicted",
    ),
    "mlr3": ({"truth": Y3, "response": PRED3, **named("prob.{}")}, *THREE, "'response' as the predicted label"),
    "Azure": (
        {"Scored Labels": PRED3, **named('Scored Probabilities for Class "{}"'), "Class": Y3},
        *THREE,
        "'Scored Labels' as the predicted label",
    ),
    "RapidMiner": (
        {"label": YES[Y], "prediction(label)": YES[PRED], **both("confidence({})", YES)},
        *TWO,
        "'confidence(no)'",
    ),
    "one probability, by name": ({"label": YES[Y], "prob_yes": P}, *TWO, "'prob_yes' as the probability of yes"),
    "a prediction and its probability": ({"label": Y, "prediction": PRED, "score": SURE}, *TWO, "as the confidence"),
    "a prediction and that of 1": (
        {"label": Y, "prediction": PRED, "score": P},
        *TWO,
        "'score' as the probability of 1",
    ),
    "answers": ({"is_correct": Y == PRED, "confidence": SURE}, *TWO, "'is_correct' as the correctness of the "),
    "KNIME": (
        {"class": YES[Y], "Prediction (class)": YES[PRED], "Prediction (class) (Confidence)": SURE},
        *TWO,
        "'Prediction (class) (Confidence)' as the confidence",
    ),
    "a prediction called after the true label": (
        {"y": Y3, "predicted_y": PRED3, "predicted_y_score": SURE3},
        *THREE,
        "'predicted_y' as the predicted label, 'predicted_y_score' as the confidence",
    ),
    "classes called true and false": ({"label": Y.astype(bool), **both("{}", ["false", "true"])}, *TWO, "of 0 and 1"),
    "torch": ({"targets": Y, "preds": PRED, "probs": P}, *TWO, "'probs' as the probability of 1"),
    "a positive column beside labels of another kind": (
        {"label": [1] * 59 + [0], "pred": np.array(["NEG", "POS"])[PRED], "y_score": 0.5 + P / 2},
        np.arange(60) < 59,
        0.5 + P / 2,
        "'y_score' as the probability of 1",
    ),
    "true and pred": ({"true": Y3, "pred": PRED3, **named("{}")}, *THREE, "'true' as the true label, 'pred' as the"),
    "labels that the affix holds, too": (
        {"label": np.array(["a", "b"])[Y], **both("{}_proba", ["a", "b"])},
        *TWO,
        "of a and b",
    ),
    "classes that do not occur": (
        {"label": ["cat"] * 60, **named("p_{}")},
        P3.argmax(axis=1) == 0,
        SURE3,
        "cat, dog and fox",
    ),
    "a database in capitals": (
        {"Y_TRUE": Y3, **named("PROBA_{}", ["CAT", "DOG", "FOX"])},
        *THREE,
        "of cat, dog and fox",
    ),
    "numbers as numpy writes them": ({"y_true": [f"{y:.18e}" for y in Y], **both("p{}")}, *TWO, "of 0 and 1"),
    "digits that do not occur": (
        {"label": ["2"] * 60, **named("{}", range(3))},
        P3.argmax(axis=1) == 2,
        SURE3,
        "0, 1 and 2",
    ),
}


@pytest.fixture(params=["csv", "parquet", "pandas"])
def written(request, tmp_path, monkeypatch):
    def write(columns):
        path = tmp_path / f"a.{request.param.replace('pandas', 'csv')}"
        table = pd.DataFrame(columns)
        if request.param == "parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False)
        return path

    if request.param == "pandas":
        monkeypatch.setattr(_files, "find_spec", lambda _: None)
    else:
        pytest.importorskip("pyarrow")
    return write


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_one_reading_that_fits_is_taken_and_said(name, written):
    columns, right, sure, words = LAYOUTS[name]
    path = written(columns)
    found, said = guess_columns([open_table(path)], Columns())
    assert said.startswith("read '")
    assert words in said
    for n_rows in (None, 60):  # in memory, and in batches
        profile, *_ = read_rows(open_table(path), found, n_rows)
        np.testing.assert_array_equal(profile.correct, right)
        np.testing.assert_allclose(profile.confidence, sure, atol=1e-12)


#: Columns that no reading or several fit, and the error with the option that decides.
REFUSED = {
    "two true labels": (
        {"label": Y3, "class": np.roll(Y3, 1), **named("{}")},
        "can be read in 2 ways, .* Choose one with target",
    ),
    "raw and calibrated": (
        {"label": Y, **both("raw_{}"), **both("cal_{}")},
        "'raw_0' and 'raw_1' .*'cal_0'.* Choose one with proba",
    ),
    "a probability of either": (
        {"label": YES[Y], "score": P},
        "'score' as the probability of no; or: .* Choose one with pos_label",
    ),
    "a score of the answer or of 1": (
        {"label": Y[P > 0.5], "prediction": 1, "score": P[P > 0.5]},
        "as the probability of 1; or: .*as the confidence in the prediction. Choose one with proba",
    ),
    "no true labels": (
        {"species": Y3, "prediction_label": PRED3, "prediction_score": SURE3},
        "target to name the column of true labels, such as target='species'",
    ),
    "no probabilities": (
        {"label": Y, "prediction": PRED},
        r"'label' may be the true label, with the values '0' and '1'\. Use proba to name",
    ),
    "fewer columns than labels": (
        {"label": Y3, "p": SURE3, "q": 1 - SURE3},
        r"'label' may be the true label, with the values 'cat', 'dog' and 'fox'\. Use proba to name the columns of pr",
    ),
    "no sums of 1": (
        {"label": Y3, **named("{}", NAMES, RNG.random((60, 3)) / 4)},
        r"sum to 0\.\d+ in row \d+, not to 1",
    ),
    "lists of objects": (
        {"label": Y, "probability": [f"[{{'label': 1, 'prob': {p}}}]" for p in P]},
        "If 'probability' holds probabilities, write a column for each class instead, named proba_LABEL",
    ),
    "predicted labels of another kind": (
        {"label": Y3, "pred": [f"LABEL_{place}" for place in P3.argmax(axis=1)], "score": SURE3},
        r"'pred' has 'LABEL_\d', which is not one of the true labels\. Write predicted and true labels in the",
    ),
    "predicted labels of another kind, and a confidence": (
        {"label": [1] * 59 + [0], "pred": np.array(["NEG", "POS"])[PRED], "score": SURE},
        r"'pred' has '(NEG|POS)', which is not one of the true labels\. Write predicted and true labels in the",
    ),
    "correctness alone": ({"correct": Y == PRED, "logprob": np.log(SURE)}, "alone is not enough: use confidence to"),
    "a submission": (
        {"case id": range(60), "target": P},
        r"If the true labels are in another file, match the rows: skconf evaluate FILE --truth OTHER --id 'case id'\.",
    ),
    "words of confidence": (
        {"label": Y, "pred": PRED, "confidence": np.array(["low", "high"])[PRED]},
        r"If \['high', 'low'\] in 'confidence' are confidences, use grades to give each a number: high=0\.9 low=0\.3",
    ),
    "a confidence or the probability of 1": (
        {"label": Y, "pred": PRED, "confidence": P},
        "pass confidence='confidence'. If it is the probability of one class, pass proba='confidence' and pos_label",
    ),
    "a confidence, and a grade of another name": (
        {"question": np.arange(len(P)), "grade": "C", "confidence": P},
        "Use correct to name the column that says whether answers are right. If",
    ),
    "features only": ({"age": P, "shop": "web"}, "Use target to name the column of true labels. If"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused_with_the_option_that_decides(name, written):
    columns, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as caught:
        guess_columns([open_table(written(columns))], Columns())
    assert caught.value.kind == ("several readings" if "Choose" in message else "no predictions")


#: Columns that no reading fits, the options that the error advises, and the answers that are then read.
ADVISED = {
    "names that count": ({"label": YES[Y], **both("p{}")}, {"proba": ["p0", "p1"], "labels": ["no", "yes"]}, *TWO),
    "01 is not 1": (
        {"label": np.array(["01", "02"])[Y], **both("{}", [1, 2])},
        {"proba": ["1", "2"], "labels": ["01", "02"]},
        *TWO,
    ),
    "codes in another order than the names": (
        {"x": P, "label": np.array([2, 0, 1])[P3.argmax(axis=1)], **named("{}")},
        {"proba": ["dog", "fox", "cat"], "labels": ["0", "1", "2"]},
        np.ones(60),
        SURE3,
    ),
    "one number of two classes": ({"target": YES[Y], "oof": P}, {"proba": "oof", "pos_label": "yes"}, *TWO),
    "no usual name": ({"foreign": Y, "fitted": P, "weight": range(60)}, {"target": "foreign"}, None, None),
}


@pytest.mark.parametrize("name", ADVISED)
def test_the_advised_options_read_the_answers(name, written):
    columns, given, right, sure = ADVISED[name]
    path = written(columns)
    with pytest.raises(ValueError, match="hold the predictions") as refused:
        guess_columns([open_table(path)], Columns())
    for role, value in given.items():
        assert f"{role}={value!r}" in str(refused.value)
    if right is None:  # the next error advises further
        with pytest.raises(ValueError, match="If 'fitted' is the probability of 1, pass proba='fitted' and pos_label"):
            guess_columns([open_table(path)], Columns(**given))
        return
    found, _ = guess_columns([open_table(path)], Columns(**given))
    profile, *_ = read_rows(open_table(path), found, None)
    np.testing.assert_array_equal(profile.correct, right)
    np.testing.assert_allclose(profile.confidence, sure, atol=1e-12)


@pytest.mark.parametrize("form", ["[{}, {}]", "[{},{}]", "[{} {}]", "[ {}  {} ]"])
def test_the_advised_command_writes_lists_that_are_texts_in_columns(form, tmp_path, monkeypatch):
    """Spark and numpy write them so."""
    monkeypatch.chdir(tmp_path)
    texts = [form.format(1 - p, p) for p in P]
    pd.DataFrame({"label": Y.astype(float), "probability": texts}).to_csv("a.csv", index=False)
    with pytest.raises(ValueError, match="The lists in 'probability' are texts") as refused:
        guess_columns([open_table(Path("a.csv"))], Columns())
    command = str(refused.value).partition("for each number: ")[2]
    exec(command, {"pd": pd, "FILE": "a.csv", "NAMED": "b.csv"})
    found, said = guess_columns([open_table(Path("b.csv"))], Columns())
    assert "'proba_0' and 'proba_1' as the probabilities of 0 and 1" in said
    profile, *_ = read_rows(open_table(Path("b.csv")), found, None)
    np.testing.assert_array_equal(profile.correct, PRED == Y)
    np.testing.assert_allclose(profile.confidence, SURE, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "class"}, "'class' as the true label, the columns 'cat'"),
        ({"target": "label", "prediction": "class"}, "'label' as the true label, 'class' as the predicted label, the"),
        ({"proba": ["cat", "dog", "fox"], "target": "label"}, ""),
        (
            {"target": "label", "labels": ["fox", "cat", "dog"]},
            "'fox', 'cat' and 'dog' as the probabilities of fox, cat",
        ),
        ({"target": "label", "prediction": "class", "confidence": "score"}, ""),
    ],
)
def test_no_guess_is_against_an_option(given, words, tmp_path):
    table = pd.DataFrame({"label": Y3, "class": np.roll(Y3, 1), **named("{}"), "score": SURE3})
    table.to_csv(tmp_path / "a.csv", index=False)
    asked = Columns(**given)
    found, said = guess_columns([open_table(tmp_path / "a.csv")], asked)
    assert words in said
    if not words:
        assert found is asked
    for role, value in given.items():
        assert getattr(found, role) == value


def test_a_confidence_that_is_named_may_be_below_one_half(tmp_path):
    pd.DataFrame({"label": Y, "pred": PRED, "confidence": P}).to_csv(tmp_path / "a.csv", index=False)
    found, _ = guess_columns([open_table(tmp_path / "a.csv")], Columns(confidence="confidence"))
    assert (found.target, found.prediction, found.confidence) == ("label", "pred", "confidence")


def test_a_column_that_is_named_is_read_and_the_error_says_what_it_holds(tmp_path):
    pd.DataFrame({"label": Y, "pred": PRED, "log": np.log(P)}).to_csv(tmp_path / "a.csv", index=False)
    for given in ({"confidence": "log"}, {"proba": "log"}):
        found, _ = guess_columns([open_table(tmp_path / "a.csv")], Columns(**given))
        with pytest.raises(ValueError, match=r"column 'log' has -.* Convert scores or logits to probabilities"):
            read_rows(open_table(tmp_path / "a.csv"), found, None)


def test_features_are_not_read_to_find_lists():
    table = pd.DataFrame({"label": Y3, "answer": PRED3, "conf": SURE3, **{f"x{i}": P for i in range(50)}})
    read = []

    def head(names):
        read.extend(names)
        return table[names]

    assert guess(Columns(), list(table), head)[0].confidence == "conf"
    assert sorted(read) == ["answer", "conf", "label"]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_lists_of_probabilities(ending, tmp_path):
    path, proba = tmp_path / f"a.{ending}", [list(row) for row in P3]

    def read(truth, **given):
        table = pd.DataFrame({"target": truth, "scores": proba, "embedding": [[-1.0, 2.0]] * 60, "tags": [["a"]] * 60})
        if ending == "jsonl":
            table.to_json(path, orient="records", lines=True, double_precision=15)
        else:
            pytest.importorskip("pyarrow")
            table.to_parquet(path)
        return guess_columns([open_table(path)], Columns(**given))

    found, said = read(P3.argmax(axis=1) % 2)  # the last class never occurs
    assert said == "read 'target' as the true label, the lists in 'scores' as the probabilities of 0, 1 and 2"
    for n_rows in (None, 60):
        profile, *_ = read_rows(open_table(path), found, n_rows)
        np.testing.assert_array_equal(profile.correct, P3.argmax(axis=1) < 2)
        np.testing.assert_allclose(profile.confidence, SURE3, atol=1e-12)
    order = "If the lists in 'scores' are probabilities, pass proba='scores' and labels"
    with pytest.raises(ValueError, match=order):
        read(Y3)
    found, _ = read(NAMES[P3.argmax(axis=1)], labels=["cat", "dog", "fox"])
    assert read_rows(open_table(path), found, None)[0].correct.all()


def test_lists_of_scores_that_are_sorted_by_size_are_no_probabilities_of_classes(tmp_path):
    """Zero-shot pipelines sort the labels of each row by their scores: the first place was read as class 0."""
    table = pd.DataFrame({"target": Y3, "scores": np.sort(P3)[:, ::-1].tolist()})
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    with pytest.raises(ValueError, match="lists in 'scores' are sorted by size, so the labels may be in another order"):
        guess_columns([open_table(tmp_path / "a.jsonl")], Columns())
    table["target"] = P3.argmax(axis=1)
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    with pytest.raises(ValueError, match="sorted by size"):
        guess_columns([open_table(tmp_path / "a.jsonl")], Columns())


@pytest.mark.parametrize("batch", [None, 7])
@pytest.mark.parametrize("top", [False, True])
@pytest.mark.parametrize(("called", "score"), [("prediction", "score"), ("result", "confidence"), ("of_y", "prob")])
def test_output_of_transformers_in_json_lines(called, score, top, batch, tmp_path):
    """A list of {"label", "score"}, sorted by score; with `top`, only of the most probable label.

    BigQuery writes "prob" instead.
    """
    rows = []
    for truth, proba in zip(Y3.tolist(), P3, strict=True):
        scores = sorted(zip(proba.tolist(), NAMES.tolist(), strict=True), reverse=True)[: 1 if top else None]
        output = [{"label": name, score: each} for each, name in scores]
        rows.append({"text": "?", "truth": truth, called: output})
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = open_table(tmp_path / "a.jsonl")
    found, _ = guess_columns([table], Columns())
    profile, *_ = read_rows(table, found, batch)
    np.testing.assert_array_equal(profile.correct, (PRED3 == Y3)[: len(profile)])
    np.testing.assert_allclose(profile.confidence, SURE3[: len(profile)], atol=1e-12)
    if not top:  # the most probable label of the first row does not come first
        assert found.labels == NAMES.tolist() != [each["label"] for each in rows[0][called]]


@pytest.mark.parametrize("batch", [None, 7])
def test_a_label_that_occurs_twice_in_a_list_of_scores_is_refused_in_its_row(batch, tmp_path):
    """The last score was read silently."""
    rows = [
        {"label": name, "scores": [{"label": each, "score": p} for each, p in zip(NAMES.tolist(), proba, strict=True)]}
        for name, proba in zip(Y3.tolist(), P3.tolist(), strict=True)
    ]
    rows[5]["scores"][2]["label"] = NAMES[0]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = open_table(tmp_path / "a.jsonl")
    found, _ = guess_columns([table], Columns())
    with pytest.raises(ValueError, match=r"column 'scores\.\w+' has nan in row 5 \(line 6\), where a number is needed"):
        read_rows(table, found, batch)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("outer", [None, "prediction"])
def test_lists_of_labels_beside_lists_of_probabilities(outer, shuffled, tmp_path):
    """Vertex writes the labels in the same order in each row, zero-shot pipelines by their scores."""
    rows = []
    for truth, proba in zip(Y3.tolist(), P3, strict=True):
        order = RNG.permutation(3) if shuffled else [2, 0, 1]
        lists = {"labels": NAMES[order].tolist(), "scores": proba[order].tolist()}
        rows.append({"y": truth, "box": {"corners": [1, 2]}, **(lists if outer is None else {outer: lists})})
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table, name = open_table(tmp_path / "a.jsonl"), "scores" if outer is None else f"{outer}.scores"
    if shuffled:
        with pytest.raises(ValueError, match=f"labels of the lists in '{name}' are in another order in each row"):
            guess_columns([table], Columns())
        return
    found, said = guess_columns([table], Columns())
    assert f"the lists in '{name}' as the probabilities of fox, cat and dog" in said
    for batch in (None, 7):
        profile, *_ = read_rows(table, found, batch)
        np.testing.assert_array_equal(profile.correct, (PRED3 == Y3)[: len(profile)])


def test_the_scores_of_comprehend(tmp_path):
    rows = [
        {"truth": t, "Classes": [{"Name": n, "Score": p} for n, p in zip(NAMES.tolist(), proba, strict=True)]}
        for t, proba in zip(Y3.tolist(), P3.tolist(), strict=True)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = open_table(tmp_path / "a.jsonl")
    profile, *_ = read_rows(table, guess_columns([table], Columns())[0])
    np.testing.assert_array_equal(profile.correct, PRED3 == Y3)


def test_labels_in_one_line_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"y_true": Y.tolist(), "y_prob": P.tolist()}))
    with pytest.raises(ValueError, match=r"'y_true' holds lists\. Write one string or number in each row\."):
        guess_columns([open_table(tmp_path / "a.jsonl")], Columns())


def test_lists_of_logits_are_no_probabilities(tmp_path):
    rows = [{"label": int(y), "logits": [0.0, float(p)]} for y, p in zip(Y, P, strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"lists in 'logits' are no probabilities: \[0\.0, .*\] does not sum to 1"):
        guess_columns([open_table(tmp_path / "a.jsonl")], Columns())


def test_usual_names_are_read_without_a_word(tmp_path):
    pd.DataFrame({"y_true": Y, "label": 1 - Y, **both("proba_{}"), **both()}).to_csv(tmp_path / "a.csv", index=False)
    asked = Columns()
    assert guess_columns([open_table(tmp_path / "a.csv")], asked) == (asked, "")


def test_a_confidence_beside_probabilities_is_said_to_be_ignored(tmp_path):
    table = pd.DataFrame({"y_true": Y, **both("proba_{}"), "y_pred": PRED, "confidence": 0.5, "correct": 1})
    table.to_csv(tmp_path / "a.csv", index=False)

    def said(**given):
        return guess_columns([open_table(tmp_path / "a.csv")], Columns(**given))[1]

    assert said() == (
        "ignored 'correct' and 'confidence', because probabilities are read; name them to read them instead"
    )
    assert said(groups="correct").startswith("ignored 'confidence', because probabilities are read; name it to")
    assert said(confidence="confidence") == ""


def test_what_is_called_correctness_may_be_graded(tmp_path):
    """A column that is called right may be the probability of the right of two sides."""
    pd.DataFrame({"Correctness": P / 2, "score": P}).to_csv(tmp_path / "a.csv", index=False)
    _, said = guess_columns([open_table(tmp_path / "a.csv")], Columns())
    words = "'Correctness' as the correctness of the prediction, 'score' as the confidence in the prediction"
    assert said == f"read {words}"
    pd.DataFrame({"right": P / 2, "score": P}).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match="hold the predictions"):
        guess_columns([open_table(tmp_path / "b.csv")], Columns())


@pytest.mark.parametrize("label", YES)
def test_a_positive_label_decides_what_a_single_column_is(label, tmp_path):
    pd.DataFrame({"label": YES[Y], "score": P}).to_csv(tmp_path / "a.csv", index=False)
    found, said = guess_columns([open_table(tmp_path / "a.csv")], Columns(pos_label=str(label)))
    assert said == f"read 'label' as the true label, 'score' as the probability of {label}"
    profile, *_ = read_rows(open_table(tmp_path / "a.csv"), found)
    np.testing.assert_array_equal(profile.correct, (P > 0.5) == (YES[Y] == label))
    np.testing.assert_allclose(profile.confidence, SURE)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 4, 0, 1, 2], [3, 0, 1, 2, 4]])
@pytest.mark.parametrize("times", [1, 100])
def test_classes_that_never_occur_are_not_left_out_because_they_are_improbable(order, times, tmp_path):
    """The probabilities of the classes that occur sum to nearly 1."""
    proba = np.column_stack([0.985 * P3, np.full((60, 2), [0.01, 0.005])]) * times
    labels = np.array([*NAMES, "gnu", "hen"])[order]
    file = tmp_path / "p.csv"
    table = {"label": Y3, "note": "a text", **named("{}", labels, proba[:, order]), "gap": np.nan, "seconds": 7.0}
    pd.DataFrame(table).to_csv(file, index=False)
    found, _ = guess_columns([open_table(file)], Columns())
    assert found.proba == list(labels)


def test_many_classes_are_read_at_once():
    """Each scan of a file with a thousand columns takes long."""
    labels = [f"n{number:04}" for number in range(300)]
    proba = draw_proba(600, 300)
    truth = np.tile(labels, 2)
    truth[truth == "n0100"] = "n0101"  # a class that does not occur
    table = pd.DataFrame({"label": truth, **named("{}", labels, proba)})
    scans = []

    def read(names):
        scans.append(names)
        return table[names]

    found, _ = guess(Columns(), list(table), read)
    assert found.proba == labels
    assert len(scans) < 5
    table.loc[7, labels[0]] += 0.5
    with pytest.raises(ValueError, match=r"hold the predictions"):
        guess(Columns(), list(table), read)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"label": Y3, **named("{}", NAMES, 100 * P3)},
            r"column '\w+' has \d.*, outside \[0, 1\], in row 0 \(line 2\). If the numbers are percentages, divide",
        ),
        ({"label": Y, "score": 100 * P}, "If the numbers are percentages, divide them by 100"),
        (
            {"label": Y3, **named("logit_{}", NAMES, np.log(P3))},
            "column 'logit_cat' has -.* Convert scores or logits .*proba=.'logit_cat'",
        ),
        (
            {"label": Y, "0": 1 - P, "1": np.where(np.arange(60) == 7, np.nan, P)},
            "column '1' has '' in row 7 \\(line 9\\), where a number is",
        ),
        (
            {"label": np.where(np.arange(60) == 7, "", Y3), **named("{}")},
            "column 'label' has '' in row 7 \\(line 9\\), where a label is",
        ),
    ],
)
def test_wrong_entries_of_columns_that_names_tell_are_named(columns, message, tmp_path):
    pd.DataFrame(columns).to_csv(tmp_path / "a.csv", index=False)
    found, _ = guess_columns([open_table(tmp_path / "a.csv")], Columns())
    with pytest.raises(ValueError, match=message):
        read_rows(open_table(tmp_path / "a.csv"), found)


def test_the_first_file_with_rows_tells(tmp_path):
    table = pd.DataFrame({"label": Y, **both()})
    paths = [tmp_path / "empty.csv", tmp_path / "a.csv"]
    table[:0].to_csv(paths[0], index=False)
    with pytest.raises(ValueError, match=r"there are no rows in \['.*empty\.csv'\]"):
        guess_columns(map(open_table, paths[:1]), Columns())
    table.to_csv(paths[1], index=False)
    assert guess_columns(map(open_table, paths), Columns())[0].proba == ["0", "1"]


def test_confidences_are_numbers_to_one_or_to_a_hundred():
    table = pd.DataFrame({"share": [0.0, 1.0], "percent": [0.0, 100.0], "more": [0.0, 100.5], "less": [-0.1, 1.0]})
    table["grade"], table["correct"] = [0.5, 1.0], [0.0, 1.0]
    readings = Readings(Columns(), list(table), lambda names: table[names])
    assert [readings._is_unit(name) for name in ("share", "percent", "more", "less")] == [True, True, False, False]
    assert [readings._is_correctness(name) for name in ("correct", "grade")] == [True, False]
    graded = pd.DataFrame({"correct_share": [0.0, 0.5, 1.0], "correct_number": [0.0, 0.5, 2.0]})
    readings = Readings(Columns(), list(graded), lambda names: graded[names])
    assert [readings._is_correctness(name) for name in graded] == [True, False]
