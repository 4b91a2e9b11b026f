"""Rows of several files that are about the same samples, matched by a column of ids."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skconf._core.messages import option
from skconf._core.problems import located
from skconf.tables._columns import plain_labels
from skconf.tables._files import read_columns
from skconf.tables._paths import shown


def places_by_id(files: Mapping[str, Path], column: Any) -> dict[str, NDArray[Any]]:
    """Return, for the file of each model, the rows that match those of the first file, in its order.

    Raises
    ------
    ValueError
        If an id is missing, occurs more than once, or only in some of the files.
    """
    ids = {model: _read_ids(path, column) for model, path in files.items()}
    first, of_first = next(iter(ids.items()))
    return {model: _places(of_model, of_first, f"{first} and {model}") for model, of_model in ids.items()}


def _read_ids(path: Path, column: Any) -> "pd.Index[Any]":
    """Return the ids of all rows as plain texts, which are the same for files of any format."""
    table = read_columns(path, [column], "ids")
    with located(shown(path)):
        ids = pd.Index(plain_labels(table, column), dtype=object)
        repeated = ids[ids.duplicated()].unique()
        if len(repeated):
            rows = np.flatnonzero(ids == repeated[0])
            raise ValueError(
                f"{len(repeated):,} of the ids in column {column!r} occur more than once, such as {repeated[0]!r} in "
                f"rows {rows[0]} and {rows[1]}. By {option('ids')} name a column in which each row has its own."
            )
    return ids


def _places(ids: "pd.Index[Any]", wanted: "pd.Index[Any]", models: str) -> NDArray[Any]:
    lacking, more = wanted.difference(ids, sort=False), ids.difference(wanted, sort=False)
    if len(lacking) or len(more):
        raise ValueError(
            f"{models} are not about the same samples: {len(lacking):,} ids are only in the first {_such(lacking)}and "
            f"{len(more):,} only in the second {_such(more)}".rstrip()
            + f". Give files with the same ids, or leave {option('ids')} out: models are then not compared by rows."
        )
    return ids.get_indexer(wanted)


def _such(ids: "pd.Index[Any]") -> str:
    return f"(such as {ids[0]!r}) " if len(ids) else ""
