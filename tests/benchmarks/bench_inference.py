"""Time of intervals and slices, as multiples of what a loop over the metric functions takes.

Run with ``python -m pytest -n0 tests/benchmarks/bench_inference.py``; the comparison with fairlearn needs it installed.
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
RESAMPLES = 64


def draw(n):
    rng = np.random.default_rng(0)
    proba = rng.beta(0.6, 0.6, n)
    return (rng.random(n) < proba).astype(int), proba


@pytest.mark.parametrize("names", [ADDITIVE, ["aurc_loss"]], ids=["ten metrics", "aurc"])
def test_bootstrap(names, ratio):
    y, proba = draw(N)

    def loop():
        rng = np.random.default_rng(0)
        for _ in range(RESAMPLES):
            rows = rng.integers(0, N, N)
            sampled, given = y[rows], proba[rows]
            for name in names:
                getattr(metrics, name)(sampled, given)

    def call():
        return confidence_interval(names, y, proba, method="bootstrap", n_resamples=RESAMPLES, random_state=0)

    label = f"{RESAMPLES} resamples of {len(names)} metrics, {N:,}"
    ratio(label, "loop", loop, call, proba.nbytes)


def test_delta(ratio):
    """An interval of each of ten metrics, beside their values alone."""
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
    """At a tenth of the samples, for the patience of who waits."""
    fairlearn = pytest.importorskip("fairlearn.metrics")
    y, proba = draw(N // 10)
    groups = np.random.default_rng(1).integers(0, 10, N // 10)
    functions = {name: getattr(metrics, name) for name in ADDITIVE}

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = fairlearn.MetricFrame(metrics=functions, y_true=y, y_pred=proba, sensitive_features=groups)
            return frame.by_group

    def call():
        return by_group(ADDITIVE, y, proba, groups=groups)

    expected = theirs()
    np.testing.assert_allclose(call()["value"].unstack("metric")[ADDITIVE], expected[ADDITIVE], rtol=1e-9)
    ratio(f"10 groups x 10 metrics, {N // 10:,}", "MetricFrame", theirs, call, proba.nbytes)
