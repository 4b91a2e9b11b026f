"""A table of text. pyarrow reads it in pieces of whole rows, which threads can parse at the same time."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skconf.tables._lines import line_of_row
from skconf.tables._paths import PathColumns, shown
from skconf.tables._quotes import refuse_loose_quotes
from skconf.tables._unreadable import OPEN_QUOTE, UnreadableError, readable, unreadable

#: Bytes that are read at once: enough to make the overhead of a piece negligible.
PIECE_BYTES = 1 << 22
#: Bytes that pyarrow parses at once if it reads the rest alone. A row must not be longer.
_BLOCK_BYTES = 1 << 22
#: If the names have at most this many bytes, no more bytes are read for them.
_MOST_OF_NAMES = 1 << 18
#: The line of the names, after a byte order mark and empty lines.
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*([^\r\n]+\r?\n)")
#: A cell that no table has. If it is not found after the last row, a quote before it was not closed.
_MARK = "\x1eend of the table\x1e"


class TextFile:
    """A file of text, perhaps compressed, whose entries are read as texts."""

    broken: Sequence[str] = ()  # a row that cannot be read is refused, because it may hide other rows

    def __init__(self, path: Path, separator: str) -> None:
        from pyarrow.csv import ParseOptions

        self.path, self.name, self.separator = path, shown(path), separator
        self.parse_options = ParseOptions(delimiter=separator, newlines_in_values=True)
        #: The names in the first line, with the spaces around them, as in "label, 0, 1".
        self.written = self._read_names()
        self.of_path = PathColumns.of(path, self.written)
        self.names: list[Any] = [name.strip() for name in [*self.written, *self.of_path.values]]

    def line_of(self, row: int) -> int | None:
        """Return the line of a row."""
        return line_of_row(self.path, row, self.separator)

    def batches(self, names: list[Any], batch_rows: int | None) -> Iterator[Any]:
        """Go through the rows of these columns; None gives all rows together."""
        from pyarrow import concat_tables, schema, string

        with readable(self.path, self.line_of):
            tables = self.tables(names)
            if batch_rows is None:
                empty = schema([(name, string()) for name in names]).empty_table()
                tables = iter([concat_tables(list(tables) or [empty])])
            for each in tables:
                size = batch_rows or len(each) or 1
                yield from (each.slice(start, size) for start in range(0, len(each) or 1, size))

    def streams(self, names: list[Any], numbers: list[Any], _: int) -> Iterator[Iterator[Any]]:
        """Yield the pieces of the file. A column in `numbers` becomes numbers if all its entries are numbers."""
        yield self._readable(self.pieces(names, numbers))

    def _readable(self, pieces: Iterator[Any]) -> Iterator[Any]:
        with readable(self.path, self.line_of):
            yield from pieces

    def _read_names(self) -> list[str]:
        from pyarrow import BufferReader, csv, input_stream

        read = csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES)
        with input_stream(str(self.path)) as file:
            data = file.read(_MOST_OF_NAMES)
        end = _end_of_names(data, self.separator)
        source = BufferReader(data[:end]) if end else self.path
        names: list[str] = csv.open_csv(source, read, self.parse_options).schema.names
        return names

    def tables(self, names: Sequence[str]) -> Iterator[Any]:
        """Go through the rows of some columns, as texts."""
        n_rows = 0
        for piece in self.pieces(names, ()):
            try:
                table = piece.table()
            except UnreadableError as error:
                raise error.at(first_row=n_rows) from None
            yield table
            n_rows += len(table)

    def pieces(self, names: Sequence[str], numbers: Sequence[str]) -> Iterator["Piece"]:
        """Go through the rows of some columns. The columns in `numbers` should hold only numbers.

        Each piece ends where a row ends. If quotes make this place unclear, pyarrow itself reads the rest of the file.
        """
        from pyarrow import input_stream

        with input_stream(str(self.path)) as file:
            data = file.read(PIECE_BYTES)
            end = done = _end_of_names(data, self.separator)
            data = data[end:] or file.read(PIECE_BYTES)
            while end and data:
                following = file.read(PIECE_BYTES)
                end = _end_of_rows(data if following else data + b"\n", self.separator)
                if end:
                    yield Piece(self, memoryview(data)[:end], names, numbers)
                done, data = done + end, data[end:] + following
        if data:
            refuse_loose_quotes(self.path, self.separator)
            yield from self._read_on(done, names)

    def _read_on(self, done: int, names: Sequence[str]) -> Iterator["Piece"]:
        """Let pyarrow read the rest of a file, after the `done` bytes that were read.

        A row of marks is added at the end. If this row is not found, it is part of a cell whose quote was not closed.
        """
        from pyarrow import ArrowInvalid, Table, csv, input_stream

        n_rows, last, marks = 0, None, self.separator.join([_MARK] * len(self.written))
        with input_stream(str(self.path)) as file:
            left = done
            while left and (read := len(file.read(min(left, PIECE_BYTES)))):
                left -= read
            try:
                source = _Followed(file, f"\n{marks}\n".encode())
                for batch in csv.open_csv(source, *self.options(names, (), header=not done)):
                    if last is not None:
                        yield Piece(self, last, names, ())
                        n_rows += len(last)
                    last = Table.from_batches([batch]) if len(batch) else None
            except ArrowInvalid as error:
                wrong = unreadable(error)
                if _MARK in wrong.rest:
                    wrong = UnreadableError("", wrong.row, f": {OPEN_QUOTE}", kind="open quote")
                yield Piece(self, wrong.at(first_row=(done > 0) - n_rows), names, ())
                return
        if last is not None and set(last.slice(len(last) - 1).to_pylist()[0].values()) == {_MARK}:
            yield Piece(self, last.slice(0, len(last) - 1), names, ())
        else:
            wrong = UnreadableError("", len(last or ()) + 1, f": {OPEN_QUOTE}", kind="open quote")
            yield Piece(self, wrong, names, ())

    def options(self, names: Sequence[str], numbers: Sequence[str], *, header: bool) -> tuple[Any, Any, Any]:
        """Return the options of pyarrow. Outside `numbers`, entries stay texts, because "01" is not 1."""
        from pyarrow import csv, float64, string

        of_file = [self.written[self.names.index(name)] for name in self.of_path.not_among(names)]
        kinds = {name: float64() if name.strip() in numbers else string() for name in of_file}
        return (
            csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES, column_names=None if header else self.written),
            self.parse_options,
            csv.ConvertOptions(column_types=kinds, include_columns=of_file, null_values=[]),
        )


class _Followed:
    """A file, and some bytes after it."""

    def __init__(self, file: Any, tail: bytes) -> None:
        self.file, self.tail, self.closed = file, tail, False

    def read(self, n_bytes: int) -> bytes:
        data: bytes = self.file.read(n_bytes)
        if not data:
            data, self.tail = self.tail, b""
        return data


class Piece(NamedTuple):
    """Rows of a file of text.

    Attributes
    ----------
    file : TextFile
        The file.
    rows : bytes-like, Table or UnreadableError
        The rows, or the reason why they cannot be read.
    names, numbers : sequence of str
        The columns to read, and those of them that are read as numbers, if all their entries are numbers.
    """

    file: TextFile
    rows: Any
    names: Sequence[str]
    numbers: Sequence[str]

    def table(self) -> Any:
        """Return the columns, without spaces around texts; raise if they cannot be read."""
        from pyarrow import ArrowInvalid, compute, types

        if isinstance(self.rows, UnreadableError):
            raise self.rows
        try:
            table = self._parsed(self.numbers) if isinstance(self.rows, memoryview) else self.rows
        except ArrowInvalid as error:
            if self.numbers:  # texts may be numbers: "0,5", "true"
                return self._replace(numbers=()).table()
            raise unreadable(error).at(first_row=1) from None
        cells = [compute.utf8_trim_whitespace(each) if types.is_string(each.type) else each for each in table.columns]
        names = [name.strip() for name in table.column_names]
        return self.file.of_path.added_to(type(table).from_arrays(cells, names=names), self.names)

    def _parsed(self, numbers: Sequence[str]) -> Any:
        from pyarrow import BufferReader, csv

        read, parse, convert = self.file.options(self.names, numbers, header=False)
        read.block_size = len(self.rows) + 1
        return csv.read_csv(BufferReader(self.rows), read, parse, convert)


def _end_of_names(data: bytes, separator: str) -> int:
    """Return the end of the first line, which has the names; 0 if it may continue in the next line."""
    line = _FIRST_LINE.match(data)
    return line.end() if line and _end_of_rows(line[1], separator) == len(line[1]) else 0


def _end_of_rows(data: bytes, separator: str) -> int:
    """Return where the last whole row in `data` ends; 0 if quotes make this unclear. `data` begins with a row."""
    end = data.rfind(b"\n") + 1
    if data.find(b'"', 0, end) < 0:
        return end
    text = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(text[:end] == ord('"'))
    while (within := int(np.searchsorted(quotes, end))) % 2:  # a quote is open: go before it
        end = data.rfind(b"\n", 0, quotes[within - 1]) + 1
    beside = np.zeros(256, dtype=bool)
    beside[list(f'\r\n{separator}"'.encode())] = True
    opening, closing = quotes[:within:2], quotes[1:within:2]
    opening = opening[opening > 0]
    return end if beside[text[opening - 1]].all() and beside[text[closing + 1]].all() else 0
