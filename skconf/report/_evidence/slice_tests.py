"""Test whether parts of the answers have more errors than their confidences imply: a p-value for each part."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inference._error_table import FEWEST_ERRORS, ErrorSums, ErrorTable, GapSums
from skconf.inference._grouped_means import Means, are_counts, drawn_as_counts
from skconf.inference._poisson_binomial import ErrorCount
from skconf.metrics._base.kinds import Additive, Sums, divide, merge
from skconf.metrics._base.sums import BlockSums
from skconf.profile import ConfidenceProfile


def overconfidence_p_values(profile: ConfidenceProfile, columns: Sequence[Codes]) -> list[Floats]:
    """Test every part of every column for overconfidence: the probability of so many errors or more.

    Each of the `columns` has the number of every sample's part, from 0. Errors are counted: if confidences are
    calibrated, errors are independent with probabilities 1 − c, so the distribution of their number is known exactly,
    for any size of the part. Two tests use the gap between mean confidence and accuracy instead:

    - If weights differ, the gap is tested by a normal distribution, as in
      :func:`~skconf.inference.assess_confidence`.
    - If answers are graded or in groups, the gap is tested by a t test. But in a part in which each answer is its own
      group, right and wrong answers are counted. If answers are graded and too few errors are expected there for a
      t test, each answer is drawn once as right or wrong: it counts as right with a probability equal to its grade.
      The drawn errors are counted.

    P-values are not adjusted for their number. They are NaN for an empty part, for costs (which have no bound), and
    where too few errors are expected to test the gap.
    """
    if profile.kind == "costs":
        return [np.full(int(codes.max()) + 1, np.nan) for codes in columns]
    weight, sizes = profile.sample_weight, [int(codes.max()) + 1 for codes in columns]
    if not are_counts(profile):
        by_units = [_of_units(profile, codes, size) for codes, size in zip(columns, sizes, strict=True)]
        if weight is not None:
            return [p_values for p_values, _ in by_units]
        by_count = overconfidence_p_values(replace(drawn_as_counts(profile), groups=None), columns)
        graded = profile.kind == "graded"
        return [
            np.where(alone & (np.isnan(p_values) | (not graded)), exact, p_values)
            for (p_values, alone), exact in zip(by_units, by_count, strict=True)
        ]
    if weight is not None:
        there = weight > 0
        if np.ptp(weight[there]) > 0:
            return [_of_gaps(*sums) for sums in _sums(GapSums(), profile, columns, sizes)]
        profile, columns = profile[there].with_weight(None), [codes[there] for codes in columns]
    return [_of_errors(*sums) for sums in _sums(ErrorSums(), profile, columns, sizes)]


def _of_units(profile: ConfidenceProfile, codes: Codes, n_parts: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return p-values of t tests over answers or groups, and in which parts no group has several answers.

    A p-value is NaN if too few errors are expected.
    """
    weight, groups = profile.sample_weight, profile.groups
    gap = Means.of_parts(profile.confidence - profile.correctness, weight, groups, codes, n_parts)
    expected = 1 - Means.of_parts(profile.confidence, weight, groups, codes, n_parts).mean
    enough = np.minimum(expected, 1 - expected) * np.minimum(gap.sizes, gap.n_units) >= FEWEST_ERRORS
    alone = gap.n_units == np.bincount(codes, minlength=n_parts)
    return np.where(enough, gap.p_values_above(), np.nan), alone


def _sums(metric: Additive, profile: ConfidenceProfile, columns: Sequence[Codes], sizes: Sequence[int]) -> list[Sums]:
    """Return the sums of each part of every column. The terms, which take most of the time, are computed once."""
    sums: list[Sums] = [() for _ in columns]
    for rows, block in profile.blocks():
        terms = metric.terms(block)
        for at, (codes, size) in enumerate(zip(columns, sizes, strict=True)):
            part = tuple(map(BlockSums(block, codes[rows], size).of, terms))
            sums[at] = merge(sums[at], part) if sums[at] else part
    return sums


def _of_errors(*sums: Floats) -> Floats:
    """Compute p-values by the exact distribution of the number of errors."""
    p_values = np.full(len(sums[0]), np.nan)
    for group in np.flatnonzero(sums[0].sum(axis=-1) > 0):
        table = ErrorTable.of_sums(*(each[group] for each in sums))
        p_values[group] = ErrorCount(table.chance, table.count).at_least(table.wrong.sum())
    return p_values


def _of_gaps(*sums: Floats) -> Floats:
    """Compute p-values of the weighted gap; NaN where too few errors are expected.

    Whether a part is tested must not depend on its observed errors. Else parts with many errors would be preferred.
    """
    weight, sure, *_, squares = sums
    gap, error = GapSums.gap_and_error(*sums)
    expected = 1 - divide(sure, weight, np.nan)
    enough = np.minimum(expected, 1 - expected) * divide(weight**2, squares, 0.0) >= FEWEST_ERRORS
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(enough, ndtr(-gap / error), np.nan)
