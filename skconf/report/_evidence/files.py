"""The data of a report on predictions in files: small files are read into memory, other files batch by batch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.checks import check_prices
from skconf._core.messages import listed, option, shorten
from skconf._core.problems import DataError, located
from skconf._core.usual_names import USUAL
from skconf._core.warn import warn
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.batches import InBatches, evaluate_in_batches, no_weight
from skconf.report._evidence.by_slice import BySlice
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.logs import counts_alone, read_logs
from skconf.report._evidence.origin import NO_GRADE_ELSEWHERE, Origin, SourceFile, digest
from skconf.report._evidence.pairs import RowsOfFile, paired
from skconf.report._evidence.predictions import allowed_errors, check_names, evidence_of
from skconf.report._evidence.rows import is_chosen, rows_of
from skconf.report._evidence.slices import slices_of_files
from skconf.report._evidence.tables import TableAlone
from skconf.tables._columns import Columns
from skconf.tables._entries import as_numbers, as_series
from skconf.tables._files import FileWithTruth, FrameFile, OpenedFile, bytes_held, open_table
from skconf.tables._ids import with_truth
from skconf.tables._paths import Paths, list_files, shown, stem
from skconf.tables._rows import guess_columns, read_columns, read_graded_rows

#: The most bytes of files, after decompression, that are held in memory.
_MOST_BYTES = 100_000_000
#: The most classes without a row that are named.
_MOST_NAMED = 5


def untold(step: str) -> None:
    """Ignore the step."""


def evidence_of_files(
    files: Paths | Mapping[str, Paths],
    parameters: Mapping[str, Any],
    metrics: Any,
    *,
    in_batches: bool | None,
    progress: bool,
    ids: Any = None,
    truth: str | PathLike[str] | None = None,
    slices: Any = None,
    errors: float | Sequence[float] | None = None,
    prices: Sequence[float] | None = None,
    prevalence: Mapping[Any, float] | None = None,
    command: str = "",
    confidence_level: float | None = None,
    n_jobs: int | None = None,
    doing: Callable[[str], None] = untold,
) -> Evidence | TableAlone:
    """Read files, in memory or in batches, as :meth:`skconf.ConfidenceReport.from_files` says.

    `parameters` are those of `Columns`, by name. If files are read into memory, `doing` is called with the name of each
    step.
    """
    rows_of(metrics, has_threshold=False)  # a wrong name is an error before anything is read
    columns, several = Columns(**parameters), isinstance(files, Mapping)
    if isinstance(files, Mapping):
        check_names(files, with_ends=confidence_level is not None)
        models = {model: list_files(paths) for model, paths in files.items()}
    else:
        models = {"value": list_files(files)}
    asked = {"metrics": metrics, "confidence_level": confidence_level, "errors": errors, "prices": prices}
    asked["prevalence"] = prevalence
    needed = bool(columns.groups) or any(len(parts) > 1 for parts in models.values())
    logs = read_logs(models, columns, in_batches=needed or bool(in_batches))
    if in_batches is None:
        tables = [file for model, parts in models.items() if model not in logs.tables for file in parts]
        in_batches = needed or _are_large(tables)
    elif needed and not in_batches:
        text = "Data with groups, and models whose predictions are in several files, are read in batches."
        raise ValueError(f"{text} Leave in_batches out, or pass True.")
    if in_batches:
        of_columns = {"abstained": columns.abstained_column, "cluster": columns.cluster_column, "score": columns.score}
        _refuse_in_batches({**asked, **of_columns, "ids": ids, "truth": truth, "slices": slices})
        if columns.groups and (errors is not None or prices is not None):
            raise ValueError(
                f"{option('groups')} reports a row of metrics for each group, and no thresholds. Leave "
                f"{option('errors')} and {option('prices')} out."
            )
    counts = counts_alone(models, logs, several=several, level=confidence_level)
    if counts is not None:
        if prevalence is not None:
            raise ValueError(f"{option('prevalence')} needs true labels, but these logs have none. Leave it out.")
        return counts
    if in_batches:
        read = {model: map(open_table, parts) for model, parts in models.items()}
        columns_of, guessed = _guessed(read, logs.columns, several=several)
        origin = Origin(command=command, read_as=[*logs.said, *guessed])
        lost = allowed_errors(errors, of_costs=False), None if prices is None else check_prices(prices)
        return _from_batches(
            models, columns_of, metrics, origin, *lost, several=several, progress=progress, n_jobs=n_jobs
        )
    opened, matched = {model: _opened(file, logs.tables.get(model)) for model, (file,) in models.items()}, list[str]()
    if truth is not None:
        opened, matched = _with_truth(opened, truth, ids, columns.target)
        logs.columns.update({model: replace(each, target=USUAL["target"]) for model, each in logs.columns.items()})
    columns_of, guessed = _guessed({model: [file] for model, file in opened.items()}, logs.columns, several=several)
    origin = Origin(command=command, read_as=[*logs.said, *matched, *guessed])
    return _from_memory(opened, columns_of, origin, asked, several=several, ids=ids, slices=slices, doing=doing)


def _guessed(
    files: Mapping[str, Iterable[OpenedFile]], columns: Mapping[str, Columns], *, several: bool
) -> tuple[dict[str, Columns], list[str]]:
    """Return the columns of each model, and sentences about the columns that were guessed."""
    guesses = {model: guess_columns(opened, columns[model]) for model, opened in files.items()}
    said = [f"{model}: {words}" if several else words for model, (_, words) in guesses.items() if words]
    return {model: guess for model, (guess, _) in guesses.items()}, said


class OneFile(NamedTuple):
    """The content of a file of predictions.

    Attributes
    ----------
    profile : ConfidenceProfile
        Its predictions.
    table : DataFrame or None
        The columns for slices; None if none were requested.
    read_as : list of str
        Sentences on how the file was read.
    score : ndarray of shape (n_samples,) or None
        Another score of each answer, if there is one.
    of_hundred : bool
        Whether the confidences of the file are numbers up to 100, which were divided by 100.
    """

    profile: ConfidenceProfile
    table: pd.DataFrame | None
    read_as: list[str]
    score: NDArray[Any] | None
    of_hundred: bool


def read_file(path: Any, parameters: Mapping[str, Any], slices: Sequence[str] = ()) -> OneFile:
    """Read the predictions of a file, a table or a log, into memory.

    `parameters` are those of `Columns`, by name, and `slices` are other columns to read. Raise if there are several
    files, no rows, or columns that do not fit.
    """
    files = list_files(path)
    if len(files) > 1:
        raise ValueError(f"{path} has {len(files):,} files. Name one of them.")
    logs = read_logs({"value": files}, Columns(**parameters), in_batches=False)
    file = _opened(files[0], logs.tables.get("value"))
    if isinstance(file, FrameFile) and file.frame["confidence"].isna().all():
        text = f"this log has no confidences. Name a column of confidences with {option('confidence')}."
        raise DataError(text, kind="no confidence").at(file.name)
    columns, guessed = guess_columns([file], logs.columns["value"])
    rows = read_graded_rows(file, columns)
    if rows is None:
        raise ValueError(f"{file.name}: there are no rows")
    table = None
    if slices:
        read = read_columns(file, list(slices), "slices")
        table = pd.DataFrame({name: _cells(as_series(read[name])) for name in slices})
        table = table if rows.kept is None else table.iloc[rows.kept].reset_index(drop=True)
    score = None if rows.score is None else rows.score[rows.profile.answer_rows]
    return OneFile(rows.profile, table, [*logs.said, *filter(None, [guessed]), *rows.said], score, rows.of_hundred)


def _cells(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return the values of a column; texts that are numbers become numbers."""
    numbers = pd.Series(as_numbers(column))
    spelled = column.dropna().astype(str).tolist() == numbers.dropna().map("{:g}".format).tolist()
    return numbers if spelled else column.reset_index(drop=True)


def _opened(path: Path, log: FrameFile | None) -> OpenedFile:
    """Return the file of a model, which is opened if it is no log."""
    return open_table(path) if log is None else log


def _are_large(files: Iterable[Path]) -> bool:
    """Return whether files are too large for memory after decompression."""
    left = _MOST_BYTES
    for file in files:
        left -= bytes_held(file, left + 1)
        if left < 0:
            return True
    return False


def _refuse_in_batches(given: Mapping[str, Any]) -> None:
    """Raise if something is requested that batches cannot give."""
    lacking = {
        "ids": ("keep no rows to match", ""),
        "truth": ("keep no rows to match", ", and write the true labels into the files of predictions"),
        "slices": (
            "keep no rows that could be divided into slices",
            f"; {option('groups', ...)} gives the metrics of each group even if files are read in batches",
        ),
        "prevalence": ("give the number of rows of each class only at the end, when it is too late for weights", ""),
        "confidence_level": ("give no intervals", ", or use accumulate(), which reads in batches and gives intervals"),
        "abstained": ("count only answers", ""),
        "cluster": ("give no intervals", ""),
        "score": ("give thresholds for the confidence, but for no other score", ""),
    }
    for name, (what, instead) in lacking.items():
        if given[name] is not None:
            raise ValueError(
                "data with groups, models whose predictions are in several files, and files of more than 100 MB "
                f"(decompressed) are read in batches. Batches {what}. Leave {option(name)} out{instead}."
            )


def _from_memory(
    files: Mapping[str, OpenedFile],
    columns: Mapping[str, Columns],
    origin: Origin,
    asked: Mapping[str, Any],
    *,
    several: bool,
    ids: Any,
    slices: Any,
    doing: Callable[[str], None],
) -> Evidence:
    rows = {}
    for model, file in files.items():
        doing(f"reading {file.name}")
        rows[model] = _rows_of(file, columns[model], ids)
    if slices is not None:
        kept = {model: each.found.kept for model, each in rows.items()}
        by = slices_of_files({model: each.file for model, each in rows.items()}, slices, kept)
        rows = {model: replace(each, slices=by[model]) for model, each in rows.items()}
    said = [f"{model}: {text}" if several else text for model, each in rows.items() for text in each.found.said]
    states = {model: dict(each.found.states) for model, each in rows.items() if each.found.states}
    lacking = [f"{each.file.name}: {text}" for each in rows.values() if (text := _never_true(each.found.profile))]
    (first, *_), pairs = rows.values(), paired(rows, ids)
    for model, profile in pairs.profiles.items():
        if number := rows[model].found.profile.n_rows - profile.n_rows:
            states[model] = {**states.get(model, {}), NO_GRADE_ELSEWHERE: number}
            said.append(f"{model}: left out {number:,} {'row' if number == 1 else 'rows'} {NO_GRADE_ELSEWHERE}")
    sources = [
        _source(model if several else "", [file.path], len(pairs.profiles[model]), digest(file.path))
        for model, file in files.items()
    ]
    doing("computing metrics")
    with nullcontext() if several else located(first.file.name):
        evidence = evidence_of(pairs.profiles, several=several, **asked)
    said = list(dict.fromkeys([*origin.read_as, *said, *lacking]))
    origin = replace(origin, files=sources, read_as=said, states=states)
    score = next(iter(columns.values())).score
    of_rows = {name: found for name, found in vars(pairs).items() if name != "profiles"}  # weights may be new
    return replace(evidence, origin=origin, name=stem(sources[0].name), score_name=score, **of_rows)


def _rows_of(file: OpenedFile, columns: Columns, ids: Any) -> RowsOfFile:
    """Read the rows of a file that have a grade; raise if there is nothing to evaluate."""
    read = read_graded_rows(file, columns, ids=ids)
    if read is None:
        raise ValueError(f"{file.name}: there are no rows")
    if isinstance(file, FileWithTruth) and read.truth is None:
        text = "a column says whether predictions are right, so the true labels of another file are not read. "
        raise DataError(f"{text}Leave {option('truth')} out.", kind="several readings").at(file.name)
    if read.profile.sample_weight is not None and not read.profile.sample_weight.any():
        raise no_weight(columns.weight).at(file.name)
    return RowsOfFile(file, read)


def _with_truth(
    files: Mapping[str, OpenedFile], truth: str | PathLike[str], ids: Any, target: Any
) -> tuple[dict[str, OpenedFile], list[str]]:
    """Return the files of models with true labels from another file, and a sentence about it."""
    of_truth = list_files(truth)
    if len(of_truth) > 1:
        raise ValueError(f"{option('truth')} names {len(of_truth)} files. Name one file with all true labels.")
    matched = {model: with_truth(file, of_truth[0], ids, target) for model, file in files.items()}
    said = list(dict.fromkeys(said for _, said in matched.values()))
    return {model: file for model, (file, _) in matched.items()}, said


def _never_true(profile: ConfidenceProfile) -> str:
    """Return which classes of the probabilities are never a true label; "" if there are none."""
    if profile.classes is None or profile.true_class is None:
        return ""
    count = np.bincount(profile.true_class, minlength=len(profile.classes))
    never = [str(label) for label in profile.classes[count == 0]]
    such = listed(never) if len(never) <= _MOST_NAMED else f"{', '.join(never[:_MOST_NAMED])} and others"
    occur = "occurs" if len(never) == 1 else "occur"
    return f"{len(never):,} of {len(count):,} classes never {occur} among the true labels: {such}" if never else ""


def _from_batches(
    models: Mapping[str, Sequence[Path]],
    columns: Mapping[str, Columns],
    metrics: Any,
    origin: Origin,
    errors: Sequence[float],
    prices: tuple[float, float] | None,
    *,
    several: bool,
    progress: bool,
    n_jobs: int | None,
) -> Evidence | TableAlone:
    results = {
        model: evaluate_in_batches(files, columns[model], metrics, progress=progress, n_jobs=n_jobs)
        for model, files in models.items()
    }
    sources = [_source(model if several else "", files, sum(results[model].counts)) for model, files in models.items()]
    origin = replace(origin, files=sources)
    groups = next(iter(columns.values())).groups  # they are never guessed
    if groups:
        by_group = {}
        for model, found in results.items():
            if (compared := _compared_groups(found, groups, columns[model])) is not None:
                by_group[model if several else ""] = compared
        frame = _of_groups(results, groups, several)
        return TableAlone(frame, origin, n_names=several + len(groups), several=several, by_group=by_group)
    evidence = replace(
        _of_models(results, several), chosen=is_chosen(metrics), origin=origin, name=stem(sources[0].name)
    )
    if (errors or prices is not None) and not evidence.stops:
        warn(
            f"{option('errors')} and {option('prices')} are unused: they need thresholds, which are not "
            "computed in batches if there are weights or grades"
        )
    return replace(evidence, errors=errors, prices=prices)


def _of_models(results: Mapping[str, InBatches], several: bool) -> Evidence:
    """Return the data of a report on models read in batches. A value is NaN if its metric lacks an input."""
    rows = list({row.name: row for of_model in results.values() for row in of_model.rows}.values())
    return Evidence(
        rows=rows,
        values={model: [of_model.value(row.name) for row in rows] for model, of_model in results.items()},
        several=several,
        baseline=next(iter(results)),
        unpaired=dict.fromkeys(list(results)[1:], "were read in batches, which keep no rows"),
        known={model: each.assessment for model, each in results.items() if each.assessment is not None},
        known_stops={model: each.stops for model, each in results.items() if each.stops is not None},
        known_kind="graded" if any(each.kind == "graded" for each in results.values()) else "right or wrong",
    )


def _compared_groups(found: InBatches, groups: Sequence[Any], columns: Columns) -> BySlice | None:
    """Return the share of right answers in each group; None if it cannot be counted, or was not requested."""
    needed = ["accuracy_score", "mean_confidence"]
    if not found.is_counted or columns.threshold is not None or not set(needed) <= set(found.values.columns):
        return None
    right, says = (found.values[name].to_numpy(dtype=np.float64) for name in needed)
    labels = [group if len(groups) > 1 else (group,) for group in found.values.index]
    names = [", ".join(f"{at} = {each}" for at, each in zip(groups, label, strict=True)) for label in labels]
    return BySlice.of_counts(names, found.counts, right, says, LEVEL)


def _of_groups(results: Mapping[str, InBatches], groups: Sequence[Any], several: bool) -> pd.DataFrame:
    """Return values indexed by the labels of models and groups."""
    names = [*(["model"] if several else []), *groups]
    columns = [*next(iter(results.values())).values.columns, "count", *(["model"] if several else [])]
    if taken := [group for group in dict.fromkeys(groups) if group in columns]:
        raise DataError(
            f"the groups {shorten(taken)} have the same names as columns of the report. Rename them in the file, or "
            f"choose other metrics with {option('metrics')}.",
            kind="repeated column",
            column=taken[0],
        )
    tables = []
    for model, of_model in results.items():
        labels = [group if len(groups) > 1 else (group,) for group in of_model.values.index]
        index = pd.MultiIndex.from_tuples([(*([model] if several else []), *label) for label in labels], names=names)
        tables.append(of_model.values.set_axis(index).assign(count=of_model.counts))
    return pd.concat(tables).reset_index(level=list(range(1, len(names))))


def _source(model: str, files: Sequence[Path], n_rows: int, digest: str = "") -> SourceFile:
    """Describe the files of a model."""
    return SourceFile(model, shown(files[0]) if len(files) == 1 else f"{len(files):,} files", n_rows, digest)
