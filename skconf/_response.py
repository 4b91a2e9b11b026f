"""What a fitted classifier says of X, from a single call of its ``predict_proba``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline


@dataclass(frozen=True)
class Response:
    """Classes and probabilities, and what a selective classifier adds to them."""

    classes: NDArray[Any]
    proba: NDArray[Any]
    predicted: NDArray[Any] | None = None
    score: NDArray[Any] | None = None
    threshold: float | None = None


def respond(estimator: Any, X: Any) -> Response:
    """Ask a fitted classifier for its probabilities, once."""
    selective, transformers = _find_selective(estimator)
    if selective is not None:
        for transformer in transformers:
            X = transformer.transform(X)
        answer = selective.predict_selective(X)
        predicted = answer.prediction if selective.keep_prediction else None  # else it is the most probable class
        return Response(selective.classes_, answer.proba, predicted, answer.score, float(selective.threshold_))
    if not hasattr(estimator, "predict_proba"):
        if hasattr(estimator, "cv_results_") and not hasattr(estimator, "best_estimator_"):
            raise TypeError(
                f"{type(estimator).__name__} was fitted with refit=False and has no best estimator to ask; set refit."
            )
        raise TypeError(
            f"{type(estimator).__name__} has no predict_proba. Confidence needs probabilities: wrap it in "
            "sklearn.calibration.CalibratedClassifierCV, or choose a classifier that has them."
        )
    proba = estimator.predict_proba(X)
    if isinstance(proba, list):
        raise ValueError(f"{type(estimator).__name__} predicts several outputs; evaluate each output by itself.")
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{type(estimator).__name__} has no classes_: it is no classifier, and cannot be right or wrong."
        )
    return Response(np.asarray(estimator.classes_), proba)


def _find_selective(estimator: Any) -> tuple[Any, list[Any]]:
    """Find a selective classifier inside pipelines and searches, and the transformers before it."""
    transformers = []
    while not hasattr(estimator, "predict_selective"):
        if isinstance(estimator, Pipeline):
            if len(estimator.steps) > 1:
                transformers.append(estimator[:-1])
            estimator = estimator[-1]
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return None, []
    return estimator, transformers
