"""Time of intervals and slices, as multiples of what a loop over the metric functions takes.

Run with ``python -m pytest -n 0 tests/benchmarks/bench_inference.py``, with fairlearn installed for the comparison with
it. Found on one core, for a million samples: 1,000 resamples of ten metrics in 1/30 of the time of the loop (14 s), of
the AURC in 1/7; ten metrics in ten groups in 1/2 to 1/3 of the time of the loop, and 1/160 of that of MetricFrame. An
interval from 2,000 draws, with few errors, takes 1/20 to 1/30 of the time of a loop over draws for 200 samples, 1/6 to
1/28 for 2,000 samples, and 1/4 to 1/6 for 20,000 samples.
"""

import warnings

import numpy as np
import pytest

from skconf import ConfidenceProfile, metrics
from skconf.inference import by_group, confidence_interval

N = 1_000_000
ADDITIVE = [
    "cw_accuracy_score",
    "calibrated_size_ratio",
    "cf1_score",
    "confidence_brier_loss",
    "confidence_log_loss",
    "cw_f1_score",
    "selective_risk_loss",
    "cwsa_score",
    "ecuas_loss",
    "expected_calibration_error",
]
RESAMPLES, OF_LOOP = 1_000, 2
#: Draws of an interval with few errors, how many the loop makes of them, and the most that the interval may take of its
#: time.
DRAWS, DRAWS_OF_LOOP, LIMIT = 2_000, 100, 0.6


def draw(n):
    rng = np.random.default_rng(0)
    proba = rng.beta(0.6, 0.6, n)
    return (rng.random(n) < proba).astype(int), proba


@pytest.mark.parametrize("names", [ADDITIVE, ["aurc_loss"]], ids=["ten metrics", "aurc"])
def test_bootstrap(names, ratio):
    """The loop makes two resamples, and its time is multiplied."""
    y, proba = draw(N)

    def loop():
        rng = np.random.default_rng(0)
        for _ in range(OF_LOOP):
            rows = rng.integers(0, N, N)
            sampled, given = y[rows], proba[rows]
            for name in names:
                getattr(metrics, name)(sampled, given)

    def call():
        return confidence_interval(names, y, proba, method="bootstrap", n_resamples=RESAMPLES, random_state=0)

    label = f"{RESAMPLES:,} resamples of {len(names)} metrics, {N:,}"
    ratio(label, "loop", loop, call, proba.nbytes, rounds=2, parts=RESAMPLES // OF_LOOP)


@pytest.mark.parametrize("n", [200, 2_000, 20_000])
@pytest.mark.parametrize("name", ["aurc_loss", "augrc_loss", "confidence_roc_auc_score", "cw_roc_auc_score"])
def test_few_errors(name, n, ratio):
    """An interval from 2,000 draws of weights, beside a loop over draws; some 40 answers are wrong."""
    rng = np.random.default_rng(0)
    y, sure = rng.integers(0, 2, n), 1 - rng.exponential(40 / n, n).clip(0, 0.5)
    right = rng.random(n) < sure
    proba = np.where(right == (y == 1), sure, 1 - sure)
    profile = ConfidenceProfile.from_predictions(y, proba)

    def loop():
        for _ in range(DRAWS_OF_LOOP):
            getattr(metrics, name)(y, proba, sample_weight=rng.exponential(size=n))

    def call():
        found = confidence_interval(name, profile, random_state=0)
        assert found.method == "bayesian"

    label = f"interval of {name} with few errors, {n:,}"
    assert ratio(label, "loop", loop, call, proba.nbytes, rounds=3, parts=DRAWS // DRAWS_OF_LOOP) < LIMIT


def test_delta(ratio):
    """An interval of each of nine metrics, beside their values alone."""
    y, proba = draw(N)
    profile = ConfidenceProfile.from_predictions(y, proba)
    names = [name for name in ADDITIVE if name != "expected_calibration_error"]

    def values():
        for name in names:
            getattr(metrics, name)(profile)

    ratio(f"delta intervals of 9 metrics, {N:,}", "values", values, lambda: confidence_interval(names, profile), 8 * N)


def test_groups_by_a_loop(ratio):
    y, proba = draw(N)
    groups = np.random.default_rng(1).integers(0, 10, N)

    def loop():
        for group in range(10):
            rows = groups == group
            for name in ADDITIVE:
                getattr(metrics, name)(y[rows], proba[rows])

    def call():
        return by_group(ADDITIVE, y, proba, groups=groups)

    ratio(f"10 groups x 10 metrics, {N:,}", "loop", loop, call, proba.nbytes)


def test_groups_by_fairlearn(ratio):
    fairlearn = pytest.importorskip("fairlearn.metrics")
    y, proba = draw(N)
    groups = np.random.default_rng(1).integers(0, 10, N)
    functions = {name: getattr(metrics, name) for name in ADDITIVE}
    found = []

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = fairlearn.MetricFrame(metrics=functions, y_true=y, y_pred=proba, sensitive_features=groups)
            found.append(frame.by_group)

    def call():
        return by_group(ADDITIVE, y, proba, groups=groups)

    ratio(f"10 groups x 10 metrics, {N:,}", "MetricFrame", theirs, call, proba.nbytes, rounds=1)
    np.testing.assert_allclose(call()["value"].unstack("metric")[ADDITIVE], found[0][ADDITIVE], rtol=1e-9)
