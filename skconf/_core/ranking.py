"""The sort by score that all ranked metrics share."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, row_blocks


class AtErrors(NamedTuple):
    """Errors and weights at each score that has errors, from the highest score down.

    Areas under curves need only these scores. If the ranking has draws, the scores of the first draw come first,
    then the scores of the second draw, and so on.

    Attributes
    ----------
    errors, weight : ndarray of shape (n_scores,)
        Weight of errors (or other losses), and total weight, at each score.
    accepted : ndarray of shape (n_scores,)
        Total weight at each score and all higher scores.
    draw : ndarray of shape (n_scores,), default=None
        The draw to which each score belongs; None if the ranking has no draws.
    """

    errors: Floats
    weight: Floats
    accepted: Floats
    draw: Codes | None = None


@dataclass(frozen=True, eq=False)
class Ranking:
    """Weight and errors at every distinct score, from the highest score down.

    Tied samples are one entry, so values from a ranking do not depend on the order of the rows.

    A ranking may also hold many random draws of the weights; its values are then computed for each draw. `weight` and
    `errors` then have the shape (n_draws, n_distinct), and a draw may have no weight at a score.

    Attributes
    ----------
    score : ndarray of shape (n_distinct,)
        Distinct scores, descending.
    weight : ndarray of shape (..., n_distinct)
        Total weight at each score.
    errors : ndarray of shape (..., n_distinct)
        Weight of wrong predictions, or other losses, at each score.
    """

    score: Floats
    weight: Floats
    errors: Floats

    @staticmethod
    def of(score: Floats, wrong: NDArray[Any], sample_weight: Floats | None = None) -> "Ranking":
        """Rank samples by their score. `wrong` may also be the cost of each prediction."""
        if sample_weight is None:
            if wrong.dtype == np.bool_:
                # Sorting values is faster than sorting positions. The sorted scores of one part are then looked up in
                # the other.
                apart = score[~wrong], score[wrong]
                for part in apart:
                    part.sort()
                return _SortedApart(*apart)
            sample_weight = np.ones(len(score))
        kept = sample_weight > 0  # a sample of weight zero is no sample
        score, wrong, sample_weight = score[kept], wrong[kept], sample_weight[kept]
        order = np.argsort(score)
        starts = _first_of_each(score[order])
        distinct = score[order[starts]]
        weight = np.add.reduceat(sample_weight[order], starts)
        errors = np.add.reduceat((sample_weight * wrong)[order], starts)
        return Ranking(distinct[::-1], weight[::-1], errors[::-1])

    @property
    def total_weight(self) -> Any:
        """Sum of all weights."""
        return self.weight.sum(axis=-1)

    @property
    def total_errors(self) -> Any:
        """Total weight of errors, or of other losses."""
        return self.errors.sum(axis=-1)

    @property
    def total_right(self) -> Any:
        """Total weight minus the errors, or other losses."""
        return (self.weight - self.errors).sum(axis=-1)

    @cached_property
    def at_errors(self) -> AtErrors:
        """Errors and weights at the scores where there are errors. Other scores add nothing to an area."""
        some = np.flatnonzero(np.atleast_2d(self.errors).any(axis=0))
        errors, weight, accepted = self.errors[..., some], self.weight[..., some], np.cumsum(self.weight, axis=-1)
        hit = np.nonzero(errors)  # a draw may have no errors at some of these scores
        return AtErrors(errors[hit], weight[hit], accepted[..., some][hit], *hit[:-1])

    def mean_prefix_risk(self) -> Any:
        """Return the mean over k of the error rate among the k highest scores.

        Within a tie, it is the expectation over a random order. The expected number of errors then grows in proportion
        to the position, and the sum over positions is a difference of harmonic numbers.
        """
        # An error counts 1/k at every k from its own place to the last.
        errors, all_weight, all_accepted, draw = self.at_errors
        total, counted = self.total_weight, np.empty(len(errors))
        below = (total if draw is None else total[draw]) - all_accepted
        for rows in row_blocks(len(counted), 1):
            weight, accepted = all_weight[rows], all_accepted[rows]
            before = accepted - weight
            counted[rows] = harmonic_difference(accepted, below[rows])
            within = 1 / accepted  # of a sample that is alone at its score
            tied = np.flatnonzero(weight != 1)
            within[tied] = 1 - before[tied] / weight[tied] * harmonic_difference(before[tied], weight[tied])
            counted[rows] += within
        counted *= errors
        return (counted.sum() if draw is None else np.bincount(draw, counted, len(total))) / total

    def discordant_weight(self) -> Any:
        """Return the weight of pairs in which a wrong answer has a higher score than a right one; ties count half."""
        right = self.weight - self.errors
        # Added up from below, it is exactly 0 if no right answer is below.
        beaten = np.cumsum(right[..., ::-1], axis=-1)[..., ::-1]
        beaten -= right / 2
        return np.einsum("...i,...i->...", self.errors, beaten)


class _SortedApart(Ranking):
    """A ranking of right and wrong answers of weight 1. Its parts are computed when they are needed."""

    _right: Floats
    _wrong: Floats

    def __init__(self, right: Floats, wrong: Floats) -> None:
        """Take the scores of right and of wrong answers, ascending."""
        self.__dict__.update(_right=right, _wrong=wrong)

    @property
    def total_weight(self) -> float:
        """Number of samples."""
        return float(len(self._right) + len(self._wrong))

    @property
    def total_errors(self) -> float:
        """Number of wrong answers."""
        return float(len(self._wrong))

    @property
    def total_right(self) -> float:
        """Number of right answers."""
        return float(len(self._right))

    @cached_property
    def _rights_below(self) -> NDArray[np.intp]:
        """For each wrong answer, the number of right answers with lower scores."""
        return np.searchsorted(self._right, self._wrong)

    @cached_property
    def at_errors(self) -> AtErrors:
        scores, below = self._wrong, self._rights_below
        starts, errors = np.arange(len(scores)), np.ones(len(scores))
        if (scores[1:] == scores[:-1]).any():
            starts = _first_of_each(scores)
            errors = np.diff(starts, append=len(scores)).astype(np.float64)
            scores, below = scores[starts], below[starts]
        weight = errors
        tied = np.flatnonzero(self._right.take(below, mode="clip") == scores) if len(self._right) else ()
        if len(tied):
            weight = errors.copy()
            weight[tied] += np.searchsorted(self._right, scores[tied], side="right") - below[tied]
        accepted = np.subtract(self.total_weight, starts, dtype=np.float64)
        accepted -= below
        return AtErrors(errors[::-1], weight[::-1], accepted[::-1])

    def discordant_weight(self) -> float:
        errors, weight, accepted, _ = self.at_errors
        right_below = self.total_right - (accepted - np.cumsum(errors))
        return float(errors @ (right_below + (weight - errors) / 2))

    @cached_property
    def _levels(self) -> tuple[Floats, Floats, Floats]:
        """The scores, weights and errors of all answers."""
        n = len(self._right) + len(self._wrong)
        at = self._rights_below + np.arange(len(self._wrong))  # wrong answers come before right ones of the same score
        is_right = np.ones(n, dtype=bool)
        is_right[at] = False
        score = np.empty(n)
        score[at], score[is_right] = self._wrong, self._right
        starts, is_wrong = _first_of_each(score), ~is_right
        if len(starts) == n:
            return score[::-1], np.ones(n), is_wrong[::-1].astype(np.float64)
        weight, errors = np.diff(starts, append=n), np.add.reduceat(is_wrong, starts, dtype=np.float64)
        return score[starts[::-1]], weight[::-1].astype(np.float64), errors[::-1]

    @property
    def score(self) -> Floats:
        """Distinct scores, descending."""
        return self._levels[0]

    @property
    def weight(self) -> Floats:
        """Number of samples at each score."""
        return self._levels[1]

    @property
    def errors(self) -> Floats:
        """Number of wrong answers at each score."""
        return self._levels[2]


def harmonic_difference(start: Floats, steps: Floats) -> Floats:
    """Return ψ(start + steps + 1) − ψ(start + 1): for whole numbers Σ 1/j over j = start + 1 … start + steps.

    It avoids a difference of large logarithms, so its relative error stays at rounding level.
    """
    low, high = start + 1.0, start + steps + 1.0
    # ψ(x) ~ ln x − 1/2x − Σ B_2k/(2k x^2k); from 30 on the next term is below rounding.
    a, b = 1 / low, 1 / high
    a2, b2 = a * a, b * b
    series = 1 / 12 - (a2 + b2) / 120 + (a2 * a2 + a2 * b2 + b2 * b2) / 252 - (a2 + b2) * (a2 * a2 + b2 * b2) / 240
    out = np.log1p(steps * a) + (a - b) / 2 + (a2 - b2) * series
    near = np.flatnonzero(low < 30)
    out[near] = digamma(high[near]) - digamma(low[near])
    return np.asarray(out)


def _first_of_each(ordered: Floats) -> NDArray[np.intp]:
    """Return the position of the first entry of each distinct value in a sorted array."""
    return np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
