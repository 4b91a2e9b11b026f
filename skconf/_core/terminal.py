"""Write to the terminal and to files."""

import codecs
import os
import shutil
import sys
from collections.abc import Callable, Collection
from errno import EBADF
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd

#: Replacements for characters that an encoding lacks.
_PLAIN = {
    "σ": "sigma",
    "γ": "gamma",
    "∞": "inf",
    "−": "-",
    "–": "-",
    "±": "+/-",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "…": "...",
}
#: Characters that begin a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@")


class StandardInput(type(Path())):  # type: ignore[misc]
    """The path of a file with the content of standard input."""


class CommandError(Exception):
    """A mistake of the user in a command, reported without a traceback."""


def write_plainly_where_needed() -> None:
    """Print plain letters for characters that the terminal's encoding lacks, instead of raising an error."""
    codecs.register_error("skconf", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="skconf")


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, ascii(letter)[1:-1]) for letter in lacking), error.end


def say(text: str, file: TextIO | None = None, *, headings: Collection[str] = ()) -> None:
    """Print a text; escape control characters, which labels or file names may contain.

    In a terminal, a heading is bold if it is a whole line or stands before a colon, unless ``NO_COLOR`` is set. Raise
    an OSError if standard output is closed, or its disk is full.
    """
    from skconf._core.messages import visible  # it needs numpy, which --help does not

    if file is None and sys.stdout is None:
        raise OSError(EBADF, os.strerror(EBADF))
    stream, shown = sys.stdout if file is None else file, visible(text, keep="\n")
    if headings and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        shown = "\n".join(_with_bold_heading(line, headings) for line in shown.split("\n"))
    print(shown, file=stream)


def _with_bold_heading(line: str, headings: Collection[str]) -> str:
    heading, colon, rest = line.partition(":")
    return f"\x1b[1m{heading}\x1b[0m{colon}{rest}" if heading in headings else line


def csv_text(table: "pd.DataFrame", *, index: bool) -> str:
    """Return a table as CSV. Control characters are escaped. Texts that look like formulas begin with an apostrophe."""
    import pandas as pd

    safe = table.rename(columns=_safe, index=_safe)
    for position, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(position, safe.iloc[:, position].map(_safe))
    safe.index.names = [_safe(name) for name in safe.index.names]
    return str(safe.to_csv(index=index))


def _safe(cell: object) -> object:
    from skconf._core.messages import visible  # it needs numpy, which --help does not

    if not isinstance(cell, str):
        return cell
    cell = visible(cell)
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)  # a number, or a label such as -1
    except ValueError:
        return f"'{cell}"
    return cell


def write_file(path: Path | None, make: Callable[[], str]) -> None:
    """Write the result of a function to a file, if a path is given. The file is written completely or not at all."""
    if path is None:
        return
    text = make()
    is_special = path.exists() and not path.is_file()  # such as a pipe, which cannot be replaced
    path = path if is_special else path.resolve()  # so that a symbolic link is kept; /dev/stdout leads to no path
    unfinished = path if is_special else path.with_name(f".{path.name}.part")
    try:
        try:
            unfinished.write_text(text, encoding="utf-8")
            if not is_special:
                unfinished.replace(path)
        finally:
            if not is_special:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error}") from None
    say(f"wrote {path}", file=sys.stderr)


def line_width() -> int | None:
    """Return ``COLUMNS``, or else the width of the terminal, in characters; None if there is neither."""
    is_known = (sys.stdout is not None and sys.stdout.isatty()) or os.environ.get("COLUMNS", "").isdigit()
    return shutil.get_terminal_size().columns if is_known else None
