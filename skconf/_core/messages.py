"""Wording that error messages share."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any


def shorten(values: Sequence[Any], at_most: int = 10) -> str:
    """Return a list for an error message, cut after a few entries."""
    shown = ", ".join(repr(value) for value in values[:at_most])
    return f"[{shown}]" if len(values) <= at_most else f"[{shown}, ... {len(values) - at_most} more]"


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a sentence with the close matches of a misspelt name, with a space before it; or nothing."""
    close = get_close_matches(str(name), list(known), n=3, cutoff=0.5)  # lets "adult" find "adult_income"
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
