"""The pictures of the experiments, drawn by matplotlib: the same charts as on pages."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from skconf.report._page.chart import Axis, Band, Chart, Line, Mark, Points, Rule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Inches of a panel, and of a row of names in a panel.
_WIDTH, _HEIGHT, _ROW = 4.2, 3.4, 0.3
#: Characters of a line of a label, the most values of an axis, and the share of the axis that is added at its ends.
_LABEL, _VALUES, _BEYOND = 36, 6, 0.02
#: The most panels in a row.
_COLUMNS = 3
_MARKERS = "os^Dvp*X"
_GREY = "0.6"


def _new_figure(width: float, height: float) -> Any:
    """Return an empty figure of matplotlib without a window."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Figures need matplotlib: pip install matplotlib") from None
    return Figure(figsize=(width, height), layout="constrained")


def draw(charts: Sequence[Chart], *, titles: Sequence[str] | None = None, columns: int = _COLUMNS) -> "Figure":
    """Draw charts as panels of one figure, with one legend; titles replace the names of the charts."""
    columns = min(columns, len(charts))
    n_rows = -(-len(charts) // columns)
    named = max(len(chart.y.names) for chart in charts)
    figure = _new_figure(_WIDTH * columns + 1, max(_HEIGHT, 1.5 + _ROW * named) * n_rows)
    panels = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for panel, chart, title in zip(panels, charts, titles or [chart.name for chart in charts], strict=False):
        _set_axis(panel, "x", chart.x)
        _set_axis(panel, "y", chart.y)
        panel.set_title(title, fontsize="medium", parse_math=False)
        for mark in sorted(chart.marks, key=lambda mark: mark.layer):
            _draw(panel, mark)
    for panel in panels[len(charts) :]:
        panel.remove()
    handles = {
        label: handle
        for panel in panels[: len(charts)]
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if handles:
        legend = figure.legend(handles.values(), handles.keys(), loc="outside right upper", frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure


def _set_axis(panel: Any, which: str, axis: Axis) -> None:
    """Give a panel the label, scale, ends and values of an axis, as pages write them."""
    own = getattr(panel, f"{which}axis")
    own.set_label_text(fill(axis.label, _LABEL), parse_math=False)
    if axis.is_log:
        panel.set(**{f"{which}scale": "log"})
    values = axis.written(_VALUES)
    own.set_ticks(list(values), list(values.values()), parse_math=False)
    own.set_ticks([], minor=True)
    # A mark at an end of the axis is drawn whole.
    beyond = _BEYOND * (axis.high - axis.low) if axis.scale in ("linear", "percent") else 0.0
    panel.set(**{f"{which}lim": (axis.low - beyond, axis.high + beyond)})


def _draw(panel: Any, mark: Mark) -> None:
    """Draw a mark; a mark without a series is grey."""
    series = getattr(mark, "series", None)
    color = _GREY if series is None else f"C{series}"
    match mark:
        case Line():
            panel.plot(mark.x, mark.y, color=color, label=mark.name, linestyle="--" if mark.dashed else "-")
        case Points():
            if mark.low is not None and mark.high is not None:
                lines, place = (panel.hlines, mark.y) if mark.along == "x" else (panel.vlines, mark.x)
                lines(place, mark.low, mark.high, color=color, linewidth=1)
            marker = _MARKERS[(series or 0) % len(_MARKERS)]
            panel.plot(mark.x, mark.y, color=color, label=mark.name, linestyle="", marker=marker, markersize=4)
        case Band():
            ends = (np.asarray(values) for values in (mark.x, mark.low, mark.high))
            panel.fill_between(*ends, color=color, alpha=0.15, linewidth=0)
        case Rule(x=None):
            panel.axhline(mark.y, color=_GREY, linewidth=0.8)
        case Rule():
            panel.axvline(mark.x, color=_GREY, linewidth=0.8)
