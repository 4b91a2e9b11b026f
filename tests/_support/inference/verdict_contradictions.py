"""Whether the parts of a verdict agree: its sentences as a reader takes them, fields, table and intervals."""

import re

import numpy as np
from _support.inference.brute_verdict import grade

ORDER = {"negligible": 0, "mild": 1, "serious": 2, "unusable": 3}
UNFOUND = ("none shown", "too few to say")
NUMBER = r"([\d,]+(?:\.\d+)?(?:e-\d+)?|none)"
PLACE = (
    r"(at a confidence of 1|at a confidence of [\d.]+ or more|at confidences between [\d.]+ and [\d.]+|"
    r"at confidences below [\d.]+)"
)
OVERALL = re.compile(
    rf"[Aa]verage confidence is {NUMBER}%, (but|and) {NUMBER}% of answers are right "
    rf"\(95% interval {NUMBER}–{NUMBER}\)"
)
LOCAL = re.compile(
    rf"((?:Slightly |Far |But )?(?:over|under)confident|Worst) {PLACE}: {NUMBER} errors? in {NUMBER} answers?, "
    rf"where the confidences imply ((?:fewer than )?[\d,]+(?:\.\d+)?|none)",
    re.IGNORECASE,
)
DETECTABLE = re.compile(rf"Overconfidence of {NUMBER} points would be (found in four|missed in one) of five")


def value(text):
    return 0.0 if text == "none" else float(text.removeprefix("fewer than ").replace(",", ""))


def says(text, number, units=0.5):
    """Return whether a number was rounded to this text, or differs by so many units of its last digit."""
    if text.startswith("fewer than "):
        return 0 < number < value(text)
    digits, _, power = text.replace(",", "").partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2])) if text != "none" else 1e-6
    return abs(value(text) - number) <= units * unit * (1 + 1e-6)


def contradictions(verdict):
    """Return what in a verdict on right and wrong answers contradicts something else in it."""
    return [
        *(f"fields: {what}" for what in _of_fields(verdict)),
        *(f"table: {what}" for what in _of_table(verdict)),
        *(f"text: {what}" for what in _of_text(verdict)),
    ]


def _stretches(verdict):
    named = (verdict.overconfident, verdict.underconfident)
    return [*verdict.levels, *(each for each in named if each is not None)]


def _of_fields(verdict):
    overall, over, under = verdict.levels[0], verdict.overconfident, verdict.underconfident
    if verdict.found != (verdict.p_value <= 0.05):
        yield "found, and the joint p-value"
    if verdict.found != (over is not None or under is not None):
        yield "found, and nothing named, or the other way round"
    for each, direction in ((over, "overconfident"), (under, "underconfident")):
        if each is not None and not (each.found and each.direction == direction):
            yield f"named as {direction}, and not found so"
    if over is not None and under is not None and max(over.low, under.low) < min(over.high, under.high):
        yield "the same answers are overconfident and underconfident"
    for each in _stretches(verdict):
        yield from _of_stretch(each, f"{each.low}–{each.high}")
        if each.found and not verdict.found:
            yield "a stretch is found, and nothing overall"
    counts = [each.count for each in verdict.levels]
    lows = [each.low for each in verdict.levels]
    if counts != sorted(counts, reverse=True) or lows != sorted(set(lows)):
        yield "levels do not lie in each other"
    n = verdict.n_samples
    alike = {
        "errors": (verdict.observed_errors, overall.observed),
        "expected errors": (verdict.expected_errors, overall.expected),
        "accuracy": (verdict.accuracy, 1 - overall.observed / n),
        "confidence": (verdict.confidence, 1 - overall.expected / n),
        "gap": (verdict.gap, verdict.confidence - verdict.accuracy),
        "accuracy_low": (verdict.accuracy_low, 1 - overall.errors_high / n),
        "accuracy_high": (verdict.accuracy_high, 1 - overall.errors_low / n),
        "gap_low": (verdict.gap_low, verdict.confidence - verdict.accuracy_high),
        "gap_high": (verdict.gap_high, verdict.confidence - verdict.accuracy_low),
        "count": (n, overall.count),
    }
    yield from (name for name, (one, other) in alike.items() if not np.isclose(one, other, rtol=1e-9, atol=1e-12))
    if verdict.certain_wrong > verdict.certain or verdict.certain_wrong > verdict.observed_errors:
        yield "errors at 1.0"
    yield from _of_grade(verdict)


def _of_grade(verdict):
    grade, at_most = verdict.grade, verdict.grade_at_most
    if verdict.found and grade in UNFOUND:
        yield f"found, and {grade}"
    if not verdict.found and grade in ORDER:
        yield f"not found, and {grade}"
    if grade in ORDER and ORDER[grade] > ORDER[at_most]:
        yield f"{grade}, and at most {at_most}"
    if (grade == "close to calibrated") != (at_most == "negligible"):
        yield f"{grade}, and at most {at_most}"
    worst = max(
        (ORDER[each.grade] for each in _stretches(verdict) if each.found and each.count >= 0.01 * verdict.n_samples),
        default=0,
    )
    if ORDER.get(grade, 0) != worst:
        yield f"{grade}, and its worst stretch another"


def _of_stretch(each, name):
    inside = each.errors_low <= each.expected <= each.errors_high
    if each.found == inside:
        yield f"{name} is found, and its interval holds the expected errors, or the other way round"
    if not 0 <= each.errors_low <= each.observed <= each.errors_high <= each.count:
        yield f"{name}: its interval does not hold the observed errors"
    direction = "overconfident" if each.observed > each.expected else "underconfident"
    if each.direction != (direction if each.found else None):
        yield f"{name}: direction"
    if (each.grade in ORDER) != each.found:
        yield f"{name}: grade"


def _of_table(verdict):
    frame = verdict.to_frame()
    rows = [tuple(row) for row in frame[["low", "high", "count", "observed", "found"]].itertuples(index=False)]
    for each in _stretches(verdict):
        if (each.low, each.high, each.count, each.observed, each.found) not in rows:
            yield f"lacks {each.low}–{each.high}"
    if len(rows) != len(set(rows)):
        yield "has a row twice"


def _of_text(verdict):
    text = str(verdict)
    if text != verdict.text or not text:
        yield "str is another"
    if re.search(r"\b(nan|inf|None)\b|∞|--|  |\.\.", text):
        yield "a number that is none"
    if verdict.decisive is not None:
        if not (verdict.found and text.startswith("Overconfident because of one answer alone: ")):
            yield "an answer that decides"
        return
    start = text.split(":")[0]
    begins = {
        "Close to calibrated": verdict.grade == "close to calibrated",
        "No sign of miscalibration": verdict.grade == "none shown",
        "Too few to say": verdict.grade == "too few to say",
    }
    if start in begins:
        if not begins[start]:
            yield f"begins with {start!r}, and is {verdict.grade}"
    elif any(begins.values()) or not verdict.found:
        yield f"begins with {start!r}, and is {verdict.grade}"
    if start in UNFOUND or not verdict.found:
        told = [word for word in ("Slightly", "Far ", "Worst", "But ") if word in text]
        if told:
            yield f"says {told} where nothing was found"
    yield from _of_overall_sentence(verdict, start)
    yield from _of_local_sentences(verdict)
    for points, _ in DETECTABLE.findall(text):
        if not says(points, 100 * verdict.detectable_over):
            yield "the gap that could be found"


def _of_overall_sentence(verdict, start):
    how = re.fullmatch(r"(Slightly |Far )?((?:over|under)confident)", start, re.IGNORECASE)
    overall = verdict.levels[0]
    if how:
        if overall.direction != how[2].lower():
            yield f"is {start} overall, and the test says {overall.direction}"
        many = [each for each in _stretches(verdict) if each.count >= 0.01 * verdict.n_samples]
        yield from _of_word(start, overall, many)
    elif (
        overall.found
        and verdict.grade != "close to calibrated"
        and f" Overall {overall.direction}: " not in verdict.text
    ):
        yield "the overall test found something, and the sentence does not begin with it"
    for said, joint, right, low, high in OVERALL.findall(verdict.text):
        numbers = verdict.confidence, verdict.accuracy, verdict.accuracy_low, verdict.accuracy_high
        shown = said, right, low, high
        # An end of the interval is rounded away from a confidence that it leaves out.
        units = 0.5, 0.5, 1.5, 1.5
        if not all(says(text, 100 * number, off) for text, number, off in zip(shown, numbers, units, strict=True)):
            yield "percentages"
        said, right, low, high = map(value, shown)
        # As a reader would: what lies outside the interval is off.
        if (joint == "but") != (overall.found and verdict.grade != "close to calibrated"):
            yield f"says {joint!r}"
        if joint == "but" and (low <= said <= high or said == right):
            yield "found overall, and the interval that is shown holds the confidence"
        if not overall.found and not low <= said <= high:
            yield "not found overall, and the interval that is shown leaves out the confidence"
        if not low <= right <= high:
            yield "the interval that is shown leaves out the accuracy"


def _of_local_sentences(verdict):
    told = [
        (how, where, value(errors), value(answers), implied)
        for how, where, errors, answers, implied in LOCAL.findall(verdict.text)
    ]
    mentions = len(re.findall(r"errors? in [\d,]+ answers?", verdict.text))
    if mentions != len(told):
        yield "a sentence that this checker cannot read"
    for how, where, errors, answers, implied in told:
        fitting = [each for each in _stretches(verdict) if (each.observed, each.count) == (errors, answers)]
        if not fitting:
            yield f"{where}: counts that no stretch has"
            continue
        place = [each for each in fitting if _is_place(each, where)]
        if not place:
            yield f"{where}: another stretch has its counts"
            continue
        each = place[0]
        if not each.found:
            yield f"{where}: was not found"
        if not says(implied, each.expected):
            yield f"{where}: implies another number"
        if value(implied) == errors or (value(implied) < errors) != (each.observed > each.expected):
            yield f"{where}: {errors:g} errors, {implied} implied, in the other direction, or alike"
        named = re.search(r"(over|under)confident", how, re.IGNORECASE)
        if named:
            direction = f"{named[1].lower()}confident"
        elif verdict.grade == "close to calibrated":
            direction = "overconfident"  # a rare level, worse than all others
        else:
            direction = verdict.levels[0].direction
        if direction is None or each.direction != direction:
            yield f"{where}: {how}, and {each.direction}"
        if named and not how.startswith("But"):
            yield from _of_word(how, each, [each])


def _of_word(how, stretch, others):
    """Compare "slightly" and "far" with the grades of what is off in the same direction."""
    grades = [each.grade for each in (stretch, *others) if each.direction == stretch.direction]
    worst = max(grades, key=lambda name: ORDER.get(name, -1))
    seen = grade(stretch.count, stretch.expected, stretch.observed, stretch.observed)
    slight = worst == "negligible" and seen in ("negligible", "mild")
    expected = "slightly " if slight else "far " if worst == "unusable" else ""
    told = re.match(r"(slightly |far )?", how.lower())[1] or ""
    if told != expected:
        yield f"{how}, whose grade is {worst}, and what is seen {seen}"
    if "far underconfident" in how.lower():
        yield "is far underconfident, which nothing is"


def _is_place(each, where):
    numbers = [float(number) for number in re.findall(r"\d[\d.]*", where)]
    if "between" in where:
        return (each.low, each.high) == tuple(numbers)
    if "below" in where:
        return (each.low, each.high) == (0, numbers[0])
    return each.low == numbers[0] and np.isinf(each.high)
