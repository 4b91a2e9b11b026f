"""Coverage and selective risk: the share of accepted predictions at a threshold, and their error rate."""

from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.checks import check_threshold
from skconf._core.warn import Notice
from skconf.metrics._base import references
from skconf.metrics._base.columns import lost, scored_from
from skconf.metrics._base.kinds import Ratio
from skconf.profile import ConfidenceProfile

#: The text is the same for all metrics, so that it is shown once if several metrics give it.
NO_THRESHOLD = (
    "No threshold was given, and the predictions have none, so 0.5 is used. In a binary task, this accepts every "
    "prediction. Pass threshold=..., or use a profile or scorer (skconf.get_scorer) of a SelectiveClassifier, which "
    "has a threshold. scikit-learn's make_scorer passes only probabilities."
)


_THRESHOLD = """\
threshold : float, default=None
    The lowest score that is accepted, in [0, 1]. Infinity accepts nothing. None uses the threshold of the selective
    classifier that made the profile. If the profile has no threshold, 0.5 is used, with a warning."""


class AtThreshold(Ratio):
    """A metric of the accepted predictions, whose score reaches a threshold."""

    shared_text = MappingProxyType({"{threshold}": _THRESHOLD})

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
        return [Notice(NO_THRESHOLD)]

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

    The value is Σ w 1[s >= threshold] / Σ w, with s the score that is compared with the threshold. It is the
    confidence, unless a selective classifier uses another score. Rows that abstain are accepted at no threshold.

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


class SelectiveAccuracy(
    AtThreshold,
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

    undefined = "nothing is accepted at this threshold"
    share_interval = "exact"
    takes = "graded"
    of_losses = True

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        accepted = self.accepted(profile)
        return accepted * profile.correctness, accepted


selective_accuracy_score = SelectiveAccuracy.function


class SelectiveRisk(
    AtThreshold,
    name="selective_risk_loss",
    rests_on="errors",
    best=0.0,
    reference=references.SELECTIVE,
    scorers="selective_risk",
):
    """Selective risk: the error rate of the accepted predictions.

    The value is Σ w (1 − z) 1[s >= threshold] / Σ w 1[s >= threshold], with z = 1 for a right prediction and 0 for a
    wrong one, and s the score that is compared with the threshold. If answers have their own costs, it is their mean
    cost.

    {predictions}
    {threshold}

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
    """

    undefined = "nothing is accepted at this threshold"
    share_interval = "exact"
    takes = "costs"
    of_losses = True

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any]]:
        accepted = self.accepted(profile)
        return accepted * lost(profile), accepted


selective_risk_loss = SelectiveRisk.function
