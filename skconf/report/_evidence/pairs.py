"""Rows of files about the same samples: matched by ids, or by position if the true labels agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.columns import plain
from skconf._core.messages import option
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.labels import Labels
from skconf.report._evidence.slices import Slices
from skconf.tables._files import OpenedFile
from skconf.tables._ids import places_by_id
from skconf.tables._rows import Rows


@dataclass(frozen=True)
class RowsOfFile:
    """The content of the file of a model.

    Attributes
    ----------
    file : OpenedFile
        The file.
    found : Rows
        Its predictions, labels and ids.
    slices : mapping of column to Slices
        Columns that divide the rows into slices.
    """

    file: OpenedFile
    found: Rows
    slices: Mapping[Any, Slices] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """Predictions of several models with the same order of rows: attributes of :class:`Evidence`.

    Attributes
    ----------
    profiles : dict of ConfidenceProfile
        Predictions of each model.
    unpaired : dict of str
        The models whose rows cannot be paired with rows of the first model, with the reason. The reason completes the
        sentence "FIRST and MODEL ...".
    row_numbers : dict of ndarray
        Number of each answer's row in its file, from 0, if rows were matched by ids, or rows were left out.
    row_names : dict of pair of column and ndarray
        Column of ids of each file, and the id of each row.
    slices : dict of mapping of column to Slices
        Columns that divide the rows of each model into slices; empty if there are none.
    labels : dict of Labels
        True and predicted labels of files whose predictions do not contain labels, because they have a confidence and
        no probabilities.
    scores : dict of ndarray
        Another score of each answer, where files have one.
    """

    profiles: dict[str, ConfidenceProfile]
    unpaired: dict[str, str]
    row_numbers: dict[str, NDArray[Any]]
    row_names: dict[str, tuple[Any, NDArray[Any]]]
    slices: dict[str, Mapping[Any, Slices]]
    labels: dict[str, Labels]
    scores: dict[str, NDArray[Any]]


def paired(rows: Mapping[str, RowsOfFile], ids: Any) -> Pairs:
    """Bring the predictions of all models into the same order of rows.

    Rows are matched by the column `ids`. If `ids` is None, they are matched by position: a model is unpaired if its
    true labels, or its ids if both files have ids, differ from those of the first model.
    """
    numbers: dict[str, NDArray[Any]] = {}
    if ids is not None and len(rows) > 1:
        files = {model: each.file for model, each in rows.items()}
        numbers = places_by_id(files, ids, {model: each.found.kept for model, each in rows.items()})
    ordered = {model: _in_order(each, numbers.get(model, slice(None))) for model, each in rows.items()}
    profiles = {model: each.found.profile for model, each in ordered.items()}
    if len(rows) > 1:
        profiles = {model: _in_plain_labels(profile) for model, profile in profiles.items()}
    first, *others = rows
    unpaired = {}
    for model in others:
        left_out = any(rows[each].found.kept is not None for each in (first, model))
        why = _why_unpaired(ordered[first].found, ordered[model].found, left_out=left_out)
        if why := why or _other_weights(profiles[first], profiles[model]):
            unpaired[model] = why
    scores = {
        model: each.found.score[each.found.profile.answer_rows]
        for model, each in ordered.items()
        if each.found.score is not None
    }
    for model, each in rows.items():
        if each.found.kept is not None:
            numbers[model] = each.found.kept[numbers.get(model, slice(None))]
    for model, profile in profiles.items():
        if profile.abstained is not None:  # names of rows are names of answers
            kept = np.flatnonzero(~profile.abstained.rows)
            numbers[model] = numbers.get(model, np.arange(profile.n_rows))[kept]
            ordered[model] = _names_of(ordered[model], kept)
    found = {model: each.found for model, each in ordered.items()}
    labels = {model: _labels_beside(each) for model, each in found.items()}
    return Pairs(
        profiles,
        unpaired,
        numbers,
        row_names={model: (each.id_column, each.ids) for model, each in found.items() if each.ids is not None},
        slices={model: each.slices for model, each in ordered.items() if each.slices},
        labels={model: each for model, each in labels.items() if each is not None},
        scores=scores,
    )


def _in_order(rows: RowsOfFile, numbers: Any) -> RowsOfFile:
    """Choose some rows of a file, in a given order."""
    found = rows.found
    names = ("truth", "predicted", "ids", "repeated", "score")
    columns = {name: getattr(found, name) for name in names if getattr(found, name) is not None}
    profile = found.profile if isinstance(numbers, slice) else found.profile.of_rows(numbers)
    return replace(
        rows,
        found=found._replace(profile=profile, **{name: column[numbers] for name, column in columns.items()}),
        slices={column: each[numbers] for column, each in rows.slices.items()},
    )


def _names_of(rows: RowsOfFile, kept: NDArray[np.intp]) -> RowsOfFile:
    """Return the rows of a file, with the ids and slices of only those rows that have an answer."""
    ids = None if rows.found.ids is None else rows.found.ids[kept]
    slices = {column: each.of_answers(kept) for column, each in rows.slices.items()}
    return replace(rows, found=rows.found._replace(ids=ids), slices=slices)


def _labels_beside(found: Rows) -> Labels | None:
    """Return the labels that stand in a file but not in its predictions; None if there are none."""
    if found.profile.classes is not None or found.truth is None or found.predicted is None:
        return None
    return Labels.of_texts(found.truth, found.predicted)


def _why_unpaired(one: Rows, other: Rows, *, left_out: bool) -> str:
    """Return why two files cannot be compared row by row; empty if they can be compared."""
    n_rows, n_others = one.profile.n_rows, other.profile.n_rows
    mine, theirs = (each.repeated if each.ids is None else each.ids for each in (one, other))
    named = mine is not None and theirs is not None and one.id_column == other.id_column
    by_ids = option("ids", one.id_column)
    if n_rows != n_others:
        text = f"have {n_rows:,} and {n_others:,} rows"
        return f"{text} with a grade ({by_ids} compares the rows with a grade in both)" if named and left_out else text
    if named and not np.array_equal(mine, theirs):
        row = int(np.argmax(mine != theirs))
        text = f"have different ids in column {one.id_column!r}, first in row {row}: {mine[row]} and {theirs[row]}"
        return f"{text} ({by_ids} matches rows by this column)"
    if one.truth is None or other.truth is None:
        return "" if named else "have no true labels to match rows by, and no ids"
    if not np.array_equal(one.truth, other.truth):
        return f"have different true labels, first in row {int(np.argmax(one.truth != other.truth))}"
    return ""


def _other_weights(one: ConfidenceProfile, other: ConfidenceProfile) -> str:
    """Return why two models have different weights; empty if they have the same."""
    mine, theirs = one.everything.sample_weight, other.everything.sample_weight
    alike = mine is theirs if mine is None or theirs is None else np.array_equal(mine, theirs)
    return "" if alike else "have different sample weights"


def _in_plain_labels(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return a profile whose labels are plain texts: 1 in a Parquet file is "1" in a CSV file."""
    plainly = [] if profile.classes is None else [plain(label) for label in profile.classes]
    return profile if len(set(plainly)) < (profile.n_classes or 1) else replace(profile, classes=np.array(plainly))
