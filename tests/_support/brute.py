"""Every metric straight from its definition, in plain loops over samples: what the fast ones are held to.

A function takes labels as column numbers, probabilities (n, K), predicted columns and weights.
"""

import math

import numpy as np


def confidences(proba, predicted):
    return [float(proba[i, predicted[i]]) for i in range(len(proba))]


def calibrated_size_ratio(y, proba, predicted, w, eps=1e-8):
    c = confidences(proba, predicted)
    total = sum(w[i] / (1 - min(max(c[i], eps), 1 - eps)) for i in range(len(y)) if y[i] != predicted[i])
    return total / sum(w)


def calibrated_size_ratio_std(y, proba, predicted, w, eps=1e-8):
    clipped = [min(max(c, eps), 1 - eps) for c in confidences(proba, predicted)]
    return math.sqrt(sum(w[i] ** 2 * c / (1 - c) for i, c in enumerate(clipped))) / sum(w)


def overconfidence_risk(y, proba, predicted, w, eps=1e-8):
    ratio = calibrated_size_ratio(y, proba, predicted, w, eps)
    if ratio <= 1 + 1e-12:  # 1, up to rounding
        return 0.0
    z = (ratio - 1) / calibrated_size_ratio_std(y, proba, predicted, w, eps)
    return 0.5 * math.erfc(-z / math.sqrt(2))


def cw_accuracy_score(y, proba, predicted, w):
    c = confidences(proba, predicted)
    right = sum(w[i] * c[i] for i in range(len(y)) if y[i] == predicted[i])
    return right / sum(w[i] * c[i] for i in range(len(y)))


def accuracy(y, predicted, w):
    return sum(w[i] for i in range(len(y)) if y[i] == predicted[i]) / sum(w)


def confidence_gain(y, proba, predicted, w):
    weighted, plain = cw_accuracy_score(y, proba, predicted, w), accuracy(y, predicted, w)
    return 0.0 if min(weighted, plain) == 1 else (weighted - plain) / (1 - min(weighted, plain))


def cf1_score(y, proba, predicted, w, average="macro"):
    n, k = proba.shape
    values, supports = [], []
    for j in range(k):
        hit = sum(w[i] * proba[i, j] for i in range(n) if y[i] == j)
        mass = sum(w[i] * proba[i, j] for i in range(n))
        support = sum(w[i] for i in range(n) if y[i] == j)
        precision = hit / mass if mass else 0.0
        recall = hit / support if support else 0.0
        values.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
        supports.append(support)
    if average is None:
        return np.array(values)
    if average == "binary":
        return values[1]
    if average == "macro":
        return sum(values) / k
    if average == "weighted":
        return sum(v * s for v, s in zip(values, supports, strict=True)) / sum(supports)
    return sum(w[i] * proba[i, y[i]] for i in range(n)) / sum(w)  # micro: the mean probability of the true class


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


def cwsa_plus_score(y, proba, predicted, w, threshold=0.5, normalize="accepted"):
    return cwsa_score(y, proba, predicted, w, threshold, normalize, punish=False)


def ecuas_cost(u, error, largest, n, eps=1e-7):
    if u > largest:
        return 1.0
    if n == 0:
        return u / largest - math.log(max(u, eps) / largest) * error / largest
    r = u / largest
    return r ** (n + 1) + (n + 1) / n * (1 - r**n) * error / largest


def ecuas_loss(y, proba, predicted, w, n=0, normalize=False, eps=1e-7):
    k = proba.shape[1]
    largest = 1 - 1 / k
    c = confidences(proba, predicted)
    total = sum(w[i] * ecuas_cost(1 - c[i], y[i] != predicted[i], largest, n, eps) for i in range(len(y)))
    if not normalize:
        return total / sum(w)
    priors = [sum(w[i] for i in range(len(y)) if y[i] == j) / sum(w) for j in range(k)]
    naive = priors.index(max(priors))
    cost = sum(
        w[i] * ecuas_cost(1 - max(priors), y[i] != naive, max(largest, 1 - max(priors)), n, eps) for i in range(len(y))
    )
    return total / cost


def expected_calibration_error(y, proba, predicted, w, n_bins=15):
    c = confidences(proba, predicted)
    total = 0.0
    for b in range(n_bins):
        low, high = b / n_bins, (b + 1) / n_bins
        members = [i for i in range(len(y)) if low < c[i] <= high or (b == 0 and c[i] == 0)]
        total += abs(sum(w[i] * ((y[i] == predicted[i]) - c[i]) for i in members))
    return total / sum(w)


def coverage_score(y, proba, predicted, w, threshold=0.5):
    return sum(w[i] for i, c in enumerate(confidences(proba, predicted)) if c >= threshold) / sum(w)


def selective_accuracy_score(y, proba, predicted, w, threshold=0.5):
    kept = [i for i, c in enumerate(confidences(proba, predicted)) if c >= threshold]
    if sum(w[i] for i in kept) == 0:
        return math.nan
    return sum(w[i] for i in kept if y[i] == predicted[i]) / sum(w[i] for i in kept)


def aurc_loss(y, proba, predicted, w):
    """For whole weights only: a sample of weight 2 is two, and a tie is averaged over all its orders."""
    rows = [i for i in range(len(y)) for _ in range(int(w[i]))]
    c = confidences(proba, predicted)
    total, seen, errors = 0.0, 0, 0.0
    for value in sorted({c[i] for i in rows}, reverse=True):
        tied = [i for i in rows if c[i] == value]
        wrong = sum(y[i] != predicted[i] for i in tied)
        # By symmetry the expected number of errors among the first j of a random order is j · wrong/len(tied).
        total += sum((errors + j * wrong / len(tied)) / (seen + j) for j in range(1, len(tied) + 1))
        seen, errors = seen + len(tied), errors + wrong
    return total / len(rows)


def calibrated_size_ratio_zscore(y, proba, predicted, w, eps=1e-8):
    ratio = calibrated_size_ratio(y, proba, predicted, w, eps)
    return (ratio - 1) / calibrated_size_ratio_std(y, proba, predicted, w, eps)


def selective_risk_loss(y, proba, predicted, w, threshold=0.5):
    return 1 - selective_accuracy_score(y, proba, predicted, w, threshold)


def reject_cost_loss(y, proba, predicted, w, reject_cost=0.1):
    total = 0.0
    for i, c in enumerate(confidences(proba, predicted)):
        total += w[i] * (reject_cost if 1 - c > reject_cost else float(y[i] != predicted[i]))
    return total / sum(w)


def excess_aurc_loss(y, proba, predicted, w, optimum="exact"):
    n = int(sum(w))
    errors = int(sum(w[i] for i in range(len(y)) if y[i] != predicted[i]))
    if optimum == "exact":
        least = sum(j / (n - errors + j) for j in range(1, errors + 1)) / n
    else:
        rate = errors / n
        least = rate + (1 - rate) * math.log(1 - rate) if rate < 1 else 1.0
    return aurc_loss(y, proba, predicted, w) - least


def augrc_loss(y, proba, predicted, w):
    c = confidences(proba, predicted)
    right = [(c[i], w[i]) for i in range(len(y)) if y[i] == predicted[i]]
    wrong = [(c[i], w[i]) for i in range(len(y)) if y[i] != predicted[i]]
    ordered = sum(a * b * ((r > e) + (r == e) / 2) for r, a in right for e, b in wrong)
    accuracy, error = sum(b for _, b in right) / sum(w), sum(b for _, b in wrong) / sum(w)
    pairs = sum(b for _, b in right) * sum(b for _, b in wrong)
    return (1 - ordered / pairs) * accuracy * error + error**2 / 2 if pairs else error**2 / 2


def metric_coverage_auc(y, proba, predicted, w, metric="cwsa", thresholds=None, normalize="accepted", to_zero=False):
    thresholds = [t / 100 for t in range(50, 100)] if thresholds is None else thresholds
    heights, coverages = [], []
    for t in thresholds:
        coverage = coverage_score(y, proba, predicted, w, t)
        if metric == "selective_accuracy":
            height = selective_accuracy_score(y, proba, predicted, w, t) if coverage else 0.0
        else:
            height = cwsa_score(y, proba, predicted, w, t, normalize, punish=metric == "cwsa")
        heights.append(height)
        coverages.append(coverage)
    if to_zero:
        while len(coverages) > 1 and not coverages[-1]:
            heights.pop(), coverages.pop()
        heights, coverages = [*heights, heights[-1]], [*coverages, 0.0]
    steps = range(len(heights) - 1)
    return sum((coverages[i] - coverages[i + 1]) * (heights[i] + heights[i + 1]) / 2 for i in steps)
