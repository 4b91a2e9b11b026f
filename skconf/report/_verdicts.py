"""Verdicts: what a report says of the confidences of each model."""

from collections.abc import Iterable, Sequence

from skconf.inference._assessment import assess
from skconf.profile import ConfidenceProfile

#: Rows about whether confidences are too high or too low: the verdict stands in the first one that a report has.
_JUDGED = (
    "mean_confidence",
    "confidence_gap",
    "calibrated_size_ratio",
    "calibrated_size_ratio_zscore",
    "overconfidence_risk",
    "smooth_calibration_error",
    "expected_calibration_error",
)


def judged_row(names: Iterable[str]) -> str | None:
    """Return the row that the verdict stands in; None where no row is about it."""
    there = set(names)
    return next((name for name in _JUDGED if name in there), None)


def verdicts_on(names: Sequence[str], profiles: Iterable[ConfidenceProfile]) -> list[list[str]]:
    """Return what each row says of each model in memory: one of them the verdict, and the others nothing."""
    judged, profiles = judged_row(names), list(profiles)
    return [[assess(profile).text if name == judged else "" for profile in profiles] for name in names]
