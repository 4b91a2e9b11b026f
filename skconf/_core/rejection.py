"""Scores that are compared with the threshold, and labels of rejected predictions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy

from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats


def _of_prediction(proba: NDArray[Any], predicted: Codes) -> Floats:
    return proba[np.arange(len(proba)), predicted].astype(np.float64)


def _margin(proba: NDArray[Any], predicted: Codes) -> Floats:  # noqa: ARG001
    if proba.shape[1] == 1:
        return proba[:, 0].astype(np.float64)
    two = np.partition(proba, -2, axis=1)[:, -2:].astype(np.float64)
    return np.subtract(two[:, 1], two[:, 0])


def _certainty(proba: NDArray[Any], predicted: Codes) -> Floats:  # noqa: ARG001
    if proba.shape[1] == 1:
        return np.ones(len(proba))
    entropy = -xlogy(proba, proba).sum(axis=1, dtype=np.float64)
    return 1 - entropy / np.log(proba.shape[1])


#: Scores by name: functions of probabilities and predicted columns.
SCORES: dict[str, Callable[[NDArray[Any], Codes], Floats]] = {
    "max_proba": _of_prediction,
    "margin": _margin,
    "entropy": _certainty,
}


def selection_score(confidence: Any, proba: NDArray[Any], predicted: Codes) -> Floats:
    """Return the score that is compared with the threshold, in [0, 1].

    `confidence` is a name from ``SCORES``, or a function of the calibrated probabilities. Raise if a user's function
    returns a wrong shape, NaN, or values outside [0, 1].
    """
    if isinstance(confidence, str):
        score = SCORES[confidence](proba, predicted)
    else:
        shown = proba.view()
        shown.flags.writeable = False  # the function must not change them: they are returned, too
        score = np.asarray(confidence(shown), dtype=np.float64)
    if score.shape != (len(proba),):
        raise ValueError(
            f"confidence must return one score for each of {len(proba)} samples, but returned shape {score.shape}."
        )
    rounding = 1e-6  # of sums of float32 probabilities
    if not (score.min(initial=0.0) >= -rounding and score.max(initial=0.0) <= 1 + rounding):  # False for NaN, too
        wrong = "NaN" if np.isnan(score).any() else f"values in [{score.min()}, {score.max()}]"
        raise ValueError(f"confidence must return scores in [0, 1], but returned {wrong}.")
    return np.clip(score, 0.0, 1.0)


def choose_reject_label(classes: NDArray[Any], reject_label: Any = None, decisions: NDArray[Any] | None = None) -> Any:
    """Return the label of a rejected sample: the given one, or one of the same type that is not an answer.

    Classes are sorted. `decisions` are given if answers are not classes: the label must be neither a class nor a
    decision. Raise if the given label is a class or a decision, or if it does not equal itself, such as NaN.
    """
    known = classes.tolist()
    answers = known if decisions is None else decisions.tolist()
    if reject_label is not None:
        if np.ndim(reject_label) != 0:
            raise ValueError(f"reject_label must be a single label, but is {reject_label!r}.")
        if pd.isna(reject_label):
            raise ValueError(
                "reject_label is a missing value, so prediction == reject_label would never be true. Choose another "
                "label."
            )
        if reject_label in known:
            raise ValueError(
                f"reject_label={reject_label!r} is one of the classes {shorten(known)}; choose another label."
            )
        if reject_label in answers:
            raise ValueError(
                f"reject_label={reject_label!r} is one of the decisions {shorten(answers)}; choose another label."
            )
        return reject_label
    taken = {*known, *answers}
    if any(isinstance(answer, str) for answer in answers):
        label = "reject"
        while label in taken:
            label += "ed"
        return label
    if -1 not in taken:
        return -1
    smallest = min(label for label in taken if not isinstance(label, str))
    return type(smallest)(smallest - 1)


def with_reject_label(prediction: NDArray[Any], accepted: NDArray[np.bool_], reject_label: Any) -> NDArray[Any]:
    """Return predictions, or the reject label in rows that are not accepted, in a type that holds both unchanged."""
    label = np.asarray(reject_label)
    text = [array.dtype.kind in "UTO" for array in (prediction, label)]
    dtype = np.result_type(prediction, label) if text[0] == text[1] else np.dtype(object)
    # In an array of one type, numpy would turn numbers into strings, cut strings, or round whole numbers of 64 bits.
    # Only an object array holds both kinds of labels unchanged.
    if dtype.kind == "f" and "f" not in (prediction.dtype.kind, label.dtype.kind):
        dtype = np.dtype(object)
    out = prediction.astype(dtype)
    out[~accepted] = reject_label
    return out
