"""What pictures share: pieces of curves, their outline, and nines."""

import numpy as np
import pytest

from skconf._core.pictures import NINES, nines, outlined, pieces, spaced


def test_pieces_are_runs_without_nan():
    points = np.array([[np.nan, 0], [0, 1], [1, 2], [2, np.nan], [3, 4], [np.nan, np.nan]])
    assert [piece.tolist() for piece in pieces(points)] == [[[0, 1], [1, 2]], [[3, 4]]]


def test_an_outline_has_ends_and_extremes_of_each_column():
    x = np.arange(1000) / 10
    y = np.random.default_rng(0).normal(size=1000)
    kept = outlined(np.column_stack([x, y]), 10)
    for start in range(0, 1000, 100):
        part = kept[(kept[:, 0] >= start / 10) & (kept[:, 0] < start / 10 + 10)]
        column = y[start : start + 100]
        assert {column[0], column.min(), column.max(), column[-1]} == set(part[:, 1])


def test_nines_of_confidences():
    assert nines([0, 0.9, 0.99, 1]) == pytest.approx([0, 1, 2, np.inf])
    assert nines(NINES) == pytest.approx(np.arange(1, 15), abs=0.01)


def test_spaced_points_are_evenly_far_from_each_other():
    steps = np.random.default_rng(0).random(5000)
    points = np.column_stack([np.cumsum(steps), np.zeros(5000)])
    kept = spaced(points, 100)
    assert (kept[[0, -1]] == points[[0, -1]]).all()
    assert len(kept) <= 100
    assert np.diff(kept[:, 0]) == pytest.approx(points[-1, 0] / 99, abs=1.1)
    assert len(spaced(points[:50], 100)) == 50
