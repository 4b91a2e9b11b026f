"""Matrices that say how nearly right a predicted class is for a true one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skconf._core.columns import column_names, positions_of_names
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats


def check_similarity(similarity: Any) -> Any:
    """Return a matrix as it was given, after checking its shape and values."""
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"similarity must have shape (n_classes, n_classes), but has shape {matrix.shape}.")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise ValueError("similarity must hold values in [0, 1].")
    return similarity


def similarity_of(similarity: Any, classes: NDArray[Any]) -> Floats:
    """Return a checked matrix with rows and columns in the order of the classes, where its table names them."""
    matrix = np.asarray(similarity, dtype=np.float64)
    names = column_names(similarity)
    if names is not None:
        rows = list(getattr(similarity, "index", names))
        orders = [positions_of_names(known, classes) for known in (rows, names)]
        if None in orders:
            raise ValueError(
                f"similarity has rows {shorten(rows)} and columns {shorten(names)}, but the labels are "
                f"{shorten(classes.tolist())}. Name both by the labels, or pass similarity.to_numpy() in their order."
            )
        return matrix[np.ix_(*orders)]
    if len(matrix) != len(classes):
        raise ValueError(f"similarity is for {len(matrix)} classes, but there are {len(classes)}.")
    return matrix
