"""The share of cases that each model answers at the allowed errors, and its cost, compared by a paired bootstrap."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Self

import numpy as np
from scipy.special import stdtrit

from skconf._core.probabilities import Floats
from skconf.inference._sampling import equal_units
from skconf.inspection._risk_difference import summed_in_draws, units_and_draws
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.stops import FEWEST, Stops

#: Most thresholds of a draw.
_MOST_STOPS = 500
#: With fewer errors among the accepted answers of a model, the variation of its threshold cannot be estimated.
_FEWEST_ERRORS = 5
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Compared:
    """The results of each model at its best observed threshold: the share of answered cases, or the cost of a case.

    Attributes
    ----------
    target : float
        The allowed errors, as a share of the answers; NaN for a cost.
    reached : mapping of model to float
        The result of each model.
    answered : mapping of model to float
        The share of cases that each model answers at this threshold.
    differences : mapping of pair of models to tuple of float
        The result of the first model minus the result of the second, with the ends of its interval. The ends are NaN if
        both models have too few errors. The confidence level is for all intervals together.
    """

    target: float
    reached: Mapping[Any, float]
    answered: Mapping[Any, float]
    differences: Mapping[tuple[Any, Any], tuple[float, float, float]]

    @property
    def ranked(self) -> list[Any]:
        """The models, with the best first: the model that answers most, or costs least."""
        sign = 1 if np.isnan(self.target) else -1
        return sorted(self.reached, key=lambda model: sign * self.reached[model])

    def difference(self, one: Any, other: Any) -> tuple[float, float, float]:
        """Return the difference between the results of two models, with its interval."""
        if (one, other) in self.differences:
            return self.differences[one, other]
        value, low, high = self.differences[other, one]
        return -value, -high, -low


class Draws:
    """Draws of the rows that several models share. In each draw, the best threshold of each model is found again.

    So the differences include the uncertainty of the choice of a threshold. The profiles are of the same rows, and
    `level` is the level of the intervals.
    """

    def __init__(self, profiles: Mapping[Any, ConfidenceProfile], stops: Mapping[Any, Stops], level: float) -> None:
        profiles = {model: profile.everything for model, profile in profiles.items()}
        units, drawn = units_and_draws(next(iter(profiles.values())))
        self._stops, self._n_rows = stops, len(units)
        self._drawn = {model: _Drawn.of(profile, stops[model], units, drawn) for model, profile in profiles.items()}
        self._pairs = list(combinations(profiles, 2))
        freedom = equal_units(np.bincount(units), np.zeros(drawn.shape[1], dtype=np.intp))[0] - 1
        self._tail = (1 - level) / 2 / max(len(self._pairs), 1)
        self._times = float(stdtrit(freedom, 1 - self._tail)) if freedom > 0 else np.nan

    def answered_at(self, target: float) -> Compared:
        """Compare the shares of cases that the models answer at the allowed errors."""
        share = {}
        for model in self._drawn:
            stop = self._stops[model].at_most_wrong(target)
            share[model] = float(self._stops[model].answered[stop]) if stop >= 0 else 0.0
        drawn = {model: each.shares_at(target) for model, each in self._drawn.items()}
        known = {model: each * target * self._n_rows >= _FEWEST_ERRORS for model, each in share.items()}
        return Compared(target, share, share, self._differences(share, drawn, known, (-1, 1)))

    def cost_at(self, of_error: float, of_person: float) -> Compared:
        """Compare the mean costs of a case, with a price for each error and for each case that is not answered."""
        cost, share, known = {}, {}, {}
        for model in self._drawn:
            stops = self._stops[model]
            costs = np.append(of_person, stops.cost(of_error, of_person))
            best = int(np.argmin(costs))
            cost[model] = float(costs[best])
            share[model] = float(stops.answered[best - 1]) if best else 0.0
            wrong = stops.answered * stops.wrong * self._n_rows
            known[model] = bool(wrong[-1] >= _FEWEST_ERRORS)
        drawn = {model: each.least_costs(of_error, of_person) for model, each in self._drawn.items()}
        return Compared(np.nan, cost, share, self._differences(cost, drawn, known, (-np.inf, np.inf)))

    def _differences(
        self,
        reached: Mapping[Any, float],
        drawn: Mapping[Any, Floats],
        known: Mapping[Any, bool],
        within: tuple[float, float],
    ) -> dict[tuple[Any, Any], tuple[float, float, float]]:
        differences = {}
        for one, other in self._pairs:
            value, apart = reached[one] - reached[other], drawn[one] - drawn[other]
            reach = self._times * float(apart.std()) if known[one] or known[other] else np.nan
            # The best threshold may jump between two scores. Draws with the other one are then too many to leave out,
            # but a standard deviation does not show them.
            ends = np.quantile(apart, [self._tail, 1 - self._tail])
            low, high = np.minimum(value - reach, ends[0]), np.maximum(value + reach, ends[1])
            low, high = np.maximum(low, within[0]), np.minimum(high, within[1])
            differences[one, other] = (value, float(low), float(high))
        return differences


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The answers and losses of a model in each draw of the rows, at each of its thresholds.

    Attributes
    ----------
    answers, lost, count : ndarray of shape (n_draws, n_stops)
        Weight of the answers, weight of the errors or losses among them, and number of the answers.
    total : ndarray of shape (n_draws, 1)
        Weight of all rows.
    """

    answers: Floats
    lost: Floats
    count: Floats
    total: Floats

    @classmethod
    def of(cls, profile: ConfidenceProfile, stops: Stops, units: Any, drawn: Floats) -> Self:
        """Sum, in each draw, the rows that each threshold accepts, for at most `_MOST_STOPS` thresholds."""
        kept = np.array(sorted(stops.spread(_MOST_STOPS)))
        stop = np.searchsorted(-stops.score[kept], -profile.score)  # the first that accepts a row
        weight = np.ones(len(profile)) if profile.given_weight is None else profile.given_weight
        accepted = partial(summed_in_draws, units, np.minimum(stop, len(kept) - 1), len(kept), drawn)
        there = profile.score > -np.inf  # the other rows are abstentions
        answers, lost = accepted(weight * there), accepted(weight * there * profile.loss)
        return cls(answers, lost, accepted(there), drawn @ np.bincount(units, weight)[:, np.newaxis])

    def shares_at(self, target: float) -> Floats:
        """Return the largest share answered in each draw at the allowed errors."""
        fits = (self.lost <= target * self.answers * (1 + _ROUNDING)) & (self.count >= FEWEST)
        last = fits.shape[1] - 1 - np.argmax(fits[:, ::-1], axis=1)
        share = np.take_along_axis(self.answers / self.total, last[:, np.newaxis], axis=1)[:, 0]
        return np.where(fits.any(axis=1), share, 0.0)

    def least_costs(self, of_error: float, of_person: float) -> Floats:
        """Return the least mean cost of a case in each draw."""
        costs = (of_error * self.lost + of_person * (self.total - self.answers)) / self.total
        return np.minimum(costs.min(axis=1), of_person)
