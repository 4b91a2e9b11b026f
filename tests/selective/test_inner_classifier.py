"""Early stopping inside selective classifiers: which rows evaluate, as a classifier that records them saw it."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV

xgboost = pytest.importorskip("xgboost")
N = 300


class Spy(ClassifierMixin, BaseEstimator):
    """A classifier that tells what it was fitted on, evaluated by and asked: X[:, 0] is the number of the row."""

    fits: ClassVar = []  # shared by all clones
    asked: ClassVar = []

    def fit(self, X, y, sample_weight=None, *, eval_set=None, sample_weight_eval_set=None):
        X = np.asarray(X)
        [(X_held, y_held)] = eval_set
        Spy.fits.append((X, np.asarray(y), sample_weight, np.asarray(X_held), np.asarray(y_held)))
        Spy.fits[-1] += (None if sample_weight_eval_set is None else sample_weight_eval_set[0],)
        self.model_ = GaussianNB().fit(X[:, 1:], y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        Spy.asked.append(np.asarray(X)[:, 0].astype(int))
        return self.model_.predict_proba(np.asarray(X)[:, 1:])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Recorded(BaseEstimator):
    """A transformer that adds 1000 to the number of the row, and tells which rows it learned from."""

    fits: ClassVar = []

    def fit(self, X, y=None, sample_weight=None):  # noqa: ARG002
        Recorded.fits.append(np.asarray(X)[:, 0].astype(int))
        self.fitted_ = True
        return self

    def transform(self, X):
        X = np.array(X)
        X[:, 0] += 1000
        return X


@pytest.fixture(autouse=True)
def forget():
    for record in (Spy.fits, Spy.asked, Recorded.fits):
        record.clear()


@pytest.fixture(scope="module")
def task():
    X, y = make_classification(N, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=0)
    return np.column_stack([np.arange(N), X]), np.array(["a", "b", "c"])[y]


def numbers(X):
    return set(X[:, 0].astype(int).tolist())


@pytest.mark.parametrize(
    ("model", "n_fits"),
    [
        (SelectiveClassifier(Spy()), 1),
        (SelectiveClassifier(Spy(), calibration="platt", cv=3), 4),
        (SelectiveClassifier(Spy(), calibration="platt", cv=3, ensemble=True), 3),
        (SelectiveClassifier(Spy(), calibration="platt", cv=0.3), 1),
        (TunedSelectiveClassifierCV(Spy(), target=0.5), 6),
        (TunedSelectiveClassifierCV(Spy(), target=0.5, confidence_level=0.9, calibration="platt"), 1),
    ],
    ids=str,
)
def test_no_row_that_calibrates_chooses_or_is_tested_evaluates(task, model, n_fits):
    X, y = task
    model = model.set_params(validation_fraction=0.2, random_state=0)
    for train, test in StratifiedKFold(4).split(X, y):
        Spy.fits.clear()
        Spy.asked.clear()
        model.fit(X[train], y[train]).predict(X[test])
        assert len(Spy.fits) == n_fits
        for fitted, y_fitted, _, held, y_held, _ in Spy.fits:
            assert numbers(fitted) | numbers(held) <= set(train)
            assert not numbers(fitted) & numbers(held)
            assert len(held) / (len(held) + len(fitted)) == pytest.approx(0.2, abs=0.01)
            assert list(y_held) == list(y[held[:, 0].astype(int)])
            share = pd.Series(y_held).value_counts(normalize=True) - pd.Series(y_fitted).value_counts(normalize=True)
            assert share.abs().max() < 0.05  # by class
        # The rows whose probabilities calibrate or choose are asked in the order of the fits.
        for (fitted, *_, held, _, _), asked in zip(Spy.fits, Spy.asked, strict=False):
            assert not set(asked) & (numbers(fitted) | numbers(held))


def test_weights_and_whole_groups_go_with_the_rows(task):
    X, y = task
    weight, groups = np.arange(1.0, N + 1), np.arange(N) // 5
    model = SelectiveClassifier(Spy(), calibration="platt", cv=GroupKFold(3), validation_fraction=0.25, random_state=1)
    model.fit(X, y, sample_weight=weight, groups=groups)
    assert len(Spy.fits) == 4
    for fitted, _, w, held, _, w_held in Spy.fits:
        for rows, given in ((fitted, w), (held, w_held)):
            np.testing.assert_array_equal(given, weight[rows[:, 0].astype(int)])
        assert not set(fitted[:, 0] // 5) & set(held[:, 0] // 5)


def test_the_seed_decides_which_rows(task):
    def held(seed):
        Spy.fits.clear()
        SelectiveClassifier(Spy(), validation_fraction=0.1, random_state=seed).fit(*task)
        return numbers(Spy.fits[0][3])

    assert held(0) == held(0) != held(1)


@pytest.mark.parametrize("routing", [False, True])
def test_the_steps_before_a_booster_learn_without_the_rows_and_transform_them(task, routing):
    X, y = task
    weight = np.arange(1.0, N + 1)
    spy, steps = Spy(), make_pipeline(StandardScaler(with_mean=False, with_std=False), Recorded())
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            spy.set_fit_request(sample_weight=True)
            steps[0].set_fit_request(sample_weight=False)
            steps[1].set_fit_request(sample_weight=False)
        inner = make_pipeline(steps, make_pipeline(spy))
        model = SelectiveClassifier(inner, validation_fraction=0.2, random_state=0)
        name = "sample_weight" if routing else "pipeline-2__spy__sample_weight"
        model.fit(X, y, **{name: weight})
        assert model.estimator_[-1][-1].model_ is not None
        assert isinstance(model.estimator_[-1][-1], Spy)
    ((fitted, _, w, held, _, w_held),) = Spy.fits
    assert numbers(fitted) | numbers(held) == set(range(1000, 1000 + N))
    assert set(Recorded.fits[-1].tolist()) == {row - 1000 for row in numbers(fitted)}
    np.testing.assert_array_equal(w, weight[fitted[:, 0].astype(int) - 1000])
    np.testing.assert_array_equal(w_held, weight[held[:, 0].astype(int) - 1000])
    assert (model.predict_proba(X).argmax(axis=1) == np.searchsorted(model.classes_, model.predict(X))).all()


def test_a_class_that_would_not_train_does(task):
    X, y = task
    y = np.where(np.arange(N) == 7, "rare", y)
    for seed in range(20):
        Spy.fits.clear()
        SelectiveClassifier(Spy(), validation_fraction=0.4, random_state=seed).fit(X, y)
        assert 7 in numbers(Spy.fits[0][0])
    with pytest.raises(ValueError, match=r"validation_fraction=0\.5 of 2 rows: the held-out rows cannot be evaluated"):
        SelectiveClassifier(Spy(), validation_fraction=0.5).fit(X[:2], ["a", "b"])


def early(**params):
    return xgboost.XGBClassifier(
        n_estimators=200, early_stopping_rounds=3, learning_rate=0.5, max_depth=2, n_jobs=1, **params
    )


@pytest.mark.parametrize("outside", [False, True], ids=["pipeline inside", "pipeline outside"])
@pytest.mark.parametrize("kind", [SelectiveClassifier, TunedSelectiveClassifierCV])
def test_an_xgboost_stops_early_in_cross_validation_and_searches(task, kind, outside, capsys):
    X, y = task
    given = {"calibration": "platt", "validation_fraction": 0.2, "cv": 2, "random_state": 0}
    if kind is TunedSelectiveClassifierCV:
        given |= {"objective": "coverage", "target": 0.8}
    if outside:
        model, prefix = make_pipeline(StandardScaler(), kind(early(), **given)), f"{kind.__name__.lower()}__estimator__"
    else:
        model, prefix = kind(make_pipeline(StandardScaler(), early()), **given), "estimator__xgbclassifier__"
    found = cross_validate(model, X, y, cv=2, return_estimator=True)
    assert np.isfinite(found["test_score"]).all()
    for each in found["estimator"]:
        booster = each[-1].estimator_ if outside else each.estimator_[-1]
        assert isinstance(booster, xgboost.XGBClassifier)
        assert 0 < booster.best_iteration < 199
    search = GridSearchCV(model, {f"{prefix}max_depth": [1, 2]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.3
    assert capsys.readouterr().out == ""  # XGBoost prints a line for each tree, unless told otherwise


def test_it_scores_like_rows_held_out_by_hand(task):
    X, y = task
    code = np.unique(y, return_inverse=True)[1]
    SelectiveClassifier(Spy(), validation_fraction=0.3, random_state=3).fit(X, y)
    held = np.isin(np.arange(N), list(numbers(Spy.fits[0][3])))
    expected = early().fit(X[~held], code[~held], eval_set=[(X[held], code[held])], verbose=False)
    model = SelectiveClassifier(early(), validation_fraction=0.3, random_state=3).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize(
    ("estimator", "params", "message"),
    [
        (LogisticRegression(), {}, r"The fit of LogisticRegression takes no eval_set\. Leave validation_fraction out"),
        (make_pipeline(StandardScaler(), GaussianNB()), {}, "The fit of GaussianNB takes no eval_set"),
        (GridSearchCV(Spy(), {}), {}, "and the selective classifier to the search"),
        (FrozenEstimator(LogisticRegression()), {}, "Leave validation_fraction out"),
        (Spy(), {"eval_set": []}, "fit got an eval_set, but validation_fraction=0.1 makes one for each fit"),
        (make_pipeline(Spy()), {"spy__eval_set": []}, "Leave eval_set or validation_fraction out"),
    ],
    ids=["no eval_set", "in a pipeline", "search", "frozen", "shared", "shared in a pipeline"],
)
def test_what_cannot_be_is_refused_before_anything_is_fitted(task, estimator, params, message):
    with pytest.raises(ValueError, match=message):
        SelectiveClassifier(estimator, validation_fraction=0.1).fit(*task, **params)
    assert not Spy.fits
