"""Selective classifiers: any classifier with probabilities, extended to reject predictions whose score is too low."""

from skconf.selective._base import SelectivePrediction
from skconf.selective._classifier import SelectiveClassifier
from skconf.selective._predict import predict_selective
from skconf.selective._risk_control import required_samples
from skconf.selective._tune import tune_threshold
from skconf.selective._tuned import TunedSelectiveClassifierCV
from skconf.selective._tuned_threshold import TunedThreshold

__all__ = [
    "SelectiveClassifier",
    "SelectivePrediction",
    "TunedSelectiveClassifierCV",
    "TunedThreshold",
    "predict_selective",
    "required_samples",
    "tune_threshold",
]
