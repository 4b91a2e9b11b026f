"""Samples of any number of labels, as answers of three kinds."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skconf import ConfidenceProfile
from skconf.metrics import confidence_gap

from_multilabel = ConfidenceProfile.from_multilabel


def drawn(n=40, n_labels=5, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.random((n, n_labels)).round(2)
    return (rng.random((n, n_labels)) < proba).astype(int), proba


def jaccard(truth, predicted):
    true, guessed = set(np.flatnonzero(truth)), set(np.flatnonzero(predicted))
    return len(true & guessed) / len(true | guessed) if true | guessed else 1.0


def test_each_label_of_each_sample_is_an_answer():
    truth, proba = drawn()
    profile, at = from_multilabel(truth, proba), 0
    for i in range(40):
        for j in range(5):
            guess = proba[i, j] > 0.5
            assert profile.correct[at] == (guess == truth[i, j])
            assert profile.confidence[at] == (proba[i, j] if guess else round(1 - proba[i, j], 2))
            assert profile.groups[at] == i
            at += 1
    assert len(profile) == at


def test_a_sample_is_graded_by_the_index_of_jaccard():
    truth, proba = drawn()
    profile = from_multilabel(truth, proba, average="samples")
    expected = [jaccard(y, p > 0.5) for y, p in zip(truth, proba, strict=True)]
    np.testing.assert_allclose(profile.correctness, expected)


@pytest.mark.parametrize("n_labels", [1, 2, 5, 8])
def test_its_confidence_is_the_mean_index_over_all_sets_of_labels(n_labels):
    truth, proba = drawn(20, n_labels)
    profile = from_multilabel(truth, proba, average="samples")
    for row, p in enumerate(proba):
        total = 0.0
        for labels in product([0, 1], repeat=n_labels):
            chance = np.prod(np.where(labels, p, 1 - p))
            total += chance * jaccard(labels, p > 0.5)
        assert profile.confidence[row] == pytest.approx(total, rel=1e-12)


def test_many_labels_do_not_overflow():
    truth, proba = drawn(2000, 300)
    profile = from_multilabel(truth, proba, average="samples")
    assert abs(confidence_gap(profile)) < 4 * profile.correctness.std() / np.sqrt(2000)


def test_each_label_by_itself_is_a_binary_task():
    truth, proba = drawn()
    found = from_multilabel(pd.DataFrame(truth, columns=list("abcde")), proba, average=None)
    assert list(found) == list("abcde")
    expected = ConfidenceProfile.from_predictions(truth[:, 1], proba[:, 1])
    np.testing.assert_array_equal(found["b"].correct, expected.correct)
    np.testing.assert_array_equal(found["b"].confidence, expected.confidence)
    assert found["b"].n_classes == 2


def test_forms_of_input_are_one():
    truth, proba = drawn()
    profile = from_multilabel(truth, proba)
    pairs = [np.column_stack([1 - p, p]) for p in proba.T]
    names = list("abcde")
    table = pd.DataFrame(proba, columns=names)[list("caebd")]
    for other in (
        from_multilabel(sparse.csr_array(truth), pairs),
        from_multilabel(truth.astype(bool), proba, Y_pred=proba > 0.5),
        from_multilabel(pd.DataFrame(truth, columns=names), table),
    ):
        np.testing.assert_array_equal(other.correct, profile.correct)
        np.testing.assert_array_equal(other.confidence, profile.confidence)


def test_a_given_prediction_has_the_probability_of_what_it_says():
    profile = from_multilabel([[1, 0]], [[0.4, 0.3]], Y_pred=[[1, 0]])
    np.testing.assert_array_equal(profile.correct, [True, True])
    np.testing.assert_allclose(profile.confidence, [0.4, 0.7])
    first, second = from_multilabel([[1, 0]], [[0.4, 0.3]], Y_pred=[[1, 0]], average=None).values()
    assert (first.confidence[0], second.confidence[0]) == pytest.approx((0.4, 0.7))
    assert first.prediction_given
    assert not from_multilabel([[1, 0]], [[0.4, 0.3]], average=None)[0].prediction_given


def test_weights_and_groups_of_samples_reach_their_labels():
    truth, proba = drawn(3, 2)
    profile = from_multilabel(truth, proba, sample_weight=[1, 2, 3], groups=["x", "y", "x"])
    np.testing.assert_array_equal(profile.sample_weight, [1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(profile.groups, [0, 0, 1, 1, 0, 0])
    by_label = from_multilabel(truth, proba, average=None, groups=["x", "y", "x"])
    np.testing.assert_array_equal(by_label[0].groups, [0, 1, 0])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Y_true": [[1, 2]]}, r"Y_true is 2.0 in row 0, column 1; it must be 0 or 1"),
        ({"Y_true": [1, 0]}, r"Y_true must have shape \(n_samples, n_labels\)"),
        ({"Y_proba": [[0.5, 1.5]]}, r"Y_proba has 1.5, outside \[0, 1\], in row 0, column 1"),
        ({"Y_proba": [[0.5]]}, r"Y_proba has shape \(1, 1\), but Y_true has shape \(1, 2\)"),
        ({"Y_proba": [np.ones((1, 3)), np.ones((1, 3))]}, r"array of shape \(1, 3\) for label 0"),
        ({"labels": ["a"]}, "labels has 1 labels, but Y_true has 2 columns"),
        ({"average": "macro"}, "average must be one of 'micro', 'samples', None"),
    ],
)
def test_errors_name_the_argument(changed, message):
    given = {"Y_true": [[1, 0]], "Y_proba": [[0.5, 0.5]]}
    from_multilabel(**given)
    with pytest.raises(ValueError, match=message):
        from_multilabel(**{**given, **changed})


def test_columns_of_other_names_are_refused():
    truth, proba = pd.DataFrame([[1, 0]], columns=["a", "b"]), pd.DataFrame([[0.5, 0.5]], columns=["a", "c"])
    with pytest.raises(ValueError, match=r"Y_proba has the columns .*'c'.* but Y_true has .*'b'"):
        from_multilabel(truth, proba)
