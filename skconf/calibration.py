"""Post-hoc calibrators: probabilities in, better probabilities out."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.validation import check_is_fitted

from skconf._labels import LabelColumn, check_labels
from skconf._messages import shorten
from skconf._probabilities import Floats, as_probabilities, both_columns, check_probabilities
from skconf.profile import check_weight

Column = Callable[[Floats], Floats]


class _OneVsRestCalibrator(BaseEstimator):  # type: ignore[misc]
    """A calibrator of one column at a time; the columns of a row are then scaled to sum to one."""

    @abstractmethod
    def _fit_column(self, proba: Floats, target: NDArray[np.bool_], sample_weight: Floats) -> Column:
        """Return the calibrated probability of a class as a function of its probability."""

    def fit(
        self,
        proba: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Learn to correct probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities of samples that the classifier was not trained on; a single column is the probability of
            the second class of two.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns; None stands for the sorted labels of `y`, if there are as many.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If lengths differ, a label is unknown, or `labels` is needed and not given.

        Warns
        -----
        UserWarning
            If a class is absent from `y`, or alone in it: its probabilities stay as they are.
        """
        columns = _two_dimensional(proba)
        truth = LabelColumn(y, "y")
        if len(truth) != len(columns):
            raise ValueError(f"y has {len(truth)} rows, but proba has {len(columns)}.")
        classes = truth.sorted_distinct() if labels is None else check_labels(labels)
        if len(classes) != columns.shape[1]:
            raise ValueError(
                f"proba has {columns.shape[1]} columns for {len(classes)} labels ({shorten(classes.tolist())}). "
                "Pass labels=[...], in the order of the columns."
            )
        codes = truth.positions_in(classes)
        weight = check_weight(sample_weight, len(columns))
        weight = np.ones(len(columns)) if weight is None else weight
        present = np.bincount(codes, weights=weight, minlength=len(classes)) > 0
        if present.sum() < 2:
            present[:] = False  # there is nothing to tell a class from
        if not present.all():
            warnings.warn(
                f"{type(self).__name__} leaves the probabilities of {shorten(classes[~present].tolist())} as they "
                "are: the calibration data holds no sample of these classes, or none of any other.",
                UserWarning,
                stacklevel=2,
            )
        # In a binary task one column says it all.
        fitted = [1] if len(classes) == 2 else range(len(classes))
        self.classes_ = classes
        self.columns_ = {
            k: self._fit_column(columns[:, k].astype(np.float64), codes == k, weight) for k in fitted if present[k]
        }
        return self

    def predict_proba(self, proba: ArrayLike) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one; a row of zeros has become uniform.
        """
        check_is_fitted(self)
        columns = _two_dimensional(proba)
        if columns.shape[1] != len(self.classes_):
            raise ValueError(
                f"proba has {columns.shape[1]} columns, but the calibrator was fitted on {len(self.classes_)}."
            )
        if len(self.classes_) == 2 and self.columns_:
            return both_columns(self.columns_[1](columns[:, 1].astype(np.float64)), 1)
        out = np.array(columns, dtype=np.float64)
        for k, correct in self.columns_.items():
            out[:, k] = correct(out[:, k])
        return _rows_to_one(out)


class PlattCalibrator(_OneVsRestCalibrator):
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


class IsotonicCalibrator(_OneVsRestCalibrator):
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


class _Sigmoid:
    """σ(slope · feature(p) + intercept)."""

    def __init__(self, feature: Column, slope: float, intercept: float) -> None:
        self.feature, self.slope, self.intercept = feature, slope, intercept

    def __call__(self, proba: Floats) -> Floats:
        return np.asarray(expit(self.slope * self.feature(proba) + self.intercept))


class _Monotone:
    """A fitted isotonic regression."""

    def __init__(self, regression: IsotonicRegression) -> None:
        self.regression = regression

    def __call__(self, proba: Floats) -> Floats:
        return np.asarray(self.regression.predict(proba), dtype=np.float64)


def make_calibrator(calibration: Any) -> Any:
    """Return a new calibrator for a name, or the given one.

    Parameters
    ----------
    calibration : str or calibrator
        A name from ``CALIBRATORS``, or an object with ``fit(proba, y, sample_weight)`` and ``predict_proba(proba)``.

    Returns
    -------
    calibrator
    """
    return CALIBRATORS[calibration]() if isinstance(calibration, str) else calibration


CALIBRATORS: dict[str, Callable[[], Any]] = {"platt": PlattCalibrator, "isotonic": IsotonicCalibrator}


def safe_logit(proba: Floats, eps: float = 1e-8) -> Floats:
    """Return the logit of probabilities kept away from 0 and 1."""
    return np.asarray(logit(np.clip(proba, eps, 1 - eps)))


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


def _two_dimensional(proba: ArrayLike) -> NDArray[Any]:
    columns = as_probabilities(proba, "proba")
    check_probabilities(columns, "proba")
    return both_columns(columns, 1) if columns.ndim == 1 else columns


def _rows_to_one(proba: Floats) -> Floats:
    total = proba.sum(axis=1, keepdims=True)
    empty = total[:, 0] == 0
    proba[empty], total[empty] = 1.0, proba.shape[1]
    proba /= total
    return proba
