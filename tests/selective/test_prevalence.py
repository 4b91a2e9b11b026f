"""Another prevalence in classifiers and thresholds: against Bayes' factor, the rule on drawn rows, and populations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from skconf import (
    ConfidenceProfile,
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    required_samples,
    tune_threshold,
)
from skconf.calibration import correct_prevalence
from skconf.selective._mix import draw_to_mix, most_rows

X, Y = make_classification(2000, n_informative=4, class_sep=0.7, random_state=0)


def noise(rng, n, risks):
    """Return labels and probabilities of rows whose class is told wrong at random, at any score."""
    y = np.repeat([0, 1], n)
    wrong = rng.random(len(y)) < np.array(risks)[y]
    score = rng.random(len(y)) / 2 + 0.5
    return y, np.where((y == 1) != wrong, score, 1 - score)


def test_classifier_is_bayes_factor_after_calibration():
    plain = SelectiveClassifier(LogisticRegression(), calibration="platt", cv=0.3, random_state=0).fit(X, Y)
    there = SelectiveClassifier(
        LogisticRegression(), calibration="platt", cv=0.3, prevalence={1: 0.01}, random_state=0
    ).fit(X, Y)
    proba = plain.predict_proba(X)
    held = there.calibrator_.factor
    before = 0.01 / held[1]
    np.testing.assert_allclose(there.predict_proba(X), correct_prevalence(proba, {1: before}, {1: 0.01}))
    assert before == pytest.approx(Y.mean(), abs=0.01)
    assert there.predict(X).mean() < plain.predict(X).mean()


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({}, "calibration='pooled'"),
        ({"calibration": "isotonic"}, "stay 0"),
        ({"calibration": "histogram"}, "stay 0"),
        ({"calibration": "platt", "keep_prediction": True}, "keep_prediction"),
        ({"calibration": "platt", "prevalence": {2: 0.1}}, "not among"),
        ({"calibration": "platt", "prevalence": {1: (0.1, 0.2)}}, "confidence_level"),
    ],
)
@pytest.mark.parametrize("kind", [SelectiveClassifier, TunedSelectiveClassifierCV])
def test_what_leaves_nothing_to_correct_is_refused(kind, params, word):
    with pytest.raises(ValueError, match=word):
        kind(LogisticRegression(), **{"prevalence": {1: 0.1}, **params}).fit(X, Y)


def test_as_many_rows_are_drawn_as_do_not_run_out():
    held, shares = np.array([4000, 1000]), np.array([0.9, 0.1])
    m = most_rows(held, shares)
    assert binom.sf(held, m, shares).sum() < 0.001 <= binom.sf(held, m + 1, shares).sum()
    codes = np.repeat([0, 1], held)
    drawn = draw_to_mix(codes, shares, 0)
    assert len(drawn) == len(np.unique(drawn)) == m
    assert codes[drawn].mean() == pytest.approx(0.1, abs=0.02)
    assert (drawn == draw_to_mix(codes, shares, 0)).all()


def test_threshold_is_that_of_the_rule_on_the_drawn_rows():
    y, proba = noise(np.random.default_rng(0), (3000, 1000), (0.02, 0.4))
    found = tune_threshold(y, proba, target=0.05, confidence_level=0.9, prevalence={1: 0.02}, random_state=0)
    rows = draw_to_mix(y, np.array([0.98, 0.02]), 0)
    by_hand = tune_threshold(y[rows], proba[rows], target=0.05, confidence_level=0.9)
    assert (found.threshold, found.n_samples) == (by_hand.threshold, len(rows))
    profile = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.02})
    same = tune_threshold(profile, target=0.05, confidence_level=0.9, random_state=0)
    assert (same.threshold, same.risk) == (found.threshold, found.risk)
    accepted = profile.confidence >= found.threshold
    wrong = accepted & ~profile.correct
    risk = np.average(wrong, weights=profile.sample_weight) / np.average(accepted, weights=profile.sample_weight)
    assert found.risk == pytest.approx(risk)


def test_without_a_level_rows_are_weighted():
    y, proba = noise(np.random.default_rng(0), (300, 300), (0.02, 0.4))
    profile = ConfidenceProfile.from_predictions(y, proba).at_prevalence({1: 0.02})
    found = tune_threshold(y, proba, target=0.03, prevalence={1: 0.02})
    assert found.threshold == tune_threshold(profile.with_weight(profile.sample_weight), target=0.03).threshold


@pytest.mark.parametrize("given", [{"target": 0.1, "confidence_level": 0.9}, {"objective": "cost", "reject_cost": 0.1}])
def test_at_the_own_shares_nothing_is_drawn_or_weighted(given):
    y, proba = noise(np.random.default_rng(0), (2000, 700), (0.02, 0.1))
    own = {1: 700 / 2700}
    plain = tune_threshold(y, proba, random_state=0, **given)
    for found in (
        tune_threshold(y, proba, prevalence=own, random_state=0, **given),
        tune_threshold(ConfidenceProfile.from_predictions(y, proba).at_prevalence(own), random_state=0, **given),
    ):
        for name in ("threshold", "coverage", "risk", "risk_upper_bound", "n_samples"):
            np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
        np.testing.assert_array_equal(found.to_frame(), plain.to_frame())
    if "confidence_level" in given:
        target = {"risk": 0.1, "false_negative_rate": {1: 0.4}}
        several = [tune_threshold(y, proba, **(given | at | {"target": target})) for at in ({}, {"prevalence": own})]
        pd.testing.assert_frame_equal(several[0].guarantees, several[1].guarantees, check_exact=True)


@pytest.mark.parametrize("several", [False, True])
def test_clusters_that_are_larger_in_a_class_leave_its_share_as_it_is_given(several):
    """900 clusters of one row and 90 of ten rows: half of the rows are positive, but one of eleven clusters."""
    y, proba = noise(np.random.default_rng(0), (900, 900), (0.02, 0.3))
    clusters = np.append(np.arange(900), 900 + np.arange(900) // 10)
    given = {"target": {"risk": 0.1} if several else 0.1, "confidence_level": 0.9, "groups": clusters}
    with pytest.warns(UserWarning, match=r"[Ee]verything is rejected"):  # at half of the cases 0.16 are wrong
        assert not tune_threshold(y, proba, prevalence={1: 0.5}, random_state=0, **given).feasible
    assert tune_threshold(y, proba, random_state=0, **given).feasible


def test_classifiers_at_the_shares_of_their_rows_are_those_without():
    params = {"calibration": "platt", "cv": [(np.arange(1000), np.arange(1000, 2000))], "random_state": 0}
    own = {1: float(Y[1000:].mean())}
    plain, there = (SelectiveClassifier(LogisticRegression(), **params, prevalence=at) for at in (None, own))
    np.testing.assert_array_equal(there.fit(X, Y).predict_proba(X), plain.fit(X, Y).predict_proba(X))


def test_errors_by_class_stand_beside_the_risk():
    y, proba = noise(np.random.default_rng(0), (3000, 1000), (0.02, 0.4))
    found = tune_threshold(y, proba, target=0.05, confidence_level=0.9, prevalence={1: 0.02}, random_state=0)
    confidence, wrong = np.maximum(proba, 1 - proba), (proba > 0.5) != y
    accepted = confidence >= found.threshold
    assert list(found.by_class.index) == [0, 1]
    for k in (0, 1):
        mine = y == k
        assert found.by_class.loc[k, "coverage"] == pytest.approx(accepted[mine].mean())
        assert found.by_class.loc[k, "risk"] == pytest.approx(wrong[mine & accepted].mean())
    kept = np.array([0.98, 0.02]) * found.by_class["coverage"]
    assert found.risk == pytest.approx((kept * found.by_class["risk"]).sum() / kept.sum())
    assert tune_threshold(y, proba, target=0.2, confidence_level=0.9).by_class is None
    model = TunedSelectiveClassifierCV(
        LogisticRegression(), calibration="platt", confidence_level=0.9, target=0.4, prevalence={1: 0.3}, random_state=0
    )
    assert list(model.fit(X, Y).by_class_.columns) == ["coverage", "risk"]


@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_a_range_is_kept_at_both_ends_and_classes_that_run_out_accept_nothing():
    y, proba = noise(np.random.default_rng(0), (4000, 2000), (0.01, 0.1))
    options = {"target": 0.05, "confidence_level": 0.9, "random_state": 0}
    found = tune_threshold(y, proba, prevalence={1: (0.01, 0.2)}, **options)
    assert found.feasible
    assert found.risk_upper_bound <= 0.05
    worse = tune_threshold(y, proba, prevalence={1: (0.01, 0.9)}, **options)
    assert not worse.feasible
    few = tune_threshold(y[:4001], proba[:4001], prevalence={1: 0.9}, **options)
    assert not few.feasible


def violations(n_sets, seed, sizes, share, risks, target):
    rng = np.random.default_rng(seed)
    return np.mean(
        [
            tune_threshold(
                *noise(rng, sizes, risks), target=target, confidence_level=0.95, prevalence={1: share}, random_state=i
            ).feasible
            for i in range(n_sets)
        ]
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_noise_of_the_target_risk_is_seldom_accepted():
    # The risk is a little above the target at every threshold, so that each acceptance is a violation.
    assert violations(60, 0, (1000, 1000), 0.05, (0.0801 / 0.95 - 0.2 * 0.05 / 0.95, 0.2), 0.08) <= 0.05 + 2 * 0.028


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Everything is rejected")
@pytest.mark.parametrize(
    ("sizes", "share", "target", "rare"),
    [((4000, 1000), 0.003, 0.0015, 0.0), ((2000, 2000), 0.01, 0.005, 0.5), ((500, 500), 0.2, 0.1, 0.1)],
)
def test_noise_violates_as_seldom_as_is_promised(sizes, share, target, rare):
    common = (target * (1 + 1e-6) - share * rare) / (1 - share)
    assert violations(1000, 1, sizes, share, (common, rare), target) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


class TestRequiredSamples:
    @pytest.mark.parametrize("shares", [{"a": 0.003, "b": 0.997}, {"a": 0.2, "b": 0.3, "c": 0.5}])
    @pytest.mark.parametrize(("target", "coverage", "errors"), [(0.01, 1.0, 0), (0.05, 0.5, 2)])
    def test_of_each_class_suffice_to_draw_those_of_the_mix(self, shares, target, coverage, errors):
        n = required_samples(target, 0.95, coverage=coverage, errors=errors)
        found = required_samples(target, 0.95, coverage=coverage, errors=errors, prevalence=shares)
        assert list(found) == list(shares)
        for label, rows in found.items():
            runs_out = 0.001 / len(shares)
            assert binom.sf(rows, n, shares[label]) <= runs_out < binom.sf(rows - 1, n, shares[label])
        assert most_rows(np.array(list(found.values())), np.array(list(shares.values()))) >= n - 1

    def test_show_the_risk_where_all_are_right(self):
        found = required_samples(0.01, 0.95, prevalence={1: 0.02})
        y = np.repeat(list(found), list(found.values()))
        tuned = tune_threshold(
            y, y * 0.98 + 0.01, target=0.01, confidence_level=0.95, prevalence={1: 0.02}, random_state=0
        )
        assert tuned.feasible

    def test_hold_at_both_ends_of_a_range(self):
        found = required_samples(0.01, 0.95, prevalence={"fraud": (0.005, 0.02)})
        ends = [required_samples(0.01, 0.975, prevalence={"fraud": share}) for share in (0.005, 0.02)]
        assert found == {label: max(end[label] for end in ends) for label in ("not fraud", "fraud")}

    @pytest.mark.parametrize(
        ("prevalence", "error", "word"),
        [
            (0.003, TypeError, "map labels"),
            ({}, ValueError, "with sum 0"),
            ({"fraud": 3}, ValueError, "for 3% pass 0.03"),
            ({"a": 0.1, "b": 0.2, "c": 0.3}, ValueError, "must be 1"),
            ({"fraud": (0.02, 0.005)}, ValueError, "from the lower to the higher"),
        ],
    )
    def test_of_bad_shares_are_refused(self, prevalence, error, word):
        with pytest.raises(error, match=word):
            required_samples(0.01, 0.95, prevalence=prevalence)
