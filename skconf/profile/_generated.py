"""Answers of generative systems: several sampled answers, grouped by their meaning, or sequences of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_option
from skconf._core.inputs import check_column, check_unit_column
from skconf._core.labels import Codes, LabelColumn
from skconf._core.probabilities import Floats
from skconf.profile._pairs import FromPairs

_CONFIDENCES = ("frequency", "mean_probability", "probability_share")


class FromGenerated(FromPairs):
    """Constructors from several sampled answers to each question, and from sequences of tokens."""

    @classmethod
    def from_samples(
        cls,
        correct: Sequence[Any],
        answers: Sequence[ArrayLike],
        *,
        probability: Sequence[ArrayLike] | None = None,
        confidence: str = "frequency",
        given: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Build a profile of questions with several sampled answers for each question.

        Answers with the same meaning are one equivalence class. The confidence in an answer is the probability of its
        class, not of its words. The best answer is any answer of the most probable class [1]_.

        Parameters
        ----------
        correct : sequence
            For each question, whether each of its sampled answers is right (booleans, or 0 and 1). Answers with the
            same label in `answers` must have the same value. If you pass `given`, pass one value for each question:
            whether the given answer is right.
        answers : sequence of array-like
            For each question, an array with one label for each sampled answer. Answers with the same label are in the
            same class. The same label in two questions does not mean the same class. Questions may have different
            numbers of answers.
        probability : sequence of array-like, default=None
            For each question, an array with the probability of each sampled answer according to the system, in [0, 1].
        confidence : {"frequency", "mean_probability", "probability_share"}, default="frequency"
            How to compute the probability of a class.

            - "frequency": the share of the sampled answers that are in the class.
            - "mean_probability": the sum of the probabilities of the answers in the class, divided by the number of all
              sampled answers. This confidence is never above the frequency. For long texts, it is very small, because
              each answer has a low probability.
            - "probability_share": the sum of the probabilities of the answers in the class, divided by the sum for all
              sampled answers.
        given : array-like of shape (n_questions,), default=None
            Class of the answer that was given to each question. The confidence is 0 if no sampled answer has this
            class. None uses the most probable class; if several are equally probable, the first in the order of their
            labels.
        sample_weight : array-like of shape (n_questions,), default=None
            Non-negative weights.
        groups : array-like of shape (n_questions,), default=None
            The cluster of each question, such as its document. Pass it if questions of one cluster depend on each
            other.

        Returns
        -------
        ConfidenceProfile
            An answer for each question.

        Raises
        ------
        ValueError
            If a question has no sampled answer, or if the arguments have different numbers of answers. If a probability
            is missing or outside [0, 1]. If some answers of the most probable class are right and others are wrong.

        References
        ----------
        .. [1] L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled
           evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026, Section 3 and appendix A.5.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> answers = [["Paris", "Paris", "Lyon"], ["4", "5", "5", "5"]]
        >>> profile = ConfidenceProfile.from_samples([[1, 1, 0], [1, 0, 0, 0]], answers)
        >>> profile.correct
        array([ True, False])
        >>> profile.confidence.round(3)
        array([0.667, 0.75 ])
        >>> ConfidenceProfile.from_samples([1, 1], answers, given=["Paris", "4"]).confidence.round(3)
        array([0.667, 0.25 ])
        """
        check_option(confidence, "confidence", _CONFIDENCES)
        _check_counts(correct, answers, probability, confidence, given)
        right, sure = np.empty(len(answers)), np.empty(len(answers))
        asked = None if given is None else LabelColumn(given, "given")
        for i, sampled in enumerate(answers):
            classes, position = _classes_of(sampled, f"answers[{i}]")
            ones = np.ones(len(position))
            chance = (
                ones if probability is None else check_unit_column(probability[i], len(position), f"probability[{i}]")
            )
            mass = _masses(position, len(classes), chance, confidence)
            if asked is None:
                best = int(mass.argmax())
                right[i], sure[i] = _verdict(correct[i], position, best, f"correct[{i}]"), mass[best]
            else:
                label = asked.distinct[asked.codes[i]]
                right[i], sure[i] = correct[i], dict(zip(classes, mass, strict=True)).get(label, 0.0)
        return cls.from_correctness(right, sure, sample_weight=sample_weight, groups=groups)

    @classmethod
    def from_sequences(
        cls,
        correct: Sequence[ArrayLike],
        confidence: Sequence[ArrayLike],
        *,
        correctness: str = "all",
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Build a profile of sequences, such as texts, from their tokens.

        Parameters
        ----------
        correct : sequence of array-like
            For each sequence, whether each of its tokens is right: booleans, or 0 and 1.
        confidence : sequence of array-like
            For each sequence, the probability of each of its tokens, given the tokens before it.
        correctness : {"all", "share"}, default="all"
            What makes a sequence right.

            - "all": a sequence is right if all its tokens are right. Its confidence is the product of the confidences
              of the tokens, which is the probability of the sequence. It is calibrated if a share c of the sequences
              with confidence c is right.
            - "share": a sequence is graded by the share of its tokens that are right. Its confidence is the mean of the
              confidences of the tokens. It is calibrated if, on average, a share c of the tokens is right in the
              sequences with confidence c.
        sample_weight : array-like of shape (n_sequences,), default=None
            Non-negative weights.
        groups : array-like of shape (n_sequences,), default=None
            The cluster of each sequence, such as its document. Pass it if sequences of one cluster depend on each
            other.

        Returns
        -------
        ConfidenceProfile
            An answer for each sequence.

        Raises
        ------
        ValueError
            If a sequence is empty. If it has different numbers of tokens and confidences. If a value is out of range.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> correct, confidence = [[1, 1], [1, 0, 1, 1]], [[0.9, 0.8], [0.9, 0.5, 0.7, 0.9]]
        >>> ConfidenceProfile.from_sequences(correct, confidence).confidence.round(4)
        array([0.72  , 0.2835])
        >>> ConfidenceProfile.from_sequences(correct, confidence, correctness="share").correctness
        array([1.  , 0.75])
        """
        check_option(correctness, "correctness", ("all", "share"))
        right, sure = _grade_sequences(correct, confidence, of_all=correctness == "all")
        return cls.from_correctness(right, sure, sample_weight=sample_weight, groups=groups)


def _check_counts(correct: Any, answers: Any, probability: Any, confidence: str, given: Any) -> None:
    """Raise if the lists have different numbers of questions, or if probabilities are missing or not needed."""
    if (probability is None) != (confidence == "frequency"):
        if probability is None:
            raise ValueError(
                f"confidence={confidence!r} needs the parameter probability: the probability of each sampled answer."
            )
        raise ValueError(
            "confidence='frequency' only counts answers. Leave probability out, or choose another confidence."
        )
    for name, entries in (("correct", correct), ("probability", probability), ("given", given)):
        if entries is not None and len(entries) != len(answers):
            raise ValueError(f"{name} has {len(entries)} entries for {len(answers)} questions in answers.")
    if len(answers) == 0:
        raise ValueError(
            "answers has no question. For each question, pass a list with the classes of its sampled answers."
        )


def _classes_of(sampled: ArrayLike, name: str) -> tuple[list[Any], Codes]:
    """Return the sorted classes of a question's answers, and the class of each answer."""
    column = LabelColumn(sampled, name)
    classes = column.sorted_distinct()
    return classes.tolist(), column.positions_in(classes)


def _masses(position: Codes, n_classes: int, chance: Floats, confidence: str) -> Floats:
    """Return the probability of each class of a question; 0 if all answers have probability 0."""
    # Sums are exact, so that ties do not depend on the order of the samples.
    mass = np.array([fsum(chance[position == k]) for k in range(n_classes)])
    whole = fsum(chance) if confidence == "probability_share" else len(position)
    return np.minimum(mass / whole, 1.0) if whole > 0 else mass


def _verdict(correct: ArrayLike, position: Codes, best: int, name: str) -> float:
    """Return 1 if the answers of class `best` are right, 0 if they are wrong; raise if they differ."""
    if np.ndim(correct) == 0:
        raise ValueError(f"{name} is a single value. Pass a list that says of each sampled answer whether it is right.")
    column = check_column(correct, len(position), name)
    of_best = column[position == best]
    if (of_best != of_best[0]).any():
        raise ValueError(
            f"{name} differs among answers of the most probable class: some are right, others wrong. In answers, give "
            "the same label only to answers with the same meaning."
        )
    return float(of_best[0])


def _grade_sequences(
    correct: Sequence[ArrayLike], confidence: Sequence[ArrayLike], *, of_all: bool
) -> tuple[NDArray[Any], Floats]:
    """Return correctness and confidence of each sequence: with `of_all`, the product over its tokens, else the mean."""
    if len(correct) != len(confidence) or len(correct) == 0:
        raise ValueError(
            f"correct has {len(correct)} sequences, and confidence has {len(confidence)}. Pass at least one sequence, "
            "and an array of tokens for each."
        )
    right, sure = np.empty(len(correct)), np.empty(len(correct))
    for i, (tokens, chances) in enumerate(zip(correct, confidence, strict=True)):
        chance = check_unit_column(chances, None, f"confidence[{i}]")
        token = check_unit_column(tokens, len(chance), f"correct[{i}]")
        if ((token != 0) & (token != 1)).any():
            raise ValueError(f"correct[{i}] must hold 0 or 1 (or booleans), one number for each token.")
        right[i] = token.all() if of_all else token.mean()
        sure[i] = chance.prod() if of_all else chance.mean()
    return right, sure
