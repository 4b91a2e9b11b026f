"""Where a model fails by groups of a file that is read in batches: sentences, order and intervals, counted again."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from skconf import ConfidenceReport
from skconf.cli.main import main


@pytest.fixture
def table():
    """Return answers that are overconfident in one shop, and calibrated in others."""
    rng = np.random.default_rng(0)
    shop = rng.choice(["north", "south", "east"], 3000)
    p = rng.beta(0.6, 0.6, 3000).round(4)
    honest = np.where(shop == "south", 0.5 + 0.5 * (p - 0.5), p)
    y = (rng.random(3000) < honest).astype(int)
    return pd.DataFrame({"shop": shop, "y_true": y, "proba_0": 1 - p, "proba_1": p})


@pytest.fixture
def file(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv("a.csv", index=False)
    return "a.csv"


def counted(table):
    sure = table[["proba_0", "proba_1"]].max(axis=1)
    wrong = (table["proba_1"] > 0.5) != (table["y_true"] == 1)
    return table.assign(sure=sure, wrong=wrong).groupby("shop")


def test_finding_names_the_group_that_fails(file, table):
    said = " ".join(ConfidenceReport.from_files(file, groups="shop").summary().split())
    part = counted(table).get_group("south")
    assert said.startswith("Overconfident in 1 of 3 groups. Worst, shop = south: average confidence ")
    assert f"{100 * part['sure'].mean():.1f}%, accuracy {100 * (1 - part['wrong'].mean()):.1f}%" in said
    assert f"in {len(part):,} answers." in said


@pytest.mark.parametrize(
    ("excess", "mark"),  # in points, of 10 expected
    [(1.2, "finding"), (4, "finding mild"), (8, "finding serious"), (25, "finding unusable")],
)
def test_mark_of_the_finding_tells_the_size_of_the_harm(excess, mark, tmp_path):
    wrong = np.arange(20_000) < 200 * (10 + excess)
    table = pd.DataFrame({"shop": "south", "correct": 1 - wrong, "confidence": 0.9})
    file = tmp_path / "a.csv"
    table.to_csv(file, index=False)
    page = ConfidenceReport.from_files(file, groups="shop").page()
    assert f'<p class="{mark}">Overconfident in 1 of 1 groups.' in page


def test_table_is_counted_again_and_worst_first(file, table):
    report = ConfidenceReport.from_files(file, groups="shop")
    (by_group,) = report._source.by_group.values()
    shares = by_group.shares
    assert by_group.names[0] == "shop = south"
    assert (np.diff(shares.high) >= 0).all()
    for at, name in enumerate(by_group.names):
        part = counted(table).get_group(name.removeprefix("shop = "))
        right = len(part) - int(part["wrong"].sum())
        interval = binomtest(right, len(part)).proportion_ci(0.95, method="exact")
        np.testing.assert_allclose([shares.low[at], shares.high[at]], interval, rtol=1e-9)
        assert shares.count[at] == len(part)
        expected = (1 - part["sure"]).sum()
        p_value = binomtest(int(part["wrong"].sum()), len(part), expected / len(part), alternative="greater").pvalue
        assert by_group.p_values[at] <= min(1.0, 3 * p_value) + 1e-12 or p_value > 0.3


def test_terminal_ends_with_the_finding_and_names_rows_in_each_part(file, capsys):
    assert main(["evaluate", file, "--group", "shop"]) == 0
    out = capsys.readouterr().out
    assert "Overconfident in 1 of 3 groups." in out[out.index("\nSummary\n") :]
    assert main(["evaluate", file, "--group", "shop", "--short"]) == 0
    short = capsys.readouterr().out
    assert short.startswith("Overconfident in 1 of 3 groups.")
    assert len(short.splitlines()) <= 3


def test_names_are_hidden(file):
    report = ConfidenceReport.from_files({"one": file, "two": file}, groups="shop")
    page = report.page(anonymous=True)
    assert "south" not in page
    assert "one: " not in page
    order = sorted(["east", "north", "south"]).index("south") + 1
    assert f"Worst, group {order}: " in page
    assert "one: overconfident in 1 of 3 groups. Worst, shop = south: " in report.page()


def test_without_counts_there_is_only_a_table(file):
    report = ConfidenceReport.from_files(file, groups="shop", metrics=["aurc_loss"])
    assert "groups" not in report.text()
