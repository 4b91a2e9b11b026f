"""What an accumulator has found: a value of fixed size that merges with that of other parts."""

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

#: Names of tables; others are those of classes.
CONFIDENCE, SCORE = "confidence", "score"


def table_of_class(weighted_by: str, code: int) -> str:
    """Return the name of the table of a class, under weights of that name."""
    return f"class {code} weighted by {weighted_by}"


@dataclass(frozen=True, eq=False)
class Task:
    """The task that all parts have in common.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the probability columns; None of parts that are correctness alone.
    positive_class : int or None
        Position of the positive one.
    threshold : float or None
        Threshold of the selective classifier that the predictions came from.
    rejects : bool
        Whether that classifier has a reject label.
    """

    classes: NDArray[Any] | None = None
    positive_class: int | None = None
    threshold: float | None = None
    rejects: bool = False

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self:
        """Read them off predictions."""
        rejects = profile.reject_label is not None
        return cls(profile.classes, profile.positive_class, profile.threshold, rejects)

    @property
    def labels(self) -> list[Any] | None:
        """The classes as a list, which says what is the same label whatever its type."""
        return None if self.classes is None else self.classes.tolist()

    @property
    def positive_label(self) -> Any:
        """The label of the positive class."""
        return None if self.labels is None or self.positive_class is None else self.labels[self.positive_class]

    def position(self, label: Any) -> int | None:
        """Return the position of a label, that of the positive one for None; or raise where there is no such label."""
        if label is None:
            return self.positive_class
        if self.labels is None or label not in self.labels:
            raise ValueError(f"pos_label={label!r} is not among the labels {shorten(self.labels or [])}.")
        return self.labels.index(label)

    def check_same(self, other: "Task") -> None:
        """Raise unless another part has the same."""
        if self.labels != other.labels:
            mine, theirs = (
                "no labels (correctness alone)" if labels is None else shorten(labels)
                for labels in (self.labels, other.labels)
            )
            raise ValueError(
                f"All parts must have the same labels in the same order, but there are {mine}, and {theirs}."
            )
        for name in ("positive_label", "threshold", "rejects"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(f"All parts must have the same {name}, but there are {mine!r} and {theirs!r}.")


@dataclass(frozen=True, eq=False)
class State:
    """Sums and tables of some samples; it is never changed.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    n_units : int
        Number of those that have weight.
    task : Task
        The task that they are of.
    sums : SumVector
        What the additive metrics are made of.
    tables : dict of str to LevelTable
        Of the confidences; of the scores, where selection ranks by others; and of the probabilities of classes.
    """

    n_samples: int
    n_units: int
    task: Task
    sums: SumVector
    tables: Mapping[str, LevelTable]

    def merged(self, other: "State") -> "State":
        """Return the state of both parts, whose tasks are the same."""
        names = [*self.tables, *(name for name in other.tables if name not in self.tables)]
        return State(
            self.n_samples + other.n_samples,
            self.n_units + other.n_units,
            self.task,
            self.sums + other.sums,
            {name: self.table(name).merged(other.table(name)) for name in names},
        )

    def table(self, name: str) -> LevelTable:
        """Return a table; scores are the confidences where no part has others."""
        return self.tables[CONFIDENCE if name == SCORE and SCORE not in self.tables else name]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state as arrays, which are copies."""
        arrays: dict[str, Any] = {"counts": [self.n_samples, self.n_units]}
        arrays |= {name: value for name, value in vars(self.task).items() if value is not None}
        arrays |= {"shapes": json.dumps(self.sums.shapes), "sums": self.sums.pairs}
        for name, table in self.tables.items():
            arrays |= {f"{part}/{name}": array for part, array in vars(table).items()}
        return {name: np.array(array) for name, array in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the state behind the arrays of :meth:`to_arrays`."""
        positive, threshold = (
            arrays[name].item() if name in arrays else None for name in ("positive_class", "threshold")
        )
        tables: dict[str, LevelTable] = {}
        for name in [key.removeprefix("level/") for key in arrays if key.startswith("level/")]:
            limit, exact, level, weight = (arrays[f"{part}/{name}"] for part in ("limit", "exact", "level", "weight"))
            tables[name] = LevelTable(int(limit), bool(exact), level, weight)
        n_samples, n_units = arrays["counts"].tolist()
        return cls(
            n_samples,
            n_units,
            Task(arrays.get("classes"), positive, threshold, bool(arrays["rejects"])),
            SumVector(json.loads(arrays["shapes"].item()), arrays["sums"]),
            tables,
        )
