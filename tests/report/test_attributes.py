"""The tables and texts that a report holds, beside what it prints and writes."""

import numpy as np
import pandas as pd
import pytest

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report, tune_threshold
from skconf.inference import assess_confidence

N = 3000
RNG = np.random.default_rng(0)
SURE = RNG.beta(6, 1, N).clip(0.5)
RIGHT = RNG.random(N) < SURE
REGION = RNG.choice(["north", "south"], N)
BAD = np.where(REGION == "south", RNG.random(N) < SURE - 0.2, RIGHT)


def profile_of(right=RIGHT, sure=SURE, **options):
    return ConfidenceProfile.from_correctness(right, sure, **options)


@pytest.fixture(scope="module")
def report():
    return confidence_report({"fair": profile_of(), "bad": profile_of(BAD)}, slices={"region": REGION})


def test_a_verdict_for_each_model_whatever_metrics_are_shown(report):
    expected = {"fair": assess_confidence(profile_of()).text, "bad": assess_confidence(profile_of(BAD)).text}
    assert report.verdict == expected
    chosen = confidence_report({"fair": profile_of(), "bad": profile_of(BAD)}, metrics=["aurc_loss"])
    assert chosen.verdict == expected
    assert set(map(len, chosen.frame["verdict"])) == {0}
    assert confidence_report(profile_of()).verdict == {"value": expected["fair"]}


@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_thresholds_are_those_that_keep_what_is_allowed(report):
    table = report.thresholds
    assert table["model"].tolist() == ["fair"] * 4 + ["bad"] * 4
    assert table["target"].tolist() == [0.01, 0.02, 0.05, 0.1] * 2
    shown = 0
    for row in table.itertuples():
        right = RIGHT if row.model == "fair" else BAD
        tuned = tune_threshold(
            profile_of(right), target=row.target, confidence_level=0.95, n_candidates=2, random_state=0
        )
        assert (row.guarantee == "guaranteed") == tuned.feasible == (not np.isnan(row.guaranteed_threshold))
        if row.guarantee == "guaranteed":
            shown += 1
            assert (row.guaranteed_threshold <= SURE).mean() == pytest.approx(tuned.coverage)
            assert row.guaranteed_coverage == pytest.approx(tuned.coverage)
        if not np.isnan(row.threshold):
            kept = row.threshold <= SURE
            assert row.coverage == pytest.approx(kept.mean())
            assert row.risk == pytest.approx((~right[kept]).mean())
            assert row.risk_low < row.risk < row.risk_high
            assert row.risk <= row.target
    assert shown > 1
    assert f"{table.loc[3, 'threshold']:g}" in report.text()


def test_thresholds_say_why_none_is_guaranteed():
    assert set(confidence_report(profile_of(sample_weight=1 + SURE)).thresholds["guarantee"]) == {"no rule"}
    few = confidence_report(profile_of()[:50]).thresholds.set_index("target")
    assert few.at[0.05, "guarantee"] == "too few rows"
    assert few.at[0.05, "n_needed"] == 59
    never = confidence_report(profile_of(RNG.random(N) < 0.3, np.full(N, 0.7))).thresholds
    assert set(never["guarantee"]) == {"never observed"}


def test_slices_are_a_table_worst_first(report):
    table = report.slices
    assert table.columns.tolist() == ["model", "slice", "n_samples", "confidence", "accuracy", "low", "high", "p_value"]
    assert table["model"].tolist() == ["fair"] * 2 + ["bad"] * 2
    worst = table[table["model"] == "bad"].iloc[0]
    south = REGION == "south"
    assert worst["slice"] == "region = south"
    assert worst["n_samples"] == south.sum()
    assert (worst["confidence"], worst["accuracy"]) == pytest.approx((SURE[south].mean(), BAD[south].mean()))
    assert worst["p_value"] < 1e-6
    assert confidence_report(profile_of()).slices.empty


def test_columns_of_slices_are_named_by_what_is_known():
    graded = confidence_report(profile_of(RIGHT * 0.8), slices={"region": REGION}).slices
    assert graded.columns.tolist()[3:5] == ["confidence", "correctness"]
    costs = ConfidenceProfile.from_costs(RIGHT * SURE, SURE, largest=1.0)
    assert confidence_report(costs, slices={"region": REGION}).slices.columns.tolist()[3:5] == ["uncertainty", "cost"]


def test_a_table_alone_has_neither():
    report = confidence_report([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6], by="class")
    assert isinstance(report, ConfidenceReport)
    assert report.frame.index.tolist() == [0, 1]
    assert report.verdict == {}
    assert report.thresholds.empty
    assert report.slices.empty
    assert report.summary() == repr(report) == report.text()


@pytest.mark.parametrize("unused", [{"metrics": ["aurc_loss"]}, {"threshold": 0.5}, {"slices": {"a": [1, 2]}}])
def test_classes_have_metrics_of_their_own(unused):
    with pytest.raises(ValueError, match=f"Leave {next(iter(unused))} out"):
        confidence_report([0, 1], [0.2, 0.8], by="class", **unused)
    with pytest.raises(ValueError, match="by must be one of"):
        confidence_report([0, 1], [0.2, 0.8], by="row")


def test_what_users_do_with_a_frame_leaves_the_report_whole(report):
    """The report was the frame, and head, round or a choice of columns lost what it rests on."""
    page = report.page()
    report.frame.head(2).round(1)
    assert type(report.frame[["fair"]]) is pd.DataFrame
    assert report.page() == page
