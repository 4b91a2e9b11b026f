"""The job done on each part of the predictions, and the merge of the results."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

from skconf._core.messages import shorten
from skconf._core.warn import Notice, collected, warn
from skconf.accumulation._accumulator import MetricAccumulator
from skconf.accumulation._columns import Columns
from skconf.accumulation._totals import Totals

#: The result: an accumulator for each group, or one under None; empty if there are no rows.
Found = dict[Any, MetricAccumulator]


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

    def read(self, table: Any) -> Totals:
        """Return what the predictions in a table add to the result."""
        profile = self.columns.read(table)
        if profile is None:
            return Totals()
        groups = self.columns.read_groups(table) if self.columns.groups else None
        return self.empty._read_part(profile, groups)  # noqa: SLF001 – of the same package

    def read_part(self, table: Any, number: int) -> Totals:
        """Return what one of several parts adds."""
        with located(f"part {number} of the data"):
            return self.read(table)

    def add(self, total: Totals, part: Totals) -> None:
        """Add a part to the result."""
        self.empty._add_part(total, part)  # noqa: SLF001 – of the same package

    def accumulators(self, total: Totals) -> Found:
        """Return the accumulators of the result, those of groups in sorted order."""
        found = self.empty._of_each_group(total)  # noqa: SLF001 – of the same package
        try:
            return {group: found[group] for group in sorted(found)} if len(found) > 1 else found
        except TypeError:
            keys = found if len(self.columns.groups) == 1 else chain.from_iterable(found)
            kinds = ", ".join(sorted({type(key).__name__ for key in keys}))
            raise ValueError(
                f"the groups {shorten(self.columns.groups)} mix labels that cannot be sorted together ({kinds}): "
                "tables or folders hold them in different types. Convert them to one type."
            ) from None


@contextmanager
def located(place: object, first_row: int = 0) -> Iterator[None]:
    """Name the origin of a table in errors, and count their rows from its first row."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {counted_from(first_row, str(error))}") from None


@contextmanager
def warned_once(place: object, first_row: int, warned: set[str]) -> Iterator[None]:
    """Pass on only the first warning of each kind, with its origin: every batch may cause one."""
    with collected() as notices:
        yield
    warn_once(place, first_row, notices, warned)


def warn_once(place: object, first_row: int, notices: Iterable[Notice], warned: set[str]) -> None:
    """Warn of what is the first of its kind, with its origin."""
    for message, category in notices:
        kind = re.sub(r"[\d.]+", "", message)
        if kind not in warned:
            warned.add(kind)
            warn(f"{place}: {counted_from(first_row, message)}", category)


def counted_from(first_row: int, message: str) -> str:
    """Return a message with its rows counted from another one; pyarrow writes "Row #2"."""
    return re.sub(r"\b(row |Row #)(\d+)\b", lambda found: f"{found[1]}{int(found[2]) + first_row}", message)


def merged(parts: Iterable[Totals]) -> Totals:
    """Return what several parts add up to. They are not changed: an engine may need them again."""
    total = Totals()
    for part in parts:
        total.add(part)
    return total
