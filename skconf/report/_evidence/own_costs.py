"""The mean cost of a classifier, computed with the costs by which it decides."""

from collections.abc import Iterable
from typing import Any

from skconf.metrics._base.registry import get_metric
from skconf.profile import ConfidenceProfile


def own_parameters(profiles: Iterable[ConfidenceProfile]) -> dict[str, Any] | None:
    """Return the costs by which all models decide, as parameters of reject_cost_loss; None if they have none in common.

    Return None, too, if the costs differ between samples and the profiles do not have them, if a model rejects answers
    but a rejection has no cost, or if there are no profiles (in batches).
    """
    found = [(profile.own_costs, profile.costs is not None, _rejects(profile)) for profile in profiles]
    own, by_sample, _ = found[0] if found else (None, False, False)
    if own is None or any(each[:2] != (own, by_sample) for each in found):
        return None
    if own.parameter and own.cost_matrix is None and not by_sample:
        return None
    if own.reject_cost is None and any(rejects for _, _, rejects in found):
        return None
    params = {} if by_sample or own.cost_matrix is None else {"cost_matrix": own.cost_matrix}
    return params if own.reject_cost is None else {**params, "reject_cost": own.reject_cost}


def own_cost(profile: ConfidenceProfile) -> float | None:
    """Return the mean cost of a case at the costs by which the classifier decides; None if it cannot be computed."""
    params = own_parameters([profile])
    if params is None:
        return None
    try:
        return float(get_metric("reject_cost_loss", **params)(profile))
    except ValueError:  # there are classes that the costs do not know
        return None


def _rejects(profile: ConfidenceProfile) -> bool:
    return profile.threshold is not None and bool((profile.score < profile.threshold).any())
