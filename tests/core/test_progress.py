"""Progress on standard error."""

import sys

import pytest

from skconf._core import progress as module
from skconf._core.progress import duration, progress


@pytest.fixture
def clock(monkeypatch):
    """Let the test say what time it is."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_plain_lines_tell_how_long_the_rest_takes(clock, capsys):
    with progress("training", 8, unit="") as bar:
        bar.write("first model")
        clock[0] += 4
        bar.update(1)  # not yet five seconds since the last line
        clock[0] += 26
        bar.update(1)
        bar.write("second model")
        clock[0] += 90
        bar.update(6)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "first model",
        "training (25% done, about 2 min left)",  # 30 s for two of eight
        "second model (25% done, about 2 min left)",
    ]


def test_lines_get_rarer(clock, capsys):
    with progress("training", 3601, unit="") as bar:
        for _ in range(3600):
            clock[0] += 1
            bar.update(1)
    assert 15 < len(capsys.readouterr().err.splitlines()) < 60


def test_without_a_total_there_is_no_time_left(clock, capsys):
    with progress("downloading", None, unit="B") as bar:
        clock[0] += 60
        bar.update(5)
        bar.write("halfway, perhaps")
    assert capsys.readouterr().err == "halfway, perhaps\n"


def test_quiet(capsys):
    with progress("training", 2, unit="", quiet=True) as bar:
        bar.write("line")
        bar.update(1)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal_leaves_standard_output_alone(monkeypatch, capsys):
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("training", 2, unit="") as bar:
        bar.write("line")
        bar.update(1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "line" in err
    assert "training" in err


def test_lines_where_tqdm_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(module, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("training", 2, unit="") as bar:
        bar.write("line")
    assert capsys.readouterr().err == "line\n"


@pytest.mark.parametrize(("seconds", "text"), [(4.2, "4 s"), (89, "89 s"), (150, "2 min"), (7200, "2.0 h")])
def test_duration(seconds, text):
    assert duration(seconds) == text
