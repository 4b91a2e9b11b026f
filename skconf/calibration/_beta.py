"""Beta calibration."""

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf.calibration import _graph as onnx
from skconf.calibration._base import Column, OneVsRestCalibrator
from skconf.calibration._graph import Tensor
from skconf.calibration._logistic import Logistic, Prior, sigmoid
from skconf.calibration._platt import Logit

#: The penalty counts as one sample. It draws to a = b = 1 and c = 0, the unchanged probability.
_PRIOR = Prior(np.array([0.0, 1.0, 1.0]), np.eye(3), np.array([False, True, True]))


class BetaCalibrator(OneVsRestCalibrator):
    """Beta calibration: P = 1/(1 + exp(−(a ln p − b ln(1 − p) + c))), with a and b not negative.

    This is the right correction if the probabilities p have a beta distribution in each of the two classes. With a = b,
    beta calibration is Platt scaling of the log-odds. Unlike Platt scaling, it can change probabilities near 0 and
    leave probabilities near 1 as they are, or the reverse. The curve never falls. If there are more than two classes,
    each class is calibrated against the rest, and rows are scaled to sum to one. The sigmoid stays at least 2⁻⁵² away
    from 0 and 1, so no class gets exactly 0 or 1.

    The parameters minimise Σ w · log loss + (a − 1)² + (b − 1)² + c² over a, b ≥ 0. The penalty pulls towards the
    unchanged probability, about as strongly as one sample would. It keeps parameters finite if the classes are
    separated.

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
    PlattCalibrator : The same curve with a = b; smoothed targets take the place of the penalty.
    QuadraticCalibrator : Another curve of three parameters.

    Notes
    -----
    If a fit gives a negative a or b, the package betacal sets this parameter to 0 and fits again, but then the other
    parameter may be negative. For reversed probabilities, the curve of betacal falls, and the curve of
    ``BetaCalibrator`` is constant. betacal has no effective penalty, so it gives exactly 0 and 1 if the classes are
    separated. Weights are repetition counts.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho and P. Flach, Beta calibration: a well-founded and easily implemented improvement on
       logistic calibration for binary classifiers, AISTATS, 2017.

    Examples
    --------
    >>> from skconf.calibration import BetaCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = BetaCalibrator().fit(proba, ["no", "no", "yes", "yes", "no", "yes"])
    >>> calibrator.predict_proba([0.05, 0.95]).round(2)
    array([[0.97, 0.03],
           [0.05, 0.95]])
    """

    _reads_sizes = True

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        curve = _Curve(Logit(proba))
        curve.point = Logistic(curve.features(proba), target, sample_weight).fit(_PRIOR)
        return curve


class _Curve:
    """σ(a ln p − b ln(1 − p) + c); `point` is (c, a, b)."""

    def __init__(self, logit: Logit) -> None:
        self.logit, self.point = logit, _PRIOR.centre

    def features(self, proba: Floats) -> Floats:
        inner = np.clip(proba, self.logit.low, self.logit.high)
        return np.stack([np.ones(len(inner)), np.log(inner), -np.log1p(-inner)])

    def __call__(self, proba: Floats) -> Floats:
        return sigmoid(self.point @ self.features(proba))

    def onnx(self, proba: Tensor) -> Tensor:
        inner = self.logit.clipped(proba)
        height, for_it, against = map(float, self.point)
        return onnx.sigmoid(height + for_it * inner.log() - against * (1.0 - inner).log())
