"""Verdicts: whether confidence is too high or too low by more than chance."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._base.kinds import Additive, Term
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile


class _Bias(Additive):
    """Mean confidence less accuracy, in standard deviations that this has for a calibrated classifier."""

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure = profile.confidence
        return Term(sure - profile.correct), Term(sure * (1 - sure), power=2)

    def combine(self, *sums: NDArray[Any]) -> Any:
        gap, variance = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            return gap / np.sqrt(variance)  # infinite where nothing was in doubt, and yet wrong


#: Metrics that there is a verdict on, and what counts their standard deviations from calibration, upwards.
SIGMAS = {"mean_confidence": _Bias(), "calibrated_size_ratio": get_metric("calibrated_size_ratio_zscore")}


def verdicts_on(name: str, profiles: Iterable[ConfidenceProfile]) -> list[str]:
    """Return what a metric says of the confidence of each profile: "" where it says nothing."""
    metric = SIGMAS.get(name)
    return ["" if metric is None else in_words(float(metric.value(profile))) for profile in profiles]


def in_words(sigmas: float) -> str:
    """Return the verdict on confidence that is so many standard deviations too high."""
    size = abs(sigmas)
    if np.isnan(size):
        return ""
    if size <= 1:
        return "calibrated within 1σ"
    count = "∞" if np.isinf(size) else f"{size:,.1f}" if size < 100 else f"{size:,.0f}"
    return f"{'over' if sigmas > 0 else 'under'}confident{'?' if size <= 3 else ','} {count}σ"
