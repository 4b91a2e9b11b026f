"""The accuracy of a model in parts of the rows, or its cost, with the worst part first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._grouped_means import Means, are_counts, expected_and_observed
from skconf.metrics._base.kinds import divide
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile, Kind


@dataclass(frozen=True, eq=False)
class Shares:
    """The accuracy, or the cost, in each part of the rows, except parts without weight.

    Attributes
    ----------
    code : ndarray of shape (n_found,)
        Number of each part. The worst comes first: the part whose interval has the lowest upper end, or, for costs, the
        highest lower end.
    count : ndarray of shape (n_found,)
        Number of rows.
    right, low, high : ndarray of shape (n_found,)
        Weighted share of right answers, with its interval; mean correctness of graded answers; for costs, mean cost.
    level : float
        Confidence level of the intervals.
    says : ndarray of shape (n_found,)
        Weighted mean confidence; for costs, weighted mean uncertainty.
    kind : str
        The kind of answers.
    has_errors : bool
        Whether rows have equal weights and are right or wrong, so that errors can be counted.
    """

    code: NDArray[np.intp]
    count: NDArray[np.intp]
    right: Floats
    low: Floats
    high: Floats
    level: float
    says: Floats
    kind: Kind
    has_errors: bool

    @classmethod
    def of(cls, profile: ConfidenceProfile, columns: Sequence[Codes], level: float) -> Self:
        """Compute the share of right answers in each part; parts are numbered through all columns."""
        numbers = [(_counted if are_counts(profile) else _in_units)(profile, codes, level) for codes in columns]
        count, right, low, high, says = (np.concatenate(each) for each in zip(*numbers, strict=True))
        kept = np.flatnonzero(~np.isnan(right))
        count, right, low, high, says = (each[kept] for each in (count, right, low, high, says))
        # Sorted by the end of the interval, a part with few rows does not come first by chance.
        order = np.lexsort((kept, -right, -low) if profile.kind == "costs" else (kept, right, high))
        right, low, high, says = (each[order] for each in (right, low, high, says))
        has_errors = are_counts(profile) and profile.sample_weight is None
        return cls(kept[order], count[order], right, low, high, level, says, profile.kind, has_errors)

    def __len__(self) -> int:
        return len(self.code)


def _counted(profile: ConfidenceProfile, codes: Codes, level: float) -> tuple[NDArray[Any], ...]:
    """Count rows, right answers with their interval, and mean confidence in the parts by one column."""
    weight = profile.sample_weight
    each = np.ones(len(profile)) if weight is None else weight
    total, squares, right, says = (
        np.bincount(codes, terms) for terms in (each, each**2, each * profile.correct, each * profile.confidence)
    )
    size = divide(total**2, squares, 0.0)
    share = np.clip(divide(right, total, np.nan), 0.0, 1.0)
    stratified = StratifiedShares.of_parts(profile, codes, len(total))
    if stratified is None:
        low, high = clopper_pearson(share, size, level)
    else:
        low, high = (1 - end for end in reversed(stratified.ends(level)))
    return np.bincount(codes), share, low, high, divide(says, total, np.nan)


def _in_units(profile: ConfidenceProfile, codes: Codes, level: float) -> tuple[NDArray[Any], ...]:
    """Compute the numbers of `_counted` for graded answers, costs and groups, from means over answers or groups."""
    n_parts = int(codes.max()) + 1
    says, right = (
        Means.of_parts(values, profile.sample_weight, profile.groups, codes, n_parts)
        for values in expected_and_observed(profile)
    )
    with np.errstate(invalid="ignore"):  # a part may be empty
        ends = right.ends(level, bounded=profile.kind != "costs")
    return np.bincount(codes, minlength=n_parts), right.mean, *ends, says.mean
