"""The one sort that every rank metric shares."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from skconf._core.probabilities import Floats


@dataclass(frozen=True, eq=False)
class Ranking:
    """Weight and errors at every distinct score, from the highest score down.

    Tied samples enter together, so nothing read off a ranking depends on the order of the rows.

    Attributes
    ----------
    score : ndarray of shape (n_distinct,)
        Distinct scores, descending.
    weight : ndarray of shape (n_distinct,)
        Total weight at each score.
    errors : ndarray of shape (n_distinct,)
        Weight of the wrong predictions, or of what else is lost, at each score.
    """

    score: Floats
    weight: Floats
    errors: Floats

    @classmethod
    def of(cls, score: Floats, wrong: NDArray[Any], sample_weight: Floats | None = None) -> Self:
        """Rank samples by their score; `wrong` may also be what each prediction costs."""
        if sample_weight is None and wrong.dtype != np.bool_:
            sample_weight = np.ones(len(score))
        if sample_weight is None:
            # Sorting values is several times faster than sorting positions, and counts need no positions.
            ordered = np.sort(score)
            starts = _first_of_each(ordered)
            distinct = ordered[starts]
            weight = np.diff(starts, append=len(score)).astype(np.float64)
            ordered_errors = np.sort(score[wrong])
            at = np.searchsorted(distinct, ordered_errors)
            errors = np.bincount(at, minlength=len(distinct)).astype(np.float64)
        else:
            kept = sample_weight > 0  # a sample of weight zero is no sample
            score, wrong, sample_weight = score[kept], wrong[kept], sample_weight[kept]
            order = np.argsort(score)
            starts = _first_of_each(score[order])
            distinct = score[order[starts]]
            weight = np.add.reduceat(sample_weight[order], starts)
            errors = np.add.reduceat((sample_weight * wrong)[order], starts)
        return cls(distinct[::-1], weight[::-1], errors[::-1])

    @property
    def total_weight(self) -> float:
        """Sum of all weights."""
        return float(self.weight.sum())

    def mean_prefix_risk(self) -> float:
        """Return the mean over k of the error rate among the k highest scores.

        Within a tie it is the expectation over a random order: errors then grow in proportion to the position,
        and their sum over the positions is a difference of harmonic numbers.
        """
        # An error counts 1/k at every k from its own place to the last: only scores with errors matter.
        after = np.cumsum(self.weight)
        total, hit = after[-1], np.flatnonzero(self.errors)
        errors, weight, after = self.errors[hit], self.weight[hit], after[hit]
        before = after - weight
        later = harmonic_difference(after, total - after)
        within = 1 / after  # of a sample that is alone at its score
        tied = np.flatnonzero(weight != 1)
        within[tied] = 1 - before[tied] / weight[tied] * harmonic_difference(before[tied], weight[tied])
        return float((errors * (within + later)).sum() / total)

    def discordant_weight(self) -> float:
        """Return the weight of pairs in which a wrong prediction has a higher score than a right one, ties half."""
        right = self.weight - self.errors
        right_below = right.sum() - np.cumsum(right)
        return float(self.errors @ (right_below + right / 2))


def harmonic_difference(start: Floats, steps: Floats) -> Floats:
    """Return ψ(start + steps + 1) − ψ(start + 1): for whole numbers Σ 1/j over j = start + 1 … start + steps.

    Written without a difference of large logarithms, so that its relative error stays at rounding level.
    """
    low, high = start + 1.0, start + steps + 1.0
    # ψ(x) ~ ln x − 1/2x − Σ B_2k/(2k x^2k); from 30 on the next term is below rounding.
    far = low >= 30
    near = ~far
    out = np.empty_like(low)
    out[near] = digamma(high[near]) - digamma(low[near])
    a, b = 1 / low[far], 1 / high[far]
    a2, b2 = a * a, b * b
    series = 1 / 12 - (a2 + b2) / 120 + (a2 * a2 + a2 * b2 + b2 * b2) / 252 - (a2 + b2) * (a2 * a2 + b2 * b2) / 240
    out[far] = np.log1p(steps[far] * a) + (a - b) / 2 + (a2 - b2) * series
    return out


def _first_of_each(ordered: Floats) -> NDArray[np.intp]:
    """Return where each distinct value of a sorted array begins."""
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
