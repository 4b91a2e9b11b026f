"""What was measured, what is expected beyond, and how both are said."""

import math
import re
import textwrap

#: Units of seconds, and below how many seconds they are used.
UNITS = (("ms", 1e-3, 0.95), ("s", 1, 100), ("min", 60, 6000), ("h", 3600, float("inf")))
#: A space that does not end a line, and the sign of what was not measured.
SPACE = "\N{NO-BREAK SPACE}"
ABOUT = f"≈{SPACE}"


def lines_of(rows):
    """Return the rows of each job, by its kind, its name, and what it is like."""
    lines = {}
    for row in rows:
        lines.setdefault((row["kind"], row["name"], row["like"]), []).append(row)
    return lines


def expected(known, size):
    """Return what to expect at a size, given sizes and what was found there: at least in proportion to the size."""
    n, found = known[-1]
    if len(known) == 1 or min(found, known[-2][1]) <= 0:
        return found * size / n
    growth = math.log(found / known[-2][1]) / math.log(n / known[-2][0])
    return found * (size / n) ** min(max(growth, 1), 2)


def at(rows, size, axis="rows", field="seconds"):
    """Return what a job took at a size, and whether that was measured or is expected from smaller ones."""
    known = sorted((row[axis], row.get(field, 0)) for row in rows)
    if size in dict(known):
        return dict(known)[size], True
    return expected([(n, found) for n, found in known if n < size], size), False


def duration(seconds, measured=True):
    """Return seconds in words, with a sign if they were not measured."""
    unit, scale, _ = next(each for each in UNITS if seconds < each[2])
    return f"{'' if measured else ABOUT}{two_digits(seconds / scale)}{SPACE}{unit}"


def durations(values):
    """Return the least and the most of seconds, each with whether it was measured."""
    first, last = (duration(value) for value, _ in (min(values), max(values)))
    sign = "" if all(measured for _, measured in values) else ABOUT
    if first == last:
        return sign + last
    number, unit = first.split(SPACE)
    return f"{sign}{number if last.endswith(SPACE + unit) else first} – {last}"


def two_digits(number):
    """Return a number rounded to two digits, without an exponent."""
    return f"{float(f'{number:.2g}'):,.12g}"


def span(values):
    """Return the least and the most of numbers."""
    return " – ".join(dict.fromkeys(map(two_digits, (min(values), max(values)))))


def table(head, rows):
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def paragraph(text):
    """Return a text in lines of 120 characters."""
    return textwrap.fill(re.sub("[ \n]+", " ", text), 120, break_long_words=False, break_on_hyphens=False)
