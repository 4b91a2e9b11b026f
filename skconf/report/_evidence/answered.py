"""How many cases each model answers at the errors that people allow, and how they differ, by a paired bootstrap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import stdtrit

from skconf._core.probabilities import Floats
from skconf.inference._sampling import equal_units
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.stops import FEWEST, Stops

#: Draws, and most units that are drawn: of more, each is a random part of the rows.
_N_DRAWS, _MOST_UNITS = 500, 1000
#: Most thresholds of a draw.
_MOST_STOPS = 500
#: Fewest errors among the accepted answers of a model: fewer do not tell how its threshold varies.
_FEWEST_ERRORS = 5
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Answered:
    """The cases that each model answers at the errors allowed.

    Attributes
    ----------
    target : float
        The errors allowed: their share among answers.
    share : mapping of model to float
        Share of the cases that each answers, by the best threshold observed.
    differences : mapping of pair of models to tuple of float
        Share of the first less that of the second, with the ends of its interval, which are NaN where too few errors
        tell how it varies. All intervals of a target hold together.
    """

    target: float
    share: Mapping[Any, float]
    differences: Mapping[tuple[Any, Any], tuple[float, float, float]]

    @property
    def ranked(self) -> list[Any]:
        """The models, that which answers most first."""
        return sorted(self.share, key=lambda model: -self.share[model])

    def difference(self, one: Any, other: Any) -> tuple[float, float, float]:
        """Return the share of one model less that of another, with its interval."""
        if (one, other) in self.differences:
            return self.differences[one, other]
        value, low, high = self.differences[other, one]
        return -value, -high, -low


def answered_at(
    profiles: Mapping[Any, ConfidenceProfile], stops: Mapping[Any, Stops], targets: Sequence[float], level: float
) -> list[Answered]:
    """Compare models at the errors allowed; `profiles` are of the same rows.

    The threshold of each model is found anew in each draw of the rows: so is what it costs to choose it.
    """
    rng = np.random.default_rng(0)
    profiles = {model: profile.everything for model, profile in profiles.items()}
    units = _units(next(iter(profiles.values())), rng)
    n_units = int(units.max()) + 1
    drawn = rng.multinomial(n_units, np.full(n_units, 1 / n_units), _N_DRAWS).astype(np.float64)
    by_model = {model: _shares(profile, stops[model], units, drawn, targets) for model, profile in profiles.items()}
    pairs = list(combinations(profiles, 2))
    freedom = equal_units(np.bincount(units), np.zeros(n_units, dtype=np.intp))[0] - 1
    times = float(stdtrit(freedom, 1 - (1 - level) / 2 / max(len(pairs), 1))) if freedom > 0 else np.nan
    found = []
    for at, target in enumerate(targets):
        share = {}
        for model in profiles:
            stop = stops[model].at_most_wrong(target)
            share[model] = float(stops[model].answered[stop]) if stop >= 0 else 0.0
        differences = {}
        for one, other in pairs:
            value, reach = share[one] - share[other], times * float((by_model[one][at] - by_model[other][at]).std())
            if max(share[one], share[other]) * target * len(profiles[one]) < _FEWEST_ERRORS:
                reach = np.nan
            differences[one, other] = (value, float(np.maximum(value - reach, -1)), float(np.minimum(value + reach, 1)))
        found.append(Answered(target, share, differences))
    return found


def _units(profile: ConfidenceProfile, rng: np.random.Generator) -> Any:
    """Return the unit of each row that is drawn: rows or groups, many of them in random parts."""
    unit = np.arange(len(profile)) if profile.groups is None else np.unique(profile.groups, return_inverse=True)[1]
    n_units = int(unit.max()) + 1
    return unit if n_units <= _MOST_UNITS else rng.permutation(n_units)[unit] % _MOST_UNITS


def _shares(
    profile: ConfidenceProfile, stops: Stops, units: Any, drawn: Floats, targets: Sequence[float]
) -> list[Floats]:
    """Return the share answered in each draw at each target."""
    kept = np.array(sorted(stops.spread(_MOST_STOPS)))
    stop = np.searchsorted(-stops.score[kept], -profile.score)  # the first that accepts a row
    weight, n_units, n_stops = profile.given_weight, drawn.shape[1], len(kept)
    weight = np.ones(len(profile)) if weight is None else weight
    cell = units * n_stops + np.minimum(stop, n_stops - 1)

    def accepted(terms: Any) -> Floats:
        by_cell = np.bincount(cell, terms, n_units * n_stops).reshape(n_units, n_stops)
        return np.asarray(drawn @ np.cumsum(by_cell, axis=1))

    there = profile.score > -np.inf  # the others abstain
    answers, lost, count = accepted(weight * there), accepted(weight * there * profile.loss), accepted(there)
    total = accepted(weight)[:, -1:]
    shares = []
    for target in targets:
        fits = (lost <= target * answers * (1 + _ROUNDING)) & (count >= FEWEST)
        last = n_stops - 1 - np.argmax(fits[:, ::-1], axis=1)
        share = np.take_along_axis(answers / total, last[:, np.newaxis], axis=1)[:, 0]
        shares.append(np.where(fits.any(axis=1), share, 0.0))
    return shares
