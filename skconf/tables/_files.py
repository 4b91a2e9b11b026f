"""Tables in files, read batch by batch: Parquet, CSV and JSON lines."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from skconf.tables._bytes import count_bytes
from skconf.tables._csv import layout_of
from skconf.tables._json_lines import JsonLines
from skconf.tables._lines import line_of_row, refuse_uneven_rows
from skconf.tables._parquet import Parquet
from skconf.tables._paths import COMPRESSED, OF_PANDAS, PARQUET, holds_json_lines, shown
from skconf.tables._quotes import refuse_loose_quotes
from skconf.tables._text import TextFile
from skconf.tables._unreadable import readable

#: Rows of a batch: enough to make the overhead of a batch negligible, and still little memory.
BATCH_ROWS = 1 << 18
#: The sample from which the number of lines is estimated.
_READ_BYTES = 1 << 20


def open_table(path: Path) -> "TableFile":
    """Open a file to read its columns in batches."""
    with readable(path):
        if holds_json_lines(path):
            return JsonLines(path)
        if find_spec("pyarrow") is not None and path.suffix not in OF_PANDAS:
            return Parquet(path) if path.suffix in PARQUET else TextFile(path, layout_of(path).separator)
        if path.suffix in PARQUET:
            raise ImportError(f"Reading {path} needs pyarrow: pip install pyarrow.")
        return PandasFile(path)


def bytes_held(path: Path, enough: int) -> int:
    """Return how many bytes the table in a file has after decompression; stop when there are at least `enough`."""
    with readable(path):
        if path.suffix in PARQUET and find_spec("pyarrow") is not None:
            return Parquet(path).n_bytes
        return count_bytes(path, enough)


class PandasFile:
    """A CSV file that is read by pandas."""

    broken: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, shown(path)
        self.separator, self.names = layout_of(path)

    def line_of(self, row: int) -> int | None:
        """Return the line that a row stands in."""
        return line_of_row(self.path, row, self.separator)

    def batches(self, names: list[str], batch_rows: int | None) -> Iterator[pd.DataFrame]:
        """Go through the rows of these columns."""
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "sep": self.separator}
        options |= {"header": 0, "names": list(range(len(self.names))), "skipinitialspace": True}
        with readable(self.path):
            refuse_loose_quotes(self.path, self.separator)
            refuse_uneven_rows(self.path, self.separator, len(self.names))
        with readable(self.path), pd.read_csv(self.path, **options, chunksize=batch_rows or 1 << 62) as tables:
            for table in tables:
                cells = table.set_axis(self.names, axis=1)[names]
                yield cells.apply(lambda column: column.str.strip())

    def streams(self, names: list[str], _: list[str], batch_rows: int) -> Iterator[Iterator[Any]]:
        """Return all rows as a single part, in batches."""
        yield self.batches(names, batch_rows)


#: A file of any format.
TableFile: TypeAlias = Parquet | TextFile | PandasFile | JsonLines


class FrameFile:
    """A log that was already read into a frame. Reading it warned of broken lines, so none are listed here."""

    broken: Sequence[str] = ()

    def __init__(self, path: Path, frame: pd.DataFrame) -> None:
        self.path, self.name, self.frame, self.names = path, shown(path), frame, list(frame)

    def line_of(self, row: int) -> int | None:  # noqa: ARG002
        """Return None: the line of a row in a log is not known."""
        return None

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[pd.DataFrame]:
        """Go through the rows of these columns."""
        size = batch_rows or len(self.frame)
        yield from (self.frame[names].iloc[start : start + size] for start in range(0, len(self.frame), size))


class FileWithTruth:
    """A file of predictions with columns from another file."""

    def __init__(self, file: "OpenedFile", beside: pd.DataFrame) -> None:
        self.path: Path = file.path
        self.name: str = file.name
        self.file, self.beside = file, beside
        self.names: list[Any] = [*file.names, *beside]

    @property
    def broken(self) -> Sequence[str]:
        """Lines that were left out."""
        return self.file.broken

    def line_of(self, row: int) -> int | None:
        """Return the line of a row in the file of predictions."""
        return self.file.line_of(row)

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[Any]:
        """Go through the rows of these columns."""
        done, more = 0, [name for name in names if name in self.beside]
        own = [name for name in names if name not in more] or self.file.names[:1]  # one column counts the rows
        for table in self.file.batches(own, batch_rows):
            rows = self.beside[more].iloc[done : done + len(table)]
            done += len(table)
            yield _with_columns(table, rows)


#: A file whose columns can be read: also a log, or a file with true labels from another one.
OpenedFile: TypeAlias = TableFile | FrameFile | FileWithTruth


def _with_columns(table: Any, rows: pd.DataFrame) -> Any:
    if isinstance(table, pd.DataFrame):
        return table.assign(**{name: rows[name].to_numpy() for name in rows})
    for name in rows:
        table = table.append_column(name, [rows[name].to_numpy()])
    return table


def guess_rows(file: TableFile) -> float | None:
    """Estimate the number of rows from the length of the first lines; None if only reading the file can tell."""
    if isinstance(file, Parquet):
        return float(file.n_rows)
    if file.path.suffix in COMPRESSED:
        return None
    with file.path.open("rb") as data:
        head = data.read(_READ_BYTES)
    return file.path.stat().st_size * head.count(b"\n") / max(len(head), 1)
