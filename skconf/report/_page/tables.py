"""Tables of texts: in Markdown, in HTML and, by `text_tables`, for a terminal."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import isnan
from numbers import Integral
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import visible
from skconf._core.numbers import with_minus
from skconf.report._page.elements import Ids, Markup, element, joined
from skconf.report._page.text_tables import in_lines, n_naming, packed

#: Characters of a line of text without a terminal.
WIDTH = 80
#: Characters of a line that paper, or a screen of 1000 pixels, holds; wider tables are split. And the characters of a
#: column that names rows, whose longer texts are broken.
_PRINTED, _BROKEN = 103, 30
#: Least characters of a column that names rows, and of a line of a long text in a cell.
_NAMING, _SENTENCE = 12, 20
#: Most columns that a phone shows beside each other. With more columns, each row is a card there.
_BESIDE = 3
#: Texts that begin like a number, but not like a hash.
_NUMBER = re.compile(r"(?![\da-f]{12})[\[<>~≈× ]*[−+-]?[.\d]|^–?$|^[−+-]?∞|^none|^all$")


@dataclass(frozen=True)
class TablePart:
    """A table of a page.

    Attributes
    ----------
    title : str
        Its heading; "" for none.
    table : DataFrame
        A table of texts. Its columns may have two levels: a heading, and the titles below it. Columns without a heading
        identify the rows.
    notes : tuple of str, default=()
        Lines below the table.
    rows_in_text : int or None, default=None
        The most rows that a terminal shows; None for all.
    """

    title: str
    table: pd.DataFrame
    notes: tuple[str, ...] = ()
    rows_in_text: int | None = None

    def text(self, width: int | None = None) -> str:
        """Return the table as text, in several parts if it is wider than a line, and its notes."""
        table = self.table.iloc[: self.rows_in_text]
        lines = [in_lines(table, width), *(wrapped(note, width) for note in self.notes)]
        if more := len(self.table) - len(table):
            lines.insert(1, f"… {more:,} more on the page (.save(), or --html FILE).")
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return heading, table and notes in Markdown."""
        heading = [f"## {markdown_text(self.title)}\n"] if self.title else []
        return "\n".join([*heading, markdown(self.table), *(f"{markdown_text(note)}\n" for note in self.notes)])

    def html(self, ids: Ids) -> Markup:
        """Return heading, table and notes in HTML."""
        title = element("h3", self.title) if self.title else None
        tables = [self._scroller(part, ids) for part in _printed(self.table)]
        return joined([title, *tables, *(element("p", note, class_="note") for note in self.notes)])

    def _scroller(self, part: pd.DataFrame, ids: Ids) -> Markup:
        """Return a table that scrolls if it is wider than the screen."""
        name = ids.unique(self.title or "Table")
        kind = "table cards" if part.shape[1] > _BESIDE else "table"
        return element("div", _table(part), class_=kind, tabindex="0", role="region", aria_label=name)


def wrapped(text: str, width: int | None = None, indent: str = "") -> str:
    """Return a text in lines. No line ends before a percent sign, and all lines but the first are indented."""
    kept = visible(text, keep="\n").replace(" %", "\N{NO-BREAK SPACE}%")
    return fill(kept, width or WIDTH, subsequent_indent=indent).replace("\N{NO-BREAK SPACE}", " ")


def _printed(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the parts of a table that fit on a printed page, each with the columns that name the rows."""
    headings, titles = (table.columns.get_level_values(level) for level in (0, -1))
    room = [_room(str(title), list(map(str, table.iloc[:, at]))) for at, title in enumerate(titles)]
    several = table.columns.nlevels > 1
    named = np.flatnonzero(headings == "").tolist() if several else list(range(n_naming(table)))
    widths = {at: max(_NAMING, min(room[at], _BROKEN)) if at in named else room[at] for at in range(len(room))}
    others = (at for at in widths if at not in named)
    groups = (list(columns) for _, columns in groupby(others, lambda at: headings[at] if several else at))
    for held in packed(named, groups, lambda columns: sum(widths[at] for at in columns) <= _PRINTED):
        yield table.iloc[:, held]


def _room(title: str, column: list[str]) -> int:
    """Return how many characters a column takes: numbers stay in one line, long texts and titles are broken."""
    longest = max(map(len, column), default=0)
    least = longest if _are_numbers(column) else min(longest, _SENTENCE)
    words = [*title.split(), *(word for text in column for word in text.split())]
    return 1 + max(least, max(map(len, words), default=0))


def _are_numbers(column: list[str]) -> bool:
    return all(map(_NUMBER.match, column))


def _table(table: pd.DataFrame) -> Markup:
    """Return the element of a table; its first columns name the rows."""
    columns = [[str(cell) for cell in table.iloc[:, at]] for at in range(table.shape[1])]
    kinds = ["n" if at and _are_numbers(column) else None for at, column in enumerate(columns)]
    titles = _labels(table.columns)
    cells = [
        [element("td", cell, class_=kind, data_label=title) for cell in column]
        for column, kind, title in zip(columns, kinds, titles, strict=True)
    ]
    named = n_naming(table)
    cells[:named] = [
        [element("th", cell, scope="row", data_label=title) for cell in column]
        for column, title in zip(columns[:named], titles, strict=False)
    ]
    body = [element("tr", row) for row in zip(*cells, strict=True)]
    return element("table", element("thead", _head(table.columns, kinds)), element("tbody", body))


def _labels(titles: Any) -> list[str]:
    """Return the titles of cells on a narrow screen, where each row is a card.

    A heading that all cells share is left out, because it stands above the cards.
    """
    above, below = (list(map(str, titles.get_level_values(level))) for level in (0, -1))
    if titles.nlevels == 1 or len(set(filter(None, above))) == 1:
        return below
    return [": ".join(filter(None, title)) for title in zip(above, below, strict=True)]


def _head(titles: Any, kinds: list[str | None]) -> list[Markup]:
    """Return one row of titles, or two."""
    last = titles.get_level_values(-1)
    below = [element("th", str(title), scope="col", class_=kind) for title, kind in zip(last, kinds, strict=True)]
    if titles.nlevels == 1:
        return [element("tr", below)]
    above, spans = [], titles.get_level_values(0)
    for start, heading in enumerate(spans):
        if not heading:
            above.append(element("td"))
        elif not start or spans[start - 1] != heading:
            span = next((at for at in range(start, len(spans)) if spans[at] != heading), len(spans)) - start
            above.append(element("th", str(heading), colspan=str(span), scope="colgroup"))
    return [element("tr", above), element("tr", below)]


def as_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its numbers as texts with four digits."""
    return table.apply(lambda column: [_text(cell) for cell in column])


def _text(cell: Any) -> str:
    if not isinstance(cell, float):
        return str(cell) if isinstance(cell, bool) or not isinstance(cell, Integral) else f"{cell:,}"
    return "–" if isnan(cell) else with_minus(f"{cell:.4g}")


def markdown(table: pd.DataFrame) -> str:
    """Return a table of texts in Markdown; escape markup and line breaks in the texts."""
    titles = [" ".join(filter(None, title)) if isinstance(title, tuple) else str(title) for title in table]
    rows = [titles, ["---"] * len(titles), *table.to_numpy().tolist()]
    cells = ([markdown_text(cell).replace("|", r"\|") for cell in row] for row in rows)
    return "".join("| " + " | ".join(row) + " |\n" for row in cells)


def markdown_text(text: Any) -> str:
    """Return a text in one line of Markdown, without markup of HTML."""
    return escape(visible(" ".join(str(text).splitlines())), quote=False)


def csv_of(table: pd.DataFrame) -> str:
    """Return a table as CSV, with numbers of six digits."""
    return visible(str(table.to_csv(index=False, float_format="%.6g", lineterminator="\n")), keep="\n")
