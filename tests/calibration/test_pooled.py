"""Pools of calibrators: weights, folds and the guide to the tail, each checked against something slower."""

import numpy as np
import pytest
from _support.calibration_tasks import binary_task, three_class_task
from _support.predictions import draw_proba
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit, softmax
from sklearn.base import clone

from skconf.calibration import IsotonicCalibrator, PlattCalibrator, PooledCalibrator, TemperatureCalibrator
from skconf.calibration._pool import (
    _rounds,
    default_members,
    fold_weights,
    lowered,
    out_of_fold,
    simplex_weights,
    tail_width,
)
from skconf.metrics import calibrated_size_ratio

# --- weights ------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), n_members=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_weights_have_the_largest_posterior(seed, n_members):
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 0.3, (n_members, 40))
    weight, prior = rng.exponential(1, 40), rng.uniform(0.1, 3, n_members)

    def loss(point):  # a softmax keeps the weights on the simplex
        w = np.exp(point - point.max())
        w /= w.sum()
        return -weight @ np.log(w @ chance) - prior @ np.log(w)

    found = simplex_weights(chance, weight, prior)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() > 0
    best = minimize(loss, np.zeros(n_members), method="BFGS", options={"gtol": 1e-7}).fun
    assert loss(np.log(found)) <= best + 1e-7 * abs(best)


def test_expectation_maximisation_stands_still_at_the_weights():
    rng = np.random.default_rng(0)
    chance, weight, prior = rng.random((4, 300)), np.ones(300), np.full(4, 0.5)
    w = simplex_weights(chance, weight, prior)
    share = w[:, np.newaxis] * chance / (w @ chance)
    np.testing.assert_allclose((share @ weight + prior) / (300 + 2), w, atol=1e-8)


def test_a_member_that_knows_gets_the_weight():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = rng.random(3000) < p
    raw_is_right = PooledCalibrator([None, PlattCalibrator(on="proba")]).fit(p, rng.random(3000) < p)
    assert raw_is_right.weights_[0] > 0.5
    raw_is_wrong = PooledCalibrator([None, "platt"]).fit(p**4, y)  # a sigmoid of the log-odds mends most of that
    assert raw_is_wrong.weights_[0] < 0.1


def test_a_member_that_is_far_behind_gets_next_to_nothing_from_its_prior():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 400)
    rare = rng.random(400) < expit(logit(p) - 3.5)  # classes are thirty times as unlike in number as they were
    model = PooledCalibrator([None, "platt"]).fit(p, rare)
    assert model.weights_[0] < 0.009  # half of 8 samples would be 0.01
    right = PooledCalibrator([None, "platt"]).fit(p, rng.random(400) < p)
    assert right.weights_[0] > 0.1


def test_classes_that_are_nearly_separable_leave_no_weight_with_members_that_are_behind():
    # Half of the prior is the Bayesian member's, whose curves hardly reach a shift of six in the log-odds. The log
    # losses of members differ by a few nats only, but the best one is nearly zero.
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        y = np.arange(n) % 20 == 0
        return expit(np.where(y, rng.normal(14, 2, n), rng.normal(-2, 3, n))), y

    losses, weights = [], []
    for seed in range(4):
        model = PooledCalibrator().fit(*draw(60, seed))
        p, y = draw(4000, 1000 + seed)
        losses.append(2 * np.mean((model.predict_proba(p)[:, 1] - y) ** 2))
        weights.append(model.weights_[4])
    assert np.mean(losses) < 0.002
    assert np.mean(weights) < 0.2


def test_the_pool_is_the_weighted_mean_of_members_fitted_on_all_samples():
    proba, y = three_class_task()
    model = PooledCalibrator([None, "platt", TemperatureCalibrator()], smoothing=0, tail_zscore=None).fit(proba, y)
    each = [
        proba,
        *(member.fit(proba, y).predict_proba(proba) for member in (PlattCalibrator(), TemperatureCalibrator())),
    ]
    np.testing.assert_allclose(model.predict_proba(proba), np.tensordot(model.weights_, each, 1), atol=1e-12)
    uniform = PooledCalibrator([None, "platt"], weights="uniform", smoothing=0, tail_zscore=None).fit(proba, y)
    np.testing.assert_allclose(uniform.predict_proba(proba), (each[0] + each[1]) / 2, atol=1e-12)


def test_further_samples_are_spread_over_the_classes():
    proba, y = three_class_task(100)
    plain, smoothed = (PooledCalibrator([None, "platt"], smoothing=s).fit(proba, y) for s in (0, 4))
    expected = (100 * plain.predict_proba(proba) + 4 / 3) / 104
    np.testing.assert_allclose(smoothed.predict_proba(proba), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [50, 400])
def test_an_error_at_the_top_adds_little_to_the_size_ratio(n):
    y = np.arange(n) % 2
    proba = np.where(y[:, None] == [0, 1], 1 - 1e-9, 1e-9)  # as sure and as right as can be
    highest = PooledCalibrator().fit(proba, y).predict_proba(proba).max()
    assert 1 / (n * (1 - highest)) < 2.75  # 2.7 at most, says the guide; 2 / 0.75 for many samples


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("n_samples", [10, 10_000])
def test_the_prior_favours_rigid_members_while_there_are_few_samples(n_classes, n_samples):
    members, prior = default_members(n_classes, n_samples)
    assert prior.sum() == pytest.approx(1)
    assert (prior > 0).all()
    flexible = prior[2] if n_classes == 2 else prior[4]  # the spline, and the matrix
    assert (flexible < 0.05) == (n_samples == 10)
    assert len(members) == len(prior)


def test_members_are_judged_on_samples_they_were_not_fitted_on():
    p, y = binary_task(60)
    w = np.ones(60)
    proba = np.column_stack([1 - p, p])
    (held,), true, weight = out_of_fold([PlattCalibrator()], proba, y.astype(int), w)
    assert weight.tolist() == [1.0] * 60
    expected = []
    for fold in fold_weights(proba, y.astype(int), w, 5):
        model = PlattCalibrator().fit(proba[fold == 0], y[fold == 0])
        expected.append(model.predict_proba(proba[fold == 1]))
    np.testing.assert_allclose(held, np.concatenate(expected), rtol=1e-12)
    assert true.sum() == y.sum()


def test_weights_are_learned_without_a_guide_too():
    proba, y = binary_task()
    guided, free = (PooledCalibrator(tail_zscore=zscore).fit(proba, y) for zscore in (0.5, None))
    np.testing.assert_array_equal(free.weights_, guided.weights_)
    assert not np.allclose(free.weights_, default_members(2, len(y))[1], atol=0.01)
    assert free.tail_ == 0


def test_with_many_samples_one_fold_is_enough():
    p, y = binary_task(10_000)
    _, true, _ = out_of_fold([None], np.column_stack([1 - p, p]), y.astype(int), np.ones(10_000))
    assert len(true) == pytest.approx(2000, abs=2)


@pytest.mark.parametrize(
    ("proba", "y", "weight"),
    [([0.2, 0.7], [0, 1], None), ([0.2, 0.7, 0.4], [0, 1, 1], [1, 1, 0]), (np.eye(3) / 2 + 1 / 6, [0, 1, 2], None)],
    ids=["two", "weight zero", "three classes"],
)
def test_where_no_sample_can_be_held_out_the_prior_decides(proba, y, weight):
    model = PooledCalibrator().fit(proba, y, weight)
    np.testing.assert_allclose(model.weights_, default_members(len(set(y)), len(set(y)))[1])
    assert np.isfinite(model.predict_proba(proba)).all()


@pytest.mark.parametrize("n", [1000, 10_000, 20_000])
def test_one_sample_of_a_class_misleads_nobody(n):
    # Members that have not seen the class, and so have learned nothing, must not be judged.
    p, y = np.append(np.full(n - 1, 0.3), 0.99), np.append(np.ones(n - 1), 0)
    model = PooledCalibrator().fit(p, y)
    assert model.predict_proba([0.3])[0, 1] > 0.99


def test_steps_are_found_with_many_samples():
    rng = np.random.default_rng(0)
    p = expit(rng.normal(0, 2, 12_000))
    truth = np.where(p > 0.7, 0.8, 0.1)
    y = rng.random(12_000) < truth
    got = PooledCalibrator().fit(p[:10_000], y[:10_000]).predict_proba(p[10_000:])[:, 1]
    assert np.mean((got - truth[10_000:]) ** 2) < 0.002


@pytest.mark.parametrize(("n_rare", "share"), [(20, 1.0), (10_000, 0.2)])
def test_with_many_samples_some_others_are_learned_from_unless_a_class_is_rare(n_rare, share):
    p, codes, weight = np.linspace(0.01, 0.99, 20_000), (np.arange(20_000) < n_rare).astype(int), np.ones(20_000)
    kept, held = next(_rounds(np.column_stack([1 - p, p]), codes, weight))
    assert (kept + held <= weight).all()
    assert kept.sum() == pytest.approx(share * (20_000 - held.sum()), rel=0.15)


@pytest.mark.slow
def test_it_is_better_than_its_members_are_on_average():
    wins = []
    for seed in range(5):
        p, y = binary_task(1300, seed)
        fit, rest = slice(300), slice(300, None)
        model = PooledCalibrator().fit(p[fit], y[fit])
        loss = [
            np.mean((q - y[rest]) ** 2)
            for q in (
                model.predict_proba(p[rest])[:, 1],
                *(p[rest] if m is None else m.predict_proba(p[rest])[:, 1] for m in model.members_),
            )
        ]
        wins.append(loss[0] < np.mean(loss[1:]))
    assert all(wins)


# --- folds --------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_every_sample_is_held_out_once_and_folds_are_alike(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 120))
    p, codes = rng.random((n, 2)).round(1), rng.integers(0, 2, n)
    weight = rng.integers(1, 9, n).astype(float) if seed % 2 else rng.exponential(1, n)
    assume(abs(weight @ p[:, 0] - weight @ p[:, 1]) > 1e-9)  # else neither class is more probable on the average
    folds = list(fold_weights(p, codes, weight, 5))
    np.testing.assert_allclose(np.sum(folds, axis=0), weight, rtol=1e-7)
    unit, column = min(1, weight.max()), int(weight @ p[:, 1] > weight @ p[:, 0])
    for least in np.unique(p[:, column]):
        above = [fold[p[:, column] >= least].sum() for fold in folds]
        assert max(above) - min(above) <= 2 * unit * (1 + 1e-7)


@pytest.mark.parametrize("weight", [1.0, 1e6, 1e12, 1e300])
def test_each_fold_holds_something_out_however_large_weights_are(weight):
    p, codes = np.linspace(0.01, 0.99, 200), np.arange(200) % 2
    for kept, held in _rounds(np.column_stack([1 - p, p]), codes, np.full(200, weight)):
        assert held.sum() > 0
        assert kept.sum() > 0


def test_folds_are_blind_to_classes():
    """What is held out would else repeat the class frequencies of what is learned."""
    rng = np.random.default_rng(0)
    p = rng.random(500)
    codes = (rng.random(500) < p).astype(int)
    held = [fold[codes == 1].sum() for fold in fold_weights(np.column_stack([1 - p, p]), codes, np.ones(500), 5)]
    assert np.std(held) > 2
    other = [fold[codes == 1].sum() for fold in fold_weights(np.column_stack([p, 1 - p]), 1 - codes, np.ones(500), 5)]
    assert held == other  # swapped classes change nothing


def test_ties_are_dealt_to_all_folds():
    # With all right ones of a tie in one fold, the others would learn that it is always wrong.
    p = np.full((1000, 2), 0.5)
    codes = np.arange(1000) % 2
    for fold in fold_weights(p, codes, np.ones(1000), 5):
        assert fold[codes == 1].sum() == 100


def test_weights_below_one_are_dealt_as_their_multiples_are():
    rng = np.random.default_rng(0)
    p, codes = rng.random((50, 2)), rng.integers(0, 2, 50)
    for small, large in zip(
        fold_weights(p, codes, np.full(50, 1e-9), 5), fold_weights(p, codes, np.ones(50), 5), strict=True
    ):
        np.testing.assert_allclose(small * 1e9, large, rtol=1e-7)


# --- tail ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zscore", [0.0, 1.0, -0.5])
def test_the_tail_is_as_narrow_as_it_may_be(zscore):
    rng = np.random.default_rng(1)
    unsure = rng.beta(0.3, 2, 2000)
    wrong = rng.random(2000) < unsure + 0.03
    weight = rng.integers(1, 3, 2000).astype(float)
    width = tail_width(unsure, wrong, weight, zscore)

    def zscore_at(width):
        doubt = np.where(unsure < width, (unsure + width) / 2, unsure)
        return (np.average(wrong / doubt, weights=weight) - 1) / np.sqrt(weight @ (1 / doubt - 1)) * weight.sum()

    assert 0 < width < 0.5
    assert zscore_at(width) == pytest.approx(zscore, abs=1e-3)
    assert zscore_at(0.9 * width) > zscore
    assert zscore_at(0) > zscore


def test_a_tail_that_is_right_stays():
    unsure = np.full(100, 0.5)
    assert tail_width(unsure, np.arange(100) < 50, np.ones(100), 0.0) == 0


@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 5), width=st.floats(1e-6, 0.5))
@settings(max_examples=50, deadline=None)
def test_lower_confidences_keep_their_order_and_their_class(seed, n_classes, width):
    proba = draw_proba(60, n_classes, seed, concentration=0.05)
    proba[0] = np.eye(n_classes)[0]
    got = lowered(proba, width)
    np.testing.assert_allclose(got.sum(axis=1), 1)
    before, after = proba.max(axis=1), got.max(axis=1)
    np.testing.assert_allclose(after, np.where(1 - before < width, 1 - (1 - before + width) / 2, before), atol=1e-12)
    assert (got[np.arange(60), proba.argmax(axis=1)] >= after - 1e-12).all()
    assert (np.diff(after[np.argsort(before)]) >= -1e-12).all()
    # The other classes keep their ratios.
    rest = np.argsort(proba, axis=1)[:, :-1]
    others, old = (np.take_along_axis(each, rest, axis=1) for each in (got, proba))
    held = old.sum(axis=1) > 1e-9
    others, old = others[held], old[held]
    np.testing.assert_allclose(
        others / others.sum(axis=1, keepdims=True), old / old.sum(axis=1, keepdims=True), atol=1e-6
    )


def test_the_guide_lowers_the_size_ratio_of_new_samples():
    found = []
    for seed in range(20):
        p, y = binary_task(2200, seed)
        sure = np.where(p > 0.5, p ** (1 / 30), 1 - (1 - p) ** (1 / 30))  # far too sure at both ends
        ratio = [
            calibrated_size_ratio(
                y[200:], PooledCalibrator([None], tail_zscore=z).fit(sure[:200], y[:200]).predict_proba(sure[200:])
            )
            for z in (None, 0.0)
        ]
        found.append(ratio)
    without, guided = np.mean(found, axis=0)
    assert without > 2
    assert guided < 1.3


# --- classes and parameters ---------------------------------------------------------------------------------------


def test_an_absent_class_is_scaled_and_the_others_share_the_rest():
    proba, y = three_class_task()
    seen = y != 1
    with pytest.warns(UserWarning, match=r"PooledCalibrator cannot calibrate the probabilities of \[1\]") as told:
        model = PooledCalibrator(smoothing=0).fit(proba[seen], y[seen], labels=[0, 1, 2])
    assert len(told) == 1
    with pytest.warns(UserWarning, match="scales"):
        scaled = TemperatureCalibrator(smoothing=1).fit(proba[seen], y[seen], labels=[0, 1, 2]).predict_proba(proba)
    raw, temperature = model.weights_[:2] / model.weights_[:2].sum()
    absent = raw * proba[:, 1] + temperature * scaled[:, 1]
    got = model.predict_proba(proba)
    np.testing.assert_allclose(got[:, 1], absent, rtol=1e-9)
    pair = proba[:, [0, 2]] / proba[:, [0, 2]].sum(axis=1, keepdims=True)
    alone = PooledCalibrator(smoothing=0).fit(pair[seen], y[seen]).predict_proba(pair)
    np.testing.assert_allclose(got[:, [0, 2]], alone * (1 - absent[:, np.newaxis]), rtol=1e-9)


def test_an_absent_class_keeps_its_probability_among_given_members():
    proba, y = three_class_task()
    seen = y != 1
    with pytest.warns(UserWarning, match="no sample"):
        model = PooledCalibrator([None, "platt"], smoothing=0).fit(proba[seen], y[seen], labels=[0, 1, 2])
    np.testing.assert_allclose(model.predict_proba(proba)[:, 1], proba[:, 1], rtol=1e-9)


def test_a_class_of_one_sample_is_no_obstacle():
    proba, y = three_class_task(30)
    y[y == 0] = 1
    y[0] = 0
    got = PooledCalibrator().fit(proba, y).predict_proba(proba)
    assert np.isfinite(got).all()


@pytest.mark.parametrize(("n_classes", "n", "weight"), [(3, 600, 10), (2, 1500, 8)])
def test_many_repetitions_are_weights(n_classes, n, weight):
    """There are more folds with more samples, and fewer samples of others to learn from: by weight, not by row."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(n, n_classes)) * 1.5
    y = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    proba = softmax(2 * logits, axis=1)
    rows = np.repeat(np.arange(n), weight)
    by_weight = PooledCalibrator().fit(proba, y, np.full(n, weight)).predict_proba(proba)
    by_rows = PooledCalibrator().fit(proba[rows], y[rows]).predict_proba(proba)
    np.testing.assert_allclose(by_weight, by_rows, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_classes_in_another_order_where_probabilities_are_tied(seed):
    rng = np.random.default_rng(seed)
    votes = rng.integers(1, 8, (100, 3)).astype(float)
    proba, y, moved = votes / votes.sum(axis=1, keepdims=True), rng.integers(3, size=100), [2, 0, 1]
    expected = PooledCalibrator().fit(proba, y).predict_proba(proba)[:, moved]
    found = PooledCalibrator().fit(proba[:, moved], np.argsort(moved)[y]).predict_proba(proba[:, moved])
    np.testing.assert_allclose(found, expected, atol=1e-6)


class _Forgetful(PlattCalibrator):
    """A calibrator with a fit of its own, which forgets half of the samples."""

    def fit(self, proba, y, sample_weight=None, *, labels=None):
        return super().fit(proba[::2], y[::2], None if sample_weight is None else sample_weight[::2], labels=labels)


def test_a_member_with_a_fit_of_its_own_is_fitted_by_it():
    p, y = binary_task(400)
    pooled = PooledCalibrator([_Forgetful()], smoothing=0, tail_zscore=None).fit(p, y)
    expected = PlattCalibrator().fit(p[::2], y[::2]).predict_proba(p)
    np.testing.assert_allclose(pooled.predict_proba(p), expected, rtol=1e-12)


def test_members_are_cloned_and_parameters_stay():
    member = IsotonicCalibrator(smoothing=3)
    model = PooledCalibrator([member, "platt", None])
    p, y = binary_task(50)
    model.fit(p, y)
    assert not hasattr(member, "classes_")
    assert model.members_[0].smoothing == 3
    assert clone(model).members[1:] == ["platt", None]
    assert model.members == [member, "platt", None]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"weights": "equal"}, ValueError, "weights must be one of 'learned', 'uniform'"),
        ({"members": []}, ValueError, "members must be a list of at least one"),
        ({"members": "platt"}, ValueError, "members must be a list of at least one"),
        ({"members": ["plat"]}, ValueError, "no calibrator 'plat'"),
        ({"smoothing": -1}, ValueError, "smoothing must lie in"),
        ({"tail_zscore": "0"}, TypeError, "tail_zscore must be a number"),
    ],
)
def test_parameters_that_are_none_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        PooledCalibrator(**params).fit([0.1, 0.9], [0, 1])
