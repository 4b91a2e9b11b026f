"""Verdicts on confidences as sentences: no more is said than holds, with counts and intervals."""

from typing import TYPE_CHECKING

import numpy as np

from skconf.inference._error_table import EPS, ErrorTable

if TYPE_CHECKING:
    from skconf.inference._assessment import Assessment, TopErrors

#: A gap that could hide, in points, and a ratio, from which on a sample is too small to say.
_TOO_WIDE, _TOO_HIGH = 10.0, 3.0
_WEIGHTED = " Weighted: only the gap is tested."


def in_words(
    found: "Assessment", table: ErrorTable | None = None, chance_limit: float = np.nan, decisive: int | None = None
) -> str:
    """Return the sentence.

    Parameters
    ----------
    found : Assessment
        All numbers.
    table : ErrorTable, default=None
        What they were read off; None of weighted answers.
    chance_limit : float, default=nan
        Size ratio that one in twenty calibrated samples exceeds.
    decisive : int, default=None
        Level of the one answer that decides.
    """
    if table is None:
        return _of_weighted(found)
    if not found.p_value <= 0.05:
        return _nothing(found)
    if decisive is not None:
        return _one_answer(found, table, decisive)
    if found.gap_holds and found.gap > 0:
        return _too_sure(found) + _more_at_the_top(found)
    if found.gap_holds:
        overall = f"Too modest: says {_percent(found.confidence)} %, is right in {_accuracy(found)}."
        return overall + (f" But too sure at the top: {_top(found, chance_limit)}." if found.top_holds else "")
    if found.top_holds:
        return f"Too sure at the top: {_top(found, chance_limit)}. Overall not shown."
    if found.shape_holds:
        return _opposite(table)
    return "Off by more than chance, but this sample cannot say where: overall, at the top or in between."


def _nothing(found: "Assessment") -> str:
    points = 100 * found.detectable_gap
    if points > _TOO_WIDE:
        answers = "1 answer is" if found.n_samples == 1 else f"{found.n_samples:,} answers are"
        return f"{answers} too few to say: a gap of {min(points, 100):.0f} points could hide."
    text = (
        f"No sign of either. The gap is {_gap(found)}; one of {_number(points)} would have been found in four of five "
    )
    text += "such samples."
    if np.isinf(found.detectable_ratio):
        text += " At the top it cannot tell: any size ratio could hide."
    elif found.detectable_ratio > _TOO_HIGH:
        text += f" At the top it cannot tell: a size ratio of {_number(found.detectable_ratio)} could hide."
    return text


def _one_answer(found: "Assessment", table: ErrorTable, level: int) -> str:
    chance = table.chance[level]
    rarity = "as no such one should be" if chance <= EPS else f"as 1 in {1 / chance:,.0f} such would be"
    row = "" if found.decisive_row is None else f" number {found.decisive_row + 1:,} of {found.n_samples:,},"
    return f"One answer decides:{row} wrong at {_confidence(1 - chance)}, {rarity}."


def _too_sure(found: "Assessment") -> str:
    counts = f"{found.wrong:,} wrong, {_count(found.announced)} announced"
    if found.certain and not found.certain_wrong and found.size_ratio < 1:
        answers = (
            "its answer at 1.0 announces" if found.certain == 1 else f"its {found.certain:,} answers at 1.0 announce"
        )
        return f"Too sure: {counts}; {answers} no error and hide none of this."
    return f"Too sure: says {_percent(found.confidence)} %, is right in {_accuracy(found)}; {counts}."


def _more_at_the_top(found: "Assessment") -> str:
    """Return what is worse at the top than overall, by more than chance."""
    worst = _worst(found)
    if worst is None or not found.top_holds or worst.low <= found.wrong / found.announced:
        return ""
    return f" More so at the top: {_errors(worst)}."


def _top(found: "Assessment", chance_limit: float) -> str:
    worst = _worst(found)
    if worst is None or worst.p_value > 0.05:
        ratio = f"its errors stand for {_number(found.size_ratio)} times as many answers (size ratio"
        return f"{ratio}; chance gives {_number(chance_limit)} or more in one of twenty such samples)"
    return _errors(worst)


def _worst(found: "Assessment") -> "TopErrors | None":
    return min(found.tops, key=lambda top: top.p_value, default=None)


def _errors(top: "TopErrors") -> str:
    ratio = (
        ""
        if not top.announced > EPS * top.count
        else (f" (× {_number(top.wrong / top.announced)} [{_number(top.low)}, {_number(top.high)}])")
    )
    are = "is" if top.wrong == 1 else "are"
    where = f"{top.wrong:,} of {top.count:,} answers at {_confidence(top.confidence)} or more {are} wrong"
    return f"{where}, {_count(top.announced)} announced{ratio}"


def _opposite(table: ErrorTable) -> str:
    """Return above and below which confidence errors are of opposite sign: where the gaps, summed, are largest."""
    order = np.argsort(table.chance)  # the surest first
    count, chances = table.count[order], (table.count * table.chance)[order]
    excess = np.cumsum(table.wrong[order] - chances)
    split = int(np.argmax(np.abs(excess[:-1]))) + 1 if len(excess) > 1 else 1
    upper, lower = slice(None, split), slice(split, None)
    says = [100 - 100 * chances[part].sum() / count[part].sum() for part in (upper, lower) if count[part].sum()]
    right = [
        100 - 100 * table.wrong[order][part].sum() / count[part].sum() for part in (upper, lower) if count[part].sum()
    ]
    gaps = np.subtract(says, right)
    if len(gaps) < 2 or gaps[0] * gaps[1] >= 0:
        return "Off in shape: too sure at some confidences, too modest at others; overall they cancel."
    first, second = ("too sure", "too modest") if gaps[0] > 0 else ("too modest", "too sure")
    upper_part = f"{first.capitalize()} above ({says[0]:.0f} %, right {right[0]:.0f})"
    return f"{upper_part}, {second} below ({says[1]:.0f}, {right[1]:.0f}); overall they cancel."


def _of_weighted(found: "Assessment") -> str:
    if np.isnan(found.p_value):
        return "The weighted answers have too few errors to say."
    if not found.gap_holds:
        points = _number(100 * found.detectable_gap)
        text = f"No sign of a gap. It is {_gap(found)}; one of {points} would have been found in four of five such "
        text += "samples."
    else:
        direction = "sure" if found.gap > 0 else "modest"
        text = f"Too {direction}: says {_percent(found.confidence)} %, is right in {_accuracy(found)}."
    return text + _WEIGHTED


def _accuracy(found: "Assessment") -> str:
    low, high = _percent(found.accuracy_low), _percent(found.accuracy_high)
    return f"{_percent(found.accuracy)} % [{low}, {high}]"


def _gap(found: "Assessment") -> str:
    low, high = _number(100 * found.gap_low), _number(100 * found.gap_high)
    return f"{_number(100 * found.gap)} points [{low}, {high}]"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _count(number: float) -> str:
    if number >= 99.95:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 1 or number == 0 else f"{number:.1g}".removeprefix("0")


def _number(value: float) -> str:
    """Return a number with one decimal, without a zero before the point."""
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    text = f"{value:.1f}".replace("-", "−")
    if text in ("0.0", "−0.0"):
        return "0"
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _confidence(value: float) -> str:
    """Return a confidence as short as it can be told from 1."""
    if value >= 1 - EPS:
        return "1.0"
    digits = max(2, int(np.ceil(-np.log10(1 - value) + 1e-9)) + 1)
    return f"{value:.{digits}f}".rstrip("0").removeprefix("0")
