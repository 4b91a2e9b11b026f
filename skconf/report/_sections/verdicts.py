"""The verdict on each model, in a sentence."""

from typing import Any

import numpy as np

from skconf._core.numbers import decimal, number
from skconf.inference._assessment import Assessment
from skconf.report._evidence.evidence import Evidence


def verdicts_of(evidence: Evidence) -> dict[Any, str]:
    """Return the verdict on each model."""
    profiles = evidence.profiles
    return {
        model: _of_costs(assessment) if model in profiles and profiles[model].kind == "costs" else assessment.text
        for model, assessment in evidence.assessments.items()
    }


def _of_costs(assessment: Assessment) -> str:
    """Return the verdict on announced costs."""
    if np.isnan(assessment.p_value):
        return "There are too few answers with costs to say."
    only = "Costs: only their mean is tested."
    if assessment.gap_holds:
        what = "Too sure" if assessment.gap > 0 else "Too modest"
        paid = number(assessment.accuracy, assessment.accuracy_low, assessment.accuracy_high)
        digits = len(paid.split()[0].partition(".")[2])
        return f"{what}: announces a mean cost of {decimal(assessment.confidence, digits)}, costs {paid}. {only}"
    gap = number(assessment.gap, assessment.gap_low, assessment.gap_high)
    return (
        f"No sign of a gap: answers cost {gap} more than announced, in the mean; a gap of "
        f"{number(assessment.detectable_gap)} would have been found in four of five such samples. {only}"
    )
