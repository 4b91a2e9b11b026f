"""Numbers in words: with as many digits as their interval carries."""

from math import floor, isfinite, isnan, log10

#: What stands for a number that there is not.
DASH = "–"
#: Significant digits of half an interval, and of a number without one.
_OF_INTERVAL, _ALONE = 2, 3
_MOST_DIGITS = 6
#: Smaller p-values are told as smaller.
SMALLEST_P = 1e-3


def number(value: float, low: float = float("nan"), high: float = float("nan")) -> str:
    """Return a value and its interval, as in "12.3 [11.9, 12.8]"; a dash if there is no value."""
    if isnan(value):
        return DASH
    if isnan(low) or isnan(high):
        return plain(value, _digits_alone(value))
    digits = digits_of(value, low, high)
    return f"{plain(value, digits)} [{plain(low, digits)}, {plain(high, digits)}]"


def percent(value: float, low: float = float("nan"), high: float = float("nan")) -> str:
    """Return a share in percent with its interval, as in "95.7 % [94.4, 96.8]"."""
    if isnan(value):
        return DASH
    if isnan(low) or isnan(high):
        return f"{plain(100 * value, min(max(_digits_alone(100 * value), 0), 2))} %"
    digits = min(digits_of(100 * value, 100 * low, 100 * high), 4)
    shown, ends = plain(100 * value, digits), [plain(100 * end, digits) for end in (low, high)]
    return f"{shown} % [{ends[0]}, {ends[1]}]"


def p_value(value: float) -> str:
    """Return a p-value in three digits; a dash if there is none."""
    if isnan(value):
        return DASH
    return "< .001" if value < SMALLEST_P else f"{value:.3f}".lstrip("0")


def plain(value: float, digits: int) -> str:
    """Return a number with some digits behind the point, and a true minus."""
    if not isfinite(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1e7:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e").replace("-", "−")
    text = f"{round(value, digits):,.{max(digits, 0)}f}"
    return text.lstrip("-") if not text.strip("-0.,") else text.replace("-", "−")


def digits_of(value: float, low: float, high: float) -> int:
    """Return how many digits behind the point the width of an interval carries."""
    half = max(abs(high - value) if isfinite(high) else 0.0, abs(value - low) if isfinite(low) else 0.0)
    if not half:
        return _digits_alone(value)
    return min(_OF_INTERVAL - 1 - floor(log10(half)), _MOST_DIGITS)


def _digits_alone(value: float) -> int:
    """Return how many digits behind the point a number without an interval has."""
    if not isfinite(value) or value == 0:
        return 0
    return min(max(_ALONE - 1 - floor(log10(abs(value))), 0), _MOST_DIGITS)
