"""Comparisons of models on the same samples, and of estimators by the scores of a cross-validation."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from skconf import ConfidenceProfile, confidence_scoring, get_scorer, metrics
from skconf.inference import compare, compare_scores, confidence_interval
from skconf.inference._p_values import holm


def draw(n, seed=0, noise=(0.5, 1.0)):
    """Draw labels, and the probabilities of models that know the log odds but for noise."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)
    return y, {f"noise {level}": 1 / (1 + np.exp(-(odds + rng.normal(0, level, n)))) for level in noise}


class TestPaired:
    def test_difference_of_means_has_the_paired_t_test(self):
        y, (first, second) = draw(200)[0], draw(200)[1].values()
        found = compare(metrics.confidence_brier_loss, y, {"a": first, "b": second})
        losses = [(np.maximum(p, 1 - p) - ((p > 0.5) == y)) ** 2 for p in (first, second)]
        expected = stats.ttest_rel(*losses)
        interval = expected.confidence_interval()
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
        assert found.difference == pytest.approx(losses[0].mean() - losses[1].mean())
        assert (found.first, found.second, found.method) == ("a", "b", "delta")

    def test_pairing_tells_more_than_two_intervals(self):
        y, models = draw(500, noise=(0.5, 0.7))
        found = compare("aurc_loss", y, models)
        alone = [confidence_interval("aurc_loss", y, proba).standard_error for proba in models.values()]
        assert found.standard_error < 0.6 * np.hypot(*alone)

    @pytest.mark.parametrize("metric", ["cw_f1", "aurc_loss", "neg_ece", "cw_roc_auc", "smooth_calibration_error"])
    @pytest.mark.slow
    def test_bootstrap_agrees_with_differences_of_resampled_values(self, metric):
        y, models = draw(300)
        found = compare(metric, y, models, method="bootstrap", n_resamples=300, random_state=0)
        rng = np.random.default_rng(1)
        scorer = get_scorer(metric).of_profile if not metric.endswith(("_loss", "_error")) else getattr(metrics, metric)
        profiles = [ConfidenceProfile.from_predictions(y, proba) for proba in models.values()]
        drawn = []
        for _ in range(300):
            rows = rng.integers(0, 300, 300)
            drawn.append(scorer(profiles[0][rows]) - scorer(profiles[1][rows]))
        assert found.standard_error == pytest.approx(np.std(drawn), rel=0.2)
        reach = stats.t.ppf(0.975, 299) * found.standard_error
        estimates = np.array([found.difference, 2 * found.difference - np.mean(drawn)])
        ends = (estimates.min() - reach, estimates.max() + reach)
        assert (found.low, found.high) == pytest.approx(ends, abs=0.25 * found.standard_error)
        apart = max(found.low + reach, -(found.high - reach), 0)
        assert found.p_value == pytest.approx(2 * stats.t.sf(apart / found.standard_error, 299), rel=1e-6)

    def test_groups_are_the_units(self):
        y, models = draw(300)
        groups = np.repeat(np.arange(30), 10)
        found = compare("confidence_brier_loss", y, models, groups=groups)
        losses = [(np.maximum(p, 1 - p) - ((p > 0.5) == y)) ** 2 for p in models.values()]
        means = pd.Series(losses[0] - losses[1]).groupby(groups).mean()
        assert found.p_value == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-9)

    @pytest.mark.parametrize("method", ["delta", "bootstrap", "permutation"])
    def test_other_order_of_models_is_the_mirror_image(self, method):
        y, models = draw(100)
        (a, first), (b, second) = models.items()
        given = {"method": method, "random_state": 0, "n_resamples": 100}
        one, other = compare("cw_f1", y, models, **given), compare("cw_f1", y, {b: second, a: first}, **given)
        assert one.difference == -other.difference
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=1e-9)
        assert one.p_value == pytest.approx(other.p_value)

    @pytest.mark.parametrize("method", ["auto", "bootstrap", "permutation"])
    @pytest.mark.parametrize("metric", ["cw_accuracy", "neg_ece", "aurc_loss"])
    def test_equal_models_do_not_differ(self, metric, method):
        y, models = draw(60)
        proba = models["noise 0.5"]
        found = compare(metric, y, {"a": proba, "b": proba.copy()}, method=method, n_resamples=50, random_state=0)
        assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)

    def test_a_difference_that_never_varies_has_no_p_value(self):
        first, second = (ConfidenceProfile.from_correctness(np.arange(40) % 2, np.full(40, c)) for c in (0.6, 0.8))
        found = compare("coverage_score", {"a": first, "b": second}, threshold=0.7)
        assert found.difference == -1
        assert np.isnan([found.low, found.high, found.p_value]).all()

    def test_undefined_value_has_no_difference(self):
        first, second = (ConfidenceProfile.from_correctness(np.arange(40) % 2, np.full(40, c)) for c in (0.6, 0.8))
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy_score is undefined"):
            found = compare("selective_accuracy_score", {"a": first, "b": second}, threshold=0.7)
        assert np.isnan([found.difference, found.low, found.high, found.p_value]).all()


class TestPermutation:
    @pytest.mark.parametrize(
        ("metric", "grouped"), [("cw_accuracy", False), ("neg_ece", True), ("aurc_loss", True), ("cw_roc_auc", False)]
    )
    def test_share_of_all_swaps_that_differ_as_much(self, metric, grouped):
        """Of eight units there are 256 swaps, which can be gone through."""
        n = 24 if grouped else 8
        y, models = draw(n, seed=3)
        groups = np.repeat(np.arange(8), 3) if grouped else np.arange(8)
        (_, first), (_, second) = models.items()
        scorer = getattr(metrics, metric) if metric.endswith("_loss") else get_scorer(metric).of_profile

        def difference(swapped):
            one, other = np.where(swapped, second, first), np.where(swapped, first, second)
            return abs(np.subtract(*(scorer(ConfidenceProfile.from_predictions(y, p)) for p in (one, other))))

        observed = difference(np.zeros(n, bool))
        every = [difference(np.array(swap, bool)[groups]) for swap in product([0, 1], repeat=8)]
        expected = np.mean(np.array(every) >= observed * (1 - 1e-9))
        found = compare(metric, y, models, method="permutation", n_resamples=1500, random_state=0, groups=groups)
        assert found.p_value == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 1500) + 1e-3)
        assert found.method == "permutation"

    def test_interval_is_that_of_auto(self):
        y, models = draw(60)
        permutation, auto = (
            compare("cw_f1", y, models, method=method, n_resamples=50, random_state=0)
            for method in ("permutation", "auto")
        )
        assert (permutation.low, permutation.high) == (auto.low, auto.high)

    def test_interval_is_that_of_auto_if_strata_weigh_unequally(self):
        """Influence values add no variance for a class with few errors and nearly all the weight."""
        y, models = draw(60)
        profiles = {
            name: ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.05})
            for name, proba in models.items()
        }
        permutation, auto, delta = (
            compare("confidence_brier_loss", profiles, method=method, n_resamples=50, random_state=0)
            for method in ("permutation", "auto", "delta")
        )
        assert auto.method == "bayesian"
        assert (permutation.low, permutation.high) == (auto.low, auto.high)
        assert permutation.standard_error == auto.standard_error != delta.standard_error

    def test_one_column_and_two_are_swapped_as_they_are(self):
        y, models = draw(80)
        a, b = models.values()
        given = {"method": "permutation", "random_state": 0, "n_resamples": 200}
        one = compare("cw_f1", y, {"a": a, "b": b}, **given)
        two = compare("cw_f1", y, {"a": a, "b": np.column_stack([1 - b, b])}, **given)
        assert one.p_value == two.p_value

    def test_too_few_permutations_for_so_many_comparisons_are_told(self):
        y, models = draw(60)
        given = {"method": "permutation", "n_resamples": 19, "random_state": 0}
        assert compare("cw_f1", y, models, **given).p_value >= 0.05
        with pytest.warns(
            UserWarning, match=r"compare\(\) cannot return a p-value of 0.05 or less: .* for 2 tests is 0\.1\."
        ):
            compare(["cw_f1", "aurc_loss"], y, models, **given)

    def test_sample_of_weight_zero_is_no_sample(self):
        y, models = draw(60)
        weight, groups = np.arange(60) % 3 * (np.arange(60) < 40), np.arange(60) // 5
        given = {"method": "permutation", "n_resamples": 100, "random_state": 0}
        one, other = (
            compare(
                ["cw_f1", "aurc_loss"],
                y[rows],
                {name: proba[rows] for name, proba in models.items()},
                groups=groups[rows],
                sample_weight=weight[rows],
                **given,
            )
            for rows in (weight > 0, slice(None))
        )
        pd.testing.assert_frame_equal(one, other)

    def test_models_of_other_kinds_cannot_be_swapped(self):
        y, models = draw(40)
        a, b = models.values()
        with pytest.raises(ValueError, match=r"in whether predicted labels were passed, .*Use method='bootstrap'"):
            compare("cw_f1", y, models, y_pred={"noise 0.5": y}, method="permutation")
        profiles = {
            "a": ConfidenceProfile.from_predictions(y, a),
            "b": ConfidenceProfile.from_predictions(y, np.column_stack([b, 1 - b]), labels=[1, 0], pos_label=1),
        }
        assert compare("cw_f1", profiles).p_value > 0
        with pytest.raises(ValueError, match="differ in the order or the labels of their classes"):
            compare("cw_f1", profiles, method="permutation")


class TestSeveral:
    def test_rows_of_pairs_and_metrics(self):
        y, models = draw(120, noise=(0.3, 0.6, 0.9))
        found = compare(["cw_accuracy", "neg_ece"], y, models, random_state=0, n_resamples=50)
        assert found.index.names == ["metric", "first", "second"]
        assert len(found) == 6
        row = found.loc[("cw_accuracy", "noise 0.3", "noise 0.9")]
        single = compare("cw_accuracy", y, {name: models[name] for name in ("noise 0.3", "noise 0.9")})
        for field in ("first_value", "second_value", "difference", "low", "high", "standard_error", "p_value"):
            assert row[field] == getattr(single, field)
        assert found["method"].tolist() == ["delta"] * 3 + ["bootstrap"] * 3
        np.testing.assert_allclose(found["p_adjusted"], holm(found["p_value"]))

    def test_baseline_meets_every_other_model(self):
        y, models = draw(120, noise=(0.3, 0.6, 0.9))
        found = compare("cw_accuracy", y, models, baseline="noise 0.6")
        assert found.index.droplevel("metric").tolist() == [("noise 0.3", "noise 0.6"), ("noise 0.9", "noise 0.6")]

    def test_holm_by_its_definition(self):
        p_values = np.array([0.01, np.nan, 0.04, 0.03, 0.005, 0.2])
        tested = np.sort(p_values[~np.isnan(p_values)])
        expected = []
        for p in p_values:
            rank = np.searchsorted(tested, p)
            steps = [min((5 - k) * tested[k], 1) for k in range(min(rank, 4) + 1)]
            expected.append(np.nan if np.isnan(p) else max(steps))
        np.testing.assert_allclose(holm(p_values), expected)

    def test_profiles_of_models(self):
        y, models = draw(60)
        profiles = {name: ConfidenceProfile.from_predictions(y, proba) for name, proba in models.items()}
        assert compare("cw_f1", profiles) == compare("cw_f1", y, models)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"y_proba": np.full(40, 0.5)}, TypeError, "y_proba must be a mapping of models"),
        ({"y_proba": {"a": np.full(40, 0.5)}}, ValueError, "needs at least two models, but there are 1"),
        ({"y_proba": {"a": np.full(40, 0.5), "b": np.full(40, 1.5)}}, ValueError, "outside"),
        ({"baseline": "c"}, ValueError, "baseline='c' is not among the models"),
        ({"method": "bca"}, ValueError, "method must be one of"),
        ({"metric": "neg_ece", "method": "delta"}, TypeError, "neg_ece has no interval with method='delta'"),
        ({"y_pred": {"c": np.zeros(40)}}, ValueError, "y_pred has predictions of .'c'."),
        ({"y_pred": np.zeros(40)}, TypeError, "y_pred must be a mapping of models"),
        ({"y_proba": pd.DataFrame({"a": np.full(40, 0.5)})}, TypeError, "y_proba must be a mapping of models"),
        ({"y_proba": None}, TypeError, "y_proba must be a mapping of models"),
    ],
)
def test_bad_input_is_named(given, error, message):
    y, models = draw(40)
    with pytest.raises(error, match=message):
        compare(**{"metric": "cw_accuracy", "y_true": y, "y_proba": models, **given})


def test_models_must_predict_the_same_samples():
    y, models = draw(40)
    first, second = (ConfidenceProfile.from_predictions(y, proba) for proba in models.values())
    with pytest.raises(ValueError, match="'b' has 30 predictions, but 'a' has 40"):
        compare("cw_accuracy", {"a": first, "b": second[:30]})
    with pytest.raises(ValueError, match="differ in their sample weights"):
        compare("cw_accuracy", {"a": first, "b": second.with_weight(np.arange(40))})
    with pytest.raises(ValueError, match="differ in their true labels"):
        compare("cw_accuracy", {"a": first, "b": ConfidenceProfile.from_predictions(1 - y, models["noise 1.0"])})
    with pytest.raises(TypeError, match=r"compare\(\) got a ConfidenceProfile and y_pred"):
        compare("cw_accuracy", {"a": first, "b": second}, y_pred={"a": y})
    with pytest.raises(ValueError, match="outside") as caught:
        compare("cw_accuracy", y, {"a": models["noise 0.5"], "b": np.full(40, 1.5)})
    assert "predictions of the model 'b'" in caught.value.__notes__[0]


@pytest.fixture(scope="module")
def results():
    X, y = make_classification(300, n_informative=4, random_state=0)
    splits = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    scoring = confidence_scoring(["cw_accuracy", "neg_ece"])
    return {
        name: cross_validate(model, X, y, cv=splits, scoring=scoring, return_indices=True)
        for name, model in {"logistic": LogisticRegression(), "bayes": GaussianNB()}.items()
    }


class TestCrossValidated:
    def test_corrected_t_test_by_its_formula(self, results):
        found = compare_scores(results).loc[("cw_accuracy", "logistic", "bayes")]
        differences = results["logistic"]["test_cw_accuracy"] - results["bayes"]["test_cw_accuracy"]
        t = differences.mean() / np.sqrt((1 / 12 + 1 / 3) * differences.var(ddof=1))
        assert found["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), 11), rel=1e-9)
        assert found["difference"] == pytest.approx(differences.mean())
        reach = stats.t.ppf(0.975, 11) * found["standard_error"]
        assert (found["low"], found["high"]) == pytest.approx(
            (differences.mean() - reach, differences.mean() + reach), rel=1e-9
        )

    def test_without_the_correction_it_is_the_plain_t_test(self, results):
        found = compare_scores(results, test_size=1e-12)
        for score in ("cw_accuracy", "neg_ece"):
            expected = stats.ttest_rel(results["logistic"][f"test_{score}"], results["bayes"][f"test_{score}"])
            assert found.loc[score, "p_value"].item() == pytest.approx(expected.pvalue, rel=1e-6)

    def test_size_is_read_from_the_indices(self, results):
        stripped = {name: {k: v for k, v in result.items() if k != "indices"} for name, result in results.items()}
        pd.testing.assert_frame_equal(compare_scores(results), compare_scores(stripped, test_size=1 / 4))
        with pytest.raises(ValueError, match="test_size cannot be computed from scores"):
            compare_scores(stripped)

    def test_arrays_of_scores(self):
        X, y = make_classification(200, random_state=0)
        scores = {
            name: cross_val_score(model, X, y, cv=KFold(5), scoring=get_scorer("cw_accuracy"))
            for name, model in {"logistic": LogisticRegression(), "bayes": GaussianNB()}.items()
        }
        found = compare_scores({**scores, "same": scores["bayes"]}, test_size=0.2)
        assert found.index.get_level_values("score").unique().tolist() == ["score"]
        assert found.loc[("score", "bayes", "same"), "p_value"] == 1
        np.testing.assert_allclose(found["p_adjusted"], holm(found["p_value"]))

    def test_score_that_is_nan_on_a_split(self):
        found = compare_scores({"a": [0.5, np.nan, 0.6], "b": [0.5, 0.6, 0.7]}, test_size=0.2)
        assert found[["difference", "p_value", "p_adjusted"]].isna().all(axis=None)

    @pytest.mark.parametrize(
        ("scores", "given", "message"),
        [
            ({"a": [1, 2]}, {}, "at least two estimators"),
            ({"a": [1, 2], "b": [1, 2, 3]}, {}, "numbers of splits differ"),
            ({"a": [1], "b": [1]}, {}, "one score for each split, and at least two"),
            ({"a": {"test_x": [1, 2]}, "b": {"test_y": [1, 2]}}, {}, "have no score in common"),
            ({"a": [1, 2], "b": [1, 2]}, {"test_size": 0}, "test_size must be above 0, but is 0"),
            ({"a": [1, 2], "b": [1, 2]}, {"test_size": 1}, "test_size must lie in"),
            ({"a": [1, 2], "b": [1, 2]}, {"confidence_level": 0}, "confidence_level must lie in"),
            ({"a": np.ma.masked_array([1, 2], [0, 1]), "b": [1, 2]}, {}, "score of 'a' is a masked array with hidden"),
            ({"a": [1, 2], "b": {"test_x": ["high", "low"]}}, {}, "x of 'b' could not be read as numbers"),
        ],
    )
    def test_bad_input_is_named(self, scores, given, message):
        with pytest.raises(ValueError, match=message):
            compare_scores(scores, **{"test_size": 0.2, **given})

    def test_a_list_has_no_names_of_estimators(self):
        with pytest.raises(TypeError, match="scores must be a mapping of estimators"):
            compare_scores([[1, 2], [3, 4]], test_size=0.2)

    def test_splits_must_be_the_same(self, results):
        X, y = make_classification(300, n_informative=4, random_state=0)
        splits = RepeatedKFold(n_splits=4, n_repeats=3, random_state=1)
        scoring = confidence_scoring(["cw_accuracy"])
        other = cross_validate(GaussianNB(), X, y, cv=splits, scoring=scoring, return_indices=True)
        with pytest.raises(ValueError, match="scored on different splits"):
            compare_scores({"logistic": results["logistic"], "bayes": other})


def test_losses_in_units_of_other_uncertainties_are_not_compared():
    y, proba = np.arange(60) % 3, np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    whole = ConfidenceProfile.from_predictions(y, proba)
    answers = ConfidenceProfile.from_correctness(whole.correct, whole.confidence)
    with pytest.warns(UndefinedMetricWarning, match=r"of a and b is not compared: .* 0\.667 for one model and 1 for"):
        assert np.isnan(compare("neg_ecuas", {"a": whole, "b": answers}).low)
    assert compare("neg_ecuas", {"a": whole, "b": whole}).difference == 0
    assert compare("neg_aurc", {"a": whole, "b": answers}).difference == 0


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc", "cw_roc_auc"])
def test_permutations_of_models_that_differ_by_rounding_find_nothing(metric):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y, weight = rng.integers(0, 2, 80), rng.random(80) + 0.5
        models = {}
        for name in "ab":
            p = np.where(y == 1, 0.5 + 0.5 * rng.random(80), 0.5 * rng.random(80))
            models[name] = np.c_[1 - p, p]
        found = compare(metric, y, models, sample_weight=weight, method="permutation", n_resamples=99, random_state=0)
        assert found.p_value == 1
