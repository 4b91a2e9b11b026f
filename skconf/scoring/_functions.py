"""Metrics that are evaluated by calling a function: functions of users, and some of scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.metrics

from skconf._core.sklearn_names import scorer_parts
from skconf._core.warn import Notice
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.registry import Info
from skconf.profile import ConfidenceProfile
from skconf.scoring._scorers import UNDEFINED, SklearnScorer, parameters_of

#: Names of a second parameter, and what a function with it is given.
_SECOND = {"y_pred": "predict", "y_proba": "predict_proba", "y_prob": "predict_proba", "y_score": "predict_proba"}


class Called(Whole, rests_on="errors"):
    """A number that a function computes from predictions.

    Parameters
    ----------
    call : callable
        The function. It gets a profile, and returns the number.
    name : str
        Name of the metric.
    greater_is_better : bool or None
        Direction. None if it is unknown.
    of_user : bool, default=False
        Whether the function is the user's own. If so, an exception may have other causes than the predictions.
    """

    why_resampled = "it is computed by a function whose derivatives are not known"
    why_not_merged = "it is computed by a function that needs all predictions at once"

    call: Callable[[ConfidenceProfile], float]
    name: str
    greater_is_better: bool | None
    of_user: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "info", Info(self.name, self.greater_is_better, (-np.inf, np.inf), None, ""))

    def evaluate(self, profile: ConfidenceProfile) -> tuple[Any, list[Notice]]:
        try:
            value = self.call(profile)
        except Exception as error:
            error.add_note(f"{self.name} raised this error.{self._what_it_was_given(profile)}")
            raise
        if np.ndim(value):
            return value, []  # the caller reports that it is not a number
        return float(value), self.undefined_notices(value)

    def _what_it_was_given(self, profile: ConfidenceProfile) -> str:
        """Return a hint for a user's function that may expect a column for each of two classes; else an empty text."""
        scorer = getattr(getattr(self.call, "__self__", None), "scorer", None)
        by_proba = scorer is not None and "predict_proba" in scorer_parts(scorer).response
        if not (self.of_user and by_proba and profile.classes is not None and len(profile.classes) == 2):
            return ""
        return (
            " With two classes, the function gets only the probabilities of class "
            f"{profile.classes.tolist()[profile.positive_class or 0]!r}, an array of shape (n_samples,). Scorers of "
            "scikit-learn pass the same array."
        )

    def value(self, profile: ConfidenceProfile) -> Any:
        """Return the number. NaN if it is undefined, for example if a resample or a slice lacks a class."""
        try:
            return self.call(profile)
        except UNDEFINED:
            return np.nan


def called(scorer: SklearnScorer, name: str, *, sign: int | None = None) -> Called:
    """Return the metric that calls a scikit-learn scorer.

    If `sign` is 1, higher is better; if None, this is unknown.
    """
    module = getattr(scorer_parts(scorer.scorer).function, "__module__", "") or ""
    of_user = module.partition(".")[0] not in ("sklearn", "skconf")
    return Called(call=scorer.answer, name=name, greater_is_better=None if sign is None else True, of_user=of_user)


def response_of(function: Callable[..., Any]) -> str | None:
    """Return the response that a function takes, known from its scorer or from the name of its second parameter."""
    for name in sklearn.metrics.get_scorer_names():
        parts = scorer_parts(sklearn.metrics.get_scorer(name))
        if parts.function is function:
            return "predict_proba" if "predict_proba" in parts.response else parts.response[0]
    second = [*parameters_of(function), "", ""][1]
    return _SECOND.get(second)
