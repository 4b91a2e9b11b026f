"""Metrics that have a value for each class, and the averages over classes."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from skconf.metrics._checks import check_option
from skconf.metrics._kinds import Additive, Term, divide
from skconf.profile import ConfidenceProfile

AVERAGES = ("binary", "macro", "micro", "weighted", None)


class ClassAverage(Additive):
    """A quotient for each class, read off one-vs-rest masses, and its averages.

    Parameters
    ----------
    average : {"binary", "macro", "micro", "weighted", None}
        "binary": the value of the positive class; "macro": the mean over classes; "weighted": the mean weighted by
        support; "micro": the quotient of the sums over classes; None: an array, a value for each class.
    zero_division : {"warn", 0, 1, nan}
        The value of 0/0; "warn" stands for 0 with a warning, and NaN is left out of averages.
    """

    average: str | None = "binary"
    zero_division: Any = "warn"

    def __post_init__(self) -> None:
        check_option(self.average, "average", AVERAGES)
        is_nan = isinstance(self.zero_division, float) and np.isnan(self.zero_division)
        if not is_nan and self.zero_division not in ("warn", 0, 1):
            raise ValueError(f"zero_division must be 'warn', 0, 1 or nan, but is {self.zero_division!r}.")

    @abstractmethod
    def masses(self, profile: ConfidenceProfile, positive: int | None) -> tuple[Term, Term, Term, Term]:
        """Return true-positive mass, predicted mass and support, by class or of one positive class; and all mass."""

    @abstractmethod
    def quotient(
        self, hit: NDArray[Any], predicted: NDArray[Any], support: NDArray[Any], total: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numerator and denominator, linear in the masses."""

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        positive = profile.require("positive_class") if self.average == "binary" else None
        return self.masses(profile, positive)

    def combine(self, *sums: NDArray[Any]) -> Any:
        hit, predicted, support, total = sums
        by_class = total if self.average == "binary" else total[..., np.newaxis]
        above, below = self.quotient(hit, predicted, support, by_class)
        if self.average == "micro":
            above, below = above.sum(axis=-1), below.sum(axis=-1)
        if self.zero_division == "warn" and np.any(below == 0):
            warnings.warn(
                f"{self.info.name} is 0/0 for a class that is neither predicted nor present, and is set to 0. "
                "Choose zero_division to say otherwise.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        quotient = divide(above, below, 0.0 if self.zero_division == "warn" else self.zero_division)
        if self.average == "macro":
            return _mean(quotient, np.ones_like(quotient))
        if self.average == "weighted":
            return _mean(quotient, support)
        return quotient


def _mean(values: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Return the weighted mean over the last axis, without the NaNs."""
    defined = ~np.isnan(values)
    weights = np.where(defined, weights, 0.0)
    return divide((np.where(defined, values, 0.0) * weights).sum(axis=-1), weights.sum(axis=-1), np.nan)
