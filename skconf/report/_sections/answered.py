"""Say how many rows a model answers and how often it is right then, if it abstains from or rejects some rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from skconf._core.messages import listed
from skconf._core.numbers import decimal, interval
from skconf.inference._verdict import accuracy_ends
from skconf.report._evidence.evidence import LEVEL, Evidence
from skconf.report._evidence.logs import CountsAlone
from skconf.report._evidence.origin import NO_GRADE_ELSEWHERE
from skconf.report._sections.words import Words, start_of, words_for, words_of
from skconf.tables._logs import NOT_GRADED


def answered(evidence: Evidence) -> list[str]:
    """Return a text for each model that rejects or abstains from some rows, or that was read from a log."""
    models = evidence.profiles
    return [f"{start_of(evidence, model)}{text}" for model in models if (text := _of(evidence, model))]


def counted(source: CountsAlone) -> list[str]:
    """Return the texts of `answered` for logs without confidences."""
    texts = []
    for model, row in source.frame.iterrows():
        right = words_for("right or wrong" if source.right_or_wrong else "graded")
        text = _in_words(
            int(row["answered"]),
            int(row["abstained"]),
            source.states[str(model)],
            share=float(row["answered"] / (row["answered"] + row["abstained"])),
            right=right,
            accuracy=row["accuracy"],
            ends=(row["low"], row["high"]),
            level=source.level,
        )
        texts.append(f"{model}: {text}" if source.several else text)
    return texts


def _of(evidence: Evidence, model: Any) -> str:
    profile, states = evidence.profiles[model], evidence.origin.states.get(model, {})
    rows, weight = profile.accepted_rows, profile.sample_weight
    if profile.abstained is None and rows is None and not states:
        return ""
    n_rows, share, gone = profile.n_rows, profile.share_answered, "Abstained"
    if rows is not None:
        gone, profile = "Rejected", profile[rows]
        share = len(rows) / n_rows if weight is None else float(weight[rows].sum() / weight.sum())
    found, words = evidence.assessments[model], words_of(evidence)
    ends = found.accuracy_low, found.accuracy_high
    if np.isnan(ends[0]) and profile.kind != "costs":  # too few for a verdict
        ends = accuracy_ends(profile)
    text = _in_words(
        len(profile),
        n_rows - len(profile),
        states,
        share=share,
        right=None if profile.kind == "costs" else words,
        accuracy=found.accuracy,
        ends=ends,
        gone=gone,
    )
    if rows is None or len(rows) == n_rows:
        return text
    return f"{text} Thresholds and worst cases are computed from all {n_rows:,} rows, as if it answered them all."


def _in_words(
    n_answers: int,
    n_abstained: int,
    states: Mapping[str, int],
    *,
    share: float,
    right: Words | None,
    accuracy: float,
    ends: tuple[float, float],
    level: float = LEVEL,
    gone: str = "Abstained",
) -> str:
    """Say how many rows are answers, how many answers are right (not for costs), and which rows are left out."""
    text = f"Answers {n_answers:,} of {n_answers + n_abstained:,} ({decimal(100 * share, 1)}%)."
    if right is not None and n_answers:
        within = "in " if right.kind == "right or wrong" else ""
        is_right = "it is right in" if within else f"its {right.right} is"
        low, high = (decimal(100 * end, 1) for end in ends)
        told = "" if np.isnan(ends[0]) else f" {interval(low, high, level)}"
        of_all = f"; of all, {within}{decimal(100 * accuracy * share, 1)}%" if n_abstained else ""
        text = f"{text} When it answers, {is_right} {decimal(100 * accuracy, 1)}%{told}{of_all}."
    reasons = [f"{count:,} {state}" for state, count in states.items() if state not in (*NOT_GRADED, "answered")]
    if NO_GRADE_ELSEWHERE in states:  # the reasons are those of all rows of the file
        reasons = []
    if n_abstained:
        text = f"{text} {gone} {n_abstained:,}{f': {listed(reasons)}' if reasons else ''}."
    if states:
        left_out = [f"{states.get(state, 0):,} {state}" for state in NOT_GRADED]
        if NO_GRADE_ELSEWHERE in states:
            left_out.append(f"{states[NO_GRADE_ELSEWHERE]:,} {NO_GRADE_ELSEWHERE}")
        text = f"{text} Left out: {listed(left_out)}."
    return text
