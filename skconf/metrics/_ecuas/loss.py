"""ECUAS_n: the expected cost of an answer together with its uncertainty."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_number, check_option
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.kinds import Cells, Term, divide
from skconf.metrics._base.references import ECUAS
from skconf.metrics._base.registry import Preset
from skconf.metrics._ecuas.costs import CandidateCost, answered_decision
from skconf.profile import ConfidenceProfile


class _RejectableCost(CandidateCost):
    """Mean cost of answers that may be rejected by their uncertainty."""

    normalize: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.normalize, "normalize", (False, True))

    def cost(self, uncertainty: NDArray[Any], cost: NDArray[Any], largest: float) -> NDArray[Any]:
        """Return the loss of an answer with this uncertainty and this cost; it is linear in the cost."""
        raise NotImplementedError

    def of_sums(self, *sums: NDArray[Any]) -> Any:
        value = super().of_sums(*sums)
        if self.normalize and np.isnan(value):
            raise ValueError(
                f"{self.info.name}(normalize=True) divides by the cost of always predicting the class frequencies. "
                "This cost is 0 here, because y_true has a single class. Use normalize=False."
            )
        return value

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        uncertainty, cost, largest = self.answers(profile)
        terms = [*self.cost_terms(uncertainty, cost, largest), Term(1.0)]
        if self.normalize:
            terms.append(Term(1.0, Cells(self.row_of_class(profile), len(profile.require("classes")))))
        return terms

    def cost_terms(self, uncertainty: Floats, cost: Floats, largest: float) -> list[Term]:
        """Return the term whose mean is the loss, and further terms that only warnings use."""
        return [Term(self.cost(uncertainty, cost, largest))]

    def combine(self, *sums: NDArray[Any]) -> Any:
        *costs, weight = sums[:-1] if self.normalize else sums
        mean = divide(costs[0], weight, np.nan)
        return divide(mean, self._naive(sums[-1]), np.nan) if self.normalize else mean

    def _naive(self, class_weights: NDArray[Any]) -> NDArray[Any]:
        """Return the cost of always predicting the class frequencies; 0 if there is a single class."""
        frequencies = divide(class_weights, class_weights.sum(axis=-1, keepdims=True), np.nan)
        uncertainty = self.uncertainty_of(frequencies)
        alone = (class_weights.real > 0).sum(axis=-1) < 2
        safe = np.where(alone, 1.0, uncertainty)
        return np.where(alone, 0.0, self.cost(safe, safe, self.largest_uncertainty(class_weights.shape[-1])))


class ECUASLoss(
    _RejectableCost,
    name="ecuas_loss",
    bounds=(0.0, np.inf),
    best=0.0,
    reference=f"{ECUAS}, equations (8) to (11)",
    scorers={
        "neg_ecuas": Preset({}, np.negative),
        "neg_ecuas_0": Preset({"n": 0}, np.negative),
        "neg_ecuas_1": Preset({"n": 1}, np.negative),
    },
):
    """ECUAS_n: mean cost if uncertain answers are rejected, averaged over all possible costs of a rejection.

    An answer has a cost C. Its uncertainty u is its expected cost under the probabilities. The best decision is the
    decision of least expected cost. Let u_M be the largest u that the best decision can have under any probabilities.
    Without a `cost_matrix`, C = 1 for an error, u = 1 − c with the confidence c, and u_M = 1 − 1/K with K classes. Let
    r = u / u_M. For n = 0, the loss of an answer is r − ln(r) C / u_M. For n > 0, it is r^(n+1) + (n+1)/n · (1 − r^n) C
    / u_M. With n = 0, only `eps` bounds the loss of a confident error. For n → ∞, the value is the mean cost divided by
    u_M, and does not depend on confidence.

    {predictions}
    n : float, default=0
        0 or greater. The larger n is, the less the quality of the confidence matters.
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None, default=None
        Cost of each decision under each true class. Rows are in the order of `labels`. In a DataFrame, the names of the
        rows are the classes. The decision is `y_pred`. If a classifier is scored, the decision is its answer. If there
        is neither, it is the decision of least expected cost. With "log", the cost is −ln of the probability of the
        true class. With None, an error costs 1.
    weight : callable, default=None
        A function w(γ) >= 0, where γ is the cost of a rejection. It says how much each γ counts in the average over γ,
        and takes an array of γ in [0, u_M]. It replaces the weight (n + 1) γ^(n−1) / u_M^(n+1), which `n` gives.
    normalize : bool, default=False
        Divide by the loss of a model whose probabilities are always the class frequencies of `y_true`. A value below 1
        means that the classifier is better than this model.
    eps : float, default=1e-7
        Smallest uncertainty inside a logarithm; with the cost "log", also the smallest probability. Smaller values are
        replaced by `eps`. Otherwise, an error with confidence 1 would cost infinity.

    Returns
    -------
    float
        {facts} Without `weight` and `normalize`, an answer with the uncertainty u_M has a loss of 1.

    {raises}
        Also if `normalize` is set, but `y_true` has a single class.

    Notes
    -----
    If `y_pred` is given and is not the best decision, the uncertainty of an answer may be above u_M. The loss is then
    computed with u_M instead, and there is a warning. If a profile has no classes, as for a generative system, u_M is
    the argument `largest` of ``ConfidenceProfile.from_costs``, or else 1.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import ecuas_loss
    >>> y_true = [0, 1, 1, 0]
    >>> round(ecuas_loss(y_true, [0.1, 0.9, 0.8, 0.6]), 3)
    0.512
    >>> round(ecuas_loss(y_true, [0.1, 0.9, 0.8, 0.6], n=1), 3)
    0.42
    >>> ecuas_loss(y_true, [0.5, 0.5, 0.5, 0.5], n=1)
    1.0
    >>> round(ecuas_loss(y_true, [0.1, 0.9, 0.8, 0.6], n=1, cost_matrix=[[0, 1], [10, 0]]), 3)
    0.622
    """

    n: float = 0
    weight: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.n, "n", 0.0, np.inf, open_high=True)
        if self.weight is not None and not callable(self.weight):
            raise TypeError(f"weight must be a function of the cost of a rejection, but is {self.weight!r}.")

    def unit(self, profile: ConfidenceProfile) -> float:
        """Return u_M."""
        given = profile.largest_uncertainty
        return self.largest_uncertainty(profile.n_classes) if given is None else given

    def cost_terms(self, uncertainty: Floats, cost: Floats, largest: float) -> list[Term]:
        above = uncertainty > largest * (1 + 1e-12)  # no warning for a rounding error
        return [Term(self.cost(np.minimum(uncertainty, largest), cost, largest)), Term(above)]

    def notices_of_sums(self, *sums: NDArray[Any]) -> list[Notice]:
        """Return a warning if the uncertainty of answers is above u_M."""
        if not np.any(sums[1] > 0):
            return []
        return [
            Notice(
                "Some answers have a higher expected cost than u_M. This is the largest expected cost that the best "
                "decision (the decision of least expected cost) can have. For these answers, ecuas_loss uses u_M "
                "instead of their expected cost. If the answers were chosen by other costs, for example by a "
                "classifier with a cost_matrix, pass these costs as the cost_matrix of ecuas_loss."
            )
        ]

    def cost(self, uncertainty: NDArray[Any], cost: NDArray[Any], largest: float) -> NDArray[Any]:
        if self.weight is not None:
            rejected, accepted = _weighted_costs(self.weight, uncertainty, largest, self.eps)
            return rejected + cost * accepted
        relative = uncertainty / largest
        if self.n == 0:
            return relative - np.log(np.maximum(uncertainty, self.eps) / largest) * cost / largest
        with np.errstate(divide="ignore"):  # ln 0 is meant: (1 − 0ⁿ)/n is 1/n
            falling = -np.expm1(self.n * np.log(relative)) / self.n
        return relative ** (self.n + 1) + (self.n + 1) * falling * cost / largest


ecuas_loss = ECUASLoss.function


class RejectCostLoss(
    _RejectableCost,
    name="reject_cost_loss",
    bounds=(0.0, np.inf),
    best=0.0,
    reference=f"{ECUAS}, equations (1) and (7); C. K. Chow, On optimum recognition error and reject tradeoff, 1970",
    scorers="reject_cost",
):
    """Mean cost of answers: γ for a rejected answer and, by default, 1 for an accepted answer that is wrong.

    An answer has a cost C. Its uncertainty u is its expected cost under the probabilities. If u is above γ, the answer
    is rejected and costs γ; otherwise it costs C. Without a `cost_matrix`, u = 1 − c with the confidence c, and C = 1
    for an error. If a classifier is scored, its own rejections replace this rule: an answer costs γ if ``predict``
    rejects it, and C otherwise. Most classifiers never reject. A row in which the model abstains costs γ.

    {predictions}
    reject_cost : float, default=0.1
        Cost γ of a rejection, 0 or greater.
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None, default=None
        Cost of each decision under each true class. Rows are in the order of `labels`. In a DataFrame, the names of the
        rows are the classes. The decision is `y_pred`. If a classifier is scored, the decision is its answer. If there
        is neither, it is the decision of least expected cost. With "log", the cost is −ln of the probability of the
        true class. With None, an error costs 1.
    normalize : bool, default=False
        Divide by the mean cost of a model whose probabilities are always the class frequencies of `y_true`.
    eps : float, default=1e-7
        Smallest probability inside the logarithm. It matters only with the cost "log".

    Returns
    -------
    float
        {facts}

    {raises}
        Also if `normalize` is set, but `y_true` has a single class.

    See Also
    --------
    ecuas_loss : The average over all costs of a rejection, if you do not know yours.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import reject_cost_loss
    >>> reject_cost_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], reject_cost=0.3)
    0.075
    """

    takes_costs: ClassVar[bool] = True

    counts_abstained = True

    reject_cost: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.reject_cost, "reject_cost", 0.0, np.inf, open_high=True)

    def answers(self, profile: ConfidenceProfile) -> tuple[Floats, Floats, float]:
        if profile.costs is not None:
            if self.cost_matrix is not None or self.normalize:
                raise ValueError(
                    "The profile already has the costs of each sample. Leave out cost_matrix and normalize."
                )
            cost = profile.costs[np.arange(len(profile)), answered_decision(profile)]
            uncertainty, largest = np.zeros(len(profile)), np.nan
        else:
            uncertainty, cost, largest = super().answers(profile)
        if profile.answered:  # the classifier has rejected by its own rule, whatever the uncertainty
            accepted = True if profile.threshold is None else profile.score >= profile.threshold
            uncertainty = np.where(accepted, 0.0, np.inf) + np.zeros(len(profile))
        return np.where(profile.score == -np.inf, np.inf, uncertainty), cost, largest  # abstentions are rejected

    def cost(self, uncertainty: NDArray[Any], cost: NDArray[Any], largest: float) -> NDArray[Any]:
        return np.where(uncertainty.real > self.reject_cost, self.reject_cost, cost)


reject_cost_loss = RejectCostLoss.function

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


def _weighted_costs(weight: Any, uncertainty: NDArray[Any], largest: float, eps: float) -> tuple[Floats, Floats]:
    """Return ∫ γ w(γ) dγ over [0, u] and ∫ w(γ) dγ over [u, u_M], by Gauss quadrature on panels, narrow near 0."""
    edges = np.concatenate([[0.0], np.geomspace(largest * 1e-12, largest, 120)])
    moments = np.cumsum(_panels(lambda g: g * weight(g), edges[:-1], edges[1:]))
    masses = np.cumsum(_panels(weight, edges[:-1], edges[1:])[::-1])[::-1]
    at = np.clip(uncertainty.real, 0.0, largest)
    panel = np.clip(np.searchsorted(edges, at) - 1, 0, len(edges) - 2)
    moment = np.concatenate([[0.0], moments])[panel] + _panels(lambda g: g * weight(g), edges[panel], at)
    start = np.maximum(at, min(eps, largest))  # w is not always integrable at 0
    panel_of_start = np.clip(np.searchsorted(edges, start) - 1, 0, len(edges) - 2)
    high = edges[panel_of_start + 1]
    mass = np.concatenate([masses, [0.0]])[panel_of_start + 1] + _panels(weight, start, high)
    if np.iscomplexobj(uncertainty):  # the derivatives, for the complex step
        slope = 1j * uncertainty.imag * np.asarray(weight(at))
        moment, mass = moment + slope * at, mass - slope
    return moment, mass


def _panels(function: Any, low: Floats, high: Floats) -> Floats:
    """Return the integral of a function over each interval."""
    half = (np.asarray(high) - low)[..., np.newaxis] / 2
    # In an empty interval at 0, all points are 0, where the function may be infinite.
    points = np.maximum(low[..., np.newaxis] + half * (_NODES + 1), 1e-300)
    values = np.asarray(function(points), dtype=np.float64)
    if values.shape != points.shape or not (values >= 0).all():
        raise ValueError("weight must return one non-negative number for every cost of a rejection.")
    return (values * half * _NODE_WEIGHTS).sum(axis=-1)
