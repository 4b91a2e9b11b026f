"""Intervals for weighted strata: a Bayesian bootstrap within each stratum, with phantom answers; and a closed form.

Sometimes classes are weighted to other shares than they have in the sample. A class with nearly all the weight may then
show few errors or none, and influence values add no variance for it. With influence values, 95% intervals of the
accuracy covered the truth only with a probability of 0.33 to 0.86. Each stratum therefore draws weights for its own
rows, for a phantom error and for a phantom right answer. Both phantoms have a weight of Γ(½). The stratum keeps its
share of the total weight. If the phantom error had this weight in each draw, every draw of a class with few errors
would have more errors than the sample, and a true value near 0 would lie below the interval. So if a stratum has e < 10
errors, the phantom error has only e/10 of this weight in half of the draws. In the other half, the phantom right answer
is made lighter in the same way, if right answers are few. The interval covers the quantiles of both halves. From ten
errors and ten right answers on, both halves are alike. A phantom right answer has the confidence of another row of the
stratum. In some draws it has the lowest confidence of all rows, because the sample may have no rows of low confidence
by chance. The coverage was measured in simulations; it is not proved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf.inference._bayesian_bootstrap import N_DRAWS, thinned
from skconf.inference._resampling import replicate
from skconf.inference._sampling import Sampling, joined
from skconf.metrics._base.stratified_shares import mover
from skconf.profile import ConfidenceProfile
from skconf.scoring._names import Statistic

#: The row of a phantom is drawn among this many rows of its stratum.
_PLACES = 250
#: With this many errors or more, each draw has a phantom error with its whole weight. Chosen in simulations.
_PLENTY = 10.0


class _Draws(NamedTuple):
    """Draws of weights within strata, for rows and for phantom rows. A stratum has the same weight in each draw.

    Attributes
    ----------
    stands_for : ndarray of shape (n_given,)
        Number of rows that each given row stands for: of very many rows, only some are drawn (see `thinned`).
    weight, stratum : ndarray of shape (n_given + n_added,)
        Weight and stratum of each row: of the given rows, and then of the added phantom rows.
    total : ndarray of shape (n_strata,)
        Total weight of each stratum.
    by_lot : list of slice
        Parts of the phantom rows. Each draw uses one random row of each part.
    times : ndarray of shape (n_kinds, n_parts)
        For each kind of draws, the factors by which the weights of these random rows are multiplied.
    """

    stands_for: Floats
    weight: Floats
    stratum: Codes
    total: Floats
    by_lot: Sequence[slice]
    times: Floats

    def draw(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draw the factors of the weights. Each draw has one row of factors for each kind."""
        n_given, n_kinds = len(self.stands_for), len(self.times)
        factors = np.zeros((n_draws, n_kinds, len(self.weight)))
        if np.all(self.stands_for == 1):
            given = rng.standard_exponential((n_draws, n_given))  # the same distribution, but faster
        else:
            given = rng.standard_gamma(self.stands_for, (n_draws, n_given))
        weights = np.zeros((len(self.weight), len(self.total)))  # by row and stratum
        weights[np.arange(len(self.weight)), self.stratum] = self.weight
        drawn = given @ weights[:n_given]
        chosen = [rng.integers(part.start, part.stop, n_draws) for part in self.by_lot]
        phantoms = rng.standard_gamma(0.5, (len(self.by_lot), n_draws))
        for kind, times in enumerate(self.times):
            added = factors[:, kind, n_given:]
            for columns, part in zip(chosen, times[:, np.newaxis] * phantoms, strict=True):
                added[np.arange(n_draws), columns] = part
            scale = self.total / (drawn + added @ weights[n_given:])
            np.multiply(given, scale[:, self.stratum[:n_given]], out=factors[:, kind, :n_given])
            added *= scale[:, self.stratum[n_given:]]
        return factors.reshape(n_draws * n_kinds, -1)


def draws_within_strata(
    statistics: Sequence[Statistic],
    profiles: Sequence[ConfidenceProfile],
    sampling: Sampling,
    resampling: Mapping[str, Any],
) -> Floats:
    """Return draws of every statistic, for the predictions of one model or of several models for the same rows.

    With several models, each stratum has one phantom row for each model: in this row, only that model is wrong. With a
    single model, each stratum has two phantom rows: in one, the model is wrong; in the other, it is right. Draws of two
    kinds alternate. In the first kind, the wrong phantom is lighter if errors are few. In the second kind, the right
    phantom is lighter if right answers are few. The shape is (n_draws, n_profiles, n_statistics).
    """
    options = {name: value for name, value in resampling.items() if name not in ("n_resamples", "random_state")}
    rng = np.random.default_rng(resampling.get("random_state"))
    stratum = sampling.stratum_of_samples()
    there = np.flatnonzero(stratum >= 0)
    profiles, stratum = [profile[there] for profile in profiles], stratum[there]
    places = []
    for s in range(len(sampling.sizes)):
        rows = np.flatnonzero(stratum == s)
        places.append(rng.choice(rows, _PLACES, replace=False) if len(rows) > _PLACES else rows)
    single = len(profiles) == 1
    by_part = [np.tile(rows, times) for rows in places for times in ((1, 2) if single else (1,) * len(profiles))]
    parts = [slice(*pair) for pair in pairwise(np.cumsum([0, *map(len, by_part)]).tolist())]
    chosen = np.concatenate(by_part)
    rare = np.any([profile.loss != 0 for profile in profiles], axis=0)
    kept, stands_for = thinned(profiles[0], rare, stratum)
    whole = profiles[0].sample_weight
    weight = np.ones(len(stratum)) if whole is None else whole
    largest = np.array([weight[stratum == s].max() for s in range(len(places))])
    times = np.ones((1, len(parts)))
    if single:
        times = np.tile(times, (2, 1))
        errors, right = _counts(profiles[0].loss, weight, stratum)
        times[0, ::2], times[1, 1::2] = np.minimum(errors / _PLENTY, 1), np.minimum(right / _PLENTY, 1)
    draws = _Draws(
        stands_for,
        np.append(weight[kept], largest[stratum[chosen]]),
        np.append(stratum[kept], stratum[chosen]),
        np.bincount(stratum, weight).astype(np.float64),
        parts,
        times,
    )
    seed = int(rng.integers(1 << 62))  # the same draws for all models
    drawn = []
    for i, profile in enumerate(profiles):
        added = reduce(joined, [part for rows in places for part in _phantoms(profile, rows, i, len(profiles))])
        added = replace(added, sample_weight=largest[stratum[chosen]])
        given = replace(profile[kept], sample_weight=weight[kept])
        values = replicate(draws.draw, [given], statistics, N_DRAWS, random_state=seed, beside=added, **options)[:, 0]
        if len(kept) < len(profile):
            standing = replace(given, sample_weight=weight[kept] * stands_for)
            values += [each.value(profile) - each.value(standing) for each in statistics]
        drawn.append(values)
    return np.stack(drawn, axis=1)


def _counts(loss: Floats, weight: Floats, stratum: Codes) -> tuple[Floats, Floats]:
    """Return how many errors and right answers each stratum has; effective numbers if weights differ."""
    total, squares, lost = (np.bincount(stratum, terms) for terms in (weight, weight**2, weight * loss))
    size = total**2 / squares
    errors = size * lost / total
    return errors, size - errors


def _phantoms(profile: ConfidenceProfile, rows: NDArray[np.intp], model: int, n_models: int) -> list[ConfidenceProfile]:
    """Return the phantom answers of a model at some rows of a stratum."""
    there = profile[rows]
    if n_models > 1:
        return [_turned(there, wrong != model) for wrong in range(n_models)]
    doubtful = profile[np.full(len(rows), profile.confidence.argmin())]
    return [_turned(there, False), _turned(there, True), _turned(replace(doubtful, true_class=there.true_class), True)]


def _turned(there: ConfidenceProfile, right: bool) -> ConfidenceProfile:
    """Return the answers, all made right or all made wrong. Their confidences and true classes stay.

    If a wrong answer is made right, the probabilities of the true and the predicted class change places. If a right
    answer is made wrong, the probabilities of the predicted and the second best class change places.
    """
    given: dict[str, Any] = {"correctness": np.full(len(there), right)}
    if there.predicted_class is not None and there.given_proba is not None:
        rows, truth, predicted = np.arange(len(there)), there.require("true_class"), there.predicted_class.copy()
        proba = np.array(there.proba)
        turn = (predicted == truth) != right
        if right:
            other = truth
        else:
            rest = proba.astype(np.float64)
            rest[rows, truth] = -1.0
            other = rest.argmax(axis=1)
        rows, other = rows[turn], other[turn]
        mine = predicted[turn]
        proba[rows, mine], proba[rows, other] = proba[rows, other], proba[rows, mine]
        predicted[turn] = other
        given |= {"given_proba": proba, "predicted_class": predicted}
        if there.decided is not None and there.decisions is None:
            given["decided"] = predicted
    turned = replace(there, **given)
    return turned if there.ranks_by_confidence is turned.ranks_by_confidence else replace(turned, score=there.score)


def mover_ends(
    statistic: Statistic, profile: ConfidenceProfile, sampling: Sampling, confidence_level: float
) -> tuple[float, float, float]:
    """Return the interval of a weighted sum of shares from Jeffreys' intervals of the strata, by MOVER.

    Zou and Donner, Construction of confidence limits about effect measures: a general approach, Statistics in Medicine
    27, 2008.
    """
    counted = np.broadcast_to(statistic.metric.ratio(profile)[0], len(profile)).astype(np.float64)
    stratum = sampling.stratum_of_samples()
    there = stratum >= 0
    weight = np.ones(len(profile)) if profile.sample_weight is None else profile.sample_weight
    mass = np.bincount(stratum[there], weight[there]) / weight.sum()
    hits = np.bincount(stratum[there], counted[there]).astype(np.float64)
    share = hits / sampling.sizes
    ends = mover(mass, hits, sampling.sizes, confidence_level)
    scores = sorted(float(statistic.score(end)) for end in ends)
    return scores[0], scores[1], float(np.sqrt((mass**2 * share * (1 - share) / sampling.sizes).sum()))
