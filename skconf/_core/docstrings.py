"""Docstrings with shared texts are filled here."""

import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_WIDTH = 116

#: The documentation of parameters that all functions of predictions share.
PREDICTIONS = """\
y_true : array-like of shape (n_samples,) or ConfidenceProfile
    True labels, or a profile. If you pass a profile, it holds labels, predictions and weights: leave out their
    parameters.
y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
    Probabilities, with a column for each class in the order of `labels`. Columns of a table that are named LABEL or
    proba_LABEL may be in any order. In a binary task, you can pass a single column, the probability of `pos_label`."""
PREDICTED = """\
y_pred : array-like of shape (n_samples,), default=None
    Predicted labels. None uses the most probable class; of equally probable classes, the first in the order of
    `labels`."""
POS_LABEL = """\
pos_label : label, default=None
    Positive class. In a binary task, None uses the second label. With more classes, None means no positive class."""
LABELS = f"""\
labels : array-like of shape (n_classes,), default=None
    Labels of the columns. None uses the sorted labels of `y_true`, if there are as many labels as columns.
{POS_LABEL}"""

_Documented = TypeVar("_Documented", bound=Callable[..., Any])


def documented(**places: str) -> Callable[[_Documented], _Documented]:
    """Fill the docstring of a function: ``@documented(labels=LABELS)`` fills the placeholder ``{labels}``.

    The placeholders ``{predictions}``, ``{predicted}``, ``{labels}`` and ``{pos_label}`` are always filled.
    """
    common = {"predictions": PREDICTIONS, "predicted": PREDICTED, "labels": LABELS, "pos_label": POS_LABEL}

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
    """Return a copy of the docstring of a class or a function, with its placeholders filled.

    The docstring itself is not changed. A text is indented like the line of its placeholder. A paragraph that
    becomes too wide is wrapped anew.
    """
    text = inspect.cleandoc(documented.__doc__ or "")
    for place, filling in places.items():
        while place in text:
            before, _, after = text.partition(place)
            indent = re.match(r" *", before.rpartition("\n")[2])
            text = before + textwrap.indent(filling, indent[0] if indent else "").lstrip() + after
    return re.sub(rf"^(?=.{{{_WIDTH + 1}}})( *)(?=\S)(?!>>> ).+(?:\n\1(?=\S).+)*", _wrapped, text, flags=re.M)


def _wrapped(too_wide: re.Match[str]) -> str:
    """Wrap a line that is too wide, together with the next lines of the same indentation."""
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
