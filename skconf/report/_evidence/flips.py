"""Answers that are right by one model and wrong by another, and which difference of accuracies is excluded."""

from typing import NamedTuple, Self

import numpy as np
from scipy.stats import norm

from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.profile import ConfidenceProfile

#: The interval whose ends exclude larger differences, each at 5%: two one-sided tests.
_LEVEL = 0.9
#: How often a detectable difference is found, where a test holds its level.
_POWER, _SIZE = 0.8, 0.05


class Flips(NamedTuple):
    """Answers that another model has right or wrong where the first one does not.

    Attributes
    ----------
    n_flipped, to_wrong : int
        Answers that flipped, and those among them that the first model has right.
    excluded : float
        The difference of accuracies than which none is larger, either way, at 5%: the end of the 90% interval that is
        further from 0. NaN where there is no interval.
    standard_error : float
        That of the difference, by the same interval.
    """

    n_flipped: int
    to_wrong: int
    excluded: float
    standard_error: float

    @classmethod
    def of(cls, first: ConfidenceProfile, second: ConfidenceProfile) -> Self | None:
        """Compare two models on the same rows; None where answers are not right or wrong."""
        if {first.kind, second.kind} != {"right or wrong"}:
            return None
        mine, theirs = first.everything.correct, second.everything.correct
        with collected():
            found = compare("accuracy", {"second": second, "first": first}, confidence_level=_LEVEL)
        most = float(np.max(np.abs([found.low, found.high])))
        error = (found.high - found.low) / (2 * norm.ppf((1 + _LEVEL) / 2))
        return cls(int(np.count_nonzero(mine != theirs)), int(np.count_nonzero(mine & ~theirs)), most, float(error))

    def detectable(self, n_compared: int) -> float:
        """Return the difference that is found four times in five, by one of so many tests that hold 5% together."""
        return float((norm.ppf(1 - _SIZE / (2 * n_compared)) + norm.ppf(_POWER)) * self.standard_error)
