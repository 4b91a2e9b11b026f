"""Change calibrated probabilities so that they fit other class shares."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.columns import PREFIX, column_names, in_order_of
from skconf._core.labels import LabelColumn, check_labels
from skconf._core.messages import shorten
from skconf._core.prevalence import read_shares
from skconf._core.probabilities import Floats, as_probabilities, both_columns, check_probabilities
from skconf.calibration._base import rows_to_one
from skconf.calibration._histogram import HistogramBinningCalibrator
from skconf.calibration._isotonic import IsotonicCalibrator
from skconf.calibration._pooled import make_calibrator


def correct_prevalence(
    y_proba: ArrayLike,
    before: Mapping[Any, float] | ArrayLike,
    after: Mapping[Any, float] | ArrayLike,
    *,
    labels: ArrayLike | None = None,
) -> Floats:
    """Correct probabilities for class shares that differ from the shares in the calibration data.

    For example, a model that was trained or calibrated on equal numbers of frauds and honest cases expects that half of
    all cases are frauds. If only 0.3% of cases are frauds where the model is used, its probabilities are wrong. Bayes'
    rule gives the correction:

    p'_k = p_k (after_k / before_k) / Σ_j p_j (after_j / before_j)

    Parameters
    ----------
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probabilities, as from ``predict_proba`` of a classifier or a pipeline. A single column is the probability of
        the second label.
    before : mapping of label to share, or array-like of labels
        Shares of the classes in the rows on which the model was calibrated. If it was not calibrated, give the shares
        in its training rows, after any undersampling. With two classes, one share is enough. You can also pass true
        labels; the shares are then computed from them.
    after : mapping of label to share, or array-like of labels
        Shares of the classes where the model is used, given in the same way as `before`.
    labels : array-like of shape (n_classes,), default=None
        Labels of the columns, such as ``classes_`` of a classifier. None uses the names of the columns of a table, or
        else the sorted labels of `before` and `after`. If the labels are 0 and 1, `before` and `after` need not name
        both of them.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Corrected probabilities. Rows sum to 1. Probabilities of 0 and 1 do not change.

    Raises
    ------
    TypeError
        If a share is not a number.
    ValueError
        If a label is unknown or missing. If a share is not between 0 and 1, or shares do not sum to 1. If `labels` are
        needed but not given. If probabilities are missing or outside [0, 1].

    See Also
    --------
    skconf.inference.estimate_prevalence : The shares where the model is used, from rows without labels.
    skconf.SelectiveClassifier : Calibrates, corrects and decides, with its parameter `prevalence`.

    Notes
    -----
    The correction assumes label shift: the cases of each class look as before, and only the shares of the classes
    change. It also assumes that the probabilities are calibrated for the shares `before`. The probabilities of models
    with class weights, SMOTE or overfitted trees are not calibrated, and the correction may make them worse. So
    calibrate on rows on which the model was not trained, and pass the class shares of these rows as `before`. It then
    does not matter how the model was trained.

    References
    ----------
    .. [1] M. Saerens, P. Latinne and C. Decaestecker, Adjusting the outputs of a classifier to new a priori
       probabilities: a simple procedure, Neural Computation 14, 2002.
    .. [2] C. Elkan, The foundations of cost-sensitive learning, IJCAI, 2001.

    Examples
    --------
    >>> from skconf.calibration import correct_prevalence
    >>> correct_prevalence([[0.1, 0.9], [0.5, 0.5]], {"fraud": 0.5}, {"fraud": 0.003}, labels=["honest", "fraud"])
    array([[0.97363281, 0.02636719],
           [0.997     , 0.003     ]])

    After a pipeline whose training rows were half positive:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = make_classification(400, random_state=0)
    >>> pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:200], y[:200])
    >>> proba = correct_prevalence(pipeline.predict_proba(X[200:]), y[:200], {1: 0.02}, labels=pipeline.classes_)
    >>> proba.shape
    (200, 2)
    """
    proba = as_probabilities(y_proba)
    check_probabilities(proba, "y_proba")
    n_classes = 2 if proba.ndim == 1 else proba.shape[1]
    columns = {
        name: None if isinstance(given, Mapping) else _labels_of(given, name)
        for name, given in {"before": before, "after": after}.items()
    }
    named = [
        *(label for given in (before, after) if isinstance(given, Mapping) for label in given),
        *(label for column in columns.values() if column is not None for label in column.distinct),
    ]
    classes = _classes(labels, y_proba, named, n_classes)
    proba = in_order_of(classes, proba, y_proba, "y_proba", positive=1)
    held, wanted = (
        read_shares(given, classes, name) if column is None else _shares_of(column, classes)
        for (name, column), given in zip(columns.items(), (before, after), strict=True)
    )
    return by_factor(both_columns(proba, 1) if proba.ndim == 1 else proba, wanted / held)


def refuse_zeros(calibration: Any, caller: str) -> None:
    """Refuse calibrators that give zeros, because zeros stay zeros for any share of their class."""
    calibrator = None if calibration is None else make_calibrator(calibration)
    plain = isinstance(calibrator, IsotonicCalibrator) and not calibrator.smoothing
    if plain or isinstance(calibrator, HistogramBinningCalibrator):
        raise ValueError(
            f"{caller} cannot be used with calibration={calibration!r}: this gives probabilities of 0, which stay 0 "
            "however large the share of the class is. Use 'pooled', 'platt' or 'smoothed_isotonic'."
        )


def by_factor(proba: NDArray[Any], factor: Floats) -> Floats:
    """Return probabilities with each column multiplied by its factor, and rows scaled to sum to one."""
    out = np.maximum(proba, 0.0, dtype=np.float64)
    return rows_to_one(out * (factor / factor.max()))


def _labels_of(given: Any, name: str) -> LabelColumn:
    if isinstance(given, Real):
        raise TypeError(
            f"{name} must map labels to shares, such as {{1: 0.03}}, or hold true labels, but is {given!r}."
        )
    return LabelColumn(given, name)


def _shares_of(column: LabelColumn, classes: NDArray[Any]) -> Floats:
    counts = np.bincount(column.positions_in(classes), minlength=len(classes))
    if not counts.all():
        raise ValueError(
            f"{column.name} has no rows of the classes {shorten(classes[counts == 0].tolist())}, but the share of each "
            "class must be above 0."
        )
    return np.asarray(counts / counts.sum())


def _classes(labels: ArrayLike | None, y_proba: Any, named: list[Any], n_classes: int) -> NDArray[Any]:
    """Return the labels of the columns: the given labels, the names in a table, or those with a share in `named`."""
    if labels is not None:
        classes = check_labels(labels)
    else:
        names = column_names(y_proba)
        if names is not None and len(names) == n_classes:
            prefixed = all(isinstance(name, str) and name.startswith(PREFIX) for name in names)
            names = [name.removeprefix(PREFIX) for name in names] if prefixed else names
            return check_labels(names)
        if n_classes == 2 and named and all(label in (0, 1) for label in named):
            named = [0, 1]
        classes = LabelColumn(named, "before and after").sorted_distinct()
    if len(classes) != n_classes:
        raise ValueError(
            f"y_proba has {n_classes} columns, but {'labels' if labels is not None else 'before and after'} name "
            f"{len(classes)} classes, {shorten(classes.tolist())}. Pass labels=[...], in the order of the columns (a "
            "classifier's classes_)."
        )
    return classes
