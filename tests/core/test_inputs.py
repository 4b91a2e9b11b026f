"""What is read: numbers and labels of any container, weights of any size, and nothing that would be misread."""

import numpy as np
import pandas as pd
import pytest
from _support.definitions import DEFINITIONS
from sklearn.naive_bayes import GaussianNB

from skconf import (
    ConfidenceProfile,
    ConfidenceReport,
    SelectiveClassifier,
    accumulate,
    confidence_report,
    inference,
    metrics,
    tune_threshold,
)
from skconf._core.grades import check_grades
from skconf._core.prevalence import read_shares
from skconf._core.probabilities import as_probabilities
from skconf.calibration import LearnedConfidence, PlattCalibrator
from skconf.metrics import aurc_loss, cw_accuracy_score, cw_confusion_matrix, excess_aurc_loss

RNG = np.random.default_rng(3)
P = RNG.random(80).round(2)
Y = (RNG.random(80) < P).astype(int)
W = RNG.exponential(1, 80) + 0.01
PROFILE = ConfidenceProfile.from_predictions(Y, P)


class Tensor:
    """What numpy is told by a tensor that needs a gradient."""

    requires_grad = True

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")

    shape = (80,)

    def __len__(self):
        return 80


HIDDEN = np.ma.array(P, mask=[*[False] * 79, True])
#: What is refused, and what the message says besides the name of the argument.
UNREADABLE = {
    "a tensor that needs a gradient": (Tensor(), r"\.detach\(\)\.cpu\(\)\.numpy\(\)"),
    "a structured array": (np.rec.fromarrays([P, P], names="a,b"), r"the fields 'a', 'b'\. Pass one field"),
    "hidden values": (HIDDEN, "masked array with hidden values. Leave out"),
    "a list with hidden values": (list(HIDDEN), "masked array with hidden values. Leave out"),
    "rows with hidden values": (list(HIDDEN[:, None]), "masked array with hidden values. Leave out"),
    "lists": (pd.Series([[0.5]] * 80), "could not be read as numbers"),
    "complex numbers": (P + 0j, "holds complex numbers"),
    "dates": (np.zeros(80, "M8[s]"), r"holds dates \(datetime64\[s\]\), but real numbers are needed"),
    "durations": (np.zeros(80, "m8[ns]"), "holds durations"),
}
#: Arguments that are columns of numbers, and how they are called.
NUMBERS = {
    "y_proba": lambda bad: cw_accuracy_score(Y, bad),
    "sample_weight": lambda bad: cw_accuracy_score(Y, P, sample_weight=bad),
    "score": lambda bad: ConfidenceProfile.from_predictions(Y, P, score=bad),
    "confidence": lambda bad: ConfidenceProfile.from_correctness(Y, bad),
    "correct": lambda bad: ConfidenceProfile.from_correctness(bad, P),
    "proba": lambda bad: PlattCalibrator().fit(bad, Y),
}


@pytest.mark.parametrize(("bad", "message"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(("name", "call"), NUMBERS.items(), ids=NUMBERS)
def test_what_is_no_column_of_numbers_is_refused_by_name(name, call, bad, message):
    with pytest.raises(ValueError, match=f"^{name} .*{message}"):
        call(bad)


#: Arguments that are columns of labels.
LABELS = {
    "y_true": lambda bad: cw_accuracy_score(bad, P),
    "y_pred": lambda bad: cw_accuracy_score(Y, P, y_pred=bad),
    "y": lambda bad: PlattCalibrator().fit(P, bad),
    "groups": lambda bad: inference.by_group("cw_accuracy", Y, P, groups=bad),
}


@pytest.mark.parametrize("bad", [*list(UNREADABLE)[:2], *(name for name in UNREADABLE if "hidden" in name)])
@pytest.mark.parametrize(("name", "call"), LABELS.items(), ids=LABELS)
def test_what_is_no_column_of_labels_is_refused_by_name(name, call, bad):
    values, message = UNREADABLE[bad]
    with pytest.raises(ValueError, match=f"^{name} .*{message}"):
        call(values)


@pytest.mark.parametrize("make", [np.array, list, pd.Series, pd.Categorical], ids=lambda make: make.__name__)
@pytest.mark.parametrize(("label", "other"), [("1", "1.0"), ("1", "True"), ("a", "a "), ("-3", "-3.00")])
def test_one_label_in_two_spellings_is_one_in_files_and_refused_in_memory(label, other, make, tmp_path):
    """As two classes it would give another number in memory than in a file, without a word."""
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 80).round(3)
    y = np.array(["0", label, other])[np.arange(80) % 3]
    with pytest.raises(ValueError, match=f"^y_true holds the labels '{label}' and '{other}', which would be one"):
        cw_accuracy_score(make(y), proba)
    with pytest.raises(ValueError, match=r"^y_true holds the labels "):  # not that two columns are too few
        cw_accuracy_score(make(y), P)
    as_given = cw_accuracy_score(make(y), proba, labels=["0", label, other])
    right = np.arange(80) % 3 == proba.argmax(axis=1)
    assert as_given == pytest.approx((proba.max(axis=1) * right).sum() / proba.max(axis=1).sum())

    pd.DataFrame({"y_true": y, "proba_0": 1 - P, f"proba_{label}": P}).to_csv(tmp_path / "a.csv", index=False)
    read = accumulate(tmp_path / "a.csv", "cw_accuracy_score").result()
    assert read["cw_accuracy_score"] == pytest.approx(cw_accuracy_score(y != "0", P))


@pytest.mark.parametrize("make", [np.array, pd.Series], ids=["array", "Series"])
@pytest.mark.parametrize("dtype", [">i8", ">f4", ">U3", ">M8[D]"])
def test_the_order_of_bytes_plays_no_part(dtype, make):
    y = make(Y.astype(dtype))
    assert cw_accuracy_score(y, P.astype(">f8"), sample_weight=W.astype(">f8")) == cw_accuracy_score(
        Y, P, sample_weight=W
    )
    assert len(inference.by_group("cw_accuracy", Y, P, groups=y)) == 2


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("make", [np.array, pd.Series, pd.DatetimeIndex, list], ids=lambda make: make.__name__)
def test_dates_are_labels_in_any_unit_and_container(make, unit):
    dates = np.array(["2020-01-01", "2021-01-01"], f"M8[{unit}]")
    given = make(pd.Series(dates)) if make is list else make(dates[Y])
    given = [pd.Timestamp(date) for date in dates[Y]] if make is list else given
    found = cw_accuracy_score(given, P, labels=dates, pos_label=pd.Timestamp("2021-01-01"))
    assert found == cw_accuracy_score(Y, P)


# Weights -------------------------------------------------------------------------------------------------------------

#: Metrics that read the sizes of weights: matrices of sums, and areas whose weights are repetitions.
SIZES = ("cw_confusion_matrix", "cw_multilabel_confusion_matrix", "probabilistic_confusion_matrix")
COUNTS = ("aurc_loss", "excess_aurc_loss")
NO_WEIGHTS = ("ecd_test", "t_cal_test", "tce_error")


def flat(value):
    if isinstance(value, tuple):
        return np.concatenate([flat(part) for part in value])
    return np.ravel(np.asarray(value, dtype=float))


@pytest.mark.parametrize("name", NO_WEIGHTS)
def test_weights_are_refused_where_none_are_taken(name):
    with pytest.raises(ValueError, match=f"{name} takes no sample_weight"):
        getattr(metrics, name)(Y, P, sample_weight=np.ones(80))


@pytest.mark.parametrize("name", sorted(set(DEFINITIONS) - set(NO_WEIGHTS)))
@pytest.mark.parametrize("scale", [1e-320, 2.0**-665, 2.0**532, 1e300], ids=lambda scale: f"{scale:.0e}")
@pytest.mark.filterwarnings("ignore:.*is undefined:sklearn.exceptions.UndefinedMetricWarning")
def test_only_ratios_of_weights_matter_but_where_sizes_are_read(name, scale):
    metric, far = getattr(metrics, name), np.full(80, scale)
    expected = metric(PROFILE.with_weight(np.ones(80)))
    if name in COUNTS:
        with pytest.raises(ValueError, match=rf"{name} depends on the sizes of sample_weight.* \[1e-30, 1e\+30\]"):
            metric(Y, P, sample_weight=far)
        return
    expected = flat(expected) * (scale if name in SIZES else 1)
    np.testing.assert_allclose(flat(metric(Y, P, sample_weight=far)), expected, rtol=1e-11, atol=0)


@pytest.mark.parametrize("scale", [1e-200, 1e160])
def test_ratios_of_unequal_weights(scale):
    for name in ("cw_roc_auc_score", "cw_cohen_kappa_score", "cw_matthews_corrcoef", "augrc_loss"):
        metric = getattr(metrics, name)
        assert metric(Y, P, sample_weight=W * scale) == pytest.approx(metric(Y, P, sample_weight=W), rel=1e-11)


@pytest.mark.filterwarnings("ignore:neg_ece has 11 effective errors:UserWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e160])
@pytest.mark.parametrize("name", ["cw_accuracy", "cw_roc_auc", "neg_augrc", "neg_ece"])
def test_intervals_and_groups_depend_on_ratios_alone(name, scale):
    weights = W, W * scale
    near, far = (
        inference.confidence_interval(name, Y, P, sample_weight=weight, n_resamples=50, random_state=0)
        for weight in weights
    )
    assert (far.low, far.value, far.high) == pytest.approx((near.low, near.value, near.high), rel=1e-9)
    near, far = (
        inference.by_group(name, Y, P, groups=np.arange(80) % 2, sample_weight=weight)["value"] for weight in weights
    )
    np.testing.assert_allclose(far, near, rtol=1e-9)


def test_a_report_depends_on_ratios_alone():
    names = [name for name in confidence_report(Y, P).frame.index if name not in COUNTS]
    near, far = (confidence_report(Y, P, sample_weight=w, metrics=names).frame["value"] for w in (W, W * 1e160))
    np.testing.assert_allclose(far, near, rtol=1e-11)


def test_a_weight_that_is_nothing_beside_the_largest_counts_as_zero_and_is_told():
    weight = np.append(np.full(79, 1e10), 1e-25)
    with pytest.warns(
        UserWarning,
        match=r"sample_weight is 1e-25 in row 79\. This is more than .* times smaller than the largest weight, 1e\+10",
    ):
        found = cw_accuracy_score(Y, P, sample_weight=weight)
    assert found == pytest.approx(cw_accuracy_score(Y[:79], P[:79]))
    assert ConfidenceProfile.from_predictions(Y, P, sample_weight=np.append(np.ones(79), 1e-29)).sample_weight[79] > 0


def test_weights_in_range_are_held_as_given():
    profile = PROFILE.with_weight(W)
    assert profile.weight_scale == 1
    np.testing.assert_array_equal(profile.sample_weight, W)
    far = PROFILE.with_weight(W * 2.0**600)
    np.testing.assert_array_equal(far.given_weight, W * 2.0**600)
    assert far.with_weight(None).given_weight is None
    assert 1 <= far.sample_weight.max() < 2


def test_other_packages_are_given_the_weights_that_were_given():
    from sklearn.metrics import confusion_matrix

    sums = metrics.confidence_weighted(confusion_matrix)
    far = W * 2.0**600
    np.testing.assert_allclose(sums(Y, P, sample_weight=far), cw_confusion_matrix(Y, P, sample_weight=far), rtol=1e-12)


@pytest.mark.parametrize("area", [aurc_loss, excess_aurc_loss], ids=lambda area: area.__name__)
def test_weights_that_are_no_repetitions_are_told_with_the_other_meaning(area):
    with pytest.warns(
        UserWarning, match=r"all weights are below 1 \(their sum is 1\).* sample_weight\.mean\(\)"
    ) as told:
        area(Y, P, sample_weight=np.full(80, 1 / 80))
    assert len(told) == 1
    weight = np.full(80, 1 / 80)
    assert area(Y, P, sample_weight=weight / weight.mean()) == pytest.approx(area(Y, P))  # as the message says
    area(Y, P, sample_weight=[1.0] + [0.5] * 79)  # fractions beside whole numbers are what they are


def test_groups_and_resamples_do_not_tell_of_weights_again():
    with pytest.warns(UserWarning, match="all weights are below 1") as told:
        inference.by_group(aurc_loss, Y, P, groups=np.arange(80) % 4, sample_weight=W / 100)
    assert len(told) == 1


# What is held --------------------------------------------------------------------------------------------------------


def test_a_profile_holds_arrays_of_its_own_but_for_probabilities():
    proba = np.column_stack([1 - P, P])
    given = {"y_true": Y.copy(), "y_pred": Y.copy(), "sample_weight": W.copy(), "score": P.copy()}
    labels = np.array([0, 1])
    profile = ConfidenceProfile.from_predictions(y_proba=proba, labels=labels, **given)
    names = ("correct", "confidence", "score", "sample_weight", "classes", "true_class", "predicted_class")
    before = {name: getattr(profile, name).copy() for name in names}
    for array in (*given.values(), labels):
        array[:] = 1 - array
    for name in names:
        np.testing.assert_array_equal(getattr(profile, name), before[name], err_msg=name)
    assert np.shares_memory(profile.proba, proba)
    with pytest.raises(ValueError, match="read-only"):
        profile.proba[0] = 0.5
    assert proba.flags.writeable


def test_a_profile_from_correctness_holds_arrays_of_its_own():
    given = [np.array([1.0, 0.0, 1.0]), np.array([0.5, 0.25, 1.0])]
    more = {"sample_weight": np.array([1.0, 2.0, 3.0]), "score": np.array([1.0, 2.0, 3.0])}
    profile = ConfidenceProfile.from_correctness(*given, **more)
    names = ("correct", "confidence", "score", "sample_weight")
    before = [getattr(profile, name).copy() for name in names]
    for array in (*given, *more.values()):
        array[:] = 0
    for name, value in zip(names, before, strict=True):
        np.testing.assert_array_equal(getattr(profile, name), value, err_msg=name)


@pytest.mark.parametrize(
    ("threshold", "error"),
    [
        *((bad, ValueError) for bad in (np.nan, -1, 1.5, -np.inf)),
        *((bad, TypeError) for bad in (1j, [0.5], "high", True, np.array([0.5, 0.6]))),
    ],
    ids=repr,
)
def test_a_threshold_is_a_number_in_range(threshold, error):
    with pytest.raises(error, match=r"^threshold must "):
        ConfidenceProfile.from_predictions(Y, P, threshold=threshold)


def test_a_threshold_of_other_scores_is_any_number():
    assert ConfidenceProfile.from_predictions(Y, P, score=np.log(P + 1e-3), threshold=-1.0).threshold == -1
    with pytest.raises(ValueError, match=r"^threshold must "):
        ConfidenceProfile.from_predictions(Y, P, score=P, threshold=np.nan)
    assert ConfidenceProfile.from_predictions(Y, P, threshold=np.inf).threshold == np.inf


# What is probably meant ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [int, bool, np.uint8])
def test_predicted_labels_in_the_place_of_probabilities_are_told(dtype):
    with pytest.warns(
        UserWarning, match=r"y_proba holds whole numbers .* predicted labels\. Pass probabilities"
    ) as told:
        cw_accuracy_score(Y, (P > 0.5).astype(dtype))
    assert len(told) == 1
    with pytest.warns(UserWarning, match="^proba holds whole numbers"):
        PlattCalibrator().fit((P > 0.5).astype(dtype), Y)
    cw_accuracy_score(Y, (P > 0.5).astype(float))  # what a decision tree says


@pytest.mark.parametrize("shape", [100, 1000])
def test_the_confidence_in_the_place_of_the_probability_of_a_class_is_told(shape):
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, shape)
    y = (rng.random(shape) < p).astype(int)
    with pytest.warns(UserWarning, match=r"y_proba is never below 0\.5.* such as y_proba\.max\(axis=1\)") as told:
        cw_accuracy_score(y, np.maximum(p, 1 - p))
    assert len(told) == 1
    with pytest.warns(UserWarning, match=r"y_proba is never below 0\.5"):
        cw_accuracy_score(y, np.maximum(p, 1 - p), pos_label=0)


def test_a_model_that_always_predicts_one_class_is_none_such():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.6, 0.9, 2000)
    cw_accuracy_score((rng.random(2000) < p).astype(int), p)
    cw_accuracy_score(np.repeat([0, 1], [9, 991]), np.full(1000, 0.999))  # too few of one class


@pytest.mark.parametrize("value", ["none", "False", None, 2, 0.0])
@pytest.mark.parametrize("metric", [metrics.ecuas_loss, metrics.reject_cost_loss, metrics.confidence_brier_loss])
def test_a_flag_is_true_or_false(metric, value):
    with pytest.raises(ValueError, match="normalize must be one of False, True"):
        metric(Y, P, normalize=value)
    assert metric(Y, P, normalize=np.True_) == metric(Y, P, normalize=True)


def test_a_bandwidth_beyond_the_unit_interval_smooths_all_to_the_mean_gap():
    profile = PROFILE
    gap = abs(profile.confidence.mean() - profile.correct.mean())
    for bandwidth in (30, 100, 1e6):
        assert metrics.smooth_calibration_error(profile, bandwidth=bandwidth) == pytest.approx(gap)
    with pytest.raises(ValueError, match="bandwidth must lie in"):
        metrics.smooth_calibration_error(profile, bandwidth=np.inf)


@pytest.mark.parametrize("shape", [(), (3, 0), (0, 2), (2, 2, 2)])
def test_probabilities_have_rows_and_columns(shape):
    with pytest.raises(ValueError, match="y_proba "):
        as_probabilities(np.zeros(shape))


@pytest.mark.parametrize("number", [1.5, 2, -0.1, "1", np.nan])
def test_a_grade_has_a_number_from_0_to_1(number):
    with pytest.raises(ValueError, match=r"'good' the number .*, which must lie in \[0, 1\]"):
        check_grades({"bad": 0, "good": number})
    assert check_grades({"bad": 0, "good": np.float32(1)}) == {"bad": 0, "good": 1}


def test_shares_of_two_classes_follow_from_one_and_labels_may_be_texts():
    assert read_shares({1: 0.25}, np.array([0, 1])).tolist() == [0.75, 0.25]
    assert read_shares({"1": 0.25}, np.array([0, 1])).tolist() == [0.75, 0.25]
    assert read_shares({"1.0": 0.25}, np.array(["0", "1"])).tolist() == [0.75, 0.25]
    for given, classes in (({"b": 0.2, "c": 0.3}, ["a", "b", "c"]), ({}, ["a", "b"])):
        with pytest.raises(ValueError, match=r"lacks the shares of .*'a'"):
            read_shares(given, np.array(classes))


class TestOrder:
    """Rows are matched by position, so an index that says otherwise is no detail."""

    NAMES = pd.Index([f"patient {i}" for i in range(80)])
    TRUE = pd.Series(Y, index=NAMES)
    PROBA = pd.Series(P, index=NAMES)
    SHUFFLED = PROBA.sample(frac=1, random_state=0)

    @pytest.mark.parametrize(
        ("name", "call"),
        [
            ("y_proba", lambda true, other: metrics.expected_calibration_error(true, other)),
            ("y_proba", lambda true, other: metrics.expected_calibration_error(true, other.to_frame().assign(b=1 - P))),
            ("y_proba", lambda true, other: inference.compare("neg_ece", true, {"a": true * 0.5, "b": other})),
            ("y_proba", lambda true, other: confidence_report(true, other)),
            ("sample_weight", lambda true, other: cw_accuracy_score(true, P, sample_weight=other)),
            ("y_pred", lambda true, other: cw_accuracy_score(true, P, y_pred=(other > 0.5).astype(int))),
            ("confidence", lambda true, other: ConfidenceProfile.from_correctness(true, other)),
            ("uncertainty", lambda true, other: ConfidenceProfile.from_costs(true, other)),
            ("y", lambda true, other: ConfidenceProfile.from_estimator(Always(), other.to_frame(), true)),
            ("groups", lambda true, other: inference.confidence_interval("cwsa", true, P, groups=other)),
            ("stratify", lambda true, other: inference.confidence_interval("cwsa", true, P, stratify=other)),
            ("groups", lambda true, other: inference.by_group("cwsa", true, P, groups=other.to_frame())),
            (r"groups\['a'\]", lambda true, other: inference.by_group("cwsa", true, P, groups={"a": other})),
            ("groups", lambda true, other: inference.overconfidence_by_group(true, P, groups=other > 0.5)),
            ("groups", lambda true, other: inference.compare("cwsa", true, {"a": P, "b": P**2}, groups=other)),
            ("groups", lambda true, other: tune_threshold(true, P, confidence_level=0.9, groups=other)),
            ("slices", lambda true, other: tune_threshold(true, P, slices=other > 0.5, confidence_level=0.9)),
            ("slices", lambda true, other: confidence_report(true, P, slices=other.to_frame())),
            (r"slices\['a'\]", lambda true, other: confidence_report(true, P, slices={"a": other})),
            (
                "slices",
                lambda true, other: ConfidenceReport.from_estimator(
                    Always(), P[:, None], true, slices=other.to_frame()
                ),
            ),
            (
                "groups",
                lambda true, other: ConfidenceProfile.from_multilabel(true.to_frame(), P[:, None], groups=other),
            ),
            (
                "groups",
                lambda true, other: ConfidenceProfile.from_regression(true, P, tolerance=1, std=P, groups=other),
            ),
            ("groups", lambda true, other: SelectiveClassifier(GaussianNB()).fit(P[:, None], true, groups=other)),
            ("y", lambda true, other: PlattCalibrator().fit(other, true)),
            ("groups", lambda true, other: LearnedConfidence().fit(P[:, None], P, true, groups=other)),
        ],
    )
    def test_the_same_index_in_another_order_is_refused(self, name, call):
        with pytest.raises(
            ValueError, match=rf"{name} have the same index in different orders: row 0 is 'patient \d+'"
        ):
            call(self.TRUE, self.SHUFFLED)

    def test_what_the_message_says_to_do_gives_the_value_of_the_right_order(self):
        expected = metrics.expected_calibration_error(Y, P)
        ordered = self.SHUFFLED.loc[self.TRUE.index]
        assert metrics.expected_calibration_error(self.TRUE, ordered) == pytest.approx(expected)
        by_position = metrics.expected_calibration_error(self.TRUE, self.SHUFFLED.to_numpy())
        assert by_position != pytest.approx(expected)

    def test_an_index_that_counts_rows_may_be_a_default_and_is_warned_of(self):
        shuffled = pd.Series(Y).sample(frac=1, random_state=0)
        with pytest.warns(UserWarning, match="y_true and y_proba have the same index in different orders"):
            cw_accuracy_score(shuffled, pd.Series(P))
        with pytest.warns(UserWarning, match="y_true and y_proba have the same index in different orders"):
            cw_accuracy_score(pd.Series(Y), pd.Series(P).sample(frac=1, random_state=0))

    @pytest.mark.parametrize(
        "proba",
        [
            PROBA,
            P,
            P.tolist(),
            pd.Series(P),  # an index of its own
            PROBA.rename(lambda name: name + "!"),  # of other rows
            PROBA.set_axis(["patient 0"] * 80),  # that names no row
        ],
    )
    def test_any_other_index_says_nothing(self, proba):
        assert cw_accuracy_score(self.TRUE, proba) == cw_accuracy_score(Y, P)


class Always:
    """A classifier that gives every sample the same probabilities."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X):
        return np.tile([0.4, 0.6], (len(X), 1))
