"""The rules by which a threshold is chosen from what every threshold would accept."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics import get_metric
from skconf.metrics._risk_coverage.curve import RiskCoverageCurve
from skconf.selective._risk_control import (
    declared_counts,
    in_control,
    risk_upper_bound,
    smallest_sample,
)
from skconf.selective._sweep import Sweep, thresholds_of_counts

#: Objectives that are fields of the CWSA curve.
CURVES = ("cwsa", "cwsa_plus")

#: Objectives by name.
OBJECTIVES = ("risk", "coverage", "cost", *CURVES)

_ROUNDING = 1e-12  # of sums, relative


@dataclass(frozen=True)
class Choice:
    """A threshold and what it does to the samples that chose it; see the attributes of the tuned classifier."""

    threshold: float
    feasible: bool
    coverage: float
    risk: float
    risk_upper_bound: float
    results: dict[str, Floats]


@dataclass(frozen=True)
class Objective:
    """What a threshold is to achieve; the fields are parameters of the tuned classifier."""

    name: Any = "risk"
    target: float = 0.05
    confidence_level: float | None = None
    reject_cost: float | None = None
    cost_matrix: Any = None
    thresholds: Any = None

    @property
    def _label(self) -> str:
        return self.name if isinstance(self.name, str) else "a function"

    def check(self, n_classes: int, confidence: Any) -> None:
        """Refuse parameters that contradict each other or the task."""
        name = self._label
        if self.confidence_level is not None:
            if name != "risk":
                raise ValueError(
                    f"confidence_level is for objective='risk', but the objective is {name!r}: leave it out."
                )
            if self.target == 0:
                raise ValueError("target must be above 0 with a confidence_level: no sample shows that a risk is zero.")
        if name == "coverage" and self.target == 0:
            raise ValueError("target is the coverage to reach, and must be above 0.")
        if name == "cost" and self.reject_cost is None:
            raise ValueError("objective='cost' needs reject_cost, the cost of an abstention, where an error costs 1.")
        for parameter in ("reject_cost", "cost_matrix"):
            if name != "cost" and getattr(self, parameter) is not None:
                raise ValueError(f"{parameter} is for objective='cost', but the objective is {name!r}: leave it out.")
        if name in CURVES and confidence != "max_proba":
            raise ValueError(f"objective={name!r} is defined for the confidence itself: leave confidence='max_proba'.")
        if self.cost_matrix is not None:
            costs = _numbers(self.cost_matrix, "cost_matrix")
            if costs.shape != (n_classes, n_classes):
                raise ValueError(f"cost_matrix has shape {costs.shape}, but there are {n_classes} classes.")
            if not (np.isfinite(costs) & (costs >= 0)).all():
                raise ValueError("cost_matrix must hold finite costs, 0 or greater.")
        if self.thresholds is not None:
            given = _numbers(self.thresholds, "thresholds")
            if given.ndim != 1 or given.size == 0 or not ((given >= 0) & (given <= 1)).all():
                raise ValueError("thresholds must be a list of numbers in [0, 1], at least one.")

    def choose(self, score: Floats, truth: Codes, predicted: Codes, sample_weight: Floats | None = None) -> Choice:
        """Return the best threshold.

        Parameters
        ----------
        score : ndarray of shape (n,)
            What selection ranks by.
        truth, predicted : ndarray of shape (n,)
            True and predicted classes.
        sample_weight : ndarray of shape (n,), default=None
            Weights; with a confidence level every sample counts once.

        Returns
        -------
        Choice
        """
        if self.confidence_level is not None:
            sample_weight = None
        if sample_weight is not None and not sample_weight.any():
            raise ValueError("sample_weight is zero for all samples that are to choose the threshold.")
        ranking = Ranking.of(score, predicted != truth, sample_weight)
        thresholds = self._candidates(ranking)
        sweep = Sweep.of(ranking, thresholds)
        bound = np.full(len(sweep.thresholds), np.nan)
        if self.confidence_level is not None:
            bound = risk_upper_bound(sweep.errors, sweep.accepted, self.confidence_level)
        if self.name == "cost":
            lost = sweep.errors
            if self.cost_matrix is not None:
                costs = np.asarray(self.cost_matrix, dtype=np.float64)[truth, predicted]
                weight = np.ones(len(score)) if sample_weight is None else sample_weight
                lost = Sweep.of(Ranking.of(score, costs, weight), thresholds).errors
            assert self.reject_cost is not None  # check made sure
            worth = -(lost + self.reject_cost * (sweep.total - sweep.accepted)) / sweep.total
        else:
            worth = self._worth(sweep, ranking)
        alike = np.isclose(worth, np.nanmax(worth), rtol=_ROUNDING, atol=0)
        best = int(np.flatnonzero(alike)[-1])  # of the best, the one that accepts most
        feasible = bool(sweep.accepted[best] > 0)
        if not feasible:
            best = 0
        # Whatever may come is accepted, too; but CWSA is measured from the threshold.
        everything = sweep.accepted[best] == sweep.total and self.name not in CURVES
        return Choice(
            threshold=0.0 if everything else float(sweep.thresholds[best]),
            feasible=feasible,
            coverage=float(sweep.coverage[best]),
            risk=float(sweep.risk[best]),
            risk_upper_bound=float(bound[best]) if feasible else np.nan,
            results={
                "threshold": sweep.thresholds,
                "coverage": sweep.coverage,
                "risk": sweep.risk,
                "risk_upper_bound": bound,
                "objective": worth,
            },
        )

    def why_infeasible(self, n_samples: int) -> str:
        """Say why no threshold qualifies."""
        if self.name == "coverage":
            return f"none of the thresholds accepts a share of target={self.target}"
        if self.name != "risk":
            return f"no threshold is worth more than that to objective={self._label!r}"
        why = f"no threshold has a risk of at most target={self.target}"
        if self.confidence_level is None:
            return why
        why += f" at confidence_level={self.confidence_level}"
        needed = smallest_sample(self.target, self.confidence_level)
        if n_samples < needed:
            why += f", which takes {needed} samples even without an error, and {n_samples} choose the threshold"
        return why

    def _candidates(self, ranking: Ranking) -> Floats | None:
        """Return the thresholds to choose from, descending; None stands for every score there is."""
        if self.thresholds is not None:
            return np.unique(np.asarray(self.thresholds, dtype=np.float64))[::-1]
        if self.confidence_level is not None:
            n_samples = round(ranking.total_weight)
            return thresholds_of_counts(ranking, declared_counts(n_samples, self.target, self.confidence_level))
        return None

    def _worth(self, sweep: Sweep, ranking: Ranking) -> Floats:
        """Return what each threshold is worth, greater is better; NaN where it does not qualify."""
        if self.name == "risk":
            return np.where(self._within_target(sweep), sweep.coverage, np.nan)
        if self.name == "coverage":
            reached = sweep.accepted >= self.target * sweep.total * (1 - _ROUNDING)
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
        if self.confidence_level is None:
            within = sweep.errors <= self.target * sweep.accepted * (1 + _ROUNDING)
        else:
            n_samples = round(sweep.total)
            within = in_control(sweep.errors, sweep.accepted, n_samples, self.target, self.confidence_level)
        within[0] = True  # what accepts nothing is never wrong
        return within


def _numbers(values: Any, name: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} could not be read as numbers: {error}.") from None
