"""A confidence level is checked alike wherever it is given."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import skconf
from skconf import ConfidenceProfile, MetricAccumulator, inference, inspection
from skconf._core.checks import check_confidence_level
from skconf._core.messages import on_command_line

RNG = np.random.default_rng(0)
P = RNG.random(200)
Y = (RNG.random(200) < P).astype(int)
PROFILE = ConfidenceProfile.from_predictions(Y, P)


def accumulated(confidence_level):
    accumulator = MetricAccumulator(["neg_confidence_brier"], labels=[0, 1])
    accumulator.update(Y, P)
    return accumulator.confidence_interval(confidence_level=confidence_level)


CALLS = {
    "tune_threshold": lambda level: skconf.tune_threshold(PROFILE, target=0.3, confidence_level=level),
    "promises": lambda level: skconf.tune_threshold(PROFILE, target={"risk": 0.3}, confidence_level=level),
    "tuned": lambda level: skconf.TunedSelectiveClassifierCV(
        LogisticRegression(), target=0.4, confidence_level=level, random_state=0
    ).fit(P[:, None], Y),
    "required_samples": lambda level: skconf.required_samples(0.05, level),
    "monitor": lambda level: skconf.RiskMonitor(0.05, level),
    "confidence_interval": lambda level: inference.confidence_interval("neg_ecuas", PROFILE, confidence_level=level),
    "compare": lambda level: inference.compare("confidence_brier_loss", Y, {"a": P, "b": P**2}, confidence_level=level),
    "by_group": lambda level: inference.by_group("confidence_brier_loss", PROFILE, groups=Y, confidence_level=level),
    "shift_test": lambda level: inference.shift_test(PROFILE, PROFILE, confidence_level=level),
    "report": lambda level: skconf.confidence_report(Y, P, metrics=["cw_accuracy"], confidence_level=level),
    "accumulator": accumulated,
    "reliability": lambda level: inspection.ReliabilityDisplay.from_profile(PROFILE, confidence_level=level),
    "risk_coverage": lambda level: inspection.RiskCoverageDisplay.from_profile(PROFILE, confidence_level=level),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_error_probability_is_refused_and_the_level_is_named(call):
    with pytest.raises(ValueError, match=r"confidence_level .*0\.05.* Did you mean confidence_level=0\.95\?"):
        call(0.05)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 1 - 1e-12, np.float32(0.9)])
def test_a_level_is_at_least_a_half(level):
    check_confidence_level(level)


@pytest.mark.parametrize(
    ("level", "error", "message"),
    [
        (0.1, ValueError, r"Did you mean confidence_level=0\.9\?"),
        (95, ValueError, r"must lie in \[0\.5, 1\), but is 95\..*Did you mean confidence_level=0\.95\?"),
        (0, ValueError, r"but is 0\..*The usual value is 0\.95"),
        (1.0, ValueError, r"but is 1\.0\..*The usual value is 0\.95"),
        (-0.2, ValueError, r"The usual value is 0\.95"),
        (float("nan"), ValueError, "must lie in"),
        ("95%", TypeError, "must be a number"),
        (True, TypeError, "must be a number"),
    ],
)
def test_what_is_no_level_is_refused(level, error, message):
    with pytest.raises(error, match=message):
        check_confidence_level(level)


def test_a_command_names_its_option():
    with (
        on_command_line(),
        pytest.raises(ValueError, match=r"^--confidence-level must.* mean --confidence-level 0\.95\?"),
    ):
        check_confidence_level(0.05)
