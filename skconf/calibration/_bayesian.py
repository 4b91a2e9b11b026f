"""Bayesian calibration: the mean of rising curves of the log-odds, each weighted by its posterior probability."""

from functools import cache, partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, gammaln, ndtri

from skconf._core.checks import check_whole
from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import EPS, Column, OneVsRestCalibrator
from skconf.calibration._graph import FARTHEST, Tensor
from skconf.calibration._logistic import sigmoid
from skconf.calibration._platt import Logit

#: Priors over which the mean is taken. A prior has standard deviations of the height, of the logarithm of the slope,
#: and of what each segment adds to this logarithm. The last four priors are for classes whose frequency has changed.
#: More values of each, or values of zero, gained nothing.
_SCALES = (
    *product((0.1, 0.5), (0.3, 1.0), (0.3, 1.0)),
    *((2.0, 0.3, 0.3), (2.0, 1.0, 0.3), (4.0, 1.0, 0.3), (4.0, 1.0, 1.0)),
)
#: Degrees of freedom of the points that stand for a posterior. The tails of a normal are too light: the mean curve was
#: overconfident at 0.999 by 0.4 of log-odds. With heavier tails, too few of the points are in the middle.
_FREEDOM = 30.0
#: Number of groups of close log-odds that represent the samples, and of curves that represent one prior.
_GROUPS, _CURVES = 257, 64
#: More segments would need more curves.
_MOST_SEGMENTS = 30
#: Points at which curves are computed in addition to the groups.
_GRID = np.linspace(-FARTHEST, FARTHEST, 145)


class BayesianCalibrator(OneVsRestCalibrator):
    """Bayesian calibration: the mean of rising curves of the log-odds, each weighted by its posterior probability.

    A curve maps the log-odds of the probability of a class to calibrated log-odds. The curve rises, and is linear
    between quantiles of the log-odds. The prior says that the probabilities are about right: the height of the curve at
    even odds is near 0, and the logarithms of its slopes are near 0 and near each other. There are twelve priors of
    this form, with different standard deviations. Each prior leads to a mean curve. The result is the weighted mean of
    these curves and of the unchanged probabilities; a curve that explains the data better has a larger weight. With few
    samples, the result stays near the unchanged probabilities. No cross-validation is needed.

    If there are more than two classes, each class is calibrated against the rest, and rows are scaled to sum to one. A
    class that is missing from the calibration data keeps its probability, apart from this scaling.

    Parameters
    ----------
    n_segments : int, default=8
        Number of linear pieces of a curve, in [1, 30]. Each piece has the same share of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.
    columns_ : dict of int to callable
        The fitted curve of each calibrated class; its key is the position of the class in ``classes_``. A curve maps a
        probability to a calibrated probability, before rows are scaled to sum to one. With two classes, there is one
        curve.

    See Also
    --------
    PooledCalibrator : A pool that contains this calibrator.
    SplineCalibrator : The most probable smooth curve, not a mean.

    Notes
    -----
    A curve maps the log-odds l of a class to f(l) = h + Σⱼ exp(s + sⱼ) aⱼ(l), where aⱼ(l) is the part of the way from 0
    to l that lies in piece j. h, s and sⱼ have normal priors with mean 0. The standard deviations are 0.1 or 0.5 for h,
    0.3 or 1 for s, and 0.3 or 1 for sⱼ. All combinations make eight priors. Four more, for classes whose frequency has
    changed, have the standard deviations (2, 0.3, 0.3), (2, 1, 0.3), (4, 1, 0.3) and (4, 1, 1) of h, s and sⱼ. These
    twelve priors and f(l) = l are equally probable. For each prior, the mode of the posterior is found by Newton's
    method, with expected second derivatives. 64 curves around the mode are drawn from a Student distribution. They are
    weighted by the ratio of the posterior's density to the density of this distribution [1]_. The curves also give an
    estimate of the probability of the data under the prior. The mean curves of the priors are averaged with these
    probabilities as weights.
    If the samples have more than 257 different log-odds, neighbouring log-odds are put into groups, at most 257.
    Weights of samples are repetition counts.

    References
    ----------
    .. [1] E. L. Ionides, Truncated importance sampling, Journal of Computational and Graphical Statistics 17, 2008.
    .. [2] J. A. Hoeting, D. Madigan, A. E. Raftery and C. T. Volinsky, Bayesian model averaging: a tutorial,
       Statistical Science 14, 1999.

    Examples
    --------
    >>> from skconf.calibration import BayesianCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = BayesianCalibrator().fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.95]).round(2)
    array([[0.94, 0.06],
           [0.07, 0.93]])
    """

    def __init__(self, *, n_segments: int = 8) -> None:
        self.n_segments = n_segments

    _reads_sizes = True

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        check_whole(self.n_segments, "n_segments", 1, _MOST_SEGMENTS)
        logit = Logit(proba)
        values, hits, misses = _grouped(logit(proba), target, sample_weight)
        share = np.cumsum(hits + misses)
        share = (share - (hits + misses) / 2) / share[-1]
        knots = np.unique(np.interp(np.arange(1, self.n_segments) / self.n_segments, share, values))
        places = np.union1d(values, _GRID)
        data = _Data(_parts(places, knots), *(_placed(sums, values, places) for sums in (hits, misses)))
        scale = np.array([[*scales, *[scales[2]] * (len(data.parts) - 1)] for scales in _SCALES])
        means = [data.seen(places), *map(partial(_mean, data), scale, *_modes(data, 1 / scale**2))]
        evidence = np.array([each[0] for each in means])
        probable = np.exp(evidence - evidence.max())
        return _Curve(logit, places, probable @ np.array([each[1] for each in means]) / probable.sum())


class _Curve:
    """A calibration curve that is given at some points, and linear in log-odds between them."""

    def __init__(self, logit: Logit, places: Floats, chance: Floats) -> None:
        chance = np.clip(chance, EPS, 1 - EPS)
        self.logit, self.places, self.margins = logit, places, np.log(chance) - np.log1p(-chance)

    def __call__(self, proba: Floats) -> Floats:
        return sigmoid(np.interp(self.logit(proba), self.places, self.margins))

    def onnx(self, proba: Tensor) -> Tensor:
        return onnx.sigmoid(onnx.interpolated(self.logit.onnx(proba), self.places, self.margins))


def _grouped(values: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Group close values. Return the mean of each group, and the weight of its positives and negatives."""
    distinct, number = np.unique(values, return_inverse=True)
    weight = np.bincount(number, sample_weight)
    if len(distinct) > _GROUPS:
        group = ((np.cumsum(weight) - weight / 2) * (_GROUPS / weight.sum())).astype(np.intp)
        group = np.unique(group, return_inverse=True)[1]
        mass = np.bincount(group, weight)
        number, distinct, weight = group[number], np.bincount(group, weight * distinct) / mass, mass
    hits: Floats = np.bincount(number, sample_weight * target, minlength=len(distinct)).astype(np.float64)
    return distinct, hits, np.maximum(weight - hits, 0.0)


def _placed(sums: Floats, values: Floats, places: Floats) -> Floats:
    """Return the sums of groups at `places`, which contain the values of the groups; elsewhere the sum is 0."""
    placed = np.zeros(len(places))
    placed[np.searchsorted(places, values)] = sums
    return placed


def _parts(values: Floats, knots: Floats) -> Floats:
    """Return the part of the way from 0 to each value (column) that lies in each segment between knots (row)."""
    ends = np.concatenate([[-np.inf], knots, [np.inf]])[:, np.newaxis]
    return np.clip(values, ends[:-1], ends[1:]) - np.clip(0.0, ends[:-1], ends[1:])


def _margins(points: Floats, parts: Floats) -> Floats:
    """Return the log-odds f(l) at every place, for the curve of each point (h, s, s₁, s₂, …)."""
    return points[..., :1] + _slopes(points[..., 1:2] + points[..., 2:]) @ parts


def _slopes(logs: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(logs, 20.0)))


class _Data:
    """The weights of positives and negatives at some places, for the likelihood of curves."""

    def __init__(self, parts: Floats, hits: Floats, misses: Floats) -> None:
        self.parts, self.hits, self.misses, self.weight = parts, hits, misses, hits + misses

    def seen(self, margins: Floats) -> tuple[NDArray[np.float64], Floats]:
        """Return the log-likelihood and the probabilities of margins. The last axis of margins has the places."""
        margins = np.maximum(margins, -700.0)  # else exp would overflow
        chance = 1 / (1 + np.exp(-margins))
        return np.log(chance) @ self.weight - margins @ self.misses, chance  # log σ(−m) = log σ(m) − m

    def around(self, points: Floats) -> tuple[Floats, Floats]:
        """Return, for each point, the gradient of the negative log-likelihood, and its expected Hessian."""
        slopes = _slopes(points[:, 1:2] + points[:, 2:])[:, :, np.newaxis] * self.parts
        rise = slopes.sum(axis=1, keepdims=True)
        by = np.concatenate([np.ones_like(rise), rise, slopes], axis=1)
        chance = sigmoid(points[:, :1] + rise[:, 0])
        slope = by @ (self.weight * chance - self.hits)[:, :, np.newaxis]
        bend = (by * (self.weight * chance * (1 - chance))[:, np.newaxis]) @ by.swapaxes(1, 2)
        return slope[:, :, 0], bend


def _modes(data: _Data, precision: Floats) -> tuple[Floats, Floats]:
    """Return the modes of the posteriors, searched for at the same time, and the roots of their covariances."""

    def height(points: Floats) -> NDArray[np.float64]:
        """Return the log-posteriors, up to a constant."""
        return data.seen(_margins(points, data.parts))[0] - (points**2 * precision).sum(axis=1) / 2

    modes = np.zeros_like(precision)
    value = height(modes)
    for _ in range(50):
        slope, bend = data.around(modes)
        slope += modes * precision
        spread = _inverse_root(bend + np.eye(precision.shape[1]) * precision[:, np.newaxis])
        step = (spread @ (spread @ slope[:, :, np.newaxis]))[:, :, 0]
        gain = (slope * step).sum(axis=1)
        length = np.where(gain < 1e-4, 0.0, 1.0)
        if not length.any():
            break
        while True:
            moved = height(modes - length[:, np.newaxis] * step)
            short = (moved < value + 1e-4 * length * gain) & (length > 1e-6)
            if not short.any():
                break
            length[short] /= 2
        modes, value = modes - length[:, np.newaxis] * step, moved
    return modes, spread


def _mean(data: _Data, scale: Floats, mode: Floats, spread: Floats) -> tuple[float, Floats]:
    """Return the log-evidence of a prior, and the mean curve of its posterior."""
    away = _student_points(len(mode))
    many = (_FREEDOM + len(mode)) / 2
    points = mode + away @ spread
    likelihood, curves = data.seen(_margins(points, data.parts))
    ratio = likelihood - points**2 @ (1 / scale**2) / 2 + many * np.log1p((away**2).sum(axis=1) / _FREEDOM)
    weights = np.exp(ratio - ratio.max())
    weights = np.minimum(weights, weights.mean() * np.sqrt(len(weights)))
    # ∏ scale⁻¹ is the constant of the prior; the determinant of the spread and the gammas are the constant of the
    # density of the points.
    evidence = np.log(weights.mean()) + ratio.max() - np.log(scale).sum() + np.linalg.slogdet(spread)[1]
    evidence += gammaln(_FREEDOM / 2) - gammaln(many) + len(mode) / 2 * np.log(_FREEDOM / 2)
    return float(evidence), weights @ curves / weights.sum()


def _inverse_root(matrix: Floats) -> Floats:
    """Return the symmetric roots of the inverses of matrices: they do not depend on the order of parameters."""
    values, vectors = np.linalg.eigh(matrix)
    values = np.maximum(values, 1e-14 * values[..., -1:])
    return np.asarray((vectors / np.sqrt(values)[..., np.newaxis, :]) @ vectors.swapaxes(-1, -2))


@cache
def _student_points(n_dimensions: int) -> Floats:
    """Return points with a Student distribution, each with its mirror images.

    One mirror changes the sign. The other swaps the two classes: it changes the sign of the height and reverses the
    segments.
    """
    golden = 2.0
    for _ in range(40):
        golden = (1 + golden) ** (1 / (n_dimensions + 2))
    steps = golden ** -np.arange(1.0, n_dimensions + 2)
    shares = (0.5 + np.arange(1, _CURVES // 4 + 1)[:, np.newaxis] * steps) % 1
    points: Floats = ndtri(shares[:, :-1])
    points = np.concatenate([points, np.hstack([-points[:, :1], points[:, 1:2], points[:, :1:-1]])])
    points = np.concatenate([points, -points])
    points = points @ _inverse_root(points.T @ points / len(points))
    stretch = np.sqrt(_FREEDOM / (2 * gammaincinv(_FREEDOM / 2, shares[:, -1])))
    return np.asarray(points * np.tile(stretch, 4)[:, np.newaxis])
