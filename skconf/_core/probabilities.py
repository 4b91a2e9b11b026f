"""Predicted probabilities are checked in one pass through memory, without a copy."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skconf._core.arrays import as_floats, as_real_array
from skconf._core.labels import Codes
from skconf._core.problems import DataError
from skconf._core.warn import warn

Floats = NDArray[np.float64]

#: Elements of a probability matrix looked at together: few enough to stay in the processor's cache.
_BLOCK_ELEMENTS = 1 << 18
_MOST_ROWS = 1 << 16
#: Smallest probability whose logarithm is taken.
SMALLEST = float(np.finfo(np.float64).tiny)
#: Decimals are counted in units of 1e-15, because float64 holds this many digits of any number.
_UNITS = 1e15


def row_blocks(n_rows: int, n_columns: int = 1, step: int | None = None) -> list[slice]:
    """Divide rows into slices that fit into the cache, or into slices of `step` rows."""
    step = step or min(max(_BLOCK_ELEMENTS // max(n_columns, 1), 256), _MOST_ROWS)
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def as_probabilities(given: ArrayLike, name: str = "y_proba") -> NDArray[Any]:
    """Return probabilities as a floating-point array of shape (n,) or (n, K). If they are one, do not copy it."""
    remedy = (
        " Pass predict_proba's output: shape (n_samples, n_classes), or (n_samples,) with the probability of pos_label."
    )
    array = as_real_array(given, name, remedy)
    if array.dtype.kind in "iub" and array.size:
        warn(
            f"{name} holds whole numbers ({array.dtype}), which look like predicted labels. Pass probabilities, such "
            "as those of predict_proba. If 0 and 1 are probabilities, convert them to float.",
        )
    first = array.flat[0] if array.dtype == object and array.size else None
    if isinstance(first, dict) and {"label", "score"} <= first.keys():  # the output of transformers
        table = f"pd.DataFrame([{{each['label']: each['score'] for each in row}} for row in {name}])"
        raise ValueError(f"{name} holds labels and scores. Pass a table with a column for each label: {table}.")
    proba = as_floats(array, name, remedy)
    if proba.ndim not in (1, 2):
        raise ValueError(f"{name} must have shape (n_samples,) or (n_samples, n_classes), not {proba.shape}.")
    if len(proba) == 0:
        raise ValueError(f"{name} has no rows; pass at least one sample.")
    if proba.ndim == 2 and proba.shape[1] == 0:
        raise ValueError(f"{name} has 0 columns; pass one for each class.")
    return proba


def check_probabilities(proba: NDArray[Any], name: str) -> None:
    """Raise if a probability is missing, or outside [0, 1] by more than a rounding error. The error names its row."""
    for rows in row_blocks(len(proba), 1 if proba.ndim == 1 else proba.shape[1]):
        _check_range(at_least_single(proba[rows]), rows.start, name, proba.dtype)


def at_least_single(block: NDArray[Any]) -> NDArray[Any]:
    """Convert float16 to float32, with which numpy computes a hundred times as fast. Keep other types."""
    return _halves()[block.view(np.uint16)] if block.dtype == np.float16 else block


@cache
def _halves() -> NDArray[np.float32]:
    """Return every float16 as float32. A look-up in this table is several times faster than numpy's conversion."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def read_confidence(
    proba: NDArray[Any], positive: int, predicted: Codes | None, name: str = "y_proba"
) -> tuple[Codes, Floats]:
    """Check every probability. Return the predicted columns and the confidence in them.

    A single column is the probability of the class at position `positive`, of two classes. If `predicted` is None, the
    prediction of a row is its most probable class, or the first of them. Messages call the probabilities `name`.
    """
    n_rows, n_columns = len(proba), 1 if proba.ndim == 1 else proba.shape[1]
    chosen = np.empty(n_rows, dtype=np.intp) if predicted is None else predicted
    confidence = np.empty(n_rows)
    off_sum: list[int] = []
    for rows in row_blocks(n_rows, n_columns):
        block = at_least_single(proba[rows])
        _check_range(block, rows.start, name, proba.dtype)
        if proba.ndim == 2 and not off_sum:
            off_sum = _rows_off_one(block, rows.start, proba.dtype)
        if predicted is None and n_columns <= 2:  # without indexing by rows, which takes most of the time
            first, second = _complements(block, positive) if proba.ndim == 1 else (block[:, 0], block[:, -1])
            np.greater(second, first, out=chosen[rows], casting="unsafe")
            np.maximum(first, second, out=confidence[rows])
            continue
        if proba.ndim == 1:
            block = both_columns(block, positive)
        if predicted is None:
            chosen[rows] = block.argmax(axis=1)
        confidence[rows] = block[np.arange(len(block)), chosen[rows]]
    if off_sum:
        warn(
            "The probabilities of a row should sum to 1; ",
            kind="sum of probabilities",
            row=off_sum[0],
            rest=f" of {name} sums to {float(proba[off_sum[0]].sum(dtype=np.float64)):.10g}. Pass probabilities, not "
            "scores.",
        )
    # The check accepts values that are above 1 or below 0 by a rounding error; metrics need values in [0, 1].
    return chosen, np.clip(confidence, 0.0, 1.0, out=confidence)


def both_columns(positive_proba: NDArray[Any], positive: int) -> Floats:
    """Return the two columns of a binary task from the probability of one class, in float64."""
    columns = np.empty((len(positive_proba), 2), order="F")  # each column is contiguous, for fast sums
    columns[:, positive] = positive_proba
    columns[:, 1 - positive] = complement(columns[:, positive])
    return columns


def _complements(positive_proba: NDArray[Any], positive: int) -> tuple[Floats, Floats]:
    """Return the two columns of :func:`both_columns` as two arrays."""
    given = positive_proba.astype(np.float64, copy=False)
    other = complement(given)
    return (other, given) if positive == 1 else (given, other)


def complement(proba: Floats) -> Floats:
    """Return 1 − p without rounding errors of decimals: 0.3 for 0.7, although 1.0 − 0.7 is not 0.3 in floating point.

    So equal confidences stay equal. The result never rises if p rises.
    """
    units = np.rint(proba * _UNITS)
    written = units / _UNITS == proba
    other = 1.0 - proba
    np.subtract(_UNITS, units, out=units)
    np.divide(units, _UNITS, out=other, where=written)
    return other


def _check_range(block: NDArray[Any], start: int, name: str, dtype: np.dtype[Any]) -> None:
    rounding = 8 * float(np.finfo(dtype).eps)
    if block.min() >= -rounding and block.max() <= 1 + rounding:  # False for NaN, too
        return
    bad = ~((block >= -rounding) & (block <= 1 + rounding))
    where = np.argwhere(bad)[0]
    value = block[tuple(where)]
    column = f", column {where[1]}" if block.ndim == 2 else ""
    kind, wrong = "out of range", f"{value}, outside [0, 1]"
    advice = "Pass probabilities (predict_proba), not scores or logits."
    if np.isnan(value):
        kind, wrong = "missing", "NaN"
        advice = (
            "Leave out rows without probabilities. If the model abstains in these rows, pass abstained to "
            "ConfidenceProfile.from_predictions."
        )
    elif block.min() >= -rounding and 2 < block.max() <= 100 * (1 + rounding):
        kind, advice = "percentages", "If the numbers are percentages, divide them by 100."
    raise DataError(f"{name} has {wrong}, in ", start + where[0], f"{column}. {advice}", kind=kind, column=name)


def _rows_off_one(block: NDArray[Any], start: int, dtype: np.dtype[Any]) -> list[int]:
    """Return the first row whose sum differs from one by more than rounding, in a list; without one, the list is empty.

    Rounding errors of float32 are accepted also in float64, because lists and data frames made from the output of
    networks and XGBoost have them. Rounding to decimals is accepted, too, because files hold rounded numbers.
    """
    tolerance = {2: 3e-2, 4: 1e-4}.get(dtype.itemsize, 5e-6)
    # Some kernels of OpenBLAS read past the end of short rows of float32, and raise a flag for what lies there.
    with np.errstate(invalid="ignore"):
        distance = np.abs(block @ np.ones(block.shape[1], dtype=block.dtype) - 1)
    off = distance > tolerance
    if off.any():
        off &= distance > _rounding_of_sums(block[off])
    return [start + int(np.argmax(off))] if off.any() else []


def _rounding_of_sums(rows: NDArray[Any]) -> float:
    """Return how far sums may differ from one if entries are rounded to 2 to 6 decimals; 0 for more decimals."""
    for decimals in range(2, 7):
        units = rows.astype(np.float64) * 10**decimals
        if (np.abs(units - np.rint(units)) < 0.01).all():
            return (rows.shape[1] / 2 + 0.01) * 10.0**-decimals
    return 0.0
