"""scikit-learn's metrics as kinds of ours: its values, and errors by independent formulas."""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.metrics
from _support.predictions import draw_classes
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.fixes import parse_version

from skconf import ConfidenceProfile, MetricAccumulator
from skconf.inference import by_group, compare, confidence_interval
from skconf.scoring._functions import Called
from skconf.scoring._names import read_statistic
from skconf.scoring._sklearn_metrics import AveragePrecision

AVERAGES = ("macro", "micro", "weighted")
#: scikit-learn's names that are kinds of ours.
OF_TWO = [
    *["accuracy", "balanced_accuracy", "matthews_corrcoef", "neg_log_loss", "neg_brier_score", "average_precision"],
    *[f"{of}_{average}" for of in ("precision", "recall", "f1", "jaccard") for average in AVERAGES],
    *["roc_auc_ovr", "roc_auc_ovr_weighted", "precision", "recall", "f1", "jaccard", "roc_auc"],
]
#: Those of two classes only, among them the Brier score before scikit-learn 1.7.
ONLY_OF_TWO = {"precision", "recall", "f1", "jaccard", "roc_auc"}
ONLY_OF_TWO |= {"neg_brier_score"} if parse_version(sklearn.__version__) < parse_version("1.7") else set()
OF_ANY = [name for name in OF_TWO if name not in ONLY_OF_TWO]


def theirs(name, y, proba, weight=None):
    """Return the score by the function itself."""
    scorer = sklearn.metrics.get_scorer(name)
    given = proba[:, 1] if proba.shape[1] == 2 else proba
    response = proba.argmax(axis=1) if scorer._response_method == "predict" else given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes that are absent
        value = scorer._score_func(y, response, sample_weight=weight, **scorer._kwargs)
    return scorer._sign * value


class TestValues:
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "tied"])
    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_are_scikit_learns(self, n_classes, decimals, weighted):
        y, proba = draw_classes(300, n_classes, decimals=decimals)
        weight = np.random.default_rng(1).exponential(1, len(y)) if weighted else None
        profile = ConfidenceProfile.from_predictions(y, proba, sample_weight=weight)
        for name in OF_TWO if n_classes == 2 else OF_ANY:
            statistic = read_statistic(name)
            assert not isinstance(statistic.metric, Called), name
            assert statistic.value(profile) == pytest.approx(theirs(name, y, proba, weight), rel=1e-12), name

    def test_of_classes_that_are_absent_or_never_predicted(self):
        """An average leaves out what is neither: where it is one of the two, it is 0, with one warning."""
        y, proba = (
            np.array([0, 0, 1, 1]),
            np.array([[0.8, 0.1, 0.1], [0.3, 0.3, 0.4], [0.7, 0.2, 0.1], [0.6, 0.3, 0.1]]),
        )
        profile = ConfidenceProfile.from_predictions(y, proba, labels=[0, 1, 2])
        for name in ("precision_macro", "recall_macro", "f1_macro", "f1_weighted", "balanced_accuracy"):
            value, notices = read_statistic(name).evaluate(profile)
            assert value == pytest.approx(theirs(name, y, proba), rel=1e-12)
            assert len(notices) == (name in ("precision_macro", "recall_macro"))
        absent = np.column_stack([proba[:, :2], np.zeros(4)]) / proba[:, :2].sum(axis=1, keepdims=True)
        without = ConfidenceProfile.from_predictions(y, absent, labels=[0, 1, 2])
        for name in ("precision_macro", "f1_macro", "jaccard_macro"):
            value, _ = read_statistic(name).evaluate(without)
            assert value == pytest.approx(theirs(name, y, absent), rel=1e-12)

    @pytest.mark.parametrize("zero_division", [0, 1, np.nan])
    def test_of_0_by_0_are_what_is_chosen(self, zero_division):
        y, proba = np.array([0, 1, 2, 2]), np.eye(3)[[0, 0, 2, 2]]
        for function in (sklearn.metrics.precision_score, sklearn.metrics.f1_score):
            metric = partial(function, average="macro", zero_division=zero_division)
            found = read_statistic(metric).value(ConfidenceProfile.from_predictions(y, proba))
            assert found == pytest.approx(metric(y, proba.argmax(axis=1)), rel=1e-12)

    def test_of_a_class_that_a_slice_lacks(self):
        """scikit-learn's log loss and area cannot be had there; the log loss is that of the others."""
        y, proba = draw_classes(300, 3)
        rows = y != 1
        profile = ConfidenceProfile.from_predictions(y[rows], proba[rows], labels=[0, 1, 2])
        exact = -sklearn.metrics.log_loss(y[rows], proba[rows], labels=[0, 1, 2])
        assert read_statistic("neg_log_loss").value(profile) == pytest.approx(exact, rel=1e-12)
        message = r"roc_auc_score is an average without the classes \[1\], because there are no samples of them"
        with pytest.warns(UndefinedMetricWarning, match=message):
            found = confidence_interval("roc_auc_ovr", profile)
        areas = [sklearn.metrics.roc_auc_score(y[rows] == k, proba[rows, k]) for k in (0, 2)]
        assert found.value == pytest.approx(np.mean(areas), rel=1e-12)

    def test_of_probabilities_of_0_are_kept_off_by_rounding(self):
        y, proba = np.array([0, 1]), np.array([[0.0, 1.0], [0.0, 1.0]])
        found = read_statistic("neg_log_loss").value(ConfidenceProfile.from_predictions(y, proba))
        assert found == pytest.approx(theirs("neg_log_loss", y, proba), rel=1e-12)

    def test_more_than_two_classes_are_told_what_to_use(self):
        y, proba = draw_classes(300, 3)
        with pytest.raises(ValueError, match=r"roc_auc_score needs two classes, but there are 3\. Use 'roc_auc_ovr'"):
            confidence_interval("roc_auc", y, proba)
        with pytest.raises(ValueError, match="roc_auc_score needs two classes"):
            MetricAccumulator(["roc_auc", "roc_auc_ovr"]).update(y, proba)

    def test_parameters_that_no_kind_has_are_left_to_the_function(self):
        y, proba = draw_classes(300, 2)
        for metric in (
            partial(sklearn.metrics.accuracy_score, normalize=False),
            partial(sklearn.metrics.f1_score, labels=[0, 1], average="micro"),
            partial(sklearn.metrics.log_loss, normalize=False),
        ):
            statistic = read_statistic(metric)
            assert isinstance(statistic.metric, Called)
            probabilities = metric.func is sklearn.metrics.log_loss
            exact = metric(y, proba[:, 1] if probabilities else proba.argmax(axis=1))
            assert statistic.value(ConfidenceProfile.from_predictions(y, proba)) == pytest.approx(exact, rel=1e-12)


class TestErrors:
    @pytest.mark.slow
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize(("n", "rel"), [(60, 0.15), (200, 0.05)])
    def test_standard_error_is_that_of_the_jackknife(self, n_classes, n, rel):
        """Leaving out each sample in turn, by scikit-learn itself; the two differ by terms of higher order."""
        y, proba = draw_classes(n, n_classes)
        for name in OF_TWO if n_classes == 2 else OF_ANY:
            found = confidence_interval(name, y, proba, method="delta")
            left_out = np.array([theirs(name, *(np.delete(part, i, axis=0) for part in (y, proba))) for i in range(n)])
            expected = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
            assert found.standard_error == pytest.approx(expected, rel=rel), name

    @pytest.mark.parametrize("name", ["average_precision", "roc_auc_ovr_weighted", "f1_macro"])
    @pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "tied"])
    def test_influence_is_the_derivative_by_the_weight(self, name, decimals):
        y, proba = draw_classes(300, 3, decimals=decimals)
        weight = np.random.default_rng(1).exponential(1, 300)
        effects = read_statistic(name).influence(ConfidenceProfile.from_predictions(y, proba, sample_weight=weight))
        assert effects.sum() == pytest.approx(0, abs=1e-12)
        for row in (0, 50, 299):
            up, down = (
                theirs(name, y, proba, weight * np.where(np.arange(300) == row, 1 + step, 1)) for step in (1e-5, -1e-5)
            )
            assert effects[row] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-9)

    @pytest.mark.parametrize("level", [0.9, 0.95])
    @pytest.mark.parametrize("n_right", [0, 1, 37, 59, 60])
    def test_interval_of_the_accuracy_is_wilsons(self, n_right, level):
        y, proba = (np.arange(60) < n_right).astype(int), np.tile([0.3, 0.7], (60, 1))
        expected = stats.binomtest(n_right, 60).proportion_ci(level, method="wilson")
        found = confidence_interval("accuracy", y, proba, labels=[0, 1], confidence_level=level)
        assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-12, abs=1e-15)
        report = confidence_interval([sklearn.metrics.accuracy_score], y, proba, labels=[0, 1], confidence_level=level)
        assert report.loc["accuracy_score", ["low", "high"]].tolist() == [found.low, found.high]
        total = MetricAccumulator("accuracy", labels=[0, 1])
        for rows in (slice(0, 20), slice(20, 60)):
            total.update(y[rows], proba[rows])
        merged = total.confidence_interval(level).loc["accuracy"]
        assert (merged["low"], merged["high"]) == pytest.approx(tuple(expected), rel=1e-12, abs=1e-15)
        slices = by_group("accuracy", y, proba, groups=np.zeros(60), labels=[0, 1], confidence_level=level)
        assert slices.loc[0, ["low", "high"]].tolist() == [found.low, found.high]

    def test_interval_of_the_accuracy_of_unequal_samples_is_that_of_other_sums(self):
        """Of weights, groups and strata: as for cw_accuracy where all confidences are equal."""
        y, proba = draw_classes(120, 2)
        sure = np.where(proba[:, 1] > 0.5, 0.8, 0.2)
        weight = np.random.default_rng(1).exponential(1, 120)
        for given in ({"sample_weight": weight}, {"groups": np.arange(120) // 4}, {"stratify": y}):
            found, expected = (
                confidence_interval(name, y, sure, method="delta", **given) for name in ("accuracy", "cw_accuracy")
            )
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
        equal = confidence_interval("accuracy", y, sure, sample_weight=np.full(120, 7.0))
        plain = confidence_interval("accuracy", y, sure)
        assert (equal.low, equal.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def delong(y, *scores):
    """Return areas and their covariance matrix, by the placement of every pair (DeLong et al., 1988, equations 2–7)."""
    placed = [np.sign(s[y == 1][:, np.newaxis] - s[y == 0]) / 2 + 0.5 for s in scores]
    of_positives = np.atleast_2d(np.cov([pairs.mean(axis=1) for pairs in placed]))
    of_negatives = np.atleast_2d(np.cov([pairs.mean(axis=0) for pairs in placed]))
    m, n = placed[0].shape
    return [pairs.mean() for pairs in placed], of_positives / m + of_negatives / n


class TestDeLong:
    @pytest.mark.parametrize("decimals", [15, 1], ids=["distinct", "tied"])
    def test_comparison_of_areas(self, decimals):
        y, proba = draw_classes(150, 2)
        rng = np.random.default_rng(3)
        one, two = (np.clip(proba[:, 1] + rng.normal(0, 0.3, 150), 0, 1).round(decimals) for _ in range(2))
        found = compare("roc_auc", y, {"one": one, "two": two}, confidence_level=0.9)
        areas, covariance = delong(y, one, two)
        error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        difference = areas[0] - areas[1]
        assert found.difference == pytest.approx(difference, rel=1e-10)
        assert found.standard_error == pytest.approx(error, rel=1e-10)
        assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(difference) / error), rel=1e-9)
        ends = stats.norm.interval(0.9, difference, error)
        assert (found.low, found.high) == pytest.approx(ends, rel=1e-9)

    def test_standard_error_of_an_area_in_memory_and_of_parts(self):
        y, proba = draw_classes(150, 2, decimals=2)
        _, covariance = delong(y, proba[:, 1])
        found = confidence_interval("roc_auc", y, proba, method="delta")
        assert found.standard_error == pytest.approx(np.sqrt(covariance[0, 0]), rel=1e-10)
        total = MetricAccumulator("roc_auc", labels=[0, 1])
        for rows in np.array_split(np.arange(150), 4):
            total.update(y[rows], proba[rows])
        merged = total.confidence_interval().loc["roc_auc"]
        columns = ["low", "high", "standard_error"]
        assert merged[columns].tolist() == pytest.approx([getattr(found, column) for column in columns], rel=1e-9)

    def test_of_unequal_samples_and_of_a_single_positive_it_is_not(self):
        y, proba = draw_classes(150, 2)
        another = draw_classes(150, 2, seed=1)[1]
        weight = np.random.default_rng(1).exponential(1, 150)
        both = {"one": proba, "two": another}
        for given in ({"sample_weight": weight}, {"groups": np.arange(150) // 3}):
            found = compare("roc_auc", y, both, **given)
            assert np.isfinite(found.standard_error)
            units = 150 if "sample_weight" in given else 50
            statistic = abs(found.difference) / found.standard_error
            assert found.p_value == pytest.approx(2 * stats.t.sf(statistic, units - 1), rel=1e-9)
        lone = np.arange(150) == 7
        assert np.isfinite(compare("roc_auc", lone, both, labels=[False, True]).standard_error)


class TestBoundsOfAveragePrecision:
    """Of samples whose order within a score is not known."""

    @pytest.mark.parametrize("seed", range(20))
    def test_hold_all_orders(self, seed):
        rng = np.random.default_rng(seed)
        n = 40
        score, present, weight = rng.integers(1, 5, n) / 5, rng.random(n) < 0.4, rng.exponential(1, n)
        metric = AveragePrecision()
        on_top, below = (score + 0.01 * (present if first else ~present) for first in (True, False))
        most = metric.of_class(on_top, present, weight)[0]
        least = metric.least_of_class(below, present, weight)
        assert 0 <= least < metric.of_class(score, present, weight)[0] < most <= 1
        for finer in (0.01 * rng.random(n), 0.01 * rng.integers(0, 3, n), 0.01 * ~present + 1e-4 * rng.random(n)):
            exact = sklearn.metrics.average_precision_score(present, score + finer, sample_weight=weight)
            assert least - 1e-12 <= exact <= most + 1e-12

    def test_without_a_sample_of_the_class_it_is_undefined(self):
        metric, weight = AveragePrecision(), np.ones(3)
        score, present = np.array([0.1, 0.5, 0.9]), np.zeros(3, dtype=bool)
        assert np.isnan(metric.of_class(score, present, weight)[0])
        assert np.isnan(metric.least_of_class(score, present, weight))
