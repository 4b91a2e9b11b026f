"""Find the threshold that keeps all promises, with one probability that all of them hold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from skconf._core.proportions import lower_limit, upper_limit
from skconf.selective._objective import Objective
from skconf.selective._promises import TOSSES, Coverage, ErrorRate, Flags, Promise, Search
from skconf.selective._samples import Samples
from skconf.selective._thresholds import below_all


class Kept(NamedTuple):
    """A promise, and whether it is kept.

    Attributes
    ----------
    n_samples : int
        Number of samples that the promise is about. For the risk or the coverage, these are all samples.
    observed, limit : float
        `observed` is the rate or the mean at the threshold. `limit` is the exact one-sided limit of a rate; for a mean,
        it is NaN. Both are NaN if there is no sample to compute them from.
    shown : bool
        Whether the threshold keeps the promise.
    reason : str
        The reason why the promise is not kept.
    """

    n_samples: int
    observed: float
    limit: float
    shown: bool
    reason: str


def keep(
    rows: Samples, promises: Sequence[Promise], share: float, aim: Objective, rng: np.random.Generator
) -> tuple[float, list[Kept]]:
    """Return the threshold that keeps all promises, or infinity if no threshold does, and the result of each promise.

    Each promise may be false with a probability of `share`. With the objective "coverage", as few samples are accepted
    as the promises allow; with any other objective, as many as they allow. If the objective has no thresholds, the
    scores are the thresholds to choose from. If there are costs, `rng` draws the random numbers that replace each cost
    by right or wrong.
    """
    ranked, free = rows[np.argsort(-rows.score, kind="stable")], aim.thresholds is None
    thresholds = np.unique(rows.score if free else np.asarray(aim.thresholds, dtype=np.float64))[::-1]
    accepted = len(rows) - np.searchsorted(ranked.score[::-1], thresholds, side="left")
    thresholds, accepted = thresholds[accepted > 0], accepted[accepted > 0]
    coins = rng.random((TOSSES, len(rows))) if rows.costs else np.empty((0, 0))
    search = Search(ranked, promises, share, thresholds, accepted, free, aim.spend, coins)
    shown_by = [each.shown(search) for each in promises]
    possible = np.flatnonzero(np.logical_and.reduce(shown_by))
    if not len(possible):
        why = ["" if shown.any() else each.why_not(search) for each, shown in zip(promises, shown_by, strict=True)]
        if not any(why):
            why[0] = _conflict(search, shown_by)
        return np.inf, [_kept(search, each, 0, np.inf, reason) for each, reason in zip(promises, why, strict=True)]
    best = possible[0 if aim.name == "coverage" else -1]
    count, threshold = int(accepted[best]), float(thresholds[best])
    kept = [_kept(search, each, count, threshold) for each in promises]
    # If every sample is accepted, accept lower scores of new samples, too. CWSA depends on the threshold itself, so its
    # threshold stays.
    if count == len(rows) and free and not any(each.moves for each in promises):
        return below_all(ranked.score), kept
    return threshold, kept


def _kept(search: Search, promise: Promise, count: int, threshold: float, reason: str = "") -> Kept:
    """Return a promise with its result if `count` samples are accepted. A `count` of 0 means that it is not kept."""
    return Kept(promise.n_base(search.ranked), *promise.measured(search, count, threshold), count > 0, reason)


def _conflict(search: Search, shown_by: Sequence[Flags]) -> str:
    """Say which coverage each promise allows or needs, and whether another score could keep all promises."""
    n_rows, wrong = len(search.ranked), ~search.ranked.correct
    parts, floors = [], []
    for promise, shown in zip(search.promises, shown_by, strict=True):
        if promise.moves:  # kept at some thresholds, with gaps between them
            continue
        count = int(search.accepted[np.flatnonzero(shown)[0 if promise.is_floor else -1]])
        name = f"{promise.risk}{'' if promise.label is None else f' of class {promise.label!r}'} {promise.target:g}"
        if promise.is_floor:
            floors.append(count)
        parts.append(f"{name} {'needs at least' if promise.is_floor else 'allows at most'} {count / n_rows:.1%}")
    text = "no threshold keeps all promises together"
    if parts:
        text += f": of {n_rows:,} samples, {' and '.join(parts)}"
    risk, coverage = (
        next((each.target for each in search.promises if isinstance(each, kind)), None)
        for kind in (ErrorRate, Coverage)
    )
    if risk is None or not floors:
        return text
    count = max(floors)
    errors = int(wrong[:count].sum())
    limit = upper_limit(errors, count - errors, 1 - search.share)
    text += (
        f"; at the threshold that accepts {count / n_rows:.1%}, {errors:,} of {count:,} accepted samples are wrong, "
        f"and the upper limit of the risk is {limit:.3g}"
    )
    # Let m be the share of samples that are errors, and q the share that is rejected. At a risk of at most r, at most r
    # (1 - q) are accepted errors. The other errors are rejected: m - r (1 - q) <= q.
    least = (lower_limit(int(wrong.sum()), int((~wrong).sum()), search.share) - risk) / (1 - risk) if risk < 1 else 0.0
    if coverage is not None and least > 1 - coverage:
        text += (
            ". No other score could keep all promises: these samples have so many errors that, to reach a risk of "
            f"{risk:g}, at least {least:.1%} of the samples must be rejected, more than a coverage of {coverage:g} "
            "allows"
        )
    return text
