"""Scores of classifiers that predict several outputs, such as the labels of a multilabel task."""

from collections.abc import Callable
from typing import Any

import numpy as np

from skconf._core.arrays import as_array
from skconf._core.response import outputs_of


def scores_by_output(score: Callable[..., Any], estimator: Any, X: Any, y: Any, **metadata: Any) -> list[Any]:
    """Return the score of each output; nothing of a classifier with a single one."""
    outputs = outputs_of(estimator, X)
    if not outputs:
        return []
    if metadata.get("costs") is not None:
        raise ValueError("costs are of one output, and the classifier has several. Score each output separately.")
    truth = as_array(y.toarray() if hasattr(y, "toarray") else y, "y")
    if truth.ndim != 2 or truth.shape[1] != len(outputs):
        raise ValueError(f"y must have shape (n_samples, {len(outputs)}), a column for each output, not {truth.shape}.")
    return [score(each, given, column, **metadata) for (each, given), column in zip(outputs, truth.T, strict=True)]


def mean_of(scores: list[Any]) -> Any:
    """Return the mean over outputs: of numbers, or of each number by key."""
    if isinstance(scores[0], dict):
        return {key: float(np.mean([each[key] for each in scores])) for key in scores[0]}
    return float(np.mean(scores))
