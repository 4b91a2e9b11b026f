"""Tables of numbers: by class, of thresholds, and of slices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.by_slice import BySlice
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.origin import Origin

_BY_CLASS = ("cw_precision", "cw_recall", "cw_f1", "cprecision", "crecall", "cf1")
#: The names of the expected and of the observed average, by kind.
_SAID_AND_WAS = {
    "right or wrong": ("confidence", "accuracy"),
    "graded": ("confidence", "correctness"),
    "costs": ("uncertainty", "cost"),
}


@dataclass(frozen=True)
class TableAlone:
    """A report that is only a table, of classes or of groups.

    Attributes
    ----------
    frame : DataFrame
        The table.
    origin : Origin
        The origin of the predictions.
    rows : {"group", "class"}
        The kind of rows.
    n_names : int
        Number of columns that name a row: the index counts as one, and the others are the first columns of the table.
    several : bool
        Whether the index names models.
    by_group : mapping of str to BySlice
        The accuracy of each model in each group, if it is known. The key of a single model is "".
    """

    frame: pd.DataFrame
    origin: Origin = field(default_factory=Origin)
    rows: Literal["group", "class"] = "group"
    n_names: int = 1
    several: bool = False
    by_group: Mapping[str, BySlice] = field(default_factory=dict)

    @property
    def named(self) -> pd.DataFrame:
        """The table with the columns that name the rows joined in its index, so that each part of it names its rows."""
        names = [self.frame.index, *(self.frame.iloc[:, at] for at in range(self.n_names - 1))]
        rows = [", ".join(map(str, row)) for row in zip(*names, strict=True)]
        titles = [str(self.frame.index.name), *map(str, self.frame.columns[: self.n_names - 1])]
        return self.frame.iloc[:, self.n_names - 1 :].set_axis(pd.Index(rows, name=", ".join(titles)))

    def anonymous(self) -> "TableAlone":
        """Return the same table with numbers instead of the names of models, groups and classes, and without files."""
        names = [self.frame.index, *(self.frame.iloc[:, at] for at in range(self.n_names - 1))]
        frame = self.frame.iloc[:, self.n_names - 1 :]
        rows = _numbered(self.rows, list(zip(*names[self.several :], strict=True)))
        if not self.several:
            by_group = {model: _renamed(each, rows) for model, each in self.by_group.items()}
            return TableAlone(frame.set_axis(pd.Index(rows, name=self.rows)), rows=self.rows, by_group=by_group)
        models = _numbered("model", list(names[0]))
        number = dict(zip(names[0], models, strict=True))
        by_group = {
            number[model]: _renamed(each, [row for row, name in zip(rows, names[0], strict=True) if name == model])
            for model, each in self.by_group.items()
        }
        frame = frame.set_axis(pd.Index(models, name="model"))
        frame.insert(0, self.rows, rows)
        return TableAlone(frame, rows=self.rows, n_names=2, several=True, by_group=by_group)


def _renamed(by_group: BySlice, rows: Sequence[str]) -> BySlice:
    """Return the same groups with other names, which are in the order of the table."""
    return replace(by_group, names=[rows[code] for code in by_group.shares.code])


def _numbered(what: str, names: Sequence[Any]) -> list[str]:
    """Return a number for each distinct name, in the order of the names."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
    return [f"{what} {numbers[name]}" for name in names]


def table_of_classes(profile: ConfidenceProfile, zero_division: Any = "warn") -> TableAlone:
    """Compute the metrics of each class."""
    frame = pd.DataFrame(index=pd.Index(profile.require("classes"), name="class"))
    for stem in _BY_CLASS:
        frame[stem] = get_metric(f"{stem}_score", average=None, zero_division=zero_division)(profile)
    frame["ece"] = [_one_against_the_rest(profile, position) for position in range(len(frame))]
    frame["support"] = np.bincount(profile.require("true_class"), profile.given_weight, len(frame))
    return TableAlone(frame, rows="class")


def _one_against_the_rest(profile: ConfidenceProfile, position: int) -> float:
    """Compute the calibration error of the probability of one class."""
    # The check of the input tolerates rounding errors above 1 or below 0.
    sure = np.clip(profile.proba[:, position].astype(np.float64), 0.0, 1.0)
    present = profile.require("true_class") == position
    task = ConfidenceProfile.from_correctness(present, sure, sample_weight=profile.sample_weight)
    return float(get_metric("expected_calibration_error")(task))


def table_of_thresholds(evidence: Evidence) -> pd.DataFrame:
    """Return the thresholds for allowed errors, with a row for each model and target."""
    rows = []
    for model in filter(evidence.stops.__contains__, evidence.values):  # in the order in which they were named
        stops = evidence.stops[model]
        for target in evidence.targets:
            row = {"model": model, "target": target}
            stop, guarantee = stops.at_most_wrong(target), evidence.guarantee(model, target)
            if stop >= 0:
                low, high = stops.ends(stop)
                row |= {"threshold": stops.threshold(stop), "coverage": stops.answered[stop]}
                row |= {"risk": stops.wrong[stop], "risk_low": float(low), "risk_high": float(high)}
            if guarantee.status == "guaranteed":
                row |= {"guaranteed_threshold": stops.threshold(guarantee.stop)}
                row |= {"guaranteed_coverage": stops.answered[guarantee.stop]}
            rows.append({**row, "guarantee": guarantee.status, "n_needed": guarantee.needed})
    columns = ["model", "target", "threshold", "coverage", "risk", "risk_low", "risk_high"]
    columns += ["guaranteed_threshold", "guaranteed_coverage", "guarantee", "n_needed"]
    return pd.DataFrame(rows, columns=columns)


def table_of_slices(evidence: Evidence) -> pd.DataFrame:
    """Return the slices of all models, worst first, with p-values for overconfidence."""
    said, was = _SAID_AND_WAS[evidence.kind]
    columns = ["model", "slice", "n_samples", said, was, "low", "high", "p_value"]
    tables = []
    for model, slices in evidence.by_slice.items():
        shares = slices.shares
        numbers = (shares.count, shares.says, shares.right, shares.low, shares.high, slices.p_values)
        table = pd.DataFrame(dict(zip(columns[2:], numbers, strict=True)))
        table.insert(0, "slice", list(slices.names))
        table.insert(0, "model", [model] * len(table))
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
