"""Confidence-weighted and probabilistic metrics straight from their definitions, in plain loops over samples.

A function takes labels as column numbers, probabilities (n, K), predicted columns and weights.
"""

import math
from typing import NamedTuple

import numpy as np


def cw_confusion_matrix(y, proba, predicted, w, normalize=None):
    n, k = proba.shape
    matrix = np.zeros((k, k))
    for i in range(n):
        matrix[y[i], predicted[i]] += w[i] * float(proba[i, predicted[i]])
    return normalized(matrix, normalize)


def probabilistic_confusion_matrix(y, proba, predicted, w, normalize=None):
    n, k = proba.shape
    matrix = np.zeros((k, k))
    for i in range(n):
        for j in range(k):
            matrix[y[i], j] += w[i] * float(proba[i, j])
    return normalized(matrix, normalize)


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


def cw_multilabel_confusion_matrix(y, proba, predicted, w):
    return np.array([[[tn, fp], [fn, tp]] for tp, fp, fn, tn in counts(y, proba, predicted, w)])


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


def of_counts(fraction):
    def twin(y, proba, predicted, w, average="binary", zero_division="warn", **params):
        found = counts(y, proba, predicted, w)
        supports = [tp + fn for tp, _, fn, _ in found]
        return averaged([fraction(mass, **params) for mass in found], supports, average, zero_division)

    return twin


def f_beta(m, beta=1.0):
    if math.isinf(beta):
        return m.tp, m.tp + m.fn
    return (1 + beta**2) * m.tp, (1 + beta**2) * m.tp + beta**2 * m.fn + m.fp


cw_precision_score = of_counts(lambda m: (m.tp, m.tp + m.fp))
cw_recall_score = of_counts(lambda m: (m.tp, m.tp + m.fn))
cw_specificity_score = of_counts(lambda m: (m.tn, m.tn + m.fp))
cw_jaccard_score = of_counts(lambda m: (m.tp, m.tp + m.fp + m.fn))
cw_f1_score = of_counts(f_beta)
cw_fbeta_score = of_counts(f_beta)


def cw_balanced_accuracy_score(y, proba, predicted, w, adjusted=False):
    recalls = [tp / (tp + fn) for tp, _, fn, _ in counts(y, proba, predicted, w) if tp + fn]
    if not recalls:
        return math.nan
    score = sum(recalls) / len(recalls)
    if not adjusted:
        return score
    return (score - 1 / len(recalls)) / (1 - 1 / len(recalls)) if len(recalls) > 1 else math.nan


def cw_matthews_corrcoef(y, proba, predicted, w):
    """The correlation of the indicators of all classes, from its covariances."""
    n, k = proba.shape
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(n)]
    if sum(c) == 0:
        return math.nan

    def covariance(a, b):
        total = 0.0
        for j in range(k):
            mean_a = sum(c[i] for i in range(n) if a[i] == j) / sum(c)
            mean_b = sum(c[i] for i in range(n) if b[i] == j) / sum(c)
            total += sum(c[i] * ((a[i] == j) - mean_a) * ((b[i] == j) - mean_b) for i in range(n))
        return total

    def constant(a):
        return len({a[i] for i in range(n) if c[i] > 0}) < 2

    if constant(y) or constant(predicted):
        return 0.0
    return covariance(y, predicted) / math.sqrt(covariance(y, y) * covariance(predicted, predicted))


def cw_cohen_kappa_score(y, proba, predicted, w, weights=None):
    n = len(y)
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(n)]

    def cost(a, b):
        return {None: float(a != b), "linear": abs(float(a) - b), "quadratic": (float(a) - b) ** 2}[weights]

    observed = sum(c[i] * cost(y[i], predicted[i]) for i in range(n))
    by_chance = sum(c[i] * c[j] * cost(y[i], predicted[j]) for i in range(n) for j in range(n))
    return 1 - observed * sum(c) / by_chance if by_chance else math.nan


def area(y, proba, predicted, w, k):
    """Every pair of a sample of class k and one of another class."""
    n = len(y)
    won = total = 0.0
    for i in range(n):
        for j in range(n):
            if y[i] == k and y[j] != k:
                pair = w[i] * w[j] * float(proba[i, predicted[i]]) * float(proba[j, predicted[j]])
                won += pair * (1.0 if proba[i, k] > proba[j, k] else 0.5 if proba[i, k] == proba[j, k] else 0.0)
                total += pair
    return won / total if total else math.nan


def cw_roc_auc_score(y, proba, predicted, w, average="macro"):
    k = proba.shape[1]
    if k == 2:
        return area(y, proba, predicted, w, 1)
    areas = [area(y, proba, predicted, w, j) for j in range(k)]
    if average is None:
        return np.array(areas)
    supports = [tp + fn for tp, _, fn, _ in counts(y, proba, predicted, w)]
    return averaged([(a, 1.0) for a in areas], supports, average, 0.0)


def cw_roc_curve(y, proba, predicted, w, positive=1):
    """Every point of the curve."""
    c = [w[i] * float(proba[i, predicted[i]]) for i in range(len(y))]
    thresholds = [math.inf, *sorted({float(proba[i, positive]) for i in range(len(y)) if c[i] > 0}, reverse=True)]
    rates = []
    for members in ([i for i in range(len(y)) if y[i] != positive], [i for i in range(len(y)) if y[i] == positive]):
        total = sum(c[i] for i in members)
        rates.append([sum(c[i] for i in members if proba[i, positive] >= t) / total for t in thresholds])
    return np.array(rates[0]), np.array(rates[1]), np.array(thresholds)


class Soft(NamedTuple):
    hit: float
    given: float
    support: float


def soft(fraction):
    def twin(y, proba, predicted, w, average="binary", zero_division="warn", **params):
        n, k = proba.shape
        if average == "micro":  # the mean probability of the true class
            return sum(w[i] * float(proba[i, y[i]]) for i in range(n)) / sum(w)
        fractions, supports = [], []
        for j in range(k):
            hit = sum(w[i] * float(proba[i, j]) for i in range(n) if y[i] == j)
            mass = sum(w[i] * float(proba[i, j]) for i in range(n))
            support = sum(w[i] for i in range(n) if y[i] == j)
            fractions.append(fraction(Soft(hit, mass, support), **params))
            supports.append(support)
        return averaged(fractions, supports, average, zero_division)

    return twin


def soft_f(m, beta=1.0):
    return (1 + beta**2) * m.hit, beta**2 * m.support + m.given


cprecision_score = soft(lambda m: (m.hit, m.given))
crecall_score = soft(lambda m: (m.hit, m.support))
cf1_score = soft(soft_f)
cfbeta_score = soft(soft_f)
