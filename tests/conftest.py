"""Data shared by tests."""

import gc
import os
import sys
import warnings
from pathlib import Path

# Before anything loads OpenMP: tests run in several processes, whose threads would wait for each other in busy loops.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What one process compiles the others read: workers, and dozens of processes that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Workers are given a width of 80 characters, at which commands break their tables.
os.environ.pop("COLUMNS", None)

import numpy as np
import pytest

import skconf

sys.dont_write_bytecode = False
pytest.register_assert_rewrite("_support.metrics.properties")

PACKAGE = str(Path(skconf.__file__).parent)
#: Tests of which all cases together compute for 0.4 seconds or more: one a line.
LONG = frozenset(Path(__file__).with_name("long.txt").read_text(encoding="utf-8").split())


@pytest.hookimpl(tryfirst=True)  # before any are left out by their marks
def pytest_collection_modifyitems(items):
    """Mark as long what is listed, and what has a mark that says so; put first what trains the same models again."""
    # One process has all of it, and trains each model once. At the end, others would wait for it.
    items.sort(key=lambda item: item.path.name != "test_documentation.py")
    for item in items:
        if item.nodeid.partition("[")[0] in LONG or {"slow", "simulation", "dask", "spark", "browser"} & {
            *item.keywords
        }:
            item.add_marker("long")


def pytest_collection_finish():
    """Spare the collector of garbage thousands of tests and modules, which stay until the end: a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


#: Warnings of the test that runs, whose line is neither the test's own nor a script's that it runs.
MISPLACED = []


def _warn(message, category=None, stacklevel=1, *, warn=warnings.warn, **given):
    if sys._getframe(1).f_globals.get("__name__", "").startswith("skconf."):
        code = sys._getframe(stacklevel).f_code
        if code.co_filename.startswith((PACKAGE, sys.base_prefix)) or "site-packages" in code.co_filename:
            MISPLACED.append(f"{code.co_filename}, in {code.co_name}: {message}")
    warn(message, category, stacklevel=stacklevel + 1, **given)


# Two fixtures of every test would cost 10 seconds of computing in all.
@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    """Look at each warning; show no progress by the clock: standard error depends on how busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "warn", _warn)
        patch.setattr("skconf._core.progress.FIRST", 1e6)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Hold every warning of every test to the line of a user."""
    try:
        result = yield
        assert not MISPLACED, f"warnings name lines that are not the user's: {MISPLACED}"
        return result
    finally:
        MISPLACED.clear()


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
