"""ReliabilityDisplay: how often predictions are right at each confidence."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.bins import STRATEGIES
from skconf._core.checks import check_confidence_level, check_option
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inspection._base import Display, pyplot
from skconf.inspection._drawing import (
    CLASSIFIER,
    CURVE,
    REFERENCE,
    Style,
    artists,
    check_drawable,
    displays,
    ink,
    label_once,
    literal,
)
from skconf.inspection._findings import of_reliability
from skconf.inspection._histogram import ConfidenceHistogramDisplay
from skconf.inspection._reliability_numbers import Overall, binless, binned, of_class, overall
from skconf.inspection._scales import NEAREST, axis_percent, label_ticks, with_nines
from skconf.profile import ConfidenceProfile

#: The area, in square points, of a marker for all predictions, and the share that the legend shows.
_AREA, _SHOWN = 400.0, 0.1

#: The strategy without bins.
_BINLESS = "binless"

#: Id of a band, and the most classifiers whose bands can be distinguished.
_BAND, _MOST_BANDS = "skconf band", 2

#: If the interval of an accuracy is wider than this, it says nothing, and no line leads to its bin.
_WIDE = 0.5

#: Id of a histogram under the curves, and its share of the height of the axes.
_STRIP, _HEIGHT = "skconf strip", 0.25


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often predictions are right at each confidence, with intervals and counts.

    With ``view="tail"``, the axes are the error rate and 1 − c for a confidence c, on logarithmic scales. The usual
    diagram draws all confidences above 0.99 near one point, so it hides overconfidence there.

    Parameters
    ----------
    confidence, accuracy : ndarray of shape (n_bins,)
        Mean confidence, and share of right predictions, in each bin that is not empty.
    low, high : ndarray of shape (n_bins,)
        Exact (Clopper-Pearson) confidence interval of the accuracy.
    weight : ndarray of shape (n_bins,)
        Weight of the predictions in each bin. Without weights, their number.
    view : {"confidence", "tail", "both"}, default="confidence"
        What is drawn.
    name : str, default=None
        Name of the classifier.
    tail : ReliabilityDisplay, default=None
        With ``view="both"``, the display of the tail, which is drawn on the second axes.
    number : ndarray of shape (n_bins,), default=None
        Position of each bin among all bins, including the empty ones. A line joins two bins only if there is no empty
        bin between them. No line leads to a bin whose interval is wider than 0.5. None means that there are no empty
        bins.
    overall : tuple of float, default=None
        Five numbers for the title: the mean confidence, the accuracy, the lower and the upper end of its interval, and
        a limit. Predictions with a confidence below the limit are left out of the other four numbers. The limit is 0.
        In the tail view, it is 0.99 if any confidence reaches 0.99, or else 0.9 if any confidence reaches 0.9.
    strategy : {"uniform", "quantile", "binless"}, default="uniform"
        With "binless", each distinct confidence is a bin. The accuracy of such a bin is the value of the isotonic fit,
        and its interval is the value of the band at this confidence.
    class_label : label, default=None
        The class whose probabilities are drawn. None means that confidences are drawn.
    before : ReliabilityDisplay, default=None
        Predictions before calibration.
    histogram : ConfidenceHistogramDisplay, default=None
        The histogram under the curve.

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
    If predictions have weights w, intervals are those of (Σ w)² / Σ w² predictions without weights (Kish's effective
    number). So the unit of the weights does not matter.

    The band of ``strategy="binless"`` contains the accuracy at all confidences at once with a probability of at least
    `confidence_level` [1]_. The band assumes that the accuracy never falls when the confidence rises, and that samples
    have no weights. It is valid for any number of samples. Where the observations contradict the assumption about the
    accuracy, the band is empty.

    References
    ----------
    .. [1] T. Dimitriadis, L. Dümbgen, A. Henzi, M. Puke and J. Ziegel, Honest calibration assessment for binary outcome
       predictions, Biometrika 110 (2023), 663-680.

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
    strategy: str = "uniform"
    class_label: Any = None
    before: Self | None = None
    histogram: ConfidenceHistogramDisplay | None = None

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
        class_label: Any = None,
        before: ConfidenceProfile | None = None,
        histogram: bool = False,
    ) -> Self:
        """Compute the numbers, without drawing them.

        Parameters
        ----------
        profile : ConfidenceProfile
            The predictions.
        name : str, default=None
            Name of the classifier in the legend.
        view : {"confidence", "tail", "both"}, default="confidence"
            "confidence" draws the accuracy against the confidence c. "tail" draws the error rate against 1 − c, with
            logarithmic scales. "both" draws both, on two axes.
        n_bins : int, default=15
            Number of bins. The tail view ignores `n_bins` and `strategy`. It has two bins for each factor of ten of
            1 − c, such as 0.01 to 0.032 and 0.032 to 0.1.
        strategy : {"uniform", "quantile", "binless"}, default="uniform"
            "uniform" has bins of equal width, and "quantile" bins of equal mass, as in
            :func:`skconf.metrics.expected_calibration_error`. "binless" draws the isotonic regression of correctness on
            confidence. It also draws a band, unless there are more than two classifiers on the axes.
        confidence_level : float, default=0.95
            Level of the interval of each bin, or of the band for all confidences together.
        class_label : label, default=None
            Draw how often this class is the true class, against the probability of this class. None draws the accuracy
            of predictions against their confidence.
        before : ConfidenceProfile, default=None
            Predictions before calibration. They are drawn as hollow points with a thin line in the same colour.
        histogram : bool, default=False
            Draw a histogram of the confidences under the curve. It is not drawn in the tail view.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        TypeError
            If `n_bins` is not a whole number.
        ValueError
            If a parameter is out of range or not an allowed value.
        """
        check_option(view, "view", ("confidence", "tail", "both"))
        check_option(strategy, "strategy", (*STRATEGIES, _BINLESS))
        check_drawable(n_bins)
        check_confidence_level(confidence_level)
        given = {"n_bins": n_bins, "confidence_level": confidence_level, "class_label": class_label}
        first = "confidence" if view == "both" else view  # of the first axes
        of_all = profile if class_label is None else of_class(profile, class_label)
        if strategy == _BINLESS and view != "tail":
            points = binless(of_all, confidence_level)
        else:
            points = binned(of_all, view, n_bins, strategy, confidence_level)
        return cls(
            *(points.confidence, points.accuracy, points.low, points.high, points.weight),
            view,
            name,
            tail=cls.from_profile(profile, name=name, view="tail", before=before, **given) if view == "both" else None,
            number=points.number,
            overall=overall(of_all, view, confidence_level),
            strategy=strategy,
            class_label=class_label,
            before=None if before is None else cls.from_profile(before, view=first, strategy=strategy, **given),
            histogram=ConfidenceHistogramDisplay.from_profile(of_all) if histogram and view != "tail" else None,
        )

    def plot(self, ax: Any = None, *, title: str | None = "finding") -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            The axes to draw on. With ``view="both"``, pass a pair of axes. None makes a new figure.
        title : str, default="finding"
            Title of the axes. "finding" states in a sentence what all displays on these axes show. It does not replace
            a title that you set. None does not change the title. With ``view="both"``, "finding" gives both axes a
            title, and any other title is drawn on the first axes only.

        Returns
        -------
        ReliabilityDisplay
            This display, with the drawing in `figure_` and `ax_`. With ``view="both"``, `ax_` is an array of two axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If ``view="both"`` and `ax` is not a pair of axes.
        """
        if self.tail is None:
            return super().plot(ax, title=title)
        if ax is None:
            ax = pyplot().subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")[1]
        if np.shape(ax) != (2,):
            raise ValueError('With view="both", ax must be a pair of axes, such as the ax_ of another display.')
        replace(self, tail=None, view="confidence").plot(ax[0], title=title)
        self.tail.plot(ax[1], title=title if title == "finding" else None)
        self.ax_, self.figure_ = np.asarray(ax), ax[0].figure
        return self

    _finding = staticmethod(of_reliability)

    @property
    def _label(self) -> str | None:
        """Name of the classifier in the legend. It begins with "after" if `before` is drawn, too."""
        name = super()._label
        return name if self.before is None else "after" if name is None else f"after: {name}"

    def _draw(self, ax: Any) -> None:
        style = Style.next_on(ax)
        ax.axline((0.9, 0.9), (1, 1), label=label_once(ax, "calibrated"), **REFERENCE)
        (self._draw_band if _is_binless(self) else self._draw_bins)(ax, style)
        if self.before is not None:
            which = f": {super()._label}" if style.number and self.name is not None else ""
            _draw_before(ax, self.before, style, f"before{which}")
        if self.view == "tail":
            _set_tail(ax)
        else:
            self._draw_histograms(ax)
            ax.set(xlabel="confidence", ylabel="accuracy")
            ax.autoscale(axis="x")
            ax.set_xlim(right=1.03)
            label_ticks(ax.xaxis, axis_percent)
            label_ticks(ax.yaxis, axis_percent)
        if self.class_label is not None:
            label = literal(self.class_label)
            ax.set(xlabel=f"probability of {label}", ylabel=f"share that is {'not ' * (self.view == 'tail')}{label}")

    def _draw_band(self, ax: Any, style: Style) -> None:
        """Draw the isotonic fit and its band, which are step functions with few steps."""
        x, fit, low, high = (each[self._steps()] for each in (self.confidence, self.accuracy, self.low, self.high))
        ax.plot(x, fit, linewidth=1.2, gid=CLASSIFIER, label=self._label, **style.line)
        if style.number >= _MOST_BANDS:
            for artist in artists(ax, _BAND):
                artist.remove()
            return
        # Between two confidences, the lower limit belongs to the first, and the upper limit to the second.
        there = np.where(low <= high, 1.0, np.nan)
        between, low, high = np.repeat(x, 2)[1:-1], np.repeat((low * there)[:-1], 2), np.repeat((high * there)[1:], 2)
        ax.fill_between(between, low, high, color=style.color, alpha=0.18, linewidth=0, gid=_BAND)

    def _steps(self) -> NDArray[np.bool_]:
        """Return where a curve without bins has steps: the points that differ from a neighbour, and both ends."""
        values = np.column_stack([self.accuracy, self.low, self.high])
        differs = (np.diff(values, axis=0) != 0).any(axis=1)
        return np.append(True, differs) | np.append(differs, True)

    def _draw_histograms(self, ax: Any) -> None:
        """Draw the histograms of all displays on these axes. They lie below the curves and have one scale."""
        shown = [each for each in (*displays(ax, type(self)), self) if each.histogram is not None]
        counts = [each.histogram.right + each.histogram.wrong for each in shown]
        shares = [each / each.sum() for each in counts]
        for artist in artists(ax, _STRIP):
            artist.remove()
        ax.set_ylim(-0.03 - (1.06 * _HEIGHT / (1 - _HEIGHT) if shown else 0), 1.03)
        if not shown:
            return
        ax.set_yticks(np.arange(6) / 5)
        highest = max(each.max() for each in shares)
        at = {"transform": ax.get_xaxis_transform(), "gid": _STRIP}
        for number, (each, share) in enumerate(zip(shown, shares, strict=True)):
            first, last = np.flatnonzero(share)[[0, -1]]  # empty ends would widen the axis
            heights, edges = (
                share[first : last + 1] * (_HEIGHT - 0.07) / highest,
                each.histogram.edges[first : last + 2],
            )
            color = Style.of(number).color
            ax.stairs(heights, edges, fill=len(shown) == 1, alpha=0.5, color=color, **at)
        ax.axhline(-0.03, color=ink(ax), linewidth=0.8, gid=_STRIP)
        text = f"shares of predictions: highest bar {axis_percent(float(f'{highest:.2g}'))}"
        ax.text(
            0.01, _HEIGHT - 0.015, text, fontsize="small", verticalalignment="top", **at | {"transform": ax.transAxes}
        )

    def joined(self) -> NDArray[np.bool_]:
        """Return whether a line joins each bin to the next one.

        A line joins two bins if no empty bin lies between them, and if the interval of neither bin is wider than 0.5.
        With the strategy "binless", the width of the intervals does not count.

        Returns
        -------
        joined : ndarray of shape (n_bins,)
            False for the last bin.
        """
        few = (self.high - self.low > _WIDE) & (self.strategy != _BINLESS)
        number = np.arange(len(few)) if self.number is None else self.number
        return np.append((np.diff(number) == 1) & ~few[:-1] & ~few[1:], False)

    def _draw_bins(self, ax: Any, style: Style) -> None:
        x, y, low, high, seen = _placed(self)
        look = {"marker": style.marker, "color": style.color}
        stroke = {"color": style.color, "linewidth": 1.2, "alpha": 0.6, "clip_on": self.view == "tail"}
        ax.vlines(x[seen], low[seen], high[seen], **stroke)
        ax.plot(*_joined(self), linewidth=1.2, gid=CLASSIFIER, label=self._label, **style.line)
        ax.plot(x[seen], y[seen], linestyle="none", markersize=1.5, clip_on=False, **look)  # where the area is tiny
        area = _AREA * self.weight / self.weight.sum()
        ax.scatter(x[seen], y[seen], s=area[seen], zorder=3, alpha=0.7, clip_on=False, linewidths=0, **look)
        shown = label_once(ax, f"area: share (this: {axis_percent(_SHOWN)})")
        ax.scatter([], [], s=_SHOWN * _AREA, color=ink(ax), linewidths=0, label=shown)
        if not seen.all():
            # A bar without a point or a foot: the rate is 0, which this axis does not have.
            bar = {"marker": "_", "s": 60, "linewidths": 1.5}
            ax.vlines(x[~seen], high[~seen] / 2, high[~seen], **stroke)
            ax.scatter(x[~seen], high[~seen], color=style.color, **bar)
            ax.scatter([], [], color=ink(ax), label=label_once(ax, "none wrong: upper limit"), **bar)


def _placed(display: ReliabilityDisplay) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.bool_]]:
    """Return what these axes show of each bin (x, y, and the ends of the interval of y), and which bins are visible."""
    x, y, low, high = display.confidence, display.accuracy, display.low, display.high
    if display.view != "tail":
        return x, y, low, high, np.full(len(y), True)
    # A logarithmic axis cannot show an error rate of 0.
    return np.maximum(1 - x, NEAREST), 1 - y, 1 - high, 1 - low, 1 - y > 0


def _joined(display: ReliabilityDisplay) -> tuple[Floats, Floats]:
    """Return a line through the visible points of neighbouring bins, with gaps at empty or invisible bins."""
    x, y, _, _, seen = _placed(display)
    at = np.flatnonzero(seen)
    breaks = np.flatnonzero((np.diff(at) > 1) | ~display.joined()[at[:-1]]) + 1
    return np.insert(x[at], breaks, np.nan), np.insert(y[at], breaks, np.nan)


def _draw_before(ax: Any, before: ReliabilityDisplay, style: Style, label: str) -> None:
    """Draw the predictions before calibration as hollow points and a thin line."""
    hollow = {} if _is_binless(before) else {"marker": style.marker, "markersize": 5, "markerfacecolor": "none"}
    look = {"color": style.color, "linestyle": ":", "linewidth": 1.0, "clip_on": False, **hollow}
    ax.plot(*_joined(before), gid=CURVE, label=label, **look)


def _is_binless(display: ReliabilityDisplay) -> bool:
    return display.strategy == _BINLESS and display.view != "tail"


def _set_tail(ax: Any) -> None:
    """Make both axes of the tail logarithmic: 1 − confidence, which falls from left to right, and the error rate."""
    from matplotlib.ticker import NullFormatter

    ax.set(xscale="log", yscale="log", xlabel="confidence", ylabel="error rate")
    drawn = [line.get_data() for line in artists(ax, CLASSIFIER, CURVE)] + [
        part.get_offsets().T for part in ax.collections
    ]
    x, y = (np.concatenate([np.ma.getdata(points[axis]) for points in drawn]) for axis in (0, 1))
    nearest = min(x[x > 0].min(initial=1.0), 0.01)
    ax.set(xlim=(1.5, nearest / 1.5), ylim=(min(y[y > 0].min(initial=1.0) / 4, 1e-3), 1.5))
    nines = round(-np.log10(nearest))
    if nines > 4:
        ax.tick_params(axis="x", labelsize="small")
    exponents = np.arange(0, nines + 1, 1 if nines < 5 else 2)
    ax.set_xticks(10.0**-exponents, [with_nines(exponent) for exponent in exponents])
    ax.set_xticks(10.0 ** -np.arange(0, nines + 1), minor=True)
    ax.xaxis.set_minor_formatter(NullFormatter())
    label_ticks(ax.yaxis, axis_percent)
