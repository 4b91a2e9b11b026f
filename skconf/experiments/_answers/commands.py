"""``experiment answers``: graded answers of generative systems."""

import argparse
from pathlib import Path
from typing import Any

from skconf.experiments._answers.experiment import answers_experiment
from skconf.experiments._answers.page import answers_report
from skconf.experiments._shared.commands import add_experiment
from skconf.experiments._shared.report import ExperimentReport


def add_answers(names: Any) -> None:
    """Add the command."""
    answers = {
        "type": Path,
        "metavar": "DIR",
        "help": "folder with TASK/SYSTEM.METHOD.csv, or with files of one task. A file has a row for each question. "
        "Its columns are confidence (any number), and correct (1 or 0) or grade (a word). With several "
        "graders, name these columns correct_NAME or grade_NAME. Rows of several files are matched by a column named "
        "id or question. Instead of tables, files may be logs of lm-evaluation-harness and Inspect",
    }
    right = {
        "metavar": "WORD",
        "help": "the grade of a right answer. Answers with any other grade count as wrong (default: any common word "
        "for a right answer, such as correct)",
    }
    correct = {
        "metavar": "NAME",
        "help": "which grades to read from logs: METRIC,FILTER or SCORER (needed only if a log has several kinds of "
        "grades)",
    }
    add_experiment(
        names,
        "answers",
        "graded answers of generative systems and their confidences (ECUAS paper, Tables 2, 4, 5 and 6)",
        _run,
        (("answers", answers), ("--right", right), ("--correct", correct), "--seed", "--jobs"),
        ("answers/ --html answers.html", "answers/ --right Yes"),
    )


def _run(options: argparse.Namespace) -> ExperimentReport:
    result = answers_experiment(
        options.answers,
        right=options.right,
        correct=options.correct,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=True,
    )
    source = {"files": f"{len(result.files)}", "intervals": "95%", "seed": str(options.seed)}
    return answers_report(result, source)
