"""Confidence-weighted accuracy: each prediction counts by its confidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._base.columns import lost, sure_and_right, sure_and_wrong
from skconf.metrics._base.kinds import Additive, Ratio, Term, divide
from skconf.metrics._base.references import CSR
from skconf.profile import ConfidenceProfile


class CWAccuracy(
    Ratio,
    name="cw_accuracy_score",
    rests_on="errors",
    aliases=("cwa",),
    reference=f"{CSR}, Definition 4",
    scorers="cw_accuracy",
):
    """Confidence-weighted accuracy (cwA): the share of the total confidence that is on right predictions.

    cwA = Σ w c z / Σ w c, with z = 1 for a right prediction and 0 for a wrong one, and c its confidence. If all
    confidences are equal, cwA is the accuracy. If right predictions have a higher average confidence than wrong ones,
    cwA is above the accuracy.

    {predictions}

    Returns
    -------
    float
        {facts} NaN, with a warning, if all confidences are zero.

    {raises}

    See Also
    --------
    calibrated_size_ratio : Whether errors are overconfident; read the two together.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cw_accuracy_score
    >>> y_true = ["a", "b", "b", "a"]
    >>> cw_accuracy_score(y_true, [0.1, 0.9, 0.8, 0.6])
    0.8125
    >>> cw_accuracy_score(y_true, [0.4, 0.6, 0.6, 0.6])
    0.75
    """

    undefined = "all confidences are zero"
    takes = "graded"

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        return sure_and_right(profile), profile.confidence


cw_accuracy_score = CWAccuracy.function


class ConfidenceGain(
    Additive,
    name="confidence_gain",
    rests_on="errors",
    bounds=(-1.0, 1.0),
    greater_is_better=True,
    reference=f"{CSR}, Section 3.1",
    scorers="confidence_gain",
):
    """Confidence gain: the share of the error rate that disappears if answers count by their confidence.

    gain = (cwA − Acc) / (1 − min(cwA, Acc)), with cwA the confidence-weighted accuracy and Acc the accuracy. It is 0 if
    cwA and Acc are 1.

    {predictions}

    Returns
    -------
    float
        {facts} If it is below 0, wrong predictions have a higher average confidence than right ones. NaN, with a
        warning, if all confidences are zero.

    {raises}

    See Also
    --------
    cw_accuracy_score : The confidence-weighted accuracy.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import confidence_gain
    >>> round(confidence_gain(["a", "b", "b", "a"], [0.1, 0.9, 0.8, 0.6]), 3)
    0.25
    """

    undefined = "all confidences are zero"

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        # Sums over errors are exactly 0 without errors. Accuracies of 1 may differ from 1 by rounding.
        return Term(sure_and_wrong(profile)), Term(profile.confidence), Term(lost(profile)), Term(1.0)

    def combine(self, sure_wrong: NDArray[Any], sure: NDArray[Any], wrong: NDArray[Any], weight: NDArray[Any]) -> Any:
        weighted, plain = divide(sure_wrong, sure, np.nan), divide(wrong, weight, np.nan)
        larger = np.where(weighted.real <= plain.real, plain, weighted)
        return divide(plain - weighted, larger, 0.0)


confidence_gain = ConfidenceGain.function
