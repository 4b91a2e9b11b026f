"""Marks of charts: lines, bands, points, bars, rules and notes."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._page import curves
from skconf._page.elements import Markup, element
from skconf._page.frame import Frame, number, path

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


@dataclass(frozen=True, eq=False)
class _Mark:
    """What all marks have: an order of drawing, markup, and where names may stand.

    Bands and notes are no obstacle; notes are written with the names.
    """

    layer: ClassVar[int]

    def draw(self, frame: Frame) -> Markup:  # noqa: ARG002
        """Return it as markup; ``frame`` says where values are."""
        return Markup()

    def trace(self, frame: Frame) -> NDArray[Any]:  # noqa: ARG002
        """Return places that names may not cover, one a row."""
        return np.empty((0, 2))

    def spine(self, frame: Frame) -> NDArray[Any]:
        """Return places that its name may stand beside."""
        return self.trace(frame)


@dataclass(frozen=True, eq=False)
class Line(_Mark):
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

    def draw(self, frame: Frame) -> Markup:
        """Return a path."""
        shown = [np.repeat(piece, 2, axis=0) if len(piece) == 1 else piece for piece in self._pieces(frame)]
        return element("path", d=path(shown), class_=_classes("line", self.series, dashed=self.dashed))

    def trace(self, frame: Frame) -> NDArray[Any]:
        """Return points along it."""
        return _along(self._pieces(frame))

    def _pieces(self, frame: Frame) -> list[NDArray[Any]]:
        return [_thinned(piece, self.step) for piece in curves.pieces(frame.at(self.x, self.y))]


@dataclass(frozen=True, eq=False)
class Band(_Mark):
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

    def draw(self, frame: Frame) -> Markup:
        """Return closed paths."""
        edges = np.hstack([frame.at(self.x, self.low), frame.at(self.x, self.high)])
        shown = [
            np.vstack([_thinned(piece[:, :2], self.step), _thinned(piece[:, 2:], self.step)[::-1]])
            for piece in curves.pieces(edges)
        ]
        return element("path", d=path(shown, close=True), class_=_classes("band", self.series))


@dataclass(frozen=True, eq=False)
class Points(_Mark):
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

    def draw(self, frame: Frame) -> Markup:
        """Return intervals, and markers over them."""
        centres, starts, ends = self._places(frame)
        markers = "".join(f"M{number(x)} {number(y)}{_SHAPES[self.series or 0]}" for x, y in centres)
        known = np.isfinite(starts + ends).all(axis=1)
        intervals = path(list(np.stack([starts, ends], axis=1)[known]))
        return element(
            "g",
            element("path", d=intervals, class_="interval") if intervals else None,
            element("path", d=markers, class_="marker"),
            class_=_classes("points", self.series),
        )

    def trace(self, frame: Frame) -> NDArray[Any]:
        """Return the markers' corners and centres, and points along the intervals."""
        centres, starts, ends = self._places(frame)
        known = np.isfinite(starts + ends).all(axis=1)
        corners = [centres + offset for offset in ((0, 0), (-5, -5), (-5, 5), (5, -5), (5, 5))]
        return np.vstack([*corners, _along(list(np.stack([starts, ends], axis=1)[known]))])

    def spine(self, frame: Frame) -> NDArray[Any]:
        """Return the centres."""
        return self._places(frame)[0]

    def _places(self, frame: Frame) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return centres, and starts and ends of intervals up to the frame, of the points inside."""
        centres, box = frame.at(self.x, self.y), frame.box
        nowhere = np.full(np.size(self.x), np.nan)
        limits = [nowhere if limit is None else limit for limit in (self.low, self.high)]
        starts, ends = (
            np.clip(
                frame.at(self.x, limit) if self.along == "y" else frame.at(limit, self.y),
                (box.left, box.top),
                (box.right, box.bottom),
            )
            for limit in limits
        )
        inside = box.grown(0.05).covers(centres)
        return centres[inside], starts[inside], ends[inside]


@dataclass(frozen=True, eq=False)
class Bars(_Mark):
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

    def draw(self, frame: Frame) -> Markup:
        """Return closed paths."""
        return element("path", d=path(self._outlines(frame), close=True), class_=_classes("bars", self.series))

    def trace(self, frame: Frame) -> NDArray[Any]:
        """Return points in them."""
        centres = [outline.mean(axis=0, keepdims=True) for outline in self._outlines(frame)]
        return np.vstack([np.empty((0, 2)), *centres, _along(self._outlines(frame))])

    def spine(self, frame: Frame) -> NDArray[Any]:
        """Return the middles of their upper edges."""
        return np.array([outline[1:3].mean(axis=0) for outline in self._outlines(frame)]).reshape(-1, 2)

    def _outlines(self, frame: Frame) -> list[NDArray[Any]]:
        x0, x1, y0, y1 = np.broadcast_arrays(*(np.atleast_1d(edge) for edge in (self.x0, self.x1, self.y0, self.y1)))
        corners = np.stack([frame.at(x, y) for x, y in ((x0, y0), (x0, y1), (x1, y1), (x1, y0))], axis=1)
        return list(corners[np.isfinite(corners).all(axis=(1, 2))])


@dataclass(frozen=True, eq=False)
class Rule(_Mark):
    """A line right across, at one value of one axis; a diagonal is a dashed `Line` without a series.

    Parameters
    ----------
    name : str
        Written beside it.
    x, y : float, default=None
        Its value, of one of them.
    """

    name: str
    x: float | None = None
    y: float | None = None

    layer: ClassVar[int] = 2

    def draw(self, frame: Frame) -> Markup:
        """Return a path."""
        return element("path", d=path([self._ends(frame)]), class_=_classes("line", None, dashed=True))

    def trace(self, frame: Frame) -> NDArray[Any]:
        """Return points along it."""
        return _along([self._ends(frame)])

    def _ends(self, frame: Frame) -> NDArray[Any]:
        box = frame.box
        if self.x is not None:
            across = frame.at(self.x, frame.y.low)[0, 0]
            return np.array([[across, box.bottom], [across, box.top]])
        up = frame.at(frame.x.low, self.y if self.y is not None else np.nan)[0, 1]
        return np.array([[box.left, up], [box.right, up]])


@dataclass(frozen=True, eq=False)
class Note(_Mark):
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

    def trace(self, frame: Frame) -> NDArray[Any]:
        """Return the place."""
        return frame.at(self.x, self.y)


Mark: TypeAlias = Line | Band | Points | Bars | Rule | Note


def _classes(kind: str, series: int | None, dashed: bool = False) -> str:
    if series is not None and not 0 <= series < N_SERIES:
        raise ValueError(f"series must be 0 to {N_SERIES - 1} or None, got {series}: draw a panel for each instead.")
    return " ".join([kind, "quiet" if series is None else f"s{series}"] + ["dashed"] * dashed)


def _thinned(piece: NDArray[Any], step: bool) -> NDArray[Any]:
    return curves.thinned(curves.stepped(piece) if step else piece)


def _along(paths: list[NDArray[Any]]) -> NDArray[Any]:
    """Return points along paths, near enough to each other that no text gets between."""
    found = [np.empty((0, 2)), *(points[-1:] for points in paths)]
    for points in paths:
        for start, end in pairwise(points):
            count = min(int(np.hypot(*(end - start)) / _STRIDE) + 1, 500)
            found.append(start + np.linspace(0, 1, count, endpoint=False)[:, None] * (end - start))
    return np.vstack(found)
