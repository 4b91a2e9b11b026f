"""The mathematics of a pool of calibrators: folds, weights of members, and lowered confidences near 1."""

from collections.abc import Iterator
from itertools import islice
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.warn import collected
from skconf.calibration._base import EPS, fit_checked, rows_to_one
from skconf.calibration._bayesian import BayesianCalibrator
from skconf.calibration._bent import BentTemperatureCalibrator, LineCalibrator, order_of_rows
from skconf.calibration._isotonic import SMOOTHING, IsotonicCalibrator
from skconf.calibration._matrix import MatrixCalibrator
from skconf.calibration._softmax import TemperatureCalibrator
from skconf.calibration._spline import QuadraticCalibrator, SplineCalibrator

#: The prior on the weights of members counts as this many samples. Values from 1 to 32 were tried, with few and with
#: many samples; those in the middle were best, by little.
_PRIOR_SAMPLES = 8.0

#: A member's prior is divided by e for each unit by which its log loss, summed over n samples, is above the log loss L
#: of the best member. The unit is `_LAG` √n nats. If L is small, chance is small, too, so the unit is at most
#: `_LAG_OF_LOSS` √L, but this is set to no less than `_LEAST_LAG`.
_LAG, _LAG_OF_LOSS, _LEAST_LAG = 0.5, 2.0, 0.1

#: With two classes and n samples, the Bayesian calibrator has half of the prior, apart from `_ALWAYS`. Of the other
#: half, the spline and the steps (smoothed isotonic regression) have n / (n + 200). Of this part, the steps have up to
#: a quarter: 0.25 n / (n + 1000).
_SPLINE_HALF, _STEPS_HALF, _STEPS = 200.0, 1000.0, 0.25
#: The part of the prior that the steps, the line and the parabola have for any number of samples.
_ALWAYS = np.array([0.0, 0.0, 0.0, 0.03, 0.0, 0.05, 0.05])

#: With more classes than `_MOST_STEPPED`, smoothed isotonic regression before a matrix takes too long for what it
#: gains. A matrix is used for n samples of K classes if K² is at most `_MATRIX_SAMPLES` n.
_MOST_STEPPED, _MATRIX_SAMPLES = 31, 4

#: Folds are predicted until there are this many predictions. More would say little about a handful of weights.
_ENOUGH = 2000

#: The fewest folds, and the most. From 10,000 samples on, a fold has 2,000 samples.
_N_FOLDS, _MOST_FOLDS = 5, 10_000

#: To judge members, it is enough to fit them on `_LEARN` samples of the other folds, or on `_LEARN_PAIR` K² of them if
#: that is more.
_LEARN_PAIR, _LEARN = 100, 4000
#: If fewer of these samples belong to the rarest class, members are fitted on all other folds.
_LEARN_RARE = 50


def default_members(n_classes: int, n_samples: float) -> tuple[list[Any], Floats]:
    """Return members and prior weights. With few samples, the weights favour members with few parameters."""
    temperature = TemperatureCalibrator(smoothing=1.0)
    rigid: list[Any] = [None, temperature]
    isotonic = IsotonicCalibrator(smoothing=SMOOTHING)
    if n_classes == 2:
        flexible = n_samples / (n_samples + _SPLINE_HALF)
        steps = _STEPS * flexible * n_samples / (n_samples + _STEPS_HALF)
        prior = np.array([(1 - flexible) / 2, (1 - flexible) / 2, flexible - steps, steps, 1.0, 0.0, 0.0]) / 2
        members = [*rigid, SplineCalibrator(), isotonic, BayesianCalibrator(), LineCalibrator(), QuadraticCalibrator()]
        return members, (1 - _ALWAYS.sum()) * prior + _ALWAYS
    bent = BentTemperatureCalibrator(base=temperature)
    members = [*rigid, bent, BentTemperatureCalibrator(shifted=True, base=bent)]
    n_parameters = [0, 1, 3, 3 + n_classes]
    if n_classes**2 <= _MATRIX_SAMPLES * n_samples:
        members.append(MatrixCalibrator(ridge=1 / 16, base=temperature))
        n_parameters.append(n_classes**2)
        if n_classes <= _MOST_STEPPED:
            members.append(MatrixCalibrator(ridge=1 / 16, base=isotonic))
            n_parameters.append(n_classes**2 + 5 * n_classes)
    prior = 1 / (1 + 3 / n_samples * np.array(n_parameters))
    return members, prior / prior.sum()


def scales_absent(member: Any) -> bool:
    """Return whether a member can calibrate a class that has no samples, by what it learned from other classes."""
    bent = isinstance(member, BentTemperatureCalibrator) and not member.shifted
    return member is None or bent or isinstance(member, TemperatureCalibrator)


def fitted(members: list[Any], proba: Floats, codes: Codes, sample_weight: Floats) -> list[Any]:
    """Return new, fitted members. A member None means the raw probabilities.

    If a member is the base of another member, it is fitted once for both. If a class has no samples, the other member
    leaves this class out, and so fits the base again.
    """
    made = dict[int, Any]()
    shared = bool(np.bincount(codes, minlength=proba.shape[1]).all())
    with collected():  # warnings that name classes by numbers unknown to the user
        for member in members:
            if member is None:
                continue
            new = clone(member)
            if shared and (base := made.get(id(getattr(member, "base", None)))) is not None:
                new.base = FrozenEstimator(base)
            made[id(member)] = fit_checked(new, proba, codes, sample_weight)
    return [None if member is None else made[id(member)] for member in members]


def predicted(members: list[Any], proba: Floats) -> list[Floats]:
    """Return every member's probabilities."""
    return [proba if member is None else member.predict_proba(proba) for member in members]


def pool(proba: list[Floats], weights: Floats) -> Floats:
    """Return the weighted mean of members' probabilities."""
    out = np.zeros_like(proba[0])
    for member, weight in zip(proba, weights, strict=True):
        out += weight * member
    return rows_to_one(out)


def out_of_fold(
    members: list[Any], proba: Floats, codes: Codes, sample_weight: Floats
) -> tuple[list[Floats], Codes, Floats]:
    """Return out-of-fold probabilities of the members, with the classes and weights of the samples."""
    by_member: list[list[Floats]] = [[] for _ in members]
    rows, weights = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    for kept, held in _rounds(proba, codes, sample_weight):
        learned = np.flatnonzero(kept > 1e-9 * sample_weight)
        seen = np.unique(codes[learned])
        asked = np.flatnonzero((held > 0) & np.isin(codes, seen))  # members have learned nothing about other classes
        if not len(asked) or len(seen) < 2:
            continue
        models = fitted(members, proba[learned], codes[learned], kept[learned])
        for parts, answers in zip(by_member, predicted(models, proba[asked]), strict=True):
            parts.append(answers)
        rows.append(asked)
        weights.append(held[asked])
        if sum(part.sum() for part in weights) >= _ENOUGH:
            break
    every = [np.concatenate([proba[:0], *parts]) for parts in by_member]
    return every, codes[np.concatenate(rows)], np.concatenate(weights)


def _rounds(proba: Floats, codes: Codes, sample_weight: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield, for each fold, how much of every sample's weight is for training and how much is held out."""
    total = float(sample_weight.sum())
    n_folds = min(max(_N_FOLDS, int(total / _ENOUGH)), _MOST_FOLDS)
    enough = max(_LEARN, _LEARN_PAIR * proba.shape[1] ** 2)
    n_learned = min(n_folds - 1, ceil(n_folds * enough / total))
    if np.bincount(codes, sample_weight).min() * n_learned < _LEARN_RARE * n_folds:
        n_learned = n_folds - 1
    folds = fold_weights(proba, codes, sample_weight, n_folds)
    if n_learned == n_folds - 1:
        yield from ((sample_weight - held, held) for held in folds)
    elif n_folds > _N_FOLDS:
        held = next(folds)
        yield np.asarray(sum(islice(folds, n_learned))), held  # one by one: each fold is as long as the data
    else:
        dealt = list(folds)
        for number, held in enumerate(dealt):
            yield np.sum([dealt[(number + ahead) % n_folds] for ahead in range(1, n_learned + 1)], axis=0), held


def tail_width(unsure: Floats, wrong: NDArray[np.bool_], sample_weight: Floats, zscore: float) -> float:
    """Return the smallest width of the tail: confidences in the tail are lowered, so that the size ratio is low enough.

    The width lies in [0, 0.5]. `unsure` is 1 − confidence of each sample, and weights are repetition counts. The size
    ratio is low enough if it is at most `zscore` standard deviations above 1.
    """

    def too_sure(width: float) -> bool:
        doubt = np.maximum(lifted(unsure, width), EPS)
        excess = float(sample_weight @ (wrong / doubt - 1))
        return excess > zscore * float(np.sqrt(sample_weight @ (1 / doubt - 1))) + 1e-9 * float(sample_weight.sum())

    if not too_sure(0.0):
        return 0.0
    low, high = np.log(1e-12), np.log(0.5)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if too_sure(np.exp(middle)) else (low, middle)
    return float(np.exp(high))


def lifted(unsure: Floats, width: float) -> Floats:
    """Replace each distance to 1 that is below a width by the mean of the distance and the width."""
    return np.where(unsure < width, (unsure + width) / 2, unsure)


def lowered(proba: Floats, width: float) -> Floats:
    """Return rows with lower confidences in the tail. The other classes gain in proportion."""
    surest = np.arange(len(proba)), proba.argmax(axis=1)
    others = proba.copy()
    others[surest] = 0.0
    unsure = others.sum(axis=1)
    target = lifted(unsure, width)
    others[unsure == 0] = 1.0
    others[surest] = 0.0
    others *= (target / others.sum(axis=1))[:, np.newaxis]
    others[surest] = 1 - target
    return others


def learned_weights(prior: Floats, proba: list[Floats], codes: Codes, sample_weight: Floats) -> Floats:
    """Return the weights of the members, from their probabilities for held-out samples with the classes `codes`.

    Members whose summed log loss is far above the lowest sum get less prior weight, because they would spoil the mean.
    For example, the raw probabilities are far worse if class frequencies have changed. A difference is large if it is a
    few times √n nats. If the classes are nearly separable, log losses are too small for such a difference; then it is
    large if it is a few times the root of the lowest sum.
    """
    chance = np.stack([np.maximum(member[np.arange(len(codes)), codes], EPS) for member in proba])
    loss = -(np.log(chance) @ sample_weight)
    unit = max(_LAG_OF_LOSS * np.sqrt(max(loss.min(), 0.0)), _LEAST_LAG)
    lag = (loss - loss.min()) / min(_LAG * np.sqrt(sample_weight.sum()), unit)
    return simplex_weights(chance, sample_weight, np.maximum(_PRIOR_SAMPLES * prior * np.exp(-lag), 1e-3))


def simplex_weights(chance: Floats, sample_weight: Floats, prior: Floats) -> Floats:
    """Return the weights w ≥ 0 with sum 1 that maximise Σ a log(w · chance) + Σ prior log w.

    `chance` has a row for each member and a column for each sample: the probability that the member gives to the
    observed class. The weights of the samples are a. Prior weights are positive. They keep w away from 0, so Newton's
    method needs no bounds. The sum needs no constraint: with a penalty of (Σ a + Σ prior) Σ w, the sum is 1 where the
    gradient is zero.
    """
    total = float(sample_weight.sum() + prior.sum())
    gain, pull = sample_weight / total, prior / total

    def loss(weights: Floats) -> float:
        return float(weights.sum() - gain @ np.log(weights @ chance) - pull @ np.log(weights))

    weights = prior / prior.sum()
    value = loss(weights)
    for _ in range(100):
        share = chance / (weights @ chance)
        gradient = 1 - share @ gain - pull / weights
        hessian = (share * gain) @ share.T + np.diag(pull / weights**2)
        step = -np.linalg.solve(hessian, gradient)
        if -(gradient @ step) < 1e-14:
            break
        falling = step < 0
        length = min(1.0, 0.99 * float(np.min(-weights[falling] / step[falling], initial=np.inf)))
        while (moved := loss(weights + length * step)) > value and length > 1e-9:
            length /= 2
        if moved > value:
            break
        weights, value = weights + length * step, moved
    return weights / weights.sum()


def fold_weights(proba: Floats, codes: Codes, sample_weight: Floats, n_folds: int) -> Iterator[Floats]:
    """Yield, for each fold, how much of every sample's weight is held out.

    The samples are put in a line, ordered by their largest probability. The line is cut into blocks with one unit of
    weight for each fold. Within a block, each fold gets one unit, in an order that differs between blocks. So all folds
    have the same mix of probabilities. They do not have the same mix of classes, because held-out samples would then
    repeat the class frequencies of the training samples. The unit is 1, or the largest weight if all weights are below
    1. A weight of 3 is treated like three rows. The result does not depend on the order in which rows and classes are
    given.
    """
    order = order_of_rows(proba, codes, sample_weight)
    unit = min(1.0, float(sample_weight.max()))
    ends = np.cumsum(sample_weight[order]) / unit
    # Sums that are whole numbers except for rounding become whole.
    whole = np.rint(ends)
    ends = np.where(np.abs(ends - whole) < 1e-9 * np.maximum(whole, 1), whole, ends)
    block, place = np.divmod(np.append(0.0, ends), float(n_folds))
    first = _mixed(block) % n_folds
    for fold in range(n_folds):
        until = block + np.clip(place - (fold + first) % n_folds, 0.0, 1.0)
        dealt = np.empty(len(codes))
        dealt[order] = unit * np.diff(until)
        dealt[dealt < 1e-9 * sample_weight] = 0.0
        yield np.minimum(dealt, sample_weight)


def _mixed(numbers: Floats) -> NDArray[np.int64]:
    """Return a pseudo-random whole number for each number; equal numbers give equal results."""
    bits = np.fmod(numbers, 2.0**53).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    return np.asarray((bits >> np.uint64(33)).astype(np.int64))
