"""T-Cal: a test of calibration that adapts to the smoothness of the miscalibration."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from skconf._core.checks import check_number, check_whole
from skconf._core.messages import short_repr
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.columns import levels
from skconf.metrics._base.draws import p_value_of, rank_at, resolution_notices
from skconf.metrics._base.kinds import Whole
from skconf.metrics._base.references import T_CAL
from skconf.metrics._base.registry import WeightMeaning
from skconf.profile import ConfidenceProfile

#: Bins times trials that are worked on together.
_CELLS_AT_ONCE = 1 << 19


class TCalResult(NamedTuple):
    """Result of the test.

    Attributes
    ----------
    rejected : bool
        Whether calibration is rejected, because the p-value is at most `alpha`.
    p_value : float
        p-value of the whole test: the number of `p_values`, times the smallest of them, but at most 1.
    n_bins : ndarray of shape (n_levels,)
        The numbers of bins. There is one statistic for each of them.
    statistics : ndarray of shape (n_levels,)
        For each number of bins, the debiased estimate of the squared calibration error. It may be negative.
    thresholds : ndarray of shape (n_levels,)
        Calibration is rejected if any statistic is above its threshold: the quantile 1 − alpha / n_levels of the
        simulated statistics, or infinity if the simulations are too few for this quantile.
    p_values : ndarray of shape (n_levels,)
        p-value of each statistic.
    """

    rejected: bool
    p_value: float
    n_bins: NDArray[np.int64]
    statistics: Floats
    thresholds: Floats
    p_values: Floats

    def __repr__(self) -> str:
        return short_repr(self)


class TCalTest(
    Whole,
    name="t_cal_test",
    bounds=(-np.inf, np.inf),
    best=None,
    reference=T_CAL,
):
    """T-Cal: a test of calibration that looks for gaps in coarse and in fine bins of confidence at once.

    Let d = c − z, with z = 1 for a right prediction and 0 for a wrong one, and c its confidence. With m bins of equal
    width, c is in bin floor(m c), so c = 1 has its own bin. The statistic for m bins is
    DPE_m = (1/n) Σ_bins ((Σ d)² − Σ d²) / |bin|, where n is the number of samples. It is computed for m = 2, 4, …, 2^B,
    with B = floor(2 log2(n / sqrt(ln n))). The distribution of each DPE_m for a calibrated model is simulated: n
    confidences are drawn with replacement, and each answer is right with a probability equal to its confidence.
    Calibration is rejected if the p-value of any DPE_m is at most alpha/B. With a single sample, calibration is never
    rejected.

    {predictions}
    alpha : float, default=0.05
        Level of the test, in (0, 1): it rejects at most this share of calibrated models (Bonferroni).
    n_bins : int, default=None
        A single number of bins, instead of 2, 4, …, 2^B.
    n_resamples : int, default=1000
        Number of simulations of a calibrated model. The same simulations are used for all numbers of bins. The p-value
        of the whole test is at least B / (n_resamples + 1), which is 0.017 by default for 1,000 samples. To get smaller
        p-values, raise `n_resamples`, or set `n_bins` before you look at results. If the simulations are too few for a
        p-value as small as `alpha`, a warning says how many are needed.
    random_state : int, Generator or None, default=0
        Seed of the simulations.

    Returns
    -------
    TCalResult
        Named tuple of `rejected` and `p_value` for the whole test, and of arrays with an entry for each number of bins:
        `n_bins`, `statistics`, `thresholds` (the quantiles) and `p_values`.

    {raises} If there are sample weights, because the null distribution assumes equal weights.

    See Also
    --------
    skconf.inference.assess_confidence : Also says in which direction confidences are wrong, and for which answers.

    Notes
    -----
    If calibration is rejected, then in bins of some width confidence and accuracy differ by more than chance. The test
    does not say in which direction. If calibration is not rejected, the model need not be calibrated.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf import ConfidenceProfile
    >>> from skconf.metrics import t_cal_test
    >>> half_right = ConfidenceProfile.from_correctness([1] * 30 + [0] * 30, [0.9] * 60)
    >>> result = t_cal_test(half_right)
    >>> result.rejected, result.n_bins[:3]
    (True, array([2, 4, 8]))
    """

    draws_answers = True
    result = TCalResult
    weight_meaning = WeightMeaning.REFUSED

    alpha: float = 0.05
    n_bins: int | None = None
    n_resamples: int = 1000
    random_state: int | np.random.Generator | None = 0

    def __post_init__(self) -> None:
        check_number(self.alpha, "alpha", 0.0, 1.0, positive=True, open_high=True)
        if self.n_bins is not None:
            check_whole(self.n_bins, "n_bins")
        check_whole(self.n_resamples, "n_resamples")

    def value(self, profile: ConfidenceProfile) -> TCalResult:
        self.refuse_weights(profile)
        n = len(profile)
        points = levels(profile)
        if self.n_bins is None:
            finest = int(2 * np.log2(n / np.sqrt(np.log(n)))) if n > 1 else 1
            n_bins = 2 ** np.arange(1, finest + 1, dtype=np.int64)
        else:
            n_bins = np.array([self.n_bins], dtype=np.int64)
        bins = _NestedBins(points.confidence, n_bins)
        statistics = bins.estimates(points.weight[:, np.newaxis], points.right[:, np.newaxis])[:, 0] / n
        drawn = self._draw(bins, points.confidence, points.weight) / n
        # A sum in another order differs by rounding; a draw as large as the data must count as such.
        rounding = 1e-12
        as_large = np.count_nonzero(drawn >= statistics[:, np.newaxis] - rounding, axis=1)
        p_values = (as_large + 1) / (self.n_resamples + 1)
        p_value = p_value_of(as_large.min(), len(n_bins), self.n_resamples)
        rank = rank_at(self.alpha, len(n_bins), self.n_resamples)
        thresholds = np.partition(drawn, -rank, axis=1)[:, -rank] if rank else np.full(len(n_bins), np.inf)
        return TCalResult(
            p_value <= self.alpha,
            p_value,
            n_bins,
            statistics,
            thresholds,
            p_values,
        )

    def notices(self, profile: ConfidenceProfile, value: TCalResult) -> list[Notice]:
        return resolution_notices(self.info.name, len(value.n_bins), self.n_resamples, self.alpha)

    def _draw(self, bins: "_NestedBins", confidence: Floats, weight: Floats) -> Floats:
        """Return n times the estimates, for confidences drawn with replacement and calibrated random answers."""
        rng = np.random.default_rng(self.random_state)
        n, n_levels = int(weight.sum()), len(confidence)
        level_of = np.repeat(np.arange(n_levels), weight.astype(np.intp))
        step = max(4, min(_CELLS_AT_ONCE // n_levels, 16))
        found = []
        for start in range(0, self.n_resamples, step):
            trials = min(step, self.n_resamples - start)
            drawn = rng.integers(0, n, (trials, n))
            level = drawn if n_levels == n else level_of[drawn]
            right = rng.random((trials, n)) < confidence[level]
            cells = level * trials + np.arange(trials)[:, np.newaxis]
            counts = (np.bincount(of, minlength=n_levels * trials) for of in (cells.ravel(), cells[right]))
            found.append(bins.estimates(*(count.reshape(n_levels, trials).astype(np.float64) for count in counts)))
        return np.concatenate(found, axis=1)


t_cal_test = TCalTest.function


class _NestedBins:
    """Bins of distinct confidences. The number of bins doubles from level to level.

    The estimate of a level follows from that of the next finer level, because only the bins that merge change it. So
    all levels together cost about as much as one level.
    """

    def __init__(self, confidence: Floats, n_bins: NDArray[np.int64]) -> None:
        self.confidence = confidence[:, np.newaxis]
        # Scaling by a power of two is exact, so that a bin of one level lies in a bin of the next coarser one.
        finest = np.floor(confidence * n_bins[-1]).astype(np.int64)
        self.starts = np.flatnonzero(np.concatenate(([True], finest[1:] != finest[:-1])))
        #: For every step to a coarser level, the rows of the bins that merge with the next bin, and the next bins.
        self.merges: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        bins, rows = finest[self.starts], np.arange(len(self.starts))
        for _ in n_bins[1:]:
            bins = bins >> 1
            same = bins[1:] == bins[:-1]
            self.merges.append((rows[:-1][same], rows[1:][same]))
            kept = np.concatenate(([True], ~same))
            bins, rows = bins[kept], rows[kept]

    def estimates(self, count: Floats, right: Floats) -> Floats:
        """Return Σ_bins ((Σ d)² − Σ d²) / |bin| for every level and trial, where d = c − z.

        `count` (samples) and `right` (right predictions) have the shape (n_confidences, n_trials). The sums have the
        shape (n_levels, n_trials), from the coarsest level to the finest.
        """
        n_trials = count.shape[1]
        sums = np.empty((len(count), 3, n_trials))  # by bin: |bin|, Σ d, Σ d²
        sums[:, 0] = count
        sums[:, 1] = count * self.confidence - right
        # Of d = c − z: d² = c² for a wrong prediction and c² + 1 − 2c for a right one.
        sums[:, 2] = count * self.confidence**2 + right * (1 - 2 * self.confidence)
        if len(self.starts) < len(count):
            lengths = np.append(self.starts, len(count))
            member = sparse.csr_array((np.ones(len(count)), np.arange(len(count)), lengths))
            sums = (member @ sums.reshape(len(count), -1)).reshape(-1, 3, n_trials)
        value = _debiased(sums)
        found = [value.sum(axis=0)]
        for left, after in self.merges:
            joint = sums.take(left, axis=0)
            joint += sums.take(after, axis=0)
            merged = _debiased(joint)
            found.append(found[-1] + (merged - value.take(left, axis=0) - value.take(after, axis=0)).sum(axis=0))
            sums[left], value[left] = joint, merged
        return np.stack(found[::-1])


def _debiased(sums: Floats) -> Floats:
    """Return ((Σ d)² − Σ d²) / |bin|; 0 for an empty bin."""
    out = sums[:, 1] * sums[:, 1]
    out -= sums[:, 2]
    out /= np.maximum(sums[:, 0], 1.0)
    return out
