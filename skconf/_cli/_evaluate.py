"""``evaluate``: a report on predictions in a file."""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from skconf._cli._common import CommandError, output_file, write_file
from skconf._messages import shorten, suggest
from skconf.experiments._render import figure_html, new_figure, page
from skconf.profile import ConfidenceProfile
from skconf.report import ConfidenceReport, confidence_report

_DESCRIPTION = """\
Report what the confidences in a file of predictions are worth. The file has a row for each prediction, and

- the true label and a probability for each class, in columns named proba_LABEL (or --proba), and perhaps the predicted
  label, where it is not the most probable one;
- or the true label, the predicted label and the confidence in it;
- or whether the prediction is right (1 or 0) and the confidence in it, which is all that a generative system has.
"""
_EXAMPLES = """\
examples:
  python -m skconf evaluate predictions.csv
  python -m skconf evaluate predictions.parquet --target species --proba proba_setosa proba_versicolor proba_virginica
  python -m skconf evaluate answers.csv --correct is_right --confidence score --html report.html
"""


def add_commands(commands: Any) -> None:
    """Add the command."""
    evaluate = commands.add_parser(
        "evaluate",
        help="report on predictions in a file",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.set_defaults(run=_run)
    evaluate.add_argument("file", type=Path, help="predictions, .csv or .parquet")
    for name, meaning in {
        "target": "true labels",
        "prediction": "predicted labels",
        "correct": "whether the prediction is right, 1 or 0",
        "confidence": "confidence in the prediction, from 0 to 1",
        "weight": "sample weights",
    }.items():
        default = {"target": "y_true", "prediction": "y_pred", "weight": "sample_weight"}.get(name, name)
        evaluate.add_argument(
            f"--{name}", metavar="COLUMN", help=f"column with the {meaning} (default: {default}, where there is one)"
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
        help="labels of these columns (default: what follows proba_, else the sorted true labels)",
    )
    evaluate.add_argument(
        "--threshold", type=float, metavar="T", help="confidence from which on a prediction is accepted (default: none)"
    )
    evaluate.add_argument(
        "--metrics", nargs="+", metavar="NAME", help="metrics to report, or 'all' (default: those most users need)"
    )
    evaluate.add_argument("--csv", type=output_file, metavar="FILE", help="write the report to this file, too")
    evaluate.add_argument("--html", type=output_file, metavar="FILE", help="write it as a page")


def _run(options: argparse.Namespace) -> int:
    table = _read(options.file)
    metrics = "all" if options.metrics == ["all"] else options.metrics
    try:
        profile = _profile(table, options)
        report = confidence_report(profile, metrics=metrics, threshold=options.threshold)
    except (ValueError, TypeError) as error:
        raise CommandError(f"{options.file}: {error}") from None
    write_file(options.csv, lambda: str(report.to_csv()))
    write_file(options.html, lambda: _page(options.file.name, profile, report))
    print(report)
    return 0


def _page(name: str, profile: ConfidenceProfile, report: ConfidenceReport) -> str:
    from skconf.inspection import ConfidenceHistogramDisplay, ReliabilityDisplay, RiskCoverageDisplay

    displays: tuple[Any, ...] = (ReliabilityDisplay, ConfidenceHistogramDisplay, RiskCoverageDisplay)
    figure = new_figure(5 * len(displays), 5)
    for display, axes in zip(displays, figure.subplots(1, len(displays)), strict=True):
        display.from_predictions(profile, ax=axes)
    parts = [("Metrics", report._repr_html_()), ("Confidences", figure_html(figure))]
    return page("Confidence report", f"{len(profile):,} predictions from {name}.", parts)


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise CommandError(f"there is no file {path}")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        # Labels are texts, whatever they look like: "01" is not 1. Numbers are read where numbers are needed.
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, OSError) as error:
        raise CommandError(f"cannot read {path}: {error}") from None


def _profile(table: pd.DataFrame, options: argparse.Namespace) -> ConfidenceProfile:
    target, prediction = _labels(table, options.target, "y_true"), _labels(table, options.prediction, "y_pred")
    weight = _numbers(table, options.weight, "sample_weight")
    probabilities = options.proba or [name for name in table if str(name).startswith("proba_")]
    if target is not None and probabilities:
        columns: list[Any] = [_numbers(table, name) for name in probabilities]
        return ConfidenceProfile.from_predictions(
            target,
            columns[0] if len(columns) == 1 else pd.concat(columns, axis=1),
            y_pred=prediction,
            labels=options.labels or _labels_of_columns(probabilities, target),
            sample_weight=weight,
        )
    correct, confidence = _numbers(table, options.correct, "correct"), _numbers(table, options.confidence, "confidence")
    if correct is None and target is not None and prediction is not None:
        correct = (target == prediction).astype(int)
    if correct is None or confidence is None:
        raise ValueError(
            f"no predictions were found in the columns {shorten(list(table))}. Name those with the true labels "
            "(--target) and the probabilities (--proba), or whether predictions are right (--correct) and the "
            "confidence in them (--confidence)."
        )
    return ConfidenceProfile.from_correctness(correct, confidence, sample_weight=weight)


def _column(table: pd.DataFrame, asked: str | None, usual: str | None) -> pd.Series | None:
    """Return the column that was asked for, or the one with the usual name, or None."""
    if asked is None:
        return table.get(usual)
    if asked not in table:
        raise ValueError(
            f"there is no column {asked!r}.{suggest(asked, map(str, table))} There are {shorten(list(table))}."
        )
    return table[asked]


def _labels(table: pd.DataFrame, asked: str | None, usual: str) -> pd.Series | None:
    """Return a column of labels as texts."""
    column = _column(table, asked, usual)
    if column is None:
        return None
    _refuse(column, column.isna() | (column.astype(str) == ""), "a label")
    return column.astype(str)


def _numbers(table: pd.DataFrame, asked: str | None, usual: str | None = None) -> pd.Series | None:
    """Return a column as numbers."""
    column = _column(table, asked, usual)
    if column is None:
        return None
    numbers = pd.to_numeric(column, errors="coerce")
    _refuse(column, numbers.isna(), "a number")
    return numbers


def _refuse(column: pd.Series, wrong: pd.Series, needed: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise ValueError(f"column {column.name!r} has {column.iloc[row]!r} in row {row}, where {needed} is needed.")


def _labels_of_columns(names: list[str], target: pd.Series) -> list[str]:
    """Return the labels in the names of the columns, if they are all there; else the true labels, in their order."""
    named = [name.removeprefix("proba_") for name in names]
    true = pd.Series(target.unique())
    if set(true) <= set(named):
        return named
    numbers = pd.to_numeric(true, errors="coerce")  # as texts 10 comes before 9
    return list(true.sort_values() if numbers.isna().any() else true[numbers.argsort()])
