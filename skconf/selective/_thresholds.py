"""Thresholds, and what they achieve: many of them in one sweep, and the one that was chosen."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking


@dataclass(frozen=True)
class Sweep:
    """Weights accepted at thresholds, from the strictest to the loosest.

    The first threshold is infinite and accepts nothing, so that one choice always exists.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Descending.
    accepted : ndarray of shape (n_thresholds,)
        Weight of the samples whose score reaches the threshold.
    errors : ndarray of shape (n_thresholds,)
        Weight of the wrong ones among them, or their cost.
    total : float
        Weight of all samples.
    share_answered : float, default=1.0
        Weight of these over that of all rows, also those that abstain.
    """

    thresholds: Floats
    accepted: Floats
    errors: Floats
    total: float
    share_answered: float = 1.0

    @classmethod
    def of(cls, ranking: Ranking, thresholds: Floats | None = None, share_answered: float = 1.0) -> Self:
        """Return what descending thresholds accept of a ranking; None stands for all distinct scores."""
        accepted, errors = (np.append(0.0, np.cumsum(values)) for values in (ranking.weight, ranking.errors))
        total = float(accepted[-1])
        if thresholds is None:
            return cls(np.append(np.inf, ranking.score), accepted, errors, total, share_answered)
        # The ranking runs down from the highest score: a threshold accepts its first few entries.
        count = len(ranking.score) - np.searchsorted(ranking.score[::-1], np.append(np.inf, thresholds), side="left")
        return cls(np.append(np.inf, thresholds), accepted[count], errors[count], total, share_answered)

    @cached_property
    def coverage(self) -> Floats:
        """Share of all rows that are accepted."""
        return self.accepted / self.rows

    @property
    def rows(self) -> float:
        """Weight of all rows."""
        return self.total / self.share_answered

    @cached_property
    def risk(self) -> Floats:
        """Error rate of the accepted; NaN where nothing is accepted."""
        return np.divide(self.errors, self.accepted, out=np.full(len(self.errors), np.nan), where=self.accepted > 0)


def thresholds_of_counts(ranking: Ranking, counts: NDArray[np.intp]) -> Floats:
    """Return the thresholds that accept so many samples, or, with ties, as few more as possible."""
    accepted = np.cumsum(ranking.weight)
    return ranking.score[np.unique(np.searchsorted(accepted, counts))]


@dataclass(frozen=True, eq=False, repr=False)
class TunedThreshold:
    """The result of :func:`tune_threshold`: a threshold, and what it achieves on the samples that chose it.

    Attributes
    ----------
    threshold : float
        Lowest score at which a prediction is accepted. Infinite if none is accepted. If every sample is accepted, it is
        0, or minus infinity for scores outside [0, 1] (the lowest score for "cwsa" and "cwsa_plus", which are measured
        from the threshold).
    feasible : bool
        Whether any threshold qualifies. If none does, everything is rejected.
    coverage : float
        Share of the samples that is accepted, in [0, 1]; rows that abstain are not.
    risk : float
        Error rate of the accepted samples, in [0, 1]; NaN if there are none. Without a `confidence_level` it is a
        little optimistic, as the best of many.
    risk_upper_bound : float
        Exact upper confidence limit of the risk at this threshold, at most the target; NaN without a
        `confidence_level`. The `confidence_level` holds for the target only: a lower limit was not declared in advance.
    n_samples : int
        Number of samples that chose: of clusters, where they come in clusters.
    reason : str
        Why no threshold qualifies, and how many samples it would take; empty if one does.
    results : dict of str to ndarray of shape (n_thresholds,)
        What each threshold achieves, see :meth:`to_frame`; empty where there are several promises or slices.
    thresholds : Series or None
        The threshold of each slice, infinite where everything is rejected; None without slices. `threshold` is then
        NaN.
    guarantees : DataFrame or None
        With a mapping as target, or slices: a row for each promise in each slice, with the columns ``slice`` ("all"
        without slices), ``risk``, ``class``, ``target``, ``n_samples`` (of which the rate is), ``threshold``,
        ``coverage`` (of the slice's rows, as `coverage` is of all), ``observed``, ``limit`` (exact and one-sided, at
        this promise's share of 1 − `confidence_level`; NaN of means: costs, ECUAS and CWSA), ``shown`` (whether it is
        guaranteed) and ``reason`` (why not).
    by_class : DataFrame or None
        With a prevalence and no slices: a row for each class, with the columns ``coverage``, the share of its samples
        that is accepted, and ``risk``, the error rate of these. A model that always gives the common class is seldom
        wrong.

    See Also
    --------
    tune_threshold : Makes one.
    """

    threshold: float
    feasible: bool
    coverage: float
    risk: float
    risk_upper_bound: float
    n_samples: int
    reason: str
    results: dict[str, Floats]
    thresholds: pd.Series | None = None
    guarantees: pd.DataFrame | None = None
    by_class: pd.DataFrame | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return what each threshold achieves.

        Returns
        -------
        DataFrame
            A row for each threshold, from infinity down, with the columns `threshold`, `coverage`, `risk`,
            `risk_upper_bound` and `objective`, which is NaN where a threshold does not qualify and else greater is
            better.
        """
        return pd.DataFrame(self.results)

    def __repr__(self) -> str:
        shown = {"threshold": self.threshold, "coverage": self.coverage, "risk": self.risk}
        if not math.isnan(self.risk_upper_bound):
            shown["risk_upper_bound"] = self.risk_upper_bound
        if self.thresholds is not None:
            del shown["threshold"]
        numbers = ", ".join(f"{name}={value:.4g}" for name, value in shown.items())
        slices = "" if self.thresholds is None else f"{len(self.thresholds)} slices, "
        return f"TunedThreshold({slices}{numbers}, n_samples={self.n_samples})"
