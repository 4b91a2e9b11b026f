"""Options that commands share: names, numbers and files."""

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path


def one_of(known: Iterable[str], what: str) -> Callable[[str], str]:
    """Return a parser for an option that must be one of many names."""
    names = list(known)

    def read(name: str) -> str:
        if name not in names:
            from skconf._core.messages import suggest  # which needs numpy, and help does not

            raise argparse.ArgumentTypeError(
                f"unknown {what} {name!r}.{suggest(name, names)} Known: {', '.join(names)}"
            )
        return name

    return read


def whole_number(least: int) -> Callable[[str], int]:
    """Return a parser for an option that must be a whole number, `least` or more."""

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
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, but is {text!r}")
    return number


def grade(text: str) -> tuple[str, float]:
    """Parse an option that gives a word a number: WORD=NUMBER."""
    word, _, number = text.rpartition("=")
    try:
        if word.strip():
            return word.strip(), float(number)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be WORD=NUMBER, as high=0.9, but is {text!r}")


def grades_of(given: list[tuple[str, float]] | None) -> dict[str, float] | None:
    """Return the number of each word; None if there are none.

    Raises
    ------
    ValueError
        If a word has two.
    """
    grades: dict[str, float] = {}
    for word, number in given or []:
        if grades.setdefault(word, number) != number:
            raise ValueError(f"--grades gives {word!r} two numbers.")
    return grades or None


def output_file(text: str) -> Path:
    """Parse an option that names a file to write, and check that it can be written before hours of work, not after."""
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {path.parent}; create it")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder; name a file in it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{path} cannot be written: no permission; choose another file")
    return path
