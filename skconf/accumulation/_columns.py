"""Predictions in tables: which columns hold what, and what their entries mean."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.labels import LabelColumn
from skconf._core.messages import shorten, suggest
from skconf.accumulation._plan import weigh_part
from skconf.inference._inputs import Groups, read_groups
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile

#: What the columns of probabilities are called, before the label.
PREFIX = "proba_"
#: What other columns are called by default.
USUAL = {
    "target": "y_true",
    "prediction": "y_pred",
    "correct": "correct",
    "confidence": "confidence",
    "weight": "sample_weight",
}
_TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Columns:
    """The names of columns, and what is the same for all rows.

    Attributes
    ----------
    target, prediction, correct, confidence, weight : label or None
        Names of columns; None stands for the usual name, where there is such a column.
    proba : sequence of labels
        Names of the columns of probabilities.
    groups : sequence of labels
        Names of the columns of groups.
    labels : sequence of labels or None
        Labels of the columns of probabilities.
    pos_label : label or None
        Positive class of a binary task.
    threshold : float or None
        Score from which on a prediction is accepted.
    """

    target: Any = None
    proba: Sequence[Any] = ()
    prediction: Any = None
    correct: Any = None
    confidence: Any = None
    weight: Any = None
    groups: Sequence[Any] = ()
    labels: Sequence[Any] | None = None
    pos_label: Any = None
    threshold: float | None = None
    needed: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        if self.threshold is not None:
            get_metric("coverage_score", threshold=self.threshold)  # raises where it is out of range
        single = (getattr(self, name) for name in USUAL)
        needed = [*(name for name in single if name is not None), *self.proba, *self.groups]
        object.__setattr__(self, "needed", list(dict.fromkeys(needed)))

    def found_in(self, names: Iterable[Any]) -> "Columns":
        """Return the columns that a table has, with the usual names where none was given.

        Raises
        ------
        ValueError
            If a column is missing, or those that there are do not make predictions.
        """
        there = list(names)
        self.check(there)
        given = self.correct is not None or self.confidence is not None
        found: dict[str, Any] = {
            name: usual if getattr(self, name) is None and usual in there else getattr(self, name)
            for name, usual in USUAL.items()
        }
        proba = list(self.proba) or [name for name in there if str(name).startswith(PREFIX)]
        proba = proba or [name for name in ("y_proba",) if name in there]
        if found["target"] is not None and proba and not given:
            return replace(self, **{**found, "proba": proba, "correct": None, "confidence": None})
        labels_tell = found["target"] is not None and found["prediction"] is not None
        if found["confidence"] is None or (found["correct"] is None and not labels_tell):
            raise ValueError(
                f"no predictions were found in the columns {shorten(there)}. Name those with the true labels (target) "
                "and the probabilities (proba), or whether predictions are right (correct) and the confidence in them "
                "(confidence)."
            )
        if found["correct"] is not None:
            found |= {"target": None, "prediction": None}
        return replace(self, **{**found, "proba": ()})

    def check(self, names: Iterable[Any]) -> None:
        """Raise if one of the columns is missing."""
        there = dict.fromkeys(names)
        for name in self.needed:
            if name not in there:
                raise ValueError(
                    f"there is no column {name!r}.{suggest(name, map(str, there))} There are {shorten(list(there))}."
                )

    @property
    def column_labels(self) -> list[Any] | None:
        """Labels of the columns of probabilities: as given, or what their names say, else None."""
        if self.labels is not None:
            return list(self.labels)
        named = [str(name).removeprefix(PREFIX) for name in self.proba if str(name).startswith(PREFIX)]
        return named if len(named) == len(self.proba) > 1 else None

    def check_labels_are_known(self) -> None:
        """Raise if only all rows together could tell the labels of the columns of probabilities."""
        if self.proba and self.column_labels is None:
            raise ValueError(
                f"the labels of the columns {shorten(list(self.proba))} are not known, and a part of the rows may lack "
                f"some: give labels, in the order of the columns, or call the columns {PREFIX}LABEL."
            )

    def read(self, table: Any) -> ConfidenceProfile | None:
        """Return the predictions in a table, or None where it has no rows.

        Parameters
        ----------
        table : DataFrame of pandas or polars, Table or RecordBatch of pyarrow, or mapping of arrays
            It has all the columns: `found_in` was asked before.

        Raises
        ------
        ValueError
            If an entry is missing or not what is needed.
        """
        self.check(column_names(table))
        if len(table[self.needed[0]]) == 0:
            return None
        weight = None if self.weight is None else _numbers(table, self.weight)
        try:
            profile = self._classes(table) if self.proba else self._correctness(table)
        except ValueError as error:
            names = {name: getattr(self, name) for name in USUAL} | {"proba": list(self.proba)}
            used = ", ".join(f"{name}={value!r}" for name, value in names.items() if value not in (None, []))
            raise ValueError(f"{error} (columns: {used})") from None
        profile = weigh_part(profile, weight)
        return profile if self.threshold is None else replace(profile, threshold=self.threshold)

    def read_groups(self, table: Any) -> Groups:
        """Return the group of every row of a table."""
        columns = {name: _labels(table, name) for name in self.groups}
        return read_groups(columns, len(table[self.groups[0]]), "groups")

    def _classes(self, table: Any) -> ConfidenceProfile:
        target = _labels(table, self.target)
        labels, positive = self.column_labels, self.pos_label
        if positive is None and len(self.proba) == 1 and str(self.proba[0]).startswith(PREFIX):
            positive = str(self.proba[0]).removeprefix(PREFIX)
        parts = [_numbers(table, name) for name in self.proba]
        return ConfidenceProfile.from_predictions(
            target,
            parts[0] if len(parts) == 1 else np.stack(parts, axis=1),
            y_pred=None if self.prediction is None else _labels(table, self.prediction),
            labels=_in_order(target) if labels is None else _as_those_of(target, labels),
            pos_label=None if positive is None else _as_those_of(target, [positive])[0],
        )

    def _correctness(self, table: Any) -> ConfidenceProfile:
        confidence = _numbers(table, self.confidence)
        if self.correct is not None:
            return ConfidenceProfile.from_correctness(_numbers(table, self.correct), confidence)
        truth = LabelColumn(_labels(table, self.target), str(self.target))
        predicted = LabelColumn(_labels(table, self.prediction), str(self.prediction))
        predicted.unseen_in(truth.sorted_distinct())  # raises where texts would be compared with numbers
        where = {label: code for code, label in enumerate(truth.distinct)}
        codes = np.array([where.get(label, -1) for label in predicted.distinct])[predicted.codes]
        return ConfidenceProfile.from_correctness(codes == truth.codes, confidence)


def column_names(table: Any) -> list[Any]:
    """Return the names of the columns of a table of any kind."""
    names = getattr(table, "column_names", None)  # of pyarrow
    return list(names if names is not None else getattr(table, "columns", table))


def _labels(table: Any, name: Any) -> Any:
    """Return a column of labels; none of them is missing, or an empty text."""
    values = table[name]
    if library_of(values) == "pyarrow":
        import pyarrow as pa

        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            values = values.dictionary_encode()  # text by text would take many times longer
        values = pd.Series(values.to_pandas())
    elif library_of(values) == "polars":
        values = pd.Series(values.to_numpy())
    values = values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))
    missing = values.isna()
    if not pd.api.types.is_numeric_dtype(values.dtype):
        missing |= values == ""
    _refuse(name, values, missing, "a label")
    return values if isinstance(values.dtype, pd.CategoricalDtype) else values.to_numpy()


def _numbers(table: Any, name: Any) -> NDArray[Any]:
    """Return a column of numbers, or one of lists of numbers in two dimensions, in the type they have."""
    values = table[name]
    if library_of(values) == "pyarrow":
        values = _numbers_of_arrow(values)
    elif library_of(values) == "polars":
        values = values.to_numpy()
    found = np.asarray(values)
    if found.dtype == object and len(found) and isinstance(found[0], list | tuple | np.ndarray):
        if len(set(map(len, found))) > 1:
            raise ValueError(f"column {name!r} has lists of different lengths.")
        found = np.stack(list(found))
    if found.dtype.kind not in "fiub":
        numbers = pd.to_numeric(pd.Series(found), errors="coerce").to_numpy()
        _refuse(name, found, np.isnan(numbers), "a number")
        return numbers
    if found.dtype.kind == "f":
        missing = np.isnan(found)
        _refuse(name, found, missing if missing.ndim == 1 else missing.any(axis=1), "a number")
    return found


def _numbers_of_arrow(values: Any) -> Any:
    """Return a column of pyarrow as an array, without a copy where it can be."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            values = pc.cast(values, pa.float64())
        except pa.ArrowInvalid:  # pandas tells in which row
            return values.to_pandas()
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    if is_list and not values.null_count:
        flat = values.flatten()
        lengths = pc.min_max(pc.list_value_length(values)).as_py()
        if lengths["min"] == lengths["max"] and not flat.null_count:
            return flat.to_numpy(zero_copy_only=False).reshape(len(values), lengths["max"])
    return values.to_numpy(zero_copy_only=False)


def library_of(values: Any) -> str:
    """Return the name of the package that an object is of."""
    return type(values).__module__.partition(".")[0]


def _refuse(name: Any, values: Any, wrong: Any, needed: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        entry = np.asarray(values[row : row + 1], dtype=object)[0]
        raise ValueError(f"column {name!r} has {entry!r} in row {row}, where {needed} is needed.")


def _in_order(target: Any) -> list[Any] | None:
    """Return the labels there are in the order of numbers, where texts are numbers: 10 comes after 9."""
    distinct = pd.Series(pd.unique(target))
    if pd.api.types.is_numeric_dtype(distinct.dtype):
        return None
    numbers = pd.to_numeric(distinct, errors="coerce")
    return None if numbers.isna().any() else distinct.iloc[numbers.argsort()].tolist()


def _as_those_of(target: Any, labels: list[Any]) -> list[Any]:
    """Return labels that are given as texts in the type of those in a column."""
    if not all(isinstance(label, str) for label in labels):
        return labels
    values = target.dtype.categories if isinstance(target, pd.Series) else target
    kind = pd.api.types.infer_dtype(values, skipna=False)
    try:
        if kind == "boolean":
            return [_TRUTH[label.lower()] for label in labels]
        if kind == "integer":
            return [int(label) for label in labels]
        if kind == "floating":
            return [float(label) for label in labels]
    except (KeyError, ValueError):
        raise ValueError(
            f"the true labels are of type {kind}, such as {values[0]!r}, and the labels of the probabilities are "
            f"{shorten(labels)}. Give labels, in the order of the columns of probabilities."
        ) from None
    return labels
