"""Expected and observed errors of all answers, and of the most confident ones."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from skconf.inference._assessment import Assessment, Stretch
from skconf.inference._error_table import LEVELS
from skconf.inference._grouped_means import losses_from_the_top
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile

#: Rounding may put a confidence below a level by this much.
_ROUNDING = 1e-12
#: The fewest answers of a level in a picture. Fewer answers without an error say nothing about the error rate.
_FEWEST = 50


def levels_of(assessment: Assessment, profile: ConfidenceProfile | None, level: float) -> tuple[Stretch, ...]:
    """Return the levels of a verdict: the answers with a confidence of at least 0.5, 0.9 and so on.

    If the verdict only tests the gap, the levels are computed from the profile, and each interval holds by itself.
    """
    if assessment.levels or profile is None or profile.kind == "costs":
        return assessment.levels
    return tuple(_means_from_the_top(profile, level))


def _means_from_the_top(profile: ConfidenceProfile, level: float) -> Iterator[Stretch]:
    """Yield the levels if answers are weighted, graded or in groups."""
    down = losses_from_the_top(profile, profile.confidence)
    ranking = profile.confidence_ranking
    stratified = StratifiedShares.from_the_top(profile, profile.confidence, ranking.score)
    expected, size = np.cumsum(ranking.weight * (1 - ranking.score)), 0.0
    for low in LEVELS[:-1]:
        at = int(np.searchsorted(-ranking.score, -(low - _ROUNDING), side="right")) - 1
        count = float(down.weight[at]) if at >= 0 else 0.0
        if at < 0 or count == size:
            continue
        size, lost = count, down[at : at + 1]
        ends = lost.ends(level, bounded=True) if stratified is None else stratified[at : at + 1].ends(level)
        errors_low, errors_high = (count * float(end[0]) for end in ends)
        numbers = count, count * float(lost.mean[0]), float(expected[at]), errors_low, errors_high
        yield Stretch(low, np.inf, *numbers, p_value=np.nan, found=False, direction=None, grade="none shown")


def error_tail(levels: tuple[Stretch, ...]) -> pd.DataFrame:
    """Return the share of errors among the answers of each level: a confidence of at least 0.5, 0.9 and so on."""
    surest = levels if len(levels) > 1 and levels[1].low > 0.5 else levels[1:]  # all answers may be so confident
    enough = [each for each in surest if each.count >= _FEWEST or each.low <= 0.5]
    rows = [
        (
            max(each.low, 0.5),
            each.count,
            *np.array([each.observed, each.errors_low, each.errors_high, each.expected]) / each.count,
        )
        for each in enough
    ]
    return pd.DataFrame(rows, columns=["from", "answers", "wrong", "low", "high", "expected"])
