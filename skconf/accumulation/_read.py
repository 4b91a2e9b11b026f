"""Read predictions part by part and add them up: files are read batch by batch, in threads."""

from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, repeat
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.messages import shorten
from skconf._core.problems import located
from skconf._core.progress import progress as progress_bar
from skconf._core.warn import Notice, collected, warn, warn_once
from skconf.accumulation._plan import Plan
from skconf.accumulation._state import State, Totals
from skconf.accumulation._threads import in_order, number_of_threads
from skconf.tables._columns import Columns
from skconf.tables._files import BATCH_ROWS, TableFile, guess_rows, open_table
from skconf.tables._json_lines import tell_broken
from skconf.tables._paths import Paths, list_files
from skconf.tables._predictions import read_groups, read_predictions
from skconf.tables._rows import named_by_id
from skconf.tables._text import Piece
from skconf.tables._unreadable import UnreadableError

#: Batches that are read at once if there are groups, because the sums of groups may be as large as the batches.
_OF_GROUPS = 2


@dataclass(frozen=True)
class Job:
    """The work on every part.

    Attributes
    ----------
    columns : Columns
        The columns of the predictions.
    plan : Plan
        What is computed from the predictions.
    """

    columns: Columns
    plan: Plan

    def on_parts(self, names: Iterable[Any]) -> Self:
        """Return the job for parts of a table with columns of these names; raise if columns are missing."""
        columns = self.columns.found_in(names)
        columns.check_labels_are_known()
        return replace(self, columns=columns)

    def read(self, table: Any) -> Totals:
        """Return the sums and tables of the predictions in a table."""
        profile = read_predictions(self.columns, table)
        if profile is None:
            return Totals()
        groups = read_groups(self.columns, table) if self.columns.groups else None
        return self.plan.read(profile, groups)

    def read_part(self, table: Any, number: int) -> Totals:
        """Return the sums and tables of one of several parts. Errors name the part by its number."""
        with located(f"part {number} of the data"):
            return self.read(table)

    def add(self, total: Totals, part: Totals) -> None:
        """Add a part to the result."""
        total.add(part)
        if self.plan.has_tables:
            self.plan.check_exact(total.states(part.place).values())

    def states(self, total: Totals) -> dict[Any, State]:
        """Return the states of the groups in sorted order. Without groups there is one state, under None."""
        states = total.states()
        self.plan.check_exact(states.values())
        try:
            return {group: states[group] for group in sorted(states)} if len(states) > 1 else states
        except TypeError:
            if all(_is_number(key) for key in states):
                return {_written(group): states[group] for group in sorted(states, key=_in_order)}
            keys = states if len(self.columns.groups) == 1 else chain.from_iterable(states)
            kinds = ", ".join(sorted({type(key).__name__ for key in keys}))
            raise ValueError(
                f"the groups {shorten(self.columns.groups)} mix labels that cannot be sorted together ({kinds}), "
                "because tables or folders hold them in different types. Convert them to one type."
            ) from None


def _parts(group: Any) -> tuple[Any, ...]:
    return group if isinstance(group, tuple) else (group,)


def _is_number(group: Any) -> bool:
    """Return whether a group is a number, or a text of digits, as folders may be named 01 and 10."""
    return all(isinstance(part, int) or (isinstance(part, str) and part.isdecimal()) for part in _parts(group))


def _written(group: Any) -> Any:
    texts = tuple(map(str, _parts(group)))
    return texts if isinstance(group, tuple) else texts[0]


def _in_order(group: Any) -> Any:
    return tuple((int(part), str(part)) for part in _parts(group))


def merged(parts: Iterable[Totals]) -> Totals:
    """Return the sum of several parts. The parts are not changed, because an engine may need them again."""
    total = Totals()
    for part in parts:
        total.add(part)
    return total


def read_files(paths: Paths, job: Job, *, n_jobs: int | None = None, progress: bool = False) -> dict[Any, State]:
    """Return the state of each group, from files that are read batch by batch, in threads.

    All files must have the columns of the first one. If all of them are empty, there is an error.
    """
    _keep_freed_pages()
    files = [open_table(path) for path in list_files(paths)]
    first = files[0]
    asked = job.columns
    with located(first.name):
        job = job.on_parts(first.names)
    for file in files[1:]:
        with located(file.name):
            job.columns.check_further(file.names, asked, f"the first file, {first.name}")
    guesses = list(map(guess_rows, files)) if progress else [None]
    n_expected = None if None in guesses else sum(filter(None, guesses))
    total, warned, n_rows = Totals(), set[str](), dict.fromkeys(files, 0)
    batch_rows = _OF_GROUPS * BATCH_ROWS if job.columns.groups else BATCH_ROWS
    needed, numbers = job.columns.needed, job.columns.numbers()
    batches = [zip(repeat(file), rows) for file in files for rows in file.streams(needed, numbers, batch_rows)]
    # Libraries of linear algebra would start threads of their own, and their rounding would depend on the number of
    # threads.
    with (
        threadpool_limits(1, "blas"),
        progress_bar("reading predictions", n_expected, unit=" rows") if progress else nullcontext() as bar,
        closing(in_order(batches, partial(_read_batch, job), number_of_threads(n_jobs))) as parts,
    ):
        for read in parts:
            file = read.file
            warn_once(read.notices, file.name, n_rows[file], warned)
            try:
                if isinstance(read.part, ValueError):
                    raise read.part
                job.add(total, read.part)
            except ValueError as error:
                _refuse(error, file, n_rows[file])
            n_rows[file] += read.n_rows
            if bar is not None:
                bar.update(read.n_rows)
    for file in files:
        if file.broken:
            tell_broken(file.broken, file.path, "row")
    empty = [file.name for file, rows in n_rows.items() if not rows]
    if len(empty) == len(files):
        raise ValueError(f"there are no rows in {shorten(empty, 3)}")
    if empty:
        warn(f"{len(empty)} of {len(files)} files have no rows: {shorten(empty, 3)}")
    return job.states(total)


@cache
def _keep_freed_pages() -> None:
    """Make glibc keep the memory of a batch for the next. New pages would take a third of the time of reading Parquet.

    glibc returns freed memory to the system at once, unless a piece of this size was freed before. So a piece of nearly
    32 MB, as large as a large batch, is allocated and freed. Nothing is written to it.
    """
    np.empty((1 << 25) - (1 << 13), dtype=np.uint8)


class _Read(NamedTuple):
    """The result of a batch, or what is wrong with it. Rows are counted from the first row of the batch."""

    file: TableFile
    n_rows: int
    part: Totals | ValueError
    notices: list[Notice]


def _read_batch(job: Job, batch: tuple[TableFile, Any]) -> _Read:
    """Read a table, or parse a piece of text, and return its sums, or what is wrong with it."""
    file, rows = batch
    with collected() as notices:
        try:
            table = rows.table() if isinstance(rows, Piece) else rows
            return _Read(file, len(table), job.read(table), notices)
        except ValueError as error:
            return _Read(file, 0, error, notices)


def _refuse(error: ValueError, file: TableFile, first_row: int) -> NoReturn:
    """Raise what is wrong with a batch, with its file and row."""
    if isinstance(error, UnreadableError):
        error.find_line = file.line_of
        raise error.at(file.name, first_row)
    with named_by_id(file), located(file.name, first_row):
        raise error
