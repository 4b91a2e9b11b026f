"""Several sampled answers to a question, grouped by what they mean."""

import random
from fractions import Fraction

import numpy as np
import pytest

from skconf import ConfidenceProfile

from_samples = ConfidenceProfile.from_samples


def by_hand(correct, answers, probability, confidence):
    """Return correctness and confidence of the best class, by counting with fractions."""
    right, sure = [], []
    for i, sampled in enumerate(answers):
        chances = [Fraction(1)] * len(sampled) if probability is None else list(map(Fraction, probability[i]))
        whole = sum(chances) if confidence == "probability_share" else len(sampled)
        mass = {}
        for label, chance in zip(sampled, chances, strict=True):
            mass[label] = mass.get(label, 0) + chance / whole
        best = min(mass, key=lambda label: (-mass[label], label))
        sure.append(float(mass[best]))
        right.append(correct[i][sampled.index(best)])
    return right, sure


@pytest.mark.parametrize("confidence", ["frequency", "mean_probability", "probability_share"])
def test_against_counting(confidence):
    rng = random.Random(0)
    answers = [[rng.choice("abcd") for _ in range(rng.randint(1, 8))] for _ in range(300)]
    truth = [rng.choice("abcde") for _ in answers]
    correct = [[label == true for label in sampled] for sampled, true in zip(answers, truth, strict=True)]
    # Eighths tie often, also as sums.
    chances = [[rng.randint(1, 8) / 8 for _ in sampled] for sampled in answers]
    probability = None if confidence == "frequency" else chances
    right, sure = by_hand(correct, answers, probability, confidence)
    profile = from_samples(correct, answers, probability=probability, confidence=confidence)
    np.testing.assert_array_equal(profile.correct, right)
    np.testing.assert_allclose(profile.confidence, sure, rtol=1e-15)


def test_ties_are_broken_by_label_whatever_the_order_of_samples():
    sampled, right, chance = ["b", "a", "b", "a", "c"], [1, 0, 1, 0, 0], [0.1, 0.2, 0.7, 0.6, 0.5]
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]):
        take = lambda values: [[values[i] for i in order]]  # noqa: B023, E731
        for given in ({}, {"probability": take(chance), "confidence": "mean_probability"}):
            profile = from_samples(take(right), take(sampled), **given)
            assert not profile.correct[0]
            assert profile.confidence[0] == pytest.approx(0.4 if not given else 0.16)


def test_the_answer_that_was_given():
    answers = [["Paris", "Paris", "Lyon"], [4, 5, 5, 5], [True, False]]
    profile = from_samples([1, 0, 1], answers, given=["Lyon", 6, 1], sample_weight=[1, 2, 3], groups=["x", "x", "y"])
    np.testing.assert_array_equal(profile.correct, [True, False, True])
    np.testing.assert_allclose(profile.confidence, [1 / 3, 0, 1 / 2])
    np.testing.assert_array_equal(profile.sample_weight, [1, 2, 3])
    np.testing.assert_array_equal(profile.groups, [0, 0, 1])


def test_impossible_samples_have_no_share():
    profile = from_samples([[1, 1]], [["a", "a"]], probability=[[0, 0]], confidence="probability_share")
    assert profile.confidence.tolist() == [0.0]


@pytest.mark.parametrize(
    ("correct", "answers", "given", "message"),
    [
        (
            [[1, 0]],
            [["a", "a"]],
            {},
            r"correct\[0\] differs among answers of the most probable class",
        ),
        ([[1], [1]], [["a"]], {}, "correct has 2 entries for 1 questions"),
        ([[1]], [["a", "b"]], {}, r"correct\[0\] has 1 row, but there are 2"),
        ([], [], {}, "answers has no question"),
        ([[]], [[]], {}, r"answers\[0\] is empty"),
        ([[1]], [[None]], {}, r"answers\[0\] has a missing label"),
        ([[1]], [["a"]], {"confidence": "mean_probability"}, "'mean_probability' needs the parameter probability"),
        ([[1]], [["a"]], {"probability": [[0.5]]}, "'frequency' only counts answers"),
        (
            [[1]],
            [["a"]],
            {"probability": [[1.5]], "confidence": "probability_share"},
            r"probability\[0\] must hold numbers in \[0, 1\]",
        ),
        ([[1]], [["a"]], {"confidence": "mean"}, "confidence must be one of"),
        ([1, [0]], [["a", "b"], ["c"]], {}, r"correct\[0\] is a single value\. Pass a list that says of each sampled"),
    ],
)
def test_errors_name_the_question(correct, answers, given, message):
    with pytest.raises(ValueError, match=message):
        from_samples(correct, answers, **given)
