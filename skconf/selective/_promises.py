"""Promises about accepted predictions: find the threshold that keeps them all, with one probability for all.

An error rate or mean cost of the accepted may rise and fall with the threshold, so it needs the tests of
`_risk_control`. Other rates never fall when more samples are accepted. A promise that such a rate is small enough (a
cap) or large enough (a floor) needs no search. Let N be the number of samples of the base, and r the target. A cap: e
is the largest number of events with P(Binomial(N, r) <= e) <= the share of δ. Samples that score above event number e +
1 are accepted. At the threshold where the rate first exceeds r, at least Binomial(N, r) events are accepted; a wrong
choice accepts at most e of them. A floor works in the same way, from the other side. Both are exact, also with ties. A
mean of charges (costs or ECUAS) uses coins and the tests of `_risk_control`. A floor of CWSA uses the bets of
`_rewards`, because its terms change with the threshold.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from skconf._core.checks import check_number
from skconf._core.labels import Codes
from skconf._core.messages import from_probabilities, suggest
from skconf._core.probabilities import Floats
from skconf._core.proportions import lower_limit, upper_limit
from skconf.selective._rewards import fewest_rewarded, reward_looks, rewarded, rewards
from skconf.selective._risk_control import in_control, in_control_each, planned_counts, smallest_sample

#: What may be promised, and which of these are rates of a class.
RISKS = (
    *("risk", "cost", "ecuas_1", "cwsa", "cwsa_plus", "coverage"),
    *("false_negative_rate", "false_positive_rate", "recall"),
)
#: Mean costs of the accepted, which have a bound; and mean rewards, which are measured from the threshold.
CHARGES, REWARDS = ("cost", "ecuas_1"), ("cwsa", "cwsa_plus")
_OF_A_CLASS = RISKS[-3:]
#: Rates that can only rise if more samples are accepted.
FLOORS = ("coverage", "recall")
#: Tosses of a coin for each cost; a threshold is shown if more than half of them show it.
_TOSSES = 25


class Charge(NamedTuple):
    """What each prediction costs, by a cost matrix or by ECUAS.

    Attributes
    ----------
    each : ndarray of shape (n_samples,)
        The costs, 0 or greater.
    largest : float
        The largest cost that is possible, fixed before the data are seen.
    """

    each: Floats
    largest: float

    def part(self, cost: float) -> float:
        """Return a cost as a part of the largest one, at most 1."""
        return min(cost / self.largest, 1.0)


def ecuas_charge(relative: Floats, cost: Floats, dearest: float) -> Charge:
    """Return the terms of ECUAS with n = 1, from uncertainties, costs and the largest cost over u_M."""
    # r² + 2 (1 − r) C / u_M is convex in r: it is largest where r is 0 or 1.
    return Charge(relative**2 + 2 * (1 - relative) * cost, max(1.0, 2 * dearest))


class Promise(NamedTuple):
    """A promise that the user asked for.

    Attributes
    ----------
    risk : str
        One of `RISKS`.
    target : float or mapping of slice to float
        The largest value that is allowed; for a floor, the smallest one.
    label : label or None
        The class, if the promise is for one class.
    code : int or None
        The position of the class.
    """

    risk: str
    target: Any
    label: Any = None
    code: int | None = None

    def in_slice(self, name: Any) -> "Promise":
        """Return the promise for a slice, whose target is a number; raise if there is none."""
        if not isinstance(self.target, Mapping):
            return self
        if name not in self.target:
            raise ValueError(f"target has no {self.risk} for the slice {name!r}. Give one for each slice.")
        return self._replace(target=self.target[name])

    @property
    def plus(self) -> bool:
        """Whether wrong answers earn nothing, rather than lose."""
        return self.risk == "cwsa_plus"

    def fewest(self, share: float, charges: Mapping[str, Charge]) -> int:
        """Return the fewest samples of the base that can show the promise, if all are right."""
        if self.risk in REWARDS:
            return fewest_rewarded(self.target, share, plus=self.plus)
        if self.risk in FLOORS:
            return math.ceil(math.log(share) / math.log(self.target) * (1 - 1e-12)) if self.target < 1 else 2**62
        if self.risk in CHARGES:
            return smallest_sample(charges[self.risk].part(self.target), 1 - share / 2)
        return smallest_sample(self.target, 1 - share)


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples with their scores, answers, classes and costs.

    Attributes
    ----------
    score : ndarray of shape (n_samples,)
        The scores that samples are ranked by.
    correct : ndarray of shape (n_samples,)
        Whether the prediction is right.
    true, predicted : ndarray of shape (n_samples,) or None
        Codes of the classes.
    charges : mapping of str to Charge
        For each promise of a mean, what each prediction costs.
    """

    score: Floats
    correct: NDArray[np.bool_]
    true: Codes | None = None
    predicted: Codes | None = None
    charges: Mapping[str, Charge] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def __getitem__(self, rows: Any) -> "Samples":
        true, predicted = (None if each is None else each[rows] for each in (self.true, self.predicted))
        charges = {risk: charge._replace(each=charge.each[rows]) for risk, charge in self.charges.items()}
        return Samples(self.score[rows], self.correct[rows], true, predicted, charges)

    def base_and_events(self, promise: Promise) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the samples that a rate is about, and which of them are events if they are accepted."""
        everything = np.ones(len(self), dtype=np.bool_)
        if promise.risk == "coverage":
            return everything, everything
        assert self.true is not None  # this was checked before
        assert self.predicted is not None
        is_class = self.true == promise.code
        if promise.risk == "false_positive_rate":
            return ~is_class, ~is_class & (self.predicted == promise.code)
        return is_class, is_class & (self.correct if promise.risk == "recall" else ~self.correct)


class Kept(NamedTuple):
    """A promise, and whether it is kept.

    Attributes
    ----------
    n_samples : int
        Number of samples of the base of the rate. For the risk or the coverage, the base is all samples.
    observed, limit : float
        The rate or mean cost at the threshold, and its exact one-sided limit. NaN if there is none.
    shown : bool
        Whether the threshold keeps the promise.
    reason : str
        The reason why the promise is not kept.
    """

    n_samples: int
    observed: float
    limit: float
    shown: bool
    reason: str


def read_promises(target: Any, labels: Sequence[Any] | None, slices: Any) -> list[Promise]:
    """Read the promises from a target: the largest risk, or a mapping. Without classes, `labels` is None."""
    if not isinstance(target, Mapping):
        return [Promise("risk", _checked(target, "target"))]
    if not target:
        raise ValueError(f"target is empty. Give at least one of: {', '.join(RISKS)}.")
    promises = []
    for risk, value in target.items():
        if risk not in RISKS:
            raise ValueError(f"target has {risk!r}, but can only have {', '.join(RISKS)}.{suggest(str(risk), RISKS)}")
        name = f"target[{risk!r}]"
        if risk not in _OF_A_CLASS:
            if isinstance(value, Mapping):
                if slices is None:
                    raise ValueError(f"{name} has a target for each slice, but no slices are given. Pass one number.")
                value = {key: _checked(each, f"{name}[{key!r}]", risk) for key, each in value.items()}
            promises.append(Promise(risk, value if isinstance(value, Mapping) else _checked(value, name, risk)))
            continue
        if labels is None:
            raise ValueError(
                f"{name} is defined for a class, but only the correctness of each answer is known. "
                f"{from_probabilities()} Or use a target for the risk."
            )
        if isinstance(slices, str) and slices == "predicted_class":
            raise ValueError(
                f"{name} is defined for a true class. If slices are predicted classes, the samples of a true class are "
                "in several slices. Use a target for the risk, or leave slices out."
            )
        if not isinstance(value, Mapping) or not value:
            raise ValueError(
                f"{name} is defined for a class. Name the class, as in {{{labels[0]!r}: 0.1}}; got {value!r}."
            )
        known = list(labels)
        for label, each in value.items():
            if label not in known:
                close = suggest(str(label), [str(one) for one in known])
                raise ValueError(f"{name} names the class {label!r}, but the classes are {known}.{close}")
            promises.append(Promise(risk, _checked(each, f"{name}[{label!r}]", risk), label, known.index(label)))
    return promises


def _checked(value: Any, name: str, risk: str = "risk") -> float:
    unbounded = risk in CHARGES
    if isinstance(value, int | float | np.number) and not unbounded and 1 < value <= 100:
        raise ValueError(f"{name} must lie in (0, 1], but is {value!r}. For {value:g}% pass {value / 100:g}.")
    check_number(value, name, 0.0, np.inf if unbounded else 1.0, open_high=unbounded or risk in REWARDS)
    if value == 0:
        raise ValueError(f"{name} must be above 0. No number of samples can show that a rate is zero.")
    if value == 1 and risk in FLOORS:
        raise ValueError(f"{name} must be below 1. No number of samples can show that a rate is one.")
    return float(value)


def keep(
    rows: Samples,
    promises: Sequence[Promise],
    share: float,
    *,
    loosest: bool,
    thresholds: Floats | None,
    spend: str,
    rng: np.random.Generator,
) -> tuple[float, list[Kept]]:
    """Return the threshold that keeps all promises, and each promise with its result; infinity if none does.

    Each promise may be false with a probability of `share`. `loosest` accepts as much as the promises allow, else as
    little. Without `thresholds`, the scores are the thresholds to choose from. `spend` says how the tests of a promise
    spend its share, and `rng` tosses the coins of costs.
    """
    order = np.argsort(-rows.score, kind="stable")
    ranked = rows[order]
    given = np.unique(rows.score if thresholds is None else thresholds)[::-1]
    # The number of samples that each threshold accepts.
    accepted = len(rows) - np.searchsorted(ranked.score[::-1], given, side="left")
    given, accepted = given[accepted > 0], accepted[accepted > 0]
    # The same coins for all promises, whose order has no effect.
    coins = rng.random((_TOSSES, len(rows))) if rows.charges else np.empty((0, 0))
    shown_by, reasons = [], []
    tested = [each for each in promises if each.risk in ("risk", *CHARGES)]
    earning = [each for each in promises if each.risk in REWARDS]
    at = _looks(accepted, tested, share, rows) if tested and thresholds is None else np.arange(len(given))
    few = at
    if earning and thresholds is None and len(at):  # a part of the thresholds that other promises test
        highest = max(earning, key=lambda each: each.target)
        few = at[reward_looks(accepted[at], highest.target, share, plus=highest.plus)]
    for promise in promises:
        shown, n_base = np.zeros(len(given), dtype=np.bool_), len(rows)
        if promise in earning:
            looks = accepted[few], given[few], promise.target, share
            shown[few] = rewarded(ranked.score, ranked.correct, *looks, plus=promise.plus)
        elif promise not in tested:
            shown, n_base = _rated(ranked, promise, share, given)
        elif len(at):
            shown[at] = _tested(ranked, promise, share, accepted[at], spend, coins)
        shown_by.append(shown)
        fewest = promise.fewest(share, rows.charges)
        why = "" if shown.any() else _why_not(promise, n_base, fewest)
        if why and n_base >= fewest:
            why += _closest(ranked, promise, share, accepted[at], given[at])
        reasons.append(why)
    possible = np.flatnonzero(np.logical_and.reduce(shown_by))
    if not len(possible):
        if not any(reasons):
            reasons[0] = _conflict(ranked, promises, share, accepted, shown_by)
        return np.inf, [
            _kept(ranked, each, share, 0, shown=False, reason=why) for each, why in zip(promises, reasons, strict=True)
        ]
    best = int(possible[-1] if loosest else possible[0])
    kept = [_kept(ranked, each, share, int(accepted[best]), float(given[best])) for each in promises]
    # Lower scores of new samples are accepted, too; but CWSA is measured from the threshold.
    if accepted[best] == len(rows) and thresholds is None and not earning:
        return (0.0 if ranked.score[-1] >= 0 and ranked.score[0] <= 1 else -np.inf), kept
    return float(given[best]), kept


def _looks(accepted: NDArray[np.intp], tested: Sequence[Promise], share: float, rows: Samples) -> NDArray[np.intp]:
    """Return the thresholds that are tested. They accept planned numbers of samples, or a few more with ties.

    The plan is that of the promise that needs most samples, because fewer samples cannot show all promises.
    """
    promise = max(tested, key=lambda each: (each.fewest(share, rows.charges), each.risk))
    target = promise.target
    if promise.risk in CHARGES:
        target, share = rows.charges[promise.risk].part(target), share / 2
    planned = planned_counts(len(rows), target, 1 - share)
    return np.unique(np.searchsorted(accepted, planned))


def _tested(
    ranked: Samples,
    promise: Promise,
    share: float,
    accepted: NDArray[np.intp],
    spend: str,
    coins: Floats,
) -> NDArray[np.bool_]:
    """Return the thresholds at which the promised error rate or mean cost of the accepted is shown."""
    counts = accepted.astype(np.float64)
    if promise.risk == "risk":
        errors = np.cumsum(~ranked.correct)[accepted - 1].astype(np.float64)
        return in_control(errors, counts, promise.target, 1 - share, spend)
    charge = ranked.charges[promise.risk]
    # A cost counts as an error with a probability of its part of the largest: the mean is the same. If half of the
    # tosses may be wrong with a share of δ in all, each may with half of that (Markov).
    tossed = coins < charge.each / charge.largest
    errors = np.cumsum(tossed, axis=1)[:, accepted - 1].astype(np.float64)
    shown = in_control_each(errors, counts, charge.part(promise.target), 1 - share / 2, spend)
    return np.asarray(shown.sum(axis=0) > _TOSSES / 2)


def _rated(ranked: Samples, promise: Promise, share: float, given: Floats) -> tuple[NDArray[np.bool_], int]:
    """Return the thresholds that keep a cap or a floor of a rate, and the number of samples of its base."""
    base, events = ranked.base_and_events(promise)
    n_base, score = int(base.sum()), ranked.score[events]  # descending
    if promise.risk in FLOORS:
        least = int(binom.isf(share, n_base, promise.target)) + 1 if n_base else 1
        if least > len(score) or least > n_base:
            return np.zeros(len(given), dtype=np.bool_), n_base
        return given <= score[least - 1], n_base
    most = int(binom.ppf(share, n_base, promise.target)) if n_base else -1
    if most >= 0 and binom.cdf(most, n_base, promise.target) > share:
        most -= 1
    if most < 0:
        return np.zeros(len(given), dtype=np.bool_), n_base
    return given > (score[most] if most < len(score) else -np.inf), n_base


def _kept(
    ranked: Samples,
    promise: Promise,
    share: float,
    count: int,
    threshold: float = np.inf,
    *,
    shown: bool = True,
    reason: str = "",
) -> Kept:
    """Return a promise with its result, if `count` samples are accepted."""
    accepted = np.arange(len(ranked)) < count
    if promise.risk in CHARGES:
        observed = float(ranked.charges[promise.risk].each[:count].mean()) if count else np.nan
        return Kept(len(ranked), observed, np.nan, shown, reason)
    if promise.risk in REWARDS:
        observed = _earned(ranked, promise, count, threshold) if count else np.nan
        return Kept(len(ranked), observed, np.nan, shown, reason)
    if promise.risk == "risk":
        base, events = accepted, accepted & ~ranked.correct
        n_samples = len(ranked)
    else:
        base, events = ranked.base_and_events(promise)
        events, n_samples = events & accepted, int(base.sum())
    of, hits = int(base.sum()), int(events.sum())
    limit = lower_limit(hits, of - hits, share) if promise.risk in FLOORS else upper_limit(hits, of - hits, 1 - share)
    return Kept(n_samples, hits / of if of else np.nan, float(limit) if of else np.nan, shown, reason)


def _earned(ranked: Samples, promise: Promise, count: int, threshold: float) -> float:
    """Return a promise of a mean reward with its result, if `count` samples are accepted."""
    return float(rewards(ranked.score[:count], ranked.correct[:count], threshold, plus=promise.plus).mean())


def _why_not(promise: Promise, n_base: int, fewest: int) -> str:
    """Return why no threshold keeps a promise."""
    whose = f" of class {promise.label!r}" if promise.risk in ("false_negative_rate", "recall") else ""
    if promise.risk == "false_positive_rate":
        whose = f" of other classes than {promise.label!r}"
    if n_base < fewest:
        return f"{n_base:,} samples{whose}; at least {fewest:,} without an error are needed"
    return f"no threshold was shown to keep it, among {n_base:,} samples{whose}"


def _closest(ranked: Samples, promise: Promise, share: float, accepted: NDArray[np.intp], given: Floats) -> str:
    """Say how close the samples come to keeping a promise, at the best threshold."""
    if promise.risk == "risk" and len(accepted):
        errors = np.cumsum(~ranked.correct)[accepted - 1]
        limits = upper_limit(errors, accepted - errors, 1 - share)
        at = int(np.argmin(limits))
        text = (
            f"; the closest threshold has {errors[at]:,} errors among {accepted[at]:,} accepted samples, and an upper "
            f"limit of {limits[at]:.3g}"
        )
        return text if limits[at] > promise.target else f"{text}, but a search among thresholds needs more samples"
    if promise.risk in REWARDS and len(accepted):
        every = max(len(accepted) // 50, 1)  # a few of the thresholds are enough
        looks = list(zip(accepted[::-every].tolist(), given[::-every].tolist(), strict=True))
        earned = [_earned(ranked, promise, count, at) for count, at in looks]
        best = int(np.argmax(earned))
        return f"; the largest observed is {earned[best]:.3g}, with {looks[best][0]:,} accepted samples"
    if promise.risk in FLOORS:
        of_all = _kept(ranked, promise, share, len(ranked))
        return f"; if everything is accepted, it is {of_all.observed:.3g}, with a lower limit of {of_all.limit:.3g}"
    return ""


def _conflict(
    ranked: Samples,
    promises: Sequence[Promise],
    share: float,
    accepted: NDArray[np.intp],
    shown_by: Sequence[NDArray[np.bool_]],
) -> str:
    """Say up to which coverage each promise is kept, and what no other score could change."""
    n_rows, wrong = len(ranked), ~ranked.correct
    parts, floors = [], []
    for promise, shown in zip(promises, shown_by, strict=True):
        if promise.risk in REWARDS:  # kept at some thresholds, with gaps between them
            continue
        at = np.flatnonzero(shown)[0 if promise.risk in FLOORS else -1]
        name = f"{promise.risk}{'' if promise.label is None else f' of class {promise.label!r}'} {promise.target:g}"
        is_floor = promise.risk in FLOORS
        floors += [int(accepted[at])] if is_floor else []
        parts.append(f"{name} {'needs at least' if is_floor else 'allows at most'} {accepted[at] / n_rows:.1%}")
    text = f"no threshold keeps all of them together: of {n_rows:,} samples, {' and '.join(parts) or 'none'}"
    risk, coverage = (
        next((each.target for each in promises if each.risk == name), None) for name in ("risk", "coverage")
    )
    if risk is None or not floors:
        return text
    count = max(floors)
    errors = int(wrong[:count].sum())
    limit = upper_limit(errors, count - errors, 1 - share)
    text += (
        f"; at the threshold that keeps the floor, {errors:,} of {count:,} accepted samples are wrong, and the upper "
        f"limit of the risk is {limit:.3g}"
    )
    # Errors that are not accepted are rejected: m - r (1 - q) <= q for a share m of errors, of which q is rejected.
    least = (lower_limit(int(wrong.sum()), int((~wrong).sum()), share) - risk) / (1 - risk) if risk < 1 else 0.0
    if coverage is not None and least > 1 - coverage:
        text += (
            f". No other score could keep them: with the errors of these samples, a risk of {risk:g} needs at least "
            f"{least:.1%} rejected"
        )
    return text
