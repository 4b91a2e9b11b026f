"""Selective classifiers and calibrators as graphs of ONNX, which onnxruntime computes without Python."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skconf import SelectiveClassifier, TunedSelectiveClassifierCV, predict_selective
from skconf.calibration import CALIBRATORS, ConfidenceCalibrator, LearnedConfidence, make_calibrator
from skconf.selective import register_onnx

skl2onnx = pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

X, CODES = load_breast_cancer(return_X_y=True)
X = np.ascontiguousarray(X[:, :6])
Y = np.array(["benign", "malignant", "unclear"])[np.where((X[:, 0] > 13) & (X[:, 1] > 20), 2, CODES)]
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())

register_onnx()


def run(model, given, *outputs):
    """Return outputs of the graph of a model."""
    graph = skl2onnx.to_onnx(model, given[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run([*outputs], {"X": given})


def assert_same(model, y=Y):
    label, proba, score = run(model.fit(X, y), X, "label", "probabilities", "confidence")
    answer = predict_selective(model, X)
    assert np.abs(proba - model.predict_proba(X)).max() < 1e-6
    assert np.abs(score - answer.score).max() < 1e-6
    assert label.tolist() == model.predict(X).tolist()
    assert 0 < answer.accepted.mean() < 1


@pytest.mark.parametrize("y", [Y, CODES, CODES == 1, CODES.astype(float)], ids=["texts", "whole", "booleans", "floats"])
def test_labels_of_every_kind(y):
    assert_same(SelectiveClassifier(LOGISTIC, threshold=0.8), y)


@pytest.mark.parametrize("calibration", CALIBRATORS)
@pytest.mark.parametrize("y", [Y, CODES], ids=["three", "two"])
def test_every_calibration(calibration, y):
    assert_same(SelectiveClassifier(LOGISTIC, threshold=0.8, calibration=calibration), y)


@pytest.mark.parametrize(
    "options",
    [
        {"confidence": "margin"},
        {"confidence": "entropy"},
        {"calibration": "platt", "ensemble": True},
        {"calibration": "matrix", "keep_prediction": True},
        {"calibration": ConfidenceCalibrator("isotonic")},
        {"calibration": "pooled", "prevalence": {"benign": 0.1, "malignant": 0.8, "unclear": 0.1}},
        {"reject_label": "ask a person"},
    ],
    ids=str,
)
def test_every_option(options):
    assert_same(SelectiveClassifier(LOGISTIC, threshold=0.6, **options))


@pytest.mark.parametrize("level", [None, 0.9])
def test_tuned_threshold(level):
    assert_same(TunedSelectiveClassifierCV(LOGISTIC, target=0.1, confidence_level=level, random_state=0))


def test_nothing_is_rejected_at_threshold_0():
    model = SelectiveClassifier(LOGISTIC).fit(X, Y)
    (label,) = run(model, X, "label")
    assert label.tolist() == LOGISTIC.fit(X, Y).predict(X).tolist()


@pytest.mark.parametrize(
    "inner", [RandomForestClassifier(20, random_state=0), MLPClassifier((4,), max_iter=2000, random_state=0)], ids=str
)
def test_other_classifiers_in_a_pipeline(inner):
    assert_same(make_pipeline(StandardScaler(), SelectiveClassifier(inner, threshold=0.7, calibration="temperature")))


def test_a_frozen_classifier():
    frozen = FrozenEstimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y))
    assert_same(SelectiveClassifier(frozen, threshold=0.8, calibration="beta"))


@pytest.mark.filterwarnings("ignore")  # of the class, by scikit-learn and the calibrator
def test_folds_that_lack_a_class():
    y = Y.copy()
    y[0] = "only one"
    assert_same(SelectiveClassifier(LOGISTIC, threshold=0.7, calibration="temperature", ensemble=True), y)


@pytest.mark.parametrize("name", CALIBRATORS)
def test_a_calibrator_alone(name):
    given = LOGISTIC.fit(X, Y).predict_proba(X)
    calibrator = make_calibrator(name).fit(given, Y)
    (proba,) = run(calibrator, given, "probabilities")
    assert np.abs(proba - calibrator.predict_proba(given)).max() < 1e-6


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"reject_cost": 0.2}, "decides by costs"),
        ({"confidence": LearnedConfidence()}, "its confidence is"),
        ({"threshold": 0.5, "confidence": lambda proba: proba.max(axis=1)}, "its confidence is"),
        ({"threshold": 0.5, "reject_label": -1}, "its reject label -1 is of another type"),
    ],
    ids=["costs", "learned", "callable", "reject label"],
)
def test_what_has_no_graph_says_so(options, why):
    model = SelectiveClassifier(LOGISTIC, **options).fit(X, Y)
    with pytest.raises(ValueError, match=f"This SelectiveClassifier cannot be converted to ONNX, because (it )?{why}"):
        skl2onnx.to_onnx(model, X[:1])


def test_thresholds_of_slices_have_no_graph():
    model = TunedSelectiveClassifierCV(
        LOGISTIC, target=0.1, slices="predicted_class", confidence_level=0.5, random_state=0
    ).fit(X, CODES)
    with pytest.raises(ValueError, match="cannot be converted to ONNX, because it has a separate threshold"):
        skl2onnx.to_onnx(model, X[:1])
