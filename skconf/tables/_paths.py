"""The information in the path of a table: the format in its ending, and columns in folders such as "day=monday/"."""

import glob
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from skconf._core.messages import shorten, visible
from skconf._core.problems import DataError
from skconf._core.terminal import StandardInput

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]

PARQUET = (".parquet", ".pq")
#: Compressed files that pandas can read and pyarrow cannot.
OF_PANDAS = (".xz", ".zip")
COMPRESSED = (".gz", ".bz2", ".zst", *OF_PANDAS)

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", *PARQUET)
#: A file with one of these endings is read only if it is given by its full name.
_OTHERS = (".txt", ".data")
_WILDCARDS = set("*?[")


def _ending(of: tuple[str, ...]) -> str:
    return f"({'|'.join(map(re.escape, of))})"


_TABLE = re.compile(f"{_ending(_TABLES)}{_ending(COMPRESSED)}?$")
_JSON_LINES = re.compile(f"{_ending(('.jsonl', '.ndjson'))}{_ending(COMPRESSED)}?$")
_ANY = re.compile(f"{_ending((*_TABLES, *_OTHERS))}?{_ending(COMPRESSED)}?$")
#: The text that engines write for a missing value.
_MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class PathColumns:
    """Columns named in the path of a file, as in "day=monday/". Each has the same value in all rows.

    Attributes
    ----------
    values : dict of str to pyarrow.Scalar
        The value of each column, by its name.
    """

    values: dict[str, Any]

    @classmethod
    def of(cls, path: Path, of_file: Iterable[Any]) -> Self:
        """Read the columns that a path names; raise if the file has a column of the same name.

        A column whose value is missing is left out.
        """
        values = {}
        for part in path.parent.parts:
            name, equals, text = part.partition("=")
            if equals and text != _MISSING:
                values[name] = _typed(unquote(text))
        if twice := values.keys() & set(of_file):
            raise DataError(
                f"{shorten(sorted(twice))} is both a column of the file and a part of its path. Rename one of them."
            )
        return cls(values)

    def not_among(self, names: Iterable[Any]) -> list[Any]:
        """Return those of `names` that the path does not give."""
        return [name for name in names if name not in self.values] if self.values else list(names)

    def added_to(self, table: Any, names: Iterable[Any]) -> Any:
        """Add a column to a table for each of `names` that the path gives, and return the table."""
        from pyarrow import repeat

        for name in self.values.keys() & set(names):
            table = table.append_column(name, repeat(self.values[name], len(table)))
        return table


def _typed(text: str) -> Any:
    """Return a value in a path as a number if it is a whole number, else as a text. 01 is a text, unlike 1."""
    from pyarrow import ArrowInvalid, int32, scalar

    try:
        number = scalar(text).cast(int32())
    except ArrowInvalid:
        return scalar(text)
    return number if str(number.as_py()) == text else scalar(text)


def names_table(name: str) -> bool:
    """Return whether a file of this name is a table, such as .csv or .parquet.gz, and not hidden."""
    return name[0] not in "._" and _TABLE.search(name) is not None


def holds_json_lines(path: Path) -> bool:
    """Return whether the name of a file says that it has a JSON object in each line."""
    return _JSON_LINES.search(path.name) is not None


def stem(name: str) -> str:
    """Return the name of a file without the endings of tables and of compressed files."""
    return _ANY.sub("", name, count=1) or name


def shown(path: Path) -> str:
    """Return the name of a file in messages."""
    name = "standard input" if isinstance(path, StandardInput) else str(path)
    return name if name.isprintable() else visible(name)


def list_files(paths: Paths) -> list[Path]:
    """Return the files of the given names, patterns and folders. A file occurs once, even if several paths lead to it.

    A file that is given by its full name is read, whatever its ending is. Folders, and patterns without an ending,
    select only tables. They select neither backups nor the marker files that engines write, such as _SUCCESS.

    Raises
    ------
    FileNotFoundError
        If one of the paths matches no file.
    """
    if hasattr(paths, "columns"):
        raise TypeError(
            "a table was passed in place of a file. Pass its columns to confidence_report, or write it to a file."
        )
    by_inode: dict[tuple[int, int], Path] = {}
    for given in [paths] if isinstance(paths, str | PathLike) else paths:
        name, path = fspath(given), given if isinstance(given, StandardInput) else Path(given)
        if not name:  # as of a shell variable that is not set; as a path, it would be the current folder
            raise FileNotFoundError("the name of a file is empty")
        files = _files_of(path) if path.exists() else _files_like(name)
        if not files and path.is_dir():
            raise FileNotFoundError(
                f"there is no table file in {name}. Names of such files end in .csv, .tsv, .jsonl or .parquet"
            )
        if not files and path.exists():
            raise FileNotFoundError(
                f"{name} is a pipe or a device, not a file. Pass its content through standard input: -"
            )
        if not files:
            raise FileNotFoundError(f"there is no file {name}")
        for file in files:
            about = file.stat()
            by_inode.setdefault((about.st_dev, about.st_ino), file)
    return list(by_inode.values())


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
