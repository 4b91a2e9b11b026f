"""What models answer at the errors allowed, and what they cost, against counts of every threshold."""

import re

import numpy as np
import pytest

from skconf import ConfidenceProfile, confidence_report
from skconf.report._evidence.draws import Draws
from skconf.report._evidence.stops import Stops
from skconf.report._sections.which import which
from skconf.selective import tune_threshold

PRICES = [(10.0, 1.0), (2.0, 1.0), (1.0, 5.0), (0.0, 0.0), (100.0, 1.0)]


def draw(rng, n=400):
    """Return right or wrong of two models on the same rows, and their confidences: the second blurs them."""
    easy = rng.beta(4, 1, n)
    sure = np.clip(easy + rng.normal(0, 0.15, n), 0.01, 0.99).round(2)
    return {
        "sharp": ConfidenceProfile.from_correctness(rng.random(n) < easy, easy.round(3)),
        "blurred": ConfidenceProfile.from_correctness(rng.random(n) < easy, sure),
    }


def least_cost(profile, of_error, of_person):
    """Return the least mean cost of a case over all thresholds, and the share answered there."""
    found = [(of_person, 0.0)]
    for threshold in np.unique(profile.confidence)[::-1]:
        kept = profile.confidence >= threshold
        wrong = np.mean(kept & ~profile.correct)
        found.append((of_error * wrong + of_person * np.mean(~kept), np.mean(kept)))
    return min(found, key=lambda each: each[0])


@pytest.mark.parametrize("prices", PRICES)
def test_costs_are_the_least_of_all_thresholds(prices):
    models = draw(np.random.default_rng(7))
    costs = confidence_report(models, prices=prices, metrics=["accuracy_score"]).evidence.costs
    for model, profile in models.items():
        cost, _ = least_cost(profile, *prices)
        assert costs.reached[model] == pytest.approx(cost, abs=1e-12)
    value, low, high = costs.difference("sharp", "blurred")
    assert value == pytest.approx(costs.reached["sharp"] - costs.reached["blurred"])
    assert low <= value <= high
    assert costs.difference("blurred", "sharp") == pytest.approx((-value, -high, -low))
    assert costs.ranked[0] == min(costs.reached, key=costs.reached.get)


def test_the_page_says_where_each_costs_least():
    models = draw(np.random.default_rng(7))
    report = confidence_report(models, prices=(10, 1))
    said = " ".join(report.summary().split())
    costs = r"costs 10 and a case sent to a person costs 1, \S+ costs [\d,]+ per 1,000 cases, of which it answers"
    assert re.search(costs, said)
    page = report.page()
    assert "example prices" not in page
    told = re.search(r"Cheapest: (.*?)\.<", page)[1]
    for model, profile in models.items():
        cost, share = least_cost(profile, 10, 1)
        amount, answered = re.search(rf"{model} costs (\d+) per 1,000 cases, of which it answers (\d+)", told).groups()
        assert (int(answered), int(amount)) == (round(1000 * share), round(1000 * cost))
    assert "example prices" in confidence_report(models).page()


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_intervals_have_the_level_that_is_said(level):
    """Those of the sentences are as wide as those of the table, whose heading has the level."""
    options = {"prices": (10, 1), "errors": 0.1, "confidence_level": level, "metrics": ["accuracy_score"]}
    report = confidence_report(draw(np.random.default_rng(7), 2000), **options)
    text, said = " ".join(report.text().split()), " ".join(report.summary().split())
    assert f"fewer than the most [{100 * level:g}%]" in text
    compared = report.evidence.at_target, report.evidence.costs
    for found, words in zip(compared, re.findall(r"(\d+)% interval: (\d+)[^:;]*? to (\d+)", said), strict=True):
        ends = sorted(abs(round(1000 * end)) for end in found.difference(*found.ranked)[1:])
        assert words[0] == f"{100 * level:g}"
        assert sorted(map(int, words[1:])) == ends
    assert "95%" not in re.search(r"Compare: (.*)", said)[1]


@pytest.mark.parametrize("prices", [10, (10,), (1, 2, 3), (-1, 1), (1, float("nan")), (1, float("inf")), "ab"])
def test_bad_prices_are_refused(prices):
    with pytest.raises((ValueError, TypeError), match="prices"):
        confidence_report(draw(np.random.default_rng(7)), prices=prices)


@pytest.mark.slow
def test_intervals_of_differences_of_costs_hold_the_truth():
    """The truth is that of a million rows."""
    rng = np.random.default_rng(0)
    truth = confidence_report(draw(rng, 1_000_000), prices=(5, 1), metrics=["accuracy_score"]).evidence.costs
    true = truth.reached["sharp"] - truth.reached["blurred"]
    held = []
    for _ in range(300):
        costs = confidence_report(draw(rng, 600), prices=(5, 1), metrics=["accuracy_score"]).evidence.costs
        _, low, high = costs.difference("sharp", "blurred")
        held.append(low <= true <= high)
    assert 0.91 <= np.mean(held) <= 0.995


def tied(rng, n):
    """Return two equally good models with ten distinct confidences."""
    ease = rng.normal(0, 2, n)
    truth = rng.random(n) < 1 / (1 + np.exp(-ease))
    said = [np.clip((1 / (1 + np.exp(-ease - rng.normal(0, 1, n)))).round(1), 0.01, 0.99) for _ in range(2)]
    return [((each > 0.5) == truth, np.maximum(each, 1 - each)) for each in said]


def flat(rng, n):
    """Return two equally good models that are wrong in one of twenty answers, at every confidence."""
    return [(rng.random(n) > 0.05, rng.uniform(0.5, 1, n)) for _ in range(2)]


@pytest.mark.slow
@pytest.mark.parametrize(("models", "n"), [(tied, 800), (flat, 200)])
def test_equal_models_seldom_answer_clearly_different_numbers_of_cases(models, n):
    """Their best observed thresholds are far apart by chance: another score keeps the limit, or just fails to."""
    rng, told, known = np.random.default_rng(0), 0, 0
    for _ in range(200):
        profiles = {
            name: ConfidenceProfile.from_correctness(*each) for name, each in zip("ab", models(rng, n), strict=True)
        }
        stops = {name: Stops.of(each, 0.95) for name, each in profiles.items()}
        _, low, high = Draws(profiles, stops, 0.95).answered_at(0.05).difference("a", "b")
        known += not np.isnan(low)
        told += low > 0 or high < 0
    assert known > 50
    assert told <= 0.05 * known


def answered_table(models):
    """Return the table of the cases that each model answers at the allowed errors."""
    (part,) = (
        part for part in which(confidence_report(models).evidence).parts if "answered at" in getattr(part, "title", "")
    )
    return part.table


@pytest.mark.filterwarnings("ignore:Everything is rejected")
def test_cases_are_counted_at_the_observed_and_at_the_guaranteed_threshold():
    models = draw(np.random.default_rng(7), 2000)
    rows = answered_table(models).set_index(["errors at most", "model"])
    assert set(rows["guaranteed"]) > {"none"}  # not every limit can be guaranteed
    for (limit, model), row in rows.iterrows():
        profile, target = models[model], float(limit.strip("%")) / 100
        tuned = tune_threshold(profile, target=target, confidence_level=0.95, n_candidates=len(models), random_state=0)
        share = np.mean(profile.confidence >= tuned.threshold)
        observed = float(row["answered of 1,000"]) / 1000
        assert row["guaranteed"] == (f"{1000 * share:.0f}" if share else "none")
        assert share < observed or not observed


def test_weighted_cases_have_no_guarantee():
    weighted = {
        name: ConfidenceProfile.from_correctness(each.correct, each.confidence, sample_weight=np.tile([1.0, 2.0], 200))
        for name, each in draw(np.random.default_rng(7)).items()
    }
    assert "guaranteed" not in answered_table(weighted)
