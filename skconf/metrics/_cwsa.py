"""CWSA and CWSA+: accepted predictions, rewarded or punished by how far they clear the threshold."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._probabilities import Floats
from skconf.metrics._checks import check_number, check_option
from skconf.metrics._kinds import Ratio
from skconf.metrics._references import CWSA
from skconf.profile import ConfidenceProfile


class _AboveThreshold(Ratio):
    """Mean reward of accepted predictions, φ = (c − τ)/(1 − τ) times a reward of correctness."""

    threshold: float = 0.5
    normalize: str = "accepted"

    empty = 0.0

    def __post_init__(self) -> None:
        # An infinite threshold is what a tuned classifier has that abstains on everything.
        if self.threshold != np.inf:
            check_number(self.threshold, "threshold", 0.0, 1.0, open_high=True)
        check_option(self.normalize, "normalize", ("accepted", "all"))

    @abstractmethod
    def reward(self, correct: NDArray[np.bool_]) -> Floats:
        """Return what a prediction of full confidence earns."""

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[Any], NDArray[Any] | float]:
        if not profile.ranks_by_confidence:
            raise ValueError(
                f"{self.info.name} measures how far the confidence clears the threshold, but these predictions are "
                "selected by another score. Use confidence='max_proba', or selective_accuracy_score."
            )
        accepted = profile.confidence >= self.threshold
        scale = 0.0 if self.threshold == np.inf else 1 / (1 - self.threshold)
        offset = 0.0 if self.threshold == np.inf else self.threshold
        clearance = np.maximum(profile.confidence - offset, 0.0) * scale
        return clearance * self.reward(profile.correct), accepted if self.normalize == "accepted" else 1.0


class CWSAScore(
    _AboveThreshold,
    name="cwsa_score",
    bounds=(-1.0, 1.0),
    reference=f"{CWSA}, equation (4)",
    scorers="cwsa",
):
    """Confidence-weighted selective accuracy (CWSA): confident errors cost what confident successes earn.

    CWSA = Σ_S w φ (2z − 1) / Σ_S w over the accepted predictions S = {c >= threshold}, with
    φ = (c − threshold) / (1 − threshold) and z = 1 for a right prediction. 0 where nothing is accepted.

    {predictions}
    threshold : float, default=0.5
        Confidence from which on a prediction is accepted, in [0, 1); infinity accepts nothing.
    normalize : {"accepted", "all"}, default="accepted"
        What the sum is divided by: the weight accepted, as in the paper's equation, or all weight, as in its
        tables and its authors' code.

    Returns
    -------
    float
        {facts}

    {raises}

    See Also
    --------
    cwsa_plus_score : Without the punishment of errors.

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

    def reward(self, correct: NDArray[np.bool_]) -> Floats:
        return np.where(correct, 1.0, -1.0)


cwsa_score = CWSAScore.function


class CWSAPlusScore(
    _AboveThreshold,
    name="cwsa_plus_score",
    reference=f"{CWSA}, equation (5)",
    scorers="cwsa_plus",
):
    """CWSA+: confidence-weighted selective accuracy that only rewards, and never punishes.

    CWSA+ = Σ_S w φ z / Σ_S w over the accepted predictions S = {c >= threshold}, with
    φ = (c − threshold) / (1 − threshold) and z = 1 for a right prediction. 0 where nothing is accepted.

    {predictions}
    threshold : float, default=0.5
        Confidence from which on a prediction is accepted, in [0, 1); infinity accepts nothing.
    normalize : {"accepted", "all"}, default="accepted"
        What the sum is divided by: the weight accepted, or all weight.

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

    def reward(self, correct: NDArray[np.bool_]) -> Floats:
        return correct.astype(np.float64)


cwsa_plus_score = CWSAPlusScore.function
