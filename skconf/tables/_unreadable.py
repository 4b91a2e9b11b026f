"""Files that cannot be read as tables: the only module that interprets the messages of other packages."""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from gzip import BadGzipFile
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile

from skconf._core.problems import DataError
from skconf.tables._paths import shown

#: Errors of packages if a compressed file is damaged.
_DAMAGED = (EOFError, LZMAError, BadZipFile, BadGzipFile, zlib.error)
#: Errors of packages if a file is damaged or has another format.
_FAULTS = (ValueError, OSError, NotImplementedError, *_DAMAGED)
#: The start of messages of pyarrow's data sets, before the reason.
_DATASET = re.compile(r"^Error creating dataset\..*Invalid: ", re.DOTALL)
#: How pyarrow names a row. The text of the user's file comes after it.
_ROW = re.compile(r"Row #(\d+)")
#: The end of a message about a row with more or fewer cells than there are names.
CELLS = (
    " – each row must have a cell for each name in the first line. Write decimals with a point, quote cells that hold "
    "the separator, and leave out row names (in R: row.names = FALSE)."
)
#: The message about a row that is too long.
LONG_ROW = "a row is longer than 4 MB. If a quote is not closed, all following text becomes one cell: close the quote."
#: The message about a row with a quote that is not closed.
OPEN_QUOTE = "a quote opens a cell and is not closed, so all following text becomes one cell: close the quote."


class UnreadableError(DataError):
    """An error about a file that is not a table, or about a row that cannot be read.

    Rows are counted as in pyarrow: row 1 holds the names of the columns.

    Attributes
    ----------
    line : int or None
        The line of the file, as an editor counts lines, if it is known without reading the file again.
    find_line : callable or None
        A function that takes the number of a row, reads the file again, and returns the line. It counts rows from 0,
        without the row of the names.
    """

    line: int | None = None
    find_line: Callable[[int], int | None] | None = None

    def _where(self) -> str:
        return f"cannot read {self.place}"

    def _what(self) -> str:
        line = self.line
        if self.row is not None and self.find_line is not None:
            line = self.find_line(self.row - 2)
        row = "" if self.row is None else f"Row #{self.row}"
        return f"{self.text}{row if line is None else f'line {line}'}{self.rest}"


@contextmanager
def readable(path: Path, find_line: Callable[[int], int | None] | None = None) -> Iterator[None]:
    """Turn errors of the package that reads a file into errors that name the file, and the line by `find_line`."""
    try:
        yield
    except _FAULTS as error:
        wrong = unreadable(error).at(shown(path))
        wrong.find_line = find_line
        raise wrong from None


def unreadable(error: Exception) -> UnreadableError:
    """Turn the error of a package that reads a file into an error that says why, and what to do."""
    if isinstance(error, UnreadableError):
        return error
    if isinstance(error, DataError):
        return UnreadableError(str(error), kind=error.kind)
    if isinstance(error, PermissionError):
        return UnreadableError("there is no permission to read it.", kind="no permission")
    if isinstance(error, UnicodeEncodeError):
        return UnreadableError("its name, or the name of its folder, is not UTF-8. Rename it.", kind="name")
    decoded = isinstance(error, OSError) and error.errno is None  # it is no error of the disk
    if isinstance(error, _DAMAGED) or decoded or "magic bytes" in str(error):
        text = "it is damaged, incomplete, or in another format than its name says. Copy, compress or write it again."
        return UnreadableError(text, kind="damaged")
    reason = re.sub(_DATASET, "", str(error)).removeprefix("CSV parse error: ")  # words of another package
    if "out of memory" in reason:
        raise MemoryError
    if "multiple columns" in reason:
        return UnreadableError(f"{reason}.", kind="repeated column", advice="Rename all but one.")
    if isinstance(error, UnicodeDecodeError):
        return UnreadableError("it is not UTF-8 text. Save it as CSV UTF-8.", kind="not UTF-8")
    if "straddling" in reason:
        return UnreadableError(LONG_ROW, kind="long row")
    rest, kind = (CELLS, "number of cells") if "Expected" in reason else ("", "")
    match = _ROW.search(reason)  # words of another package
    if match is None:
        return UnreadableError(f"{reason}{rest}", kind=kind)
    if "invalid UTF8" in reason:
        return UnreadableError("", int(match[1]), " is not UTF-8 text. Save the file as CSV UTF-8.", kind="not UTF-8")
    return UnreadableError(reason[: match.start()], int(match[1]), f"{reason[match.end() :]}{rest}", kind=kind)
