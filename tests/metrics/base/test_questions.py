"""Every metric stands under a reader's question, and says what it is in words that fit a line."""

import pytest

from skconf import metrics
from skconf.metrics._base.questions import QUESTIONS, plain_words, question_of
from skconf.metrics._base.registry import metric_classes


@pytest.mark.parametrize("name", sorted(metric_classes()))
def test_every_metric_answers_a_question_in_plain_words(name):
    assert question_of(name) in QUESTIONS
    assert getattr(metrics, name).__doc__.startswith(plain_words(name) + ".")
    assert 10 < len(plain_words(name)) <= 112
    assert not {"debiased", "isotonic", "cross-entropy", "coverages"} & set(plain_words(name).split())


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("confidence_gap", "sure"),  # not with its neighbours in the package of calibration errors
        ("expected_calibration_error", "calibrated"),
        ("calibrated_size_ratio", "errors"),
        ("confidence_roc_auc_score", "knows"),  # nor this with the risk-coverage curves
        ("aurc_loss", "abstain"),
        ("cf1_score(average='macro')", "classes"),
        ("ecuas_loss(n=0)", "cost"),
        ("cw_accuracy_score", "weighted"),
        ("accuracy_score", "sure"),
    ],
)
def test_a_question_is_found_by_the_longest_family(name, key):
    assert question_of(name).key == key


def test_metrics_of_others_have_no_question_and_no_words():
    assert question_of("f1_score") is None
    assert plain_words("f1_score") == ""


def test_every_question_has_an_answer_and_a_page():
    assert {question_of(name).key for name in metric_classes()} == {question.key for question in QUESTIONS}
