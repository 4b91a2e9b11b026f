"""A verdict says what holds, in words that users can act on, and otherwise what such a sample could have shown."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from _support.predictions import draw_answers

from skconf import ConfidenceProfile, metrics
from skconf.datasets import make_confidence_profile
from skconf.inference import assess_confidence
from skconf.inference._assessment import Stretch
from skconf.inference._error_table import BANDS, ErrorSums, ErrorTable, VerdictSums
from skconf.inference._verdict import assess_sums, assess_table
from skconf.inference._wording import _rare_level, _seen, _worst_level


def spread(chance, n_wrong):
    """Return errors as evenly as these chances allow: one wherever the expected errors pass another whole number."""
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
    def test_overconfident(self):
        sure = around(0.777, 0.2, 1000)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 287)))
        assert str(found) == (
            "Overconfident: average confidence is 77.7%, but 71.3% of answers are right (95% interval 67.9–74.6)."
        )
        assert found.p_value < 1e-5
        assert found.found
        assert (found.grade, found.grade_at_most) == ("mild", "serious")

    def test_underconfident(self):
        sure = around(0.621, 0.12, 1200)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 389)))
        assert str(found) == (
            "Underconfident: average confidence is 62.1%, but 67.6% of answers are right (95% interval 64.6–70.4)."
        )
        assert found.gap == pytest.approx(-0.055, abs=5e-4)
        assert found.overconfident is None
        assert found.underconfident.count == 1200

    def test_overconfident_among_the_most_confident(self):
        top, rest = around(1 - 12.7 / 334, 0.03, 334), around(0.7, 0.19, 1666)
        wrong = np.append(spread(1 - top, 28), spread(1 - rest, 500 - 28))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found) == (
            "Overconfident at confidences between 0.9 and 0.98: 26 errors in 267 answers, where the confidences "
            "imply 12 errors. "
            "Overall, average confidence is 74.4%, and 75.0% of answers are right (95% interval 72.6–77.3)."
        )
        assert found.p_value < 0.01
        assert not found.levels[0].found

    def test_no_sign(self):
        sure = np.append(around(0.93, 0.05, 500), around(0.65, 0.1, 500))
        found = assess_confidence(profile_of(sure, spread(1 - sure, 215)))
        assert str(found) == (
            "No sign of miscalibration: average confidence is 79.0%, and 78.5% of answers are right "
            "(95% interval 75.3–81.5). If there were overconfidence of 4.1 points, it would be found in four of "
            "five data sets like this one."
        )
        assert found.p_value > 0.5
        assert found.grade == "none shown"

    def test_too_few(self):
        sure = around(1 - 12.7 / 60, 0.15, 60)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 10)))
        assert str(found) == (
            "Too few to say: 10 of 60 answers are wrong, where the confidences imply 13 errors. "
            "Even overconfidence of 16.6 points would be missed in one of five data sets like this one."
        )
        assert found.grade == "too few to say"

    def test_close_to_calibrated(self):
        found = assess_confidence(calibrated(200_000, seed=1))
        assert found.grade == "close to calibrated"
        assert str(found).startswith("Close to calibrated: average confidence is 75.")

    def test_a_small_gap_in_very_many_answers_is_no_fault(self):
        sure = around(0.75, 0.1, 1_000_000)
        found = assess_confidence(profile_of(sure, spread(1 - sure, 254_000)))
        assert found.found
        assert str(found) == (
            "Close to calibrated: average confidence is 75.0%, and 74.6% of answers are right (95% interval 74.5–74.7)."
        )

    def test_one_answer_decides(self):
        found = assess_confidence(["no", "yes", "yes", "no"], [0.2, 0.9, 0.6, 0.99])
        assert str(found) == (
            "Overconfident because of one answer alone: row 4 of 4 is wrong with a confidence of 0.99, where one "
            "answer in 100 is "
            "expected to be. Without it, nothing is found."
        )
        assert found.decisive_row == 3
        assert 0.01 <= found.p_value < 0.025

    def test_both_halves_of_an_s(self):
        upper, lower = around(0.9, 0.05, 750), around(0.65, 0.1, 750)
        wrong = np.append(spread(1 - upper, 105), spread(1 - lower, 225))
        found = assess_confidence(profile_of(np.append(upper, lower), wrong))
        assert str(found) == (
            "Slightly overconfident at confidences between 0.8 and 0.95: "
            "105 errors in 749 answers, where the confidences imply 75 errors. "
            "Slightly underconfident at confidences below 0.8: 225 errors in 750 answers, where the confidences "
            "imply 262 errors."
        )

    def test_off_in_the_middle(self):
        low, middle, high = around(0.55, 0.04, 800), around(0.7, 0.04, 800), around(0.85, 0.04, 800)
        wrong = [spread(1 - part, n) for part, n in ((low, 336), (middle, 312), (high, 102))]
        found = assess_confidence(profile_of(np.concatenate([low, middle, high]), np.concatenate(wrong)))
        assert str(found).startswith(
            "Overconfident at confidences between 0.6 and 0.8: 312 errors in 800 answers, where the confidences "
            "imply 240 errors. "
        )

    def test_the_opposite_of_the_whole(self):
        top, rest = around(0.97, 0.02, 400), around(0.65, 0.1, 1600)
        wrong = np.append(spread(1 - top, 32), spread(1 - rest, 460))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found).startswith("Underconfident: average confidence is 71.4%, but 75.4% of answers ")
        assert str(found).endswith(
            " But overconfident at confidences between 0.95 and 0.98: 28 errors in 300 answers, where the "
            "confidences imply 11 errors."
        )

    def test_where_it_is_worst(self):
        top, rest = around(0.97, 0.02, 400), around(0.7, 0.1, 1600)
        wrong = np.append(spread(1 - top, 40), spread(1 - rest, 560))
        found = assess_confidence(profile_of(np.append(top, rest), wrong))
        assert str(found).endswith(
            " Worst at a confidence of 0.9 or more: 40 errors in 400 answers, where the confidences imply 12 errors."
        )

    @pytest.mark.parametrize(("frequent", "told"), [(300, True), (260, False)])
    def test_one_answer_for_all_may_be_as_good(self, frequent, told):
        """Of 400 answers 270 are right; the more frequent class has 300 of the rows, or 260."""
        row = np.arange(400)
        y_true = row < frequent
        y_pred = np.where(row < 130, ~y_true, y_true)
        found = assess_confidence(y_true, np.where(y_pred, 0.7, 0.3))
        assert found.most_frequent == frequent / 400
        assert ("always gave the most frequent class (75.0%)" in str(found)) is told

    @pytest.mark.parametrize(
        ("sure", "wrong", "expected"),
        [
            ([1.0] * 5, [0] * 5, "Too few to say: 0 of 5 answers are wrong, where the confidences imply none."),
            (
                [1.0] * 5,
                [1, 0, 0, 0, 0],
                "Overconfident because of one answer alone: row 1 of 5 is wrong with a confidence of 1, which should",
            ),
            ([0.5], [1], "Too few to say: 1 of 1 answer is wrong, where the confidences imply 0.5 errors."),
            ([0.0] * 50, [0] * 50, "Underconfident: average confidence is 0.0%, but 100.0% of answers are right"),
        ],
    )
    def test_at_the_ends(self, sure, wrong, expected):
        assert str(assess_confidence(profile_of(np.array(sure), wrong))).startswith(expected)


class TestNumbers:
    def test_levels_hold_all_answers_from_a_confidence_on(self):
        profile = calibrated(400, shift=0.04)
        found = assess_confidence(profile)
        assert found.gap == pytest.approx(metrics.confidence_gap(profile))
        assert (found.gap_low, found.gap_high) == pytest.approx(
            (found.confidence - found.accuracy_high, found.confidence - found.accuracy_low)
        )
        assert [level.low for level in found.levels] == [0.0, 0.9, 0.99]
        for level in found.levels:
            rows = profile.confidence >= level.low
            wrong, chance = ~profile.correct[rows], 1 - profile.confidence[rows]
            assert (level.count, level.observed) == (rows.sum(), wrong.sum())
            assert level.expected == pytest.approx(chance.sum())
            at_most, at_least = np.cumsum(convolved(chance)), np.cumsum(convolved(chance)[::-1])[::-1]
            p_value = min(2 * min(at_most[wrong.sum()], at_least[wrong.sum()]), 1)
            assert level.p_value == pytest.approx(p_value, rel=2e-3)

    def test_seeds(self):
        profile = calibrated(100)
        one, again, other = (assess_confidence(profile, random_state=seed).p_value for seed in (0, 0, 1))
        assert one == again != other
        assert one == pytest.approx(other, abs=0.05)

    def test_the_table_and_the_repr_hold_what_the_sentence_rests_on(self):
        found = assess_confidence(calibrated(1000, shift=0.06))
        frame = found.to_frame()
        assert frame["low"].tolist()[:4] == [0.0, 0.9, 0.99, 0.999]
        assert frame["found"].tolist() == [each.found for each in found.stretches]
        assert repr(found).startswith("Assessment('Overconfident: average ")
        assert "\n" not in repr(found)

    def test_too_few_draws_are_refused(self):
        with pytest.raises(ValueError, match="n_resamples must be at least 99"):
            assess_confidence(calibrated(10), n_resamples=19)


class TestLevel:
    @pytest.mark.simulation
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
            assert str(over).startswith("Far overconfident: ")
            assert str(under).startswith("Underconfident: ")


def added(one, other):
    return tuple(a + b for a, b in zip(one, other, strict=True))


class TestMany:
    def test_cells_say_what_rows_say(self):
        """Sums over cells of confidence lead to the verdict of every row by itself."""
        profile = calibrated(1500, shift=0.02)
        wrong = ~profile.correct
        sizes = (1 / (1 - profile.confidence[wrong])).sum()
        band = np.searchsorted(BANDS, profile.confidence, side="right") - 1
        rows = ErrorTable(1 - profile.confidence, np.ones(1500), wrong.astype(float), band, sizes)
        cells = ErrorTable.of(profile)
        assert len(cells.count) < 400
        one, other = assess_table(rows), assess_table(cells)
        assert str(one) == str(other)
        for exact, close in zip(one.levels, other.levels, strict=True):
            assert close.p_value == pytest.approx(exact.p_value, rel=0.01)
            assert (close.count, close.observed) == (exact.count, exact.observed)

    def test_every_cell_lies_in_its_band(self):
        """Also a confidence that has passed through single precision, or whose complement has."""
        ends = np.array(BANDS[1:-1])
        single, complement = (part.astype(np.float32).astype(float) for part in (ends, 1 - ends))
        for sure in (ends, np.nextafter(ends, 1), single, 1 - complement, ends + 1e-6):
            for band, each in enumerate(sure, 1):
                assert ErrorTable.of(profile_of(np.array([each]), [False])).band.tolist() == [band]
        for band, each in enumerate(ends - 1e-7):
            assert ErrorTable.of(profile_of(np.array([each]), [False])).band.tolist() == [band]
        assert [ErrorTable.of(profile_of(np.array([each]), [False])).band.item() for each in (0.0, 1.0)] == [0, 16]

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
        assert str(found).startswith("Slightly overconfident: average confidence is 75.")


class TestWeights:
    def test_that_are_alike_are_none(self):
        profile = calibrated(300, shift=0.1)
        same = profile.with_weight(np.where(np.arange(300) < 200, 2.0, 0.0))
        assert assess_confidence(same).text == assess_confidence(profile[:200]).text

    def test_only_the_gap_is_tested_and_the_sentence_says_so(self):
        rng = np.random.default_rng(0)
        profile = calibrated(1000, shift=0.1).with_weight(rng.exponential(1, 1000))
        found = assess_confidence(profile)
        assert str(found).startswith("Overconfident: average confidence is ")
        assert str(found).endswith(" The answers are weighted: only the overall gap is tested.")
        assert found.gap == pytest.approx(metrics.confidence_gap(profile))
        assert found.levels == ()
        fair = assess_confidence(calibrated(1000).with_weight(rng.exponential(1, 1000)))
        assert str(fair).startswith("No sign of a gap: average confidence is ")

    def test_the_grade_is_that_of_the_near_end_of_the_interval(self):
        """25% are expected to be wrong, and 30% are: 2 to 8% more, which may be serious but is shown to be mild."""
        weight, wrong = np.repeat([1.0, 1.5], 500), np.arange(1000) % 10 < 3
        found = assess_confidence(profile_of(np.full(1000, 0.75), wrong).with_weight(weight))
        gap = 0.75 - weight[~wrong].sum() / weight.sum()
        error = np.sqrt((weight**2 * (0.75 - ~wrong - gap) ** 2).sum()) / weight.sum()
        assert (found.gap_low, found.gap_high) == pytest.approx((gap - 1.96 * error, gap + 1.96 * error), abs=1e-4)
        assert found.gap_low > 0.01
        assert (found.grade, found.grade_at_most) == ("mild", "serious")

    def test_with_too_few_errors_nothing_is_said(self):
        weight = np.where(np.arange(100) < 3, 1000.0, 1.0)
        profile = calibrated(100).with_weight(weight)
        found = assess_confidence(profile)
        size = weight.sum() ** 2 / (weight**2).sum()
        wrong = max(1 - np.average(each, weights=weight) for each in (profile.correct, profile.confidence))
        needed = int(np.ceil(30 / min(wrong, 1 - wrong)))
        assert (
            str(found)
            == f"Too few to say: the weighted answers count as {size:.0f} answers of equal weight. A verdict "
            f"needs about {needed}."
        )
        assert (found.grade, found.grade_at_most) == ("too few to say", "unusable")

    def test_groups_are_counted(self):
        groups = np.repeat(np.arange(20), 5)
        profile = profile_of(np.full(100, 0.9), groups % 10 == 0, groups=groups)
        found = assess_confidence(profile)
        assert str(found) == (
            "Too few to say: the answers in clusters count as 20 clusters of equal size. A verdict needs about 300."
        )

    @pytest.mark.simulation
    @pytest.mark.parametrize("n_sets", [150, pytest.param(1000, marks=pytest.mark.slow)])
    def test_keep_the_level(self, n_sets):
        rng, found = np.random.default_rng(0), []
        for _ in range(n_sets):
            sure = 1 - rng.beta(1, 3, 1000) / 1.5
            profile = profile_of(sure, rng.random(1000) > sure, sample_weight=rng.exponential(1, 1000))
            found.append(assess_confidence(profile).p_value <= 0.05)
        assert np.mean(found) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / n_sets)


@pytest.mark.simulation
@pytest.mark.parametrize("n_sets", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_confidences_of_0_and_1_have_no_direction_by_chance(n_sets):
    """2% of each are wrong: calibration is rejected at both ends, and the whole is off in neither direction."""
    rng, told = np.random.default_rng(0), 0
    for _ in range(n_sets):
        sure = rng.integers(0, 2, 400).astype(float)
        found = assess_confidence(profile_of(sure, (rng.random(400) < 0.02) != (sure == 0)), n_resamples=199)
        assert found.found
        told += found.levels[0].found
    assert told <= 0.05 * n_sets + 2


@pytest.mark.parametrize(("grade", "word"), [(0.5, "Far overconfident: "), (0.75, "Close to calibrated: ")])
def test_answers_that_are_all_alike_leave_no_doubt(grade, word):
    found = assess_confidence(ConfidenceProfile.from_correctness(np.full(300, grade), np.full(300, 0.75)))
    assert str(found).startswith(word)
    assert found.p_value == (grade == 0.75)
    assert found.gap_low == found.gap == found.gap_high == 0.75 - grade
    assert found.n_samples == 300


def test_groups_that_are_all_alike_leave_no_doubt():
    group, wrong = np.repeat(np.arange(200), 20), np.tile(np.arange(20) >= 14, 200)
    found = assess_confidence(profile_of(np.tile(np.linspace(0.6, 0.99, 20), 200), wrong, groups=group))
    assert (found.gap_low, found.gap_high) == pytest.approx((0.095, 0.095), abs=1e-12)
    weight = np.where(wrong, 1.0, 0.5)
    profile = profile_of(np.full(4000, 0.8), wrong, groups=group, sample_weight=weight)
    assert (
        assess_confidence(profile).accuracy_low
        < 0.7 * 0.5 / (0.7 * 0.5 + 0.3)
        < assess_confidence(profile).accuracy_high
    )


@pytest.mark.parametrize(("n_wrong", "word"), [(6, "Overconfident: "), (4, "Too few to say: ")])
def test_a_large_gap_in_few_answers_is_not_slight(n_wrong, word):
    assert str(assess_confidence(profile_of(np.full(6, 0.6), np.arange(6) < n_wrong))).startswith(word)


def test_an_interval_that_is_cut_does_not_print_the_confidence_as_its_end():
    n_cut = 0
    for n_wrong in range(30):
        found = assess_confidence(profile_of(np.append(np.zeros(20), np.ones(40)), np.arange(60) < n_wrong))
        shown = re.search(r"interval ([\d.]+)–([\d.]+)", str(found))
        if shown and found.levels[0].found:
            n_cut += found.confidence - found.accuracy_high < 1e-9 or found.accuracy_low - found.confidence < 1e-9
            assert f"{100 * found.confidence:.1f}" not in shown.groups()
    assert n_cut > 5


def test_the_worst_level_is_the_farthest_from_its_confidences():
    """Not the one with most errors: 8% where 1% are implied are worse than 35% where 30% are."""

    def stretch(low, count, observed, expected):
        ends = observed - 1, observed + 1
        return Stretch(low, np.inf, count, observed, expected, *ends, 0.001, True, "overconfident", "serious")

    levels = (stretch(0, 1000, 400, 390), stretch(0.6, 200, 70, 60), stretch(0.9, 100, 8, 1))
    verdict = SimpleNamespace(levels=levels, stretches=levels, n_samples=1000)
    assert _rare_level(verdict) == ""
    few = SimpleNamespace(levels=(*levels, stretch(0.99, 9, 5, 0.1)), n_samples=1000)
    assert _rare_level(few).startswith("Overconfident at a confidence of 0.99 or more: 5 errors in 9 answers")
    assert _worst_level(verdict).startswith("Worst at a confidence of 0.9 or more: 8 errors in 100 answers, ")
    assert [_seen(stretch(0.5, 1000, errors, 100)) for errors in (100, 130, 170)] == ["negligible", "mild", "serious"]
