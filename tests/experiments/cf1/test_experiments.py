"""The cF1 paper's experiments."""

import os

import numpy as np
import pandas as pd
import pytest
from _support.predictions import draw_classes
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_fscore_support
from sklearn.naive_bayes import GaussianNB

from skconf.experiments._cf1 import agreement as cf1_agreement
from skconf.experiments._cf1 import resamples as cf1
from skconf.experiments._cf1 import variance as cf1_variance

METRICS = ["precision", "recall", "f1"]


@pytest.fixture(scope="module")
def answers():
    """Labels and probabilities of three classes, and resamples that leave one of them out."""
    rng = np.random.default_rng(0)
    y, proba = draw_classes(40)
    weights = cf1.resamples(40, 30, rng)
    weights[0] = np.where(y == 2, 0.0, 1.0)
    return y, proba, weights


def test_resamples_are_draws_with_replacement():
    weights = cf1.resamples(50, 4000, np.random.default_rng(1))
    assert (weights.sum(axis=1) == 50).all()
    error = 1 / np.sqrt(4000)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=5 * error)
    # The variance of a count is 1 − 1/n, that of its estimate about 3 less 1 for a Poisson count.
    assert weights.var(axis=0).mean() == pytest.approx(0.98, abs=5 * error * np.sqrt(2) / np.sqrt(50) + 0.01)


def test_ordinary_metrics_of_a_resample_are_scikit_learns(answers):
    y, proba, weights = answers
    values = cf1.bootstrap(y, proba, weights)
    assert values.shape == (2, 3, 30, 3)
    for b, counts in enumerate(weights.astype(int)):
        rows = np.repeat(np.arange(len(y)), counts)
        expected = precision_recall_fscore_support(
            y[rows], proba[rows].argmax(axis=1), labels=[0, 1, 2], zero_division=np.nan
        )[:3]
        np.testing.assert_allclose(values[0, :, b], expected)


def test_probabilistic_metrics_of_a_resample_follow_their_definition(answers):
    y, proba, weights = answers
    values = cf1.bootstrap(y, proba, weights)
    for b, counts in enumerate(weights.astype(int)):
        rows = np.repeat(np.arange(len(y)), counts)
        for k in range(3):
            found = proba[rows][y[rows] == k, k].sum()
            claimed, present = proba[rows, k].sum(), (y[rows] == k).sum()
            expected = [found / claimed, found / present if present else np.nan, 2 * found / (claimed + present)]
            np.testing.assert_allclose(values[1, :, b, k], expected)


def test_moments_leave_out_what_is_undefined():
    values = np.random.default_rng(2).random((2, 3, 7, 4))
    values[0, 1, 2:4, 3] = np.nan
    values[1, 2, :, 0] = np.nan
    mean, variance, undefined = cf1_variance._moments(values)
    frame = pd.DataFrame(values.transpose(2, 0, 1, 3).reshape(7, -1))
    np.testing.assert_allclose(mean.ravel(), frame.mean())
    np.testing.assert_allclose(variance.ravel(), frame.var())
    np.testing.assert_allclose(undefined.ravel(), frame.isna().mean())


def test_altered_labels_are_others_and_as_many_as_asked():
    y = np.random.default_rng(3).integers(0, 4, 1000)
    altered = cf1_variance._alter(y, 0.2, 4, np.random.default_rng(4))
    changed = altered != y
    assert changed.sum() == 200
    assert set(altered) == {0, 1, 2, 3}
    shift = np.bincount((altered - y)[changed] % 4, minlength=4)
    assert shift[0] == 0
    assert stats.chisquare(shift[1:]).pvalue > 1e-4
    np.testing.assert_array_equal(cf1_variance._alter(y, 0.0, 4, np.random.default_rng(5)), y)


def test_pairs_are_tested_as_by_scipy_and_by_hand():
    values = np.random.default_rng(6).normal(size=(4, 200)) + np.arange(4)[:, np.newaxis] / 10
    values[3] = values[2]  # alike
    z, t = cf1_agreement._paired_z(values), cf1_agreement._resamples_t(values)
    for number, (i, j) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
        difference = values[i] - values[j]
        if (i, j) == (2, 3):
            assert z[number] == 0
            continue
        assert z[number] == pytest.approx(difference.mean() / difference.std(ddof=1))
        assert t[number] == pytest.approx(stats.ttest_ind(values[i], values[j]).statistic)


def test_bands_and_tests_of_variance_are_those_of_numpy_and_scipy():
    values = np.random.default_rng(7).normal(size=(2, 3, 60, 2)) * np.array([1.0, 0.6])[:, None, None, None]
    values[0, 1, 5:9, 1] = np.nan  # undefined in four resamples
    values[0, 2, :, 0] = 1.0  # the same in all
    values[1, 0, :, 1] = np.nan  # undefined in all
    found = cf1_variance._spread(values, np.array(["a", "b"])).set_index(["metric", "class"])
    assert found.index.tolist() == [(metric, label) for metric in METRICS for label in "ab"]
    for m, metric in enumerate(METRICS):
        for k, label in enumerate("ab"):
            row, (plain, weighted) = found.loc[metric, label], values[:, m, :, k]
            plain = plain[~np.isnan(plain)]
            assert [row["low"], row["high"]] == pytest.approx(np.percentile(plain, [2.5, 97.5]).tolist())
            if (metric, label) in [("f1", "a"), ("precision", "b")]:
                assert row[["p_f", "p_bartlett", "p_levene"]].isna().all()
                continue
            assert row["p_bartlett"] == pytest.approx(stats.bartlett(plain, weighted).pvalue)
            assert row["p_levene"] == pytest.approx(stats.levene(plain, weighted, center="median").pvalue)
            # The ratio lies as far out in one tail as its inverse in the other, of swapped degrees of freedom.
            ratio = plain.var(ddof=1) / weighted.var(ddof=1)
            degrees = len(plain) - 1, len(weighted) - 1
            assert ratio > 1
            assert row["p_f"] == pytest.approx(2 * stats.f.cdf(1 / ratio, *degrees[::-1]))


def test_f_test_against_a_table():
    """The upper 2.5% point of F with 10 and 20 degrees of freedom is 2.7737: the two-sided p-value there is .05."""
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=11), rng.normal(size=21)
    first *= np.sqrt(2.7737 * second.var(ddof=1) / first.var(ddof=1))
    assert cf1_variance._f_test(first, second) == pytest.approx(0.05, abs=1e-4)


@pytest.fixture(scope="module")
def variance():
    return cf1_variance.cf1_variance_experiment(ratios=[1.0, 0.3], n_resamples=300)


def test_tables_of_variance_are_complete(variance):
    sizes = {899, 270}
    assert set(variance.variances["n_test"]) == set(variance.contrasts["n_test"]) == sizes
    assert len(variance.variances) == 2 * 3 * 3 * 10  # sizes, models, metrics, classes
    assert len(variance.contrasts) == 2 * 3 * 3 * 10  # sizes, pairs, metrics, classes
    # What was trained on more and cleaner data is better, by both kinds of metric.
    full = variance.variances.query("n_test == 899 and metric == 'f1'").groupby("model")[["mean", "c_mean"]].mean()
    assert full["mean"].is_monotonic_decreasing
    assert full["c_mean"].is_monotonic_decreasing


def test_means_are_those_over_classes(variance):
    by_class = variance.variances.groupby(["n_test", "model", "metric"])[["mean", "c_mean"]].mean()
    means = variance.means.set_index(["n_test", "model", "metric"])
    assert len(means) == 2 * 3 * 3
    np.testing.assert_allclose(means.loc[by_class.index, ["mean", "c_mean"]], by_class)
    assert (means["low"] < means["mean"]).all()
    assert (means["mean"] < means["high"]).all()
    # A band of the mean is narrower than those of classes.
    widths = variance.variances.assign(width=lambda each: each["c_high"] - each["c_low"])
    widest = widths.groupby(["n_test", "model", "metric"])["width"].max()
    assert ((means["c_high"] - means["c_low"]).loc[widest.index] < widest).all()


def test_training_shares_and_noise_of_ones_own():
    options = {"ratios": [1.0, 0.01, 0.009], "training_shares": [1, 0.2], "label_noise": [0, 0.9], "n_resamples": 100}
    tables = cf1_variance.cf1_variance_experiment("breast_cancer", **options)
    assert sorted(tables.means["n_test"].unique()) == [3, 285]  # both small ones are three samples
    full = tables.means.query("n_test == 285 and metric == 'f1'").set_index("model")["mean"]
    assert full["model 1"] > 0.9 > 0.5 > full["model 2"]  # what learned from wrong labels answers wrongly


def test_findings_of_the_paper_hold(variance):
    """Variances fall with the size of the test, most are lower with probabilities, and models are told apart better."""
    table = variance.variances
    by_size = table.groupby("n_test")[["variance", "c_variance"]].mean()
    # A variance is inversely proportional to the number of samples.
    np.testing.assert_allclose(by_size.loc[270] / by_size.loc[899], 899 / 270, rtol=0.35)
    full = table[table["n_test"] == 899]
    lower = (full["c_variance"] < full["variance"]).sum()
    assert stats.binomtest(int(lower), len(full), alternative="greater").pvalue < 1e-3
    contrasts = variance.contrasts[variance.contrasts["n_test"] == 899]
    further = (contrasts["c_z"] > contrasts["z"]).sum()
    assert stats.binomtest(int(further), len(contrasts), alternative="greater").pvalue < 1e-3


def test_a_class_that_a_small_test_lacks_has_no_recall_and_still_a_probabilistic_precision():
    tables = cf1_variance.cf1_variance_experiment("digits", ratios=[0.02], n_resamples=100)
    share = tables.variances.groupby("metric")[["undefined", "c_undefined"]].mean()
    assert share.loc["recall", "undefined"] == share.loc["recall", "c_undefined"] > 0
    assert share.loc["precision", "undefined"] > share.loc["precision", "c_undefined"] == 0
    assert share.loc["f1", "undefined"] > share.loc["f1", "c_undefined"] == 0


@pytest.fixture(scope="module")
def agreement():
    return cf1_agreement.cf1_agreement_experiment(n_models=15, n_resamples=200)


def test_table_of_agreement_has_the_papers_figures(agreement):
    assert agreement["metric"].tolist() == np.repeat(METRICS, 10).tolist()
    assert agreement["class"].tolist() == list(range(10)) * 3
    assert agreement["n_pairs"].tolist() == [15 * 14 // 2] * 30
    f1 = agreement[agreement["metric"] == "f1"].iloc[0]
    assert f1["paper_significant"] == pytest.approx((0.9329 + 0.9361 + 0.9032) / 3)
    assert f1["paper_agree"] == pytest.approx((0.8919 + 0.9375 + 0.8494) / 3)


def test_metrics_agree_more_often_than_not_and_more_where_the_difference_is_one(agreement):
    means = agreement.groupby("metric")[["agree", "agree_resamples", "significant", "significant_resamples"]].mean()
    assert (means["agree"] > 0.5).all()
    assert (means["agree"] > means["agree_resamples"]).all()
    # Resamples in the place of samples make nearly everything significant.
    assert (means["significant"] < 0.7 * means["significant_resamples"]).all()


def test_models_of_ones_own():
    models = [LogisticRegression(max_iter=1000), GaussianNB(), LogisticRegression(max_iter=1000)]
    table = cf1_agreement.cf1_agreement_experiment("breast_cancer", models=models, n_resamples=100)
    assert len(table) == 3 * 2
    # Two of the three answer alike: at most two pairs differ.
    assert (table["significant_resamples"] <= 2 / 3 + 1e-12).all()


def test_random_models_are_the_same_for_the_same_seed():
    def describe(seed):
        return [(type(model).__name__, str(model.get_params())) for model in cf1_agreement.random_models(20, seed)]

    assert describe(0) == describe(0)
    assert describe(0) != describe(1)
    assert len({name for name, _ in describe(0)}) == 5


def test_models_of_one_kind():
    models = cf1_agreement.random_models(20, 0, ["network"])
    assert len({str(model.get_params()) for model in models}) == 20
    assert {len(model.hidden_layer_sizes) for model in models} == {1, 2}
    table = cf1_agreement.cf1_agreement_experiment("breast_cancer", n_models=3, kinds=["tree"], n_resamples=20)
    trees = cf1_agreement.random_models(3, 0, ["tree"])
    own = cf1_agreement.cf1_agreement_experiment("breast_cancer", models=trees, n_resamples=20)
    pd.testing.assert_frame_equal(table, own)


@pytest.mark.skipif("SKCONF_DATA" not in os.environ, reason="SKCONF_DATA does not name the folder of the raw files")
def test_data_with_words_and_rare_classes():
    tables = cf1_variance.cf1_variance_experiment("obesity", ratios=[1.0], n_resamples=50)
    assert tables.variances["mean"].notna().all()
    tables = cf1_variance.cf1_variance_experiment("wine", ratios=[0.1], n_resamples=20)
    assert len(tables.variances) == 3 * 3 * 7


@pytest.mark.parametrize(
    ("run", "arguments", "message"),
    [
        (
            cf1_variance.cf1_variance_experiment,
            {"ratios": [0.5, 1.5]},
            r"ratios must lie in \(0, 1\], but are \[0.5, 1.5\]",
        ),
        (
            cf1_variance.cf1_variance_experiment,
            {"training_shares": [1, 0, 1]},
            r"training_shares must lie in \(0, 1\]",
        ),
        (cf1_variance.cf1_variance_experiment, {"label_noise": [0, 0.1, 2]}, r"label_noise must lie in \[0, 1\]"),
        (
            cf1_variance.cf1_variance_experiment,
            {"training_shares": [1, 1]},
            "are 2 training_shares, and 3 values of label_no",
        ),
        (cf1_variance.cf1_variance_experiment, {"n_resamples": 1}, "n_resamples"),
        (cf1_agreement.cf1_agreement_experiment, {"n_models": 1}, "n_models"),
        (cf1_agreement.cf1_agreement_experiment, {"models": [GaussianNB()]}, "n_models"),
        (cf1_agreement.cf1_agreement_experiment, {"kinds": ["trees"]}, "trees"),
        (cf1_agreement.cf1_agreement_experiment, {"kinds": []}, "kinds is empty. Choose from logistic, forest"),
        (cf1_agreement.cf1_agreement_experiment, {"dataset": "digit"}, "digit"),
    ],
)
def test_mistakes_are_told(run, arguments, message):
    with pytest.raises(ValueError, match=message):
        run(**arguments)
