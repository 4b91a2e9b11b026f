"""Confidence-aware evaluation and selective classification for scikit-learn."""

from skconf import calibration, inference, metrics
from skconf.accumulation import MetricAccumulator, accumulate
from skconf.profile import ConfidenceProfile
from skconf.report import ConfidenceReport, confidence_report, confidence_report_by_class, confidence_report_from_files
from skconf.scoring import confidence_scoring, get_scorer, get_scorer_names
from skconf.selective import (
    SelectiveClassifier,
    TunedSelectiveClassifierCV,
    TunedThreshold,
    predict_selective,
    required_samples,
    tune_threshold,
)

__version__ = "0.2.0.dev0"

__all__ = [
    "ConfidenceProfile",
    "ConfidenceReport",
    "MetricAccumulator",
    "SelectiveClassifier",
    "TunedSelectiveClassifierCV",
    "TunedThreshold",
    "__version__",
    "accumulate",
    "calibration",
    "confidence_report",
    "confidence_report_by_class",
    "confidence_report_from_files",
    "confidence_scoring",
    "get_scorer",
    "get_scorer_names",
    "inference",
    "metrics",
    "predict_selective",
    "required_samples",
    "tune_threshold",
]
