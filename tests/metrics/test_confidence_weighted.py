"""Confidence-weighted metrics: scikit-learn's with weights w c, their definitions, and the CSR paper's propositions."""

import math
import warnings

import numpy as np
import pytest
from _support import brute_weighted as brute
from _support.strategies import outcomes
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as plain
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, confidence_scoring, get_scorer, metrics
from skconf.metrics import get_metric
from skconf.metrics._base.averages import others

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

BY_CLASS = ["cw_precision_score", "cw_recall_score", "cw_specificity_score", "cw_f1_score", "cw_jaccard_score"]
SOFT = ["cprecision_score", "crecall_score", "cf1_score"]
#: Every metric of the two families with parameters off their defaults where it has any.
CASES = [
    *((name, {"average": average}) for name in BY_CLASS + SOFT for average in ("macro", "micro", "weighted", None)),
    *((name, {"average": "weighted", "zero_division": math.nan}) for name in BY_CLASS + SOFT),
    *((name, {"average": "macro", "zero_division": 1}) for name in BY_CLASS + SOFT),
    ("cw_fbeta_score", {"average": "macro", "beta": 2}),
    ("cw_fbeta_score", {"average": "weighted", "beta": 0.5}),
    ("cw_fbeta_score", {"average": None, "beta": math.inf}),
    ("cfbeta_score", {"average": "macro", "beta": 2}),
    ("cfbeta_score", {"average": None, "beta": 0}),
    ("cw_balanced_accuracy_score", {}),
    ("cw_balanced_accuracy_score", {"adjusted": True}),
    ("cw_matthews_corrcoef", {}),
    ("cw_cohen_kappa_score", {}),
    ("cw_cohen_kappa_score", {"weights": "linear"}),
    ("cw_cohen_kappa_score", {"weights": "quadratic"}),
    ("cw_roc_auc_score", {}),
    ("cw_roc_auc_score", {"average": "weighted"}),
    ("cw_roc_auc_score", {"average": None}),
    ("cw_multilabel_confusion_matrix", {}),
    *(
        (name, {"normalize": normalize})
        for name in ("cw_confusion_matrix", "probabilistic_confusion_matrix")
        for normalize in (None, "true", "pred", "all")
    ),
]
NUMBERS = [
    (name, params)
    for name, params in CASES
    if not name.endswith("confusion_matrix") and params.get("average", "macro") is not None
]
ADDITIVE = [(name, params) for name, params in NUMBERS if name != "cw_roc_auc_score"]


def ids(case):
    return f"{case[0]}-{case[1]}" if isinstance(case, tuple) else None


def drawn_profile(n, seed=0, n_classes=4):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    return ConfidenceProfile.from_predictions(
        y, proba, labels=np.arange(n_classes), sample_weight=rng.exponential(1, n)
    )


def confidence_of(outcome):
    return outcome.proba[np.arange(len(outcome.y)), outcome.predicted].astype(float)


# Definitions and properties ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=40, deadline=None)
@given(outcome=outcomes())
def test_agrees_with_its_definition(case, outcome):
    name, params = case
    expected = getattr(brute, name)(outcome.y, outcome.proba, outcome.predicted, outcome.weight, **params)
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [*BY_CLASS, *SOFT, "cw_fbeta_score", "cfbeta_score"])
@settings(max_examples=40, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_binary_average_agrees_with_its_definition(name, outcome):
    expected = getattr(brute, name)(outcome.y, outcome.proba, outcome.predicted, outcome.weight)
    np.testing.assert_allclose(outcome.call(getattr(metrics, name)), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [*BY_CLASS, *SOFT])
def test_binary_average_of_a_chosen_class_is_its_own_value(name):
    profile = drawn_profile(50)
    y, proba, by_class = profile.true_class, profile.proba, getattr(metrics, name)(profile, average=None)
    for label in range(4):
        value = getattr(metrics, name)(y, proba, pos_label=label, sample_weight=profile.sample_weight)
        assert value == pytest.approx(by_class[label], rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes(whole_weights=True), seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_never_matters(case, outcome, seed):
    name, params = case
    before = outcome.call(getattr(metrics, name), **params)
    order = np.random.default_rng(seed).permutation(len(outcome.y))
    for part in ("y", "proba", "predicted", "weight"):
        setattr(outcome, part, getattr(outcome, part)[order])
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), before, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes(whole_weights=True))
def test_a_weight_is_a_repetition_count(case, outcome):
    name, params = case
    weighted = outcome.call(getattr(metrics, name), **params)
    times = outcome.weight.astype(int)
    for part in ("y", "proba", "predicted"):
        setattr(outcome, part, np.repeat(getattr(outcome, part), times, axis=0))
    outcome.weight = None
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), weighted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes())
def test_labels_may_be_renamed_in_order(case, outcome):
    name, params = case
    names = np.array([f"class {number:02d}" for number in range(outcome.proba.shape[1])])
    renamed = getattr(metrics, name)(
        names[outcome.y],
        outcome.proba,
        y_pred=names[outcome.predicted].astype(object),
        labels=names,
        sample_weight=outcome.weight,
        **params,
    )
    np.testing.assert_array_equal(renamed, outcome.call(getattr(metrics, name), **params))


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes(dtype=np.float32))
def test_float32_is_read_without_loss(case, outcome):
    name, params = case
    from_single = outcome.call(getattr(metrics, name), **params)
    outcome.proba = outcome.proba.astype(np.float64)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The probabilities of a row should sum to 1")
        from_double = outcome.call(getattr(metrics, name), **params)
    np.testing.assert_allclose(from_single, from_double, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("case", NUMBERS, ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes())
def test_value_lies_within_its_stated_bounds(case, outcome):
    name, params = case
    low, high = get_metric(name).info.bounds
    value = outcome.call(getattr(metrics, name), **params)
    assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES} | {"cw_roc_curve"}))
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_a_single_column_is_the_second_of_two(name, outcome):
    function, both = getattr(metrics, name), np.column_stack([1 - outcome.proba[:, 1], outcome.proba[:, 1]])
    common = {"y_pred": outcome.predicted, "labels": [0, 1], "sample_weight": outcome.weight}
    single = function(outcome.y, outcome.proba[:, 1], **common)
    for one, other in zip(np.atleast_1d(single), np.atleast_1d(function(outcome.y, both, **common)), strict=True):
        np.testing.assert_array_equal(one, other)


# Kinds ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ADDITIVE, ids=ids)
def test_influence_is_the_derivative_by_the_share_of_a_sample(case):
    name, params = case
    metric, profile = get_metric(name, **params), drawn_profile(40)
    influence, sums = metric.influence(profile), metric.sums(profile)
    step = 1e-6
    for row in (0, 7, 39):
        single = metric.sums(profile[row : row + 1])
        up, down = (
            metric.combine(*(total + sign * step * own for total, own in zip(sums, single, strict=True)))
            for sign in (1, -1)
        )
        assert influence[row] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_groups_and_blocks_and_parts_give_the_same(case, monkeypatch):
    name, params = case
    metric, profile = get_metric(name, **params), drawn_profile(300)
    groups = np.arange(300) % 3
    values = metric.by_group(profile, groups, 3)
    for group in range(3):
        np.testing.assert_allclose(values[group], metric.value(profile[groups == group]), rtol=1e-10)
    whole = metric.value(profile)
    monkeypatch.setattr("skconf._core.probabilities._MOST_ROWS", 37)
    np.testing.assert_allclose(metric.value(profile), whole, rtol=1e-12)
    if name != "cw_roc_auc_score":
        parts = zip(metric.sums(profile[:100]), metric.sums(profile[100:]), strict=True)
        np.testing.assert_allclose(metric.combine(*(a + b for a, b in parts)), whole, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("cw_confusion_matrix", {}, "it is a matrix"),
        ("cw_multilabel_confusion_matrix", {}, "it is a matrix"),
        ("probabilistic_confusion_matrix", {}, "it is a matrix"),
        ("cw_f1_score", {"average": None}, "average=None"),
        ("cw_roc_auc_score", {}, "not a function of sums"),
    ],
)
def test_what_has_no_contributions_says_so(name, params, reason):
    with pytest.raises(TypeError, match=f"{name} has no per-sample contributions.*{reason}"):
        get_metric(name, **params).contributions(drawn_profile(5))


# scikit-learn with weights w c ---------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("zero_division", ["warn", 0, 1, np.nan])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("name", ORDINARY)
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes())
def test_averages_are_those_of_sklearn(name, average, zero_division, outcome):
    if name == "cw_jaccard_score" and not isinstance(zero_division, str) and np.isnan(zero_division):
        return  # which scikit-learn does not know
    if not (outcome.weight * confidence_of(outcome)).any():
        return  # which scikit-learn refuses
    params = {"average": average, "zero_division": zero_division}
    expected = ORDINARY[name](**weighted_arguments(outcome), **params)
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("beta", [0, 0.5, 3, np.inf])
@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@settings(max_examples=15, deadline=None)
@given(outcome=outcomes())
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


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_single_numbers_and_matrices_are_those_of_sklearn(outcome):
    arguments = weighted_arguments(outcome)
    if not arguments["sample_weight"].any():
        return
    for normalize in (None, "true", "pred", "all"):
        expected = plain.confusion_matrix(**arguments, normalize=normalize)
        np.testing.assert_allclose(outcome.call(metrics.cw_confusion_matrix, normalize=normalize), expected, atol=1e-12)
    found = outcome.call(metrics.cw_multilabel_confusion_matrix)
    np.testing.assert_allclose(found, plain.multilabel_confusion_matrix(**arguments), rtol=1e-9, atol=1e-12)
    for weights in (None, "linear", "quadratic"):
        renamed = {**arguments, "y1": arguments["y_true"], "y2": arguments["y_pred"], "weights": weights}
        del renamed["y_true"], renamed["y_pred"]
        expected = plain.cohen_kappa_score(**renamed)
        actual = outcome.call(metrics.cw_cohen_kappa_score, weights=weights)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)
    del arguments["labels"]
    expected = plain.matthews_corrcoef(**arguments)
    if abs(expected) <= 1 + 1e-9:  # scikit-learn loses all digits where one class has nearly all the weight
        np.testing.assert_allclose(outcome.call(metrics.cw_matthews_corrcoef), expected, rtol=1e-6, atol=1e-6)
    for adjusted in (False, True) if len(np.unique(outcome.y[arguments["sample_weight"] > 0])) > 1 else (False,):
        expected = plain.balanced_accuracy_score(**arguments, adjusted=adjusted)
        actual = outcome.call(metrics.cw_balanced_accuracy_score, adjusted=adjusted)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


# Propositions of the CSR paper ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_counts_obey_the_relations_of_ordinary_ones(outcome):
    """Propositions 11, 13 and 14."""
    table = outcome.call(metrics.cw_multilabel_confusion_matrix)
    (tn, fp), (fn, tp) = np.moveaxis(table, 0, -1)
    sure = outcome.weight * confidence_of(outcome)
    positives = np.bincount(outcome.y, sure, minlength=len(tp))
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(tp + fn, positives, **close)
    np.testing.assert_allclose(fp + tn, sure.sum() - positives, **close)
    np.testing.assert_allclose(tp + fn + fp + tn, sure.sum(), **close)
    np.testing.assert_allclose(tp + fp, np.bincount(outcome.predicted, sure, minlength=len(tp)), **close)
    if sure.any():
        accuracy = outcome.call(metrics.cw_accuracy_score)
        assert tp.sum() / (tp + fn).sum() == pytest.approx(accuracy, abs=1e-12)
        assert ((tp + tn) / sure.sum()).sum() == pytest.approx(len(tp) - 2 + 2 * accuracy, abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(given_prediction=False))
def test_accuracy_is_raised_by_the_covariance_of_confidence_and_correctness(outcome):
    """Proposition 9."""
    c, z, w = confidence_of(outcome), outcome.y == outcome.predicted, outcome.weight
    plainly, mean = np.average(z, weights=w), np.average(c, weights=w)
    covariance = np.average((c - mean) * (z - plainly), weights=w)
    assert outcome.call(metrics.cw_accuracy_score) == pytest.approx(plainly + covariance / mean, abs=1e-12)


# Edges ---------------------------------------------------------------------------------------------------------------


def test_sum_of_the_others_loses_no_digits():
    masses = np.array([[1e20, 1.0, 2.0], [0.0, 0.0, 3.0]])
    np.testing.assert_array_equal(others(masses), [[3.0, 1e20, 1e20], [3.0, 3.0, 0.0]])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cw_balanced_accuracy_score", "all confidences are zero"),
        ("cw_matthews_corrcoef", "all confidences are zero"),
        ("cw_cohen_kappa_score", "all confidence is on one class"),
        ("cw_roc_auc_score", "no class has confidence"),
    ],
)
def test_undefined_value_is_nan_with_one_warning(name, reason):
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined: {reason}") as caught:
        assert math.isnan(getattr(metrics, name)([0, 1, 0], [0.0, 1.0, 1.0], y_pred=[1, 0, 0]))
    assert len(caught) == 1


def test_classes_that_are_constant_have_no_correlation():
    assert metrics.cw_matthews_corrcoef([0, 1], [0.2, 0.3]) == 0


@pytest.mark.parametrize(
    ("name", "empty", "labels"),
    [
        ("cw_precision_score", "a class that is never predicted", [0, 1, 2]),
        ("cw_recall_score", "a class that is not present", [0, 1, 2]),
        ("cw_f1_score", "neither predicted nor present", [0, 1, 2]),
        ("cprecision_score", "given no probability", [0, 1, 2]),
    ],
)
def test_zero_division_is_told_of(name, empty, labels):
    with pytest.warns(UndefinedMetricWarning, match=empty):
        getattr(metrics, name)([0, 1], [[0.75, 0.25, 0], [0.25, 0.75, 0]], labels=labels, average="macro")


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("cw_fbeta_score", {"beta": -1}, r"beta must lie in \[0, inf\]"),
        ("cw_fbeta_score", {"beta": "2"}, "beta must be a number"),
        ("cw_f1_score", {"average": "samples"}, "average must be one of 'binary'"),
        ("cw_roc_auc_score", {"average": "micro"}, "average must be one of 'macro', 'weighted', None"),
        ("cw_confusion_matrix", {"normalize": "rows"}, "normalize must be one of None, 'true'"),
        ("cw_cohen_kappa_score", {"weights": "cubic"}, "weights must be one of None"),
        ("cw_balanced_accuracy_score", {"adjusted": "yes"}, "adjusted must be one of"),
        ("cw_roc_curve", {"drop_intermediate": 1}, "drop_intermediate must be one of"),
    ],
)
def test_bad_parameter_is_refused(name, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(metrics, name)([0, 1], [0.1, 0.9], **params)


def test_scorers_are_there_and_survive_a_fold_without_a_class():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    names = ["cw_roc_auc", "cw_roc_auc_weighted", "cw_f1_macro", "cw_balanced_accuracy", "cw_cohen_kappa", "cf1_macro"]
    scores = confidence_scoring([*names, "cw_matthews_corrcoef", "cw_jaccard_macro", "cprecision_macro"])
    values = scores(model, X[:100], y[:100])  # without the third class
    assert all(0 < value <= 1 for value in values.values())
    assert get_scorer("cw_fbeta_macro", beta=2)(model, X, y) > 0.9
