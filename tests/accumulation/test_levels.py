"""Tables of distinct scores: exact as long as they fit, then on a grid, with a bound of the error."""

import functools

import numpy as np
import pytest
from _support.predictions import draw_classes
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, MetricAccumulator, get_scorer
from skconf.accumulation._levels import round_to_grid

AREAS = ["neg_aurc", "neg_augrc", "neg_excess_aurc", "confidence_roc_auc"]
#: Metrics of confidences themselves.
EXACT_ONLY = ["neg_smooth_ece", "neg_ecce", "neg_calibration_distance", "metric_coverage_auc_to_zero"]
FEW = 1024


def confidences(kind, n, rng):
    return {
        "uniform": lambda: rng.random(n),
        "within 1e-12 of 1": lambda: 1 - 1e-12 * rng.random(n),
        "towards 1 and 0": lambda: np.where(
            rng.random(n) < 0.5, 10.0 ** -rng.uniform(0, 16, n), 1 - 10.0 ** -rng.uniform(0, 16, n)
        ),
        "heavy ties": lambda: np.where(rng.random(n) < 0.9, rng.integers(0, 5, n) / 4, rng.random(n)),
        "in one step of the grid": lambda: 0.7 + 1e-4 * rng.random(n),
    }[kind]()


KINDS = ["uniform", "within 1e-12 of 1", "towards 1 and 0", "heavy ties", "in one step of the grid"]


class TestRoundedScores:
    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("tells", [True, False], ids=["right on top", "wrong on top"])
    def test_are_within_their_bound(self, kind, weighted, tells):
        """Correctness follows the confidence or runs against it: nothing in between is worse or better."""
        rng = np.random.default_rng(0)
        n = 20_000
        sure = confidences(kind, n, rng)
        rank = sure.argsort().argsort() / n
        correct = rng.random(n) < (rank if tells else 1 - rank)
        profile = ConfidenceProfile.from_correctness(
            correct, sure, sample_weight=rng.exponential(1, n) if weighted else None
        )
        total = MetricAccumulator(AREAS, max_levels=FEW)
        for rows in np.array_split(np.arange(n), 7):
            total.update(profile[rows])
        found, bounds = total.result(), total.error_bounds()
        for name in AREAS:
            error = abs(found[name] - get_scorer(name).of_profile(profile))
            assert 1e-8 < error <= bounds[name] + 1e-12, name

    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    def test_reach_their_bound_where_a_step_has_all_that_is_right_on_top(self):
        """The bound is no larger than it has to be."""
        sure = 0.7 + 1e-4 * np.arange(5000) / 5000  # one step of the grid
        for correct in (np.arange(5000) >= 2500, np.arange(5000) < 2500):
            profile = ConfidenceProfile.from_correctness(correct, sure)
            total = MetricAccumulator(["confidence_roc_auc", "neg_augrc"], max_levels=FEW).update(profile)
            for name, bound in total.error_bounds().items():
                assert abs(total.result()[name] - get_scorer(name).of_profile(profile)) == pytest.approx(
                    bound, rel=1e-9
                )

    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    @pytest.mark.parametrize("n_classes", [2, 5])
    @pytest.mark.parametrize("name", ["cw_roc_auc", "cw_roc_auc_weighted"])
    def test_areas_of_classes(self, n_classes, name):
        y, proba = draw_classes(10_000, n_classes)
        total = MetricAccumulator(name, max_levels=FEW)
        for rows in np.array_split(np.arange(10_000), 3):
            total.update(y[rows], proba[rows])
        error = abs(total.result()[name] - get_scorer(name).of_profile(ConfidenceProfile.from_predictions(y, proba)))
        assert 1e-7 < error <= total.error_bounds()[name] < 0.02

    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    def test_other_scores_of_any_size(self):
        rng = np.random.default_rng(0)
        sure, score = rng.random(20_000), rng.standard_cauchy(20_000) * 1e3
        profile = ConfidenceProfile.from_correctness(rng.random(20_000) < sure, sure, score=score)
        total = MetricAccumulator(AREAS, max_levels=FEW).update(profile)
        for name in AREAS:
            assert abs(total.result()[name] - get_scorer(name).of_profile(profile)) <= total.error_bounds()[name]

    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    @pytest.mark.parametrize("tied", [0.0, 0.5, 1.0])
    def test_ties_at_the_ends_and_in_the_middle_are_known(self, tied):
        """A saturated softmax has many confidences of 1: they are ties, and no step of the grid."""
        rng = np.random.default_rng(0)
        sure = np.where(rng.random(20_000) < 0.5, tied, rng.random(20_000))
        profile = ConfidenceProfile.from_correctness(rng.random(20_000) < 0.3 + sure / 2, sure)
        total = MetricAccumulator(AREAS, max_levels=FEW).update(profile)
        for name, bound in total.error_bounds().items():
            assert abs(total.result()[name] - get_scorer(name).of_profile(profile)) <= bound < 0.01, name

    @pytest.mark.filterwarnings("ignore:There are too many distinct confidences")
    def test_more_levels_are_closer(self):
        rng = np.random.default_rng(0)
        sure = rng.random(300_000)
        profile = ConfidenceProfile.from_correctness(rng.random(300_000) < sure, sure)
        bounds = [
            MetricAccumulator("neg_aurc", max_levels=2**k).update(profile).error_bounds()["neg_aurc"]
            for k in (10, 13, 16)
        ]
        assert bounds[0] > 7 * bounds[1] > 49 * bounds[2] > 0
        assert bounds[2] < 3e-4

    def test_are_said_to_be_rounded(self):
        rng = np.random.default_rng(0)
        total = MetricAccumulator(["cw_accuracy", "neg_aurc"], max_levels=FEW)
        total.update(ConfidenceProfile.from_correctness(rng.random(2000) < 0.7, rng.random(2000)))
        assert repr(total).endswith("n_samples=2000, rounded confidences for ['neg_aurc'])")
        with pytest.warns(UserWarning, match=r"may have errors of up to \d\.\de-\d+ \(neg_aurc\)\. error_bounds"):
            total.result()
        assert total.error_bounds()["cw_accuracy"] == 0


class TestSwitch:
    """Whether a table is exact depends on the distinct scores of all parts, and on nothing else."""

    def parts(self, sure):
        correct = np.arange(len(sure)) % 3 > 0
        return [
            MetricAccumulator(AREAS, max_levels=FEW).update(
                ConfidenceProfile.from_correctness(correct[rows], sure[rows])
            )
            for rows in np.array_split(np.arange(len(sure)), 6)
        ]

    @pytest.mark.parametrize(("n_distinct", "exact"), [(FEW, True), (FEW + 1, False)])
    def test_is_at_the_limit(self, n_distinct, exact):
        sure = np.tile(np.arange(1, n_distinct + 1) / (n_distinct + 1), 4)
        total = functools.reduce(MetricAccumulator.merge, self.parts(sure))
        assert all(bound == 0 for bound in total.error_bounds().values()) == exact

    @settings(max_examples=20, deadline=None)
    @given(st.permutations(range(6)), st.integers(1, 5), st.sampled_from(KINDS))
    def test_state_is_the_same_in_any_order(self, order, split, kind):
        sure = confidences(kind, 3000, np.random.default_rng(0))
        parts = self.parts(sure)
        straight = functools.reduce(MetricAccumulator.merge, self.parts(sure), MetricAccumulator(AREAS, max_levels=FEW))
        left = functools.reduce(MetricAccumulator.merge, [parts[i] for i in order[:split]])
        right = functools.reduce(MetricAccumulator.merge, [parts[i] for i in order[split:]])
        one, other = straight.state_dict(), left.merge(right).state_dict()
        assert "level/confidence" in one
        for key in one.keys() - {"sums", "digest"}:
            np.testing.assert_array_equal(one[key], other[key])

    def test_weightless_scores_do_not_count(self):
        sure = np.arange(3000) / 3000
        weight = (np.arange(3000) % 3 == 0).astype(float)
        total = MetricAccumulator("neg_aurc", max_levels=FEW)
        total.update(ConfidenceProfile.from_correctness(np.arange(3000) % 2, sure, sample_weight=weight))
        assert total.error_bounds() == {"neg_aurc": 0}

    def test_zeros_of_both_signs_are_one_score(self):
        score = np.where(np.arange(4) < 2, 0.0, -0.0)
        profile = ConfidenceProfile.from_correctness([1, 0, 1, 0], [0.6] * 4, score=score)
        assert MetricAccumulator("neg_augrc").update(profile).result() == {"neg_augrc": pytest.approx(-0.25)}

    @pytest.mark.parametrize("name", EXACT_ONLY)
    def test_is_refused_by_metrics_of_the_confidences_themselves(self, name):
        rng = np.random.default_rng(0)
        profile = ConfidenceProfile.from_correctness(rng.random(2000) < 0.7, rng.random(2000))
        total = MetricAccumulator([name, "neg_aurc"], max_levels=FEW).update(profile[:FEW])
        before = total.result()
        with pytest.raises(ValueError, match=f"{name} cannot be computed from more than 1,024 distinct confidences"):
            total.update(profile[FEW:])
        other = MetricAccumulator([name, "neg_aurc"], max_levels=FEW).update(profile[FEW:])
        with pytest.raises(ValueError, match=f"{name} cannot be computed"):
            total.merge(other)
        assert total.result() == before
        assert total.update(profile[:FEW]).n_samples == 2 * FEW  # no more distinct ones than before


class TestGrid:
    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.integers(0, 20))
    def test_keeps_the_order_and_itself(self, scores, bits):
        score = np.sort(np.array(scores))
        rounded = round_to_grid(score, bits)
        assert (rounded[1:] >= rounded[:-1]).all()
        np.testing.assert_array_equal(round_to_grid(rounded, bits), rounded)

    @given(st.lists(st.floats(0, 1), min_size=1), st.integers(0, 20))
    def test_error_is_relative_to_the_nearer_end(self, scores, bits):
        score = np.array(scores)
        rounded = round_to_grid(score, bits)
        assert ((rounded >= 0) & (rounded <= 1)).all()
        nearer = np.minimum(score, 1 - score)
        assert (np.abs(rounded - score) <= np.maximum(nearer / 2**bits, 2.0**-64)).all()

    def test_ends_and_middle_stay_apart_from_their_neighbours(self):
        stay = np.array([0.0, 0.5, 1.0, 0.25, 0.75])
        np.testing.assert_array_equal(round_to_grid(stay, 0), stay)
        for side in (-np.inf, np.inf):
            assert not np.isin(round_to_grid(np.nextafter(stay[:3], side), 3), stay[:3]).any()

    @pytest.mark.parametrize("bits", [3, 6, 9])
    def test_has_no_more_steps_than_the_limit(self, bits):
        """Every step has a number of this form in it."""
        digits = 1 + np.arange(2**bits) / 2**bits
        low = np.concatenate([[0.0, 0.5], *(digits * 2.0**-power for power in range(2, 1075))])
        steps = np.unique(round_to_grid(np.concatenate([low, 1 - low]), bits))
        assert 2 ** (bits + 6) < len(steps) <= 2 ** (bits + 7)
