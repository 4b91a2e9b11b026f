"""Docstrings that share text: the one place that rewrites them."""

import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any

_WIDTH = 116


def filled(documented: Any, places: Mapping[str, str]) -> str:
    """Return the docstring of an object with the places in it filled.

    Parameters
    ----------
    documented : object
        A class or a function. Its own docstring is left as it is.
    places : mapping of str to str
        The text that stands for each place. Lines of it are indented as the line of the place, and a paragraph that
        becomes too wide is wrapped anew.

    Returns
    -------
    str
    """
    text = inspect.cleandoc(documented.__doc__ or "")
    for place, filling in places.items():
        while place in text:
            before, _, after = text.partition(place)
            indent = re.match(r" *", before.rpartition("\n")[2])
            text = before + textwrap.indent(filling, indent[0] if indent else "").lstrip() + after
    return re.sub(rf"^(?=.{{{_WIDTH + 1}}})( *)(?=\S)(?!>>> ).+(?:\n\1(?=\S).+)*", _wrapped, text, flags=re.M)


def _wrapped(too_wide: re.Match[str]) -> str:
    """Return a line that is too wide, and those of its indentation after it, wrapped anew."""
    indent = too_wide[1]
    hanging = "   " if too_wide[0].startswith(f"{indent}.. [") else ""
    return textwrap.fill(
        textwrap.dedent(too_wide[0]),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
