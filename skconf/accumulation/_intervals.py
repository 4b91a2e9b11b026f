"""Confidence intervals from second moments, which replace the influence values of the samples."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf._core.warn import warn_each
from skconf.inference._evidence import Share, choose_of_share
from skconf.inference._interval_methods import bootstrap_ends, delta_ends, share_ends, wilson_ends
from skconf.inference._intervals import Interval, undefined_resamples
from skconf.inference._p_values import ROUNDING, student
from skconf.metrics._base.kinds import Ratio, Sums
from skconf.metrics._base.sums import full_matrix
from skconf.scoring._names import Statistic

#: From this many errors on, influence values are used: their intervals covered the truth in 85 to 97% of simulated
#: sets.
ENOUGH_OF_SUMS = 30.0
#: A variance is a difference of squares. If it is below this share of these squares, it is zero up to rounding.
_CANCELLED = 1e-13


class Moments:
    """The sums of the terms of a metric over samples, and the sums of the products of every two terms.

    Parameters
    ----------
    statistic : Statistic
        The statistic that is computed from the sums.
    sums : tuple of ndarray
        The sums of the metric.
    products : tuple of ndarray
        The results of :meth:`BlockSums.products`, added up over all blocks of samples.
    n_units : int
        Number of samples with positive weight.
    """

    def __init__(self, statistic: Statistic, sums: Sums, products: Sums, n_units: int) -> None:
        self.statistic, self.sums, self.n_units = statistic, sums, n_units
        self.flat = np.concatenate([np.ravel(part) for part in sums])
        self.products = full_matrix(products, len(sums))

    def delta(self, value: float, confidence_level: float) -> Interval:
        """Return the interval from influence values, or the valid interval of a share."""
        metric = self.statistic.metric
        if self.is_share and self.flat[1]:
            share = Share(float(self.flat[0] / self.flat[1]), self._effective_size())
            # Weights are 1, or 0 for samples that are not counted.
            method, reason, _ = choose_of_share(
                metric, share, are_equal(float(self.products[1, 1]), float(self.flat[1]))
            )
            if reason:
                raise ValueError(reason)
            if method != "delta":
                return Interval(value, *share_ends(self.statistic, share, confidence_level), confidence_level, method)
        slopes = self.statistic.sign * np.concatenate([np.ravel(part) for part in metric.gradient(*self.sums)])
        squares = float(slopes @ self.products @ slopes)
        if squares < _CANCELLED * float(np.abs(slopes) @ np.abs(self.products) @ np.abs(slopes)):
            squares = 0.0
        error = _error(float(slopes @ self.flat), squares, self.n_units)
        if self.is_share and metric.share_interval == "wilson" and are_equal(self._effective_size(), self.n_units):
            low, high = wilson_ends(self.statistic, value, self.n_units, student(confidence_level, np.inf))
        else:
            size, degrees_of_freedom = self._effective_size, self.n_units - 1
            low, high = delta_ends(self.statistic, value, error, degrees_of_freedom, size, confidence_level)
        return Interval(value, low, high, error, confidence_level, "delta")

    @property
    def is_share(self) -> bool:
        """Whether the metric is a share: each sample counts as 1 or 0, so each term equals its square."""
        metric = self.statistic.metric
        if not isinstance(metric, Ratio) or not metric.share_interval:
            return False
        squares, counts = float(self.products[0, 0]), float(self.products[0, 1])
        return abs(squares - counts) <= 1e-12 * counts

    def _effective_size(self) -> float:
        """Return the effective number of samples in the denominator of a quotient: its second sum."""
        squares = float(self.products[1, 1])
        return float(self.flat[1]) ** 2 / squares if squares > 0 else 0.0

    def normal(
        self, value: float, confidence_level: float, n_draws: int, rng: np.random.Generator, calibrated: Sequence[Sums]
    ) -> Interval:
        """Return the interval of the score, from sums that are drawn from a normal distribution.

        With many samples, resampling gives the same distribution of sums, and so the same interval.

        Parameters
        ----------
        value, confidence_level : float
            The score, and the confidence level.
        n_draws : int
            Number of draws.
        rng : Generator
            The generator of the draws.
        calibrated : sequence of tuple of ndarray
            For calibration errors, the means and the covariances of the sums if confidences are calibrated. Draws with
            these means and covariances show how large the error is by chance. If the share of draws with an error at
            least as large as the value exceeds 1 − `confidence_level`, the interval is extended to 0. For other
            metrics, two empty tuples.
        """
        covariance = self.products - np.outer(self.flat, self.flat) / self.n_units
        replicates = self._drawn(self.flat, covariance * self.n_units / (self.n_units - 1), n_draws, rng)
        warn_each(undefined_resamples(replicates, self.statistic.name))
        replicates = replicates[~np.isnan(replicates)]
        low, high, error = bootstrap_ends(self.statistic, value, replicates, self.n_units - 1, confidence_level)
        expected, variances = calibrated
        if expected and (low > 0 or high < 0):
            flat = np.concatenate([np.ravel(part) for part in expected])
            drawn = self._drawn(flat, full_matrix(variances, len(expected)), n_draws, rng)
            as_far = np.count_nonzero(np.abs(drawn) >= abs(value) * (1 - ROUNDING))
            if (as_far + 1) / (n_draws + 1) > 1 - confidence_level:
                low, high = min(low, 0.0), max(high, 0.0)
        return Interval(value, low, high, error, confidence_level, "normal")

    def _drawn(self, mean: Floats, covariance: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
        """Return the scores of sums that are drawn from a normal distribution."""
        variances, axes = np.linalg.eigh(np.asarray_chkfinite(covariance))
        steps = rng.standard_normal((n_draws, len(mean))) * np.sqrt(np.maximum(variances, 0.0))
        ends = np.cumsum([np.size(part) for part in self.sums])[:-1]
        # A sum without variance, such as that of an empty bin, keeps its value exactly, without rounding errors.
        drawn = mean + np.where(np.diag(covariance) > 0, steps @ axes.T, 0.0)
        parts = zip(np.split(drawn, ends, axis=1), self.sums, strict=True)
        sums = (part.reshape(n_draws, *np.shape(like)) for part, like in parts)
        with np.errstate(invalid="ignore"):  # draws in which a non-negative sum became negative
            scores = self.statistic.score(self.statistic.metric.combine(*sums))
        return np.clip(scores, *self.statistic.bounds)  # they leave the bounds if a drawn weight is near 0


def area_interval(
    statistic: Statistic,
    value: float,
    influence: Floats,
    weight: Floats,
    squares: Floats,
    n_units: int,
    confidence_level: float,
    kind: NDArray[np.bool_] | None = None,
) -> Interval:
    """Return the interval of an area, from the sum of the influence values, Σ w and Σ w² of the samples at each level.

    If there are two kinds of samples, and all weights are equal, the number of samples of each kind is treated as
    fixed, and the error as normal.
    """
    variance, degrees_of_freedom = standard_error(influence, weight, squares, n_units) ** 2, float(n_units - 1)
    if kind is not None and are_equal(float(weight.sum()) ** 2 / float(squares.sum()), n_units):
        members = [(of_kind, round(n_units * float(weight[of_kind].sum() / weight.sum()))) for of_kind in (kind, ~kind)]
        if min(size for _, size in members) > 1:
            parts = ((influence[of], weight[of], squares[of], size) for of, size in members)
            variance, degrees_of_freedom = sum(standard_error(*part) ** 2 for part in parts), np.inf
    error = float(np.sqrt(variance))
    low, high = delta_ends(statistic, value, error, degrees_of_freedom, lambda: np.nan, confidence_level)
    return Interval(value, low, high, error, confidence_level, "delta")


def check_enough(part: float, total: float, squares: float) -> None:
    """Raise if one of the two kinds of samples is too rare for an interval from sums.

    Parameters
    ----------
    part, total, squares : float
        Σ w of one kind of samples, Σ w of all samples, and Σ w² of all samples.
    """
    few = Share(part / total, total * total / squares).rarer if total else 0.0
    if few < ENOUGH_OF_SUMS:
        raise ValueError(
            f"there are only {few:.0f} errors (or samples of the rarer class), but an interval "
            f"from sums needs {ENOUGH_OF_SUMS:.0f}. Compute it from predictions in memory"
        )


def are_equal(effective_size: float, n_units: float) -> bool:
    """Return whether samples have equal weights up to rounding: their effective number then equals their number."""
    return abs(effective_size - n_units) <= 1e-12 * n_units


def standard_error(influence: Floats, weight: Floats, squares: Floats, n_units: int) -> float:
    """Return the standard error of a value from the influence, Σ w and Σ w² of the samples at each level."""
    return _error(float(influence.sum()), float(squares @ (influence / weight) ** 2), n_units)


def _error(total: float, squares: float, n_units: int) -> float:
    """Return the standard error of a value, from the sums of the influence values and of their squares."""
    variance = squares - total**2 / n_units
    return float(np.sqrt(max(variance, 0.0) * n_units / (n_units - 1)))
