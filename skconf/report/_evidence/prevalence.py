"""The errors of each class at a stated prevalence, and the shares that the probabilities imply."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import visible
from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._assessment import Grade
from skconf.inference._harm import worst_harm
from skconf.metrics._base.stratified_shares import StratifiedShares, mover
from skconf.profile import ConfidenceProfile

#: The report mentions implied shares that differ from the stated ones by more than this factor.
_FACTOR = 2.0


@dataclass(frozen=True, eq=False)
class AtPrevalence:
    """The errors of each class among all cases, if the classes have the stated shares.

    Attributes
    ----------
    names : sequence of str
        The classes.
    share, of_rows : ndarray of shape (n_classes,)
        The stated share of each class, and its share of the rows.
    implied : ndarray of shape (n_classes,) or None
        Mean probability of each class at the stated shares; None if the probabilities are unknown.
    wrong, low, high : ndarray of shape (n_classes,)
        Errors in rows of each class, as a share of all cases, with their interval. All three are NaN for graded
        answers. The ends of the interval are also NaN if rows are in clusters.
    total : tuple of float
        Share of all cases that are wrong, with its interval.
    """

    names: list[str]
    share: Floats
    of_rows: Floats
    implied: Floats | None
    wrong: Floats
    low: Floats
    high: Floats
    total: tuple[float, float, float]

    @classmethod
    def of(cls, profile: ConfidenceProfile, level: float) -> Self | None:
        """Return the errors of predictions at their stated prevalence; None if none is stated."""
        if profile.prevalence is None or profile.classes is None:
            return None
        share, codes = np.array(profile.prevalence), profile.require("true_class")
        weight = profile.sample_weight
        implied = None
        if profile.given_proba is not None:
            implied = np.average(np.asarray(profile.proba, dtype=np.float64), axis=0, weights=weight)
        loss = np.asarray(profile.loss, dtype=np.float64)
        of_class = np.bincount(codes, weight * loss if weight is not None else loss, len(share))
        total = np.bincount(codes, weight, len(share))
        wrong = share * of_class / total if profile.kind == "right or wrong" else np.full_like(share, np.nan)
        low, high, ends = np.full_like(share, np.nan), np.full_like(share, np.nan), (np.nan, np.nan)
        counts = StratifiedShares.of_parts(profile, np.zeros(len(profile), dtype=np.intp), 1)
        if counts is not None:
            hits, sizes = counts.wrong[:, 0], counts.sizes
            low, high = (share * end for end in clopper_pearson(hits / sizes, sizes, level))
            ends = mover(share, hits, sizes, level)
        of_rows = np.bincount(codes, minlength=len(share)) / len(codes)
        names = [visible(str(label)) for label in profile.classes]
        return cls(names, share, of_rows, implied, wrong, low, high, (float(wrong.sum()), *ends))

    @property
    def rarest(self) -> int:
        """The class with the smallest share; the last one if shares are equal."""
        return int(len(self.share) - 1 - np.argmin(self.share[::-1]))

    @property
    def off(self) -> NDArray[np.intp]:
        """The classes whose implied and stated shares differ by more than a factor of two, with the worst first."""
        if self.implied is None:
            return np.empty(0, dtype=np.intp)
        with np.errstate(divide="ignore"):
            apart = np.abs(np.log(self.implied / self.share))
        return np.argsort(-apart, kind="stable")[: np.count_nonzero(apart > np.log(_FACTOR))]

    @property
    def grade(self) -> Grade:
        """The worst grade of harm of the classes that are `off`.

        The larger of the implied and the stated share counts as the observed share, the smaller as the expected.
        """
        if self.implied is None:
            return worst_harm([])
        pairs = ((self.share[at], self.implied[at]) for at in self.off)
        return worst_harm((max(pair), max(pair), min(pair)) for pair in pairs)

    def implies(self) -> str:
        """Say which share the probabilities imply for the class that is most `off`; "" if no class is."""
        if self.implied is None or not len(self.off):
            return ""
        worst = self.off[0]
        implied = percent_of(self.implied[worst], self.names[worst])
        return f"the probabilities imply {implied}, but {in_percent(self.share[worst])} is stated"


def percent_of(share: float, name: str) -> str:
    """Write the share of a class with its name: "2% fraud", or "2% of class 1" if the name is not a word."""
    is_word = name[:1].isalpha() and name not in ("True", "False")
    return f"{in_percent(share)} {'' if is_word else 'of class '}{name}"


def in_percent(share: float) -> str:
    """Write a share of a class in percent, with up to three digits."""
    return f"{100 * share:.3g}%"
