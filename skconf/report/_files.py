"""Reports on files that are read batch by batch, with the rows of a report on predictions in memory."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from skconf._core.messages import shorten
from skconf._core.warn import warn
from skconf.accumulation._accumulator import MetricAccumulator
from skconf.accumulation._columns import Columns
from skconf.accumulation._files import read_files, read_rows
from skconf.accumulation._job import Job
from skconf.accumulation._plan import Plan
from skconf.metrics._base.kinds import Additive
from skconf.report import ConfidenceReport
from skconf.report._rows import Row, rows_of
from skconf.report._verdicts import SIGMAS, in_words
from skconf.scoring._names import Statistic

#: Rows of a file that tell which metrics its predictions can have.
_TRIAL_ROWS = 1000


def report_on_files(files: Sequence[Path], columns: Columns, metrics: Any) -> tuple[ConfidenceReport, int]:
    """Return the report on all predictions, or a table with a row for each group; and the number of predictions.

    Raises
    ------
    ValueError
        If a file is malformed, or a metric is asked for by its name that is not to be had in batches.
    """
    rows = _rows(files, columns, metrics)
    names = [row.name for row in rows]
    sigmas = {name: Statistic(f"verdict on {name}", metric) for name, metric in SIGMAS.items() if name in names}
    found = read_files(files, Job(columns, _RowAccumulator([*rows, *sigmas.values()])), progress=True)
    values = _values(found)
    count = [found[group].n_samples for group in values.index]
    if columns.groups:
        return ConfidenceReport(_by_group(values[names], columns.groups, count)), sum(count)
    (value,) = values.to_dict("records")
    frame = pd.DataFrame({"value": [value[name] for name in names]}, index=pd.Index(names, name="metric"))
    frame["best"] = [row.best for row in rows]
    frame["better"] = [row.better for row in rows]
    frame["range"] = pd.arrays.IntervalArray.from_tuples([row.bounds for row in rows], closed="both")
    frame["verdict"] = [in_words(value[sigmas[name].name]) if name in sigmas else "" for name in names]
    return ConfidenceReport(frame), sum(count)


class _RowAccumulator(MetricAccumulator):
    """An accumulator of the rows of a report, which are more than scorers."""

    def __init__(self, rows: Iterable[Statistic]) -> None:
        self._rows = {row.name: row for row in rows}
        super().__init__("coverage")

    def _make_plan(self) -> Plan:
        return Plan(self._rows, intervals=False, max_levels=self._max_levels)


def _rows(files: Sequence[Path], columns: Columns, metrics: Any) -> list[Row]:
    """Return the rows of the report: those asked for, or all that these predictions have without a sort of all."""
    by_name = metrics is not None and metrics != "all"
    asked = [row for row in rows_of(metrics, columns.threshold is not None) if row.name != "threshold"]
    if by_name and len(asked) < len(metrics):
        raise ValueError("threshold is not read off predictions in batches: it is what you give. Leave it out.")
    trials = (read_rows(file, columns, _TRIAL_ROWS) for file in files)
    trial = next((profile for profile in trials if profile is not None), None)
    if trial is None:
        raise ValueError(f"there are no rows in {shorten(list(map(str, files)), 3)}")
    kept, left_out = [], []
    for row in asked:
        try:
            _RowAccumulator([row]).update(trial)
        except ValueError:
            if by_name:
                raise
            continue
        if by_name or isinstance(row.metric, Additive) or not row.why_resampled:
            kept.append(row)
        else:
            left_out.append(row.name)
    if left_out:
        warn(f"not to be had in batches: {', '.join(left_out)}")
    return kept


def _values(found: Mapping[Any, MetricAccumulator]) -> pd.DataFrame:
    """Return values with a row for each group, and one warning of those that are not exact."""
    groups = sorted(found) if len(found) > 1 else list(found)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There are too many distinct confidences")
        values = pd.DataFrame([found[group].result() for group in groups], index=pd.Index(groups, tupleize_cols=False))
    bounds = pd.DataFrame([total.error_bounds() for total in found.values()]).max()
    if bounds.any():
        told = ", ".join(f"{name} by {bound:.1e}" for name, bound in bounds[bounds > 0].items())
        warn(f"confidences were rounded, which changes values at most: {told}")
    return values


def _by_group(values: pd.DataFrame, names: Sequence[str], count: list[int]) -> pd.DataFrame:
    """Return the values with the labels of the groups, the first of which are the index."""
    labels = [group if len(names) > 1 else (group,) for group in values.index]
    index = pd.MultiIndex.from_tuples(labels, names=names)
    table = values.set_axis(index).assign(count=count)
    return table.reset_index(level=list(range(1, len(names))))
