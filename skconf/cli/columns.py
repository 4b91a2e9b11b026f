"""Options that name the columns of a file of predictions."""

import argparse
from typing import Any

from skconf._core.command_options import grade, grades_of
from skconf._core.usual_names import USUAL

_MEANINGS = {
    "target": "true labels",
    "prediction": "predicted labels",
    "correct": "correctness of the prediction: 1, 0, or a grade between 0 and 1",
    "confidence": "confidence in the prediction, from 0 to 1",
    "weight": "sample weights",
    "abstained": "abstentions: true where the model abstains, or answers that are blank there",
}
#: Further options, by the name of the parameter.
_OTHERS = ("proba", "labels", "pos_label", "cluster", "score")
#: What stands in place of a column if the model never abstains, or if rows do not depend on each other.
_NO_COLUMN = "none"
#: What is said of columns that are not guessed.
_ELSE = {"weight": "", "abstained": f"; '{_NO_COLUMN}': the model never abstains"}


def add_column_options(parser: argparse.ArgumentParser, *, target: str = "target", weighted: bool = True) -> None:
    """Add the options; `target` is the name of the option for the true labels, which is also called ``--label``.

    If `weighted` is false, because the command refuses weights, the help does not show their option.
    """
    for name, meaning in _MEANINGS.items():
        else_found = _ELSE.get(name, "; else it is guessed")
        parser.add_argument(
            *([f"--{each}" for each in dict.fromkeys([target, "label"])] if name == "target" else [f"--{name}"]),
            metavar="COLUMN",
            help=f"column with the {meaning} (default: {USUAL[name]}, if it exists{else_found})"
            if weighted or name != "weight"
            else argparse.SUPPRESS,
        )
    parser.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="column with the cluster of each row, such as its patient. Intervals and guarantees then hold even if "
        f"rows of a cluster depend on each other. '{_NO_COLUMN}' treats all rows as independent (default: the ids of a "
        "log, or a column with a name such as id or patient_id, if its values repeat)",
    )
    parser.add_argument(
        "--score",
        metavar="COLUMN",
        help="column with another score that ranks the answers. It may hold any numbers, such as the mean of the "
        "confidences of two models in the same answer. Guarantees hold for the confidence and for this score at the "
        "same time, so you may rank by whichever gives better results",
    )
    parser.add_argument(
        "--proba",
        nargs="+",
        metavar="COLUMN",
        help="columns with the probabilities of the classes. A single column is the probability of --pos-label "
        "(default: all columns whose names begin with proba_; else y_proba, if it exists; else they are guessed)",
    )
    parser.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="labels of the --proba columns (default: the part of each name after proba_. If the names do not begin "
        "with proba_, the default is the names themselves if one of them is a true label, and otherwise the sorted "
        "true labels. If the names do not begin with proba_ and the file is read in batches, --labels is required)",
    )
    parser.add_argument(
        "--pos-label",
        metavar="LABEL",
        help="label whose probability is in a single --proba column (default: the label in the name of the column, as "
        "in proba_fraud or fraud; else the second label)",
    )
    parser.add_argument(
        "--grades",
        nargs="+",
        type=grade,
        metavar="WORD=NUMBER",
        help="number from 0 to 1 for each word of confidence or correctness, such as high=0.9 low=0.3 right=1 wrong=0",
    )


def columns_of(options: argparse.Namespace, *, target: str = "target") -> dict[str, Any]:
    """Return the given options as parameters of `Columns`."""
    given = {name: getattr(options, target if name == "target" else name) for name in (*_MEANINGS, *_OTHERS)}
    given |= {name: False for name in ("abstained", "cluster") if given[name] == _NO_COLUMN}
    return {**given, "grades": grades_of(options.grades)}
