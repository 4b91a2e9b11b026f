"""The same answers with other weights, costs, correctness or classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.costs import costs_given_truth, read_costs_by_sample
from skconf._core.inputs import position_of, scaled_weight
from skconf._core.messages import from_probabilities, option
from skconf._core.prevalence import read_shares, weights_to_shares
from skconf.profile._answers import Answers
from skconf.profile._similarity import check_similarity, similarity_of

#: Fields that are None in a profile without classes.
_OF_CLASSES = (
    "classes",
    "true_class",
    "predicted_class",
    "positive_class",
    "reject_label",
    "given_proba",
    "decided",
    "decisions",
    "costs",
)


class Changed(Answers):
    """Methods that return a new profile."""

    def with_correctness(self, correctness: NDArray[Any]) -> Self:
        """Return the same predictions with another correctness.

        The two profiles share stored results that depend only on confidences.

        Parameters
        ----------
        correctness : ndarray of shape (n_samples,)
            Booleans, or numbers in [0, 1]. They are not checked.

        Returns
        -------
        ConfidenceProfile
            A new profile.
        """
        other = replace(self, correctness=correctness)
        other.__dict__["_computed_of_confidence"] = self._computed_of_confidence
        return other

    def with_weight(self, sample_weight: ArrayLike | None) -> Self:
        """Return the same predictions with other weights.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,) or None
            Non-negative weights of all rows, also of rows in which the model abstains. None removes the weights.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If a weight is negative or missing, if all are zero, or if there are not as many weights as rows.
        """
        weight, weight_scale = scaled_weight(sample_weight, self.n_rows)
        abstained = self.abstained
        if abstained is not None:
            rows = abstained.rows
            abstained = replace(abstained, sample_weight=None if weight is None else weight[rows])
            weight = None if weight is None else weight[~rows]
        return replace(
            self, sample_weight=weight, weight_scale=weight_scale, abstained=abstained, strata=None, prevalence=None
        )

    def at_prevalence(self, prevalence: Mapping[Any, float]) -> Self:
        """Return the same predictions, weighted to other shares of the classes.

        Suppose that half of your rows are frauds, but you want the metrics for a population in which 0.3% are frauds.
        Rows are then weighted by their class, so that the weighted shares of the classes equal `prevalence`.
        Probabilities stay unchanged. Intervals and comparisons treat the number of rows of each class as fixed: the
        classes become `strata`.

        Parameters
        ----------
        prevalence : mapping of label to float
            Share of each class, above 0 and below 1. Shares sum to 1. With two classes, one share is enough.

        Returns
        -------
        ConfidenceProfile
            A new profile. If the profile has weights, their ratios within each class are kept.

        Raises
        ------
        TypeError
            If `prevalence` is not a mapping, or if a share is not a number.
        ValueError
            If a label is unknown or missing. If a share is out of range, or belongs to a class without rows. If rows
            abstain. If the profile has no classes.

        See Also
        --------
        skconf.calibration.correct_prevalence : Corrects the probabilities.
        skconf.inference.estimate_prevalence : Estimates the shares from rows without labels.

        Notes
        -----
        The weights assume label shift: where the model is used, the rows of each class are like those in this profile.
        Metrics within a class, such as its recall, stay the same, and so does balanced accuracy. With two classes, the
        specificity and the area under the ROC curve stay the same, too. Metrics that combine classes by their shares,
        such as accuracy and precision, change.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import cprecision_score
        >>> profile = ConfidenceProfile.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.7, 0.9])
        >>> rare = profile.at_prevalence({1: 0.01})
        >>> rare.sample_weight.tolist()
        [1.98, 1.98, 0.02, 0.02]
        >>> print(f"{cprecision_score(profile):.3f}, {cprecision_score(rare):.3f}")
        0.696, 0.023
        """
        if self.classes is None or self.true_class is None:
            raise ValueError(
                f"{option('prevalence')} needs the true class of each row, but only its correctness is known. "
                + from_probabilities()
            )
        classes, true_class = self.classes, self.true_class
        if self.abstained is not None:
            raise ValueError(
                f"{option('prevalence')} weights rows by their true class, but a row in which the model abstains may "
                "have none. Leave out these rows or the prevalence."
            )
        shares = read_shares(prevalence, classes, option("prevalence"))
        weighted = self.with_weight(weights_to_shares(true_class, classes, shares, self.sample_weight))
        return replace(weighted, strata=true_class, prevalence=tuple(shares.tolist()))

    def with_costs(self, costs: ArrayLike | None) -> Self:
        """Return the same answers with costs of each sample, for :func:`skconf.metrics.reject_cost_loss`.

        Parameters
        ----------
        costs : array-like of shape (n_samples, n_decisions) or (n_samples, n_classes, n_decisions) or None
            Cost of each decision for each sample. With 2 dimensions, the costs are for the true class of the sample;
            with 3 dimensions, for every class. Classes and decisions are in the order of `classes` and `decisions` of
            this profile. None removes the costs.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If costs have another shape, or are negative or not finite. If the profile was built neither with `y_pred`
            nor by :meth:`from_estimator`.

        Examples
        --------
        A missed case costs 5 in the first sample and 30 in the second:

        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import reject_cost_loss
        >>> profile = ConfidenceProfile.from_predictions([1, 1], [0.2, 0.1], y_pred=[0, 0], labels=[0, 1])
        >>> reject_cost_loss(profile.with_costs([[5, 0], [30, 0]]), reject_cost=40)
        17.5
        """
        if costs is None:
            return self if self.costs is None else replace(self, costs=None)
        if not (self.answered or self.prediction_given):
            raise ValueError(
                "costs can only be added to a profile that was built with y_pred or by from_estimator. Build this "
                "profile again in one of these ways."
            )
        classes = self.require("classes")
        n_decisions = len(classes if self.decisions is None else self.decisions)
        true_class, given = self.require("true_class"), read_costs_by_sample(costs)
        return replace(self, costs=costs_given_truth(given, true_class, len(classes), n_decisions))

    def with_similarity(self, similarity: ArrayLike) -> Self:
        """Return the same answers, graded by the similarity of predicted and true class.

        The confidence becomes the expected similarity, Σ_k p_k κ(ŷ, k), with κ the similarity and ŷ the predicted
        class. It is calibrated if the answers with confidence c have a mean similarity of c. This is the case if the
        probabilities are calibrated.

        Parameters
        ----------
        similarity : array-like of shape (n_classes, n_classes)
            Correctness in [0, 1] for each pair of predicted class (rows) and true class (columns), in the order of
            `classes`. In a DataFrame, such as the result of :func:`skconf.profile.tree_similarity`, rows and columns
            must be named by the classes, but may have any order.

        Returns
        -------
        ConfidenceProfile
            A graded profile without classes, because answers are no longer only right or wrong.

        Raises
        ------
        ValueError
            If the matrix has another shape or values outside [0, 1]. If the profile has no probabilities.

        Examples
        --------
        If the picture shows a dog, the answer "cat" is half as good as the answer "dog":

        >>> from skconf import ConfidenceProfile
        >>> similarity = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
        >>> y_true, y_proba = ["dog", "trout"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]
        >>> profile = ConfidenceProfile.from_predictions(y_true, y_proba, labels=["cat", "dog", "trout"])
        >>> graded = profile.with_similarity(similarity)
        >>> graded.correctness, graded.confidence
        (array([0.5, 0. ]), array([0.75, 0.6 ]))
        """
        classes = self.require("classes")
        matrix = similarity_of(check_similarity(similarity), classes)
        predicted, proba = self.require("predicted_class"), np.asarray(self.proba, dtype=np.float64)
        expected = np.clip(np.einsum("ij,ij->i", proba, matrix[predicted]), 0.0, 1.0)
        return replace(
            self,
            correctness=matrix[predicted, self.require("true_class")],
            confidence=expected,
            score=expected if self.ranks_by_confidence else self.score,
            **cast(dict[str, Any], dict.fromkeys(_OF_CLASSES)),
            prediction_given=False,
            answered=False,
        )

    def with_positive(self, pos_label: Any) -> Self:
        """Return the same predictions with another positive class.

        Parameters
        ----------
        pos_label : label
            One of `classes`.

        Returns
        -------
        ConfidenceProfile
            A new profile.

        Raises
        ------
        ValueError
            If there is no such class, or if the profile has no classes.
        """
        return replace(self, positive_class=position_of(self.require("classes"), pos_label), given_proba=self.proba)
