"""Decisions of least expected cost, by which selective classifiers answer (equation 6 of the ECUAS paper)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.columns import positions_of_names
from skconf._core.costs import (
    CostMatrix,
    at_decision,
    expected_costs,
    least_expected,
    read_costs_by_sample,
)
from skconf._core.labels import Codes, LabelColumn
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats
from skconf._core.warn import warn


@dataclass(frozen=True)
class DecisionRule:
    """The decision of least expected cost, and how uncertain it is.

    Attributes
    ----------
    decisions : ndarray of shape (n_decisions,)
        Names of the decisions. If `of_classes` is True, the decisions are the classes, in the order of the classes.
    of_classes : bool
        Whether the decisions are the classes, so that each is right or wrong.
    largest : float
        The largest possible uncertainty u_M, which has a score of 0. If costs differ from sample to sample, new samples
        may have any uncertainty. Then `largest` is not the largest one, but the scale s of the score 1/(1 + u/s).
    costs : ndarray of shape (n_classes, n_decisions) or None
        Cost of each decision under each class. None if costs differ from sample to sample.
    function : callable or None
        A function of samples that returns costs of shape (n_samples, n_classes, n_decisions).
    n_classes : int
        Number of classes.
    """

    decisions: NDArray[Any]
    of_classes: bool
    largest: float
    costs: Floats | None
    function: Callable[[Any], Any] | None
    n_classes: int

    @property
    def needs_costs(self) -> bool:
        """Whether costs must be passed with the samples."""
        return self.costs is None and self.function is None

    def threshold(self, reject_cost: float) -> float:
        """Return the score below which the uncertainty exceeds the cost of a rejection."""
        return float(self.score(np.float64(reject_cost)))

    def score(self, uncertainty: Any) -> Any:
        """Return the score of an uncertainty u, in [0, 1]: 1 − u/u_M, or 1/(1 + u/u_M) with costs by sample."""
        relative = uncertainty / self.largest
        return np.clip(1 - relative, 0.0, 1.0) if self.costs is not None else 1 / (1 + relative)

    def costs_of(self, X: Any, costs: Any, n_samples: int) -> Floats:
        """Return the costs on which decisions depend: the matrix, or costs by sample, either computed or passed."""
        if costs is not None and not self.needs_costs:
            raise ValueError(
                "costs of each sample were passed, but this classifier decides by its cost_matrix. Leave them out."
            )
        if self.costs is not None:
            return self.costs
        if self.function is not None:
            return self._called(self.function, X, n_samples)
        if costs is None:
            raise ValueError(
                "This classifier needs the costs of each new sample. Pass costs of shape (n_samples, n_classes, "
                "n_decisions). Or fit it with a cost_matrix, which may be a function of X that returns costs."
            )
        return self._checked(read_costs_by_sample(costs), "costs", n_samples)

    def decide(self, proba: NDArray[Any], costs: Floats) -> tuple[Codes, Floats]:
        """Return the decision of least expected cost, and its score."""
        expected = expected_costs(proba, costs)
        decision = least_expected(expected)
        return decision, self.score(at_decision(expected, decision))

    def _called(self, function: Callable[[Any], Any], X: Any, n_samples: int) -> Floats:
        return self._checked(read_costs_by_sample(function(X), "What cost_matrix returned"), "cost_matrix", n_samples)

    def _checked(self, costs: Floats, name: str, n_samples: int) -> Floats:
        expected = (n_samples, self.n_classes, len(self.decisions))
        if costs.shape != expected:
            raise ValueError(
                f"{name} has costs of shape {costs.shape}, but costs for decisions must have shape {expected}."
            )
        return costs


def read_rule(
    cost_matrix: Any, decisions: Any, classes: NDArray[Any], X: Any, costs: Floats | None, *, zero_one: bool = False
) -> DecisionRule | None:
    """Read the rule of decision from the parameters and samples of ``fit``.

    If no costs are given, return None; with `zero_one`, return the rule for a cost of 1 for each error.
    """
    by_sample = costs is not None and costs.ndim == 3
    if cost_matrix is not None and by_sample:
        raise ValueError(
            "cost_matrix and costs of shape (n_samples, n_classes, n_decisions) exclude each other. Leave one of them "
            "out. With a cost_matrix, costs must have the shape (n_samples, n_decisions): the cost of each decision "
            "given the true class of the sample."
        )
    if cost_matrix is None and not by_sample:
        if decisions is not None:
            raise ValueError(
                "decisions were named, but no costs were given. Pass a cost_matrix, or costs of each sample."
            )
        if not zero_one:
            return None
        cost_matrix = 1.0 - np.eye(len(classes))
    if len(classes) < 2:
        raise ValueError(
            "Decisions by costs need at least two classes, but y has one. With one class, there is nothing to decide."
        )
    if callable(cost_matrix) or by_sample:
        function = cost_matrix if callable(cost_matrix) else None
        return _rule_by_sample(function, costs if by_sample else None, decisions, classes, X)
    return _rule_of_matrix(CostMatrix.read(cost_matrix), decisions, classes)


def warn_if_never_rejecting(reject_cost: float, dearest: float, what: str) -> None:
    """Warn if a rejection costs so much that nothing is ever rejected."""
    if reject_cost >= dearest:
        warn(
            f"reject_cost={reject_cost} is not below {what}, {dearest:.4g}, so nothing is ever rejected. Lower "
            "reject_cost if some answers should be rejected."
        )


def _rule_of_matrix(matrix: CostMatrix, decisions: Any, classes: NDArray[Any]) -> DecisionRule:
    matrix.of(classes)  # raises for rows that are not the classes
    names = _names(decisions, matrix.decisions, len(matrix.costs[0]), classes)
    costs = matrix.of(classes, names.tolist())
    names, costs, of_classes = _by_class(names, costs, classes)
    return DecisionRule(names, of_classes, matrix.largest_uncertainty, costs, None, len(classes))


def _rule_by_sample(
    function: Callable[[Any], Any] | None, costs: Floats | None, decisions: Any, classes: NDArray[Any], X: Any
) -> DecisionRule:
    """Return the rule for costs by sample.

    The safest decision for a sample is the one whose largest cost is smallest. The scale of the score is the largest
    cost that such a safest decision can have, over the samples of ``fit``.
    """
    given = costs if function is None else read_costs_by_sample(function(X), "What cost_matrix returned")
    if given is None or given.ndim != 3:
        found = "" if given is None else f", but returned shape {given.shape}"
        raise ValueError(
            f"The function cost_matrix must return costs of shape (n_samples, n_classes, n_decisions){found}."
        )
    names = _names(decisions, None, given.shape[2], classes)
    of_classes = _same(names, classes)
    if of_classes and names.tolist() != classes.tolist():
        raise ValueError(
            "decisions are the classes, but in another order. Give them in the order of the classes: "
            f"{shorten(classes.tolist())}."
        )
    largest = float(given.max(axis=1).min(axis=1).max())
    if largest <= 0:
        raise ValueError(
            "Every sample has a decision that costs nothing, whatever the true class is, so no decision is uncertain. "
            "Check the costs."
        )
    rule = DecisionRule(names, of_classes, largest, None, function, len(classes))
    rule._checked(given, "costs" if function is None else "cost_matrix", len(given))  # noqa: SLF001
    return rule


def _names(decisions: Any, columns: tuple[Any, ...] | None, n_decisions: int, classes: NDArray[Any]) -> NDArray[Any]:
    """Return the names of the decisions: the given names, the names of the columns, or the classes."""
    if decisions is not None:
        return _read_names(decisions)
    if columns is not None:
        return classes if positions_of_names(columns, classes.tolist()) is not None else _read_names(list(columns))
    if n_decisions != len(classes):
        raise ValueError(
            f"There are {n_decisions} decisions for {len(classes)} classes, so the decisions need names. Pass for "
            f"example decisions={[f'decision {number}' for number in range(1, n_decisions + 1)]}."
        )
    return classes


def _read_names(decisions: Any) -> NDArray[Any]:
    column = LabelColumn(decisions, "decisions")
    if len(column.distinct) != len(column):
        raise ValueError(f"decisions must be distinct, but are {shorten(list(decisions))}.")
    kinds = {isinstance(name, str) for name in column.distinct}
    return np.array(column.distinct, dtype=object if len(kinds) > 1 else None)


def _same(names: NDArray[Any], classes: NDArray[Any]) -> bool:
    return len(names) == len(classes) and set(names.tolist()) == set(classes.tolist())


def _by_class(names: NDArray[Any], costs: Floats, classes: NDArray[Any]) -> tuple[NDArray[Any], Floats, bool]:
    """Return decisions, costs, and whether the decisions are the classes.

    If they are, decisions and costs are put in the order of the classes.
    """
    if not _same(names, classes):
        return names, costs, False
    where = {name: position for position, name in enumerate(names.tolist())}
    return classes, costs[:, [where[label] for label in classes.tolist()]], True
