"""The result of an assessment: a verdict on confidences, and the numbers it rests on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class TopErrors:
    """Expected and observed errors among the answers at or above a confidence.

    Attributes
    ----------
    confidence : float
        Where the top begins.
    count, wrong : int
        Number of answers there, and of errors among them.
    announced : float
        Number of errors that their confidences announce, Σ (1 − c).
    low, high : float
        95 % interval of `wrong` / `announced`, exact for a Poisson number.
    p_value : float
        One-sided p-value of as many errors, exact.
    """

    confidence: float
    count: int
    wrong: int
    announced: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """A verdict on confidences, and the numbers behind it; ``str`` gives the sentence.

    Attributes
    ----------
    text : str
        The verdict as a sentence.
    p_value : float
        Joint p-value of calibrated confidences: that of the smallest p-value of gap, size ratio, errors at the top and
        smooth error among those of the same draws.
    n_samples : int
        Number of answers.
    confidence, accuracy : float
        Mean confidence and accuracy.
    accuracy_low, accuracy_high : float
        95 % interval of the accuracy, by Clopper and Pearson; of a weighted one by the normal distribution.
    gap, gap_low, gap_high : float
        Mean confidence less accuracy, and its 95 % interval.
    wrong, announced : float
        Number of errors, and the number that the confidences announce, Σ (1 − c). NaN of weighted answers.
    size_ratio : float
        Calibrated size ratio.
    tops : tuple of TopErrors
        Errors at .9, .99 and .999 or more, if there are such answers.
    smooth_error : float
        Smooth calibration error at a bandwidth of .05.
    gap_p_value, top_p_value, shape_p_value : float
        P-values of the three parts: the gap (two-sided, exact), the top (size ratio and errors there, one-sided), and
        the shape (smooth error). NaN where a part is not tested.
    gap_holds, top_holds, shape_holds : bool
        Whether the p-value of a part is at most .05 after Holm's adjustment for the three, and the joint one, too.
    detectable_gap, detectable_ratio : float
        The gap, and the ratio of errors to announced ones, that four of five such samples would have shown. NaN where
        something was found, or the ratio cannot be estimated.
    decisive : float or None
        Confidence of the one wrong answer without which nothing would have been found.
    decisive_row : int or None
        Its row, from 0, of predictions in memory.
    certain, certain_wrong : int
        Number of answers of a confidence of 1, and of errors among them.
    """

    text: str = ""
    p_value: float
    n_samples: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    gap: float
    gap_low: float
    gap_high: float
    wrong: float = np.nan
    announced: float = np.nan
    size_ratio: float = np.nan
    tops: tuple[TopErrors, ...] = ()
    smooth_error: float = np.nan
    gap_p_value: float
    top_p_value: float = np.nan
    shape_p_value: float = np.nan
    gap_holds: bool
    top_holds: bool = False
    shape_holds: bool = False
    detectable_gap: float = np.nan
    detectable_ratio: float = np.nan
    decisive: float | None = None
    decisive_row: int | None = None
    certain: int = 0
    certain_wrong: int = 0

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Assessment({self.text!r}, p_value={self.p_value:.2g})"

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table: a row for the gap, the size ratio, errors at each top, and the smooth error.

        Returns
        -------
        DataFrame
            Columns `value`, `low`, `high`, `wrong`, `announced`, `p_value`, `holds` (of the part: gap, top or shape)
            and `detectable`.
        """
        nan = np.nan
        rows: dict[str, tuple[Any, ...]] = {
            "gap": (
                *(self.gap, self.gap_low, self.gap_high, self.wrong, self.announced),
                *(self.gap_p_value, self.gap_holds, self.detectable_gap),
            ),
            "size ratio": (self.size_ratio, *[nan] * 4, self.top_p_value, self.top_holds, self.detectable_ratio),
        }
        for top in self.tops:
            ratio = top.wrong / top.announced if top.announced else (np.inf if top.wrong else nan)
            rows[f"errors at {top.confidence:g} or more"] = (
                *(ratio, top.low, top.high, top.wrong, top.announced),
                *(top.p_value, self.top_holds, nan),
            )
        rows["smooth error"] = (self.smooth_error, *[nan] * 4, self.shape_p_value, self.shape_holds, nan)
        columns = ["value", "low", "high", "wrong", "announced", "p_value", "holds", "detectable"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns)
