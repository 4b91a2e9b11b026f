"""What each prediction adds to a metric."""

from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.checks import takes_no_estimator
from skconf._core.docstrings import documented
from skconf._core.probabilities import Floats
from skconf._core.warn import warn_each
from skconf.profile import ConfidenceProfile, as_profile
from skconf.scoring._names import Statistic, read_statistics


@takes_no_estimator(position=1)
@documented()
def contributions(
    metric: Any,
    y_true: ArrayLike | ConfidenceProfile,
    y_proba: ArrayLike | None = None,
    *,
    y_pred: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> pd.Series | pd.DataFrame:
    """Return what each prediction adds to a metric: which of them cost most.

    Of a quotient of two sums, such as the size ratio or a mean cost, they are shares that add up to the value (kind
    "ratio" in the table of metrics). Of other functions of sums, and of areas under curves, they are influence values:
    how much the value would change, to first order, if the prediction counted twice. These add up to zero for metrics
    that do not depend on the number of samples as such.

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        As in :func:`confidence_interval`.
    {predictions}
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights.
    **params
        Parameters of a single metric.

    Returns
    -------
    Series or DataFrame
        One number for each row, under the index of `y_true` if it is a Series; a column for each of several metrics.

    Raises
    ------
    TypeError
        If the metric is no such function, or its value is not a single number.
    ValueError
        If there is no such metric, or predictions are malformed.

    Examples
    --------
    >>> from skconf.inference import contributions
    >>> y_true, y_proba = ["no", "yes", "no", "yes"], [0.2, 0.9, 0.95, 0.4]
    >>> cost = contributions("calibrated_size_ratio", y_true, y_proba)
    >>> cost.nlargest(2).round(3)
    2    5.000
    3    0.625
    Name: calibrated_size_ratio, dtype: float64
    >>> float(cost.sum().round(3))
    5.625
    """
    statistics, single = read_statistics(metric, params)
    given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    profile = as_profile("contributions()", y_true, y_proba, **given)
    index = y_true.index if isinstance(y_true, pd.Series) else None
    columns = {name: _contributions(statistic, profile) for name, statistic in statistics.items()}
    frame = pd.DataFrame(columns, index=index)
    return frame.iloc[:, 0] if single else frame


def _contributions(statistic: Statistic, profile: ConfidenceProfile) -> Floats:
    warn_each(statistic.evaluate(profile)[1])  # raises where it is not a single number
    return statistic.contributions(profile)
