"""Data shared by tests."""

import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def model_outputs():
    """Folder of real model outputs: scores/ and cwsa/."""
    folder = os.environ.get("SKCONF_TEST_DATA")
    if not folder:
        pytest.skip("SKCONF_TEST_DATA is not set: it names the folder of the model outputs that papers evaluate")
    return Path(folder)


@pytest.fixture(scope="session")
def system(model_outputs):
    """Return a function from the name of a system to its labels and probabilities."""

    def load(name):
        scores = np.load(model_outputs / "scores" / f"{name}.scores.npy").astype(np.float64)
        targets = np.load(model_outputs / "scores" / f"{name}.targets.npy")
        proba = np.exp(scores - scores.max(axis=1, keepdims=True))
        return targets, proba / proba.sum(axis=1, keepdims=True)

    return load
