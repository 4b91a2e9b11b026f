"""ConfidenceHistogramDisplay: how confidences are spread, of right and of wrong predictions."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inspection._base import COLOURS, Display, Style, check_drawable, label_of_threshold, label_once
from skconf.profile import ConfidenceProfile


@dataclass(eq=False, repr=False)
class ConfidenceHistogramDisplay(Display):
    """Histogram of the confidence of right and of wrong predictions.

    The scale of the counts is logarithmic, to show a few confident errors among thousands of right predictions.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    right, wrong : ndarray of shape (n_bins,)
        Weight of the right and of the wrong predictions in each bin: their number, without weights.
    threshold : float, default=None
        The threshold of the selective classifier the predictions came from, if it selects by confidence; marked if it
        is finite.
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
            Number of bins of equal width, up to 1. They begin at 1/K, the smallest probability that the most probable
            of K classes can have, or at the lowest confidence if that is lower; at 0 if K is not known.

        Returns
        -------
        ConfidenceHistogramDisplay

        Raises
        ------
        TypeError
            If `n_bins` is not a whole number.
        ValueError
            If `n_bins` is below 1, or above 10,000, more than a figure can show.
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

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        # Colours and widths mark right and wrong, line styles the classifiers.
        ax.plot([], [], color="0.3", linestyle=style.linestyle, gid=style.gid, label=self._label)
        for values, colour, width, hatch, kind in (
            (self.right, COLOURS[0], 1.0, None, "right"),
            (self.wrong, COLOURS[1], 2.0, "///", "wrong"),
        ):
            if not style.number:  # of further classifiers there is only the outline
                ax.stairs(values, self.edges, fill=True, alpha=0.3, color=colour)
            ax.stairs(
                values,
                self.edges,
                color=colour,
                linewidth=width,
                hatch=None if style.number else hatch,
                linestyle=style.linestyle,
                label=label_once(ax, kind),
            )
        if self.threshold is not None and np.isfinite(self.threshold):
            ax.axvline(
                self.threshold,
                color="0.3",
                linewidth=1.0,
                linestyle=style.linestyle,
                label=label_once(ax, label_of_threshold(self.threshold)),
            )
        ax.set(xlabel="confidence", ylabel="predictions in the bin", yscale="log")
        filled = np.concatenate([self.right, self.wrong])
        lowest, highest = filled[filled > 0].min() / 2, 2 * filled.max()
        if style.number:  # others are drawn already
            lowest, highest = min(lowest, ax.get_ylim()[0]), max(highest, ax.get_ylim()[1])
        ax.set_ylim(lowest, max(highest, 200 * lowest))  # so much that there are two powers of ten to label
