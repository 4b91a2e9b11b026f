"""Code for pictures of matplotlib and of pages: curves with few points, and the scale of nines."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Confidences at equal distances on the scale of nines: 0.9, 0.99, ... Confidences closer to 1 differ from 1 only by
#: rounding.
NINES = 1 - 10.0 ** -np.arange(1, 15)


def nines(confidence: ArrayLike) -> NDArray[Any]:
    """Return the number of nines of confidences, −log10(1 − c): 1 for 0.9, 2 for 0.99, infinity for 1."""
    with np.errstate(divide="ignore"):
        return -np.log10(1 - np.minimum(np.asarray(confidence, dtype=float), 1.0))


def pieces(points: NDArray[Any]) -> list[NDArray[Any]]:
    """Divide a curve at its points with NaN, and return the pieces between them."""
    gaps = np.flatnonzero(np.logical_or.reduce([np.isnan(column) for column in points.T]))
    # Each run except the first starts with the gap before it.
    runs = [run[min(number, 1) :] for number, run in enumerate(np.split(points, gaps))]
    return [run for run in runs if len(run)]


def outlined(points: NDArray[Any], width: float) -> NDArray[Any]:
    """Return four points of a curve in each column of this width: the first, the last, the highest and the lowest.

    The first two numbers of a point are x and y. Further numbers are kept.
    """
    x, y = np.ascontiguousarray(points.T[:2])
    column = np.floor((x - x[0]) / width)
    starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    if 4 * len(starts) >= len(points):
        return points
    ends = np.append(starts[1:], len(points))
    kept = np.zeros(len(points), dtype=bool)
    kept[starts] = kept[ends - 1] = True
    for extreme in (np.minimum, np.maximum):
        reached = extreme.reduceat(y, starts)
        hits = np.flatnonzero(y == np.repeat(reached, ends - starts))
        kept[hits[np.searchsorted(hits, starts)]] = True
    return points[kept]


def spaced(points: NDArray[Any], most: int) -> NDArray[Any]:
    """Return points at equal distances along a curve: at most `most`, and its last point."""
    if len(points) <= most:
        return points
    along = np.append(0.0, np.abs(np.diff(points, axis=0)).sum(axis=1).cumsum())
    kept = np.searchsorted(along, np.linspace(0, along[-1], most) - 1e-12)
    return points[np.unique(np.append(kept, len(points) - 1))]
