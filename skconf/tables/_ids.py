"""Rows of several files about the same samples, matched by a column of ids, and true labels in a separate file."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import listed, option, shorten
from skconf._core.problems import DataError, located
from skconf._core.usual_names import MAYBE_TARGETS, TARGETS, USUAL, spelled
from skconf.tables._entries import as_series
from skconf.tables._files import FileWithTruth, OpenedFile, open_table
from skconf.tables._predictions import plain_labels
from skconf.tables._rows import id_column, read_columns


def places_by_id(
    files: Mapping[str, OpenedFile], column: Any, kept: Mapping[str, NDArray[np.intp] | None]
) -> dict[str, NDArray[Any]]:
    """Return, for the file of each model, the rows that match the rows of the first file, in the order of that file.

    If ids repeat in all files, as in logs of several epochs, rows with the same id are matched in their order: the
    first with the first, the second with the second, and so on. For this, rows without a grade count, too. A row that
    has no grade in one of the files is then left out of the others. `kept` are the numbers of the rows with a grade in
    each file; None means all rows. The rows that are returned are counted among these.
    """
    of_all = {model: _read_ids(file, column, unique=False) for model, file in files.items()}
    graded = {model: np.arange(len(of_all[model])) if rows is None else rows for model, rows in kept.items()}
    no_grade = {each for model, ids in of_all.items() for each in np.delete(ids, graded[model])}
    if all(ids.has_duplicates for ids in of_all.values()):
        of_all = {model: _numbered(ids) for model, ids in of_all.items()}
    ids = {model: of_model[graded[model]] for model, of_model in of_all.items()}
    for model, file in files.items():
        with located(file.name):
            _refuse_repeated(ids[model], column)
    first, wanted = next(iter(ids.items()))
    for model, of_model in ids.items():
        _refuse_others(of_model, ids[first], no_grade, f"{first} and {model}")
        wanted = wanted[wanted.isin(of_model)]
    if not len(wanted):
        raise DataError("no sample has a grade in all files.", kind="no grade", column=column)
    return {model: of_model.get_indexer(wanted) for model, of_model in ids.items()}


def with_truth(file: OpenedFile, truth: Path, ids: Any, target: Any) -> tuple[FileWithTruth, str]:
    """Return a file of predictions with true labels from another file, matched by ids, and a sentence about it.

    The true labels are then in column ``y_true``. The other columns of the file of true labels are added, unless the
    predictions have columns of these names. Without `ids`, a column with a usual name of ids matches the rows. Without
    `target`, the true labels are in the only column besides the ids, or in a column with a usual name.
    """
    of_labels = open_table(truth)
    names, names_of_truth = file.names, of_labels.names
    if ids is None and (ids := id_column(names_of_truth)) is None:
        raise ValueError(
            f"{of_labels.name} has no column of ids. Use {option('ids')} to name the column that matches the rows."
        )
    with located(of_labels.name):
        column = _column_of_truth([name for name in names_of_truth if name != ids], ids, target)
    if USUAL["target"] in names:
        raise ValueError(
            f"{file.name} already has a column {USUAL['target']!r}. Remove this column, or leave out {option('truth')}."
        )
    of_rows, of_truth = _read_ids(file, ids), _read_ids(of_labels, ids)
    lacking, more = of_rows.difference(of_truth, sort=False), of_truth.difference(of_rows, sort=False)
    wrong = [
        f"{len(ids_of):,} of the ids {what} {_such(ids_of)}".rstrip()
        for ids_of, what in (
            (lacking, f"have no true label in {of_labels.name}"),
            (more, f"in {of_labels.name} have no prediction"),
        )
        if len(ids_of)
    ]
    if wrong:
        text = f"{listed(wrong)}. Give files with the same ids, and each id once."
        raise DataError(text, kind="other ids", column=ids).at(file.name)
    read = [column, *(name for name in names_of_truth if name not in (*names, column, ids, USUAL["target"]))]
    table, order = read_columns(of_labels, read, "target"), of_truth.get_indexer(of_rows)
    beside = pd.DataFrame(
        {USUAL["target"] if name == column else name: as_series(table[name]).to_numpy()[order] for name in read}
    )
    return FileWithTruth(
        file, beside
    ), f"read column {column!r} of {of_labels.name} as the true labels, matched by {ids!r}"


def _column_of_truth(names: Sequence[Any], ids: Any, target: Any) -> Any:
    """Return the column of true labels, among the columns besides the ids."""
    if not names or target == ids:
        text = f"column {ids!r} has the ids, so it cannot also have the true labels."
        raise DataError(text, kind="several readings", advice=f"Choose another column with {option('target')}.")
    if target is not None or len(names) == 1:
        return names[0] if target is None else target
    called = [[name for name in names if spelled(name) in known] for known in (TARGETS, MAYBE_TARGETS)]
    for several in called:
        if len(several) == 1:
            return several[0]
    raise DataError(
        f"it is unclear which of the columns {shorten(names)} has the true labels.",
        kind="several readings",
        advice=f"Choose one with {option('target')}.",
    )


def _read_ids(file: OpenedFile, column: Any, *, unique: bool = True) -> "pd.Index[Any]":
    """Return the ids of all rows as plain texts, which are the same for files of any format."""
    table = read_columns(file, [column], "ids")
    with located(file.name):
        ids = pd.Index(plain_labels(table, column), dtype=object)
        if unique:
            _refuse_repeated(ids, column)
    return ids


def _refuse_repeated(ids: "pd.Index[Any]", column: Any) -> None:
    repeated = ids[ids.duplicated()].unique()
    if len(repeated):
        rows = np.flatnonzero(ids == repeated[0])
        raise DataError(
            f"{len(repeated):,} of the ids in column {column!r} occur more than once, such as {repeated[0]!r} in "
            f"rows {rows[0]} and {rows[1]}. Use {option('ids')} to name a column with a different value in each row.",
            kind="repeated ids",
            column=column,
        )


def _numbered(ids: "pd.Index[Any]") -> "pd.Index[Any]":
    """Return ids with a number, from 1, that counts the rows with the same id."""
    return pd.MultiIndex.from_arrays([ids, ids.to_series().groupby(ids).cumcount() + 1])


def _refuse_others(ids: "pd.Index[Any]", wanted: "pd.Index[Any]", no_grade: Container[str], models: str) -> None:
    """Raise if a sample is in only one of two files, unless it has no grade in one of the files."""
    lacking, more = (
        one[[key not in no_grade for key in one.get_level_values(0)]]
        for one in (wanted.difference(ids, sort=False), ids.difference(wanted, sort=False))
    )
    if len(lacking) or len(more):
        raise ValueError(
            f"{models} do not have the same samples: {len(lacking):,} ids are only in the first {_such(lacking)}and "
            f"{len(more):,} only in the second {_such(more)}".rstrip()
            + f". Give files with the same ids. Or leave {option('ids')} out; models are then not compared row by row."
        )


def _such(ids: "pd.Index[Any]") -> str:
    if not len(ids):
        return ""
    first = ids[0][0] if isinstance(ids, pd.MultiIndex) else ids[0]
    return f"(such as {first!r}) "
