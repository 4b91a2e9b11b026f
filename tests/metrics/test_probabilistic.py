"""cPrecision, cRecall and cF: their definitions, and the claims of their paper on the outputs of real classifiers."""

import math
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from _support.metrics.properties import Case, drawn_profile, properties_of
from _support.metrics.strategies import outcomes
from _support.metrics.twins import averaged, normalized
from hypothesis import given, settings
from sklearn.datasets import load_digits
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from skconf import ConfidenceProfile, metrics

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


class Soft(NamedTuple):
    hit: float
    given: float
    support: float


def soft(fraction):
    def twin(y, proba, predicted, w, average="binary", zero_division="warn", **params):
        n, k = proba.shape
        if average == "micro":  # the mean probability of the true class
            return sum(w[i] * float(proba[i, y[i]]) for i in range(n)) / sum(w)
        fractions, supports = [], []
        for j in range(k):
            hit = sum(w[i] * float(proba[i, j]) for i in range(n) if y[i] == j)
            mass = sum(w[i] * float(proba[i, j]) for i in range(n))
            support = sum(w[i] for i in range(n) if y[i] == j)
            fractions.append(fraction(Soft(hit, mass, support), **params))
            supports.append(support)
        return averaged(fractions, supports, average, zero_division)

    return twin


def soft_f(m, beta=1.0):
    return (1 + beta**2) * m.hit, beta**2 * m.support + m.given


cprecision_score = soft(lambda m: (m.hit, m.given))


crecall_score = soft(lambda m: (m.hit, m.support))


cf1_score = soft(soft_f)


cfbeta_score = soft(soft_f)


def probabilistic_confusion_matrix(y, proba, predicted, w, normalize=None):
    n, k = proba.shape
    matrix = np.zeros((k, k))
    for i in range(n):
        for j in range(k):
            matrix[y[i], j] += w[i] * float(proba[i, j])
    return normalized(matrix, normalize)


TWINS = {"cprecision_score": cprecision_score, "crecall_score": crecall_score, "cf1_score": cf1_score}


CASES = [
    *(Case(name, {}, twin, drawn={"max_classes": 2}) for name, twin in TWINS.items()),
    *(
        Case(name, {"average": average}, twin)
        for name, twin in TWINS.items()
        for average in ("macro", "micro", "weighted", None)
    ),
    *(Case(name, {"average": "weighted", "zero_division": math.nan}, twin) for name, twin in TWINS.items()),
    *(Case(name, {"average": "macro", "zero_division": 1}, twin) for name, twin in TWINS.items()),
    Case("cfbeta_score", {}, cfbeta_score, drawn={"max_classes": 2}),
    Case("cfbeta_score", {"average": "macro", "beta": 2}, cfbeta_score),
    Case("cfbeta_score", {"average": None, "beta": 0}, cfbeta_score),
    *(
        Case("probabilistic_confusion_matrix", {"normalize": normalize}, probabilistic_confusion_matrix)
        for normalize in (None, "true", "pred", "all")
    ),
]
TestProperties = properties_of(CASES)


SOFT = ["cprecision_score", "crecall_score", "cf1_score"]


@pytest.mark.parametrize("name", SOFT)
def test_binary_average_of_a_chosen_class_is_its_own_value(name):
    profile = drawn_profile(50)
    y, proba, by_class = profile.true_class, profile.proba, getattr(metrics, name)(profile, average=None)
    for label in range(4):
        value = getattr(metrics, name)(y, proba, pos_label=label, sample_weight=profile.sample_weight)
        assert value == pytest.approx(by_class[label], rel=1e-12)


def test_binary_average_of_many_classes_asks_for_a_choice():
    with pytest.raises(ValueError, match=r"3 classes, but no positive class.*average='macro'"):
        metrics.cf1_score([0, 1, 2], np.full((3, 3), 1 / 3))


def test_zero_division_of_an_empty_class():
    y, proba, labels = [0, 1], [[0.75, 0.25, 0], [0.25, 0.75, 0]], [0, 1, 2]
    with pytest.warns(UndefinedMetricWarning, match="neither predicted nor present"):
        assert metrics.cf1_score(y, proba, labels=labels, average="macro") == pytest.approx(0.5)
    assert metrics.cf1_score(y, proba, labels=labels, average="macro", zero_division=1) == pytest.approx(2.5 / 3)
    assert metrics.cf1_score(y, proba, labels=labels, average="macro", zero_division=math.nan) == pytest.approx(0.75)
    values = metrics.cf1_score(y, proba, labels=labels, average=None, zero_division=math.nan)
    np.testing.assert_allclose(values, [0.75, 0.75, math.nan])


@pytest.fixture(scope="module")
def digits():
    """Return labels and probabilities of a classifier of ten digits, trained on a third of them."""
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(C=1e-2, max_iter=2000).fit(X[:600], y[:600])
    return y[600:], model.predict_proba(X[600:])


def frequencies_of(outcome):
    return np.average(outcome.proba, weights=outcome.weight, axis=0)


@pytest.mark.parametrize("name", SOFT)
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_micro_average_is_the_mean_probability_of_the_truth(name, outcome):
    expected = np.average(outcome.proba[np.arange(len(outcome.y)), outcome.y], weights=outcome.weight)
    assert outcome.call(getattr(metrics, name), average="micro") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SOFT)
def test_micro_average_is_so_where_rows_do_not_add_up_to_one_either(name):
    proba = np.array([[0.5, 0.3, 0.1], [0.2, 0.2, 0.3], [0.1, 0.1, 0.6]])
    with pytest.warns(UserWarning, match="of y_proba"):
        assert getattr(metrics, name)([0, 1, 2], proba, average="micro") == pytest.approx(1.3 / 3)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_f_beta_is_the_harmonic_mean_and_ends_at_both(outcome):
    params = {"average": None, "zero_division": 0}
    precision, recall = (outcome.call(getattr(metrics, name), **params) for name in SOFT[:2])
    for beta in (0.0, 0.5, 1.0, 3.0, math.inf):
        share = 1 - 1 / (1 + beta * beta)
        both = (precision > 0) & (recall > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.where(both, 1 / ((1 - share) / precision + share / recall), 0.0)
        found = outcome.call(metrics.cfbeta_score, beta=beta, **params)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(
        outcome.call(metrics.cfbeta_score, beta=1, **params), outcome.call(metrics.cf1_score, **params)
    )


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_they_are_read_off_the_matrix(outcome):
    matrix = outcome.call(metrics.probabilistic_confusion_matrix)
    np.testing.assert_allclose(matrix.sum(axis=0), frequencies_of(outcome) * outcome.weight.sum(), atol=1e-10)
    for axis, name in enumerate(SOFT[:2]):
        normalized = outcome.call(metrics.probabilistic_confusion_matrix, normalize=("pred", "true")[axis])
        values = outcome.call(getattr(metrics, name), average=None, zero_division=0)
        np.testing.assert_allclose(np.diag(normalized), values, rtol=1e-10, atol=1e-12)


def test_macro_average_is_of_the_values_and_not_of_the_means(digits):
    precision, recall, f1 = (getattr(metrics, name)(*digits, average="macro") for name in SOFT)
    assert f1 == pytest.approx(metrics.cf1_score(*digits, average=None).mean())
    assert f1 != pytest.approx(2 * precision * recall / (precision + recall), abs=1e-6)


def test_certain_probabilities_make_them_the_ordinary_metrics(digits):
    y, proba = digits
    certain = np.eye(10)[proba.argmax(axis=1)]
    for average in ("macro", "micro", "weighted", None):
        expected = f1_score(y, proba.argmax(axis=1), average=average)
        np.testing.assert_allclose(metrics.cf1_score(y, certain, average=average), expected)
        np.testing.assert_allclose(metrics.cw_f1_score(y, certain, average=average), expected)


# Benefit A: a class that is never predicted ---------------------------------------------------------------------------


def never_predicted(y, proba, code):
    """Take from a class what makes it the most probable one anywhere, as too small a prior would."""
    lowered, rest = proba.copy(), np.delete(proba, code, axis=1).max(axis=1)
    lowered[:, code] = np.minimum(lowered[:, code], 0.9 * rest)
    return y, lowered / lowered.sum(axis=1, keepdims=True)


def check_benefit_a(y, proba, code):
    y, proba = never_predicted(y, proba, code)
    assert not (proba.argmax(axis=1) == code).any()
    profile = ConfidenceProfile.from_predictions(y, proba, labels=np.arange(proba.shape[1]))
    undefined = metrics.cw_precision_score(profile, average=None, zero_division=math.nan)
    defined = metrics.cprecision_score(profile, average=None, zero_division=math.nan)
    assert math.isnan(undefined[code])
    assert 0 < defined[code] < 1
    assert metrics.cf1_score(profile, average=None)[code] > 0
    assert metrics.cw_f1_score(profile, average=None)[code] == 0


def test_class_that_is_never_predicted_has_a_precision(digits):
    check_benefit_a(*digits, 8)


def test_class_that_is_never_predicted_has_a_precision_in_published_outputs(system):
    check_benefit_a(*system("cifar10_resnet-20"), 3)


# Hypothesis C: less variance than the ordinary F1 ---------------------------------------------------------------------


def spread(y, proba, n_draws, size):
    """Return the standard deviations of F1 and of cF1 over samples drawn with replacement."""
    rng, labels = np.random.default_rng(0), np.arange(proba.shape[1])
    predicted, found = proba.argmax(axis=1), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_draws):
            rows = rng.integers(0, len(y), size)
            ordinary = f1_score(y[rows], predicted[rows], labels=labels, average="macro")
            found.append((ordinary, metrics.cf1_score(y[rows], proba[rows], labels=labels, average="macro")))
    return np.std(found, axis=0)


@pytest.mark.simulation
def test_it_varies_less_than_the_ordinary_metric(digits):
    of_counts, of_probabilities = spread(*digits, 200, 300)
    assert of_probabilities < of_counts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cifar10_resnet-20", "agnews_gpt2", "pathmnist_resnet50", "sst2_gpt2"])
def test_it_varies_less_than_the_ordinary_metric_in_published_outputs(system, name):
    of_counts, of_probabilities = spread(*system(name), 200, 300)
    assert of_probabilities < of_counts
