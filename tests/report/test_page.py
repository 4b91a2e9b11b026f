"""What reports are written as: text, Markdown and pages, in which texts stay texts."""

import pandas as pd
import pytest

from skconf.report import ConfidenceReport
from skconf.report._page import FigurePart, TablePart, new_figure, page

HOSTILE = "</script><b>|\n&amp; $x^$"


def test_tables_hold_texts_and_no_markup():
    part = TablePart(HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE, "-1"], ("a", HOSTILE): ["1", "2"]}), (HOSTILE,))
    shown = page(HOSTILE, HOSTILE, [part.html()])
    assert "<b>" not in shown
    assert "</script" not in shown
    assert "&lt;/script&gt;&lt;b&gt;" in shown
    written = part.markdown()
    assert "<b>" not in written.partition("\n| ")[2].rpartition("|\n")[0]
    assert written.count("\n| ") == 4
    assert r"&lt;b&gt;\| &amp;amp;" in written


def test_a_report_holds_texts_and_no_markup():
    report = ConfidenceReport({HOSTILE: [0.5], "verdict": [HOSTILE]}, index=pd.Index([HOSTILE], name=HOSTILE))
    assert "<b>" not in report._repr_html_()
    assert HOSTILE not in repr(report)
    assert "\x1b" not in repr(ConfidenceReport({"a": [1.0]}, index=["\x1b[2J"]))


def test_figures_hold_texts_and_no_markup():
    pytest.importorskip("matplotlib")
    figure = new_figure(3, 3)
    figure.subplots().set_title(HOSTILE.replace("$", r"\$"))
    assert "<b>" not in FigurePart("a", figure).html()[1]
