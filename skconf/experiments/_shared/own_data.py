"""The user's own data for the experiments: any table of features with labels."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils import Bunch

from skconf._core.messages import shorten
from skconf.datasets import list_uci

#: The data that experiments take: names of data sets, data by name, or a Bunch.
DataSets = Sequence[str] | Mapping[str, Any]

#: A numeric target with more distinct values is a quantity if the values are not whole numbers, or if few rows share a
#: value.
_MOST_NUMBERS = 20
#: With fewer rows for each distinct number, the numbers are not classes.
_FEW_ROWS = 5
_NAME = "own data"


def own_data(datasets: Any, least: int = 1) -> dict[str, Bunch] | None:
    """Check the user's own data and return them by name; None if the user gave names of known data sets.

    Each has `data` (a DataFrame of numbers and categories), `target` (a Series), `test_mask`, and `digest` (of the
    content). Each class needs at least `least` rows outside the official test set.
    """
    if _is_bunch(datasets):
        datasets = {_name_of(datasets): datasets}
    if isinstance(datasets, str) or not isinstance(datasets, Mapping):
        return None
    if not datasets:
        raise ValueError('datasets is empty. Pass {"name": (X, y)}.')
    return {str(name): _checked(str(name), given, least) for name, given in datasets.items()}


def _is_bunch(given: Any) -> bool:
    return isinstance(given, Mapping) and {"data", "target"} <= given.keys() and not isinstance(given["data"], tuple)


def _name_of(bunch: Mapping[str, Any]) -> str:
    """Return the name that a Bunch from OpenML has; any other Bunch gets a fixed name."""
    details = bunch.get("details")
    name = bunch.get("name") or (details.get("name") if isinstance(details, Mapping) else None)
    return str(name) if name else _NAME


def _checked(name: str, given: Any, least: int) -> Bunch:
    """Check one data set, and return its features and labels."""
    if name in list_uci():
        raise ValueError(f"{name!r} is the name of a data set of the paper. Give your own data another name.")
    if _is_bunch(given):
        X, y, mask = given["data"], given["target"], given.get("test_mask")
    elif isinstance(given, tuple | list) and len(given) == 2:
        (X, y), mask = given, None
    else:
        raise TypeError(f"The data {name!r} must be a pair (X, y) or a Bunch, but are {type(given).__name__}.")
    features = _features(name, X)
    target = _target(name, y, len(features))
    mask = None if mask is None else _mask(name, mask, len(target))
    _check_classes(name, target, target if mask is None else target[~mask], least)
    return Bunch(data=features, target=target, test_mask=mask, name=name, digest=_digest(features, target, mask))


def _features(name: str, X: Any) -> pd.DataFrame:
    """Return features as a frame of numbers and categories."""
    if issparse(X):
        raise TypeError(f"The features of {name!r} are a sparse matrix. Pass X.toarray().")
    frame = X.to_pandas() if hasattr(X, "to_pandas") else X
    if not isinstance(frame, pd.DataFrame):
        values = np.asarray(frame)
        if values.ndim != 2:
            raise ValueError(f"The features of {name!r} must be a table, but have {values.ndim} dimension(s).")
        frame = pd.DataFrame(values).infer_objects()
    if frame.shape[1] == 0 or len(frame) == 0:
        raise ValueError(f"The features of {name!r} have {len(frame)} rows and {frame.shape[1]} columns.")
    columns = [_column(name, str(title), frame.iloc[:, place]) for place, title in enumerate(frame.columns)]
    titles = [str(title) for title in frame.columns]
    twice = sorted({title for title in titles if titles.count(title) > 1})
    if twice:
        raise ValueError(f"Features of {name!r} have the same name: {shorten(twice)}. Rename all but one.")
    return pd.DataFrame(dict(zip(titles, columns, strict=True)))


def _column(name: str, title: str, column: "pd.Series[Any]") -> Any:
    """Return a feature as an array of numbers, or as categories."""
    known = column.dropna()
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(column) or known.empty:
        return _numbers(name, title, column) if known.empty else _categories(column)
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or pd.api.types.is_timedelta64_dtype(column.dtype):
        days = column - known.min() if pd.api.types.is_datetime64_any_dtype(column.dtype) else column
        return (days / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
    if column.dtype != object:
        return _numbers(name, title, column)
    kinds = {type(cell) for cell in known}
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        return _numbers(name, title, column)
    if not all(issubclass(kind, str | int | float | bool | np.generic) for kind in kinds):
        other = sorted(kind.__name__ for kind in kinds)
        raise TypeError(
            f"The feature {title!r} of {name!r} has values of type {' and '.join(other)}. Convert "
            "them to numbers or text."
        )
    return _categories(column)


def _categories(column: "pd.Series[Any]") -> pd.Categorical:
    return pd.Categorical(column.astype("object").map(str, na_action="ignore"))


def _numbers(name: str, title: str, column: "pd.Series[Any]") -> Any:
    try:
        values = column.astype("float64" if column.isna().any() or column.dtype == object else column.dtype)
        values = values.to_numpy(dtype=None if values.dtype.kind in "fiub" else np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"The feature {title!r} of {name!r} has values of type {column.dtype}. Convert them to numbers or text."
        ) from None
    if values.dtype.kind == "f" and np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise ValueError(f"The feature {title!r} of {name!r} is infinite in row {row}. Replace it, or leave it empty.")
    return values


def _target(name: str, y: Any, n_rows: int) -> "pd.Series[Any]":
    """Return the labels; raise if some are missing, or if they are a quantity."""
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    values = y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y, dtype=object if isinstance(y, list) else None)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n_rows:
        raise ValueError(f"The data {name!r} have {n_rows:,} rows of features, but labels of shape {values.shape}.")
    target = pd.Series(values).infer_objects()
    _refuse_quantity(name, target.dropna())
    missing = np.flatnonzero(target.isna())
    if len(missing):
        raise ValueError(
            f"{len(missing):,} of {len(target):,} labels of {name!r} are missing, the first in row {missing[0]}. Leave "
            "these rows out."
        )
    return target


def _refuse_quantity(name: str, target: "pd.Series[Any]") -> None:
    """Raise if a target is a quantity and not a class."""
    if not pd.api.types.is_numeric_dtype(target) or pd.api.types.is_bool_dtype(target):
        return
    distinct = target.unique()
    is_whole = bool((distinct == np.round(distinct)).all())
    if len(distinct) > _MOST_NUMBERS and (not is_whole or len(distinct) * _FEW_ROWS > len(target)):
        raise ValueError(
            f"The target of {name!r} is continuous: {len(distinct):,} distinct numbers in {len(target):,} rows, such "
            f"as {', '.join(f'{each:.4g}' for each in distinct[:3])}. Classes are needed: bin it (pandas.cut), or name "
            "another target."
        )


def _mask(name: str, mask: Any, n_rows: int) -> Any:
    values = np.asarray(mask)
    if values.shape != (n_rows,) or values.dtype != bool:
        raise ValueError(f"test_mask of {name!r} must hold True or False for each of {n_rows:,} rows.")
    if values.all() or not values.any():
        raise ValueError(
            f"test_mask of {name!r} has {values.sum():,} of {n_rows:,} rows. It needs some rows, but not all."
        )
    return values


def _check_classes(name: str, target: "pd.Series[Any]", learned: "pd.Series[Any]", least: int) -> None:
    """Raise if there is only one class, or if a class has too few rows to be in each part of a split."""
    counts = learned.value_counts().reindex(target.unique(), fill_value=0)
    if len(counts) < 2:
        raise ValueError(f"All labels of {name!r} are {counts.index[0]!r}. At least two classes are needed.")
    rare = counts[counts < least].sort_index()
    if len(rare):
        named = ", ".join(f"{label!r} has {count}" for label, count in rare.head(5).items())
        more = f", and {len(rare) - 5:,} more" if len(rare) > 5 else ""
        raise ValueError(
            f"Each class of {name!r} needs at least {least} rows to be in every part of a split: {named}{more}. Merge "
            "these classes with others, or leave their rows out."
        )
    if len(learned) < 2 * least * len(counts):
        needed = 2 * least * len(counts)
        raise ValueError(
            f"{name!r} has {len(learned):,} rows of {len(counts):,} classes, but {needed:,} rows are needed."
        )


def _digest(features: pd.DataFrame, target: "pd.Series[Any]", mask: Any) -> str:
    """Return a digest of the content, so that predictions for other data are not used for these data."""
    digest = hashlib.sha256(repr([*features.columns, *features.dtypes.map(str), len(features)]).encode())
    for part in (features, target):
        digest.update(pd.util.hash_pandas_object(part, index=False).to_numpy().tobytes())
    digest.update(b"" if mask is None else np.packbits(mask).tobytes())
    return digest.hexdigest()
