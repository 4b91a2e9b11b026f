"""Predicted labels and true labels: which answers are right, and whether the columns mean what their names say."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.columns import plain
from skconf._core.labels import LabelColumn
from skconf._core.messages import option, shorten
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf._core.proportions import looks_swapped, upper_limit
from skconf._core.warn import warn
from skconf.tables._entries import like

#: At least this many rows are needed to judge a column.
_ENOUGH = 20
#: With two classes, a confidence is hardly ever below one half, but the probability of one class often is.
_BELOW_HALF = 0.05


class Answers:
    """True and predicted labels of the same rows.

    Labels are compared in one spelling (see `plain`): 1 and 1.0 are equal, and so are "1" and "1.0". Whether an answer
    is right does not depend on other rows, so batches of any size give the same result.

    Parameters
    ----------
    target, prediction : array or Series
        The labels.
    target_name, prediction_name : str
        Their columns.
    """

    def __init__(self, target: Any, prediction: Any, target_name: str, prediction_name: str) -> None:
        self._true = LabelColumn(target, target_name)
        self._predicted = LabelColumn(like(prediction, target), prediction_name)
        self._predicted.unseen_in(self._true.sorted_distinct())  # raises if texts would be compared with numbers

    @cached_property
    def _texts(self) -> tuple[list[str], list[str]]:
        """The plain texts of the distinct labels, true and predicted."""
        true, predicted = (list(map(plain, column.distinct)) for column in (self._true, self._predicted))
        return true, predicted

    @cached_property
    def _labels(self) -> list[str]:
        """All distinct labels, as plain texts."""
        true, predicted = self._texts
        return list(dict.fromkeys([*true, *predicted]))

    @cached_property
    def _codes(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The positions of the true and predicted labels in `_labels`."""
        where = {text: code for code, text in enumerate(self._labels)}
        columns = zip((self._true, self._predicted), self._texts, strict=True)
        true, predicted = (np.array([where[text] for text in texts])[column.codes] for column, texts in columns)
        return true, predicted

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Whether each prediction is the true label."""
        true, predicted = self._codes
        return np.asarray(true == predicted)

    def check_spelling(self) -> None:
        """Raise or warn if no predicted label is a true label.

        Raise if some differ from true labels only in case or leading zeros; else warn.
        """
        true, predicted = map(set, self._texts)
        if true & predicted or len(self._true) < _ENOUGH:
            return
        names = f"no label in column {self._predicted.name}, {shorten(self._predicted.distinct)}, occurs in column "
        names = f"{names}{self._true.name}, {shorten(self._true.distinct)}"
        alike = {_loosely(text) for text in true} & {_loosely(text) for text in predicted}
        if alike:
            raise DataError(
                f"{names}: they seem to be the same labels, written in two ways. Write them in the same way, or use "
                f"{option('correct')} to name a column that says which answers are right.",
                kind="labels written in two ways",
                column=self._predicted.name,
            )
        warn(
            f"{names}, so all answers count as wrong. Check that both columns hold the same kind of labels.",
            kind="no label",
        )

    def check_order(self) -> None:
        """Warn if so few of the answers are right that the two labels seem to be swapped.

        :class:`~skconf.inference.Assessment` uses the same rule.
        """
        if len(self._labels) != 2 or len(self._true) < _ENOUGH:
            return
        share, n_right = float(np.mean(self._codes[0])), int(self.right.sum())
        if looks_swapped(upper_limit(n_right, len(self.right) - n_right, 0.975), share):
            warn(
                f"only {n_right / len(self.right):.0%} of the answers in column {self._predicted.name!r} are right, "
                f"far fewer than by guessing. The two labels may be swapped in this column or in {self._true.name!r}.",
                kind="swapped labels",
            )

    def check_confidence(self, confidence: Floats, name: str) -> None:
        """Warn if a column of confidences seems to hold the probability of one of two classes."""
        _, predicted = self._codes
        share = np.mean(confidence < 0.5)
        if len(self._labels) != 2 or len(predicted) < _ENOUGH or share < _BELOW_HALF:
            return
        above, below = predicted[confidence > 0.5], predicted[confidence < 0.5]
        if len(above) and (above == above[0]).all() and (below != above[0]).all():
            positive = self._labels[above[0]]
            warn(
                f"column {name!r} looks like the probability of {positive!r}, not like the confidence in the answer: "
                f"{share:.0%} of its values are below 0.5. The answer is {positive!r} for every value above 0.5, and "
                f"for no value below 0.5. If the values are this probability, pass {option('proba', name)} and "
                f"{option('pos_label', positive)}.",
                kind="probability as confidence",
            )


def _loosely(text: str) -> str:
    """Return a label without its case and leading zeros."""
    return text.casefold().lstrip("0") or "0"
