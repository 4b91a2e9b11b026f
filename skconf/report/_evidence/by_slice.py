"""Which slices fail: all slices of all columns, worst first, and those that are too sure by more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import listed
from skconf._core.numbers import DASH, p_value
from skconf._core.probabilities import Floats
from skconf.inference._p_values import holm
from skconf.profile import ConfidenceProfile
from skconf.report._evidence.shares import LISTED, SHOWN, Shares, left_out
from skconf.report._evidence.slice_tests import too_sure_p_values
from skconf.report._evidence.slices import Slices
from skconf.report._page.parts import Folded, Part
from skconf.report._page.tables import TablePart

#: Level at which a slice is said to be too sure.
_LEVEL = 0.05
#: Slices that a sentence names.
_NAMED = 4


@dataclass(frozen=True, eq=False)
class BySlice:
    """The slices of one model, worst first.

    Attributes
    ----------
    names : sequence of str
        What the slices are called.
    shares : Shares
        How often it is right in each.
    p_values : ndarray of shape (n_slices,)
        P-values of as many errors, if confidences are right, after Holm's adjustment for all slices; NaN where too few
        errors are announced to test it.
    why_few : str
        Why too few errors may be announced: what takes the place of their exact distribution.
    """

    names: Sequence[str]
    shares: Shares
    p_values: Floats
    why_few: str = "weights differ"

    @classmethod
    def of(cls, profile: ConfidenceProfile, slices: Mapping[Any, Slices], level: float) -> Self:
        """Return the slices by all columns together."""
        columns = [each.codes for each in slices.values()]
        shares = Shares.of(profile, columns, level)
        names = [name for each in slices.values() for name in each.names[: int(each.codes.max()) + 1]]
        p_values = np.concatenate(too_sure_p_values(profile, columns))
        graded, grouped = "answers are graded", "answers are in groups"
        why = graded if profile.kind == "graded" else grouped if profile.groups is not None else "weights differ"
        return cls([names[code] for code in shares.code], shares, holm(p_values[shares.code]), why)

    @property
    def too_sure(self) -> NDArray[np.intp]:
        """Places of the slices in which it is too sure by more than chance."""
        return np.flatnonzero(self.p_values <= _LEVEL)

    def finding(self) -> str:
        """Return the sentence on what is shown: never the worst of many by chance."""
        n_slices, found, untold = len(self.names), self.too_sure, int(np.isnan(self.p_values).sum())
        if self.shares.words.kind == "costs":
            worst = f"{self.names[0]}: {self.shares.in_words(0)}"
            return f"worst of {n_slices:,} slices looked at, perhaps by chance, {worst}."
        few = f" In {untold:,} of them too few errors are announced to say, as {self.why_few}." if untold else ""
        if not len(found):
            return f"no slice is shown to be too sure by more than chance, among {n_slices:,} looked at.{few}"
        others = [self.names[at] for at in found[1:_NAMED]]
        more = len(found) - 1 - len(others)
        others += [f"{more:,} more"] if more else []
        then = f"; then {listed(others)}" if others else ""
        return (
            f"too sure by more than chance in {len(found):,} of {n_slices:,} slices. Worst, {self.names[found[0]]}: "
            f"{self.shares.in_words(found[0])}{then}.{few}"
        )

    def parts(self, start: str) -> list[Part]:
        """Return the table of the slices, whose end is folded; `start` names the model."""
        parts: list[Part] = [self._table(slice(0, SHOWN), start, (self._note(),))]
        if len(self.names) > SHOWN:
            rest = self._table(slice(SHOWN, LISTED), start, left_out(len(self.names), "slices"))
            parts.append(Folded(f"{start}{len(self.names) - SHOWN:,} more slices", [rest]))
        return parts

    def _table(self, part: slice, start: str, notes: tuple[str, ...]) -> TablePart:
        places = range(len(self.names))[part]
        words = self.shares.words
        columns = {
            f"{start}slice": [self.names[at] for at in places],
            "rows": [f"{self.shares.count[at]:,}" for at in places],
            words.says: [self.shares.says_in_words(at) for at in places],
            words.right: [self.shares.right_in_words(at) for at in places],
        }
        if words.kind != "costs":
            columns["too sure, p"] = [p_value(p) if p <= _LEVEL else DASH for p in self.p_values[part]]
        return TablePart("", pd.DataFrame(columns), notes, rows_in_text=5)

    def _note(self) -> str:
        share = "Slices of different columns share rows: a bad one shows in others that hold many of its rows."
        if self.shares.words.kind == "costs":
            return f"Whether a slice costs more than announced is not tested: costs have no bound. {share}"
        units = {"answers are in groups": "groups", "answers are graded": "answers"}.get(self.why_few, "rows")
        drawn = " Where graded answers announce few errors, each is drawn once as right or wrong, and counted."
        return (
            "Too sure: more errors than the confidences announce. p, where it is at most .05: of as many by chance, "
            f"after Holm's adjustment for {len(self.names):,} slices; {units} are taken to be independent."
            f"{drawn if units == 'answers' else ''} {share}"
        )
