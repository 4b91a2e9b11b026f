"""Exact p-values of few differences, against all signs gone through one by one, and against scipy's tests."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from skconf import ConfidenceProfile, confidence_report
from skconf.inference import compare
from skconf.inference._p_values import sign_flip_p_value, t_test


def of(right, sure=0.8, **more):
    return ConfidenceProfile.from_correctness(right, np.full(len(right), sure), **more)


def differing(n=100, better=6, worse=0):
    """Two models that are right alike but in some answers."""
    rng = np.random.default_rng(0)
    one = rng.random(n) < 0.8
    one[:better], one[better : better + worse] = True, False
    other = one.copy()
    other[: better + worse] = ~other[: better + worse]
    return {"a": of(one), "b": of(other)}


@pytest.mark.parametrize("n", [1, 2, 5, 11])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_all_signs_are_gone_through(n, digits):
    for seed in range(5):
        apart = np.random.default_rng(seed).normal(0.5, 2, n).round(digits)
        drawn = [abs(sum(s * x for s, x in zip(signs, apart, strict=True))) for signs in product((-1, 1), repeat=n)]
        expected = np.mean([each >= abs(apart.sum()) * (1 - 1e-9) for each in drawn])
        assert sign_flip_p_value(np.append(apart, [0.0, 0.0])) == pytest.approx(expected)


def test_the_exact_test_is_of_at_most_a_hundred_equal_differences_or_sixteen_others():
    assert sign_flip_p_value(np.full(100, 0.5)) == pytest.approx(2.0**-99)
    assert np.isnan(sign_flip_p_value(np.full(101, 0.5)))
    assert sign_flip_p_value(np.arange(1, 17) / 10) == 2.0**-15
    assert np.isnan(sign_flip_p_value(np.arange(1, 18) / 10))


@pytest.mark.parametrize(("better", "worse"), [(6, 0), (3, 4), (15, 5), (60, 38), (1, 0)])
def test_accuracies_have_mcnemars_exact_test(better, worse):
    found = compare("accuracy_score", differing(200, better, worse))
    assert found.method == "exact"
    assert found.p_value == pytest.approx(stats.binomtest(better, better + worse).pvalue)
    by_t = compare("accuracy_score", differing(200, better, worse), method="delta")
    assert (found.low, found.high) == (by_t.low, by_t.high)


def test_six_answers_say_what_they_can():
    assert compare("accuracy_score", differing()).p_value == 2 / 64
    assert compare("accuracy_score", differing(), method="delta").p_value == pytest.approx(0.014, abs=5e-4)


def test_no_difference_at_all_is_no_difference():
    assert t_test([0.0], 0.0, 0.0, 0.95, 9) == (0, 0, 1)
    assert np.isnan(t_test([0.5], 0.0, 1.0, 0.95, 9)).all()


def test_many_differences_have_a_t_test():
    rng = np.random.default_rng(0)
    for n in (17, 200):
        models = {name: ConfidenceProfile.from_correctness(rng.random(n), rng.random(n)) for name in "ab"}
        found = compare("confidence_brier_loss", models)
        losses = [(p.confidence - p.correctness) ** 2 for p in models.values()]
        assert found.method == "delta"
        assert found.p_value == pytest.approx(stats.ttest_rel(*losses).pvalue)
    few = {name: profile[:14] for name, profile in models.items()}
    assert compare("confidence_brier_loss", few).method == "exact"
    assert compare("accuracy_score", differing(400, 60, 50)).method == "delta"


def test_groups_have_one_sign_and_weights_count():
    one, other = differing(better=4, worse=3).values()
    rng = np.random.default_rng(1)
    weight, groups = rng.integers(1, 5, 100).astype(float), np.arange(100) // 2
    models = {name: replace(p.with_weight(weight), groups=groups) for name, p in (("a", one), ("b", other))}
    apart = np.bincount(groups, weight * (one.correct.astype(float) - other.correct)) / weight.sum()
    apart = apart[apart != 0]
    drawn = [abs(np.dot(signs, apart)) for signs in product((-1, 1), repeat=len(apart))]
    expected = np.mean([each >= abs(apart.sum()) - 1e-12 for each in drawn])
    found = compare("accuracy_score", models)
    assert (found.method, found.p_value) == ("exact", pytest.approx(expected))


def test_what_is_no_mean_of_the_same_samples_is_left_to_the_t_test():
    models = differing()
    sure = models["b"].confidence * 0.9
    models["b"] = replace(models["b"], confidence=sure, score=sure)
    for metric in ("cw_accuracy", "aurc_loss", ("cwsa_score", {"threshold": 0.75})):
        assert compare(metric, models).method == "delta"


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_exchangeable_models_are_told_apart_no_more_often_than_announced(n_sets):
    """Among few answers that differ, a t test does so in one of ten pairs."""
    rng = np.random.default_rng(0)
    called = {"auto": 0, "delta": 0}
    for _ in range(n_sets):
        right = np.ones((2, 60), dtype=bool)
        right[rng.integers(2, size=5), np.arange(5)] = False
        models = {"a": of(right[0]), "b": of(right[1])}
        for method in called:
            called[method] += compare("accuracy_score", models, method=method).p_value <= 0.05
    assert called["auto"] == 0  # five answers cannot say so
    assert called["delta"] > n_sets / 20


def test_a_report_gives_no_star_to_few_answers():
    report = confidence_report(differing(better=5), metrics=["accuracy_score"])
    assert report.frame.at["accuracy_score", "best_model"] == "no difference shown"
    report = confidence_report(differing(better=6), metrics=["accuracy_score"])
    assert report.frame.at["accuracy_score", "best_model"] == ("a",)
