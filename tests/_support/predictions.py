"""Predictions that tests share: classes, answers, weights, profiles and tables, drawn with a fixed seed.

Labels are drawn from the probabilities of a model, so that it is calibrated; a power above 1 makes it overconfident.
"""

import numpy as np
import pandas as pd

from skconf import ConfidenceProfile


def draw_labels(proba, rng):
    """Return the number of a class for each row, drawn with the probabilities of the row."""
    return (rng.random((len(proba), 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=1)


def draw_proba(n, n_classes=3, seed=0, *, concentration=1.0):
    """Return probabilities of shape (n, n_classes); those of a low concentration are near 0 and 1."""
    return np.random.default_rng(seed).dirichlet(np.full(n_classes, concentration), n)


def draw_classes(n, n_classes=3, seed=0, *, concentration=1.0, decimals=None, power=1.0):
    """Return numbers of classes, and the probabilities of a model.

    Parameters
    ----------
    n, n_classes, seed : int
        Number of samples and of classes, and the seed.
    concentration : float
        Of the Dirichlet distribution of the probabilities.
    decimals : int or None
        Probabilities of few decimals have ties.
    power : float
        The model states the power of its probabilities: above 1 it is overconfident, at 1 calibrated.
    """
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, concentration), n)
    if decimals is not None:
        proba = proba.round(decimals)
        proba[:, -1] = (1 - proba[:, :-1].sum(axis=1)).round(decimals).clip(0, 1)
        proba /= proba.sum(axis=1, keepdims=True)
    y = draw_labels(proba, rng)
    if power != 1:
        proba = proba**power
        proba /= proba.sum(axis=1, keepdims=True)
    return y, proba


def draw_binary(n, seed=0, *, decimals=None):
    """Return outcomes 0 and 1, and calibrated probabilities of 1."""
    rng = np.random.default_rng(seed)
    proba = rng.random(n)
    proba = proba if decimals is None else proba.round(decimals)
    return (rng.random(n) < proba).astype(int), proba


def draw_answers(n, seed=0, *, low=0.5, excess=0.0, kept=1.0):
    """Return whether answers are right, and their confidences in [low, 1].

    An answer of confidence c is right with the probability ``kept * c - excess``.
    """
    rng = np.random.default_rng(seed)
    sure = rng.uniform(low, 1, n)
    return rng.random(n) < kept * sure - excess, sure


def draw_weights(n, seed=1, *, zeros=0.0):
    """Return weights, of which a share is zero."""
    rng = np.random.default_rng(seed)
    return rng.exponential(1, n) * (rng.random(n) >= zeros)


def draw_counts(n, seed=1):
    """Return weights that are numbers of repetitions, 0 among them."""
    return np.random.default_rng(seed).integers(0, 3, n).astype(float)


def draw_profile(n, n_classes=3, seed=0, *, labels=None, weight=None, **drawn):
    """Return a profile of `draw_classes`, whose labels are numbers unless they are given."""
    y, proba = draw_classes(n, n_classes, seed, **drawn)
    labels = np.arange(n_classes) if labels is None else np.asarray(labels)
    return ConfidenceProfile.from_predictions(labels[y], proba, labels=labels, sample_weight=weight)


def draw_table(n, labels=(0, 1, 2), seed=0, **drawn):
    """Return a table of `draw_classes` as files hold it: `proba_LABEL` for each label, and `y_true`."""
    y, proba = draw_classes(n, len(labels), seed, **drawn)
    table = pd.DataFrame(proba, columns=[f"proba_{label}" for label in labels])
    return table.assign(y_true=np.asarray(labels)[y])
