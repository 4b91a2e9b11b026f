"""Tables of text: the separator of their cells, the names in their first line, and files that are not tables."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skconf._core.messages import brief, shorten
from skconf.tables._bytes import opened
from skconf.tables._paths import COMPRESSED
from skconf.tables._unreadable import LONG_ROW, UnreadableError

#: Separators of cells. If several fit equally well, the first one is used.
SEPARATORS = ",;\t|"
#: First bytes of files that are not tables of text, the format, and what to do.
_SIGNS = {
    b"PAR1": "Parquet. Give it a name that ends in .parquet",
    b"PK\x03\x04": "a workbook or an archive. Save the sheet as CSV UTF-8",
    b"\xd0\xcf\x11\xe0": "a workbook. Save the sheet as CSV UTF-8",
    b"\x1f\x8b": "compressed by gzip. Give it a name that ends in .csv.gz",
    b"\xff\xfe": "UTF-16 text. Save it as CSV UTF-8",
    b"\xfe\xff": "UTF-16 text. Save it as CSV UTF-8",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"%PDF": "a PDF document",
    b"\x93NUMPY": "an array of numpy. Write it with the true labels: pd.DataFrame(...).to_csv(...)",
    b"\x80\x03": "a pickle. Write the table in it with .to_csv(...)",
    b"\x80\x04": "a pickle. Write the table in it with .to_csv(...)",
    b"\x80\x05": "a pickle. Write the table in it with .to_csv(...)",
    b"SQLite format 3": "a database. Export the table as CSV",
    b"ARROW1": "Arrow. Write it as Parquet or CSV",
    b"{": "JSON. Convert it: pd.read_json(...).to_csv(...). If each line is an object, name it .jsonl",
    b"[{": "JSON. Convert it: pd.read_json(...).to_csv(...)",
    b"[[": "JSON. Convert it: pd.read_json(...).to_csv(...)",
    b"<": "HTML or XML. Save the table as CSV",
    b"@relation": "ARFF. Save it as CSV",
}
#: Rounded probabilities sum to 1 with at most this error.
_ROUNDING = 0.01
#: A number, which is not the name of a column.
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: The number of lines that decide on the separator.
_N_LINES = 20
#: Bytes that are read at once to find these lines, and the most bytes that are read.
_READ_BYTES, _MOST_BYTES = 1 << 16, 1 << 22
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")


class Layout(NamedTuple):
    """The layout of a table of text: the separator of its cells, and the names of its columns without spaces."""

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
        # As much again each time, so that a line without end is not searched for it in every step.
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
    for sign, kind in _SIGNS.items():
        if start.startswith(sign) or begins.startswith(sign):
            raise UnreadableError(f"it is not a table of text, but {kind}.")


def _refuse_title(lines: list[str]) -> None:
    """Raise if the first line is a comment, a title, or a hint for Excel such as sep=; before the names."""
    first, rest = lines[0], lines[1:]
    if len(rest) < 2 or not (first.startswith("sep=") or all(_n_cells([first], each) == [1] for each in SEPARATORS)):
        return
    if any(len(numbers := {*_n_cells(rest, each)}) == 1 and min(numbers) > 2 for each in SEPARATORS):
        raise UnreadableError(
            f"its first line, {brief(first)}, is not the names of the columns. Remove the lines before the names."
        )


def _separator(lines: list[str]) -> str:
    """Return the separator that gives the first line several cells, and the next lines as many."""
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
    """Let csv read cells of this length. The limit belongs to the process, and is changed for a moment."""
    limit = csv.field_size_limit(n_characters)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def first_line_is_data(names: list[str], texts: Callable[[str], Iterable[str]] | None = None) -> tuple[str, ...]:
    """Return advice if the names of columns look like a row of data, after a period; else nothing.

    The name of the file belongs between the parts of the advice. `texts` returns further cells of a column, by its
    name.
    """
    words = " ".join(map(str, names)).split()  # numbers may be separated by spaces
    numbers = [word for word in words if _NUMBER.fullmatch(word)]
    if all(map(str.isdigit, numbers)):  # or there are no numbers
        return ()
    text = f". The first line must contain the names of the columns, but it contains {shorten(numbers, 3)}"
    cells = words if len(names) == 1 else [name.strip() for name in map(str, names)]

    def labels(place: int) -> set[str]:
        return {cells[place], *(texts(names[place]) if texts and len(names) == len(cells) else ())}

    whole = any(all(map(str.isdigit, labels(place))) for place in (0, -1))  # a label of 0 changes no sum
    if whole or len(numbers) < len(words) or not _is_of_probabilities(list(map(float, numbers))):
        separator = r"\s+" if len(names) < len(cells) else r"\s*[,;|\t]\s*"
        roles, granted = _roles(cells, labels)
        before = f'{text}. Give the columns names: python -c "import pandas as pd; pd.read_csv('
        after = f", sep=r'{separator}', engine='python', header=None, names={roles}).to_csv('named.csv', index=False)"
        return before, f'{after}" writes named.csv{granted}'
    columns = "names=['proba_1']" if len(words) == 1 else f"names=['proba_0', …, 'proba_{len(words) - 1}']"
    text = f"{text}. Tools such as XGBoost and LightGBM write only numbers. Add names and the true labels: "
    read = f"pd.read_csv(FILE, sep=r'[,;\\s]+', engine='python', {columns})"
    return (f"{text}{read}.assign(y_true=…).to_csv(NAMED, index=False)",)


def _roles(cells: list[str], labels: Callable[[int], set[str]]) -> tuple[str, str]:
    """Return names of columns as Python writes them, and their assumption, from a row and the labels of columns."""
    proba = _longest_of_probabilities(cells)
    others = [place for place in range(len(cells)) if place not in proba]
    if proba:
        truth = min(others, key=lambda place: (len(labels(place)), place))
        if classes := _classes(labels(truth), len(proba)):
            of_proba = {place: f"proba_{label}" for place, label in zip(proba, classes, strict=True)}
            roles = [of_proba.get(place, "y_true" if place == truth else "id") for place in range(len(cells))]
            return f"{roles}", ", if the probabilities are in this order"
    units = [place for place, cell in enumerate(cells) if _is_unit(cell)]
    decimals = [place for place in units if not cells[place].isdigit()]
    if len(cells) == 2 and len(decimals) == 1 and (classes := _classes(labels(1 - decimals[0]), 2)):
        positive = f"proba_{classes[1]}"
        roles, instead = (
            [kinds[place != decimals[0]] for place in range(2)]
            for kinds in ((positive, "y_true"), ("confidence", "correct"))
        )
        either = f"; or names={instead}, if the columns hold the correctness of an answer and its confidence"
        return f"{roles}", either if classes == ["0", "1"] else ""
    if len(cells) == 3 and len(decimals) == 1:
        answers = iter(["y_true", "y_pred"])
        roles = ["confidence" if place == decimals[0] else next(answers) for place in range(3)]
        return f"{roles}", ", if the true label comes before the predicted one"
    return "[…]", f", with {len(cells)} names instead of …, such as 'y_true' and 'proba_' with each label"


def _classes(labels: set[str], n_classes: int) -> list[str]:
    """Return the labels of columns, if the true labels determine them: numbers from 0 on, or all sorted labels."""
    counted = [str(number) for number in range(n_classes)]
    if labels <= set(counted):
        return counted
    return sorted(labels) if len(labels) == n_classes else []


def _longest_of_probabilities(cells: list[str]) -> range:
    """Return the positions of neighbouring cells that sum to 1, if at most two other cells remain."""
    for others in (1, 2):
        length = len(cells) - others
        for start in range(others + 1 if length > 1 else 0):
            part = cells[start : start + length]
            if all(map(_is_unit, part)) and _is_of_probabilities(list(map(float, part))):
                return range(start, start + length)
    return range(0)


def _is_unit(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell)) and 0 <= float(cell) <= 1


def _is_of_probabilities(numbers: list[float]) -> bool:
    return min(numbers) >= 0 and (numbers[0] <= 1 if len(numbers) == 1 else abs(sum(numbers) - 1) < _ROUNDING)
