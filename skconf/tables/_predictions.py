"""Predictions in tables: what the entries of each column mean."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.columns import PREFIX, Spellings, keys_of, plain
from skconf._core.grades import (
    are_of_hundred,
    are_truths,
    example_of,
    from_grades,
    has_grades,
    has_percentages,
    words_in,
)
from skconf._core.groups import Groups
from skconf._core.labels import LabelColumn
from skconf._core.messages import option, shorten
from skconf._core.problems import DataError, as_data_error
from skconf._core.usual_names import USUAL
from skconf.profile import ConfidenceProfile
from skconf.profile._abstained import check_abstained
from skconf.profile._pairs import codes_of
from skconf.profile._profile import weigh_part
from skconf.tables._answers import Answers
from skconf.tables._columns import Columns, labels_in_names
from skconf.tables._entries import (
    as_series,
    by_name,
    have_no_entry,
    holds_lists,
    in_type_of,
    labels_in,
    labels_of_truth,
    numbers_in,
    refuse_thousands,
    rows_where,
    says_yes,
    spelled_alike,
)
from skconf.tables._log_samples import states_of


def read_predictions(columns: Columns, table: Any, *, whole: bool = False) -> ConfidenceProfile | None:
    """Return the predictions in a table, or None if it has no rows.

    The table is a frame of pandas or polars, a Table or RecordBatch of pyarrow, or a mapping of arrays, and has all the
    columns: call `found_in` first. Confidences of a `whole` table may be percentages without a sign. In a part of a
    table, they are never read as percentages, because the other parts may not hold percentages.
    """
    columns.check(keys_of(table))
    lengths = {name: len(table[name]) for name in columns.needed}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns must be of equal length, but their numbers of rows are {lengths}.")
    if lengths[columns.needed[0]] == 0:
        return None
    rows = _abstains(columns, table)
    rows = check_abstained(rows) if rows.any() else rows
    weight = None
    if columns.weight is not None:
        weight = numbers_in(table, columns.weight)
        refuse_thousands(table, columns.weight, [name for name in columns.numbers() if name != columns.weight])
    try:
        answers = rows_where(table, columns.needed, ~rows) if rows.any() else table
        profile = _classes(columns, answers) if columns.proba else _correctness(columns, answers, whole)
    except ValueError as error:
        problem = as_data_error(error)
        problem.row = None if problem.row is None else int(np.flatnonzero(~rows)[problem.row])
        problem.columns = {name: getattr(columns, name) for name in USUAL} | {"proba": list(columns.proba)}
        raise problem from None
    if rows.any() or columns.cluster_column is not None:
        named = None if columns.cluster_column is None else _of_one_type(labels_in(table, columns.cluster_column))
        profile = profile.beside(rows, codes_of(named, len(rows)))
    profile = profile if weight is None else weigh_part(profile, weight)
    return profile if columns.threshold is None else replace(profile, threshold=columns.threshold)


def _abstains(columns: Columns, table: Any) -> NDArray[np.bool_]:
    """Return which rows of a table abstain."""
    if columns.abstained_column is None:
        return np.zeros(len(table[columns.needed[0]]), dtype=np.bool_)
    values, of_answers = as_series(table[columns.abstained]), columns.abstained in columns.named
    return says_yes(values, columns.abstained, of_answers=of_answers)


def ungraded_in(columns: Columns, table: Any) -> NDArray[np.bool_]:
    """Return which rows of a table have no grade, and do not abstain; none if no row has a grade."""
    no_row = np.zeros(len(table[columns.needed[0]]), dtype=np.bool_)
    if columns.correct is None or columns.correct == columns.abstained or not len(no_row):
        return no_row
    missing = have_no_entry(as_series(table[columns.correct]), columns.grades or ())
    if not missing.any():
        return no_row
    missing = missing & ~_abstains(columns, table)
    return no_row if missing.all() else missing


def states_in(columns: Columns, table: Any, answers: Any) -> "pd.Series[Any]":
    """Return the state of each row, from its grade and its answer: "answered", or why the model abstains."""
    grades = _numbers(columns, table, columns.correct, of_truth=True).astype(np.float64)
    return pd.Series(states_of(grades, list(table[answers])), dtype=object, index=table.index)


def read_score(columns: Columns, table: Any, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    """Return the other score in `rows`, and NaN in all other rows of the table; None if there is no other score."""
    if columns.score is None:
        return None
    column = np.full(len(table[columns.score]), np.nan)
    kept = np.isin(np.arange(len(column)), rows)
    try:
        column[kept] = numbers_in(rows_where(table, [columns.score], kept), columns.score)
    except DataError as error:
        error.row = None if error.row is None else int(rows[error.row])
        raise
    return column


def read_groups(columns: Columns, table: Any) -> Groups:
    """Return the group of every row of a table. Groups are sorted, so that most parts have them in the same order."""
    by_column = [_sorted(labels_in(table, name), f"groups[{name!r}]") for name in columns.groups]
    if len(by_column) == 1:
        return by_column[0]
    shape = [len(column) for column in by_column]
    codes, cells = pd.factorize(np.ravel_multi_index([column.codes for column in by_column], shape), sort=True)
    places = np.unravel_index(cells, shape)
    labels = [column.labels[place] for column, place in zip(by_column, places, strict=True)]
    return Groups(np.asarray(codes, dtype=np.intp), pd.MultiIndex.from_arrays(labels))


def _classes(columns: Columns, table: Any) -> ConfidenceProfile:
    target = labels_in(table, columns.target)
    labels = columns.labels if columns.labels is not None else _labels_in_bare_names(columns, target)
    if labels is not None:
        labels = in_type_of(target, labels)
        target = by_name(target, labels)
    else:
        target = spelled_alike(target)
    known = pd.unique(target) if labels is None else labels
    positive = columns.pos_label
    if len(columns.proba) == 1:
        named = _label_of_single(str(columns.proba[0]), Spellings(known))
        positive = named if positive is None else positive
        if named is not None and plain(named) != plain(positive):
            raise ValueError(
                f"column {columns.proba[0]!r} is named after the label {named!r}, but a single column must be the "
                f"probability of {option('pos_label')}, here {positive!r}. Pass {option('pos_label', named)}, or "
                f"pass the name of the column with the probability of {positive!r} as {option('proba')}."
            )
    parts = [_numbers(columns, table, name, lists=len(columns.proba) == 1) for name in columns.proba]
    _refuse_scores(columns.proba, parts)
    if labels is None:
        n_classes = len(parts) if len(parts) > 1 else (*parts[0].shape, 2)[1]
        labels = labels_of_truth(target, n_classes, positive)
        known = known if labels is None else labels
        target = target if labels is None else by_name(target, labels)
    return ConfidenceProfile.from_predictions(
        target,
        parts[0] if len(parts) == 1 else np.stack(parts, axis=1),
        y_pred=None if columns.prediction is None else by_name(labels_in(table, columns.prediction), known),
        labels=labels,
        pos_label=None if positive is None else Spellings(known).label(positive),
    )


def _labels_in_bare_names(columns: Columns, target: Any) -> list[str] | None:
    """Return the names of the columns of probabilities if one of them is a true label.

    Names such as 0, 1, … may only count the columns. They are labels only if all true labels are among them,
    and 0 is a true label.
    """
    if len(columns.proba) == 1:
        return None
    names, distinct = labels_in_names(columns.proba), pd.unique(target)
    if names is None:
        names, texts = list(map(str, columns.proba)), set(map(plain, distinct))
        return names if "0" in texts and texts <= set(names) else None
    known = Spellings(names)
    return names if any(label in known for label in distinct) else None


def _numbers(columns: Columns, table: Any, name: Any, *, of_truth: bool = False, lists: bool = False) -> NDArray[Any]:
    """Return a column of numbers or grades as numbers. With `of_truth`, it holds the correctness of answers."""
    if holds_lists(table[name]):  # no words
        return numbers_in(table, name, lists=lists)
    if (
        (grades := columns.grades) is not None
        and has_grades(values := as_series(table[name]), grades)
        and not (of_truth and are_truths(values, as_series(table[columns.confidence]), grades))
    ):
        return from_grades(values, grades, f"column {name!r}")
    if name in (columns.correct, columns.confidence) and has_percentages(values := as_series(table[name])):
        return from_grades(values, columns.grades, f"column {name!r}")
    try:
        return numbers_in(table, name, or_truth=of_truth, lists=lists)
    except ValueError as error:
        if name == columns.confidence and have_no_entry(as_series(table[name])).any():
            problem = as_data_error(error)
            problem.kind = "blank confidences"
            problem.advice = (
                f"If the model abstains where there is no confidence, say so with {option('abstained', name)}."
            )
            raise problem from None
        if np.ndim(table[name]) > 1 or not (words := words_in(as_series(table[name]))):
            raise
        problem = as_data_error(error)
        problem.advice = (
            f"If {shorten(words)} are grades, use {option('grades')} to give each a number: "
            f"{example_of(words, of_truth=of_truth)}."
        )
        raise problem from None


def _correctness(columns: Columns, table: Any, whole: bool) -> ConfidenceProfile:
    confidence = _numbers(columns, table, columns.confidence)
    if whole and columns.grades is None and are_of_hundred(confidence, f"column {columns.confidence!r}"):
        confidence = confidence / 100
    _refuse_scores([columns.confidence], [confidence])
    if columns.correct is not None:
        return ConfidenceProfile.from_correctness(_numbers(columns, table, columns.correct, of_truth=True), confidence)
    target, prediction = labels_in(table, columns.target), labels_in(table, columns.prediction)
    answers = Answers(target, prediction, str(columns.target), str(columns.prediction))
    answers.check_spelling()
    answers.check_order()
    answers.check_confidence(confidence, str(columns.confidence))
    return ConfidenceProfile.from_correctness(answers.right, confidence)


def _refuse_scores(names: Sequence[Any], parts: Sequence[NDArray[Any]]) -> None:
    """Raise if a number is outside [0, 1]. The error names column and row, and says what the number may be."""
    least, largest = min(map(np.min, parts)), max(map(np.max, parts))
    if least >= 0 and largest <= 1:
        return
    rounding = max(8 * float(np.finfo(part.dtype).eps) if part.dtype.kind == "f" else 0.0 for part in parts)
    if least >= -rounding and largest <= 1 + rounding:
        return
    wrong = [(part < -rounding) | (part > 1 + rounding) for part in parts]
    row = min(int(np.argmax(rows if rows.ndim == 1 else rows.any(axis=1))) for rows in wrong if rows.any())
    column, part = next((name, part) for name, rows, part in zip(names, wrong, parts, strict=True) if rows[row].any())
    value = part[row][(part[row] < -rounding) | (part[row] > 1 + rounding)].flat[0] if part.ndim > 1 else part[row]
    percent = least >= 0 and 2 < largest <= 100 + rounding * 100
    grades = f" If they are grades, such as 1 to 5, use {option('grades')} to give each a number from 0 to 1."
    remedy = (
        f"If the numbers are percentages, divide them by 100.{grades if len(parts) == 1 else ''}"
        if percent
        else "Pass probabilities (predict_proba). Convert scores or logits to probabilities with the softmax or "
        "logistic function."
    )
    text = f"column {column!r} has {value}, outside [0, 1], in "
    kind = "percentages" if percent else "out of range"
    raise DataError(text, row, ".", kind=kind, column=column, advice=remedy)


def _label_of_single(name: str, known: Spellings) -> str | None:
    """Return the label in the name of a single column of probabilities; None if there is none."""
    if name.startswith(PREFIX):
        return name.removeprefix(PREFIX)
    return name if name != "0" and name in known else None  # "0" is the name of a column without a name


def _sorted(values: Any, name: str) -> Groups:
    """Return the groups in a column, sorted as labels, even if categories have their own order."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1 and len(values):
        low = values.min()
        if int(values.max()) - int(low) < len(values):  # looked up in a table
            wide = values if values.dtype.kind == "u" else values.astype(np.int64)  # a difference may need more bits
            places = (wide - low).astype(np.intp)
            there = np.zeros(len(values), dtype=np.bool_)
            there[places] = True
            rank = np.cumsum(there, dtype=np.intp) - 1
            return Groups(
                rank[places], pd.Index([int(low) + place for place in np.flatnonzero(there).tolist()], dtype=object)
            )
    column = LabelColumn(values, name)
    if len(column.kinds()) > 1:
        column.sorted_distinct()  # raises if they cannot be sorted together
    order = sorted(range(len(column.distinct)), key=column.distinct.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return Groups(rank[column.codes], pd.Index([column.distinct[place] for place in order], dtype=object))


def plain_labels(table: Any, name: Any) -> NDArray[Any]:
    """Return a column of labels as plain texts, which do not depend on the format of the file."""
    codes, distinct = pd.factorize(labels_in(table, name))
    return np.array([plain(label) for label in distinct], dtype=object)[codes]


def _of_one_type(labels: Any) -> Any:
    """Return labels as plain texts if some are numbers and some are texts, as ids of a log may be."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind != "O" or len({*map(type, labels)}) == 1:
        return labels
    return np.array(list(map(plain, labels)), dtype=object)
