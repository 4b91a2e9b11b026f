"""Confidence intervals, beside what textbooks, scipy and brute force say."""

import inspect
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from _support.definitions import DEFINITIONS
from _support.predictions import draw_classes
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from skconf import ConfidenceProfile, confidence_scoring, get_scorer, get_scorer_names, metrics
from skconf.inference import confidence_interval
from skconf.inference._bayesian_bootstrap import phantoms_for
from skconf.inference._confidence_interval import read_statistics
from skconf.inference._sampling import Sampling
from skconf.metrics import get_metric

FEW = [
    *(
        "aurc_loss",
        "neg_augrc",
        "neg_ecuas",
        "cwsa_score",
        "neg_confidence_brier",
        "confidence_log_loss",
        "cw_accuracy",
    ),
    *("capped_size_ratio", "cf1_macro", "cw_recall_macro", "cw_balanced_accuracy", "cw_roc_auc"),
]
SMOOTH = ["cw_accuracy", "cw_f1_macro", "confidence_gain", "neg_ecuas", "aurc_loss", "augrc_loss", "cw_roc_auc"]


@pytest.fixture
def few_draws(monkeypatch):
    """For what does not depend on how near the ends are."""
    monkeypatch.setattr("skconf.inference._bayesian_bootstrap.N_DRAWS", 200)


def log_losses(y, proba):
    sure, right = proba.max(axis=1), proba.argmax(axis=1) == y
    return -np.log(np.where(right, sure, 1 - sure))


class TestDelta:
    def test_mean_has_the_t_interval(self):
        y, proba = draw_classes(300)
        found = confidence_interval(metrics.confidence_log_loss, y, proba, confidence_level=0.9)
        expected = stats.ttest_1samp(log_losses(y, proba), 0).confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-10)
        assert found.standard_error == pytest.approx(stats.sem(log_losses(y, proba)), rel=1e-10)
        assert (found.confidence_level, found.method) == (0.9, "delta")

    @pytest.mark.parametrize("threshold", [0.4, 0.8, 0.95])
    def test_share_has_wilsons_interval(self, threshold):
        """But for the t distribution, and n − 1 in the place of n, which 5,000 samples hardly show."""
        y, proba = draw_classes(5000)
        found = confidence_interval("coverage_score", y, proba, threshold=threshold, method="delta")
        count = int((proba.max(axis=1) >= threshold).sum())
        expected = stats.binomtest(count, 5000).proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=5e-4)

    @pytest.mark.parametrize("right", [True, False], ids=["all right", "all wrong"])
    def test_share_without_exception_has_a_width(self, right):
        """No error among 50 accepted samples: how many were rejected tells nothing."""
        sure = np.r_[np.full(50, 0.9), np.full(950, 0.4)]
        correct = np.r_[np.full(50, right), np.arange(950) % 2 == 0]
        profile = ConfidenceProfile.from_correctness(correct, sure)
        found = confidence_interval("selective_risk_loss", profile, threshold=0.8, method="delta")
        expected = stats.binomtest(0 if right else 50, 50).proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-3)

    def test_nothing_accepted_says_nothing(self):
        profile = ConfidenceProfile.from_correctness(np.arange(50) % 2, np.full(50, 0.6))
        found = confidence_interval("cwsa_score", profile, threshold=0.9)
        assert (found.value, found.low, found.high) == (0.0, -1.0, 1.0)

    def test_groups_of_one_size_have_the_t_interval_of_their_means(self):
        y, proba = draw_classes(400)
        groups = np.random.default_rng(1).permutation(np.repeat(list("abcdefgh"), 50))
        found = confidence_interval("confidence_log_loss", y, proba, groups=groups)
        means = pd.Series(log_losses(y, proba)).groupby(groups).mean()
        expected = stats.ttest_1samp(means, 0).confidence_interval()
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-10)

    def test_strata_add_their_variances(self):
        y, proba = draw_classes(500)
        losses = pd.Series(log_losses(y, proba)).groupby(y)
        found = confidence_interval("confidence_log_loss", y, proba, stratify=y)
        variance = (losses.var() / losses.size() * (losses.size() / 500) ** 2).sum()
        assert found.standard_error == pytest.approx(np.sqrt(variance), rel=1e-10)
        assert found.standard_error < confidence_interval("confidence_log_loss", y, proba).standard_error

    @pytest.mark.parametrize("metric", SMOOTH)
    def test_standard_error_is_that_of_the_jackknife(self, metric):
        """Leaving out each sample in turn, by the metric itself; the two differ by terms of higher order."""
        y, proba = draw_classes(250)
        profile = ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2])
        value = read_statistics(metric, {})[0][metric].value
        left_out = np.array([value(profile[np.arange(250) != i]) for i in range(250)])
        expected = np.sqrt(249 / 250 * ((left_out - left_out.mean()) ** 2).sum())
        assert confidence_interval(metric, profile, method="delta").standard_error == pytest.approx(expected, rel=0.03)

    def test_area_under_the_roc_curve_is_delongs(self):
        """With weights: of a weighted placement value, in the place of each mean."""
        y, proba = draw_classes(200, n_classes=2)
        weight = np.random.default_rng(1).exponential(1, 200)
        found = confidence_interval("cw_roc_auc_score", y, proba, sample_weight=weight, method="delta")
        counted, score = weight * proba.max(axis=1), proba[:, 1]
        mine, theirs = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        beats = np.sign(score[mine, np.newaxis] - score[theirs]) / 2 + 0.5
        area = counted[mine] @ beats @ counted[theirs] / counted[mine].sum() / counted[theirs].sum()
        of_mine = beats @ counted[theirs] / counted[theirs].sum() - area
        of_theirs = counted[mine] @ beats / counted[mine].sum() - area
        variance = sum(
            ((counted[rows] * part) ** 2).sum() / counted[rows].sum() ** 2
            for rows, part in ((mine, of_mine), (theirs, of_theirs))
        )
        assert found.value == pytest.approx(roc_auc_score(y, score, sample_weight=counted), rel=1e-12)
        assert found.standard_error == pytest.approx(np.sqrt(variance * 200 / 199), rel=1e-10)

    def test_areas_of_all_classes_and_of_absent_ones(self):
        y, proba = draw_classes(300, n_classes=4)
        for labels_there in ([0, 1, 2, 3], [0, 1]):
            rows = np.isin(y, labels_there)
            profile = ConfidenceProfile.from_predictions(y[rows], proba[rows], labels=range(4))
            for average in ("macro", "weighted"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UndefinedMetricWarning)
                    effects = get_metric("cw_roc_auc_score", average=average).influence(profile)
                    for row in (0, 50, 100):
                        up, down = (
                            metrics.cw_roc_auc_score(
                                profile.with_weight(1 + step * (np.arange(len(profile)) == row)), average=average
                            )
                            for step in (1e-5, -1e-5)
                        )
                        assert effects[row] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-9)

    @pytest.mark.parametrize("name", ["aurc_loss", "excess_aurc_loss", "augrc_loss", "confidence_roc_auc_score"])
    @pytest.mark.parametrize("decimals", [15, 1], ids=["distinct", "tied"])
    @pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
    def test_influence_on_a_ranked_metric_is_its_derivative(self, name, decimals, weighted):
        rng = np.random.default_rng(0)
        sure = rng.uniform(0.5, 1, 3000).round(decimals)
        weight = rng.integers(1, 4, 3000).astype(float) if weighted else np.ones(3000)
        profile = ConfidenceProfile.from_correctness(rng.random(3000) < sure, sure, sample_weight=weight)
        metric = get_metric(name)
        effects = metric.influence(profile)
        assert effects.sum() == pytest.approx(0, abs=1e-12)
        for row in (0, 1, 1500, 2999):
            up, down = (
                metric(profile.with_weight(weight * np.where(np.arange(3000) == row, 1 + step, 1)))
                for step in (0.05, -0.05)
            )
            assert 3000 * effects[row] == pytest.approx(3000 * (up - down) / 0.1, abs=2e-4)  # but for 1/n

    @pytest.mark.parametrize("outcome", [True, False], ids=["all right", "all wrong"])
    @pytest.mark.parametrize("name", ["aurc_loss", "excess_aurc_loss", "augrc_loss"])
    def test_ranked_metric_without_exception_has_no_influence(self, name, outcome):
        sure = np.random.default_rng(0).random(30)
        profile = ConfidenceProfile.from_correctness(np.full(30, outcome), sure)
        np.testing.assert_allclose(get_metric(name).influence(profile), 0, atol=1e-15)

    @pytest.mark.parametrize(
        "metric", ["expected_calibration_error", "neg_ece", "maximum_calibration_error", "overconfidence_risk"]
    )
    def test_kinks_are_refused_by_name(self, metric):
        with pytest.raises(TypeError, match=f"{metric} has no interval with method='delta'.* Use method='bootstrap'"):
            confidence_interval(metric, *draw_classes(50), method="delta")

    @pytest.mark.parametrize(
        "metric",
        [
            "smooth_calibration_error",
            "metric_coverage_auc",
            "neg_csr_deviation",
            partial(metrics.expected_calibration_error, strategy="quantile"),
        ],
    )
    def test_what_has_no_influence_is_refused(self, metric):
        with pytest.raises(TypeError, match="has no interval with method='delta'"):
            confidence_interval(metric, *draw_classes(50), method="delta")


def with_errors(n_errors, n, seed=0, weight=None):
    """Answers of confidences from .5 to 1, of which so many are wrong, none of them alike."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.5, 1.0, n)
    right = rng.permutation(np.arange(n) >= n_errors)
    y = rng.integers(0, 2, n)
    return ConfidenceProfile.from_predictions(
        y, np.where(right == (y == 1), sure, 1 - sure), labels=[0, 1], sample_weight=weight
    )


class TestShares:
    @pytest.mark.parametrize("level", [0.8, 0.95])
    @pytest.mark.parametrize("n_errors", [0, 1, 3, 60])
    def test_interval_is_clopper_and_pearsons(self, n_errors, level):
        profile = with_errors(n_errors, 60)
        profile = profile.with_weight(np.full(60, 3.0))  # which are equal, whatever they are
        expected = stats.binomtest(n_errors, 60).proportion_ci(level, method="exact")
        found = confidence_interval("selective_risk_loss", profile, threshold=0.0, confidence_level=level)
        mirrored = confidence_interval("neg_selective_risk", profile, threshold=0.0, confidence_level=level)
        assert (found.method, mirrored.method) == ("exact", "exact")
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert (mirrored.low, mirrored.high) == pytest.approx((-expected.high, -expected.low), abs=1e-12)

    def test_only_what_is_accepted_counts(self):
        profile = with_errors(20, 400)
        accepted = profile.confidence >= 0.9
        wrong = int((~profile.correct & accepted).sum())
        expected = stats.binomtest(wrong, int(accepted.sum())).proportion_ci(method="exact")
        found = confidence_interval("selective_risk_loss", profile, threshold=0.9)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)

    def test_weights_are_counted_as_equal_samples(self):
        """Of 30 answers of weight 1 and 10 of weight 3, (Σw)²/Σw² = 60²/120 = 30 tell as much."""
        weight = np.repeat([1.0, 3.0], [30, 10])
        profile = ConfidenceProfile.from_correctness(np.arange(40) >= 6, np.full(40, 0.9), sample_weight=weight)
        found = confidence_interval("selective_risk_loss", profile)
        expected = stats.binomtest(3, 30).proportion_ci(method="exact")  # 6 of 60 by weight
        assert found.method == "binomial"
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)

    @pytest.mark.parametrize("seed", range(20))
    def test_weights_without_errors_have_no_spread(self, seed):
        """However the sums of the weights are rounded."""
        weight = np.random.default_rng(seed).exponential(size=1500)
        found = confidence_interval("selective_accuracy_score", with_errors(0, 1500, weight=weight))
        assert found.standard_error == pytest.approx(0, abs=1e-8)

    def test_from_a_hundred_errors_weights_need_it_no_more(self):
        weight = np.random.default_rng(0).uniform(0.5, 1.5, 1000)
        found = {n: confidence_interval("selective_risk_loss", with_errors(n, 1000, 0, weight)) for n in (80, 140)}
        assert {n: interval.method for n, interval in found.items()} == {80: "binomial", 140: "delta"}

    def test_all_weight_on_one_row_is_told(self):
        profile = with_errors(5, 40, weight=np.r_[1e6, np.ones(39)])
        with pytest.warns(UndefinedMetricWarning, match="selective_risk_loss cannot be estimated: one row has all or"):
            found = confidence_interval("selective_risk_loss", profile)
        assert (found.method, np.isnan(found.low)) == ("none", True)

    def test_groups_and_strata_are_left_to_delta(self):
        profile, codes = with_errors(8, 60), np.arange(60) % 20  # errors in eight of 20 groups are not rare
        for given in ({"groups": codes}, {"stratify": codes % 2}):
            found = confidence_interval(["selective_risk_loss", "aurc_loss"], profile, **given)
            assert found["method"].tolist() == ["delta", "delta"]


class TestFewErrors:
    """Below a hundred errors: the Bayesian bootstrap with phantom answers."""

    def test_of_a_share_it_is_jeffreys(self):
        """With a phantom error and a phantom right answer, of 100 answers that weigh alike: Beta(k + ½, n − k + ½)."""
        metric = get_metric("confidence_brier_loss")
        profile = ConfidenceProfile.from_correctness(np.arange(100) >= 4, np.ones(100))  # a loss of 1 or 0
        found = confidence_interval("confidence_brier_loss", profile, random_state=0)
        expected = stats.beta(4.5, 96.5).ppf([0.025, 0.975])
        assert metric(profile) == 0.04
        assert found.method == "bayesian"
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.004)
        assert found.standard_error == pytest.approx(stats.beta(4.5, 96.5).std(), rel=0.05)

    def test_one_draw_by_hand(self):
        """The loss of the samples with exponential weights, and of a phantom error in the place of one of them."""
        profile = with_errors(3, 8)
        rng = np.random.default_rng(7)
        phantoms = phantoms_for(get_metric("confidence_brier_loss"), profile, Sampling.of(profile), rng)
        weight = phantoms.draw(1, rng)[0]
        errors, rights = (weight[part] for part in (slice(8, 16), slice(16, 24)))
        assert np.count_nonzero(errors) == np.count_nonzero(rights) == 1
        assert not phantoms.added.correct[:8].any()
        assert phantoms.added.correct[8:].all()
        np.testing.assert_array_equal(phantoms.added.confidence, np.tile(profile.confidence, 2))
        # An error is one also by its classes.
        assert (phantoms.added.true_class[:8] == 1 - profile.predicted_class).all()

    @pytest.mark.parametrize("metric", FEW)
    @pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
    @pytest.mark.usefixtures("few_draws")
    def test_interval_holds_the_value_within_bounds(self, metric, weighted):
        for n_errors in (0, 1, 4, 40):
            weight = np.random.default_rng(1).choice([1.0, 10.0], 40) if weighted else None
            found = confidence_interval(metric, with_errors(n_errors, 40, weight=weight), random_state=0)
            least, most = read_statistics(metric, {})[0][metric].bounds
            assert least <= found.low <= found.value <= found.high <= most
            assert found.high > found.low
            assert found.method in ("bayesian", "delta")  # as all right answers are of one kind

    @pytest.mark.parametrize("n_abstained", [40, 80])
    def test_rows_that_abstain_change_nothing(self, n_abstained):
        """Also if there are as many of them as answers, or as answers and phantoms together."""
        sure, right = np.linspace(0.5, 1, 40), np.arange(40) % 8 > 0
        gone = np.r_[np.zeros(40, bool), np.ones(n_abstained, bool)]
        beside = ConfidenceProfile.from_correctness(
            np.r_[right, np.zeros(n_abstained)], np.r_[sure, np.full(n_abstained, 0.5)], abstained=gone
        )
        metrics = ["aurc_loss", "confidence_brier_loss"]
        found, expected = (
            confidence_interval(metrics, each, random_state=0)
            for each in (beside, ConfidenceProfile.from_correctness(right, sure))
        )
        assert found["method"].tolist() == ["bayesian"] * 2
        pd.testing.assert_frame_equal(found, expected)

    @pytest.mark.parametrize("metric", ["neg_augrc", "neg_ecuas", "cw_roc_auc", "cf1_macro", "confidence_roc_auc"])
    def test_as_wide_as_delta_where_errors_are_many(self, metric):
        profile = with_errors(95, 1500)
        bayesian, delta = (confidence_interval(metric, profile, method=m, random_state=0) for m in ("auto", "delta"))
        assert (bayesian.method, delta.method) == ("bayesian", "delta")
        assert bayesian.high - bayesian.low == pytest.approx(delta.high - delta.low, rel=0.12)
        assert bayesian.standard_error == pytest.approx(delta.standard_error, rel=0.12)

    @pytest.mark.parametrize("n_errors", [99, 100])
    @pytest.mark.usefixtures("few_draws")
    def test_from_a_hundred_errors_it_is_delta(self, n_errors):
        found = confidence_interval("aurc_loss", with_errors(n_errors, 1000), random_state=0)
        assert found.method == ("delta" if n_errors == 100 else "bayesian")

    @pytest.mark.usefixtures("few_draws")
    def test_few_right_answers_are_as_few_errors(self):
        assert confidence_interval("aurc_loss", with_errors(290, 300), random_state=0).method == "bayesian"

    @pytest.mark.usefixtures("few_draws")
    def test_weights_lower_the_number(self):
        """Of 300 errors in 1,000: (Σw)²/Σw² = 1900²/10900, 331 equal samples, of which some hundred are wrong."""
        weight = np.where(np.arange(1000) % 10 == 0, 10.0, 1.0)
        for n_errors, method in ((300, "bayesian"), (500, "delta")):
            profile = with_errors(n_errors, 1000, weight=weight)
            share = np.average(~profile.correct, weights=weight)
            assert (min(share, 1 - share) * 1900**2 / 10900 >= 100) == (method == "delta")
            assert confidence_interval("aurc_loss", profile, random_state=0).method == method

    @pytest.mark.usefixtures("few_draws")
    def test_only_accepted_errors_count(self):
        profile = with_errors(300, 1000)
        for threshold, method in ((0.5, "delta"), (0.9, "bayesian")):
            found = confidence_interval("cwsa_score", profile, threshold=threshold, random_state=0)
            assert found.method == method

    def test_same_for_any_number_of_jobs(self):
        profile = with_errors(5, 100)
        one, two = (confidence_interval(FEW, profile, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2))
        pd.testing.assert_frame_equal(one, two)

    @pytest.mark.parametrize("metric", ["neg_ecuas", "aurc_loss", "confidence_roc_auc", "cw_roc_auc"])
    @pytest.mark.slow
    def test_of_many_answers_some_stand_for_others(self, metric, monkeypatch):
        """The rest is thinned, evenly over the confidences: errors decide, and all of them are kept."""
        profile = with_errors(40, 2400)
        whole = confidence_interval(metric, profile, random_state=0)
        monkeypatch.setattr("skconf.inference._bayesian_bootstrap.MOST_ROWS", 600)
        thinned = confidence_interval(metric, profile, random_state=0)
        width = whole.high - whole.low
        assert (thinned.low, thinned.high) == pytest.approx((whole.low, whole.high), abs=0.06 * width)

    def test_single_error_tells_no_order(self):
        profile = with_errors(1, 80)
        row = int(np.flatnonzero(~profile.correct)[0])
        rank = 1 + int((profile.confidence > profile.confidence[row]).sum())
        text = f"cannot be estimated: only one answer is wrong; it is in row {row}, at rank {rank} of 80"
        with pytest.warns(UndefinedMetricWarning, match=text):
            found = confidence_interval("confidence_roc_auc", profile)
        assert (found.method, np.isnan(found.high)) == ("none", True)
        assert confidence_interval("confidence_roc_auc", profile, method="delta").method == "delta"


class TestFewOfAClass:
    @pytest.fixture
    def rare(self):
        """A class of which a tenth is found, in 500 samples."""
        rng = np.random.default_rng(0)

        def predictions(n_rare, n=500):
            y = np.arange(n) < n_rare
            proba = np.where(y, rng.uniform(0, 0.6, n), rng.uniform(0, 0.1, n))
            return ConfidenceProfile.from_predictions(y.astype(int), proba, labels=[0, 1])

        return predictions

    def test_phantoms_are_found_missed_and_taken_for_it(self, rare):
        phantoms = phantoms_for(get_metric("crecall_score"), rare(10), Sampling.of(rare(10)), np.random.default_rng(0))
        assert phantoms.added.true_class.tolist() == [1, 1, 0]
        assert phantoms.added.predicted_class.tolist() == [1, 0, 1]
        assert phantoms.added.proba.tolist() == [[0, 1], [1, 0], [0, 1]]
        assert phantoms.added.correct.tolist() == [True, False, False]
        weight = phantoms.draw(4000, np.random.default_rng(0))[:, 500:]
        assert weight.mean(axis=0) == pytest.approx([0.5, 0.5, 0.5], abs=0.04)  # half a sample each

    @pytest.mark.parametrize("metric", ["crecall", "cprecision", "cf1", "cw_recall_macro", "cw_roc_auc"])
    def test_few_samples_leave_it_open(self, metric, rare):
        few, some = (confidence_interval(metric, rare(n), random_state=0) for n in (6, 40))
        delta = confidence_interval(metric, rare(6), method="delta")
        assert (few.method, some.method) == ("bayesian", "bayesian")
        assert few.high > delta.high or few.low < delta.low or metric == "cw_recall_macro"
        assert few.low < few.value < few.high

    def test_fewer_than_five_rows_are_listed(self, rare):
        with pytest.warns(
            UndefinedMetricWarning, match=r"crecall cannot be estimated: there are 4 rows \(\[0, 1, 2, 3\]\)"
        ):
            found = confidence_interval("crecall", rare(4))
        assert np.isnan(found.low)

    def test_a_single_row_tells_no_order_of_a_class(self, rare):
        with pytest.warns(
            UndefinedMetricWarning, match=r"cw_roc_auc cannot be .* 1 row \(\[0\]\) of the class 1, but at least 2"
        ):
            found = confidence_interval("cw_roc_auc", rare(1))
        assert np.isnan(found.low)

    def test_many_classes_of_few_samples_are_many_samples(self):
        """In a mean over 200 classes of five samples each, none decides."""
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(200), 5)
        proba = rng.dirichlet(np.ones(200), 1000)
        proba[np.arange(1000), y] += rng.random(1000) * (rng.random(1000) < 0.7)
        proba /= proba.sum(axis=1, keepdims=True)
        profile = ConfidenceProfile.from_predictions(y, proba, labels=range(200))
        assert not 0.2 < (~profile.correct).mean() < 0.1
        assert confidence_interval("crecall_macro", profile).method == "delta"
        assert confidence_interval("crecall", profile.with_positive(7), random_state=0).method == "bayesian"


class TestSizeRatio:
    """It has an interval where its surest answers are few, and not where they announce next to no errors."""

    def test_answer_that_decides_is_told(self):
        """Half of 400 answers are at 0.999: one error there would add 1000/400."""
        sure = np.r_[np.full(200, 0.9), np.full(200, 0.999)]
        correct = np.arange(400) != 3
        profile = ConfidenceProfile.from_correctness(correct, sure)
        text = (
            "calibrated_size_ratio cannot be estimated: one error with the confidence of row 200 would add 2.5 to the"
        )
        with pytest.warns(
            UndefinedMetricWarning, match=f"{text}.* Use capped_size_ratio instead: it can be estimated, and is 0.05"
        ):
            found = confidence_interval("calibrated_size_ratio", profile)
        assert (found.method, np.isnan(found.low)) == ("none", True)
        expected = 200 * 0.001 * 20 + 200 * 0.1 * 10
        assert metrics.capped_size_ratio(profile) == pytest.approx(10 / expected)

    @pytest.mark.parametrize("scorer", ["neg_csr_deviation", "calibrated_size_ratio_zscore"])
    def test_scores_of_it_neither(self, scorer):
        profile = ConfidenceProfile.from_correctness(np.arange(400) % 20 > 0, np.linspace(0.9, 0.9999, 400))
        with pytest.warns(UndefinedMetricWarning, match=f"{scorer} cannot be estimated"):
            assert np.isnan(confidence_interval(scorer, profile).low)

    @pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
    def test_modest_confidences_have_an_interval(self, weighted):
        rng = np.random.default_rng(0)
        sure = rng.uniform(0.5, 0.9, 2000)
        weight = rng.uniform(1, 2, 2000) if weighted else None
        profile = ConfidenceProfile.from_correctness(rng.random(2000) < sure, sure, sample_weight=weight)
        found = confidence_interval("calibrated_size_ratio", profile)
        assert found.method == "gamma"
        assert found.low < 1 < found.high
        scored = confidence_interval("neg_csr_deviation", profile)
        assert (scored.low, scored.high) == (min(found.low - 1, 1 - found.high), 0)

    def test_many_errors_have_the_normal_interval(self):
        """An error of 0.5 counts 2: of 40,000, half of them wrong, the ratio is 1 with a variance of 1/n."""
        profile = ConfidenceProfile.from_correctness(np.arange(40_000) % 2 == 0, np.full(40_000, 0.5))
        found = confidence_interval("calibrated_size_ratio", profile)
        assert found.standard_error == pytest.approx(1 / 200, rel=1e-4)
        assert (found.low, found.high) == pytest.approx((1 - 1.96 / 200, 1 + 1.96 / 200), abs=1e-4)

    def test_forced_method_is_followed(self):
        profile = ConfidenceProfile.from_correctness(np.arange(400) != 7, np.full(400, 0.999))
        assert confidence_interval("calibrated_size_ratio", profile, method="delta").method == "delta"

    def test_capped_one_has_an_interval_at_any_number(self):
        profile = ConfidenceProfile.from_correctness(np.arange(400) != 7, np.full(400, 0.999))
        found = confidence_interval("capped_size_ratio", profile, random_state=0)
        assert (found.method, found.value) == ("bayesian", pytest.approx(2.5))
        assert 0 < found.low < 1 < found.high  # as one error where .4 are announced


class TestCalibrationErrors:
    def test_few_errors_may_miss(self):
        sure = np.random.default_rng(0).uniform(0.9, 1, 200)
        profile = ConfidenceProfile.from_correctness(np.arange(200) % 10 > 0, sure)
        with pytest.warns(
            UserWarning,
            match="neg_ece has 20 errors, so its interval may miss",
        ):
            confidence_interval("neg_ece", profile, n_resamples=20, random_state=0)


class TestBootstrap:
    @pytest.mark.parametrize("metric", SMOOTH)
    def test_agrees_with_delta_where_both_can_be_had(self, metric):
        y, proba = draw_classes(400)
        delta, bootstrap, bca = (
            confidence_interval(metric, y, proba, method=method, n_resamples=600, random_state=0)
            for method in ("delta", "bootstrap", "bca")
        )
        width = delta.high - delta.low
        for found in (bootstrap, bca):
            assert found.value == delta.value
            assert found.standard_error == pytest.approx(delta.standard_error, rel=0.12)
            assert (found.low, found.high) == pytest.approx((delta.low, delta.high), abs=0.1 * width)

    def test_bca_is_scipys(self):
        """Of a skewed mean, where the correction matters: it shifts the ends by an eighth of the width."""
        rng = np.random.default_rng(0)
        sure = 1 - rng.exponential(0.02, 80).clip(max=0.9)
        profile = ConfidenceProfile.from_correctness(np.arange(80) % 8 > 0, sure)
        losses = -np.log(np.where(profile.correct, sure, 1 - sure))
        found = confidence_interval("confidence_log_loss", profile, method="bca", n_resamples=20_000, random_state=0)
        seed = {"rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state": 1}
        expected = stats.bootstrap((losses,), np.mean, n_resamples=20_000, method="BCa", **seed).confidence_interval
        width = expected.high - expected.low
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * width)
        delta = confidence_interval("confidence_log_loss", profile, method="delta")
        assert abs(found.high - delta.high) > 0.05 * width

    def test_groups_widen_and_strata_narrow(self):
        y, proba = draw_classes(600)
        groups = np.argsort(np.argsort(log_losses(y, proba))) // 30  # samples of one group are alike
        found = {
            name: confidence_interval(
                "confidence_log_loss", y, proba, method="bootstrap", n_resamples=800, random_state=0, **given
            ).standard_error
            for name, given in {"alone": {}, "groups": {"groups": groups}, "strata": {"stratify": groups}}.items()
        }
        for name, given in (("groups", {"groups": groups}), ("strata", {"stratify": groups})):
            delta = confidence_interval("confidence_log_loss", y, proba, **given).standard_error
            assert found[name] == pytest.approx(delta, rel=0.1)
        assert found["strata"] < 0.5 * found["alone"] < found["alone"] < 0.5 * found["groups"]

    def test_bias_is_taken_off(self):
        """The ECE of a calibrated model is above 0 by chance alone, and that of a resample further above."""
        y, proba = draw_classes(500)
        found = confidence_interval("expected_calibration_error", y, proba, random_state=0)
        reach = stats.t.ppf(0.975, 499) * found.standard_error
        assert found.high == pytest.approx(found.value + reach)
        assert found.low < found.value - 1.3 * reach

    @pytest.mark.parametrize(
        "metric",
        [
            metrics.expected_calibration_error,
            partial(metrics.expected_calibration_error, strategy="quantile"),
            metrics.maximum_calibration_error,
            pytest.param(metrics.smooth_calibration_error, marks=pytest.mark.slow),
            metrics.calibration_distance_error,
            metrics.cumulative_calibration_error,
        ],
    )
    def test_calibration_is_in_the_interval_unless_it_is_refuted(self, metric):
        """Beside correctness drawn from the confidences, prediction by prediction."""
        clear = {1: 0, 2: 0}  # of calibrated ones, and of overconfident ones
        for seed in range(3):
            rng = np.random.default_rng(seed)
            sure = rng.uniform(0.5, 1, 300)
            drawn = [metric(ConfidenceProfile.from_correctness(rng.random(300) < sure, sure)) for _ in range(100)]
            for power in clear:
                profile = ConfidenceProfile.from_correctness(rng.random(300) < sure**power, sure)
                found = confidence_interval(metric, profile, n_resamples=100, random_state=0)
                p_value = np.mean(np.array(drawn) >= found.value)
                if not 0.01 < p_value < 0.15:  # which a hundred draws leave open
                    clear[power] += 1
                    assert (found.low == 0) == (p_value > 0.05)
        assert min(clear.values()) >= 2

    def test_calibration_is_in_the_interval_of_a_score(self):
        rng = np.random.default_rng(4)
        sure = rng.uniform(0.5, 1, 300)
        profile = ConfidenceProfile.from_correctness(rng.random(300) < sure, sure)
        found = confidence_interval(["neg_ece", "neg_smooth_ece"], profile, n_resamples=100, random_state=0)
        assert (found["high"] == 0).all()
        assert (found["low"] < 0).all()

    def test_undefined_resamples_are_told_where_they_are_asked_for(self):
        """Without the only positive, the macro average of the cw area is NaN."""
        y, proba = np.r_[1, np.zeros(39, int)], np.random.default_rng(0).random(40)
        with pytest.warns(UndefinedMetricWarning, match=r"undefined in \d+ of 200 resamples") as caught:
            confidence_interval("cw_roc_auc", y, proba, method="bootstrap", n_resamples=200, random_state=0)
        assert caught[0].filename == __file__

    def test_value_beyond_all_resamples_has_no_corrected_quantiles(self):
        """Of 100 predictions at each confidence as many are right as it says, and in no resample."""
        sure = np.repeat([0.6, 0.7, 0.8, 0.9], 100)
        profile = ConfidenceProfile.from_correctness(np.tile(np.arange(100), 4) < 100 * sure, sure)
        with pytest.warns(UndefinedMetricWarning, match=r"one side of the value.* Use method='bootstrap'"):
            found = confidence_interval("expected_calibration_error", profile, method="bca", n_resamples=50)
        assert np.isnan([found.low, found.high]).all()

    @pytest.mark.parametrize("method", ["bootstrap", "bca"])
    def test_nothing_to_tell_is_nan_with_a_warning(self, method):
        profile = ConfidenceProfile.from_correctness(np.ones(30), np.full(30, 0.8))
        with pytest.warns(UndefinedMetricWarning, match="cw_accuracy has no interval"):
            found = confidence_interval("cw_accuracy", profile, method=method, n_resamples=20)
        assert np.isnan([found.low, found.high]).all()
        assert found.value == 1.0


class TestWhatIsAsked:
    @pytest.mark.usefixtures("few_draws")
    def test_auto_says_what_it_did(self):
        y, proba = draw_classes(600)
        names = [
            "cw_accuracy",
            "aurc_loss",
            "cw_roc_auc",
            "expected_calibration_error",
            "coverage",
            "capped_size_ratio",
        ]
        found = confidence_interval(names, y, proba, n_resamples=20, random_state=0)
        assert found["method"].tolist() == ["delta", "delta", "delta", "bootstrap", "exact", "delta"]
        few = confidence_interval(names, y[:90], proba[:90], n_resamples=20, random_state=0)
        assert few["method"].tolist() == ["bayesian", "bayesian", "bayesian", "bootstrap", "exact", "bayesian"]
        assert found.index.tolist() == names
        assert found.columns.tolist() == ["value", "low", "high", "standard_error", "confidence_level", "method"]

    @pytest.mark.parametrize("metric", sorted(DEFINITIONS))
    @pytest.mark.usefixtures("few_draws")
    def test_every_metric_has_an_interval_or_says_why_not(self, metric):
        y, proba = draw_classes(80)
        average = {"average": "macro"} if "average" in DEFINITIONS[metric].__dataclass_fields__ else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if DEFINITIONS[metric].result is not float:
                with pytest.raises(TypeError, match="is not a single number"):
                    confidence_interval(metric, y, proba, **average, pos_label=1)
                return
            found = confidence_interval(metric, y, proba, n_resamples=20, random_state=0, **average, pos_label=1)
        if found.method == "none":
            assert DEFINITIONS[metric].rests_on == "tail"
            return
        assert found.low <= found.high
        low, high = DEFINITIONS[metric].info.bounds
        assert low <= found.low
        assert found.high <= high
        assert found.standard_error >= 0

    @pytest.mark.parametrize(
        "metric",
        [
            metrics.ecuas_loss,
            "ecuas_loss",
            partial(metrics.ecuas_loss, n=1),
        ],
    )
    def test_metric_in_each_of_its_forms(self, metric):
        y, proba = draw_classes(60)
        params = {} if isinstance(metric, partial) else {"n": 1}
        expected = metrics.ecuas_loss(y, proba, n=1)
        assert confidence_interval(metric, y, proba, **params).value == expected

    @pytest.mark.parametrize("metric", ["neg_ecuas_1", get_scorer("neg_ecuas", n=1)])
    def test_scorer_has_the_mirror_image(self, metric):
        y, proba = draw_classes(60)
        score = confidence_interval(metric, y, proba, random_state=0)
        loss = confidence_interval("ecuas_loss", y, proba, n=1, random_state=0)
        assert score.method == loss.method == "bayesian"
        assert score.value == -loss.value
        assert (score.low, score.high) == pytest.approx((-loss.high, -loss.low), rel=1e-12)
        assert score.standard_error == pytest.approx(loss.standard_error, rel=1e-12)

    def test_several_metrics_are_as_each(self):
        y, proba = draw_classes(60)
        given = {"random_state": 0, "n_resamples": 50}
        labelled = confidence_interval({"error": "selective_risk_loss", "ece": "neg_ece"}, y, proba, **given)
        several = confidence_interval(confidence_scoring(["cw_accuracy", "neg_ece"]), y, proba, **given)
        assert labelled.index.tolist() == ["error", "ece"]
        single = confidence_interval("neg_ece", y, proba, **given)
        for frame, row in ((labelled, "ece"), (several, "neg_ece")):
            assert frame.loc[row, ["low", "high"]].tolist() == [single.low, single.high]

    def test_profile_or_predictions(self):
        y, proba = draw_classes(60)
        given = {"labels": [0, 1, 2], "y_pred": proba.argmin(axis=1), "sample_weight": np.arange(60) % 3 + 1}
        profile = ConfidenceProfile.from_predictions(y, proba, **given)
        expected = confidence_interval("cw_accuracy", profile, random_state=0)
        assert confidence_interval("cw_accuracy", y, proba, random_state=0, **given) == expected

    @pytest.mark.parametrize("method", ["delta", "bootstrap"])
    def test_weights_count_for_nothing_but_their_ratio(self, method):
        y, proba = draw_classes(60)
        weight = np.random.default_rng(0).exponential(1, 60)
        one, other = (
            confidence_interval(
                "cw_accuracy", y, proba, sample_weight=factor * weight, method=method, random_state=0, n_resamples=50
            )
            for factor in (1, 4)
        )
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)

    @pytest.mark.parametrize("method", ["delta", "bootstrap", "bca"])
    @pytest.mark.parametrize("columns", [(), ("groups",), ("stratify",), ("groups", "stratify")])
    def test_sample_of_weight_zero_is_no_sample(self, method, columns):
        y, proba = draw_classes(90)
        weight = np.arange(90) % 3 * (np.arange(90) < 60)
        given = {"groups": np.arange(90) // 6, "stratify": np.arange(90) // 30}  # one stratum has no weight at all
        there, labels = weight > 0, {"labels": [0, 1, 2]}
        one, other = (
            confidence_interval(
                ["cw_accuracy", "aurc_loss"],
                y[rows],
                proba[rows],
                sample_weight=weight[rows],
                method=method,
                n_resamples=40,
                random_state=0,
                **{name: given[name][rows] for name in columns},
                **labels,
            )
            for rows in (there, slice(None))
        )
        pd.testing.assert_frame_equal(one, other)

    def test_order_of_rows_does_not_matter(self):
        y, proba = draw_classes(60)
        order = np.random.default_rng(0).permutation(60)
        for metric in SMOOTH:
            one, other = (
                confidence_interval(metric, y[rows], proba[rows], method="delta") for rows in (np.arange(60), order)
            )
            assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)

    def test_names_and_containers_of_groups_do_not_matter(self):
        y, proba = draw_classes(60)
        codes = np.arange(60) // 4
        expected = confidence_interval("cw_accuracy", y, proba, groups=codes)
        pairs = pd.DataFrame({"ward": codes // 5, "patient": [f"p{code % 5}" for code in codes]}, index=range(5, 65))
        for groups in ([f"day {code}" for code in codes], pd.Series(codes, index=range(60, 0, -1)), pairs):
            found = confidence_interval("cw_accuracy", y, proba, groups=groups)
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


class TestErrors:
    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            ({"metric": "cw_acuracy"}, ValueError, "no metric or scorer 'cw_acuracy'. Did you mean 'cw_accuracy'"),
            ({"metric": "neg_cf1_macro"}, ValueError, "Did you mean 'cf1_macro'"),
            (
                {"metric": roc_auc_score},
                ValueError,
                "roc_auc_score needs two classes, but there are 3. Use 'roc_auc_ovr'",
            ),
            ({"metric": []}, ValueError, "metric is empty"),
            ({"metric": ["cf1_macro", "cf1_macro"]}, ValueError, "Two metrics have the same name"),
            (
                {"metric": ["cf1_macro"], "eps": 1},
                TypeError,
                r"eps cannot be used with several metrics\. Give each metric its own parameters",
            ),
            ({"metric": "cf1_macro", "average": "micro"}, ValueError, "contradicts"),
            ({"metric": get_scorer("cf1", pos_label=7)}, ValueError, "pos_label=7"),
            ({"metric": "cf1_score", "average": None}, TypeError, "not a single number here.*Choose an average"),
            ({"metric": "brier_decomposition"}, TypeError, "brier_decomposition is not a single number"),
            ({"metric": "cw_accuracy", "n": 1}, TypeError, "cw_accuracy_score.. has no parameter 'n'"),
            ({"confidence_level": 95}, ValueError, "confidence_level must lie in"),
            ({"confidence_level": 1.0}, ValueError, "confidence_level must lie in"),
            ({"method": "percentile"}, ValueError, "method must be one of 'auto', 'delta'"),
            ({"n_resamples": 1}, ValueError, "n_resamples must be at least 2"),
            ({"metric": None}, TypeError, "metric must be a function of skconf.metrics or .* but is None"),
            ({"random_state": np.random.RandomState(0)}, TypeError, "random_state must be None.* but is RandomState"),
            ({"y_proba": None}, TypeError, r"confidence_interval\(\) needs y_proba"),
            ({"sample_weight": np.eye(30)[3]}, ValueError, "one sample with a positive weight"),
            ({"groups": np.zeros(30)}, ValueError, "only one group in groups"),
            ({"groups": np.arange(29)}, ValueError, "groups has 29 rows, but there are 30 predictions"),
            ({"groups": [None] * 30}, ValueError, "groups has a missing label in row 0"),
            ({"groups": {"day": np.arange(29)}}, ValueError, r"groups\['day'\] has 29 rows"),
            ({"groups": {}}, ValueError, "groups has no columns"),
            (
                {"stratify": np.r_[1, np.zeros(29)]},
                ValueError,
                r"stratify has strata with a single sample or group: \[1.0\]\. No standard error can be",
            ),
        ],
    )
    def test_bad_input_is_named(self, given, error, message):
        y, proba = draw_classes(30)
        arguments = {"metric": "cw_accuracy", "y_true": y, "y_proba": proba, "labels": [0, 1, 2], **given}
        with pytest.raises(error, match=message):
            confidence_interval(**arguments)

    def test_profile_holds_everything(self):
        y, proba = draw_classes(30)
        profile = ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2])
        with pytest.raises(TypeError, match=r"confidence_interval\(\) got a ConfidenceProfile and y_proba"):
            confidence_interval("cw_accuracy", profile, proba)
        with pytest.raises(ValueError, match="needs at least one sample"):
            confidence_interval("cw_accuracy", profile[:0])
        with pytest.raises(ValueError, match=r"There is only one sample, .* At least two are needed"):
            confidence_interval("cw_accuracy", profile[:1])

    def test_undefined_value_is_nan_with_one_warning(self):
        profile = ConfidenceProfile.from_correctness(np.ones(30), np.full(30, 0.4))
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy_score is undefined") as caught:
            found = confidence_interval("selective_accuracy_score", profile, threshold=0.5)
        assert np.isnan([found.value, found.low, found.high, found.standard_error]).all()
        assert len(caught) == 1

    def test_perfect_classes_tell_nothing(self):
        y = np.arange(30) % 3
        with pytest.warns(UndefinedMetricWarning, match="cf1_macro has no interval"):
            found = confidence_interval("cf1_macro", y, np.eye(3)[y], method="delta")
        assert found.value == 1.0
        assert np.isnan(found.low)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["matthews_corrcoef", "cw_matthews_corrcoef", "cw_cohen_kappa_score"])
@pytest.mark.parametrize("n_sets", [200])
def test_agreement_on_a_rare_class_rests_on_its_few_samples(metric, n_sets):
    """2% of 300 are positive: by errors alone, intervals covered 0.67 to 0.70, and some had no width."""

    def draw(n, rng):
        y = (rng.random(n) < 0.02).astype(int)
        positive = 1 / (1 + np.exp(-(rng.normal(0, 1.2, n) + np.where(y, -1.0, -3.5))))
        return y, np.column_stack([1 - positive, positive])

    truth = confidence_interval(metric, *draw(200_000, np.random.default_rng(9)), method="delta").value
    held = []
    for seed in range(n_sets):
        y, proba = draw(300, np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = confidence_interval(metric, y, proba, random_state=0, labels=[0, 1])
        if y.sum() < 5:
            assert np.isnan(found.low)
        else:
            assert found.high > found.low
            held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.9


def test_a_normalised_loss_above_one_has_an_interval():
    """It has no upper bound: the interval was cut at 1, and then none."""
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.9, 1, 400)
    profile = ConfidenceProfile.from_correctness(rng.random(400) < 0.5, sure)
    found = confidence_interval("confidence_brier_loss", profile, normalize=True)
    plain = confidence_interval("confidence_brier_loss", profile)
    assert found.value == pytest.approx(plain.value / (profile.correct.mean() * (1 - profile.correct.mean())))
    assert 1 < found.low < found.value < found.high


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_draws")
class TestPoorPopulations:
    """Of one class alone, all right, all wrong, sure or indifferent: there is an interval, or a reason for none."""

    @pytest.mark.parametrize("answers", ["drawn", "indifferent", "sure", "one class"])
    @pytest.mark.parametrize("truth", ["first class", "last class", "right", "wrong"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_every_scorer_has_an_interval_or_none(self, n_classes, truth, answers):
        rng, n = np.random.default_rng(0), 30
        proba = {
            "drawn": rng.dirichlet(np.ones(n_classes), n),
            "indifferent": np.full((n, n_classes), 1 / n_classes),
            "sure": np.eye(n_classes)[rng.integers(n_classes, size=n)],
            "one class": np.tile([0.9, *[0.1 / (n_classes - 1)] * (n_classes - 1)], (n, 1)),
        }[answers]
        answer = proba.argmax(axis=1)
        y_true = {"first class": 0, "last class": n_classes - 1, "right": answer, "wrong": (answer + 1) % n_classes}
        given = {"labels": range(n_classes), "pos_label": 1}
        found = confidence_interval(
            get_scorer_names(), np.broadcast_to(y_true[truth], n), proba, n_resamples=5, random_state=0, **given
        )
        nothing = found["low"].isna()
        assert (nothing == found["high"].isna()).all()
        assert (nothing | ((found["low"] <= found["value"] + 1e-9) & (found["value"] <= found["high"] + 1e-9))).all()

    @pytest.mark.parametrize("metric", ["cw_cohen_kappa", "cw_matthews_corrcoef"])
    def test_one_class_alone_is_named(self, metric):
        y_true, proba = np.full(30, "b"), np.linspace(0.1, 0.9, 30)
        with pytest.warns(UndefinedMetricWarning, match="there are no rows of other classes than 'b', but at least 5"):
            confidence_interval(metric, y_true, proba, labels=["a", "b"])
