"""The verdict's numbers are those of their definitions, computed answer by answer in `brute_verdict`."""

import numpy as np
import pytest
from _support.inference.brute_verdict import BANDS, GRADES, BruteTest, grade
from scipy.stats import binom, norm

from skconf import ConfidenceProfile
from skconf.inference import assess_confidence
from skconf.inference._error_table import ErrorTable
from skconf.inference._stretch_laws import StretchLaws

ORDER = {"none shown": -1} | {name: place for place, name in enumerate(GRADES)}


def grid(rng, n):
    """Confidences of few values in every band."""
    return rng.choice([0.1, 0.25, 0.35, 0.45, 0.55, 0.65, 0.72, 0.78, 0.85, 0.92, 0.97, 0.985, 0.993, 0.9985, 1.0], n)


#: Confidences, chances that an answer is wrong, and the number of answers.
CASES = {
    "calibrated": (grid, lambda sure: 1 - sure, 120),
    "calibrated, few": (grid, lambda sure: 1 - sure, 9),
    "one error is likely at 1.0": (grid, lambda sure: np.maximum(1 - sure, 0.02), 150),
    "ties in tenths, ten points overconfident": (
        lambda rng, n: rng.integers(5, 11, n) / 10,
        lambda sure: np.minimum(1.1 - sure, 1),
        200,
    ),
    "ten points underconfident": (grid, lambda sure: np.maximum(0.9 - sure, 0), 200),
    "overconfident above, underconfident below": (
        lambda rng, n: rng.choice([0.35, 0.45, 0.55, 0.65, 0.72, 0.78, 0.85, 0.92, 0.97], n),
        lambda sure: np.where(sure > 0.7, 1.18 - sure, 0.82 - sure),
        250,
    ),
    "overconfident in the middle": (
        lambda rng, n: rng.choice([0.55, 0.65, 0.75, 0.85, 0.95], n),
        lambda sure: 1 - sure + 0.25 * ((sure > 0.6) & (sure < 0.8)),
        200,
    ),
    "all alike": (lambda rng, n: rng.choice([0.95], n), lambda sure: 2 * (1 - sure), 100),
    "only 0 and 1": (lambda rng, n: rng.integers(0, 2, n) * 1.0, lambda sure: 1 - sure, 60),
    "only 0 and 1, one in twenty of them wrong": (
        lambda rng, n: rng.integers(0, 2, n) * 1.0,
        lambda sure: np.where(sure == 1, 0.05, 0.95),
        200,
    ),
    "far off": (lambda rng, n: rng.choice([0.999], n), lambda sure: 0.3 + 0 * sure, 100),
    "two clusters": (
        lambda rng, n: rng.choice([0.55, 0.999], n),
        lambda sure: np.where(sure > 0.9, 0.04, 0.45),
        250,
    ),
}
SEEDS = (0, 1, 2)


def assessed(sure, wrong, **given):
    return assess_confidence(ConfidenceProfile.from_correctness(~wrong, sure), **given)


@pytest.fixture(scope="module", params=[(name, seed) for name in CASES for seed in SEEDS], ids=str)
def both(request):
    """A set of answers: its verdict, and the test by its definition."""
    name, seed = request.param
    draw, chance, n = CASES[name]
    rng = np.random.default_rng([list(CASES).index(name), seed])
    sure = draw(rng, n)
    wrong = rng.random(n) < chance(sure)
    return assessed(sure, wrong), BruteTest(sure, wrong)


def stretches(verdict):
    return [*verdict.levels, *(each for each in (verdict.overconfident, verdict.underconfident) if each is not None)]


def place(brute, stretch):
    """Return a stretch of the verdict as the brute test numbers it."""
    inside = [band for band, edge in enumerate(brute.edges[:-1]) if stretch.low <= edge < stretch.high]
    return inside[0], inside[-1]


def critical_values(verdict, brute):
    """Return the critical value t that each end of an interval reveals: it is exact at 1 − t · w."""
    found = []
    for each in stretches(verdict):
        n, weight = each.count, brute.weight[place(brute, each)]
        low, high = each.errors_low, each.errors_high
        if low > 0 and abs(low - each.expected) > 1e-6:
            found.append(2 * binom.sf(each.observed - 1, n, low / n) / weight)
        if high < n and abs(high - each.expected) > 1e-6:
            found.append(2 * binom.cdf(each.observed, n, high / n) / weight)
    return np.array(found)


def critical_value(verdict, brute):
    values = critical_values(verdict, brute)
    if not len(values):
        pytest.skip("no interval ends inside its range")
    return float(np.median(values))


class TestStretches:
    def test_levels_are_all_answers_and_those_in_use(self, both):
        verdict, brute = both
        assert [place(brute, each) for each in verdict.levels] == brute.levels
        lows = [each.low for each in verdict.levels]
        assert lows[0] == 0
        assert set(lows[1:]) <= {0.5, 0.9, 0.99, 0.999, 1.0}
        assert all(np.isinf(each.high) for each in verdict.levels)

    def test_counts(self, both):
        verdict, brute = both
        for each in stretches(verdict):
            at = place(brute, each)
            assert (each.count, each.observed) == (brute.count(at), brute.observed(at))
            assert each.expected == pytest.approx(brute.expected(at), abs=1e-7)
        sure, wrong, n = brute.sure, brute.wrong, len(brute.sure)
        assert (verdict.n_samples, verdict.observed_errors) == (n, wrong.sum())
        assert verdict.expected_errors == pytest.approx((1 - sure).sum())
        assert verdict.confidence == pytest.approx(sure.mean())
        assert verdict.accuracy == pytest.approx(1 - wrong.mean())
        assert verdict.gap == pytest.approx(sure.mean() - 1 + wrong.mean())
        assert (verdict.certain, verdict.certain_wrong) == ((sure == 1).sum(), wrong[sure == 1].sum())

    def test_p_values_are_those_of_convolved_answers(self, both):
        verdict, brute = both
        for each in stretches(verdict):
            assert each.p_value == pytest.approx(brute.p_values[place(brute, each)], rel=1e-5, abs=3e-11)

    def test_found_and_directions(self, both):
        verdict, brute = both
        critical = critical_value(verdict, brute)
        for each in stretches(verdict):
            at = place(brute, each)
            assert each.found == brute.is_found(at, critical)
            direction = "overconfident" if each.observed > each.expected else "underconfident"
            assert each.direction == (direction if each.found else None)
        assert verdict.found == (brute.least <= critical)
        assert verdict.found == (verdict.p_value <= 0.05)

    def test_intervals_are_exact_at_the_level_of_their_test(self, both):
        verdict, brute = both
        values = critical_values(verdict, brute)
        critical = critical_value(verdict, brute)
        np.testing.assert_allclose(values, critical, rtol=1e-5)
        assert 0.05 / sum(brute.weight.values()) * (1 - 1e-6) <= critical <= 0.05 * (1 + 1e-6)
        for each in stretches(verdict):
            low, high = brute.interval(place(brute, each), critical)
            assert each.errors_low == pytest.approx(low, rel=1e-6, abs=1e-7)
            assert each.errors_high == pytest.approx(high, rel=1e-6, abs=1e-7)
            assert each.found == (not each.errors_low <= each.expected <= each.errors_high)
        overall, n = verdict.levels[0], verdict.n_samples
        assert verdict.accuracy_low == pytest.approx(1 - overall.errors_high / n)
        assert verdict.accuracy_high == pytest.approx(1 - overall.errors_low / n)
        assert verdict.gap_low == pytest.approx(verdict.confidence - verdict.accuracy_high)
        assert verdict.gap_high == pytest.approx(verdict.confidence - verdict.accuracy_low)

    @pytest.mark.parametrize("direction", ["overconfident", "underconfident"])
    def test_named_stretches(self, both, direction):
        verdict, brute = both
        try:
            expected = brute.named(direction, critical_value(verdict, brute))
        except LookupError:
            pytest.skip("two stretches have the same evidence")
        named = getattr(verdict, direction)
        assert (named and place(brute, named)) == expected
        assert named is None or (named.found and named.direction == direction)

    def test_no_verdict_without_a_name(self, both):
        verdict, _ = both
        assert verdict.found == any(each is not None for each in (verdict.overconfident, verdict.underconfident))


@pytest.mark.parametrize("band", range(len(BANDS)))
def test_each_band_begins_at_its_edge(band):
    """Answers at every edge, and those of one of them all wrong: they are named, from their edge to the next one."""
    sure = np.repeat(np.append(0.1, BANDS[1:]), 300)
    at = np.arange(len(sure)) // 300 == band
    wrong = np.floor(np.cumsum(1 - sure)) > np.floor(np.append(0, np.cumsum(1 - sure)[:-1]))
    verdict = assessed(sure, wrong | at)
    assert verdict.overconfident.low == BANDS[band]
    assert verdict.overconfident.high == np.append(BANDS, np.inf)[band + 1]
    assert (verdict.overconfident.count, verdict.overconfident.observed) == (300, 300)


class TestGrades:
    def test_are_those_of_the_near_ends(self, both):
        verdict, brute = both
        critical = critical_value(verdict, brute)
        for each in stretches(verdict):
            expected = grade(each.count, each.expected, *brute.interval(place(brute, each), critical))
            assert each.grade == (expected if each.found else "none shown")

    def test_the_worst_of_stretches_with_a_hundredth_of_the_answers_counts(self, both):
        verdict, _ = both
        many = [each for each in stretches(verdict) if each.count >= 0.01 * verdict.n_samples]
        ends = [(each.count, each.expected, each.errors_low, each.errors_high) for each in many]
        shown = max((grade(*of) for of in ends), key=ORDER.get)
        at_most = max((grade(n, e, high, low) for n, e, low, high in ends), key=ORDER.get)
        assert verdict.grade_at_most == at_most
        too_wide = not verdict.detectable_over <= 0.1
        unseen = "too few to say" if too_wide else "none shown"
        expected = "close to calibrated" if at_most == "negligible" else shown if verdict.found else unseen
        assert verdict.grade == expected


class TestPower:
    @pytest.mark.parametrize("direction", ["overconfident", "underconfident"])
    def test_detectable_gaps(self, both, direction):
        verdict, brute = both
        told = verdict.detectable_over if direction == "overconfident" else verdict.detectable_under
        expected = brute.detectable(direction, critical_value(verdict, brute))
        assert told == pytest.approx(expected, abs=1e-6, nan_ok=True)

    @pytest.mark.parametrize("how", ["evenly", "in proportion", "on a fifth"])
    @pytest.mark.parametrize("n", [100, 250])
    def test_is_at_least_four_in_five(self, n, how):
        """However the extra errors are spread over the answers."""
        rng = np.random.default_rng(n)
        sure = rng.choice([0.75, 0.85, 0.92, 0.97], n)
        calibrated = BruteTest(sure, rng.random(n) > sure)
        told = assessed(calibrated.sure, calibrated.wrong)
        critical = critical_value(told, calibrated)
        extra, sure = n * told.detectable_over, calibrated.sure
        added = {
            "evenly": np.full(n, extra / n),
            "in proportion": (1 - sure) * extra / (1 - sure).sum(),
            "on a fifth": np.where(np.arange(n) % 5 == 0, 5 * extra / n, 0),
        }[how]
        chance = 1 - sure + added
        assert chance.max() <= 1
        n_errors = (rng.random((4000, n)) < chance).sum(axis=1)
        everything = calibrated.levels[0]
        found = [calibrated.at_least(everything, k) * 2 <= critical for k in n_errors]
        assert np.mean(found) >= 0.8 - 3 * np.sqrt(0.16 / 4000)


class TestJointTest:
    """The critical value and the joint p-value are those of draws of every answer."""

    @pytest.mark.parametrize("name", CASES)
    def test_against_draws_of_every_answer(self, name):
        draw, chance, n = CASES[name]
        n, n_draws, n_resamples = min(n, 120), 20_000, 19_999
        rng = np.random.default_rng(len(name))
        sure = draw(rng, n)
        wrong = rng.random(n) < chance(sure)
        verdict, brute = assessed(sure, wrong, n_resamples=n_resamples), BruteTest(sure, wrong)
        least = brute.drawn_least(n_draws, rng)

        def error(p):
            return 4 * np.sqrt(max(p * (1 - p), 1 / n_resamples) * (1 / n_draws + 1 / n_resamples))

        joint = np.mean(least <= brute.least * (1 + 1e-9))
        assert verdict.p_value == pytest.approx(joint, abs=error(joint) + 1 / n_resamples)
        values = critical_values(verdict, brute)
        if len(values):
            critical, level = np.median(values), np.mean(least <= np.median(values))
            bonferroni = critical <= 0.05 / sum(brute.weight.values()) * (1 + 1e-6)
            assert level <= 0.05 + error(0.05)
            # It is the largest one: the next value that p / w can take would be too large.
            following = least[least > critical * (1 + 1e-6)].min(initial=np.inf)
            assert bonferroni or critical >= 0.05 * (1 - 1e-6) or np.mean(least <= following) >= 0.05 - error(0.05)

    def test_far_beyond_all_draws(self):
        """The p-value follows the evidence, and is no rank."""
        verdict = assessed(np.full(200, 0.9), np.arange(200) < 70)
        brute = BruteTest(np.full(200, 0.9), np.arange(200) < 70)
        assert verdict.p_value <= 0.05 / critical_value(verdict, brute) * max(brute.least, 2e-11) * 1.01
        assert verdict.p_value < 1e-9

    def test_cells_of_close_confidences(self):
        """Confidences that differ everywhere are counted in cells, which changes p-values by little."""
        rng = np.random.default_rng(5)
        sure = 1 - np.exp(rng.uniform(np.log(1e-4), np.log(0.5), 300))
        wrong = rng.random(300) < 1.6 * (1 - sure)
        verdict, brute = assessed(sure, wrong), BruteTest(sure, wrong)
        for each in stretches(verdict):
            assert each.p_value == pytest.approx(brute.p_values[place(brute, each)], rel=2e-3, abs=3e-11)


class TestManyAnswers:
    """Where no law can be convolved the p-values are those of a normal law, or of a binomial law."""

    @pytest.mark.parametrize("errors", [-4000, -1500, 0, 1500, 4000])
    def test_of_one_confidence(self, errors):
        n, rate = 1_000_000, 0.2
        verdict = assessed(np.full(n, 1 - rate), np.arange(n) < n * rate + errors)
        expected = min(1, 2 * min(binom.cdf(n * rate + errors, n, rate), binom.sf(n * rate + errors - 1, n, rate)))
        assert verdict.levels[0].p_value == pytest.approx(expected, rel=0.02, abs=1e-12)

    def test_of_drawn_errors(self):
        n, errors = 10_000, np.array([[900, 940, 990, 1000, 1010, 1050, 1100]]).T
        laws = StretchLaws(ErrorTable.of(ConfidenceProfile.from_correctness(np.ones(n), np.full(n, 0.9))))
        tails = np.minimum(binom.cdf(errors, n, 0.1), binom.sf(errors - 1, n, 0.1))
        np.testing.assert_allclose(laws.two_sided(errors.astype(float)), np.minimum(2 * tails, 1), rtol=0.02)

    def test_of_spread_confidences(self):
        """Against a normal law with the variance of the answers: as many errors more are as unlikely as there."""
        n = 200_000
        sure = np.linspace(0.5, 1, n, endpoint=False)
        spread = np.sqrt((sure * (1 - sure)).sum())
        for z in (1.0, 2.5, 4.0):
            n_errors = round((1 - sure).sum() + z * spread)
            wrong = np.zeros(n, dtype=bool)
            wrong[np.random.default_rng(0).permutation(n)[:n_errors]] = True
            p_value = assessed(sure, wrong).levels[0].p_value
            assert p_value == pytest.approx(2 * norm.sf(z - 0.5 / spread), rel=0.02)
