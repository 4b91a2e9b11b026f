"""Verdicts on confidences as sentences, with counts and intervals; they claim only what the tests show."""

import numpy as np

from skconf._core.numbers import confidence, decimal, expected_count, short, without_zero
from skconf.inference._assessment import Assessment, TopErrors
from skconf.inference._error_table import EPS, ErrorTable

#: If gaps of this size, in points, and ratios of this size could be missed, the sample is too small to say.
_TOO_WIDE, _TOO_HIGH = 10.0, 3.0


def in_words(verdict: Assessment, table: ErrorTable, chance_limit: float) -> str:
    """Return the sentence on errors, of which gap, top and shape are tested.

    Parameters
    ----------
    verdict : Assessment
        All numbers.
    table : ErrorTable
        The table that the numbers come from.
    chance_limit : float
        Size ratio that one in twenty calibrated samples exceeds.
    """
    if not verdict.p_value <= 0.05:
        return _nothing(verdict)
    if verdict.decisive is not None:
        return one_answer(verdict)
    if verdict.gap_holds and verdict.gap > 0:
        return _too_sure(verdict) + _more_at_the_top(verdict)
    if verdict.gap_holds:
        overall = f"Too modest: says {_percent(verdict.confidence)} %, is right in {_accuracy(verdict)}."
        return overall + (f" But too sure at the top: {_top(verdict, chance_limit)}." if verdict.top_holds else "")
    if verdict.top_holds:
        return f"Too sure at the top: {_top(verdict, chance_limit)}. Overall not shown."
    if verdict.shape_holds:
        return _shape(table)
    return "Off by more than chance, but this sample does not show where: overall, at the top or in between."


def _nothing(verdict: Assessment) -> str:
    points = 100 * verdict.detectable_gap
    if points > _TOO_WIDE:
        answers = "1 answer is" if verdict.n_samples == 1 else f"{verdict.n_samples:,} answers are"
        return f"{answers} too few to say: a gap of {min(points, 100):.0f} points could be missed."
    text = "No sign that it is too sure or too modest. "
    text += f"The gap is {_gap(verdict)}; one of {short(points)} would have been found in four of five such samples."
    if np.isinf(verdict.detectable_ratio):
        text += " At the top the sample is too small: any size ratio could be missed."
    elif verdict.detectable_ratio > _TOO_HIGH:
        missed = f"a size ratio of {short(verdict.detectable_ratio)}"
        text += f" At the top the sample is too small: {missed} could be missed."
    return text


def one_answer(verdict: Assessment, n_rows: int | None = None) -> str:
    """Return the sentence on the one answer that decides; with its number if the number of rows is given."""
    chance = 1 - (verdict.decisive or 0.0)
    rarity = "which should never happen" if chance <= EPS else f"expected of 1 in {1 / chance:,.0f}"
    number = (
        "" if n_rows is None or verdict.decisive_row is None else f" number {verdict.decisive_row + 1:,} of {n_rows:,},"
    )
    return f"One answer decides:{number} wrong at {confidence(1 - chance)}, {rarity}."


def _too_sure(verdict: Assessment) -> str:
    counts = f"{verdict.wrong:,} wrong, {expected_count(verdict.announced)} announced"
    if verdict.certain and not verdict.certain_wrong and verdict.size_ratio < 1:
        answers = (
            "its answer at 1.0 announces"
            if verdict.certain == 1
            else f"its {verdict.certain:,} answers at 1.0 announce"
        )
        return f"Too sure: {counts}; {answers} no error and do not change this."
    return f"Too sure: says {_percent(verdict.confidence)} %, is right in {_accuracy(verdict)}; {counts}."


def _more_at_the_top(verdict: Assessment) -> str:
    """Return the part that is worse at the top than overall by more than chance, if it is at most half the answers."""
    worst = _worst(verdict)
    few = worst is not None and worst.count <= verdict.n_samples / 2
    if worst is None or not few or not verdict.top_holds or worst.low <= verdict.wrong / verdict.announced:
        return ""
    return f" More so at the top: {_errors(worst)}."


def _top(verdict: Assessment, chance_limit: float) -> str:
    worst = _worst(verdict)
    if worst is None or worst.p_value > 0.05:
        ratio = f"its errors would be expected of {short(verdict.size_ratio)} times as many answers (size ratio"
        return f"{ratio}; chance gives {short(chance_limit)} or more in one of twenty such samples)"
    return _errors(worst)


def _worst(verdict: Assessment) -> TopErrors | None:
    return min(verdict.tops, key=lambda top: top.p_value, default=None)


def _errors(top: TopErrors) -> str:
    ratio = ""
    if top.announced > EPS * top.count and top.low > 1:
        ratio = f" (× {short(top.wrong / top.announced)} [{short(top.low)}, {short(top.high)}])"
    elif top.announced > EPS * top.count:  # a one-sided test with so few errors says that, and not how much
        ratio = f" (chance alone gives as many in {_percent(top.p_value)} % of such samples)"
    are = "is" if top.wrong == 1 else "are"
    where = f"{top.wrong:,} of {top.count:,} answers at {confidence(top.confidence)} or more {are} wrong"
    return f"{where}, {expected_count(top.announced)} announced{ratio}"


def _shape(table: ErrorTable) -> str:
    """Describe where errors have opposite signs: above and below a confidence, or between two."""
    order = np.argsort(table.chance)  # the surest first
    count, wrong = table.count[order], table.wrong[order]
    chances = count * table.chance[order]
    excess = np.concatenate([[0.0], np.cumsum(wrong - chances)])
    first, last = sorted((int(excess.argmin()), int(excess.argmax())))  # the largest excess of a stretch, or lack

    def says(part: slice) -> tuple[float, float]:
        n = count[part].sum()
        return 100 - 100 * float(chances[part].sum() / n), 100 - 100 * float(wrong[part].sum() / n)

    def is_sure(part: slice) -> bool:
        return bool(wrong[part].sum() > chances[part].sum())

    split = last if first == 0 else first
    if (first == 0 or last == len(count)) and 0 < split < len(count):
        upper, lower = slice(None, split), slice(split, None)
        if is_sure(upper) != is_sure(lower):
            (sure, right), (sure_below, right_below) = says(upper), says(lower)
            above, below = ("Too sure", "too modest") if is_sure(upper) else ("Too modest", "too sure")
            parts = (
                f"{above} above ({sure:.0f} %, right {right:.0f}), {below} below ({sure_below:.0f}, {right_below:.0f})"
            )
            return f"{parts}; overall they cancel."
    stretch = slice(first, last)
    (sure, right), direction = says(stretch), "sure" if is_sure(stretch) else "modest"
    low, high = (without_zero(decimal(1 - table.chance[order][at], 2)) for at in (last - 1, first))
    where = f"between {low} and {high}"
    return f"Too {direction} {where}: says {sure:.0f} %, is right in {right:.0f} %. Overall not shown."


def gap_in_words(verdict: Assessment, kind: str) -> str:
    """Return the sentence on "graded" or "weighted" answers, or those "in groups", of which the gap alone is tested."""
    if np.isnan(verdict.p_value):
        answers = "answers in groups" if kind == "in groups" else f"{kind} answers"
        return f"The {answers} have too few errors to say."
    if not verdict.gap_holds:
        points = short(100 * verdict.detectable_gap)
        text = f"No sign of a gap. It is {_gap(verdict)}; one of {points} would have been found in four of five such "
        text += "samples."
    else:
        direction = "sure" if verdict.gap > 0 else "modest"
        is_right_in = "has a mean correctness of" if kind == "graded" else "is right in"
        seen = f"says {_percent(verdict.confidence)} %, {is_right_in} {_percent(verdict.accuracy)} %"
        text = f"Too {direction}: {seen}, a gap of {_gap(verdict)}."
    return f"{text} {kind.capitalize()}: only the gap is tested."


def _accuracy(verdict: Assessment) -> str:
    low, high = _percent(verdict.accuracy_low), _percent(verdict.accuracy_high)
    return f"{_percent(verdict.accuracy)} % [{low}, {high}]"


def _gap(verdict: Assessment) -> str:
    low, high = short(100 * verdict.gap_low), short(100 * verdict.gap_high)
    return f"{short(100 * verdict.gap)} points [{low}, {high}]"


def _percent(share: float) -> str:
    return decimal(100 * share, 1)
