"""Tasks for calibrators, and what scikit-learn makes of them."""

import warnings

import numpy as np
import pytest
from _support.predictions import draw_labels
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator


def binary_task(n=300, seed=0):
    """Return overconfident probabilities of the second class, and outcomes."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(1.5, 2.5, n)
    return expit(2.5 * logit(truth) + 0.7), rng.random(n) < truth


def three_class_task(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([1, 2, 3], n)
    code = draw_labels(truth, rng)
    proba = truth**2 + 0.05 * rng.random((n, 3))
    return proba / proba.sum(axis=1, keepdims=True), code


class Says(ClassifierMixin, BaseEstimator):
    """A fitted classifier that says its features."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def calibrated_by_scikit_learn(proba, y, method, weight=None):
    """Return what scikit-learn makes of the probabilities of a classifier that has no decision function."""
    model = CalibratedClassifierCV(FrozenEstimator(Says().fit(proba, y)), method=method, ensemble=False, cv=2)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Since FrozenEstimator does not appear to accept sample_weight")
        model.fit(proba, y, sample_weight=weight)
    return model.predict_proba(proba)


def weights(kind, n, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "none": None,
        "ones": np.ones(n),
        "counts": rng.integers(1, 5, n).astype(float),
        "real": rng.exponential(1, n),
        "with zeros": rng.integers(0, 3, n).astype(float),
        "tiny": 1e-6 * rng.random(n),
        "huge": 1e6 * rng.random(n),
    }[kind]


WEIGHTS = pytest.mark.parametrize("weight", ["none", "ones", "counts", "real", "with zeros", "tiny", "huge"])
