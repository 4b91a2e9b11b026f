"""The evaluation set by which a booster stops early: rows of the training part that it is not fitted on."""

import inspect
from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from skconf._core.probabilities import Floats

#: The weights of an evaluation set, in the words of XGBoost and LightGBM.
_WEIGHTS = ("sample_weight_eval_set", "eval_sample_weight")


@dataclass(frozen=True)
class EvaluationSet:
    """Samples, labels and perhaps weights, which ``fit`` gets as its `eval_set`."""

    X: Any
    y: Any
    weight: Floats | None

    def fit(self, estimator: Any, X: Any, y: Any, params: dict[str, Any]) -> Any:
        """Fit a booster, or a pipeline that ends in one: its transformers see the other rows alone."""
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
    """Stands for the last step of a pipeline while it is fitted: the steps before it transform the evaluation set."""

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
    """Refuse a `validation_fraction` where ``fit`` takes no `eval_set`, or got another."""
    if isinstance(estimator, FrozenEstimator):
        raise ValueError("A frozen classifier is not fitted, so it stops nowhere. Leave validation_fraction out.")
    if any(name.split("__")[-1] == "eval_set" for name in params):
        raise ValueError(
            f"fit got an eval_set, and validation_fraction={validation_fraction} makes one for each fit. Leave one out."
        )
    last = estimator
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if not hasattr(last, "fit") or not has_fit_parameter(last, "eval_set"):
        raise ValueError(
            f"validation_fraction={validation_fraction} is for a classifier whose fit takes an eval_set, such as "
            f"XGBClassifier(early_stopping_rounds=10), or a pipeline that ends in one; that of {type(last).__name__} "
            "takes none. Leave it out; wrap the booster itself, and search around the selective classifier."
        )
