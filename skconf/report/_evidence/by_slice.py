"""The slices of all columns, worst first, and the slices in which a model is overconfident by more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._assessment import Grade
from skconf.inference._harm import worst_harm
from skconf.inference._p_values import holm
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.shares import Shares
from skconf.report._evidence.slice_tests import overconfidence_p_values
from skconf.report._evidence.slices import Slices

#: Level at which a slice is called overconfident.
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class BySlice:
    """The slices of one model, worst first.

    Attributes
    ----------
    names : sequence of str
        The names of the slices.
    shares : Shares
        The share of right answers in each slice.
    p_values : ndarray of shape (n_slices,)
        The probability, if confidences are calibrated, of at least as many errors as observed in a slice. It is
        adjusted by Holm's method for all slices. It is NaN for costs, and if too few errors are expected for a test.
    tested_by : {"rows", "clusters", "answers"}
        The units that the test assumes to be independent: single rows, clusters of answers, or graded answers.
    """

    names: Sequence[str]
    shares: Shares
    p_values: Floats
    tested_by: str = "rows"

    @classmethod
    def of(cls, profile: ConfidenceProfile, slices: Mapping[Any, Slices], level: float) -> Self:
        """Compare the slices of all columns, with p-values that are adjusted for all of them together."""
        columns = [each.codes for each in slices.values()]
        shares = Shares.of(profile, columns, level)
        names = [name for each in slices.values() for name in each.names[: int(each.codes.max()) + 1]]
        p_values = np.concatenate(overconfidence_p_values(profile, columns))
        units = "answers" if profile.kind == "graded" else "clusters" if profile.groups is not None else "rows"
        return cls([names[code] for code in shares.code], shares, holm(p_values[shares.code]), units)

    @classmethod
    def of_counts(cls, names: Sequence[str], count: Any, right: Floats, says: Floats, level: float) -> Self:
        """Compare groups of which only the numbers of answers, the accuracies and the mean confidences are known.

        For a given mean confidence, k errors or more are most probable if all confidences are equal, provided that k is
        at least the expected number plus one (Hoeffding, 1956). So for these k, p-values from the binomial distribution
        are never too small. For a smaller k, the p-value is 1. Only for k = 1 it is the expected number (at most 1),
        because one error or more have at most this probability.
        """
        count = np.asarray(count, dtype=np.intp)
        low, high = clopper_pearson(right, count.astype(np.float64), level)
        order = np.lexsort((np.arange(len(count)), right, high))
        ends = (low[order], high[order], level)
        shares = Shares(order, count[order], right[order], *ends, says[order], "right or wrong", True)
        wrong, expected = np.rint(count * (1 - right)), count * (1 - says)
        near = np.where(wrong == 1, np.minimum(expected, 1.0), 1.0)
        p_values = np.where(wrong < expected + 1, near, binom.sf(wrong - 1, count, np.clip(1 - says, 0, 1)))
        return cls([names[at] for at in order], shares, holm(p_values[order]), "rows")

    @property
    def overconfident(self) -> NDArray[np.intp]:
        """Places of the slices in which the model is overconfident by more than chance."""
        return np.flatnonzero(self.p_values <= LEVEL)

    @property
    def grade(self) -> Grade:
        """The worst grade of harm among the slices in which the model is overconfident."""
        shares = self.shares
        return worst_harm((1 - shares.high[at], 1 - shares.low[at], 1 - shares.says[at]) for at in self.overconfident)
