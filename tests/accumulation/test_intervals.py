"""Intervals of accumulated scores, beside those of all samples in memory."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from _support.predictions import draw_classes
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, MetricAccumulator, get_scorer, get_scorer_names
from skconf.accumulation._intervals import Moments
from skconf.accumulation._plan import calibrated_terms
from skconf.inference import confidence_interval
from skconf.metrics import get_metric

STATISTICS = [name for name in get_scorer_names() if name not in ("neg_ad_ece", "neg_tce")]
#: With influence values: the result must be the one in memory, but for rounding.
#: Those of which the sums give no standard error.
RESAMPLED = (
    *("eci", "metric_coverage_auc_to_zero", "neg_calibration_distance", "neg_csr_deviation", "neg_csr_excess"),
    *("neg_csr_zscore_deviation", "neg_ecce", "neg_ecd_deviation", "neg_ece", "neg_ls_ece", "neg_mce"),
    *("neg_overconfidence_risk", "neg_smooth_ece"),
)
SMOOTH = [name for name in STATISTICS if name not in RESAMPLED]
SHARES = ["coverage", "selective_accuracy", "neg_selective_risk", "accuracy"]
NONE = ["neg_smooth_ece", "neg_ecce", "neg_calibration_distance", "metric_coverage_auc_to_zero"]
BINARY = [name for name in STATISTICS if f"{name}_macro" in STATISTICS]
COLUMNS = ["value", "low", "high", "standard_error"]


def in_parts(names, profile, n_parts=6, **options):
    total = MetricAccumulator(names, **options)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(profile)), n_parts):
        total.update(profile[rows])
    return total


def assert_same(found, expected, **tolerance):
    assert list(found.index) == list(expected.index)
    assert found.index.name == expected.index.name
    np.testing.assert_allclose(found[COLUMNS], expected[COLUMNS], **tolerance)


class TestDelta:
    @pytest.mark.parametrize("n_classes", [2, 4])
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("level", [0.9, 0.99])
    def test_is_that_of_all_samples_in_memory(self, n_classes, weighted, level):
        weight = np.random.default_rng(1).integers(0, 4, 1500) / 2 if weighted else None
        profile = ConfidenceProfile.from_predictions(*draw_classes(1500, n_classes), sample_weight=weight)
        names = [
            name for name in SMOOTH if n_classes == 2 or name not in [*BINARY, "cw_roc_auc", "cw_roc_auc_weighted"]
        ]
        found = in_parts(names, profile).confidence_interval(level)
        expected = confidence_interval(names, profile, confidence_level=level, method="delta")
        shares = [name for name in names if name in SHARES]
        expected.loc[shares] = confidence_interval(shares, profile, confidence_level=level)
        assert_same(found, expected, rtol=1e-9)
        assert found["method"].tolist() == expected["method"].tolist()
        assert (found["error_bound"] == 0).all()

    def test_of_scikit_learns_area_whose_numbers_of_positives_are_fixed(self):
        profile = ConfidenceProfile.from_predictions(*draw_classes(900, 2))
        found = in_parts({"it": "roc_auc"}, profile).confidence_interval().loc["it"]
        expected = confidence_interval("roc_auc", profile, method="delta")
        assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high), rel=1e-9)

    def test_of_another_score(self):
        y, proba = draw_classes(800, 3)
        profile = ConfidenceProfile.from_predictions(y, proba, score=-proba.min(axis=1))
        names = ["neg_aurc", "neg_augrc", "confidence_roc_auc"]
        assert_same(in_parts(names, profile).confidence_interval(), confidence_interval(names, profile), rtol=1e-9)

    @pytest.mark.parametrize("right", [True, False])
    def test_shares_without_exception_have_a_width(self, right):
        sure = np.r_[np.full(50, 0.9), np.full(150, 0.4)]
        profile = ConfidenceProfile.from_correctness(np.r_[np.full(50, right), np.arange(150) % 2], sure)
        names = {"it": get_scorer("selective_accuracy", threshold=0.8)}
        found = in_parts(names, profile).confidence_interval().loc["it"]
        expected = confidence_interval("selective_accuracy", profile, threshold=0.8)
        assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high), rel=1e-9)
        assert found["high"] - found["low"] > 0.05

    def test_nothing_varies(self):
        """A variance that cancels is zero, and not the rounding error that is left."""
        profile = ConfidenceProfile.from_correctness(np.ones(1000), np.full(1000, 0.7))
        total = in_parts("calibrated_size_ratio_std", profile)
        with pytest.warns(UndefinedMetricWarning, match="samples differ too little"):
            found = total.confidence_interval().iloc[0]
        assert found["standard_error"] == 0
        assert np.isnan(found["low"])

    def test_of_rounded_confidences_holds_the_exact_interval(self):
        y, proba = draw_classes(20_000, 2)
        profile = ConfidenceProfile.from_predictions(y, proba)
        names = ["neg_aurc", "neg_augrc", "cw_roc_auc", "confidence_roc_auc"]
        found = in_parts(names, profile, max_levels=1024).confidence_interval()
        expected = confidence_interval(names, profile)
        np.testing.assert_allclose(found["standard_error"], expected["standard_error"], rtol=0.01)
        assert (found["error_bound"] > 0).all()
        assert (found["low"] < expected["low"]).all()
        assert (found["high"] > expected["high"]).all()


def of_sum(terms):
    """Return the moments of a mean, as of a metric with a single sum."""
    mean = SimpleNamespace(combine=lambda total: total / len(terms))
    statistic = SimpleNamespace(name="mean", metric=mean, score=lambda values: values, bounds=(-np.inf, np.inf))
    return Moments(statistic, (np.array(terms.sum()),), (np.array([[terms @ terms]]),), len(terms))


class TestNormal:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("power", [1, 2], ids=["calibrated", "overconfident"])
    def test_is_near_that_of_resamples(self, n_classes, power):
        """What both find at random differs by a few percent of the width."""
        weight = np.random.default_rng(2).exponential(1, 4000)
        profile = ConfidenceProfile.from_predictions(*draw_classes(4000, n_classes, power=power), sample_weight=weight)
        scorers = {name: get_scorer(name) for name in ("neg_ece", "neg_ecd_deviation")}
        found = in_parts(scorers, profile).confidence_interval(0.9, n_resamples=4000)
        expected = confidence_interval(scorers, profile, confidence_level=0.9, n_resamples=1000, random_state=0)
        width = (expected["high"] - expected["low"]).to_numpy()
        np.testing.assert_allclose(found["standard_error"], expected["standard_error"], rtol=0.15)
        for end in ("low", "high"):
            assert (np.abs(found[end] - expected[end]).to_numpy() < 0.15 * width).all()
        assert (found["method"] == "normal").all()
        if power == 1:
            assert found.loc["neg_ece", "high"] == 0

    @pytest.mark.simulation
    def test_holds_the_truth_as_often_as_it_says(self):
        """Of miscalibrated confidences, whose error is known."""
        rng = np.random.default_rng(0)
        level, hits, truth = 0.9, 0, None
        for _ in range(200):
            sure = rng.choice([0.55, 0.65, 0.75, 0.95], 2000)
            chance = np.array([0.5, 0.5, 0.8, 0.85])[np.searchsorted([0.55, 0.65, 0.75, 0.95], sure)]
            truth = -np.mean([0.05, 0.15, 0.05, 0.1])
            profile = ConfidenceProfile.from_correctness(rng.random(2000) < chance, sure)
            found = MetricAccumulator("neg_ece").update(profile).confidence_interval(level).iloc[0]
            hits += found["low"] <= truth <= found["high"]
        assert 0.84 < hits / 200 < 0.96

    @pytest.mark.filterwarnings("ignore:neg_mce has 21 errors")
    def test_largest_error_of_bins_with_few_samples(self):
        """The weight of a bin that is drawn near 0 or below leads beyond the bounds of what is divided by it."""
        rng = np.random.default_rng(1)
        sure = rng.beta(8, 0.5, 200)
        profile = ConfidenceProfile.from_correctness(rng.random(200) < sure**1.3, sure)
        found = MetricAccumulator("neg_mce").update(profile).confidence_interval().iloc[0]
        expected = confidence_interval("neg_mce", profile, random_state=0)
        assert -1 <= found["low"] <= expected.low < expected.high <= found["high"] <= 0
        assert expected.standard_error < found["standard_error"] < 0.51  # no spread in [-1, 0] is larger

    def test_the_normal_distribution_is_that_of_sums_of_few_independent_units(self):
        """Of a score that is a sum itself, the standard error is the standard deviation over the root, of n − 1."""
        terms = np.random.default_rng(4).normal(5, 1, 6)
        found = of_sum(terms).normal(terms.mean(), 0.95, 40_000, np.random.default_rng(0), ((), ()))
        assert found.standard_error == pytest.approx(terms.std(ddof=1) / np.sqrt(6), rel=0.01)

    @pytest.mark.parametrize(("n_draws", "holds_zero"), [(10, True), (18, True), (20, False), (100, False)])
    def test_few_draws_cannot_tell_an_error_from_chance(self, n_draws, holds_zero):
        """None of the draws is as far, but one of 20 might be."""
        terms = np.array([5.0, 5.1, 4.9, 5.0])
        calibrated = (np.array(0.0),), (np.zeros((1, 1)),)
        found = of_sum(terms).normal(5.0, 0.95, n_draws, np.random.default_rng(0), calibrated)
        assert (found.low <= 0) == holds_zero

    @pytest.mark.parametrize("graded", [False, True])
    def test_terms_of_calibrated_confidences_spread_as_draws_of_the_answers(self, graded):
        rng = np.random.default_rng(5)
        sure = rng.random(50)
        correct = rng.integers(0, 5, 50) / 4 if graded else rng.random(50) < sure
        metric = get_metric("confidence_brier_loss")
        expected, deviations = calibrated_terms(metric, ConfidenceProfile.from_correctness(correct, sure))
        if_right, if_wrong = (1 - sure) ** 2, sure**2
        np.testing.assert_allclose(expected[0].values, sure * if_right + (1 - sure) * if_wrong)
        spread = correct - sure if graded else np.sqrt(sure * (1 - sure))
        np.testing.assert_allclose(deviations[0].values, spread * (if_right - if_wrong))

    def test_same_seed_same_interval(self):
        total = in_parts(["neg_ece", "neg_ecd_deviation"], ConfidenceProfile.from_predictions(*draw_classes(500, 2)))
        found = [total.confidence_interval(random_state=seed)["low"].tolist() for seed in (1, 1, 2)]
        assert found[0] == found[1] != found[2]


class TestNone:
    @pytest.mark.parametrize("name", NONE)
    def test_metrics_that_need_resamples(self, name):
        total = in_parts(["cw_accuracy", name], ConfidenceProfile.from_predictions(*draw_classes(500, 2)))
        with pytest.warns(
            UndefinedMetricWarning, match=f"{name} has no interval: its interval needs resampling"
        ) as caught:
            found = total.confidence_interval()
        assert len(caught) == 1
        assert found.loc[name, ["low", "high", "standard_error"]].isna().all()
        assert found.loc[name, "value"] == total.result()[name]
        assert found.loc["cw_accuracy"].notna().all()

    def test_areas_of_many_classes(self):
        total = in_parts("cw_roc_auc", ConfidenceProfile.from_predictions(*draw_classes(500, 4)))
        with pytest.warns(UndefinedMetricWarning, match="the classes are accumulated separately"):
            assert np.isnan(total.confidence_interval()["low"]).all()

    def test_very_many_sums(self):
        y, proba = draw_classes(300, 120)
        total = MetricAccumulator(["accuracy", get_scorer("crecall_macro", zero_division=0)], labels=range(120))
        total.update(y, proba)
        with pytest.warns(
            UndefinedMetricWarning, match=r"crecall_macro\(zero_division=0\) has no interval: .* more than 256 sums"
        ):
            found = total.confidence_interval()
        assert found["low"].isna().tolist() == [False, True]

    def test_undefined(self):
        total = MetricAccumulator("confidence_roc_auc").update(ConfidenceProfile.from_correctness([1, 1], [0.4, 0.5]))
        with pytest.warns(UndefinedMetricWarning, match="undefined") as caught:
            assert total.confidence_interval().loc["confidence_roc_auc", COLUMNS].isna().all()
        assert len(caught) == 1

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    @pytest.mark.parametrize("size", [1e200, 1e-200])
    def test_weights_beyond_floating_point_are_refused(self, size):
        """Parts add up by the sizes of their weights, which cannot be scaled part by part."""
        profile = ConfidenceProfile.from_predictions(*draw_classes(100, 2)).with_weight(np.full(100, size))
        with pytest.raises(ValueError, match=r"must lie in \[1e-30, 1e\+30\], but is about .* Divide all weights"):
            in_parts("cw_accuracy", profile)

    @pytest.mark.parametrize("name", ["neg_confidence_brier", "neg_aurc", "confidence_roc_auc", "cwsa"])
    @pytest.mark.parametrize("n_errors", [29, 30])
    def test_few_errors_need_the_samples(self, name, n_errors):
        sure = np.random.default_rng(0).uniform(0.5, 1, 400)
        total = in_parts(name, ConfidenceProfile.from_correctness(np.arange(400) >= n_errors, sure))
        if n_errors == 30:
            assert np.isfinite(total.confidence_interval().at[name, "low"])
            return
        with pytest.warns(
            UndefinedMetricWarning, match=f"{name} has no interval: there are only 29 errors.* from sums needs 30"
        ):
            assert np.isnan(total.confidence_interval().at[name, "low"])

    def test_errors_of_unequal_weight_are_fewer(self):
        """Of weights 1 and 10 a tenth heavy: 400 samples tell as much as 760² / 4360 = 132."""
        weight = np.where(np.arange(400) % 10 == 0, 10.0, 1.0)
        correct = np.arange(400) % 8 > 0  # 50 errors
        profile = ConfidenceProfile.from_correctness(correct, np.linspace(0.5, 1, 400), sample_weight=weight)
        few = np.average(~correct, weights=weight) * 760**2 / 4360
        with pytest.warns(UndefinedMetricWarning, match=f"there are only {few:.0f} errors"):
            in_parts("neg_aurc", profile).confidence_interval()

    @pytest.mark.parametrize("name", ["neg_csr_excess", "calibrated_size_ratio"])
    def test_size_ratio_needs_the_samples(self, name):
        total = in_parts([name, "capped_size_ratio"], ConfidenceProfile.from_predictions(*draw_classes(1000, 2)))
        with pytest.warns(
            UndefinedMetricWarning, match=f"{name} has no interval: it depends on the most confident answers"
        ):
            found = total.confidence_interval()
        assert found["low"].isna().tolist() == [True, False]

    def test_without_moments(self):
        total = in_parts("coverage", ConfidenceProfile.from_predictions(*draw_classes(500, 2)), intervals=False)
        with pytest.raises(ValueError, match="Make it with intervals=True"):
            total.confidence_interval()

    @pytest.mark.parametrize("weight", [[1.0], [1.0, 0.0, 0.0]])
    def test_one_sample(self, weight):
        n = len(weight)
        profile = ConfidenceProfile.from_correctness(np.ones(n), np.full(n, 0.7), sample_weight=weight)
        with pytest.raises(ValueError, match="At least two are needed"):
            MetricAccumulator("coverage").update(profile).confidence_interval()

    @pytest.mark.parametrize("level", [0, 1, 95])
    def test_level(self, level):
        total = in_parts("coverage", ConfidenceProfile.from_predictions(*draw_classes(50, 2)))
        with pytest.raises(ValueError, match="level must lie"):
            total.confidence_interval(level)


def test_every_scorer_has_an_interval_or_a_reason():
    names = [name for name in STATISTICS if name not in BINARY]
    total = in_parts(names, ConfidenceProfile.from_predictions(*draw_classes(500, 3)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = total.confidence_interval()
    # Others say that nobody chose a threshold.
    named = [str(warning.message).split()[0] for warning in caught if warning.category is UndefinedMetricWarning]
    assert sorted(named) == sorted(found.index[found["low"].isna()])


@pytest.mark.parametrize("seed", range(5))
def test_empty_bins_do_not_widen_the_interval_of_the_largest_gap(seed):
    """Rounding errors in the sums of empty bins were gaps of up to 1, and the interval was [-0.93, 0] or NaN."""
    rng = np.random.default_rng(seed)
    sure = np.append(rng.uniform(0.75, 1, 2000), np.full(8, 0.55))
    profile = ConfidenceProfile.from_correctness(rng.random(2008) < sure, sure)
    found = MetricAccumulator(["neg_mce"], intervals=True).update(profile).confidence_interval().loc["neg_mce"]
    resampled = confidence_interval("neg_mce", profile, method="bootstrap", random_state=0)
    assert found["low"] == pytest.approx(resampled.low, abs=0.15)
    assert found["high"] == resampled.high == 0
