"""The surest answers: how many errors they announce, and how many there are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.proportions import clopper_pearson
from skconf.inference._assessment import Assessment
from skconf.inference._error_table import TOPS
from skconf.inference._grouped_means import are_counts, losses_from_the_top
from skconf.profile import ConfidenceProfile

#: Cut-offs of the tail, and how much a confidence may be below one by rounding.
_CUTS, _ROUNDING = (0.5, 0.8, 0.9, 0.97, 0.99, 0.997, 0.999, 0.9999, 0.99999), 1e-12
#: Fewest answers of a cut-off: fewer without an error say nothing of its rate.
_FEWEST_SURE = 50


@dataclass(frozen=True)
class Top:
    """The answers of a confidence or more.

    Attributes
    ----------
    cut : float
        The lowest confidence; 0 for all answers.
    count : float
        Number of answers.
    wrong, announced : float
        Number of errors, or what is lost; and how many the confidences themselves announce, Σ (1 − c).
    low, high : float
        Interval of the share of right answers, or of the mean correctness.
    """

    cut: float
    count: float
    wrong: float
    announced: float
    low: float
    high: float

    @property
    def right(self) -> float:
        """Share of right answers, or mean correctness."""
        return 1 - self.wrong / self.count

    @property
    def ratio_ends(self) -> tuple[float, float]:
        """Interval of errors ÷ announced errors."""
        return self.count * (1 - self.high) / self.announced, self.count * (1 - self.low) / self.announced


def counted_tops(assessment: Assessment, level: float) -> list[Top]:
    """Count errors, expected and observed, among all answers and among the surest ones."""
    parts = [(0.0, assessment.n_samples, assessment.wrong, assessment.announced)]
    for top in assessment.tops:
        if top.count < parts[-1][1]:  # else these are the same answers
            parts.append((top.confidence, top.count, top.wrong, top.announced))
    return [Top(*part, *clopper_pearson(1 - part[2] / part[1], part[1], level)) for part in parts]


def tops_in_units(profile: ConfidenceProfile, level: float) -> list[Top]:
    """Compute the same for graded answers, and for answers in groups."""
    down = losses_from_the_top(profile, profile.confidence)
    announced = np.cumsum(profile.confidence_ranking.weight * (1 - profile.confidence_ranking.score))
    tops: list[Top] = []
    for cut in (0.0, *TOPS):
        at = _last_above(profile, cut)
        if at < 0 or (tops and round(down.weight[at]) == round(tops[-1].count)):
            continue
        lost, count = down[at : at + 1], float(down.weight[at])
        low, high = (float(end[0]) for end in lost.ends(level, bounded=True))
        tops.append(Top(cut, count, count * float(lost.mean[0]), float(announced[at]), 1 - high, 1 - low))
    return tops


def _last_above(profile: ConfidenceProfile, cuts: Any) -> Any:
    """Return the place of the last distinct confidence, from the top, that reaches a cut-off; -1 if none does."""
    return np.searchsorted(-profile.confidence_ranking.score, -(np.asarray(cuts) - _ROUNDING), side="right") - 1


def error_tail(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Compute the share of errors among answers of a confidence or more, at cut-offs that some answers reach."""
    ranking = profile.confidence_ranking
    weight, wrong = np.cumsum(ranking.weight), np.cumsum(ranking.errors)
    announced = np.cumsum(ranking.weight * (1 - ranking.score))
    cuts, size = np.array(_CUTS), _size_of_weight(profile)
    at = _last_above(profile, cuts)
    enough = (at >= 0) & ((np.append(weight, 0)[at] * size >= _FEWEST_SURE) | (cuts <= cuts[0]))
    cuts, at = cuts[enough], at[enough]
    share = wrong[at] / weight[at]
    if are_counts(profile):
        low, high = clopper_pearson(share, weight[at] * size, level)
    else:
        low, high = losses_from_the_top(profile, profile.confidence)[at].ends(level, bounded=True)
    columns = {"from": cuts, "answers": weight[at], "wrong": share, "low": low, "high": high}
    return pd.DataFrame({**columns, "announced": announced[at] / weight[at]})


def _size_of_weight(profile: ConfidenceProfile) -> float:
    """Return how many equal samples a weight of 1 stands for."""
    weight = profile.sample_weight
    return 1.0 if weight is None else float(weight.sum() / (weight**2).sum())
