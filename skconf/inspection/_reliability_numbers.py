"""The numbers of a reliability diagram: bins, averages, and a curve without bins with its band."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.isotonic import isotonic_regression

from skconf._core.bins import equal_mass_bin, equal_width_bin
from skconf._core.inputs import position_of
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.proportions import exact_interval
from skconf.inspection._scales import NEAREST
from skconf.metrics._base.columns import levels
from skconf.metrics._base.stratified_shares import StratifiedShares
from skconf.profile import ConfidenceProfile

#: The title of a tail view covers predictions with at least one of these confidences: the first that any of them reach.
_TOPS = (0.99, 0.9)

#: Most cells of the band without bins, and their number divided by the cube root of the number of samples.
_MOST_CELLS, _CELLS = 50, 2.0

#: Mean confidence, accuracy and the ends of its interval, and the least confidence of the predictions.
Overall = tuple[float, float, float, float, float]


class Points(NamedTuple):
    """Points of a curve: for each bin that is not empty, or for each distinct confidence.

    `low` and `high` are the limits of the accuracy. `number` is the position of the bin; None for a curve without bins.
    """

    confidence: Floats
    accuracy: Floats
    low: Floats
    high: Floats
    weight: Floats
    number: Codes | None


def of_class(profile: ConfidenceProfile, label: object) -> ConfidenceProfile:
    """Return a profile of one class: the confidence is its probability, and a row is right if it is the true class."""
    at = position_of(profile.require("classes"), label)
    is_true = profile.require("true_class") == at
    weight, groups = profile.sample_weight, profile.groups
    own = ConfidenceProfile.from_correctness(is_true, profile.proba[:, at], sample_weight=weight, groups=groups)
    return replace(own, strata=profile.strata)


def binned(profile: ConfidenceProfile, view: str, n_bins: int, strategy: str, level: float) -> Points:
    """Return a point for each bin that is not empty, with an exact interval of its accuracy."""
    if view == "tail":
        return _points(profile, _tail_bin(profile.confidence), level)
    points = _points(profile, _bin(profile, n_bins, strategy), level)
    # A tie may fill several bins of equal mass, which is not a gap.
    return points._replace(number=np.arange(len(points.weight))) if strategy == "quantile" else points


def _points(profile: ConfidenceProfile, bins: Codes, level: float) -> Points:
    """Return a point for each bin that is not empty, given the bin of each prediction."""
    w = _weight(profile)
    right, wrong, squares, promised = (
        np.bincount(bins, values).astype(np.float64)
        for values in (w * profile.correctness, w * profile.loss, w * w, w * profile.confidence)
    )
    if profile.groups is not None:
        squares = _squares_of_groups(bins, profile.groups, w)
    kept = right + wrong > 0
    right, wrong, squares, promised = (sums[kept] for sums in (right, wrong, squares, promised))
    weight = right + wrong
    unit = squares / weight  # weight of each of the effective number of predictions
    low, high = exact_interval(right / unit, wrong / unit, level)
    stratified = StratifiedShares.of_parts(profile, bins, len(kept))
    if stratified is not None:
        low, high = (1 - end for end in reversed(stratified[kept].ends(level)))
    return Points(promised / weight, right / weight, low, high, weight, np.flatnonzero(kept))


def binless(profile: ConfidenceProfile, level: float) -> Points:
    """Return a point for each distinct confidence: the isotonic fit of the accuracy, and its band.

    Assume that the accuracy never falls when the confidence rises. In order of confidence, predictions are divided into
    cells of equal weight. A window is a run of neighbouring cells. Its mean accuracy is at most the accuracy at its
    upper end, and at least the accuracy at its lower end. The band combines the exact limits of all windows, at a level
    adjusted for their number. So the band holds at all confidences at the same time, for any number of samples.
    """
    if profile.groups is not None or profile.strata is not None:
        raise ValueError(
            'strategy="binless" cannot be used with groups or a prevalence, because its band assumes independent '
            'answers. Choose strategy="quantile".'
        )
    sure, level_of = np.unique(profile.confidence, return_inverse=True)
    w = _weight(profile)
    weight, right, squares = (
        np.bincount(level_of, each).astype(np.float64) for each in (w, w * profile.correctness, w * w)
    )
    kept = weight > 0
    sure, weight, right, squares = sure[kept], weight[kept], right[kept], squares[kept]
    fit = isotonic_regression(right / weight, sample_weight=weight, y_min=0.0, y_max=1.0)
    n_cells = int(min(_MOST_CELLS, max(_CELLS * np.cbrt(weight.sum() ** 2 / squares.sum()), 1)))
    cell = np.unique(equal_mass_bin(weight, n_cells), return_inverse=True)[1]
    of_cells = (np.bincount(cell, each).astype(np.float64) for each in (weight, right, squares))
    lower, upper = _limits(*of_cells, level=level)
    # A window ends below or at a confidence, and begins above or at it.
    is_last, is_first = np.diff(cell, append=cell[-1] + 1) > 0, np.diff(cell, prepend=-1) > 0
    low, high = np.append(lower, 0.0)[cell - ~is_last], np.append(upper, 1.0)[cell + ~is_first]
    return Points(sure, fit, low, high, weight, None)


def _limits(weight: Floats, right: Floats, squares: Floats, *, level: float) -> tuple[Floats, Floats]:
    """Return the lower and the upper limit of the accuracy in each cell.

    The lower limit is the largest lower limit of all windows that end in this cell or before it. The upper limit is the
    smallest upper limit of all windows that begin in this cell or after it.
    """
    total, hits, square = (np.append(0.0, np.cumsum(each)) for each in (weight, right, squares))
    first, last = np.triu_indices(len(weight))
    n, k, q = (each[last + 1] - each[first] for each in (total, hits, square))
    share, size = np.clip(k / n, 0.0, 1.0), n**2 / q
    low, high = exact_interval(share * size, (1 - share) * size, 1 - (1 - level) / len(n))
    lower, upper = np.zeros(len(weight)), np.ones(len(weight))
    np.maximum.at(lower, last, low)
    np.minimum.at(upper, first, high)
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]


def overall(profile: ConfidenceProfile, view: str, level: float) -> Overall:
    """Return the mean confidence, the accuracy and the ends of its interval, and which predictions they are about.

    The last value is a confidence: predictions of this confidence or a higher one are included.
    """
    least, weight = 0.0, _weight(profile)
    if view == "tail":
        least = next((each for each in _TOPS if weight[profile.confidence >= each].any()), 0.0)
    # The first of two bins has these predictions.
    points = _points(profile, (profile.confidence < least).astype(np.intp), level)
    sure, right, low, high = (float(each[0]) for each in (points.confidence, points.accuracy, points.low, points.high))
    return sure, right, low, high, least


def _weight(profile: ConfidenceProfile) -> Floats:
    """Return the weight of each prediction, which is 1 without weights."""
    return np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight


def _bin(profile: ConfidenceProfile, n_bins: int, strategy: str) -> Codes:
    """Return the bin of each prediction, as in the expected calibration error."""
    if strategy == "uniform":
        return equal_width_bin(profile.confidence, n_bins)
    distinct = levels(profile)
    # Samples of weight zero may be in any bin.
    level = np.searchsorted(distinct.confidence, profile.confidence).clip(max=len(distinct.confidence) - 1)
    return equal_mass_bin(distinct.weight, n_bins)[level]


def _squares_of_groups(bins: Codes, groups: Codes, weight: Floats) -> Floats:
    """Return Σ w² of each bin. A group is one term, with its weight in the bin: its answers depend on each other."""
    pairs, code = np.unique(bins * (groups.max() + 1) + groups, return_inverse=True)
    return np.bincount(pairs // (groups.max() + 1), np.bincount(code, weight) ** 2).astype(np.float64)


def _tail_bin(confidence: Floats) -> Codes:
    """Return the bin of each confidence. A bin covers half a power of ten of 1 − confidence, such as 0.01 to 0.032."""
    distance = np.maximum(1 - confidence, NEAREST)
    return np.floor(-2 * np.log10(distance) + 1e-7).astype(np.intp)  # up to rounding: 1 − 0.9 is not 0.1
