"""Selective classifiers: any classifier with probabilities, made to abstain where it is not sure enough."""

from skconf.selective._base import SelectivePrediction
from skconf.selective._classifier import SelectiveClassifier
from skconf.selective._predict import predict_selective
from skconf.selective._tuned import TunedSelectiveClassifierCV

__all__ = ["SelectiveClassifier", "SelectivePrediction", "TunedSelectiveClassifierCV", "predict_selective"]
