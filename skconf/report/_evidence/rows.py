"""Rows of a report: the metric behind each name."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.registry import Info, get_metric, metric_classes
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic, is_pair, read_statistic, read_statistics

#: The metric of a row.
Row = Statistic

USUAL = (
    "accuracy_score",
    "mean_confidence",
    "calibrated_size_ratio",
    "calibrated_size_ratio_std",
    "overconfidence_risk",
    "expected_calibration_error",
    "confidence_brier_loss",
    "confidence_log_loss",
    "cw_accuracy_score",
    "confidence_gain",
    "cf1_score",
    "aurc_loss",
    "ecuas_loss",
)
AT_THRESHOLD = ("threshold", "coverage_score", "selective_accuracy_score", "cwsa_score", "cwsa_plus_score")
#: Rows about confidences that are too high or too low. The first of these names that a report has shows the verdict.
JUDGED = (
    "mean_confidence",
    "confidence_gap",
    "calibrated_size_ratio",
    "calibrated_size_ratio_zscore",
    "overconfidence_risk",
    "smooth_calibration_error",
    "expected_calibration_error",
)


#: Rows about how well the confidence separates right and wrong answers, and not about how many are right.
OF_THE_CONFIDENCE = frozenset(
    {
        "confidence_roc_auc_score",
        "confidence_brier_loss",
        "confidence_log_loss",
        "expected_calibration_error",
        "adaptive_calibration_error",
        "maximum_calibration_error",
        "smooth_calibration_error",
    }
)


class _Threshold(Whole, rests_on="samples"):
    is_estimate = False  # the user chose it
    takes = "costs"
    info = Info("threshold", None, (0.0, np.inf), None, "")

    def value(self, profile: ConfidenceProfile) -> float:
        return float(get_metric("coverage_score").threshold_for(profile))


def is_chosen(metrics: Any) -> bool:
    """Return whether the user chose metrics by name, instead of the usual ones (None) or "all"."""
    return metrics is not None and not isinstance(metrics, str)


def rows_of(metrics: Any, has_threshold: bool, own_costs: Mapping[str, Any] | None = None) -> list[Row]:
    """Return the rows of a report.

    `metrics` names the requested metrics. None means the usual metrics, and "all" adds every other metric that is a
    number with a best value. With `has_threshold`, the metrics of a threshold are among the usual ones. If models
    decide by costs, `own_costs` has these costs; metrics that take costs and are not named are computed with them.

    Raise a TypeError if `metrics` is a single name, or if an entry does not name a metric whose result is a single
    number. Raise a ValueError if there is no such metric, or none is requested.
    """
    if isinstance(metrics, str) and metrics != "all":
        raise TypeError(f"metrics must be a list of names, 'all' or None, not the string {metrics!r}.")
    if metrics is None or isinstance(metrics, str):
        names = [*USUAL, *(("reject_cost_loss",) if own_costs else ()), *(AT_THRESHOLD if has_threshold else ())]
        if metrics is not None:  # all numbers that are good or bad
            known = sorted(metric_classes().items())
            names += [name for name, cls in known if cls.result is float and cls.info.best is not None]
        rows = [_read(_of_all_classes(name)) for name in dict.fromkeys(names)]
        return [_charging(row, own_costs) for row in rows] if own_costs else rows
    if isinstance(metrics, Iterable) and not isinstance(metrics, Mapping) and not is_pair(metrics):
        metrics = {row.name: row for row in map(_read, metrics)}  # a repeated metric is one row
    statistics, _ = read_statistics(metrics, {}, "metrics")
    return [replace(row, name=str(label)) for label, row in statistics.items()]


def _read(item: Any) -> Row:
    return Row("threshold", _Threshold()) if isinstance(item, str) and item == "threshold" else read_statistic(item)


def _charging(row: Row, costs: Mapping[str, Any]) -> Row:
    """Return a row with its metric computed at these costs; the same row if the metric takes no costs."""
    charged = {name: cost for name, cost in costs.items() if hasattr(row.metric, name)}
    return replace(row, metric=get_metric(row.metric.info.name, **charged)) if charged else row


def _of_all_classes(name: str) -> Any:
    """Return a metric with its macro average if its function is about the positive class by default; else its name."""
    cls = metric_classes().get(name)
    of_one = cls is not None and any(field.name == "average" and field.default == "binary" for field in fields(cls))
    return (name, {"average": "macro"}) if of_one else name
