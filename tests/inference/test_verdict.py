"""A verdict says what holds, in words that users can act on, and otherwise what such a sample could have shown."""

import numpy as np
import pytest
from _support.inference.verdict_power import power
from _support.predictions import draw_answers
from scipy.stats import binomtest, poisson

from skconf import ConfidenceProfile, metrics
from skconf.datasets import make_confidence_profile
from skconf.inference import assess_confidence
from skconf.inference._calibration_draws import CalibrationDraws, ranks
from skconf.inference._error_table import TOPS, ErrorSums, ErrorTable, VerdictSums
from skconf.inference._verdict import assess_sums, assess_table


def spread(chance, n_wrong):
    """Return errors as evenly as these chances allow: one wherever the announced errors pass another whole number."""
    passed = np.floor(np.cumsum(chance * (n_wrong / chance.sum())) + 0.5)
    return np.diff(passed, prepend=0) > 0


def convolved(chance):
    """Return the probabilities of 0, 1, … errors, one answer after the other."""
    found = np.ones(1)
    for p in chance:
        found = np.append(found, 0) * (1 - p) + np.append(0, found) * p
    return found


def profile_of(sure, wrong, **given):
    return ConfidenceProfile.from_correctness(~np.asarray(wrong, dtype=bool), sure, **given)


def around(mean, half, n):
    return np.linspace(mean - half, mean + half, n)


def calibrated(n, seed=0, low=0.5, shift=0.0):
    right, sure = draw_answers(n, seed, low=low, excess=shift)
    return profile_of(sure, ~right)


class TestWords:
    def test_too_sure(self):
        sure = around(0.777, 0.2, 1000)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 287)))
        assert str(found) == "Too sure: says 77.7 %, is right in 71.3 % [68.4, 74.1]; 287 wrong, 223 announced."
        assert found.p_value == 0.0002  # the smallest one of 4,999 draws
        assert found.gap_p_value < 1e-5
        assert found.gap_holds
        assert np.isnan(found.detectable_gap)

    def test_too_modest(self):
        sure = around(0.621, 0.12, 1200)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 389)))
        assert str(found) == "Too modest: says 62.1 %, is right in 67.6 % [64.9, 70.2]."
        assert found.gap == pytest.approx(-0.055, abs=5e-4)
        assert found.gap_p_value < 1e-4
        assert found.top_p_value > 0.9

    def test_too_sure_at_the_top(self):
        top, rest = around(1 - 12.7 / 334, 0.03, 334), around(0.7, 0.19, 1666)
        wrong = np.append(spread(1 - top, 28), spread(1 - rest, 500 - 28))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found) == (
            "Too sure at the top: 28 of 334 answers at .9 or more are wrong, 12.7 announced (× 2.2 [1.5, 3.2]). "
            "Overall not shown."
        )
        assert found.p_value < 0.01
        assert found.gap_p_value > 0.2

    def test_no_sign(self):
        sure = np.append(around(0.93, 0.05, 500), around(0.65, 0.1, 500))
        found = assess_confidence(profile_of(sure, spread(1 - sure, 215)))
        assert str(found) == (
            "No sign that it is too sure or too modest. The gap is .5 points [−2.0, 3.2]; one of 3.7 would have been "
            "found in four of five "
            "such samples."
        )
        assert found.p_value > 0.5

    def test_too_few(self):
        sure = around(1 - 12.7 / 60, 0.15, 60)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 10)))
        assert str(found) == "60 answers are too few to say: a gap of 16 points could be missed."
        assert (found.wrong, round(found.announced, 1)) == (10, 12.7)

    def test_one_answer_decides(self):
        found = assess_confidence(["no", "yes", "yes", "no"], [0.2, 0.9, 0.6, 0.99])
        assert str(found) == "One answer decides: number 4 of 4, wrong at .99, expected of 1 in 100."
        assert found.decisive_row == 3
        assert found.size_ratio == pytest.approx(25)
        assert 0.01 <= found.p_value < 0.025

    def test_certain_right_answers_hide_nothing(self):
        found = assess_confidence(profile_of(np.repeat([0.9, 1.0], 2000), np.arange(4000) < 299))
        assert str(found) == (
            "Too sure: 299 wrong, 200 announced; its 2,000 answers at 1.0 announce no error and do not change this."
        )
        assert found.gap_p_value == pytest.approx(5e-12, rel=0.5)
        assert found.size_ratio == pytest.approx(0.7475)

    def test_opposite_errors(self):
        upper, lower = around(0.9, 0.05, 750), around(0.65, 0.1, 750)
        wrong = np.append(spread(1 - upper, 105), spread(1 - lower, 225))
        found = assess_confidence(profile_of(np.append(upper, lower), wrong))
        assert str(found) == "Too sure above (90 %, right 86), too modest below (65, 70); overall they cancel."
        assert found.shape_p_value < 0.01
        assert found.gap_p_value > 0.5

    def test_off_in_the_middle(self):
        low, middle, high = around(0.55, 0.04, 800), around(0.7, 0.04, 800), around(0.85, 0.04, 800)
        wrong = [spread(1 - part, n) for part, n in ((low, 336), (middle, 312), (high, 102))]
        found = assess_confidence(profile_of(np.concatenate([low, middle, high]), np.concatenate(wrong)))
        assert str(found) == "Too sure between .66 and .74: says 70 %, is right in 61 %. Overall not shown."

    def test_both_directions(self):
        top, rest = around(0.97, 0.02, 400), around(0.65, 0.1, 1600)
        wrong = np.append(spread(1 - top, 32), spread(1 - rest, 460))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found).startswith("Too modest: says 71.4 %, is right in 75.4 % [")
        assert " But too sure at the top: 32 of 400 answers at .9 or more are wrong, 12.0 announced (× 2.7 [" in str(
            found
        )

    def test_worse_at_the_top_than_overall(self):
        top, rest = around(0.97, 0.02, 400), around(0.7, 0.1, 1600)
        wrong = np.append(spread(1 - top, 40), spread(1 - rest, 560))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found).startswith("Too sure: says 75.4 %, is right in 70.0 % [")
        assert str(found).endswith(
            "More so at the top: 40 of 400 answers at .9 or more are wrong, 12.0 announced (× 3.3 [2.4, 4.5])."
        )

    def test_what_the_size_ratio_cannot_tell_at_the_top(self):
        """Half of the ratio rests on answers that announce hardly an error: the sample has no say there."""
        sure = np.append(around(0.7, 0.1, 1000), np.full(1000, 1 - 1e-6))
        found = assess_confidence(profile_of(sure, np.append(spread(1 - sure[:1000], 300), np.zeros(1000))))
        assert str(found).startswith("No sign that it is too sure or too modest.")
        assert found.detectable_ratio < 3 or "At the top the sample is too small: a size ratio of " in str(found)
        found = assess_confidence(profile_of(np.full(1000, 1 - 1e-6), np.zeros(1000)))
        assert str(found).endswith("At the top the sample is too small: any size ratio could be missed.")

    @pytest.mark.parametrize(
        ("sure", "wrong", "expected"),
        [
            (
                [1.0] * 5,
                [0] * 5,
                "No sign that it is too sure or too modest. The gap is 0 points [0, 52.2]; one of 0 would",
            ),
            ([1.0] * 5, [1, 0, 0, 0, 0], "One answer decides: number 1 of 5, wrong at 1.0, which should never happen."),
            ([0.5], [1], "1 answer is too few to say: a gap of 100 points could be missed."),
        ],
    )
    def test_at_the_ends(self, sure, wrong, expected):
        assert str(assess_confidence(profile_of(np.array(sure), wrong))).startswith(expected)

    def test_no_verdict_says_more_than_can_be_known(self):
        for mode in ("perfect", "overconf_half", "underconf_sqrt"):
            for n in (5, 50, 500):
                text = str(assess_confidence(make_confidence_profile("Bell", mode, n, 0), n_resamples=199))
                assert not {"calibrated", "safe", "σ"} & set(text.replace(",", " ").replace(".", " ").split()), text


class TestNumbers:
    def test_are_exact_where_they_can_be(self):
        profile = calibrated(400, shift=0.04)
        found = assess_confidence(profile)
        probability = convolved(1 - profile.confidence)
        wrong = int((~profile.correct).sum())
        assert found.wrong == wrong
        assert found.gap_p_value == pytest.approx(
            2 * min(probability[: wrong + 1].sum(), probability[wrong:].sum()), rel=1e-3
        )
        low, high = binomtest(400 - wrong, 400).proportion_ci(0.95)
        np.testing.assert_allclose([found.accuracy_low, found.accuracy_high], [low, high])
        assert found.gap == pytest.approx(metrics.confidence_gap(profile))
        assert (found.gap_low, found.gap_high) == (found.confidence - high, found.confidence - low)
        assert found.size_ratio == pytest.approx(metrics.calibrated_size_ratio(profile))
        smooth = metrics.smooth_calibration_error(profile, bandwidth=0.05)
        assert found.smooth_error == pytest.approx(smooth, rel=0.01)
        for top, confidence in zip(found.tops, TOPS, strict=False):
            rows = profile.confidence >= confidence
            assert (top.confidence, top.count, top.wrong) == (confidence, rows.sum(), (~profile.correct[rows]).sum())
            assert top.p_value == pytest.approx(convolved(1 - profile.confidence[rows])[top.wrong :].sum(), rel=1e-3)
            # An exact interval: with its ends as means, as many or as few errors are 2.5 % likely.
            assert poisson.cdf(top.wrong, top.high * top.announced) == pytest.approx(0.025)

    def test_smooth_error_at_any_bandwidth_edge(self):
        for sure in (np.full(50, 1.0), np.full(50, 0.5), around(0.6, 0.4, 300)):
            profile = profile_of(sure, np.arange(len(sure)) % 3 == 0)
            draws = CalibrationDraws(ErrorTable.of(profile), 99, 0)
            expected = metrics.smooth_calibration_error(profile, bandwidth=0.05)
            assert draws.smooth_error(draws.observed()) == pytest.approx(expected, rel=1e-3)

    def test_ranks_are_shares_as_large(self):
        np.testing.assert_allclose(ranks(np.array([3.0, 1.0, 2.0, 3.0 + 1e-12])), [0.5, 1, 0.75, 0.5])

    @pytest.mark.parametrize("n_sets", [25, pytest.param(100, marks=pytest.mark.slow)])
    def test_a_gap_that_is_told_is_found_in_four_of_five(self, n_sets):
        n = 600
        told = assess_confidence(calibrated(n), n_resamples=499).detectable_gap
        found = [assess_confidence(calibrated(n, seed, shift=told), n_resamples=499).p_value for seed in range(n_sets)]
        assert 0.8 - 1.4 / np.sqrt(n_sets) <= np.mean(np.array(found) <= 0.05) <= 0.94

    def test_a_ratio_that_is_told_is_found_in_four_of_five(self):
        rng, n = np.random.default_rng(0), 600
        sure = rng.uniform(0.5, 1, n)
        table = ErrorTable.of(profile_of(sure, rng.random(n) > sure))
        draws = CalibrationDraws(table, 999, 0)
        ratio = draws.detectable_ratio(0.02)
        limit = np.quantile(draws.drawn[:, 0], 0.98)
        drawn = (rng.random((2000, n)) < ratio * (1 - sure)) @ (1 / (1 - sure))
        assert np.mean(drawn > limit) == pytest.approx(0.8, abs=0.08)
        assert 1 < ratio < 2

    def test_seeds(self):
        profile = calibrated(100)
        one, again, other = (assess_confidence(profile, random_state=seed).p_value for seed in (0, 0, 1))
        assert one == again != other
        assert one == pytest.approx(other, abs=0.05)

    def test_the_table_and_the_repr_hold_what_the_sentence_rests_on(self):
        found = assess_confidence(calibrated(1000, shift=0.06))
        frame = found.to_frame()
        assert frame.index.tolist() == [
            *("gap", "size ratio", "errors at 0.9 or more", "errors at 0.99 or more", "errors at 0.999 or more"),
            "smooth error",
        ]
        assert frame.at["gap", "value"] == found.gap
        assert frame.at["gap", "holds"]
        assert repr(found).startswith("Assessment('Too sure: says ")
        assert "\n" not in repr(found)

    def test_too_few_draws_are_refused(self):
        with pytest.raises(ValueError, match="n_resamples must be at least 99"):
            assess_confidence(calibrated(10), n_resamples=19)


class TestLevel:
    @pytest.mark.parametrize("n_sets", [40, pytest.param(150, marks=pytest.mark.slow)])
    @pytest.mark.parametrize("n", [20, 200])
    @pytest.mark.parametrize("distribution", ["uniform", "near 1"])
    def test_of_calibrated_confidences(self, n, distribution, n_sets):
        rng, found = np.random.default_rng(n), []
        for _ in range(n_sets):
            sure = rng.uniform(0.5, 1, n) if distribution == "uniform" else 1 - rng.beta(0.25, 6, n) / 2
            verdict = assess_confidence(profile_of(sure, rng.random(n) > sure), n_resamples=199, random_state=rng)
            found.append(verdict.p_value <= 0.05)
        assert np.mean(found) <= 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / n_sets)

    def test_finds_what_is_wrong(self):
        for seed in range(5):
            over = assess_confidence(make_confidence_profile("Bell", "overconf_half", 1000, seed), n_resamples=499)
            under = assess_confidence(make_confidence_profile("Bell", "underconf_sqrt", 1000, seed), n_resamples=499)
            assert str(over).startswith("Too sure: ")
            assert str(under).startswith("Too modest: ")


def test_the_table_of_the_guide():
    """A few sets of each of its populations: the verdict finds what is there, and the paper's risk not all of it."""
    found = power(n_sets=15)
    wrong = found.drop(index="calibrated")
    assert found.at["calibrated", "all, as the verdict"] <= 0.2
    assert (wrong["all, as the verdict"] >= 0.2).all()
    assert wrong.at["half at 1.0 and right, rest 5 points too sure", "risk (normal)"] == 0
    assert wrong.at["upper half 4 points too sure, lower 4 too modest", "gap"] <= 0.3


def added(one, other):
    return tuple(a + b for a, b in zip(one, other, strict=True))


class TestMany:
    def test_cells_say_what_rows_say(self):
        """Sums over cells of confidence lead to the verdict of every row by itself."""
        profile = calibrated(1500, shift=0.02)
        wrong = ~profile.correct
        sizes = (1 / (1 - profile.confidence[wrong])).sum()
        rows = ErrorTable(1 - profile.confidence, np.ones(1500), wrong.astype(float), sizes)
        cells = ErrorTable.of(profile)
        assert len(cells.count) < 400
        one, other = assess_table(rows), assess_table(cells)
        assert other.gap_p_value == pytest.approx(one.gap_p_value, rel=0.01)
        assert other.top_p_value == pytest.approx(one.top_p_value, abs=0.03)
        assert other.shape_p_value == pytest.approx(one.shape_p_value, abs=0.03)
        assert other.size_ratio == pytest.approx(one.size_ratio)
        assert [(top.count, top.wrong) for top in other.tops] == [(top.count, top.wrong) for top in one.tops]
        assert str(one) == str(other)

    def test_sums_of_parts_are_those_of_the_whole(self):
        profile = calibrated(4000, low=0.2)
        whole = ErrorSums().sums(profile)
        parts = added(ErrorSums().sums(profile[:1000]), ErrorSums().sums(profile[1000:]))
        for one, other in zip(whole, parts, strict=True):
            np.testing.assert_allclose(one, other)

    @pytest.mark.parametrize("weights", ["none", "alike", "different"])
    def test_sums_of_parts_lead_to_the_verdict_in_memory(self, weights):
        profile, n = calibrated(1200, shift=0.03), 1200
        if weights != "none":
            weight = np.full(n, 2.5) if weights == "alike" else np.random.default_rng(0).exponential(1, n)
            profile = profile.with_weight(weight)
        parts = added(VerdictSums().sums(profile[:500]), VerdictSums().sums(profile[500:]))
        found, expected = assess_sums(n, *parts), assess_confidence(profile)
        assert str(found) == str(expected)
        assert found.p_value == pytest.approx(expected.p_value)

    def test_a_hundred_thousand(self):
        found = assess_confidence(calibrated(100_000, shift=0.01), n_resamples=499)
        assert str(found).startswith("Too sure: says 75.")


class TestWeights:
    def test_that_are_alike_are_none(self):
        profile = calibrated(300, shift=0.1)
        same = profile.with_weight(np.where(np.arange(300) < 200, 2.0, 0.0))
        assert assess_confidence(same).text == assess_confidence(profile[:200]).text

    def test_only_the_gap_is_tested_and_the_sentence_says_so(self):
        rng = np.random.default_rng(0)
        profile = calibrated(1000, shift=0.1).with_weight(rng.exponential(1, 1000))
        found = assess_confidence(profile)
        assert str(found).startswith("Too sure: says ")
        assert str(found).endswith(" Weighted: only the gap is tested.")
        assert found.gap == pytest.approx(metrics.confidence_gap(profile))
        assert np.isnan([found.top_p_value, found.shape_p_value, found.size_ratio]).all()
        fair = assess_confidence(calibrated(1000).with_weight(rng.exponential(1, 1000)))
        assert str(fair).startswith("No sign of a gap. It is ")

    def test_with_too_few_errors_nothing_is_said(self):
        weight = np.where(np.arange(100) < 3, 1000.0, 1.0)
        found = assess_confidence(calibrated(100).with_weight(weight))
        assert str(found) == "The weighted answers have too few errors to say."

    @pytest.mark.parametrize("n_sets", [150, pytest.param(1000, marks=pytest.mark.slow)])
    def test_keep_the_level(self, n_sets):
        rng, found = np.random.default_rng(0), []
        for _ in range(n_sets):
            sure = 1 - rng.beta(1, 3, 1000) / 1.5
            profile = profile_of(sure, rng.random(1000) > sure, sample_weight=rng.exponential(1, 1000))
            found.append(assess_confidence(profile).p_value <= 0.05)
        assert np.mean(found) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets)
