"""True and predicted labels of a report, their confusions, and the topics of multilabel answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.messages import visible
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.slices import Slices


@dataclass(frozen=True, eq=False)
class Labels:
    """True and predicted labels.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    true, predicted : ndarray of shape (n_samples,)
        Position in `classes` of the true and the predicted label of each row.
    """

    classes: NDArray[Any]
    true: Codes
    predicted: Codes

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self | None:
        """Return the true and predicted labels; None if the predictions have no classes."""
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
        """Count cases by true class (rows) and accepted answer (columns); the last column counts rejected cases."""
        n_classes = len(self)
        column = np.where(accepted, self.predicted, n_classes)
        cells = np.bincount(self.true * np.intp(n_classes + 1) + column, minlength=n_classes * (n_classes + 1))
        return cells.reshape(n_classes, n_classes + 1)

    def confusions(self, confidence: Floats, weight: Floats | None, at_most: int) -> pd.DataFrame:
        """Return the most frequent confusions, by weight if there are weights.

        The columns ``true`` and ``predicted`` are positions in `classes`. ``rows`` is the number of rows, and
        ``weight`` their weight. ``share`` is their weighted share of all confusions, and ``confidence`` their weighted
        mean confidence.
        """
        each = np.ones(len(self.true)) if weight is None else weight
        columns = {"true": self.true, "predicted": self.predicted, "weight": each, "confidence": each * confidence}
        rows = np.flatnonzero((self.true != self.predicted) & (each > 0))
        wrong = pd.DataFrame({name: values[rows] for name, values in columns.items()})
        found = wrong.groupby(["true", "predicted"]).agg(rows=("weight", "size"), weight=("weight", "sum"))
        found["confidence"] = wrong.groupby(["true", "predicted"])["confidence"].sum() / found["weight"]
        found["share"] = found["weight"] / found["weight"].sum()
        return found.sort_values(["weight", "rows"], ascending=False).reset_index().head(at_most)


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
        """Return the topics of answers; None if the answers have no topics."""
        if profile.topic is None or profile.topics is None:
            return None
        return cls([visible(str(topic)) for topic in profile.topics], profile.topic)

    def of_row(self, row: int) -> str:
        """Return the name of an answer's topic."""
        return self.names[self.code[row]]


def numbered(n_classes: int) -> NDArray[Any]:
    """Return numbers as names for classes, because real names may identify persons."""
    return np.array([f"class {number}" for number in range(1, n_classes + 1)])
