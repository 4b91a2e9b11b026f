"""The section "Can I trust its confidences?": the verdict on each model, what to do, and two pictures."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import DASH, confidence, number, percent
from skconf.inference._assessment import Assessment, Stretch
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.reliability import reliability
from skconf.report._evidence.tops import error_tail, levels_of
from skconf.report._page.axes import FLOOR
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.parts import Beside, ChartPart, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.answered import answered
from skconf.report._sections.prevalence import is_off, prevalence_parts
from skconf.report._sections.verdicts import harm_shown, verdicts_of
from skconf.report._sections.where import fails_in_part
from skconf.report._sections.words import Words, start_of, words_for, words_of

#: What to do if the probabilities imply another prevalence than the stated one.
_OF_ANOTHER_SHARE = (
    "its probabilities contradict the stated prevalence. Calibrate it on rows that it was not trained on. Then "
    "correct the probabilities to this prevalence (skconf.calibration.correct_prevalence), and report on the "
    "corrected ones."
)


def trust(evidence: Evidence, *, pictures: bool = True) -> Section:
    """Return the section, with pictures or without."""
    parts: list[Part] = [*map(Prose, answered(evidence)), *prevalence_parts(evidence)]
    advised: dict[str, list[str]] = {}
    words, verdicts = words_of(evidence), verdicts_of(evidence)
    levels = {
        model: levels_of(evidence.assessments[model], evidence.profiles.get(model), LEVEL) for model in evidence.by_harm
    }
    for model in evidence.by_harm:
        assessment = evidence.assessments[model]
        text = f"{start_of(evidence, model)}{verdicts[model]}"
        parts.append(Prose(text, "finding", harm_shown(assessment)))
        if is_off(evidence, model):
            advice = _OF_ANOTHER_SHARE
        elif fails_in_part(evidence, model):
            advice = "use its confidences, but not where it is overconfident: see the section on where it fails."
        else:
            advice = _advice(assessment, words.numbers, _labelled(evidence, model))
        advised.setdefault(advice, []).append(str(model))
    for advice, models in advised.items():
        whom = f" with {'each of ' if len(models) > 1 else ''}{listed(models)}" if evidence.several else ""
        parts.append(Prose(f"What to do{whom}: {advice}"))
    if pictures:
        charts = [_reliability(evidence)] if evidence.profiles else []
        charts += _tail(evidence, levels)
        if charts:
            parts.append(Beside([ChartPart(chart) for chart in charts]))
    parts.append(_table(evidence, levels))
    whose = "their" if evidence.several else "its"
    return Section(f"Can I trust {whose} {words.numbers}?", "Trust", parts)


def _labelled(evidence: Evidence, model: Any) -> str:
    """Name what to collect: rows, or clusters of rows, because more rows of the same clusters hardly help."""
    profile = evidence.profiles.get(model)
    return "labelled rows" if profile is None or profile.groups is None else "clusters of labelled rows"


def _advice(assessment: Assessment, numbers: str, labelled: str) -> str:
    """Advise what to do about a verdict."""
    how = "calibrate it on rows that it was not trained on, then check again on other rows"
    if numbers == "uncertainties":
        return f"{how}." if assessment.found else "use the uncertainties, but note how large an undetected gap may be."
    if assessment.looks_swapped:
        return "compare a few rows by hand, and bring the labels or the columns of probabilities into the right order."
    if assessment.accuracy <= assessment.most_frequent < 1 and assessment.grade != "too few to say":
        return (
            "find out why it is not right more often than a model that always predicts the most frequent class. "
            "Calibration does not change that."
        )
    if assessment.decisive is not None:
        return f"look at that row first: its label may be wrong. If the label is right, collect more {labelled}."
    if assessment.grade in ("mild", "serious", "unusable"):
        as_they_are = "do not read its confidences as probabilities; a guaranteed threshold still holds"
        until = as_they_are if assessment.grade == "unusable" else "use the observed errors below"
        return f"{how}. Until then, {until}."
    if assessment.grade == "negligible" and assessment.grade_at_most in ("serious", "unusable"):
        may = "they may be further from the accuracy than these data show"
        return f"use its confidences with care: {may}. More {labelled} can tell."
    if assessment.grade in ("close to calibrated", "negligible"):
        return "use its confidences as they are."
    if assessment.grade == "too few to say":
        return f"collect more {labelled}."
    return (
        "use its confidences, but miscalibration may be undetected: see the intervals below. With more "
        f"{labelled}, smaller gaps can be detected."
    )


def _table(evidence: Evidence, levels: Mapping[Any, tuple[Stretch, ...]]) -> TablePart:
    """Tabulate expected and observed errors: of all answers, the most confident ones, and ranges that a test found."""
    rows: list[dict[str, str]] = []
    words = words_of(evidence)
    for model in evidence.by_harm:
        assessment = evidence.assessments[model]
        named = {"model": str(model)} if evidence.several else {}
        profile = evidence.profiles.get(model)
        weighted = profile is not None and profile.sample_weight is not None and not assessment.levels
        stretches = sorted(assessment.stretches or levels[model], key=lambda each: (each.low, -each.high))
        if stretches and not weighted:
            counted = words_for("right or wrong") if assessment.levels else words
            rows += [{**named, **_row(each, counted)} for each in stretches]
        else:  # there are no counts
            right = words.amount(assessment.accuracy, assessment.accuracy_low, assessment.accuracy_high)
            said = {words.says: words.amount(assessment.confidence), words.right: right}
            rows.append({**named, "answers": "all", "rows": f"{assessment.n_samples:,}", **said})
    frame = pd.DataFrame(rows).fillna(DASH)
    if "miscalibration" in frame and (frame["miscalibration"] == DASH).all():
        frame = frame.drop(columns="miscalibration")
    note = {
        "right or wrong": "Expected: the errors that the confidences imply, Σ (1 − c).",
        "graded": "Lost: Σ (1 − correctness). Expected: what the confidences imply, Σ (1 − c).",
        "costs": "Expected: the average uncertainty.",
    }[words.kind]
    has_parts = len(frame) > len(evidence.by_harm)  # rows beside that of all answers of each model
    if words.kind == "right or wrong" and has_parts:
        in_clusters = any(profile.groups is not None for profile in evidence.profiles.values())
        which = "each interval contains its" if in_clusters else "all intervals of a model contain their"
        note += f" With a probability of 95%, {which} true value{'' if in_clusters else 's'}."
    if "miscalibration" in frame:
        note += " The grade of a miscalibration is a lower limit: the miscalibration may be worse."
    title = "Expected and observed costs" if words.kind == "costs" else "Expected and observed errors"
    return TablePart(title, frame, (note,))


def _row(stretch: Stretch, words: Words) -> dict[str, str]:
    """Return a row of counts."""
    count, is_count = stretch.count, words.kind == "right or wrong"
    ends = (1 - end / count for end in (stretch.observed, stretch.errors_high, stretch.errors_low))
    return {
        "answers": _range(stretch),
        "rows": f"{count:,.0f}",
        words.says: words.amount(1 - stretch.expected / count),
        words.right: percent(*ends),
        words.wrong: f"{stretch.observed:,.0f}" if is_count else number(stretch.observed),
        "expected": number(stretch.expected) if stretch.expected >= 1e-3 or not stretch.expected else "< 0.001",
        "miscalibration": f"{stretch.direction}: {stretch.grade}" if stretch.direction else DASH,
    }


def _range(stretch: Stretch) -> str:
    """Write which answers these are: "all", "≥ 0.9", "0.7 to 0.8"."""
    if np.isinf(stretch.high):
        return f"≥ {confidence(stretch.low)}" if stretch.low else "all"
    return (
        f"{confidence(stretch.low)} to {confidence(stretch.high)}" if stretch.low else f"< {confidence(stretch.high)}"
    )


def _reliability(evidence: Evidence) -> Chart:
    """Chart accuracy against confidence, or costs against uncertainty."""
    marks: list[Mark] = []
    data, words = [], words_of(evidence)
    for series, (model, profile) in enumerate(evidence.profiles_by_harm.items()):
        bins = reliability(profile, evidence.level)
        marks.append(Points(bins["says"], bins["right"], bins["low"], bins["high"], series=series))
        breaks = np.flatnonzero(~bins.pop("joined")[:-1]) + 1
        x, y = (np.insert(bins[name].to_numpy(), breaks, np.nan) for name in ("says", "right"))
        marks.append(Line(x, y, name=_label(evidence, model), series=series))
        data.append(bins.assign(model=evidence.title_of(model)))
    table = pd.concat(data)
    same = "equally many answers" if words.kind == "costs" else "the answers of a bin; all bins are equally wide"
    each = f"Each point shows {same}. Bars are {100 * evidence.level:g}% intervals."
    if words.kind == "costs":
        ends = [table[name].dropna() for name in ("says", "right", "low", "high")]
        says, right = (Axis.around(name, "linear", *ends) for name in (words.says, words.right))
        finding, title = (
            f"Points above the line cost more than expected. {each}",
            "Cost by uncertainty",
        )
    else:
        low = np.floor(float(table[["says", "low"]].min().min()) * 10) / 10
        says, right = (Axis(name, "percent", low, 1.0) for name in (words.says, words.right))
        finding = f"Points below the line are overconfident, points above it underconfident. {each}"
        title = "Accuracy by confidence"
    marks.insert(0, Line([says.low, says.high], [says.low, says.high], name="calibrated", dashed=True))
    return Chart(title, finding, says, right, marks, table)


def _label(evidence: Evidence, model: Any) -> str | None:
    """Return the name of a model in a chart: None if there is only one model."""
    return str(model) if len(evidence.profiles) > 1 else None


def _tail(evidence: Evidence, levels: Mapping[Any, tuple[Stretch, ...]]) -> list[Chart]:
    """Chart the observed and expected errors of the most confident answers, by their lowest confidence."""
    marks: list[Mark] = []
    data = []
    tails = {model: tail for model, found in levels.items() if len(tail := error_tail(found))}
    for series, (model, top) in enumerate(tails.items()):
        label = str(model) if len(tails) > 1 else "observed"
        # Intervals of several models stand beside each other.
        beside = 1 - (1 - top["from"]) * 10 ** (0.06 * (series - (len(tails) - 1) / 2))
        seen = top["wrong"].where(top["wrong"] > 0)
        low = top["low"].where(top["low"] > 0, FLOOR)
        marks.append(Points(beside, seen, low, top["high"], name=label, series=series))
        marks.append(Line(beside, seen, name=label, series=series))
        expected, name = top["expected"].where(top["expected"] > 0), "expected" if len(tails) == 1 else None
        marks.append(Line(top["from"], expected, name=name, series=series, dashed=True))
        data.append(top.assign(model=evidence.title_of(model)))
    if not data:
        return []
    table = pd.concat(data)
    rates = np.concatenate([table["high"], *(table[name][table[name] > 0] for name in ("wrong", "expected"))])
    rates = np.maximum(rates, rates.max() / 10_000)
    rate = Axis.around(f"{words_of(evidence).of_these}, log scale", "log percent", rates)
    last = max(float(table["from"][table["from"] < 1].max()), 0.9)
    surest = Axis("confidence of at least", "nines", 0.4, 1 - 0.7 * (1 - last))
    finding = (
        "Points: observed errors with their interval. If no error was observed, the bar shows only the upper end. "
        "Dashed: expected errors. The model is overconfident where a whole interval is above the dashed line."
    )
    return [Chart("Errors of the most confident answers", finding, surest, rate, marks, table)]
