"""Keep promises in slices, with one threshold for each slice and one probability that all promises hold."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf._core.warn import warn
from skconf.selective._cells import Slices
from skconf.selective._keep import Kept, keep
from skconf.selective._objective import Objective
from skconf.selective._promises import Promise
from skconf.selective._samples import Samples
from skconf.selective._thresholds import TunedThreshold
from skconf.selective._training import ONE_COUNTS, one_of_each, separate_stream

#: Name of the only slice if the user gave no slices.
_EVERYTHING = "all"


def keep_in_slices(
    rows: Samples,
    promises: Sequence[Promise],
    aim: Objective,
    slices: Slices,
    clusters: Codes | None,
    random_state: Any,
) -> TunedThreshold:
    """Choose the threshold of each slice; warn if everything is rejected in some slices.

    If there are clusters, the threshold of a slice is chosen on one random sample of each cluster. The seed is used to
    draw these samples, and to replace costs by random errors (see `_promises`).
    """
    rng = separate_stream(random_state)
    names = [_EVERYTHING] if slices.names is None else list(slices.names)
    _check_targets(promises, names)
    order = np.argsort(slices.codes, kind="stable")
    in_none, *members = np.split(order, np.searchsorted(slices.codes[order], np.arange(len(names))))
    if clusters is not None:
        members = [each[one_of_each(clusters[each], rng)] for each in members]
        in_none = in_none[one_of_each(clusters[in_none], rng)]
    if len(in_none):
        warn(
            f"{len(in_none):,} of {len(rows):,} samples are rejected: their slice is missing, so they have no "
            "threshold."
        )
    promised = [[promise.in_slice(name) for promise in promises] for name in names]
    enough = [0] if slices.names is None else _with_enough(members, promised, aim)
    share, of_one_more = (aim.share(count * len(promises)) for count in (max(len(enough), 1), len(enough) + 1))
    thresholds, table = np.full(len(names), np.inf), []
    for at, (name, each) in enumerate(zip(names, members, strict=True)):
        if at in enough:
            thresholds[at], kept = keep(rows[each], promised[at], share, aim, rng)
        else:
            kept = [_too_few(rows[each], promise, of_one_more) for promise in promised[at]]
        coverage = float(np.mean(rows.score[each] >= thresholds[at]) * slices.answered[at]) if len(each) else 0.0
        table += [
            (name, promise.risk, promise.label, promise.target, one.n_samples, thresholds[at], coverage, *one[1:])
            for promise, one in zip(promised[at], kept, strict=True)
        ]
    columns = ["slice", "risk", "class", "target", "n_samples", "threshold", "coverage", *Kept._fields[1:]]
    guarantees = pd.DataFrame(table, columns=columns)
    guarantees["class"] = pd.Series([label for _, _, label, *_ in table], dtype=object)
    seen = np.concatenate([*members, in_none])
    accepted = seen[rows.score[seen] >= np.append(thresholds, np.inf)[slices.codes[seen]]]
    whole = slices.names is None
    limits = guarantees.loc[guarantees["risk"] == "risk", "limit"]
    return TunedThreshold(
        threshold=float(thresholds[0]) if whole else np.nan,
        feasible=bool((thresholds < np.inf).any()),
        coverage=float(len(accepted) / max(len(seen), 1)) * float(slices.answered[-1]),
        risk=float(np.mean(~rows.correct[accepted])) if len(accepted) else np.nan,
        risk_upper_bound=float(limits.iloc[0]) if whole and len(limits) else np.nan,
        n_samples=len(seen) - len(in_none),
        reason=_why_rejected(guarantees, thresholds, whole=whole, what_counts="" if clusters is None else ONE_COUNTS),
        results={},
        thresholds=None if whole else pd.Series(thresholds, index=slices.names, name="threshold"),
        guarantees=guarantees,
    )


def placed(score: Floats, threshold: Floats) -> Floats:
    """Return scores that are at least 0.5 if a sample reaches its own threshold, and below 0.5 if not."""
    with np.errstate(invalid="ignore"):
        distance = np.where(np.isinf(threshold), 0.0, 0.5 + (score - threshold) / 2)
    accepted = score >= threshold
    return np.where(accepted, np.maximum(distance, 0.5), np.minimum(distance, np.nextafter(0.5, 0)))


def _why_rejected(guarantees: pd.DataFrame, thresholds: Floats, *, whole: bool, what_counts: str) -> str:
    """Warn if everything is rejected, in all or in some slices, and return the reason; "" otherwise."""
    rejected = guarantees.loc[~guarantees["shown"]]
    if not len(rejected):
        return ""
    shown = [_in_words(each, not whole) for each in rejected.itertuples(index=False)]
    more = f"; and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
    reason = f"{'; '.join(dict.fromkeys(shown[:_NAMED]))}{more}{what_counts}"
    n_rejected = int((thresholds == np.inf).sum())
    everything = whole or n_rejected == len(thresholds)
    what = (
        "Everything is"
        if everything
        else f"{n_rejected:,} of {len(thresholds):,} slices {'is' if n_rejected == 1 else 'are'}"
    )
    warn(f"{what} rejected: {reason}. See guarantees.")
    return reason


#: A warning names at most this many of the promises that are not kept.
_NAMED = 3


def _in_words(kept: Any, has_slices: bool) -> str:
    """Say which promise is not kept, in which slice, and why."""
    where = f"slice {kept.slice!r}, " if has_slices else ""
    whose = "" if kept[2] is None else f" of class {kept[2]!r}"
    return f"{where}{kept.risk}{whose} {kept.target:g}: {kept.reason or 'another promise is not kept'}"


def _check_targets(promises: Sequence[Promise], names: Sequence[Any]) -> None:
    """Raise if a target names a slice that does not exist."""
    for promise in promises:
        if isinstance(promise.target, Mapping):
            for name in promise.target:
                if name not in names:
                    close = suggest(str(name), [str(each) for each in names])
                    raise ValueError(f"target[{promise.risk!r}] names {name!r}, but there is no such slice.{close}")


def _with_enough(
    members: Sequence[NDArray[np.intp]], promised: Sequence[Sequence[Promise]], aim: Objective
) -> list[int]:
    """Return as many slices as possible that have enough samples for their share of the level. Labels are not used."""

    def spare(count: int) -> list[int]:
        share = aim.share(count * len(promised[0]))
        fewest = (max(each.fewest(share) for each in promises) for promises in promised)
        return [len(rows) - each for rows, each in zip(members, fewest, strict=True)]

    def suffice(count: int) -> bool:
        return sum(rest >= 0 for rest in spare(count)) >= count

    # The more slices share the level, the more samples each of them needs.
    count = bisect_left(range(1, len(members) + 1), True, key=lambda each: not suffice(each))
    if not count:
        return []
    enough = [at for at, rest in enumerate(spare(count)) if rest >= 0]
    left = spare(count + 1)  # a slice that is left out has too few samples for one more
    return sorted(sorted(enough, key=lambda at: -left[at])[:count])


def _too_few(rows: Samples, promise: Promise, share: float) -> Kept:
    """Return a promise with its result, for a slice that has too few samples for it or for another promise."""
    n_base = promise.n_base(rows)
    return Kept(n_base, np.nan, np.nan, False, promise.why_too_few(n_base, share))
