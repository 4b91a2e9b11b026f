"""Profiles of labels and predicted probabilities. They are checked once, here."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_threshold
from skconf._core.columns import in_order_of
from skconf._core.costs import read_costs_by_sample
from skconf._core.docstrings import documented
from skconf._core.inputs import (
    check_column,
    check_length,
    check_order,
    classes_of_columns,
    position_of,
    scaled_weight,
    with_unseen,
)
from skconf._core.labels import LabelColumn
from skconf._core.messages import name_as_confidence
from skconf._core.probabilities import as_probabilities, read_confidence
from skconf._core.response import decides_by_sample, respond
from skconf._core.warn import warn
from skconf.profile._pairs import FromPairs, codes_of, score_or_confidence


class FromPredictions(FromPairs):
    """Constructors from the probabilities of classes."""

    @classmethod
    @documented()
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        y_pred: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        score: ArrayLike | None = None,
        threshold: float | None = None,
        groups: ArrayLike | None = None,
        abstained: ArrayLike | None = None,
    ) -> Self:
        """Build a profile from true labels and predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels: numbers, strings, booleans or a pandas categorical.
        y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities, with a column for each class in the order of `labels`. You can also pass a table (pandas,
            polars, pyarrow) whose columns are named by the labels, as LABEL or proba_LABEL, in any order. If columns
            have default names, such as 0, 1, … in pandas, they must be in the order of `labels`. In a binary task, you
            can pass a single column, the probability of `pos_label`.
        {predicted}
        {labels}
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        score : array-like of shape (n_samples,), default=None
            The scores that are compared with the threshold. If None, these are the confidences.
        threshold : float, default=None
            The lowest score that is accepted: a number in [0, 1], or any number if you pass a `score`. Infinity accepts
            nothing. Metrics use it if they get no other threshold.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. Pass it if samples of one cluster depend on each other.
        abstained : array-like of shape (n_samples,), default=None
            Whether the model abstains in each row, as in :meth:`from_correctness`. A row in which it abstains needs no
            true label and no probabilities.

        Returns
        -------
        ConfidenceProfile

        Raises
        ------
        TypeError
            If `threshold` is not a number.
        ValueError
            If probabilities are missing or outside [0, 1]. If lengths differ. If a label is missing or unknown. If
            `labels` is needed but not given. If the names of a table's columns are not the labels. If `threshold` is
            out of range. If arguments from pandas have the same index in different orders.

        Warns
        -----
        UserWarning
            If the probabilities of a row do not sum to 1. If probabilities have an integer type. If a single column
            seems to be the confidence in the prediction, and not the probability of `pos_label`.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> y_true, y_proba = ["cat", "dog", "dog"], [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
        >>> profile = ConfidenceProfile.from_predictions(y_true, y_proba, labels=["cat", "dog"])
        >>> profile.confidence
        array([0.8, 0.7, 0.6])
        >>> profile.correct
        array([ True,  True, False])
        """
        check_threshold(threshold, any_number=score is not None)
        check_order(
            y_true=y_true,
            y_proba=y_proba,
            y_pred=y_pred,
            sample_weight=sample_weight,
            score=score,
            groups=groups,
            abstained=abstained,
        )
        if abstained is not None:
            make = partial(cls.from_predictions, labels=labels, pos_label=pos_label, threshold=threshold)
            given = {"y_true": y_true, "y_proba": y_proba, "y_pred": y_pred, "score": score}
            return cls._with_abstained(make, abstained, given, sample_weight, groups)
        proba, truth = as_probabilities(y_proba), LabelColumn(y_true, "y_true")
        check_length(truth, len(proba), "y_true")
        classes = classes_of_columns(truth, labels, proba)
        positive = position_of(classes, pos_label)
        proba = in_order_of(classes, proba, y_proba, "y_proba", positive)
        rows = codes_of(groups, len(proba))
        return cls._read(
            truth, proba, classes, positive, y_pred, sample_weight, score, threshold=threshold, groups=rows
        )

    @classmethod
    def _read(
        cls,
        truth: LabelColumn,
        proba: NDArray[Any],
        classes: NDArray[Any],
        positive: int | None,
        y_pred: ArrayLike | None,
        sample_weight: ArrayLike | None,
        score: ArrayLike | None,
        name: str = "y_proba",
        **selection: Any,
    ) -> Self:
        """Build a profile from true labels and probabilities with the same lengths and classes."""
        true_class = truth.positions_in(classes)
        predicted = None
        if y_pred is not None:
            column = LabelColumn(y_pred, "y_pred")
            check_length(column, len(proba), "y_pred")
            predicted = column.positions_in(
                classes,
                "If this label marks rejected samples, pass the classes that were predicted before the rejection.",
            )
        weight, weight_scale = scaled_weight(sample_weight, len(proba))
        ranked_by = None if score is None else check_column(score, len(proba), "score")
        predicted, confidence = read_confidence(proba, -1 if positive is None else positive, predicted, name)
        if proba.ndim == 1:
            _warn_of_confidence(proba, true_class == positive)
        return cls(
            correctness=predicted == true_class,
            confidence=confidence,
            score=score_or_confidence(ranked_by, confidence),
            sample_weight=weight,
            weight_scale=weight_scale,
            classes=classes,
            true_class=true_class,
            predicted_class=predicted,
            positive_class=positive,
            prediction_given=y_pred is not None,
            given_proba=_read_only(proba),
            **selection,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        predict: bool = False,
        costs: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Build a profile from a fitted classifier, with one call of its ``predict_proba``.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier with ``predict_proba``. Its prediction is the most probable class, with two exceptions.
            A :class:`~skconf.SelectiveClassifier` gives its own predictions, scores and threshold. For scikit-learn's
            ``FixedThresholdClassifier`` and ``TunedThresholdClassifierCV``, the prediction is the result of
            ``predict``. The exceptions also apply if such a classifier is inside a pipeline or a search.
        X : array-like of shape (n_samples, n_features)
            Samples, as the classifier takes them.
        y : array-like of shape (n_samples,)
            True labels. A label on which the classifier was not trained has the probability zero, and a warning says
            so.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        predict : bool, default=False
            If True, also call ``predict``. Metrics that get a cost matrix or costs of each sample then use the results
            as the answers. Correctness and confidence are still computed for the most probable class. Set
            ``predict=True`` if the prediction of the classifier is not always the most probable class, as with
            ``SVC(probability=True)``.
        costs : array-like of shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions), default=None
            Cost of each decision for each sample. With 2 dimensions, the costs are for the true class of the sample;
            with 3 dimensions, for every class. Classes and decisions are in the same order as in the classifier. If the
            classifier uses the costs of a sample to decide, pass the costs for every class.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. Pass it if samples of one cluster depend on each other.

        Returns
        -------
        ConfidenceProfile

        Raises
        ------
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            If `costs` have a wrong shape, or are negative or not finite. If arguments from pandas have the same index
            in different orders.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import cw_accuracy_score, smooth_calibration_error
        >>> X, y = load_iris(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> profile = ConfidenceProfile.from_estimator(model, X[1::2], y[1::2])
        >>> round(cw_accuracy_score(profile), 3), round(smooth_calibration_error(profile), 3)
        (0.964, 0.031)
        """
        check_order(X=X, y=y, sample_weight=sample_weight, groups=groups)
        by_sample = None if costs is None else read_costs_by_sample(costs)
        full = by_sample is not None and by_sample.ndim == 3 and decides_by_sample(estimator)
        answer = respond(estimator, X, predict=predict, costs=by_sample if full else None)
        proba, truth = as_probabilities(answer.proba), LabelColumn(y, "y")
        check_length(truth, len(proba), "y")
        classes, proba = with_unseen(classes_of_columns(truth, answer.classes, proba), proba, truth)
        decisions = None if answer.decisions is None else tuple(answer.decisions.tolist())
        decided = None
        if answer.decided is not None:
            among = classes if answer.decisions is None else answer.decisions
            decided = LabelColumn(answer.decided, "The answer of predict").positions_in(among)
        profile = cls._read(
            truth,
            proba,
            classes,
            position_of(classes, None),
            answer.predicted,
            sample_weight,
            answer.score,
            name=answer.called,
            threshold=answer.threshold,
            reject_label=answer.reject_label,
            answered=True,
            decided=decided,
            decisions=decisions,
            own_costs=answer.own_costs,
            groups=codes_of(groups, len(proba)),
        )
        return profile.with_costs(by_sample)


def _warn_of_confidence(positive_proba: NDArray[Any], present: NDArray[np.bool_]) -> None:
    """Warn if a single column seems to be the confidence in the prediction, not the probability of pos_label.

    Warn if each class has at least ten rows, the column is never below 1/2, and its sum is far above the number of rows
    of the positive class. If a calibrated model always predicts the positive class, its sum is close to this number.
    """
    n, n_positive = len(present), np.count_nonzero(present)
    if min(n_positive, n - n_positive) < 10 or positive_proba.min() < 0.5:
        return
    promised = positive_proba.astype(np.float64)
    excess = float(promised.sum()) - n_positive
    if excess > 3 * np.sqrt(float((promised * (1 - promised)).sum())):
        warn(
            f"y_proba is never below 0.5, although {n - n_positive} of {n} samples are not of the positive class. It "
            "is used as the probability of pos_label in every row. If it is the confidence in the predicted label, "
            f"{name_as_confidence()}",
        )


def _read_only(proba: NDArray[Any]) -> NDArray[Any]:
    view = proba.view()
    view.flags.writeable = False
    return view
