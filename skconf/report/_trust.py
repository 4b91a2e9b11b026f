"""May I trust its confidences? The verdict on each model, what to do, and two pictures."""

from typing import Any

import numpy as np
import pandas as pd

from skconf._core.bins import equal_mass_bin
from skconf._page.chart import Axis, Chart, Line, Mark, Points
from skconf._page.marks import N_SERIES
from skconf._page.parts import Beside, ChartPart, Part, Prose, Section
from skconf._page.tables import TablePart
from skconf.inference._assessment import Assessment
from skconf.inference._p_values import clopper_pearson
from skconf.metrics._base.levels import levels
from skconf.profile import ConfidenceProfile
from skconf.report._evidence import LEVEL, Evidence
from skconf.report._numbers import DASH, number, percent

#: Bins of the reliability diagram; fewer where each would have less than `_FEWEST` answers.
_BINS, _FEWEST = 12, 20
#: Cut-offs of the tail, and how much a confidence may be below one by rounding.
_CUTS, _ROUNDING = (0.5, 0.8, 0.9, 0.97, 0.99, 0.997, 0.999, 0.9999, 0.99999), 1e-12
#: Fewest answers of a cut-off: fewer without an error say nothing of its rate.
_FEWEST_SURE = 50
#: A limit of 0 on a logarithmic axis.
_FLOOR = 1e-12


def trust(evidence: Evidence, *, pictures: bool = True) -> Section:
    """Return the section, with pictures or without."""
    parts: list[Part] = []
    advised: dict[str, list[str]] = {}
    for model, found in evidence.assessments.items():
        text = f"{model}: {found.text}" if evidence.several else found.text
        parts.append(Prose(text, "finding fault" if found.p_value <= 1 - LEVEL else "finding"))
        advised.setdefault(_advice(found), []).append(str(model))
    for advice, models in advised.items():
        whom = f" with {' and '.join(models)}" if evidence.several else ""
        parts.append(Prose(f"What to do{whom}: {advice}"))
    if evidence.profiles and pictures:
        parts.append(Beside([ChartPart(_reliability(evidence)), *map(ChartPart, _tail(evidence))]))
    parts.append(_tops(evidence))
    return Section("May I trust its confidences?", "Trust", parts)


def _advice(found: Assessment) -> str:
    """Return what to do about a verdict."""
    how = "calibrate it on rows that did not train it, and look at others again"
    if found.gap_holds and found.gap < 0 and not found.top_holds:
        return f"its numbers are too low; their order may still serve to abstain. To use the numbers, {how}."
    if found.gap_holds or found.top_holds or found.shape_holds or found.decisive is not None:
        return f"{how}. Until then, read its highest confidences as the table below has them."
    if found.p_value <= 1 - LEVEL:
        return f"collect more labelled rows, or {how}."
    return "no fault shown is not no fault: mind how large a gap could hide. More labelled rows show smaller ones."


def _tops(evidence: Evidence) -> TablePart:
    """Return the errors announced and seen: of all, and of the surest answers."""
    rows = []
    for model, found in evidence.assessments.items():
        named = {"model": str(model)} if evidence.several else {}
        parts = [("all", found.n_samples, found.wrong, found.announced)]
        for top in found.tops:
            if top.count < parts[-1][1]:  # else these are the same answers
                parts.append((f"≥ {top.confidence:g}", top.count, top.wrong, top.announced))
        if np.isnan(found.wrong):  # weighted: there are no counts
            right = percent(found.accuracy, found.accuracy_low, found.accuracy_high)
            rows.append({**named, "answers": "all", "rows": f"{found.n_samples:,}", **_says(found.confidence, right)})
        else:
            rows += [{**named, **_counted(*part)} for part in parts]
    note = "Announced: the number of errors that the confidences themselves announce, Σ (1 − c)."
    return TablePart("Errors announced and seen", pd.DataFrame(rows).fillna(DASH), (note,))


def _says(confidence: float, right: str) -> dict[str, str]:
    """Return what is said beside what is right."""
    return {"says it is right in": percent(confidence), "is right in": right}


def _counted(answers: str, count: int, wrong: float, announced: float) -> dict[str, str]:
    """Return a row of counts."""
    right = 1 - wrong / count
    low, high = clopper_pearson(right, count, LEVEL)
    ratios = (count * (1 - high) / announced, count * (1 - low) / announced) if announced else ()
    return {
        "answers": answers,
        "rows": f"{count:,}",
        **_says(1 - announced / count, percent(right, low, high)),
        "wrong": f"{wrong:,.0f}",
        "announced": number(announced),
        "wrong ÷ announced": number(wrong / announced, *ratios) if announced else DASH,
    }


def _reliability(evidence: Evidence) -> Chart:
    """Return the diagram of what is right against what is said."""
    marks: list[Mark] = [Line([0, 1], [0, 1], name="as it says", dashed=True)]
    data = []
    for series, (model, profile) in enumerate(evidence.profiles.items()):
        bins, colour = _binned(profile, evidence.level), series % N_SERIES
        marks.append(Points(bins["says"], bins["right"], bins["low"], bins["high"], series=colour))
        marks.append(Line(bins["says"], bins["right"], name=_label(evidence, model), series=colour))
        data.append(bins.assign(model=evidence.title_of(model)))
    least = min(float(min(each["says"].min(), each["low"].min())) for each in data)
    low = np.floor(least * 10) / 10
    finding = (
        "Below the line it is too sure, above it too modest. Each point stands for equally many answers, with its "
        f"{100 * evidence.level:g} % interval."
    )
    says, right = Axis("says it is right in", "percent", low, 1.0), Axis("is right in", "percent", low, 1.0)
    return Chart("What it says, and what is right", finding, says, right, marks, pd.concat(data))


def _label(evidence: Evidence, model: Any) -> str | None:
    """Return what a chart calls a model: nothing, where there is one only."""
    return str(model) if len(evidence.profiles) > 1 else None


def _binned(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Return mean confidence and accuracy in bins of equally many answers; ties stay together."""
    found = levels(profile)
    unit = _size_of_weight(profile)
    n_bins = int(np.clip(found.weight.sum() * unit // _FEWEST, 1, _BINS))
    bins = equal_mass_bin(found.weight, n_bins)
    sums = (np.bincount(bins, each) for each in (found.weight, found.right, found.weight * found.confidence))
    weight, right, says = (each[np.bincount(bins) > 0] for each in sums)
    low, high = clopper_pearson(right / weight, weight * unit, level)
    return pd.DataFrame({"says": says / weight, "right": right / weight, "low": low, "high": high, "answers": weight})


def _tail(evidence: Evidence) -> list[Chart]:
    """Return the errors among the surest answers, seen and announced, against where the surest begin, if any are."""
    marks: list[Mark] = []
    data = []
    for series, (model, profile) in enumerate(evidence.profiles.items()):
        top, name = _surest(profile, evidence.level), evidence.title_of(model)
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
    rate = Axis.around("wrong of these, log scale", "log percent", rates)
    surest = Axis("answers that say this or more", "nines", 0.4, 1 - 0.7 * (1 - max(float(table["from"].max()), 0.9)))
    finding = (
        "Points: errors seen, with their interval; where there are none, its upper end. Dashed: errors announced. "
        "Points above the dashed line are too sure."
    )
    return [Chart("Its surest answers", finding, surest, rate, marks, table)]


def _surest(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Return the errors among answers of a confidence or more, at cut-offs by nines that some answers reach."""
    ranking = profile.confidence_ranking
    weight, wrong = np.cumsum(ranking.weight), np.cumsum(ranking.errors)
    announced = np.cumsum(ranking.weight * (1 - ranking.score))
    cuts = np.array(_CUTS)
    at = np.searchsorted(-ranking.score, -(cuts - _ROUNDING), side="right") - 1
    enough = (at >= 0) & ((np.append(weight, 0)[at] * _size_of_weight(profile) >= _FEWEST_SURE) | (cuts <= cuts[0]))
    cuts, at = cuts[enough], at[enough]
    share = wrong[at] / weight[at]
    low, high = clopper_pearson(share, weight[at] * _size_of_weight(profile), level)
    return pd.DataFrame(
        {
            "from": cuts,
            "answers": weight[at],
            "wrong": share,
            "low": low,
            "high": high,
            "announced": announced[at] / weight[at],
        }
    )


def _size_of_weight(profile: ConfidenceProfile) -> float:
    """Return how many equal samples a weight of 1 stands for."""
    weight = profile.sample_weight
    return 1.0 if weight is None else float(weight.sum() / (weight**2).sum())
