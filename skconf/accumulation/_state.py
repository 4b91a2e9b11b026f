"""The state of an accumulator: a value of fixed size that merges with the states of other parts."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import shorten
from skconf.accumulation._levels import LevelTable
from skconf.accumulation._sums import SumVector
from skconf.profile import ConfidenceProfile

#: Names of tables; all other names are those of classes.
CONFIDENCE, SCORE = "confidence", "score"


def table_of_class(weighted_by: str, code: int) -> str:
    """Return the name of the table of a class, with the weights of that name."""
    return f"class {code} weighted by {weighted_by}"


@dataclass(frozen=True, eq=False)
class Task:
    """The facts that all parts have in common.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the probability columns; None if only correctness is known.
    positive_class : int or None
        Position of the positive one.
    threshold : float or None
        Threshold of the selective classifier that the predictions came from.
    rejects : bool
        Whether that classifier has a reject label.
    of_costs : bool
        Whether answers have costs of their own, which no bound is known of.
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
        """Read them from predictions."""
        rejects = profile.reject_label is not None
        of_costs, in_groups = profile.kind == "costs", profile.groups is not None
        return cls(profile.classes, profile.positive_class, profile.threshold, rejects, of_costs, in_groups)

    @property
    def labels(self) -> list[Any] | None:
        """The classes as a list, in which labels compare equal whatever their type."""
        return None if self.classes is None else self.classes.tolist()

    @property
    def positive_label(self) -> Any:
        """The label of the positive class."""
        return None if self.labels is None or self.positive_class is None else self.labels[self.positive_class]

    def position(self, label: Any) -> int | None:
        """Return the position of a label, or of the positive one for None; raise if there is no such label."""
        if label is None:
            return self.positive_class
        if self.labels is None or label not in self.labels:
            raise ValueError(f"pos_label={label!r} is not among the labels {shorten(self.labels or [])}.")
        return self.labels.index(label)

    def check_same(self, other: "Task") -> None:
        """Raise unless another part has the same facts."""
        if self.labels != other.labels:
            mine, theirs = (
                "no labels (only correctness)" if labels is None else shorten(labels)
                for labels in (self.labels, other.labels)
            )
            raise ValueError(f"All parts must have the same labels in the same order, but got {mine} and {theirs}.")
        for name in ("positive_label", "threshold", "rejects", "of_costs", "in_groups"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(f"All parts must have the same {name}, but got {mine!r} and {theirs!r}.")


@dataclass(frozen=True, eq=False)
class State:
    """Sums and tables of some samples; immutable.

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
        Tables of the confidences; of the scores, if selection ranks by others; and of the probabilities of classes.
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
        """Return a table; that of scores is that of confidences if no part has other scores."""
        return _table(self.tables, name)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state as copied arrays."""
        arrays: dict[str, Any] = {"counts": [self.n_samples, self.n_units]}
        arrays |= {name: value for name, value in vars(self.task).items() if value is not None}
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
    """Return the tables of two parts, taken together; of a part without samples there are none."""
    if not one or not other:
        return one or other
    names = [*one, *(name for name in other if name not in one)]
    return {name: _table(one, name).merged(_table(other, name)) for name in names}


def _table(tables: Mapping[str, LevelTable], name: str) -> LevelTable:
    return tables[CONFIDENCE if name == SCORE and SCORE not in tables else name]


def digest_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash, in hexadecimal digits, that changes with any change in these arrays."""
    found = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return found.hexdigest()
