"""Which model is better? Paired differences from a baseline: one table, from which stars, words and sentences come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.inference._comparison import compare
from skconf.inference._evidence import choose
from skconf.inference._sampling import Sampling
from skconf.profile import ConfidenceProfile
from skconf.report._frame import BETWEEN
from skconf.report._numbers import DASH, digits_of, number, percent, plain
from skconf.report._page.parts import Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._rows import Row, rows_of
from skconf.report._words import Words
from skconf.scoring._names import Statistic

if TYPE_CHECKING:
    from skconf.report._evidence import Evidence

#: Entries of the best model without the name of one.
NOT_SHOWN, NOT_COMPARED = "no difference shown", "not compared"
NOT_TOLD_APART = "not told apart"
#: Level of the comparisons, after adjustment, and of the intervals.
_LEVEL, _CONFIDENCE_LEVEL = 0.05, 0.95
#: Most samples for which metrics are resampled if they need it, and the number of resamples: a t test follows.
_MOST_RESAMPLED, _N_RESAMPLES = 20_000, 200
_ACCURACY = "accuracy_score"


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


def which(evidence: "Evidence") -> Section:
    """Return the section: the questions that readers ask first, then the other metrics that were compared."""
    title, short = "Which model is better?", "Which"
    if len(evidence.values) < 2:
        return Section(title, short, [Prose("There is one model here, and nothing to compare it with.")])
    rows, found = _with_headlines(evidence)
    parts: list[Part] = [Prose(finding, "finding") for finding in _findings(evidence, rows, found)]
    if evidence.unpaired:
        parts.append(Prose(_what_to_do(evidence)))
    table = _Table(evidence, found)
    if table.others:
        headlines = evidence.words.headlines
        first = [row for name in headlines for row in rows if row.name == name]
        rest = [row for row in rows if row.name not in headlines and not np.isnan(row.best)]
        parts += [table.of(first, "question", _headlines_read(evidence.words)), Prose(_how(found), "note")]
        if rest:
            parts.append(Folded(f"More metrics: {len(rest)}", [table.of(rest, "metric")], in_text=True))
    return Section(title, short, parts)


def findings(evidence: "Evidence") -> list[str]:
    """Return what is shown of the first questions, in a sentence each, and what is not compared; empty of one model."""
    return [] if len(evidence.values) < 2 else _findings(evidence, *_with_headlines(evidence))


def _findings(evidence: "Evidence", rows: Sequence[Row], found: Comparison) -> list[str]:
    table = _Table(evidence, found)
    first = [row for name in evidence.words.headlines for row in rows if row.name == name]
    said = [_finding(row, table) for row in first] if table.others else []
    if found.unpaired:
        said.append(f"Not compared: {'; '.join(dict.fromkeys(found.unpaired.values()))}.")
    return said


def _with_headlines(evidence: "Evidence") -> tuple[Sequence[Row], Comparison]:
    """Return the rows of the report and those of the first questions, and their comparison in one family."""
    lacking = [name for name in evidence.words.headlines if name not in {row.name for row in evidence.rows}]
    if not lacking:
        return evidence.rows, evidence.comparison
    rows = [*rows_of(lacking, has_threshold=False), *evidence.rows]
    return rows, compare_models(rows, evidence.profiles, evidence.baseline, evidence.unpaired)


class _Table:
    """The comparison in texts.

    Parameters
    ----------
    evidence : Evidence
        What the report rests on.
    found : Comparison
        The differences.

    Attributes
    ----------
    others : list of model
        The models that are compared with the baseline.
    """

    def __init__(self, evidence: "Evidence", found: Comparison) -> None:
        self.baseline = found.baseline
        self.others = [m for m in evidence.profiles if m not in found.unpaired and m != found.baseline]
        self._evidence = evidence
        self._entries = {(entry.metric, entry.model): entry for entry in found.table.itertuples()}

    def of(self, rows: Sequence[Row], heading: str, *notes: str) -> TablePart:
        """Return the table of some rows: columns for each model, its difference, and that in words."""
        several = len(self.others) > 1
        titles = [("", heading), ("", str(self.baseline))]
        columns = [[self.label(row) for row in rows], [self._value(row, self.baseline) for row in rows]]
        for model in self.others:
            name = str(model)
            less = f"minus {self.baseline} [95 %]" if several else "difference [95 %]"
            titles += [(name, "value"), (name, less), (name, "in words")]
            columns.append([self._value(row, model) for row in rows])
            columns.append([self.difference(row, model) for row in rows])
            columns.append([self.words(row, model) for row in rows])
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = pd.MultiIndex.from_tuples(titles)
        if not several:
            frame.columns = pd.Index([above if below == "value" else below for above, below in titles])
        return TablePart("", frame, notes)

    def label(self, row: Row) -> str:
        """Return what is compared."""
        name = self._evidence.words.headlines.get(row.name, row.name)
        return name if row.better != "closer" else f"{name}: distance from {row.best:g}"

    def difference(self, row: Row, model: Any) -> str:
        """Return a difference with its interval; that of accuracies in points."""
        entry = self._entries[row.name, model]
        times = 100 if row.name == _ACCURACY else 1
        text = number(times * entry.difference, times * entry.low, times * entry.high)
        if text == DASH:
            return text
        if np.isnan(entry.low):
            text = f"{text} [{DASH}]"
        value, _, ends = text.partition(" [")
        sign = "+" if entry.difference > 0 and value.strip("0.") else ""
        return f"{sign}{value}{' points' if times > 1 else ''} [{ends}"

    def words(self, row: Row, model: Any) -> str:
        """Return who is better."""
        return str(self._entries[row.name, model].words)

    def _value(self, row: Row, model: Any) -> str:
        """Return a value with the digits that its differences have."""
        value = self._raw(row, model)
        times = 100 if row.name == _ACCURACY else 1
        entries = [self._entries[row.name, each] for each in (self.others if model == self.baseline else [model])]
        entries = [entry for entry in entries if entry.high > entry.low]
        if np.isnan(value) or not entries:
            return percent(value) if times > 1 else number(value)
        digits = max(digits_of(times * entry.difference, times * entry.low, times * entry.high) for entry in entries)
        shown = plain(times * value, max(digits, 1 - int(np.floor(np.log10(abs(times * value)))) if value else digits))
        return f"{shown} %" if times > 1 else shown

    def _raw(self, row: Row, model: Any) -> float:
        """Return the value of a metric, which the report need not have."""
        for each, value in zip(self._evidence.rows, self._evidence.values[model], strict=True):
            if each.name == row.name:
                return value
        return row.value(self._evidence.profiles[model])


def _headlines_read(words: Words) -> str:
    """Return how to read the first questions."""
    brier = "; Brier: the loss of the confidence" if "confidence_brier_loss" in words.headlines else ""
    return (
        f"AURC: {words.aurc}, averaged over how many are answered{brier}. Less is better. Where curves cross, the "
        "better one depends on the share answered."
    )


def _finding(row: Row, table: _Table) -> str:
    """Return what a comparison shows, in a sentence."""
    what = table.label(row)[0].upper() + table.label(row)[1:]
    if len(table.others) == 1:
        (model,) = table.others
        difference = table.difference(row, model)
        minus = "" if difference == DASH else f", {difference} ({model} minus {table.baseline})"
        return f"{what}: {table.words(row, model)}{minus}."
    said: dict[str, list[str]] = {}
    for model in table.others:
        words = table.words(row, model)
        if words == f"{model} better":
            words = f"better than {table.baseline}"
        elif words == f"{table.baseline} better":
            words = f"worse than {table.baseline}"
        elif words == NOT_TOLD_APART:
            words = f"not told apart from {table.baseline}"
        said.setdefault(words, []).append(str(model))
    groups = [f"{words}: {', '.join(models)}" for words, models in said.items()]
    return f"{what}: {'; '.join(groups)}."


def _how(found: Comparison) -> str:
    """Return how to read the differences."""
    return (
        f"Differences from {found.baseline}, paired row by row: the other model minus {found.baseline}. Each interval "
        "holds 95 % for its line alone; the words hold for all "
        f"{found.n_compared} comparisons of this section together (Holm's adjustment, 5 %). So an interval without 0 "
        "may belong to models that are not told apart. Not told apart is not equal: more rows may tell."
    )


def _what_to_do(evidence: "Evidence") -> str:
    """Return how models can be compared that were not."""
    if evidence.origin.files:
        todo = "give files of the same rows; where their order differs, name a column that names the rows: --id COLUMN."
    else:
        todo = "pass predictions of the same samples, in one order."
    return f"What to do: {todo}"
