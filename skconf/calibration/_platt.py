"""Platt scaling."""

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats, row_blocks
from skconf.calibration import _graph as onnx
from skconf.calibration._base import EPS, Column, OneVsRestCalibrator, zero_stand_in
from skconf.calibration._graph import Tensor
from skconf.calibration._logistic import sigmoid

#: Number of groups of close values that stand for the samples until the last step.
_GROUPS = 2048


class PlattCalibrator(OneVsRestCalibrator):
    """Platt scaling: a sigmoid of the logit, with smoothed targets.

    For each class, P = 1 / (1 + exp(−(a f + b))), where f is the logit of its probability. a and b maximise the
    likelihood. The targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) instead of 1 and 0, where n₊ and n₋ are the sums of the
    weights of positives and negatives. This keeps a and b finite. If there are more than two classes, each class is
    calibrated against the rest, and rows are scaled to sum to one. The sigmoid stays at least 2⁻⁵² away from 0 and 1,
    so no class gets a probability of 0 or 1.

    In the range of the calibration data, the smoothed targets keep the output much farther away from 0 and 1 than 2⁻⁵².
    Outside this range, they do not: if a threshold separates the classes in the calibration data, the sigmoid is steep,
    and its output there is close to 0 or 1. For example, take 100 samples with probabilities from 0.05 to 0.95 in equal
    steps; the label is positive above 0.5. Fitted to these samples, Platt scaling maps 0.999 to 1 − 6e-14, and "pooled"
    maps it to 0.996.

    A class without samples in the calibration data keeps its probability, except that rows are scaled to sum to one.

    Parameters
    ----------
    on : {"logit", "proba"}, default="logit"
        The argument of the sigmoid: the logit of the probability, or the probability itself. With "proba", the output
        lies between the values of the sigmoid at 0 and at 1. The paper on the calibrated size ratio (CSR) uses the
        probability; so does scikit-learn's sigmoid calibration (1.9 and before) if the classifier has no
        ``decision_function``. With "logit", probabilities of 0 are first replaced by a small positive number. If the
        calibration data contain zeros, this number is half the smallest positive probability of the class; otherwise it
        is at most 1e-8. Probabilities of 1 are replaced by 1 minus such a number, which is computed in the same way
        from the distances to 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the columns.
    columns_ : dict of int to callable
        The fitted curve of each calibrated class; its key is the position of the class in ``classes_``. A curve maps a
        probability to a calibrated probability, before rows are scaled to sum to one. With two classes, there is one
        curve.

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

    _reads_sizes = True

    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        if self.on not in ("logit", "proba"):
            raise ValueError(f"on must be 'logit' or 'proba', but is {self.on!r}.")
        feature: Column = Logit(proba) if self.on == "logit" else _Itself()
        return _Sigmoid(feature, *fit_sigmoid(feature(proba), target, sample_weight))


class Logit:
    """The log-odds of a probability, with 0 and 1 replaced by values from the calibration data."""

    def __init__(self, proba: Floats) -> None:
        self.low, self.high = zero_stand_in(proba), 1 - zero_stand_in(1 - proba)

    def __call__(self, proba: Floats) -> Floats:
        inner = np.clip(proba, self.low, self.high)
        inner /= 1 - inner
        return np.log(inner, out=inner)

    def onnx(self, proba: Tensor) -> Tensor:
        inner = self.clipped(proba)
        return (inner / (1.0 - inner)).log()

    def clipped(self, proba: Tensor) -> Tensor:
        """Return a probability with 0 and 1 replaced, in a graph."""
        return proba.at_least(self.low).at_most(self.high)


class _Itself:
    """The unchanged probability."""

    def __call__(self, proba: Floats) -> Floats:
        return np.asarray(proba)

    def onnx(self, proba: Tensor) -> Tensor:
        return proba


class _Sigmoid:
    """σ(slope · feature(p) + intercept)."""

    def __init__(self, feature: Column, slope: float, intercept: float) -> None:
        self.feature, self.slope, self.intercept = feature, slope, intercept

    def __call__(self, proba: Floats) -> Floats:
        return sigmoid(self.slope * self.feature(proba) + self.intercept)

    def onnx(self, proba: Tensor) -> Tensor:
        return onnx.sigmoid(self.slope * self.feature.onnx(proba) + self.intercept)


def fit_sigmoid(feature: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> tuple[float, float]:
    """Return slope and intercept of the logistic curve with the largest likelihood, for Platt's targets.

    The feature is the argument of the curve. There are outcomes of both kinds.
    """
    positive, negative = float(sample_weight @ target), float(sample_weight @ ~target)
    low, high = max(1 / (negative + 2), EPS), min((positive + 1) / (positive + 2), 1 - EPS)
    weight = sample_weight / (positive + negative)
    lowest = float(feature.min())
    above = feature - lowest
    if above.max() < 1e-100:
        above[:] = 0.0  # no finite slope separates these
    means, mass = _grouped(above, weight)
    centre = float(mass @ means)  # so that slope and height are hardly correlated
    # Means of (1 − t) x and of 1 − t; the mean of x is zero.
    share = positive / (positive + negative)
    missed_x = (low - high) * float(weight[target] @ (above[target] - centre))
    missed = (1 - low) * (1 - share) + (1 - high) * share
    # Nearly converge on a few thousand groups of close values; take the last step on the samples themselves.
    slope, height = _newton(_Loss(means - centre, mass, missed_x, missed), 0.0, float(np.log(1 / missed - 1)))
    slope, height = _newton(_Loss(above - centre, weight, missed_x, missed), slope, height)
    return slope, height - slope * (lowest + centre)


def _grouped(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the weight of each group of close values. No value may be negative."""
    group = (values * ((_GROUPS - 1) / (values.max() or 1.0))).astype(np.intp)
    group[1::2] += _GROUPS  # every second row goes to a second set of sums, so that additions need not wait
    mass, total = (np.bincount(group, weights).astype(np.float64) for weights in (weight, weight * values))
    held = mass > 0
    return total[held] / mass[held], mass[held]


class _Loss:
    """Σ w (log(1 + exp(−m)) + (1 − t) m) for margins m = slope · x + height.

    The targets t are only in `missed_x` and `missed`, the sums of w (1 − t) x and w (1 − t).
    """

    def __init__(self, feature: Floats, weight: Floats, missed_x: float, missed: float) -> None:
        self.feature, self.weight, self.missed_x, self.missed = feature, weight, missed_x, missed

    def __call__(self, slope: float, height: float) -> tuple[float, ...]:
        """Return the value, its first derivatives by slope and height, and its second derivatives."""
        value = slope * self.missed_x + height * self.missed
        by_slope, by_height = self.missed_x, self.missed
        twice_slope, mixed, twice_height = 0.0, 0.0, 0.0
        for rows in row_blocks(len(self.feature)):
            feature, weight = self.feature[rows], self.weight[rows]
            odds = feature * -slope
            odds -= height
            if odds.max() > 700:  # exp would overflow
                value += float(weight @ np.maximum(odds - 700, 0))
                np.minimum(odds, 700, out=odds)
            np.exp(odds, out=odds)
            whole = odds + 1
            value += float(weight @ np.log(whole))
            odds /= whole
            odds *= weight
            by_slope -= float(odds @ feature)
            by_height -= float(odds.sum())
            odds /= whole
            mixed += float(odds @ feature)
            twice_height += float(odds.sum())
            odds *= feature
            twice_slope += float(odds @ feature)
        return value, by_slope, by_height, twice_slope, mixed, twice_height


def _newton(loss: _Loss, slope: float, height: float) -> tuple[float, float]:
    """Return the minimum of the loss, by Newton's method, with shorter steps if a step does not lower the loss."""
    now = loss(slope, height)
    scale_slope, scale_height = now[3] or 1.0, now[5] or 1.0  # a constant feature has no curvature
    damping = 1e-9
    for _ in range(200):
        value, by_slope, by_height, twice_slope, mixed, twice_height = now
        twice_height += damping * scale_height
        rest = max(twice_slope - mixed**2 / twice_height, 0.0) + damping * scale_slope
        step = (by_slope - mixed * by_height / twice_height) / rest
        lift = (by_height - mixed * step) / twice_height
        if by_slope * step + by_height * lift <= 1e-10 * value:
            return slope - step, height - lift  # the error that is left is about the square of this gain
        moved = loss(slope - step, height - lift)
        if moved[0] <= 0:
            break  # groups too wide for so steep a curve: the loss of samples is positive
        if moved[0] <= value:
            slope, height, now = slope - step, height - lift, moved
            damping = max(0.01 * damping, 1e-15)
        else:
            damping = max(10 * damping, 1e-3)
    return slope, height
