"""Tables as CSV that spreadsheets read as they are, and headings that are bold in a terminal."""

import io

import pandas as pd
import pytest

from skconf._core.terminal import csv_text, say


def test_only_texts_that_are_no_numbers_are_kept_from_being_formulas():
    table = pd.DataFrame({"loss": [-0.5, 1.0], "name": ["=1+1", "-1"]})
    assert csv_text(table, index=False).split() == ["loss,name", "-0.5,'=1+1", "1.0,-1"]


@pytest.mark.parametrize(
    ("in_terminal", "settings", "shown"),
    [
        (True, {"TERM": "xterm"}, "\x1b[1mTrust\x1b[0m: Trust it.\n"),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, "Trust: Trust it.\n"),
        (True, {"TERM": "dumb"}, "Trust: Trust it.\n"),
        (False, {"TERM": "xterm"}, "Trust: Trust it.\n"),  # a pipe
    ],
)
def test_headings_are_bold_in_a_terminal_that_does_not_refuse_it(in_terminal, settings, shown, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    stream.isatty = lambda: in_terminal
    say("Trust: Trust it.", stream, headings={"Trust"})
    assert stream.getvalue() == shown
