"""Files of graded answers: which answers were right, and the confidences of the system."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.columns import plain
from skconf._core.messages import shorten, suggest
from skconf._core.probabilities import Floats
from skconf._core.usual_names import CORRECTNESS, IDS, spelled
from skconf.tables._entries import as_numbers, as_series
from skconf.tables._files import open_table
from skconf.tables._logs import NOT_GRADED, is_log, read_log
from skconf.tables._paths import names_table, stem

#: Further columns that say which question a row is about, after columns of ids. Questions as texts come last.
_QUESTIONS = ("question_id", "qid", "question_number", "question")
#: Words for a right answer that the user need not name.
_RIGHT = frozenset({"correct", "right", "true", "yes", "1"})
#: A column with more distinct words holds no grades.
_MOST_WORDS = 50
#: The endings of logs of Inspect. Logs of lm-evaluation-harness are JSON lines.
_LOGS = (".json", ".eval")
#: With fewer answers, there is no interval.
_FEWEST = 2
#: Probabilities in single precision may exceed 1 by this much.
_ROUNDING = 5e-7


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """The answers of a system to the questions of a task, with a confidence by one method.

    Attributes
    ----------
    name : str
        The path of the file below the folder of all tasks.
    task, system, method : str
        Names from the path of the file.
    confidence : ndarray of shape (n_questions,)
        The confidences; NaN if there is none.
    grades : dict of str to ndarray of shape (n_questions,)
        For each grader: 1 for a right answer, 0 for a wrong one, NaN without a grade. A grader without a name is "".
    questions : ndarray of shape (n_questions,) or None
        The question of each row.
    words : mapping of str to Series
        For each grader, the entries of its column as texts; "" if an entry is missing. The texts of a column are
        not always grades.
    wrong : mapping of str to Counter
        For each grader whose grades are words, the words that mean wrong, and how often each of them occurs.
    """

    name: str
    task: str
    system: str
    method: str
    confidence: Floats
    grades: Mapping[str, Floats]
    questions: NDArray[Any] | None
    words: "Mapping[str, pd.Series[str]]"
    wrong: Mapping[str, Counter[str]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name of the system and method."""
        return label_of(self.system, self.method)

    @property
    def is_probability(self) -> bool:
        """Whether confidences may be probabilities."""
        known = self.confidence[~np.isnan(self.confidence)]
        return bool(((known >= -_ROUNDING) & (known <= 1 + _ROUNDING)).all())

    def rows(self, grader: str) -> NDArray[np.bool_]:
        """Return which rows have both a confidence and a grade."""
        return ~(np.isnan(self.confidence) | np.isnan(self.grades[grader]))


def label_of(system: str, method: str) -> str:
    """Return the name of a system, followed by the name of the method if there is one."""
    return f"{system}, {method}" if method else system


def read_answers(
    folder: Path, right: str | None = None, correct: str | None = None
) -> tuple[list[AnswerFile], dict[str, str]]:
    """Return the answers of the files in a folder, and why some are left out; `correct` names the grades of logs."""
    read: list[AnswerFile] = []
    left_out: dict[str, str] = {}
    paths = list_files(folder)
    for path in paths:
        name, *system = _names(path)
        try:
            if any([file.task, file.system, file.method] == system for file in read):
                raise ValueError("there is another file of this system and method.")
            read.append(_of_log(path, correct) if is_log(path) else _read(path))
        except (ValueError, OSError) as error:
            left_out[name] = str(error)
    if not read:
        name, why = next(iter(left_out.items()))
        why = why if name in why else f"{name}: {why}"
        raise ValueError(f"None of {len(paths)} files in {folder} can be read. The first is {why}")
    word = _word_of_right(read, right)
    kept = []
    for file in (_graded(file, word, named=right is not None) for file in read):
        if not file.grades:
            left_out[file.name] = f"no answer has the grade {word!r}, which means a right answer."
        elif any(file.rows(grader).sum() < _FEWEST for grader in file.grades):
            left_out[file.name] = "it has fewer than two answers with both a confidence and a grade."
        else:
            kept.append(file)
    if not kept:
        raise ValueError(f"None of {len(paths)} files in {folder} can be evaluated: {next(iter(left_out.values()))}")
    return kept, left_out


def list_files(folder: Path) -> list[Path]:
    """Return the tables and logs in a folder of tasks (TASK/SYSTEM.METHOD.csv), or in the folder of one task."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    paths = (*sorted(folder.glob("*")), *sorted(folder.glob("*/*")))
    tables = [path for path in paths if path.is_file() and (names_table(path.name) or path.suffix in _LOGS)]
    if not tables:
        raise FileNotFoundError(f"{folder} has no file TASK/SYSTEM.METHOD.csv.")
    return tables


def _names(path: Path) -> tuple[str, str, str, str]:
    """Return four names from the path of a file: TASK/FILE, its task, its system and its method."""
    name, task = stem(path.stem if path.suffix in _LOGS else path.name), path.resolve().parent.name
    system, dot, method = name.rpartition(".")
    return f"{task}/{path.name}", task, *((system, method) if dot else (name, ""))


def _read(path: Path) -> AnswerFile:
    """Return the answers of a file. Grades that are words are kept as words."""
    file = open_table(path)
    by_name = {spelled(name): name for name in reversed(file.names)}
    confidence = by_name.get("confidence")
    graded = {name: grading for name in file.names if (grading := _kind_of_grades(spelled(name)))}
    if confidence is None or not graded:
        lacking = "confidence" if confidence is None else "correct (1 or 0) or grade (a word)"
        raise ValueError(f"there is no column {lacking}. The columns are {shorten(file.names)}.")
    question = [by_name[key] for key in (*sorted(IDS), *_QUESTIONS) if key in by_name][:1]
    table = next(file.batches(list(dict.fromkeys([confidence, *graded, *question])), None), None)
    if table is None or not len(table):
        raise ValueError("there are no rows.")
    column = {name: as_series(table[name]) for name in (confidence, *graded, *question)}
    numbers: dict[str, Floats] = {}
    words: dict[str, pd.Series[str]] = {}
    for name, (kind, grader) in graded.items():
        if kind == "grade":
            words[grader] = _texts(column[name])
        elif (grades := _zeros_and_ones(column[name], name, needed=not grader)) is not None:
            numbers[grader] = grades
    questions = next((_texts(column[name]).to_numpy() for name in question), None)
    return AnswerFile(*_names(path), _confidences(column[confidence]), numbers, questions, words)


def _of_log(path: Path, correct: str | None) -> AnswerFile:
    """Return the answers of a log. If the system abstains, the confidence is missing."""
    log = read_log(path, correct=correct)
    log = log[~log["state"].isin(NOT_GRADED)]
    if log["id"].duplicated().any():
        raise ValueError(
            "its questions repeat, but this experiment needs one answer to each question. Use skconf evaluate for this "
            "log."
        )
    if not log["correct"].isin((0, 1)).all():
        raise ValueError("some grades are between 0 and 1. Use skconf evaluate for this log.")
    grades = {"": log["correct"].to_numpy(dtype=np.float64)}
    confidence = _confidences(log["confidence"].where(~log["abstained"]))
    return AnswerFile(*_names(path), confidence, grades, _texts(log["id"]).to_numpy(), {})


def _kind_of_grades(column: str) -> tuple[str, str] | None:
    """Return the kind ("correct" or "grade") and the grader of a column of grades; None for other columns.

    If the name of the column does not name a grader, the grader is "".
    """
    if column in CORRECTNESS:
        return "correct", ""
    kind, _, grader = column.partition("_")
    return (kind, grader) if column == "grade" or (grader and kind in ("correct", "grade")) else None


def _texts(column: "pd.Series[Any]") -> "pd.Series[str]":
    """Return entries as texts without spaces around them. A missing entry becomes an empty text."""
    return column.map(plain, na_action="ignore").fillna("").astype(str).str.strip()


def _zeros_and_ones(column: "pd.Series[Any]", name: str, *, needed: bool) -> Floats | None:
    """Return the numbers of a column that has only 1, 0 and empty entries, which become NaN.

    For any other column, return None, or raise if it is `needed`.
    """
    texts = _texts(column)
    numbers = texts.map({"1": 1.0, "0": 0.0}).to_numpy(dtype=np.float64)
    other = np.isnan(numbers) & (texts != "").to_numpy()
    if not other.any():
        return numbers
    if needed:
        row = int(np.argmax(other))
        raise ValueError(
            f"column {name!r} has {texts.iloc[row]!r} in row {row}, where 1 or 0 (right or wrong) is needed. "
            "Write grades that are words into a column named grade."
        )
    return None


def _confidences(column: "pd.Series[Any]") -> Floats:
    """Return confidences as numbers, NaN for entries that are not numbers; "95%" is 0.95."""
    texts = _texts(column)
    in_percent = texts.str.endswith("%").to_numpy(dtype=bool)
    numbers = np.asarray(as_numbers(texts.str.removesuffix("%").str.strip()), dtype=np.float64)
    numbers[in_percent] /= 100
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise ValueError(f"the confidence in row {row} is {numbers[row]}, but it must be finite or missing.")
    if np.isnan(numbers).all():
        raise ValueError(f"none of the confidences is a number. The first one is {texts.iloc[0]!r}.")
    return numbers


def _word_of_right(files: Sequence[AnswerFile], right: str | None) -> str:
    """Return the word that means a right answer, in the spelling of `_bare`; an empty text if no grades are words."""
    seen = {_bare(word): word for file in files for words in file.words.values() for word in _grades(words)}
    if right is not None:
        if seen and _bare(right) not in seen:
            raise ValueError(
                f"right={right!r} is not a grade in these files.{suggest(right, seen.values())} Grades are "
                f"{shorten(sorted(seen.values()))}."
            )
        return _bare(right)
    usual = sorted(_RIGHT & set(seen))
    if seen and len(usual) != 1:
        which = f"{shorten(usual)} may all mean" if usual else "no grade is a usual word for"
        raise ValueError(
            f"{which} a right answer. Pass the grade of a right answer as right=... (--right). Grades: "
            f"{shorten(sorted(seen.values()))}."
        )
    return usual[0] if usual else ""


def _bare(word: str) -> str:
    """Return a word in lower case, without spaces, points and quotes around it: "Yes." becomes "yes"."""
    return word.strip(" .!\"'").lower()


def _grades(words: "pd.Series[str]") -> list[str]:
    """Return the distinct words of a column; nothing if there are too many to be grades."""
    distinct = [word for word in words.unique().tolist() if word]
    return distinct if len(distinct) <= _MOST_WORDS else []


def _graded(file: AnswerFile, right: str, *, named: bool) -> AnswerFile:
    """Return the file with its words read as grades: `right` is right, and every other word is wrong.

    If a grader has both numbers and words, the numbers are used, unless the user `named` the word `right`.
    """
    grades, wrong = dict(file.grades), {}
    for grader, words in file.words.items():
        is_right = words.map(_bare) == right
        if (grader in grades and not named) or (grader and not is_right.any()):
            continue  # a column named grade is always read: all of its answers may be wrong
        grades[grader] = np.where(words == "", np.nan, is_right)
        wrong[grader] = Counter(words[~is_right & (words != "")])
    return replace(file, grades=grades, wrong=wrong)
