"""Columns that the path of a file names: "day=monday/a.parquet"."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from skconf._core.messages import shorten

#: What engines write for a value that is missing.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class PathColumns:
    """Columns that the path of a file names, with the same value in all rows.

    Attributes
    ----------
    values : dict of str to pyarrow.Scalar
        The values by the names of the columns.
    """

    values: dict[str, Any]

    @classmethod
    def of(cls, path: Path, of_file: Iterable[Any]) -> Self:
        """Read them from the path of a file that has other columns; one whose value is missing is none.

        Raises
        ------
        ValueError
            If the file has such a column, too.
        """
        parts = [part.partition("=") for part in path.parent.parts if "=" in part]
        values = {name: _typed(unquote(text)) for name, _, text in parts if text != _MISSING}
        if twice := values.keys() & set(of_file):
            raise ValueError(f"{shorten(sorted(twice))} is both a column of the file and a part of its path")
        return cls(values)

    def not_among(self, names: Iterable[Any]) -> list[Any]:
        """Return the names of other columns."""
        return [name for name in names if name not in self.values]

    def added_to(self, table: Any, names: Iterable[Any]) -> Any:
        """Return a table with those of these names."""
        from pyarrow import repeat

        for name in self.values.keys() & set(names):
            table = table.append_column(name, repeat(self.values[name], len(table)))
        return table


def _typed(text: str) -> Any:
    """Return a whole number or a text, as pyarrow reads them."""
    from pyarrow import ArrowInvalid, int32, scalar

    try:
        return scalar(text).cast(int32())
    except ArrowInvalid:
        return scalar(text)
