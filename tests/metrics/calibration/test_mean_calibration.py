"""The gap between confidence and accuracy, and Spiegelhalter's test."""

import math

import numpy as np
import pytest
from _support.metrics.properties import Case, properties_of
from _support.metrics.twins import pairs
from scipy.special import ndtr
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, metrics


def confidence_gap(y, proba, predicted, w):
    return sum(m * (c - z) for c, z, m in pairs(y, proba, predicted, w)) / sum(w)


def spiegelhalter_statistic(y, proba, predicted, w):
    above = variance = 0.0
    for c, z, m in pairs(y, proba, predicted, w):
        above += m * (z - c) * (1 - 2 * c)
        variance += (m * (1 - 2 * c)) ** 2 * c * (1 - c)
    if variance == 0:
        return math.copysign(math.inf, above) if above else math.nan
    return above / math.sqrt(variance)


CASES = [
    Case("confidence_gap", {}, confidence_gap),
    Case("spiegelhalter_test", {}, spiegelhalter_statistic, read=lambda result: result.statistic),
]
TestProperties = properties_of(CASES)


correctness = ConfidenceProfile.from_correctness


def sets(n_sets, low, high, shift, n=1000, seed=0):
    """Return profiles whose errors are drawn from confidences less a shift."""
    rng = np.random.default_rng(seed)
    for _ in range(n_sets):
        sure = rng.uniform(low, high, n)
        yield correctness(rng.random(n) < sure - shift, sure)


class TestGap:
    def test_is_mean_confidence_less_accuracy(self):
        sure, right = np.array([0.9, 0.6, 0.7]), np.array([1, 0, 1])
        assert metrics.confidence_gap(correctness(right, sure)) == pytest.approx(2.2 / 3 - 2 / 3)
        weighted = correctness(right, sure, sample_weight=[1, 3, 0])
        assert metrics.confidence_gap(weighted) == pytest.approx((0.9 + 1.8) / 4 - 1 / 4)

    def test_of_groups_parts_and_shares_add_up(self):
        gap = metrics.get_metric("confidence_gap")
        (profile,) = sets(1, 0.5, 1, 0.05)
        assert gap.contributions(profile).sum() == pytest.approx(gap(profile))
        parts = gap.by_group(profile, np.arange(1000) % 4, 4)
        assert parts.mean() == pytest.approx(gap(profile))


class TestSpiegelhalter:
    def test_by_hand(self):
        """Two samples: (z − c)(1 − 2c) is −.08 for a right .9 and .12 for a wrong .6; variances .0576 and .0096."""
        found = metrics.spiegelhalter_test(correctness([1, 0], [0.9, 0.6]))
        assert found.statistic == pytest.approx((-0.08 + 0.12) / np.sqrt(0.0576 + 0.0096))
        assert found.p_value == pytest.approx(2 * ndtr(-abs(found.statistic)))
        weighted = metrics.spiegelhalter_test(correctness([1, 0], [0.9, 0.6], sample_weight=[1, 3]))
        assert weighted.statistic == pytest.approx((-0.08 + 0.36) / np.sqrt(0.0576 + 9 * 0.0096))

    def test_is_the_brier_score_less_what_is_announced(self):
        """(z − c)² − c(1 − c) = (z − c)(1 − 2c) for z in {0, 1}."""
        (profile,) = sets(1, 0.2, 1, 0.0)
        sure = profile.confidence
        excess = ((profile.correct - sure) ** 2 - sure * (1 - sure)).sum()
        spread = np.sqrt(((1 - 2 * sure) ** 2 * sure * (1 - sure)).sum())
        assert metrics.spiegelhalter_test(profile).statistic == pytest.approx(excess / spread)

    def test_keeps_its_level(self):
        found = [metrics.spiegelhalter_test(profile).p_value <= 0.05 for profile in sets(2000, 0.2, 1, 0.0)]
        assert np.mean(found) == pytest.approx(0.05, abs=5 * np.sqrt(0.05 * 0.95 / 2000))

    @pytest.mark.parametrize(
        ("low", "high", "one_sided"), [(0.5, 1.0, (0.95, 1)), (0.2, 0.8, (0.02, 0.1)), (0.1, 0.5, (0, 0.01))]
    )
    def test_means_too_sure_only_where_all_are_above_one_half(self, low, high, one_sided):
        """Power at 5 points too sure."""
        z = np.array([metrics.spiegelhalter_test(profile).statistic for profile in sets(300, low, high, 0.05)])
        assert one_sided[0] <= (z > 1.645).mean() <= one_sided[1]

    def test_nothing_in_doubt(self):
        assert metrics.spiegelhalter_test(correctness([1, 0], [1.0, 1.0])) == (np.inf, 0)
        with pytest.warns(UndefinedMetricWarning, match="every confidence is 0, 1/2 or 1"):
            found = metrics.spiegelhalter_test(correctness([1, 0], [0.5, 0.5]))
        assert np.isnan(found).all()
