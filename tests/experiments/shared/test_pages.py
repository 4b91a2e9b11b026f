"""Pages of experiments: the result first, computed from the figures, then pictures, tables and where it comes from."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skconf import experiments
from skconf.cli import main
from skconf.experiments._cf1.page import _bands_apart, _values, cf1_report
from skconf.experiments._csr.synthetic_page import synthetic_report
from skconf.experiments._cwsa.files import predictions_cells, read_predictions
from skconf.experiments._cwsa.page import cwsa_report, predictions_report
from skconf.experiments._ecuas.page import ecuas_report
from skconf.experiments._shared.figures import Axis, Band, Chart, Line, Points, Rule, draw

COMMANDS = {
    "cwsa": (["--repetitions", "2"], 6, "repetitions 2"),
    "csr-synthetic": (["--samples", "100", "--repetitions", "2", "--jobs", "1"], 3, "seed 0"),
    "cf1": (["--dataset", "breast_cancer", "--models", "3", "--jobs", "1"], 16, "data set breast_cancer"),
    "ecuas": (["scores", "--jobs", "1"], 16, "systems mine"),
    "answers": (["answers", "--jobs", "1"], 2, "systems mine"),
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
    assert main(["experiment", name, *arguments, "--html", str(html)]) == 0
    assert html.read_text(encoding="utf-8").replace(" --markdown page.md", "") == page.replace(
        " --markdown page.md", ""
    )


def test_what_simulated_models_show():
    cells, sweep = experiments.cwsa_experiment(n_repetitions=2), experiments.cwsa_sweep()
    report = cwsa_report(cells, sweep, {})
    ranks, areas = report.findings[-2:]
    assert re.findall(r"(\w+) \(", areas.partition(";")[0]) == list(
        sweep.summary["cwsa_area"].sort_values(ascending=False).index
    )
    for text, values in (
        (ranks.partition(";")[0], sweep.summary["ece"].sort_values()),
        (ranks.partition(";")[2], -(-sweep.curves.groupby("model")["cwsa"].mean()).sort_values()),
    ):
        assert re.findall(r"(\w+) \(", text) == list(values.index)
    by_ece, by_cwsa = (
        {model: place for place, model in enumerate(re.findall(r"(\w+) \(", text), 1)} for text in ranks.split(";")
    )
    model, ece, cwsa = re.search(r"most on (\w+): number (\d) by ECE, (\d) by CWSA", ranks).groups()
    assert (by_ece[model], by_cwsa[model]) == (int(ece), int(cwsa))
    assert abs(int(ece) - int(cwsa)) == max(abs(by_ece[name] - by_cwsa[name]) for name in by_ece)
    (chart,) = (
        chart for chart in report.charts if "calibrated over" in chart.name and "Model calibrated" in chart.name
    )
    printed = cells[(cells["model"] == "calibrated") & cells["threshold"].notna()]
    assert sorted(chart.data["paper"].dropna()) == sorted(printed["paper"])
    assert "29 printed figures, of which 21 cannot be compared" in chart.finding


def test_what_predictions_show(tmp_path):
    rows = pd.DataFrame({"correct": [1, 1, 0, 1], "confidence": [0.9, 0.8, 0.7, 0.3]})
    rows.to_csv(tmp_path / "cifar10_predictions.csv", index=False)
    pd.DataFrame({"correct": [1, 1], "confidence": [1.0, 1.0]}).to_csv(tmp_path / "sure_predictions.csv", index=False)
    read = read_predictions(tmp_path)
    sweep = experiments.cwsa_sweep(read.profiles)
    report = predictions_report(predictions_cells(read, sweep), sweep, {})
    compared, went, ranks = report.result
    assert "with a standard error of 0 are the printed ones" in compared
    # φ at .5 is .8, .6 and −.4, of four samples; at .99 nothing is left.
    assert went.endswith("CWSA goes from 0.250 to 0 (cifar10) and from 1.00 to 1.00 (sure).")
    assert "by accuracy, sure (1.00), cifar10 (0.750); by AURC, sure (0)" in ranks
    assert ranks.index("cifar10") < ranks.index("sure")  # by the area: a perfect model has 0
    assert [chart.name for chart in report.charts] == [
        "Model cifar10 over the threshold (Figure 2)",
        "Model sure over the threshold",
    ]
    assert "where 75.0 % are answered" in report.charts[0].finding


def test_what_costs_show():
    """Two systems: calibration helps the first at n = 0 only; the second gets cheaper once answers are drawn."""
    rows = [
        (system, scores, f"n_ecuas_{n}", cost)
        for system, costs in {"a": ((1, 2, 3), (0.5, 4, 6)), "b": ((2, 2, 2), (1, 1, 1))}.items()
        for scores, by_order in zip(("raw", "cal"), costs, strict=True)
        for n, cost in zip((0, 1, 128), by_order, strict=True)
    ]
    cells = pd.DataFrame(rows, columns=["system", "scores", "quantity", "ours"])
    cells = cells.assign(paper=np.nan, standard_error=np.nan, deviation=np.nan, note="")
    drawn = {"system": ["a", "a", "b", "b"], "temperature": [0.0, 1, 0, 1], "error_rate": 0.5}
    sampled = pd.DataFrame({**drawn, "n_ecuas_0": [1, 2, 2, 1], "n_ecuas_1": [1, 2, 1, 2], "n_ecuas_128": [2, 1, 2, 1]})
    nothing, calibrated, drawn_answers = ecuas_report(cells, sampled, {}).result
    assert "nothing to compare with" in nothing
    assert calibrated == (
        "Calibration lowers the cost of systems: 2 of 2 at n = 0 (median factor 0.50), 1 of 2 at n = 1 (median factor "
        "1.25) and 1 of 2 at n = 128 (median factor 1.25)."
    )
    assert drawn_answers.endswith("1 of 2 systems at n = 0, 2 of 2 systems at n = 1 and 0 of 2 systems at n = 128.")


def test_what_variances_show():
    variance = experiments.cf1_variance_experiment("breast_cancer", ratios=[1.0, 0.1], n_resamples=50)
    by_class = experiments.cf1_agreement_experiment("breast_cancer", n_models=4, n_resamples=50)
    report = cf1_report(variance, by_class, {})
    known = variance.variances.query("variance > 0")
    lower = (known["c_variance"] < known["variance"]).sum()
    assert f"less variance in {lower} of {len(known)} cases" in report.findings[0]
    tested = known["p_levene"].dropna()
    assert f"{100 * (tested < 0.05).mean():.3g} % of cases by Levene's. The paper: in all." in report.result[1]
    assert "of 28 samples" in report.findings[2]
    assert "89.1 %, 80.6 % and 89.3 %" in report.findings[3]  # the paper's Table 1, mean over classes
    assert report.left_out == ["None of the 18 printed figures can be compared: Table 1 is on other data, SNLI."]
    titles = [table.title for table in report.tables]
    assert titles[1:] == ["Agreement of pairs by class (Section 6.2, as Table 1)", "Table 1 as printed, on SNLI"]
    assert report.tables[1].table["class"].tolist() == ["0", "1"] * 3


def test_values_have_bands_by_class_or_of_the_mean():
    few = {"ratios": [1.0, 0.1], "n_resamples": 50}
    two = experiments.cf1_variance_experiment("breast_cancer", **few)
    names = [chart.name for metric in ("precision", "recall", "f1") for chart in _values(two, metric)]
    assert names[:4] == ["Precision, class 0", "cPrecision, class 0", "Precision, class 1", "cPrecision, class 1"]
    assert len(names) == 12
    ten = experiments.cf1_variance_experiment("digits", **few)
    plain, weighted = _values(ten, "f1")
    assert (plain.name, weighted.name) == ("F1, mean over classes", "cF1, mean over classes")
    assert (plain.y.low, plain.y.high) == (weighted.y.low, weighted.y.high)  # to compare the two
    drawn = [mark for mark in weighted.marks if isinstance(mark, Band)]
    means = ten.means[(ten.means["metric"] == "f1") & (ten.means["model"] == "model 2")].sort_values("n_test")
    np.testing.assert_allclose(drawn[1].low, means["c_low"])
    np.testing.assert_allclose(drawn[1].high, means["c_high"])


def test_words_say_where_bands_overlap():
    frame = pd.DataFrame({"n_test": [90] * 2 + [9] * 2, "model": ["a", "b"] * 2, "mean": [0.5, 0.8] * 2})
    apart = frame.assign(low=frame["mean"] - 0.1, high=frame["mean"] + 0.1)
    assert _bands_apart(apart, "").endswith("no bands overlap down to 9 test samples.")
    apart.loc[2, "high"] = 0.75
    assert _bands_apart(apart, "").endswith("no bands overlap down to 90 test samples.")
    apart.loc[0, "high"] = 0.75
    assert _bands_apart(apart, "").endswith("bands overlap at every test size.")
    assert _bands_apart(apart.assign(mean=np.nan), "").startswith("It is 0/0")


def test_what_known_distributions_show():
    few = {"distributions": ["Bell", "Tight Hi"], "modes": ["underconf_sqrt", "overconf_half"], "n_repetitions": 20}
    cells, areas = experiments.csr_synthetic_experiment([1000], **few), experiments.csr_synthetic_auc_experiment(**few)
    report = synthetic_report(cells, areas, {})
    risk = cells[cells["quantity"] == "risk_probability"].groupby("mode")["ours"]
    assert risk.min()["overconf_half"] > 0.5 > risk.max()["underconf_sqrt"]  # else the next line says something else
    assert (
        "on every distribution, above one half in overconf_half; below one half in underconf_sqrt." in report.result[1]
    )
    sizes = report.charts[0]
    assert sizes.name == "Size ratio of 1,000 samples"
    ours = cells[cells["quantity"] == "csr"]
    assert sizes.data["ours"].tolist() == ours["ours"].tolist()
    assert sizes.data["paper"].tolist() == ours["paper"].tolist()


def test_a_figure_draws_the_marks_of_charts():
    line, band = Line([1, 10], [0.2, 0.4], name="ours", series=0), Band([1, 10], [0.1, 0.2], [0.3, 0.5], series=0)
    over = Chart("a", "", Axis("n", "log", 1, 10), Axis("share", "percent"), [band, line, Rule("half", y=0.5)], None)
    points = Points([1.0, 2.0], [0, 1], [0.5, 1.5], [1.5, 2.5], name="theirs, $1$", series=1, along="x")
    rows = Chart("b", "", Axis("value", high=3.0), Axis.named("row", ["$first$", "second"]), [points], None)
    figure = draw([over, rows])
    first, second = figure.axes
    assert [panel.get_title() for panel in figure.axes] == ["a", "b"]
    assert first.get_xscale() == "log"
    np.testing.assert_array_equal(first.lines[-1].get_ydata(), [0.2, 0.4])
    assert [label.get_text() for label in second.get_yticklabels()] == ["$first$", "second"]
    assert second.get_ylim() == (1.5, -0.5)  # the first row on top
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["ours", "theirs, $1$"]
    texts = [*second.get_yticklabels(), *figure.legends[0].get_texts(), first.title, first.xaxis.label]
    assert not any(text.get_parse_math() for text in texts)  # a name is no formula
    assert len(draw([over, rows, over], columns=2, titles=["x", "y", "z"]).axes) == 3
