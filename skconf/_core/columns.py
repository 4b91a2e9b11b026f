"""Columns of tables: their names, and columns of probabilities, which are found by the labels in their names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import shorten

#: The beginning of the name of a column of probabilities, before its label.
PREFIX = "proba_"
_TRUTH = {"true": "1", "false": "0"}


def plain(label: Any) -> str:
    """Return a label as text in one spelling: 1.0, True, "1.000e+00" and " 1" become "1", but "01" stays."""
    text = str(label).strip()
    if re.fullmatch(r"-?\d\.\d+e\+\d\d", text) and (number := float(text)).is_integer():  # as numpy writes numbers
        return f"{number:.0f}"
    return re.sub(r"^(-?\d+)\.0+$", r"\1", _TRUTH.get(text.lower(), text))


class Spellings:
    """Look up a label by its text. If no label has this text, compare plain spellings, unless two labels share one."""

    def __init__(self, labels: Iterable[Any]) -> None:
        listed = list(labels)
        self._written = {str(label): label for label in listed}
        by_plain_text = {plain(label): label for label in listed}
        self._plain = by_plain_text if len(by_plain_text) == len(listed) else {}

    def __contains__(self, text: Any) -> bool:
        return str(text) in self._written or plain(text) in self._plain

    def label(self, text: Any) -> Any:
        """Return the label for a text; if there is none, the text itself."""
        written = str(text)
        return self._written[written] if written in self._written else self._plain.get(plain(text), text)


def in_order_of(
    classes: NDArray[Any], proba: NDArray[Any], given: Any, name: str, positive: int | None = None
) -> NDArray[Any]:
    """Put the columns of probabilities in the order of the classes, if the given table names its columns.

    `given` is the object that the user passed, and messages call it `name`. A table of pandas, polars or pyarrow has
    names. Default names (0, 1, … in pandas, `column_0`, … in polars) are ignored. One-dimensional probabilities are a
    single column, of the class at position `positive`. Raise if the names of columns are not the labels. All names may
    be `LABEL`, or all may be `proba_LABEL`.
    """
    if proba.ndim == 1:
        _check_name_of_one(classes, getattr(given, "name", None), name, positive)
        return proba
    names = column_names(given)
    if names is None:
        return proba
    order = positions_of_names(names, classes.tolist())
    if order is None:
        raise ValueError(
            f"{name} has the columns {shorten(names)}, but the labels are {shorten(classes.tolist())}. Name every "
            f"column by its label, as LABEL or {PREFIX}LABEL. Or pass {name}.to_numpy(), with the columns in the order "
            "of the labels."
        )
    return proba if order == sorted(order) else proba.take(order, axis=1)


def is_table(given: Any) -> bool:
    """Return whether something is a table of pandas, polars or pyarrow, or a mapping of names to columns."""
    return isinstance(given, Mapping) or (hasattr(given, "columns") and not isinstance(given, pd.Series))


def keys_of(table: Any) -> list[Any]:
    """Return the names of the columns of a table of any kind."""
    # The `columns` of pyarrow are the values. In pandas, a column may be called column_names.
    names = None if isinstance(table, pd.DataFrame) else getattr(table, "column_names", None)
    return list(getattr(table, "columns", table) if names is None else names)


def columns_by_name(given: Any, argument: str, unnamed: str) -> dict[Any, tuple[str, Any]]:
    """Return each column of a table, or a single column, by its name; the name `unnamed` if it has none.

    With each column come the words by which messages call it, such as "groups['region']".
    """
    if is_table(given):
        return {key: (f"{argument}[{key!r}]", given[key]) for key in keys_of(given)}
    name = getattr(given, "name", None)
    return {unnamed if name is None or name is pd.NA or name == "" else name: (argument, given)}


def column_names(table: Any) -> list[Any] | None:
    """Return the names of the columns of a table; None if they have no names, or default names."""
    names = getattr(table, "columns", None)
    if names is None or callable(names):
        return None
    if isinstance(names, pd.RangeIndex) and names.equals(pd.RangeIndex(len(names))):
        return None
    listed = keys_of(table)
    return None if listed == [f"column_{position}" for position in range(len(listed))] else listed


def positions_of_names(names: Sequence[Any], labels: Sequence[Any]) -> list[int] | None:
    """Return the position of every label among the names of columns; None if the names do not match the labels."""
    known = Spellings(labels)
    prefixed = all(isinstance(name, str) and name.startswith(PREFIX) for name in names)
    for bare in [list(names), [name.removeprefix(PREFIX) for name in names]] if prefixed else [list(names)]:
        where = {known.label(name): position for position, name in enumerate(bare) if name in known}
        if len(where) == len(names) == len(labels):
            return [where[label] for label in labels]
    return None


def _check_name_of_one(classes: NDArray[Any], called: Any, name: str, positive: int | None) -> None:
    """Raise if a single column, which must be that of the positive class, is named by another label."""
    if not isinstance(called, str) or positive is None:  # a number may merely count columns
        return
    labels = classes.tolist()
    known = Spellings(labels)
    texts = [text for text in (called, called.removeprefix(PREFIX)) if text in known]
    named = known.label(texts[0]) if texts else labels[positive]
    if named != labels[positive]:
        raise ValueError(
            f"{name} is named {called!r}, so it is the probability of the label {named!r}. But a single column must be "
            f"the probability of pos_label, which is {labels[positive]!r}. Pass pos_label={named!r}, or the other "
            "column."
        )
