"""A stated prevalence: rows drawn to its mix choose the threshold, and a factor corrects calibrated probabilities.

Rows drawn at random, as many of each class as a multinomial of the stated shares says, are independent draws from the
mixture: the guarantee of the rule for such rows holds for them as it is. If a class runs out of rows, everything is
rejected, which is no violation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.calibration._prevalence import by_factor, refuse_zeros
from skconf.profile import ConfidenceProfile
from skconf.selective._mix import Mix, draw_to_mix
from skconf.selective._objective import Objective
from skconf.selective._thresholds import Sweep, TunedThreshold


def check_corrects(calibration: Any, keep_prediction: bool) -> None:
    """Refuse parameters of a classifier that leave nothing to correct for another prevalence."""
    if calibration is None:
        raise ValueError(
            "prevalence needs calibrated probabilities: class weights, SMOTE and trees leave some that Bayes' factor "
            "makes worse. Set calibration='pooled'."
        )
    if keep_prediction:
        raise ValueError(
            "keep_prediction=True contradicts prevalence: the class that was most probable before need not be so where "
            "the classes have other shares. Leave one of them out."
        )
    refuse_zeros(calibration, "prevalence")


@dataclass(frozen=True)
class CorrectedCalibrator:
    """A fitted calibrator, and the factor of each class that its answers are multiplied by.

    Attributes
    ----------
    calibrator : calibrator
        Calibrated at the shares of the rows that it was fitted on.
    factor : ndarray of shape (n_classes,)
        The stated share over that of these rows.
    """

    calibrator: Any
    factor: Floats

    def predict_proba(self, proba: ArrayLike) -> Floats:
        """Return probabilities at the stated shares.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes)
            Raw probabilities.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return by_factor(np.asarray(self.calibrator.predict_proba(proba)), self.factor)


def corrected(calibrator: Any, codes: Codes, weight: Floats | None, shares: Floats) -> Any:
    """Return a calibrator that corrects from the shares of the rows it was fitted on to those that are stated.

    It is the given one where these are the same.
    """
    held = np.bincount(codes, weight, len(shares))
    if np.allclose(held / held.sum(), shares, rtol=1e-9, atol=0):
        return calibrator
    if not held.all():
        raise ValueError(
            "prevalence needs rows of every class in the part that calibrates, and one class has none. Pass more rows "
            "of it, or a larger part to calibrate on (cv)."
        )
    return CorrectedCalibrator(calibrator, shares * held.sum() / held)


def choose_at(profile: ConfidenceProfile, objective: Objective, mix: Mix, random_state: Any) -> TunedThreshold:
    """Return the best threshold where the classes have stated shares: by weights, or by rows drawn to their mix."""
    at = [weighed(profile, shares) for shares in mix.ends]
    if objective.level is None:
        mix.refuse_range()
        return objective.choose(at[0])
    codes = profile.require("true_class")
    drawn = [draw_to_mix(codes, shares, random_state) for shares in mix.ends]
    plain = profile.with_weight(None)
    if any(not len(rows) for rows in drawn):
        tuned = replace(objective.choose(plain[:1]), n_samples=0)
        return replace(tuned, reason="too few rows of a class for the prevalence that is stated")
    if len(drawn) == 1:
        tuned = objective.choose(plain[drawn[0]])
    else:
        tuned = _at_both_ends([plain[rows] for rows in drawn], objective)
    if not tuned.feasible:
        return replace(tuned, coverage=0.0, risk=np.nan)
    seen = [Sweep.of(_ranking(each), np.array([tuned.threshold])) for each in at]
    worst = max(seen, key=lambda sweep: sweep.risk[1])
    return replace(tuned, coverage=float(worst.coverage[1]), risk=float(worst.risk[1]))


def weighed(profile: ConfidenceProfile, shares: Floats) -> ConfidenceProfile:
    """Return a profile with weights of these shares."""
    return profile.at_prevalence(dict(zip(profile.require("classes").tolist(), shares.tolist(), strict=True)))


def by_class(profile: ConfidenceProfile, threshold: float) -> pd.DataFrame:
    """Return the share of each class that a threshold accepts, and the error rate of these."""
    classes, codes = profile.require("classes"), profile.require("true_class")
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    accepted = weight * (profile.score >= threshold)
    total, kept, wrong = (
        np.bincount(codes, terms, len(classes)) for terms in (weight, accepted, accepted * profile.loss)
    )
    with np.errstate(invalid="ignore"):
        return pd.DataFrame({"coverage": kept / total, "risk": wrong / kept}, index=pd.Index(classes, name="class"))


def _ranking(profile: ConfidenceProfile) -> Ranking:
    return Ranking.of(profile.score, profile.loss, profile.sample_weight)


def _at_both_ends(parts: Sequence[ConfidenceProfile], objective: Objective) -> TunedThreshold:
    """Return the loosest threshold shown at both ends of a range, each at half of what may fail.

    The risk is a quotient of linear functions of the share, so that the worst one is at an end.
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
        reason = stricter.reason or "no threshold was shown to keep the risk at both ends of the range"
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
