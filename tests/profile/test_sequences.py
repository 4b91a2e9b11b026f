"""Sequences of tokens, right throughout or by their share."""

import numpy as np
import pytest

from skconf import ConfidenceProfile

from_sequences = ConfidenceProfile.from_sequences
CORRECT, SURE = [[1, 1, 1], [True, False], [0]], [[0.9, 0.8, 0.5], [1.0, 0.6], [0.25]]


def test_all_tokens_together():
    profile = from_sequences(CORRECT, SURE)
    np.testing.assert_array_equal(profile.correct, [True, False, False])
    np.testing.assert_allclose(profile.confidence, [0.36, 0.6, 0.25])


def test_the_share_of_tokens():
    profile = from_sequences(CORRECT, SURE, correctness="share", sample_weight=[1, 2, 3], groups=[0, 0, 1])
    np.testing.assert_allclose(profile.correctness, [1, 0.5, 0])
    np.testing.assert_allclose(profile.confidence, [2.2 / 3, 0.8, 0.25])
    np.testing.assert_array_equal(profile.sample_weight, [1, 2, 3])
    np.testing.assert_array_equal(profile.groups, [0, 0, 1])


@pytest.mark.parametrize(
    ("correct", "confidence", "message"),
    [
        ([[1]], [[0.5], [0.5]], "correct has 1 sequences, and confidence has 2"),
        ([], [], "correct has 0 sequences"),
        ([[1], []], [[0.5], []], r"confidence\[1\] is empty"),
        ([[1], [1]], [[0.5], [0.5, 0.5]], r"correct\[1\] has 1 row"),
        ([[0.5]], [[0.5]], r"correct\[0\] must hold 0 or 1"),
        ([[1]], [[1.5]], r"confidence\[0\] must hold numbers in \[0, 1\], but holds 1.5"),
    ],
)
def test_errors_name_the_sequence(correct, confidence, message):
    with pytest.raises(ValueError, match=message):
        from_sequences(correct, confidence)


def test_log_probabilities_of_tokens_are_told_what_to_become():
    with pytest.raises(ValueError, match=r"confidence\[1\] .* holds -0\.1\. If the numbers are log-probabilities"):
        ConfidenceProfile.from_sequences([[1], [1, 0]], [[0.9], [-0.1, -2.0]])
