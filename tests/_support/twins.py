"""What brute-force twins share: definitions in plain loops, which more than one test file needs.

A function takes labels as column numbers, probabilities (n, K), predicted columns and weights.
"""

import math
from typing import NamedTuple

import numpy as np


def confidences(proba, predicted):
    return [float(proba[i, predicted[i]]) for i in range(len(proba))]


def coverage_score(y, proba, predicted, w, threshold=0.5):
    return sum(w[i] for i, c in enumerate(confidences(proba, predicted)) if c >= threshold) / sum(w)


def selective_accuracy_score(y, proba, predicted, w, threshold=0.5):
    kept = [i for i, c in enumerate(confidences(proba, predicted)) if c >= threshold]
    if sum(w[i] for i in kept) == 0:
        return math.nan
    return sum(w[i] for i in kept if y[i] == predicted[i]) / sum(w[i] for i in kept)


def cwsa_score(y, proba, predicted, w, threshold=0.5, normalize="accepted", punish=True):
    total = accepted = 0.0
    for i, c in enumerate(confidences(proba, predicted)):
        if c >= threshold:
            reward = 1 if y[i] == predicted[i] else (-1 if punish else 0)
            total += w[i] * (c - threshold) / (1 - threshold) * reward
            accepted += w[i]
    if accepted == 0:
        return 0.0
    return total / (accepted if normalize == "accepted" else sum(w))


def pairs(y, proba, predicted, w):
    """Confidence, correctness and weight of every sample that has one."""
    c = confidences(proba, predicted)
    return [(c[i], float(y[i] == predicted[i]), float(w[i])) for i in range(len(y)) if w[i] > 0]


def accuracy_of(points):
    return sum(w * z for _, z, w in points) / sum(w for _, _, w in points)


def bin_of(value, points, n_bins, strategy):
    """Number of the bin (k/n, (k + 1)/n] of a value, or of the share of weight at or below it."""
    if strategy == "quantile":
        value = sum(w for c, _, w in points if c <= value) / sum(w for _, _, w in points)
    return next(k for k in range(n_bins) if value <= (k + 1) / n_bins)


def bins_of(points, n_bins, strategy):
    members = {}
    for point in points:
        members.setdefault(bin_of(point[0], points, n_bins, strategy), []).append(point)
    return list(members.values())


def isotonic(points):
    """The isotonic fit at every distinct confidence, by its max-min formula."""
    distinct = sorted({c for c, _, _ in points})
    mass = [sum(w for c, _, w in points if c == value) for value in distinct]
    right = [sum(w * z for c, z, w in points if c == value) for value in distinct]
    m = len(distinct)
    return {
        distinct[i]: max(min(sum(right[a : b + 1]) / sum(mass[a : b + 1]) for b in range(i, m)) for a in range(i + 1))
        for i in range(m)
    }


def normalized(matrix, normalize):
    k = len(matrix)
    out = np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            total = {
                None: 1.0,
                "true": sum(matrix[i, :]),
                "pred": sum(matrix[:, j]),
                "all": sum(matrix.ravel()),
            }[normalize]
            out[i, j] = matrix[i, j] / total if total else 0.0
    return out


class Counts(NamedTuple):
    tp: float
    fp: float
    fn: float
    tn: float


def counts(y, proba, predicted, w):
    """Return (true positive, false positive, false negative, true negative) mass of every class."""
    n, k = proba.shape
    found = []
    for j in range(k):
        mass = {(True, True): 0.0, (False, True): 0.0, (True, False): 0.0, (False, False): 0.0}
        for i in range(n):
            mass[y[i] == j, predicted[i] == j] += w[i] * float(proba[i, predicted[i]])
        found.append(Counts(mass[True, True], mass[False, True], mass[True, False], mass[False, False]))
    return found


def averaged(fractions, supports, average, zero_division):
    """Return an average of fractions, given as (numerator, denominator) for every class."""
    if average == "micro":
        fractions = [(sum(a for a, _ in fractions), sum(b for _, b in fractions))]
    empty = 0.0 if zero_division == "warn" else zero_division
    values = [a / b if b else empty for a, b in fractions]
    if average == "micro":
        return values[0]
    if average == "binary":
        return values[1]
    if average is None:
        return np.array(values)
    shares = supports if average == "weighted" else [1.0] * len(values)
    kept = [(v, s) for v, s in zip(values, shares, strict=True) if not math.isnan(v)]
    if not kept:
        return math.nan
    if sum(s for _, s in kept) == 0:
        kept = [(v, 1.0) for v, _ in kept]
    return sum(v * s for v, s in kept) / sum(s for _, s in kept)
