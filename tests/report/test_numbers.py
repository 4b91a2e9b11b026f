"""Numbers in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skconf.report._numbers import number, percent, plain

NAN = float("nan")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((12.3456, 11.9, 12.8), "12.35 [11.90, 12.80]"),
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
        ((0.957, 0.944, 0.968), "95.7 % [94.4, 96.8]"),
        ((0.0, 0.0, 0.0061), "0.00 % [0.00, 0.61]"),
        ((0.95, NAN, NAN), "95.0 %"),
        ((1.0, NAN, NAN), "100 %"),
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
    assert plain(-1e-9, 2) == "0.00"
