"""Confidences put together by distinct value."""

from typing import NamedTuple, Self

import numpy as np
from sklearn.isotonic import isotonic_regression

from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.profile import ConfidenceProfile

#: Share of a weight by which sums in another order differ.
_ROUNDING = 1e-14


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
        right = ranking.weight - ranking.errors
        right[np.abs(right) <= _ROUNDING * ranking.weight] = 0.0  # no weight below zero by rounding
        return cls(ranking.score[::-1], ranking.weight[::-1], right[::-1])

    @property
    def gap(self) -> Floats:
        """Weight of the right predictions less the weight that the confidence promises."""
        return self.right - self.weight * self.confidence

    @property
    def accuracy(self) -> Floats:
        """Share of right predictions at each level."""
        return self.right / self.weight

    @property
    def isotonic_accuracy(self) -> Floats:
        """The non-decreasing function of the confidence that fits the accuracy of the levels best."""
        return np.asarray(isotonic_regression(self.accuracy, sample_weight=self.weight))


def levels(profile: ConfidenceProfile) -> Levels:
    """Return the distinct confidences of a profile."""
    return Levels.of(profile.confidence_ranking)
