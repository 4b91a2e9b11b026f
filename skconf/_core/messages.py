"""Wording that error messages share."""

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

#: Kinds of characters that show nothing: control, format, and lone halves of pairs.
_STEERING = ("Cc", "Cf", "Cs")


def visible(text: str, keep: str = "") -> str:
    """Return a text in which characters that steer a terminal, or turn its lines around, are written out."""
    return "".join(
        character if character in keep or unicodedata.category(character) not in _STEERING else ascii(character)[1:-1]
        for character in text
    )


def shorten(values: Sequence[Any], at_most: int = 10) -> str:
    """Return a list for an error message, cut after a few entries."""
    shown = ", ".join(repr(value) for value in values[:at_most])
    return f"[{shown}]" if len(values) <= at_most else f"[{shown}, ... {len(values) - at_most} more]"


def suggest(name: str, known: Iterable[str], meant: Iterable[str] = ()) -> str:
    """Return a sentence with what a wrong name stands for, with a space before it; or nothing.

    Parameters
    ----------
    name : str
        The wrong name.
    known : iterable of str
        The right names; the message lists the closest ones.
    meant : iterable of str, default=()
        Right names for a name used elsewhere; the message lists them instead of close ones.
    """
    close = list(dict.fromkeys(meant))
    close = close or get_close_matches(
        str(name), list(dict.fromkeys(known)), n=3, cutoff=0.5
    )  # "adult" of adult_income
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


def short_repr(result: Any) -> str:
    """Return a result with its fields in one line: numbers rounded, arrays and tables by their size."""
    names = getattr(result, "_fields", None) or result.__dataclass_fields__
    return f"{type(result).__name__}({', '.join(f'{name}={_in_short(getattr(result, name))}' for name in names)})"


def _in_short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if hasattr(value, "columns"):
        return f"<table of {len(value)} rows>"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"<array of shape {value.shape}>"
    return f"<{len(value)} entries>" if isinstance(value, dict) else repr(value)
