"""Sums of products of terms over a block."""

import numpy as np
import pytest

from skconf.metrics._base.sums import BlockSums, Term, full_matrix


def columns(terms, weight, n):
    """Return what each sample adds to each sum: the definition."""
    found = []
    for term in terms:
        values = np.broadcast_to(np.asarray(term.values, dtype=float).T, (*np.shape(term.values)[1:], n)).T
        values = values.reshape(n, -1) * (weight[:, np.newaxis] ** term.power)
        cell = np.zeros(n, dtype=int) if term.cell is None else term.cell
        out = np.zeros((n, term.n_cells, values.shape[1]))
        out[np.arange(n), cell] = values
        found.append(out.reshape(n, -1))
    return np.hstack(found)


@pytest.mark.parametrize("weighted", [False, True])
def test_second_moments_are_sums_of_products(weighted):
    rng = np.random.default_rng(0)
    n = 40
    weight = rng.exponential(1, n) if weighted else None
    terms = [
        Term(rng.normal(size=n)),
        Term(1.0),
        Term(rng.normal(size=n), cell=rng.integers(0, 4, n), n_cells=4),
        Term(2.0, cell=rng.integers(0, 3, n), n_cells=3),
        Term(rng.normal(size=(n, 2)).astype(np.float16)),
        Term(rng.random(n) < 0.5, power=2),
        Term(rng.normal(size=(n, 3))),
    ]
    each = columns(terms, np.ones(n) if weight is None else weight, n)
    found = full_matrix(BlockSums(weight, n).products(terms), len(terms))
    np.testing.assert_allclose(found, each.T @ each, rtol=1e-12, atol=1e-12)
