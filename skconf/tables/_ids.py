"""Rows of several files that are about the same samples, matched by a column of ids; and true labels in one of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import listed, option, shorten
from skconf._core.problems import DataError, located
from skconf._core.usual_names import MAYBE_TARGETS, TARGETS, USUAL, spelled
from skconf.tables._columns import plain_labels
from skconf.tables._entries import as_series
from skconf.tables._files import id_column, open_table, read_columns
from skconf.tables._paths import WithTruth, shown


def places_by_id(files: Mapping[str, Path], column: Any) -> dict[str, NDArray[Any]]:
    """Return, for the file of each model, the rows that match those of the first file, in its order.

    Raises
    ------
    ValueError
        If an id is missing, occurs more than once, or only in some of the files.
    """
    ids = {model: _read_ids(path, column) for model, path in files.items()}
    first, of_first = next(iter(ids.items()))
    return {model: _places(of_model, of_first, f"{first} and {model}") for model, of_model in ids.items()}


def with_truth(path: Path, truth: Path, ids: Any, target: Any) -> tuple[WithTruth, str]:
    """Return a file of predictions with true labels from another file, matched by ids, and that in words.

    The true labels are then in column ``y_true``; the other columns of that file are there, too, unless the predictions
    have such.

    Parameters
    ----------
    path, truth : Path
        The files of predictions, and of true labels.
    ids : label or None
        The column of ids of both; None stands for one that is called so.
    target : label or None
        The column of true labels; None stands for the only one besides the ids, or one that is called so.

    Raises
    ------
    ValueError
        If a column is missing, or not known; an id is missing, occurs more than once, or only in one of the files.
    """
    names, names_of_truth = open_table(path).names, open_table(truth).names
    if ids is None and (ids := id_column(names_of_truth)) is None:
        raise ValueError(f"{shown(truth)} has no column of ids: name that of both files by {option('ids')}.")
    with located(shown(truth)):
        column = _column_of_truth([name for name in names_of_truth if name != ids], ids, target)
    if USUAL["target"] in names:
        raise ValueError(f"{shown(path)} has a column {USUAL['target']!r}, too. Leave it out, or {option('truth')}.")
    of_rows, of_truth = _read_ids(path, ids), _read_ids(truth, ids)
    lacking, more = of_rows.difference(of_truth, sort=False), of_truth.difference(of_rows, sort=False)
    wrong = [
        f"{len(ids_of):,} of the ids {what} {_such(ids_of)}".rstrip()
        for ids_of, what in (
            (lacking, f"have no true label in {shown(truth)}"),
            (more, "there have no prediction here"),
        )
        if len(ids_of)
    ]
    if wrong:
        text = f"{listed(wrong)}. Give files with the same ids, each once."
        raise DataError(text, kind="other ids", column=ids).at(shown(path))
    read = [column, *(name for name in names_of_truth if name not in (*names, column, ids, USUAL["target"]))]
    table, order = read_columns(truth, read, "target"), of_truth.get_indexer(of_rows)
    found = WithTruth(path)
    found.beside = pd.DataFrame(
        {USUAL["target"] if name == column else name: as_series(table[name]).to_numpy()[order] for name in read}
    )
    return found, f"read column {column!r} of {shown(truth)} as the true labels, matched by {ids!r}"


def _column_of_truth(names: Sequence[Any], ids: Any, target: Any) -> Any:
    """Return the column of true labels, among those besides the ids."""
    if not names or target == ids:
        text = f"column {ids!r} has the ids, and cannot have the true labels, too."
        raise DataError(text, kind="several readings", advice=f"Name another one by {option('target')}.")
    if target is not None or len(names) == 1:
        return names[0] if target is None else target
    called = [[name for name in names if spelled(name) in known] for known in (TARGETS, MAYBE_TARGETS)]
    for several in called:
        if len(several) == 1:
            return several[0]
    raise DataError(
        f"it is not known which of the columns {shorten(names)} has the true labels.",
        kind="several readings",
        advice=f"Name it by {option('target')}.",
    )


def _read_ids(path: Path, column: Any) -> "pd.Index[Any]":
    """Return the ids of all rows as plain texts, which are the same for files of any format."""
    table = read_columns(path, [column], "ids")
    with located(shown(path)):
        ids = pd.Index(plain_labels(table, column), dtype=object)
        repeated = ids[ids.duplicated()].unique()
        if len(repeated):
            rows = np.flatnonzero(ids == repeated[0])
            raise DataError(
                f"{len(repeated):,} of the ids in column {column!r} occur more than once, such as {repeated[0]!r} in "
                f"rows {rows[0]} and {rows[1]}. Name by {option('ids')} a column with another value in each row.",
                kind="repeated ids",
                column=column,
            )
    return ids


def _places(ids: "pd.Index[Any]", wanted: "pd.Index[Any]", models: str) -> NDArray[Any]:
    lacking, more = wanted.difference(ids, sort=False), ids.difference(wanted, sort=False)
    if len(lacking) or len(more):
        raise ValueError(
            f"{models} are not about the same samples: {len(lacking):,} ids are only in the first {_such(lacking)}and "
            f"{len(more):,} only in the second {_such(more)}".rstrip()
            + f". Give files with the same ids, or leave {option('ids')} out: models are then not compared by rows."
        )
    return ids.get_indexer(wanted)


def _such(ids: "pd.Index[Any]") -> str:
    return f"(such as {ids[0]!r}) " if len(ids) else ""
