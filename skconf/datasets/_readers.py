"""Read raw files as data frames. All facts about data sets are in the registry, and none are in this code."""

import gzip
import importlib
import io
import pickle
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.datasets
from numpy.typing import NDArray

from skconf.datasets._registry import DataSet, Table

#: A frame for each file, by the name of the file. The column ``data_set.target`` holds the labels.
Frames = dict[str, pd.DataFrame]


@contextmanager
def _naming(path: Path, data_set: DataSet) -> Iterator[None]:
    """Raise every error about a file as a ValueError that names the file."""
    try:
        yield
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error, pickle.UnpicklingError) as error:
        raise ValueError(
            f"Cannot use {path}: {str(error).strip()}. Replace it with the file of that name from {data_set.page}."
        ) from error


def _read_scikit_learn(data_set: DataSet, paths: Sequence[Path]) -> Frames:  # noqa: ARG001
    loaded = getattr(sklearn.datasets, f"load_{data_set.name}")(as_frame=True)
    return {"scikit-learn": loaded.frame}


# Tables: .csv, also compressed, .arff and .xls ----------------------------------------------------------------------


def _read_tables(data_set: DataSet, paths: Sequence[Path]) -> Frames:
    layout = data_set.table
    if layout is None:
        raise ValueError(f"The registry has no columns for the table {data_set.name!r}. Add the columns to uci.toml.")
    frames = {}
    for path in paths:
        with _naming(path, data_set):
            frames[path.name] = _read_table(path, layout)
    return frames


def _read_table(path: Path, table: Table) -> pd.DataFrame:
    read = _read_xls if path.suffix == ".xls" else _read_csv
    frame = read(path, table).drop(columns=list(table.drop))
    if table.drop_incomplete:
        frame = frame.dropna()
    for column in frame:
        cells = frame[column]
        if table.missing is None and cells.isna().any():
            raise ValueError(f"column {column!r} has empty cells")
        if column not in table.text and not pd.api.types.is_numeric_dtype(cells):
            frame[column] = pd.to_numeric(cells, errors="coerce")
            bad = cells[frame[column].isna() & cells.notna()]
            if len(bad):
                raise ValueError(f"column {column!r} must hold numbers, found {bad.iloc[0]!r}")
    if table.target_suffix:
        frame[table.target] = frame[table.target].str.removesuffix(table.target_suffix)
    return frame


def _read_csv(path: Path, table: Table) -> pd.DataFrame:
    options = {
        "sep": table.separator,
        "comment": table.comment,
        "skiprows": table.skip_rows,
        "skipinitialspace": True,
        "keep_default_na": False,  # words such as "None" or "NA" are categories like any other
    }
    names = _check_columns(pd.read_csv(path, header=None, nrows=1, dtype=str, **options).iloc[0].to_list(), table)
    frame = pd.read_csv(
        path,
        names=names,
        header=0 if table.header else None,
        dtype=dict.fromkeys(table.text, str),
        na_values=[table.missing or ""],
        low_memory=False,  # one dtype per column, not one per chunk
        **options,
    )
    # If the first row is too long, pandas shifts all columns and reads the first ones as an index.
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"rows have more than {len(names)} cells")
    return frame


def _read_xls(path: Path, table: Table) -> pd.DataFrame:
    # pandas reads .xls through xlrd too, but deprecates that.
    try:
        xlrd = importlib.import_module("xlrd")
    except ImportError as error:
        raise ImportError(f"Reading {path} needs xlrd: pip install xlrd") from error
    try:
        book = xlrd.open_workbook(path, logfile=io.StringIO())
        sheet = book.sheet_by_index(0)
        lines = [sheet.row_values(row) for row in range(table.skip_rows, sheet.nrows)]
    except Exception as error:  # for a damaged file xlrd raises IndexError, struct.error and others
        raise ValueError(f"it is not a readable .xls file ({error})") from error

    def cell(value: object) -> object:
        if value in ("", table.missing):
            return None
        # The format stores whole numbers as floats.
        return int(value) if isinstance(value, float) and value.is_integer() else value

    names = _check_columns(lines[0] if lines else [], table)
    rows = lines[1:] if table.header else lines
    return pd.DataFrame([[cell(value) for value in row] for row in rows], columns=names)


def _check_columns(first: list[Any], table: Table) -> list[str]:
    """Return the names of the columns; raise if they do not fit the first row of the file."""
    if isinstance(table.columns, int):
        if len(first) != table.columns or table.target not in first:
            raise ValueError(
                f"expected {table.columns} columns, one of them {table.target!r}, found {len(first)}: {first}"
            )
        return first
    names = list(table.columns)
    if not table.header:
        if len(first) != len(names):
            raise ValueError(f"expected {len(names)} columns without a header, found {len(first)}")
    elif first != names:
        absent = [column for column in names if column not in first]
        problem = f"missing columns: {absent}" if absent else "columns added, repeated or in another order"
        raise ValueError(f"{problem}; found columns: {first}; expected columns: {names}")
    return names


# Images --------------------------------------------------------------------------------------------------------------


def _image_frame(pixels: NDArray[np.uint8], labels: Any) -> pd.DataFrame:
    """Return images and labels as one frame, with a row for each image."""
    if len(pixels) != len(labels):
        raise ValueError(f"there are {len(pixels)} images, but {len(labels)} labels")
    flat = pixels.reshape(len(pixels), -1)
    frame = pd.DataFrame(flat, columns=[f"pixel{number}" for number in range(flat.shape[1])])
    return frame.assign(target=np.asarray(labels, dtype=np.int64))


def _read_idx(data_set: DataSet, paths: Sequence[Path]) -> Frames:
    """Read files in the format of MNIST: each file of images is followed by the file of their labels."""
    frames = {}
    for images, labels in zip(paths[::2], paths[1::2], strict=True):
        arrays = []
        for path in (images, labels):
            with _naming(path, data_set):
                arrays.append(_idx_array(gzip.decompress(path.read_bytes())))
        with _naming(images, data_set):
            frames[images.name] = _image_frame(*arrays)
    return frames


def _idx_array(content: bytes) -> NDArray[np.uint8]:
    # Two zeros, the code of the type, the number of dimensions; then their lengths, four bytes each.
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise ValueError("it is not an idx file of unsigned bytes")
    start = 4 + 4 * content[3]
    shape = tuple(int(length) for length in np.frombuffer(content[4:start], dtype=">u4"))
    if len(content) != start + int(np.prod(shape)):
        raise ValueError(f"its header says an array of shape {shape}, but the file has {len(content) - start:,} values")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def _read_cifar(data_set: DataSet, paths: Sequence[Path]) -> Frames:
    """Read batches of images, in the Python format of CIFAR."""
    frames = {}
    for path in paths:
        with _naming(path, data_set):
            batch = _ArrayUnpickler(io.BytesIO(path.read_bytes()), encoding="bytes").load()
            if not isinstance(batch, dict) or not {b"data", b"labels"} <= batch.keys():
                raise ValueError("it does not hold a dictionary with data and labels")
            frames[path.name] = _image_frame(batch[b"data"], batch[b"labels"])
    return frames


class _ArrayUnpickler(pickle.Unpickler):
    """Unpickle numpy arrays; refuse everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] == "numpy" and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]  # its module depends on the version of numpy
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"it loads {module}.{name}, which a file of images does not need")


#: How each format is read.
READERS: dict[str, Callable[[DataSet, Sequence[Path]], Frames]] = {
    "scikit-learn": _read_scikit_learn,
    "table": _read_tables,
    "idx": _read_idx,
    "cifar": _read_cifar,
}
