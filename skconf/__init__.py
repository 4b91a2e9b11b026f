"""Confidence-aware evaluation and selective classification for scikit-learn."""

from skconf import calibration, metrics
from skconf.profile import ConfidenceProfile
from skconf.scoring import confidence_scoring, get_scorer, get_scorer_names
from skconf.selective import SelectiveClassifier, TunedSelectiveClassifierCV

__version__ = "0.1.0"

__all__ = [
    "ConfidenceProfile",
    "SelectiveClassifier",
    "TunedSelectiveClassifierCV",
    "__version__",
    "calibration",
    "confidence_scoring",
    "get_scorer",
    "get_scorer_names",
    "metrics",
]
