"""TunedThreshold: the best threshold for an objective, and what it achieves."""

import math
from dataclasses import dataclass

import pandas as pd

from skconf._core.probabilities import Floats


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
        Share of the samples that is accepted, in [0, 1].
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
        What each threshold achieves, see :meth:`to_frame`.

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
        numbers = ", ".join(f"{name}={value:.4g}" for name, value in shown.items())
        return f"TunedThreshold({numbers}, n_samples={self.n_samples})"
