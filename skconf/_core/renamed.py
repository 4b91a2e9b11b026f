"""Keywords that were renamed: the old name works for one more version, with a warning that names the new one."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from skconf._core.warn import warn

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def renamed_keywords(**new_names: str) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Let a function or method take keywords by their former names, too.

    Signature, type and documentation of the function show its own names alone.

    Parameters
    ----------
    **new_names : str
        The new name by the old one: ``@renamed_keywords(seed="random_state")``.

    Returns
    -------
    callable
        A decorator. What it makes warns with a FutureWarning where an old name is used, and raises a TypeError where
        both names are.

    Examples
    --------
    >>> from skconf._core.renamed import renamed_keywords
    >>> @renamed_keywords(seed="random_state")
    ... def draw(*, random_state=None):
    ...     return random_state
    >>> draw(random_state=3)
    3
    """

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        name = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def call(*args: _Parameters.args, **given: _Parameters.kwargs) -> _Result:
            for old, new in new_names.items():
                if old not in given:
                    continue
                if new in given:
                    raise TypeError(f"{name}() got {new} and also {old}, its former name. Pass {new} only.")
                warn(
                    f"{name}(): {old} is now called {new}, and the next version drops {old}. Pass {new}=… instead.",
                    FutureWarning,
                )
                given[new] = given.pop(old)
            return function(*args, **given)

        return call

    return decorate
