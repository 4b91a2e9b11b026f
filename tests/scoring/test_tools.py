"""Scorers in scikit-learn's tools: cross-validation, searches, curves, selection of features."""

import functools
import inspect
import warnings
from typing import ClassVar

import numpy as np
import pytest
from _support.scoring_cases import (
    MODELS,
    RULED,
    Counting,
    by_hand,
    cross_validated,
    folds,
    meaning,
    one_and_many,
    one_thread,  # noqa: F401
    preprocess,
    quiet,
    scored_by_hand,
    task,
)
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV, Perceptron
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    LearningCurveDisplay,
    RandomizedSearchCV,
    StratifiedKFold,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skconf import SelectiveClassifier, confidence_scoring, get_scorer


class TestOneCall:
    @pytest.fixture(autouse=True)
    def _reset(self):
        Counting.calls.clear()

    @pytest.mark.parametrize("n_metrics", [1, 2, len(RULED)])
    @pytest.mark.parametrize(
        "wrap",
        [
            lambda m: m,
            lambda m: SelectiveClassifier(m, threshold=0.6),
            lambda m: make_pipeline("passthrough", SelectiveClassifier(m, threshold=0.6, keep_prediction=True)),
            lambda m: GridSearchCV(m, {"C": [1.0]}, cv=2),
        ],
        ids=["plain", "selective", "selective in a pipeline", "search"],
    )
    def test_probabilities_are_asked_for_once_however_many_metrics(self, n_metrics, wrap):
        X, y = task("logistic", 2)
        model = wrap(Counting()).fit(X, y)
        Counting.calls.clear()
        scores = confidence_scoring(RULED[:n_metrics])(model, X, y)
        assert len(scores) == n_metrics
        assert Counting.calls == ["predict_proba"]

    def test_a_single_scorer_asks_once(self):
        X, y = task("logistic", 2)
        model = Counting().fit(X, y)
        get_scorer("neg_aurc")(model, X, y)
        assert Counting.calls == ["predict_proba"]

    def test_cross_validation_asks_once_per_fold_and_part(self):
        X, y = task("logistic", 2)
        cross_validate(Counting(), X, y, cv=3, scoring=confidence_scoring(RULED), return_train_score=True)
        assert Counting.calls == ["predict_proba"] * 6


@functools.cache
def mean_of_folds(name, C):
    X, y = task("logistic", 3)
    scores = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = make_pipeline(preprocess(), LogisticRegression(C=C)).fit(X.iloc[train], y[train])
        scores.append(by_hand(name, y[test], model.predict_proba(X.iloc[test]), model.classes_))
    return np.mean(scores)


class TestInSearches:
    GRID: ClassVar = [0.001, 0.1, 10.0]

    @pytest.mark.parametrize("refit", ["neg_ece", "cw_accuracy", "neg_csr_deviation"])
    @pytest.mark.parametrize(
        "search",
        [
            lambda model, grid, **rest: GridSearchCV(model, grid, **rest),
            lambda model, grid, **rest: RandomizedSearchCV(model, grid, n_iter=3, random_state=0, **rest),
        ],
        ids=["grid", "random"],
    )
    def test_the_search_refits_what_is_best_by_the_chosen_metric(self, search, refit):
        X, y = task("logistic", 3)
        scoring = confidence_scoring(["neg_ece", "cw_accuracy", "neg_csr_deviation"])
        found = search(MODELS["logistic"](), {"logisticregression__C": self.GRID}, cv=3, scoring=scoring, refit=refit)
        found.fit(X, y)
        for name in scoring.scorers:
            means = {
                p["logisticregression__C"]: m
                for p, m in zip(found.cv_results_["params"], found.cv_results_[f"mean_test_{name}"], strict=True)
            }
            assert means == pytest.approx({C: mean_of_folds(name, C) for C in self.GRID}, rel=1e-9)
        assert found.best_params_["logisticregression__C"] == max(self.GRID, key=lambda C: mean_of_folds(refit, C))
        assert found.score(X, y) == get_scorer(refit)(found.best_estimator_, X, y)

    def test_a_single_scorer_is_a_scoring_too(self):
        X, y = task("logistic", 3)
        grid = {"logisticregression__C": self.GRID}
        found = GridSearchCV(MODELS["logistic"](), grid, cv=3, scoring=get_scorer("neg_ecuas_1")).fit(X, y)
        assert found.best_score_ == pytest.approx(max(mean_of_folds("neg_ecuas_1", C) for C in self.GRID), rel=1e-9)

    def test_the_threshold_of_a_selective_classifier_can_be_searched(self):
        X, y = task("logistic", 3)
        thresholds = [0.0, 0.4, 0.6, 0.8]
        scoring = confidence_scoring(["coverage", "cw_accuracy"])
        model = SelectiveClassifier(MODELS["logistic"]())
        found = GridSearchCV(model, {"threshold": thresholds}, cv=3, scoring=scoring, refit="coverage").fit(X, y)
        shares = [
            np.mean([(m.predict_proba(X_test).max(axis=1) >= t).mean() for m, X_test, _ in folds("logistic", 3)])
            for t in thresholds
        ]
        np.testing.assert_allclose(found.cv_results_["mean_test_coverage"], shares, rtol=1e-12)
        assert found.best_params_ == {"threshold": 0.0}
        assert len(set(found.cv_results_["mean_test_cw_accuracy"])) == 1

    def test_cross_val_score_and_learning_curve(self):
        X, y = task("logistic", 3)
        given = {"cv": StratifiedKFold(3), "scoring": get_scorer("neg_aurc")}
        expected = [scores["neg_aurc"] for scores in scored_by_hand("logistic", 3)]
        for n_jobs in (None, 2):
            scores = cross_val_score(MODELS["logistic"](), X, y, n_jobs=n_jobs, **given)
            np.testing.assert_allclose(scores, expected, rtol=1e-12)
        _, _, test = learning_curve(MODELS["logistic"](), X, y, train_sizes=[0.5, 1.0], **given)
        np.testing.assert_allclose(test[1], expected, rtol=1e-12)
        assert (test[0] != test[1]).all()

    @pytest.mark.parametrize("weight", [None, np.arange(50) % 4])
    def test_permutation_importance_of_one_and_of_many(self, weight):
        fitted, X, y = folds("logistic", 3)[0]
        names = ["cw_accuracy", "neg_ecuas_1"]
        many = permutation_importance(
            fitted, X, y, scoring=confidence_scoring(names), n_repeats=2, random_state=0, sample_weight=weight
        )
        assert list(many) == names
        for name in names:
            one = permutation_importance(
                fitted, X, y, scoring=get_scorer(name), n_repeats=2, random_state=0, sample_weight=weight
            )
            function, params, score = meaning(name)
            plain = make_scorer(function, greater_is_better=score(1) > 0, response_method="predict_proba", **params)
            by_function = permutation_importance(
                fitted, X, y, scoring=plain, n_repeats=2, random_state=0, sample_weight=weight
            )
            np.testing.assert_array_equal(many[name].importances, one.importances)
            np.testing.assert_allclose(one.importances, by_function.importances, rtol=1e-12, atol=1e-14)
            assert many[name].importances_mean.argmax() == 0  # the age decides

    def test_a_dict_with_scikit_learns_own_scorers(self):
        X, y = task("logistic", 3)
        scoring = {"ours": get_scorer("cw_accuracy"), "theirs": "accuracy"}
        scores = cross_validate(MODELS["logistic"](), X, y, cv=StratifiedKFold(3), scoring=scoring)
        np.testing.assert_array_equal(scores["test_ours"], cross_validated("logistic", 3)["test_cw_accuracy"])
        np.testing.assert_allclose(
            scores["test_theirs"], [(m.predict(X) == y).mean() for m, X, y in folds("logistic", 3)]
        )


def plain(name, **labels):
    """Return the scorer that scikit-learn makes of the function behind a name; it may have to be told the labels."""
    function, params, score = meaning(name)
    return make_scorer(function, greater_is_better=score(1) > 0, response_method="predict_proba", **params, **labels)


class TestWhereOneNumberIsNeeded:
    """Every tool finds the same with a scorer as with the plain function."""

    MODEL = LogisticRegression()
    GRID: ClassVar = {"C": [0.01, 1.0, 100.0]}
    CV = StratifiedKFold(3)

    @pytest.fixture(params=["neg_ecuas_1", "cw_accuracy", "neg_aurc"])
    def both(self, request):
        """Features, labels, and the two scorers."""
        X, y = task("logistic", 3)
        X = StandardScaler().fit_transform(X[["age", "size"]])
        return X, y, get_scorer(request.param), plain(request.param, labels=np.unique(y))

    @pytest.mark.parametrize("search", [HalvingGridSearchCV, functools.partial(HalvingRandomSearchCV, n_candidates=3)])
    def test_successive_halving(self, both, search):
        X, y, *scorers = both
        given = {"cv": self.CV, "random_state": 0, "min_resources": 50}  # or a part lacks a class: see the next test
        found = [search(self.MODEL, self.GRID, scoring=scorer, **given).fit(X, y) for scorer in scorers]
        results = [search.cv_results_["mean_test_score"] for search in found]
        np.testing.assert_allclose(*results, rtol=1e-12)
        assert found[0].best_params_ == found[1].best_params_
        assert len(set(found[0].cv_results_["iter"])) > 1

    @pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
    def test_successive_halving_goes_on_where_a_part_lacks_a_class(self, both):
        X, y, ours, theirs = both
        given = {"cv": KFold(3), "random_state": 0, "min_resources": 9}
        with quiet():
            warnings.filterwarnings("ignore", "Scoring failed|One or more of the (test|train) scores are non-finite")
            found = [
                HalvingGridSearchCV(self.MODEL, self.GRID, scoring=scorer, **given).fit(X, y)
                for scorer in (ours, theirs)
            ]
        assert np.isfinite(found[0].cv_results_["mean_test_score"]).all()
        assert np.isnan(found[1].cv_results_["mean_test_score"]).any()

    def test_learning_curve(self, both):
        X, y, *scorers = both
        given = {"cv": self.CV, "train_sizes": [0.4, 1.0], "shuffle": True, "random_state": 0}
        ours, theirs = (learning_curve(self.MODEL, X, y, scoring=scorer, **given)[1:] for scorer in scorers)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)

    def test_validation_curve(self, both):
        X, y, *scorers = both
        given = {"param_name": "C", "param_range": self.GRID["C"], "cv": self.CV}
        ours, theirs = (validation_curve(self.MODEL, X, y, scoring=scorer, **given) for scorer in scorers)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    def test_selection_of_features(self, both):
        X, y, *scorers = both
        X = np.c_[X, np.random.default_rng(0).normal(size=(len(X), 2))]
        ours, theirs = (RFECV(self.MODEL, cv=self.CV, scoring=scorer).fit(X, y) for scorer in scorers)
        np.testing.assert_allclose(
            ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-12
        )
        ours, theirs = (
            SequentialFeatureSelector(self.MODEL, cv=self.CV, scoring=scorer, n_features_to_select=1).fit(X, y)
            for scorer in scorers
        )
        assert ours.get_support().tolist() == theirs.get_support().tolist() == [True, False, False, False]

    def test_permutation_test(self, both):
        X, y, *scorers = both
        given = {"cv": self.CV, "n_permutations": 3, "random_state": 0}
        ours, theirs = (permutation_test_score(self.MODEL, X, y, scoring=scorer, **given) for scorer in scorers)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-12)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)

    def test_classifiers_that_validate_themselves(self, both):
        X, y, *scorers = both
        given = {"max_iter": 8, "early_stopping": True, "n_iter_no_change": 8, "random_state": 0}
        ours, theirs = (HistGradientBoostingClassifier(scoring=scorer, **given).fit(X, y) for scorer in scorers)
        np.testing.assert_allclose(ours.validation_score_, theirs.validation_score_, rtol=1e-12)

    def test_logistic_regression_that_searches_itself(self, both):
        X, y, ours, _ = both
        scorers = ours, plain(ours.name)  # which is told the labels by new versions
        given = {"Cs": self.GRID["C"], "cv": self.CV}
        if "use_legacy_attributes" in inspect.signature(LogisticRegressionCV).parameters:  # asked for by new versions
            given |= {"l1_ratios": (0.0,), "use_legacy_attributes": False}
        ours, theirs = (LogisticRegressionCV(scoring=scorer, **given).fit(X, y) for scorer in scorers)
        assert np.ravel(ours.C_).tolist() == np.ravel(theirs.C_).tolist()

    @pytest.mark.parametrize(("name", "label"), [("neg_ecuas_1", "Negative ecuas 1"), ("cw_accuracy", "Cw accuracy")])
    def test_displays_take_the_name(self, name, label):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        X, y = task("logistic", 3)
        X = X[["age", "size"]].to_numpy()
        given = {"cv": self.CV, "scoring": get_scorer(name)}
        curves = (
            LearningCurveDisplay.from_estimator(self.MODEL, X, y, **given),
            ValidationCurveDisplay.from_estimator(self.MODEL, X, y, param_name="C", param_range=[0.1, 1], **given),
        )
        for display in curves:
            assert display.ax_.get_ylabel() == label
        pyplot.close("all")


class TestWhatHasNoProbabilities:
    @one_and_many
    @pytest.mark.parametrize(
        ("model", "advice"),
        [
            (LinearSVC(), "LinearSVC has no predict_proba.*a classifier, wrap it in sklearn.calibration.Calibrated"),
            (Perceptron(), "Perceptron has no predict_proba.*a classifier, wrap it in sklearn.calibration.Calibrated"),
            (make_pipeline(StandardScaler(), LinearSVC()), "Pipeline has no predict_proba.*CalibratedClassifierCV"),
            (LinearRegression(), "LinearRegression has no predict_proba.*a regressor .* use a classifier"),
            (KMeans(2), "KMeans has no predict_proba.*a clusterer, use a classifier"),
        ],
        ids=["LinearSVC", "Perceptron", "pipeline", "regressor", "clusterer"],
    )
    def test_it_is_told_what_to_do(self, make, model, advice):
        X, codes = task("xgboost", 2)
        X = X[["age", "size"]].to_numpy()
        with pytest.raises(TypeError, match=advice):
            make("cw_accuracy")(model.fit(X, codes), X, codes)

    @one_and_many
    def test_a_calibrated_wrapper_mends_it(self, make):
        X, y = task("logistic", 2)
        X = X[["age", "size"]].to_numpy()
        scores = cross_validate(
            CalibratedClassifierCV(LinearSVC(), cv=2), X, y, cv=3, scoring=make("cw_accuracy"), error_score="raise"
        )
        assert all(np.isfinite(values).all() for values in scores.values())
