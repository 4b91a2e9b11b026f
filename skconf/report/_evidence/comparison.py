"""Paired differences between models and a baseline, in one table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.inference._evidence import choose
from skconf.inference._paired import by_nearness, is_nearness, signed, why_not_alike, why_not_nearer
from skconf.inference._sampling import Sampling
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.rows import Row
from skconf.scoring._names import Statistic

#: The text in place of the better models of a metric.
NOT_SHOWN, NOT_COMPARED = "no difference shown", "not compared"
#: Level of the comparisons, after adjustment, and of the intervals.
_LEVEL, _CONFIDENCE_LEVEL = 0.05, 0.95
#: Most samples for which metrics are resampled, and the number of resamples. Their spread gives a t test.
_MOST_RESAMPLED, _N_RESAMPLES = 20_000, 200


class Difference(NamedTuple):
    """The difference between a model and the baseline in a metric.

    Attributes
    ----------
    metric : str
        Name of the row.
    model : model
        The model that is compared with the baseline.
    value, low, high : float
        Value of the model minus value of the baseline, with its 95% interval. If the best value is inside
        the range of the metric, distances from the best value are subtracted instead of values. NaN if the models are
        not compared.
    p_adjusted : float
        P-value, adjusted by Holm's method for all differences; NaN if the models are not compared.
    better : model or None
        The better of the two models; None if the difference is not significant, or the models are not compared.
    reason : str
        The reason why the models are not compared; empty if they are.
    """

    metric: str
    model: Any
    value: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p_adjusted: float = np.nan
    better: Any = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences between every model and the baseline.

    Attributes
    ----------
    baseline : model
        The model that the others are compared with.
    best : list of tuple of model, or str
        For each row of the report: the models that are better than the baseline, or the baseline alone if all others
        are worse. The text `NOT_SHOWN` if neither holds, `NOT_COMPARED` if models are not compared in this metric, and
        "" if the metric has no best value.
    differences : list of Difference
        A difference for each metric that has a best value, and for each model except the baseline.
    reason : str
        The reason why nothing is compared. Empty if something is compared, or if there is only one model.
    left_out : mapping of str to str
        The metrics that are not compared, with the reason.
    unpaired : mapping of model to str
        The models that cannot be compared at all, with the reason as a sentence without its period.
    """

    baseline: Any
    best: list[tuple[Any, ...] | str]
    differences: list[Difference]
    reason: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    unpaired: Mapping[Any, str] = field(default_factory=dict)

    @property
    def n_compared(self) -> int:
        """Number of comparisons, for which p-values are adjusted."""
        return sum(not np.isnan(each.p_adjusted) for each in self.differences)


def compare_models(
    rows: Sequence[Row], profiles: Mapping[Any, ConfidenceProfile], baseline: Any, unpaired: Mapping[Any, str]
) -> Comparison:
    """Compare every model with the baseline in all metrics that have a best value, in one family of tests.

    There are no profiles if predictions were read in batches. `unpaired` has the reason why the rows of a model cannot
    be paired with the rows of the baseline. It completes the sentence "BASELINE and MODEL ...".
    """
    others = [model for model in {**profiles, **unpaired} if model != baseline]
    if not others or baseline is None:
        return Comparison(baseline, ["" for _ in rows], [])
    judged = {row.name: row for row in rows if not np.isnan(row.best)}
    why = {model: f"{baseline} and {model} {reason}" for model, reason in unpaired.items()}
    paired = {model: profile for model, profile in profiles.items() if model not in unpaired}
    left_out = _left_out(judged.values(), paired, baseline)
    compared, reason = None, "; ".join(why.values())
    if len(paired) > 1 and len(left_out) == len(judged):
        reason = in_words(left_out)
    elif len(paired) > 1:
        compared, reason = _compared(judged, paired, baseline, left_out)
        why |= {model: reason for model in others if reason and model not in why}
    differences = [
        _difference(row, model, baseline, compared, why.get(model) or left_out.get(name, ""))
        for name, row in judged.items()
        for model in others
    ]
    best = {
        name: NOT_COMPARED
        if compared is None or name in left_out
        else _best_of(row, compared.xs(name, level="metric"), others, baseline)
        for name, row in judged.items()
    }
    shown = [best.get(row.name, "") for row in rows]
    return Comparison(baseline, shown, differences, reason if compared is None else "", left_out, why)


def _left_out(rows: Any, paired: Mapping[Any, ConfidenceProfile], baseline: Any) -> dict[str, str]:
    """Find the metrics that are not compared, and why."""
    reasons = {}
    few = all(len(profile) <= _MOST_RESAMPLED for profile in paired.values())
    for row in rows:
        if not row.metric.is_estimate:
            reasons[row.name] = "no estimate"
        elif why := next(filter(None, _hindrances(row, paired, baseline)), ""):
            reasons[row.name] = why
        elif signed(row).why_resampled and not few:
            reasons[row.name] = f"resampling is limited to {_MOST_RESAMPLED:,} rows"
    return reasons


def in_words(left_out: Mapping[str, str]) -> str:
    """Name metrics that are not compared, with the reasons in brackets."""
    names: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(several)} ({reason})" for reason, several in names.items())


def _hindrances(row: Row, paired: Mapping[Any, ConfidenceProfile], baseline: Any) -> Iterator[str]:
    """Go through the reasons why a metric is not compared. Most are empty."""
    for model, profile in paired.items():
        yield f"for {model}, {reason}" if (reason := _why_not(row, profile)) else ""
    for profile in paired.values():
        with suppress(ValueError):  # the metric is not defined here, and the comparison says so
            yield why_not_alike(row, paired[baseline], profile)


def _why_not(row: Row, profile: ConfidenceProfile) -> str:
    """Return why a metric cannot be estimated: too few samples, or too few that matter. Empty if it can."""
    if len(profile) < 2:
        return ""  # the comparison gives the reason
    try:
        if is_nearness(by_nearness(row)):
            return why_not_nearer(row, profile)
        return "it cannot be estimated" if choose(row, profile, Sampling.of(profile)).method == "none" else ""
    except ValueError:  # the metric is not defined here, and the comparison says so
        return ""


def _compared(
    judged: Mapping[str, Row], paired: Mapping[Any, ConfidenceProfile], baseline: Any, left_out: dict[str, str]
) -> tuple[Any, str]:
    """Compare values, or distances from a best value inside the range; return None and a reason if that is impossible.

    Metrics that cannot be computed are added to `left_out`.
    """
    rows = {name: by_nearness(row) for name, row in judged.items() if name not in left_out}
    options = {"baseline": baseline, "confidence_level": _CONFIDENCE_LEVEL, "n_resamples": _N_RESAMPLES}
    with collected():  # the report has already warned of undefined values
        try:
            return compare(rows, paired, random_state=0, **options), ""
        except ValueError as error:
            failed = {name: why for name, each in rows.items() if (why := _refusal(each, paired))}
            if not failed or len(failed) == len(rows):
                return None, str(error).rstrip(".")
            left_out |= failed
            rest = {name: each for name, each in rows.items() if name not in failed}
            return compare(rest, paired, random_state=0, **options), ""


def _refusal(statistic: Statistic, profiles: Mapping[Any, ConfidenceProfile]) -> str:
    """Return why a metric cannot be computed; empty if it can."""
    try:
        for profile in profiles.values():
            statistic.evaluate(profile)
    except ValueError as error:
        return str(error).rstrip(".")
    return ""


def _best_of(row: Row, compared: Any, others: Sequence[Any], baseline: Any) -> tuple[Any, ...] | str:
    """Return the models shown to be better than the baseline; the baseline if it beats all; else `NOT_SHOWN`."""
    shown = compared["p_adjusted"] <= _LEVEL
    gain = -compared["difference"] if row.better == "lower" else compared["difference"]
    better = tuple(compared.index[shown & (gain > 0)].get_level_values("first"))
    if better:
        return better
    return (baseline,) if shown.sum() == len(others) else NOT_SHOWN


def _difference(row: Row, model: Any, baseline: Any, compared: Any, reason: str) -> Difference:
    """Return the difference in one metric."""
    if compared is None or reason:
        return Difference(row.name, model, reason=reason)
    one = compared.loc[(row.name, model, baseline)]
    if np.isnan(one["difference"]):
        return Difference(row.name, model, reason="undefined here")
    value, low, high, p_value = one[["difference", "low", "high", "p_adjusted"]]
    if row.better == "closer":  # the comparison was of nearness, which grows if the distance shrinks
        value, low, high = -value + 0.0, -high + 0.0, -low + 0.0
    better = None if not p_value <= _LEVEL else model if (value > 0) == (row.better == "higher") else baseline
    return Difference(
        row.name, model, value, low, high, p_value, better, "its error is unknown" if np.isnan(p_value) else ""
    )
