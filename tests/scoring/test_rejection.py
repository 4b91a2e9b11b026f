"""Scorers where predictions are rejected, and where a metric has no value."""

import dataclasses
import warnings
from typing import ClassVar

import numpy as np
import pytest
from _support.scoring_cases import (
    MODELS,
    RULED,
    cross_validated,
    folds,
    meaning,
    one_thread,  # noqa: F401
    preprocess,
    task,
)
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skconf import (
    ConfidenceProfile,
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    confidence_scoring,
    get_scorer,
    metrics,
)


class TestUndefined:
    @pytest.fixture
    def nothing_accepted(self):
        """Rows of a fold, and a model that accepts none of them."""
        X, y = task("logistic", 3)
        return SelectiveClassifier(DummyClassifier(strategy="prior"), threshold=0.9).fit(X, y), X, y

    def test_it_is_nan_with_one_warning_and_the_others_keep_their_values(self, nothing_accepted):
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy") as caught:
            scores = confidence_scoring(["coverage", "selective_accuracy", "cw_accuracy", "cwsa"])(*nothing_accepted)
        assert len(caught) == 1
        _, _, y = nothing_accepted
        share = np.mean(y == "low")  # all three are as frequent, and the first is predicted
        assert scores == pytest.approx(
            {"coverage": 0, "selective_accuracy": np.nan, "cw_accuracy": share, "cwsa": 0}, nan_ok=True
        )

    def test_alone_it_is_nan_with_one_warning(self, nothing_accepted):
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy") as caught:
            assert np.isnan(get_scorer("selective_accuracy")(*nothing_accepted))
        assert len(caught) == 1

    def test_what_does_not_apply_is_nan_among_many_and_an_error_alone(self):
        fitted, X, y = folds("logistic", 3)[0]
        with pytest.raises(ValueError, match="There are 3 classes, but no positive class"):
            get_scorer("cf1")(fitted, X, y)
        with pytest.warns(
            UndefinedMetricWarning, match="^key is undefined here and is NaN: There are 3 classes"
        ) as caught:
            scores = confidence_scoring({"key": "cf1", "neg_ece": "neg_ece"})(fitted, X, y)
        assert len(caught) == 1
        assert np.isnan(scores["key"])
        assert scores["neg_ece"] == get_scorer("neg_ece")(fitted, X, y)

    def test_a_search_goes_on_with_one_warning_for_each_fold(self):
        X, y = task("logistic", 3)
        with pytest.warns(UndefinedMetricWarning) as caught:
            scores = cross_validate(MODELS["logistic"](), X, y, cv=3, scoring=confidence_scoring(["cf1", "neg_ece"]))
        assert len(caught) == 3
        assert np.isnan(scores["test_cf1"]).all()
        np.testing.assert_array_equal(scores["test_neg_ece"], cross_validated("logistic", 3)["test_neg_ece"])

    @pytest.mark.parametrize("name", ["cwsa", "cwsa_plus"])
    def test_cwsa_of_another_score_is_nan_among_many_and_an_error_alone(self, name):
        X, y = task("logistic", 3)
        model = SelectiveClassifier(MODELS["logistic"](), threshold=0.3, confidence="margin").fit(X, y)
        with pytest.raises(ValueError, match=f"{name}_score measures .* selected by another score.*selective_accuracy"):
            get_scorer(name)(model, X, y)
        with pytest.warns(
            UndefinedMetricWarning, match=f"^{name} is undefined here and is NaN: .*another score"
        ) as caught:
            scores = confidence_scoring([name, "coverage", "cw_accuracy"])(model, X, y)
        assert len(caught) == 1
        assert np.isnan(scores[name])
        two = np.sort(model.predict_proba(X), axis=1)
        assert scores["coverage"] == np.mean(two[:, 2] - two[:, 1] >= 0.3)
        assert np.isfinite(scores["cw_accuracy"])

    def test_at_a_threshold_of_one_full_confidence_is_worth_one(self):
        X, y = np.array([[0], [0], [0], [1], [1], [1]]), np.array([0, 0, 0, 0, 1, 1])
        model = SelectiveClassifier(DecisionTreeClassifier(), threshold=1.0).fit(X, y)
        assert model.accept(X).tolist() == [True] * 3 + [False] * 3
        right_and_wrong = [0, 0, 1, 0, 1, 1]
        scores = confidence_scoring(["cwsa", "cwsa_plus", "coverage"])(model, X, right_and_wrong)
        assert scores == pytest.approx({"cwsa": (1 + 1 - 1) / 3, "cwsa_plus": 2 / 3, "coverage": 0.5}, rel=1e-12)
        # The limit from below.
        just_below = get_scorer("cwsa", threshold=1 - 1e-9)(model, X, right_and_wrong)
        assert just_below == pytest.approx(scores["cwsa"], rel=1e-12)

    def test_probabilities_that_are_none_are_an_error_in_every_scorer(self):
        class Broken(LogisticRegression):
            def predict_proba(self, X):
                return super().predict_proba(X) * [1.0, np.nan]

        model = Broken().fit([[0], [1]], [0, 1])
        for scorer in (get_scorer("neg_ece"), confidence_scoring(["neg_ece", "cwsa"])):
            with pytest.raises(ValueError, match="NaN, in row 0, column 1"):
                scorer(model, [[0], [1]], [0, 1])


# --- thresholds ---------------------------------------------------------------------------------------------------

SELECTIVE = {
    "alone": lambda s: s.set_params(estimator=make_pipeline(preprocess(), s.estimator)),
    "pipeline": lambda s: make_pipeline(preprocess(), s),
    "two pipelines": lambda s: make_pipeline(preprocess(), make_pipeline(StandardScaler(), s)),
    "pipeline in a search": lambda s: GridSearchCV(
        make_pipeline(preprocess(), s), {"selectiveclassifier__estimator__C": [0.5, 1.0]}, cv=2
    ),
    "search in a pipeline": lambda s: make_pipeline(preprocess(), GridSearchCV(s, {"estimator__C": [0.5, 1.0]}, cv=2)),
    "random search": lambda s: RandomizedSearchCV(
        make_pipeline(preprocess(), s), {"selectiveclassifier__threshold": [0.7]}, n_iter=1, cv=2
    ),
}


class TestThreshold:
    @pytest.mark.parametrize("nest", SELECTIVE)
    def test_it_is_that_of_the_selective_classifier_found_inside(self, nest):
        X, y = task("logistic", 3)
        model = SELECTIVE[nest](SelectiveClassifier(LogisticRegression(), threshold=0.7)).fit(X, y)
        proba = model.predict_proba(X)
        sure, right = proba.max(axis=1), np.unique(y)[proba.argmax(axis=1)] == y
        scoring = confidence_scoring(["coverage", "selective_accuracy"])
        expected = {"coverage": np.mean(sure >= 0.7), "selective_accuracy": right[sure >= 0.7].mean()}
        assert scoring(model, X, y) == pytest.approx(expected, rel=1e-12)
        assert get_scorer("coverage")(model, X, y) == expected["coverage"]

    @pytest.mark.parametrize("nest", SELECTIVE)
    def test_a_given_one_goes_before_it(self, nest):
        X, y = task("logistic", 3)
        model = SELECTIVE[nest](SelectiveClassifier(LogisticRegression(), threshold=0.7)).fit(X, y)
        share = np.mean(model.predict_proba(X).max(axis=1) >= 0.55)
        assert get_scorer("coverage", threshold=0.55)(model, X, y) == share
        both = confidence_scoring({"given": get_scorer("coverage", threshold=0.55), "own": "coverage"})(model, X, y)
        assert both["given"] == share > both["own"]

    @pytest.mark.parametrize("model", ["logistic", "xgboost"])
    def test_it_is_one_half_for_any_other_classifier(self, model):
        fitted, X, y = folds(model, 3)[0]
        share = np.mean(fitted.predict_proba(X).max(axis=1) >= 0.5)
        assert 0 < share < 1
        assert get_scorer("coverage")(fitted, X, y) == share

    def test_at_zero_everything_is_accepted(self):
        X, y = task("logistic", 3)
        model = SelectiveClassifier(MODELS["logistic"]()).fit(X, y)
        assert get_scorer("coverage")(model, X, y) == 1
        assert get_scorer("selective_accuracy")(model, X, y) == (model.predict(X) == y).mean()

    def test_a_change_on_a_fitted_model_counts_at_once(self):
        X, y = task("logistic", 3)
        model = SelectiveClassifier(MODELS["logistic"](), threshold=0.9).fit(X, y)
        model.threshold = 0.4
        assert get_scorer("coverage")(model, X, y) == np.mean(model.predict_proba(X).max(axis=1) >= 0.4)

    def test_infinity_accepts_nothing(self):
        fitted, X, y = folds("logistic", 3)[0]
        assert get_scorer("coverage", threshold=np.inf)(fitted, X, y) == 0
        assert get_scorer("cwsa", threshold=np.inf)(fitted, X, y) == 0

    def test_a_tuned_classifier_brings_the_one_it_found(self):
        X, y = task("logistic", 3)
        model = TunedSelectiveClassifierCV(MODELS["logistic"](), objective="coverage", target=0.5).fit(X, y)
        scores = confidence_scoring(["coverage", "accuracy"])(model, X, y)
        assert 0 < model.threshold_ < 1
        assert scores["coverage"] == np.mean(model.predict_proba(X).max(axis=1) >= model.threshold_)
        assert scores["accuracy"] == np.mean(model.predict(X) == y)

    def test_one_that_found_none_accepts_nothing(self):
        X, y = np.zeros((60, 1)), np.arange(60) % 2
        with pytest.warns(UserWarning, match="(?i)reject|threshold|target"):
            model = TunedSelectiveClassifierCV(DummyClassifier(strategy="prior"), target=0.01).fit(X, y)
        assert model.threshold_ == np.inf
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy") as caught:
            scores = confidence_scoring(["coverage", "cwsa", "cwsa_plus", "selective_accuracy", "cw_accuracy"])(
                model, X, y
            )
        assert len(caught) == 1
        expected = {"coverage": 0, "cwsa": 0, "cwsa_plus": 0, "selective_accuracy": np.nan, "cw_accuracy": 0.5}
        assert scores == pytest.approx(expected, nan_ok=True)


class TestThresholdOfAProfile:
    NAMES = ("cwsa", "cwsa_plus", "coverage", "selective_accuracy", "neg_selective_risk")

    @pytest.fixture
    def fitted(self):
        X, y = task("logistic", 3)
        model = SelectiveClassifier(MODELS["logistic"](), threshold=0.7).fit(X, y)
        return model, X, y

    @pytest.mark.parametrize("name", NAMES)
    def test_function_metric_and_scorer_take_it_alike(self, fitted, name):
        function, _, score = meaning(name)
        model, X, y = fitted
        profile = ConfidenceProfile.from_estimator(model, X, y)
        expected = function(y, model.predict_proba(X), labels=model.classes_, threshold=0.7)
        assert expected != function(y, model.predict_proba(X), labels=model.classes_)  # at .5
        assert function(profile) == metrics.get_metric(function)(profile) == expected
        assert get_scorer(name)(*fitted) == get_scorer(name).of_profile(profile) == score(expected)
        groups = np.arange(len(y)) % 2
        by_group = metrics.get_metric(function).by_group(profile, groups, 2)
        np.testing.assert_allclose(by_group, [function(profile[groups == group]) for group in (0, 1)], rtol=1e-12)

    @pytest.mark.parametrize("name", NAMES)
    def test_one_that_is_given_goes_before_it(self, fitted, name):
        function, _, score = meaning(name)
        profile = ConfidenceProfile.from_estimator(*fitted)
        without = dataclasses.replace(profile, threshold=None)
        assert function(profile, threshold=0.5) == function(without) == function(without, threshold=0.5)
        assert get_scorer(name, threshold=0.5)(*fitted) == score(function(without))


class TestExtremes:
    """What every scorer says of a perfect classifier, an all-wrong one and one that abstains on everything."""

    N = 40
    Y = np.tile([0, 1], N // 2)
    #: Scores of a classifier that is right, or wrong, at full confidence, where they are not those of their kind:
    #: 1 and 0 of what is better high, 0 and −1 of what is better low.
    PERFECT: ClassVar = {
        "confidence_gain": 0,  # nothing is left to gain
        "confidence_roc_auc": np.nan,  # no error to tell from successes
        "neg_csr_deviation": -1,  # a size ratio of 0: no errors at all are fewer than calibration promises
        "neg_csr_zscore_deviation": -np.sqrt(N * 1e-8 / (1 - 1e-8)),
        "neg_ls_ece": -1e-8 * np.exp(0.5 / 15**2),  # confidences are clipped: the mean of odds with normal noise
    }
    WRONG: ClassVar = {
        **dict.fromkeys(("cwsa", "metric_coverage_auc_to_zero", "cw_matthews_corrcoef", "cw_cohen_kappa"), -1),
        "coverage": 1,
        "confidence_roc_auc": np.nan,
        "neg_augrc": -0.5,
        "neg_excess_aurc": 0,  # no order of errors is better than another
        "neg_tce": -100,  # a percentage
        "neg_confidence_log_loss": np.log(1e-8),
        "neg_ecd_deviation": np.log(1e-8),
        "neg_csr_deviation": -(1e8 - 1),
        "neg_csr_excess": -(1e8 - 1),
        "neg_csr_zscore_deviation": -(1e8 - 1) * np.sqrt(N * 1e-8 / (1 - 1e-8)),
        "neg_ecuas": 2 * np.log(1e-7 / 0.5),
        "neg_ecuas_0": 2 * np.log(1e-7 / 0.5),
        "neg_ecuas_1": -4,
    }
    SILENT: ClassVar = {
        "coverage": 0,
        "cwsa": 0,
        "cwsa_plus": 0,
        "selective_accuracy": np.nan,
        "neg_selective_risk": np.nan,
    }

    @pytest.mark.parametrize("name", RULED)
    def test_a_perfect_classifier(self, name):
        expected = self.PERFECT.get(name, 0 if name.startswith("neg_") else 1)
        assert self.score(name, self.Y == 1) == pytest.approx(expected, rel=1e-6, nan_ok=True)

    @pytest.mark.parametrize("name", RULED)
    def test_an_all_wrong_one(self, name):
        expected = self.WRONG.get(name, -1 if name.startswith("neg_") else 0)
        assert self.score(name, self.Y == 0) == pytest.approx(expected, rel=1e-6, nan_ok=True)

    @pytest.mark.parametrize("name", RULED)
    @pytest.mark.parametrize("threshold", [1.0, np.inf])
    def test_one_that_abstains_on_everything(self, name, threshold):
        sure = np.random.default_rng(0).uniform(0, 1, self.N)
        expected = self.SILENT.get(name, self.score(name, sure))
        assert self.score(name, sure, threshold=threshold) == pytest.approx(expected, nan_ok=True)

    def score(self, name, sure, **selection):
        profile = ConfidenceProfile.from_predictions(self.Y, np.asarray(sure, dtype=float), **selection)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score = get_scorer(name).of_profile(profile)
        told = [warning for warning in caught if "No threshold was given" not in str(warning.message)]
        assert len(told) == np.isnan(score)  # a warning where there is no value, and none elsewhere
        return score
