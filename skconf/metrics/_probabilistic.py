"""cPrecision, cRecall and cF: counts replaced by the probability given to each class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._averages import ClassAverage
from skconf.metrics._kinds import Term
from skconf.metrics._references import CF1
from skconf.profile import ConfidenceProfile


class _SoftMasses(ClassAverage):
    """Masses of the probabilistic confusion matrix."""

    def masses(self, profile: ConfidenceProfile, positive: int | None) -> tuple[Term, Term, Term, Term]:
        true_class = profile.require("true_class")
        if positive is not None:
            column, present = profile.proba[:, positive], true_class == positive
            return Term(column * present), Term(column), Term(present), Term(1.0)
        n_classes = profile.proba.shape[1]
        given_to_truth = profile.proba[np.arange(len(profile)), true_class]
        by_class = {"cell": true_class, "n_cells": n_classes}
        return Term(given_to_truth, **by_class), Term(profile.proba), Term(1.0, **by_class), Term(1.0)


class CF1Score(
    _SoftMasses,
    name="cf1_score",
    reference=f"{CF1}, Section 3",
    scorers="cf1",
):
    """Confidence F1 (cF1): F1 computed from the probability given to each class, not from counts.

    cF1 of class j = 2 Σ_{y = j} w p_j / (Σ w p_j + Σ_{y = j} w), the harmonic mean of cPrecision
    Σ_{y = j} w p_j / Σ w p_j and cRecall Σ_{y = j} w p_j / Σ_{y = j} w. A class that is never the most probable one
    still has a value.

    {predictions}
    average : {"binary", "macro", "micro", "weighted"} or None, default="binary"
        "binary" reports the positive class of a binary task; "macro" the mean over classes; "weighted" the mean
        weighted by support; "micro" counts over all classes (the mean probability of the true class); None returns
        an array with the value of each class.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value for a class without any mass. "warn" stands for 0 with a warning; NaN is left out of averages.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        {facts}

    {raises}

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

    def quotient(
        self,
        hit: NDArray[Any],
        predicted: NDArray[Any],
        support: NDArray[Any],
        total: NDArray[Any],  # noqa: ARG002
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        return 2 * hit, predicted + support


cf1_score = CF1Score.function
