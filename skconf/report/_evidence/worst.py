"""The worst answers: most confident errors, largest losses, or highest costs, relative to the expected ones."""

from typing import NamedTuple

import numpy as np

from skconf.inference._grouped_means import expected_and_observed
from skconf.profile import ConfidenceProfile

#: The number of answers that are listed.
_LISTED = 20


class Worst(NamedTuple):
    """One of the worst answers.

    Attributes
    ----------
    row : int
        Its row, from 0.
    says, was : float
        Its confidence and its correctness; for costs, its uncertainty and its cost.
    """

    row: int
    says: float
    was: float


def worst_answers(profile: ConfidenceProfile, at_most: int = _LISTED) -> list[Worst]:
    """Find the wrong answers with the highest confidence, or those whose loss or cost most exceeds the expected one."""
    said, was = expected_and_observed(profile)
    apart = was - said if profile.kind == "costs" else said - was
    wrong = apart > 0 if profile.kind != "right or wrong" else was == 0
    if profile.sample_weight is not None:
        wrong &= profile.sample_weight > 0
    rows = np.flatnonzero(wrong)
    if len(rows) > at_most:
        least = np.partition(apart[rows], -at_most)[-at_most]
        rows = rows[apart[rows] >= least]
    order = np.lexsort((rows, -apart[rows]))[:at_most]
    return [Worst(int(row), float(said[row]), float(was[row])) for row in rows[order]]
