"""Thresholds with their coverage and risk: many in one sweep, and the one that was chosen."""

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
    """The weight of accepted samples and of their errors at each threshold, from the strictest to the loosest.

    The first threshold is infinite and accepts nothing, so there is always a threshold to choose.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        Descending.
    accepted : ndarray of shape (n_thresholds,)
        Weight of the samples that reach the threshold.
    errors : ndarray of shape (n_thresholds,)
        Weight of the accepted samples that are wrong, or total cost of the accepted samples.
    total : float
        Weight of all samples.
    share_answered : float, default=1.0
        Weight of all samples divided by the weight of all rows. Rows in which the model abstains are not samples.
    """

    thresholds: Floats
    accepted: Floats
    errors: Floats
    total: float
    share_answered: float = 1.0

    @classmethod
    def of(cls, ranking: Ranking, thresholds: Floats | None = None, share_answered: float = 1.0) -> Self:
        """Return the sweep of a ranking over descending thresholds. None takes all distinct scores as thresholds."""
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
    """Return the thresholds that accept `counts` samples, or with ties as few more as possible."""
    accepted = np.cumsum(ranking.weight)
    return ranking.score[np.unique(np.searchsorted(accepted, counts))]


def below_all(score: Floats) -> float:
    """Return the threshold that accepts everything: 0 for descending scores in [0, 1], else minus infinity."""
    return 0.0 if score[-1] >= 0 and score[0] <= 1 else -np.inf


@dataclass(frozen=True, eq=False, repr=False)
class TunedThreshold:
    """The result of :func:`tune_threshold`: a threshold, its coverage and its risk, on the samples used to choose it.

    Attributes
    ----------
    threshold : float
        Lowest score at which a prediction is accepted. It is infinite if no sample is accepted. A threshold that
        accepts every sample is replaced by 0, or by minus infinity if some scores are outside [0, 1]. It is not
        replaced for "cwsa" and "cwsa_plus", because these metrics depend on the threshold itself, nor if `thresholds`
        were given with several promises or slices.
    feasible : bool
        Whether any sample is accepted. If none is, `reason` says why.
    coverage : float
        Share of the samples that is accepted, in [0, 1]. Rows in which the model abstains count as rejected.
    risk : float
        Error rate of the accepted samples, in [0, 1]. NaN if no sample is accepted. Without a `confidence_level` it is
        a little too low, because this threshold was the best of many on the same samples. With a `prevalence`, coverage
        and risk are computed from all samples, with weights that give each class its share.
    risk_upper_bound : float
        Upper confidence limit of the risk at this threshold, at most the target. NaN without a `confidence_level`. With
        probability `confidence_level`, the risk is at most the target. If this limit is below the target, the risk may
        exceed the limit with a higher probability than 1 − `confidence_level`, because the limit is computed on the
        samples that chose the threshold. With a `prevalence`, `risk` may be above the limit, because the limit is
        computed from a random part of the samples, drawn with the given shares.
    n_samples : int
        Number of samples on which the threshold was chosen. If samples come in clusters, it is the number of clusters.
    reason : str
        Why all samples are rejected (with slices, all samples of a slice) and, where it can be said, how many samples
        would be enough. Empty if a threshold was found; with slices, if one was found in every slice.
    results : dict of str to ndarray of shape (n_thresholds,)
        Coverage, risk and other values at each threshold, see :meth:`to_frame`. Empty if there are several promises or
        slices.
    thresholds : Series or None
        The threshold of each slice. It is infinite if everything in the slice is rejected. None without slices. With
        slices, `threshold` is NaN.
    guarantees : DataFrame or None
        A row for each promise in each slice, if the target is a mapping or if there are slices; else None. The columns
        ``slice`` ("all" without slices), ``risk``, ``class`` and ``target`` say what is promised. ``n_samples`` is the
        number of samples that the promise is about: all samples of the slice, or, for a rate of a class, the samples in
        the denominator of the rate. ``threshold`` and ``coverage`` are the threshold and the coverage of the slice.
        ``observed`` is the rate or mean in the data. ``limit`` is the one-sided confidence limit of the rate; 1 −
        `confidence_level` is divided equally among the promises. For a mean (cost, ECUAS or CWSA), ``limit`` is NaN.
        ``shown`` says whether the promise is guaranteed, and ``reason`` says why not.
    by_class : DataFrame or None
        A row for each class, if there is a prevalence and no slices; else None. The column ``coverage`` is the share of
        the samples of the class that is accepted, and ``risk`` is the error rate of these accepted samples. Look at
        every class: if a model always predicts the most frequent class, the total risk can be low, but the risk of
        every other class is 1.

    See Also
    --------
    tune_threshold : Returns such a result.
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
        """Return coverage, risk and objective at each threshold.

        Returns
        -------
        DataFrame
            A row for each threshold, from infinity down. The columns are `threshold`, `coverage`, `risk`,
            `risk_upper_bound` and `objective`. `objective` is NaN for a threshold that cannot be chosen: it misses the
            target, or the objective is a function that excludes it. Among all other thresholds, a higher `objective` is
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
