"""LearnedConfidence: what it learns, when it keeps it, and what it sees."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from skconf import SelectiveClassifier
from skconf.calibration import LearnedConfidence, _learned, _stack
from skconf.calibration._stack import learn

N = 1000


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch, request):
    """Grow a fifth of the trees, which take most of the time, but where what is learned is held to a figure."""
    if request.node.name != "test_the_tail_is_safe":

        def few(n_estimators, **given):
            return ExtraTreesClassifier(n_estimators // 5, **given)

        monkeypatch.setattr(_stack, "ExtraTreesClassifier", few)


def task(n=N, seed=0, effect=0.2):
    """A confidence of .7 for all, of which P(right) is in truth .7 ± effect, by the sign of the first column."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = 0.7 + effect * np.sign(X[:, 0])
    return X, np.tile([0.3, 0.7], (n, 1)), rng.random(n) < truth, truth


def test_it_finds_what_the_probabilities_do_not_say():
    X, proba, right, _ = task()
    learned = LearnedConfidence().fit(X, proba, right)
    X_new, _, _, truth = task(seed=1)
    found = learned.predict_confidence(X_new, proba)
    assert learned.weights_[1:].any()
    assert learned.gain_ > 5 * learned.gain_stderr_ > 0
    assert np.abs(found - truth).mean() < 0.06
    assert ((found > 0) & (found < 1)).all()


@pytest.mark.slow
def test_where_there_is_nothing_to_find_it_mostly_returns_the_confidence_bit_for_bit():
    kept = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, sure = rng.normal(size=(600, 4)), rng.uniform(0.5, 1, 600)
        proba = np.column_stack([1 - sure, sure])
        learned = LearnedConfidence(min_gain=1, cv=3).fit(X, proba, rng.random(600) < sure)
        if not learned.weights_[1:].any():
            np.testing.assert_array_equal(learned.predict_confidence(X, proba), proba.max(axis=1))
        kept += learned.weights_[1:].any()
    assert kept <= 3


def test_of_two_classes_an_answer_and_whether_it_is_right_tell_the_class():
    X, proba, right, _ = task(400)
    answer = np.arange(400) % 2
    told, known = (
        LearnedConfidence(min_gain=0, cv=3).fit(X, proba, right, predicted=answer, true_class=classes)
        for classes in (None, np.where(right, answer, 1 - answer))
    )
    by_told, by_known = (each.predict_confidence(X, proba, predicted=answer) for each in (told, known))
    np.testing.assert_array_equal(by_told, by_known)
    assert told.weights_[1:].any()


@pytest.mark.parametrize("n_wrong", [0, 9])
def test_too_few_errors_teach_nothing(n_wrong):
    X, proba, _, _ = task(400)
    learned = LearnedConfidence().fit(X, proba, np.arange(400) >= n_wrong)
    np.testing.assert_array_equal(learned.weights_, [1, 0, 0, 0, 0])
    assert learned.models_ == [None] * 4
    assert np.isnan(learned.gain_)
    assert learned.intercept_ == learned.tail_ == 0
    np.testing.assert_array_equal(learned.predict_confidence(X, proba), 0.7)


def several_classes(n):
    """Return samples of three classes, probabilities that know one column of them, and the classes."""
    X, y = make_classification(
        n, 6, n_informative=5, n_redundant=0, n_classes=3, n_clusters_per_class=1, flip_y=0.05, random_state=0
    )
    return X, GaussianNB().fit(X[:, :1], y).predict_proba(X[:, :1]), y


def test_the_logits_of_the_answer_are_weighed():
    X, proba, y = several_classes(600)
    answer = np.random.default_rng(0).integers(3, size=len(y))  # not the most probable class
    learned = LearnedConfidence(min_gain=0, cv=3).fit(X, proba, answer == y, predicted=answer, true_class=y)
    each = np.arange(len(y))
    total = learned.intercept_ + learned.weights_[0] * logit(np.clip(proba[each, answer], 1e-4, 1 - 1e-4))
    for number, (weight, opinion) in enumerate(zip(learned.weights_[1:], learned.models_, strict=True)):
        if opinion is not None:
            seen = learned._look(X, proba, answer, fit=False)
            columns, asked = (X, answer) if number < 3 else (np.column_stack([seen.own, X]), 1)
            chance = opinion.model.predict_proba(columns)[each, asked]
            total += weight * logit(np.clip(chance, 1e-4, 1 - 1e-4))
    unsure = 1 - expit(total)
    unsure = np.where(unsure < learned.tail_, (unsure + learned.tail_) / 2, unsure)
    found = learned.predict_confidence(X, proba, predicted=answer)
    np.testing.assert_allclose(found, (600 * (1 - unsure) + 0.25) / 600.5)


def test_the_tail_is_safe():
    """A third of the samples looks like surely right, and one in fifty of them is wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    X[:1000] += 6
    truth = np.where(np.arange(3000) < 1000, 0.98, 0.6)
    right, proba = rng.random(3000) < truth, np.tile([0.27, 0.73], (3000, 1))
    train = rng.permutation(3000)[:1500]
    learned = LearnedConfidence().fit(X[train], proba[train], right[train])
    test = np.setdiff1d(np.arange(3000), train)
    found = learned.predict_confidence(X[test], proba[test])
    assert found.max() > 0.95
    assert found.max() < 1 - 1e-4
    assert ((~right[test]) / (1 - found)).mean() < 1.3


def loss_of(learned, X, proba, right):
    found = learned.predict_confidence(X, proba)
    return -np.log(np.where(right, found, 1 - found)).mean()


def test_of_several_classes_it_learns_the_class_where_it_is_known(monkeypatch):
    X, proba, y = several_classes(2400)
    right = proba.argmax(axis=1) == y
    train, test = (X[:800], proba[:800], right[:800]), (X[800:], proba[800:], right[800:])
    raw = -np.log(np.where(right, proba.max(axis=1), 1 - proba.max(axis=1)))[800:].mean()
    known, unknown = (
        loss_of(LearnedConfidence(cv=3).fit(*train, true_class=classes), *test) for classes in (y[:800], None)
    )
    assert known < unknown < raw
    monkeypatch.setattr(_learned, "_MOST_CLASSES", 2)
    many = LearnedConfidence(cv=3).fit(*train, true_class=y[:800])
    assert loss_of(many, *test) == pytest.approx(unknown, rel=0.1)


def test_where_the_classifier_errs_is_learned_though_it_does_not_tell_the_class():
    """At dusk the probabilities mean nothing, and by day they are right: dusk says nothing about the class itself."""
    rng = np.random.default_rng(0)
    n, dusk = 4000, rng.random(4000) < 0.5
    one = rng.uniform(0, 1, n)
    proba, y = np.column_stack([1 - one, one]), rng.random(n) < np.where(dusk, 0.5, one)
    right = proba.argmax(axis=1) == y
    learned = LearnedConfidence().fit(dusk[:2000, np.newaxis], proba[:2000], right[:2000])
    found = learned.predict_confidence(dusk[2000:, np.newaxis], proba[2000:])
    truth = np.where(dusk, 0.5, proba.max(axis=1))[2000:]
    assert np.abs(found - truth).mean() < 0.5 * np.abs(proba.max(axis=1)[2000:] - truth).mean()


def test_weights_count_and_zero_is_no_row():
    X, proba, right, _ = task()
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 3, N).astype(float)
    kept = weight > 0
    learned = LearnedConfidence(cv=3).fit(X, proba, right, weight)
    alone = LearnedConfidence(cv=3).fit(X[kept], proba[kept], right[kept], weight[kept])
    np.testing.assert_array_equal(learned.predict_confidence(X, proba), alone.predict_confidence(X, proba))
    assert learned.gain_ == alone.gain_
    # Of answers that are both right and wrong, weights say how often they are which.
    twice = np.concatenate([np.full(300, True), np.full(300, False)])
    column, even = np.zeros((600, 1)), np.full((600, 2), 0.5)
    surely = (
        LearnedConfidence(cv=3).fit(column, even, twice, np.where(twice, 4.0, 1.0)).predict_confidence(column, even)
    )
    np.testing.assert_allclose(surely, 0.8, atol=0.01)


@pytest.mark.parametrize("predicted", [None, 0])
def test_a_single_class_leaves_right_and_wrong_to_learn(predicted):
    """All samples are of class 1, which the answer depends on."""
    X, proba, right, _ = task()
    answer = right.astype(int) if predicted is None else np.full(N, predicted)
    proba = np.where(answer[:, np.newaxis] == [0, 1], 0.7, 0.3)
    learned = LearnedConfidence().fit(X, proba, answer == 1, predicted=answer)
    assert np.isfinite(learned.predict_confidence(X, proba, predicted=answer)).all()


def test_of_many_samples_some_are_drawn(monkeypatch):
    X, proba, right, _ = task()
    everything = LearnedConfidence(cv=3).fit(X, proba, right).predict_confidence(X, proba)
    seen = []

    def spied(number, rows, truth, random_state):
        seen.append(len(truth.right))
        return learn(number, rows, truth, random_state)

    monkeypatch.setattr(_learned, "_MOST_ROWS", 500)
    monkeypatch.setattr(_learned, "learn", spied)
    groups = np.arange(N) // 2
    learned = LearnedConfidence(cv=3).fit(X, proba, right, np.ones(N), groups=groups)
    assert set(seen) == {500}
    assert np.abs(learned.predict_confidence(X, proba) - everything).mean() < 0.1


def test_no_group_is_torn_between_folds():
    """Right or wrong is a coin of each group, which its number gives away: between groups nothing can be learned."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    right = rng.random(60)[groups] < 0.5
    X, proba = groups[:, np.newaxis].astype(float), np.full((600, 2), 0.5)
    torn, whole = (LearnedConfidence(cv=3).fit(X, proba, right, groups=each) for each in (None, groups))
    assert torn.gain_ > 5 * torn.gain_stderr_ > 0
    assert whole.gain_ < torn.gain_ / 5


def test_columns_of_any_kind_are_seen():
    X, proba, right, truth = task()
    side = np.where(X[:, 0] > 0, "left", "right")
    table = pd.DataFrame(
        {
            "side": pd.Categorical(side),
            "noise": X[:, 1],
            "missing": np.where(X[:, 2] > 1, np.nan, X[:, 2]),
            "text": np.where(X[:, 2] > 0, "a", None),
            "infinite": np.where(X[:, 1] > 1, np.inf, X[:, 1]),
            "empty": np.nan,
        }
    )
    learned = LearnedConfidence(cv=3).fit(table, proba, right)
    assert np.abs(learned.predict_confidence(table, proba) - truth).mean() < 0.07
    new = table.iloc[:4].assign(side="never seen")
    assert np.isfinite(learned.predict_confidence(new, proba[:4])).all()
    found = learned.predict_confidence(table.to_numpy(), proba)
    np.testing.assert_array_equal(found, learned.predict_confidence(table, proba))
    with pytest.raises(ValueError, match=r"X lacks the columns \['missing', .*\], but had them in fit"):
        learned.predict_confidence(table[["side", "noise"]], proba)


def test_features_say_what_it_sees():
    X, proba, right, truth = task()
    texts = np.where(X[:, 0] > 0, "sure thing", "who knows").tolist()
    with pytest.raises(ValueError, match=r"X is of shape \(1000,\)\. Pass features"):
        LearnedConfidence().fit(texts, proba, right)
    with pytest.raises(ValueError, match=r"X is a sparse matrix\. Pass features"):
        LearnedConfidence().fit(sparse.csr_matrix(X), proba, right)
    learned = LearnedConfidence(lambda given: [[len(text.split()), text.startswith("s")] for text in given], cv=3)
    assert np.abs(learned.fit(texts, proba, right).predict_confidence(texts, proba) - truth).mean() < 0.06


def test_its_tag_says_whether_it_takes_sparse_samples():
    """A function makes columns of whatever the samples are; without one, it and what it is in take no sparse matrix."""
    X, proba, right, _ = task()
    dense, function = LearnedConfidence(), LearnedConfidence(lambda given: given[:, :2].toarray(), cv=3)
    function.fit(sparse.csr_matrix(X), proba, right)
    with pytest.raises(ValueError, match="sparse"):
        dense.fit(sparse.csr_matrix(X), proba, right)
    for learned, takes in ((dense, False), (function, True)):
        for each in (learned, SelectiveClassifier(LogisticRegression(), confidence=learned)):
            assert get_tags(each).input_tags.sparse is takes


def test_it_is_reproducible_and_may_be_cloned():
    X, proba, right, _ = task(400)
    learned = LearnedConfidence(min_gain=0, cv=2)
    first, again = (clone(learned).fit(X, proba, right).predict_confidence(X, proba) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.ptp(first) > 0.1
    one_column = clone(learned).fit(X, proba[:, 1], right).predict_confidence(X, proba[:, 1])
    np.testing.assert_array_equal(first, one_column)


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({"min_gain": -1}, {}, "min_gain must lie in"),
        ({"cv": 1}, {}, "cv must be at least 2"),
        ({"features": LogisticRegression()}, {}, r"features must be a function of X .* Logistic.* takes no classifier"),
        ({}, {"correct": [True]}, "correct has 1 row"),
        ({}, {"proba": [[0.3, 1.7]] * 60}, "proba"),
        ({}, {"X": np.zeros((3, 1))}, "X has 3 rows"),
        ({}, {"true_class": [1]}, "true_class has 1 row"),
    ],
)
def test_what_is_wrong_is_named(params, given, message):
    usual = {"X": np.zeros((60, 1)), "proba": [[0.3, 0.7]] * 60, "correct": [True, False] * 30}
    with pytest.raises((ValueError, TypeError), match=message):
        LearnedConfidence(**params).fit(**usual | given)


def test_columns_are_found_by_name():
    X, proba, right, _ = task()
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    learned = LearnedConfidence(cv=3).fit(table, proba, right)
    assert learned.weights_[1:].any()
    expected = learned.predict_confidence(table, proba)
    moved = table[table.columns[::-1]].assign(more=1.0)
    for same in (moved, X, X.astype(object)):
        np.testing.assert_allclose(learned.predict_confidence(same, proba), expected, rtol=1e-8)
    with pytest.raises(ValueError, match=rf"X has {X.shape[1] + 1} columns, but had {X.shape[1]} in fit"):
        learned.predict_confidence(np.column_stack([X, X[:, 0]]), proba)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"correct": lambda right: right.astype(str)}, "correct must hold True or False for each sample, but holds"),
        ({"correct": lambda right: np.where(right, 1, -1)}, r"correct must hold True or False .* -1"),
        ({"correct": lambda right: np.where(right, 1, np.nan)}, r"correct must hold True or False .* nan"),
        (
            {"predicted": lambda right: np.full(len(right), -1)},
            r"predicted must hold positions of columns, from 0 to 1",
        ),
        ({"predicted": lambda right: right[:5].astype(int)}, "predicted has 5 rows"),
        ({"true_class": lambda right: right + 1}, r"true_class must hold positions of columns, from 0 to 1, but holds"),
        ({"true_class": lambda right: np.where(right, "a", "b")}, "true_class must hold positions of columns"),
        ({"groups": lambda right: right[:5]}, "groups has 5 rows"),
        ({"sample_weight": lambda right: np.full(len(right), 1e300)}, "weights"),
        ({"X": lambda right: np.empty((len(right), 0))}, r"X is of shape \(\d+, 0\)"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_input_that_is_none_is_refused(given, message):
    X, proba, right, _ = task()
    arguments = {"X": X, "correct": right} | {name: make(right) for name, make in given.items()}
    with pytest.raises(ValueError, match=message):
        LearnedConfidence().fit(arguments.pop("X"), proba, **arguments)


def test_fewer_groups_than_folds_and_small_weights():
    X, proba, right, _ = task()
    assert LearnedConfidence().fit(X, proba, right, groups=np.arange(len(right)) % 3).gain_ > 0
    assert np.isnan(LearnedConfidence().fit(X, proba, right, groups=np.zeros(len(right))).gain_)
    with pytest.warns(UserWarning, match="LearnedConfidence uses sample_weight as repetition counts"):
        LearnedConfidence(cv=3).fit(X, proba, right, np.full(len(right), 1e-3))
