"""Errors counted by confidence, in memory or summed over parts; verdicts are computed from these counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.metrics._base.kinds import Additive, Cells, Term, divide
from skconf.metrics._base.registry import Info
from skconf.profile import ConfidenceProfile

#: A confidence this close to 1 counts as 1, as in the size ratio.
EPS = 1e-8
#: Where the bands begin in which errors are counted; the last one holds confidences of 1.
BANDS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999, 1 - EPS)
#: Where the levels begin from which people accept answers; the last level holds confidences of 1.
LEVELS = (0.0, 0.5, 0.9, 0.99, 0.999, 1 - EPS)


#: Rounding to single precision may lower a confidence by this much. It still belongs to the band of its original value.
_SINGLE = 2.0**-25
_BEGINS = np.append(np.array(BANDS[:-1]) - _SINGLE, BANDS[-1])


def _ends_of_cells() -> Floats:
    """Return the limits between cells, the narrow ranges of confidence in which answers are counted.

    Odds in a cell differ by at most 7%, which changes a variance by less than 1e-3.
    """
    grid, bands = np.arange(-18.4, 18.4, 0.05), logit(_BEGINS[1:])
    apart = np.abs(grid[:, np.newaxis] - bands).min(axis=1) > 0.02  # two ends never lie closer
    return np.sort(np.concatenate([expit(grid[apart]), _BEGINS[1:]]))


_ENDS = _ends_of_cells()
N_CELLS = len(_ENDS) + 1
#: The band of each cell.
_BAND = np.searchsorted(_BEGINS, np.append(0.0, _ENDS), side="right") - 1
#: Doubts 1 − c that agree in this many leading bits lie in one cell or in two neighbouring cells, so no search is
#: needed.
_BITS = 20
_SMALLEST, _HALF = (np.array([1e-9, 0.5]).view(np.int64) >> 64 - _BITS).tolist()
#: For all doubts with the same leading bits, from the smallest doubts to a half: the cell of the largest of these
#: doubts, and where the next cell begins.
_CELL = np.searchsorted(_ENDS, 1 - (np.arange(_SMALLEST + 1, _HALF + 1) << 64 - _BITS).view(np.float64), side="right")
_NEXT = np.append(_ENDS, np.inf)
#: Number of the sums of `ErrorSums`.
N_ERROR_SUMS = 4
#: A weighted gap is close enough to normal from this many effective errors, and effective right answers, on.
FEWEST_ERRORS = 30


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """Numbers of answers and errors at each level of confidence. Close confidences share a level.

    Attributes
    ----------
    chance : ndarray of shape (n_levels,)
        Mean chance of an error, 1 − c, over the answers of the level.
    count, wrong : ndarray of shape (n_levels,)
        Number of answers, and of errors.
    band : ndarray of shape (n_levels,)
        Position among `BANDS`.
    sizes : float
        Sum of 1/(1 − c) over the errors.
    """

    chance: Floats
    count: Floats
    wrong: Floats
    band: Codes
    sizes: float

    @classmethod
    def of(cls, profile: ConfidenceProfile) -> Self:
        """Return the table of an unweighted profile."""
        return cls.of_sums(*ErrorSums().sums(profile))

    @classmethod
    def of_sums(cls, count: Floats, chances: Floats, wrong: Floats, sizes: Any) -> Self:
        """Return the table that is made from the sums of `ErrorSums`."""
        filled = count > 0
        count = count[filled]
        return cls(np.clip(chances[filled] / count, 0.0, 1.0), count, wrong[filled], _BAND[filled], float(sizes))

    @property
    def confidence(self) -> Floats:
        """Confidence of each level."""
        return 1 - self.chance

    @property
    def n(self) -> int:
        """Number of answers."""
        return round(self.count.sum())


class ErrorSums(Additive, rests_on="errors"):
    """Sums over each cell, a narrow range of confidence; they make an `ErrorTable`. Sums of parts can be added."""

    info: ClassVar[Info] = Info("errors_by_confidence", None, (0.0, 1.0), None, "")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure, wrong = profile.confidence, ~profile.correct
        cell, chance = _cell_of(sure), 1 - sure
        sizes = wrong / np.clip(chance, EPS, 1 - EPS)
        cells = Cells(cell, N_CELLS)
        return Term(1.0, cells), Term(chance, cells), Term(wrong, cells), Term(sizes)

    def combine(self, *sums: NDArray[Any]) -> Any:
        """Return the share of errors: a metric must have a number as its value."""
        count, _, wrong, _ = sums
        return wrong.sum(axis=-1) / count.sum(axis=-1)


def _cell_of(sure: Floats) -> Codes:
    """Return the cell of each confidence.

    Above one half, a table is used; this is nine times as fast as a binary search.
    """
    place = ((1 - sure).view(np.int64) >> 64 - _BITS) - _SMALLEST
    cell = _CELL[place.clip(0, len(_CELL) - 1, out=place)]
    cell += sure >= _NEXT[cell]
    low = np.flatnonzero(sure <= 0.5)  # where the difference from 1 is not exact
    cell[low] = np.searchsorted(_ENDS, sure[low], side="right")
    return cell


class GapSums(Additive, rests_on="errors"):
    """Sums for a verdict on weighted answers: weight, confidence, correctness, and squares for the standard error."""

    info: ClassVar[Info] = Info("weighted_gap", None, (-1.0, 1.0), None, "")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        sure, right = profile.confidence, profile.correct
        gap = sure - right
        squared = (Term(values, power=2) for values in (sure * (1 - sure), gap * gap, gap, 1.0))
        return Term(1.0), Term(sure), Term(right), *squared

    def combine(self, *sums: NDArray[Any]) -> Any:
        """Return the gap."""
        weight, sure, right, *_ = sums
        return divide(sure - right, weight, np.nan)

    @staticmethod
    def gap_and_error(*sums: Any) -> tuple[Any, Any]:
        """Return the gap and its standard error: from the confidences or from the data, whichever is larger."""
        weight, sure, right, expected, residual_squares, residuals, squares = sums
        gap = divide(sure - right, weight, np.nan)
        seen = residual_squares - 2 * gap * residuals + gap**2 * squares  # Σ w² (c − z − gap)²
        return gap, divide(np.sqrt(np.maximum(np.maximum(expected, seen), 0.0)), weight, np.nan)


class GradedSums(GapSums):
    """Sums for a verdict on graded answers. Their variance comes from the data: confidences do not imply it."""

    info: ClassVar[Info] = Info("evidence of the verdict", None, (-1.0, 1.0), None, "")
    takes = "graded"

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        gap = profile.confidence - profile.correctness
        squared = (Term(values, power=2) for values in (np.zeros(len(profile)), gap * gap, gap, 1.0))
        return Term(1.0), Term(profile.confidence), Term(profile.correctness), *squared


class VerdictSums(Additive, rests_on="errors"):
    """Sums for a verdict on answers that come in parts.

    They serve weighted and unweighted answers, because only after the last part is it known whether weights differ.
    """

    info: ClassVar[Info] = Info("evidence of the verdict", None, (-1.0, 1.0), None, "")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        true, classes = profile.true_class, profile.classes
        of_classes = Term(0.0) if true is None or classes is None else Term(1.0, Cells(true, len(classes)))
        return *ErrorSums().terms(profile), *GapSums().terms(profile), of_classes

    def combine(self, *sums: NDArray[Any]) -> Any:
        """Return the gap."""
        return GapSums().combine(*sums[N_ERROR_SUMS:-1])
