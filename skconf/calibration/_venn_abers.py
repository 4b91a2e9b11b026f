"""Venn–Abers predictors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import EPS, Column, OneVsRestCalibrator
from skconf.calibration._graph import Tensor
from skconf.calibration._isotonic import plateaus, with_further


class VennAbersCalibrator(OneVsRestCalibrator):
    """Inductive Venn–Abers calibration: two isotonic regressions, and a probability between them.

    For each class and each new sample, two isotonic regressions are fitted to the calibration data and the sample. In
    the first regression, the sample is labelled as the class; p₁ is the value of this regression at the sample. In the
    second regression, the sample is labelled as another class; p₀ is the value of this regression at the sample. If
    samples are exchangeable, the regression in which the sample has its true label gives a calibrated value, for any
    classifier. Because this label is unknown, the result is p₁/(1 − p₀ + p₁). For either label, the log loss of the
    result exceeds the log loss of the calibrated value by log(1 − p₀ + p₁). Any other result would have a larger excess
    for one of the labels. The result is never exactly 0 or 1, and never falls if the raw probability rises. If there
    are more than two classes, each class is calibrated against the rest, and rows are scaled to sum to one.

    A class without samples in the calibration data keeps its probability, except that rows are scaled to sum to one.

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
    IsotonicCalibrator : A single regression. With ``smoothing=1``, its result lies between these two regressions.

    Notes
    -----
    Both regressions are computed for all calibration samples at once, and looked up for prediction. Between the
    probabilities of two calibration samples, p₁ is the value at the next sample above, and p₀ the value at the next
    sample below. Weights are repetition counts.

    References
    ----------
    .. [1] V. Vovk, I. Petej and V. Fedorova, Large-scale probabilistic predictors with and without guarantees of
       validity, NeurIPS, 2015.

    Examples
    --------
    >>> from skconf.calibration import VennAbersCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = VennAbersCalibrator().fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.65, 0.95]).round(2)
    array([[0.75, 0.25],
           [0.5 , 0.5 ],
           [0.25, 0.75]])
    >>> calibrator.predict_interval([0.05, 0.65, 0.95])[:, 1].round(2)
    array([[0.  , 0.33],
           [0.33, 0.67],
           [0.67, 1.  ]])
    """

    _reads_sizes = True

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        return _Pair(proba, target, sample_weight)

    def predict_interval(self, proba: ArrayLike) -> Floats:
        """Return both probabilities p₀ and p₁ of every class.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities. The columns are in the order of ``classes_``, or are found by name as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes, 2)
            Lower and upper probability of each class against the rest, in [0, 1]. Rows are not scaled. For a class that
            was not calibrated, the lower and the upper probability are the raw probability.
        """
        check_is_fitted(self)
        columns = self._checked_columns(proba)
        out = np.repeat(np.clip(columns, 0.0, 1.0).astype(np.float64)[:, :, np.newaxis], 2, axis=2)
        for k, pair in self.columns_.items():
            out[:, k] = np.stack(pair.bounds(columns[:, k].astype(np.float64)), axis=1)  # type: ignore[attr-defined]
        if len(self.classes_) == 2 and self.columns_:
            (fitted,) = self.columns_
            out[:, 1 - fitted] = 1 - out[:, fitted, ::-1]
        return out


class _Pair:
    """Two isotonic regressions for each probability: with one more negative or one more positive sample there."""

    def __init__(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> None:
        self.values, where = np.unique(proba, return_inverse=True)
        positive, negative = (
            np.bincount(where, sample_weight * outcome).astype(np.float64) for outcome in (target, ~target)
        )
        low, high = with_further(plateaus(positive, negative), positive, negative, 1.0)
        # There is no next value below the least one, and none above the greatest one.
        self.low, self.high = np.append(0.0, low), np.append(high, 1.0)

    def bounds(self, proba: Floats) -> tuple[Floats, Floats]:
        """Return p₀ and p₁, the values of the two regressions at each probability."""
        below, above = (np.searchsorted(self.values, proba, side) for side in ("right", "left"))
        return self.low[below], self.high[above]

    def __call__(self, proba: Floats) -> Floats:
        low, high = self.bounds(proba)
        return np.clip(high / (1 - low + high), EPS, 1 - EPS)

    def onnx(self, proba: Tensor) -> Tensor:
        low = onnx.reached(proba, self.values).take_from(self.low)
        high = onnx.passed(proba, self.values).take_from(self.high)
        return (high / (1.0 - low + high)).at_least(EPS).at_most(1 - EPS)
