"""Confidence-weighted versions of metrics that take sample weights."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics

from skconf._core.checks import check_option
from skconf._core.docstrings import documented
from skconf.profile import ConfidenceProfile, as_profile

#: Names of a second argument that stand for probabilities.
_PROBABILITIES = ("y_proba", "y_prob", "y_score", "y_scores", "probas_pred")
#: Functions that call probabilities `y_pred`, in some versions of scikit-learn.
_EXCEPTIONS = ("log_loss", "d2_log_loss_score")


def confidence_weighted(metric: Callable[..., Any], *, response: str = "auto") -> "ConfidenceWeighted":
    """Return the confidence-weighted version of a metric that takes sample weights.

    The metric gets the weights w c, where w is the sample weight and c the confidence of the predicted class. If the
    metric counts a sample of weight 2 as two samples, the result is the metric of the confidence-weighted confusion
    matrix or ROC curve.

    Parameters
    ----------
    metric : callable
        A function ``metric(y_true, y, *, sample_weight=...)``, such as the functions of :mod:`sklearn.metrics`.
    response : {"auto", "predict", "predict_proba"}, default="auto"
        What the metric gets as its second argument. "predict" passes predicted labels. "predict_proba" passes
        probabilities of shape (n_samples, n_classes), with columns sorted by label; in a binary task, it passes the
        probabilities of the positive class, of shape (n_samples,). "auto" chooses by the name of the second argument:
        `y_proba`, `y_prob`, `y_score`, `y_scores` and `probas_pred` get probabilities, and all other names get
        predicted labels. The log losses of scikit-learn always get probabilities.

    Returns
    -------
    ConfidenceWeighted
        A callable ``f(y_true, y_proba, *, y_pred=None, labels=None, pos_label=None, sample_weight=None, **kwargs)``. It
        passes `kwargs` on to the metric, and returns its result. It can be pickled if the metric can.

    Raises
    ------
    TypeError
        If the metric takes no `sample_weight`.

    See Also
    --------
    cw_roc_auc_score : The area under the ROC curve of each class against the rest, several times faster.

    Notes
    -----
    If the metric has parameters `labels` or `pos_label`, it gets the labels of the columns and the positive class. So
    the metric knows all classes, even if a fold lacks one. If a metric of probabilities has no `pos_label`, the
    positive class is the last of the sorted labels, as in scikit-learn.

    Examples
    --------
    >>> from sklearn.metrics import accuracy_score, average_precision_score
    >>> from skconf.metrics import confidence_weighted
    >>> y_true, y_proba = ["a", "b", "b", "a"], [0.1, 0.9, 0.5, 0.6]
    >>> round(confidence_weighted(accuracy_score)(y_true, y_proba), 3)
    0.621
    >>> round(confidence_weighted(average_precision_score)(y_true, y_proba), 3)
    0.89...
    """
    return ConfidenceWeighted(metric, response)


@dataclass(frozen=True, repr=False)
class ConfidenceWeighted:
    """A confidence-weighted version of a metric, returned by :func:`confidence_weighted`.

    Parameters
    ----------
    metric : callable
        The metric, with a parameter `sample_weight`.
    response : {"auto", "predict", "predict_proba"}, default="auto"
        What the metric gets as its second argument.
    """

    metric: Callable[..., Any]
    response: str = "auto"

    def __post_init__(self) -> None:
        check_option(self.response, "response", ("auto", "predict", "predict_proba"))
        parameters = _parameters(self.metric)
        if "sample_weight" not in parameters:
            raise TypeError(
                f"{_name(self.metric)} takes no sample_weight (its parameters are {', '.join(parameters)}), so its "
                "samples cannot be weighted by confidence. Pass a metric that takes sample_weight."
            )

    @property
    def __name__(self) -> str:
        """Name of the metric, with cw_ before it."""
        return f"cw_{_name(self.metric)}"

    def __repr__(self) -> str:
        response = "" if self.response == "auto" else f", response={self.response!r}"
        return f"confidence_weighted({_name(self.metric)}{response})"

    @documented()
    def __call__(
        self,
        y_true: ArrayLike | ConfidenceProfile,
        y_proba: ArrayLike | None = None,
        *,
        y_pred: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the metric with weights w c: the sample weights times the confidences.

        Parameters
        ----------
        {predictions}
        {predicted}
        {labels}
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights, which are multiplied by the confidence.
        **kwargs
            Further arguments of the metric.

        Returns
        -------
        object
            The result of the metric.
        """
        given = {"y_pred": y_pred, "labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
        return self._of_profile(as_profile(f"{self.__name__}()", y_true, y_proba, **given), kwargs)

    def _of_profile(self, profile: ConfidenceProfile, kwargs: dict[str, Any]) -> Any:
        classes, sure = profile.require("classes"), profile.confidence
        weight = sure if profile.given_weight is None else sure * profile.given_weight
        true = classes[profile.require("true_class")]
        passed = dict(kwargs)
        if self._takes_probabilities():
            response = self._probabilities(profile, passed)
        else:
            response = classes[profile.require("predicted_class")]
            if "labels" in _parameters(self.metric):
                passed["labels"] = classes
            if self._reads_pos_label(kwargs) and profile.positive_class is not None:
                passed["pos_label"] = classes[profile.positive_class].item()
        return self.metric(true, response, sample_weight=weight, **passed)

    def _takes_probabilities(self) -> bool:
        if self.response != "auto":
            return self.response == "predict_proba"
        function = getattr(self.metric, "func", self.metric)  # of a functools.partial
        if any(function is getattr(metrics, name) for name in _EXCEPTIONS):
            return True
        return any(name in _PROBABILITIES for name in list(_parameters(self.metric))[1:2])

    def _reads_pos_label(self, kwargs: dict[str, Any]) -> bool:
        """Return whether the metric takes and uses `pos_label`.

        Metrics that take `average` use `pos_label` only with average="binary".
        """
        parameters = _parameters(self.metric)
        if "pos_label" not in parameters:
            return False
        return "average" not in parameters or kwargs.get("average", parameters["average"].default) == "binary"

    def _probabilities(self, profile: ConfidenceProfile, passed: dict[str, Any]) -> Any:
        """Return the probabilities as scikit-learn's metrics take them, and add the labels they need to `passed`."""
        classes, parameters = profile.require("classes"), _parameters(self.metric)
        ascending = np.argsort(classes, kind="stable")
        if "labels" in parameters:
            passed["labels"] = classes[ascending]
        if len(classes) != 2:
            return profile.proba[:, ascending]
        positive = ascending[-1]
        if "pos_label" in parameters:
            positive = profile.require("positive_class")
            passed["pos_label"] = classes[positive].item()
        return profile.proba[:, positive]


def _parameters(metric: Callable[..., Any]) -> Any:
    return inspect.signature(metric).parameters


def _name(metric: Callable[..., Any]) -> str:
    return getattr(getattr(metric, "func", metric), "__name__", repr(metric))
