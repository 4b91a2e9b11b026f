"""Profiles from two columns: correctness and confidence, or cost and uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from skconf._core.checks import check_number
from skconf._core.grades import are_truths, from_grades, has_grades, has_percentages
from skconf._core.inputs import check_column, check_length, check_order, scaled_weight
from skconf._core.labels import Codes, LabelColumn
from skconf._core.probabilities import Floats
from skconf._core.problems import refuse_where
from skconf.profile._abstained import check_abstained, of_answers
from skconf.profile._changed import Changed


class FromPairs(Changed):
    """Constructors from correctness and confidence, or from cost and uncertainty."""

    @classmethod
    def from_correctness(
        cls,
        correct: ArrayLike,
        confidence: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        score: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        grades: Mapping[Any, float] | None = None,
        abstained: ArrayLike | None = None,
    ) -> Self:
        """Build a profile from correctness and confidence only, for example of a generative system.

        Correctness may be graded, for example as the share of an answer that is right. The confidence is then the
        expected correctness. It is calibrated if the answers with confidence c have a mean correctness of c. Metrics
        that count right and wrong answers refuse graded answers. Most losses, most calibration errors and most curves
        over coverage accept them.

        Parameters
        ----------
        correct : array-like of shape (n_samples,)
            Whether each answer is right (booleans, or 0 and 1), or a grade of its correctness in [0, 1].
        confidence : array-like of shape (n_samples,)
            Confidence in each answer. Pass numbers in [0, 1], percentages such as "95%", or words (with `grades`). In a
            column with words or percentages, the text "0.95" and the number 95 are both read as 0.95.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        score : array-like of shape (n_samples,), default=None
            The scores that are compared with a threshold. If None, these are the confidences.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each answer, such as its patient. Pass it if answers of one cluster depend on each other.
        grades : mapping from label to float, default=None
            A number in [0, 1] for each word in `confidence` and in `correct`.
        abstained : array-like of shape (n_samples,), default=None
            Whether the model abstains in each row: booleans, or 0 and 1. A row in which it abstains needs neither
            correctness nor confidence. No threshold accepts it: the coverage counts it as not accepted, and it costs as
            much as a rejection. All other metrics leave it out.

        Returns
        -------
        ConfidenceProfile
            A profile without classes. Metrics that need the probabilities of all classes raise an error.

        Raises
        ------
        ValueError
            If a value is missing or out of range. If `grades` has no number for a word. If lengths differ.
            If arguments from pandas have the same index in different orders.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import confidence_gap, coverage_score, selective_accuracy_score
        >>> profile = ConfidenceProfile.from_correctness([1, 0.5, 0.75, 0], [0.9, 0.7, 0.8, 0.2])
        >>> round(confidence_gap(profile), 4)
        0.0875
        >>> selective_accuracy_score(profile, threshold=0.5)
        0.75

        A row in which the model abstains lowers the coverage, but not the selective accuracy:

        >>> correct, confidence = [1, 0, None, 1], [0.9, 0.6, None, 0.8]
        >>> profile = ConfidenceProfile.from_correctness(correct, confidence, abstained=[0, 0, 1, 0])
        >>> profile
        ConfidenceProfile(n_samples=3, n_abstained=1)
        >>> coverage_score(profile, threshold=0.5), selective_accuracy_score(profile, threshold=0.7)
        (0.75, 1.0)

        If confidences are words, choose a number for each word:

        >>> grades = {"high": 0.9, "medium": 0.6, "low": 0.3}
        >>> profile = ConfidenceProfile.from_correctness([1, 1, 0], ["high", "medium", "low"], grades=grades)
        >>> profile.confidence.tolist()
        [0.9, 0.6, 0.3]
        """
        columns = {"sample_weight": sample_weight, "score": score, "groups": groups, "abstained": abstained}
        check_order(correct=correct, confidence=confidence, **columns)
        if abstained is not None:
            given: dict[str, Any] = {"correct": correct, "confidence": confidence, "score": score}
            return cls._with_abstained(
                partial(cls.from_correctness, grades=grades), abstained, given, sample_weight, groups
            )
        if grades is not None and has_grades(correct, grades) and not are_truths(correct, confidence, grades):
            correct = from_grades(correct, grades, "correct")
        if grades is not None or has_percentages(confidence):
            confidence = from_grades(confidence, grades, "confidence")
        words = " If it holds words, use grades to give each word a number."
        sure = _shares(confidence, None, "confidence", words)
        right = _shares(correct, len(sure), "correct", words)
        ranked_by = None if score is None else check_column(score, len(sure), "score")
        weight, weight_scale = scaled_weight(sample_weight, len(sure))
        return cls(
            correctness=right if ((right != 0) & (right != 1)).any() else right == 1,
            confidence=sure,
            score=score_or_confidence(ranked_by, sure),
            sample_weight=weight,
            weight_scale=weight_scale,
            groups=codes_of(groups, len(sure)),
        )

    @classmethod
    def _with_abstained(
        cls, make: Any, abstained: ArrayLike, columns: Mapping[str, Any], sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Build a profile of the rows that do not abstain, and store which rows abstain."""
        rows = check_abstained(abstained)
        profile: Self = of_answers(make, rows, columns).beside(rows, codes_of(groups, len(rows)))
        return profile if sample_weight is None else profile.with_weight(sample_weight)

    @classmethod
    def from_costs(
        cls,
        cost: ArrayLike,
        uncertainty: ArrayLike,
        *,
        largest: float | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Build a profile from the cost and the uncertainty of each answer, for any task.

        The uncertainty is the expected cost. It is calibrated if the answers with uncertainty u have a mean cost of u.
        The score that is compared with a threshold is 1 − u / `largest`, and the risk is the mean cost of accepted
        answers. ECUAS, the reject cost, the coverage and the risk-coverage metrics accept such profiles, except
        :func:`~skconf.metrics.excess_aurc_loss`. All other metrics refuse them.

        Parameters
        ----------
        cost : array-like of shape (n_samples,)
            Cost of each answer, 0 or greater.
        uncertainty : array-like of shape (n_samples,)
            Expected cost of each answer, 0 or greater.
        largest : float, default=None
            u_M, the largest possible uncertainty: the highest expected cost that the best decision can have. It is
            1 − 1/K with K classes if each error costs 1. None uses 1, and then costs and uncertainties must be at
            most 1.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        groups : array-like of shape (n_samples,), default=None
            The cluster of each answer, such as its patient. Pass it if answers of one cluster depend on each other.

        Returns
        -------
        ConfidenceProfile

        Raises
        ------
        ValueError
            If a value is negative or missing, or if lengths differ. If `largest` is None and a cost or an
            uncertainty is above 1.

        Examples
        --------
        >>> from skconf import ConfidenceProfile
        >>> from skconf.metrics import aurc_loss, ecuas_loss, reject_cost_loss
        >>> profile = ConfidenceProfile.from_costs([0, 4, 10, 0], [1, 3, 6, 0.5], largest=8)
        >>> reject_cost_loss(profile, reject_cost=2)
        1.0
        >>> aurc_loss(profile)
        1.208...
        >>> round(ecuas_loss(profile, n=1), 3)
        0.493
        """
        check_order(cost=cost, uncertainty=uncertainty, sample_weight=sample_weight, groups=groups)
        doubt = _costs(uncertainty, None, "uncertainty")
        paid = _costs(cost, len(doubt), "cost")
        if largest is None:
            if max(paid.max(), doubt.max()) > 1:
                raise ValueError(
                    f"a cost or an uncertainty is {max(paid.max(), doubt.max()):g}, which is above 1. Pass largest=, "
                    "the largest uncertainty that is possible."
                )
            largest = 1.0
        check_number(largest, "largest", 0.0, np.inf, open_high=True, positive=True)
        weight, weight_scale = scaled_weight(sample_weight, len(doubt))
        sure = 1 - doubt / largest
        return cls(
            correctness=np.full(len(doubt), np.nan),
            confidence=sure,
            score=sure,
            sample_weight=weight,
            weight_scale=weight_scale,
            groups=codes_of(groups, len(doubt)),
            answer_cost=paid,
            uncertainty=doubt,
            largest_uncertainty=float(largest),
        )


def _shares(given: Any, n_samples: int | None, name: str, remedy: str = "") -> Floats:
    """Return a column of numbers in [0, 1]. Rounding errors of float32 are clipped."""
    column = check_column(given, n_samples, name, remedy)
    rounding = 8 * np.finfo(np.float32).eps
    outside = (column < -rounding) | (column > 1 + rounding)
    of_hundred = column.min(initial=0) >= 0 and 2 < column.max(initial=0) <= 100
    demand = "it must lie in [0, 1]" + ("; divide percentages by 100" if of_hundred else "")
    if name == "confidence" and (column <= 0).all():
        demand += "; for log-probabilities, pass np.exp(confidence)"
    refuse_where(outside, column, name, demand, kind="percentages" if of_hundred else "out of range")
    return np.clip(column, 0.0, 1.0)


def _costs(given: Any, n_samples: int | None, name: str) -> Floats:
    """Return a column of numbers that are not negative."""
    column = check_column(given, n_samples, name)
    refuse_where(column < 0, column, name, "it must not be negative", kind="negative")
    return column


def codes_of(groups: Any, n_samples: int) -> Codes | None:
    """Return the groups as integers, one for each sample; None without groups."""
    if groups is None:
        return None
    column = LabelColumn(groups, "groups")
    check_length(column, n_samples, "groups")
    return column.positions_in(column.sorted_distinct())


def score_or_confidence(score: Floats | None, confidence: Floats) -> Floats:
    """Return the confidence object itself if the score equals it, because metrics compare the two by identity."""
    return confidence if score is None or np.array_equal(score, confidence) else score
