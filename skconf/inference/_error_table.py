"""Errors by confidence: all that a verdict on confidences reads, of samples in memory or of sums over parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.metrics._base.kinds import Additive, Term
from skconf.metrics._base.registry import Info
from skconf.profile import ConfidenceProfile

#: A confidence of 1, as in the size ratio.
EPS = 1e-8
#: Confidences from which on the errors at the top are counted.
TOPS = (0.9, 0.99, 0.999)
#: Most samples that each have a row of their own; more are put into cells.
MOST_ROWS = 2000
#: Ends of the cells: within one the odds of an error differ by 5 %, which changes a variance by less than 1e-3.
_ENDS = np.unique(np.concatenate([expit(np.arange(-18.4, 18.4, 0.05)), TOPS, [1 - EPS]]))
N_CELLS = len(_ENDS) + 1


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """Answers and errors at each level of confidence.

    Attributes
    ----------
    chance : ndarray of shape (n_levels,)
        Chance of an error, 1 − c, the mean of the level.
    count, wrong : ndarray of shape (n_levels,)
        Number of answers, and of errors.
    sizes : float
        Sum of 1/(1 − c) over the errors.
    row : ndarray of shape (n_levels,) or None
        The sample of each level; None where a level has several.
    """

    chance: Floats
    count: Floats
    wrong: Floats
    sizes: float
    row: Codes | None = None

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self:
        """Return the table of an unweighted profile."""
        if len(profile) > MOST_ROWS:
            return cls.of_sums(*ErrorSums().sums(profile))
        chance, wrong = 1 - profile.confidence, ~profile.correct
        sizes = float((1 / np.clip(chance[wrong], EPS, 1 - EPS)).sum())
        return cls(chance, np.ones(len(profile)), wrong.astype(np.float64), sizes, np.arange(len(profile)))

    @classmethod
    def of_sums(cls, count: Floats, chances: Floats, wrong: Floats, sizes: Any) -> Self:
        """Return the table of sums over cells, those of `ErrorSums`."""
        filled = count > 0
        count = count[filled]
        return cls(np.clip(chances[filled] / count, 0.0, 1.0), count, wrong[filled], float(sizes))

    @property
    def confidence(self) -> Floats:
        """Confidence of each level."""
        return 1 - self.chance

    @property
    def n(self) -> int:
        """Number of answers."""
        return round(self.count.sum())

    def at_least(self, confidence: float) -> NDArray[np.bool_]:
        """Return which levels have a confidence of one of `TOPS`, or more."""
        return np.asarray(self.chance <= (1 - confidence) * (1 + 1e-12))


class ErrorSums(Additive):
    """Answers, chances of an error, errors and their sizes by cell of confidence: an `ErrorTable` that adds up."""

    info: ClassVar[Info] = Info("errors_by_confidence", None, (0.0, 1.0), None, "")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure, wrong = profile.confidence, ~profile.correct
        cell = np.searchsorted(_ENDS, sure, side="right")
        sizes = np.zeros(len(profile))
        sizes[wrong] = 1 / np.clip(1 - sure[wrong], EPS, 1 - EPS)
        return Term(1.0, cell, N_CELLS), Term(1 - sure, cell, N_CELLS), Term(wrong, cell, N_CELLS), Term(sizes)

    def combine(self, *sums: NDArray[Any]) -> Any:
        """Return the share of errors: a table is no number."""
        count, _, wrong, _ = sums
        return wrong.sum(axis=-1) / count.sum(axis=-1)
