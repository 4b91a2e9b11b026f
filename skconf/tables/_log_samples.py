"""Samples of logs in one form for all tools, and the rules that say which answers abstain."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import brief
from skconf._core.probabilities import Floats

#: The state of an answer that does not abstain.
ANSWERED = "answered"
#: The text that filters of lm-evaluation-harness write if they find no answer.
INVALID = "[invalid]"
#: Whole answers that abstain, without apostrophes and final punctuation. They are never searched within a text.
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
#: Longer texts are not compared.
_LONGEST = max(map(len, _ABSTAIN)) + 10
_APOSTROPHES = str.maketrans("", "", "'’‘`")


class Sample(NamedTuple):
    """A graded sample of a log.

    Attributes
    ----------
    id : label
        The question.
    epoch : int
        Which repetition of the question it is, counted from 1.
    grade : float
        The grade of the answer, in [0, 1]; NaN if it was not graded.
    answer : value
        The answer; None if it is unknown.
    texts : tuple of str
        Texts that may say that the model abstains. Each text is compared, as a whole, with a list of such texts.
    columns : dict of str to value
        Further values that the log has for the question. The keys are the names of their columns.
    blank : bool
        Whether there is no answer.
    said_none, stopped, failed : bool
        Whether the answer was graded as no answer; whether a content filter stopped the model; whether the model
        failed.
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
        """The state: "answered", the reason why the model abstains, or the reason why there is no grade."""
        if self.grade != self.grade:
            return "failed" if self.failed else "unscored"
        if self.grade > 0:  # a right answer is an answer, whatever its text
            return ANSWERED
        if self.said_none or self.stopped:
            return "graded N" if self.said_none else "content filter"
        if any(map(_abstains, self.texts)):
            return "said so"
        if self.blank:
            return "blank"
        return INVALID if INVALID in self.texts else ANSWERED


class Choices(NamedTuple):
    """The graded choice of each sample, and the probabilities of all choices, from their likelihoods.

    Attributes
    ----------
    choice : ndarray of shape (n_samples,)
        The number of the graded choice, from 0.
    confidence : ndarray of shape (n_samples,)
        Its probability.
    proba : ndarray of shape (n_samples, n_choices)
        The probabilities of all choices. If a question has fewer choices than others, the rest of its row is NaN.
    """

    choice: NDArray[np.intp]
    confidence: Floats
    proba: Floats


class Log(ABC):
    """A log that was read.

    Parameters
    ----------
    no_grade : mapping of str to str
        For each value in the log: its name, and the reason why it is not a grade. The reason is "" for a grade.
    broken : list of str
        The parts that could not be read: "line 7", or the name of a part.

    Attributes
    ----------
    grades : list of str
        The names of the grades, which are numbers from 0 to 1.
    refused : dict of str to str
        For each value that is not a grade: its name, and the reason.
    """

    def __init__(self, no_grade: Mapping[str, str], broken: list[str]) -> None:
        self.grades = [name for name, why in no_grade.items() if not why]
        self.refused = {name: why for name, why in no_grade.items() if why}
        self.broken = broken

    @abstractmethod
    def samples(self, grade: str) -> list[Sample]:
        """Return the samples with the values of a grade, which is NaN for samples that were not graded."""

    def choices(self, grade: str) -> Choices | None:  # noqa: ARG002
        """Return the choices that a grade is about, if the model chose by likelihoods; else None."""
        return None


def states_of(grades: Floats, answers: Sequence[Any]) -> list[str]:
    """Return the state of each answer, from its grade and its text. An answer that is no text does not abstain."""
    return [
        Sample(None, 1, grade, text, (text.strip(),), {}, blank=not text.strip()).state
        if isinstance(text, str)
        else ANSWERED
        for grade, text in zip(grades.tolist(), answers, strict=True)
    ]


def parsed(text: bytes) -> Any:
    """Return a value that is written as JSON; None if it is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def repetitions(ids: Sequence[Any]) -> list[int]:
    """Return, for each entry, how often its id has occurred so far, counted from 1."""
    if len(set(ids)) == len(ids):
        return [1] * len(ids)
    seen = Counter[Any]()
    epochs = []
    for each in ids:
        seen[each] += 1
        epochs.append(seen[each])
    return epochs


def is_scalar(value: Any) -> bool:
    """Return whether a value of a log fits a cell of a table."""
    return value is None or isinstance(value, str | int | float)


def no_grade(values: Iterable[Any]) -> str:
    """Return why values are not grades; "" if they are truth values or numbers from 0 to 1."""
    known = [value for value in values if value is not None]
    if not known:
        return "has no values"
    if not all(issubclass(kind, int | float) for kind in {*map(type, known)}):
        other = next(value for value in known if not isinstance(value, int | float))
        return f"has {brief(other)}, which is not a number"
    outside = next((value for value in known if value < 0 or value > 1), None)  # NaN is neither
    return "" if outside is None else f"is not in [0, 1]: {brief(outside)}"


def _abstains(text: str) -> bool:
    """Return whether a whole text is one of the answers that abstain."""
    if len(text) > _LONGEST:
        return False
    return " ".join(text.casefold().translate(_APOSTROPHES).strip(' \t\n.!"*').split()) in _ABSTAIN
