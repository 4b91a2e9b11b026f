"""Rows that abstain: counted in the coverage, charged as a rejection, and left out of everything else."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, MetricAccumulator, tune_threshold
from skconf.inference import assess_confidence, by_group, compare, confidence_interval
from skconf.metrics._base.registry import get_metric, metric_classes

RNG = np.random.default_rng(5)
N = 60
ABSTAINED = RNG.random(N) < 0.25
KEPT = np.flatnonzero(~ABSTAINED)
PROBA = RNG.dirichlet([2.0, 1.0, 1.0], N)
TRUTH = np.array([RNG.choice(3, p=row) for row in PROBA])
WEIGHT = RNG.integers(1, 4, N).astype(float)
CONFIDENCE = PROBA.max(axis=1)
RIGHT = (PROBA.argmax(axis=1) == TRUTH).astype(float)
COST = RNG.random(N)
#: What counts the rows that abstain, at these parameters: as rejected by every threshold.
COUNTING = {
    "coverage_score": {"threshold": 0.6},
    "reject_cost_loss": {"reject_cost": 0.3},
    "cwsa_curve": {},
    "metric_coverage_auc": {},
    "cwsa_score": {"normalize": "all"},
    "cwsa_plus_score": {"normalize": "all"},
}
#: Parameters without which a metric refuses.
GIVEN = {"cprecision_score": {"average": "macro"}}


def lacking(column):
    """Return a column with nothing where a row abstains."""
    column = np.array(column, dtype=float)
    column[ABSTAINED] = np.nan
    return column


def profiles(kind, weight):
    """Return a profile with rows that abstain, one of the answers alone, and one with a wrong answer in their place."""
    weights = WEIGHT if weight else None
    of_kept = WEIGHT[KEPT] if weight else None
    if kind == "classes":
        make, truth = ConfidenceProfile.from_predictions, pd.Series(TRUTH, dtype=object).where(~ABSTAINED)
        given = {"labels": [0, 1, 2], "abstained": ABSTAINED, "sample_weight": weights}
        return (
            make(truth, lacking(PROBA), **given),
            make(TRUTH[KEPT], PROBA[KEPT], labels=[0, 1, 2], sample_weight=of_kept),
            None,
        )
    right = RIGHT if kind == "right" else COST
    make = ConfidenceProfile.from_correctness
    return (
        make(lacking(right), lacking(CONFIDENCE), abstained=ABSTAINED, sample_weight=weights),
        make(right[KEPT], CONFIDENCE[KEPT], sample_weight=of_kept),
        make(np.where(ABSTAINED, 0, right), np.where(ABSTAINED, 0, CONFIDENCE), sample_weight=weights),
    )


def evaluated(metric, profile):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return metric(profile)
        except (ValueError, TypeError) as error:
            return type(error)


def same(one, other):
    if isinstance(one, tuple) or hasattr(one, "_fields"):
        return all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, type):
        return one is other
    return np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("weight", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("kind", ["right", "graded", "classes"])
@pytest.mark.parametrize("name", sorted(metric_classes()))
def test_every_metric_is_that_of_the_answers_or_counts_a_rejection(name, kind, weight):
    abstaining, answers, wrong = profiles(kind, weight)
    for params in [GIVEN.get(name, {}), *([COUNTING[name]] if name in COUNTING else [])]:
        metric = get_metric(name, **params)
        found = evaluated(metric, abstaining)
        if name == "risk_coverage_curve":
            curve, share = metric(answers), (WEIGHT[KEPT].sum() / WEIGHT.sum() if weight else len(KEPT) / N)
            assert same(found, (curve.coverage * share, curve.risk, curve.thresholds))
        elif not metric.rows_of(abstaining) is not abstaining:
            assert same(found, evaluated(metric, answers))
        elif wrong is not None:
            assert same(found, evaluated(metric, wrong))


def test_those_that_count_are_these():
    counting = {name for name in COUNTING if get_metric(name, **COUNTING[name]).rows_of(profiles("right", 0)[0]).n_rows}
    found = {
        name
        for name in metric_classes()
        for metric in [get_metric(name, **COUNTING.get(name, {}))]
        if metric.rows_of(profiles("right", 0)[0]).abstained is None
    }
    assert found == counting | {"risk_coverage_curve"}


@pytest.mark.parametrize("weight", [False, True])
def test_definitions_by_hand(weight):
    w = WEIGHT if weight else np.ones(N)
    abstaining, *_ = profiles("right", weight)
    accepted = ~ABSTAINED & (CONFIDENCE >= 0.6)
    assert get_metric("coverage_score", threshold=0.6)(abstaining) == pytest.approx(w[accepted].sum() / w.sum())
    risk = (w * (1 - RIGHT))[accepted].sum() / w[accepted].sum()
    assert get_metric("selective_risk_loss", threshold=0.6)(abstaining) == pytest.approx(risk)
    rejected = ABSTAINED | (1 - CONFIDENCE > 0.3)
    cost = (w * np.where(rejected, 0.3, 1 - RIGHT)).sum() / w.sum()
    assert get_metric("reject_cost_loss", reject_cost=0.3)(abstaining) == pytest.approx(cost)


def test_no_row_that_abstains_is_accepted_at_any_threshold():
    abstaining, *_ = profiles("right", False)
    for threshold in (0.0, 0.5, 1.0):
        accepted = np.count_nonzero(~ABSTAINED & (threshold <= CONFIDENCE)) / N
        assert get_metric("coverage_score", threshold=threshold)(abstaining) == pytest.approx(accepted)
    assert abstaining.n_rows == N
    assert len(abstaining) == len(KEPT)
    assert repr(abstaining) == f"ConfidenceProfile(n_samples={len(KEPT)}, n_abstained={N - len(KEPT)})"
    assert abstaining.share_answered == len(KEPT) / N


def test_verdict_and_calibration_are_of_the_answers():
    abstaining, answers, _ = profiles("right", False)
    assert str(assess_confidence(abstaining)) == str(assess_confidence(answers))


def ends(interval):
    return interval.value, interval.low, interval.high


def test_intervals_count_the_rows_that_a_metric_is_about():
    abstaining, answers, wrong = profiles("right", False)
    metrics = ["selective_accuracy_score", "confidence_brier_loss", ("coverage_score", {"threshold": 0.6})]
    both = confidence_interval(metrics, abstaining, random_state=0)
    for i, rows in enumerate([answers, answers, wrong]):
        alone = confidence_interval(metrics[i : i + 1], rows, random_state=0)
        pd.testing.assert_frame_equal(both.iloc[i : i + 1], alone)
    groups = np.arange(N) // 2
    grouped = confidence_interval("confidence_brier_loss", abstaining, groups=groups)
    assert grouped == confidence_interval("confidence_brier_loss", answers, groups=groups[KEPT])
    given = ConfidenceProfile.from_correctness(
        lacking(RIGHT), lacking(CONFIDENCE), abstained=ABSTAINED, groups=[f"q{group}" for group in groups]
    )
    assert ends(confidence_interval("confidence_brier_loss", given)) == pytest.approx(ends(grouped), rel=1e-12)
    of_all = confidence_interval("accuracy", wrong, groups=groups)
    assert ends(confidence_interval("accuracy", given)) == pytest.approx(ends(of_all), rel=1e-12)


def test_models_that_abstain_differently_are_compared():
    abstaining, answers, wrong = profiles("right", False)
    other = ConfidenceProfile.from_correctness(1 - RIGHT, CONFIDENCE)
    found = compare("accuracy", {"a": abstaining, "b": other})
    as_wrong = compare("accuracy", {"a": wrong, "b": other})
    assert (found.difference, found.low, found.high, found.p_value) == (
        as_wrong.difference,
        as_wrong.low,
        as_wrong.high,
        as_wrong.p_value,
    )
    brier = compare("confidence_brier_loss", {"a": abstaining, "b": other})
    assert brier.first_value == get_metric("confidence_brier_loss")(answers)
    assert brier.second_value == get_metric("confidence_brier_loss")(other)
    assert brier.low < brier.difference < brier.high
    drawn = compare("expected_calibration_error", {"a": abstaining, "b": other}, random_state=0, n_resamples=50)
    assert drawn.method == "bootstrap"


def test_groups_have_their_share_answered():
    abstaining, *_ = profiles("right", False)
    groups = np.where(np.arange(N) < 30, "a", "b")
    table = by_group(("coverage_score", {"threshold": 0}), abstaining, groups=groups, confidence_level=0.9)
    assert table["value"].tolist() == pytest.approx([1 - ABSTAINED[:30].mean(), 1 - ABSTAINED[30:].mean()])
    assert (table["low"] < table["value"]).all()
    risks = by_group("selective_risk_loss", abstaining, groups=groups, threshold=0)
    assert risks["value"].tolist() == pytest.approx(
        [1 - RIGHT[KEPT[KEPT < 30]].mean(), 1 - RIGHT[KEPT[KEPT >= 30]].mean()]
    )


def test_thresholds_are_those_of_the_answers_and_coverage_that_of_all_rows():
    abstaining, answers, _ = profiles("right", False)
    for options in (
        {"objective": "risk", "target": 0.4},
        {"objective": "risk", "target": 0.6, "confidence_level": 0.9},
    ):
        mine, theirs = tune_threshold(abstaining, **options), tune_threshold(answers, **options)
        assert mine.threshold == theirs.threshold
        assert mine.coverage == pytest.approx(theirs.coverage * len(KEPT) / N)
    mine = tune_threshold(abstaining, objective="cost", reject_cost=0.4)
    best = -np.nanmax(mine.to_frame()["objective"])
    costs = [np.where(~ABSTAINED & (t <= CONFIDENCE), 1 - RIGHT, 0.4).mean() for t in [np.inf, *CONFIDENCE[KEPT]]]
    assert best == pytest.approx(min(costs))


def test_weights_and_parts_know_who_abstains():
    abstaining, *_ = profiles("right", False)
    weighted = abstaining.with_weight(WEIGHT)
    expected, *_ = profiles("right", True)
    assert same(weighted.sample_weight, expected.sample_weight)
    assert weighted.share_answered == expected.share_answered
    with pytest.raises(ValueError, match="rows"):
        abstaining.with_weight(WEIGHT[KEPT])


@pytest.mark.parametrize("abstained", [[0, 1, 2], [0, np.nan, 1], [1, 1, 1]])
def test_other_columns_are_refused(abstained):
    with pytest.raises(ValueError, match="abstained") as caught:
        ConfidenceProfile.from_correctness([1, 0, 1], [0.5, 0.6, 0.7], abstained=abstained)
    assert caught.value.column == "abstained"


def test_errors_count_all_rows():
    with pytest.raises(ValueError, match="confidence is nan") as caught:
        ConfidenceProfile.from_correctness([1, None, 0], [0.5, None, None], abstained=[0, 1, 0])
    assert caught.value.row == 2


def test_a_column_where_nobody_abstains_changes_nothing():
    profile = ConfidenceProfile.from_correctness([1, 0, 1], [0.5, 0.6, 0.7], abstained=[False] * 3)
    assert profile.abstained is None


def test_parts_are_not_added_up():
    with pytest.raises(ValueError, match="abstain"):
        MetricAccumulator("confidence_brier_loss").update(profiles("right", False)[0])
