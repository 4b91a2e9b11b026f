"""ConfidenceProfile: who was right, and how sure it was. Predictions are checked once, here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_threshold
from skconf._core.columns import in_order_of
from skconf._core.costs import costs_given_truth, read_costs_by_sample
from skconf._core.inputs import (
    check_column,
    check_length,
    classes_of_columns,
    position_of,
    scaled_weight,
    with_unseen,
)
from skconf._core.labels import Codes, LabelColumn
from skconf._core.probabilities import (
    Floats,
    as_probabilities,
    at_least_single,
    both_columns,
    read_confidence,
    row_blocks,
)
from skconf._core.ranking import Ranking
from skconf._core.response import decides_by_sample, respond
from skconf._core.warn import warn

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceProfile:
    """Predictions, checked once and ready for every metric.

    Build it with :meth:`from_predictions`, :meth:`from_correctness` or :meth:`from_estimator`, and pass it as the
    first argument of any metric function: many metrics then cost one validation and one sort.

    Attributes
    ----------
    correct : ndarray of shape (n_samples,), bool
        Whether the predicted class is the true one.
    confidence : ndarray of shape (n_samples,), float64
        Probability of the predicted class. It is below 1/2 in a binary task where a given prediction is not the
        most probable class.
    score : ndarray of shape (n_samples,), float64
        What selection ranks by: the confidence, unless a selective classifier uses another score.
    sample_weight : ndarray of shape (n_samples,) or None
        Non-negative weights; None stands for ones. They are as given, but where the largest is not in [1e-30, 1e30], or
        one is less than the largest by a factor of more than 1e30: see `weight_scale` and `given_weight`.
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the probability columns; None for a profile from correctness.
    true_class, predicted_class : ndarray of shape (n_samples,) or None
        Positions in ``classes`` of the true and the predicted label.
    positive_class : int or None
        Position in ``classes`` of ``pos_label``.
    threshold : float or None
        The threshold of the selective classifier the predictions came from; metrics that are given no other one use it.
    reject_label : label or None
        What that classifier says of a sample below the threshold.
    prediction_given : bool
        Whether the predicted labels were given, and not read off the probabilities.
    weight_scale : float
        What the weights were divided by: 1, but where the largest is not in [1e-30, 1e30].
    answered : bool
        Whether these are the answers of a classifier. Costs are then those of what it answered.
    decided : ndarray of shape (n_samples,) or None
        Position of each answer in `decisions`, or in ``classes`` where that is None; None where it is
        `predicted_class`.
    decisions : tuple or None
        What a classifier decides among, where these are not the classes. The predicted class is then the most probable
        one.
    costs : ndarray of shape (n_samples, n_decisions) or None
        What each decision costs in each sample, given its true class, where this differs by sample.

    Notes
    -----
    A profile holds arrays of its own, so that later changes of what it was built from do not reach it. Probabilities
    alone, which may be large, are not copied: `proba` is a read-only view of what was given. Pass a copy
    (``y_proba.copy()``) where the array will be written to.

    Examples
    --------
    >>> from skconf import ConfidenceProfile
    >>> from skconf.metrics import calibrated_size_ratio, cw_accuracy_score
    >>> profile = ConfidenceProfile.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.6, 0.7])
    >>> profile.confidence
    array([0.8, 0.9, 0.6, 0.7])
    >>> profile.correct
    array([ True,  True,  True, False])
    >>> cw_accuracy_score(profile)
    0.766...
    >>> calibrated_size_ratio(profile)
    0.833...
    """

    correct: NDArray[np.bool_]
    confidence: Floats
    score: Floats
    sample_weight: Floats | None = None
    classes: NDArray[Any] | None = None
    true_class: Codes | None = None
    predicted_class: Codes | None = None
    positive_class: int | None = None
    threshold: float | None = None
    reject_label: Any = None
    prediction_given: bool = False
    given_proba: NDArray[Any] | None = None
    weight_scale: float = 1.0
    answered: bool = False
    decided: Codes | None = None
    decisions: tuple[Any, ...] | None = None
    costs: Floats | None = None

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
            Score from which on a sample is accepted, in [0, 1] or, with a `score`, any number; infinity accepts
            nothing. Metrics that are given no other threshold use it.

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
        proba, truth = as_probabilities(y_proba), LabelColumn(y_true, "y_true")
        check_length(truth, len(proba), "y_true")
        classes = classes_of_columns(truth, labels, proba)
        positive = position_of(classes, pos_label)
        proba = in_order_of(classes, proba, y_proba, "y_proba", positive)
        return cls._read(truth, proba, classes, positive, y_pred, sample_weight, score, threshold=threshold)

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
            correct=predicted == true_class,
            confidence=confidence,
            score=_score_or_confidence(ranked_by, confidence),
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
    def from_correctness(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        score: ArrayLike | None = None,
    ) -> Self:
        """Build a profile from correctness and confidence alone, all that a generative system gives.

        Parameters
        ----------
        correct : array-like of shape (n_samples,)
            Whether each answer is right: booleans, or 0 and 1.
        confidence : array-like of shape (n_samples,)
            Confidence in each answer, in [0, 1].
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        score : array-like of shape (n_samples,), default=None
            What selection ranks by; None stands for the confidence.

        Returns
        -------
        ConfidenceProfile
            Without classes: a metric that needs the probabilities of other classes raises.

        Raises
        ------
        ValueError
            If a value is missing or out of range, or lengths differ.
        """
        sure = check_column(confidence, None, "confidence")
        # The rounding error that probabilities of float32 may have is no error here either.
        rounding = 8 * np.finfo(np.float32).eps
        outside = (sure < -rounding) | (sure > 1 + rounding)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(f"confidence is {sure[row]} in row {row}; it must lie in [0, 1].")
        sure = np.clip(sure, 0.0, 1.0)
        right = check_column(correct, len(sure), "correct")
        graded = (right != 0) & (right != 1)
        if graded.any():
            row = int(np.argmax(graded))
            raise ValueError(f"correct is {right[row]} in row {row}; it must be 0 or 1 (or a boolean).")
        ranked_by = None if score is None else check_column(score, len(sure), "score")
        weight, weight_scale = scaled_weight(sample_weight, len(sure))
        return cls(
            correct=right == 1,
            confidence=sure,
            score=_score_or_confidence(ranked_by, sure),
            sample_weight=weight,
            weight_scale=weight_scale,
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

    def __len__(self) -> int:
        return len(self.correct)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", n_classes={self.n_classes}"
        weighted = "" if self.sample_weight is None else ", weighted"
        return f"ConfidenceProfile(n_samples={self.n_samples}{classes}{weighted})"

    def __getitem__(self, rows: slice | NDArray[Any]) -> Self:
        """Return the profile of some rows: views for a slice, copies for an index or a mask."""
        if not isinstance(rows, slice) and np.ndim(rows) == 0:
            raise TypeError(f"A profile is indexed by a slice, a mask or an array of rows, not by {rows!r}.")
        parts: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            per_row = isinstance(value, np.ndarray) and field.name != "classes"
            parts[field.name] = value[rows] if per_row else value
        if self.ranks_by_confidence:
            parts["score"] = parts["confidence"]
        return replace(self, **parts)

    def blocks(self) -> Iterator[tuple[slice, Self]]:
        """Go through the rows in parts that fit the processor's cache.

        Yields
        ------
        rows : slice
            Where the part is.
        part : ConfidenceProfile
            Its predictions.
        """
        for rows in row_blocks(len(self), 1 if self.classes is None else len(self.classes)):
            block = self[rows]
            if block.given_proba is not None and block.given_proba.dtype == np.float16:
                block = replace(block, given_proba=at_least_single(block.given_proba))
            yield rows, block

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.correct)

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None where it is unknown, as for a generative system."""
        return None if self.classes is None else len(self.classes)

    @property
    def given_weight(self) -> Floats | None:
        """Weights as they were given, for sums whose size is that of the weights."""
        if self.sample_weight is None or self.weight_scale == 1:
            return self.sample_weight
        return self.sample_weight * self.weight_scale

    @property
    def ranks_by_confidence(self) -> bool:
        """Whether selection ranks by the confidence itself."""
        return self.score is self.confidence

    @cached_property
    def proba(self) -> NDArray[Any]:
        """Probabilities of shape (n_samples, n_classes), in the type they were given.

        Raises
        ------
        ValueError
            If the profile was built from correctness.
        """
        if self.given_proba is None:
            raise ValueError(
                "This needs the probabilities of all classes, and the profile was built from correctness alone. "
                "Use ConfidenceProfile.from_predictions."
            )
        if self.given_proba.ndim == 1:
            return both_columns(self.given_proba, self.require("positive_class"))
        return self.given_proba

    @cached_property
    def ranking(self) -> Ranking:
        """Weight and errors at every distinct score: the one sort that rank metrics share."""
        return Ranking.of(self.score, ~self.correct, self.sample_weight)

    @cached_property
    def confidence_ranking(self) -> Ranking:
        """Weight and errors at every distinct confidence: `ranking`, unless selection ranks by another score."""
        return self.ranking if self.ranks_by_confidence else replace(self, score=self.confidence).ranking

    def once(self, name: str, find: Callable[[Self], T]) -> T:
        """Return what a function finds of this profile: once, however many metrics need it.

        Parameters
        ----------
        name : str
            The name under which it is kept.
        find : callable
            Takes the profile, and returns the result to keep.

        Returns
        -------
        object
            What `find` returned when the name was first asked for.
        """
        if name not in self._found:
            self._found[name] = find(self)
        return cast(T, self._found[name])

    @cached_property
    def _found(self) -> dict[str, Any]:
        return {}

    def with_weight(self, sample_weight: ArrayLike | None) -> Self:
        """Return the same predictions with other weights.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,) or None
            Non-negative weights; None takes them away.

        Returns
        -------
        ConfidenceProfile
            A new one.

        Raises
        ------
        ValueError
            If a weight is negative or missing, all are zero, or there are more or fewer than samples.
        """
        weight, weight_scale = scaled_weight(sample_weight, len(self))
        return replace(self, sample_weight=weight, weight_scale=weight_scale)

    def with_costs(self, costs: ArrayLike | None) -> Self:
        """Return the same answers with costs of each sample, which :func:`skconf.metrics.reject_cost_loss` charges.

        Parameters
        ----------
        costs : array-like of shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions) or None
            What each decision costs in each sample, given its true class or for every class, with classes and
            decisions in their order here; None takes them away.

        Returns
        -------
        ConfidenceProfile
            A new one.

        Raises
        ------
        ValueError
            If costs have another shape, are negative or not finite, or the answers are not known.
        """
        if costs is None:
            return self if self.costs is None else replace(self, costs=None)
        if not (self.answered or self.prediction_given):
            raise ValueError("costs of each sample are those of answers: build the profile with y_pred.")
        classes = self.require("classes")
        n_decisions = len(classes if self.decisions is None else self.decisions)
        true_class, given = self.require("true_class"), read_costs_by_sample(costs)
        return replace(self, costs=costs_given_truth(given, true_class, len(classes), n_decisions))

    def with_positive(self, pos_label: Any) -> Self:
        """Return the same predictions with another positive class.

        Parameters
        ----------
        pos_label : label
            One of `classes`.

        Returns
        -------
        ConfidenceProfile
            A new one.

        Raises
        ------
        ValueError
            If there is no such class, or the profile knows no classes.
        """
        return replace(self, positive_class=position_of(self.require("classes"), pos_label), given_proba=self.proba)

    @overload
    def require(self, attribute: Literal["classes"]) -> NDArray[Any]: ...

    @overload
    def require(self, attribute: Literal["true_class", "predicted_class"]) -> Codes: ...

    @overload
    def require(self, attribute: Literal["positive_class"]) -> int: ...

    def require(self, attribute: str) -> Any:
        """Return an attribute that not every profile has, or say what it lacks.

        Parameters
        ----------
        attribute : {"classes", "true_class", "predicted_class", "positive_class"}
            Its name.

        Returns
        -------
        ndarray or int
            The attribute.

        Raises
        ------
        ValueError
            If it is None.
        """
        value = getattr(self, attribute)
        if value is not None:
            return value
        if attribute == "positive_class" and self.classes is not None:
            raise ValueError(
                f"There are {self.n_classes} classes and no positive one: pass pos_label, or average='macro', "
                "'micro', 'weighted' or None."
            )
        raise ValueError(
            "This needs the true and predicted classes, and the profile was built from correctness alone. "
            "Use ConfidenceProfile.from_predictions."
        )


def as_profile(caller: str, y_true: Any, y_proba: Any = None, **given: Any) -> ConfidenceProfile:
    """Return predictions as a profile: the one that holds them, or a new one. Messages name the caller."""
    if not isinstance(y_true, ConfidenceProfile):
        if y_proba is None:
            raise TypeError(f"{caller} needs y_proba, unless its first argument is a ConfidenceProfile.")
        return ConfidenceProfile.from_predictions(y_true, y_proba, **given)
    repeated = [name for name, value in {"y_proba": y_proba, **given}.items() if value is not None]
    if repeated:
        raise TypeError(f"{caller} got a ConfidenceProfile and {', '.join(repeated)}; the profile holds these already.")
    if len(y_true) == 0:
        raise ValueError(f"{caller} needs at least one sample, but the profile has none.")
    return y_true


def _warn_of_confidence(positive_proba: NDArray[Any], present: NDArray[np.bool_]) -> None:
    """Warn where a single column seems to be the confidence in whichever class was predicted.

    It is never below 1/2; there are both classes, ten times at least; and it promises far more of the positive class
    than there are, which a model that predicts one class always, rightly or not far off, does not.
    """
    n, found = len(present), np.count_nonzero(present)
    if min(found, n - found) < 10 or positive_proba.min() < 0.5:
        return
    promised = positive_proba.astype(np.float64)
    excess = float(promised.sum()) - found
    if excess > 3 * np.sqrt(float((promised * (1 - promised)).sum())):
        warn(
            f"y_proba is nowhere below 0.5, and yet {n - found} of {n} samples are not of the positive class. It is "
            "read as the probability of pos_label, in every row. If it is the confidence in the predicted label, such "
            "as y_proba.max(axis=1), pass the probabilities of both classes, or use "
            "ConfidenceProfile.from_correctness(correct, confidence).",
        )


def _read_only(proba: NDArray[Any]) -> NDArray[Any]:
    view = proba.view()
    view.flags.writeable = False
    return view


def _score_or_confidence(score: Floats | None, confidence: Floats) -> Floats:
    """Return the confidence itself where the score equals it: metrics distinguish the two by identity."""
    return confidence if score is None or np.array_equal(score, confidence) else score
