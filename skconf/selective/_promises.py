"""Promises about accepted predictions. The class of each kind finds the thresholds that are shown to keep a promise.

The error rate or mean cost of accepted samples may rise and fall with the threshold, so it needs the tests of
`_risk_control`. Other rates never fall when more samples are accepted. A promise that such a rate is small enough (a
cap) or large enough (a floor) needs no search. Let N be the number of samples that the rate is about (its base), and r
the target. For a cap, let e be the largest number of events with P(Binomial(N, r) <= e) <= the share of δ, the
probability with which this promise may be false. Rank the events by score: samples that score above the event of rank
e+1 are accepted. Consider the threshold where the true rate first exceeds r. It accepts at least Binomial(N, r) events,
and the choice is wrong only if these are at most e. A floor works in the same way, with the inequalities reversed. Caps
and floors are exact, also with ties.

For a mean cost or ECUAS, the toss of a coin turns each cost into right or wrong, so that the tests of `_risk_control`
apply. A floor of CWSA uses the bets of `_rewards`, because its terms change with the threshold.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from skconf._core.checks import check_number
from skconf._core.messages import beside, counted
from skconf._core.probabilities import Floats
from skconf._core.proportions import lower_limit, upper_limit
from skconf.profile import ConfidenceProfile
from skconf.selective._rewards import fewest_terms, log_evidence, planned_bets, rewards
from skconf.selective._risk_control import (
    in_control,
    in_control_each,
    planned_counts,
    required_samples,
    smallest_sample,
)
from skconf.selective._samples import Samples

#: Positions of thresholds, and a flag for each.
Looks = NDArray[np.intp]
Flags = NDArray[np.bool_]
#: Number of tosses of a coin for each cost. A threshold keeps a promise if this is shown with more than half of the
#: tosses.
TOSSES = 25


class Search(NamedTuple):
    """A search for the threshold that keeps all promises.

    Attributes
    ----------
    ranked : Samples
        The samples, from the highest score to the lowest.
    promises : sequence of Promise
        All promises; those of the same kind are tested at the same thresholds.
    share : float
        The largest allowed probability of an error, for each promise.
    thresholds : ndarray of shape (n_thresholds,)
        The thresholds, from strict to loose; each accepts at least one sample.
    accepted : ndarray of shape (n_thresholds,)
        The number of samples that each threshold accepts.
    free : bool
        True if the user gave no thresholds. All scores are then thresholds, and a planned part of them is tested.
    spend : str
        How each promise divides its `share` among its tests: a name in `SPEND`.
    coins : ndarray of shape (TOSSES, n_samples)
        Random numbers that turn each cost into right or wrong. All promises use the same numbers, so the order of the
        promises has no effect. Empty without costs.
    """

    ranked: Samples
    promises: Sequence["Promise"]
    share: float
    thresholds: Floats
    accepted: NDArray[np.intp]
    free: bool
    spend: str
    coins: Floats


@dataclass(frozen=True)
class Promise(ABC):
    """A promise that the user asked for.

    Attributes
    ----------
    risk : str
        What is promised: a name in `KINDS`.
    target : float or mapping of slice to float
        The largest value that is allowed; if `is_floor`, the smallest value that is allowed.
    label : label or None
        The class, if the promise is for one class.
    code : int or None
        The position of the class.
    largest : float
        The largest possible cost, if the promise is about a mean cost.
    """

    risk: str
    target: Any
    label: Any = None
    code: int | None = None
    largest: float = 1.0

    #: The target lies between 0 and `highest`. If `is_open`, it must be below `highest`.
    highest: ClassVar[float] = 1.0
    is_open: ClassVar[bool] = False
    #: Whether the promise is for one class; whether its target is a lower limit; whether its target is a share, and not
    #: a mean.
    of_class: ClassVar[bool] = False
    is_floor: ClassVar[bool] = False
    is_share: ClassVar[bool] = True
    #: Whether the terms of the accepted samples change with the threshold.
    moves: ClassVar[bool] = False

    @classmethod
    def read(cls, value: Any, name: str) -> float:
        """Return a target that the user gave; raise if it is out of range."""
        if isinstance(value, int | float | np.number) and cls.highest == 1 and 1 < value <= 100:
            raise ValueError(f"{name} must lie in (0, 1], but is {value!r}. For {value:g}% pass {value / 100:g}.")
        check_number(value, name, 0.0, cls.highest, open_high=cls.is_open)
        if value == 0:
            raise ValueError(f"{name} must be above 0. No number of samples can show that a rate is zero.")
        return float(value)

    def in_slice(self, name: Any) -> Self:
        """Return the promise for a slice, whose target is a number; raise if the slice has no target."""
        if not isinstance(self.target, Mapping):
            return self
        if name not in self.target:
            raise ValueError(f"target has no {self.risk} for the slice {name!r}. Give one for each slice.")
        return replace(self, target=self.target[name])

    def check(self, profile: ConfidenceProfile) -> None:  # noqa: B027
        """Raise if the promise cannot be made about these predictions."""

    @abstractmethod
    def fewest(self, share: float) -> int:
        """Return the smallest number of samples in the base that can show the promise, if all of them are right."""

    def shown(self, search: Search) -> Flags:
        """Return whether each threshold is shown to keep the promise."""
        shown, at = np.zeros(len(search.thresholds), dtype=np.bool_), self.looks(search)
        if len(at):
            shown[at] = self.tested(search, at)
        return shown

    def looks(self, search: Search) -> Looks:
        """Return the positions of the thresholds at which the promise is tested."""
        return np.arange(len(search.thresholds))

    @abstractmethod
    def tested(self, search: Search, at: Looks) -> Flags:
        """Return, for each threshold at the positions `at`, whether it is shown to keep the promise."""

    def n_base(self, ranked: Samples) -> int:
        """Return the number of samples that the promise is about, its base."""
        return len(ranked)

    @abstractmethod
    def measured(self, search: Search, count: int, threshold: float) -> tuple[float, float]:
        """Return the rate or mean if `count` samples are accepted, and its one-sided limit; NaN if there is none."""

    def why_not(self, search: Search) -> str:
        """Return why no threshold keeps the promise."""
        n_base = self.n_base(search.ranked)
        if too_few := self.why_too_few(n_base, search.share):
            return too_few
        samples = f"{counted(n_base, 'sample')}{self.whose}"
        return f"no threshold could be proved to keep this promise with {samples}{self.closest(search)}"

    def why_too_few(self, n_base: int, share: float) -> str:
        """Say how many samples are needed, if `n_base` samples cannot show the promise; "" if they can."""
        fewest = self.fewest(share)
        if n_base >= fewest:
            return ""
        return f"{counted(n_base, 'sample')}{self.whose}; at least {fewest:,} samples without an error are needed"

    @property
    def whose(self) -> str:
        """Words that say which samples the base has, such as " of class 'a'"; empty if it has all samples."""
        return f" of class {self.label!r}" if self.of_class else ""

    def closest(self, search: Search) -> str:  # noqa: ARG002
        """Say how close the best threshold comes to keeping the promise."""
        return ""


class Counted(Promise):
    """A cap of a rate or mean that may rise and fall with the threshold. Planned tests, which count errors, show it."""

    @abstractmethod
    def test(self, share: float) -> tuple[float, float]:
        """Return the target error rate and the confidence level of the tests that show the promise."""

    def fewest(self, share: float) -> int:
        return smallest_sample(*self.test(share))

    def looks(self, search: Search) -> Looks:
        return planned_looks(search)


def planned_looks(search: Search) -> Looks:
    """Return the thresholds that accept planned numbers of samples, or a few more with ties; all if there is no plan.

    There is no plan if the user gave the thresholds, or if no promise counts errors. Otherwise, the promise that needs
    most samples determines the plan, because fewer samples cannot show all promises.
    """
    planned = [each for each in search.promises if isinstance(each, Counted)]
    if not (planned and search.free):
        return np.arange(len(search.thresholds))
    most = max(planned, key=lambda each: (each.fewest(search.share), each.risk))
    return np.unique(np.searchsorted(search.accepted, planned_counts(len(search.ranked), *most.test(search.share))))


class ErrorRate(Counted):
    """A cap of the error rate of accepted samples."""

    def test(self, share: float) -> tuple[float, float]:
        return self.target, 1 - share

    def tested(self, search: Search, at: Looks) -> Flags:
        errors, counts = (each.astype(np.float64) for each in self._counts(search, at))
        return in_control(errors, counts, *self.test(search.share), search.spend)

    def measured(self, search: Search, count: int, threshold: float) -> tuple[float, float]:  # noqa: ARG002
        errors = int((~search.ranked.correct[:count]).sum())
        limit = upper_limit(errors, count - errors, 1 - search.share)
        return (errors / count, float(limit)) if count else (np.nan, np.nan)

    def closest(self, search: Search) -> str:
        errors, accepted = self._counts(search, self.looks(search))
        if not len(accepted):
            return ""
        limits = upper_limit(errors, accepted - errors, 1 - search.share)
        at = int(np.argmin(limits))
        wrong, count = int(errors[at]), int(accepted[at])
        text = (
            f"; the closest threshold has {counted(wrong, 'error')} among {counted(count, 'accepted sample')}, so the "
            f"upper limit of its risk is {beside(limits[at], self.target, 3)}"
        )
        if wrong >= self.target * count:
            return f"{text}; its observed risk is not below the target"
        coverage = count / len(search.ranked)
        needed = required_samples(self.target, 1 - search.share, coverage=coverage, errors=wrong)
        if limits[at] <= self.target:
            text += ", which is low enough only for a threshold fixed in advance"
        return f"{text}: with this many errors, the search for a threshold needs {needed:,} samples in all"

    def _counts(self, search: Search, at: Looks) -> tuple[NDArray[Any], NDArray[Any]]:
        accepted = search.accepted[at]
        return np.cumsum(~search.ranked.correct)[accepted - 1], accepted


class MeanCharge(Counted):
    """A cap of the mean cost of accepted samples. No cost is above `largest`."""

    highest = np.inf
    is_open = True
    is_share = False

    def test(self, share: float) -> tuple[float, float]:
        # A toss makes each cost an error with the probability cost / largest, so the mean is the same. If each toss is
        # wrong with a probability of at most share / 2, at least half of the tosses are wrong with a probability of at
        # most the share (Markov).
        return min(self.target / self.largest, 1.0), 1 - share / 2

    def tested(self, search: Search, at: Looks) -> Flags:
        tossed, accepted = search.coins < search.ranked.costs[self.risk] / self.largest, search.accepted[at]
        errors = np.cumsum(tossed, axis=1)[:, accepted - 1].astype(np.float64)
        shown = in_control_each(errors, accepted.astype(np.float64), *self.test(search.share), search.spend)
        return np.asarray(shown.sum(axis=0) > TOSSES / 2)

    def measured(self, search: Search, count: int, threshold: float) -> tuple[float, float]:  # noqa: ARG002
        return float(search.ranked.costs[self.risk][:count].mean()) if count else np.nan, np.nan


class MeanReward(Promise):
    """A floor of CWSA or CWSA+: the mean reward of accepted samples. Each reward depends on the threshold itself."""

    is_open = is_floor = moves = True
    is_share = False

    @property
    def _is_plus(self) -> bool:
        """Whether a wrong answer earns 0, as in CWSA+, instead of a loss."""
        return self.risk == "cwsa_plus"

    def in_unit(self, reward: Any) -> Any:
        """Return rewards, or a mean of them, on a scale from 0 to 1, as the bets need it."""
        return reward if self._is_plus else (1 + reward) / 2

    def _rewards(self, search: Search, count: int, threshold: float) -> Floats:
        return rewards(search.ranked.score[:count], search.ranked.correct[:count], threshold, plus=self._is_plus)

    def check(self, profile: ConfidenceProfile) -> None:
        if not profile.ranks_by_confidence:
            raise ValueError(
                f"target[{self.risk!r}] is defined only if the score is the probability of the predicted class. Keep "
                "confidence='max_proba' and cost_matrix=None, and pass no score."
            )

    def fewest(self, share: float) -> int:
        return fewest_terms(self.in_unit(self.target), share)

    def looks(self, search: Search) -> Looks:
        at = planned_looks(search)
        if not (search.free and len(at)):
            return at
        highest = max((each for each in search.promises if isinstance(each, MeanReward)), key=lambda each: each.target)
        return at[planned_bets(search.accepted[at], highest.in_unit(highest.target), search.share)]

    def tested(self, search: Search, at: Looks) -> Flags:
        needed, floor = math.log(len(at) / search.share), self.in_unit(self.target)
        looks = zip(search.accepted[at].tolist(), search.thresholds[at].tolist(), strict=True)
        return np.array([log_evidence(self.in_unit(self._rewards(search, *look)), floor) >= needed for look in looks])

    def measured(self, search: Search, count: int, threshold: float) -> tuple[float, float]:
        return float(self._rewards(search, count, threshold).mean()) if count else np.nan, np.nan

    def closest(self, search: Search) -> str:
        at = planned_looks(search)
        some = at[:: -max(len(at) // 50, 1)].tolist()  # a few of the thresholds are enough
        earned = [self.measured(search, search.accepted[each], search.thresholds[each])[0] for each in some]
        if not earned:
            return ""
        best = int(np.argmax(earned))
        count = search.accepted[some[best]]
        return f"; the largest observed value is {earned[best]:.3g}, with {count:,} accepted samples"


class Rate(Promise):
    """A share of all samples, or of the samples of a class. It cannot fall if more samples are accepted."""

    @abstractmethod
    def base_and_events(self, samples: Samples) -> tuple[Flags, Flags]:
        """Return which samples are in the base, and which are events if accepted; events count only in the base."""

    @abstractmethod
    def limit(self, hits: int, misses: int, share: float) -> Any:
        """Return the exact one-sided limit of the rate."""

    def _counted(self, ranked: Samples) -> tuple[int, Flags]:
        """Return the number of samples in the base, and which of them are events if they are accepted."""
        base, events = self.base_and_events(ranked)
        return int(base.sum()), base & events

    def n_base(self, ranked: Samples) -> int:
        return self._counted(ranked)[0]

    def measured(self, search: Search, count: int, threshold: float) -> tuple[float, float]:  # noqa: ARG002
        of, events = self._counted(search.ranked)
        hits = int(events[:count].sum())
        return (hits / of, float(self.limit(hits, of - hits, search.share))) if of else (np.nan, np.nan)


class RateCap(Rate):
    """A rate that must be small enough."""

    def fewest(self, share: float) -> int:
        return smallest_sample(self.target, 1 - share)

    def tested(self, search: Search, at: Looks) -> Flags:
        n_base, events = self._counted(search.ranked)
        score = search.ranked.score[events]  # descending
        most = int(binom.ppf(search.share, n_base, self.target)) if n_base else -1
        if most >= 0 and binom.cdf(most, n_base, self.target) > search.share:
            most -= 1
        above = np.inf if most < 0 else score[most] if most < len(score) else -np.inf
        return np.asarray(search.thresholds[at] > above)

    def limit(self, hits: int, misses: int, share: float) -> Any:
        return upper_limit(hits, misses, 1 - share)


class RateFloor(Rate):
    """A rate that must be large enough."""

    is_floor = True

    @classmethod
    def read(cls, value: Any, name: str) -> float:
        if (found := super().read(value, name)) == 1:
            raise ValueError(f"{name} must be below 1. No number of samples can show that a rate is one.")
        return found

    def check(self, profile: ConfidenceProfile) -> None:
        if profile.abstained is not None:
            raise ValueError(
                f"target[{self.risk!r}] cannot be promised if the model abstains in some rows, because no "
                "threshold accepts these rows."
            )

    def fewest(self, share: float) -> int:
        return math.ceil(math.log(share) / math.log(self.target) * (1 - 1e-12))

    def tested(self, search: Search, at: Looks) -> Flags:
        n_base, events = self._counted(search.ranked)
        score = search.ranked.score[events]  # descending
        least = int(binom.isf(search.share, n_base, self.target)) + 1 if n_base else 1
        return np.asarray(search.thresholds[at] <= (score[least - 1] if least <= len(score) else np.nan))

    def limit(self, hits: int, misses: int, share: float) -> Any:
        return lower_limit(hits, misses, share)

    def closest(self, search: Search) -> str:
        observed, limit = self.measured(search, len(search.ranked), np.inf)
        return f"; even if everything is accepted, the rate is {observed:.3g}, with a lower limit of {limit:.3g}"


class Coverage(RateFloor):
    """The share of samples that are accepted."""

    def base_and_events(self, samples: Samples) -> tuple[Flags, Flags]:
        return np.ones(len(samples), dtype=np.bool_), np.ones(len(samples), dtype=np.bool_)


class Recall(RateFloor):
    """The share of a class that is accepted with a right prediction."""

    of_class = True

    def base_and_events(self, samples: Samples) -> tuple[Flags, Flags]:
        return samples.true == self.code, samples.correct


class FalseNegativeRate(RateCap):
    """The share of a class that is accepted with a wrong prediction."""

    of_class = True

    def base_and_events(self, samples: Samples) -> tuple[Flags, Flags]:
        return samples.true == self.code, ~samples.correct


class FalsePositiveRate(RateCap):
    """The share of the other classes that is accepted with this class as prediction."""

    of_class = True

    @property
    def whose(self) -> str:
        return f" of other classes than {self.label!r}"

    def base_and_events(self, samples: Samples) -> tuple[Flags, Flags]:
        return samples.true != self.code, samples.predicted == self.code


#: What may be promised. A new kind of promise is a class above, and its name here.
KINDS: dict[str, type[Promise]] = {
    "risk": ErrorRate,
    "cost": MeanCharge,
    "ecuas_1": MeanCharge,
    "cwsa": MeanReward,
    "cwsa_plus": MeanReward,
    "coverage": Coverage,
    "false_negative_rate": FalseNegativeRate,
    "false_positive_rate": FalsePositiveRate,
    "recall": Recall,
}
