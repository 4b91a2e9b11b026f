"""Rows of files that are about the same samples: matched by ids, or by place where the true labels agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.spellings import plain
from skconf.accumulation._ids import places_by_id
from skconf.profile import ConfidenceProfile
from skconf.report._slices import Slices


@dataclass(frozen=True)
class RowsOfFile:
    """What was read from the file of a model.

    Attributes
    ----------
    file : Path
        The file.
    profile : ConfidenceProfile
        Its predictions.
    truth : ndarray or None
        True labels, row by row; None if the file has none.
    slices : mapping of column to Slices
        Columns by which to look where it fails.
    """

    file: Path
    profile: ConfidenceProfile
    truth: NDArray[Any] | None
    slices: Mapping[Any, Slices] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """Predictions of several models in one order of rows.

    Attributes
    ----------
    profiles : dict of ConfidenceProfile
        Predictions of each model.
    unpaired : dict of str
        Why rows of a model cannot be paired with those of the first; completes "FIRST and MODEL ...".
    row_numbers : dict of ndarray
        Number of each row in its file, from 0, where rows were matched by ids.
    slices : dict of mapping of column to Slices
        Columns by which to look where each model fails; empty if there are none.
    """

    profiles: dict[str, ConfidenceProfile]
    unpaired: dict[str, str]
    row_numbers: dict[str, NDArray[Any]]
    slices: dict[str, Mapping[Any, Slices]]


def paired(rows: Mapping[str, RowsOfFile], ids: Any) -> Pairs:
    """Return predictions in one order of rows.

    Parameters
    ----------
    rows : mapping of str to RowsOfFile
        What was read for each model.
    ids : label or None
        Column of the ids by which rows are matched; None pairs them by place, if their true labels agree.
    """
    slices = {model: each.slices for model, each in rows.items() if each.slices}
    if len(rows) < 2:
        return Pairs({model: each.profile for model, each in rows.items()}, {}, {}, slices)
    profiles = {model: _in_plain_labels(each.profile) for model, each in rows.items()}
    truths = {model: each.truth for model, each in rows.items()}
    numbers: dict[str, NDArray[Any]] = {}
    if ids is not None:
        numbers = places_by_id({model: each.file for model, each in rows.items()}, ids)
        profiles = {model: profile[numbers[model]] for model, profile in profiles.items()}
        truths = {model: None if truth is None else truth[numbers[model]] for model, truth in truths.items()}
        slices = {
            model: {column: each[numbers[model]] for column, each in of_model.items()}
            for model, of_model in slices.items()
        }
    first, *others = rows
    reasons = {
        model: _why_unpaired(truths[first], truths[model]) or _other_weights(profiles[first], profiles[model])
        for model in others
    }
    return Pairs(profiles, {model: reason for model, reason in reasons.items() if reason}, numbers, slices)


def _why_unpaired(truth: NDArray[Any] | None, other: NDArray[Any] | None) -> str:
    """Return why two files cannot be compared row by row; empty if they can."""
    if truth is None or other is None:
        return "have no true labels to match rows by"
    if len(truth) != len(other):
        return f"have {len(truth):,} and {len(other):,} rows"
    if not np.array_equal(truth, other):
        return f"have different true labels, first in row {int(np.argmax(truth != other))}"
    return ""


def _other_weights(one: ConfidenceProfile, other: ConfidenceProfile) -> str:
    """Return why two models weigh rows differently; empty if they do not."""
    if one.sample_weight is None or other.sample_weight is None:
        alike = one.sample_weight is other.sample_weight
    else:
        alike = np.array_equal(one.sample_weight, other.sample_weight)
    return "" if alike else "have different sample weights"


def _in_plain_labels(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return a profile whose labels are plain texts: 1 in a Parquet file is "1" in a CSV file."""
    plainly = [] if profile.classes is None else [plain(label) for label in profile.classes]
    return profile if len(set(plainly)) < (profile.n_classes or 1) else replace(profile, classes=np.array(plainly))
