"""A file of Parquet, read batch by batch, also several parts of it at the same time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Bytes of a batch, and those that are read at once.
BATCH_BYTES, _READ_BYTES = 1 << 25, 1 << 20
#: Fewest batches of a part, so that opening the file again costs nothing that shows.
_FEWEST_BATCHES = 4


class Parquet:
    """A file of Parquet.

    Parameters
    ----------
    path : Path
        The file.
    data : pyarrow.dataset.Dataset
        The same, with the columns that its path names.
    """

    def __init__(self, path: Path, data: Any) -> None:
        from pyarrow.dataset import get_partition_keys
        from pyarrow.parquet import read_metadata

        self.path, self.schema, self.metadata = path, data.schema, read_metadata(path)
        (fragment,) = data.get_fragments()
        self.of_path = get_partition_keys(fragment.partition_expression)

    def batches(self, names: list[Any], batch_rows: int) -> Iterator[Any]:
        """Yield batches of rows, in memory that does not grow with the file or its row groups, unlike a scan's."""
        return self._tables(names, list(range(self.metadata.num_row_groups)), self._fewer(batch_rows))

    def streams(self, names: list[Any], batch_rows: int) -> Iterator[tuple[int, Iterator[Any]]]:
        """Go through runs of row groups: the number of the first row, and batches of nearly equal size."""
        batch_rows, sizes = self._fewer(batch_rows), [group.num_rows for group in self._groups()]
        first, held, n_rows = 0, list[int](), 0
        for number, size in enumerate(sizes):
            held.append(number)
            n_rows += size
            if n_rows >= _FEWEST_BATCHES * batch_rows or number == len(sizes) - 1:
                n_batches = -(-n_rows // batch_rows) or 1
                yield first, self._tables(names, held, -(-n_rows // n_batches) or 1)
                first, held, n_rows = first + n_rows, [], 0

    def _groups(self) -> list[Any]:
        return [self.metadata.row_group(number) for number in range(self.metadata.num_row_groups)]

    def _fewer(self, batch_rows: int) -> int:
        """Return the number of rows of a batch, fewer than asked where rows are large."""
        row_bytes = sum(group.total_byte_size for group in self._groups()) / max(self.metadata.num_rows, 1)
        return min(batch_rows, int(BATCH_BYTES / max(row_bytes, 1)) + 1)

    def _tables(self, names: list[Any], groups: list[int], batch_rows: int) -> Iterator[Any]:
        from pyarrow import Table, repeat
        from pyarrow.parquet import ParquetFile

        of_file = [name for name in names if name not in self.of_path]
        options: dict[str, Any] = {"pre_buffer": False, "buffer_size": _READ_BYTES}
        with ParquetFile(self.path, metadata=self.metadata, **options) as file:
            for batch in file.iter_batches(batch_rows, row_groups=groups, columns=of_file, use_threads=False):
                table = Table.from_batches([batch])
                for name in self.of_path.keys() & set(names):
                    kind = self.schema.field(name).type
                    table = table.append_column(name, repeat(self.of_path[name], len(table)).cast(kind))
                yield table
