"""Values of a profile that several metrics use: columns of its samples, and its distinct confidences."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from skconf._core.bins import equal_width_bin
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.sums import Cells
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once, computed_once_of_confidence

#: Sums in another order may differ by this share of a weight.
_ROUNDING = 1e-14


@computed_once
def lost(profile: ConfidenceProfile) -> NDArray[Any]:
    """Return the loss of each answer."""
    return profile.loss


@computed_once
def sure_and_right(profile: ConfidenceProfile) -> Floats:
    """Return the confidence of right answers, and 0 for the others (c z)."""
    return profile.confidence * profile.correctness.astype(np.float64)


@computed_once
def sure_and_wrong(profile: ConfidenceProfile) -> Floats:
    """Return the confidence of wrong answers, and 0 for the others."""
    return profile.confidence * lost(profile).astype(np.float64)


@computed_once_of_confidence
def doubt(profile: ConfidenceProfile) -> Floats:
    """Return 1 − c."""
    return 1 - profile.confidence


@computed_once_of_confidence
def scored_from(profile: ConfidenceProfile, threshold: float) -> NDArray[np.bool_]:
    """Return which answers have a score of at least a threshold."""
    return profile.score >= threshold


@computed_once_of_confidence
def bins_of_confidence(profile: ConfidenceProfile, n_bins: int) -> Cells:
    """Return the bin of each confidence; all bins have equal width."""
    return Cells(equal_width_bin(profile.confidence, n_bins), n_bins)


@computed_once
def given_to_truth(profile: ConfidenceProfile) -> Floats:
    """Return the probability given to the true class."""
    proba, true_class = profile.proba, profile.require("true_class")
    if proba.shape[1] == 2:  # without indexing by rows, which takes several times as long
        return np.where(true_class == 1, proba[:, 1], proba[:, 0]).astype(np.float64)
    return proba[np.arange(len(profile)), true_class].astype(np.float64)


class Levels(NamedTuple):
    """Every distinct confidence, ascending, with its weight and the weight of its right predictions.

    Values computed from levels do not depend on the order of rows. A sample of weight zero has no effect.
    """

    confidence: Floats
    weight: Floats
    right: Floats

    @classmethod
    def of(cls, ranking: Ranking) -> Self:
        """Return the levels of a ranking by confidence. Rankings descend, but levels ascend."""
        right = ranking.weight - ranking.errors
        right[np.abs(right) <= _ROUNDING * ranking.weight] = 0.0  # no weight below zero by rounding
        return cls(ranking.score[::-1], ranking.weight[::-1], right[::-1])

    @property
    def gap(self) -> Floats:
        """Weight of the right predictions minus the weight that the confidence implies."""
        return self.right - self.weight * self.confidence

    @property
    def accuracy(self) -> Floats:
        """Share of right predictions at each level."""
        return self.right / self.weight

    @property
    def isotonic_accuracy(self) -> Floats:
        """The isotonic fit of the accuracy of the levels: the best non-decreasing function of the confidence."""
        return np.asarray(isotonic_regression(self.accuracy, sample_weight=self.weight))


def levels(profile: ConfidenceProfile) -> Levels:
    """Return the distinct confidences of a profile."""
    return Levels.of(profile.confidence_ranking)
