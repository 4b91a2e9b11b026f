"""Confidence-weighted precision, recall and their kin: scikit-learn's with weights w c."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, drawn_profile, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import averaged, counts
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as plain
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from skconf import confidence_scoring, get_scorer, metrics

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def of_counts(fraction):
    def twin(y, proba, predicted, w, average="binary", zero_division="warn", **params):
        found = counts(y, proba, predicted, w)
        supports = [tp + fn for tp, _, fn, _ in found]
        return averaged([fraction(mass, **params) for mass in found], supports, average, zero_division)

    return twin


def f_beta(m, beta=1.0):
    if math.isinf(beta):
        return m.tp, m.tp + m.fn
    return (1 + beta**2) * m.tp, (1 + beta**2) * m.tp + beta**2 * m.fn + m.fp


cw_precision_score = of_counts(lambda m: (m.tp, m.tp + m.fp))
cw_recall_score = of_counts(lambda m: (m.tp, m.tp + m.fn))
cw_specificity_score = of_counts(lambda m: (m.tn, m.tn + m.fp))
cw_jaccard_score = of_counts(lambda m: (m.tp, m.tp + m.fp + m.fn))
cw_f1_score = of_counts(f_beta)
cw_fbeta_score = of_counts(f_beta)


TWINS = {
    "cw_precision_score": cw_precision_score,
    "cw_recall_score": cw_recall_score,
    "cw_specificity_score": cw_specificity_score,
    "cw_f1_score": cw_f1_score,
    "cw_jaccard_score": cw_jaccard_score,
}
CASES = [
    *(Case(name, {}, twin, drawn={"max_classes": 2}) for name, twin in TWINS.items()),
    *(
        Case(name, {"average": average}, twin)
        for name, twin in TWINS.items()
        for average in ("macro", "micro", "weighted", None)
    ),
    *(Case(name, {"average": "weighted", "zero_division": math.nan}, twin) for name, twin in TWINS.items()),
    *(Case(name, {"average": "macro", "zero_division": 1}, twin) for name, twin in TWINS.items()),
    Case("cw_fbeta_score", {}, cw_fbeta_score, drawn={"max_classes": 2}),
    Case("cw_fbeta_score", {"average": "macro", "beta": 2}, cw_fbeta_score),
    Case("cw_fbeta_score", {"average": "weighted", "beta": 0.5}, cw_fbeta_score),
    Case("cw_fbeta_score", {"average": None, "beta": math.inf}, cw_fbeta_score),
]
TestProperties = properties_of(CASES)


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


@pytest.mark.parametrize("name", TWINS)
def test_binary_average_of_a_chosen_class_is_its_own_value(name):
    profile = drawn_profile(50)
    y, proba, by_class = profile.true_class, profile.proba, getattr(metrics, name)(profile, average=None)
    for label in range(4):
        value = getattr(metrics, name)(y, proba, pos_label=label, sample_weight=profile.sample_weight)
        assert value == pytest.approx(by_class[label], rel=1e-12)


ORDINARY = {
    "cw_precision_score": plain.precision_score,
    "cw_recall_score": plain.recall_score,
    "cw_f1_score": plain.f1_score,
    "cw_jaccard_score": plain.jaccard_score,
}


def weighted_arguments(outcome):
    return {
        "y_true": outcome.y,
        "y_pred": outcome.predicted,
        "labels": np.arange(outcome.proba.shape[1]),
        "sample_weight": outcome.weight * confidence_of(outcome),
    }


AVERAGES = st.sampled_from(["macro", "micro", "weighted", None])


@pytest.mark.parametrize("name", ORDINARY)
@settings(max_examples=50, deadline=None)
@given(average=AVERAGES, zero_division=st.sampled_from(["warn", 0, 1, np.nan]), outcome=outcomes())
def test_averages_are_those_of_sklearn(name, average, zero_division, outcome):
    if name == "cw_jaccard_score" and not isinstance(zero_division, str) and np.isnan(zero_division):
        return  # which scikit-learn does not know
    if not (outcome.weight * confidence_of(outcome)).any():
        return  # which scikit-learn refuses
    params = {"average": average, "zero_division": zero_division}
    expected = ORDINARY[name](**weighted_arguments(outcome), **params)
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(average=AVERAGES, beta=st.sampled_from([0, 0.5, 3, np.inf]), outcome=outcomes())
def test_f_beta_is_that_of_sklearn(average, beta, outcome):
    if not (outcome.weight * confidence_of(outcome)).any():
        return
    params = {"average": average, "beta": beta}
    expected = plain.fbeta_score(**weighted_arguments(outcome), **params)
    np.testing.assert_allclose(outcome.call(metrics.cw_fbeta_score, **params), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ORDINARY)
@pytest.mark.parametrize("label", [0, 1])
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_binary_average_is_that_of_sklearn(name, label, outcome):
    if len(np.unique(outcome.y)) < 2 or not (outcome.weight * confidence_of(outcome)).any():
        return
    arguments = weighted_arguments(outcome)
    del arguments["labels"]
    expected = ORDINARY[name](**arguments, pos_label=label)
    actual = outcome.call(getattr(metrics, name), pos_label=label)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "empty", "labels"),
    [
        ("cw_precision_score", "a class that is never predicted", [0, 1, 2]),
        ("cw_recall_score", "a class that is not present", [0, 1, 2]),
        ("cw_f1_score", "neither predicted nor present", [0, 1, 2]),
        ("cprecision_score", "a class whose probabilities are all 0", [0, 1, 2]),
    ],
)
def test_zero_division_is_told_of(name, empty, labels):
    with pytest.warns(UndefinedMetricWarning, match=empty):
        getattr(metrics, name)([0, 1], [[0.75, 0.25, 0], [0.25, 0.75, 0]], labels=labels, average="macro")


def test_scorers_are_there_and_survive_a_fold_without_a_class():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    names = ["cw_roc_auc", "cw_roc_auc_weighted", "cw_f1_macro", "cw_balanced_accuracy", "cw_cohen_kappa", "cf1_macro"]
    scores = confidence_scoring([*names, "cw_matthews_corrcoef", "cw_jaccard_macro", "cprecision_macro"])
    values = scores(model, X[:100], y[:100])  # without the third class
    assert all(0 < value <= 1 for value in values.values())
    assert get_scorer("cw_fbeta_macro", beta=2)(model, X, y) > 0.9
