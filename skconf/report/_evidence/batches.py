"""The rows of a report on predictions that are read batch by batch."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from skconf._core.messages import shorten
from skconf._core.problems import DataError
from skconf._core.warn import collected, warn, warn_each
from skconf.accumulation._plan import Plan
from skconf.accumulation._read import Job, read_files
from skconf.accumulation._scores import ScoreOfSums
from skconf.accumulation._state import State
from skconf.inference._assessment import Assessment
from skconf.inference._error_table import GradedSums, VerdictSums
from skconf.inference._verdict import assess_graded, assess_sums
from skconf.metrics._base.kinds import Additive
from skconf.profile import ConfidenceProfile, Kind
from skconf.report._evidence.cells import CellSums, stops_of_cells
from skconf.report._evidence.evidence import LEVEL
from skconf.report._evidence.rows import Row, rows_of
from skconf.report._evidence.stops import Stops
from skconf.scoring._names import Statistic
from skconf.tables._columns import Columns
from skconf.tables._files import BATCH_ROWS, open_table
from skconf.tables._predictions import read_predictions
from skconf.tables._rows import read_rows

#: The number of rows of a file that show which metrics its predictions allow.
_TRIAL_ROWS = 1000


class InBatches(NamedTuple):
    """The results of one model, computed batch by batch.

    Attributes
    ----------
    rows : list of Row
        The rows of the report.
    values : DataFrame
        A row for each group, or a single one; a column for each metric.
    assessment : Assessment or None
        The verdict, if there are no groups.
    counts : list of int
        Number of predictions in each group.
    kind : str
        The kind of answers: right or wrong, graded, or with costs.
    stops : Stops or None
        Thresholds. None if there are groups, or if `is_counted` is False.
    is_counted : bool
        Whether all answers are right or wrong (not graded), and there are no weights.
    """

    rows: list[Row]
    values: pd.DataFrame
    assessment: Assessment | None
    counts: list[int]
    kind: Kind
    stops: Stops | None = None
    is_counted: bool = False

    def value(self, name: str) -> float:
        """Return the value of a metric without groups; NaN if it could not be computed."""
        return float(self.values[name].iloc[0]) if name in self.values else float("nan")


def evaluate_in_batches(
    files: Sequence[Path], columns: Columns, metrics: Any, *, progress: bool, n_jobs: int | None = None
) -> InBatches:
    """Evaluate the predictions in files, in memory that does not grow with their size.

    Raise if a file is malformed, or a requested metric cannot be computed in batches.
    """
    trials = (read_rows(open_table(file), columns, _TRIAL_ROWS) for file in files)
    first = next((rows for rows in trials if rows is not None), None)
    if first is None:
        raise ValueError(f"there are no rows in {shorten(list(map(str, files)), 3)}")
    trial = first.profile
    if not columns.groups:  # which have neither a verdict nor a guarantee
        for words in first.said:
            warn(words)
    try:
        return _evaluated(files, columns, metrics, trial, progress=progress, n_jobs=n_jobs)
    except ValueError:
        graded = None if trial.kind == "graded" else _graded(files, columns)
        if graded is None:
            raise
        return _evaluated(files, columns, metrics, graded, progress=progress, n_jobs=n_jobs)


def _graded(files: Sequence[Path], columns: Columns) -> ConfidenceProfile | None:
    """Return the first batch of graded answers, which is not always the first batch; None if there is none."""
    for path in files:
        file = open_table(path)
        read_as = columns.found_in(file.names)
        if read_as.correct is None:
            return None
        for table in file.batches(read_as.needed, BATCH_ROWS):
            with suppress(ValueError):  # an error about a malformed batch comes when it is read
                profile = read_predictions(read_as, table)
                if profile is not None and profile.kind == "graded":
                    return profile
    return None


def _evaluated(
    files: Sequence[Path],
    columns: Columns,
    metrics: Any,
    trial: ConfidenceProfile,
    *,
    progress: bool,
    n_jobs: int | None,
) -> InBatches:
    """Evaluate the files. The predictions in `trial` show which metrics can be computed."""
    rows = _rows(trial, columns, metrics)
    names = [row.name for row in rows]
    evidence = GradedSums() if trial.kind == "graded" else VerdictSums()
    judging = [] if columns.groups else [Statistic(evidence.info.name, evidence)]
    is_counted = trial.kind == "right or wrong" and trial.sample_weight is None
    judging += [Statistic(CellSums.info.name, CellSums())] if judging and is_counted else []
    plan = _plan([*rows, *judging])
    totals = read_files(files, Job(columns, plan), n_jobs=n_jobs, progress=progress)
    if not any(state.n_units for state in totals.values()):
        raise no_weight(columns.weight)
    values = _values(plan, totals)[names]
    counts = [totals[group].n_samples for group in values.index]
    assessment, stops = None, None
    if judging:
        assess = assess_graded if trial.kind == "graded" else assess_sums
        state = totals[values.index[0]]
        assessment = assess(counts[0], *ScoreOfSums(judging[0]).sums(state))
        if is_counted:
            n_answers, n_errors = ScoreOfSums(judging[1]).sums(state)
            stops = stops_of_cells(n_answers, n_errors, LEVEL)
    return InBatches(rows, values, assessment, counts, trial.kind, stops, is_counted)


def no_weight(column: Any) -> DataError:
    """Return the error about weights that are all zero."""
    what = "the weights are" if column is None else f"column {column!r} is"
    text = f"{what} zero in every row, so there is nothing to evaluate."
    return DataError(text, kind="no weight", column=column)


def _plan(rows: Iterable[Statistic]) -> Plan:
    return Plan({row.name: row for row in rows}, intervals=False)


def _rows(trial: ConfidenceProfile, columns: Columns, metrics: Any) -> list[Row]:
    """Choose the metrics: the requested ones, or all metrics that do not sort all predictions."""
    by_name = metrics is not None and metrics != "all"
    asked = [row for row in rows_of(metrics, columns.threshold is not None) if row.name != "threshold"]
    if by_name and len(asked) < len(metrics):
        raise ValueError("metrics has 'threshold', which is not computed in batches. Leave it out.")
    kept, left_out = [], []
    for row in asked:
        try:
            plan = _plan([row])
            plan.check_exact(plan.read(trial).states().values())
        except ValueError:
            if by_name:
                raise
            continue
        if by_name or isinstance(row.metric, Additive) or not row.why_resampled:
            kept.append(row)
        else:
            left_out.append(row.name)
    if left_out:
        warn(f"these metrics cannot be computed in batches, and are left out: {', '.join(left_out)}")
    return kept


def _values(plan: Plan, totals: Mapping[Any, State]) -> pd.DataFrame:
    """Return values, with a row for each group. Warn of values that are not exact, because confidences were rounded."""
    with collected() as notices:
        rows = [plan.values(state) for state in totals.values()]
        values = pd.DataFrame(rows, index=pd.Index(list(totals), tupleize_cols=False))
    bounds = pd.DataFrame([plan.error_bounds(state) for state in totals.values()]).max()
    if bounds.any():
        largest = ", ".join(f"{bound:.1e} ({name})" for name, bound in bounds[bounds > 0].items())
        warn(f"confidences were rounded, which changes values by at most: {largest}")
    warn_each(notices)
    return values
