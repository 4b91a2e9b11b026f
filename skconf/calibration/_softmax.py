"""Temperature scaling and affine calibration: one softmax of scaled log-probabilities for all classes."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from skconf._core.checks import check_number
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, row_blocks
from skconf._core.warn import warn
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Calibrator, check_repetitions, mixed, rows_to_one, zero_stand_in
from skconf.calibration._graph import Tensor

#: The temperature for probabilities no better than uniform ones: it makes them nearly uniform and keeps their order.
_HOTTEST = 1e4

#: The ridge that holds parameters near their start until the last steps, so that flat directions are not followed.
_TIE = 1e-9


class TemperatureCalibrator(Calibrator):
    """Temperature scaling: softmax(log p / T). All classes share one temperature T, which maximises the likelihood.

    The order of the classes by probability does not change, so no prediction changes. T > 1 lowers the confidences, T <
    1 raises them. Because there is only one parameter, a few hundred samples are enough for a thousand classes. A class
    without samples in the calibration data is scaled like the others, and a warning names it. If only one class is
    present, T is 1.

    If every sample is right, the likelihood has no maximum: T would go to zero, and every confidence to one. Platt's
    targets are then used: (n + 1)/(n + 2) for the true class, and equal parts of the remaining probability for the
    other classes, where n is the sum of the weights. If the probabilities are not better than uniform probabilities,
    1/T would be zero or negative. T is then 1e4, and a warning says so.

    Parameters
    ----------
    smoothing : float, default=0.0
        Weight of the uniform distribution that is mixed into every row, as a number of samples, in [0, ∞). Let n be the
        sum of the sample weights, K the number of classes, and s the smoothing. Every calibrated probability p becomes
        (n p + s/K)/(n + s). The calibration "smoothed_temperature" uses s = 1, the weight of one sample. No probability
        is then below 1/((n + 1) K), so the log loss of a sample is at most log((n + 1) K). T is fitted before the
        mixing.

    Attributes
    ----------
    temperature_ : float
        The temperature T, positive and finite.
    uniform_ : float
        The share of the uniform distribution in the mixture, s/(n + s). It is 0 if only one class is present.
    smallest_ : float
        The value that replaces a probability of 0. If the calibration data contain zeros, it is half the smallest
        positive probability in the data; otherwise it is at most 1e-8.
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    See Also
    --------
    AffineCalibrator : With a shift for each class.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML, 2017.

    Examples
    --------
    >>> from skconf.calibration import TemperatureCalibrator
    >>> proba = [[0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    >>> calibrator = TemperatureCalibrator().fit(proba, ["a", "b", "b", "c"])
    >>> round(calibrator.temperature_, 3)
    1.613
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.505, 0.329, 0.166]])
    """

    _absent = "scales the probabilities of {} like the probabilities of the other classes"

    def __init__(self, *, smoothing: float = 0.0) -> None:
        self.smoothing = smoothing

    @property
    def _reads_sizes(self) -> bool:
        return self.smoothing != 0

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        check_number(self.smoothing, "smoothing", 0.0, open_high=True)
        self.smallest_, self.temperature_, self.uniform_ = zero_stand_in(proba), 1.0, 0.0
        if not self._find_present(codes, sample_weight, classes).any():
            return
        data = _Data(proba, slice(None), self.smallest_, codes, sample_weight)
        scale, _ = _most_likely(data, type(self).__name__, shifted=False)
        if scale * _HOTTEST < 1:
            warn(
                f"{type(self).__name__} makes probabilities nearly uniform (T = {_HOTTEST:g}), because the "
                "probabilities in the calibration data are no better than uniform ones. Check that the columns are "
                "in the order of the labels.",
            )
        self.temperature_ = 1 / max(scale, 1 / _HOTTEST)
        self.uniform_ = self.smoothing / (data.total + self.smoothing)

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        if self.temperature_ == 1:
            return mixed(rows_to_one(np.maximum(proba, 0.0, dtype=np.float64)), self.uniform_)
        out = np.empty(proba.shape)
        for rows in _blocks(proba):
            out[rows] = softmax(_logs(proba[rows], self.smallest_) / self.temperature_)[0].T
        return mixed(out, self.uniform_)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        n_classes = len(self.classes_)
        if self.temperature_ == 1:
            return onnx.mixed(onnx.rows_to_one(proba.at_least(0.0), n_classes), self.uniform_, n_classes)
        scores = proba.at_least(self.smallest_).log() / self.temperature_
        return onnx.mixed(onnx.softmax(scores), self.uniform_, n_classes)


class AffineCalibrator(Calibrator):
    """Affine calibration: softmax(α log p + β), with one scale α for all classes, and a shift β for each class.

    The parameters maximise the likelihood. Without shifts, this is temperature scaling. The shifts correct the
    probabilities if the class frequencies differ from those in training. For two classes, affine calibration is Platt
    scaling on the logit, without the smoothed targets.

    A class without samples in the calibration data would have a shift of minus infinity. Its probability therefore
    stays unchanged, and a warning names it. The other classes are calibrated among themselves and share the remaining
    probability.

    If some scale and shifts make every sample right, the likelihood has no maximum, and every confidence would go to
    one. Platt's targets are then used: (n + 1)/(n + 2) for the true class, and equal parts of the remaining probability
    for the other classes, where n is the sum of the weights.

    Attributes
    ----------
    slope_ : float
        The scale α, which is 1/T in temperature scaling. It is negative if the least probable classes are the right
        ones.
    offset_ : ndarray of shape (n_classes,)
        The shifts β, with sum zero. The shift is 0 for a class that was not calibrated.
    smallest_ : float
        The value that replaces a probability of 0. If the calibration data contain zeros, it is half the smallest
        positive probability in the data; otherwise it is at most 1e-8.
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    See Also
    --------
    TemperatureCalibrator : Without the shifts, for little data or many classes.

    References
    ----------
    .. [1] N. Brümmer and D. A. van Leeuwen, On calibration of scores in language recognition, Odyssey, 2006.
    .. [2] L. Estienne, E. Ernst, M. Vera, P. Piantanida and L. Ferrer, ECUAS_n: A family of metrics for principled
       evaluation of uncertainty-augmented systems, arXiv:2605.20490, 2026, equation (18).

    Examples
    --------
    >>> from skconf.calibration import AffineCalibrator
    >>> proba = [[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6], [0.4, 0.5, 0.1]]
    >>> calibrator = AffineCalibrator().fit(proba, ["a", "b", "b", "c", "a"])
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.794, 0.196, 0.01 ]])
    """

    def _fit(self, proba: NDArray[Any], codes: Codes, sample_weight: Floats, classes: NDArray[Any]) -> None:
        present = self._find_present(codes, sample_weight, classes)
        self.smallest_, self.slope_, self.offset_ = zero_stand_in(proba), 1.0, np.zeros(len(classes))
        self._fitted = np.flatnonzero(present)
        if present.any():
            among = np.cumsum(present)[codes] - 1
            data = _Data(proba, self._fitted, self.smallest_, among, sample_weight)
            self.slope_, beta = _most_likely(data, type(self).__name__, shifted=True)
            self.offset_[present] = beta - beta.mean()

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        out = np.maximum(proba, 0.0, dtype=np.float64)
        if len(self._fitted):
            for rows in _blocks(proba):
                given = out[rows, self._fitted]
                scores = self.slope_ * _logs(given, self.smallest_) + self.offset_[self._fitted, np.newaxis]
                out[rows, self._fitted] = softmax(scores)[0].T * given.sum(axis=1, keepdims=True)
        return rows_to_one(out)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        n_classes, out = len(self.classes_), proba.at_least(0.0)
        if len(self._fitted):
            given = out.columns(self._fitted)
            scores = self.slope_ * given.at_least(self.smallest_).log() + self.offset_[np.newaxis, self._fitted]
            out = out.replaced(self._fitted, onnx.softmax(scores) * given.sum(), n_classes)
        return onnx.rows_to_one(out, n_classes)


def _blocks(proba: NDArray[Any]) -> list[slice]:
    """Divide rows into blocks, so small that several fit into the cache."""
    return row_blocks(len(proba), 8 * proba.shape[1])


def _logs(proba: NDArray[Any], zero: float) -> Floats:
    """Return transposed log-probabilities, of shape (n_classes, n_rows), for fast sums over classes."""
    logs = np.array(proba.T, dtype=np.float64, order="C")
    return np.log(np.maximum(logs, zero, out=logs), out=logs)


def softmax(scores: Floats, lowest: float | None = None) -> tuple[Floats, Floats]:
    """Compute softmax over the first axis in place. Return the result, and the logarithms of the sums of exponentials.

    Differences to the highest score of the column are clipped to `lowest` (a negative number) or more.
    """
    top = scores.max(axis=0)
    scores -= top
    if lowest is not None:
        np.maximum(scores, lowest, out=scores)
    total = np.exp(scores, out=scores).sum(axis=0)
    scores /= total
    return scores, top + np.log(total)


class _Data:
    """Probabilities for fitting. Iterating yields log-probabilities, codes and weights of blocks of rows.

    The greatest log-probability of each row is subtracted from the row. Weights sum to one.
    """

    def __init__(
        self, proba: NDArray[Any], columns: slice | Codes, zero: float, codes: Codes, sample_weight: Floats
    ) -> None:
        self.proba, self.columns, self.zero, self.codes = proba, columns, zero, codes
        self.sizes, self.total = sample_weight, float(sample_weight.sum())
        self.weight = sample_weight / self.total
        self.n_classes = proba[0, columns].size

    def __iter__(self) -> Iterator[tuple[Floats, Codes, Floats]]:
        for rows in _blocks(self.proba):
            logs = _logs(self.proba[rows, self.columns], self.zero)
            logs -= logs.max(axis=0)
            yield logs, self.codes[rows], self.weight[rows]


class _LogPartition:
    """Mean logarithm of Σ exp(α z + β) over classes, with z = log p, as a function of α and, if `shifted`, of β.

    The mean log loss is this function minus terms that are linear in the parameters. The parameters are scaled and
    decorrelated: z is divided by a unit and, if there are shifts, centred at the mean m of its class. So the parameters
    are (unit · α, β + α m).
    """

    def __init__(self, data: _Data, means: Floats, unit: float, *, shifted: bool) -> None:
        self.data, self.means, self.unit, self.shifted = data, means[:, np.newaxis], unit, shifted

    def scores(self, point: Floats, logs: Floats) -> Floats:
        """Return α z + β, with the log-probabilities z scaled in place."""
        if self.shifted:
            logs -= self.means
        logs /= self.unit
        scores = point[0] * logs
        if self.shifted:
            scores += point[1:, np.newaxis]
        return scores

    def __call__(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Return the value, its gradient (means of derivatives of scores) and its Hessian (their covariances)."""
        value, gradient, hessian = 0.0, np.zeros(len(point)), np.zeros((len(point), len(point)))
        for logs, _, weight in self.data:
            proba, normaliser = softmax(self.scores(point, logs))
            expected = np.einsum("kb,kb->b", proba, logs)
            value += float(weight @ normaliser)
            gradient[0] += weight @ expected
            weighted = proba * weight
            if self.shifted:
                gradient[1:] += weighted.sum(axis=1)
                hessian[1:, 1:] -= weighted @ proba.T
            weighted *= logs
            hessian[0, 0] += np.vdot(weighted, logs) - weight @ expected**2
            if self.shifted:
                hessian[0, 1:] += weighted.sum(axis=1) - proba @ (weight * expected)
        if self.shifted:
            hessian[1:, 0] = hessian[0, 1:]
            hessian[1:, 1:] += np.diag(gradient[1:])
        return value, gradient, hessian

    def all_right(self, point: Floats) -> bool:
        """Return whether the true class of every sample has the highest score."""
        for logs, codes, _ in self.data:
            scores = self.scores(point, logs)
            own = codes, np.arange(len(codes))
            true = scores[own]
            scores[own] = -np.inf
            if (true <= scores.max(axis=0)).any():
                return False
        return True


def _most_likely(data: _Data, caller: str, *, shifted: bool) -> tuple[float, Floats]:
    """Return the α and β of the largest likelihood. If it has no maximum, use smoothed targets.

    The sizes of weights matter only for smoothed targets. So only these lead to a warning if the weights can hardly be
    repetition counts.
    """
    sums, squares, own = np.zeros(data.n_classes), 0.0, 0.0
    for logs, codes, weight in data:
        sums += logs @ weight
        squares += float(np.square(logs).sum(axis=0) @ weight)
        own += float(logs[codes, np.arange(len(codes))] @ weight)
    share = np.bincount(data.codes, data.weight, data.n_classes)
    means = sums if shifted else np.zeros(data.n_classes)
    unit = float(np.sqrt(squares / data.n_classes)) or 1.0
    partition = _LogPartition(data, means, unit, shifted=shifted)

    def maximum(missed: float) -> Floats:
        """Return the best parameters for smoothed targets, of which a part `missed` is given to the other classes."""
        other = missed / (data.n_classes - 1)
        target = (1 - missed) * share + other * (1 - share)
        along = (1 - missed) * own + other * (sums.sum() - own) - target @ means
        observed = np.append(along / unit, target)
        if not shifted:
            return _least_scale(partition, float(observed[0]), unit)
        return _minimum(partition, observed, np.append(unit, means))

    point = maximum(0.0)
    if (shifted or point[0] > 0) and partition.all_right(point):
        check_repetitions(caller, data.sizes, 1.0)
        point = maximum(1 / (data.total + 2))  # without smoothing there is no maximum
    scale = float(point[0]) / unit
    return scale, point[1:] - scale * means if shifted else means


def _minimum(partition: _LogPartition, observed: Floats, start: Floats) -> Floats:
    """Return the minimum of the mean log loss, to the last digits."""

    @lru_cache(maxsize=1)
    def loss(point: bytes) -> tuple[float, Floats, Floats]:
        value, gradient, hessian = partition(np.frombuffer(point))
        return value - float(observed @ np.frombuffer(point)), gradient - observed, hessian

    def tied(point: Floats) -> tuple[float, Floats]:
        value, gradient, _ = loss(point.tobytes())
        moved = point - start
        return value + _TIE / 2 * float(moved @ moved), gradient + _TIE * moved

    # A trust region gets close from anywhere; where rounding of the loss stops it, Newton's method goes on.
    point = minimize(
        tied,
        start,
        jac=True,
        hess=lambda point: loss(point.tobytes())[2] + _TIE * np.eye(len(point)),
        method="trust-exact",
        options={"gtol": 1e-6},
    ).x
    _, gradient, hessian = loss(point.tobytes())
    for _ in range(5):
        moved = point - np.linalg.pinv(hessian, rcond=1e-12, hermitian=True) @ gradient
        _, new_gradient, new_hessian = loss(moved.tobytes())
        if np.abs(new_gradient).max() > np.abs(gradient).max() / 2:
            break
        point, gradient, hessian = moved, new_gradient, new_hessian
    return point


def _least_scale(partition: _LogPartition, observed: float, start: float) -> Floats:
    """Return the scale with the least mean log loss, without shifts, to the last digits.

    Newton's method stays between scales where the loss falls and where it rises.
    """
    scale, low, high = start, -np.inf, np.inf
    for _ in range(200):
        _, gradient, hessian = partition(np.array([scale]))
        slope, bend = float(gradient[0]) - observed, float(hessian[0, 0])
        if abs(slope) < 1e-13:  # if every sample is right, the slope is never 0
            break
        low, high = (low, scale) if slope > 0 else (scale, high)
        farthest = abs(scale) + 1.0
        moved = scale - min(max(slope / max(bend, 1e-300), -farthest), farthest)
        if not low < moved < high:
            moved = (low + high) / 2
        step, scale = moved - scale, moved
        if abs(step) < 1e-6 * abs(scale):
            break  # the error that is left is about the square of this
    return np.array([scale])
