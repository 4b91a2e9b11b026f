"""Calibration without bins: distance to the isotonic fit, and cumulative differences."""

import numpy as np

from skconf._core.checks import check_option
from skconf.metrics._base.columns import levels
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.references import CALIBRATION_DISTANCE, ECCE
from skconf.profile import ConfidenceProfile


class CalibrationDistance(
    Whole,
    name="calibration_distance_error",
    rests_on="errors",
    best=0.0,
    reference=CALIBRATION_DISTANCE,
    scorers="calibration_distance",
):
    """Calibration distance: mean distance of the confidences from a non-decreasing fit of correctness.

    The value is Σ w |c − iso(c)| / Σ w. Here c is the confidence, and iso is the non-decreasing function of c that fits
    the correctness best in least squares. Samples whose confidences are equal in float64 are one point of the fit.

    {predictions}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    brier_decomposition : With ``strategy="isotonic"``, squared differences from the same fit.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import calibration_distance_error
    >>> round(calibration_distance_error([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.25
    """

    takes = "graded"

    @property
    def zero_if_calibrated(self) -> bool:
        """True, because it uses only confidences and correctness."""
        return True

    def value(self, profile: ConfidenceProfile) -> float:
        points = levels(profile)
        return float(points.weight @ np.abs(points.confidence - points.isotonic_accuracy) / points.weight.sum())


calibration_distance_error = CalibrationDistance.function


class CumulativeCalibrationError(
    Whole,
    name="cumulative_calibration_error",
    rests_on="errors",
    aliases=("ecce",),
    best=0.0,
    reference=ECCE,
    scorers="ecce",
):
    """Cumulative calibration error (ECCE): largest gap between running sums of confidence and of correctness.

    Let S(t) = Σ w (z − c) 1[c <= t] / Σ w, with z = 1 for a right prediction and 0 for a wrong one, and c its
    confidence. S starts at 0. The value is the maximum absolute deviation max |S| ("mad"), or the range max S − min S
    ("range"). Samples with the same confidence enter S in one step.

    {predictions}
    statistic : {"mad", "range"}, default="mad"
        "mad" is ECCE-MAD, "range" is ECCE-R. The range is the largest gap over any interval of confidences. The
        maximum absolute deviation uses only intervals that begin at 0.

    Returns
    -------
    float
        {facts}

    {raises}

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cumulative_calibration_error
    >>> round(cumulative_calibration_error([0, 1, 0, 0], [0.1, 0.9, 0.8, 0.4]), 3)
    0.1
    >>> round(cumulative_calibration_error([0, 1, 0, 0], [0.1, 0.9, 0.8, 0.4], statistic="range"), 3)
    0.2
    """

    takes = "graded"

    statistic: str = "mad"

    def __post_init__(self) -> None:
        check_option(self.statistic, "statistic", ("mad", "range"))

    @property
    def zero_if_calibrated(self) -> bool:
        """True, because it uses only confidences and correctness."""
        return True

    def value(self, profile: ConfidenceProfile) -> float:
        points = levels(profile)
        sums = np.cumsum(points.gap) / points.weight.sum()
        high, low = max(float(sums.max()), 0.0), min(float(sums.min()), 0.0)
        return max(high, -low) if self.statistic == "mad" else high - low


cumulative_calibration_error = CumulativeCalibrationError.function
