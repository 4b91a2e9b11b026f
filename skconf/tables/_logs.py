"""Logs of evaluations of language models as tables: grade and confidence of each answer, and which answers abstain."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import listed, option, shorten, suggest
from skconf._core.problems import DataError, located
from skconf._core.usual_names import CONFIDENCES, CONFIDENCES_OR_POSITIVES, CORRECTNESS, spelled
from skconf.tables._bytes import opened
from skconf.tables._entries import says_yes
from skconf.tables._inspect import InspectLog
from skconf.tables._json_lines import tell_broken
from skconf.tables._json_rows import JsonRows
from skconf.tables._lm_eval import LmEvalLog, is_sample
from skconf.tables._log_samples import ANSWERED, Choices, Log, Sample, parsed
from skconf.tables._paths import COMPRESSED, holds_json_lines, shown
from skconf.tables._unreadable import readable

#: Columns that are used as confidences if none is named.
_CONFIDENCES = ("score.confidence", "metadata.confidence", "confidence")
#: Column that says where the model abstains, if none is named.
_ABSTAINED = "abstained"
#: Names of columns of numbers that are no grades. A score may be a grade.
_ARE_CONFIDENCES = (CONFIDENCES | CONFIDENCES_OR_POSITIVES) - {"score", "scores"}
#: What to do if nothing in JSON lines grades the answers.
_HOW_TO_GRADE = (
    "Write 1 or true for each right answer, and 0 or false for each wrong one. Or give a number to each word: "
    "ConfidenceReport.from_files(FILE, correct=COLUMN, grades={WORD: NUMBER, ...})."
)
#: The number of lines that decide which tool wrote a file.
_FIRST = 5
#: States of samples that are neither answers nor abstain.
NOT_GRADED = ("unscored", "failed")


def read_log(
    path: str | PathLike[str],
    *,
    correct: str | None = None,
    confidence: str | None = None,
    abstained: str | Literal[False] | None = None,
) -> pd.DataFrame:
    r"""Read a log of lm-evaluation-harness or Inspect: correctness and confidence of each answer, and abstentions.

    Parameters
    ----------
    path : path
        One of three kinds of files: a file ``samples_TASK_TIME.jsonl`` of lm-evaluation-harness, as version 0.4.13
        writes it; a log of Inspect, ``.json`` or ``.eval``; or JSON lines of any other tool, with an object for each
        answer. Files other than ``.eval`` may be compressed. Before Python 3.14, a log ``.eval`` needs pyarrow or
        ``pip install zstandard``.
    correct : str, default=None
        The grades of the answers. For lm-evaluation-harness: a metric and a filter, ``"exact_match,strict-match"``, or
        only the metric if there is one filter. For Inspect: a scorer, such as ``"choice"``, or one value of a scorer
        with several values, as ``"SCORER,NAME"``. For JSON lines of other tools: a column of true and false, or of
        numbers from 0 to 1, such as ``"correct"``; a value within an object is named ``"OUTER.INNER"``. If there is
        only one kind of grades, None selects it. In JSON lines of other tools, None considers only columns with a usual
        name, such as ``correct``.
    confidence : str, default=None
        Column of the returned table that holds the confidences, such as ``"metadata.confidence"``. For multiple choice
        of lm-evaluation-harness, None means the probability of the graded choice, from the softmax of the
        log-likelihoods. For Inspect, None means the column ``score.confidence``, or else ``metadata.confidence``. For
        JSON lines of other tools, it means the column ``confidence``. If there is no such column, there are no
        confidences.
    abstained : str or False, default=None
        Column of the returned table that is true where the model abstains, or a column of answers that are blank there.
        None means the rules in Notes. False means that the model never abstains.

    Returns
    -------
    DataFrame
        A row for each answer, with the following columns.

        - ``id``, ``epoch`` : the question, and which repetition of the question it is, counted from 1.
        - ``correct`` : the grade in [0, 1], as the tool counts it; NaN if there is no grade.
        - ``confidence`` : confidence in the answer; NaN if the log has no confidence.
        - ``abstained`` : whether the model abstains.
        - ``state`` : "answered" if the model answers. If it abstains, the reason: "graded N", "content filter",
          "said so", "blank" or "[invalid]". If there is no grade, "failed" if the model failed, and else "unscored".
        - ``y_pred`` : the answer. For multiple choice by log-likelihoods, the number of the graded choice, from 0.
        - ``proba_0``, ``proba_1``, … : for multiple choice by log-likelihoods, the softmax of these log-likelihoods.
          There are no such columns if `read_log` cannot find which choices the metric graded (see Notes).
        - ``doc.NAME`` (lm-evaluation-harness), ``metadata.NAME`` and ``score.NAME`` (Inspect), other columns of JSON
          lines : further text and numbers that the log has for the question. In Inspect, ``metadata.NAME`` is in the
          metadata of the sample, and ``score.NAME`` in the metadata of its score.

        If `correct` or `confidence` is None, the sentences in the list ``attrs["read_as"]`` say which grades and
        confidences were used.

    Raises
    ------
    DataError
        A ValueError. If the file is not of one of the three kinds, or has no graded sample. If there are several
        metrics, filters or scorers (the message lists them). If a column is missing, or grades are not in [0, 1]. If
        the output type of the log is ``loglikelihood``, because ``acc`` then does not say whether an answer is right,
        but whether the model would write a given text.
    ImportError
        If nothing is installed that can decompress an ``.eval`` log.

    Warns
    -----
    UserWarning
        If lines or samples cannot be read. They are left out; the warning says how many there are, and names the first.
        If `read_log` cannot find which choices a metric graded. The table then has no confidences from log-likelihoods.

    See Also
    --------
    skconf.ConfidenceProfile.from_correctness : Takes the columns, to compute metrics.
    skconf.ConfidenceReport.from_files : Reads such logs directly.

    Notes
    -----
    The model abstains if the grade of its answer is 0 and one of these conditions holds.

    - Inspect graded the answer N (no answer), or a content filter stopped the model.
    - The whole answer is in a fixed list of texts, such as "I don't know" or "Not sure.". A longer answer that contains
      such a text does not abstain.
    - The answer is blank. If an answer has no letter, Inspect's ``choice()`` records a blank answer, and grades it
      I (incorrect).
    - The answer is ``[invalid]``, which filters of lm-evaluation-harness write if they find no answer.

    If you name a column with `abstained`, only this column says where the model abstains. In JSON lines of
    tools other than Inspect and lm-evaluation-harness, a column ``abstained`` is used even if you do not name it.

    In ``correct``, Inspect's letter grades are numbers: C (correct) is 1, P (partial) is 0.5, I (incorrect) and N (no
    answer) are 0. The metrics of lm-evaluation-harness grade different choices: ``acc`` grades the choice with the
    largest log-likelihood, ``acc_norm`` the choice with the largest log-likelihood per character, and ``acc_bytes`` the
    choice with the largest log-likelihood per byte. The confidence belongs to the choice that the metric grades. The
    log does not name this choice, so `read_log` computes it by the rule of the metric. It uses the computed choices
    only if they are right exactly in the rows in which the metric is 1. The metric ``brier_score`` is never read,
    because these logs hold it as an array written as text.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skconf import read_log
    >>> likely = {"filter": "none", "metrics": ["acc"], "arguments": {}}
    >>> lines = [
    ...     {"doc_id": 0, "target": "1", "filtered_resps": [["-2.0", "False"], ["-0.5", "True"]], "acc": 1.0},
    ...     {"doc_id": 1, "target": "1", "filtered_resps": [["-0.7", "True"], ["-0.9", "False"]], "acc": 0.0},
    ... ]
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "samples_quiz.jsonl")
    ...     _ = file.write_text("\n".join(json.dumps({**likely, **line}) for line in lines))
    ...     log = read_log(file)
    >>> log[["id", "correct", "confidence", "abstained", "y_pred"]].round(3)
       id  correct  confidence  abstained  y_pred
    0   0      1.0       0.818      False       1
    1   1      0.0       0.550      False       0
    >>> log.attrs["read_as"]
    ['read acc,none as the correctness of the answers', 'took the softmax of log-likelihoods as the confidence']
    """
    file = Path(path)
    with located(shown(file)), _without_collector():
        log = _read(file)
        tell_broken(log.broken, file, "sample")
        grade, said = _choose(log, correct)
        return _table(log, grade, said, confidence, abstained)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the garbage collector: a log has no cycles, and the search for them makes reading a quarter slower."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def is_log(path: Path) -> bool:
    """Return whether a file is such a log, by its name and its first lines."""
    if path.suffix == ".eval" or _is_whole_json(path):
        return True
    return holds_json_lines(path) and _has_samples(path)


def _has_samples(path: Path) -> bool:
    """Return whether one of the first lines is a sample of lm-evaluation-harness."""
    with readable(path), opened(path) as file:
        lines = islice(filter(bytes.strip, file), _FIRST)
        return any(is_sample(parsed(line.removeprefix(b"\xef\xbb\xbf"))) for line in lines)


def _is_whole_json(path: Path) -> bool:
    suffixes = path.suffixes[:-1] if path.suffix in COMPRESSED else path.suffixes
    return suffixes[-1:] == [".json"]


def _read(file: Path) -> Log:
    if file.suffix == ".eval":
        with readable(file):
            return InspectLog.of_archive(file)
    with readable(file), opened(file) as data:
        if _is_whole_json(file):
            return InspectLog.of_text(data.read())
        return LmEvalLog(data) if _has_samples(file) else JsonRows(data)


def _choose(log: Log, correct: str | None) -> tuple[str, list[str]]:
    """Return the name of the grades, and a sentence about it if the user did not name it."""
    names = list(log.grades)
    if correct is None and isinstance(log, JsonRows):  # other numbers may mean anything
        names = [name for name in names if spelled(name) in CORRECTNESS]
    if correct is None and len(names) == 1:
        return names[0], [f"read {names[0]} as the correctness of the answers"]
    refused = [name for name in log.refused if correct in (name, name.partition(",")[0])]
    advice = _HOW_TO_GRADE if isinstance(log, JsonRows) else ""
    if refused and not any(correct in (name, name.partition(",")[0]) for name in names):
        raise DataError(f"{refused[0]} {log.refused[refused[0]]}.", kind="no grade", column=correct, advice=advice)
    if isinstance(log, JsonRows):
        named = next((name for name in log.refused if spelled(name) in CORRECTNESS), None)
        if not names and named is not None:
            raise DataError(f"{named} {log.refused[named]}.", kind="no grade", column=named, advice=advice)
        maybe = [name for name in log.grades if spelled(name.rpartition(".")[2]) not in _ARE_CONFIDENCES]
        if not names and maybe:
            raise DataError(
                "no column has a name that is usual for grades, such as 'correct'. Numbers from 0 to 1 are in "
                f"{shorten(maybe)}.",
                kind="no grade",
                advice=f"Name the column that grades the answers, such as {option('correct', maybe[0])}.",
            )
    if not names:
        why = "; ".join(f"{name} {reason}" for name, reason in log.refused.items())
        raise DataError(
            f"nothing in this log grades answers with numbers from 0 to 1{f': {why}' if why else ''}.",
            kind="no grade",
            advice=advice or "Grade the answers, and log the samples again.",
        )
    meant = [name for name in names if correct in (None, name, name.partition(",")[0])]
    if len(meant) == 1:
        return meant[0], []
    if meant:
        raise DataError(
            f"several values grade the answers: {shorten(meant)}.",
            kind="several readings",
            advice=f"Choose one of them, such as {option('correct', meant[0])}.",
        )
    raise DataError(
        f"{correct!r} does not grade the answers.{suggest(str(correct), names)} These values do: {shorten(names)}.",
        kind="no grade",
        column=correct,
        advice=f"Choose one of these with {option('correct')}.",
    )


def _table(
    log: Log, grade: str, said: list[str], confidence: str | None, abstained: str | Literal[False] | None
) -> pd.DataFrame:
    samples, choices = log.samples(grade), log.choices(grade)
    answers: Any = [sample.answer for sample in samples] if choices is None else choices.choice
    more = {name: pd.Series(values) for name, values in _columns(log, samples).items()}
    states = _states(samples, grade, abstained, {"y_pred": pd.Series(answers), **more})
    sure, words = _confidences(confidence, more, choices, len(samples))
    columns = {
        "id": [sample.id for sample in samples],
        "epoch": np.array([sample.epoch for sample in samples], dtype=np.int64),
        "correct": np.array([sample.grade for sample in samples]),
        "confidence": sure,
        "abstained": ~np.isin(states, (ANSWERED, *NOT_GRADED)),
        "state": states,
        "y_pred": answers,
    }
    if choices is not None:
        columns |= {f"proba_{k}": column for k, column in enumerate(choices.proba.T)}
    table = pd.DataFrame(columns | {name: column for name, column in more.items() if name not in columns})
    table.attrs["read_as"] = [*said, *words]
    return table


def _columns(log: Log, samples: Sequence[Sample]) -> dict[str, list[Any]]:
    """Return what a log says about its questions, a list for each column. A row without a value has None."""
    if isinstance(log, JsonRows):
        return log.columns
    rows = [sample.columns for sample in samples]
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(chain.from_iterable(rows))}


def _states(
    samples: Sequence[Sample],
    grade: str,
    abstained: str | Literal[False] | None,
    columns: "Mapping[str, pd.Series[Any]]",
) -> NDArray[Any]:
    """Return the state of each sample. A column may say where the model abstains; False means that it never does."""
    states = np.array([sample.state for sample in samples], dtype=object)
    graded = ~np.isin(states, NOT_GRADED)
    if not graded.any():
        without = [f"{np.count_nonzero(states == state):,} {state}" for state in NOT_GRADED]
        raise DataError(
            f"none of its {len(states):,} samples has a grade: {listed(without)}.",
            kind="no grade",
            column=grade,
            advice="Grade the answers, and log the samples again.",
        )
    if abstained is None and _ABSTAINED in columns:
        abstained = _ABSTAINED
    if abstained is False:
        states[graded] = ANSWERED
    elif abstained is not None:
        says = says_yes(_named(abstained, columns, "abstained"), abstained, of_answers=abstained == "y_pred")
        states[graded] = np.where(says[graded], "said so", ANSWERED)
    return states


def _confidences(
    name: str | None, columns: "Mapping[str, pd.Series[Any]]", choices: Choices | None, n_samples: int
) -> tuple[Any, list[str]]:
    """Return the confidences in the column of this name, or else those of the log, with a sentence about them."""
    if name is not None:
        return _numbers(_named(name, columns, "confidence")), []
    if choices is not None:
        return choices.confidence, ["took the softmax of log-likelihoods as the confidence"]
    for usual in _CONFIDENCES:
        if usual in columns:
            return _numbers(columns[usual]), [f"read column {usual!r} as the confidence"]
    return np.full(n_samples, np.nan), []


def _named(name: str, columns: "Mapping[str, pd.Series[Any]]", role: str) -> "pd.Series[Any]":
    if name not in columns:
        raise DataError(
            f"there is no column {name!r}.{suggest(name, columns)} The columns of this log are "
            f"{shorten(list(columns))}.",
            kind="no column",
            column=name,
            advice=f"Name one of them with {option(role)}.",
        )
    return columns[name]


def _numbers(values: "pd.Series[Any]") -> Any:
    """Return a column as numbers; a column with words, which are grades, is returned unchanged."""
    numbers = pd.to_numeric(values, errors="coerce")
    return numbers.astype(np.float64) if (numbers.isna() == values.isna()).all() else values
