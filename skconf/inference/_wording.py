"""Verdicts on confidences in sentences, with counts and intervals. They claim only what the tests show."""

import numpy as np

from skconf._core.numbers import confidence, decimal, digits_apart, expected_count, short
from skconf.inference._assessment import Assessment, Grade, Stretch
from skconf.inference._error_table import EPS
from skconf.inference._harm import GRADES, harm

#: A level is named as the worst only if its share of the answers is at least the first number and at most the second.
_FEW, _MOST = 0.01, 0.9
_WORTH_TELLING = ("mild", "serious", "unusable")
_SERIOUS = ("serious", "unusable")


def in_words(verdict: Assessment, n_rows: int | None = None) -> str:
    """Return the verdict on right and wrong answers, in a few sentences.

    If one answer alone decides, its row is named; `n_rows` is the number of rows. If always giving the most frequent
    class would be right at least as often, the last sentence says so.
    """
    return _two(_on_confidences(verdict, n_rows), _one_for_all(verdict))


def _on_confidences(verdict: Assessment, n_rows: int | None) -> str:
    if verdict.decisive is not None:
        return _one_answer(verdict, n_rows)
    if verdict.grade == "close to calibrated":
        return _two(f"Close to calibrated: {_average_and_right(verdict)}.", _rare_level(verdict))
    if not verdict.found:
        return _nothing(verdict)
    overall = verdict.levels[0]
    named = [each for each in (verdict.overconfident, verdict.underconfident) if each is not None]
    if overall.direction is not None:
        how = _how(overall, *_many(verdict))
        other = _opposite(verdict)
        if other is not None and _rank(other) > max(
            _rank(each) for each in _many(verdict) if each.direction != other.direction
        ):
            return _two(f"{_told(other)}", f"Overall {overall.direction}: {_average_and_right(verdict)}.")
        second = _worst_level(verdict) or _rare_level(verdict, other)
        if not second and other is not None and _seen(other) != "negligible":
            second = f"But {other.direction} {_where(other)}: {_counts(other)}."
        return _two(f"{how}: {_average_and_right(verdict)}.", second)
    named.sort(key=_rank, reverse=True)
    first, *others = map(_told, named)
    return _two(first, others[0] if others else f"Overall, {_average_and_right(verdict)}.")


def _many(verdict: Assessment) -> list[Stretch]:
    """Return the stretches that have enough answers to count for the grade."""
    return [each for each in verdict.stretches if each.count >= _FEW * verdict.n_samples]


def _rank(stretch: Stretch) -> int:
    """Return the position of a stretch's grade; −1 if nothing was found."""
    return GRADES.index(stretch.grade) if stretch.grade in GRADES else -1


def _seen(stretch: Stretch) -> Grade:
    """Grade the observed error rate, without an interval."""
    rate = stretch.observed / stretch.count
    return harm(rate, rate, stretch.expected / stretch.count)[0]


def _told(stretch: Stretch) -> str:
    return f"{_how(stretch)} {_where(stretch)}: {_counts(stretch)}."


def _nothing(verdict: Assessment) -> str:
    observed = verdict.levels[0].observed
    if verdict.grade == "too few to say":
        answers = f"{verdict.n_samples:,} {'answer' if verdict.n_samples == 1 else 'answers'}"
        is_wrong = f"{observed:,.0f} of {answers} {'is' if observed == 1 or verdict.n_samples == 1 else 'are'} wrong"
        text = f"Too few to say: {is_wrong}, where {_implied(verdict.expected_errors)}."
        if np.isnan(verdict.detectable_over):
            return f"{text} With so few answers, overconfidence cannot be shown, however large it is."
        missed = (
            f"Even overconfidence of {_points(verdict)} points would be missed in one of five data sets like this one"
        )
        return f"{text} {missed}."
    what = f"overconfidence of {_points(verdict)} points"
    found = f"If there were {what}, it would be found in four of five data sets like this one"
    return f"No sign of miscalibration: {_average_and_right(verdict)}. {found}.{_hidden(verdict)}"


def _hidden(verdict: Assessment) -> str:
    """If the interval of a level reaches serious harm, say how many of its answers may be wrong; else return ""."""
    levels = [each for each in _many(verdict) if each.low]
    rates = [(each, np.array([each.errors_low, each.errors_high, each.expected]) / each.count) for each in levels]
    serious = [(each, high) for each, (low, high, expected) in rates if harm(low, high, expected)[1] in _SERIOUS]
    if not serious:
        return ""
    level, high = serious[0]
    return f" {_where(level).capitalize()}, as many as {decimal(100 * high, 1)}% of answers may be wrong."


def _one_for_all(verdict: Assessment) -> str:
    if verdict.grade == "too few to say" or not verdict.accuracy <= verdict.most_frequent < 1:
        return ""
    always = decimal(100 * verdict.most_frequent, 1)
    often = "less often" if verdict.accuracy_high < verdict.most_frequent else "no more often"
    text = f"Its answers are right {often} than if it always gave the most frequent class ({always}%)"
    return f"{text}, and so seldom that labels or columns look swapped." if verdict.looks_swapped else f"{text}."


def _one_answer(verdict: Assessment, n_rows: int | None) -> str:
    chance = 1 - (verdict.decisive or 0.0)
    rarity = (
        "which should never happen" if chance <= EPS else f"where one answer in {1 / chance:,.0f} is expected to be"
    )
    unknown = n_rows is None or verdict.decisive_row is None
    which = "one" if unknown else f"row {(verdict.decisive_row or 0) + 1:,} of {n_rows:,}"
    of = confidence(1 - chance).removesuffix(".0")
    wrong = f"{which} is wrong with a confidence of {of}, {rarity}"
    return f"Overconfident because of one answer alone: {wrong}. Without it, nothing is found."


def _average_and_right(verdict: Assessment) -> str:
    """Compare average confidence and accuracy."""
    is_off = verdict.levels[0].found and verdict.grade != "close to calibrated"
    return _compared(verdict, is_off, "{}% of answers are right")


def _compared(verdict: Assessment, is_off: bool, is_right: str, *, tested: bool = True) -> str:
    """Compare average confidence and accuracy. If `is_off`, use enough decimals to show a difference.

    If `tested`, the interval of the accuracy belongs to the test. If `is_off`, too, the printed interval does not
    contain the average confidence.
    """
    numbers = verdict.confidence, verdict.accuracy, verdict.accuracy_low, verdict.accuracy_high
    digits = digits_apart(verdict.confidence, verdict.accuracy) if is_off else 1
    said, right, low, high = (decimal(100 * each, digits) for each in numbers)
    if is_off and tested:  # if an end is just before the confidence, it is rounded away from the confidence
        unit = 10.0**-digits
        low = decimal(100 * verdict.confidence + unit, digits) if low == said else low
        high = decimal(100 * verdict.confidence - unit, digits) if high == said else high
    is_right = is_right.format(right)
    return f"average confidence is {said}%, {'but' if is_off else 'and'} {is_right} (95% interval {low}–{high})"


def _worst_level(verdict: Assessment) -> str:
    """Name the worst level that is clearly worse than all answers together or, without one, has a worse grade."""
    overall, n = verdict.levels[0], verdict.n_samples
    if overall.direction != "overconfident":
        return ""
    ratio = overall.observed / overall.expected if overall.expected else np.inf
    over = [each for each in _many(verdict) if each in verdict.levels[1:] and each.direction == overall.direction]
    worse = [each for each in over if each.count <= _MOST * n and each.errors_low > ratio * each.expected]
    worse = worse or [each for each in over if _rank(each) > _rank(overall)]
    if not worse:
        return ""

    def excess(each: Stretch) -> float:
        return float(np.arcsin(np.sqrt(each.errors_low / each.count)) - np.arcsin(np.sqrt(each.expected / each.count)))

    worst = max(worse, key=excess)
    return f"Worst {_where(worst)}: {_counts(worst)}."


def _opposite(verdict: Assessment) -> Stretch | None:
    """Return the stretch that is off in the opposite direction of all answers."""
    over = verdict.levels[0].direction == "overconfident"
    return verdict.underconfident if over else verdict.overconfident


def _rare_level(verdict: Assessment, other: Stretch | None = None) -> str:
    """Name a level with too few answers for the grade if its own grade is at least mild, and worse than `other`'s."""
    rare = [each for each in verdict.levels if each.count < _FEW * verdict.n_samples and each.grade in _WORTH_TELLING]
    rare = [each for each in rare if other is None or _rank(each) > _rank(other)]
    return f"{str(rare[0].direction).capitalize()} {_where(rare[0])}: {_counts(rare[0])}." if rare else ""


def _two(first: str, second: str) -> str:
    return f"{first} {second}".rstrip()


def _how(stretch: Stretch, *others: Stretch) -> str:
    """Say in which direction a stretch is off, and how far, by the worst grade of all stretches in its direction."""
    alike = [each for each in (stretch, *others) if each.direction == stretch.direction]
    worst = max((each.grade for each in alike), key=GRADES.index)
    return _in_direction(
        str(stretch.direction), worst, stretch.observed / stretch.count, stretch.expected / stretch.count
    )


def _in_direction(direction: str, grade: Grade, seen: float, expected: float) -> str:
    """Return the direction, with "Slightly" if the harm is small, or with "Far" if the grade is "unusable"."""
    slightly = grade == "negligible" and harm(seen, seen, expected)[0] in ("negligible", "mild")
    return f"{'Slightly ' if slightly else 'Far ' if grade == 'unusable' else ''}{direction}".capitalize()


def _where(stretch: Stretch) -> str:
    """Say which confidences, as in "at a confidence of 0.9 or more" or "at confidences between 0.7 and 0.8"."""
    if stretch.low >= 1:
        return "at a confidence of 1"
    if np.isinf(stretch.high):
        return f"at a confidence of {confidence(stretch.low)} or more"
    return (
        f"at confidences between {confidence(stretch.low)} and {confidence(stretch.high)}"
        if stretch.low
        else f"at confidences below {confidence(stretch.high)}"
    )


def _counts(stretch: Stretch) -> str:
    errors = f"{stretch.observed:,.0f} {'error' if stretch.observed == 1 else 'errors'}"
    answers = f"{stretch.count:,.0f} {'answer' if stretch.count == 1 else 'answers'}"
    return f"{errors} in {answers}, where {_implied(stretch.expected)}"


def _implied(count: float) -> str:
    expected = expected_count(count)
    return f"the confidences imply {expected}{'' if expected == 'none' else ' errors'}"


def _points(verdict: Assessment) -> str:
    return short(100 * verdict.detectable_over)


def too_few_in_words(size: float, needed: float, *, graded: bool, in_groups: bool) -> str:
    """Return the verdict on graded answers, or answers in groups or with weights, that have too few errors."""
    unit = "clusters of equal size" if in_groups else "answers of equal weight"
    if graded and not in_groups:
        return "Too few to say: the graded answers have too few errors for a verdict."
    answers = f"{'graded ' * graded}answers in clusters" if in_groups else "weighted answers"
    text = f"Too few to say: the {answers} count as {size:,.0f} {unit}."
    return text if needed == np.inf else f"{text} A verdict needs about {np.ceil(np.round(needed, 6)):,.0f}."


def gap_in_words(verdict: Assessment, *, graded: bool, in_groups: bool) -> str:
    """Return the verdict on answers that are graded, in groups or else weighted. Only their gap is tested."""
    kind = " and ".join(["graded"] * graded + ["in clusters"] * in_groups) or "weighted"
    is_right = "average correctness is {}%" if graded else "{}% of answers are right"
    is_off = verdict.found and verdict.grade != "close to calibrated"
    text = f"{_compared(verdict, is_off, is_right, tested=not in_groups)}."
    if is_off and in_groups:
        ends = sorted(abs(100 * end) for end in (verdict.gap_low, verdict.gap_high))
        apart, low, high = map(short, (100 * abs(verdict.gap), *ends))
        text = f"{text[:-1]}, {apart} points apart ({low}–{high})."
    only = f"The answers are {kind}: only the overall gap is tested."
    if verdict.grade == "close to calibrated":
        return f"Close to calibrated: {text} {only}"
    if not verdict.found:
        points = _points(verdict)
        found = f"If there were a gap of {points} points, it would be found in four of five data sets like this one"
        return f"No sign of a gap: {text} {found}. {only}"
    direction = "overconfident" if verdict.gap > 0 else "underconfident"
    how = _in_direction(direction, verdict.grade, 1 - verdict.accuracy, 1 - verdict.confidence)
    return _two(f"{how}: {text} {only}", _one_for_all(verdict))
