"""The trials at another prevalence at a small size, their parts by hand, and in full where the data are."""

import os

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

pytest.importorskip("xgboost")

from _support.inference import prevalence_trials as of

from skconf import tune_threshold

SMALL = dict.fromkeys(of.SETS, 1)


def at_most(share, n_sets):
    return share + 2 * np.sqrt(share * (1 - share) / n_sets)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_page(monkeypatch):
    """The script of the page, of one linear model and one of trees, at a hundredth of its size."""
    monkeypatch.setattr(of, "SHARES", (0.05, 0.2))
    monkeypatch.setattr(of, "RARE", {"made": 1})
    monkeypatch.setattr(of, "MODELS", {name: of.MODELS[name] for name in ("logistic regression", "forest")})
    monkeypatch.setattr(of.importlib.util, "find_spec", lambda _: None)  # other libraries
    tasks = {"made": of.made(np.random.default_rng(0), (6000, 3000))}
    text = ""
    for name, (pieces, write) in of.parts(SMALL, tasks, small=True).items():
        made = pd.concat([make() for make in pieces.values()], ignore_index=True)
        text += of.section(name, SMALL[name], write(made), "2000-01-01")
    assert text.count("\n## ") == len(of.ABOUT) == 6
    assert "nan" not in text
    assert sum(line.startswith("| ") for line in text.splitlines()) > 30


def test_loss_is_that_of_rows_weighted_by_hand():
    y, p = np.array([0, 0, 1, 0, 1]), np.array([0.1, 0.4, 0.7, 0.2, 0.3])
    weight = np.where(y == 1, 0.05 / 2, 0.95 / 3)
    entropy = -(0.05 * np.log(0.05) + 0.95 * np.log(0.95))
    loss, implied = of.loss_at(0.05, y, p)
    assert loss == pytest.approx(log_loss(y, p, sample_weight=weight) / entropy)
    assert implied == pytest.approx(weight @ p / 0.05)
    assert of.loss_at(0.05, y, np.full(5, 0.05))[0] == pytest.approx(1)


def test_truth_is_counted():
    truth = of.Truth(lambda _rng, n, _share: (np.repeat([0, 1], n), np.tile([0.1, 0.4, 0.9, 0.6], n[0] // 2)), 0.25, 4)
    # Of each class: two of confidence 0.9, of which one is right, and two of 0.6, of which one is right.
    assert truth.at(0.9) == pytest.approx((0.5, 0.5))
    assert truth.at(0.95) == (0.0, 0.0)
    coverage, risk = truth.at(0.6)
    assert (coverage, risk) == pytest.approx((1.0, 0.5))


def test_noise_has_the_rate_that_is_allowed():
    for share, _, target in of.CELLS:
        for draw in of.NOISE.values():
            y, p = draw(np.random.default_rng(0), (400_000, 400_000), share)
            wrong = (p > 0.5) != y
            rate = (1 - share) * wrong[y == 0].mean() + share * wrong[y == 1].mean()
            assert rate == pytest.approx(target, rel=0.15)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:A change of the class shares")
@pytest.mark.parametrize(("n", "most"), [(200, 0.1), pytest.param(1000, 0.07, marks=pytest.mark.slow)])
def test_label_shift_that_holds_is_seldom_refuted(n, most):
    """In three populations at four shares: of 300 tests, a twentieth is off by more than 0.035 once in 200 times."""
    refuted = of.refutations(25, [(n, 2000)])["refuted"]
    assert 0.05 - 0.035 <= refuted.mean() <= most


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_guarantees_hold_at_a_stated_share():
    """In the six populations, and where the risk is the target everywhere."""
    found = of.promises(500)
    broken = found.groupby(["population", "share"])["violated"].mean()
    # 36 cells: the largest of so many may lie 3.5 standard errors above its truth.
    assert broken.max() <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / 500)
    noise = found[found["most"].isna()]
    assert noise["violated"].mean() <= at_most(0.05, len(noise))
    ordinary = found[found["most"].notna()]
    assert ordinary["violated"].mean() <= 0.05
    assert ordinary["coverage"].mean() >= 0.65


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_calibration_and_the_factor_are_ahead_of_the_factor_alone():
    if "SKCONF_DATA" not in os.environ:
        pytest.skip("SKCONF_DATA is not set: it names the folder of raw data sets")
    found = of.of_pairs(of.enriched, 1)
    assert found["moved"].max() <= 1e-12
    rare = found[found["share"] == 0.003].groupby(["method", "data", "model"])["loss"].mean().unstack("method")
    mine, alone = (next(name for name in rare if name.startswith(start)) for start in ("**pooled", "the factor"))
    assert len(rare) == 16
    assert rare[mine].mean() <= 0.75
    assert (rare[mine] < rare[alone]).sum() >= 15


@pytest.mark.filterwarnings("ignore:Everything is rejected")
@pytest.mark.parametrize("name", ["noise of the target, borne by both", "four classes"])
def test_thresholds_of_the_trial_are_those_of_the_whole_rule(name):
    """The trial leaves out what takes most of the time."""
    draw, (share, n, target) = (of.ORDINARY | of.NOISE)[name], of.CELLS[3]
    found = of.promises(3, {name: draw}, of.CELLS[3:], n_truth=2000)
    rng = np.random.default_rng([*n, *name.encode()])
    for i, coverage in enumerate(found["coverage"]):
        y, p = draw(rng, n, share)
        at = dict(enumerate(of.shares_of(2 if p.ndim == 1 else 4, share).tolist()))
        whole = tune_threshold(y, p, target=target, confidence_level=0.95, prevalence=at, random_state=i)
        of_all = whole.coverage if p.ndim == 1 else of.Truth(draw, share, 2000).at(whole.threshold)[0]
        assert coverage == of_all
        assert whole.feasible == bool(coverage)


def test_expected_errors_are_those_of_many_rows():
    for model in ("overconfident", "good"):
        profile = of.profile_at(0.05, np.random.default_rng(0), (400_000, 2), model)
        wrong = 400_000 * (1 - profile.correctness[:400_000].mean())
        assert of.expected_errors(model, 0.05, 400_000) == pytest.approx(wrong, rel=0.06)
