"""Isotonic calibration."""

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from skconf._probabilities import Floats
from skconf.calibration._base import Column, OneVsRestCalibrator


class IsotonicCalibrator(OneVsRestCalibrator):
    """Isotonic calibration: the best non-decreasing function of the probability, linear between its plateaus.

    Plain isotonic regression gives exactly 0 and 1 on its end plateaus, where the calibration data happened to hold
    only one outcome, and is then wrong at full confidence; see the calibrated size ratio. More than two classes are
    calibrated one against the rest, and rows scaled to sum to one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    References
    ----------
    .. [1] B. Zadrozny and C. Elkan, Transforming classifier scores into accurate multiclass probability estimates,
       KDD, 2002.

    Examples
    --------
    >>> from skconf.calibration import IsotonicCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = IsotonicCalibrator().fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.65, 0.95])
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    """

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        # Without "clip" scikit-learn returns NaN on training points that lie within rounding of each other.
        regression = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        regression.fit(proba, target.astype(np.float64), sample_weight=sample_weight)
        return _Monotone(regression)


class _Monotone:
    """A fitted isotonic regression."""

    def __init__(self, regression: IsotonicRegression) -> None:
        self.regression = regression

    def __call__(self, proba: Floats) -> Floats:
        return np.asarray(self.regression.predict(proba), dtype=np.float64)
