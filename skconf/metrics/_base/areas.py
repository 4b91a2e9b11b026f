"""Areas under ROC curves of one class, and the sort that they need."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.kinds import divide


def area(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Return the area under the ROC curve (NaN without positives or negatives) and the weight of the positives.

    The score is the probability of a class, and `present` says whether a sample is of the class. A pair of a positive
    and a negative counts by the product of their weights.
    """
    support = float(weight[present].sum())
    if support == 0:
        return np.nan, 0.0
    if 8 * np.count_nonzero(present) > len(score):
        _, above, below = by_score(score, present, weight)
        beaten = below.cumsum()
        won = float((above * (beaten - below / 2)).sum())  # no dot product: it would start threads
        rest = float(beaten[-1])
    else:
        won, rest = _won_by_few(score, present, weight)
    share = divide(won / support, rest, np.nan)
    return float(np.clip(share, 0.0, 1.0)), support  # rounding may exceed these bounds


def area_of_ranking(ranking: Ranking) -> tuple[Any, Any]:
    """Return the area and the weight of the positives, as :func:`area` does, for each draw of the weights.

    `ranking` holds the positives in the place of errors.
    """
    support, rest = ranking.total_errors, ranking.total_right
    share = divide(ranking.discordant_weight(), support * rest, np.nan)
    return np.clip(share, 0.0, 1.0), support


def area_influence(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> Floats:
    """Return the first-order effect of each sample on the area, from the share of its pairs that the positive wins."""
    levels, above, below = by_score(score, present, weight)
    support, rest = above.sum(), below.sum()
    beaten = (below.cumsum() - below / 2) / rest
    lost_to = (support - above.cumsum() + above / 2) / support
    found = (above * beaten).sum() / support
    at = np.searchsorted(levels, score)
    return weight * np.where(present, (beaten[at] - found) / support, (lost_to[at] - found) / rest)


def _won_by_few(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[float, float]:
    """Return the weight of the pairs that positives win, and of all negatives. It is fast if positives are rare."""
    order, ordered = ascending(score)
    below = np.append(0.0, np.where(present, 0.0, weight)[order].cumsum())
    mine = np.flatnonzero(present[order])
    first = np.searchsorted(ordered, ordered[mine], side="left")
    last = np.searchsorted(ordered, ordered[mine], side="right")
    # A positive beats the negatives at lower scores, and half of the negatives at its own score.
    won = (weight[order[mine]] * (below[first] + below[last])).sum() / 2
    return float(won), float(below[-1])


def by_score(score: NDArray[Any], present: NDArray[np.bool_], weight: Floats) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the distinct scores in ascending order, and the weight of positives and of negatives at each."""
    order, ordered = ascending(score)
    below = weight[order]
    above = below * present[order]
    below -= above
    first = ordered[1:] != ordered[:-1]
    if not first.all():
        starts = np.flatnonzero(np.append(True, first))
        ordered, above, below = ordered[starts], np.add.reduceat(above, starts), np.add.reduceat(below, starts)
    return ordered, above, below


def ascending(score: NDArray[Any]) -> tuple[Codes, NDArray[Any]]:
    """Return the order that sorts probabilities, and the sorted probabilities.

    The bits of non-negative floats have the same order as the floats. 16 bits at a time are sorted in linear time. Only
    the first 32 bits of a float64 are sorted; afterwards, ties in these bits are corrected.
    """
    if len(score) < 2 or not (score.min() >= 0 and score.max() < 2):
        order = np.argsort(score)
        return order, score[order]
    if score.dtype == np.float64:  # below 2 the first two bits are zero; adding 0 makes −0 a 0
        bits = ((score + 0.0).view(np.uint64) >> np.uint64(30)).astype(np.uint32)
    else:
        bits = (score.astype(np.float32, copy=False) + np.float32(0)).view(np.uint32)
    order = np.argsort(bits.astype(np.uint16), kind="stable")
    order = order[np.argsort((bits >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    ordered = score[order]
    if (ordered[1:] < ordered[:-1]).any():
        alike = bits[order][1:] == bits[order][:-1]
        unsure = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        repair = unsure[np.argsort(ordered[unsure])]
        order[unsure], ordered[unsure] = order[repair], ordered[repair]
    return order, ordered
