"""Every threshold that a model's scores allow, with coverage and errors."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.proportions import clopper_pearson
from skconf.inference._grouped_means import Means, are_counts, losses_from_the_top
from skconf.inspection._risk_coverage import effective_sizes
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile, Kind

#: The most stops that a curve shows.
SHOWN_STOPS = 120
#: The least number of answers for a meaningful share of errors.
FEWEST = 20
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Stops:
    """Every threshold that a model's scores allow, with coverage and errors. A stop is the position of a threshold.

    Attributes
    ----------
    score : ndarray of shape (n_stops,)
        Distinct scores, descending.
    answered : ndarray of shape (n_stops,)
        Share of all rows with at least this score.
    wrong : ndarray of shape (n_stops,)
        Share of errors among these rows, or their mean loss or mean cost.
    size : ndarray of shape (n_stops,)
        Effective number of these rows.
    level : float
        Level of intervals.
    kind : str
        The kind of answers.
    means : Means or StratifiedShares or None
        Sums for the intervals if answers are graded, have costs or groups, or are weighted by class; else None.
    limits : ndarray of shape (n_stops,) or None
        For costs, the largest uncertainty that is accepted.
    """

    score: Floats
    answered: Floats
    wrong: Floats
    size: Floats
    level: float
    kind: Kind
    means: Means | StratifiedShares | None = None
    limits: Floats | None = None

    @classmethod
    def of(cls, profile: ConfidenceProfile, level: float) -> Self:
        """Return the stops of predictions."""
        ranking, kind = profile.ranking, profile.kind
        accepted = np.cumsum(ranking.weight)
        answered = accepted / accepted[-1] * profile.share_answered
        if not are_counts(profile):
            means = losses_from_the_top(profile, profile.score)
            size = np.minimum(means.sizes, means.n_units)
            limits = None if profile.uncertainty is None else _limits(profile, profile.uncertainty)
            return cls(ranking.score, answered, means.mean, size, level, kind, means, limits)
        size = effective_sizes(profile)
        shares = StratifiedShares.from_the_top(profile, profile.score, ranking.score)
        return cls(ranking.score, answered, np.cumsum(ranking.errors) / accepted, size, level, kind, shares)

    def at_share(self, share: float) -> int:
        """Return the first stop that answers at least this share."""
        return min(int(np.searchsorted(self.answered, share - _ROUNDING)), len(self.answered) - 1)

    def at_threshold(self, threshold: float) -> int:
        """Return the stop of a threshold; -1 if the threshold accepts no answer."""
        return int(np.searchsorted(-self.score, -threshold, side="right")) - 1

    def at_most_wrong(self, target: float) -> int:
        """Return the last stop with at least `FEWEST` answers and at most this share of errors; -1 if there is none."""
        fits = np.flatnonzero((self.wrong <= target * (1 + _ROUNDING)) & (self.size >= FEWEST))
        return int(fits[-1]) if len(fits) else -1

    def cost(self, of_error: float, of_person: float) -> Floats:
        """Return the mean cost of a case at each stop, with prices for errors and for cases that are not answered."""
        return np.asarray(of_error * self.answered * self.wrong + of_person * (1 - self.answered))

    def ends(self, stops: Any) -> tuple[Any, Any]:
        """Compute the interval of the share of errors, or of losses or costs, at one stop or several."""
        if isinstance(self.means, StratifiedShares):
            return self.means[stops].ends(self.level)
        if self.means is not None:
            return self.means[stops].ends(self.level, bounded=self.kind != "costs")
        return clopper_pearson(self.wrong[stops], self.size[stops], self.level)

    def spread(self, most: int) -> set[int]:
        """Return all stops; if there are too many, at most `most` stops, evenly spread over the share answered."""
        if len(self.score) <= most:
            return set(range(len(self.score)))
        return {self.at_share(share) for share in np.linspace(0, 1, most).tolist()}

    def shown(self) -> NDArray[np.intp]:
        """Return the stops that a curve shows: the first with an error, and others spread over the share answered."""
        return np.array(sorted(self.spread(SHOWN_STOPS) | {int(np.argmax(self.wrong > 0))}))

    def threshold(self, stop: int) -> float:
        """Return the shortest threshold that accepts the same answers as a stop; for costs, an uncertainty."""
        if self.limits is not None:
            above = float(self.limits[stop + 1]) if stop + 1 < len(self.limits) else np.inf
            return abs(shortest_between(-above, -float(self.limits[stop])))
        if stop == len(self.score) - 1 and self.score[stop] >= 0:
            return 0.0
        below = self.score[stop + 1] if stop + 1 < len(self.score) else -np.inf
        return shortest_between(float(below), float(self.score[stop]))


def _limits(profile: ConfidenceProfile, uncertainty: Floats) -> Floats:
    """Return, for each distinct score, the largest uncertainty among the answers with at least this score."""
    kept = slice(None) if profile.sample_weight is None else profile.sample_weight > 0
    score, doubt = profile.score[kept], uncertainty[kept]
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    return np.asarray(np.maximum.accumulate(doubt[order])[last])


def shortest_between(low: float, high: float) -> float:
    """Return the number with the fewest decimals that is above `low` and at most `high`."""
    for decimals in range(17):
        scale = 10.0**decimals
        value = float(f"{np.floor(high * scale) / scale:.{decimals}f}")
        if low < value <= high:
            return value
    return high
