"""Grades, which are confidences in words such as high or 95%, and their numbers."""

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.columns import plain
from skconf._core.messages import option, shorten, suggest
from skconf._core.problems import DataError

#: Examples of numbers for words of confidence.
_CONFIDENT = {"high": 0.9, "medium": 0.6, "low": 0.3}
#: Words for answers that are right, and for those that are wrong.
_RIGHT = frozenset({"correct", "right", "yes", "y", "pass", "passed", "good", "ok", "c"})
_WRONG = frozenset({"incorrect", "wrong", "no", "n", "fail", "failed", "bad", "i", "false"})
#: Signs of a percentage.
_PER_CENT = ("%", "٪", "％")
#: A column with more distinct words than this holds no grades.
_MOST = 10
#: In a column with more distinct values than this, grades are not looked for.
_MOST_DISTINCT = 1000


def check_grades(grades: Mapping[Any, float]) -> dict[str, float]:
    """Return the number of each grade, in lower case; raise if a grade has two numbers, or one outside [0, 1]."""
    found: dict[str, float] = {}
    for grade, number in grades.items():
        known = isinstance(number, int | float | np.number) and 0 <= number <= 1
        if not known:
            raise ValueError(f"{option('grades')} gives {grade!r} the number {number!r}, which must lie in [0, 1].")
        if found.setdefault(_spelled(grade), float(number)) != number:
            raise ValueError(f"{option('grades')} gives {grade!r} two numbers.")
    if not found:
        raise ValueError(f"{option('grades')} is empty.")
    return found


def from_grades(values: Any, grades: Mapping[Any, float] | None, name: str) -> NDArray[np.float64]:
    """Return the numbers of grades. Case, and spaces around a word, are ignored.

    If no grade is a number, "95%", "0.95" and 0.95 are read as numbers. If the column also has words or percentages, 95
    is read as 95%, because it is not in [0, 1]. The numbers of grades lie in [0, 1]. Raise if a value is not a grade,
    or if a number is out of range; the message calls the values `name`.
    """
    known = {} if grades is None else check_grades(grades)
    codes, distinct = pd.factorize(pd.Series(np.asarray(values, dtype=object)), use_na_sentinel=False)
    read = np.array([known.get(_spelled(value), np.nan) for value in distinct], dtype=np.float64)
    if all(np.isnan(_number(grade)) for grade in known):  # else a number is one of the grades, or a mistake
        scaled = not np.isnan(read).all() or any(map(_is_percentage, distinct))
        read = np.where(np.isnan(read), [_share(_spelled(value), scaled=scaled) for value in distinct], read)
    numbers = read[codes]
    if np.isnan(numbers).any():
        row = int(np.argmax(np.isnan(numbers)))
        value = distinct[codes[row]]
        if pd.isna(value):
            rest = ". Leave the row out, or fill in a grade."
            raise DataError(f"{name} is missing in ", row, rest, kind="missing", column=name)
        known_ones = f" So far, it gives numbers only to {shorten(list(grades))}." if grades else ""
        raise DataError(
            f"{name} is {value!r} in ",
            row,
            f", which is not a grade.{suggest(str(value), map(str, grades or ()))} Use {option('grades')} to give "
            f"{value!r} a number.{known_ones}",
            kind="no grade",
            column=name,
        )
    return numbers


def has_percentages(values: Any) -> bool:
    """Return whether some values are texts with a per cent sign."""
    if isinstance(values, list | tuple):
        return any(map(_is_percentage, values))
    if not isinstance(getattr(values, "dtype", None), np.dtype | pd.api.extensions.ExtensionDtype):
        return False  # texts of other packages are converted where files and tables are read
    if np.ndim(values) != 1 or values.dtype.kind not in "OUT":
        return False
    column = pd.Series(values)
    if column.dtype == object:  # which may hold lists, for which `unique` raises
        column = column[[isinstance(value, str) for value in column]]
    return any(map(_is_percentage, pd.unique(column)[:_MOST_DISTINCT]))


def are_of_hundred(numbers: NDArray[Any], name: str) -> bool:
    """Return whether numbers are percentages without a sign: up to 100, some above 50, and none in (0, 1].

    Raise if most of them are percentages, but some lie in (0, 1]; the message calls the numbers `name`.
    """
    if not 50 < numbers.max(initial=0) <= 100 or numbers.min() < 0:
        return False
    small = (numbers > 0) & (numbers <= 1)
    if 0 < np.mean(small) < 0.5:
        row = int(np.argmax(small))
        number, most = float(numbers[row]), float(numbers.max())
        rest = (
            f", and percentages such as {most:g} elsewhere. {number:g} may mean {number:g}% or {100 * number:g}%. "
            f"Write {number / 100:g} for {number:g}%, or {number:g} for {100 * number:g}%, and divide the other "
            "numbers by 100."
        )
        raise DataError(f"{name} has {number:g} in ", row, rest, kind="percentages", column=name)
    return not small.any()


def has_grades(values: Any, grades: Mapping[Any, float]) -> bool:
    """Return whether some values are grades."""
    known, distinct = {_spelled(grade) for grade in grades}, pd.unique(pd.Series(values))
    return len(distinct) <= _MOST_DISTINCT and any(_spelled(value) in known for value in distinct)


def are_truths(values: Any, confidence: Any, grades: Mapping[Any, float]) -> bool:
    """Return whether `values` are 1 or 0 for right or wrong, although the grades are numbers such as 1 to 5.

    If so, the value 1 is not the grade 1. Return False if 0 is a grade: then values and confidences have one scale.
    """
    known = {_number(grade) for grade in check_grades(grades)}
    if 0 in known or np.isnan([*known]).any() or not has_grades(confidence, grades):
        return False
    return {_number(_spelled(value)) for value in pd.unique(pd.Series(values).dropna())} <= {0, 1}


def number_of(value: Any, grades: Mapping[Any, float]) -> float:
    """Return the number of a grade; NaN if the value is not a grade."""
    return check_grades(grades).get(_spelled(value), np.nan)


def words_in(values: Any) -> list[str]:
    """Return the words of a column, the most frequent first; none if it has many words, or other values."""
    column = pd.Series(values)
    if not all(isinstance(value, str | Number) for value in column.dropna()):
        return []
    counts = column.map(lambda value: str(value).strip().casefold()).value_counts()
    words = [str(word) for word in counts.index]
    return [] if len(words) > _MOST or not all(map(_is_word, words)) else words


def example_of(words: Sequence[str], *, of_truth: bool) -> str:
    """Return words with their numbers, as an example of `grades`: "high=0.9 perhaps=NUMBER".

    A word that is not well known gets NUMBER instead of a number.
    """
    known = {word: int(word in _RIGHT) for word in _RIGHT | _WRONG} if of_truth else _CONFIDENT
    return " ".join(f"{word}={known.get(word, 'NUMBER')}" for word in words)


def _is_word(text: str) -> bool:
    return any(map(str.isalpha, text)) and text.lower() not in ("nan", "none", "inf", "-inf", "na", "null")


def _is_percentage(value: Any) -> bool:
    return isinstance(value, str) and value.rstrip().endswith(_PER_CENT)


def _number(text: str) -> float:
    """Return the number in a text; NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return np.nan


def _share(text: str, *, scaled: bool) -> float:
    """Return a text as a number in [0, 1], or NaN. With `scaled`, a number of 2 or more is a percentage.

    A number between 1 and 2 is refused: 1.2 is rather a probability out of range than 1.2%.
    """
    per_cent = text.endswith(_PER_CENT)
    number = _number(text.rstrip("".join(_PER_CENT)).replace(",", "."))
    number = number / 100 if per_cent or (scaled and number >= 2) else number
    return number if 0 <= number <= 1 else np.nan


def _spelled(grade: Any) -> str:
    return plain(grade).strip().casefold()
