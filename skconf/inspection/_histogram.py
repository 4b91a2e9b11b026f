"""ConfidenceHistogramDisplay: how confidences are spread, of right and of wrong predictions."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from skconf._probabilities import Floats
from skconf.inspection._base import COLOURS, Display
from skconf.metrics._checks import check_whole
from skconf.profile import ConfidenceProfile


@dataclass(eq=False)
class ConfidenceHistogramDisplay(Display):
    """Histogram of the confidence of right and of wrong predictions.

    The scale of the counts is logarithmic: a few confident errors among thousands of right predictions are what there
    is to see.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    right, wrong : ndarray of shape (n_bins,)
        Weight of the right and of the wrong predictions in each bin: their number, without weights.
    threshold : float or None
        The threshold of the selective classifier the predictions came from; marked if it selects by confidence.
    name : str or None
        Title of the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    Notes
    -----
    `from_predictions` and `from_estimator` take `n_bins`, 30 by default, of equal width from the smallest confidence
    there can be (or there is) to 1.

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

    titled: ClassVar[bool] = True

    @classmethod
    def from_profile(cls, profile: ConfidenceProfile, *, name: str | None = None, n_bins: int = 30) -> Self:
        """Compute the display of a profile, without drawing it; see the notes."""
        check_whole(n_bins, "n_bins")
        lowest = float(profile.confidence.min())
        if profile.n_classes is not None:
            lowest = min(lowest, 1 / profile.n_classes)
        edges = np.linspace(min(lowest, 1 - 1e-9), 1, n_bins + 1)
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
        for values, colour, hatch, label in (
            (self.right, COLOURS[0], None, "right"),
            (self.wrong, COLOURS[1], "///", "wrong"),
        ):
            ax.stairs(values, self.edges, fill=True, alpha=0.35, color=colour)
            ax.stairs(values, self.edges, color=colour, hatch=hatch, label=f"{label} ({values.sum():,.0f})")
        if self.threshold is not None and np.isfinite(self.threshold):
            ax.axvline(self.threshold, color="0.3", linewidth=1.0, label=f"threshold {self.threshold:.3g}")
        ax.set(xlabel="confidence", ylabel="number of predictions", yscale="log")
        ax.set_ylim(bottom=0.5)
