"""The confidence-weighted ROC curve and the area under it, of one class against the rest."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_option
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.areas import area, area_influence, by_score
from skconf.metrics._base.kinds import Whole, divide
from skconf.metrics._base.one_vs_rest import RankedByClass, column_of
from skconf.metrics._base.references import CSR
from skconf.metrics._base.registry import Preset
from skconf.profile import ConfidenceProfile


class ROCCurve(NamedTuple):
    """A receiver operating characteristic curve.

    Attributes
    ----------
    fpr : ndarray of shape (n_thresholds,)
        Share of the negatives' weight at or above each threshold, rising from 0 to 1.
    tpr : ndarray of shape (n_thresholds,)
        Share of the positives' weight at or above each threshold, rising from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Distinct probabilities of the positive class, falling from infinity, where nothing is accepted.
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    def __repr__(self) -> str:
        return short_repr(self)


class CWROCCurve(
    Whole,
    name="cw_roc_curve",
    best=None,
    reference=f"{CSR}, Proposition 15",
):
    """Confidence-weighted ROC curve (cwROC) of one class against the rest.

    cwTPR(τ) = Σ w c over the samples of class k with p_k ≥ τ / Σ w c over all samples of class k, and cwFPR(τ) the
    same of the samples of other classes, with c the confidence of the predicted class, which need not be k. It is
    scikit-learn's curve with weights w c. Samples of equal p_k enter together.

    {predictions}
    drop_intermediate : bool, default=True
        Leave out points on a straight line between others: the curve and its area stay the same.

    Returns
    -------
    ROCCurve
        A named tuple (fpr, tpr, thresholds) of arrays. `fpr` or `tpr` is NaN, with a warning, where there is no
        confidence on the negatives or on the positives.

    {raises} With more than two classes, `pos_label` names the class of the curve.

    See Also
    --------
    cw_roc_auc_score : The area under it.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_roc_curve
    >>> fpr, tpr, thresholds = cw_roc_curve(["a", "b", "b", "a"], [0.1, 0.9, 0.5, 0.6])
    >>> fpr
    array([0. , 0. , 0.4, 0.4, 1. ])
    >>> tpr.round(2)
    array([0.  , 0.64, 0.64, 1.  , 1.  ])
    >>> thresholds
    array([inf, 0.9, 0.6, 0.5, 0.1])
    """

    result = ROCCurve

    drop_intermediate: bool = True

    def __post_init__(self) -> None:
        check_option(self.drop_intermediate, "drop_intermediate", (False, True))

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:
        """Return the notices of axes that are undefined."""
        return [
            Notice(
                f"{self.info.name} is undefined on one axis: there is no confidence on any {side} sample.",
                UndefinedMetricWarning,
            )
            for axis, side in ((value.tpr, "positive"), (value.fpr, "negative"))
            if np.isnan(axis[0])
        ]

    def value(self, profile: ConfidenceProfile) -> ROCCurve:
        """Return the curve."""
        positive = profile.positive_class
        if positive is None and profile.classes is not None:
            raise ValueError(f"There are {profile.n_classes} classes: pass pos_label, the class whose curve it is.")
        positive = profile.require("positive_class")
        weight, present = _confidence_weight(profile), profile.require("true_class") == positive
        counted = weight > 0  # a sample without weight is no threshold
        ranked = by_score(column_of(profile, positive)[counted], present[counted], weight[counted])
        thresholds, above, below = (part[::-1] for part in ranked)
        true, false = above.cumsum(), below.cumsum()
        if self.drop_intermediate:
            turns = above[1:] * below[:-1] != above[:-1] * below[1:]
            kept = np.append(turns, np.ones(min(len(above), 1), dtype=bool))
            true, false, thresholds = true[kept], false[kept], thresholds[kept]
        return ROCCurve(_share(false), _share(true), np.append(np.inf, thresholds))


cw_roc_curve = CWROCCurve.function


class CWROCAUC(
    RankedByClass,
    name="cw_roc_auc_score",
    aliases=("cwauc", "cw_auc"),
    reference=f"{CSR}, Section 3.2 and Proposition 15",
    scorers={"cw_roc_auc": Preset(), "cw_roc_auc_weighted": Preset({"average": "weighted"})},
):
    """Confidence-weighted AUC (cwAUC): how well a class is ranked before the rest, if confident answers count more.

    cwAUC of class k = Σ w_i c_i w_j c_j [p_ik > p_jk] / Σ w_i c_i w_j c_j over all pairs of a sample i of class k and a
    sample j of another class, a tie counting 1/2, with c the confidence of the predicted class: the chance that a
    sample of the class is ranked above one that is not, where confident predictions are drawn more often. It is
    scikit-learn's area with weights w c. If it exceeds the unweighted area, pairs are ranked better where both
    predictions are confident.

    {predictions}
    average : {"macro", "weighted"} or None, default="macro"
        "macro" reports the mean over classes; "weighted" the mean weighted by Σ w c of each class; None returns an
        array with the value of each class. A binary task has one value, whatever the average.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts} A class that `y_true` lacks, or consists of, has no value: it is NaN in the array and left out of
        averages, and a warning names it. NaN, with a warning, where no class has a value.

    {raises}

    See Also
    --------
    cw_roc_curve : The curve of one class.
    confidence_weighted : The same of any function that takes weights.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_roc_auc_score
    >>> round(cw_roc_auc_score(["a", "b", "b", "a"], [0.1, 0.9, 0.5, 0.6]), 3)
    0.857
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.5, 0.4, 0.1]]
    >>> cw_roc_auc_score(y_true, y_proba, average=None).round(3)
    array([1.  , 0.84, 1.  ])
    """

    undefined = "no class has confidence both on samples of it and on others"
    weighted_by = "confidence"
    lacking = "confidence on samples of them"
    result_by_class = float | Floats  # a binary task has one value

    def __post_init__(self) -> None:
        check_option(self.average, "average", ("macro", "weighted", None))

    def weight(self, profile: ConfidenceProfile) -> Floats:
        return _confidence_weight(profile)

    def of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
        return area(score, present, weight)

    def influence_on_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
        return area_influence(score, present, weight)


cw_roc_auc_score = CWROCAUC.function


def _confidence_weight(profile: ConfidenceProfile) -> Floats:
    sure, weight = profile.confidence, profile.sample_weight
    return sure if weight is None else sure * weight


def _share(weight: Floats) -> Floats:
    """Return a running sum from zero as a share of its last value."""
    running = np.append(0.0, weight)
    return divide(running, running[-1], np.nan)
