"""Profiles of labels and predicted probabilities, which are checked once, here."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_threshold
from skconf._core.columns import in_order_of
from skconf._core.costs import read_costs_by_sample
from skconf._core.inputs import (
    check_column,
    check_length,
    classes_of_columns,
    position_of,
    scaled_weight,
    with_unseen,
)
from skconf._core.labels import LabelColumn
from skconf._core.probabilities import as_probabilities, read_confidence
from skconf._core.response import decides_by_sample, respond
from skconf._core.warn import warn
from skconf.profile._pairs import FromPairs, codes_of, score_or_confidence


class FromPredictions(FromPairs):
    """Constructors from the probabilities of classes."""

    @classmethod
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
            Probabilities in the order of `labels`; in a binary task a single column is the probability of
            `pos_label`. Columns of a table (pandas, polars, pyarrow) that are named by the labels, LABEL or
            proba_LABEL, are found by name; a default index (pandas' 0, 1, …, polars' column_0, …) names nothing.
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, where they are not the most probable ones. None stands for the first maximum in the
            order of `labels`.
        labels : array-like of shape (n_classes,), default=None
            Labels of the columns of `y_proba`. None stands for the sorted labels of `y_true`, if there are as many
            of them as columns.
        pos_label : label, default=None
            The positive class of a binary task; None stands for the second label.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        score : array-like of shape (n_samples,), default=None
            What selection ranks by; None stands for the confidence.
        threshold : float, default=None
            The lowest score that is accepted, in [0, 1] or, with a `score`, any number; infinity accepts
            nothing. Metrics that are given no other threshold use it.
        groups : array-like of shape (n_samples,), default=None
            What each sample is of, such as its patient, where samples of one depend on each other.
        abstained : array-like of shape (n_samples,), default=None
            Whether each row abstains, and so is no answer, as in :meth:`from_correctness`: such a row needs neither a
            true label nor probabilities.

        Returns
        -------
        ConfidenceProfile

        Raises
        ------
        TypeError
            If `threshold` is no number.
        ValueError
            If probabilities are missing or outside [0, 1], lengths differ, a label is missing or unknown, `labels` is
            needed and not given, a table names its columns otherwise than by the labels, or `threshold` is out of
            range.

        Warns
        -----
        UserWarning
            If rows do not sum to 1, probabilities are whole numbers in type, or a single column seems to be the
            confidence in the prediction, rather than the probability of `pos_label`.
        """
        check_threshold(threshold, any_number=score is not None)
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
        """Build a profile from true labels and probabilities whose lengths and classes fit."""
        true_class = truth.positions_in(classes)
        predicted = None
        if y_pred is not None:
            column = LabelColumn(y_pred, "y_pred")
            check_length(column, len(proba), "y_pred")
            predicted = column.positions_in(
                classes, "If it marks rejected samples, pass the class predicted before the rejection."
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
    ) -> Self:
        """Build a profile from a fitted classifier, with one call of its ``predict_proba``.

        Parameters
        ----------
        estimator : classifier
            Fitted, with ``predict_proba``. Its prediction is the most probable class, but for two kinds, also inside
            a pipeline or a search: a :class:`~skconf.SelectiveClassifier` brings its own prediction, score and
            threshold along, and scikit-learn's ``FixedThresholdClassifier`` and ``TunedThresholdClassifierCV`` what
            they predict. Costs are those of what it answers, and it rejects nothing unless it is selective.
        X : array-like of shape (n_samples, n_features)
            Samples, as the classifier takes them.
        y : array-like of shape (n_samples,)
            True labels. A label that the classifier was not trained on counts as one it gives probability zero.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        predict : bool, default=False
            Call ``predict``, too, and let costs be those of its answers. Set it for a classifier whose prediction is
            not its most probable class, such as ``SVC(probability=True)``.
        costs : array-like of shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions), default=None
            What each decision costs in each sample, given its true class or for every class, with classes and
            decisions in the order of the classifier's. A classifier that decides by such costs needs those for every
            class.

        Returns
        -------
        ConfidenceProfile

        Raises
        ------
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            If `costs` have another shape, or are negative or not finite.
        """
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
        )
        return profile.with_costs(by_sample)


def _warn_of_confidence(positive_proba: NDArray[Any], present: NDArray[np.bool_]) -> None:
    """Warn if a single column seems to hold the confidence in the prediction, not the probability of pos_label.

    It is never below 1/2; there are both classes, ten times at least; and it implies far more of the positive class
    than there are, which a model that predicts one class always, rightly or not far off, does not.
    """
    n, n_positive = len(present), np.count_nonzero(present)
    if min(n_positive, n - n_positive) < 10 or positive_proba.min() < 0.5:
        return
    promised = positive_proba.astype(np.float64)
    excess = float(promised.sum()) - n_positive
    if excess > 3 * np.sqrt(float((promised * (1 - promised)).sum())):
        warn(
            f"y_proba is nowhere below 0.5, and yet {n - n_positive} of {n} samples are not of the positive class. It "
            "is read as the probability of pos_label, in every row. If it is the confidence in the predicted label, "
            "such as y_proba.max(axis=1), pass the probabilities of both classes, or use "
            "ConfidenceProfile.from_correctness(correct, confidence).",
        )


def _read_only(proba: NDArray[Any]) -> NDArray[Any]:
    view = proba.view()
    view.flags.writeable = False
    return view
