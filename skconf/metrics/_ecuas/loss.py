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
    """Mean cost of answers that are rejected by their uncertainty."""

    normalize: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.normalize, "normalize", (False, True))

    def cost(self, uncertainty: NDArray[Any], cost: NDArray[Any], largest: float) -> NDArray[Any]:
        """Return what an answer of this uncertainty costs, linear in its own cost."""
        raise NotImplementedError

    def of_sums(self, *sums: NDArray[Any]) -> Any:
        value = super().of_sums(*sums)
        if self.normalize and np.isnan(value):
            raise ValueError(
                f"{self.info.name}(normalize=True) divides by the cost of always giving the class frequencies, "
                "which is 0 here: y_true holds a single class. Use normalize=False."
            )
        return value

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        uncertainty, cost, largest = self.answers(profile)
        terms = [*self.cost_terms(uncertainty, cost, largest), Term(1.0)]
        if self.normalize:
            terms.append(Term(1.0, Cells(self.row_of_class(profile), len(profile.require("classes")))))
        return terms

    def cost_terms(self, uncertainty: Floats, cost: Floats, largest: float) -> list[Term]:
        """Return the term of the cost, and others that notices are read off."""
        return [Term(self.cost(uncertainty, cost, largest))]

    def combine(self, *sums: NDArray[Any]) -> Any:
        *costs, weight = sums[:-1] if self.normalize else sums
        mean = divide(costs[0], weight, np.nan)
        return divide(mean, self._naive(sums[-1]), np.nan) if self.normalize else mean

    def _naive(self, class_weights: NDArray[Any]) -> NDArray[Any]:
        """Return the cost of always giving the class frequencies; 0 where one class is all there is."""
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
    """ECUAS_n: expected cost of using these answers and their uncertainty, over all prices of a rejection.

    An answer has a cost C, its uncertainty u is its expected cost under the probabilities, and u_M the largest
    there is for a best guess; with 0–1 costs C = 1 for an error, u = 1 − c and u_M = 1 − 1/K. With r = u / u_M it
    counts r − ln(r) C / u_M for n = 0, and r^(n+1) + (n+1)/n · (1 − r^n) C / u_M for n > 0. n = 0 punishes confident
    errors without a bound; n → ∞ is the mean cost over u_M, blind to confidence.

    {predictions}
    n : float, default=0
        0 or greater; the larger it is, the less the quality of the confidence matters.
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None, default=None
        Cost of each decision under each true class, with rows in the order of `labels`, or found by the names of a
        DataFrame. It is that of `y_pred`, of what a classifier answered, or else of the decision of least expected
        cost. "log" stands for −ln of the probability of the true class; None for 0–1.
    weight : callable, default=None
        Weight w(γ) >= 0 of a rejection that costs γ, on [0, u_M], a function of an array. It replaces that of `n`,
        (n + 1) γ^(n−1) / u_M^(n+1).
    normalize : bool, default=False
        Divide by the same cost of the system that always gives the class frequencies of `y_true`: below 1 the
        classifier is better than that.
    eps : float, default=1e-7
        Smallest uncertainty (and, with "log", probability) inside a logarithm, where an error of full confidence would
        cost infinity.

    Returns
    -------
    float
        {facts} An answer of the largest uncertainty costs 1, before normalisation.

    {raises}
        Also if `normalize` is set and `y_true` holds a single class.

    Notes
    -----
    An uncertainty above u_M is possible where `y_pred` is given and is not the best guess; the answer then costs 1,
    with a warning. A profile without classes (a generative system) has u_M = 1.

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

    def cost_terms(self, uncertainty: Floats, cost: Floats, largest: float) -> list[Term]:
        above = uncertainty > largest * (1 + 1e-12)  # no warning for a rounding error
        return [Term(np.where(above, 1.0, self.cost(uncertainty, cost, largest))), Term(above)]

    def notices_of_sums(self, *sums: NDArray[Any]) -> list[Notice]:
        """Return the notice of answers that are less certain than a best guess can be."""
        if not np.any(sums[1] > 0):
            return []
        return [
            Notice(
                "Some answers are less certain than any best guess can be (their class is not the most probable one); "
                "each costs 1."
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
    """Mean cost if a rejection has a known cost γ: an answer counts its own cost, a rejection γ.

    An answer whose uncertainty u exceeds γ is rejected and costs γ; else it costs C. With 0–1 costs u = 1 − c, and
    C = 1 for an error. For a classifier, its answers count: γ where its ``predict`` rejects, which most classifiers
    never do, and C elsewhere. A row that abstains costs γ.

    {predictions}
    reject_cost : float, default=0.1
        Cost γ of a rejection, 0 or greater.
    cost_matrix : array-like of shape (n_classes, n_decisions), "log" or None, default=None
        Cost of each decision under each true class, with rows in the order of `labels`, or found by the names of a
        DataFrame. It is that of `y_pred`, of what a classifier answered, or else of the decision of least expected
        cost. "log" stands for −ln of the probability of the true class; None for 0–1.
    normalize : bool, default=False
        Divide by the same cost of the system that always gives the class frequencies of `y_true`.
    eps : float, default=1e-7
        Smallest probability inside the logarithm of "log".

    Returns
    -------
    float
        {facts}

    {raises}
        Also if `normalize` is set and `y_true` holds a single class.

    See Also
    --------
    ecuas_loss : Over all costs of a rejection, if none is known.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import reject_cost_loss
    >>> reject_cost_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], reject_cost=0.3)
    0.075
    """

    #: Whether costs of each sample, which a profile may hold, are charged instead of those of a matrix.
    takes_costs: ClassVar[bool] = True

    counts_abstained = True

    reject_cost: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self.reject_cost, "reject_cost", 0.0, np.inf, open_high=True)

    def answers(self, profile: ConfidenceProfile) -> tuple[Floats, Floats, float]:
        if profile.costs is not None:
            if self.cost_matrix is not None or self.normalize:
                raise ValueError("reject_cost_loss got costs of each sample: leave out cost_matrix and normalize.")
            cost = profile.costs[np.arange(len(profile)), answered_decision(profile)]
            uncertainty, largest = np.zeros(len(profile)), np.nan
        else:
            uncertainty, cost, largest = super().answers(profile)
        if profile.answered:  # the classifier has rejected by its own rule, whatever the uncertainty
            accepted = True if profile.threshold is None else profile.score >= profile.threshold
            uncertainty = np.where(accepted, 0.0, np.inf) + np.zeros(len(profile))
        return np.where(profile.score == -np.inf, np.inf, uncertainty), cost, largest  # what abstains is rejected

    def cost(self, uncertainty: NDArray[Any], cost: NDArray[Any], largest: float) -> NDArray[Any]:
        return np.where(uncertainty.real > self.reject_cost, self.reject_cost, cost)


reject_cost_loss = RejectCostLoss.function

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


def _weighted_costs(weight: Any, uncertainty: NDArray[Any], largest: float, eps: float) -> tuple[Floats, Floats]:
    """Return ∫ γ w(γ) dγ over [0, u] and ∫ w(γ) dγ over [u, u_M], by Gauss quadrature on panels that narrow to 0."""
    edges = np.concatenate([[0.0], np.geomspace(largest * 1e-12, largest, 120)])
    moments = np.cumsum(_panels(lambda g: g * weight(g), edges[:-1], edges[1:]))
    masses = np.cumsum(_panels(weight, edges[:-1], edges[1:])[::-1])[::-1]
    at = np.clip(uncertainty.real, 0.0, largest)
    panel = np.clip(np.searchsorted(edges, at) - 1, 0, len(edges) - 2)
    moment = np.concatenate([[0.0], moments])[panel] + _panels(lambda g: g * weight(g), edges[panel], at)
    start = np.maximum(at, min(eps, largest))  # w may not be integrable at 0
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
    # Of an empty interval at 0 the points are 0, where the function may be infinite.
    points = np.maximum(low[..., np.newaxis] + half * (_NODES + 1), 1e-300)
    values = np.asarray(function(points), dtype=np.float64)
    if values.shape != points.shape or not (values >= 0).all():
        raise ValueError("weight must return a non-negative number for every cost of a rejection it is given.")
    return (values * half * _NODE_WEIGHTS).sum(axis=-1)
