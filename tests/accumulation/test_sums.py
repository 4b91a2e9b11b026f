"""Sums that are added without loss."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf.accumulation._state import SumVector, add_pairs

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
