"""The line of a row in its file. As in an editor, the first line is 1, and the names and empty lines count."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from skconf.tables._bytes import opened
from skconf.tables._csv import longest_cell
from skconf.tables._unreadable import CELLS, OPEN_QUOTE, UnreadableError

#: The largest limit that csv accepts on every system: a whole number of 32 bits.
_LONGEST = (1 << 31) - 1


def line_of_row(path: Path, row: int, separator: str) -> int | None:
    """Return the line in which a row begins; None if it cannot be found. Rows are counted from 0 after the names."""
    try:
        with _text(path) as text:
            cells, begins, seen = csv.reader(text, delimiter=separator, skipinitialspace=True), 1, -1
            for record in cells:
                if record:
                    if seen == row:
                        return begins
                    seen += 1
                begins = cells.line_num + 1
    except (OSError, csv.Error):
        return None
    return None


def refuse_uneven_rows(path: Path, separator: str, n_cells: int) -> None:
    """Raise if a row of a CSV file has more or fewer cells than there are names, or the last quote is not closed.

    pandas would fill missing cells, and would read an additional cell as the name of the row. It counts neither blank
    lines nor line breaks within cells, so the line in which the row begins is found here.
    """
    options: dict[str, Any] = {"delimiter": separator, "skipinitialspace": True}
    with _text(path) as text, suppress(csv.Error):  # text after a quote is a csv error, too
        if all(len(cells) in (0, n_cells) for cells in csv.reader(text, strict=True, **options)):
            return
    lines, row, begins, number, found = list[str](), list[str](), 1, 0, 0  # lines of a row; its first line; its number
    with _text(path) as text, suppress(csv.Error):  # pandas may read files that csv does not
        for cells in csv.reader(_kept(text, lines), **options):
            begins, row = begins + len(row), lines.copy()
            lines.clear()
            number += bool(cells)
            if cells and len(cells) != n_cells:
                found = len(cells)
                break
    if row and _is_open(row, options):
        raise _at(begins, number, OPEN_QUOTE, "open quote")
    if found:
        raise _at(begins, number, f"Expected {n_cells} columns, got {found}{CELLS}", "number of cells")


def _is_open(row: list[str], options: dict[str, Any]) -> bool:
    """Return whether a quote is not closed in a row: the next line is then a part of the row."""
    with longest_cell(_LONGEST):
        return len(list(csv.reader([*row, "-"], **options))) == 1


def _at(line: int, row: int, text: str, kind: str) -> UnreadableError:
    error = UnreadableError("", row, f": {text}", kind=kind)
    error.line = line
    return error


def _kept(text: TextIO, lines: list[str]) -> Iterator[str]:
    """Go through lines, and append each to a list."""
    for line in text:
        lines.append(line)
        yield line


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    """Open a file to read its text, whose cells may be of any length."""
    with (
        longest_cell(_LONGEST),
        opened(path) as file,
        TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text,
    ):
        yield text
