"""All metrics, each under the question that it answers, in plain words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH, number
from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.inference._intervals import intervals
from skconf.inference._sampling import Sampling
from skconf.metrics._base.questions import QUESTIONS, plain_words, question_of
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.rows import Row
from skconf.report._page.parts import Folded, Part, Prose, Section
from skconf.report._page.tables import TablePart

#: Most samples for which intervals are drawn by resampling.
_MOST_RESAMPLED = 20_000
_N_RESAMPLES = 1000
#: Name of the section in the navigation.
METRICS = "All metrics"
_OTHERS = "Other metrics"


def all_metrics(evidence: Evidence) -> Section:
    """Return the section: a folded table for each question."""
    ends = {model: _ends(evidence, model) for model in evidence.values}
    parts: list[Part] = [Folded(title, parts) for title, parts in _by_question(evidence, ends)]
    return Section("All metrics, by question", METRICS, parts)


def interval_ends(
    rows: Sequence[Row],
    values: Sequence[float],
    profile: ConfidenceProfile,
    level: float,
    *,
    most_resampled: float = np.inf,
    random_state: Any = 0,
) -> tuple[Floats, list[Any]]:
    """Return the ends of the interval of every row, NaN where there is none, and what is to be said about them.

    Parameters
    ----------
    rows, values : sequence
        Metrics and their values.
    profile : ConfidenceProfile
        The predictions.
    level : float
        Level of the intervals.
    most_resampled : float, default=inf
        Most samples that are resampled for metrics that need it.
    random_state : int, Generator or None, default=0
        Seed of resampling.
    """
    ends = np.full((len(rows), 2), np.nan)
    few = len(profile) <= most_resampled
    kept = [
        k
        for k, row in enumerate(rows)
        if row.metric.is_estimate and not np.isnan(values[k]) and (few or not row.why_resampled)
    ]
    found, notices = intervals(
        [rows[k] for k in kept],
        [values[k] for k in kept],
        profile,
        Sampling.of(profile),
        confidence_level=level,
        method="auto",
        resampling={"n_resamples": _N_RESAMPLES, "random_state": random_state},
    )
    ends[kept] = [(interval.low, interval.high) for interval in found]
    return ends, notices


def _ends(evidence: Evidence, model: Any) -> Floats:
    """Return the ends of the intervals of a model's values."""
    if len(evidence.profiles.get(model, ())) < 2:  # of one answer no interval can be estimated
        return np.full((len(evidence.rows), 2), np.nan)
    with collected():  # an interval that cannot be had is a dash
        ends, _ = interval_ends(
            evidence.rows,
            evidence.values[model],
            evidence.profiles[model],
            evidence.level,
            most_resampled=_MOST_RESAMPLED,
        )
    return ends


def _by_question(evidence: Evidence, ends: Mapping[Any, Floats]) -> Iterator[tuple[str, list[Part]]]:
    """Yield each question that rows answer, and how they do."""
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
    """Return some rows, with a column for each model."""
    shown: dict[Any, list[str]] = {
        "in plain words": [plain_words(_name(evidence.rows[at])) or evidence.rows[at].name for at in rows]
    }
    for model, values in evidence.values.items():
        title = str(model) if evidence.several else "value"
        shown[f"{title} [{100 * evidence.level:g} %]"] = [_estimate(values[at], ends[model][at]) for at in rows]
    shown["better"] = [_better(evidence.rows[at]) for at in rows]
    shown["function"] = [evidence.rows[at].name for at in rows]
    return TablePart("", pd.DataFrame(shown))


def _estimate(value: float, ends: Floats) -> str:
    """Return a value with its interval, or with a dash in its place."""
    if np.isnan(value):
        return DASH
    return number(value, *ends) if not np.isnan(ends).any() else f"{number(value)} [{DASH}]"


def _better(row: Row) -> str:
    """Return which values are better."""
    return row.better if row.better != "closer" else f"closer to {row.best:g}"
