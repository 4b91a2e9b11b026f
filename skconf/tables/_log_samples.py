"""Samples of logs in one form, whichever tool wrote them, and the rules by which an answer abstains."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats

#: The state of an answer that does not abstain.
ANSWERED = "answered"
#: What filters of lm-evaluation-harness write where they find no answer.
INVALID = "[invalid]"
#: Answers that abstain, as a whole, without apostrophes and what ends a sentence. Never searched for within a text.
_ABSTAIN = frozenset(
    {
        "abstain",
        "cannot answer",
        "do not know",
        "dont know",
        "i abstain",
        "i am not sure",
        "i am unsure",
        "i cannot answer",
        "i cannot answer that",
        "i cannot answer this",
        "i cannot answer this question",
        "i cant answer",
        "i cant answer that",
        "i cant answer this",
        "i cant answer this question",
        "i do not know",
        "i do not know the answer",
        "i dont know",
        "i dont know the answer",
        "idk",
        "im not sure",
        "im unsure",
        "no answer",
        "not sure",
        "unsure",
    }
)
#: Longer texts are not looked at.
_LONGEST = max(map(len, _ABSTAIN)) + 10
_APOSTROPHES = str.maketrans("", "", "'’‘`")


class Sample(NamedTuple):
    """A graded sample of a log.

    Attributes
    ----------
    id : label
        Its question.
    epoch : int
        Which repetition of the question it is, from 1.
    grade : float
        How right the answer is, in [0, 1]; NaN where it was not graded.
    answer : value
        What was answered; None where it is not known.
    texts : tuple of str
        What may say, as a whole, that the answer abstains.
    columns : dict of str to value
        What the log says of the question.
    blank : bool
        Whether there is no answer.
    said_none, stopped, failed : bool
        Whether it was graded as no answer; a content filter stopped the model; or the model failed.
    """

    id: Any
    epoch: int
    grade: float
    answer: Any
    texts: tuple[str, ...]
    columns: dict[str, Any]
    blank: bool = False
    said_none: bool = False
    stopped: bool = False
    failed: bool = False

    @property
    def state(self) -> str:
        """Whether it is an answer, why it abstains, or why it does not count."""
        if self.grade != self.grade:
            return "failed" if self.failed else "unscored"
        if self.grade > 0:  # what was graded right is an answer, whatever it says
            return ANSWERED
        if self.said_none or self.stopped:
            return "graded N" if self.said_none else "content filter"
        if any(map(_abstains, self.texts)):
            return "said so"
        if self.blank:
            return "blank"
        return INVALID if INVALID in self.texts else ANSWERED


class Choices(NamedTuple):
    """Choices that were made by their likelihoods.

    Attributes
    ----------
    choice : ndarray of shape (n_samples,)
        The number of the graded choice.
    confidence : ndarray of shape (n_samples,)
        Its probability.
    proba : ndarray of shape (n_samples, n_choices)
        The probabilities of all choices; NaN where a question has fewer.
    """

    choice: NDArray[np.intp]
    confidence: Floats
    proba: Floats


class Log(Protocol):
    """A log that was read.

    Attributes
    ----------
    grades : list of str
        The names of what grades answers by numbers from 0 to 1.
    refused : dict of str to str
        Why others do not.
    broken : list of str
        What could not be read: "line 7", or the name of a part.
    """

    grades: list[str]
    refused: dict[str, str]
    broken: list[str]

    def samples(self, grade: str) -> list[Sample]:
        """Return the samples that have a grade."""

    def choices(self, grade: str) -> Choices | None:
        """Return the choices that a grade is about, if they were made by likelihoods."""


def is_scalar(value: Any) -> bool:
    """Return whether a value of a log fits a cell of a table."""
    return value is None or isinstance(value, str | int | float)


def no_grade(values: Iterable[Any]) -> str:
    """Return why values are no grades; "" if they are: truth values, or numbers from 0 to 1."""
    known = [value for value in values if value is not None]
    if not known or not all(issubclass(kind, int | float) for kind in {*map(type, known)}):
        return "holds no numbers"
    outside = next((value for value in known if value < 0 or value > 1), None)  # NaN is neither
    return "" if outside is None else f"is not in [0, 1]: {outside:g}"


def _abstains(text: str) -> bool:
    """Return whether a text is, as a whole, one that abstains."""
    if len(text) > _LONGEST:
        return False
    return " ".join(text.casefold().translate(_APOSTROPHES).strip(' \t\n.!"*').split()) in _ABSTAIN
