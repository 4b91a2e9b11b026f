"""The prevalence of a report, the errors in cases, and whether the probabilities imply another prevalence."""

from typing import Any

import numpy as np
import pandas as pd

from skconf._core.messages import capitalized, listed
from skconf._core.numbers import DASH, expected_count
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.prevalence import AtPrevalence, in_percent, percent_of
from skconf.report._page.parts import Part, Prose
from skconf.report._page.tables import TablePart
from skconf.report._sections.verdicts import harm_of
from skconf.report._sections.words import LISTED, begun, left_out, start_of

#: Errors are given for this many cases.
CASES = 100_000
#: Fewer cases are written with a decimal.
_FEW = 10
#: Most classes whose errors a sentence lists.
_TOLD = 5


def prevalence_in_words(evidence: Evidence, model: Any) -> str:
    """Say for which prevalence a model's numbers hold, and how many of 100,000 cases are wrong at this prevalence."""
    found = evidence.at_prevalence[model]
    if len(found.names) == 2:
        rare = found.rarest
        stated = percent_of(found.share[rare], found.names[rare])
        where = f"at {stated} ({in_percent(found.of_rows[rare])} of these rows)"
    else:
        shares = listed([percent_of(s, name) for s, name in zip(found.share[:LISTED], found.names, strict=False)])
        where = f"at {shares}"
    if np.isnan(found.total[0]):
        return f"{capitalized(where)}."
    text = f"{where}, {_cases(*found.total, evidence.level)} would be wrong{_apart(found)}."
    always = int(np.argmax(found.share))
    text += f" A model that always answers {found.names[always]} would be wrong in {_count(1 - found.share[always])}."
    if (off := found.implies()) and not evidence.several:
        text += f" {capitalized(off)}."
    elif off:
        text += f" Its{off.removeprefix('the')}."
    return capitalized(text)


def is_off(evidence: Evidence, model: Any) -> bool:
    """Return whether the probabilities of a model imply another prevalence than is stated."""
    found = evidence.at_prevalence.get(model)
    return found is not None and len(found.off) > 0


def prevalence_parts(evidence: Evidence) -> list[Part]:
    """Return the sentence for each model, and its errors by class; nothing if no prevalence is stated."""
    parts: list[Part] = []
    for model, found in evidence.at_prevalence.items():
        start = start_of(evidence, model)
        said = f"{start}{prevalence_in_words(evidence, model)}"
        parts.append(Prose(said, "finding", harm_of(found.grade)))
        if np.isnan(found.total[0]):
            continue
        order = np.argsort(-found.wrong, kind="stable")[:LISTED]
        columns = {
            f"{start}true class": [found.names[at] for at in order],
            f"of {CASES:,} cases": [_count(found.share[at]) for at in order],
            "of these rows": [in_percent(found.of_rows[at]) for at in order],
        }
        notes = ("Wrong: cases of this class with another answer.",)
        if found.implied is not None:
            columns["cases implied"] = [_count(found.implied[at]) for at in order]
            notes = (f"{notes[0]} Implied: how many cases of this class there are according to the probabilities.",)
        columns["wrong"] = [_with_ends(found.wrong[at], found.low[at], found.high[at]) for at in order]
        title = begun(start, "errors at this prevalence")
        parts.append(TablePart(title, pd.DataFrame(columns), (*notes, *left_out(len(found.names), "classes"))))
    return parts


def _apart(found: AtPrevalence) -> str:
    """Write the false alarms and the missed cases; with more than two classes, the classes with most errors."""
    if not found.total[0]:
        return ""
    if len(found.names) == 2:
        rare = found.rarest
        name, other = found.names[rare], found.names[1 - rare]
        alarms, missed = (_count(found.wrong[at]).replace("none", "no") for at in (1 - rare, rare))
        return (
            f": {alarms} false alarms (true class {other}, answer {name}) and "
            f"{missed} missed cases (true class {name}, answer {other})"
        )
    order = np.argsort(-found.wrong, kind="stable")
    told = [f"{_count(found.wrong[at])} of {found.names[at]}" for at in order[:_TOLD] if found.wrong[at]]
    others = float(found.wrong[order[_TOLD:]].sum())
    return f": {listed([*told, *([f'{_count(others)} of other classes'] if others else [])])}"


def _count(share: float) -> str:
    cases = CASES * float(share)
    return expected_count(cases) if cases < _FEW else f"{cases:,.0f}"


def _cases(share: float, low: float, high: float, level: float) -> str:
    """Write a share as a number of cases, with the interval in words."""
    text = f"{_count(share)} of {CASES:,} cases"
    if np.isnan(low):
        return text
    return f"{text} ({100 * level:g}% interval {_end(low)} to {_end(high)})"


def _with_ends(share: float, low: float, high: float) -> str:
    """Write a share as a number of cases, with the interval in brackets."""
    return f"{_count(share)} [{_end(low)}, {_end(high)}]" if not np.isnan(low) else f"{_count(share)} [{DASH}]"


def _end(share: float) -> str:
    return _count(share) if share > 0 else "0"
