"""What a comparison excludes, and how many answers flipped; and few distinct confidences."""

import re

import numpy as np
import pytest
from scipy import stats

from skconf import ConfidenceProfile, confidence_report
from skconf.inference import compare
from skconf.report._evidence.flips import Flips
from skconf.report._page.parts import Prose
from skconf.report._sections.abstain import abstain
from skconf.report._sections.which import which

RNG = np.random.default_rng(2)
N = 600
CONFIDENCE = RNG.random(N).round(3)
RIGHT = RNG.random(N) < 0.5
OTHER = np.where(RNG.random(N) < 0.1, ~RIGHT, RIGHT)


def profiles(**more):
    make = ConfidenceProfile.from_correctness
    return {"a": make(RIGHT, CONFIDENCE, **more), "b": make(OTHER, CONFIDENCE)}


def of_accuracy(report):
    said = (part.words for part in which(report.evidence).parts if isinstance(part, Prose))
    return next(text for text in said if text.startswith("Right answers"))


def test_flips_are_counted_and_what_is_excluded_is_the_end_of_a_90_percent_interval():
    flips = Flips.of(*profiles().values())
    assert flips.n_flipped == np.count_nonzero(RIGHT != OTHER)
    assert flips.to_wrong == np.count_nonzero(RIGHT & ~OTHER)
    found = compare("accuracy", profiles(), confidence_level=0.9)
    assert flips.excluded == pytest.approx(max(abs(found.low), abs(found.high)))
    first = of_accuracy(confidence_report(profiles()))
    assert f"{flips.n_flipped} answers are right with only one of the two models, {flips.to_wrong} with a" in first
    assert f"The accuracies differ by at most {100 * flips.excluded:.1f} points (95% confidence limit)" in first


@pytest.mark.parametrize("n_compared", [1, 6])
def test_a_detectable_difference_is_found_four_times_in_five(n_compared):
    flips = Flips.of(*profiles().values())
    step = OTHER.astype(float) - RIGHT
    assert flips.standard_error == pytest.approx(step.std() / np.sqrt(N), rel=0.02)
    wanted, share = flips.detectable(n_compared), flips.n_flipped / N
    up, down = (share + wanted) / 2, (share - wanted) / 2
    drawn = np.random.default_rng(0).multinomial(N, [up, down, 1 - share], size=20_000)
    mean = (drawn[:, 0] - drawn[:, 1]) / N
    error = np.sqrt((drawn[:, 0] + drawn[:, 1]) / N - mean**2) / np.sqrt(N)
    found = np.mean(2 * stats.norm.sf(np.abs(mean / error)) <= 0.05 / n_compared)
    assert found == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("share", [0.001, 0.003, 0.006])
def test_few_flips_do_not_exclude_the_true_difference(share):
    rng = np.random.default_rng(0)

    def excluded():
        other = ConfidenceProfile.from_correctness(RIGHT & (rng.random(N) >= 2 * share), CONFIDENCE)
        return Flips.of(profiles()["a"], other).excluded < share

    assert RIGHT.mean() == pytest.approx(0.5, abs=0.02)
    assert sum(excluded() for _ in range(200)) <= stats.binom.isf(0.001, 200, 0.05)


def test_no_flip_excludes_what_the_rule_of_three_excludes():
    same = profiles()["a"]
    assert Flips.of(same, same).excluded == pytest.approx(1 - 0.05 ** (1 / N))
    text = of_accuracy(confidence_report({"a": same, "b": same}))
    assert text.endswith("0 with a. The accuracies differ by at most 0.5 points (95% confidence limit).")
    weighted = same.with_weight(np.arange(N) + 1.0)
    assert np.isnan(Flips.of(weighted, weighted).excluded)


def test_what_would_be_found_is_told():
    report = confidence_report(profiles())
    n_compared = int(re.search(r"take all (\d+) comparisons", " ".join(report.text().split()))[1])
    points = f"{100 * Flips.of(*profiles().values()).detectable(n_compared):.1f} points"
    told = f" A difference of {points} would be found with 80% probability"
    assert told in of_accuracy(report)


def test_of_a_difference_that_is_shown_nothing_is_excluded():
    worse = {"a": profiles()["a"], "b": ConfidenceProfile.from_correctness(RIGHT & (RNG.random(N) < 0.7), CONFIDENCE)}
    first = of_accuracy(confidence_report(worse))
    assert "with only one of the two models" in first
    assert "differ by at most" not in first


def test_where_no_model_keeps_the_errors_none_is_said_to_answer():
    report = confidence_report(profiles(), errors=[0.01])
    assert "With errors of at most 1% in these rows, no model answers any case." in report.summary(width=200)
    (table,) = [part for part in abstain(report.evidence).parts if getattr(part, "title", "").startswith("Thresholds")]
    assert {model for model, _ in table.table.columns} == {"", "a", "b"}  # each with the reason


def test_classifiers_have_flips_too():
    y = RNG.integers(3, size=N)
    one, other = (RNG.dirichlet(np.ones(3), N) for _ in range(2))
    first = of_accuracy(confidence_report(y, {"a": one, "b": other}))
    mine, theirs = one.argmax(axis=1) == y, other.argmax(axis=1) == y
    assert f"{np.count_nonzero(mine != theirs)} answers are right with only one" in first


def test_a_row_that_abstains_is_not_right():
    gone = np.arange(N) < 50
    flips = Flips.of(*profiles(abstained=gone).values())
    assert flips.n_flipped == np.count_nonzero((RIGHT & ~gone) != OTHER)


def test_graded_answers_have_no_flips():
    graded = ConfidenceProfile.from_correctness(RNG.random(N), CONFIDENCE)
    assert Flips.of(graded, graded) is None


@pytest.mark.parametrize("n_distinct", [1, 4, 20, 21])
def test_few_distinct_confidences_are_told(n_distinct):
    grid = np.linspace(0.5, 1, n_distinct + 1)[1:]
    confidence = np.append(np.resize(grid, N - 300), np.full(300, 1.0))
    text = abstain(confidence_report(ConfidenceProfile.from_correctness(RIGHT, confidence)).evidence).text(100)
    share = round(100 * np.mean(confidence == 1))
    said = f"{n_distinct} distinct confidence{'s' * (n_distinct > 1)}. {share}% of answers have a confidence of 100%"
    assert (said in text) == (n_distinct <= 20)
