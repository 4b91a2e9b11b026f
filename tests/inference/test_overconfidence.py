"""Size ratios by group, and their p-values: bounded, or by draws whose number a rule decides beforehand."""

import numpy as np
import pytest
from scipy.stats import binom

from skconf import ConfidenceProfile, metrics
from skconf.inference import overconfidence_by_group
from skconf.inference._overconfidence import chernoff_bound, most_draws, size_ratio_p_value
from skconf.inference._p_values import holm


def test_chernoffs_bound_is_above_the_exact_tail_and_near_it():
    for n, k in [(20, 20), (20, 12), (200, 45), (1000, 180)]:
        exact = binom.sf(k - 1, n, 0.1)
        bound = chernoff_bound(np.full(n, 10.0), 10.0 * k)
        assert exact <= bound <= 30 * exact, (n, k)
    assert chernoff_bound(np.full(20, 10.0), 200.0) == pytest.approx(1e-20)
    assert chernoff_bound(np.full(20, 10.0), 20.0) == 1


def test_chernoffs_bound_of_unequal_sizes_is_the_smallest_of_all_exponents():
    rng = np.random.default_rng(0)
    size = 1 / (1 - np.clip(rng.beta(8, 1, 300), 0, 1 - 1e-8))
    observed = float(size @ (rng.random(300) < 3 / size)) + 500
    t = np.logspace(-9, 1, 4001)[:, np.newaxis]
    with np.errstate(over="ignore"):
        exponents = np.log(1 - 1 / size + np.exp(np.minimum(t * size, 700)) / size).sum(axis=1) - t[:, 0] * observed
    assert np.log(chernoff_bound(size, observed)) == pytest.approx(exponents.min(), abs=1e-3)
    assert chernoff_bound(np.array([1e8, 2.0]), 1e8) == pytest.approx(1e-8, rel=2)


def test_the_rule_depends_on_the_number_of_tests_alone():
    assert most_draws(600, 0.05) == 240_000
    assert most_draws(1, 0.05) == 9999


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_sequential_p_values_keep_their_level(n_sets):
    """P(p <= a) <= a, of sets of 60 calibrated answers."""
    rng, draws = np.random.default_rng(0), np.random.default_rng(1)
    found = []
    for _ in range(n_sets):
        size = 1 / (1 - rng.uniform(0.5, 0.98, 60))
        observed = size @ (rng.random(60) < 1 / size)
        found.append(size_ratio_p_value(size, observed, 2000, draws))
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(found) <= level) <= level + 4 * np.sqrt(level / n_sets)
    assert np.mean(np.array(found) <= 0.2) > 0.2 - 2 * np.sqrt(0.2 / n_sets) - 0.03


def test_sequential_p_values_agree_with_the_exact_tail():
    """Of 100 at .9: the number of errors is binomial."""
    size = np.full(100, 10.0)
    for k in (10, 14, 18):
        found = size_ratio_p_value(size, 10.0 * k, 100_000, np.random.default_rng(k))
        assert found == pytest.approx(binom.sf(k - 1, 100, 0.1), rel=0.8)
    assert size_ratio_p_value(size, 0.0, 1000, np.random.default_rng(0)) == 1


def draw(n, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), n)
    return (rng.random((n, 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=1), proba


class TestOverconfidence:
    def test_normal_risk_of_every_group_and_holms_correction(self):
        y, proba = draw(200)
        groups = np.arange(200) % 4
        frame = overconfidence_by_group(y, proba, groups=groups, method="normal")
        for group in range(4):
            rows = groups == group
            expected = metrics.overconfidence_risk(y[rows], proba[rows], labels=[0, 1, 2])
            assert frame.loc[group, "risk"] == pytest.approx(expected)
            ratio = metrics.calibrated_size_ratio(y[rows], proba[rows], labels=[0, 1, 2])
            assert frame.loc[group, "value"] == pytest.approx(ratio)
        np.testing.assert_allclose(frame["p_adjusted"], holm(1 - frame["risk"]))
        assert frame["count"].tolist() == [50] * 4

    def test_the_overconfident_group_is_found_and_no_other(self):
        rng = np.random.default_rng(0)
        sure, groups = rng.uniform(0.5, 1, 4000), np.arange(4000) % 20
        right = rng.random(4000) < np.where(groups == 7, 0.5 + (sure - 0.5) / 2, sure)
        profile = ConfidenceProfile.from_correctness(right, sure)
        frame = overconfidence_by_group(profile, groups=groups, random_state=0)
        assert frame.index[frame["p_adjusted"] < 0.05].tolist() == [7]

    def test_one_group_of_many_that_is_wrong_for_sure_is_found(self):
        """20 errors of 20 at .9, p = 1e-20, among 600 groups: 9,999 draws cannot show p < .06, and say so."""
        rng = np.random.default_rng(0)
        groups, right = np.repeat(np.arange(600), 20), rng.random(12_000) < 0.9
        right[:20] = False
        profile = ConfidenceProfile.from_correctness(right, np.full(12_000, 0.9))
        found = overconfidence_by_group(profile, groups=groups, random_state=0)
        assert found.loc[0, "p_value"] == pytest.approx(1e-20)
        assert found.index[found["p_adjusted"] <= 0.05].tolist() == [0]
        np.testing.assert_allclose(found["risk"], 1 - found["p_value"])
        with pytest.warns(
            UserWarning, match=r"smallest p-value after adjustment for 600 tests is 0\.6\. .*at least n_resamples=11999"
        ):
            fixed = overconfidence_by_group(profile, groups=groups, n_resamples=999, random_state=0)
        assert fixed.loc[0, "p_adjusted"] == pytest.approx(0.6)

    def test_a_group_that_certain_right_answers_dilute_is_found(self):
        right, sure = np.arange(4000) >= 299, np.repeat([0.9, 1.0], 2000)
        profile = ConfidenceProfile.from_correctness(right, sure)
        frame = overconfidence_by_group(profile, groups=np.zeros(4000), random_state=0)
        assert frame.loc[0.0, "value"] < 1
        assert frame.loc[0.0, "p_value"] == 1e-4

    def test_weights_are_refused_by_the_simulation(self):
        y, proba = draw(30)
        with pytest.raises(ValueError, match="sample_weight"):
            overconfidence_by_group(y, proba, groups=np.arange(30) % 2, sample_weight=np.arange(30))
