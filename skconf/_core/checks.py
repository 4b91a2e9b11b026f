"""Checks of arguments before anything is computed."""

from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from skconf._core.messages import option

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

#: What to pass instead of an estimator.
INSTEAD = "Pass ConfidenceProfile.from_estimator(model, X, y) instead."


def check_number(
    value: Any,
    name: str,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_high: bool = False,
    positive: bool = False,
) -> None:
    """Raise if a parameter is not a number in [low, high] (or [low, high)). With `positive`, 0 is refused, too."""
    bounds = f"[{low:g}, {high:g}" + (")" if open_high else "]")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number in {bounds}, but is {value!r}.")
    number = float(value)
    if not (low <= number <= high) or (open_high and number == high):
        meant = f" For {number:g}% pass {number / 100:g}." if (low, high) == (0, 1) and 1 < number <= 100 else ""
        raise ValueError(f"{name} must lie in {bounds}, but is {value!r}.{meant}")
    if positive and number == 0:
        raise ValueError(f"{name} must be above 0, but is {value!r}.")


def check_confidence_level(value: Any) -> None:
    """Raise if a confidence level is not a number in [0.5, 1).

    A level below 0.5 is refused, because it probably is an error probability α. The level would be 1 − α.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"confidence_level must be a number in [0.5, 1), but is {value!r}.")
    number = float(value)
    if 0.5 <= number < 1:
        return
    meant = round(1 - number, 12) if 0 < number < 0.5 else number / 100 if 50 <= number < 100 else None
    advice = "The usual value is 0.95." if meant is None else f"Did you mean {option('confidence_level', meant)}?"
    raise ValueError(
        f"{option('confidence_level')} must lie in [0.5, 1), but is {value!r}. It is the probability that an interval "
        f"contains the true value, or that a guarantee holds. {advice}"
    )


def check_whole(value: Any, name: str, low: int = 1, high: int | None = None) -> None:
    """Raise if a parameter is not a whole number in [`low`, `high`]."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, but is {value!r}.")
    if value < low:
        raise ValueError(f"{name} must be at least {low}, but is {value!r}.")
    if high is not None and int(value) > high:
        raise ValueError(f"{name} must be at most {high}, but is {value!r}.")


def check_option(value: Any, name: str, options: Iterable[Any]) -> None:
    """Raise if a parameter is not one of the options."""
    known = list(options)
    value = value.item() if isinstance(value, np.generic) else value
    for allowed in known:
        if value is allowed or (type(value) is type(allowed) and value == allowed):
            return
    listed = f"{'one of ' if len(known) > 1 else ''}{', '.join(map(repr, known))}"
    raise ValueError(f"{name} must be {listed}, but is {value!r}.")


def check_prices(prices: Any) -> tuple[float, float]:
    """Return two costs, of an error and of a case that is sent to a person; raise if `prices` are not two costs."""
    given = list(prices) if np.ndim(prices) == 1 else []
    if len(given) != 2:
        raise ValueError(
            f"{option('prices')} needs two numbers, such as 10 and 1: the cost of an error, and the cost of a case "
            f"that is sent to a person. It is {prices!r}."
        )
    for each in given:
        check_number(each, "prices", 0.0, np.inf, open_high=True)
    return float(given[0]), float(given[1])


def check_threshold(value: Any, *, any_number: bool = False) -> None:
    """Raise if a threshold is not None, infinity or a number in [0, 1]. With `any_number`, accept any number.

    `any_number` is for scores that are not confidences. The threshold of a tuned classifier that rejects everything is
    infinity.
    """
    if value is not None and not (isinstance(value, Real) and value == np.inf):
        check_number(value, "threshold", *(() if any_number else (0.0, 1.0)))


def takes_no_estimator(
    advice: str = INSTEAD, *, position: int = 0
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Refuse an estimator where true labels are expected, with an error that says what to do.

    `position` is the place of the true labels among the positional arguments. If the decorated function gets an
    estimator there, it raises a TypeError that ends with the advice.
    """

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        @wraps(function)
        def call(*args: _Parameters.args, **given: _Parameters.kwargs) -> _Result:
            if len(args) > position and _is_estimator(args[position]):
                kind = type(args[position]).__name__
                raise TypeError(f"{call.__name__}() takes true labels and probabilities, not a {kind}. {advice}")
            return function(*args, **given)

        return call

    return decorate


def _is_estimator(argument: Any) -> bool:
    return hasattr(argument, "fit") and (hasattr(argument, "predict") or hasattr(argument, "predict_proba"))
