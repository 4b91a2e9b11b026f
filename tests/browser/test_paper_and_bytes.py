"""Folded parts on paper, bytes of pages, and numbers that are copied."""

import io

import numpy as np
import pandas as pd
import pytest
from _support.pages import MADE_AGAIN, MARKUP
from _support.visits import on_paper, visit

from skconf import confidence_report


@pytest.mark.parametrize("script", [True, False])
def test_folded_parts_are_open_on_paper(script, opened):
    page = opened("one model", java_script_enabled=script)
    folded = page.locator("details:not([open])").count()
    words = page.locator("details td").all_text_contents()
    assert folded > 3
    assert not page.locator("details td").first.is_visible()
    paper = "".join(on_paper(page).split())
    assert [word for word in words if "".join(word.split()) not in paper] == []
    assert page.locator("details:not([open])").count() == folded


def test_slider_is_printed_where_it_was_left(opened):
    page = opened("one model")
    page.get_by_role("slider").press("Home")
    page.get_by_label("an error costs").fill("4321")
    place, row = page.locator(".slider output").inner_text(), page.locator(".slider tbody tr").inner_text()
    paper = "".join(on_paper(page).split())
    for shown in (place, row, "4321"):
        assert "".join(shown.split()) in paper


@pytest.mark.parametrize(("name", "at_most"), [("one model", 6), ("two models", 7), ("five models", 8)])
def test_sheets_are_few_and_no_heading_stands_without_what_it_is_of(name, at_most, opened):
    from pypdf import PdfReader

    page = opened(name)
    sheets = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    assert len(sheets) <= at_most
    assert ("All metrics, by question" in on_paper(page)) == (name == "one model")  # of several they stay folded


@pytest.mark.parametrize("name", MADE_AGAIN)
def test_bytes_are_the_same_in_another_process(name, pages, pages_again):
    assert pages[name].read_bytes() == pages_again[name].read_bytes()


def test_date_is_that_of_the_environment(pages):
    assert "22 November 2026" in pages["one model"].read_text(encoding="utf-8")


def test_page_of_a_million_rows_is_small(chromium, tmp_path):
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 1_000_000)
    y = (rng.random(len(p)) < p).astype(int)
    file = tmp_path / "million.html"
    confidence_report(y, {"one": p, "two": p**1.2}).save(file)
    assert file.stat().st_size < 150_000
    found = visit(chromium, file)
    assert (found.said, found.overflow["phone"]) == ([], [390, 390, []])
    assert found.violations["light"] == {}


@pytest.fixture
def copied(opened):
    """Return a function that presses the buttons of a page, and gives what each puts on the clipboard."""

    def copy(name, what):
        page = opened(name, permissions=["clipboard-read", "clipboard-write"])
        texts = []
        for button in page.get_by_role("button", name=what).element_handles():
            button.click()
            page.wait_for_function("button => button.textContent === 'Copied'", arg=button)
            texts.append(page.evaluate("navigator.clipboard.readText()"))
        return texts

    return copy


def test_numbers_of_charts_are_copied(copied, pages):
    table = pd.read_csv(pages["one model"].parent / "one.csv")
    confidence = table[["proba_0", "proba_1"]].max(axis=1)
    right = (table["proba_1"] > 0.5) == (table["y_true"] == 1)
    bins, tail, curve = (pd.read_csv(io.StringIO(text)) for text in copied("one model", "Copy the numbers as CSV"))
    share = bins["answers"] / len(table)
    assert share.sum() == pytest.approx(1)
    assert (share * bins["says"]).sum() == pytest.approx(confidence.mean(), rel=1e-5)
    assert (share * bins["right"]).sum() == pytest.approx(right.mean(), rel=1e-5)
    for each in tail.itertuples():
        kept = confidence >= each[1] - 1e-12
        assert each.answers == kept.sum()
        assert each.wrong == pytest.approx((~right[kept]).mean(), rel=1e-5)
        assert each.expected == pytest.approx((1 - confidence[kept]).mean(), rel=1e-5)
    for each in curve.itertuples():
        kept = confidence >= each.threshold
        assert each.answered == pytest.approx(kept.mean(), rel=1e-5)
        assert each.wrong == pytest.approx((~right[kept]).mean(), rel=1e-5, abs=1e-12)


def test_names_with_markup_are_copied_as_they_are(copied):
    bins = pd.read_csv(io.StringIO(copied("markup", "Copy the numbers as CSV")[0]))
    assert set(bins["model"]) == {"<i>a<b>", "&lt;b>"}


def test_anonymous_page_names_nobody(copied, opened):
    texts = [opened("anonymous").content(), *copied("anonymous", "Copy")]
    assert not [secret for secret in (*MARKUP, "ham", "a<b", "a&lt;b", "csv\n") for text in texts if secret in text]


def test_button_says_what_it_does_again_after_two_clicks(opened):
    page = opened("one model", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("button.copy").first
    said = button.text_content()
    page.clock.install()
    page.reload()
    for _ in range(2):
        button.click()
        page.wait_for_function("button => button.textContent === 'Copied'", arg=button.element_handle())
        page.clock.run_for(500)
    page.clock.run_for(3000)
    assert button.text_content() == said
