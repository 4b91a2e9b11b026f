"""CWSA and CWSA+: rewards of accepted predictions, by the distance of their confidence from the threshold."""

from abc import abstractmethod
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_option
from skconf._core.messages import counted
from skconf._core.probabilities import Floats
from skconf._core.warn import Notice
from skconf.metrics._base.columns import scored_from
from skconf.metrics._base.references import CWSA
from skconf.metrics._risk_coverage.thresholds import AtThreshold
from skconf.profile import ConfidenceProfile
from skconf.profile._answers import computed_once_of_confidence
from skconf.profile._similarity import check_similarity, similarity_of

NORMALIZE = ("accepted", "all")


def check_ranks_by_confidence(name: str, profile: ConfidenceProfile) -> None:
    """Raise if predictions are selected by another score than the confidence: CWSA needs the confidence."""
    if not profile.ranks_by_confidence:
        raise ValueError(
            f"{name} measures how far the confidence is above the threshold, but these predictions are selected by "
            "another score. Use confidence='max_proba', or use selective_accuracy_score."
        )


def check_reward(phi: Any, similarity: Any) -> None:
    """Raise if φ is not a function, or if similarities are not a square matrix of numbers in [0, 1]."""
    if phi is not None and not callable(phi):
        raise TypeError(f"phi must be a function of an array of confidences, but is {phi!r}.")
    if similarity is not None:
        check_similarity(similarity)


def worth_of(phi: Callable[[Floats], ArrayLike], confidence: Floats) -> Floats:
    """Return the values of the user's φ for confidences."""
    worth = np.asarray(phi(confidence), dtype=np.float64)
    if worth.shape != confidence.shape:
        raise ValueError(
            f"phi must return one finite number for every confidence, but returned shape {worth.shape} for "
            f"{counted(len(confidence), 'confidence')}."
        )
    if not np.isfinite(worth).all():
        at = int(np.argmin(np.isfinite(worth)))
        raise ValueError(
            f"phi must return one finite number for every confidence, but returned {worth[at]} for {confidence[at]}."
        )
    return worth


def graded_by(similarity: Any, profile: ConfidenceProfile) -> NDArray[Any]:
    """Return the correctness of each answer or, if similarities are given, that of its predicted and true class."""
    if similarity is None:
        return profile.correctness
    matrix = similarity_of(similarity, profile.require("classes"))
    return np.asarray(matrix[profile.require("predicted_class"), profile.require("true_class")])


@computed_once_of_confidence
def _worth(profile: ConfidenceProfile, threshold: float) -> Floats:
    """Return (c − τ)/(1 − τ) for accepted predictions, and 0 for the others. If both c and τ are 1, it is 1."""
    if threshold >= 1:
        return scored_from(profile, threshold).astype(np.float64)
    return np.maximum(profile.confidence - threshold, 0.0) / (1 - threshold)


_THRESHOLD = """\
threshold : float, default=None
    The lowest confidence that is accepted, in [0, 1]. Infinity accepts nothing. None uses the threshold of the
    selective classifier that made the profile. If the profile has no threshold, CWSA's own default is used, which is
    0.5."""
REWARD = """\
phi : callable, default=None
    A function that replaces φ, the weight of an accepted answer. It takes an array of accepted confidences, and returns
    a number for each. None uses (c − threshold) / (1 − threshold), with c the confidence.
similarity : array-like of shape (n_classes, n_classes), default=None
    Grades in [0, 1] for pairs of classes. They replace z, which is 1 for a right answer and 0 for a wrong one. Rows are
    predicted classes and columns are true classes, in the order of `labels`. In a DataFrame, the names of rows and
    columns are the classes."""


class _AboveThreshold(AtThreshold, rests_on="errors"):
    """Mean reward of accepted predictions: a function φ of the confidence, times a reward for correctness."""

    shared_text = MappingProxyType({"{threshold}": _THRESHOLD, "{reward}": REWARD})

    takes = "graded"

    normalize: str = "accepted"
    phi: Callable[[Floats], ArrayLike] | None = None
    similarity: ArrayLike | None = None

    empty = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option(self.normalize, "normalize", NORMALIZE)
        check_reward(self.phi, self.similarity)

    def notices_of_threshold(self, threshold: float | None) -> list[Notice]:
        """Return no warnings, because the default threshold 0.5 is CWSA's own.

        In a binary task, this threshold accepts all predictions.
        """
        return []

    @abstractmethod
    def reward(self, correctness: NDArray[Any]) -> Floats:
        """Return the reward of a prediction with confidence 1, given its correctness in [0, 1]."""

    def rows_of(self, profile: ConfidenceProfile) -> ConfidenceProfile:
        """Return the rows that the metric uses.

        Rows that abstain are among them if it divides by the number of all rows.
        """
        return profile.everything if self.normalize == "all" else profile

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any] | float]:
        check_ranks_by_confidence(self.info.name, profile)
        accepted, threshold = self.accepted(profile), self.threshold_for(profile)
        if self.phi is None:
            worth = _worth(profile, threshold)
        else:
            worth = np.zeros(len(profile))
            worth[accepted] = worth_of(self.phi, profile.confidence[accepted])
        earned = worth * self.reward(graded_by(self.similarity, profile))
        return earned, accepted if self.normalize == "accepted" else 1.0


class CWSAScore(
    _AboveThreshold,
    name="cwsa_score",
    bounds=(-1.0, 1.0),
    reference=f"{CWSA}, equation (4), Algorithm 1 and appendix A.6",
    scorers="cwsa",
):
    """Confidence-weighted selective accuracy (CWSA): confident errors subtract as much as confident right answers add.

    CWSA = Σ_S w φ (2z − 1) / Σ_S w over the accepted predictions S = {c >= threshold}. Here c is the confidence, z = 1
    for a right prediction and 0 for a wrong one, and φ = (c − threshold) / (1 − threshold). If c is 1, φ is 1. CWSA is
    0 if nothing is accepted. Do not compare values at different thresholds, because the φ of a confidence changes with
    the threshold.

    {predictions}
    {threshold}
    normalize : {"accepted", "all"}, default="accepted"
        The divisor of the sum. "accepted" is the weight of accepted predictions, as in the equation of the paper. "all"
        is the weight of all predictions, as in the tables of the paper and in the authors' code.
    {reward}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    cwsa_plus_score : Without the punishment of errors.
    cwsa_curve : At many thresholds.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cwsa_score
    >>> y_true = [1, 1, 0, 0]
    >>> round(cwsa_score(y_true, [0.9, 0.8, 0.7, 0.4]), 3)
    0.3
    >>> round(cwsa_score(y_true, [0.9, 0.8, 0.7, 0.4], threshold=0.75), 3)
    0.4
    """

    def reward(self, correctness: NDArray[Any]) -> Floats:
        return 2.0 * correctness - 1.0


cwsa_score = CWSAScore.function


class CWSAPlusScore(
    _AboveThreshold,
    name="cwsa_plus_score",
    reference=f"{CWSA}, equation (5), Algorithm 1 and appendix A.6",
    scorers="cwsa_plus",
):
    """CWSA+: confidence-weighted selective accuracy that rewards right answers, but does not punish errors.

    CWSA+ = Σ_S w φ z / Σ_S w over the accepted predictions S = {c >= threshold}. Here c is the confidence, z = 1 for a
    right prediction and 0 for a wrong one, and φ = (c − threshold) / (1 − threshold). If c is 1, φ is 1. CWSA+ is 0 if
    nothing is accepted. Do not compare values at different thresholds, because the φ of a confidence changes with the
    threshold.

    {predictions}
    {threshold}
    normalize : {"accepted", "all"}, default="accepted"
        The divisor of the sum: the weight of accepted predictions ("accepted"), or of all predictions ("all").
    {reward}

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    cwsa_score : With a punishment of errors.

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import cwsa_plus_score
    >>> round(cwsa_plus_score([1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4]), 3)
    0.4
    """

    def reward(self, correctness: NDArray[Any]) -> Floats:
        return correctness.astype(np.float64)


cwsa_plus_score = CWSAPlusScore.function
