"""The mean confidence: a row of reports, beside the accuracy."""

import numpy as np
from numpy.typing import NDArray

from skconf.metrics._base.kinds import Ratio
from skconf.metrics._base.registry import Info
from skconf.profile import ConfidenceProfile


class MeanConfidence(Ratio):
    """The mean confidence: neither good nor bad alone."""

    info = Info("mean_confidence", None, (0.0, 1.0), None, "")
    decided_by = "samples"
    takes = "graded"

    def ratio(self, profile: ConfidenceProfile) -> tuple[NDArray[np.float64], float]:
        return profile.confidence, 1.0
