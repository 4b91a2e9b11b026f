"""All metrics in plain words, each under the question that it answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, number
from skconf._core.probabilities import Floats
from skconf.metrics._base.questions import QUESTIONS, plain_words, question_of
from skconf.profile._answers import computed_once
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.intervals import page_ends
from skconf.report._evidence.rows import Row
from skconf.report._page.parts import Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import cautions

#: Name of the section in the navigation.
METRICS = "All metrics"
_OTHERS = "Other metrics"


@computed_once
def all_metrics(evidence: Evidence) -> Section:
    """Return the section: a folded table for each question."""
    ends = {model: page_ends(evidence, model) for model in evidence.values}
    printed = len(evidence.values) == 1  # with several models, the table of differences is printed
    parts: list[Part] = [Folded(title, parts, on_paper=printed) for title, parts in _by_question(evidence, ends)]
    return Section("All metrics, by question", METRICS, parts)


def _by_question(evidence: Evidence, ends: Mapping[Any, Floats]) -> Iterator[tuple[str, list[Part]]]:
    """Yield each question, and the tables of the rows that answer it."""
    asked: dict[str, list[int]] = {}
    for at, row in enumerate(evidence.rows):
        question = question_of(_name(row))
        asked.setdefault(_OTHERS if question is None else question.title, []).append(at)
    for question in QUESTIONS:
        if question.title in asked:
            yield question.title, [Prose(question.about), _table(evidence, ends, asked[question.title])]
    if _OTHERS in asked:
        yield _OTHERS, [_table(evidence, ends, asked[_OTHERS])]


def _name(row: Row) -> str:
    """Return the name of the function behind a row."""
    return str(row.metric.info.name or row.name)


def _table(evidence: Evidence, ends: Mapping[Any, Floats], rows: Sequence[int]) -> TablePart:
    """Return the table of some metrics, with a column for each model."""
    shown: dict[Any, list[str]] = {
        "in plain words": [plain_words(_name(evidence.rows[at])) or evidence.rows[at].name for at in rows]
    }
    for model in dict.fromkeys([*evidence.by_harm, *evidence.values]):
        values, title = evidence.values[model], str(model) if evidence.several else "value"
        shown[f"{title} [{100 * evidence.level:g}%]"] = [_estimate(values[at], ends[model][at]) for at in rows]
    of_table = [evidence.rows[at] for at in rows]
    shown["better"] = [row.better if row.better != "closer" else f"closer to {row.best:g}" for row in of_table]
    shown["function"] = [row.name for row in of_table]
    return TablePart("", pd.DataFrame(shown), tuple(cautions(evidence, of_table)))


def _estimate(value: float, ends: Floats) -> str:
    """Return a value with its interval, or with a dash instead of the interval."""
    if np.isnan(value):
        return DASH
    return number(value, *ends) if not np.isnan(ends).any() else f"{number(value)} [{DASH}]"
