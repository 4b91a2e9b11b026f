"""Names in charts: beside their curves where there is room, else at their ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from skconf.report._page.elements import Markup, element
from skconf.report._page.frame import Box, path
from skconf.report._page.texts import LINE, text_width, written

#: Distance of a name from its curve.
_AWAY = 6.0
#: A curve nearer than this to the name of another one might be taken for its own; the second, where room is rare.
_APART = (12.0, 5.0)
#: So many places along a curve are tried.
_TRIED = 60
#: The most room that names at ends take.
_WIDEST = 130.0
#: A name this far from its end gets a line to it.
_FAR = 5.0
#: A curve that ends this far from the right edge is named inside, if that can be.
_SHORT = 40.0


@dataclass(frozen=True, eq=False)
class Label:
    """A name, and the places of what it names.

    Parameters
    ----------
    text : str
        The name.
    series : int or None
        Its colour.
    spine : ndarray of shape (n, 2)
        Places beside which it may stand, the end of the curve first.
    """

    text: str
    series: int | None
    spine: NDArray[Any]

    @property
    def width(self) -> float:
        """The room that it takes."""
        return text_width(self.text, bold=True)

    def drawn(self, box: Box, width: float = np.inf) -> Markup:
        """Return the text, in a box, in its colour."""
        colour = "quiet" if self.series is None else f"s{self.series}"
        return written(self.text, box.left, box.bottom - 4, f"name {colour}", width, bold=True)


def inside(labels: Sequence[Label], obstacles: NDArray[Any], room: Box) -> tuple[list[Markup], list[Label]]:
    """Return names beside their curves, and the labels that find no room.

    Parameters
    ----------
    labels : sequence of Label
        The names.
    obstacles : ndarray of shape (n, 2)
        Points that no name may cover.
    room : Box
        Where names may stand.
    """
    taken: list[Box] = []
    drawn, left = [], []
    for label in labels:
        others = np.vstack([np.empty((0, 2)), *(other.spine for other in labels if other is not label)])
        free = (box for apart in _APART for box in _free(label, obstacles, others, apart) if room.holds(box))
        box = next((box for box in free if not any(box.meets(other) for other in taken)), None)
        if box is None:
            left.append(label)
        else:
            taken.append(box)
            drawn.append(label.drawn(box))
    return drawn, left


def _free(label: Label, obstacles: NDArray[Any], others: NDArray[Any], apart: float) -> Iterator[Box]:
    """Yield boxes for a name that cover nothing and are not near to other curves, the end of its own first."""
    half = LINE / 2
    # Offsets of the box's centre from the point: above, below, right, left; then the corners.
    steep, flat = half + _AWAY, label.width / 2 + _AWAY
    offsets = [(0, -steep), (0, steep), (flat, 0), (-flat, 0)]
    offsets += [(side * flat, level * height) for height in (half, steep) for level in (-1, 1) for side in (1, -1)]
    every = max(len(label.spine) // _TRIED, 1)
    for x, y in (label.spine[::every, None, :] + np.array(offsets)).reshape(-1, 2).tolist():
        box = Box(x - label.width / 2, y - half, x + label.width / 2, y + half)
        if not box.grown(1).covers(obstacles).any() and not box.grown(apart).covers(others).any():
            yield box


def margin(labels: Sequence[Label]) -> float:
    """Return the room that names at ends take."""
    return min(max(label.width for label in labels), _WIDEST) + 3 * _AWAY


def at_ends(labels: Sequence[Label], obstacles: NDArray[Any], room: Box) -> list[Markup]:
    """Return names at ends, right of the frame; those of curves that end early inside, if that can be."""
    early = [label for label in labels if room.right - label.spine[0, 0] > _SHORT]
    drawn, left = inside(early, obstacles, room)
    late = [label for label in labels if label not in early or label in left]
    return drawn + _column(late, room) if late else drawn


def _column(labels: Sequence[Label], room: Box) -> list[Markup]:
    """Return names right of the frame, at the height of their ends or shifted apart, with lines to far ends."""
    order = sorted(range(len(labels)), key=lambda k: (labels[k].spine[0, 1], k))
    heights = _shifted_apart(np.array([labels[k].spine[0, 1] for k in order]), room)
    drawn = []
    for k, height in zip(order, heights.tolist(), strict=True):
        (x, y), left = labels[k].spine[0], room.right + 2 * _AWAY
        if abs(height - y) > _FAR or room.right - x > _FAR:
            ends = np.array([[x + 2, y], [max(x + 2, room.right), y], [left - 2, height]])
            drawn.append(element("path", d=path([ends]), class_="leader"))
        box = Box(left, height - LINE / 2, left + _WIDEST, height + LINE / 2)
        drawn.append(labels[k].drawn(box, _WIDEST))
    return drawn


def _shifted_apart(heights: NDArray[Any], room: Box) -> NDArray[Any]:
    """Return the nearest to ascending heights that are a line apart, and in the room where it has so many lines."""
    shifts = LINE * np.arange(len(heights))
    lowest = max(room.bottom - shifts[-1], room.top)
    return np.clip(isotonic_regression(heights - shifts), room.top, lowest) + shifts
