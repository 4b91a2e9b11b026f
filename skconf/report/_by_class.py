"""The report with a row for each class."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.estimators import takes_no_estimator
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile, as_profile
from skconf.report._frame import ConfidenceReport

_BY_CLASS = ("cw_precision", "cw_recall", "cw_f1", "cprecision", "crecall", "cf1")


@takes_no_estimator()
def confidence_report_by_class(
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: Any = "warn",
) -> ConfidenceReport:
    """Report the confidence in each class, as scikit-learn's ``classification_report`` does counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or ConfidenceProfile
        True labels; or a profile, which holds all predictions.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities in the order of `labels`; in a binary task a single column is the probability of `pos_label`.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted labels, if they are not the first maximum of the probabilities.
    labels : array-like of shape (n_classes,), default=None
        Labels of the columns. None stands for the sorted labels of `y_true`, if there are as many.
    pos_label : label, default=None
        The class of a single column of probabilities. None stands for the second label.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights: a sample of weight 2 counts as two.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value of 0/0. "warn" means 0 with a warning.

    Returns
    -------
    ConfidenceReport
        A DataFrame with the classes as index and the columns

        - ``cw_precision``, ``cw_recall``, ``cw_f1`` : of the predicted classes, weighted by confidence;
        - ``cprecision``, ``crecall``, ``cf1`` : of the probability given to the class, predicted or not;
        - ``ece`` : expected calibration error of that probability, lower is better;
        - ``support`` : number of samples of the class, or their weight.

        All but the last are in [0, 1]; for the first six, higher is better.

    Raises
    ------
    ValueError
        If the predictions are invalid, as for every metric, or a profile has no classes.
    TypeError
        If predictions are missing, or given together with a profile that holds them.

    See Also
    --------
    confidence_report : A row for each metric.

    Examples
    --------
    >>> from skconf import confidence_report_by_class
    >>> y_true = ["cat", "dog", "fox", "dog"]
    >>> y_proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]
    >>> confidence_report_by_class(y_true, y_proba)
    class cw_precision cw_recall  cw_f1 cprecision crecall    cf1    ece support
    cat         0.5385    1.0000 0.7000     0.4375  0.7000 0.5385 0.3000       1
    dog         1.0000    0.5714 0.7273     0.7059  0.6000 0.6486 0.3250       2
    fox         1.0000    1.0000 1.0000     0.7143  0.5000 0.5882 0.1750       1
    """
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("A report", y_true, y_proba, **given)
    frame = pd.DataFrame(index=pd.Index(profile.require("classes"), name="class"))
    for stem in _BY_CLASS:
        frame[stem] = get_metric(f"{stem}_score", average=None, zero_division=zero_division)(profile)
    frame["ece"] = [_one_against_the_rest(profile, position) for position in range(len(frame))]
    frame["support"] = np.bincount(profile.require("true_class"), profile.given_weight, len(frame))
    return ConfidenceReport(frame)


def _one_against_the_rest(profile: ConfidenceProfile, position: int) -> float:
    """Return the calibration error of the probability of one class."""
    # The check of the input tolerates rounding errors above 1 or below 0.
    sure = np.clip(profile.proba[:, position].astype(np.float64), 0.0, 1.0)
    present = profile.require("true_class") == position
    found = ConfidenceProfile.from_correctness(present, sure, sample_weight=profile.sample_weight)
    return float(get_metric("expected_calibration_error")(found))
