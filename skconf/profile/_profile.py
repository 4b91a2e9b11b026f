"""ConfidenceProfile, and its constructors for tasks beyond one label."""

from dataclasses import replace
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.arrays import as_floats
from skconf._core.checks import check_option
from skconf._core.inputs import check_weight
from skconf._core.probabilities import complement
from skconf.profile._generated import FromGenerated
from skconf.profile._multilabel import Multilabel
from skconf.profile._pairs import codes_of
from skconf.profile._predictions import FromPredictions
from skconf.profile._regression import Forecast


class ConfidenceProfile(FromPredictions, FromGenerated):
    """Predictions, checked once and ready for every metric.

    Build it with :meth:`from_predictions`, :meth:`from_correctness` or :meth:`from_estimator`, and pass it as the
    first argument of any metric function: many metrics then cost one validation and one sort. For other tasks there are
    :meth:`from_multilabel`, :meth:`from_regression`, :meth:`from_sequences`, :meth:`from_samples`, :meth:`from_costs`
    and :meth:`with_similarity`.

    Attributes
    ----------
    correctness : ndarray of shape (n_samples,), bool or float64
        Whether the predicted class is the true one; or how nearly right each answer is, in [0, 1]; NaN where only costs
        are known.
    confidence : ndarray of shape (n_samples,), float64
        Probability of the predicted class. It is below 1/2 in a binary task where a given prediction is not the
        most probable class. For graded answers it is the expected correctness; where only costs are known, 1 − u/u_M.
    score : ndarray of shape (n_samples,), float64
        What selection ranks by: the confidence, unless a selective classifier uses another score.
    sample_weight : ndarray of shape (n_samples,) or None
        Non-negative weights; None stands for ones. Extreme ones are scaled: where the largest is not in
        [1e-30, 1e30], or another is more than 1e30 times smaller. See `weight_scale` and `given_weight`.
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the probability columns; None for a profile from correctness.
    true_class, predicted_class : ndarray of shape (n_samples,) or None
        Positions in ``classes`` of the true and the predicted label.
    positive_class : int or None
        Position in ``classes`` of ``pos_label``.
    threshold : float or None
        The threshold of the selective classifier the predictions came from; metrics that are given no other one use it.
    reject_label : label or None
        What that classifier predicts below the threshold.
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
    groups : ndarray of shape (n_samples,) or None
        Number of the row that each answer is of, where one row has several, such as the labels of a multilabel task.
        They depend on each other: intervals, comparisons and guarantees draw rows, and not answers.
    topic : ndarray of shape (n_samples,) or None
        Position in `topics` of what each answer is about, such as its label in a multilabel task.
    topics : tuple or None
        The names of these.
    strata : ndarray of shape (n_samples,) or None
        Stratum of each answer, whose number of rows was chosen: the true class, after :meth:`at_prevalence`.
    prevalence : tuple of float or None
        Shares of the classes, in their order, that were stated there.
    answer_cost, uncertainty : ndarray of shape (n_samples,) or None
        Cost C of each answer, and its uncertainty u, where :meth:`from_costs` was given these.
    largest_uncertainty : float or None
        The largest uncertainty of a best guess, u_M, beside them.
    abstained : Abstained or None
        The rows that abstain, where there are some. The arrays above are those of the other rows; metrics that count
        what abstains, such as the coverage, read `everything`.

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

    @overload
    @classmethod
    def from_multilabel(
        cls,
        Y_true: Any,
        Y_proba: Any,
        *,
        average: Literal["micro", "samples"] = "micro",
        Y_pred: Any = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self: ...

    @overload
    @classmethod
    def from_multilabel(
        cls,
        Y_true: Any,
        Y_proba: Any,
        *,
        average: None,
        Y_pred: Any = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> dict[Any, Self]: ...

    @classmethod
    def from_multilabel(
        cls,
        Y_true: Any,
        Y_proba: Any,
        *,
        average: str | None = "micro",
        Y_pred: Any = None,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self | dict[Any, Self]:
        """Build a profile of samples that have any number of labels.

        A label is predicted where its probability p is above 1/2. The confidence of such an answer is p, and that of a
        label which is not predicted 1 − p.

        Parameters
        ----------
        Y_true : array-like or sparse matrix of shape (n_samples, n_labels)
            1 where a sample has a label, and 0 elsewhere.
        Y_proba : array-like of shape (n_samples, n_labels), or list of arrays of shape (n_samples, 2)
            Probability of each label; a list is what ``predict_proba`` of scikit-learn's ``MultiOutputClassifier``
            returns. Tables of both with named columns are put in the order of `Y_true`.
        average : {"micro", "samples"} or None, default="micro"
            What an answer is.

            - "micro": each label of each sample, row by row. It is right or wrong, and calibrated if, among answers of
              confidence c, the share c is right. Labels of a sample depend on each other: the profile has samples as
              its `groups`, and labels as its `topics`, by which a report says which are worst.
            - "samples": the set of labels that is predicted for a sample. It is graded by Jaccard's index, the labels
              that are predicted and true over those that are either, and 1 where there are none. Its confidence is the
              index that the probabilities imply if labels are independent, given the features; it is calibrated if,
              among sets of confidence c, the mean index is c.
            - None: each label by itself, as a binary task.
        Y_pred : array-like or sparse matrix of shape (n_samples, n_labels), default=None
            Predicted labels, where they are not those of a probability above 1/2.
        labels : array-like of shape (n_labels,), default=None
            Names of the labels. None stands for the names of the columns of `Y_true`, or 0, 1, ….
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            What each sample is of, such as its patient. None makes each sample a group.

        Returns
        -------
        ConfidenceProfile, or dict of label to ConfidenceProfile
            A dict with ``average=None``.

        Raises
        ------
        ValueError
            If labels are not 0 or 1, probabilities are outside [0, 1], or shapes or names differ.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import confidence_gap
        >>> Y_true, Y_proba = [[1, 0, 1], [0, 0, 1]], [[0.9, 0.2, 0.4], [0.3, 0.1, 0.8]]
        >>> micro = ConfidenceProfile.from_multilabel(Y_true, Y_proba)
        >>> micro.correct
        array([ True,  True, False,  True,  True,  True])
        >>> micro.groups
        array([0, 0, 0, 1, 1, 1])
        >>> ConfidenceProfile.from_multilabel(Y_true, Y_proba, average="samples").correctness
        array([0.5, 1. ])
        >>> by_label = ConfidenceProfile.from_multilabel(Y_true, Y_proba, average=None, labels=["a", "b", "c"])
        >>> {label: round(confidence_gap(profile), 2) for label, profile in by_label.items()}
        {'a': -0.2, 'b': -0.15, 'c': 0.2}
        """
        check_option(average, "average", ("micro", "samples", None))
        task = Multilabel.read(Y_true, Y_proba, Y_pred, labels)
        given: dict[str, Any] = {"sample_weight": sample_weight, "groups": groups}
        if average == "samples":
            return cls.from_correctness(task.jaccard(), task.expected_jaccard(), **given)
        if average == "micro":
            n_samples, n_labels = task.proba.shape
            weight = check_weight(sample_weight, n_samples)
            rows = codes_of(groups, n_samples)
            micro = cls.from_correctness(
                (task.truth == task.predicted).ravel(),
                np.where(task.predicted, task.proba, complement(task.proba)).ravel(),
                sample_weight=None if weight is None else np.repeat(weight, n_labels),
                groups=np.repeat(np.arange(n_samples) if rows is None else rows, n_labels),
            )
            return replace(micro, topic=np.tile(np.arange(n_labels), n_samples), topics=tuple(task.labels))
        names, rows = task.labels, codes_of(groups, len(task.proba))
        by_label = {}
        for label, truth, proba, predicted in zip(names, task.truth.T, task.proba.T, task.predicted.T, strict=True):
            y_pred = None if Y_pred is None else predicted
            profile = cls.from_predictions(
                truth, proba, labels=[False, True], y_pred=y_pred, sample_weight=sample_weight
            )
            by_label[label] = replace(profile, groups=rows)
        return by_label

    @classmethod
    def from_regression(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        tolerance: float,
        kernel: str = "within",
        std: ArrayLike | None = None,
        interval: tuple[ArrayLike, ArrayLike] | None = None,
        interval_level: float = 0.9,
        ensemble: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Build a profile of predicted numbers, with the confidence in each.

        The confidence is the correctness that is expected if the true value comes from the distribution that the model
        predicts; with "within" the probability that the error is at most `tolerance`. It is calibrated if, among
        predictions of confidence c, the mean correctness is c. The distribution is given by one of `std`, `interval`
        and `ensemble`.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True values.
        y_pred : array-like of shape (n_samples,)
            Predicted values.
        tolerance : float
            The largest error that counts as right, in the units of `y_true`; above 0.
        kernel : {"within", "gaussian"}, default="within"
            Correctness of a prediction with error e: "within" is right where |e| <= tolerance, and wrong elsewhere;
            "gaussian" is graded, exp(−(e / tolerance)² / 2).
        std : array-like of shape (n_samples,), default=None
            Predicted standard deviations: the distribution is normal, around `y_pred`.
        interval : pair of array-like of shape (n_samples,), default=None
            Predicted intervals, as lower and upper ends: on each side of `y_pred` the distribution is half a normal
            one.
        interval_level : float, default=0.9
            Probability of each interval, in (0, 1), the same on both sides.
        ensemble : array-like of shape (n_samples, n_members), default=None
            Predictions of the members of an ensemble, as draws from the distribution. They differ by what the members
            do not know, and not by the noise of the data, unless drawn with it: confidences may be too high.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            What each sample is of, such as its patient, where samples of one depend on each other.

        Returns
        -------
        ConfidenceProfile
            Right or wrong with "within", and graded with "gaussian".

        Raises
        ------
        ValueError
            If not one of `std`, `interval` and `ensemble` is given, a value is missing or out of range, a prediction
            lies outside its interval, or lengths differ.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> y_true, y_pred = [1.0, 2.0, 3.0], [1.1, 2.4, 2.0]
        >>> profile = ConfidenceProfile.from_regression(y_true, y_pred, tolerance=0.5, std=[0.2, 0.5, 0.5])
        >>> profile.correct
        array([ True,  True, False])
        >>> profile.confidence.round(3)
        array([0.988, 0.683, 0.683])
        """
        forecast = Forecast.read(y_true, y_pred, tolerance, kernel, std, interval, interval_level, ensemble)
        return cls.from_correctness(
            forecast.correctness(), forecast.confidence(), sample_weight=sample_weight, groups=groups
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


def weigh_part(profile: ConfidenceProfile, sample_weight: ArrayLike | None) -> ConfidenceProfile:
    """Return the predictions of a part with weights that may all be zero, as other parts may have positive ones."""
    if sample_weight is None:
        return profile.with_weight(None)
    weight = as_floats(sample_weight, "sample_weight")
    if weight.size == 0 or weight.any():
        return profile.with_weight(weight)
    checked = profile.with_weight(np.ones_like(weight))
    return replace(checked, sample_weight=np.zeros(len(checked)))
