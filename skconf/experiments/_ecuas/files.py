"""Scores and true classes of classification systems, from files of arrays or tables of predictions."""

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.warn import warn
from skconf.tables._columns import Columns
from skconf.tables._files import open_table
from skconf.tables._paths import list_files, stem
from skconf.tables._rows import guess_columns, read_rows

#: Logits or log-probabilities of shape (n_samples, n_classes), and true classes as whole numbers from 0.
Arrays: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
_TARGETS, _SCORES = "targets.npy", "scores.npy"
#: The file of `experiment csr --save-predictions` that calibrations are fitted on. It is not a system.
_NO_SYSTEM = "validation"


def read_arrays(folder: str | PathLike[str]) -> tuple[dict[str, Arrays], list[str]]:
    """Return scores and true classes of every system in a folder, and the reasons why others cannot be read.

    Tables of predictions are read if there are no arrays.
    """
    files = _files(Path(folder))
    arrays, failed = {}, []
    for name, of_system in files.items():
        try:
            scores, targets = map(_array, of_system) if len(of_system) == 2 else _predictions(*of_system)
            as_system(scores, targets)
        except (OSError, ValueError, ImportError) as error:
            failed.append(f"{name} is left out: {error}")
        else:
            arrays[name] = scores, targets
    if not arrays:
        raise ValueError(f"None of {len(files)} systems in {folder} can be read. {failed[0]}")
    return arrays, failed


def _files(folder: Path) -> dict[str, tuple[Path, ...]]:
    """Return the files of each system: arrays of scores and targets or, if a folder has no arrays, a table."""
    files: dict[str, tuple[Path, ...]] = {}
    for ending in (_SCORES, _TARGETS):
        for path in sorted(folder.glob(f"*/{ending}")):
            files[path.parent.name] = path.with_name(_SCORES), path.with_name(_TARGETS)
        for path in sorted(folder.glob(f"*.{ending}")):
            name = path.name.removesuffix(f".{ending}")
            files[name] = path.with_name(f"{name}.{_SCORES}"), path.with_name(f"{name}.{_TARGETS}")
    if not files and folder.is_dir():
        with suppress(FileNotFoundError):
            tables = [path for path in list_files(folder) if stem(path.name) != _NO_SYSTEM]
            files = {path.with_name(stem(path.name)).relative_to(folder).as_posix(): (path,) for path in tables}
    if not files:
        raise FileNotFoundError(
            f"{folder} has no file NAME.scores.npy or NAME/scores.npy, and no table of predictions."
        )
    return dict(sorted(files.items()))


def _predictions(path: Path) -> Arrays:
    """Return log-probabilities and true classes of a table of predictions."""
    table = open_table(path)
    rows = read_rows(table, guess_columns([table], Columns())[0])
    if rows is None:
        raise ValueError("there are no rows.")
    if rows.profile.proba is None or rows.profile.true_class is None:
        raise ValueError(f"{path.name} needs the true label, and a column proba_CLASS for each class.")
    with np.errstate(divide="ignore"):  # a probability of 0
        return np.log(rows.profile.proba.astype(np.float64)), rows.profile.true_class


def _array(path: Path) -> NDArray[Any]:
    """Return the array in a file; refuse Python objects, which could run code."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path.name}.")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"{path.name} is not an array of numbers, or has Python objects, which are not read. Save it with "
            "numpy.save."
        ) from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path.name} has several arrays. Save one array with numpy.save.")
    return array


def as_system(scores: NDArray[Any], targets: NDArray[Any]) -> tuple[Codes, Floats]:
    """Return true classes and probabilities; raise if scores and targets do not match, or hold invalid values."""
    if (
        scores.ndim != 2
        or targets.shape != scores.shape[:1]
        or targets.dtype.kind not in "iu"
        or scores.dtype.kind not in "iuf"
    ):
        raise ValueError(
            f"scores have shape {scores.shape} and type {scores.dtype}, and targets shape {targets.shape} and type "
            f"{targets.dtype}. Scores must be numbers of shape (n_samples, n_classes), and targets whole numbers of "
            "shape (n_samples,)."
        )
    proba = softmax(scores.astype(np.float64), axis=1)
    if np.isnan(proba).any():
        raise ValueError(f"scores in row {int(np.argmax(np.isnan(proba).any(axis=1)))} are missing or infinite.")
    classes = np.unique(targets)
    if len(classes) < 2:
        raise ValueError("targets have fewer than two classes, so the cost cannot be divided by the cost of a guess.")
    if classes[0] < 0 or classes[-1] >= scores.shape[1]:
        raise ValueError(
            f"targets have class {classes[-1] if classes[0] >= 0 else classes[0]}, but scores have columns for 0 to "
            f"{scores.shape[1] - 1}."
        )
    return targets.astype(np.intp), proba


def systems_of(source: str | PathLike[str] | Mapping[str, Arrays]) -> dict[str, tuple[Codes, Floats]]:
    """Return the systems of a folder or of a mapping, with a warning for each system that cannot be read."""
    if not isinstance(source, Mapping):
        source, failed = read_arrays(source)
        for reason in failed:
            warn(reason)
    return {name: as_system(*map(np.asarray, arrays)) for name, arrays in source.items()}
