"""Answers of systems that write: sampled several times and grouped by what they mean, or read token by token."""

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
    """Constructors from several sampled answers to each question, and from the tokens of sequences."""

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
        """Build a profile of questions, to each of which several answers were sampled.

        Answers that mean the same are one equivalence class. The confidence in an answer is the probability of its
        class, and not of its words; the best answer to be right is any of the most probable class [1]_.

        Parameters
        ----------
        correct : sequence
            For each question, whether each of its sampled answers is right (booleans, or 0 and 1), the same for all of
            one class; with `given`, whether the given answer is right, one for each question.
        answers : sequence of array-like
            For each question, the class of each of its sampled answers: any labels. Questions may have different
            numbers of samples, and their labels have nothing to do with each other.
        probability : sequence of array-like, default=None
            For each question, the probability that the system gives each sampled answer, in [0, 1].
        confidence : {"frequency", "mean_probability", "probability_share"}, default="frequency"
            The probability of a class.

            - "frequency": the share of the samples that are in it.
            - "mean_probability": the sum of the probabilities of the samples in it, over the number of all samples.
              Less than the frequency where the system gives its single answers low probabilities; very small for long
              texts.
            - "probability_share": the sum of the probabilities of the samples in it, over that of all samples.
        given : array-like of shape (n_questions,), default=None
            Class of the answer that was given to each question. One that no sample has gets confidence 0. None stands
            for the most probable class; where several are, for the first of them in the order of their labels, whatever
            the order of the samples.
        sample_weight : array-like of shape (n_questions,), default=None
            Non-negative weights.
        groups : array-like of shape (n_questions,), default=None
            What each question is of, such as its document, where questions of one depend on each other.

        Returns
        -------
        ConfidenceProfile
            An answer for each question.

        Raises
        ------
        ValueError
            If a question has no sample, numbers of samples differ, a probability is missing or outside [0, 1], or
            samples of one class are both right and wrong.

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
            For each sequence, the probability of each of its tokens, given those before it.
        correctness : {"all", "share"}, default="all"
            What a sequence is right by.

            - "all": it is right if all tokens are. Its confidence is the product of theirs, the probability of the
              sequence; it is calibrated if, among sequences of confidence c, the share c is right throughout.
            - "share": it is graded by the share of tokens that are right. Its confidence is the mean of theirs; it is
              calibrated if, among sequences of confidence c, the mean share is c.
        sample_weight : array-like of shape (n_sequences,), default=None
            Non-negative weights.
        groups : array-like of shape (n_sequences,), default=None
            What each sequence is of, such as its document, where sequences of one depend on each other.

        Returns
        -------
        ConfidenceProfile
            An answer for each sequence.

        Raises
        ------
        ValueError
            If a sequence is empty or has more confidences than tokens, or a value is out of range.

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
    """Raise unless there is an entry for each question, and probabilities where they are needed."""
    if (probability is None) != (confidence == "frequency"):
        if probability is None:
            raise ValueError(f"confidence={confidence!r} needs probability, that of each sampled answer.")
        raise ValueError("confidence='frequency' counts samples: leave probability out, or choose another confidence.")
    for name, entries in (("correct", correct), ("probability", probability), ("given", given)):
        if entries is not None and len(entries) != len(answers):
            raise ValueError(f"{name} has {len(entries)} entries for {len(answers)} questions in answers.")
    if len(answers) == 0:
        raise ValueError("answers holds no question; pass the classes of the sampled answers for each.")


def _classes_of(sampled: ArrayLike, name: str) -> tuple[list[Any], Codes]:
    """Return the sorted classes of a question's samples, and which of them each sample is in."""
    column = LabelColumn(sampled, name)
    classes = column.sorted_distinct()
    return classes.tolist(), column.positions_in(classes)


def _masses(position: Codes, n_classes: int, chance: Floats, confidence: str) -> Floats:
    """Return the probability of each class of a question; 0 where all samples are impossible."""
    # Sums are exact, so that ties do not depend on the order of the samples.
    mass = np.array([fsum(chance[position == k]) for k in range(n_classes)])
    whole = fsum(chance) if confidence == "probability_share" else len(position)
    return np.minimum(mass / whole, 1.0) if whole > 0 else mass


def _verdict(correct: ArrayLike, position: Codes, best: int, name: str) -> float:
    """Return whether the samples of a class are right."""
    column = check_column(correct, len(position), name)
    of_best = column[position == best]
    if (of_best != of_best[0]).any():
        raise ValueError(f"{name} calls answers of one class both right and wrong; they must mean the same.")
    return float(of_best[0])


def _grade_sequences(
    correct: Sequence[ArrayLike], confidence: Sequence[ArrayLike], *, of_all: bool
) -> tuple[NDArray[Any], Floats]:
    """Return correctness and confidence of each sequence: of all tokens together, or on average."""
    if len(correct) != len(confidence) or len(correct) == 0:
        raise ValueError(
            f"correct holds {len(correct)} sequences, and confidence {len(confidence)}; pass an array of tokens for "
            "each of one sequence or more."
        )
    right, sure = np.empty(len(correct)), np.empty(len(correct))
    for i, (tokens, chances) in enumerate(zip(correct, confidence, strict=True)):
        chance = check_unit_column(chances, None, f"confidence[{i}]")
        token = check_unit_column(tokens, len(chance), f"correct[{i}]")
        if ((token != 0) & (token != 1)).any():
            raise ValueError(f"correct[{i}] must hold 0 and 1 (or booleans), a number for each token.")
        right[i] = token.all() if of_all else token.mean()
        sure[i] = chance.prod() if of_all else chance.mean()
    return right, sure
