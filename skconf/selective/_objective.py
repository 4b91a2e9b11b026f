"""Objectives for choosing a threshold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import beside, counted, shorten
from skconf._core.probabilities import Floats
from skconf._core.proportions import upper_limit
from skconf._core.ranking import Ranking
from skconf._core.warn import warn
from skconf.metrics import get_metric
from skconf.metrics._risk_coverage.curve import RiskCoverageCurve
from skconf.profile import ConfidenceProfile
from skconf.selective._risk_control import (
    in_control,
    planned_counts,
    required_samples,
    smallest_sample,
)
from skconf.selective._thresholds import Sweep, TunedThreshold, below_all, thresholds_of_counts

#: Objectives that are fields of the CWSA curve.
CURVES = ("cwsa", "cwsa_plus")

#: Objectives by name.
OBJECTIVES = ("risk", "coverage", "cost", *CURVES)

#: Warn of an optimum that accepts a smaller share than `_HARDLY_ANY`, if there are at least `_TELL` samples.
_HARDLY_ANY, _TELL = 0.05, 100
_ROUNDING = 1e-12  # relative rounding error of sums


@dataclass(frozen=True)
class Objective:
    """The objective by which a threshold is chosen. The fields are parameters of the tuned classifier."""

    name: Any = "risk"
    target: float = 0.05
    confidence_level: float | None = None
    n_candidates: int = 1
    reject_cost: Any = None
    cost_matrix: Any = None
    thresholds: Any = None
    spend: str = "evenly"

    @property
    def _label(self) -> str:
        return self.name if isinstance(self.name, str) else "a function"

    @property
    def level(self) -> float | None:
        """The confidence level of each candidate. The candidates share the probability of an error equally."""
        return None if self.confidence_level is None else 1 - (1 - self.confidence_level) / self.n_candidates

    def share(self, n_promises: int) -> float:
        """Return the probability with which each promise may be false, so that all hold at the confidence level."""
        assert self.confidence_level is not None  # this was checked before
        return (1 - self.confidence_level) / (self.n_candidates * n_promises)

    def check(self, n_classes: int | None, *, ranks_by_confidence: bool, scores_are_shares: bool = True) -> None:
        """Refuse parameters that contradict each other or the task.

        `scores_are_shares` says whether the scores that predictions are ranked by lie in [0, 1].
        """
        name = self._label
        if self.confidence_level is not None:
            if name != "risk":
                raise ValueError(
                    f"confidence_level can be used only with objective='risk', but the objective is {name!r}. Leave "
                    "confidence_level out."
                )
            if self.target == 0:
                raise ValueError(
                    "target must be above 0 with a confidence_level. No number of samples can show that a risk is zero."
                )
        elif self.spend != "evenly":
            raise ValueError(
                f"spend={self.spend!r} has no effect without a confidence_level. Set a confidence_level, or leave "
                "spend out."
            )
        if name == "coverage" and self.target == 0:
            raise ValueError("target must be above 0 with objective='coverage': it is the smallest share to accept.")
        if name == "cost" and self.reject_cost is None:
            raise ValueError("objective='cost' needs reject_cost: the cost of a rejection, if an error costs 1.")
        for parameter in ("reject_cost", "cost_matrix"):
            if name != "cost" and getattr(self, parameter) is not None:
                raise ValueError(
                    f"{parameter} can be used only with objective='cost', but the objective is {name!r}. Leave "
                    f"{parameter} out."
                )
        if name in CURVES and not ranks_by_confidence:
            raise ValueError(
                f"objective={name!r} is defined only if the score is the probability of the predicted class. Keep "
                "confidence='max_proba' and cost_matrix=None, and pass no score."
            )
        if self.cost_matrix is not None:
            costs = _numbers(self.cost_matrix, "cost_matrix")
            if costs.shape != (n_classes, n_classes):
                raise ValueError(f"cost_matrix has shape {costs.shape}, but there are {n_classes} classes.")
            if not (np.isfinite(costs) & (costs >= 0)).all():
                raise ValueError("cost_matrix must hold finite costs, 0 or greater.")
        if self.thresholds is not None:
            given = _numbers(self.thresholds, "thresholds")
            low, high = (0.0, 1.0) if scores_are_shares else (-np.inf, np.inf)
            if given.ndim != 1 or given.size == 0 or not ((given >= low) & (given <= high)).all():
                where = " in [0, 1]" if scores_are_shares else ""
                percent = " Divide percentages by 100." if scores_are_shares and given.max(initial=0) > 1 else ""
                found = shorten(np.asarray(self.thresholds).tolist()) if given.ndim == 1 else f"of shape {given.shape}"
                raise ValueError(f"thresholds must be a list of at least one number{where}, but is {found}.{percent}")

    def choose(self, profile: ConfidenceProfile, share_answered: float = 1.0) -> TunedThreshold:
        """Return the best threshold.

        With a confidence level, weights are ignored. `share_answered` is the share of these predictions among all rows;
        the other rows abstain.
        """
        level = self.level
        if level is not None and profile.sample_weight is not None:
            profile = profile.with_weight(None)
        if profile.sample_weight is not None and not profile.sample_weight.any():
            raise ValueError(
                "sample_weight is zero for all samples that choose the threshold. Pass a positive weight for some of "
                "them."
            )
        return self.choose_ranked(profile.ranking, len(profile), share_answered, profile)

    def choose_ranked(
        self, ranking: Ranking, n_samples: int, share_answered: float = 1.0, profile: ConfidenceProfile | None = None
    ) -> TunedThreshold:
        """Return the best threshold of ranked samples; the objective "cost" needs their profile."""
        level = self.level
        sweep = Sweep.of(ranking, self._candidates(ranking), share_answered)
        bound = np.full(len(sweep.thresholds), np.nan)
        if level is not None:
            bound = upper_limit(sweep.errors, sweep.accepted - sweep.errors, level)
        worth = self._worth(sweep, ranking) if profile is None or self.name != "cost" else self._cost(sweep, profile)
        alike = np.isclose(worth, np.nanmax(worth), rtol=_ROUNDING, atol=0)
        best = int(np.flatnonzero(alike)[-1])  # of equally good ones, the one that accepts most
        feasible = bool(sweep.accepted[best] > 0)
        if not feasible:
            best = 0
        threshold = float(sweep.thresholds[best])
        if feasible and self.name in CURVES and sweep.coverage[best] < _HARDLY_ANY and n_samples >= _TELL:
            warn(
                f"objective={self.name!r} is largest at the threshold {threshold:.6g}, which accepts "
                f"{sweep.coverage[best]:.1%} of the samples. Values at different thresholds are hard to compare, "
                "because the weight of an answer is the distance of its confidence from the threshold. Pass thresholds "
                "to choose from, or use objective='risk' with a target.",
                kind="no optimum inside",
            )
        # If every sample is accepted, accept lower scores of new samples, too. CWSA depends on the threshold itself, so
        # its threshold stays.
        if sweep.accepted[best] == sweep.total and self.name not in CURVES:
            threshold = below_all(ranking.score)
        return TunedThreshold(
            threshold=threshold,
            feasible=feasible,
            coverage=float(sweep.coverage[best]),
            risk=float(sweep.risk[best]),
            risk_upper_bound=float(bound[best]) if feasible else np.nan,
            n_samples=n_samples,
            reason="" if feasible else self._why_infeasible(sweep, bound),
            results={
                "threshold": sweep.thresholds,
                "coverage": sweep.coverage,
                "risk": sweep.risk,
                "risk_upper_bound": bound,
                "objective": worth,
            },
        )

    def _why_infeasible(self, sweep: Sweep, bound: Floats) -> str:
        """Say why no threshold qualifies, and how many samples would be enough."""
        if self.name == "coverage":
            return f"no threshold reaches a coverage of target={self.target}"
        if self.name != "risk":
            return f"no threshold is better than rejecting everything, for objective={self._label!r}"
        if self.level is None:
            return f"the observed risk is above target={self.target} at every threshold"
        claim = f"a risk of at most target={self.target} at confidence_level={self.confidence_level}"
        if self.n_candidates > 1:
            claim += f" for all n_candidates={self.n_candidates} together"
        fewest, total = smallest_sample(self.target, self.level), round(sweep.total)
        if total < fewest:
            samples = counted(total, "sample")
            return f"{samples} cannot show {claim}: at least {fewest:,} samples without an error are needed"
        return f"no threshold was shown to have {claim}. {self._closest(sweep, bound, self.level)}"

    def _closest(self, sweep: Sweep, bound: Floats, level: float) -> str:
        """Say which threshold came closest, and how many samples would have been enough."""
        at = int(np.argmin(np.where(sweep.accepted > 0, bound, np.inf)))
        accepted, errors, coverage = round(sweep.accepted[at]), round(sweep.errors[at]), float(sweep.coverage[at])
        if not accepted:
            return "No threshold accepts a sample"
        text = (
            f"The closest one has {counted(errors, 'error')} among {counted(accepted, 'accepted sample')}, a coverage "
            f"of {coverage:.2g} and an upper limit of {beside(bound[at], self.target, 2)} for the risk"
        )
        if errors >= self.target * accepted:
            return f"{text}. Its observed risk is not below the target"
        needed = required_samples(self.target, level, coverage=coverage, errors=errors)
        if bound[at] <= self.target:
            return (
                f"{text}. These samples are enough for a threshold fixed in advance. The search for a threshold needs "
                f"{needed:,} samples in all"
            )
        fewest = smallest_sample(self.target, level, errors)
        return (
            f"{text}. To meet the target with this number of errors, even a threshold fixed in advance needs "
            f"{fewest:,} accepted samples. The search for a threshold needs {needed:,} samples in all"
        )

    def _candidates(self, ranking: Ranking) -> Floats | None:
        """Return the thresholds to choose from, descending; None means all distinct scores."""
        if self.thresholds is not None:
            return np.unique(np.asarray(self.thresholds, dtype=np.float64))[::-1]
        if self.level is None:
            return None
        n_samples = round(ranking.total_weight)
        counts = planned_counts(n_samples, self.target, self.level)
        return thresholds_of_counts(ranking, counts if len(counts) else np.array([n_samples]))

    def _cost(self, sweep: Sweep, profile: ConfidenceProfile) -> Floats:
        """Return the negative mean cost at each threshold."""
        lost, cost = sweep.errors, None
        if self.cost_matrix is not None:
            costs = np.asarray(self.cost_matrix, dtype=np.float64)
            cost = costs[profile.require("true_class"), profile.require("predicted_class")]
        if profile.costs is not None:
            cost = profile.costs[np.arange(len(profile)), profile.decided]
        if cost is not None:
            weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
            lost = Sweep.of(Ranking.of(profile.score, cost, weight), sweep.thresholds[1:]).errors
        return -(lost + self.reject_cost * (sweep.rows - sweep.accepted)) / sweep.rows

    def _worth(self, sweep: Sweep, ranking: Ranking) -> Floats:
        """Return the objective at each threshold. Higher is better; a threshold that does not qualify has NaN."""
        if self.name == "risk":
            return np.where(self._within_target(sweep), sweep.coverage, np.nan)
        if self.name == "coverage":
            reached = sweep.accepted >= self.target * sweep.rows * (1 - _ROUNDING)
            return np.append(-np.inf, np.where(reached, -sweep.coverage, np.nan)[1:])
        if self.name in CURVES:
            worth = np.zeros(len(sweep.thresholds))
            below_one = sweep.thresholds < 1  # where the curve is defined
            curve = get_metric("cwsa_curve", thresholds=sweep.thresholds[below_one]).curve(ranking)
            worth[below_one] = getattr(curve, self.name)
            certain = (sweep.thresholds == 1) & (sweep.accepted > 0)  # full confidence is worth 1
            worth[certain] = 1 - (2 if self.name == "cwsa" else 1) * sweep.risk[certain]
            return worth
        curve = RiskCoverageCurve(sweep.coverage[1:], sweep.risk[1:], sweep.thresholds[1:])
        worth = _numbers(self.name(curve), "What objective returned")
        if worth.shape != curve.coverage.shape:
            raise ValueError(
                f"objective must return a value for each of {len(curve.coverage)} thresholds, but returned shape "
                f"{worth.shape}."
            )
        return np.append(-np.inf, worth)

    def _within_target(self, sweep: Sweep) -> NDArray[np.bool_]:
        if self.level is None:
            within = sweep.errors <= self.target * sweep.accepted * (1 + _ROUNDING)
        else:
            within = in_control(sweep.errors, sweep.accepted, self.target, self.level, self.spend)
        within[0] = True  # no accepted sample, no error
        return within


def _numbers(values: Any, name: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} could not be read as numbers: {error}.") from None
