"""Platt scaling."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from skconf._probabilities import Floats
from skconf.calibration._base import Column, OneVsRestCalibrator, safe_logit


class PlattCalibrator(OneVsRestCalibrator):
    """Platt scaling: a sigmoid of the logit, with smoothed targets.

    For each class, P = 1 / (1 + exp(−(a f + b))), with f the logit of its probability, and a and b of largest
    likelihood. The targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) rather than 1 and 0, with sums of weights for counts,
    which keeps a and b finite. More than two classes are calibrated one against the rest, and rows scaled to sum to
    one.

    Parameters
    ----------
    on : {"logit", "proba"}, default="logit"
        What the sigmoid is a function of. "proba" takes the probability itself, as scikit-learn's sigmoid calibration
        of classifiers with only ``predict_proba`` did, and the CSR paper with it: its output lies between those at the
        probabilities 0 and 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.

    References
    ----------
    .. [1] J. Platt, Probabilistic outputs for support vector machines and comparisons to regularized likelihood
       methods, Advances in Large Margin Classifiers, 1999.
    .. [2] H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's probabilistic outputs for support vector machines,
       Machine Learning 68, 2007.

    Examples
    --------
    >>> from skconf.calibration import PlattCalibrator
    >>> proba = [0.1, 0.2, 0.9, 0.6, 0.7, 0.9]
    >>> calibrator = PlattCalibrator().fit(proba, ["no", "no", "yes", "no", "yes", "yes"])
    >>> calibrator.predict_proba([0.05, 0.95]).round(2)
    array([[0.92, 0.08],
           [0.14, 0.86]])
    """

    def __init__(self, *, on: str = "logit") -> None:
        self.on = on

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        if self.on not in ("logit", "proba"):
            raise ValueError(f"on must be 'logit' or 'proba', but is {self.on!r}.")
        feature = safe_logit if self.on == "logit" else np.asarray
        positive = float(sample_weight @ target)
        negative = float(sample_weight.sum()) - positive
        smoothed = np.where(target, (positive + 1) / (positive + 2), 1 / (negative + 2))
        slope, intercept = fit_sigmoid(feature(proba), smoothed, sample_weight)
        return _Sigmoid(feature, slope, intercept)


class _Sigmoid:
    """σ(slope · feature(p) + intercept)."""

    def __init__(self, feature: Column, slope: float, intercept: float) -> None:
        self.feature, self.slope, self.intercept = feature, slope, intercept

    def __call__(self, proba: Floats) -> Floats:
        return np.asarray(expit(self.slope * self.feature(proba) + self.intercept))


def fit_sigmoid(feature: Floats, target: Floats, sample_weight: Floats) -> tuple[float, float]:
    """Return slope and intercept of the logistic curve of largest likelihood, by Newton's method.

    Parameters
    ----------
    feature : ndarray of shape (n,)
        What the curve is a function of.
    target : ndarray of shape (n,)
        Probabilities to match, strictly between 0 and 1, so that a finite optimum exists.
    sample_weight : ndarray of shape (n,)
        Weights.

    Returns
    -------
    slope, intercept : float
    """
    # A centred and scaled feature keeps the two parameters from trading places.
    total = sample_weight.sum()
    centre = sample_weight @ feature / total
    spread = np.sqrt(sample_weight @ (feature - centre) ** 2 / total) or 1.0
    scaled = (feature - centre) / spread
    mean = sample_weight @ target / total
    point = np.array([0.0, logit(mean)])

    def loss(at: Floats) -> float:
        margin = at[0] * scaled + at[1]
        return float(sample_weight @ (np.logaddexp(0, margin) - target * margin))

    value = loss(point)
    for _ in range(100):
        fitted = expit(point[0] * scaled + point[1])
        residual = sample_weight * (fitted - target)
        gradient = np.array([residual @ scaled, residual.sum()])
        if np.abs(gradient).max() <= 1e-10 * total:
            break
        curvature = sample_weight * fitted * (1 - fitted)
        cross = curvature @ scaled
        hessian = np.array([[curvature @ (scaled * scaled), cross], [cross, curvature.sum()]])
        step = np.linalg.solve(hessian + 1e-12 * total * np.eye(2), gradient)
        for _halving in range(50):
            moved = loss(point - step)
            if moved <= value:
                break
            step = step / 2
        else:
            break
        point, value = point - step, moved
    slope = point[0] / spread
    return float(slope), float(point[1] - slope * centre)
