"""Verdicts of a report on the confidences of each model."""

from collections.abc import Iterable, Sequence

from skconf.inference._assessment import assess
from skconf.profile import ConfidenceProfile

#: Rows about confidences that are too high or too low: the first one in a report shows the verdict.
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
    """Return the row that shows the verdict; None if there is no such row."""
    shown = set(names)
    return next((name for name in _JUDGED if name in shown), None)


def verdicts_on(names: Sequence[str], profiles: Iterable[ConfidenceProfile]) -> list[list[str]]:
    """Return the verdicts on each model in memory by row: one row shows them, the others are empty."""
    judged, profiles = judged_row(names), list(profiles)
    return [[assess(profile).text if name == judged else "" for profile in profiles] for name in names]
