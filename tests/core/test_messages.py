"""Texts that error messages and results share."""

import numpy as np
import pytest

from skconf import ConfidenceProfile, metrics
from skconf._core.messages import beside, counted
from skconf.inference import compare, confidence_interval, shift_test

PROFILE = ConfidenceProfile.from_predictions(np.arange(2000) % 2, np.random.default_rng(0).random(2000), labels=[0, 1])
RESULTS = {
    "risk-coverage curve": lambda: metrics.risk_coverage_curve(PROFILE),
    "ROC curve": lambda: metrics.cw_roc_curve(PROFILE),
    "CWSA curve": lambda: metrics.cwsa_curve(PROFILE),
    "T-Cal": lambda: metrics.t_cal_test(PROFILE, n_resamples=99, alpha=0.2, n_bins=2),
    "ECD": lambda: metrics.ecd_test(PROFILE, n_resamples=99),
    "Spiegelhalter": lambda: metrics.spiegelhalter_test(PROFILE),
    "Brier": lambda: metrics.brier_decomposition(PROFILE),
    "interval": lambda: confidence_interval("cw_accuracy", PROFILE),
    "comparison": lambda: compare("cw_accuracy", {"a": PROFILE, "b": PROFILE}),
    "shift": lambda: shift_test(PROFILE.confidence[:500], PROFILE.confidence[500:], threshold=0.8),
    "profile": lambda: PROFILE,
}


@pytest.mark.parametrize(
    ("number", "other", "text"),
    [(0.0481, 0.05, "0.048"), (0.2504, 0.25, "0.2504"), (0.2496, 0.25, "0.2496"), (0.25, 0.25, "0.25")],
)
def test_a_number_shows_on_which_side_of_another_it_lies(number, other, text):
    assert beside(number, other, 2) == text


def test_what_is_counted_is_one_or_many():
    assert [counted(n, "error") for n in (0, 1, 1234)] == ["0 errors", "1 error", "1,234 errors"]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_in_few_lines_and_without_arrays(name):
    text = repr(RESULTS[name]())
    assert len(text.splitlines()) <= 4
    assert len(text) < 400
    assert "array([" not in text
    assert not any(len(word.rstrip(",)").partition("=")[2]) > 30 for word in text.split())
