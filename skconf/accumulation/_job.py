"""The job done on each part of the predictions, and the merge of the results."""

import copy
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

from skconf._core.warn import collected, warn
from skconf.accumulation._accumulator import MetricAccumulator
from skconf.accumulation._columns import Columns
from skconf.profile import ConfidenceProfile

#: The result: an accumulator for each group, or one under None; empty if there are no rows.
Totals = dict[Any, MetricAccumulator]


@dataclass(frozen=True)
class Job:
    """The job that is done on every part.

    Attributes
    ----------
    columns : Columns
        The columns of the predictions.
    empty : MetricAccumulator
        An empty accumulator, which is copied for each result.
    """

    columns: Columns
    empty: MetricAccumulator

    def on_parts(self, names: Iterable[Any]) -> Self:
        """Return the job for parts of a table with columns of these names; raise if columns are missing."""
        columns = self.columns.found_in(names)
        columns.check_labels_are_known()
        return replace(self, columns=columns)

    def take(self, table: Any, found: Totals) -> None:
        """Add the predictions in a table to the result."""
        profile = self.columns.read(table)
        if profile is None:
            return
        if not self.columns.groups:
            parts: Iterable[tuple[Any, ConfidenceProfile]] = [(None, profile)]
        else:
            groups = self.columns.read_groups(table)
            members = zip(groups.labels.tolist(), groups.members(), strict=True)
            parts = ((group, profile[rows]) for group, rows in members)
        for group, part in parts:
            if group not in found:
                found[group] = copy.copy(self.empty)
            found[group].update(part)

    def read(self, table: Any, number: int) -> Totals:
        """Return the result of one of several parts."""
        found: Totals = {}
        with located(f"part {number} of the data"):
            self.take(table, found)
        return found


@contextmanager
def located(place: object, first_row: int = 0) -> Iterator[None]:
    """Name the origin of a table in errors, and count their rows from its first row."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {_counted_from(first_row, str(error))}") from None


@contextmanager
def warned_once(place: object, first_row: int, warned: set[str]) -> Iterator[None]:
    """Pass on only the first warning of each kind, with its origin: every batch may cause one."""
    with collected() as notices:
        yield
    for message, category in notices:
        kind = re.sub(r"[\d.]+", "", message)
        if kind not in warned:
            warned.add(kind)
            warn(f"{place}: {_counted_from(first_row, message)}", category)


def _counted_from(first_row: int, message: str) -> str:
    return re.sub(r"\brow (\d+)\b", lambda found: f"row {int(found[1]) + first_row}", message)


def merged(parts: Iterable[Totals]) -> Totals:
    """Return the merged results of several parts. The parts are not changed: an engine may need them again."""
    total: Totals = {}
    for part in parts:
        for group, found in part.items():
            if group in total:
                total[group].merge(found)
            else:
                total[group] = copy.copy(found)
    return total
