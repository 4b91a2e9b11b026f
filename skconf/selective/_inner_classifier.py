"""The classifier inside a selective one: fitted on the classes that occur, and stopped early by held-out rows."""

import inspect
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from skconf._core.labels import Codes, LabelColumn
from skconf._core.probabilities import Floats
from skconf._core.response import read_answer

#: The weights of an evaluation set, in the words of XGBoost and LightGBM.
_WEIGHTS = ("sample_weight_eval_set", "eval_sample_weight")


@dataclass(frozen=True)
class EvaluationSet:
    """Samples, labels and perhaps weights, which ``fit`` gets as its `eval_set`."""

    X: Any
    y: Any
    weight: Floats | None

    def fit(self, estimator: Any, X: Any, y: Any, params: dict[str, Any]) -> Any:
        """Fit a booster, or a pipeline that ends in one. Its transformers are fitted without the evaluation set."""
        if isinstance(estimator, Pipeline):
            name, last = estimator.steps[-1]
            estimator.steps = [*estimator.steps[:-1], (name, _LastStep(last, estimator, self))]
            estimator.fit(X, y, **params)
            estimator.steps = [*estimator.steps[:-1], (name, last)]
            return estimator
        given = {"eval_set": [(self.X, self.y)], **params}
        if self.weight is not None:
            given |= {name: [self.weight] for name in _WEIGHTS if has_fit_parameter(estimator, name)}
        verbose = inspect.signature(estimator.fit).parameters.get("verbose")
        if verbose is not None and verbose.default is True:  # XGBoost prints a line for each tree
            given.setdefault("verbose", False)
        return estimator.fit(X, y, **given)


class _LastStep(BaseEstimator):  # type: ignore[misc]
    """Replaces the last step of a pipeline during the fit, so that earlier steps transform the evaluation set."""

    def __init__(self, last: Any, pipeline: Pipeline, evaluation: EvaluationSet) -> None:
        self.last = last
        self.pipeline = pipeline
        self.evaluation = evaluation

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the last step."""
        held = self.evaluation
        if len(self.pipeline.steps) > 1:
            held = EvaluationSet(self.pipeline[:-1].transform(held.X), held.y, held.weight)
        held.fit(self.last, X, y, params)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what the last step requests."""
        return self.last.get_metadata_routing()


def check_takes_evaluation(estimator: Any, validation_fraction: float, params: dict[str, Any]) -> None:
    """Refuse a `validation_fraction` if ``fit`` takes no `eval_set`, or if it already got one."""
    if isinstance(estimator, FrozenEstimator):
        raise ValueError(
            "A frozen classifier is not fitted again, so it cannot stop early. Leave validation_fraction out."
        )
    if any(name.split("__")[-1] == "eval_set" for name in params):
        raise ValueError(
            f"fit got an eval_set, but validation_fraction={validation_fraction} makes one for each fit. Leave "
            "eval_set or validation_fraction out."
        )
    last = estimator
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if not hasattr(last, "fit") or not has_fit_parameter(last, "eval_set"):
        raise ValueError(
            f"validation_fraction={validation_fraction} needs a classifier whose fit takes an eval_set, such as "
            "XGBClassifier(early_stopping_rounds=10), or a pipeline that ends in one. The fit of "
            f"{type(last).__name__} takes no eval_set. Leave validation_fraction out. If the estimator is a search "
            "over a booster, pass the booster itself as the estimator, and the selective classifier to the search."
        )


@dataclass
class FittedClassifier:
    """A fitted classifier with a column of probabilities for every class of the task.

    Attributes
    ----------
    estimator : classifier
        The fitted classifier. It may have been fitted on fewer classes than the task has, and on numbers instead of
        labels.
    columns : ndarray of shape (n_seen,)
        For each column of the estimator's ``predict_proba``, the position of its class among all classes of the task.
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

    The classifier is not cloned here: clone it first. `codes` are the positions of the labels `y` among `classes`,
    which are all classes of the task. A booster stops early by the rows of `evaluation`; all labels of these rows must
    occur in `y`.
    """
    numbered = wants_numbered_labels(estimator)
    if numbered:
        seen, y = np.unique(codes, return_inverse=True)
        fit_params = {name: _numbered(name, value, classes[seen]) for name, value in fit_params.items()}
        if evaluation is not None:
            evaluation = replace(evaluation, y=LabelColumn(evaluation.y, "y").positions_in(classes[seen]))
    if evaluation is None:
        try:
            estimator.fit(X, y, **fit_params)
        except ValueError as error:
            if "early stopping" not in str(error).lower():
                raise
            raise ValueError(
                f"{error} Set validation_fraction=0.1, for example: each fit then holds out a tenth of its rows for "
                "early stopping."
            ) from error
    else:
        evaluation.fit(estimator, X, y, fit_params)
    return FittedClassifier(estimator, seen, len(classes)) if numbered else fitted_classifier(estimator, classes)


def fitted_classifier(estimator: Any, classes: NDArray[Any]) -> FittedClassifier:
    """Wrap a fitted classifier, and find the class that each column of its probabilities stands for."""
    where = {label: position for position, label in enumerate(classes.tolist())}
    known = np.asarray(estimator.classes_).tolist()
    missing = [label for label in known if label not in where]
    if missing:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on the classes {known}, but {missing} are not classes of this "
            f"task. The classes of this task are {classes.tolist()}."
        )
    return FittedClassifier(estimator, np.array([where[label] for label in known], dtype=np.intp), len(classes))


def _numbered(name: str, value: Any, labels: NDArray[Any]) -> Any:
    """Return an argument of fit. If it is an `eval_set`, replace its labels by their positions in `labels`."""
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
