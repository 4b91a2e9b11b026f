"""A Parquet file, read batch by batch. Several parts of it can be read at the same time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from skconf.tables._paths import PathColumns, shown
from skconf.tables._unreadable import UnreadableError, readable

#: Bytes of a batch, and bytes that are read at once.
BATCH_BYTES, _READ_BYTES = 1 << 24, 1 << 16
#: Fewest batches of a part. With fewer, opening the file again would take a noticeable time.
_FEWEST_BATCHES = 4
#: Least number of bytes of an entry in memory.
_ENTRY_BYTES = 4
#: With more columns, there is only one part. Reading a part needs pages and dictionaries of about 3 MB for each column.
#: The work on a batch is then long enough, so threads that share a part do not wait for each other.
_MOST_COLUMNS = 16


class Parquet:
    """A Parquet file."""

    broken: Sequence[str] = ()  # a row that cannot be read is refused, because it may hide other rows

    def __init__(self, path: Path) -> None:
        from pyarrow.parquet import read_metadata

        if path.stat().st_size == 0:
            raise UnreadableError("it is empty.", kind="damaged")
        self.path, self.name, self.metadata = path, shown(path), read_metadata(path)
        written: list[Any] = self.metadata.schema.to_arrow_schema().names
        self.of_path = PathColumns.of(path, written)
        self.names, self.n_rows = [*written, *self.of_path.values], self.metadata.num_rows
        groups = [self.metadata.row_group(number) for number in range(self.metadata.num_row_groups)]
        #: Numbers of rows of the row groups.
        self.sizes = [group.num_rows for group in groups]
        n_bytes = sum([group.total_byte_size for group in groups])
        self._row_bytes = n_bytes / max(self.n_rows, 1)
        #: Bytes in memory: a column with one value is tiny in the file, but has an entry for each row in memory.
        self.n_bytes = max(n_bytes, _ENTRY_BYTES * len(written) * self.n_rows)

    def line_of(self, row: int) -> int | None:  # noqa: ARG002
        """Return None: the file has no lines."""
        return None

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[Any]:
        """Go through these columns; None gives one table. Batches of a larger file do not need more memory."""
        from pyarrow.parquet import ParquetFile

        if batch_rows is not None:
            yield from self._tables(names, list(range(len(self.sizes))), self._fewer(batch_rows))
            return
        with readable(self.path), ParquetFile(self.path, metadata=self.metadata) as file:
            table = file.read(columns=self.of_path.not_among(names))
        yield self.of_path.added_to(table, names)

    def streams(self, names: list[Any], _: list[Any], batch_rows: int) -> Iterator[Iterator[Any]]:
        """Go through runs of row groups that can be read at the same time, with batches of nearly equal size.

        If there are many columns, all row groups are one run.
        """
        batch_rows = self._fewer(batch_rows)
        fewest = _FEWEST_BATCHES * batch_rows if len(names) <= _MOST_COLUMNS else self.n_rows
        held, n_rows = list[int](), 0
        for number, size in enumerate(self.sizes):
            held.append(number)
            n_rows += size
            if n_rows >= fewest or number == len(self.sizes) - 1:
                n_batches = -(-n_rows // batch_rows) or 1
                yield self._tables(names, held, -(-n_rows // n_batches) or 1)
                held, n_rows = [], 0

    def _fewer(self, batch_rows: int) -> int:
        """Return the number of rows of a batch: fewer than requested if rows are large."""
        return min(batch_rows, int(BATCH_BYTES / max(self._row_bytes, 1)) + 1)

    def _tables(self, names: list[Any], groups: list[int], batch_rows: int) -> Iterator[Any]:
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile

        of_file = self.of_path.not_among(names)
        options: dict[str, Any] = {"pre_buffer": False, "buffer_size": _READ_BYTES}
        with readable(self.path), ParquetFile(self.path, metadata=self.metadata, **options) as file:
            for batch in file.iter_batches(batch_rows, row_groups=groups, columns=of_file, use_threads=False):
                yield self.of_path.added_to(Table.from_batches([batch]), names)
