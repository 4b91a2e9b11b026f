"""The line of a file that a row stands in, as an editor counts lines: from 1, with the names and what is empty."""

import csv
from io import TextIOWrapper
from pathlib import Path

from skconf.tables._bytes import opened
from skconf.tables._csv import longest_cell

#: The most that csv takes everywhere: a whole number of 32 bits.
_LONGEST = (1 << 31) - 1


def line_of_row(path: Path, row: int, separator: str | None) -> int | None:
    """Return the line in which a row of a file of text begins; None if it cannot be found.

    Parameters
    ----------
    path : Path
        The file.
    row : int
        The row, from 0.
    separator : str or None
        What separates the cells of a CSV file, whose first row are the names; None for JSON lines.
    """
    try:
        with (
            longest_cell(_LONGEST),
            opened(path) as file,
            TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text,
        ):
            if separator is None:
                full = (number for number, line in enumerate(text, 1) if line.strip())
                return next((number for at, number in enumerate(full) if at == row), None)
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
