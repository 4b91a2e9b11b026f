"""What the slider shows at a stop is what the threshold that it names gives, whoever passes it on."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from _support import pages as made
from scipy.stats import binomtest

from skconf import ConfidenceReport
from skconf.cli import main

#: The table at each stop: the words of the stop, as shown and as read aloud, and the cells of each row.
MOVED = """() => {
    const box = document.querySelector('.slider');
    const range = box.querySelector('input[type=range]');
    const found = [];
    for (let stop = +range.min; stop <= +range.max; stop++) {
        range.value = stop;
        range.dispatchEvent(new Event('input', {bubbles: true}));
        const rows = [...box.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent));
        found.push([box.querySelector('output').textContent, range.getAttribute('aria-valuetext'), rows]);
    }
    return found;
}"""
SLID = [
    "one model",
    "two models",
    "ids and threshold",
    "weighted",
    "correctness only",
    "hard confidences",
    "ten classes",
]


def counted(file):
    """Return confidence, correctness and weight of each row of a file, counted here."""
    table = pd.read_csv(file, dtype=str)
    weight = np.array([float(text) for text in table.get("sample_weight", ["1"] * len(table))])
    if "correct" in table:
        return np.array([float(text) for text in table["confidence"]]), table["correct"].to_numpy() == "1", weight
    proba = table.filter(like="proba_").map(float)
    said = proba.idxmax(axis=1).str.removeprefix("proba_")
    return proba.max(axis=1).to_numpy(), (said == table["y_true"]).to_numpy(), weight


def shown_number(text):
    """Return a number as shown, and half a unit of its last digit."""
    digits = re.match(r"[\d,]*\.?\d*", text)[0].replace(",", "")
    return float(digits), 0.5 * 10.0 ** -len(digits.partition(".")[2]) + 1e-9


def agrees(text, exact):
    value, half = shown_number(text)
    return abs(value - exact) <= half


def files_of(name):
    return [option for option in made.EVALUATED[name] if option.endswith(".csv")]


@pytest.mark.parametrize("name", SLID)
def test_every_stop_is_what_its_threshold_gives(name, opened, pages):
    stops = opened(name).evaluate(MOVED)
    files = [pages[name].parent / file for file in files_of(name)]
    columns = [counted(file) for file in files]
    assert len(stops) > 10
    every = -(-len(stops) // 60)  # the report is asked at some stops; all are counted
    for number, (place, aloud, rows) in enumerate(stops):
        assert place == aloud
        for file, (confidence, correct, weight), row in zip(files, columns, rows, strict=True):
            _, threshold, answered, wrong, people, _ = row
            if threshold == "–":
                assert (answered, wrong, people) == ("0", "–", "1,000")
                continue
            kept = confidence >= float(threshold)
            share, errors = weight[kept].sum() / weight.sum(), weight[kept & ~correct].sum() / weight[kept].sum()
            assert agrees(answered, 1000 * share)
            assert agrees(people, 1000 * (1 - share))
            assert agrees(wrong, 100 * errors)
            if number % every:
                continue
            report = ConfidenceReport.from_files(
                file, threshold=float(threshold), metrics=["coverage_score", "selective_accuracy_score"]
            )
            assert report.frame["value"].tolist() == pytest.approx([share, 1 - errors], abs=1e-12)


@pytest.mark.parametrize("name", ["one model", "correctness only"])
def test_intervals_are_exact(name, opened, pages):
    confidence, correct, _ = counted(pages[name].parent / files_of(name)[0])
    for _, _, [row] in opened(name).evaluate(MOVED)[1:]:  # the first answers nothing
        kept = confidence >= float(row[1])
        low, high = binomtest(int((kept & ~correct).sum()), int(kept.sum())).proportion_ci(method="exact")
        ends = re.search(r"\[(.*), (.*)\]", row[3])
        assert agrees(ends[1], 100 * low)
        assert agrees(ends[2], 100 * high)


def test_stops_reach_from_the_surest_to_all_and_miss_none_of_a_small_file(opened, pages):
    confidence, _, _ = counted(pages["correctness only"].parent / "answers.csv")
    nothing, *stops = opened("correctness only").evaluate(MOVED)
    assert nothing[0] == "0 of 1,000"
    kept = [int((confidence >= float(row[1])).sum()) for _, _, [row] in stops]
    assert kept == [int((confidence >= each).sum()) for each in np.unique(confidence)[::-1]]


def test_command_line_takes_the_threshold_as_shown(opened, pages, tmp_path, monkeypatch):
    monkeypatch.chdir(pages["hard confidences"].parent)
    confidence, correct, _ = counted("hard.csv")
    for _, _, [row] in opened("hard confidences").evaluate(MOVED)[1:]:  # the first answers nothing
        metrics = ["--metrics", "coverage_score", "selective_accuracy_score"]
        assert (
            main(["evaluate", "hard.csv", "--threshold", row[1], *metrics, "--csv", str(tmp_path / "found.csv")]) == 0
        )
        found = pd.read_csv(tmp_path / "found.csv", index_col="metric")["value"]
        kept = confidence >= float(row[1])
        assert found.tolist() == pytest.approx([kept.mean(), correct[kept].mean()])


@pytest.mark.parametrize(("name", "threshold"), [("ids and threshold", 0.8), ("weighted", 0.7)])
def test_given_threshold_is_shown_first(name, threshold, opened, pages):
    page = opened(name)
    assert page.locator(".slider output").text_content().endswith(f"(threshold {threshold:g})")
    rows = [row.locator("th, td").all_text_contents() for row in page.locator(".slider tbody tr").all()]
    for file, row in zip(files_of(name), rows, strict=True):
        confidence, _, _ = counted(pages[name].parent / file)
        assert ((confidence >= float(row[1])) == (confidence >= threshold)).all()


def test_keys_move_it(opened):
    page = opened("two models")
    stops = page.evaluate(MOVED)
    page.reload()
    field = page.get_by_role("slider")
    default = int(field.input_value())
    assert page.get_by_label("Answer at least").get_attribute("type") == "range"
    for key, stop in [("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", len(stops) - 1)]:
        field.press(key)
        rows = [row.locator("th, td").all_text_contents() for row in page.locator(".slider tbody tr").all()]
        assert [page.locator(".slider output").text_content(), field.get_attribute("aria-valuetext"), rows] == stops[
            stop
        ]
    assert 0 < default < len(stops) - 1


@pytest.mark.parametrize("name", ["two models", "weighted"])
def test_prices_make_the_costs(name, opened, pages):
    page = opened(name)
    page.get_by_label("an error costs").fill("1000")
    page.get_by_label("a case sent to a person costs").fill("0.5")
    columns = [counted(pages[name].parent / file) for file in files_of(name)]
    for _, _, rows in page.evaluate(MOVED):
        for (confidence, correct, weight), row in zip(columns, rows, strict=True):
            kept = confidence >= (np.inf if row[1] == "–" else float(row[1]))
            errors, people = weight[kept & ~correct].sum() / weight.sum(), weight[~kept].sum() / weight.sum()
            shown = float(row[-1].replace(",", ""))
            assert shown == pytest.approx(1000 * (1000 * errors + 0.5 * people), abs=0.5 + 0.001 * 1000)
    for refused in ("", "-5"):
        page.get_by_label("an error costs").fill(refused)
        assert page.locator(".slider tbody tr").first.locator("td").last.text_content() == "–"
        assert page.locator(".slider .cheapest").text_content() == "Give each price as a number of at least 0."


@pytest.mark.parametrize("name", ["two models", "correctness only"])
@pytest.mark.parametrize("allowed", ["3", "10", "0"])
def test_errors_allowed_move_each_model_to_its_own_threshold(name, allowed, opened, pages):
    page = opened(name)
    stops = page.evaluate(MOVED)
    page.get_by_role("spinbutton", name="errors at most").fill(allowed)
    shown = [row.locator("th, td").all_text_contents() for row in page.locator(".slider tbody tr").all()]
    for at, (file, row) in enumerate(zip(files_of(name), shown, strict=True)):
        confidence, correct, _ = counted(pages[name].parent / file)
        fits = [stops[0][2][at]]
        for _, _, rows in stops[1:]:
            kept = confidence >= float(rows[at][1])
            if kept.sum() >= 20 and (~correct[kept]).mean() <= float(allowed) / 100:
                fits.append(rows[at])
        assert row[1:4] == fits[-1][1:4]


@pytest.mark.parametrize("name", ["two models", "weighted"])
def test_the_cheapest_places_are_named_and_shown(name, opened):
    page = opened(name)
    stops = page.evaluate(MOVED)
    page.get_by_role("button", name="Show the cheapest").click()
    shown = [row.locator("th, td").all_text_contents() for row in page.locator(".slider tbody tr").all()]
    told = page.locator(".slider .cheapest").text_content()
    for at, row in enumerate(shown):
        costs = [float(rows[at][-1].replace(",", "")) for _, _, rows in stops]
        assert float(row[-1].replace(",", "")) == min(costs)
        assert f"{row[0]} costs {row[-1]} per 1,000 cases, of which it answers {row[2]}" in told


def test_marks_stand_on_the_curve(opened):
    """The ring of a model moves along the curve that is drawn: right and, with more errors, up."""
    page = opened("two models")
    at = "() => [...document.querySelectorAll('.slider figure .here')].map(each => each.getAttribute('transform'))"
    field = page.get_by_role("slider")
    field.press("End")
    at_the_end = [re.findall(r"[\d.]+", each) for each in page.evaluate(at)]
    field.press("Home")
    at_home = [re.findall(r"[\d.]+", each) for each in page.evaluate(at)]
    assert len(at_the_end) == 2
    for (x, y), (left, bottom) in zip(at_the_end, at_home, strict=True):
        assert float(left) < float(x)
        assert float(y) < float(bottom)


@pytest.mark.parametrize("name", SLID)
def test_without_scripts_the_default_is_shown_with_its_prices(name, opened):
    moved, still = opened(name), opened(name, java_script_enabled=False)
    tables = [page.locator(".slider table").inner_text() for page in (moved, still)]
    assert tables[0] == tables[1]
    assert still.locator("input:visible, button:visible, select:visible").count() == 0
    assert moved.locator("input:visible").count() == 4
    said = still.locator(".slider .priced")
    assert said.is_visible()
    assert not moved.locator(".slider .priced").is_visible()
    prices = [moved.get_by_label(what).input_value() for what in ("an error costs", "a case sent to a person costs")]
    assert re.findall(r"\d+", said.inner_text()) == prices
    assert still.locator(".slider output").inner_text() == moved.locator(".slider output").inner_text()


def test_stops_are_data_that_no_name_can_leave(opened):
    page = opened("markup")
    stops = json.loads(page.locator("script.stops").text_content())
    assert len(stops["cells"]) == len(stops["stops"])
    assert page.locator("img, b, i").count() == 0
