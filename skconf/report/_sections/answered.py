"""How many rows a model answers, and how often it is right when it does: said where some rows abstain."""

from typing import Any

import numpy as np

from skconf._core.messages import listed
from skconf._core.numbers import decimal
from skconf.inference._verdict import accuracy_ends
from skconf.report._evidence.evidence import Evidence
from skconf.report._sections.words import start_of, words_of

#: States of samples that are no rows of a report.
_LEFT_OUT = ("unscored", "failed")


def answered(evidence: Evidence) -> list[str]:
    """Return a text for each model of which some rows abstain, or that was read from a log."""
    models = evidence.profiles
    return [f"{start_of(evidence, model)}{text}" for model in models if (text := _of(evidence, model))]


def _of(evidence: Evidence, model: Any) -> str:
    profile, states = evidence.profiles[model], evidence.origin.states.get(model, {})
    if profile.abstained is None and not states:
        return ""
    found, n_answers = evidence.assessments[model], len(profile)
    n_abstained = profile.n_rows - n_answers
    text = f"Answers {n_answers:,} of {profile.n_rows:,} ({decimal(100 * profile.share_answered, 1)}%)."
    if profile.kind != "costs":
        is_right = "it is right in" if profile.kind == "right or wrong" else f"its {words_of(evidence).right} is"
        low, high = found.accuracy_low, found.accuracy_high
        if np.isnan(low):  # too few for a verdict
            low, high = accuracy_ends(profile)
        ends = "" if np.isnan(low) else f" (95% interval {decimal(100 * low, 1)}–{decimal(100 * high, 1)})"
        text = f"{text} When it answers, {is_right} {decimal(100 * found.accuracy, 1)}%{ends}"
        of_all = f"; of all, in {decimal(100 * found.accuracy * profile.share_answered, 1)}%" if n_abstained else ""
        text = f"{text}{of_all}."
    reasons = [f"{count:,} {state}" for state, count in states.items() if state not in (*_LEFT_OUT, "answered")]
    if n_abstained:
        text = f"{text} Abstained {n_abstained:,}{f': {listed(reasons)}' if reasons else ''}."
    if states:
        text = f"{text} Left out: {listed([f'{states.get(state, 0):,} {state}' for state in _LEFT_OUT])}."
    return text
