"""Files of graded answers: which was right, and how sure the system was."""

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

#: Columns that say which question a row is about, beside those of ids; questions as texts come last.
_QUESTIONS = ("question_id", "qid", "question_number", "question")
#: Words for a right answer that need not be named.
_RIGHT = frozenset({"correct", "right", "true", "yes", "1"})
#: More distinct words than these are no grades.
_MOST_WORDS = 50
#: What names of logs of Inspect end in; those of lm-evaluation-harness are JSON lines.
_LOGS = (".json", ".eval")
#: Fewer answers have no interval.
_FEWEST = 2
#: Probabilities in single precision may exceed 1 by as much.
_ROUNDING = 5e-7


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """The answers of a system to the questions of a task, with a confidence by one method.

    Attributes
    ----------
    name : str
        The file, below the folder of all tasks.
    task, system, method : str
        By the file's place and name.
    confidence : ndarray of shape (n_questions,)
        NaN where there is none.
    grades : dict of str to ndarray of shape (n_questions,)
        By grader, 1 where an answer is right and 0 where it is wrong, NaN where it has no grade. "" is the only one.
    questions : ndarray of shape (n_questions,) or None
        What each row is about.
    words : mapping of str to Series
        By grader, the words of its grades, "" where there is none. Not all of them may be grades.
    wrong : mapping of str to Counter
        How often each grader gave each word that means wrong, where grades are words.
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
    """Return the name of a system with one of its methods, if it is named."""
    return f"{system}, {method}" if method else system


def read_answers(
    folder: Path, right: str | None = None, correct: str | None = None
) -> tuple[list[AnswerFile], dict[str, str]]:
    """Return the files of answers of a folder, and why others cannot be read; logs by what grades answers in them.

    Raises
    ------
    FileNotFoundError
        If there is no file of a table.
    ValueError
        If none can be read, or the word for a right answer is not known.
    """
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
        raise ValueError(f"None of {len(paths)} files in {folder} can be read: {next(iter(left_out.values()))}")
    word = _word_of_right(read, right)
    kept = []
    for file in (_graded(file, word, named=right is not None) for file in read):
        if not file.grades:
            left_out[file.name] = f"no grade in it is {word!r}, the word for a right answer."
        elif any(file.rows(grader).sum() < _FEWEST for grader in file.grades):
            left_out[file.name] = "it has fewer than two answers with both a confidence and a grade."
        else:
            kept.append(file)
    if not kept:
        raise ValueError(f"None of {len(paths)} files in {folder} can be evaluated: {next(iter(left_out.values()))}")
    return kept, left_out


def list_files(folder: Path) -> list[Path]:
    """Return the tables TASK/SYSTEM.METHOD.csv in a folder, those of one task in it, and logs of language models."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    paths = (*sorted(folder.glob("*")), *sorted(folder.glob("*/*")))
    tables = [path for path in paths if path.is_file() and (names_table(path.name) or path.suffix in _LOGS)]
    if not tables:
        raise FileNotFoundError(f"{folder} holds no file TASK/SYSTEM.METHOD.csv.")
    return tables


def _names(path: Path) -> tuple[str, str, str, str]:
    """Return what a file is called below the folder of all tasks, and its task, system and method."""
    name, task = stem(path.stem if path.suffix in _LOGS else path.name), path.resolve().parent.name
    system, dot, method = name.rpartition(".")
    return f"{task}/{path.name}", task, *((system, method) if dot else (name, ""))


def _read(path: Path) -> AnswerFile:
    """Return the answers of a file, with the grades that are numbers, and with the words of the others."""
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
    """Return the answers of a log; those that abstain have no confidence."""
    log = read_log(path, correct=correct)
    log = log[~log["state"].isin(NOT_GRADED)]
    if log["id"].duplicated().any():
        raise ValueError(
            "its questions repeat, and intervals here are for one answer to each: skconf evaluate has both."
        )
    if not log["correct"].isin((0, 1)).all():
        raise ValueError("it grades some answers as right in part: skconf evaluate takes such grades.")
    grades = {"": log["correct"].to_numpy(dtype=np.float64)}
    confidence = _confidences(log["confidence"].where(~log["abstained"]))
    return AnswerFile(*_names(path), confidence, grades, _texts(log["id"]).to_numpy(), {})


def _kind_of_grades(column: str) -> tuple[str, str] | None:
    """Return whether a column holds "correct" or "grade", and whose, "" for the only grader; None of another column."""
    if column in CORRECTNESS:
        return "correct", ""
    kind, _, grader = column.partition("_")
    return (kind, grader) if column == "grade" or (grader and kind in ("correct", "grade")) else None


def _texts(column: "pd.Series[Any]") -> "pd.Series[str]":
    """Return entries as texts without spaces around them, "" where one is missing."""
    return column.map(plain, na_action="ignore").fillna("").astype(str).str.strip()


def _zeros_and_ones(column: "pd.Series[Any]", name: str, *, needed: bool) -> Floats | None:
    """Return 1 for right, 0 for wrong and NaN for an empty entry; for others None, or an error if they are needed."""
    texts = _texts(column)
    numbers = texts.map({"1": 1.0, "0": 0.0}).to_numpy(dtype=np.float64)
    other = np.isnan(numbers) & (texts != "").to_numpy()
    if not other.any():
        return numbers
    if needed:
        row = int(np.argmax(other))
        raise ValueError(
            f"column {name!r} has {texts.iloc[row]!r} in row {row}, where 1 or 0 (right or wrong) is needed. "
            "Grades in words stand in a column grade."
        )
    return None


def _confidences(column: "pd.Series[Any]") -> Floats:
    """Return confidences as numbers, NaN for what is no number; "95%" is 0.95."""
    texts = _texts(column)
    in_percent = texts.str.endswith("%").to_numpy(dtype=bool)
    numbers = np.asarray(as_numbers(texts.str.removesuffix("%").str.strip()), dtype=np.float64)
    numbers[in_percent] /= 100
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise ValueError(f"the confidence in row {row} is {numbers[row]}; it must be finite, or missing.")
    if np.isnan(numbers).all():
        raise ValueError(f"no confidence is a number; the first is {texts.iloc[0]!r}.")
    return numbers


def _word_of_right(files: Sequence[AnswerFile], right: str | None) -> str:
    """Return the word for a right answer, as `_bare` writes it."""
    seen = {_bare(word): word for file in files for words in file.words.values() for word in _grades(words)}
    if right is not None:
        if seen and _bare(right) not in seen:
            raise ValueError(
                f"right={right!r} is no grade in these files.{suggest(right, seen.values())} Grades are "
                f"{shorten(sorted(seen.values()))}."
            )
        return _bare(right)
    usual = sorted(_RIGHT & set(seen))
    if seen and len(usual) != 1:
        which = f"{shorten(usual)} both may mean" if usual else "no grade is known to mean"
        raise ValueError(
            f"{which} a right answer. Name it by right (--right). Grades: {shorten(sorted(seen.values()))}."
        )
    return usual[0] if usual else ""


def _bare(word: str) -> str:
    """Return a word in small letters, without points around it: "Yes." is "yes"."""
    return word.strip(" .!\"'").lower()


def _grades(words: "pd.Series[str]") -> list[str]:
    """Return the distinct words of a column; none if there are too many to be grades."""
    distinct = [word for word in words.unique().tolist() if word]
    return distinct if len(distinct) <= _MOST_WORDS else []


def _graded(file: AnswerFile, right: str, *, named: bool) -> AnswerFile:
    """Return the answers with all that is not called right as wrong. Words count before numbers if one is named."""
    grades, wrong = dict(file.grades), {}
    for grader, words in file.words.items():
        is_right = words.map(_bare) == right
        if (grader in grades and not named) or (grader and not is_right.any()):
            continue  # a column grade is read in any case: all of its answers may be wrong
        grades[grader] = np.where(words == "", np.nan, is_right)
        wrong[grader] = Counter(words[~is_right & (words != "")])
    return replace(file, grades=grades, wrong=wrong)
