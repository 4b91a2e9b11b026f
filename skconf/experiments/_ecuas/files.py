"""Scores and true classes of classification systems, from files of arrays."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skconf._core.labels import Codes
from skconf._core.probabilities import Floats
from skconf._core.warn import warn

#: Logits or log-probabilities of shape (n_samples, n_classes), and true classes from 0.
Arrays: TypeAlias = tuple[NDArray[Any], NDArray[Any]]
_TARGETS, _SCORES = "targets.npy", "scores.npy"


def read_arrays(folder: str | PathLike[str]) -> tuple[dict[str, Arrays], list[str]]:
    """Return scores and true classes of every system in a folder, and why others cannot be read.

    Raises
    ------
    FileNotFoundError
        If there are no scores.
    ValueError
        If none can be read.
    """
    files = _files(Path(folder))
    arrays, failed = {}, []
    for name, (of_scores, of_targets) in files.items():
        try:
            scores, targets = _array(of_scores), _array(of_targets)
            as_system(scores, targets)
        except (OSError, ValueError) as error:
            failed.append(f"{name} is left out: {error}")
        else:
            arrays[name] = scores, targets
    if not arrays:
        raise ValueError(f"None of {len(files)} systems in {folder} can be read. {failed[0]}")
    return arrays, failed


def _files(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Return the two files of each system, NAME.scores.npy or NAME/scores.npy, and its targets beside it."""
    files = {}
    for ending in (_SCORES, _TARGETS):
        for path in sorted(folder.glob(f"*/{ending}")):
            files[path.parent.name] = path.with_name(_SCORES), path.with_name(_TARGETS)
        for path in sorted(folder.glob(f"*.{ending}")):
            name = path.name.removesuffix(f".{ending}")
            files[name] = path.with_name(f"{name}.{_SCORES}"), path.with_name(f"{name}.{_TARGETS}")
    if not files:
        raise FileNotFoundError(f"{folder} holds no file NAME.scores.npy or NAME/scores.npy.")
    return dict(sorted(files.items()))


def _array(path: Path) -> NDArray[Any]:
    """Return an array of a file, which is never run as code."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path.name}.")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"{path.name} is no array of numbers, or holds Python objects, which are not read. Save it by numpy.save."
        ) from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path.name} holds several arrays; save one by numpy.save.")
    return array


def as_system(scores: NDArray[Any], targets: NDArray[Any]) -> tuple[Codes, Floats]:
    """Return true classes and probabilities.

    Raises
    ------
    ValueError
        If scores and targets do not match, or hold what they must not.
    """
    if (
        scores.ndim != 2
        or targets.shape != scores.shape[:1]
        or targets.dtype.kind not in "iu"
        or scores.dtype.kind not in "iuf"
    ):
        raise ValueError(
            f"scores have shape {scores.shape} and type {scores.dtype}, and targets shape {targets.shape} and type "
            f"{targets.dtype}; they must be numbers of shape (n_samples, n_classes) and whole numbers of shape "
            "(n_samples,)."
        )
    proba = softmax(scores.astype(np.float64), axis=1)
    if np.isnan(proba).any():
        raise ValueError(f"scores in row {int(np.argmax(np.isnan(proba).any(axis=1)))} are missing or infinite.")
    classes = np.unique(targets)
    if len(classes) < 2:
        raise ValueError("targets hold fewer than two classes: no cost of class frequencies to divide by.")
    if classes[0] < 0 or classes[-1] >= scores.shape[1]:
        raise ValueError(
            f"targets hold class {classes[-1] if classes[0] >= 0 else classes[0]}, but scores have columns for 0 to "
            f"{scores.shape[1] - 1}."
        )
    return targets.astype(np.intp), proba


def systems_of(source: str | PathLike[str] | Mapping[str, Arrays]) -> dict[str, tuple[Codes, Floats]]:
    """Return the systems of a folder, with a warning for each that cannot be read; or those of a mapping."""
    if not isinstance(source, Mapping):
        source, failed = read_arrays(source)
        for reason in failed:
            warn(reason)
    return {name: as_system(*map(np.asarray, arrays)) for name, arrays in source.items()}
