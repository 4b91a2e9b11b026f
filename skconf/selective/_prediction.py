"""The output of a selective classifier, also of one inside a pipeline or a search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.response import ask_selective


class SelectivePrediction(NamedTuple):
    """The output of a selective classifier, from one call of the inner ``predict_proba``.

    Attributes
    ----------
    proba : ndarray of shape (n_samples, n_classes)
        Calibrated probabilities.
    prediction : ndarray of shape (n_samples,)
        Predicted labels, or decisions, before any rejection.
    score : ndarray of shape (n_samples,)
        The score that is compared with the threshold, in [0, 1].
    accepted : ndarray of shape (n_samples,), bool
        Whether the score reaches the threshold.
    """

    proba: NDArray[Any]
    prediction: NDArray[Any]
    score: Floats
    accepted: NDArray[np.bool_]

    def __repr__(self) -> str:
        return short_repr(self)


def predict_selective(model: Any, X: Any, *, costs: ArrayLike | None = None) -> SelectivePrediction:
    """Return the output of a selective classifier, also from inside a pipeline, a search or a frozen model.

    scikit-learn's pipelines and searches have ``predict`` and ``predict_proba``, but not ``predict_selective``. This
    function applies the transformers of the pipeline, and then calls ``predict_selective`` of the selective classifier
    at its end.

    Parameters
    ----------
    model : estimator
        A fitted :class:`~skconf.SelectiveClassifier` or :class:`~skconf.TunedSelectiveClassifierCV`. It may be the last
        step of a pipeline, the best estimator of a search, or inside a ``FrozenEstimator``. Such wrappers may be nested
        to any depth.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples, as the model takes them.
    costs : array-like of shape (n_samples, n_classes, n_decisions), default=None
        Costs of each sample, if the classifier was fitted with costs of this shape.

    Returns
    -------
    SelectivePrediction
        Named fields `proba`, `prediction`, `score` (as from `predict_confidence`) and `accepted` (as from `accept`).

    Raises
    ------
    TypeError
        If there is no selective classifier in the model.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> import skconf
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> model = skconf.SelectiveClassifier(LogisticRegression(), threshold=0.9)
    >>> pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
    >>> answer = skconf.predict_selective(pipeline, X[:4])
    >>> answer.accepted
    array([ True,  True,  True,  True])
    >>> answer.prediction
    array([0, 0, 0, 0])
    """
    answer: SelectivePrediction = ask_selective(model, X, costs)
    return answer
