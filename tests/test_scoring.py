"""Scorers are the metric functions where scikit-learn takes ``scoring=``: same values, one call of predict_proba."""

import contextlib
import copy
import functools
import inspect
import pickle
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

import skconf
from skconf import ConfidenceProfile, SelectiveClassifier, confidence_scoring, get_scorer, get_scorer_names, metrics

NAMES = get_scorer_names()
AVERAGES = ("macro", "micro", "weighted")


def many(name):
    return confidence_scoring([name])


one_and_many = pytest.mark.parametrize("make", [get_scorer, many])


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Keep linear algebra of such size off other cores: it only waits for them."""
    with threadpool_limits(1):
        yield


# --- what a name stands for, by scikit-learn's rule and not by the registry ----------------------------------------

#: Stems that are not the function's name without its ending, with the metric's parameters.
SHORT = {
    "ece": ("expected_calibration_error", {}),
    "mce": ("maximum_calibration_error", {}),
    "ecce": ("cumulative_calibration_error", {}),
    "smooth_ece": ("smooth_calibration_error", {}),
    "ecuas_0": ("ecuas_loss", {"n": 0}),
    "ecuas_1": ("ecuas_loss", {"n": 1}),
}
#: Scores made of a metric that is best at 1 or 0.
DERIVED = {
    "neg_csr_deviation": ("calibrated_size_ratio", lambda ratio: -abs(ratio - 1)),
    "neg_csr_excess": ("calibrated_size_ratio", lambda ratio: -max(ratio - 1, 0.0)),
    "neg_ecd_deviation": ("entropic_calibration_difference", lambda difference: -abs(difference)),
}
#: Metrics whose name does not tell the direction.
LOW_IS_BEST = {
    "overconfidence_risk": True,
    "confidence_gain": False,
    "metric_coverage_auc": False,
    "cw_matthews_corrcoef": False,
}
#: Metrics that a test sample of one class leaves undefined: they compare classes.
COMPARES_CLASSES = {"cw_roc_auc", "cw_roc_auc_weighted"}


def meaning(name):
    """Return the function, its parameters and what makes its value a score, as the naming rule has it."""
    if name in DERIVED:
        return getattr(metrics, DERIVED[name][0]), {}, DERIVED[name][1]
    stem, sign = (name[4:], -1) if name.startswith("neg_") else (name, 1)
    function, params = SHORT.get(stem, (stem, {}))
    base, _, average = stem.rpartition("_")
    for candidate, given in ((function, params), (base, {"average": average})):
        for ending in ("", "_score", "_loss", "_error"):
            found = getattr(metrics, candidate + ending, None)
            if found is not None and given.get("average", "macro") in AVERAGES:
                return found, given, lambda value: sign * value
    return None


#: Those that the other tests can call by hand: all of them, if the first test passes.
RULED = [name for name in NAMES if meaning(name)]


def needs_a_positive_class(name):
    function, params, _ = meaning(name)
    average = inspect.signature(function).parameters.get("average")
    return average is not None and average.default == "binary" and "average" not in params


BINARY_ONLY = [name for name in RULED if needs_a_positive_class(name)]
MULTICLASS = [name for name in RULED if name not in BINARY_ONLY]


def by_hand(name, y, proba, classes, **given):
    """Score by the plain function; arguments it does not have are left out."""
    function, params, score = meaning(name)
    own = inspect.signature(function).parameters
    given = {key: value for key, value in given.items() if key in own}
    return score(function(y, proba, labels=classes, **params, **given))


def all_by_hand(names, *predictions, **given):
    """Score by the plain functions: NaN where one of them refuses."""

    def score(name):
        try:
            return by_hand(name, *predictions, **given)
        except ValueError:
            return np.nan

    return {name: score(name) for name in names}


@contextlib.contextmanager
def quiet():
    """Let metrics be undefined, and kept predictions be less certain than a guess."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "Some answers are less certain", UserWarning)
        yield


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
        ("wrong", "meant"), [("cw_acuracy", "cw_accuracy"), ("ece", "neg_ece"), ("neg_ecuas_2", "neg_ecuas_1")]
    )
    @one_and_many
    def test_an_unknown_name_suggests_close_matches_and_where_all_are_listed(self, make, wrong, meant):
        with pytest.raises(ValueError, match=rf"no scorer '{wrong}'\. Did you mean .*'{meant}'.*get_scorer_names\(\)"):
            make(wrong)

    def test_a_name_like_no_other_suggests_nothing(self):
        with pytest.raises(ValueError, match=r"no scorer 'xyzzy'\. skconf.get_scorer_names\(\) lists them all"):
            get_scorer("xyzzy")

    @pytest.mark.parametrize(
        "wrong", [metrics.cw_accuracy_score, None, 3, make_scorer(accuracy_score), ["cw_accuracy"]]
    )
    def test_what_is_no_name_is_refused_as_such(self, wrong):
        with pytest.raises((TypeError, ValueError), match="scorer"):
            get_scorer(wrong)

    def test_one_name_is_no_list_of_names(self):
        with pytest.raises(
            TypeError, match="names must be a list of scorer names, not the string 'cwsa'; use get_scorer"
        ):
            confidence_scoring("cwsa")
        with pytest.raises(ValueError, match="names is empty; give at least one"):
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
            ("coverage", {"threshold": None}, "threshold must be a number"),
            ("cwsa", {"threshold": 1.0}, r"threshold must lie in \[0, 1\), but is 1.0"),
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

    def test_they_may_overrule_those_of_the_name(self):
        model, X, y = folds("logistic", 3)[0]
        assert get_scorer("cf1", average="macro")(model, X, y) == get_scorer("cf1_macro")(model, X, y)


# --- models and data ----------------------------------------------------------------------------------------------

# Not in the order of their numbers, which the first digits of the features follow.
LABELS = {2: np.array(["yes", "no"]), 3: np.array(["middle", "low", "top"])}


def data(n_classes, n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(50, 20, n), "size": rng.normal(0, 0.1, n)})
    X["city"] = np.array(["A", "B", "C"])[rng.integers(0, 3, n)]
    latent = (X["age"] - 50) / 20 + (X["city"] == "B") + rng.normal(0, 0.7, n)
    return X, np.searchsorted(np.quantile(latent, np.arange(1, n_classes) / n_classes), latent)


def preprocess():
    return make_column_transformer(
        (OneHotEncoder(categories=[["A", "B", "C"]]), ["city"]), (StandardScaler(), ["age", "size"])
    )


def boosting(**params):
    return XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1, random_state=0, **params)


MODELS = {
    "logistic": lambda: make_pipeline(preprocess(), LogisticRegression()),
    "xgboost": lambda: make_pipeline(preprocess(), boosting()),
    # Calibration would change predictions, which are kept; the threshold is its own, too.
    "selective": lambda: SelectiveClassifier(
        make_pipeline(preprocess(), boosting(base_score=0.2)),
        threshold=0.6,
        calibration="platt",
        keep_prediction=True,
        cv=2,
    ),
}


@functools.cache
def task(model, n_classes):
    """Features and labels: strings where the model takes them."""
    X, numbers = data(n_classes)
    return X, numbers if model == "xgboost" else LABELS[n_classes][numbers]


@functools.cache
def folds(model, n_classes):
    """Fitted models with the samples they have not seen."""
    X, y = task(model, n_classes)
    split = StratifiedKFold(3).split(X, y)
    return [(MODELS[model]().fit(X.iloc[train], y[train]), X.iloc[test], y[test]) for train, test in split]


def said(model, X):
    """Probabilities, and what a selective classifier adds to them, from its parts."""
    if not isinstance(model, SelectiveClassifier):
        return model.predict_proba(X), {}
    base = model.estimator_.predict_proba(X)
    return model.predict_proba(X), {"y_pred": model.classes_[base.argmax(axis=1)], "threshold": 0.6}


@functools.cache
def scored_by_hand(model, n_classes):
    """The scores of every fold, as a dict by name."""
    with quiet():
        found = []
        for fitted, X, y in folds(model, n_classes):
            proba, given = said(fitted, X)
            found.append(all_by_hand(RULED, y, proba, fitted.classes_, **given))
        return found


@functools.cache
def cross_validated(model, n_classes):
    """All scorers at once, on the same folds."""
    X, y = task(model, n_classes)
    with quiet():
        return cross_validate(MODELS[model](), X, y, cv=StratifiedKFold(3), scoring=confidence_scoring(RULED))


@functools.cache
def simple(model, n_classes):
    """A fitted model that answers at once, with the samples it has not seen."""
    X, numbers = data(n_classes)
    X, y = X[["age", "size"]].to_numpy(), numbers if model == "xgboost" else LABELS[n_classes][numbers]
    classifier = boosting() if model == "xgboost" else make_pipeline(StandardScaler(), LogisticRegression())
    return classifier.fit(X[:100], y[:100]), X[100:], y[100:]


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

    @pytest.mark.parametrize("model", ["logistic", "xgboost"])
    @pytest.mark.parametrize("name", RULED)
    def test_alone_it_is_the_same(self, name, model):
        fitted, X, y = simple(model, 2)
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

    @pytest.mark.parametrize("name", RULED)
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_make_scorer_makes_the_same_of_the_plain_function(self, name, n_classes):
        function, params, score = meaning(name)
        if n_classes > 2 and "average" in inspect.signature(function).parameters and "average" not in params:
            params = {"average": "macro"}
        theirs, ours = make_scorer(function, response_method="predict_proba", **params), get_scorer(name, **params)
        for model in ("logistic", "xgboost"):
            fitted, X, y = simple(model, n_classes)
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
        expected = function(ConfidenceProfile.from_estimator(fitted, X, y), **params)
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


# --- scikit-learn's tools -----------------------------------------------------------------------------------------


class Counting(ClassifierMixin, BaseEstimator):
    """Counts the calls that reach the classifier inside."""

    calls: ClassVar[list[str]] = []

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y, sample_weight=None):
        self.model_ = make_pipeline(preprocess(), LogisticRegression(C=self.C))
        self.model_.fit(X, y, logisticregression__sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def _call(self, method, X):
        Counting.calls.append(method)
        return getattr(self.model_, method)(X)

    def predict(self, X):
        return self._call("predict", X)

    def predict_proba(self, X):
        return self._call("predict_proba", X)

    def decision_function(self, X):
        return self._call("decision_function", X)


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


# --- labels -------------------------------------------------------------------------------------------------------

RELABELLED = {
    "strings in order": lambda codes: np.array(["a", "b", "c"])[codes],
    "strings in reverse": lambda codes: np.array(["c", "b", "a"])[codes],
    "strings of other lengths": lambda codes: np.array(["zzz", "y", "xx"])[codes],
    "objects": lambda codes: np.array(["c", "a", "b"], dtype=object)[codes],
    "negative numbers": lambda codes: np.array([5, -5, 0])[codes],
    "floats": lambda codes: np.array([5.0, -5.0, 0.0])[codes],
    "booleans": lambda codes: np.array([True, False])[codes],
    "list": lambda codes: np.array(["c", "a", "b"])[codes].tolist(),
    "Series": lambda codes: pd.Series(np.array(["c", "a", "b"])[codes], index=codes.index[::-1]),
    "string Series": lambda codes: pd.Series(np.array(["c", "a", "b"])[codes], dtype="string"),
    "categorical": lambda codes: pd.Series(pd.Categorical.from_codes(codes, ["c", "a", "b"][: codes.max() + 1])),
    "ordered categorical": lambda codes: pd.Categorical.from_codes(codes, ["c", "a", "b", "d"], ordered=True),
    "nullable": lambda codes: pd.Series(np.array([5, -5, 0])[codes], dtype="Int64"),
}


def rows_of(y, index):
    return y.iloc[index] if isinstance(y, pd.Series) else (np.asarray(y)[index] if isinstance(y, list) else y[index])


class TestLabels:
    @pytest.mark.parametrize("model", ["logistic", "selective"])
    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("kind", RELABELLED)
    def test_the_kind_and_order_of_labels_change_no_score_without_a_positive_class(self, kind, n_classes, model):
        if kind == "booleans" and n_classes == 3:
            pytest.skip("there are two booleans")
        _, codes = data(n_classes, n=90)
        y = RELABELLED[kind](pd.Series(codes))
        assert self.scores(y, n_classes, model) == pytest.approx(self.scores_of_codes(n_classes, model), rel=1e-5)

    @staticmethod
    def scores(y, n_classes, model):
        X = data(n_classes, n=90)[0][["age", "size"]].to_numpy()
        train, test = np.arange(0, 90, 2), np.arange(1, 90, 2)
        fitted = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10))
        if model == "selective":
            fitted = SelectiveClassifier(fitted, threshold=0.6, calibration="platt", cv=2)
        fitted.fit(X[train], rows_of(y, train))
        names = ["cw_accuracy", "neg_aurc", "neg_ece", "cf1_macro", "neg_ecuas_1", "cwsa", "neg_csr_excess"]
        return confidence_scoring(names)(fitted, X[test], rows_of(y, test))

    @staticmethod
    @functools.cache
    def scores_of_codes(n_classes, model):
        return TestLabels.scores(data(n_classes, n=90)[1], n_classes, model)

    @pytest.mark.parametrize("kind", ["booleans", "categorical", "strings in reverse"])
    def test_cross_validate_takes_them(self, kind):
        X, codes = data(2, n=90)
        y = RELABELLED[kind](pd.Series(codes))
        scores = cross_validate(MODELS["logistic"](), X, y, cv=3, scoring=confidence_scoring(["cw_accuracy", "cf1"]))
        expected = cross_validate(
            MODELS["logistic"](), X, 1 - codes, cv=3, scoring=confidence_scoring(["cw_accuracy", "cf1"])
        )
        # In all three the first number has the second label: the classes have changed places.
        np.testing.assert_allclose(scores["test_cf1"], expected["test_cf1"], rtol=1e-4)
        np.testing.assert_allclose(scores["test_cw_accuracy"], expected["test_cw_accuracy"], rtol=1e-4)

    def test_the_positive_class_is_the_second_label(self):
        fitted, X, y = folds("logistic", 2)[0]
        assert fitted.classes_.tolist() == ["no", "yes"]
        soft = fitted.predict_proba(X)[:, 1]
        assert get_scorer("cf1")(fitted, X, y) == pytest.approx(
            2 * soft[y == "yes"].sum() / (soft.sum() + (y == "yes").sum())
        )


# --- folds that lack a class --------------------------------------------------------------------------------------


class TestMissingClasses:
    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("left", [[0, 1], [0, 2], [1, 2], [0], [2]])
    def test_one_missing_from_the_test_fold_changes_nothing(self, left, model):
        fitted, X, y = folds(model, 3)[0]
        kept = np.isin(y, fitted.classes_[left])
        proba, given = said(fitted, X[kept])
        proba, given = said(fitted, X[kept])
        with quiet():
            expected = all_by_hand(MULTICLASS, y[kept], proba, fitted.classes_, **given)
            assert confidence_scoring(MULTICLASS)(fitted, X[kept], y[kept]) == pytest.approx(expected, nan_ok=True)
        undefined = {name for name, value in expected.items() if np.isnan(value)}
        assert undefined == (set() if len(left) > 1 else COMPARES_CLASSES)

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("left", [0, 1])
    def test_a_binary_test_fold_of_one_class_still_has_two_columns(self, left, model):
        fitted, X, y = folds(model, 2)[0]
        kept = y == fitted.classes_[left]
        proba, given = said(fitted, X[kept])
        with quiet():
            expected = all_by_hand(RULED, y[kept], proba, fitted.classes_, **given)
            assert confidence_scoring(RULED)(fitted, X[kept], y[kept]) == pytest.approx(expected, nan_ok=True)
        assert {name for name, value in expected.items() if np.isnan(value)} == COMPARES_CLASSES

    @pytest.mark.parametrize("unseen", [0, 1, 2])
    @pytest.mark.parametrize("model", ["logistic", "selective"])
    def test_one_missing_from_training_has_probability_zero(self, model, unseen):
        X, y = task(model, 3)
        classes = np.unique(y)
        train = np.flatnonzero(y != classes[unseen])[::2]
        fitted = MODELS[model]().fit(X.iloc[train], y[train])
        test = np.setdiff1d(np.arange(len(y)), train)
        proba, given = said(fitted, X.iloc[test])
        with quiet():
            scores = confidence_scoring(MULTICLASS)(fitted, X.iloc[test], y[test])
            expected = all_by_hand(MULTICLASS, y[test], np.insert(proba, unseen, 0.0, axis=1), classes, **given)
        assert scores == pytest.approx(expected, rel=1e-12)
        assert np.isfinite(list(expected.values())).all()

    @pytest.mark.parametrize("unseen", [0, 1, 2])
    @pytest.mark.parametrize(
        ("name", "params"),
        [
            ("neg_ecuas", {"n": 1, "cost_matrix": np.array([[0, 1, 4], [3, 0, 2], [1, 5, 0]])}),
            ("cwsa", {"threshold": 0.4, "similarity": np.array([[1, 0.5, 0], [0.25, 1, 0.75], [0, 0.125, 1]])}),
        ],
        ids=["costs", "similarities"],
    )
    def test_matrices_of_classes_stay_in_the_order_of_the_labels(self, name, params, unseen):
        X, y = task("logistic", 3)
        classes = np.unique(y)
        train = np.flatnonzero(y != classes[unseen])[::2]
        fitted = MODELS["logistic"]().fit(X.iloc[train], y[train])
        proba = np.insert(fitted.predict_proba(X), unseen, 0.0, axis=1)
        expected = by_hand(name, y, proba, classes, **params)
        assert get_scorer(name, **params)(fitted, X, y) == pytest.approx(expected, rel=1e-12)

    def test_xgboost_without_its_last_class(self):
        X, y = task("xgboost", 3)
        train, test = np.flatnonzero(y < 2)[::2], np.arange(len(y))[1::2]
        fitted = MODELS["xgboost"]().fit(X.iloc[train], y[train])
        proba = np.c_[fitted.predict_proba(X.iloc[test]), np.zeros(len(test))]
        with quiet():
            scores = confidence_scoring(MULTICLASS)(fitted, X.iloc[test], y[test])
            assert scores == pytest.approx(all_by_hand(MULTICLASS, y[test], proba, [0, 1, 2]), rel=1e-6)
        assert np.isfinite(list(scores.values())).all()

    @pytest.mark.parametrize("trained_on", [0, 1])
    def test_a_binary_classifier_that_saw_one_class_leaves_the_positive_one_in_its_place(self, trained_on):
        X, y = np.zeros((5, 1)), np.array([0, 1, 1, 0, 1])
        fitted = DummyClassifier().fit(X, np.full(5, trained_on))
        with quiet():
            expected = all_by_hand(RULED, y, np.full(5, float(trained_on)), [0, 1])
            assert confidence_scoring(RULED)(fitted, X, y) == pytest.approx(expected, nan_ok=True)
        assert expected["cf1"] == (0.75 if trained_on else 0)  # 2 · 3 / (5 + 3)

    @pytest.mark.parametrize("model", MODELS)
    def test_cross_validation_of_a_rare_class_has_no_nan(self, model):
        X, y = data(2)
        y[100::9] = 2
        y = y if model == "xgboost" else np.array(["a", "b", "c"])[y]
        cv = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
        assert [(len(set(y[train])), len(set(y[test]))) for train, test in cv] == [(2, 3), (3, 2)]
        with quiet():
            scores = cross_validate(MODELS[model](), X, y, cv=cv, scoring=confidence_scoring(MULTICLASS))
        assert all(np.isfinite(scores[f"test_{name}"]).all() for name in MULTICLASS)


class TestUndefined:
    @pytest.fixture
    def nothing_accepted(self):
        """Rows of a fold, and a model that accepts none of them."""
        X, y = task("logistic", 3)
        return SelectiveClassifier(DummyClassifier(strategy="prior"), threshold=0.9).fit(X, y), X, y

    def test_it_is_nan_with_one_warning_and_the_others_keep_their_values(self, nothing_accepted):
        with pytest.warns(UndefinedMetricWarning, match="selective_accuracy.* nothing is accepted") as caught:
            scores = confidence_scoring(["coverage", "selective_accuracy", "cw_accuracy", "cwsa"])(*nothing_accepted)
        assert len(caught) == 1
        _, _, y = nothing_accepted
        share = np.mean(y == "low")  # all three are as frequent, and the first is predicted
        assert scores == pytest.approx(
            {"coverage": 0, "selective_accuracy": np.nan, "cw_accuracy": share, "cwsa": 0}, nan_ok=True
        )

    def test_alone_it_is_nan_with_one_warning(self, nothing_accepted):
        with pytest.warns(UndefinedMetricWarning, match="nothing is accepted") as caught:
            assert np.isnan(get_scorer("selective_accuracy")(*nothing_accepted))
        assert len(caught) == 1

    def test_what_does_not_apply_is_nan_among_many_and_an_error_alone(self):
        fitted, X, y = folds("logistic", 3)[0]
        with pytest.raises(ValueError, match="There are 3 classes and no positive one"):
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

    def test_at_a_threshold_of_one_cwsa_is_nan_among_many(self):
        X, y = task("logistic", 3)
        model = SelectiveClassifier(MODELS["logistic"](), threshold=1.0).fit(X, y)
        with pytest.warns(UndefinedMetricWarning, match="^cwsa is undefined here") as caught:
            scores = confidence_scoring(["cwsa", "coverage"])(model, X, y)
        assert len(caught) == 1
        assert scores == pytest.approx({"cwsa": np.nan, "coverage": 0}, nan_ok=True)

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


# --- sample weights -----------------------------------------------------------------------------------------------


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
            ([0] * 50, "zero everywhere"),
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

    @pytest.mark.usefixtures("routing")
    @pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
    @one_and_many
    @pytest.mark.parametrize("value", [True, False, "alias", None])
    def test_copies_keep_requests_and_are_apart(self, twin, make, value):
        scorer = make("cw_accuracy").set_score_request(sample_weight=value)
        other = twin(scorer)
        assert other.get_metadata_routing().score.requests == {"sample_weight": value}
        other.set_score_request(sample_weight="another")
        assert scorer.get_metadata_routing().score.requests == {"sample_weight": value}

    @pytest.mark.parametrize(
        ("scorer", "text"),
        [
            (get_scorer("cwsa"), "get_scorer('cwsa')"),
            (get_scorer("cwsa", threshold=0.5, normalize="all"), "get_scorer('cwsa', threshold=0.5, normalize='all')"),
            (confidence_scoring(["cwsa", "neg_ece"]), "confidence_scoring(['cwsa', 'neg_ece'])"),
            (
                confidence_scoring({"a": "cwsa", "b": get_scorer("neg_ece", n_bins=3)}),
                "confidence_scoring({'a': get_scorer('cwsa'), 'b': get_scorer('neg_ece', n_bins=3)})",
            ),
            (
                confidence_scoring({"neg_ece": get_scorer("neg_ece", n_bins=3)}),
                "confidence_scoring({'neg_ece': get_scorer('neg_ece', n_bins=3)})",
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
