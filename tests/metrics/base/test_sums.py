"""Sums of the terms of a metric, and of their products."""

from dataclasses import replace

import numpy as np
import pytest

from skconf import ConfidenceProfile
from skconf.metrics._base import sums
from skconf.metrics._base.sums import BlockSums, Cells, Term, full_matrix


def columns(terms, weight, n):
    """Return what each sample adds to each sum: the definition."""
    found = []
    for term in terms:
        values = np.broadcast_to(np.asarray(term.values, dtype=float).T, (*np.shape(term.values)[1:], n)).T
        values = values.reshape(n, -1) * (weight[:, np.newaxis] ** term.power)
        cells = term.cells or Cells(np.zeros(n, dtype=int), 1)
        out = np.zeros((n, cells.n, values.shape[1]))
        out[np.arange(n), cells.codes] = values
        found.append(out.reshape(n, -1))
    return np.hstack(found)


@pytest.mark.parametrize("many_rows", [False, True])
@pytest.mark.parametrize("many_columns", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_second_moments_are_sums_of_products(weighted, many_columns, many_rows, monkeypatch):
    """Cells of many rows are summed up in another way; here from the first row on."""
    if many_rows:
        monkeypatch.setattr(sums, "_MANY_ROWS", 1)
    rng = np.random.default_rng(0)
    n = 40
    weight = rng.exponential(1, n) if weighted else None
    profile = ConfidenceProfile.from_correctness(np.ones(n), np.ones(n), sample_weight=weight)
    profile = replace(profile, sample_weight=weight)  # as they are, and not scaled
    wide = [Term(rng.normal(size=(n, 6))), Term(rng.normal(size=(n, 5)), power=2)]
    terms = [
        Term(rng.normal(size=n)),
        Term(1.0),
        Term(rng.normal(size=n), cells=Cells(rng.integers(0, 4, n), 4)),
        Term(2.0, cells=Cells(rng.integers(0, 3, n), 3)),
        Term(rng.normal(size=(n, 2)).astype(np.float16)),
        Term(rng.random(n) < 0.5, power=2),
        Term(rng.normal(size=(n, 3))),
        *(wide if many_columns else [Term(rng.normal(size=(n, 2)), cells=Cells(rng.integers(0, 3, n), 3))]),
    ]
    each = columns(terms, np.ones(n) if weight is None else weight, n)
    found = full_matrix(BlockSums(profile).products(terms), len(terms))
    np.testing.assert_allclose(found, each.T @ each, rtol=1e-12, atol=1e-12)
