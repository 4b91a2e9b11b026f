"""What is wrong with the data of a user, and where: facts, of which words are made when they are printed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import option


class DataError(ValueError):
    """Data that cannot be used: what is wrong, and where.

    Whoever raises it knows a row of an array; whoever reads files in batches knows the file, the first row of the batch
    and the id of the row, and adds these by :meth:`at`.

    Parameters
    ----------
    text : str
        What is wrong; up to the row, if one is named.
    row : int, default=None
        The first row that is wrong, counted from 0.
    rest : str, default=""
        What follows the row.
    kind : str, default=""
        What is wrong in a word or two, such as "not finite": equal for all rows.
    column : label, default=None
        The argument or column that is wrong.
    advice : str, default=""
        What to do, where it is said apart.

    Attributes
    ----------
    place : str
        The file, table or part that the row is counted in; "" in memory.
    row_id : str
        What names the row besides its number, such as "line 7, id a17"; "" for nothing.
    columns : dict of str to label or list of labels
        The columns that predictions were read from, by the parameters that name them.
    """

    def __init__(
        self, text: str, row: int | None = None, rest: str = "", *, kind: str = "", column: Any = None, advice: str = ""
    ) -> None:
        super().__init__(text)
        self.text, self.row, self.rest = text, None if row is None else int(row), rest
        self.kind, self.column, self.advice = kind, column, advice
        self.place, self.row_id = "", ""
        self.columns: Mapping[str, Any] = {}

    def at(self, place: str = "", first_row: int = 0) -> Self:
        """Add where the data are, unless that is known, and which row is their first; return the error itself."""
        self.place = self.place or place
        self.row = None if self.row is None else self.row + first_row
        return self

    def __str__(self) -> str:
        columns = [option(role, value) for role, value in self.columns.items() if value not in (None, [])]
        text = " ".join(filter(None, [self._what(), self.advice, f"({', '.join(columns)})" if columns else ""]))
        return f"{self._where()}: {text}" if self.place else text

    def _where(self) -> str:
        return self.place

    def _what(self) -> str:
        return f"{self.text}{row_in_words(self.row, self.row_id)}{self.rest}"


def row_in_words(row: int | None, row_id: str = "") -> str:
    """Return a row as messages name it, with its id if it has one; nothing for no row.

    Examples
    --------
    >>> row_in_words(5, "id a17")
    'row 5 (id a17)'
    """
    if row is None:
        return ""
    return f"row {row} ({row_id})" if row_id else f"row {row}"


def refuse_where(wrong: NDArray[np.bool_], values: NDArray[Any], name: str, demand: str, *, kind: str) -> None:
    """Raise for the first row that is wrong, if there is one."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(f"{name} is {values[row]} in ", row, f"; {demand}.", kind=kind, column=name)


def as_data_error(error: ValueError) -> DataError:
    """Return an error to which a place can be added."""
    return error if isinstance(error, DataError) else DataError(str(error))


@contextmanager
def located(place: str, first_row: int = 0) -> Iterator[None]:
    """Name the origin of a table in errors, and count their rows from its first row."""
    try:
        yield
    except ValueError as error:
        raise as_data_error(error).at(place, first_row) from None
