"""Resamples of test data, and the metrics of each resample, for both experiments of the cF1 paper."""

import numpy as np
from numpy.typing import NDArray

from skconf._core.probabilities import Floats
from skconf.metrics import get_metric
from skconf.profile import ConfidenceProfile

#: With probabilities, these are cPrecision, cRecall and cF1. With 0 and 1 for the predicted class, the ordinary
#: metrics.
METRICS = {
    "precision": get_metric("cprecision_score", average=None, zero_division=np.nan),
    "recall": get_metric("crecall_score", average=None, zero_division=np.nan),
    "f1": get_metric("cf1_score", average=None, zero_division=np.nan),
}


def resamples(n_samples: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each sample is drawn, a row for each resample."""
    return rng.multinomial(n_samples, np.full(n_samples, 1 / n_samples), size=n_resamples).astype(np.float64)


def bootstrap(y: NDArray[np.intp], proba: Floats, weights: Floats) -> Floats:
    """Return ordinary and probabilistic metrics of every resample: shape (2, n_metrics, n_resamples, n_classes)."""
    labels, every = np.arange(proba.shape[1]), np.arange(len(y))
    values = []
    for given in (np.eye(len(labels))[proba.argmax(axis=1)], proba):
        profile = ConfidenceProfile.from_predictions(y, given, labels=labels)
        # The metrics are functions of sums, and the sums of a resample are weighted sums over samples.
        sums = [weights @ part for part in METRICS["f1"].sums(profile, every, len(every))]
        values.append([metric.combine(*sums) for metric in METRICS.values()])
    return np.array(values)
