"""Numbers that others published, on the very outputs they published them for."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, metrics
from skconf.datasets import make_confidence_profile

REFERENCE = Path(__file__).parents[1] / "reference"

#: Systems of the ECUAS paper whose outputs are at hand.
SYSTEMS = (
    "sst2_gpt2",
    "fvcaus_plda",
    "cifar100_repvgg_a2",
    "pneumoniamnist_resnet50",
    "pathmnist_resnet50",
    "agnews_gpt2",
    "cifar10_resnet-20",
    "cifar10_vgg19_bn",
)
#: Saturated in float32: many confidences are 1 there and distinct in float64 (definitions of the paper's own code).
SATURATED = {"pneumoniamnist_resnet50", "pathmnist_resnet50"}


def ecuas_row(name):
    table = pd.read_csv(REFERENCE / "ecuas_table3_classifiers.csv").set_index(["system", "scores"])
    return table.loc[(name, "raw")]


@pytest.mark.parametrize("name", SYSTEMS)
def test_ecuas_table_3(system, name):
    y, proba = system(name)
    printed = ecuas_row(name)
    profile = ConfidenceProfile.from_predictions(y, proba, labels=np.arange(proba.shape[1]))
    for n in (1, 128):
        assert metrics.ecuas_loss(profile, n=n, normalize=True) == pytest.approx(printed[f"n_ecuas_{n}"], abs=1e-4)
    error = 1 - metrics.selective_accuracy_score(profile, threshold=0.0)
    naive = 1 - np.bincount(y).max() / len(y)
    assert error / naive == pytest.approx(printed["n_error_rate"], abs=1e-4)
    if name in SATURATED:
        single = proba.astype(np.float32)
        value = metrics.ecuas_loss(y, single, labels=np.arange(proba.shape[1]), n=0, normalize=True)
        assert value == pytest.approx(printed["n_ecuas_0"], rel=0.01)
    else:
        assert metrics.ecuas_loss(profile, n=0, normalize=True) == pytest.approx(printed["n_ecuas_0"], abs=1e-4)
        assert metrics.aurc_loss(profile) == pytest.approx(printed["aurc"], abs=2e-4)


@pytest.mark.parametrize("name", ["agnews_gpt2", "cifar10_resnet-20", "fvcaus_plda", "pathmnist_resnet50", "sst2_gpt2"])
def test_aurc_is_that_of_an_exact_implementation(system, name):
    """`aurc_mean_selective_risk` is the plain mean of R_k, in an order of rows that ties depend on."""
    reference = json.loads((REFERENCE / "model_outputs_reference.json").read_text())[name]
    y, proba = system(name)
    labels = np.arange(proba.shape[1])
    value = metrics.aurc_loss(y, proba, labels=labels)
    order = np.argsort(-proba.max(axis=1), kind="stable")
    tied = len(y) - len(np.unique(proba.max(axis=1)))
    wrong = (proba.argmax(axis=1) != y)[order]
    in_array_order = np.mean(np.cumsum(wrong) / np.arange(1, len(y) + 1))
    assert in_array_order == pytest.approx(reference["aurc_mean_selective_risk"], abs=1e-9)
    assert value == pytest.approx(in_array_order, abs=1e-6 if not tied else 1e-4)


def test_cwsa_authors_sweep(model_outputs):
    """The CWSA authors' predictions and their own numbers, at all their thresholds."""
    rows = pd.read_csv(model_outputs / "cwsa" / "cifar10_predictions.csv")
    sweep = pd.read_csv(model_outputs / "cwsa" / "cifar10_authors_metrics.csv")
    assert len(sweep) == 20
    profile = ConfidenceProfile.from_correctness(rows.y_true == rows.y_pred, rows.confidence)
    for row in sweep.itertuples():
        at = {"threshold": row.Threshold}
        assert metrics.cwsa_score(profile, normalize="all", **at) == pytest.approx(row.CWSA, abs=1e-12)
        # CWSA+ is the sixth column; its header is no Python name.
        assert metrics.cwsa_plus_score(profile, **at) == pytest.approx(row[4], abs=1e-12)
        assert metrics.coverage_score(profile, **at) == pytest.approx(row.Coverage, abs=1e-12)
        assert metrics.selective_accuracy_score(profile, **at) == pytest.approx(row.SelectiveAccuracy, abs=1e-12)


TABLE_5 = list(pd.read_csv(REFERENCE / "csr_table5_perfect_calibration.csv").query("n == 10000").itertuples())
REPETITIONS = 100
#: A positive density at c = 1 makes E[c/(1 − c)] infinite. Where it is large, the printed ratio and its standard
#: deviation are draws of so heavy a tail that they match nothing but orders of magnitude.
HEAVY = {"Uniform", "Skew High", "Bimodal"}
#: Where it is small the standard deviation has a mean to compare, but no variance to compare it by.
RATHER_HEAVY = {"Normal", "Tight Hi"}


@pytest.mark.parametrize("row", TABLE_5, ids=[row.distribution for row in TABLE_5])
def test_perfect_calibration_gives_table_5(row):
    """Means of 100 repetitions lie within four standard errors of the difference of two such means."""
    functions = {
        "accuracy": lambda profile: metrics.selective_accuracy_score(profile, threshold=0.0),
        "cw_accuracy": metrics.cw_accuracy_score,
        "csr": lambda profile: metrics.calibrated_size_ratio(profile, eps=1e-300),
        "csr_std": lambda profile: metrics.calibrated_size_ratio_std(profile, eps=1e-300),
        "risk_probability": lambda profile: metrics.overconfidence_risk(profile, eps=1e-300),
    }
    profiles = [make_confidence_profile(row.distribution, "perfect", row.n, seed) for seed in range(REPETITIONS)]
    for column, function in functions.items():
        if row.distribution in HEAVY and column in ("csr", "csr_std"):
            continue
        if row.distribution in RATHER_HEAVY and column == "csr_std":
            continue
        values = np.array([function(profile) for profile in profiles])
        error = values.std(ddof=1) * np.sqrt(2 / REPETITIONS)
        assert values.mean() == pytest.approx(getattr(row, column), abs=4 * error + 1e-4), column


@pytest.mark.slow
@pytest.mark.parametrize("distribution", sorted(RATHER_HEAVY))
def test_heavy_tailed_standard_deviation_of_table_5_is_one_of_ours(distribution):
    """The printed mean lies in the range of 20 of our means, half as wide again on either side."""
    printed = next(row.csr_std for row in TABLE_5 if row.distribution == distribution)
    rng = np.random.RandomState(0)

    def mean_deviation():
        profiles = (make_confidence_profile(distribution, "perfect", 10_000, rng) for _ in range(REPETITIONS))
        return np.mean([metrics.calibrated_size_ratio_std(profile, eps=1e-300) for profile in profiles])

    means = [mean_deviation() for _ in range(20)]
    margin = (max(means) - min(means)) / 2
    assert min(means) - margin < printed < max(means) + margin
    assert margin < 0.25 * printed  # or the range would hold anything


def test_confidences_are_the_same_for_every_mode():
    first, second = (make_confidence_profile("Bell", mode, 500, 3) for mode in ("perfect", "overconf_half"))
    np.testing.assert_array_equal(first.confidence, second.confidence)
    assert first.correct.mean() > second.correct.mean() + 0.1
