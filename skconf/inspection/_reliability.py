"""ReliabilityDisplay: how often predictions are right at each confidence."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import beta

from skconf._core.bins import STRATEGIES, equal_mass_bin, equal_width_bin
from skconf._core.checks import check_number, check_option
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inspection._base import REFERENCE, Display, Style, check_drawable, label_once
from skconf.metrics._base.levels import levels
from skconf.profile import ConfidenceProfile

#: Confidences nearer to 1 than this share a bin of the tail view, and are drawn as if they were this near.
NEAREST = 1e-8


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often predictions are right at each confidence, with intervals and counts.

    With ``view="tail"`` the axes are the error rate and 1 − c, on logarithmic scales. Overconfidence hides in the last
    per cent of the confidences, which the usual diagram draws into one point.

    Parameters
    ----------
    confidence, accuracy : ndarray of shape (n_bins,)
        Mean confidence and share of right predictions in each bin that is not empty.
    low, high : ndarray of shape (n_bins,)
        Exact (Clopper-Pearson) confidence interval of the accuracy.
    weight : ndarray of shape (n_bins,)
        Weight of the predictions in each bin: their number, without weights.
    view : {"confidence", "tail"}, default="confidence"
        What is drawn.
    name : str, default=None
        Name of the classifier in the legend.

    Attributes
    ----------
    ax_, figure_
        The drawing.

    See Also
    --------
    skconf.metrics.expected_calibration_error : The mean distance from the diagonal.
    skconf.metrics.calibrated_size_ratio : One number for the tail.

    Notes
    -----
    With weights w an interval is that of (Σ w)² / Σ w² predictions (Kish's effective number), so that the unit of the
    weights does not matter.

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
        confidence_level: float = 0.95,
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        view : {"confidence", "tail"}, default="confidence"
            Draw the accuracy against the confidence c; or the error rate against 1 − c, with logarithmic scales.
        n_bins : int, default=15
            Number of bins. The tail view has two for every factor of ten, instead.
        strategy : {"uniform", "quantile"}, default="uniform"
            Bins of equal width or of equal mass, as in :func:`skconf.metrics.expected_calibration_error`.
        confidence_level : float, default=0.95
            Level of the intervals.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        TypeError
            If `n_bins` is not a whole number.
        ValueError
            If a parameter is out of range, or not one of its values.
        """
        check_option(view, "view", ("confidence", "tail"))
        check_option(strategy, "strategy", STRATEGIES)
        check_drawable(n_bins)
        check_number(confidence_level, "confidence_level", 0.0, 1.0)
        sure, correct = profile.confidence, profile.correct
        w = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
        bins = _tail_bin(sure) if view == "tail" else _bin(profile, n_bins, strategy)
        right, wrong, squares, promised = (
            np.bincount(bins, values).astype(np.float64) for values in (w * correct, w * ~correct, w * w, w * sure)
        )
        kept = right + wrong > 0
        right, wrong, squares, promised = (sums[kept] for sums in (right, wrong, squares, promised))
        weight = right + wrong
        unit = squares / weight  # weight of each of the effective number of predictions
        some_right, some_wrong = right > 0, wrong > 0
        low, high = np.zeros(len(weight)), np.ones(len(weight))
        tail = (1 - confidence_level) / 2
        low[some_right] = beta.ppf(tail, (right / unit)[some_right], (wrong / unit)[some_right] + 1)
        high[some_wrong] = beta.ppf(1 - tail, (right / unit)[some_wrong] + 1, (wrong / unit)[some_wrong])
        return cls(promised / weight, right / weight, low, high, weight, view, name)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        x, y, low, high = self.confidence, self.accuracy, self.low, self.high
        tail = self.view == "tail"
        if tail:
            x, y, low, high = np.maximum(1 - x, NEAREST), 1 - y, 1 - high, 1 - low
            ax.set(xscale="log", yscale="log", xlabel="1 − confidence (at least 10⁻⁸)", ylabel="error rate")
        else:
            ax.set(xlabel="confidence", ylabel="accuracy", ylim=(-0.03, 1.03))
        ax.axline((0.9, 0.9), (1, 1), label=label_once(ax, "calibrated"), **REFERENCE)
        seen = y > 0 if tail else np.full(len(y), True)  # a logarithmic axis cannot show an error rate of 0
        area = 15 + 150 * self.weight / self.weight.sum()
        ax.vlines(x[seen], low[seen], high[seen], color=style.color, linewidth=1.2, alpha=0.7)
        ax.plot(
            x[seen],
            y[seen],
            color=style.color,
            linestyle=style.linestyle,
            linewidth=1.0,
            marker=style.marker,
            markersize=4,
            gid=style.gid,
            label=self._label,
        )
        ax.scatter(x[seen], y[seen], s=area[seen], color=style.color, marker=style.marker, zorder=3)
        ax.scatter(
            [], [], s=60, facecolors="none", edgecolors="0.3", label=label_once(ax, "area: share of predictions")
        )
        if not seen.all():
            hollow = {"marker": "v", "s": 25, "facecolors": "none"}
            ax.scatter(x[~seen], high[~seen], edgecolors=style.color, **hollow)
            ax.scatter([], [], edgecolors="0.3", label=label_once(ax, "no error: upper limit"), **hollow)
        ax.autoscale(axis="both" if tail else "x")
        if tail:  # both axes have the same range, so that the diagonal is visible
            ax.set_xlim(min(ax.get_xlim()[0], 0.01), 1.5)
            ax.set_ylim(min(ax.get_xlim()[0], ax.get_ylim()[0]), 1.5)
        else:
            ax.set_xlim(right=1.03)


def _bin(profile: ConfidenceProfile, n_bins: int, strategy: str) -> Codes:
    """Return the bin of each prediction, as in the expected calibration error."""
    if strategy == "uniform":
        return equal_width_bin(profile.confidence, n_bins)
    found = levels(profile)
    # Samples of weight zero may be put into any bin.
    level = np.searchsorted(found.confidence, profile.confidence).clip(max=len(found.confidence) - 1)
    return equal_mass_bin(found.weight, n_bins)[level]


def _tail_bin(confidence: Floats) -> Codes:
    """Return the bin of each confidence: half powers of ten of its distance from 1."""
    distance = np.maximum(1 - confidence, NEAREST)
    return np.floor(-2 * np.log10(distance) + 1e-7).astype(np.intp)  # up to rounding: 1 − .9 is not .1
