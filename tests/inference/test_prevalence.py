"""Estimated shares of classes, checked against an optimizer, the formula of two classes, and populations."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax

from skconf.calibration import PlattCalibrator
from skconf.inference import PrevalenceEstimate, estimate_prevalence
from skconf.inference._prevalence import _posteriors, likeliest_shares


def normal_task(rng, n, m, share, apart=1.5, noise=0.0, sureness=2.0):
    """Return labels, and the overconfident probabilities of labelled rows and of rows at use."""
    y, at_use = np.repeat([0, 1], [n - n // 2, n // 2]), rng.random(m) < share
    x, there = rng.normal(apart * y), rng.normal(apart * at_use) + noise * rng.normal(size=m)
    return y, *(expit(sureness * apart * (each - apart / 2)) for each in (x, there))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.floats(0.01, 0.99))
def test_em_finds_the_largest_likelihood(seed, share):
    rng = np.random.default_rng(seed)
    ratio = np.exp(rng.normal(2.0 * (rng.random(200) < share))) * np.ones((2, 1))
    ratio = np.column_stack([np.ones(200), ratio[0]])

    def loss(p):
        return -np.log((1 - p) * ratio[:, 0] + p * ratio[:, 1]).mean()

    best = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    got = likeliest_shares(ratio, np.array([0.5, 0.5]))[1]
    assert loss(got) <= best.fun + 1e-7


def test_interval_of_two_classes_is_that_of_the_score_of_the_likelihood():
    y, proba, at_use = normal_task(np.random.default_rng(0), 600, 3000, 0.05)
    found = estimate_prevalence(y, proba, at_use, calibration="platt").classes
    calibrator = PlattCalibrator().fit(proba, y)
    r, there = (calibrator.predict_proba(p) / 0.5 for p in (proba, at_use))
    grid = np.linspace(0, 1, 100_001)
    slope = [np.mean((there[:, 1] - there[:, 0]) / (q * there[:, 1] + (1 - q) * there[:, 0])) for q in grid[::100]]
    estimate = found.loc[1, "estimate"]
    assert estimate == pytest.approx(np.interp(0, -np.array(slope), grid[::100]), abs=1e-3)
    q = max(estimate, 10 / 300) / (max(estimate, 10 / 300) + 1 - estimate)
    f = (r[:, 1] - r[:, 0]) / (q * r[:, 1] + (1 - q) * r[:, 0])
    means, variances = ([part(f[y == k]) for k in (0, 1)] for part in (np.mean, partial(np.var, ddof=1)))
    pi = np.array([1 - q, q])
    mixture = pi @ variances + q * (1 - q) * (means[1] - means[0]) ** 2
    error = np.sqrt(pi**2 @ variances / 300 + mixture / 3000) / (means[1] - means[0])
    assert found.loc[1, "high"] - estimate == pytest.approx(1.959964 * error, rel=1e-6)
    assert found.loc[0, "low"] == pytest.approx(1 - found.loc[1, "high"])


def test_shares_and_intervals_are_shown():
    y, proba, at_use = normal_task(np.random.default_rng(0), 600, 3000, 0.05)
    found = estimate_prevalence(np.where(y, "fraud", "honest"), 1 - proba, 1 - at_use)
    share, low, high = found.classes.loc["fraud"]
    assert repr(found).startswith(f"PrevalenceEstimate('fraud': {share:.3g} [{low:.3g}, {high:.3g}], 'honest': 0.")
    assert repr(found).endswith(f", p_value={found.p_value:.4g})")
    without = PrevalenceEstimate(found.classes.assign(low=np.nan, high=np.nan), 0.01)
    assert f"'fraud': {share:.3g} [no interval], " in repr(without)
    many = PrevalenceEstimate(pd.DataFrame({"estimate": 0.05, "low": 0.01, "high": 0.1}, index=range(20)), 0.5)
    assert repr(many).count("[0.01, 0.1]") == 10
    assert repr(many).endswith(", ... 10 more, p_value=0.5)")


def coverage(n_sets, seed, sizes, shares, calibration="platt"):
    """Return how often intervals hold the truth, and how often label shift is refuted where it holds."""
    rng = np.random.default_rng(seed)
    held, refuted = [], []
    for n, m in sizes:
        for share in shares:
            for _ in range(n_sets):
                found = estimate_prevalence(*normal_task(rng, n, m, share), calibration=calibration)
                refuted.append(found.p_value < 0.05)
                if not refuted[-1]:
                    held.append(found.classes.loc[1, "low"] <= share <= found.classes.loc[1, "high"])
    return np.mean(held), np.mean(refuted)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:A change of the class shares")
def test_intervals_cover_and_the_test_keeps_its_size():
    held, refuted = coverage(15, 0, [(400, 2000)], [0.003, 0.01, 0.05, 0.2])
    assert held >= 0.9
    assert refuted <= 0.15


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:A change of the class shares")
@pytest.mark.parametrize("share", [0.003, 0.01, 0.05, 0.2])
def test_intervals_cover_in_many_sets(share):
    held, refuted = coverage(200, 1, [(200, 1000), (1000, 5000)], [share])
    assert held >= 0.93
    assert refuted <= 0.09


def test_rows_that_look_otherwise_are_told():
    task = normal_task(np.random.default_rng(0), 1000, 4000, 0.05, noise=1.0)
    with pytest.warns(UserWarning, match="A change of the class shares alone"):
        found = estimate_prevalence(*task, calibration="platt")
    assert found.p_value < 0.05
    assert found.classes[["low", "high"]].isna().all(axis=None)


def test_many_classes_with_names():
    rng = np.random.default_rng(0)
    centres, truth = np.eye(4) * 3, np.array([0.01, 0.2, 0.5, 0.29])

    def proba(codes):
        return softmax(2 * 3 * (centres[codes] + rng.normal(size=(len(codes), 4))), axis=1)

    codes, at_use = np.repeat(np.arange(4), 250), rng.choice(4, 8000, p=truth)
    labels = ["a", "b", "c", "d"]
    found = estimate_prevalence(np.array(labels)[codes], proba(codes), proba(at_use))
    assert found.classes.index.tolist() == labels
    assert found.classes["estimate"].sum() == pytest.approx(1)
    assert ((found.classes["low"] <= truth) & (truth <= found.classes["high"])).all()
    np.testing.assert_allclose(found.classes["estimate"], truth, atol=0.02)


@pytest.mark.parametrize("calibration", ["isotonic", "histogram"])
def test_calibrators_that_give_zeros_are_refused(calibration):
    task = normal_task(np.random.default_rng(0), 100, 50, 0.5)
    with pytest.raises(ValueError, match="stay 0"):
        estimate_prevalence(*task, calibration=calibration)


def test_few_rows_are_refused():
    with pytest.raises(ValueError, match="fewer than 10"):
        estimate_prevalence([0] * 50 + [1] * 9, np.linspace(0, 1, 59), [0.5, 0.6])
    found = estimate_prevalence([0] * 50 + [1] * 10, np.linspace(0, 1, 60), [0.5, 0.6]).classes["estimate"]
    assert found.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="classes"):
        estimate_prevalence([0, 1] * 20, np.linspace(0, 1, 40), [[0.2, 0.3, 0.5]] * 2)


@pytest.mark.parametrize("calibration", ["pooled", None])
def test_probabilities_that_tell_no_class_from_another_tell_no_share(calibration):
    """Constant ones have no variance, which must not be taken for certainty."""
    y = np.repeat([0, 1], 50)
    found = estimate_prevalence(y, np.full(100, 0.4), np.full(30, 0.4), calibration=calibration)
    assert (found.classes["low"] == 0).all()
    assert (found.classes["high"] == 1).all()


def test_labelled_rows_may_have_any_shares():
    """One labelled row in five is positive, and three in five are at use."""
    rng = np.random.default_rng(0)
    y, at_use = rng.random(4000) < 0.2, rng.random(20_000) < 0.6
    p, there = (expit(1.5 * (rng.normal(1.5 * each) - 0.75) + np.log(0.2 / 0.8)) for each in (y, at_use))
    found = estimate_prevalence(y.astype(int), p, there).classes["estimate"]
    np.testing.assert_allclose(found, [0.4, 0.6], atol=0.03)


def test_a_row_that_no_class_explains_is_shared_by_all():
    found = _posteriors(np.array([[0.0, 0.0], [1.0, 3.0]]), np.array([0.5, 0.5]))
    np.testing.assert_allclose(found, [[0.5, 0.5], [0.25, 0.75]])
