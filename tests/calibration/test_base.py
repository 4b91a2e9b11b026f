"""What holds for every calibrator; and isotonic regression, checked against a pool-adjacent-violators of our own."""

import inspect
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from _support.calibration_tasks import WEIGHTS, Says, binary_task, calibrated_by_scikit_learn, three_class_task, weights
from _support.predictions import draw_proba
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skconf import SelectiveClassifier, calibration
from skconf.calibration import (
    CALIBRATORS,
    AffineCalibrator,
    BayesianCalibrator,
    BetaCalibrator,
    ConfidenceCalibrator,
    HistogramBinningCalibrator,
    IsotonicCalibrator,
    MatrixCalibrator,
    PlattCalibrator,
    PooledCalibrator,
    QuadraticCalibrator,
    SplineCalibrator,
    TemperatureCalibrator,
    VennAbersCalibrator,
    make_calibrator,
)
from skconf.calibration._base import OneVsRestCalibrator, zero_stand_in

#: A learned confidence reads the samples, too, and has tests of its own.
CLASSES = [
    cls for cls in vars(calibration).values() if inspect.isclass(cls) and cls is not calibration.LearnedConfidence
]
MAKERS = {
    "platt": PlattCalibrator,
    "platt on proba": partial(PlattCalibrator, on="proba"),
    "isotonic": IsotonicCalibrator,
    "histogram": HistogramBinningCalibrator,
    "quantiles": partial(HistogramBinningCalibrator, strategy="quantile"),
    "quadratic": QuadraticCalibrator,
    "beta": BetaCalibrator,
    "spline": SplineCalibrator,
    "bayesian": BayesianCalibrator,
    "venn-abers": VennAbersCalibrator,
    "temperature": TemperatureCalibrator,
    "smoothed temperature": partial(TemperatureCalibrator, smoothing=1),
    "affine": AffineCalibrator,
    "matrix": MatrixCalibrator,
    "pooled": PooledCalibrator,
    "confidence": ConfidenceCalibrator,
}
ONE_AGAINST_THE_REST = [name for name, make in MAKERS.items() if isinstance(make(), OneVsRestCalibrator)]
#: Of these no class that was seen gets a probability of zero or one.
NEVER_SURE = [
    MAKERS[name]
    for name in (
        "platt",
        "quadratic",
        "beta",
        "spline",
        "bayesian",
        "venn-abers",
        "smoothed temperature",
        "matrix",
        "pooled",
    )
]


def each(names):
    names = list(names)
    return pytest.mark.parametrize("make", [MAKERS[name] for name in names], ids=names)


ALL = each(MAKERS)
#: For what is the same whether weights are learned, which takes fits on many folds.
EQUAL_POOL = partial(PooledCalibrator, weights="uniform", tail_zscore=None)
ALL_FAST = pytest.mark.parametrize("make", (MAKERS | {"pooled": EQUAL_POOL}).values(), ids=MAKERS)
BOTH = pytest.mark.parametrize("calibrator", CLASSES)

# Random tasks are at times so small that their probabilities mislead.
pytestmark = pytest.mark.filterwarnings("ignore:TemperatureCalibrator makes probabilities nearly uniform")


@ALL
@given(seed=st.integers(0, 2**32 - 1))
@example(seed=1500284)  # the last step of the spline's fit gains less than its stiff penalty rounds
@settings(max_examples=5, deadline=None)
def test_a_whole_weight_is_a_repetition(make, seed):
    rng = np.random.default_rng(seed)
    p, y = binary_task(int(rng.integers(6, 60)), seed)
    y[:4] = [True, True, False, False]
    p[:4] = [0.9, 0.2, 0.1, 0.6]  # right and wrong
    count = rng.integers(0, 4, len(p))
    count[:4] = 1
    by_weight = make().fit(p, y, count).predict_proba(p)
    by_rows = make().fit(np.repeat(p, count), np.repeat(y, count)).predict_proba(p)
    np.testing.assert_allclose(by_weight, by_rows, atol=1e-7)


@each(name for name in MAKERS if name != "platt on proba")
def test_calibrated_data_keep_their_probabilities(make):
    rng = np.random.default_rng(0)
    p = rng.random(200_000)
    y = rng.random(200_000) < p
    grid = (np.arange(15) + 0.5) / 15  # the middle of every bin
    atol = 0.03 if make in (IsotonicCalibrator, VennAbersCalibrator, PooledCalibrator) else 0.01
    np.testing.assert_allclose(make().fit(p, y).predict_proba(grid)[:, 1], grid, atol=atol)


@ALL
def test_sharpened_probabilities_are_softened_again(make):
    p, y = binary_task(20_000)
    before, after = p, make().fit(p, y).predict_proba(p)[:, 1]
    assert np.mean((after - y) ** 2) < np.mean((before - y) ** 2) - 0.01


# --- isotonic: reference ------------------------------------------------------------------------------------------


def pool_adjacent_violators(x, y, weight):
    """Return the distinct values of x and the isotonic fit at them, ties taken together."""
    values, where = np.unique(x, return_inverse=True)
    total = np.bincount(where, weights=weight)
    mean = np.bincount(where, weights=weight * y)[total > 0] / total[total > 0]
    values, total = values[total > 0], total[total > 0]
    blocks = []
    for m, w in zip(mean, total, strict=True):
        blocks.append([m, w, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (m1, w1, n1), (m2, w2, n2) = blocks.pop(-2), blocks.pop()
            blocks.append([(m1 * w1 + m2 * w2) / (w1 + w2), w1 + w2, n1 + n2])
    return values, np.repeat([block[0] for block in blocks], [block[2] for block in blocks])


@WEIGHTS
@pytest.mark.parametrize("digits", [1, 2, 16])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_isotonic_is_pool_adjacent_violators_at_the_points_it_was_fitted_on(weight, digits, seed):
    p, y = binary_task(150, seed)
    p = p.round(digits)
    given_weight = weights(weight, len(p), seed)
    w = np.ones(len(p)) if given_weight is None else given_weight
    values, expected = pool_adjacent_violators(p, y, w)
    model = IsotonicCalibrator().fit(p, y, given_weight)
    np.testing.assert_allclose(model.predict_proba(values)[:, 1], expected, atol=1e-12)
    # Beyond the outermost points the fit goes on level.
    ends = model.predict_proba([0.0, 1.0])[:, 1]
    np.testing.assert_allclose(ends, expected[[0, -1]], atol=1e-12)
    # Between two points it lies between their values.
    middle = model.predict_proba((values[1:] + values[:-1]) / 2)[:, 1]
    assert (middle >= expected[:-1] - 1e-12).all()
    assert (middle <= expected[1:] + 1e-12).all()


@pytest.mark.parametrize("weight", ["none", "real"])
def test_isotonic_is_scikit_learns(weight):
    p, y = binary_task(300)
    w = weights(weight, 300)
    expected = calibrated_by_scikit_learn(np.column_stack([1 - p, p]), y, "isotonic", w)
    np.testing.assert_allclose(IsotonicCalibrator().fit(p, y, w).predict_proba(p), expected, atol=1e-12)


def test_isotonic_of_three_classes_is_one_against_the_rest_scaled_to_sum_to_one():
    proba, y = three_class_task()
    each = []
    for k in range(3):
        values, fit = pool_adjacent_violators(proba[:, k], y == k, np.ones(len(y)))
        each.append(fit[np.searchsorted(values, proba[:, k])])
    expected = np.transpose(each) / np.sum(each, axis=0)[:, np.newaxis]
    got = IsotonicCalibrator().fit(proba, y).predict_proba(proba)
    np.testing.assert_allclose(got, expected, atol=1e-12)
    assert np.abs(np.sum(each, axis=0) - 1).max() > 0.1  # there was something to scale


@given(seed=st.integers(0, 2**32 - 1), digits=st.integers(1, 17))
@settings(max_examples=40, deadline=None)
def test_isotonic_keeps_the_order_and_the_mean(seed, digits):
    rng = np.random.default_rng(seed)
    p, y, w = rng.random(50).round(digits), rng.random(50) < 0.5, rng.exponential(1, 50)
    y[:2] = [True, False]
    got = IsotonicCalibrator().fit(p, y, w).predict_proba(p)[:, 1]
    assert (np.diff(got[np.argsort(p)]) >= 0).all()
    assert w @ got == pytest.approx(w @ y)
    assert ((got >= 0) & (got <= 1)).all()


def test_points_closer_than_rounding_are_no_nan():
    p = np.array([0.5, np.nextafter(0.5, 1), np.nextafter(0.5, 0), 0.5 + 1e-15, 0.9, 0.1])
    got = IsotonicCalibrator().fit(p, [0, 1, 1, 0, 1, 0]).predict_proba(p)
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got[:4, 1], 0.5)


def test_isotonic_knows_more_distinct_float32_values_than_scikit_learn():
    # Handed on in float32, scikit-learn takes values within 1e-6 for one.
    p = np.float32(0.25) + np.arange(40, dtype=np.float32) * np.float32(2**-24)
    y = np.arange(40) >= 20
    assert len(np.unique(p)) == 40
    np.testing.assert_array_equal(IsotonicCalibrator().fit(p, y).predict_proba(p)[:, 1], y)


# --- rows --------------------------------------------------------------------------------------------------------


def test_a_row_without_any_probability_left_becomes_uniform():
    # Every class is only ever right above .6, so a row that is below .6 everywhere is zero in all columns.
    low = np.array([[0.3, 0.3, 0.4], [0.4, 0.3, 0.3], [0.3, 0.4, 0.3]])
    high = np.eye(3) * 0.7 + 0.1
    sure = np.vstack([high, high])
    proba = np.vstack([sure, [[0.1, 0.5, 0.4], [0.5, 0.1, 0.4], [0.4, 0.5, 0.1]]])
    y = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    weight = [1] * 6 + [0] * 3
    model = IsotonicCalibrator().fit(proba, y, weight)
    np.testing.assert_allclose(model.predict_proba(high), np.eye(3), atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba(np.zeros((2, 3))), np.full((2, 3), 1 / 3))
    got = model.predict_proba(low)
    np.testing.assert_allclose(got.sum(axis=1), 1)


@ALL
@given(n_classes=st.sampled_from([2, 3, 7]), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=7, deadline=None)
def test_rows_sum_to_one_and_stay_in_range(make, n_classes, seed):
    rng = np.random.default_rng(seed)
    alpha = rng.choice([0.02, 1, 50])
    proba = rng.dirichlet(np.full(n_classes, alpha), 60)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 60 - n_classes)])
    got = make().fit(proba, y).predict_proba(rng.dirichlet(np.full(n_classes, alpha), 30))
    assert got.shape == (30, n_classes)
    assert got.min() >= 0
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-12)


RANDOM = np.random.default_rng(0)
THIRTY, TURNS = draw_proba(30), np.arange(30) % 3
EXTREMES = {
    "one row": (np.array([[0.2, 0.5, 0.3]]), [1], None),
    "constant": (np.full((30, 3), [0.5, 0.2, 0.3]), TURNS, None),
    "uniform": (np.full((30, 3), 1 / 3), TURNS, None),
    "zeros": (np.zeros((30, 3)), TURNS, None),
    "certain": (np.eye(3)[TURNS], RANDOM.permutation(TURNS), None),
    "certain and right": (np.eye(3)[TURNS], TURNS, None),
    "certain and wrong": (np.eye(3)[TURNS], (TURNS + 1) % 3, None),
    "tails of naive Bayes": (np.array([[1, 1e-300, 5e-324], [1e-200, 1, 0]] * 15), TURNS, None),
    "huge weights": (THIRTY, TURNS, np.full(30, 1e30)),
    "huge and tiny weights": (THIRTY, TURNS, np.geomspace(1e-15, 1e11, 30)),
    "weights beyond the digits of their sum": (THIRTY, TURNS, np.geomspace(1e-15, 1e14, 30)),
    "tiny weights": (THIRTY, TURNS, np.full(30, 1e-30)),
    "many classes": (draw_proba(60, 40), np.arange(60) % 40, None),
}
#: The pool of calibrators deals weights beyond the digits of their sum to hundreds of folds.
SLOW_EXTREMES = {"weights beyond the digits of their sum": [pytest.mark.slow]}
of_extremes = pytest.mark.parametrize(
    "extreme", [pytest.param(task, id=name, marks=SLOW_EXTREMES.get(name, ())) for name, task in EXTREMES.items()]
)


@ALL
@of_extremes
@pytest.mark.filterwarnings(
    "ignore:.*the calibration data have no sample of these classes",
    "ignore:.* uses sample_weight as repetition counts",
)
def test_extremes_give_probabilities(make, extreme):
    proba, y, weight = extreme
    n_classes = proba.shape[1]
    model = make().fit(proba, y, weight, labels=np.arange(n_classes))
    for asked in (proba, np.eye(n_classes), np.zeros((2, n_classes)), np.full((1, n_classes), 1 / n_classes)):
        got = model.predict_proba(asked)
        assert got.min() >= 0
        np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-12)
        if make in NEVER_SURE and set(np.asarray(y).tolist()) == set(range(n_classes)):
            assert got.min() > 0
            assert got.max() < 1


@each(["isotonic", "quadratic", "beta", "spline", "bayesian", "venn-abers", "temperature"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_with_two_classes_the_curve_never_falls(make, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 200))
    p = rng.beta(*rng.choice([0.1, 1, 5], 2), n).round(rng.choice([1, 2, 16]))
    y = rng.random(n) < rng.choice([p**3, p, p**0.3])
    y[:2] = [True, False]
    grid = np.append(np.linspace(0, 1, 400), p)
    got = make().fit(p, y).predict_proba(np.sort(grid))[:, 1]
    assert np.diff(got).min() >= -1e-12


#: Of these the sizes of weights matter, and not only their ratios.
OF_SIZES = {
    "platt": PlattCalibrator(),
    "smoothed isotonic": IsotonicCalibrator(smoothing=2.0),
    "confidence": ConfidenceCalibrator("platt"),
    "quadratic": QuadraticCalibrator(),
    "beta": BetaCalibrator(),
    "spline": SplineCalibrator(),
    "bayesian": BayesianCalibrator(),
    "venn-abers": VennAbersCalibrator(),
    "smoothed temperature": TemperatureCalibrator(smoothing=1),
    "matrix": MatrixCalibrator(),
    "pooled": PooledCalibrator(),
}


@pytest.mark.parametrize("model", OF_SIZES.values(), ids=OF_SIZES)
@pytest.mark.parametrize("size", [1e-300, 1e160])
def test_weights_that_are_repetitions_have_a_range(model, size):
    with pytest.raises(ValueError, match=r"Calibrator depends on the sizes of sample_weight.* \[1e-30, 1e\+30\]"):
        clone(model).fit(THIRTY, TURNS, np.full(30, size))


@pytest.mark.parametrize("model", OF_SIZES.values(), ids=OF_SIZES)
def test_weights_that_are_no_repetitions_are_told_with_the_other_meaning(model):
    with pytest.warns(
        UserWarning, match=r"all weights are below 1 \(their sum is 1\).* sample_weight\.mean\(\)"
    ) as told:
        clone(model).fit(THIRTY, TURNS, np.full(30, 1 / 30))
    assert len(told) == 1


@pytest.mark.parametrize("size", [1e-300, 1e160])
@pytest.mark.parametrize(
    "model",
    [IsotonicCalibrator(), HistogramBinningCalibrator(), TemperatureCalibrator(), AffineCalibrator()],
    ids=lambda model: type(model).__name__,
)
def test_weights_of_any_size_where_only_ratios_matter(model, size):
    weight = weights("real", 30)
    expected = clone(model).fit(THIRTY, TURNS, weight).predict_proba(THIRTY)
    found = clone(model).fit(THIRTY, TURNS, weight * size).predict_proba(THIRTY)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


# --- probabilities next to 1 --------------------------------------------------------------------------------------


def next_to_one():
    """Return probabilities that are 1 for the second class, of which only the first column tells how sure they are."""
    rng = np.random.default_rng(0)
    far = rng.uniform(20, 40, 1000)
    return np.column_stack([10.0**-far, np.ones(1000)]), rng.random(1000) < (far - 20) / 20


@each(name for name in ONE_AGAINST_THE_REST if "confidence" not in name)
def test_the_names_of_two_classes_do_not_matter(make):
    proba, y = next_to_one()
    expected = make().fit(proba, y, labels=[False, True]).predict_proba(proba)
    renamed = make().fit(proba[:, ::-1], ~y, labels=[False, True]).predict_proba(proba[:, ::-1])
    np.testing.assert_allclose(renamed[:, ::-1], expected, atol=1e-9)


@pytest.mark.parametrize("name", ["isotonic", "smoothed_isotonic", "venn_abers", "pooled"])
def test_what_only_one_column_tells_is_used(name):
    proba, y = next_to_one()
    found = make_calibrator(name).fit(proba[:500], y[:500]).predict_proba(proba[500:])
    assert np.mean((found[:, 1] - y[500:]) ** 2) < 0.2 < np.mean((y[:500].mean() - y[500:]) ** 2)


# --- classes -----------------------------------------------------------------------------------------------------


@each(ONE_AGAINST_THE_REST)
def test_an_absent_class_is_named_and_keeps_its_probability(make):
    proba, code = three_class_task()
    seen = code != 1
    with pytest.warns(UserWarning, match=r"the probabilities of \['ok'\] unchanged"):
        model = make().fit(proba[seen], np.array(["bad", "ok", "top"])[code[seen]], labels=["bad", "ok", "top"])
    got = model.predict_proba(proba)
    np.testing.assert_allclose(got.sum(axis=1), 1)
    # Before the rows were scaled it was its probability; the others, those of a calibrator that knows them alone.
    others = [make().fit(proba[seen, k], code[seen] == k).predict_proba(proba[:, k])[:, 1] for k in (0, 2)]
    expected = np.column_stack([others[0], proba[:, 1], others[1]])
    np.testing.assert_allclose(got, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)


@each(name for name in MAKERS if name != "confidence")
def test_a_class_of_weight_zero_is_absent(make):
    proba, code = three_class_task()
    with pytest.warns(UserWarning, match=r"of \[2\]"):
        by_weight = make().fit(proba, code, code != 2)
    with pytest.warns(UserWarning, match=r"\[2\]"):
        by_rows = make().fit(proba[code != 2], code[code != 2], labels=[0, 1, 2])
    np.testing.assert_allclose(by_weight.predict_proba(proba), by_rows.predict_proba(proba), atol=1e-9)


@each(name for name in MAKERS if name != "confidence")
@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("only", [0, -1])
def test_a_single_class_leaves_everything_as_it_is(make, n_classes, only):
    proba = draw_proba(20, n_classes)
    labels = list("abc"[:n_classes])
    with pytest.warns(UserWarning, match="unchanged") as caught:
        model = make().fit(proba, [labels[only]] * 20, labels=labels)
    assert len(caught) == 1
    assert all(repr(label) in str(caught[0].message) for label in labels)
    np.testing.assert_allclose(model.predict_proba(proba), left_alone(model, proba), rtol=1e-12)


def left_alone(model, proba):
    """Return probabilities as they are; for the pool with ¾ of a uniform sample beside the calibration samples."""
    if not isinstance(model, PooledCalibrator):
        return proba
    n_samples, n_classes = np.shape(proba)
    return (n_samples * proba + 0.75 / n_classes) / (n_samples + 0.75)


@ALL_FAST
@pytest.mark.parametrize(
    "names", [["no", "yes"], [False, True], [-3, 8], [0.5, 1.5], np.array(["n", "y"], dtype=object)], ids=str
)
def test_labels_of_any_kind(make, names):
    p, y = binary_task(60)
    expected = make().fit(p, y).predict_proba(p)
    column = np.asarray(names)[y.astype(int)]
    for labels in (column, column.tolist(), pd.Series(column), pd.Categorical(column)):
        model = make().fit(p, labels)
        assert model.classes_.tolist() == list(names)
        np.testing.assert_array_equal(model.predict_proba(p), expected)


@ALL_FAST
@pytest.mark.parametrize("order", [[2, 0, 1], [1, 0, 2]])
def test_labels_give_the_order_of_the_columns(make, order):
    proba, code = three_class_task()
    expected = make().fit(proba, code).predict_proba(proba)
    model = make().fit(proba[:, order], code, labels=order)
    assert model.classes_.tolist() == order
    atol = 1e-5 if make in (MatrixCalibrator, EQUAL_POOL) else 1e-9  # that is where it stops searching
    np.testing.assert_allclose(model.predict_proba(proba[:, order]), expected[:, order], atol=atol)


@ALL
def test_two_classes_in_the_other_order(make):
    p, y = binary_task()
    proba = np.column_stack([1 - p, p])
    expected = make().fit(proba, y).predict_proba(proba)
    got = make().fit(proba[:, ::-1], y, labels=[True, False]).predict_proba(proba[:, ::-1])
    np.testing.assert_allclose(got[:, ::-1], expected, atol=1e-7)


@ALL_FAST
def test_a_single_column_is_the_probability_of_the_second_class(make):
    p, y = binary_task()
    from_column, from_both = make().fit(p, y), make().fit(np.column_stack([1 - p, p]), y)
    both = np.column_stack([1 - p[:9], p[:9]])
    for model in (from_column, from_both):
        np.testing.assert_allclose(model.predict_proba(p[:9]), model.predict_proba(both), rtol=1e-12)
    np.testing.assert_allclose(from_column.predict_proba(p), from_both.predict_proba(p), rtol=1e-12)


def test_a_second_fit_forgets_the_first():
    proba, code = three_class_task()
    p, y = binary_task()
    model = PlattCalibrator().fit(proba, code)
    again = model.fit(p, y).predict_proba(p)
    np.testing.assert_array_equal(again, PlattCalibrator().fit(p, y).predict_proba(p))
    assert len(model.classes_) == 2


# --- inputs ------------------------------------------------------------------------------------------------------


@ALL_FAST
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_short_floats_are_read_as_the_numbers_they_are(make, dtype, columns):
    proba, code = three_class_task(60) if columns == 3 else binary_task(60)
    proba = np.column_stack([1 - proba, proba]) if columns == 2 else proba
    short = proba.astype(dtype)
    model = make().fit(short, code)
    got = model.predict_proba(short)
    assert got.dtype == np.float64
    expected = make().fit(short.astype(np.float64), code).predict_proba(short.astype(np.float64))
    np.testing.assert_array_equal(got, expected)


@ALL
def test_containers_are_all_the_same(make):
    proba, code = three_class_task(60)
    w = weights("real", 60)
    expected = make().fit(proba, code, w).predict_proba(proba)
    frame = pd.DataFrame(proba, index=range(60, 0, -1))
    for model, asked in (
        (make().fit(frame, pd.Series(code), pd.Series(w)), frame),
        (make().fit(proba.tolist(), code.tolist(), w.tolist()), proba.tolist()),
        (make().fit(np.asfortranarray(proba), code, w), np.asfortranarray(proba)),
        (make().fit(proba[::-1][::-1, ::-1][:, ::-1], code, w), proba[::-1][::-1]),
    ):
        np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=1e-12)


@ALL
@pytest.mark.parametrize("present", [[0, 1, 2], [0, 2]])
@pytest.mark.filterwarnings("ignore:.*have no sample of these classes")
def test_inputs_are_left_alone(make, present):
    proba, code = three_class_task(60)
    code = np.array(present)[code % len(present)]
    w = weights("real", 60)
    before = proba.copy(), code.copy(), w.copy()
    for array in (proba, code, w):
        array.setflags(write=False)
    make().fit(proba, code, w, labels=[0, 1, 2]).predict_proba(proba)
    for array, copy in zip((proba, code, w), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@ALL_FAST
def test_polars(make):
    pl = pytest.importorskip("polars")
    proba, code = three_class_task(60)
    expected = make().fit(proba, code).predict_proba(proba)
    frame = pl.DataFrame(proba)
    np.testing.assert_array_equal(make().fit(frame, pl.Series(code)).predict_proba(frame), expected)


@BOTH
def test_the_order_of_rows_plays_no_part(calibrator):
    p, y = binary_task(200)
    p = p.round(2)
    order = np.random.default_rng(1).permutation(200)
    one, other = calibrator().fit(p, y), calibrator().fit(p[order], y[order])
    np.testing.assert_allclose(one.predict_proba(p), other.predict_proba(p), atol=1e-8)


# --- errors ------------------------------------------------------------------------------------------------------

P, Y = [0.1, 0.2, 0.8, 0.9], [0, 1, 1, 1]
BAD_FITS = {
    "y too short": ((P, Y[:3]), {}, r"y has 3 rows, but proba has 4"),
    "NaN": (([0.1, np.nan, 0.8, 0.9], Y), {}, r"proba has NaN"),
    "above one": (([0.1, 1.2, 0.8, 0.9], Y), {}, r"proba.*outside \[0, 1\]"),
    "below zero": (([0.1, -0.2, 0.8, 0.9], Y), {}, r"proba.*outside \[0, 1\]"),
    "infinite": (([0.1, np.inf, 0.8, 0.9], Y), {}, r"proba.*outside \[0, 1\]"),
    "unknown label": ((P, ["a", "b", "c", "b"]), {"labels": ["a", "b"]}, r"y holds \['c'\] \(first in row 2\)"),
    "too many columns": ((np.full((4, 3), 1 / 3), Y), {}, r"3 columns for 2 labels.*Pass labels="),
    "too few columns": ((np.full((4, 2), 0.5), [0, 1, 2, 2]), {}, r"2 columns for 3 labels"),
    "too few labels": ((np.full((4, 3), 1 / 3), Y), {"labels": [0, 1]}, r"3 columns for 2 labels"),
    "one label": ((P, [1, 1, 1, 1]), {}, r"2 columns for 1 label \(.*Pass labels="),
    "labels twice": ((P, Y), {"labels": [1, 1]}, r"labels must be distinct"),
    "labels in two dimensions": ((P, Y), {"labels": [[0, 1]]}, r"labels must be one-dimensional"),
    "missing label": ((P, ["a", None, "b", "b"]), {}, r"missing label in row 1"),
    "multilabel y": ((P, np.zeros((4, 2))), {}, r"y must be a single column"),
    "three dimensions": ((np.zeros((4, 2, 2)), Y), {}, r"shape"),
    "no numbers": ((["a", "b", "c", "d"], Y), {}, r"proba could not be read as numbers"),
    "nothing": (([], []), {}, r"proba has no rows"),
    "no columns": ((np.zeros((4, 0)), Y), {}, r"0 columns"),
    "weights too few": ((P, Y, [1, 1, 1]), {}, r"sample_weight has 3 rows"),
    "weight negative": ((P, Y, [1, 1, -1, 1]), {}, r"sample_weight is -1\.0 in row 2"),
    "weight NaN": ((P, Y, [1, np.nan, 1, 1]), {}, r"sample_weight is nan in row 1"),
    "weights all zero": ((P, Y, [0, 0, 0, 0]), {}, r"sample_weight is zero for all samples"),
}


@BOTH
@pytest.mark.parametrize(("args", "params", "message"), list(BAD_FITS.values()), ids=list(BAD_FITS))
def test_a_bad_fit_says_what_is_wrong(calibrator, args, params, message):
    with pytest.raises(ValueError, match=message):
        calibrator().fit(*args, **params)


@BOTH
@pytest.mark.parametrize(
    ("proba", "message"),
    [
        (np.full((2, 3), 1 / 3), r"3 columns, but the calibrator was fitted on 2"),
        (np.full((2, 1), 1 / 3), r"1 columns, but the calibrator was fitted on 2"),
        ([0.5, np.nan], r"NaN"),
        ([0.5, 1.5], r"outside \[0, 1\]"),
        ([[0.5, 0.5], [1.5, -0.5]], r"outside \[0, 1\]"),
    ],
)
def test_bad_probabilities_are_refused_at_prediction(calibrator, proba, message):
    with pytest.raises(ValueError, match=message):
        calibrator().fit(P, Y).predict_proba(proba)


@BOTH
def test_an_offending_probability_is_named_by_its_row(calibrator):
    with pytest.raises(ValueError, match="row 2"):
        calibrator().fit([0.1, 0.2, np.nan, 0.9], Y)


@BOTH
def test_rounding_beyond_zero_and_one_is_taken(calibrator):
    # 1 − p is −2e-16 where p is a rounding error above one, and ConfidenceProfile takes it.
    eps = np.finfo(float).eps
    proba = np.array([[1 + eps, -eps], [0.7, 0.3], [0.4, 0.6], [-eps, 1 + eps]])
    got = calibrator().fit(proba, Y).predict_proba(proba)
    np.testing.assert_allclose(got, calibrator().fit(proba.clip(0, 1), Y).predict_proba(proba.clip(0, 1)), atol=1e-9)


@BOTH
def test_before_fit_it_says_so(calibrator):
    with pytest.raises(NotFittedError, match=calibrator.__name__):
        calibrator().predict_proba(P)


# --- pairs of confidence and correctness ---------------------------------------------------------------------------


@ALL_FAST
def test_pairs_of_confidence_and_correctness_are_a_binary_task(make):
    confidence, correct = binary_task()
    model = make().fit(confidence, correct)
    np.testing.assert_array_equal(
        model.predict_proba(confidence), make().fit(confidence, correct * 1.0).predict_proba(confidence)
    )
    assert model.classes_.tolist() == [False, True]
    both = make().fit(np.column_stack([1 - confidence, confidence]), correct)
    np.testing.assert_allclose(model.predict_proba(confidence)[:, 1], both.predict_proba(confidence)[:, 1], rtol=1e-12)


@ALL
@pytest.mark.parametrize("outcome", [True, False])
def test_pairs_that_are_all_right_or_all_wrong_teach_nothing(make, outcome):
    confidence = np.array([0.6, 0.7, 0.9])
    with pytest.raises(ValueError, match="Pass labels"):
        make().fit(confidence, [outcome] * 3)
    if make is not ConfidenceCalibrator:  # it also asks whether the second class is the more probable one
        with pytest.warns(UserWarning, match=r"\[False, True\] unchanged"):
            model = make().fit(confidence, [outcome] * 3, labels=[False, True])
        both = np.stack([1 - confidence, confidence], axis=1)
        np.testing.assert_allclose(model.predict_proba(confidence), left_alone(model, both), rtol=1e-14)


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALIBRATORS)
def test_every_name_works_inside_a_selective_classifier(name):
    proba, code = three_class_task()
    model = SelectiveClassifier(FrozenEstimator(Says().fit(proba, code)), calibration=name).fit(proba, code)
    expected = make_calibrator(name).fit(proba, code).predict_proba(proba)
    np.testing.assert_array_equal(model.predict_proba(proba), expected)


def test_an_unknown_name_is_refused_with_a_close_one():
    with pytest.raises(ValueError, match=r"no calibrator 'plat'.*Did you mean 'platt'"):
        make_calibrator("plat")


def test_a_calibrator_is_handed_through():
    model = PlattCalibrator(on="proba")
    assert make_calibrator(model) is model


# --- a good estimator --------------------------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("n_classes", [2, 3])
def test_pickle_keeps_the_fit(make, n_classes):
    proba, code = three_class_task() if n_classes == 3 else binary_task()
    model = make().fit(proba, code)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict_proba(proba), model.predict_proba(proba))


@ALL_FAST
def test_clone_keeps_parameters_and_drops_the_fit(make):
    p, y = binary_task()
    model = make()
    assert model.fit(p, y) is model
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict_proba(p)
    np.testing.assert_array_equal(copy.fit(p, y).predict_proba(p), model.predict_proba(p))


@ALL
def test_it_is_written_as_it_was_made(make):
    written = repr(make())
    again = eval(written, {name: getattr(calibration, name) for name in calibration.__all__})
    assert again.get_params() == make().get_params()
    assert repr(again) == written


@pytest.mark.parametrize(
    ("proba", "stand_in"),
    [([0.2, 0.9], 1e-8), ([1e-9, 0.9], 5e-10), ([1e-300, 0.9], 2**-52), ([0.0, 0.2], 0.1), ([0.0, 0.9], 0.25)],
)
def test_what_stands_for_a_probability_of_zero(proba, stand_in):
    """Half of the smallest probability where the data have zeros; else so little that no probability is near it."""
    assert zero_stand_in(np.array(proba)) == stand_in
