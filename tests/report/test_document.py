"""The whole report: as a page, as text, in a notebook, and for people who may not know whose it is."""

import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, ConfidenceReport, SelectiveClassifier, confidence_report
from skconf.report._page.elements import unbroken

X, Y = load_iris(return_X_y=True)
WORDS = np.array(["setosa", "<i>versi", "virginica"])[Y]
RNG = np.random.default_rng(0)
QUESTIONS = [
    "Can I trust their confidences?",
    "When should they abstain?",
    "Which model is better?",
    "Where do they fail?",
    "All metrics, by question",
    "Where does this come from?",
]


@pytest.fixture(scope="module")
def models():
    noise = X[::2] + RNG.normal(size=X[::2].shape)
    return {"bayes": GaussianNB().fit(noise, WORDS[::2]), "line": LogisticRegression(C=0.1).fit(noise, WORDS[::2])}


@pytest.fixture(scope="module")
def report(models):
    return ConfidenceReport.from_estimator(models, X[1::2], WORDS[1::2])


def test_from_estimator_is_the_report_on_its_predictions(models, report):
    proba = {name: model.predict_proba(X[1::2]) for name, model in models.items()}
    expected = confidence_report(WORDS[1::2], proba, labels=models["bayes"].classes_)
    pd.testing.assert_frame_equal(report.frame, expected.frame)
    single = ConfidenceReport.from_estimator(models["line"], X[1::2], WORDS[1::2], metrics=["accuracy_score"])
    assert single.frame.at["accuracy_score", "value"] == models["line"].score(X[1::2], WORDS[1::2])
    assert "LogisticRegression" in single.page()


def test_from_estimator_allows_for_clusters(models):
    patient = np.arange(75) // 3
    model, rows = models["bayes"], (X[1::2], WORDS[1::2])
    expected = confidence_report(ConfidenceProfile.from_estimator(model, *rows, groups=patient))
    found = ConfidenceReport.from_estimator(model, *rows, groups=patient)
    assert found.summary() == expected.summary()
    proba = model.predict_proba(rows[0])
    of_arrays = confidence_report(rows[1], proba, labels=model.classes_, groups=patient)
    assert of_arrays.summary() == expected.summary()
    assert found.summary() != ConfidenceReport.from_estimator(model, *rows).summary()


def test_from_estimator_takes_the_options_of_a_report_and_no_others(models):
    model, X_test, y_test = models["bayes"], X[1::2], WORDS[1::2]
    by_class = ConfidenceReport.from_estimator(model, X_test, y_test, by="class")
    pd.testing.assert_frame_equal(
        by_class.frame,
        confidence_report(y_test, model.predict_proba(X_test), labels=model.classes_, by="class").frame,
    )
    for given in ({"labels": [0, 1, 2]}, {"y_pred": y_test}, {"known": {}}, {"metric": ["aurc_loss"]}):
        with pytest.raises(TypeError, match=next(iter(given))):
            ConfidenceReport.from_estimator(model, X_test, y_test, **given)
    with pytest.raises(TypeError, match=r"no option 'metric'.*'metrics'"):
        ConfidenceReport.from_estimator(model, X_test, y_test, metric=["aurc_loss"])
    with pytest.raises(ValueError, match="needs several models"):
        ConfidenceReport.from_estimator(model, X_test, y_test, baseline="a")


def test_from_estimator_takes_threshold_and_weights(models):
    selective = SelectiveClassifier(GaussianNB(), threshold=0.9).fit(X[::2], WORDS[::2])
    weight = RNG.random(75) + 0.5
    found = ConfidenceReport.from_estimator(selective, X[1::2], WORDS[1::2], sample_weight=weight)
    assert found.frame.at["threshold", "value"] == 0.9
    top = selective.predict_proba(X[1::2]).max(axis=1)
    assert found.frame.at["mean_confidence", "value"] == pytest.approx(np.average(top, weights=weight))


def test_a_page_asks_the_readers_questions_in_order(report):
    page = report.page()
    assert re.findall(r"<h2>(.*?)</h2>", page) == QUESTIONS
    assert page.startswith("<!DOCTYPE html>")
    assert "<i>versi" not in page
    assert "&lt;i&gt;versi" in page


def test_a_single_model_is_not_compared(models):
    page = ConfidenceReport.from_estimator(models["bayes"], X[1::2], WORDS[1::2]).page()
    of_one = ["Can I trust its confidences?", "When should it abstain?", "Where does it fail?", *QUESTIONS[4:]]
    assert re.findall(r"<h2>(.*?)</h2>", page) == of_one


def test_text_and_notebook_say_what_the_page_says(report):
    text, notebook = report.text(), report._repr_html_()
    for title in QUESTIONS:
        assert (f"\n{title}" in f"\n{text}") == (title != "All metrics, by question")
    for verdict in (f"{model}: {text}" for model, text in report.verdict.items()):
        assert verdict in " ".join(text.split())
        assert unbroken(verdict.partition(": ")[2]) in notebook
        assert unbroken(verdict) in report.page()
    assert "<script" not in notebook
    assert len(notebook) < 40_000


def test_every_metric_of_the_report_is_on_its_page_with_an_interval_or_a_dash(report):
    page = report.page()
    for name in report.frame.index:
        row = re.search(rf"<tr>((?:(?!<tr>).)*){re.escape(name).replace(chr(39), '.')}</td></tr>", page)[1]
        estimates = re.findall(r'<td class="n" data-label="[^"]*">(.*?)</td>', row)
        assert len(estimates) == 2
        assert all(re.fullmatch(r"–|\S+ \[(–|\S+, \S+)\]", estimate) for estimate in estimates), estimates


def test_anonymous_pages_name_nobody(models, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(models["bayes"].predict_proba(X), columns=[f"proba_{label}" for label in np.unique(WORDS)])
    table.assign(y_true=WORDS).to_csv("secret one.csv", index=False)
    table.assign(y_true=WORDS).to_csv("secret two.csv", index=False)
    report = ConfidenceReport.from_files({"mine": "secret one.csv", "yours": "secret two.csv"})
    for text in (report.page(anonymous=True), report.model_card(anonymous=True)):
        assert not re.search("secret|setosa|versi|virginica|mine|yours", text)
        assert not re.search(r"row \d", text)
    assert "secret one.csv" in report.page()
    assert "setosa" in report.page()


@pytest.mark.slow
def test_pages_are_the_same_bytes_in_every_process(monkeypatch):
    script = """
import numpy as np
from skconf import confidence_report
rng = np.random.default_rng(0)
p = rng.random(300)
y = (rng.random(300) < p).astype(int)
page = confidence_report(y, {"a": p, "b": p**2}).page()
"""
    monkeypatch.undo()  # that little is drawn here, and not in the other process
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    elsewhere = subprocess.run(
        [sys.executable, "-c", f"{script}print(page, end='')"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "PYTHONIOENCODING": "utf-8"},
    ).stdout
    exec(script, here := {})
    assert elsewhere == here["page"]
    assert "2 January 1970" in elsewhere


def test_reports_without_predictions_have_a_page_with_their_table(report, tmp_path):
    by_class = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], by="class")
    assert by_class.page().count("<tr>") == 3
    with pytest.raises(ValueError, match="has only a table"):
        by_class.model_card()
    report.save(tmp_path / "r.html")
    for suffix, advice in (("pdf", "print it in a browser"), ("md", "model_card"), ("CSV", "frame.to_csv")):
        with pytest.raises(ValueError, match=rf"'.*r\.{suffix}' .*HTML.*{advice}"):
            report.save(tmp_path / f"r.{suffix}")
        assert not (tmp_path / f"r.{suffix}").exists()
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.page()


def test_open_shows_the_page(report, monkeypatch):
    shown = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    report.open()
    assert shown[0].startswith("file://")


def test_results_of_a_report_are_plain_pandas_and_pickles_keep_it(report):
    assert type(report.frame.iloc[:2]) is pd.DataFrame
    assert type(report.frame["bayes"]) is pd.Series
    again = pickle.loads(pickle.dumps(report))
    assert again.page() == report.page()


def test_the_model_card_is_short(report):
    card = report.model_card()
    assert 5 <= len(card.splitlines()) <= 25
    assert "75" in card


def test_chosen_metrics_are_printed_alone():
    sure = RNG.random(200)
    profile = ConfidenceProfile.from_correctness(RNG.random(200) < sure, sure)
    chosen = confidence_report(profile, metrics=["aurc_loss"])
    assert chosen.text() == str(chosen)
    assert "When should it abstain?" in chosen.page()


REJECTS = "rejected answers as wrong"


@pytest.fixture(scope="module")
def rejecting():
    model = SelectiveClassifier(LogisticRegression(C=0.1), threshold=0.8).fit(X[::2], WORDS[::2])
    rejected = ~model.accept(X[1::2])
    assert 0 < rejected.sum() < len(rejected)
    return model


def test_a_report_tells_accuracy_with_rejections_from_that_of_all_answers(rejecting):
    found = ConfidenceReport.from_estimator(rejecting, X[1::2], WORDS[1::2])
    right = rejecting.estimator_.predict(X[1::2]) == WORDS[1::2]
    shown = found.frame.at["accuracy_score", "value"]
    assert shown == pytest.approx((right & rejecting.accept(X[1::2])).mean())
    assert shown < right.mean()  # what the verdict is about
    for text in (str(found), found.text(), found.page(), found.page(anonymous=True), found._repr_html_()):
        assert " ".join(text.split()).count(REJECTS) == 1


def test_models_of_which_one_rejects_are_compared_with_a_word_on_it(rejecting, models):
    found = ConfidenceReport.from_estimator({"rejects": rejecting, "bayes": models["bayes"]}, X[1::2], WORDS[1::2])
    assert " ".join(found.page().split()).count(REJECTS) == 2  # with the comparison, and with all metrics


@pytest.mark.parametrize("given", ["nothing is rejected", "a threshold alone", "no accuracy"])
def test_there_is_no_word_on_rejections_where_none_counts(given, rejecting):
    model = rejecting if given == "no accuracy" else rejecting.estimator_
    options = {"metrics": ["aurc_loss"]} if given == "no accuracy" else {}
    if given == "nothing is rejected":
        model = SelectiveClassifier(LogisticRegression(C=0.1), threshold=0).fit(X[::2], WORDS[::2])
    if given == "a threshold alone":
        options["threshold"] = 0.8
    found = ConfidenceReport.from_estimator(model, X[1::2], WORDS[1::2], **options)
    assert not any(REJECTS in " ".join(text.split()) for text in (str(found), found.text(), found.page()))


def test_a_page_does_not_grow_with_the_rows():
    sizes = []
    for n in (2_000, 20_000):
        p = np.random.default_rng(0).beta(0.5, 0.5, n)
        y = (np.random.default_rng(1).random(n) < p).astype(int)
        sizes.append(len(confidence_report(y, {"one": p, "two": p**1.2}, metrics=["aurc_loss"]).page()))
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sure", [0.5, 1.0])
@pytest.mark.parametrize("grade", [0.5, 1.0])
@pytest.mark.parametrize(
    "given",
    [
        {"groups": np.zeros(25)},
        {"sample_weight": np.append(1.0, np.zeros(24))},
        {"groups": np.arange(25) // 3, "sample_weight": np.append(np.ones(3), np.zeros(22))},
        {"abstained": np.arange(25) > 0},
    ],
    ids=["one cluster", "one row with weight", "one cluster with weight", "one answer"],
)
def test_a_report_is_made_of_one_unit(given, grade, sure):
    """There is no interval then, also of two models: as text, and as a page."""
    models = {
        name: ConfidenceProfile.from_correctness(np.full(25, right), np.full(25, sure), **given)
        for name, right in (("a", grade), ("b", 1 - grade))
    }
    for source in (models["a"], models):
        report = confidence_report(source, metrics=["accuracy_score", "cw_accuracy"], slices={"s": np.arange(25) % 2})
        assert "<html" in report.page()
        assert "accuracy_score" in report.text()
        assert report.model_card()
