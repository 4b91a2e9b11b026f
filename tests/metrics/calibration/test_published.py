"""Calibration metrics against the authors' own numbers, on outputs of real systems."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from skconf import ConfidenceProfile, metrics

SYSTEMS = ("agnews_gpt2", "cifar10_resnet-20", "fvcaus_plda", "pathmnist_resnet50", "sst2_gpt2")


@pytest.fixture(scope="module")
def published():
    return json.loads((Path(__file__).parents[2] / "reference" / "model_outputs_reference.json").read_text())


@pytest.fixture(params=SYSTEMS)
def known(request, system, published):
    y, proba = system(request.param)
    profile = ConfidenceProfile.from_predictions(y, proba, labels=np.arange(proba.shape[1]))
    return request.param, profile, published[request.param]


def test_published_errors_of_confidence(known):
    _, profile, reference = known
    assert metrics.expected_calibration_error(profile) == pytest.approx(reference["tcal_l1ece_15"], abs=1e-9)
    squared = metrics.expected_calibration_error(profile, norm="l2") ** 2
    if profile.confidence.max() < 1:  # T-Cal's code gives 1 a bin of its own
        assert squared == pytest.approx(reference["tcal_plugin_l2sq_15"], abs=1e-9)
    # This code adds up in single precision: with all gaps of one sign the error is that of the means, exactly.
    ten = metrics.expected_calibration_error(profile, n_bins=10)
    assert ten == pytest.approx(reference["ecuas_conf_ece10"], abs=2e-4 if len(profile) > 50_000 else 2e-5)
    assert metrics.calibration_distance_error(profile) == pytest.approx(reference["mcaldist_isotonic"], abs=1e-9)
    assert metrics.confidence_roc_auc_score(profile) == pytest.approx(reference["auroc_correct"], abs=1e-9)
    brier = 2 * metrics.confidence_brier_loss(profile, normalize=True)
    assert brier == pytest.approx(reference["ecuas_conf_norm_brier"], abs=1e-6)


def test_published_normalised_log_loss(known):
    name, profile, reference = known
    if name == "pathmnist_resnet50":
        pytest.skip("its confidences of 1 in single precision make the value one of that code's ε")
    value = metrics.confidence_log_loss(profile, normalize=True)
    assert value == pytest.approx(reference["ecuas_conf_norm_ce"], abs=1e-6)


def test_published_smooth_errors(known):
    """Relplot counts mass at 1 by half, which shows where more than half of the confidences are above .99."""
    _, profile, reference = known
    saturated = np.mean(profile.confidence > 0.99) > 0.5
    for key, params in {
        "smece": {},
        "smece_sigma_0.05": {"bandwidth": 0.05},
        "smece_sigma_0.1": {"bandwidth": 0.1},
    }.items():
        value = metrics.smooth_calibration_error(profile, **params)
        if saturated:
            assert value < reference[key] - 2e-3
        else:
            assert value == pytest.approx(reference[key], abs=2e-3)


def test_published_entropic_differences(known):
    _, profile, reference = known
    difference = metrics.entropic_calibration_difference
    assert difference(profile, eps=1e-300) == pytest.approx(reference["ecd_multiclass_noclip"], abs=1e-9)
    eps = np.finfo(np.float64).eps
    for at, key in ((eps, "ecd_conf_clip_eps64"), (1e-7, "ecd_conf_clip_1e-7")):
        assert difference(profile, on="confidence", eps=at) == pytest.approx(reference[key], abs=1e-8)


def test_published_entropic_tests(known):
    """Quantiles of 5,000 simulations each: they differ by at most four of their standard errors."""
    _, profile, reference = known
    for on, key, deviation in (
        ("confidence", "ecd_conf_test", "ecd_conf_null_sd_clip1e-7"),
        ("classes", "ecd_multiclass_test", "ecd_multiclass_null_sd"),
    ):
        normal = metrics.ecd_test(profile, on=on, eps=1e-7, method="normal")
        assert normal.high == pytest.approx(1.959964 * reference[deviation], rel=1e-5)
        if key not in reference:
            continue
        result = metrics.ecd_test(profile, on=on, eps=1e-7)
        error = 4 * math.sqrt(2) * 0.04 * reference[deviation]
        assert result.low == pytest.approx(reference[key]["lo"], abs=error)
        assert result.high == pytest.approx(reference[key]["hi"], abs=error)
        assert result.outcome == normal.outcome == reference[key]["outcome"]


def test_published_test_based_errors(known):
    name, profile, reference = known
    n = len(profile)
    for key, params in {
        "pavabc_default": {},
        "pavabc_paper": {"n_min": n // 20, "n_max": n // 5},
        "quantile10": {"strategy": "quantile"},
    }.items():
        value = metrics.tce_error(profile, **params)
        # The authors cut bins through the ties that fvcaus has: one prediction of 114,072.
        tolerance = 1.01 * 100 / n if (name, key) == ("fvcaus_plda", "quantile10") else 1e-9
        assert value == pytest.approx(reference["tce"][key]["tce"], abs=tolerance)


@pytest.mark.filterwarnings("ignore:t_cal_test cannot return a p-value")
def test_published_t_cal(known):
    _, profile, reference = known
    result = metrics.t_cal_test(profile, n_resamples=1000)
    assert len(result.n_bins) == reference["tcal_B"]
    np.testing.assert_allclose(result.statistics, reference["tcal_dpe_levels"], atol=1e-9)
    assert result.rejected == reference["tcal_adaptive_reject_mc1000_seed0"]
    single = metrics.t_cal_test(profile, n_bins=15, n_resamples=10)
    assert single.statistics[0] == pytest.approx(reference["tcal_dpe_15"], abs=1e-9)
