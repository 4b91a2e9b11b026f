"""Structured matrix scaling."""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtri
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from skconf._core.checks import check_number
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, row_blocks
from skconf._core.warn import collected
from skconf.calibration import _graph as onnx
from skconf.calibration._base import AmongPresentCalibrator, to_graph
from skconf.calibration._graph import FARTHEST, Tensor
from skconf.calibration._softmax import TemperatureCalibrator, softmax

#: With more classes than this, a matrix of curvature for each of them would fill the memory.
_MOST_MATRICES = 150

#: With more parameters than this, products are of single precision, and the search ends where the loss hardly falls:
#: further digits of so many parameters would be noise of the data, and take most of the time.
_MOST_EXACT = 1000


class MatrixCalibrator(AmongPresentCalibrator):
    """Structured matrix scaling: softmax of an affine map of log-probabilities, with ridge penalties.

    A first calibrator, by default temperature scaling with smoothing, gives z = log p. The scores are z + Δ z + b, with
    a matrix Δ and a shift b. Δ and b minimise Σ w · log loss + r (K |b|² + K |diagonal of Δ|² + K (K − 1) |the rest of
    Δ|²), with K classes and ridge r. There are K (K + 1) parameters, but the penalty keeps a parameter near 0 unless
    the data support another value. The penalty counts as much as a fixed number of samples, so with many samples this
    is plain matrix scaling. No probability from the softmax is below 2⁻⁵²/K, so none is 0 or 1. Another class may
    become the most probable one. With two classes, the order of two samples may also change, but this is rare.

    A class without samples in the calibration data keeps its probability, and a warning names it. The other classes are
    calibrated among themselves and share the remaining probability.

    Parameters
    ----------
    ridge : float, default=1.0
        Strength of the penalty, in (0, ∞). If the calibrator is one of several members of a :class:`PooledCalibrator`,
        a smaller value is better, such as 1/16.
    base : calibrator or None, default=None
        The first calibrator, which is cloned. None uses ``TemperatureCalibrator(smoothing=1)``.

    Attributes
    ----------
    base_ : calibrator
        The first calibrator, fitted on the classes that are present.
    matrix_ : ndarray of shape (n_present, n_present)
        The identity matrix plus Δ, for the classes that are present. Row k gives the score of class k.
    offset_ : ndarray of shape (n_present,)
        The shifts b, one for each class that is present.
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    See Also
    --------
    AffineCalibrator : One scale for all classes, and a shift for each.

    Notes
    -----
    The loss is convex. Its minimum is found by L-BFGS, in variables in which the curvature is about 1. With more than
    31 classes, the search uses single precision, and ends with a mean loss within about 1e-4 of the minimum. Weights
    are repetition counts. The package probmetrics minimises the same loss, but in float32 and without weights. If a
    class has no samples, probmetrics drives the probability of this class towards 0.

    References
    ----------
    .. [1] E. Berta, D. Holzmüller, M. I. Jordan and F. Bach, Structured matrix scaling for multi-class calibration,
       arXiv:2511.03685, 2025.

    Examples
    --------
    >>> from skconf.calibration import MatrixCalibrator
    >>> proba = [[0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    >>> calibrator = MatrixCalibrator().fit(proba, ["a", "b", "b", "c"])
    >>> calibrator.predict_proba([[0.6, 0.3, 0.1]]).round(3)
    array([[0.371, 0.459, 0.17 ]])
    """

    def __init__(self, *, ridge: float = 1.0, base: Any = None) -> None:
        self.ridge = ridge
        self.base = base

    _reads_sizes = True

    def _fit(self, proba: Any, codes: Codes, sample_weight: Floats, classes: Any) -> None:
        check_number(self.ridge, "ridge", np.finfo(float).tiny, open_high=True)
        super()._fit(proba, codes, sample_weight, classes)

    def _fit_present(self, proba: Floats, codes: Codes, sample_weight: Floats) -> None:
        first = TemperatureCalibrator(smoothing=1.0) if self.base is None else clone(self.base)
        with collected():  # warnings that name classes by numbers unknown to the user
            self.base_ = first.fit(proba, codes, sample_weight, labels=np.arange(proba.shape[1]))
        scores = _Scores(self._logs(proba), codes, sample_weight, float(self.ridge))
        change = scores.fit()
        self.matrix_, self.offset_ = change[:, :-1] + np.eye(len(change)), change[:, -1]

    def _logs(self, proba: Floats) -> Floats:
        """Return the log-probabilities of `base_`, and a row of ones, of shape (n_classes + 1, n_rows)."""
        logs = np.ones((proba.shape[1] + 1, len(proba)))
        logs[:-1] = self.base_.predict_proba(proba).T
        np.maximum(logs, np.exp(-FARTHEST), out=logs)
        np.log(logs, out=logs)
        logs[-1] = 1.0
        return logs

    def _calibrate_present(self, proba: Floats) -> Floats:
        out = np.empty(proba.shape)
        for rows in row_blocks(len(proba), 4 * proba.shape[1]):
            scores = np.column_stack([self.matrix_, self.offset_]) @ self._logs(proba[rows])
            out[rows] = softmax(scores, -FARTHEST)[0].T
        return out

    def _present_to_onnx(self, proba: Tensor) -> Tensor:
        base = self.base_.estimator if isinstance(self.base_, FrozenEstimator) else self.base_
        logs = to_graph(base, proba).at_least(float(np.exp(-FARTHEST))).log()
        return onnx.softmax(logs @ self.matrix_.T + self.offset_[np.newaxis], -FARTHEST)


class _Scores:
    """Mean log loss of softmax(W (z, 1)), with W = (1 + Δ, b) and a penalty on Δ and b."""

    def __init__(self, logs: Floats, codes: Codes, sample_weight: Floats, ridge: float) -> None:
        n_classes = len(logs) - 1
        total = float(sample_weight.sum())
        self.logs, self.weight = logs, sample_weight / total
        self.start = np.eye(n_classes, n_classes + 1)
        self.ridge = np.full(self.start.shape, n_classes * max(n_classes - 1, 1) * ridge / total)
        self.ridge[np.diag_indices(n_classes)] = n_classes * ridge / total
        self.ridge[:, -1] = n_classes * ridge / total
        self.seen = np.stack([np.bincount(codes, row * self.weight, n_classes) for row in logs], axis=1)
        self.exact = self.start.size <= _MOST_EXACT
        self.precision = np.float64 if self.exact else np.float32
        self.rounded = logs.astype(self.precision, copy=False)

    def __call__(self, change: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient."""
        weights = self.start + change
        value = float((self.ridge * change**2).sum() - (self.seen * weights).sum())
        gradient = 2 * self.ridge * change - self.seen
        asked = weights.astype(self.precision, copy=False)
        for rows in row_blocks(self.logs.shape[1], 4 * len(self.logs)):
            proba, sums = softmax(np.matmul(asked, self.rounded[:, rows]), -FARTHEST)
            proba *= self.weight[rows].astype(self.precision)
            value += float(self.weight[rows] @ sums)
            gradient += np.matmul(proba, self.rounded[:, rows].T)
        return value, gradient

    def fit(self) -> Floats:
        """Return Δ and b, side by side, with the least loss."""
        root = self._roots()

        def change(point: Floats) -> Floats:
            point = point.reshape(self.start.shape)
            return root * point if root.ndim == 2 else np.matmul(root, point[:, :, np.newaxis])[:, :, 0]

        def loss(point: Floats) -> tuple[float, Floats]:
            value, gradient = self(change(point))
            steps = root * gradient if root.ndim == 2 else np.matmul(gradient[:, np.newaxis], root)[:, 0]
            return value, steps.ravel()

        end = {"ftol": 1e-15, "gtol": 3e-6} if self.exact else {"ftol": 1e-6, "gtol": 1e-3}
        options = {"maxiter": 500, "maxcor": 20, **end}
        return change(minimize(loss, np.zeros(self.start.size), jac=True, method="L-BFGS-B", options=options).x)

    def _roots(self) -> Floats:
        """Return for each class a matrix that scales the curvature to about 1; with many classes, its diagonal."""
        proba, _ = softmax(self.start @ self.logs, -FARTHEST)
        spread = (proba * (1 - proba)) @ self.weight
        if len(spread) > _MOST_MATRICES:
            return 1 / np.sqrt(np.outer(spread, self.logs**2 @ self.weight) + 2 * self.ridge)
        second = (self.logs * self.weight) @ self.logs.T
        curvature = spread[:, np.newaxis, np.newaxis] * second
        diagonal = np.arange(len(second))
        curvature[:, diagonal, diagonal] += 2 * self.ridge
        curvature[:, diagonal, diagonal] *= 1 + 1e-9
        # numpy would invert each factor as if it were full, which takes five times as long.
        return np.stack([dtrtri(factor, lower=1)[0].T for factor in np.linalg.cholesky(curvature)])
