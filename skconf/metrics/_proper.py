"""Proper scores of the confidence in a prediction, and the parts of the Brier loss."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from skconf._core.bins import STRATEGIES, equal_mass_bin
from skconf._core.checks import check_number, check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.messages import short_repr
from skconf._core.probabilities import SMALLEST, Floats
from skconf.metrics._base.columns import Levels, bins_of_confidence, levels
from skconf.metrics._base.kinds import Additive, Ratio, Substitute, Term, Whole, divide
from skconf.metrics._base.references import BRIER, BRIER_PARTS, LOG_SCORE
from skconf.profile import ConfidenceProfile


def surprise(profile: ConfidenceProfile, eps: float) -> Floats:
    """Return −ln c for right and −ln (1 − c) for wrong answers; for graded answers, their weighted mean."""
    sure, right = profile.confidence, profile.correctness
    if profile.kind == "right or wrong":
        return -np.log(np.maximum(np.where(right, sure, 1 - sure), eps))
    return -right * np.log(np.maximum(sure, eps)) - (1 - right) * np.log(np.maximum(1 - sure, eps))


class ConfidenceBrier(
    Ratio,
    name="confidence_brier_loss",
    rests_on="errors",
    aliases=("brier",),
    best=0.0,
    reference=BRIER,
    scorers="confidence_brier",
):
    """Brier loss of the confidence: its mean squared difference from 1 for right answers, and from 0 for wrong ones.

    The value is Σ w (c − z)² / Σ w, with z = 1 for a right prediction and 0 for a wrong one, and c its confidence.

    {predictions}
    normalize : bool, default=False
        Divide by the loss of a naive model that gives every answer the accuracy acc as its confidence. This loss is
        acc (1 − acc); for graded answers, it is the variance of the grades. The value then lies in [0, ∞). If it is
        above 1, the naive model is better.

    Returns
    -------
    float
        {facts} With `normalize`, it is NaN, with a warning, if all predictions are right, or all are wrong.

    {raises}

    See Also
    --------
    brier_decomposition : Its parts.
    sklearn.metrics.brier_score_loss : The Brier loss of the probabilities of all classes.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import confidence_brier_loss
    >>> round(confidence_brier_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.105
    >>> round(confidence_brier_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], normalize=True), 3)
    0.56
    """

    takes = "graded"

    normalize: bool = False

    def __post_init__(self) -> None:
        check_option(self.normalize, "normalize", (False, True))

    @property
    def bounds(self) -> tuple[float, float]:
        return (0.0, np.inf) if self.normalize else self.info.bounds

    def computed_by(self) -> Any:
        return _Normalized(asked=self, naive=_spread) if self.normalize else self

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return (profile.confidence - profile.correctness) ** 2, 1.0


confidence_brier_loss = ConfidenceBrier.function


class ConfidenceLogLoss(
    Ratio,
    name="confidence_log_loss",
    rests_on="errors",
    aliases=("nll",),
    bounds=(0.0, np.inf),
    best=0.0,
    reference=LOG_SCORE,
    scorers="confidence_log_loss",
):
    """Log loss of the confidence c: the mean of −ln c for right answers and −ln (1 − c) for wrong ones.

    The value is −Σ w ln p / Σ w, with p = c for a right prediction and p = 1 − c for a wrong one, where c is its
    confidence.

    {predictions}
    eps : float, default=1e-8
        Smallest probability in the logarithm, which is computed in float64. An error with confidence 1 costs −ln eps.
    normalize : bool, default=False
        Divide by the loss of a naive model that gives every answer the accuracy acc as its confidence. This loss is
        the entropy −acc ln acc − (1 − acc) ln (1 − acc).

    Returns
    -------
    float
        {facts} With `normalize`, it is NaN, with a warning, if all predictions are right, or all are wrong.

    {raises}

    See Also
    --------
    entropic_calibration_difference : The log loss minus the log loss that the probabilities imply.
    sklearn.metrics.log_loss : The log loss of the probabilities of all classes.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import confidence_log_loss
    >>> round(confidence_log_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.338
    """

    takes = "graded"

    eps: float = 1e-8
    normalize: bool = False

    def __post_init__(self) -> None:
        check_number(self.eps, "eps", SMALLEST, 0.5)
        check_option(self.normalize, "normalize", (False, True))

    def computed_by(self) -> Any:
        return _Normalized(asked=self, naive=_entropy) if self.normalize else self

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return surprise(profile, self.eps), 1.0


confidence_log_loss = ConfidenceLogLoss.function


class _Normalized(Substitute, Additive):
    """A loss divided by the loss of a naive model, which gives every answer the accuracy as its confidence."""

    undefined = "all predictions are right, or all are wrong"

    naive: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        right = profile.correctness
        # The sum of z (1 − z) is exactly 0 if all answers are right or wrong.
        between = 0.0 if profile.kind == "right or wrong" else right * (1 - right)
        return *self.asked.terms(profile), Term(right), Term(between)

    def combine(self, loss: NDArray[Any], weight: NDArray[Any], right: NDArray[Any], between: NDArray[Any]) -> Any:
        naive = self.naive(divide(right, weight, np.nan), divide(between, weight, np.nan))
        return divide(loss, weight * naive, np.nan)


def _spread(accuracy: NDArray[Any], between: NDArray[Any]) -> NDArray[Any]:
    """Return the variance of correctness; exactly 0 if it is only a rounding error."""
    most = accuracy * (1 - accuracy)
    return np.where((most - between).real <= 1e-12 * most.real, 0.0, most - between)


def _entropy(accuracy: NDArray[Any], between: NDArray[Any]) -> NDArray[Any]:  # noqa: ARG001
    return -xlogy(accuracy, accuracy) - xlogy(1 - accuracy, 1 - accuracy)


class BrierParts(NamedTuple):
    """Parts of the Brier loss, which is reliability − resolution + uncertainty + residue.

    Attributes
    ----------
    reliability : float
        Mean squared difference of confidence and accuracy (miscalibration). 0 is best.
    resolution : float
        How much the accuracy varies with the confidence (discrimination). Higher is better.
    uncertainty : float
        acc (1 − acc), with the accuracy acc. It is the Brier loss of a naive model that gives every answer the
        confidence acc.
    residue : float
        The part within bins: the variance of the confidence, minus twice its covariance with correctness. With
        strategy="isotonic", it is 0.
    """

    reliability: float
    resolution: float
    uncertainty: float
    residue: float

    def __repr__(self) -> str:
        return short_repr(self)


class BrierDecomposition(
    Whole,
    name="brier_decomposition",
    best=None,
    reference=BRIER_PARTS,
):
    """Decomposition of the Brier loss of the confidence into reliability, resolution, uncertainty and residue.

    The Brier loss Σ w (c − z)² / Σ w is exactly reliability − resolution + uncertainty + residue, with z = 1 for a
    right prediction and 0 for a wrong one, and c its confidence. Let m be the mean confidence of a bin, a its accuracy,
    v its share of the weight, and A the accuracy of all samples. Then reliability is Σ v (m − a)², resolution is Σ v (a
    − A)², uncertainty is A (1 − A), and residue is the mean over samples of (c − m)² − 2 (c − m)(z − a). With
    strategy="isotonic", the isotonic fit of correctness on confidence replaces the bins. Reliability is then the Brier
    loss of the confidence minus the Brier loss of the fit. Resolution is the Brier loss of the constant A minus the
    Brier loss of the fit. The residue is 0.

    {predictions}
    n_bins : int, default=15
        Number of bins.
    strategy : {"uniform", "quantile", "isotonic"}, default="uniform"
        Bins of equal width ("uniform") or of equal mass ("quantile"), as in `expected_calibration_error`, or the
        isotonic fit ("isotonic").

    Returns
    -------
    BrierParts
        Named tuple of `reliability`, `resolution`, `uncertainty` and `residue`.

    {raises}

    See Also
    --------
    confidence_brier_loss : The loss.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import brier_decomposition
    >>> parts = brier_decomposition([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6])
    >>> round(parts.reliability, 4), round(parts.resolution, 4), parts.uncertainty
    (0.105, 0.1875, 0.1875)
    """

    result = BrierParts

    n_bins: int = 15
    strategy: str = "uniform"

    def __post_init__(self) -> None:
        check_whole(self.n_bins, "n_bins")
        check_option(self.strategy, "strategy", (*STRATEGIES, "isotonic"))

    def value(self, profile: ConfidenceProfile) -> BrierParts:
        if self.strategy == "uniform":  # without a sort: the bin of a sample depends on no other sample
            weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
            right, bins = profile.correctness.astype(np.float64), bins_of_confidence(profile, self.n_bins)
            return _in_bins(profile.confidence, right, weight, bins.codes)
        points = levels(profile)
        if self.strategy == "isotonic":
            return _by_isotonic_fit(points)
        return _in_bins(points.confidence, points.accuracy, points.weight, equal_mass_bin(points.weight, self.n_bins))


def _in_bins(sure: Floats, right: Floats, weight: Floats, bins: Codes) -> BrierParts:
    share = weight / weight.sum()
    overall = float(share @ right)
    mass = np.bincount(bins, weights=share)
    mean, accuracy = (divide(np.bincount(bins, weights=share * of), mass, 0.0) for of in (sure, right))
    return BrierParts(
        float(mass @ (mean - accuracy) ** 2),
        float(mass @ (accuracy - overall) ** 2),
        overall * (1 - overall),
        float(share @ (sure * (sure - 2 * right)) - mass @ (mean * (mean - 2 * accuracy))),
    )


def _by_isotonic_fit(points: Levels) -> BrierParts:
    sure, right, fitted = points.confidence, points.accuracy, points.isotonic_accuracy
    share = points.weight / points.weight.sum()
    overall = float(share @ right)
    # Within a level, z varies about the accuracy. This part is the same in every loss, and cancels.
    improved = share @ ((sure - right) ** 2 - (fitted - right) ** 2)
    return BrierParts(float(improved), float(share @ (fitted - overall) ** 2), overall * (1 - overall), 0.0)


brier_decomposition = BrierDecomposition.function
