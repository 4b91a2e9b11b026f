"""Costs by which a classifier decides, and which its scorer does not know."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from skconf._core.messages import brief, listed
from skconf._core.response import costs_of
from skconf._core.warn import warn
from skconf.scoring._registered import find_metric


def warn_of_costs(name: str, params: Mapping[str, Any], estimator: Any, *, by_sample: bool) -> None:
    """Warn if a classifier decides by costs that its scorer would use, but was not given.

    Costs that were given to the scorer are what the user pays, also if the candidates of a search decide by others.
    """
    metric = find_metric(name)[0]
    defaults = {field.name: field.default for field in fields(metric)}
    missing = {"cost_matrix", "reject_cost"} & (defaults.keys() - params.keys())
    if not missing:
        return
    who, own, reject_cost = costs_of(estimator)
    decides, instead = [], []
    given = [f"{key}={'...' if np.ndim(value) else brief(value)}" for key, value in params.items()]
    if own and "cost_matrix" in missing and not by_sample:
        decides.append(own)
        instead.append("every error costs 1")
        given.append("cost_matrix=...")
    if "reject_cost" in missing and reject_cost not in (None, defaults["reject_cost"]):
        decides.append(f"reject_cost={reject_cost!r}")
        instead.append(f"a rejection costs {defaults['reject_cost']!r}")
        given.append(f"reject_cost={reject_cost!r}")
    if decides:
        advice = f"get_scorer({name!r}, {', '.join(given)})"
        if own == "costs" and getattr(metric, "takes_costs", False) and not by_sample:
            advice = "the costs of each sample as costs=..., and reject_cost to get_scorer"
        warn(
            f"{who} decides by its own {listed(decides)}, which {name} does not know. Here, {listed(instead)}. "
            f"Pass the costs that you pay: {advice}."
        )
