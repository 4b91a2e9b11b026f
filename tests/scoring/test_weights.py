"""Scorers and sample weights, with and without metadata routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from _support.scoring_cases import (
    MODELS,
    MULTICLASS,
    RULED,
    Counting,
    all_by_hand,
    by_hand,
    folds,
    one_and_many,
    one_thread,  # noqa: F401
    preprocess,
    quiet,
    said,
    scored_by_hand,
    simple,
    task,
)
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skconf import confidence_scoring, get_scorer


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighted_folds(name, fit_weight=None, score_weight=None):
    """Score by hand on three folds, with weights where they are meant to be."""
    X, y = task("logistic", 3)
    scores = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = make_pipeline(preprocess(), LogisticRegression())
        fit_params = {} if fit_weight is None else {"logisticregression__sample_weight": fit_weight[train]}
        with sklearn.config_context(enable_metadata_routing=False):
            model.fit(X.iloc[train], y[train], **fit_params)
        given = {} if score_weight is None else {"sample_weight": score_weight[test]}
        scores.append(by_hand(name, y[test], model.predict_proba(X.iloc[test]), model.classes_, **given))
    return scores


WEIGHT = np.random.default_rng(1).integers(0, 5, 150).astype(float)


class TestSampleWeight:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("as_given", [np.array, list, pd.Series])
    def test_it_is_that_of_the_metric(self, as_given, model):
        fitted, X, y = folds(model, 3)[0]
        weight = WEIGHT[: len(y)]
        proba, given = said(fitted, X)
        with quiet():
            scores = confidence_scoring(RULED)(fitted, X, y, sample_weight=as_given(weight))
            expected = all_by_hand(RULED, y, proba, fitted.classes_, sample_weight=weight, **given)
        assert scores == pytest.approx(expected, rel=1e-12, nan_ok=True)
        assert scores["cw_accuracy"] != scored_by_hand(model, 3)[0]["cw_accuracy"]

    @pytest.mark.parametrize("name", MULTICLASS)
    def test_of_a_single_scorer_it_is_the_same(self, name):
        fitted, X, y = simple("logistic", 3)
        given = {"sample_weight": WEIGHT[: len(y)]}
        expected = all_by_hand([name], y, fitted.predict_proba(X), fitted.classes_, **given)[name]
        if np.isnan(expected):
            with pytest.raises(ValueError, match="takes no sample_weight"):
                get_scorer(name)(fitted, X, y, **given)
        else:
            assert get_scorer(name)(fitted, X, y, **given) == expected

    @pytest.mark.parametrize("name", ["cw_accuracy", "neg_ece", "neg_aurc", "cf1_macro", "coverage", "neg_ecuas_1"])
    def test_a_weight_of_two_is_the_row_twice(self, name):
        fitted, X, y = folds("logistic", 3)[0]
        weight = WEIGHT[: len(y)]
        index = np.repeat(np.arange(len(y)), weight.astype(int))
        repeated = get_scorer(name)(fitted, X.iloc[index], y[index])
        assert get_scorer(name)(fitted, X, y, sample_weight=weight) == pytest.approx(repeated, rel=1e-9)
        assert repeated != pytest.approx(get_scorer(name)(fitted, X, y), rel=1e-6)

    @one_and_many
    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            ([1, 2], "sample_weight has 2 rows"),
            ([-1.0] * 50, "sample_weight is -1.0 in row 0"),
            ([0] * 50, "zero for all samples"),
            (np.ma.array(np.ones(50), mask=np.arange(50) == 3), "sample_weight .* hidden"),
        ],
    )
    def test_wrong_ones_are_errors(self, make, weight, message):
        fitted, X, y = folds("logistic", 3)[0]
        assert len(y) == 50
        with pytest.raises(ValueError, match=message):
            make("cw_accuracy")(fitted, X, y, sample_weight=weight)

    @one_and_many
    def test_without_routing_a_request_explains_itself(self, make):
        with pytest.raises(RuntimeError, match=r"needs metadata routing: .*set_config\(enable_metadata_routing=True\)"):
            make("cw_accuracy").set_score_request(sample_weight=True)


@pytest.mark.usefixtures("routing")
class TestRouting:
    @staticmethod
    def model(fit_weight):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        columns = make_column_transformer((OneHotEncoder(), ["city"]), (scaler, ["age", "size"]))
        return make_pipeline(columns, LogisticRegression().set_fit_request(sample_weight=fit_weight))

    @staticmethod
    def scores(result):
        return result["test_cw_accuracy"] if "test_cw_accuracy" in result else result["test_score"]

    def cross_validate(self, scorer, fit_weight, **params):
        X, y = task("logistic", 3)
        model = self.model(fit_weight)
        return self.scores(cross_validate(model, X, y, cv=StratifiedKFold(3), scoring=scorer, params=params))

    @one_and_many
    def test_true_asks_for_the_weights(self, make):
        scorer = make("cw_accuracy").set_score_request(sample_weight=True)
        found = self.cross_validate(scorer, False, sample_weight=WEIGHT)
        np.testing.assert_allclose(found, weighted_folds("cw_accuracy", None, WEIGHT), rtol=1e-9)
        found = self.cross_validate(scorer, True, sample_weight=WEIGHT)
        np.testing.assert_allclose(found, weighted_folds("cw_accuracy", WEIGHT, WEIGHT), rtol=1e-9)

    @one_and_many
    def test_false_leaves_them_to_others(self, make):
        scorer = make("cw_accuracy").set_score_request(sample_weight=False)
        found = self.cross_validate(scorer, True, sample_weight=WEIGHT)
        np.testing.assert_allclose(found, weighted_folds("cw_accuracy", WEIGHT, None), rtol=1e-9)

    @one_and_many
    def test_a_name_asks_for_weights_of_that_name(self, make):
        scorer = make("cw_accuracy").set_score_request(sample_weight="score_weight")
        other = WEIGHT[::-1].copy()
        found = self.cross_validate(scorer, True, sample_weight=other, score_weight=WEIGHT)
        np.testing.assert_allclose(found, weighted_folds("cw_accuracy", other, WEIGHT), rtol=1e-9)

    @one_and_many
    @pytest.mark.parametrize("request_none", [False, True])
    def test_none_and_no_request_raise_where_weights_are_passed_and_only_there(self, make, request_none):
        scorer = make("cw_accuracy")
        if request_none:
            scorer = scorer.set_score_request(sample_weight=True).set_score_request(sample_weight=None)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            self.cross_validate(scorer, False, sample_weight=WEIGHT)
        np.testing.assert_allclose(self.cross_validate(scorer, False), weighted_folds("cw_accuracy"), rtol=1e-9)

    @one_and_many
    def test_a_request_returns_the_scorer_itself(self, make):
        scorer = make("cw_accuracy")
        assert scorer.set_score_request(sample_weight=True) is scorer
        assert scorer.get_metadata_routing().score.requests == {"sample_weight": True}

    @one_and_many
    def test_a_search_routes_them_too(self, make):
        X, y = task("logistic", 3)
        scorer = make("cw_accuracy").set_score_request(sample_weight=True)
        refit, name = (True, "score") if make is get_scorer else ("cw_accuracy", "cw_accuracy")
        search = GridSearchCV(
            self.model(True), {"logisticregression__C": [1.0]}, cv=StratifiedKFold(3), scoring=scorer, refit=refit
        )
        search.fit(X, y, sample_weight=WEIGHT)
        expected = np.mean(weighted_folds("cw_accuracy", WEIGHT, WEIGHT))
        assert search.cv_results_[f"mean_test_{name}"] == pytest.approx([expected], rel=1e-9)

    def test_a_dict_with_scikit_learns_own_scorers_routes_to_each_what_it_asks_for(self):
        scoring = {
            "ours": get_scorer("cw_accuracy").set_score_request(sample_weight=True),
            "plain": get_scorer("cw_accuracy").set_score_request(sample_weight=False),
            "theirs": make_scorer(accuracy_score).set_score_request(sample_weight=False),
        }
        X, y = task("logistic", 3)
        found = cross_validate(
            self.model(False), X, y, cv=StratifiedKFold(3), scoring=scoring, params={"sample_weight": WEIGHT}
        )
        np.testing.assert_allclose(found["test_ours"], weighted_folds("cw_accuracy", None, WEIGHT), rtol=1e-9)
        np.testing.assert_allclose(found["test_plain"], weighted_folds("cw_accuracy"), rtol=1e-9)

    def test_scorers_of_one_list_may_ask_for_different_weights(self):
        def asks(value):
            return get_scorer("cw_accuracy").set_score_request(sample_weight=value)

        other = WEIGHT[::-1].copy()
        scoring = confidence_scoring(
            {
                "own": asks(True),
                "none": asks(False),
                "other": asks("score_weight"),
                "theirs": make_scorer(accuracy_score).set_score_request(sample_weight="score_weight"),
            }
        )
        X, y = task("logistic", 3)
        params = {"sample_weight": WEIGHT, "score_weight": other}
        found = cross_validate(self.model(True), X, y, cv=StratifiedKFold(3), scoring=scoring, params=params)
        for key, weight in (("own", WEIGHT), ("none", None), ("other", other)):
            np.testing.assert_allclose(found[f"test_{key}"], weighted_folds("cw_accuracy", WEIGHT, weight), rtol=1e-9)
        alone = {"theirs": make_scorer(accuracy_score).set_score_request(sample_weight="score_weight")}
        expected = cross_validate(self.model(True), X, y, cv=StratifiedKFold(3), scoring=alone, params=params)
        np.testing.assert_allclose(found["test_theirs"], expected["test_theirs"], rtol=1e-12)

    def test_one_that_leaves_it_open_stops_the_others(self):
        decided = get_scorer("cw_accuracy").set_score_request(sample_weight=True)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            self.cross_validate(confidence_scoring([decided, "neg_ece"]), False, sample_weight=WEIGHT)

    @one_and_many
    def test_a_direct_call_says_itself_that_weights_are_meant(self, make):
        fitted, X, y = simple("logistic", 3)
        weight = WEIGHT[: len(y)]
        expected = by_hand("cw_accuracy", y, fitted.predict_proba(X), fitted.classes_, sample_weight=weight)
        assert make("cw_accuracy")(fitted, X, y, sample_weight=weight) in (expected, {"cw_accuracy": expected})

    @one_and_many
    @pytest.mark.slow
    def test_a_nested_search_weighs_both_of_its_scores(self, make):
        X, y = task("logistic", 3)
        inner = make("cw_accuracy").set_score_request(sample_weight=True)
        outer = make("cw_accuracy").set_score_request(sample_weight=True)
        search = GridSearchCV(
            self.model(True),
            {"logisticregression__C": [1.0]},
            cv=StratifiedKFold(2),
            scoring=inner,
            refit=True if make is get_scorer else "cw_accuracy",
        )
        found = cross_validate(
            search,
            X,
            y,
            cv=StratifiedKFold(3),
            scoring=outer,
            params={"sample_weight": WEIGHT},
            return_estimator=True,
            return_indices=True,
        )
        np.testing.assert_allclose(self.scores(found), weighted_folds("cw_accuracy", WEIGHT, WEIGHT), rtol=1e-9)
        for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
            again = clone(fitted).fit(X.iloc[train], y[train], sample_weight=WEIGHT[train])
            unweighted = clone(fitted).set_params(scoring=make("cw_accuracy").set_score_request(sample_weight=False))
            unweighted.fit(X.iloc[train], y[train], sample_weight=WEIGHT[train])
            assert fitted.best_score_ == again.best_score_ != unweighted.best_score_


class TestSearchWithoutRouting:
    @one_and_many
    def test_weights_given_to_fit_reach_our_scorers_where_they_reach_scikit_learns(self, make):
        X, y = task("logistic", 3)
        weight = WEIGHT + 1

        def search(scoring, refit):
            found = GridSearchCV(Counting(), {"C": [1.0]}, cv=StratifiedKFold(3), scoring=scoring, refit=refit)
            found.fit(X, y, sample_weight=weight)
            return next(v[0] for key, v in found.cv_results_.items() if key.startswith("mean_test"))

        def by_hand_mean(score_weight):
            models = []
            for train, test in StratifiedKFold(3).split(X, y):
                model = Counting().fit(X.iloc[train], y[train], sample_weight=weight[train])
                given = {} if score_weight is None else {"sample_weight": score_weight[test]}
                models.append((model, X.iloc[test], y[test], given))
            ours = np.mean([by_hand("cw_accuracy", y, m.predict_proba(X), m.classes_, **g) for m, X, y, g in models])
            theirs = np.mean([accuracy_score(y, m.predict(X), **g) for m, X, y, g in models])
            return ours, theirs

        weighted, plain = by_hand_mean(weight), by_hand_mean(None)
        assert weighted[1] != plain[1]
        forwards = search("accuracy", True) == pytest.approx(weighted[1], rel=1e-12)
        refit = True if make is get_scorer else "cw_accuracy"
        assert search(make("cw_accuracy"), refit) == pytest.approx((weighted if forwards else plain)[0], rel=1e-12)
