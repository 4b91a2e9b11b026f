"""What follows from a metric's kind: sums, groups, merged parts, contributions, influence."""

import copy
import pickle

import numpy as np
import pytest
from _support.metrics.interval_choice import check_default_interval
from _support.metrics.properties import drawn_profile
from _support.predictions import draw_classes

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._base.kinds import Ranked, Ratio
from skconf.metrics._base.registry import Preset, forget, metric_classes
from skconf.metrics._calibration.errors import ExpectedCalibrationError, MaximumCalibrationError
from skconf.metrics._proper import ConfidenceBrier, ConfidenceLogLoss
from skconf.metrics._size_ratio import OverconfidenceRisk

pytestmark = pytest.mark.filterwarnings("ignore:Some answers have a higher expected cost")


def test_per_class_values_by_group_have_a_row_for_each():
    profile = drawn_profile(60)
    groups = np.arange(60) % 3
    metric = get_metric("cf1_score", average=None)
    values = metric.by_group(profile, groups, 3)
    assert values.shape == (3, 4)
    np.testing.assert_allclose(values[1], metric(profile[groups == 1]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [3, 7])
def test_matrices_by_group_and_class_are_added_row_by_row(n_classes, weighted):
    rng = np.random.default_rng(0)
    (y, proba), groups = draw_classes(50, n_classes), rng.integers(0, 3, 50)
    weight = rng.integers(0, 3, 50) if weighted else None
    profile = ConfidenceProfile.from_predictions(y, proba, labels=range(n_classes), sample_weight=weight)
    expected = np.zeros((3, n_classes, n_classes))
    for i in range(50):
        expected[groups[i], y[i]] += proba[i] * (1 if weight is None else weight[i])
    metric = get_metric("probabilistic_confusion_matrix")
    np.testing.assert_allclose(metric.by_group(profile, groups, 3), expected, rtol=1e-13)
    np.testing.assert_allclose(metric(profile), expected.sum(axis=0), rtol=1e-13)


def test_rank_metric_by_group_is_the_metric_of_each_group():
    profile = drawn_profile(60, weighted=False)
    groups = np.arange(60) % 3
    metric = get_metric("aurc_loss")
    expected = [metric(profile[groups == group]) for group in range(3)]
    np.testing.assert_allclose(metric.by_group(profile, groups, 3), expected)


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


def test_influence_gives_the_standard_error_of_a_mean():
    profile = drawn_profile(500, weighted=False)
    influence = get_metric("selective_accuracy_score", threshold=0.0).influence(profile)
    accuracy = profile.correct.mean()
    assert np.sum(influence**2) == pytest.approx(accuracy * (1 - accuracy) / 500)


def test_rank_metrics_share_one_sort():
    profile = drawn_profile(50, weighted=False)
    assert profile.ranking is profile.ranking


def test_a_definition_registers_itself():
    before = set(metric_classes())
    try:

        class Doubt(Ratio, name="doubt_loss", rests_on="samples", best=0.0, reference="this test", scorers="doubt"):
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
            forget(metric_classes()[name])


@pytest.mark.parametrize(("rests_on", "said"), [(None, "does not say"), ("error", "says 'error' for")])
def test_metric_has_to_say_what_its_value_rests_on(rests_on, said):
    with pytest.raises(TypeError, match=f"Doubt {said} what its value depends on"):

        class Doubt(Ratio, name="doubt_loss", rests_on=rests_on):
            """Mean doubt."""

            def ratio(self, profile):
                return 1 - profile.confidence, 1.0

    assert "doubt_loss" not in metric_classes()


def test_base_of_a_family_may_say_it_for_all():
    class Family(Ratio, rests_on="samples"):
        def ratio(self, profile):
            return 1 - profile.confidence, 1.0

    class Member(Family, name="member_loss"):
        """A member."""

    try:
        assert get_metric("member_loss").rests_on == "samples"
    finally:
        forget(Member)


def test_metric_that_is_no_number_has_no_interval_and_need_not_say_it():
    class Both(Ratio, name="both"):
        """Two numbers."""

        result = np.ndarray

        def ratio(self, profile):
            return np.column_stack([profile.confidence, profile.correct]), 1.0

    forget(Both)


@pytest.mark.parametrize(
    ("rests_on", "reads", "caught"),
    [
        ("errors", lambda profile: 1 - profile.confidence, "reads no errors"),
        ("samples", lambda profile: profile.confidence * ~profile.correct, "reads no errors"),
        ("errors", lambda profile: ~profile.correct / (1 - profile.confidence), "hardly ever has"),
        ("tail", lambda profile: ~profile.correct, "has no|'clipped'"),
        ("order", lambda profile: ~profile.correct, "which classes"),
    ],
)
def test_wrong_word_is_caught_by_the_properties_of_every_case(rests_on, reads, caught):
    class Wrong(Ratio, name="wrong_loss", rests_on=rests_on, bounds=(0.0, np.inf)):
        """A metric that says something else than it does."""

        def ratio(self, profile):
            return reads(profile), 1.0

    try:
        with pytest.raises((AssertionError, AttributeError), match=caught):
            check_default_interval("wrong_loss", {})
    finally:
        forget(Wrong)


def test_mean_over_classes_that_says_errors_is_caught(monkeypatch):
    monkeypatch.setattr(metric_classes()["cw_balanced_accuracy_score"], "rests_on", "errors")
    with pytest.raises(AssertionError, match="a class of twelve samples"):
        check_default_interval("cw_balanced_accuracy_score", {})


def test_metric_of_other_parameters_is_not_computed_by_mistake():
    with pytest.raises(TypeError, match="Create it with get_metric"):
        ExpectedCalibrationError(strategy="quantile")(drawn_profile(20))


@pytest.mark.parametrize(
    ("name", "scorers", "message"),
    [
        ("aurc_loss", "other", "metric's name 'aurc_loss' is already used by skconf.metrics._risk_coverage.curve.AURC"),
        ("doubt_loss", "aurc", "scorer's name 'neg_aurc' is already used by skconf.metrics._risk_coverage.curve.AURC"),
    ],
)
def test_name_that_is_taken_is_refused(name, scorers, message):
    before = metric_classes()["aurc_loss"]
    with pytest.raises(TypeError, match=message):

        class Doubt(Ratio, name=name, rests_on="samples", scorers=scorers):
            """Mean doubt."""

            def ratio(self, profile):
                return 1 - profile.confidence, 1.0

    assert metric_classes()["aurc_loss"] is before
    assert "doubt_loss" not in metric_classes()


def test_scorer_of_the_functions_name_that_is_another_number_is_refused():
    with pytest.raises(TypeError, match="The scorer 'doubt' differs from the function of this name"):

        class Doubt(
            Ratio,
            name="doubt",
            rests_on="samples",
            greater_is_better=False,
            scorers={"doubt": Preset(transform=np.negative)},
        ):
            """Mean doubt."""

            def ratio(self, profile):
                return 1 - profile.confidence, 1.0

    assert "doubt" not in metric_classes()


@pytest.mark.parametrize(
    ("cls", "params"),
    [
        (ExpectedCalibrationError, {"strategy": "quantile", "n_bins": 4}),
        (MaximumCalibrationError, {"strategy": "quantile", "n_bins": 4}),
        (OverconfidenceRisk, {"method": "monte_carlo", "n_resamples": 99}),
        (OverconfidenceRisk, {"method": "convolution"}),
        (ConfidenceBrier, {"normalize": True}),
        (ConfidenceLogLoss, {"normalize": True, "eps": 1e-3}),
    ],
)
def test_constructor_means_what_it_says(cls, params):
    """Also where the parameters ask for a metric of another kind."""
    profile = drawn_profile(60, weighted=False)
    metric = cls.with_params(params)
    assert metric(profile) == cls.function(profile, **params) != cls.function(profile)
    assert metric.info is cls.info
    shown = ", ".join(f"{name}={params[name]!r}" for name in sorted(params, key=list(cls.__dataclass_fields__).index))
    assert repr(metric) == f"{cls.__name__}({shown})"
    for same in (get_metric(cls.info.name, **params), pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert same == metric
        assert (same(profile), repr(same)) == (metric(profile), repr(metric))
    assert metric != cls()


def test_parameter_may_be_called_metric():
    profile = drawn_profile(60)
    value = get_metric("metric_coverage_auc", metric="cwsa_plus")(profile)
    assert value == metrics.metric_coverage_auc(profile, metric="cwsa_plus") != metrics.metric_coverage_auc(profile)


def test_metric_shows_the_parameters_it_was_given():
    assert repr(get_metric("cw_accuracy_score")) == "CWAccuracy()"
    assert repr(get_metric("cf1_score", average=None, zero_division=0)) == "CF1Score(average=None, zero_division=0)"


def test_kinds_are_told_by_their_class():
    assert isinstance(get_metric(metrics.aurc_loss), Ranked)
    assert isinstance(get_metric(metrics.cwsa_score), Ratio)


@pytest.mark.parametrize("name", ["aurc_loss", "augrc_loss", "confidence_roc_auc_score"])
def test_a_row_of_weight_zero_has_no_influence_wherever_it_ranks(name):
    """Also where no other row has its score, nor a lower one."""
    correct, confidence = np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    plain = get_metric(name).influence(ConfidenceProfile.from_correctness(correct, confidence))
    for score in (0.1, 0.65, 1.0):
        weight = np.append(np.ones(5), 0.0)
        profile = ConfidenceProfile.from_correctness([*correct, 0], [*confidence, score], sample_weight=weight)
        np.testing.assert_allclose(get_metric(name).influence(profile), [*plain, 0.0], atol=1e-12)
