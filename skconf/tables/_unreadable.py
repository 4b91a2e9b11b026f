"""Files that cannot be read as tables: the one place that understands messages of the packages that read them."""

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

#: What packages raise where a compressed file is damaged.
_DAMAGED = (EOFError, LZMAError, BadZipFile, BadGzipFile, zlib.error)
#: What they raise where a file is damaged or is none of its kind.
_FAULTS = (ValueError, OSError, NotImplementedError, *_DAMAGED)
#: What pyarrow's data sets say before what is wrong.
_DATASET = re.compile(r"^Error creating dataset\..*Invalid: ", re.DOTALL)
#: How pyarrow names a row; what the user wrote comes after it.
_ROW = re.compile(r"Row #(\d+)")
#: What follows a message about a row with more or fewer cells than there are names.
CELLS = (
    " – each row must have a cell for each name in the first line. Write decimals with a point, quote cells that hold "
    "the separator, and leave out names of rows (in R: row.names = FALSE)."
)
#: What is said of a row that is too long to be one.
LONG_ROW = "a row is longer than 4 MB. A quote may be left open, so that all that follows is one cell: close it."
#: What is said of a row with a quote that is not closed.
OPEN_QUOTE = "a quote opens a cell and is left open, so that all that follows is one cell: close it."


class UnreadableError(DataError):
    """A file, or a row of it, that is no table. Rows are counted as pyarrow does: from 1, that of the names.

    Attributes
    ----------
    line : int or None
        The line of the file, as an editor counts lines, where it is known at once.
    find_line : callable or None
        What finds the line of a row that is counted from 0, the first after the names: the file is read again for it.
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
    """Name the file in errors of the package that reads it; and the line, by what finds it."""
    try:
        yield
    except _FAULTS as error:
        wrong = unreadable(error).at(shown(path))
        wrong.find_line = find_line
        raise wrong from None


def unreadable(error: Exception) -> UnreadableError:
    """Return why a file cannot be read, and what to do, by the error of the package that reads it."""
    if isinstance(error, UnreadableError):
        return error
    if isinstance(error, DataError):
        return UnreadableError(str(error), kind=error.kind)
    if isinstance(error, PermissionError):
        return UnreadableError("there is no permission to read it.", kind="no permission")
    if isinstance(error, UnicodeEncodeError):
        return UnreadableError("its name, or that of its folder, is not UTF-8: rename it.", kind="name")
    decoded = isinstance(error, OSError) and error.errno is None  # the disk is not to blame
    if isinstance(error, _DAMAGED) or decoded or "magic bytes" in str(error):
        text = "it is damaged, incomplete, or not of the form that its name says: copy, compress or write it again."
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
