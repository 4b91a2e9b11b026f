"""Means over parts of the answers, with intervals, for graded answers, for costs and for answers in groups."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._sampling import FEWEST_UNITS
from skconf.metrics._base.kinds import divide
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once

#: A sum of squares below this share of its largest possible value is 0, apart from rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Means:
    """Weighted means of a value over several parts of the answers, with sums for their standard errors.

    Attributes
    ----------
    weight, mean : ndarray of shape (n_parts,)
        Σ w, and Σ w x / Σ w; NaN for an empty part.
    squares : ndarray of shape (n_parts,)
        Σ (Σ w (x − mean))². The inner sum is over the answers of a unit, which is a single answer or a group.
    sizes : ndarray of shape (n_parts,)
        (Σ w)² / Σ (Σ w)², the effective number of units.
    n_units : ndarray of shape (n_parts,)
        Number of units.
    """

    weight: Floats
    mean: Floats
    squares: Floats
    sizes: Floats
    n_units: NDArray[Any]

    @classmethod
    def of_parts(cls, values: Floats, weight: Floats | None, unit: Codes | None, part: Codes, n_parts: int) -> Self:
        """Return the means over disjoint parts of the answers.

        `unit` is the group of each answer; without groups, each answer is a unit. `part` is the number of the part of
        each answer, from 0.
        """
        kept = slice(None) if weight is None else weight > 0
        values, part = values[kept], part[kept]
        weighted = np.ones(len(values)) if weight is None else weight[kept]
        units = np.arange(len(values)) if unit is None else unit[kept]
        total = _sums(part, weighted, n_parts)
        mean = divide(_sums(part, weighted * values, n_parts), total, np.nan)
        cell, at = np.unique(units * np.intp(n_parts) + part, return_inverse=True)
        apart, size = (_sums(at, terms, len(cell)) for terms in (weighted * (values - mean[part]), weighted))
        squares, of_sizes = (_sums(cell % n_parts, terms**2, n_parts) for terms in (apart, size))
        n_units = np.bincount(cell % n_parts, minlength=n_parts)
        return cls(total, mean, squares, divide(total**2, of_sizes, 0.0), n_units)

    @classmethod
    def from_the_top(cls, values: Floats, weight: Floats | None, unit: Codes | None, score: Floats) -> Self:
        """Return the means over the answers at or above each distinct score, from the highest down.

        The parameters are those of :meth:`of_parts`, with the score of each answer in place of its part. For each
        score, the answers of a unit at or above it are summed up. Each further answer updates the sum of the squares of
        these sums.
        """
        weight = np.ones(len(values)) if weight is None else weight
        order = np.argsort(-score, kind="stable")
        order = order[weight[order] > 0]
        score, weight = score[order], weight[order]
        centre = float(values.mean())  # centred, so that squares do not cancel
        paid = weight * (values[order] - centre)
        last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
        before_paid, before = (
            np.zeros(len(order)) if unit is None else _before(part, unit[order]) for part in (paid, weight)
        )
        total, apart = (np.cumsum(part)[last] for part in (weight, paid))
        squares, products, of_sizes = (
            np.cumsum(part)[last]
            for part in (
                (2 * before_paid + paid) * paid,
                before_paid * weight + before * paid + paid * weight,
                (2 * before + weight) * weight,
            )
        )
        mean = apart / total
        squares = squares - 2 * mean * products + mean**2 * of_sizes
        squares = np.where(squares > _ROUNDING * of_sizes * np.ptp(values) ** 2, squares, 0.0)
        mean = np.clip(mean + centre, values.min(), values.max())
        return cls(total, mean, squares, total**2 / of_sizes, np.cumsum(before == 0)[last])

    def __getitem__(self, parts: Any) -> "Means":
        columns = (np.asarray(column)[parts] for column in vars(self).values())
        return Means(*columns)

    @property
    def degrees_of_freedom(self) -> Floats:
        """Degrees of freedom of each error: the effective number of units minus one."""
        return np.maximum(self.sizes, FEWEST_UNITS) - 1

    @property
    def error(self) -> Floats:
        """Standard error of each mean."""
        unbiased = np.where(self.n_units > 1, 1 + 1 / self.degrees_of_freedom, 1.0)
        return divide(np.sqrt(self.squares * unbiased), self.weight, np.nan)

    def equal_samples(self, level: float) -> Floats:
        """Return effective sample sizes: numbers of independent right or wrong answers with the same error of the mean.

        The size is mean (1 − mean) / error² (Korn and Graubard). The error is enlarged if there are few units. It is
        enlarged again, as if there were one more unit, as far from the mean as possible, because a small sample may
        lack such a unit. The size is never below the number of units, because no values in [0, 1] have a larger
        variance than 0 and 1.
        """
        mean, units = np.clip(self.mean, 0.0, 1.0), np.minimum(self.sizes, self.n_units)
        few = stdtrit(self.degrees_of_freedom, (1 + level) / 2) / ndtri((1 + level) / 2)
        lacking = divide(np.maximum(mean, 1 - mean), units, 0.0)
        size = divide(mean * (1 - mean), (few * self.error) ** 2 + lacking**2, 0.0)
        return np.maximum(size, units)

    def ends(self, level: float, *, bounded: bool) -> tuple[Any, Any]:
        """Return the intervals of means: Clopper and Pearson's if `bounded` to [0, 1], else by the t distribution."""
        if bounded:
            return clopper_pearson(np.clip(self.mean, 0.0, 1.0), self.equal_samples(level), level)
        reach = stdtrit(self.degrees_of_freedom, (1 + level) / 2) * self.error
        reach = np.where(self.n_units > 1, reach, np.nan)
        return np.maximum(self.mean - reach, 0.0), self.mean + reach

    def p_values_above(self) -> Floats:
        """Return one-sided p-values of the hypothesis that a mean is at most 0, by t tests; NaN for a single unit."""
        tested = (self.n_units > 1) & (self.error > 0)
        distance = divide(self.mean, np.where(tested, self.error, 1.0), np.nan)
        return np.where(tested, stdtr(self.degrees_of_freedom, -distance), np.nan)


def are_counts(profile: ConfidenceProfile) -> bool:
    """Return whether answers are right or wrong and independent, so that their number has an exact distribution."""
    return profile.kind == "right or wrong" and profile.groups is None


def drawn_as_counts(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Draw graded answers as right or wrong, with their correctness as probability; return other answers as given.

    Means are the same in expectation, and errors can be counted. So a test or a bound for numbers of errors also holds
    for graded answers.
    """
    if profile.kind != "graded":
        return profile
    return replace(profile, correctness=np.random.default_rng(0).random(len(profile)) < profile.correctness)


def losses_from_the_top(profile: ConfidenceProfile, score: Floats) -> Means:
    """Return the mean loss of the answers at or above each distinct score. The profile keeps it for the next call."""
    return _losses_from_the_top(profile, score is profile.confidence)


@computed_once
def _losses_from_the_top(profile: ConfidenceProfile, by_confidence: bool) -> Means:
    lost = np.asarray(profile.loss, dtype=np.float64)
    score = profile.confidence if by_confidence else profile.score
    return Means.from_the_top(lost, profile.sample_weight, profile.groups, score)


def expected_and_observed(profile: ConfidenceProfile) -> tuple[Floats, Floats]:
    """Return the expected and observed value of each answer: confidence and correctness, or uncertainty and cost."""
    if profile.uncertainty is not None:
        return profile.uncertainty, np.asarray(profile.loss, dtype=np.float64)
    return profile.confidence, profile.correctness.astype(np.float64)


def _sums(part: NDArray[Any], terms: Floats, n_parts: int) -> Floats:
    return np.bincount(part, terms, n_parts).astype(np.float64, copy=False)


def _before(values: Floats, unit: Codes) -> Floats:
    """Return, for each value, the sum of the earlier values of the same unit."""
    order = np.argsort(unit, kind="stable")
    summed = np.cumsum(values[order]) - values[order]
    first = np.append(True, np.diff(unit[order]) != 0)
    before = np.empty_like(summed)
    before[order] = summed - summed[np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))]
    return before
