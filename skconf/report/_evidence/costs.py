"""The verdict on expected costs: whether answers cost more, or less, than their uncertainties imply."""

import numpy as np
from scipy.special import stdtr

from skconf.inference._assessment import Assessment
from skconf.inference._grouped_means import Means, expected_and_observed
from skconf.inference._joint_test import LEVEL
from skconf.inference._p_values import student
from skconf.profile import ConfidenceProfile

#: With at least this many units, the mean cost is approximately normal.
_FEWEST = 30
#: A gap of this many standard errors is found in four of five data sets.
_FOUND = 2.8


def assess_costs(profile: ConfidenceProfile) -> Assessment:
    """Compare expected and observed costs by a t test of their mean difference, over answers or over groups.

    In the result, `confidence` is the mean uncertainty, `accuracy` the mean cost, and `gap` their difference. There is
    no scale on which to grade the harm of costs.
    """
    whole, (said, paid) = np.zeros(len(profile), dtype=np.intp), expected_and_observed(profile)
    doubt, cost, apart = (
        Means.of_parts(values, profile.sample_weight, profile.groups, whole, 1)[0]
        for values in (said, paid, paid - said)
    )
    gap, error, freedom = float(apart.mean), float(apart.error), float(apart.degrees_of_freedom)
    enough = min(apart.sizes, apart.n_units) >= _FEWEST
    reach = student(1 - LEVEL, freedom) * error if enough else np.nan
    p_value = float(2 * stdtr(freedom, -abs(gap) / error)) if enough and error > 0 else np.nan
    low, high = (float(end) for end in cost.ends(1 - LEVEL, bounded=False))
    return Assessment(
        p_value=p_value,
        found=p_value <= LEVEL,
        grade="none shown" if enough else "too few to say",
        n_samples=len(profile),
        confidence=float(doubt.mean),
        accuracy=float(cost.mean),
        accuracy_low=low,
        accuracy_high=high,
        gap=gap,
        gap_low=gap - reach,
        gap_high=gap + reach,
        detectable_over=_FOUND * error if enough else np.nan,
        detectable_under=_FOUND * error if enough else np.nan,
    )
