"""May I trust its confidences? The verdict on each model, what to do, and two pictures."""

from typing import Any

import numpy as np
import pandas as pd

from skconf._core.bins import equal_mass_bin
from skconf._core.numbers import DASH, number, percent
from skconf._core.proportions import clopper_pearson
from skconf.inference._assessment import Assessment
from skconf.inference._error_table import TOPS
from skconf.inference._grouped_means import Means, are_counts, losses_from_the_top, said_and_found
from skconf.metrics._base.columns import levels
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._page.chart import Axis, Chart, Line, Mark, Points
from skconf.report._page.marks import N_SERIES
from skconf.report._page.parts import Beside, ChartPart, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import Words, words_for

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
        advised.setdefault(_advice(found, evidence.words.numbers), []).append(str(model))
    for advice, models in advised.items():
        whom = f" with {' and '.join(models)}" if evidence.several else ""
        parts.append(Prose(f"What to do{whom}: {advice}"))
    if evidence.profiles and pictures:
        tails = [] if evidence.words.kind == "costs" else _tail(evidence)
        parts.append(Beside([ChartPart(_reliability(evidence)), *map(ChartPart, tails)]))
    parts.append(_tops(evidence))
    return Section(f"May I trust its {evidence.words.numbers}?", "Trust", parts)


def _advice(found: Assessment, numbers: str) -> str:
    """Return what to do about a verdict on confidences, or on uncertainties."""
    how = "calibrate it on rows that did not train it, and look at others again"
    if numbers == "uncertainties" and found.p_value <= 1 - LEVEL:
        return f"{how}. Until then, read its uncertainties as the diagram below has them."
    if found.gap_holds and found.gap < 0 and not found.top_holds:
        return f"its numbers are too low; their order may still serve to abstain. To use the numbers, {how}."
    if found.gap_holds or found.top_holds or found.shape_holds or found.decisive is not None:
        return f"{how}. Until then, read its highest confidences as the table below has them."
    if found.p_value <= 1 - LEVEL:
        return f"collect more labelled rows, or {how}."
    return "no fault shown is not no fault: mind how large a gap could hide. More labelled rows show smaller ones."


def _tops(evidence: Evidence) -> TablePart:
    """Return the errors announced and seen: of all, and of the surest answers."""
    rows, words = [], evidence.words
    for model, found in evidence.assessments.items():
        named = {"model": str(model)} if evidence.several else {}
        profile = evidence.profiles.get(model)
        if not np.isnan(found.wrong):
            rows += [{**named, **_counted(*part)} for part in _parts(found)]
        elif profile is not None and profile.kind != "costs" and profile.sample_weight is None:
            rows += [{**named, **each} for each in _in_units(profile, words)]
        else:  # weighted, or costs: there are no counts
            right = words.amount(found.accuracy, found.accuracy_low, found.accuracy_high)
            says = _says(words, found.confidence, right)
            rows.append({**named, "answers": "all", "rows": f"{found.n_samples:,}", **says})
    note = {
        "right or wrong": "Announced: the number of errors that the confidences themselves announce, Σ (1 − c).",
        "graded": "Lost: Σ (1 − correctness). Announced: what the confidences themselves say is lost, Σ (1 − c).",
        "costs": "Announced: the mean uncertainty.",
    }[words.kind]
    title = "Costs announced and paid" if words.kind == "costs" else "Errors announced and seen"
    return TablePart(title, pd.DataFrame(rows).fillna(DASH), (note,))


def _parts(found: Assessment) -> list[tuple[str, int, float, float]]:
    """Return name, number, errors and announced errors of all answers, and of the surest ones."""
    parts = [("all", found.n_samples, found.wrong, found.announced)]
    for top in found.tops:
        if top.count < parts[-1][1]:  # else these are the same answers
            parts.append((f"≥ {top.confidence:g}", top.count, top.wrong, top.announced))
    return parts


def _says(words: Words, confidence: float, right: str) -> dict[str, str]:
    """Return what is said beside what is right."""
    return {words.says_long: words.amount(confidence), words.right_long: right}


def _counted(answers: str, count: int, wrong: float, announced: float) -> dict[str, str]:
    """Return a row of counts."""
    right = 1 - wrong / count
    low, high = clopper_pearson(right, count, LEVEL)
    ratios = (count * (1 - high) / announced, count * (1 - low) / announced) if announced else ()
    return {
        "answers": answers,
        "rows": f"{count:,}",
        **_says(words_for("right or wrong"), 1 - announced / count, percent(right, low, high)),
        "wrong": f"{wrong:,.0f}",
        "announced": number(announced),
        "wrong ÷ announced": number(wrong / announced, *ratios) if announced else DASH,
    }


def _in_units(profile: ConfidenceProfile, words: Words) -> list[dict[str, str]]:
    """Return the rows of graded answers, and of answers in groups: of all, and of the surest ones."""
    down = losses_from_the_top(profile, profile.confidence)
    announced = np.cumsum(profile.confidence_ranking.weight * (1 - profile.confidence_ranking.score))
    rows: list[dict[str, str]] = []
    for cut in (0.0, *TOPS):
        at = _last_above(profile, cut)
        if at < 0 or (rows and f"{down.weight[at]:,.0f}" == rows[-1]["rows"]):
            continue
        lost, count, said = down[at : at + 1], float(down.weight[at]), float(announced[at])
        low, high = (float(end[0]) for end in lost.ends(LEVEL, bounded=True))
        seen = count * float(lost.mean[0])
        whole = words.kind == "right or wrong"
        rows.append(
            {
                "answers": f"≥ {cut:g}" if cut else "all",
                "rows": f"{count:,.0f}",
                **_says(words, 1 - said / count, percent(1 - seen / count, 1 - high, 1 - low)),
                words.wrong: f"{seen:,.0f}" if whole else number(seen),
                "announced": number(said),
                f"{words.wrong} ÷ announced": number(seen / said, count * low / said, count * high / said)
                if said
                else DASH,
            }
        )
    return rows


def _last_above(profile: ConfidenceProfile, cuts: Any) -> Any:
    """Return the place of the last distinct confidence, from the top, that reaches a cut-off; -1 if none does."""
    return np.searchsorted(-profile.confidence_ranking.score, -(np.asarray(cuts) - _ROUNDING), side="right") - 1


def _reliability(evidence: Evidence) -> Chart:
    """Return the diagram of what is right against what is said."""
    marks: list[Mark] = []
    data, words = [], evidence.words
    for series, (model, profile) in enumerate(evidence.profiles.items()):
        bins, colour = _binned(profile, evidence.level), series % N_SERIES
        marks.append(Points(bins["says"], bins["right"], bins["low"], bins["high"], series=colour))
        marks.append(Line(bins["says"], bins["right"], name=_label(evidence, model), series=colour))
        data.append(bins.assign(model=evidence.title_of(model)))
    table = pd.concat(data)
    each = f"Each point stands for equally many answers, with its {100 * evidence.level:g} % interval."
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


def _binned(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Return mean confidence and accuracy, or cost, in bins of equally many answers; ties stay together."""
    if not are_counts(profile):
        return _binned_in_units(profile, level)
    found = levels(profile)
    unit = _size_of_weight(profile)
    n_bins = int(np.clip(found.weight.sum() * unit // _FEWEST, 1, _BINS))
    bins = equal_mass_bin(found.weight, n_bins)
    sums = (np.bincount(bins, each) for each in (found.weight, found.right, found.weight * found.confidence))
    weight, right, says = (each[np.bincount(bins) > 0] for each in sums)
    low, high = clopper_pearson(right / weight, weight * unit, level)
    return pd.DataFrame({"says": says / weight, "right": right / weight, "low": low, "high": high, "answers": weight})


def _binned_in_units(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Return the same of graded answers, of costs, and of answers in groups."""
    weight, (said, found) = profile.sample_weight, said_and_found(profile)
    level_of = np.unique(said, return_inverse=True)[1]
    n_bins = int(np.clip(len(profile) // _FEWEST, 1, _BINS))
    bins = equal_mass_bin(np.bincount(level_of, weight).astype(np.float64), n_bins)[level_of]
    says, means = (Means.of_parts(each, weight, profile.groups, bins, int(bins.max()) + 1) for each in (said, found))
    there = np.flatnonzero(means.n_units > 0)
    low, high = means[there].ends(level, bounded=profile.kind != "costs")
    columns = {"says": says.mean[there], "right": means.mean[there], "low": low, "high": high}
    return pd.DataFrame({**columns, "answers": means.weight[there]})


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
    rate = Axis.around(f"{evidence.words.of_these}, log scale", "log percent", rates)
    surest = Axis("answers that say this or more", "nines", 0.4, 1 - 0.7 * (1 - max(float(table["from"].max()), 0.9)))
    finding = (
        "Points: errors seen, with their interval; where there are none, its upper end. Dashed: errors announced. "
        "Too sure is where a whole interval is above it."
    )
    return [Chart("Its surest answers", finding, surest, rate, marks, table)]


def _surest(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Return the errors among answers of a confidence or more, at cut-offs by nines that some answers reach."""
    ranking = profile.confidence_ranking
    weight, wrong = np.cumsum(ranking.weight), np.cumsum(ranking.errors)
    announced = np.cumsum(ranking.weight * (1 - ranking.score))
    cuts = np.array(_CUTS)
    at = _last_above(profile, cuts)
    enough = (at >= 0) & ((np.append(weight, 0)[at] * _size_of_weight(profile) >= _FEWEST_SURE) | (cuts <= cuts[0]))
    cuts, at = cuts[enough], at[enough]
    share = wrong[at] / weight[at]
    if are_counts(profile):
        low, high = clopper_pearson(share, weight[at] * _size_of_weight(profile), level)
    else:
        low, high = losses_from_the_top(profile, profile.confidence)[at].ends(level, bounded=True)
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
