"""ConfidenceHistogramDisplay: the distribution of the confidences of right and wrong predictions."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inspection._base import Display
from skconf.inspection._drawing import (
    CLASSIFIER,
    OF_ONE,
    Style,
    artists,
    check_drawable,
    ink,
    mark_threshold,
    remove_references,
)
from skconf.inspection._findings import of_histogram
from skconf.inspection._scales import size
from skconf.profile import ConfidenceProfile

#: Id of the outline of a histogram.
_OUTLINE = "skconf outline"


@dataclass(eq=False, repr=False)
class ConfidenceHistogramDisplay(Display):
    """Histogram of the confidences of right and wrong predictions.

    Right predictions are drawn above zero, and wrong predictions below. The scale of the counts begins at 0, and is
    logarithmic above the smallest count. So a few confident errors are visible among thousands of right predictions.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    right, wrong : ndarray of shape (n_bins,)
        Weight of the right and of the wrong predictions in each bin. Without weights, their number.
    threshold : float, default=None
        The threshold of the selective classifier that made the predictions, if it selects by confidence. A finite
        threshold is marked.
    name : str, default=None
        Name of the classifier in the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    ReliabilityDisplay : The share of right predictions at each confidence, with a view of the highest ones.

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
            that the most probable of K classes can have, or at the lowest confidence if that is lower. If K is unknown,
            it begins at 0.

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
        style = Style.next_on(ax)
        remove_references(ax)
        ax.axhline(0, color=ink(ax), linewidth=0.8)
        ax.plot([], [], gid=CLASSIFIER, label=self._label, **style.line)
        for values, width, hatch in ((self.right, 1.0, None), (-self.wrong, 1.6, "///")):
            if not style.number:  # several classifiers have only outlines
                fill = {"fill": True, "alpha": 0.3, "linewidth": 0, "gid": OF_ONE}
                ax.stairs(values, self.edges, color=style.color, hatch=hatch, **fill)
            # No vertical lines to 0 at both ends, because they would be the same for all classifiers.
            ax.stairs(values, self.edges, baseline=None, linewidth=width, gid=_OUTLINE, **style.line)
        mark_threshold(ax, self.threshold, style)
        _set_counts(ax)
        ax.set(xlabel="confidence", ylabel="wrong  ←  count  →  right")


def _set_counts(ax: Any) -> None:
    """Scale the axis of the counts in both directions from 0: linear up to the smallest count, then logarithmic."""
    from matplotlib.ticker import FuncFormatter, SymmetricalLogLocator

    counts = np.concatenate([outline.get_data().values for outline in artists(ax, _OUTLINE)])
    smallest = np.abs(counts[counts != 0]).min()
    smallest = 10.0 ** np.floor(np.log10(smallest) + 1e-9)
    ax.set_yscale("symlog", linthresh=smallest, linscale=0.7)
    # At least two powers of ten must be labelled.
    ax.set_ylim(min(2 * counts.min(), -3 * smallest), max(2 * counts.max(), 20 * smallest))
    locator = SymmetricalLogLocator(base=10, linthresh=smallest)
    locator.set_params(numticks=7)
    ax.yaxis.set_major_locator(locator)
    ax.yaxis.set_major_formatter(FuncFormatter(size))
    ax.minorticks_off()
