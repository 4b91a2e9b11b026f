"""How samples were drawn: one by one or in groups, from everywhere or within strata."""

from collections.abc import Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.groups import read_groups
from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf.inference._p_values import student
from skconf.profile import ConfidenceProfile

#: How often each sample turns up in a resample, or the factor of its weight.
Counts = NDArray[Any]

#: The counts of so many units are drawn together: their table stays in the processor's cache, and a draw has 16 bits.
_UNITS_AT_ONCE = 1 << 16
#: If the effective number of units is this or less, one of the units has nearly all the weight.
FEWEST_UNITS = 1.1
_ROUNDING = 1e-9  # relative rounding error of weights


class Error(NamedTuple):
    """The standard error of a value.

    Attributes
    ----------
    error, degrees_of_freedom : float
        The standard error, computed from the differences between units (samples or groups), and its degrees of freedom.
    modelled : float, default=0.0
        With groups, the standard error that the sizes of the groups and the correlation of samples in one group imply.
        It is larger than `error` if, by chance, only small groups have large effects on the value.
    """

    error: float
    degrees_of_freedom: float
    modelled: float = 0.0

    def widest(self, confidence_level: float) -> tuple[float, float]:
        """Return `error` or `modelled`, whichever gives the wider interval, with its degrees of freedom.

        They are infinite for `modelled`.
        """
        either = (self.error, self.degrees_of_freedom), (self.modelled, np.inf)
        return max(either, key=lambda each: each[0] * student(confidence_level, each[1]))


class Sampling:
    """Units that were drawn independently. Each unit is one sample or a group of samples.

    `groups` has the group of each sample; without it, each sample is a unit. `stratify` has the stratum of each sample,
    and the number of units of each stratum was fixed; without it, there is a single stratum. `groups` and `stratify`
    are one or several columns of labels. A unit with weight 0 is not counted, and never drawn.
    """

    def __init__(
        self, n_samples: int, groups: Any = None, stratify: Any = None, sample_weight: Floats | None = None
    ) -> None:
        #: Whether units are single samples of one weight, drawn from everywhere.
        self.simple = groups is None and stratify is None and _equal(sample_weight)
        #: Whether samples of a unit depend on each other.
        self.grouped = groups is not None
        #: Whether samples were drawn one by one, from everywhere.
        self.independent = groups is None and stratify is None
        self.unit = None if groups is None else read_groups(groups, n_samples, "groups").codes
        self.n_units = n_samples if self.unit is None else int(self.unit.max()) + 1
        if sample_weight is not None and not sample_weight.all():
            unit = np.arange(n_samples) if self.unit is None else self.unit
            has_weight = np.bincount(unit, weights=sample_weight) > 0
            self.n_units = int(np.count_nonzero(has_weight))
            self.unit = np.where(has_weight, has_weight.cumsum() - 1, self.n_units)[unit]  # no unit: one past the last
        if self.n_units < 2:
            raise ValueError(
                ("There is only one sample" if groups is None else "There is only one group in groups")
                + (" with a positive weight" if sample_weight is not None else "")
                + ", so no standard error can be estimated. At least two are needed."
            )
        self.stratum, self.sizes = None, np.array([self.n_units])
        if stratify is not None:
            strata = read_groups(stratify, n_samples, "stratify")
            present, self.stratum, self.sizes = np.unique(
                self._of_units(strata.codes), return_inverse=True, return_counts=True
            )
            alone = present[self.sizes == 1]
            if len(alone):
                names = [strata.labels.tolist()[each] for each in alone]
                raise ValueError(
                    f"stratify has strata with a single sample or group: {shorten(names)}. No standard error "
                    "can be estimated within them. Merge them with other strata."
                )
        #: Whether samples were drawn one by one within strata, and the strata differ in their mean weights.
        self.weighs_strata = False
        #: Whether samples of a stratum have the same weight.
        self.equal_within = True
        if sample_weight is not None and self.stratum is not None and not self.grouped:
            weight = sample_weight[sample_weight > 0]
            mean = np.bincount(self.stratum, weight) / self.sizes
            self.weighs_strata = bool(mean.min() < mean.max() * (1 - _ROUNDING))
            self.equal_within = bool(np.allclose(weight, mean[self.stratum], rtol=_ROUNDING, atol=0))
        #: Share of each group in its stratum, and the sum of the squared shares of its samples; None without groups.
        self.share: Floats | None = None
        self.squares: Floats | None = None
        if self.grouped:
            self.weigh(np.ones(n_samples) if sample_weight is None else sample_weight)
        #: Effective number of units in each stratum: groups of unequal size stand for fewer groups of equal size.
        self.equivalent = self._equivalent()
        #: The sum of these numbers, minus one for each stratum; infinite if errors are normal.
        self.degrees_of_freedom = float(self.equivalent.sum() - len(self.sizes))

    @classmethod
    def of(cls, profile: ConfidenceProfile, groups: Any = None, stratify: Any = None) -> Self:
        """Return how predictions were drawn, with the given groups and strata, or else those of the profile.

        The strata of the profile are ignored if there are groups, or if a stratum has a single sample.
        """
        groups = profile.groups if groups is None else groups
        if stratify is None and groups is None and profile.strata is not None:
            there = np.ones(len(profile), np.bool_) if profile.sample_weight is None else profile.sample_weight > 0
            if np.bincount(profile.strata[there]).min(initial=2, where=np.bincount(profile.strata[there]) > 0) > 1:
                stratify = profile.strata
        return cls(len(profile), groups, stratify, profile.sample_weight)

    @classmethod
    def by_rows(
        cls, statistics: Sequence[Any], profile: ConfidenceProfile, groups: Any = None, stratify: Any = None
    ) -> list[tuple[list[int], ConfidenceProfile, Self]]:
        """Divide statistics into sets that use the same rows; return positions, rows and sampling of each set.

        Some statistics count rows that abstain, and others do not. Groups and strata are given for all rows.
        """
        if profile.abstained is None:
            return [(list(range(len(statistics))), profile, cls.of(profile, groups, stratify))]
        given = {"groups": groups, "stratify": stratify}
        codes = {name: read_groups(by, profile.n_rows, name).codes for name, by in given.items() if by is not None}
        counting = [i for i, each in enumerate(statistics) if each.on(profile) is not profile]
        others = [i for i in range(len(statistics)) if i not in counting]
        answers = ~profile.abstained.rows
        parts = [(counting, profile.everything, np.ones_like(answers)), (others, profile, answers)]
        return [
            (positions, part, cls.of(part, **{name: code[rows] for name, code in codes.items()}))
            for positions, part, rows in parts
            if positions
        ]

    def stratum_of_samples(self) -> Codes:
        """Return the stratum of each sample; −1 for a sample without weight."""
        return self._strata if self.unit is None else np.append(self._strata, -1)[self.unit]

    def _of_units(self, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the stratum of every unit; raise if a unit has samples of several strata."""
        if self.unit is None:
            return codes
        stratum = np.empty(self.n_units + 1, dtype=np.intp)
        stratum[self.unit] = codes
        split = (stratum[self.unit] != codes) & (self.unit < self.n_units)
        if split.any():
            raise DataError(
                "The group of ",
                int(np.argmax(split)),
                " has samples in several strata. All samples of a group must have the same value of stratify.",
                kind="torn group",
                column="stratify",
            )
        return stratum[:-1]

    @property
    def _strata(self) -> Codes:
        """The stratum of each unit."""
        return np.zeros(self.n_units, dtype=np.intp) if self.stratum is None else self.stratum

    def weigh(self, sizes: Floats) -> None:
        """Compute each unit's share in its stratum from sizes of samples, and sum the squared shares of its samples."""
        of_units, squares = self.totals(sizes), self.totals(np.square(sizes))
        of_stratum = np.bincount(self._strata, of_units)[self._strata]
        self.share, self.squares = of_units / of_stratum, squares / of_stratum**2

    def _equivalent(self) -> Floats:
        """Return the effective number of units in each stratum, (Σ s)² / Σ s² for groups of sizes s.

        If groups have unequal sizes, the few large ones dominate the error of a mean. This error then has fewer degrees
        of freedom than the number of groups minus one.
        """
        if self.share is None:
            return self.sizes.astype(np.float64)
        return np.maximum(equal_units(self.share, self._strata), FEWEST_UNITS)

    def _of_samples(self, counts: Counts) -> Counts:
        """Return the counts of the samples, given the counts of the units."""
        return counts if self.unit is None else np.pad(counts, ((0, 0), (0, 1)))[:, self.unit]

    @property
    def stretch(self) -> float:
        """The factor that corrects a standard error of resamples, which few groups make too small; 1 without groups."""
        return float(np.sqrt(1 + len(self.sizes) / self.degrees_of_freedom)) if self.grouped else 1.0

    def totals(self, values: ArrayLike) -> Floats:
        """Return the sum over the samples of each unit."""
        values = np.asarray(values, dtype=np.float64)
        if self.unit is None:
            return values
        return np.bincount(self.unit, weights=values)[: self.n_units].astype(np.float64, copy=False)

    def given_kinds(self, kinds: Codes | None) -> "Sampling":
        """Return the sampling with fixed numbers of samples of each kind, and infinite degrees of freedom.

        For an area under a curve, the kinds are positives and negatives, and the error is DeLong's. This sampling
        itself is returned if there are no kinds, if a kind has a single sample, if samples have unequal weights, or if
        they were drawn in groups.
        """
        if kinds is None or not self.simple:
            return self
        _, stratum, sizes = np.unique(self._of_units(kinds), return_inverse=True, return_counts=True)
        if sizes.min() < 2:
            return self
        given = copy(self)
        given.stratum, given.sizes, given.equivalent = stratum, sizes, sizes.astype(np.float64)
        given.degrees_of_freedom = np.inf
        return given

    def given_sizes(self, sizes: Floats) -> "Sampling":
        """Return a copy in which samples have these sizes, or this sampling if one group has nearly the whole sum."""
        stratum, of_units = self._strata, self.totals(sizes)
        if not (np.bincount(stratum, of_units) > 0).all() or equal_units(of_units, stratum).min() <= FEWEST_UNITS:
            return self
        given = copy(self)
        given.weigh(sizes)
        given.equivalent = equal_units(of_units, stratum)
        given.degrees_of_freedom = float(given.equivalent.sum() - len(self.sizes))
        return given

    def standard_error(self, influence: Floats) -> float:
        """Return the standard error of a value, given the first-order effects of the samples on it."""
        return self.error_of(influence).error

    def error_of(self, influence: Floats) -> "Error":
        """Return the standard error and its degrees of freedom, given the first-order effects of the samples."""
        totals, stratum, unbiased = self.totals(influence), self._strata, self.sizes / (self.sizes - 1)
        apart = totals - (np.bincount(stratum, weights=totals) / self.sizes)[stratum]
        if self.share is None or self.squares is None:
            error = float(np.sqrt(np.bincount(stratum, weights=np.square(apart)) @ unbiased))
            return Error(error, self.degrees_of_freedom)
        # As in the jackknife, because a large group pulls the value towards itself.
        apart = apart / (1 - self.share)
        error = float(np.sqrt(np.bincount(stratum, weights=np.square(apart)) @ (1 / unbiased)))
        correlation, alone = self._correlation(totals, influence)
        bias, freedom = self._of_jackknife(max(correlation, 0.0))
        # The variance that the sizes of the groups and the correlation imply, whichever groups have the errors.
        own, expected = (
            np.bincount(stratum, variance) for variance in (self.squares, self._variance_of_groups(correlation))
        )
        modelled = float(np.bincount(stratum, alone) @ (np.maximum(expected, 0.0) / own))
        return Error(error / bias, freedom, np.sqrt(modelled))

    def _correlation(self, totals: Floats, influence: Floats) -> tuple[float, Floats]:
        """Return the correlation of the effects of samples in one group, and the sums of squared effects by group.

        All pairs of samples of one group count equally. A group with a single sample has no pair, so it says nothing
        about the correlation. If only such groups have any effect, the correlation is 1.
        """
        assert self.share is not None
        assert self.squares is not None
        alone = self.totals(np.square(influence))
        others = np.divide(self.share**2, self.squares, out=np.ones_like(alone), where=self.squares > 0) - 1
        possible = float(others @ alone)
        if possible <= _ROUNDING * float(alone.sum()):
            return 1.0, alone
        return min((float(totals @ totals) - float(alone.sum())) / possible, 1.0), alone

    def design_effect(self, influence: Floats) -> float:
        """Return by how much groups enlarge the variance of a sum, 1 + ρ (Σ m² / Σ m − 1) for groups of m samples.

        The correlation ρ is that of the effects of samples in one group, given the first-order effects of all samples.
        """
        assert self.unit is not None
        correlation, _ = self._correlation(self.totals(influence), influence)
        of_groups = np.bincount(self.unit)[: self.n_units]
        return 1 + max(correlation, 0.0) * (float(of_groups @ of_groups) / float(of_groups.sum()) - 1)

    def _variance_of_groups(self, correlation: float) -> Floats:
        """Return the variances of the groups, if samples have a variance of 1.

        If the effects in a group are independent, the variance of the group grows like its size; if they are all equal,
        like the square of its size.
        """
        assert self.share is not None
        assert self.squares is not None
        return (1 - correlation) * self.squares + correlation * self.share**2

    def _of_jackknife(self, correlation: float) -> tuple[float, float]:
        """Return the factor by which the jackknife's standard error is too large, and its degrees of freedom.

        Both depend on how much more a large group varies than a small one. The correlation inside groups decides this.
        """
        assert self.share is not None
        variance = self._variance_of_groups(correlation)
        # The deviations of groups are A x, with x independent: these are the traces of A'A and its square, by stratum.
        stratum, apart = self._strata, 1 / (1 - self.share)
        drawn, large, diagonal = apart * variance, apart * self.share, apart**2 * variance
        whole, square, product, fourth = (
            np.bincount(stratum, terms) for terms in (variance, large**2, drawn * large, drawn**2)
        )
        beside = whole[stratum] * large**2 - 2 * drawn * large
        trace = np.bincount(stratum, diagonal + beside)
        of_square = whole**2 * square**2 + 2 * fourth * square + 2 * product**2 - 4 * whole * square * product
        of_square = of_square + np.bincount(stratum, 2 * diagonal * beside + diagonal**2)
        unbiased = 1 - 1 / self.sizes
        expected = float(unbiased @ trace)
        return float(np.sqrt(expected / variance.sum())), expected**2 / float(unbiased**2 @ of_square)

    def draw(self, n_draws: int, rng: np.random.Generator) -> Counts:
        """Draw `n_units` units with replacement, and count each sample; repeat this for each resample.

        The counts, of shape (n_draws, n_samples), are multinomial. They have 8 bits, because a count is above 255 with
        a probability smaller than 1e-500.
        """
        counts = np.empty((n_draws, self.n_units), dtype=np.uint8)
        ends = self.sizes.cumsum()
        for row in counts:
            for size, end in zip(self.sizes, ends, strict=True):
                _draw_counts(row[end - size : end], rng)
        if self.stratum is not None:  # they were drawn stratum by stratum
            counts = counts[:, np.argsort(np.argsort(self.stratum, kind="stable"))]
        return self._of_samples(counts)

    def swap(self, n_draws: int, rng: np.random.Generator) -> Counts:
        """Draw at random from which of two models each unit gets its predictions.

        The counts are 0 or 1, of shape (2 n_draws, 2 n_samples): first for the samples of the first model, then for the
        same samples of the second. Every second row is the complement of the row before.
        """
        first = self._of_samples(rng.integers(2, size=(n_draws, self.n_units), dtype=np.uint8))
        taken = np.hstack([first, 1 - first])
        return np.stack([taken, 1 - taken], axis=1).reshape(2 * n_draws, -1)


def equal_units(size: NDArray[Any], part: Codes) -> Floats:
    """Return the effective number of units in each part, (Σ s)² / Σ s² for units of sizes s."""
    return np.asarray(np.bincount(part, size) ** 2 / np.bincount(part, size**2))


def _equal(sample_weight: Floats | None) -> bool:
    """Return whether all samples with a positive weight have the same weight."""
    if sample_weight is None:
        return True
    there = sample_weight[sample_weight > 0]
    return bool((there == there[0]).all())


def draw_outcomes(confidence: Floats, n_draws: int, rng: np.random.Generator) -> Counts:
    """Draw which predictions are right, if the confidences are calibrated.

    The result, of shape (n_draws, 2 n_samples), has counts for :func:`both_outcomes`: the first half is 1 for right
    predictions, the second half is 1 for wrong ones.
    """
    n_samples = len(confidence)
    counts = np.empty((n_draws, 2 * n_samples), dtype=np.uint8)
    for row in counts:
        row[:n_samples] = rng.random(n_samples) < confidence
    np.subtract(1, counts[:, :n_samples], out=counts[:, n_samples:])
    return counts


def both_outcomes(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return every prediction twice: first as a right one, then as a wrong one."""
    return ConfidenceProfile.from_correctness(
        np.repeat([True, False], len(profile)),
        np.tile(profile.confidence, 2),
        sample_weight=None if profile.sample_weight is None else np.tile(profile.sample_weight, 2),
    )


def draw_mirrored(sampling: Sampling, n_draws: int, rng: np.random.Generator) -> Counts:
    """Draw at random the units whose correctness z is mirrored at the confidence c: it becomes 2c − z.

    The result, of shape (n_draws, 2 n_samples), has counts of 0 or 1 for :func:`both_sides`.
    """
    return sampling.swap(n_draws, rng)[::2]


def both_sides(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return every prediction twice: as it is, and with its correctness mirrored at its confidence.

    If the confidences are calibrated, both versions have the same mean and variance. This holds for any dependence
    within a group, and for any kind of grades.
    """
    return joined(profile, replace(profile, correctness=2 * profile.confidence - profile.correctness))


def joined(first: ConfidenceProfile, second: ConfidenceProfile) -> ConfidenceProfile:
    """Return the predictions of two parts of one task as one profile."""
    first, second = (replace(p, given_proba=None if p.given_proba is None else p.proba) for p in (first, second))
    parts: dict[str, Any] = {
        field.name: np.concatenate([getattr(first, field.name), getattr(second, field.name)])
        for field in fields(first)
        if field.name != "classes" and isinstance(getattr(first, field.name), np.ndarray)
    }
    if first.ranks_by_confidence and second.ranks_by_confidence:
        parts["score"] = parts["confidence"]
    return replace(first, **parts)


def _draw_counts(out: Counts, rng: np.random.Generator) -> None:
    """Fill `out` with multinomial counts of the units: first draw the total of each block, then the counts in it."""
    blocks = [out[start : start + _UNITS_AT_ONCE] for start in range(0, len(out), _UNITS_AT_ONCE)]
    drawn = [len(out)] if len(blocks) == 1 else rng.multinomial(len(out), [len(block) / len(out) for block in blocks])
    for block, total in zip(blocks, drawn, strict=True):
        picks = rng.integers(len(block), size=total, dtype=np.uint16)
        block[:] = np.bincount(picks, minlength=len(block))
