"""CWSA and other selective metrics at many thresholds, from one sort."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_option
from skconf._core.messages import brief, short_repr
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.metrics._base.kinds import Ranked, divide
from skconf.metrics._base.references import CWSA
from skconf.metrics._base.registry import Preset
from skconf.metrics._cwsa.score import (
    NORMALIZE,
    REWARD,
    check_ranks_by_confidence,
    check_reward,
    graded_by,
    worth_of,
)
from skconf.profile import ConfidenceProfile


class CWSACurve(NamedTuple):
    """Selective metrics at each threshold.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        The given thresholds.
    cwsa, cwsa_plus : ndarray of shape (n_thresholds,)
        CWSA and CWSA+. They are 0 if nothing is accepted.
    coverage : ndarray of shape (n_thresholds,)
        Share of accepted predictions.
    selective_accuracy : ndarray of shape (n_thresholds,)
        Accuracy of accepted predictions. NaN if nothing is accepted.
    """

    thresholds: Floats
    cwsa: Floats
    cwsa_plus: Floats
    coverage: Floats
    selective_accuracy: Floats

    def __repr__(self) -> str:
        return short_repr(self)


class _OverThresholds(Ranked, rests_on="errors"):
    """A metric computed from the selective metrics at many thresholds."""

    shared_text = MappingProxyType({"{reward}": REWARD})
    takes = "graded"
    counts_abstained = True
    reads_levels = True

    thresholds: Any = None
    normalize: str = "accepted"
    phi: Callable[[Floats], ArrayLike] | None = None
    similarity: ArrayLike | None = None

    def __post_init__(self) -> None:
        check_option(self.normalize, "normalize", NORMALIZE)
        given = np.arange(50, 100) / 100 if self.thresholds is None else self.thresholds
        thresholds = np.atleast_1d(np.asarray(given, dtype=np.float64))
        if thresholds.ndim != 1 or not ((thresholds >= 0) & (thresholds < 1)).all():
            raise ValueError(f"thresholds must be a list of numbers in [0, 1), but is {brief(self.thresholds)}.")
        object.__setattr__(self, "thresholds", thresholds)
        check_reward(self.phi, self.similarity)

    def ranking_of(self, profile: ConfidenceProfile) -> Ranking:
        check_ranks_by_confidence(self.info.name, profile)
        if self.similarity is None:
            return super().ranking_of(profile)
        return Ranking.of(profile.score, self.losses_of(profile), profile.sample_weight)

    @property
    def own_losses(self) -> bool:
        """Whether a similarity grades the answers."""
        return self.similarity is not None

    def losses_of(self, profile: ConfidenceProfile) -> NDArray[Any]:
        return super().losses_of(profile) if self.similarity is None else 1 - graded_by(self.similarity, profile)

    def curve(self, ranking: Ranking) -> CWSACurve:
        # Scores descend, so the first k scores are accepted at every threshold up to the k-th score.
        count = len(ranking.score) - np.searchsorted(ranking.score[::-1], self.thresholds, side="left")

        def accepted(values: Floats) -> Floats:
            return np.where(count > 0, np.cumsum(values, axis=-1)[..., count - 1], 0.0)

        right, weight, errors = ranking.weight - ranking.errors, accepted(ranking.weight), accepted(ranking.errors)
        rights = weight - errors
        if self.phi is None:  # Σ (c − τ) = Σ c − τ Σ 1: thresholds need no passes of their own
            scale, score = 1 / (1 - self.thresholds), np.maximum(ranking.score, 0.0)  # abstentions have −∞
            earned = (accepted(score * right) - self.thresholds * rights) * scale
            lost = (accepted(score * ranking.errors) - self.thresholds * errors) * scale
        else:
            worth = np.zeros(len(ranking.score))
            most = int(count.max())  # answers that no threshold accepts do not matter
            worth[:most] = worth_of(self.phi, ranking.score[:most])
            earned, lost = accepted(worth * right), accepted(worth * ranking.errors)
        total = np.expand_dims(ranking.total_weight, -1)
        below = weight if self.normalize == "accepted" else np.where(weight > 0, total, 0.0)
        return CWSACurve(
            thresholds=self.thresholds,
            cwsa=divide(earned - lost, below, 0.0),
            cwsa_plus=divide(earned, below, 0.0),
            coverage=weight / total,
            selective_accuracy=divide(rights, weight, np.nan),
        )


class CWSACurveOverThresholds(
    _OverThresholds,
    name="cwsa_curve",
    best=None,
    reference=f"{CWSA}, Section 3 and appendix A.4",
):
    """CWSA, CWSA+, coverage and selective accuracy at many thresholds, computed with one sort of the confidences.

    The formulas are those of :func:`cwsa_score`, :func:`cwsa_plus_score`, :func:`coverage_score` and
    :func:`selective_accuracy_score`.

    {predictions}
    thresholds : array-like of shape (n_thresholds,), default=None
        Thresholds in [0, 1), in any order. None uses 0.50, 0.51, ..., 0.99.
    normalize : {"accepted", "all"}, default="accepted"
        What CWSA and CWSA+ are divided by: the weight of accepted predictions ("accepted"), or of all predictions
        ("all").
    {reward}

    Returns
    -------
    CWSACurve
        Arrays `thresholds`, `cwsa`, `cwsa_plus`, `coverage` and `selective_accuracy`.

    {raises}

    See Also
    --------
    cwsa_score : At one threshold.
    metric_coverage_auc : The area under one of them, over coverage.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cwsa_curve
    >>> curve = cwsa_curve([1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4], thresholds=[0.5, 0.75])
    >>> curve.cwsa.round(3)
    array([0.3, 0.4])
    >>> curve.coverage
    array([1. , 0.5])
    """

    result = CWSACurve

    def of_ranking(self, ranking: Ranking) -> CWSACurve:
        return self.curve(ranking)


cwsa_curve = CWSACurveOverThresholds.function


class MetricCoverageAUC(
    _OverThresholds,
    name="metric_coverage_auc",
    bounds=(-1.0, 1.0),
    greater_is_better=True,
    reference=f"{CWSA}, Section 4.3 and appendix A.4",
    scorers={"metric_coverage_auc_to_zero": Preset({"to_zero": True})},
):
    """Area under the curve of a metric of accepted answers, such as CWSA, over the coverage.

    As in the paper, the area is computed by the trapezoidal rule. The area starts at the coverage of the last
    threshold, and leaves out all smaller coverages, so a worse model may have a larger area. For example, if a perfect
    model has a confidence of 1 in each answer, its coverage is 1 at every threshold, and its area is 0. Do not choose
    models by this area. Use ``to_zero=True`` instead, or the scorer ``metric_coverage_auc_to_zero``: the area then
    includes all coverages down to 0, and is 1 for this perfect model.

    {predictions}
    metric : {"cwsa", "cwsa_plus", "selective_accuracy"}, default="cwsa"
        The metric of accepted answers.
    thresholds : array-like of shape (n_thresholds,), default=None
        Thresholds in [0, 1), ascending. None uses 0.50, 0.51, ..., 0.99.
    normalize : {"accepted", "all"}, default="accepted"
        What CWSA and CWSA+ are divided by: the weight of accepted predictions ("accepted"), or of all predictions
        ("all").
    {reward}
    to_zero : bool, default=False
        Extend the curve to coverage 0. At coverage 0, the metric has the same value as at the highest threshold that
        accepts a prediction.

    Returns
    -------
    float
        {facts} Without `to_zero`, the metric counts as 0 at a threshold that accepts nothing.

    {raises}

    See Also
    --------
    cwsa_curve : The curve.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import metric_coverage_auc
    >>> round(metric_coverage_auc([1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4]), 3)
    0.265
    >>> metric_coverage_auc([1, 0], [1.0, 0.0]), metric_coverage_auc([1, 0], [1.0, 0.0], to_zero=True)
    (0.0, 1.0)
    """

    metric: str = "cwsa"
    to_zero: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.to_zero, "to_zero", (False, True))
        check_option(self.metric, "metric", ("cwsa", "cwsa_plus", "selective_accuracy"))
        if (np.diff(self.thresholds) < 0).any():
            raise ValueError("thresholds must be in ascending order. Pass sorted(thresholds).")

    def of_ranking(self, ranking: Ranking) -> Any:
        curve = self.curve(ranking)
        coverage, height = curve.coverage, np.where(curve.coverage > 0, getattr(curve, self.metric), 0.0)
        if self.to_zero:
            # Thresholds ascend, so the ones that accept anything come first.
            last = np.maximum(np.count_nonzero(coverage, axis=-1, keepdims=True) - 1, 0)
            at_zero = np.take_along_axis(height, last, axis=-1)
            height = np.concatenate([np.where(coverage > 0, height, at_zero), at_zero], axis=-1)
            coverage = np.concatenate([coverage, np.zeros_like(at_zero)], axis=-1)
        return (-np.diff(coverage, axis=-1) * (height[..., 1:] + height[..., :-1]) / 2).sum(axis=-1)


metric_coverage_auc = MetricCoverageAUC.function
