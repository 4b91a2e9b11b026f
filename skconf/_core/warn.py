"""The one place that warns: every warning names the line of the user's code that led to it."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

#: Packages whose frames are never the user's, besides the standard library.
_NOT_THE_USERS = frozenset({"skconf", "sklearn", "joblib"}) | sys.stdlib_module_names


class Notice(NamedTuple):
    """A warning that was not issued yet."""

    message: str
    category: type[Warning] = UserWarning


_COLLECTED: ContextVar[list[Notice] | None] = ContextVar("collected", default=None)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn whoever called this package, with the file and line of their call.

    Parameters
    ----------
    message : str
        What happened, where, and what to do.
    category : type of Warning, default=UserWarning
        The kind of warning.
    """
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(Notice(message, category))
    else:
        # Not `warn_explicit`: without the registry of the user's module it repeats for ever.
        warnings.warn(message, category, stacklevel=_users_level())


def warn_each(notices: Iterable[Notice]) -> None:
    """Warn of each notice, once."""
    for notice in dict.fromkeys(notices):
        warn(*notice)


@contextmanager
def collected() -> Iterator[list[Notice]]:
    """Collect this package's warnings in place of issuing them, in this thread and task alone.

    Unlike `warnings.catch_warnings` it changes nothing that another thread can see.
    """
    notices: list[Notice] = []
    token = _COLLECTED.set(notices)
    try:
        yield notices
    finally:
        _COLLECTED.reset(token)


def _users_level() -> int:
    """Return the stacklevel of the first frame outside this package, scikit-learn, joblib and the standard library.

    Frames are identified by the name of their module: the code of a dataclass has no file, a context manager's is
    contextlib's. Where no frame is the user's, as in a worker process, the outermost one is named.
    """
    frame, level = sys._getframe(1), 1  # noqa: SLF001 – the only way to the frames of callers
    while frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USERS and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level
