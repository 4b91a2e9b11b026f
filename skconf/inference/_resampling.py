"""Statistics of many resamples, computed from the counts of each sample, without copies of the predictions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from skconf._core.checks import check_whole
from skconf._core.probabilities import Floats, row_blocks
from skconf._core.progress import progress as progress_bar
from skconf._core.ranking import Ranking
from skconf.inference._sampling import Counts, joined
from skconf.metrics._base.kinds import Additive, Ranked, Sums, Term, merge
from skconf.metrics._base.one_vs_rest import RankedByClass, column_of
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: Most resamples that are computed together, and the most counts and factors of weights (floats) that they may have.
_MOST_DRAWS, _MOST_COUNTS, _MOST_FACTORS = 64, 1 << 26, 1 << 23
#: Most weights that are ranked together, so that they stay in the processor's cache.
_MOST_SORTED = 1 << 16

#: The documentation of the parameters of resampling.
DRAWS = """\
random_state : int, Generator or None, default=None
    Seed of the resamples.
n_jobs : int, default=None
    Number of parallel jobs for the resamples, as in joblib; -1 uses all cores. It does not change the result.
progress : bool, default=False
    Show a progress bar of the resampling, on stderr."""

Draw = Callable[[int, np.random.Generator], Counts]


def read_resampling(n_resamples: Any, random_state: Any, n_jobs: Any, progress: bool = False) -> dict[str, Any]:
    """Check the parameters of resampling, and return them."""
    check_whole(n_resamples, "n_resamples", 2)
    if not (random_state is None or isinstance(random_state, Integral | np.random.Generator)):
        raise TypeError(
            "random_state must be None, a whole number or a numpy.random.Generator, but is "
            f"{type(random_state).__name__}."
        )
    return {"n_resamples": n_resamples, "random_state": random_state, "n_jobs": n_jobs, "progress": progress}


def replicate(
    draw: Draw,
    profiles: Sequence[ConfidenceProfile],
    statistics: Sequence[Statistic],
    n_resamples: int,
    *,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    beside: ConfidenceProfile | None = None,
) -> Floats:
    """Return the statistics of resampled predictions, the same for any number of jobs; NaN where undefined.

    `draw` returns a row for each resample: whole counts of the samples, or factors of their weights as floats. All
    models predict the same samples, and share the resamples. `beside` holds further answers, which are added to each
    resample. It is allowed only with a single profile; the last factors in each row of `draw` are then those of the
    added answers. The shape is (n_resamples, n_profiles, n_statistics). If `draw` returns k rows for each resample, the
    result has k rows for each resample, too. With `progress`, a bar is shown on standard error.
    """
    most = _MOST_COUNTS if beside is None else _MOST_FACTORS
    size = max(1, min(_MOST_DRAWS, most // len(profiles[0])))
    sizes = [min(size, n_resamples - start) for start in range(0, n_resamples, size)]
    rngs = np.random.default_rng(random_state).spawn(len(sizes))
    with progress_bar("resampling", n_resamples, unit="", quiet=not progress) as bar:

        def jobs() -> Iterator[Any]:
            for some, rng in zip(sizes, rngs, strict=True):
                yield delayed(_replicate)(draw, profiles, statistics, some, rng, beside)
                bar.update(some)

        return np.concatenate(Parallel(n_jobs=n_jobs)(jobs()))


def _replicate(
    draw: Draw,
    profiles: Sequence[ConfidenceProfile],
    statistics: Sequence[Statistic],
    n_resamples: int,
    rng: np.random.Generator,
    beside: ConfidenceProfile | None,
) -> Floats:
    counts = draw(n_resamples, rng)
    with np.errstate(all="ignore"):  # what is undefined in a resample is counted by the caller
        return np.stack([_evaluate(profile, statistics, counts, beside) for profile in profiles], axis=1)


def _evaluate(
    profile: ConfidenceProfile,
    statistics: Sequence[Statistic],
    counts: Counts,
    beside: ConfidenceProfile | None,
) -> Floats:
    """Return every statistic under each row of counts."""
    scores = np.empty((len(counts), len(statistics)))
    alike: dict[Any, list[int]] = {}  # statistics with another positive class need other predictions
    for i, statistic in enumerate(statistics):
        alike.setdefault((statistic.pos_label, len(statistic.on(profile))), []).append(i)
    for positions in alike.values():
        on = statistics[positions[0]].on
        metrics, seen = [statistics[i].metric for i in positions], on(profile)
        drawn = counts  # counts of the rows that the statistics use, or of all rows
        if seen.abstained is not None and beside is None and counts.shape[1] == seen.n_rows:
            drawn = counts[:, ~seen.abstained.rows]
        values = _values(seen, metrics, drawn, None if beside is None else on(beside))
        for i, column in zip(positions, values.T, strict=True):
            scores[:, i] = statistics[i].score(column)
    return scores


def _values(
    profile: ConfidenceProfile, metrics: Sequence[Any], counts: Counts, beside: ConfidenceProfile | None
) -> Floats:
    """Return every metric under each row of counts."""
    values = np.empty((len(counts), len(metrics)))
    additive = [i for i, metric in enumerate(metrics) if isinstance(metric, Additive)]
    ranked = [i for i, metric in enumerate(metrics) if isinstance(metric, Ranked)]
    by_class = [i for i, metric in enumerate(metrics) if isinstance(metric, RankedByClass)]
    others = [i for i, metric in enumerate(metrics) if not isinstance(metric, Additive | Ranked | RankedByClass)]
    parts = [profile] if beside is None else [profile, beside]
    if additive:
        summed = [metrics[i] for i in additive]
        totals = resampled_sums(summed, profile, counts[:, : len(profile)])
        if beside is not None:  # the sums are added, so that no probabilities are copied
            more = resampled_sums(summed, beside, counts[:, len(profile) :])
            totals = [merge(sums, others) for sums, others in zip(totals, more, strict=True)]
        for i, sums in zip(additive, totals, strict=True):
            values[:, i] = metrics[i].combine(*sums)
    if ranked:
        values[:, ranked] = _of_rankings([metrics[i] for i in ranked], parts, counts)
    for i in by_class:
        values[:, i] = _of_class_rankings(metrics[i], parts, counts)
    if others:
        everything = profile if beside is None else joined(profile, beside)
        for row, times in enumerate(counts):
            repeated = _times(everything, times)
            values[row, others] = [metrics[i].value(repeated) for i in others]
    return values


def _of_rankings(metrics: Sequence[Ranked], parts: Sequence[ConfidenceProfile], counts: Counts) -> Floats:
    """Return metrics that rank the samples of all parts together, for each row of counts.

    Metrics with the same ranking share it.
    """
    values = np.empty((len(counts), len(metrics)))
    by_score = not all(part.ranks_by_confidence for part in parts)
    keys = [
        (metric.reads_score and by_score, metric.reads_levels, i if metric.own_losses else None)
        for i, metric in enumerate(metrics)
    ]
    sorts = {key: _Sort.of(metric, parts) for key, metric in zip(keys, metrics, strict=True)}
    for rows, times in _few_draws(counts):
        rankings = {key: sort.ranking(times) for key, sort in sorts.items()}
        for i, (key, metric) in enumerate(zip(keys, metrics, strict=True)):
            values[rows, i] = metric.of_ranking(rankings[key])
    return values


def _of_class_rankings(metric: RankedByClass, parts: Sequence[ConfidenceProfile], counts: Counts) -> Floats:
    """Return a metric that ranks the samples by the probability of each class, for each row of counts."""
    weight, codes = np.concatenate([metric.weight(part) for part in parts]), metric.classes_read(parts[0])
    values, support = np.empty((2, len(counts), len(codes)))
    for i, code in enumerate(codes):
        score = np.concatenate([column_of(part, code) for part in parts])
        present = np.concatenate([part.require("true_class") == code for part in parts])
        sort = _Sort(score, present, weight)
        for rows, times in _few_draws(counts):
            values[rows, i], support[rows, i] = metric.of_ranking(sort.ranking(times))
    return metric.of_classes(values, support)


def _few_draws(counts: Counts) -> Iterator[tuple[slice, Floats]]:
    """Yield, for as many rows of counts as fit into the cache, their slice, and the counts as columns of floats."""
    for rows in row_blocks(len(counts), step=max(1, _MOST_SORTED // counts.shape[1])):
        yield rows, counts[rows].T.astype(np.float64, order="C")


def _times(profile: ConfidenceProfile, times: Counts) -> ConfidenceProfile:
    """Return each prediction `times` times; if `times` are floats, multiply the weights by them instead."""
    if np.issubdtype(times.dtype, np.integer):
        return profile[np.repeat(np.arange(len(profile)), times)]
    weight = times if profile.sample_weight is None else times * profile.sample_weight
    return replace(profile, sample_weight=weight)


def resampled_sums(metrics: Sequence[Additive], profile: ConfidenceProfile, counts: Counts) -> list[Sums]:
    """Return the sums of every metric in one pass over the profile. The first axis is over the rows of counts."""
    total: list[NDArray[Any]] = []
    for rows, block in profile.blocks():
        terms = [metric.terms(block) for metric in metrics]
        counted = _count([term for several in terms for term in several], block.sample_weight, counts[:, rows])
        total = [a + b for a, b in zip(total, counted, strict=True)] if total else counted
    sums = iter(total)
    return [tuple(next(sums) for _ in several) for several in terms]


def _count(terms: Sequence[Term], sample_weight: Floats | None, counts: Counts) -> list[NDArray[Any]]:
    """Return the sums of the terms for each row of counts. One matrix product sums all terms without cells."""
    n_draws, n_samples = counts.shape
    weighted = [np.asarray(term.weighted(sample_weight), dtype=np.float64) for term in terms]
    rows = [np.broadcast_to(values.T, (*values.shape[1:], n_samples)) for values in weighted]
    plain = [np.atleast_2d(row) for row, term in zip(rows, terms, strict=True) if term.cells is None]
    joint = np.vstack([np.empty((0, n_samples)), *plain])
    ends = np.arange(n_samples + 1)
    cells = [
        sparse.csc_array((np.ascontiguousarray(row), term.cells.codes, ends), (term.cells.n, n_samples))
        for row, term in zip(rows, terms, strict=True)
        if term.cells is not None
    ]
    products, by_cell = np.zeros((n_draws, len(joint))), [np.zeros((cell.shape[0], n_draws)) for cell in cells]
    for part in row_blocks(n_samples, n_draws):
        products += counts[:, part].astype(np.float64, copy=False) @ joint[:, part].T
        times = counts[:, part].T.astype(np.float64, order="C") if cells else None
        for sums, cell in zip(by_cell, cells, strict=True):
            sums += cell[:, part] @ times
    pieces = iter(np.split(products, np.cumsum([len(row) for row in plain])[:-1], axis=1))
    sums_by_cell = iter(by_cell)
    return [
        next(pieces).reshape(n_draws, *values.shape[1:]) if term.cells is None else next(sums_by_cell).T
        for term, values in zip(terms, weighted, strict=True)
    ]


class _Sort:
    """Samples in the order of their scores, sorted once for all draws of their weights.

    For each level of the score, the product of one sparse matrix with the draws sums the weights of the samples of the
    level. Another one sums their losses.
    """

    def __init__(self, score: Floats, lost: NDArray[Any], weight: Floats, every_level: bool = False) -> None:
        order = np.argsort(-score)
        score, lost = score[order], lost[order]
        starts = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
        if not every_level:  # a run of scores without errors is one level
            some = np.logical_or.reduceat(lost != 0, starts)
            starts = starts[some | np.append(True, some[:-1])]
        self._score = score[starts]
        place, shape = (order, np.append(starts, len(score))), (len(starts), len(score))
        self._weight = sparse.csr_array((weight[order], *place), shape)
        self._lost = sparse.csr_array((weight[order] * lost, *place), shape, copy=True)
        self._lost.eliminate_zeros()

    @classmethod
    def of(cls, metric: Ranked, parts: Sequence[ConfidenceProfile]) -> "_Sort":
        """Sort the samples of all parts by the score that a metric reads."""
        columns = [
            (
                part.score if metric.reads_score else part.confidence,
                metric.losses_of(part),
                np.ones(len(part)) if part.sample_weight is None else part.sample_weight,
            )
            for part in parts
        ]
        score, lost, weight = map(np.concatenate, zip(*columns, strict=True))
        return cls(score, lost, weight, metric.reads_levels)

    def ranking(self, times: Floats) -> Ranking:
        """Return the ranking of the samples, with weights multiplied by the factors in each column of `times`."""
        return Ranking(self._score, (self._weight @ times).T, (self._lost @ times).T)
