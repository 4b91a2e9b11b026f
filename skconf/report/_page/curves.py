"""Curves of many points: what can be seen of them, in few points."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Differences that no one sees, in units of the picture.
_UNSEEN = 0.15
#: Width of a column of which only the ends and extremes can be seen.
_COLUMN = 0.5


def pieces(points: NDArray[Any]) -> list[NDArray[Any]]:
    """Return runs of points without NaN."""
    gaps = np.flatnonzero(np.isnan(points).any(axis=1))
    runs = np.split(points, gaps)
    # Each run but the first starts with its gap.
    return [run for run in (run[np.isfinite(run).all(axis=1)] for run in runs) if len(run)]


def thinned(points: NDArray[Any], step: bool = False) -> NDArray[Any]:
    """Return the points of a curve that are needed to draw it; ``step``: each y holds until the next x."""
    return _straightened(_outlined(_stepped(points) if step else points))


def _stepped(points: NDArray[Any]) -> NDArray[Any]:
    corners = np.repeat(points, 2, axis=0)[1:]
    corners[1::2, 1] = points[:-1, 1]
    return corners


def _outlined(points: NDArray[Any]) -> NDArray[Any]:
    """Keep the first, last, highest and lowest point of each run within a column."""
    column = np.floor(points[:, 0] / _COLUMN)
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]])
    if 4 * len(starts) >= len(points):
        return points
    ends = np.r_[starts[1:], len(points)]
    kept = [starts, ends - 1]
    for extreme in (np.minimum, np.maximum):
        reached = extreme.reduceat(points[:, 1], starts)
        hits = np.flatnonzero(points[:, 1] == np.repeat(reached, ends - starts))
        kept.append(hits[np.searchsorted(hits, starts)])
    return points[np.unique(np.concatenate(kept))]


def _straightened(points: NDArray[Any]) -> NDArray[Any]:
    """Leave out points so near to the line between others that no one sees it (Douglas and Peucker)."""
    kept = np.zeros(len(points), dtype=bool)
    kept[[0, -1]] = True
    stack = [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        distances = _distances(points[first + 1 : last], points[first], points[last])
        furthest = int(np.argmax(distances))
        if distances[furthest] > _UNSEEN:
            middle = first + 1 + furthest
            kept[middle] = True
            stack += [(first, middle), (middle, last)]
    return points[kept]


def _distances(points: NDArray[Any], start: NDArray[Any], end: NDArray[Any]) -> NDArray[Any]:
    """Return distances of points from the line between two others, ends included."""
    along = end - start
    length = float(along @ along)
    share = np.clip((points - start) @ along / length, 0, 1) if length else np.zeros(len(points))
    return np.hypot(*(points - start - share[:, None] * along).T)
