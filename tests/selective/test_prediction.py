"""predict_selective reaches the selective classifier inside whatever scikit-learn wraps around it."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import skconf
from skconf import SelectiveClassifier, TunedSelectiveClassifierCV, predict_selective

X, Y = make_classification(200, 5, flip_y=0.3, random_state=0)
X = 10 * X + 3
SCALED = StandardScaler().fit(X)


def selective(**params):
    return SelectiveClassifier(LogisticRegression(), **{"threshold": 0.7} | params)


def search(model, name):
    return GridSearchCV(model, {name: [0.01, 1.0]}, cv=3)


#: What is wrapped around a selective classifier, unfitted, and how it is taken away by hand.
WRAPPED = {
    "itself": (selective(), lambda model: (model, X)),
    "a pipeline": (make_pipeline(StandardScaler(), selective()), lambda model: (model[-1], SCALED.transform(X))),
    "a pipeline of one step": (Pipeline([("only", selective())]), lambda model: (model[-1], X)),
    "pipelines in a pipeline": (
        make_pipeline(StandardScaler(), make_pipeline("passthrough", selective())),
        lambda model: (model[-1][-1], SCALED.transform(X)),
    ),
    "a search": (search(selective(), "estimator__C"), lambda model: (model.best_estimator_, X)),
    "a search in a pipeline": (
        make_pipeline(StandardScaler(), search(selective(), "estimator__C")),
        lambda model: (model[-1].best_estimator_, SCALED.transform(X)),
    ),
    "a pipeline in a search": (
        RandomizedSearchCV(
            make_pipeline(StandardScaler(), selective()),
            {"selectiveclassifier__estimator__C": [0.1, 1.0]},
            n_iter=2,
            cv=3,
        ),
        lambda model: (model.best_estimator_[-1], model.best_estimator_[0].transform(X)),
    ),
    "a tuned one": (
        make_pipeline(TunedSelectiveClassifierCV(LogisticRegression(), target=0.2, random_state=0)),
        lambda model: (model[-1], X),
    ),
}


@pytest.mark.parametrize("frozen", [False, True], ids=["", "frozen"])
@pytest.mark.parametrize(("model", "unwrap"), WRAPPED.values(), ids=WRAPPED)
def test_the_answer_is_that_of_the_classifier_inside(model, unwrap, frozen):
    model = model.fit(X, Y)
    expected = type(unwrap(model)[0]).predict_selective(*unwrap(model))
    found = predict_selective(FrozenEstimator(model) if frozen else model, X)
    assert found._fields == ("proba", "prediction", "score", "accepted")
    for name in found._fields:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.accepted.sum() > 0
    np.testing.assert_array_equal(np.where(found.accepted, found.prediction, -1), model.predict(X))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "^LogisticRegression is not a selective classifier.* Wrap"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "Pipeline of LogisticRegression is not a selective"),
        (search(LogisticRegression(), "C"), "GridSearchCV of LogisticRegression is not a selective"),
        (CalibratedClassifierCV(selective()), "CalibratedClassifierCV is not a selective"),
        (GridSearchCV(selective(), {"threshold": [0.5, 0.7]}, refit=False), "refit=False"),
    ],
    ids=["a classifier", "a pipeline", "a search", "a calibrated one", "no refit"],
)
def test_a_model_that_rejects_nothing_is_refused(model, message):
    with pytest.raises(TypeError, match=message):
        predict_selective(model.fit(X, Y), X)


@pytest.mark.parametrize(
    "model", [selective(), make_pipeline(StandardScaler(), selective()), search(selective(), "threshold")], ids=repr
)
def test_a_model_that_is_not_fitted_says_so(model):
    with pytest.raises(NotFittedError):
        predict_selective(model, X)


def test_it_stands_at_the_front_door():
    assert skconf.predict_selective is predict_selective
    assert "predict_selective" in skconf.__all__
