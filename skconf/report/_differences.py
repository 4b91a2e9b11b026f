"""Paired differences between models whose files have the same rows."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skconf._core.warn import collected
from skconf.inference import compare
from skconf.profile import ConfidenceProfile
from skconf.report._frame import ConfidenceReport
from skconf.report._rows import Row


class Differences(NamedTuple):
    """Differences from the first model, or why there are none.

    Attributes
    ----------
    table : ConfidenceReport or None
        A row for each metric and model, with columns `model`, `difference`, `low`, `high` and `p_adjusted`.
    note : str
        A description of the table, or the reason why there is none.
    """

    table: ConfidenceReport | None
    note: str

    def text(self) -> str:
        """Return note and table as text."""
        return self.note if self.table is None else f"{self.note}\n{self.table}"

    def html(self) -> str:
        """Return note and table in HTML."""
        return f"<p>{escape(self.note)}</p>{'' if self.table is None else self.table._repr_html_()}"


def no_differences(reason: str) -> Differences:
    """Return differences without a table, and the reason."""
    return Differences(None, f"No differences between models: {reason}.")


def paired_differences(
    rows: Sequence[Row], profiles: Mapping[Any, ConfidenceProfile], truths: Mapping[Any, NDArray[Any] | None]
) -> Differences:
    """Compare every other model with the first, by all metrics that need no resampling.

    Parameters
    ----------
    rows : sequence of Row
        The metrics.
    profiles : mapping of model to ConfidenceProfile
        Predictions.
    truths : mapping of model to ndarray or None
        True labels, row by row; None if a file has none.
    """
    (first, truth), *others = truths.items()
    reasons = {model: _not_paired(truth, other) for model, other in others}
    for model, reason in reasons.items():
        if not reason and not _same_weights(profiles[first], profiles[model]):
            reasons[model] = "have different sample weights"
    unpaired = "; ".join(f"{first} and {model} {reason}" for model, reason in reasons.items() if reason)
    statistics = {row.name: row for row in rows if row.metric.is_estimate and not row.why_resampled}
    if all(reasons.values()):
        return no_differences(unpaired)
    if not statistics:
        return no_differences("all of these metrics need resampling; call skconf.inference.compare for that")
    paired = {first: profiles[first], **{model: profiles[model] for model, reason in reasons.items() if not reason}}
    with collected():  # undefined values are NaN in the report, which has warned already
        found: Any = compare(statistics, paired, baseline=first)
    table = found[["difference", "low", "high", "p_adjusted"]].droplevel("second").rename_axis(["metric", "model"])
    note = (
        f"Differences from {first}, paired row by row: 95 % intervals, and p-values adjusted for {len(table)} "
        "comparisons by Holm's method."
    )
    left_out = f" Not paired: {unpaired}." if unpaired else ""
    return Differences(ConfidenceReport(table.reset_index("model")), note + left_out)


def _not_paired(truth: NDArray[Any] | None, other: NDArray[Any] | None) -> str:
    """Return why two files cannot be compared row by row; empty if they can."""
    if truth is None or other is None:
        return "have no true labels to match rows by"
    if len(truth) != len(other):
        return f"have {len(truth):,} and {len(other):,} rows"
    if not np.array_equal(truth, other):
        return f"have different true labels, first in row {int(np.argmax(truth != other))}"
    return ""


def _same_weights(one: ConfidenceProfile, other: ConfidenceProfile) -> bool:
    if one.sample_weight is None or other.sample_weight is None:
        return one.sample_weight is other.sample_weight
    return np.array_equal(one.sample_weight, other.sample_weight)
