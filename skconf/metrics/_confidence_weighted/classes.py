"""Confidence-weighted precision, recall and similar metrics: a value for each class, and averages."""

from typing import Any

from numpy.typing import NDArray

from skconf.metrics._base.averages import ClassAverage, FBetaOf, FScoreOf, JaccardOf, PrecisionOf, RecallOf, others
from skconf.metrics._base.kinds import Term
from skconf.metrics._base.references import CSR
from skconf.metrics._confidence_weighted.confusion import OfOutcomes
from skconf.profile import ConfidenceProfile


class OutcomeMasses(OfOutcomes, ClassAverage):
    """Sums of confidence on hits, false alarms and misses of each class."""

    def masses(self, profile: ConfidenceProfile, positive: int | None) -> tuple[Term, Term, Term]:
        return self.outcomes(profile, positive)


class CWPrecision(
    OutcomeMasses,
    PrecisionOf,
    name="cw_precision_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_precision",
):
    """Confidence-weighted precision: the share of predictions of a class that are right, counted by confidence.

    The value is cwTP / (cwTP + cwFP); these sums are defined in :func:`cw_multilabel_confusion_matrix`. It is
    scikit-learn's precision with weights w c, where c is the confidence of the predicted class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_recall_score : The share of the samples of a class whose prediction is right.
    cprecision_score : Precision from the probabilities of all classes, predicted or not.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_precision_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_precision_score(y_true, y_proba, average=None, zero_division=0).round(3)
    array([1.   , 0.737, 0.   ])
    """


cw_precision_score = CWPrecision.function


class CWRecall(
    OutcomeMasses,
    RecallOf,
    name="cw_recall_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_recall",
):
    """Confidence-weighted recall: the share of samples of a class whose prediction is right, counted by confidence.

    The value is cwTP / (cwTP + cwFN); these sums are defined in :func:`cw_multilabel_confusion_matrix`. It is
    scikit-learn's recall with weights w c, where c is the confidence of the predicted class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_specificity_score : The same for the samples of the other classes.
    cw_balanced_accuracy_score : Its mean over the classes that are present.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_recall_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_recall_score(y_true, y_proba, average=None)
    array([1., 1., 0.])
    """


cw_recall_score = CWRecall.function


class CWSpecificity(
    OutcomeMasses,
    name="cw_specificity_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_specificity",
):
    """Confidence-weighted specificity: of the samples outside a class, the share that is not predicted as this class.

    The value is cwTN / (cwTN + cwFP); these sums are defined in :func:`cw_multilabel_confusion_matrix`. If all other
    classes are merged into one, the value is scikit-learn's recall of this merged class with weights w c, where c is
    the confidence of the predicted class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_recall_score : The same for the samples of the class itself.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_specificity_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_specificity_score(y_true, y_proba, average=None).round(3)
    array([1.   , 0.583, 1.   ])
    """

    empty_class = "a class that is the only one present"

    def quotient(
        self, hit: NDArray[Any], false_alarm: NDArray[Any], missed: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        negatives = others(hit + missed)
        return negatives - false_alarm, negatives


cw_specificity_score = CWSpecificity.function


class CWF1(
    OutcomeMasses,
    FScoreOf,
    name="cw_f1_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_f1",
):
    """Confidence-weighted F1: the harmonic mean of confidence-weighted precision and recall.

    The value is 2 cwTP / (2 cwTP + cwFP + cwFN); these sums are defined in :func:`cw_multilabel_confusion_matrix`. It
    is scikit-learn's F1 with weights w c, where c is the confidence of the predicted class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_fbeta_score : Recall weighted against precision.
    cf1_score : F1 from the probabilities of all classes, predicted or not.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_f1_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_f1_score(y_true, y_proba, average="macro", zero_division=0)
    0.616...
    """


cw_f1_score = CWF1.function


class CWFBeta(
    OutcomeMasses,
    FBetaOf,
    name="cw_fbeta_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_fbeta",
):
    """Confidence-weighted F-beta: recall counts β times as much as precision.

    The value is (1 + β²) cwTP / ((1 + β²) cwTP + cwFP + β² cwFN); these sums are defined in
    :func:`cw_multilabel_confusion_matrix`. It is scikit-learn's F-beta with weights w c, where c is the confidence of
    the predicted class.

    {predictions}
    {averages}
    beta : float, default=1.0
        β: recall counts β times as much as precision. With 0, the value is the precision; with infinity, it is the
        recall.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_f1_score : The same with β = 1.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_fbeta_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_fbeta_score(y_true, y_proba, beta=2, average="macro", zero_division=0)
    0.644...
    """


cw_fbeta_score = CWFBeta.function


class CWJaccard(
    OutcomeMasses,
    JaccardOf,
    name="cw_jaccard_score",
    reference=f"{CSR}, Definition 5 and Proposition 12",
    scorers="cw_jaccard",
):
    """Confidence-weighted Jaccard index: confidence on hits, divided by confidence on hits, false alarms and misses.

    The value is cwTP / (cwTP + cwFP + cwFN); these sums are defined in :func:`cw_multilabel_confusion_matrix`. It is
    scikit-learn's Jaccard score with weights w c, where c is the confidence of the predicted class.

    {predictions}
    {averages}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

    See Also
    --------
    cw_f1_score : A monotone function of it, for one class.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_jaccard_score
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.5, 0.3], [0.4, 0.6, 0.0]]
    >>> cw_jaccard_score(y_true, y_proba, average=None, zero_division=0).round(3)
    array([1.   , 0.737, 0.   ])
    """


cw_jaccard_score = CWJaccard.function
