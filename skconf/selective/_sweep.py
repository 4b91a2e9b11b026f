"""The coverage and the errors at each of many thresholds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking


@dataclass(frozen=True)
class Sweep:
    """Weights accepted at thresholds, from the strictest to the loosest.

    The first threshold is infinite and accepts nothing, so that one choice always exists.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Descending.
    accepted : ndarray of shape (n_thresholds,)
        Weight of the samples whose score reaches the threshold.
    errors : ndarray of shape (n_thresholds,)
        Weight of the wrong ones among them, or their cost.
    total : float
        Weight of all samples.
    """

    thresholds: Floats
    accepted: Floats
    errors: Floats
    total: float

    @classmethod
    def of(cls, ranking: Ranking, thresholds: Floats | None = None) -> Self:
        """Return what descending thresholds accept of a ranking; None stands for all distinct scores."""
        accepted, errors = (np.append(0.0, np.cumsum(values)) for values in (ranking.weight, ranking.errors))
        total = float(accepted[-1])
        if thresholds is None:
            return cls(np.append(np.inf, ranking.score), accepted, errors, total)
        # The ranking runs down from the highest score: a threshold accepts its first few entries.
        count = len(ranking.score) - np.searchsorted(ranking.score[::-1], np.append(np.inf, thresholds), side="left")
        return cls(np.append(np.inf, thresholds), accepted[count], errors[count], total)

    @cached_property
    def coverage(self) -> Floats:
        """Share of the samples that are accepted."""
        return self.accepted / self.total

    @cached_property
    def risk(self) -> Floats:
        """Error rate of the accepted; NaN where nothing is accepted."""
        return np.divide(self.errors, self.accepted, out=np.full(len(self.errors), np.nan), where=self.accepted > 0)


def thresholds_of_counts(ranking: Ranking, counts: NDArray[np.intp]) -> Floats:
    """Return the thresholds that accept so many samples, or, with ties, as few more as possible."""
    accepted = np.cumsum(ranking.weight)
    return ranking.score[np.unique(np.searchsorted(accepted, counts))]
