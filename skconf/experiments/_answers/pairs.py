"""Comparisons of answers to the same questions: by system, by method and by grader."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.warn import collected
from skconf.experiments._answers.scores import METRICS, Scored
from skconf.inference import compare
from skconf.inference._p_values import holm

#: Metrics that judge answers, or answers with confidences. Other metrics compare systems only if these are right on the
#: same questions.
_OF_ANSWERS = ("error_rate", "aurc", "ecuas_0", "ecuas_1", "ecuas_128")
#: Rows of one file, and the matching rows of another file.
_Rows: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
_KEY = ["task", "system", "method", "grader", "scores", "quantity"]
_OF_PAIR = ["first_value", "second_value", "difference", "low", "high", "p_value", "p_adjusted", "n", "differ"]


def compared(read: Sequence[Scored], shared: dict[str, Any]) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """Return the differences of pairs with the same system or method, and why some of them cannot be compared."""
    tables, unmatched = [], {}
    for a, b in combinations(read, 2):
        one, other = a.file, b.file
        alike = one.system == other.system or one.method == other.method
        if one.task != other.task or a.grader != b.grader or not alike:
            continue
        rows = _same_questions(a, b)
        if isinstance(rows, str):
            unmatched[f"{one.task}: {one.label} and {other.label}"] = rows
            continue
        tables += [table.assign(task=one.task, grader=a.grader) for table in _pair(a, b, rows, shared)]
    return tables, unmatched


def _same_questions(a: Scored, b: Scored) -> _Rows | str:
    """Return the rows in which two files answer the same questions, or why they cannot be matched."""
    one, other = a.file, b.file
    unnamed = [file for file in (one, other) if file.questions is None]
    if len(unnamed) == 1:
        return "only one of them has a column of questions"
    if unnamed and len(one.confidence) != len(other.confidence):
        return f"they have {len(one.confidence):,} and {len(other.confidence):,} rows, and no column of questions"
    first = second = np.arange(len(one.confidence))
    if not (unnamed or np.array_equal(np.asarray(one.questions), np.asarray(other.questions))):
        mine, theirs = pd.Index(one.questions), pd.Index(other.questions)
        for file, questions in ((one, mine), (other, theirs)):
            if questions.has_duplicates:
                return f"{file.label} has several rows for question {questions[questions.duplicated()][0]!r}"
        places = theirs.get_indexer(mine)
        first, second = np.flatnonzero(places >= 0), places[places >= 0]
    answered = a.rows[first] & b.rows[second]
    if answered.sum() < 2:
        return "they share fewer than two answered questions"
    return first[answered], second[answered]


def _pair(a: Scored, b: Scored, rows: _Rows, shared: dict[str, Any]) -> Iterator[pd.DataFrame]:
    """Yield the differences of two files on the same questions."""
    same = np.array_equal(a.correct[rows[0]], b.correct[rows[1]])
    asked = [name for name in METRICS if (name != "error_rate" if same else name in _OF_ANSWERS)]
    raw = set(a.quantities("raw")) & set(b.quantities("raw"))
    for scores in ("raw", "calibrated"):
        metrics = [name for name in asked if (name in raw) == (scores == "raw")]
        known = not any(np.isnan(file.scores[scores][at]).any() for file, at in zip((a, b), rows, strict=True))
        if metrics and known:
            yield _differences({a.file.label: a, b.file.label: b}, rows, scores, metrics, shared)


def by_graders(read: Sequence[Scored], shared: dict[str, Any]) -> Iterator[pd.DataFrame]:
    """Yield the differences between graders of the same answers and confidences."""
    for a, b in combinations(read, 2):
        rows = np.flatnonzero(a.rows & b.rows if a.file is b.file else [])
        if len(rows) >= 2:
            graded = {a.grader: a, b.grader: b}
            table = _differences(graded, (rows, rows), "raw", a.quantities("raw"), shared)
            yield table.assign(task=a.file.task, system=a.file.system, method=a.file.method)


def _differences(
    pair: Mapping[str, Scored], rows: _Rows, scores: str, metrics: Sequence[str], shared: dict[str, Any]
) -> pd.DataFrame:
    """Return the differences between a pair on these rows, as a table with a row for each metric."""
    profiles = {name: file.profile(scores, at) for (name, file), at in zip(pair.items(), rows, strict=True)}
    with collected():  # the table names undefined values
        table: Any = compare({name: METRICS[name] for name in metrics}, profiles, **shared)
    first, second = profiles.values()
    table = table.drop(columns="method").rename_axis(["quantity", "first", "second"]).reset_index()
    differ = int((first.correct != second.correct).sum())
    return table.assign(scores=scores, n=len(first), differ=differ)


def adjusted(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return differences as one table. The p-values of each task are adjusted together, with Holm's method."""
    if not tables:
        return pd.DataFrame(columns=["task", "quantity", "first", "second", *_OF_PAIR])
    table = pd.concat(tables, ignore_index=True)
    table["p_adjusted"] = table.groupby("task")["p_value"].transform(holm)
    key = [name for name in _KEY if name in table]
    return table[[*key, "first", "second", *_OF_PAIR]]
