"""The slices of all columns, worst first, and those in which a model is overconfident by more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
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
        What the slices are called.
    shares : Shares
        How often it is right in each.
    p_values : ndarray of shape (n_slices,)
        P-values of as many errors, if confidences are right, after Holm's adjustment for all slices; NaN where too few
        errors are expected to test it.
    tested_by : {"rows", "groups", "answers"}
        What is taken to be independent: single rows, groups of answers, or graded answers.
    """

    names: Sequence[str]
    shares: Shares
    p_values: Floats
    tested_by: str = "rows"

    @classmethod
    def of(cls, profile: ConfidenceProfile, slices: Mapping[Any, Slices], level: float) -> Self:
        """Compute the slices by all columns together."""
        columns = [each.codes for each in slices.values()]
        shares = Shares.of(profile, columns, level)
        names = [name for each in slices.values() for name in each.names[: int(each.codes.max()) + 1]]
        p_values = np.concatenate(overconfidence_p_values(profile, columns))
        units = "answers" if profile.kind == "graded" else "groups" if profile.groups is not None else "rows"
        return cls([names[code] for code in shares.code], shares, holm(p_values[shares.code]), units)

    @classmethod
    def of_counts(cls, names: Sequence[str], count: Any, right: Floats, says: Floats, level: float) -> Self:
        """Compare groups of which only numbers of answers and means are known.

        Of all answers with the same mean confidence, those with equal confidences vary most (Hoeffding, 1956): p-values
        by their binomial distribution are never too small.
        """
        count = np.asarray(count, dtype=np.intp)
        low, high = clopper_pearson(right, count.astype(np.float64), level)
        order = np.lexsort((np.arange(len(count)), right, high))
        ends = (low[order], high[order], level)
        shares = Shares(order, count[order], right[order], *ends, says[order], "right or wrong", True)
        wrong = np.rint(count * (1 - right))
        p_values = np.where(wrong > count * (1 - says), binom.sf(wrong - 1, count, np.clip(1 - says, 0, 1)), 1.0)
        return cls([names[at] for at in order], shares, holm(p_values[order]), "rows")

    @property
    def overconfident(self) -> NDArray[np.intp]:
        """Places of the slices in which it is overconfident by more than chance."""
        return np.flatnonzero(self.p_values <= LEVEL)
