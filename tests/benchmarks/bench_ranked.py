"""Rank metrics and the simulated risk, as multiples of one argsort of the confidences.

Run with ``python -m pytest tests/benchmarks/bench_ranked.py``.
"""

import numpy as np
import pytest

from skconf import ConfidenceProfile, metrics

N = 1_000_000


@pytest.fixture(scope="module", params=[0.1, 0.4], ids=lambda rate: f"errors-{rate}")
def outcome(request):
    rng = np.random.default_rng(0)
    return rng.random(N) > request.param, rng.random(N)


AREAS = ["confidence_roc_auc_score", "aurc_loss", "excess_aurc_loss", "augrc_loss"]


@pytest.mark.parametrize("name", [*AREAS, "risk_coverage_curve"])
def test_from_correctness(name, outcome, ratio):
    correct, sure = outcome

    def call():
        return getattr(metrics, name)(ConfidenceProfile.from_correctness(correct, sure))

    label = f"{name} {N:,} (c, z), {1 - correct.mean():.0%} wrong"
    ratio(label, "argsort", lambda: np.argsort(sure), call, sure.nbytes)


@pytest.mark.parametrize("name", AREAS)
def test_area_beside_that_of_unit_weights(name, outcome, ratio):
    """Right and wrong are sorted apart, by value, where there are no weights."""
    correct, sure = outcome
    weighted = ConfidenceProfile.from_correctness(correct, sure, sample_weight=np.ones(N))
    plain = ConfidenceProfile.from_correctness(correct, sure)
    metric = getattr(metrics, name)
    assert metric(plain[:]) == pytest.approx(metric(weighted[:]), rel=1e-12)
    label = f"{name} of a ready profile, {N:,}, {1 - correct.mean():.0%} wrong"
    assert ratio(label, "unit weights", lambda: metric(weighted[:]), lambda: metric(plain[:]), sure.nbytes) < 0.75


@pytest.mark.parametrize(
    ("name", "limit"), [("adaptive_calibration_error", 3.5), ("brier_decomposition", 2), ("ecd_test", 4)]
)
def test_whole_metric_of_a_ready_profile(name, limit, ratio):
    """The first sorts; the others need not, and take no more than some passes."""
    sure = np.random.default_rng(0).random(N)
    y = (np.random.default_rng(1).random(N) < sure).astype(int)
    profile = ConfidenceProfile.from_predictions(y, np.column_stack([1 - sure, sure]))

    def call():
        return getattr(metrics, name)(profile[:])

    assert ratio(f"{name} {N:,}x2", "aurc_loss", lambda: metrics.aurc_loss(profile[:]), call, sure.nbytes) < limit


def test_plain_aurc(outcome, ratio):
    """What an exact implementation must do at least, ties left to the order of rows: sort, gather, add, divide."""
    correct, sure = outcome

    def plain():
        wrong = ~correct[np.argsort(-sure, kind="stable")]
        return np.mean(np.cumsum(wrong) / np.arange(1, N + 1))

    def call():
        return metrics.aurc_loss(ConfidenceProfile.from_correctness(correct, sure))

    assert call() == pytest.approx(plain(), rel=1e-9)
    ratio(f"aurc_loss {N:,} (c, z), {1 - correct.mean():.0%} wrong", "plain numpy", plain, call, sure.nbytes)


def test_cwsa_curve_of_a_ready_profile(outcome, ratio):
    correct, sure = outcome
    profile = ConfidenceProfile.from_correctness(correct, sure)
    thresholds = np.arange(1000) / 1000

    def call():
        return metrics.cwsa_curve(profile, thresholds=thresholds)

    ratio(f"cwsa_curve 1,000 thresholds, {N:,}", "argsort", lambda: np.argsort(sure), call, sure.nbytes)


def test_simulated_risk(outcome, ratio):
    _, sure = outcome
    wrong = np.random.default_rng(1).random(N) < np.minimum(1.001 * (1 - sure), 1)
    profile = ConfidenceProfile.from_correctness(~wrong, sure)

    def call():
        return metrics.overconfidence_risk(profile, method="monte_carlo")

    ratio(f"overconfidence_risk monte_carlo {N:,}", "argsort", lambda: np.argsort(sure), call, sure.nbytes)


def test_aurc_from_predictions_beside_torch_uncertainty(ratio):
    """The fastest of the exact implementations that are published; it needs torch-uncertainty installed."""
    torch = pytest.importorskip("torch")
    peer = pytest.importorskip("torch_uncertainty.metrics", exc_type=ImportError)
    rng = np.random.default_rng(0)
    sure = rng.random(N)
    proba, y = np.column_stack([sure, 1 - sure]), (rng.random(N) > sure).astype(int)

    def theirs():
        metric = peer.AURC()
        metric.update(torch.from_numpy(proba), torch.from_numpy(y))
        return float(metric.compute())

    def call():
        return metrics.aurc_loss(y, proba)

    assert call() == pytest.approx(theirs(), abs=1e-6)
    ratio(f"aurc_loss {N:,}x2", "torch-uncertainty", theirs, call, proba.nbytes)
