"""The verdict on each model, in a sentence."""

from typing import Any

import numpy as np

from skconf._core.numbers import decimal, digits_of, number
from skconf.inference._assessment import Assessment, Grade
from skconf.report._evidence.evidence import Evidence
from skconf.report._page.parts import Harm


def verdicts_of(evidence: Evidence) -> dict[Any, str]:
    """Return the verdict on each model."""
    profiles = evidence.profiles
    return {
        model: _of_costs(assessment) if model in profiles and profiles[model].kind == "costs" else assessment.text
        for model, assessment in evidence.assessments.items()
    }


def _of_costs(assessment: Assessment) -> str:
    """Return the verdict on expected costs."""
    if np.isnan(assessment.p_value):
        return "Too few to say: there are too few answers with costs."
    digits = digits_of(assessment.accuracy, assessment.accuracy_low, assessment.accuracy_high)
    numbers = assessment.confidence, assessment.accuracy, assessment.accuracy_low, assessment.accuracy_high
    said, paid, low, high = (decimal(each, digits) for each in numbers)
    but, only = "but" if assessment.found else "and", "Only the mean cost is tested."
    text = f"average uncertainty is {said}, {but} the average cost is {paid} (95% interval {low}–{high})."
    if assessment.found:
        return f"{'Overconfident' if assessment.gap > 0 else 'Underconfident'}: {text} {only}"
    gap = number(assessment.detectable_over)
    found = f"If there were a gap of {gap}, it would be found in four of five data sets like this one."
    return f"No sign of a gap: {text} {found} {only}"


def harm_shown(assessment: Assessment) -> Harm:
    """Return the grade of the harm that a verdict shows; "" if it shows none that matters."""
    if not assessment.found or assessment.grade in ("close to calibrated", "negligible"):
        return ""
    return harm_of(assessment.grade) or "serious"  # costs have no grade


def harm_of(grade: Grade) -> Harm:
    """Return a grade of harm that matters; "" for any other grade."""
    return grade if grade in ("mild", "serious", "unusable") else ""
