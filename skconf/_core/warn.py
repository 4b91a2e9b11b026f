"""All warnings are issued here. Every warning names the line of the user's code that caused it."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from skconf._core.problems import row_in_words

#: Packages whose frames are never the user's, besides the standard library.
_NOT_THE_USERS = frozenset({"skconf", "sklearn", "joblib"}) | sys.stdlib_module_names


class Notice(NamedTuple):
    """A warning that has not been issued yet.

    Attributes
    ----------
    message : str
        What happened, where, and what to do. If there is a `row`, this is the part of the text before the row.
    category : type of Warning
        The category, by which Python filters warnings.
    kind : str
        What happened, without the row and without numbers, so that it is the same for all warnings of this kind. If it
        is "", the message is used instead.
    row : int or None
        The row that the warning is about.
    rest : str
        The text after the row.
    place : str
        The file, table or part in which rows are counted; "" for a single array in memory.
    """

    message: str
    category: type[Warning] = UserWarning
    kind: str = ""
    row: int | None = None
    rest: str = ""
    place: str = ""

    def __str__(self) -> str:
        text = f"{self.message}{row_in_words(self.row)}{self.rest}"
        return f"{self.place}: {text}" if self.place else text


_COLLECTED: ContextVar[list[Notice] | None] = ContextVar("collected", default=None)


def warn(
    message: str, category: type[Warning] = UserWarning, *, kind: str = "", row: int | None = None, rest: str = ""
) -> None:
    """Warn the caller of this package, with the file and line of the call.

    The parameters are as in :class:`Notice`. Python filters warnings by their category.
    """
    warn_each([Notice(message, category, kind, row, rest)])


def warn_each(notices: Iterable[Notice]) -> None:
    """Issue each notice once."""
    collected = _COLLECTED.get()
    for notice in dict.fromkeys(notices):
        if collected is not None:
            collected.append(notice)
        else:
            # `warn_explicit` without the registry of the user's module would repeat a warning each time.
            warnings.warn(str(notice), notice.category, stacklevel=_users_level())


def warn_once(notices: Iterable[Notice], place: str, first_row: int, seen: set[str]) -> None:
    """Issue the first notice of each kind that is not in `seen`, with the place of the data.

    Its row is counted from `first_row` on.
    """
    for notice in notices:
        kind = notice.kind or notice.message
        if kind not in seen:
            seen.add(kind)
            warn_each([notice._replace(place=place, row=None if notice.row is None else notice.row + first_row)])


@contextmanager
def warned_once(place: str, seen: set[str]) -> Iterator[None]:
    """Issue only the first warning of each kind, with `place`. Else each of several tables may repeat it."""
    with collected() as notices:
        yield
    warn_once(notices, place, 0, seen)


@contextmanager
def collected() -> Iterator[list[Notice]]:
    """Collect this package's warnings instead of issuing them, only in this thread and task.

    Unlike `warnings.catch_warnings`, it changes nothing for other threads.
    """
    notices: list[Notice] = []
    token = _COLLECTED.set(notices)
    try:
        yield notices
    finally:
        _COLLECTED.reset(token)


def _users_level() -> int:
    """Return the stacklevel of the first frame outside this package, scikit-learn, joblib and the standard library.

    Frames are identified by the names of their modules. Files would not do: the code of a dataclass has no file, and
    contextlib runs context managers. If no frame is the user's, as in a worker process, the outermost one is named.
    """
    frame, level = sys._getframe(1), 1  # noqa: SLF001 – the only way to the frames of callers
    while frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_USERS and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level
