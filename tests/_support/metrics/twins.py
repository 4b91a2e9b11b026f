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


def halves(points, fewest):
    """Bins of points: cut, where that leaves enough on both sides, at the cut that halves the weight best."""
    cuts = []
    for cut in sorted({c for c, _, _ in points})[1:]:
        below, above = ([p for p in points if (p[0] < cut) == side] for side in (True, False))
        if min(len(below), len(above)) >= fewest:
            apart = abs(sum(p[2] for p in below) - sum(p[2] for p in above)) / sum(p[2] for p in points)
            cuts.append((round(apart, 12), cut, below, above))
    if not cuts:
        return [points]
    _, _, below, above = min(cuts, key=lambda found: found[:2])
    return halves(below, fewest) + halves(above, fewest)


def halved_error(points, fewest=10):
    gaps = [abs(sum(w * (z - c) for c, z, w in members)) for members in halves(points, fewest)]
    return sum(gaps) / sum(w for _, _, w in points)


def calibration_index(points, n_bins=15, strategy="uniform"):
    """1 less each bin's gap over the farthest that accuracy can be from its confidence."""
    total, lost = sum(w for _, _, w in points), 0.0
    for members in bins_of(points, n_bins, strategy):
        mass = sum(w for _, _, w in members)
        sure, right = (sum(m[part] * m[2] for m in members) / mass for part in (0, 1))
        lost += mass / total * abs(right - sure) / max(abs(end - sure) for end in (0, 1))
    return 1 - lost


def logit_smoothed(points, bandwidth=1 / 15, eps=1e-8):
    """Midpoint quadrature over log-odds."""
    places = [math.log(min(max(c, eps), 1 - eps) / (1 - min(max(c, eps), 1 - eps))) for c, _, _ in points]
    low, high, cells = min(places) - 9 * bandwidth, max(places) + 9 * bandwidth, 30_000
    t = low + (high - low) * (np.arange(cells) + 0.5) / cells
    gap = np.zeros(cells)
    for place, (_, z, weight) in zip(places, points, strict=True):
        gap += weight * (z - 1 / (1 + np.exp(-t))) * np.exp(-0.5 * ((t - place) / bandwidth) ** 2)
    area = np.abs(gap).mean() * (high - low) / (bandwidth * math.sqrt(2 * math.pi))
    return area / sum(w for _, _, w in points)
