"""Calibration of the confidence only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Calibrator, rows_to_one, to_graph
from skconf.calibration._graph import Tensor
from skconf.calibration._pooled import make_calibrator


class ConfidenceCalibrator(Calibrator):
    """Calibration of the confidence: P(the most probable class is right), whichever class it is.

    The calibrator learns a single binary task for all classes together. This needs far fewer samples than a separate
    task for each class. The calibrated value replaces the probability of the most probable class. The other
    probabilities of the row are scaled so that the row sums to one; if they are all zero, they become equal. Another
    class may then be more probable than the predicted one. Use ``keep_prediction=True`` of
    :class:`~skconf.SelectiveClassifier` to keep the prediction.

    Parameters
    ----------
    calibrator : str or calibrator, default="platt"
        The calibrator that learns P(right | confidence). Pass a name, such as "isotonic", or an object with the methods
        ``fit(proba, y, sample_weight, labels=...)`` and ``predict_proba(proba)``. It is cloned.

    Attributes
    ----------
    calibrator_ : calibrator
        The calibrator, fitted on confidences and on whether each answer was right. The second column of its
        probabilities is P(right).
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    Notes
    -----
    If answers have no classes, such as the answers of a generative system, fit any other calibrator instead, with
    ``fit(confidence, correct, labels=[False, True])``. Then ``predict_proba(confidence)[:, 1]`` is the calibrated
    confidence.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks, ICML, 2017.

    Examples
    --------
    >>> from skconf.calibration import ConfidenceCalibrator
    >>> proba = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]]
    >>> calibrator = ConfidenceCalibrator("histogram").fit(proba, ["a", "b", "c", "b", "a"])
    >>> calibrator.predict_proba([[0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]).round(3)
    array([[0.5  , 0.125, 0.375],
           [0.167, 0.167, 0.667]])
    """

    def __init__(self, calibrator: Any = "platt") -> None:
        self.calibrator = calibrator

    _reads_sizes = None

    def _fit(
        self,
        proba: NDArray[Any],
        codes: Codes,
        sample_weight: Floats,
        classes: NDArray[Any],  # noqa: ARG002
    ) -> None:
        predicted = proba.argmax(axis=1)
        calibrator = clone(make_calibrator(self.calibrator))
        confidence = proba[np.arange(len(proba)), predicted]
        self.calibrator_ = calibrator.fit(confidence, predicted == codes, sample_weight, labels=[False, True])

    def _calibrate(self, proba: NDArray[Any]) -> Floats:
        surest = np.arange(len(proba)), proba.argmax(axis=1)
        confidence = self.calibrator_.predict_proba(proba[surest])[:, 1]
        out = np.maximum(proba, 0.0, dtype=np.float64)
        out[surest] = 0.0
        out[out.sum(axis=1) == 0] = 1.0  # no ratios to keep: share in equal parts
        out[surest] = 0.0
        others = out.sum(axis=1, keepdims=True)
        out /= np.where(others > 0, others, 1.0)
        out *= (1 - confidence)[:, np.newaxis]
        out[surest] = confidence
        out[proba[surest] <= 0] = 1.0
        return rows_to_one(out)

    def _to_onnx(self, proba: Tensor) -> Tensor:
        n_classes = len(self.classes_)
        surest = proba.is_first_largest(n_classes)
        top = proba.largest()
        confidence = to_graph(self.calibrator_, (1.0 - top).beside(top)).columns([1])
        others = surest.if_else(0.0, proba.at_least(0.0))
        held = others.sum()
        shared = (held > 0.0).if_else(others / (held > 0.0).if_else(held, 1.0), 1.0 / (n_classes - 1))
        out = surest.if_else(confidence, shared * (1.0 - confidence))
        return onnx.rows_to_one((top > 0.0).if_else(out, 1.0), n_classes)
