"""Coverage and selective risk: the share of accepted predictions at a threshold, and their error rate."""

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_number, check_threshold
from skconf._core.messages import name_a_threshold
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf._core.warn import Notice
from skconf.metrics._base import references
from skconf.metrics._base.columns import lost, scored_from
from skconf.metrics._base.kinds import Ranked, Ratio, Substitute, divide
from skconf.profile import ConfidenceProfile

#: The error rate near a threshold is computed from this share of the predictions, times n^(-1/5), on each side.
_REACH = 0.25
_ROUNDING = 1e-12
#: The text is the same for all metrics, so that it is shown once if several metrics give it.
_NO_THRESHOLD = (
    "No threshold was given, and the predictions come without one, so 0.5 is used. In a binary task, this accepts "
    "every prediction. "
)


_THRESHOLD = """\
threshold : float, default=None
    The lowest score that is accepted, in [0, 1]. Infinity accepts nothing. If it is None, the threshold of the
    selective classifier that made the predictions is used. If there is no such threshold, 0.5 is used, with a
    warning."""


_COVERAGE = """\
coverage : float, default=None
    Share of the predictions to accept, in (0, 1], instead of a threshold. The predictions with the highest scores are
    accepted. If tied scores leave open which predictions are accepted, the value is the mean over all choices.
    Set `coverage` to compare models at the same coverage."""


class AtThreshold(Ratio):
    """A metric of the accepted predictions: those whose score is at least a threshold."""

    shared_text = MappingProxyType({"{threshold}": _THRESHOLD, "{coverage}": _COVERAGE})

    threshold: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def threshold_for(self, profile: ConfidenceProfile) -> float:
        """Return the given threshold, else the threshold of the classifier that made the profile, else 0.5."""
        if self.threshold is not None:
            return self.threshold
        return 0.5 if profile.threshold is None else profile.threshold

    def notices_of_threshold(self, threshold: float | None) -> list[Notice]:
        """Return a warning if nobody has chosen the threshold."""
        if self.threshold is not None or threshold is not None:
            return []
        return [Notice(_NO_THRESHOLD + name_a_threshold())]

    def accepted(self, profile: ConfidenceProfile) -> NDArray[np.bool_]:
        """Return which predictions are accepted."""
        return scored_from(profile, self.threshold_for(profile))

    def counted(self, profile: ConfidenceProfile) -> NDArray[np.bool_] | None:
        """Return which predictions are accepted, because only their errors count."""
        return self.accepted(profile)


class Coverage(
    AtThreshold,
    name="coverage_score",
    rests_on="samples",
    reference=references.SELECTIVE,
    scorers="coverage",
):
    """Coverage: the share of predictions that are accepted.

    The value is Σ w 1[s >= threshold] / Σ w, with s the score that is compared with the threshold. The score is the
    confidence, unless a selective classifier uses another score. Rows in which the model abstains are never accepted.

    {predictions}
    {threshold}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    selective_accuracy_score : How often the accepted ones are right.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import coverage_score
    >>> coverage_score([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.6], threshold=0.65)
    0.75
    """

    share_interval = "exact"
    takes = "costs"
    counts_abstained = True

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], float]:
        return self.accepted(profile), 1.0


coverage_score = Coverage.function


class AtCoverage(Substitute, Ranked):
    """The accuracy or the error rate of a given share of the predictions: those with the highest scores.

    Each resample accepts this share of its own rows, so each has a threshold of its own.
    """

    undefined = "the model abstains in too many rows to accept this share"
    why_resampled = ""
    counts_abstained = True
    of_losses = True
    reads_levels = True

    coverage: float
    of_right: bool

    def of_ranking(self, ranking: Ranking) -> Any:
        accepted, errors, goal = self._curve(ranking)
        risk = _interpolated(goal, accepted, errors) / goal
        risk = np.where(goal > accepted[..., -1] * (1 + _ROUNDING), np.nan, risk)
        return 1 - risk if self.of_right else risk

    def slopes(self, ranking: Ranking) -> tuple[Floats, Floats]:
        accepted, errors, goal = self._curve(ranking)
        risk = np.interp(goal, accepted, errors) / goal
        share = np.clip((goal - accepted[:-1]) / np.diff(accepted), 0, 1)  # the share of each score that is accepted
        # One more sample moves the threshold. What this changes depends on the error rate near the threshold.
        reach = _REACH * accepted[-1] * len(share) ** -0.2
        near = np.clip([goal - reach, goal + reach], 0, accepted[-1])
        rate = np.diff(np.interp(near, accepted, errors))[0] / (near[1] - near[0])
        share = np.append(share, np.zeros(len(ranking.score) - len(share)))  # nothing of the rows that abstain
        right = (self.coverage * (rate - risk) - share * rate) / goal
        wrong = right + share / goal
        return (-right, -wrong) if self.of_right else (right, wrong)

    def counted(self, profile: ConfidenceProfile) -> NDArray[np.bool_]:
        """Return the predictions down to the score at which the share is reached, because only their errors count."""
        ranking = self.ranking_of(profile)
        accepted, _, goal = self._curve(ranking)
        last = min(int(np.searchsorted(accepted, goal * (1 - _ROUNDING))), len(accepted) - 1)
        return np.asarray(profile.score >= ranking.score[max(last - 1, 0)])

    def _curve(self, ranking: Ranking) -> tuple[Floats, Floats, Any]:
        """Return weight and errors of the k highest scores, for k = 0, 1, ..., and the weight to be accepted."""
        answers = ranking.score > -np.inf
        accepted, errors = (
            np.insert(np.cumsum(each[..., answers], axis=-1), 0, 0.0, axis=-1)
            for each in (ranking.weight, ranking.errors)
        )
        return accepted, errors, self.coverage * ranking.total_weight


def _interpolated(at: Any, x: Floats, y: Floats) -> Any:
    """Return y at one place in each row, interpolated between values of x; the last y if all x are lower."""
    at = np.minimum(np.expand_dims(at, -1), x[..., -1:])
    above = np.count_nonzero(x < at, axis=-1, keepdims=True)
    (x0, y0), (x1, y1) = ([np.take_along_axis(each, k, axis=-1) for each in (x, y)] for k in (above - 1, above))
    return (y0 + divide(y1 - y0, x1 - x0, 0.0) * (at - x0))[..., 0]


class OfAccepted(AtThreshold):
    """The accuracy or the error rate of the accepted predictions, at a threshold or at a coverage."""

    undefined = "nothing is accepted at this threshold"
    share_interval = "exact"
    of_losses = True
    of_right: ClassVar[bool]

    coverage: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coverage is not None:
            check_number(self.coverage, "coverage", 0.0, 1.0, positive=True)

    def computed_by(self) -> Any:
        if self.coverage is None:
            return self
        if self.threshold is not None:
            raise ValueError(
                f"threshold={self.threshold!r} and coverage={self.coverage!r} exclude each other. Leave out one of "
                "them."
            )
        return AtCoverage(asked=self, coverage=self.coverage, of_right=self.of_right)


class SelectiveAccuracy(
    OfAccepted,
    name="selective_accuracy_score",
    rests_on="errors",
    reference=references.SELECTIVE,
    scorers="selective_accuracy",
):
    """Selective accuracy: the accuracy of the accepted predictions.

    The value is Σ w z 1[s >= threshold] / Σ w 1[s >= threshold], with z = 1 for a right prediction and 0 for a wrong
    one, and s the score that is compared with the threshold.

    {predictions}
    {threshold}
    {coverage}

    Returns
    -------
    float
        {facts} NaN, with a warning, if nothing is accepted.

    {raises}

    See Also
    --------
    coverage_score : How many are accepted.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import selective_accuracy_score
    >>> selective_accuracy_score([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.6], threshold=0.65)
    1.0
    """

    takes = "graded"
    of_right = True

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        accepted = self.accepted(profile)
        return accepted * profile.correctness, accepted


selective_accuracy_score = SelectiveAccuracy.function


class SelectiveRisk(
    OfAccepted,
    name="selective_risk_loss",
    rests_on="errors",
    best=0.0,
    reference=references.SELECTIVE,
    scorers="selective_risk",
):
    """Selective risk: the error rate of the accepted predictions.

    The value is Σ w (1 − z) 1[s >= threshold] / Σ w 1[s >= threshold], with z = 1 for a right prediction and 0 for a
    wrong one, and s the score that is compared with the threshold. If answers have costs, the value is the mean cost of
    the accepted answers.

    {predictions}
    {threshold}
    {coverage}

    Returns
    -------
    float
        {facts} NaN, with a warning, if nothing is accepted.

    {raises}

    See Also
    --------
    risk_coverage_curve : At every threshold.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import selective_risk_loss
    >>> selective_risk_loss([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.6], threshold=0.5)
    0.25
    >>> selective_risk_loss([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.6], coverage=0.75)
    0.0
    """

    takes = "costs"
    of_right = False

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        accepted = self.accepted(profile)
        return accepted * lost(profile), accepted


selective_risk_loss = SelectiveRisk.function
