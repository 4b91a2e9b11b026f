"""Progress on standard error."""

import sys

import pytest

from skconf._core import progress as module
from skconf._core.progress import Steps, duration, progress


@pytest.fixture
def clock(monkeypatch):
    """Let the test say what time it is."""
    now = [100.0]
    monkeypatch.setattr(module, "FIRST", 1.0)
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


def test_the_first_line_comes_in_the_second_second(clock, capsys):
    with progress("training", 40, unit="") as bar:
        clock[0] += 0.9
        bar.update(1)
        assert capsys.readouterr().err == ""
        clock[0] += 0.9
        bar.update(1)
        assert capsys.readouterr().err == "training (5% done, about 34 s left)\n"
        clock[0] += 4
        bar.update(1)
    assert capsys.readouterr().err == ""


class TestSteps:
    def test_what_takes_less_than_a_second_says_nothing(self, monkeypatch, capsys):
        monkeypatch.setattr(module, "FIRST", 60.0)
        with Steps(2) as steps:
            steps.begin("reading")
            steps.begin("counting")
        assert capsys.readouterr() == ("", "")

    def test_says_the_step_that_takes_long_and_those_after_it(self, monkeypatch, capsys):
        monkeypatch.setattr(module, "FIRST", 0.05)
        with Steps(3) as steps:
            steps.begin("loading")
            steps.begin("reading")
            steps._clock.join()
            steps.begin("counting")
        assert capsys.readouterr() == ("", "skconf: reading (step 2 of 3)\nskconf: counting (step 3 of 3)\n")

    def test_nothing_is_said_once_it_has_ended(self, monkeypatch, capsys):
        monkeypatch.setattr(module, "FIRST", 0.05)
        with Steps(1) as steps:
            steps.begin("reading")
        steps._clock.join()
        assert capsys.readouterr() == ("", "")

    def test_a_terminal_keeps_one_line_which_is_erased(self, monkeypatch, capsys):
        monkeypatch.setattr(module, "FIRST", 0.0)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        with Steps(2) as steps:
            steps._clock.join()
            steps.begin("reading the first file")
            steps.begin("counting")
        *written, erased = capsys.readouterr().err.split("\r")[1::2]
        assert [line.rstrip() for line in written] == [
            "skconf: reading the first file (step 1 of 2)",
            "skconf: counting (step 2 of 2)",
        ]
        assert len(written[1]) == len(written[0])  # nothing of the longer one is left
        assert erased == " " * len(written[1].rstrip())


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
