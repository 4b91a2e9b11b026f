"""Numbers as text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf._core import numbers as texts
from skconf._core.numbers import decimal, digits_apart, number, percent

NAN = float("nan")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((12.3456, 11.9, 12.8), "12.3 [11.9, 12.8]"),
        ((0.92342, 0.92341, 0.92344), "0.92342 [0.92341, 0.92344]"),
        ((9.76, 9.13, 10.42), "9.8 [9.1, 10.4]"),
        ((0.0123, 0.001, 0.05), "0.012 [0.001, 0.050]"),
        ((1234.5, 1000, 1500), "1,230 [1,000, 1,500]"),
        ((5.0, 1.0, 16.0), "5 [1, 16]"),
        ((-0.5, -0.9, -0.1), "−0.50 [−0.90, −0.10]"),
        ((0.00001, -1.0, 1.0), "0.0 [−1.0, 1.0]"),
        ((2.0, 2.0, float("inf")), "2.00 [2.00, ∞]"),
        ((NAN, 0, 1), "–"),
        ((0.123456, NAN, NAN), "0.123"),
        ((0.0, NAN, NAN), "0"),
        ((123456.0, NAN, NAN), "123,456"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_carries(numbers, text):
    assert number(*numbers) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.957, 0.944, 0.968), "95.7% [94.4, 96.8]"),
        ((0.0, 0.0, 0.0061), "0.00% [0.00, 0.61]"),
        ((0.8508, 0.8415, 0.8598), "85.1% [84.2, 86.0]"),
        ((0.0099999, 0.00935, 0.01067), "1.00% [0.94, 1.07]"),
        ((0.0475, 0.0424, 0.0531), "4.75% [4.24, 5.31]"),
        ((0.9901, 0.9872, 0.9926), "99.01% [98.72, 99.26]"),
        ((0.99991, 0.99987, 0.99994), "99.9910% [99.9870, 99.9940]"),
        ((0.95, NAN, NAN), "95.0%"),
        ((1.0, NAN, NAN), "100%"),
        ((NAN, NAN, NAN), "–"),
    ],
)
def test_shares_are_percentages(numbers, text):
    assert percent(*numbers) == text


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e5), st.floats(1e-6, 1e5))
def test_what_is_written_is_the_number(value, below, above):
    shown = number(value, value - below, value + above).replace(",", "").replace("−", "-")
    found = [float(part.strip("[]")) for part in shown.replace("] ", " ").replace("[", "").replace("]", "").split()]
    unit = 10 ** -len(shown.split()[0].partition(".")[2])
    assert found == pytest.approx([value, value - below, value + above], abs=max(0.51 * unit, 0.06 * (below + above)))


def test_zero_has_no_sign():
    assert decimal(-1e-9, 2) == "0.00"


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (texts.p_value, 0.0004, "< 0.001"),
        (texts.p_value, 0.05, "0.050"),
        (texts.p_value, 1.0, "1.000"),
        (texts.p_value, NAN, "–"),
        (texts.short, -0.84, "−0.8"),
        (texts.short, -0.04, "0"),
        (texts.short, 12.34, "12.3"),
        (texts.short, 12345.6, "12,346"),
        (texts.expected_count, 1e-9, "none"),
        (texts.expected_count, 0.034, "0.03"),
        (texts.expected_count, 0.97, "1.0"),
        (texts.expected_count, 3.0, "3.0"),
        (texts.expected_count, 79.86, "80"),
        (texts.expected_count, 1234.5, "1,234"),
        (texts.confidence, 0.8, "0.8"),
        (texts.confidence, 0.9995, "0.9995"),
        (texts.confidence, 1 - 1e-6, "0.999999"),
        (texts.confidence, 1.0, "1.0"),
        (texts.bound, float("-inf"), "−∞"),
        (texts.bound, 0.5, "0.5"),
        (texts.four_decimals, 15906.0059, "15,906"),
        (texts.four_decimals, 99.99999, "100.0000"),
        (texts.four_decimals, -750.4536, "-750"),
        (texts.four_decimals, 1e-5, "1e-05"),
        (texts.exact, 1e-6, "0.000001"),
        (texts.exact, 1 - 1e-14, "0.99999999999999"),
        (texts.exact, 100 * 0.07, "7"),
        (texts.exact, -0.0, "0"),
        (texts.exact, -2500.0, "−2,500"),
    ],
)
def test_each_spelling(write, value, text):
    assert write(value) == text


def test_aligned_numbers_have_the_same_digits():
    assert texts.aligned([0.0, 0.25, 1.0]) == ["0.00", "0.25", "1.00"]


def test_different_numbers_stay_different_in_few_digits():
    assert texts.fewest_digits(np.array([1.0, 2.0, -3.0])) == ["1", "2", "−3"]
    assert texts.fewest_digits(np.array([0.12345, 0.12346])) == ["0.12345", "0.12346"]
    assert texts.fewest_digits(np.array([0.5, 1e9, np.inf])) == ["0.5", "1e9", "∞"]


def test_as_many_decimals_as_tell_two_shares_apart():
    pairs = [(0.5, 0.6), (0.5, 0.5004), (0.5, 0.50004), (0.5, 0.500004), (0.5, 0.5000004), (0.5, 0.5)]
    assert [digits_apart(*pair) for pair in pairs] == [1, 2, 3, 4, 1, 1]
