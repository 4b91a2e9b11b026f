"""ConfidenceHistogramDisplay: the distribution of the confidences of right and wrong predictions."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    MARK,
    Style,
    artists,
    check_drawable,
    displays,
    hide_and_remember,
    ink,
    label_of_threshold,
    literal,
    mark_threshold,
    names_of,
    panels,
)
from skconf.inspection._findings import of_histogram
from skconf.inspection._scales import size
from skconf.profile import ConfidenceProfile

#: Label of the axis of the counts.
_COUNTS = "wrong  ←  count  →  right"


@dataclass(eq=False, repr=False)
class ConfidenceHistogramDisplay(Display):
    """Histogram of the confidences of right and wrong predictions.

    Right predictions are drawn above zero, and wrong predictions below. The scale of the counts is logarithmic, except
    near 0, where it is linear. So a few confident errors are visible among thousands of right predictions. If
    several classifiers share the axes, each has a panel of its own, at the same scale.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    right, wrong : ndarray of shape (n_bins,)
        Weight of the right and of the wrong predictions in each bin. Without weights, their number.
    threshold : float, default=None
        The threshold of the selective classifier that made the predictions. None if this classifier selects by another
        score than the confidence. A finite threshold is marked.
    name : str, default=None
        Name of the classifier in the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    ReliabilityDisplay : The share of right predictions at each confidence, with a view of the highest confidences.

    Examples
    --------
    >>> from skconf.inspection import ConfidenceHistogramDisplay
    >>> display = ConfidenceHistogramDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.8], n_bins=2)
    >>> display.right, display.wrong
    (array([1., 2.]), array([0., 1.]))
    """

    edges: Floats
    right: Floats
    wrong: Floats
    threshold: float | None = None
    name: str | None = None

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None, n_bins: int = 30) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        n_bins : int, default=30
            Number of bins of equal width. The last bin ends at 1. The first bin begins at 1/K, the smallest probability
            that the most probable of K classes can have. If a confidence is below 1/K, the first bin begins at the
            lowest confidence. If K is unknown, the first bin begins at 0.

        Returns
        -------
        ConfidenceHistogramDisplay

        Raises
        ------
        TypeError
            If `n_bins` is not a whole number.
        ValueError
            If `n_bins` is below 1, or above 10,000.
        """
        check_drawable(n_bins)
        n_classes = profile.n_classes or 1
        lowest = 1 / n_classes if n_classes > 1 else 0.0
        edges = np.linspace(min(lowest, profile.confidence.min()), 1, n_bins + 1)
        right, wrong = (
            np.histogram(
                profile.confidence[rows],
                bins=edges,
                weights=None if profile.sample_weight is None else profile.sample_weight[rows],
            )[0].astype(np.float64)
            for rows in (profile.correct, ~profile.correct)
        )
        return cls(edges, right, wrong, profile.threshold if profile.ranks_by_confidence else None, name)

    _finding = staticmethod(of_histogram)

    def _draw(self, ax: Any) -> None:
        shown = [*displays(ax, type(self)), self]
        for artist in artists(ax, CLASSIFIER, MARK):
            artist.remove()
        counts = np.concatenate([each for display in shown for each in (display.right, -display.wrong)])
        if len(shown) == 1:
            ax.plot([], [], gid=CLASSIFIER, label=self._label, color=Style.of(0).color)
            _draw_bars(ax, self, counts, Style.of(0), in_rows=False)
            ax.set(xlabel="confidence", ylabel=_COUNTS)
            return
        ax.set_yscale("linear")
        styles = hide_and_remember(ax, shown)
        for label, hatch in (("above: right (log scale)", None), ("below: wrong (log scale)", "///")):
            ax.fill_between([], [], [], facecolor=ink(ax), alpha=0.3, hatch=hatch, label=label, gid=MARK)
        titles = [_title(name, each.threshold) for name, each in zip(names_of(shown), shown, strict=True)]
        lowest = min(each.edges[0] for each in shown)
        beyond = 0.03 * (1 - lowest)
        for each, style, panel in zip(shown, styles, panels(ax, titles, "confidence"), strict=True):
            _draw_bars(panel, each, counts, style, in_rows=len(shown) > 2)
            panel.set_xlim(lowest - beyond, 1 + beyond)


def _title(name: str, threshold: float | None) -> str:
    """Return the title of a classifier's panel: its name, and its threshold if one is drawn."""
    if threshold is None or not np.isfinite(threshold):
        return literal(name)
    return f"{literal(name)} ({label_of_threshold(threshold)})"


def _draw_bars(ax: Any, display: ConfidenceHistogramDisplay, counts: Floats, style: Style, *, in_rows: bool) -> None:
    """Draw the bars of one classifier, and scale the axis to `counts`."""
    ax.axhline(0, color=ink(ax), linewidth=0.8, gid=MARK)
    for values, hatch in ((display.right, None), (-display.wrong, "///")):
        look = {"color": style.color, "gid": MARK}
        ax.stairs(values, display.edges, hatch=hatch, fill=True, alpha=0.3, linewidth=0, **look)
        ax.stairs(values, display.edges, linewidth=1.6 if hatch else 1.0, **look)
    mark_threshold(ax, display.threshold, style)
    _set_counts(ax, counts, in_rows=in_rows)


def _set_counts(ax: Any, counts: Floats, *, in_rows: bool) -> None:
    """Scale the axis of the counts in both directions from 0: linear up to the smallest count, then logarithmic."""
    from matplotlib.ticker import FuncFormatter, SymmetricalLogLocator

    smallest = np.abs(counts[counts != 0]).min()
    smallest = 10.0 ** np.floor(np.log10(smallest) + 1e-9)
    ax.set_yscale("symlog", linthresh=smallest, linscale=0.7)
    # At least two powers of ten must be labelled.
    ax.set_ylim(min(2 * counts.min(), -3 * smallest), max(2 * counts.max(), 20 * smallest))
    if in_rows:  # low axes have room for one power of ten on each side
        wrong, right = (10.0 ** np.floor(np.log10(abs(end)) + 1e-9) for end in ax.get_ylim())
        ax.set_yticks([-wrong, 0, right])
    else:
        locator = SymmetricalLogLocator(base=10, linthresh=smallest)
        locator.set_params(numticks=7)
        ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_major_formatter(FuncFormatter(size))
    ax.minorticks_off()
