"""How agreement with printed values is told, and what a page of an experiment says of itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from skconf.experiments._shared import charts
from skconf.experiments._shared.agreement import agreement_words, listed, not_compared
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import plain_table


def cells_of(deviations, errors=0.1, note="", quantity="accuracy"):
    figures = {"model": "m", "quantity": quantity, "ours": 0.5, "paper": 0.5, "standard_error": errors}
    return pd.DataFrame({**figures, "deviation": deviations, "note": note})


@pytest.fixture
def cells():
    """Sixty values that can be compared, two that do not vary, five that are noted, one that is not printed."""
    near, far = cells_of(np.linspace(-1.99, 1.99, 57)), cells_of([2.01, -3.5, 7.0], quantity="csr")
    fixed = cells_of([0.0, np.inf], errors=0.0)
    noted = [cells_of([np.nan] * 3, note="one draw", quantity="csr"), cells_of([0.3] * 2, note="rounded")]
    return pd.concat([near, far, fixed, *noted, cells_of([np.nan]).assign(paper=np.nan)], ignore_index=True)


def test_agreement_beside_that_of_chance(cells):
    varying, fixed = agreement_words(cells)
    # 95.45% of 60 are 57.27.
    assert varying.startswith("57 of 60 comparable values are within 2 standard errors of the printed ones. About 57")
    assert varying.endswith("are expected by chance.")
    assert fixed.startswith("1 of 2 values with a standard error of 0 agree with the printed ones")
    assert fixed.endswith(". Others do not: accuracy of m.")
    (left_out,) = not_compared(cells)
    assert left_out == "5 of 67 printed values cannot be compared: 3 of CSR (one draw); 2 of accuracy (rounded)."


def test_few_figures_and_none():
    assert agreement_words(cells_of([0.1] * 9))[0].endswith("About 8.6 are expected by chance.")
    assert agreement_words(cells_of([0.1], note="one draw")) == ["None of the printed values can be compared."]
    own = cells_of([np.nan]).assign(paper=np.nan)
    assert "nothing is compared" in agreement_words(own)[0]
    assert not_compared(own) == []


@pytest.mark.parametrize(("words", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_lists_in_sentences(words, said):
    assert listed(words) == said


@pytest.fixture
def report(cells):
    table = plain_table("Table 1", pd.DataFrame({"model": ["m"], "accuracy": ["0.1234"]}))
    points = pd.DataFrame({"row": ["m"], "ours": [0.5]})
    chart = charts.rows_chart("A picture", "It shows.", charts.Axis("x"), ["m"], {"": points}, cells)
    found = {"charts": [chart], "notes": ["Read | it."], "source": {"seed": "3"}}
    return ExperimentReport("An experiment", cells, ["It is so."], [table], left_out=["Not that."], **found)


def test_a_page_opens_with_the_result(report, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795391999")
    command = "skconf experiment x --html /data/x.html"
    page = report.page(command)
    order = ["An experiment", "22 November 2026", "It is so.", "Not that.", "<svg", "0.1234", "Read | it.", "made by"]
    places = [page.index(part, page.index("<body")) for part in order]
    assert places == sorted(places)
    assert "skconf experiment x --html x.html" in page
    assert "/home" not in page
    assert f"numpy {np.__version__}, " in page
    assert page == report.page(command)


def test_a_section_without_content_is_left_out():
    page = ExperimentReport("An experiment", pd.DataFrame(), ["It is so."], []).page()
    assert "What do the pictures show?" not in page
    assert "Where does this come from?" in page


def test_the_same_as_text(report):
    assert report.text().splitlines()[::2] == ["It is so.", "Not that.", "Table 1", "    m   0.1234"]
    assert report.markdown().startswith("# An experiment\n\nIt is so.\n\nNot that.\n\nRead | it.\n\n## Table 1\n")


def test_what_is_compared_stands_first(report, cells):
    compared = replace(report, compared=cells)
    assert compared.result == [*agreement_words(cells), "It is so."]
    assert compared.not_compared == [*not_compared(cells), "Not that."]
    assert compared.csv().splitlines()[0] == "model,quantity,ours,paper,standard_error,deviation,note"
