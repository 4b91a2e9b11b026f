"""The confidence-weighted ROC curve and the area under it, of one class against the rest."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf._core.checks import check_option
from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats, row_blocks
from skconf._core.warn import Notice
from skconf.metrics._base.averages import mean_of_defined
from skconf.metrics._base.kinds import Whole, divide
from skconf.metrics._base.references import CSR
from skconf.metrics._base.registry import Preset
from skconf.metrics._confidence_weighted.confusion import others
from skconf.profile import ConfidenceProfile

#: Columns of a probability matrix copied together: a row of them fills one line of the processor's cache.
_MOST_COLUMNS = 16


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

    {raises} Of more than two classes, `pos_label` says whose curve it is.

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

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:  # noqa: ARG002
        """Return the notices of axes that are undefined."""
        return [
            _undefined(f"{self.info.name} is undefined on one axis: there is no confidence on any {side} sample.")
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
        ranked = by_score(_column(profile, positive)[counted], present[counted], weight[counted])
        thresholds, above, below = (part[::-1] for part in ranked)
        true, false = above.cumsum(), below.cumsum()
        if self.drop_intermediate:
            turns = above[1:] * below[:-1] != above[:-1] * below[1:]
            kept = np.append(turns, np.ones(min(len(above), 1), dtype=bool))
            true, false, thresholds = true[kept], false[kept], thresholds[kept]
        return ROCCurve(_share(false), _share(true), np.append(np.inf, thresholds))


cw_roc_curve = CWROCCurve.function


class CWROCAUC(
    Whole,
    name="cw_roc_auc_score",
    reference=f"{CSR}, Section 3.2 and Proposition 15",
    scorers={"cw_roc_auc": Preset(), "cw_roc_auc_weighted": Preset({"average": "weighted"})},
):
    """Area under the confidence-weighted ROC curve (cwAUC), of each class against the rest.

    cwAUC of class k = Σ w_i c_i w_j c_j [p_ik > p_jk] / Σ w_i c_i w_j c_j over all pairs of a sample i of class k and a
    sample j of another class, a tie counting 1/2, with c the confidence of the predicted class: the chance that a
    sample of the class is ranked above one that is not, where confident predictions are drawn more often. It is
    scikit-learn's area with weights w c. That it exceeds the unweighted area says that pairs are ranked better where
    both predictions are confident.

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
    why_resampled = ""

    result_by_class = float | Floats  # a binary task has one value

    average: str | None = "macro"

    def __post_init__(self) -> None:
        check_option(self.average, "average", ("macro", "weighted", None))

    def notices(self, profile: ConfidenceProfile, value: Any) -> list[Notice]:
        """Return the notice that the value is undefined, or that some classes have none."""
        classes = profile.require("classes")
        support = np.bincount(profile.require("true_class"), _confidence_weight(profile), len(classes))
        return self.notices_of_support(support, classes, value)

    def notices_of_support(self, support: NDArray[Any], classes: NDArray[Any], value: Any) -> list[Notice]:
        """Return the notice that the value is undefined, or that some classes have no weight, or all of it."""
        absent = (support == 0) | (others(support) == 0)
        scalar_is_nan = absent.all() and self.average is not None  # of which there is a notice
        if absent.any() and not scalar_is_nan and len(absent) != 2:
            left_out = "NaN for" if self.average is None else "an average without"
            names = shorten(classes[absent].tolist())
            text = f"{self.info.name} is {left_out} the classes {names}: there is no confidence on samples of them."
            return [_undefined(text)]
        return self.undefined_notices(value)

    def value(self, profile: ConfidenceProfile) -> NDArray[Any]:
        """Return the value, NaN where it is undefined."""
        return self.of_areas(*self._areas(profile))

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample on the value: its squares add up to the variance."""
        areas, support = self._areas(profile)
        if self.average is None and len(areas) > 1:
            raise TypeError(f"{self.info.name} has no influence values with average=None: choose an average.")
        true_class, weight = profile.require("true_class"), _confidence_weight(profile)
        share = ~np.isnan(areas) * (support if self.average == "weighted" else 1.0)
        share /= share.sum()
        effect = np.zeros(len(profile))
        for position in np.flatnonzero(share):
            code = profile.require("positive_class") if len(areas) == 1 else int(position)
            of_class = area_influence(_column(profile, code), true_class == code, weight)
            effect += share[position] * of_class
        if self.average == "weighted" and len(areas) > 1:  # a sample adds to the support of its class
            gain = np.where(np.isnan(areas), 0.0, areas - self.of_areas(areas, support)) / support[share > 0].sum()
            effect += weight * gain[true_class]
        return effect

    def _areas(self, profile: ConfidenceProfile) -> tuple[Floats, Floats]:
        return profile.once("confidence-weighted areas", self._by_class)

    def of_areas(self, areas: Floats, support: Floats) -> NDArray[Any]:
        """Return the value from the area and the weight of each class, or of the positive class alone."""
        if len(areas) == 1:
            return np.asarray(areas[0])
        if self.average is None:
            return areas
        return mean_of_defined(areas, support if self.average == "weighted" else np.ones_like(areas))

    def _by_class(self, profile: ConfidenceProfile) -> tuple[Floats, Floats]:
        """Return the area and the weight of each class; of the positive one alone in a binary task."""
        true_class, weight = profile.require("true_class"), _confidence_weight(profile)
        classes = [profile.require("positive_class")] if profile.n_classes == 2 else range(profile.proba.shape[1])
        areas, support = np.empty(len(classes)), np.empty(len(classes))
        step = max(1, min(_MOST_COLUMNS, len(classes) // 16))
        for start in range(0, len(classes), step):
            chosen = classes[start : start + step]
            # Columns are far apart in memory: a few at a time are copied, each into one piece.
            for position, code, column in zip(
                range(start, len(classes)), chosen, _columns(profile, chosen), strict=False
            ):
                areas[position], support[position] = area(column, true_class == code, weight)
        return areas, support


cw_roc_auc_score = CWROCAUC.function


def area(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Return the area under the ROC curve, NaN where there are not both kinds of sample; and the positives' weight.

    Parameters
    ----------
    score : ndarray of shape (n_samples,)
        Probability of the class.
    present : ndarray of shape (n_samples,), bool
        Whether the sample is of the class.
    weight : ndarray of shape (n_samples,)
        Weights; a pair has the product of two.

    Returns
    -------
    area, support : float
    """
    support = float(weight[present].sum())
    if support == 0:
        return np.nan, 0.0
    if 8 * np.count_nonzero(present) > len(score):
        _, above, below = by_score(score, present, weight)
        beaten = below.cumsum()
        won, rest = (above * (beaten - below / 2)).sum(), beaten[-1]  # no dot product: it would start threads
    else:
        won, rest = _won_by_few(score, present, weight)
    share = divide(won / support, rest, np.nan)
    return float(np.clip(share, 0.0, 1.0)), support  # which rounding may exceed


def area_influence(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
    """Return the effect of each sample on the area: how it fares against the other kind, less what is usual."""
    levels, above, below = by_score(score, present, weight)
    support, rest = above.sum(), below.sum()
    beaten = (below.cumsum() - below / 2) / rest
    lost_to = (support - above.cumsum() + above / 2) / support
    found = (above * beaten).sum() / support
    at = np.searchsorted(levels, score)
    return weight * np.where(present, (beaten[at] - found) / support, (lost_to[at] - found) / rest)


def _won_by_few(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Return the weight of the pairs that positives win, and that of all negatives, where positives are rare."""
    order, ordered = ascending(score)
    below = np.append(0.0, np.where(present, 0.0, weight)[order].cumsum())
    mine = np.flatnonzero(present[order])
    first = np.searchsorted(ordered, ordered[mine], side="left")
    last = np.searchsorted(ordered, ordered[mine], side="right")
    # A positive beats the negatives at lower scores, and half of those at its own.
    won = (weight[order[mine]] * (below[first] + below[last])).sum() / 2
    return float(won), float(below[-1])


def by_score(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the distinct scores in ascending order, and the weight of positives and of negatives at each."""
    order, ordered = ascending(score)
    below = weight[order]
    above = below * present[order]
    below -= above
    first = ordered[1:] != ordered[:-1]
    if not first.all():
        starts = np.flatnonzero(np.append(True, first))
        ordered, above, below = ordered[starts], np.add.reduceat(above, starts), np.add.reduceat(below, starts)
    return ordered, above, below


def ascending(score: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Return the order that sorts probabilities, and the sorted ones.

    The bits of a float that is not negative are ordered as it is, and 16 of them at a time are sorted in linear time.
    Of a float64 the first 32 are, and what the others would have decided is put right afterwards.
    """
    if len(score) < 2 or not (score.min() >= 0 and score.max() < 2):
        order = np.argsort(score)
        return order, score[order]
    if score.dtype == np.float64:  # below 2 the first two bits are zero; adding 0 makes −0 a 0
        bits = ((score + 0.0).view(np.uint64) >> np.uint64(30)).astype(np.uint32)
    else:
        bits = (score.astype(np.float32, copy=False) + np.float32(0)).view(np.uint32)
    order = np.argsort(bits.astype(np.uint16), kind="stable")
    order = order[np.argsort((bits >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    ordered = score[order]
    if (ordered[1:] < ordered[:-1]).any():
        alike = bits[order][1:] == bits[order][:-1]
        unsure = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        repair = unsure[np.argsort(ordered[unsure])]
        order[unsure], ordered[unsure] = order[repair], ordered[repair]
    return order, ordered


def _confidence_weight(profile: ConfidenceProfile) -> Floats:
    sure, weight = profile.confidence, profile.sample_weight
    return sure if weight is None else sure * weight


def _column(profile: ConfidenceProfile, code: int) -> NDArray[Any]:
    """Return the probabilities of one class."""
    given = profile.given_proba
    if given is not None and given.ndim == 1 and code == profile.positive_class:
        return given
    return np.ascontiguousarray(profile.proba[:, code])


def _columns(profile: ConfidenceProfile, codes: Sequence[int]) -> Sequence[NDArray[Any]]:
    """Return the probabilities of some neighbouring classes, each in one piece of memory."""
    if len(codes) == 1:
        return [_column(profile, codes[0])]
    out = np.empty((len(codes), len(profile)), dtype=profile.proba.dtype)
    for rows in row_blocks(len(profile), profile.proba.shape[1]):
        out[:, rows] = profile.proba[rows, codes[0] : codes[-1] + 1].T
    return list(out)


def _share(weight: Floats) -> Floats:
    """Return a running sum from zero as a share of its last value."""
    running = np.append(0.0, weight)
    return divide(running, running[-1], np.nan)


def _undefined(message: str) -> Notice:
    return Notice(message, UndefinedMetricWarning)
