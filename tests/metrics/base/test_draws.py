"""Sums of costs that calibrated probabilities would give."""

import itertools
import math

import numpy as np
import pytest
from _support.predictions import draw_proba

from skconf.metrics._base.draws import _rare_cells, draw_sums


def test_drawn_sums_have_their_exact_distribution():
    rng = np.random.default_rng(3)
    proba = np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9], [0.999, 0.001, 0.0], [0.4, 0.35, 0.25]])
    cost = rng.exponential(1, (4, 3))
    chance = {}
    for labels in itertools.product(range(3), repeat=4):
        at = round(sum(cost[i, k] - proba[i] @ cost[i] for i, k in enumerate(labels)), 9)
        chance[at] = chance.get(at, 0) + math.prod(proba[i, k] for i, k in enumerate(labels))
    n_draws = 200_000
    drawn = draw_sums(proba, cost, n_draws, rng)
    values = np.array(sorted(chance))
    nearest = np.searchsorted((values[1:] + values[:-1]) / 2, drawn)
    found = np.bincount(nearest, minlength=len(values)) / n_draws
    expected = np.array([chance[value] for value in values])
    assert np.abs(drawn - values[nearest]).max() < 1e-8  # it takes no other values
    np.testing.assert_allclose(found, expected, atol=5 * np.sqrt(0.25 / n_draws))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "saturated", "many classes"])
def test_drawn_sums_have_the_quantiles_of_plain_simulation(kind):
    """Where part of a sum is drawn as a whole, and where rare labels are drawn by their gaps."""
    rng = np.random.default_rng(5)
    n, n_draws = 3000, 4000
    if kind == "many classes":
        proba = draw_proba(n, 8, concentration=0.3)
    else:
        sure = 0.5 + rng.random(n) / 2 if kind == "even" else 1 - 10 ** -rng.uniform(0.4, 7, n)
        proba = np.column_stack([sure, 1 - sure])
    cost = -np.log(np.maximum(proba, 1e-8))
    cumulative, mean = proba.cumsum(axis=1), np.einsum("ij,ij->", proba, cost)
    plain = np.empty(n_draws)
    for draw in range(n_draws):
        label = np.minimum((rng.random((n, 1)) > cumulative).sum(axis=1), proba.shape[1] - 1)
        plain[draw] = cost[np.arange(n), label].sum() - mean
    ours = draw_sums(proba, cost, 4 * n_draws, rng)
    deviation = plain.std()
    assert ours.std() == pytest.approx(deviation, rel=0.05)
    for level in (0.025, 0.16, 0.5, 0.84, 0.975):
        assert np.quantile(ours, level) == pytest.approx(np.quantile(plain, level), abs=0.2 * deviation)


class ThreeAtOnce:
    """Draws gaps of one cell, three at once."""

    def geometric(self, chance, size):  # noqa: ARG002 – as numpy calls it
        return np.ones(3, dtype=int)


@pytest.mark.parametrize("rng", [np.random.default_rng(0), ThreeAtOnce()], ids=["all at once", "three at once"])
def test_cells_that_are_hit_for_certain_are_all_hit_once(rng):
    np.testing.assert_array_equal(_rare_cells(50, 1.0, rng), np.arange(50))
