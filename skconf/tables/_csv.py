"""Tables of text: the separator of their cells, the names in their first line, and files that are not tables."""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

from skconf._core.messages import brief, shorten
from skconf.tables._bytes import opened
from skconf.tables._paths import COMPRESSED
from skconf.tables._unreadable import LONG_ROW, UnreadableError

#: Separators of cells. If several fit equally well, the first one is used.
SEPARATORS = ",;\t|"
#: First bytes of files that are not tables of text, the format, and what to do.
_SIGNS: dict[bytes | tuple[bytes, ...], str] = {
    b"PAR1": "Parquet. Give it a name that ends in .parquet",
    b"PK\x03\x04": "a workbook or an archive. Save the sheet as CSV UTF-8",
    b"\xd0\xcf\x11\xe0": "a workbook. Save the sheet as CSV UTF-8",
    b"\x1f\x8b": "compressed by gzip. Give it a name that ends in .csv.gz",
    (b"\xff\xfe", b"\xfe\xff"): "UTF-16 text. Save it as CSV UTF-8",
    (b"\x89PNG", b"\xff\xd8\xff"): "a picture",
    b"%PDF": "a PDF document",
    b"\x93NUMPY": "an array of numpy. Write it and the true labels as a table: pd.DataFrame(...).to_csv(...)",
    (b"\x80\x03", b"\x80\x04", b"\x80\x05"): "a pickle. Load the table in it, and write the table with .to_csv(...)",
    b"SQLite format 3": "a database. Export the table as CSV",
    b"ARROW1": "Arrow. Write it as Parquet or CSV",
    b"{": "JSON. Convert it: pd.read_json(...).to_csv(...). If each line is an object, rename the file to NAME.jsonl",
    (b"[{", b"[["): "JSON. Convert it: pd.read_json(...).to_csv(...)",
    (b"<!", b"<?", *(b"<%c" % letter for letter in ascii_lowercase.encode())): "HTML or XML. Save the table as CSV",
    b"@relation": "ARFF. Save it as CSV",
}
#: Rounded probabilities sum to 1 with at most this error.
_ROUNDING = 0.01
#: Separators of cells, as patterns for pandas, in the advice on a file without names.
_SPACES, _SEPARATED = r"\s+", r"\s*[,;|\t]\s*"
#: A number, which is not the name of a column.
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: The number of lines that decide on the separator.
_N_LINES = 20
#: Bytes that are read at once to find these lines, and the most bytes that are read.
_READ_BYTES, _MOST_BYTES = 1 << 16, 1 << 22
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")


class Layout(NamedTuple):
    """The layout of a table of text: the separator of its cells, and the names of its columns, stripped of spaces."""

    separator: str
    names: list[str]


def layout_of(path: Path) -> Layout:
    """Return the layout of a table of text, as seen in its first lines."""
    _refuse_other_kinds(path)
    lines = _first_lines(path)
    _refuse_title(lines)
    separator = _separator(lines)
    return Layout(separator, [name.strip() for name in _cells(lines[:1], separator)[0]])


def _first_lines(path: Path) -> list[str]:
    """Return the first lines that are not empty; no more is read than needed."""
    lines: list[bytes] = []
    with opened(path) as file:
        data = b""
        # As many bytes as are there are added each time, so that a very long line is searched only a few times.
        while len(lines) <= _N_LINES and len(data) < _MOST_BYTES and (more := file.read(max(_READ_BYTES, len(data)))):
            data += more
            lines = [line for line in _END_OF_LINE.split(data.removeprefix(b"\xef\xbb\xbf")) if line]
        whole = not file.read(1)
    if b"\0" in data:
        raise UnreadableError(
            "it contains null bytes, as UTF-16 files and damaged files do. Save it as CSV UTF-8.", kind="damaged"
        )
    if not lines:
        raise UnreadableError("it is empty. The first line must contain the names of the columns.")
    if not whole and len(lines) == 1:
        raise UnreadableError(LONG_ROW, kind="long row")
    try:
        return [line.decode() for line in lines[: _N_LINES if whole or len(lines) > _N_LINES else -1]]
    except UnicodeDecodeError:
        raise UnreadableError("it is not UTF-8 text. Save it as CSV UTF-8.") from None


def _refuse_other_kinds(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(64)
    if path.suffix in COMPRESSED:
        return
    begins = start.lstrip().lower()
    for signs, kind in _SIGNS.items():
        if start.startswith(signs) or begins.startswith(signs):
            raise UnreadableError(f"it is not a table of text, but {kind}.")


def _refuse_title(lines: list[str]) -> None:
    """Raise if the first line is a comment, a title, or a hint for Excel such as ``sep=;``, and not the names."""
    first, rest = lines[0], lines[1:]
    if len(rest) < 2 or not (first.startswith("sep=") or all(_n_cells([first], each) == [1] for each in SEPARATORS)):
        return
    if any(len(numbers := {*_n_cells(rest, each)}) == 1 and min(numbers) > 2 for each in SEPARATORS):
        raise UnreadableError(
            f"its first line, {brief(first)}, does not contain the names of the columns. Remove the lines before "
            "the names."
        )


def _separator(lines: list[str]) -> str:
    """Return the separator that splits the first line into several cells, and the most other lines into as many."""
    counts = {separator: _n_cells(lines, separator) for separator in SEPARATORS}
    agreeing = {each: sum(n == of[0] for n in of) for each, of in counts.items() if of[0] > 1}
    return max(agreeing, key=lambda each: (agreeing[each], counts[each][0]), default=",")


def _n_cells(lines: list[str], separator: str) -> list[int]:
    try:
        return [len(cells) for cells in _cells(lines, separator)]
    except csv.Error:  # a cell is longer than csv reads, such as the names of all classes between other separators
        return [1]


def _cells(lines: list[str], separator: str) -> list[list[str]]:
    with longest_cell(_MOST_BYTES):
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True)) or [[]]


@contextmanager
def longest_cell(n_characters: int) -> Iterator[None]:
    """Let csv read cells of up to this length. The limit holds for the whole process, so it is reset at the end."""
    limit = csv.field_size_limit(n_characters)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def first_line_is_data(names: list[Any]) -> str:
    """Return advice, which begins with a period, if the names of columns look like a row of data; else ""."""
    words = " ".join(map(str, names)).split()  # numbers may be separated by spaces
    numbers = [word for word in words if _NUMBER.fullmatch(word)]
    if all(map(str.isdigit, numbers)):  # or there are no numbers
        return ""
    text = f". The first line must contain the names of the columns, but it contains {shorten(numbers, 3)}"
    by_spaces = len(names) == 1 < len(words)
    read = f"pd.read_csv(FILE, sep=r'{_SPACES if by_spaces else _SEPARATED}', engine='python', header=None, names="
    parts = list(map(float, numbers))
    is_one = len(parts) == 1 and parts[0] <= 1
    are_probabilities = min(parts) >= 0 and (is_one or abs(sum(parts) - 1) < _ROUNDING)
    has_label = len(numbers) < len(words) or words[0].isdigit() or words[-1].isdigit()  # a label 0 changes no sum
    if has_label or not are_probabilities:
        instead = f"replace … by {len(words) if by_spaces else len(names)} names, such as 'y_true' and 'proba_LABEL'"
        return f"{text}. Give the columns names: {read}[…]).to_csv(NAMED, index=False); {instead}"
    columns = "['proba_1']" if len(words) == 1 else f"['proba_0', …, 'proba_{len(words) - 1}']"
    text = f"{text}. Tools such as XGBoost and LightGBM write only numbers. Add names of columns and the true labels: "
    return f"{text}{read}{columns}).assign(y_true=…).to_csv(NAMED, index=False)"
