"""Models, data and the meaning of names that the tests of scorers share."""

import contextlib
import functools
import inspect
import warnings
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

from skconf import SelectiveClassifier, confidence_scoring, get_scorer, get_scorer_names, metrics

NAMES = get_scorer_names()
AVERAGES = ("macro", "micro", "weighted")


def many(name):
    return confidence_scoring([name])


one_and_many = pytest.mark.parametrize("make", [get_scorer, many])


@pytest.fixture(autouse=True, scope="module")
def one_thread():
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
    "ls_ece": ("logit_smoothed_calibration_error", {}),
    "ad_ece": ("adaptive_calibration_error", {}),
    "eci": ("estimated_calibration_index", {}),
    "ecuas_0": ("ecuas_loss", {"n": 0}),
    "ecuas_1": ("ecuas_loss", {"n": 1}),
    "metric_coverage_auc_to_zero": ("metric_coverage_auc", {"to_zero": True}),
}
#: Scores made of a metric that is best at 1 or 0.
DERIVED = {
    "neg_csr_deviation": ("calibrated_size_ratio", lambda ratio: -abs(ratio - 1)),
    "neg_csr_excess": ("calibrated_size_ratio", lambda ratio: -max(ratio - 1, 0.0)),
    "neg_csr_zscore_deviation": ("calibrated_size_ratio_zscore", lambda zscore: -abs(zscore)),
    "neg_ecd_deviation": ("entropic_calibration_difference", lambda difference: -abs(difference)),
}
#: Metrics whose name does not tell the direction.
LOW_IS_BEST = {
    "overconfidence_risk": True,
    "confidence_gain": False,
    "estimated_calibration_index": False,
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


def cost_of_answers(y, proba, labels, y_pred=None, threshold=0.0, sample_weight=None, reject_cost=0.1):
    """Charge what a classifier answers: 1 for an error, and the price of a rejection only where it rejects."""
    labels, weight = np.asarray(labels), np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    proba = np.column_stack([1.0 - proba, proba]) if np.ndim(proba) == 1 else np.asarray(proba)
    column = proba.argmax(axis=1) if y_pred is None else np.array([labels.tolist().index(label) for label in y_pred])
    accepted = proba[np.arange(len(y)), column].astype(float) >= threshold
    cost = np.where(accepted, labels[column] != np.asarray(y), reject_cost)
    return (weight @ cost if sample_weight is not None else cost.sum()) / weight.sum()


def by_hand(name, y, proba, classes, **given):
    """Score by the plain function; arguments it does not have are left out."""
    function, params, score = meaning(name)
    if name == "neg_reject_cost":  # the function takes probabilities, and rejects by their uncertainty
        function = cost_of_answers
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
        warnings.filterwarnings("ignore", "Some answers have a higher expected cost", UserWarning)
        yield


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
