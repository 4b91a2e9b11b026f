"""The difference of two risk-coverage curves of the same answers, with a band by a paired bootstrap."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf.inspection._findings import widest_run
from skconf.profile import ConfidenceProfile

#: Number of coverages, number of draws, and the most units. With more rows than this, a unit is a random part of the
#: rows.
_N_PLACES, _N_DRAWS, _MOST_UNITS = 100, 500, 1000
#: Most steps of a curve in a draw.
_MOST_STEPS = 400
#: Fewest errors of both models together. With fewer, the variation of the difference cannot be estimated.
_FEWEST_ERRORS = 10


@dataclass(frozen=True, eq=False)
class RiskDifference:
    """The difference between the risks of a model and of a baseline that accept the same share of the cases.

    Attributes
    ----------
    coverage : ndarray of shape (n_places,)
        Shares of the cases at which the risks are compared. Both models accept the same share, each with its own
        threshold.
    value : ndarray of shape (n_places,)
        Risk of the model minus risk of the baseline, with ties in random order.
    low, high : ndarray of shape (n_places,)
        A band that holds at all these coverages at once; NaN if there are too few errors.
    """

    coverage: Floats
    value: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, profile: ConfidenceProfile, baseline: ConfidenceProfile, level: float) -> Self:
        """Compare a model with a baseline on the same rows.

        The rows must be in the same order. `level` is the confidence level of the band. Raise if the profiles have
        different rows or weights, or different kinds of answers.
        """
        _check_same_rows(profile, baseline)
        both = profile.everything, baseline.everything
        weight = both[0].given_weight
        weight = np.ones(len(both[0])) if weight is None else weight
        most = min(profile.share_answered, baseline.share_answered)
        coverage = np.linspace(0, most, _N_PLACES + 1)[1:]
        units, draws = units_and_draws(both[0])
        risks = [_Curve.of(each, weight, units, draws) for each in both]
        value = risks[0].at(coverage) - risks[1].at(coverage)
        drawn = np.subtract(*(curve.drawn(coverage) for curve in risks))
        spread = drawn.std(axis=0)
        errors = risks[0].n_errors(coverage) + risks[1].n_errors(coverage)
        known, varies = errors >= _FEWEST_ERRORS, spread > 0
        reach = np.where(known, 0.0, np.nan)
        known &= varies
        if known.any():
            # The largest distance over all coverages makes the band hold at all of them together.
            farthest = (np.abs(drawn - drawn.mean(axis=0))[:, known] / spread[known]).max(axis=1)
            reach[known] = float(np.quantile(farthest, level)) * spread[known]
        return cls(coverage, value, value - reach, value + reach)

    def runs(self) -> dict[str, tuple[int, int]]:
        """Return the widest ranges of coverage with clearly "fewer" and "more" errors, as first and last position."""
        found = {"fewer": widest_run(self.coverage, self.high < 0), "more": widest_run(self.coverage, self.low > 0)}
        return {what: ends for what, ends in found.items() if ends is not None}


def _check_same_rows(profile: ConfidenceProfile, baseline: ConfidenceProfile) -> None:
    if profile.n_rows != baseline.n_rows or profile.kind != baseline.kind:
        raise ValueError(
            "baseline must have predictions of the same samples, in the same order, with answers of the same kind. It "
            f"has {baseline.n_rows:,} rows ({baseline.kind}), and the model has {profile.n_rows:,} ({profile.kind})."
        )
    weights = profile.everything.given_weight, baseline.everything.given_weight
    if (weights[0] is None) != (weights[1] is None) or (weights[0] is not None and (weights[0] != weights[1]).any()):
        raise ValueError("baseline must have the same sample weights, row by row.")
    if profile.classes is not None and baseline.classes is not None:
        true = [np.asarray(each.classes)[each.require("true_class")] for each in (profile, baseline)]
        if len(true[0]) == len(true[1]) and (true[0] != true[1]).any():
            row = int(np.argmax(true[0] != true[1])) + 1
            raise ValueError(
                f"baseline must have predictions of the same samples, but the true labels of row {row:,} differ."
            )


@dataclass(frozen=True, eq=False)
class _Curve:
    """Sums of answers and of errors, from the most confident answer on: of the data, and of each bootstrap draw."""

    answered: Floats
    lost: Floats
    drawn_answered: Floats
    drawn_lost: Floats
    n_rows: int

    @classmethod
    def of(cls, profile: ConfidenceProfile, weight: Floats, units: NDArray[np.intp], draws: Floats) -> Self:
        score, there = np.asarray(profile.score, dtype=np.float64), profile.score > -np.inf
        levels = np.unique(-score[there])  # ascending, so the most confident answers come first
        step = np.searchsorted(levels, -score)
        size, loss = weight * there, weight * there * profile.loss
        n = len(levels) + 1  # the last step abstains
        answered = np.cumsum(np.bincount(step, size, n))[:-1]
        lost = np.cumsum(np.bincount(step, loss, n))[:-1]
        ends = np.unique(np.searchsorted(answered, np.linspace(0, answered[-1], _MOST_STEPS + 1)[1:] * (1 - 1e-12)))
        accepted = partial(summed_in_draws, units, np.searchsorted(ends, step), len(ends) + 1, draws)
        total = float(weight.sum())
        everything = draws @ np.bincount(units, weight)[:, np.newaxis]
        drawn_answered, drawn_lost = accepted(size)[:, :-1] / everything, accepted(loss)[:, :-1] / everything
        return cls(answered / total, lost / total, drawn_answered, drawn_lost, len(profile))

    def at(self, coverage: Floats) -> Floats:
        """Return the risk at some coverages, with tied answers in random order."""
        return _risk(coverage, self.answered, self.lost)

    def drawn(self, coverage: Floats) -> Floats:
        """Return the risk at some coverages in each draw."""
        return np.array([_risk(coverage, *each) for each in zip(self.drawn_answered, self.drawn_lost, strict=True)])

    def n_errors(self, coverage: Floats) -> Floats:
        """Return the approximate number of errors at each coverage."""
        return self.at(coverage) * coverage * self.n_rows


def _risk(coverage: Floats, answered: Floats, lost: Floats) -> Floats:
    return np.asarray(np.interp(coverage, np.append(0.0, answered), np.append(0.0, lost)) / coverage)


def units_and_draws(profile: ConfidenceProfile) -> tuple[NDArray[np.intp], Floats]:
    """Return the unit of each row, and how often each bootstrap draw contains each unit.

    A unit is a row or, with groups, a group. If there are too many units, they are merged at random.
    """
    rng = np.random.default_rng(0)
    unit = np.arange(len(profile)) if profile.groups is None else np.unique(profile.groups, return_inverse=True)[1]
    n_units = int(unit.max()) + 1
    if n_units > _MOST_UNITS:
        unit, n_units = rng.permutation(n_units)[unit] % _MOST_UNITS, _MOST_UNITS
    drawn = rng.multinomial(n_units, np.full(n_units, 1 / n_units), _N_DRAWS).astype(np.float64)
    return np.asarray(unit), drawn


def summed_in_draws(
    units: NDArray[np.intp], steps: NDArray[np.intp], n_steps: int, draws: Floats, terms: NDArray[Any]
) -> Floats:
    """Return the sum of `terms` over the rows up to each step, in each draw, of shape (n_draws, n_steps)."""
    n_units = draws.shape[1]
    cells = np.bincount(units * n_steps + steps, terms, n_units * n_steps).reshape(n_units, n_steps)
    return np.asarray(draws @ np.cumsum(cells, axis=1))
