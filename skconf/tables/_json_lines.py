"""A file with a JSON object in each line, read batch by batch."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from skconf._core.columns import PREFIX
from skconf._core.messages import listed
from skconf._core.problems import DataError
from skconf._core.usual_names import USUAL
from skconf._core.warn import warn
from skconf.tables._bytes import opened
from skconf.tables._json_objects import columns_in, objects_in, values_at
from skconf.tables._paths import PathColumns, shown
from skconf.tables._unreadable import UnreadableError, readable

#: The number of objects that decide on the names of columns.
_HEAD_ROWS = 1000
#: Columns that are always read if they exist.
_OF_THEIR_OWN = frozenset({*USUAL.values(), "y_proba"})
_NUMBERS = {int, float, type(None)}
#: The most bytes of a line, and the bytes after which a batch ends.
_LINE_BYTES = _BATCH_BYTES = 1 << 22
#: The number of broken lines that a warning lists.
_MOST_TOLD = 5
#: The names of the types. All values of a column must have the same kind: "1" is not 1.
_KINDS = {bool: "truth values", int: "numbers", float: "numbers", str: "texts", list: "lists", dict: "objects"}


class JsonLines:
    """A file of JSON lines.

    Parameters
    ----------
    path : Path
        The file, which may be compressed.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, shown(path)
        #: Lines that were left out when all rows were read the last time.
        self.broken: list[str] = []
        names: dict[str, None] = {}
        within: dict[str, tuple[str, ...]] = {}
        for *_, row in islice(self._rows(), _HEAD_ROWS):
            names |= dict.fromkeys(row)
            places = [
                place
                for place, _ in columns_in([row], lists=True)
                if len(place) > 1 and not place[0].startswith(PREFIX)
            ]
            within |= {".".join(place): place for place in places}
        #: Where values within objects are, by OUTER.INNER.
        self.within = {name: place for name, place in within.items() if name not in names}
        # pyarrow finds the types of values in paths.
        self.of_path = PathColumns.of(path, names) if find_spec("pyarrow") is not None else PathColumns({})
        self.names: list[Any] = [*names, *self.within, *self.of_path.values]

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[pd.DataFrame]:
        """Go through these columns in batches of `batch_rows` rows, fewer if rows are large; None gives one batch."""
        kinds: dict[Any, str] = {}
        tables, n_rows = [], 0
        for rows in self._batches(batch_rows):
            outer: dict[tuple[str, ...], list[Any]] = {}
            table = pd.DataFrame({name: self._column(name, rows, kinds, n_rows, outer) for name in names})
            n_rows += len(rows)
            if batch_rows is None:
                tables.append(table)
            else:
                yield table
        if tables:
            yield pd.concat(tables, ignore_index=True)

    def streams(self, names: list[Any], _: list[Any], batch_rows: int) -> Iterator[Iterator[pd.DataFrame]]:
        """Return all rows as a single part, in batches."""
        yield self.batches(names, batch_rows)

    def _batches(self, batch_rows: int | None) -> Iterator[list[dict[str, Any]]]:
        rows, n_bytes = list[dict[str, Any]](), 0
        known = frozenset(self.names)
        for at, (_, size, row) in enumerate(self._rows()):
            if not row.keys() <= known:
                self._check_late(row.keys() - known, at)
            rows.append(row)
            n_bytes += size
            if len(rows) == batch_rows or n_bytes >= _BATCH_BYTES:
                yield rows
                rows, n_bytes = [], 0
        if rows:
            yield rows

    def _check_late(self, names: Iterable[str], row: int) -> None:
        """Raise if one of these names, which the first rows lack, is the usual name of a column of predictions."""
        for name in sorted(names):
            if name in _OF_THEIR_OWN or name.startswith(PREFIX):
                text = (
                    f"column {name!r} occurs from line {self.line_of(row)} on, but not in the first "
                    f"{_HEAD_ROWS:,} objects, from which the columns are taken."
                )
                advice = "Write it in the first objects, too, or leave it out."
                raise UnreadableError(text, kind="no column", column=name, advice=advice).at(shown(self.path))

    def line_of(self, row: int) -> int | None:
        """Return the line of a row."""
        return next((number for at, (number, *_) in enumerate(self._rows()) if at == row), None)

    def _rows(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Go through the objects, each with the number and the bytes of its line; raise if no line can be read."""
        broken, some, why = list[str](), False, None
        with readable(self.path), opened(self.path) as file:
            for number, size, row in objects_in(file, _LINE_BYTES):
                if isinstance(row, dict):
                    some = True
                    yield number, size, row
                else:
                    broken.append(f"line {number}")
                    why = why or row
            if why is not None and not some:
                raise why
        self.broken = broken

    def _column(
        self, name: Any, rows: list[dict[str, Any]], kinds: dict[Any, str], first_row: int, outer: dict[Any, list[Any]]
    ) -> "pd.Series[Any]":
        """Return a column; raise if its values have several kinds, in these rows or in earlier ones.

        `outer` is as in `values_at`.
        """
        if name in self.of_path.values:
            return pd.Series([self.of_path.values[name].as_py()] * len(rows))
        place = self.within.get(name)
        values = [row.get(name) for row in rows] if place is None else values_at(rows, place, outer)
        types = dict.fromkeys(map(type, values))
        is_known = (value is not None and value == value for value in values)
        if float in types and (types.keys() - _NUMBERS or (kinds.get(name) != "numbers" and not any(is_known))):
            values = [None if value != value else value for value in values]  # NaN, beside what is no number
            types = dict.fromkeys(map(type, values))
        for kind in dict.fromkeys(_KINDS.get(each, "") for each in types):
            if kind and kinds.setdefault(name, kind) != kind:
                row = next(
                    at for at, value in enumerate(values) if value is not None and _KINDS[type(value)] != kinds[name]
                )
                text = f"column {name!r} has {values[row]!r} in "
                rest = f", but {kinds[name]} in earlier rows. Write all values of the column in the same way."
                error = DataError(text, row, rest, kind="several types", column=name).at(shown(self.path), first_row)
                error.row_id = f"line {self.line_of(first_row + row)}"
                raise error
        return pd.Series(values, dtype=None if kinds.get(name) in ("numbers", "truth values") else object)


def tell_broken(broken: Sequence[str], path: Path, what: str) -> None:
    """Warn of lines or samples that cannot be read and are left out: how many, and which."""
    if not broken:
        return
    n = len(broken)
    told = listed([*broken[:_MOST_TOLD], *(["others"] if n > _MOST_TOLD else [])])
    parts = f"{n:,} {what} is broken and" if n == 1 else f"{n:,} {what}s are broken and"
    kind = f"broken {what}s"
    advice = f"To include every {what}, repair the file or write it again."
    warn(f"{shown(path)}: {parts} left out ({told}). {advice}", kind=kind)
