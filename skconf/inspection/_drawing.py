"""Draw what all displays share: styles of classifiers, marks of thresholds, and the legend."""

from textwrap import fill
from typing import Any, NamedTuple, Self

import numpy as np

from skconf._core.checks import check_whole
from skconf._core.pictures import outlined, pieces
from skconf._core.probabilities import Floats

#: Colours that are safe for the colour-blind (Okabe and Ito), with line styles and markers for prints without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "D", "^", "v", "P")

#: Most bins that are drawn.
MOST_BINS = 10_000

#: The style of reference lines; its grey is seen on a light and on a dark ground.
REFERENCE = {"color": "0.5", "linewidth": 1.0, "zorder": 1}

#: Number of intervals of the horizontal axis; each shows the first, lowest, highest and last point of a long curve.
_COLUMNS = 2000

#: The share of a figure's height that a legend above the axes may take.
_HIGHEST = 0.28

#: Most lines of a title.
_MOST_LINES = 6

#: The ids of artists say what they show: a legend above the axes, the main line of a classifier, another curve, or what
#: is drawn of a single classifier, and removed for a second.
_LEGEND, CLASSIFIER, CURVE, OF_ONE = "skconf legend", "skconf classifier", "skconf curve", "skconf of one"


class Style(NamedTuple):
    """The style of a classifier, which differs from others on the same axes with and without colour."""

    number: int
    color: str
    linestyle: Any
    marker: str

    @classmethod
    def next_on(cls, ax: Any) -> Self:
        """Return the style of the next classifier on these axes."""
        return cls.of(len(artists(ax, CLASSIFIER)))

    @classmethod
    def of(cls, number: int) -> Self:
        """Return one of 36 different styles."""
        n, turn = len(COLOURS), number // len(COLOURS)
        return cls(number, COLOURS[number % n], LINES[(number + turn) % n], MARKERS[(number + turn) % n])

    @property
    def line(self) -> dict[str, Any]:
        """Colour and line style, as parameters of matplotlib."""
        return {"color": self.color, "linestyle": self.linestyle}


def literal(text: Any) -> str:
    """Return a text for a figure with escaped dollars, so that none begins a formula."""
    return str(text).replace("$", r"\$")


def ink(ax: Any) -> Any:
    """Return the colour of the texts of these axes, which stands out from their ground in any theme."""
    return ax.xaxis.label.get_color()


def check_drawable(n_bins: Any) -> None:
    """Raise unless a figure can show this number of bins."""
    check_whole(n_bins, "n_bins")
    if n_bins > MOST_BINS:
        raise ValueError(f"n_bins must be at most {MOST_BINS:,}, since no figure can show more, but is {n_bins!r}.")


def artists(ax: Any, *kinds: str) -> list[Any]:
    """Return what is drawn on these axes of some kinds, which are ids."""
    return [artist for artist in ax.get_children() if artist.get_gid() in kinds]


def displays(ax: Any, new: Any) -> list[Any]:
    """Return the displays of one class that are drawn on these axes, after the new one has drawn its lines."""
    drawn = artists(ax, CLASSIFIER, CURVE)
    drawn[-1].skconf_display = new
    shown = (getattr(artist, "skconf_display", None) for artist in drawn)
    return [display for display in shown if type(display) is type(new)]


def draw_title(ax: Any, text: str, beside: float, instead_of: str | None = None) -> None:
    """Set the title, in as many lines as it needs to fit the axes; instead of another one or of none, if that is given.

    A layout that makes room gives the axes at least the width that they have now, less what stands beside them.
    """
    from matplotlib import rcParams

    place = rcParams["axes.titlelocation"]
    if instead_of is not None and ax.get_title(place) and ax.get_title(place).split() != instead_of.split():
        return  # a title that somebody chose
    width, height = ax.bbox.size
    width = width - beside if ax.get_aspect() == "auto" else min(width - beside, height)
    for n_lines in range(1, _MOST_LINES + 1):
        title = ax.set_title(fill(text, len(text) // n_lines + 8), loc=place, fontsize="medium")
        if title.get_window_extent().width <= width:
            return


def label_once(ax: Any, label: str) -> str | None:
    """Return a label for the legend, unless these axes have it already."""
    return None if label in ax.get_legend_handles_labels()[1] else label


def remove_references(ax: Any) -> None:
    """Remove what only a classifier that is alone has: its reference lines and areas, which are too many of several."""
    for artist in artists(ax, OF_ONE):
        artist.remove()


def label_of_threshold(threshold: float) -> str:
    """Return a threshold as text for a legend, distinct from 1 if it is below 1."""
    shown = "∞" if np.isinf(threshold) else f"{threshold:.3g}"
    return f"threshold {f'1 − {1 - threshold:.1g}' if shown == '1' and threshold < 1 else shown}"


def mark_threshold(ax: Any, threshold: float | None, style: Style) -> None:
    """Draw a threshold as a vertical line, if there is one and it is finite."""
    if threshold is None or not np.isfinite(threshold):
        return
    label = label_once(ax, label_of_threshold(threshold))
    ax.axvline(threshold, color=ink(ax), alpha=0.7, linewidth=1.0, linestyle=style.linestyle, label=label)


def thinned(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return a curve over ascending x with few points that looks the same on a screen and in print."""
    if len(x) <= 4 * _COLUMNS:
        return x, y
    column = (x[-1] - x[0]) / _COLUMNS
    shown = [outlined(piece, column) for piece in pieces(np.column_stack([x, y]))]
    gap = np.full((1, 2), np.nan)
    points = np.vstack([part for piece in shown for part in (piece, gap)][:-1] or [gap])
    return points[:, 0], points[:, 1]


def draw_legend(ax: Any, inside: str = "best") -> float:
    """Redraw the legend: above or beside the axes if they are alone in a figure with room for it, else on the axes.

    Return the width that it takes beside the axes.
    """
    figure = ax.figure
    is_alone = len(figure.axes) == 1
    for legend in [legend for legend in figure.legends if is_alone and legend.get_gid() == _LEGEND]:
        legend.remove()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    entries = list(zip(*ax.get_legend_handles_labels(), strict=True))
    if not entries:
        return 0.0
    # List classifiers first, then the reference lines that they share.
    handles, labels = zip(*sorted(entries, key=lambda entry: entry[0].get_gid() != CLASSIFIER), strict=True)
    style = {"edgecolor": "none", "framealpha": 0.8, "fontsize": "small", "handlelength": 2.6}
    narrow = [label.replace(": ", "\n").replace(", ", "\n") for label in labels]
    if not is_alone or not _makes_room(figure):
        style |= {"loc": inside}
        if ax.legend(handles, labels, **style).get_window_extent().width > ax.bbox.width:
            ax.legend(handles, narrow, **style)
        return 0.0
    width, height = figure.bbox.size
    above, beside = {"loc": "outside upper left"}, {"loc": "outside right upper", "handlelength": 2.0}
    for place, texts in (
        (above | {"ncols": 3}, labels),
        (above | {"ncols": 2}, labels),
        (above, labels),
        (beside, narrow),
    ):
        legend = figure.legend(handles, texts, **style | place)
        legend.set_gid(_LEGEND)
        box = legend.get_window_extent()
        fits = box.width <= width / 2 if place is beside else box.x1 <= width and box.height <= _HIGHEST * height
        if fits:
            return float(box.width) if place is beside else 0.0
        legend.remove()
    # A long name must do with what there is.
    figure.legend(handles, narrow, **style | above).set_gid(_LEGEND)
    return 0.0


def _makes_room(figure: Any) -> bool:
    """Return whether the layout of a figure makes room for what stands beside its axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine

    return isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine | TightLayoutEngine)
