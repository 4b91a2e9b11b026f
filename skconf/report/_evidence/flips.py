"""Answers that only one of two models gets right, and the largest plausible difference of their accuracies."""

from typing import NamedTuple, Self

import numpy as np
from scipy.stats import norm

from skconf._core.proportions import upper_limit
from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.profile import ConfidenceProfile

#: The level of the interval whose ends exclude larger differences: two one-sided tests at 5%.
_LEVEL = 0.9
#: The probability with which a detectable difference is found, and the joint level of the tests.
_POWER, _SIZE = 0.8, 0.05
#: With fewer flips, their spread is not known well enough for an interval.
_FEWEST = 10


class Flips(NamedTuple):
    """Rows in which one of two models is right and the other is wrong.

    Attributes
    ----------
    n_flipped, to_wrong : int
        `n_flipped` is the number of such rows. In `to_wrong` of these rows, the first model is right.
    excluded : float
        A limit of the difference of the accuracies: larger differences, in either direction, are excluded at 5%. The
        limit is the larger absolute value of the two ends of the 90% interval. If fewer than ten rows are flipped, it
        is instead an exact limit of the share of all rows that are flipped in the more frequent direction. The
        difference cannot exceed this share. NaN if there are also weights or groups.
    standard_error : float
        The standard error of the difference, from the 90% interval; NaN if fewer than ten rows are flipped.
    """

    n_flipped: int
    to_wrong: int
    excluded: float
    standard_error: float

    @classmethod
    def of(cls, first: ConfidenceProfile, second: ConfidenceProfile) -> Self | None:
        """Compare two models on the same rows; None if answers are not right or wrong."""
        if {first.kind, second.kind} != {"right or wrong"}:
            return None
        mine, theirs = first.everything.correct, second.everything.correct
        flipped, to_wrong = int(np.count_nonzero(mine != theirs)), int(np.count_nonzero(mine & ~theirs))
        if flipped < _FEWEST:
            count = max(to_wrong, flipped - to_wrong)
            is_plain = first.sample_weight is None and first.groups is None
            limit = float(upper_limit(count, len(mine) - count, (1 + _LEVEL) / 2)) if is_plain else np.nan
            return cls(flipped, to_wrong, limit, np.nan)
        with collected():
            found = compare("accuracy", {"second": second, "first": first}, confidence_level=_LEVEL)
        most = float(np.max(np.abs([found.low, found.high])))
        error = (found.high - found.low) / (2 * norm.ppf((1 + _LEVEL) / 2))
        return cls(flipped, to_wrong, most, float(error))

    def detectable(self, n_compared: int) -> float:
        """Return the difference that one test finds in 80% of data sets, if `n_compared` tests share a level of 5%."""
        return float((norm.ppf(1 - _SIZE / (2 * n_compared)) + norm.ppf(_POWER)) * self.standard_error)
