"""The contribution of each prediction to a metric."""

from __future__ import annotations

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
    """Return the contribution of each prediction to a metric.

    Use it to find the predictions that cost most. If the metric is a quotient of two sums, such as the size ratio or a
    mean cost (kind "ratio" in the table of metrics), the contributions add up to its value. If the metric is another
    function of sums, or an area under a curve, the contributions are influence values. The influence value of a
    prediction says, to first order, by how much the metric would change if the prediction counted twice. Influence
    values add up to zero, unless the number of samples is part of the formula of the metric.

    Parameters
    ----------
    metric : callable, str, scorer, pair (name, parameters), or list or mapping of them
        As in :func:`confidence_interval`.
    {predictions}
    {predicted}
    {labels}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights. The page of the metric says how they enter the value.
    **params
        Parameters of the metric; allowed only with a single metric.

    Returns
    -------
    Series or DataFrame
        One number for each row. With several metrics, there is a column for each metric. If `y_true` is a Series, the
        result has its index.

    Raises
    ------
    TypeError
        If the metric is neither a function of sums nor an area under a curve, or if its value is not a single number.
    ValueError
        If a metric is unknown, or if predictions are not valid.

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
