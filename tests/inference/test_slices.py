"""Metrics by group, contributions of predictions, and the monitor for deployment."""

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_classes
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from skconf import ConfidenceProfile, SelectiveClassifier, get_scorer, metrics
from skconf.inference import by_group, confidence_interval, contributions, shift_test
from skconf.inference._p_values import holm
from skconf.metrics import get_metric


class TestByGroup:
    @pytest.mark.parametrize(
        "metric", ["cw_accuracy_score", "aurc_loss", "smooth_calibration_error", "neg_ecuas", "neg_csr_deviation"]
    )
    def test_row_of_a_group_is_the_metric_of_its_samples(self, metric):
        y, proba = draw_classes(120)
        region = np.random.default_rng(1).choice(["west", "east", "north"], 120)
        frame = by_group(metric, y, proba, groups=region)
        assert frame.index.tolist() == ["east", "north", "west"]
        assert frame.columns.tolist() == ["value", "count", "gap"]
        scorer = getattr(metrics, metric, None) or get_scorer(metric).of_profile
        whole = scorer(ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2]))
        for name, row in frame.iterrows():
            members = region == name
            expected = scorer(ConfidenceProfile.from_predictions(y[members], proba[members], labels=[0, 1, 2]))
            assert row["value"] == pytest.approx(expected, rel=1e-10)
            assert row["count"] == members.sum()
            assert row["gap"] == pytest.approx(expected - whole)
        assert frame.attrs["overall"] == pytest.approx(whole)

    def test_weights(self):
        y, proba = draw_classes(60)
        weight, groups = np.random.default_rng(0).exponential(1, 60), np.arange(60) % 3
        frame = by_group("cw_accuracy", y, proba, groups=groups, sample_weight=weight)
        members = groups == 1
        expected = metrics.cw_accuracy_score(
            y[members], proba[members], labels=[0, 1, 2], sample_weight=weight[members]
        )
        assert frame.loc[1, "value"] == pytest.approx(expected)

    @pytest.mark.parametrize("method", ["auto", "bca"])
    def test_intervals_are_those_of_each_group(self, method):
        y, proba = draw_classes(120)
        groups = np.arange(120) % 2
        frame = by_group("cw_accuracy", y, proba, groups=groups, confidence_level=0.9, method=method, random_state=0)
        for group, seed in enumerate(np.random.default_rng(0).integers(1 << 62, size=2).tolist()):
            rows = groups == group
            expected = confidence_interval(
                "cw_accuracy", y[rows], proba[rows], confidence_level=0.9, method=method, random_state=seed
            )
            assert (frame.loc[group, "low"], frame.loc[group, "high"]) == (expected.low, expected.high)

    def test_columns_of_groups_are_combined(self):
        y, proba = draw_classes(90)
        rng = np.random.default_rng(2)
        columns = pd.DataFrame({"sex": rng.choice(["f", "m"], 90), "age": rng.choice([20, 40, 60], 90)})
        columns.loc[columns["sex"] == "m", "age"] = 40  # not every combination is there
        for groups in (columns, columns.to_dict("list")):
            frame = by_group("cw_accuracy", y, proba, groups=groups)
            assert frame.index.names == ["sex", "age"]
            assert frame.index.tolist() == [("f", 20), ("f", 40), ("f", 60), ("m", 40)]
            chosen = (columns["sex"] == "f") & (columns["age"] == 40)
            expected = metrics.cw_accuracy_score(y[chosen], proba[chosen], labels=[0, 1, 2])
            assert frame.loc[("f", 40), "value"] == pytest.approx(expected)
        assert by_group("cw_accuracy", y, proba, groups=columns[["age"]]).index.name == "age"
        assert by_group("cw_accuracy", y, proba, groups=columns["age"]).index.name == "age"

    def test_categories_keep_their_order(self):
        """That of the column, and not that of the alphabet; a category without samples is none."""
        y, proba = draw_classes(90)
        age = pd.Categorical.from_codes(np.arange(90) % 3, ["young", "middle", "old", "none"])
        assert by_group("cw_accuracy", y, proba, groups=age).index.tolist() == ["young", "middle", "old"]
        both = pd.DataFrame({"age": pd.Series(age, index=range(5, 95)), "half": np.arange(90) % 2})
        found = by_group("cw_accuracy", y, proba, groups=both)
        assert found.index.tolist() == [(a, h) for a in ("young", "middle", "old") for h in (0, 1)]
        bands = pd.cut(proba[:, 0], [0, 0.3, 0.6, 1])
        found = by_group("cw_accuracy", y, proba, groups=bands)
        assert found["count"].tolist() == [np.sum(bands == band) for band in bands.categories]
        assert found.index.tolist() == bands.categories.tolist()

    def test_an_interval_needs_two_answers(self):
        right, groups = np.arange(43) % 3 > 0, np.repeat([0, 1, 2, 3], [38, 1, 2, 2])
        weight = np.append(np.ones(42), 0.0)
        profile = ConfidenceProfile.from_correctness(right, np.linspace(0.5, 0.99, 43), sample_weight=weight)
        with pytest.warns(UserWarning, match=r"accuracy has no interval for the groups \[1, 3\]\."):
            frame = by_group("accuracy", profile, groups=groups, confidence_level=0.95)
        assert frame["low"].isna().tolist() == [False, True, False, True]

    def test_several_metrics_have_the_rows_of_each(self):
        y, proba = draw_classes(90)
        groups = np.arange(90) % 2
        metrics = ["cw_accuracy", "neg_ece", "neg_confidence_brier"]
        frame = by_group(metrics, y, proba, groups=groups, confidence_level=0.9, random_state=0)
        assert frame.index.names == ["metric", "group"]
        single = by_group("cw_accuracy", y, proba, groups=groups, confidence_level=0.9, random_state=0)
        pd.testing.assert_frame_equal(frame.loc["cw_accuracy"], single, check_flags=False)
        assert frame.attrs["worst"]["cw_accuracy"] == single.attrs["worst"]

    @pytest.mark.parametrize(
        ("metric", "worst"),
        [
            ("cw_accuracy_score", "low"),
            ("selective_risk_loss", "low"),
            ("neg_selective_risk", "low"),
            ("calibrated_size_ratio", "low"),
            ("calibrated_size_ratio_std", None),
        ],
    )
    def test_worst_group_by_the_direction_of_the_metric(self, metric, worst):
        sure = np.full(60, 0.8)
        groups = np.repeat(["low", "mid", "top"], 20)
        correct = np.r_[np.arange(20) < 10, np.arange(20) < 16, np.arange(20) < 18]
        frame = by_group(metric, ConfidenceProfile.from_correctness(correct, sure), groups=groups)
        assert frame.attrs["worst"] == worst
        assert frame.attrs["spread"] == pytest.approx(frame["value"].max() - frame["value"].min())

    def test_undefined_groups_are_nan_with_one_warning(self):
        profile = ConfidenceProfile.from_correctness([1, 0, 1, 1, 1, 0], [0.9, 0.8, 0.2, 0.3, 0.9, 0.7])
        with pytest.warns(UndefinedMetricWarning, match=r"is undefined \(NaN\) for the groups \['b'\]") as caught:
            frame = by_group("selective_accuracy_score", profile, groups=list("aabbcc"), threshold=0.5)
        assert frame["value"].isna().tolist() == [False, True, False]
        assert len(caught) == 1

    def test_single_sample_has_no_interval(self):
        profile = ConfidenceProfile.from_correctness([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.9])
        with pytest.warns(UndefinedMetricWarning, match=r"has no interval for the groups \['b'\]"):
            frame = by_group("cw_accuracy", profile, groups=list("aabaa"), confidence_level=0.95)
        assert frame["low"].isna().tolist() == [False, True]

    def test_size_ratio_that_rests_on_unseen_errors_is_told_with_its_group(self):
        sure = np.r_[np.linspace(0.5, 0.8, 300), np.linspace(0.8, 0.9999, 300)]
        profile = ConfidenceProfile.from_correctness(np.arange(600) % 4 > 0, sure)
        groups = np.repeat(["a", "b"], 300)
        with pytest.warns(UndefinedMetricWarning, match=r"size_ratio has no interval for the groups \['b'\]"):
            frame = by_group("calibrated_size_ratio", profile, groups=groups, confidence_level=0.9)
        assert frame["low"].isna().tolist() == [False, True]

    @pytest.mark.parametrize("metric", ["cw_accuracy", "aurc_loss", "smooth_calibration_error"])
    def test_group_without_weight_is_undefined(self, metric):
        y, proba = draw_classes(20)
        weight = np.r_[np.zeros(5), np.ones(15)]
        with pytest.warns(UndefinedMetricWarning, match=r"for the groups \['a'\]"):
            frame = by_group(
                metric,
                y,
                proba,
                groups=list("aaaaa" + "b" * 15),
                sample_weight=weight,
                confidence_level=0.9,
                n_resamples=20,
            )
        assert frame.loc["a", ["value", "low"]].isna().all()
        assert frame.loc["b", ["value", "low"]].notna().all()

    def test_undefined_everywhere(self):
        profile = ConfidenceProfile.from_correctness([1, 0], [0.2, 0.3])
        with pytest.warns(UndefinedMetricWarning):
            frame = by_group("selective_accuracy_score", profile, groups=["a", "b"], threshold=0.5)
        assert frame["value"].isna().all()
        assert frame.attrs["worst"] is None

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            ({"groups": np.arange(5)}, ValueError, "groups has 5 rows"),
            (
                {"groups": None},
                ValueError,
                r"groups must be a column with one label for each sample, .* has shape \(\)",
            ),
            ({"groups": np.zeros((30, 2))}, ValueError, r"several such columns in a DataFrame .* shape \(30, 2\)"),
            ({"groups": [*range(29), None]}, ValueError, "groups has a missing label in row 29"),
            ({"groups": [*range(29), "x"]}, ValueError, "groups mixes labels"),
            ({"metric": "cf1_score", "average": None}, TypeError, "not a single number"),
            ({"metric": "cw_accuracy_score", "confidence_level": 2}, ValueError, "confidence_level must lie in"),
        ],
    )
    def test_bad_input_is_named(self, given, error, message):
        y, proba = draw_classes(30)
        arguments = {"metric": "cw_accuracy", "y_true": y, "y_proba": proba, "groups": y, "labels": [0, 1, 2]}
        with pytest.raises(error, match=message):
            by_group(**{**arguments, **given})

    def test_empty_group_of_a_metric_with_several_values(self):
        """By number, as parts of a program may pass them: group 1 has no sample."""
        y, proba = draw_classes(60)
        profile = ConfidenceProfile.from_predictions(y, proba)
        metric = get_metric("cw_roc_auc_score", average=None)
        values = metric.by_group(profile, 2 * (np.arange(60) % 2), 3)
        assert values.shape == (3, 3)
        assert np.isnan(values[1]).all()
        np.testing.assert_allclose(values[2], metric(profile[np.arange(60) % 2 == 1]))


class TestContributions:
    @pytest.mark.parametrize("metric", ["calibrated_size_ratio", "neg_confidence_brier", "cw_accuracy"])
    def test_shares_of_a_quotient_add_up(self, metric):
        y, proba = draw_classes(60)
        found = contributions(metric, y, proba)
        value = confidence_interval(metric, y, proba, method="delta").value
        assert found.shape == (60,)
        assert found.sum() == pytest.approx(value)
        assert found.name == metric

    def test_influence_of_other_metrics_adds_up_to_nothing(self):
        y, proba = draw_classes(60)
        found = contributions("cf1_score", y, proba, average="macro")
        assert found.sum() == pytest.approx(0, abs=1e-12)
        assert found.abs().sum() > 0.1

    def test_rows_keep_their_labels(self):
        y, proba = draw_classes(30)
        found = contributions(["cw_accuracy", "neg_ecuas"], pd.Series(y, index=range(100, 130)), proba)
        assert found.columns.tolist() == ["cw_accuracy", "neg_ecuas"]
        assert found.index.tolist() == list(range(100, 130))

    def test_the_surest_error_costs_most(self):
        profile = ConfidenceProfile.from_correctness([1, 0, 0, 1], [0.9, 0.6, 0.99, 0.5])
        assert contributions("calibrated_size_ratio", profile).idxmax() == 2

    @pytest.mark.parametrize("metric", ["aurc_loss", "cw_roc_auc"])
    def test_area_under_a_curve_has_influence(self, metric):
        """Without the prediction that adds most to an area, the area is smaller."""
        y, proba = draw_classes(60)
        found = contributions(metric, y, proba)
        assert found.sum() == pytest.approx(0, abs=1e-12)
        rows = np.arange(60) != found.idxmax()
        fewer, all_of_them = (
            confidence_interval(metric, y[i], proba[i], method="delta").value for i in (rows, slice(None))
        )
        assert fewer < all_of_them

    @pytest.mark.parametrize(
        ("metric", "message"),
        [
            ("smooth_calibration_error", "has no influence values, because it is not a function of sums"),
            ("metric_coverage_auc", "has no influence values, because its slopes are not known"),
            ("neg_csr_deviation", "has no per-sample contributions: the score is the distance"),
        ],
    )
    def test_what_has_none_is_refused_by_name(self, metric, message):
        with pytest.raises(TypeError, match=f"{metric} {message}"):
            contributions(metric, *draw_classes(30))


class TestShift:
    def test_tests_are_scipys(self):
        rng = np.random.default_rng(0)
        before = ConfidenceProfile.from_correctness(rng.random(300) < 0.9, rng.beta(8, 2, 300))
        after = ConfidenceProfile.from_correctness(rng.random(100) < 0.7, rng.beta(5, 2, 100))
        shifted, tests, quantiles = shift_test(before, after, threshold=0.7)
        assert tests.index.tolist() == ["score", "coverage", "accuracy", "selective_accuracy"]
        accepted = [part.score >= 0.7 for part in (before, after)]
        counts = np.array([[there.sum(), (~there).sum()] for there in accepted])
        assert tests.loc["score", "p_value"] == pytest.approx(stats.ks_2samp(before.score, after.score).pvalue)
        assert tests.loc["coverage", "p_value"] == pytest.approx(stats.fisher_exact(counts).pvalue)
        assert tests.loc["coverage", ["expected", "observed"]].tolist() == [a.mean() for a in accepted]
        right = [part.correct[there] for part, there in zip((before, after), accepted, strict=True)]
        assert tests.loc["selective_accuracy", "observed"] == right[1].mean()
        np.testing.assert_allclose(tests["p_adjusted"], holm(tests["p_value"]))
        assert shifted
        for column, part in (("expected", before), ("observed", after)):
            expected = pd.Series(part.score).quantile(quantiles.index.to_numpy())
            np.testing.assert_allclose(quantiles[column], expected)
            assert quantiles.loc[0.5, column] == np.median(part.score)

    def test_the_same_scores_have_not_shifted(self):
        score = np.linspace(0, 1, 50)
        assert not shift_test(score, score, threshold=0.5).shifted

    @pytest.mark.simulation
    def test_false_alarms_are_no_more_than_asked_for(self):
        rng = np.random.default_rng(0)
        tested = rng.beta(8, 2, 2000)
        alarms = [
            shift_test(tested, rng.beta(8, 2, 200), threshold=0.8, confidence_level=0.8).shifted for _ in range(200)
        ]
        assert 0.05 < np.mean(alarms) < 0.2 + 3 * np.sqrt(0.2 * 0.8 / 200)

    def test_threshold_comes_with_the_selective_classifier(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 3))
        y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
        model = SelectiveClassifier(LogisticRegression(), threshold=0.8).fit(X[:200], y[:200])
        tested = ConfidenceProfile.from_estimator(model, X[200:400], y[200:400])
        tests = shift_test(tested, model.predict_confidence(X[400:])).tests
        assert tests.index.tolist() == ["score", "coverage"]
        assert tests.loc["coverage", "observed"] == model.accept(X[400:]).mean()
        moved = shift_test(tested, model.predict_confidence(X[400:] * 3)).tests
        assert moved.loc["coverage", "p_adjusted"] < 1e-6

    def test_nothing_accepted_is_no_test(self):
        before, after = (ConfidenceProfile.from_correctness([1, 0] * 10, np.full(20, sure)) for sure in (0.9, 0.4))
        tests = shift_test(before, after, threshold=0.5).tests
        assert np.isnan(tests.loc["selective_accuracy", "p_value"])
        assert tests.loc["coverage", "p_adjusted"] < 1e-6

    @pytest.mark.parametrize(
        ("current", "message"),
        [
            ([[0.5, 0.5]], r"current must be a list of scores, one for each sample, .* has shape \(1, 2\)"),
            ([], r"has shape \(0,\)"),
            ([0.5, np.nan], "current has a score that is not finite, in row 1"),
            (["high"], "current could not be read as numbers: could not convert"),
            (np.ma.masked_array([0.5, 9], [0, 1]), "current is a masked array with hidden values"),
            (np.array(["2026-01-01"], "datetime64[D]"), "current holds dates"),
            (ConfidenceProfile.from_correctness([1], [0.5], sample_weight=[1]), "current has sample weights"),
        ],
    )
    def test_bad_input_is_named(self, current, message):
        with pytest.raises(ValueError, match=message):
            shift_test([0.5, 0.6], current)


def test_rows_that_abstain_are_counted():
    profile = ConfidenceProfile.from_correctness([1, 0, 1, 1], [0.9, 0.6, 0.8, 0.7], abstained=[0, 0, 1, 0])
    frame = by_group("cw_accuracy", profile, groups=["a", "a", "b", "b"])
    assert frame["count"].tolist() == [2, 2]
    assert frame["value"].tolist() == pytest.approx([0.9 / 1.5, 1])
