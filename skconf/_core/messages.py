"""Texts that error messages share."""

import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from typing import Any

import numpy as np

#: Unicode categories of characters that show nothing: control, format, surrogate, and ends of lines and paragraphs.
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")

#: Most characters of a value that are shown.
_WIDEST = 100
#: Options of the command line whose names are not those of the parameters; None if the user writes Python.
_ON_COMMAND_LINE: ContextVar[dict[str, str] | None] = ContextVar("on_command_line", default=None)
#: The options that have another name than their parameter in all commands.
_OPTIONS = {"n_jobs": "jobs", "groups": "group", "ids": "id", "in_batches": "batches"}


@contextmanager
def on_command_line(**options: str) -> Iterator[None]:
    """Make messages write parameters as options of the command line, only in this thread and task.

    If an option of this command has another name than its parameter, pass it as a keyword: parameter="option".
    """
    token = _ON_COMMAND_LINE.set(_OPTIONS | options)
    try:
        yield
    finally:
        _ON_COMMAND_LINE.reset(token)


def option(name: str, *values: Any) -> str:
    """Return a parameter as the user writes it, with its value if one is given: ``proba='p'`` or ``--proba p``."""
    options = _ON_COMMAND_LINE.get()
    if options is None:
        return f"{name}={'[...]' if values[0] is ... else repr(values[0])}" if values else name
    if values and values[0] is ...:
        return f"{option(name)} …"
    several = [each for value in values for each in (value if isinstance(value, list | tuple) else [value])]
    texts = ["none" if each is False else str(each) for each in several]
    return shlex.join([f"--{options.get(name, name).replace('_', '-')}", *texts])


def from_probabilities() -> str:
    """Return the advice for metrics that need true and predicted classes, or the probabilities of all classes."""
    if not _ON_COMMAND_LINE.get():
        return "Use ConfidenceProfile.from_predictions."
    columns = f"true labels ({option('target')}) and of the probabilities of all classes ({option('proba')})"
    return f"Name the columns of {columns}."


def name_a_threshold() -> str:
    """Return the advice for metrics that need a threshold."""
    if _ON_COMMAND_LINE.get():
        return f"Pass {option('threshold', 'T')}."
    return (
        "Pass threshold=..., or evaluate a SelectiveClassifier, which has a threshold. Its profile and the scorers of "
        "skconf.get_scorer use this threshold. A scorer of scikit-learn's make_scorer does not."
    )


def name_as_confidence() -> str:
    """Return the advice for a column that is a confidence, but was given as a probability."""
    if _ON_COMMAND_LINE.get():
        return f"name it with {option('confidence')}, and the predicted labels with {option('prediction')}."
    return (
        "such as y_proba.max(axis=1), pass the probabilities of both classes, or use "
        "ConfidenceProfile.from_correctness(correct, confidence)."
    )


def see_all_metrics() -> str:
    """Return the advice where to find the names of all metrics."""
    if _ON_COMMAND_LINE.get():
        return f"{option('metrics', 'all')} reports all metrics of skconf."
    return "See skconf.metrics.__all__, skconf.get_scorer_names() and sklearn.metrics.get_scorer_names()."


def visible(text: str, keep: str = "") -> str:
    """Return a text in which characters that control a terminal or change the direction of text are escaped.

    All output goes through it last: lines in a terminal, elements of a page, Markdown and CSV.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character in keep or unicodedata.category(character) not in _STEERING else ascii(character)[1:-1]
        for character in text
    )


def shorten(values: Sequence[Any], at_most: int = 10) -> str:
    """Return a list for an error message, shortened to a few entries."""
    shown = ", ".join(brief(value) for value in values[:at_most])
    return f"[{shown}]" if len(values) <= at_most else f"[{shown}, ... {len(values) - at_most} more]"


def brief(value: Any) -> str:
    """Return the text of a value for an error message, without its middle if it is long.

    Examples
    --------
    >>> brief("cat")
    "'cat'"
    """
    text = repr(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST // 2]}…{text[-_WIDEST // 2 :]}"


def listed(texts: Sequence[str]) -> str:
    """Return texts as an enumeration for a sentence.

    Examples
    --------
    >>> listed(["accuracy", "cwA", "gain"])
    'accuracy, cwA and gain'
    """
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def capitalized(text: str) -> str:
    """Return a text as it stands at the beginning of a sentence. Only its first letter changes.

    Examples
    --------
    >>> capitalized("cwA and AURC")
    'CwA and AURC'
    """
    return text[:1].upper() + text[1:]


def suggest(name: str, known: Iterable[str], meant: Iterable[str] = ()) -> str:
    """Return " Did you mean …?" with the names that a wrong name may mean; "" if there are none.

    If other libraries use the wrong name, `meant` has its names here. Otherwise the closest known names are used.
    """
    close = list(dict.fromkeys(meant))
    close = close or get_close_matches(
        str(name), list(dict.fromkeys(known)), n=3, cutoff=0.5
    )  # "adult" suggests adult_income
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


def counted(number: int, what: str) -> str:
    """Return a number of things in words, such as "1 error" or "1,234 errors"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def beside(number: float, other: float, digits: int) -> str:
    """Return a number with at least `digits` digits, and with enough to show whether it is above or below `other`.

    Examples
    --------
    >>> beside(0.2504, 0.25, 2), beside(0.0481, 0.05, 2)
    ('0.2504', '0.048')
    """
    for more in range(digits, 17):
        text = f"{number:.{more}g}"
        if np.sign(float(text) - other) == np.sign(number - other):
            return text
    return repr(float(number))


def short_repr(result: Any) -> str:
    """Return a result with its fields in one line. Numbers are rounded; arrays and tables are shown by their size."""
    names = getattr(result, "_fields", None) or result.__dataclass_fields__
    return f"{type(result).__name__}({', '.join(f'{name}={_in_short(getattr(result, name))}' for name in names)})"


def _in_short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if hasattr(value, "columns"):
        return f"<table of {len(value)} rows>"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"<array of shape {value.shape}>"
    if type(value) is tuple:
        return f"({', '.join(map(_in_short, value))})"
    return f"<{len(value)} entries>" if isinstance(value, dict) else repr(value)
