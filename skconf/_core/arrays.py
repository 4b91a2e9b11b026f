"""Conversion of the input of users to arrays. Input that would be misread is refused."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Types in which arithmetic is done.
_FLOATS = (np.float16, np.float32, np.float64)


def refuse_hidden(values: Any, name: str) -> None:
    """Refuse masked arrays with hidden values, and lists of such arrays, because the hidden values would be read."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.is_masked(values)
    elif isinstance(values, (list, tuple)):
        masked = any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, values)))
        hidden = masked and any(map(np.ma.is_masked, values))
    else:
        hidden = False
    if hidden:
        raise ValueError(
            f"{name} is a masked array with hidden values. Leave out the rows with hidden values, or fill these values "
            "in."
        )


def as_array(values: Any, name: str, kind: str = "an array", remedy: str = "") -> NDArray[Any]:
    """Return values of any kind as an array in the machine's byte order. An array is not copied.

    Raise if values are hidden (a masked array) or in fields (a structured array), or if they cannot be read. The
    message ends with `remedy`.
    """
    refuse_hidden(values, name)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:  # RuntimeError: a tensor that needs a gradient
        remedy = f" Pass {name}.detach().cpu().numpy()." if hasattr(values, "requires_grad") else remedy
        raise ValueError(f"{name} could not be read as {kind}: {_sentence(error)}{remedy}") from None
    if array.dtype.names is not None:
        fields = array.dtype.names
        raise ValueError(
            f"{name} is a structured array with the fields {', '.join(map(repr, fields))}. Pass one field, "
            f"{name}[{fields[0]!r}], or several as columns: numpy.lib.recfunctions.structured_to_unstructured({name})."
        )
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def as_real_array(values: Any, name: str, remedy: str = "") -> NDArray[Any]:
    """Return values as an array that may hold real numbers. Refuse dates, durations and complex numbers."""
    if sparse.issparse(values):
        raise ValueError(f"{name} is a sparse matrix. Pass a dense array: {name}.toarray().")
    array = as_array(values, name, "numbers", remedy)
    if array.dtype.kind in "mMc":
        what = {"m": "durations", "M": "dates", "c": "complex numbers"}[array.dtype.kind]
        raise ValueError(f"{name} holds {what} ({array.dtype}), but real numbers are needed.{remedy}")
    return array


def as_floats(values: Any, name: str, remedy: str = "") -> NDArray[Any]:
    """Return values as floating-point numbers of 16, 32 or 64 bits. Such numbers are not copied."""
    if type(values) is np.ndarray and values.dtype in _FLOATS:
        return values
    array = as_real_array(values, name, remedy)
    if array.dtype in _FLOATS:
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} could not be read as numbers: {_sentence(error)}{remedy}") from None


def _sentence(error: Exception) -> str:
    return str(error).rstrip(".") + "."
