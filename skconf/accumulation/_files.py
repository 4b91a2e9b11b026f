"""Tables in files, read batch by batch: Parquet and CSV."""

import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from skconf._core.messages import option, shorten, suggest
from skconf._core.progress import progress as progress_bar
from skconf._core.spellings import plain
from skconf._core.usual_names import IDS, spelled
from skconf._core.warn import Notice, collected, warn
from skconf.accumulation._columns import Columns, NoPredictionsError, column_names, plain_labels
from skconf.accumulation._csv import DAMAGED, in_words, layout_of
from skconf.accumulation._endings import COMPRESSED, OF_PANDAS, PARQUET, names_table
from skconf.accumulation._entries import as_series
from skconf.accumulation._job import Found, Job, counted_from, located, warn_once
from skconf.accumulation._layouts import HEAD_ROWS, guess
from skconf.accumulation._parquet import Parquet
from skconf.accumulation._pieces import Piece, TextFile, UnreadableError
from skconf.accumulation._threads import in_order, number_of_threads
from skconf.accumulation._totals import Totals
from skconf.profile import ConfidenceProfile

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]

#: Rows of a batch: enough to make the overhead of a batch negligible, and still little memory.
BATCH_ROWS = 1 << 18
#: Batches that are read at once where there are groups: what they add up to may be as large as they.
_OF_GROUPS = 2
#: What packages raise where a file is damaged or is none of its kind.
_FAULTS = (ValueError, OSError, NotImplementedError, *DAMAGED)
#: How the name of a folder begins that holds what came through standard input.
STANDARD_INPUT = "skconf-standard-input-"
_WILDCARDS = set("*?[")
#: The sample from which the number of lines is estimated.
_READ_BYTES = 1 << 20


def shown(path: Path) -> str:
    """Return what messages call a file."""
    return "standard input" if path.parent.name.startswith(STANDARD_INPUT) else str(path)


def list_files(paths: Paths) -> list[Path]:
    """Return the files behind names, patterns and folders, each once even if several paths lead to it.

    A file that is given by its full name is read whatever its ending. Folders, and patterns that leave the ending open,
    select tables only: no backups, and none of the marker files that engines write, such as _SUCCESS.

    Raises
    ------
    FileNotFoundError
        If one of them matches no file.
    """
    found: dict[tuple[int, int], Path] = {}
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        name = fspath(path)
        files = _files_of(Path(name)) if Path(name).exists() else _files_like(name)
        if not files and Path(name).is_dir():
            raise FileNotFoundError(f"there is no file of a table in {name}: their names end in .csv, .tsv or .parquet")
        if not files and Path(name).exists():
            raise FileNotFoundError(
                f"{name} is a pipe or a device, and no file; pass what it holds by standard input: -"
            )
        if not files:
            raise FileNotFoundError(f"there is no file {name}")
        for file in files:
            about = file.stat()
            found.setdefault((about.st_dev, about.st_ino), file)
    return list(found.values())


def _files_of(path: Path) -> list[Path]:
    """Return a file itself, or the tables below a folder."""
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if _is_table(file))


def _files_like(pattern: str) -> list[Path]:
    """Return the paths that match a pattern."""
    says_how_names_end = not _WILDCARDS & set(Path(pattern).suffix or "*")
    return [
        file
        for path in map(Path, sorted(glob.glob(pattern, recursive=True)))  # noqa: PTH207 – whole paths
        for file in _files_of(path)
        if says_how_names_end or _is_table(file)
    ]


def _is_table(path: Path) -> bool:
    return names_table(path.name) and path.is_file()


def read_files(paths: Paths, job: Job, *, n_jobs: int | None = None, progress: bool = False) -> Found:
    """Return the accumulators of files, which are read batch by batch, in threads.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    ValueError
        If a file cannot be read, lacks a column that others have, or has malformed predictions; or all are empty.
    ImportError
        If a file needs pyarrow, and it is not installed.
    """
    files = [open_table(path) for path in list_files(paths)]
    first = files[0]
    asked = job.columns
    with located(shown(first.path)):
        job = job.on_parts(first.names)
    for file in files[1:]:
        with located(shown(file.path)):
            job.columns.check_further(file.names, asked, f"the first file, {shown(first.path)}")
    guesses = [file.guess_rows() for file in files] if progress else [None]
    total = None if None in guesses else sum(filter(None, guesses))
    found, warned, n_rows = Totals(), set[str](), dict.fromkeys((shown(file.path) for file in files), 0)
    batches = [stream for file in files for stream in _streams_of(file, job.columns)]
    # Libraries of linear algebra would start threads of their own, and round otherwise by their number.
    with (
        threadpool_limits(1, "blas"),
        progress_bar("reading predictions", total, unit=" rows", quiet=not progress) as bar,
        closing(in_order(batches, partial(_read_batch, job), number_of_threads(n_jobs))) as parts,
    ):
        for read in parts:
            name = shown(read.file.path)
            warn_once(name, n_rows[name], read.notices, warned)
            if isinstance(read.part, ValueError):
                _refuse(read.part, read.file, n_rows[name])
            with located(name, n_rows[name]):
                job.add(found, read.part)
            n_rows[name] += read.n_rows
            bar.update(read.n_rows)
    empty = [name for name, rows in n_rows.items() if not rows]
    if len(empty) == len(files):
        raise ValueError(f"there are no rows in {shorten(empty, 3)}")
    if empty:
        warn(f"{len(empty)} of {len(files)} files have no rows: {shorten(empty, 3)}")
    return job.accumulators(found)


class _Batch(NamedTuple):
    """Rows of a file: a table, or text to parse."""

    file: "_ArrowFile | _PandasFile"
    rows: Any


class _Read(NamedTuple):
    """What a batch adds to the result, or what is wrong with it, with its rows counted from its first."""

    file: "_ArrowFile | _PandasFile"
    n_rows: int
    part: Totals | ValueError
    notices: list[Notice]


def _streams_of(file: "_ArrowFile | _PandasFile", columns: Columns) -> Iterator[Iterator[_Batch]]:
    """Go through the parts of a file that can be read at the same time, each with its batches."""
    batch_rows = _OF_GROUPS * BATCH_ROWS if columns.groups else BATCH_ROWS
    for stream in file.streams(columns.needed, columns.numbers(), batch_rows):
        yield (_Batch(file, rows) for rows in stream)


def _read_batch(job: Job, batch: _Batch) -> _Read:
    with collected() as notices:
        try:
            table = batch.rows.table() if isinstance(batch.rows, Piece) else batch.rows
            return _Read(batch.file, len(table), job.read(table), notices)
        except ValueError as error:
            return _Read(batch.file, 0, error, notices)


def _refuse(error: ValueError, file: "_ArrowFile | _PandasFile", first_row: int) -> NoReturn:
    """Raise what is wrong with a batch, with its file and row."""
    if isinstance(error, UnreadableError):
        with readable(file.path):
            raise ValueError(counted_from(first_row, str(error)))
    with named_by_id(file), located(shown(file.path), first_row):
        raise error


def guess_columns(files: Sequence[Path], columns: Columns) -> tuple[Columns, str]:
    """Return the columns of the files of a model with those that had to be guessed, and what was guessed in words.

    The first file that has rows tells.
    """
    for path in files:
        file = open_table(path)

        def head(names: list[Any], file: Any = file) -> Any:
            tables: list[pd.DataFrame] = []
            for table in file.batches(names, HEAD_ROWS):
                tables.append(table if isinstance(table, pd.DataFrame) else table.to_pandas())
                if sum(map(len, tables)) >= HEAD_ROWS:
                    break
            return pd.concat(tables, ignore_index=True) if tables else None

        with located(shown(path)):
            with suppress(NoPredictionsError):
                columns.found_in(file.names)
                return columns, ""
            first = head(file.names[:1])
            if first is not None and len(first):
                return guess(columns, file.names, head)
    raise ValueError(f"there are no rows in {shorten(list(map(shown, files)), 3)}")


class Rows(NamedTuple):
    """What a file says of its rows.

    Attributes
    ----------
    profile : ConfidenceProfile
        The predictions.
    truth, predicted : ndarray or None
        True labels, and predicted ones where the file gives them, as plain texts.
    id_column : label or None
        The column of ids, if there is one.
    ids : ndarray or None
        The ids as plain texts, where each row has its own.
    """

    profile: ConfidenceProfile
    truth: Any
    predicted: Any
    id_column: Any
    ids: Any


def read_rows(path: Path, columns: Columns, n_rows: int | None = None, ids: Any = None) -> Rows | None:
    """Return what the first rows of a file hold, or all rows; None if there are no rows.

    Errors name a row by its id, too: in column `ids`, or one that is called so.
    """
    file = open_table(path)
    with located(shown(path)):
        columns = columns.found_in(file.names)
    column = id_column(file.names) if ids is None else ids
    named = [column] if column in file.names and column not in columns.needed else []
    table = next(file.batches([*columns.needed, *named], n_rows), None)
    with named_by_id(file, ids), located(shown(path)):
        profile = None if table is None else columns.read(table)
        if profile is None:
            return None
        return Rows(profile, columns.read_truth(table), columns.read_predicted(table), column, _ids_in(table, column))


def _ids_in(table: Any, column: Any) -> NDArray[Any] | None:
    """Return a column of ids as plain texts; None if there is none, or it does not tell the rows apart."""
    if column not in column_names(table):
        return None
    try:
        ids = plain_labels(table, column)
    except ValueError:  # some are missing
        return None
    return ids if len(pd.unique(ids)) == len(ids) else None


def read_columns(path: Path, names: Sequence[Any], role: str) -> Any:
    """Return columns of a file, all rows of them; `role` is the parameter that names them.

    Raises
    ------
    ValueError
        If a column is missing, or occurs twice.
    """
    file = open_table(path)
    with located(shown(path)):
        for name in names:
            if file.names.count(name) != 1:
                raise ValueError(
                    f"there {'are several columns' if name in file.names else 'is no column'} {name!r}."
                    f"{suggest(str(name), map(str, file.names))} The columns are {shorten(file.names)}: name one of "
                    f"them by {option(role)}."
                )
        return next(file.batches(list(names), None))


def id_column(names: Sequence[Any]) -> Any:
    """Return the column of a file that is called as ids are, if there is one."""
    return next((name for name in names if spelled(name) in IDS), None)


@contextmanager
def named_by_id(file: "_ArrowFile | _PandasFile", ids: Any = None) -> Iterator[None]:
    """Name the row of an error by its id, too, if the file has ids."""
    try:
        yield
    except ValueError as error:
        column, row = id_column(file.names) if ids is None else ids, re.search(r"\brow (\d+)\b", str(error))
        if row is None or column not in file.names:
            raise
        first = 0
        for table in file.batches([column], BATCH_ROWS):
            if first <= int(row[1]) < first + len(table):
                found = as_series(table[column]).iloc[int(row[1]) - first]
                text = f"{row[0]} ({column} {plain(found)})"
                raise ValueError(str(error).replace(row[0], text, 1)) from None
            first += len(table)
        raise


def open_table(path: Path) -> "_ArrowFile | _PandasFile":
    """Open a file, whose columns can then be read in batches."""
    try:
        if find_spec("pyarrow") is not None and path.suffix not in OF_PANDAS:
            return _ArrowFile(path)
        if path.suffix in PARQUET:
            raise ImportError(f"Reading {path} needs pyarrow: pip install 'skconf[large]'.")
        return _PandasFile(path)
    except _FAULTS as error:
        raise ValueError(f"cannot read {shown(path)}: {in_words(error)}") from None


class _ArrowFile:
    """A file that is read by pyarrow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = Parquet(path) if path.suffix in PARQUET else TextFile(path, layout_of(path).separator)
        self.names: list[Any] = self.parts.names

    def guess_rows(self) -> float | None:
        """Estimate the number of rows; None if only reading the file can tell."""
        return float(self.parts.n_rows) if isinstance(self.parts, Parquet) else _guess_rows(self.path)

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[Any]:
        """Go through the rows of these columns; those of text are texts."""
        with readable(self.path):
            if isinstance(self.parts, TextFile):
                yield from _cut(self.parts.tables(names), names, batch_rows)
            elif batch_rows is None:
                yield self.parts.whole(names)
            else:
                yield from self.parts.batches(names, batch_rows)

    def streams(self, names: list[Any], numbers: list[Any], batch_rows: int) -> Iterator[Iterator[Any]]:
        """Go through the parts that can be read at the same time, each with tables or pieces of text.

        Of texts the columns in `numbers` are read as numbers, where they are such.
        """
        if isinstance(self.parts, TextFile):
            yield self._readable(self.parts.pieces(names, numbers))
        else:
            yield from map(self._readable, self.parts.streams(names, batch_rows))

    def _readable(self, tables: Iterator[Any]) -> Iterator[Any]:
        with readable(self.path):
            yield from tables


def _cut(tables: Iterable[Any], names: list[Any], batch_rows: int | None) -> Iterator[Any]:
    """Go through tables of texts with no more than so many rows; through all rows together for None."""
    from pyarrow import concat_tables, schema, string

    if batch_rows is None:
        empty = schema([(name, string()) for name in names]).empty_table()
        tables = [concat_tables(list(tables) or [empty])]
    for each in tables:
        yield from (each.slice(start, batch_rows) for start in range(0, len(each) or 1, batch_rows or len(each) or 1))


class _PandasFile:
    """A CSV file that is read by pandas."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.separator, self.names = layout_of(path)

    def guess_rows(self) -> float | None:
        """Estimate the number of rows; None if only reading the file can tell."""
        return _guess_rows(self.path)

    def batches(self, names: list[str], batch_rows: int | None) -> Iterator[pd.DataFrame]:
        """Go through the rows of these columns."""
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "sep": self.separator}
        options |= {"header": 0, "names": list(range(len(self.names))), "skipinitialspace": True}
        with readable(self.path), pd.read_csv(self.path, **options, chunksize=batch_rows or 1 << 62) as tables:
            for table in tables:
                if not isinstance(table.index, pd.RangeIndex):  # pandas takes what is too much for names of rows
                    raise ValueError(f"Expected {len(self.names)} cells in a row, but there are more.")
                cells = table.set_axis(self.names, axis=1)[names]
                yield cells.apply(lambda column: column.str.strip())

    def streams(self, names: list[str], _: list[str], batch_rows: int) -> Iterator[Iterator[Any]]:
        """Return all rows as a single part, in batches."""
        yield self.batches(names, batch_rows)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Name the file in errors of the package that reads it."""
    try:
        yield
    except _FAULTS as error:
        raise ValueError(f"cannot read {shown(path)}: {in_words(error)}") from None


def _guess_rows(path: Path) -> float | None:
    """Estimate the number of lines of a file from the length of its first lines."""
    if path.suffix in COMPRESSED:
        return None
    with path.open("rb") as file:
        head = file.read(_READ_BYTES)
    return path.stat().st_size * head.count(b"\n") / max(len(head), 1)
