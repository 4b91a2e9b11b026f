"""Numbers as text: the same spelling in reports, verdicts, tables and pictures."""

from collections.abc import Sequence
from decimal import Decimal
from math import ceil, floor, isfinite, isnan, log10

import numpy as np
from numpy.typing import NDArray

#: Stands in place of a missing number.
DASH = "–"
#: A p-value below this number is written as "< 0.001".
SMALLEST_P = 1e-3

#: Significant digits of half the width of an interval, and of a number without an interval.
_OF_INTERVAL, _ALONE = 2, 3
_MOST_DIGITS = 6
#: Numbers of at least this size are written with a power of ten. In :func:`fewest_digits`, so are numbers below the
#: inverse.
_LARGE = 1e7
#: Confidences closer to 1 than this are written as 1.0, and numbers of expected errors below this as "none".
_EPS = 1e-8


def with_minus(text: str) -> str:
    """Write the true minus sign in a number's text."""
    return text.replace("-", "−")


def decimal(value: float, digits: int) -> str:
    """Write a number with this many digits after the point, and with separators between thousands."""
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= _LARGE:
        return with_minus(_short_power(f"{value:.2e}"))
    text = f"{round(value, digits):,.{max(digits, 0)}f}"
    return text.lstrip("-") if not text.strip("-0.,") else with_minus(text)


def number(value: float, low: float = float("nan"), high: float = float("nan"), *, level: float | None = None) -> str:
    """Write a value and its interval, as in "12.3 [11.9, 12.8]"; a dash if there is no value.

    Numbers are rounded to at most three digits, or to whole numbers, unless the ends of the interval would look the
    same. If the level of the interval is given, write it for a sentence: "12.3 (95% interval 11.9–12.8)".
    """
    if isnan(value):
        return DASH
    if isnan(low) or isnan(high):
        return decimal(value, _digits_alone(value))
    largest = max((abs(each) for each in (value, low, high) if isfinite(each)), default=0.0)
    digits = _digits_at_most(value, low, high, _digits_alone(largest) if largest else _MOST_DIGITS)
    return f"{decimal(value, digits)} {interval(decimal(low, digits), decimal(high, digits), level)}"


def percent(share: float, low: float = float("nan"), high: float = float("nan"), *, level: float | None = None) -> str:
    """Write a share in percent with its interval, as in "95.7% [94.4, 96.8]".

    If the level of the interval is given, write it for a sentence: "95.7% (95% interval 94.4–96.8)". The share has at
    most three digits, unless the ends of the interval would look the same. Near 100% it has as many digits as are
    needed to show two digits of the distance to 100%.
    """
    if isnan(share):
        return DASH
    if isnan(low) or isnan(high):
        return f"{decimal(100 * share, min(_digits_alone(100 * share), 2))}%"
    rounded = float(f"{100 * max(share, high):.3g}")
    most = 4 if share in (0, 1) else max(_digits_alone(rounded), 1 - floor(log10(abs(100 - 100 * share))))
    digits = _digits_at_most(100 * share, 100 * low, 100 * high, min(most, 4))
    value, start, end = (decimal(100 * each, digits) for each in (share, low, high))
    return f"{value}% {interval(start, end, level)}"


def interval(low: str, high: str, level: float | None = None) -> str:
    """Write an interval, as in "[11.9, 12.8]"; with its level for a sentence, as in "(95% interval 11.9–12.8)"."""
    return f"[{low}, {high}]" if level is None else f"({100 * level:g}% interval {low}–{high})"


def digits_of(value: float, low: float, high: float) -> int:
    """Return how many digits after the point are meaningful, given the width of an interval."""
    half = max(abs(high - value) if isfinite(high) else 0.0, abs(value - low) if isfinite(low) else 0.0)
    if not half:
        return _digits_alone(value)
    return min(_OF_INTERVAL - 1 - floor(log10(half)), _MOST_DIGITS)


def _digits_at_most(value: float, low: float, high: float, most: int) -> int:
    """Return how many decimals to write: at most `most`, unless the ends of the interval would look the same."""
    digits = digits_of(value, low, high)
    return next((n for n in range(most, digits) if decimal(low, n) != decimal(high, n)), digits)


def _digits_alone(value: float) -> int:
    """Return how many digits after the point to write of a number without an interval."""
    if not isfinite(value) or value == 0:
        return 0
    return min(max(_ALONE - 1 - floor(log10(abs(value))), 0), _MOST_DIGITS)


def p_value(value: float) -> str:
    """Write a p-value in three digits; a dash if there is none."""
    if isnan(value):
        return DASH
    return "< 0.001" if value < SMALLEST_P else f"{value:.3f}"


def short(value: float) -> str:
    """Write a number of a sentence with one decimal: "12.3", "−0.8", "0"."""
    if abs(value) >= 999.5:
        return with_minus(f"{value:,.0f}")
    text = decimal(value, 1)
    return "0" if text == "0.0" else text


def digits_apart(first: float, second: float) -> int:
    """Return how many decimals show that two shares in percent differ: one to four; one if four are not enough."""
    apart = (n for n in range(1, 5) if decimal(100 * first, n) != decimal(100 * second, n))
    return next(apart, 1)


def expected_count(count: float) -> str:
    """Write a number of expected errors, which may be a fraction: "none", "0.03", "2.3", "12"."""
    if count < _EPS:
        return "none"
    if count < 1e-3:
        return "fewer than 0.001"
    if count >= 9.95:
        return f"{count:,.0f}"
    return f"{count:.1f}" if count >= 0.95 else f"{count:.1g}"


def confidence(value: float) -> str:
    """Write a confidence with as few digits as are needed to distinguish it from 1: "0.8", "0.95", "0.9995"."""
    if value >= 1 - _EPS:
        return "1.0"
    digits = max(2, ceil(-log10(1 - value) + 1e-9) + 1)
    return f"{value:.{digits}f}".rstrip("0")


#: Entries of a column have no decimals from this number on.
_MANY = 100


def four_decimals(value: float) -> str:
    """Write an entry of a column: with four decimals, unless the number is too small or too large for them."""
    if _MANY <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:,.4f}" if value == 0 or 1e-3 <= abs(value) < 1e6 else f"{value:.3g}"


def bound(value: float) -> str:
    """Write a bound of a range: "0", "0.5", "−∞"."""
    return with_minus(f"{value:g}".replace("inf", "∞"))


def exact(value: float) -> str:
    """Write a number with all its digits, such as a value of an axis: "0.1", "0.00001", "2,500"."""
    return _fixed(value, _digits_needed(value))


def aligned(values: Sequence[float]) -> list[str]:
    """Write numbers with as many digits after the point as all of them need."""
    digits = max(map(_digits_needed, values), default=0)
    return [_fixed(value, digits) for value in values]


def _digits_needed(value: float) -> int:
    """Return how many digits after the point a number has, apart from those that are rounding errors."""
    exponent = Decimal(f"{round(value, 15):.15g}").normalize().as_tuple().exponent
    return max(-int(exponent), 0)


def _fixed(value: float, digits: int) -> str:
    return with_minus(f"{round(value, digits) + 0.0:,.{digits}f}")


def fewest_digits(values: NDArray[np.float64]) -> list[str]:
    """Write numbers with as few digits as possible, but at least three, so that different numbers look different."""
    if np.all((values == np.rint(values)) & (np.abs(values) < _LARGE)):
        return [with_minus(f"{value + 0.0:.0f}") for value in values]
    n_distinct, texts = len(np.unique(values)), list[str]()
    for digits in range(3, 18):
        texts = [_significant(value, digits) for value in values]
        if len(set(texts)) == n_distinct:
            break
    return [with_minus(text) for text in texts]


def _significant(value: float, digits: int) -> str:
    if value == 0 or 1 / _LARGE <= abs(value) < _LARGE:
        return np.format_float_positional(value, digits, fractional=False, trim="-")
    return _short_power(f"{value:.{digits}g}".replace("inf", "∞"))


def _short_power(text: str) -> str:
    """Write a power of ten without superfluous characters: "1.2e7" for "1.2e+07"."""
    return text.replace("e+0", "e").replace("e+", "e")
