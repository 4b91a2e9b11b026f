"""Options that name the columns of a file of predictions."""

import argparse
from typing import Any

from skconf._core.command_options import grade, grades_of
from skconf._core.usual_names import USUAL

_MEANINGS = {
    "target": "true labels",
    "prediction": "predicted labels",
    "correct": "correctness of the prediction, 1 or 0, or graded between them",
    "confidence": "confidence in the prediction, from 0 to 1",
    "weight": "sample weights",
    "abstained": "rows that abstain: truth values, or answers of which blank ones abstain",
}
#: Those that are one column or number each, by the name of the parameter.
_OTHERS = ("proba", "labels", "pos_label", "cluster", "score")


def add_column_options(parser: argparse.ArgumentParser, *, target: str = "target") -> None:
    """Add the options; that of the true labels may have another name."""
    for name, meaning in _MEANINGS.items():
        else_found = "" if name in ("weight", "abstained") else ", else found"
        parser.add_argument(
            f"--{target if name == 'target' else name}",
            metavar="COLUMN",
            help=f"column with the {meaning} (default: {USUAL[name]}, if it exists{else_found})",
        )
    parser.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="column that names what each row belongs to, such as its patient: intervals and guarantees then allow "
        "for rows that depend on each other (default: the id of a log, where it repeats)",
    )
    parser.add_argument(
        "--score",
        metavar="COLUMN",
        help="column with another score to rank by, any numbers, such as the mean of the confidence and of another "
        "model's probability of this answer: thresholds by both are guaranteed together, so that you may take the "
        "better ones",
    )
    parser.add_argument(
        "--proba",
        nargs="+",
        metavar="COLUMN",
        help="columns with the probabilities of the classes; a single one is that of --pos-label (default: all columns "
        "whose names begin with proba_)",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="labels of these columns (default: what follows proba_ in their names, else the sorted true labels of a "
        "file in memory)",
    )
    parser.add_argument(
        "--pos-label",
        metavar="LABEL",
        help="label that a single column of probabilities stands for (default: the second)",
    )
    parser.add_argument(
        "--grades",
        nargs="+",
        type=grade,
        metavar="WORD=NUMBER",
        help="numbers from 0 to 1 that words stand for, of confidence or correctness: high=0.9 low=0.3 right=1 wrong=0",
    )


def columns_of(options: argparse.Namespace, *, target: str = "target") -> dict[str, Any]:
    """Return the columns that were named, as `Columns` takes them."""
    given = {name: getattr(options, target if name == "target" else name) for name in _MEANINGS}
    return {**given, **{name: getattr(options, name) for name in _OTHERS}, "grades": grades_of(options.grades)}
