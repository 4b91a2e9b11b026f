"""Draw charts as SVG. Texts stay texts, and the style of the page gives the colours."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf.report._page.axes import Axis
from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import FONT, LINE, Box, Frame, number, path, text_width, written
from skconf.report._page.marks import Band, Here, Line, Mark, Points, Rule, within

__all__ = ["Axis", "Band", "Chart", "Here", "Line", "Mark", "Points", "Rule"]

#: Most series of one picture.
_TOGETHER = 3
#: The distance between an axis and its texts.
_PAD = 6.0


@dataclass(frozen=True, eq=False)
class Chart:
    """A picture, its finding, and its numbers.

    Parameters
    ----------
    name : str
        A short title.
    finding : str
        A sentence on what the picture shows.
    x, y : Axis
        The axes. The label of the y axis stands above this axis.
    marks : sequence of Mark
        The marks.
    data : DataFrame
        The numbers of the picture.
    width, height : float, default=420 and 300
        The size of the picture in units. Letters are 13 units high.
    """

    name: str
    finding: str
    x: Axis
    y: Axis
    marks: Sequence[Mark]
    data: pd.DataFrame
    width: float = 420
    height: float = 300

    def svg(self, prefix: str) -> Markup:
        """Draw the chart as an SVG element; ``prefix`` begins its ids, and must be unique on the page."""
        frame = self.frame()
        box, clip = frame.box.grown(2), f"{prefix}-clip"
        shape = {"x": number(box.left), "y": number(box.top)}
        shape |= {"width": number(box.right - box.left), "height": number(box.bottom - box.top)}
        # From back to front.
        marks = sorted(self.marks, key=lambda mark: (mark.layer, mark.series is not None))
        return element(
            "svg",
            element("title", self.name, id=f"{prefix}-name"),
            element("desc", self.finding, id=f"{prefix}-finding"),
            element("clipPath", element("rect", **shape), id=clip),
            self._axes(frame),
            element(
                "g",
                [mark.drawn(frame) for mark in marks if not isinstance(mark, Points)],
                clip_path=f"url(#{clip})",
            ),
            # Markers at the edge are drawn whole.
            [mark.drawn(frame) for mark in marks if isinstance(mark, Points)],
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
            class_="chart",
            role="img",
            aria_labelledby=f"{prefix}-name {prefix}-finding",
        )

    def at(self, x: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return where a `Here` at these points is drawn, in units of the picture or of each of its panels."""
        frame = self.panels()[0].frame()
        return within(frame, frame.at(x, y))

    def legend(self) -> Markup | None:
        """Return the legend: each name once, with a sample of its marks; None if nothing has a name.

        Names are in the order of the series. Names without a series come last.
        """
        ordered = sorted(self.marks, key=lambda mark: (mark.series is None, mark.series or 0))
        named = dict.fromkeys((mark.name, mark.series) for mark in ordered if mark.name)
        entries = [element("li", self._sample(*key), key[0]) for key in named]
        return element("ul", entries, class_="legend") if entries else None

    def _sample(self, name: str, series: int | None) -> Markup:
        """Return the sample beside a name in the legend: one mark of each kind, as small as letters.

        If a series has only one name, its marks without a name belong to this name, too.
        """
        same = [mark for mark in self.marks if mark.series == series]
        is_only = series is not None and len({mark.name for mark in same if mark.name}) == 1
        unnamed = [mark for mark in same if is_only and not mark.name and not isinstance(mark, Here)]
        kinds = {type(mark): mark for mark in [*unnamed, *(mark for mark in same if mark.name == name)]}
        marks = sorted(kinds.values(), key=lambda mark: mark.layer)
        size = f"0 0 {number(_SAMPLE.box.right + 1)} {number(_SAMPLE.box.bottom + 1)}"
        return element("svg", map(_sample, marks), viewBox=size, class_="chart sample", aria_hidden="true")

    def panels(self) -> tuple["Chart", ...]:
        """Return the chart; with many series, return a small chart for each, with the others in grey behind it."""
        series = dict.fromkeys(mark.series for mark in self.marks if mark.series is not None)
        return (self,) if len(series) <= _TOGETHER else tuple(self._panel(s) for s in series)

    def _panel(self, series: int) -> "Chart":
        name = next((mark.name for mark in self.marks if mark.series == series and mark.name), f"{series + 1}")
        marks: list[Mark] = []
        for mark in self.marks:
            if mark.series == series:
                marks.append(mark)
            elif mark.series is None:
                # The name of such a mark stands above all panels.
                marks.append(mark if isinstance(mark, Band) else replace(mark, name=None))
            elif isinstance(mark, Line) and not mark.dashed:
                marks.append(replace(mark, name=None, series=None))
        x = replace(self.x, label=self.x.label.partition(",")[0])  # there is no room for a longer label
        return replace(self, name=f"{self.name}: {name}", x=x, marks=marks, width=210, height=200)

    def frame(self) -> Frame:
        """Return the frame that leaves room for the texts of the axes."""
        top, bottom = LINE + _PAD + 4, self.height - 2 * LINE - _PAD - 4
        texts = self.y.written(_most_rows(bottom - top)).values()
        left = min(max(map(text_width, texts), default=0) + _PAD + 2, 0.46 * self.width)
        # The last value on the x axis may stand at its very end.
        ends = [text_width(text) / 2 for text in self.x.written(2).values()]
        return Frame(self.x, self.y, Box(left, top, self.width - max(*ends, _PAD), bottom))

    def _axes(self, frame: Frame) -> Markup:
        return element(
            "g",
            written(self.y.label, 0, frame.box.top - _PAD - 5, "label", self.width),
            written(self.x.label, self.width / 2, self.height - _PAD, "label middle", self.width),
            _rows(frame),
            _columns(frame),
            class_="axes",
        )


#: The frame of samples in a legend.
_SAMPLE = Frame(Axis(""), Axis(""), Box(1, 1, 27, 11))


def _sample(mark: Mark) -> Markup:
    """Draw a small sample of a mark, whatever its values are."""
    ends, middle = [0.0, 1.0], [0.5, 0.5]
    if isinstance(mark, Points):
        return replace(mark, x=[0.5], y=[0.5], low=None, high=None).drawn(_SAMPLE)
    if isinstance(mark, Band):
        return replace(mark, x=ends, low=[0.0, 0.0], high=[1.0, 1.0]).drawn(_SAMPLE)
    return Line(ends, middle, series=mark.series, dashed=not isinstance(mark, Line) or mark.dashed).drawn(_SAMPLE)


def _rows(frame: Frame) -> list[Markup]:
    """Write the values of the y axis, each with a horizontal line across the chart."""
    box, drawn = frame.box, []
    for value, text in frame.y.written(_most_rows(box.bottom - box.top)).items():
        y = frame.at(frame.x.low, value)[0, 1]
        line = np.array([[box.left, y], [box.right, y]])
        drawn.append(element("path", d=path([line]), class_="grid"))
        drawn.append(written(text, box.left - _PAD, y + FONT / 3, "tick end", box.left - _PAD))
    return drawn


def _most_rows(height: float) -> int:
    return max(int(height / (2 * LINE)), 2)


def _columns(frame: Frame) -> list[Markup]:
    """Write the values of the x axis, each with a vertical line up the chart."""
    box, drawn = frame.box, []
    for x, text in _apart(frame):
        line = np.array([[x, box.bottom], [x, box.top]])
        drawn.append(element("path", d=path([line]), class_="grid"))
        drawn.append(written(text, x, box.bottom + LINE + 1, "tick middle"))
    return drawn


def _apart(frame: Frame) -> list[tuple[float, str]]:
    """Return the places and texts of the values on the x axis, as many as fit without touching."""
    ticks: list[tuple[float, str]] = []
    for most in (6, 5, 4, 3, 2):
        ticks = _ticks(frame, most)
        if not any(_touch(before, after) for before, after in pairwise(ticks)):
            break
    return ticks


def _ticks(frame: Frame, most: int) -> list[tuple[float, str]]:
    texts = frame.x.written(most)
    return sorted(zip(frame.at(list(texts), frame.y.low)[:, 0].tolist(), texts.values(), strict=True))


def _touch(before: tuple[float, str], after: tuple[float, str]) -> bool:
    return before[0] + text_width(before[1]) / 2 + _PAD > after[0] - text_width(after[1]) / 2
