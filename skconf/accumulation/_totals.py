"""What parts of the predictions add up to, by group: the sums of all groups in one array."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.groups import Groups
from skconf.accumulation._levels import LevelTable
from skconf.accumulation._plan import Plan
from skconf.accumulation._state import State, Task, merged_tables
from skconf.accumulation._sums import SumVector, add_onto
from skconf.profile import ConfidenceProfile


@dataclass
class Totals:
    """Sums and tables of each group of predictions.

    Attributes
    ----------
    place : dict of label to int
        Position of each group; that of None where there are no groups.
    counts : ndarray of shape (n_groups, 2)
        Number of samples, and of those with positive weight.
    task : Task or None
        The facts that all predictions share; None before there are any.
    sums : SumVector or None
        The sums, with a last axis over the groups, which may have room for more.
    tables : list of dict of str to LevelTable
        Tables of each group.
    """

    place: dict[Any, int] = field(default_factory=dict)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    task: Task | None = None
    sums: SumVector | None = None
    tables: list[Mapping[str, LevelTable]] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan, profile: ConfidenceProfile, groups: Groups | None) -> Self:
        """Return those of a part; it must have passed `Plan.check`."""
        weight, labels = profile.sample_weight, [None] if groups is None else groups.labels.tolist()
        n_groups = len(labels)
        if groups is None:
            counts = np.array([[len(profile), len(profile) if weight is None else np.count_nonzero(weight)]])
            sums = plan.sums(profile)
            sums, parts = replace(sums, pairs=sums.pairs[:, :, np.newaxis]), [profile]
        else:
            rows = groups.codes, groups.codes if weight is None else groups.codes[weight > 0]
            counts = np.stack([np.bincount(of, minlength=n_groups) for of in rows], axis=1)
            sums = plan.sums(profile, groups.codes, n_groups)
            parts = [profile[of] for of in groups.members()] if plan.has_tables else []
        tables: list[Mapping[str, LevelTable]] = [{}] * n_groups
        if plan.has_tables:
            tables = [plan.tables(part, ()) for part in parts]
        return cls(dict(zip(labels, range(n_groups), strict=True)), counts, Task.of(profile), sums, tables)

    def add(self, other: Self) -> Self:
        """Add those of another part, which is not changed."""
        if other.task is None or other.sums is None:
            return self
        if self.task is None or self.sums is None:
            self.task, self.sums = other.task, replace(other.sums, pairs=np.zeros((2, *other.sums.pairs.shape[1:2], 0)))
        self.task.check_same(other.task)
        is_same = self.place == other.place
        at = None if is_same else [self.place.setdefault(label, len(self.place)) for label in other.place]
        n_groups, pairs = len(self.place), self.sums.pairs
        n_new = n_groups - len(self.counts)
        if n_new:
            self.tables += [{}] * n_new
            self.counts = np.pad(self.counts, ((0, n_new), (0, 0)))
        if n_groups > pairs.shape[2]:  # with room, as groups may come one after the other
            room = max(n_groups - pairs.shape[2], pairs.shape[2])
            pairs = np.pad(pairs, ((0, 0), (0, 0), (0, room)))
            self.sums = replace(self.sums, pairs=pairs)
        self.counts[slice(None) if at is None else at] += other.counts
        add_onto(pairs, other.sums.pairs[:, :, : len(other.place)], slice(n_groups) if at is None else at)
        if any(other.tables):
            for label, tables in zip(other.place, other.tables, strict=True):
                self.tables[self.place[label]] = merged_tables(self.tables[self.place[label]], tables)
        return self

    def states(self, groups: Iterable[Any] | None = None) -> dict[Any, State]:
        """Return the state of each group, or of some."""
        if self.task is None or self.sums is None:
            return {}
        shapes, counts, pairs = self.sums.shapes, self.counts.tolist(), self.sums.pairs
        if len(pairs) == 1:
            pairs = np.concatenate([pairs, np.zeros_like(pairs)])
        pairs = pairs.transpose(2, 0, 1)
        return {
            label: State(counts[at][0], counts[at][1], self.task, SumVector(shapes, pairs[at].copy()), self.tables[at])
            for label, at in ((group, self.place[group]) for group in (self.place if groups is None else groups))
        }
