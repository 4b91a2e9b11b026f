"""Intervals of answers in few groups, or in groups of unequal size, hold the truth as often as they say."""

from types import SimpleNamespace

import numpy as np
import pytest
from _support.inference.group_coverage import SHIFTS, SIZES, coverage, drawn
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile
from skconf.inference import compare, confidence_interval
from skconf.inference._bayesian_bootstrap import phantoms_for
from skconf.inference._interval_methods import bootstrap_ends
from skconf.inference._sampling import Sampling
from skconf.metrics import get_metric


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES.keys())
@pytest.mark.slow
def test_intervals_of_few_groups_hold_the_truth(sizes):
    """Three standard errors of 250 sets are 0.041."""
    assert coverage(sizes, 0.5, 250) >= 0.95 - 0.041


@pytest.mark.slow
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES.keys())
def test_intervals_of_few_groups_hold_the_truth_in_many_sets(sizes, shift):
    assert coverage(sizes, shift, 3000) >= 0.92


def test_groups_of_one_size_have_the_t_interval_of_their_means():
    rng = np.random.default_rng(0)
    right, confidence, group = drawn([40] * 8, 1.0, rng)
    interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    means = right.reshape(8, 40).mean(axis=1)
    assert interval.standard_error == pytest.approx(means.std(ddof=1) / np.sqrt(8), rel=1e-12)


def without_each(values, group):
    """Leave out one group at a time, and return the jackknife's standard error of the mean."""
    groups = np.unique(group)
    without = np.array([values[group != each].mean() for each in groups])
    return np.sqrt((1 - 1 / len(groups)) * ((without - values.mean()) ** 2).sum())


def correlation_of(values, group):
    """Return how alike the answers of a group are: the mean of the products over all pairs, for that of the squares."""
    apart, both, alone = values - values.mean(), 0.0, 0.0
    for i in range(len(apart)):
        for j in range(len(apart)):
            if i != j and group[i] == group[j]:
                both, alone = both + apart[i] * apart[j], alone + apart[i] ** 2
    return both / alone


def modelled(values, group):
    """Return the error of answers of one variance, of which each two of a group have that correlation."""
    sizes, correlation = np.unique(group, return_counts=True)[1], correlation_of(values, group)
    return np.sqrt(values.var() * (sizes * (1 + (sizes - 1) * correlation)).sum()) / len(values)


def known_variance(values, group):
    """Return the bias and the freedom of that error, by the matrix that makes it, of values alike in groups."""
    apart, sizes = values - values.mean(), np.unique(group, return_counts=True)[1]
    variance = sizes * (1 + (sizes - 1) * max(correlation_of(values, group), 0))
    n, share = len(sizes), sizes / len(apart)
    to_residuals = np.diag(1 / (1 - share)) @ (np.eye(n) - np.outer(share, np.ones(n)))
    quadratic = (1 - 1 / n) * to_residuals @ np.diag(variance) @ to_residuals.T
    bias = np.trace(quadratic) / variance.sum()
    return bias, np.trace(quadratic) ** 2 / np.trace(quadratic @ quadratic)


@pytest.mark.parametrize("shift", SHIFTS)
def test_groups_of_unequal_size_have_the_error_of_the_jackknife_less_its_bias(shift):
    sizes = [3, 10, 1, 40, 7, 12]
    right, confidence, group = drawn(sizes, shift, np.random.default_rng(0))
    interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    bias, freedom = known_variance(right, group)
    error = without_each(right, group) / np.sqrt(bias)
    assert interval.standard_error == pytest.approx(error, rel=1e-12)
    value, reach = (
        right.mean(),
        max(stats.t.ppf(0.975, freedom) * error, stats.norm.ppf(0.975) * modelled(right, group)),
    )
    for end in (interval.low, interval.high):  # Wilson's: where the distance is as many errors of that end itself
        assert abs(end - value) == pytest.approx(reach * np.sqrt(end * (1 - end) / (value * (1 - value))), rel=1e-9)


def test_errors_in_small_groups_alone_do_not_hide_how_alike_the_answers_of_large_ones_are():
    """All answers of a group are right or all are wrong, and none of the large ones happens to be wrong."""
    group = np.repeat(np.arange(44), [20] * 4 + [1] * 40)
    right = group < 41
    interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, right / 2), groups=group)
    reach = stats.norm.ppf(0.975) * modelled(right, group)
    assert correlation_of(right, group) == pytest.approx(1)
    assert reach > 2 * stats.t.ppf(0.975, 5) * interval.standard_error
    end = interval.low
    assert right.mean() - end == pytest.approx(
        reach * np.sqrt(end * (1 - end) / (right.mean() * (1 - right.mean()))), rel=1e-9
    )


def test_the_error_is_right_on_average_however_answers_correlate():
    """Of groups of these sizes, whose answers are all one, or independent: from 4,000 sets."""
    group = np.repeat(np.arange(6), [3, 10, 4, 40, 7, 12])
    rng = np.random.default_rng(2)
    for alike in (True, False):
        values = rng.normal(size=(4_000, 6))[:, group] if alike else rng.normal(size=(4_000, len(group)))
        sampling = Sampling(len(group), group)
        squares = [sampling.standard_error((each - each.mean()) / len(each)) ** 2 for each in values]
        assert np.mean(squares) == pytest.approx(values.mean(axis=1).var(), rel=0.1)


def test_one_group_with_nearly_all_answers_has_no_interval():
    right, confidence, group = drawn([1000, 1, 1, 1], 0.5, np.random.default_rng(0))
    with pytest.warns(UserWarning, match="one group has nearly all"):
        interval = confidence_interval("accuracy", ConfidenceProfile.from_correctness(right, confidence), groups=group)
    assert interval.method == "none"
    assert np.isnan(interval.low)


def test_a_share_of_some_answers_counts_a_group_by_these():
    """The jackknife of a quotient: where the answers accepted are of few groups, these decide."""
    right, confidence, group = drawn([3, 10, 4, 40, 7, 12], 1.0, np.random.default_rng(1))
    profile = ConfidenceProfile.from_correctness(right, confidence, groups=group)
    interval = confidence_interval("selective_accuracy", profile, threshold=0.9)
    accepted = confidence >= 0.9
    value, bias = right[accepted].mean(), known_variance(right[accepted], group[accepted])[0]
    assert interval.value == value
    error = without_each(right[accepted], group[accepted]) / np.sqrt(bias)
    assert interval.standard_error == pytest.approx(error, rel=1e-12)
    assert interval.high - interval.low > 2 * interval.standard_error


def test_differences_of_models_have_the_error_of_few_groups_however_they_are_drawn():
    """With eight groups, replicates vary by 7% too little."""
    rng = np.random.default_rng(0)
    right, confidence, group = drawn([40] * 8, 1.0, rng)
    models = {
        name: ConfidenceProfile.from_correctness(right, each, groups=group)
        for name, each in {
            "a": confidence,
            "b": np.clip(confidence + 0.2 * rng.random(320) * (group % 3), 0, 1),
        }.items()
    }
    by_formula = compare("confidence_brier_loss", models, method="delta")
    by_draws = compare("confidence_brier_loss", models, method="bootstrap", n_resamples=4000, random_state=0)
    assert by_draws.standard_error == pytest.approx(by_formula.standard_error, rel=0.05)


def test_replicates_are_stretched():
    """Replicates of few groups vary too little: their error and its reach are multiplied."""
    replicates = np.array([0.4, 0.5, 0.6, 0.5])
    low, high, error = bootstrap_ends(SimpleNamespace(bounds=(0.0, 1.0)), 0.5, replicates, 9, 0.95, stretch=1.5)
    assert error == pytest.approx(1.5 * replicates.std(ddof=1))
    assert (low, high) == pytest.approx((0.5 - stats.t.ppf(0.975, 9) * error, 0.5 + stats.t.ppf(0.975, 9) * error))


class TestErrorsInFewGroups:
    """The Bayesian bootstrap then draws groups, and a phantom weighs as much as the design effect says."""

    SURE = np.linspace(0.5, 0.99, 40)
    RIGHT = ~np.isin(np.arange(40), [3, 17, 22, 39])

    def interval(self, metric="aurc_loss", times=1, **given):
        group = np.repeat(np.arange(40), times)
        profile = ConfidenceProfile.from_correctness(self.RIGHT[group], self.SURE[group], **given)
        return confidence_interval(metric, profile, groups=group, random_state=0)

    def test_groups_of_equal_answers_are_as_single_answers(self):
        """Five times the same answer tells no more than one; ungrouped rows are computed otherwise."""
        expected = confidence_interval(
            "aurc_loss", ConfidenceProfile.from_correctness(self.RIGHT, self.SURE), random_state=0
        )
        for times in (1, 5):
            found = self.interval(times=times)
            assert found.method == expected.method == "bayesian"
            assert found.value == pytest.approx(expected.value, rel=0.05)
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.12)
            assert found.standard_error == pytest.approx(expected.standard_error, rel=0.08)

    def test_one_draw_by_hand(self):
        """Answers of a group have one weight; a phantom counts as as many answers as the sizes and errors say."""
        group, rng = np.repeat([0, 1, 2, 3], [4, 1, 2, 1]), np.random.default_rng(0)
        right = np.array([0, 0, 1, 1, 1, 1, 0, 1])
        profile = ConfidenceProfile.from_correctness(right, np.linspace(0.5, 0.9, 8), groups=group)
        phantoms = phantoms_for(get_metric("aurc_loss"), profile, Sampling.of(profile), rng)
        effect = 1 + max(correlation_of(right, group), 0) * ((4**2 + 1 + 2**2 + 1) / 8 - 1)
        assert phantoms.rows == pytest.approx(effect, rel=1e-12)
        factors = phantoms.draw(20_000, rng)
        assert all(np.ptp(factors[:, :8][:, group == each], axis=1).max() == 0 for each in range(4))
        assert factors[:, :8].mean(axis=0) == pytest.approx(np.ones(8), abs=0.05)
        wrong, added_right = (factors[:, part].sum(axis=1) for part in (slice(8, 16), slice(16, 24)))
        assert wrong.mean() == pytest.approx(effect / 2, rel=0.05)
        assert added_right.mean() == pytest.approx(effect / 2, rel=0.05)

    def test_a_sample_without_errors_has_an_interval(self):
        right, group = np.ones(40, bool), np.repeat(np.arange(20), 2)
        profile = ConfidenceProfile.from_correctness(right, self.SURE, groups=group)
        found = confidence_interval("aurc_loss", profile, random_state=0)
        assert found.low == found.value == 0
        assert 0.01 < found.high < 0.3

    @pytest.mark.parametrize(
        ("n_wrong", "n_groups", "method"), [(9, 36, "bayesian"), (9, 35, "delta"), (10, 90, "delta")]
    )
    def test_they_are_fewer_than_ten_and_at_most_a_quarter(self, n_wrong, n_groups, method):
        group = np.repeat(np.arange(n_groups), 2)
        sure = np.random.default_rng(0).random(len(group))
        for wrong in (group < n_wrong, group >= n_wrong):  # or right answers are as few
            profile = ConfidenceProfile.from_correctness(~wrong, sure, groups=group)
            drawn = ["aurc_loss", "augrc_loss", "confidence_log_loss", "ecuas_loss", "confidence_roc_auc_score"]
            others = ["accuracy", "selective_risk_loss", "confidence_brier_loss"]  # means with two bounds
            found = confidence_interval([*drawn, *others], profile, random_state=0)
            assert found["method"].tolist() == [method] * 5 + ["delta"] * 3

    def test_one_error_determines_no_order(self):
        profile = ConfidenceProfile.from_correctness(np.arange(40) != 3, self.SURE, groups=np.arange(40) // 2)
        with pytest.warns(UndefinedMetricWarning, match="only one answer is wrong; it is in row 3"):
            assert confidence_interval("confidence_roc_auc_score", profile).method == "none"

    def test_errors_without_weight_are_none(self):
        group = np.repeat(np.arange(40), 2)
        weight = np.where(group < 10, 0.0, 1.0)
        profile = ConfidenceProfile.from_correctness(
            group >= 15, np.linspace(0.5, 0.9, 80), groups=group, sample_weight=weight
        )
        assert confidence_interval("aurc_loss", profile, random_state=0).method == "bayesian"
