"""``evaluate``: a report on predictions in files."""

import argparse
from typing import Any

from skconf.accumulation._columns import USUAL, Columns
from skconf.accumulation._files import list_files, read_rows
from skconf.accumulation._job import located
from skconf.cli.options import CommandError, output_file, write_file
from skconf.profile import ConfidenceProfile
from skconf.report import confidence_report
from skconf.report._files import report_on_files
from skconf.report._page import figure_html, new_figure, page

_DESCRIPTION = """\
Report what the confidences in files of predictions are worth. Files have a row for each prediction, and

- the true label and a probability for each class, in columns named proba_LABEL (or --proba), and perhaps the predicted
  label, where it is not the most probable one;
- or the true label, the predicted label and the confidence in it;
- or whether the prediction is right (1 or 0) and the confidence in it, which is all that a generative system has.

One file of up to 100 MB is held in memory. Several files, larger ones, or groups are read in batches, in memory that
does not grow with their size: sums are exact, areas under curves of more than 65,536 distinct confidences are within a
bound that is told, and there are no plots.
"""
_EXAMPLES = """\
examples:
  python -m skconf evaluate predictions.csv
  python -m skconf evaluate predictions.parquet --target species --proba proba_setosa proba_versicolor proba_virginica
  python -m skconf evaluate answers.csv --correct is_right --confidence score --html report.html
  python -m skconf evaluate year=2026/ --group month shop --csv shops.csv
"""
_COLUMNS = {
    "target": "true labels",
    "prediction": "predicted labels",
    "correct": "correctness of the prediction, 1 or 0",
    "confidence": "confidence in the prediction, from 0 to 1",
    "weight": "sample weights",
}
#: Size of a file that is held in memory.
_MOST_BYTES = 100_000_000


def add_commands(commands: Any) -> None:
    """Add the command."""
    evaluate = commands.add_parser(
        "evaluate",
        help="report on predictions in files",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.set_defaults(run=_run)
    evaluate.add_argument(
        "files",
        nargs="+",
        metavar="file",
        help="predictions, .csv or .parquet; a pattern with *; or a folder, of which all tables are read",
    )
    for name, meaning in _COLUMNS.items():
        evaluate.add_argument(
            f"--{name}",
            metavar="COLUMN",
            help=f"column with the {meaning} (default: {USUAL[name]}, where there is one)",
        )
    evaluate.add_argument(
        "--proba",
        nargs="+",
        metavar="COLUMN",
        help="columns with the probabilities of the classes; a single one is that of the second label (default: all "
        "whose name begins with proba_)",
    )
    evaluate.add_argument(
        "--labels",
        nargs="+",
        metavar="LABEL",
        help="labels of these columns (default: what follows proba_, else the sorted true labels of a file in memory)",
    )
    evaluate.add_argument(
        "--group",
        nargs="+",
        metavar="COLUMN",
        help="columns of groups, or parts NAME=VALUE of a path: a row of values for each group",
    )
    evaluate.add_argument("--batches", action="store_true", help="read one small file in batches, too")
    evaluate.add_argument(
        "--threshold", type=float, metavar="T", help="confidence from which on a prediction is accepted (default: none)"
    )
    evaluate.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="metrics to report, or 'all' (default: those most users need)"
    )
    evaluate.add_argument("--csv", type=output_file, metavar="FILE", help="write the report to this file, too")
    evaluate.add_argument("--html", type=output_file, metavar="FILE", help="write it as a page")


def _run(options: argparse.Namespace) -> int:
    metrics = "all" if options.metrics == ["all"] else options.metrics
    try:
        columns = Columns(
            **{name: getattr(options, name) for name in _COLUMNS},
            proba=options.proba or (),
            groups=options.group or (),
            labels=options.labels,
            threshold=options.threshold,
        )
        files = list_files(options.files)
        name = str(files[0].name) if len(files) == 1 else f"{len(files):,} files"
        in_memory = (
            len(files) == 1 and files[0].stat().st_size <= _MOST_BYTES and not (options.batches or options.group)
        )
        if in_memory:
            profile = read_rows(files[0], columns)
            if profile is None:
                raise ValueError(f"{files[0]}: there are no rows")
            with located(files[0]):
                report = confidence_report(profile, metrics=metrics)
            parts, n_samples = [_plots(profile)] if options.html else [], len(profile)
        else:
            parts, (report, n_samples) = [], report_on_files(files, columns, metrics)
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(str(error)) from None
    write_file(options.csv, lambda: str(report.to_csv()))
    title, subtitle = "Confidence report", f"{n_samples:,} predictions from {name}."
    write_file(options.html, lambda: page(title, subtitle, [("Metrics", report._repr_html_()), *parts]))
    print(report)
    return 0


def _plots(profile: ConfidenceProfile) -> tuple[str, str]:
    from skconf.inspection import ConfidenceHistogramDisplay, ReliabilityDisplay, RiskCoverageDisplay

    displays: tuple[Any, ...] = (ReliabilityDisplay, ConfidenceHistogramDisplay, RiskCoverageDisplay)
    figure = new_figure(5 * len(displays), 5)
    for display, axes in zip(displays, figure.subplots(1, len(displays)), strict=True):
        display.from_predictions(profile, ax=axes)
    return "Confidences", figure_html(figure)
