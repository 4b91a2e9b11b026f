"""Errors about the data of a user: what is wrong and where. A message is put together when the error is printed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import option


class DataError(ValueError):
    """An error about data that cannot be used: what is wrong, and where.

    The function that raises the error counts the row in its own array. If this array is a batch of a file, the reader
    of the file calls :meth:`at`, to set the name of the file and to count the row in the whole file. The reader also
    sets `row_id`.

    Parameters
    ----------
    text : str
        What is wrong. If there is a `row`, this is the part of the message before the row.
    row : int, default=None
        The first wrong row, counted from 0.
    rest : str, default=""
        The part of the message after the row.
    kind : str, default=""
        What is wrong, in one or two words that are the same for all rows, such as "not finite".
    column : label, default=None
        The argument or column that is wrong.
    advice : str, default=""
        What to do. It is empty if `text` or `rest` already says what to do.

    Attributes
    ----------
    place : str
        The file, table or part in which rows are counted; "" for a single array in memory.
    row_id : str
        A further name of the row besides its number, such as "line 7, id a17"; "" without one.
    columns : dict of str to label or list of labels
        The columns of the predictions. Each key is the parameter that names the column, such as "target". The message
        ends with these names.
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
        """Set the place if it is not known yet, add `first_row` to the row number, and return the error itself."""
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
    """Return a row as messages name it, with its id if there is one; "" for None.

    Examples
    --------
    >>> row_in_words(5, "id a17")
    'row 5 (id a17)'
    """
    if row is None:
        return ""
    return f"row {row} ({row_id})" if row_id else f"row {row}"


def refuse_where(wrong: NDArray[np.bool_], values: NDArray[Any], name: str, demand: str, *, kind: str) -> None:
    """Raise if any row is wrong. The error names the first wrong row."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(f"{name} is {values[row]} in ", row, f"; {demand}.", kind=kind, column=name)


def as_data_error(error: ValueError) -> DataError:
    """Return an error as a DataError, to which a place can be added."""
    return error if isinstance(error, DataError) else DataError(str(error))


@contextmanager
def located(place: str, first_row: int = 0) -> Iterator[None]:
    """Add the place of a table, such as its file, to errors, and add `first_row` to their row numbers."""
    try:
        yield
    except ValueError as error:
        raise as_data_error(error).at(place, first_row) from None


@contextmanager
def noted(model: Any, *, several: bool = True) -> Iterator[None]:
    """Add a note to errors that names the model whose predictions are wrong, if there are several models."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if several:
            error.add_note(f"The error is in the predictions of the model {model!r}.")
        raise
