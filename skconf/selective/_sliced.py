"""Keep promises in slices, with one threshold for each slice and one probability that all promises hold."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.messages import suggest
from skconf._core.probabilities import Floats
from skconf._core.warn import warn
from skconf.selective._cells import Cells
from skconf.selective._objective import Objective
from skconf.selective._promises import Charge, Kept, Promise, Samples, keep
from skconf.selective._thresholds import TunedThreshold
from skconf.selective._training import one_of_each, separate_stream

#: The one slice where there are none.
_EVERYTHING = "all"


def keep_in_slices(
    rows: Samples,
    promises: Sequence[Promise],
    aim: Objective,
    cells: Cells | None,
    codes: Codes,
    clusters: Codes | None,
    random_state: Any,
    answered: Floats,
) -> TunedThreshold:
    """Choose the threshold of each slice; warn if everything is rejected in some slices.

    Without `cells`, all samples are taken together. `codes` has the slice of each sample, -1 if it has none. If there
    are clusters, the threshold of a slice is chosen on a random sample from each cluster; the seed draws these samples,
    and tosses the coins of costs. `answered` is the share of these samples among all samples, in each slice and
    in total; the others abstain.
    """
    rng = separate_stream(random_state)
    names = [_EVERYTHING] if cells is None else list(cells.index)
    _check_targets(promises, names)
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(names) + 1))
    members = [order[start:stop] for start, stop in pairwise(bounds)]
    in_none = order[: bounds[0]]
    if clusters is not None:
        members = [each[one_of_each(clusters[each], rng)] for each in members]
        in_none = in_none[one_of_each(clusters[in_none], rng)]
    if len(in_none):
        warn(
            f"{len(in_none):,} of {len(rows):,} samples are rejected: their slice is missing, so they have no "
            "threshold."
        )
    enough = _with_enough(members, names, promises, aim, rows.charges) if cells is not None else [0]
    share = aim.share(max(len(enough), 1) * len(promises))
    given = None if aim.thresholds is None else np.asarray(aim.thresholds, dtype=np.float64)
    thresholds, table = np.full(len(names), np.inf), []
    for at, (name, each) in enumerate(zip(names, members, strict=True)):
        promised = [promise.in_slice(name) for promise in promises]
        if at in enough:
            thresholds[at], kept = keep(
                rows[each],
                promised,
                share,
                loosest=aim.name != "coverage",
                thresholds=given,
                spend=aim.spend,
                rng=rng,
            )
        else:
            of_one_more = aim.share((len(enough) + 1) * len(promises))
            kept = [_too_few(len(each), promise, of_one_more, rows.charges) for promise in promised]
        coverage = float(np.mean(rows.score[each] >= thresholds[at]) * answered[at]) if len(each) else 0.0
        table += [
            (name, promise.risk, promise.label, promise.target, one.n_samples, thresholds[at], coverage, *one[1:])
            for promise, one in zip(promised, kept, strict=True)
        ]
    columns = ["slice", "risk", "class", "target", "n_samples", "threshold", "coverage", *Kept._fields[1:]]
    guarantees = pd.DataFrame(table, columns=columns)
    guarantees["class"] = pd.Series([label for _, _, label, *_ in table], dtype=object)
    own = np.append(thresholds, np.inf)[codes]
    seen = np.concatenate([*members, in_none])
    return _tuned(rows, own, seen, len(seen) - len(in_none), guarantees, thresholds, cells, float(answered[-1]))


def placed(score: Floats, threshold: Floats) -> Floats:
    """Return scores that are at least 0.5 if a sample reaches its own threshold, and below 0.5 if not."""
    with np.errstate(invalid="ignore"):
        distance = np.where(np.isinf(threshold), 0.0, 0.5 + (score - threshold) / 2)
    accepted = score >= threshold
    return np.where(accepted, np.maximum(distance, 0.5), np.minimum(distance, np.nextafter(0.5, 0)))


def _tuned(
    rows: Samples,
    own: Floats,
    seen: NDArray[np.intp],
    n_chose: int,
    guarantees: pd.DataFrame,
    thresholds: Floats,
    cells: Cells | None,
    share_answered: float,
) -> TunedThreshold:
    """Return the result; warn if everything is rejected, or all samples of some slices."""
    accepted = (rows.score >= own)[seen]
    coverage = float(accepted.sum() / max(len(seen), 1)) * share_answered
    risk = float(np.mean(~rows.correct[seen][accepted])) if accepted.any() else np.nan
    rejected = guarantees.loc[~guarantees["shown"]]
    reason = ""
    if len(rejected):
        shown = [_in_words(each, cells is not None) for each in rejected.itertuples(index=False)]
        more = f"; and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
        reason = f"{'; '.join(dict.fromkeys(shown[:_NAMED]))}{more}"
        n_rejected = int(np.isinf(thresholds).sum())
        whole = cells is None or n_rejected == len(thresholds)
        what = "Everything is" if whole else f"{n_rejected:,} of {len(thresholds):,} slices are"
        warn(f"{what} rejected: {reason}. See guarantees.")
    of_risk = guarantees.loc[guarantees["risk"] == "risk", "limit"]
    return TunedThreshold(
        threshold=float(thresholds[0]) if cells is None else np.nan,
        feasible=bool(np.isfinite(thresholds).any() or (thresholds == -np.inf).any()),
        coverage=coverage,
        risk=risk,
        risk_upper_bound=float(of_risk.iloc[0]) if cells is None and len(of_risk) else np.nan,
        n_samples=n_chose,
        reason=reason,
        results={},
        thresholds=None if cells is None else pd.Series(thresholds, index=cells.index, name="threshold"),
        guarantees=guarantees,
    )


#: Promises that were not kept which a warning names.
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
    members: Sequence[NDArray[np.intp]],
    names: Sequence[Any],
    promises: Sequence[Promise],
    aim: Objective,
    charges: Mapping[str, Charge],
) -> list[int]:
    """Return the slices that have enough samples for their share of the level. Labels are not used."""
    sizes = np.array([len(each) for each in members])
    order = np.argsort(-sizes, kind="stable").tolist()
    for count in range(len(order), 0, -1):
        share = aim.share(count * len(promises))
        needed = (
            max(promise.in_slice(names[at]).fewest(share, charges) for promise in promises) for at in order[:count]
        )
        if all(size >= fewest for size, fewest in zip(sizes[order[:count]], needed, strict=True)):
            return sorted(order[:count])
    return []


def _too_few(n_rows: int, promise: Promise, share: float, charges: Mapping[str, Charge]) -> Kept:
    """Return a promise with its result, for a slice that has too few samples."""
    fewest, rows = promise.fewest(share, charges), f"{n_rows:,} {'sample' if n_rows == 1 else 'samples'}"
    return Kept(n_rows, np.nan, np.nan, False, f"{rows}; at least {fewest:,} samples without an error are needed")
