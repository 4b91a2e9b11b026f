"""Folds that depend on what rows hold, not on where they stand."""

from collections.abc import Iterator

import numpy as np

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats


def fold_weights(proba: Floats, codes: Codes, sample_weight: Floats, n_folds: int) -> Iterator[Floats]:
    """Yield for each fold how much of every sample's weight is held out in it.

    The weights of each class are laid end to end, ordered by the probability of the class, and dealt to the folds in
    turn, one unit at a time. So folds have the same mix of classes and scores; a weight of 3 is dealt as three rows
    are; and the order of rows and of classes plays no part. Weights that are all below one are dealt in units of the
    largest.
    """
    own = proba[np.arange(len(codes)), codes]
    by_size = np.argsort(np.argsort(sample_weight @ proba))  # the same columns in any order of the classes
    apart = (proba * np.sqrt(by_size + 2.0)).sum(axis=1)  # rows of the same sums are the same
    order = np.lexsort((apart, own, codes))
    unit = min(1.0, float(sample_weight.max()))
    ends = np.cumsum(sample_weight[order]) / unit
    first = np.append(True, np.diff(codes[order]) > 0)
    before = np.append(0.0, ends[:-1])[first]
    ends -= np.repeat(before, np.diff(np.flatnonzero(first), append=len(codes)))
    # Weights whole but for rounding are whole.
    whole = np.rint(ends)
    ends = np.where(np.abs(ends - whole) < 1e-9 * np.maximum(whole, 1), whole, ends)
    starts = np.where(first, 0.0, np.append(0.0, ends[:-1]))
    for fold in range(n_folds):
        dealt = np.empty(len(codes))
        dealt[order] = unit * (_dealt(ends, fold, n_folds) - _dealt(starts, fold, n_folds))
        dealt[dealt < 1e-9 * sample_weight] = 0.0
        yield np.minimum(dealt, sample_weight)


def _dealt(until: Floats, fold: int, n_folds: int) -> Floats:
    """Return how much a fold has got of the line until here."""
    rounds, rest = np.divmod(until, float(n_folds))  # of huge weights there are more folds than int64 counts
    return rounds + np.clip(rest - fold, 0.0, 1.0)
