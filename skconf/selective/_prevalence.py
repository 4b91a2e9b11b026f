"""A given prevalence: the threshold is chosen on rows drawn to it, and probabilities are corrected to it.

Rows are drawn at random. A multinomial distribution with the given shares says how many rows of each class are drawn.
Such rows are independent draws from the mixture, so what they guarantee holds for the mixture. If a class has too few
rows, everything is rejected, which violates no guarantee.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.calibration._prevalence import by_factor, refuse_zeros
from skconf.profile import ConfidenceProfile
from skconf.selective._mix import Mix, draw_to_mix
from skconf.selective._objective import Objective
from skconf.selective._thresholds import Sweep, TunedThreshold


def check_corrects(calibration: Any, keep_prediction: bool) -> None:
    """Refuse parameters of a classifier that exclude a correction for another prevalence."""
    if calibration is None:
        raise ValueError(
            "prevalence needs calibrated probabilities. Class weights, SMOTE and trees give uncalibrated "
            "probabilities, and the correction for the prevalence makes them worse. Set calibration='pooled'."
        )
    if keep_prediction:
        raise ValueError(
            "keep_prediction=True contradicts prevalence: if the classes have other shares, another class may be the "
            "most probable one. Leave out keep_prediction or prevalence."
        )
    refuse_zeros(calibration, "prevalence")


@dataclass(frozen=True)
class CorrectedCalibrator:
    """A fitted calibrator whose probabilities are corrected to given class shares.

    Attributes
    ----------
    calibrator : calibrator
        The calibrator before the correction, fitted on calibration rows with other class shares.
    factor : ndarray of shape (n_classes,)
        For each class, the factor by which its probability is multiplied before the probabilities are scaled to sum to
        one: the given share of the class divided by its share in the calibration rows.
    """

    calibrator: Any
    factor: Floats

    def predict_proba(self, proba: ArrayLike) -> Floats:
        """Return probabilities at the given shares."""
        return by_factor(np.asarray(self.calibrator.predict_proba(proba)), self.factor)


def corrected(calibrator: Any, codes: Codes, weight: Floats | None, shares: Floats) -> Any:
    """Return a calibrator whose probabilities are corrected to the given shares.

    If the rows on which the calibrator was fitted have these shares, it is returned unchanged.
    """
    held = np.bincount(codes, weight, len(shares))
    if np.allclose(held / held.sum(), shares, rtol=1e-9, atol=0):
        return calibrator
    if not held.all():
        raise ValueError(
            "prevalence needs calibration rows of every class, but one class has none. Pass more rows of each class, "
            "or set cv to hold out more rows for the calibration."
        )
    return CorrectedCalibrator(calibrator, shares * held.sum() / held)


def choose_at(profile: ConfidenceProfile, objective: Objective, mix: Mix, random_state: Any) -> TunedThreshold:
    """Return the best threshold for given class shares: by weights or, with a confidence level, on drawn rows."""
    at = [weighed(profile, shares) for shares in mix.ends]
    if objective.level is None:
        mix.refuse_range()
        return objective.choose(at[0])
    codes = profile.require("true_class")
    drawn = [draw_to_mix(codes, shares, random_state) for shares in mix.ends]
    plain = profile.with_weight(None)
    if any(not len(rows) for rows in drawn):
        tuned = replace(objective.choose(plain[:1]), n_samples=0)
        return replace(tuned, reason="a class has too few rows for the given prevalence")
    if len(drawn) == 1:
        tuned = objective.choose(plain[drawn[0]])
    else:
        tuned = _at_both_ends([plain[rows] for rows in drawn], objective)
    if not tuned.feasible:
        return replace(tuned, coverage=0.0, risk=np.nan)
    seen = [Sweep.of(each.ranking, np.array([tuned.threshold])) for each in at]
    worst = max(seen, key=lambda sweep: sweep.risk[1])
    return replace(tuned, coverage=float(worst.coverage[1]), risk=float(worst.risk[1]))


def weighed(profile: ConfidenceProfile, shares: Floats) -> ConfidenceProfile:
    """Return a profile with weights, so that the classes have these shares."""
    return profile.at_prevalence(dict(zip(profile.require("classes").tolist(), shares.tolist(), strict=True)))


def by_class(profile: ConfidenceProfile, threshold: float) -> pd.DataFrame:
    """Return the accepted share of each class at a threshold, and the error rate of its accepted samples."""
    classes, codes = profile.require("classes"), profile.require("true_class")
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    accepted = weight * (profile.score >= threshold)
    total, kept, wrong = (
        np.bincount(codes, terms, len(classes)) for terms in (weight, accepted, accepted * profile.loss)
    )
    with np.errstate(invalid="ignore"):
        return pd.DataFrame({"coverage": kept / total, "risk": wrong / kept}, index=pd.Index(classes, name="class"))


def _at_both_ends(parts: Sequence[ConfidenceProfile], objective: Objective) -> TunedThreshold:
    """Return the loosest threshold that is shown to meet the target at both ends of a range of shares.

    Each end gets half of the error probability. The risk is a quotient of linear functions of the share, so it is
    largest at one of the ends.
    """
    half = replace(objective, n_candidates=2 * objective.n_candidates)
    if half.thresholds is None:
        each = [half.choose(part).results["threshold"] for part in parts]
        half = replace(half, thresholds=np.unique(np.concatenate([grid[np.isfinite(grid)] for grid in each])))
    found = [half.choose(part) for part in parts]
    shown = np.all([~np.isnan(each.results["objective"]) for each in found], axis=0)
    best = int(np.flatnonzero(shown)[-1])
    stricter = max(found, key=lambda each: each.threshold)
    if best == 0:
        unshown = "no threshold was shown to meet the target at both ends of the given range of class shares"
        reason = stricter.reason or unshown
        return replace(stricter, threshold=np.inf, feasible=False, risk_upper_bound=np.nan, reason=reason)
    bound = max(float(each.results["risk_upper_bound"][best]) for each in found)
    threshold = float(stricter.results["threshold"][best])
    return replace(
        stricter,
        threshold=min(threshold, stricter.threshold) if best == len(shown) - 1 else threshold,
        feasible=True,
        risk_upper_bound=bound,
        n_samples=min(each.n_samples for each in found),
        reason="",
    )
