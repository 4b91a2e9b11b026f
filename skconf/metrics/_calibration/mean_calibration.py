"""Calibration of the mean: the mean confidence, its gap to the accuracy, and Spiegelhalter's test."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from skconf._core.messages import short_repr
from skconf._core.warn import Notice
from skconf.metrics._base.kinds import Ratio, Whole
from skconf.metrics._base.references import CALIBRATION_IN_THE_LARGE, SPIEGELHALTER
from skconf.metrics._base.registry import Info, WeightMeaning
from skconf.profile import ConfidenceProfile


class MeanConfidence(Ratio, rests_on="samples"):
    """The mean confidence. By itself, it is neither good nor bad."""

    info = Info("mean_confidence", None, (0.0, 1.0), None, "")
    takes = "graded"

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[np.float64], float]:
        return profile.confidence, 1.0


class ConfidenceGap(
    Ratio,
    name="confidence_gap",
    rests_on="errors",
    bounds=(-1.0, 1.0),
    best=0.0,
    reference=CALIBRATION_IN_THE_LARGE,
):
    """Confidence gap: the mean confidence minus the accuracy.

    The value is Σ w (c − z) / Σ w, with c the confidence and z = 1 for a right prediction and 0 for a wrong one. If it
    is above 0, the classifier is overconfident overall; if it is below 0, it is underconfident. Overconfidence at some
    confidences and underconfidence at others cancel out. :func:`smooth_calibration_error` counts both.

    {predictions}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    skconf.inference.assess_confidence : Tests whether chance can explain the gap.
    calibrated_size_ratio : Overconfidence in the errors at high confidence.

    Notes
    -----
    There is no scorer for the gap, because a search for a small gap could choose a useless model: one that gives every
    sample the same confidence, its overall accuracy.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import confidence_gap
    >>> round(confidence_gap([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.05
    """

    takes = "graded"

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[np.float64], float]:
        return profile.confidence - profile.correctness, 1.0


confidence_gap = ConfidenceGap.function


class SpiegelhalterResult(NamedTuple):
    """Result of the test.

    Attributes
    ----------
    statistic : float
        Spiegelhalter's z.
    p_value : float
        Two-sided p-value of the hypothesis that the model is calibrated.
    """

    statistic: float
    p_value: float

    def __repr__(self) -> str:
        return short_repr(self)


class SpiegelhalterTest(
    Whole,
    name="spiegelhalter_test",
    bounds=(-np.inf, np.inf),
    best=None,
    reference=SPIEGELHALTER,
):
    """Spiegelhalter's test of calibration: it compares the squared errors with those that the confidences imply.

    The statistic is S = Σ w (z − c)(1 − 2c) / sqrt(Σ w² (1 − 2c)² c (1 − c)), with z = 1 for a right prediction and 0
    for a wrong one, and c its confidence. If the model is calibrated and there are many samples, S has a standard
    normal distribution.

    {predictions}

    Returns
    -------
    SpiegelhalterResult
        Named tuple of `statistic` and the two-sided `p_value`. If every confidence is 0, 1/2 or 1, the variance is 0.
        The statistic is then infinite and the p-value 0 if a prediction of confidence 1 is wrong, or one of confidence
        0 is right. If there is no such prediction, both are NaN, with a warning.

    {raises}

    See Also
    --------
    skconf.inference.assess_confidence : Also finds overconfidence at high confidence, and gaps that cancel out.

    Notes
    -----
    The test is two-sided, and cannot find every kind of miscalibration. The factor 1 − 2c in the sum is positive below
    c = 1/2, and negative above. So an S above 0 means overconfidence only if all confidences are above 1/2. We
    simulated 2,000 data sets of 1,000 samples, overconfident by 5 percentage points, and tested each data set one-sided
    at the level of 5%. Spiegelhalter's test found overconfidence in 99% of the data sets with confidences in (0.5, 1),
    in 5% of those with confidences in (0.2, 0.8), and in none with confidences in (0.1, 0.5). A test of the gap between
    confidence and accuracy found overconfidence in 96 to 98% of the data sets in all three cases.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.metrics import spiegelhalter_test
    >>> y_true = np.repeat([1, 0], [60, 40])
    >>> result = spiegelhalter_test(y_true, np.full(100, 0.7))
    >>> round(result.statistic, 2), round(result.p_value, 3)
    (2.18, 0.029)
    """

    draws_answers = True
    result = SpiegelhalterResult
    weight_meaning = WeightMeaning.IMPORTANCES
    undefined = "its variance is zero, as every confidence is 0, 1/2 or 1"

    def value(self, profile: ConfidenceProfile) -> SpiegelhalterResult:
        sure = profile.confidence
        tilt = 1 - 2 * sure
        if profile.sample_weight is not None:
            tilt *= profile.sample_weight
        above = float(tilt @ (profile.correct - sure))
        variance = float(np.square(tilt) @ (sure * (1 - sure)))
        if variance == 0 == above:
            return SpiegelhalterResult(np.nan, np.nan)
        z = above / np.sqrt(variance) if variance else np.copysign(np.inf, above)
        return SpiegelhalterResult(float(z), float(2 * ndtr(-abs(z))))

    def notices(self, profile: ConfidenceProfile, value: SpiegelhalterResult) -> list[Notice]:
        return self.undefined_notices(value.statistic)


spiegelhalter_test = SpiegelhalterTest.function
