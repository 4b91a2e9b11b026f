"""Scorers are the metric functions where scikit-learn takes ``scoring=``: names, parameters, values and copies."""

import copy
import inspect
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from _support.scoring_cases import (
    BINARY_ONLY,
    DERIVED,
    LOW_IS_BEST,
    MODELS,
    MULTICLASS,
    NAMES,
    RULED,
    by_hand,
    cross_validated,
    folds,
    meaning,
    one_and_many,
    one_thread,  # noqa: F401
    quiet,
    said,
    scored_by_hand,
    simple,
)
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import skconf
from skconf import ConfidenceProfile, SelectiveClassifier, confidence_scoring, get_scorer, metrics


class TestNames:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_name_follows_scikit_learns_rule(self, name):
        assert name in RULED, "no function has this name; if that is meant, add it to SHORT"
        function, _, score = meaning(name)
        metric, lower = function.__name__, score(1.0) < 0
        if metric.endswith("_score"):
            assert not lower
        elif metric.endswith(("_loss", "_error")):
            assert lower
        elif name not in DERIVED:
            assert lower == LOW_IS_BEST[metric]

    def test_those_the_design_promises_are_there_sorted_and_once(self):
        promised = (
            "cw_accuracy cwsa cwsa_plus cf1 cf1_macro cf1_micro cf1_weighted coverage selective_accuracy neg_ece "
        )
        promised += (
            "neg_overconfidence_risk neg_csr_deviation neg_csr_excess neg_ecuas neg_ecuas_0 neg_ecuas_1 neg_aurc"
        )
        assert set(promised.split()) <= set(NAMES)
        assert sorted(set(NAMES)) == NAMES
        assert all(isinstance(get_scorer(name).name, str) for name in NAMES)

    @pytest.mark.parametrize(
        ("wrong", "meant"), [("cw_acuracy", "cw_accuracy"), ("ECE", "neg_ece"), ("neg_ecuas_2", "neg_ecuas_1")]
    )
    @one_and_many
    def test_an_unknown_name_suggests_close_matches_and_where_all_are_listed(self, make, wrong, meant):
        with pytest.raises(ValueError, match=rf"no scorer '{wrong}'\. Did you mean .*'{meant}'.*get_scorer_names\(\)"):
            make(wrong)

    @pytest.mark.parametrize("function", metrics.__all__)
    def test_the_name_of_a_function_suggests_its_scorers(self, function):
        scorers = [name for name in NAMES if meaning(name)[0].__name__ == function]
        if scorers and function not in NAMES:
            with pytest.raises(ValueError, match="Did you mean") as said:
                get_scorer(function)
            named = re.findall(r"'(\w+)'", str(said.value).partition("Did you mean")[2])
            assert set(named) <= set(scorers)

    @pytest.mark.parametrize(
        ("wrong", "meant"),
        [
            ("neg_csr", "'neg_csr_deviation' or 'neg_csr_excess'"),
            ("csr", "'neg_csr_deviation' or 'neg_csr_excess'"),
            ("NEG_Brier", "'neg_confidence_brier'"),
            ("expected_calibration_error", "'neg_ece'"),
            ("calibrated_size_ratio", "'neg_csr_deviation' or 'neg_csr_excess'"),
        ],
    )
    def test_an_abbreviation_suggests_the_scorers_of_its_metric(self, wrong, meant):
        with pytest.raises(ValueError, match=rf"no scorer '{wrong}'\. Did you mean {meant}\?"):
            get_scorer(wrong)

    def test_a_name_like_no_other_suggests_nothing(self):
        with pytest.raises(ValueError, match=r"no scorer 'xyzzy'\. skconf.get_scorer_names\(\) lists all scorers"):
            get_scorer("xyzzy")

    @pytest.mark.parametrize(
        "wrong", [metrics.cw_accuracy_score, None, 3, make_scorer(accuracy_score), ["cw_accuracy"]]
    )
    def test_what_is_no_name_is_refused_as_such(self, wrong):
        with pytest.raises((TypeError, ValueError), match="scorer"):
            get_scorer(wrong)

    def test_every_number_that_is_better_high_or_low_has_a_scorer(self):
        scored = {meaning(name)[0].__name__ for name in NAMES}
        unscored = {name: metrics.get_metric(name).info for name in set(GIVE_A_NUMBER) - scored}
        assert not [name for name, info in unscored.items() if info.greater_is_better is not None]
        assert "calibrated_size_ratio_std" in unscored

    def test_one_name_is_no_list_of_names(self):
        with pytest.raises(
            TypeError, match=r"names must be a list of scorer names, not the string 'cwsa'\. Use get_scorer"
        ):
            confidence_scoring("cwsa")
        with pytest.raises(ValueError, match=r"names is empty\. Pass at least one"):
            confidence_scoring([])


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "wrong", "message"),
        [
            ("neg_ece", {"bins": 3}, "no parameter 'bins'. Did you mean 'n_bins'.* parameters are: .*n_bins"),
            ("cwsa", {"tau": 0.5}, "no parameter 'tau'.* parameters are: .*threshold.*normalize"),
            ("cw_accuracy", {"n_bins": 3}, "cw_accuracy_score.* no parameter 'n_bins'.* parameters are: none"),
            ("coverage", {"sample_weight": [1]}, "no parameter 'sample_weight'.* parameters are: .*threshold"),
        ],
    )
    def test_an_unknown_one_names_those_there_are(self, name, wrong, message):
        with pytest.raises(TypeError, match=message):
            get_scorer(name, **wrong)

    @pytest.mark.parametrize(
        ("name", "wrong", "message"),
        [
            ("neg_ece", {"n_bins": 0}, "n_bins must be at least 1, but is 0"),
            ("neg_ece", {"n_bins": 2.5}, "n_bins must be a whole number, but is 2.5"),
            ("coverage", {"threshold": 2}, r"threshold must lie in \[0, 1\], but is 2"),
            ("coverage", {"threshold": "high"}, "threshold must be a number"),
            ("cwsa", {"threshold": 1.1}, r"threshold must lie in \[0, 1\], but is 1.1"),
            ("cwsa", {"normalize": True}, "normalize must be one of 'accepted', 'all', but is True"),
            ("neg_ecuas", {"n": -1}, r"n must lie in \[0, inf\), but is -1"),
            ("cf1_macro", {"average": "mean"}, "average must be one of .*'macro'.*, but is 'mean'"),
            ("cf1", {"average": None}, "average"),  # a score is one number
        ],
    )
    def test_a_wrong_value_is_refused_when_the_scorer_is_made(self, name, wrong, message):
        with pytest.raises((TypeError, ValueError), match=message):
            get_scorer(name, **wrong)

    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("neg_ece", {"n_bins": 3}),
            ("neg_ecuas", {"n": 2.5}),
            ("neg_ecuas", {"n": 1, "normalize": True}),
            ("cwsa", {"threshold": 0.7}),
            ("cwsa_plus", {"threshold": 0.7, "normalize": "all"}),
            ("coverage", {"threshold": 0.8}),
            ("neg_csr_deviation", {"eps": 0.4}),
        ],
    )
    def test_they_are_those_of_the_metric(self, name, params):
        model, X, y = folds("logistic", 3)[0]
        proba = model.predict_proba(X)
        scored = get_scorer(name, **params)(model, X, y)
        assert scored == by_hand(name, y, proba, model.classes_, **params)
        assert scored != by_hand(name, y, proba, model.classes_)  # they do something
        assert confidence_scoring({"key": get_scorer(name, **params)})(model, X, y) == {"key": scored}

    def test_a_name_without_an_average_takes_one(self):
        model, X, y = folds("logistic", 3)[0]
        assert get_scorer("cf1", average="macro")(model, X, y) == get_scorer("cf1_macro")(model, X, y)

    @pytest.mark.parametrize(
        ("name", "params", "instead"),
        [
            ("neg_ecuas_0", {"n": 1}, r"'neg_ecuas_0' means n=0, which n=1 contradicts.*get_scorer\('neg_ecuas', n=1"),
            ("neg_ecuas_1", {"n": 0.5}, r"means n=1, which n=0.5 contradicts"),
            ("cf1_macro", {"average": "micro"}, r"means average='macro'.*get_scorer\('cf1', average='micro'\)"),
            ("cw_roc_auc_weighted", {"average": "macro"}, r"get_scorer\('cw_roc_auc', average='macro'\)"),
        ],
    )
    def test_one_that_contradicts_the_name_is_refused(self, name, params, instead):
        with pytest.raises(ValueError, match=instead):
            get_scorer(name, **params)

    def test_one_that_repeats_the_name_is_not(self):
        model, X, y = folds("logistic", 3)[0]
        for name, params in (("neg_ecuas_0", {"n": 0}), ("cf1_macro", {"average": "macro"})):
            assert get_scorer(name, **params)(model, X, y) == get_scorer(name)(model, X, y)

    @pytest.mark.parametrize("name", BINARY_ONLY)
    @pytest.mark.parametrize("positive", ["no", "yes"])
    def test_the_positive_class_may_be_one_that_sorts_first(self, name, positive):
        model, X, y = folds("logistic", 2)[0]
        assert model.classes_.tolist() == ["no", "yes"]
        scorer = get_scorer(name, pos_label=positive)
        expected = by_hand(name, y, model.predict_proba(X), model.classes_, pos_label=positive)
        assert scorer(model, X, y) == expected
        assert confidence_scoring([scorer, "cwsa"])(model, X, y)[name] == expected
        (single,) = model.predict_proba(X)[:, model.classes_ == positive].T
        assert by_hand(name, y, single, ["yes", "no"], pos_label=positive) == pytest.approx(expected, rel=1e-12)

    def test_of_three_classes_one_may_be_positive(self):
        model, X, y = folds("logistic", 3)[0]
        each = metrics.cf1_score(y, model.predict_proba(X), labels=model.classes_, average=None)
        for label, value in zip(model.classes_, each, strict=True):
            assert get_scorer("cf1", pos_label=label)(model, X, y) == pytest.approx(value, rel=1e-12)

    def test_a_positive_class_that_is_none_is_an_error_alone_and_nan_among_many(self):
        model, X, y = folds("logistic", 2)[0]
        scorer = get_scorer("cf1", pos_label="maybe")
        with pytest.raises(ValueError, match="pos_label='maybe'"):
            scorer(model, X, y)
        with pytest.warns(UndefinedMetricWarning, match="^cf1 is undefined here and is NaN: pos_label='maybe'"):
            assert np.isnan(confidence_scoring([scorer])(model, X, y)["cf1"])

    def test_a_profile_from_one_column_keeps_its_columns_under_another_positive_class(self):
        y, sure = np.array(["no", "yes", "yes"]), np.array([0.25, 0.75, 0.5])
        profile = ConfidenceProfile.from_predictions(y, sure, pos_label="yes")
        assert get_scorer("cf1", pos_label="no").of_profile(profile) == metrics.cf1_score(y, 1 - sure, pos_label="no")


def test_the_models_of_these_tests_are_what_they_are_meant_to_be():
    for n_classes in (2, 3):
        found = folds("selective", n_classes)
        for model, X, _ in found:
            assert 0 < model.accept(X).mean() < 1
        changed = [said(m, X)[1]["y_pred"] != m.classes_[m.predict_proba(X).argmax(axis=1)] for m, X, _ in found]
        assert np.any(changed)
        assert folds("xgboost", n_classes)[0][0].predict_proba(X).dtype == np.float32


def test_few_names_are_for_two_classes_alone():
    assert "cf1" in BINARY_ONLY
    assert {"cf1_macro", "cw_accuracy", "neg_aurc", "neg_ecuas", "cwsa"} <= set(MULTICLASS)


def refuses(function, *args, **given):
    try:
        function(*args, **given)
    except ValueError:
        return True
    return False


#: Curves, matrices and tests are no scores.
GIVE_A_NUMBER = [
    name
    for name in sorted(set(metrics.__all__) - {"get_metric", "confidence_weighted"})
    if isinstance(getattr(metrics, name)([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]), float)
]


class TestValues:
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("name", RULED)
    def test_in_cross_validation_a_name_is_its_function_called_by_hand_on_every_fold(self, name, model, n_classes):
        expected = [scores[name] for scores in scored_by_hand(model, n_classes)]
        np.testing.assert_array_equal(cross_validated(model, n_classes)[f"test_{name}"], expected)
        assert np.isfinite(expected).all() == (n_classes == 2 or name in MULTICLASS)

    @pytest.mark.parametrize("name", RULED)
    def test_alone_it_is_the_same(self, name):
        fitted, X, y = simple("logistic", 2)
        scored = get_scorer(name)(fitted, X, y)
        assert scored == by_hand(name, y, fitted.predict_proba(X), fitted.classes_)
        assert type(scored) is float

    @pytest.mark.parametrize("name", BINARY_ONLY)
    def test_alone_it_is_an_error_where_the_function_is_one(self, name):
        fitted, X, y = simple("logistic", 3)
        with pytest.raises(ValueError, match=r"\S") as expected:
            by_hand(name, y, fitted.predict_proba(X), fitted.classes_)
        with pytest.raises(ValueError, match=r"\S") as error:
            get_scorer(name)(fitted, X, y)
        assert str(error.value) == str(expected.value)

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_some_of_them_agree_with_their_formulas(self, model, n_classes):
        fitted, X, y = folds(model, n_classes)[0]
        proba = fitted.predict_proba(X).astype(float)
        base = fitted.estimator_.predict_proba(X) if model == "selective" else proba
        threshold = 0.6 if model == "selective" else 0.5
        predicted = base.argmax(axis=1)
        c, z = proba[np.arange(len(y)), predicted], fitted.classes_[predicted] == y
        on, clear = c >= threshold, np.maximum(c - threshold, 0) / (1 - threshold)
        soft = [
            2 * proba[y == label, k].sum() / (proba[:, k].sum() + (y == label).sum())
            for k, label in enumerate(fitted.classes_)
        ]
        csr, u, largest = (~z / (1 - c)).mean(), 1 - c, 1 - 1 / n_classes
        expected = {
            "cw_accuracy": (c * z).sum() / c.sum(),
            "coverage": on.mean(),
            "selective_accuracy": z[on].mean(),
            "cwsa": (clear * (2 * z - 1)).sum() / on.sum(),
            "cwsa_plus": (clear * z).sum() / on.sum(),
            "neg_csr_deviation": -abs(csr - 1),
            "neg_csr_excess": min(1 - csr, 0),
            "cf1_macro": np.mean(soft),
            "cf1_micro": np.mean([proba[i, list(fitted.classes_).index(label)] for i, label in enumerate(y)]),
            "neg_ecuas_1": -np.mean(
                np.where(u > largest, 1, (u / largest) ** 2 + 2 * (1 - u / largest) * ~z / largest)
            ),
        }
        if n_classes == 2:
            expected["cf1"] = soft[1]
        with quiet():
            assert confidence_scoring(list(expected))(fitted, X, y) == pytest.approx(expected, rel=1e-6)

    # The function is not told what was answered, and rejects by the uncertainty of the probabilities.
    @pytest.mark.parametrize("name", [name for name in RULED if name != "neg_reject_cost"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_make_scorer_makes_the_same_of_the_plain_function(self, name, n_classes):
        function, params, score = meaning(name)
        if n_classes > 2 and "average" in inspect.signature(function).parameters and "average" not in params:
            params = {"average": "macro"}
        theirs, ours = make_scorer(function, response_method="predict_proba", **params), get_scorer(name, **params)
        fitted, X, y = simple("logistic", n_classes)
        assert score(theirs(fitted, X, y)) == pytest.approx(ours(fitted, X, y), rel=1e-6)
        weight = {"sample_weight": np.arange(len(y)) % 3}
        if refuses(ours, fitted, X, y, **weight):
            assert refuses(theirs, fitted, X, y, **weight)
        else:
            assert score(theirs(fitted, X, y, **weight)) == pytest.approx(ours(fitted, X, y, **weight), rel=1e-6)

    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("function", GIVE_A_NUMBER)
    def test_make_scorer_takes_every_plain_function(self, function, n_classes):
        function = getattr(metrics, function)
        params = {"average": "macro"} if "average" in inspect.signature(function).parameters and n_classes > 2 else {}
        fitted, X, y = simple("logistic", n_classes)
        proba = fitted.predict_proba(X)
        expected = function(ConfidenceProfile.from_predictions(y, proba, labels=fitted.classes_), **params)
        scorer = make_scorer(function, response_method="predict_proba", **params)
        assert scorer(fitted, X, y) == pytest.approx(expected, rel=1e-12)


class TestKeys:
    def test_the_result_has_the_names_as_given_in_their_order(self):
        names = ["neg_ece", "cw_accuracy", "neg_aurc"]
        fitted, X, y = folds("logistic", 2)[0]
        for given in (names, tuple(names), iter(names), dict.fromkeys(names).keys(), pd.Index(names)):
            assert list(confidence_scoring(given)(fitted, X, y)) == names

    def test_a_mapping_chooses_the_keys(self):
        fitted, X, y = folds("logistic", 2)[0]
        scoring = confidence_scoring({"a": "neg_ecuas_1", "b": get_scorer("neg_ecuas", n=1), "c": "cwsa"})
        scores = scoring(fitted, X, y)
        assert list(scores) == ["a", "b", "c"]
        assert scores["a"] == scores["b"] == get_scorer("neg_ecuas_1")(fitted, X, y)
        assert all(type(value) is float for value in scores.values())

    def test_a_profile_that_was_checked_already_can_be_scored(self):
        fitted, X, y = folds("logistic", 2)[0]
        profile = ConfidenceProfile.from_estimator(fitted, X, y)
        assert get_scorer("neg_ece").of_profile(profile) == get_scorer("neg_ece")(fitted, X, y)
        both = confidence_scoring(["neg_ece", "cwsa"])
        assert both.of_profile(profile) == both(fitted, X, y)


# --- scorers as objects -------------------------------------------------------------------------------------------

TWINS = {
    "pickle": lambda scorer: pickle.loads(pickle.dumps(scorer)),
    "clone": lambda scorer: clone(scorer, safe=False),
    "deepcopy": copy.deepcopy,
    "clone of a search": lambda scorer: clone(GridSearchCV(LogisticRegression(), {}, scoring=scorer)).scoring,
}


class TestObjects:
    @pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
    @pytest.mark.parametrize("name", RULED)
    def test_copies_score_the_same(self, twin, name):
        fitted, X, y = simple("logistic", 2)
        scorer = get_scorer(name)
        assert twin(scorer) is not scorer
        assert twin(scorer) == scorer
        assert twin(scorer)(fitted, X, y) == scorer(fitted, X, y)

    @pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
    def test_copies_keep_parameters(self, twin):
        fitted, X, y = folds("logistic", 2)[0]
        one = get_scorer("neg_ece", n_bins=4)
        many = confidence_scoring({"a": one, "b": "cwsa"})
        assert twin(one).params == {"n_bins": 4}
        assert twin(one)(fitted, X, y) == one(fitted, X, y)
        assert twin(many)(fitted, X, y) == many(fitted, X, y)
        assert list(twin(many).scorers) == ["a", "b"]

    @pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
    @one_and_many
    @pytest.mark.parametrize("value", [True, False, "alias", None])
    def test_copies_keep_requests_and_are_apart(self, twin, make, value):
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = make("cw_accuracy").set_score_request(sample_weight=value)
            requested = scorer.get_metadata_routing().score.requests
            other = twin(scorer)
            assert other.get_metadata_routing().score.requests == requested
            other.set_score_request(sample_weight="another")
            assert other.get_metadata_routing().score.requests != requested
        assert scorer.get_metadata_routing().score.requests == requested

    @pytest.mark.parametrize(
        ("scorer", "text"),
        [
            (get_scorer("cwsa"), "get_scorer('cwsa')"),
            (get_scorer("cwsa", threshold=0.5, normalize="all"), "get_scorer('cwsa', threshold=0.5, normalize='all')"),
            (confidence_scoring(["cwsa", "neg_ece"]), "confidence_scoring(['cwsa', 'neg_ece'])"),
            (
                confidence_scoring({"a": "cwsa", "b": get_scorer("neg_ece", n_bins=3)}),
                "confidence_scoring({'a': 'cwsa', 'b': get_scorer('neg_ece', n_bins=3)})",
            ),
            (
                confidence_scoring({"neg_ece": get_scorer("neg_ece", n_bins=3)}),
                "confidence_scoring([get_scorer('neg_ece', n_bins=3)])",
            ),
        ],
    )
    def test_the_repr_is_the_call_that_makes_it(self, scorer, text):
        assert repr(scorer) == text
        fitted, X, y = folds("logistic", 2)[0]
        assert eval(text, vars(skconf))(fitted, X, y) == scorer(fitted, X, y)

    def test_scorers_are_equal_by_name_and_parameters(self):
        same = [get_scorer("neg_ece", n_bins=3), get_scorer("neg_ece", n_bins=3)]
        assert same[0] == same[1]
        assert len(set(same)) == 1
        others = [get_scorer("neg_ece"), get_scorer("neg_ece", n_bins=4), get_scorer("cwsa"), "neg_ece", None]
        assert all(same[0] != other for other in others)

    @pytest.mark.parametrize("name", RULED)
    def test_zero_has_no_sign(self, name):
        y = np.array([0, 1] * 10)
        with quiet():
            score = get_scorer(name).of_profile(ConfidenceProfile.from_predictions(y, y.astype(float)))
        assert score != 0 or str(score) == "0.0"

    def test_nan_as_a_parameter_is_the_same_parameter(self):
        assert get_scorer("cf1_macro", zero_division=np.nan) == get_scorer("cf1_macro", zero_division=np.nan)
        assert get_scorer("cf1_macro", zero_division=np.nan) != get_scorer("cf1_macro", zero_division=0)

    def test_the_order_of_parameters_does_not_tell_scorers_apart(self):
        scorer = get_scorer("cwsa", threshold=0.7, normalize="all")
        assert scorer == get_scorer("cwsa", normalize="all", threshold=0.7)
        assert hash(scorer) == hash(get_scorer("cwsa", normalize="all", threshold=0.7))

    def test_large_matrices_as_parameters_tell_scorers_apart(self):
        one, other = 1 - np.eye(40), 1 - np.eye(40)
        other[20, 21] = 0.5
        assert get_scorer("neg_ecuas", cost_matrix=one) == get_scorer("neg_ecuas", cost_matrix=one.copy())
        assert get_scorer("neg_ecuas", cost_matrix=one) != get_scorer("neg_ecuas", cost_matrix=other)

    def test_scorers_of_many_are_equal_by_their_scorers(self):
        names = ["neg_ece", "cwsa"]
        assert confidence_scoring(names) == confidence_scoring(names)
        assert confidence_scoring(names) != confidence_scoring(["neg_ece"])
        assert confidence_scoring(names) != confidence_scoring(
            {"neg_ece": "neg_ece", "cwsa": get_scorer("cwsa", threshold=0.7)}
        )

    def test_a_change_of_given_parameters_does_not_reach_the_scorer(self):
        given = {"a": get_scorer("neg_ece")}
        scoring = confidence_scoring(given)
        given["b"] = get_scorer("cwsa")
        assert list(scoring.scorers) == ["a"]


class TestCostsOfTheClassifier:
    MATRIX = ((0.0, 1.0), (5.0, 0.0))

    def fitted(self, **params):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 2))
        y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
        return SelectiveClassifier(LogisticRegression(), **params).fit(X, y), X, y

    def test_a_scorer_that_was_not_given_them_says_so_and_the_call_it_names_is_the_mean_cost(self):
        model, X, y = self.fitted(cost_matrix=self.MATRIX, reject_cost=0.3)
        with pytest.warns(UserWarning, match="every error costs 1 and a rejection costs 0.1") as said:
            blind = get_scorer("neg_reject_cost")(model, X, y)
        assert "cost_matrix and reject_cost=0.3" in str(said[0].message)
        assert "get_scorer('neg_reject_cost', cost_matrix=..., reject_cost=0.3)" in str(said[0].message)
        with pytest.warns(UserWarning, match=re.escape(str(said[0].message))):
            assert -blind == metrics.reject_cost_loss(ConfidenceProfile.from_estimator(model, X, y))
        answers = model.predict(X)
        errors = (answers != y) & (answers != model.reject_label_)
        costs = np.where(answers == model.reject_label_, 0.3, np.where(errors, np.where(y == 1, 5.0, 1.0), 0.0))
        score = get_scorer("neg_reject_cost", cost_matrix=self.MATRIX, reject_cost=0.3)(model, X, y)
        assert score == pytest.approx(-costs.mean())
        assert blind != pytest.approx(score, rel=0.1)

    @pytest.mark.parametrize(
        ("scorer", "missing"),
        [
            (get_scorer("neg_ecuas"), "own cost_matrix, which ecuas_loss does"),
            (get_scorer("neg_ecuas", n=1), r"get_scorer\('neg_ecuas', n=1, cost_matrix=\.\.\.\)"),
            (get_scorer("neg_reject_cost", reject_cost=0.2), "In reject_cost_loss, every error costs 1. Pass"),
            (
                get_scorer("neg_reject_cost", cost_matrix=pd.DataFrame(MATRIX)),
                r"own reject_cost=0.3, which.*get_scorer\('neg_reject_cost', cost_matrix=\.\.\., reject_cost=0\.3\)",
            ),
            (confidence_scoring(["neg_ece", "neg_ecuas"]), "which ecuas_loss does not know"),
        ],
    )
    def test_the_warning_names_only_what_is_missing(self, scorer, missing):
        model, X, y = self.fitted(cost_matrix=self.MATRIX, reject_cost=0.3)
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            scorer(make_pipeline("passthrough", model).fit(X, y), X, y)
        assert [bool(re.search(missing, str(each.message))) for each in issued if "own" in str(each.message)] == [True]

    def test_costs_of_each_sample_are_missing_too(self):
        def costs(X):
            return np.tile(np.array(self.MATRIX), (len(X), 1, 1))

        model, X, y = self.fitted(cost_matrix=costs)
        scorer = get_scorer("neg_reject_cost")
        with pytest.warns(UserWarning, match="own cost_matrix, which reject_cost_loss does not know"):
            scorer(model, X, y)
        scorer(model, X, y, costs=costs(X))

    @pytest.mark.parametrize(
        ("params", "scorer"),
        [
            ({"cost_matrix": [[0, 1], [1, 0]]}, get_scorer("neg_ecuas")),
            ({"reject_cost": 0.1}, get_scorer("neg_reject_cost")),
            ({"cost_matrix": MATRIX}, get_scorer("neg_ece")),
            # A search over the costs of its candidates is scored by the costs that are paid.
            ({"reject_cost": 0.3}, get_scorer("neg_reject_cost", reject_cost=0.1)),
            ({"cost_matrix": MATRIX}, get_scorer("neg_reject_cost", cost_matrix=[[0, 2], [9, 0]])),
        ],
    )
    def test_nothing_is_said_if_they_agree_or_the_scorer_was_given_costs(self, params, scorer):
        model, X, y = self.fitted(**params)
        scorer(model, X, y)
