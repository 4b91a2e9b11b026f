"""Guarantees on known populations: small sets of the trials of the page, and larger ones with the marker slow."""

import numpy as np
import pytest
from _support.selective import guarantee_populations as of
from _support.selective import guarantee_trials as trials
from _support.selective.guarantee_trials import RULES, groups, page

JOINTLY = "**jointly: `slices=`**"


def at_most(n_sets, share=0.05):
    """Return the largest share that sets are likely to show where the true one is at most this."""
    return share + 3.5 * np.sqrt(share * (1 - share) / n_sets)


def numbers(rows):
    """Return the numbers of a table's rows, by their first cells."""
    _, *others = rows
    return {first: [float(cell) for cell in cells if cell != "–"] for first, *cells in others}


@pytest.mark.simulation
def test_all_groups_keep_the_target_at_once():
    names = (
        "noise at the target",
        "noise at the target in three of six groups",
        "six tied confidences",
        "one group of 10% is bad",
    )
    found = groups(10, (1000,), np.random.default_rng(0), names)
    for name in names:
        coverage, violated = found[name, 1000]
        assert violated[JOINTLY] <= at_most(10)
        assert coverage["Holm in each"] <= coverage[JOINTLY] + 0.01


@pytest.mark.slow
def test_groups_accept_what_the_page_says():
    found = groups(300, (1000, 4000), np.random.default_rng(1))
    for _, violated in found.values():
        assert violated[JOINTLY] <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300) + 0.01
    small, large, _ = numbers(trials.group_rows(found, (1000, 4000)))[JOINTLY]
    assert small > 0.07
    assert large > 0.23
    assert large > 1.3 * numbers(trials.group_rows(found, (1000, 4000)))["Holm in each"][1]


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [12, pytest.param(1000, marks=pytest.mark.slow)])
def test_cells_keep_what_two_columns_break(n_sets):
    found = numbers(trials.overlap_rows(n_sets, np.random.default_rng(2)))
    columns, cells = (shares[0] for shares in found.values())
    assert columns > 0.3
    assert cells <= (0 if n_sets < 100 else 0.01)


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_several_risks_are_kept_and_accept_more_than_holm(n_sets):
    for name, cells in numbers(trials.risk_rows(n_sets, (1000,), np.random.default_rng(3))).items():
        assert cells[-1] <= at_most(n_sets)
        if "recall" not in name:
            assert cells[0] > cells[1]
        if name == "false negative rate 0.1":
            assert cells[0] > 0.5
        if name == "false positive rate 0.005":
            assert cells[0] > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("n_sets", [200])
def test_coins_accept_more_than_bets_where_costs_are_promised(n_sets):
    coins, bets = numbers(trials.cost_rows(n_sets, (2000,), np.random.default_rng(4))).values()
    assert coins[0] > 0.12
    assert coins[0] > bets[0] + 0.02
    assert coins[1] <= at_most(n_sets)


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_bets_accept_more_than_coins_where_cwsa_is_promised(n_sets):
    for name, cells in numbers(trials.cwsa_rows(n_sets, (500,), np.random.default_rng(5))).items():
        assert cells[0] >= cells[1] - 0.01, name
        assert cells[2] <= at_most(n_sets)


@pytest.mark.simulation
def test_the_level_may_be_spent_first_where_rows_are_few():
    _, few, many = trials.few_rows(30, [(0.05, 100), (0.05, 1000)], np.random.default_rng(6))
    assert float(few[4]) > float(few[3])
    assert float(many[4]) < float(many[3]) - 0.05


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_not_more_than_a_tenth_is_rejected(n_sets):
    (*_, violated, _, tied) = next(iter(numbers(trials.share_rows(n_sets, (1000,), np.random.default_rng(7))).values()))
    assert violated <= at_most(n_sets)
    assert tied == 0


def test_the_populations_are_what_they_say():
    everything = of.group_populations()
    assert len(everything) == 12
    noise = everything["noise at the target"]
    for threshold in (0.6, 0.75, 0.9):
        assert noise.truth(noise.score >= threshold)[1] > of.TARGET
    assert everything["one group of 10% is bad"].best() == pytest.approx(0.54, abs=1e-3)
    for fraud in of.fraud_populations().values():
        assert fraud.truth(0.0)["coverage"] == 1
        assert fraud.chance.mean() == pytest.approx(of.FRAUD, abs=0.02)
    place, rng = np.linspace(0, 2 / 3, 200_001), np.random.default_rng(0)
    for kind in of.COSTS:
        assert of.costs(rng, place, kind).mean() == pytest.approx(0.02, rel=0.05)


@pytest.mark.slow
def test_the_page_has_all_its_tables():
    text = page(2, 2, sizes=(200, 400), length=1000)
    assert text.count("\n## ") == 9
    assert all(rule in text for rule in RULES)
