"""Pages of experiments: the result first, computed from the values, then pictures, tables and where it comes from."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf.cli import main
from skconf.experiments._shared.report import ExperimentReport
from skconf.experiments._shared.tables import plain_table

COMMANDS = {
    "cwsa": (["--repetitions", "2"], 5, "repetitions 2"),
    "csr-synthetic": (["--samples", "100", "--repetitions", "2", "--jobs", "1"], 1, "seed 0"),
    "cf1": (["--dataset", "breast_cancer", "--models", "3", "--jobs", "1"], 15, "data set breast_cancer"),
    "ecuas": (["scores", "--jobs", "1"], 4, "systems mine"),
    "answers": (["answers", "--jobs", "1"], 1, "systems mine"),
}


class Shown(HTMLParser):
    """The visible text of a page."""

    def __init__(self, page):
        super().__init__()
        self.words, self.hidden = [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.hidden = tag in {"style", "script", "title"}

    def handle_endtag(self, tag):  # noqa: ARG002
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden:
            self.words += data.split()


@pytest.fixture
def scores(tmp_path):
    """A system of three classes that is too sure of itself."""
    folder, rng = tmp_path / "scores", np.random.default_rng(0)
    folder.mkdir()
    y = rng.choice(3, p=[0.5, 0.3, 0.2], size=400)
    np.save(folder / "mine.scores.npy", 3 * (np.eye(3)[y] + 0.8 * rng.normal(size=(400, 3))))
    np.save(folder / "mine.targets.npy", y)
    answers = pd.DataFrame({"confidence": rng.random(60), "correct": rng.integers(0, 2, 60)})
    (tmp_path / "answers").mkdir()
    for method in ("said", "sampled"):
        answers.assign(confidence=rng.random(60)).to_csv(tmp_path / f"answers/mine.{method}.csv", index=False)
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_every_page_opens_with_its_result_and_holds_every_number(name, scores, monkeypatch, capsys):
    monkeypatch.setattr("skconf.inference._bayesian_bootstrap.N_DRAWS", 100)  # for intervals, however wide
    arguments, n_pictures, origin = COMMANDS[name]
    monkeypatch.chdir(scores.parent)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795391999")
    html = scores.parent / "page.html"
    assert main(["experiment", name, *arguments, "--html", str(html), "--markdown", "page.md"]) == 0
    text, page = capsys.readouterr().out, html.read_text(encoding="utf-8")
    shown = " ".join(Shown(page).words)
    first = text.partition("\n\n")[0].split()
    opening = [*re.split(r" Source ", shown, maxsplit=1)[1].split()][: len(first)]
    assert opening == first
    assert Path("page.md").read_text(encoding="utf-8").split("\n\n")[1].split() == first
    assert page.count('role="img"') == n_pictures
    assert origin in shown
    assert f"command skconf experiment {name}" in shown
    assert str(scores.parent) not in page
    numbers = re.compile(r"\d[\d,.]*")
    assert set(numbers.findall(text)) <= set(numbers.findall(shown))
    if name != "cf1":  # all pages are written by one function
        return
    assert main(["experiment", name, *arguments, "--html", str(html)]) == 0
    assert html.read_text(encoding="utf-8").replace(" --markdown page.md", "") == page.replace(
        " --markdown page.md", ""
    )


def test_tables_that_would_make_the_page_long_are_folded():
    """A page was 20,000 pixels long on a phone."""
    rows = (15, 15, 4, 30)
    tables = [plain_table(f"Table {at}", pd.DataFrame(np.full((n, 10), "0.5"))) for at, n in enumerate(rows, 1)]
    page = ExperimentReport("An experiment", pd.DataFrame(), ["A finding."], tables).page()
    assert re.findall(r"<h3>(Table \d)</h3>", page) == ["Table 1", "Table 3"]
    assert re.findall(r"<summary>([^<]*)</summary>", page) == ["Table 2: 15 rows", "Table 4: 30 rows"]
    assert page.count("<td") >= sum(rows) * 9  # nothing is lost
