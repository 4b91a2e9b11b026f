"""Docstrings that share text: the one place that rewrites them."""

import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_WIDTH = 116

#: What every function of predictions says of its first two parameters, and of those that say how to read them.
PREDICTIONS = """\
y_true : array-like of shape (n_samples,) or ConfidenceProfile
    True labels; or a profile, which holds all predictions already.
y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
    Probabilities in the order of `labels`, or a table whose columns are named by them (`LABEL` or `proba_LABEL`). In a
    binary task a single column is the probability of `pos_label`."""
PREDICTED = """\
y_pred : array-like of shape (n_samples,), default=None
    Predicted labels, where they are not the first maximum of the probabilities."""
LABELS = """\
labels : array-like of shape (n_classes,), default=None
    Labels of the columns. None stands for the sorted labels of `y_true`, if there are as many.
pos_label : label, default=None
    Positive class of a binary task. None stands for the second label."""

_Documented = TypeVar("_Documented", bound=Callable[..., Any])


def documented(**places: str) -> Callable[[_Documented], _Documented]:
    """Fill the docstring of a function: ``@documented(labels=LABELS)`` fills the place ``{labels}``.

    Of functions of predictions, the places ``{predictions}``, ``{predicted}`` and ``{labels}`` are filled anyhow.

    Parameters
    ----------
    **places : str
        The text that stands for each place.

    Returns
    -------
    callable
        A decorator.
    """
    common = {"predictions": PREDICTIONS, "predicted": PREDICTED, "labels": LABELS}

    def decorate(function: _Documented) -> _Documented:
        function.__doc__ = filled(function, {f"{{{name}}}": text for name, text in (common | places).items()})
        return function

    return decorate


def entries_of_parameters(documented: Any) -> dict[str, str]:
    """Return the entries of the section "Parameters" of a docstring, by the names of the parameters."""
    lines = (inspect.getdoc(documented) or "").splitlines()
    start = lines.index("Parameters") + 2
    entries: dict[str, str] = {}
    for line in itertools.takewhile(bool, lines[start:]):
        if not line.startswith(" "):
            name, entry = line.partition(" : ")[0], line
        else:
            entry = f"{entries[name]}\n{line}"
        entries[name] = entry
    return entries


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
