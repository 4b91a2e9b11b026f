"""Learned confidence: models of the samples predict which answers are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, logit, xlogy
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skconf._core.checks import check_number, check_whole
from skconf._core.columns import column_names
from skconf._core.inputs import check_length, check_order, scaled_weight
from skconf._core.labels import Codes
from skconf._core.messages import brief, shorten
from skconf._core.probabilities import Floats, as_probabilities, both_columns, check_probabilities
from skconf.calibration._base import check_repetitions
from skconf.calibration._pool import lifted, tail_width
from skconf.calibration._stack import (
    EPS,
    N_MODELS,
    Opinion,
    Seen,
    Truth,
    gain,
    learn,
    one_thread,
    out_of_fold,
    stack,
    stacked_out_of_fold,
)

#: Fewest right answers, and fewest wrong ones, from which anything is learned.
_FEWEST = 10
#: Most samples that are learned from, so that the models stay small and a fit takes seconds.
_MOST_ROWS = 10_000
#: With more classes than this, the models do not use the probability of each class. They learn which answers are right
#: instead of the class.
_MOST_CLASSES = 30
#: How far the out-of-fold size ratio may be above 1, in standard deviations. In 160 trials, the size ratio on new
#: samples was then never above 3; with a limit of 0, it was in four trials.
_TAIL_ZSCORE = -0.5
#: Number of samples, half of them right, that are mixed in, so that no confidence is 0 or 1.
_SMOOTHING = 0.5
#: Numbers of this size or larger count as missing, because trees use 32 bits.
_LARGEST = 1e30


class LearnedConfidence(BaseEstimator):  # type: ignore[misc]
    """An estimator of the probability that an answer is right, from the probabilities and the features of the sample.

    With two classes, a monotone calibrator does not change the order of the answers, so it cannot change which answers
    are accepted. This estimator can change the order. It has small models of several families, which estimate from the
    features of a sample whether the answer is right. The models are fitted on the calibration samples, and their
    weights are chosen by cross-validation. If the models do not lower the log loss, the confidence is returned
    unchanged. Pass this estimator as the `confidence` of :class:`~skconf.SelectiveClassifier` or
    :class:`~skconf.TunedSelectiveClassifierCV`. These classes fit it on held-out samples.

    Parameters
    ----------
    features : callable, default=None
        A function of `X` that returns the features of the samples, of shape (n_samples, n_columns). None uses the
        columns of `X`: numbers, or categories of any kind. Text, images and sparse matrices need a function, such as an
        encoder.
    min_gain : float, default=0.5
        The models are used if their cross-validated gain in log loss is above this number of standard errors. With 0,
        every gain counts.
    cv : int, default=5
        Number of folds.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and the models.

    Attributes
    ----------
    weights_ : ndarray of shape (5,)
        Weights of five logits, in [0, ∞), in this order: the unchanged confidence; randomized trees on the features;
        boosted trees on the features; logistic regression on kernels of the features; boosted trees on features and
        probabilities. The weights are (1, 0, 0, 0, 0) if the confidence is returned unchanged.
    intercept_ : float
        Constant that is added to the weighted logits.
    tail_ : float
        Width of the tail, in [0, 0.5]. Confidences that are closer to 1 than this width are lowered, as in
        :class:`PooledCalibrator`.
    models_ : list
        The four models, or None for a model of weight 0. The attribute `model` of an entry is the fitted classifier.
    gain_ : float
        Mean cross-validated gain in log loss, in nats. NaN if there were too few right or wrong answers to learn from.
    gain_stderr_ : float
        Standard error of the gain.

    See Also
    --------
    PooledCalibrator : Calibrates the probabilities before this estimator gets them.
    ConfidenceCalibrator : A monotone map of the confidence alone.

    Notes
    -----
    Three of the models learn to predict the true class; the fourth learns which answers are right. The confidence
    becomes σ(Σ w l + b), where l has five logits: one of the confidence, and one of each model's probability that the
    answer is right. The weights w and the intercept b minimise the log loss on folds on which the models were not
    fitted, plus a small ridge penalty towards the unchanged confidence. Then confidences near 1 are lowered, if needed,
    until the calibrated size ratio on these folds is at least half a standard deviation below 1. Last, the confidence
    is mixed with 0.5, which has the weight of half a sample. The last two steps do not change the order of the
    confidences. At least 10 right and 10 wrong answers are needed. If there are more than 10,000 samples, 10,000 are
    drawn at random. The fit then takes about ten seconds.

    With more than 30 classes, or with more than two classes and no `true_class`, all models learn which answers are
    right. The learned confidence is then a smaller improvement over the plain one.

    References
    ----------
    .. [1] D. H. Wolpert, Stacked generalization, Neural Networks 5, 1992.
    .. [2] L. Breiman, Stacked regressions, Machine Learning 24, 1996.

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
        true_class: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn which answers are right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Samples on which the classifier was not trained.
        proba : array-like of shape (n_samples, n_classes)
            Probabilities of the classifier, preferably calibrated.
        correct : array-like of shape (n_samples,)
            Whether each answer is right.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        predicted : array-like of shape (n_samples,), default=None
            For each sample, the position of the answer in the columns of `proba`. None uses the most probable class.
        true_class : array-like of shape (n_samples,), default=None
            For each sample, the position of the true class in the columns of `proba`. With two classes it is not
            needed.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. All samples of a cluster are in the same fold.

        Returns
        -------
        self

        Raises
        ------
        TypeError
            If `features` is not a function.
        ValueError
            If lengths differ, or a parameter is out of range. If `correct` has other values than right and wrong. If an
            entry of `predicted` or `true_class` is not the position of a column. If `X` has no columns of numbers or
            categories.

        Warns
        -----
        UserWarning
            If all weights are below 1: weights are repetition counts, so a row would count less than once.
        """
        check_number(self.min_gain, "min_gain", 0.0)
        check_whole(self.cv, "cv", 2)
        if self.features is not None and not callable(self.features):
            raise TypeError(
                f"features must be a function of X that returns columns, but is {brief(self.features)}. "
                "LearnedConfidence has its own models, and takes no classifier."
            )
        check_order(
            X=X,
            proba=proba,
            correct=correct,
            sample_weight=sample_weight,
            predicted=predicted,
            true_class=true_class,
            groups=groups,
        )
        read, right = _read(proba), _right(correct)
        n_rows, n_classes = read.shape
        check_length(right, n_rows, "correct")
        known = None if true_class is None else _numbers_of_columns(true_class, "true_class", n_rows, n_classes)
        if groups is not None:
            groups = np.asarray(groups)
            check_length(groups, n_rows, "groups")
        weight, scale = scaled_weight(sample_weight, n_rows)
        weight = np.ones(n_rows) if weight is None else weight
        check_repetitions(type(self).__name__, weight, scale)
        self._of_classes = n_classes == 2 or (known is not None and n_classes <= _MOST_CLASSES)
        seen = self._look(X, read, predicted, fit=True)
        truth = Truth(right, self._classes(right, seen.asked, known), weight)
        self.weights_, self.intercept_, self.gain_, self.gain_stderr_ = np.eye(1, 1 + N_MODELS)[0], 0.0, np.nan, np.nan
        self.tail_, self._even = 0.0, 0.0
        self.models_: list[Opinion | None] = [None] * N_MODELS
        used = self._used(weight)
        if min(right[used].sum(), (~right[used]).sum()) >= _FEWEST:
            self._learn(seen.take(used), truth.take(used), None if groups is None else groups[used])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.features is not None  # `features` makes columns of any X
        return tags

    def predict_confidence(self, X: Any, proba: ArrayLike, *, predicted: ArrayLike | None = None) -> Floats:
        """Return the probability that each answer is right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_columns)
            Samples. If ``fit`` got a table, a later table is matched to it by the names of the columns, so their order
            does not matter.
        proba : array-like of shape (n_samples, n_classes)
            Probabilities, as in ``fit``.
        predicted : array-like of shape (n_samples,), default=None
            For each sample, the position of the answer in the columns of `proba`. None uses the most probable class.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1].
        """
        check_is_fitted(self)
        read = _read(proba)
        if all(model is None for model in self.models_):
            return np.clip(_of_answer(read, _answer(read, predicted)), 0.0, 1.0)
        unsure = lifted(expit(-self._logit(self._look(X, read, predicted, fit=False))), self.tail_)
        return np.asarray((1 - self._even) * (1 - unsure) + self._even / 2)

    @one_thread
    def _logit(self, seen: Seen) -> Floats:
        """Return the logit of the stack for each answer."""
        total = self.weights_[0] * seen.own[:, 0] + self.intercept_
        for weight, model in zip(self.weights_[1:], self.models_, strict=True):
            if model is not None:
                total += weight * model.logit(seen)
        return np.asarray(total)

    def _classes(self, right: NDArray[np.bool_], asked: Codes, true_class: Any) -> Codes:
        """Return what the models learn, as codes: the true class, or 1 for a right answer and 0 for a wrong one."""
        if not self._of_classes:
            return right.astype(np.intp)
        if true_class is None:
            return np.where(right, asked, 1 - asked)
        return np.asarray(true_class)

    def _used(self, weight: Floats) -> NDArray[np.intp]:
        """Return the rows to learn from: rows with weight, but at most `_MOST_ROWS` of them, drawn at random."""
        used = np.flatnonzero(weight > 0)
        if len(used) <= _MOST_ROWS:
            return used
        return np.sort(check_random_state(self.random_state).choice(used, _MOST_ROWS, replace=False))

    @one_thread
    def _learn(self, seen: Seen, truth: Truth, groups: Any) -> None:
        """Learn weights of the models out of fold; if the models help, fit them on all rows."""
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        n_folds = min(self.cv, int(truth.right.sum()), int((~truth.right).sum()))
        if groups is not None and (n_folds := min(n_folds, len(pd.unique(groups)))) < 2:
            return
        splitter = kind(n_folds, shuffle=True, random_state=self.random_state)
        splits = [split for split in splitter.split(seen.own, truth.right, groups) if min(map(len, split))]
        logits = out_of_fold(seen, truth, splits, self.random_state)
        stacked = stacked_out_of_fold(logits, truth, splits)
        self.gain_, self.gain_stderr_ = gain(logits[0], stacked, truth)
        weights, intercept = stack(logits, truth)
        if self.gain_ > max(self.min_gain * self.gain_stderr_, 0.0) and weights[1:].any():
            self.weights_, self.intercept_ = weights, intercept
            self.tail_ = tail_width(expit(-stacked), ~truth.right, truth.weight, _TAIL_ZSCORE)
            self._even = _SMOOTHING / (float(truth.weight.sum()) + _SMOOTHING)
            self.models_ = [
                learn(number, seen, truth, self.random_state) if weight else None
                for number, weight in enumerate(weights[1:])
            ]

    def _look(self, X: Any, proba: NDArray[Any], predicted: Any, *, fit: bool) -> Seen:
        """Return the input of the models: columns of the samples and features of the probabilities."""
        answer = _answer(proba, predicted)
        columns = self._columns(X if self.features is None else self.features(X), fit=fit)
        check_length(columns, len(proba), "X")
        start = logit(np.clip(_of_answer(proba, answer), EPS, 1 - EPS))
        ordered = np.sort(proba, axis=1)[:, ::-1]
        second = ordered[:, min(1, proba.shape[1] - 1)]
        entropy = -xlogy(proba, proba).sum(axis=1)
        own = [start, ordered[:, 0] - second, second, entropy, answer, *proba[:, :_MOST_CLASSES].T]
        columns = np.where(np.abs(columns) < _LARGEST, columns, np.nan)
        asked = answer if self._of_classes else np.ones_like(answer)
        return Seen(columns, np.column_stack(own).astype(np.float64), asked)

    def _columns(self, given: Any, *, fit: bool) -> Floats:
        """Return the samples as numbers. Categories get the same numbers as in ``fit``."""
        given = self._by_name(given, fit=fit)
        array = None if sparse.issparse(given) else np.asarray(given)
        if array is None or array.ndim != 2 or not array.shape[1]:
            shape = "a sparse matrix" if array is None else f"of shape {array.shape}"
            raise ValueError(
                f"LearnedConfidence needs columns of numbers or categories, but X is {shape}. Pass features: a "
                "function of X that returns an array of shape (n_samples, n_columns)."
            )
        numeric = array.dtype.kind in "biuf"
        if fit:
            table = None if numeric else pd.DataFrame(array)
            self._kinds = [None] * array.shape[1] if table is None else [_kinds_of(table[name]) for name in table]
        if len(self._kinds) != array.shape[1]:
            raise ValueError(f"X has {array.shape[1]} columns, but had {len(self._kinds)} in fit.")
        if numeric and all(kinds is None for kinds in self._kinds):
            return array.astype(np.float64)
        table = pd.DataFrame(array)
        return np.column_stack([_numbers(table[name], kinds) for name, kinds in zip(table, self._kinds, strict=True)])

    def _by_name(self, given: Any, *, fit: bool) -> Any:
        """Return a table with its columns in the order of ``fit``, if both tables have column names."""
        names = column_names(given)
        if fit:
            self._names = names
        if fit or names is None or self._names is None or names == self._names:
            return given
        if missing := [name for name in self._names if name not in names]:
            raise ValueError(f"X lacks the columns {shorten(missing)}, but had them in fit.")
        return given.select(self._names) if hasattr(given, "select") else given[self._names]  # pandas has no select


def learns(confidence: Any) -> bool:
    """Whether a `confidence` is an estimator of correctness, and not a name or a function of probabilities."""
    return hasattr(confidence, "fit") and hasattr(confidence, "predict_confidence")


def _read(proba: ArrayLike) -> NDArray[Any]:
    read = as_probabilities(proba, "proba")
    check_probabilities(read, "proba")
    return read if read.ndim == 2 else both_columns(read, 1)


def _right(correct: ArrayLike) -> NDArray[np.bool_]:
    """Read which answers are right, given as True and False or 1 and 0."""
    array = np.asarray(correct)
    distinct = pd.unique(array.ravel()).tolist()
    if array.ndim != 1 or any(isinstance(value, str) or value not in (0, 1) for value in distinct):
        raise ValueError(f"correct must hold True or False for each sample, but holds {shorten(distinct)}.")
    return array.astype(np.bool_)


def _answer(proba: NDArray[Any], predicted: Any) -> Codes:
    if predicted is None:
        return np.asarray(proba.argmax(axis=1))
    return _numbers_of_columns(predicted, "predicted", *proba.shape)


def _numbers_of_columns(given: Any, name: str, n_rows: int, n_classes: int) -> Codes:
    array = np.asarray(given)
    check_length(array, n_rows, name)
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_classes:
        values = shorten(pd.unique(array.ravel()).tolist())
        raise ValueError(f"{name} must hold positions of columns, from 0 to {n_classes - 1}, but holds {values}.")
    return array


def _of_answer(proba: NDArray[Any], answer: Codes) -> Floats:
    return np.asarray(proba[np.arange(len(proba)), answer], dtype=np.float64)


def _kinds_of(column: pd.Series) -> pd.Index | None:
    """Return the distinct values of a column; None if they are numbers."""
    numbers = pd.to_numeric(column, errors="coerce")
    return (
        None if numbers[column.notna()].notna().all() else pd.Index(column.dropna().astype(str).unique()).sort_values()
    )


def _numbers(column: pd.Series, kinds: pd.Index | None) -> Floats:
    """Return a column as numbers, or as codes of its values; NaN for missing values and for new ones."""
    if kinds is None:
        return np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)
    places = kinds.get_indexer(pd.Index(column.astype(str)))
    return np.where((places < 0) | column.isna(), np.nan, places)
