"""ConfidenceProfile, and its constructors for tasks beyond one label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.arrays import as_floats
from skconf._core.checks import check_option
from skconf._core.inputs import check_order, check_weight
from skconf._core.probabilities import complement
from skconf.profile._generated import FromGenerated
from skconf.profile._multilabel import Multilabel
from skconf.profile._pairs import codes_of
from skconf.profile._predictions import FromPredictions
from skconf.profile._regression import Forecast


class ConfidenceProfile(FromPredictions, FromGenerated):
    """Predictions that are checked once and can be passed to every metric.

    Build it with :meth:`from_predictions`, :meth:`from_correctness` or :meth:`from_estimator`. Pass it as the first
    argument of any metric function. The predictions are then checked and sorted once, not once for each metric. For
    other tasks there are :meth:`from_multilabel`, :meth:`from_regression`, :meth:`from_sequences`,
    :meth:`from_samples`, :meth:`from_costs` and :meth:`with_similarity`.

    Attributes
    ----------
    correctness : ndarray of shape (n_samples,), bool or float64
        Whether the predicted class is the true class, or a grade of each answer in [0, 1]. NaN if only costs are known.
    confidence : ndarray of shape (n_samples,), float64
        Probability of the predicted class. In a binary task, it is below 1/2 if the given prediction is not the most
        probable class. For graded answers it is the expected correctness. If only costs are known, it is 1 −
        `uncertainty` / `largest_uncertainty`.
    score : ndarray of shape (n_samples,), float64
        The score that is compared with a threshold: the confidence, or another score that you passed or that a
        selective classifier uses.
    sample_weight : ndarray of shape (n_samples,) or None
        Non-negative weights. None if no weights were given. If the largest weight is not in [1e-30, 1e30], all weights
        are divided by `weight_scale`; `given_weight` has the weights as given. A weight that is more than 1e30 times
        smaller than the largest counts as zero.
    classes : ndarray of shape (n_classes,) or None
        Labels in the order of the columns of probabilities. None for a profile from correctness.
    true_class, predicted_class : ndarray of shape (n_samples,) or None
        Positions in ``classes`` of the true and the predicted label.
    positive_class : int or None
        Position in ``classes`` of ``pos_label``.
    threshold : float or None
        The threshold that you passed, or that of the selective classifier that made the predictions. Metrics use it if
        they get no other threshold.
    reject_label : label or None
        The label that the selective classifier predicts below the threshold.
    prediction_given : bool
        Whether the predicted labels were given, and not computed from the probabilities.
    weight_scale : float
        The number by which the weights were divided. It is 1 if the largest weight is in [1e-30, 1e30].
    answered : bool
        Whether the profile was built by :meth:`from_estimator`. If True, metrics take from `costs` the cost of the
        classifier's own answer (see `decided`). If False, they take the cost of the label in `y_pred`.
    decided : ndarray of shape (n_samples,) or None
        Position of each answer in `decisions` or, if `decisions` is None, in ``classes``. If `decided` is None, the
        answers are `predicted_class`.
    decisions : tuple or None
        The decisions of a classifier, if they are not the classes. The predicted class is then the most probable class.
    costs : ndarray of shape (n_samples, n_decisions) or None
        Cost of each decision for each sample, given its true class. None if costs do not differ by sample.
    groups : ndarray of shape (n_samples,) or None
        Cluster of each answer, such as its row in a multilabel task, where each row has several answers. Answers of one
        cluster depend on each other, so intervals, comparisons and guarantees use clusters, not answers, as the
        independent units.
    topic : ndarray of shape (n_samples,) or None
        Topic of each answer, as its position in `topics`. In a multilabel task, the topic is the label.
    topics : tuple or None
        Names of the topics.
    strata : ndarray of shape (n_samples,) or None
        Stratum of each answer. After :meth:`at_prevalence`, the strata are the true classes. Intervals and comparisons
        treat the number of rows of each stratum as fixed.
    prevalence : tuple of float or None
        Shares of the classes that were given to :meth:`at_prevalence`, in the order of the classes.
    answer_cost, uncertainty : ndarray of shape (n_samples,) or None
        Cost C and uncertainty u of each answer, in a profile from :meth:`from_costs`.
    largest_uncertainty : float or None
        Largest possible uncertainty u_M, in a profile from :meth:`from_costs`: the highest expected cost that the best
        decision can have.
    abstained : Abstained or None
        The rows in which the model abstains, if there are any. The arrays above do not contain them. Metrics that count
        them, such as the coverage, use the profile `everything`, which has all rows.

    Notes
    -----
    A profile copies its columns, so you can change the originals later. Probabilities and costs of each sample are not
    copied, because they may be large: `proba` is a read-only view of the array that you pass, and `costs` may be a
    view, too. If you will change such an array, pass a copy (``y_proba.copy()``).

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
        """Build a profile of samples with any number of labels.

        A label is predicted if its probability p is above 1/2. The confidence is p for a predicted label, and 1 − p for
        a label that is not predicted.

        Parameters
        ----------
        Y_true : array-like or sparse matrix of shape (n_samples, n_labels)
            1 if a sample has a label, else 0.
        Y_proba : array-like of shape (n_samples, n_labels), or list of arrays of shape (n_samples, 2)
            Probability of each label. You can also pass the list that ``predict_proba`` of scikit-learn's
            ``MultiOutputClassifier`` returns. If `Y_true` and `Y_proba` are tables with named columns, the columns are
            matched by name.
        average : {"micro", "samples"} or None, default="micro"
            What counts as an answer.

            - "micro": each label of each sample is an answer, right or wrong. Answers are in the order of the rows.
              Confidences are calibrated if a share c of the answers with confidence c is right. Labels of a sample
              depend on each other, so each sample is a cluster (see `groups` of the profile). The labels are the
              `topics` of the profile, so that a report can say which labels are worst.
            - "samples": the set of labels that is predicted for a sample is an answer. It is graded by Jaccard's index:
              the number of labels that are both predicted and true, divided by the number of labels that are predicted,
              true or both. If no label is predicted or true, the index is 1. The confidence is the expected index. It
              is computed under the assumption that the labels of a sample are independent, given its features.
              Confidences are calibrated if the sets with confidence c have a mean index of c.
            - None: each label is a binary task with its own profile.
        Y_pred : array-like or sparse matrix of shape (n_samples, n_labels), default=None
            Predicted labels. If None, each label with a probability above 1/2 is predicted.
        labels : array-like of shape (n_labels,), default=None
            Names of the labels. None uses the names of the columns of `Y_true`, or else 0, 1, ….
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. If None, each sample is a cluster.

        Returns
        -------
        ConfidenceProfile, or dict of label to ConfidenceProfile
            A profile; with ``average=None``, a dict with a profile for each label.

        Raises
        ------
        ValueError
            If labels are not 0 or 1. If probabilities are outside [0, 1]. If shapes or names differ.

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
        check_order(Y_true=Y_true, Y_proba=Y_proba, Y_pred=Y_pred, sample_weight=sample_weight, groups=groups)
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
        """Build a profile of predicted numbers, with a confidence in each of them.

        The confidence is the expected correctness under the distribution that the model predicts. With "within", it is
        the probability that the error is at most `tolerance`. It is calibrated if the predictions with confidence c
        have a mean correctness of c. Pass the distribution as one of `std`, `interval` and `ensemble`.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True values.
        y_pred : array-like of shape (n_samples,)
            Predicted values.
        tolerance : float
            Size of a tolerable error, in the units of `y_true`; above 0. See `kernel`.
        kernel : {"within", "gaussian"}, default="within"
            Correctness of a prediction with error e. With "within", it is right if |e| <= tolerance, else wrong. With
            "gaussian", it is graded as exp(−(e / tolerance)² / 2).
        std : array-like of shape (n_samples,), default=None
            Predicted standard deviations. The distribution is normal, with mean `y_pred`.
        interval : pair of array-like of shape (n_samples,), default=None
            Lower and upper ends of predicted intervals. On each side of `y_pred`, the distribution is half of a normal
            distribution.
        interval_level : float, default=0.9
            Probability of each interval, in (0, 1). Half of it lies on each side of `y_pred`.
        ensemble : array-like of shape (n_samples, n_members), default=None
            Predictions of the members of an ensemble, as draws from the distribution. Members usually differ because
            the model is uncertain, but not because the data are noisy. If the predictions of the members do not
            include the noise of the data, confidences may be too high.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient. Pass it if samples of one cluster depend on each other.

        Returns
        -------
        ConfidenceProfile
            With "within", answers are right or wrong; with "gaussian", they are graded.

        Raises
        ------
        ValueError
            If not exactly one of `std`, `interval` and `ensemble` is given. If a value is missing or out of range. If a
            prediction lies outside its interval. If lengths differ.

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
        check_order(
            y_true=y_true, y_pred=y_pred, std=std, ensemble=ensemble, sample_weight=sample_weight, groups=groups
        )
        forecast = Forecast.read(y_true, y_pred, tolerance, kernel, std, interval, interval_level, ensemble)
        return cls.from_correctness(
            forecast.correctness(), forecast.confidence(), sample_weight=sample_weight, groups=groups
        )


def as_profile(
    caller: str, y_true: Any, y_proba: Any = None, *, beside: Mapping[str, Any] | None = None, **given: Any
) -> ConfidenceProfile:
    """Return the profile that the caller was given, or build one from its arguments. Messages name the caller.

    `beside` has further columns, such as groups. Their rows must be in the order of the predictions.
    """
    if beside is not None:
        check_order(y_true=y_true, y_proba=y_proba, **beside)
    if not isinstance(y_true, ConfidenceProfile):
        if y_proba is None:
            raise TypeError(f"{caller} needs y_proba, unless its first argument is a ConfidenceProfile.")
        return ConfidenceProfile.from_predictions(y_true, y_proba, **given)
    repeated = [name for name, value in {"y_proba": y_proba, **given}.items() if value is not None]
    if repeated:
        raise TypeError(
            f"{caller} got a ConfidenceProfile and {', '.join(repeated)}, but the profile has these already. Leave "
            "them out."
        )
    if len(y_true) == 0:
        raise ValueError(f"{caller} needs at least one sample, but the profile has none.")
    return y_true


def weigh_part(profile: ConfidenceProfile, sample_weight: ArrayLike | None) -> ConfidenceProfile:
    """Return the profile of a part of the data with weights. All may be zero, because other parts may have weight."""
    if sample_weight is None:
        return profile.with_weight(None)
    weight = as_floats(sample_weight, "sample_weight")
    if weight.size == 0 or weight.any():
        return profile.with_weight(weight)
    checked = profile.with_weight(np.ones_like(weight))
    return replace(checked, sample_weight=np.zeros(len(checked)))
