"""``evaluate``: a report on predictions in files."""

import argparse
import sys
from pathlib import Path

from skconf._core.usual_names import USUAL
from skconf.accumulation._columns import Columns
from skconf.cli.options import output_file
from skconf.cli.output import CommandError, csv_text, say, write_file
from skconf.report._files import evaluate_files

_DESCRIPTION = """\
Evaluate the confidences in files of predictions. Files have a row for each prediction, and

- the true label and a probability for each class, in columns named proba_LABEL (or --proba), and perhaps the predicted
  label, if it is not the most probable one;
- or the true label, the predicted label and the confidence in it;
- or, for a generative system, whether the prediction is right (1 or 0) and the confidence in it.

Files that are named one by one are models, shown side by side. The files of a folder, of a pattern in quotes, or with
--pool are parts of one model. If all models have the same true labels, row by row, their differences from the first
model follow.

Files of up to 100 MB together, one for each model, are held in memory. Others, and groups, are read in batches, in
memory that does not grow with their size: sums are exact, areas under curves of more than 65,536 distinct confidences
are within a bound that a warning names, and there are neither plots nor differences.
"""
_EXAMPLES = """\
examples:
  %(prog)s predictions.csv
  %(prog)s raw.csv calibrated.csv
  %(prog)s 'day=*/*.parquet'
  %(prog)s predictions.parquet --target species --proba proba_setosa proba_versicolor proba_virginica
  %(prog)s answers.csv --correct is_right --confidence score --html report.html
  %(prog)s year=2026/ --group month shop --csv shops.csv
"""
_COLUMNS = {
    "target": "true labels",
    "prediction": "predicted labels",
    "correct": "correctness of the prediction, 1 or 0",
    "confidence": "confidence in the prediction, from 0 to 1",
    "weight": "sample weights",
}
#: More files than this are probably parts of one model.
_MOST_MODELS = 8


def add_options(evaluate: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    evaluate.description, evaluate.epilog = _DESCRIPTION, _EXAMPLES
    evaluate.set_defaults(run=_run)
    evaluate.add_argument(
        "files",
        nargs="+",
        metavar="file",
        help="predictions of a model, .csv or .parquet; a pattern in quotes; or a folder, to read all its tables",
    )
    evaluate.add_argument("--pool", action="store_true", help="treat all files as parts of one model")
    for name, meaning in _COLUMNS.items():
        evaluate.add_argument(
            f"--{name}",
            metavar="COLUMN",
            help=f"column with the {meaning} (default: {USUAL[name]}, if it exists)",
        )
    evaluate.add_argument(
        "--proba",
        nargs="+",
        metavar="COLUMN",
        help="columns with the probabilities of the classes; a single one is that of the second label (default: all "
        "columns whose names begin with proba_)",
    )
    evaluate.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="labels of these columns (default: what follows proba_ in their names, else the sorted true labels of a "
        "file in memory)",
    )
    evaluate.add_argument(
        "--pos-label",
        metavar="LABEL",
        help="label that a single column of probabilities stands for (default: the second)",
    )
    evaluate.add_argument(
        "--group",
        nargs="+",
        metavar="COLUMN",
        help="columns of groups, or parts NAME=VALUE of a path: report a row of values for each group",
    )
    evaluate.add_argument("--batches", action="store_true", help="read in batches, even a single small file")
    evaluate.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="lowest confidence of an accepted prediction (default: none)",
    )
    evaluate.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="metrics to report, or 'all' (default: those that most users need)"
    )
    evaluate.add_argument("--csv", type=output_file, metavar="FILE", help="write the report to this file, too")
    evaluate.add_argument("--html", type=output_file, metavar="FILE", help="write it as a page")


def _run(options: argparse.Namespace) -> int:
    metrics = "all" if options.metrics == ["all"] else options.metrics
    try:
        columns = Columns(
            **{name: getattr(options, name) for name in _COLUMNS},
            proba=options.proba,
            groups=options.group,
            labels=options.labels,
            pos_label=options.pos_label,
            threshold=options.threshold,
        )
        in_batches = True if options.batches else None
        evaluation = evaluate_files(_models(options), columns, metrics, in_batches=in_batches, progress=True)
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(str(error)) from None
    for line in evaluation.guessed:
        say(f"skconf: {line}", file=sys.stderr)
    write_file(options.csv, lambda: csv_text(evaluation.report, index=True))
    write_file(options.html, evaluation.html)
    say(evaluation.text())
    return 0


def _models(options: argparse.Namespace) -> list[str] | dict[str, str]:
    """Return the parts of a single model, or each model by its name."""
    files = list(dict.fromkeys(options.files))
    if options.pool or len(files) == 1:
        return files
    if len(files) > _MOST_MODELS:
        raise ValueError(
            f"{len(files)} files were given, and each would be a separate model. If they are parts of one model, give "
            f"--pool, their folder, or a pattern in quotes, such as '*{Path(files[0]).suffix}'. Else name up to "
            f"{_MOST_MODELS}."
        )
    names = [Path(file).name or file for file in files]
    return {file if names.count(name) > 1 else name: file for file, name in zip(files, names, strict=True)}
