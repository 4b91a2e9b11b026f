"""Reports on predictions in files: small files in memory, others batch by batch."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.messages import option
from skconf._core.problems import located
from skconf.report._evidence.batches import InBatches, evaluate_in_batches
from skconf.report._evidence.evidence import Evidence, Origin, SourceFile
from skconf.report._evidence.pairs import RowsOfFile, paired
from skconf.report._evidence.rows import is_chosen
from skconf.report._evidence.slices import slices_of_files
from skconf.report._frame import ConfidenceReport
from skconf.report._report import check_names, lay_out, report_on
from skconf.report._sections.document import plain_page
from skconf.report._sections.source import digest
from skconf.tables._columns import Columns
from skconf.tables._files import guess_columns, read_rows
from skconf.tables._paths import Paths, list_files, shown

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
    grades: Mapping[Any, float] | None = None,
    metrics: Any = None,
    confidence_level: float | None = None,
    in_batches: bool | None = None,
    ids: Any = None,
    slices: Any = None,
    n_jobs: int | None = None,
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
        Instead of labels and probabilities: columns of whether the prediction is right (1 or 0), or how nearly, in
        [0, 1], and of the confidence in it. None stands for ``correct`` and ``confidence``.
    weight : label, default=None
        Column of sample weights; None stands for ``sample_weight``, if there is such a column.
    groups : label or list of labels, default=None
        Columns of groups: the report has a row for each group, and a column for each metric, at any size of the files.
        To find the groups where the model fails, use `slices`.
    labels : array-like of shape (n_classes,), default=None
        Labels of the probabilities, as in :func:`~skconf.accumulate`.
    pos_label : label, default=None
        Positive class of a binary task, as in :func:`~skconf.accumulate`.
    threshold : float, default=None
        Lowest confidence at which a prediction is accepted.
    grades : mapping from label to float, default=None
        The numbers, in [0, 1], that words stand for, of confidence and of correctness: {"high": 0.9, "low": 0.3,
        "right": 1, "partly": 0.5, "wrong": 0}.
    metrics : iterable of str or callable, "all" or None, default=None
        As in :func:`confidence_report`. Metrics that need all confidences at once are left out in batches, with a
        warning.
    confidence_level : float, default=None
        Level of confidence intervals, between 0 and 1, as in :func:`confidence_report`; not in batches.
    in_batches : bool, default=None
        Read batch by batch, in memory that does not grow with the files. True does so always, False never, None if
        there are groups, a model has several files, or all files together are larger than 100 MB.
    ids : label, default=None
        Column of ids by which the rows of several models are matched, in any order, before they are compared. Each
        model must have the same ids, each once. None matches them by place, and only where the true labels
        agree row by row.
    slices : label or list of labels, default=None
        Columns by which to look where it fails, as in :func:`confidence_report`; not in batches. Texts that are numbers
        count as numbers, unless one begins with a zero, such as 007.
    n_jobs : int, default=None
        Number of threads that read in batches, as in :func:`accumulate`; any number gives the same values.
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
        grades=grades,
    )
    evaluation = evaluate_files(
        files,
        columns,
        metrics,
        in_batches=in_batches,
        progress=progress,
        ids=ids,
        slices=slices,
        confidence_level=confidence_level,
        n_jobs=n_jobs,
    )
    return evaluation.report


class Evaluation(NamedTuple):
    """A report on files, and what was read.

    Attributes
    ----------
    report : ConfidenceReport
        The report.
    read : list of str
        The files that were read, in a line for each model.
    guessed : sequence of str
        The columns that were guessed, in a line for each model.
    """

    report: ConfidenceReport
    read: list[str]
    guessed: Sequence[str]

    def text(self, width: int | None = None) -> str:
        """Return everything as text."""
        return "\n\n".join([self.report.text(width=width), "\n".join(self.read)])

    def page(self, *, anonymous: bool = False) -> str:
        """Return everything as a page."""
        if self.report.evidence is None:
            return plain_page(self.report, *([] if anonymous else [*self.read, *self.guessed]))
        return self.report.page(anonymous=anonymous)


def evaluate_files(
    files: Paths | Mapping[str, Paths],
    columns: Columns,
    metrics: Any,
    *,
    in_batches: bool | None,
    progress: bool,
    ids: Any = None,
    slices: Any = None,
    command: str = "",
    confidence_level: float | None = None,
    n_jobs: int | None = None,
) -> Evaluation:
    """Read files, in memory or in batches, and report on them, as in :func:`confidence_report_from_files`."""
    several = isinstance(files, Mapping)
    if isinstance(files, Mapping):
        check_names(files)
        models = {model: list_files(paths) for model, paths in files.items()}
    else:
        models = {"value": list_files(files)}
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
    if in_batches and slices is not None:
        raise ValueError(
            "groups, models of several files, and files of more than 100 MB are read in batches, which keep no rows to "
            f"look where they fail. Leave {option('slices')} out; {option('groups', ...)} gives the metrics of each "
            "group in batches."
        )
    if in_batches and confidence_level is not None:
        raise ValueError(
            "groups, models of several files, and files of more than 100 MB are read in batches, which give no "
            f"intervals. Leave {option('confidence_level')} out; accumulate() has intervals in batches."
        )
    guesses = {model: guess_columns(parts, columns) for model, parts in models.items()}
    found = {model: guess for model, (guess, _) in guesses.items()}
    guessed = [f"{model}: {words}" if several else words for model, (_, words) in guesses.items() if words]
    origin = Origin(command=command, read_as=guessed)
    if in_batches:
        report, counts = _from_batches(
            models, found, metrics, origin, several=several, progress=progress, n_jobs=n_jobs
        )
    else:
        asked = {"metrics": metrics, "confidence_level": confidence_level}
        report, counts = _from_memory(models, found, origin, asked, several=several, ids=ids, slices=slices)
    read = [_what_was_read(model if several else "", parts, counts[model]) for model, parts in models.items()]
    return Evaluation(report, read, guessed)


def _from_memory(
    models: Mapping[str, Sequence[Path]],
    columns: Mapping[str, Columns],
    origin: Origin,
    asked: Mapping[str, Any],
    *,
    several: bool,
    ids: Any,
    slices: Any,
) -> tuple[ConfidenceReport, dict[str, int]]:
    rows, sources = {}, []
    by = {} if slices is None else slices_of_files({model: file for model, (file,) in models.items()}, slices)
    for model, (file,) in models.items():
        found = read_rows(file, columns[model], ids=ids)
        if found is None:
            raise ValueError(f"{shown(file)}: there are no rows")
        rows[model] = RowsOfFile(file, found, by.get(model, {}))
        sources.append(SourceFile(model, _name_of([file]), len(found.profile), digest(file)))
    (first, *_), pairs = rows.values(), paired(rows, ids)
    with nullcontext() if several else located(shown(first.file)):
        report = report_on(
            pairs.profiles,
            several=several,
            **asked,
            origin=replace(origin, files=sources),
            unpaired=pairs.unpaired,
            row_numbers=pairs.row_numbers,
            row_names=pairs.row_names,
            slices=pairs.slices,
            labels=pairs.labels,
            name=sources[0].name,
        )
    return report, {model: len(of_model.found.profile) for model, of_model in rows.items()}


def _from_batches(
    models: Mapping[str, Sequence[Path]],
    columns: Mapping[str, Columns],
    metrics: Any,
    origin: Origin,
    *,
    several: bool,
    progress: bool,
    n_jobs: int | None,
) -> tuple[ConfidenceReport, dict[str, int]]:
    found = {
        model: evaluate_in_batches(files, columns[model], metrics, progress=progress, n_jobs=n_jobs)
        for model, files in models.items()
    }
    counts = {model: sum(of_model.counts) for model, of_model in found.items()}
    groups = next(iter(columns.values())).groups  # they are never guessed
    if groups:
        return _of_groups(found, groups, several), counts
    sources = [SourceFile(model, _name_of(files), counts[model]) for model, files in models.items()]
    evidence = replace(_of_models(found, several), chosen=is_chosen(metrics), origin=replace(origin, files=sources))
    return lay_out(replace(evidence, name=sources[0].name), {}), counts


def _of_models(found: Mapping[str, InBatches], several: bool) -> Evidence:
    """Return what a report on models rests on that were read in batches; NaN if a model lacks what a metric needs."""
    rows = list({row.name: row for of_model in found.values() for row in of_model.rows}.values())
    return Evidence(
        rows=rows,
        values={model: [of_model.value(row.name) for row in rows] for model, of_model in found.items()},
        several=several,
        baseline=next(iter(found)),
        unpaired=dict.fromkeys(list(found)[1:], "were read in batches, which keep no rows"),
        known={model: each.assessment for model, each in found.items() if each.assessment is not None},
        kind="graded" if any(each.kind == "graded" for each in found.values()) else "right or wrong",
    )


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
    where = shown(files[0]) if len(files) == 1 else _name_of(files)
    return f"{f'{model}: ' if model else ''}{n_rows:,} predictions from {where}."


def _name_of(files: Sequence[Path]) -> str:
    """Return the name of a file without folders, or the number of several."""
    return Path(shown(files[0])).name if len(files) == 1 else f"{len(files):,} files"
