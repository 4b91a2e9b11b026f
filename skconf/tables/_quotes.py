"""Quotes in tables of text. If a quote is not closed, its cell goes on to the next quote, and rows are lost."""

import re
from pathlib import Path

from skconf.tables._bytes import opened
from skconf.tables._unreadable import UnreadableError

#: Bytes that are read at once, and the most bytes of a cell. Packages that read tables refuse longer rows.
_READ_BYTES, _MOST_BYTES = 1 << 20, 1 << 24


def refuse_loose_quotes(path: Path, separator: str) -> None:
    """Raise if text follows the quote that closes a cell: all readers make it a part of this cell.

    The error has the line of the file in which the cell begins.
    """
    of_rows = re.escape(f"\r\n{separator}").encode()
    quoted = re.compile(rb'(?<![^%b])"(?:[^"]|"")*+(?:" *+([^ %b]?)|\Z)' % (of_rows, of_rows))
    feeds = returns = 0  # lines end with \n, \r, or both
    with opened(path) as file:
        data = b"\n"  # the start of the file counts as the start of a line
        while (more := file.read(_READ_BYTES)) and len(data) < _MOST_BYTES:
            data, keep = data + more, len(data) + len(more) - 1
            for cell in quoted.finditer(data, 1) if b'"' in data else ():
                if cell.end() == len(data):  # the cell may continue
                    keep = cell.start() - 1
                    break
                if cell[1]:
                    feeds, returns = (
                        feeds + data.count(b"\n", 1, cell.start()),
                        returns + data.count(b"\r", 1, cell.start()),
                    )
                    raise _loose(max(feeds, returns) + 1)
            feeds, returns = feeds + data.count(b"\n", 1, keep + 1), returns + data.count(b"\r", 1, keep + 1)
            data = data[keep:]


def _loose(line: int) -> UnreadableError:
    rest = (
        ": text follows the quote that closes a cell. Perhaps a closing quote is missing, here or in an earlier row: "
        "all rows up to the next quote are then one cell. Close the quote. Within a quoted cell, write each quote "
        "twice."
    )
    error = UnreadableError("", rest=rest, kind="open quote")
    error.line = line
    return error
