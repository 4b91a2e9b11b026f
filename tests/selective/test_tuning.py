"""tune_threshold: what it takes and refuses, what it says, clusters, and that the tuned classifier agrees with it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import skconf
from skconf import (
    ConfidenceProfile,
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    metrics,
    required_samples,
    tune_threshold,
)
from skconf.metrics import get_metric
from skconf.selective._training import one_of_each, separate_stream

N = 600
LEVEL = {"target": 0.15, "confidence_level": 0.9}


@pytest.fixture(scope="module")
def task():
    """A fitted classifier of three classes, and samples that it has not seen."""
    X, y = make_classification(
        2 * N, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.1, class_sep=1.6, random_state=2
    )
    return LogisticRegression().fit(X[:N], y[:N]), X[N:], y[N:]


PARAMETERS = {
    "risk": {"target": 0.05},
    "level": LEVEL,
    "candidates": {**LEVEL, "n_candidates": 5},
    "thresholds": {**LEVEL, "thresholds": [0.4, 0.6, 0.8]},
    "coverage": {"objective": "coverage", "target": 0.7},
    "cost": {"objective": "cost", "reject_cost": 0.2},
    "cost matrix": {"objective": "cost", "reject_cost": 0.4, "cost_matrix": [[0, 1, 2], [1, 0, 1], [4, 1, 0]]},
    "cwsa": {"objective": "cwsa"},
    "function": {"objective": lambda curve: curve.coverage - 5 * curve.risk},
}


@pytest.mark.parametrize("params", list(PARAMETERS.values()), ids=list(PARAMETERS))
def test_the_tuned_classifier_finds_the_same(task, params):
    model, X, y = task
    proba = model.predict_proba(X)
    given = {}
    if "cost_matrix" in params:  # the classifier decides by the costs; a function is given the decisions
        expected = proba @ np.array(params["cost_matrix"])
        largest = get_metric("ecuas_loss", cost_matrix=params["cost_matrix"]).largest_uncertainty(3)
        given = {"y_pred": model.classes_[expected.argmin(axis=1)], "score": 1 - expected.min(axis=1) / largest}
    found = tune_threshold(y, proba, **params, **given)
    tuned = TunedSelectiveClassifierCV(FrozenEstimator(model), **params).fit(X, y)
    assert found.feasible is tuned.feasible_ is True
    assert (found.threshold, found.coverage, found.risk) == (tuned.threshold_, tuned.coverage_, tuned.risk_)
    np.testing.assert_equal(found.risk_upper_bound, tuned.risk_upper_bound_)
    assert found.to_frame().equals(pd.DataFrame(tuned.cv_results_))
    assert found.n_samples == N
    assert found.reason == ""


def test_what_it_returns_is_what_the_threshold_does(task):
    model, X, y = task
    profile = ConfidenceProfile.from_estimator(model, X, y)
    found = tune_threshold(profile, **LEVEL)
    accepted = profile.confidence >= found.threshold
    assert found.coverage == accepted.mean() == metrics.coverage_score(profile, threshold=found.threshold)
    assert found.risk == pytest.approx(1 - profile.correct[accepted].mean())
    assert found.risk <= found.risk_upper_bound <= 0.15
    frame = found.to_frame()
    assert list(frame) == ["threshold", "coverage", "risk", "risk_upper_bound", "objective"]
    assert frame["threshold"][0] == np.inf
    assert frame.loc[frame["objective"].idxmax(), "threshold"] == found.threshold
    with pytest.raises(AttributeError):
        found.threshold = 0.5


def test_predictions_come_in_every_form_that_profiles_take(task):
    model, X, y = task
    proba, names = model.predict_proba(X), np.array(["x", "y", "z"])
    expected = tune_threshold(y, proba, **LEVEL).threshold
    for given in (
        tune_threshold(names[y].tolist(), proba, labels=["x", "y", "z"], **LEVEL),
        tune_threshold(pd.Series(y), pd.DataFrame(proba), **LEVEL),
        tune_threshold(y, proba, y_pred=model.predict(X), **LEVEL),
        tune_threshold(y, proba, score=proba.max(axis=1), **LEVEL),
        tune_threshold(ConfidenceProfile.from_predictions(y, proba), **LEVEL),
    ):
        assert given.threshold == expected
    two, right = y == 2, proba[:, 2]
    positive = tune_threshold(two, right, target=0.1)
    assert positive.threshold == tune_threshold(~two, right, pos_label=False, target=0.1).threshold


def test_a_profile_of_correctness_is_enough(task):
    model, X, y = task
    profile = ConfidenceProfile.from_estimator(model, X, y)
    bare = ConfidenceProfile.from_correctness(profile.correct, profile.confidence)
    assert tune_threshold(bare, **LEVEL).threshold == tune_threshold(profile, **LEVEL).threshold
    with pytest.raises(ValueError, match="classes"):
        tune_threshold(bare, objective="cost", reject_cost=0.1, cost_matrix=np.ones((2, 2)))


def test_selection_by_another_score(task):
    model, X, y = task
    proba = model.predict_proba(X)
    logit = np.log(proba.max(axis=1) / (1 - proba.max(axis=1)))
    found, plain = tune_threshold(y, proba, score=logit, **LEVEL), tune_threshold(y, proba, **LEVEL)
    assert found.coverage == plain.coverage
    assert found.threshold == pytest.approx(np.log(plain.threshold / (1 - plain.threshold)))
    assert tune_threshold(y, proba, score=logit, objective="coverage", target=1.0).threshold == -np.inf
    assert tune_threshold(y, proba, objective="coverage", target=1.0).threshold == 0
    given = tune_threshold(y, proba, score=logit, thresholds=[5.0, 2.0, -3.0], target=0.2)
    assert given.to_frame()["threshold"].tolist() == [np.inf, 5, 2, -3]


def test_weights_count_without_a_level_and_are_refused_with_one(task):
    model, X, y = task
    proba, weight = model.predict_proba(X), np.random.default_rng(0).integers(0, 4, N).astype(float)
    found = tune_threshold(y, proba, target=0.1, sample_weight=weight)
    repeated = np.repeat(np.arange(N), weight.astype(int))
    assert found.threshold == tune_threshold(y[repeated], proba[repeated], target=0.1).threshold
    with pytest.raises(ValueError, match="sample_weight cannot be used with a confidence_level"):
        tune_threshold(y, proba, sample_weight=weight, **LEVEL)
    with pytest.raises(ValueError, match="sample_weight cannot be used"):
        tune_threshold(ConfidenceProfile.from_predictions(y, proba, sample_weight=weight), **LEVEL)


def test_the_threshold_of_a_selective_classifier_is_found_for_its_own_score(task):
    model, X, y = task
    selective = SelectiveClassifier(FrozenEstimator(model), confidence="margin").fit(X, y)
    found = tune_threshold(ConfidenceProfile.from_estimator(selective, X, y), **LEVEL)
    selective.set_params(threshold=found.threshold).fit(X, y)
    assert selective.accept(X).mean() == found.coverage


def test_candidates_share_the_level_equally(task):
    model, X, y = task
    proba = model.predict_proba(X)
    shared = tune_threshold(y, proba, target=0.15, confidence_level=0.9, n_candidates=5)
    alone = tune_threshold(y, proba, target=0.15, confidence_level=0.98)
    assert (shared.threshold, shared.risk_upper_bound) == pytest.approx((alone.threshold, alone.risk_upper_bound))
    assert shared.coverage < tune_threshold(y, proba, target=0.15, confidence_level=0.9).coverage


def test_it_prints_in_short(task):
    model, X, y = task
    found = tune_threshold(y, model.predict_proba(X), **LEVEL)
    assert repr(found) == str(found)
    assert repr(found) == (
        f"TunedThreshold(threshold={found.threshold:.4g}, coverage={found.coverage:.4g}, risk={found.risk:.4g}, "
        f"risk_upper_bound={found.risk_upper_bound:.4g}, n_samples=600)"
    )
    assert "risk_upper_bound" not in repr(tune_threshold(y, model.predict_proba(X), target=0.1))


def test_the_package_hands_it_out():
    assert {"required_samples", "tune_threshold"} <= set(skconf.__all__)
    assert skconf.__all__ == sorted(skconf.__all__, key=lambda name: (name.islower() or name.startswith("__"), name))


# --- clusters ----------------------------------------------------------------------------------------------------


@pytest.mark.simulation
def test_one_random_row_of_each_cluster():
    clusters = np.array([2, 0, 2, 1, 0, 2])
    drawn = np.array([one_of_each(clusters, separate_stream(seed)) for seed in range(3000)])
    assert (np.diff(drawn) > 0).all()
    assert (np.sort(clusters[drawn]) == [0, 1, 2]).all()
    share = np.bincount(drawn.ravel(), minlength=6) / 3000
    np.testing.assert_allclose(share, [1 / 3, 1 / 2, 1 / 3, 1, 1 / 2, 1 / 3], atol=0.04)
    np.testing.assert_array_equal(one_of_each(clusters, separate_stream(5)), one_of_each(clusters, separate_stream(5)))


@pytest.mark.parametrize("names", [np.asarray, pd.Series, lambda groups: [f"patient {g}" for g in groups]])
def test_with_groups_one_row_of_each_chooses(task, names):
    model, X, y = task
    proba, groups = model.predict_proba(X), np.arange(N) // 3
    found = tune_threshold(y, proba, groups=names(groups), random_state=3, **LEVEL)
    rows = one_of_each(groups, separate_stream(3))
    chosen = tune_threshold(y[rows], proba[rows], **LEVEL)
    assert found.n_samples == N / 3
    assert (found.threshold, found.risk_upper_bound) == (chosen.threshold, chosen.risk_upper_bound)
    tuned = TunedSelectiveClassifierCV(FrozenEstimator(model), random_state=3, **LEVEL).fit(X, y, groups=groups)
    assert tuned.threshold_ == found.threshold


@pytest.mark.parametrize(
    ("groups", "message"),
    [([1, 2], "groups has 2 rows"), ([None] * N, "missing label"), (np.zeros((N, 2)), "single column")],
)
def test_groups_that_are_none_are_refused(task, groups, message):
    model, X, y = task
    with pytest.raises(ValueError, match=message):
        tune_threshold(y, model.predict_proba(X), groups=groups, **LEVEL)
    with pytest.raises(ValueError, match=message):
        TunedSelectiveClassifierCV(FrozenEstimator(model), **LEVEL).fit(X, y, groups=groups)


# --- what was not shown --------------------------------------------------------------------------------------------


def said(wrong, score=None, **params):
    """Return the warning of samples that are wrong or not, the surest first."""
    wrong = np.asarray(wrong, dtype=bool)
    score = np.linspace(1, 0, len(wrong)) if score is None else score
    profile = ConfidenceProfile.from_correctness(~wrong, score)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = tune_threshold(profile, **params)
    assert [warning.filename for warning in caught] == [__file__]
    assert (found.threshold, found.coverage, found.feasible) == (np.inf, 0, False)
    assert np.isnan([found.risk, found.risk_upper_bound]).all()
    message = str(caught[0].message)
    assert "no threshold has" not in message.lower()
    advice = "For the coverage and risk at each threshold, see to_frame()."
    assert message == f"Everything is rejected: {found.reason}. {advice}"
    return found.reason


def test_too_few_samples_are_told_how_many_it_takes():
    assert said(np.zeros(100), target=0.01, confidence_level=0.95) == (
        "100 samples cannot show a risk of at most target=0.01 at confidence_level=0.95: at least 299 samples "
        "without an error are needed"
    )


def test_the_closest_is_told_and_how_many_samples_it_takes():
    wrong = np.zeros(500)
    wrong[[20, 40, 60, 80, 100, 120, 140, 160, 180]] = 1
    wrong[200:] = 1
    needed = required_samples(0.05, 0.95, coverage=0.4, errors=9)
    reason = said(wrong, target=0.05, confidence_level=0.95)
    assert reason.startswith(
        "no threshold was shown to have a risk of at most target=0.05 at confidence_level=0.95. The closest one has 9 "
    )
    declared = said(wrong, target=0.05, confidence_level=0.95, thresholds=[np.linspace(1, 0, 500)[199]])
    assert declared.endswith(
        "The closest one has 9 errors among 200 accepted samples, a coverage of 0.4 and an upper limit of 0.077 "
        "for the risk. To meet the target with this number of errors, even a threshold fixed in advance needs 311 "
        f"accepted samples. The search for a threshold needs {needed} samples in all"
    )


def test_a_limit_below_the_target_is_that_of_a_threshold_fixed_in_advance():
    """Of 130 rows, the first 60 are right: 59 would be enough for a single threshold."""
    reason = said(np.arange(130) >= 60, target=0.05, confidence_level=0.95)
    needed = required_samples(0.05, 0.95, coverage=59 / 130)
    assert reason.endswith(
        "The closest one has 0 errors among 59 accepted samples, a coverage of 0.45 and an upper limit of 0.0495 for "
        "the risk. These samples are enough for a threshold fixed in advance. The search for a threshold needs "
        f"{needed} samples in all"
    )


def test_groups_say_what_is_counted():
    reason = said(np.zeros(100), target=0.05, confidence_level=0.95, groups=np.arange(100) // 4)
    assert reason.startswith("25 samples cannot show ")
    assert reason.endswith("without an error are needed (of each cluster, one sample counts)")


def test_one_error_is_not_one_errors():
    wrong = np.zeros(300)
    wrong[[30, *range(70, 300)]] = 1
    assert "has 1 error among " in said(wrong, target=0.05, confidence_level=0.95)
    assert said(np.zeros(1), target=0.05, confidence_level=0.95).startswith("1 sample cannot show ")


def test_a_risk_above_the_target_is_not_mended_by_more_samples():
    reason = said(np.arange(400) % 2, target=0.05, confidence_level=0.95)
    assert reason.endswith(". Its observed risk is not below the target")


def test_thresholds_that_accept_only_errors():
    """It said that no threshold accepts a sample."""
    assert "has 59 errors among 59 accepted samples" in said(np.ones(400), target=0.05, confidence_level=0.95)


def test_thresholds_that_accept_nothing():
    reason = said(np.zeros(400), np.full(400, 0.5), target=0.05, confidence_level=0.95, thresholds=[0.9])
    assert reason.endswith("No threshold accepts a sample")


def test_candidates_are_named():
    reason = said(np.zeros(60), target=0.05, confidence_level=0.95, n_candidates=2)
    assert reason == (
        "60 samples cannot show a risk of at most target=0.05 at confidence_level=0.95 for all n_candidates=2 together"
        ": at least 72 samples without an error are needed"
    )


def test_a_message_of_very_many_errors_is_quick():
    wrong = np.random.default_rng(0).random(200_000) < 0.0499
    reason = said(wrong, np.ones(200_000), target=0.05, confidence_level=0.95)
    assert "with this number of errors" in reason


def test_without_a_level_the_observed_risk_is_what_is_told():
    assert said(np.ones(10), target=0.05) == "the observed risk is above target=0.05 at every threshold"


# --- refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"objective": "nonsense"}, ValueError, "objective must be one of 'risk'"),
        ({"target": 1.5}, ValueError, r"target must lie in \[0, 1\], but is 1.5. For 1.5% pass 0.015."),
        ({"target": 101}, ValueError, r"target must lie in \[0, 1\], but is 101.$"),
        ({"target": "low"}, TypeError, "target must be a number"),
        ({"target": 0, "confidence_level": 0.9}, ValueError, "target must be above 0"),
        ({"confidence_level": 95}, ValueError, "confidence_level must lie in"),
        ({"confidence_level": 0}, ValueError, "confidence_level must lie in"),
        (
            {"confidence_level": 0.9, "objective": "coverage"},
            ValueError,
            "confidence_level can be used only with objective='risk'",
        ),
        ({"n_candidates": 0}, ValueError, "n_candidates must be at least 1"),
        ({"n_candidates": 2.5}, TypeError, "n_candidates must be a whole number"),
        ({"objective": "cost"}, ValueError, "needs reject_cost"),
        ({"objective": "cost", "reject_cost": -1}, ValueError, "reject_cost must lie in"),
        ({"cost_matrix": np.ones((3, 3))}, ValueError, "cost_matrix can be used only with objective='cost'"),
        ({"thresholds": []}, ValueError, "thresholds must be a list of at least one number"),
        ({"thresholds": [np.nan]}, ValueError, "thresholds must be a list of at least one number"),
        ({"thresholds": [50, 90]}, ValueError, r"number in \[0, 1\], but is \[50, 90\]\. Divide percentages by 100"),
        ({"groups": np.arange(N)}, ValueError, "groups have no effect without a confidence_level"),
        (
            {"objective": "cwsa", "score": np.linspace(0, 1, N)},
            ValueError,
            "only if the score is the probability of the",
        ),
    ],
)
def test_bad_parameters_are_refused(task, params, error, message):
    model, X, y = task
    with pytest.raises(error, match=message):
        tune_threshold(y, model.predict_proba(X), **params)


def test_a_profile_holds_its_predictions_already(task):
    model, X, y = task
    profile = ConfidenceProfile.from_estimator(model, X, y)
    with pytest.raises(TypeError, match="tune_threshold got a ConfidenceProfile and score"):
        tune_threshold(profile, score=profile.confidence)
    with pytest.raises(TypeError, match="tune_threshold needs y_proba"):
        tune_threshold(y)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:Everything is rejected")  # often nothing is shown of 1,000
def test_a_threshold_without_a_level_promises_nothing_and_one_with_a_level_holds():
    """README: 55 to 66% of simulated samples of 1,000 calibrated answers let more errors through; with 95%, few do."""
    rng = np.random.default_rng(0)
    exceeded = dict.fromkeys([None, 0.95], 0)
    new = rng.beta(4, 1, 100_000)  # their true risk above a threshold is the mean of 1 - confidence
    for _ in range(80):
        confidence = rng.beta(4, 1, 1000)
        profile = ConfidenceProfile.from_correctness(rng.random(1000) < confidence, confidence)
        for level in exceeded:
            found = tune_threshold(profile, target=0.02, confidence_level=level, random_state=0)
            accepted = new[new >= found.threshold]
            exceeded[level] += len(accepted) > 0 and (1 - accepted).mean() > 0.02
    assert 0.45 < exceeded[None] / 80 < 0.70
    assert exceeded[0.95] / 80 < 0.10


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_slices_of_any_float(task, dtype):
    """Also of those of which pandas has no index."""
    model, X, y = task
    region = np.arange(len(y)) % 2
    found, expected = (
        tune_threshold(y, model.predict_proba(X), target=0.3, confidence_level=0.9, slices=each).thresholds
        for each in (region.astype(dtype), region.astype(np.float64))
    )
    pd.testing.assert_series_equal(found, expected)
