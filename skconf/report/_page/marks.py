"""Draw the marks of charts: lines, bands, points and rules."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.pictures import pieces
from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import Frame, number, path

#: The number of series that colour, dashes and markers can distinguish. More series have a panel each.
_N_SERIES = 5
#: Shapes of markers around their centre, one for each series, with about the same area.
_SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.5-3.5h7v7h-7z",
    "m0-5 4.8 8.5h-9.6z",
    "m0-5.2 5 5.2-5 5.2-5-5.2z",
    "m-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
)
#: Half the bar at the end of an interval that has no point.
_HALF_BAR = 4.0


@dataclass(frozen=True, eq=False)
class Line:
    """A curve; NaN breaks it.

    Parameters
    ----------
    x, y : array-like
        Its points, in the order in which they are joined.
    name : str, default=None
        Its name in the legend.
    series : int or None, default=None
        The number of the series, which has a colour, dashes and markers. None means grey.
    step : bool, default=False
        Whether y stays the same until the next x.
    dashed : bool, default=False
        Whether the line is dashed. Dashes stand for something expected or wanted, not for something observed.
    """

    x: ArrayLike
    y: ArrayLike
    name: str | None = None
    series: int | None = None
    step: bool = False
    dashed: bool = False

    layer: ClassVar[int] = 3

    def drawn(self, frame: Frame) -> Markup:
        """Draw the line as a path."""
        shown = [_stepped(piece, self.step) for piece in pieces(frame.at(self.x, self.y))]
        # A path that ends where it starts is a dot.
        dotted = [np.repeat(piece, 2, axis=0) if len(piece) == 1 else piece for piece in shown]
        return element("path", d=path(dotted), class_=_classes("line", self.series, self.dashed))


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two curves, such as confidence limits; NaN breaks it.

    Parameters
    ----------
    x, low, high : array-like
        Its points.
    series : int or None, default=None
        As in a `Line`.
    step : bool, default=False
        As in a `Line`.
    """

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    series: int | None = None
    step: bool = False

    layer: ClassVar[int] = 0
    name: ClassVar[None] = None

    def drawn(self, frame: Frame) -> Markup:
        """Draw the area as closed paths."""
        edges = np.hstack([frame.at(self.x, self.low), frame.at(self.x, self.high)])
        shown = [
            np.vstack([_stepped(piece[:, :2], self.step), _stepped(piece[:, 2:], self.step)[::-1]])
            for piece in pieces(edges)
        ]
        return element("path", d=path(shown, close=True), class_=_classes("band", self.series))


@dataclass(frozen=True, eq=False)
class Points:
    """Points, with or without intervals. Points outside the axes are left out.

    Parameters
    ----------
    x, y : array-like
        The places of the points. If y is NaN, only the interval is drawn, with a bar at its upper end.
    low, high : array-like, default=None
        Ends of their intervals.
    name : str, default=None
        Their name in the legend.
    series : int or None, default=None
        As in a `Line`.
    along : {"y", "x"}, default="y"
        The axis of the intervals.
    """

    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    name: str | None = None
    series: int | None = None
    along: Literal["x", "y"] = "y"

    layer: ClassVar[int] = 4

    def drawn(self, frame: Frame) -> Markup:
        """Draw the intervals, and markers over them."""
        centres, intervals = self._places(frame)
        markers = "".join(f"M{number(x)} {number(y)}{_SHAPES[(self.series or 0) % _N_SERIES]}" for x, y in centres)
        return element(
            "g",
            element("path", d=path(intervals), class_="interval") if intervals else None,
            element("path", d=markers, class_="marker"),
            class_=_classes("points", self.series),
        )

    def _places(self, frame: Frame) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """Return the centres of the points inside the frame, and the lines of their intervals, cut at the frame.

        An interval without a point also has a line: a bar across one of its ends.
        """
        centres, box = frame.at(self.x, self.y), frame.box
        inside = box.grown(0.05).covers(centres)
        if self.low is None or self.high is None:
            return centres[inside], []
        limits = (self.low, self.high)
        ends = np.stack(
            [frame.at(self.x, limit) if self.along == "y" else frame.at(limit, self.y) for limit in limits], axis=1
        )
        known, corners = np.isfinite(ends).all(axis=(1, 2)), ((box.left, box.top), (box.right, box.bottom))
        alone = known & np.isnan(centres[:, 1]) & box.grown(0.05).covers(ends[:, 1])
        bars = ends[alone][:, [1, 1]] + np.array([[-_HALF_BAR, 0.0], [_HALF_BAR, 0.0]])
        return centres[inside], [*np.clip(ends[known & inside | alone], *corners), *bars]


@dataclass(frozen=True, eq=False)
class Here(Points):
    """A point that a control moves: a ring around its place, or at the edge of the frame if the place is outside.

    Parameters
    ----------
    row : int, default=0
        The row of the table behind the slider that has the numbers of this point.
    """

    row: int = 0

    layer: ClassVar[int] = 5

    def drawn(self, frame: Frame) -> Markup:
        """Draw a ring around the origin, with a transform that moves it to its place."""
        (x, y), *_ = within(frame, frame.at(self.x, self.y))
        ring = element("circle", r="6.5")
        moved = f"translate({number(x)} {number(y)})"
        return element("g", ring, class_=_classes("here", self.series), data_row=str(self.row), transform=moved)


def within(frame: Frame, points: NDArray[Any]) -> NDArray[Any]:
    """Return points, with those outside the frame at its edge. NaN is put at the left or at the bottom."""
    box = frame.box
    known = np.where(np.isnan(points), (box.left, box.bottom), points)
    return np.clip(known, (box.left, box.top), (box.right, box.bottom))


@dataclass(frozen=True, eq=False)
class Rule:
    """A line across the chart at one value of one axis. A diagonal is a dashed `Line` without a series.

    Parameters
    ----------
    name : str or None
        What it shows, in the legend.
    x, y : float, default=None
        The value at which the line crosses an axis. Pass either `x` or `y`.
    """

    name: str | None
    x: float | None = None
    y: float | None = None

    layer: ClassVar[int] = 2
    series: ClassVar[None] = None

    def drawn(self, frame: Frame) -> Markup:
        """Draw the line as a path."""
        box = frame.box
        if self.x is None:
            up = frame.at(frame.x.low, np.asarray(self.y, dtype=float))[0, 1]
            ends = np.array([[box.left, up], [box.right, up]])
        else:
            across = frame.at(self.x, frame.y.low)[0, 0]
            ends = np.array([[across, box.bottom], [across, box.top]])
        return element("path", d=path(pieces(ends)), class_=_classes("line", None, dashed=True))


Mark: TypeAlias = Line | Band | Points | Rule


def _stepped(points: NDArray[Any], step: bool) -> NDArray[Any]:
    """Return the points of a curve; with ``step``, each y holds until the next x."""
    if not step:
        return points
    corners = np.repeat(points, 2, axis=0)[1:]
    corners[1::2, 1] = points[:-1, 1]
    return corners


def _classes(kind: str, series: int | None, dashed: bool = False) -> str:
    return " ".join([kind, "quiet" if series is None else f"s{series % _N_SERIES}"] + ["dashed"] * dashed)
