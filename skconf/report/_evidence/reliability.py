"""The reliability diagram: the accuracy of answers by their confidence, in bins."""

import numpy as np
import pandas as pd

from skconf._core.bins import equal_mass_bin
from skconf.inference._grouped_means import Means, expected_and_observed
from skconf.inspection import ReliabilityDisplay
from skconf.profile import ConfidenceProfile

#: The number of bins of expected costs; fewer if bins would have less than `_FEWEST` answers.
_BINS, _FEWEST = 12, 20


def reliability(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Compute confidence and accuracy, with its interval, in the bins of the reliability display.

    The column ``joined`` says whether a line joins a bin to the next.
    """
    if profile.kind == "costs":
        return _costs(profile, level)
    display = ReliabilityDisplay.from_profile(profile, confidence_level=level)
    columns = {"says": display.confidence, "right": display.accuracy, "low": display.low, "high": display.high}
    return pd.DataFrame({**columns, "answers": display.weight, "joined": display.joined()})


def _costs(profile: ConfidenceProfile, level: float) -> pd.DataFrame:
    """Compute expected and observed costs in bins of equally many answers, because costs have no fixed range."""
    weight, (said, paid) = profile.sample_weight, expected_and_observed(profile)
    level_of = np.unique(said, return_inverse=True)[1]
    n_bins = int(np.clip(len(profile) // _FEWEST, 1, _BINS))
    bins = equal_mass_bin(np.bincount(level_of, weight).astype(np.float64), n_bins)[level_of]
    says, means = (Means.of_parts(each, weight, profile.groups, bins, int(bins.max()) + 1) for each in (said, paid))
    there = np.flatnonzero(means.n_units > 0)
    low, high = means[there].ends(level, bounded=False)
    columns = {"says": says.mean[there], "right": means.mean[there], "low": low, "high": high}
    return pd.DataFrame({**columns, "answers": means.weight[there], "joined": True})
