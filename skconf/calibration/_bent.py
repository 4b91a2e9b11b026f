"""Members of the pool: temperature scaling with a bend and a tail, and a line of the log-odds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, row_blocks
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Calibrator, Column, OneVsRestCalibrator, mixed, zero_stand_in
from skconf.calibration._graph import Tensor
from skconf.calibration._logistic import Logistic, Prior, sigmoid
from skconf.calibration._platt import Logit
from skconf.calibration._softmax import softmax

#: Penalties that draw scale, bend and tail, and the shifts of classes, to the unchanged probabilities, in samples.
_SCALE_RIDGE, _SHIFT_RIDGE = np.array([0.05, 1.0, 1.0]), 0.5
#: With more probabilities than this, the search starts with a part of the rows.
_MANY = 200_000
#: This share of the curvature is added to it, so that it can be inverted.
_FIRM = 1e-12
#: The penalty, in samples, that draws the height of a line to 0. The penalty that draws its slope to 1 is one sample.
_HEIGHT_RIDGE = 0.02


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
        features = np.stack([np.ones(len(values)), values - middle])
        height, slope = Logistic(features, target, sample_weight).fit(prior)
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

    Here a is the inverse temperature, c bends the log-probabilities, and d moves confidences near 1. They minimise Σ w
    · log loss + 0.05 (a − 1)² + c² + d² + 0.5 |b|², which is convex. The result is mixed with the uniform distribution,
    which counts as one sample. A class without samples is scaled like the others.

    Parameters
    ----------
    shifted : bool, default=False
        Whether each class has a shift.
    """

    _reads_sizes = True

    def __init__(self, *, shifted: bool = False) -> None:
        self.shifted = shifted

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        self.zero_ = zero_stand_in(proba), zero_stand_in(1 - proba.max(axis=1, keepdims=True))
        total = float(sample_weight.sum())
        self.point_ = np.zeros(3 + len(classes) * self.shifted)
        self.point_[0] = 1.0
        self.uniform_ = 1 / (total + 1)
        size = proba.size / _MANY
        if size > 1:
            part = order_of_rows(proba, codes, sample_weight)[:: int(np.ceil(size))]
            scale = total / float(sample_weight[part].sum())
            self._search(proba[part], codes[part], sample_weight[part] * scale, 50)
        self._search(proba, codes, sample_weight, 2 if size > 1 else 50)

    def _search(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, most_steps: int) -> None:
        """Minimise the loss by Newton's method."""
        value, gradient, hessian = self._loss(self.point_, proba, codes, sample_weight)
        for _ in range(most_steps):
            scale = np.sqrt(np.diag(hessian))
            # With huge weights, the penalty is lost in rounding, and some parameters are then not determined.
            step = (
                np.linalg.solve(hessian / np.outer(scale, scale) + _FIRM * np.eye(len(scale)), gradient / scale) / scale
            )
            gain = float(gradient @ step)
            if gain <= 1e-12 * value:
                break
            length = 1.0
            while True:
                moved = self._loss(self.point_ - length * step, proba, codes, sample_weight)
                if moved[0] <= value - 0.1 * length * gain or length < 1e-6:
                    break
                length /= 2
            if moved[0] >= value:
                break
            self.point_ = self.point_ - length * step
            value, gradient, hessian = moved

    def _scored(self, proba: NDArray[Any], point: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield blocks of rows with their features, of shape (3, n_classes, n_rows), and their scores."""
        for rows in row_blocks(len(proba), 32 * proba.shape[1]):
            block = np.array(proba[rows].T, dtype=np.float64, order="C")
            features = np.empty((3, *block.shape))
            np.log(np.maximum(block, self.zero_[0]), out=features[0])
            np.multiply(features[0], features[0] / 10, out=features[1])
            np.log(np.maximum(1 - block, self.zero_[1]), out=features[2])
            features[2] *= -1
            scores = np.tensordot(point[:3], features, 1)
            if self.shifted:
                scores += point[3:, np.newaxis]
            yield rows, features, scores

    def _loss(
        self, point: Floats, proba: NDArray[Any], codes: Codes, sample_weight: Floats
    ) -> tuple[float, Floats, Floats]:
        """Return the loss, its gradient and its Hessian."""
        n_classes = proba.shape[1]
        ridge = np.append(_SCALE_RIDGE, np.full(len(point) - 3, _SHIFT_RIDGE))
        apart = point.copy()
        apart[0] -= 1
        value, gradient, hessian = float(ridge @ apart**2), 2 * ridge * apart, np.diag(2 * ridge)
        for rows, features, scores in self._scored(proba, point):
            weight, true = sample_weight[rows], (codes[rows], np.arange(scores.shape[1]))
            own = scores[true]
            chance, normaliser = softmax(scores)
            value += float(weight @ (normaliser - own))
            weighted = chance * weight
            expected = np.einsum("fkb,kb->fb", features, chance)
            seen = features[(slice(None), *true)]
            gradient[:3] += (expected - seen) @ weight
            hessian[:3, :3] += np.einsum("fkb,gkb->fg", features * weighted, features, optimize=True)
            hessian[:3, :3] -= (expected * weight) @ expected.T
            if self.shifted:
                of_class = weighted.sum(axis=1)
                gradient[3:] += of_class - np.bincount(codes[rows], weight, n_classes)
                mixed = np.einsum("fkb,kb->fk", features, weighted) - expected @ weighted.T
                hessian[:3, 3:] += mixed
                hessian[3:, :3] += mixed.T
                hessian[3:, 3:] += np.diag(of_class) - weighted @ chance.T
        return value, gradient, hessian

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        out = np.empty(proba.shape)
        for rows, _, scores in self._scored(proba, self.point_):
            out[rows] = softmax(scores)[0].T
        return mixed(out, self.uniform_)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        scale, bend, tail = map(float, self.point_[:3])
        logs = proba.at_least(self.zero_[0]).log()
        scores = scale * logs + bend / 10 * (logs * logs) - tail * (1.0 - proba).at_least(self.zero_[1]).log()
        if self.shifted:
            scores = scores + self.point_[np.newaxis, 3:]
        return onnx.mixed(onnx.softmax(scores), self.uniform_, len(self.classes_))


def order_of_rows(proba: NDArray[Any], codes: Codes, sample_weight: Floats) -> NDArray[np.intp]:
    """Return the rows ordered by their largest probability. The order of rows and classes has no effect.

    With two classes, they are ordered by the probability of the class that is more probable on average.
    """
    by_size = np.argsort(np.argsort(sample_weight @ proba))  # the same columns in any order of the classes
    apart = (proba * np.sqrt(by_size + 2.0)).sum(axis=1)  # rows of the same sums are the same
    largest = proba[:, by_size == 1][:, 0] if len(by_size) == 2 else proba.max(axis=1)
    return np.lexsort((by_size[codes], apart, largest))
