"""Where it fails: classes and errors, against loops over rows."""

import numpy as np
import pytest
from scipy.stats import beta

from skconf import ConfidenceProfile
from skconf._page.ids import Ids
from skconf.metrics import calibrated_size_ratio
from skconf.report._evidence import Evidence
from skconf.report._shares import Shares
from skconf.report._where import certainty, costliest_errors, findings, where

HOSTILE = ["<b>", "</script>", "a|b"]


def predictions(n_classes=4, n=300, seed=0, labels=None, weighted=False):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.4), n)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1)
    labels = np.arange(n_classes) if labels is None else np.array(labels)
    weight = rng.integers(0, 3, n).astype(float) if weighted else None
    return ConfidenceProfile.from_predictions(labels[y], proba, labels=labels, sample_weight=weight)


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
        "Worst where it answers 0: says 80.0 %, is right in 60 % [50, 70] of 100."
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_a_loop(weighted):
    profile = predictions(weighted=weighted)
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    added = {
        row: weight[row] / (1 - profile.confidence[row])
        for row in range(len(profile))
        if not profile.correct[row] and weight[row] > 0
    }
    expected = sorted(added, key=lambda row: (-added[row], row))[:20]
    found = costliest_errors(profile)
    assert [error.row for error in found] == expected
    total = sum(added.values())
    assert total / weight.sum() == pytest.approx(calibrated_size_ratio(profile))
    for error in found:
        assert error.share == pytest.approx(added[error.row] / total)
        assert error.confidence == profile.confidence[error.row]
    if not weighted:
        sure = [error.confidence for error in found]
        assert sure == sorted(sure, reverse=True)


def test_ties_are_in_the_order_of_rows():
    correct = np.ones(90, dtype=bool)
    correct[[7, 80, *range(20, 60)]] = False
    sure = np.where(np.arange(90) == 80, 0.99, 0.9)
    found = costliest_errors(ConfidenceProfile.from_correctness(correct, sure))
    assert [error.row for error in found] == [80, 7, *range(20, 38)]
    # Confidences beyond the resolution of the ratio cost the same; the surer one comes first.
    sure = np.array([1 - 1e-9, 1.0, 1 - 1e-9])
    found = costliest_errors(ConfidenceProfile.from_correctness([0, 0, 0], sure))
    assert [error.row for error in found] == [1, 0, 2]


def test_rows_are_named_as_in_the_file():
    profile = predictions(labels=["cat", "dog", "fox", "owl"])
    first = costliest_errors(profile)[0]
    truth, answer = (profile.classes[codes[first.row]] for codes in (profile.true_class, profile.predicted_class))
    text = where(evidence_of(profile)).text(10_000)
    said = f"row {first.row + 1}, {truth} in truth, it said {answer} at {certainty(first.confidence)}: "
    assert f"Costliest error: {said}" in text
    assert "Rows are counted from 1" in text
    numbers = np.arange(len(profile))[::-1]  # as where rows were matched by ids
    named = where(evidence_of(profile, row_numbers={"value": numbers})).text(10_000)
    assert f"Costliest error: row {len(profile) - first.row}, {truth} in truth" in named


def test_rows_and_labels_can_be_left_out():
    profile = predictions(labels=["cat", "dog", "fox", "owl"])
    text = where(evidence_of(profile).anonymous(), rows=False).text()
    assert "class 1" in text
    assert "cat" not in text
    assert "size ratio" not in text


@pytest.mark.parametrize(
    ("confidence", "shown"),
    [
        (0.5, "50 %"),
        (0.95, "95.0 %"),
        (0.999, "99.90 %"),
        (1 - 1e-8, "99.9999990 %"),
        (1 - 2.0**-24, "99.9999940 %"),
        (1 - 1e-15, "over 99.9999999999 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
    ],
)
def test_confidences_are_told_from_one(confidence, shown):
    assert certainty(confidence) == shown


def test_no_errors_and_one_class():
    perfect = ConfidenceProfile.from_correctness(np.ones(300, dtype=bool), np.full(300, 0.9))
    assert costliest_errors(perfect) == []
    most = 100 * beta.ppf(0.975, 1, 300)
    assert f"No error among 300 answers; of others like these, up to {most:.2f} % may" in where(
        evidence_of(perfect)
    ).text(200)
    one = ConfidenceProfile.from_predictions(["a"], [[0.3, 0.7]], labels=["a", "b"])
    section = where(evidence_of(one))
    assert "Worst where it answers b: says 70.0 %, is right in 0 % [0, 98] of 1." in section.text(200)
    assert "row 1" in section.text()
    assert "nan" not in section.text()


def test_weights_of_zero_are_no_errors():
    weight = np.array([0.0, 1.0, 1.0])
    profile = ConfidenceProfile.from_correctness([0, 0, 1], [0.99, 0.6, 0.7], sample_weight=weight)
    assert [error.row for error in costliest_errors(profile)] == [1]


def test_what_is_known_without_classes():
    profile = ConfidenceProfile.from_correctness([0, 1, 0], [0.99, 0.8, 0.6])
    text = where(evidence_of(profile)).text(200)
    assert "Costliest error: row 1, wrong at 99.0 %: 97.6 % of the size ratio." in text
    assert "in truth" not in text
    in_batches = Evidence(rows=[], values={"value": []})
    assert "read in batches" in where(in_batches).text()


def test_a_thousand_classes_are_cut_and_counted():
    profile = predictions(n_classes=1000, n=5000)
    n_answered = len(set(profile.predicted_class.tolist()))
    shown = where(evidence_of(profile)).html(Ids())
    assert f"{n_answered - 100:,} more classes are left out." in shown
    assert shown.count("<tr>") < 250
    assert where(evidence_of(profile)).text().count("\n") < 80  # what is folded is not in it


def test_several_models_and_labels_with_markup():
    profiles = {f"<i>{seed}": predictions(3, labels=HOSTILE, seed=seed) for seed in range(4)}
    evidence = Evidence(rows=[], values=dict.fromkeys(profiles, ()), profiles=profiles, several=True)
    section = where(evidence)
    shown = section.html(Ids())
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert shown.count("</script>") == 0
    assert shown.count("<details>") == 4  # classes and errors of the last two
    assert all(f"{model}: costliest error" in section.text(500) for model in profiles)
