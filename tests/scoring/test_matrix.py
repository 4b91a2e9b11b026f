"""All scorers at once, for every kind of task and model, in every tool, against the metric functions called by hand."""

import warnings
from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from _support.scoring_cases import (
    MULTICLASS,
    RULED,
    all_by_hand,
    boosting,
    data,
    one_thread,  # noqa: F401
    preprocess,
    quiet,
)
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline

from skconf import SelectiveClassifier, confidence_scoring

FOLDS = KFold(3)
REFIT = "neg_ecuas_1"


class Counted(ClassifierMixin, BaseEstimator):
    """Notes how many samples each call asks the classifier inside about, whatever the method."""

    asked: ClassVar[list[tuple[str, int]]] = []

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X):
        Counted.asked.append(("predict", len(X)))
        return self.estimator_.predict(X)

    def predict_proba(self, X):
        Counted.asked.append(("predict_proba", len(X)))
        return self.estimator_.predict_proba(X)


def labels(n_classes):
    """Numbers of two or three classes; or of seven, the last of which only the first and the last fold have."""
    if n_classes < 7:
        return data(n_classes)[1]
    y = data(6)[1]
    y[[3, 140]] = 6
    return y


#: Names of the classes, and a threshold that some of the predictions clear.
TASKS = {
    "binary": (["yes", "no"], 0.7),
    "3 classes": (["middle", "low", "top"], 0.55),
    "7 classes, one rare": (["d", "b", "c", "a", "f", "e", "g"], 0.4),
}


def candidates(threshold):
    """Return models, each with the grid of a search."""
    return {
        "xgboost": (
            Counted(make_pipeline(preprocess(), boosting())),
            {"estimator__xgbclassifier__learning_rate": [0.5, 1.0]},
        ),
        "logistic": (
            make_pipeline(preprocess(), Counted(LogisticRegression())),
            {"counted__estimator__C": [0.3, 10.0]},
        ),
        "selective": (
            SelectiveClassifier(make_pipeline(preprocess(), Counted(boosting(learning_rate=0.6))), threshold=threshold),
            {"threshold": [threshold, threshold - 0.05]},
        ),
    }


#: Each task and each model once.
EACH_ONCE = [*zip(TASKS, candidates(0.5), strict=True)]
PAIRS = [
    pytest.param(pair, marks=[] if pair in EACH_ONCE else [pytest.mark.slow], id="-".join(pair))
    for pair in product(TASKS, candidates(0.5))
]


@pytest.fixture(params=PAIRS)
def case(request):
    """A model and its grid, features, labels (numbers, if it takes no others) and the scoring of everything."""
    task, kind = request.param
    names, threshold = TASKS[task]
    numbers = labels(len(names))
    y = numbers if kind == "xgboost" else np.array(names)[numbers]
    ours = RULED if len(names) == 2 else MULTICLASS
    Counted.asked.clear()
    scoring = confidence_scoring([*ours, "accuracy", "balanced_accuracy"])
    return *candidates(threshold)[kind], data(len(names))[0], y, scoring


def expected(model, X, y, scoring):
    """Score a fitted model by hand."""
    names, given = [name for name in scoring.scorers if name in RULED], {}
    best = getattr(model, "best_estimator_", model)
    if isinstance(best, SelectiveClassifier):
        given = {"threshold": best.threshold}
        assert 0 < np.mean(best.predict(X) == "reject") < 1
    proba, classes = model.predict_proba(X), np.unique([*model.classes_, *y])
    known = np.zeros((len(proba), len(classes)), dtype=proba.dtype)
    known[:, np.searchsorted(classes, model.classes_)] = proba
    scores = all_by_hand(names, y, known, classes, **given)
    said = best.predict(X)
    return {**scores, "accuracy": accuracy_score(y, said), "balanced_accuracy": balanced_accuracy_score(y, said)}


def check(found, by_hand):
    """Compare arrays of scores with those made by hand, and see that they are numbers."""
    for name in by_hand[0]:
        np.testing.assert_allclose(found[name], [scores[name] for scores in by_hand], rtol=1e-9, err_msg=name)
        assert np.isfinite(found[name]).all(), name


@pytest.fixture(autouse=True)
def _quiet():
    # Class averages say which classes a fold lacks, and scikit-learn that it meets a label that is no class.
    with quiet():
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true", UserWarning)
        yield


def test_cross_validate(case):
    model, _, X, y, scoring = case
    found = cross_validate(
        model, X, y, cv=FOLDS, scoring=scoring, return_train_score=True, return_estimator=True, return_indices=True
    )
    assert Counted.asked == [("predict_proba", 50), ("predict_proba", 100)] * 3
    for part in ("test", "train"):
        rows = found["indices"][part]
        by_hand = [expected(m, X.iloc[i], y[i], scoring) for m, i in zip(found["estimator"], rows, strict=True)]
        check({name: found[f"{part}_{name}"] for name in scoring.scorers}, by_hand)


in_searches = pytest.mark.parametrize("case", EACH_ONCE, indirect=True, ids="-".join)


@in_searches
def test_grid_search_with_refit(case):
    model, grid, X, y, scoring = case
    search = GridSearchCV(model, grid, cv=FOLDS, scoring=scoring, refit=REFIT).fit(X, y)
    assert Counted.asked == [("predict_proba", 50)] * 6
    results, means = search.cv_results_, []
    for number, params in enumerate(results["params"]):
        fitted = [(clone(model).set_params(**params).fit(X.iloc[i], y[i]), j) for i, j in FOLDS.split(X)]
        by_hand = [expected(m, X.iloc[j], y[j], scoring) for m, j in fitted]
        check({n: [results[f"split{fold}_test_{n}"][number] for fold in range(3)] for n in scoring.scorers}, by_hand)
        means.append(np.mean([scores[REFIT] for scores in by_hand]))
    assert search.best_params_ == results["params"][int(np.argmax(means))]
    assert search.best_score_ == pytest.approx(max(means), rel=1e-9)
    assert search.score(X, y) == pytest.approx(expected(search, X, y, scoring)[REFIT], rel=1e-9)


@pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
@in_searches
def test_nested_search(case):
    model, grid, X, y, scoring = case
    search = GridSearchCV(model, grid, cv=KFold(2), scoring=scoring, refit=REFIT)
    found = cross_validate(
        search, X, y, cv=FOLDS, scoring=scoring, return_estimator=True, return_indices=True, error_score="raise"
    )
    assert Counted.asked == [*[("predict_proba", 50)] * 4, ("predict_proba", 50)] * 3
    rows = found["indices"]["test"]
    by_hand = [expected(m, X.iloc[i], y[i], scoring) for m, i in zip(found["estimator"], rows, strict=True)]
    check({name: found[f"test_{name}"] for name in scoring.scorers}, by_hand)
