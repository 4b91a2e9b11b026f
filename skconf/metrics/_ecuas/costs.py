"""The cost of each answer, as if no answer were rejected, and the uncertainty of each answer."""

from dataclasses import fields
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_number
from skconf._core.costs import CostMatrix, at_decision, expected_costs, least_expected, least_favourable
from skconf._core.labels import Codes
from skconf._core.messages import brief, from_probabilities, listed
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.columns import doubt, lost
from skconf.metrics._base.kinds import Additive
from skconf.profile import ConfidenceProfile


class CandidateCost(Additive, rests_on="errors"):
    """A metric of the costs of answers, where an answer of high expected cost may be rejected.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None
        Cost of each decision under each true class. With "log", the cost is −ln of the probability of the true class.
        With None, an error costs 1.
    eps : float
        Smallest probability or uncertainty inside a logarithm. Smaller values are replaced by `eps`.
    """

    takes = "costs"

    #: Whether it can use the costs of each sample that a profile may hold, in place of a cost matrix.
    takes_costs: ClassVar[bool] = False

    cost_matrix: Any = None
    eps: float = 1e-7

    def __new__(cls, **given: Any) -> Self:
        """Keep the names of the parameters that the user gave.

        They are the user's costs, even if they equal the defaults.
        """
        metric = super().__new__(cls)
        object.__setattr__(metric, "_given", tuple(given))
        return metric

    def __post_init__(self) -> None:
        check_number(self.eps, "eps", 0.0, 1.0, open_high=True)
        if self.cost_matrix is not None and not isinstance(self.cost_matrix, str):
            object.__setattr__(self, "cost_matrix", CostMatrix.read(self.cost_matrix))
        elif self.cost_matrix not in (None, "log"):
            raise ValueError(f"cost_matrix must be a matrix, 'log' or None, but is {self.cost_matrix!r}.")

    def answers(self, profile: ConfidenceProfile) -> tuple[Floats, Floats, float]:
        """Return the uncertainty and cost of every answer, and the largest uncertainty that a best decision can have.

        With a cost matrix, the uncertainty is the expected cost of the decision under the given probabilities. The
        decision is the classifier's answer or the given prediction. If there is neither, it is the decision of least
        expected cost.
        """
        if profile.kind == "costs":
            return self._own_costs(profile)
        if profile.costs is not None:
            raise ValueError(
                f"{self.info.name} divides by the largest possible uncertainty, which differs from sample to sample "
                "here, because each sample has its own costs. Use reject_cost_loss. Or give one largest "
                "uncertainty for all samples, as in ConfidenceProfile.from_costs(cost, uncertainty, largest=...). Or "
                "remove the costs with profile.with_costs(None)."
            )
        largest = self.largest_uncertainty(profile.n_classes)
        if self.cost_matrix is None:
            if profile.decisions is not None:
                raise ValueError(
                    f"{self.info.name} without a cost_matrix counts errors, but the answers are decisions, not "
                    "classes. Pass the cost_matrix."
                )
            return doubt(profile), lost(profile), largest
        true_class, proba = profile.require("true_class"), np.asarray(profile.proba, dtype=np.float64)
        rows = np.arange(len(profile))
        if self.cost_matrix == "log":
            return entropy(proba), -np.log(np.maximum(proba[rows, true_class], self.eps)), largest
        costs = self.costs_of(profile)
        expected = expected_costs(proba, costs)
        given = answered_decision(profile)
        decision = least_expected(expected) if given is None else given
        return at_decision(expected, decision), costs[true_class, decision], largest

    def evaluate(self, profile: ConfidenceProfile) -> tuple[Any, list[Notice]]:
        """Return the value and warnings.

        If the classifier decides by costs that the metric was not given, one warning says so.
        """
        value, notices = super().evaluate(profile)
        unknown = self._notice_of_costs(profile)
        # `notices_of_sums` is left out: it would repeat the notice of unknown costs.
        return value, [*unknown, *self.notices(profile, value)] if unknown else notices

    def _notice_of_costs(self, profile: ConfidenceProfile) -> list[Notice]:
        own = profile.own_costs
        if own is None:
            return []
        paid = {name: getattr(self, name) for name in vars(self)["_given"]}
        defaults = {field.name: field.default for field in fields(self) if field.name not in paid}
        decides, instead = [], []
        given = [f"{name}={'...' if isinstance(value, CostMatrix) else brief(value)}" for name, value in paid.items()]
        if own.parameter and "cost_matrix" in defaults and profile.costs is None:
            decides.append(own.parameter)
            instead.append("every error costs 1")
            given.append("cost_matrix=...")
        if own.reject_cost not in (None, defaults.get("reject_cost", own.reject_cost)):
            decides.append(f"reject_cost={own.reject_cost!r}")
            instead.append(f"a rejection costs {defaults['reject_cost']!r}")
            given.append(f"reject_cost={own.reject_cost!r}")
        if not decides:
            return []
        advice = f"Pass the costs that you pay, as in get_scorer({next(iter(self.info.scorers))!r}, {', '.join(given)})"
        if own.cost_matrix is None and own.parameter in decides:  # they differ from sample to sample
            advice = "Pass the costs of each sample as costs=..., and reject_cost"
            if not self.takes_costs:
                advice = "The scorer 'neg_reject_cost' takes the costs of each sample as costs=..."
        return [
            Notice(
                f"{own.classifier} decides by its own {listed(decides)}, which {self.info.name} does not know. In "
                f"{self.info.name}, {listed(instead)}. {advice}."
            )
        ]

    def _own_costs(self, profile: ConfidenceProfile) -> tuple[Floats, Floats, float]:
        """Return the uncertainty and the cost that were given for each answer."""
        if self.cost_matrix is not None:
            raise ValueError("The profile already has a cost for each answer. Leave out cost_matrix.")
        return (
            cast(Floats, profile.uncertainty),
            cast(Floats, profile.answer_cost),
            cast(float, profile.largest_uncertainty),
        )

    def costs_of(self, profile: ConfidenceProfile) -> Floats:
        """Return the costs, with rows and columns in the order of the profile's classes and decisions."""
        classes = profile.require("classes")
        if profile.decisions is not None:
            return self.cost_matrix.of(classes, profile.decisions)
        if not (profile.answered or profile.prediction_given):
            return self.cost_matrix.of(classes)
        n_decisions = len(self.cost_matrix.costs[0])
        if n_decisions != len(classes):
            remedy = (
                "Use a classifier that answers with decisions: SelectiveClassifier(..., cost_matrix=...)."
                if profile.answered
                else "Leave y_pred out to use the decision of least expected cost."
            )
            raise ValueError(
                f"cost_matrix has {n_decisions} decisions for {len(classes)} classes, so a predicted class is not a "
                f"decision. {remedy}"
            )
        return self.cost_matrix.of(classes, classes.tolist())

    def largest_uncertainty(self, n_classes: int | None) -> float:
        """Return u_M, the largest expected cost that a best decision can have."""
        if n_classes == 1:
            raise ValueError(
                f"{self.info.name} needs at least two classes, because with one class no answer is uncertain."
            )
        if self.cost_matrix is None:
            return 1.0 if n_classes is None else 1 - 1 / n_classes
        if n_classes is None:
            raise ValueError(
                f"{self.info.name} with a cost_matrix needs the probabilities of all classes, but the profile was "
                "built from correctness only. " + from_probabilities()
            )
        if self.cost_matrix == "log":
            return float(np.log(n_classes))
        if len(self.cost_matrix.costs) != n_classes:
            n_rows = len(self.cost_matrix.costs)
            raise ValueError(f"cost_matrix has {n_rows} rows, but there are {n_classes} classes.")
        return float(self.cost_matrix.largest_uncertainty)

    def row_of_class(self, profile: ConfidenceProfile) -> Codes:
        """Return the row of the cost matrix for each true class; without a matrix, the class itself."""
        true_class = profile.require("true_class")
        if not isinstance(self.cost_matrix, CostMatrix):
            return true_class
        return self.cost_matrix.rows_of(profile.require("classes"))[true_class]

    def uncertainty_of(self, proba: NDArray[Any]) -> NDArray[Any]:
        """Return the expected cost of the best decision for each row of probabilities."""
        if self.cost_matrix == "log":
            return entropy(proba)
        expected = 1 - proba if self.cost_matrix is None else expected_costs(proba, np.array(self.cost_matrix.costs))
        return at_decision(expected, least_expected(expected))


def answered_decision(profile: ConfidenceProfile) -> Codes | None:
    """Return the decision that the classifier or the user gave for each answer, as a column; None if there is none."""
    if profile.decided is not None:
        return profile.decided
    return profile.require("predicted_class") if profile.answered or profile.prediction_given else None


def entropy(proba: NDArray[Any]) -> NDArray[Any]:
    """Return the entropy of each row, in nats."""
    present = proba.real > 0
    return -np.where(present, proba * np.log(np.where(present, proba, 1.0)), 0.0).sum(axis=-1)


def least_favourable_probabilities(cost_matrix: ArrayLike) -> Floats:
    """Return the class probabilities under which the best decision costs most.

    The matrix has the cost of each decision (column) under each true class (row).
    """
    return np.array(least_favourable(CostMatrix.read(cost_matrix).costs)[1])
