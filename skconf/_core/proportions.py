"""Intervals of proportions and counts: Clopper and Pearson's, Wilson's, and the interval of a Poisson number."""

from typing import Any

import numpy as np
from scipy.special import betaincinv


def lower_limit(hits: Any, misses: Any, quantile: Any) -> Any:
    """Return the exact lower limits of the share of hits (Clopper and Pearson); 0 without hits.

    Counts may be arrays and fractions. The limit is above the true share with a probability of at most `quantile`.
    """
    with np.errstate(invalid="ignore"):
        return np.where(np.greater(hits, 0), betaincinv(hits, np.add(misses, 1), quantile), 0.0)[()]


def upper_limit(hits: Any, misses: Any, quantile: Any) -> Any:
    """Return the exact upper limits of the share of hits (Clopper and Pearson); 1 without misses.

    Counts may be arrays and fractions. The limit is below the true share with a probability of at most 1 − `quantile`.
    """
    with np.errstate(invalid="ignore"):
        return np.where(np.greater(misses, 0), betaincinv(np.add(hits, 1), misses, quantile), 1.0)[()]


def exact_interval(hits: Any, misses: Any, confidence_level: Any) -> tuple[Any, Any]:
    """Return Clopper and Pearson's intervals of the share of hits. Without any counts, it is [0, 1].

    Counts may be arrays and fractions, and the level an array.
    """
    tail = (1 - confidence_level) / 2
    return lower_limit(hits, misses, tail), upper_limit(hits, misses, 1 - tail)


def clopper_pearson(share: Any, size: Any, confidence_level: float) -> tuple[Any, Any]:
    """Return Clopper and Pearson's intervals of shares, each of `size` samples. Sizes may be fractions."""
    hits = np.multiply(share, size)
    return exact_interval(hits, np.subtract(size, hits), confidence_level)


def wilson(share: float, size: float, times: float) -> tuple[float, float]:
    """Return Wilson's interval of a share, within [0, 1]. Without samples, it is [0, 1].

    The number of samples may be a fraction. `times` is the normal quantile, such as 1.96 for 95%.
    """
    if size == 0:
        return 0.0, 1.0
    centre = share + times**2 / (2 * size)
    half = times * np.sqrt(share * (1 - share) / size + (times / (2 * size)) ** 2)
    low, high = ((centre + sign * half) / (1 + times**2 / size) for sign in (-1, 1))
    # For a share of 0 or 1, an end is exactly 0 or 1, where rounding would leave an error of 1e-17.
    return 0.0 if share == 0 else float(max(low, 0.0)), 1.0 if share == 1 else float(min(high, 1.0))


def looks_swapped(most_right: float, share: float) -> bool:
    """Return whether labels may be swapped: a model without information would give far more right answers.

    `most_right` is the upper end of the interval of the accuracy. `share` is the share of one of two classes, or of the
    most frequent class; NaN if it is unknown.
    """
    return most_right < 0.6 * min(share, 1 - share)
