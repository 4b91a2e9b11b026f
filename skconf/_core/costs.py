"""Costs of decisions: the cost matrix, the decision of least expected cost, and the largest uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from skconf._core.arrays import as_floats
from skconf._core.columns import column_names, positions_of_names
from skconf._core.labels import Codes
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats

Matrix = tuple[tuple[float, ...], ...]

#: Expected costs that differ by less, relatively, are the same: the order of a sum must not decide.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class OwnCosts:
    """The costs by which a classifier decides.

    Attributes
    ----------
    classifier : str
        The name of its Python class.
    parameter : str
        The parameter that holds the costs of answers: "cost_matrix", or "costs" if each sample has its own costs; "" if
        every error costs 1.
    cost_matrix : CostMatrix or None
        The costs of answers, if they are the same for all samples.
    reject_cost : float or None
        The cost of a rejection, if the classifier has one.
    """

    classifier: str
    parameter: str
    cost_matrix: "CostMatrix | None"
    reject_cost: float | None


@dataclass(frozen=True, repr=False)
class CostMatrix:
    """The cost of each decision for each true class: a row for each class, a column for each decision.

    Parameters
    ----------
    costs : tuple of tuple of float
        Rows of costs, which are finite and 0 or greater.
    classes, decisions : tuple or None
        Names of the rows and of the columns; None if they have no names.
    """

    costs: Matrix
    classes: tuple[Any, ...] | None = None
    decisions: tuple[Any, ...] | None = None

    @classmethod
    def read(cls, given: ArrayLike | Self) -> Self:
        """Read and check a matrix of any kind. The rows and columns of a table keep their names."""
        if isinstance(given, cls):
            return given
        array = np.asarray(as_floats(given, "cost_matrix"), dtype=np.float64)
        if array.ndim != 2 or array.size == 0:
            raise ValueError(f"cost_matrix must have shape (n_classes, n_decisions), but has shape {array.shape}.")
        check_costs(array, "cost_matrix")
        rows = given.index if isinstance(given, pd.DataFrame) else pd.RangeIndex(len(array))
        named = None if rows.equals(pd.RangeIndex(len(array))) else tuple(rows.tolist())
        columns = column_names(given)
        matrix = cls(tuple(map(tuple, array.tolist())), named, None if columns is None else tuple(columns))
        if matrix.largest_uncertainty <= 0:
            raise ValueError(
                "cost_matrix has a decision that costs nothing, whatever the true class is, so no decision is "
                "uncertain. Check the costs."
            )
        return matrix

    def of(self, classes: NDArray[Any], decisions: Sequence[Any] | None = None) -> Floats:
        """Return the costs, with rows in the order of the classes and columns in the order of the decisions.

        Raise if the number of rows or columns, or their names, do not fit.
        """
        costs = np.array(self.costs)
        if len(costs) != len(classes):
            raise ValueError(
                f"cost_matrix has {len(costs)} rows, but there are {len(classes)} classes: {shorten(classes.tolist())}."
            )
        if self.classes is not None:
            costs = costs[_order("rows", self.classes, classes.tolist())]
        if decisions is not None:
            if costs.shape[1] != len(decisions):
                raise ValueError(
                    f"cost_matrix has {costs.shape[1]} columns, but there are {len(decisions)} decisions: "
                    f"{shorten(list(decisions))}."
                )
            if self.decisions is not None:
                costs = costs[:, _order("columns", self.decisions, decisions)]
        return costs

    def rows_of(self, classes: NDArray[Any]) -> Codes:
        """Return the position of each class among the rows of the matrix."""
        if self.classes is None:
            return np.arange(len(classes))
        return np.array(_order("rows", self.classes, classes.tolist()))

    @property
    def largest_uncertainty(self) -> float:
        """Largest uncertainty u_M: the expected cost of the best decision under the least favourable probabilities."""
        return least_favourable(self.costs)[0]

    def __repr__(self) -> str:
        names = {"classes": self.classes, "decisions": self.decisions}
        named = [f", {name}={given!r}" for name, given in names.items() if given is not None]
        return f"{[list(row) for row in self.costs]}{''.join(named)}"


def _order(what: str, names: Sequence[Any], wanted: Sequence[Any]) -> list[int]:
    order = positions_of_names(names, wanted)
    if order is None:
        raise ValueError(
            f"cost_matrix has {what} named {shorten(list(names))}, but they should be {shorten(list(wanted))}. "
            f"Rename the {what}; they may be in any order. Or pass cost_matrix.to_numpy(), with rows in the order of "
            "the classes and columns in the order of the decisions."
        )
    return order


def check_costs(costs: NDArray[Any], name: str) -> None:
    """Raise if costs are not finite, or are negative."""
    if not (np.isfinite(costs).all() and (costs >= 0).all()):
        raise ValueError(f"{name} must hold finite costs, 0 or greater.")


def expected_costs(proba: NDArray[Any], costs: NDArray[Any]) -> NDArray[Any]:
    """Return the expected cost of each decision for each row of probabilities, of shape (..., n_decisions).

    Probabilities may be complex, to compute derivatives. Costs have the shape (n_classes, n_decisions), or (n_samples,
    n_classes, n_decisions) if each sample has its own costs.
    """
    wide = proba if np.iscomplexobj(proba) else np.asarray(proba, dtype=np.float64)
    if costs.ndim == 3:
        return np.einsum("ik,ikd->id", wide, costs)
    # The column of each decision is contiguous in memory, so that columns are compared ten times as fast.
    return (costs.T @ wide.T).T if wide.ndim == 2 else wide @ costs


def least_expected(expected: NDArray[Any]) -> Codes:
    """Return the decision of least expected cost. If the costs of several differ only by rounding, return the first."""
    real = expected.real
    low = real.min(axis=-1) * (1 + _ROUNDING)
    dearer, decision = np.ones(low.shape, dtype=np.bool_), np.zeros(low.shape, dtype=np.int32)
    for position in range(real.shape[-1] - 1):  # counts the decisions before the first that is among the cheapest
        dearer &= real[..., position] > low
        decision += dearer
    return decision.astype(np.intp)


def at_decision(expected: NDArray[Any], decision: Codes) -> NDArray[Any]:
    """Return, for each row, the expected cost u of the decision in this row."""
    return np.asarray(np.take_along_axis(expected, decision[..., np.newaxis], axis=-1)[..., 0])


@lru_cache(maxsize=32)
def least_favourable(costs: Matrix) -> tuple[float, tuple[float, ...]]:
    """Return the largest expected cost that the best decision can have, and the probabilities p for which it has it.

    This is the largest t with t <= p·c_d for every decision d.
    """
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


def read_costs_by_sample(given: ArrayLike, name: str = "costs") -> Floats:
    """Check costs of each sample, of shape (n, K, D), or of shape (n, D) if they are only those of its true class."""
    costs = np.asarray(as_floats(given, name), dtype=np.float64)
    if costs.ndim not in (2, 3) or costs.size == 0:
        raise ValueError(
            f"{name} must have shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions), but has shape "
            f"{costs.shape}."
        )
    check_costs(costs, name)
    return costs


def costs_given_truth(costs: Floats, true_class: Codes, n_classes: int, n_decisions: int) -> Floats:
    """Return the cost of each decision in each sample, given its true class, of shape (n, D)."""
    expected = (len(true_class), *((n_classes, n_decisions) if costs.ndim == 3 else (n_decisions,)))
    if costs.shape != expected:
        raise ValueError(
            f"costs has shape {costs.shape}, but should have {expected}, for {len(true_class)} samples, {n_classes} "
            f"classes and {n_decisions} decisions."
        )
    return costs if costs.ndim == 2 else costs[np.arange(len(costs)), true_class]
