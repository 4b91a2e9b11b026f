"""Calibration metrics straight from their definitions, in plain loops: what the fast ones are held to.

A function takes labels as column numbers, probabilities (n, K), predicted columns and weights.
"""

import math

import numpy as np
from _support.brute import confidences
from scipy.stats import binomtest


def pairs(y, proba, predicted, w):
    """Confidence, correctness and weight of every sample that has one."""
    c = confidences(proba, predicted)
    return [(c[i], float(y[i] == predicted[i]), float(w[i])) for i in range(len(y)) if w[i] > 0]


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


def binned(points, n_bins, strategy, norm):
    total = sum(w for _, _, w in points)
    gaps = []
    for members in bins_of(points, n_bins, strategy):
        mass = sum(w for _, _, w in members)
        gaps.append((abs(sum(w * (z - c) for c, z, w in members)) / mass, mass / total))
    if norm == "max":
        return max(gap for gap, _ in gaps)
    if norm == "l2":
        return math.sqrt(sum(share * gap**2 for gap, share in gaps))
    return sum(share * gap for gap, share in gaps)


def confidence_gap(y, proba, predicted, w):
    return sum(m * (c - z) for c, z, m in pairs(y, proba, predicted, w)) / sum(w)


def expected_calibration_error(y, proba, predicted, w, n_bins=15, strategy="uniform", norm="l1", on="confidence"):
    if on == "confidence":
        return binned(pairs(y, proba, predicted, w), n_bins, strategy, norm)
    k = proba.shape[1]
    columns = [
        [(float(proba[i, j]), float(y[i] == j), float(w[i])) for i in range(len(y)) if w[i] > 0] for j in range(k)
    ]
    return sum(binned(points, n_bins, strategy, norm) for points in columns) / k


def maximum_calibration_error(y, proba, predicted, w, n_bins=15, strategy="uniform"):
    return binned(pairs(y, proba, predicted, w), n_bins, strategy, "max")


def smooth_error(points, sigma, cells=20_000):
    """Midpoint quadrature of the smoothed gap, with the images of every sample in both mirrors."""
    t = (np.arange(cells) + 0.5) / cells
    smoothed = np.zeros(cells)
    reach = 2 * math.ceil(5 * sigma) + 2
    for c, z, w in points:
        for shift in range(-reach, reach + 1, 2):
            for image in (c, -c):
                smoothed += w * (c - z) * np.exp(-0.5 * ((t - shift - image) / sigma) ** 2)
    return np.abs(smoothed).mean() / (sigma * math.sqrt(2 * math.pi)) / sum(w for _, _, w in points)


def smooth_calibration_error(y, proba, predicted, w, bandwidth=None):
    points = pairs(y, proba, predicted, w)
    if bandwidth is not None:
        return smooth_error(points, bandwidth)
    low, high = 1e-4, 1.0
    if smooth_error(points, low) < low:
        return low / 2  # somewhere between 0 and there
    for _ in range(16):
        middle = (low + high) / 2
        if smooth_error(points, middle) > middle:
            low = middle
        else:
            high = middle
    return high


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


def calibration_distance_error(y, proba, predicted, w):
    points = pairs(y, proba, predicted, w)
    fit = isotonic(points)
    return sum(w * abs(c - fit[c]) for c, _, w in points) / sum(w for _, _, w in points)


def cumulative_calibration_error(y, proba, predicted, w, statistic="mad"):
    points = pairs(y, proba, predicted, w)
    total = sum(w for _, _, w in points)
    distinct = sorted({c for c, _, _ in points})
    sums = [0.0] + [sum(w * (z - c) for c, z, w in points if c <= value) / total for value in distinct]
    return max(map(abs, sums)) if statistic == "mad" else max(sums) - min(sums)


def entropic_calibration_difference(y, proba, predicted, w, on="classes", eps=1e-8):
    if on == "confidence":
        c = np.array(confidences(proba, predicted))
        y, proba = (y == predicted).astype(int), np.column_stack([1 - c, c])
    total = 0.0
    for i in range(len(y)):
        logarithms = [math.log(max(float(p), eps)) for p in proba[i]]
        total += w[i] * (sum(float(p) * ln for p, ln in zip(proba[i], logarithms, strict=True)) - logarithms[y[i]])
    return total / sum(w)


def accuracy_of(points):
    return sum(w * z for _, z, w in points) / sum(w for _, _, w in points)


def confidence_brier_loss(y, proba, predicted, w, normalize=False):
    points = pairs(y, proba, predicted, w)
    loss = sum(w * (c - z) ** 2 for c, z, w in points) / sum(w for _, _, w in points)
    naive = accuracy_of(points) * (1 - accuracy_of(points)) if normalize else 1.0
    return loss / naive if naive > 1e-12 else math.nan


def confidence_log_loss(y, proba, predicted, w, eps=1e-8, normalize=False):
    points = pairs(y, proba, predicted, w)
    loss = -sum(w * math.log(max(c if z else 1 - c, eps)) for c, z, w in points) / sum(w for _, _, w in points)
    if not normalize:
        return loss
    a = accuracy_of(points)
    return loss / -(a * math.log(a) + (1 - a) * math.log(1 - a)) if 1e-12 < a < 1 - 1e-12 else math.nan


def confidence_roc_auc_score(y, proba, predicted, w):
    points = pairs(y, proba, predicted, w)
    won = all_pairs = 0.0
    for c, z, weight in points:
        for other, wrong, its_weight in points:
            if z and not wrong:
                won += weight * its_weight * (1.0 if c > other else 0.5 if c == other else 0.0)
                all_pairs += weight * its_weight
    return won / all_pairs if all_pairs else math.nan


def brier_decomposition(y, proba, predicted, w, n_bins=15, strategy="uniform"):
    points = pairs(y, proba, predicted, w)
    total, overall = sum(w for _, _, w in points), accuracy_of(points)
    if strategy == "isotonic":
        fit = isotonic(points)
        best = sum(w * (fit[c] - z) ** 2 for c, z, w in points) / total
        loss = confidence_brier_loss(y, proba, predicted, w)
        return loss - best, overall * (1 - overall) - best, overall * (1 - overall), 0.0
    reliability = resolution = residue = 0.0
    for members in bins_of(points, n_bins, strategy):
        mass = sum(w for _, _, w in members)
        mean = sum(w * c for c, _, w in members) / mass
        right = accuracy_of(members)
        reliability += mass / total * (mean - right) ** 2
        resolution += mass / total * (right - overall) ** 2
        residue += sum(w * ((c - mean) ** 2 - 2 * (c - mean) * (z - right)) for c, z, w in members) / total
    return reliability, resolution, overall * (1 - overall), residue


def tce_error(y, proba, predicted, w, strategy="pavabc", n_min=10, n_max=1000, n_bins=10, alpha=0.05):
    points = [(c, z) for c, z, weight in pairs(y, proba, predicted, w) for _ in range(int(weight))]
    n = len(points)
    groups = [[point for point in points if point[0] == value] for value in sorted({c for c, _ in points})]
    if strategy == "quantile":
        blocks = bins_of([(c, z, 1.0) for c, z in points], n_bins, "quantile")
        blocks = [[(c, z) for c, z, _ in block] for block in blocks]
    else:
        last = []
        while groups and len(last) < n_min:
            last = groups.pop() + last
        blocks = []
        for group in groups:
            blocks.append(group)
            while len(blocks) > 1 and may_merge(blocks[-2], blocks[-1], n_min, n_max):
                blocks[-2:] = [blocks[-2] + blocks[-1]]
        if last:
            blocks.append(last)
            if len(blocks) > 1 and 2 * n_min <= n_max:
                blocks[-2:] = [blocks[-2] + blocks[-1]]
    refuted = 0
    for block in blocks:
        right = int(sum(z for _, z in block))
        refuted += sum(binomtest(right, len(block), c).pvalue <= alpha for c, _ in block)
    return 100 * refuted / n


def may_merge(first, second, n_min, n_max):
    joint = len(first) + len(second)
    rights = [sum(z for _, z in block) for block in (first, second)]
    falling = rights[0] * len(second) >= rights[1] * len(first)
    return joint <= n_min or (joint <= n_max and falling)


def debiased_error(points, n_bins):
    """DPE of T-Cal, with bins floor(m c)."""
    members = {}
    for c, z in points:
        members.setdefault(math.floor(n_bins * c), []).append(c - z)
    return sum((sum(d) ** 2 - sum(x**2 for x in d)) / len(d) for d in members.values()) / len(points)
