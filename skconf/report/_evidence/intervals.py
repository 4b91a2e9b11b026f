"""Intervals of the metrics of a report."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.inference._intervals import intervals_by_rows
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.evidence import Evidence
from skconf.report._evidence.rows import Row

#: The most samples for which a page has intervals by resampling.
_MOST_RESAMPLED = 20_000
_N_RESAMPLES = 1000


def interval_ends(
    rows: Sequence[Row],
    values: Sequence[float],
    profile: ConfidenceProfile,
    level: float,
    *,
    most_resampled: float = np.inf,
    random_state: Any = 0,
) -> tuple[Floats, list[Any]]:
    """Compute the interval of every metric (NaN if there is none). Return the ends, and notices about the intervals.

    With more than `most_resampled` samples, metrics that need resampling have no interval.
    """
    ends = np.full((len(rows), 2), np.nan)
    few = len(profile) <= most_resampled
    kept = [
        k
        for k, row in enumerate(rows)
        if row.metric.is_estimate and not np.isnan(values[k]) and (few or not row.why_resampled)
    ]
    estimates, notices = intervals_by_rows(
        [rows[k] for k in kept],
        [values[k] for k in kept],
        profile,
        confidence_level=level,
        method="auto",
        resampling={"n_resamples": _N_RESAMPLES, "random_state": random_state},
    )
    ends[kept] = np.reshape([(interval.low, interval.high) for interval in estimates], (-1, 2))
    return ends, notices


def page_ends(evidence: Evidence, model: Any) -> Floats:
    """Return the ends of the intervals of a model's values; NaN for a value without an interval."""
    profile = evidence.profiles.get(model)
    if profile is None or _n_units(profile) < 2:
        return np.full((len(evidence.rows), 2), np.nan)
    with collected():  # the page shows a dash for a missing interval
        ends, _ = interval_ends(
            evidence.rows,
            evidence.values[model],
            profile,
            evidence.level,
            most_resampled=_MOST_RESAMPLED,
        )
    return ends


def _n_units(profile: ConfidenceProfile) -> int:
    """Return the number of answers with weight, or of their clusters. With one only, there are no intervals."""
    there = np.ones(len(profile), np.bool_) if profile.sample_weight is None else profile.sample_weight > 0
    return int(there.sum()) if profile.groups is None else len(np.unique(profile.groups[there]))
