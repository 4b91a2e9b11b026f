"""How samples were drawn: one by one or in groups, from everywhere or within strata."""

from collections.abc import Sequence
from copy import copy
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.groups import read_groups
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError
from skconf.profile import ConfidenceProfile

#: How often each sample turns up in a resample, or the factor of its weight.
Counts = NDArray[Any]

#: Units whose counts are drawn together: their table stays in the processor's cache, and a draw has 16 bits.
_UNITS_AT_ONCE = 1 << 16
#: With so many equal units or fewer, one of the units has nearly all the weight.
FEWEST_UNITS = 1.1
_ROUNDING = 1e-9  # of weights, relative


class Sampling:
    """Units that were drawn independently, each of them one sample or a group of samples.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    groups : column or columns of labels, default=None
        Group of each sample; None: each sample is a unit.
    stratify : column or columns of labels, default=None
        Stratum of each sample, from which as many units were drawn as there are; None: a single stratum.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weights: what has none is no unit, and is never drawn.
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
                "There is one sample"
                + (" group, in groups" if groups is not None else "")
                + (" with a positive weight" if sample_weight is not None else "")
                + ": its error cannot be estimated. At least two are needed."
            )
        self.stratum, self.sizes = None, np.array([self.n_units])
        if stratify is not None:
            strata = read_groups(stratify, n_samples, "stratify")
            present, self.stratum, self.sizes = np.unique(
                self._of_units(strata.codes), return_inverse=True, return_counts=True
            )
            alone = present[self.sizes == 1]
            if len(alone):
                raise ValueError(
                    f"stratify has {len(alone)} strata with a single unit, such as {strata.labels[alone[0]]!r}: its "
                    "error cannot be estimated. Merge small strata."
                )
        #: Whether samples were drawn one by one from strata of which some weigh more than they have samples.
        self.weighs_strata = False
        #: Whether samples of a stratum have the same weight.
        self.equal_within = True
        if sample_weight is not None and self.stratum is not None and not self.grouped:
            weight = sample_weight[sample_weight > 0]
            mean = np.bincount(self.stratum, weight) / self.sizes
            self.weighs_strata = bool(mean.min() < mean.max() * (1 - _ROUNDING))
            self.equal_within = bool(np.allclose(weight, mean[self.stratum], rtol=_ROUNDING, atol=0))
        #: Share of each group in its stratum; None where none is grouped.
        self.share = None
        if self.grouped:
            self.share = self._share(self.totals(np.ones(n_samples) if sample_weight is None else sample_weight))
        #: Number of equal units in each stratum that groups of unequal size stand for.
        self.equivalent = self._equivalent()
        #: Number of these beyond one for each stratum; infinite where errors are normal.
        self.degrees_of_freedom = float(self.equivalent.sum() - len(self.sizes))

    @classmethod
    def of(cls, profile: ConfidenceProfile, groups: Any = None, stratify: Any = None) -> Self:
        """Return how predictions were drawn: in the groups and strata that are given, or that they come with.

        Where groups are drawn, or a stratum has a single sample, the strata that predictions come with count as chance.
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
        """Return the positions of the statistics that are about the same rows, these, and how they were drawn.

        Some count what abstains, and others do not. Groups and strata are of all rows.
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
        """Return the stratum of each sample; −1 of one without weight, which is no unit."""
        return self._strata if self.unit is None else np.append(self._strata, -1)[self.unit]

    def _of_units(self, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the stratum of every unit, which may have samples of one stratum only."""
        if self.unit is None:
            return codes
        stratum = np.empty(self.n_units + 1, dtype=np.intp)
        stratum[self.unit] = codes
        split = (stratum[self.unit] != codes) & (self.unit < self.n_units)
        if split.any():
            raise DataError(
                "The group of ",
                int(np.argmax(split)),
                " has samples in several strata; stratify must be the same for all samples of a group.",
                kind="torn group",
                column="stratify",
            )
        return stratum[:-1]

    @property
    def _strata(self) -> Codes:
        """The stratum of each unit."""
        return np.zeros(self.n_units, dtype=np.intp) if self.stratum is None else self.stratum

    def _share(self, sizes: Floats) -> Floats:
        """Return the share of each unit in its stratum."""
        return np.asarray(sizes / np.bincount(self._strata, sizes)[self._strata])

    def _equivalent(self) -> Floats:
        """Return (Σ s)² / Σ s² of the sizes s of the groups in each stratum; the number of units where none is grouped.

        The error of a mean over groups of unequal size rests on the few large ones: it has fewer degrees of freedom
        than there are groups less one.
        """
        if self.share is None:
            return self.sizes.astype(np.float64)
        return np.maximum(equal_units(self.share, self._strata), FEWEST_UNITS)

    def _of_samples(self, counts: Counts) -> Counts:
        """Return the counts of the samples, given those of the units."""
        return counts if self.unit is None else np.pad(counts, ((0, 0), (0, 1)))[:, self.unit]

    @property
    def stretch(self) -> float:
        """What an error seen among resamples of few groups is to be multiplied by."""
        return float(np.sqrt(1 + len(self.sizes) / self.degrees_of_freedom)) if self.grouped else 1.0

    def totals(self, values: ArrayLike) -> Floats:
        """Return the sum over the samples of each unit."""
        values = np.asarray(values, dtype=np.float64)
        if self.unit is None:
            return values
        return np.bincount(self.unit, weights=values)[: self.n_units].astype(np.float64, copy=False)

    def given_kinds(self, kinds: Codes | None) -> "Sampling":
        """Return the sampling in which the numbers of samples of each kind are given, and errors normal.

        That is DeLong's, of an area by the numbers of positives and negatives. Where there are no kinds, a kind has a
        single sample, or samples are not equal and drawn one by one, it is this sampling itself.
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
        """Return the sampling in which groups have these sizes; this one where nearly all is of one group."""
        stratum = self._strata
        if not (np.bincount(stratum, sizes) > 0).all() or equal_units(sizes, stratum).min() <= FEWEST_UNITS:
            return self
        given = copy(self)
        given.share, given.equivalent = self._share(sizes), equal_units(sizes, stratum)
        given.degrees_of_freedom = float(given.equivalent.sum() - len(self.sizes))
        return given

    def standard_error(self, influence: Floats) -> float:
        """Return the standard error of a value from the first-order effects of the samples on it."""
        totals = self.totals(influence)
        stratum = self._strata
        apart = totals - (np.bincount(stratum, weights=totals) / self.sizes)[stratum]
        unbiased = self.sizes / (self.sizes - 1)
        if self.share is not None:  # the jackknife's: a large group draws the value to itself
            apart, unbiased = apart / (1 - self.share), 1 / unbiased
        return float(np.sqrt((np.bincount(stratum, weights=np.square(apart)) * unbiased).sum()))

    def draw(self, n_draws: int, rng: np.random.Generator) -> Counts:
        """Draw how often each sample turns up when as many units are drawn again, with replacement.

        Returns
        -------
        ndarray of shape (n_draws, n_samples)
            Multinomial counts. That one exceeds 255 has a probability below 1e-500.
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
        """Draw which of two predictions each unit is given, for all samples of the first and all of the second.

        Returns
        -------
        ndarray of shape (2 n_draws, 2 n_samples)
            0 or 1, and in every other row what the row before left over.
        """
        first = self._of_samples(rng.integers(2, size=(n_draws, self.n_units), dtype=np.uint8))
        taken = np.hstack([first, 1 - first])
        return np.stack([taken, 1 - taken], axis=1).reshape(2 * n_draws, -1)


def equal_units(size: NDArray[Any], part: Codes) -> Floats:
    """Return (Σ s)² / Σ s² of the sizes s in each part: the number of equal units that unequal ones stand for."""
    return np.asarray(np.bincount(part, size) ** 2 / np.bincount(part, size**2))


def _equal(sample_weight: Floats | None) -> bool:
    """Return whether all samples that have weight have the same."""
    if sample_weight is None:
        return True
    there = sample_weight[sample_weight > 0]
    return bool((there == there[0]).all())


def draw_outcomes(confidence: Floats, n_draws: int, rng: np.random.Generator) -> Counts:
    """Draw which predictions are right if the confidences are calibrated.

    Returns
    -------
    ndarray of shape (n_draws, 2 n_samples)
        1 where the prediction is right, and then 1 where it is wrong: counts of :func:`both_outcomes`.
    """
    n_samples = len(confidence)
    counts = np.empty((n_draws, 2 * n_samples), dtype=np.uint8)
    for row in counts:
        row[:n_samples] = rng.random(n_samples) < confidence
    np.subtract(1, counts[:, :n_samples], out=counts[:, n_samples:])
    return counts


def both_outcomes(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return every prediction twice: as a right one, and then as a wrong one."""
    return ConfidenceProfile.from_correctness(
        np.repeat([True, False], len(profile)),
        np.tile(profile.confidence, 2),
        sample_weight=None if profile.sample_weight is None else np.tile(profile.sample_weight, 2),
    )


def draw_mirrored(sampling: Sampling, n_draws: int, rng: np.random.Generator) -> Counts:
    """Draw for which units correctness is on the other side of the confidence: counts of :func:`both_sides`."""
    return sampling.swap(n_draws, rng)[::2]


def both_sides(profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return every prediction twice: as it is, and with its correctness as far on the other side of its confidence.

    If the confidences are calibrated, either is as probable as far as means and variances go, whatever the correctness
    within a group has in common, and however it is graded.
    """
    return joined(profile, replace(profile, correctness=2 * profile.confidence - profile.correctness))


def joined(first: ConfidenceProfile, second: ConfidenceProfile) -> ConfidenceProfile:
    """Return predictions of two parts of one task as one."""
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
    """Fill in how often each unit is drawn among as many draws: a multinomial, by blocks and then within each."""
    edges = np.append(np.arange(0, len(out), _UNITS_AT_ONCE), len(out))
    widths = np.diff(edges)
    drawn = rng.multinomial(len(out), widths / len(out))
    for start, width, total in zip(edges, widths, drawn, strict=False):
        picks = rng.integers(width, size=total, dtype=np.uint16)
        out[start : start + width] = np.bincount(picks, minlength=width)
