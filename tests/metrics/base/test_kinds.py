"""What follows from a metric's kind: sums, groups, merged parts, contributions, influence."""

import copy
import pickle
from dataclasses import fields

import numpy as np
import pytest
from _support.strategies import outcomes
from hypothesis import given, settings
from hypothesis import strategies as st

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Additive, Ranked, Ratio, merge
from skconf.metrics._base.registry import metric_classes
from skconf.metrics._calibration.errors import ExpectedCalibrationError, MaximumCalibrationError
from skconf.metrics._proper import ConfidenceBrier, ConfidenceLogLoss
from skconf.metrics._size_ratio import OverconfidenceRisk

COSTS = [[0, 1, 4, 2], [2, 0, 1, 5], [5, 3, 0, 1], [1, 1, 6, 0]]


def is_additive_number(name, cls):
    return issubclass(cls, Additive) and not name.endswith(("_matrix", "_zscore"))


def defaults(cls):
    """Return parameters under which a metric is one number, and silent."""
    names = {field.name for field in fields(cls)}
    return ({"average": "macro"} if "average" in names else {}) | (
        {"zero_division": 0} if "zero_division" in names else {}
    )


#: Every additive metric whose value is a number, and again with other parameters. The z-score cancels at full
#: confidence: its eps keeps that away.
ADDITIVE = [
    *((name, defaults(cls)) for name, cls in sorted(metric_classes().items()) if is_additive_number(name, cls)),
    ("calibrated_size_ratio_zscore", {"eps": 1e-3}),
    ("cf1_score", {"average": "weighted", "zero_division": 0}),
    ("cf1_score", {"average": "micro", "zero_division": 0}),
    ("cwsa_plus_score", {"normalize": "all"}),
    ("ecuas_loss", {"n": 2}),
]
#: With parameters that fit four classes, for the profiles drawn here.
FOR_FOUR_CLASSES = [
    *ADDITIVE,
    ("ecuas_loss", {"n": 1, "normalize": True, "cost_matrix": COSTS}),
    ("ecuas_loss", {"n": 0, "cost_matrix": "log", "normalize": True}),
    ("ecuas_loss", {"weight": lambda gamma: 1 + gamma, "normalize": True}),
]
RATIOS = [case for case in ADDITIVE if isinstance(get_metric(case[0], **case[1]), Ratio)]

pytestmark = pytest.mark.filterwarnings("ignore:Some answers are less certain")


def profile_of(outcome):
    return ConfidenceProfile.from_predictions(
        outcome.y,
        outcome.proba,
        y_pred=outcome.predicted,
        labels=np.arange(outcome.proba.shape[1]),
        sample_weight=outcome.weight,
    )


def drawn_profile(n, seed=0, n_classes=4, weighted=True):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    weight = rng.exponential(1, n) if weighted else None
    return ConfidenceProfile.from_predictions(y, proba, labels=np.arange(n_classes), sample_weight=weight)


def test_there_are_metrics_to_test():
    assert len({name for name, _ in ADDITIVE}) > 25
    assert len(RATIOS) > 6


@pytest.mark.parametrize(("name", "params"), ADDITIVE)
@settings(max_examples=30, deadline=None)
@given(outcome=outcomes(), n_groups=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_value_of_a_group_is_the_value_of_its_rows(name, params, outcome, n_groups, seed):
    metric, profile = get_metric(name, **params), profile_of(outcome)
    groups = np.random.default_rng(seed).integers(0, n_groups, len(profile))
    values = metric.by_group(profile, groups, n_groups)
    assert values.shape == (n_groups,)
    for group in range(n_groups):
        members = profile[groups == group]
        if len(members) and (members.sample_weight > 0).any():
            np.testing.assert_allclose(values[group], metric.value(members), rtol=1e-9, atol=1e-12)


def test_per_class_values_by_group_have_a_row_for_each():
    profile = drawn_profile(60)
    groups = np.arange(60) % 3
    metric = get_metric("cf1_score", average=None)
    values = metric.by_group(profile, groups, 3)
    assert values.shape == (3, 4)
    np.testing.assert_allclose(values[1], metric(profile[groups == 1]))


def test_rank_metric_by_group_is_the_metric_of_each_group():
    profile = drawn_profile(60, weighted=False)
    groups = np.arange(60) % 3
    metric = get_metric("aurc_loss")
    expected = [metric(profile[groups == group]) for group in range(3)]
    np.testing.assert_allclose(metric.by_group(profile, groups, 3), expected)


@pytest.mark.parametrize(("name", "params"), ADDITIVE)
@settings(max_examples=30, deadline=None)
@given(outcome=outcomes(), seed=st.integers(0, 2**32 - 1))
def test_sums_of_parts_add_up_in_any_order(name, params, outcome, seed):
    metric, profile = get_metric(name, **params), profile_of(outcome)
    rng = np.random.default_rng(seed)
    pieces = np.array_split(rng.permutation(len(profile)), 3)  # some may be empty
    parts = [metric.sums(profile[piece]) for piece in pieces if len(piece)]
    rng.shuffle(parts)
    total = parts[0]
    for part in parts[1:]:
        total = merge(total, part)
    np.testing.assert_allclose(metric.combine(*total), metric.value(profile), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "params"), RATIOS)
@settings(max_examples=30, deadline=None)
@given(outcome=outcomes())
def test_contributions_of_a_ratio_add_up_to_its_value(name, params, outcome):
    metric, profile = get_metric(name, **params), profile_of(outcome)
    value = metric.value(profile)
    if np.isnan(value):
        return
    contributions = metric.contributions(profile)
    assert contributions.shape == (len(profile),)
    assert contributions.sum() == pytest.approx(value, rel=1e-10, abs=1e-12)


def test_contributions_name_the_costliest_prediction():
    profile = ConfidenceProfile.from_correctness([1, 0, 0, 1], [0.9, 0.6, 0.99, 0.5])
    # An error at c adds 1/(1 − c)/n.
    np.testing.assert_allclose(
        get_metric("calibrated_size_ratio").contributions(profile), [0, 2.5 / 4, 100 / 4, 0], rtol=1e-9
    )
    np.testing.assert_allclose(
        get_metric("cw_accuracy_score").contributions(profile), np.array([0.9, 0, 0, 0.5]) / 2.99, rtol=1e-12
    )
    np.testing.assert_allclose(
        get_metric("coverage_score", threshold=0.6).contributions(profile), [0.25, 0.25, 0.25, 0]
    )


def test_rank_metric_refuses_contributions_by_name():
    with pytest.raises(TypeError, match="aurc_loss has no per-sample contributions"):
        get_metric("aurc_loss").contributions(drawn_profile(5))


@pytest.mark.parametrize(("name", "params"), FOR_FOUR_CLASSES)
def test_influence_is_the_derivative_by_the_share_of_a_sample(name, params):
    """Influence of sample i = d value / d ε when its terms count 1 + ε times, here by finite differences."""
    metric, profile = get_metric(name, **params), drawn_profile(40)
    influence, sums = metric.influence(profile), metric.sums(profile)
    step = 1e-6
    for row in (0, 7, 39):
        single = metric.sums(profile[row : row + 1])
        up, down = (
            metric.combine(*(total + sign * step * own for total, own in zip(sums, single, strict=True)))
            for sign in (1, -1)
        )
        assert influence[row] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(("name", "params"), RATIOS)
def test_gradient_of_a_ratio_is_that_of_the_complex_step(name, params):
    metric = get_metric(name, **params)
    sums = metric.sums(drawn_profile(40))
    for own, general in zip(metric.gradient(*sums), Additive.gradient(metric, *sums), strict=True):
        np.testing.assert_allclose(own, general, rtol=1e-12)


def test_influence_gives_the_standard_error_of_a_mean():
    profile = drawn_profile(500, weighted=False)
    influence = get_metric("selective_accuracy_score", threshold=0.0).influence(profile)
    accuracy = profile.correct.mean()
    assert np.sum(influence**2) == pytest.approx(accuracy * (1 - accuracy) / 500)


@pytest.mark.parametrize(("name", "params"), FOR_FOUR_CLASSES)
def test_blocks_do_not_show(name, params, monkeypatch):
    metric, profile = get_metric(name, **params), drawn_profile(1000)
    whole = metric.value(profile)
    monkeypatch.setattr("skconf._core.probabilities._MOST_ROWS", 37)
    assert sum(1 for _ in profile.blocks()) == 28
    np.testing.assert_allclose(metric.value(profile), whole, rtol=1e-12)


def test_rank_metrics_share_one_sort():
    profile = drawn_profile(50, weighted=False)
    assert profile.ranking is profile.ranking


def test_a_definition_registers_itself():
    before = set(metric_classes())
    try:

        class Doubt(Ratio, name="doubt_loss", best=0.0, reference="this test", scorers="doubt"):
            """Mean doubt.

            {predictions}
            power : int, default=1
                Power of the doubt.

            Returns
            -------
            float
                {facts}
            """

            power: int = 1

            def ratio(self, profile):
                return (1 - profile.confidence) ** self.power, 1.0

        from skconf import get_scorer, get_scorer_names

        assert Doubt.function([0, 1], [0.25, 0.5]) == pytest.approx(0.375)
        assert Doubt.function([0, 1], [0.25, 0.5], power=2) == pytest.approx((0.25**2 + 0.5**2) / 2)
        assert "In [0, 1]; lower is better, 0 is best." in Doubt.function.__doc__
        assert "neg_doubt" in get_scorer_names()
        profile = ConfidenceProfile.from_predictions([0, 1], [0.25, 0.5])
        assert get_scorer("neg_doubt", power=2).of_profile(profile) == -Doubt.function(profile, power=2)
        assert get_metric("doubt_loss").by_group(profile, np.array([0, 1]), 2).tolist() == [0.25, 0.5]
    finally:
        for name in set(metric_classes()) - before:
            from skconf.metrics._base import registry

            del registry._METRICS[name]


@pytest.mark.parametrize(
    ("name", "scorers", "message"),
    [
        ("aurc_loss", "other", "metric's name 'aurc_loss' is taken by skconf.metrics._risk_coverage.curve.AURC"),
        ("doubt_loss", "aurc", "scorer's name 'neg_aurc' is taken by skconf.metrics._risk_coverage.curve.AURC"),
    ],
)
def test_name_that_is_taken_is_refused(name, scorers, message):
    before = metric_classes()["aurc_loss"]
    with pytest.raises(TypeError, match=message):

        class Doubt(Ratio, name=name, scorers=scorers):
            """Mean doubt."""

            def ratio(self, profile):
                return 1 - profile.confidence, 1.0

    assert metric_classes()["aurc_loss"] is before
    assert "doubt_loss" not in metric_classes()


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (ExpectedCalibrationError, {"strategy": "quantile", "n_bins": 4}),
        (MaximumCalibrationError, {"strategy": "quantile", "n_bins": 4}),
        (OverconfidenceRisk, {"method": "monte_carlo", "n_resamples": 99}),
        (ConfidenceBrier, {"normalize": True}),
        (ConfidenceLogLoss, {"normalize": True, "eps": 1e-3}),
    ],
)
def test_constructor_means_what_it_says(cls, params):
    """Also where the parameters ask for a metric of another kind."""
    profile = drawn_profile(60, weighted=False)
    metric = cls(**params)
    assert metric(profile) == cls.function(profile, **params) != cls.function(profile)
    assert metric.info is cls.info
    shown = ", ".join(f"{name}={params[name]!r}" for name in sorted(params, key=list(cls.__dataclass_fields__).index))
    assert repr(metric) == f"{cls.__name__}({shown})"
    for same in (get_metric(cls.info.name, **params), pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert same == metric
        assert (same(profile), repr(same)) == (metric(profile), repr(metric))
    assert metric != cls()


def test_metric_shows_the_parameters_it_was_given():
    assert repr(get_metric("cw_accuracy_score")) == "CWAccuracy()"
    assert repr(get_metric("cf1_score", average=None, zero_division=0)) == "CF1Score(average=None, zero_division=0)"


def test_kinds_are_told_by_their_class():
    assert isinstance(get_metric(metrics.aurc_loss), Ranked)
    assert isinstance(get_metric(metrics.cwsa_score), Ratio)
