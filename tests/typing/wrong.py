"""Calls that a type checker must refuse: strict mypy reports a `type: ignore` that nothing needs."""

from skconf import ConfidenceProfile, metrics
from skconf.inference import confidence_interval
from skconf.metrics import cw_accuracy_score, expected_calibration_error


def of_profile(profile: ConfidenceProfile) -> None:
    # Parameters that there are not, or that are given by position.
    expected_calibration_error(profile, n_binz=3)  # type: ignore[call-arg]
    expected_calibration_error([0, 1], [0.2, 0.9], 3)  # type: ignore[call-arg]
    cw_accuracy_score(profile, threshold=0.5)  # type: ignore[call-arg]
    cw_accuracy_score()  # type: ignore[call-arg]
    metrics.cf1_score(profile, avarage="macro")  # type: ignore[call-overload]
    metrics.cw_acuracy_score(profile)  # type: ignore[attr-defined]
    # Values of another type.
    expected_calibration_error(profile, n_bins="many")  # type: ignore[arg-type]
    metrics.coverage_score(profile, threshold=[0.5])  # type: ignore[arg-type]
    metrics.cf1_score(profile, average=1)  # type: ignore[call-overload]
    cw_accuracy_score(profile, sample_weight=object())  # type: ignore[arg-type]
    # Results that are something else.
    cw_accuracy_score(profile).shape  # type: ignore[attr-defined]
    metrics.cf1_score(profile, average=None).is_integer()  # type: ignore[attr-defined]
    metrics.t_cal_test(profile).pvalue  # type: ignore[attr-defined]
    confidence_interval("cw_accuracy", profile).loc["cw_accuracy"]  # type: ignore[attr-defined]
    confidence_interval(3, profile)  # type: ignore[call-overload]
    confidence_interval("cw_accuracy", profile, confidence_level="high")  # type: ignore[call-overload]
