"""scikit-learn's own scorers beside ours: what they say alone, from the one answer that all of them are given."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.metrics
from _support.scoring_cases import (
    Counting,
    boosting,
    one_thread,  # noqa: F401
    simple,
    task,
)
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    fbeta_score,
    hinge_loss,
    log_loss,
    make_scorer,
    roc_auc_score,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from skconf import ConfidenceProfile, SelectiveClassifier, confidence_scoring, get_scorer, get_scorer_names
from skconf.inference import by_group, confidence_interval

#: scikit-learn's scorers of classifiers that need no positive class.
ANY = [
    *["accuracy", "balanced_accuracy", "matthews_corrcoef", "neg_log_loss"],
    *[f"{name}_{average}" for name in ("f1", "jaccard", "precision", "recall") for average in ("macro", "weighted")],
]
BINARY = [*ANY, "f1", "precision", "recall", "jaccard", "roc_auc", "average_precision", "neg_brier_score"]
MULTICLASS = [*ANY, "roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "top_k_accuracy"]


def rows(n_classes):
    """Two features, and numbers of classes."""
    _, X, y = simple("xgboost", n_classes)
    return np.vstack([X, X[::-1] + 0.1]), np.append(y, y[::-1])


MODELS = {
    "logistic": LogisticRegression(),
    "xgboost": boosting(),
    "selective": SelectiveClassifier(LogisticRegression(), threshold=0.6),
    "another reject label": SelectiveClassifier(LogisticRegression(), threshold=0.6, reject_label=99),
    "selective in a pipeline": make_pipeline("passthrough", SelectiveClassifier(LogisticRegression(), threshold=0.6)),
    "search": GridSearchCV(LogisticRegression(), {"C": [0.5]}, cv=2),
}


class TestTheyAreThemselves:
    @pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_in_a_list_they_say_what_they_say_alone(self, n_classes, model, weighted):
        X, y = rows(n_classes)
        fitted = clone(MODELS[model]).fit(X[::2], y[::2])
        weight = {"sample_weight": np.arange(len(y)) % 3} if weighted else {}
        together = confidence_scoring(["cw_accuracy", *(BINARY if n_classes == 2 else MULTICLASS)])
        found = together(fitted, X, y, **weight)
        assert found.pop("cw_accuracy") == get_scorer("cw_accuracy")(fitted, X, y, **weight)
        for name, score in found.items():
            try:
                alone = sklearn.metrics.get_scorer(name)(fitted, X, y, **weight)
            except ValueError:  # f1, say, of three labels: one of them is that of a rejection
                alone = np.nan
            # Two roads to an area: from decision_function alone, and from predict_proba here.
            assert score == pytest.approx(alone, rel=1e-9, nan_ok=True), name
        assert np.isfinite(list(found.values())).mean() > 0.7

    def test_what_is_rejected_has_the_reject_label(self):
        X, y = rows(3)
        model = SelectiveClassifier(LogisticRegression(), threshold=0.6, reject_label=99).fit(X, y)
        seen = []

        def remember(y_true, y_pred):
            seen.append((y_true, y_pred))
            return 0.0

        confidence_scoring([make_scorer(remember)])(model, X, y)
        np.testing.assert_array_equal(seen[0][0], y)
        np.testing.assert_array_equal(seen[0][1], model.predict(X))
        assert 0 < np.mean(seen[0][1] == 99) < 1

    @pytest.mark.parametrize(
        "make",
        [
            lambda: FixedThresholdClassifier(LogisticRegression(), threshold=0.3, pos_label=0),
            lambda: FixedThresholdClassifier(LogisticRegression(), threshold="auto"),
            lambda: FixedThresholdClassifier(LogisticRegression(), threshold=0.3, response_method="predict_proba"),
            lambda: TunedThresholdClassifierCV(LogisticRegression(), scoring="recall", cv=2),
            lambda: GridSearchCV(
                make_pipeline("passthrough", FixedThresholdClassifier(LogisticRegression())),
                {"fixedthresholdclassifier__threshold": [0.8]},
                cv=2,
            ),
        ],
        ids=["of the first class", "auto", "of the second class", "tuned", "in a pipeline in a search"],
    )
    def test_a_classifier_with_a_decision_threshold_predicts_by_it(self, make):
        X, y = rows(2)
        model = make().fit(X, y)
        said = model.predict(X)
        proba = model.predict_proba(X)
        profile = ConfidenceProfile.from_estimator(model, X, y)
        np.testing.assert_array_equal(profile.classes[profile.predicted_class], said)
        np.testing.assert_array_equal(profile.confidence, proba[np.arange(len(y)), said])
        scores = confidence_scoring(["accuracy", "coverage", "roc_auc"])(model, X, y)
        assert scores["accuracy"] == accuracy_score(y, said)
        assert scores["coverage"] == np.mean(proba[np.arange(len(y)), said] >= 0.5)
        assert scores["roc_auc"] == roc_auc_score(y, proba[:, 1])

    def test_one_that_decides_by_another_response_is_refused(self):
        X, y = rows(2)
        model = FixedThresholdClassifier(LogisticRegression(), response_method="decision_function").fit(X, y)
        with pytest.raises(ValueError, match=r"FixedThresholdClassifier decides with decision_function.*predict_proba"):
            confidence_scoring(["accuracy"])(model, X, y)

    @pytest.mark.parametrize(
        "container",
        [
            list,
            pd.Series,
            pd.Categorical,
            lambda y: pd.Series(y, dtype="string"),
            lambda y: pytest.importorskip("polars").Series(y.tolist()),
        ],
        ids=["list", "Series", "Categorical", "string", "polars"],
    )
    def test_labels_come_in_any_container(self, container):
        fitted, X, y = simple("logistic", 3)
        found = confidence_scoring(["accuracy", "roc_auc_ovr", "f1_macro"])(fitted, X, container(y))
        for name, score in found.items():
            assert score == pytest.approx(sklearn.metrics.get_scorer(name)(fitted, X, y), rel=1e-12)


class TestOneCall:
    def test_they_share_it(self):
        X, y = task("logistic", 2)
        Counting.calls.clear()
        scoring = confidence_scoring(["cw_accuracy", "accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"])
        scores = cross_validate(Counting(), X, y == "yes", cv=3, scoring=scoring, return_train_score=True)
        assert Counting.calls == ["predict_proba"] * 6
        assert len([key for key in scores if key.startswith("test_")]) == 5

    def test_a_search_may_refit_by_one_of_them(self):
        X, y = rows(3)
        scoring = confidence_scoring(["cw_accuracy", "roc_auc_ovr"])
        given = {"estimator": LogisticRegression(), "param_grid": {"C": [1e-3, 1.0]}, "cv": 3}
        ours = GridSearchCV(**given, scoring=scoring, refit="roc_auc_ovr").fit(X, y)
        theirs = GridSearchCV(**given, scoring="roc_auc_ovr").fit(X, y)
        assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
        assert ours.best_params_ == theirs.best_params_


class TestWhatAListTakes:
    def test_our_names_are_none_of_theirs(self):
        assert not set(get_scorer_names()) & set(sklearn.metrics.get_scorer_names())

    def test_an_object_goes_by_the_name_of_its_function(self):
        fitted, X, y = simple("logistic", 2)
        beta = make_scorer(fbeta_score, beta=2, pos_label="no")
        loss = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
        area = sklearn.metrics.get_scorer("roc_auc")
        ecuas = get_scorer("neg_ecuas", n=2)
        scores = confidence_scoring([beta, loss, area, ecuas, "accuracy"])(fitted, X, y)
        assert list(scores) == ["fbeta_score", "neg_log_loss", "roc_auc_score", "neg_ecuas", "accuracy"]
        for score, scorer in zip(scores.values(), [beta, loss, area, ecuas], strict=False):
            assert score == pytest.approx(scorer(fitted, X, y), rel=1e-9)

    def test_a_mapping_chooses_the_keys(self):
        fitted, X, y = simple("logistic", 2)
        mapping = {"a": "accuracy", "b": make_scorer(accuracy_score), "c": "cwsa"}
        scores = confidence_scoring(mapping)(fitted, X, y)
        assert list(scores) == ["a", "b", "c"]
        assert scores["a"] == scores["b"] == accuracy_score(y, fitted.predict(X))

    @pytest.mark.parametrize(
        "twice", [["cwsa", "cwsa"], [get_scorer("neg_ece"), get_scorer("neg_ece", n_bins=3)], ["accuracy"] * 2]
    )
    def test_two_of_one_name_need_keys(self, twice):
        with pytest.raises(ValueError, match=r"Two scorers have the key '.*'\. Pass a mapping"):
            confidence_scoring(twice)
        assert len(confidence_scoring(dict(enumerate(twice))).scorers) == 2

    @pytest.mark.parametrize(
        "wrong",
        [LogisticRegression.score, accuracy_score, None, 3, confidence_scoring(["cwsa"]), ["cwsa"]],
        ids=["callable", "metric", "None", "number", "scorer of many", "list"],
    )
    def test_anything_else_is_refused(self, wrong):
        with pytest.raises(TypeError, match=r"is neither the name of a scorer nor one made by"):
            confidence_scoring(["cwsa", wrong])

    def test_a_misspelt_name_suggests_theirs_too(self):
        with pytest.raises(ValueError, match=r"no scorer 'balanced_acuracy'\. Did you mean .*'balanced_accuracy'"):
            confidence_scoring(["balanced_acuracy"])

    def test_get_scorer_tells_where_theirs_are(self):
        with pytest.raises(ValueError, match=r"no scorer 'roc_auc'\. It is a scorer of scikit-learn: use sklearn"):
            get_scorer("roc_auc")

    def test_what_needs_another_response_is_refused(self):
        hinge = make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False)
        with pytest.raises(
            ValueError, match=r"make_scorer.hinge_loss.* needs decision_function, but only predict_proba"
        ):
            confidence_scoring(["cwsa", hinge])


class TestUndefined:
    def test_one_that_fails_is_nan_with_one_warning_and_the_others_keep_their_values(self):
        fitted, X, y = simple("logistic", 3)
        kept = y != fitted.classes_[1]
        with pytest.raises(ValueError, match="labels"):
            sklearn.metrics.get_scorer("neg_log_loss")(fitted, X[kept], y[kept])
        with pytest.warns(UndefinedMetricWarning, match="^neg_log_loss is undefined here and is NaN") as caught:
            scores = confidence_scoring(["cw_accuracy", "neg_log_loss", "accuracy"])(fitted, X[kept], y[kept])
        assert len(caught) == 1
        assert np.isnan(scores["neg_log_loss"])
        assert scores["accuracy"] == accuracy_score(y[kept], fitted.predict(X[kept]))
        assert scores["cw_accuracy"] == get_scorer("cw_accuracy")(fitted, X[kept], y[kept])

    def test_a_fold_of_one_class_is_nan_with_one_warning(self):
        fitted, X, y = simple("logistic", 2)
        kept = y == "no"
        with pytest.warns(UndefinedMetricWarning, match="ROC AUC|roc_auc") as caught:
            scores = confidence_scoring(["roc_auc", "neg_ece"])(fitted, X[kept], y[kept])
        assert len(caught) == 1
        assert np.isnan(scores["roc_auc"])
        assert scores["neg_ece"] == get_scorer("neg_ece")(fitted, X[kept], y[kept])

    @pytest.mark.parametrize("error", [ZeroDivisionError, ValueError, KeyError, IndexError])
    def test_a_users_function_that_is_undefined_here_is_nan(self, error):
        def broken(y_true, y_pred):
            raise error("the reason")

        fitted, X, y = simple("logistic", 2)
        with pytest.warns(UndefinedMetricWarning, match="^broken is undefined here and is NaN: .*the reason"):
            scores = confidence_scoring([make_scorer(broken), "cwsa"])(fitted, X, y)
        assert np.isnan(scores["broken"])
        assert np.isfinite(scores["cwsa"])

    @pytest.mark.parametrize("error", [TypeError, NameError, AttributeError, RuntimeError])
    def test_a_mistake_in_a_users_function_is_not_hidden(self, error):
        def broken(y_true, y_pred):
            raise error("the reason")

        fitted, X, y = simple("logistic", 2)
        scoring = confidence_scoring([make_scorer(broken), "cwsa"])
        with pytest.raises(error) as raised:
            scoring(fitted, X, y)
        assert raised.value.__notes__ == ["broken raised this error."]
        with pytest.raises(error):
            cross_validate(fitted, X, y, cv=2, scoring=scoring, error_score="raise")
        with pytest.warns(UserWarning, match="Scoring failed"):
            assert np.isnan(cross_validate(fitted, X, y, cv=2, scoring=scoring)["test_score"]).all()

    def test_a_mistake_is_not_hidden_in_resamples_or_slices(self):
        def broken_in_parts(y_true, y_pred):
            if len(y_true) < 40 or len(np.unique(y_true[:3])) == 1:
                raise TypeError("the reason")
            return 0.5

        y = np.array([0, 1] * 20)
        profile = ConfidenceProfile.from_predictions(y, np.linspace(0.1, 0.9, 40), labels=[0, 1])
        for ask in (
            lambda: confidence_interval(make_scorer(broken_in_parts), profile, n_resamples=50, random_state=0),
            lambda: by_group(make_scorer(broken_in_parts), profile, groups=np.arange(40) % 2),
        ):
            with pytest.raises(TypeError, match="the reason"):
                ask()

    @pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
    def test_a_class_never_trained_on_has_probability_zero(self):
        X, y = np.zeros((6, 1)), np.array([0, 1, 1, 0, 1, 2])
        fitted = DummyClassifier(strategy="prior").fit(X, [0, 1, 1, 0, 1, 1])
        scores = confidence_scoring(["accuracy", "roc_auc_ovr", "neg_log_loss"])(fitted, X, y)
        assert scores["accuracy"] == 0.5
        assert scores["roc_auc_ovr"] == 0.5
        tiny = np.finfo(float).eps
        assert scores["neg_log_loss"] == pytest.approx((2 * np.log(1 / 3) + 3 * np.log(2 / 3) + np.log(tiny)) / 6)

    @pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
    def test_where_the_reject_label_is_a_true_class_nothing_can_be_said(self):
        X, y = np.zeros((4, 1)), np.array([0, 1, 1, -1])
        model = SelectiveClassifier(DummyClassifier(strategy="prior"), threshold=0.9).fit(X[:3], y[:3])
        assert model.reject_label_ == -1
        with pytest.warns(UndefinedMetricWarning, match="reject_label=-1"):
            scores = confidence_scoring(["accuracy", "coverage"])(model, X, y)
        assert np.isnan(scores["accuracy"])
        assert scores["coverage"] == 0


class TestWeightsAndRequests:
    def test_one_that_takes_no_weights_has_no_value_under_them(self):
        def unweighted(y_true, y_pred):
            return 1.0

        fitted, X, y = simple("logistic", 2)
        scoring = confidence_scoring([make_scorer(unweighted), "accuracy"])
        assert scoring(fitted, X, y)["unweighted"] == 1
        weight = np.arange(len(y))
        with pytest.warns(UndefinedMetricWarning, match="^unweighted is undefined here.*sample_weight"):
            scores = scoring(fitted, X, y, sample_weight=weight)
        assert np.isnan(scores["unweighted"])
        assert scores["accuracy"] == accuracy_score(y, fitted.predict(X), sample_weight=weight)

    def test_metadata_of_other_names_reaches_who_asks_for_it(self):
        def of_group(y_true, y_pred, group):
            return float(np.mean((y_true == y_pred)[group]))

        X, y = rows(2)
        group = np.arange(len(y)) % 3 == 0
        with sklearn.config_context(enable_metadata_routing=True):
            asks = make_scorer(of_group).set_score_request(group=True)
            scoring = confidence_scoring({"group": asks, "all": "accuracy", "cw": "cw_accuracy"})
            found = cross_validate(
                LogisticRegression(),
                X,
                y,
                cv=StratifiedKFold(3),
                scoring=scoring,
                params={"group": group},
                return_estimator=True,
                return_indices=True,
            )
        for fold, (model, i) in enumerate(zip(found["estimator"], found["indices"]["test"], strict=True)):
            right = model.predict(X[i]) == y[i]
            assert found["test_group"][fold] == right[group[i]].mean()
            assert found["test_all"][fold] == right.mean()

    def test_a_request_of_the_list_adds_to_those_of_its_scorers(self):
        def of_group(y_true, y_pred, group, sample_weight=None):
            return float(np.average((y_true == y_pred)[group], weights=sample_weight[group]))

        fitted, X, y = simple("logistic", 2)
        given = {"group": np.arange(len(y)) % 2 == 0, "weight": np.arange(len(y))}
        with sklearn.config_context(enable_metadata_routing=True):
            scoring = confidence_scoring([make_scorer(of_group).set_score_request(group=True), "accuracy"])
            scoring.set_score_request(sample_weight="weight")
            requests = scoring.get_metadata_routing().score.requests
            assert {name for name, wanted in requests.items() if wanted} == {"group", "weight"}
            scores = scoring(fitted, X, y, **given)
        right = fitted.predict(X) == y
        assert scores["accuracy"] == pytest.approx(np.average(right, weights=given["weight"]))
        assert scores["of_group"] == np.average(right[::2], weights=given["weight"][::2])

    def test_without_routing_it_is_refused(self):
        fitted, X, y = simple("logistic", 2)
        with pytest.raises(ValueError, match="enable_metadata_routing=True"):
            confidence_scoring(["accuracy"])(fitted, X, y, group=np.ones(len(y)))

    def test_the_scorers_given_are_left_as_they_were(self):
        given = make_scorer(accuracy_score), get_scorer("cwsa")
        with sklearn.config_context(enable_metadata_routing=True):
            confidence_scoring(given).set_score_request(sample_weight=True)
            for scorer in given:
                assert scorer.get_metadata_routing().score.requests.get("sample_weight") is None


class TestObjects:
    def test_the_repr_is_the_call_that_makes_it(self):
        area = make_scorer(average_precision_score, response_method="predict_proba")
        text = "make_scorer(average_precision_score, response_method='predict_proba')"
        assert repr(confidence_scoring(["cwsa", "accuracy"])) == "confidence_scoring(['cwsa', 'accuracy'])"
        assert repr(confidence_scoring(["cwsa", area])) == f"confidence_scoring(['cwsa', {text}])"
        assert repr(confidence_scoring({"a": area, "b": "f1"})) == f"confidence_scoring({{'a': {text}, 'b': 'f1'}})"

    def test_they_are_equal_by_function_and_parameters(self):
        one = confidence_scoring(["accuracy", make_scorer(fbeta_score, beta=2)])
        assert one == confidence_scoring(["accuracy", make_scorer(fbeta_score, beta=2)])
        assert one == pickle.loads(pickle.dumps(one))
        assert hash(one) == hash(pickle.loads(pickle.dumps(one)))
        assert one != confidence_scoring(["accuracy", make_scorer(fbeta_score, beta=3)])
        assert confidence_scoring({"a": "accuracy"}) != confidence_scoring({"a": "cwsa"})
        assert confidence_scoring({"a": "accuracy"}) == confidence_scoring({"a": make_scorer(accuracy_score)})

    def test_a_search_with_them_can_be_cloned(self):
        scoring = confidence_scoring(["cw_accuracy", "roc_auc"])
        search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scoring, refit="roc_auc")
        assert clone(search).scoring == scoring
        assert "confidence_scoring(['cw_accuracy', 'roc_auc'])" in repr(clone(search))
