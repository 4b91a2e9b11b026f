"""ConfidenceReport: a DataFrame of numbers that prints well in a terminal and in a notebook."""

from collections.abc import Callable
from html import escape
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.messages import visible

#: Columns that describe a metric; every other column is a model.
OF_THE_METRIC = ("best", "better", "range", "best_model", "verdict")

#: The separator of models, and of the verdicts on them.
BETWEEN = " | "
#: Width of the lines below a table.
_WIDTH = 80


class ConfidenceReport(pd.DataFrame):  # type: ignore[misc]
    """A DataFrame that prints itself for people: the result of :func:`~skconf.confidence_report`.

    Entries are plain numbers and strings, and results derived from it (a column, a selection, a copy) are plain pandas.
    Only its text in a terminal and its table in a notebook differ from pandas: both have the verdict below, and a star
    at the better ones of several models if a difference is shown.

    Examples
    --------
    >>> from skconf import confidence_report
    >>> report = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], metrics=["accuracy_score", "aurc_loss"])
    >>> report
    metric          value best  better  range
    accuracy_score 0.7500    1  higher  [0, 1]
    aurc_loss      0.0625    0  lower   [0, 1]
    >>> float(report.at["aurc_loss", "value"])
    0.0625
    """

    def __repr__(self) -> str:
        return _as_text(self)

    def _repr_html_(self) -> str:
        return _as_html(self)


def ends_of(model: Any) -> tuple[str, str]:
    """Return the names of the columns with the ends of a model's intervals."""
    return f"{model} low", f"{model} high"


class _Column(NamedTuple):
    """A column as text, with its header."""

    header: str
    cells: list[str]
    marks: list[bool]
    is_text: bool


def _columns(frame: pd.DataFrame) -> list[_Column]:
    shown = []
    for name, column in frame.items():
        if name not in ("best_model", "verdict"):
            write, is_text = _writer(name, column)
            cells = [write(value) for value in column]
            marks = [str(name) in best.split(BETWEEN) for best in frame.get("best_model", [""] * len(frame))]
            shown.append(_Column(visible(str(name)), cells, marks, is_text))
    return shown


def _below(frame: pd.DataFrame) -> list[str]:
    """Return the lines below a table: the meaning of a star, and the verdict on each model."""
    stars = frame.attrs.get("marks", "") if "best_model" in frame else ""
    verdicts = [each for verdict in frame.get("verdict", ()) if verdict for each in verdict.split(BETWEEN)]
    return [*([stars] if stars else []), *verdicts]


def _writer(name: Any, column: Any) -> tuple[Callable[[Any], str], bool]:
    """Return the format of the entries of a column, and whether they are text, which is aligned on the left."""
    if name == "best":
        return (lambda value: "" if np.isnan(value) else f"{value:g}"), False
    if pd.api.types.is_float_dtype(column):
        return _decimal, False
    if isinstance(column.dtype, pd.IntervalDtype):
        return (lambda bounds: f"[{bounds.left:g}, {bounds.right:g}]".replace("inf", "∞").replace("-", "−")), True
    return (lambda value: visible(str(value))), not pd.api.types.is_numeric_dtype(column)


def _decimal(value: float) -> str:
    return f"{value:,.4f}" if value == 0 or 1e-3 <= abs(value) < 1e6 else f"{value:.3g}"


def _as_text(frame: pd.DataFrame) -> str:
    """Return a table as text, with a star at the better ones of several models, and the verdicts below."""
    labels = [visible(str(label)) for label in frame.index]
    lines = _block(visible(str(frame.index.name or "")), labels, is_text=True)
    for header, cells, marks, is_text in _columns(frame):
        if any(marks):
            header, cells = f"{header} ", [cell + " *"[mark] for cell, mark in zip(cells, marks, strict=True)]
        gap = "  " if is_text else " "
        lines = [line + gap + cell for line, cell in zip(lines, _block(header, cells, is_text), strict=True)]
    below = [fill(visible(line), _WIDTH, subsequent_indent="  ") for line in _below(frame)]
    return "\n".join(line.rstrip() for line in [*lines, *([""] if below else []), *below])


def _block(header: str, cells: list[str], is_text: bool) -> list[str]:
    """Return a header and its cells at one width."""
    width = max(map(len, [header, *cells]))
    return [f"{cell:{'<' if is_text else '>'}{width}}" for cell in [header, *cells]]


def _as_html(frame: pd.DataFrame) -> str:
    """Return a table in HTML, with the better ones of several models in bold, and the verdicts below."""
    columns = _columns(frame)
    corner = _tag("th", str(frame.index.name or ""), is_text=True)
    rows = [corner + "".join(_tag("th", column.header, column.is_text) for column in columns)]
    for row, label in enumerate(frame.index):
        cells = (_tag("td", column.cells[row], column.is_text, column.marks[row]) for column in columns)
        rows.append(_tag("th", str(label), is_text=True) + "".join(cells))
    head, *body = (f"<tr>{row}</tr>" for row in rows)
    table = f'<table class="dataframe"><thead>{head}</thead><tbody>{"".join(body)}</tbody></table>'
    return table + "".join(f"<p>{escape(line)}</p>" for line in _below(frame))


def _tag(name: str, text: str, is_text: bool, marked: bool = False) -> str:
    html = f"<b>{escape(text)}*</b>" if marked else escape(text)
    return f'<{name} style="text-align: {"left" if is_text else "right"}; white-space: nowrap">{html}</{name}>'
