"""The result of an assessment: a verdict on confidences, and the numbers it rests on."""

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import pandas as pd

from skconf._core.proportions import looks_swapped

#: How much harm miscalibration does, from none that is known to the worst.
Grade = Literal["too few to say", "none shown", "close to calibrated", "negligible", "mild", "serious", "unusable"]
Direction = Literal["overconfident", "underconfident"]


@dataclass(frozen=True)
class Stretch:
    """Expected and observed errors among the answers of a range of confidence.

    Attributes
    ----------
    low, high : float
        The confidences from `low` on and below `high`; a `high` of inf stands for all from `low` on.
    count : float
        Number of answers, or their weight.
    observed : float
        Number of errors; of graded answers what is lost, Σ (1 − correctness).
    expected : float
        Number of errors that the confidences imply, Σ (1 − c).
    errors_low, errors_high : float
        Interval of the number of errors. The intervals of all stretches hold together in 95% of samples or more, and
        each leaves out `expected` exactly if miscalibration was found there.
    p_value : float
        Two-sided p-value of as many errors, exact, of this stretch alone.
    found : bool
        Whether the number of errors is more than chance, among all stretches that were looked at. It is False where a
        part of the stretch is off in the other direction, and its interval holds the expected number.
    direction : {"overconfident", "underconfident"} or None
        What was found.
    grade : str
        The harm that was found, "negligible", "mild", "serious" or "unusable"; "none shown" where nothing was.
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
    """A verdict on confidences, and the numbers behind it; ``str`` gives the sentences.

    Attributes
    ----------
    text : str
        The verdict, in one or two sentences.
    p_value : float
        Joint p-value of calibrated confidences. NaN where there are too few errors to say.
    found : bool
        Whether miscalibration was found: the joint p-value is at most 0.05.
    grade : str
        The harm that the data show, by the near ends of the intervals: "negligible", "mild", "serious" or "unusable".
        "close to calibrated" where the far ends are negligible as well; "none shown" where nothing was found, and "too
        few to say" where 10 points of overconfidence could have been missed.
    grade_at_most : str
        The harm that may be there, by the far ends of the intervals: "negligible" to "unusable".
    n_samples : int
        Number of answers.
    confidence, accuracy : float
        Average confidence, and accuracy.
    accuracy_low, accuracy_high : float
        95% interval of the accuracy, which agrees with the test; of answers in groups it is that of new groups, and
        the interval of the gap is the one that agrees.
    gap, gap_low, gap_high : float
        Average confidence minus accuracy, and its 95% interval.
    observed_errors, expected_errors : float
        Number of errors, and the number that the confidences imply, Σ (1 − c). NaN of weighted answers, and of costs.
    levels : tuple of Stretch
        All answers, and those of confidences of 0.5, 0.9, 0.99, 0.999 and 1.0 or more, as far as there are any. Empty
        where only the gap is tested.
    overconfident, underconfident : Stretch or None
        The stretch with the strongest evidence of each, if any was found.
    detectable_over, detectable_under : float
        Overconfidence and underconfidence, as a gap, that are found in four of five such samples, or more. NaN where
        none could be.
    most_frequent : float
        Share of the most frequent class: the accuracy of always giving it. NaN where classes are not known.
    decisive : float or None
        Confidence of the one wrong answer without which nothing would have been found.
    decisive_row : int or None
        Its row, from 0, of predictions in memory.
    certain, certain_wrong : int
        Number of answers of a confidence of 1, and of errors among them.
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
        """Whether answers are right so seldom that labels, or columns of probabilities, may be in the wrong order."""
        return looks_swapped(self.accuracy_high, self.most_frequent)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The levels, and after them the two that carry the evidence, where these are no levels."""
        named = (self.overconfident, self.underconfident)
        return self.levels + tuple(each for each in named if each is not None and each not in self.levels)

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table: a row for each level, and for each stretch that carries the evidence.

        Returns
        -------
        DataFrame
            The fields of :class:`Stretch` as columns; no rows where only the gap is tested.
        """
        return pd.DataFrame([asdict(each) for each in self.stretches], columns=list(Stretch.__annotations__))
