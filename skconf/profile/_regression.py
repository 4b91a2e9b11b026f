"""Predicted numbers: their correctness within a tolerance, and their expected correctness."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, ndtri

from skconf._core.arrays import as_floats
from skconf._core.checks import check_number, check_option
from skconf._core.inputs import check_column
from skconf._core.messages import brief
from skconf._core.probabilities import Floats
from skconf._core.problems import DataError


@dataclass(frozen=True, eq=False)
class Forecast:
    """Errors of predicted numbers, and the errors that a model expects.

    Attributes
    ----------
    error : ndarray of shape (n_samples,)
        True values minus predicted values.
    tolerance : float
        Size of a tolerable error.
    graded : bool
        Whether correctness falls gradually with the error, as a normal density does.
    deviations : ndarray of shape (n_samples, n_deviations)
        Standard deviations of normal distributions. The predicted distribution is their mixture with equal weights.
        For an ensemble, `deviations` holds the distances of its members from the prediction instead.
    drawn : bool
        Whether the model is an ensemble.
    """

    error: Floats
    tolerance: float
    graded: bool
    deviations: Floats
    drawn: bool

    @classmethod
    def read(
        cls, y_true: Any, y_pred: Any, tolerance: Any, kernel: Any, std: Any, interval: Any, level: Any, ensemble: Any
    ) -> Self:
        """Check the arguments of users."""
        check_number(tolerance, "tolerance", 0.0, open_high=True, positive=True)
        check_option(kernel, "kernel", ("within", "gaussian"))
        given = [
            name for name, what in (("std", std), ("interval", interval), ("ensemble", ensemble)) if what is not None
        ]
        if len(given) != 1:
            raise ValueError(f"Pass exactly one of std, interval and ensemble; got {' and '.join(given) or 'none'}.")
        predicted = check_column(y_pred, None, "y_pred")
        error = check_column(y_true, len(predicted), "y_true") - predicted
        if std is not None:
            deviations = check_column(std, len(predicted), "std")[:, np.newaxis]
            _refuse_negative(deviations, "std is negative")
        elif interval is not None:
            deviations = _of_interval(predicted, interval, level)
        else:
            deviations = _of_members(predicted, ensemble)
        return cls(error, float(tolerance), kernel == "gaussian", deviations, ensemble is not None)

    def correctness(self) -> NDArray[Any]:
        """Return the correctness of each prediction."""
        return self._kernel(np.abs(self.error))

    def confidence(self) -> Floats:
        """Return the expected correctness of each prediction."""
        if self.drawn:
            return self._kernel(self.deviations).mean(axis=1, dtype=np.float64)
        if self.graded:
            return (self.tolerance / np.hypot(self.tolerance, self.deviations)).mean(axis=1)
        with np.errstate(divide="ignore", over="ignore"):  # with a deviation of 0, all are within
            return np.asarray(erf(self.tolerance / (np.sqrt(2) * self.deviations))).mean(axis=1)

    def _kernel(self, distance: Floats) -> NDArray[Any]:
        return np.exp(-0.5 * (distance / self.tolerance) ** 2) if self.graded else distance <= self.tolerance


def _of_interval(predicted: Floats, interval: Any, level: Any) -> Floats:
    """Return the standard deviations that the interval of each prediction implies: one below it, and one above it."""
    check_number(level, "interval_level", 0.0, 1.0, open_high=True, positive=True)
    if not isinstance(interval, tuple | list) or len(interval) != 2:
        raise TypeError(
            f"interval must be a pair (low, high) of columns, with one value for each sample, but is {brief(interval)}."
        )
    low, high = (check_column(end, len(predicted), f"interval[{i}]") for i, end in enumerate(interval))
    deviations: Floats = np.column_stack([predicted - low, high - predicted]) / ndtri((1 + level) / 2)
    _refuse_negative(deviations, "y_pred lies outside its interval")
    return deviations


def _of_members(predicted: Floats, ensemble: Any) -> Floats:
    """Return how far each member of the ensemble is from the prediction, of shape (n_samples, n_members)."""
    members = as_floats(ensemble, "ensemble").astype(np.float64)
    if members.ndim != 2 or len(members) != len(predicted) or members.shape[1] == 0:
        raise ValueError(
            f"ensemble must have shape ({len(predicted)}, n_members), with a row for each sample, but has shape "
            f"{members.shape}."
        )
    if not np.isfinite(members).all():
        row = int(np.argmin(np.isfinite(members).all(axis=1)))
        raise DataError("ensemble has a value that is not finite, in ", row, ".", kind="not finite", column="ensemble")
    return np.abs(members - predicted[:, np.newaxis])


def _refuse_negative(deviations: Floats, what: str) -> None:
    if (deviations < 0).any():
        raise DataError(f"{what} in ", int(np.argmax((deviations < 0).any(axis=1))), ".", kind="negative")
