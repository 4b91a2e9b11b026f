"""A classifier whose probabilities are there already."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Stored(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are its features."""

    def __init__(self, labels=(0, 1)):
        self.labels = labels

    def fit(self, X, y):  # noqa: ARG002
        return self  # the samples say it all

    @property
    def classes_(self):
        return np.array(self.labels)

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)
