"""What a fitted classifier says of X, from a single call of its ``predict_proba``."""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from skconf._core.columns import in_order_of
from skconf._core.probabilities import as_probabilities
from skconf._core.warn import warn

#: The remedy where a model has no probabilities.
NEEDS_PROBABILITIES = (
    "Confidence needs probabilities: wrap a classifier in sklearn.calibration.CalibratedClassifierCV; in the place of "
    "a regressor or a clusterer, choose a classifier that has them."
)


@dataclass(frozen=True)
class Response:
    """Classes and probabilities; what is predicted, where it is not the most probable class; and rejections."""

    classes: NDArray[Any]
    proba: NDArray[Any]
    predicted: NDArray[Any] | None = None
    score: NDArray[Any] | None = None
    threshold: float | None = None
    reject_label: Any = None
    called: str = "predict_proba"


class Answered(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that has answered already, and repeats it whatever it is shown: the rest of scikit-learn may ask."""

    def __init__(self, classes: NDArray[Any], proba: NDArray[Any], prediction: NDArray[Any] | None = None) -> None:
        self.classes = classes
        self.proba = proba
        self.prediction = prediction

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the columns."""
        return self.classes

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        """Change nothing: who asks wants to see a method of this name."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any] | None:  # noqa: ARG002
        """Return the prediction there was."""
        return self.prediction

    def predict_proba(self, X: Any) -> NDArray[Any]:  # noqa: ARG002
        """Return the probabilities there were."""
        return self.proba


def respond(estimator: Any, X: Any) -> Response:
    """Ask a fitted classifier for its probabilities, once."""
    model, transformers, compared = _innermost(estimator)
    if hasattr(model, "predict_selective"):
        answer = _ask(model, transformers, compared, X)
        predicted = answer.prediction if model.keep_prediction else None  # else it is the most probable class
        threshold = float(model.threshold_)
        called = _what_is_asked(model)
        return Response(model.classes_, answer.proba, predicted, answer.score, threshold, model.reject_label_, called)
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"{type(estimator).__name__} has no predict_proba. {NEEDS_PROBABILITIES}")
    given = estimator.predict_proba(X)
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{type(estimator).__name__} has no classes_: it is no classifier, and cannot be right or wrong."
        )
    classes = np.asarray(estimator.classes_)
    proba = read_answer(estimator, given, X, classes)
    return Response(classes, proba, _thresholded(model, classes, proba), called=_what_is_asked(estimator))


def _what_is_asked(estimator: Any) -> str:
    return f"predict_proba of {type(estimator).__name__}"


def ask_selective(estimator: Any, X: Any) -> Any:
    """Return what the selective classifier inside pipelines and searches says of X; without one there, raise."""
    model, transformers, compared = _innermost(estimator)
    if not hasattr(model, "predict_selective"):
        # A search that is not fitted has nothing in it yet.
        check_is_fitted(estimator)
        inside = "" if model is estimator else f" of {type(model).__name__}"
        raise TypeError(
            f"{type(estimator).__name__}{inside} is no selective classifier, and rejects nothing. Wrap the classifier "
            "in skconf.SelectiveClassifier or skconf.TunedSelectiveClassifierCV, as the last step of a pipeline."
        )
    return _ask(model, transformers, compared, X)


def _ask(model: Any, transformers: list[Any], compared: int, X: Any) -> Any:
    _warn_of_search(model, compared)
    for transformer in transformers:
        X = transformer.transform(X)
    return model.predict_selective(X)


def read_answer(estimator: Any, given: Any, X: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return what ``predict_proba`` gave, a row for each sample and a column for each class in their order."""
    if isinstance(given, list):
        raise ValueError(f"{type(estimator).__name__} predicts several outputs; evaluate each output by itself.")
    who = _what_is_asked(estimator)
    proba = as_probabilities(given, who)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X) if hasattr(X, "__len__") else len(proba)
    if proba.shape != (n_rows, len(classes)):
        raise ValueError(
            f"{who} gave shape {proba.shape} for {n_rows} samples and {len(classes)} classes; it must give "
            f"({n_rows}, {len(classes)}), a row for each sample and a column for each of its classes_."
        )
    return in_order_of(classes, proba, given, who)


def _innermost(estimator: Any) -> tuple[Any, list[Any], int]:
    """Return the classifier inside pipelines and searches, the transformers before it, and of how many it was kept."""
    transformers, compared = [], 1
    while not hasattr(estimator, "predict_selective"):
        if isinstance(estimator, Pipeline):
            if len(estimator.steps) > 1:
                transformers.append(estimator[:-1])
            estimator = estimator[-1]
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif hasattr(estimator, "best_estimator_"):
            compared *= len(getattr(estimator, "cv_results_", {}).get("params", [None]))
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "cv_results_") and not hasattr(estimator, "predict_proba"):
            raise TypeError(
                f"{type(estimator).__name__} was fitted with refit=False and has no best estimator to ask; set refit."
            )
        else:
            break
    return estimator, transformers, compared


def _warn_of_search(model: Any, compared: int) -> None:
    """Warn where a search has kept one of several classifiers, each of which promises a risk as if it were alone."""
    level = getattr(model, "confidence_level", None)
    if level is not None and compared > model.n_candidates:
        warn(
            f"The search kept one of {compared} candidates by the labels that also chose their thresholds: "
            f"confidence_level={level} does not hold for it. Search inside, as in {type(model).__name__}(GridSearchCV("
            f"...)), or set n_candidates={compared}."
        )


def _thresholded(model: Any, classes: NDArray[Any], proba: NDArray[Any]) -> NDArray[Any] | None:
    """Return what a classifier with a decision threshold of its own predicts from these probabilities."""
    if not isinstance(model, FixedThresholdClassifier | TunedThresholdClassifierCV):
        return None
    if model.response_method == "decision_function":
        raise ValueError(
            f"{type(model).__name__} decides by decision_function, so that its probabilities do not tell its "
            "prediction. Set response_method='predict_proba'."
        )
    model = copy.copy(model)
    model.estimator_ = Answered(classes, proba)
    return np.asarray(model.predict(None))
