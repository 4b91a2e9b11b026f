"""True and predicted labels of a report, their confusions, and the labels that answers are about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.messages import visible
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.slices import Slices


class Confusion(NamedTuple):
    """A confusion of two labels.

    Attributes
    ----------
    true, predicted : int
        Positions of the labels.
    n_rows : int
        Number of rows.
    share : float
        Weighted share of all confusions.
    confidence : float
        Weighted mean confidence of these rows.
    """

    true: int
    predicted: int
    n_rows: int
    share: float
    confidence: float


@dataclass(frozen=True, eq=False)
class Labels:
    """True and predicted labels.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    true, predicted : ndarray of shape (n_samples,)
        Position of each row's label.
    """

    classes: NDArray[Any]
    true: Codes
    predicted: Codes

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self | None:
        """Return the labels of predictions; None if they have none."""
        if profile.classes is None:
            return None
        return cls(profile.classes, profile.require("true_class"), profile.require("predicted_class"))

    @classmethod
    def of_texts(cls, true: NDArray[Any], predicted: NDArray[Any]) -> Self:
        """Return labels from two arrays with a label for each row."""
        classes, codes = np.unique(np.concatenate([true, predicted]).astype(str), return_inverse=True)
        return cls(classes, codes[: len(true)], codes[len(true) :])

    def __getitem__(self, rows: Any) -> Self:
        return replace(self, true=self.true[rows], predicted=self.predicted[rows])

    def __len__(self) -> int:
        return len(self.classes)

    def anonymous(self) -> Self:
        """Return the same labels with numbers instead of names."""
        return replace(self, classes=numbered(len(self.classes)))

    def as_slices(self) -> Slices:
        """Return the predicted labels as slices."""
        return Slices(self.predicted, [self.name(code) for code in range(len(self))])

    def name(self, code: Any) -> str:
        """Return the name of a label."""
        return visible(str(self.classes[code]))

    def table(self, accepted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return how many rows of each class, in rows, get each answer, in columns; in the last, none is accepted."""
        n_classes = len(self)
        column = np.where(accepted, self.predicted, n_classes)
        cells = np.bincount(self.true * np.intp(n_classes + 1) + column, minlength=n_classes * (n_classes + 1))
        return cells.reshape(n_classes, n_classes + 1)

    def confusions(self, confidence: Floats, weight: Floats | None, at_most: int) -> list[Confusion]:
        """Find the most frequent confusions, by weight if there are weights."""
        wrong = self.true != self.predicted
        if weight is not None:
            wrong &= weight > 0
        each = np.ones(len(wrong)) if weight is None else weight
        pairs, at = np.unique(self.true[wrong] * np.intp(len(self)) + self.predicted[wrong], return_inverse=True)
        count, total, says = (
            np.bincount(at, of_row, len(pairs))
            for of_row in (None, each[wrong], each[wrong] * confidence[wrong])  # fewest first: stable by label
        )
        order = np.lexsort((pairs, -count, -total))[:at_most]
        return [
            Confusion(
                *divmod(int(pairs[k]), len(self)),
                int(count[k]),
                float(total[k] / total.sum()),
                float(says[k] / total[k]),
            )
            for k in order
        ]


@dataclass(frozen=True, eq=False)
class Topics:
    """The topic of each answer: the labels of a multilabel task.

    Attributes
    ----------
    names : sequence of str
        The names of the topics.
    code : ndarray of shape (n_samples,)
        Position of each answer's topic.
    """

    names: Sequence[str]
    code: Codes

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self | None:
        """Return the topics of answers; None if they have none."""
        if profile.topic is None or profile.topics is None:
            return None
        return cls([visible(str(topic)) for topic in profile.topics], profile.topic)

    def of_row(self, row: int) -> str:
        """Return the name of an answer's topic."""
        return self.names[self.code[row]]

    def are_in_turn(self) -> bool:
        """Return whether each row has an answer for each topic, one after the other."""
        return np.array_equal(self.code, np.arange(len(self.code)) % len(self.names))


def numbered(n_classes: int) -> NDArray[Any]:
    """Return numbers as names for classes, because real names may identify persons."""
    return np.array([f"class {number}" for number in range(1, n_classes + 1)])
