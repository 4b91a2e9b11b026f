"""The confidence-weighted ROC curve and the area under it, of one class against the rest."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_option
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf._core.warn import Notice
from skconf.metrics._base.areas import area, area_influence, area_of_ranking, by_score
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
        Share of the negative samples, by weight, whose probability is at or above each threshold. It rises from 0 to 1.
    tpr : ndarray of shape (n_thresholds,)
        Share of the positive samples, by weight, whose probability is at or above each threshold. It rises from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Distinct probabilities of the positive class, descending. The first entry is infinity, which no probability
        reaches.
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

    Let p_k be the probability of class k, and c the confidence of the predicted class, which may be another class.
    cwTPR(τ) is Σ w c over the samples of class k with p_k ≥ τ, divided by Σ w c over all samples of class k. cwFPR(τ)
    is the same quotient for the samples of all other classes. The curve is scikit-learn's ROC curve with weights w c.
    Samples with equal p_k make one step of the curve.

    {predictions}
    drop_intermediate : bool, default=True
        Leave out points on a straight line between other points. The curve and its area stay the same.

    Returns
    -------
    ROCCurve
        A named tuple (fpr, tpr, thresholds) of arrays. If no negative sample has a confidence above 0, `fpr` is NaN,
        with a warning. If no positive sample has a confidence above 0, `tpr` is NaN, with a warning.

    {raises} If there are more than two classes, and `pos_label` does not give the class of the curve.

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
        """Return a notice for each axis that is undefined."""
        return [
            Notice(
                f"{self.info.name} is undefined on one axis, because no {side} sample has a confidence above 0.",
                UndefinedMetricWarning,
            )
            for axis, side in ((value.tpr, "positive"), (value.fpr, "negative"))
            if np.isnan(axis[0])
        ]

    def value(self, profile: ConfidenceProfile) -> ROCCurve:
        """Return the curve."""
        positive = profile.positive_class
        if positive is None and profile.classes is not None:
            raise ValueError(
                f"There are {profile.n_classes} classes, but an ROC curve is for one class against the rest. Pass one "
                "class as pos_label."
            )
        positive = profile.require("positive_class")
        weight, present = _confidence_weight(profile), profile.require("true_class") == positive
        counted = weight > 0  # the score of a sample without weight is no threshold
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
    """Confidence-weighted AUC (cwAUC): how well a class is ranked above the rest, with confident answers counted more.

    The cwAUC of class k is Σ w_i c_i w_j c_j [p_ik > p_jk] / Σ w_i c_i w_j c_j, over all pairs of a sample i of class k
    and a sample j of another class. Here p_ik is the probability of class k for sample i, and c the confidence of the
    predicted class; a tie counts 1/2. The cwAUC is the probability that a sample of the class is ranked above a sample
    of another class, if each sample is drawn with a probability proportional to w c. It is scikit-learn's area under
    the ROC curve with weights w c. If it is above the area with the weights w alone, pairs of confident predictions are
    ranked better than other pairs.

    {predictions}
    average : {"macro", "weighted"} or None, default="macro"
        "macro" returns the mean over classes, and "weighted" the mean weighted by Σ w c of each class. None returns an
        array with the value of each class. In a binary task, there is a single value, whatever `average` is.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts} A class has a value only if a sample of the class and a sample of another class have a confidence above
        0. With average=None, the entry of a class without a value is NaN. Averages leave the class out. A warning names
        the class. If no class has a value, the result is NaN, with a warning.

    {raises}

    See Also
    --------
    cw_roc_curve : The curve of one class.
    confidence_weighted : The same weights for any function that takes sample weights.

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

    undefined = "fewer than two classes have a sample with a confidence above 0"
    weighted_by = "confidence"
    lacking = (
        "a class has a value only if a sample of the class and a sample of another class have a confidence above 0"
    )
    result_by_class = float | Floats  # a binary task has one value

    def __post_init__(self) -> None:
        check_option(self.average, "average", ("macro", "weighted", None))

    def weight(self, profile: ConfidenceProfile) -> Floats:
        return _confidence_weight(profile)

    def of_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
        return area(score, present, weight)

    def of_ranking(self, ranking: Ranking) -> tuple[Any, Any]:
        return area_of_ranking(ranking)

    def influence_on_class(self, score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
        return area_influence(score, present, weight)


cw_roc_auc_score = CWROCAUC.function


def _confidence_weight(profile: ConfidenceProfile) -> Floats:
    sure, weight = profile.confidence, profile.sample_weight
    return sure if weight is None else sure * weight


def _share(weight: Floats) -> Floats:
    """Return cumulative weights, with a 0 before them, as shares of the last one."""
    running = np.append(0.0, weight)
    return divide(running, running[-1], np.nan)
