"""Classifiers of several outputs: the mean of the scores of the outputs."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV, confidence_scoring, get_scorer

X, Y = make_multilabel_classification(400, n_classes=3, random_state=0)
NAMES = ["cw_accuracy", "neg_aurc", "coverage", "selective_accuracy", "cf1_macro", "roc_auc", "accuracy"]
SCORING = confidence_scoring(NAMES)


def mean_by_hand(models, X, y):
    scores = [SCORING(model, X, column) for model, column in zip(models, y.T, strict=True)]
    return {name: np.mean([score[name] for score in scores]) for name in NAMES}


@pytest.mark.parametrize(
    "inner",
    [SelectiveClassifier(LogisticRegression(), threshold=0.8), TunedSelectiveClassifierCV(LogisticRegression())],
    ids=["one threshold", "tuned thresholds"],
)
def test_scores_are_the_means_over_outputs(inner):
    model = MultiOutputClassifier(inner).fit(X[:300], Y[:300])
    found = SCORING(model, X[300:], Y[300:])
    expected = mean_by_hand(model.estimators_, X[300:], Y[300:])
    assert found == pytest.approx(expected)
    assert found["coverage"] < 1
    assert get_scorer("selective_accuracy")(model, X[300:], Y[300:]) == pytest.approx(found["selective_accuracy"])
    assert SCORING(model, X[300:], sparse.csr_array(Y[300:])) == pytest.approx(expected)


def test_transformers_come_first():
    model = make_pipeline(StandardScaler(), MultiOutputClassifier(SelectiveClassifier(LogisticRegression())))
    model.fit(X[:300], Y[:300])
    expected = mean_by_hand(model[-1].estimators_, model[0].transform(X[300:]), Y[300:])
    assert SCORING(model, X[300:], Y[300:]) == pytest.approx(expected)


def test_a_forest_has_outputs_of_its_own():
    model = RandomForestClassifier(20, random_state=0).fit(X[:300], Y[:300])
    names = ["cw_accuracy", "roc_auc"]
    found = confidence_scoring(names)(model, X[300:], Y[300:])
    proba = [part[:, 1] for part in model.predict_proba(X[300:])]
    expected = [roc_auc_score(y, p) for y, p in zip(Y[300:].T, proba, strict=True)]
    assert found["roc_auc"] == pytest.approx(np.mean(expected))


def test_cross_validation_and_searches_take_them():
    model = MultiOutputClassifier(SelectiveClassifier(LogisticRegression(), threshold=0.8))
    scores = cross_validate(model, X, Y, scoring=SCORING, cv=3)
    assert np.isfinite(scores["test_selective_accuracy"]).all()
    search = GridSearchCV(
        model, {"estimator__threshold": [0.5, 0.9]}, scoring=SCORING, refit="selective_accuracy", cv=3
    )
    search.fit(X, Y)
    assert search.best_params_ == {"estimator__threshold": 0.9}
    assert SCORING(search, X, Y) == pytest.approx(SCORING(search.best_estimator_, X, Y))


def test_a_column_too_few_is_said():
    model = MultiOutputClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match=r"y must have shape \(n_samples, 3\), a column for each output"):
        SCORING(model, X, Y[:, :2])
    with pytest.raises(ValueError, match="costs belong to one output"):
        get_scorer("neg_reject_cost")(model, X, Y, costs=np.ones((400, 2)))
