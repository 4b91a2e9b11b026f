"""May I trust its confidences? The verdict on each model, what to do, and two pictures."""

from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, number, percent
from skconf.inference._assessment import Assessment
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.reliability import reliability
from skconf.report._evidence.tops import Top, counted_tops, error_tail, tops_in_units
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.marks import N_SERIES
from skconf.report._page.parts import Beside, ChartPart, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.verdicts import verdicts_of
from skconf.report._sections.words import Words, start_of, words_for, words_of

#: A limit of 0 on a logarithmic axis.
_FLOOR = 1e-12


def trust(evidence: Evidence, *, pictures: bool = True) -> Section:
    """Return the section, with pictures or without."""
    parts: list[Part] = []
    advised: dict[str, list[str]] = {}
    words, verdicts = words_of(evidence), verdicts_of(evidence)
    for model, assessment in evidence.assessments.items():
        text = f"{start_of(evidence, model)}{verdicts[model]}"
        parts.append(Prose(text, "finding fault" if assessment.p_value <= 1 - LEVEL else "finding"))
        advised.setdefault(_advice(assessment, words.numbers), []).append(str(model))
    for advice, models in advised.items():
        whom = f" with {' and '.join(models)}" if evidence.several else ""
        parts.append(Prose(f"What to do{whom}: {advice}"))
    if evidence.profiles and pictures:
        tails = [] if evidence.kind == "costs" else _tail(evidence)
        parts.append(Beside([ChartPart(_reliability(evidence)), *map(ChartPart, tails)]))
    parts.append(_tops(evidence))
    return Section(f"May I trust its {words.numbers}?", "Trust", parts)


def _advice(assessment: Assessment, numbers: str) -> str:
    """Advise what to do about a verdict."""
    how = "calibrate it on rows that did not train it, and look at others again"
    if numbers == "uncertainties" and assessment.p_value <= 1 - LEVEL:
        return f"{how}. Until then, read its uncertainties as the diagram below has them."
    if assessment.gap_holds and assessment.gap < 0 and not assessment.top_holds:
        return f"its numbers are too low; their order may still serve to abstain. To use the numbers, {how}."
    if assessment.gap_holds or assessment.top_holds or assessment.shape_holds or assessment.decisive is not None:
        return f"{how}. Until then, read its highest confidences as the table below has them."
    if assessment.p_value <= 1 - LEVEL:
        return f"collect more labelled rows, or {how}."
    return "no fault shown is not no fault: mind how large a gap could hide. More labelled rows show smaller ones."


def _tops(evidence: Evidence) -> TablePart:
    """Return the errors announced and seen: of all answers, and of the surest ones."""
    rows: list[dict[str, str]] = []
    words = words_of(evidence)
    for model, assessment in evidence.assessments.items():
        named = {"model": str(model)} if evidence.several else {}
        profile = evidence.profiles.get(model)
        if not np.isnan(assessment.wrong):
            rows += [{**named, **_top(top, words_for("right or wrong"))} for top in counted_tops(assessment, LEVEL)]
        elif profile is not None and profile.kind != "costs" and profile.sample_weight is None:
            rows += [{**named, **_top(top, words)} for top in tops_in_units(profile, LEVEL)]
        else:  # weighted, or costs: there are no counts
            right = words.amount(assessment.accuracy, assessment.accuracy_low, assessment.accuracy_high)
            said = {words.says_long: words.amount(assessment.confidence), words.right_long: right}
            rows.append({**named, "answers": "all", "rows": f"{assessment.n_samples:,}", **said})
    note = {
        "right or wrong": "Announced: the number of errors that the confidences themselves announce, Σ (1 − c).",
        "graded": "Lost: Σ (1 − correctness). Announced: what the confidences themselves say is lost, Σ (1 − c).",
        "costs": "Announced: the mean uncertainty.",
    }[words.kind]
    title = "Costs announced and paid" if words.kind == "costs" else "Errors announced and seen"
    return TablePart(title, pd.DataFrame(rows).fillna(DASH), (note,))


def _top(top: Top, words: Words) -> dict[str, str]:
    """Return a row of counts."""
    return {
        "answers": f"≥ {top.cut:g}" if top.cut else "all",
        "rows": f"{top.count:,.0f}",
        words.says_long: words.amount(1 - top.announced / top.count),
        words.right_long: percent(top.right, top.low, top.high),
        words.wrong: f"{top.wrong:,.0f}" if words.kind == "right or wrong" else number(top.wrong),
        "announced": number(top.announced),
        f"{words.wrong} ÷ announced": number(top.wrong / top.announced, *top.ratio_ends) if top.announced else DASH,
    }


def _reliability(evidence: Evidence) -> Chart:
    """Chart accuracy against confidence, or observed against announced costs."""
    marks: list[Mark] = []
    data, words = [], words_of(evidence)
    for series, (model, profile) in enumerate(evidence.profiles.items()):
        bins, colour = reliability(profile, evidence.level), series % N_SERIES
        marks.append(Points(bins["says"], bins["right"], bins["low"], bins["high"], series=colour))
        marks.append(Line(bins["says"], bins["right"], name=_label(evidence, model), series=colour))
        data.append(bins.assign(model=evidence.title_of(model)))
    table = pd.concat(data)
    same = "equally many answers" if words.kind == "costs" else "the answers in one of equally wide bins"
    each = f"Each point stands for {same}, with its {100 * evidence.level:g} % interval."
    if words.kind == "costs":
        ends = [table[name].dropna() for name in ("says", "right", "low", "high")]
        says, right = (Axis.around(name, "linear", *ends) for name in (words.says_long, words.right_long))
        finding, title = (
            f"Above the line it costs more than it announces. {each}",
            "What it announces, and what it costs",
        )
    else:
        low = np.floor(float(table[["says", "low"]].min().min()) * 10) / 10
        says, right = (Axis(name, "percent", low, 1.0) for name in (words.says_long, words.right_long))
        finding = f"Below the line it is too sure, above it too modest. {each}"
        title = "What it says, and what is right"
    marks.insert(0, Line([says.low, says.high], [says.low, says.high], name="as it says", dashed=True))
    return Chart(title, finding, says, right, marks, table)


def _label(evidence: Evidence, model: Any) -> str | None:
    """Return what a chart calls a model: nothing, where there is one only."""
    return str(model) if len(evidence.profiles) > 1 else None


def _tail(evidence: Evidence) -> list[Chart]:
    """Chart the errors among the surest answers, observed and expected, by where the surest begin."""
    marks: list[Mark] = []
    data = []
    for series, (model, profile) in enumerate(evidence.profiles.items()):
        top, name = error_tail(profile, evidence.level), evidence.title_of(model)
        label = _label(evidence, model) or "seen"
        # Intervals of several models stand beside each other.
        beside = 1 - (1 - top["from"]) * 10 ** (0.06 * (series - (len(evidence.profiles) - 1) / 2))
        seen = top["wrong"].where(top["wrong"] > 0)
        low = top["low"].where(top["low"] > 0, _FLOOR)
        colour = series % N_SERIES
        marks.append(Points(beside, seen.fillna(top["high"]), low, top["high"], name=label, series=colour))
        marks.append(Line(beside, seen, name=label, series=colour))
        announced = top["announced"].where(top["announced"] > 0)
        marks.append(
            Line(
                top["from"],
                announced,
                name="announced" if len(evidence.profiles) == 1 else None,
                series=colour,
                dashed=True,
            )
        )
        data.append(top.assign(model=name))
    table = pd.concat(data)
    if not len(table):
        return []
    rates = np.concatenate([table["high"], *(table[name][table[name] > 0] for name in ("wrong", "announced"))])
    rates = np.maximum(rates, rates.max() / 10_000)
    rate = Axis.around(f"{words_of(evidence).of_these}, log scale", "log percent", rates)
    surest = Axis("answers that say this or more", "nines", 0.4, 1 - 0.7 * (1 - max(float(table["from"].max()), 0.9)))
    finding = (
        "Points: errors seen, with their interval; where there are none, its upper end. Dashed: errors announced. "
        "Too sure is where a whole interval is above it."
    )
    return [Chart("Its surest answers", finding, surest, rate, marks, table)]
