"""The Bayesian bootstrap with phantom answers, which are added because a small sample may lack errors.

If errors are rare, a sample often has none of the errors that matter most, and its resamples then have none of them
either. Each draw therefore gives every sample an exponential weight, as in the Bayesian bootstrap, and adds phantom
answers. A phantom is an error in place of a random sample; on average it weighs half a sample. For a plain share, with
one wrong and one right phantom, this is Jeffreys' interval. The coverage was measured in simulations; it is not proved.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inference._evidence import ENOUGH, MOST_ROWS, errors_among, few_classes, rests_on_order_of_answers
from skconf.inference._resampling import replicate
from skconf.inference._sampling import Sampling, joined
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: Number of draws; their quantiles are the ends of the interval. And most rows among which the row of a phantom is
#: drawn.
N_DRAWS, MOST_PLACES = 2_000, 2_000


class Phantoms(NamedTuple):
    """The answers in the data and phantom answers, and how the weights of both are drawn.

    Attributes
    ----------
    given : ConfidenceProfile
        Answers in the data. If there are more than 10,000, all errors are kept, but only some right answers. If right
        answers are rarer, they are all kept, but only some errors.
    stands_for : ndarray of shape (n_given,)
        Number of answers that each given answer represents.
    added : ConfidenceProfile
        Phantom answers. Each has the largest weight of any sample.
    by_lot : list of slice
        Parts of the added answers. Each draw uses one random answer of each part. If there are no parts, each draw uses
        all added answers.
    unit : ndarray of shape (n_given,), default=None
        The group of each given answer. In each draw, the weights of all answers of a group are multiplied by the same
        factor. None if answers are independent.
    rows : float, default=1.0
        Number of answers that a phantom answer represents.
    """

    given: ConfidenceProfile
    stands_for: Floats
    added: ConfidenceProfile
    by_lot: Sequence[slice]
    unit: Codes | None = None
    rows: float = 1.0

    def draw(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw the factors of the weights.

        A given answer gets a sum of exponential variables, one for each answer that it represents. An added answer gets
        a variable Γ(½), times `rows`.
        """
        n_given = len(self.given)
        factors = np.empty((n_draws, n_given + len(self.added)))
        if self.unit is None:
            size = (n_draws, n_given)
            alone = np.all(self.stands_for == 1)  # the draws are the same, but faster
            factors[:, :n_given] = (
                rng.standard_exponential(size) if alone else rng.standard_gamma(self.stands_for, size)
            )
        else:
            factors[:, :n_given] = rng.standard_exponential((n_draws, self.unit.max() + 1))[:, self.unit]
        added = factors[:, n_given:]
        added[:] = 0.0 if self.by_lot else rng.standard_gamma(0.5, added.shape)
        for part in self.by_lot:
            chosen = rng.integers(part.start, part.stop, n_draws)
            added[np.arange(n_draws), chosen] = rng.standard_gamma(0.5, n_draws)
        added *= self.rows
        return factors

    def shift(self, statistic: Statistic, value: float) -> float:
        """Return the value of all answers minus that of the given answers, weighted by how many each represents."""
        if len(self.stands_for) == self.stands_for.sum():
            return 0.0
        weight = self.given.sample_weight
        standing = self.stands_for if weight is None else self.stands_for * weight
        return value - statistic.value(replace(self.given, sample_weight=standing))


def phantom_replicates(
    statistics: Sequence[Statistic],
    values: Sequence[float],
    profile: ConfidenceProfile,
    sampling: Sampling,
    resampling: Mapping[str, Any],
) -> list[Floats]:
    """Return the value of every statistic in each draw. Statistics with the same phantoms share the draws."""
    options = {name: value for name, value in resampling.items() if name not in ("n_resamples", "random_state")}
    alike: dict[Any, list[int]] = {}
    for i, statistic in enumerate(statistics):
        alike.setdefault(_kind(statistic, profile), []).append(i)
    replicates: list[Floats] = [np.empty(0)] * len(statistics)
    for several in alike.values():
        rng = np.random.default_rng(resampling.get("random_state"))  # the same draws, whatever else is computed
        some = [statistics[i] for i in several]
        phantoms = phantoms_for(some[0].metric, some[0].on(profile), sampling, rng)
        options |= {"random_state": rng, "beside": phantoms.added}
        drawn = replicate(phantoms.draw, [phantoms.given], some, N_DRAWS, **options)[:, 0]
        for i, column in zip(several, drawn.T, strict=True):
            replicates[i] = column + phantoms.shift(statistics[i], values[i])
    return replicates


def _kind(statistic: Statistic, profile: ConfidenceProfile) -> Any:
    """Return a key that is the same for statistics with the same phantoms."""
    metric, profile = statistic.metric, statistic.on(profile)
    counted, classes = metric.counted(profile), tuple(few_classes(metric, profile).tolist())
    accepted = None if counted is None else counted.tobytes()
    return statistic.pos_label, rests_on_order_of_answers(metric), accepted, classes


def phantoms_for(metric: Any, profile: ConfidenceProfile, sampling: Sampling, rng: np.random.Generator) -> Phantoms:
    """Return the phantoms of a metric.

    They are answers of the rare classes, if there are any. Else, if the metric depends on the order of answers, they
    are two answers, one at each end of the order. Else they are errors, right answers or both: those of which the data
    have few.

    If answers are in groups, a small sample may lack a whole group of errors. The weight of a phantom is then
    multiplied by the design effect.
    """
    classes, counted, share = few_classes(metric, profile), metric.counted(profile), errors_among(metric, profile)
    by_lot: list[slice] = []
    if len(classes):
        parts = [_of_class(code, profile) for code in classes]
    elif rests_on_order_of_answers(metric):
        parts = [_at_both_ends(profile, right=share.value > 0.5)]
    else:
        places = _with_weight(profile, counted)
        if len(places) > MOST_PLACES:
            places = rng.choice(places, MOST_PLACES, replace=False)
        few = [
            right
            for right, rarer in ((False, share.value), (True, 1 - share.value))
            if sampling.grouped or rarer * share.size < ENOUGH
        ]
        parts = [_at_places(places, profile, right) for right in few]
        by_lot = [slice(i * len(places), (i + 1) * len(places)) for i in range(len(few))]
    added = parts[0]
    for part in parts[1:]:
        added = joined(added, part)
    if profile.sample_weight is not None:
        weight = profile.sample_weight if counted is None else profile.sample_weight[counted]
        added = replace(added, sample_weight=np.full(len(added), weight.max()))
    if sampling.grouped:
        effect = sampling.design_effect(_effects_on_error_rate(profile))
        return Phantoms(profile, np.ones(len(profile)), added, by_lot, sampling.unit, effect)
    rare = (profile.correctness if share.value > 0.5 else profile.loss) != 0
    if len(classes):
        rare = rare | np.isin(profile.require("true_class"), classes)
    rows, stands_for = thinned(profile, rare)
    return Phantoms(profile if len(rows) == len(profile) else profile[rows], stands_for, added, by_lot)


def thinned(
    profile: ConfidenceProfile, rare: NDArray[np.bool_], stratum: Codes | None = None
) -> tuple[NDArray[np.intp], Floats]:
    """Return the rows of all rare answers and of some others, and the number of answers that each row represents.

    If strata are given, a row represents answers of its own stratum only.
    """
    if len(profile) <= MOST_ROWS:
        return np.arange(len(profile)), np.ones(len(profile))
    rest = np.flatnonzero(~rare)
    rest = rest[np.argsort(profile.confidence[rest], kind="stable")]
    rows, stands_for = [np.flatnonzero(rare)], [np.ones(int(rare.sum()))]
    for part in [rest] if stratum is None else [rest[stratum[rest] == s] for s in np.unique(stratum)]:
        size = min(len(part), math.ceil(MOST_ROWS * len(part) / max(len(rest), 1)))
        ends = np.linspace(0, len(part), size + 1).astype(np.intp)
        rows.append(part[(ends[1:] + ends[:-1]) // 2])
        stands_for.append(np.diff(ends).astype(np.float64))
    return np.concatenate(rows), np.concatenate(stands_for)


def _effects_on_error_rate(profile: ConfidenceProfile) -> Floats:
    """Return the effect of each answer on the error rate, up to a common factor."""
    effects = profile.loss - np.average(profile.loss, weights=profile.sample_weight)
    return np.asarray(effects if profile.sample_weight is None else profile.sample_weight * effects)


def _with_weight(profile: ConfidenceProfile, counted: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    """Return the rows that have weight and that a metric counts."""
    there = np.ones(len(profile), dtype=np.bool_) if counted is None else counted
    return np.flatnonzero(there if profile.sample_weight is None else there & (profile.sample_weight > 0))


def _at_places(places: NDArray[np.intp], profile: ConfidenceProfile, right: bool) -> ConfidenceProfile:
    """Return the answers of some samples, changed to right or to wrong ones.

    The true class of a wrong answer becomes the most probable of the other classes.
    """
    there = profile[places]
    given: dict[str, Any] = {"correctness": np.full(len(places), right)}
    if there.predicted_class is not None:
        true_class = there.predicted_class
        if not right:
            others = there.proba.astype(np.float64)
            others[np.arange(len(places)), there.predicted_class] = -1.0
            true_class = others.argmax(axis=1)
        given["true_class"] = true_class
    return replace(there, **given)


def _at_both_ends(profile: ConfidenceProfile, right: bool) -> ConfidenceProfile:
    """Return two answers: one with a higher and one with a lower confidence than all others."""
    there = profile[np.zeros(2, dtype=np.intp)]
    return replace(there, correctness=np.full(2, right), confidence=np.array([np.inf, -np.inf]))


def _of_class(code: int, profile: ConfidenceProfile) -> ConfidenceProfile:
    """Return three answers with confidence 1 about a class: a true positive, a false negative, a false positive."""
    n_classes, support = len(profile.require("classes")), np.bincount(profile.require("true_class"))
    other = int(np.argmax(np.where(np.arange(len(support)) == code, -1, support)))
    if other == code:  # no other class is there
        other = (code + 1) % n_classes
    true_class, predicted = np.array([code, code, other]), np.array([code, other, code])
    sure = np.ones(3)
    there = replace(
        profile[np.zeros(3, dtype=np.intp)], given_proba=np.eye(n_classes, dtype=profile.proba.dtype)[predicted]
    )
    return replace(
        there,
        correctness=true_class == predicted,
        confidence=sure,
        score=sure if profile.ranks_by_confidence else np.full(3, profile.score.max()),
        true_class=true_class,
        predicted_class=predicted,
    )
