"""LearnedConfidence: what it learns, when it keeps it, and what it sees."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone

from skconf.calibration import LearnedConfidence

N = 1500


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
    assert learned.share_ > 0
    assert learned.gain_ > 5 * learned.gain_stderr_ > 0
    assert np.abs(found - truth).mean() < 0.06  # one step from .7 ends at .86 and .47
    assert ((found > 0) & (found < 1)).all()


def test_where_there_is_nothing_to_find_it_mostly_returns_the_confidence_bit_for_bit():
    kept = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, sure = rng.normal(size=(600, 4)), rng.uniform(0.5, 1, 600)
        proba = np.column_stack([1 - sure, sure])
        learned = LearnedConfidence(min_gain=1).fit(X, proba, rng.random(600) < sure)
        if learned.share_ == 0:
            np.testing.assert_array_equal(learned.predict_confidence(X, proba), proba.max(axis=1))
        kept += learned.share_ > 0
    assert kept <= 4


@pytest.mark.parametrize("n_wrong", [0, 49])
def test_too_few_errors_teach_nothing(n_wrong):
    X, proba, _, _ = task(400)
    learned = LearnedConfidence().fit(X, proba, np.arange(400) >= n_wrong)
    assert learned.share_ == 0
    assert learned.regressor_ is None
    assert np.isnan(learned.gain_)
    np.testing.assert_array_equal(learned.predict_confidence(X, proba), 0.7)


def test_the_correction_is_that_of_its_trees_on_the_logit_of_the_answer():
    X, proba, right, _ = task()
    answer = np.zeros(N, dtype=int)
    learned = LearnedConfidence().fit(X, proba, ~right, predicted=answer)
    found = learned.predict_confidence(X, proba, predicted=answer)
    assert abs(found.mean() - 0.3) < 0.05  # the answer with a probability of .3
    # One Newton step from logit .3 that sees only two groups has a step close to (mean - .3)/(.3 · .7) in each.
    seen = learned._look(X, proba, answer, fit=False)[0]
    step = learned.share_ * learned.regressor_.predict(seen)
    np.testing.assert_allclose(found, expit(np.log(3 / 7) + step))
    for side in (X[:, 0] > 0.1, X[:, 0] < -0.1):
        newton = ((~right)[side].mean() - 0.3) / 0.21
        assert step[side].mean() == pytest.approx(learned.share_ * newton, abs=0.15)


def test_weights_count_and_zero_is_no_row():
    X, proba, right, _ = task()
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 3, N).astype(float)
    kept = weight > 0
    learned = LearnedConfidence().fit(X, proba, right, weight)
    alone = LearnedConfidence().fit(X[kept], proba[kept], right[kept], weight[kept])
    np.testing.assert_array_equal(learned.predict_confidence(X, proba), alone.predict_confidence(X, proba))
    assert (learned.gain_, learned.share_) == (alone.gain_, alone.share_)
    # A side of the task that weighs nothing is not learned.
    half = LearnedConfidence().fit(X, proba, right, np.where(X[:, 0] > 0, 1.0, 1e-6))
    assert half.predict_confidence(X, proba)[X[:, 0] < 0].mean() > 0.8


def test_no_group_is_torn_between_folds():
    """Right or wrong is a coin of each group, which its number gives away: between groups nothing can be learned."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    right = rng.random(60)[groups] < 0.5
    X, proba = groups[:, np.newaxis].astype(float), np.full((600, 2), 0.5)
    torn, whole = (LearnedConfidence().fit(X, proba, right, groups=each) for each in (None, groups))
    assert torn.share_ >= 1
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
        }
    )
    learned = LearnedConfidence().fit(table, proba, right)
    assert np.abs(learned.predict_confidence(table, proba) - truth).mean() < 0.07
    new = table.iloc[:4].assign(side="never seen")
    assert np.isfinite(learned.predict_confidence(new, proba[:4])).all()
    found = learned.predict_confidence(table.to_numpy(), proba)
    np.testing.assert_array_equal(found, learned.predict_confidence(table, proba))
    with pytest.raises(ValueError, match="other columns than in fit"):
        learned.predict_confidence(table[["side", "noise"]], proba)


def test_features_say_what_it_sees():
    X, proba, right, truth = task()
    texts = np.where(X[:, 0] > 0, "sure thing", "who knows").tolist()
    with pytest.raises(ValueError, match=r"X is of shape \(1500,\)\. Pass features"):
        LearnedConfidence().fit(texts, proba, right)
    with pytest.raises(ValueError, match=r"X is a sparse matrix\. Pass features"):
        LearnedConfidence().fit(sparse.csr_matrix(X), proba, right)
    learned = LearnedConfidence(lambda given: [[len(text.split()), text.startswith("s")] for text in given])
    assert np.abs(learned.fit(texts, proba, right).predict_confidence(texts, proba) - truth).mean() < 0.06


def test_it_is_reproducible_and_may_be_cloned():
    X, proba, right, _ = task()
    learned = LearnedConfidence(min_gain=0.2, cv=3)
    first, again = (clone(learned).fit(X, proba, right).predict_confidence(X, proba) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    one_column = clone(learned).fit(X, proba[:, 1], right).predict_confidence(X, proba[:, 1])
    np.testing.assert_array_equal(first, one_column)


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({"min_gain": -1}, {}, "min_gain must lie in"),
        ({"cv": 1}, {}, "cv must be at least 2"),
        ({}, {"correct": [True]}, "correct has 1 rows"),
        ({}, {"proba": [[0.3, 1.7]] * 60}, "proba"),
        ({}, {"X": np.zeros((3, 1))}, "X has 3 rows"),
    ],
)
def test_what_is_wrong_is_named(params, given, message):
    usual = {"X": np.zeros((60, 1)), "proba": [[0.3, 0.7]] * 60, "correct": [True, False] * 30}
    with pytest.raises(ValueError, match=message):
        LearnedConfidence(**params).fit(**usual | given)
