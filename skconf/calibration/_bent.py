"""Two calibrators of the pool: temperature scaling with a bend and a tail, and a line of the log-odds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, row_blocks
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Calibrator, Column, OneVsRestCalibrator, mixed, zero_stand_in
from skconf.calibration._graph import Tensor
from skconf.calibration._logistic import Prior, fit_curve, sigmoid
from skconf.calibration._platt import Logit
from skconf.calibration._softmax import softmax

#: Penalties that draw scale, bend and tail, and the shifts of classes, to the unchanged probabilities, in samples.
_SCALE_RIDGE, _SHIFT_RIDGE = np.array([0.05, 1.0, 1.0]), 0.5
#: With more probabilities than this, the search starts with a part of the rows.
_MANY = 200_000
#: The search stops after a step that lowers the loss by at most a share `_PRECISION`. With the curvature of a part of
#: the rows, it stops before a step that would lower the loss by at most a share `_NEARLY`.
_PRECISION, _NEARLY = 1e-8, 1e-7
#: This share of the curvature is added to the curvature, so that it can be inverted.
_FIRM = 1e-12
#: The penalty, in samples, that draws the height of a line to 0. The penalty that draws its slope to 1 is one sample.
_HEIGHT_RIDGE = 0.02

#: Features of rows, their classes and their weights.
_Block = tuple[Floats, Codes, Floats]
_Blocks = Callable[[], Iterable[_Block]]


class LineCalibrator(OneVsRestCalibrator):
    """σ(h + s l) of the log-odds l, with s ≥ 0, that minimises Σ w · log loss + (s − 1)² + 0.02 h².

    It is Platt scaling with a penalty towards the unchanged probability. A shift of the class frequencies has nearly no
    penalty.
    """

    _reads_sizes = True

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        logit = Logit(proba)
        values = logit(proba)
        middle = float(sample_weight @ values / sample_weight.sum())  # so height and slope are hardly correlated
        shift = np.array([1.0, -middle])
        ridge = _HEIGHT_RIDGE * np.outer(shift, shift) + np.diag([0.0, 1.0])
        prior = Prior(np.array([middle, 1.0]), ridge, np.array([False, True]))

        def features(values: Floats) -> Floats:
            return np.stack([np.ones(len(values)), values - middle])

        height, slope = fit_curve(features, values, target, sample_weight, prior)
        return _Line(logit, float(height), float(slope), middle)


class _Line:
    def __init__(self, logit: Logit, height: float, slope: float, middle: float) -> None:
        self.logit, self.height, self.slope, self.middle = logit, height, slope, middle

    def __call__(self, proba: Floats) -> Floats:
        return sigmoid(self.height + self.slope * (self.logit(proba) - self.middle))

    def onnx(self, proba: Tensor) -> Tensor:
        return onnx.sigmoid(self.height + self.slope * (self.logit.onnx(proba) - self.middle))


class BentTemperatureCalibrator(Calibrator):
    """Softmax of a z + c z²/10 − d log(1 − p), with z = log p. If `shifted`, a shift b of each class is added.

    Here a is the inverse temperature, c bends the log-probabilities, and d changes confidences that are near 1. The
    parameters minimise Σ w · log loss + 0.05 (a − 1)² + c² + d² + 0.5 |b|², which is convex. The result is mixed with
    the uniform distribution, whose share is 1 / (Σ w + 1). A class without samples is scaled like the others.

    Parameters
    ----------
    shifted : bool, default=False
        Whether each class has a shift.
    base : TemperatureCalibrator, BentTemperatureCalibrator or None, default=None
        A calibrator with fewer parameters. The search starts at its fitted parameters.
    """

    _reads_sizes = True

    def __init__(self, *, shifted: bool = False, base: Any = None) -> None:
        self.shifted = shifted
        self.base = base

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        self.zero_ = zero_stand_in(proba), zero_stand_in(1 - proba.max(axis=1, keepdims=True))
        total = float(sample_weight.sum())
        self.point_ = np.zeros(3 + len(classes) * self.shifted)
        self.point_[0] = 1.0
        if self.base is not None:
            base = clone(self.base).fit(proba, codes, sample_weight, labels=classes)
            start = base.point_ if hasattr(base, "point_") else [1 / base.temperature_]
            self.point_[: len(start)] = start
        self.uniform_ = 1 / (total + 1)
        whole = partial(self._blocks, proba, codes, sample_weight)
        share = int(np.ceil(proba.size / _MANY))
        rows = np.arange(len(proba))
        if share > 1:  # a part with all classes, if possible
            rows = order_of_rows(proba, codes, sample_weight)
            rows = rows[np.argsort(_by_size(proba, sample_weight)[codes[rows]], kind="stable")][::share]
        scale = total / float(sample_weight[rows].sum())
        part = list(self._blocks(proba[rows], codes[rows], sample_weight[rows] * scale))
        hessian = self._search(lambda: part)
        if share > 1:
            self._go_on(whole, hessian)

    def _search(self, blocks: _Blocks) -> Floats:
        """Minimise the loss by Newton's method, and return the Hessian."""
        value, gradient, hessian = self._loss(blocks())
        for _ in range(50):
            start, step = self.point_, _solved(hessian, gradient)
            gain, length = float(gradient @ step), 1.0
            self.point_ = start - step
            if gain <= _PRECISION * value:
                break  # the error after this step is about the square of this gain
            moved = self._loss(blocks())
            while moved[0] > value - 0.1 * length * gain and length > 1e-6:
                length /= 2
                self.point_ = start - length * step
                moved = self._loss(blocks())
            if moved[0] >= value:
                self.point_ = start
                break
            value, gradient, hessian = moved
        return hessian

    def _go_on(self, blocks: _Blocks, hessian: Floats) -> None:
        """Go on with all rows and the Hessian of a part of them. If this converges slowly, search with all rows."""
        start, last = self.point_, np.inf
        while True:
            value, gradient, _ = self._loss(blocks(), curved=False)
            step = _solved(hessian, gradient)
            if not (gain := float(gradient @ step)) <= last / 2:
                self.point_ = start
                self._search(blocks)
                break
            left = gain if np.isinf(last) else gain**2 / last  # each step divides the gain by about the same factor
            self.point_, last = self.point_ - step, gain
            if left <= _NEARLY * value:
                break

    def _blocks(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats) -> Iterator[_Block]:
        """Yield blocks of rows: features of shape (3, n_classes, n_rows), codes and weights."""
        for rows in row_blocks(len(proba), 32 * proba.shape[1]):
            yield self._features(proba[rows]), codes[rows], sample_weight[rows]

    def _features(self, proba: NDArray[Any]) -> Floats:
        block = np.array(proba.T, dtype=np.float64, order="C")
        features = np.empty((3, *block.shape))
        np.log(np.maximum(block, self.zero_[0]), out=features[0])
        np.multiply(features[0], features[0] / 10, out=features[1])
        np.log(np.maximum(1 - block, self.zero_[1]), out=features[2])
        features[2] *= -1
        return features

    def _scores(self, features: Floats) -> Floats:
        scores = np.tensordot(self.point_[:3], features, 1)
        if self.shifted:
            scores += self.point_[3:, np.newaxis]
        return np.asarray(scores)

    def _loss(self, blocks: Iterable[_Block], *, curved: bool = True) -> tuple[float, Floats, Floats]:
        """Return the loss, its gradient and, if asked for, its Hessian."""
        ridge = np.append(_SCALE_RIDGE, np.full(len(self.point_) - 3, _SHIFT_RIDGE))
        apart = self.point_.copy()
        apart[0] -= 1
        value, gradient, hessian = float(ridge @ apart**2), 2 * ridge * apart, np.diag(2 * ridge)
        for features, codes, weight in blocks:
            scores, true = self._scores(features), (codes, np.arange(len(codes)))
            own = scores[true]
            chance, normaliser = softmax(scores)
            value += float(weight @ (normaliser - own))
            by_feature = features * chance
            expected = by_feature.sum(axis=1)
            gradient[:3] += (expected - features[(slice(None), *true)]) @ weight
            if self.shifted:
                gradient[3:] += chance @ weight - np.bincount(codes, weight, len(chance))
            if not curved:
                continue
            by_feature *= weight
            hessian[:3, :3] += np.tensordot(by_feature, features, ((1, 2), (1, 2))) - (expected * weight) @ expected.T
            if self.shifted:
                weighted = chance * weight
                mixed = by_feature.sum(axis=2) - expected @ weighted.T
                hessian[:3, 3:] += mixed
                hessian[3:, :3] += mixed.T
                hessian[3:, 3:] += np.diag(weighted.sum(axis=1)) - weighted @ chance.T
        return value, gradient, hessian

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        out = np.empty(proba.shape)
        for rows in row_blocks(len(proba), 32 * proba.shape[1]):
            out[rows] = softmax(self._scores(self._features(proba[rows])))[0].T
        return mixed(out, self.uniform_)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        scale, bend, tail = map(float, self.point_[:3])
        logs = proba.at_least(self.zero_[0]).log()
        scores = scale * logs + bend / 10 * (logs * logs) - tail * (1.0 - proba).at_least(self.zero_[1]).log()
        if self.shifted:
            scores = scores + self.point_[np.newaxis, 3:]
        return onnx.mixed(onnx.softmax(scores), self.uniform_, len(self.classes_))


def _solved(hessian: Floats, gradient: Floats) -> Floats:
    """Return the step of Newton's method."""
    scale = np.sqrt(np.diag(hessian))
    # With huge weights, the penalty is lost in rounding, and some parameters are then not determined.
    firm = hessian / np.outer(scale, scale) + _FIRM * np.eye(len(scale))
    return np.asarray(np.linalg.solve(firm, gradient / scale) / scale)


def order_of_rows(proba: NDArray[Any], codes: Codes, sample_weight: Floats) -> NDArray[np.intp]:
    """Return the rows ordered by their largest probability.

    With two classes, rows are ordered by the probability of the class that is more probable on average. The result does
    not depend on the order in which rows and classes are given.
    """
    by_size = _by_size(proba, sample_weight)
    apart = (proba * np.sqrt(by_size + 2.0)).sum(axis=1)  # rows of the same sums are the same
    largest = proba[:, by_size == 1][:, 0] if len(by_size) == 2 else proba.max(axis=1)
    return np.lexsort((by_size[codes], apart, largest))


def _by_size(proba: NDArray[Any], sample_weight: Floats) -> NDArray[np.intp]:
    """Return the rank of each class by its mean probability. The order of the classes has no effect."""
    return np.argsort(np.argsort(sample_weight @ proba))
