"""How much harm miscalibration does to somebody who accepts answers by their confidence."""

from collections.abc import Iterable

from skconf.inference._assessment import Grade

#: From the least harm to the most.
GRADES: tuple[Grade, ...] = ("negligible", "mild", "serious", "unusable")
#: A grade holds if the excess errors in 1,000 accepted answers are at least the first number. It also holds if the
#: errors are at least the second number times the expected errors, and the excess errors at least the third number.
_OVERCONFIDENT = {"mild": (10, 2, 1), "serious": (50, 3, 2), "unusable": (200, 10, 20)}
#: Expected errors in 1,000 answers that did not occur. They do no harm to somebody who accepts answers, so the grade is
#: never "unusable".
_UNDERCONFIDENT = {"mild": 20, "serious": 100}


def harm(low: float, high: float, expected: float) -> tuple[Grade, Grade]:
    """Return the least and the most harm that an interval of the error rate of some answers allows, as grades.

    `low` and `high` are the ends of the interval; `expected` is the error rate that the confidences imply.
    "negligible": the difference is too small to matter at a threshold. "mild": the error rate above a threshold is not
    the expected one. "serious": there is one more error in twenty answers, or three times the expected errors.
    "unusable": there are ten times the expected errors.
    """
    return _worst(low, high, expected), _worst(high, low, expected)


def worst_harm(errors: Iterable[tuple[float, float, float]]) -> Grade:
    """Return the worst grade that some intervals show. Each has a low end, a high end and an expected error rate."""
    return max((harm(*each)[0] for each in errors), key=GRADES.index, default="negligible")


def _worst(at_least: float, at_most: float, expected: float) -> Grade:
    """Grade by how far `at_least` is above the expected error rate, or `at_most` is below it."""
    excess, lack = 1000 * (at_least - expected), 1000 * (expected - at_most)
    over = [
        excess >= alone or (at_least >= times * expected and excess >= least)
        for alone, times, least in _OVERCONFIDENT.values()
    ]
    under = [lack >= alone for alone in _UNDERCONFIDENT.values()]
    return GRADES[max(sum(over), sum(under))]
