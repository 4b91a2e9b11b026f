"""Every metric against its definition, and the properties that all of them have."""

import inspect
import math
import pickle
import re
import warnings

import numpy as np
import pytest
from _support import brute, brute_calibration, brute_weighted
from _support.strategies import outcomes
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, metrics
from skconf.metrics import get_metric
from skconf.metrics._base.registry import metric_classes

NAMES = sorted(metric_classes())

#: Every metric with parameters off their defaults where it has any.
CASES = [
    ("calibrated_size_ratio", {}),
    ("calibrated_size_ratio", {"eps": 1e-3}),
    ("calibrated_size_ratio_std", {}),
    ("calibrated_size_ratio_std", {"eps": 1e-3}),
    ("overconfidence_risk", {}),
    ("overconfidence_risk", {"eps": 0.05}),
    ("cw_accuracy_score", {}),
    ("confidence_gain", {}),
    ("cf1_score", {"average": "macro"}),
    ("cf1_score", {"average": "micro"}),
    ("cf1_score", {"average": "weighted"}),
    ("cf1_score", {"average": None}),
    ("cwsa_score", {}),
    ("cwsa_score", {"threshold": 0.0, "normalize": "all"}),
    ("cwsa_plus_score", {"threshold": 0.3}),
    ("cwsa_plus_score", {"threshold": 0.9, "normalize": "all"}),
    ("ecuas_loss", {}),
    ("ecuas_loss", {"n": 1}),
    ("ecuas_loss", {"n": 0.25}),
    ("ecuas_loss", {"n": 128}),
    ("ecuas_loss", {"n": 0, "eps": 1e-3}),
    ("expected_calibration_error", {}),
    ("expected_calibration_error", {"n_bins": 1}),
    ("expected_calibration_error", {"n_bins": 10}),
    ("coverage_score", {}),
    ("coverage_score", {"threshold": 1.0}),
    ("selective_accuracy_score", {"threshold": 0.0}),
    ("selective_accuracy_score", {"threshold": 2 / 3}),
    ("aurc_loss", {}),
    ("calibrated_size_ratio_zscore", {"eps": 1e-3}),
    ("selective_risk_loss", {"threshold": 0.4}),
    ("reject_cost_loss", {}),
    ("reject_cost_loss", {"reject_cost": 0.4}),
    ("excess_aurc_loss", {}),
    ("excess_aurc_loss", {"optimum": "asymptotic"}),
    ("augrc_loss", {}),
    ("metric_coverage_auc", {}),
    ("metric_coverage_auc", {"metric": "cwsa_plus", "normalize": "all", "thresholds": (0.0, 0.3, 0.35, 0.9)}),
    ("metric_coverage_auc", {"metric": "selective_accuracy"}),
    ("metric_coverage_auc", {"to_zero": True}),
    ("metric_coverage_auc", {"to_zero": True, "thresholds": (0.3, 0.6, 0.999)}),
]
#: Metrics that interpolate between whole weights, which are repetition counts.
COUNTED = {"aurc_loss", "excess_aurc_loss"}
#: Metrics whose value is a curve or a test, with tests of their own.
CURVES = {"cwsa_curve", "risk_coverage_curve", "cw_roc_curve"}
TESTS = {"ecd_test", "spiegelhalter_test", "t_cal_test"}
#: Metrics whose twins and properties are tested with their family: in test_calibration_error, test_confidence_weighted
#: and test_probabilistic.
TESTED_ELSEWHERE = set(dir(brute_calibration)) | set(dir(brute_weighted))
#: Metrics that refuse weights: their reference distribution is that of equally weighted samples.
WITHOUT_WEIGHTS = {"ecd_test", "t_cal_test", "tce_error"}
#: Metrics whose weights are importances: a row given twice is not a row of weight 2.
IMPORTANCE = {"calibrated_size_ratio_std", "calibrated_size_ratio_zscore", "overconfidence_risk"}

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.UndefinedMetricWarning", "ignore:Some answers are less certain"
)


def ids(case):
    return f"{case[0]}-{case[1]}" if isinstance(case, tuple) else None


def test_every_metric_has_a_brute_force_twin():
    tested_here = {name for name, _ in CASES}
    assert tested_here <= set(dir(brute))
    assert set(NAMES) - tested_here - CURVES - TESTS <= TESTED_ELSEWHERE


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_agrees_with_its_definition(case, data):
    name, params = case
    outcome = data.draw(outcomes(whole_weights=name in COUNTED))
    if name == "cw_accuracy_score" and not (
        outcome.weight @ outcome.proba[np.arange(len(outcome.y)), outcome.predicted]
    ):
        outcome.predicted = outcome.proba.argmax(axis=1)
    if name == "confidence_gain":
        outcome.predicted = outcome.proba.argmax(axis=1)
    expected = getattr(brute, name)(outcome.y, outcome.proba, outcome.predicted, outcome.weight, **params)
    actual = outcome.call(getattr(metrics, name), **params)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 7.5])
@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(given_prediction=False))
def test_normalised_ecuas_agrees_with_its_definition(n, outcome):
    outcome.weight = np.maximum(outcome.weight, 0.1)
    if len(np.unique(outcome.y)) == 1:
        with pytest.raises(ValueError, match="single class"):
            outcome.call(metrics.ecuas_loss, n=n, normalize=True)
        return
    expected = brute.ecuas_loss(outcome.y, outcome.proba, outcome.predicted, outcome.weight, n, normalize=True)
    np.testing.assert_allclose(outcome.call(metrics.ecuas_loss, n=n, normalize=True), expected, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_binary_cf1_agrees_with_its_definition(outcome):
    expected = brute.cf1_score(outcome.y, outcome.proba, outcome.predicted, outcome.weight, average="binary")
    np.testing.assert_allclose(outcome.call(metrics.cf1_score), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes(whole_weights=True), seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_never_matters(case, outcome, seed):
    name, params = case
    before = outcome.call(getattr(metrics, name), **params)
    order = np.random.default_rng(seed).permutation(len(outcome.y))
    for part in ("y", "proba", "predicted", "weight"):
        setattr(outcome, part, getattr(outcome, part)[order])
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), before, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("case", [case for case in CASES if case[0] not in IMPORTANCE], ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes(whole_weights=True))
def test_a_weight_is_a_repetition_count(case, outcome):
    name, params = case
    weighted = outcome.call(getattr(metrics, name), **params)
    times = outcome.weight.astype(int)
    for part in ("y", "proba", "predicted"):
        setattr(outcome, part, np.repeat(getattr(outcome, part), times, axis=0))
    outcome.weight = None
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), weighted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("case", [case for case in CASES if case[0] in IMPORTANCE], ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes())
def test_importance_weights_may_be_scaled(case, outcome):
    name, params = case
    weighted = outcome.call(getattr(metrics, name), **params)
    outcome.weight = 7.0 * outcome.weight
    np.testing.assert_allclose(outcome.call(getattr(metrics, name), **params), weighted, rtol=1e-9, atol=1e-12)


def test_a_row_given_twice_shrinks_the_standard_deviation_where_a_weight_of_two_does_not():
    y, proba = [0, 1, 1, 0], [0.1, 0.9, 0.8, 0.6]
    once = metrics.calibrated_size_ratio_std(y, proba)
    assert metrics.calibrated_size_ratio_std(y, proba, sample_weight=[2, 2, 2, 2]) == pytest.approx(once)
    assert metrics.calibrated_size_ratio_std(y * 2, proba * 2) == pytest.approx(once / math.sqrt(2))


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes())
def test_labels_may_be_renamed_in_order(case, outcome):
    name, params = case
    names = np.array([f"class {number:02d}" for number in range(outcome.proba.shape[1])])
    before = outcome.call(getattr(metrics, name), **params)
    renamed = getattr(metrics, name)(
        names[outcome.y],
        outcome.proba,
        y_pred=names[outcome.predicted].astype(object),
        labels=names,
        sample_weight=outcome.weight,
        **params,
    )
    np.testing.assert_array_equal(renamed, before)


@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes(dtype=np.float32))
def test_float32_is_read_without_loss(case, outcome):
    name, params = case
    from_single = outcome.call(getattr(metrics, name), **params)
    outcome.proba = outcome.proba.astype(np.float64)
    # The row sums of float32 probabilities are off by its rounding, which float64 is warned of.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The probabilities of a row should sum to 1")
        from_double = outcome.call(getattr(metrics, name), **params)
    np.testing.assert_allclose(from_single, from_double, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("case", [(n, p) for n, p in CASES if p.get("average", "macro") is not None], ids=ids)
@settings(max_examples=25, deadline=None)
@given(outcome=outcomes())
def test_value_lies_within_its_stated_bounds(case, outcome):
    name, params = case
    low, high = get_metric(name).info.bounds
    if params.get("optimum") == "asymptotic":
        return  # a limit, which finite samples may undercut
    value = outcome.call(getattr(metrics, name), **params)
    assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize("name", sorted(set(NAMES) - TESTS))
@settings(max_examples=20, deadline=None)
@given(outcome=outcomes(max_classes=2))
def test_a_single_column_is_the_second_of_two(name, outcome):
    function, both = getattr(metrics, name), np.column_stack([1 - outcome.proba[:, 1], outcome.proba[:, 1]])
    weight = None if name in WITHOUT_WEIGHTS else outcome.weight
    common = {"y_pred": outcome.predicted, "labels": [0, 1], "sample_weight": weight}
    np.testing.assert_array_equal(
        function(outcome.y, outcome.proba[:, 1], **common), function(outcome.y, both, **common)
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_may_stand_for_the_predictions(name):
    y, proba = ["b", "a", "b", "a", "b"], [0.9, 0.2, 0.4, 0.7, 0.8]
    function, profile = getattr(metrics, name), ConfidenceProfile.from_predictions(y, proba)
    np.testing.assert_equal(function(profile), function(y, proba))
    with pytest.raises(TypeError, match=r"got a ConfidenceProfile and labels; the profile holds these"):
        function(profile, labels=["a", "b"])
    with pytest.raises(TypeError, match="needs y_proba"):
        function(y)


@pytest.mark.parametrize("name", NAMES)
def test_public_function_is_whole(name):
    function = getattr(metrics, name)
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:6] == ["y_true", "y_proba", "y_pred", "labels", "pos_label", "sample_weight"]
    assert pickle.loads(pickle.dumps(function)) is function
    documentation = inspect.getdoc(function)
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"{section}\n{'-' * len(section)}\n" in documentation
    assert not re.search(r"\{\w+\}", documentation)  # every place of the template is filled
    for parameter in list(parameters)[2:]:
        assert re.search(rf"^(\w+, )*{parameter}(, \w+)* : ", documentation, flags=re.M), parameter


def test_naming_rule_tells_the_direction():
    for name in NAMES:
        info = get_metric(name).info
        if name.endswith("_score"):
            assert info.greater_is_better is True
        if name.endswith(("_loss", "_error")):
            assert info.greater_is_better is False


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("calibrated_size_ratio", {"eps": 0.7}, r"eps must lie in \[0, 0.5\], but is 0.7"),
        ("calibrated_size_ratio", {"eps": "small"}, "eps must be a number"),
        ("cwsa_score", {"threshold": 1.1}, r"threshold must lie in \[0, 1\], but is 1.1"),
        ("cwsa_score", {"normalize": "some"}, "normalize must be one of 'accepted', 'all', but is 'some'"),
        ("coverage_score", {"threshold": -0.1}, r"threshold must lie in \[0, 1\]"),
        ("coverage_score", {"threshold": float("nan")}, "threshold must lie"),
        ("ecuas_loss", {"n": -1}, "n must lie"),
        ("ecuas_loss", {"n": math.inf}, "n must lie"),
        ("expected_calibration_error", {"n_bins": 0}, "n_bins must be at least 1"),
        ("expected_calibration_error", {"n_bins": 2.5}, "n_bins must be a whole number"),
        ("cf1_score", {"average": "mean"}, "average must be one of 'binary', 'macro'"),
        ("cf1_score", {"zero_division": 2}, "zero_division must be"),
        ("cw_accuracy_score", {"treshold": 0.5}, r"has no parameter 'treshold'.* are: none"),
        ("coverage_score", {"treshold": 0.5}, r"Did you mean 'threshold'\?"),
    ],
)
def test_bad_parameter_is_refused_before_anything_is_read(name, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(metrics, name)("not even", "data", **params)


def test_unknown_metric_suggests_close_ones():
    with pytest.raises(ValueError, match=r"no metric 'cw_acuracy_score'\. Did you mean 'cw_accuracy_score'"):
        get_metric("cw_acuracy_score")
    with pytest.raises(ValueError, match="no metric 'mean'"):
        get_metric(np.mean)


# Identities of the papers -------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes())
def test_size_ratio_is_bounded_below_by_accuracy_and_confidence_of_errors(outcome):
    """Proposition 7 of the CSR paper."""
    wrong = outcome.y != outcome.predicted
    if not (outcome.weight * wrong).any():
        return
    sure = outcome.proba[np.arange(len(wrong)), outcome.predicted]
    on_errors = min(np.average(sure, weights=outcome.weight * wrong), 1 - 1e-8)
    bound = np.average(wrong, weights=outcome.weight) / (1 - on_errors)
    assert outcome.call(metrics.calibrated_size_ratio) >= bound * (1 - 1e-6)


def test_small_calibration_error_hides_a_huge_size_ratio():
    """Proposition 5 of the CSR paper: ECE < 1/n with CSR above any bound."""
    n = 1000
    correct, sure = np.ones(n), np.ones(n)
    correct[0] = 0
    sure[0] = 1 - 1e-7
    profile = ConfidenceProfile.from_correctness(correct, sure)
    assert metrics.expected_calibration_error(profile) < 1 / n
    assert metrics.calibrated_size_ratio(profile) == pytest.approx(1e7 / n)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(given_prediction=False))
def test_confidence_weighting_adds_the_covariance(outcome):
    """Proposition 9 of the CSR paper: cwA = Acc + Cov(c, z) / mean c."""
    z, c, w = outcome.y == outcome.predicted, outcome.proba.max(axis=1), outcome.weight
    covariance = np.average(z * c, weights=w) - np.average(z, weights=w) * np.average(c, weights=w)
    expected = np.average(z, weights=w) + covariance / np.average(c, weights=w)
    assert outcome.call(metrics.cw_accuracy_score) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [0, 0.5, 1, 3, 128, 10_000])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_uniform_probabilities_cost_one_for_every_n(n, n_classes):
    y, proba = np.arange(n_classes), np.full((n_classes, n_classes), 1 / n_classes)
    assert metrics.ecuas_loss(y, proba, n=n) == pytest.approx(1, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(outcome=outcomes(max_classes=2, given_prediction=False))
def test_normalised_ecuas_1_of_two_classes_is_the_normalised_brier_score(outcome):
    if len(np.unique(outcome.y[outcome.weight > 0])) < 2:
        return
    prior = np.average(outcome.y, weights=outcome.weight)
    brier = np.average((outcome.proba[:, 1] - outcome.y) ** 2, weights=outcome.weight)
    expected = brier / (prior * (1 - prior))
    assert outcome.call(metrics.ecuas_loss, n=1, normalize=True) == pytest.approx(expected, rel=1e-9)


def test_ecuas_reads_a_profile_without_classes_as_one_of_infinitely_many():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.75, 0.5])
    # r = u: right at u = 1/4 costs u², wrong at u = 1/2 costs u² + 2(1 − u), halved by the mean.
    assert metrics.ecuas_loss(profile, n=1) == pytest.approx((0.25**2 + 0.5**2 + 2 * 0.5) / 2)


def test_ecuas_warns_once_of_answers_below_the_best_guess():
    with pytest.warns(UserWarning, match="less certain than any best guess") as caught:
        value = metrics.ecuas_loss([0, 1], [0.1, 0.9], y_pred=[1, 1], n=1)
    assert len(caught) == 1
    assert value == pytest.approx((1 + (0.1 / 0.5) ** 2) / 2)


def test_gain_is_zero_where_both_accuracies_are_one():
    assert metrics.confidence_gain([0, 1], [0.2, 0.7]) == 0
    rng = np.random.default_rng(0)
    for _ in range(50):  # accuracies of weighted samples are 1 but for rounding
        right = ConfidenceProfile.from_correctness(np.ones(7), rng.random(7), sample_weight=rng.random(7))
        assert metrics.confidence_gain(right) == 0


# Ties, edges and undefined values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_bins", [3, 7, 10, 15, 49])
def test_bins_hold_their_upper_edge_and_not_their_lower(n_bins):
    for edge in np.arange(1, n_bins) / n_bins:
        # One right and one wrong: |1 − c| + |0 − c| = 1 apart from each other, |1 − 2c| together in a bin.
        for nearby, apart in ((edge - 1e-9, False), (edge + 1e-9, True)):
            profile = ConfidenceProfile.from_correctness([1, 0], [edge, nearby])
            expected = (1 if apart else abs(1 - 2 * edge)) / 2
            assert metrics.expected_calibration_error(profile, n_bins=n_bins) == pytest.approx(expected, abs=1e-8)


def test_zero_and_one_belong_to_the_outer_bins():
    for outer, inner in ((0.0, 0.01), (1.0, 0.99)):
        profile = ConfidenceProfile.from_correctness([1, 0], [outer, inner])
        expected = abs(1 - outer - inner) / 2
        assert metrics.expected_calibration_error(profile, n_bins=10) == pytest.approx(expected)


def test_all_confidences_tied_make_the_risk_of_any_order_the_error_rate():
    profile = ConfidenceProfile.from_correctness([1, 0, 0, 1, 1], [0.5] * 5)
    assert metrics.aurc_loss(profile) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("name", "params", "correct", "confidence", "reason"),
    [
        ("cw_accuracy_score", {}, [1, 0], [0, 0], "all confidences are zero"),
        ("selective_accuracy_score", {"threshold": 0.9}, [1, 0], [0.5, 0.6], "nothing is accepted"),
        ("selective_accuracy_score", {"threshold": math.inf}, [1, 0], [0.5, 1.0], "nothing is accepted"),
    ],
)
def test_undefined_value_is_nan_with_one_warning(name, params, correct, confidence, reason):
    profile = ConfidenceProfile.from_correctness(correct, confidence)
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined: {reason}") as caught:
        assert math.isnan(getattr(metrics, name)(profile, **params))
    assert len(caught) == 1


def test_nothing_accepted_earns_nothing():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    for threshold in (0.9, math.inf):
        assert metrics.cwsa_score(profile, threshold=threshold) == 0
        assert metrics.cwsa_plus_score(profile, threshold=threshold) == 0
        assert metrics.coverage_score(profile, threshold=threshold) == 0


def test_cwsa_refuses_another_score():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6], score=[0.9, 0.1])
    assert metrics.coverage_score(profile, threshold=0.8) == 0.5
    with pytest.raises(ValueError, match="selected by another score"):
        metrics.cwsa_score(profile)


def test_metrics_of_classes_refuse_a_profile_without_them():
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    with pytest.raises(ValueError, match=r"built from correctness alone.*from_predictions"):
        metrics.cf1_score(profile)
    with pytest.raises(ValueError, match=r"built from correctness alone.*from_predictions"):
        metrics.ecuas_loss(profile, normalize=True)


def test_binary_average_of_many_classes_asks_for_a_choice():
    with pytest.raises(ValueError, match=r"3 classes and no positive one.*average='macro'"):
        metrics.cf1_score([0, 1, 2], np.full((3, 3), 1 / 3))


def test_zero_division_of_an_empty_class():
    y, proba, labels = [0, 1], [[0.75, 0.25, 0], [0.25, 0.75, 0]], [0, 1, 2]
    with pytest.warns(UndefinedMetricWarning, match="neither predicted nor present"):
        assert metrics.cf1_score(y, proba, labels=labels, average="macro") == pytest.approx(0.5)
    assert metrics.cf1_score(y, proba, labels=labels, average="macro", zero_division=1) == pytest.approx(2.5 / 3)
    assert metrics.cf1_score(y, proba, labels=labels, average="macro", zero_division=math.nan) == pytest.approx(0.75)
    values = metrics.cf1_score(y, proba, labels=labels, average=None, zero_division=math.nan)
    np.testing.assert_allclose(values, [0.75, 0.75, math.nan])


def test_full_confidence_in_float32_stays_finite():
    sure = np.array([1 - 1e-8, 0.5], dtype=np.float32)  # the first rounds to 1
    assert sure[0] == 1
    profile = ConfidenceProfile.from_correctness([0, 1], sure)
    assert metrics.calibrated_size_ratio(profile) == pytest.approx(1e8 / 2, rel=1e-6)
