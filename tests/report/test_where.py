"""Where it fails: classes and errors, against loops over rows."""

import re

import numpy as np
import pytest
from _support.predictions import draw_classes, draw_counts, draw_profile
from scipy.stats import beta

from skconf import ConfidenceProfile, confidence_report
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.labels import Labels
from skconf.report._evidence.shares import Shares
from skconf.report._evidence.worst import worst_answers
from skconf.report._page.elements import Ids
from skconf.report._sections.where import certainty, findings, where, worst_part

HOSTILE = ["<b>", "</script>", "a|b"]


def profile_of(n_classes=4, n=300, **drawn):
    return draw_profile(n, n_classes, concentration=0.4, **drawn)


def evidence_of(profile, **more):
    return Evidence(rows=[], values={"value": []}, profiles={"value": profile}, **more)


def test_few_rows_do_not_lead_by_chance():
    """One row that is wrong says less than 100 of which 40 are."""
    answer = np.array([0] * 100 + [1] + [2] * 100)
    wrong = np.concatenate([np.arange(100) < 40, [True], np.arange(100) < 10])
    truth = np.where(wrong, (answer + 1) % 3, answer)
    proba = np.full((201, 3), 0.1)
    proba[np.arange(201), answer] = 0.8
    profile = ConfidenceProfile.from_predictions(truth, proba, labels=[0, 1, 2])
    assert Shares.of(profile, [profile.predicted_class], 0.95).code.tolist() == [0, 2, 1]
    assert findings(evidence_of(profile))[0] == (
        "Overconfident in 1 of 3 classes. Worst when it predicts class 0: "
        "average confidence 80.0%, accuracy 60% (95% interval 50–70) in 100 answers."
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_a_loop(weighted):
    profile = profile_of(weight=draw_counts(300) if weighted else None)
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    wrong = [row for row in range(len(profile)) if not profile.correct[row] and weight[row] > 0]
    expected = sorted(wrong, key=lambda row: (-profile.confidence[row], row))[:20]
    found = worst_answers(profile)
    assert [error.row for error in found] == expected
    assert [error.says for error in found] == [profile.confidence[row] for row in expected]


def test_graded_answers_and_costs_are_those_furthest_off():
    rng = np.random.default_rng(0)
    says, was = rng.random(200), rng.random(200)
    for profile, below in (
        (ConfidenceProfile.from_correctness(was, says), says - was),
        (ConfidenceProfile.from_costs(was, says), was - says),
    ):
        found = worst_answers(profile, 7)
        assert [each.row for each in found] == np.argsort(-below)[:7].tolist()
        assert [(each.says, each.was) for each in found] == [(says[each.row], was[each.row]) for each in found]
    assert worst_answers(ConfidenceProfile.from_correctness([0.5, 0.9], [0.4, 0.9])) == []


def test_ties_are_in_the_order_of_rows():
    correct = np.ones(90, dtype=bool)
    correct[[7, 80, *range(20, 60)]] = False
    sure = np.where(np.arange(90) == 80, 0.99, 0.9)
    found = worst_answers(ConfidenceProfile.from_correctness(correct, sure))
    assert [error.row for error in found] == [80, 7, *range(20, 38)]


def test_rows_are_named_as_in_the_file():
    profile = profile_of(labels=["cat", "dog", "fox", "owl"])
    first = worst_answers(profile)[0]
    truth, answer = (profile.classes[codes[first.row]] for codes in (profile.true_class, profile.predicted_class))
    text = where(evidence_of(profile)).text(10_000)
    said = f"true class {truth}, answer {answer} at {certainty(first.says)}."
    assert f"Most confident error: row {first.row + 1}, {said}" in text
    assert "Rows are counted from 1" in text
    numbers = np.arange(len(profile))[::-1]  # as where rows were matched by ids
    named = where(evidence_of(profile, row_numbers={"value": numbers})).text(10_000)
    assert f"Most confident error: row {len(profile) - first.row}, true class {truth}" in named
    ids = np.array([f"q{row}" for row in range(len(profile))])
    named = where(evidence_of(profile, row_names={"value": ("case", ids)})).text(10_000)
    assert f"Most confident error: case q{first.row}, {said}" in named
    assert "Rows are counted" not in named


@pytest.mark.parametrize("weighted", [False, True])
def test_confusions_are_those_of_a_loop(weighted):
    profile = profile_of(weight=draw_counts(300) if weighted else None)
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    pairs = {}
    for row in range(len(profile)):
        if not profile.correct[row] and weight[row] > 0:
            pair = (int(profile.true_class[row]), int(profile.predicted_class[row]))
            pairs.setdefault(pair, []).append(row)
    order = sorted(pairs, key=lambda pair: (-weight[pairs[pair]].sum(), -len(pairs[pair]), pair))
    found = Labels.of(profile).confusions(profile.confidence, profile.sample_weight, 5)
    assert list(zip(found["true"], found["predicted"], strict=True)) == order[:5]
    for each, pair in zip(found.itertuples(), order, strict=False):
        rows = pairs[pair]
        assert each.rows == len(rows)
        assert each.confidence == pytest.approx(np.average(profile.confidence[rows], weights=weight[rows]))
    assert "Most frequent confusions" in where(evidence_of(profile_of(3))).text(200)
    assert "Most frequent confusions" not in where(evidence_of(profile_of(2))).text(
        200
    )  # those are both kinds of errors


def confusion_tables(evidence):
    """Return the confusion tables of the section, and of what it folds."""
    parts = where(evidence).parts
    every = [*parts, *(inner for part in parts for inner in getattr(part, "parts", ()))]
    return [part for part in every if getattr(part, "title", "").startswith("Confusion table")]


@pytest.mark.parametrize("weighted", [False, True])
def test_one_confusion_table_counts_what_the_better_model_answers_at_the_threshold_of_the_summary(weighted):
    rng = np.random.default_rng(3)
    weight = draw_counts(3000) if weighted else None
    truth = rng.integers(0, 3, 3000)
    probas = {}
    for name, skill in {"weak": 1.5, "strong": 2.5}.items():
        logits = rng.normal(size=(3000, 3)) + skill * np.eye(3)[truth]
        probas[name] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    report = confidence_report(truth, probas, sample_weight=weight)
    (part,) = confusion_tables(report.evidence)
    threshold = report.thresholds.query("model == 'strong' and target == 0.05")["threshold"].item()
    accepting = f"confidence {threshold:g} or more (observed threshold: errors at most 5%)"
    assert part.title == f"Confusion table of strong: {accepting}"
    assert f"onfidence {threshold:g} or more: " in " ".join(report.summary().split())
    answer = probas["strong"].argmax(axis=1)
    accepted = probas["strong"].max(axis=1) >= threshold
    for true, row in zip(range(3), part.table.itertuples(index=False), strict=True):
        counts = [((truth == true) & accepted & (answer == predicted)).sum() for predicted in range(3)]
        rejected = ((truth == true) & ~accepted).sum()
        assert list(row[:-1]) == [str(true), *(f"{count:,}" for count in [*counts, rejected])]
        each = (np.ones(3000) if weight is None else weight)[(truth == true) & accepted]
        share = np.average(answer[(truth == true) & accepted] == true, weights=each)
        assert float(row[-1].partition("%")[0]) == pytest.approx(100 * share, abs=0.051)


def test_the_confusion_table_has_all_answers_where_all_are_accepted_or_no_threshold_helps():
    sure = np.full(300, 0.9)
    for right in (np.arange(300) > 3, np.arange(300) > 100):
        truth = np.arange(300) % 2
        proba = np.where(right == (truth == 1), sure, 1 - sure)
        (part,) = confusion_tables(confidence_report(truth, proba).evidence)
        assert part.title == "Confusion table: all answers"
        assert part.table.shape[1] == 4  # none is sent to a person
    assert not confusion_tables(confidence_report(*draw_classes(600, 11)).evidence)


def test_a_class_that_is_called_class_1_is_named_once():
    y_true = np.arange(900) % 3
    y_pred = np.where(np.arange(900) % 9 == 1, 0, y_true)  # many answers 0 are wrong
    proba = np.where(np.arange(3) == y_pred[:, np.newaxis], 0.98, 0.01)
    evidence = confidence_report(y_true, proba, labels=[0, 1, 2]).evidence
    for each, name in ((evidence, "class 0: "), (evidence.anonymous(), "class 1: ")):
        assert f"Worst when it predicts {name}" in where(each).text()
        assert worst_part(each, next(iter(each.profiles)))[0].startswith(f"Most overconfident when it predicts {name}")


def test_rows_and_labels_can_be_left_out():
    profile = profile_of(labels=["cat", "dog", "fox", "owl"])
    text = where(evidence_of(profile).anonymous()).text()
    assert "class 1" in text
    assert "cat" not in text
    assert "row " not in text


@pytest.mark.parametrize(
    ("confidence", "shown"),
    [
        (0.5, "50%"),
        (0.95, "95.0%"),
        (0.999, "99.90%"),
        (1 - 1e-8, "99.9999990%"),
        (1 - 2.0**-24, "99.9999940%"),
        (1 - 1e-15, "over 99.9999999999%"),
        (1.0, "100%"),
        (0.0, "0%"),
    ],
)
def test_confidences_are_told_from_one(confidence, shown):
    assert certainty(confidence) == shown


def test_no_errors_and_one_class():
    perfect = ConfidenceProfile.from_correctness(np.ones(300, dtype=bool), np.full(300, 0.9))
    assert worst_answers(perfect) == []
    most = 100 * beta.ppf(0.975, 1, 300)
    assert f"No error among 300 answers. Of new answers, up to {most:.2f}% may" in where(evidence_of(perfect)).text(200)
    one = ConfidenceProfile.from_predictions(["a"], [[0.3, 0.7]], labels=["a", "b"])
    section = where(evidence_of(one))
    assert "No class of 1 is shown to be overconfident." in section.text(200)
    assert "row 1" in section.text()
    assert "nan" not in section.text()


def test_weights_of_zero_are_no_errors():
    weight = np.array([0.0, 1.0, 1.0])
    profile = ConfidenceProfile.from_correctness([0, 0, 1], [0.99, 0.6, 0.7], sample_weight=weight)
    assert [error.row for error in worst_answers(profile)] == [1]


def test_what_is_known_without_classes():
    profile = ConfidenceProfile.from_correctness([0, 1, 0], [0.99, 0.8, 0.6])
    text = where(evidence_of(profile)).text(200)
    assert "Most confident error: row 1, wrong at 99.0%." in text
    assert re.search(r"99.0%\s+1 in 100\n", text)
    assert "true class" not in text
    in_batches = Evidence(rows=[], values={"value": []})
    assert "read in batches" in where(in_batches).text()


def test_a_thousand_classes_are_cut_and_counted():
    profile = profile_of(1000, n=5000)
    n_answered = len(set(profile.predicted_class.tolist()))
    shown = where(evidence_of(profile)).html(Ids())
    assert f"{n_answered - 100:,} more classes are left out." in shown
    assert shown.count("<tr>") < 250
    assert where(evidence_of(profile)).text().count("\n") < 80  # what is folded is not in it


def test_several_models_and_labels_with_markup():
    profiles = {f"<i>{seed}": profile_of(3, labels=HOSTILE, seed=seed) for seed in range(4)}
    evidence = Evidence(rows=[], values=dict.fromkeys(profiles, ()), profiles=profiles, several=True)
    section = where(evidence)
    shown = section.html(Ids())
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert shown.count("</script>") == 0
    assert shown.count('<details class="screen">') == 4
    assert all(f"{model}: most confident error" in section.text(500) for model in profiles)
