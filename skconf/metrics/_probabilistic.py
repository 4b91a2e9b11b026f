"""cPrecision, cRecall and cF: metrics of classes with probabilities instead of counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._base.averages import ClassAverage, ConfusionMatrix, FBetaOf, FScoreOf, PrecisionOf, RecallOf
from skconf.metrics._base.columns import given_to_truth
from skconf.metrics._base.kinds import Cells, Term
from skconf.metrics._base.references import CF1
from skconf.profile import ConfidenceProfile


class _ProbabilityMasses(ClassAverage):
    """For each class: sums of p over its own samples, of p over all samples, and of 1 − p over its own samples."""

    def masses(self, profile: ConfidenceProfile, positive: int | None) -> tuple[Term, Term, Term]:
        true_class = profile.require("true_class")
        if positive is not None:
            given, present = profile.proba[:, positive, np.newaxis], (true_class == positive)[:, np.newaxis]
            return Term(given * present), Term(given), Term((1.0 - given.astype(np.float64)) * present)
        n_classes = profile.proba.shape[1]
        to_truth, classes = given_to_truth(profile), Cells(true_class, n_classes)
        hit, missed = Term(to_truth, classes), Term(1.0 - to_truth, classes)
        # The probabilities of a sample, summed over all classes, give its weight.
        given_away = Term(1.0, classes) if self.average == "micro" else Term(profile.proba)
        return hit, given_away, missed

    def combine(self, hit: NDArray[Any], given: NDArray[Any], missed: NDArray[Any]) -> Any:
        return super().combine(hit, given - hit, missed)  # quotients add the hits again, so no digits are lost


class CPrecisionScore(
    _ProbabilityMasses,
    PrecisionOf,
    name="cprecision_score",
    reference=f"{CF1}, Section 3",
    scorers="cprecision",
):
    """Confidence precision (cPrecision): how much of the total probability of a class goes to samples of this class.

    The cPrecision of class j is Σ_{y = j} w p_j / Σ w p_j, with p_j the probability of class j and y the true class.
    Unlike precision, it also has a value for a class that is never predicted. It is 0/0 only if the probability of the
    class is always 0. With average="micro" it is the mean probability of the true class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    crecall_score : The share of a class that is found.
    cw_precision_score : Precision of the predicted classes, weighted by confidence.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cprecision_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cprecision_score(y_true, y_proba, average=None).round(3)
    array([0.5  , 0.667, 0.6  ])
    >>> round(cprecision_score(y_true, y_proba, average="macro"), 3)
    0.589
    """

    empty_class = "a class whose probabilities are all 0"


cprecision_score = CPrecisionScore.function


class CRecallScore(
    _ProbabilityMasses,
    RecallOf,
    name="crecall_score",
    reference=f"{CF1}, Section 3",
    scorers="crecall",
):
    """Confidence recall (cRecall): the mean probability of a class over its own samples.

    The cRecall of class j is Σ_{y = j} w p_j / Σ_{y = j} w, with p_j the probability of class j and y the true class.
    With average="micro" or "weighted" it is the mean probability of the true class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cprecision_score : How much of the total probability of a class goes to samples of this class.
    cw_recall_score : Recall of the predicted classes, weighted by confidence.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import crecall_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> crecall_score(y_true, y_proba, average=None).round(3)
    array([0.7, 0.7, 0.3])
    >>> round(crecall_score(y_true, y_proba, average="macro"), 3)
    0.567
    """


crecall_score = CRecallScore.function


class CF1Score(
    _ProbabilityMasses,
    FScoreOf,
    name="cf1_score",
    reference=f"{CF1}, Section 3",
    scorers="cf1",
):
    """Confidence F1 (cF1): F1 computed from the probability given to each class, not from counts.

    The cF1 of class j is 2 Σ_{y = j} w p_j / (Σ w p_j + Σ_{y = j} w), with p_j the probability of class j and y the
    true class. It is the harmonic mean of cPrecision and cRecall, which are Σ_{y = j} w p_j / Σ w p_j and Σ_{y = j} w
    p_j / Σ_{y = j} w. Unlike F1, it can be above 0 for a class that is never predicted. With average="macro" it is the
    mean of the cF1 of all classes, not the harmonic mean of the macro averages of cPrecision and cRecall. With
    average="micro" it is the mean probability of the true class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cfbeta_score : F-beta, in which recall counts more or less than precision.
    cw_f1_score : F1 of the predicted classes, weighted by confidence.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cf1_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cf1_score(y_true, y_proba, average=None).round(3)
    array([0.583, 0.683, 0.4  ])
    >>> round(cf1_score(y_true, y_proba, average="macro"), 3)
    0.555
    """


cf1_score = CF1Score.function


class CFBetaScore(
    _ProbabilityMasses,
    FBetaOf,
    name="cfbeta_score",
    reference=f"{CF1}, Section 3",
    scorers="cfbeta",
):
    """Confidence F-beta (cF_β): F-beta computed from the probability given to each class, not from counts.

    cF_β = (1 + β²) cP cR / (β² cP + cR), with cP the cPrecision and cR the cRecall of the class.

    {predictions}
    {averages}
    beta : float, default=1.0
        Recall counts `beta` times as much as precision. If `beta` is 0, the value is cPrecision; if it is infinity, the
        value is cRecall.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cf1_score : The same with β = 1.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cfbeta_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cfbeta_score(y_true, y_proba, beta=2, average=None).round(3)
    array([0.648, 0.693, 0.333])
    """


cfbeta_score = CFBetaScore.function


class ProbabilisticConfusionMatrix(
    ConfusionMatrix,
    name="probabilistic_confusion_matrix",
    bounds=(0.0, np.inf),
    best=None,
    reference=f"{CF1}, Section 3",
):
    """Probabilistic confusion matrix (pCM): the probability of each class, summed over the samples of each true class.

    Entry (j, k) is Σ w p_k over the samples with true class j, with p_k the probability of class k. A row adds up to
    the weight of the samples of its class, as in an ordinary confusion matrix. If all probabilities are 0 or 1, it is
    the ordinary confusion matrix.

    {predictions}
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each entry by the sum of its row ("true"), of its column ("pred") or of all entries ("all"). An empty row
        or column stays zero.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        True classes are in rows, and the classes of the probabilities in columns, in the order of `labels`.

    {raises}

    See Also
    --------
    cw_confusion_matrix : Sums of the confidence in the predicted class only.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import probabilistic_confusion_matrix
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> probabilistic_confusion_matrix(y_true, y_proba)
    array([[0.7, 0.2, 0.1],
           [0.5, 1.4, 0.1],
           [0.2, 0.5, 0.3]])
    """

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        true = profile.require("true_class")
        return (Term(profile.proba, Cells(true, profile.proba.shape[1])),)


probabilistic_confusion_matrix = ProbabilisticConfusionMatrix.function
