"""Columns that several metrics read: found once of a block, so that sums of them are, too."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.bins import equal_width_bin
from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.profile import ConfidenceProfile


def lost(profile: ConfidenceProfile) -> NDArray[Any]:
    """Return what each answer loses."""
    return profile.once("loss", lambda of: of.loss)


def sure_and_right(profile: ConfidenceProfile) -> Floats:
    """Return c z, the confidence of right answers, and 0 of the others."""
    return profile.once("c z", lambda of: of.confidence * of.correctness.astype(np.float64))


def sure_and_wrong(profile: ConfidenceProfile) -> Floats:
    """Return the confidence of wrong answers, and 0 of the others."""
    return profile.once("c (1 - z)", lambda of: of.confidence * lost(of).astype(np.float64))


def doubt(profile: ConfidenceProfile) -> Floats:
    """Return 1 − c."""
    return profile.once("1 - c", lambda of: 1 - of.confidence, of_confidence=True)


def scored_from(profile: ConfidenceProfile, threshold: float) -> NDArray[np.bool_]:
    """Return which answers have a score of a threshold or more."""
    return profile.once(f"score >= {threshold!r}", lambda of: of.score >= threshold, of_confidence=True)


def bins_of_confidence(profile: ConfidenceProfile, n_bins: int) -> Codes:
    """Return the bin of equal width of each confidence."""
    return profile.once(f"{n_bins} bins", lambda of: equal_width_bin(of.confidence, n_bins), of_confidence=True)


def given_to_truth(profile: ConfidenceProfile) -> Floats:
    """Return the probability given to the true class."""
    return profile.once("p of truth", _given_to_truth)


def _given_to_truth(profile: ConfidenceProfile) -> Floats:
    proba, true_class = profile.proba, profile.require("true_class")
    if proba.shape[1] == 2:  # without a gather, which takes several times as long
        return np.where(true_class == 1, proba[:, 1], proba[:, 0]).astype(np.float64)
    return proba[np.arange(len(profile)), true_class].astype(np.float64)
