"""The job done on each part of the predictions, and the merge of the results."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

from skconf._core.messages import shorten
from skconf._core.problems import located
from skconf.accumulation._accumulator import MetricAccumulator
from skconf.accumulation._totals import Totals
from skconf.tables._columns import Columns

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


def merged(parts: Iterable[Totals]) -> Totals:
    """Return what several parts add up to. They are not changed: an engine may need them again."""
    total = Totals()
    for part in parts:
        total.add(part)
    return total
