"""Thresholds for allowed errors: the observed thresholds, and the guaranteed ones."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import norm

from skconf._core.ranking import Ranking
from skconf._core.warn import collected
from skconf.inference._grouped_means import drawn_as_counts
from skconf.profile import ConfidenceProfile, Kind
from skconf.report._evidence.stops import FEWEST, Stops
from skconf.selective import TunedThreshold, required_samples, tune_threshold
from skconf.selective._mix import most_rows
from skconf.selective._objective import Objective
from skconf.selective._tuning import without_class_weights

#: The usual shares of errors that people allow.
_ERRORS = (0.01, 0.02, 0.05, 0.10)
#: The same for the loss of graded answers, and as shares of the mean cost.
_LOSSES, _OF_COST = (0.02, 0.05, 0.10, 0.20, 0.30), (0.25, 0.5, 0.75, 0.9)

#: From so many accepted answers on, it would take seconds to plan the tests that find the threshold. They need about 5%
#: more answers than one test of a known threshold.
_MANY = 50_000

#: Whether a threshold is guaranteed, or why not: there is no rule for weights and costs; there are fewer rows than any
#: guarantee needs; no threshold keeps the limit; one that keeps it accepts few answers; or more rows would help.
Status = Literal["guaranteed", "no rule", "too few rows", "never observed", "few answers", "more rows"]


class Guarantee(NamedTuple):
    """A threshold whose errors are guaranteed not to exceed the allowed errors, or the reason why there is none.

    Attributes
    ----------
    status : str
        "guaranteed", or the reason why there is no threshold.
    stop : int
        The position of the threshold in `Stops`; -1 if there is none.
    n_units : int
        Number of rows, or of groups of rows, that the guarantee uses.
    needed : int
        About how many rows, or groups, would be enough; 0 if this is unknown.
    """

    status: Status
    stop: int = -1
    n_units: int = 0
    needed: int = 0


def allowed_losses(kind: Kind, mean_cost: float) -> Sequence[float]:
    """Return the usual limits: shares of errors, mean losses or mean costs."""
    if kind != "costs":
        return _LOSSES if kind == "graded" else _ERRORS
    return list(dict.fromkeys(float(f"{share * mean_cost:.2g}") for share in _OF_COST))


def guarantee(profile: ConfidenceProfile, stops: Stops, target: float, level: float) -> Guarantee:
    """Return the threshold that keeps a target with a given probability, or the reason why there is none."""
    plain = profile if profile.prevalence is None else without_class_weights(profile)
    if (
        plain.sample_weight is not None
        or profile.kind == "costs"
        or (plain is not profile and profile.kind == "graded")
    ):
        return Guarantee("no rule")
    n_units = len(profile) if profile.groups is None else len(np.unique(profile.groups))
    if profile.prevalence is not None:  # rows are drawn to the stated shares
        n_units = min(n_units, most_rows(np.bincount(profile.require("true_class")), np.array(profile.prevalence)))
    needed = required_samples(target, level)
    if n_units < needed:
        return Guarantee("too few rows", n_units=n_units, needed=needed)
    with collected():  # the status says if there is no threshold
        tuned = tune_threshold(drawn_as_counts(profile), target=target, confidence_level=level, random_state=0)
    return _answer(tuned, stops, target, level, profile.share_answered)


def guarantee_of_cells(stops: Stops, target: float, level: float) -> Guarantee:
    """Return the guarantee if answers are counted in cells: each has the confidence at which its cell begins."""
    n_units = round(float(stops.size[-1]))
    needed = required_samples(target, level)
    if n_units < needed:
        return Guarantee("too few rows", n_units=n_units, needed=needed)
    errors = stops.wrong * stops.size
    ranking = Ranking(stops.score, np.diff(stops.size, prepend=0), np.rint(np.diff(errors, prepend=0)))
    tuned = Objective("risk", target, level).choose_ranked(ranking, n_units)
    return _answer(tuned, stops, target, level)


def _answer(tuned: TunedThreshold, stops: Stops, target: float, level: float, share_answered: float = 1.0) -> Guarantee:
    """Return the threshold that was found, or the reason why there is none."""
    if tuned.feasible:
        return Guarantee("guaranteed", stops.at_threshold(tuned.threshold), tuned.n_samples)
    if not tuned.n_samples:  # a class ran out of rows
        return Guarantee("few answers")
    return _none(tuned, stops, target, level, share_answered)


def _none(tuned: TunedThreshold, stops: Stops, target: float, level: float, share_answered: float) -> Guarantee:
    """Find out why no threshold is guaranteed, and how many answers would be enough."""
    n_units = tuned.n_samples
    if not (stops.wrong[stops.size >= FEWEST] < target).any():
        return Guarantee("never observed", n_units=n_units)
    closest = int(np.argmin(tuned.results["risk_upper_bound"]))
    coverage, risk = (float(tuned.results[name][closest]) for name in ("coverage", "risk"))
    coverage /= share_answered  # the coverage among answers, because only answers are counted
    accepted = coverage * n_units
    rate = (risk * accepted + 0.5) / (accepted + 0.5)  # the closest threshold has few errors, partly by chance
    if rate >= target or (needed := _enough(target, level, coverage, rate, accepted)) <= n_units:
        return Guarantee("few answers", n_units=n_units)
    return Guarantee("more rows", n_units=n_units, needed=needed)


def _enough(target: float, level: float, coverage: float, rate: float, too_few: float) -> int:
    """Estimate how many rows would be enough, if the threshold closest to the target keeps its coverage and risk."""
    accepted = max(target * (1 - target) * (norm.ppf(level) / (target - rate)) ** 2, too_few)
    needed = 1.05 * accepted / coverage
    if accepted < _MANY:
        for _ in range(3):  # more rows have more errors, which need more rows
            needed = required_samples(target, level, coverage=coverage, errors=round(rate * accepted))
            accepted = coverage * needed
    return int(float(f"{needed:.2g}"))
