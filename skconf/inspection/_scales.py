"""Axes that separate good classifiers, whose shares are close to 0 or 1."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from skconf._core.numbers import confidence, exact
from skconf._core.pictures import NINES, nines
from skconf._core.probabilities import Floats

#: The scales of an axis. "auto" is logarithmic if positive values span more than a factor of ten.
SCALES = ("auto", "log", "linear")

#: Confidences closer to 1 than this are drawn as 1, at this distance, and share a bin of the tail.
NEAREST = 1e-8

_SUPERSCRIPTS = str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: Shares of 0 and 1, which have no place on some scales, are drawn at this distance from 0 and 1.
_STAND_IN = 1e-12

#: Ticks of a normal scale.
_TICKS = np.array([1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 1 - 1e-4, 1 - 1e-5, 1 - 1e-6])


def spans_a_decade(values: Floats) -> bool:
    """Return whether the largest positive value is more than ten times the smallest."""
    positive = values[values > 0]
    return len(positive) > 0 and bool(positive.max() > 10 * positive.min())


def axis_percent(share: float, _: Any = None) -> str:
    """Return a share as a percentage with as many digits as it needs, such as 0.1%."""
    return f"{exact(100 * share)}%"


def points(difference: float, _: Any = None) -> str:
    """Return a difference of shares in percentage points, such as −1.5 for −0.015."""
    return exact(100 * difference).replace("-", "−")


def plain(value: float, _: Any = None) -> str:
    """Return a number as a decimal with as many digits as it needs, such as 0.1."""
    return exact(value)


def threshold_text(threshold: float) -> str:
    """Return a threshold as text. If it is below 1, it has enough digits to differ from 1."""
    if not 0 < threshold < 1:
        return "∞" if np.isinf(threshold) else f"{threshold:.3g}"
    shown = confidence(threshold)
    return f"1 − {1 - threshold:.1g}" if float(shown) == 1 else shown


def size(value: float, _: Any = None) -> str:
    """Return the absolute value of a number as text, for an axis that also grows downwards."""
    return exact(abs(value))


def label_ticks(axis: Any, text: Callable[..., str]) -> None:
    """Label the ticks of an axis with the texts that a function such as `axis_percent` returns.

    On a logarithmic axis, label powers of ten, and values between them if there are few.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if axis.get_scale() == "log":
        low, high = axis.get_view_interval()
        between = (1.0, 2.0, 5.0) if high < 30 * low else (1.0, 3.0) if high < 300 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=between, numticks=12))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(text))


def set_normal(axis: Any, low: float, high: float) -> None:
    """Scale an axis of shares by the quantiles of the normal distribution, and limit it to [low, high]."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("function", functions=(_quantile, ndtr))
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    axis.set_ticks(ticks, [axis_percent(tick) for tick in ticks])


def set_nines(axis: Any, values: Floats) -> None:
    """Scale an axis logarithmically in 1 − value, from the least value to the value nearest to 1.

    A value of 1 would be infinitely far away, so it is drawn a little above the other values.
    """
    finite = values[np.isfinite(values)]
    lacking = 1 - finite[finite < 1 - _STAND_IN]  # closer values differ from 1 by rounding
    low, high = (lacking.min(), lacking.max()) if len(lacking) else (0.01, 1.0)
    start, end = 1 - 1.2 * high, 1 - low / 1.5
    nines_of = partial(_nines, 1 - low / 6)
    getattr(axis.axes, f"set_{axis.axis_name}scale")("function", functions=(nines_of, _of_nines))
    texts = {tick: exact(tick) for tick in (-1.0, 0.0, 0.5)}
    every = 1 if low > 1e-5 else 2
    texts |= {float(tick): with_nines(count) for count, tick in enumerate(NINES, 1) if count % every == 0}
    texts = {tick: text for tick, text in texts.items() if start <= tick <= end}
    if len(lacking) < len(finite):
        texts[1.0], end = "1", 1 - low / 9
    axis.set_ticks(list(texts), list(texts.values()))
    getattr(axis.axes, f"set_{axis.axis_name}lim")(start, end)  # now, because ticks widen the axis


def with_nines(count: int) -> str:
    """Write the confidence with this number of nines, such as "0.99" for 2; "1" if it is within NEAREST of 1."""
    if count < 4:
        return f"{1 - 10.0**-count:.3g}"
    return "1" if 10.0**-count <= NEAREST else "1−10" + f"−{count}".translate(_SUPERSCRIPTS)


def _nines(of_one: float, value: Floats) -> Floats:
    """Return the number of nines of each value. A value of 1 has the nines of `of_one`, not infinitely many."""
    return np.where(np.asarray(value) >= 1 - _STAND_IN, nines(of_one), nines(value))


def _of_nines(nines: Floats) -> Floats:
    return np.asarray(1 - 10.0 ** -np.asarray(nines))


def _quantile(share: Floats) -> Floats:
    return np.asarray(ndtri(np.clip(share, _STAND_IN, 1 - _STAND_IN)))
