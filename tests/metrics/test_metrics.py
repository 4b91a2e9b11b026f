"""What every metric has: a function, a name that tells its direction, errors that say what is wrong, and a test."""

import importlib.util
import inspect
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from _support.metrics.properties import drawn_profile
from sklearn.exceptions import UndefinedMetricWarning

from skconf import ConfidenceProfile, get_scorer, metrics
from skconf.metrics import expected_calibration_error, get_metric
from skconf.metrics._base.registry import metric_classes

NAMES = sorted(metric_classes())
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def home_of(name):
    """Return the file that tests a metric, beside its module: skconf/metrics/_a/b.py has tests/metrics/a/test_b.py."""
    *folders, module = metric_classes()[name].__module__.replace("._", ".").split(".")[2:]
    return Path("tests", "metrics", *folders, f"test_{module}.py")


def test_every_metric_has_a_case():
    cases = {}
    for path in sorted({home_of(name) for name in NAMES if (ROOT / home_of(name)).exists()}):
        spec = importlib.util.spec_from_file_location(f"cases_of_{path.stem}", ROOT / path)
        spec.loader.exec_module(module := importlib.util.module_from_spec(spec))
        run = getattr(getattr(module, "TestProperties", None), "of_cases", [])
        assert module.CASES is run, f"{path} lacks the line `TestProperties = properties_of(CASES)`."
        cases[path] = {case.name for case in module.CASES}
    missing = [name for name in NAMES if name not in cases.get(home_of(name), ())]
    assert not missing, "".join(
        f"\n{name} has no test. Write its definition in plain loops in {home_of(name)}, as a function {name}"
        f'(y, proba, predicted, w), and `Case("{name}", {{}}, {name})` in its CASES; docs/contributing.md shows how.'
        for name in missing
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_may_stand_for_the_predictions(name):
    y, proba = ["b", "a", "b", "a", "b"], [0.9, 0.2, 0.4, 0.7, 0.8]
    function, profile = getattr(metrics, name), ConfidenceProfile.from_predictions(y, proba)
    np.testing.assert_equal(function(profile), function(y, proba))
    with pytest.raises(TypeError, match=r"got a ConfidenceProfile and labels, but the profile has these"):
        function(profile, labels=["a", "b"])
    with pytest.raises(TypeError, match="y_proba"):
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


def test_unknown_metric_suggests_close_ones():
    with pytest.raises(ValueError, match=r"no metric 'cw_acuracy_score'\. Did you mean 'cw_accuracy_score'"):
        get_metric("cw_acuracy_score")
    with pytest.raises(ValueError, match="no metric 'mean'"):
        get_metric(np.mean)


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
        ("expected_calibration_error", {"strategy": "kmeans"}, "strategy must be one of 'uniform', 'quantile'"),
        ("expected_calibration_error", {"norm": "l3"}, "norm must be one of 'l1', 'l2', 'max'"),
        ("expected_calibration_error", {"on": "labels"}, "on must be one of 'confidence', 'classes'"),
        ("maximum_calibration_error", {"n_bins": 0}, "n_bins must be at least 1"),
        ("smooth_calibration_error", {"bandwidth": 0.0}, "bandwidth must lie in"),
        ("smooth_calibration_error", {"bandwidth": "wide"}, "bandwidth must be a number"),
        ("cumulative_calibration_error", {"statistic": "mean"}, "statistic must be one of 'mad', 'range'"),
        ("entropic_calibration_difference", {"eps": 0.0}, "eps must lie in"),
        ("entropic_calibration_difference", {"on": "labels"}, "on must be one of 'classes', 'confidence'"),
        ("confidence_brier_loss", {"normalize": "yes"}, "normalize must be one of False, True"),
        ("confidence_log_loss", {"eps": 0.6}, "eps must lie in"),
        ("brier_decomposition", {"strategy": "spline"}, "'quantile', 'isotonic'"),
        ("ecd_test", {"method": "bootstrap"}, "method must be one of 'simulation', 'normal'"),
        ("ecd_test", {"alpha": 2}, "alpha must lie in"),
        ("ecd_test", {"n_resamples": 0}, "n_resamples must be at least 1"),
        ("tce_error", {"strategy": "uniform"}, "strategy must be one of 'pavabc', 'quantile'"),
        ("tce_error", {"n_min": -1}, "n_min must be at least 0"),
        ("tce_error", {"n_min": 20, "n_max": 10}, "n_max must be at least 20"),
        ("tce_error", {"n_bins": 0}, "n_bins must be at least 1"),
        ("tce_error", {"alpha": -0.1}, "alpha must lie in"),
        ("t_cal_test", {"alpha": "small"}, "alpha must be a number"),
        ("t_cal_test", {"n_bins": 0}, "n_bins must be at least 1"),
        ("t_cal_test", {"n_resamples": 1.5}, "n_resamples must be a whole number"),
        ("cw_fbeta_score", {"beta": -1}, r"beta must lie in \[0, inf\]"),
        ("cw_fbeta_score", {"beta": "2"}, "beta must be a number"),
        ("cw_f1_score", {"average": "samples"}, "average must be one of 'binary'"),
        ("cw_roc_auc_score", {"average": "micro"}, "average must be one of 'macro', 'weighted', None"),
        ("cw_confusion_matrix", {"normalize": "rows"}, "normalize must be one of None, 'true'"),
        ("cw_cohen_kappa_score", {"weights": "cubic"}, "weights must be one of None"),
        ("cw_balanced_accuracy_score", {"adjusted": "yes"}, "adjusted must be one of"),
        ("cw_roc_curve", {"drop_intermediate": 1}, "drop_intermediate must be one of"),
    ],
)
def test_bad_parameter_is_refused_before_anything_is_read(name, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(metrics, name)("not even", "data", **params)


@pytest.mark.parametrize(
    ("name", "params", "correct", "confidence", "reason"),
    [
        ("cw_accuracy_score", {}, [1, 0], [0, 0], "all confidences are zero"),
        ("selective_accuracy_score", {"threshold": 0.9}, [1, 0], [0.5, 0.6], "nothing is accepted"),
        ("selective_accuracy_score", {"threshold": math.inf}, [1, 0], [0.5, 1.0], "nothing is accepted"),
        *(
            (name, params, correct, [0.5, 0.6], "all predictions are right")
            for name, params in [
                ("confidence_roc_auc_score", {}),
                ("confidence_brier_loss", {"normalize": True}),
                ("confidence_log_loss", {"normalize": True}),
            ]
            for correct in ([1, 1], [0, 0])
        ),
    ],
)
def test_undefined_value_is_nan_with_one_warning(name, params, correct, confidence, reason):
    profile = ConfidenceProfile.from_correctness(correct, confidence)
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined, because {reason}") as caught:
        assert math.isnan(getattr(metrics, name)(profile, **params))
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cw_balanced_accuracy_score", "all confidences are zero"),
        ("cw_matthews_corrcoef", "all confidences are zero"),
        ("cw_cohen_kappa_score", "all confidences are zero, or a single class is both"),
        ("cw_roc_auc_score", "fewer than two classes have a sample"),
    ],
)
def test_undefined_value_of_classes_is_nan_with_one_warning(name, reason):
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined, because {reason}") as caught:
        assert math.isnan(getattr(metrics, name)([0, 1, 0], [0.0, 1.0, 1.0], y_pred=[1, 0, 0]))
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("cf1_score", {}),
        ("ecuas_loss", {"normalize": True}),
        ("expected_calibration_error", {"on": "classes"}),
        ("expected_calibration_error", {"on": "classes", "strategy": "quantile"}),
        ("entropic_calibration_difference", {}),
        ("ecd_test", {}),
    ],
)
def test_metrics_of_classes_refuse_a_profile_without_them(name, params):
    profile = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    with pytest.raises(ValueError, match="correctness"):
        getattr(metrics, name)(profile, **params)


@pytest.mark.parametrize(
    ("name", "params", "reason"),
    [
        ("cw_confusion_matrix", {}, "it is a matrix"),
        ("cw_multilabel_confusion_matrix", {}, "it is a matrix"),
        ("probabilistic_confusion_matrix", {}, "it is a matrix"),
        ("cw_f1_score", {"average": None}, "average=None"),
        ("cw_roc_auc_score", {}, "not a function of sums"),
    ],
)
def test_what_has_no_contributions_says_so(name, params, reason):
    with pytest.raises(TypeError, match=f"{name} has no per-sample contributions.*{reason}"):
        get_metric(name, **params).contributions(drawn_profile(5))


def test_scorers_have_the_sign_of_their_metric():
    profile = drawn_profile(200, weighted=False)
    for name, function in {
        "neg_ece": metrics.expected_calibration_error,
        "neg_mce": metrics.maximum_calibration_error,
        "neg_smooth_ece": metrics.smooth_calibration_error,
        "neg_confidence_brier": metrics.confidence_brier_loss,
    }.items():
        assert get_scorer(name).of_profile(profile) == -function(profile)
    assert get_scorer("neg_ece", strategy="quantile").of_profile(profile) == -metrics.expected_calibration_error(
        profile, strategy="quantile"
    )
    assert get_scorer("neg_ecd_deviation", on="confidence").of_profile(profile) <= 0


def test_perfect_confidence_has_no_error():
    profile = ConfidenceProfile.from_correctness([1, 0, 1], [1.0, 0.0, 1.0])
    for name in ("expected_calibration_error", "maximum_calibration_error", "smooth_calibration_error"):
        assert getattr(metrics, name)(profile) == 0
    assert metrics.calibration_distance_error(profile) == metrics.cumulative_calibration_error(profile) == 0
    assert metrics.tce_error(profile, n_min=0, n_max=1) == 0
    for method in ("simulation", "normal"):
        result = metrics.ecd_test(profile, on="confidence", method=method)
        assert result.statistic == pytest.approx(0, abs=1e-7)
        assert (result.outcome, result.p_value) == (0, 1)


@pytest.mark.parametrize("name", ["t_cal_test", "ecd_test"])
def test_seed_makes_a_test_repeatable(name):
    profile, function = drawn_profile(80, weighted=False), getattr(metrics, name)
    params = {"on": "confidence"} if name == "ecd_test" else {}
    first, second = function(profile, **params), function(profile, random_state=0, **params)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)
    for random_state in (np.random.default_rng(1), None):
        assert function(profile, random_state=random_state, **params).p_value > 0


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"y_prob": [0.1, 0.9]}, "y_proba"),
        ({"y_score": [0.1, 0.9]}, "y_proba"),
        ({"weights": [1, 1]}, "sample_weight"),
        ({"sample_weigth": [1, 1]}, "sample_weight"),
        ({"n_bin": 3}, "n_bins"),
    ],
)
def test_a_parameter_in_another_spelling_is_named(given, meant):
    with pytest.raises(
        TypeError, match=rf"^expected_calibration_error\(\) has no parameter .*\. Did you mean '{meant}'"
    ):
        expected_calibration_error([0, 1], **given)


def test_pythons_own_errors_name_the_metric():
    with pytest.raises(TypeError, match=r"^expected_calibration_error\(\) takes from 1 to 2 positional arguments"):
        expected_calibration_error([0, 1], [0.1, 0.9], [1, 1])


def test_labels_and_probabilities_in_the_wrong_order_are_told():
    proba = np.linspace(0.01, 0.99, 20)
    with pytest.warns(UserWarning, match="whole numbers"), pytest.raises(ValueError, match="y_true looks like prob"):
        expected_calibration_error(proba, np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"y_true looks like probabilities.*metric\(y_true, y_proba\)"):
        expected_calibration_error(proba, (np.arange(20) % 2).astype(float))
    with pytest.raises(ValueError, match="y_true holds 3 distinct labels"):  # which are grades
        expected_calibration_error([0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0], proba[:7])
