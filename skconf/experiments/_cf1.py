"""What both of the cF1 paper's experiments stand on: two halves of a data set, and metrics of resamples."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder

from skconf._core.probabilities import Floats
from skconf.datasets import fetch_uci
from skconf.experiments._estimators import as_numbers, learn
from skconf.experiments._own import own_data
from skconf.metrics import get_metric
from skconf.profile import ConfidenceProfile

#: With probabilities these are cPrecision, cRecall and cF1; with 0 and 1 for the predicted class, the ordinary ones.
METRICS = {
    "precision": get_metric("cprecision_score", average=None, zero_division=np.nan),
    "recall": get_metric("crecall_score", average=None, zero_division=np.nan),
    "f1": get_metric("cf1_score", average=None, zero_division=np.nan),
}
#: What both experiments take: a name, {"name": (X, y)} or a Bunch.
DataSet = str | Mapping[str, Any]
#: Rows that a class of one's own data needs, to be in both halves.
_LEAST_ROWS = 2


class Halves(NamedTuple):
    """A data set in two halves by class, to train on and to test on.

    Attributes
    ----------
    frames : tuple of DataFrame
        The features as they are.
    numbers : tuple of ndarray
        The features as numbers of unit variance.
    y, y_test : ndarray
        Positions of the true labels in `labels`.
    labels : ndarray
        The labels.
    is_own : bool
        Whether the data are the user's.
    """

    frames: tuple[pd.DataFrame, pd.DataFrame]
    numbers: tuple[Floats, Floats]
    y: NDArray[np.intp]
    y_test: NDArray[np.intp]
    labels: NDArray[Any]
    is_own: bool

    def features(self, model: Any) -> tuple[Any, Any]:
        """Return both halves as a model takes them: a pipeline as they are, everything else as numbers."""
        return self.frames if isinstance(model, Pipeline) else self.numbers

    def learn(self, model: Any, rows: NDArray[np.intp] | None = None, y: NDArray[np.intp] | None = None) -> Floats:
        """Return probabilities for the second half by a model of the first, or of some rows of it with labels `y`."""
        X, X_test = self.features(model)
        if rows is not None:
            X = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
        (proba,) = learn(model, X, self.y if y is None else y, [X_test], len(self.labels))
        return proba


def split_in_half(dataset: DataSet, data_home: str | PathLike[str] | None, seed: int) -> Halves:
    """Return two halves of a data set.

    Raises
    ------
    ValueError
        If there is no such data set, or there are several.
    """
    own = own_data(dataset, _LEAST_ROWS)
    if own is not None and len(own) != 1:
        raise ValueError(f"dataset must be one data set, but has {len(own)}: {', '.join(own)}.")
    if own is None and not isinstance(dataset, str):
        raise TypeError(f'dataset must be a name, {{"name": (X, y)}} or a Bunch, but is {type(dataset).__name__}.')
    data = fetch_uci(str(dataset), data_home=data_home) if own is None else next(iter(own.values()))
    encoder = LabelEncoder().fit(data.target)
    X, X_test, y, y_test = train_test_split(
        data.data, encoder.transform(data.target), test_size=0.5, stratify=data.target, random_state=seed
    )
    to_numbers = as_numbers().fit(X)
    numbers = to_numbers.transform(X), to_numbers.transform(X_test)
    return Halves((X, X_test), numbers, y, y_test, encoder.classes_, own is not None)


def resamples(n_samples: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each sample is drawn, a row for each resample."""
    return rng.multinomial(n_samples, np.full(n_samples, 1 / n_samples), size=n_resamples).astype(np.float64)


def bootstrap(y: NDArray[np.intp], proba: Floats, weights: Floats) -> Floats:
    """Return the metrics of every resample, ordinary and probabilistic: (2, n_metrics, n_resamples, n_classes)."""
    labels, every = np.arange(proba.shape[1]), np.arange(len(y))
    values = []
    for given in (np.eye(len(labels))[proba.argmax(axis=1)], proba):
        profile = ConfidenceProfile.from_predictions(y, given, labels=labels)
        # The metrics are functions of the same sums; those of each sample, weighted, are those of a resample.
        sums = [weights @ part for part in METRICS["f1"].sums(profile, every, len(every))]
        values.append([metric.combine(*sums) for metric in METRICS.values()])
    return np.array(values)
