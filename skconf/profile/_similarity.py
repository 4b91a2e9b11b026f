"""How similar two classes are: a matrix that the user passes, or that is computed from a tree of classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from skconf._core.columns import column_names, positions_of_names
from skconf._core.labels import check_labels
from skconf._core.messages import shorten
from skconf._core.probabilities import Floats


def tree_similarity(parents: Mapping[Any, Any], labels: ArrayLike) -> pd.DataFrame:
    """Return the similarity of each pair of classes in a tree: 1 for the same class, 0 if they share only the root.

    Two classes at depths d and e have the similarity 2a / (d + e), where a is the depth of their deepest common
    ancestor [1]_. The root has no parent, and depth 0.

    Parameters
    ----------
    parents : mapping of node to node
        The parent of every node except the root, as in ``{"cat": "mammal", "mammal": "animal"}``. If the classes are in
        several trees, the root of each tree becomes a child of a common root.
    labels : array-like of shape (n_classes,)
        The classes.

    Returns
    -------
    DataFrame of shape (n_classes, n_classes)
        Similarities in [0, 1], with the labels as index and columns. Pass it as ``similarity=`` to
        :func:`~skconf.metrics.cwsa_score`, or to :meth:`ConfidenceProfile.with_similarity
        <skconf.ConfidenceProfile.with_similarity>`.

    Raises
    ------
    ValueError
        If labels are missing, repeated or not in the tree. If the parents of a node lead back to the node.

    References
    ----------
    .. [1] Z. Wu and M. Palmer, Verb semantics and lexical selection, ACL 1994.

    Examples
    --------
    >>> from skconf.profile import tree_similarity
    >>> parents = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "trout": "fish", "fish": "animal"}
    >>> tree_similarity(parents, ["cat", "dog", "trout"])
           cat  dog  trout
    cat    1.0  0.5    0.0
    dog    0.5  1.0    0.0
    trout  0.0  0.0    1.0
    """
    classes, known = check_labels(labels).tolist(), {*parents, *parents.values()}
    if unknown := [label for label in classes if label not in known]:
        raise ValueError(
            f"labels holds {shorten(unknown)}, which do not occur in parents. Add a parent for each of these labels."
        )
    paths = [_path(label, parents) for label in classes]
    if len({path[0] for path in paths}) > 1:  # they hang from one root together
        paths = [[None, *path] for path in paths]
    similarity = np.eye(len(classes))
    for i, one in enumerate(paths):
        for j, other in enumerate(paths[:i]):
            shared = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
            common = (min(len(one), len(other)) if shared is None else shared) - 1
            similarity[i, j] = similarity[j, i] = 2 * common / (len(one) + len(other) - 2)
    return pd.DataFrame(similarity, index=classes, columns=classes)


def _path(label: Hashable, parents: Mapping[Any, Any]) -> list[Any]:
    """Return the nodes from the root to a label."""
    path = [label]
    while path[0] in parents:
        if parents[path[0]] in path:
            raise ValueError(f"parents lead from {label!r} back to {parents[path[0]]!r}, but a tree has no cycle.")
        path.insert(0, parents[path[0]])
    return path


def check_similarity(similarity: Any) -> Any:
    """Return a matrix unchanged, after a check of its shape and values."""
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"similarity must have shape (n_classes, n_classes), but has shape {matrix.shape}.")
    outside = matrix[~((matrix >= 0) & (matrix <= 1))]
    if len(outside):
        raise ValueError(f"similarity must hold values in [0, 1], but holds {outside[0]:g}.")
    return similarity


def similarity_of(similarity: Any, classes: NDArray[Any]) -> Floats:
    """Return a checked matrix. If it is a table with names, rows and columns are put in the order of the classes."""
    matrix = np.asarray(similarity, dtype=np.float64)
    names = column_names(similarity)
    if names is not None:
        rows = list(getattr(similarity, "index", names))
        orders = [positions_of_names(known, classes.tolist()) for known in (rows, names)]
        if None in orders:
            raise ValueError(
                f"similarity has rows {shorten(rows)} and columns {shorten(names)}, but the labels are "
                f"{shorten(classes.tolist())}. Name rows and columns after the labels, or pass similarity.to_numpy() "
                "with rows and columns in the order of the labels."
            )
        return matrix[np.ix_(*orders)]
    if len(matrix) != len(classes):
        raise ValueError(f"similarity is for {len(matrix)} classes, but there are {len(classes)}.")
    return matrix
