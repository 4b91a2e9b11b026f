"""Tests of two models on the same samples: whether their values differ, and which is closer to the best value."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from skconf._core.probabilities import Floats
from skconf.inference._evidence import ENOUGH_TO_RESAMPLE, UNSEEN_SHARE, errors_among, unseen_share
from skconf.inference._interval_methods import less_bias
from skconf.inference._p_values import ROUNDING, sign_flip_p_value, t_test
from skconf.inference._sampling import Sampling
from skconf.metrics._base.kinds import Ratio
from skconf.metrics._base.registry import Nearness
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic


class Test(NamedTuple):
    """A difference with its interval, the p-value of the hypothesis that it is 0, standard error and method."""

    low: float
    high: float
    p_value: float
    standard_error: float
    method: str


def is_nearness(statistic: Statistic) -> bool:
    """Return whether a score is minus the distance of a value from the best value."""
    return isinstance(statistic.to_score, Nearness)


def by_nearness(statistic: Statistic) -> Statistic:
    """Score a statistic by its nearness to the best value if this lies inside its range; return others unchanged."""
    return replace(statistic, to_score=Nearness(statistic.best)) if statistic.better == "closer" else statistic


def signed(statistic: Statistic) -> Statistic:
    """Return the statistic behind a distance score: unlike the distance, it has no kink. Return others unchanged."""
    return replace(statistic, to_score=None) if is_nearness(statistic) else statistic


def why_not_seen(statistic: Statistic, profile: ConfidenceProfile) -> str:
    """Return why a sample lacks the errors on which a value depends; "" if it has them. The text names no row."""
    if statistic.metric.rests_on != "tail":
        return ""
    _, share = unseen_share(statistic.metric, statistic.on(profile))
    if share <= UNSEEN_SHARE:
        return ""
    return f"{100 * share:.3g}% of the value depends on answers so confident that their errors are hardly ever observed"


def why_not_alike(statistic: Statistic, one: ConfidenceProfile, other: ConfidenceProfile) -> str:
    """Return why the values of two models cannot be compared; "" if they can. The text names no row."""
    here, there = (statistic.metric.unit(statistic.on(profile)) for profile in (one, other))
    if here == there:
        return ""
    return (
        f"each value is divided by the largest possible uncertainty, which is {here:.3g} for one model and {there:.3g} "
        "for the other"
    )


def why_not_nearer(statistic: Statistic, profile: ConfidenceProfile) -> str:
    """Return why the distance from the best value has no error estimate; "" if it has one. The text names no row."""
    reason = why_not_seen(statistic, profile)
    if reason:
        return reason
    metric, profile = statistic.metric, statistic.on(profile)
    # A sum of two deviations gains nothing from pairing. With few errors, most samples show too little variation.
    if metric.rests_on == "errors" and profile.kind == "right or wrong":
        found = errors_among(metric, profile)
        if found.rarer < ENOUGH_TO_RESAMPLE:
            return f"the answers have only {found.told()}, but {ENOUGH_TO_RESAMPLE:.0f} are needed"
    return ""


@dataclass
class Estimated:
    """The values of a statistic for several models, and the numbers that give their standard errors.

    Attributes
    ----------
    statistic : Statistic
        The statistic. If models are scored by the distance of a metric from its best value, this is the metric itself.
    method : {"delta", "bootstrap", "bayesian"}
        The method that gives the standard errors.
    profiles : mapping of model to ConfidenceProfile
        Predictions for the same samples.
    values : mapping of model to float
        The values; NaN if undefined.
    varying : mapping of model to ndarray
        If the method is "delta", the influence values of each model with a defined value; otherwise, the values of the
        resamples of each model.
    sampling : Sampling
        How the samples were drawn.
    confidence_level : float
        Confidence level.
    """

    statistic: Statistic
    method: str
    profiles: Mapping[Any, ConfidenceProfile]
    values: Mapping[Any, float]
    varying: Mapping[Any, Floats]
    sampling: Sampling
    confidence_level: float

    def difference(self, first: Any, second: Any, *, exact: bool = False) -> Test:
        """Test the difference of the values of two models. With `exact`, the p-value is exact if few samples differ."""
        test = self._test(first, second, -1)
        p_value = self._exact(first, second) if exact and not np.isnan(test.p_value) else np.nan
        return test if np.isnan(p_value) else test._replace(p_value=p_value, method="exact")

    def nearer(self, first: Any, second: Any, *, exact: bool = False) -> Test:
        """Test how much closer to the best value the first model is than the second.

        Let a and b be the signed deviations of the first and second model, u = b − a and v = b + a. Then |b| > |a| if
        and only if u and v have the same sign, and |b| − |a| = sign(u v) · min(|u|, |v|). So both u and v must differ
        from 0. Each is tested at the full level, because both tests must reject. The distances themselves are not
        tested, because they have a kink at 0. The interval is the range of sign(u v) · min(|u|, |v|) for all u and v in
        their intervals.
        """
        apart, total = self._test(second, first, -1), self._test(second, first, 1, 2 * self.statistic.best)
        p_value = self._exact(first, second) if exact else np.nan
        if p_value > apart.p_value:  # if few samples differ, the t test claims too much
            apart = apart._replace(p_value=p_value, method="exact")
            if p_value > 1 - self.confidence_level:
                apart = apart._replace(low=min(apart.low, 0.0), high=max(apart.high, 0.0))
        u, v = np.meshgrid(apart[:2], total[:2])
        # The function is monotone in u and in v, so its extremes are in the corners.
        corners = np.sign(u) * np.sign(v) * np.minimum(np.abs(u), np.abs(v)) + 0.0
        p_value = float(np.maximum(apart.p_value, total.p_value))
        method = apart.method if p_value == apart.p_value else total.method
        return Test(float(corners.min()), float(corners.max()), p_value, np.nan, method)

    def _test(self, first: Any, second: Any, sign: int, centre: float = 0.0) -> Test:
        """Test whether the sum (`sign` 1) or difference (−1) of two models' values is `centre`, by Student's t."""
        value = self.values[first] + sign * self.values[second] - centre
        estimates, error, degrees_of_freedom = [value], np.nan, self.sampling.degrees_of_freedom
        if not np.isnan(value) and self.method == "delta":
            profile = self.profiles[first]
            kinds = (
                None if profile.abstained else self.statistic.metric.kinds_of_samples(profile)
            )  # the same for all models
            drawn_by_kind = self.sampling.given_kinds(kinds)
            error, degrees_of_freedom, _ = drawn_by_kind.error_of(self.varying[first] + sign * self.varying[second])
        elif not np.isnan(value):
            drawn = self.varying[first] + sign * self.varying[second] - centre
            corrected, error = less_bias(value, drawn[~np.isnan(drawn)])
            estimates, error = [value, corrected], error * self.sampling.stretch
        scale = max(abs(self.values[first]), abs(self.values[second]))
        return Test(*t_test(estimates, error, scale, self.confidence_level, degrees_of_freedom), error, self.method)

    def _exact(self, first: Any, second: Any) -> float:
        """Return the exact p-value of a difference of two means, if few units differ; NaN otherwise."""
        metric, (mine, theirs) = self.statistic.metric, (self.profiles[first], self.profiles[second])
        if mine.abstained or theirs.abstained or self.method != "delta" or not isinstance(metric, Ratio):
            return float("nan")
        if not _count_alike(metric, mine, theirs):
            return float("nan")
        apart = self.sampling.totals(metric.contributions(mine) - metric.contributions(theirs))
        difference = self.values[first] - self.values[second]
        if not abs(abs(apart.sum()) - abs(difference)) <= ROUNDING * np.abs(apart).sum():  # the value is no such mean
            return float("nan")
        return sign_flip_p_value(apart)


def _count_alike(metric: Ratio, first: ConfidenceProfile, second: ConfidenceProfile) -> bool:
    """Return whether each sample has the same weight in the values of both models."""
    return np.array_equal(metric.ratio(first)[1], metric.ratio(second)[1])
