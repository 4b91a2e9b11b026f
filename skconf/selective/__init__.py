"""Selective classifiers: any classifier with probabilities, extended to reject predictions whose score is too low."""

from skconf.selective._classifier import SelectiveClassifier
from skconf.selective._monitor import RiskMonitor
from skconf.selective._onnx import register_onnx
from skconf.selective._prediction import SelectivePrediction, predict_selective
from skconf.selective._risk_control import required_samples
from skconf.selective._thresholds import TunedThreshold
from skconf.selective._tuned import TunedSelectiveClassifierCV
from skconf.selective._tuning import tune_threshold

__all__ = [
    "RiskMonitor",
    "SelectiveClassifier",
    "SelectivePrediction",
    "TunedSelectiveClassifierCV",
    "TunedThreshold",
    "predict_selective",
    "register_onnx",
    "required_samples",
    "tune_threshold",
]
