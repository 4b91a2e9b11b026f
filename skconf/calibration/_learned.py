"""A confidence that learns from the samples themselves which answers are right."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, logit, xlogy
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from skconf._core.checks import check_number, check_whole
from skconf._core.inputs import check_length, check_weight
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats, as_probabilities, both_columns, check_probabilities

#: The smallest distance of a confidence to 0 and 1 inside a logarithm.
_EPS = 1e-6
#: The smallest variance by which a sample counts: full confidence counts for something, too.
_LEAST_VARIANCE = 1e-4
#: Shares of the correction that cross-validation chooses from.
_SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
#: Right and wrong answers that each need, at least, for anything to be learned from them.
_FEWEST = 50
#: Columns of probabilities that are looked at one by one.
_MOST_CLASSES = 30


class LearnedConfidence(BaseEstimator):  # type: ignore[misc]
    """An estimator of P(the answer is right), from the probabilities and the sample.

    A monotone calibrator of two classes cannot change which answers are kept. This one can: boosted trees correct the
    logit of the confidence by what they see in the sample. Cross-validation decides how much of the correction is kept,
    and whether any: without a gain the confidence is returned as it was. Pass it as the `confidence` of
    :class:`~skconf.SelectiveClassifier` or :class:`~skconf.TunedSelectiveClassifierCV`, which fit it out of fold.

    Parameters
    ----------
    features : callable, default=None
        What it sees of the samples: a function of `X` that returns an array of shape (n_samples, n_columns). None
        stands for the columns of `X`: numbers, or values of any kind that repeat. Texts, images and sparse matrices
        need one, such as the output of an encoder.
    min_gain : float, default=0.5
        How many standard errors the gain in cross-validated log loss must be above 0 for the correction to be kept. At
        0 every gain counts.
    cv : int, default=5
        Number of folds.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and the trees.

    Attributes
    ----------
    share_ : float
        How much of the correction is applied, in [0, 2]; 0 where the confidence is returned as it was.
    gain_ : float
        Mean cross-validated gain in log loss, in nats, at the best share above 0; NaN where too few answers were right
        or wrong to learn from.
    gain_stderr_ : float
        Its standard error.
    regressor_ : HistGradientBoostingRegressor or None
        The correction of the logit; None where none is applied.

    See Also
    --------
    PooledCalibrator : Calibrate first, and learn on top of it.
    ConfidenceCalibrator : A monotone map of the confidence alone.

    Notes
    -----
    The trees learn one Newton step of log loss from the logit of the confidence: the residuals (z − c)/c(1 − c), each
    weighed by c(1 − c). They have 6 leaves and a strong penalty. Besides the sample they see the probabilities, the
    logit and the predicted class, the margin and the entropy. At least 50 right and 50 wrong answers are needed.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani, Additive logistic regression, Annals of Statistics 28, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from skconf.calibration import LearnedConfidence
    >>> rng = np.random.default_rng(0)
    >>> X, proba = rng.normal(size=(2000, 2)), np.full((2000, 2), [0.25, 0.75])
    >>> correct = rng.random(2000) < np.where(X[:, 0] > 0, 0.9, 0.6)  # the classifier does not know
    >>> learned = LearnedConfidence().fit(X, proba, correct)
    >>> learned.predict_confidence([[1.0, 0.0], [-1.0, 0.0]], proba[:2]).round(1)
    array([0.9, 0.6])
    """

    def __init__(
        self,
        features: Callable[[Any], Any] | None = None,
        *,
        min_gain: float = 0.5,
        cv: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.features = features
        self.min_gain = min_gain
        self.cv = cv
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        proba: ArrayLike,
        correct: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        predicted: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn which answers are right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Samples that the classifier was not trained on.
        proba : array-like of shape (n_samples, n_classes)
            Its probabilities, best calibrated.
        correct : array-like of shape (n_samples,)
            Whether each answer is right.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        predicted : array-like of shape (n_samples,), default=None
            The column of each answer; None stands for the most probable class.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient: no cluster is torn between folds.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If lengths differ, a parameter is out of range, or `X` has no columns of numbers or values.
        """
        check_number(self.min_gain, "min_gain", 0.0)
        check_whole(self.cv, "cv", 2)
        read = _read(proba)
        right = np.asarray(correct, dtype=np.bool_)
        check_length(right, len(read), "correct")
        weight = check_weight(sample_weight, len(right))
        weight = np.ones(len(right)) if weight is None else weight
        self._kinds: list[pd.Index | None] | None = None
        seen, start = self._look(X, read, predicted, fit=True)
        self.share_, self.gain_, self.gain_stderr_, self.regressor_ = 0.0, np.nan, np.nan, None
        counted = weight > 0
        if min(right[counted].sum(), (~right)[counted].sum()) < _FEWEST:
            return self
        seen, start, right, weight = seen[counted], start[counted], right[counted], weight[counted]
        together = None if groups is None else np.asarray(groups)[counted]
        share = self._best_share(start, self._out_of_fold(seen, start, right, weight, together), right, weight)
        if share:
            self.share_, self.regressor_ = share, self._boosted(seen, start, right, weight)
        return self

    def predict_confidence(self, X: Any, proba: ArrayLike, *, predicted: ArrayLike | None = None) -> Floats:
        """Return the probability that each answer is right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Samples.
        proba : array-like of shape (n_samples, n_classes)
            Probabilities, as in ``fit``.
        predicted : array-like of shape (n_samples,), default=None
            The column of each answer; None stands for the most probable class.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1].
        """
        check_is_fitted(self)
        read = _read(proba)
        if self.regressor_ is None:
            return _of_answer(read, predicted)
        seen, start = self._look(X, read, predicted, fit=False)
        return np.asarray(expit(start + self.share_ * self.regressor_.predict(seen)))

    def _out_of_fold(
        self, seen: Floats, start: Floats, right: NDArray[np.bool_], weight: Floats, groups: Any
    ) -> Floats:
        """Return the correction of each sample, learned from other folds."""
        found = np.zeros(len(right))
        folds = min(self.cv, int(right.sum()), int((~right).sum()))
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        splitter = kind(folds, shuffle=True, random_state=self.random_state)
        for train, test in splitter.split(seen, right, groups):
            if len(train) and len(test):
                model = self._boosted(seen[train], start[train], right[train], weight[train])
                found[test] = model.predict(seen[test])
        return found

    def _best_share(self, start: Floats, found: Floats, right: NDArray[np.bool_], weight: Floats) -> float:
        """Return how much of the correction to keep, by the log loss of samples that it was not learned from."""
        sign = np.where(right, -1.0, 1.0)

        def gain(share: float) -> Floats:
            return np.logaddexp(0, sign * start) - np.logaddexp(0, sign * (start + share * found))

        means = [float(np.average(gain(share), weights=weight)) for share in _SHARES]
        best = int(np.argmax(means))
        spread = weight @ np.square(gain(_SHARES[best]) - means[best]) / weight.sum()
        effective = weight.sum() ** 2 / np.square(weight).sum()
        self.gain_, self.gain_stderr_ = means[best], float(np.sqrt(spread / effective))
        return _SHARES[best] if self.gain_ > max(self.min_gain * self.gain_stderr_, 0.0) else 0.0

    def _boosted(
        self, seen: Floats, start: Floats, right: NDArray[np.bool_], weight: Floats
    ) -> HistGradientBoostingRegressor:
        """Return one Newton step of log loss, as trees."""
        surely = expit(start)
        variance = np.maximum(surely * (1 - surely), _LEAST_VARIANCE)
        model = HistGradientBoostingRegressor(
            max_iter=40,
            max_leaf_nodes=6,
            l2_regularization=5.0,
            max_bins=32,
            max_features=0.5,
            early_stopping=False,
            random_state=self.random_state,
        )
        return model.fit(seen, (right - surely) / variance, sample_weight=weight * variance)

    def _look(self, X: Any, proba: NDArray[Any], predicted: Any, *, fit: bool) -> tuple[Floats, Floats]:
        """Return what the trees see, and the logits that they start from."""
        start = logit(np.clip(_of_answer(proba, predicted), _EPS, 1 - _EPS))
        columns = self._columns(X if self.features is None else self.features(X), fit=fit)
        check_length(columns, len(proba), "X")
        ordered = np.sort(proba, axis=1)[:, ::-1]
        second = ordered[:, min(1, proba.shape[1] - 1)]
        answer = proba.argmax(axis=1) if predicted is None else np.asarray(predicted)
        entropy = -xlogy(proba, proba).sum(axis=1)
        own = [start, ordered[:, 0] - second, second, entropy, answer, *proba[:, :_MOST_CLASSES].T]
        return np.column_stack([*own, columns]).astype(np.float64), start

    def _columns(self, given: Any, *, fit: bool) -> Floats:
        """Return the samples as numbers; values of other kinds are numbered as they were in ``fit``."""
        array = None if sparse.issparse(given) else np.asarray(given)
        if array is None or array.ndim != 2:
            shape = "a sparse matrix" if array is None else f"of shape {array.shape}"
            raise ValueError(
                f"LearnedConfidence sees columns of numbers or values, but X is {shape}. Pass features, a function of "
                "X that returns an array of shape (n_samples, n_columns)."
            )
        if array.dtype.kind in "biuf":
            return array.astype(np.float64)
        table = pd.DataFrame(array)
        if fit:
            self._kinds = [_kinds_of(table[name]) for name in table]
        if self._kinds is None or len(self._kinds) != table.shape[1]:
            raise ValueError("X has other columns than in fit.")
        read = [_numbers(table[name], kinds) for name, kinds in zip(table, self._kinds, strict=True)]
        return np.column_stack(read)


def learns(confidence: Any) -> bool:
    """Whether a `confidence` is an estimator of correctness, rather than a name or a function of probabilities."""
    return hasattr(confidence, "fit") and hasattr(confidence, "predict_confidence")


def _read(proba: ArrayLike) -> NDArray[Any]:
    read = as_probabilities(proba, "proba")
    check_probabilities(read, "proba")
    return read if read.ndim == 2 else both_columns(read, 1)


def _of_answer(proba: NDArray[Any], predicted: Any) -> Floats:
    answer: Codes = proba.argmax(axis=1) if predicted is None else np.asarray(predicted)
    return np.asarray(proba[np.arange(len(proba)), answer], dtype=np.float64)


def _kinds_of(column: pd.Series) -> pd.Index | None:
    """Return the distinct values of a column; None where they are numbers."""
    numbers = pd.to_numeric(column, errors="coerce")
    return (
        None if numbers[column.notna()].notna().all() else pd.Index(column.dropna().astype(str).unique()).sort_values()
    )


def _numbers(column: pd.Series, kinds: pd.Index | None) -> Floats:
    """Return numbers, or those of values; NaN for what is missing or was not seen in ``fit``."""
    if kinds is None:
        return np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)
    found = kinds.get_indexer(pd.Index(column.astype(str)))
    return np.where((found < 0) | column.isna(), np.nan, found)
