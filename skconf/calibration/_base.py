"""What calibrators have in common: checked input, classes, rows that sum to one."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skconf._labels import LabelColumn, check_labels
from skconf._messages import shorten
from skconf._probabilities import Floats, as_probabilities, both_columns, check_probabilities
from skconf.profile import check_weight

Column = Callable[[Floats], Floats]


class OneVsRestCalibrator(BaseEstimator):  # type: ignore[misc]
    """A calibrator of one column at a time; the columns of a row are then scaled to sum to one."""

    @abstractmethod
    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        """Return the calibrated probability of a class as a function of its probability."""

    def fit(
        self,
        proba: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Learn to correct probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities of samples that the classifier was not trained on; a single column is the probability of
            the second class of two.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns; None stands for the sorted labels of `y`, if there are as many.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If lengths differ, a label is unknown, or `labels` is needed and not given.

        Warns
        -----
        UserWarning
            If a class is absent from `y`, or alone in it: its probabilities stay as they are.
        """
        columns = _two_dimensional(proba)
        truth = LabelColumn(y, "y")
        if len(truth) != len(columns):
            raise ValueError(f"y has {len(truth)} rows, but proba has {len(columns)}.")
        classes = truth.sorted_distinct() if labels is None else check_labels(labels)
        if len(classes) != columns.shape[1]:
            raise ValueError(
                f"proba has {columns.shape[1]} columns for {len(classes)} labels ({shorten(classes.tolist())}). "
                "Pass labels=[...], in the order of the columns."
            )
        codes = truth.positions_in(classes)
        weight = check_weight(sample_weight, len(columns))
        weight = np.ones(len(columns)) if weight is None else weight
        present = np.bincount(codes, weights=weight, minlength=len(classes)) > 0
        if present.sum() < 2:
            present[:] = False  # there is nothing to tell a class from
        if not present.all():
            warnings.warn(
                f"{type(self).__name__} leaves the probabilities of {shorten(classes[~present].tolist())} as they "
                "are: the calibration data holds no sample of these classes, or none of any other.",
                UserWarning,
                stacklevel=2,
            )
        # In a binary task one column says it all.
        fitted = [1] if len(classes) == 2 else range(len(classes))
        self.classes_ = classes
        self.columns_ = {
            k: self._fit_column(columns[:, k].astype(np.float64), codes == k, weight) for k in fitted if present[k]
        }
        return self

    def predict_proba(self, proba: ArrayLike) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one; a row of zeros has become uniform.
        """
        check_is_fitted(self)
        columns = _two_dimensional(proba)
        if columns.shape[1] != len(self.classes_):
            raise ValueError(
                f"proba has {columns.shape[1]} columns, but the calibrator was fitted on {len(self.classes_)}."
            )
        if len(self.classes_) == 2 and self.columns_:
            return both_columns(self.columns_[1](columns[:, 1].astype(np.float64)), 1)
        out = np.array(columns, dtype=np.float64)
        for k, correct in self.columns_.items():
            out[:, k] = correct(out[:, k])
        return _rows_to_one(out)


def safe_logit(proba: Floats, eps: float = 1e-8) -> Floats:
    """Return the logit of probabilities kept away from 0 and 1."""
    return np.asarray(logit(np.clip(proba, eps, 1 - eps)))


def _two_dimensional(proba: ArrayLike) -> NDArray[Any]:
    columns = as_probabilities(proba, "proba")
    check_probabilities(columns, "proba")
    return both_columns(columns, 1) if columns.ndim == 1 else columns


def _rows_to_one(proba: Floats) -> Floats:
    total = proba.sum(axis=1, keepdims=True)
    empty = total[:, 0] == 0
    proba[empty], total[empty] = 1.0, proba.shape[1]
    proba /= total
    return proba
