"""Columns that the path of a file names: "day=monday/a.parquet"."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from skconf._core.messages import shorten


@dataclass(frozen=True)
class PathColumns:
    """Columns that the path of a file names, with the same value in all rows.

    Attributes
    ----------
    values : dict of str to label
        The values by the names of the columns.
    schema : pyarrow.Schema
        The types of these columns, among others.
    """

    values: dict[str, Any]
    schema: Any

    @classmethod
    def of(cls, path: Path, file_format: Any, of_file: Iterable[Any]) -> Self:
        """Read them from the path of a file, in a format of pyarrow, that has other columns.

        Raises
        ------
        ValueError
            If the file has such a column, too.
        """
        from pyarrow.dataset import dataset, get_partition_keys

        names = {part.partition("=")[0] for part in path.parts if "=" in part}
        if twice := names & set(of_file):
            raise ValueError(f"{shorten(sorted(twice))} is both a column of the file and a part of its path")
        if not names:
            return cls({}, None)
        data = dataset(path, format=file_format, partitioning="hive")
        (fragment,) = data.get_fragments()
        return cls(get_partition_keys(fragment.partition_expression), data.schema)

    def not_among(self, names: Iterable[Any]) -> list[Any]:
        """Return the names of other columns."""
        return [name for name in names if name not in self.values]

    def added_to(self, table: Any, names: Iterable[Any]) -> Any:
        """Return a table with those of these names."""
        from pyarrow import repeat

        for name in self.values.keys() & set(names):
            column = repeat(self.values[name], len(table)).cast(self.schema.field(name).type)
            table = table.append_column(name, column)
        return table
