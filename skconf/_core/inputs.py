"""Checks of the columns of predictions: labels, weights and other numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf._core.arrays import as_floats
from skconf._core.columns import plain
from skconf._core.labels import LabelColumn, check_labels
from skconf._core.messages import brief, counted, listed, option, shorten
from skconf._core.probabilities import Floats
from skconf._core.problems import refuse_where
from skconf._core.warn import warn

#: Weights are scaled so that a product of four neither overflows nor vanishes: the largest weight lies between the
#: inverse of this number and this number. A weight that is smaller than the largest by more than this factor counts as
#: zero.
WEIGHT_RANGE = 1e30


#: A warning of metrics that read weights as repetition counts, where all weights are below 1. The name of the metric
#: comes before it, and the sum of the weights fills the place.
BELOW_ONE = (
    "uses sample_weight as repetition counts, but all weights are below 1 (their sum is {:.3g}). If only the ratios "
    "of the weights matter, divide the weights by their mean: sample_weight / sample_weight.mean()."
)


def check_weight(sample_weight: ArrayLike | None, n_samples: int) -> Floats | None:
    """Return a copy of weights as float64; raise if a weight is negative or if all are zero."""
    if sample_weight is None:
        return None
    weight = check_column(sample_weight, n_samples, "sample_weight")
    if weight.min() < 0:
        refuse_where(weight < 0, weight, "sample_weight", "weights must not be negative", kind="negative")
    if not weight.any():
        raise ValueError("sample_weight is zero for all samples. At least one sample must have a positive weight.")
    return weight


def scaled_weight(sample_weight: ArrayLike | None, n_samples: int) -> tuple[Floats | None, float]:
    """Return checked weights in a safe range, and the power of two by which they were divided.

    Weights are divided only if the largest is far from 1. Their ratios stay the same, so values that depend only on
    ratios do not change.
    """
    weight = check_weight(sample_weight, n_samples)
    if weight is None:
        return None, 1.0
    largest, scale = float(weight.max()), 1.0
    if not 1 / WEIGHT_RANGE <= largest <= WEIGHT_RANGE:
        scale = 2.0 ** float(np.frexp(largest)[1] - 1)
        weight /= scale
    least = weight.max() / WEIGHT_RANGE
    if weight.min() < least and (negligible := (weight > 0) & (weight < least)).any():
        row = int(np.argmax(negligible))
        warn(
            f"sample_weight is {weight[row] * scale:g} in ",
            kind="negligible weight",
            row=row,
            rest=f". This is more than {WEIGHT_RANGE:g} times smaller than the largest weight, {largest:g}. Such "
            "weights count as zero.",
        )
        weight[negligible] = 0.0
    return weight, scale


def refuse_scaled(caller: str, scale: float) -> None:
    """Raise if weights were scaled, because the metric `caller` depends on their sizes."""
    if scale != 1:
        raise ValueError(
            f"{caller} depends on the sizes of sample_weight, and not only on their ratios. The largest weight must "
            f"lie in [{1 / WEIGHT_RANGE:g}, {WEIGHT_RANGE:g}], but is about {scale:g}. Divide all weights by their "
            "mean."
        )


def check_column(values: ArrayLike, n_samples: int | None, name: str, remedy: str = "") -> Floats:
    """Return a column of finite numbers as float64. ``n_samples=None`` accepts any length except zero.

    The `remedy` is the last sentence of an error about values that are no numbers; it begins with a space.
    """
    column = np.array(as_floats(values, name, remedy), dtype=np.float64)  # a copy: the given array may change later
    if column.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, but has shape {column.shape}.")
    if len(column) == 0:
        raise ValueError(f"{name} is empty; a metric needs at least one sample.")
    if n_samples is not None:
        check_length(column, n_samples, name)
    finite = np.isfinite(column)
    if not finite.all():
        refuse_where(~finite, column, name, "it must be finite", kind="not finite")
    return column


def check_unit_column(values: ArrayLike, n_samples: int | None, name: str) -> Floats:
    """Return a column of numbers in [0, 1]."""
    column = check_column(values, n_samples, name)
    outside = column[(column < 0) | (column > 1)]
    if len(outside):
        advice = f" If the numbers are log-probabilities, pass np.exp({name})." if column.max() <= 0 else ""
        raise ValueError(f"{name} must hold numbers in [0, 1], but holds {outside[0]:g}.{advice}")
    return column


def check_order(**columns: Any) -> None:
    """Raise if columns of pandas have the same index in different orders, because rows are matched by position.

    Warn instead of raising if one of the indexes only counts rows from 0: it may be a default index, and the positions
    may be right. Columns of a mapping are checked one by one.
    """
    before, first = "", None
    single: dict[str, Any] = {}
    for name, column in columns.items():
        named = {f"{name}[{key!r}]": each for key, each in column.items()} if isinstance(column, Mapping) else None
        single.update({name: column} if named is None else named)
    for name, column in single.items():
        if not isinstance(column, pd.Series | pd.DataFrame):
            continue
        if first is None:
            before, first = name, column.index
        elif _is_reordered(first, column.index):
            _tell_order(before, first, name, column.index)


def _is_reordered(first: "pd.Index[Any]", other: "pd.Index[Any]") -> bool:
    if len(first) != len(other) or first.equals(other):
        return False
    return bool(first.is_unique and other.is_unique and other.isin(first).all())


def _tell_order(before: str, first: "pd.Index[Any]", name: str, other: "pd.Index[Any]") -> None:
    row = int(np.argmax(np.asarray(first, dtype=object) != np.asarray(other, dtype=object)))
    here, there = (brief(index[row : row + 1].tolist()[0]) for index in (first, other))
    text = (
        f"{before} and {name} have the same index in different orders: row {row} is {here} in {before} and {there} in "
        f"{name}. But rows are matched by position. If the indexes are right, pass "
        f"{name}.loc[{before}.index]. If the positions are right, pass {name}.to_numpy()."
    )
    if any(index.equals(pd.RangeIndex(len(index))) for index in (first, other)):
        warn(text)
    else:
        raise ValueError(text)


def check_length(column: Any, n_samples: int, name: str) -> None:
    """Raise if a column does not have one row for each prediction."""
    if len(column) != n_samples:
        raise ValueError(f"{name} has {counted(len(column), 'row')}, but there are {n_samples:,} predictions.")


def _refuse_column_vector(classes: NDArray[Any], n_classes: int) -> None:
    if n_classes == 1 and len(classes) == 2:
        raise ValueError(
            "y_proba has shape (n, 1), but there are two classes. If the column is the probability of pos_label, "
            "pass y_proba[:, 0]. Otherwise pass a column for each class."
        )


def _refuse_two_spellings(labels: list[Any], name: str) -> None:
    """Raise if two labels are different texts, such as "1" and "1.0", that would be one label if read from a file."""
    first: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str) and (other := first.setdefault(plain(label), label)) != label:
            raise ValueError(
                f"{name} holds the labels {other!r} and {label!r}, which would be one label if they were read from a "
                f"file. Write each label in one way. If these are two classes, pass {option('labels', ...)}, in the "
                "order of the columns of y_proba."
            )


def classes_of_columns(truth: LabelColumn, labels: ArrayLike | None, proba: NDArray[Any]) -> NDArray[Any]:
    """Return the labels of the columns: the given ones, or the sorted true labels, one for each column."""
    n_classes = 2 if proba.ndim == 1 else proba.shape[1]
    if labels is not None:
        classes = check_labels(labels)
        _refuse_column_vector(classes, n_classes)
        if len(classes) != n_classes:
            raise ValueError(
                f"labels holds {len(classes)} labels, but y_proba has {n_classes} columns. Pass one label for each "
                "column, in the order of the columns."
            )
        return classes
    classes = truth.sorted_distinct()
    _refuse_two_spellings(classes.tolist(), truth.name)
    _refuse_column_vector(classes, n_classes)
    if len(classes) != n_classes:
        if _look_like_probabilities(classes, len(truth)):
            raise ValueError(
                f"y_true looks like probabilities: it holds {len(classes)} distinct numbers from 0 to 1. Pass true "
                "labels first, then probabilities: metric(y_true, y_proba)."
            )
        raise ValueError(
            f"y_proba describes {n_classes} classes, but y_true holds {counted(len(classes), 'distinct label')} "
            f"({shorten(classes.tolist())}). Pass {option('labels', ...)} in the order of the columns of y_proba. "
            "For probabilities of a classifier, these labels are its classes_."
        )
    return classes


def _look_like_probabilities(labels: NDArray[Any], n_rows: int) -> bool:
    """Return whether labels are numbers from 0 to 1 that hardly repeat, unlike grades."""
    if labels.dtype.kind != "f" or len(labels) < max(3, n_rows / 2):
        return False
    return bool(labels.min() >= 0 and labels.max() <= 1)


def position_of(classes: NDArray[Any], pos_label: Any) -> int | None:
    """Return the position of the positive class. Without `pos_label`, return 1 for two classes, and None for more."""
    if pos_label is None:
        return 1 if len(classes) == 2 else None
    listed: list[Any] = classes.tolist()
    if pos_label not in listed:
        raise ValueError(f"pos_label={pos_label!r} is not among the labels {shorten(listed)}.")
    return listed.index(pos_label)


def with_unseen(classes: NDArray[Any], proba: NDArray[Any], truth: LabelColumn) -> tuple[NDArray[Any], NDArray[Any]]:
    """Add a column of zeros for every true label on which the classifier was not trained, and warn."""
    unseen = truth.unseen_in(classes)
    if not unseen:
        return classes, proba
    try:
        # In sorted order, as in a user's cost matrix. It has all classes, also those that the training part of a fold
        # lacked.
        labels = sorted([*classes.tolist(), *unseen])
    except TypeError:
        raise ValueError(
            f"{truth.name} holds labels of type {', '.join(truth.kinds())}, such as {unseen[0]!r}, which cannot be "
            f"compared with the classes {shorten(classes.tolist())}. Convert them to one type: strings or numbers."
        ) from None
    warn_of_unseen(unseen, classes.tolist(), truth)
    widened = np.zeros((len(proba), len(labels)), dtype=proba.dtype)
    widened[:, [labels.index(label) for label in classes.tolist()]] = proba
    return np.array(labels), widened


def warn_of_unseen(unseen: list[Any], classes: list[Any], truth: LabelColumn) -> None:
    """Warn that answers count as errors because a classifier does not know the true labels.

    If a label is a class in another spelling, the class is named.
    """
    rows = np.isin(truth.codes, [truth.distinct.index(label) for label in unseen])
    known = {_loosely(label): label for label in classes}
    meant = [f"{known[_loosely(label)]!r} instead of {label!r}" for label in unseen if _loosely(label) in known]
    advice = f" Did you mean {listed(meant)}? Write labels as in training." if meant else ""
    warn(
        f"{truth.name} holds labels on which the classifier was not trained: {shorten(unseen)}, in "
        f"{np.count_nonzero(rows):,} of {len(truth):,} rows, first in ",
        kind="unseen label",
        row=int(np.argmax(rows)),
        rest=f". All answers in these rows count as errors, because the classes are {shorten(classes)}.{advice}",
    )


def _loosely(label: Any) -> str:
    """Return a label without the differences that readers overlook: case, and spaces."""
    return "".join(str(label).split()).casefold()
