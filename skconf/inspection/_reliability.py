"""ReliabilityDisplay: how often predictions are right at each confidence."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import beta

from skconf._labels import Codes
from skconf._probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, label_once, style
from skconf.metrics._calibration_bins import STRATEGIES, Levels, equal_mass_bin, equal_width_bin, levels
from skconf.metrics._checks import check_number, check_option, check_whole
from skconf.profile import ConfidenceProfile

#: Confidences nearer to 1 than this are drawn as if they were this near.
NEAREST = 1e-8


@dataclass(eq=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often predictions are right at each confidence, with intervals and counts.

    With ``view="tail"`` the axes are the error rate and 1 − c, on logarithmic scales. Overconfidence hides in the last
    per cent of the confidences, which the usual diagram draws into one point.

    Parameters
    ----------
    confidence, accuracy : ndarray of shape (n_bins,)
        Mean confidence and share of right predictions in each bin that is not empty.
    low, high : ndarray of shape (n_bins,)
        Exact (Clopper-Pearson) interval of the accuracy.
    weight : ndarray of shape (n_bins,)
        Weight of the predictions in each bin: their number, without weights.
    view : {"confidence", "tail"}
        What is drawn.
    name : str or None
        What the legend calls the classifier.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.expected_calibration_error : The mean distance from the diagonal.
    skconf.metrics.calibrated_size_ratio : What the tail amounts to.

    Notes
    -----
    `from_predictions` and `from_estimator` take `view`; `n_bins` (15) and `strategy` ("uniform" or "quantile"), which
    the tail view does not use, as its bins are half powers of ten; and `level` (.95), the confidence level of the
    intervals. The area of a marker is the share of the predictions in its bin.

    Examples
    --------
    >>> from skconf.inspection import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.8], n_bins=5)
    >>> display.confidence
    array([0.75, 0.9 ])
    >>> display.accuracy
    array([0.5, 1. ])
    """

    confidence: Floats
    accuracy: Floats
    low: Floats
    high: Floats
    weight: Floats
    view: str = "confidence"
    name: str | None = None

    @classmethod
    def from_profile(
        cls,
        profile: ConfidenceProfile,
        *,
        name: str | None = None,
        view: str = "confidence",
        n_bins: int = 15,
        strategy: str = "uniform",
        level: float = 0.95,
    ) -> Self:
        """Compute the display of a profile, without drawing it; see the notes."""
        check_option(view, "view", ("confidence", "tail"))
        check_option(strategy, "strategy", STRATEGIES)
        check_whole(n_bins, "n_bins")
        check_number(level, "level", 0.0, 1.0)
        found = levels(profile)
        bins = _tail_bin(found) if view == "tail" else _bin(found, n_bins, strategy)
        bins = np.unique(bins, return_inverse=True)[1]  # empty ones are not drawn
        weight, right, confidence = (
            np.bincount(bins, weights=values).astype(np.float64)
            for values in (found.weight, found.right, found.weight * found.confidence)
        )
        tail, wrong = (1 - level) / 2, np.maximum(weight - right, 0.0)
        low, high = np.zeros(len(weight)), np.ones(len(weight))
        some_right, some_wrong = right > 0, wrong > 0
        low[some_right] = beta.ppf(tail, right[some_right], wrong[some_right] + 1)
        high[some_wrong] = beta.ppf(1 - tail, right[some_wrong] + 1, wrong[some_wrong])
        return cls(confidence / weight, right / weight, low, high, weight, view, name)

    def _draw(self, ax: Any) -> None:
        left = ax.get_xlim()[0] if ax.has_data() else 1.0  # other classifiers may be there
        look = style(ax)
        area = 15 + 150 * self.weight / self.weight.sum()
        if self.view == "confidence":
            x, y, low, high = self.confidence, self.accuracy, self.low, self.high
            ax.plot([0, 1], [0, 1], label=label_once(ax, "calibrated"), **REFERENCE)
            ax.set(xlabel="confidence", ylabel="accuracy", ylim=(-0.02, 1.02))
            ax.set_xlim(min(left, x.min() - 0.03), 1.02)
        else:
            x, y = np.maximum(1 - self.confidence, NEAREST), 1 - self.accuracy
            low, high = 1 - self.high, 1 - self.low
            ax.plot([NEAREST, 1], [NEAREST, 1], label=label_once(ax, "calibrated"), **REFERENCE)
            ax.set(xscale="log", yscale="log", xlabel="1 − confidence", ylabel="error rate")
            floor = min(0.3 / self.weight.sum(), x.min() / 2)
            ax.set_xlim(min(left, x.min() / 2), 1.5)
            ax.set_ylim(min(floor, 1e-4), 1.5)
            unseen = y == 0
            ax.scatter(x[unseen], high[unseen], marker="v", s=30, facecolors="none", edgecolors=look["color"])
            ax.vlines(x[unseen], floor, high[unseen], color=look["color"], linewidth=0.8, alpha=0.4)
            x, y, low, high, area = (values[~unseen] for values in (x, y, low, high, area))
        ax.vlines(x, low, high, color=look["color"], linewidth=1.2, alpha=0.7)
        ax.plot(x, y, color=look["color"], linestyle=look["linestyle"], linewidth=1.0)
        ax.scatter(x, y, s=area, color=look["color"], marker=look["marker"], label=self.name, zorder=3)


def _bin(found: Levels, n_bins: int, strategy: str) -> Codes:
    return equal_width_bin(found.confidence, n_bins) if strategy == "uniform" else equal_mass_bin(found.weight, n_bins)


def _tail_bin(found: Levels) -> Codes:
    """Return the bin of each confidence: half powers of ten of its distance from 1."""
    distance = np.maximum(1 - found.confidence, NEAREST)
    return np.ceil(-2 * np.log10(distance)).astype(np.intp)
