"""A stated prevalence: rows drawn to its mix choose the threshold, and a factor corrects calibrated probabilities.

Rows drawn at random, as many of each class as a multinomial of the stated shares says, are independent draws from the
mixture: the guarantee of the rule for such rows holds for them as it is. If a class runs out of rows, everything is
rejected, which is no violation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom
from sklearn.utils import check_random_state

from skconf._core.labels import Codes
from skconf._core.prevalence import check_share, read_shares
from skconf._core.probabilities import Floats
from skconf._core.ranking import Ranking
from skconf.calibration._prevalence import by_factor, refuse_zeros
from skconf.profile import ConfidenceProfile
from skconf.selective._objective import Objective
from skconf.selective._thresholds import Sweep, TunedThreshold

#: So many rows are drawn that a class runs out of them with at most this probability.
RUNS_OUT = 0.001


class Mix(NamedTuple):
    """The shares of the classes where a classifier is used; of a range, those at both ends.

    Attributes
    ----------
    ends : tuple of ndarray of shape (n_classes,)
        One, or two.
    """

    ends: tuple[Floats, ...]

    @classmethod
    def read(cls, prevalence: Any, classes: NDArray[Any]) -> "Mix":
        """Return the shares that are stated; of two classes, a pair is a range."""
        pairs = [(label, each) for label, each in _items(prevalence) if isinstance(each, tuple | list)]
        if not pairs:
            return cls((read_shares(prevalence, classes),))
        if len(classes) != 2 or len(pairs) > 1 or len(prevalence) > 1 or len(pairs[0][1]) != 2:
            raise ValueError(
                "prevalence has a range of shares, which is for one of two classes alone, as in {'fraud': (0.005, "
                "0.02)}. State the share of each class as one number."
            )
        label, (low, high) = pairs[0]
        if check_share(low, f"prevalence of {label!r}") >= check_share(high, f"prevalence of {label!r}"):
            raise ValueError(f"prevalence of {label!r} must rise from low to high, but is {low!r} to {high!r}.")
        return cls(tuple(read_shares({label: share}, classes) for share in (low, high)))

    @property
    def middle(self) -> Floats:
        """The shares by which probabilities are corrected: of a range, those in the middle of the log odds."""
        shares = np.exp(np.mean([np.log(end) for end in self.ends], axis=0))
        return self.ends[0] if len(self.ends) == 1 else np.asarray(shares / shares.sum())

    def refuse_range(self) -> None:
        """Raise where there is a range, which a confidence level needs."""
        if len(self.ends) > 1:
            raise ValueError(
                "prevalence has a range of shares, at both ends of which a risk is shown: set a confidence_level, or "
                "state one share."
            )


def _items(prevalence: Any) -> Any:
    return prevalence.items() if isinstance(prevalence, Mapping) else ()


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


def corrected(calibrator: Any, codes: Codes, weight: Floats | None, shares: Floats) -> CorrectedCalibrator:
    """Return a calibrator that corrects from the shares of the rows it was fitted on to those that are stated."""
    held = np.bincount(codes, weight, len(shares))
    if not held.all():
        raise ValueError(
            "prevalence needs rows of every class among those that calibrate, and one has none there. Pass more rows "
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


def draw_to_mix(codes: Codes, shares: Floats, random_state: Any) -> NDArray[np.intp]:
    """Return rows drawn to a mix of classes, ascending; none where a class has run out of them.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Class of each row.
    shares : ndarray of shape (n_classes,)
        The mix.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    ndarray
        Row numbers: independent draws from the mixture, if rows of a class are from it.
    """
    # A random stream of its own: the same seed also draws rows of clusters, and what is held out.
    rng = np.random.default_rng([*check_random_state(random_state).randint(2**31, size=4).tolist(), 1])
    held = np.bincount(codes, minlength=len(shares))
    counts = rng.multinomial(most_rows(held, shares), shares)
    if (counts > held).any():
        return np.empty(0, dtype=np.intp)
    members = [np.flatnonzero(codes == k) for k in range(len(shares))]
    drawn = [rng.choice(rows, count, replace=False) for rows, count in zip(members, counts, strict=True)]
    return np.sort(np.concatenate(drawn))


def most_rows(held: NDArray[np.intp], shares: Floats) -> int:
    """Return the largest number of rows of a mix for which these, by class, run out with a probability below 0.001."""
    low, high = 0, int(np.min((held + 1) / shares)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if binom.sf(held, middle, shares).sum() < RUNS_OUT:
            low = middle
        else:
            high = middle
    return low


def rows_by_class(n_rows: int, shares: Floats) -> NDArray[np.intp]:
    """Return how many rows of each class are enough to draw so many of the mix, unless one runs out."""
    return np.asarray(binom.isf(RUNS_OUT / len(shares), n_rows, shares), dtype=np.intp)
