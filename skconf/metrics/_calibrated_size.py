"""Calibrated size ratio: how many times larger a calibrated data set would have to be to show these errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._probabilities import Floats
from skconf.metrics._checks import check_number
from skconf.metrics._kinds import Additive, Ratio, Term, divide
from skconf.metrics._references import CSR
from skconf.metrics._registry import Preset
from skconf.profile import ConfidenceProfile

_IMPORTANCE = (
    "importances. Doubling all of them changes nothing, but a row given twice is a larger sample,\n    so that a "
    "sample of weight 2 is not the same as two samples."
)


class _Clipped(Additive):
    """Confidence kept away from 0 and 1."""

    eps: float = 1e-8

    def __post_init__(self) -> None:
        check_number(self.eps, "eps", 0.0, 0.5)

    def clipped(self, profile: ConfidenceProfile) -> Floats:
        # In float32 1 − 1e-8 rounds to 1; a profile's confidence is float64.
        return np.clip(profile.confidence, self.eps, 1 - self.eps)

    def error_sizes(self, profile: ConfidenceProfile) -> NDArray[Any]:
        """Return 1/(1 − c) of the errors and 0 of the rest: the size each error stands for."""
        sizes = np.zeros(len(profile))
        wrong = np.flatnonzero(~profile.correct)
        sizes[wrong] = 1 / (1 - np.clip(profile.confidence[wrong], self.eps, 1 - self.eps))
        return sizes


class CalibratedSizeRatio(
    _Clipped,
    Ratio,
    name="calibrated_size_ratio",
    bounds=(0.0, np.inf),
    reference=f"{CSR}, Definition 2",
    scorers={
        "neg_csr_deviation": Preset(transform=lambda ratio: -abs(ratio - 1)),
        "neg_csr_excess": Preset(transform=lambda ratio: -np.maximum(ratio - 1, 0)),
    },
):
    """Calibrated size ratio (CSR): errors counted by how unlikely their confidence made them.

    CSR = Σ w e / (1 − c) / Σ w, with e = 1 for an error and c the confidence of the predicted class. A calibrated
    classifier has 1. Above 1 it is overconfident on its errors: a ratio of 10 says that a calibrated data set
    would have to be ten times larger to show such errors by chance. Below 1 it is underconfident on them.

    {predictions}
    eps : float, default=1e-8
        Confidence is clipped to [eps, 1 - eps], in float64. An error of full confidence adds 1/(n eps).

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    calibrated_size_ratio_std : Its standard deviation, were the confidences calibrated.
    overconfidence_risk : The evidence for overconfidence.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> calibrated_size_ratio(y_true, [0.2, 0.75, 0.75, 0.75, 0.75])
    0.8
    >>> round(calibrated_size_ratio(y_true, [0.01, 0.99, 0.99, 0.99, 0.99]), 6)
    20.0
    """

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return self.error_sizes(profile), 1.0


calibrated_size_ratio = CalibratedSizeRatio.function


class CalibratedSizeRatioStd(
    _Clipped,
    Additive,
    name="calibrated_size_ratio_std",
    bounds=(0.0, np.inf),
    best=None,
    reference=f"{CSR}, Proposition 6",
):
    """Standard deviation of the calibrated size ratio of a calibrated classifier with these confidences.

    σ = sqrt(Σ w² c / (1 − c)) / Σ w. All samples count in it, and only errors in the ratio: it tells how far
    from 1 the ratio may be by chance.

    {predictions}
    eps : float, default=1e-8
        Confidence is clipped to [eps, 1 - eps], in float64.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    calibrated_size_ratio : The ratio.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibrated_size_ratio_std
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> round(calibrated_size_ratio_std(y_true, [0.2, 0.75, 0.75, 0.75, 0.75]), 3)
    0.8
    """

    weight_meaning = _IMPORTANCE

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure = self.clipped(profile)
        return Term(sure / (1 - sure), power=2), Term(1.0)

    def combine(self, *sums: NDArray[Any]) -> Any:
        odds, weight = sums
        return divide(np.sqrt(odds), weight, np.nan)


calibrated_size_ratio_std = CalibratedSizeRatioStd.function


class OverconfidenceRisk(
    _Clipped,
    Additive,
    name="overconfidence_risk",
    best=0.0,
    greater_is_better=False,
    reference=f"{CSR}, Section 2.1",
    scorers="overconfidence_risk",
):
    """Evidence for overconfidence, P_risk: how far the calibrated size ratio is above 1, as a probability.

    P_risk = Φ((CSR − 1) / σ) where CSR > 1, and 0 elsewhere, with Φ the normal distribution function: above .84
    the ratio is more than one standard deviation too high, above .9987 more than three.

    {predictions}
    eps : float, default=1e-8
        Confidence is clipped to [eps, 1 - eps], in float64.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    calibrated_size_ratio : The ratio.
    calibrated_size_ratio_std : Its standard deviation.

    Notes
    -----
    The paper's text gives Φ for every ratio; its tables have 0 for a ratio below 1, and so has this function. The
    normal approximation is poor in the tail at every sample size: of calibrated classifiers, about 1 % exceed
    three standard deviations, not 0.135 %.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import overconfidence_risk
    >>> y_true = ["a", "b", "b", "b", "a"]
    >>> overconfidence_risk(y_true, [0.2, 0.75, 0.75, 0.75, 0.75])
    0.0
    >>> round(overconfidence_risk(y_true, [0.01, 0.99, 0.99, 0.99, 0.99]), 4)
    1.0
    """

    weight_meaning = _IMPORTANCE

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure = self.clipped(profile)
        return Term(self.error_sizes(profile)), Term(1.0), Term(sure / (1 - sure), power=2)

    def combine(self, *sums: NDArray[Any]) -> Any:
        sizes, weight, odds = sums
        risk = ndtr(divide(sizes - weight, np.sqrt(odds), np.nan))
        return np.where(weight == 0, np.nan, np.where(sizes.real > weight.real, risk, 0.0))


overconfidence_risk = OverconfidenceRisk.function
