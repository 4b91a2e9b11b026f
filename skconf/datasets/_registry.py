"""The registry of data sets: uci.toml, as objects."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """A raw file of a data set, and where it can be downloaded."""

    name: str
    url: str | None = None  # of the file, or of an archive that holds it at any depth; None: no free download exists
    sha256: str | None = None  # of its content, unpacked if the name ends in .gz
    no_sha256: str = ""  # why there is none
    test_rows: int = 0  # rows, where the file is the official test set


@dataclass(frozen=True, kw_only=True)
class Table:
    """The layout of the tables of a data set. Several files may share a layout."""

    columns: tuple[str, ...] | int  # all of them, in the order of the file; or their number, where the header has names
    target: str
    text: tuple[str, ...] = ()  # columns that hold words; every other column must hold numbers
    drop: tuple[str, ...] = ()
    separator: str = ","
    header: bool = True  # the first line names the columns
    skip_rows: int = 0  # lines above the header
    comment: str | None = None  # what follows it on a line is ignored
    missing: str | None = None  # the mark of a missing value; None: an empty cell is an error
    drop_incomplete: bool = False  # drop the rows with missing values
    target_suffix: str = ""  # cut from the labels


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: its source, how to read it, and what to expect."""

    name: str
    title: str
    page: str  # where a person finds it
    citation: str
    licence: str = "CC BY 4.0"
    note: str = ""  # what a user must know to get or to use the files
    format: str  # a key of _readers.READERS
    files: tuple[RawFile, ...] = ()
    table: Table | None = None
    rows: int  # rows used, after incomplete ones are dropped
    labels: tuple[int | str, ...]  # sorted
    counts: tuple[int, ...] = ()  # rows of each label, where known

    @property
    def target(self) -> str:
        """Name of the column that holds the labels."""
        return self.table.target if self.table else "target"

    @property
    def test_rows(self) -> int:
        """Number of rows of the official test set; 0 if there is none."""
        return sum(file.test_rows for file in self.files)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _table(entry: dict[str, Any]) -> Table:
    lists = {key: _names(entry[key]) for key in ("columns", "text", "drop") if isinstance(entry.get(key), str)}
    return Table(**entry | lists)


def _data_set(name: str, entry: dict[str, Any]) -> DataSet:
    parsed: dict[str, Any] = {key: tuple(entry[key]) for key in ("labels", "counts") if key in entry}
    parsed["files"] = tuple(RawFile(**file) for file in entry.get("files", ()))
    if "table" in entry:
        parsed["table"] = _table(entry["table"])
    return DataSet(name=name, **entry | parsed)


def _load() -> dict[str, DataSet]:
    with (files("skconf.datasets") / "uci.toml").open("rb") as file:
        return {name: _data_set(name, entry) for name, entry in tomllib.load(file).items()}


#: The data sets by name: those that ship with scikit-learn first.
DATA_SETS = _load()
