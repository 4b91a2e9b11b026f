"""Where does it fail? Classes and slices, worst first, and the errors that cost most."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from skconf._core.messages import visible
from skconf._page.parts import Beside, Folded, Part, Prose, Section
from skconf._page.tables import TablePart
from skconf.inference._p_values import clopper_pearson
from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile
from skconf.report._evidence import Evidence
from skconf.report._numbers import percent
from skconf.report._shares import LISTED, SHOWN, Shares, left_out

#: Errors that are listed.
_ERRORS = 20
#: Most decimals of a confidence in percent.
_DECIMALS = 12


class CostlyError(NamedTuple):
    """An error.

    Attributes
    ----------
    row : int
        Its row, from 0.
    confidence : float
        Confidence in the wrong answer.
    share : float
        Its share of the calibrated size ratio.
    """

    row: int
    confidence: float
    share: float


def costliest_errors(profile: ConfidenceProfile, at_most: int = _ERRORS) -> list[CostlyError]:
    """Return the errors that add most to the size ratio: the most confident ones, of equal weights; ties by row."""
    added = get_metric("calibrated_size_ratio").contributions(profile)
    rows = np.flatnonzero(added > 0)
    if not len(rows):
        return []
    if len(rows) > at_most:
        least = np.partition(added[rows], -at_most)[-at_most]
        rows = rows[added[rows] >= least]
    order = np.lexsort((rows, -profile.confidence[rows], -added[rows]))[:at_most]
    total = added.sum()
    return [CostlyError(int(row), float(profile.confidence[row]), float(added[row] / total)) for row in rows[order]]


def where(evidence: Evidence, *, rows: bool = True) -> Section:
    """Return the section.

    Parameters
    ----------
    evidence : Evidence
        What the report rests on.
    rows : bool, default=True
        Whether single rows are listed.
    """
    parts: list[Part] = [Prose(finding, "finding") for finding in findings(evidence, rows=rows)]
    if evidence.slices or any(profile.classes is not None for profile in evidence.profiles.values()):
        parts.append(Prose(_how_ordered(evidence), "note"))
    for model, profile in evidence.profiles.items():
        found = [] if profile.classes is None else _classes(evidence, model, profile)
        if model in evidence.by_slice:
            found += evidence.by_slice[model].parts(f"{model}: " if evidence.several else "")
        if rows:
            found.append(_errors(evidence, model, profile))
        if len(evidence.profiles) > 1 and found:
            what = "classes, slices," if model in evidence.by_slice else "classes,"
            found = [Folded(f"{model}: {what} and the errors that cost most", found, in_text=True)]
        parts += found
    if not evidence.profiles:
        parts.append(Prose("The predictions were read in batches, which keep neither classes nor rows."))
    return Section("Where does it fail?", "Where", parts)


def findings(evidence: Evidence, *, rows: bool = True) -> list[str]:
    """Return what is worst of each model, in sentences.

    Parameters
    ----------
    evidence : Evidence
        What the report rests on.
    rows : bool, default=True
        Whether single rows are named.
    """
    said = []
    for model, profile in evidence.profiles.items():
        start = f"{model}: " if evidence.several else ""
        errors = costliest_errors(profile)
        if not errors:
            said.append(f"{start}{_no_errors(profile, evidence.level)}")
            continue
        if profile.classes is not None:
            found = Shares.of(profile, [profile.require("predicted_class")], evidence.level)
            said.append(f"{start}worst where it answers {_name(profile, found.code[0])}: {found.in_words(0)}.")
        if model in evidence.by_slice:
            said.append(f"{start}{evidence.by_slice[model].finding()}")
        if rows:
            said.append(f"{start}costliest error: {_in_words(evidence, model, profile, errors[0])}.")
    return [text if evidence.several else text[0].upper() + text[1:] for text in said]


def _no_errors(profile: ConfidenceProfile, level: float) -> str:
    """Return what the absence of errors shows."""
    weight = profile.sample_weight
    size = len(profile) if weight is None else float(weight.sum() ** 2 / (weight @ weight))
    _, most = clopper_pearson(0.0, size, level)
    return f"no error among {len(profile):,} answers; of others like these, up to {percent(float(most))} may be wrong."


def _in_words(evidence: Evidence, model: Any, profile: ConfidenceProfile, error: CostlyError) -> str:
    """Return an error in words."""
    row, said = _row_name(evidence, model, error.row), certainty(error.confidence)
    if profile.classes is None:
        return f"{row}, wrong at {said}: {percent(error.share)} of the size ratio"
    truth, answer = (_name(profile, profile.require(which)[error.row]) for which in ("true_class", "predicted_class"))
    return f"{row}, {truth} in truth, it said {answer} at {said}: {percent(error.share)} of the size ratio"


def _how_ordered(evidence: Evidence) -> str:
    """Return how classes and slices are ordered, and what their intervals mean."""
    what, one = ("classes and slices", "its class or slice") if evidence.slices else ("classes", "its class")
    text = (
        f"Worst first by the upper end of the interval: {what} that are bad whatever chance has done, so that few rows "
        f"do not lead by chance. Each interval holds {100 * evidence.level:g} % for {one} alone; the worst of many "
        "looks worse than it is."
    )
    if any(profile.sample_weight is not None for profile in evidence.profiles.values()):
        text += " Shares are weighted, numbers of rows are not."
    return text


def _classes(evidence: Evidence, model: Any, profile: ConfidenceProfile) -> list[Part]:
    """Return the classes of a model, by its answers and by the truth."""
    start = f"{model}: " if evidence.several else ""
    ways = (
        ("where it answers", Shares.of(profile, [profile.require("predicted_class")], evidence.level)),
        ("where the truth is", Shares.of(profile, [profile.require("true_class")], evidence.level)),
    )
    first: list[Part] = [_table(profile, way, found, slice(0, SHOWN), start) for way, found in ways]
    rest = [_table(profile, way, found, slice(SHOWN, LISTED), start) for way, found in ways if len(found) > SHOWN]
    parts: list[Part] = [Beside(first)]
    if rest:
        left = max(len(found) for _, found in ways) - SHOWN
        parts.append(Folded(f"{start}{left:,} more classes", rest))
    return parts


def _table(profile: ConfidenceProfile, way: str, found: Shares, part: slice, start: str) -> TablePart:
    """Return some classes as a table; its first column names it, too, as a text has no title."""
    places = range(len(found))[part]
    columns = {
        f"{start}{way}": [_name(profile, found.code[at]) for at in places],
        "rows": [f"{found.count[at]:,}" for at in places],
    }
    if way == "where it answers":
        columns["says"] = [found.says_in_words(at) for at in places]
        columns["is right in"] = [found.right_in_words(at) for at in places]
    else:
        columns["answers so in"] = [found.right_in_words(at) for at in places]
    notes = left_out(len(found), "classes") if part.stop == LISTED else ()
    return TablePart("", pd.DataFrame(columns), notes, rows_in_text=5)


def _errors(evidence: Evidence, model: Any, profile: ConfidenceProfile) -> Part:
    """Return the table of the costliest errors."""
    errors = costliest_errors(profile)
    start = f"{model}: " if evidence.several else ""
    if not errors:
        return Prose(f"{start}no error.")
    at = np.array([error.row for error in errors])
    columns = {f"{start}row": [_row_name(evidence, model, error.row) for error in errors]}
    if profile.classes is not None:
        columns["in truth"] = [_name(profile, code) for code in profile.require("true_class")[at]]
        columns["it said"] = [_name(profile, code) for code in profile.require("predicted_class")[at]]
    columns["at"] = [certainty(error.confidence) for error in errors]
    columns["of the size ratio"] = [percent(error.share) for error in errors]
    left = int(np.count_nonzero(~profile.correct)) - len(errors)
    more = f" {left:,} more errors cost no more." if left else ""
    note = (
        "An error counts 1/(1 − confidence) in the size ratio: how many such answers announce one. Rows are counted "
        f"from 1, without a header.{more}"
    )
    title = f"{start}which errors cost most?" if evidence.several else "Which errors cost most?"
    return TablePart(title, pd.DataFrame(columns), (note,), rows_in_text=5)


def certainty(confidence: float) -> str:
    """Return a confidence in percent, in as many digits as tell it from 1."""
    doubt = 1 - confidence
    if doubt <= 0:
        return "100 %"
    digits = min(max(int(-np.floor(np.log10(doubt))) - 1, 0), _DECIMALS)
    text = f"{100 * confidence:.{digits}f}"
    return f"{text} %" if float(text) < 100 else f"over 99.{'9' * (_DECIMALS - 2)} %"


def _row_name(evidence: Evidence, model: Any, row: int) -> str:
    """Return the name of a row: its number in the file, from 1."""
    numbers = evidence.row_numbers.get(model)
    return f"row {(row if numbers is None else int(numbers[row])) + 1:,}"


def _name(profile: ConfidenceProfile, code: Any) -> str:
    """Return the label of a class."""
    return visible(str(profile.require("classes")[code]))
