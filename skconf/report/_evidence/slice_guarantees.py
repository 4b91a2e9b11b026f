"""Thresholds for each slice, with a common guarantee."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from skconf._core.warn import collected
from skconf.inference._grouped_means import drawn_as_counts
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.slices import Slices
from skconf.report._evidence.stops import shortest_between
from skconf.selective import tune_threshold


def guaranteed_in_slices(
    profile: ConfidenceProfile, slices: Mapping[Any, Slices], target: float, level: float, n_candidates: int
) -> pd.DataFrame:
    """Return a threshold for each slice, such that all slices keep a target at once with a given probability.

    The predictions must have neither weights nor costs. `target` is the risk that is allowed in each slice. The
    guarantee covers the slices of all columns, and the choice among `n_candidates` rankings.

    There is a row for each slice, in the order of their names, with the columns ``slice``, ``n_units`` (rows or
    clusters), ``threshold`` (NaN if nothing is guaranteed), ``coverage`` (the share of all rows of the slice, including
    those that abstain) and ``reason``.
    """
    answers = replace(drawn_as_counts(profile), abstained=None)
    tables = []
    for each in slices.values():
        with collected():  # the table has the reasons
            tuned = tune_threshold(
                answers,
                target=target,
                confidence_level=level,
                n_candidates=n_candidates * len(slices),
                slices=pd.Series(each.codes).map(dict(enumerate(each.names))),
                random_state=0,
            )
        assert tuned.guarantees is not None  # there are slices
        found = tuned.guarantees.set_index("slice").reindex(pd.unique(np.asarray(each.names, dtype=object)))
        found = found.dropna(subset="n_samples").reset_index(names="slice")
        found["threshold"] = [
            _shortest(answers, each, name, float(threshold))
            for name, threshold in zip(found["slice"], found["threshold"], strict=True)
        ]
        found["n_units"] = found["n_samples"].astype(int)
        if each.n_rows is not None:
            counts = pd.DataFrame({"rows": each.n_rows, "answers": np.bincount(each.codes, minlength=len(each.names))})
            counts = counts.groupby(np.asarray(each.names, dtype=object)).sum()
            found["coverage"] *= (counts["answers"] / counts["rows"])[found["slice"]].to_numpy()
        tables.append(found[["slice", "n_units", "threshold", "coverage", "reason"]])
    return pd.concat(tables, ignore_index=True)


def _shortest(answers: ConfidenceProfile, slices: Slices, name: str, threshold: float) -> float:
    """Return the shortest threshold that accepts the same answers of a slice; NaN if the threshold accepts nothing."""
    if np.isinf(threshold):
        return np.nan if threshold > 0 else 0.0
    scores = answers.score[slices.codes == list(slices.names).index(name)]
    return shortest_between(float(scores[scores < threshold].max(initial=-np.inf)), threshold) if threshold else 0.0
