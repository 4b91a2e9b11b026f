"""The objects in lines of JSON, and the columns of their values.

Many lines are parsed together, because this takes a third of the time of parsing them one by one. A value within an
object is the column OUTER.INNER.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, compress
from secrets import randbits
from typing import IO, Any, cast

from skconf.tables._unreadable import LONG_ROW, UnreadableError

#: A block of lines that are parsed together ends after this many lines or bytes.
_BLOCK_LINES, _BLOCK_BYTES = 1 << 8, 1 << 17
#: A number that no file holds. It marks the ends of values: there is one value between two marks.
_BETWEEN = randbits(63)
_SEPARATOR = f",{_BETWEEN},".encode()
#: The end of a name, with spaces before its colon.
_SPACED = re.compile(rb'"\s+:')
#: Half of a pair of surrogates without its other half.
_HALF = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
#: Objects with a label and a score: by their two names, which one is the label, and which one the score.
_SCORED = {
    frozenset(names): names
    for names in (("Name", "Score"), *(("label", score) for score in ("score", "prob", "probability", "confidence")))
}
#: Types of values that hold other values.
_NESTED = {dict, list}
_decode = json.JSONDecoder().decode  # json.loads checks its arguments each time
#: What to do with JSON in another form.
_ADVICE = (
    "Each line must hold a JSON object. Such lines are written by "
    "pd.read_json(...).to_json(FILE, orient='records', lines=True)."
)


def objects_in(file: IO[bytes], most: int) -> Iterator[tuple[int, int, "dict[str, Any] | UnreadableError"]]:
    """Go through the lines that are not blank: the number, the length in bytes, and the object or why there is none.

    A line of more than `most` bytes has no object, and is never held in memory as a whole.
    """
    for numbers, lines in _blocks(file, most):
        rows = _together(lines)
        if rows is None:
            rows = [_alone(line, number) for number, line in zip(numbers, lines, strict=True)]
        yield from zip(numbers, map(len, lines), rows, strict=True)


def _blocks(file: IO[bytes], most: int) -> Iterator[tuple[list[int], list[bytes]]]:
    """Go through blocks of lines that are not blank, with their numbers. A line that is too long becomes empty."""
    numbers, lines, n_bytes, number = list[int](), list[bytes](), 0, 0
    while line := file.readline(most):
        number += 1
        if len(line) == most:
            while line and not line.endswith(b"\n"):
                line = file.readline(most)
            line = b""
        elif number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf") or b"\n"
        if line.isspace():
            continue
        numbers.append(number)
        lines.append(line)
        n_bytes += len(line)
        if len(lines) == _BLOCK_LINES or n_bytes >= _BLOCK_BYTES:
            yield numbers, lines
            numbers, lines, n_bytes = [], [], 0
    if lines:
        yield numbers, lines


def _together(lines: list[bytes]) -> "list[dict[str, Any] | UnreadableError] | None":
    """Return the objects of lines, parsed as one list; None unless it is certain that each line is an object."""
    text = _SEPARATOR.join(lines)
    if b"\\u" in text and _HALF.search(text) is not None:
        return None
    try:
        values = _decode(f"[{text.decode()}]")
    except (ValueError, RecursionError):
        return None
    n, rows = len(lines), values[::2]
    if len(values) != 2 * n - 1 or values[1::2] != [_BETWEEN] * (n - 1) or {*map(type, rows)} != {dict}:
        return None
    # Nearly all lines are objects without a colon in a text, and need no further check.
    n_colons = text.count(b":")
    if n_colons == sum(map(len, rows)):
        return rows
    n_names = _n_names(rows)
    return rows if n_names == n_colons or n_names == _most_names(text) else None


def _alone(line: bytes, number: int) -> "dict[str, Any] | UnreadableError":
    """Return the object in a line, or the reason why there is none."""
    if not line:
        return UnreadableError(f"line {number}: {LONG_ROW}", kind="long row")
    try:
        row = json.loads(line.decode().rstrip())  # an error at the end then names the last character
        if not isinstance(row, dict):
            return UnreadableError(f"line {number} holds no object. {_ADVICE}", kind="no object")
        if _most_names(line) > _n_names([row]):
            json.loads(line, object_pairs_hook=_with_each_name_once)  # this takes twice the time
        if _HALF.search(line) is not None:
            json.dumps(row, ensure_ascii=False).encode()
    except UnreadableError as error:
        error.line = number
        return error
    except json.JSONDecodeError as error:
        text = f"line {number} is no JSON from character {error.colno} on. {_ADVICE}"
        return UnreadableError(text, kind="no object")
    except UnicodeEncodeError:
        text = f"line {number} has half of a pair of surrogates, which is not a valid character. Write both halves."
        return UnreadableError(text, kind="not UTF-8")
    except (ValueError, RecursionError) as error:
        nested = "JSON that can be read: it is nested too deeply, or a number is too long"
        what = "UTF-8 text" if isinstance(error, UnicodeDecodeError) else nested
        return UnreadableError(f"line {number} is not {what}. {_ADVICE}", kind="no object")
    return cast(dict[str, Any], row)


def _most_names(text: bytes) -> int:
    """Return the largest possible number of names in a text: the number of quotes directly before a colon.

    A quote after one backslash is part of a text, and does not count. A quote after two ends a text, and counts.
    """
    apart = text.count(b'\\\\":') - text.count(b'\\":')
    return text.count(b'":') + apart + len(_SPACED.findall(text))


def _n_names(values: Sequence[Any]) -> int:
    """Return the number of names in objects, at all levels of nesting. Going level by level is fastest."""
    number = 0
    while values:
        objects = [value for value in values if type(value) is dict]
        number += sum(map(len, objects))
        parts = list(chain.from_iterable(value.values() if type(value) is dict else value for value in values))
        values = list(compress(parts, map(_NESTED.__contains__, map(type, parts))))
    return number


def _with_each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableError(
            "an object in ", rest=f" has {twice!r} twice. Rename one of them.", kind="repeated column", column=twice
        )
    return row


def columns_in(
    rows: Sequence[Mapping[str, Any]], before: tuple[str, ...] = (), *, lists: bool = False
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Go through the places at which objects hold texts or numbers, each with what `values_at` returns for it.

    With `lists`, also go through lists of texts and numbers within objects.
    """
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        kinds = {*map(type, values)}
        if list in kinds:
            # The labels are sorted, so that their order does not depend on the scores of the first row.
            values = [dict(sorted(each.items())) if type(each) is dict else each for each in map(_by_label, values)]
            kinds = {*map(type, values)}
        if not _NESTED.isdisjoint(kinds):
            if dict in kinds:
                yield from columns_in(
                    [value if type(value) is dict else {} for value in values], (*before, name), lists=lists
                )
            if kinds <= {*_NESTED, type(None)}:
                if lists and before and any(map(_is_flat, values)):
                    yield (*before, name), values
                continue
            values = [None if type(value) in _NESTED else value for value in values]
        yield (*before, name), values


def values_at(rows: Sequence[Any], place: tuple[str, ...], outer: dict[tuple[str, ...], list[Any]]) -> list[Any]:
    """Return the value of each object at a place, which is the names that lead to the value.

    The value is None if there is nothing, or an object, or a list where other objects have no list. `outer` keeps the
    objects around the value, for other places in the same rows.
    """
    values = _named(place[-1], _at(rows, place[:-1], outer))
    if {*map(type, values)} <= {list, type(None)}:
        return values
    return [None if type(value) in _NESTED else value for value in values]


def _at(rows: Sequence[Any], place: tuple[str, ...], outer: dict[tuple[str, ...], list[Any]]) -> Sequence[Any]:
    if not place:
        return rows
    if place not in outer:
        outer[place] = [*map(_by_label, _named(place[-1], _at(rows, place[:-1], outer)))]
    return outer[place]


def _named(name: str, objects: Sequence[Any]) -> list[Any]:
    return [each.get(name) if type(each) is dict else None for each in objects]


def _is_flat(value: Any) -> bool:
    """Return whether a value is a list of texts and numbers."""
    return type(value) is list and len(value) > 0 and _NESTED.isdisjoint(map(type, value))


def _by_label(value: Any) -> Any:
    """Turn [{"label": "cat", "score": 0.9}, …], which pipelines of transformers write, into {"cat": 0.9, …}.

    Other tools have other names for the label and the score. A list of one object is the predicted label with its
    score, and becomes this object. Other values stay as they are, and so does a list in which a label occurs twice.
    """
    if type(value) is not list or not value or type(value[0]) is not dict:
        return value
    names = _SCORED.get(frozenset(value[0]))
    if names is None or not all(type(each) is dict and each.keys() == {*names} for each in value):
        return value
    if len(value) == 1:
        return value[0]
    label, score = names
    by_label = {str(each[label]): each[score] for each in value}
    return by_label if len(by_label) == len(value) else value
