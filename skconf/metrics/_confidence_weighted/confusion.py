"""Confusion matrices of confidence, and the sums for metrics of predicted classes."""

from collections.abc import Sequence
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.metrics._base.averages import ConfusionMatrix, MatrixOfSums, others
from skconf.metrics._base.columns import sure_and_right, sure_and_wrong
from skconf.metrics._base.kinds import Additive, Cells, Term
from skconf.metrics._base.references import CSR
from skconf.profile import ConfidenceProfile


class OfOutcomes(Additive):
    """A metric of the hits, false alarms and misses of each class, each weighted by its confidence."""

    def outcomes(self, profile: ConfidenceProfile, positive: int | None = None) -> tuple[Term, Term, Term]:
        """Return the sums of confidence on hits, false alarms and misses of every class: cwTP, cwFP and cwFN."""
        true, predicted = profile.require("true_class"), profile.require("predicted_class")
        n_classes = len(profile.require("classes"))
        if positive not in (None, n_classes - 1) or (positive is not None and n_classes > 2):
            return outcomes_of(true, predicted, n_classes, profile.confidence, positive)
        return _terms(sure_and_right(profile), sure_and_wrong(profile), true, predicted, n_classes)


def outcomes_of(
    true: Codes, predicted: Codes, n_classes: int, count: Floats | float, positive: int | None = None
) -> tuple[Term, Term, Term]:
    """Return the sums of hits, false alarms and misses of every class.

    Each is a direct sum, not a difference of sums. So no digits are lost, and a sum without samples is exactly zero.
    `count` is how much each prediction counts, before it is multiplied by its sample weight. If a positive class is
    given, the sums are for two classes: all other classes together, and the positive class.
    """
    if positive is not None:
        true, predicted, n_classes = (true == positive).astype(np.intp), (predicted == positive).astype(np.intp), 2
    right = true == predicted
    return _terms(count * right, count * ~right, true, predicted, n_classes)


def _terms(
    right: NDArray[Any], wrong: NDArray[Any], true: Codes, predicted: Codes, n_classes: int
) -> tuple[Term, Term, Term]:
    of_truth = Cells(true, n_classes)
    return Term(right, of_truth), Term(wrong, Cells(predicted, n_classes)), Term(wrong, of_truth)


class CWConfusionMatrix(
    ConfusionMatrix,
    name="cw_confusion_matrix",
    bounds=(0.0, np.inf),
    best=None,
    reference=f"{CSR}, Definition 5",
):
    """Confidence-weighted confusion matrix: sums of confidence for each pair of true and predicted class.

    Entry (j, k) is Σ w c over the samples with true class j and predicted class k, where c is the confidence of the
    predicted class. It is scikit-learn's confusion matrix with weights w c.

    {predictions}
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each entry by the sum of its row ("true"), of its column ("pred") or of all entries ("all"). An empty row
        or column stays zero.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        True classes are in rows and predicted classes in columns, in the order of `labels`.

    {raises}

    See Also
    --------
    cw_multilabel_confusion_matrix : The sums of confidence for each class against the rest.
    probabilistic_confusion_matrix : The same from the probabilities of all classes.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_confusion_matrix
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_confusion_matrix(y_true, y_proba)
    array([[0.7, 0. , 0. ],
           [0. , 1.4, 0. ],
           [0. , 0.5, 0. ]])
    """

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        true, predicted = profile.require("true_class"), profile.require("predicted_class")
        n_classes = len(profile.require("classes"))
        return (Term(profile.confidence, Cells(true * n_classes + predicted, n_classes**2)),)

    def combine(self, flat: NDArray[Any]) -> Any:
        n_classes = isqrt(flat.shape[-1])
        return super().combine(flat.reshape(*flat.shape[:-1], n_classes, n_classes))


cw_confusion_matrix = CWConfusionMatrix.function


class CWMultilabelConfusionMatrix(
    MatrixOfSums,
    OfOutcomes,
    name="cw_multilabel_confusion_matrix",
    bounds=(0.0, np.inf),
    best=None,
    reference=f"{CSR}, Definition 5",
):
    """Confidence-weighted confusion matrix of each class against the rest: cwTN, cwFP, cwFN and cwTP.

    Let c be the confidence of the predicted class. For class k, cwTP is Σ w c over the samples with true class k and
    predicted class k. cwFN is the sum over the other samples with true class k. cwFP is the sum over the samples of
    other classes with predicted class k. cwTN is the sum over the rest. The four sums add up to Σ w c over all samples.
    The matrix is scikit-learn's multilabel confusion matrix with weights w c.

    {predictions}

    Returns
    -------
    ndarray of shape (n_classes, 2, 2)
        The matrix [[cwTN, cwFP], [cwFN, cwTP]] of each class, in the order of `labels`.

    {raises}

    See Also
    --------
    cw_confusion_matrix : The sums of confidence for all pairs of classes.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_multilabel_confusion_matrix
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_multilabel_confusion_matrix(y_true, y_proba)[1]  # "dog"
    array([[0.7, 0.5],
           [0. , 1.4]])
    """

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        return self.outcomes(profile)

    def combine(self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]) -> Any:
        correct_rest = np.maximum(others(hit + missed) - false_alarm, 0.0)
        return np.stack(
            [np.stack([correct_rest, false_alarm], axis=-1), np.stack([missed, hit], axis=-1)],
            axis=-2,
        )


cw_multilabel_confusion_matrix = CWMultilabelConfusionMatrix.function
