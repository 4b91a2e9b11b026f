"""Answers to the same questions, compared: of systems, of methods and by graders."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.warn import collected
from skconf.experiments._answers.files import AnswerFile
from skconf.experiments._answers.scores import METRICS, Scored
from skconf.inference import compare
from skconf.inference._p_values import holm

#: What judges answers and confidences together, or answers alone: the rest compares systems only where these are right
#: and wrong on the same questions.
_OF_ANSWERS = ("error_rate", "aurc", "ecuas_0", "ecuas_1", "ecuas_128")
_KEY = ["task", "system", "method", "grader", "scores", "quantity"]
_OF_PAIR = ["first_value", "second_value", "difference", "low", "high", "p_value", "p_adjusted", "n", "differ"]


def compared(read: Sequence[Scored], shared: dict[str, Any]) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """Return the differences of pairs of one system or one method, and why others cannot be compared."""
    tables, unmatched = [], {}
    for a, b in combinations(read, 2):
        one, other = a.file, b.file
        if (
            one.task != other.task
            or a.grader != b.grader
            or (one.system != other.system and one.method != other.method)
        ):
            continue
        places = _same_questions(one, other)
        if isinstance(places, str):
            unmatched[f"{one.task}: {one.label} and {other.label}"] = places
            continue
        both = a.rows[places[0]] & b.rows[places[1]]
        rows = places[0][both], places[1][both]
        if len(rows[0]) < 2:
            unmatched[f"{one.task}: {one.label} and {other.label}"] = "they share fewer than two answered questions"
            continue
        tables += [table.assign(task=one.task, grader=a.grader) for table in _pair(a, b, rows, shared)]
    return tables, unmatched


def _same_questions(one: AnswerFile, other: AnswerFile) -> tuple[NDArray[np.intp], NDArray[np.intp]] | str:
    """Return the rows of two files that are about the same questions, or why these are not known."""
    mine, theirs = one.questions, other.questions
    if mine is None or theirs is None:
        if mine is not theirs:
            return "only one of them says which question a row is about"
        if len(one.confidence) != len(other.confidence):
            return f"they have {len(one.confidence):,} and {len(other.confidence):,} rows, and no column of questions"
        rows = np.arange(len(one.confidence))
        return rows, rows
    if np.array_equal(mine, theirs):
        return np.arange(len(mine)), np.arange(len(mine))
    for file, names in ((one, pd.Index(mine)), (other, pd.Index(theirs))):
        if names.has_duplicates:
            return f"{file.label} has several rows for question {names[names.duplicated()][0]!r}"
    places = pd.Index(theirs).get_indexer(pd.Index(mine))
    return np.flatnonzero(places >= 0), places[places >= 0]


def _pair(
    a: Scored, b: Scored, rows: tuple[NDArray[Any], NDArray[Any]], shared: dict[str, Any]
) -> Iterator[pd.DataFrame]:
    """Yield the differences of two files on the same questions."""
    differ = int((a.correct[rows[0]] != b.correct[rows[1]]).sum())
    asked = [name for name in METRICS if (name in _OF_ANSWERS if differ else name != "error_rate")]
    raw = set(a.quantities("raw")) & set(b.quantities("raw"))
    for scores in ("raw", "calibrated"):
        metrics = {name: METRICS[name] for name in asked if (name in raw) == (scores == "raw")}
        profiles = {
            each.file.label: each.profile(scores, at)
            for each, at in zip((a, b), rows, strict=True)
            if not np.isnan(each.scores[scores][at]).any()
        }
        if metrics and len(profiles) == 2:
            with collected():  # values that are not defined are said with the figures
                table = compare(metrics, profiles, **shared)
            yield _rows_of(table).assign(scores=scores, n=len(rows[0]), differ=differ)


def by_graders(read: Sequence[Scored], shared: dict[str, Any]) -> Iterator[pd.DataFrame]:
    """Yield the differences that the grader makes, of the same answers and confidences."""
    for a, b in combinations(read, 2):
        if a.file is not b.file:
            continue
        rows = np.flatnonzero(a.rows & b.rows)
        if len(rows) < 2:
            continue
        metrics = {name: METRICS[name] for name in a.quantities("raw")}
        with collected():
            table = compare(metrics, {each.grader: each.profile("raw", rows) for each in (a, b)}, **shared)
        differ = int((a.correct[rows] != b.correct[rows]).sum())
        key = {"task": a.file.task, "system": a.file.system, "method": a.file.method, "scores": "raw"}
        yield _rows_of(table).assign(**key, n=len(rows), differ=differ)


def _rows_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison with a column for each part of its index."""
    return table.drop(columns="method").rename_axis(["quantity", "first", "second"]).reset_index()


def adjusted(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return differences as one table, with p-values that are adjusted over each task."""
    if not tables:
        return pd.DataFrame(columns=["task", "quantity", "first", "second", *_OF_PAIR])
    table = pd.concat(tables, ignore_index=True)
    table["p_adjusted"] = table.groupby("task")["p_value"].transform(holm)
    key = [name for name in _KEY if name in table]
    return table[[*key, "first", "second", *_OF_PAIR]]
