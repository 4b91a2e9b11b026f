"""ConfusionDisplay: the accepted answers for each true class at a threshold, and the rejected cases."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.checks import check_number
from skconf._core.numbers import exact, percent
from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    MARK,
    artists,
    displays,
    hide_and_remember,
    ink,
    literal,
    names_of,
    panels,
)
from skconf.inspection._findings import of_confusion
from skconf.profile import ConfidenceProfile

#: The most classes for which cells have counts, for which axes have names, and for which both are in several panels.
_MOST_WRITTEN, _MOST_NAMED, _IN_PANELS = 10, 30, 6
#: Letters of the names of classes that fit below the table.
_ON_A_LINE = 40
#: A cell is dark if it has more than this share of its row.
_DARK = 0.5


@dataclass(eq=False, repr=False)
class ConfusionDisplay(Display):
    """Confusion table of the accepted answers, with a column for the rejected cases.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes + 1)
        A row for each true class. A column for each predicted class has the sum of the weights of the accepted answers.
        The last column has the sum for the rejected cases. Without weights, cases are counted.
    labels : tuple of label
        The classes.
    threshold : float, default=0
        Lowest score of an accepted answer.
    name : str, default=None
        Name of the classifier.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.cw_confusion_matrix : The same table, with sums of confidences instead of counts.
    ThresholdDisplay : Metrics at each threshold.

    Notes
    -----
    The colour of a cell shows its share of its row, so rows of rare classes can be read, too. Counts are written if
    there are at most ten classes, or at most six if several displays share the axes.

    Examples
    --------
    >>> from skconf.inspection import ConfusionDisplay
    >>> display = ConfusionDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.3, 0.4], threshold=0.65)
    >>> display.counts
    array([[1., 0., 1.],
           [1., 1., 0.]])
    """

    counts: Floats
    labels: tuple[Any, ...]
    threshold: float = 0.0
    name: str | None = None

    @classmethod
    def from_profile(
        cls, profile: ConfidenceProfile, *, name: str | None = None, threshold: float | None = None
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier.
        threshold : float, default=None
            Lowest score of an accepted answer. None means the threshold of the selective classifier that made the
            predictions, or 0 if there is none. A threshold of 0 accepts everything.

        Returns
        -------
        ConfusionDisplay

        Raises
        ------
        ValueError
            If the predictions hold no classes, or the threshold is out of range.
        """
        labels = tuple(profile.require("classes"))
        threshold = profile.threshold if threshold is None else threshold
        threshold = 0.0 if threshold is None else threshold
        check_number(threshold, "threshold", 0.0, np.inf)
        n, column = len(labels), np.where(profile.score >= threshold, profile.require("predicted_class"), len(labels))
        cell = profile.require("true_class") * (n + 1) + column
        counts = np.bincount(cell, profile.given_weight, n * (n + 1)).reshape(n, n + 1)
        return cls(counts.astype(np.float64), labels, float(threshold), name)

    @property
    def share_wrong(self) -> float:
        """Share of errors among the accepted answers; NaN if there are none."""
        accepted = float(self.counts[:, :-1].sum())
        return 1 - float(np.trace(self.counts[:, :-1])) / accepted if accepted else np.nan

    _finding = staticmethod(of_confusion)

    def _draw(self, ax: Any) -> None:
        shown = [*displays(ax, type(self)), self]
        for artist in (*artists(ax, CLASSIFIER, MARK), *ax.images, *ax.texts):
            artist.remove()
        if len(shown) == 1:
            ax.plot([], [], gid=CLASSIFIER)
            _draw_table(ax, self, _MOST_WRITTEN, _MOST_NAMED)
            ax.set(xlabel="answer", ylabel="true class")
            return
        ax.set_aspect("auto")
        hide_and_remember(ax, shown)
        names = list(map(literal, names_of(shown)))
        for each, panel in zip(shown, panels(ax, names, "answer"), strict=True):
            panel.tick_params(labelbottom=True)
            _draw_table(panel, each, _IN_PANELS, _IN_PANELS)


def _draw_table(ax: Any, display: ConfusionDisplay, most_written: int, most_named: int) -> None:
    counts = display.counts
    if display.threshold == 0 and not counts[:, -1].any():
        counts = counts[:, :-1]  # a threshold of 0 rejects nothing
    sizes = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, sizes, out=np.zeros_like(counts), where=sizes > 0)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    rows, columns = shares.shape
    if rows <= most_written:
        size = "medium" if rows <= 4 else "small"
        for row, column in np.ndindex(rows, columns):
            dark = shares[row, column] > _DARK
            text = _count(float(counts[row, column]))
            if column == row and rows <= 4:
                text += f"\n{percent(float(shares[row, column]))}"
            look = {"ha": "center", "va": "center", "fontsize": size, "color": "white" if dark else "black"}
            ax.text(column, row, text, **look)
    if rows > most_named:
        ax.set(xticks=[], yticks=[])
        return
    names = list(map(_short, display.labels))
    upright = max(map(len, names)) * rows > _ON_A_LINE
    ax.set_xticks(np.arange(columns), [*names, "rejected"][:columns], rotation=90 if upright else 0)
    ax.set_yticks(np.arange(rows), names)
    if columns > rows:
        ax.axvline(rows - 0.5, color=ink(ax), linewidth=1.0, gid=MARK)


def _count(count: float) -> str:
    return f"{count:,.0f}" if float(count).is_integer() else exact(float(f"{count:.3g}"))


def _short(label: Any) -> str:
    text = literal(label)
    return text if len(text) <= 12 else f"{text[:11]}…"
