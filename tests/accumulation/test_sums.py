"""Sums that are added without loss."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf.accumulation._state import SumVector, add_pairs
from skconf.metrics._base.sums import BlockSums, Term, full_matrix

NUMBERS = st.floats(-1e100, 1e100)


def added(numbers):
    pairs = [np.array([number, 0.0]) for number in numbers]
    while len(pairs) > 1:
        pairs.append(add_pairs(pairs.pop(0), pairs.pop(0)))
    return pairs[0]


@given(st.lists(NUMBERS, min_size=1, max_size=50))
def test_sum_is_that_of_math(numbers):
    """With twice the digits a sum whose parts cancel keeps those of a float."""
    tolerance = 1e-28 * sum(map(abs, numbers))
    assert added(numbers)[0] == pytest.approx(math.fsum(numbers), rel=1e-15, abs=tolerance)


def test_order_does_not_show_where_large_numbers_cancel():
    numbers = [1e16, 1.0, -1e16, 1e-8, 3e15, -3e15]
    rng = np.random.default_rng(0)
    assert {added(rng.permutation(numbers))[0] for _ in range(50)} == {1.00000001}


@pytest.mark.parametrize("other", [1.0, np.inf])
def test_infinite_sums_stay_infinite(other):
    assert add_pairs(np.array([np.inf, 0.0]), np.array([other, 0.0])).tolist() == [np.inf, 0.0]


def test_opposite_infinities_are_undefined():
    assert np.isnan(add_pairs(np.array([np.inf, 0.0]), np.array([-np.inf, 0.0]))[0])


def test_vector_gives_arrays_back():
    sums = {"b": (np.array(2.0), np.arange(3.0)), "a": (np.arange(6.0).reshape(2, 3),)}
    of_part = SumVector.of(sums)
    vector = SumVector(of_part.shapes, np.pad(of_part.pairs[:, :, 0], ((0, 1), (0, 0))))  # with rounding errors
    twice = vector + vector
    for name, arrays in sums.items():
        assert [array.tolist() for array in twice.get(name)] == [(2 * array).tolist() for array in arrays]
    assert twice.get("c") == SumVector.of({}).get("a") == ()


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
