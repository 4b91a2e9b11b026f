"""Labels that are written in several ways, and columns that hold something else than their names say."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, accumulate
from skconf.inference import assess_confidence
from skconf.report import confidence_report
from skconf.tables._columns import Columns
from skconf.tables._predictions import read_predictions

RNG = np.random.default_rng(0)
POSITIVE = RNG.random(200)
IS_YES = RNG.random(200) < POSITIVE
ANSWER = POSITIVE > 0.5
SURE = np.maximum(POSITIVE, 1 - POSITIVE)
ACCURACY = float(np.mean(IS_YES == ANSWER))


def written(flags, *, yes, no):
    return np.where(flags, yes, no)


def read(table, **columns):
    frame = pd.DataFrame(table)
    return read_predictions(Columns(**columns).found_in(frame.columns), frame)


def accuracy_of(frame, tmp_path, batch_rows):
    """Read a file of predictions in batches of so many rows."""
    frame.to_csv(tmp_path / "p.csv", index=False)
    read = pd.read_csv(tmp_path / "p.csv", dtype=str)
    return accumulate((read[at : at + batch_rows] for at in range(0, len(read), batch_rows)), "accuracy").result()


@pytest.mark.parametrize("batch_rows", [1, 3, 50, 1000])
def test_one_label_may_be_written_in_several_ways(tmp_path, batch_rows):
    """Rows of one label as 1, 1.0 and " 1" are right wherever the batches end."""
    spellings = np.array(["1", "1.0", " 1", "true"])[np.arange(200) % 4]
    other = np.array(["0", "0.0", "0 ", "False"])[np.arange(200) // 3 % 4]
    frame = pd.DataFrame(
        {
            "y_true": np.where(IS_YES, spellings, other),
            "y_pred": np.where(ANSWER, spellings[::-1], other[::-1]),
            "confidence": SURE,
        }
    )
    assert accuracy_of(frame, tmp_path, batch_rows)["accuracy"] == pytest.approx(ACCURACY)


@pytest.mark.parametrize("labels", [{"yes": "1", "no": "0"}, {"yes": "cat", "no": "dog"}])
def test_labels_beside_probabilities_are_unified(labels):
    true = [text + " " * (row % 2) for row, text in enumerate(written(IS_YES, **labels))]
    profile = read({"y_true": true, "p": POSITIVE}, proba="p", pos_label=labels["yes"])
    assert profile.correct.mean() == pytest.approx(ACCURACY)


@pytest.mark.parametrize(
    ("true", "predicted"),
    [({"yes": "yes", "no": "no"}, {"yes": "Yes", "no": "No"}), ({"yes": "7", "no": "3"}, {"yes": "007", "no": "03"})],
)
def test_labels_written_in_two_ways_are_refused(true, predicted, tmp_path):
    frame = pd.DataFrame(
        {"y_true": written(IS_YES, **true), "y_pred": written(ANSWER, **predicted), "confidence": SURE}
    )
    with pytest.raises(ValueError, match="they seem to be the same") as caught:
        accuracy_of(frame, tmp_path, 1000)
    assert (caught.value.kind, caught.value.column) == ("labels written in two ways", "y_pred")


def test_labels_without_a_common_one_are_told(tmp_path):
    frame = pd.DataFrame(
        {"y_true": written(IS_YES, yes="yes", no="no"), "y_pred": written(ANSWER, yes="1", no="0"), "confidence": SURE}
    )
    with pytest.warns(UserWarning, match="all answers count as wrong"):
        assert accuracy_of(frame, tmp_path, 100)["accuracy"] == 0


def test_a_class_that_is_always_taken_for_another_is_no_mistake(tmp_path):
    """Answers that are all wrong name classes that exist: so do few rows, and OCR that has A and a."""
    frame = pd.DataFrame({"y_true": ["a", "b", "A"] * 40, "y_pred": ["A", "b", "a"] * 40, "confidence": [0.9] * 120})
    assert accuracy_of(frame, tmp_path, 1000)["accuracy"] == pytest.approx(1 / 3)


def test_a_column_named_by_the_other_label_is_refused():
    table = {"y_true": written(IS_YES, yes="yes", no="no"), "proba_no": 1 - POSITIVE}
    with pytest.raises(ValueError, match=r"'proba_no' is named after the label 'no'.* Pass pos_label='no'"):
        read(table, pos_label="yes")
    assert read(table).correct.mean() == pytest.approx(ACCURACY)


class TestProbabilityAsConfidence:
    def test_it_is_told(self):
        table = {"y_true": written(IS_YES, yes="y", no="n"), "y_pred": written(ANSWER, yes="y", no="n")}
        with pytest.warns(
            UserWarning, match="looks like the probability of 'y'.* proba='confidence' and pos_label='y'"
        ):
            read({**table, "confidence": POSITIVE})

    @pytest.mark.parametrize("low", [1, 2])
    def test_twenty_answers_tell_if_one_in_twenty_is_below_a_half(self, low):
        """At exactly a half, either answer may stand; one row less tells nothing."""
        column = np.linspace(0.51, 0.99, 21)
        column[:low], column[low] = 0.3, 0.5
        table = {"y_true": ["y", "n"] * 10, "y_pred": ["n"] * low + ["y"] * (20 - low), "confidence": column[:20]}
        with pytest.warns(UserWarning, match="looks like the probability of 'y'"):
            read(table)
        read({name: entries[1:] for name, entries in table.items()})
        rows = [*range(20), 20]
        rarer = {"y_true": ["y", "n"] * 10 + ["y"], "y_pred": [*table["y_pred"], "y"], "confidence": column[rows]}
        if low == 1:
            read(rarer)  # one in 21 is less

    @pytest.mark.parametrize("entry", [2, -1])
    def test_whole_numbers_beside_0_and_1_are_none(self, entry):
        with pytest.raises(ValueError, match="confidence"):
            read({"correct": [1, 0, 1], "confidence": [0, 1, entry]})

    @pytest.mark.parametrize("confidence", [SURE, np.where(RNG.random(200) < 0.1, 0.4, SURE)], ids=["sure", "some low"])
    def test_a_confidence_is_none(self, confidence):
        table = {"y_true": written(IS_YES, yes="y", no="n"), "y_pred": written(ANSWER, yes="y", no="n")}
        read({**table, "confidence": confidence})  # warnings are errors


class TestSwapped:
    def test_columns_in_the_wrong_order_are_told(self):
        rng = np.random.default_rng(1)
        proba = rng.random(2000)
        proba = np.where(proba > 0.5, 0.9 + proba / 10, proba / 10)
        y_true = (rng.random(2000) < proba).astype(int)
        found = assess_confidence(y_true, 1 - proba)
        assert found.looks_swapped
        assert str(found).endswith("and so seldom that labels or columns look swapped.")
        report = confidence_report(y_true, {"model": 1 - proba})
        advice = "bring the labels or the columns of probabilities into the right order"
        assert advice in report.summary() + str(report.page())
        assert not assess_confidence(y_true, proba).looks_swapped

    @pytest.mark.parametrize(("wrong_rows", "told"), [(slice(None), True), (slice(0, 120), False)])
    def test_predicted_labels_that_are_swapped_are_told(self, wrong_rows, told):
        answer = np.where(RNG.random(200) < 0.95, IS_YES, ~IS_YES)
        answer[wrong_rows] = ~answer[wrong_rows]
        true, predicted = (written(each, yes="y", no="n") for each in (IS_YES, answer))
        table = {"y_true": true, "y_pred": predicted, "confidence": SURE}
        if told:
            with pytest.warns(UserWarning, match=r"only \d+% of the answers in column 'y_pred' are right, .* swapped"):
                read(table)
        else:
            read(table)  # warnings are errors

    def test_few_or_one_sided_answers_are_not_told(self):
        read({"y_true": ["y", "n"] * 5, "y_pred": ["n", "y"] * 5, "confidence": [0.9] * 10})
        read({"y_true": ["y"] * 99 + ["n"], "y_pred": ["n"] * 99 + ["y"], "confidence": [0.9] * 100})

    @pytest.mark.parametrize("rare", [0.1, 0.17, 0.24, 0.4])
    def test_columns_in_the_wrong_order_are_told_if_one_class_is_rare(self, rare):
        """Few of the answers are right even so, because nearly all are of the rare class."""
        rng = np.random.default_rng(0)
        proba = rng.beta(rare, 1 - rare, 800)
        y_true = (rng.random(800) < proba).astype(int)
        assert assess_confidence(y_true, 1 - proba).looks_swapped
        columns = np.column_stack([1 - proba, proba])
        assert assess_confidence(y_true, columns[:, ::-1]).looks_swapped
        assert not assess_confidence(y_true, columns).looks_swapped

    def test_answers_worse_than_chance_at_a_high_confidence_are_not_swapped(self):
        """Swapped, 55% would be right at a confidence of 0.9: no order of the columns explains that."""
        y_true = np.arange(2000) % 2
        proba = np.where((np.arange(2000) % 20 < 9) == (y_true == 1), 0.9, 0.1)
        found = assess_confidence(y_true, proba)
        assert found.accuracy_high < 0.5
        assert not found.looks_swapped

    def test_answers_that_are_all_of_the_rarer_class_are_not_swapped(self):
        y_true = (np.arange(2000) % 10 == 0).astype(int)
        assert not assess_confidence(y_true, np.full((2000, 2), [0.1, 0.9])).looks_swapped

    def test_a_poor_model_is_not_swapped(self):
        rng = np.random.default_rng(1)
        proba = rng.dirichlet(np.ones(10), 2000)
        y_true = rng.integers(10, size=2000)
        assert not assess_confidence(y_true, proba).looks_swapped

    def test_without_classes_nothing_is_known(self):
        profile = ConfidenceProfile.from_correctness(np.arange(500) % 20 == 0, np.full(500, 0.9))
        assert not assess_confidence(profile).looks_swapped


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (("incorrect", "correct"), "incorrect=0 correct=1"),
        (("wrong", "right"), "wrong=0 right=1"),
        (("x", "z"), "x=NUMBER"),
    ],
)
def test_grades_are_suggested_with_their_polarity(words, example):
    table = {"correct": [words[0]] * 60 + [words[1]] * 40, "confidence": np.full(100, 0.8)}
    with pytest.raises(ValueError, match=f"to give each a number: {example}"):
        read(table)
