"""Charts: SVG with text as text, colours of the page, and no style of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf.report._page import names
from skconf.report._page.axes import Axis
from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import Box, Frame, number, path
from skconf.report._page.marks import Band, Bars, Drawn, Line, Mark, Note, Points, Rule
from skconf.report._page.texts import FONT, LINE, text_width, written

__all__ = ["Axis", "Band", "Bars", "Chart", "Line", "Mark", "Note", "Points", "Rule"]

_Pair: TypeAlias = tuple[Mark, Drawn]
#: Between an axis and its texts.
_PAD = 6.0


@dataclass(frozen=True, eq=False)
class Chart:
    """A picture, what it shows, and the numbers behind it.

    Parameters
    ----------
    name : str
        A short title.
    finding : str
        A sentence that says what is seen.
    x, y : Axis
        The axes. The label of the second one stands above it.
    marks : sequence of Mark
        What is drawn.
    data : DataFrame
        The numbers behind it.
    width, height : float, default=420 and 300
        Its size in units; letters are 13 units high.
    heading : (str, series) or None, default=None
        Written above it: what a panel shows.
    """

    name: str
    finding: str
    x: Axis
    y: Axis
    marks: Sequence[Mark]
    data: pd.DataFrame
    width: float = 420
    height: float = 300
    heading: tuple[str, int] | None = None

    def svg(self, prefix: str) -> Markup:
        """Return it as an element; ``prefix`` begins its ids, and may not begin those of another one."""
        frame, drawn, texts = self._laid_out()
        box, clip = frame.box.grown(2), f"{prefix}-clip"
        shape = {"x": number(box.left), "y": number(box.top)}
        shape |= {"width": number(box.right - box.left), "height": number(box.bottom - box.top)}
        return element(
            "svg",
            element("title", self.name, id=f"{prefix}-name"),
            element("desc", self.finding, id=f"{prefix}-finding"),
            element("clipPath", element("rect", **shape), id=clip),
            self._axes(frame),
            element(
                "g",
                [one.markup for mark, one in drawn if not isinstance(mark, Points)],
                clip_path=f"url(#{clip})",
            ),
            # Markers at the edge are drawn whole.
            [one.markup for mark, one in drawn if isinstance(mark, Points)],
            texts,
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
            class_="chart" if self.heading is None else "chart panel",
            role="img",
            aria_labelledby=f"{prefix}-name {prefix}-finding",
        )

    def panels(self, most: int = 3) -> tuple["Chart", ...]:
        """Return it alone; of more series than ``most``, small charts: each shows one, the others in grey behind it.

        Bars of several series hide each other: ask for ``most=1``.
        """
        series = dict.fromkeys(s for mark in self.marks if (s := _series(mark)) is not None)
        return (self,) if len(series) <= most else tuple(self._panel(s) for s in series)

    def _panel(self, series: int) -> "Chart":
        marks: list[Mark] = []
        for mark in self.marks:
            own = _series(mark) == series
            if own and isinstance(mark, Line | Points | Bars):
                # What it shows is written above it.
                marks.append(replace(mark, name=None))
            elif own or _series(mark) is None:
                marks.append(mark)
            elif isinstance(mark, Line) and not mark.dashed:
                marks.append(replace(mark, name=None, series=None))
        name = next((mark.name for mark in self.marks if _series(mark) == series and mark.name), f"{series + 1}")
        return replace(self, name=f"{self.name}: {name}", marks=marks, width=210, height=220, heading=(name, series))

    def _laid_out(self) -> tuple[Frame, list[_Pair], list[Markup]]:
        """Return the frame, what is in it, and names; room at the right only where a name finds none inside."""
        frame = self._frame(0)
        drawn = self._drawn(frame)
        labels = _labels(drawn, frame)
        texts, left = names.inside(labels, self._obstacles(drawn, frame), frame.box.grown(-2))
        if left and not self.heading:
            frame = self._frame(names.margin(labels))
            drawn = self._drawn(frame)
            labels = _labels(drawn, frame)
            texts = names.at_ends(labels, self._obstacles(drawn, frame), frame.box.grown(-2))
        return frame, drawn, texts

    def _drawn(self, frame: Frame) -> list[_Pair]:
        """Return the marks from back to front."""
        ordered = sorted(self.marks, key=lambda mark: (mark.layer, _series(mark) is not None))
        return [(mark, mark.drawn(frame)) for mark in ordered]

    def _obstacles(self, drawn: list[_Pair], frame: Frame) -> NDArray[Any]:
        """Return what no name may cover; in a panel, it may cover what is grey."""
        traces = [one.trace for mark, one in drawn if not self.heading or mark.name or _series(mark) is not None]
        return _within(frame, np.vstack([np.empty((0, 2)), *traces]))

    def _frame(self, right: float) -> Frame:
        """Return the frame that leaves room for the texts of the axes, and at the right."""
        top = LINE + _PAD + 4 + (LINE if self.heading else 0)
        bottom = self.height - 2 * LINE - _PAD - 4
        texts = self.y.written(_most_rows(bottom - top)).values()
        left = max(map(text_width, texts), default=0) + _PAD + 2
        left = min(left, self.width / 3)
        # The last value on the x axis may stand at its very end.
        ends = [text_width(text) / 2 for text in self.x.written(2).values()]
        return Frame(self.x, self.y, Box(left, top, self.width - max(right, *ends, _PAD), bottom))

    def _axes(self, frame: Frame) -> Markup:
        box = frame.box
        above, below = box.top - _PAD - 5, self.height - _PAD
        heading = None
        if self.heading:
            text, series = self.heading
            heading = written(text, 0, above - LINE, f"name s{series}", self.width, bold=True)
        # Below the middle of the frame, unless that is too near to an edge.
        half = min(text_width(self.x.label), self.width) / 2
        middle = max(min((box.left + box.right) / 2, self.width - half), half)
        return element(
            "g",
            heading,
            written(self.y.label, 0, above, "label", self.width),
            written(self.x.label, middle, below, "label middle", self.width),
            _rows(frame),
            _columns(frame),
            class_="axes",
        )


def _rows(frame: Frame) -> list[Markup]:
    """Return values of the y axis, with lines across."""
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
    """Return values of the x axis, with lines up."""
    box, drawn = frame.box, []
    for x, text in _apart(frame):
        line = np.array([[x, box.bottom], [x, box.top]])
        drawn.append(element("path", d=path([line]), class_="grid"))
        drawn.append(written(text, x, box.bottom + LINE + 1, "tick middle"))
    return drawn


def _apart(frame: Frame) -> list[tuple[float, str]]:
    """Return places and texts of the x axis: as many as do not touch, evenly if that can be."""
    tried = [_ticks(frame, most) for most in (6, 5, 4, 3, 2)]
    for ticks in tried:
        if not any(_touch(before, after) for before, after in pairwise(ticks)):
            return ticks
    kept: list[tuple[float, str]] = []
    for tick in reversed(tried[0]):
        if not kept or not _touch(tick, kept[-1]):
            kept.append(tick)
    return kept[::-1]


def _ticks(frame: Frame, most: int) -> list[tuple[float, str]]:
    texts = frame.x.written(most)
    return sorted(zip(frame.at(list(texts), frame.y.low)[:, 0].tolist(), texts.values(), strict=True))


def _touch(before: tuple[float, str], after: tuple[float, str]) -> bool:
    return before[0] + text_width(before[1]) / 2 + _PAD > after[0] - text_width(after[1]) / 2


def _series(mark: Mark) -> int | None:
    return None if isinstance(mark, Rule | Note) else mark.series


def _within(frame: Frame, points: NDArray[Any]) -> NDArray[Any]:
    return points[frame.box.grown(0.5).covers(points)]


def _labels(drawn: list[_Pair], frame: Frame) -> list[names.Label]:
    """Return names, each once, in the order of the series; those of none last."""
    found: dict[tuple[str, int | None], list[NDArray[Any]]] = {}
    for mark, one in sorted(drawn, key=lambda pair: (_series(pair[0]) is None, _series(pair[0]) or 0)):
        spine = _within(frame, one.spine)
        if mark.name and len(spine):
            found.setdefault((mark.name, _series(mark)), []).append(spine)
    return [names.Label(*key, _from_end(np.vstack(spines))) for key, spines in found.items()]


def _from_end(trace: NDArray[Any]) -> NDArray[Any]:
    """Return points from right to left."""
    return trace[np.argsort(-trace[:, 0], kind="stable")]
