"""CWSA: the axioms of its paper, graded correctness, other rewards, curves from one sort."""

import numpy as np
import pytest
from _support.strategies import outcomes
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, get_scorer, metrics
from skconf.metrics import get_metric

correctness = ConfidenceProfile.from_correctness


# The five axioms of appendix A.2 ------------------------------------------------------------------------------------


@given(low=st.floats(0.5, 0.98), step=st.floats(1e-3, 0.5))
def test_more_confidence_in_a_right_answer_earns_more(low, step):
    high = min(low + step, 1.0)
    for metric in (metrics.cwsa_score, metrics.cwsa_plus_score):
        assert metric(correctness([1, 1], [high, 0.7])) > metric(correctness([1, 1], [low, 0.7]))


@given(low=st.floats(0.5, 0.98), step=st.floats(1e-3, 0.5))
def test_more_confidence_in_a_wrong_answer_costs_more(low, step):
    high = min(low + step, 1.0)
    assert metrics.cwsa_score(correctness([0, 1], [high, 0.7])) < metrics.cwsa_score(correctness([0, 1], [low, 0.7]))


@pytest.mark.parametrize("metric", ["cwsa_score", "cwsa_plus_score"])
@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(), threshold=st.floats(0.1, 0.9))
def test_what_is_rejected_does_not_matter(metric, outcome, threshold):
    sure = outcome.proba[np.arange(len(outcome.y)), outcome.predicted]
    right = outcome.y == outcome.predicted
    flipped = np.where(sure < threshold, ~right, right)
    values = [getattr(metrics, metric)(correctness(z, sure), threshold=threshold) for z in (right, flipped)]
    assert values[0] == values[1]


@settings(max_examples=50, deadline=None)
@given(outcome=outcomes(), threshold=st.floats(0, 0.9))
def test_plus_lies_in_the_unit_interval_and_is_one_for_certain_successes_only(outcome, threshold):
    value = outcome.call(metrics.cwsa_plus_score, threshold=threshold)
    assert 0 <= value <= 1
    sure = outcome.proba[np.arange(len(outcome.y)), outcome.predicted]
    accepted = (sure >= threshold) & (outcome.weight > 0)
    perfect = accepted.any() and ((outcome.y == outcome.predicted) & (sure == 1))[accepted].all()
    assert (value > 1 - 1e-12) == perfect


def test_better_calibrated_confidence_scores_higher_in_the_mean():
    rng = np.random.default_rng(0)
    right = rng.random(20_000) < 0.7
    informed = np.where(right, rng.uniform(0.7, 1, 20_000), rng.uniform(0.5, 0.8, 20_000))
    for metric in (metrics.cwsa_score, metrics.cwsa_plus_score):
        assert metric(correctness(right, informed)) > metric(correctness(right, rng.permutation(informed))) + 0.02


# Variants -----------------------------------------------------------------------------------------------------------


def test_graded_correctness_takes_the_place_of_right_and_wrong():
    y, proba = ["cat", "dog", "fox"], [[0.1, 0.8, 0.1], [0.1, 0.9, 0.0], [0.6, 0.2, 0.2]]
    similarity = [[1, 0.25, 0], [0.5, 1, 0], [0, 0, 1]]  # predicted by rows, true by columns
    # dog for cat: κ = .5 at c = .8; dog: 1 at .9; cat for fox: 0 at .6.
    phi = (np.array([0.8, 0.9, 0.6]) - 0.5) / 0.5
    value = metrics.cwsa_score(y, proba, similarity=similarity)
    assert value == pytest.approx(np.mean(phi * (2 * np.array([0.5, 1, 0]) - 1)))
    assert metrics.cwsa_plus_score(y, proba, similarity=similarity) == pytest.approx(np.mean(phi * [0.5, 1, 0]))


@settings(max_examples=30, deadline=None)
@given(outcome=outcomes())
def test_the_identity_is_plain_correctness(outcome):
    same = np.eye(outcome.proba.shape[1])
    assert outcome.call(metrics.cwsa_score, similarity=same) == outcome.call(metrics.cwsa_score)


def test_another_reward_of_confidence():
    profile = correctness([1, 0, 1], [0.9, 0.8, 0.4])
    value = metrics.cwsa_score(profile, threshold=0.5, phi=lambda c: c**2)
    assert value == pytest.approx((0.9**2 - 0.8**2) / 2)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"phi": 2}, "phi must be a function"),
        ({"phi": lambda c: c[:1]}, "phi must return a finite number for every confidence"),
        ({"phi": lambda c: c / 0}, "phi must return a finite number for every confidence"),
        ({"similarity": [[1, 0]]}, r"similarity must have shape \(n_classes, n_classes\)"),
        ({"similarity": [[1, 2], [0, 1]]}, r"similarity must hold values in \[0, 1\]"),
        ({"similarity": np.eye(3)}, "similarity is for 3 classes, but there are 2"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_bad_variants_are_refused(params, message):
    with pytest.raises((TypeError, ValueError), match=message):
        metrics.cwsa_score([0, 1, 1], [0.2, 0.7, 0.8], **params)


# Curves -------------------------------------------------------------------------------------------------------------


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
    with pytest.raises(ValueError, match="thresholds must be a list of numbers"):
        get_metric("cwsa_curve", thresholds=bad)


def test_area_wants_ascending_thresholds():
    with pytest.raises(ValueError, match="thresholds must ascend"):
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
