"""Which slices fail, in a sentence and a table. The worst comes first, and chance is taken into account."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from skconf._core.messages import listed
from skconf._core.numbers import DASH, number, p_value
from skconf.report._evidence.by_slice import LEVEL, BySlice
from skconf.report._page.parts import Folded, Part
from skconf.report._page.tables import TablePart
from skconf.report._sections.words import LISTED, SHOWN, left_out, right, says, says_and_right, words_for

#: Slices that a sentence names.
_NAMED = 4
#: Why the number of errors has no exact distribution, so that more errors are needed.
_WHY_FEW = {"rows": "weights differ", "clusters": "answers are in clusters", "answers": "answers are graded"}


def slice_finding(
    slices: BySlice, one: str = "slice", several: str = "slices", at: Callable[[str], str] = ", {}".format
) -> str:
    """Say in which slices (or classes) a model is more overconfident than the worst one would be by chance."""
    names, shares, n_slices = slices.names, slices.shares, len(slices.names)
    if shares.kind == "costs":
        worst = f"{names[0]}: {says_and_right(shares, 0)}"
        return f"worst of {n_slices:,} {several} (this may be chance), {worst}."
    overconfident, untested = slices.overconfident, int(np.isnan(slices.p_values).sum())
    why = _WHY_FEW[slices.tested_by]
    have = "has" if untested == 1 else "have"
    few = (
        f" {untested:,} of them {have} too few expected errors for a test: more are needed because {why}."
        if untested
        else ""
    )
    if not len(overconfident):
        return f"no {one} of {n_slices:,} is shown to be overconfident.{few}"
    others = [names[at] for at in overconfident[1:_NAMED]]
    more = len(overconfident) - 1 - len(others)
    others += [f"{more:,} more"] if more else []
    then = f"; then {listed(others)}" if others else ""
    return (
        f"overconfident in {len(overconfident):,} of {n_slices:,} {several}. Worst"
        f"{at(names[overconfident[0]])}: {says_and_right(shares, overconfident[0])}{then}.{few}"
    )


def slice_parts(slices: BySlice, start: str, one: str = "slice", several: str = "slices") -> list[Part]:
    """Return the table of the slices, with the later ones folded; `start` names the model."""
    n_slices, note = len(slices.names), _note(slices) if one == "slice" else _note_on_groups(slices)
    parts: list[Part] = [part_table(slices, slice(0, SHOWN), start, (note,), one)]
    if n_slices > SHOWN:
        rest = part_table(slices, slice(SHOWN, LISTED), start, left_out(n_slices, several), one)
        parts.append(Folded(f"{start}{n_slices - SHOWN:,} more {several}", [rest]))
    return parts


def part_table(
    slices: BySlice, part: slice, start: str, notes: tuple[str, ...] = (), heading: str = "slice"
) -> TablePart:
    """Return some slices as a table. The first heading names the model, because a table in a text has no title."""
    places, shares = range(len(slices.names))[part], slices.shares
    words = words_for(shares.kind)
    columns = {
        f"{start}{heading}": [slices.names[at] for at in places],
        "rows": [f"{shares.count[at]:,}" for at in places],
        words.says: [says(shares, at) for at in places],
        words.right: [right(shares, at) for at in places],
    }
    if shares.has_errors:
        columns["wrong"] = [f"{shares.count[at] * (1 - shares.right[at]):,.0f}" for at in places]
        columns["expected"] = [number(shares.count[at] * (1 - shares.says[at])) for at in places]
    if shares.kind != "costs":
        columns["overconfident, p"] = [p_value(p) if p <= LEVEL else DASH for p in slices.p_values[part]]
    return TablePart("", pd.DataFrame(columns), notes, rows_in_text=5)


def _note_on_groups(slices: BySlice) -> str:
    return (
        "Sorted by the upper end of the interval, worst first. Overconfident: more errors than the confidences imply. "
        "p is an upper limit of the probability of at least the observed excess of errors, if confidences are "
        f"calibrated and rows are independent. It is adjusted by Holm's method for {len(slices.names):,} groups, and "
        "shown if it is at most 0.05."
    )


def _note(slices: BySlice) -> str:
    share = "Slices of different columns share rows, so a bad slice makes other slices with its rows look bad, too."
    if slices.shares.kind == "costs":
        return f"Whether a slice costs more than expected is not tested: costs have no bound. {share}"
    drawn = (
        " If few errors are expected in a slice, each answer in the slice is drawn once at random as right or wrong: "
        "it counts as right with a probability equal to its correctness. The test counts the drawn errors."
    )
    return (
        "Overconfident: more errors than the confidences imply. p is the probability of at least the observed excess "
        f"of errors, if confidences are calibrated and {slices.tested_by} are independent. It is adjusted by Holm's "
        f"method for {len(slices.names):,} slices, and shown if it is at most 0.05."
        f"{drawn if slices.tested_by == 'answers' else ''} {share}"
    )
