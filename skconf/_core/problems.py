"""What is wrong with data, and where."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from skconf._core.warn import Notice, collected, warn


@contextmanager
def located(place: object, first_row: int = 0) -> Iterator[None]:
    """Name the origin of a table in errors, and count their rows from its first row."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {counted_from(first_row, str(error))}") from None


@contextmanager
def warned_once(place: object, first_row: int, warned: set[str]) -> Iterator[None]:
    """Pass on only the first warning of each kind, with its origin: every batch may cause one."""
    with collected() as notices:
        yield
    warn_once(place, first_row, notices, warned)


def warn_once(place: object, first_row: int, notices: Iterable[Notice], warned: set[str]) -> None:
    """Warn of what is the first of its kind, with its origin."""
    for message, category in notices:
        kind = re.sub(r"[\d.]+", "", message)
        if kind not in warned:
            warned.add(kind)
            warn(f"{place}: {counted_from(first_row, message)}", category)


def counted_from(first_row: int, message: str) -> str:
    """Return a message with its rows counted from another one; pyarrow writes "Row #2"."""
    return re.sub(r"\b(row |Row #)(\d+)\b", lambda found: f"{found[1]}{int(found[2]) + first_row}", message)
