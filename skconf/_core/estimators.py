"""Estimators where labels and probabilities are asked for: the mistake is named, with what to write in its place."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

#: What to pass.
INSTEAD = "Pass ConfidenceProfile.from_estimator(model, X, y) instead."


def takes_no_estimator(
    advice: str = INSTEAD, *, position: int = 0
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Let a function that is called with a model, X and y raise an error that says what to do.

    Parameters
    ----------
    advice : str
        What to do.
    position : int, default=0
        Where true labels are expected among the arguments without a name.

    Returns
    -------
    callable
        A decorator. The function then raises a TypeError if it gets an estimator instead of true labels.
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
