"""Draw what all displays share: styles of classifiers, marks of thresholds, and the legend."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any, NamedTuple, Self

import numpy as np

from skconf._core.checks import check_whole
from skconf._core.pictures import outlined, pieces
from skconf._core.probabilities import Floats
from skconf.inspection._scales import threshold_text

#: Colours that colour-blind readers can distinguish (Okabe and Ito), with line styles and markers for black-and-white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "D", "^", "v", "P")

#: Most bins that are drawn.
MOST_BINS = 10_000

#: The style of reference lines. Its grey is visible on a light and on a dark background.
REFERENCE = {"color": "0.5", "linewidth": 1.0, "zorder": 1}

#: Number of intervals of the horizontal axis. A long curve has four points in each: first, lowest, highest, last.
_COLUMNS = 2000

#: Distance of a legend below the axes, in font sizes. Ticks and a label are between them.
_BELOW = 3.8

#: The share of a figure's height that a legend above the axes may take.
_HIGHEST = 0.28

#: The gaps between and above panels, as shares of the width and height of the axes around them.
_GAP = (0.14, 0.12)

#: Most lines of a title.
_MOST_LINES = 6

#: The ids of artists: a legend above the axes, the main line of a classifier, another curve, and a reference that is
#: drawn for a single classifier and removed if there is a second one.
_LEGEND, CLASSIFIER, CURVE, OF_ONE = "skconf legend", "skconf classifier", "skconf curve", "skconf of one"
MARK, _PANEL = "skconf mark", "skconf panel"


class Style(NamedTuple):
    """The style of a classifier. Styles on the same axes differ in colour, and also in line style and marker."""

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
    """Return a text with its dollar signs escaped, because they would begin a formula in a figure."""
    return str(text).replace("$", r"\$")


def ink(ax: Any) -> Any:
    """Return the colour of the texts of these axes, which contrasts with the background in any theme."""
    return ax.xaxis.label.get_color()


def check_drawable(n_bins: Any) -> None:
    """Raise unless a figure can show this number of bins."""
    check_whole(n_bins, "n_bins")
    if n_bins > MOST_BINS:
        raise ValueError(f"n_bins must be at most {MOST_BINS:,}, but is {n_bins!r}. A figure cannot show more bins.")


def artists(ax: Any, *kinds: str) -> list[Any]:
    """Return the artists on these axes whose id is one of `kinds`."""
    return [artist for artist in ax.get_children() if artist.get_gid() in kinds]


def displays(ax: Any, kind: type) -> list[Any]:
    """Return the displays of one class that are drawn on these axes."""
    shown = (getattr(artist, "skconf_display", None) for artist in artists(ax, CLASSIFIER, CURVE))
    return [display for display in shown if type(display) is kind]


def remember(ax: Any, display: Any) -> None:
    """Keep a display with the last line that it drew, so it is removed together with the line."""
    artists(ax, CLASSIFIER, CURVE)[-1].skconf_display = display


def hide_and_remember(ax: Any, shown: Sequence[Any], *, labelled: bool = False) -> list[Style]:
    """Hide axes whose panels will show several displays; store these displays, and return a style for each."""
    ax.set_axis_off()
    ax.set(xlabel="", ylabel="")
    styles = [Style.of(number) for number in range(len(shown))]
    for each, style in zip(shown, styles, strict=True):
        name = literal(each.name) if labelled and each.name is not None else None
        ax.plot([], [], gid=CLASSIFIER, label=name, **style.line)
        remember(ax, each)
    return styles


def draw_title(ax: Any, text: str, beside: float, instead_of: str | None = None) -> None:
    """Set the title, in as many lines as it needs to fit the axes.

    If `instead_of` is given, a title with another text stays, because the user set it. `beside` is the width of the
    texts beside the axes: a layout engine takes at most this much from the present width of the axes.
    """
    from matplotlib import rcParams

    place = rcParams["axes.titlelocation"]
    if instead_of is not None and ax.get_title(place) and ax.get_title(place).split() != instead_of.split():
        return  # the user chose this title
    width, height = ax.bbox.size
    width = width - beside if ax.get_aspect() == "auto" else min(width - beside, height)
    for n_lines in range(1, _MOST_LINES + 1):
        title = ax.set_title(fill(text, len(text) // n_lines + 8), loc=place, fontsize="medium")
        if title.get_window_extent().width <= width:
            return


def label_once(ax: Any, label: str) -> str | None:
    """Return a label for the legend; None if these axes have it already."""
    return None if label in ax.get_legend_handles_labels()[1] else label


def names_of(shown: Sequence[Any]) -> list[str]:
    """Return the names of several classifiers, with a number in place of a missing name."""
    return [str(each.name or f"model {place}") for place, each in enumerate(shown, 1)]


def remove_references(ax: Any) -> None:
    """Remove the reference lines and areas that are drawn only for a single classifier."""
    for artist in artists(ax, OF_ONE):
        artist.remove()


def label_of_threshold(threshold: float) -> str:
    """Return a threshold as text for a legend."""
    return f"threshold {threshold_text(threshold)}"


def mark_threshold(ax: Any, threshold: float | None, style: Style) -> None:
    """Draw a threshold as a vertical line, if there is one and it is finite."""
    if threshold is None or not np.isfinite(threshold):
        return
    label = label_once(ax, label_of_threshold(threshold))
    look = {"color": ink(ax), "alpha": 0.7, "linewidth": 1.0, "linestyle": style.linestyle}
    ax.axvline(threshold, gid=MARK, label=label, **look)


def panels(ax: Any, labels: Sequence[str], xlabel: str) -> list[Any]:
    """Return a panel within these axes for each label, in two columns; earlier panels are removed.

    If the layout of the figure makes no room for the legend, the panels begin below the legend.
    """
    for panel in [child for child in ax.child_axes if child.get_gid() == _PANEL]:
        panel.remove()
    top = 1.0
    if not _makes_room(ax.figure):
        draw_legend(ax)
        top -= ax.get_legend().get_window_extent().height / ax.bbox.height if ax.get_legend() else 0.0
    n_rows = -(-len(labels) // 2)
    width, height = (1 - _GAP[0]) / 2, top / n_rows - _GAP[1]
    made = []
    for place, label in enumerate(labels):
        row, column = divmod(place, 2)
        is_last = place + 2 >= len(labels)
        corner = column * (width + _GAP[0]), top * (1 - (row + 1) / n_rows)
        panel = ax.inset_axes([*corner, width, height], gid=_PANEL, facecolor=ax.get_facecolor())
        panel.set_title(label, loc="left", fontsize="small", pad=2, color=ink(ax))
        panel.tick_params(labelsize="small", colors=ink(ax), labelbottom=is_last)
        panel.set_xlabel(xlabel if is_last else "", fontsize="small", color=ink(ax))
        for spine in panel.spines.values():
            spine.set_edgecolor(ink(ax))
        made.append(panel)
    return made


def thinned(x: Floats, y: Floats, place: Floats | None = None) -> tuple[Floats, Floats]:
    """Return a curve over ascending x with few points that looks the same on a screen and in print.

    `place` is where the axis shows each x, if the axis is not linear.
    """
    if len(x) <= 4 * _COLUMNS:
        return x, y
    place = x if place is None else place
    column = (place[-1] - place[0]) / _COLUMNS
    shown = [outlined(piece, column) for piece in pieces(np.column_stack([place, y, x]))]
    gap = np.full((1, 3), np.nan)
    points = np.vstack([part for piece in shown for part in (piece, gap)][:-1] or [gap])
    return points[:, 2], points[:, 1]


def draw_legend(ax: Any, inside: str = "best") -> float:
    """Redraw the legend, and return the width that it takes beside the axes.

    If the layout of the figure makes room for a legend, the legend stands above or beside axes that are alone in the
    figure, and below axes that are not. Otherwise, it stands on the axes.
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
    style["labelcolor"] = [_legible(handle, ax) for handle in handles]
    narrow = [label.replace(": ", "\n").replace(", ", "\n") for label in labels]
    if not is_alone or not _makes_room(figure):
        above = {"loc": "upper left", "borderaxespad": 0.0, "ncols": 2}
        style |= _below(ax) if _makes_room(figure) else {"loc": inside} if ax.axison else above
        for texts, ncols in ((labels, style.pop("ncols", 1)), (labels, 1), (narrow, 1)):
            if ax.legend(handles, texts, ncols=ncols, **style).get_window_extent().width <= ax.bbox.width:
                break
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
    # A long name gets the room that there is.
    figure.legend(handles, narrow, **style | above).set_gid(_LEGEND)
    return 0.0


def _below(ax: Any) -> dict[str, Any]:
    """Return the place of a legend below the axes and their label."""
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0, -_BELOW * ax.xaxis.label.get_size() / 72, ax.figure.dpi_scale_trans)
    place = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + down}
    return place | {"borderaxespad": 0.0, "ncols": 2}


def _legible(handle: Any, ax: Any) -> Any:
    """Return the colour for a name in the legend: the colour of its line, made readable, or the colour of texts."""
    from matplotlib.colors import to_rgb

    plain = np.array(to_rgb(ink(ax)))
    if handle.get_gid() not in (CLASSIFIER, CURVE):
        return plain
    return tuple(0.65 * np.array(to_rgb(handle.get_color())) + 0.35 * plain)


def _makes_room(figure: Any) -> bool:
    """Return whether the layout of a figure makes room for what stands beside its axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine

    return isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine | TightLayoutEngine)
