"""A data set in two halves by class, and models that are trained on one half and predict the other."""

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
from skconf.experiments._shared.estimators import as_numbers, trained
from skconf.experiments._shared.own_data import own_data

#: A data set of the experiments that split it in half: a name, {"name": (X, y)} or a Bunch.
DataSet = str | Mapping[str, Any]
#: A class of the user's own data needs this many rows, so that both halves have one.
_LEAST_ROWS = 2


class Halves(NamedTuple):
    """Two halves of a data set, stratified by class: one to train on, and one to test on.

    Attributes
    ----------
    frames : tuple of DataFrame
        The unchanged features.
    numbers : tuple of ndarray
        The features as numbers: scaled to unit variance, with categories as columns of 0 and 1.
    y, y_test : ndarray
        The true labels, as positions in `labels`.
    labels : ndarray
        The labels.
    is_own : bool
        Whether the data are the user's own data.
    """

    frames: tuple[pd.DataFrame, pd.DataFrame]
    numbers: tuple[Floats, Floats]
    y: NDArray[np.intp]
    y_test: NDArray[np.intp]
    labels: NDArray[Any]
    is_own: bool

    def learn(self, model: Any, rows: NDArray[np.intp] | None = None, y: NDArray[np.intp] | None = None) -> Floats:
        """Train a model on the first half, or on some of its rows; return its probabilities for the second half.

        `y` has the labels of the rows to train on. A pipeline gets the features unchanged. Other models get numbers.
        """
        X, X_test = self.frames if isinstance(model, Pipeline) else self.numbers
        if rows is not None:
            X = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
        return trained(model, X, self.y if y is None else y, len(self.labels))(X_test)


def split_in_half(dataset: DataSet, data_home: str | PathLike[str] | None, seed: int) -> Halves:
    """Return two halves of a data set; raise if it is unknown, or if there are several."""
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
