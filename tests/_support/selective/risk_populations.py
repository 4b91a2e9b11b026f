"""Populations of which the true risk of every threshold is known, for measuring what a rule promises.

A sample has a place u in the ranking, uniform in [0, 1], and is wrong with probability η(u). To accept all up to u has
coverage u and risk R(u) = ∫η/u.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Draw(NamedTuple):
    """Counts at the ends of ties, from the highest score down, and what is true of accepting so much."""

    accepted: np.ndarray
    errors: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray


class Population:
    """A population by its error rate at each place; `ties` are the places at which tied scores end."""

    def __init__(self, error_rate, ties=None):
        edge = np.linspace(0, 1, 100_001)
        rate = error_rate((edge[1:] + edge[:-1]) / 2)
        self._edge, self._rate, self.ties = edge, rate, None if ties is None else np.asarray(ties, dtype=float)
        self._mass = np.append(0, np.cumsum(rate)) / len(rate)

    def risk(self, coverage):
        """Return the true risk at a coverage; 0 where nothing is accepted."""
        return np.interp(coverage, self._edge, self._mass) / np.maximum(coverage, 1e-12)

    def best_coverage(self, target):
        """Return the largest coverage of a threshold whose risk is within the target."""
        coverage = self._edge[1:] if self.ties is None else self.ties
        return coverage[self.risk(coverage) <= target * (1 + 1e-9)].max(initial=0)

    def draw(self, n_samples, rng):
        """Draw samples."""
        place = np.sort(rng.random(n_samples))
        wrong = rng.random(n_samples) < self._rate[np.minimum((place * 100_000).astype(int), 99_999)]
        errors = np.append(0, np.cumsum(wrong))
        if self.ties is None:
            accepted, coverage = np.arange(1, n_samples + 1), place
            coverage = np.append(place[:-1], 1.0)  # who accepts all of them accepts everything
        else:
            tie = np.searchsorted(self.ties, place)
            accepted, coverage = np.searchsorted(place, self.ties, side="right"), self.ties
            there = np.unique(tie)
            accepted, coverage = accepted[there], coverage[there].copy()
            coverage[-1] = 1.0
        return Draw(accepted.astype(float), errors[accepted].astype(float), coverage, self.risk(coverage))


def _steps(*parts, rest):
    """Return an error rate by parts (end, rate)."""

    def rate(place):
        out = np.full_like(place, rest)
        for end, value in reversed(parts):
            out[place < end] = value
        return out

    return rate


#: The names of :func:`populations`, in groups.
ORDINARY = (
    "calibrated, all",
    "calibrated, .71",
    "calibrated, .46",
    "overconfident",
    "flat .7 r",
    "best in the middle",
    "noisy top 2%",
    "5 tied levels",
    "40% tied at 1",
    "good top 20%",
)
HOLES = ("good top 1%", "good top 4%", "top 90% perfect", "no errors")
HARDEST = ("noise at r", "1.4 r falling to r", "touching r 25 times", "touching, tied")


@lru_cache
def populations(r):
    """Return populations by name, each made for a target."""
    bad = min(20 * r, 0.5)
    touching = lambda u: r * (1 + np.sin(50 * np.pi * u))  # noqa: E731
    above = r * (1 + 1e-6)
    return {
        "calibrated, all": Population(lambda u: 1.6 * r * u),
        "calibrated, .71": Population(lambda u: 2 * r * u / 0.71),
        "calibrated, .46": Population(lambda u: 2 * r * u / 0.46),
        "overconfident": Population(_steps((0.6, 0.6 * r), rest=0.3)),
        "flat .7 r": Population(_steps(rest=0.7 * r)),
        "best in the middle": Population(_steps((0.1, 2 * r), (0.7, 0.3 * r), rest=3 * r)),
        "noisy top 2%": Population(lambda u: np.where(u < 0.02, 3 * r, 2 * r * u / 0.6)),
        "5 tied levels": Population(lambda u: 2 * r * u / 0.6, [0.2, 0.4, 0.6, 0.8, 1]),
        "40% tied at 1": Population(
            lambda u: np.where(u < 0.4, 0.5 * r, 4 * r * u - r), [0.4, *np.linspace(0.401, 1, 600)]
        ),
        "good top 20%": Population(_steps((0.2, 0.2 * r), rest=4 * r)),
        "good top 1%": Population(_steps((0.01, 0.1 * r), rest=bad)),
        "good top 4%": Population(_steps((0.04, 0.1 * r), rest=bad)),
        "top 90% perfect": Population(_steps((0.9, 0.0), rest=0.5)),
        "no errors": Population(_steps(rest=0.0)),
        "noise at r": Population(_steps(rest=above)),
        "1.4 r falling to r": Population(lambda u: above * (1.4 - 0.8 * u)),
        "touching r 25 times": Population(lambda u: touching(u) + 1e-6 * r),
        "touching, tied": Population(lambda u: touching(u) + 1e-6 * r, np.linspace(0.02, 1, 50)),
    }
