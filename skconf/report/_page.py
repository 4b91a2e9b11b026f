"""Tables and figures as text, as Markdown, and as self-contained HTML."""

import html
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body {font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 90rem; margin: 2rem auto; padding: 0 1rem}
div {overflow-x: auto}
table {border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0}
th, td {padding: .15rem .6rem; text-align: right; white-space: nowrap}
th {font-weight: 600}
thead th {border-bottom: 1px solid #999}
th[colspan] {text-align: center}
tr:nth-child(even) td {background: #f5f5f5}
svg {max-width: 100%; height: auto}
"""


@dataclass(frozen=True)
class FigurePart:
    """A figure of a report, shown only on a page.

    Attributes
    ----------
    title : str
        Its heading.
    figure : Figure
        The figure.
    """

    title: str
    figure: "Figure"

    def html(self) -> tuple[str, str]:
        """Return the heading, plain text, and the figure in HTML."""
        return self.title, figure_html(self.figure)


@dataclass(frozen=True)
class TablePart:
    """A table of a report.

    Attributes
    ----------
    title : str
        Its heading.
    table : DataFrame
        A table of texts.
    notes : tuple of str, default=()
        Lines below the table.
    """

    title: str
    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def text(self, width: int | None = None) -> str:
        """Return the table as text, in several parts if it is wider than a line, and its notes."""
        parts = [self.table] if width is None else _narrow(self.table, width)
        return "\n".join(["\n\n".join(part.to_string(index=False, sparsify=True) for part in parts), *self.notes])

    def markdown(self) -> str:
        """Return heading, table and notes in Markdown."""
        notes = (f"{_markdown_text(note)}\n" for note in self.notes)
        return "\n".join([f"## {_markdown_text(self.title)}\n", markdown(self.table), *notes])

    def html(self) -> tuple[str, str]:
        """Return the heading, plain text, and the table and its notes in HTML."""
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return self.title, table_html(self.table) + notes


def _narrow(table: pd.DataFrame, width: int) -> Iterator[pd.DataFrame]:
    """Yield a table in parts, each with the columns that identify the rows, which have no heading above."""
    if table.columns.nlevels == 1:
        yield table
        return
    headings = table.columns.get_level_values(0)
    held = [""]
    for heading in headings[headings != ""].unique():
        wider = table.loc[:, headings.isin([*held, heading])]
        if len(held) > 1 and len(wider.to_string(index=False).partition("\n")[0]) > width:
            yield table.loc[:, headings.isin(held)]
            held = [""]
        held.append(heading)
    yield table.loc[:, headings.isin(held)]


def as_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its numbers as texts of four figures."""
    return table.apply(lambda column: [_text(cell) for cell in column])


def _text(cell: Any) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return "–" if isnan(cell) else f"{cell:.4g}"


def markdown(table: pd.DataFrame) -> str:
    """Return a table of texts in Markdown; escape markup and line breaks in the texts."""
    titles = [" ".join(filter(None, title)) if isinstance(title, tuple) else str(title) for title in table]
    rows = [titles, ["---"] * len(titles), *table.to_numpy().tolist()]
    return "".join("| " + " | ".join(map(_markdown_cell, row)) + " |\n" for row in rows)


def _markdown_cell(cell: Any) -> str:
    return _markdown_text(cell).replace("|", r"\|")


def _markdown_text(text: Any) -> str:
    return html.escape(" ".join(str(text).splitlines()), quote=False)


def table_html(table: pd.DataFrame) -> str:
    """Return a table of texts in HTML."""
    return f"<div>{table.to_html(index=False, border=0)}</div>"


def figure_html(figure: "Figure") -> str:
    """Return a figure in HTML, as vector graphics."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    drawing = buffer.getvalue()
    return drawing[drawing.index("<svg") :]


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure that belongs to no window.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("Figures need matplotlib: pip install 'skconf[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def page(title: str, introduction: str, parts: Iterable[tuple[str, str]]) -> str:
    """Return a page.

    Parameters
    ----------
    title, introduction : str
        Plain text.
    parts : iterable of (str, str)
        Headings, plain text, and their content, HTML.

    Returns
    -------
    str
    """
    body = "\n".join(f"<h2>{html.escape(heading)}</h2>\n{content}" for heading, content in parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n<h1>{html.escape(title)}</h1>\n<p>{html.escape(introduction)}</p>\n{body}\n</html>\n"
    )
