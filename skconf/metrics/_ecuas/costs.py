"""What an answer costs before any rejection, and how uncertain that cost is."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from skconf._core.checks import check_number
from skconf._core.probabilities import Floats
from skconf.metrics._base.kinds import Additive
from skconf.profile import ConfidenceProfile

Matrix = tuple[tuple[float, ...], ...]


class CandidateCost(Additive):
    """A metric of answers that cost something, and may be rejected by their expected cost.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None
        Cost of each decision under each true class; the logarithmic cost of the probabilities; None stands for 0–1.
    eps : float
        Smallest probability or uncertainty inside a logarithm.
    """

    cost_matrix: Any = None
    eps: float = 1e-7

    def __post_init__(self) -> None:
        check_number(self.eps, "eps", 0.0, 1.0, open_high=True)
        if self.cost_matrix is not None and not isinstance(self.cost_matrix, str):
            object.__setattr__(self, "cost_matrix", _as_matrix(self.cost_matrix))
        elif self.cost_matrix not in (None, "log"):
            raise ValueError(f"cost_matrix must be a matrix, 'log' or None, but is {self.cost_matrix!r}.")

    def answers(self, profile: ConfidenceProfile) -> tuple[Floats, Floats, float]:
        """Return uncertainty and cost of every answer, and the largest uncertainty of a best guess.

        The uncertainty is the expected cost under the probabilities themselves. The decision is the one that makes it
        least, or the given prediction.
        """
        largest = self.largest_uncertainty(profile.n_classes)
        if self.cost_matrix is None:
            return 1 - profile.confidence, (~profile.correct).astype(np.float64), largest
        true_class, proba = profile.require("true_class"), np.asarray(profile.proba, dtype=np.float64)
        rows = np.arange(len(profile))
        if self.cost_matrix == "log":
            return entropy(proba), -np.log(np.maximum(proba[rows, true_class], self.eps)), largest
        costs = np.array(self.cost_matrix)
        expected = proba @ costs
        if profile.prediction_given:
            if costs.shape[0] != costs.shape[1]:
                raise ValueError(
                    f"cost_matrix has {costs.shape[1]} decisions for {costs.shape[0]} classes, so a predicted "
                    "class is not a decision. Leave y_pred out, to take the decision of least expected cost."
                )
            decision = profile.require("predicted_class")
        else:
            decision = expected.argmin(axis=1)
        return expected[rows, decision], costs[true_class, decision], largest

    def largest_uncertainty(self, n_classes: int | None) -> float:
        """Return u_M, the expected cost of the best decision where the probabilities help least."""
        if n_classes == 1:
            raise ValueError(f"{self.info.name} needs at least two classes: with one, no answer is uncertain.")
        if self.cost_matrix is None:
            return 1.0 if n_classes is None else 1 - 1 / n_classes
        if n_classes is None:
            raise ValueError(
                f"{self.info.name} with a cost_matrix needs the probabilities of all classes, and the profile was "
                "built from correctness alone. Use ConfidenceProfile.from_predictions."
            )
        if self.cost_matrix == "log":
            return float(np.log(n_classes))
        if len(self.cost_matrix) != n_classes:
            raise ValueError(f"cost_matrix has {len(self.cost_matrix)} rows, but there are {n_classes} classes.")
        return _least_favourable(self.cost_matrix)[0]

    def uncertainty_of(self, proba: NDArray[Any]) -> NDArray[Any]:
        """Return the expected cost of the best decision under each row of probabilities."""
        if self.cost_matrix == "log":
            return entropy(proba)
        expected = 1 - proba if self.cost_matrix is None else proba @ np.array(self.cost_matrix)
        best = np.argmin(expected.real, axis=-1)
        return np.take_along_axis(expected, best[..., np.newaxis], axis=-1)[..., 0]


def entropy(proba: NDArray[Any]) -> NDArray[Any]:
    """Return the entropy of each row, in nats."""
    present = proba.real > 0
    return -np.where(present, proba * np.log(np.where(present, proba, 1.0)), 0.0).sum(axis=-1)


def least_favourable_probabilities(cost_matrix: ArrayLike) -> Floats:
    """Return the class probabilities under which the best decision costs most.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_decisions)
        Cost of each decision under each true class.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    return np.array(_least_favourable(_as_matrix(cost_matrix))[1])


def _as_matrix(costs: ArrayLike) -> Matrix:
    array = np.asarray(costs, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"cost_matrix must have shape (n_classes, n_decisions), but has shape {array.shape}.")
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise ValueError("cost_matrix must hold finite costs, 0 or greater.")
    if _least_favourable(matrix := tuple(map(tuple, array.tolist())))[0] <= 0:
        raise ValueError("cost_matrix has a decision that costs nothing under any class, so nothing is uncertain.")
    return matrix


@lru_cache(maxsize=32)
def _least_favourable(costs: Matrix) -> tuple[float, tuple[float, ...]]:
    """Maximise the cost of the best decision over the simplex: max t such that t <= p·c_d for every decision d."""
    matrix = np.array(costs)
    n_classes, n_decisions = matrix.shape
    solution = linprog(
        np.append(np.zeros(n_classes), -1.0),
        A_ub=np.column_stack([-matrix.T, np.ones(n_decisions)]),
        b_ub=np.zeros(n_decisions),
        A_eq=np.append(np.ones(n_classes), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[(0, 1)] * n_classes + [(None, None)],
    )
    return float(-solution.fun), tuple(solution.x[:-1].tolist())
