"""CWSA over thresholds, and the area under it."""

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import coverage_score, cwsa_score, selective_accuracy_score
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, get_scorer, metrics
from skconf.metrics import get_metric


def cwsa_plus_score(y, proba, predicted, w, threshold=0.5, normalize="accepted"):
    return cwsa_score(y, proba, predicted, w, threshold, normalize, punish=False)


def metric_coverage_auc(y, proba, predicted, w, metric="cwsa", thresholds=None, normalize="accepted", to_zero=False):
    thresholds = [t / 100 for t in range(50, 100)] if thresholds is None else thresholds
    heights, coverages = [], []
    for t in thresholds:
        coverage = coverage_score(y, proba, predicted, w, t)
        if metric == "selective_accuracy":
            height = selective_accuracy_score(y, proba, predicted, w, t) if coverage else 0.0
        else:
            height = cwsa_score(y, proba, predicted, w, t, normalize, punish=metric == "cwsa")
        heights.append(height)
        coverages.append(coverage)
    if to_zero:
        while len(coverages) > 1 and not coverages[-1]:
            heights.pop(), coverages.pop()
        heights, coverages = [*heights, heights[-1]], [*coverages, 0.0]
    steps = range(len(heights) - 1)
    return sum((coverages[i] - coverages[i + 1]) * (heights[i] + heights[i + 1]) / 2 for i in steps)


def cwsa_curve(y, proba, predicted, w, thresholds, normalize="accepted"):
    parts = (cwsa_score, cwsa_plus_score)
    at = [[part(y, proba, predicted, w, t, normalize) for t in thresholds] for part in parts]
    at += [[part(y, proba, predicted, w, t) for t in thresholds] for part in (coverage_score, selective_accuracy_score)]
    return tuple(np.array(values) for values in (thresholds, *at))


CASES = [
    Case("metric_coverage_auc", {}, metric_coverage_auc),
    *(
        Case("metric_coverage_auc", params, metric_coverage_auc)
        for params in (
            {"metric": "cwsa_plus", "normalize": "all", "thresholds": (0.0, 0.3, 0.35, 0.9)},
            {"metric": "selective_accuracy"},
            {"to_zero": True},
            {"to_zero": True, "thresholds": (0.3, 0.6, 0.999)},
        )
    ),
    Case("cwsa_curve", {"thresholds": (0.9, 0.0, 1 / 3)}, cwsa_curve),
    Case("cwsa_curve", {"thresholds": (0.5, 0.7), "normalize": "all"}, cwsa_curve),
]
TestProperties = properties_of(CASES)


correctness = ConfidenceProfile.from_correctness


@pytest.mark.parametrize("normalize", ["accepted", "all"])
@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(), more=st.lists(st.floats(0, 0.999), max_size=5))
def test_curve_is_the_metric_at_every_threshold(normalize, outcome, more):
    thresholds = [*more, 0.0, 1 / 3, 0.5, 2 / 3, 0.95]  # with confidences that are tied with a threshold
    curve = outcome.call(metrics.cwsa_curve, thresholds=thresholds, normalize=normalize)
    assert curve.thresholds.tolist() == thresholds
    for i, threshold in enumerate(thresholds):
        at = {"threshold": threshold}
        assert curve.cwsa[i] == pytest.approx(outcome.call(metrics.cwsa_score, normalize=normalize, **at), abs=1e-11)
        plus = outcome.call(metrics.cwsa_plus_score, normalize=normalize, **at)
        assert curve.cwsa_plus[i] == pytest.approx(plus, abs=1e-11)
        assert curve.coverage[i] == pytest.approx(outcome.call(metrics.coverage_score, **at))
        if curve.coverage[i] > 0:
            accuracy = outcome.call(metrics.selective_accuracy_score, **at)
            assert curve.selective_accuracy[i] == pytest.approx(accuracy)
        else:
            assert np.isnan(curve.selective_accuracy[i])


def test_default_thresholds_are_the_papers():
    curve = metrics.cwsa_curve([0, 1], [0.2, 0.7])
    np.testing.assert_allclose(curve.thresholds, np.linspace(0.5, 0.99, 50))


@pytest.mark.parametrize("bad", [[0.5, 1.0], [-0.1], [[0.5]], [np.nan]])
def test_bad_thresholds_are_refused(bad):
    with pytest.raises(ValueError, match=r"thresholds must be a list of numbers in \[0, 1\), but is"):
        get_metric("cwsa_curve", thresholds=bad)


def test_area_wants_ascending_thresholds():
    with pytest.raises(ValueError, match="thresholds must be in ascending order"):
        get_metric("metric_coverage_auc", thresholds=[0.9, 0.5])


def test_area_under_a_perfect_selective_accuracy_is_the_coverage_swept():
    profile = correctness(np.ones(100), np.linspace(0.5, 0.995, 100))
    swept = metrics.coverage_score(profile, threshold=0.5) - metrics.coverage_score(profile, threshold=0.99)
    assert metrics.metric_coverage_auc(profile, metric="selective_accuracy") == pytest.approx(swept)


class TestAreaAsAScore:
    """The paper's area prefers worse models: it ends where the last threshold does, and what lies beyond is lost."""

    @pytest.fixture
    def models(self):
        """Calibrated predictions of the same labels: certain ones, and those from one feature of much or little use."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 4_000)
        found = {"perfect": y.astype(float)}
        for name, distance in (("good", 6.0), ("worse", 2.5)):
            feature = rng.normal(distance * (y - 0.5), 1.0)
            found[name] = 1 / (1 + np.exp(-distance * feature))
        return found, y

    def test_scorer_prefers_better_models(self, models):
        probas, y = models
        score = get_scorer("metric_coverage_auc_to_zero")
        found = {name: score.of_profile(ConfidenceProfile.from_predictions(y, p)) for name, p in probas.items()}
        assert found["perfect"] == pytest.approx(1, rel=1e-12)
        assert found["perfect"] > found["good"] > found["worse"]

    def test_function_is_the_papers(self, models):
        probas, y = models
        found = {name: metrics.metric_coverage_auc(y, proba) for name, proba in probas.items()}
        assert found["perfect"] == 0
        assert found["perfect"] < found["good"] < found["worse"]
        with pytest.raises(ValueError, match="means to_zero=True, which to_zero=False contradicts"):
            get_scorer("metric_coverage_auc_to_zero", to_zero=False)

    @pytest.mark.parametrize("accepted", [0, 5], ids=["nothing accepted", "accepted by the lowest threshold alone"])
    def test_area_to_coverage_zero_where_thresholds_accept_little(self, accepted):
        profile = correctness(np.ones(20), np.r_[np.full(accepted, 0.55), np.full(20 - accepted, 0.4)])
        found = metrics.metric_coverage_auc(profile, metric="selective_accuracy", to_zero=True)
        assert found == accepted / 20
