"""Rows of a report: what the name of each stands for."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.messages import suggest
from skconf.metrics._base.kinds import Ratio, Whole
from skconf.metrics._base.registry import Info, Preset, get_metric, metric_classes
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

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


class _Accuracy(Ratio):
    info = Info("accuracy_score", True, (0.0, 1.0), 1.0, "")

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return profile.correct, 1.0


class _MeanConfidence(Ratio):
    info = Info("mean_confidence", None, (0.0, 1.0), None, "")

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return profile.confidence, 1.0


class _Threshold(Whole):
    is_estimate = False  # it was chosen
    info = Info("threshold", None, (0.0, np.inf), None, "")

    def value(self, profile: ConfidenceProfile) -> float:
        return float(get_metric("coverage_score").threshold_for(profile))


class Row(Statistic):
    """A metric, under the name it was asked for by; that of a scorer turns its value into a score."""

    @property
    def best(self) -> float:
        """The best value there is, NaN where there is no better and worse."""
        best = self.metric.info.best
        return np.nan if best is None else float(self.score(best))

    @property
    def better(self) -> str:
        """Where better values are."""
        info = self.metric.info
        if info.greater_is_better or self.to_score is not None:
            return "higher"
        if info.greater_is_better is None:
            return "" if info.best is None else "closer"
        return "lower"


def rows_of(metrics: Iterable[Any] | str | None, has_threshold: bool) -> list[Row]:
    """Return the rows of a report.

    Parameters
    ----------
    metrics : iterable of str or callable, "all" or None
        Names of functions or scorers, or functions; every metric that is a number; or the usual ones.
    has_threshold : bool
        Whether metrics of a threshold are among the usual ones.

    Returns
    -------
    list of Row

    Raises
    ------
    TypeError
        If `metrics` is a single name.
    ValueError
        If there is no such metric or it is not a number, or `metrics` is empty.
    """
    known = _definitions()
    if isinstance(metrics, str) and metrics != "all":
        raise TypeError(f"metrics must be a list of names, 'all' or None, not the string {metrics!r}.")
    if metrics is None or isinstance(metrics, str):
        names = [*USUAL, *(AT_THRESHOLD if has_threshold else ())]
        names += [] if metrics is None else [name for name in sorted(metric_classes()) if name in known]
    else:
        names = [name if isinstance(name, str) else get_metric(name).info.name for name in metrics]
    if not names:
        raise ValueError("metrics is empty; give at least one name.")
    return [_row(name, known) for name in dict.fromkeys(names)]


def _row(name: str, known: Mapping[str, tuple[type[Any], Preset]]) -> Row:
    if name not in known:
        if name in metric_classes():
            raise ValueError(f"{name} is not a number that a row could show; call skconf.metrics.{name}.")
        raise ValueError(
            f"There is no metric or scorer {name!r}.{suggest(name, known)} "
            "See skconf.metrics.__all__ and skconf.get_scorer_names()."
        )
    metric_class, preset = known[name]
    return Row(name, metric_class.with_params(preset.params), preset.transform)


def _definitions() -> dict[str, tuple[type[Any], Preset]]:
    """Return what each name stands for: a metric, its parameters, and what makes a score of it."""
    found: dict[str, tuple[type[Any], Preset]] = {
        cls.info.name: (cls, Preset()) for cls in (_Accuracy, _MeanConfidence, _Threshold)
    }
    for name, cls in metric_classes().items():
        if cls.info.best is not None or name in USUAL:  # the others are matrices, curves and tests
            of_one_class = any(field.name == "average" and field.default == "binary" for field in fields(cls))
            found[name] = cls, Preset({"average": "macro"} if of_one_class else {})
        found.update({scorer: (cls, preset) for scorer, preset in cls.info.scorers.items()})
    return found
