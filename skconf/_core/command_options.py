"""Options that commands share: names, numbers and files."""

import argparse
import os
from collections.abc import Callable, Iterable
from errno import ELOOP
from glob import glob
from math import isnan
from pathlib import Path

from skconf._core.terminal import CommandError


def one_of(known: Iterable[str], what: str) -> Callable[[str], str]:
    """Return a parser for an option that must be one of the known names."""
    names = list(known)

    def read(name: str) -> str:
        if name not in names:
            from skconf._core.messages import suggest  # it needs numpy, which --help does not

            raise argparse.ArgumentTypeError(
                f"unknown {what} {name!r}.{suggest(name, names)} Known: {', '.join(names)}"
            )
        return name

    return read


def whole_number(least: int) -> Callable[[str], int]:
    """Return a parser for an option that must be a whole number of at least `least`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more, but is {text!r}")
        return number

    return read


def share(text: str) -> float:
    """Parse an option that must be a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        meant = f"; for {number:g}% pass {number / 100:g}" if 1 < number <= 100 else ""
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, but is {text!r}{meant}")
    return number


def grade(text: str) -> tuple[str, float]:
    """Parse an option with a word and its number: WORD=NUMBER."""
    return _word_and_number(text, "WORD=NUMBER, as high=0.9")


def _word_and_number(text: str, what: str) -> tuple[str, float]:
    word, _, number = text.rpartition("=")
    try:
        if word.strip() and not isnan(value := float(number)):
            return word.strip(), value
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be {what}, but is {text!r}")


def share_of_class(text: str) -> list[tuple[str, float]]:
    """Parse an option with labels and their shares: LABEL=SHARE, or several separated by commas."""
    parts = text.split(",") if all("=" in part for part in text.split(",")) else [text]
    return [_word_and_number(part, "LABEL=SHARE, as fraud=0.003") for part in parts]


def shares_of(given: list[list[tuple[str, float]]] | None) -> dict[str, float] | None:
    """Return the share of each label; None if the option was not given. Raise if a label has two shares."""
    shares: dict[str, float] = {}
    for label, share in (pair for pairs in given or [] for pair in pairs):
        if shares.setdefault(label, share) != share:
            raise ValueError(f"--prevalence gives {label!r} two shares.")
    return shares or None


def grades_of(given: list[tuple[str, float]] | None) -> dict[str, float] | None:
    """Return the number of each word; None if the option was not given. Raise if a word has two numbers."""
    grades: dict[str, float] = {}
    for word, number in given or []:
        if grades.setdefault(word, number) != number:
            raise ValueError(f"--grades gives {word!r} two numbers.")
    return grades or None


#: Endings of the files that are read from a folder.
_TABLES = {".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}


class OutputFile(type(Path())):  # type: ignore[misc]
    """A file that a command will write."""


def check_outputs(options: argparse.Namespace) -> None:
    """Raise if an output would replace an input or another output; called before anything is computed."""
    values = [part for value in vars(options).values() for part in (value if isinstance(value, list) else [value])]
    outputs = [value for value in values if isinstance(value, OutputFile) and not _is_special(value)]
    inputs = [file for value in values if outputs and type(value) is str for file in _files_of(value)]
    for at, output in enumerate(outputs):
        if any(_is_same(output, file) for file in inputs):
            raise CommandError(f"{output} is an input and would be overwritten by the output; name another file.")
        if any(_is_same(output, other) for other in outputs[:at]):
            raise CommandError(f"{output} is given for two outputs; name two files.")


def _files_of(text: str) -> list[Path]:
    """Return the files that a text may name: one file, the tables in a folder, or the files that match a pattern."""
    try:
        path = Path(text)
        if path.is_dir():
            return [file for file in path.rglob("*") if _TABLES & {*file.suffixes}]
        return [path] if path.exists() else [Path(file) for file in glob(text, recursive=True)]  # noqa: PTH207, of any folder
    except (OSError, ValueError):  # the text is no path
        return []


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file, also through links."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def output_file(text: str) -> OutputFile:
    """Parse an option that names a file to write; check now whether it can be written, and not after hours of work."""
    if text == "-":
        raise argparse.ArgumentTypeError("- is not the name of a file; name a file")
    path = OutputFile(text)
    try:
        path.stat()
    except OSError as error:
        if error.errno == ELOOP:
            raise argparse.ArgumentTypeError(f"{path} is a link that leads to itself; name another file") from None
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.parent}; create it")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder; name a file in it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path} cannot be written: no permission; choose another file")
    return path
