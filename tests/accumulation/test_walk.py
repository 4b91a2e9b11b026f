"""How far a row of a file goes on its way to a number: calls of the package's functions, and files that they are in."""

import sys
from pathlib import Path

import pandas as pd
import pytest
from _support.predictions import draw_classes

import skconf
from skconf import accumulate

#: Fewer are better: whoever needs more looks for a fact that is worked out twice, or a wall in the wrong place.
MOST_CALLS, MOST_FILES = 300, 33


def calls_of(run):
    """Return the file of each call of a function of the package, and of each time that a generator goes on."""
    found, home = [], str(Path(skconf.__file__).parent)

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(home):
            found.append(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return found


def test_of_a_row_of_parquet_is_short(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "small.parquet"
    labels, proba = draw_classes(1_000, 2)
    pd.DataFrame({"y_true": labels, "proba_0": proba[:, 0], "proba_1": proba[:, 1]}).to_parquet(path)

    def run():
        return accumulate(path, "cw_accuracy").result()

    run()  # what is read once, such as the names of metrics, is no part of it
    calls = calls_of(run)
    assert len(calls) <= MOST_CALLS
    assert len(set(calls)) <= MOST_FILES
