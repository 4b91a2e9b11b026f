"""Checks of metric parameters, made before anything is computed."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_number(value: Any, name: str, low: float = -np.inf, high: float = np.inf, *, open_high: bool = False) -> None:
    """Raise unless a parameter is a number in [low, high] (or [low, high))."""
    bounds = f"[{low:g}, {high:g}" + (")" if open_high else "]")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in {bounds}, but is {value!r}.")
    number = float(value)
    if not (low <= number <= high) or (open_high and number == high):
        raise ValueError(f"{name} must lie in {bounds}, but is {value!r}.")


def check_whole(value: Any, name: str, low: int = 1, high: int | None = None) -> None:
    """Raise unless a parameter is a whole number, in [`low`, `high`]."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, but is {value!r}.")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, but is {value!r}.")
    if high is not None and int(value) > high:
        raise ValueError(f"{name} must be at most {high}, but is {value!r}.")


def check_option(value: Any, name: str, options: Iterable[Any]) -> None:
    """Raise unless a parameter is one of a few options."""
    known = list(options)
    value = value.item() if isinstance(value, np.generic) else value
    if not any(value is option or (type(value) is type(option) and value == option) for option in known):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, but is {value!r}.")


def check_threshold(value: Any, *, any_number: bool = False) -> None:
    """Raise unless a threshold is None, in [0, 1] or, of scores that are no confidences, any number; or infinite.

    An infinite one is what a tuned classifier has that rejects everything.
    """
    if value is not None and not (isinstance(value, Real) and value == np.inf):
        check_number(value, "threshold", *(() if any_number else (0.0, 1.0)))
