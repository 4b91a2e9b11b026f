"""A verdict is right as often as it says, and its parts agree: small sets of simulations, and the page's own ones."""

from dataclasses import replace

import numpy as np
import pytest
from _support.inference import verdict_populations as of
from _support.inference.verdict_contradictions import contradictions
from _support.inference.verdict_trials import FAULTS, Trials, page

from skconf.inference import assess_confidence

EVERYWHERE = {**of.COMMON, **of.HOSTILE}


def at_most(share, n_sets):
    """Return the largest share that so many sets are likely to show where the true one is at most this."""
    return share + 3.5 * np.sqrt(share * (1 - share) / n_sets)


class TestPartsAgree:
    @pytest.mark.simulation
    @pytest.mark.parametrize("n_sets", [150, pytest.param(5000, marks=pytest.mark.slow)])
    def test_of_any_answers(self, n_sets):
        rng = np.random.default_rng(n_sets)
        for _ in range(n_sets):
            verdict = of.tried(rng, *of.any_answers(rng, 20_000)).verdict
            assert contradictions(verdict) == [], verdict

    def test_of_one_class(self):
        """Nothing but one class, always right, and sure of it more or less."""
        for sure in ([1.0] * 20, [0.5] * 20, np.linspace(0.5, 1, 20)):
            proba = np.column_stack([1 - np.asarray(sure), sure])
            verdict = assess_confidence(np.ones(20, dtype=int), proba, labels=[0, 1])
            assert contradictions(verdict) == [], verdict
            assert verdict.most_frequent == 1

    def test_what_disagrees_is_seen(self):
        rng = np.random.default_rng(0)
        verdict = of.tried(rng, of.uniform(rng, 2000), of.shifted(8)).verdict
        assert contradictions(verdict) == []
        overall, *others = verdict.levels
        wider = replace(overall, errors_low=overall.expected - 1)
        for change in (
            {"p_value": 0.5},
            {"found": False},
            {"overconfident": None},
            {"grade": "negligible"},
            {"grade_at_most": "negligible"},
            {"accuracy_high": verdict.confidence},
            {"observed_errors": verdict.observed_errors + 1},
            {"levels": (wider, *others)},
            {"levels": (replace(overall, direction="underconfident"), *others)},
            {"levels": (overall, *others[::-1])},
            {"text": verdict.text.replace("verconfident", "nderconfident")},
            {"text": "Far overconfident" + verdict.text.partition("verconfident")[2]},
            {"text": verdict.text.replace("errors in ", "errors in 1")},
            {"text": "No sign of miscalibration."},
        ):
            changed = replace(verdict, **change)
            if changed != verdict:
                assert contradictions(changed), change


class TestLevel:
    """Of calibrated confidences hardly anything is found, and the intervals that are told hold together."""

    @pytest.mark.simulation
    @pytest.mark.parametrize(
        ("n", "n_sets"),
        [(20, 15), (1000, 15), *(pytest.param(n, 1000, marks=pytest.mark.slow) for n in (4, 100, 10_000))],
    )
    @pytest.mark.parametrize("population", EVERYWHERE)
    def test_of_calibrated_confidences(self, population, n, n_sets):
        rng = np.random.default_rng(n)
        trials = [of.tried(rng, EVERYWHERE[population](rng, n), of.calibrated) for _ in range(n_sets)]
        assert np.mean([trial.verdict.found for trial in trials]) <= at_most(0.05, n_sets)
        assert np.mean([trial.misses_the_truth for trial in trials]) <= at_most(0.05, n_sets)
        assert not any(trial.tells_a_wrong_direction for trial in trials if not trial.verdict.found)


class TestFaults:
    @pytest.mark.simulation
    @pytest.mark.parametrize("n_sets", [15, pytest.param(300, marks=pytest.mark.slow)])
    @pytest.mark.parametrize("fault", FAULTS)
    def test_no_direction_is_wrong_and_no_interval_misses(self, fault, n_sets):
        rng, (population, chance_of) = np.random.default_rng(n_sets), FAULTS[fault]
        trials = [of.tried(rng, population(rng, 1000), chance_of) for _ in range(n_sets)]
        assert np.mean([trial.tells_a_wrong_direction for trial in trials]) <= at_most(0.025, n_sets)
        assert np.mean([trial.misses_the_truth for trial in trials]) <= at_most(0.05, n_sets)

    @pytest.mark.simulation
    @pytest.mark.parametrize("n_sets", [20, pytest.param(200, marks=pytest.mark.slow)])
    def test_both_halves_of_an_s_are_told(self, n_sets):
        rng = np.random.default_rng(0)
        for _ in range(n_sets):
            verdict = of.tried(rng, of.uniform(rng, 10_000), of.s_shaped(4)).verdict
            assert verdict.overconfident.low >= 0.5
            assert verdict.underconfident.high <= 0.9
            assert all(f"{how}confident" in verdict.text.lower() for how in ("over", "under"))

    @pytest.mark.slow
    @pytest.mark.parametrize("n_sets", [400])
    @pytest.mark.parametrize("n", [1000, 10_000])
    def test_a_top_that_is_right_is_not_named(self, n, n_sets):
        rng = np.random.default_rng(n)
        trials = [of.tried(rng, of.uniform(rng, n), of.good_top(0, 0.7, 0.9, 10)) for _ in range(n_sets)]
        assert np.mean([trial.names_any(0.9) for trial in trials]) <= at_most(0.01, n_sets)
        assert np.nanmean([trial.share_named_rightly() for trial in trials]) >= 0.97


@pytest.mark.slow
def test_the_page():
    """The script of the page, at a hundredth of its size."""
    trials = Trials(3)
    text = page(trials, sizes=(4, 200))
    rows = [line.split("|")[2:-1] for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) > 40
    assert trials.n_verdicts > 200
    assert trials.contradicting == 0
    assert "nan" not in text
