"""What commands write: to the terminal, and to files."""

import codecs
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import pandas as pd

from skconf._core.messages import visible

#: What stands for characters that an encoding lacks.
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
#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class CommandError(Exception):
    """A mistake in a command, which is reported without a traceback."""


def write_plainly_where_needed() -> None:
    """Let the terminal's encoding stand in the way of nothing: what it lacks is written in plain letters."""
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


def say(text: str, file: TextIO | None = None) -> None:
    """Print a text; what would steer the terminal, in labels or names of files, is written out."""
    print(visible(text, keep="\n"), file=sys.stdout if file is None else file)


def csv_text(table: pd.DataFrame, *, index: bool) -> str:
    """Return a table as CSV, in which texts that a spreadsheet would take for formulas begin with an apostrophe."""
    safe = table.rename(columns=_no_formula, index=_no_formula)
    for position, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(position, safe.iloc[:, position].map(_no_formula))
    safe.index.names = [_no_formula(name) for name in safe.index.names]
    return str(safe.to_csv(index=index))


def _no_formula(cell: object) -> object:
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)  # a number, or a label such as -1
    except ValueError:
        return f"'{cell}"
    return cell


def write_file(path: Path | None, make: Callable[[], str]) -> None:
    """Write what is made to a file, if one is wanted: all of it, or nothing."""
    if path is None:
        return
    text = make()
    path = path.resolve()  # so that a link stays one
    is_special = path.exists() and not path.is_file()  # such as a pipe, which nothing can replace
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
    """Return how many characters a line of the terminal holds; None where a file or another program reads."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
