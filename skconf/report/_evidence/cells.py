"""Count answers in cells: intervals of confidence with round ends.

If rows are read in batches, only the lower ends are thresholds.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._base.kinds import Additive, Term
from skconf.metrics._base.registry import Info
from skconf.metrics._base.sums import Cells
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.stops import Stops

#: The starts of cells, which are narrower near 1. Quotients of whole numbers are exactly the floats of their decimals.
BEGINS = np.concatenate(
    [
        np.arange(0, 90) / 100,
        np.arange(900, 990) / 1_000,
        np.arange(9_900, 9_990) / 10_000,
        np.arange(99_900, 100_001) / 100_000,
    ]
)


class CellSums(Additive, rests_on="errors"):
    """Numbers of answers and of errors in each cell."""

    info: ClassVar[Info] = Info("answers by confidence", None, (0.0, 1.0), None, "")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        cells = Cells(np.searchsorted(BEGINS, profile.score, side="right") - 1, len(BEGINS))
        return Term(1.0, cells), Term(1.0 - profile.correctness, cells)

    def combine(self, *sums: NDArray[Any]) -> Any:
        """Return the share of errors."""
        return sums[1].sum() / sums[0].sum()


def stops_of_cells(counts: NDArray[Any], errors: NDArray[Any], level: float) -> Stops:
    """Return the thresholds: the lower ends of the cells that have answers."""
    held = np.flatnonzero(counts > 0)[::-1]
    accepted = np.cumsum(counts[held])
    return Stops(
        score=BEGINS[held],
        answered=accepted / accepted[-1],
        wrong=np.cumsum(errors[held]) / accepted,
        size=accepted,
        level=level,
        kind="right or wrong",
    )
