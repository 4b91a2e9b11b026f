"""What calibrators write into a graph of ONNX, computed by numpy from the definitions of its operations.

tests/houses has the same graphs in onnxruntime.
"""

import warnings

import numpy as np
import pytest

from skconf.calibration import (
    CALIBRATORS,
    ConfidenceCalibrator,
    HistogramBinningCalibrator,
    IsotonicCalibrator,
    MatrixCalibrator,
    PlattCalibrator,
    PooledCalibrator,
)
from skconf.calibration._base import to_graph
from skconf.calibration._bent import BentTemperatureCalibrator, LineCalibrator
from skconf.calibration._graph import Graph

#: The operations of https://onnx.ai/onnx/operators that are used, opset 18 of the default domain.
OPERATIONS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "MatMul": np.matmul,
    "Less": np.less,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Equal": np.equal,
    "Max": np.maximum,
    "Min": np.minimum,
    "Abs": np.abs,
    "Log": np.log,
    "Exp": np.exp,
    "IsNaN": np.isnan,
    "Where": np.where,
    "Gather": lambda table, places, axis: np.take(table, places, axis),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "ReduceSum": lambda table, axes, keepdims: table.sum(axis=tuple(axes), keepdims=bool(keepdims)),
    "GatherElements": np.take_along_axis,
    "ArgMax": lambda table, axis, keepdims: table.argmax(axis, keepdims=bool(keepdims)),
    "Cast": lambda table, to: table.astype({7: np.int64, 11: np.float64}[to]),
}


def computed(calibrator, proba):
    """Return what the graph of a fitted calibrator computes."""
    known = {"proba": np.asarray(proba, dtype=float)}

    def keep(array):
        known[name := f"#{len(known)}"] = array
        return name

    def write(operation, *inputs, **attributes):
        with np.errstate(all="ignore"):
            return keep(OPERATIONS[operation](*(known[name] for name in inputs), **attributes))

    graph = Graph(write, keep)
    return known[to_graph(calibrator, graph.tensor("proba")).name]


def rows(n_classes, n_samples, seed, *, zeros=False):
    """Return probabilities that are too sure, with some of 0 and 1, and classes."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(n_classes, 0.5), n_samples)
    if zeros:
        proba[rng.random(proba.shape) < 0.2] = 0.0
        proba[proba.sum(axis=1) == 0, 0] = 1.0
        proba /= proba.sum(axis=1, keepdims=True)
    return proba, (rng.random(n_samples)[:, None] > (0.7 * proba + 0.3 / n_classes).cumsum(axis=1)[:, :-1]).sum(axis=1)


def assert_same(calibrator, n_classes, *, zeros=False, absent=None, n_samples=200):
    proba, codes = rows(n_classes, n_samples, 0, zeros=zeros)
    held = codes != absent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are absent
        calibrator.fit(proba[held], codes[held], labels=np.arange(n_classes))
    new = rows(n_classes, 100, 1, zeros=zeros)[0]
    new = np.vstack([new, proba[:50], np.eye(n_classes), np.full(n_classes, 1 / n_classes)])
    assert computed(calibrator, new) == pytest.approx(calibrator.predict_proba(new), abs=1e-9)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", CALIBRATORS)
def test_graph_is_the_calibrator(name, n_classes, zeros):
    assert_same(CALIBRATORS[name](), n_classes, zeros=zeros)


@pytest.mark.parametrize("name", CALIBRATORS)
def test_graph_leaves_absent_classes(name):
    assert_same(CALIBRATORS[name](), 4, absent=2)


@pytest.mark.parametrize("name", ["platt", "temperature", "pooled", "affine"])
def test_graph_of_a_single_class_that_was_seen(name):
    assert_same(CALIBRATORS[name](), 2, absent=0)


@pytest.mark.parametrize(
    "calibrator",
    [
        PlattCalibrator(on="proba"),
        ConfidenceCalibrator(),
        ConfidenceCalibrator("isotonic"),
        HistogramBinningCalibrator(n_bins=1),
        HistogramBinningCalibrator(strategy="quantile"),
        MatrixCalibrator(base=IsotonicCalibrator(smoothing=2)),
        PooledCalibrator(["platt", None, "beta"], tail_zscore=-3.0),
        PooledCalibrator(weights="uniform", smoothing=0.0, tail_zscore=None),
        BentTemperatureCalibrator(),
        BentTemperatureCalibrator(shifted=True),
        LineCalibrator(),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_graph_of_every_option(calibrator, n_classes):
    assert_same(calibrator, n_classes, zeros=True)


def test_graph_of_few_samples():
    # Of so few, curves have no knot between their ends.
    calibrator = IsotonicCalibrator().fit([0.2, 0.8], [0, 1])
    assert computed(calibrator, [[0.5, 0.5]]) == pytest.approx(calibrator.predict_proba([0.5]))
    calibrator = IsotonicCalibrator().fit([0.5, 0.5], [0, 1])
    assert computed(calibrator, [[0.9, 0.1]]) == pytest.approx(np.full((1, 2), 0.5))


def test_what_has_no_graph_is_named():
    class Mine:
        pass

    with pytest.raises(ValueError, match="Mine cannot be converted to ONNX"):
        to_graph(Mine(), None)
