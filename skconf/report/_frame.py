"""ConfidenceReport: a DataFrame of numbers that reads well in a terminal and in a notebook."""

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.messages import visible

#: Columns that say something about a metric; every other column is a model.
OF_THE_METRIC = ("best", "better", "range", "best_model", "verdict")

#: How far apart two values may be, by rounding, and still be equally good.
_ROUNDING = 1e-12


class ConfidenceReport(pd.DataFrame):  # type: ignore[misc]
    """A DataFrame that shows itself for people: what :func:`~skconf.confidence_report` returns.

    Entries are plain numbers and strings, and what is made of it (a column, a selection, a copy) is plain pandas. Only
    its text in a terminal and its table in a notebook are its own; both mark the best of several models.

    Examples
    --------
    >>> from skconf import confidence_report
    >>> report = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], metrics=["accuracy_score", "aurc_loss"])
    >>> report
    metric          value best  better  range    verdict
    accuracy_score 0.7500    1  higher  [0, 1]
    aurc_loss      0.0625    0  lower   [0, 1]
    >>> float(report.at["aurc_loss", "value"])
    0.0625
    """

    def __repr__(self) -> str:
        return _as_text(self)

    def _repr_html_(self) -> str:
        return _as_html(self)


def is_best(frame: pd.DataFrame) -> pd.DataFrame:
    """Return which model is best in each row: the nearest to the best value there is; ties are, and NaN never is.

    Parameters
    ----------
    frame : DataFrame
        A column of numbers for each model, perhaps with those of the ends of its intervals, and the column ``best``.

    Returns
    -------
    DataFrame of bool
        A column for each model, or none where there is nothing to compare.
    """
    numbers = frame.drop(columns=list(OF_THE_METRIC), errors="ignore").select_dtypes("number")
    models = numbers.drop(columns=[end for model in numbers for end in ends_of(model)], errors="ignore")
    if models.shape[1] < 2:
        return pd.DataFrame(index=frame.index)
    distance = models.sub(frame["best"], axis=0).abs()
    nearest = distance.min(axis=1)
    return distance.le(nearest + _ROUNDING * (1 + nearest), axis=0)


def ends_of(model: Any) -> tuple[str, str]:
    """Return the names of the columns with the ends of a model's intervals."""
    return f"{model} low", f"{model} high"


class _Column(NamedTuple):
    """A column as it is shown, with what stands at its top."""

    header: str
    cells: list[str]
    marks: list[bool]
    is_text: bool


def _columns(frame: pd.DataFrame, hidden: tuple[str, ...]) -> list[_Column]:
    best = is_best(frame) if "best_model" in frame else ()
    shown = []
    for name, column in frame.items():
        if name not in hidden:
            write, is_text = _writer(name, column)
            marks = best[name].tolist() if name in best else [False] * len(frame)
            shown.append(_Column(visible(str(name)), [write(value) for value in column], marks, is_text))
    return shown


def _writer(name: Any, column: Any) -> tuple[Callable[[Any], str], bool]:
    """Return how the entries of a column are written, and whether they are text, which begins on the left."""
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
    """Return a table, with a star at the best of several models and what is said of each model below."""
    compared = "best_model" in frame and "verdict" in frame
    labels = [visible(str(label)) for label in frame.index]
    lines = _block(str(frame.index.name or ""), labels, is_text=True)
    for header, cells, marks, is_text in _columns(frame, ("best_model", "verdict") if compared else ()):
        if any(marks):
            header, cells = f"{header} ", [cell + " *"[best] for cell, best in zip(cells, marks, strict=True)]
        gap = "  " if is_text else " "
        lines = [line + gap + cell for line, cell in zip(lines, _block(header, cells, is_text), strict=True)]
    if compared:
        lines += ["", "* best"]
        for label, verdict in frame["verdict"].items():
            lines += [str(label), *(f"  {visible(each)}" for each in verdict.split("; "))] if verdict else []
    return "\n".join(line.rstrip() for line in lines)


def _block(header: str, cells: list[str], is_text: bool) -> list[str]:
    """Return a header and its cells at one width."""
    width = max(map(len, [header, *cells]))
    return [f"{cell:{'<' if is_text else '>'}{width}}" for cell in [header, *cells]]


def _as_html(frame: pd.DataFrame) -> str:
    """Return a table, with the best of several models in bold."""
    columns = _columns(frame, ("best_model",))
    corner = _tag("th", str(frame.index.name or ""), is_text=True)
    rows = [corner + "".join(_tag("th", column.header, column.is_text) for column in columns)]
    for row, label in enumerate(frame.index):
        cells = (_tag("td", column.cells[row], column.is_text, column.marks[row]) for column in columns)
        rows.append(_tag("th", str(label), is_text=True) + "".join(cells))
    head, *body = (f"<tr>{row}</tr>" for row in rows)
    return f'<table class="dataframe"><thead>{head}</thead><tbody>{"".join(body)}</tbody></table>'


def _tag(name: str, text: str, is_text: bool, marked: bool = False) -> str:
    html = ";<br>".join(map(escape, text.split("; ")))  # one line for the verdict on each model
    html = f"<b>{html}</b>" if marked else html
    return f'<{name} style="text-align: {"left" if is_text else "right"}; white-space: nowrap">{html}</{name}>'
