"""When to abstain: stops, thresholds and the table, against counts by hand."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from skconf import ConfidenceProfile, ConfidenceReport, confidence_report, required_samples, tune_threshold
from skconf.metrics import risk_coverage_curve
from skconf.report._evidence.stops import Stops, shortest_between
from skconf.report._evidence.thresholds import allowed_losses, guarantee
from skconf.report._page.elements import Ids
from skconf.report._sections.abstain import abstain

RNG = np.random.default_rng(0)
SURE = RNG.choice(np.linspace(0.5, 1, 60), 500)  # with ties
RIGHT = RNG.random(500) < SURE
WEIGHT = RNG.random(500) + 0.1


def evidence_of(correct=RIGHT, sure=SURE, **options):
    weight = options.pop("sample_weight", None)
    profile = ConfidenceProfile.from_correctness(correct, sure, sample_weight=weight)
    return confidence_report(profile, metrics=["confidence_gap"], **options).evidence


def stops_of(**options):
    evidence = evidence_of(**options)
    return Stops.of(evidence.profiles["value"], 0.95)


def cells(section):
    """Return the data of the slider of a section."""
    markup = section.html(Ids())
    return json.loads(re.search(r'class="stops">(.*?)</script>', markup)[1])


def test_stops_are_counts():
    stops = stops_of()
    assert list(stops.score) == sorted(set(SURE), reverse=True)
    for at, score in enumerate(stops.score):
        accepted = score <= SURE
        assert stops.answered[at] == pytest.approx(accepted.mean())
        assert stops.wrong[at] == pytest.approx((~RIGHT[accepted]).mean())
    exact = binomtest(int((~RIGHT[stops.score[7] <= SURE]).sum()), int((stops.score[7] <= SURE).sum()))
    assert stops.ends(7) == pytest.approx(tuple(exact.proportion_ci(0.95, "exact")))


def test_stops_of_weighted_answers_have_kishs_number():
    stops = stops_of(sample_weight=WEIGHT)
    accepted = stops.score[20] <= SURE
    weight = WEIGHT[accepted]
    assert stops.answered[20] == pytest.approx(weight.sum() / WEIGHT.sum())
    assert stops.wrong[20] == pytest.approx(weight @ ~RIGHT[accepted] / weight.sum())
    assert stops.size[20] == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


def test_places_of_a_stop():
    stops = stops_of()
    for share in (0.0, 0.3, 0.77, 1.0, *stops.answered[[3, 30]]):
        at = stops.at_share(share)
        assert stops.answered[at] >= share - 1e-9
        assert at == 0 or stops.answered[at - 1] < share
    for threshold in (0.5, 0.773, 1.0, 1.5):
        at = stops.at_threshold(threshold)
        assert (stops.answered[at] if at >= 0 else 0.0) == pytest.approx((threshold <= SURE).mean())
    for target in allowed_losses("right or wrong", 0.0):
        at = stops.at_most_wrong(target)
        fits = [k for k in range(len(stops.score)) if stops.wrong[k] <= target and stops.size[k] >= 20]
        assert at == (fits[-1] if fits else -1)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_threshold_is_short_and_between(one, other):
    low, high = sorted((one, other))
    if low == high:
        return
    value = shortest_between(low, high)
    assert low < value <= high
    text = repr(value) if value < 1e-16 else np.format_float_positional(value, trim="-")
    shorter = text[:-1]
    if "e" not in text and len(shorter) > 2:
        assert not low < float(shorter) <= high


def test_printed_thresholds_accept_what_the_stop_accepts():
    stops = stops_of()
    for at in range(len(stops.score)):
        assert (stops.threshold(at) <= SURE).mean() == pytest.approx(stops.answered[at])


def test_the_slider_shows_what_each_threshold_does():
    data = cells(abstain(evidence_of(threshold=0.9)))
    assert [words for words in data["stops"] if "(threshold 0.9)" in words] == [
        f"{1000 * (SURE >= 0.9).mean():.0f} of 1,000 (threshold 0.9)"
    ]
    for at, ((threshold, answered, wrong, people),) in enumerate(data["cells"]):
        if threshold == "–":
            assert (at, answered, people, wrong) == (0, "0", "1,000", "–")
            continue
        accepted = float(threshold) <= SURE
        missed = (~RIGHT[accepted]).mean()
        assert float(answered.replace(",", "")) == pytest.approx(1000 * accepted.mean(), abs=0.51)
        assert float(people.replace(",", "")) == pytest.approx(1000 * (1 - accepted.mean()), abs=0.51)
        assert float(wrong.split()[0].rstrip("%")) == pytest.approx(100 * missed, abs=0.5)
        errors, rejected = (amount[at][0] for amount in data["amounts"])
        assert errors == pytest.approx(1000 * (accepted & ~RIGHT).mean(), abs=1e-3)
        assert rejected == pytest.approx(1000 * (~accepted).mean(), abs=1e-3)


def test_a_threshold_above_all_scores_answers_nothing():
    data = cells(abstain(evidence_of(sure=SURE * 0.9, threshold=0.95)))
    (at,) = (at for at, words in enumerate(data["stops"]) if "threshold 0.95" in words)
    assert data["cells"][at] == [["–", "0", "–", "1,000"]]


def test_the_table_has_what_is_seen_and_what_is_assured():
    table = abstain(evidence_of()).parts[1].table
    shown = table.set_axis([name for _, name in table.columns], axis=1)
    for target, (_, row) in zip(allowed_losses("right or wrong", 0.0), shown.iterrows(), strict=True):
        assert row["errors at most"] == f"{100 * target:g}%"
        fits = [
            score
            for score in sorted(set(SURE))
            if (~RIGHT[score <= SURE]).mean() <= target and (score <= SURE).sum() >= 20
        ]
        if fits:
            assert (float(row["observed threshold"]) <= SURE).sum() == (fits[0] <= SURE).sum()
        else:
            assert row["observed threshold"] == "none"
        if required_samples(target, 0.95) > len(SURE):
            assert row["guaranteed threshold"] == f"none: needs {required_samples(target, 0.95):,} rows"
            continue
        profile = ConfidenceProfile.from_correctness(RIGHT, SURE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tune_threshold(profile, target=target, confidence_level=0.95)
        if found.feasible:
            printed = float(row["guaranteed threshold"])
            assert (printed <= SURE).mean() == pytest.approx(found.coverage)
            assert float(row["answered"].replace(",", "")) == pytest.approx(1000 * found.coverage, abs=0.51)
        else:
            assert row["guaranteed threshold"] == "none"


@pytest.mark.parametrize("seed", range(5))
def test_printed_assured_thresholds_answer_what_stands_beside_them(seed):
    """Scores between the planned ones were answered by the printed threshold, and not counted."""
    rng = np.random.default_rng(seed)
    sure = rng.beta(8, 1, 2000).clip(0.5)
    section = abstain(evidence_of(rng.random(2000) < sure, sure))
    table = section.parts[1].table
    shown = table.set_axis([name for _, name in table.columns], axis=1)
    found = 0
    for _, row in shown.iterrows():
        for threshold, answered in ((row.iloc[1], row.iloc[2]), (row.iloc[4], row.iloc[5])):
            if not threshold.startswith("none"):
                found += 1
                assert f"{1000 * (sure >= float(threshold)).mean():,.0f}" == answered
    assert found > 2


@pytest.mark.parametrize("in_batches", [False, True])
def test_whichever_model_is_taken_its_threshold_is_guaranteed(in_batches, tmp_path):
    """Each has a third of the probability, so that the promise outlasts the choice of the best of three."""
    rng, files = np.random.default_rng(2), {}
    for number in range(3):
        sure = rng.integers(50, 90, 4000) / 100  # no two of them lie in one cell of the batches
        files[f"{number}"] = tmp_path / f"{number}.csv"
        table = pd.DataFrame({"correct": (rng.random(4000) < sure**0.15).astype(int), "confidence": sure})
        table.to_csv(files[f"{number}"], index=False)
    evidence = ConfidenceReport.from_files(files, in_batches=in_batches).evidence
    for name, file in files.items():
        table = pd.read_csv(file)
        profile = ConfidenceProfile.from_correctness(table["correct"], table["confidence"])
        alone, shared = (
            tune_threshold(profile, target=0.05, confidence_level=0.95, n_candidates=number) for number in (1, 3)
        )
        found = evidence.stops[name].answered[evidence.guarantee(name, 0.05).stop]
        assert found == pytest.approx(shared.coverage)
        assert 0 < shared.coverage < alone.coverage


def test_weighted_rows_have_no_assured_threshold():
    section = abstain(evidence_of(sample_weight=WEIGHT))
    assert set(section.parts[1].table.iloc[:, 4]) == {"–"}
    assert "Weighted rows have no guaranteed threshold" in section.text(1000)


def test_two_models_are_compared_at_the_same_share():
    other = np.clip(SURE * 0.9, 0, 1)
    profiles = {name: ConfidenceProfile.from_correctness(RIGHT, sure) for name, sure in (("a", SURE), ("b", other))}
    evidence = confidence_report(profiles, metrics=["confidence_gap"]).evidence
    for row in cells(abstain(evidence))["cells"]:
        assert row[0][1:] == row[1][1:]  # the order is the same, the thresholds differ
    assert evidence.title_of("b") in abstain(evidence).text()


@pytest.mark.parametrize("right", [np.ones(50, bool), np.zeros(50, bool)])
def test_without_errors_or_right_answers(right):
    section = abstain(evidence_of(right, SURE[:50]))
    assert "nan" not in section.text().lower()
    assert section.html(Ids())


def test_the_curve_is_that_of_the_metric():
    chart = abstain(evidence_of()).parts[0].curve
    data = pd.DataFrame(chart.data)
    curve = risk_coverage_curve(ConfidenceProfile.from_correctness(RIGHT, SURE))
    found = dict(zip(curve.coverage, curve.risk, strict=True))
    assert len(data) == len(found)
    for row in data.itertuples():
        assert row.wrong == pytest.approx(found[row.answered])


@pytest.mark.simulation
def test_as_many_rows_as_are_said_to_be_needed_are_usually_enough():
    rng = np.random.default_rng(0)

    def found(n_rows):
        confidence = rng.beta(12, 1, n_rows)
        profile = ConfidenceProfile.from_correctness(rng.random(n_rows) < confidence, confidence)
        return guarantee(profile, Stops.of(profile, 0.95), 0.04, 0.95)

    missed = [first for first in (found(300) for _ in range(40)) if first.status == "more rows"]
    again = [found(first.needed).status == "guaranteed" for first in missed if first.needed < 5000]
    assert len(again) > 12
    assert np.mean(again) >= 0.5


@pytest.mark.parametrize("n_rows", [2000, 3000, 6000])
def test_more_rows_are_needed_than_there_are(n_rows):
    """Among the thousand most confident answers, 3.5% are wrong, just below the target; among the others, a third."""
    correct = np.ones(n_rows)
    correct[np.linspace(0, 999, 35).astype(int)] = 0
    correct[1000::3] = 0
    profile = ConfidenceProfile.from_correctness(correct, np.linspace(1, 0.5, n_rows))
    found = guarantee(profile, Stops.of(profile, 0.95), 0.05, 0.95)
    assert found.status == "more rows"
    assert found.needed > n_rows
