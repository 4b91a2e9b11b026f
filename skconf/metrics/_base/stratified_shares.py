"""Intervals of error rates in parts of the answers, if weights give the classes other shares than in the sample.

Nearly all errors of a part may be of a class with little weight, or of few rows with much weight. Kish's effective
number of rows does not show this: 95% intervals from this number covered the truth in as little as 6% of data sets.
Here, the shares of errors and of right answers in each class get Jeffreys' limits. The method MOVER combines them into
limits of the weighted sums, and then of the error rate (Zou and Donner, Statistics in Medicine 27, 2008; Donner and
Zou, Statistical Methods in Medical Research 21, 2012). In simulations, these intervals covered the truth in 92 to 99%
of data sets.
"""

from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile


@dataclass(frozen=True, eq=False)
class StratifiedShares:
    """Numbers of wrong and right answers in each part of the data, counted separately for each stratum.

    Attributes
    ----------
    wrong, right : ndarray of shape (n_strata, n_parts)
        Numbers of answers, or Kish's effective numbers if weights differ within a stratum.
    sizes : ndarray of shape (n_strata,)
        Number of all answers of each stratum, or Kish's effective number if weights differ within the stratum.
    mass : ndarray of shape (n_strata,)
        Share of each stratum in the total weight.
    may_be_wrong, may_be_right : ndarray of shape (n_strata, n_parts), bool
        Whether a stratum can have wrong or right answers in a part. Suppose that strata are the true classes, and that
        all answers of a part name the same class. Then this class has only right answers there, and the other classes
        have only wrong ones.
    """

    wrong: Floats
    right: Floats
    sizes: Floats
    mass: Floats
    may_be_wrong: NDArray[np.bool_]
    may_be_right: NDArray[np.bool_]

    @classmethod
    def of_parts(cls, profile: ConfidenceProfile, part: Codes, n_parts: int) -> Self | None:
        """Return the counts in disjoint parts; None if answers have no strata, are graded or come in clusters."""
        if profile.strata is None or profile.kind != "right or wrong" or profile.groups is not None:
            return None
        weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
        stratum, n_strata = profile.strata, int(profile.strata.max()) + 1
        total, squares = (np.bincount(stratum, terms, n_strata) for terms in (weight, weight**2))
        there = total > 0
        sizes = total[there] ** 2 / squares[there]
        per_weight = (sizes / total[there])[:, np.newaxis]
        cell, loss = stratum * np.intp(n_parts) + part, np.asarray(profile.loss, dtype=np.float64)
        wrong, right = (
            np.bincount(cell, terms, n_strata * n_parts).reshape(n_strata, n_parts)[there] * per_weight
            for terms in (weight * loss, weight * (1 - loss))
        )
        may_be_wrong = may_be_right = np.ones(wrong.shape, np.bool_)
        if stratum is profile.true_class and np.array_equal(part, cast(Codes, profile.predicted_class)):
            own = np.flatnonzero(there)[:, np.newaxis] == np.arange(n_parts)
            if own.any(axis=0).all() and not own.all(axis=0).any():
                may_be_wrong, may_be_right = ~own, own
        return cls(wrong, right, sizes, total[there] / total.sum(), may_be_wrong, may_be_right)

    @classmethod
    def from_the_top(cls, profile: ConfidenceProfile, score: Floats, stops: Floats) -> Self | None:
        """Return the counts of answers with a score of at least each of `stops` (descending); None as in `of_parts`."""
        part = np.searchsorted(-stops, -score)
        found = cls.of_parts(profile, np.minimum(part, len(stops) - 1), len(stops))
        if found is None:
            return None
        return replace(found, wrong=np.cumsum(found.wrong, axis=1), right=np.cumsum(found.right, axis=1))

    def __getitem__(self, parts: Any) -> "StratifiedShares":
        by_part = {name: getattr(self, name)[:, parts] for name in ("wrong", "right", "may_be_wrong", "may_be_right")}
        return replace(self, **by_part)

    def ends(self, level: float) -> tuple[Any, Any]:
        """Return the interval of the share of errors in each part; [0, 1] for a part without answers."""
        by_part = (slice(None), *[np.newaxis] * (self.wrong.ndim - 1))
        mass, sizes = self.mass[by_part], self.sizes[by_part]
        wrong = _sum_of_shares(mass, self.wrong, sizes, self.may_be_wrong, level)
        right = _sum_of_shares(mass, self.right, sizes, self.may_be_right, level)
        return _of_both(wrong, right), 1 - _of_both(right, wrong)


def _sum_of_shares(mass: Floats, hits: Floats, sizes: Floats, may_be: NDArray[np.bool_], level: float) -> Any:
    """Return Σ mass · hits / sizes over the strata, and its limits, which MOVER combines from those of the strata."""
    low, high = jeffreys(hits, sizes, level)
    share = hits / sizes
    value = (mass * share).sum(axis=0)
    reach = [np.sqrt(((mass * (share - end) * may_be) ** 2).sum(axis=0)) for end in (low, high)]
    return value, np.maximum(value - reach[0], 0.0), value + reach[1]


def _of_both(one: Any, other: Any) -> Any:
    """Return the lower limit of one / (one + other).

    Each argument is a value with its limits (Donner and Zou, 2012).
    """
    value, low, _ = one
    beside, _, high = other
    product, gain, loss = value * beside, low * (2 * value - low), high * (2 * beside - high)
    root = np.sqrt(np.maximum(product**2 - gain * loss, 0.0))
    # The smaller root of loss · r² − 2 · product · r + gain, without a difference of equal numbers.
    quotient = np.divide(gain, product + root, out=np.zeros_like(root), where=product + root > 0)
    return quotient / (1 + quotient)


def jeffreys(hits: Floats, sizes: Floats, level: float) -> tuple[Floats, Floats]:
    """Return Jeffreys' limits of shares of hits.

    The lower limit is 0 without hits, the upper limit 1 without misses.
    """
    tail, misses = (1 - level) / 2, sizes - hits
    low = np.where(hits > 0, betaincinv(hits + 0.5, misses + 0.5, tail), 0.0)
    return low, np.where(misses > 0, betaincinv(hits + 0.5, misses + 0.5, 1 - tail), 1.0)


def mover(mass: Floats, hits: Floats, sizes: Floats, level: float) -> tuple[float, float]:
    """Return the interval of the sum of mass · hits / sizes, combined from Jeffreys' limits of each share."""
    _, low, high = _sum_of_shares(mass, hits, sizes, np.ones(len(hits), np.bool_), level)
    return float(low), min(float(high), 1.0)
