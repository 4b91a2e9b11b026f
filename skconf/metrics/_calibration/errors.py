"""Calibration errors over bins: how far confidence is from accuracy."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.bins import STRATEGIES, equal_mass_bin, equal_width_bin
from skconf._core.checks import check_option, check_whole
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.columns import Levels, bins_of_confidence
from skconf.metrics._base.kinds import Additive, Cells, Substitute, Sums, Term, Whole, divide, magnitude
from skconf.metrics._base.references import CALIBRATION_NORMS, ECE, ECI, MCE
from skconf.profile import ConfidenceProfile

#: Why the errors of bins are resampled. If confidences are nearly calibrated, influence values mean little.
KINK = "the gap of a bin has a kink at 0"


class _Binned(Additive, rests_on="errors"):
    """A metric of the gaps in bins of confidence."""

    why_resampled = KINK
    takes = "graded"

    n_bins: int = 15
    strategy: str = "uniform"

    def __post_init__(self) -> None:
        check_whole(self.n_bins, "n_bins")
        check_option(self.strategy, "strategy", STRATEGIES)

    def computed_by(self) -> Any:
        return self if self.strategy == "uniform" else _EqualMass(asked=self)

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        return _bin_terms(profile.correctness, profile.confidence, bins_of_confidence(profile, self.n_bins))

    def sums_of_levels(self, ranking: Ranking) -> Sums:
        """Return the sums that `combine` takes, one for each bin of equal mass."""
        levels = Levels.of(ranking)
        cell = equal_mass_bin(levels.weight, self.n_bins)
        return tuple(np.bincount(cell, weights=column) for column in self.columns_of_levels(levels))

    def columns_of_levels(self, levels: Levels) -> Sequence[Floats]:
        """Return the columns that are summed in each bin."""
        return levels.gap, levels.weight

    def sums_of_equal_mass(self, profile: ConfidenceProfile) -> Sums:
        """Return the sums in bins of equal mass, whose edges depend on all confidences."""
        return self.sums_of_levels(profile.confidence_ranking)


class ExpectedCalibrationError(
    _Binned,
    name="expected_calibration_error",
    aliases=("ece",),
    best=0.0,
    reference=f"{ECE}; the other norms are from {CALIBRATION_NORMS}",
    scorers="ece",
):
    """Expected calibration error (ECE): mean gap between confidence and accuracy, over bins of confidence.

    ECE = Σ_b |Σ_{i in b} w (z − c)| / Σ w over the bins b, with the samples i in each bin. Here c is the confidence,
    and z = 1 for a right prediction and 0 for a wrong one. A bin contains its upper end, but not its lower end; the
    first bin also contains a confidence of 0.

    {predictions}
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width ("uniform"), or of equal mass ("quantile"). For equal mass, let F be the share of the weight
        at or below a confidence. The confidence is in bin k if k / n_bins < F <= (k + 1) / n_bins. Tied confidences
        have the same F, so no bin splits them.
    norm : {"l1", "l2", "max"}, default="l1"
        How the gaps of the bins are combined. Let g be the gap between mean confidence and accuracy in a bin, and v the
        bin's share of the weight. "l1" is the mean gap Σ v g, "l2" the root mean square sqrt(Σ v g²), and "max" the
        largest g.
    on : {"confidence", "classes"}, default="confidence"
        Which probabilities are put into bins. "confidence" uses the confidence of the prediction. "classes" uses the
        probability of each class, and compares it with the frequency of this class. With "classes", the value is the
        unweighted mean of the errors of all classes, including classes without samples.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    adaptive_calibration_error : In bins made by halving the data.
    estimated_calibration_index : Relative to the largest gap that there can be.
    maximum_calibration_error : The largest gap.
    smooth_calibration_error : Without bins.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import expected_calibration_error
    >>> y_true, y_proba = [0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]
    >>> round(expected_calibration_error(y_true, y_proba), 3)
    0.25
    >>> round(expected_calibration_error(y_true, y_proba, norm="l2"), 3)
    0.324
    >>> round(expected_calibration_error(y_true, y_proba, n_bins=2, strategy="quantile"), 3)
    0.15
    """

    norm: str = "l1"
    on: str = "confidence"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.norm, "norm", ("l1", "l2", "max"))
        check_option(self.on, "on", ("confidence", "classes"))

    @property
    def zero_if_calibrated(self) -> bool:
        """Whether it uses only confidences and correctness."""
        return self.on == "confidence"

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        if self.on == "confidence":
            return super().terms(profile)
        return [
            term
            for right, sure in _class_columns(profile)
            for term in _bin_terms(right, sure, Cells(equal_width_bin(sure, self.n_bins), self.n_bins))
        ]

    def sums_of_equal_mass(self, profile: ConfidenceProfile) -> Sums:
        if self.on == "confidence":
            return super().sums_of_equal_mass(profile)
        rankings = (Ranking.of(sure, ~right, profile.sample_weight) for right, sure in _class_columns(profile))
        return tuple(part for ranking in rankings for part in self.sums_of_levels(ranking))

    def combine(self, *sums: NDArray[Any]) -> Any:
        pairs = list(zip(sums[::2], sums[1::2], strict=True))
        return sum(gap_norm(gap, weight, self.norm) for gap, weight in pairs) / len(pairs)


expected_calibration_error = ExpectedCalibrationError.function


class MaximumCalibrationError(
    _Binned,
    name="maximum_calibration_error",
    aliases=("mce",),
    best=0.0,
    reference=MCE,
    scorers="mce",
):
    """Maximum calibration error (MCE): the largest gap between mean confidence and accuracy in a bin of confidence.

    MCE = max_b |Σ_{i in b} w (z − c)| / Σ_{i in b} w over the non-empty bins b, with the samples i in each bin. Here c
    is the confidence, and z = 1 for a right prediction and 0 for a wrong one. A bin contains its upper end, but not its
    lower end; the first bin also contains a confidence of 0. A bin with a single sample counts as much as any other
    bin.

    {predictions}
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width ("uniform"), or of equal mass ("quantile"). For equal mass, let F be the share of the weight
        at or below a confidence. The confidence is in bin k if k / n_bins < F <= (k + 1) / n_bins. Tied confidences
        have the same F, so no bin splits them.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    expected_calibration_error : The mean gap.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import maximum_calibration_error
    >>> round(maximum_calibration_error([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.6
    """

    @property
    def zero_if_calibrated(self) -> bool:
        """True, because it uses only confidences and correctness."""
        return True

    def combine(self, gap: NDArray[Any], weight: NDArray[Any]) -> Any:
        return gap_norm(gap, weight, "max")


maximum_calibration_error = MaximumCalibrationError.function


class EstimatedCalibrationIndex(
    _Binned,
    name="estimated_calibration_index",
    aliases=("eci",),
    greater_is_better=True,
    reference=ECI,
    scorers="eci",
):
    """Estimated calibration index (ECI): 1 minus the mean of the bins' gaps, each divided by the largest possible gap.

    ECI = 1 − Σ_b v_b |accuracy − confidence| / max(confidence, 1 − confidence) over bins b of the confidence. Here v_b
    is the bin's share of the weight, and accuracy and confidence are the means over the samples of the bin. A bin
    contains its upper end, but not its lower end; the first bin also contains a confidence of 0. The divisor is the
    largest gap that is possible at this confidence: in the reliability diagram, the largest distance that the point of
    the bin can have from the diagonal.

    {predictions}
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width ("uniform"), or of equal mass ("quantile"), as in :func:`expected_calibration_error`. The
        authors' package uses bins of equal mass.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    expected_calibration_error : The mean gap itself.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import estimated_calibration_index
    >>> round(estimated_calibration_index([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.632
    """

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        gap, weight = super().terms(profile)
        return gap, weight, Term(profile.confidence, gap.cells)

    def columns_of_levels(self, levels: Levels) -> Sequence[Floats]:
        return levels.gap, levels.weight, levels.weight * levels.confidence

    def combine(self, gap: NDArray[Any], weight: NDArray[Any], sure: NDArray[Any]) -> Any:
        largest = np.maximum(sure, weight - sure)
        relative = divide(weight * magnitude(gap), largest, 0.0).sum(axis=-1)
        return 1 - divide(relative, weight.sum(axis=-1), np.nan)


estimated_calibration_index = EstimatedCalibrationIndex.function


class _EqualMass(Substitute, Whole):
    """A metric of the gaps in bins of equal mass, whose edges depend on all confidences."""

    def value(self, profile: ConfidenceProfile) -> Any:
        return self.asked.combine(*self.asked.sums_of_equal_mass(profile))


def gap_norm(gap: NDArray[Any], weight: NDArray[Any], norm: str) -> NDArray[Any]:
    """Return a norm of the gaps between confidence and accuracy, over bins along the last axis; NaN without weight.

    `weight` is Σ w in each bin, and `gap` is Σ w (z − c). The gap between confidence and accuracy is the absolute value
    of their quotient. The norm "l1" is the mean of these gaps, "l2" their root mean square, and "max" their maximum.
    """
    total = weight.sum(axis=-1)
    if norm == "l1":
        return divide(magnitude(gap).sum(axis=-1), total, np.nan)
    if norm == "l2":
        return np.sqrt(divide(divide(gap * gap, weight, 0.0).sum(axis=-1), total, np.nan))
    largest = np.max(divide(magnitude(gap), weight, 0.0), axis=-1)
    return np.where(total == 0, np.nan, largest)


def _bin_terms(right: NDArray[Any], sure: Floats, bins: Cells) -> tuple[Term, Term]:
    return Term(right - sure, bins), Term(1.0, bins)


def _class_columns(profile: ConfidenceProfile) -> Iterator[tuple[NDArray[np.bool_], Floats]]:
    """Yield, for each class, which samples belong to it, and its probabilities."""
    true_class, proba = profile.require("true_class"), profile.proba
    for column in range(proba.shape[1]):
        # The check of the input lets rounding errors above 1 and below 0 pass.
        yield true_class == column, np.clip(proba[:, column].astype(np.float64), 0.0, 1.0)
