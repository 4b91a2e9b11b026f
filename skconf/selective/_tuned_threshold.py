"""TunedThreshold: a threshold that serves an objective best, and what it does."""

import math
from dataclasses import dataclass

import pandas as pd

from skconf._core.probabilities import Floats


@dataclass(frozen=True, eq=False, repr=False)
class TunedThreshold:
    """A threshold, and what it does to the samples that chose it: what :func:`tune_threshold` returns.

    Attributes
    ----------
    threshold : float
        Score from which on a prediction is accepted: infinite if none is; and where every sample is accepted 0, or
        minus infinity for scores outside [0, 1] (the lowest score for "cwsa" and "cwsa_plus", which are measured from
        the threshold).
    feasible : bool
        Whether any threshold qualifies. If none does, everything is rejected.
    coverage : float
        Share of the samples that is accepted, in [0, 1].
    risk : float
        Error rate of the accepted samples, in [0, 1]; NaN if there are none. Chosen as the best of many, it is a little
        optimistic without a `confidence_level`.
    risk_upper_bound : float
        Exact upper confidence limit of the risk at this threshold, at most the target; NaN without a
        `confidence_level`. What is promised is the target: a limit below it was not declared in advance.
    n_samples : int
        Number of samples that chose: of clusters, where they come in clusters.
    reason : str
        Why no threshold qualifies, and how many samples it would take; empty if one does.
    results : dict of str to ndarray of shape (n_thresholds,)
        What thresholds achieve, see :meth:`to_frame`.

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
        """Return what thresholds achieve.

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
