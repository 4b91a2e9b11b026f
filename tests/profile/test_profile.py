"""A profile holds who was right and how sure it was, whatever came in; and refuses by name what it cannot read."""

import copy
import pickle
import sys
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from inspect import signature
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from _support.blocks import cut_into_blocks
from _support.predictions import draw_proba
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, LogisticRegressionCV
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier

from skconf import ConfidenceProfile, SelectiveClassifier
from skconf.metrics import (
    aurc_loss,
    calibrated_size_ratio,
    cf1_score,
    confidence_brier_loss,
    confidence_gain,
    confidence_gap,
    cw_accuracy_score,
    expected_calibration_error,
)

try:
    import polars as pl
except ImportError:
    pl = None

from_predictions = ConfidenceProfile.from_predictions
from_correctness = ConfidenceProfile.from_correctness
from_estimator = ConfidenceProfile.from_estimator

#: Rows looked at together, at most: what lies beyond is in another block.
BLOCK = 65_536


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Keep linear algebra of such size off other cores: it only waits for them."""
    with threadpool_limits(1):
        yield


def by_loops(y_true, proba, labels, y_pred=None):
    """What a profile must hold of an (n, K) matrix, row by row in plain Python."""
    predicted, confidence, correct = [], [], []
    for i, row in enumerate(np.asarray(proba).tolist()):
        label = labels[max(range(len(row)), key=lambda k: (row[k], -k))] if y_pred is None else y_pred[i]
        predicted.append(list(labels).index(label))
        confidence.append(float(row[predicted[-1]]))
        correct.append(label == y_true[i])
    return predicted, confidence, correct


def same(profile, other):
    """Assert that two profiles hold the same, field by field."""
    for name in ("correct", "confidence", "score", "true_class", "predicted_class", "sample_weight", "classes"):
        np.testing.assert_array_equal(getattr(profile, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(profile.proba, other.proba)
    assert (profile.positive_class, profile.threshold) == (other.positive_class, other.threshold)
    assert profile.ranks_by_confidence == other.ranks_by_confidence
    return True


# Dyadic fractions: exact in float16, float32 and float64.
Y3 = ["b", "a", "c", "c", "a", "b"]
P3 = [
    [0.25, 0.5, 0.25],
    [0.75, 0.125, 0.125],
    [0.5, 0.0, 0.5],
    [0.0, 0.0, 1.0],
    [0.375, 0.375, 0.25],
    [0.125, 0.375, 0.5],
]
PREDICTED = ["b", "a", "a", "c", "a", "c"]
CONFIDENCE = [0.5, 0.75, 0.5, 1.0, 0.375, 0.5]
CORRECT = [True, True, False, True, True, False]


def memory_mapped(values, directory):
    array = np.array(values)
    mapped = np.memmap(directory / "proba", dtype=array.dtype, mode="w+", shape=array.shape)
    mapped[:] = array
    mapped.flush()
    return np.memmap(directory / "proba", dtype=array.dtype, mode="r", shape=array.shape)


def strided(values):
    wide = np.full((2 * len(values), 2 * len(values[0]) + 1), np.nan)
    wide[::2, 1::2] = values
    return wide[::2, 1::2]


PROBA = {
    "list": lambda p, _: p,
    "tuple of tuples": lambda p, _: tuple(map(tuple, p)),
    "float16": lambda p, _: np.array(p, np.float16),
    "float32": lambda p, _: np.array(p, np.float32),
    "float64": lambda p, _: np.array(p),
    "long double": lambda p, _: np.array(p, np.longdouble),
    "object": lambda p, _: np.array(p, dtype=object),
    "Fortran order": lambda p, _: np.asfortranarray(p),
    "not contiguous": lambda p, _: strided(p),
    "negative strides": lambda p, _: np.array(p)[::-1, ::-1].copy()[::-1, ::-1],
    "read only": lambda p, _: np.broadcast_to(np.array(p), (6, 3)),
    "big endian": lambda p, _: np.array(p, dtype=">f8"),
    "memory-mapped": memory_mapped,
    "DataFrame": lambda p, _: pd.DataFrame(p, index=range(6, 0, -1)),
    "DataFrame with names": lambda p, _: pd.DataFrame(p, columns=["a", "b", "c"])[["c", "a", "b"]],
    "DataFrame of two types": lambda p, _: pd.DataFrame(p).astype({0: np.float32}),
    "Float64 DataFrame": lambda p, _: pd.DataFrame(p).astype("Float64"),
}
if pl is not None:
    PROBA["polars DataFrame"] = lambda p, _: pl.DataFrame(p, schema=["a", "b", "c"], orient="row")


class TestProbabilities:
    @pytest.mark.parametrize("make", PROBA.values(), ids=PROBA)
    def test_any_container_or_type_gives_the_same_profile(self, make, tmp_path):
        profile = from_predictions(Y3, make(P3, tmp_path))
        assert profile.classes.tolist() == ["a", "b", "c"]
        assert profile.classes[profile.true_class].tolist() == Y3
        assert profile.classes[profile.predicted_class].tolist() == PREDICTED
        assert profile.confidence.tolist() == CONFIDENCE
        assert profile.correct.tolist() == CORRECT
        assert (profile.n_samples, profile.n_classes, len(profile)) == (6, 3, 6)
        assert profile.confidence.dtype == profile.score.dtype == np.float64
        assert profile.correct.dtype == bool
        np.testing.assert_array_equal(profile.proba, P3)

    @pytest.mark.parametrize("dtype", [int, np.uint8, bool])
    def test_whole_numbers_are_probabilities_of_zero_and_one_with_a_warning(self, dtype):
        with pytest.warns(
            UserWarning, match=r"y_proba holds whole numbers .*, which look like predicted labels\. Pass prob"
        ):
            profile = from_predictions([0, 1, 1], np.array([[1, 0], [0, 1], [1, 0]], dtype=dtype))
        assert profile.confidence.tolist() == [1, 1, 1]
        assert profile.correct.tolist() == [True, True, False]

    @settings(max_examples=60, deadline=None)
    @given(data=st.data())
    def test_every_matrix_is_read_as_row_by_row(self, data):
        n, k = data.draw(st.integers(1, 12)), data.draw(st.integers(2, 5))
        sixteenths = st.lists(st.integers(0, 4), min_size=k, max_size=k).filter(any)  # ties are frequent
        rows = np.array(data.draw(st.lists(sixteenths, min_size=n, max_size=n)), dtype=float)
        proba = (rows / rows.sum(axis=1, keepdims=True)).astype(data.draw(st.sampled_from([np.float32, np.float64])))
        proba = np.asarray(proba, order=data.draw(st.sampled_from("CF")))
        labels = data.draw(st.permutations(range(k)))
        y_true = data.draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
        y_pred = data.draw(st.none() | st.lists(st.sampled_from(labels), min_size=n, max_size=n))
        profile = from_predictions(y_true, proba, labels=labels, y_pred=y_pred)
        predicted, confidence, correct = by_loops(y_true, proba, labels, y_pred)
        assert profile.predicted_class.tolist() == predicted
        assert profile.confidence.tolist() == confidence
        assert profile.correct.tolist() == correct

    def test_given_probabilities_are_not_copied(self):
        proba = np.array(P3)
        profile = from_predictions(Y3, proba)
        assert np.shares_memory(profile.proba, proba)
        assert np.shares_memory(profile[1:4].proba, proba)
        assert all(np.shares_memory(block.proba, proba) for _, block in profile.blocks())
        column = np.array([0.25, 0.75], dtype=np.float32)
        assert np.shares_memory(from_predictions([0, 1], column).given_proba, column)

    def test_memory_mapped_probabilities_stay_on_disk(self, tmp_path):
        mapped = memory_mapped(P3, tmp_path)
        assert np.shares_memory(from_predictions(Y3, mapped).proba, mapped)

    def test_a_profile_takes_less_memory_than_a_copy_of_the_probabilities(self):
        proba = np.full((20_000, 50), 0.02, dtype=np.float32)
        y_true = np.arange(20_000) % 50
        from_predictions(y_true, proba)
        tracemalloc.start()
        from_predictions(y_true, proba)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < proba.nbytes / 2

    def test_given_arrays_are_not_changed(self):
        proba, weight = np.array([[1 + 1e-15, -1e-15], [0.5, 0.5]]), np.array([1.0, 2.0])
        before = proba.copy()
        profile = from_predictions([0, 1], proba, sample_weight=weight, y_pred=[0, 1])
        np.testing.assert_array_equal(proba, before)
        assert weight.tolist() == [1, 2]
        assert profile.confidence.tolist() == [1, 0.5]  # a rounding error above 1 is none of a metric's business

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_rounding_errors_outside_the_range_are_clipped_and_larger_ones_refused(self, dtype):
        eps = np.finfo(dtype).eps
        assert from_predictions([1, 0], np.array([1 + eps, 0.5], dtype=dtype)).confidence[0] == 1
        assert from_predictions([1, 0], np.array([-eps, 0.5], dtype=dtype), y_pred=[1, 0]).confidence[0] == 0
        with pytest.raises(ValueError, match=r"outside \[0, 1\], in row 0"):
            from_predictions([1, 0], np.array([1 + 20 * eps, 0.5], dtype=dtype))


class TestSingleColumn:
    @pytest.mark.parametrize("pos_label", [None, "b", "a"])
    @pytest.mark.parametrize("labels", [None, ["a", "b"], ["b", "a"]])
    @pytest.mark.parametrize("y_pred", [None, ["a", "a", "b", "b", "a"]])
    def test_it_equals_two_columns_with_it_in_the_place_of_pos_label(self, pos_label, labels, y_pred):
        order = labels or ["a", "b"]
        where = order.index(pos_label) if pos_label else 1
        given = {"labels": labels, "pos_label": pos_label, "y_pred": y_pred}
        for dtype in (np.float16, np.float32, np.float64):
            y_true, positive = ["a", "b", "b", "a", "b"], np.array([0.25, 0.875, 0.5, 0.5, 0.0], dtype=dtype)
            both = np.empty((5, 2))
            both[:, where], both[:, 1 - where] = positive, 1 - positive
            one = from_predictions(y_true, positive, **given)
            assert same(one, from_predictions(y_true, both, **given))
            assert one.positive_class == where

    @settings(max_examples=50)
    @given(st.integers(1, 15), st.data())
    def test_decimals_tie_as_they_are_written_in_every_layout(self, n_decimals, data):
        units = data.draw(st.lists(st.integers(0, 10**n_decimals), min_size=1, max_size=20))
        positive = [float(Decimal(k).scaleb(-n_decimals)) for k in units]
        other = [float(1 - Decimal(k).scaleb(-n_decimals)) for k in units]
        y_true = [k % 2 for k in range(len(units))]
        predicted = [int(p > q) for p, q in zip(positive, other, strict=True)]
        confidence = list(map(max, positive, other))
        one = from_predictions(y_true, positive, labels=[0, 1])
        assert same(one, from_predictions(y_true, np.column_stack([other, positive]), labels=[0, 1]))
        assert one.confidence.tolist() == confidence
        assert one.correct.tolist() == [a == b for a, b in zip(predicted, y_true, strict=True)]
        micro = ConfidenceProfile.from_multilabel(np.transpose([y_true]), np.transpose([positive]))
        assert micro.confidence.tolist() == confidence

    @given(st.lists(st.floats(0, 1), min_size=2), st.integers(1, 17))
    def test_the_order_of_probabilities_is_that_of_their_complements(self, drawn, n_decimals):
        near = np.array(drawn)
        positive = np.sort(np.concatenate([near, near.round(n_decimals), np.nextafter(near.round(n_decimals), 0.5)]))
        negative = from_predictions(np.zeros(len(positive), dtype=int), positive, labels=[0, 1]).proba[:, 0]
        assert (np.diff(negative) <= 0).all()
        np.testing.assert_allclose(negative, 1 - positive, rtol=0, atol=1.2e-16)

    def test_pos_label_that_sorts_first_owns_the_column(self):
        profile = from_predictions(["a", "b", "a"], [0.75, 0.25, 0.25], pos_label="a")
        assert profile.classes[profile.predicted_class].tolist() == ["a", "b", "b"]
        assert profile.correct.tolist() == [True, True, False]
        assert profile.confidence.tolist() == [0.75, 0.75, 0.75]
        assert profile.proba.tolist() == [[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]]
        assert cf1_score(["a", "b"], [0.75, 0.25], pos_label="a") == pytest.approx(2 * 0.75 / (1 + 1))

    @pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, *([pl.Series] if pl else [])])
    def test_any_container_will_do(self, container):
        profile = from_predictions(container([0, 1, 1]), container([0.25, 0.75, 0.125]))
        assert profile.confidence.tolist() == [0.75, 0.75, 0.875]
        assert profile.correct.tolist() == [True, True, False]

    @pytest.mark.parametrize("dtype", [np.float16, np.float32])
    def test_the_other_class_is_computed_in_float64(self, dtype):
        small = np.array([1e-7, 0.75], dtype=dtype)  # in float16 and float32, 1 − 1e-7 is 1 or far off
        profile = from_predictions([0, 1], small)
        assert profile.confidence[0] == 1 - float(small[0]) < 1
        assert profile.proba.dtype == np.float64
        assert profile.proba[0].tolist() == [1 - float(small[0]), float(small[0])]

    @pytest.mark.parametrize("y_pred", [None, ["b", "b"]])
    def test_labels_let_a_fold_hold_a_single_class(self, y_pred):
        profile = from_predictions(["b", "b"], [0.25, 0.75], labels=["a", "b"], y_pred=y_pred)
        assert profile.correct.tolist() == ([False, True] if y_pred is None else [True, True])
        assert profile.confidence.tolist() == ([0.75, 0.75] if y_pred is None else [0.25, 0.75])


class TestPrediction:
    @pytest.mark.parametrize("labels", [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]])
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_a_tie_goes_to_the_first_column(self, labels, dtype):
        proba = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [1 / 3] * 3], dtype=dtype)
        profile = from_predictions(["a"] * 4, proba, labels=labels)
        assert profile.classes[profile.predicted_class].tolist() == [labels[0], labels[1], labels[0], labels[0]]

    @pytest.mark.parametrize("labels", [[0, 1], [1, 0]])
    @pytest.mark.parametrize("pos_label", [0, 1])
    def test_a_tie_of_two_goes_to_the_first_label_whatever_is_positive(self, labels, pos_label):
        for proba in ([0.5], [[0.5, 0.5]]):
            profile = from_predictions([0], proba, labels=labels, pos_label=pos_label)
            assert profile.predicted_class.tolist() == [0]

    def test_unsorted_labels_name_the_columns(self):
        order = [2, 0, 1]
        labels = np.array(["a", "b", "c"])[order]
        profile = from_predictions(Y3, np.array(P3)[:, order], labels=labels)
        assert profile.classes.tolist() == ["c", "a", "b"]
        assert profile.classes[profile.true_class].tolist() == Y3
        # The ties of rows 2 (a, c) and 4 (a, b) go by the order of the labels.
        assert profile.classes[profile.predicted_class].tolist() == ["b", "a", "c", "c", "a", "c"]
        assert profile.confidence.tolist() == CONFIDENCE

    def test_confidence_is_that_of_a_given_prediction(self):
        y_pred = ["a", "b", "c", "a", "b", "c"]
        profile = from_predictions(Y3, P3, y_pred=y_pred)
        assert profile.confidence.tolist() == [0.25, 0.125, 0.5, 0.0, 0.375, 0.5]
        assert profile.correct.tolist() == [t == p for t, p in zip(Y3, y_pred, strict=True)]
        assert profile.classes[profile.predicted_class].tolist() == y_pred

    @pytest.mark.parametrize(
        "y_pred",
        [
            pd.Series([1, 0], dtype="Int64"),
            pd.Categorical([1, 0]),
            np.array([[1], [0]]),
            [1.0, 0.0],
            [True, False],
            np.array([1, 0], dtype=object),
        ],
    )
    def test_a_given_prediction_may_be_of_another_type_than_the_truth(self, y_pred):
        assert from_predictions(np.array([1, 1]), [0.75, 0.75], labels=[0, 1], y_pred=y_pred).correct.tolist() == [1, 0]

    def test_labels_need_not_all_occur(self):
        profile = from_predictions(["c", "c"], [[0.5, 0.25, 0.25], [0, 0, 1]], labels=["a", "b", "c"])
        assert profile.correct.tolist() == [False, True]
        assert profile.true_class.tolist() == [2, 2]

    @pytest.mark.parametrize(("labels", "expected"), [(None, 1), (["b", "a"], 1)])
    def test_the_second_label_of_two_is_positive(self, labels, expected):
        assert from_predictions(["a", "b"], [[1.0, 0.0], [0.0, 1.0]], labels=labels).positive_class == expected

    def test_of_three_classes_none_is_positive_until_one_is_named(self):
        assert from_predictions(Y3, P3).positive_class is None
        assert from_predictions(Y3, P3, pos_label="c").positive_class == 2


class TestScore:
    def test_the_score_is_the_confidence_unless_another_is_given(self):
        assert from_predictions(Y3, P3).ranks_by_confidence
        profile = from_predictions(Y3, P3, score=[1, 2, 3, 4, 5, 6], threshold=0.25)
        assert not profile.ranks_by_confidence
        assert profile.score.tolist() == [1, 2, 3, 4, 5, 6]
        assert profile.confidence.tolist() == CONFIDENCE
        assert profile.threshold == 0.25

    @pytest.mark.parametrize("make", [list, np.array, lambda c: np.array(c, np.float32), pd.Series])
    def test_a_score_equal_to_the_confidence_is_the_confidence(self, make):
        assert from_predictions(Y3, P3, score=make(CONFIDENCE)).ranks_by_confidence
        assert from_correctness(CORRECT, CONFIDENCE, score=make(CONFIDENCE)).ranks_by_confidence
        assert not from_predictions(Y3, P3, score=make([*CONFIDENCE[:-1], 0.501953125])).ranks_by_confidence

    @pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
    def test_copies_keep_it(self, twin):
        assert same(twin(from_predictions(Y3, P3)), from_predictions(Y3, P3))
        other = from_predictions(Y3, P3, score=np.arange(6), sample_weight=np.arange(6))
        assert same(twin(other), other)
        calibrated_size_ratio(other)  # which keeps what it computes
        assert calibrated_size_ratio(twin(other)) == calibrated_size_ratio(other)


PLAIN = {"y_true": [0, 1, 1], "y_proba": [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]}

#: What goes wrong: the arguments that replace those of PLAIN, and what the message must say, in this order.
ERRORS = {
    "NaN": (
        {"y_proba": [[0.9, 0.1], [0.2, np.nan], [1, 0]]},
        r"y_proba has NaN, .*row 1, column 1\. Leave out .*abstained",
    ),
    "NaN in a column": ({"y_proba": [0.1, 0.2, np.nan]}, r"y_proba has NaN, .*row 2\. Leave out rows"),
    "infinity": ({"y_proba": [0.1, np.inf, 0.2]}, r"y_proba has inf, outside \[0, 1\], in row 1\. Pass probabilities"),
    "too large": (
        {"y_proba": [[1, 0], [0, 1], [-0.5, 1.5]]},
        r"y_proba has -0.5, outside \[0, 1\], in row 2, column 0",
    ),
    "percent": (
        {"y_proba": [10.0, 20.0, 30.0]},
        r"y_proba has 10.0, outside \[0, 1\], in row 0\. If the numbers are percentages, divide them by 100",
    ),
    "logits": (
        {"y_proba": [[10.0, -20.0], [3.0, 4.0], [1, 0]]},
        r"outside \[0, 1\], in row 0, column 0\. .*not scores or logits",
    ),
    "pd.NA": (
        {"y_proba": pd.DataFrame([[0.9, 0.1], [None, 0.8], [1, 0]], dtype="Float64")},
        r"y_proba .*(NA|NaN).* Pass .*predict_proba",
    ),
    "words": (
        {"y_proba": ["low", "high", "low"]},
        r"y_proba could not be read as .*numbers: .*'low'.* Pass .*predict_proba",
    ),
    "ragged": (
        {"y_proba": [[0.9, 0.1], [1.0], [1, 0]]},
        r"y_proba could not be read as .*numbers.* Pass predict_proba's",
    ),
    "no array": ({"y_proba": {"a": 1}}, r"y_proba could not be read as .*numbers.* Pass predict_proba's output"),
    "None": ({"y_proba": None}, r"y_proba must have shape \(n_samples,\) or \(n_samples, n_classes\), not \(\)"),
    "3-D": ({"y_proba": np.zeros((3, 2, 2))}, r"y_proba must have shape .*\(n_samples, n_classes\), not \(3, 2, 2\)"),
    "sparse matrix": ({"y_proba": sparse.csr_matrix([[1, 0]])}, r"y_proba is a sparse matrix\. Pass .*toarray\(\)"),
    "sparse array": ({"y_proba": sparse.coo_array([[1, 0]])}, r"y_proba is a sparse matrix\. Pass .*toarray\(\)"),
    "no rows": ({"y_true": [], "y_proba": []}, "y_proba has no rows; .* at least one sample"),
    "no rows of two": ({"y_true": [], "y_proba": np.empty((0, 2))}, "y_proba has no rows; .* at least one sample"),
    "a column vector": (
        {"y_proba": [[0.1], [0.8], [0.4]]},
        r"y_proba .*(\(n, 1\)|\(3, 1\)|one column).*(ravel|\[:, 0\])",
    ),
    "longer": ({"y_true": [0, 1, 1, 0]}, "y_true has 4 rows, but there are 3 predictions"),
    "shorter": ({"y_true": [0, 1]}, "y_true has 2 rows, but there are 3 predictions"),
    "empty": ({"y_true": []}, "y_true is empty; at least one sample"),
    "multi-output": ({"y_true": [[0, 1], [1, 0], [1, 1]]}, r"y_true .*\(3, 2\)\. Multi-output .*one column at a time"),
    "missing": ({"y_true": [0, None, 1]}, "y_true has a missing label in row 1. Drop or fill"),
    "missing NaN": ({"y_true": [0, 1, np.nan]}, "y_true has a missing label in row 2. Drop or fill"),
    "missing pd.NA": (
        {"y_true": pd.Series([None, 1, 0], dtype="Int64")},
        "y_true has a missing label in row 0. Drop or fill",
    ),
    "missing among strings": ({"y_true": ["a", "b", np.nan]}, "y_true has a missing label in row 2. Drop or fill"),
    "mixed": (
        {"y_true": np.array([0, "a", 0], dtype=object)},
        r"y_true mixes labels .*\(int, str\)\. Convert them to one type",
    ),
    "unknown": (
        {"y_true": [0, 7, 8], "labels": [0, 1]},
        r"y_true holds \[7, 8\] \(first in row 1\), not among the labels \[0, 1\]",
    ),
    "of another type": (
        {"y_true": ["0", "1", "1"], "labels": [0, 1]},
        r"y_true holds \['0', '1'\] \(first in row 0\), not among the labels \[0, 1\]",
    ),
    "labels needed": (
        {"y_true": [1, 1, 1]},
        r"y_proba describes 2 classes, but y_true holds 1 .*\(\[1\]\)\. Pass labels=\[\.\.\.\].*classes_",
    ),
    "labels needed, single column": (
        {"y_true": [1, 1, 1], "y_proba": [0.1, 0.5, 0.2]},
        r"y_proba describes 2 classes, but y_true holds 1 .*\(\[1\]\)\. Pass labels=\[\.\.\.\].*classes_",
    ),
    "more labels than columns": (
        {"y_true": [0, 1, 2]},
        r"y_proba describes 2 classes, but y_true holds 3 .*\(\[0, 1, 2\]\)\. Pass labels=",
    ),
    "too few labels": (
        {"labels": [0]},
        "labels holds 1 labels, but y_proba has 2 columns. Pass one label for each col",
    ),
    "too many labels": (
        {"labels": [0, 1, 2]},
        "labels holds 3 labels, but y_proba has 2 columns. Pass one label for e",
    ),
    "duplicate labels": ({"labels": [1, 1]}, r"labels must be distinct, but got \[1, 1\]"),
    "a matrix of labels": ({"labels": [[0, 1]]}, r"labels must be one-dimensional, but has shape \(1, 2\)"),
    "pos_label": ({"pos_label": "yes"}, r"pos_label='yes' is not among the labels \[0, 1\]"),
    "y_pred length": ({"y_pred": [0, 1]}, "y_pred has 2 rows, but there are 3 predictions"),
    "y_pred missing": ({"y_pred": [0, np.nan, 1]}, "y_pred has a missing label in row 1"),
    "y_pred of scores": ({"y_pred": PLAIN["y_proba"]}, r"y_pred must be a single column of labels, .*\(3, 2\)"),
    "reject label": (
        {"y_pred": [0, -1, 1]},
        r"y_pred holds \[-1\] \(first in row 1\), not among the labels \[0, 1\]\. .*reject.* pass the classes",
    ),
    "negative weight": ({"sample_weight": [1, 1, -2]}, "sample_weight is -2.0 in row 2; .*not be negative"),
    "NaN weight": ({"sample_weight": [1, np.nan, 2]}, "sample_weight is nan in row 1; .*must be finite"),
    "infinite weight": ({"sample_weight": [np.inf, 1, 2]}, "sample_weight is inf in row 0; .*must be finite"),
    "no weight": (
        {"sample_weight": [0, 0, 0]},
        "sample_weight is zero for all samples. At least one .*positive weight",
    ),
    "weight length": ({"sample_weight": [1, 1]}, "sample_weight has 2 rows, but there are 3 predictions"),
    "weight words": ({"sample_weight": "balanced"}, "sample_weight could not be read as numbers: .*'balanced'"),
    "weight matrix": ({"sample_weight": np.ones((3, 2))}, r"sample_weight must be one-dimensional, .*\(3, 2\)"),
    "score length": ({"score": [1, 1]}, "score has 2 rows, but there are 3 predictions"),
    "NaN score": ({"score": [1, np.nan, 1]}, "score is nan in row 1; it must be finite"),
}


class TestErrors:
    @pytest.mark.parametrize(("changed", "message"), ERRORS.values(), ids=ERRORS)
    def test_the_message_names_the_argument_what_was_found_and_the_remedy(self, changed, message):
        from_predictions(**PLAIN)
        with pytest.raises(ValueError, match=message):
            from_predictions(**PLAIN | changed)

    @pytest.mark.parametrize("n_columns", [1, 2, 30])
    @pytest.mark.parametrize("bad", [np.nan, 1.5, -0.5])
    def test_a_row_in_a_later_block_is_named_by_its_number(self, n_columns, bad):
        row = BLOCK + 4
        proba = np.full((BLOCK + 9, n_columns), 1 / max(n_columns, 2))
        proba[row, -1] = bad
        proba, where = (proba[:, 0], "") if n_columns == 1 else (proba, f", column {n_columns - 1}")
        labels = range(max(n_columns, 2))
        with pytest.raises(ValueError, match=rf"y_proba has .*in row {row}{where}\."):
            from_predictions(np.zeros(len(proba)), proba, labels=labels)

    def test_confidence_in_a_later_block_is_checked(self):
        sure = np.full(BLOCK + 9, 0.5)
        sure[-2] = 1.5
        with pytest.raises(ValueError, match=rf"confidence is 1.5 in row {BLOCK + 7}; it must lie in \[0, 1\]"):
            from_correctness(np.ones(len(sure)), sure)


class TestRowSums:
    def test_rows_that_do_not_sum_to_one_are_one_warning_that_names_the_first(self):
        proba = np.full((BLOCK * 2, 2), 0.5)
        proba[[7, BLOCK + 3]] = [[0.25, 0.5], [0.125, 0.5]]
        with pytest.warns(UserWarning, match="sum to 1; row 7 of y_proba sums to 0.75. Pass prob") as caught:
            profile = from_predictions(np.arange(len(proba)) % 2, proba)
        assert len(caught) == 1
        assert profile.confidence[7] == 0.5  # and the values stand

    def test_a_row_of_a_later_block_is_found(self):
        proba = np.full((BLOCK + 9, 4), 0.25, dtype=np.float32)
        proba[BLOCK + 5] = 0.125
        with pytest.warns(UserWarning, match=f"row {BLOCK + 5} of y_proba sums to 0.5"):
            from_predictions(np.arange(len(proba)) % 4, proba)

    @pytest.mark.parametrize("decimals", [2, 3, 4, 5, 6])
    def test_entries_with_few_decimals_are_no_reason_to_warn_but_scores_are(self, decimals):
        proba = draw_proba(500, 7).round(decimals)
        assert np.abs(proba.sum(axis=1) - 1).max() > 5e-7
        from_predictions(np.arange(500) % 7, proba)
        proba[3, 0] += 10 * 10.0**-decimals
        with pytest.warns(UserWarning, match="row 3 of y_proba sums to"):
            from_predictions(np.arange(500) % 7, proba)

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_rounding_is_no_reason_to_warn(self, dtype):
        scores = np.random.default_rng(0).exponential(size=(500, 100))
        proba = (scores / scores.sum(axis=1, keepdims=True)).astype(dtype)
        from_predictions(np.arange(500) % 100, proba)

    def test_rounding_of_float32_is_none_after_a_cast_to_float64(self):
        # What a list, a float64 data frame or `.astype(float)` makes of a network's or XGBoost's output.
        scores = np.random.default_rng(0).exponential(size=(500, 10)).astype(np.float32)
        proba = scores / scores.sum(axis=1, keepdims=True)
        from_predictions(np.arange(500) % 10, proba.tolist())

    @pytest.mark.parametrize("off", [0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 5e-8, 1e-8])
    def test_a_warning_never_complains_of_a_sum_of_one(self, off):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            from_predictions([0, 1], [[0.5, 0.5], [1 / 3, 2 / 3 - off]])
        shown = [float(str(w.message).split("sums to ")[1].split(". ")[0]) for w in caught]
        assert shown == [pytest.approx(1 - off, abs=off / 2)] * len(caught)
        assert caught or off < 1e-5

    def test_a_single_column_has_no_sum(self):
        from_predictions([0, 1], [0.25, 0.25])


class TestBlocks:
    @pytest.fixture(params=[1, 2, 3, 17])
    def big(self, request):
        """More rows than a block holds, with ties, and weights."""
        rng, k = np.random.default_rng(0), max(request.param, 2)
        n = BLOCK + 1_234
        rows = rng.integers(1, 4, size=(n, k)).astype(float)
        proba = rows / rows.sum(axis=1, keepdims=True)
        y_true = rng.integers(0, k, size=n)
        y_pred = rng.integers(0, k, size=n) if k == 3 else None
        column = proba[:, 1].copy() if request.param == 1 else proba
        return y_true, column, proba, {"y_pred": y_pred, "labels": range(k), "sample_weight": rng.random(n)}

    def test_values_across_block_borders_are_those_of_the_whole(self, big):
        y_true, given_proba, proba, rest = big
        profile = from_predictions(y_true, given_proba, **rest)
        expected = proba.argmax(axis=1) if rest["y_pred"] is None else rest["y_pred"]
        np.testing.assert_array_equal(profile.predicted_class, expected)
        np.testing.assert_allclose(profile.confidence, proba[np.arange(len(proba)), expected], rtol=1e-15)
        np.testing.assert_array_equal(profile.correct, expected == y_true)

    def test_small_blocks_give_the_same(self, big, monkeypatch):
        y_true, given_proba, _, rest = big
        profile = from_predictions(y_true, given_proba, **rest)
        value = cw_accuracy_score(profile)
        cut_into_blocks(monkeypatch, 999)
        again = from_predictions(y_true, given_proba, **rest)
        assert same(again, profile)
        assert len(list(again.blocks())) == -(-len(profile) // 999)
        assert cw_accuracy_score(again) == pytest.approx(value, rel=1e-12)

    def test_blocks_cover_all_rows_once_and_in_order(self, big):
        y_true, given_proba, _, rest = big
        profile = from_predictions(y_true, given_proba, **rest)
        blocks = list(profile.blocks())
        assert len(blocks) > 1
        np.testing.assert_array_equal(
            np.concatenate([np.arange(len(y_true))[rows] for rows, _ in blocks]), np.arange(len(y_true))
        )
        for name in ("confidence", "correct", "true_class", "predicted_class", "sample_weight"):
            parts = [getattr(block, name) for _, block in blocks]
            np.testing.assert_array_equal(np.concatenate(parts), getattr(profile, name))
        assert all(block.ranks_by_confidence and len(block) == rows.stop - rows.start for rows, block in blocks)

    @pytest.mark.parametrize("n_rows", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
    def test_no_block_is_empty(self, n_rows):
        lengths = [len(block) for _, block in from_correctness(np.ones(n_rows), np.ones(n_rows)).blocks()]
        assert sum(lengths) == n_rows
        assert min(lengths) > 0


class TestSlices:
    @pytest.fixture(params=["predictions", "single column", "other score", "correctness"])
    def profile(self, request):
        weight = [1, 2, 3, 4, 5, 6]
        if request.param == "correctness":
            return from_correctness(CORRECT, CONFIDENCE, sample_weight=weight)
        if request.param == "single column":
            return from_predictions(np.array(CORRECT) * 1, CONFIDENCE, pos_label=0, sample_weight=weight)
        score = weight if request.param == "other score" else None
        return from_predictions(Y3, P3, sample_weight=weight, score=score, threshold=0.5)

    @pytest.mark.parametrize(
        "rows",
        [
            slice(1, 4),
            slice(None, None, -2),
            np.array([5, 0, 0]),
            [4, 2],
            np.array(CORRECT),
            CORRECT,
            pd.Series(CORRECT),
            np.array([True] * 6),
        ],
        ids=["slice", "step", "index", "list", "mask", "list of booleans", "Series", "everything"],
    )
    def test_rows_keep_all_their_values(self, profile, rows):
        some, index = profile[rows], np.arange(6)[rows]
        assert len(some) == some.n_samples == len(index)
        for name in ("correct", "confidence", "score", "sample_weight", "true_class", "predicted_class"):
            whole = getattr(profile, name)
            if whole is not None:
                np.testing.assert_array_equal(getattr(some, name), whole[index], err_msg=name)
        assert some.ranks_by_confidence == profile.ranks_by_confidence
        assert (some.positive_class, some.threshold) == (profile.positive_class, profile.threshold)
        assert some.n_classes == profile.n_classes
        if profile.classes is not None:
            np.testing.assert_array_equal(some.proba, profile.proba[index])
            assert some.classes.tolist() == profile.classes.tolist()

    def test_a_slice_is_a_view_and_an_index_a_copy(self, profile):
        assert np.shares_memory(profile[2:5].confidence, profile.confidence)
        assert not np.shares_memory(profile[np.array([2, 3])].confidence, profile.confidence)

    def test_a_slice_has_a_ranking_of_its_own(self, profile):
        assert profile.ranking.total_weight == 21
        assert profile[:2].ranking.total_weight == 3

    def test_as_many_rows_as_classes_are_still_rows(self):
        profile = from_predictions(["a", "b"], [[1, 0], [0.25, 0.75]])
        assert profile[[1]].classes.tolist() == ["a", "b"]

    def test_a_single_number_is_refused_or_one_row(self):
        try:
            row = from_predictions(Y3, P3)[2]
        except (TypeError, IndexError):
            return
        assert len(row) == 1

    @pytest.mark.parametrize("metric", [cw_accuracy_score, aurc_loss])
    def test_no_rows_have_no_metric_and_say_so(self, metric):
        with pytest.raises(ValueError, match="at least one sample"):
            metric(from_predictions(Y3, P3)[:0])


class TestRepr:
    def test_it_tells_the_size_the_classes_and_whether_there_are_weights(self):
        assert repr(from_predictions(Y3, P3)) == "ConfidenceProfile(n_samples=6, n_classes=3)"
        weighted = from_predictions([0, 1], [0.1, 0.2], sample_weight=[1, 2])
        assert repr(weighted) == "ConfidenceProfile(n_samples=2, n_classes=2, weighted)"
        assert repr(from_correctness([1], [0.5])) == "ConfidenceProfile(n_samples=1)"

    def test_profiles_are_not_to_be_changed(self):
        with pytest.raises(AttributeError):
            from_predictions(Y3, P3).confidence = np.ones(6)


class TestFromCorrectness:
    @pytest.mark.parametrize(
        "correct",
        [
            [True, False, True],
            [1, 0, 1],
            [1.0, 0.0, 1.0],
            np.array([True, False, True], dtype=object),
            pd.Series([True, False, True], dtype="boolean"),
            pd.Series([1, 0, 1], dtype="Int64", index=[2, 1, 0]),
            *([pl.Series([True, False, True])] if pl else []),
        ],
    )
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_booleans_or_zeros_and_ones_of_any_type(self, correct, dtype):
        profile = from_correctness(correct, np.array([0.25, 0, 1], dtype=dtype))
        assert profile.correct.tolist() == [True, False, True]
        assert profile.confidence.tolist() == [0.25, 0, 1]
        assert profile.confidence.dtype == np.float64
        assert profile.ranks_by_confidence
        assert (profile.n_classes, profile.classes, profile.threshold) == (None, None, None)

    def test_it_gives_the_same_metric_as_predictions_do(self):
        weight = [1, 2, 3, 4, 5, 6]
        expected = sum(w * c * z for w, c, z in zip(weight, CONFIDENCE, CORRECT, strict=True))
        expected /= sum(w * c for w, c in zip(weight, CONFIDENCE, strict=True))
        for profile in (
            from_correctness(CORRECT, CONFIDENCE, sample_weight=weight),
            from_predictions(Y3, P3, sample_weight=weight),
        ):
            assert cw_accuracy_score(profile) == pytest.approx(expected, rel=1e-14)

    def test_rounding_of_float32_above_one_is_clipped_as_in_from_predictions(self):
        above = np.nextafter(np.float32([1, 0.5]), np.float32(2))
        assert from_predictions([1, 1], above, labels=[0, 1]).confidence[0] == 1
        assert from_correctness([1, 1], above).confidence[0] == 1

    @pytest.mark.parametrize("what", ["proba", "true_class", "predicted_class"])
    def test_what_needs_classes_says_so(self, what):
        profile = from_correctness([1, 0], [0.5, 0.5])
        with pytest.raises(ValueError, match=r"built from correctness only\. Use ConfidenceProfile.from_predictions"):
            profile.proba if what == "proba" else profile.require(what)

    def test_a_positive_class_is_asked_for_where_there_are_many(self):
        with pytest.raises(ValueError, match=r"3 classes, but no positive class\. Pass pos_label, or average="):
            from_predictions(Y3, P3).require("positive_class")

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"correct": [1, 0, 1.5]}, r"correct is 1.5 in row 2; it must lie in \[0, 1\]"),
            ({"correct": [1, -1, 0]}, r"correct is -1.0 in row 1; it must lie in \[0, 1\]"),
            ({"correct": [1, np.nan, 0]}, "correct is nan in row 1; it must be finite"),
            ({"correct": pd.Series([True, None, False], dtype="boolean")}, "correct .*(NA|nan)"),
            ({"correct": ["right", "wrong", "right"]}, "correct could not be read as numbers: .*'right'"),
            (
                {"confidence": ["high", "low", "high"]},
                "'high'.*If it holds words, use grades to give each word a number",
            ),
            ({"correct": [1, 0]}, "correct has 2 rows, but there are 3"),
            ({"correct": [[1], [0], [1]]}, r"correct must be one-dimensional, but has shape \(3, 1\)"),
            ({"confidence": [0.5, 1.25, 1]}, r"confidence is 1.25 in row 1; it must lie in \[0, 1\]"),
            ({"confidence": [0.5, 1, -0.25]}, r"confidence is -0.25 in row 2; it must lie in \[0, 1\]"),
            ({"confidence": [np.nan, 1, 1]}, "confidence is nan in row 0; it must be finite"),
            ({"confidence": [[0.5, 0.5]] * 3}, r"confidence must be one-dimensional, but has shape \(3, 2\)"),
            ({"confidence": 0.5}, r"confidence must be one-dimensional, but has shape \(\)"),
            ({"correct": [], "confidence": []}, "confidence is empty; .*at least one sample"),
            ({"sample_weight": [1, 1, -1]}, "sample_weight is -1.0 in row 2; weights must not be negative"),
            ({"sample_weight": [0, 0, 0]}, "sample_weight is zero for all samples. At least one"),
            ({"sample_weight": [1]}, "sample_weight has 1 row, but there are 3"),
            ({"score": [1, 2]}, "score has 2 rows, but there are 3"),
        ],
    )
    def test_errors_name_the_argument_and_what_was_found(self, changed, message):
        plain = {"correct": [1, 0, 1], "confidence": [0.5, 0.25, 0.75]}
        from_correctness(**plain)
        with pytest.raises(ValueError, match=message):
            from_correctness(**plain | changed)


N = 90
RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {"age": RNG.normal(50, 20, N), "size": RNG.normal(0, 0.1, N), "city": np.array(["A", "B", "C"])[np.arange(N) % 3]}
)
Y = np.array(["yes", "maybe", "no"])[
    np.digitize(X["age"] / 20 + (X["city"] == "B") + RNG.normal(0, 0.7, N), [2.2, 3.2])
]


def preprocess():
    return make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), ["age", "size"]))


def logistic():
    return make_pipeline(preprocess(), LogisticRegression())


class Lopsided(ClassifierMixin, BaseEstimator):
    """Part of every probability moved to the first class, so that calibration changes predictions."""

    answers: ClassVar[list] = []

    def __init__(self, estimator=None):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X):
        proba = 0.75 * self.estimator_.predict_proba(X)
        proba[:, 0] += 0.25
        Lopsided.answers.append(proba)
        return proba


def wrapped(selective):
    """The same selective classifier inside pipelines and searches, each fitted."""
    scaled = Pipeline([("first", preprocess()), ("second", StandardScaler()), ("last", clone(selective))])
    grid = {"last__threshold": [0.625]}
    return {
        "pipeline": scaled,
        "pipeline of one": Pipeline([("last", make_pipeline(preprocess(), clone(selective)))]),
        "nested pipelines": make_pipeline(preprocess(), make_pipeline("passthrough", clone(selective))),
        "search": make_pipeline(preprocess(), GridSearchCV(clone(selective), {"threshold": [0.625]}, cv=2)),
        "search of a pipeline": GridSearchCV(scaled, grid, cv=2),
        "search of a search": GridSearchCV(
            GridSearchCV(scaled, grid, cv=2), {"estimator__last__keep_prediction": [selective.keep_prediction]}, cv=2
        ),
        "pipeline inside": clone(selective).set_params(estimator=make_pipeline(preprocess(), selective.estimator)),
    }


X2 = X[["age", "size"]].to_numpy()
#: What scikit-learn 1.9 wants to be told.
NEW = "use_legacy_attributes" in signature(LogisticRegressionCV).parameters
NO_WARNINGS = {"l1_ratios": (0.0,), "use_legacy_attributes": False} if NEW else {}
NESTS = list(wrapped(SelectiveClassifier(LogisticRegression())))


class TestFromEstimator:
    @pytest.mark.parametrize(
        "make",
        [
            logistic,
            lambda: GridSearchCV(logistic(), {"logisticregression__C": [0.5, 1]}, cv=2),
            lambda: make_pipeline("passthrough", logistic()),
            lambda: FrozenEstimator(logistic().fit(X, Y)),
            lambda: SelectiveClassifier(logistic()),
        ],
        ids=["pipeline", "search", "nested pipeline", "frozen", "selective"],
    )
    def test_it_is_what_predict_proba_and_classes_give(self, make):
        model = make().fit(X[:60], Y[:60])
        proba = model.predict_proba(X[60:])
        predicted, confidence, correct = by_loops(Y[60:], proba, ["maybe", "no", "yes"])
        for container in (np.array, list, pd.Series, pd.Categorical, lambda y: np.array(y)[:, np.newaxis]):
            profile = from_estimator(model, X[60:], container(Y[60:]), sample_weight=np.arange(30))
            assert profile.classes.tolist() == ["maybe", "no", "yes"]
            assert profile.predicted_class.tolist() == predicted
            assert profile.confidence.tolist() == confidence
            assert profile.correct.tolist() == correct
            assert profile.sample_weight.tolist() == list(range(30))
            assert profile.ranks_by_confidence
            assert profile.threshold == (0 if isinstance(model, SelectiveClassifier) else None)

    def test_xgboost_is_read_in_float64_from_float32(self):
        numbers = np.searchsorted(["maybe", "no", "yes"], Y)
        model = XGBClassifier(n_estimators=3, n_jobs=1).fit(X[["age", "size"]], numbers)
        profile = from_estimator(model, X[["age", "size"]], numbers)
        proba = model.predict_proba(X[["age", "size"]])
        assert proba.dtype == np.float32
        assert profile.confidence.tolist() == proba.max(axis=1).astype(float).tolist()

    @pytest.mark.parametrize("nest", NESTS)
    @pytest.mark.parametrize("keep_prediction", [False, True])
    def test_a_selective_classifier_brings_prediction_score_and_threshold_along(self, nest, keep_prediction):
        selective = SelectiveClassifier(
            Lopsided(LogisticRegression()),
            threshold=0.625,
            calibration="platt",
            confidence="entropy",
            keep_prediction=keep_prediction,
            cv=3,
        )
        model = wrapped(selective)[nest].fit(X, Y)
        Lopsided.answers.clear()
        profile = from_estimator(model, X, Y)
        (base,) = Lopsided.answers
        proba = model.predict_proba(X)
        np.testing.assert_array_equal(profile.proba, proba)
        assert profile.threshold == 0.625
        assert not profile.ranks_by_confidence
        entropy = np.array([-sum(p * np.log(p) for p in row if p > 0) for row in proba.tolist()])
        np.testing.assert_allclose(profile.score, 1 - entropy / np.log(3), atol=1e-12)
        np.testing.assert_array_equal(profile.predicted_class, (base if keep_prediction else proba).argmax(axis=1))
        assert (base.argmax(axis=1) != proba.argmax(axis=1)).any()
        np.testing.assert_array_equal(profile.confidence, proba[np.arange(N), profile.predicted_class])
        np.testing.assert_array_equal(profile.correct, profile.classes[profile.predicted_class] == Y)

    def test_a_threshold_changed_after_fit_is_the_one_that_counts(self):
        model = make_pipeline(preprocess(), SelectiveClassifier(LogisticRegression(), threshold=0.5)).fit(X, Y)
        model[-1].threshold = 0.75
        assert from_estimator(model, X, Y).threshold == 0.75

    @pytest.mark.parametrize("outer", [lambda m: m, lambda m: SelectiveClassifier(m, threshold=0.5)])
    def test_it_asks_for_probabilities_once(self, outer):
        model = outer(Lopsided(logistic())).fit(X, Y)
        Lopsided.answers.clear()
        from_estimator(model, X, Y)
        assert len(Lopsided.answers) == 1

    @pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
    @pytest.mark.parametrize("unseen", ["maybe", "no", "yes"])
    @pytest.mark.parametrize("selective", [False, True])
    def test_a_label_the_classifier_never_saw_has_probability_zero(self, unseen, selective):
        seen = unseen != Y
        model = SelectiveClassifier(logistic(), threshold=0.5) if selective else logistic()
        model.fit(X[seen], Y[seen])
        profile = from_estimator(model, X, Y)
        assert sorted(profile.classes.tolist()) == ["maybe", "no", "yes"]
        for label, column in zip(profile.classes, profile.proba.T, strict=True):
            known = model.classes_.tolist()
            expected = np.zeros(N) if label == unseen else model.predict_proba(X)[:, known.index(label)]
            np.testing.assert_array_equal(column, expected)
        np.testing.assert_array_equal(profile.confidence, model.predict_proba(X).max(axis=1))
        np.testing.assert_array_equal(profile.correct, model.classes_[model.predict_proba(X).argmax(axis=1)] == Y)
        assert not profile.correct[~seen].any()

    @pytest.mark.filterwarnings("ignore:y holds labels on which the classifier was not trained")
    @pytest.mark.parametrize("trained_on", [0, 1])
    def test_of_two_labels_the_second_stays_positive_though_the_classifier_saw_one(self, trained_on):
        y = np.array([0, 1, 1])
        profile = from_estimator(DummyClassifier().fit(np.zeros((3, 1)), [trained_on] * 3), np.zeros((3, 1)), y)
        assert profile.classes[profile.positive_class] == 1
        assert profile.correct.tolist() == (y == trained_on).tolist()

    @pytest.mark.parametrize(
        "make",
        [
            lambda: LogisticRegressionCV(Cs=[1.0], cv=2, refit=False, scoring="accuracy", **NO_WARNINGS),
            lambda: TunedThresholdClassifierCV(LogisticRegression(), cv=0.5, refit=False, random_state=0),
            lambda: TunedThresholdClassifierCV(LogisticRegression(), cv=2, store_cv_results=True),
            lambda: RFECV(LogisticRegression(), cv=2),
        ],
        ids=["LogisticRegressionCV", "TunedThresholdClassifierCV", "TunedThresholdClassifierCV with results", "RFECV"],
    )
    def test_what_looks_like_a_search_and_gives_probabilities_is_asked_for_them(self, make):
        model = make().fit(X2, Y == "yes")
        np.testing.assert_array_equal(from_estimator(model, X2, Y == "yes").proba, model.predict_proba(X2))

    def test_booleans_and_numbers_are_the_same_labels(self):
        binary = Y == "yes"
        model = logistic().fit(X, binary)
        assert from_estimator(model, X, binary.astype(int)).classes.tolist() == [False, True]
        assert same(from_estimator(model, X, binary), from_estimator(model, X, binary.astype(float)))

    def test_a_single_class_in_the_test_data_is_no_matter(self):
        model = logistic().fit(X, Y)
        profile = from_estimator(model, X, np.full(N, "yes"))
        assert profile.classes.tolist() == ["maybe", "no", "yes"]
        assert profile.correct.mean() == (model.predict(X) == "yes").mean()


TWO = np.c_[Y == "yes", Y == "no"]


class TestFromEstimatorErrors:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (LinearSVC, "LinearSVC has no predict_proba.*CalibratedClassifierCV"),
            (LinearRegression, "LinearRegression has no predict_proba.*If it is a regressor"),
            (lambda: make_pipeline(StandardScaler(), LinearSVC()), "has no predict_proba.*CalibratedClassifierCV"),
            (lambda: make_pipeline(StandardScaler(), "passthrough"), "Pipeline has no predict_proba"),
            (lambda: GridSearchCV(LogisticRegression(), {"C": [1]}, cv=2, refit=False), "GridSearchCV .*refit"),
            (lambda: GaussianMixture(2), "GaussianMixture .*(classes_|classifier)"),
        ],
        ids=["no probabilities", "regressor", "pipeline", "transformers only", "search without refit", "clustering"],
    )
    def test_what_has_no_class_probabilities_is_refused_with_advice(self, make, message):
        model = make().fit(X2, np.arange(N) % 2)
        with pytest.raises(TypeError, match=message):
            from_estimator(model, X2, np.arange(N) % 2)

    @pytest.mark.parametrize("make", [KNeighborsClassifier, lambda: MultiOutputClassifier(LogisticRegression())])
    @pytest.mark.parametrize("y", [TWO, TWO[:, 0]])
    def test_several_outputs_are_to_be_evaluated_one_at_a_time(self, make, y):
        with pytest.raises(ValueError, match=r"predicts several outputs\. Evaluate each output separately"):
            from_estimator(make().fit(X2, TWO), X2, y)

    def test_several_true_columns_are_refused_under_their_own_name(self):
        model = LogisticRegression().fit(X2, Y)
        with pytest.raises(ValueError, match=r"^y must be a single column of labels, but has shape \(90, 2\)"):
            from_estimator(model, X2, TWO)

    @pytest.mark.parametrize(
        ("classes", "y"),
        [
            ([0, 1], ["no", "yes"]),
            ([0, 1], ["0", "1"]),
            ([False, True], ["False", "True"]),
            (["no", "yes"], [0, 1]),
            ([0, 1], np.array([0, "yes"], dtype=object)),
        ],
        ids=["numbers, words", "numbers, digits", "booleans, words", "words, numbers", "numbers, mixed"],
    )
    @pytest.mark.parametrize("selective", [False, True])
    def test_true_labels_of_another_kind_than_the_classes_are_an_error_not_an_accuracy_of_zero(
        self, classes, y, selective
    ):
        # XGBoost wants numbers: it is easily evaluated on the strings they stand for.
        model = DummyClassifier(strategy="prior")
        model = SelectiveClassifier(model) if selective else model
        model.fit(np.zeros((4, 1)), np.array(classes * 2))
        with pytest.raises((TypeError, ValueError), match=r"\by\b.*(str|int|bool|type)"):
            from_estimator(model, np.zeros((2, 1)), y)

    def test_a_missing_or_overlong_truth_is_named(self):
        model = LogisticRegression().fit(X2, Y == "yes")
        with pytest.raises(ValueError, match="y has a missing label in row 1"):
            from_estimator(model, X2[:2], [0, None])
        with pytest.raises(ValueError, match="has 3 rows, but there are 2 predictions"):
            from_estimator(model, X2[:2], [0, 1, 1])
        with pytest.raises(ValueError, match="sample_weight has 3 rows, but there are 2"):
            from_estimator(model, X2[:2], [0, 1], sample_weight=[1, 2, 3])
        with pytest.raises(ValueError, match="groups has 3 rows, but there are 2"):
            from_estimator(model, X2[:2], [0, 1], groups=[1, 2, 3])

    def test_groups_are_those_of_its_predictions(self):
        patient = np.array(["p3", "p1", "p2"])[np.arange(N) % 3]
        model = logistic().fit(X, Y)
        proba = model.predict_proba(X)
        expected = ConfidenceProfile.from_predictions(Y, proba, labels=model.classes_, groups=patient)
        np.testing.assert_array_equal(from_estimator(model, X, Y, groups=patient).groups, expected.groups)
        assert from_estimator(model, X, Y).groups is None


def test_threads_share_a_profile():
    interval = sys.getswitchinterval()
    rng = np.random.default_rng(0)
    proba, labels = rng.dirichlet(np.ones(3), 300), rng.integers(0, 3, 300)
    functions = [cw_accuracy_score, confidence_gap, confidence_brier_loss, confidence_gain]
    functions += [expected_calibration_error, calibrated_size_ratio, aurc_loss]
    expected = [function(labels, proba, labels=[0, 1, 2]) for function in functions]
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(300):
                profile = ConfidenceProfile.from_predictions(labels, proba, labels=[0, 1, 2])
                assert list(pool.map(lambda function, shared=profile: function(shared), functions)) == expected
    finally:
        sys.setswitchinterval(interval)


# --- what is seldom asked for -------------------------------------------------------------------------------------


def columns_of_positives(n_negative, n_positive=10, low=0.5):
    return [0] * n_negative + [1] * n_positive, np.linspace(low, 0.99, n_negative + n_positive)


def test_a_single_column_that_seems_to_be_the_confidence_is_told():
    with pytest.warns(UserWarning, match="never below 0.5, although 40 of 50 samples are not of the positive class"):
        ConfidenceProfile.from_predictions(*columns_of_positives(40))
    for quiet in (columns_of_positives(9), columns_of_positives(40, 9), columns_of_positives(40, low=0.49)):
        ConfidenceProfile.from_predictions(*quiet)  # too few of a class, or a column that goes below 0.5
    # 37.25 positives are promised, with a standard deviation of 2.9: four of them less are no wonder, ten are.
    ConfidenceProfile.from_predictions(*columns_of_positives(17, 33))
    with pytest.warns(UserWarning, match="never below 0.5"):
        ConfidenceProfile.from_predictions(*columns_of_positives(23, 27))


def test_costs_of_samples_are_taken_away_again():
    plain = ConfidenceProfile.from_predictions([0, 1], [0.2, 0.7], y_pred=[0, 1])
    priced = plain.with_costs([[0, 1], [5, 0]])
    assert priced.costs is not None
    assert priced.with_costs(None).costs is None
    assert plain.with_costs(None) is plain


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 3.0, 4.0]])
def test_rows_that_are_answered_and_their_share(weight):
    profile = ConfidenceProfile.from_correctness(
        [1, 0, 1, 1], [0.5, 0.6, 0.7, 0.9], abstained=[0, 1, 0, 1], sample_weight=weight
    )
    assert profile.answer_rows.tolist() == [0, 2]
    assert profile.share_answered == pytest.approx(0.5 if weight is None else 0.4)
    everything = ConfidenceProfile.from_correctness([1, 0], [0.5, 0.6])
    assert everything.answer_rows.tolist() == [0, 1]
    assert everything.share_answered == 1


def test_the_table_that_is_proposed_for_the_output_of_transformers_works():
    y_true, proba = ["yes", "no", "no"], np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    output = [
        sorted(
            ({"label": label, "score": each} for label, each in zip(["no", "yes"], row, strict=True)),
            key=lambda each: -each["score"],
        )
        for row in proba.tolist()
    ]
    with pytest.raises(ValueError, match=r"y_proba holds labels and scores\. Pass a table with a column") as found:
        ConfidenceProfile.from_predictions(y_true, output)
    code = str(found.value).partition("each label: ")[2].rstrip(".")
    table = eval(code, {"pd": pd, "y_proba": output})
    profile = ConfidenceProfile.from_predictions(y_true, table)
    np.testing.assert_allclose(profile.confidence, proba.max(axis=1))
    assert profile.correct.tolist() == [True, True, False]
