"""Tables of texts for a terminal, in parts that fit its lines."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, pairwise
from textwrap import wrap
from typing import NamedTuple, TypeVar

import pandas as pd

from skconf._core.messages import visible

T = TypeVar("T")

#: The least width to which a text or a title is broken to fit a line.
_LEAST = 10
#: Most columns that name the rows of a table.
_MOST_NAMING = 3


class _Column(NamedTuple):
    """A column: its title, its cells, and a heading above the title, which its neighbours may share; "" for none."""

    heading: str
    title: str
    cells: list[str]

    def titles(self, *, short: bool) -> list[str]:
        """Return the lines of the title; with `short`, lines that are hardly wider than the cells."""
        if not short:
            return [self.title]
        room = max(_LEAST, *map(len, self.cells), *map(len, self.title.split()))
        return wrap(self.title, room) or [""]


def in_lines(table: pd.DataFrame, width: int | None) -> str:
    """Return a table as text, in parts if it is wider than a line. Each part has the columns that name the rows."""
    columns = _columns(table)
    if width is None:
        return _drawn(columns, None)
    parts = _parts(columns, width, 0 if table.columns.nlevels > 1 else n_naming(table))
    return "\n\n".join(_drawn(_broken(part, width), width) for part in parts)


def n_naming(table: pd.DataFrame) -> int:
    """Return the smallest number of first columns that differ between any two rows; 1 if no allowed number does."""
    most = min(_MOST_NAMING, table.shape[1] - 1)
    return next((n for n in range(1, most + 1) if not table.iloc[:, :n].duplicated().any()), 1)


def packed(named: list[T], groups: Iterable[list[T]], fit: Callable[[list[T]], bool]) -> Iterator[list[T]]:
    """Yield parts of the columns, each with those that name the rows. A group that fits in a part is not divided."""
    held = named
    for group in groups:
        for more in [group] if fit([*named, *group]) else [[column] for column in group]:
            if len(held) > len(named) and not fit([*held, *more]):
                yield held
                held = named
            held = [*held, *more]
    yield held


def _columns(table: pd.DataFrame) -> list[_Column]:
    headings, titles = ([visible(str(each)) for each in table.columns.get_level_values(at)] for at in (0, -1))
    cells = ([visible(str(cell)) for cell in table.iloc[:, at]] for at in range(len(titles)))
    return list(map(_Column, headings if table.columns.nlevels > 1 else [""] * len(titles), titles, cells))


def _parts(columns: list[_Column], width: int, naming: int) -> Iterator[list[_Column]]:
    """Yield the columns of each part. Columns below one heading stay together if they fit in a line.

    The first `naming` columns name the rows; if `naming` is 0, the columns without a heading do.
    """
    if naming and _width(columns) <= width:
        yield columns
        return
    if naming:
        grouped = _grouped(columns)
        naming = naming if grouped is columns else 1
        named, groups = grouped[:naming], [[column] for column in grouped[naming:]]
    else:
        named = [column for column in columns if not column.heading]
        below = (column for column in columns if column.heading)
        groups = [list(each) for _, each in groupby(below, lambda column: column.heading)]
    yield from packed(named, groups, lambda columns: _width(columns) <= width)


def _grouped(columns: list[_Column]) -> list[_Column]:
    """If the first column repeats names, drop it, and give each name a row of its own above the rows with this name."""
    names, others = columns[0].cells, columns[1:]
    if all(name != below for name, below in pairwise(names)):
        return columns
    runs = [list(rows) for _, rows in groupby(range(len(names)), names.__getitem__)]
    return [
        column._replace(
            cells=[text for run in runs for text in ("" if at else names[run[0]], *(column.cells[row] for row in run))]
        )
        for at, column in enumerate(others)
    ]


def _broken(columns: list[_Column], width: int) -> list[_Column]:
    """If columns are too wide, break the longest texts into several rows. No word of a title is broken."""
    longest = [max(map(len, column.cells), default=0) for column in columns]
    for at in sorted(range(len(columns)), key=lambda column: -longest[column]):
        excess = _width(columns) - width
        if excess <= 0:
            break
        room = max(_LEAST, longest[at] - excess, *map(len, columns[at].title.split()))
        lines = [wrap(cell, room) or [""] for cell in columns[at].cells]
        below = [[""] * (len(each) - 1) for each in lines]
        columns = [
            column._replace(
                cells=list(
                    chain(*lines)
                    if each == at
                    else chain.from_iterable((cell, *empty) for cell, empty in zip(column.cells, below, strict=True))
                )
            )
            for each, column in enumerate(columns)
        ]
    return columns


def _drawn(columns: list[_Column], width: int | None) -> str:
    """Return columns as lines of text. If a line would be too wide, titles are broken into several lines."""
    stacks = _stacks(columns, short=False)
    if width is not None and _width_of(stacks) > width:
        stacks = _stacks(columns, short=True)
    aligned = ([line.rjust(max(map(len, stack))) for line in stack] for stack in stacks)
    return "\n".join(map(" ".join, zip(*aligned, strict=True)))


def _width(columns: list[_Column]) -> int:
    """Return the number of characters of a line, with short titles."""
    return _width_of(_stacks(columns, short=True))


def _width_of(stacks: list[list[str]]) -> int:
    return sum(max(map(len, stack)) + 1 for stack in stacks) - 1


def _stacks(columns: list[_Column], *, short: bool) -> list[list[str]]:
    """Return the lines of each column: its heading unless the column before has the same, its title and its cells."""
    titles = [column.titles(short=short) for column in columns]
    most, above = max(map(len, titles)), ""
    stacks = []
    for column, lines in zip(columns, titles, strict=True):
        heading = column.heading if column.heading != above else ""
        above = column.heading
        stacks.append([heading, *[""] * (most - len(lines)), *lines, *column.cells])
    return stacks if any(column.heading for column in columns) else [stack[1:] for stack in stacks]
