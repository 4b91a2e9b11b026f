"""Answers that are graded, have costs or are in groups: intervals, comparisons, slices, verdicts and guarantees."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from _support.definitions import DEFINITIONS
from scipy import stats

from skconf import ConfidenceProfile, MetricAccumulator, confidence_report, tune_threshold
from skconf.inference import (
    assess_confidence,
    by_group,
    compare,
    confidence_interval,
    contributions,
    overconfidence_by_group,
    shift_test,
)

#: Numbers that graded answers allow.
GRADED = sorted(name for name, c in DEFINITIONS.items() if c.takes != "right or wrong" and c.result is float)


def graded(n=400, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    c = rng.random(n)
    z = rng.beta(4 * c + 1e-3, 4 * (1 - c) + 1e-3)  # of mean c
    return ConfidenceProfile.from_correctness(z, np.clip(c + shift, 0, 1))


def rows_of_labels(n=150, n_labels=10, seed=0, shift=0.0):
    """Calibrated labels, which are right or wrong together in most rows."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.5, 1, n)
    right = np.where(rng.random((n, n_labels)) < 0.8, rng.random((n, 1)), rng.random((n, n_labels))) < sure[:, None]
    groups = np.repeat(np.arange(n), n_labels)
    sure = np.clip(np.repeat(sure, n_labels) + shift, 0, 1)
    return ConfidenceProfile.from_correctness(right.ravel(), sure, groups=groups)


def costs(n=400, seed=0):
    rng = np.random.default_rng(seed)
    u = rng.gamma(2, 1, n)
    return ConfidenceProfile.from_costs(u * rng.exponential(1, n), u, largest=10)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No threshold was given")
        yield


@pytest.mark.parametrize("name", GRADED)
def test_graded_answers_have_intervals(name):
    found = confidence_interval(name, graded(), n_resamples=200, random_state=0)
    assert found.low <= found.value <= found.high
    assert found.low < found.high
    # A share of samples has an exact interval, and graded answers are no share.
    assert found.method != "exact" or name == "coverage_score"


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("n_sets", "least", "most"), [(30, 25, 30), pytest.param(200, 180, 199, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", ["selective_risk_loss", "aurc_loss", "confidence_gap", "ecuas_loss"])
def test_intervals_of_graded_answers_hold_the_truth(name, n_sets, least, most):
    truth = confidence_interval(name, graded(50_000, seed=99)).value
    held = 0
    for seed in range(n_sets):
        found = confidence_interval(name, graded(300, seed))
        held += found.low <= truth <= found.high
    assert least <= held <= most


@pytest.mark.parametrize("name", ["expected_calibration_error", "smooth_calibration_error"])
@pytest.mark.slow
def test_the_interval_of_a_calibration_error_reaches_to_zero_of_calibrated_answers(name):
    for drawn in (graded(300, 1), graded(300, 2), rows_of_labels(100, seed=1), rows_of_labels(100, seed=2)):
        assert confidence_interval(name, drawn, n_resamples=100, random_state=0).low == 0
    assert confidence_interval(name, graded(1000, shift=-0.2), n_resamples=100, random_state=0).low > 0


def test_few_graded_losses_are_not_trusted_to_influence_values():
    rng = np.random.default_rng(0)
    z = np.where(rng.random(300) < 0.02, 0.5, 1.0)
    found = confidence_interval("selective_risk_loss", ConfidenceProfile.from_correctness(z, np.full(300, 0.9)))
    assert found.method == "bayesian"
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", ["selective_risk_loss", "aurc_loss", "augrc_loss", "ecuas_loss", "reject_cost_loss"])
def test_costs_have_intervals_in_their_units(name):
    profile = costs()
    params = {"selective_risk_loss": {"threshold": 0.0}, "reject_cost_loss": {"reject_cost": 3}}.get(name, {})
    found = confidence_interval(name, profile, **params)
    assert found.low < found.value < found.high
    if name == "selective_risk_loss":  # all are accepted: a mean
        paid = profile.answer_cost[profile.score >= 0]
        error = paid.std(ddof=1) / np.sqrt(len(paid))
        assert found.value == pytest.approx(paid.mean())
        assert found.standard_error == pytest.approx(error, rel=0.02)


class TestGroups:
    @pytest.mark.simulation
    @pytest.mark.parametrize(
        ("n_sets", "least", "most", "most_apart"),
        [(30, 26, 30, 22), pytest.param(200, 182, 199, 149, marks=pytest.mark.slow)],
    )
    def test_labels_of_a_row_are_drawn_together(self, n_sets, least, most, most_apart):
        """Pooled as if each were a sample, intervals hold the truth far too rarely."""
        truth, together, apart = 0.75, 0, 0
        for seed in range(n_sets):
            profile = rows_of_labels(seed=seed)
            found = confidence_interval("accuracy_score", profile)
            together += found.low <= truth <= found.high
            found = confidence_interval("accuracy_score", replace(profile, groups=None))
            apart += found.low <= truth <= found.high
        assert least <= together <= most
        assert apart <= most_apart

    def test_given_groups_come_first(self):
        profile = rows_of_labels()
        by_label = confidence_interval("accuracy_score", profile, groups=np.arange(len(profile)))
        assert by_label.standard_error < confidence_interval("accuracy_score", profile).standard_error / 2

    def test_a_comparison_draws_rows(self):
        one, other = rows_of_labels(), rows_of_labels(shift=-0.05)
        models = {"a": one, "b": other}
        found = compare("confidence_brier_loss", models)
        given = {name: replace(profile, groups=None) for name, profile in models.items()}
        assert found == compare("confidence_brier_loss", given, groups=one.groups)
        assert found.standard_error > compare("confidence_brier_loss", given).standard_error

    def test_slices_draw_rows(self):
        profile = rows_of_labels()
        halves = profile.groups % 2
        table = by_group("accuracy_score", profile, groups=halves, confidence_level=0.95)
        found = confidence_interval("accuracy_score", profile[halves == 1])
        assert table.at[1, "low"] == pytest.approx(found.low)

    def test_a_guarantee_takes_one_label_of_a_row(self):
        profile = rows_of_labels()
        given = {"target": 0.3, "confidence_level": 0.9, "random_state": 0}
        found = tune_threshold(profile, **given)
        assert found.n_samples == 150
        expected = tune_threshold(replace(profile, groups=None), groups=profile.groups, **given)
        assert (found.threshold, found.risk_upper_bound) == (expected.threshold, expected.risk_upper_bound)

    @pytest.mark.parametrize("name", ["overconfidence_risk", "spiegelhalter_test", "t_cal_test", "tce_error"])
    def test_tests_of_independent_answers_refuse_them_by_name(self, name):
        with pytest.raises(ValueError, match=f"{name} assumes independent answers"):
            DEFINITIONS[name].function(rows_of_labels())

    def test_what_draws_answers_one_by_one_refuses_them(self):
        profile = rows_of_labels()
        with pytest.raises(ValueError, match="overconfidence_risk assumes independent answers"):
            overconfidence_by_group(profile, groups=profile.groups % 2)
        with pytest.raises(ValueError, match="reference has answers in clusters"):
            shift_test(profile, profile)
        total = MetricAccumulator("cw_accuracy").update(profile)
        assert total.result()["cw_accuracy"] == pytest.approx(DEFINITIONS["cw_accuracy_score"]()(profile))
        with pytest.raises(ValueError, match="answers come in clusters"):
            total.confidence_interval()


class TestVerdict:
    @pytest.mark.simulation
    @pytest.mark.parametrize(
        ("n_sets", "most", "n_alone", "least_alone"),
        [(40, 6, 12, 3), pytest.param(200, 20, 40, 12, marks=pytest.mark.slow)],
    )
    def test_labels_of_a_row_give_no_more_false_verdicts_than_samples(self, n_sets, most, n_alone, least_alone):
        """Each for itself, as many as one in three is called overconfident or underconfident."""
        called = sum(assess_confidence(rows_of_labels(seed=seed)).found for seed in range(n_sets))
        alone = (replace(rows_of_labels(seed=seed), groups=None) for seed in range(n_alone))
        assert called <= most
        assert sum(assess_confidence(profile, n_resamples=199).p_value <= 0.05 for profile in alone) >= least_alone

    def test_only_the_gap_of_graded_answers_is_tested_and_the_sentence_says_so(self):
        found = assess_confidence(graded(shift=0.1))
        profile = graded(shift=0.1)
        apart = profile.confidence - profile.correctness
        assert found.gap == pytest.approx(apart.mean())
        assert found.gap_high - found.gap == pytest.approx(1.96 * apart.std() / 20)
        assert str(found).startswith("Overconfident: average confidence is ")
        assert str(found).endswith(" The answers are graded: only the overall gap is tested.")
        assert found.levels == ()
        assert "verconfident:" not in str(assess_confidence(graded()))

    def test_the_gap_of_groups_is_that_of_their_means(self):
        """Where all have as many answers."""
        profile = rows_of_labels(n=200, seed=3, shift=0.02)
        means = (profile.confidence - profile.correctness).reshape(200, 10).mean(axis=1)
        error, law = means.std(ddof=1) / np.sqrt(200), stats.t(199)
        found = assess_confidence(profile)
        assert (found.gap, found.gap_high) == pytest.approx((means.mean(), means.mean() + law.ppf(0.975) * error))
        assert found.p_value == pytest.approx(2 * law.sf(abs(means.mean()) / error))

    def test_the_accuracy_of_groups_has_the_interval_of_new_groups(self):
        """Where confidences tell right from wrong, the gap varies less: its interval is no interval of the accuracy."""
        rng = np.random.default_rng(0)
        sure = rng.random(300) < 0.6  # of a question, whose answers are all right or all wrong
        right, says = np.repeat(sure, 4), np.where(np.repeat(sure, 4), 0.99, 0.11)
        found = assess_confidence(ConfidenceProfile.from_correctness(right, says, groups=np.repeat(np.arange(300), 4)))
        error, times = sure.std(ddof=1) / np.sqrt(300), stats.t(299).ppf(0.975)
        size, share = sure.mean() * (1 - sure.mean()) / error**2, sure.mean()
        reach = times * np.sqrt(share * (1 - share) / size + (times / (2 * size)) ** 2) / (1 + times**2 / size)
        centre = (share + times**2 / (2 * size)) / (1 + times**2 / size)  # of Wilson's interval
        assert (found.accuracy_low, found.accuracy_high) == pytest.approx((centre - reach, centre + reach))
        assert found.gap_high - found.gap_low < 0.3 * (found.accuracy_high - found.accuracy_low)

    def test_a_gap_of_groups_is_told_with_its_own_interval(self):
        text = str(assess_confidence(rows_of_labels(n=400, seed=3, shift=0.1)))
        low, high = map(float, re.search(r"points apart \(([\d.]+)–([\d.]+)\)", text).groups())
        found = assess_confidence(rows_of_labels(n=400, seed=3, shift=0.1))
        assert (low, high) == pytest.approx((100 * found.gap_low, 100 * found.gap_high), abs=0.05)

    def test_few_groups_say_nothing(self):
        for groups in ([4, 4, 4], [4, 4, 5]):
            profile = ConfidenceProfile.from_correctness([1, 0, 1], [0.7, 0.5, 0.9], groups=groups)
            assert assess_confidence(profile).grade == "too few to say"

    def test_costs_have_none(self):
        with pytest.raises(ValueError, match="assess_confidence needs the correctness of answers, but only costs"):
            assess_confidence(costs())


class TestEverywhere:
    PROFILES = (graded(), costs(), rows_of_labels())

    @pytest.mark.parametrize("profile", PROFILES, ids=["graded", "costs", "groups"])
    def test_a_report_has_the_metrics_that_are_defined(self, profile):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="calibrated_size_ratio cannot be estimated")
            report = confidence_report(profile, confidence_level=0.9, random_state=0)
        assert np.isfinite(report.frame["value"]).all()
        assert {"aurc_loss", "ecuas_loss"} <= set(report.frame.index)
        assert ("calibrated_size_ratio" in report.frame.index) == (profile.kind == "right or wrong")
        assert "overconfidence_risk" not in report.frame.index
        assert (report.frame["low"] <= report.frame["value"])[report.frame["low"].notna()].all()
        assert "aurc_loss" in report.text()
        assert "aurc_loss" in report.page()

    @pytest.mark.parametrize("profile", PROFILES, ids=["graded", "costs", "groups"])
    def test_two_models_are_compared(self, profile):
        other = replace(profile, score=profile.score[::-1].copy())
        found = compare("aurc_loss", {"a": profile, "b": other}, random_state=0)
        assert found.difference == pytest.approx(found.first_value - found.second_value)
        assert found.p_value < 0.05
        report = confidence_report({"a": profile, "b": other}, metrics=["aurc_loss"])
        assert report.frame.at["aurc_loss", "best_model"] == ("a",)

    @pytest.mark.parametrize("profile", PROFILES, ids=["graded", "costs", "groups"])
    def test_slices_and_contributions(self, profile):
        groups = np.arange(len(profile)) % 3
        metric = ("selective_risk_loss", {"threshold": 0.6})
        table = by_group(metric, profile, groups=groups, confidence_level=0.9)
        shares = contributions(metric, profile)
        assert shares.sum() == pytest.approx(table.attrs["overall"])
        for group in range(3):
            expected = confidence_interval(metric, profile[groups == group], confidence_level=0.9, random_state=0)
            assert table.at[group, "low"] == pytest.approx(expected.low, rel=0.05)

    def test_parts_of_graded_answers_are_the_whole(self):
        profile = graded(3000)
        names = [name for name in GRADED if name not in ("metric_coverage_auc", "adaptive_calibration_error")]
        total = MetricAccumulator(names)
        for start in range(0, 3000, 700):
            total.update(profile[start : start + 700])
        for name, value in total.result().items():
            assert value == pytest.approx(DEFINITIONS[name]()(profile), rel=1e-10), name
        again = MetricAccumulator(names).load_state_dict(total.state_dict())
        assert again.result() == total.result()

    def test_their_intervals_are_those_in_memory(self):
        profile = graded(3000)
        names = ["confidence_brier_loss", "ecuas_loss", "cw_accuracy_score", "selective_risk_loss"]
        table = MetricAccumulator(names).update(profile[:1000]).update(profile[1000:]).confidence_interval()
        expected = confidence_interval(names, profile)
        np.testing.assert_allclose(table[["low", "high"]], expected[["low", "high"]], rtol=1e-9)
        assert (table["method"] == "delta").all()

    def test_an_area_of_parts_is_no_surer_than_it_is(self):
        profile = graded(3000)
        found = MetricAccumulator("aurc_loss").update(profile).confidence_interval().loc["aurc_loss"]
        expected = confidence_interval("aurc_loss", profile)
        assert found["value"] == pytest.approx(expected.value)
        assert expected.standard_error < found["standard_error"] < 2.5 * expected.standard_error

    def test_costs_in_parts(self):
        profile = costs(1000)
        names = ["ecuas_loss", ("reject_cost_loss", {"reject_cost": 3}), ("selective_risk_loss", {"threshold": 0.5})]
        total = MetricAccumulator(names).update(profile[:300]).update(profile[300:])
        expected = confidence_interval(names, profile)
        np.testing.assert_allclose(list(total.result().values()), expected["value"], rtol=1e-12)
        np.testing.assert_allclose(total.confidence_interval()["high"], expected["high"], rtol=1e-9)
        with pytest.raises(ValueError, match="costs"):
            MetricAccumulator("aurc_loss").update(profile)

    def test_what_counts_errors_refuses_by_name(self):
        with pytest.raises(ValueError, match="calibrated_size_ratio needs answers that are right or wrong"):
            MetricAccumulator("calibrated_size_ratio").update(graded())
        with pytest.raises(ValueError, match="calibrated_size_ratio needs answers that are right or wrong"):
            overconfidence_by_group(graded(), groups=np.arange(400) % 2)
        with pytest.raises(ValueError, match="shift_test counts right answers"):
            shift_test(graded(), graded())
        with pytest.raises(ValueError, match="confidence_level needs answers that are right or wrong, but these"):
            tune_threshold(graded(), target=0.3, confidence_level=0.9)

    def test_a_threshold_for_a_mean_of_graded_losses(self):
        profile = graded(2000)
        found = tune_threshold(profile, target=0.2)
        kept = profile.score >= found.threshold
        assert found.risk == pytest.approx(profile.loss[kept].mean())
        assert found.risk <= 0.2
