"""`confidence_weighted`: scikit-learn's functions with weights w c, called as ours are."""

import functools
import math
import pickle

import numpy as np
import pytest
from _support.predictions import draw_binary, draw_classes, draw_weights
from sklearn import metrics as plain
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from skconf import ConfidenceProfile, metrics
from skconf.metrics._base.weighting import confidence_weighted

NAMES = np.array(["pear", "apple", "fig"])  # not sorted
CODES, PROBA = draw_classes(60)
TRUE, WEIGHT = NAMES[CODES], draw_weights(60)
GIVEN = {"labels": NAMES, "sample_weight": WEIGHT}
SURE = WEIGHT * PROBA.max(axis=1)
PREDICTED = NAMES[PROBA.argmax(axis=1)]
ORDER = np.argsort(NAMES)

IS_YES, BINARY = draw_binary(60)
BINARY_TRUE = np.where(IS_YES, "yes", "no")
BINARY_SURE = np.maximum(BINARY, 1 - BINARY)


@pytest.mark.parametrize(
    ("function", "ours", "params"),
    [
        (plain.accuracy_score, "cw_accuracy_score", {}),
        (plain.balanced_accuracy_score, "cw_balanced_accuracy_score", {}),
        (plain.matthews_corrcoef, "cw_matthews_corrcoef", {}),
        (plain.cohen_kappa_score, "cw_cohen_kappa_score", {}),
        (plain.cohen_kappa_score, "cw_cohen_kappa_score", {"weights": "linear"}),
        (plain.f1_score, "cw_f1_score", {"average": "macro"}),
        (plain.f1_score, "cw_f1_score", {"average": None}),
        (plain.fbeta_score, "cw_fbeta_score", {"average": "weighted", "beta": 2}),
        (plain.jaccard_score, "cw_jaccard_score", {"average": "micro"}),
        (plain.confusion_matrix, "cw_confusion_matrix", {"normalize": "true"}),
        (plain.multilabel_confusion_matrix, "cw_multilabel_confusion_matrix", {}),
    ],
)
def test_metric_of_labels_is_ours(function, ours, params):
    found = confidence_weighted(function)(TRUE, PROBA, **GIVEN, **params)
    np.testing.assert_allclose(found, getattr(metrics, ours)(TRUE, PROBA, **GIVEN, **params), rtol=1e-12, atol=1e-12)


def test_metric_of_many_probabilities_has_sorted_columns():
    found = confidence_weighted(plain.roc_auc_score)(TRUE, PROBA, **GIVEN, multi_class="ovr")
    assert found == pytest.approx(metrics.cw_roc_auc_score(TRUE, PROBA, **GIVEN))
    found = confidence_weighted(plain.log_loss)(TRUE, PROBA, **GIVEN)
    assert found == pytest.approx(plain.log_loss(TRUE, PROBA[:, ORDER], sample_weight=SURE))
    found = confidence_weighted(plain.top_k_accuracy_score)(TRUE, PROBA, **GIVEN, k=2)
    assert found == pytest.approx(plain.top_k_accuracy_score(TRUE, PROBA[:, ORDER], k=2, sample_weight=SURE))


@pytest.mark.parametrize("pos_label", [None, "yes", "no"])
def test_metric_of_binary_probabilities_knows_the_positive_class(pos_label):
    positive = pos_label or "yes"
    given = BINARY if positive == "yes" else 1 - BINARY
    for function in (plain.average_precision_score, plain.brier_score_loss):
        expected = function(positive == BINARY_TRUE, given, sample_weight=BINARY_SURE)
        assert confidence_weighted(function)(BINARY_TRUE, given, pos_label=pos_label) == pytest.approx(expected)
    area = confidence_weighted(plain.roc_auc_score)(BINARY_TRUE, given, pos_label=pos_label)
    assert area == pytest.approx(metrics.cw_roc_auc_score(BINARY_TRUE, given, pos_label=pos_label))
    loss = confidence_weighted(plain.log_loss)(BINARY_TRUE, given, pos_label=pos_label)
    assert loss == pytest.approx(plain.log_loss(BINARY_TRUE, BINARY, sample_weight=BINARY_SURE))
    curve = confidence_weighted(plain.roc_curve)(BINARY_TRUE, given, pos_label=pos_label, drop_intermediate=False)
    ours = metrics.cw_roc_curve(BINARY_TRUE, given, pos_label=pos_label, drop_intermediate=False)
    for one, other in zip(curve, ours, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    f1 = confidence_weighted(plain.f1_score)(BINARY_TRUE, given, pos_label=pos_label)
    assert f1 == pytest.approx(metrics.cw_f1_score(BINARY_TRUE, given, pos_label=pos_label))


def test_average_that_has_no_positive_class_gets_none():
    found = confidence_weighted(plain.f1_score)(BINARY_TRUE, BINARY, average="macro")  # warns if it gets one
    assert found == pytest.approx(metrics.cw_f1_score(BINARY_TRUE, BINARY, average="macro"))


def test_prediction_may_be_given_and_sets_the_confidence():
    predicted = np.roll(PREDICTED, 1)
    found = confidence_weighted(plain.accuracy_score)(TRUE, PROBA, y_pred=predicted, **GIVEN)
    assert found == pytest.approx(metrics.cw_accuracy_score(TRUE, PROBA, y_pred=predicted, **GIVEN))


def test_class_that_is_absent_is_no_error():
    found = confidence_weighted(plain.log_loss)([0, 1], [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]], labels=[0, 1, 2])
    assert found == pytest.approx(-(0.5 * math.log(0.5) + 0.8 * math.log(0.8)) / 1.3)


def test_profile_may_stand_for_the_predictions():
    weighted, profile = (
        confidence_weighted(plain.accuracy_score),
        ConfidenceProfile.from_predictions([0, 1], [0.2, 0.4]),
    )
    assert weighted(profile) == weighted([0, 1], [0.2, 0.4])
    with pytest.raises(TypeError, match=r"cw_accuracy_score\(\) got a ConfidenceProfile and labels"):
        weighted(profile, labels=[0, 1])
    with pytest.raises(TypeError, match=r"cw_accuracy_score\(\) needs y_proba"):
        weighted([0, 1])
    with pytest.raises(ValueError, match="correctness"):
        weighted(ConfidenceProfile.from_correctness([1], [0.5]))


def own_loss(truth, answer, sample_weight):
    """A metric whose second argument has a name of its own."""
    return np.average(truth != answer if answer.ndim == 1 else answer.max(axis=1), weights=sample_weight)


def test_response_may_be_chosen():
    with_labels = confidence_weighted(own_loss)(TRUE, PROBA, **GIVEN)
    assert with_labels == pytest.approx(1 - metrics.cw_accuracy_score(TRUE, PROBA, **GIVEN))
    with_probabilities = confidence_weighted(own_loss, response="predict_proba")(TRUE, PROBA, **GIVEN)
    assert with_probabilities == pytest.approx(np.average(PROBA.max(axis=1), weights=SURE))
    with pytest.raises(ValueError, match="response must be one of 'auto', 'predict', 'predict_proba'"):
        confidence_weighted(own_loss, response="decision_function")


def test_metric_without_weights_is_refused_at_once():
    def unweighted(y_true, y_pred):
        raise AssertionError

    with pytest.raises(TypeError, match=r"unweighted takes no sample_weight \(its parameters are y_true, y_pred\)"):
        confidence_weighted(unweighted)


def test_it_has_a_name_and_pickles():
    weighted = confidence_weighted(plain.f1_score, response="predict")
    assert weighted.__name__ == "cw_f1_score"
    assert repr(weighted) == "confidence_weighted(f1_score, response='predict')"
    assert repr(confidence_weighted(plain.log_loss)) == "confidence_weighted(log_loss)"
    again = pickle.loads(pickle.dumps(weighted))
    assert again == weighted
    assert again(TRUE, PROBA, **GIVEN, average="macro") == weighted(TRUE, PROBA, **GIVEN, average="macro")


def test_partial_of_a_metric_is_known_by_its_function():
    weighted = confidence_weighted(functools.partial(plain.log_loss, normalize=False))
    assert weighted.__name__ == "cw_log_loss"
    expected = SURE.sum() * confidence_weighted(plain.log_loss)(TRUE, PROBA, **GIVEN)
    assert weighted(TRUE, PROBA, **GIVEN) == pytest.approx(expected)


def test_it_is_a_score_function_for_sklearn():
    X, y = load_iris(return_X_y=True)
    weighted = confidence_weighted(plain.f1_score)
    scorer = plain.make_scorer(weighted, response_method="predict_proba", average="macro")
    values = cross_val_score(LogisticRegression(max_iter=1000), X, y, scoring=scorer)
    expected = cross_val_score(
        LogisticRegression(max_iter=1000),
        X,
        y,
        scoring=plain.make_scorer(metrics.cw_f1_score, response_method="predict_proba", average="macro"),
    )
    np.testing.assert_allclose(values, expected)
