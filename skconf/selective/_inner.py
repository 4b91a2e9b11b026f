"""Fit the classifier inside a meta-estimator, and map its columns to the classes of the task."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes, LabelColumn
from skconf._core.response import read_answer
from skconf.selective._evaluation import EvaluationSet


@dataclass
class FittedClassifier:
    """A fitted classifier whose probability columns are those of all classes of the task.

    Attributes
    ----------
    estimator : classifier
        Fitted, perhaps on fewer classes than the task has, perhaps on class numbers instead of labels.
    columns : ndarray of shape (n_seen,)
        For every column of its ``predict_proba``, the position of the class in the task.
    n_classes : int
        Number of classes of the task.
    """

    estimator: Any
    columns: Codes
    n_classes: int

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return probabilities of all classes: zero for a class that was not seen in fit."""
        given = self.estimator.predict_proba(X)
        if len(self.columns) == 1:  # a single class: XGBoost returns two columns for it, others one
            given = np.ones((len(given), 1), dtype=np.asarray(given).dtype)
        proba = read_answer(self.estimator, given, X, np.asarray(self.estimator.classes_))
        if np.array_equal(self.columns, np.arange(self.n_classes)):
            return proba
        out = np.zeros((len(proba), self.n_classes), dtype=proba.dtype)
        out[:, self.columns] = proba
        return out


def fit_classifier(
    estimator: Any,
    X: Any,
    y: Any,
    codes: Codes,
    classes: NDArray[Any],
    fit_params: dict[str, Any],
    evaluation: EvaluationSet | None = None,
) -> FittedClassifier:
    """Fit a classifier on the classes that are present.

    Parameters
    ----------
    estimator : classifier
        The classifier to fit. It is not cloned here: clone it first.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Their labels.
    codes : ndarray of shape (n_samples,)
        Positions of the labels in `classes`.
    classes : ndarray of shape (n_classes,)
        All classes of the task.
    fit_params : dict
        Further arguments of ``fit``.
    evaluation : EvaluationSet, default=None
        By which a booster stops; each of its labels is among those to fit.

    Returns
    -------
    FittedClassifier
    """
    numbered = wants_numbered_labels(estimator)
    if numbered:
        seen, y = np.unique(codes, return_inverse=True)
        fit_params = {name: _numbered(name, value, classes[seen]) for name, value in fit_params.items()}
        if evaluation is not None:
            evaluation = replace(evaluation, y=LabelColumn(evaluation.y, "y").positions_in(classes[seen]))
    if evaluation is None:
        estimator.fit(X, y, **fit_params)
    else:
        evaluation.fit(estimator, X, y, fit_params)
    return FittedClassifier(estimator, seen, len(classes)) if numbered else fitted_classifier(estimator, classes)


def fitted_classifier(estimator: Any, classes: NDArray[Any]) -> FittedClassifier:
    """Wrap a classifier that is already fitted, and find its columns among all classes."""
    where = {label: position for position, label in enumerate(classes.tolist())}
    known = np.asarray(estimator.classes_).tolist()
    missing = [label for label in known if label not in where]
    if missing:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on the classes {known}, of which {missing} do not occur in this "
            f"task, {classes.tolist()}."
        )
    return FittedClassifier(estimator, np.array([where[label] for label in known], dtype=np.intp), len(classes))


def _numbered(name: str, value: Any, labels: NDArray[Any]) -> Any:
    """Return an argument of fit, with the labels of an evaluation set as their numbers."""
    if name.split("__")[-1] != "eval_set" or value is None:
        return value
    return [(X, LabelColumn(y, "The y of eval_set").positions_in(labels)) for X, y in value]


def wants_numbered_labels(estimator: Any) -> bool:
    """Whether a classifier, or one inside it, accepts only the labels 0 to K − 1, as XGBoost's does."""
    parts = [estimator, *estimator.get_params(deep=True).values()]
    return any(
        base.__module__.split(".")[0] == "xgboost" and hasattr(part, "fit")
        for part in parts
        if not isinstance(part, type)
        for base in type(part).__mro__
    )
