"""How the names of tables end, and of compressed files."""

import re

PARQUET = (".parquet", ".pq")
#: Compressed files that pandas can read and pyarrow cannot.
OF_PANDAS = (".xz", ".zip")
COMPRESSED = (".gz", ".bz2", ".zst", *OF_PANDAS)

_TABLES = (".csv", ".tsv", *PARQUET)
#: Names that only a file given by its full name may have.
_OTHERS = (".txt", ".data")


def _ending(of: tuple[str, ...]) -> str:
    return f"({'|'.join(map(re.escape, of))})"


_TABLE = re.compile(f"{_ending(_TABLES)}{_ending(COMPRESSED)}?$")
_ANY = re.compile(f"{_ending((*_TABLES, *_OTHERS))}?{_ending(COMPRESSED)}?$")


def names_table(name: str) -> bool:
    """Return whether a file of this name is a table: .csv, .tsv or .parquet, perhaps compressed, and not hidden."""
    return name[0] not in "._" and _TABLE.search(name) is not None


def stem(name: str) -> str:
    """Return the name of a file without these endings."""
    return _ANY.sub("", name, count=1) or name
