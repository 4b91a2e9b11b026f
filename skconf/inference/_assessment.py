"""The result of an assessment: a verdict on confidences, and the numbers behind it."""

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import pandas as pd

from skconf._core.proportions import looks_swapped

#: How much harm miscalibration does, from none that is known to the worst.
Grade = Literal["too few to say", "none shown", "close to calibrated", "negligible", "mild", "serious", "unusable"]
Direction = Literal["overconfident", "underconfident"]
#: Answers look swapped if 1 − accuracy is this close to their average confidence.
_NEAR = 0.1


@dataclass(frozen=True)
class Stretch:
    """Expected and observed errors among the answers in a range of confidence.

    Attributes
    ----------
    low, high : float
        The range of confidence: at least `low`, and below `high`. If `high` is infinite, the range has no upper end.
    count : float
        Number of answers, or their weight.
    observed : float
        Number of errors. If answers are graded, it is Σ (1 − correctness).
    expected : float
        Number of errors that the confidences imply, Σ (1 − c).
    errors_low, errors_high : float
        Confidence interval of the true error rate in this range, multiplied by `count`. In at least 95% of data sets,
        the intervals of all stretches contain their true values. `expected` is outside the interval if and only if
        `found` is True.
    p_value : float
        Exact two-sided p-value of the number of errors, for this stretch alone.
    found : bool
        Whether the difference between observed and expected errors is more than chance, given that many stretches were
        tested. If a part of the stretch is miscalibrated in the other direction, `found` can be False in spite of a
        small `p_value`, because the direction of the whole stretch is then unclear.
    direction : {"overconfident", "underconfident"} or None
        The kind of miscalibration that was found. None if no miscalibration was found.
    grade : str
        How bad the miscalibration is: "negligible", "mild", "serious" or "unusable". It is "none shown" if no
        miscalibration was found.
    """

    low: float
    high: float
    count: float
    observed: float
    expected: float
    errors_low: float
    errors_high: float
    p_value: float
    found: bool
    direction: Direction | None
    grade: Grade


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """A verdict on confidences, and the numbers behind it. ``str`` returns its sentences.

    Attributes
    ----------
    text : str
        The verdict, in one or two sentences.
    p_value : float
        Joint p-value of all ranges of confidence, for the hypothesis that confidences are calibrated. It is two-sided:
        `overconfident` and `underconfident` say in which direction. If weights differ, if answers are graded, or if
        answers come in clusters, only the gap between average confidence and accuracy is tested; `p_value` is then the
        p-value of the gap, or NaN if there are too few errors for this test.
    found : bool
        Whether miscalibration was found: the joint p-value is at most 0.05.
    grade : str
        A lower limit of how bad the miscalibration is: "negligible", "mild", "serious" or "unusable". The stretches in
        `levels`, `overconfident` and `underconfident` are ranges of confidence. Each stretch has an interval for its
        number of errors, from `errors_low` to `errors_high`. If the interval excludes the expected errors, the grade of
        the stretch is computed from the end of the interval that is closer to the expected errors. The worst grade of
        all stretches counts. Stretches with less than 1% of the answers are left out. If `grade_at_most` is
        "negligible", the grade is "close to calibrated". Otherwise, if `found` is False, the grade is "none shown" or
        "too few to say". It is "too few to say" if overconfidence of 10 percentage points could have been missed:
        `detectable_over` is above 0.1 or NaN. If only the gap is tested, the interval of the gap gives the grade, and
        the grade is "too few to say" only if `p_value` is NaN.
    grade_at_most : str
        How bad the miscalibration may be at most, from "negligible" to "unusable". The intervals are the same as for
        `grade`, but both ends of each interval are graded. The worst of these grades counts. If `p_value` is NaN,
        `grade_at_most` is "unusable".
    n_samples : int
        Number of answers.
    confidence, accuracy : float
        Average confidence, and accuracy.
    accuracy_low, accuracy_high : float
        95% interval of the accuracy. Without clusters, the interval contains `confidence` if `found` is False, and its
        ends are NaN if `p_value` is NaN. With clusters, the interval is for answers of new clusters, and may exclude
        `confidence` even if `found` is False.
    gap, gap_low, gap_high : float
        Average confidence minus accuracy, and the 95% interval of this gap. The interval contains 0 if `found` is
        False; its ends are NaN if `p_value` is NaN.
    observed_errors, expected_errors : float
        Number of errors, and the number that the confidences imply, Σ (1 − c). NaN if only the gap is tested.
    levels : tuple of Stretch
        The first stretch has all answers. The other stretches have the answers with a confidence of at least 0.5, 0.9,
        0.99, 0.999 and 1.0. Stretches without answers are left out. Empty if only the gap is tested.
    overconfident, underconfident : Stretch or None
        The stretch with the strongest evidence of overconfidence, and the stretch with the strongest evidence of
        underconfidence. None if there is no such stretch.
    detectable_over, detectable_under : float
        The gap that can be detected, for overconfidence and for underconfidence. If the true gap had this size, it
        would be found in at least 80% of data sets with these confidences. NaN if no gap can be detected so often.
    most_frequent : float
        Share of the most frequent class. It is the accuracy of a model that always predicts this class. NaN if classes
        are not known.
    decisive : float or None
        The confidence of the decisive wrong answer: if this answer were missing, no miscalibration would have been
        found. None if there is no such answer.
    decisive_row : int or None
        The row of the decisive wrong answer, counted from 0. None if there is no such answer, or if the predictions
        were read in parts, because their rows are then unknown.
    certain, certain_wrong : int
        Number of answers with a confidence of 1, and number of errors among them.
    looks_swapped : bool
        Whether labels or columns of probabilities may be in the wrong order, because so few answers are right. It is
        True if the accuracy is far below the share of the most frequent class, and far below the share of all other
        classes together. With two classes, it is also True if swapped answers would have an accuracy above the share of
        the most frequent class, and close to the average confidence.
    """

    text: str = ""
    p_value: float
    found: bool
    grade: Grade = "none shown"
    grade_at_most: Grade = "unusable"
    n_samples: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    gap: float
    gap_low: float
    gap_high: float
    observed_errors: float = np.nan
    expected_errors: float = np.nan
    levels: tuple[Stretch, ...] = ()
    overconfident: Stretch | None = None
    underconfident: Stretch | None = None
    detectable_over: float = np.nan
    detectable_under: float = np.nan
    most_frequent: float = np.nan
    decisive: float | None = None
    decisive_row: int | None = None
    certain: int = 0
    certain_wrong: int = 0

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Assessment({self.text!r}, p_value={self.p_value:.2g})"

    @property
    def looks_swapped(self) -> bool:
        """Whether so few answers are right that labels or columns of probabilities may be in the wrong order."""
        if looks_swapped(self.accuracy_high, self.most_frequent):
            return True
        # Swapped answers of two classes would be right as often as the confidences imply, and more often than the most
        # frequent class. Among more classes, the share of the most frequent one is mostly below a half.
        calibrated_if_swapped = abs(1 - self.accuracy - self.confidence) < _NEAR
        return 0.5 <= self.most_frequent < 1 - self.accuracy_high and calibrated_if_swapped

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """All stretches: `levels`, and then `overconfident` and `underconfident`, if found and not among `levels`."""
        named = (self.overconfident, self.underconfident)
        return self.levels + tuple(each for each in named if each is not None and each not in self.levels)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each range of confidence in `stretches`.

        Returns
        -------
        DataFrame
            The columns are the fields of :class:`Stretch`. There are no rows if only the gap is tested.
        """
        return pd.DataFrame([asdict(each) for each in self.stretches], columns=list(Stretch.__annotations__))
