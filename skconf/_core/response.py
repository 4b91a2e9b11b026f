"""The answers of a fitted classifier, from a single call of its ``predict_proba``."""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from skconf._core.columns import in_order_of
from skconf._core.costs import CostMatrix, OwnCosts
from skconf._core.probabilities import as_probabilities
from skconf._core.warn import warn

#: The remedy for a model without probabilities.
NEEDS_PROBABILITIES = (
    "Confidence needs probabilities. If the model is a classifier, wrap it in "
    "sklearn.calibration.CalibratedClassifierCV. If it is a regressor or a clusterer, use a classifier instead."
)


@dataclass(frozen=True)
class Response:
    """The classes, probabilities and rejections of a classifier, and its predictions and answers if they differ.

    `predicted` is None if every prediction is the most probable class. `decided` is None if every answer is the
    prediction. Otherwise `decided` holds labels from `decisions`, or classes if `decisions` is None.
    """

    classes: NDArray[Any]
    proba: NDArray[Any]
    predicted: NDArray[Any] | None = None
    score: NDArray[Any] | None = None
    threshold: float | None = None
    reject_label: Any = None
    called: str = "predict_proba"
    decided: NDArray[Any] | None = None
    decisions: NDArray[Any] | None = None
    own_costs: OwnCosts | None = None


class Answered(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that returns stored answers for any input, so that scikit-learn's scorers can call it."""

    def __init__(self, classes: NDArray[Any], proba: NDArray[Any], prediction: NDArray[Any] | None = None) -> None:
        self.classes = classes
        self.proba = proba
        self.prediction = prediction

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the columns."""
        return self.classes

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        """Do nothing. scikit-learn only checks that this method exists."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any] | None:  # noqa: ARG002
        """Return the stored prediction."""
        return self.prediction

    def predict_proba(self, X: Any) -> NDArray[Any]:  # noqa: ARG002
        """Return the stored probabilities."""
        return self.proba


def respond(estimator: Any, X: Any, *, predict: bool = False, costs: Any = None) -> Response:
    """Get the answers of a fitted classifier with one call.

    With `predict`, call ``predict``, too, because its answer is not always the most probable class. `costs` have the
    shape (n_samples, n_classes, n_decisions). Pass them if a selective classifier decides by the costs of each sample.
    """
    model, transformers, compared = _innermost(estimator)
    if hasattr(model, "predict_selective"):
        return _of_selective(model, _ask(model, transformers, compared, X, costs))
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"{type(estimator).__name__} has no predict_proba. {NEEDS_PROBABILITIES}")
    given = estimator.predict_proba(X)
    if not hasattr(estimator, "classes_"):
        raise TypeError(
            f"{type(estimator).__name__} has no classes_, so it is not a classifier. Pass a fitted classifier."
        )
    classes = np.asarray(estimator.classes_)
    proba = read_answer(estimator, given, X, classes)
    predicted = _thresholded(model, classes, proba)
    decided = estimator.predict(X) if predict and predicted is None and hasattr(estimator, "predict") else None
    return Response(classes, proba, predicted, called=_what_is_asked(estimator), decided=decided)


def outputs_of(estimator: Any, X: Any) -> list[tuple[Any, Any]]:
    """Return a classifier and its samples for each output; an empty list if there is only one output.

    For a ``MultiOutputClassifier``, these are its own classifiers, with their thresholds. For other models, such as a
    forest, the classifiers return stored answers.
    """
    model, transformers, _ = _innermost(estimator)
    if isinstance(model, MultiOutputClassifier):
        X = _transformed(transformers, X)
        return [(each, X) for each in model.estimators_]
    if not isinstance(getattr(model, "classes_", None), list) or not hasattr(estimator, "predict_proba"):
        return []
    answers = zip(model.classes_, estimator.predict_proba(X), strict=True)
    return [(Answered(classes, proba, classes[proba.argmax(axis=1)]), X) for classes, proba in answers]


def decides_by_sample(estimator: Any) -> bool:
    """Return whether a classifier needs costs of each sample for its decisions."""
    rule = getattr(_innermost(estimator)[0], "rule_", None)
    return rule is not None and bool(rule.needs_costs)


def costs_of_samples(estimator: Any, X: Any, n_samples: int) -> NDArray[Any] | None:
    """Return the costs by which a classifier decides, if a function computes them from the samples; otherwise None.

    They have shape (n_samples, n_classes, n_decisions).
    """
    model, transformers, _ = _innermost(estimator)
    rule = getattr(model, "rule_", None)
    if rule is None or rule.function is None:
        return None
    return np.asarray(rule.costs_of(_transformed(transformers, X), None, n_samples))


def _own_costs(model: Any) -> OwnCosts | None:
    """Return the costs by which a selective classifier decides; None if it decides without costs."""
    rule, reject_cost = getattr(model, "rule_", None), getattr(model, "reject_cost", None)
    if rule is None or (
        rule.costs is not None and rule.of_classes and (rule.costs == 1 - np.eye(rule.n_classes)).all()
    ):
        return None if reject_cost is None else OwnCosts(type(model).__name__, "", None, reject_cost)
    matrix = None if rule.costs is None else CostMatrix.read(model.cost_matrix)
    return OwnCosts(type(model).__name__, "costs" if rule.needs_costs else "cost_matrix", matrix, reject_cost)


def _of_selective(model: Any, answer: Any) -> Response:
    rule = getattr(model, "rule_", None)
    decisions = None if rule is None or rule.of_classes else rule.decisions
    # Otherwise the prediction is the most probable class, which need not be given.
    given = model.keep_prediction or (rule is not None and decisions is None)
    return Response(
        model.classes_,
        answer.proba,
        answer.prediction if given else None,
        answer.score,
        float(model.threshold_),
        model.reject_label_,
        _what_is_asked(model),
        None if decisions is None else answer.prediction,
        decisions,
        _own_costs(model),
    )


def _what_is_asked(estimator: Any) -> str:
    return f"predict_proba of {type(estimator).__name__}"


def ask_selective(estimator: Any, X: Any, costs: Any = None) -> Any:
    """Return the answers of the selective classifier inside pipelines and searches; raise if there is none."""
    model, transformers, compared = _innermost(estimator)
    if not hasattr(model, "predict_selective"):
        # A search that is not fitted contains no model yet.
        check_is_fitted(estimator)
        inside = "" if model is estimator else f" of {type(model).__name__}"
        raise TypeError(
            f"{type(estimator).__name__}{inside} is not a selective classifier. Wrap the classifier "
            "in skconf.SelectiveClassifier or skconf.TunedSelectiveClassifierCV, as the last step of a pipeline."
        )
    return _ask(model, transformers, compared, X, costs)


def _ask(model: Any, transformers: list[Any], compared: int, X: Any, costs: Any = None) -> Any:
    _warn_of_search(model, compared)
    X = _transformed(transformers, X)
    return model.predict_selective(X) if costs is None else model.predict_selective(X, costs=costs)


def read_answer(estimator: Any, given: Any, X: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the checked result of ``predict_proba``, with a row for each sample and a column for each class."""
    if isinstance(given, list) and given and np.ndim(given[0]) == 2:
        raise ValueError(
            f"{type(estimator).__name__} predicts several outputs. Evaluate each output separately, or all together "
            "with ConfidenceProfile.from_multilabel."
        )
    who = _what_is_asked(estimator)
    proba = as_probabilities(given, who)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X) if hasattr(X, "__len__") else len(proba)
    if proba.shape != (n_rows, len(classes)):
        raise ValueError(
            f"{who} returned shape {proba.shape} for {n_rows} samples and {len(classes)} classes. It must return shape "
            f"({n_rows}, {len(classes)}): a row for each sample and a column for each of its classes_."
        )
    return in_order_of(classes, proba, given, who)


def _innermost(estimator: Any) -> tuple[Any, list[Any], int]:
    """Return the classifier inside pipelines and searches, its transformers, and how many candidates were compared."""
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
                f"{type(estimator).__name__} was fitted with refit=False, so it has no best estimator. Set refit=True."
            )
        else:
            break
    return estimator, transformers, compared


def _transformed(transformers: list[Any], X: Any) -> Any:
    for transformer in transformers:
        X = transformer.transform(X)
    return X


def _warn_of_search(model: Any, compared: int) -> None:
    """Warn if a search has chosen one of several classifiers, because the guarantee does not hold after this choice."""
    level = getattr(model, "confidence_level", None)
    if level is not None and compared > model.n_candidates:
        warn(
            f"The search compared {compared} candidates on the labels from which their thresholds were chosen. So the "
            f"guarantee of the chosen candidate does not hold with confidence_level={level}. Put the search inside the "
            f"tuned classifier, as in {type(model).__name__}(GridSearchCV(...)), or set n_candidates={compared}."
        )


def _thresholded(model: Any, classes: NDArray[Any], proba: NDArray[Any]) -> NDArray[Any] | None:
    """Return what scikit-learn's classifiers with a threshold predict from these probabilities; None for others."""
    if not isinstance(model, FixedThresholdClassifier | TunedThresholdClassifierCV):
        return None
    if model.response_method == "decision_function":
        raise ValueError(
            f"{type(model).__name__} decides with decision_function, so its prediction cannot be inferred from its "
            "probabilities. Set response_method='predict_proba'."
        )
    model = copy.copy(model)
    model.estimator_ = Answered(classes, proba)
    return np.asarray(model.predict(None))
