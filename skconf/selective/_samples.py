"""The samples on which promises are tested, and what each prediction costs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from numpy.typing import NDArray

from skconf._core.probabilities import Floats


class Charge(NamedTuple):
    """What each prediction costs, by a cost matrix or by ECUAS.

    Attributes
    ----------
    each : ndarray of shape (n_samples,)
        The costs, 0 or greater.
    largest : float
        The largest possible cost, which is known before the data are seen.
    """

    each: Floats
    largest: float

    @classmethod
    def of_ecuas(cls, relative: Floats, cost: Floats, dearest: float) -> Self:
        """Return the terms of ECUAS with n = 1, from uncertainties, costs and the largest cost, each divided by u_M."""
        # r² + 2 (1 − r) C / u_M is convex in r: it is largest where r is 0 or 1.
        return cls(relative**2 + 2 * (1 - relative) * cost, max(1.0, 2 * dearest))


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples with their scores, answers, classes and costs.

    Attributes
    ----------
    score : ndarray of shape (n_samples,)
        The scores that samples are ranked by.
    correct : ndarray of shape (n_samples,)
        Whether the prediction is right.
    true, predicted : ndarray of shape (n_samples,) or None
        Codes of the classes. If they are None, no rate of a class can be promised.
    costs : mapping of str to ndarray of shape (n_samples,)
        For each promise about a mean cost, the cost of each prediction.
    """

    score: Floats
    correct: NDArray[Any]
    true: Any = None
    predicted: Any = None
    costs: Mapping[str, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.score)

    def __getitem__(self, rows: Any) -> "Samples":
        true, predicted = (None if each is None else each[rows] for each in (self.true, self.predicted))
        costs = {risk: each[rows] for risk, each in self.costs.items()}
        return Samples(self.score[rows], self.correct[rows], true, predicted, costs)
