"""Paired differences of models from a baseline, in one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.inference._evidence import choose
from skconf.inference._sampling import Sampling
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.rows import Row
from skconf.report._frame import BETWEEN
from skconf.scoring._names import Statistic

#: Entries of the best model without the name of one.
NOT_SHOWN, NOT_COMPARED = "no difference shown", "not compared"
NOT_TOLD_APART = "not told apart"
#: Level of the comparisons, after adjustment, and of the intervals.
_LEVEL, _CONFIDENCE_LEVEL = 0.05, 0.95
#: Most samples for which metrics are resampled if they need it, and the number of resamples: a t test follows.
_MOST_RESAMPLED, _N_RESAMPLES = 20_000, 200


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences of every model from the baseline.

    Attributes
    ----------
    baseline : model
        The model that the others are compared with.
    best : list of str
        For each row of the report, the models that are better than the baseline, with " | " between them, or the
        baseline if all others are worse; or `NOT_SHOWN` or `NOT_COMPARED`; or "" if the metric has no better value.
    note : str
        The meaning of a star at the best, or the reason why there is none.
    table : DataFrame
        A row for each metric and each other model, with columns

        - `metric`, `model`;
        - `difference`, `low`, `high` : value of the model less that of the baseline, with its 95 % interval; where the
          value closest to the best one is better, the difference of their distances from it;
        - `p_adjusted` : p-value, adjusted by Holm's method for all rows of the table;
        - `words` : who is better; or `NOT_TOLD_APART`; or "not compared: " and the reason.
    unpaired : dict of model to str
        Why models cannot be compared at all, as a sentence without its period.
    """

    baseline: Any
    best: list[str]
    note: str
    table: pd.DataFrame
    unpaired: Mapping[Any, str]

    @property
    def n_compared(self) -> int:
        """Number of comparisons, for which p-values are adjusted."""
        return int(self.table["p_adjusted"].notna().sum())


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


def compare_models(
    rows: Sequence[Row], profiles: Mapping[Any, ConfidenceProfile], baseline: Any, unpaired: Mapping[Any, str]
) -> Comparison:
    """Compare every model with the baseline in all metrics that have a best value, in one family of tests.

    Parameters
    ----------
    rows : sequence of Row
        The metrics.
    profiles : mapping of model to ConfidenceProfile
        Predictions; empty if these were read in batches.
    baseline : model
        The model that the others are compared with.
    unpaired : mapping of model to str
        Why rows of a model cannot be paired with those of the baseline; completes "BASELINE and MODEL ...".
    """
    others = [model for model in {**profiles, **unpaired} if model != baseline]
    if not others or baseline is None:
        return Comparison(baseline, ["" for _ in rows], "", _tabulated([]), {})
    judged = {row.name: row for row in rows if not np.isnan(row.best)}
    why = {model: f"{baseline} and {model} {reason}" for model, reason in unpaired.items()}
    paired = {model: profile for model, profile in profiles.items() if model not in unpaired}
    left_out = _left_out(judged.values(), paired)
    found, reason = None, "; ".join(why.values())
    if len(paired) > 1 and len(left_out) == len(judged):
        reason = "these metrics are compared only for fewer predictions"
    elif len(paired) > 1:
        found, reason = _compared(judged, paired, baseline, left_out)
        why |= {model: reason for model in others if reason and model not in why}
    entries = [
        _entry(row, model, baseline, found, why.get(model) or left_out.get(name, ""))
        for name, row in judged.items()
        for model in others
    ]
    best = {
        name: NOT_COMPARED
        if found is None or name in left_out
        else _best_of(found.xs(name, level="metric"), others, baseline)
        for name in judged
    }
    shown = [best.get(row.name, "") for row in rows]
    if found is None:
        return Comparison(baseline, shown, f"No stars: {reason}.", _tabulated(entries), why)
    return Comparison(baseline, shown, _note(found, baseline, left_out, why), _tabulated(entries), why)


def _left_out(rows: Any, paired: Mapping[Any, ConfidenceProfile]) -> dict[str, str]:
    """Return why metrics are not compared, by name."""
    reasons = {}
    few = all(len(profile) <= _MOST_RESAMPLED for profile in paired.values())
    for row in rows:
        if not row.metric.is_estimate:
            reasons[row.name] = "no estimate"
        elif any(_has_no_interval(row, profile) for profile in paired.values()):
            reasons[row.name] = "cannot be estimated here"
        elif row.why_resampled and not few:
            reasons[row.name] = f"resampled for {_MOST_RESAMPLED:,} rows at most"
    return reasons


def _has_no_interval(row: Row, profile: ConfidenceProfile) -> bool:
    """Return whether these predictions are too few, or too few of them decide, to estimate a metric at all."""
    if len(profile) < 2:
        return False  # the comparison says why
    try:
        return choose(row, profile, Sampling.of(profile)).method == "none"
    except ValueError:  # it is not defined here, which the comparison says, too
        return False


def _compared(
    judged: Mapping[str, Row], paired: Mapping[Any, ConfidenceProfile], baseline: Any, left_out: dict[str, str]
) -> tuple[Any, str]:
    """Return the comparisons by nearness to the best value, or None and the reason; note what does not apply."""
    nearness = {
        name: _Nearness(name, row.metric, row.to_score, row.pos_label, row.usual_label)
        for name, row in judged.items()
        if name not in left_out
    }
    options = {"baseline": baseline, "confidence_level": _CONFIDENCE_LEVEL, "n_resamples": _N_RESAMPLES}
    with collected():  # undefined values are NaN in the report, which has warned already
        try:
            return compare(nearness, paired, random_state=0, **options), ""
        except ValueError as error:
            failed = {name: why for name, each in nearness.items() if (why := _refusal(each, paired))}
            if not failed or len(failed) == len(nearness):
                return None, str(error).rstrip(".")
            left_out |= failed
            rest = {name: each for name, each in nearness.items() if name not in failed}
            return compare(rest, paired, random_state=0, **options), ""


def _refusal(statistic: Statistic, profiles: Mapping[Any, ConfidenceProfile]) -> str:
    """Return why a metric cannot be computed; empty if it can."""
    try:
        for profile in profiles.values():
            statistic.evaluate(profile)
    except ValueError as error:
        return str(error).rstrip(".")
    return ""


def _best_of(found: Any, others: Sequence[Any], baseline: Any) -> str:
    """Return the better models of a row, given the differences of others from the baseline."""
    shown = found["p_adjusted"] <= _LEVEL
    better = found.index[shown & (found["difference"] > 0)].get_level_values("first")
    if len(better):
        return BETWEEN.join(map(str, better))
    return str(baseline) if shown.sum() == len(others) else NOT_SHOWN


def _entry(row: Row, model: Any, baseline: Any, found: Any, reason: str) -> tuple[Any, ...]:
    """Return a row of the table."""
    nothing = (row.name, model, np.nan, np.nan, np.nan, np.nan)
    if found is None or reason:
        return *nothing, f"{NOT_COMPARED}: {reason}"
    one = found.loc[(row.name, model, baseline)]
    if np.isnan(one["difference"]):
        return *nothing, f"{NOT_COMPARED}: undefined here"
    # Of a higher value, nearness grows with it; of others, the distance from the best value shrinks.
    ends = (one["low"], one["high"]) if row.better == "higher" else (-one["high"], -one["low"])
    difference = (one["difference"] if row.better == "higher" else -one["difference"]) + 0.0
    if np.isnan(one["p_adjusted"]):
        words = f"{NOT_COMPARED}: its error is unknown"
    elif one["p_adjusted"] <= _LEVEL:
        words = f"{model if one['difference'] > 0 else baseline} better"
    else:
        words = NOT_TOLD_APART
    return row.name, model, difference, *ends, one["p_adjusted"], words


def _tabulated(entries: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    columns = ["metric", "model", "difference", "low", "high", "p_adjusted", "words"]
    return pd.DataFrame(entries, columns=columns)


def _note(found: Any, baseline: Any, left_out: Mapping[str, str], unpaired: Mapping[Any, str]) -> str:
    """Return the meaning of a star."""
    note = (
        f"* better than {baseline} (at {baseline}: than all others) by paired differences, p <= {_LEVEL:g} after "
        f"Holm's adjustment for {int(found['p_value'].notna().sum())} comparisons. No star: no difference is shown"
    )
    note += f"; not compared: {', '.join(left_out)}." if left_out else "."
    return note + (f" Not paired: {'; '.join(unpaired.values())}." if unpaired else "")
