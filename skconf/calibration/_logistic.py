"""Logistic regression of a few features, with a ridge and with coefficients that must not be negative."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, cholesky, solve_triangular
from scipy.optimize import lsq_linear, nnls

from skconf._core.probabilities import Floats
from skconf.calibration._graph import FARTHEST

#: More than `_MANY` samples are first replaced by groups of close values: `_GROUPS` intervals for each outcome.
_MANY, _GROUPS = 2048, 512


def sigmoid(margin: Floats) -> Floats:
    """Return 1/(1 + exp(−margin)), clipped 2⁻⁵² away from 0 and 1."""
    return 1 / (1 + np.exp(-np.clip(margin, -FARTHEST, FARTHEST)))


class Prior(NamedTuple):
    """The penalty (β − centre)ᵀ ridge (β − centre), and the coefficients that must not be negative."""

    centre: Floats
    ridge: Floats
    bounded: NDArray[np.bool_]


class _At(NamedTuple):
    """The loss at a point, its derivatives, and for every sample the probability of the outcome that did not occur."""

    value: float
    gradient: Floats
    hessian: Floats
    chance: Floats


class Logistic:
    """Σ w (log(1 + exp(m)) − t m) + penalty, for margins m = β · features; all divided by Σ w.

    Each feature is a row, and a constant row gives the intercept. The target has the outcomes t, and weights w are
    repetition counts. The penalty is added once to the whole sum.
    """

    def __init__(self, features: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> None:
        self.features, self.total = features, float(sample_weight.sum())
        self.weight = sample_weight / self.total
        self.sign = np.where(target, -1.0, 1.0)
        self._last: tuple[bytes, _At] | None = None

    def at(self, point: Floats, prior: Prior) -> _At:
        """Return value, gradient, Hessian, and for every sample the probability of the outcome that did not occur."""
        key = point.tobytes()
        if self._last is None or self._last[0] != key:  # the same point is asked for under several priors
            self._last = key, self._without_penalty(point)
        seen = self._last[1]
        apart = point - prior.centre
        pull = prior.ridge @ apart / self.total
        return _At(
            seen.value + float(apart @ pull),
            seen.gradient + 2 * pull,
            seen.hessian + 2 / self.total * prior.ridge,
            seen.chance,
        )

    def _without_penalty(self, point: Floats) -> _At:
        missed = point @ self.features
        missed *= self.sign
        shrunk = np.exp(-np.abs(missed))
        value = float(self.weight @ (np.log1p(shrunk) + np.maximum(missed, 0)))
        whole = 1 + shrunk
        chance = np.where(missed > 0, 1.0, shrunk) / whole
        gradient = self.features @ (self.weight * self.sign * chance)
        hessian = (self.features * (self.weight * shrunk / whole**2)) @ self.features.T
        return _At(value, gradient, hessian, chance)

    def fit(self, prior: Prior, start: Floats | None = None, precision: float = 1e-6) -> Floats:
        """Return the coefficients with the least loss, by Newton's method within the bounds.

        It stops after a step that lowers the loss by at most the share `precision`.
        """
        point = prior.centre if start is None else start
        now = self.at(point, prior)
        for _ in range(200):
            step = _step(now, point, prior.bounded)
            gain = -float(now.gradient @ step)
            if gain <= precision * now.value:
                break  # the error after this step is about the square of this gain
            length, moved = 1.0, self.at(point + step, prior)
            while moved.value > now.value - 0.1 * length * gain and length > 1e-6:
                length /= 4
                moved = self.at(point + length * step, prior)
            if moved.value >= now.value:
                if start is not None:  # far off: all samples may be saturated there, and no step helps
                    return self.fit(prior, precision=precision)
                break
            point, now = point + length * step, moved
        moved = self.at(point + step, prior)
        # A step that gains less than rounding is taken too: else the order of rows would decide. With a stiff prior,
        # terms are larger than their sum, and so are rounding errors.
        apart = np.abs(point - prior.centre)
        rounding = 1e-14 * (now.value + float(apart @ np.abs(prior.ridge) @ apart) / self.total)
        return point + step if moved.value <= now.value + rounding else point

    def left_out_loss(self, point: Floats, prior: Prior) -> float:
        """Return the mean leave-one-out log loss, to first order."""
        now = self.at(point, prior)
        free = ~prior.bounded | (point > 0)
        inverse = np.linalg.pinv(now.hessian[np.ix_(free, free)] * self.total, rcond=1e-14, hermitian=True)
        features = self.features[free]
        reach = np.einsum("fn,fn->n", features, inverse @ features)
        kept = np.maximum(1 - reach * now.chance * (1 - now.chance), 0.01)
        missed = (point @ self.features) * self.sign + reach / kept * now.chance
        return float(self.weight @ np.logaddexp(0, missed))


def in_groups(
    values: Floats, target: NDArray[np.bool_], sample_weight: Floats
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Return values, outcomes and weights of groups of samples with the same outcome and nearly the same value.

    The groups have nearly the same likelihood as the samples. Few samples are returned as they are.
    """
    if len(values) <= _MANY:
        return values, target, sample_weight
    lowest, highest = float(values.min()), float(values.max())
    group = ((values - lowest) * ((_GROUPS - 1) / ((highest - lowest) or 1.0))).astype(np.intp) + _GROUPS * target
    mass, total = (
        np.bincount(group, weights, 2 * _GROUPS).astype(np.float64)
        for weights in (sample_weight, sample_weight * values)
    )
    held = mass > 0
    return total[held] / mass[held], held.nonzero()[0] >= _GROUPS, mass[held]


def fit_curve(
    features: Callable[[Floats], Floats],
    values: Floats,
    target: NDArray[np.bool_],
    sample_weight: Floats,
    prior: Prior,
    start: Floats | None = None,
) -> Floats:
    """Return the coefficients of least loss for features of values. Many values are first fitted in groups."""
    few, outcomes, sizes = in_groups(values, target, sample_weight)
    if start is None and len(few) < len(values):
        start = Logistic(features(few), outcomes, sizes).fit(prior)
    return Logistic(features(values), target, sample_weight).fit(prior, start)


def _step(now: _At, point: Floats, bounded: NDArray[np.bool_]) -> Floats:
    """Return the Newton step within the bounds."""
    scale = np.sqrt(np.maximum(np.diag(now.hessian), np.finfo(float).tiny))
    hessian = now.hessian / np.outer(scale, scale) + 1e-12 * np.eye(len(scale))
    step = -np.linalg.solve(hessian, now.gradient / scale) / scale
    if not (point + step < 0)[bounded].any():
        return step
    root = cholesky(hessian)
    aim = -solve_triangular(root, now.gradient / scale, trans=1)
    # |root · (x − point) · scale − aim| is least; a coefficient without a bound is the difference of two with one.
    matrix = root * scale
    unknown = np.hstack([matrix, -matrix[:, ~bounded]]) / np.append(scale, scale[~bounded])
    least = _least_squares(unknown, aim + matrix @ point)
    least[: len(point)][~bounded] -= least[len(point) :]
    return least[: len(point)] / scale - point


def _least_squares(matrix: Floats, target: Floats) -> Floats:
    """Return the x ≥ 0 that minimises |matrix · x − target|."""
    with warnings.catch_warnings():  # scipy 1.12 calls its own equations ill-conditioned, and may give up
        warnings.simplefilter("ignore", LinAlgWarning)
        try:
            return np.array(nnls(matrix, target)[0])
        except (RuntimeError, np.linalg.LinAlgError):
            return np.array(lsq_linear(matrix, target, bounds=(0, np.inf), method="bvls").x)
