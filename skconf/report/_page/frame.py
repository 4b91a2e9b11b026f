"""The frame of a chart: from values to units of the picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf.report._page.axes import Axis

#: So many times its size is kept of what leaves the frame: slopes at the edge stay what they are.
_BEYOND = 20.0


@dataclass(frozen=True)
class Box:
    """A rectangle, with y growing downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> "Box":
        """Return it with a margin all around."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def covers(self, points: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which points are inside."""
        x, y = points[:, 0], points[:, 1]
        return (self.left <= x) & (x <= self.right) & (self.top <= y) & (y <= self.bottom)


@dataclass(frozen=True)
class Frame:
    """Where axes put values.

    Parameters
    ----------
    x, y : Axis
    box : Box
        The room between the axes.
    """

    x: Axis
    y: Axis
    box: Box

    def at(self, x: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Return places of points, one a row: NaN where a coordinate is, far outside where it is infinite."""
        across = np.clip(self.x.place(x), -_BEYOND, 1 + _BEYOND)
        up = np.clip(self.y.place(y), -_BEYOND, 1 + _BEYOND)
        across, up = np.broadcast_arrays(across, up)
        box = self.box
        left = box.left + across * (box.right - box.left)
        return np.column_stack([left.ravel(), (box.bottom - up * (box.bottom - box.top)).ravel()])


def number(value: float) -> str:
    """Return a coordinate: one decimal is finer than a screen."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path(pieces: list[NDArray[Any]], close: bool = False) -> str:
    """Return the data of a path through points, one piece after another."""
    end = "Z" if close else ""
    return "".join(f"M{' '.join(number(v) for v in piece.ravel())}{end}" for piece in pieces)
