"""The table of metrics: as a frame, as text with stars, and on a page."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.messages import visible
from skconf._core.numbers import bound, four_decimals
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.predictions import ends_of
from skconf.report._evidence.rows import JUDGED
from skconf.report._page.tables import WIDTH, TablePart, wrapped
from skconf.report._sections.verdicts import verdicts_of
from skconf.report._sections.which import stars
from skconf.report._sections.words import cautions, start_of

#: The separator between models, and between verdicts, in a text.
_BETWEEN = " | "


def frame_of(evidence: Evidence) -> pd.DataFrame:
    """Return the table of a report on one model or several."""
    rows, several = evidence.rows, evidence.several
    frame = pd.DataFrame(index=pd.Index([row.name for row in rows], name="metric"))
    for model, values in evidence.values.items():
        frame[model] = values
        if model in evidence.ends:
            frame[list(ends_of(model) if several else ("low", "high"))] = evidence.ends[model]
    frame["best"] = [row.best for row in rows]
    frame["better"] = [row.better for row in rows]
    frame["range"] = pd.arrays.IntervalArray.from_tuples([row.bounds for row in rows], closed="both")
    if several:
        frame["best_model"] = pd.Series(evidence.comparison.best, index=frame.index, dtype=object)
    judged, verdicts = _judged(evidence), verdicts_of(evidence)
    said, nothing = (verdicts, {}) if several else (next(iter(verdicts.values()), ""), "")
    cells = [said if row.name == judged else nothing for row in rows]
    frame["verdict"] = pd.Series(cells, index=frame.index, dtype=object)
    return frame


def _judged(evidence: Evidence) -> str | None:
    """Return the name of the row that shows the verdicts: the first about confidences that are too high or too low."""
    names = [row.name for row in evidence.rows]
    return next((name for name in JUDGED if name in names), None)


def notes_of(evidence: Evidence, *, verdicts: bool = True) -> list[str]:
    """Return the notes below the table: the meaning of a star, what counts as wrong, and perhaps the verdicts."""
    notes = [note for note in [stars(evidence.comparison)] if note] if evidence.several else []
    notes += cautions(evidence, evidence.rows)
    if verdicts and _judged(evidence) is not None:
        notes += [f"{start_of(evidence, model)}{text}" for model, text in verdicts_of(evidence).items()]
    return notes


def as_written(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table to write to a file: cells that hold several models or verdicts become texts."""
    written = {"best_model": _models_in_words, "verdict": _verdicts_in_words}
    return frame.assign(**{name: frame[name].map(write) for name, write in written.items() if name in frame})


def _models_in_words(best: Any) -> str:
    return _BETWEEN.join(map(str, best)) if isinstance(best, tuple) else str(best)


def _verdicts_in_words(verdicts: Any) -> str:
    if not isinstance(verdicts, dict):
        return str(verdicts)
    return _BETWEEN.join(f"{model}: {text}" for model, text in verdicts.items())


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
            marks = [isinstance(best, tuple) and name in best for best in frame.get("best_model", [""] * len(frame))]
            shown.append(_Column(visible(str(name)), cells, marks, is_text))
    return shown


def _writer(name: Any, column: Any) -> tuple[Callable[[Any], str], bool]:
    """Return the format of the entries of a column, and whether they are text. Text is aligned on the left."""
    if name == "best":
        return (lambda value: "" if np.isnan(value) else f"{value:g}"), False
    if pd.api.types.is_float_dtype(column):
        return four_decimals, False
    if pd.api.types.is_integer_dtype(column):
        return (lambda value: f"{value:,}"), False
    if isinstance(column.dtype, pd.IntervalDtype):
        return (lambda bounds: f"[{bound(bounds.left)}, {bound(bounds.right)}]"), True
    return (lambda value: visible(str(value))), not pd.api.types.is_numeric_dtype(column)


def as_lines(frame: pd.DataFrame, notes: Iterable[str] = (), width: int | None = None) -> str:
    """Return a table as text, with a star at the better models and notes below.

    A table that is wider than `width` is split into blocks. Each block begins with the names of the rows.
    """
    labels = [visible(str(label)) for label in frame.index]
    names = lines = _block(visible(str(frame.index.name or "")), labels, is_text=True)
    parts: list[list[str]] = []
    for header, cells, marks, is_text in _columns(frame):
        if any(marks):
            header, cells = f"{header} ", [cell + " *"[mark] for cell, mark in zip(cells, marks, strict=True)]
        block, gap = _block(header, cells, is_text), "  " if is_text else " "
        if width is not None and lines is not names and len(lines[0] + gap + block[0]) > width:
            parts.append([*lines, ""])
            lines = names
        lines = [line + gap + cell for line, cell in zip(lines, block, strict=True)]
    shown = [line for part in parts for line in part] + lines
    below = [wrapped(visible(note), min(WIDTH, width or WIDTH), "  ") for note in notes]
    return "\n".join(line.rstrip() for line in [*shown, *([""] if below else []), *below])


def _block(header: str, cells: list[str], is_text: bool) -> list[str]:
    """Return a header and its cells, padded to the same width."""
    width = max(map(len, [header, *cells]))
    return [f"{cell:{'<' if is_text else '>'}{width}}" for cell in [header, *cells]]


def as_table(frame: pd.DataFrame, notes: Iterable[str] = ()) -> TablePart:
    """Return a table for a page, with a star at the better models and notes below."""
    shown = {visible(str(frame.index.name or "")): [visible(str(label)) for label in frame.index]}
    for column in _columns(frame):
        shown[column.header] = [cell + "*" * mark for cell, mark in zip(column.cells, column.marks, strict=True)]
    return TablePart("", pd.DataFrame(shown), tuple(map(visible, notes)))
