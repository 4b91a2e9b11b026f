"""ReliabilityDisplay: how often predictions are right at each confidence."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.bins import STRATEGIES, equal_mass_bin, equal_width_bin
from skconf._core.checks import check_number, check_option
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.proportions import exact_interval
from skconf.inspection._base import Display, pyplot
from skconf.inspection._drawing import CLASSIFIER, REFERENCE, Style, artists, check_drawable, ink, label_once
from skconf.inspection._findings import of_reliability
from skconf.inspection._scales import label_percent, percent
from skconf.metrics._base.columns import levels
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile

#: Confidences nearer to 1 than this share a bin of the tail view, and are drawn as if they were this near.
NEAREST = 1e-8

#: The area, in square points, that stands for all predictions, and the share that the legend shows.
_AREA, _SHOWN = 400.0, 0.1

#: Confidences from which the title of a tail tells: the first that some predictions have.
_TOPS = (0.99, 0.9)


#: Mean confidence, accuracy and the ends of its interval, and the least confidence of the predictions.
Overall = tuple[float, float, float, float, float]


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often predictions are right at each confidence, with intervals and counts.

    With ``view="tail"`` the axes are the error rate and the nines of the confidence c (1 − c on a logarithmic scale).
    Overconfidence hides in the last per cent of the confidences, which the usual diagram draws into one point.

    Parameters
    ----------
    confidence, accuracy : ndarray of shape (n_bins,)
        Mean confidence and share of right predictions in each bin that is not empty.
    low, high : ndarray of shape (n_bins,)
        Exact (Clopper-Pearson) confidence interval of the accuracy.
    weight : ndarray of shape (n_bins,)
        Weight of the predictions in each bin: their number, without weights.
    view : {"confidence", "tail", "both"}, default="confidence"
        What is drawn.
    name : str, default=None
        Name of the classifier.
    tail : ReliabilityDisplay, default=None
        With ``view="both"`` the display of the tail, which is drawn beside.
    number : ndarray of shape (n_bins,), default=None
        Number of each bin. Only neighbours are joined by a line: between others there are no predictions. None stands
        for bins without a gap.
    overall : tuple of float, default=None
        Mean confidence, accuracy and the ends of its interval, of all predictions; in the tail view of those whose
        confidence is at least the fifth number: 0.99, or less where none is as high. The title compares them.

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
    tail: Self | None = None
    number: Codes | None = None
    overall: Overall | None = None

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
        view : {"confidence", "tail", "both"}, default="confidence"
            Draw the accuracy against the confidence c; or the error rate against the nines of c, with logarithmic
            scales; or both, on two axes.
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
        check_option(view, "view", ("confidence", "tail", "both"))
        check_option(strategy, "strategy", STRATEGIES)
        check_drawable(n_bins)
        check_number(confidence_level, "confidence_level", 0.0, 1.0)
        sure, correct = profile.confidence, profile.correctness
        w = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
        bins = _tail_bin(sure) if view == "tail" else _bin(profile, n_bins, strategy)
        right, wrong, squares, promised = (
            np.bincount(bins, values).astype(np.float64) for values in (w * correct, w * profile.loss, w * w, w * sure)
        )
        if profile.groups is not None:
            squares = _squares_of_groups(bins, profile.groups, w)
        kept = right + wrong > 0
        right, wrong, squares, promised = (sums[kept] for sums in (right, wrong, squares, promised))
        weight = right + wrong
        unit = squares / weight  # weight of each of the effective number of predictions
        low, high = exact_interval(right / unit, wrong / unit, confidence_level)
        stratified = StratifiedShares.of_parts(profile, bins, len(kept))
        if stratified is not None:
            low, high = (1 - end for end in reversed(stratified[kept].ends(confidence_level)))
        beside = None
        if view == "both":
            beside = cls.from_profile(profile, name=name, view="tail", confidence_level=confidence_level)
        number = np.flatnonzero(kept)
        if view != "tail" and strategy == "quantile":
            number = np.arange(len(weight))  # a tie may fill several bins of equal mass: this is no gap
        overall = _overall(profile, w, view, confidence_level)
        return cls(promised / weight, right / weight, low, high, weight, view, name, beside, number, overall)

    def plot(self, ax: Any = None, *, title: str | None = "finding") -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure. With ``view="both"`` a pair of axes.
        title : str, default="finding"
            Title of the axes, of the first one with ``view="both"``. "finding" says in a sentence what all displays on
            the axes show, unless they have another title already; None leaves the title as it is.

        Returns
        -------
        ReliabilityDisplay
            Itself, with the drawing in `ax_`, which is an array of two axes with ``view="both"``, and `figure_`.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `ax` is no pair of axes with ``view="both"``.
        """
        if self.tail is None:
            return super().plot(ax, title=title)
        if ax is None:
            ax = pyplot().subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")[1]
        if np.shape(ax) != (2,):
            raise ValueError('With view="both", ax must be a pair of axes, such as the ax_ of another such display.')
        replace(self, tail=None, view="confidence").plot(ax[0], title=title)
        self.tail.plot(ax[1], title=title if title == "finding" else None)
        self.ax_, self.figure_ = np.asarray(ax), ax[0].figure
        return self

    _finding = staticmethod(of_reliability)

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        tail = self.view == "tail"
        x, y, low, high = self.confidence, self.accuracy, self.low, self.high
        if tail:
            x, y, low, high = np.maximum(1 - x, NEAREST), 1 - y, 1 - high, 1 - low
        ax.axline((0.9, 0.9), (1, 1), label=label_once(ax, "calibrated"), **REFERENCE)
        seen = y > 0 if tail else np.full(len(y), True)  # a logarithmic axis cannot show an error rate of 0
        look = {"marker": style.marker, "color": style.color}
        stroke = {"color": style.color, "linewidth": 1.2, "alpha": 0.6, "clip_on": tail}
        ax.vlines(x[seen], low[seen], high[seen], **stroke)
        ax.plot(*self._joined(x, y, seen), linewidth=1.2, gid=CLASSIFIER, label=self._label, **style.line)
        ax.plot(x[seen], y[seen], linestyle="none", markersize=1.5, clip_on=False, **look)  # where the area is tiny
        area = _AREA * self.weight / self.weight.sum()
        ax.scatter(x[seen], y[seen], s=area[seen], zorder=3, alpha=0.7, clip_on=False, linewidths=0, **look)
        shown = label_once(ax, f"area: share (this: {percent(_SHOWN)})")
        ax.scatter([], [], s=_SHOWN * _AREA, color=ink(ax), linewidths=0, label=shown)
        if not seen.all():
            # A bar without a point or a foot: the rate is 0, which this axis does not have.
            bar = {"marker": "_", "s": 60, "linewidths": 1.5}
            ax.vlines(x[~seen], high[~seen] / 2, high[~seen], **stroke)
            ax.scatter(x[~seen], high[~seen], color=style.color, **bar)
            ax.scatter([], [], color=ink(ax), label=label_once(ax, "none wrong: upper limit"), **bar)
        if tail:
            _set_tail(ax)
        else:
            ax.set(xlabel="confidence", ylabel="accuracy", ylim=(-0.03, 1.03))
            ax.autoscale(axis="x")
            ax.set_xlim(right=1.03)

    def _joined(self, x: Floats, y: Floats, seen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return a line through the seen points of neighbouring bins, broken where a bin between is empty or unseen."""
        number = np.arange(len(x)) if self.number is None else self.number
        breaks = np.flatnonzero(np.diff(number[seen]) > 1) + 1
        return np.insert(x[seen], breaks, np.nan), np.insert(y[seen], breaks, np.nan)


def _set_tail(ax: Any) -> None:
    """Scale the axes of the tail: confidence by its nines to the right, and the error rate, logarithmically."""
    from matplotlib.ticker import NullFormatter

    ax.set(xscale="log", yscale="log", xlabel="confidence", ylabel="error rate")
    drawn = [line.get_data() for line in artists(ax, CLASSIFIER)] + [part.get_offsets().T for part in ax.collections]
    x, y = (np.concatenate([np.ma.getdata(points[axis]) for points in drawn]) for axis in (0, 1))
    nearest = min(x[x > 0].min(initial=1.0), 0.01)
    ax.set(xlim=(1.5, nearest / 1.5), ylim=(min(y[y > 0].min(initial=1.0) / 4, 1e-3), 1.5))
    nines = round(-np.log10(nearest))
    if nines > 4:
        ax.tick_params(axis="x", labelsize="small")
    exponents = np.arange(0, nines + 1, 1 if nines < 5 else 2)
    ax.set_xticks(10.0**-exponents, [_sure(exponent) for exponent in exponents])
    ax.set_xticks(10.0 ** -np.arange(0, nines + 1), minor=True)
    ax.xaxis.set_minor_formatter(NullFormatter())
    label_percent(ax.yaxis)


def _sure(nines: int) -> str:
    """Return a confidence by its nines, as text."""
    if nines < 4:
        return f"{1 - 10.0**-nines:.3g}"
    return (
        "1" if 10.0**-nines <= NEAREST else "1−10" + f"−{nines}".translate(str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    )


def _overall(profile: ConfidenceProfile, weight: Floats, view: str, level: float) -> Overall:
    """Return mean confidence, accuracy, the ends of its interval, and from which confidence on the title tells of."""
    least = 0.0
    if view == "tail":
        least = next((each for each in _TOPS if weight[profile.confidence >= each].any()), 0.0)
    w = np.where(profile.confidence >= least, weight, 0.0)
    squares = w @ w if profile.groups is None else _squares_of_groups(np.zeros(len(w), np.intp), profile.groups, w)[0]
    size = w.sum() ** 2 / squares
    sure, right = w @ profile.confidence / w.sum(), w @ profile.correctness / w.sum()
    low, high = exact_interval(right * size, (1 - right) * size, level)
    return float(sure), float(right), float(low), float(high), least


def _bin(profile: ConfidenceProfile, n_bins: int, strategy: str) -> Codes:
    """Return the bin of each prediction, as in the expected calibration error."""
    if strategy == "uniform":
        return equal_width_bin(profile.confidence, n_bins)
    distinct = levels(profile)
    # Samples of weight zero may be put into any bin.
    level = np.searchsorted(distinct.confidence, profile.confidence).clip(max=len(distinct.confidence) - 1)
    return equal_mass_bin(distinct.weight, n_bins)[level]


def _squares_of_groups(bins: Codes, groups: Codes, weight: Floats) -> Floats:
    """Return Σ w² of each bin where all answers of a group count as one: their interval is no narrower than it is."""
    pairs, code = np.unique(bins * (groups.max() + 1) + groups, return_inverse=True)
    return np.bincount(pairs // (groups.max() + 1), np.bincount(code, weight) ** 2).astype(np.float64)


def _tail_bin(confidence: Floats) -> Codes:
    """Return the bin of each confidence: half powers of ten of its distance from 1."""
    distance = np.maximum(1 - confidence, NEAREST)
    return np.floor(-2 * np.log10(distance) + 1e-7).astype(np.intp)  # up to rounding: 1 − 0.9 is not 0.1
