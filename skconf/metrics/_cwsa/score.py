"""CWSA and CWSA+: accepted predictions, rewarded or punished by how far they clear the threshold."""

from abc import abstractmethod
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.checks import check_option
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
    """Raise if predictions are selected by another score than the confidence that CWSA measures."""
    if not profile.ranks_by_confidence:
        raise ValueError(
            f"{name} measures how far the confidence clears the threshold, but these predictions are selected by "
            "another score. Use confidence='max_proba', or selective_accuracy_score."
        )


def check_reward(phi: Any, similarity: Any) -> None:
    """Raise unless φ is a function, and similarities are a square matrix of numbers in [0, 1]."""
    if phi is not None and not callable(phi):
        raise TypeError(f"phi must be a function of an array of confidences, but is {phi!r}.")
    if similarity is not None:
        check_similarity(similarity)


def worth_of(phi: Callable[[Floats], ArrayLike], confidence: Floats) -> Floats:
    """Return the user's φ of confidences."""
    worth = np.asarray(phi(confidence), dtype=np.float64)
    if worth.shape != confidence.shape or not np.isfinite(worth).all():
        raise ValueError("phi must return a finite number for every confidence it is given.")
    return worth


def graded_by(similarity: Any, profile: ConfidenceProfile) -> NDArray[Any]:
    """Return the correctness of each answer, by a similarity of predicted and true class where there is one."""
    if similarity is None:
        return profile.correctness
    matrix = similarity_of(similarity, profile.require("classes"))
    return np.asarray(matrix[profile.require("predicted_class"), profile.require("true_class")])


@computed_once_of_confidence
def _worth(profile: ConfidenceProfile, threshold: float) -> Floats:
    """Return (c − τ)/(1 − τ) of what is accepted, 1 of full confidence at every threshold, and 0 of the rest."""
    if threshold >= 1:
        return scored_from(profile, threshold).astype(np.float64)
    return np.maximum(profile.confidence - threshold, 0.0) / (1 - threshold)


_THRESHOLD = """\
threshold : float, default=None
    The lowest confidence that is accepted, in [0, 1]; infinity accepts nothing. None stands for the threshold of the
    selective classifier that a profile came from, and for 0.5 elsewhere."""
REWARD = """\
phi : callable, default=None
    Another φ, a function of an array of accepted confidences.
similarity : array-like of shape (n_classes, n_classes), default=None
    Graded correctness in [0, 1] instead of z, by predicted (rows) and true class (columns), in the order of `labels`,
    or found by the names of a DataFrame."""


class _AboveThreshold(AtThreshold, rests_on="errors"):
    """Mean reward of accepted predictions: a function φ of confidence times a reward of correctness."""

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
        """Return nothing: 0.5 is CWSA's own, where of two classes all count, by how far they are above chance."""
        return []

    @abstractmethod
    def reward(self, correctness: NDArray[Any]) -> Floats:
        """Return what a prediction of full confidence earns, by its correctness in [0, 1]."""

    def rows_of(self, profile: ConfidenceProfile) -> ConfidenceProfile:
        """Return all rows where it divides by their number, also those that abstain."""
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

    CWSA = Σ_S w φ (2z − 1) / Σ_S w over the accepted predictions S = {c >= threshold}, with
    φ = (c − threshold) / (1 − threshold), 1 at full confidence, and z = 1 for a right prediction. 0 where nothing is
    accepted.

    {predictions}
    {threshold}
    normalize : {"accepted", "all"}, default="accepted"
        What the sum is divided by: the weight accepted, as in the paper's equation, or all weight, as in its
        tables and its authors' code.
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
    """CWSA+: confidence-weighted selective accuracy that rewards right answers, and does not punish errors.

    CWSA+ = Σ_S w φ z / Σ_S w over the accepted predictions S = {c >= threshold}, with
    φ = (c − threshold) / (1 − threshold), 1 at full confidence, and z = 1 for a right prediction. 0 where nothing is
    accepted.

    {predictions}
    {threshold}
    normalize : {"accepted", "all"}, default="accepted"
        What the sum is divided by: the weight accepted, or all weight.
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
