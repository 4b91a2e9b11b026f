"""What displays draw with: styles of classifiers, names at the ends of their lines, and the legend of the rest."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from skconf._core.checks import check_whole
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

#: Ids of artists: the legend above the axes, the main artist of a classifier, another line with a name, and a name.
_LEGEND, _CLASSIFIER, CURVE, _NAME = "skconf legend", "skconf classifier ", "skconf curve ", "skconf name"

#: Id of what is drawn of a single classifier, and removed for a second.
OF_ONE = "skconf of one"

#: Points between the axes and a name.
_GAP = 14


class Style(NamedTuple):
    """The style of a classifier, which differs from others on the same axes with and without colour."""

    number: int
    color: str
    linestyle: Any
    marker: str

    @classmethod
    def next_on(cls, ax: Any) -> Self:
        """Return the style of the next classifier on these axes; its main artist takes the id."""
        return cls.of(sum(str(artist.get_gid()).startswith(_CLASSIFIER) for artist in ax.get_children()))

    @classmethod
    def of(cls, number: int) -> Self:
        """Return one of 36 different styles."""
        n, turn = len(COLOURS), number // len(COLOURS)
        return cls(number, COLOURS[number % n], LINES[(number + turn) % n], MARKERS[(number + turn) % n])

    @property
    def gid(self) -> str:
        """Id of the main artist of the classifier."""
        return f"{_CLASSIFIER}{self.number}"

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


def classifier_lines(ax: Any) -> list[Any]:
    """Return the main line of each classifier on these axes."""
    return [line for line in ax.lines if str(line.get_gid()).startswith(_CLASSIFIER)]


def label_once(ax: Any, label: str) -> str | None:
    """Return a label for the legend, unless these axes have it already."""
    return None if label in ax.get_legend_handles_labels()[1] else label


def remove_references(ax: Any) -> None:
    """Remove what only a classifier that is alone has: its reference lines and areas, which are too many of several."""
    for artist in [artist for artist in ax.get_children() if artist.get_gid() == OF_ONE]:
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
    column = np.floor((x - x[0]) * (_COLUMNS / (x[-1] - x[0])))
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    lowest, highest = np.minimum.reduceat(y, first), np.maximum.reduceat(y, first)
    at, heights = (x[first], x[first], x[last], x[last]), (y[first], lowest, highest, y[last])
    return np.column_stack(at).ravel(), np.column_stack(heights).ravel()


def draw_names(ax: Any, inside: str | None = None) -> None:
    """Write names beside the ends of their lines, if the layout makes room for them; the rest is in the legend.

    With a place inside the axes, all names are in the legend, and it is there unless there is room above them.
    """
    for text in [text for text in ax.texts if text.get_gid() == _NAME]:
        text.remove()
    handles, labels = ax.get_legend_handles_labels()
    # List classifiers first, then the reference lines that they share.
    order = sorted(range(len(labels)), key=lambda k: not str(handles[k].get_gid()).startswith(_CLASSIFIER))
    entries = [(handles[k], labels[k]) for k in order]
    if inside is None and _makes_room(ax.figure):
        named = [handle for handle, _ in entries if _is_named_line(handle)]
        _name_lines(ax, named)
        entries = [entry for entry in entries if entry[0] not in named]
    _draw_legend(ax, entries, inside)


def _makes_room(figure: Any) -> bool:
    """Return whether the layout of a figure makes room for what stands beside its axes."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine

    return isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine | TightLayoutEngine)


def _is_named_line(artist: Any) -> bool:
    return str(artist.get_gid()).startswith((_CLASSIFIER, CURVE)) and len(getattr(artist, "get_xdata", list)()) > 0


def _name_lines(ax: Any, lines: list[Any]) -> None:
    """Write the label of each line beside the axes, tied to the end of the line."""
    texts: list[Any] = []
    for number, line in enumerate(lines):
        tie = {"arrowstyle": "-", "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 0, "color": line.get_color()}
        text = ax.annotate(
            line.get_label(),
            xy=(0, 0),
            xycoords=_Place(lines, texts, number, beside=False),
            xytext=(0, 0),
            textcoords=_Place(lines, texts, number, beside=True),
            arrowprops=tie | {"linestyle": (0, (1, 1.5)), "linewidth": 0.9},
            annotation_clip=False,
            va="center",
            fontsize="small",
            color=ink(ax),
            gid=_NAME,
        )
        texts.append(text)


class _Place:
    """Where a line ends, or where its name is: as near to that as other names allow. Known when it is drawn."""

    def __init__(self, lines: list[Any], texts: list[Any], number: int, beside: bool) -> None:
        self.lines, self.texts, self.number, self.beside = lines, texts, number, beside

    def __call__(self, renderer: Any) -> Any:
        from matplotlib.transforms import Affine2D

        ends = np.array([_end_in_view(line) for line in self.lines])
        if not self.beside:
            return Affine2D().translate(*ends[self.number])
        box, pixels = self.lines[0].axes.bbox, renderer.points_to_pixels
        heights = [pixels(1.3 * text.get_fontsize()) * (1 + text.get_text().count("\n")) for text in self.texts]
        y = spread(ends[:, 1], np.array(heights), box.y0, box.y1)
        return Affine2D().translate(box.x1 + pixels(_GAP), y[self.number])


def _end_in_view(line: Any) -> tuple[float, float]:
    """Return where a line ends at the right, or leaves its axes there, in pixels."""
    box = line.axes.bbox
    points = np.ma.filled(line.get_transform().transform(line.get_xydata()), np.nan)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) == 0:
        return box.x1, box.y0
    x, y = points[np.argsort(points[:, 0], kind="stable")].T
    height = y[-1] if x[-1] <= box.x1 else np.interp(box.x1, x, y)
    return float(min(x[-1], box.x1)), float(np.clip(height, box.y0, box.y1))


def spread(at: Floats, heights: Floats, low: float, high: float) -> Floats:
    """Return where to put things so that they do not overlap, as near as possible to where they belong.

    Where there is room, they lie between `low` and `high`.
    """
    order = np.argsort(at, kind="stable")
    size = heights[order]
    below = np.cumsum(size) - size / 2  # of each, if they stood on each other
    # Steps between neighbours are at least their sizes where what is left after these never falls.
    free: NDArray[Any] = isotonic_regression(at[order] - below)
    placed = np.empty(len(at))
    placed[order] = np.clip(free, low, max(low, high - size.sum())) + below
    return placed


def _draw_legend(ax: Any, entries: list[tuple[Any, str]], inside: str | None) -> None:
    """Redraw the legend: above the axes if they are alone in a figure with room for it, else on the axes."""
    figure = ax.figure
    for legend in figure.legends[:]:
        if legend.get_gid() == f"{_LEGEND} {id(ax)}":
            legend.remove()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    if not entries:
        return
    handles, labels = zip(*entries, strict=True)
    style = {"edgecolor": "none", "framealpha": 0.8, "fontsize": "small", "handlelength": 2.6}
    if len(figure.axes) > 1 or not _makes_room(figure):
        style |= {"loc": inside or "best"}
        if ax.legend(handles, labels, **style).get_window_extent().width > ax.bbox.width:
            ax.legend(handles, [label.replace(": ", "\n").replace(", ", "\n") for label in labels], **style)
        return
    for columns in (3, 2, 1):
        legend = figure.legend(handles, labels, loc="outside upper left", ncols=columns, **style)
        legend.set_gid(f"{_LEGEND} {id(ax)}")
        if legend.get_window_extent().width <= figure.bbox.width:
            return
        if columns > 1:
            legend.remove()
