"""Clusters of samples that depend on each other, such as several samples of each patient."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from skconf._core.inputs import check_length
from skconf._core.labels import Codes, LabelColumn


def read_clusters(groups: ArrayLike, n_samples: int) -> Codes:
    """Return the number of each sample's cluster."""
    column = LabelColumn(groups, "groups")
    check_length(column, n_samples, "groups")
    return column.codes


def one_of_each(clusters: Codes, random_state: Any) -> NDArray[np.intp]:
    """Return the row of a random sample of each cluster, ascending."""
    # Use a separate random stream: the same seed also draws which clusters are held out.
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))
    shuffled = rng.permutation(len(clusters))
    return np.sort(shuffled[np.unique(clusters[shuffled], return_index=True)[1]])
