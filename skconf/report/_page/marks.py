"""Marks of charts: lines, bands, points, bars, rules and notes."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf.report._page import curves
from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import Frame, number, path

#: So many series are told apart by colour, dashes and shape of markers.
N_SERIES = 5
#: Shapes of markers around their centre, one a series, about equal in area.
_SHAPES = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.5-3.5h7v7h-7z",
    "m0-5 4.8 8.5h-9.6z",
    "m0-5.2 5 5.2-5 5.2-5-5.2z",
    "m-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
)
#: Distance of points that stand for a curve where names look for room.
_STRIDE = 4.0


_NOWHERE = np.empty((0, 2))


@dataclass(frozen=True, eq=False)
class Drawn:
    """A mark in a frame.

    Parameters
    ----------
    markup : Markup
        What is drawn.
    trace : ndarray of shape (n, 2)
        Places that no name may cover.
    spine : ndarray of shape (n, 2)
        Places that its name may stand beside.
    """

    markup: Markup
    trace: NDArray[Any]
    spine: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Line:
    """A curve; NaN breaks it.

    Parameters
    ----------
    x, y : array-like
        Its points, in the order in which they are joined.
    name : str, default=None
        Written beside it.
    series : int or None, default=None
        Which colour, dashes and markers, 0 to 4; None: a quiet grey.
    step : bool, default=False
        Each y holds until the next x.
    dashed : bool, default=False
        Dashed whatever its series: something announced or wanted, not seen.
    """

    x: ArrayLike
    y: ArrayLike
    name: str | None = None
    series: int | None = None
    step: bool = False
    dashed: bool = False

    layer: ClassVar[int] = 3

    def drawn(self, frame: Frame) -> Drawn:
        """Return a path."""
        shown = [curves.thinned(piece, self.step) for piece in curves.pieces(frame.at(self.x, self.y))]
        # A path to where it starts is a dot.
        dotted = [np.repeat(piece, 2, axis=0) if len(piece) == 1 else piece for piece in shown]
        markup = element("path", d=path(dotted), class_=_classes("line", self.series, self.dashed))
        return Drawn(markup, along := _along(shown), along)


@dataclass(frozen=True, eq=False)
class Band:
    """The room between two curves, such as limits of confidence; NaN breaks it.

    Parameters
    ----------
    x, low, high : array-like
        Its points.
    series : int or None, default=None
        As of a `Line`.
    step : bool, default=False
        As of a `Line`.
    """

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    series: int | None = None
    step: bool = False

    layer: ClassVar[int] = 0
    name: ClassVar[None] = None

    def drawn(self, frame: Frame) -> Drawn:
        """Return closed paths; names may stand on them."""
        edges = np.hstack([frame.at(self.x, self.low), frame.at(self.x, self.high)])
        shown = [
            np.vstack([curves.thinned(piece[:, :2], self.step), curves.thinned(piece[:, 2:], self.step)[::-1]])
            for piece in curves.pieces(edges)
        ]
        markup = element("path", d=path(shown, close=True), class_=_classes("band", self.series))
        return Drawn(markup, _NOWHERE, _NOWHERE)


@dataclass(frozen=True, eq=False)
class Points:
    """Points, each with an interval or none. Those outside the axes, or with NaN, are left out.

    Parameters
    ----------
    x, y : array-like
        Their places.
    low, high : array-like, default=None
        Ends of their intervals.
    name : str, default=None
        Written beside one of them.
    series : int or None, default=None
        As of a `Line`.
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

    def drawn(self, frame: Frame) -> Drawn:
        """Return intervals, and markers over them."""
        centres, intervals = self._places(frame)
        markers = "".join(f"M{number(x)} {number(y)}{_SHAPES[self.series or 0]}" for x, y in centres)
        markup = element(
            "g",
            element("path", d=path(intervals), class_="interval") if intervals else None,
            element("path", d=markers, class_="marker"),
            class_=_classes("points", self.series),
        )
        corners = [centres + offset for offset in ((0, 0), (-4, -4), (-4, 4), (4, -4), (4, 4))]
        return Drawn(markup, np.vstack([*corners, _along(intervals)]), centres)

    def _places(self, frame: Frame) -> tuple[NDArray[Any], list[NDArray[Any]]]:
        """Return centres, and both ends of intervals up to the frame, of the points inside."""
        centres, box = frame.at(self.x, self.y), frame.box
        inside = box.grown(0.05).covers(centres)
        if self.low is None or self.high is None:
            return centres[inside], []
        limits = (self.low, self.high)
        ends = np.stack(
            [frame.at(self.x, limit) if self.along == "y" else frame.at(limit, self.y) for limit in limits], axis=1
        )[inside]
        known = ends[np.isfinite(ends).all(axis=(1, 2))]
        return centres[inside], list(np.clip(known, (box.left, box.top), (box.right, box.bottom)))


@dataclass(frozen=True, eq=False)
class Bars:
    """Rectangles: of a histogram, from `y0` = 0; of categories, from `x0` = 0, with rows around 0, 1, ...

    Parameters
    ----------
    x0, x1, y0, y1 : array-like
        Their edges; numbers are edges of all.
    series : int or None, default=None
        As of a `Line`.
    name : str, default=None
        Written beside one of them.
    """

    x0: ArrayLike
    x1: ArrayLike
    y0: ArrayLike
    y1: ArrayLike
    series: int | None = None
    name: str | None = None

    layer: ClassVar[int] = 1

    def drawn(self, frame: Frame) -> Drawn:
        """Return closed paths; their name stands at an upper edge."""
        x0, x1, y0, y1 = np.broadcast_arrays(*(np.atleast_1d(edge) for edge in (self.x0, self.x1, self.y0, self.y1)))
        corners = np.stack([frame.at(x, y) for x, y in ((x0, y0), (x0, y1), (x1, y1), (x1, y0))], axis=1)
        corners = corners[np.isfinite(corners).all(axis=(1, 2))]
        markup = element("path", d=path(list(corners), close=True), class_=_classes("bars", self.series))
        trace = np.vstack([corners.mean(axis=1), _along(list(corners))])
        return Drawn(markup, trace, corners[:, 1:3].mean(axis=1))


@dataclass(frozen=True, eq=False)
class Rule:
    """A line right across, at one value of one axis; a diagonal is a dashed `Line` without a series.

    Parameters
    ----------
    name : str
        Written beside it.
    x, y : float, default=None
        Its value, of one of them.

    Raises
    ------
    ValueError
        If both or none are given.
    """

    name: str
    x: float | None = None
    y: float | None = None

    layer: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ValueError(f"A rule needs either x or y, got x={self.x}, y={self.y}.")

    def drawn(self, frame: Frame) -> Drawn:
        """Return a path."""
        box = frame.box
        if self.x is None:
            up = frame.at(frame.x.low, np.asarray(self.y, dtype=float))[0, 1]
            ends = np.array([[box.left, up], [box.right, up]])
        else:
            across = frame.at(self.x, frame.y.low)[0, 0]
            ends = np.array([[across, box.bottom], [across, box.top]])
        pieces = curves.pieces(ends)
        markup = element("path", d=path(pieces), class_=_classes("line", None, dashed=True))
        return Drawn(markup, along := _along(pieces), along)


@dataclass(frozen=True, eq=False)
class Note:
    """A short text beside a place.

    Parameters
    ----------
    x, y : float
        Its place.
    name : str
        What is written.
    """

    x: float
    y: float
    name: str

    layer: ClassVar[int] = 5

    def drawn(self, frame: Frame) -> Drawn:
        """Return nothing: the text is written with the names."""
        place = frame.at(self.x, self.y)
        return Drawn(Markup(), place, place)


Mark: TypeAlias = Line | Band | Points | Bars | Rule | Note


def _classes(kind: str, series: int | None, dashed: bool = False) -> str:
    if series is not None and not 0 <= series < N_SERIES:
        raise ValueError(f"series must be 0 to {N_SERIES - 1} or None, got {series}: draw a panel for each instead.")
    return " ".join([kind, "quiet" if series is None else f"s{series}"] + ["dashed"] * dashed)


def _along(paths: list[NDArray[Any]]) -> NDArray[Any]:
    """Return points along paths, near enough to each other that no text gets between."""
    found = [_NOWHERE, *(points[-1:] for points in paths)]
    for points in paths:
        for start, end in pairwise(points):
            count = min(int(np.hypot(*(end - start)) / _STRIDE) + 1, 500)
            found.append(start + np.linspace(0, 1, count, endpoint=False)[:, None] * (end - start))
    return np.vstack(found)
