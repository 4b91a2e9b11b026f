"""The results that long experiments keep on disk, so that an interrupted one can continue."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np

from skconf.experiments._csr.training import Predictions
from skconf.experiments._shared.folders import as_file_name, prepare_results
from skconf.experiments._shared.journal import Journal

if sys.platform != "win32":
    import fcntl


class Results:
    """Predictions of trained models, found by everything that determines them.

    Several runs may use one folder at once: a model is trained by one of them, while the others wait for it.

    Parameters
    ----------
    folder : path-like or None
        The folder of the files. None keeps nothing.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder).expanduser()

    def prepare(self) -> None:
        """Make the folder and test that it can be written to, before hours of training.

        Raises
        ------
        ResultsFolderError
            If it cannot.
        """
        prepare_results(self.folder)

    def load(self, key: Mapping[str, Any]) -> Predictions | None:
        """Return the predictions of a model, or None if there are none that can be read."""
        path = self._path(key, "npz")
        if path is None:
            return None
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                return _checked(dict(kept))
        except Exception:  # noqa: BLE001 – a damaged file makes zipfile and numpy raise errors of a dozen kinds
            return None

    def save(self, key: Mapping[str, Any], predictions: Predictions) -> None:
        """Keep the predictions of a model: all of them, or none if the process ends early."""
        path = self._path(key, "npz")
        if path is None:
            return
        # One name for each model, so that the next process replaces the rest of a killed one.
        unfinished = path.with_suffix(".part")
        try:
            with unfinished.open("wb") as file:
                np.savez_compressed(file, **asdict(predictions))
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        _remove(path.with_suffix(".jsonl"))

    @contextmanager
    def training(self, key: Mapping[str, Any], waiting: Callable[[], Any]) -> Iterator[Journal | None]:
        """Train a model while no other run does, with the journal of its search.

        Parameters
        ----------
        key : mapping
            All that determines the model.
        waiting : callable
            Called before waiting, if another run is training the model.
        """
        path = self._path(key, "jsonl")
        if path is None:
            yield None
            return
        with path.open("a", encoding="utf-8") as file:
            _lock(file, waiting)
            try:
                yield Journal(path)
            finally:
                with suppress(OSError):
                    if path.stat().st_size == 0:
                        _remove(path)

    def _path(self, key: Mapping[str, Any], suffix: str) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{as_file_name(key['dataset'])}-{key['seed']}-{digest[:16]}.{suffix}"


def _lock(file: IO[str], waiting: Callable[[], Any]) -> None:
    """Wait until no other process has locked a file, and lock it; the end of a process, however it comes, unlocks."""
    if sys.platform == "win32":  # two runs may train the same model there, but nothing is mixed up
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        waiting()
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:  # a file system without locks: work may be done twice, but nothing is mixed up
        return


def _remove(path: Path) -> None:
    with suppress(OSError):  # Windows keeps what is open
        path.unlink()


def _checked(parts: Mapping[str, Any]) -> Predictions:
    """Return predictions from their arrays; raise if these do not match."""
    found = Predictions(**{**parts, "rounds": int(parts["rounds"])})
    n_classes = len(found.classes)
    for proba, true_class in (
        (found.validation_proba, found.validation_class),
        (found.test_proba, found.test_class),
    ):
        if proba.shape != (len(true_class), n_classes) or not np.isin(true_class, np.arange(n_classes)).all():
            raise ValueError("the arrays do not match")
    return found
