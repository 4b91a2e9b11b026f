"""The ECUAS paper's evaluation of generative systems, on files of graded answers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed

from skconf._core.checks import check_confidence_level
from skconf._core.messages import short_repr
from skconf._core.progress import run_parallel
from skconf._core.warn import collected
from skconf.experiments._answers.files import AnswerFile, read_answers
from skconf.experiments._answers.pairs import adjusted, by_graders, compared
from skconf.experiments._answers.scores import METRICS, Scored
from skconf.experiments._shared.printed import bare_name, compare_with_paper, figures_of, printed_table
from skconf.inference import confidence_interval

_KEY = ["task", "system", "method", "grader", "scores"]
_HALF_DIGIT = 0.5e-3
#: AUROC of the files in bplaut/llm-calibration-and-correctness-prediction, printed in full.
_IN_FULL = 1e-9


@dataclass(frozen=True, eq=False)
class AnswersResult:
    """The results of an evaluation of graded answers.

    Attributes
    ----------
    figures : DataFrame
        A row for each `task`, `system`, `method`, `grader` ("" if the name of the column of grades has no grader),
        `scores` ("raw" or "calibrated") and `quantity`. `n` is the number of answers, and the interval is from `low` to
        `high`. The columns `ours`, `paper`, `standard_error`, `deviation` and `note` are as in
        :func:`csr_synthetic_experiment`.
    comparisons : DataFrame
        A row for each pair and quantity. `first` and `second` name the pair, and `first_value` and `second_value` are
        their values. `difference` is the first value minus the second. Its interval is from `low` to `high`, and its
        p-value is `p_value`, or `p_adjusted` after Holm's method within the task. `n` is the number of questions, and
        `differ` counts the questions that only one of the pair answers right.
    graders : DataFrame
        Like `comparisons`, but for pairs of graders of the same answers. The columns `system` and `method` replace the
        column `grader`.
    files : DataFrame
        A row for each file and grader. `answers`, `right`, `wrong`, `without_confidence` and `without_grade` are
        numbers of answers. `of_these_right` is the number of right answers among the answers without a confidence.
        `wrong_grades` holds the words that count as wrong. `smallest` and `largest` are the extreme confidences, and
        `probability` says whether confidences may be probabilities.
    left_out : dict of str to str
        Files that could not be read or evaluated, with the reason.
    unmatched : dict of str to str
        Pairs that could not be compared, with the reason.
    notices : tuple of str
        Warnings about values.
    """

    figures: pd.DataFrame
    comparisons: pd.DataFrame
    graders: pd.DataFrame
    files: pd.DataFrame
    left_out: dict[str, str]
    unmatched: dict[str, str]
    notices: tuple[str, ...]

    __repr__ = short_repr


def answers_experiment(
    folder: str | PathLike[str],
    *,
    right: str | None = None,
    correct: str | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> AnswersResult:
    r"""Evaluate answers of generative systems and their confidences, as in Tables 2, 4, 5 and 6 of the ECUAS paper.

    Parameters
    ----------
    folder : path-like
        Folder with TASK/SYSTEM.METHOD.csv (or .tsv, .parquet), or with the files of one task. Each file has a row for
        each question, with the following columns.

        - `confidence`: any number; "95%" means 0.95. If any confidence of a file is outside [0, 1], no confidence of
          this file is read as a probability. Metrics that need probabilities are then computed only after calibration.
        - `correct` (1 or 0), or `grade` (words, one of which means right). With several graders, the columns are
          `correct_NAME` or `grade_NAME`, such as `grade_llm` and `grade_human`.
        - `id` or `question`: rows of different files of a task are matched by this column. Without it, they are matched
          by position.

        Instead of tables, files may be logs of lm-evaluation-harness and Inspect (SYSTEM.METHOD.jsonl, .json, .eval)
        with one answer to each question. If a system abstains, this counts as an answer without a confidence.
    right : str, default=None
        The grade of a right answer. Answers with any other grade count as wrong. By default, any common
        word for a right answer counts as right, such as "correct".
    correct : str, default=None
        Which grades to read from logs, as in :func:`skconf.read_log`, such as ``"acc,none"``. None reads logs that
        have one kind of grades, and leaves out logs that have several.
    confidence_level : float, default=0.95
        Confidence level of the intervals, in [0.5, 1).
    random_state : int, default=0
        Seed of the folds and of resamples.
    n_jobs : int, default=None
        Processes; -1 uses all cores.
    progress : bool, default=False
        Show progress and the remaining time on stderr.

    Returns
    -------
    AnswersResult

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or if it has neither tables nor logs.
    ValueError
        If no file can be read, or if it is unknown which grade means a right answer.

    See Also
    --------
    ecuas_experiment : The same evaluation of classifiers.

    Notes
    -----
    Answers without a confidence or without a grade are left out; `files` of the result counts them. The number of
    possible answers is taken to be infinite, so the largest possible uncertainty u_M is 1. Calibration is Platt scaling
    in five folds. It uses the logit of confidences that are probabilities, and other confidences unchanged. Intervals
    and differences treat the fitted calibrators as fixed.

    If two files of a task have the same system or the same method, they are compared on the questions that both have.
    The metrics ECE, AUC, cross-entropy and Brier score judge only confidences. Two files are compared by these metrics
    only if the same questions are answered right in both files.

    Each file is named SYSTEM.METHOD, followed by its ending. The name of the system may contain points: the file
    "Qwen3.5 4B.Seq Post.csv" has the system "Qwen3.5 4B" and the method "Seq Post". If systems and methods have the
    names of the paper, as in this example, the tasks "triviaqa" and "mmlu" are compared with the values of the paper.
    The tasks "arc" and "truthfulqa" are compared with the AUROC values of the repository
    bplaut/llm-calibration-and-correctness-prediction, which also contains the answers.

    References
    ----------
    .. [1] L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled
       evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026, Section 4.2 and appendix C.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skconf.experiments import answers_experiment
    >>> rows = ["question,grade,confidence", "q1,Correct,0.9", "q2,Wrong,0.6", "q3,Correct,0.8", "q4,Unparseable,0.1"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "model.verbalized.csv").write_text("\n".join(rows))
    ...     result = answers_experiment(folder)
    >>> raw = result.figures.query("scores == 'raw'").set_index("quantity")
    >>> raw.loc[["error_rate", "auc_confidence", "ecuas_1"], "ours"].round(3)
    quantity
    error_rate        0.500
    auc_confidence    1.000
    ecuas_1           0.605
    Name: ours, dtype: float64
    """
    check_confidence_level(confidence_level)
    answers, left_out = read_answers(Path(folder), right, correct)
    read = [Scored(file, grader, random_state) for file in answers for grader in file.grades]
    shared = {"confidence_level": confidence_level, "random_state": random_state}
    tasks = [delayed(_intervals)(scored, shared) for scored in read]
    tables, notices = zip(*run_parallel(tasks, "scoring answers", n_jobs=n_jobs, quiet=not progress), strict=True)
    by_pair, unmatched = compared(read, shared)
    return AnswersResult(
        _beside_printed(pd.concat(tables, ignore_index=True)),
        adjusted(by_pair),
        adjusted(list(by_graders(read, shared))),
        pd.DataFrame([_facts(file, grader) for file in answers for grader in file.grades]),
        left_out,
        unmatched,
        _grouped(chain(*notices)),
    )


def _intervals(scored: Scored, shared: dict[str, Any]) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return the metrics of a file with their intervals, and its warnings with the name of the file."""
    tables: list[pd.DataFrame] = []
    notices: list[tuple[str, str]] = []
    for scores, values in scored.scores.items():
        rows = np.flatnonzero(scored.rows & ~np.isnan(values))
        if len(rows) < 2:
            continue
        metrics = {name: METRICS[name] for name in scored.quantities(scores)}
        with collected() as warned:
            table = confidence_interval(metrics, scored.profile(scores, rows), **shared)
        # Warnings that differ only in a number, such as the number of errors, are grouped by kind.
        notices += [(notice.kind or str(notice), f"{scored.file.task}: {scored.file.label}") for notice in warned]
        table = table.rename_axis("quantity").reset_index().rename(columns={"value": "ours"})
        tables.append(table.assign(**scored.key, scores=scores, n=len(rows)))
    return pd.concat(tables, ignore_index=True), notices


def _grouped(notices: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return each warning once, with the names of all files that it is about."""
    by_message: dict[str, dict[str, None]] = {}
    for message, name in notices:
        by_message.setdefault(message.rstrip("."), {})[name] = None
    return tuple(f"{message} ({'; '.join(names)})." for message, names in by_message.items())


def _beside_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return our values, each with the value that the paper prints for it, if there is one."""
    printed = _printed()
    names = [_plain(row) for row in table[[*_KEY[:4], "quantity"]].itertuples(index=False)]
    # A single grader is compared with the graders of the paper, who were persons.
    cells = [printed.get(name) or printed.get((*name[:3], name[3] or "human", name[4])) for name in names]
    raw = table["scores"] == "raw"
    table["paper"] = np.where(raw, [np.nan if cell is None else cell[0] for cell in cells], np.nan)
    table["resolution"] = [0.0 if cell is None else cell[1] for cell in cells]
    table["spread"] = table["standard_error"]
    table["note"] = ""
    shown = [*_KEY, "quantity", "n", "low", "high", "ours", "paper", "resolution", "spread", "note"]
    return compare_with_paper(table[shown], n_repetitions=1)


def _printed() -> dict[tuple[str, ...], tuple[float, float]]:
    """Return each printed value and its largest rounding error, by task, system, method, grader and quantity."""
    tables = [
        (printed_table("ecuas_table4").assign(task="mmlu", grader=""), _HALF_DIGIT),
        (printed_table("ecuas_table5").assign(task="triviaqa", grader="human"), _HALF_DIGIT),
        (printed_table("ecuas_table6").assign(task="triviaqa"), _HALF_DIGIT),
        (printed_table("answers_auroc").assign(grader=""), _IN_FULL),
    ]
    return {
        _plain((*(getattr(row, name) for name in _KEY[:4]), row.quantity)): (row.paper, resolution)
        for table, resolution in tables
        for row in figures_of(table, _KEY[:4]).itertuples()
    }


def _plain(names: Sequence[str]) -> tuple[str, ...]:
    """Return names in lower case, with letters and digits only. The last name, of the quantity, is unchanged."""
    *most, quantity = names
    return (*map(bare_name, most), quantity)


def _facts(file: AnswerFile, grader: str) -> dict[str, Any]:
    """Return the counts of a file, and its smallest and largest confidence."""
    grade, lacks = file.grades[grader], np.isnan(file.confidence)
    return {
        "task": file.task,
        "system": file.system,
        "method": file.method,
        "grader": grader,
        "answers": len(grade),
        "right": int((grade == 1).sum()),
        "wrong": int((grade == 0).sum()),
        "wrong_grades": dict(file.wrong.get(grader, {})),
        "without_confidence": int(lacks.sum()),
        "of_these_right": int((grade[lacks] == 1).sum()),
        "without_grade": int(np.isnan(grade).sum()),
        "smallest": float(np.nanmin(file.confidence)),
        "largest": float(np.nanmax(file.confidence)),
        "probability": file.is_probability,
    }
