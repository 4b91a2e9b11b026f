"""Which models are marked as better in each row: only where a paired difference from the baseline shows it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.profile import ConfidenceProfile
from skconf.report._frame import BETWEEN
from skconf.report._rows import Row
from skconf.scoring._names import Statistic

#: What stands in the place of a name.
NOT_SHOWN, NOT_COMPARED = "no difference shown", "not compared"
#: Level of the comparisons, after adjustment.
_LEVEL = 0.05
#: Most samples of which rows are resampled that need it, and how often: their differences are tested by a t test.
_MOST_RESAMPLED, _N_RESAMPLES = 20_000, 200


class Marks(NamedTuple):
    """The better models by row, and what that means.

    Attributes
    ----------
    best : list of str
        Names of the models; or that no difference is shown, or nothing was compared; or "" where no value is better.
    note : str
        What a mark stands for, or why there is none.
    """

    best: list[str]
    note: str


class _Nearness(Statistic):
    """How near a value is to the best one: its distance, below 0."""

    @property
    def why_resampled(self) -> str:
        """Why influence values do not tell the error; the kink at the best value is left out of account."""
        return Statistic(self.name, self.metric, self.to_score).why_resampled

    def score(self, values: Any) -> Any:
        """Return minus the distance from the best value."""
        return -np.abs(super().score(values) - super().score(self.metric.info.best))

    def influence(self, profile: ConfidenceProfile) -> Floats:
        """Return the first-order effect of each sample, on the side where the value is."""
        above = super().score(self.metric.value(profile)) > super().score(self.metric.info.best)
        effects = super().influence(profile)
        return -effects if above else effects


def not_compared(rows: Sequence[Row], reason: str) -> Marks:
    """Return that no model is marked, and why."""
    return Marks(["" if np.isnan(row.best) else NOT_COMPARED for row in rows], f"No stars: {reason}.")


def mark_best(rows: Sequence[Row], profiles: Mapping[Any, ConfidenceProfile], baseline: Any) -> Marks:
    """Compare every model with the baseline, row by row, and mark what is better beyond chance.

    All models are marked that are better than the baseline; and the baseline where all others are worse. Two models
    that are marked are not compared with each other.
    """
    if len(profiles) < 2:
        return Marks(["" for _ in rows], "")
    few = len(next(iter(profiles.values()))) <= _MOST_RESAMPLED
    nearness = {
        row.name: _Nearness(row.name, row.metric, row.to_score)
        for row in rows
        if not np.isnan(row.best) and row.metric.is_estimate
    }
    compared = {name: statistic for name, statistic in nearness.items() if few or not statistic.why_resampled}
    if not compared:
        return not_compared(rows, "these metrics are compared only of fewer predictions")
    try:
        with collected():  # what is undefined is NaN in the report, which has warned of it
            found: Any = compare(
                compared, profiles, baseline=baseline, n_resamples=_N_RESAMPLES, random_state=0, method="auto"
            )
    except ValueError as error:
        return not_compared(rows, str(error).rstrip("."))
    marks = not_compared(rows, "").best
    for position, row in enumerate(rows):
        if row.name in compared:
            marks[position] = _best_of(found.xs(row.name, level="metric"), baseline)
    left_out = [row.name for row, mark in zip(rows, marks, strict=True) if mark == NOT_COMPARED]
    note = (
        f"* better than {baseline}, or there than all others, by paired differences: p <= {_LEVEL:g} after Holm's "
        f"adjustment for {int(found['p_value'].notna().sum())} comparisons. Without a star no difference is shown"
    )
    note += f"; not compared: {', '.join(left_out)}." if left_out else "."
    return Marks(marks, note)


def _best_of(found: Any, baseline: Any) -> str:
    """Return the better models of a row, of the differences of all others from the baseline."""
    shown = found["p_adjusted"] <= _LEVEL
    better = found.index[shown & (found["difference"] > 0)].get_level_values("first")
    if len(better):
        return BETWEEN.join(map(str, better))
    return str(baseline) if shown.all() else NOT_SHOWN
