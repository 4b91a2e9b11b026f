"""ECUAS_n: the expected cost of an answer together with its uncertainty."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._checks import check_number
from skconf.metrics._kinds import Additive, Term, divide
from skconf.metrics._references import ECUAS
from skconf.metrics._registry import Preset
from skconf.profile import ConfidenceProfile


class ECUASLoss(
    Additive,
    name="ecuas_loss",
    bounds=(0.0, np.inf),
    best=0.0,
    reference=f"{ECUAS}, equations (9) to (11)",
    scorers={
        "neg_ecuas": Preset({}, np.negative),
        "neg_ecuas_0": Preset({"n": 0}, np.negative),
        "neg_ecuas_1": Preset({"n": 1}, np.negative),
    },
):
    """ECUAS_n: expected cost of deciding with these answers and their uncertainty, over all costs of a rejection.

    With the uncertainty u = 1 − c, its largest possible value u_M = 1 − 1/K, r = u / u_M and e = 1 for an error,
    an answer costs r − ln(r) e / u_M for n = 0, and r^(n+1) + (n+1)/n · (1 − r^n) e / u_M for n > 0. n = 0 punishes
    confident errors without a bound; n → ∞ is the error rate over u_M, blind to confidence.

    {predictions}
    n : float, default=0
        How little the quality of the confidence matters, from 0 on.
    normalize : bool, default=False
        Divide by the same cost of the system that always gives the class frequencies of `y_true`: below 1 the
        classifier is better than that.
    eps : float, default=1e-7
        Smallest uncertainty inside the logarithm of n = 0, where an error of full confidence would cost infinity.

    Returns
    -------
    float
        {facts} A constant answer of largest uncertainty costs 1, before normalisation.

    {raises}
        Also if `normalize` is set and `y_true` holds a single class.

    Notes
    -----
    An uncertainty above u_M is possible where `y_pred` is given and is not the most probable class; the answer then
    costs 1, with a warning. A profile without classes (a generative system) has u_M = 1.

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
    """

    n: float = 0
    normalize: bool = False
    eps: float = 1e-7

    def __post_init__(self) -> None:
        check_number(self.n, "n", 0.0, np.inf, open_high=True)
        check_number(self.eps, "eps", 0.0, 1.0, open_high=True)

    def value(self, profile: ConfidenceProfile) -> Any:
        value = super().value(profile)
        if self.normalize and np.isnan(value):
            raise ValueError(
                "ecuas_loss(normalize=True) divides by the cost of always giving the class frequencies, which is 0 "
                "here: y_true holds a single class. Use normalize=False."
            )
        return value

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        if profile.n_classes == 1:
            raise ValueError("ecuas_loss needs at least two classes: with one, no answer is uncertain.")
        largest = 1.0 if profile.n_classes is None else 1 - 1 / profile.n_classes
        uncertainty = 1 - profile.confidence
        above = uncertainty > largest
        cost = np.where(above, 1.0, self.cost(uncertainty, ~profile.correct, largest))
        terms = [Term(cost), Term(1.0), Term(above)]
        if self.normalize:
            terms.append(Term(1.0, cell=profile.require("true_class"), n_cells=len(profile.require("classes"))))
        return terms

    def combine(self, *sums: NDArray[Any]) -> Any:
        cost, weight, above = sums[:3]
        if np.any(above.real > 0):
            warnings.warn(
                "Some answers are less certain than any best guess can be (their class is not the most probable "
                "one); each costs 1.",
                UserWarning,
                stacklevel=2,
            )
        mean = divide(cost, weight, np.nan)
        return divide(mean, self._naive(sums[3]), np.nan) if self.normalize else mean

    def cost(self, uncertainty: NDArray[Any], error: NDArray[Any], largest: float) -> NDArray[Any]:
        """Return the cost of answers with this uncertainty, and this probability of being wrong."""
        relative = uncertainty / largest
        with np.errstate(divide="ignore"):  # ln 0 is meant: (1 − 0ⁿ)/n is 1/n
            if self.n == 0:
                return relative - np.log(np.maximum(uncertainty, self.eps) / largest) * error / largest
            falling = -np.expm1(self.n * np.log(relative)) / self.n
        return relative ** (self.n + 1) + (self.n + 1) * falling * error / largest

    def _naive(self, class_weights: NDArray[Any]) -> NDArray[Any]:
        """Return the cost of always giving the class frequencies; 0 where one class is all there is."""
        frequencies = divide(class_weights, class_weights.sum(axis=-1, keepdims=True), np.nan)
        most = np.argmax(frequencies.real, axis=-1)
        uncertainty = 1 - np.take_along_axis(frequencies, most[..., np.newaxis], axis=-1)[..., 0]
        alone = (class_weights.real > 0).sum(axis=-1) < 2
        safe = np.where(alone, 1.0, uncertainty)
        return np.where(alone, 0.0, self.cost(safe, safe, 1 - 1 / class_weights.shape[-1]))


ecuas_loss = ECUASLoss.function
