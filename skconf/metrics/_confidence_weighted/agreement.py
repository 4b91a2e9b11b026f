"""Confidence-weighted balanced accuracy, Matthews correlation and kappa: one number for all classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_option
from skconf._core.probabilities import Floats
from skconf.metrics._base.averages import mean_of_defined, others
from skconf.metrics._base.kinds import Additive, Cells, Term, divide
from skconf.metrics._base.references import CSR
from skconf.metrics._confidence_weighted.confusion import OfOutcomes
from skconf.profile import ConfidenceProfile


class CWBalancedAccuracy(
    OfOutcomes,
    name="cw_balanced_accuracy_score",
    rests_on="classes",
    bounds=(-1.0, 1.0),
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_balanced_accuracy",
):
    """Confidence-weighted balanced accuracy: the mean of confidence-weighted recall over the classes present.

    The recall of a class is cwTP / (cwTP + cwFN); these sums are defined in :func:`cw_multilabel_confusion_matrix`. A
    class is left out if `y_true` has no sample of it, or if all its samples have confidence 0. The value is
    scikit-learn's balanced accuracy with weights w c, where c is the confidence of the predicted class.

    {predictions}
    adjusted : bool, default=False
        Rescale the value: it is then 0 for a model that always predicts the same class, and 1 for a perfect model.

    Returns
    -------
    float
        {facts} Only an adjusted value can be negative. NaN, with a warning, if all confidences are zero. An adjusted
        value is also NaN if only one class has samples with a confidence above 0.

    {raises}

    See Also
    --------
    cw_recall_score : The recall of each class.
    cw_accuracy_score : Every sample counts by its confidence, whatever its class.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_balanced_accuracy_score
    >>> y_true = ["a", "b", "b", "a"]
    >>> cw_balanced_accuracy_score(y_true, [0.1, 0.9, 0.8, 0.6])
    0.8
    >>> round(cw_balanced_accuracy_score(y_true, [0.1, 0.9, 0.8, 0.6], adjusted=True), 3)
    0.6
    """

    undefined = "all confidences are zero, or adjusted=True and only one class has samples with a confidence above 0"

    adjusted: bool = False

    def __post_init__(self) -> None:
        check_option(self.adjusted, "adjusted", (False, True))

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much the recall of each class adds to the mean."""
        return np.ones(len(profile.require("classes")))

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        hit, _, missed = self.outcomes(profile)
        return hit, missed

    def combine(self, hit: NDArray[Any], missed: NDArray[Any]) -> Any:
        recall = divide(hit, hit + missed, np.nan)
        score = mean_of_defined(recall, np.ones_like(recall))
        if not self.adjusted:
            return score
        n_present = (~np.isnan(recall)).sum(axis=-1)
        chance = divide(1.0, n_present, np.nan)
        return divide(score - chance, 1 - chance, np.nan)


cw_balanced_accuracy_score = CWBalancedAccuracy.function


def _variance_of_classes(profile: ConfidenceProfile) -> Floats:
    """Return the variance of membership in each class. With two classes, both have the same variance."""
    share = np.bincount(profile.require("true_class"), profile.given_weight, len(profile.require("classes")))
    share = share / share.sum()
    return np.asarray(share * others(share))


class CWMatthewsCorrcoef(
    OfOutcomes,
    name="cw_matthews_corrcoef",
    rests_on="classes",
    aliases=("cw_mcc",),
    bounds=(-1.0, 1.0),
    greater_is_better=True,
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_matthews_corrcoef",
):
    """Confidence-weighted Matthews correlation coefficient (MCC) of true and predicted classes.

    The value is Σ_k (cwTP cwTN − cwFP cwFN) / sqrt((s² − Σ_k t_k²)(s² − Σ_k p_k²)), with s = Σ w c, t_k = cwTP + cwFN
    and p_k = cwTP + cwFP. The sums of each class k are defined in :func:`cw_multilabel_confusion_matrix`. The value is
    0 if all samples have the same true class or the same predicted class. It is scikit-learn's coefficient with weights
    w c, where c is the confidence of the predicted class.

    {predictions}

    Returns
    -------
    float
        {facts} NaN, with a warning, if all confidences are zero.

    {raises}

    See Also
    --------
    cw_cohen_kappa_score : Agreement beyond chance.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_matthews_corrcoef
    >>> round(cw_matthews_corrcoef(["a", "b", "b", "a"], [0.1, 0.9, 0.8, 0.6]), 3)
    0.666
    """

    undefined = "all confidences are zero"

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much each class adds to the value."""
        return _variance_of_classes(profile)

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        return self.outcomes(profile)

    def combine(self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]) -> Any:
        total = (hit + missed).sum(axis=-1)[..., np.newaxis]
        hit, false_alarm, missed = (divide(part, total, np.nan) for part in (hit, false_alarm, missed))
        true, predicted = hit + missed, hit + false_alarm
        # Both factors below are sums of products: s² less a sum of squares would lose the digits of a rare class.
        covariance = (hit * (others(true) - false_alarm) - false_alarm * missed).sum(axis=-1)
        variances = (true * others(true)).sum(axis=-1) * (predicted * others(predicted)).sum(axis=-1)
        constant = variances == 0
        return divide(covariance, np.sqrt(np.where(constant, 1.0, variances)), np.nan) * ~constant


cw_matthews_corrcoef = CWMatthewsCorrcoef.function


class CWCohenKappa(
    Additive,
    name="cw_cohen_kappa_score",
    rests_on="classes",
    bounds=(-1.0, 1.0),
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_cohen_kappa",
):
    """Confidence-weighted Cohen's kappa: agreement of true and predicted classes beyond chance.

    κ = 1 − Σ w c d(y, ŷ) / (Σ_jk t_j p_k d(j, k) / s). Here c is the confidence of the predicted class ŷ, t_j the sum
    of w c over samples of true class j, p_k the sum of w c over predictions of class k, s = Σ w c, and d the cost of a
    confusion. It is scikit-learn's kappa with the sample weights w c.

    {predictions}
    weights : {"linear", "quadratic"} or None, default=None
        Cost of a confusion of two classes. With None, every confusion costs 1. With "linear", the cost is the distance
        between the positions of the two classes in `labels`; with "quadratic", it is the square of this distance.

    Returns
    -------
    float
        {facts} NaN, with a warning, if all confidences are zero. Also NaN if a single class is both the true and the
        predicted class of every sample with a confidence above 0.

    {raises}

    See Also
    --------
    cw_matthews_corrcoef : Correlation of true and predicted classes.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_cohen_kappa_score
    >>> round(cw_cohen_kappa_score(["a", "b", "b", "a"], [0.1, 0.9, 0.8, 0.6]), 3)
    0.614
    """

    undefined = (
        "all confidences are zero, or a single class is both the true and the predicted class of every sample with a "
        "confidence above 0"
    )

    weights: str | None = None

    def __post_init__(self) -> None:
        check_option(self.weights, "weights", (None, "linear", "quadratic"))

    def class_shares(self, profile: ConfidenceProfile) -> Floats | None:
        """Return how much each class adds to the value."""
        return _variance_of_classes(profile)

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        true, predicted = profile.require("true_class"), profile.require("predicted_class")
        n_classes, sure = len(profile.require("classes")), profile.confidence
        cost = self._cost(np.abs(true - predicted))
        return Term(sure * cost), Term(sure, Cells(true, n_classes)), Term(sure, Cells(predicted, n_classes))

    def combine(self, observed: NDArray[Any], true: NDArray[Any], predicted: NDArray[Any]) -> Any:
        position = np.arange(true.shape[-1])
        cost = self._cost(np.abs(position[:, np.newaxis] - position)).astype(np.float64)
        by_chance = divide(((true @ cost) * predicted).sum(axis=-1), true.sum(axis=-1), np.nan)
        return 1 - divide(observed, by_chance, np.nan)

    def _cost(self, distance: NDArray[Any]) -> NDArray[Any]:
        """Return the cost of confusing two classes, given the distance of their positions."""
        return {None: np.not_equal(distance, 0), "linear": distance, "quadratic": distance**2}[self.weights]


cw_cohen_kappa_score = CWCohenKappa.function
