"""A learned confidence inside selective classifiers: which rows it learns from, and which it never sees."""

import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification, make_hastie_10_2
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skconf
from skconf import ConfidenceProfile, SelectiveClassifier, TunedSelectiveClassifierCV, get_scorer
from skconf.calibration import LearnedConfidence
from skconf.metrics import aurc_loss

N = 600


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch):
    """Grow a fifth of the trees, which take most of the time."""

    def few(n_estimators, **given):
        return ExtraTreesClassifier(n_estimators // 5, **given)

    monkeypatch.setattr("skconf.calibration._stack.ExtraTreesClassifier", few)


class Recorder(BaseEstimator):
    """An estimator of correctness that tells what it got: X[:, 0] is the number of the row."""

    fits: ClassVar = []

    def fit(self, X, proba, correct, sample_weight=None, *, predicted=None, groups=None):
        Recorder.fits.append((X[:, 0].astype(int), proba, correct, sample_weight, predicted, groups))
        self.fitted_ = True
        return self

    def predict_confidence(self, X, proba, *, predicted=None):
        assert len(X) == len(proba) == len(predicted)
        return np.mod(X[:, 0] * 0.37, 1.0)


class Knower(Recorder):
    """A Recorder that wants to know the true class."""

    def fit(self, X, proba, correct, sample_weight=None, *, predicted=None, true_class=None, groups=None):
        self.known_ = correct, predicted, true_class
        return super().fit(X, proba, correct, sample_weight, predicted=predicted, groups=groups)


class Bayes(GaussianNB):
    """A classifier that does not look at the number of the row, and records the rows it is fitted on."""

    fits: ClassVar = []

    def fit(self, X, y, sample_weight=None):
        Bayes.fits.append(set(X[:, 0].astype(int).tolist()))
        return super().fit(X[:, 1:], y, sample_weight)

    def predict_proba(self, X):
        return super().predict_proba(X[:, 1:])


@pytest.fixture(autouse=True)
def forget():
    Recorder.fits.clear()
    Bayes.fits.clear()


@pytest.fixture(scope="module")
def task():
    X, y = make_classification(N, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=0)
    return np.column_stack([np.arange(N), X]), y


@pytest.mark.parametrize("calibration", [None, "platt"])
@pytest.mark.parametrize("params", [{}, {"cv": 0.3}, {"ensemble": True}, {"keep_prediction": True}], ids=str)
def test_it_learns_from_rows_that_their_classifier_has_not_seen(task, calibration, params):
    X, y = task
    weight = np.arange(1.0, N + 1)
    model = SelectiveClassifier(
        Bayes(), confidence=Recorder(), calibration=calibration, threshold=0.5, random_state=0, **params
    ).fit(X, y, sample_weight=weight)
    ((rows, proba, correct, w, predicted, groups),) = Recorder.fits
    assert len(set(rows)) == len(rows) == (0.3 * N if "cv" in params else N)
    if "cv" in params:
        assert not set(rows) & Bayes.fits[0]
    np.testing.assert_array_equal(w, weight[rows])
    np.testing.assert_array_equal(correct, predicted == y[rows])
    if calibration is None or not params.get("keep_prediction"):
        np.testing.assert_array_equal(predicted, proba.argmax(axis=1))
    assert groups is None
    score = np.mod(X[:, 0] * 0.37, 1.0)
    np.testing.assert_array_equal(model.predict_confidence(X), score)
    np.testing.assert_array_equal(model.accept(X), score >= 0.5)
    assert isinstance(model.confidence_, Recorder)


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("calibration", [None, "platt"])
@pytest.mark.parametrize("grouped", [False, True])
def test_with_a_confidence_level_the_rows_that_choose_are_never_seen(task, frozen, calibration, grouped):
    X, y = task
    inner = FrozenEstimator(Bayes().fit(X, y)) if frozen else Bayes()
    Bayes.fits.clear()
    model = TunedSelectiveClassifierCV(
        inner, confidence=Recorder(), calibration=calibration, confidence_level=0.9, target=0.6, random_state=0
    )
    groups = np.arange(N) // 4 if grouped else None
    model.fit(X, y, groups=groups)
    ((rows, *_, learned_groups),) = Recorder.fits
    assert len(rows) == pytest.approx(N / 2 if frozen else N / 5, abs=4)
    if not frozen:
        assert not set(rows) & Bayes.fits[0]
        assert len(Bayes.fits[0]) == pytest.approx(0.6 * N, abs=4)
    if grouped:
        assert learned_groups is not None
    # What chose: the curve counts the samples, and their scores are those of rows that taught nothing.
    score = np.mod(X[:, 0] * 0.37, 1.0)
    unseen = np.setdiff1d(np.arange(N), np.append(rows, list(Bayes.fits[0]) if Bayes.fits else []))
    assert model.threshold_ in score[unseen] or model.threshold_ in (0, np.inf)


def test_it_is_told_the_columns_of_the_true_classes_if_it_asks(task):
    X, y = task
    model = SelectiveClassifier(Bayes(), confidence=Knower()).fit(X, np.array(["c", "a", "b"])[y])
    rows = Recorder.fits[0][0]
    correct, predicted, true_class = model.confidence_.known_
    np.testing.assert_array_equal(np.array(["a", "b", "c"])[true_class], np.array(["c", "a", "b"])[y[rows]])
    np.testing.assert_array_equal(correct, predicted == true_class)


def test_cross_fitted_scores_come_from_other_folds(task):
    X, y = task
    TunedSelectiveClassifierCV(Bayes(), confidence=Recorder(), calibration="platt", cv=4, target=0.5).fit(X, y)
    *folds, final = [set(rows) for rows, *_ in Recorder.fits]
    assert [len(rows) for rows in folds] == [450] * 4
    assert set.intersection(*folds) == set()
    assert len(final) == N


def test_it_helps_where_the_classifier_leaves_something():
    X, y = make_hastie_10_2(3000, random_state=0)  # no line is near the boundary, which is a sphere
    losses = []
    for confidence in ("max_proba", LearnedConfidence()):
        model = SelectiveClassifier(LogisticRegression(), calibration="platt", confidence=confidence)
        profile = ConfidenceProfile.from_estimator(model.fit(X[:2000], y[:2000]), X[2000:], y[2000:])
        losses.append(aurc_loss(profile))
    assert losses[1] < 0.8 * losses[0]


def test_pipelines_searches_scorers_and_copies(task):
    X, y = task
    model = SelectiveClassifier(
        LogisticRegression(), calibration="platt", confidence=LearnedConfidence(cv=2), cv=2, threshold=0.5
    )
    pipeline = make_pipeline(StandardScaler(), model)
    scores = cross_validate(pipeline, X, y, cv=2, scoring={"aurc": get_scorer("neg_aurc")})
    assert np.isfinite(scores["test_aurc"]).all()
    grid = {"selectiveclassifier__confidence": ["max_proba", LearnedConfidence(cv=2)]}
    search = GridSearchCV(pipeline, grid | {"selectiveclassifier__threshold": [0.4]}, cv=2).fit(X, y)
    assert skconf.predict_selective(search, X).score.shape == (N,)
    assert clone(pipeline).set_params(selectiveclassifier__confidence__cv=3)[-1].confidence.cv == 3
    fitted = pipeline.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(skconf.predict_selective(again, X).score, skconf.predict_selective(fitted, X).score)


def test_it_contradicts_costs(task):
    model = SelectiveClassifier(Bayes(), confidence=LearnedConfidence(), reject_cost=0.2)
    with pytest.raises(ValueError, match=r"confidence=LearnedConfidence.* contradicts costs"):
        model.fit(*task)
