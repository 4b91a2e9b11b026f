"""TunedSelectiveClassifierCV: which samples train, calibrate and choose, and what a user sees of it.

What a threshold is worth is tested in test_risk_control.py. Here a recording classifier and calibrator tell which rows
reached them, and base models are fitted again with scikit-learn.
"""

import inspect
import pickle
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skconf import (
    ConfidenceProfile,
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    confidence_scoring,
    get_scorer,
    tune_threshold,
)
from skconf.calibration import LearnedConfidence

#: These tests need a target that every model meets.
pytestmark = pytest.mark.filterwarnings("ignore:target=0.9 allows an error rate")
N = 300
ALL = {"objective": "coverage", "target": 1.0}
HALF = {"objective": "coverage", "target": 0.5}


def logistic(**params):
    return LogisticRegression(**params)


def broken(curve):
    return 1 / 0


def tuned(estimator=None, **params):
    return TunedSelectiveClassifierCV(LogisticRegression() if estimator is None else estimator, **params)


def xgb(**params):
    xgboost = pytest.importorskip("xgboost")
    return xgboost.XGBClassifier(**{"n_estimators": 5, "max_depth": 2, "n_jobs": 1} | params)


@pytest.fixture(scope="module")
def binary():
    """A noisy binary task: no model is right about everything."""
    return make_classification(N, 5, flip_y=0.3, class_sep=0.5, random_state=0)


@pytest.fixture(scope="module")
def three():
    """A task of three classes of which a model is right about most, and most often where it is sure."""
    return make_classification(
        N, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.1, class_sep=1.6, random_state=2
    )


def routing():
    return sklearn.config_context(enable_metadata_routing=True)


# --- recorders ---------------------------------------------------------------------------------------------------


class Spy(ClassifierMixin, BaseEstimator):
    """A classifier that tells which rows it saw, X[:, 0], and writes the number of the row into its probabilities."""

    fits: ClassVar = []  # rows and weights, shared by all clones
    asked: ClassVar = []  # rows, and the rows that this one was fitted on

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.rows_ = X[:, 0].astype(int)
        Spy.fits.append((self.rows_, None if sample_weight is None else np.asarray(sample_weight)))
        return self

    def predict_proba(self, X):
        Spy.asked.append((X[:, 0].astype(int), self.rows_))
        second = 0.5 + X[:, 0] / 1000
        return np.column_stack([1 - second, second])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def rows_in(proba):
    return np.round((proba[:, 1] - 0.5) * 1000).astype(int)


class RecordingCalibrator(BaseEstimator):
    """A calibrator that changes nothing and tells which rows it saw."""

    fits: ClassVar = []  # rows and weights
    asked: ClassVar = []  # rows, and the rows that this one was fitted on

    def fit(self, proba, y, sample_weight=None):  # noqa: ARG002
        self.rows_ = rows_in(proba)
        RecordingCalibrator.fits.append((self.rows_, sample_weight))
        return self

    def predict_proba(self, proba):
        RecordingCalibrator.asked.append((rows_in(proba), self.rows_))
        return proba


class Chosen:
    """A score that tells which rows it ranks: in fit, those that choose the threshold."""

    def __init__(self):
        self.rows = []

    def __call__(self, proba):
        self.rows.extend(rows_in(proba).tolist())
        return proba.max(axis=1)


@pytest.fixture
def chosen(monkeypatch):
    for recorder in (Spy, RecordingCalibrator):
        monkeypatch.setattr(recorder, "fits", [])
        monkeypatch.setattr(recorder, "asked", [])
    return Chosen()


@pytest.fixture
def numbered(binary):
    return np.column_stack([np.arange(N), binary[0]]), binary[1]


def everyone(*parts):
    return sorted(np.concatenate(parts).tolist()) == list(range(N))


def fitted_on(recorder):
    return [rows.tolist() for rows, _ in recorder.fits]


# --- which rows train, calibrate and choose ----------------------------------------------------------------------

LEVEL = {"confidence_level": 0.5, "target": 0.9, "random_state": 0}  # easily shown


def test_with_a_level_a_held_out_fifth_chooses_and_the_rest_trains(numbered, chosen):
    X, y = numbered
    tuned(Spy(), confidence=chosen, **LEVEL).fit(X, y)
    ((train, _),) = Spy.fits
    assert everyone(train, chosen.rows)
    assert len(chosen.rows) == N / 5


@pytest.mark.parametrize(("params", "by_class"), [(LEVEL, False), ({"cv": 0.2, **HALF}, True)], ids=["level", "none"])
def test_only_without_a_level_has_every_class_its_share_in_the_part(numbered, chosen, params, by_class):
    X, y = numbered
    shares = []
    for seed in range(10):
        tuned(Spy(), confidence=chosen, **{"cv": 0.2, **params, "random_state": seed}).fit(X, y)
        shares.append(y[chosen.rows[-N // 5 :]].mean())  # of this fit
    assert (max(abs(np.array(shares) - y.mean())) < 5 / N) == by_class


@pytest.mark.parametrize(
    "cv", [None, 0.25, ShuffleSplit(1, test_size=0.2, random_state=0), PredefinedSplit(np.arange(N) // 240 - 1)]
)
def test_with_a_level_and_calibration_three_parts_are_disjoint(numbered, chosen, cv):
    X, y = numbered
    tuned(Spy(), calibration=RecordingCalibrator(), confidence=chosen, cv=cv, **LEVEL).fit(X, y)
    ((train, _),) = Spy.fits
    ((calibrate, _),) = RecordingCalibrator.fits
    assert everyone(train, calibrate, chosen.rows)
    assert len(calibrate) == len(chosen.rows) == N * (0.25 if cv == 0.25 else 0.2)


def test_more_than_a_third_held_out_leaves_half_of_the_rest_to_the_calibrator(numbered, chosen):
    X, y = numbered
    tuned(Spy(), calibration=RecordingCalibrator(), confidence=chosen, cv=0.6, **HALF).fit(X, y)
    assert [len(Spy.fits[0][0]), len(RecordingCalibrator.fits[0][0]), len(chosen.rows)] == [60, 60, 180]


@pytest.mark.parametrize("params", [HALF, LEVEL, {"cv": 0.3, **HALF}, {"cv": 3, **LEVEL}], ids=str)
def test_a_frozen_classifier_without_calibration_leaves_all_rows_to_choose(numbered, chosen, params):
    X, y = numbered
    frozen = FrozenEstimator(Spy().fit(X, y))
    Spy.fits.clear()
    tuned(frozen, confidence=chosen, **params).fit(X, y)
    assert Spy.fits == []
    assert chosen.rows == list(range(N))


def test_a_frozen_classifier_is_calibrated_on_one_half_and_tuned_on_the_other_with_a_level(numbered, chosen):
    X, y = numbered
    frozen = FrozenEstimator(Spy().fit(X, y))
    tuned(frozen, calibration=RecordingCalibrator(), confidence=chosen, **LEVEL).fit(X, y)
    assert len(Spy.fits) == 1
    ((calibrate, _),) = RecordingCalibrator.fits
    assert everyone(calibrate, chosen.rows)
    assert len(calibrate) == N / 2


SPLITTERS = {
    "default": (None, StratifiedKFold(5)),
    "int": (3, StratifiedKFold(3)),
    "kfold": (KFold(4, shuffle=True, random_state=0),) * 2,
    "repeated": (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),) * 2,
    "parts": (ShuffleSplit(2, test_size=0.3, random_state=0),) * 2,
}


@pytest.mark.parametrize(
    ("frozen", "calibration"),
    [(False, None), (False, RecordingCalibrator()), (True, RecordingCalibrator())],
    ids=["plain", "calibrated", "frozen"],
)
@pytest.mark.parametrize(("cv", "splitter"), list(SPLITTERS.values()), ids=list(SPLITTERS))
def test_cross_fitting_scores_every_row_by_models_that_never_saw_it(
    numbered, chosen, cv, splitter, frozen, calibration
):
    X, y = numbered
    estimator = FrozenEstimator(Spy().fit(X, y)) if frozen else Spy()
    Spy.fits.clear()
    tuned(estimator, calibration=calibration, confidence=chosen, cv=cv, **HALF).fit(X, y)
    folds = list(splitter.split(X, y))
    scored = np.concatenate([test for _, test in folds])
    assert chosen.rows == scored.tolist()
    assert fitted_on(Spy) == ([] if frozen else [*(train.tolist() for train, _ in folds), list(range(N))])
    if not frozen:
        assert all(not set(rows) & set(seen) for rows, seen in Spy.asked)
    if calibration is not None:
        assert len(RecordingCalibrator.fits) == len(folds) + 1
        assert sorted(fitted_on(RecordingCalibrator)[-1]) == sorted(scored)
        for (rows, seen), (_, test) in zip(RecordingCalibrator.asked, folds, strict=True):
            assert rows.tolist() == test.tolist()
            assert set(seen) == set(scored) - set(test)


def test_out_of_fold_probabilities_choose_and_a_model_of_all_rows_predicts(three):
    X, y = three
    model = tuned(objective="coverage", target=0.4, cv=4).fit(X, y)
    score = cross_val_predict(logistic(), X, y, cv=4, method="predict_proba").max(axis=1)
    assert (score >= model.threshold_).sum() == 120  # no ties
    assert model.threshold_ in score
    np.testing.assert_array_equal(model.predict_proba(X), logistic().fit(X, y).predict_proba(X))
    assert model.coverage_ == 0.4


def test_a_splitter_with_a_single_split_holds_out(numbered, chosen):
    X, y = numbered
    split = ShuffleSplit(1, test_size=0.4, random_state=0)
    tuned(Spy(), cv=split, confidence=chosen, **LEVEL).fit(X, y)  # without a warning: the level is exact
    train, test = next(split.split(X))
    assert fitted_on(Spy) == [train.tolist()]
    assert chosen.rows == test.tolist()


def test_a_level_with_cross_fitting_is_said_to_be_approximate(binary):
    with pytest.warns(UserWarning, match=r"confidence_level=0.5 is approximate.*cv=0.2"):
        tuned(cv=3, **LEVEL).fit(*binary)


@pytest.mark.parametrize("cv", [RepeatedStratifiedKFold(n_splits=3, n_repeats=2), ShuffleSplit(3, random_state=0)])
def test_a_level_counts_no_sample_twice(numbered, chosen, cv):
    with pytest.raises(ValueError, match=r"several times.*independent.*cv=0.2"):
        tuned(Spy(), cv=cv, **LEVEL).fit(*numbered)
    assert Spy.fits == []


def test_random_state_draws_the_held_out_part(numbered, chosen):
    X, y = numbered
    for seed in (0, 0, 1):
        tuned(Spy(), **LEVEL | {"random_state": seed}).fit(X, y)
    assert Spy.fits[0][0].tolist() == Spy.fits[1][0].tolist() != Spy.fits[2][0].tolist()


# --- groups, weights and other metadata --------------------------------------------------------------------------

GROUPS = np.arange(N) % 12


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize(
    "splitter", [GroupKFold(3), GroupShuffleSplit(1, test_size=0.25, random_state=0), 3], ids=["folds", "part", "int"]
)
def test_groups_reach_the_splitter(numbered, chosen, splitter, routed):
    X, y = numbered
    with sklearn.config_context(enable_metadata_routing=routed):
        cv = splitter.set_split_request(groups=True) if routed and splitter != 3 else splitter
        tuned(Spy(), confidence=chosen, cv=cv, **HALF).fit(X, y, groups=GROUPS)
    assert Spy.asked
    for rows, seen in Spy.asked:
        assert not set(GROUPS[rows]) & set(GROUPS[seen])


def test_groups_go_through_cross_validate(numbered, chosen):
    X, y = numbered
    with routing():
        model = tuned(Spy(), cv=GroupKFold(3), **HALF)
        cross_validate(model, X, y, cv=GroupKFold(2), params={"groups": GROUPS}, error_score="raise")
    assert len(Spy.fits) == 2 * 4
    inner = [pair for pair in Spy.asked if len(pair[0]) == N / 6]
    assert len(inner) == 2 * 3
    for rows, seen in Spy.asked:
        assert not set(GROUPS[rows]) & set(GROUPS[seen])


@pytest.mark.parametrize("routed", [False, True])
def test_the_promise_within_cross_validate_is_of_groups_only_where_they_are_routed(numbered, routed):
    X, y = numbered
    groups, splitter = np.arange(N) // 5, GroupKFold(2)
    given = {"params": {"groups": groups}} if routed else {"groups": groups}
    with sklearn.config_context(enable_metadata_routing=routed):
        found = cross_validate(tuned(**LEVEL), X, y, cv=splitter, return_estimator=True, error_score="raise", **given)
    for model, (train, _) in zip(found["estimator"], splitter.split(X, y, groups), strict=True):
        for known in (True, False):
            alone = tuned(**LEVEL).fit(X[train], y[train], **({"groups": groups[train]} if known else {}))
            same = np.array_equal(model.cv_results_["coverage"], alone.cv_results_["coverage"])
            assert same == (known == routed)


@pytest.mark.parametrize("routed", [False, True])
@pytest.mark.parametrize("calibration", [None, RecordingCalibrator()], ids=["plain", "calibrated"])
@pytest.mark.parametrize("params", [LEVEL, {"cv": 0.25, **HALF}], ids=["level", "fraction"])
def test_a_held_out_fraction_has_whole_groups(numbered, chosen, params, calibration, routed):
    with sklearn.config_context(enable_metadata_routing=routed):
        tuned(Spy(), confidence=chosen, calibration=calibration, **params).fit(*numbered, groups=GROUPS)
    parts = [rows for recorder in (Spy, RecordingCalibrator) for rows, _ in recorder.fits]
    asked = [rows for rows, _ in Spy.asked]
    parts.append(asked[-1])
    assert len(asked) == 1 + (calibration is not None)
    assert everyone(*parts)
    groups = [set(GROUPS[rows]) for rows in parts]
    assert sum(map(len, groups)) == 12
    assert len(groups[-1]) == (3 if "cv" in params else 2)
    assert len(chosen.rows) == len(parts[-1])


@pytest.mark.parametrize("cv", [None, 0.5, GroupShuffleSplit(1, test_size=0.5, random_state=0), GroupKFold(3)], ids=str)
@pytest.mark.filterwarnings("ignore:confidence_level=0.5 is approximate")
def test_with_a_level_one_row_of_each_held_out_group_counts(numbered, cv):
    groups = np.arange(N) // 5
    model = tuned(cv=cv, **LEVEL).fit(*numbered, groups=groups)
    n_groups = 60 if isinstance(cv, GroupKFold) else 60 * (0.2 if cv is None else 0.5)
    assert model.feasible_
    assert model.cv_results_["coverage"][1] * n_groups == pytest.approx(
        round(model.cv_results_["coverage"][1] * n_groups)
    )
    ends = model.cv_results_["coverage"] * n_groups
    assert ends[-1] == n_groups
    np.testing.assert_allclose(ends, ends.round(), atol=1e-9)


@pytest.mark.parametrize("cv", [ShuffleSplit(1, test_size=0.3, random_state=0), KFold(3)], ids=str)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_with_a_level_no_group_is_torn_apart(numbered, chosen, cv):
    with pytest.raises(ValueError, match=r"12 groups have .* such as the group of row 0\. .*GroupShuffleSplit"):
        tuned(Spy(), cv=cv, **LEVEL).fit(*numbered, groups=GROUPS)
    assert Spy.fits == []


def test_a_single_group_cannot_be_held_out(numbered):
    with pytest.raises(ValueError, match="too few groups"):
        tuned(**LEVEL).fit(*numbered, groups=np.zeros(N))


@pytest.fixture
def weight():
    return np.random.default_rng(5).integers(1, 9, N).astype(float)


@pytest.mark.parametrize("container", [np.asarray, list, pd.Series])
@pytest.mark.parametrize("routed", [False, True])
def test_sample_weight_reaches_the_classifier_and_the_calibrator(numbered, chosen, weight, routed, container):
    X, y = numbered
    with sklearn.config_context(enable_metadata_routing=routed):
        inner = Spy().set_fit_request(sample_weight=True) if routed else Spy()
        model = tuned(inner, calibration=RecordingCalibrator(), cv=2, **HALF)
        model.fit(X, y, sample_weight=container(weight))
    for recorder in (Spy, RecordingCalibrator):
        assert len(recorder.fits) == 3
        for rows, got in recorder.fits:
            np.testing.assert_array_equal(got, weight[rows])


def test_weights_count_where_the_threshold_is_chosen(three, weight):
    X, y = three
    frozen = FrozenEstimator(logistic().fit(X, y))
    score = frozen.predict_proba(X).max(axis=1)
    wrong = frozen.predict(X) != y
    model = tuned(frozen, objective="coverage", target=0.5).fit(X, y, sample_weight=weight)
    reached = weight[score >= model.threshold_].sum() / weight.sum()
    assert model.coverage_ == pytest.approx(reached)
    assert weight[score > model.threshold_].sum() / weight.sum() < 0.5 <= reached
    assert model.risk_ == pytest.approx(
        np.average(wrong[score >= model.threshold_], weights=weight[score >= model.threshold_])
    )


def test_with_a_level_every_sample_counts_once(three, weight):
    X, y = three
    frozen = FrozenEstimator(logistic().fit(X, y))
    params = OBJECTIVES["risk, level"]
    plain, weighted = tuned(frozen, **params).fit(X, y), tuned(frozen, **params).fit(X, y, sample_weight=weight)
    assert 0 < plain.threshold_ == weighted.threshold_ < np.inf
    assert plain.risk_ == weighted.risk_


def test_weights_that_are_zero_on_the_choosing_part_are_an_error(binary):
    half = np.arange(N) < N / 2
    with pytest.raises(ValueError, match="zero for all samples that choose"):
        tuned(cv=[(np.flatnonzero(half), np.flatnonzero(~half))]).fit(*binary, sample_weight=half.astype(float))


def test_an_early_stopping_xgboost_takes_an_eval_set(binary):
    X, y = binary[0], np.array(["n", "p"])[binary[1]]
    inner = xgb(n_estimators=50, early_stopping_rounds=3, learning_rate=1.0)
    with routing():
        inner.set_fit_request(eval_set=True, verbose=True)
        model = tuned(inner, cv=2, calibration="platt", **HALF)
        model.fit(X[:200], y[:200], eval_set=[(X[200:], y[200:])], verbose=False)
    assert model.estimator_.best_iteration < 49
    assert set(model.predict(X)) == {"n", "p", "reject"}


def test_without_routing_an_eval_set_reaches_xgboost(binary):
    X, y = binary
    model = tuned(xgb(n_estimators=50, early_stopping_rounds=3, learning_rate=1.0), **LEVEL)
    model.fit(X[:200], y[:200], eval_set=[(X[200:], y[200:])], verbose=False)
    assert model.estimator_.best_iteration < 49


# --- what a fitted one says of itself ----------------------------------------------------------------------------

OBJECTIVES = {
    "risk": {"target": 0.1},
    "risk, level": {"target": 0.12, "confidence_level": 0.8},
    "coverage": HALF,
    "cost": {"objective": "cost", "reject_cost": 0.3},
    "cost matrix": {"objective": "cost", "reject_cost": 0.3, "cost_matrix": [[0, 1, 2], [1, 0, 1], [4, 1, 0]]},
    "cwsa": {"objective": "cwsa"},
    "cwsa_plus": {"objective": "cwsa_plus"},
    "function": {"objective": lambda curve: curve.coverage - 5 * curve.risk},
    "thresholds": {"target": 0.1, "thresholds": [0.4, 0.6, 0.8]},
}


@pytest.mark.parametrize("params", list(OBJECTIVES.values()), ids=list(OBJECTIVES))
def test_attributes_agree_with_each_other_and_with_the_samples_that_chose(three, params):
    X, y = three
    frozen = FrozenEstimator(logistic().fit(X, y))
    model = tuned(frozen, **params).fit(X, y)
    accepted = model.accept(X)
    assert accepted.any()
    assert not accepted.all() or params.get("objective") in ("cwsa", "cwsa_plus")
    assert model.feasible_ is True
    assert model.coverage_ == accepted.mean()
    costs = np.array(params.get("cost_matrix", 1 - np.eye(3)))
    answers = frozen.classes_[(frozen.predict_proba(X) @ costs).argmin(axis=1)]
    assert model.risk_ == pytest.approx((answers != y)[accepted].mean())
    results = model.cv_results_
    assert list(results) == ["threshold", "coverage", "risk", "risk_upper_bound", "objective"]
    assert results["threshold"][0] == np.inf
    assert (np.diff(results["threshold"]) < 0).all()
    assert len({len(column) for column in results.values()}) == 1
    at = results["threshold"].tolist().index(model.threshold_)
    assert results["coverage"][at] == model.coverage_
    assert results["risk"][at] == model.risk_
    assert results["objective"][at] == np.nanmax(results["objective"])
    assert np.array_equal(results["risk_upper_bound"][at], model.risk_upper_bound_, equal_nan=True)
    assert np.isnan(model.risk_upper_bound_) == ("confidence_level" not in params)
    if params.get("objective") in ("cwsa", "cwsa_plus"):
        score = get_scorer(params["objective"])(model, X, y)
        assert score == pytest.approx(np.nanmax(results["objective"]))
    for value in (model.threshold_, model.coverage_, model.risk_, model.risk_upper_bound_):
        assert type(value) is float


def test_given_thresholds_are_those_to_choose_from(three):
    X, y = three
    model = tuned(thresholds=[0.7, 0.6, 0.8, 0.7], target=0.25).fit(X, y)
    assert model.cv_results_["threshold"].tolist() == [np.inf, 0.8, 0.7, 0.6]
    assert model.threshold_ == 0.6
    model = tuned(thresholds=[0.2, 0.8], target=0.25).fit(X, y)  # of three classes, one has more than 0.2
    assert model.cv_results_["threshold"].tolist() == [np.inf, 0.8, 0.2]
    assert (model.threshold_, model.coverage_) == (0, 1)


def test_cost_matrix_has_true_classes_in_rows(binary):
    X, y = binary
    frozen = FrozenEstimator(logistic().fit(X, y))
    costs = np.array([[0, 4], [1, 0]])  # a 0 that is taken for a 1 costs more
    predicted = (frozen.predict_proba(X)[:, 1] > 0.8).astype(int)
    model = tuned(frozen, objective="cost", reject_cost=0.3, cost_matrix=costs).fit(X, y)
    accepted = model.accept(X)
    assert 0 < accepted.mean() < 1
    cost = costs[y, predicted][accepted].sum() + 0.3 * (~accepted).sum()
    assert model.cv_results_["objective"].max() == pytest.approx(-cost / N)
    assert (model.predict(X)[accepted] == predicted[accepted]).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "params",
    [ALL, {"target": 1.0}, {"target": 1.0, "confidence_level": 0.9}, {"objective": "cost", "reject_cost": 0.99}],
)
def test_the_threshold_is_zero_where_every_sample_is_accepted(three, weight, params, weighted):
    X, y = three
    model = tuned(**params).fit(X, y, **{"sample_weight": weight / 7} if weighted else {})
    assert model.threshold_ == 0
    assert model.coverage_ == 1
    assert model.accept(X).all()


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"target": 0.0}, "the observed risk is above target=0.0 at every threshold"),
        (
            {"target": 0.001, "confidence_level": 0.99},
            r"60 samples cannot show .*target=0.001.*0.99: at least 4,603 samples without an error are needed",
        ),
        (
            {"target": 0.05, "confidence_level": 0.9},
            "was shown .*=0.05 at confidence_level=0.9. The closest one has .* errors among",
        ),
        ({"objective": "cost", "reject_cost": 0.0}, "'cost'"),
        ({"objective": "coverage", "target": 0.9, "thresholds": [0.95]}, "reaches a coverage of target=0.9"),
        ({"objective": lambda curve: np.full(len(curve.risk), np.nan)}, "'a function'"),
    ],
)
def test_where_no_threshold_qualifies_a_warning_says_so_and_everything_is_rejected(params, why):
    X, y = np.zeros((N, 1)), np.arange(N) % 2  # nothing to learn
    with pytest.warns(UserWarning, match=f"Everything is rejected: .*{why}.*cv_results_") as caught:
        model = tuned(random_state=0, **params).fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert model.threshold_ == np.inf
    assert model.feasible_ is False
    assert model.coverage_ == 0
    assert np.isnan(model.risk_)
    assert np.isnan(model.risk_upper_bound_)
    assert not model.accept(X).any()
    assert set(model.predict(X)) == {-1}
    assert model.score(X, y) == 0
    assert model.predict_proba(X).shape == (N, 2)


def test_warnings_name_the_line_that_called_fit(binary):
    model, line = tuned(cv=3, **LEVEL), inspect.currentframe().f_lineno + 2
    with pytest.warns(UserWarning, match="approximate") as caught:
        model.fit(*binary)
    assert {(warning.filename, warning.lineno) for warning in caught} == {(__file__, line)}


def test_scorers_and_profiles_read_the_threshold(three):
    X, y = three
    model = tuned(**HALF).fit(X, y)
    base = logistic().fit(X, y)
    accepted = base.predict_proba(X).max(axis=1) >= model.threshold_
    right = base.predict(X) == y
    assert ConfidenceProfile.from_estimator(model, X, y).threshold == model.threshold_
    for outer in (model, make_pipeline("passthrough", model), GridSearchCV(model, {"target": [0.5]}).fit(X, y)):
        scores = confidence_scoring(["coverage", "selective_accuracy", "cwsa"])(outer, X, y)
        assert scores["coverage"] == accepted.mean()
        assert scores["selective_accuracy"] == pytest.approx(right[accepted].mean())
        assert scores["cwsa"] == get_scorer("cwsa", threshold=model.threshold_)(base, X, y)


@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_scorers_and_profiles_read_an_infinite_threshold(three):
    X, y = three
    model = tuned(target=0.0, thresholds=[0.4]).fit(X, y)
    assert ConfidenceProfile.from_estimator(model, X, y).threshold == np.inf
    with pytest.warns(UndefinedMetricWarning):
        scores = confidence_scoring(["coverage", "selective_accuracy", "cwsa", "cw_accuracy"])(model, X, y)
    base = logistic().fit(X, y)
    assert scores["coverage"] == 0
    assert np.isnan(scores["selective_accuracy"])
    assert scores["cwsa"] == 0
    assert scores["cw_accuracy"] == get_scorer("cw_accuracy")(base, X, y)


# --- fitted again ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_a_second_fit_forgets_the_first(three, binary):
    model = tuned(calibration="platt", target=0.4, confidence_level=0.8, random_state=0)
    model.fit(pd.DataFrame(three[0], columns=list("abcdef")), three[1])
    assert model.risk_upper_bound_ <= 0.4
    model.set_params(confidence_level=None, calibration=None, objective="coverage", target=0.8)
    again = model.fit(binary[0], np.array(["n", "p"])[binary[1]])
    fresh = clone(model).fit(binary[0], np.array(["n", "p"])[binary[1]])
    assert vars(again).keys() == vars(fresh).keys()
    assert again.threshold_ == fresh.threshold_
    assert np.isnan(again.risk_upper_bound_)
    assert again.calibrator_ is None
    assert again.predict(binary[0]).tolist() == fresh.predict(binary[0]).tolist()
    infeasible = model.set_params(objective="risk", target=0.0, thresholds=[0.4]).fit(*binary)
    assert (infeasible.threshold_, infeasible.feasible_, infeasible.coverage_) == (np.inf, False, 0)


def test_an_equal_learned_confidence_is_the_same_score(binary):
    model = tuned(**HALF, cv=0.5, confidence=LearnedConfidence(), random_state=0).fit(*binary)  # which learns once
    expected = model.predict(binary[0]).tolist()
    assert model.set_params(confidence=LearnedConfidence()).predict(binary[0]).tolist() == expected
    with pytest.raises(ValueError, match="changed after fit"):
        model.set_params(confidence="max_proba").predict(binary[0])


@pytest.mark.parametrize("changed", [{"confidence": "entropy"}, {"keep_prediction": True}], ids=str)
def test_a_threshold_is_not_used_for_another_score(three, changed):
    """The scores changed, and the threshold stayed: its guarantee was void."""
    model = tuned(**HALF, calibration="platt").fit(*three)
    expected = model.predict(three[0])
    before = {name: model.get_params()[name] for name in changed}
    with pytest.raises(ValueError, match=r"changed after fit.* holds only for confidence='max_proba' .* fit again"):
        model.set_params(**changed).predict(three[0])
    for same in (model.set_params(**before), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(same.predict(three[0]), expected)
    model.set_params(**changed).fit(*three).predict(three[0])


@pytest.mark.parametrize(
    "bad", [{"estimator__C": -1.0}, {"objective": broken}, {"target": 2.0}], ids=["inner", "broken", "target"]
)
def test_a_failed_fit_leaves_the_fit_before_as_it_was(binary, three, bad):
    model = tuned(**HALF).fit(*binary)
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    expected = model.predict_selective(binary[0])
    model.set_params(**bad)
    with pytest.raises((ValueError, ZeroDivisionError)):
        model.fit(*three)
    assert {name: value for name, value in vars(model).items() if name.endswith("_")} == before
    model.set_params(estimator__C=1.0, **HALF)
    for one, other in zip(expected, model.predict_selective(binary[0]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_before_and_after_a_failed_first_fit_it_is_not_fitted(binary):
    model = tuned(logistic(C=-1.0))
    for _ in range(2):
        with pytest.raises(NotFittedError, match="TunedSelectiveClassifierCV"):
            model.predict(binary[0])
        with pytest.raises(ValueError, match="'C' parameter"):
            model.fit(*binary)


# --- bad input, refused before anything is fitted ----------------------------------------------------------------

SWAP = [[0, 1], [1, 0]]

CONTRADICTIONS = [
    ({"objective": "nonsense"}, "'objective' parameter"),
    ({"objective": None}, "'objective' parameter"),
    ({"objective": "coverage", "confidence_level": 0.9}, "confidence_level can be used only with objective='risk'"),
    ({"objective": lambda curve: curve.risk, "confidence_level": 0.9}, "confidence_level.*'a function'"),
    ({"target": 0, "confidence_level": 0.9}, "target must be above 0"),
    ({"objective": "coverage", "target": 0}, "target.*must be above 0"),
    ({"target": 1.5}, "'target' parameter"),
    ({"target": -0.1}, "'target' parameter"),
    ({"target": np.nan}, "'target' parameter"),
    ({"target": None}, "'target' parameter"),
    ({"confidence_level": 1.0}, "'confidence_level' parameter"),
    ({"confidence_level": 0.0}, "'confidence_level' parameter"),
    ({"confidence_level": 95}, "'confidence_level' parameter"),
    ({"n_candidates": 0}, "'n_candidates' parameter"),
    ({"n_candidates": 2.5}, "'n_candidates' parameter"),
    ({"objective": "cost"}, "needs reject_cost"),
    ({"objective": "cost", "cost_matrix": np.ones((2, 2))}, "needs reject_cost"),
    ({"objective": "cost", "reject_cost": -0.1}, "'reject_cost' parameter"),
    ({"objective": "cost", "reject_cost": np.inf}, "'reject_cost' parameter"),
    ({"reject_cost": 0.1}, "reject_cost can be used only with objective='cost'"),
    ({"cost_matrix": SWAP, "keep_prediction": True}, "keep_prediction=True contradicts costs"),
    ({"cost_matrix": SWAP, "confidence": "entropy"}, "confidence='entropy' contradicts costs"),
    ({"cost_matrix": SWAP, "objective": "cwsa"}, "objective='cwsa'.*cost_matrix=None"),
    ({"decisions": [0, 1]}, "decisions were named, but no costs"),
    ({"cost_matrix": SWAP, "decisions": ["call", "wait"]}, "objective='risk' counts errors"),
    ({"cost_matrix": SWAP, "decisions": ["call", "call"]}, "decisions must be distinct"),
    ({"cost_matrix": SWAP, "decisions": ["call"]}, "2 columns, but there are 1 decisions"),
    (
        {"cost_matrix": [[0, 1, 2], [1, 0, 2]]},
        r"3 decisions for 2 classes, so the decisions need names. Pass for example decisions=",
    ),
    ({"cost_matrix": np.zeros((2, 2))}, "costs nothing, whatever the true class is"),
    ({"cost_matrix": SWAP, "decisions": ["a", "b"], "objective": "coverage", "reject_label": "a"}, "of the decisions"),
    ({"objective": lambda curve: curve.risk, "reject_cost": 0.1}, "reject_cost can be used only with objective='cost'"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": np.ones((3, 3))}, "3 rows.* 2 classes"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": [0, 1]}, "cost_matrix must have shape"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": [[0, -1], [1, 0]]}, "cost_matrix must hold"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": [[0, np.nan], [1, 0]]}, "cost_matrix must hold"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": [["a", "b"], ["c", "d"]]}, "cost_matrix could not"),
    ({"objective": "cost", "reject_cost": 0.1, "cost_matrix": [[0, 1], [1]]}, "cost_matrix could not"),
    ({"thresholds": []}, "thresholds must be"),
    ({"thresholds": [0.5, 1.5]}, "thresholds must be"),
    ({"thresholds": [0.5, np.nan]}, "thresholds must be"),
    ({"thresholds": [[0.5]]}, "thresholds must be"),
    ({"thresholds": ["high"]}, "thresholds could not"),
    ({"thresholds": 100}, "'thresholds' parameter"),
    ({"objective": "cwsa", "confidence": "margin"}, "objective='cwsa'.*max_proba"),
    ({"objective": "cwsa_plus", "confidence": lambda proba: proba[:, 0]}, "objective='cwsa_plus'.*max_proba"),
    ({"confidence": "nonsense"}, "'confidence' parameter"),
    ({"calibration": "nonsense"}, "'calibration' parameter"),
    ({"cv": 1}, "'cv' parameter"),
    ({"cv": 1.0}, "'cv' parameter"),
    ({"cv": "prefit"}, "'cv' parameter"),
    ({"reject_label": 1}, "reject_label=1"),
]


@pytest.mark.parametrize(
    ("params", "message"), CONTRADICTIONS, ids=[f"{number}" for number in range(len(CONTRADICTIONS))]
)
def test_bad_parameters_are_refused_before_anything_is_fitted(numbered, chosen, params, message):
    with pytest.raises(ValueError, match=message):
        tuned(Spy(), **params).fit(*numbered)
    assert Spy.fits == []


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda curve: curve.risk[1:], r"each of 300 thresholds, but returned shape \(299,\)"),
        (lambda curve: curve.risk[:, np.newaxis], r"shape \(300, 1\)"),
        (lambda curve: curve.risk.max(), r"shape \(\)"),
        (print, r"shape \(\)"),
        (lambda curve: ["high"] * len(curve.risk), "objective returned could not be read as numbers"),
    ],
)
def test_an_objective_that_returns_anything_but_a_value_for_each_threshold_is_an_error(binary, returned, message):
    frozen = FrozenEstimator(logistic().fit(*binary))
    with pytest.raises(ValueError, match=message):
        tuned(frozen, objective=returned).fit(*binary)


def test_an_error_in_an_objective_is_the_users_to_see(binary):
    with pytest.raises(ZeroDivisionError):
        tuned(objective=broken).fit(*binary)


def test_an_infinite_value_of_an_objective_is_the_largest(binary):
    frozen = FrozenEstimator(logistic().fit(*binary))
    model = tuned(frozen, objective=lambda curve: np.where(curve.coverage <= 0.5, np.inf, 0.0)).fit(*binary)
    assert model.coverage_ == 0.5


@pytest.mark.filterwarnings(
    "ignore:Everything is rejected", "ignore:.*leaves the probabilities of", "ignore:The least populated class"
)
@pytest.mark.parametrize("calibration", [None, "platt"])
@pytest.mark.parametrize("params", [{}, {"cv": 2}, {"cv": 0.5}, LEVEL], ids=["default", "two folds", "half", "level"])
@pytest.mark.parametrize("n_samples", [1, 2, 3, 10])
def test_few_samples_are_enough_or_the_error_says_how_many_there_are(binary, n_samples, params, calibration):
    X, y = binary[0][:n_samples], np.arange(n_samples) % 2
    model = tuned(DecisionTreeClassifier(), calibration=calibration, **params)
    try:
        model.fit(X, y)
    except ValueError as error:
        assert n_samples < 5
        assert f"n_samples={n_samples}" in str(error) or "members in each class" in str(error)  # noqa: PT017
    else:
        assert model.accept(X).shape == (n_samples,)
        assert n_samples > 1


# --- classes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params", [{}, ALL, {"cv": 0.3, "random_state": 0}, {"confidence": "margin"}, {"confidence": "entropy"}]
)
def test_a_single_class_is_always_right(binary, params):
    model = tuned(DecisionTreeClassifier(), **params).fit(binary[0], np.full(N, 7))
    assert model.classes_.tolist() == [7]
    assert (model.threshold_, model.risk_) == (0, 0)
    assert set(model.predict(binary[0])) == {7}


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(max_depth=2), "xgb"], ids=["tree", "xgb"])
@pytest.mark.filterwarnings("ignore:.*leaves the probabilities of", "ignore:Everything is rejected")
@pytest.mark.parametrize("calibration", [None, "platt", "isotonic"])
def test_classes_may_be_absent_from_parts(three, estimator, calibration):
    order = np.argsort(three[1], kind="stable")
    X, y = three[0][order], np.array(["b", "c", "d"])[three[1]][order]
    cv = PredefinedSplit(np.searchsorted(["b", "c", "d"], y))  # each fold trains on the two other classes
    model = tuned(xgb() if estimator == "xgb" else estimator, calibration=calibration, cv=cv, **HALF).fit(X, y)
    assert model.risk_ == 1  # nobody predicts a class it has not seen
    assert model.predict_proba(X).shape == (N, 3)
    assert set(model.predict(X)) <= {"b", "c", "d", "reject"}


def test_a_class_that_is_absent_from_the_choosing_part_is_a_class(three):
    X, y = three
    some = y != 2
    frozen = FrozenEstimator(logistic().fit(X, y))
    model = tuned(frozen, **HALF).fit(X[some], y[some])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.risk_ == pytest.approx((frozen.predict(X) != y)[some][model.accept(X[some])].mean())


@pytest.mark.parametrize("calibration", [None, "isotonic"])
def test_xgboost_takes_any_labels(three, calibration):
    X, code = three
    y = np.array(["spam", "ham", "eggs"])[code]
    model = tuned(xgb(), calibration=calibration, cv=3, **HALF).fit(X, y)
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    accepted = model.accept(X)
    assert set(model.predict(X)[~accepted]) == {"reject"}
    assert (model.predict(X) == y)[accepted].mean() > 0.5


# --- inputs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
@pytest.mark.parametrize("params", [HALF, LEVEL], ids=["cross-fitted", "held out"])
def test_sparse_features(binary, make, params):
    X, y = binary[0] * (np.abs(binary[0]) > 0.5), binary[1]
    inner = logistic(solver="liblinear", tol=1e-10)
    dense, thin = tuned(inner, **params).fit(X, y), tuned(inner, **params).fit(make(X), y)
    assert thin.threshold_ == pytest.approx(dense.threshold_, abs=1e-6)
    np.testing.assert_allclose(thin.predict_proba(make(X)), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize(
    "params", [HALF, {"target": 0.4, "confidence_level": 0.5, "random_state": 0}], ids=["cross-fitted", "held out"]
)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(binary, library, params):
    module = pytest.importorskip(library)
    X, y = binary[0], np.array(["no", "yes"])[binary[1]]
    frame, column = module.DataFrame(dict(zip("abcde", X.T, strict=True))), module.Series(y.tolist())
    plain = tuned(calibration="platt", **params).fit(X, y)
    model = tuned(calibration="platt", **params).fit(frame, column)
    assert list(model.feature_names_in_) == list("abcde")
    assert model.threshold_ == pytest.approx(plain.threshold_, rel=1e-12)
    np.testing.assert_array_equal(model.accept(frame), plain.accept(X))
    assert model.score(frame, column) == plain.score(X, y)


def test_float32_scores_are_compared_as_they_are(three):
    X, y = three[0].astype(np.float32), three[1]
    frozen = FrozenEstimator(xgb().fit(X, y))
    model = tuned(frozen, **HALF).fit(X, y)
    assert model.accept(X).mean() == model.coverage_ >= 0.5


# --- a good estimator --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", [None, "platt"])
def test_n_jobs_changes_nothing(three, calibration):
    with joblib.parallel_config(backend="threading"):
        one, two = (tuned(calibration=calibration, n_jobs=n_jobs, **HALF).fit(*three) for n_jobs in (None, 2))
    assert one.threshold_ == two.threshold_
    np.testing.assert_array_equal(one.predict_proba(three[0]), two.predict_proba(three[0]))


def test_parameters_are_set_and_cloned_and_left_alone(three):
    inner = logistic()
    model = tuned(inner, calibration="platt", thresholds=[0.2, 0.5], target=0.9)
    before = model.get_params()
    model.fit(*three)
    assert model.get_params() == before
    assert not hasattr(inner, "coef_")
    copy = clone(model).set_params(estimator__C=7.0, objective="cost", reject_cost=0.2)
    assert not hasattr(copy, "threshold_")
    assert (copy.estimator.C, copy.objective, copy.thresholds) == (7.0, "cost", [0.2, 0.5])
    with pytest.raises(ValueError, match="threshold"):
        model.set_params(threshold=0.5)  # it is found, not given


def test_all_parameters_but_the_classifier_are_given_by_name():
    first, *others = inspect.signature(TunedSelectiveClassifierCV).parameters.values()
    assert (first.name, first.kind) == ("estimator", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert {parameter.kind for parameter in others} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("params", [HALF, LEVEL, {"calibration": "isotonic", **HALF}], ids=str)
def test_pickle_keeps_everything(three, params):
    X, y = three
    model = tuned(**params).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert twin.threshold_ == model.threshold_
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.cv_results_["objective"], model.cv_results_["objective"])


@pytest.mark.parametrize("fitted", [False, True])
def test_html_repr_shows_both_classifiers(three, fitted):
    model = tuned(logistic(C=0.123), **HALF)
    html = (model.fit(*three) if fitted else model)._repr_html_()
    for part in ("TunedSelectiveClassifierCV", "LogisticRegression", "0.123"):
        assert part in html


def test_it_nests_in_searches_and_pipelines(three):
    X, y = three[0], np.array(["x", "y", "z"])[three[1]]
    pipeline = make_pipeline(StandardScaler(), tuned(xgb(), objective="coverage", cv=2))
    step = "tunedselectiveclassifiercv"
    grid = {
        f"{step}__target": [0.3, 0.9],
        f"{step}__calibration": [None, "platt"],
        f"{step}__estimator__max_depth": [1],
    }
    scoring = confidence_scoring(["selective_accuracy", "coverage", "cwsa"])
    search = GridSearchCV(pipeline, grid, cv=2, scoring=scoring, refit="selective_accuracy", error_score="raise")
    search.fit(X, y)
    assert search.best_params_[f"{step}__target"] == 0.3  # fewer, and surer ones
    coverage = search.cv_results_["mean_test_coverage"]
    wide = search.cv_results_[f"param_{step}__target"] == 0.9
    assert coverage[wide].min() > coverage[~wide].max()
    assert set(search.predict(X)) <= {"x", "y", "z", "reject"}
    assert search.best_estimator_[-1].accept(search.best_estimator_[:-1].transform(X)).mean() < 0.6


def test_a_search_or_a_pipeline_goes_inside(three):
    X, y = three
    search = GridSearchCV(logistic(), {"C": [0.1, 1.0]}, cv=2)
    assert tuned(search, cv=2, **HALF).fit(X, y).estimator_.best_params_["C"] in (0.1, 1.0)
    model = tuned(make_pipeline(StandardScaler(), logistic()), **HALF).fit(X, y)
    assert model.n_features_in_ == 6
    assert model.coverage_ == 0.5


@pytest.mark.parametrize("calibration", [None, "platt", RecordingCalibrator()], ids=["plain", "named", "object"])
def test_it_agrees_with_the_selective_classifier_at_its_threshold(three, calibration):
    """Cross-fitted, both have the classifier and the calibrator of all samples."""
    X, y = three
    if isinstance(calibration, RecordingCalibrator):
        X, y = np.column_stack([np.arange(N), X])[y < 2], y[y < 2]
    inner = GaussianNB()
    model = tuned(inner, calibration=calibration, **HALF).fit(X, y)
    other = SelectiveClassifier(inner, calibration=calibration, threshold=model.threshold_).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(model.predict(X), other.predict(X))


@pytest.mark.parametrize("keep_prediction", [False, True])
def test_the_risk_is_that_of_the_predictions_that_are_made(three, keep_prediction):
    X, y = three
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    first, second = np.arange(150), np.arange(150, N)
    model = tuned(frozen, calibration="isotonic", keep_prediction=keep_prediction, cv=[(first, second)], **ALL).fit(
        X, y
    )
    predicted = model.predict(X)
    assert (predicted == frozen.predict(X)).all() == keep_prediction
    assert model.risk_ == pytest.approx((predicted != y)[second].mean())


# --- the guarantee, from the outside -----------------------------------------------------------------------------


def draw(n_samples, rng):
    """Return samples of three overlapping classes."""
    y = rng.integers(0, 3, n_samples)
    return rng.normal(size=(n_samples, 2)) + 2.0 * np.array([[0, 0], [1, 0], [0, 1]])[y], y


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_samples", "params"),
    [(300, {}), (300, {"cv": 0.5}), (300, {"calibration": "platt"}), (2000, {}), (60, {"cv": 0.5, "target": 0.4})],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_the_true_risk_of_a_fitted_one_is_within_the_target_as_often_as_promised(n_samples, params):
    rng = np.random.default_rng(0)
    X_new, y_new = draw(10_000, rng)
    failed = answered = 0
    for _ in range(500):
        X, y = draw(n_samples, rng)
        seed = int(rng.integers(2**31))
        params = {"target": 0.15} | params
        model = tuned(GaussianNB(), confidence_level=0.8, random_state=seed, **params).fit(X, y)
        if model.feasible_:
            accepted = model.accept(X_new)
            failed += (model.predict(X_new) != y_new)[accepted].mean() > params["target"]
            answered += accepted.mean()
    print(f"\n| {n_samples} | {params} | mean coverage {answered / 500:.3f} | failed {failed / 500:.3f} |")
    assert failed <= binom.ppf(0.999, 500, 0.2)


# --- searches ----------------------------------------------------------------------------------------------------


def around(three, **params):
    model = tuned(target=0.4, confidence_level=0.5, random_state=0, **params)
    return GridSearchCV(model, {"estimator__C": [0.01, 0.1, 1.0]}, cv=2).fit(*three)


def test_a_search_around_it_is_seen_to_break_the_level(three):
    search, line = around(three), inspect.currentframe().f_lineno + 2
    with pytest.warns(UserWarning, match=r"compared 3 candidates.*not hold.*0.5.*inside.*n_candidates=3") as caught:
        ConfidenceProfile.from_estimator(search, *three)
    assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)]
    with pytest.warns(UserWarning, match="compared 3 candidates"):
        get_scorer("coverage")(make_pipeline("passthrough", search), *three)


def test_candidates_that_share_the_level_or_a_search_inside_keep_it(three):
    ConfidenceProfile.from_estimator(around(three, n_candidates=3), *three)
    inside = GridSearchCV(logistic(), {"C": [0.01, 0.1, 1.0]}, cv=2)
    ConfidenceProfile.from_estimator(tuned(inside, **LEVEL).fit(*three), *three)
    without_level = GridSearchCV(tuned(**HALF), {"estimator__C": [0.1, 1.0]}, cv=2).fit(*three)
    ConfidenceProfile.from_estimator(without_level, *three)


def test_candidates_share_the_level_equally(three):
    X, y = three
    shared = tuned(target=0.3, confidence_level=0.9, n_candidates=4, cv=0.5, random_state=0).fit(X, y)
    alone = tuned(target=0.3, confidence_level=0.975, cv=0.5, random_state=0).fit(X, y)
    assert shared.threshold_ == alone.threshold_
    assert shared.risk_upper_bound_ == pytest.approx(alone.risk_upper_bound_)


@pytest.mark.parametrize("objective", ["cwsa", "cwsa_plus"])
def test_an_objective_without_an_optimum_inside_says_so(objective):
    """Ten answers are certain, or nearly, and right; of the others half are wrong."""
    sure = np.append(1 - np.geomspace(1e-15, 1e-13, 10), np.linspace(0.5, 0.7, 390))
    profile = ConfidenceProfile.from_correctness(np.append(np.ones(10), np.arange(390) % 2), sure)
    with pytest.warns(UserWarning, match=f"objective='{objective}' is largest at .* hard to compare"):
        found = tune_threshold(profile, objective=objective)
    assert found.coverage < 0.05


def test_an_optimum_inside_is_no_reason_to_warn():
    rng = np.random.default_rng(0)
    sure = np.append(rng.uniform(0.5, 0.7, 300), rng.uniform(0.9, 0.95, 300))
    profile = ConfidenceProfile.from_correctness(np.append(rng.random(300) < 0.5, np.ones(300, dtype=bool)), sure)
    assert tune_threshold(profile, objective="cwsa").coverage > 0.4
