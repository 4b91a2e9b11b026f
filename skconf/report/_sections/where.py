"""The section "Where does it fail?": classes, confusions and slices, worst first, and the worst answers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import capitalized, listed, visible
from skconf._core.numbers import DASH, decimal, number, percent
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.labels import Labels, Topics
from skconf.report._evidence.shares import Shares
from skconf.report._evidence.worst import Worst, worst_answers
from skconf.report._page.parts import Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.abstain import accepting
from skconf.report._sections.slices import part_table, slice_finding, slice_parts
from skconf.report._sections.words import (
    LISTED,
    SHOWN,
    begun,
    fits_on_paper,
    left_out,
    right,
    says_and_right,
    start_of,
    words_for,
)

#: With at most this many labels, one table has all confusions.
_IN_ONE_TABLE = 10
#: Confusions that are listed.
_CONFUSIONS = 10
#: Most decimals of a confidence in percent.
_DECIMALS = 12


def where(evidence: Evidence) -> Section:
    """Return the section."""
    parts: list[Part] = [Prose(finding, "finding") for finding in findings(evidence)]
    labels = {model: evidence.labels_of(model) for model in evidence.profiles}
    if evidence.by_slice or any(each is not None for each in labels.values()):
        parts.append(Prose(_how_ordered(evidence), "note"))
    parts += _confusion_table(evidence, labels)
    for model, profile in evidence.profiles_by_harm.items():
        of_model = labels[model]
        shown = [] if of_model is None else _classes(evidence, model, profile, of_model)
        if model in evidence.by_slice:
            shown += slice_parts(evidence.by_slice[model], start_of(evidence, model))
        if evidence.names_rows:
            shown += _answers(evidence, model, profile)
        if len(evidence.profiles) > 1 and shown:
            what = ["classes"] * (of_model is not None) + ["slices"] * (model in evidence.by_slice)
            what += ["answers that were furthest off"] * evidence.names_rows
            on_paper = fits_on_paper(evidence)
            shown = [Folded(f"{model}: {listed(what)}", shown, in_text=True, on_paper=on_paper)]
        parts += shown
    if not evidence.profiles:
        parts.append(Prose("The predictions were read in batches, which keep neither the classes nor single rows."))
    return Section("Where do they fail?" if evidence.several else "Where does it fail?", "Where", parts)


def findings(evidence: Evidence) -> list[str]:
    """Say in sentences where each model is worst."""
    said = []
    for model, profile in evidence.profiles_by_harm.items():
        start = start_of(evidence, model)
        worst = worst_answers(profile, 1)
        if not worst and profile.kind == "right or wrong":
            most = percent(float(evidence.stops[model].ends(-1)[1]))
            said.append(f"{start}no error among {len(profile):,} answers. Of new answers, up to {most} may be wrong.")
            continue
        if model in evidence.by_answer:
            said.append(f"{start}{slice_finding(evidence.by_answer[model], 'class', 'classes', _when_it_predicts)}")
        if (topics := Topics.of(profile)) is not None:
            shares = Shares.of(profile, [topics.code], evidence.level)
            said.append(f"{start}worst label, {topics.names[shares.code[0]]}: {says_and_right(shares, 0)}.")
        if model in evidence.by_slice:
            said.append(f"{start}{slice_finding(evidence.by_slice[model])}")
        if evidence.names_rows and worst:
            said.append(f"{start}{words_for(profile.kind).worst}: {_in_words(evidence, model, profile, worst[0])}.")
    return [text if evidence.several else capitalized(text) for text in said]


def _in_words(evidence: Evidence, model: Any, profile: ConfidenceProfile, worst: Worst) -> str:
    """Describe an answer in words, with its row."""
    name = f"{_of_rows(evidence, model)} {_row(evidence, model, worst.row)}"
    labels, words = evidence.labels_of(model), _said_and_was(profile, worst)
    if (topics := Topics.of(profile)) is not None:
        name = f"{name}, {topics.of_row(worst.row)}"
    if labels is None:
        return f"{name}, {'wrong ' if profile.kind == 'right or wrong' else ''}{words}"
    truth, answer = (labels.name(codes[worst.row]) for codes in (labels.true, labels.predicted))
    return f"{name}, true class {truth}, answer {answer} {words}"


def _how_ordered(evidence: Evidence) -> str:
    """Explain the order of classes and slices, and their intervals."""
    has_classes = any(evidence.labels_of(model) is not None for model in evidence.profiles)
    what, one = ("classes", "its class") if has_classes else ("slices", "its slice")
    if has_classes and evidence.by_slice:
        what, one = "classes and slices", "its class or slice"
    end = "lower" if evidence.kind == "costs" else "upper"
    text = (
        f"Sorted by the {end} end of the interval, worst first. So {what} with few rows do not get to the top by "
        f"chance. Each {100 * evidence.level:g}% interval is for {one} alone: the worst of many looks worse than it is."
    )
    if any(profile.sample_weight is not None for profile in evidence.profiles.values()):
        text += " Shares use the weights, numbers of rows do not."
    if any(profile.groups is not None for profile in evidence.profiles.values()):
        text += " Answers of a cluster depend on each other, so intervals resample whole clusters."
    return text


def _classes(evidence: Evidence, model: Any, profile: ConfidenceProfile, labels: Labels) -> list[Part]:
    """Return the tables of a model's classes, by answer and by true class, and of its most frequent confusions."""
    start, answers = start_of(evidence, model), evidence.by_answer[model]
    # Within one class, the share is that of its rows, whatever weight the class has.
    truth = Shares.of(replace(profile, strata=None), [labels.true], evidence.level)

    def both(part: slice, notes: tuple[str, ...]) -> list[Part]:
        by_answer = part_table(answers, part, start, notes, "where it answers")
        return [by_answer, _of_truth(labels, truth, part, start)]

    parts = both(slice(0, SHOWN), ())
    n_classes = max(len(answers.names), len(truth))
    if n_classes > SHOWN:
        rest = both(slice(SHOWN, LISTED), left_out(n_classes, "classes"))
        parts.append(Folded(f"{start}{n_classes - SHOWN:,} more classes", rest))
    return [*parts, *_confusions(start, profile, labels)]


def _confusion_table(evidence: Evidence, labels: Mapping[Any, Labels | None]) -> list[TablePart]:
    """Return how many rows of each class get each answer of the best model, at the threshold of the summary."""
    of_model = labels.get(evidence.best) if labels else None
    if of_model is None or len(of_model) > _IN_ONE_TABLE:
        return []
    model = evidence.best
    profile, stops = evidence.profiles[model], evidence.stops[model]
    accepted = profile.score >= stops.score[stops.at_most_wrong(evidence.target)]  # all, if no threshold keeps it
    counts = of_model.table(accepted)
    # Within one class, the share is that of its rows, whatever weight the class has.
    shares = Shares.of(replace(profile[accepted], strata=None), [of_model.true[accepted]], evidence.level)
    right_of = {code: right(shares, at) for at, code in enumerate(shares.code.tolist())}
    shown = np.flatnonzero(counts.sum(axis=1))
    columns = {("", "true class"): [of_model.name(code) for code in shown]}
    for code in np.flatnonzero(counts[:, :-1].sum(axis=0)):
        columns["it answers", of_model.name(code)] = [f"{count:,}" for count in counts[shown, code]]
    if not accepted.all():
        columns["sent to", "a person"] = [f"{count:,}" for count in counts[shown, -1]]
    columns["of its answers", "right"] = [right_of.get(code, DASH) for code in shown]
    title = f"Confusion table{f' of {model}' if evidence.several else ''}: {accepting(evidence, model)}"
    notes = () if profile.abstained is None else ("Rows in which the model abstains are not counted.",)
    return [TablePart(title, pd.DataFrame(columns), notes)]


def _of_truth(labels: Labels, shares: Shares, part: slice, start: str) -> TablePart:
    """Return how many rows of each class have the right answer."""
    places = range(len(shares))[part]
    columns = {
        f"{start}true class": [labels.name(shares.code[at]) for at in places],
        "rows": [f"{shares.count[at]:,}" for at in places],
        "found (recall)": [right(shares, at) for at in places],
    }
    return TablePart("", pd.DataFrame(columns), rows_in_text=5)


def _confusions(start: str, profile: ConfidenceProfile, labels: Labels) -> list[Part]:
    """Return the table of the most frequent confusions."""
    confusions = labels.confusions(profile.confidence, profile.sample_weight, _CONFUSIONS)
    if confusions.empty or len(labels) == 2:  # the table of answers has the confusions of two classes
        return []
    columns = {
        f"{start}true class": confusions["true"].map(labels.name),
        "answer": confusions["predicted"].map(labels.name),
        "rows": confusions["rows"].map("{:,}".format),
        "of all errors": confusions["share"].map(percent),
        "average confidence": confusions["confidence"].map(percent),
    }
    title = begun(start, "most frequent confusions")
    return [TablePart(title, pd.DataFrame(columns), rows_in_text=5)]


def _answers(evidence: Evidence, model: Any, profile: ConfidenceProfile) -> list[Part]:
    """Return the table of the most confident errors; nothing if a finding says that there are none."""
    answers, labels, start = worst_answers(profile), evidence.labels_of(model), start_of(evidence, model)
    if not answers:
        if profile.kind == "right or wrong":
            return []
        below = "has a correctness below its confidence"
        return [Prose(f"{start}no answer {'costs more than its uncertainty' if profile.kind == 'costs' else below}.")]
    at = [each.row for each in answers]
    columns = {f"{start}{_of_rows(evidence, model)}": [_row(evidence, model, row) for row in at]}
    if (topics := Topics.of(profile)) is not None:
        columns["label"] = list(map(topics.of_row, at))
    if labels is not None:
        columns["true class"] = [labels.name(code) for code in labels.true[at]]
        columns["answer"] = [labels.name(code) for code in labels.predicted[at]]
    columns |= _columns_of(profile, answers)
    notes = []
    if profile.kind == "right or wrong":
        notes.append("Expected wrong: the share of answers that would be wrong if confidences were calibrated.")
    if model not in evidence.row_names:
        notes.append("Rows are counted from 1, without a header.")
    title = begun(start, words_for(profile.kind).worst_rows)
    return [TablePart(title, pd.DataFrame(columns), (" ".join(notes),) if notes else (), rows_in_text=5)]


def _of_rows(evidence: Evidence, model: Any) -> str:
    """Return the heading of the rows: the name of the column of ids, or "row"."""
    return visible(str(evidence.row_names[model][0])) if model in evidence.row_names else "row"


def _row(evidence: Evidence, model: Any, row: int) -> str:
    """Return the id of a row, or its number in the file, from 1."""
    if model in evidence.row_names:
        return visible(str(evidence.row_names[model][1][row]))
    numbers, profile = evidence.row_numbers.get(model), evidence.profiles[model]
    if profile.topics is not None and _has_topics_in_turn(profile):
        row //= len(profile.topics)
    return f"{(row if numbers is None else int(numbers[row])) + 1:,}"


@computed_once
def _has_topics_in_turn(profile: ConfidenceProfile) -> bool:
    topics = Topics.of(profile)
    return topics is not None and np.array_equal(topics.code, np.arange(len(topics.code)) % len(topics.names))


def _said_and_was(profile: ConfidenceProfile, answer: Worst) -> str:
    """Write the confidence and correctness of an answer, or its uncertainty and cost."""
    if profile.kind == "costs":
        return f"uncertainty {number(answer.says)}, cost {number(answer.was)}"
    if profile.kind == "graded":
        return f"confidence {certainty(answer.says)}, {percent(answer.was)} right"
    return f"at {certainty(answer.says)}"


def _columns_of(profile: ConfidenceProfile, answers: list[Worst]) -> dict[str, list[str]]:
    """Return columns with the confidence and correctness of answers, or their uncertainty and cost."""
    if profile.kind == "costs":
        return {"uncertainty": [number(each.says) for each in answers], "cost": [number(each.was) for each in answers]}
    if profile.kind == "graded":
        return {
            "said": [certainty(each.says) for each in answers],
            "was right": [percent(each.was) for each in answers],
        }
    return {"at": [certainty(each.says) for each in answers], "expected wrong": [_odds(each.says) for each in answers]}


def _odds(confidence: float) -> str:
    """Write the expected share of wrong answers, as 1 in so many."""
    if confidence >= 1:
        return "none"
    return f"1 in {decimal(1 / (1 - confidence), 0 if confidence >= 0.9 else 1)}"


def certainty(confidence: float) -> str:
    """Write a confidence in percent, with enough digits to distinguish it from 100%."""
    doubt = 1 - confidence
    if doubt <= 0:
        return "100%"
    digits = min(max(int(-np.floor(np.log10(doubt))) - 1, 0), _DECIMALS)
    text = f"{100 * confidence:.{digits}f}"
    return f"{text}%" if float(text) < 100 else f"over 99.{'9' * (_DECIMALS - 2)}%"


def _when_it_predicts(name: str) -> str:
    """Name a predicted class. Names that begin with "class", as in an anonymous report, get no second "class"."""
    return f" when it predicts {'' if name.startswith('class ') else 'class '}{name}"


def worst_part(evidence: Evidence, model: Any, *, in_short: bool = False) -> tuple[str, bool]:
    """Say in which class or requested slice a model is most overconfident, and return whether any is overconfident."""
    found = [each[model] for each in (evidence.by_answer, evidence.by_slice) if model in each]
    if not found or evidence.kind == "costs":
        return "", False
    worst = [
        (float(each.shares.says[at] - each.shares.high[at]), each, at) for each in found for at in each.overconfident
    ]
    if not worst:
        what = "no class or slice" if len(found) > 1 else "no class" if model in evidence.by_answer else "no slice"
        text = f"{what} is shown to be overconfident."
    else:
        _, slices, at = max(worst, key=lambda each: each[0])
        name = slices.names[at]
        where = _when_it_predicts(name) if slices is evidence.by_answer.get(model) else f", {name}"
        text = f"most overconfident{where}: {says_and_right(slices.shares, int(at), in_short=in_short)}."
    return capitalized(text), bool(worst)


def fails_in_part(evidence: Evidence, model: Any) -> bool:
    """Return whether a model is overconfident in a class or slice although its verdict shows no harm that matters."""
    fine = evidence.assessments[model].grade in ("none shown", "close to calibrated", "negligible")
    return fine and worst_part(evidence, model)[1]
