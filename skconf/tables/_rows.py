"""The predictions in a file: its columns, its rows, and their ids."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.columns import keys_of, plain
from skconf._core.grades import has_percentages
from skconf._core.messages import counted, listed, option, shorten, suggest
from skconf._core.problems import DataError, located
from skconf._core.usual_names import IDS, PREDICTIONS, UNITS, USUAL, spelled
from skconf.profile import ConfidenceProfile
from skconf.tables._columns import Columns, NoPredictionsError
from skconf.tables._entries import as_numbers, as_series, have_no_entry, rows_where
from skconf.tables._files import BATCH_ROWS, FrameFile, OpenedFile
from skconf.tables._guesses import HEAD_ROWS, guess
from skconf.tables._json_lines import JsonLines, tell_broken
from skconf.tables._log_samples import ANSWERED
from skconf.tables._predictions import (
    plain_labels,
    read_predictions,
    read_score,
    states_in,
    ungraded_in,
)

#: Most rows with the same id, on average. A column with more such rows holds kinds of rows, and not ids.
_MOST_REPEATS = 100


def guess_columns(files: Iterable[OpenedFile], columns: Columns) -> tuple[Columns, str]:
    """Return the columns of the files of a model, guessed if necessary, and a text on what was guessed.

    They are guessed from the first file that has rows.
    """
    names = list[str]()
    for file in files:
        names.append(file.name)

        def head(of: list[Any], file: Any = file) -> Any:
            tables: list[pd.DataFrame] = []
            for table in file.batches(of, HEAD_ROWS):
                tables.append(table if isinstance(table, pd.DataFrame) else table.to_pandas(ignore_metadata=True))
                if sum(map(len, tables)) >= HEAD_ROWS:
                    break
            return pd.concat(tables, ignore_index=True) if tables else None

        with located(file.name):
            with suppress(NoPredictionsError):
                return columns, _ignored(columns.found_in(file.names), file.names)
            first = head(file.names[:1])
            if first is not None and len(first):
                return guess(columns, file.names, head)
    raise ValueError(f"there are no rows in {shorten(names, 3)}")


def _ignored(found: Columns, names: Sequence[Any]) -> str:
    """Return a text on columns with the usual names of correctness and confidence that are not read."""
    unread = [name for name in (USUAL["correct"], USUAL["confidence"]) if name in names and name not in found.needed]
    if not found.proba or not unread:
        return ""
    it = "them" if len(unread) > 1 else "it"
    return f"ignored {listed(list(map(repr, unread)))}, because probabilities are read; name {it} to read {it} instead"


class Rows(NamedTuple):
    """The content of the rows of a file.

    Attributes
    ----------
    profile : ConfidenceProfile
        The predictions.
    truth, predicted : ndarray or None
        The true and the predicted labels, as plain texts. None for labels that the file lacks, and for predicted labels
        if rows abstain.
    id_column : label or None
        The column of ids, if there is one.
    ids : ndarray or None
        The ids as plain texts, if each row has a different id.
    score : ndarray or None
        Another score of each row, if there is one; NaN for rows that abstain.
    repeated : ndarray or None
        The ids as plain texts, if several rows have the same id. Each id is then a cluster of rows.
    kept : ndarray or None
        The numbers of the rows that were kept, if rows without a grade were left out.
    states : mapping of str to int
        The number of rows that were not scored or that abstain, by the reason. For logs, also the number of answers.
    said : sequence of str
        Sentences about choices that the user did not make, such as rows that were left out.
    of_hundred : bool
        Whether the confidences of the file are numbers up to 100, which were divided by 100.
    """

    profile: ConfidenceProfile
    truth: Any
    predicted: Any
    id_column: Any
    ids: Any
    score: Any = None
    repeated: Any = None
    kept: Any = None
    states: Mapping[str, int] = MappingProxyType({})
    said: Sequence[str] = ()
    of_hundred: bool = False


def read_rows(file: OpenedFile, columns: Columns, n_rows: int | None = None) -> Rows | None:
    """Read the first rows of a file, or all rows; return None if there are no rows.

    All rows are treated as independent. If ids or units repeat, a sentence in `said` warns of it.
    """
    columns, column = _found(file, columns, None)
    table = next(file.batches(_needed(file, columns, column, _unit_column(file.names)), n_rows), None)
    rows = None
    if table is not None:
        own, repeated, cluster, _ = _clusters_in(table, column, columns)
        said = [] if cluster is None or columns.cluster is False else [_independent(cluster)]
        with named_by_id(file), located(file.name):
            rows = _rows(table, columns, id_column=column, ids=own, repeated=repeated, said=said)
    if n_rows is None:  # a trial of the first rows gives no warnings
        tell_broken(file.broken, file.path, "row")
    return rows


def read_graded_rows(file: OpenedFile, columns: Columns, ids: Any = None) -> Rows | None:
    """Read all rows of a file that have a grade. If ids repeat, the rows with the same id are a cluster.

    If ids do not repeat, but there is a column of patients, users or similar units, the rows of a unit are a cluster. A
    row without a grade is left out, and counted as an answer that was not scored, as in a log.
    """
    columns, column = _found(file, columns, ids)
    answer = _answers_of(file, columns)
    table = next(file.batches(_needed(file, columns, column, _unit_column(file.names), answer), None), None)
    rows = None
    if table is not None:
        kept, said = None, list[str]()
        states = file.frame["state"].value_counts().to_dict() if isinstance(file, FrameFile) else {}
        if (ungraded := ungraded_in(columns, table)).any():
            kept = np.flatnonzero(~ungraded)
            table = rows_where(table, keys_of(table), ~ungraded)
            if not states:  # a log says why its samples have no grade
                states["unscored"] = n = int(ungraded.sum())
                said.append(f"left out {counted(n, 'row')} without a grade in column {columns.correct!r}")
        own, repeated, cluster, told = _clusters_in(table, column, columns)
        if columns.cluster is None:
            said += told
            columns = replace(columns, cluster=cluster)
        with named_by_id(file, ids, kept), located(file.name):
            reasons = None if answer is None else states_in(columns, table, answer)
            if reasons is not None and (gone := reasons.ne(ANSWERED)).any():
                states |= reasons[gone].value_counts().to_dict()
                words = f"took {counted(int(gone.sum()), 'string')} in column {answer!r} as abstentions"
                said.append(f"{words}; {option('abstained', False)} takes them as answers")
                columns = replace(columns, abstained=USUAL["abstained"])
                table = table.assign(**{USUAL["abstained"]: gone})
            of_ids = {"id_column": column, "ids": own, "repeated": repeated}
            rows = _rows(table, columns, whole=True, **of_ids, kept=kept, states=states, said=said)
            if rows is not None and columns.confidence is not None:
                sure = as_series(table[columns.confidence])
                rows = rows._replace(of_hundred=columns.grades is None and _are_of_hundred(sure, rows))
                if rows.of_hundred or has_percentages(sure):
                    said.append(f"read percentages in column {columns.confidence!r} as numbers from 0 to 1")
    tell_broken(file.broken, file.path, "row")
    return rows


def _found(file: OpenedFile, columns: Columns, ids: Any) -> tuple[Columns, Any]:
    """Return the columns that are found in a file by their names, and its column of ids."""
    with located(file.name):
        columns = columns.found_in(file.names)
        _check_there(file.names, [] if ids is None else [ids], "ids")
    return columns, id_column(file.names) if ids is None else ids


def _needed(file: Any, columns: Columns, *more: Any) -> list[Any]:
    """Return the names of the columns to read: those that `columns` needs, and those of `more` that the file has."""
    there = [name for name in dict.fromkeys(more) if name in file.names and name not in columns.needed]
    return [*columns.needed, *there]


def _are_of_hundred(values: "pd.Series[Any]", rows: Rows) -> bool:
    """Return whether the confidences in the file are numbers up to 100, which were divided by 100."""
    return bool((as_numbers(values)[rows.profile.answer_rows] > 1.5 * rows.profile.confidence).any())


def _rows(table: Any, columns: Columns, whole: bool = False, **about: Any) -> Rows | None:
    """Read the predictions, the labels and the score of a table; return None if it has no rows."""
    profile = read_predictions(columns, table, whole=whole)
    if profile is None:
        return None
    named = [columns.target, columns.prediction]
    if profile.abstained is not None:  # such rows need no labels
        lacks_labels = columns.target is None or have_no_entry(as_series(table[columns.target])).any()
        named = [None if lacks_labels else columns.target, None]
    truth, predicted = (None if name is None else plain_labels(table, name) for name in named)
    return Rows(profile, truth, predicted, score=read_score(columns, table, profile.answer_rows), **about)


def _answers_of(file: Any, columns: Columns) -> Any:
    """Return the column of answers in JSON lines, in which texts may be abstentions; None if there is none."""
    if not isinstance(file, JsonLines) or columns.correct is None or columns.abstained is not None:
        return None
    return next((name for name in file.names if spelled(name) in PREDICTIONS and name not in columns.named), None)


def _ids_in(table: Any, column: Any, columns: Columns) -> tuple[NDArray[Any] | None, NDArray[Any] | None, str]:
    """Return unique ids or else repeated ids, as plain texts, and a sentence about repeated ids.

    There are no ids if some are missing, or if the column has so few different values that these must be kinds of rows.
    """
    if column not in keys_of(table) or column in columns.named:
        return None, None, ""
    try:
        ids = plain_labels(table, column)
    except ValueError:
        return None, None, ""
    n_ids = len(pd.unique(ids))
    if n_ids == len(ids):
        return ids, None, ""
    if columns.cluster_column == column or 1 < n_ids >= len(ids) / _MOST_REPEATS:
        own = f"{option('cluster', False)} treats all rows as independent"
        return None, ids, f"took rows with the same {column!r} as a cluster of dependent rows; {own}"
    each = f"column {column!r} has {counted(n_ids, 'value')} in {counted(len(ids), 'row')}"
    return None, None, f"{each}, so it was not used as the id of clusters; pass {option('cluster', column)} to use it"


def _clusters_in(
    table: Any, column: Any, columns: Columns
) -> tuple[NDArray[Any] | None, NDArray[Any] | None, Any, list[str]]:
    """Return unique ids or else repeated ids, the column of clusters, and sentences about repeated ids and units."""
    own, repeated, words = _ids_in(table, column, columns)
    if repeated is not None:
        return own, repeated, column, [words]
    unit = _unit_column(keys_of(table))
    _, units, more = _ids_in(table, unit, columns)
    return own, None, None if units is None else unit, [each for each in (words, more) if each]


def _unit_column(names: Sequence[Any]) -> Any:
    """Return the column of a file that has a usual name of patients, users or similar units, if there is one."""
    return next((name for name in names if spelled(name) in UNITS), None)


def _independent(cluster: Any) -> str:
    """Say that rows of a cluster are treated as independent."""
    return (
        f"rows with the same {cluster!r} may depend on each other, but batches treat all rows as independent: "
        f"intervals and guarantees may not hold. If the rows are independent, pass {option('cluster', False)}"
    )


def read_columns(file: OpenedFile, names: Sequence[Any], role: str) -> Any:
    """Return all rows of some columns of a file; `role` is the parameter that names the columns."""
    with located(file.name):
        _check_there(file.names, names, role)
        return next(file.batches(list(names), None))


def _check_there(present: Sequence[Any], names: Sequence[Any], role: str) -> None:
    """Raise if a column is missing or occurs twice; `role` is the parameter that names it."""
    for name in names:
        if present.count(name) != 1:
            raise DataError(
                f"there {'are several columns' if name in present else 'is no column'} {name!r}."
                f"{suggest(str(name), map(str, present))} The columns are {shorten(present)}: name one of "
                f"them with {option(role)}.",
                column=name,
            )


def id_column(names: Sequence[Any]) -> Any:
    """Return the column of a file that has a usual name of ids, if there is one."""
    return next((name for name in names if spelled(name) in IDS), None)


@contextmanager
def named_by_id(file: OpenedFile, ids: Any = None, kept: NDArray[np.intp] | None = None) -> Iterator[None]:
    """Name the row of an error by its line in a file of text, and by its id if the file has ids.

    If only some rows were kept, the row of the error is changed to its number among all rows.
    """
    try:
        yield
    except DataError as error:
        column, first = id_column(file.names) if ids is None else ids, 0
        if error.row is None:
            raise
        error.row = error.row if kept is None else int(kept[error.row])
        line = file.line_of(error.row)
        names = [] if line is None else [f"line {line}"]
        if column in file.names:
            for table in file.batches([column], BATCH_ROWS):
                if first <= error.row < first + len(table):
                    names.append(f"{column} {plain(as_series(table[column]).iloc[error.row - first])}")
                first += len(table)
        error.row_id = ", ".join(names)
        raise
