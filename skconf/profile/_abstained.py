"""Rows that abstain. They need no grade and no confidence, lower the coverage, and cost as much as a rejection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.inputs import check_column, check_length
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError, refuse_where
from skconf._core.sklearn_names import safe_indexing

Profile = TypeVar("Profile")


@dataclass(frozen=True, eq=False)
class Abstained:
    """The rows in which the model abstains. They are not in the arrays of a profile.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,), bool
        Whether the model abstains, for every row of the data.
    sample_weight : ndarray of shape (n_abstained,) or None
        Weights of the rows that abstain.
    groups : ndarray of shape (n_abstained,) or None
        Groups of the rows that abstain.
    """

    rows: NDArray[np.bool_]
    sample_weight: Floats | None
    groups: Codes | None

    def place(self) -> NDArray[np.intp]:
        """Return the position of each row's answer among the answers; 0 for rows that abstain."""
        return np.where(self.rows, 0, np.cumsum(~self.rows) - 1)

    def part(self, rows: NDArray[np.intp]) -> "tuple[NDArray[np.intp], Abstained]":
        """Return, for some rows, the positions of their answers among all answers, and which of the rows abstain."""
        gone = self.rows[rows]
        at = (np.cumsum(self.rows) - 1)[rows[gone]]
        weight = None if self.sample_weight is None else self.sample_weight[at]
        groups = None if self.groups is None else self.groups[at]
        return self.place()[rows[~gone]], Abstained(gone, weight, groups)

    def spread(self, answers: Any, abstained: Any) -> NDArray[Any]:
        """Return a column of all rows: `answers` where there is an answer, and `abstained` in the other rows.

        `abstained` is a number, or a column of the rows that abstain.
        """
        column = np.asarray(answers)[self.place()]
        column[self.rows] = abstained
        return column


def check_abstained(abstained: ArrayLike) -> NDArray[np.bool_]:
    """Return which rows abstain."""
    column = check_column(abstained, None, "abstained")
    refuse_where((column != 0) & (column != 1), column, "abstained", "it must be 0 or 1", kind="out of range")
    if column.all():
        raise DataError(
            f"abstained is 1 in all {len(column)} rows, so there is no answer to evaluate.",
            kind="no answer",
            column="abstained",
        )
    return column == 1


def of_answers(make: Callable[..., Profile], rows: NDArray[np.bool_], columns: Mapping[str, Any]) -> Profile:
    """Make a profile of the rows that do not abstain. Error messages give the number of a row among all rows."""
    kept = np.flatnonzero(~rows)
    taken = {}
    for name, column in columns.items():
        if column is not None:
            check_length(column, len(rows), name)
            taken[name] = safe_indexing(column, kept)
    try:
        return make(**taken)
    except DataError as error:
        error.row = None if error.row is None else int(kept[error.row])
        raise
