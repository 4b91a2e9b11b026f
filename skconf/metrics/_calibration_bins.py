"""Confidences put together: in bins of equal width or equal mass, and by distinct value."""

from typing import NamedTuple, Self

import numpy as np

from skconf._labels import Codes
from skconf._probabilities import Floats
from skconf._ranking import Ranking
from skconf.profile import ConfidenceProfile

STRATEGIES = ("uniform", "quantile")
#: Shares of weight that differ from an edge by rounding count as on it.
_ROUNDING = 1e-9


class Levels(NamedTuple):
    """Every distinct confidence, ascending, with its weight and that of the right predictions.

    What is read off levels depends on the order of the rows in no way, and a sample of weight zero is no sample.
    """

    confidence: Floats
    weight: Floats
    right: Floats

    @classmethod
    def of(cls, ranking: Ranking) -> Self:
        """Turn a ranking by confidence around."""
        right = np.clip(ranking.weight - ranking.errors, 0.0, None)  # no weight below zero by rounding
        return cls(ranking.score[::-1], ranking.weight[::-1], right[::-1])

    @property
    def gap(self) -> Floats:
        """Weight of the right predictions less the weight that the confidence promises."""
        return self.right - self.weight * self.confidence

    @property
    def accuracy(self) -> Floats:
        """Share of right predictions at each level."""
        return self.right / self.weight


def rank_by_confidence(profile: ConfidenceProfile) -> Ranking:
    """Return the ranking by confidence: the profile's own unless that ranks by another score."""
    if profile.ranks_by_confidence:
        return profile.ranking
    return Ranking.of(profile.confidence, ~profile.correct, profile.sample_weight)


def levels(profile: ConfidenceProfile) -> Levels:
    """Return the distinct confidences of a profile."""
    return Levels.of(rank_by_confidence(profile))


def equal_width_bin(values: Floats, n_bins: int) -> Codes:
    """Return the bin (k/n, (k + 1)/n] of every value in [0, 1]; 0 belongs to the first."""
    guess = np.clip(np.ceil(values * n_bins).astype(np.intp) - 1, 0, n_bins - 1)
    # The product may round across an edge; the edges themselves decide.
    edges = np.arange(n_bins + 1) / n_bins
    guess -= (values <= edges[guess]) & (guess > 0)
    guess += values > edges[guess + 1]
    return guess


def equal_mass_bin(weight: Floats, n_bins: int) -> Codes:
    """Return the bin of every level, given the weights of all levels in ascending order.

    A level is in the bin that holds the share F of weight at or below it, k/n < F <= (k + 1)/n. Tied samples are
    one level, so that a bin never splits them; a bin may then be empty.
    """
    below = np.cumsum(weight)
    return np.clip(np.ceil(below / below[-1] * n_bins - _ROUNDING).astype(np.intp) - 1, 0, n_bins - 1)
