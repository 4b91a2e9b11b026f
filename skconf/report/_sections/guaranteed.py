"""The table "Guaranteed in each slice": a threshold for each slice, with one guarantee for all slices at once."""

from typing import Any

import numpy as np
import pandas as pd

from skconf._core.numbers import DASH
from skconf.report._evidence.evidence import Evidence
from skconf.report._page.parts import Folded, Part
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import LISTED, SHOWN, begun, left_out, start_of, thousand, words_of

#: How many reasons are listed.
_NAMED = 3


def guaranteed_parts(evidence: Evidence) -> list[Part]:
    """Return the table of each model; nothing without slices, or if no guarantee is possible."""
    parts: list[Part] = []
    for model, found in evidence.guaranteed_in_slices.items():
        start = start_of(evidence, model)
        title = begun(start, f"guaranteed in each slice: {words_of(evidence).at_most} {100 * evidence.target:g}%")
        first, rest = found.iloc[:SHOWN], found.iloc[SHOWN:LISTED]
        notes = (_note(evidence), *_reasons(found))
        parts.append(TablePart(title, _table(evidence, model, first), notes, rows_in_text=5))
        if len(rest):
            more = TablePart("", _table(evidence, model, rest), left_out(len(found), "slices"))
            parts.append(Folded(f"{start}{len(found) - SHOWN:,} more slices, guaranteed", [more]))
    return parts


def _table(evidence: Evidence, model: Any, found: pd.DataFrame) -> pd.DataFrame:
    shown = found["threshold"].notna()
    columns = {
        f"{start_of(evidence, model)}slice": found["slice"],
        evidence.units(model): [f"{count:,}" for count in found["n_units"]],
        "guaranteed threshold": [
            np.format_float_positional(threshold, trim="-") if there else "none"
            for threshold, there in zip(found["threshold"], shown, strict=True)
        ],
        "accepted of 1,000 cases": [
            thousand(share) if there else DASH for share, there in zip(found["coverage"], shown, strict=True)
        ],
    }
    return pd.DataFrame(columns)


def _note(evidence: Evidence) -> str:
    return (
        f"With a probability of {100 * evidence.level:g}%, all of these thresholds keep the limit: in each slice with "
        f"a threshold, the {words_of(evidence).risk} among accepted new cases is at most {100 * evidence.target:g}%. "
        "The more slices there are, the more rows each threshold needs. A slice without a threshold may get one if you "
        "name fewer columns."
    )


def _reasons(found: pd.DataFrame) -> list[str]:
    """Say why nothing is guaranteed in the first few slices without a threshold."""
    lacking = found[found["threshold"].isna()]
    pairs = list(zip(lacking["slice"], lacking["reason"], strict=True))[:_NAMED]
    said = [f"{name} has no guarantee: {reason}." for name, reason in pairs]
    more = len(lacking) - _NAMED
    return [*said, f"{more:,} other slices have no guarantee either."] if more > 0 else said
