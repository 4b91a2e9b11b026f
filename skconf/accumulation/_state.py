"""The state of an accumulator: sums with twice the digits, and tables. Its size is fixed, and states can be merged."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf.accumulation._levels import LevelTable
from skconf.metrics._base.kinds import Sums
from skconf.profile import ConfidenceProfile

#: Names of the tables of all answers; `table_of_class` names the tables of classes.
CONFIDENCE, SCORE = "confidence", "score"
#: Sums that are added at once.
_AT_ONCE = 1 << 14
#: Facts that all parts share, with words for predictions of which the fact is true.
_KINDS = {
    "rejects": "are answers of a classifier that rejects",
    "of_costs": "are costs of answers",
    "in_groups": "come in clusters",
}


def add_pairs(one: Floats, other: Floats) -> Floats:
    """Add two arrays of shape (2, ...): the first row holds numbers, and the second row their rounding errors.

    `other` may lack rounding errors; its shape is then (1, ...). The relative error of the sum is about 1e-32, so the
    order of many additions does not matter.
    """
    with np.errstate(invalid="ignore"):  # where a sum is infinite
        rounded = one[0] + other[0]
        of_other = rounded - one[0]
        rest = (one[0] - (rounded - of_other)) + (other[0] - of_other) + sum(other[1:], start=one[1])
        total = rounded + rest
        if np.isfinite(rest).all():
            return np.stack([total, rest - (total - rounded)])
        return np.stack([np.where(np.isfinite(rest), total, rounded), np.nan_to_num(rest - (total - rounded))])


def add_onto(total: Floats, other: Floats, at: Any = slice(None)) -> None:
    """Add `other` to `total` in place; both hold numbers and rounding errors, as in :func:`add_pairs`.

    If `at` is given, it holds the positions along the last axis of `total` to which `other` is added. A few sums are
    added at a time, so that they stay in the processor's cache.
    """
    n_sums, n = other.shape[1:]
    step = max(_AT_ONCE // n, 1)
    for start in range(0, n_sums, step):
        rows = slice(start, start + step)
        some = total[:, rows]
        some[:, :, at] = add_pairs(some[:, :, at], other[:, rows])


@dataclass(frozen=True, eq=False)
class SumVector:
    """Many sums of several shapes, in one vector.

    Attributes
    ----------
    shapes : dict of str to list of shapes
        Shapes of the sums by name, in the order of the names.
    pairs : ndarray of shape (2, n_sums) or (2, n_sums, n_groups)
        All sums and their rounding errors. The sums of a new part have no rounding errors yet, so their shape is
        (1, n_sums, n_groups).
    """

    shapes: Mapping[str, Sequence[Sequence[int]]]
    pairs: Floats

    @classmethod
    def of(cls, sums: Mapping[str, Sums], n_groups: int | None = None) -> Self:
        """Concatenate sums. With `n_groups`, the first axis of each array is for groups, and becomes the last axis."""
        ordered, lead = dict(sorted(sums.items())), 0 if n_groups is None else 1
        shapes, parts = {}, [np.empty((0, n_groups or 1))]
        for name, arrays in ordered.items():
            shapes[name] = list[Sequence[int]]()
            for array in arrays:
                shapes[name].append(list(array.shape[lead:]))
                parts.append(array.reshape(n_groups or 1, -1).T)
        return cls(shapes, np.concatenate(parts)[np.newaxis])

    def __add__(self, other: Self) -> "SumVector":
        return SumVector(self.shapes, add_pairs(self.pairs, other.pairs))

    def get(self, name: str) -> Sums:
        """Return the sums with this name; an empty tuple if there are none."""
        start, arrays = 0, []
        for each, shapes in self.shapes.items():
            for shape in shapes:
                end = start + prod(shape)
                if each == name:
                    arrays.append(self.pairs[0, start:end].reshape(shape))
                start = end
        return tuple(arrays)


def table_of_class(weighted_by: str, code: int) -> str:
    """Return the name of the table for a class, in which samples are weighted by `weighted_by`."""
    return f"class {code} weighted by {weighted_by}"


@dataclass(frozen=True, eq=False)
class Task:
    """The facts that all parts have in common.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the columns of probabilities. None if only correctness is known.
    positive_class : int or None
        Position of the positive class.
    threshold : float or None
        Threshold of the selective classifier that made the predictions.
    rejects : bool
        Whether the selective classifier has a reject label.
    of_costs : bool
        Whether answers have costs instead of being right or wrong. Costs have no known bound.
    in_groups : bool
        Whether answers depend on each other.
    """

    classes: NDArray[Any] | None = None
    positive_class: int | None = None
    threshold: float | None = None
    rejects: bool = False
    of_costs: bool = False
    in_groups: bool = False

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self:
        """Read these facts from predictions."""
        rejects = profile.reject_label is not None
        of_costs, in_groups = profile.kind == "costs", profile.groups is not None
        return cls(profile.classes, profile.positive_class, profile.threshold, rejects, of_costs, in_groups)

    @cached_property
    def labels(self) -> list[Any] | None:
        """The classes as a list of Python objects: labels compare as equal even if their arrays differ in dtype."""
        return None if self.classes is None else self.classes.tolist()

    @property
    def positive_label(self) -> Any:
        """The label of the positive class."""
        return None if self.labels is None or self.positive_class is None else self.labels[self.positive_class]

    def position(self, label: Any) -> int | None:
        """Return the position of a label; None stands for the positive class. Raise if there is no such label."""
        if label is None:
            return self.positive_class
        if self.labels is None or label not in self.labels:
            raise ValueError(f"pos_label={label!r} is not among the labels {shorten(self.labels or [])}.")
        return self.labels.index(label)

    def check_same(self, other: "Task") -> None:
        """Raise if another part differs in one of these facts."""
        if self.labels != other.labels:
            mine, theirs = (
                "no labels (only correctness)" if labels is None else shorten(labels)
                for labels in (self.labels, other.labels)
            )
            raise ValueError(f"All parts must have the same labels in the same order, but got {mine} and {theirs}.")
        for name, called in {"positive_label": "pos_label", "threshold": "threshold"}.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(f"All parts must have the same {called}, but got {mine!r} and {theirs!r}.")
        for name, are in _KINDS.items():
            if getattr(self, name) != getattr(other, name):
                raise ValueError(
                    f"All parts must be of the same kind, but only some {are}. Accumulate the two kinds separately."
                )


@dataclass(frozen=True, eq=False)
class State:
    """Immutable sums and tables of some samples.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    n_units : int
        Number of samples with positive weight.
    task : Task
        The facts that all their predictions share.
    sums : SumVector
        The sums of the additive metrics.
    tables : dict of str to LevelTable
        Tables of the confidences, of the probabilities of classes, and of the scores if answers are ranked by a score
        that is not the confidence.
    """

    n_samples: int
    n_units: int
    task: Task
    sums: SumVector
    tables: Mapping[str, LevelTable]

    def merged(self, other: "State") -> "State":
        """Return the merged state of two parts with equal tasks."""
        return State(
            self.n_samples + other.n_samples,
            self.n_units + other.n_units,
            self.task,
            self.sums + other.sums,
            merged_tables(self.tables, other.tables),
        )

    def table(self, name: str) -> LevelTable:
        """Return a table. If scores have no table, they are the confidences, so their table is returned."""
        return _table(self.tables, name)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state as copied arrays."""
        arrays: dict[str, Any] = {"counts": [self.n_samples, self.n_units]}
        facts = {fact.name: getattr(self.task, fact.name) for fact in fields(self.task)}
        arrays |= {name: value for name, value in facts.items() if value is not None}
        arrays |= {"shapes": json.dumps(self.sums.shapes), "sums": self.sums.pairs}
        for name, table in self.tables.items():
            arrays |= {f"{part}/{name}": array for part, array in vars(table).items()}
        return {name: np.array(array) for name, array in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the state from the arrays of :meth:`to_arrays`."""
        positive, threshold = (
            arrays[name].item() if name in arrays else None for name in ("positive_class", "threshold")
        )
        tables: dict[str, LevelTable] = {}
        for name in [key.removeprefix("level/") for key in arrays if key.startswith("level/")]:
            limit, exact, level, weight = (arrays[f"{part}/{name}"] for part in ("limit", "exact", "level", "weight"))
            tables[name] = LevelTable(int(limit), bool(exact), level, weight)
        n_samples, n_units = arrays["counts"].tolist()
        facts = (bool(arrays.get(name, False)) for name in ("rejects", "of_costs", "in_groups"))
        return cls(
            n_samples,
            n_units,
            Task(arrays.get("classes"), positive, threshold, *facts),
            SumVector(json.loads(arrays["shapes"].item()), arrays["sums"]),
            tables,
        )


def merged_tables(one: Mapping[str, LevelTable], other: Mapping[str, LevelTable]) -> Mapping[str, LevelTable]:
    """Return the merged tables of two parts. A part without samples has no tables."""
    if not one or not other:
        return one or other
    names = [*one, *(name for name in other if name not in one)]
    return {name: _table(one, name).merged(_table(other, name)) for name in names}


def _table(tables: Mapping[str, LevelTable], name: str) -> LevelTable:
    return tables[CONFIDENCE if name == SCORE and SCORE not in tables else name]


@dataclass
class Totals:
    """Sums and tables of each group of predictions.

    Attributes
    ----------
    place : dict of label to int
        Position of each group. Without groups, the only key is None.
    counts : ndarray of shape (n_groups, 2)
        Number of samples, and number of samples with positive weight.
    task : Task or None
        The facts that all predictions share. None before there are any predictions.
    sums : SumVector or None
        The sums, with groups along the last axis. This axis may have room for more groups.
    tables : list of dict of str to LevelTable
        Tables of each group.
    """

    place: dict[Any, int] = field(default_factory=dict)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    task: Task | None = None
    sums: SumVector | None = None
    tables: list[Mapping[str, LevelTable]] = field(default_factory=list)

    def add(self, other: Self) -> Self:
        """Add the sums and tables of another part, which is not changed."""
        if other.task is None or other.sums is None:
            return self
        if self.task is None or self.sums is None:
            self.task, self.sums = other.task, replace(other.sums, pairs=np.zeros((2, *other.sums.pairs.shape[1:2], 0)))
        else:
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
        """Return the state of each group, or of some groups."""
        if self.task is None or self.sums is None:
            return {}
        counts, pairs, states = self.counts.tolist(), self.sums.pairs, {}
        if len(pairs) == 1:
            pairs = np.concatenate([pairs, np.zeros_like(pairs)])
        for label in self.place if groups is None else groups:
            at = self.place[label]
            sums = SumVector(self.sums.shapes, pairs[:, :, at].copy())
            states[label] = State(counts[at][0], counts[at][1], self.task, sums, self.tables[at])
        return states
