"""Profiles of samples with any number of labels."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skconf._core.arrays import as_floats
from skconf._core.columns import column_names
from skconf._core.labels import check_labels
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats, check_probabilities
from skconf._core.problems import DataError


@dataclass(frozen=True, eq=False)
class Multilabel:
    """True labels, their probabilities and predicted labels, of shape (n_samples, n_labels) each."""

    truth: NDArray[np.bool_]
    proba: Floats
    predicted: NDArray[np.bool_]
    labels: list[Any]

    @classmethod
    def read(cls, Y_true: Any, Y_proba: Any, Y_pred: Any, labels: Any) -> Self:
        """Check the arguments of users."""
        truth = _indicators(Y_true, "Y_true")
        proba = as_floats(_of_labels(Y_proba), "Y_proba").astype(np.float64)
        _check_shape(proba, truth, "Y_proba")
        check_probabilities(proba, "Y_proba")
        names = column_names(Y_true)
        proba = _in_order(proba, column_names(Y_proba), names, "Y_proba")
        predicted = proba > 0.5
        if Y_pred is not None:
            predicted = _indicators(Y_pred, "Y_pred")
            _check_shape(predicted, truth, "Y_pred")
            predicted = _in_order(predicted, column_names(Y_pred), names, "Y_pred")
        known = list(range(truth.shape[1])) if names is None else names
        if labels is not None:
            known = check_labels(labels).tolist()
            if len(known) != truth.shape[1]:
                raise ValueError(
                    f"labels has {len(known)} labels, but Y_true has {truth.shape[1]} columns. Pass one label for each "
                    "column."
                )
        return cls(truth, np.clip(proba, 0.0, 1.0), predicted, known)

    def jaccard(self) -> Floats:
        """Return Jaccard's index of each sample, which is 1 if no label is predicted or true."""
        both, either = (self.truth & self.predicted).sum(axis=1), (self.truth | self.predicted).sum(axis=1)
        return np.where(either == 0, 1.0, both / np.maximum(either, 1))

    def expected_jaccard(self) -> Floats:
        """Return the expected Jaccard index if labels are independent and each is true with its probability.

        Let m be the number of predicted labels, A the number of true ones among them, and B the number of true labels
        that are not predicted. The expected index is E[A] E[1/(m + B)]. The second factor is the integral of t^(m − 1)
        Π (1 − p + p t) over [0, 1], which Gauss-Legendre quadrature gives exactly.
        """
        size = self.predicted.sum(axis=1)
        hits = np.where(self.predicted, self.proba, 0.0).sum(axis=1)
        missed = np.where(self.predicted, 0.0, self.proba)
        inverse = np.zeros(len(size))
        nodes, weights = np.polynomial.legendre.leggauss(self.proba.shape[1] // 2 + 1)
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            inverse += weight * node ** np.maximum(size - 1, 0) * (1 - missed * (1 - node)).prod(axis=1)
        return np.where(size == 0, (1 - missed).prod(axis=1), np.clip(hits * inverse, 0.0, 1.0))


def _indicators(given: Any, name: str) -> NDArray[np.bool_]:
    """Return a matrix of 0 and 1 as booleans."""
    array = as_floats(given.toarray() if sparse.issparse(given) else given, name)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{name} must have shape (n_samples, n_labels), but has shape {array.shape}.")
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        value, rest = array[row, column], f", column {column}; it must be 0 or 1."
        raise DataError(f"{name} is {value} in ", row, rest, kind="not 0 or 1", column=name)
    return array == 1


def _of_labels(given: Any) -> Any:
    """Return one column of probabilities for each label, also from a list of arrays with two columns each."""
    if not isinstance(given, list | tuple) or not given or np.ndim(given[0]) != 2:
        return given
    for position, part in enumerate(given):
        if np.shape(part) != (len(given[0]), 2):
            raise ValueError(
                f"Y_proba holds an array of shape {np.shape(part)} for label {position}. Pass an array of shape "
                f"({len(given[0])}, 2) for each label, or a single array of shape (n_samples, n_labels)."
            )
    return np.column_stack([np.asarray(part)[:, 1] for part in given])


def _check_shape(array: NDArray[Any], truth: NDArray[np.bool_], name: str) -> None:
    if array.shape != truth.shape:
        raise ValueError(f"{name} has shape {array.shape}, but Y_true has shape {truth.shape}.")


def _in_order(array: Any, names: list[Any] | None, known: list[Any] | None, name: str) -> Any:
    """Return columns in the order of `Y_true`, if both have names."""
    if names is None or known is None or names == known:
        return array
    if len(set(names)) < len(names) or set(names) != set(known):
        raise ValueError(f"{name} has the columns {shorten(names)}, but Y_true has {shorten(known)}.")
    return array[:, [names.index(label) for label in known]]
