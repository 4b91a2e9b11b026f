"""What long experiments keep on disk, so that one that was interrupted goes on where it was."""

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from skconf.experiments._xgboost import Predictions


class Results:
    """Predictions of trained models, by all that determines them.

    Parameters
    ----------
    folder : path-like or None
        Where they are kept; made, if need be. None keeps nothing.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder).expanduser()
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def load(self, key: Mapping[str, Any]) -> Predictions | None:
        """Return the predictions of a model, or None where there are none, or none that can be read."""
        path = self._path(key, "npz")
        if path is None:
            return None
        try:
            with path.open("rb") as file, np.load(file) as kept:
                parts = dict(kept)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):
            return None
        return Predictions(**parts | {"rounds": int(parts["rounds"])})

    def save(self, key: Mapping[str, Any], predictions: Predictions) -> None:
        """Keep the predictions of a model: all of them, or none where the process ends before."""
        path = self._path(key, "npz")
        if path is None:
            return
        with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".npz", delete=False) as file:
            np.savez_compressed(file, **asdict(predictions))
        Path(file.name).replace(path)
        journal = self.journal(key)
        if journal is not None:
            journal.unlink(missing_ok=True)

    def journal(self, key: Mapping[str, Any]) -> Path | None:
        """Return the file for the steps of a model that is being trained."""
        return self._path(key, "jsonl")

    def _path(self, key: Mapping[str, Any], suffix: str) -> Path | None:
        if self.folder is None:
            return None
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{key['dataset']}-{key['seed']}-{digest[:16]}.{suffix}"
