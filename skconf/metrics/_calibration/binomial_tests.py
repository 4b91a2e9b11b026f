"""Test-based calibration error: the share of predictions whose confidence a test rejects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln

from skconf._core.bins import equal_mass_bin
from skconf._core.checks import check_number, check_option, check_whole
from skconf._core.labels import Codes
from skconf._core.probabilities import SMALLEST, Floats
from skconf._core.proportions import lower_limit, upper_limit
from skconf.metrics._base.columns import Levels, levels
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.references import TCE
from skconf.metrics._base.registry import WeightMeaning
from skconf.profile import ConfidenceProfile

#: Probabilities this much larger still count as no larger, as in scipy.stats.binomtest.
_MINLIKE = 1e-7
_MARGIN = 1e-9


class CalibrationErrorByTests(
    Whole,
    name="tce_error",
    rests_on="errors",
    bounds=(0.0, 100.0),
    best=0.0,
    reference=TCE,
    scorers="tce",
):
    """Test-based calibration error (TCE): the percentage of confidences that are rejected by a test in their bin.

    A two-sided exact binomial test compares every confidence with the number of right predictions in its bin. It
    rejects the confidence if p <= alpha. Then TCE = 100 × rejected / n, with n samples. For a calibrated classifier,
    few confidences are rejected. If bins hold few samples, the tests have little power: few confidences are rejected,
    even for a miscalibrated classifier.

    {predictions}
    strategy : {"pavabc", "quantile"}, default="pavabc"
        How bins are made. "pavabc" is isotonic regression with bounds on the size of a bin. The n_min samples of
        highest confidence are set aside until the end. Each of the other confidences, in ascending order, starts a new
        bin. The last two bins merge if they have at most n_min samples together. They also merge if two conditions
        hold: they have at most n_max samples together, and the accuracy of the last bin is not above the accuracy of
        the bin before it. This is repeated as long as bins merge. At the end, the n_min samples that were set aside are
        added to the last bin if 2 n_min <= n_max; else they are a bin of their own. "quantile" makes bins of equal
        mass.
    n_min, n_max : int, default=10 and 1000
        Bounds on the size of a bin for "pavabc". The experiments of the paper use n / 20 and n / 5.
    n_bins : int, default=10
        Number of bins for "quantile".
    alpha : float, default=0.05
        Level of the tests.

    Returns
    -------
    float
        {facts}

    {raises} If there are sample weights, because the test counts samples.

    Notes
    -----
    Samples with the same confidence are always in the same bin, so a bin may be larger than n_max. The authors' code
    adds tied confidences one by one, so its result depends on the order of the rows.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import tce_error
    >>> tce_error([1] * 18 + [0] * 12, [0.9] * 15 + [0.6] * 15)
    50.0
    """

    draws_answers = True
    weight_meaning = WeightMeaning.REFUSED

    strategy: str = "pavabc"
    n_min: int = 10
    n_max: int = 1000
    n_bins: int = 10
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_option(self.strategy, "strategy", ("pavabc", "quantile"))
        check_whole(self.n_min, "n_min", 0)
        check_whole(self.n_max, "n_max", max(self.n_min, 1))
        check_whole(self.n_bins, "n_bins")
        check_number(self.alpha, "alpha", 0.0, 1.0)

    def value(self, profile: ConfidenceProfile) -> float:
        self.refuse_weights(profile)
        points = levels(profile)
        cell = (
            equal_mass_bin(points.weight, self.n_bins)
            if self.strategy == "quantile"
            else bounded_isotonic_bin(points, self.n_min, self.n_max)
        )
        total, right = (np.bincount(cell, weights=of) for of in (points.weight, points.right))
        refuted = self._refuted(right, total, cell, points.confidence)
        return float(100 * points.weight[refuted].sum() / points.weight.sum())

    def _refuted(self, right: NDArray[Any], total: NDArray[Any], cell: Codes, chance: Floats) -> NDArray[np.bool_]:
        """Return which probabilities of a right answer are rejected by the number of right answers in their bins."""
        # Between these limits, each tail alone is larger than alpha, so nothing is rejected. The margin is for
        # rounding.
        lowest = lower_limit(right, total - right, self.alpha)
        highest = upper_limit(right, total - right, 1 - self.alpha)
        refuted = (chance < lowest[cell] + _MARGIN) | (chance > highest[cell] - _MARGIN)
        tested = np.flatnonzero(refuted)
        at = cell[tested]
        p_value = exact_binomial_p_value(right[at], total[at], chance[tested], enough=self.alpha)
        refuted[tested] = p_value <= self.alpha
        return refuted


tce_error = CalibrationErrorByTests.function


def bounded_isotonic_bin(points: Levels, n_min: int, n_max: int) -> Codes:
    """Return the bin of every level by PAVA-BC: pooling of adjacent violators, with bounds on the size of a bin."""
    sizes: list[float] = []
    rights: list[float] = []
    levels_in: list[int] = []
    reached = np.cumsum(points.weight)
    # The levels from here on are the fewest that hold the last n_min samples; all levels if there are too few samples.
    entering = int(np.searchsorted(reached, reached[-1] - n_min, side="right"))
    for size, right in zip(points.weight[:entering].tolist(), points.right[:entering].tolist(), strict=True):
        count = 1
        while sizes:
            joint = sizes[-1] + size
            if joint > n_max and joint > n_min:
                break
            if joint > n_min and rights[-1] * size < right * sizes[-1]:
                break
            size, right, count = joint, rights.pop() + right, levels_in.pop() + count
            sizes.pop()
        sizes.append(size)
        rights.append(right)
        levels_in.append(count)
    last = len(reached) - entering
    if last:
        if levels_in and 2 * n_min <= n_max:
            levels_in[-1] += last
        else:
            levels_in.append(last)
    return np.repeat(np.arange(len(levels_in)), levels_in)


def exact_binomial_p_value(right: Floats, total: Floats, chance: Floats, enough: float = 0.0) -> Floats:
    """Return p-values of many two-sided exact binomial tests, as in `scipy.stats.binomtest`.

    Suppose that a success has the probability `chance`. The p-value is then the probability of all outcomes that are no
    more probable than `right` successes in `total` trials. If a cheap upper bound of a p-value is at most `enough`,
    this bound is returned instead.
    """
    low, high = right < chance * total, right > chance * total
    out = np.ones(len(right))  # where the observed number is the expected one
    k, n, p = right[low], total[low], chance[low]
    out[low] = _p_value_below(k, n, p, 1 - p, np.ceil(p * n), enough)
    # More successes than expected are fewer failures than expected.
    k, n, p = right[high], total[high], chance[high]
    out[high] = _p_value_below(n - k, n, 1 - p, p, n - np.floor(p * n), enough)
    return out


def _p_value_below(k: Floats, n: Floats, p: Floats, q: Floats, expected: Floats, enough: float) -> Floats:
    """Return p-values of k successes in n trials, if this is fewer than expected.

    q is 1 − p, and `expected` is n p, rounded up.
    """
    table = gammaln(np.arange(int(n.max(initial=0)) + 2) + 1.0)
    trials = n.astype(np.intp)
    constant, log_p, log_q = table[trials], np.log(np.maximum(p, SMALLEST)), np.log(np.maximum(q, SMALLEST))

    def log_probability(i: NDArray[np.intp]) -> Floats:
        return constant - table[i] - table[trials - i] + i * log_p + (trials - i) * log_q

    observed = log_probability(k.astype(np.intp))
    limit = observed + np.log1p(_MINLIKE)
    # Beyond the expected number, probabilities fall. Bisection finds the first that is no larger than the observed.
    near, far = expected.astype(np.intp), trials + 1
    while (open_ := near < far).any():
        middle = (near + far) // 2
        found = log_probability(np.minimum(middle, trials)) <= limit
        far = np.where(open_ & found, middle, far)
        near = np.where(open_ & ~found, middle + 1, near)
    # Outward, each probability is less than a fixed share of the one before, so both tails have geometric bounds.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        below = np.exp(observed) / (1 - k * q / ((n - k + 1) * p))
        above = np.exp(log_probability(np.minimum(near, trials))) / (1 - (n - near) * p / ((near + 1) * q))
        out = below + np.where(near > trials, 0.0, above)
    exact = np.flatnonzero(~(out <= enough))
    k, n, p, q, first = k[exact], n[exact], p[exact], q[exact], near[exact]
    out[exact] = betainc(n - k, k + 1, q) + np.where(first > n, 0.0, betainc(first, np.maximum(n - first, 0) + 1, p))
    return np.minimum(out, 1.0)
