"""The weights of second opinions, against their definition."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold

from skconf.calibration._stack import N_MODELS, Seen, Truth, gain, learn, out_of_fold, stack, stacked_out_of_fold


@pytest.fixture
def opinions():
    """Return four logits, of which the second is the true one, the third its opposite and the fourth noise."""
    rng = np.random.default_rng(0)
    true = rng.normal(size=400)
    logits = np.stack([0.3 * true + rng.normal(size=400), true, -true, rng.normal(size=400)])
    right = rng.random(400) < expit(true)
    return logits, Truth(right, right.astype(int), rng.uniform(0.5, 2, 400))


def ridge_loss(weights, intercept, logits, truth):
    chance = expit(weights @ logits + intercept)
    lost = -np.log(np.where(truth.right, chance, 1 - chance))
    moved = weights - np.eye(len(weights))[0]
    return truth.weight @ lost + 2 * (moved @ moved) + intercept**2 / 2


def test_no_other_weights_lose_less(opinions):
    weights, intercept = stack(*opinions)
    assert (weights >= 0).all()
    assert weights[1] > 0.5
    assert weights[2] == 0
    least = ridge_loss(weights, intercept, *opinions)
    rng = np.random.default_rng(1)
    for scale in (0.3, 0.03, 0.003):
        for step in rng.normal(scale=scale, size=(100, 5)):
            assert ridge_loss(np.maximum(weights + step[:4], 0), intercept + step[4], *opinions) >= least - 1e-6


def test_a_weight_counts_repetitions(opinions):
    logits, truth = opinions
    times = np.random.default_rng(2).integers(1, 4, 400)
    repeated = truth.take(np.repeat(np.arange(400), times))._replace(weight=np.ones(times.sum()))
    once = stack(logits, truth._replace(weight=times.astype(float)))
    np.testing.assert_allclose(once[0], stack(np.repeat(logits, times, axis=1), repeated)[0], atol=1e-4)


def test_the_gain_is_that_of_weights_from_other_folds(opinions):
    logits, truth = opinions
    splits = list(KFold(4).split(truth.right))
    each = np.empty(400)
    for train, test in splits:
        weights, intercept = stack(logits[:, train], truth.take(train))
        for row in test:
            sign = 1 if truth.right[row] else -1
            before, after = expit(sign * logits[0, row]), expit(sign * (weights @ logits[:, row] + intercept))
            each[row] = np.log(after / before)
    share = truth.weight / truth.weight.sum()
    mean = share @ each
    found = gain(logits[0], stacked_out_of_fold(logits, truth, splits), truth)
    assert found == pytest.approx((mean, np.sqrt(share @ (each - mean) ** 2 * (share @ share))))


def test_opinions_come_from_models_of_other_folds():
    """Labels are coins: a model that has seen a sample knows its label, and one that has not does not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    seen, truth = Seen(X, np.zeros((200, 1)), np.ones(200, dtype=int)), Truth(y == 1, y, np.ones(200))
    assert learn(0, seen, truth, 0).logit(seen)[y == 1].min() > 5
    logits = out_of_fold(seen, truth, list(KFold(5).split(X)), 0)
    assert logits.shape == (1 + N_MODELS, 200)
    assert np.abs([row[y == 1].mean() - row[y == 0].mean() for row in logits]).max() < 0.6


def test_what_no_model_has_seen_is_next_to_impossible():
    X, y = make_classification(100, 4, random_state=0)
    seen = Seen(X, np.zeros((100, 1)), np.full(100, 2))
    for number in range(3):
        model = learn(number, seen, Truth(y == 1, np.where(y == 1, 3, 0), np.ones(100)), 0)
        np.testing.assert_allclose(model.logit(seen), np.log(1e-4 / (1 - 1e-4)))
    assert learn(0, seen, Truth(y == 1, np.zeros(100, dtype=int), np.ones(100)), 0) is None
