"""Answers that are right by one model and wrong by another, and which difference of accuracies is excluded."""

from typing import NamedTuple, Self

import numpy as np

from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.profile import ConfidenceProfile

#: The interval whose ends exclude larger differences, each at 5%: two one-sided tests.
_LEVEL = 0.9


class Flips(NamedTuple):
    """Answers that another model has right or wrong where the first one does not.

    Attributes
    ----------
    n_flipped, to_wrong : int
        Answers that flipped, and those among them that the first model has right.
    excluded : float
        The difference of accuracies than which none is larger, either way, at 5%: the end of the 90% interval that is
        further from 0. NaN where there is no interval.
    """

    n_flipped: int
    to_wrong: int
    excluded: float

    @classmethod
    def of(cls, first: ConfidenceProfile, second: ConfidenceProfile) -> Self | None:
        """Compare two models on the same rows; None where answers are not right or wrong."""
        if {first.kind, second.kind} != {"right or wrong"}:
            return None
        mine, theirs = first.everything.correct, second.everything.correct
        with collected():
            found = compare("accuracy", {"second": second, "first": first}, confidence_level=_LEVEL)
        most = float(np.max(np.abs([found.low, found.high])))
        return cls(int(np.count_nonzero(mine != theirs)), int(np.count_nonzero(mine & ~theirs)), most)
