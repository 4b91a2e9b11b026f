"""Columns of probabilities, found by the labels in their names."""

from collections.abc import Sequence
from numbers import Number
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import shorten

#: What a column of probabilities is called, before its label.
PREFIX = "proba_"
_TRUTH = {"true": True, "false": False}


def in_order_of(
    classes: NDArray[Any], proba: NDArray[Any], given: Any, name: str, positive: int | None = None
) -> NDArray[Any]:
    """Return the columns of probabilities in the order of the classes, where the given table names them.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels.
    proba : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The probabilities.
    given : object
        What they were read from: a table of pandas, polars or pyarrow has names. Names that only count (0, 1, … of
        pandas' default index, `column_0`, … of polars) are none.
    name : str
        What the user calls it.
    positive : int, default=None
        The class that a single column stands for.

    Returns
    -------
    ndarray of the shape of `proba`

    Raises
    ------
    ValueError
        If columns are named, and not by the labels, all in one way: `LABEL` or `proba_LABEL`.
    """
    if proba.ndim == 1:
        _check_name_of_one(classes, getattr(given, "name", None), name, positive)
        return proba
    names = column_names(given)
    if names is None:
        return proba
    order = positions_of_names(names, classes)
    if order is None:
        raise ValueError(
            f"{name} has the columns {shorten(names)}, but the labels are {shorten(classes.tolist())}. Name "
            f"every column by its label, LABEL or {PREFIX}LABEL, and it is found; or pass {name}.to_numpy(), with the "
            "columns in the order of the labels."
        )
    return proba if order == sorted(order) else proba.take(order, axis=1)


def column_names(table: Any) -> list[Any] | None:
    """Return the names of the columns of a table; None where it has none, or they only count."""
    names = getattr(table, "column_names", None)  # of pyarrow, whose `columns` are the values
    names = getattr(table, "columns", None) if names is None else names
    if names is None or callable(names):
        return None
    if isinstance(names, pd.RangeIndex) and names.equals(pd.RangeIndex(len(names))):
        return None
    listed = list(names)
    return None if listed == [f"column_{position}" for position in range(len(listed))] else listed


def positions_of_names(names: Sequence[Any], classes: NDArray[Any]) -> list[int] | None:
    """Return the position of every class among the names of columns; None unless all are named in one way."""
    labels = classes.tolist()
    prefixed = all(isinstance(name, str) and name.startswith(PREFIX) for name in names)
    for bare in [list(names), [name.removeprefix(PREFIX) for name in names]] if prefixed else [list(names)]:
        where = {_as_label(name, labels): position for position, name in enumerate(bare)}
        if len(names) == len(labels) and where.keys() == set(labels):
            return [where[label] for label in labels]
    return None


def _as_label(name: Any, labels: Sequence[Any]) -> Any:
    """Return what a name says as a label of the kind of the others: "1" is 1, 1.0 or True where they are numbers."""
    if name in labels:
        return name
    if all(isinstance(label, str) for label in labels) or not isinstance(name, str):
        return str(name)
    if not all(isinstance(label, Number) for label in labels):
        return next((label for label in labels if str(label) == name), name)
    if all(isinstance(label, bool) for label in labels) and name.lower() in _TRUTH:
        return _TRUTH[name.lower()]
    for kind in (int, float):
        try:
            return kind(name)
        except ValueError:
            continue
    return name


def _check_name_of_one(classes: NDArray[Any], called: Any, name: str, positive: int | None) -> None:
    """Raise where the name of a single column says that it is the probability of another class than the positive."""
    if not isinstance(called, str) or positive is None:  # a number may merely count columns
        return
    labels = classes.tolist()
    read = [_as_label(text, labels) for text in (called, called.removeprefix(PREFIX))]
    said = next((label for label in read if label in labels), labels[positive])
    if said != labels[positive]:
        raise ValueError(
            f"{name} is called {called!r}, the probability of the label {said!r}, but a single column is that of "
            f"pos_label, here {labels[positive]!r}. Pass pos_label={said!r}, or the other column."
        )
