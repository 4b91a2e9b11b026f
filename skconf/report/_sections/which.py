"""The section "Which model is better?": cases answered at the allowed errors, costs, and differences in metrics."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import capitalized, listed
from skconf._core.numbers import DASH, decimal, number, percent
from skconf.inspection._risk_difference import RiskDifference
from skconf.report._evidence.comparison import NOT_COMPARED, Comparison, Difference, compare_models, in_words
from skconf.report._evidence.draws import Compared
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.flips import Flips
from skconf.report._evidence.rows import Row, rows_of
from skconf.report._page.axes import Scale
from skconf.report._page.chart import Axis, Band, Chart, Line, Mark, Rule
from skconf.report._page.parts import ChartPart, Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.abstain import PERSON
from skconf.report._sections.words import Words, cautions, fits_on_paper, thousand, words_of

_ACCURACY = "accuracy_score"
_NO_CLEAR_DIFFERENCE, _NONE_KEEPS = "no clear difference", "no threshold keeps the limit"


def which(evidence: Evidence) -> Section:
    """Write the section: cases answered at the allowed errors, costs at the given prices, and metrics."""
    title, short = "Which model is better?", "Which"
    if len(evidence.values) < 2:
        return Section(title, short, [Prose("There is only one model, so nothing is compared.")])
    rows, comparison = _with_headlines(evidence)
    parts: list[Part] = [Prose(finding, "finding") for finding in _findings(evidence, rows, comparison)]
    if evidence.unpaired:
        parts.append(Prose(_what_to_do(evidence)))
    if evidence.answered:
        parts.append(_answered(evidence))
        parts += [] if (chart := _differences(evidence)) is None else [ChartPart(chart)]
    table = _Table(evidence, comparison)
    if table.others:
        headlines = words_of(evidence).headlines
        first = [row for name in headlines for row in rows if row.name == name]
        rest = [row for row in rows if row.name not in headlines and not np.isnan(row.best)]
        parts += [
            table.of(first, "over all cases", _headlines_read(words_of(evidence)), *cautions(evidence, first)),
            Prose(_how(comparison), "note"),
        ]
        if rest:
            more = [table.of(rest, "metric")]
            parts.append(Folded(f"More metrics: {len(rest)}", more, in_text=True, on_paper=fits_on_paper(evidence)))
    return Section(title, short, parts)


def _findings(evidence: Evidence, rows: Sequence[Row], comparison: Comparison) -> list[str]:
    """Say how models compare in each headline metric, and what is not compared."""
    table = _Table(evidence, comparison)
    first = [row for name in words_of(evidence).headlines for row in rows if row.name == name]
    said = [answered_in_words(evidence)] if evidence.answered or evidence.at_prevalence else []
    said += [costs_in_words(evidence)] if evidence.costs else []
    said += [_finding(row, table, evidence) for row in first] if table.others else []
    if comparison.unpaired:
        said.append(f"Not compared: {'; '.join(dict.fromkeys(comparison.unpaired.values()))}.")
    return said


def _flips(evidence: Evidence, baseline: Any, model: Any, *, told_apart: bool, n_compared: int) -> str:
    """Say how many answers only one of two models has right; if the difference is unclear, say how large it may be."""
    flips = Flips.of(evidence.profiles[baseline], evidence.profiles[model])
    if flips is None:
        return ""
    text = f"{flips.n_flipped:,} answers are right with only one of the two models, {flips.to_wrong:,} with {baseline}"
    if told_apart or np.isnan(flips.excluded):
        return text
    most = decimal(100 * flips.excluded, 1)
    points = "point" if most == "1.0" else "points"
    text = f"{text}. The accuracies differ by at most {most} {points} (95% confidence limit)"
    if np.isnan(flips.standard_error):
        return text
    found = decimal(100 * flips.detectable(n_compared), 1)
    return f"{text}. A difference of {found} points would be found with 80% probability"


def _with_headlines(evidence: Evidence) -> tuple[Sequence[Row], Comparison]:
    """Compare the models in the metrics of the report and in the headline metrics, in one family of tests."""
    lacking = [name for name in words_of(evidence).headlines if name not in {row.name for row in evidence.rows}]
    if not lacking:
        return evidence.rows, evidence.comparison
    rows = [*rows_of(lacking, has_threshold=False), *evidence.rows]
    return rows, compare_models(rows, evidence.profiles, evidence.baseline, evidence.unpaired)


class _Table:
    """The texts of a comparison. `others` are the models that are compared with the baseline."""

    def __init__(self, evidence: Evidence, comparison: Comparison) -> None:
        self.baseline, self.n_compared = comparison.baseline, comparison.n_compared
        self.others = [
            m for m in evidence.profiles_by_harm if m not in comparison.unpaired and m != comparison.baseline
        ]
        self._evidence = evidence
        self._entries = {(each.metric, each.model): each for each in comparison.differences}

    def of(self, rows: Sequence[Row], heading: str, *notes: str) -> TablePart:
        """Return a table of metrics: each model's value, and its difference from the baseline in numbers and words."""
        several = len(self.others) > 1
        titles = [("", heading), ("", str(self.baseline))]
        columns = [[self.label(row) for row in rows], [self._value(row, self.baseline) for row in rows]]
        for model in self.others:
            name = str(model)
            less = f"minus {self.baseline} [95%]" if several else "difference [95%]"
            titles += [(name, "value"), (name, less), (name, "in words")]
            columns.append([self._value(row, model) for row in rows])
            columns.append([self.difference(row, model) for row in rows])
            columns.append([_in_words(self.entry(row, model)) for row in rows])
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = pd.MultiIndex.from_tuples(titles)
        if not several:
            frame.columns = pd.Index([above if below == "value" else below for above, below in titles])
        return TablePart("", frame, notes)

    def label(self, row: Row) -> str:
        """Return the name of a metric; for a headline metric, a name in plain words."""
        name = words_of(self._evidence).headlines.get(row.name, row.name)
        return name if row.better != "closer" else f"{name}: distance from {row.best:g}"

    def difference(self, row: Row, model: Any) -> str:
        """Write a difference with its interval; a difference of accuracies is in percentage points."""
        entry = self.entry(row, model)
        times = 100 if row.name == _ACCURACY else 1
        text = number(times * entry.value, times * entry.low, times * entry.high)
        if text == DASH:
            return text
        if np.isnan(entry.low):
            text = f"{text} [{DASH}]"
        value, _, ends = text.partition(" [")
        sign = "+" if entry.value > 0 and value.strip("0.") else ""
        return f"{sign}{value}{' points' if times > 1 else ''} [{ends}"

    def entry(self, row: Row, model: Any) -> Difference:
        """Return the difference between a model and the baseline in a metric."""
        return self._entries[row.name, model]

    def _value(self, row: Row, model: Any) -> str:
        """Write a value, or its distance from the best value if values on both sides of the best one are possible."""
        value = self._raw(row, model)
        value = abs(value - row.best) if row.better == "closer" else value
        return percent(value) if row.name == _ACCURACY else number(value)

    def _raw(self, row: Row, model: Any) -> float:
        """Return the value of a metric, even if the report does not show it."""
        for each, value in zip(self._evidence.rows, self._evidence.values[model], strict=True):
            if each.name == row.name:
                return value
        return row.value(self._evidence.profiles[model])


def answered_in_words(evidence: Evidence) -> str:
    """Say which model answers most cases at the limit of the summary, and how much the others differ from it."""
    if evidence.at_prevalence:
        return "Because a prevalence is given, only the metrics are compared, not the costs or the cases answered."
    at_target = evidence.at_target
    if at_target is None:
        reasons = dict.fromkeys(f"{evidence.baseline} and {model} {why}" for model, why in evidence.unpaired.items())
        return f"Not compared: {'; '.join(reasons)}." if reasons else "Not compared: numbers of rows differ."
    best, *others = at_target.ranked
    words = words_of(evidence)
    start = f"With {words.limited} of at most {words.limit(evidence.target)} in these rows"
    if not at_target.reached[best]:
        return f"{start}, no model answers any case."
    fewer = "; ".join(f"{each} {_thousand_and_less(evidence.level, at_target, best, each, 'fewer')}" for each in others)
    return f"{start}, {best} answers {thousand(at_target.reached[best])} of every 1,000 cases; {fewer}."


def costs_in_words(evidence: Evidence) -> str:
    """Say which model costs least at the given prices, and how much the others differ from it."""
    costs, words = evidence.costs, words_of(evidence)
    if costs is None or evidence.prices is None:
        return ""
    best, *others = costs.ranked
    of_error, of_person = evidence.prices
    prices = f"If {words.price} {of_error:g} and {PERSON} {of_person:g}"
    more = "; ".join(f"{each} {_thousand_and_less(evidence.level, costs, best, each, 'more')}" for each in others)
    cost = f"{best} costs {decimal(1000 * costs.reached[best], 0)} per 1,000 cases"
    return f"{prices}, {cost}, of which it answers {thousand(costs.answered[best])}; {more}."


def _thousand_and_less(level: float, found: Compared, best: Any, other: Any, than: str) -> str:
    """Write what a model reaches in 1,000 cases, and its difference from the best model with the interval."""
    reached = found.reached[other]
    if than == "fewer" and not reached:
        return "answers none"
    text = f"answers {thousand(reached)}" if than == "fewer" else f"costs {decimal(1000 * reached, 0)}"
    value, low, high = _as_printed(found, best, other, 1 if than == "fewer" else -1)
    if np.isnan(low):
        return f"{text} (too few errors to compare)"
    shown, opposite = f"{decimal(value, 0)} {than}", "more" if than == "fewer" else "less"
    from_low = f"{decimal(-low, 0)} {opposite}" if low < 0 else decimal(low, 0)
    to_high = f"{decimal(-high, 0)} {opposite}" if high < 0 else f"{decimal(high, 0)} {than}"
    said = f"{100 * level:g}% interval: {from_low} to {to_high}"
    clear = found.difference(best, other)[1:]
    is_clear = min(clear) > 0 if than == "fewer" else max(clear) < 0
    return f"{text}, {shown} ({said})" if is_clear else f"{text}, {_NO_CLEAR_DIFFERENCE} ({shown}; {said})"


def _as_printed(found: Compared, best: Any, other: Any, sign: int) -> tuple[float, float, float]:
    """Return the difference of two results in 1,000 cases, rounded first, as a reader subtracts; and its interval."""
    low, high = sorted(float(np.round(sign * 1000 * end)) for end in found.difference(best, other)[1:])
    one, two = (float(np.round(1000 * found.reached[model])) for model in (best, other))
    value = sign * (one - two)
    return value, min(low, value), max(high, value)


def _answered(evidence: Evidence) -> TablePart:
    """Return the cases that each model answers at the allowed errors, and its difference from the best model."""
    words, rows = words_of(evidence), []
    for found in evidence.answered:
        best, *others = found.ranked
        allowed = words.limit(found.target)
        reached = {
            model: (thousand(share), _guaranteed(evidence, model, found)) for model, share in found.reached.items()
        }
        if not found.reached[best]:
            rows.append((allowed, "all models", *reached[best], DASH, _NONE_KEEPS))
            continue
        rows.append((allowed, str(best), *reached[best], DASH, "most"))
        without = [model for model in others if not found.reached[model]]
        for model in others[: len(others) - len(without)]:
            fewer, low, high = _as_printed(found, best, model, 1)
            text = decimal(fewer, 0)
            text += f" [{DASH}]" if np.isnan(low) else f" [{decimal(low, 0)}, {decimal(high, 0)}]"
            is_clear = found.difference(best, model)[1] > 0
            said = "too few errors" if np.isnan(low) else "fewer" if is_clear else _NO_CLEAR_DIFFERENCE
            rows.append((allowed, str(model), *reached[model], text, said))
        if without:
            rows.append((allowed, listed(list(map(str, without))), *reached[without[0]], DASH, _NONE_KEEPS))
    level = f"{100 * evidence.level:g}%"
    columns = [words.at_most, "model", "answered of 1,000", "guaranteed", f"fewer than the most [{level}]", "in words"]
    frame = pd.DataFrame(rows, columns=columns)
    n_models = len(evidence.answered[0].reached)
    together = ""
    if n_models > 2:
        together = f" For each limit, the probability that all intervals contain the true differences is {level}."
    title = f"Cases answered at each limit of the {words.allowed}"
    note = (
        "Answered: how many of 1,000 cases a model answers at its best observed threshold. The differences are between "
        "these numbers. In each resample of the rows, the thresholds are chosen again, so the intervals include the "
        f"uncertainty of this choice.{together}"
    )
    if (frame["guaranteed"] == DASH).all():  # there is no rule for costs and weights
        return TablePart(title, frame.drop(columns="guaranteed"), (note,))
    guaranteed = (
        "Guaranteed: how many of 1,000 cases a model answers at its guaranteed threshold. At this threshold, the "
        f"{words.risk} among answers to new cases is at most the limit, with a probability of {level}. Differences "
        "between guaranteed numbers are not tested."
    )
    return TablePart(title, frame, (note, guaranteed))


def _guaranteed(evidence: Evidence, model: Any, found: Compared) -> str:
    """Return how many of every 1,000 cases a model answers at the guaranteed threshold."""
    guarantee = evidence.guarantee(model, found.target)
    if guarantee.status == "guaranteed":
        return thousand(evidence.stops[model].answered[guarantee.stop])
    return DASH if guarantee.status == "no rule" else "none"


def _differences(evidence: Evidence) -> Chart | None:
    """Chart how many more errors the others make than the best model, if all answer the same share."""
    found = {model: each for model, each in evidence.risk_differences.items() if not np.isnan(each.low).all()}
    if not found:
        return None
    models = list(evidence.stops)
    best = evidence.best
    marks: list[Mark] = [Rule(f"as {best}", y=0.0)]
    data, said, shown = [], [], []
    for model, each in found.items():
        colour, known = models.index(model), ~np.isnan(each.low)
        x, value, low, high = (of[known] for of in (each.coverage, each.value, each.low, each.high))
        marks += [Band(x, low, high, series=colour), Line(x, value, name=evidence.title_of(model), series=colour)]
        data.append(pd.DataFrame({"answered": x, "difference": value, "low": low, "high": high, "model": model}))
        shown += [low, high]
        said.append(f"{evidence.title_of(model)}: {_where_more(each)}")
    what = {"costs": "Mean cost", "graded": "Loss"}.get(evidence.kind, "Errors")
    finding = (
        f"{'; '.join(said)}. Models are compared at equal shares of answered cases. Each "
        f"{100 * evidence.level:g}% band holds for all shares at the same time."
    )
    answered = Axis("share answered, most confident first", "percent")
    scale: Scale = "linear" if evidence.kind == "costs" else "percent"
    more = Axis.around(f"{words_of(evidence).of_these}, minus {best}", scale, *shown, [0.0])
    return Chart(f"{what} compared with {best}", finding, answered, more, marks, pd.concat(data))


def _where_more(found: RiskDifference) -> str:
    """Say at which answered shares a model makes more or fewer errors."""
    parts = []
    for what, places in found.runs().items():
        ends = dict.fromkeys(f"{100 * found.coverage[at]:.0f}%" for at in places)
        parts.append(f"{what} where {' to '.join(ends)} are answered")
    return ", ".join(parts) or _NO_CLEAR_DIFFERENCE


def stars(comparison: Comparison) -> str:
    """Return the meaning of a star at the best models, or the reason why there is no star."""
    if comparison.reason:
        return f"No stars: {comparison.reason}."
    if not comparison.differences:
        return ""
    baseline, left_out = comparison.baseline, comparison.left_out
    note = (
        f"* better than {baseline}. A star at {baseline}: better than all others. Paired differences, p <= 0.05 after "
        f"Holm's adjustment for {comparison.n_compared} comparisons. No star: not shown to be better."
    )
    note += f" Not compared: {in_words(left_out)}." if left_out else ""
    return note + (f" Not paired: {'; '.join(comparison.unpaired.values())}." if comparison.unpaired else "")


def _in_words(entry: Difference) -> str:
    """Say which model is better, or why this is not known."""
    if entry.reason:
        return f"{NOT_COMPARED}: {entry.reason}"
    return _NO_CLEAR_DIFFERENCE if entry.better is None else f"{entry.better} better"


def _headlines_read(words: Words) -> str:
    """Return how to read the headline metrics."""
    brier = " Brier: the squared error of the confidence." if "confidence_brier_loss" in words.headlines else ""
    return (
        f"AURC: {words.aurc}, averaged over all coverages.{brier} Less is better. If the curves of two models "
        "cross, the better model depends on the share answered."
    )


def _finding(row: Row, table: _Table, evidence: Evidence) -> str:
    """Say in a sentence what a comparison shows."""
    what = capitalized(table.label(row))
    if len(table.others) == 1:
        (model,) = table.others
        difference = table.difference(row, model)
        minus = "" if difference == DASH else f", {difference} ({model} minus {table.baseline})"
        entry, flips = table.entry(row, model), ""
        if row.name == _ACCURACY and not entry.reason:
            told = entry.better is not None
            flips = _flips(evidence, table.baseline, model, told_apart=told, n_compared=table.n_compared)
        return f"{what}: {_in_words(entry)}{minus}.{f' {flips}.' if flips else ''}"
    said: dict[str, list[str]] = {}
    for model in table.others:
        entry = table.entry(row, model)
        if entry.reason:
            words = _in_words(entry)
        elif entry.better is None:
            words = f"{_NO_CLEAR_DIFFERENCE} from {table.baseline}"
        else:
            words = f"{'better' if entry.better == model else 'worse'} than {table.baseline}"
        said.setdefault(words, []).append(str(model))
    groups = [f"{words}: {', '.join(models)}" for words, models in said.items()]
    return f"{what}: {'; '.join(groups)}."


def _how(comparison: Comparison) -> str:
    """Explain how to read the differences."""
    baseline = comparison.baseline
    return (
        f"Differences are paired row by row: the other model minus {baseline}. Each 95% interval is for its line only. "
        f'"Better" and "no clear difference" take all {comparison.n_compared} comparisons of this section into account '
        "(Holm's adjustment, 5%). "
        'So a line may say "no clear difference" although its interval does not contain 0. "No clear difference" does '
        "not mean that the models are equal: with more rows, a difference may be found."
    )


def _what_to_do(evidence: Evidence) -> str:
    """Say what to do to compare models that were not compared."""
    if not evidence.profiles:  # they were read in batches
        todo = (
            "give one file for each model, together at most 100 MB, without --batches. A random part of the rows is "
            "enough if it is the same part for each model."
        )
    elif evidence.origin.files:
        todo = "give files of the same rows. If their order differs, name the column of their ids: --id COLUMN."
    else:
        todo = "pass predictions of the same samples, in the same order."
    return f"What to do: {todo}"
