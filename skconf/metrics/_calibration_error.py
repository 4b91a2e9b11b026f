"""Calibration errors: how far confidence is from accuracy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._labels import Codes
from skconf._probabilities import Floats
from skconf.metrics._checks import check_whole
from skconf.metrics._kinds import Additive, Term, divide, magnitude
from skconf.metrics._references import ECE
from skconf.profile import ConfidenceProfile


class ExpectedCalibrationError(
    Additive,
    name="expected_calibration_error",
    best=0.0,
    reference=ECE,
    scorers="ece",
):
    """Expected calibration error (ECE): mean gap between confidence and accuracy, over bins of confidence.

    ECE = Σ_b |Σ_{i in b} w (z − c)| / Σ w over bins of equal width (a, b], with z = 1 for a right prediction and c
    its confidence; c = 0 belongs to the first bin.

    {predictions}
    n_bins : int, default=15
        Number of bins.

    Returns
    -------
    float
        {facts}

    {raises}

    References
    ----------
    .. [1] {reference}.

    Examples
    --------
    >>> from skconf.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), 3)
    0.25
    """

    n_bins: int = 15

    def __post_init__(self) -> None:
        check_whole(self.n_bins, "n_bins")

    def terms(self, profile: ConfidenceProfile) -> Sequence[Term]:
        gap = profile.correct - profile.confidence
        return Term(gap, cell=equal_width_bin(profile.confidence, self.n_bins), n_cells=self.n_bins), Term(1.0)

    def combine(self, *sums: NDArray[Any]) -> Any:
        gaps, weight = sums
        return divide(magnitude(gaps).sum(axis=-1), weight, np.nan)


expected_calibration_error = ExpectedCalibrationError.function


def equal_width_bin(confidence: Floats, n_bins: int) -> Codes:
    """Return the bin (k/n, (k + 1)/n] of every confidence; 0 belongs to the first."""
    guess = np.clip(np.ceil(confidence * n_bins).astype(np.intp) - 1, 0, n_bins - 1)
    # The product may round across an edge; the edges themselves decide.
    edges = np.arange(n_bins + 1) / n_bins
    guess -= (confidence <= edges[guess]) & (guess > 0)
    guess += confidence > edges[guess + 1]
    return guess
