"""Populations of which it is known what every threshold accepts, and what is wrong with it: groups, fraud, costs.

A population is a large table of rows, each with its chance of an error or of fraud. A set is drawn from its rows, with
replacement; what is true of a threshold is the sum over all of its rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

_SIZE = 40_000
TARGET = 0.05
#: The share of fraud.
FRAUD = 0.1


class Groups(NamedTuple):
    """Rows with a group, a score and the chance of an error.

    Attributes
    ----------
    group, score, chance : ndarray of shape (n_rows,)
    """

    group: np.ndarray
    score: np.ndarray
    chance: np.ndarray

    def draw(self, n, rng):
        """Return groups, scores and errors of a set."""
        rows = rng.integers(0, len(self.score), n)
        return self.group[rows], self.score[rows], rng.random(n) < self.chance[rows]

    def truth(self, accepted):
        """Return the share of all rows that is accepted, and the largest true risk of a group."""
        count = np.bincount(self.group[accepted])
        errors = np.bincount(self.group[accepted], self.chance[accepted])
        return accepted.mean(), (errors / np.maximum(count, 1)).max(initial=0.0)

    def best(self, target=TARGET):
        """Return the coverage of the loosest thresholds that are within the target in truth."""
        total = 0
        for each in np.unique(self.group):
            score, chance = self.score[self.group == each], self.chance[self.group == each]
            order = np.argsort(-score, kind="stable")
            last = np.append(np.diff(score[order]) != 0, True)
            risk = np.cumsum(chance[order]) / np.arange(1, len(order) + 1)
            within = np.flatnonzero(last & (risk <= target))
            total += within[-1] + 1 if len(within) else 0
        return total / len(self.score)


def _grouped(sizes, chance_of, levels=None):
    """Return groups of these sizes; `chance_of` has the chance of an error by group and place from the top."""
    counts = np.round(np.asarray(sizes) / np.sum(sizes) * _SIZE).astype(int)
    place = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
    group = np.repeat(np.arange(len(counts)), counts)
    if levels:
        place = (np.floor(place * levels) + 0.5) / levels
    chance = np.concatenate([chance_of(each, place[group == each]) for each in range(len(counts))])
    return Groups(group, 1 - place / 2, np.clip(chance, 0, 1))


def _calibrated(best):
    """Return a chance of errors that rises with the place; so much may be accepted."""
    return lambda place: 2 * TARGET * place / best


def _alike(group, place):
    return _calibrated(0.5)(place)


def _bad(last, others=0.6, risk=0.3):
    return lambda group, place: np.full(len(place), risk) if group == last else _calibrated(others)(place)


def _above(group, place):
    return np.full(len(place), TARGET * (1 + 1e-6))


def _touching(group, place):
    return TARGET * (1 + np.sin(50 * np.pi * place)) * (1 + 1e-6)


def group_populations():
    """Return the populations by name: first those where something can be accepted."""
    return {
        "five groups that are alike": _grouped([1] * 5, _alike),
        "five groups, from easy to hard": _grouped([1] * 5, lambda g, u: _calibrated(0.6 * 2.0 ** (2 - g))(u)),
        "groups of different sizes, from 50% to 1% of the answers": _grouped([50, 30, 14, 5, 1], _alike),
        "one group of 10% is bad": _grouped([90, 10], _bad(1)),
        "one group of 1% is bad": _grouped([99, 1], _bad(1)),
        "the most confident answers have a high risk": _grouped(
            [1] * 4, lambda _, u: np.where(u < 0.1, 2 * TARGET, np.where(u < 0.7, 0.3 * TARGET, 3 * TARGET))
        ),
        "six tied confidences": _grouped([1] * 4, _alike, levels=6),
        "ten classes, imbalanced": _grouped(0.6 ** np.arange(10), _alike),
        "50 groups": _grouped([1] * 50, _alike),
        "noise at the target": _grouped([1] * 5, _above),
        "noise at the target in three of six groups": _grouped(
            [1] * 6, lambda g, u: _above(g, u) if g % 2 else _calibrated(0.8)(u)
        ),
        "risk that touches the target": _grouped([1] * 5, _touching),
    }


#: Of these nothing, or hardly anything, can be accepted.
HARDEST = (
    "50 groups",
    "noise at the target",
    "noise at the target in three of six groups",
    "risk that touches the target",
)


def overlapping():
    """Return a population of two columns, of which one removes the good rows of the other.

    The column "all" has one value. "part" has a large one, whose top is bad, which it makes up for below, and many
    small ones with too few rows to show that their upper half is good.
    """
    large, small = 0.4, np.full(60, 0.01)

    def chance_of(group, place):
        if group == 0:
            return np.where(place < 0.4, 0.09, 0.0)
        return np.where(place < 0.5, 0.0, 0.3)

    return _grouped([large, *small], chance_of)


class Fraud(NamedTuple):
    """Rows with a model's probability of fraud, and the true one.

    Attributes
    ----------
    proba, chance : ndarray of shape (n_rows,)
    """

    proba: np.ndarray
    chance: np.ndarray

    def draw(self, n, rng):
        """Return true classes, and probabilities, of a set."""
        rows = rng.integers(0, len(self.proba), n)
        return (rng.random(n) < self.chance[rows]).astype(int), self.proba[rows]

    def truth(self, threshold):
        """Return what is true of accepting from a confidence up: coverage, risk, and rates of fraud."""
        says, sure = self.proba > 0.5, np.maximum(self.proba, 1 - self.proba)
        accepted, fraud = sure >= threshold, self.chance
        wrong = np.where(says, 1 - fraud, fraud)
        return {
            "coverage": accepted.mean(),
            "risk": wrong[accepted].mean() if accepted.any() else 0.0,
            "false_negative_rate": (fraud * (accepted & ~says)).sum() / fraud.sum(),
            "false_positive_rate": ((1 - fraud) * (accepted & says)).sum() / (1 - fraud).sum(),
            "recall": (fraud * (accepted & says)).sum() / fraud.sum(),
        }


def fraud_populations():
    """Return populations in which one case in ten is fraud."""
    x = norm.ppf((np.arange(_SIZE) + 0.5) / _SIZE)

    def with_slope(slope):
        offset = brentq(lambda a: expit(a + slope * x).mean() - FRAUD, -60, 10)
        return expit(offset + slope * x)

    good, fair = with_slope(4.0), with_slope(2.5)
    levels = np.array([0.02, 0.1, 0.3, 0.6, 0.8, 0.97])
    return {
        "good": Fraud(good, good),
        "fair": Fraud(fair, fair),
        "overconfident": Fraud(expit(1.7 * logit(fair)), fair),
        "hidden fraud": Fraud(good, np.maximum(good, 0.015)),
        "six tied levels": Fraud(levels[np.digitize(good, [0.05, 0.2, 0.5, 0.7, 0.9])], good),
        "noisy top": Fraud(good, np.where(good > 0.98, 0.9, good)),
    }


def costs(rng, place, kind):
    """Return costs in [0, 1] whose mean rises with the place; 0.02 is the mean of the first two thirds."""
    mean = 0.06 * place
    if kind == "all or nothing":
        return (rng.random(len(place)) < mean).astype(float)
    if kind == "uniform":
        return rng.random(len(place)) * 2 * mean
    if kind == "halves and wholes":
        return np.where(rng.random(len(place)) < 4 / 3 * mean, rng.choice([0.5, 1.0], len(place)), 0.0)
    assert kind == "rare largest"
    largest = rng.random(len(place)) < mean / 4
    return np.where(largest, 1.0, rng.random(len(place)) * 2 * np.maximum(mean * 3 / 4 / (1 - mean / 4), 0))


COSTS = ("all or nothing", "uniform", "halves and wholes", "rare largest")
