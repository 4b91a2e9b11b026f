"""Mark the better models in each row, if a paired difference from the baseline shows that they are better."""

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

#: Entries without the name of a model.
NOT_SHOWN, NOT_COMPARED = "no difference shown", "not compared"
#: Level of the comparisons, after adjustment.
_LEVEL = 0.05
#: Most samples for which metrics are resampled if they need it, and the number of resamples: a t test follows.
_MOST_RESAMPLED, _N_RESAMPLES = 20_000, 200


class Marks(NamedTuple):
    """The better models by row, and the meaning of the marks.

    Attributes
    ----------
    best : list of str
        Names of the models; or `NOT_SHOWN` or `NOT_COMPARED`; or "" if the metric has no better value.
    note : str
        The meaning of a mark, or the reason why there is none.
    """

    best: list[str]
    note: str


class _Nearness(Statistic):
    """Minus the distance of a value from the best one."""

    @property
    def why_resampled(self) -> str:
        """Why influence values cannot give the error; the kink at the best value is ignored."""
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
    """Return marks without any model, and the reason."""
    return Marks(["" if np.isnan(row.best) else NOT_COMPARED for row in rows], f"No stars: {reason}.")


def mark_best(rows: Sequence[Row], profiles: Mapping[Any, ConfidenceProfile], baseline: Any) -> Marks:
    """Compare every model with the baseline, row by row, and mark what is significantly better.

    Models better than the baseline are marked; the baseline itself is marked if all others are worse. Marked models
    are not compared with each other.
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
        return not_compared(rows, "these metrics are compared only for fewer predictions")
    try:
        with collected():  # undefined values are NaN in the report, which has warned already
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
        f"* better than {baseline} (at {baseline}: than all others) by paired differences, p <= {_LEVEL:g} after "
        f"Holm's adjustment for {int(found['p_value'].notna().sum())} comparisons. No star: no difference is shown"
    )
    note += f"; not compared: {', '.join(left_out)}." if left_out else "."
    return Marks(marks, note)


def _best_of(found: Any, baseline: Any) -> str:
    """Return the better models of a row, given the differences of all others from the baseline."""
    shown = found["p_adjusted"] <= _LEVEL
    better = found.index[shown & (found["difference"] > 0)].get_level_values("first")
    if len(better):
        return BETWEEN.join(map(str, better))
    return str(baseline) if shown.all() else NOT_SHOWN
