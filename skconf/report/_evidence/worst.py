"""The answers that were furthest from what they said: the surest errors, the largest losses, the highest costs."""

from typing import NamedTuple

import numpy as np

from skconf._core.numbers import decimal, number, percent
from skconf.inference._grouped_means import said_and_found
from skconf.profile import ConfidenceProfile

#: Answers that are listed.
_LISTED = 20
#: Most decimals of a confidence in percent.
_DECIMALS = 12


class Worst(NamedTuple):
    """An answer.

    Attributes
    ----------
    row : int
        Its row, from 0.
    says, was : float
        Its confidence and correctness; or its uncertainty and cost.
    """

    row: int
    says: float
    was: float


def worst_answers(profile: ConfidenceProfile, at_most: int = _LISTED) -> list[Worst]:
    """Return the wrong answers of the highest confidence; or those that lost, or cost, most beyond what they said."""
    said, was = said_and_found(profile)
    apart = was - said if profile.kind == "costs" else said - was
    wrong = apart > 0 if profile.kind != "right or wrong" else was == 0
    if profile.sample_weight is not None:
        wrong &= profile.sample_weight > 0
    rows = np.flatnonzero(wrong)
    if len(rows) > at_most:
        least = np.partition(apart[rows], -at_most)[-at_most]
        rows = rows[apart[rows] >= least]
    order = np.lexsort((rows, -apart[rows]))[:at_most]
    return [Worst(int(row), float(said[row]), float(was[row])) for row in rows[order]]


def in_words(profile: ConfidenceProfile, found: Worst) -> str:
    """Return what an answer said and what it was, after its name and labels."""
    if profile.kind == "costs":
        return f"announced {number(found.says)}, cost {number(found.was)}"
    if profile.kind == "graded":
        return f"said {certainty(found.says)}, was {percent(found.was)} right"
    return f"at {certainty(found.says)}"


def columns_of(profile: ConfidenceProfile, found: list[Worst]) -> dict[str, list[str]]:
    """Return what the answers said and what they were, as columns of a table."""
    if profile.kind == "costs":
        return {"announced": [number(each.says) for each in found], "cost": [number(each.was) for each in found]}
    if profile.kind == "graded":
        return {"said": [certainty(each.says) for each in found], "was right": [percent(each.was) for each in found]}
    return {"at": [certainty(each.says) for each in found], "wrong of such": [_odds(each.says) for each in found]}


def _odds(confidence: float) -> str:
    """Return of how many such answers one is to be wrong."""
    if confidence >= 1:
        return "none"
    return f"1 in {decimal(1 / (1 - confidence), 0 if confidence >= 0.9 else 1)}"


def certainty(confidence: float) -> str:
    """Return a confidence in percent, in as many digits as tell it from 1."""
    doubt = 1 - confidence
    if doubt <= 0:
        return "100 %"
    digits = min(max(int(-np.floor(np.log10(doubt))) - 1, 0), _DECIMALS)
    text = f"{100 * confidence:.{digits}f}"
    return f"{text} %" if float(text) < 100 else f"over 99.{'9' * (_DECIMALS - 2)} %"
