"""Thinned curves are compared with all their points."""

import numpy as np
import pytest

from skconf.report._page.marks import thinned


def _furthest(points, corners):
    """Return the greatest distance of points from a path."""
    start, along = corners[:-1], np.diff(corners, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-30)
    share = np.clip(((points[:, None] - start) * along).sum(axis=2) / squared, 0, 1)
    nearest = start + share[:, :, None] * along
    return np.sqrt(((points[:, None] - nearest) ** 2).sum(axis=2)).min(axis=1).max()


def _walk(seed, n=20_000):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.linspace(0, 350, n), 100 + np.cumsum(rng.normal(0, 0.4, n))])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow
def test_no_point_is_further_from_the_thinned_curve_than_can_be_seen(seed):
    points = _walk(seed)
    thin = thinned(points)
    assert len(thin) < len(points) / 10
    assert _furthest(points[::7], thin) < 0.6
    # Nothing is made up, and extremes are kept.
    assert {tuple(point) for point in thin} <= {tuple(point) for point in points}
    assert thin[:, 1].min() == pytest.approx(points[:, 1].min(), abs=0.15)
    assert thin[:, 1].max() == pytest.approx(points[:, 1].max(), abs=0.15)
    assert (thin[[0, -1]] == points[[0, -1]]).all()


def test_steps_that_can_be_seen_keep_their_corners():
    x = np.linspace(0, 350, 100_001)
    y = np.floor(x / 35)
    corners = thinned(np.column_stack([x, 10 * y]), step=True)
    assert len(corners) < 30
    assert (np.diff(corners, axis=0) == 0).any(axis=1).sum() >= 19
    for rise in range(1, 10):
        assert np.isclose(corners, [35 * rise, 10 * rise], atol=0.01).all(axis=1).any()
        assert np.isclose(corners, [35 * rise, 10 * rise - 10], atol=0.01).all(axis=1).any()


def test_straight_lines_need_two_points():
    x = np.linspace(0, 300, 1001)
    assert thinned(np.column_stack([x, 2 * x])).tolist() == [[0, 0], [300, 600]]
