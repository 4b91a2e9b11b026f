"""Reports on predictions in files: small files in memory, others batch by batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.messages import option
from skconf._core.spellings import plain
from skconf.accumulation._columns import Columns
from skconf.accumulation._files import Paths, guess_columns, list_files, read_rows, shown
from skconf.accumulation._ids import places_by_id
from skconf.accumulation._job import located
from skconf.profile import ConfidenceProfile
from skconf.report._batches import InBatches, evaluate_in_batches
from skconf.report._differences import Differences, no_differences, paired_differences
from skconf.report._frame import ConfidenceReport
from skconf.report._marks import not_compared
from skconf.report._page import figure_html, new_figure, page
from skconf.report._report import check_names, confidence_report, lay_out
from skconf.report._rows import rows_of

#: Bytes of files that are held in memory.
_MOST_BYTES = 100_000_000


def confidence_report_from_files(
    files: Paths | Mapping[str, Paths],
    *,
    target: Any = None,
    proba: Any = None,
    prediction: Any = None,
    correct: Any = None,
    confidence: Any = None,
    weight: Any = None,
    groups: Any = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    threshold: float | None = None,
    metrics: Any = None,
    in_batches: bool | None = None,
    ids: Any = None,
    progress: bool = False,
) -> ConfidenceReport:
    r"""Evaluate the confidences in files, as :func:`confidence_report` does for predictions in memory.

    Parameters
    ----------
    files : path, list of paths, or mapping of str to such
        Files of Parquet or CSV with a row for each prediction, as :func:`~skconf.accumulate` takes them: a path, a
        pattern, a folder, or a list of these, which are all parts of one model. A mapping holds the files of several
        models, which are then shown side by side.
    target, prediction : label, default=None
        Columns of true and predicted labels. None stands for ``y_true`` and ``y_pred``, if there are such columns.
        Where columns under the usual names do not suffice, those of many other tools are found: see Notes.
    proba : label or list of labels, default=None
        Columns of the probabilities of the classes, or one column with that of `pos_label`. None stands for all columns
        whose names begin with ``proba_``, else for ``y_proba``.
    correct, confidence : label, default=None
        Instead of labels and probabilities: columns of whether the prediction is right (1 or 0), and of the confidence
        in it. None stands for ``correct`` and ``confidence``.
    weight : label, default=None
        Column of sample weights; None stands for ``sample_weight``, if there is such a column.
    groups : label or list of labels, default=None
        Columns of groups: the report has a row for each group, and a column for each metric.
    labels : array-like of shape (n_classes,), default=None
        Labels of the probabilities, as in :func:`~skconf.accumulate`.
    pos_label : label, default=None
        Positive class of a binary task, as in :func:`~skconf.accumulate`.
    threshold : float, default=None
        Lowest confidence at which a prediction is accepted.
    metrics : iterable of str or callable, "all" or None, default=None
        As in :func:`confidence_report`. Metrics that need all confidences at once are left out in batches, with a
        warning.
    in_batches : bool, default=None
        Read batch by batch, in memory that does not grow with the files. True does so always, False never, None if
        there are groups, a model has several files, or all files together are larger than 100 MB.
    ids : label, default=None
        Column of ids by which the rows of several models are matched, in any order, before they are compared. Each
        model must have the same ids, each once. None matches them by place, and only where the true labels
        agree row by row.
    progress : bool, default=False
        Show on standard error how much has been read.

    Returns
    -------
    ConfidenceReport
        The report of :func:`confidence_report`; with `groups`, a row for each group instead, with the number of its
        predictions in the column ``count``. In batches, sums are exact; areas under curves of more than 65,536 distinct
        confidences have an error, and a warning names its bound.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If a Parquet file is given and pyarrow is not installed.
    ValueError
        If an entry is missing or invalid, a column is missing, or labels are needed: the message names file, column
        and row. If `in_batches` is False, but batches are needed.

    See Also
    --------
    skconf.accumulate : Scores of files, with intervals, or of tables of Dask and Spark.
    skconf.inference.compare : Paired differences between models.

    Notes
    -----
    Columns are guessed only where one reading alone fits their names and the first 10,000 rows: true labels, called
    ``label``, ``target``, ``class``, ``truth`` and the like; probabilities that sum to 1, in columns that are named by
    the true labels, all in one way; a single probability of the label 1; predicted labels and the confidence in them.
    Where several fit, an error names them, and the parameter that decides. No guess is against a parameter.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skconf import confidence_report_from_files
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "predictions.csv")
    ...     _ = file.write_text("y_true,proba_0,proba_1\n0,.9,.1\n1,.1,.9\n1,.2,.8\n0,.4,.6\n")
    ...     report = confidence_report_from_files(file, metrics=["accuracy_score", "aurc_loss"])
    >>> report
    metric          value best  better  range
    accuracy_score 0.7500    1  higher  [0, 1]
    aurc_loss      0.0625    0  lower   [0, 1]
    """
    columns = Columns(
        target=target,
        proba=proba,
        prediction=prediction,
        correct=correct,
        confidence=confidence,
        weight=weight,
        groups=groups,
        labels=None if labels is None else list(labels),  # type: ignore[arg-type]
        pos_label=pos_label,
        threshold=threshold,
    )
    return evaluate_files(files, columns, metrics, in_batches=in_batches, progress=progress, ids=ids).report


@dataclass(frozen=True)
class Evaluation:
    """A report on files, with the predictions and differences behind it.

    Attributes
    ----------
    report : ConfidenceReport
        The report.
    read : list of str
        The files that were read, in a line for each model.
    profiles : dict of ConfidenceProfile
        Predictions by model; empty if these were read in batches.
    differences : Differences or None
        Differences between models; None for a single model.
    guessed : list of str
        The columns that were guessed, in a line for each model.
    """

    report: ConfidenceReport
    read: list[str]
    profiles: Mapping[str, ConfidenceProfile]
    differences: Differences | None
    guessed: Sequence[str] = ()

    def text(self) -> str:
        """Return everything as text."""
        parts = [str(self.report)]
        if self.differences is not None:
            parts.append(self.differences.text())
        return "\n\n".join([*parts, "\n".join(self.read)])

    def html(self) -> str:
        """Return a page, with plots of the predictions in memory."""
        parts = [("Metrics", self.report._repr_html_())]
        if self.differences is not None:
            parts.append(("Differences", self.differences.html()))
        if self.profiles:
            parts.append(("Confidences", _plots(self.profiles)))
        return page("Confidence report", " ".join([*self.read, *self.guessed]), parts)


def evaluate_files(
    files: Paths | Mapping[str, Paths],
    columns: Columns,
    metrics: Any,
    *,
    in_batches: bool | None,
    progress: bool,
    ids: Any = None,
) -> Evaluation:
    """Read files, in memory or in batches, and report on them, as in :func:`confidence_report_from_files`."""
    if isinstance(files, Mapping):
        check_names(files)
        models, several = {model: list_files(paths) for model, paths in files.items()}, True
    else:
        models, several = {"value": list_files(files)}, False
    needed = bool(columns.groups) or any(len(parts) > 1 for parts in models.values())
    if in_batches is None:
        in_batches = needed or sum(file.stat().st_size for parts in models.values() for file in parts) > _MOST_BYTES
    elif needed and not in_batches:
        raise ValueError("groups and models of several files are read in batches. Leave in_batches out, or pass True.")
    if in_batches and ids is not None:
        raise ValueError(
            "groups, models of several files, and files of more than 100 MB are read in batches, which keep no rows to "
            f"match. Leave {option('ids')} out."
        )
    guessed = {model: guess_columns(parts, columns) for model, parts in models.items()}
    columns_of = {model: found for model, (found, _) in guessed.items()}
    if in_batches:
        evaluation = _from_batches(models, columns_of, metrics, several=several, progress=progress)
    else:
        evaluation = _from_memory(models, columns_of, metrics, several=several, ids=ids)
    said = [f"{model}: {words}" if several else words for model, (_, words) in guessed.items() if words]
    return replace(evaluation, guessed=said)


def _from_memory(
    models: Mapping[str, Sequence[Path]], columns: Mapping[str, Columns], metrics: Any, *, several: bool, ids: Any
) -> Evaluation:
    profiles, truths, read = {}, {}, []
    for model, (file,) in models.items():
        found = read_rows(file, columns[model])
        if found is None:
            raise ValueError(f"{shown(file)}: there are no rows")
        profiles[model], truths[model] = found
        read.append(_what_was_read(model if several else "", [file], len(profiles[model])))
    paired = {model: _in_plain_labels(profile) for model, profile in profiles.items()}
    if ids is not None:  # what is handed out keeps the rows of the files, whose numbers readers look up
        places = places_by_id({model: file for model, (file,) in models.items()}, ids)
        paired = {model: profile[places[model]] for model, profile in paired.items()}
        truths = {model: None if truth is None else truth[places[model]] for model, truth in truths.items()}
    if not several:
        ((model, (file,)),) = models.items()
        with located(shown(file)):
            report = confidence_report(profiles[model], metrics=metrics)
        return Evaluation(report, read, profiles, None)
    report = confidence_report(paired, metrics=metrics)
    differences = None
    if len(models) > 1:
        rows = [row for row in rows_of(metrics, _shared(columns).threshold is not None) if row.name in report.index]
        differences = paired_differences(rows, paired, truths)
        if differences.table is None:  # files without labels may be of the same length by chance
            report["best_model"], report.attrs["marks"] = not_compared(rows, "files are not paired, see below")
    return Evaluation(report, read, profiles, differences)


def _in_plain_labels(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return a profile whose labels are plain texts: 1 in a Parquet file is "1" in a CSV file."""
    plainly = [] if profile.classes is None else [plain(label) for label in profile.classes]
    return profile if len(set(plainly)) < (profile.n_classes or 1) else replace(profile, classes=np.array(plainly))


def _shared(columns: Mapping[str, Columns]) -> Columns:
    """Return what models share: groups and threshold are never guessed."""
    return next(iter(columns.values()))


def _from_batches(
    models: Mapping[str, Sequence[Path]], columns: Mapping[str, Columns], metrics: Any, *, several: bool, progress: bool
) -> Evaluation:
    found = {
        model: evaluate_in_batches(files, columns[model], metrics, progress=progress) for model, files in models.items()
    }
    read = [
        _what_was_read(model if several else "", files, sum(found[model].counts)) for model, files in models.items()
    ]
    groups = _shared(columns).groups
    differences = no_differences("the files are read in batches, which keep no rows") if len(models) > 1 else None
    report = _of_groups(found, groups, several) if groups else _of_models(found, several)
    return Evaluation(report, read, {}, differences)


def _of_models(found: Mapping[str, InBatches], several: bool) -> ConfidenceReport:
    """Return the report on models whose values come from batches; NaN if a model lacks what a metric needs."""
    rows = list({row.name: row for of_model in found.values() for row in of_model.rows}.values())
    values = {model: [of_model.value(row.name) for row in rows] for model, of_model in found.items()}
    verdicts = [[of_model.verdicts.get(row.name, "") for of_model in found.values()] for row in rows]
    marks = not_compared(rows, "predictions in batches are not paired") if several else None
    return lay_out(rows, values, verdicts, {}, marks)


def _of_groups(found: Mapping[str, InBatches], groups: Sequence[Any], several: bool) -> ConfidenceReport:
    """Return values indexed by the labels of models and groups."""
    names = [*(["model"] if several else []), *groups]
    tables = []
    for model, of_model in found.items():
        labels = [group if len(groups) > 1 else (group,) for group in of_model.values.index]
        index = pd.MultiIndex.from_tuples([(*([model] if several else []), *label) for label in labels], names=names)
        tables.append(of_model.values.set_axis(index).assign(count=of_model.counts))
    return ConfidenceReport(pd.concat(tables).reset_index(level=list(range(1, len(names)))))


def _what_was_read(model: str, files: Sequence[Path], n_rows: int) -> str:
    where = shown(files[0]) if len(files) == 1 else f"{len(files):,} files"
    return f"{f'{model}: ' if model else ''}{n_rows:,} predictions from {where}."


def _plots(profiles: Mapping[str, ConfidenceProfile]) -> str:
    from skconf.inspection import ConfidenceHistogramDisplay, ReliabilityDisplay, RiskCoverageDisplay

    displays: tuple[Any, ...] = (ReliabilityDisplay, ConfidenceHistogramDisplay, RiskCoverageDisplay)
    figure = new_figure(5 * len(displays), 5)
    for display, axes in zip(displays, figure.subplots(1, len(displays)), strict=True):
        for model, profile in profiles.items():
            display.from_predictions(profile, name=model if len(profiles) > 1 else None, ax=axes)
    return figure_html(figure)
