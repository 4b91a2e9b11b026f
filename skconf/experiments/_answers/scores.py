"""Answers with raw and with calibrated confidences, from which the ECUAS paper's tables are computed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from skconf._core.probabilities import Floats
from skconf.calibration import PlattCalibrator
from skconf.calibration._logistic import sigmoid
from skconf.calibration._platt import fit_sigmoid
from skconf.experiments._answers.files import AnswerFile
from skconf.profile import ConfidenceProfile

#: The columns of the paper's tables. It does not say how many bins its ECE has; its code for Table 3 has 10.
METRICS: dict[str, Any] = {
    "error_rate": ("selective_risk_loss", {"threshold": 0.0}),
    "ece": ("expected_calibration_error", {"n_bins": 10}),
    "auc_confidence": "confidence_roc_auc_score",
    "cross_entropy_confidence": "confidence_log_loss",
    "brier_confidence": "confidence_brier_loss",
    "aurc": "aurc_loss",
    **{f"ecuas_{n}": ("ecuas_loss", {"n": n}) for n in (0, 1, 128)},
}
#: Metrics that need only the order of the answers, and no probabilities.
_RANKED = ("error_rate", "auc_confidence", "aurc")
_FOLDS = 5


class Scored:
    """The answers of a file by one grader, with raw and with calibrated confidences."""

    def __init__(self, file: AnswerFile, grader: str, seed: int) -> None:
        self.file, self.grader = file, grader
        self.rows = file.rows(grader)
        self.correct = file.grades[grader] == 1
        self.scores = {"raw": file.confidence, "calibrated": np.full(len(self.rows), np.nan)}
        if not file.is_probability:
            ranks = rankdata(file.confidence, nan_policy="omit")
            self.scores["raw"] = ranks / (len(ranks) + 1)
        rows = np.flatnonzero(self.rows)
        self.scores["calibrated"][rows] = cross_fitted(
            file.confidence[rows], self.correct[rows], seed, is_probability=file.is_probability
        )

    @property
    def key(self) -> dict[str, str]:
        """The task, system, method and grader."""
        return {"task": self.file.task, "system": self.file.system, "method": self.file.method, "grader": self.grader}

    def quantities(self, scores: str) -> tuple[str, ...]:
        """Return the names of the metrics: all, or those that need no probabilities if these scores are only ranks."""
        return tuple(METRICS) if scores == "calibrated" or self.file.is_probability else _RANKED

    def profile(self, scores: str, rows: NDArray[Any]) -> ConfidenceProfile:
        """Return the profile of the answers in some rows."""
        return ConfidenceProfile.from_correctness(self.correct[rows], self.scores[scores][rows])


def cross_fitted(confidence: Floats, correct: NDArray[np.bool_], seed: int, *, is_probability: bool) -> Floats:
    """Return calibrated confidences; the calibrator of each fold is fitted to the other folds.

    They are NaN if there are too few right or wrong answers. The calibrator uses the logit of confidences that are
    probabilities, and other confidences unchanged.
    """
    out = np.full(len(confidence), np.nan)
    rarer = int(min(correct.sum(), (~correct).sum()))
    if rarer < 2:
        return out
    folds = StratifiedKFold(min(_FOLDS, rarer), shuffle=True, random_state=seed)
    for train, test in folds.split(confidence, correct):
        if is_probability:
            calibrator = PlattCalibrator().fit(np.clip(confidence[train], 0, 1), correct[train], labels=[False, True])
            out[test] = calibrator.predict_proba(np.clip(confidence[test], 0, 1))[:, 1]
        else:
            slope, height = fit_sigmoid(confidence[train], correct[train], np.ones(len(train)))
            out[test] = sigmoid(slope * confidence[test] + height)
    return out
