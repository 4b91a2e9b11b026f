"""Intervals, comparisons and slices for every metric."""

from skconf.inference._assessment import Assessment, Stretch
from skconf.inference._comparison import Comparison, compare
from skconf.inference._confidence_interval import confidence_interval
from skconf.inference._contributions import contributions
from skconf.inference._cross_validation import compare_scores
from skconf.inference._intervals import Interval
from skconf.inference._overconfidence import overconfidence_by_group
from skconf.inference._prevalence import PrevalenceEstimate, estimate_prevalence
from skconf.inference._shift_test import ShiftTest, shift_test
from skconf.inference._slices import by_group
from skconf.inference._verdict import assess_confidence

__all__ = [
    "Assessment",
    "Comparison",
    "Interval",
    "PrevalenceEstimate",
    "ShiftTest",
    "Stretch",
    "assess_confidence",
    "by_group",
    "compare",
    "compare_scores",
    "confidence_interval",
    "contributions",
    "estimate_prevalence",
    "overconfidence_by_group",
    "shift_test",
]
