"""Entropic calibration difference, and its test."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from skconf._core.checks import check_number, check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.messages import short_repr
from skconf._core.probabilities import SMALLEST, Floats
from skconf._core.warn import Notice
from skconf.metrics._base.draws import draw_sums, p_value_of, rank_at, resolution_notices
from skconf.metrics._base.kinds import Ratio, Whole
from skconf.metrics._base.references import ECD
from skconf.metrics._base.registry import Nearness, Preset, WeightMeaning
from skconf.profile import ConfidenceProfile

_ON = ("classes", "confidence")


class EntropicCalibrationDifference(
    Ratio,
    name="entropic_calibration_difference",
    rests_on="errors",
    bounds=(-np.inf, np.inf),
    best=0.0,
    reference=ECD,
    scorers={"neg_ecd_deviation": Preset(transform=Nearness(0.0))},
):
    """Entropic calibration difference (ECD): the log loss minus the log loss that the probabilities imply.

    The value is Σ w (Σ_k p_k ln p_k − ln p_y) / Σ w, the mean log loss minus the mean entropy. Here p_k is the
    probability of class k, and p_y is the probability of the true class. The value is about 0 for a calibrated
    classifier, above 0 for an overconfident classifier, and below 0 for an underconfident classifier.

    {predictions}
    on : {"classes", "confidence"}, default="classes"
        Which probabilities are used. "classes" uses the probabilities of all classes. "confidence" uses the
        probabilities c and 1 − c that the prediction is right or wrong, where c is the confidence. The value is then
        the mean of (c − z) logit c, with z = 1 for a right prediction and 0 for a wrong one. For two classes, both
        options give the same value; for more classes, their values are very different.
    eps : float, default=1e-8
        Smallest probability in a logarithm: smaller ones are replaced by eps. Logarithms are computed in float64.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    ecd_test : Tests whether it differs from 0 by more than chance.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import entropic_calibration_difference
    >>> round(entropic_calibration_difference([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    -0.118
    """

    on: str = "classes"
    eps: float = 1e-8

    def __post_init__(self) -> None:
        check_option(self.on, "on", _ON)
        check_number(self.eps, "eps", SMALLEST, 0.5)

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        proba, outcome = distributions(profile, self.on)
        logarithm = np.log(np.maximum(proba, self.eps))
        return np.einsum("ij,ij->i", proba, logarithm) - logarithm[np.arange(len(proba)), outcome], 1.0


entropic_calibration_difference = EntropicCalibrationDifference.function


class ECDTestResult(NamedTuple):
    """Result of the test.

    Attributes
    ----------
    statistic : float
        Entropic calibration difference.
    p_value : float
        Two-sided p-value of the hypothesis that the model is calibrated.
    low, high : float
        Quantiles alpha/2 and 1 − alpha/2 of the statistic for a calibrated model. They are infinite if the simulations
        are too few for these quantiles.
    outcome : int
        1 if the statistic is above `high` (overconfident), −1 if it is below `low` (underconfident), else 0.
    """

    statistic: float
    p_value: float
    low: float
    high: float
    outcome: int

    def __repr__(self) -> str:
        return short_repr(self)


class ECDTest(
    Whole,
    name="ecd_test",
    bounds=(-np.inf, np.inf),
    best=None,
    reference=ECD,
):
    """Test of calibration by the ECD: it compares the log loss with the log loss that the probabilities imply.

    If the model is calibrated, labels are random draws from the probabilities. The difference then has mean 0 and
    variance n⁻² Σ_i (Σ_k p_ik ln² p_ik − H_i²). Here n is the number of samples, p_ik the probability of class k for
    sample i, and H_i the entropy of the probabilities of sample i.

    {predictions}
    on : {"classes", "confidence"}, default="classes"
        Which probabilities are used: the probabilities of all classes ("classes"), or the probabilities c and 1 − c
        that the prediction is right or wrong ("confidence"). A profile that was made from correctness has no
        probabilities of all classes, so it needs "confidence".
    eps : float, default=1e-8
        Smallest probability in a logarithm: smaller ones are replaced by eps. Logarithms are computed in float64.
    method : {"simulation", "normal"}, default="simulation"
        "simulation" uses quantiles of simulated differences. "normal" uses quantiles of the normal distribution with
        mean 0 and the variance above.
    alpha : float, default=0.05
        Level of the test, in (0, 1): at most this share of calibrated models is rejected.
    n_resamples : int, default=5000
        Number of simulations. If they are too few for a p-value as small as `alpha`, a warning says how many are
        needed.
    random_state : int, Generator or None, default=0
        Seed of the simulations.

    Returns
    -------
    ECDTestResult
        Named tuple of `statistic`, `p_value`, `low`, `high` and `outcome`. For a calibrated model, the statistic lies
        between `low` and `high` with a probability of at least 1 − alpha. The outcome is 1 (overconfident: above
        `high`), −1 (underconfident: below `low`) or 0 (no difference on balance).

    {raises} If there are sample weights, because the null distribution assumes equal weights.

    See Also
    --------
    entropic_calibration_difference : The statistic.
    skconf.inference.assess_confidence : Also finds overconfidence at high confidence, and gaps that cancel out.

    Notes
    -----
    The test is two-sided, and cannot find every kind of miscalibration: overconfidence in some answers and
    underconfidence in others can cancel out.

    Each simulation draws the label of every sample, and adds up the effects of the samples on the statistic. To save
    time, the sum of the smallest effects may be drawn at once, from a distribution with the same mean, variance and
    skewness. This is done only if it changes quantiles by less than a hundredth of the standard deviation of the sum.
    5,000 simulations cannot show so small a change.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf import ConfidenceProfile
    >>> from skconf.metrics import ecd_test
    >>> half_right = ConfidenceProfile.from_correctness([1] * 30 + [0] * 30, [0.9] * 60)
    >>> result = ecd_test(half_right, on="confidence")
    >>> round(result.statistic, 3), result.outcome
    (0.879, 1)
    """

    draws_answers = True
    result = ECDTestResult
    weight_meaning = WeightMeaning.REFUSED

    on: str = "classes"
    eps: float = 1e-8
    method: str = "simulation"
    alpha: float = 0.05
    n_resamples: int = 5000
    random_state: int | np.random.Generator | None = 0

    def __post_init__(self) -> None:
        check_option(self.on, "on", _ON)
        check_number(self.eps, "eps", SMALLEST, 0.5)
        check_option(self.method, "method", ("simulation", "normal"))
        check_number(self.alpha, "alpha", 0.0, 1.0, positive=True, open_high=True)
        check_whole(self.n_resamples, "n_resamples")

    def value(self, profile: ConfidenceProfile) -> ECDTestResult:
        self.refuse_weights(profile)
        n = len(profile)
        statistic = float(EntropicCalibrationDifference(on=self.on, eps=self.eps).value(profile))
        proba, _ = distributions(profile, self.on)
        cost = -np.log(np.maximum(proba, self.eps))
        if self.method == "normal":
            mean = np.einsum("ij,ij->i", proba, cost)
            deviation = float(np.sqrt(np.einsum("ij,ij->", proba, (cost - mean[:, np.newaxis]) ** 2))) / n
            return self._by_normal(statistic, deviation)
        drawn = draw_sums(proba, cost, self.n_resamples, np.random.default_rng(self.random_state)) / n
        rank = rank_at(self.alpha, 2, self.n_resamples)
        low, high = np.sort(drawn)[[rank - 1, -rank]] if rank else (-np.inf, np.inf)
        # A sum in another order differs by rounding; a draw as extreme as the data must count as such.
        rounding = 1e-12 * (1 + abs(statistic))
        below = np.count_nonzero(drawn <= statistic + rounding)
        above = np.count_nonzero(drawn >= statistic - rounding)
        p_value = p_value_of(min(below, above), 2, self.n_resamples)
        outcome = int(above < rank) - int(below < rank)
        return ECDTestResult(statistic, p_value, float(low), float(high), outcome)

    def notices(self, profile: ConfidenceProfile, value: ECDTestResult) -> list[Notice]:
        if self.method == "normal":
            return []
        return resolution_notices(self.info.name, 2, self.n_resamples, self.alpha, "of a test of both sides")

    def _by_normal(self, statistic: float, deviation: float) -> ECDTestResult:
        # If no label is uncertain, any difference beyond rounding is too large.
        rounding = 1e-12 * (1 + abs(statistic))
        tail = float(ndtr(-abs(statistic) / deviation)) if deviation else 0.5 * (abs(statistic) <= rounding)
        high = float(-ndtri(self.alpha / 2) * deviation) if deviation else 0.0
        outcome = int(statistic > high + rounding) - int(statistic < -high - rounding)
        return ECDTestResult(statistic, min(1.0, 2 * tail), -high, high, outcome)


ecd_test = ECDTest.function


def distributions(profile: ConfidenceProfile, on: str) -> tuple[Floats, Codes]:
    """Return the probabilities of the outcomes, in float64, and the outcome that happened."""
    if on == "classes":
        outcome = profile.require("true_class")
        # The check of the input lets rounding errors above 1 and below 0 pass.
        return np.clip(profile.proba.astype(np.float64), 0.0, 1.0), outcome
    return np.column_stack([1 - profile.confidence, profile.confidence]), profile.correct.astype(np.intp)
