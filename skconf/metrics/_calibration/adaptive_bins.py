"""Calibration error in bins that follow the data: they are halved as long as both halves have enough samples."""

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_whole
from skconf._core.probabilities import Floats
from skconf.metrics._base.columns import levels
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.references import AD_ECE
from skconf.metrics._base.registry import WeightMeaning
from skconf.profile import ConfidenceProfile


class AdaptiveCalibrationError(
    Whole,
    name="adaptive_calibration_error",
    rests_on="errors",
    aliases=("ad_ece",),
    best=0.0,
    reference=AD_ECE,
    scorers="ad_ece",
):
    """Adaptive calibration error (AD-ECE): mean gap between confidence and accuracy, in bins made by halving the data.

    The value is Σ_b |Σ_{i in b} w (z − c)| / Σ w, with z = 1 for a right prediction and 0 for a wrong one, and c its
    confidence. The samples are halved at the median of the confidence. Each half is halved again, as long as a cut can
    leave at least `min_samples` samples on both sides. Tied confidences stay together, so a cut lies between two
    distinct confidences. Among the cuts that leave enough samples, the cut with the most equal total weights on its two
    sides is used. If two cuts are equally good, the lower one is used.

    {predictions}
    min_samples : int, default=10
        Smallest number of samples in a bin. If there are fewer samples in total, all samples are in a single bin.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    expected_calibration_error : In a given number of bins.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import adaptive_calibration_error
    >>> y_true, y_proba = [0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]
    >>> round(adaptive_calibration_error(y_true, y_proba, min_samples=2), 3)
    0.15
    >>> round(adaptive_calibration_error(y_true, y_proba, min_samples=1), 3)
    0.25
    """

    takes = "graded"
    weight_meaning = WeightMeaning.IMPORTANCES
    why_not_merged = "its bins depend on numbers of samples, but accumulators keep only the weight of each confidence"

    min_samples: int = 10

    def __post_init__(self) -> None:
        check_whole(self.min_samples, "min_samples")

    @property
    def zero_if_calibrated(self) -> bool:
        """True, because it uses only confidences and correctness."""
        return True

    def value(self, profile: ConfidenceProfile) -> float:
        points, weight = levels(profile), profile.sample_weight
        count = mass = points.weight.cumsum()
        if weight is not None:  # a sample of weight zero does not count
            count = np.unique(profile.confidence[weight > 0], return_counts=True)[1].cumsum()
        starts = _halved(count, mass, self.min_samples)
        return float(np.abs(np.add.reduceat(points.gap, starts)).sum() / mass[-1])


adaptive_calibration_error = AdaptiveCalibrationError.function


def _halved(count: Floats, mass: Floats, fewest: int) -> NDArray[np.intp]:
    """Return the first level of each bin, given the cumulative counts of samples and their cumulative weights.

    All bins of one depth are halved at once.
    """
    samples, weight = np.append(0, count), np.append(0.0, mass)
    first, end = np.array([0]), np.array([len(count)])
    starts = []
    while len(first):
        # The first and the last level after which enough samples lie on both sides.
        low = np.searchsorted(count, samples[first] + fewest)
        high = np.searchsorted(count, samples[end] - fewest, side="right") - 1
        whole = low > high
        starts.append(first[whole])
        first, end, low, high = (each[~whole] for each in (first, end, low, high))
        total = weight[end] - weight[first]
        upper = np.searchsorted(mass, weight[first] + total / 2).clip(low, high)
        lower = np.maximum(upper - 1, low)
        # Values that differ only by rounding count as equal, so that the lower one of two is taken.
        apart = [np.round(np.abs(2 * (mass[cut] - weight[first]) / total - 1), 12) for cut in (lower, upper)]
        cut = np.where(apart[0] <= apart[1], lower, upper) + 1
        # Looking values up in order is several times as fast.
        first, end = (np.column_stack(pair).ravel() for pair in ((first, cut), (cut, end)))
    return np.sort(np.concatenate(starts))
